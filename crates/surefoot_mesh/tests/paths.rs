//! Paths on meshes whose answers are known or can be worked out by brute force.

mod meshes;

use meshes::{Cells, Random, field, l_shape, ring, square, stairs};
use surefoot_mesh::{
    Algorithm, CellId, Link, LinkKind, NavMesh, OverBudget, Path, PathError, PathOptions,
    PathPoints, Query, SearchProgress, Unreachable,
};

const BOTH: [Algorithm; 2] = [Algorithm::Optimal, Algorithm::AStar];

fn options(algorithm: Algorithm) -> PathOptions {
    PathOptions { algorithm, ..PathOptions::default() }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn a_straight_line_within_one_cell() {
    let mesh = square().validate().unwrap();
    for algorithm in BOTH {
        let path = Query::new(&mesh)
            .find_path_with([1.0, 1.0, 0.0], [3.0_f32, 2.0, 0.0], &options(algorithm))
            .unwrap();
        assert_eq!(path.points, [[1.0, 1.0, 0.0], [3.0, 2.0, 0.0]]);
        assert!(close(path.length_m, 5.0_f64.sqrt()));
        assert_eq!(path.cells, [CellId(0)]);
    }
}

#[test]
fn the_inner_corner_of_an_l_is_the_only_turn() {
    let mesh = l_shape().validate().unwrap();
    for algorithm in BOTH {
        let path = Query::new(&mesh)
            .find_path_with([3.5, 0.5, 0.0], [0.5, 3.5, 0.0], &options(algorithm))
            .unwrap();
        // The corner at (2, 2) lies on the straight line, so there is no turn.
        assert_eq!(path.points, [[3.5, 0.5, 0.0], [0.5, 3.5, 0.0]]);
        let around = Query::new(&mesh)
            .find_path_with([3.5, 1.5, 0.0], [1.5, 3.5, 0.0], &options(algorithm))
            .unwrap();
        assert!(close(around.points[1][0], 2.0) && close(around.points[1][1], 2.0));
        assert!(close(around.length_m, 2.0 * (1.5_f64 * 1.5 + 0.25).sqrt()));
        assert_eq!(around.cells, [CellId(1), CellId(0), CellId(2)]);
    }
}

#[test]
fn the_shorter_side_of_a_ring_is_taken() {
    let mesh = ring().validate().unwrap();
    let mut query = Query::new(&mesh);
    for algorithm in BOTH {
        let path =
            query.find_path_with([1.0, 2.6, 0.0], [5.0, 2.6, 0.0], &options(algorithm)).unwrap();
        assert_eq!(path.points[1..3], [[2.0, 2.0, 0.0], [4.0, 2.0, 0.0]]);
        let path =
            query.find_path_with([1.0, 3.4, 0.0], [5.0, 3.4, 0.0], &options(algorithm)).unwrap();
        assert_eq!(path.points[1..3], [[2.0, 4.0, 0.0], [4.0, 4.0, 0.0]]);
    }
}

#[test]
fn stairs_are_climbed_and_the_floor_below_is_another_place() {
    let mesh = stairs(4, true).validate().unwrap();
    assert_eq!(mesh.component_count(), 2);
    let mut query = Query::new(&mesh);
    let path = query.find_path([0.5, 1.0, 0.0], [3.5, 1.0, 0.6]).unwrap();
    assert_eq!(path.points.len(), 2);
    assert!(close(path.plan_length_m, 3.0));
    assert_eq!(path.cells.len(), 4);
    // Points that follow the ground lie on the noses of the steps.
    let ground = PathOptions { points: PathPoints::Ground, ..PathOptions::default() };
    let path = query.find_path_with([0.5, 1.0, 0.0], [3.5, 1.0, 0.6], &ground).unwrap();
    let xs: Vec<f64> = path.points.iter().map(|p| p[0]).collect();
    assert_eq!(xs, [0.5, 1.0, 3.0, 3.5]);
    assert!((path.points[1][2] - 0.2).abs() < 1e-6 && (path.points[2][2] - 0.6).abs() < 1e-6);
    assert!((path.length_m - path.surface_length_m).abs() < 1e-9);
    let error = query.find_path([0.5, 1.0, 0.0], [0.5, 1.0, -4.0]).unwrap_err();
    assert!(matches!(error, PathError::Disconnected { goal: CellId(4), .. }), "{error}");
    assert_eq!(error.reason(), "disconnected");
}

#[test]
fn off_the_mesh_is_said_for_either_end() {
    let mesh = square().validate().unwrap();
    let mut query = Query::new(&mesh);
    let error = query.find_path([9.0, 0.0, 0.0], [1.0, 1.0, 0.0]).unwrap_err();
    assert_eq!(
        (error.reason(), matches!(error, PathError::StartOffMesh { .. })),
        ("start-off-mesh", true)
    );
    let error = query.find_path([1.0, 1.0, 0.0], [1.0, 1.0, 7.0]).unwrap_err();
    assert_eq!(error.reason(), "goal-off-mesh");
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        assert!(query.find_path([bad, 1.0, 0.0], [1.0, 1.0, 0.0]).is_err());
        assert!(query.find_path([1.0, 1.0, 0.0], [1.0, bad, 0.0]).is_err());
        assert!(query.nearest([1.0, 1.0, bad], [1.0, 1.0, 1.0]).is_none());
    }
    query.set_extents([10.0, 10.0, 1.0]);
    assert!(query.find_path([9.0, 0.0, 0.0], [1.0, 1.0, 0.0]).is_ok());
}

