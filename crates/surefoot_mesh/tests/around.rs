//! Rays, moves, walls, random places and distances against brute force.

mod meshes;

use meshes::{Cells, Field, Random, field, l_shape, ring, square, stairs};
use surefoot_mesh::{CellId, Filter, NavMesh, PathRequest, Query};

fn fields(seed: u64, count: usize) -> (Random, Vec<Field>) {
    let mut random = Random(seed);
    let all = (0..count)
        .map(|i| {
            let cells = if i % 2 == 0 { Cells::Triangles } else { Cells::Rectangles };
            field(&mut random, 10, 9, 0.25, cells)
        })
        .collect();
    (random, all)
}

/// The distance from a point to a segment.
fn to_segment(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let d = [b[0] - a[0], b[1] - a[1]];
    let t = ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]);
    let t = t.clamp(0.0, 1.0);
    (a[0] + d[0] * t - p[0]).hypot(a[1] + d[1] * t - p[1])
}

#[test]
fn rays_end_where_the_first_wall_is() {
    let (mut random, fields) = fields(21, 8);
    let (mut free, mut stopped) = (0, 0);
    for f in &fields {
        let query = Query::new(&f.mesh);
        for _ in 0..200 {
            let (a, b) = (f.random_free_point(&mut random), f.random_free_point(&mut random));
            let ray = query.raycast([a[0], a[1], 0.0], [b[0], b[1], 0.0]).unwrap();
            let end = [ray.end.point[0], ray.end.point[1]];
            // Up to a hair before the end nothing is in the way.
            let before = |t: f64| [a[0] + (end[0] - a[0]) * t, a[1] + (end[1] - a[1]) * t];
            assert!(f.sees(a, before(1.0 - 1e-4)), "{a:?} to {b:?} ends at {end:?}");
            if let Some(wall) = ray.wall {
                let near = f
                    .blocked
                    .iter()
                    .any(|q| (0..4).any(|i| to_segment(end, q[i], q[(i + 1) % 4]) < 1e-4));
                assert!(near, "stopped at {end:?} by nothing");
                let n = wall.normal;
                assert!(n[0] * (b[0] - a[0]) + n[1] * (b[1] - a[1]) < 1e-9);
                stopped += 1;
            } else {
                assert!((end[0] - b[0]).hypot(end[1] - b[1]) < 1e-9);
                free += 1;
            }
        }
    }
    assert!(free > 100 && stopped > 100, "{free} free, {stopped} stopped");
}

#[test]
fn rays_that_touch_walls_go_on() {
    // Three rooms in a row, and a field of pillars seen as one block of wall: a ring.
    let points: Vec<[f32; 3]> = (0..8).map(|i| [(i % 4) as f32, (i / 4) as f32, 0.0]).collect();
    let rooms: Vec<Vec<u32>> = (0..3).map(|i| vec![i, i + 1, i + 5, i + 4]).collect();
    let agent = surefoot_mesh::Agent::default();
    let row = surefoot_mesh::NavMeshData::from_polygons(&points, &rooms, agent, meshes::UP)
        .unwrap()
        .validate()
        .unwrap();
    let query = Query::new(&row);
    // Along either wall, either way, from within a wall's edge and from the corners.
    for y in [0.0, 1.0] {
        for (from, to) in [(0.2, 2.8), (2.8, 0.2), (0.0, 3.0), (3.0, 0.0), (1.0, 2.0), (2.0, 0.5)] {
            for off in [0.0, 1e-12, -1e-12] {
                let ray = query.raycast([from, y + off, 0.0], [to, y - off, 0.0]).unwrap();
                assert!(ray.wall.is_none() && ray.share >= 1.0, "{from} to {to} at {y}: {ray:?}");
                assert!((ray.end.point[0] - to).abs() < 1e-9);
            }
        }
        // Past the end, and beside it, there is a wall.
        let ray = query.raycast([0.2, y, 0.0], [3.5, y, 0.0]).unwrap();
        assert!(ray.wall.is_some() && (ray.end.point[0] - 3.0).abs() < 1e-9, "{ray:?}");
        assert!(ray.wall.unwrap().normal[0] < -0.9);
        let ray = query.raycast([0.2, y, 0.0], [2.0, 0.5 + (y - 0.5) * 3.0, 0.0]).unwrap();
        assert!(ray.wall.is_some() && ray.share < 1e-9, "{ray:?}");
    }
    let mesh = ring().validate().unwrap();
    let query = Query::new(&mesh);
    // The corner at (2, 2) of the block from (2, 2) to (4, 4), touched and met.
    let ray = query.raycast([1.0, 3.0, 0.0], [3.0, 1.0, 0.0]).unwrap();
    assert!(ray.wall.is_none() && ray.share >= 1.0, "{ray:?}");
    let ray = query.raycast([1.0, 1.0, 0.0], [3.0, 3.0, 0.0]).unwrap();
    assert!(ray.wall.is_some() && (ray.share - 0.5).abs() < 1e-9, "{ray:?}");
    // Along the block's side from a place on it, past its corner, and on.
    for (from, to) in [([2.0, 3.0], [2.0, 0.5]), ([3.0, 2.0], [0.5, 2.0]), ([4.0, 2.5], [4.0, 5.5])]
    {
        let ray = query.raycast([from[0], from[1], 0.0], [to[0], to[1], 0.0]).unwrap();
        assert!(ray.wall.is_none() && ray.share >= 1.0, "{from:?} to {to:?}: {ray:?}");
    }
}

