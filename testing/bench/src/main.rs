//! Work whose instructions are counted: every pipeline on the same procedural scenes, then a file
//! written and read, paths and a check on the meshes that came out.
//!
//! In goes nothing, so that the work is the same on every machine; out come the names of all parts in
//! the order in which they began, one a line, the last one `end`. [`mark_stage`] is called where a part
//! begins. Under callgrind with `--dump-before=*mark_stage*` the counters are written there and start
//! anew, so that each dump holds the instructions of one part: `cargo xtask gate` does that and compares
//! them with a baseline. Everything runs on the one thread that there is; nothing waits, and nothing
//! depends on a clock or on addresses.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use surefoot_bake::{BakeSettings, Baker, BuildMethod, Progress};
use surefoot_mesh::{Algorithm, NavMesh, Path, PathOptions, Query};
use surefoot_scene::{Scene, SceneFormat};
use surefoot_testing_scenes::{Variant, build};
use surefoot_verify::{VerifySettings, verify};

/// Scenes with the pipelines that build them: furnished storeys with stairs, hills, a maze whose walls
/// are shattered and jittered, and a block of houses turned off every axis, which has too much ground for
/// a program that runs fifty times slower than usual to look at it cell by cell.
const SCENES: [(&str, Variant, &[BuildMethod]); 4] = [
    ("floors", Variant { size: Some(2), ..PLAIN }, &ALL),
    ("terrain", Variant { size: Some(40), ..PLAIN }, &ALL),
    ("maze", Variant { size: Some(5), shatter: 2, jitter_m: 0.0004, dirty: true, ..PLAIN }, &ALL),
    ("city", Variant { size: Some(1), rotate_deg: 17.3, ..PLAIN }, &[BuildMethod::Exact]),
];

const PLAIN: Variant =
    Variant { size: None, rotate_deg: 0.0, shatter: 0, jitter_m: 0.0, dirty: false, seed: 0 };

const ALL: [BuildMethod; 3] = [BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered];

/// Pairs of points asked for on each mesh.
const PAIRS: usize = 300;

/// Samples judged of each mesh.
const SAMPLES: u64 = 20;

/// Where one part ends and the next begins. Its name is what callgrind looks for.
#[inline(never)]
fn mark_stage(part: usize) {
    black_box(part);
}

/// The parts that have begun.
#[derive(Default)]
struct Parts(Vec<String>);

impl Parts {
    fn begin(&mut self, name: String) {
        self.0.push(name);
        mark_stage(self.0.len());
    }
}

/// Marks the stages of one pipeline.
struct Stages<'a> {
    method: BuildMethod,
    parts: &'a mut Parts,
}

impl Progress for Stages<'_> {
    fn stage(&mut self, name: &'static str) {
        self.parts.begin(format!("{}/{name}", self.method.name()));
    }
}

/// A generator of shares from 0 to 1 (Knuth's multiplier).
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn main() -> Result<()> {
    // The main thread is the whole pool: no other thread runs, sleeps or spins.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    let mut parts = Parts::default();
    for (name, variant, methods) in &SCENES {
        parts.begin("between".to_owned());
        let scene = build(name, variant)?.scene;
        run_scene(&scene, methods, &mut parts).with_context(|| format!("{name} does not build"))?;
    }
    parts.begin("end".to_owned());
    let mut lines = String::new();
    for name in &parts.0 {
        writeln!(lines, "{name}")?;
    }
    Ok(std::io::stdout().lock().write_all(lines.as_bytes())?)
}

fn run_scene(scene: &Scene, methods: &[BuildMethod], parts: &mut Parts) -> Result<()> {
    let mut obj = Vec::new();
    scene.write_obj(&mut obj)?;
    parts.begin("scene/read_obj".to_owned());
    black_box(Scene::from_bytes(&obj, SceneFormat::Obj)?);
    let mut exact = None;
    for &method in methods {
        parts.begin("between".to_owned());
        let settings = BakeSettings { method: method.into(), ..BakeSettings::default() };
        let mut stages = Stages { method, parts };
        let baked = Baker::new(&settings).progress(&mut stages).bake(scene)?;
        exact = exact.or(Some(baked.mesh));
    }
    let Some(mesh) = exact else { return Ok(()) };
    parts.begin("mesh/write".to_owned());
    let bytes = mesh.to_bytes();
    parts.begin("mesh/read".to_owned());
    let mesh = NavMesh::from_bytes(&bytes)?;
    parts.begin("between".to_owned());
    let mut query = Query::new(&mesh);
    let mut random = Random(7);
    let mut point = || query.random_point(|| random.share()).map(|p| p.point);
    let pairs: Vec<_> = (0..PAIRS).map_while(|_| Some([point()?, point()?])).collect();
    let mut path = Path::default();
    for (name, algorithm) in
        [("query/optimal", Algorithm::Optimal), ("query/portals", Algorithm::AStar)]
    {
        let options = PathOptions { algorithm, ..PathOptions::default() };
        parts.begin(name.to_owned());
        for [from, to] in &pairs {
            let _ = black_box(query.find_path_into(*from, *to, &options, &mut path));
        }
    }
    parts.begin("verify/verify".to_owned());
    let settings = VerifySettings { samples: SAMPLES, ..VerifySettings::default() };
    black_box(verify(mesh.data(), scene, &settings, &|_| {}));
    parts.begin("between".to_owned());
    Ok(())
}
