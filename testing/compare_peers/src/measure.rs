//! Measuring tools on one scene.
//!
//! In go a scene and tools; out comes JSON. [`once`] builds with one tool and asks for everything but
//! speed: counts, memory, the checker's word; [`grow`] asks for times, in a way that is the same for
//! small scenes and large ones. [`race`] builds with several tools in turns, so that whatever else the
//! machine does slows all of them, and gives medians and spreads. [`ask_paths`] lets Detour, polyanya
//! and our own searches find the same paths on the same cells.

use crate::courses::{CourseError, Random, detour_mesh, own_mesh, random_pairs};
use crate::memory::{forget_peak, resident};
use crate::query_speed::{Micros, compare_speed};
use crate::recast::{RecastMesh, RecastSettings, build_recast};
use crate::stopwatch::ThreadClock;
use crate::tool::{Built, MOST_COLUMNS, Tool, build_with};
use navmesh_rs::detour::{DefaultFilter, NavMeshQuery, StraightPathPoint};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;
use surefoot_mesh::{Agent, Path, PathOptions, Query};
use surefoot_scene::Scene;
use surefoot_testing_scenes::Variant;

/// The most rounds of a race, where there is time for them.
const MOST_ROUNDS: usize = 9;

/// Numbers of threads that our own tools are raced with. The peers know only one.
const THREADS: [usize; 2] = [1, 2];

/// How far an end of a path may lie off the mesh along each axis.
const EXTENTS_M: [f32; 3] = [0.6, 1.8, 0.6];

/// Builds once on one thread. With samples the checker is asked too; `built` is told what is known
/// before that.
pub fn once(scene: &Scene, tool: Tool, samples: u64, built: &mut dyn FnMut(&Value)) -> Value {
    match Pools::new() {
        Ok(pools) => once_in(&pools, scene, tool, samples, built),
        Err(why) => json!({"failed": why}),
    }
}

fn once_in(
    pools: &Pools,
    scene: &Scene,
    tool: Tool,
    samples: u64,
    tell: &mut dyn FnMut(&Value),
) -> Value {
    let before = if forget_peak() { resident() } else { None };
    let (built, ms) = pools.timed(tool, scene, 1);
    let peak = before.zip(resident()).map(|(before, after)| after.peak_mib - before.now_mib);
    let built = match built {
        Ok(built) => built,
        Err(why) => return json!({"failed": why, "ms": ms}),
    };
    let mut line = json!({
        "ms": ms,
        "peak_mib": peak,
        "cells": built.cells,
        "triangles": built.triangles,
        "components": built.components,
        "area_m2": built.area_m2,
        "stages": built.stages,
    });
    if samples > 0 {
        tell(&line);
        line["samples"] = samples.into();
        match built.judge(tool, scene, samples) {
            Ok(judged) => {
                line["sound"] = judged.sound.into();
                line["complete"] = judged.complete.into();
                line["by_cell"] = judged.by_cell.to_vec().into();
            }
            Err(why) => line["not_judged"] = why.into(),
        }
    }
    line
}

/// Builds with all tools in turns until the seconds are over. Every tool has the same part of them: it
/// builds at most nine times, at least once, and three times where that takes no more than twice its
/// part. Times come in milliseconds.
pub fn race(scene: &Scene, tools: &[Tool], seconds: f64) -> Value {
    let pools = match Pools::new() {
        Ok(pools) => pools,
        Err(why) => return json!({"failed": why}),
    };
    let mut runs: Vec<(Tool, usize, Vec<f64>)> = Vec::new();
    for &tool in tools {
        let threads = if tool.is_own() { &THREADS[..] } else { &THREADS[..1] };
        runs.extend(threads.iter().map(|&t| (tool, t, Vec::new())));
    }
    let part_ms = seconds * 1e3 / runs.len().max(1) as f64;
    let goes_on = |times: &[f64]| {
        let so_far: f64 = times.iter().sum();
        let next = so_far / times.len().max(1) as f64;
        let enough = if times.len() < 3 { 2.0 * part_ms } else { part_ms };
        times.is_empty() || so_far + next <= enough
    };
    for round in 0..MOST_ROUNDS {
        for (tool, threads, times) in &mut runs {
            if times.len() == round && goes_on(times) {
                let (built, ms) = pools.timed(*tool, scene, *threads);
                if black_box(built).is_ok() {
                    times.push(ms);
                }
            }
        }
    }
    let lines = runs.into_iter().map(|(tool, threads, mut times)| {
        times.sort_by(f64::total_cmp);
        let at = |i: usize| times.get(i).copied();
        json!({
            "tool": tool.to_string(),
            "threads": threads,
            "rounds": times.len(),
            "median_ms": at(times.len() / 2),
            "least_ms": at(0),
            "most_ms": at(times.len().wrapping_sub(1)),
        })
    });
    lines.collect()
}