#[test]
fn a_goal_out_of_reach_can_be_approached() {
    let mut data = ring();
    // Cut the ring's upper right square off.
    let (start, end) = (data.cell_first_edges[7], data.cell_first_edges[8]);
    for e in start..end {
        let twin = data.edge_twins[e as usize];
        for e in [e, twin] {
            if e != surefoot_mesh::NO_EDGE {
                data.edge_twins[e as usize] = surefoot_mesh::NO_EDGE;
                data.edge_classes[e as usize] = surefoot_mesh::EdgeClass::Open;
            }
        }
    }
    let mesh = data.validate().unwrap();
    let near = PathOptions { unreachable: Unreachable::NearestReachable, ..PathOptions::default() };
    let mut query = Query::new(&mesh);
    assert!(query.find_path([1.0, 1.0, 0.0], [4.5, 5.0, 0.0]).is_err());
    let path = query.find_path_with([1.0, 1.0, 0.0], [4.5, 5.0, 0.0], &near).unwrap();
    assert!(!path.reaches_goal);
    assert_eq!(path.points.last(), Some(&[4.0, 5.0, 0.0]));
}

fn linked(two_way: bool) -> NavMesh {
    let mut data = stairs(2, true);
    data.links.push(Link {
        from_cell: CellId(1),
        to_cell: CellId(2),
        from_segment: [[5.0, 3.0, 4.2], [5.0, 5.0, 4.2]],
        to_segment: [[6.0, 3.0, 0.0], [6.0, 5.0, 0.0]],
        kind: LinkKind::Jump,
        two_way,
        area: surefoot_mesh::AreaId(0),
    });
    data.validate().unwrap()
}

#[test]
fn links_are_segments_and_may_lead_one_way() {
    // In the mesh's own frame the staircase starts at (3, 3, 4).
    let mesh = linked(false);
    assert_eq!(mesh.component_count(), 1);
    let mut query = Query::new(&mesh);
    for algorithm in BOTH {
        let path =
            query.find_path_with([1.5, 0.5, 0.2], [5.0, 0.7, -4.0], &options(algorithm)).unwrap();
        assert_eq!(path.links.len(), 1);
        let link = path.links[0];
        let (from, to) = (path.points[link.point], path.points[link.point + 1]);
        assert!(close(from[0], 2.0) && close(to[0], 3.0), "{path:?}");
        assert!(close(from[1], to[1]) && (from[1] - 2.0 * link.share).abs() < 1e-9);
        // The straight line in plan is the shortest: at x = 2 it is at about y = 0.5286.
        assert!((from[1] - 0.55).abs() < 0.03, "{from:?}");
        let there: f64 =
            1.0_f64.hypot(4.2) + 0.5_f64.hypot(from[1] - 0.5) + 2.0_f64.hypot(from[1] - 0.7);
        assert!((path.plan_length_m - there).abs() < 1e-6);
        let back = query.find_path_with([5.0, 0.7, -4.0], [1.5, 0.5, 0.2], &options(algorithm));
        assert_eq!(back.unwrap_err().reason(), "disconnected");
    }
    let mesh = linked(true);
    let back = Query::new(&mesh).find_path([5.0, 0.7, -4.0], [1.5, 0.5, 0.2]).unwrap();
    assert!(back.links[0].backwards);
}

