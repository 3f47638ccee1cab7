//! Wider agents on one mesh: what is left, who passes, and how long the way is.

mod meshes;

use meshes::{Cells, Field, Random, field, l_shape, ring, square, stairs};
use std::sync::Arc;
use surefoot_mesh::{
    Agent, CHORD_ERROR_M, CellId, Clearance, Link, LinkKind, NavMesh, NavMeshData, PathPoints,
    Query, RadiusError,
};

/// The agent of all test meshes.
const OWN_M: f64 = 0.3;

fn wide(mesh: &NavMesh, more_m: f64) -> Clearance {
    Clearance::new(mesh, OWN_M + more_m).unwrap()
}

#[test]
fn areas_are_those_of_the_ground_taken_in() {
    let mesh = square().validate().unwrap();
    for more in [0.1, 0.5, 1.0, 1.9] {
        let expected = (4.0 - 2.0 * more) * (4.0 - 2.0 * more);
        assert!((wide(&mesh, more).area_m2() - expected).abs() < 1e-6, "{more}");
    }
    assert!(wide(&mesh, 2.1).area_m2().abs() < 1e-9);
    // Around the inner corner of an L lies a quarter of a circle.
    let mesh = l_shape().validate().unwrap();
    for more in [0.1, 0.4, 0.7] {
        // The outer square taken in, less the missing square, whose corner has become round.
        let outer = 4.0 - 2.0 * more;
        let rounding = (1.0 - std::f64::consts::FRAC_PI_4) * more * more;
        let expected = outer * outer - 4.0 + rounding;
        let area = wide(&mesh, more).area_m2();
        assert!((area - expected).abs() < 3.0 * CHORD_ERROR_M * more + 1e-6, "{area} {expected}");
        assert!(area <= expected + 1e-9, "the polygon lies outside the arc");
    }
}

#[test]
fn its_own_radius_changes_nothing_and_a_smaller_one_is_refused() {
    let mesh = ring().validate().unwrap();
    let mut query = Query::new(&mesh);
    let plain = query.find_path([1.0, 2.6, 0.0], [5.0, 2.6, 0.0]).unwrap();
    query.set_radius(OWN_M).unwrap();
    assert_eq!(query.find_path([1.0, 2.6, 0.0], [5.0, 2.6, 0.0]).unwrap(), plain);
    for bad in [0.1, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(query.set_radius(bad), Err(RadiusError::TooSmall { .. })));
    }
    assert!(Clearance::with_chord_error(&mesh, 1.0, 0.0).is_err());
    let other = Arc::new(wide(&square().validate().unwrap(), 0.1));
    assert_eq!(query.set_clearance(other), Err(RadiusError::OtherMesh));
}

/// Turns points about the origin.
fn turned(points: &[[f64; 2]], angle: f64) -> Vec<[f32; 3]> {
    let (s, c) = angle.sin_cos();
    points
        .iter()
        .map(|p| [(p[0] * c - p[1] * s) as f32, (p[0] * s + p[1] * c) as f32, 0.0])
        .collect()
}

/// Two rooms joined by a door, at an angle; the jambs are corners or one of them is a wall.
fn door(width: f64, angle: f64, by_a_wall: bool) -> NavMesh {
    let low = if by_a_wall { 0.0 } else { 1.3 };
    let points = turned(
        &[
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 4.0],
            [0.0, 4.0],
            [3.0, low],
            [3.0, low + width],
            [3.5, low],
            [3.5, low + width],
            [3.5, 0.0],
            [6.5, 0.0],
            [6.5, 4.0],
            [3.5, 4.0],
        ],
        angle,
    );
    let polygons: Vec<Vec<u32>> = if by_a_wall {
        vec![vec![0, 1, 5, 2, 3], vec![1, 8, 7, 5], vec![8, 9, 10, 11, 7]]
    } else {
        vec![vec![0, 1, 4, 5, 2, 3], vec![4, 6, 7, 5], vec![6, 8, 9, 10, 11, 7]]
    };
    NavMeshData::from_polygons(&points, &polygons, Agent::default(), meshes::UP)
        .unwrap()
        .validate()
        .unwrap()
}

