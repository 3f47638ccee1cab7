//! Scenes for tests of stages, and what the stages before make of them.

use crate::context::StageContext;
use crate::input::classify::Classifier;
use crate::layered::cutting_shape::cutting_shape;
use crate::layered::flood_layers::flood_layers;
use crate::layered::model::any_numbers::any_between;
use crate::layered::model::fine_map::FineMap;
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::Slices;
use crate::layered::read_triangles::read_triangles;
use crate::layered::refine::refine;
use crate::layered::slice::{Points, slice};
use crate::layered::walk_over::walk_over;
use crate::settings::Resolved;
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};

/// A scene sliced.
pub(crate) fn sliced(scene: &Scene, settings: &Resolved) -> (Slices, Scales) {
    let context = &mut StageContext::new();
    let classifier = Classifier::new(&settings.agent, false);
    let read = read_triangles(scene, &settings.reading(), &classifier, context).unwrap();
    let scales = Scales::new(&read.triangles, &settings.agent, &settings.layered).unwrap();
    let points = Points { numbers: &read.numbers, points: &read.points };
    (slice(read.triangles, points, &scales, context).unwrap(), scales)
}

/// The depth maps of a sliced scene, walked over.
pub(crate) fn walked_map(slices: &Slices, scales: &Scales) -> FineMap {
    let context = &mut StageContext::new();
    let layers = flood_layers(slices, scales, context).unwrap();
    let shape = cutting_shape(layers, slices, scales, context).unwrap();
    let map = refine(shape, slices, scales, context).unwrap();
    walk_over(map, slices, scales, context).unwrap()
}

/// The depth maps of a scene, walked over.
pub(crate) fn walked(scene: &Scene, settings: &Resolved) -> (FineMap, Slices, Scales) {
    let (slices, scales) = sliced(scene, settings);
    (walked_map(&slices, &scales), slices, scales)
}

/// Corners in metres.
type CrowdTriangle = [[f64; 3]; 3];

/// A scene of small triangles: each is parted in four until its edges are short.
fn crowd_of(mut left: Vec<CrowdTriangle>, most_m: f64) -> Scene {
    let mut points: Vec<[f32; 3]> = Vec::new();
    let middle = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]));
    let length =
        |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    while let Some([a, b, c]) = left.pop() {
        if length(a, b).max(length(b, c)).max(length(c, a)) <= most_m {
            points.extend([a, b, c].map(|p| p.map(|v| v as f32)));
            continue;
        }
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        left.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    let triangles: Vec<[u32; 3]> =
        (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Scene::from_triangles(&points, &triangles).unwrap()
}

/// A procedural scene of small triangles.
pub(crate) fn crowded(name: &str, most_m: f64) -> Scene {
    let scene = build(name, &Variant::default()).unwrap().scene;
    let triangles = scene.triangles().iter().map(|t| t.map(|p| scene.point(p))).collect();
    crowd_of(triangles, most_m)
}

/// A floor with boxes and shelves strewn over it, turned by any angle.
pub(crate) fn littered(seed: u64) -> Scene {
    let mut between = any_between(seed);
    let mut triangles: Vec<CrowdTriangle> = Vec::new();
    let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    quad([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [5.0, 5.0, 0.0], [0.0, 5.0, 0.0]]);
    for _ in 0..14 {
        let (x, y, turn) = (between(0.3, 4.7), between(0.3, 4.7), between(0.0, 3.1));
        let (half_x, half_y) = (between(0.02, 0.8), between(0.1, 0.8));
        let (low, high) = (between(-0.5, 0.5).max(0.0), between(0.1, 1.3));
        let corner = |u: f64, v: f64, z: f64| {
            let (u, v) = (u * half_x, v * half_y);
            [x + u * turn.cos() - v * turn.sin(), y + u * turn.sin() + v * turn.cos(), z]
        };
        let ring = |z: f64| {
            [corner(-1.0, -1.0, z), corner(1.0, -1.0, z), corner(1.0, 1.0, z), corner(-1.0, 1.0, z)]
        };
        let (below, above) = (ring(low), ring(low + high));
        quad(above);
        quad([below[3], below[2], below[1], below[0]]);
        for k in 0..4 {
            let next = (k + 1) % 4;
            quad([below[k], below[next], above[next], above[k]]);
        }
    }
    crowd_of(triangles, 0.12)
}

/// Ground as a scan has it: discs lie over each other at any height, and no point lies where it should.
pub(crate) fn scanned(seed: u64) -> Scene {
    let mut between = any_between(seed);
    let discs: Vec<[f64; 4]> = (0..50)
        .map(|_| {
            let rise = if between(0.0, 1.0) < 0.5 { 0.25 } else { 0.6 };
            let rise = between(-rise, rise);
            [between(0.0, 4.0), between(0.0, 4.0), between(0.1, 0.9), rise]
        })
        .collect();
    let count = 60_u32;
    let points: Vec<[f32; 3]> = (0..count * count)
        .map(|k| {
            let [x, y] = [k % count, k / count].map(|v| f64::from(v) * 4.0 / 59.0);
            let is_on = |d: &&[f64; 4]| (d[0] - x).hypot(d[1] - y) < d[2];
            let z: f64 = discs.iter().filter(is_on).map(|d| d[3]).sum();
            [x, y, z].map(|v| (v + between(-0.012, 0.012)) as f32)
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..(count - 1) * (count - 1))
        .map(|k| k / (count - 1) * count + k % (count - 1))
        .flat_map(|a| [[a, a + 1, a + count + 1], [a, a + count + 1, a + count]])
        .collect();
    Scene::from_triangles(&points, &triangles).unwrap()
}