#[test]
fn the_legs_of_paths_are_clear_to_rays() {
    let (mut random, fields) = fields(27, 12);
    let (mut legs, mut elsewhere) = (0, 0);
    for f in &fields {
        let mut query = Query::new(&f.mesh);
        for _ in 0..200 {
            let [from, to] = [0, 1].map(|_| {
                let [x, y] = f.random_free_point(&mut random);
                [x, y, 0.0]
            });
            let Ok(path) = query.find_path(from, to) else { continue };
            for leg in path.points.windows(2) {
                // Where two blocks touch, a corner belongs to the ground on either side.
                if !path.cells.contains(&query.locate(leg[0]).unwrap().cell) {
                    elsewhere += 1;
                    continue;
                }
                let ray = query.raycast(leg[0], leg[1]).unwrap();
                assert!(ray.wall.is_none() && ray.share >= 1.0, "{leg:?}: {ray:?}");
                legs += 1;
            }
        }
    }
    assert!(legs > 5000 && elsewhere * 4 < legs, "{legs} legs, {elsewhere} corners elsewhere");
}

#[test]
fn rays_list_their_cells_and_stay_on_their_storey() {
    let mesh = stairs(4, true).validate().unwrap();
    let query = Query::new(&mesh);
    let mut cells = Vec::new();
    let ray = query.raycast_cells([0.5, 1.0, 0.0], [9.0, 1.0, 0.0], &mut cells).unwrap();
    assert_eq!(cells, [0, 1, 2, 3].map(CellId));
    assert!((ray.end.point[0] - 4.0).abs() < 1e-9 && (ray.share - 3.5 / 8.5).abs() < 1e-9);
    assert!((ray.wall.unwrap().normal[0] + 1.0).abs() < 1e-9);
    assert!(query.raycast([f64::NAN; 3], [0.0; 3]).is_err());
    assert!(query.raycast([0.5, 1.0, 0.0], [f64::INFINITY, 0.0, 0.0]).is_err());
    // A line of no length, and one along a border.
    assert!(query.raycast([0.5, 1.0, 0.0], [0.5, 1.0, 0.0]).unwrap().wall.is_none());
    let along = query.raycast([0.5, 0.0, 0.0], [2.5, 0.0, 0.0]).unwrap();
    assert!((along.end.point[0] - 2.5).abs() < 1e-9 || along.wall.is_some());
}

#[test]
fn moves_slide_along_walls_and_around_corners() {
    let mesh = l_shape().validate().unwrap();
    let query = Query::new(&mesh);
    let go = |from: [f64; 2], to: [f64; 2]| {
        let m = query.move_along_surface([from[0], from[1], 0.0], [to[0], to[1], 0.0]).unwrap();
        ([m.end.point[0], m.end.point[1]], m.touched_wall)
    };
    let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-6;
    let (end, touched) = go([1.0, 1.0], [1.5, 1.2]);
    assert!(near(end, [1.5, 1.2]) && !touched);
    // Into the outer wall, along it, into the corner.
    let (end, touched) = go([3.0, 1.0], [3.5, -1.0]);
    assert!(near(end, [3.5, 0.0]) && touched);
    let (end, _) = go([3.0, 1.0], [9.0, -5.0]);
    assert!(near(end, [4.0, 0.0]), "{end:?}");
    // Along the inner wall past the corner at (2, 2), then free.
    let (end, _) = go([3.0, 1.0], [0.5, 3.0]);
    assert!(near(end, [0.5, 3.0]), "{end:?}");
    // Straight at a wall.
    let (end, _) = go([3.0, 1.0], [3.0, 9.0]);
    assert!(near(end, [3.0, 2.0]), "{end:?}");
}

