//! Many random queries on random meshes, with ends in the worst of places: every answer is checked.
//! The long form, a million queries, runs with `--release -- --ignored`.

mod meshes;

use meshes::{Cells, Random, field, ring, stairs};
use surefoot_mesh::{
    Agent, Algorithm, NavMesh, NavMeshData, Path, PathError, PathOptions, PathPoints, Query,
    VertexId,
};

/// A spiral stair around a point: cells above one another that share a corner in plan.
fn spiral(turns: usize) -> NavMesh {
    let mut points = Vec::new();
    let mut polygons = Vec::new();
    for i in 0..turns * 12 {
        let z = i as f32 * 0.2;
        let at = |r: f32, k: usize| {
            let angle = (k % 12) as f32 / 12.0 * std::f32::consts::TAU;
            [r * angle.cos(), r * angle.sin(), z]
        };
        let first = points.len() as u32;
        // The foot of every tread is the pole: a point at first, a small ring for the others.
        let r = if turns.is_multiple_of(2) { 0.0 } else { 0.2 };
        if r == 0.0 {
            points.extend([[0.0, 0.0, z], at(2.0, i), at(2.0, i + 1)]);
        } else {
            points.extend([at(r, i), at(2.0, i), at(2.0, i + 1), at(r, i + 1)]);
        }
        polygons.push((first..points.len() as u32).collect::<Vec<_>>());
    }
    let mut data =
        NavMeshData::from_polygons(&points, &polygons, Agent::default(), meshes::UP).unwrap();
    for i in 0..polygons.len() as u32 - 1 {
        meshes::join_as_step(&mut data, i, i + 1);
    }
    data.validate().unwrap()
}

/// Rolling ground with some quads missing.
fn hills(random: &mut Random) -> NavMesh {
    let n = 14_usize;
    let points: Vec<[f32; 3]> = (0..n * n)
        .map(|i| {
            let (x, y) = ((i % n) as f32, (i / n) as f32);
            [x, y, (x * 0.7).sin() + (y * 0.9).cos()]
        })
        .collect();
    let quads: Vec<Vec<u32>> = (0..(n - 1) * (n - 1))
        .filter(|_| random.share() < 0.85)
        .map(|i| {
            let a = (i / (n - 1) * n + i % (n - 1)) as u32;
            vec![a, a + 1, a + n as u32 + 1, a + n as u32]
        })
        .collect();
    NavMeshData::from_polygons(&points, &quads, Agent::default(), meshes::UP)
        .unwrap()
        .validate()
        .unwrap()
}

/// A point in some awkward place: on a vertex, an edge, inside, near by, far away, or nowhere.
fn awkward(mesh: &NavMesh, random: &mut Random) -> [f64; 3] {
    let vertex = |random: &mut Random| {
        mesh.vertex_position(VertexId(random.below(mesh.vertex_count()) as u32))
    };
    match random.below(12) {
        0..3 => vertex(random),
        3..6 => {
            // On an edge of a cell.
            let cell = surefoot_mesh::CellId(random.below(mesh.cell_count()) as u32);
            let corners: Vec<_> =
                mesh.cell_vertices(cell).map(|v| mesh.vertex_position(v)).collect();
            let i = random.below(corners.len());
            let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
            let t = [0.5, 0.25, random.share(), 1.0 / 3.0][random.below(4)];
            std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t)
        }
        6..10 => {
            let b = mesh.bounds().unwrap();
            std::array::from_fn(|k| random.between(b.low[k] - 0.4, b.high[k] + 0.4))
        }
        10 => {
            let mut p = vertex(random);
            p[random.below(3)] += [1e-15, -1e-12, 1e-9, 1e-6, 0.1][random.below(5)];
            p
        }
        _ => {
            let mut p = vertex(random);
            p[random.below(3)] = [f64::NAN, f64::INFINITY, -1e300, 1e18, 5e-324][random.below(5)];
            p
        }
    }
}