#[test]
fn a_goal_behind_a_one_way_link_can_be_approached() {
    let mesh = linked(false);
    let mut query = Query::new(&mesh);
    // Up on the landing; only a jump leads from there to the floor.
    let (from, to) = ([5.0, 0.7, -4.0], [1.5, 0.5, 0.2]);
    for algorithm in BOTH {
        let near = PathOptions { unreachable: Unreachable::NearestReachable, ..options(algorithm) };
        let path = query.find_path_with(from, to, &near).unwrap();
        assert!(!path.reaches_goal && path.links.is_empty());
        // The floor's nearest place in space to the goal.
        let end = *path.points.last().unwrap();
        let floor = query.locate(from).unwrap().cell;
        let corners: Vec<_> = mesh.cell_vertices(floor).map(|v| mesh.vertex_position(v)).collect();
        let distance = |p: [f64; 3]| (0..3).map(|k| (p[k] - to[k]).powi(2)).sum::<f64>().sqrt();
        for i in 0..=1000 {
            let n = corners.len();
            let (k, t) = (i * n / 1001, f64::from((i * n % 1001) as u32) / 1001.0);
            let (a, b) = (corners[k], corners[(k + 1) % n]);
            let p = std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t);
            assert!(distance(p) > distance(end) - 1e-9, "{p:?} is nearer than {end:?}");
        }
        // In slices too.
        query.begin_path(from, to, &near).unwrap();
        while query.advance(1).unwrap() == SearchProgress::Searching {}
        let mut again = Path::default();
        query.finish_path(&mut again).unwrap();
        assert_eq!(again, path);
    }
}

#[test]
fn random_fields_agree_with_brute_force() {
    let mut random = Random(1);
    let (mut pairs, mut longer) = (0, 0);
    for round in 0..24 {
        let cells = if round % 2 == 0 { Cells::Triangles } else { Cells::Rectangles };
        let f = field(&mut random, 8, 7, 0.3, cells);
        let mut query = Query::new(&f.mesh);
        for _ in 0..25 {
            let (a, b) = (f.random_free_point(&mut random), f.random_free_point(&mut random));
            let best = f.shortest(a, b);
            let (from, to) = ([a[0], a[1], 0.0], [b[0], b[1], 0.0]);
            let optimal = query.find_path_with(from, to, &options(Algorithm::Optimal));
            let funnel = query.find_path_with(from, to, &options(Algorithm::AStar));
            match best {
                Some(best) => {
                    let (optimal, funnel) = (optimal.unwrap(), funnel.unwrap());
                    assert!(
                        (optimal.plan_length_m - best).abs() < 1e-4 * best.max(1.0),
                        "round {round}: {} instead of {best} from {a:?} to {b:?}",
                        optimal.plan_length_m
                    );
                    assert!(funnel.plan_length_m > optimal.plan_length_m - 1e-9);
                    longer += usize::from(funnel.plan_length_m > best * 1.01);
                    for path in [&optimal, &funnel] {
                        for leg in path.points.windows(2) {
                            let (p, q) = ([leg[0][0], leg[0][1]], [leg[1][0], leg[1][1]]);
                            assert!(shrunk(&f, p, q), "round {round}: {p:?} to {q:?}");
                        }
                    }
                    pairs += 1;
                }
                None => {
                    assert!(optimal.is_err(), "round {round} {a:?} {b:?} {optimal:?}");
                    assert_eq!(optimal.unwrap_err().reason(), "disconnected");
                    assert_eq!(funnel.unwrap_err().reason(), "disconnected");
                }
            }
        }
    }
    assert!(pairs > 300, "only {pairs} pairs were connected");
    assert!(longer * 4 < pairs, "A* is longer by 1 % in {longer} of {pairs}");
}

/// Whether a leg is free, allowing for points that were rounded to the lattice.
fn shrunk(f: &meshes::Field, p: [f64; 2], q: [f64; 2]) -> bool {
    (0..=50).all(|i| {
        let t = f64::from(i) / 50.0;
        let at = [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t, 0.0];
        Query::new(&f.mesh).nearest(at, [1e-4, 1e-4, 1.0]).is_some()
    })
}

