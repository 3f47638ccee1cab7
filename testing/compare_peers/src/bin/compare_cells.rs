//! How many cells there are, and how well shaped: partitions compared with each other and with Recast.
//!
//! `compare-cells [--chart FILE.svg] [SCENE | FILE]...` prints a Markdown table for each scene: cells
//! by merging triangles and as chosen (by notches, except on curved ground where merging makes fewer)
//! at no relaxation, with their shapes; the latter against the convex distance; and Recast's polygons,
//! of up to six corners, at two cell sizes. The chart shows cells against the convex distance. Without
//! scenes it takes all procedural ones.

use anyhow::{Context, Result};
use std::io::Write;
use surefoot_bake::{Agent, BakeSettings, Baker, CellShape, PartitionQuality};
use surefoot_compare_peers::{Axis, RecastSettings, Series, build_recast, draw_lines};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build, list};

const DISTANCES_M: [f64; 4] = [0.1, 0.2, 0.4, 0.8];

/// Recast's cell sizes, in metres: its demo's, and one that resolves the agent's radius.
const CELL_SIZES_M: [f32; 2] = [0.3, 0.1];

/// The cells of a scene without relaxation and at [`DISTANCES_M`].
struct Course {
    scene: String,
    cells: Vec<usize>,
}

fn bake(scene: &Scene, cells: CellShape, distance_m: f64) -> Result<PartitionQuality> {
    let settings = BakeSettings { cells, convex_distance_m: distance_m, ..BakeSettings::default() };
    let baked = Baker::new(&settings).bake(scene)?;
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

fn main() -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut chart_file = None;
    if names.first().is_some_and(|n| n == "--chart") {
        names.remove(0);
        anyhow::ensure!(!names.is_empty(), "--chart needs the name of a file");
        chart_file = Some(names.remove(0));
    }
    if names.is_empty() {
        names.extend(list().iter().map(|info| info.name.to_owned()));
    }
    writeln!(
        out,
        "| scene | merging | angle | ill % | chosen | angle | ill % | ratio | at 0.1 | 0.2 | 0.4 | \
         0.8 m | Recast 0.3 | 0.1 m |"
    )?;
    writeln!(out, "|---|{}", "---:|".repeat(13))?;
    let (mut fewer, mut worst) = (0, 0.0_f64);
    let mut courses: Vec<Course> = Vec::new();
    for name in &names {
        let scene = match build(name, &Variant::default()) {
            Ok(procedural) => procedural.scene,
            Err(_) => Scene::load(name).with_context(|| format!("{name} is no scene"))?,
        };
        let stem = std::path::Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        let merged = bake(&scene, CellShape::HertelMehlhorn, 0.0)?;
        let chosen = bake(&scene, CellShape::Convex, 0.0)?;
        if merged.cells == 0 {
            continue;
        }
        let ratio = chosen.cells as f64 / merged.cells as f64;
        fewer += usize::from(ratio < 1.0);
        worst = worst.max(ratio);
        write!(out, "| {stem} | {} | {} | {ratio:.3} |", shape(&merged), shape(&chosen))?;
        let mut course = Course { scene: stem.into_owned(), cells: vec![chosen.cells] };
        for distance_m in DISTANCES_M {
            let relaxed = bake(&scene, CellShape::Convex, distance_m)?.cells;
            write!(out, " {relaxed} |")?;
            course.cells.push(relaxed);
        }
        for cell_size_m in CELL_SIZES_M {
            let settings = RecastSettings::with_cell_size(Agent::default(), cell_size_m);
            match build_recast(&scene, &settings) {
                Ok(mesh) => write!(out, " {} |", mesh.polygon_count())?,
                Err(error) => write!(out, " {error} |")?,
            }
        }
        writeln!(out)?;
        courses.push(course);
    }
    let scenes = courses.len();
    writeln!(out, "\nfewer cells as chosen on {fewer} of {scenes} scenes; worst ratio {worst:.3}")?;
    if let Some(file) = chart_file {
        std::fs::write(&file, chart(&courses)).with_context(|| format!("{file} is not written"))?;
    }
    Ok(())
}

/// A chart of the share of cells that is left against the convex distance, as SVG.
fn chart(courses: &[Course]) -> String {
    let share = |c: &Course, cells: usize| 100.0 * cells as f64 / c.cells[0] as f64;
    let series: Vec<Series> = (courses.iter())
        .map(|c| Series {
            name: format!("{} ({})", c.scene, c.cells[0]),
            points: (c.cells.iter().enumerate()).map(|(i, &n)| [i as f64, share(c, n)]).collect(),
        })
        .collect();
    let distances = std::iter::once(0.0).chain(DISTANCES_M).enumerate();
    let x: Vec<_> = distances.map(|(i, m)| (i as f64, format!("{m} m"))).collect();
    let y: Vec<_> = [0, 25, 50, 75, 100].map(|p| (f64::from(p), format!("{p} %"))).to_vec();
    draw_lines(
        "cells left, of those at 0",
        &series,
        &Axis::linear("convex distance", &x),
        &Axis::linear("", &y),
        false,
    )
}
