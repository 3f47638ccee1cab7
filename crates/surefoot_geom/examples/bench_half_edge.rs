//! Measures building a half-edge mesh of a million triangles, and walking over it.
//!
//! `cargo run --release -p surefoot_geom --example bench_half_edge [triangles]`

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use surefoot_geom::LatticePoint;
use surefoot_geom::half_edge::HalfEdgeMesh;

fn main() {
    let triangles = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1_000_000_u32);
    let side = f64::from(triangles / 2).sqrt() as u32;
    let points: Vec<LatticePoint> = (0..(side + 1) * (side + 1))
        .map(|i| LatticePoint::new((i % (side + 1)) as i32, (i / (side + 1)) as i32))
        .collect();
    let mut corners = vec![];
    for y in 0..side {
        for x in 0..side {
            let a = y * (side + 1) + x;
            let b = a + side + 1;
            corners.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    let mut shuffled = corners.clone();
    let mut state = 1_u64;
    for i in (1..shuffled.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        shuffled.swap(i, (state >> 33) as usize % (i + 1));
    }
    let time = |name: &str, start: Instant| {
        println!("{name}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    };
    for (name, corners) in [("in order", &corners), ("shuffled", &shuffled)] {
        println!("{} triangles {name}", corners.len());
        for _ in 0..3 {
            let start = Instant::now();
            let mesh = HalfEdgeMesh::from_triangles(&points, corners);
            time("  build", start);
            let _ = black_box(mesh);
        }
        let Ok((mesh, _)) = HalfEdgeMesh::from_triangles(&points, corners) else { return };
        let start = Instant::now();
        black_box(mesh.components());
        time("  components", start);
        let start = Instant::now();
        black_box(mesh.border_loops());
        time("  border loops", start);
        let start = Instant::now();
        let _ = black_box(mesh.check_invariants());
        time("  check", start);
    }
}