#[test]
fn a_search_in_slices_gives_the_same_path() {
    let mut random = Random(5);
    let f = field(&mut random, 20, 20, 0.25, Cells::Triangles);
    let mut whole = Query::new(&f.mesh);
    let mut sliced = Query::new(&f.mesh);
    for algorithm in BOTH {
        for _ in 0..20 {
            let (a, b) = (f.random_free_point(&mut random), f.random_free_point(&mut random));
            let (from, to) = ([a[0], a[1], 0.0], [b[0], b[1], 0.0]);
            let Ok(expected) = whole.find_path_with(from, to, &options(algorithm)) else {
                continue;
            };
            sliced.begin_path(from, to, &options(algorithm)).unwrap();
            let mut slices = 0;
            while sliced.advance(3).unwrap() == SearchProgress::Searching {
                slices += 1;
                assert!(slices < 100_000);
            }
            let mut path = Path::default();
            sliced.finish_path(&mut path).unwrap();
            assert!((path.plan_length_m - expected.plan_length_m).abs() < 1e-9);
            assert!(sliced.advance(1).is_err());
            if expected.nodes > 4 {
                let tight = PathOptions { max_nodes: Some(2), ..options(algorithm) };
                let error = whole.find_path_with(from, to, &tight).unwrap_err();
                assert_eq!(error.reason(), "budget-spent");
            }
        }
    }
}

#[test]
fn a_spent_budget_is_an_error_or_another_search() {
    let mut random = Random(5);
    let f = field(&mut random, 14, 12, 0.3, Cells::Triangles);
    let mut query = Query::new(&f.mesh);
    let tight = PathOptions { max_nodes: Some(3), ..PathOptions::default() };
    let lenient = PathOptions { over_budget: OverBudget::AskAStar, ..tight };
    let mut asked = 0;
    for _ in 0..200 {
        let [from, to] = [0, 1].map(|_| {
            let [x, y] = f.random_free_point(&mut random);
            [x, y, 0.0]
        });
        let Ok(best) = query.find_path(from, to) else { continue };
        let before = query.fallbacks();
        let path = query.find_path_with(from, to, &lenient).unwrap();
        match query.find_path_with(from, to, &tight) {
            Ok(same) => assert!(path == same && query.fallbacks() == before),
            Err(error) => {
                assert_eq!(error.reason(), "budget-spent");
                assert_eq!(query.fallbacks(), before + 1);
                let portals = query.find_path_with(from, to, &options(Algorithm::AStar)).unwrap();
                assert_eq!(path.points, portals.points);
                assert!(path.plan_length_m >= best.plan_length_m - 1e-9);
                asked += 1;
            }
        }
    }
    assert!(asked > 20, "only {asked} searches were long enough");
}

#[test]
fn a_start_on_the_line_of_a_portal_a_hair_from_its_end_is_walked_from_straight() {
    // Thirty kilometres wide, so that a thousand-millionth of the way is a few lattice units.
    let points: &[[f32; 3]] =
        &[[10_000.0, 4000.0, 0.0], [30_000.0, 2000.0, 0.0], [30_000.0, 16_000.0, 0.0]];
    let points: Vec<[f32; 3]> = points.iter().copied().chain([[9000.0, 16_000.0, 0.0]]).collect();
    // The line belongs to the first cell.
    let mesh = meshes::data(&points, &[&[0, 2, 3], &[0, 1, 2]]).validate().unwrap();
    let mut query = Query::new(&mesh);
    let beside = |x: f64, y: f64| [30_000.0 - x * 1e-6, 16_000.0 - y * 1e-6, 0.0];
    for (from, to) in [
        (
            [29_999.999_980_000_004, 15_999.999_988_000_001, 0.0],
            [29_999.999_998, 15_999.999_992_000_001, 0.0],
        ),
        (beside(20.0, 12.0), beside(2.0, 8.0)),
        (beside(20.0, 12.0), beside(8.0, 2.0)),
        (beside(5.0, 3.0), beside(20.0, 1.0)),
        (beside(1000.0, 600.0), beside(1.0, 900.0)),
    ] {
        for (from, to) in [(from, to), (to, from)] {
            let path = query.find_path(from, to).unwrap();
            let straight = (from[0] - to[0]).hypot(from[1] - to[1]);
            assert!(path.plan_length_m <= straight + 2e-5, "{from:?} {to:?}: {path:?}");
        }
    }
}
