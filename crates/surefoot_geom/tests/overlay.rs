//! Set operations on random and degenerate contours, against cell counting, sampled points and
//! what must add up.

mod support;

use std::collections::BTreeSet;

use support::*;
use surefoot_geom::LatticePoint;
use surefoot_geom::overlay::{Overlayer, SetOperation, counter_clockwise, flatten};
use surefoot_geom::polygon::{Contour, Polygon, contour_area2};
use surefoot_geom::predicates::{on_segment, segments_cross};
use surefoot_geom::triangulate::triangulate_polygon;

const OPERATIONS: [SetOperation; 3] =
    [SetOperation::Union, SetOperation::Intersection, SetOperation::Difference];

fn holds(operation: SetOperation, in_subject: bool, in_clip: bool) -> bool {
    match operation {
        SetOperation::Union => in_subject || in_clip,
        SetOperation::Intersection => in_subject && in_clip,
        SetOperation::Difference => in_subject && !in_clip,
    }
}

fn area2(polygons: &[Polygon]) -> i128 {
    polygons.iter().map(Polygon::area2).sum()
}

fn perimeter(polygons: &[Polygon]) -> f64 {
    let edges = polygons.iter().flat_map(Polygon::edges);
    edges.map(|(a, b)| (a.distance2(b) as f64).sqrt()).sum()
}

/// What must hold for any result: contours turn as they should, edges do not cross, and each
/// polygon can be triangulated, which also says that its inside hangs together and is covered once.
fn check_polygons(polygons: &[Polygon]) {
    let edges: Vec<_> = polygons.iter().flat_map(Polygon::edges).collect();
    for (i, &(a, b)) in edges.iter().enumerate() {
        assert_ne!(a, b, "an edge without length");
        for &(c, d) in &edges[..i] {
            assert!(!segments_cross(a, b, c, d), "edges {a:?} {b:?} and {c:?} {d:?} cross");
        }
    }
    for polygon in polygons {
        assert!(contour_area2(&polygon.contours[0]) > 0, "an outer contour turns clockwise");
        assert!(polygon.contours[1..].iter().all(|c| contour_area2(c) < 0), "a hole turns left");
        let triangles = triangulate_polygon(polygon).unwrap();
        assert!(!triangles.is_empty());
    }
}

/// How often contours wind around the point (x, y) / 2, which lies on none of their edges; and the
/// distance to their edges, in units.
fn winding(contours: &[Contour], x2: i64, y2: i64) -> (i32, f64) {
    let (mut winding, mut distance) = (0, f64::INFINITY);
    for c in contours {
        for (i, &a) in c.iter().enumerate() {
            let b = c[(i + 1) % c.len()];
            let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(|v| i128::from(v) * 2);
            let (px, py) = (i128::from(x2), i128::from(y2));
            let side = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
            if ay <= py && by > py && side > 0 {
                winding += 1;
            } else if by <= py && ay > py && side < 0 {
                winding -= 1;
            }
            let (abx, aby) = ((bx - ax) as f64, (by - ay) as f64);
            let (apx, apy) = ((px - ax) as f64, (py - ay) as f64);
            let t = ((apx * abx + apy * aby) / (abx * abx + aby * aby).max(1.0)).clamp(0.0, 1.0);
            distance = distance.min((apx - t * abx).hypot(apy - t * aby) * 0.5);
        }
    }
    (winding, distance)
}

fn random_contours(random: &mut Random, style: usize, reach: i64) -> Vec<Contour> {
    let count = 1 + random.below(4);
    (0..count)
        .filter_map(|_| {
            let contour: Contour = match style {
                // Triangles.
                0 => (0..3).map(|_| random.point(reach)).collect(),
                // Slivers along one direction, nearly on top of each other.
                1 => {
                    let mut end = |x: i64| p(x as i32, (x / 3 + random.within(-2, 2)) as i32);
                    vec![end(-reach), end(reach), end(reach / 2), end(-reach / 2)]
                }
                // Whatever comes, crossing itself.
                2 => (0..3 + random.below(6)).map(|_| random.point(reach)).collect(),
                _ => star(random, 9, reach as f64)?,
            };
            counter_clockwise(contour)
        })
        .collect()
}