/// Checks that a path stands on the mesh: every leg passes over its cells, one after another.
fn check(mesh: &NavMesh, query: &Query<'_>, path: &Path, from: [f64; 3], to: [f64; 3]) {
    assert!(path.points.len() >= 2 && !path.cells.is_empty());
    assert!(path.points.iter().flatten().all(|c| c.is_finite()));
    let ends = [query.locate(from).unwrap().point, query.locate(to).unwrap().point];
    for (own, end) in [path.points[0], *path.points.last().unwrap()].iter().zip(ends) {
        assert!((0..3).all(|k| (own[k] - end[k]).abs() < 1e-9), "{own:?} {end:?}");
    }
    for pair in path.cells.windows(2) {
        assert!(mesh.neighbours(pair[0]).any(|(_, c)| c == pair[1]), "{pair:?} are no neighbours");
    }
    let straight = (path.points[0][0] - ends[1][0]).hypot(path.points[0][1] - ends[1][1]);
    assert!(path.plan_length_m >= straight - 1e-9);
    assert!(path.length_m >= path.plan_length_m - 1e-6, "{path:?}");
    // Points along each leg, in plan, lie on one of the cells crossed.
    for leg in path.points.windows(2) {
        for i in 0..=4 {
            let t = f64::from(i) / 4.0;
            let p =
                [leg[0][0] + (leg[1][0] - leg[0][0]) * t, leg[0][1] + (leg[1][1] - leg[0][1]) * t];
            assert!(
                path.cells.iter().any(|&c| on_cell(mesh, c, p)),
                "{p:?} is on no cell of {path:?}"
            );
        }
    }
}

/// Whether a point lies on a convex cell in plan, give or take a tenth of a millimetre.
fn on_cell(mesh: &NavMesh, cell: surefoot_mesh::CellId, p: [f64; 2]) -> bool {
    let corners: Vec<_> = mesh.cell_vertices(cell).map(|v| mesh.vertex_position(v)).collect();
    (0..corners.len()).all(|i| {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        let d = [b[0] - a[0], b[1] - a[1]];
        (d[0] * (p[1] - a[1]) - d[1] * (p[0] - a[0])) / d[0].hypot(d[1]) > -1e-4
    })
}

fn storm(seed: u64, meshes_count: usize, queries: usize) {
    let mut random = Random(seed);
    let (mut found, mut fallbacks) = (0, 0);
    for i in 0..meshes_count {
        let mesh = match i % 8 {
            0 | 1 => field(&mut random, 12, 11, 0.3, Cells::Triangles).mesh,
            2 | 3 => field(&mut random, 12, 11, 0.3, Cells::Rectangles).mesh,
            4 => spiral(2),
            5 => spiral(3),
            6 => hills(&mut random),
            _ => [ring(), stairs(6, true)][random.below(2)].clone().validate().unwrap(),
        };
        let mut query = Query::new(&mesh);
        let mut wide = Query::new(&mesh);
        wide.set_radius(0.3 + random.between(0.01, 0.4)).unwrap();
        let mut path = Path::default();
        let mut other = Path::default();
        for _ in 0..queries / meshes_count {
            let (from, to) = (awkward(&mesh, &mut random), awkward(&mesh, &mut random));
            let options = |algorithm| PathOptions {
                algorithm,
                points: if random.clone().share() < 0.5 {
                    PathPoints::Corners
                } else {
                    PathPoints::Ground
                },
                ..PathOptions::default()
            };
            let result = query.find_path_into(from, to, &options(Algorithm::Optimal), &mut path);
            let result2 = query.find_path_into(from, to, &options(Algorithm::AStar), &mut other);
            let reason = |r: &Result<(), PathError>| r.as_ref().err().map(PathError::reason);
            assert_eq!(reason(&result), reason(&result2));
            if result.is_ok() {
                check(&mesh, &query, &path, from, to);
                check(&mesh, &query, &other, from, to);
                let (best, funnel) = (path.plan_length_m, other.plan_length_m);
                // Ends within two nanometres of a vertex count as on it, which may cost that much.
                assert!(best <= funnel + 1e-8, "{best} > {funnel}: {from:?} {to:?}");
                found += 1;
            }
            if random.share() < 0.2
                && wide.find_path_into(from, to, &PathOptions::default(), &mut path).is_ok()
            {
                assert!(path.points.iter().flatten().all(|c| c.is_finite()));
            }
            if random.share() < 0.1 {
                let _ = query.raycast(from, to);
                let _ = query.move_along_surface(from, to);
                let _ = query.nearest_wall(from, random.between(0.0, 20.0));
                let _ = query.random_point_near(from, random.between(0.0, 5.0), || random.share());
            }
        }
        fallbacks += query.fallbacks() + wide.fallbacks();
    }
    assert!(found * 4 > queries, "only {found} of {queries} found a way");
    assert!(fallbacks * 100_000 <= queries as u64, "{fallbacks} views were lost");
}

#[test]
fn ten_thousand_queries_in_awkward_places() {
    storm(77, 16, 10_000);
}

#[test]
#[ignore = "takes minutes in the dev profile: run with --release -- --ignored"]
fn a_million_queries_in_awkward_places() {
    storm(78, 400, 1_000_000);
}
