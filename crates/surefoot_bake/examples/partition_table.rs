//! Compares the partitions on the procedural scenes and on scene files.
//!
//! `cargo run --release -p surefoot_bake --example partition_table -- [SCENE]... [FILE]...` prints a
//! table in Markdown: cells by merging triangles and as chosen (by notches, except on curved ground where
//! merging makes fewer) at no relaxation, with their shapes; and the latter against the convex distance. Without arguments it takes all procedural scenes.

use std::io::Write;
use surefoot_bake::{BakeSettings, CellShape, PartitionQuality, StageContext, bake_in};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build, list};

const DISTANCES_M: [f64; 4] = [0.1, 0.2, 0.4, 0.8];

fn bake(scene: &Scene, cells: CellShape, distance_m: f64) -> Result<PartitionQuality, String> {
    let settings = BakeSettings { cells, convex_distance_m: distance_m, ..BakeSettings::default() };
    let baked = bake_in(scene, &settings, StageContext::new()).map_err(|e| e.to_string())?;
    Ok(PartitionQuality::of_mesh(&baked.mesh))
}

fn shape(q: &PartitionQuality) -> String {
    format!(
        "{} | {:.1} | {:.1}",
        q.cells,
        q.mean_smallest_angle_rad.to_degrees(),
        q.ill_conditioned_share() * 100.0
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut names: Vec<String> = arguments;
    if names.is_empty() {
        names.extend(list().iter().map(|info| info.name.to_owned()));
    }
    writeln!(
        out,
        "| scene | merging | angle | ill % | chosen | angle | ill % | ratio | at 0.1 | 0.2 | 0.4 | 0.8 m |"
    )?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    let (mut fewer, mut scenes, mut worst) = (0, 0, 0.0_f64);
    for name in &names {
        let scene = match build(name, &Variant::default()) {
            Ok(procedural) => procedural.scene,
            Err(_) => Scene::load(name)?,
        };
        let stem = std::path::Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        let merged = bake(&scene, CellShape::HertelMehlhorn, 0.0)?;
        let notches = bake(&scene, CellShape::Convex, 0.0)?;
        if merged.cells == 0 {
            continue;
        }
        let ratio = notches.cells as f64 / merged.cells as f64;
        scenes += 1;
        fewer += usize::from(ratio < 1.0);
        worst = worst.max(ratio);
        write!(out, "| {stem} | {} | {} | {ratio:.3} |", shape(&merged), shape(&notches))?;
        for distance_m in DISTANCES_M {
            write!(out, " {} |", bake(&scene, CellShape::Convex, distance_m)?.cells)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "\nfewer cells as chosen on {fewer} of {scenes} scenes; worst ratio {worst:.3}")?;
    Ok(())
}