#[test]
fn moves_never_leave_the_ground_nor_go_astray() {
    let (mut random, fields) = fields(22, 6);
    for f in &fields {
        let query = Query::new(&f.mesh);
        for _ in 0..300 {
            let a = f.random_free_point(&mut random);
            let b = [a[0] + random.between(-4.0, 4.0), a[1] + random.between(-4.0, 4.0)];
            let m = query.move_along_surface([a[0], a[1], 0.0], [b[0], b[1], 0.0]).unwrap();
            let end = [m.end.point[0], m.end.point[1]];
            assert!(query.nearest([end[0], end[1], 0.0], [1e-5, 1e-5, 1.0]).is_some());
            let distance = |p: [f64; 2]| (p[0] - b[0]).hypot(p[1] - b[1]);
            assert!(distance(end) <= distance(a) + 1e-9, "{a:?} to {b:?}: {end:?}");
            let ray = query.raycast([a[0], a[1], 0.0], [b[0], b[1], 0.0]).unwrap();
            let straight = [ray.end.point[0], ray.end.point[1]];
            assert!(distance(end) <= distance(straight) + 1e-9);
        }
    }
}

#[test]
fn walls_are_as_near_as_brute_force_says() {
    let (mut random, fields) = fields(23, 6);
    for f in &fields {
        let mut query = Query::new(&f.mesh);
        for _ in 0..150 {
            let p = f.random_free_point(&mut random);
            let expected = f
                .blocked
                .iter()
                .flat_map(|q| (0..4).map(|i| to_segment(p, q[i], q[(i + 1) % 4])))
                .fold(f64::INFINITY, f64::min);
            let wall = query.nearest_wall([p[0], p[1], 0.0], 100.0).unwrap().unwrap();
            assert!((wall.distance_m - expected).abs() < 1e-4, "{wall:?} instead of {expected}");
            let at = [wall.point[0], wall.point[1]];
            assert!(((at[0] - p[0]).hypot(at[1] - p[1]) - wall.distance_m).abs() < 1e-9);
            for k in 0..2 {
                assert!((p[k] - at[k] - wall.wall.normal[k] * wall.distance_m).abs() < 1e-6);
            }
            assert!(query.nearest_wall([p[0], p[1], 0.0], expected * 0.9).unwrap().is_none());
        }
    }
    // A wall of another storey is none.
    let mesh = stairs(4, true).validate().unwrap();
    let wall = Query::new(&mesh).nearest_wall([0.5, 1.0, -4.0], 50.0).unwrap().unwrap();
    assert!((wall.distance_m - 3.5).abs() < 1e-9, "{wall:?}");
}

#[test]
fn random_places_are_uniform_by_area() {
    let mesh = l_shape().validate().unwrap();
    let mut query = Query::new(&mesh);
    let mut random = Random(5);
    let mut counts = [0_u32; 3];
    let mut left_half = 0;
    for _ in 0..30_000 {
        let p = query.random_point(|| random.share()).unwrap();
        counts[p.cell.index()] += 1;
        left_half += u32::from(p.point[0] % 2.0 < 1.0);
    }
    // Four standard deviations of a third and of a half of the draws.
    assert!(counts.iter().all(|&c| (f64::from(c) - 10_000.0).abs() < 330.0), "{counts:?}");
    assert!((f64::from(left_half) - 15_000.0).abs() < 350.0, "{left_half}");
    // In a circle: the share within half the radius is a quarter where all is free.
    let square = square().validate().unwrap();
    let mut query = Query::new(&square);
    let mut inner = 0;
    for _ in 0..10_000 {
        let p = query.random_point_near([2.0, 2.0, 0.0], 1.5, || random.share()).unwrap().point;
        let r = (p[0] - 2.0).hypot(p[1] - 2.0);
        assert!(r <= 1.5);
        inner += u32::from(r <= 0.75);
    }
    assert!((f64::from(inner) - 2500.0).abs() < 180.0, "{inner}");
    // Only what is joined to the start.
    let mesh = stairs(3, true).validate().unwrap();
    let mut query = Query::new(&mesh);
    for _ in 0..200 {
        let p = query.random_reachable_point([0.5, 1.0, 0.0], || random.share()).unwrap();
        assert!(p.cell.0 < 3);
        let p = query.random_point_near([0.5, 1.0, 0.0], 50.0, || random.share()).unwrap();
        assert!(p.cell.0 < 3);
    }
}

