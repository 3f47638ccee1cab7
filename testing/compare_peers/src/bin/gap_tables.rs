//! What gap annotation does on the scenes of its source, as tables in Markdown on standard output:
//! components before and after, areas, time, and how many of many random pairs of points have a path
//! for agents of five widths, beside Recast's mesh of the same scene.
//!
//! Follows Vermeulen et al. 2018, §VI: both meshes are built for an agent without a radius, Recast with
//! a climb height of the reach and without its three filters; then wider agents are asked for on them,
//! with the same search on both.

use anyhow::{Context, Result};
use rayon::prelude::*;
use std::io::Write;
use std::sync::Arc;
use surefoot_bake::{BakeSettings, Baked, Baker};
use surefoot_compare_peers::{Pair, Random, RecastSettings, build_recast, own_mesh, random_pairs};
use surefoot_mesh::{Agent, Clearance, NavMesh, Query};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};

/// Widths of agents, in metres.
const WIDTHS_M: [f64; 5] = [0.0, 0.1, 0.2, 0.4, 0.6];

const PAIRS: usize = 100_000;

/// The side of Recast's cells, in metres: the smallest that the source used.
const CELL_M: f32 = 0.1;

/// How far a point may lie from a mesh in plan, in metres: Recast's borders are off by a cell.
const BESIDE_M: f64 = 0.1;

/// A scene and the reaches that it is filled with.
const SCENES: [(&str, &[f64]); 5] = [
    ("holes", &[0.1, 0.25, 0.5, 1.0]),
    ("platforms", &[0.5]),
    ("terrace-house", &[0.3]),
    ("town-house", &[0.3]),
    ("grates", &[0.05]),
];

fn agent(max_step_m: f64) -> Agent {
    // High enough for a reach of 1 m, which must be less than half of it.
    Agent { radius_m: 0.0, height_m: 2.1, max_step_m, ..Agent::default() }
}

fn bake(scene: &Scene, reach_m: f64) -> Result<Baked> {
    let settings = BakeSettings {
        agent: agent(Agent::default().max_step_m),
        min_area_m2: 0.0,
        fill_gaps_m: reach_m,
        ..BakeSettings::default()
    };
    Ok(Baker::new(&settings).bake(scene)?)
}

/// The share of pairs that have a path for an agent of a width.
fn share_found(mesh: &NavMesh, pairs: &[Pair], width_m: f64) -> Result<f64> {
    let clearance = match width_m {
        w if w > 0.0 => Some(Arc::new(Clearance::new(mesh, 0.5 * w)?)),
        _ => None,
    };
    let found: Result<Vec<usize>> = pairs
        .par_chunks(1_000)
        .map(|pairs| {
            let mut query = Query::new(mesh);
            query.set_extents([BESIDE_M, 0.5, BESIDE_M]);
            if let Some(clearance) = &clearance {
                query.set_clearance(Arc::clone(clearance))?;
            }
            Ok(pairs.iter().filter(|[from, to]| query.find_path(*from, *to).is_ok()).count())
        })
        .collect();
    Ok(found?.into_iter().sum::<usize>() as f64 / pairs.len().max(1) as f64)
}

fn main() -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut shares = Vec::new();
    writeln!(
        out,
        "| scene | reach, m | boundary edges | components before | after | ground, m² | fillers, m² | fill_gaps, ms | whole build, ms |"
    )?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    for (name, reaches) in SCENES {
        let scene = build(name, &Variant::default())?.scene;
        let without = bake(&scene, 0.0)?;
        let mut query = Query::new(&without.mesh);
        let pairs = random_pairs(&mut query, PAIRS, &mut Random(1));
        for &reach_m in reaches {
            let baked = bake(&scene, reach_m)?;
            let summary = baked.mesh.summary();
            let stage = baked.report.stages.iter().find(|s| s.name == "fill_gaps");
            let stage = stage.context("the stage is missing from the report")?;
            let count =
                |name: &str| stage.counts.iter().find(|c| c.0 == name).map_or(f64::NAN, |c| c.1);
            let total_ms: f64 = baked.report.stages.iter().map(|s| s.ms).sum();
            writeln!(
                out,
                "| {name} | {reach_m} | {} | {} | {} | {:.3} | {:.3} | {:.1} | {total_ms:.0} |",
                count("boundary_edges"),
                without.mesh.summary().components,
                summary.components,
                summary.area_m2 - summary.gap_area_m2,
                summary.gap_area_m2,
                stage.ms,
            )?;
            let mut settings = RecastSettings::with_cell_size(agent(reach_m), CELL_M);
            (settings.min_area_m2, settings.filters) = (0.0, false);
            settings.cell_height_m = 0.05;
            let peer = build_recast(&scene, &settings).ok().and_then(|m| own_mesh(&m).ok());
            shares.push((name, reach_m, "without fillers", row(Some(&without.mesh), &pairs)?));
            shares.push((name, reach_m, "with fillers", row(Some(&baked.mesh), &pairs)?));
            shares.push((name, reach_m, "Recast", row(peer.as_ref(), &pairs)?));
        }
    }
    writeln!(out)?;
    write!(out, "| scene | reach, m | mesh |")?;
    for width_m in WIDTHS_M {
        write!(out, " {width_m} m |")?;
    }
    writeln!(out, "\n|---|---:|---|{}", "---:|".repeat(WIDTHS_M.len()))?;
    for (name, reach_m, mesh, row) in shares {
        write!(out, "| {name} | {reach_m} | {mesh} |")?;
        for share in row {
            match share {
                Some(share) => write!(out, " {:.1} % |", 100.0 * share)?,
                None => write!(out, " - |")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The shares for all widths; nothing where there is no mesh.
fn row(mesh: Option<&NavMesh>, pairs: &[Pair]) -> Result<Vec<Option<f64>>> {
    WIDTHS_M.iter().map(|&w| mesh.map(|m| share_found(m, pairs, w)).transpose()).collect()
}
