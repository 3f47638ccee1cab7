//! Path queries beside other tools.
//!
//! - `compare-queries speed [FOLDER]`: times beside Detour and polyanya on the same cells of three
//!   scenes, as a table. FOLDER holds `recast_nav_test.obj` and `recast_dungeon.obj`.
//! - `compare-queries repeat [FOLDER] [--seconds N] [--scene NAME] [--algorithm optimal|portals|locate]`:
//!   asks ours alone again and again, for a profiler, and says how many queries a second that is.
//! - `compare-queries lengths [--pairs N] [--scenes FOLDER] [MESH...]`: lengths beside polyanya's and
//!   A*'s, on twenty built-in scenes, on the real ones of a folder and a dozen built-in ones, or on
//!   mesh files.
//! - `compare-queries clearance [--pairs N]`: wider agents on the mesh of a narrow one beside meshes
//!   of their own, ten scenes, five radii.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use surefoot_bake::{BakeSettings, Method, bake};
use surefoot_compare_peers::{
    Asked, LengthTally, Random, RecastSettings, SpeedRow, build_recast, compare_clearance,
    compare_lengths, compare_speed, random_pairs, repeat_queries,
};
use surefoot_mesh::{Agent, NavMesh, Query};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};

const USAGE: &str = "compare-queries speed [FOLDER] | repeat [FOLDER] | lengths [--pairs N] \
                     [--scenes FOLDER] [MESH...] | clearance [--pairs N]";

/// Scenes for lengths, with their sizes: mazes with wide rooms, buildings of several storeys, open
/// ground, many small obstacles.
const LENGTH_SCENES: [(&str, u32); 20] = [
    ("maze", 8),
    ("maze", 14),
    ("spiral-maze", 2),
    ("doorways", 8),
    ("pillars", 6),
    ("pillars", 10),
    ("floors", 3),
    ("floors", 4),
    ("holes", 2),
    ("platforms", 1),
    ("terrace-house", 1),
    ("town-house", 1),
    ("stairs", 8),
    ("testmap-0", 1),
    ("testmap-1", 1),
    ("testmap-2", 1),
    ("testmap-3", 1),
    ("terrain", 48),
    ("city", 1),
    ("overhang", 2),
];

/// Real scenes for lengths, and how many of their units a metre is. Agent and lengths are the defaults,
/// times that.
const REAL_SCENES: [(&str, f64); 8] = [
    ("recast_nav_test.obj", 1.0),
    ("recast_dungeon.obj", 1.0),
    ("duplex_apartment.obj", 1.0),
    ("small_house.glb", 1.0),
    ("small_city.glb", 1.0),
    ("librequake_e2m3.obj", 1.0),
    ("sauerbraten_zdm2.obj", 8.0),
    ("collapsed_police_station.obj", 1.0),
];

/// The built-in scenes that join the real ones: mazes with wide rooms, storeys, open ground.
const SCENES_BESIDE: [(&str, u32); 12] = [
    ("maze", 14),
    ("spiral-maze", 2),
    ("doorways", 8),
    ("pillars", 10),
    ("floors", 3),
    ("floors", 4),
    ("holes", 2),
    ("terrace-house", 1),
    ("town-house", 1),
    ("testmap-2", 1),
    ("testmap-3", 1),
    ("terrain", 48),
];

/// Scenes for clearance, with their sizes.
const CLEARANCE_SCENES: [(&str, u32); 10] = [
    ("maze", 8),
    ("doorways", 8),
    ("pillars", 6),
    ("floors", 3),
    ("holes", 1),
    ("terrace-house", 1),
    ("town-house", 1),
    ("testmap-1", 1),
    ("testmap-2", 1),
    ("overhang", 1),
];

