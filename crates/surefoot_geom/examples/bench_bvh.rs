//! Measures building and querying the bounding-volume hierarchy over a million boxes.
//!
//! `cargo run --release -p surefoot_geom --example bench_bvh [boxes]`

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use surefoot_geom::bvh::{Aabb, BoxTree, Ray};

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

    fn point(&mut self, size: DVec3) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * size
    }
}

fn main() {
    let count = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1_000_000_usize);
    let mut random = Random(1);
    let world = DVec3::new(1000.0, 1000.0, 30.0);
    let boxes: Vec<Aabb> = (0..count)
        .map(|_| {
            let lo = random.point(world);
            Aabb { lo, hi: lo + random.point(DVec3::new(2.0, 2.0, 0.5)) }
        })
        .collect();
    for round in 0..5 {
        let start = Instant::now();
        let tree = BoxTree::build(&boxes);
        println!("build {round}: {count} boxes in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        black_box(&tree);
    }
    let tree = BoxTree::build(&boxes);
    let queries: Vec<DVec3> = (0..200_000).map(|_| random.point(world)).collect();
    let report = |name: &str, start: Instant, found: usize| {
        let each = start.elapsed().as_secs_f64() / queries.len() as f64;
        println!(
            "{name}: {:.2} µs each, {:.1} found each",
            each * 1e6,
            found as f64 / queries.len() as f64
        );
    };
    let mut found = 0;
    let start = Instant::now();
    for &q in &queries {
        tree.visit_box(&Aabb { lo: q, hi: q + 1.0 }, |id| {
            found += (black_box(id) < u32::MAX) as usize
        });
    }
    report("box of 1 m", start, found);
    found = 0;
    let start = Instant::now();
    for &q in &queries {
        tree.visit_column(q.x, q.y, q.z, q.z + 2.0, |id| {
            found += (black_box(id) < u32::MAX) as usize
        });
    }
    report("column of 2 m", start, found);
    found = 0;
    let start = Instant::now();
    for &q in &queries {
        let d = q - world * 0.5;
        let Some(ray) = Ray::new(q, d) else { continue };
        // A triangle across each box stands for what a scene has there.
        let corners_of = |id: u32| {
            let b = &boxes[id as usize];
            [b.lo, b.hi, DVec3::new(b.hi.x, b.lo.y, b.hi.z)]
        };
        found +=
            usize::from(tree.first_hit(&ray, 20.0 / d.length(), corners_of, |_| true).is_some());
    }
    report("first triangle within 20 m", start, found);
}