#[test]
fn distances_of_cells_are_those_of_the_nearest_points() {
    let (mut random, fields) = fields(24, 4);
    for f in &fields {
        let mut query = Query::new(&f.mesh);
        for _ in 0..4 {
            let a = f.random_free_point(&mut random);
            let from = [a[0], a[1], 0.0];
            let mut cells = Vec::new();
            query.cells_within(from, f64::INFINITY, &mut cells).unwrap();
            let start = query.locate(from).unwrap().cell;
            let reachable = f.mesh.cells().filter(|&c| f.mesh.connected(c, start)).count();
            assert_eq!(cells.len(), reachable);
            assert!(cells.windows(2).all(|w| w[0].distance_m <= w[1].distance_m));
            for c in cells.iter().step_by(7) {
                let nearest = nearest_by_sampling(&f.mesh, &mut query, from, c.cell);
                assert!(c.distance_m <= nearest + 1e-6, "{c:?} but a way of {nearest}");
                assert!(c.distance_m >= nearest - 0.08, "{c:?} but the nearest way is {nearest}");
            }
            let limit = cells[cells.len() / 2].distance_m;
            let mut within = Vec::new();
            query.cells_within(from, limit, &mut within).unwrap();
            let expected = cells.iter().filter(|c| c.distance_m <= limit).count();
            assert_eq!(within.len(), expected);
        }
    }
}

/// The least length of a path to points along a cell's border, 5 cm apart.
fn nearest_by_sampling(mesh: &NavMesh, query: &mut Query<'_>, from: [f64; 3], cell: CellId) -> f64 {
    let corners: Vec<[f64; 3]> =
        mesh.cell_vertices(cell).map(|v| mesh.vertex_position(v)).collect();
    let mut best = f64::INFINITY;
    if query.locate(from).unwrap().cell == cell {
        return 0.0;
    }
    for i in 0..corners.len() {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        let n = ((b[0] - a[0]).hypot(b[1] - a[1]) / 0.05).ceil() as usize;
        for k in 0..n {
            let t = k as f64 / n as f64;
            let at = std::array::from_fn(|j| a[j] + (b[j] - a[j]) * t);
            let to: [f64; 3] = at;
            if let Ok(path) = query.find_path(from, to) {
                best = best.min(path.plan_length_m);
            }
        }
    }
    best
}

#[test]
fn closed_ground_is_a_wall_to_all_of_them() {
    let mut data = ring();
    data.area_names.push("water".into());
    data.cell_areas[1] = surefoot_mesh::AreaId(1);
    let mesh = data.validate().unwrap();
    let mut query = Query::new(&mesh);
    let (left, right) = ([1.0, 1.0, 0.0], [5.0, 1.0, 0.0]);
    assert!(query.raycast(left, right).unwrap().wall.is_none());
    let mut filter = Filter::default();
    filter.exclude_area(surefoot_mesh::AreaId(1));
    query.set_filter(&filter).unwrap();
    let ray = query.raycast(left, right).unwrap();
    assert!((ray.end.point[0] - 2.0).abs() < 1e-9 && ray.wall.is_some());
    let wall = query.nearest_wall([1.8, 1.0, 0.0], 5.0).unwrap().unwrap();
    assert!((wall.distance_m - 0.2).abs() < 1e-9);
    let path = query.find_path(left, right).unwrap();
    assert!(path.plan_length_m > 8.0 && !path.cells.contains(&CellId(1)));
    let mut random = Random(1);
    for _ in 0..300 {
        assert_ne!(query.random_point(|| random.share()).unwrap().cell, CellId(1));
    }
    assert_eq!(query.reachable(left, right), Some(true));
    assert_eq!(query.reachable(left, [50.0, 0.0, 0.0]), None);
}

#[test]
fn many_queries_at_once_give_the_answers_of_one_by_one() {
    let (mut random, fields) = fields(25, 2);
    for f in &fields {
        let requests: Vec<PathRequest> = (0..300)
            .map(|_| {
                let (a, b) = (f.random_free_point(&mut random), f.random_free_point(&mut random));
                PathRequest::new([a[0], a[1], 0.0], [b[0], b[1], 0.0])
            })
            .collect();
        let mut query = Query::new(&f.mesh);
        let many = query.find_paths(&requests, &surefoot_mesh::PathOptions::default());
        for (request, answer) in requests.iter().zip(many) {
            assert_eq!(query.find_path(request.from, request.to), answer);
        }
    }
}