/// The mesh's radius, and the wider ones asked for, in metres.
const NARROW_M: f64 = 0.2;
const WIDE_M: [f64; 5] = [0.25, 0.3, 0.4, 0.55, 0.75];

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let command = words.next().with_context(|| format!("what to compare? {USAGE}"))?;
    let mut pairs = None;
    let mut files: Vec<PathBuf> = Vec::new();
    let (mut seconds, mut scene, mut folder, mut asked) = (1.0, None, None, Asked::Optimal);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => seconds = words.next().context("--seconds needs a number")?.parse()?,
            "--scenes" => folder = Some(words.next().context("--scenes needs a folder")?),
            "--scene" => scene = Some(words.next().context("--scene needs a name")?),
            "--algorithm" => {
                asked = match words.next().as_deref() {
                    Some("optimal") => Asked::Optimal,
                    Some("portals") => Asked::Portals,
                    Some("locate") => Asked::Locate,
                    _ => bail!("--algorithm needs optimal, portals or locate"),
                }
            }
            "--pairs" => pairs = Some(words.next().context("--pairs needs a number")?.parse()?),
            _ => files.push(word.into()),
        }
    }
    match command.as_str() {
        "speed" => speed(files.first().map_or(Path::new("scenes"), |f| f), pairs.unwrap_or(10_000)),
        "repeat" => {
            let folder = files.first().map_or(Path::new("scenes"), |f| f);
            repeat(folder, pairs.unwrap_or(10_000), scene.as_deref(), asked, seconds)
        }
        "lengths" => lengths(&files, folder.as_deref().map(Path::new), pairs.unwrap_or(10_000)),
        "clearance" => clearance(pairs.unwrap_or(2_000)),
        other => bail!("what is `{other}`? {USAGE}"),
    }
}