#[test]
fn rectangles_agree_with_counted_cells() {
    let mut random = Random(1);
    let mut overlayer = Overlayer::new();
    for case in 0..600 {
        let mut rectangles = |count: u64| -> Vec<[i32; 4]> {
            (0..random.below(count))
                .map(|_| {
                    let [x, y] = [0; 2].map(|_| random.below(9) as i32);
                    [x, y, x + 1 + random.below(4) as i32, y + 1 + random.below(4) as i32]
                })
                .collect()
        };
        let (subject, clip) = (rectangles(6), rectangles(if case % 10 == 0 { 60 } else { 6 }));
        // A grid turned by the angle of a 3-4-5 triangle keeps every crossing on the lattice.
        let (m, shift, scale2) = match case % 3 {
            0 => ([[1, 0], [0, 1]], p(0, 0), 1),
            1 => ([[3, -4], [4, 3]], p(-5, 1), 25),
            _ => ([[1 << 27, 0], [0, 1 << 27]], p(-(1 << 30), -(1 << 30)), 1 << 54),
        };
        let contours = |rectangles: &[[i32; 4]]| {
            let polygon = Polygon {
                contours: rectangles
                    .iter()
                    .map(|&[x, y, u, v]| vec![p(x, y), p(u, y), p(u, v), p(x, v)])
                    .collect(),
            };
            mapped(&polygon, m, shift).contours
        };
        let cells = |rectangles: &[[i32; 4]]| -> BTreeSet<(i32, i32)> {
            rectangles
                .iter()
                .flat_map(|&[x, y, u, v]| (x..u).flat_map(move |i| (y..v).map(move |j| (i, j))))
                .collect()
        };
        let (in_subject, in_clip) = (cells(&subject), cells(&clip));
        let (subject, clip) = (contours(&subject), contours(&clip));
        for operation in OPERATIONS {
            let result = overlayer.run(operation, &subject, &clip);
            check_polygons(&result);
            let count = in_subject
                .union(&in_clip)
                .filter(|c| holds(operation, in_subject.contains(c), in_clip.contains(c)))
                .count();
            assert_eq!(area2(&result), 2 * scale2 * count as i128, "{operation:?}");
        }
        let united = overlayer.union(&clip);
        check_polygons(&united);
        assert_eq!(area2(&united), 2 * scale2 * in_clip.len() as i128);
        // The labelled difference covers the same and knows where its edges came from.
        let edges: Vec<_> = subject
            .iter()
            .enumerate()
            .flat_map(|(i, c)| {
                (0..4).map(move |k| (c[k], c[(k + 1) % 4], 1 + 4 * i as u32 + k as u32))
            })
            .collect();
        let labelled_clip: Vec<(Contour, u32)> =
            clip.iter().enumerate().map(|(i, c)| (c.clone(), 1000 + i as u32)).collect();
        let labelled = overlayer.difference_labelled(&edges, &labelled_clip);
        let polygons: Vec<_> = labelled.iter().map(|l| l.polygon.clone()).collect();
        check_polygons(&polygons);
        let difference = in_subject.difference(&in_clip).count();
        assert_eq!(area2(&polygons), 2 * scale2 * difference as i128);
        for piece in &labelled {
            for (contour, labels) in piece.polygon.contours.iter().zip(&piece.labels) {
                assert_eq!(contour.len(), labels.len());
                for (i, &label) in labels.iter().enumerate() {
                    let (a, b) = (contour[i], contour[(i + 1) % contour.len()]);
                    let lies_on = |c: LatticePoint, d: LatticePoint| {
                        on_segment(c, d, a) && on_segment(c, d, b)
                    };
                    let found = if label >= 1000 {
                        let c = &clip[label as usize - 1000];
                        (0..4).any(|k| lies_on(c[k], c[(k + 1) % 4]))
                    } else {
                        edges.iter().any(|&(c, d, l)| l == label && lies_on(c, d))
                    };
                    assert!(found, "an edge has the label of an edge on which it does not lie");
                }
            }
        }
    }
}