#[test]
fn doors_are_passed_exactly_when_they_are_wide_enough() {
    for angle in [0.0, 0.3, 0.785, 1.234] {
        for by_a_wall in [false, true] {
            for more in [0.15, 0.4, 0.85] {
                // A tenth of a millimetre either way; the lattice moves a jamb by 8 µm.
                for off in [-1e-4, 1e-4, -0.01, 0.01] {
                    let mesh = door(2.0 * more + off, angle, by_a_wall);
                    let mut query = Query::new(&mesh);
                    query.set_radius(OWN_M + more).unwrap();
                    let at = |x: f64, y: f64| turned(&[[x, y]], angle)[0].map(f64::from);
                    let path = query.find_path(at(1.0, 2.0), at(5.5, 2.0));
                    assert_eq!(
                        path.is_ok(),
                        off > 0.0,
                        "{more} {off} {angle} {by_a_wall} {path:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn two_corners_that_face_each_other_askew_leave_the_distance_between_them() {
    // Pillars whose nearest corners are 1 m apart along a diagonal.
    for angle in [0.0, 0.4, 1.1] {
        for (more, passes) in [(0.4999, true), (0.5001, false)] {
            let d = 0.5_f64.sqrt();
            let points = turned(
                &[
                    [0.0, 0.0],
                    [3.0, 0.0],
                    [3.0, 3.0],
                    [0.0, 3.0],
                    [3.0 + d, 3.0 + d],
                    [6.0 + d, 3.0 + d],
                    [6.0 + d, 6.0 + d],
                    [3.0 + d, 6.0 + d],
                    [3.0 + d, 0.0],
                    [0.0, 3.0 + d],
                    [6.0 + d, 0.0],
                    [0.0, 6.0 + d],
                ],
                angle,
            );
            // Rooms to the lower right and the upper left, joined between the pillars' corners at
            // (3, 3) and (3 + d, 3 + d).
            let polygons =
                vec![vec![2, 1, 8, 4], vec![8, 10, 5, 4], vec![2, 4, 9, 3], vec![9, 4, 7, 11]];
            let Ok(data) =
                NavMeshData::from_polygons(&points, &polygons, Agent::default(), meshes::UP)
            else {
                panic!("no mesh");
            };
            let mesh = data.validate().unwrap();
            let mut query = Query::new(&mesh);
            let at = |x: f64, y: f64| turned(&[[x, y]], angle)[0].map(f64::from);
            let (from, to) = (at(3.0 + d + 1.5, 1.5), at(1.5, 3.0 + d + 1.5));
            assert!(query.find_path(from, to).is_ok());
            query.set_radius(OWN_M + more).unwrap();
            query.set_extents([1.0, 1.0, 1.0]);
            let path = query.find_path(from, to);
            assert_eq!(path.is_ok(), passes, "{more} {angle} {path:?}");
        }
    }
}

#[test]
fn the_way_around_a_corner_is_two_tangents_and_an_arc() {
    let mesh = l_shape().validate().unwrap();
    let mut query = Query::new(&mesh);
    for more in [0.2, 0.5, 0.8] {
        query.set_radius(OWN_M + more).unwrap();
        let x = 2.0 - more;
        let path = query.find_path([4.0 - more, x, 0.0], [x, 4.0 - more, 0.0]).unwrap();
        // Along the wall to the corner, a quarter turn around it, along the other wall.
        let expected = 2.0 * (2.0 - more) + std::f64::consts::FRAC_PI_2 * more;
        assert!(path.plan_length_m >= expected - 1e-6, "{} {expected}", path.plan_length_m);
        assert!(path.plan_length_m <= expected * 1.002, "{} {expected}", path.plan_length_m);
    }
}

/// The distance between a point and a segment.
fn to_segment(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let d = [b[0] - a[0], b[1] - a[1]];
    let length2 = d[0] * d[0] + d[1] * d[1];
    let t = if length2 > 0.0 {
        (((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length2).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (a[0] + d[0] * t - p[0]).hypot(a[1] + d[1] * t - p[1])
}

/// The distance between two segments that do not cross.
fn apart(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> f64 {
    to_segment(a, c, d).min(to_segment(b, c, d)).min(to_segment(c, a, b)).min(to_segment(d, a, b))
}

impl Field {
    /// Whether a disc can move straight from one point to another.
    fn disc_sees(&self, a: [f64; 2], b: [f64; 2], radius: f64) -> bool {
        self.sees(a, b)
            && self
                .blocked
                .iter()
                .all(|q| (0..4).all(|i| apart(a, b, q[i], q[(i + 1) % 4]) >= radius - 1e-9))
    }

    /// The shortest way of a disc by brute force: over points on circles around all corners.
    fn disc_shortest(&self, a: [f64; 2], b: [f64; 2], radius: f64) -> Option<f64> {
        const AROUND: usize = 40;
        let mut nodes = vec![a, b];
        let r = radius / (std::f64::consts::PI / AROUND as f64).cos() * (1.0 + 1e-9);
        for c in &self.corners {
            for k in 0..AROUND {
                let angle = (k as f64 + 0.37) / AROUND as f64 * std::f64::consts::TAU;
                let p = [c[0] + r * angle.cos(), c[1] + r * angle.sin()];
                if self.disc_sees(p, p, radius) {
                    nodes.push(p);
                }
            }
        }
        let n = nodes.len();
        let mut best = vec![f64::INFINITY; n];
        let mut done = vec![false; n];
        best[0] = 0.0;
        loop {
            let next = (0..n)
                .filter(|&i| !done[i] && best[i].is_finite())
                .min_by(|&i, &j| best[i].total_cmp(&best[j]))?;
            if next == 1 {
                return Some(best[1]);
            }
            done[next] = true;
            for i in 0..n {
                let d = (nodes[i][0] - nodes[next][0]).hypot(nodes[i][1] - nodes[next][1]);
                if !done[i]
                    && best[next] + d < best[i]
                    && self.disc_sees(nodes[next], nodes[i], radius)
                {
                    best[i] = best[next] + d;
                }
            }
        }
    }
}

#[test]
fn random_fields_agree_with_brute_force_for_discs() {
    let mut random = Random(41);
    let (mut found, mut none) = (0, 0);
    for round in 0..10 {
        let cells = if round % 2 == 0 { Cells::Triangles } else { Cells::Rectangles };
        let f = field(&mut random, 7, 6, 0.22, cells);
        let more = [0.12, 0.2, 0.3, 0.38, 0.45][round / 2];
        let mut query = Query::new(&f.mesh);
        query.set_radius(OWN_M + more).unwrap();
        query.set_extents([1e-6, 1e-6, 1.0]);
        let mut plain = Query::new(&f.mesh);
        let mut tries = 0;
        while tries < 6 {
            let (a, b) = (f.random_free_point(&mut random), f.random_free_point(&mut random));
            // Ends well within the ground of the wide agent, so that no rounding decides.
            let clear = |p| f.disc_sees(p, p, more + 0.002);
            if !clear(a) || !clear(b) {
                continue;
            }
            tries += 1;
            let (from, to) = ([a[0], a[1], 0.0], [b[0], b[1], 0.0]);
            let path = query.find_path(from, to);
            match f.disc_shortest(a, b, more) {
                Some(expected) => {
                    let path = path.unwrap_or_else(|e| panic!("round {round}: {e} {a:?} {b:?}"));
                    let ratio = path.plan_length_m / expected;
                    assert!(
                        (0.99..1.003).contains(&ratio),
                        "round {round}: {} {expected}",
                        path.plan_length_m
                    );
                    for leg in path.points.windows(2) {
                        let (p, q) = ([leg[0][0], leg[0][1]], [leg[1][0], leg[1][1]]);
                        let near =
                            f.blocked.iter().flat_map(|b| (0..4).map(|i| (b[i], b[(i + 1) % 4])));
                        let distance =
                            near.map(|(c, d)| apart(p, q, c, d)).fold(f64::INFINITY, f64::min);
                        assert!(distance >= more - 2e-5, "round {round}: {distance} from a wall");
                        assert!(
                            plain.nearest_wall(leg[0], 9.0).unwrap().unwrap().distance_m
                                >= more - 2e-5
                        );
                    }
                    found += 1;
                }
                None => {
                    // Brute force knows passages only as well as its circles: a margin of 1 %.
                    if path.is_ok() {
                        assert!(f.disc_shortest(a, b, more * 0.98).is_some(), "round {round}");
                    } else {
                        none += 1;
                    }
                }
            }
        }
    }
    assert!(found >= 20 && none >= 5, "{found} found, {none} not");
}

#[test]
fn walls_of_other_storeys_do_not_count() {
    // Stairs over a floor: the floor keeps its full width below them.
    let mesh = stairs(4, true).validate().unwrap();
    let mut query = Query::new(&mesh);
    query.set_radius(OWN_M + 0.5).unwrap();
    let floor = query.find_path([-2.0, 1.0, -4.0], [6.0, 1.0, -4.0]).unwrap();
    assert!((floor.plan_length_m - 8.0).abs() < 1e-9 && floor.points.len() == 2);
    // Up the stairs, which are 2 m wide, along the middle and not nearer to their sides.
    let up = query.find_path([0.5, 1.0, 0.0], [3.4, 1.0, 0.6]).unwrap();
    assert!((up.plan_length_m - 2.9).abs() < 1e-6, "{up:?}");
    assert_eq!(up.cells, [0, 1, 2, 3].map(CellId));
    let edge = query.find_path([0.5, 0.1, 0.0], [3.4, 0.1, 0.6]).unwrap();
    assert!(edge.points.iter().all(|p| p[1] >= 0.5 - 1e-6), "{edge:?}");
    query.set_radius(OWN_M + 1.1).unwrap();
    assert!(query.find_path([0.5, 1.0, 0.0], [3.4, 1.0, 0.6]).is_err());
}

#[test]
fn links_are_taken_by_whom_they_are_wide_enough_for() {
    let mut data = meshes::data(
        &[
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 4.0, 0.0],
            [0.0, 4.0, 0.0],
            [6.0, 0.0, 0.0],
            [10.0, 0.0, 0.0],
            [10.0, 4.0, 0.0],
            [6.0, 4.0, 0.0],
        ],
        &[&[0, 1, 2, 3], &[4, 5, 6, 7]],
    );
    data.links.push(Link {
        from_cell: CellId(0),
        to_cell: CellId(1),
        from_segment: [[4.0, 1.0, 0.0], [4.0, 3.0, 0.0]],
        to_segment: [[6.0, 1.0, 0.0], [6.0, 3.0, 0.0]],
        kind: LinkKind::Jump,
        two_way: true,
        area: surefoot_mesh::AreaId(0),
    });
    let mesh = data.validate().unwrap();
    let mut query = Query::new(&mesh);
    query.set_radius(OWN_M + 0.5).unwrap();
    let path = query.find_path([1.0, 2.0, 0.0], [9.0, 2.0, 0.0]).unwrap();
    assert_eq!(path.links.len(), 1);
    assert!((path.plan_length_m - 8.0).abs() < 1e-6, "{path:?}");
    query.set_radius(OWN_M + 1.01).unwrap();
    assert_eq!(
        query.find_path([1.5, 2.0, 0.0], [8.5, 2.0, 0.0]).unwrap_err().reason(),
        "disconnected"
    );
}

#[test]
fn the_other_queries_know_the_wider_agent_too() {
    let mesh = l_shape().validate().unwrap();
    let mut query = Query::new(&mesh);
    query.set_radius(OWN_M + 0.5).unwrap();
    let ray = query.raycast([1.0, 1.0, 0.0], [9.0, 1.0, 0.0]).unwrap();
    assert!((ray.end.point[0] - 3.5).abs() < 1e-6, "{ray:?}");
    let wall = query.nearest_wall([1.0, 1.0, 0.0], 9.0).unwrap().unwrap();
    assert!((wall.distance_m - 0.5).abs() < 1e-6, "{wall:?}");
    let mut random = Random(1);
    let mut plain = Query::new(&mesh);
    for _ in 0..300 {
        let p = query.random_point(|| random.share()).unwrap();
        let wall = plain.nearest_wall(p.point, 9.0).unwrap().unwrap();
        assert!(wall.distance_m >= 0.5 - 1e-6);
    }
    let ground = surefoot_mesh::PathOptions { points: PathPoints::Ground, ..Default::default() };
    assert!(query.find_path_with([1.0, 1.0, 0.0], [3.0, 1.0, 0.0], &ground).is_ok());
}

#[test]
fn ground_is_left_exactly_where_no_wall_is_near() {
    let mut random = Random(43);
    // In wide fields most walls are far behind others, and are not looked for.
    let rounds = [0.12, 0.2, 0.3, 0.45].map(|more| (7, 6, 0.22, more));
    let wide_rounds = [0.9, 1.4, 2.2, 3.1].map(|more| (24, 22, 0.02, more));
    let mut kept = 0;
    for (round, (columns, rows, density, more)) in
        rounds.into_iter().chain(wide_rounds).flat_map(|r| [r, r]).enumerate()
    {
        let cells = if round % 2 == 0 { Cells::Triangles } else { Cells::Rectangles };
        let f = field(&mut random, columns, rows, density, cells);
        let mut plain = Query::new(&f.mesh);
        let mut query = Query::new(&f.mesh);
        query.set_radius(OWN_M + more).unwrap();
        for _ in 0..2000 {
            let p = f.random_free_point(&mut random);
            let at = [p[0], p[1], 0.0];
            let wall = plain.nearest_wall(at, 9.0).unwrap().unwrap();
            let left = query.nearest(at, [1e-7, 1e-7, 1.0]).is_some();
            kept += usize::from(left && round >= 8);
            if wall.distance_m > more + CHORD_ERROR_M + 1e-6 {
                assert!(left, "round {round}: {p:?} is {} from a wall", wall.distance_m);
            }
            if wall.distance_m < more - 1e-6 {
                assert!(!left, "round {round}: {p:?} is {} from a wall", wall.distance_m);
            }
        }
    }
    assert!(kept > 500, "{kept} places of wide fields are left");
}

#[test]
fn a_radius_that_nothing_has_room_for_leaves_no_ground_and_no_work() {
    let f = field(&mut Random(47), 30, 30, 0.1, Cells::Triangles);
    let mut query = Query::new(&f.mesh);
    for radius_m in [50.0, 1e3, 1e6, 1e18, f64::MAX] {
        let clearance = Clearance::new(&f.mesh, radius_m).unwrap();
        assert_eq!((clearance.piece_count(), clearance.area_m2()), (0, 0.0), "{radius_m}");
        query.set_radius(radius_m).unwrap();
        let refused = query.find_path([2.0, 2.0, 0.0], [20.0, 20.0, 0.0]).unwrap_err();
        assert_eq!(refused.reason(), "start-off-mesh");
    }
}

#[test]
fn an_arc_has_a_bounded_number_of_sides() {
    // An L two kilometres wide, around whose inner corner a radius of 400 m leads.
    let points = [[0.0, 0.0], [2e3, 0.0], [2e3, 1e3], [1e3, 1e3], [1e3, 2e3], [0.0, 2e3]];
    let points: Vec<[f32; 3]> = points.map(|[x, y]| [x, y, 0.0]).to_vec();
    let mesh = meshes::data(&points, &[&[0, 1, 2, 3], &[0, 3, 4, 5]]).validate().unwrap();
    for chord_error_m in [1e-3, 1e-9, 1e-300] {
        let wide = Clearance::with_chord_error(&mesh, 400.0, chord_error_m).unwrap();
        assert!((100..2000).contains(&wide.piece_count()), "{}", wide.piece_count());
        let distance_m = 400.0 - OWN_M;
        let rounding = (1.0 - std::f64::consts::FRAC_PI_4) * distance_m * distance_m;
        let expected = (2e3 - 2.0 * distance_m).powi(2) - 1e6 + rounding;
        let lost = expected - wide.area_m2();
        assert!((-1e-3..3.0 * distance_m * distance_m / 53e3).contains(&lost), "{lost}");
    }
}

#[test]
fn walls_that_all_see_each_other_are_refused_before_they_take_up_memory() {
    // Two combs whose teeth look at each other over one strip of open ground.
    let teeth = 3000;
    let mut points = Vec::new();
    let mut cells = Vec::new();
    for (row, flip) in [(0.0, false), (40.0, true)] {
        let base = points.len() as u32;
        for k in 0..=2 * teeth {
            let (near, far) = if flip { (row, row + 1.0) } else { (row, row - 1.0) };
            points.push([k as f32 * 0.01, near, 0.0]);
            points.push([k as f32 * 0.01, far, 0.0]);
        }
        for k in (0..2 * teeth).step_by(2) {
            let [a, b, c, d] = [0, 1, 3, 2].map(|i| base + 2 * k as u32 + i);
            cells.push(if flip { vec![a, d, c, b] } else { vec![b, c, d, a] });
        }
    }
    let row: Vec<u32> = (0..=2 * teeth as u32).collect();
    let upper = 2 * (2 * teeth as u32 + 1);
    cells.push(row.iter().map(|k| 2 * k).chain(row.iter().rev().map(|k| upper + 2 * k)).collect());
    let cells: Vec<&[u32]> = cells.iter().map(Vec::as_slice).collect();
    let mesh = meshes::data(&points, &cells).validate().unwrap();
    let refused = Clearance::new(&mesh, 19.0).unwrap_err();
    assert!(matches!(refused, RadiusError::TooCrowded { .. }), "{refused}");
    let text = refused.to_string();
    assert!(text.contains("19 m") && text.contains("smaller radius"), "{text}");
}