/// Builds so many times on one thread and, with our own tools, on two, and gives medians; the peak is
/// that of the first build. A small scene is built before, so that the first build of a small scene
/// does not pay alone for what every process pays once.
pub fn grow(scene: &Scene, tool: Tool, rounds: usize) -> Value {
    let pools = match Pools::new() {
        Ok(pools) => pools,
        Err(why) => return json!({"failed": why}),
    };
    let threads = if tool.is_own() { &THREADS[..] } else { &THREADS[..1] };
    if let Ok(small) = surefoot_testing_scenes::build(WARMING, &Variant::default()) {
        for &threads in threads {
            drop(black_box(pools.timed(tool, &small.scene, threads)));
        }
    }
    let mut first = once_in(&pools, scene, tool, 0, &mut |_| {});
    if !first["failed"].is_null() {
        return first;
    }
    let mut times = [vec![first["ms"].as_f64().unwrap_or(f64::NAN)], Vec::new()];
    for round in 0..rounds.max(1) {
        for (i, &threads) in threads.iter().enumerate() {
            if i > 0 || round > 0 {
                let (built, ms) = pools.timed(tool, scene, threads);
                times[i].push(ms);
                drop(black_box(built));
            }
        }
    }
    first["rounds"] = rounds.max(1).into();
    for (name, mut times) in ["ms", "ms_two"].into_iter().zip(times) {
        times.sort_by(f64::total_cmp);
        first[name] = times.get(times.len() / 2).copied().into();
    }
    first
}

/// The scene that a process builds before it measures growth.
const WARMING: &str = "doorways";

/// Threads that stay from build to build, as those of a program do.
struct Pools(Vec<rayon::ThreadPool>);

impl Pools {
    fn new() -> Result<Self, String> {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pools: Result<_, _> = THREADS.into_iter().map(pool).collect();
        pools.map(Self).map_err(|error| format!("no threads: {error}"))
    }

    /// Builds on one thread, or on two, and says how many milliseconds it took: on one thread its own
    /// time, on two the time of day. What was built is dropped later: that is not building.
    fn timed(&self, tool: Tool, scene: &Scene, threads: usize) -> (Result<Built, String>, f64) {
        self.0[threads.min(THREADS.len()) - 1].install(|| {
            let (own, day) = (ThreadClock::now(), Instant::now());
            let built = build_with(tool, scene);
            let day_ms = day.elapsed().as_secs_f64() * 1e3;
            (built, if threads == 1 { own.elapsed_ms() } else { day_ms })
        })
    }
}

/// Paths between random pairs of points on Recast's polygons of a scene, with cells of this size.
pub fn ask_paths(scene: &Scene, cell_size_m: f32, pairs: usize) -> Value {
    let settings = RecastSettings {
        most_columns: MOST_COLUMNS,
        ..RecastSettings::with_cell_size(Agent::default(), cell_size_m)
    };
    let built = match build_recast(scene, &settings) {
        Ok(built) => built,
        Err(error) => return json!({"failed": error.to_string()}),
    };
    match ask(&built, pairs) {
        Ok(line) => line,
        Err(error) => json!({"failed": error.to_string()}),
    }
}

fn ask(built: &RecastMesh, pairs: usize) -> Result<Value, CourseError> {
    let row = compare_speed(built, pairs, false)?;
    let both = |m: &Micros| {
        if m.count() == 0 { Value::Null } else { json!([m.at(0.5), m.at(0.95)]) }
    };
    let mut ratios = length_ratios(built, pairs)?;
    ratios.sort_by(f64::total_cmp);
    let beyond = |limit: f64| {
        let longer = ratios.iter().filter(|r| **r > limit).count();
        longer as f64 / ratios.len().max(1) as f64
    };
    Ok(json!({
        "cells": row.cells,
        "pairs": pairs,
        "found": row.optimal.count(),
        "optimal_us": both(&row.optimal),
        "portals_us": both(&row.portals),
        "detour_us": both(&row.detour),
        "polyanya_us": both(&row.polyanya),
        "locate_us": both(&row.locate),
        "none": {
            "ours_us": both(&row.none),
            "detour_us": both(&row.detour_none),
            "polyanya_us": both(&row.polyanya_none),
        },
        "detour_longer": {
            "compared": ratios.len(),
            "mean": ratios.iter().sum::<f64>() / ratios.len().max(1) as f64,
            "most": ratios.last(),
            "beyond_1_percent": beyond(1.01),
            "beyond_5_percent": beyond(1.05),
        },
    }))
}

