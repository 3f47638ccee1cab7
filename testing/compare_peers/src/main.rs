//! Other tools' meshes of the same scenes, judged by the same rule.
//!
//! `compare-peers SCENE [--samples N] [--most-columns N] [--cell-size M]...`: builds a mesh of a scene
//! file with Recast at each cell size and prints one JSON object a line: how long it took, its
//! polygons and components, and what the checker says, once with the tolerance that exact meshes are
//! held to and once with a tolerance of one cell.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use surefoot_compare_peers::{RecastSettings, build_recast};
use surefoot_mesh::Agent;
use surefoot_scene::Scene;
use surefoot_verify::{Report, VerifySettings, mesh_from_scene, verify};

const USAGE: &str = "compare-peers SCENE [--samples N] [--most-columns N] [--cell-size M]...";

/// Cell sizes unless told otherwise, in metres.
const CELL_SIZES_M: [f32; 3] = [0.3, 0.1, 0.05];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut file: Option<PathBuf> = None;
    let mut samples = 10_000;
    let mut most_columns = None;
    let mut cell_sizes: Vec<f32> = Vec::new();
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{word} needs a number"));
        match word.as_str() {
            "--samples" => samples = value()?.parse()?,
            "--most-columns" => most_columns = Some(value()?.parse()?),
            "--cell-size" => cell_sizes.push(value()?.parse()?),
            _ if file.is_none() => file = Some(word.into()),
            other => bail!("what is `{other}`? {USAGE}"),
        }
    }
    let file = file.with_context(|| format!("which scene? {USAGE}"))?;
    if cell_sizes.is_empty() {
        cell_sizes.extend(CELL_SIZES_M);
    }
    let scene = Scene::load(&file)?;
    for cell_size in cell_sizes {
        let mut settings = RecastSettings::with_cell_size(Agent::default(), cell_size);
        settings.most_columns = most_columns.unwrap_or(settings.most_columns);
        let line = compare(&scene, &settings, samples).unwrap_or_else(|error| {
            json!({"peer": "Recast", "cell_size_m": cell_size, "failed": format!("{error:#}")})
        });
        writeln!(std::io::stdout().lock(), "{line}")?;
    }
    Ok(())
}

fn compare(scene: &Scene, settings: &RecastSettings, samples: u64) -> Result<Value> {
    let start = Instant::now();
    let built = build_recast(scene, settings)?;
    let built_ms = start.elapsed().as_secs_f64() * 1e3;
    let triangles = built.triangles();
    let surface = Scene::from_triangles(&triangles.points, &triangles.corners)?;
    let data = mesh_from_scene(&surface, settings.agent, [0.0, 1.0, 0.0])?;
    let (cell_m, height_m) = (f64::from(settings.cell_size_m), f64::from(settings.cell_height_m));
    let by_cell = VerifySettings::for_voxels(cell_m, height_m);
    // The plan is held to the exact rule; heights are those of its cells whatever the rule.
    let exact = VerifySettings::default();
    let by_exact = VerifySettings {
        height_tolerance_m: by_cell.height_tolerance_m.max(exact.height_tolerance_m),
        ..exact
    };
    let judge = |rule: VerifySettings| {
        let report = verify(&data, scene, &VerifySettings { samples, worst: 3, ..rule }, &|_| {});
        summary(&report)
    };
    Ok(json!({
        "peer": "Recast",
        "cell_size_m": settings.cell_size_m,
        "ms": built_ms.round(),
        "polygons": built.polygon_count(),
        "components": built.polygons().component_count(),
        "exact_rule": judge(by_exact),
        "cell_rule": judge(by_cell),
    }))
}

fn summary(report: &Report) -> Value {
    let by_reason: serde_json::Map<String, Value> =
        report.unsound_by_reason.iter().map(|(r, &n)| (r.name().to_owned(), n.into())).collect();
    json!({
        "sound": report.sound.value(),
        "unsound_by_reason": by_reason,
        "complete": report.complete.value(),
        "unsound_at": report.unsound.iter().map(|f| f.at).collect::<Vec<_>>(),
        "uncovered_at": report.uncovered.iter().map(|f| f.at).collect::<Vec<_>>(),
    })
}
