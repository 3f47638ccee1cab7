//! Surefoot and its peers on the same scenes.
//!
//! - `compare-peers all [--seconds N] [--only SCENE]... [--out FOLDER] [--date DATE] [--machine NAME]
//!   [FOLDER]`: every procedural scene, the files of a folder and series of sizes, by every tool, as a
//!   document with charts; without `--out` it is printed. `cargo xtask compare` is the way to run it.
//! - `compare-peers race SCENE SECONDS TOOL...`: builds in turns, one JSON object for each tool and
//!   number of threads.
//! - `compare-peers once SCENE TOOL SAMPLES`, `grow SCENE TOOL ROUNDS`, `paths SCENE CELL PAIRS`: the
//!   other questions of the comparison, each answered by one JSON object.
//! - `compare-peers judge FILE [--samples N] [--most-columns N] [--cell-size M]...`: a mesh by Recast at
//!   each cell size, one JSON object a line: how long it took, its polygons and components, and what the
//!   checker says, once with the tolerance that exact meshes are held to and once with one of a cell.
//!
//! All but `all` and `judge` first say in a line that the scene is loaded, and `once` gives its answer
//! twice if the checker is asked: before and after.
//!
//! A scene is a file, or the name of a procedural scene with an optional size as in `terrain:512`. A
//! tool is `exact`, or `"voxel 0.1"`, `"layered 0.05"`, `"Recast 0.1"`, `"rerecast 0.1"`.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use surefoot_compare_peers::{
    RecastSettings, SuiteSettings, Tool, ask_paths, build_recast, compare_all, grow, load_scene,
    once, race, ready_line, say, write_document,
};
use surefoot_mesh::Agent;
use surefoot_scene::Scene;
use surefoot_verify::{Report, VerifySettings, mesh_from_scene, verify};

const USAGE: &str =
    "compare-peers all | race | once | grow | paths | judge; see the head of its source";

/// Cell sizes unless told otherwise, in metres.
const CELL_SIZES_M: [f32; 3] = [0.3, 0.1, 0.05];

/// How long the whole comparison may take unless told otherwise, in seconds on a quiet machine.
const SECONDS: f64 = 1080.0;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["all", rest @ ..] => all(rest),
        ["judge", rest @ ..] => judge(rest),
        ["race", scene, seconds, tools @ ..] => {
            let tools: Vec<Tool> = tools.iter().map(|t| t.parse()).collect::<Result<_, _>>()?;
            print(&race(&ready(scene)?, &tools, seconds.parse()?))
        }
        ["once", scene, tool, samples] => {
            let scene = ready(scene)?;
            print(&once(&scene, tool.parse()?, samples.parse()?, &mut |built| {
                // Who does not read this does not read the end either.
                let _ = print(built);
            }))
        }
        ["grow", scene, tool, rounds] => {
            print(&grow(&ready(scene)?, tool.parse()?, rounds.parse()?))
        }
        ["paths", scene, cell_size_m, pairs] => {
            print(&ask_paths(&ready(scene)?, cell_size_m.parse()?, pairs.parse()?))
        }
        _ => bail!("{USAGE}"),
    }
}

/// Loads a scene and says so: what follows is work on it.
fn ready(scene: &str) -> Result<Scene> {
    let scene = load_scene(scene)?;
    print(&ready_line())?;
    Ok(scene)
}

fn print(line: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

fn all(words: &[&str]) -> Result<()> {
    let mut settings = SuiteSettings { seconds: SECONDS, ..SuiteSettings::default() };
    let (mut out, mut date, mut machine) = (None, "today", "this machine");
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().copied().with_context(|| format!("{word} needs a value"));
        match word {
            "--seconds" => settings.seconds = value()?.parse()?,
            "--only" => settings.only.push(value()?.to_owned()),
            "--out" => out = Some(PathBuf::from(value()?)),
            "--date" => date = value()?,
            "--machine" => machine = value()?,
            flag if flag.starts_with("--") => bail!("what is `{flag}`? {USAGE}"),
            folder => settings.folder = Some(folder.into()),
        }
    }
    let measured = compare_all(&settings, &say)?;
    let written = write_document(&measured, date, machine);
    let Some(out) = out else {
        return Ok(std::io::stdout().lock().write_all(written.markdown.as_bytes())?);
    };
    std::fs::create_dir_all(&out).with_context(|| format!("{} is no folder", out.display()))?;
    let write = |name: String, text: &str| {
        let place = out.join(name);
        std::fs::write(&place, text).with_context(|| format!("{} is not written", place.display()))
    };
    write("compare.json".to_owned(), &(serde_json::to_string(&measured)? + "\n"))?;
    write("compare.md".to_owned(), &written.markdown)?;
    for (name, svg) in written.charts {
        write(name, &svg)?;
    }
    Ok(())
}

fn judge(words: &[&str]) -> Result<()> {
    let mut file: Option<PathBuf> = None;
    let mut samples = 10_000;
    let mut most_columns = None;
    let mut cell_sizes: Vec<f32> = Vec::new();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a number"));
        match word {
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
        print(&line)?;
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
        "inside_m2": report.inside_m2,
        "unsound_at": report.unsound.iter().map(|f| f.at).collect::<Vec<_>>(),
        "uncovered_at": report.uncovered.iter().map(|f| f.at).collect::<Vec<_>>(),
    })
}