/// How much longer Detour's paths are than the shortest ones, in plan, for pairs that both connect.
fn length_ratios(built: &RecastMesh, pairs: usize) -> Result<Vec<f64>, CourseError> {
    let mesh = own_mesh(built)?;
    let detour = detour_mesh(built)?;
    let mut query = Query::new(&mesh);
    let pairs = random_pairs(&mut query, pairs, &mut Random(12_345));
    query.set_extents(EXTENTS_M);
    let mut theirs = NavMeshQuery::new(&detour, 8192).map_err(CourseError::Detour)?;
    let filter = DefaultFilter::default();
    let (mut polygons, mut corners) = (Vec::new(), Vec::new());
    let mut path = Path::default();
    let mut ratios = Vec::new();
    for pair in &pairs {
        if query.find_path_into(pair[0], pair[1], &PathOptions::default(), &mut path).is_err() {
            continue;
        }
        let [from, to] = pair.map(|p| p.map(|c| c as f32));
        let ends = (
            theirs.find_nearest_poly(&from, &EXTENTS_M, &filter),
            theirs.find_nearest_poly(&to, &EXTENTS_M, &filter),
        );
        let (Ok((a, at_a, _)), Ok((b, at_b, _))) = ends else { continue };
        polygons.clear();
        corners.clear();
        let found = theirs.find_path(a, b, &at_a, &at_b, &filter, &mut polygons, 1024).is_ok()
            && polygons.last() == Some(&b)
            && (theirs.find_straight_path(&at_a, &at_b, &polygons, &mut corners, 512, 0)).is_ok();
        // A path of a step or two says nothing about a search.
        if found && path.plan_length_m > 1.0 {
            ratios.push(plan_length_m(&corners) / path.plan_length_m);
        }
    }
    Ok(ratios)
}

fn plan_length_m(corners: &[StraightPathPoint]) -> f64 {
    let leg = |c: &[StraightPathPoint]| {
        let along = |k: usize| f64::from(c[1].pos[k]) - f64::from(c[0].pos[k]);
        along(0).hypot(along(2))
    };
    corners.windows(2).map(leg).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_testing_scenes::build;

    #[test]
    fn a_scene_is_measured_raced_and_asked() {
        let scene = build("pillars", &Variant { size: Some(2), ..Variant::default() }).unwrap();
        let tools = [Tool::Exact, Tool::Recast(0.3)];
        for tool in tools {
            let mut told = Vec::new();
            let line = once(&scene.scene, tool, 50, &mut |built| told.push(built.clone()));
            assert!(told.len() == 1 && told[0]["sound"].is_null(), "{told:?}");
            assert_eq!(told[0]["cells"], line["cells"]);
            assert!(line["failed"].is_null() && line["cells"].as_u64() > Some(0), "{line}");
            assert!(line["sound"].as_f64().is_some(), "{line}");
        }
        let lines = race(&scene.scene, &tools, 0.01);
        let lines = lines.as_array().unwrap();
        assert_eq!(lines.len(), 3, "two numbers of threads for ours, one for the peer");
        assert!(lines.iter().all(|l| l["median_ms"].as_f64() > Some(0.0)), "{lines:?}");
        let grown = grow(&scene.scene, Tool::Exact, 1);
        assert!(
            grown["ms"].as_f64() > Some(0.0) && grown["ms_two"].as_f64() > Some(0.0),
            "{grown}"
        );
        assert_eq!(grown["rounds"], 1);
        let paths = ask_paths(&scene.scene, 0.3, 20);
        assert_eq!(paths["found"], 20, "{paths}");
        // The shortest path is not longer than another.
        assert!(paths["detour_longer"]["mean"].as_f64() > Some(0.999), "{paths}");
    }

    #[test]
    fn a_tool_that_fails_says_so() {
        let line = once(&Scene::default(), Tool::Recast(0.3), 10, &mut |_| {});
        assert!(line["failed"].as_str().is_some_and(|w| w.contains("empty")), "{line}");
        assert!(ask_paths(&Scene::default(), 0.3, 10)["failed"].is_string());
    }
}