fn say(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

fn procedural(name: &str, size: u32) -> Result<Scene> {
    Ok(build(name, &Variant { size: Some(size), ..Variant::default() })?.scene)
}

fn speed_scenes(folder: &Path) -> Result<[(&'static str, Scene); 3]> {
    Ok([
        ("recast_nav_test", Scene::load(folder.join("recast_nav_test.obj"))?),
        ("recast_dungeon", Scene::load(folder.join("recast_dungeon.obj"))?),
        ("terrain, 64 cells a side", procedural("terrain", 64)?),
    ])
}

fn repeat(
    folder: &Path,
    pairs: usize,
    only: Option<&str>,
    asked: Asked,
    seconds: f64,
) -> Result<()> {
    for (name, scene) in speed_scenes(folder)? {
        if only.is_some_and(|o| !name.contains(o)) {
            continue;
        }
        let settings = RecastSettings::with_cell_size(Agent::default(), 0.1);
        let row = repeat_queries(&build_recast(&scene, &settings)?, pairs, asked, seconds)?;
        say(&format!(
            "{name}: {:.0} a second, {:.3} µs each at best, {:.1} nodes",
            row.per_second, row.best_micros, row.nodes
        ))?;
    }
    Ok(())
}

fn speed(folder: &Path, pairs: usize) -> Result<()> {
    let scenes = speed_scenes(folder)?;
    say(
        "| scene | cells | Detour | polyanya | optimal | A* | locating both ends | optimal / Detour | polyanya / optimal | A* / Detour | no path: Detour, polyanya, ours beyond locating | 2 threads | 2 loops apart |",
    )?;
    say("|---|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    for (name, scene) in scenes {
        let settings = RecastSettings::with_cell_size(Agent::default(), 0.1);
        let row = compare_speed(&build_recast(&scene, &settings)?, pairs, true)?;
        say(&speed_line(name, &row))?;
    }
    Ok(())
}

fn speed_line(name: &str, row: &SpeedRow) -> String {
    let both = |m: &surefoot_compare_peers::Micros| format!("{:.2} / {:.1}", m.at(0.5), m.at(0.95));
    let ratio = |a: f64, b: f64| a / b;
    let (detour, optimal) = (row.detour.at(0.5), row.optimal.at(0.5));
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {:.2} | {:.1} | {:.2} | {:.1}, {:.1}, {:.2} | {:.2} | {:.2} |",
        row.cells,
        both(&row.detour),
        both(&row.polyanya),
        both(&row.optimal),
        both(&row.portals),
        both(&row.locate),
        ratio(optimal, detour),
        ratio(row.polyanya.at(0.5), optimal),
        ratio(row.portals.at(0.5), detour),
        row.detour_none.at(0.5),
        row.polyanya_none.at(0.5),
        row.none.at(0.5) - row.locate_none.at(0.5),
        row.per_second[1] / row.per_second[0],
        row.per_second_apart[1] / row.per_second_apart[0],
    )
}

fn lengths(files: &[PathBuf], folder: Option<&Path>, pairs: usize) -> Result<()> {
    let mut faults = 0;
    let mut compare = |name: &str, mesh: &NavMesh| -> Result<()> {
        let all = random_pairs(&mut Query::new(mesh), pairs, &mut Random(7));
        let tally = compare_lengths(mesh, &all);
        faults += tally.faults();
        say(&length_line(name, mesh, &tally))
    };
    say(
        "| mesh | cells | pairs | found | asked of polyanya | same | ours shorter | only ours | ours longer | missed | longer than A* | not clear | fallbacks |",
    )?;
    say("|---|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    if let Some(folder) = folder {
        for (name, units_per_m) in REAL_SCENES {
            let scene = Scene::load(folder.join(name))?;
            compare(name, &bake(&scene, &scaled_settings(units_per_m))?)?;
        }
    }
    if files.is_empty() {
        let built_in: &[_] = if folder.is_some() { &SCENES_BESIDE } else { &LENGTH_SCENES };
        for &(name, size) in built_in {
            let mesh = bake(&procedural(name, size)?, &BakeSettings::default())?;
            compare(&format!("{name} {size}"), &mesh)?;
        }
    }
    for file in files {
        let mesh = NavMesh::load(file)?;
        compare(&file.display().to_string(), &mesh)?;
    }
    if faults > 0 {
        bail!("{faults} faults");
    }
    Ok(())
}

/// The defaults where a metre is so many units.
fn scaled_settings(units_per_m: f64) -> BakeSettings {
    let mut settings = BakeSettings::default();
    let lengths = [
        &mut settings.agent.height_m,
        &mut settings.agent.radius_m,
        &mut settings.agent.max_step_m,
        &mut settings.gap_distance_m,
        &mut settings.wall_thickness_m,
    ];
    lengths.into_iter().for_each(|length| *length *= units_per_m);
    settings.min_area_m2 *= units_per_m * units_per_m;
    if let Method::Exact(exact) = &mut settings.method {
        exact.tolerance_m *= units_per_m;
    }
    settings
}

fn length_line(name: &str, mesh: &NavMesh, t: &LengthTally) -> String {
    let mut line = format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        mesh.cell_count(),
        t.pairs,
        t.found,
        t.compared,
        t.same,
        t.shorter,
        t.only_ours,
        t.longer,
        t.missed,
        t.longer_than_portals,
        t.not_clear,
        t.fallbacks
    );
    for example in &t.examples {
        line.push_str(&format!("\n  {example}"));
    }
    line
}

fn clearance(pairs: usize) -> Result<()> {
    say(
        "| scene | radius, m | pairs | both | neither | critical | differ | other length | greatest difference of lengths | too near | least margin, mm |",
    )?;
    say("|---|---|---|---|---|---|---|---|---|---|---|")?;
    let mut faults = 0;
    for (name, size) in CLEARANCE_SCENES {
        let scene = procedural(name, size)?;
        for wide_m in WIDE_M {
            let t = compare_clearance(&scene, NARROW_M, wide_m, pairs, &mut Random(9))?;
            faults += t.faults();
            say(&format!(
                "| {name} {size} | {wide_m} | {} | {} | {} | {} | {} | {} | {:.4} % | {} | {:.3} |",
                t.pairs,
                t.both,
                t.neither,
                t.critical,
                t.differ,
                t.other_length,
                t.worst_length * 100.0,
                t.too_near,
                t.least_margin_m * 1e3
            ))?;
            for example in &t.examples {
                say(&format!("  {example}"))?;
            }
        }
    }
    if faults > 0 {
        bail!("{faults} faults");
    }
    Ok(())
}
