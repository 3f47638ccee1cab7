//! Triangulation on thousands of random and degenerate cases, against what can be counted.

mod support;

use std::collections::BTreeSet;

use proptest::prelude::*;
use support::*;
use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::Polygon;
use surefoot_geom::predicates::{on_segment, segments_cross};
use surefoot_geom::triangulate::{
    TriangulateError, constrained_delaunay, points_in_order, triangulate_polygon,
};

/// The reach of the lattice, and of coordinates for which plain 64 bits would overflow.
const FAR: i64 = i32::MAX as i64;

fn check_points(points: &[LatticePoint], segments: &[[u32; 2]]) -> Vec<[u32; 3]> {
    let triangles = constrained_delaunay(points, segments).unwrap();
    check_triangulation(points, segments, &triangles, hull_area2(points));
    if !triangles.is_empty() {
        let used: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
        let named: BTreeSet<u32> = names(points).into_iter().collect();
        assert_eq!(used, named, "a point is lost");
        assert_eq!(euler(&triangles), 1);
    }
    triangles
}

fn check_polygon(polygon: &Polygon) -> Vec<[u32; 3]> {
    let triangles = triangulate_polygon(polygon).unwrap();
    let points: Vec<_> = points_in_order(polygon).collect();
    let mut segments = vec![];
    let mut first = 0;
    for c in &polygon.contours {
        let n = c.len() as u32;
        segments.extend((0..n).map(|i| [first + i, first + (i + 1) % n]));
        first += n;
    }
    check_triangulation(&points, &segments, &triangles, polygon.area2());
    let used: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
    let named: BTreeSet<u32> = names(&points).into_iter().collect();
    assert_eq!(used, named, "a point is lost");
    triangles
}

#[test]
fn random_points_at_all_scales() {
    let mut random = Random(1);
    for case in 0..3000 {
        let reach = [2, 4, 10, 1000, 1 << 29, FAR][case % 6];
        let count = random.below(if case % 50 == 0 { 300 } else { 30 });
        let points: Vec<_> = (0..count).map(|_| random.point(reach)).collect();
        check_points(&points, &[]);
    }
}

#[test]
fn points_on_lines_circles_and_grids() {
    let mut random = Random(2);
    let far = FAR as i32;
    let mut sets: Vec<Vec<LatticePoint>> = vec![
        vec![],
        vec![p(3, 3)],
        vec![p(3, 3); 5],
        vec![p(-far, -far), p(far, far)],
        vec![p(-far, -far), p(far, far), p(0, 0), p(1, 1)],
        vec![p(-far, -far), p(far, -far), p(far, far), p(-far, far), p(0, 0)],
    ];
    for step in [p(1, 0), p(0, 1), p(2, 3), p(-5, 1)] {
        sets.push((0..40).map(|i| p(step.x * i, step.y * i)).collect());
        // Two lines, and a line with one point beside it.
        sets.push((0..60).map(|i| p(step.x * (i / 2), step.y * (i / 2) + i % 2)).collect());
        let mut beside: Vec<_> = (0..40).map(|i| p(step.x * i, step.y * i)).collect();
        beside.push(p(7, 11));
        sets.push(beside);
    }
    for n in [3, 5, 12] {
        sets.push((0..n * n).map(|i| p(i % n, i / n)).collect());
        sets.push(
            (0..n * n).map(|i| p(3 * (i % n) - 4 * (i / n), 4 * (i % n) + 3 * (i / n))).collect(),
        );
    }
    // All lattice points of a circle (radius² = 5² · 13² · 17²), exactly cocircular.
    let r2 = 5_i32.pow(2) * 13_i32.pow(2) * 17_i32.pow(2);
    let circle: Vec<_> = (-1105..=1105)
        .flat_map(|x: i32| {
            let y = f64::from(r2 - x * x).sqrt().round() as i32;
            [p(x, y), p(x, -y)]
        })
        .filter(|q| q.x * q.x + q.y * q.y == r2)
        .collect();
    assert!(circle.len() > 100);
    sets.push(circle);
    for mut points in sets {
        for _ in 0..3 {
            check_points(&points, &[]);
            for i in (1..points.len()).rev() {
                points.swap(i, random.below(i as u64 + 1) as usize);
            }
        }
    }
}

/// Adds random segments as long as they do not cross.
fn random_segments(random: &mut Random, points: &[LatticePoint], tries: u64) -> Vec<[u32; 2]> {
    let at = |i: u32| points[i as usize];
    let mut segments: Vec<[u32; 2]> = vec![];
    for _ in 0..tries {
        let [a, b] = [0; 2].map(|_| random.below(points.len() as u64) as u32);
        // Collinear segments may overlap and share points; only true crossings are kept out.
        // A segment is cut at points, so its parts decide.
        if segments.iter().all(|&[c, d]| !segments_cross(at(a), at(b), at(c), at(d))) {
            segments.push([a, b]);
        }
    }
    segments
}

