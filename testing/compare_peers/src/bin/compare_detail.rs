//! The detail that a mesh keeps, and what it costs: the comparison of Sanchez 2021, §3.2, made anew.
//!
//! `compare-detail [ANGLE...]` builds three scenes with known answers, at 0° or at the angles given, by
//! the exact pipeline and by Recast at falling cell sizes, in one process on one thread, and prints a
//! Markdown table: time (median of five, alternating), triangles, and how many of the scene's answers
//! come out right: ways that are open or closed, points that are ground or not, and edges of the ground
//! within 5 mm.

use anyhow::{Context, Result};
use std::io::Write;
use std::time::Instant;
use surefoot_bake::{Agent, BakeSettings, Baker};
use surefoot_compare_peers::{RecastSettings, agent_of, build_recast, own_mesh};
use surefoot_mesh::{NavMesh, Query};
use surefoot_testing_scenes::{ProceduralScene, Variant, build};

const SCENES: [&str; 3] = ["doorways", "spiral-maze", "overhang"];

const CELL_SIZES_M: [f32; 7] = [0.3, 0.2, 0.1, 0.05, 0.04, 0.03, 0.02];

const RUNS: usize = 5;

/// How far off a point of the mesh may be in plan, in metres.
const NEAR_M: f64 = 0.005;

/// Answers of one kind: how many are right, of how many.
#[derive(Clone, Copy, Default)]
struct Score {
    right: usize,
    asked: usize,
}

impl Score {
    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.asked += 1;
    }
}

#[derive(Clone, Copy, Default)]
struct Answers {
    ways: Score,
    points: Score,
    edges: Score,
}

impl Answers {
    fn of(mesh: &NavMesh, scene: &ProceduralScene) -> Self {
        let truth = &scene.truth;
        let mut query = Query::new(mesh);
        let mut answers = Self::default();
        for pair in truth.pairs.iter().filter(|p| p.gap_reach_m <= 0.0) {
            answers.ways.add(query.find_path(pair.from, pair.to).is_ok() == pair.connected);
        }
        let on_mesh = |p: [f64; 3], near: f64| query.nearest(p, [near, 0.3, near]).is_some();
        for &p in &truth.free_points {
            answers.points.add(on_mesh(p, NEAR_M));
        }
        for &p in truth.eroded_points.iter().chain(&truth.blocked_points) {
            answers.points.add(!on_mesh(p, NEAR_M));
        }
        for edge in &truth.edges {
            let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (edge.a[k] + edge.b[k]));
            let away = |d: f64| std::array::from_fn(|k| middle[k] + edge.free_side[k] * d);
            let radius = truth.agent.radius_m;
            let early = !on_mesh(away(radius + NEAR_M), 0.1 * NEAR_M);
            let late = on_mesh(away(radius - NEAR_M), 0.1 * NEAR_M);
            answers.edges.add(!early && !late);
        }
        answers
    }
}

/// A builder with its times and its last mesh.
struct Row {
    name: String,
    cell_size_m: Option<f32>,
    times_ms: Vec<f64>,
    outcome: Result<(usize, Answers), String>,
}

fn triangles(mesh: &NavMesh) -> usize {
    mesh.cells().map(|c| mesh.cell_vertices(c).len().saturating_sub(2)).sum()
}

fn build_once(row: &mut Row, scene: &ProceduralScene, agent: Agent) {
    let start = Instant::now();
    match row.cell_size_m {
        None => {
            let settings = BakeSettings { agent, min_area_m2: 0.0, ..BakeSettings::default() };
            let baked = Baker::new(&settings).bake(&scene.scene);
            row.times_ms.push(start.elapsed().as_secs_f64() * 1e3);
            row.outcome = baked
                .map(|b| (triangles(&b.mesh), Answers::of(&b.mesh, scene)))
                .map_err(|e| e.to_string());
        }
        Some(size) => {
            let settings =
                RecastSettings { min_area_m2: 0.0, ..RecastSettings::with_cell_size(agent, size) };
            let built = build_recast(&scene.scene, &settings);
            row.times_ms.push(start.elapsed().as_secs_f64() * 1e3);
            row.outcome = built.map_err(|e| e.to_string()).and_then(|b| {
                let mesh = own_mesh(&b).map_err(|e| e.to_string())?;
                Ok((triangles(&mesh), Answers::of(&mesh, scene)))
            });
        }
    }
}

fn compare(name: &str, rotate_deg: f64, out: &mut impl Write) -> Result<()> {
    let variant = Variant { rotate_deg, seed: 1, ..Variant::default() };
    let scene = build(name, &variant).context("the scene exists")?;
    let agent = agent_of(&scene.truth.agent);
    let row = |name: String, cell_size_m| Row {
        name,
        cell_size_m,
        times_ms: Vec::new(),
        outcome: Err("not built".to_owned()),
    };
    let mut rows = vec![row("exact".to_owned(), None)];
    for size in CELL_SIZES_M {
        rows.push(row(format!("Recast, {size} m"), Some(size)));
    }
    for _ in 0..RUNS {
        for row in &mut rows {
            build_once(row, &scene, agent);
        }
    }
    for row in &mut rows {
        row.times_ms.sort_by(f64::total_cmp);
        let median = row.times_ms[row.times_ms.len() / 2];
        write!(out, "| {name}, {rotate_deg}° | {} | {median:.1} |", row.name)?;
        match &row.outcome {
            Ok((triangles, a)) => {
                let score = |s: Score| match s.asked {
                    0 => "-".to_owned(),
                    _ => format!("{} of {}", s.right, s.asked),
                };
                writeln!(
                    out,
                    " {triangles} | {} | {} | {} |",
                    score(a.ways),
                    score(a.points),
                    score(a.edges)
                )?;
            }
            Err(e) => writeln!(out, " {e} | | | |")?,
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let angles: Vec<f64> = std::env::args()
        .skip(1)
        .map(|a| a.parse().with_context(|| format!("`{a}` is no angle in degrees")))
        .collect::<Result<_>>()?;
    let angles = if angles.is_empty() { vec![0.0] } else { angles };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "| scene | builder | ms | triangles | ways | points | edges |")?;
        writeln!(out, "|---|---|---:|---:|---|---|---|")?;
        for &angle in &angles {
            for name in SCENES {
                compare(name, angle, &mut out)?;
            }
        }
        Ok(())
    })
}
