//! One mutated scene: how it comes about, its meshes, and the checker's word on them.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use surefoot_bake::{Agent, BakeError, BakeSettings, BuildMethod, bake};
use surefoot_mesh::NavMesh;
use surefoot_scene::Scene;
use surefoot_testing_scenes::mutate::{Mutation, mutate};
use surefoot_testing_scenes::{Variant, build, inside};
use surefoot_verify::{Report, VerifySettings, verify};

pub(crate) const METHODS: [BuildMethod; 3] =
    [BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered];

/// Small scenes with their sizes. One more stands for all those of what is inside.
const SCENES: [(&str, Option<u32>); 13] = [
    ("doorways", Some(3)),
    ("spiral-maze", Some(1)),
    ("overhang", None),
    ("stairs", Some(4)),
    ("spiral-stairs", Some(8)),
    ("open-stairs", Some(4)),
    ("kerbs", Some(3)),
    ("platforms", None),
    ("pillars", Some(2)),
    ("maze", Some(4)),
    ("town-house", None),
    ("testmap-0", None),
    ("testmap-1", None),
];

/// Points sampled for soundness, and again for completeness.
const SAMPLES: u64 = 800;

/// What a mesh must hold, as `surefoot verify` asks for it.
const LEAST_SOUND: f64 = 0.999;
const LEAST_COMPLETE: f64 = 0.99;

/// A mutated scene and who walks on it.
pub(crate) struct Case {
    seed: u64,
    number: u64,
    name: String,
    agent: Agent,
    done: Vec<Mutation>,
    scene: Scene,
}

/// What came of a build.
pub(crate) enum Verdict {
    Passes,
    /// Nothing can be walked on.
    NoGround,
    Fails(String),
    Panics(String),
}

/// Mixes two numbers into a seed (splitmix64's finalizer).
fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Case {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        let own = mixed(seed, number);
        let plain = Agent::default();
        let agent = match own >> 8 & 3 {
            0 | 1 => plain,
            2 => Agent { radius_m: 0.1, max_step_m: 0.25, ..plain },
            _ => Agent { radius_m: 0.5, height_m: 1.2, max_slope_rad: 0.6, ..plain },
        };
        let rotate_deg = [0.0, 17.3, 45.0, 71.9][(own >> 16 & 3) as usize];
        let variant = Variant { rotate_deg, ..Variant::default() };
        let chosen = (own >> 24) as usize % (SCENES.len() + 4);
        let (name, scene) = match SCENES.get(chosen) {
            Some((name, size)) => {
                let built = build(name, &Variant { size: *size, ..variant });
                ((*name).to_owned(), built.map(|b| b.scene).unwrap_or_default())
            }
            None => {
                let cases = inside::cases();
                let case = &cases[(own >> 40) as usize % cases.len()];
                let built = case.build(&variant);
                (case.name.to_owned(), built.map(|b| b.scene).unwrap_or_default())
            }
        };
        let (scene, done) = mutate(&scene, own);
        Self { seed, number, name, agent, done, scene }
    }

    /// Builds and judges it. What does not pass is kept in a folder, if there is one.
    pub(crate) fn judge(&self, method: BuildMethod, keep: Option<&Path>) -> Verdict {
        let settings =
            BakeSettings { method: method.into(), agent: self.agent, ..BakeSettings::default() };
        let built = catch_unwind(AssertUnwindSafe(|| bake(&self.scene, &settings)));
        let stem = format!("{}-{}-{}", self.seed, self.number, method.name());
        let path = |ending: &str| keep.map(|folder| folder.join(format!("{stem}.{ending}")));
        let mesh = match built {
            Ok(Ok(mesh)) => mesh,
            Ok(Err(BakeError::NoGround { .. } | BakeError::NothingLeft { .. })) => {
                return Verdict::NoGround;
            }
            Ok(Err(error)) => return Verdict::Fails(error.to_string()),
            Err(panic) => {
                if let Some(path) = path("obj") {
                    let _ = self.scene.save(path);
                }
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                return Verdict::Panics(format!("panics: {}", text.unwrap_or_default()));
            }
        };
        let report = judge(&mesh, &self.scene);
        if report.passes(LEAST_SOUND, LEAST_COMPLETE) {
            return Verdict::Passes;
        }
        if let (Some(scene), Some(file)) = (path("obj"), path("snav")) {
            let _ = self.scene.save(scene);
            let _ = mesh.save(file);
        }
        Verdict::Fails(why(&report))
    }
}

fn judge(mesh: &NavMesh, scene: &Scene) -> Report {
    let settings = mesh.data().build.as_ref().map(VerifySettings::for_build).unwrap_or_default();
    verify(mesh.data(), scene, &VerifySettings { samples: SAMPLES, ..settings }, &|_| {})
}

/// What does not hold, in one line.
fn why(report: &Report) -> String {
    let mut words = Vec::new();
    if report.sound.value() < LEAST_SOUND {
        let reasons: Vec<String> = report
            .unsound_by_reason
            .iter()
            .map(|(reason, count)| format!("{count} {reason:?}"))
            .collect();
        let at = report.unsound.first().map(|u| u.at.map(|c| (c * 1e3).round() / 1e3));
        words.push(format!("sound {:.4} ({}; {at:?})", report.sound.value(), reasons.join(", ")));
    }
    if report.complete.counted > 0 && report.complete.value() < LEAST_COMPLETE {
        let first = report.uncovered.first();
        let at = first.map(|u| (u.at.map(|c| (c * 1e3).round() / 1e3), u.missing));
        words.push(format!("complete {:.4} ({at:?})", report.complete.value()));
    }
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for fault in &report.structure_faults {
        *kinds.entry(format!("{:?}", fault.kind)).or_default() += 1;
    }
    if let Some((kind, _)) = kinds.iter().next() {
        words.push(format!("{} structure faults, such as {kind}", report.structure_faults.len()));
    }
    if let Some(fault) = report.connection_faults.first() {
        let at = fault.at().map(|c| (c * 1e3).round() / 1e3);
        words.push(format!(
            "{} connection faults ({}, {at:?})",
            report.connection_fault_count,
            fault.text()
        ));
    }
    words.join("; ")
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done: Vec<String> = self.done.iter().map(ToString::to_string).collect();
        let Agent { radius_m, height_m, .. } = self.agent;
        write!(
            f,
            "--seed {} --only {}: {} ({}), radius {radius_m}, height {height_m}",
            self.seed,
            self.number,
            self.name,
            done.join(", ")
        )
    }
}
