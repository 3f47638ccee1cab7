//! Measures triangulation: one large polygon with many holes, and many small polygons.
//!
//! `cargo run --release -p surefoot_geom --example bench_triangulate`

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::{Contour, Polygon};
use surefoot_geom::triangulate::triangulate_polygon;

/// The splitmix generator, mapped to the unit interval.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn ring(
    random: &mut Random,
    centre: [f64; 2],
    radius_m: f64,
    corners: usize,
    rough: f64,
) -> Contour {
    (0..corners)
        .map(|i| {
            let (sin, cos) = (i as f64 / corners as f64 * std::f64::consts::TAU).sin_cos();
            let r = radius_m * (1.0 - rough * random.unit()) * 65536.0;
            LatticePoint::from_units(centre[0] * 65536.0 + cos * r, centre[1] * 65536.0 + sin * r)
        })
        .collect()
}

fn main() {
    let mut random = Random(1);
    let side = 75;
    let mut contours = vec![ring(&mut random, [75.0, 75.0], 120.0, 2000, 0.01)];
    for i in 0..side * side {
        let centre = [1.0 + 2.0 * f64::from(i % side), 1.0 + 2.0 * f64::from(i / side)];
        let mut hole = ring(&mut random, centre, 0.9, 17, 0.6);
        hole.reverse();
        contours.push(hole);
    }
    let large = Polygon { contours };
    let vertices: usize = large.contours.iter().map(Vec::len).sum();
    for _ in 0..4 {
        let start = Instant::now();
        let result = triangulate_polygon(&large).map(|t| t.len());
        println!(
            "{vertices} vertices, {} holes: {result:?} triangles in {:.1} ms",
            large.contours.len() - 1,
            start.elapsed().as_secs_f64() * 1e3
        );
    }
    let wide = Polygon::from_contour(ring(&mut random, [0.0, 0.0], 900.0, 100_000, 0.3));
    let start = Instant::now();
    let result = triangulate_polygon(&wide).map(|t| t.len());
    println!("a rough ring of 100000: {:.1} ms ({result:?})", start.elapsed().as_secs_f64() * 1e3);

    // Long edges side by side, and a long edge over many short ones.
    let comb: Contour = (0..50_000_i32)
        .flat_map(|i| {
            let (x, foot, tip) = (40 * i, 1 << 20, 1 << 28);
            [LatticePoint::new(x, foot), LatticePoint::new(x + 9, tip + i % 7)]
        })
        .chain([LatticePoint::new(40 * 50_000, 0), LatticePoint::new(-40, 0)])
        .rev()
        .collect();
    let comb = Polygon::from_contour(comb);
    let start = Instant::now();
    let result = triangulate_polygon(&comb).map(|t| t.len());
    println!("a comb of 100002: {:.1} ms ({result:?})", start.elapsed().as_secs_f64() * 1e3);
    let mut turns = vec![];
    for i in 0..50_000 {
        let (sin, cos) = (f64::from(i) * 0.02).sin_cos();
        let r = 1e5 + 1000.0 * f64::from(i);
        turns.push([cos * r, sin * r, cos * (r + 1e5), sin * (r + 1e5)]);
    }
    let outside = turns.iter().map(|t| LatticePoint::from_units(t[2], t[3]));
    let inside = turns.iter().rev().map(|t| LatticePoint::from_units(t[0], t[1]));
    let spiral = Polygon::from_contour(outside.chain(inside).collect());
    let start = Instant::now();
    let result = triangulate_polygon(&spiral).map(|t| t.len());
    println!("a spiral of 100000: {:.1} ms ({result:?})", start.elapsed().as_secs_f64() * 1e3);

    for (corners, rough) in [
        (3, 0.5),
        (4, 0.0),
        (4, 0.5),
        (6, 0.0),
        (6, 0.6),
        (10, 0.0),
        (10, 0.6),
        (20, 0.0),
        (20, 0.6),
        (32, 0.6),
        (40, 0.6),
    ] {
        let polygons: Vec<Polygon> = (0..1000)
            .map(|_| Polygon::from_contour(ring(&mut random, [3.0, 4.0], 2.0, corners, rough)))
            .collect();
        let start = Instant::now();
        for _ in 0..20 {
            for polygon in &polygons {
                let _ = black_box(triangulate_polygon(polygon));
            }
        }
        let each = start.elapsed().as_secs_f64() / 20_000.0;
        println!(
            "{corners} corners, {}: {:.2} µs each",
            if rough > 0.0 { "rough" } else { "convex" },
            each * 1e6
        );
    }
}