#[test]
fn sampled_points_lie_where_the_operation_says() {
    let mut random = Random(2);
    let mut overlayer = Overlayer::new();
    let mut sampled = 0;
    for case in 0..1200 {
        let style = case % 4;
        let reach = [40, 1000, 1 << 20, i64::from(i32::MAX) - 9][case / 4 % 4];
        let subject = random_contours(&mut random, style, reach);
        let clip = random_contours(&mut random, (style + case / 16) % 4, reach);
        for operation in OPERATIONS {
            let result = overlayer.run(operation, &subject, &clip);
            check_polygons(&result);
            let contours = flatten(result);
            for _ in 0..12 {
                let x2 = 2 * random.within(-reach, reach) + 1;
                let y2 = 2 * random.within(-reach, reach) + 1;
                let (in_subject, d) = winding(&subject, x2, y2);
                let (in_clip, e) = winding(&clip, x2, y2);
                // A vertex may move by a unit when rounded and by another when mended.
                if d.min(e) <= 3.0 {
                    continue;
                }
                let want = holds(operation, in_subject != 0, in_clip != 0);
                assert_eq!(winding(&contours, x2, y2).0, i32::from(want), "case {case}");
                sampled += 1;
            }
        }
    }
    assert!(sampled > 20_000, "{sampled}");
}

#[test]
fn areas_add_up_to_the_rounding() {
    let mut random = Random(3);
    let mut overlayer = Overlayer::new();
    let none: [Contour; 0] = [];
    for case in 0..800 {
        let reach = [12, 300, 100_000, i64::from(i32::MAX) - 9][case % 4];
        let subject = random_contours(&mut random, case / 4 % 4, reach);
        let clip = random_contours(&mut random, case / 16 % 4, reach);
        let whole = overlayer.run(SetOperation::Union, &subject, &none);
        let other = overlayer.run(SetOperation::Union, &clip, &none);
        let [union, both, only] = OPERATIONS.map(|o| overlayer.run(o, &subject, &clip));
        for result in [&whole, &other, &union, &both, &only] {
            check_polygons(result);
        }
        // A border that moves by two units sweeps at most twice its length, and twice that counted
        // in double areas.
        let room: f64 = [&whole, &other, &union, &both, &only].map(|r| perimeter(r)).iter().sum();
        let room = (4.0 * room + 16.0) as i128;
        assert!((area2(&whole) - area2(&both) - area2(&only)).abs() <= room, "case {case}");
        assert!(
            (area2(&union) + area2(&both) - area2(&whole) - area2(&other)).abs() <= room,
            "case {case}"
        );
    }
}

#[test]
fn the_cascade_gives_what_one_sweep_gives() {
    let mut random = Random(4);
    let mut overlayer = Overlayer::new();
    let none: [Contour; 0] = [];
    for case in 0..25 {
        let mut contours = vec![];
        while contours.len() < 150 {
            let reach = [3000, 400_000][case % 2];
            let centre = random.point(reach);
            let Some(c) = star(&mut random, 7, reach as f64 * 0.15) else { continue };
            contours.push(
                c.into_iter().map(|q| p(q.x + centre.x, q.y + centre.y)).collect::<Contour>(),
            );
        }
        let cascade = overlayer.union(&contours);
        let sweep = overlayer.run(SetOperation::Union, &contours, &none);
        check_polygons(&cascade);
        check_polygons(&sweep);
        let room = (4.0 * (perimeter(&cascade) + perimeter(&sweep))) as i128 + 16;
        assert!((area2(&cascade) - area2(&sweep)).abs() <= room);
        // Nothing changes when a result is united with itself.
        let again = overlayer.run(SetOperation::Union, &flatten(sweep.clone()), &none);
        assert_eq!(area2(&again), area2(&sweep));
    }
}

#[test]
fn the_order_of_the_input_does_not_change_the_area() {
    let mut random = Random(5);
    let mut overlayer = Overlayer::new();
    for case in 0..200 {
        let mut subject = random_contours(&mut random, case % 4, 500);
        let mut clip = random_contours(&mut random, case / 4 % 4, 500);
        let first = OPERATIONS.map(|o| area2(&overlayer.run(o, &subject, &clip)));
        subject.reverse();
        for c in subject.iter_mut().chain(&mut clip) {
            let middle = random.below(c.len() as u64) as usize;
            c.rotate_left(middle);
        }
        let second = OPERATIONS.map(|o| area2(&overlayer.run(o, &subject, &clip)));
        assert_eq!(first, second, "case {case}");
    }
}
