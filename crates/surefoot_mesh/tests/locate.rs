//! Nearest points against brute force over all cells.

mod meshes;

use meshes::{Cells, Random, field, square, stairs};
use surefoot_mesh::{Agent, CellId, NavMesh, NavMeshData, Query};

/// The nearest place by looking at every cell: its nearest point in plan, over triangles.
fn brute(mesh: &NavMesh, p: [f64; 3], extents: [f64; 3]) -> Option<(f64, CellId)> {
    let mut best: Option<(f64, CellId)> = None;
    let mut triangles = Vec::new();
    for cell in mesh.cells() {
        triangles.clear();
        mesh.cell_triangles(cell, &mut triangles);
        let mut nearest: Option<(f64, [f64; 3])> = None;
        for t in &triangles {
            let corners = t.map(|v| mesh.vertex_position(v));
            let q = nearest_in_triangle(corners, p);
            let d = (q[0] - p[0]).hypot(q[1] - p[1]);
            if nearest.is_none_or(|(e, _)| d < e - 1e-12) {
                nearest = Some((d, q));
            }
        }
        let Some((_, q)) = nearest else { continue };
        if (0..3).all(|k| (q[k] - p[k]).abs() <= extents[k]) {
            let d = (0..3).map(|k| (q[k] - p[k]).powi(2)).sum::<f64>().sqrt();
            if best.is_none_or(|(e, _)| d < e) {
                best = Some((d, cell));
            }
        }
    }
    best
}

/// The point of a triangle nearest in plan, with its height.
fn nearest_in_triangle(t: [[f64; 3]; 3], p: [f64; 3]) -> [f64; 3] {
    let cross = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let area = cross(t[0], t[1], t[2]);
    let weights = [cross(t[1], t[2], p), cross(t[2], t[0], p), cross(t[0], t[1], p)];
    if area > 0.0 && weights.iter().all(|&w| w >= 0.0) {
        let z = (0..3).map(|i| t[i][2] * weights[i]).sum::<f64>() / area;
        return [p[0], p[1], z];
    }
    let mut best = (f64::INFINITY, t[0]);
    for i in 0..3 {
        let (a, b) = (t[i], t[(i + 1) % 3]);
        let d = [b[0] - a[0], b[1] - a[1]];
        let length2 = d[0] * d[0] + d[1] * d[1];
        let s = if length2 > 0.0 {
            (((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length2).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let q = [a[0] + d[0] * s, a[1] + d[1] * s, a[2] + (b[2] - a[2]) * s];
        let distance = (q[0] - p[0]).hypot(q[1] - p[1]);
        if distance < best.0 {
            best = (distance, q);
        }
    }
    best.1
}

fn compare(mesh: &NavMesh, random: &mut Random, count: usize) {
    let bounds = mesh.bounds().unwrap();
    let query = Query::new(mesh);
    let mut found = 0;
    for _ in 0..count {
        let p: [f64; 3] =
            std::array::from_fn(|k| random.between(bounds.low[k] - 1.0, bounds.high[k] + 1.0));
        let extents =
            [random.between(0.0, 2.0), random.between(0.0, 2.0), random.between(0.0, 3.0)];
        let expected = brute(mesh, p, extents);
        let nearest = query.nearest(p, extents);
        assert_eq!(nearest.is_some(), expected.is_some(), "{p:?} within {extents:?}");
        if let (Some(n), Some((distance, _))) = (nearest, expected) {
            let own = (0..3).map(|k| (n.point[k] - p[k]).powi(2)).sum::<f64>().sqrt();
            assert!((own - distance).abs() < 1e-3, "{own} instead of {distance} at {p:?}");
            found += 1;
        }
    }
    assert!(found > count / 10, "{found} of {count} found something");
}

#[test]
fn nearest_points_agree_with_brute_force() {
    let mut random = Random(3);
    compare(&stairs(5, true).validate().unwrap(), &mut random, 2000);
    compare(&square().validate().unwrap(), &mut random, 200);
    for cells in [Cells::Triangles, Cells::Rectangles] {
        compare(&field(&mut random, 9, 9, 0.3, cells).mesh, &mut random, 400);
    }
}

#[test]
fn rolling_ground_and_other_ups_agree_with_brute_force() {
    let mut random = Random(4);
    let n = 12;
    let points: Vec<[f32; 3]> = (0..n * n)
        .map(|i| {
            let (x, y) = ((i % n) as f32, (i / n) as f32);
            [x, y, (x * 0.7).sin() + (y * 0.9).cos()]
        })
        .collect();
    let quads: Vec<Vec<u32>> = (0..(n - 1) * (n - 1))
        .map(|i| {
            let a = (i / (n - 1) * n + i % (n - 1)) as u32;
            vec![a, a + 1, a + n as u32 + 1, a + n as u32]
        })
        .collect();
    let mesh = NavMeshData::from_polygons(&points, &quads, Agent::default(), meshes::UP)
        .unwrap()
        .validate()
        .unwrap();
    compare(&mesh, &mut random, 1000);
    // The same ground with Y up and far from zero: answers come back in the user's frame.
    let turned: Vec<[f32; 3]> =
        points.iter().map(|p| [p[0] + 20_000.0, p[2], -p[1] - 500.0]).collect();
    let mesh = NavMeshData::from_polygons(&turned, &quads, Agent::default(), [0.0, 1.0, 0.0])
        .unwrap()
        .validate()
        .unwrap();
    let at = [20_003.0, points[3 + 4 * n][2] as f64 + 0.5, -504.0];
    let nearest = Query::new(&mesh).nearest(at, [0.1, 1.0, 0.1]).unwrap();
    assert!((nearest.point[1] - (at[1] - 0.5)).abs() < 1e-3, "{nearest:?}");
    assert!(Query::new(&mesh).nearest(at, [1.0, 0.1, 0.1]).is_none());
}

#[test]
fn ground_below_is_the_highest_under_the_feet() {
    let mesh = stairs(5, true).validate().unwrap();
    let query = Query::new(&mesh);
    let under = |z: f64| query.ground_below([2.5, 1.0, z], 0.1, 10.0).map(|n| n.cell);
    assert_eq!(under(3.0), Some(CellId(2)));
    assert_eq!(under(0.35), Some(CellId(2)));
    assert_eq!(under(0.0), Some(CellId(5)));
    assert_eq!(query.ground_below([2.5, 1.0, 3.0], 0.1, 1.0), None);
    assert_eq!(query.ground_below([2.5, 5.0, 3.0], 0.1, 10.0).map(|n| n.cell), Some(CellId(5)));
}
