//! The partitions on random polygons with holes: touching, collinear, spiky, star-shaped.
//!
//! What is promised: cells tile the polygon, exactly where no new corner had to be rounded; they are
//! convex up to the relaxation; they share full edges; and there are at most notches + 1 − holes of
//! them, plus one for every notch that needed a second portal.

use surefoot_bake::{CellShape, PartitionSettings, PolygonPartition, partition_polygon};
use surefoot_geom::LatticePoint;
use surefoot_geom::convex_hull::convex_hull;
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::overlay::Overlayer;
use surefoot_geom::polygon::{Contour, Polygon, contour_area2};
use surefoot_geom::predicates::orient;

/// How far a cell's corner may lie inside its hull in any case, in units.
const SLACK_UNITS: f64 = 4.0;

/// How far rounding and straightening may move a border, in units.
const BORDER_UNITS: f64 = 1.6;

/// An integer generator (Steele, Lea and Flood 2014), the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn settings(cells: CellShape, convex_distance_m: f64) -> PartitionSettings {
    PartitionSettings { cells, convex_distance_m, height_tolerance_m: 0.02 }
}

/// A contour around a point whose corners lie in the order of their angles.
fn star(random: &mut Random, at: (f64, f64), low: f64, high: f64, corners: usize) -> Contour {
    let turn = random.share();
    let spiky = random.below(3) == 0;
    (0..corners)
        .map(|i| {
            let angle =
                (i as f64 + 0.8 * random.share() + turn) / corners as f64 * std::f64::consts::TAU;
            let share = if spiky { (i % 2) as f64 } else { random.share() };
            let radius = (low + (high - low) * share) * LATTICE_PER_M;
            LatticePoint::from_units(
                at.0 * LATTICE_PER_M + radius * angle.cos(),
                at.1 * LATTICE_PER_M + radius * angle.sin(),
            )
        })
        .collect()
}

/// A star with stars for holes. With few corners the outline may run through a hole, and even leave
/// several pieces.
fn star_with_holes(random: &mut Random, corners: usize) -> Vec<Polygon> {
    let outer = star(random, (0.0, 0.0), 14.0, 25.0, corners / 2 + 3);
    let mut contours = vec![outer];
    let side = random.below(5) as i64;
    for x in 0..side {
        for y in 0..side {
            if random.below(4) == 0 {
                continue;
            }
            let step = 16.0 / side as f64;
            let at = ((x as f64 + 0.5) * step - 8.0, (y as f64 + 0.5) * step - 8.0);
            let n = 3 + corners / 2 / (side * side) as usize;
            let mut hole = star(random, at, 0.15 * step, 0.45 * step, n);
            hole.reverse();
            contours.push(hole);
        }
    }
    Overlayer::new().settle(&[Polygon { contours }])
}

/// Squares of a board at random: straight borders, contours that touch in corners.
fn board(random: &mut Random, side: usize) -> Vec<Polygon> {
    let unit = 1 << (10 + random.below(8));
    let mut squares: Vec<Contour> = Vec::new();
    for x in 0..side as i32 {
        for y in 0..side as i32 {
            if random.below(10) < 6 {
                let p = |dx: i32, dy: i32| LatticePoint::new((x + dx) * unit, (y + dy) * unit);
                squares.push(vec![p(0, 0), p(1, 0), p(1, 1), p(0, 1)]);
            }
        }
    }
    Overlayer::new().union(&squares)
}

/// Triangles thrown at random and united: acute angles, crossings rounded to the lattice.
fn splinters(random: &mut Random, count: usize) -> Vec<Polygon> {
    let triangles: Vec<Contour> = (0..count)
        .filter_map(|_| {
            let mut p = || LatticePoint::from_units(random.share() * 6e5, random.share() * 6e5);
            let t = vec![p(), p(), p()];
            match orient(t[0], t[1], t[2]) {
                0 => None,
                a if a < 0 => Some(vec![t[0], t[2], t[1]]),
                _ => Some(t),
            }
        })
        .collect();
    let united = Overlayer::new().union(&triangles);
    Overlayer::new().settle(&united)
}

