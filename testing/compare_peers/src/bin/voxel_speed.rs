//! Our voxel builds beside Recast's, in one process on one thread: time and peak of both.
//!
//! `voxel-speed SCENE... [--cell-size M]... [--rounds N] [--threads N]`: `SCENE` is a file or the name
//! of a procedural scene with an optional size, as in `terrain:512`. Prints one line for each scene and
//! cell size: the best of some rounds of each, and the quotient of the two.

use anyhow::{Context, Result};
use std::io::Write;
use std::time::Instant;
use surefoot_bake::{BakeSettings, Method, StageContext, VoxelSettings, bake_in};
use surefoot_compare_peers::{RecastSettings, build_recast};
use surefoot_mesh::Agent;
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (mut scenes, mut cell_sizes): (Vec<String>, Vec<f32>) = (Vec::new(), Vec::new());
    let (mut rounds, mut threads) = (3_u32, 1_usize);
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{word} needs a number"));
        match word.as_str() {
            "--cell-size" => cell_sizes.push(value()?.parse()?),
            "--rounds" => rounds = value()?.parse()?,
            "--threads" => threads = value()?.parse()?,
            _ => scenes.push(word),
        }
    }
    if cell_sizes.is_empty() {
        cell_sizes.extend([0.1, 0.05]);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    for name in &scenes {
        let scene = load(name)?;
        for &cell_size in &cell_sizes {
            let line = pool.install(|| compare(&scene, cell_size, rounds))?;
            writeln!(std::io::stdout().lock(), "{name} at {cell_size}: {line}")?;
        }
    }
    Ok(())
}

fn load(name: &str) -> Result<Scene> {
    if std::path::Path::new(name).exists() {
        return Ok(Scene::load(name)?);
    }
    let (name, size) = name.split_once(':').map_or((name, None), |(n, s)| (n, s.parse().ok()));
    Ok(build(name, &Variant { size, ..Variant::default() })?.scene)
}

fn compare(scene: &Scene, cell_size: f32, rounds: u32) -> Result<String> {
    let mut settings = RecastSettings::with_cell_size(Agent::default(), cell_size);
    settings.most_columns = 1e9;
    let ours = BakeSettings {
        method: Method::Voxel,
        voxel: VoxelSettings {
            cell_size_m: f64::from(cell_size),
            cell_height_m: 0.5 * f64::from(cell_size),
            ..VoxelSettings::default()
        },
        ..BakeSettings::default()
    };
    let (mut best_ours, mut best_recast) = (f64::INFINITY, f64::INFINITY);
    let (mut cells, mut polygons) = (0, 0);
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        let baked = bake_in(scene, &ours, StageContext::new())?;
        best_ours = best_ours.min(start.elapsed().as_secs_f64() * 1e3);
        cells = baked.mesh.cell_count();
        let start = Instant::now();
        let recast = build_recast(scene, &settings)?;
        best_recast = best_recast.min(start.elapsed().as_secs_f64() * 1e3);
        polygons = recast.polygon_count();
    }
    Ok(format!(
        "voxel {best_ours:.0} ms, {cells} cells; Recast {best_recast:.0} ms, {polygons} polygons; \
         {:.2} of Recast's time",
        best_ours / best_recast
    ))
}