#[test]
fn random_segments_are_kept() {
    let mut random = Random(3);
    for case in 0..3000 {
        let reach = [3, 6, 30, 10_000, FAR][case % 5];
        let count = 2 + random.below(if case % 40 == 0 { 120 } else { 24 });
        let points: Vec<_> = (0..count).map(|_| random.point(reach)).collect();
        let segments = random_segments(&mut random, &points, 2 * count);
        // Segments may cross in a point of the set: then both are cut there and nothing is wrong.
        check_points(&points, &segments);
    }
}

#[test]
fn long_segments_across_many_edges() {
    let mut random = Random(4);
    for reach in [40, 5000, FAR] {
        for _ in 0..20 {
            let mut points: Vec<_> = (0..400).map(|_| random.point(reach)).collect();
            let r = reach as i32;
            points.extend([p(-r, -r), p(r, r), p(-r, r), p(r, -r), p(-r, 0), p(r, 1)]);
            let n = points.len() as u32;
            let parallel = [[n - 6, n - 5], [n - 4, n - 6], [n - 3, n - 5], [n - 4, n - 5]];
            check_points(&points, &parallel);
            check_points(&points, &[[n - 2, n - 1], [n - 1, n - 5]]);
        }
    }
}

#[test]
fn crossing_segments_are_refused_and_only_those() {
    let mut random = Random(5);
    let mut refused = 0;
    for _ in 0..2000 {
        let points: Vec<_> = (0..10).map(|_| random.point(8)).collect();
        let segments: Vec<[u32; 2]> =
            (0..4).map(|_| [0; 2].map(|_| random.below(10) as u32)).collect();
        let at = |i: u32| points[i as usize];
        // Two segments may cross where a point of the set lies, since both are cut there.
        let meets_at_point =
            |a, b, c, d| points.iter().any(|&q| on_segment(a, b, q) && on_segment(c, d, q));
        let crossing = segments.iter().enumerate().any(|(i, &[a, b])| {
            segments[..i].iter().any(|&[c, d]| {
                let (a, b, c, d) = (at(a), at(b), at(c), at(d));
                segments_cross(a, b, c, d) && !meets_at_point(a, b, c, d)
            })
        });
        match constrained_delaunay(&points, &segments) {
            Ok(triangles) => {
                assert!(!crossing);
                check_triangulation(&points, &segments, &triangles, hull_area2(&points));
            }
            Err(TriangulateError::Crossing { edge, crossed }) => {
                assert!(crossing);
                assert!(segments_cross(edge[0], edge[1], crossed[0], crossed[1]));
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 200);
}

#[test]
fn heaps_of_cells_with_touching_holes() {
    let mut random = Random(6);
    for case in 0..600 {
        let size = 2 + random.below(9) as i32;
        let fill = 45 + random.below(50);
        let polygon = heap_of_cells(&mut random, size, fill);
        if polygon.contours.is_empty() {
            continue;
        }
        let (m, shift) = match case % 4 {
            0 => ([[1, 0], [0, 1]], p(0, 0)),
            1 => ([[3, -4], [4, 3]], p(-7, 2)),
            2 => ([[1 << 27, 1], [5, 1 << 27]], p(-(1 << 30), -(1 << 30))),
            _ => ([[1, 7], [0, 1]], p(i32::MAX - 100, i32::MIN + 5)),
        };
        let polygon = mapped(&polygon, m, shift);
        let triangles = check_polygon(&polygon);
        let apart: BTreeSet<_> = points_in_order(&polygon).collect();
        if apart.len() == points_in_order(&polygon).count() {
            assert_eq!(euler(&triangles), 2 - polygon.contours.len() as i64);
            let holes = polygon.contours.len() - 1;
            assert_eq!(triangles.len(), apart.len() + 2 * holes - 2);
        }
    }
}

#[test]
fn stars_of_all_sizes() {
    let mut random = Random(7);
    let mut simple = 0;
    for case in 0..3000 {
        let corners = 3 + random.below(if case % 20 == 0 { 150 } else { 30 }) as usize;
        let reach = [20.0, 300.0, 1e6, FAR as f64][case % 4];
        let Some(contour) = star(&mut random, corners, reach) else { continue };
        let polygon = Polygon::from_contour(contour);
        let triangles = check_polygon(&polygon);
        let corners: BTreeSet<_> = polygon.contours[0].iter().collect();
        if corners.len() == polygon.contours[0].len() {
            assert_eq!(triangles.len(), corners.len() - 2);
            simple += 1;
        }
    }
    assert!(simple > 1500);
}

#[test]
fn small_contours_agree_with_the_general_way() {
    // An isolated point far off, as a contour of its own, sends a contour the general way.
    let mut random = Random(8);
    for case in 0..2000 {
        let corners = 3 + random.below(20) as usize;
        let Some(contour) = star(&mut random, corners, [12.0, 500.0][case % 2]) else { continue };
        let alone = p(100_000, 100_000);
        let ears = triangulate_polygon(&Polygon::from_contour(contour.clone())).unwrap();
        let general =
            triangulate_polygon(&Polygon { contours: vec![contour.clone(), vec![alone]] }).unwrap();
        let segments: Vec<_> =
            (0..contour.len() as u32).map(|i| [i, (i + 1) % contour.len() as u32]).collect();
        let area2 = surefoot_geom::polygon::contour_area2(&contour);
        check_triangulation(&contour, &segments, &ears, area2);
        check_triangulation(&contour, &segments, &general, area2);
        assert_eq!(ears.len(), general.len());
    }
}

#[test]
fn a_contour_that_touches_itself() {
    // Two squares that share a corner, as one contour that passes the corner twice.
    let polygon = Polygon::from_contour(vec![
        p(0, 0),
        p(4, 0),
        p(4, 4),
        p(8, 4),
        p(8, 8),
        p(4, 8),
        p(4, 4),
        p(0, 4),
    ]);
    assert_eq!(check_polygon(&polygon).len(), 4);
    // A ring that touches itself: the hole is part of the outer contour.
    let ring = Polygon::from_contour(vec![
        p(0, 0),
        p(9, 0),
        p(9, 9),
        p(0, 9),
        p(0, 0),
        p(2, 6),
        p(6, 6),
        p(6, 2),
    ]);
    check_polygon(&ring);
    // A hole whose corner lies inside an edge of the outer contour.
    let nick = Polygon {
        contours: vec![vec![p(0, 0), p(9, 0), p(9, 9), p(0, 9)], vec![p(5, 0), p(4, 2), p(6, 2)]],
    };
    check_polygon(&nick);
    // A spike without width, outwards and inwards.
    for tip in [p(12, 2), p(3, 2)] {
        let spike =
            Polygon::from_contour(vec![p(0, 0), p(6, 0), p(6, 2), tip, p(6, 2), p(6, 6), p(0, 6)]);
        let triangles = triangulate_polygon(&spike).unwrap();
        let points: Vec<_> = points_in_order(&spike).collect();
        check_triangulation(&points, &[], &triangles, spike.area2());
    }
}

#[test]
fn polygons_that_are_none_are_refused_or_empty() {
    let square = vec![p(0, 0), p(9, 0), p(9, 9), p(0, 9)];
    let mut reversed = square.clone();
    reversed.reverse();
    let winding = |polygon: Polygon| match triangulate_polygon(&polygon) {
        Err(TriangulateError::Winding { winding, .. }) => winding,
        other => panic!("{other:?}"),
    };
    assert_eq!(winding(Polygon::from_contour(reversed.clone())), -1);
    assert_eq!(winding(Polygon { contours: vec![square.clone(), square.clone()] }), 2);
    let twice: Vec<_> = square.iter().chain(&square).copied().collect();
    assert_eq!(winding(Polygon::from_contour(twice)), 2);
    let bow = Polygon::from_contour(vec![p(0, 0), p(9, 9), p(9, 0), p(0, 9)]);
    assert!(matches!(triangulate_polygon(&bow), Err(TriangulateError::Crossing { .. })));
    // A star of five points drawn in one stroke turns left at every corner.
    let pentagram = vec![p(0, 100), p(-59, -81), p(95, 31), p(-95, 31), p(59, -81)];
    assert!(matches!(
        triangulate_polygon(&Polygon::from_contour(pentagram)),
        Err(TriangulateError::Crossing { .. })
    ));
    // Twice around, always to the left.
    let twice: Vec<_> = (0..16)
        .map(|i| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 8.0).sin_cos();
            let radius = 1000.0 - 10.0 * f64::from(i);
            LatticePoint::from_units(radius * cos, radius * sin)
        })
        .collect();
    assert!(matches!(
        triangulate_polygon(&Polygon::from_contour(twice)),
        Err(TriangulateError::Crossing { .. })
    ));
    for empty in [
        vec![],
        vec![vec![]],
        vec![vec![p(1, 1)]],
        vec![vec![p(1, 1); 7]],
        vec![vec![p(0, 0), p(5, 5)]],
        vec![vec![p(0, 0), p(5, 5), p(2, 2)]],
        vec![square.clone(), reversed],
    ] {
        assert_eq!(triangulate_polygon(&Polygon { contours: empty }), Ok(vec![]));
    }
    assert_eq!(
        constrained_delaunay(&square, &[[0, 1], [2, 4]]),
        Err(TriangulateError::UnknownPoint { segment: 1, point: 4, points: 4 })
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the contours, there is an answer or an error.
    #[test]
    fn no_contours_make_it_panic(
        contours in prop::collection::vec(prop::collection::vec((-6_i32..6, -6_i32..6), 0..14), 0..4),
        scale in prop::sample::select(vec![1, 300_000_000]),
    ) {
        let polygon = Polygon {
            contours: contours
                .iter()
                .map(|c| c.iter().map(|&(x, y)| p(x * scale, y * scale)).collect())
                .collect(),
        };
        if let Ok(triangles) = triangulate_polygon(&polygon) {
            let points: Vec<_> = points_in_order(&polygon).collect();
            check_triangulation(&points, &[], &[], 0);
            let sum: i128 = triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|i| points[i as usize]);
                    surefoot_geom::predicates::orient(a, b, c)
                })
                .sum();
            prop_assert_eq!(sum, polygon.area2());
        }
    }
}