fn distance_to_border(border: &[LatticePoint], p: LatticePoint) -> f64 {
    let units = |p: LatticePoint| (f64::from(p.x), f64::from(p.y));
    let (px, py) = units(p);
    (0..border.len())
        .map(|i| {
            let ((ax, ay), (bx, by)) = (units(border[i]), units(border[(i + 1) % border.len()]));
            let (dx, dy) = (bx - ax, by - ay);
            let t = (((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
            (ax + t * dx - px).hypot(ay + t * dy - py)
        })
        .fold(f64::INFINITY, f64::min)
}

/// Contours that touch each other are one piece of border: only separate pieces make holes.
fn separate_holes(polygon: &Polygon) -> usize {
    let n = polygon.contours.len();
    let mut group: Vec<usize> = (0..n).collect();
    let mut points: Vec<(LatticePoint, usize)> = (polygon.contours.iter().enumerate())
        .flat_map(|(c, contour)| contour.iter().map(move |p| (*p, c)))
        .collect();
    points.sort_unstable();
    for pair in points.windows(2).filter(|w| w[0].0 == w[1].0) {
        let (a, b) = (group[pair[0].1], group[pair[1].1]);
        group.iter_mut().filter(|g| **g == a).for_each(|g| *g = b);
    }
    group.sort_unstable();
    group.dedup();
    group.len() - 1
}

fn notches(polygon: &Polygon) -> usize {
    (polygon.contours.iter())
        .map(|c| {
            let n = c.len();
            (0..n).filter(|&i| orient(c[i], c[(i + 1) % n], c[(i + 2) % n]) < 0).count()
        })
        .sum()
}

fn check(polygon: &Polygon, way: CellShape, distance_m: f64, what: &str) -> PolygonPartition {
    let partition = partition_polygon(polygon, &settings(way, distance_m)).expect(what);
    // Area: what new corners may shave off the border is bounded by its length.
    let perimeter: f64 = polygon.edges().map(|(a, b)| (a.distance2(b) as f64).sqrt()).sum();
    let area2: i128 = partition.cells.iter().map(|c| contour_area2(c)).sum();
    let upright = polygon.edges().all(|(a, b)| a.x == b.x || a.y == b.y);
    let lost = polygon.area2() - area2;
    if upright || way == CellShape::Triangles {
        assert_eq!(lost, 0, "{what}: the area changed");
    } else {
        let bound = (2.0 * BORDER_UNITS * perimeter) as i128;
        assert!((0..=bound).contains(&lost), "{what}: lost {lost} of {}", polygon.area2());
    }
    let deepest = distance_m * LATTICE_PER_M + SLACK_UNITS;
    for (c, cell) in partition.cells.iter().enumerate() {
        assert!(contour_area2(cell) > 0, "{what}: cell {c} has no area");
        let hull = convex_hull(cell.clone()).expect(what);
        for &p in cell {
            let depth = distance_to_border(&hull, p);
            assert!(depth <= deepest, "{what}: cell {c} is {} m deep", depth * M_PER_LATTICE);
        }
        for (e, neighbour) in partition.neighbours[c].iter().enumerate() {
            let (a, b) = (cell[e], cell[(e + 1) % cell.len()]);
            assert_ne!(a, b, "{what}: an edge without length");
            if let Some((d, f)) = *neighbour {
                let other = &partition.cells[d as usize];
                let f = f as usize;
                assert_ne!(d as usize, c, "{what}: a cell beside itself");
                assert_eq!((other[f], other[(f + 1) % other.len()]), (b, a), "{what}: a T-joint");
                assert_eq!(
                    partition.neighbours[d as usize][f],
                    Some((c as u32, e as u32)),
                    "{what}: one-sided neighbours"
                );
            } else {
                for p in [a, b] {
                    let far = (polygon.contours.iter())
                        .map(|contour| distance_to_border(contour, p))
                        .fold(f64::INFINITY, f64::min);
                    assert!(far <= BORDER_UNITS, "{what}: a border {far} units from the border");
                }
            }
        }
    }
    if way == CellShape::Notches && distance_m <= 0.0 {
        let most = notches(polygon) + 1 + partition.second_portals;
        let holes = separate_holes(polygon);
        assert!(
            partition.cells.len() + holes <= most,
            "{what}: {} cells, {} notches, {holes} holes, {} second portals",
            partition.cells.len(),
            notches(polygon),
            partition.second_portals
        );
    }
    partition
}

/// Partitions many polygons every way; returns the cells by notches and by merging triangles.
fn check_many(seeds: std::ops::Range<u64>, size: usize) -> (usize, usize) {
    let mut sum = (0, 0);
    for seed in seeds {
        let mut random = Random(seed);
        let corners = 4 + random.below(size as u64) as usize;
        let polygons = match seed % 3 {
            0 => star_with_holes(&mut random, corners),
            1 => board(&mut random, 2 + (corners as f64).sqrt() as usize),
            _ => splinters(&mut random, 1 + corners / 4),
        };
        for (i, polygon) in polygons.iter().enumerate() {
            let what = format!("seed {seed}, polygon {i}");
            let by_notches = check(polygon, CellShape::Notches, 0.0, &what);
            let merged = check(polygon, CellShape::HertelMehlhorn, 0.0, &what);
            sum.0 += by_notches.cells.len();
            sum.1 += merged.cells.len();
            if seed % 4 == 0 {
                check(polygon, CellShape::Triangles, 0.0, &what);
                let relaxed = check(polygon, CellShape::Notches, 0.2, &what);
                assert!(relaxed.cells.len() <= by_notches.cells.len() + 2, "{what}: relaxed");
            }
        }
    }
    sum
}

#[test]
fn random_polygons_come_in_convex_cells_that_tile_them() {
    let (by_notches, merged) = check_many(0..1500, 60);
    assert!(by_notches < merged, "{by_notches} cells by notches, {merged} by merging");
}

#[test]
fn larger_polygons_too() {
    let (by_notches, merged) = check_many(10_000..10_040, 500);
    assert!(by_notches < merged, "{by_notches} cells by notches, {merged} by merging");
}

#[test]
#[ignore = "minutes without optimisation"]
fn very_many_and_very_large_polygons() {
    check_many(20_000..50_000, 60);
    check_many(60_000..60_060, 5000);
}

#[test]
fn one_portal_splits_two_notches_that_face_each_other() {
    // A square with a tooth from below and one from above, tip to tip.
    let p = |x: i32, y: i32| LatticePoint::new(x * 1000, y * 1000);
    let outline = vec![
        p(0, 0),
        p(4, 0),
        p(5, 4),
        p(6, 0),
        p(10, 0),
        p(10, 10),
        p(6, 10),
        p(5, 6),
        p(4, 10),
        p(0, 10),
    ];
    let partition = check(&Polygon::from_contour(outline), CellShape::Notches, 0.0, "two teeth");
    assert_eq!(partition.cells.len(), 2);
}

#[test]
fn an_l_needs_one_portal_and_one_new_corner_at_most() {
    let p = |x: i32, y: i32| LatticePoint::new(x * 1000, y * 1000);
    let outline = vec![p(0, 0), p(10, 0), p(10, 4), p(4, 4), p(4, 10), p(0, 10)];
    let partition = check(&Polygon::from_contour(outline), CellShape::Notches, 0.0, "an L");
    assert_eq!((partition.cells.len(), partition.notches), (2, 1));
}

#[test]
fn a_round_pillar_needs_few_portals_when_relaxed() {
    let mut random = Random(1);
    let mut hole: Contour = star(&mut random, (0.0, 0.0), 1.0, 1.0, 48);
    hole.reverse();
    let p = |x: i32, y: i32| LatticePoint::new(x * 65536, y * 65536);
    let polygon = Polygon { contours: vec![vec![p(-5, -5), p(5, -5), p(5, 5), p(-5, 5)], hole] };
    let strict = check(&polygon, CellShape::Notches, 0.0, "a pillar").cells.len();
    let relaxed = check(&polygon, CellShape::Notches, 0.4, "a pillar, relaxed").cells.len();
    assert!(strict > 40 && relaxed <= 8, "{strict} and {relaxed} cells");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let polygons = star_with_holes(&mut Random(99), 400);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let one = |polygon| partition_polygon(polygon, &settings(CellShape::Notches, 0.0)).unwrap();
        pool.install(|| polygons.iter().map(one).collect::<Vec<_>>())
    };
    assert_eq!(with(1), with(4));
}
