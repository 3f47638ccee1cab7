//! Times queries on a generated mesh: medians of many random pairs, and the throughput of batches.
//!
//! Run with `cargo run --release -p surefoot_mesh --features parallel --example query_timings`.
//! Times vary with the machine; compare ratios within one run.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use surefoot_mesh::{
    Agent, Algorithm, Clearance, NavMesh, NavMeshData, Path, PathOptions, PathRequest, Query,
};

/// Numbers that look random (Knuth's multiplier).
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A field of jittered quads of 1 m, a quarter of them missing.
fn field(side: usize, random: &mut Random) -> Result<NavMesh, Box<dyn std::error::Error>> {
    let mut points = Vec::new();
    for y in 0..=side {
        for x in 0..=side {
            let mut jitter = || (random.share() - 0.5) * 0.4;
            points.push([(x as f64 + jitter()) as f32, 0.0, (y as f64 + jitter()) as f32]);
        }
    }
    let row = side as u32 + 1;
    let mut polygons = Vec::new();
    for y in 0..side as u32 {
        for x in 0..side as u32 {
            if random.share() < 0.75 {
                let a = y * row + x;
                polygons.push(vec![a, a + 1, a + row + 1]);
                polygons.push(vec![a, a + row + 1, a + row]);
            }
        }
    }
    let data = NavMeshData::from_polygons(&points, &polygons, Agent::default(), [0.0, 1.0, 0.0])?;
    Ok(data.validate()?)
}

fn median(mut micros: Vec<f64>) -> (f64, f64) {
    micros.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let last = micros.len().saturating_sub(1);
        micros.get((last as f64 * share) as usize).copied().unwrap_or(f64::NAN)
    };
    (at(0.5), at(0.95))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for side in [16, 64, 256] {
        let mut random = Random(7);
        let began = Instant::now();
        let mesh = field(side, &mut random)?;
        let built = began.elapsed();
        println!("{} cells, made and validated in {built:.1?}", mesh.cell_count());
        let mut query = Query::new(&mesh);
        let pairs: Vec<_> = (0..10_000)
            .filter_map(|_| {
                let a = query.random_point(|| random.share())?.point;
                let b = query.random_point(|| random.share())?.point;
                Some(PathRequest::new(a, b))
            })
            .collect();
        let mut path = Path::default();
        for algorithm in [Algorithm::Optimal, Algorithm::AStar] {
            let options = PathOptions { algorithm, ..PathOptions::default() };
            let mut micros = Vec::new();
            let mut nodes = 0;
            for pair in &pairs {
                let began = Instant::now();
                if query.find_path_into(pair.from, pair.to, &options, &mut path).is_ok() {
                    micros.push(began.elapsed().as_nanos() as f64 / 1000.0);
                    nodes += path.nodes;
                }
            }
            let found = micros.len();
            let (middle, high) = median(micros);
            let mean = nodes as f64 / found as f64;
            println!(
                "  {algorithm:?}: {found} found, median {middle:.2} us, 95 % {high:.1} us, {mean:.0} nodes"
            );
        }
        let began = Instant::now();
        let all = query.find_paths(&pairs, &PathOptions::default());
        let seconds = began.elapsed().as_secs_f64();
        println!("  batch: {:.0} paths a second", all.len() as f64 / seconds);
        if side <= 64 {
            for more in [0.05, 0.15] {
                let began = Instant::now();
                let wide = Clearance::new(&mesh, mesh.agent().radius_m + more)?;
                println!(
                    "  {more} m wider: {} pieces in {:.1?}, {:.0} of {:.0} m² left",
                    wide.piece_count(),
                    began.elapsed(),
                    wide.area_m2(),
                    mesh.area_m2()
                );
            }
        }
    }
    Ok(())
}
