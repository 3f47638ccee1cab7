//! Measures how the cost of the partition by notches grows.
//!
//! `cargo run --release -p surefoot_bake --example partition_speed` prints, for floors full of
//! star-shaped pillars, the vertices, the notches, the cells, the mean of some runs, and the exponent
//! of the growth since the first size. The first floor has the 965 vertices of the largest test
//! of the source. Time is what the processor spent where the system tells it (Linux), so that other
//! work on the machine counts little, and time on the clock elsewhere.

use std::io::Write;
use std::sync::LazyLock;
use std::time::Instant;
use surefoot_bake::{CellShape, PartitionSettings, partition_polygon};
use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::{Contour, Polygon};

/// A floor with pillars of 15 corners, of which most are notches of the floor.
fn floor(pillars: usize, seed: u64) -> Polygon {
    let side = (pillars as f64).sqrt().ceil() as usize;
    let step = 65536.0 * 2.0;
    let size = step * side as f64;
    let p = |x: f64, y: f64| LatticePoint::from_units(x, y);
    let mut contours: Vec<Contour> = vec![vec![
        p(0.0, 0.0),
        p(size, 0.0),
        p(size, size),
        p(0.5 * size, size * 1.1),
        p(0.0, size),
    ]];
    let mut state = seed;
    let mut share = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    for i in 0..pillars {
        let at = ((i % side) as f64 + 0.5, (i / side) as f64 + 0.5);
        let mut hole: Contour = (0..15)
            .map(|k| {
                let angle = -(f64::from(k) + 0.5 * share()) / 15.0 * std::f64::consts::TAU;
                let radius = 0.2 + 0.25 * share();
                p(step * (at.0 + radius * angle.cos()), step * (at.1 + radius * angle.sin()))
            })
            .collect();
        hole.dedup();
        contours.push(hole);
    }
    Polygon { contours }
}

/// Milliseconds that this process has spent on processors, over all threads.
fn spent_ms() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let sum: f64 = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|line| line.split(' ').next()?.parse::<f64>().ok())
        .sum();
    if sum > 0.0 { sum * 1e-6 } else { START.elapsed().as_secs_f64() * 1e3 }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "| vertices | notches | cells | ms by merging | ms by notches | exponent |")?;
    writeln!(out, "|---:|---:|---:|---:|---:|---:|")?;
    let mut first: Option<(f64, f64)> = None;
    for pillars in [64, 256, 1024, 4096, 13_333] {
        let polygon = floor(pillars, 7);
        let vertices: usize = polygon.contours.iter().map(Vec::len).sum();
        // The system's clock ticks in milliseconds: small floors are run often enough.
        let runs = (400_000 / vertices).clamp(2, 200);
        let mut mean_ms = [0.0; 2];
        let mut found = (0, 0);
        for (way, mean_ms) in
            [CellShape::HertelMehlhorn, CellShape::Notches].into_iter().zip(&mut mean_ms)
        {
            let settings =
                PartitionSettings { cells: way, convex_distance_m: 0.0, height_tolerance_m: 0.02 };
            let start = spent_ms();
            for _ in 0..runs {
                let partition = partition_polygon(&polygon, &settings)?;
                found = (partition.notches, partition.cells.len());
            }
            *mean_ms = (spent_ms() - start) / runs as f64;
        }
        let n = vertices as f64;
        let [merging, notches] = mean_ms;
        let (m, ms) = *first.get_or_insert((n, notches));
        let exponent = (notches / ms).ln() / (n / m).ln();
        let (split, cells) = found;
        writeln!(
            out,
            "| {vertices} | {split} | {cells} | {merging:.2} | {notches:.2} | {exponent:.2} |"
        )?;
    }
    Ok(())
}
