//! What the property tests share: a random generator, shapes, and checks by brute force.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::{BTreeMap, BTreeSet};

use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::{Contour, Polygon};
use surefoot_geom::predicates::{in_circle, on_segment, orient, segments_cross};

/// The splitmix generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.next() % (hi - lo + 1) as u64) as i64
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn point(&mut self, reach: i64) -> LatticePoint {
        p(self.within(-reach, reach) as i32, self.within(-reach, reach) as i32)
    }
}

pub(crate) fn p(x: i32, y: i32) -> LatticePoint {
    LatticePoint::new(x, y)
}

/// Whether a polygon's edges have no points in common but shared corners, by brute force.
pub(crate) fn edges_are_apart(polygon: &Polygon) -> bool {
    let edges: Vec<_> = polygon.edges().collect();
    edges.iter().enumerate().all(|(i, &(a, b))| {
        a != b
            && edges[..i].iter().all(|&(c, d)| {
                let inside = |a, b, q| q != a && q != b && on_segment(a, b, q);
                let meet = segments_cross(a, b, c, d)
                    || inside(a, b, c)
                    || inside(a, b, d)
                    || inside(c, d, a)
                    || inside(c, d, b)
                    || (a, b) == (c, d)
                    || (a, b) == (d, c);
                !meet
            })
    })
}

/// A star-shaped contour around the origin, or none where rounding spoiled it.
pub(crate) fn star(random: &mut Random, corners: usize, reach: f64) -> Option<Contour> {
    let mut contour = vec![];
    for i in 0..corners {
        let angle = (i as f64 + random.unit() * 0.9) / corners as f64 * std::f64::consts::TAU;
        let radius = reach * (0.2 + 0.8 * random.unit());
        let point = LatticePoint::from_units(angle.cos() * radius, angle.sin() * radius);
        if contour.last() != Some(&point) {
            contour.push(point);
        }
    }
    let polygon = Polygon::from_contour(contour);
    (polygon.area2() > 0 && edges_are_apart(&polygon))
        .then(|| polygon.contours.into_iter().next())?
}

/// The largest edge-connected heap of random unit cells, as a polygon in which every lattice point
/// of the border is a vertex. Holes may touch each other and the outer contour in points.
pub(crate) fn heap_of_cells(random: &mut Random, size: i32, fill: u64) -> Polygon {
    let cells: BTreeSet<(i32, i32)> = (0..size * size)
        .filter(|_| random.below(100) < fill)
        .map(|i| (i % size, i / size))
        .collect();
    let mut seen = BTreeSet::new();
    let mut best: BTreeSet<(i32, i32)> = BTreeSet::new();
    for &cell in &cells {
        if !seen.insert(cell) {
            continue;
        }
        let mut part = BTreeSet::from([cell]);
        let mut stack = vec![cell];
        while let Some((x, y)) = stack.pop() {
            for next in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
                if cells.contains(&next) && seen.insert(next) {
                    part.insert(next);
                    stack.push(next);
                }
            }
        }
        if part.len() > best.len() {
            best = part;
        }
    }
    // Directed border edges with the cell to the left; each start has one or two of them.
    let mut from: BTreeMap<(i32, i32), Vec<(i32, i32)>> = BTreeMap::new();
    for &(x, y) in &best {
        for (beside, a, b) in [
            ((x, y - 1), (x, y), (x + 1, y)),
            ((x + 1, y), (x + 1, y), (x + 1, y + 1)),
            ((x, y + 1), (x + 1, y + 1), (x, y + 1)),
            ((x - 1, y), (x, y + 1), (x, y)),
        ] {
            if !best.contains(&beside) {
                from.entry(a).or_default().push(b);
            }
        }
    }
    let mut contours: Vec<Contour> = vec![];
    while let Some((&start, _)) = from.iter().next() {
        let mut contour = vec![];
        let (mut at, mut direction) = (start, (0, 0));
        loop {
            contour.push(p(at.0, at.1));
            let Some(ways) = from.get_mut(&at) else { panic!("the border does not close") };
            // Where two borders touch, turn left: stay with the same cell.
            let left = (at.0 - direction.1, at.1 + direction.0);
            let way = ways.iter().position(|w| *w == left).unwrap_or(0);
            let to = ways.swap_remove(way);
            if ways.is_empty() {
                from.remove(&at);
            }
            direction = (to.0 - at.0, to.1 - at.1);
            at = to;
            if at == start {
                break;
            }
        }
        contours.push(contour);
    }
    contours.sort_by_key(|c| std::cmp::Reverse(surefoot_geom::polygon::contour_area2(c)));
    Polygon { contours }
}

/// The same polygon sheared, turned and scaled by whole numbers (a matrix of determinant > 0).
pub(crate) fn mapped(polygon: &Polygon, m: [[i32; 2]; 2], shift: LatticePoint) -> Polygon {
    let map = |q: &LatticePoint| {
        p(m[0][0] * q.x + m[0][1] * q.y + shift.x, m[1][0] * q.x + m[1][1] * q.y + shift.y)
    };
    Polygon { contours: polygon.contours.iter().map(|c| c.iter().map(map).collect()).collect() }
}

/// The index by which each point is named: that of its first mention.
pub(crate) fn names(points: &[LatticePoint]) -> Vec<u32> {
    let mut first = BTreeMap::new();
    points.iter().enumerate().map(|(i, q)| *first.entry(*q).or_insert(i as u32)).collect()
}

/// Checks everything that can be said of any triangulation: orientation, area, that triangles meet
/// edge to edge, that every segment is there (in parts where points lie on it), that each other
/// edge inside is locally Delaunay, and for small ones, pair by pair, that no two edges cross.
pub(crate) fn check_triangulation(
    points: &[LatticePoint],
    segments: &[[u32; 2]],
    triangles: &[[u32; 3]],
    area2: i128,
) {
    let name_of = names(points);
    let at = |i: u32| points[i as usize];
    let mut opposite: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut sum = 0;
    for t in triangles {
        for &i in t {
            assert_eq!(name_of[i as usize], i, "a point is not named by its first mention");
        }
        let turn = orient(at(t[0]), at(t[1]), at(t[2]));
        assert!(turn > 0, "a triangle is flat or turned over");
        sum += turn;
        for i in 0..3 {
            let before = opposite.insert((t[i], t[(i + 1) % 3]), t[(i + 2) % 3]);
            assert!(before.is_none(), "a directed edge has two triangles");
        }
    }
    assert_eq!(sum, area2, "area is not conserved");
    let mut fixed = BTreeSet::new();
    for s in segments {
        let [a, b] = s.map(|i| name_of[i as usize]);
        let mut on_way: Vec<u32> = (0..points.len() as u32)
            .filter(|&i| name_of[i as usize] == i && on_segment(at(a), at(b), at(i)))
            .collect();
        on_way.sort_by_key(|&i| at(a).distance2(at(i)));
        for w in on_way.windows(2) {
            let (c, d) = (w[0], w[1]);
            if !triangles.is_empty() {
                assert!(
                    opposite.contains_key(&(c, d)) || opposite.contains_key(&(d, c)),
                    "a segment is missing"
                );
            }
            fixed.extend([(c, d), (d, c)]);
        }
    }
    for (&(a, b), &c) in &opposite {
        if let Some(&d) = opposite.get(&(b, a))
            && !fixed.contains(&(a, b))
        {
            assert!(in_circle(at(a), at(b), at(c), at(d)).is_le(), "an edge is not Delaunay");
        }
    }
    if opposite.len() <= 240 {
        let edges: Vec<_> =
            opposite.keys().filter(|(a, b)| a < b || !opposite.contains_key(&(*b, *a))).collect();
        for (i, &&(a, b)) in edges.iter().enumerate() {
            for &&(c, d) in &edges[..i] {
                assert!(!segments_cross(at(a), at(b), at(c), at(d)), "edges cross");
            }
            for &q in &name_of {
                assert!(
                    q == a || q == b || !on_segment(at(a), at(b), at(q)),
                    "an edge runs through a point"
                );
            }
        }
    }
}

/// Vertices less edges plus triangles.
pub(crate) fn euler(triangles: &[[u32; 3]]) -> i64 {
    let mut vertices = BTreeSet::new();
    let mut edges = BTreeSet::new();
    for t in triangles {
        for i in 0..3 {
            let (a, b) = (t[i], t[(i + 1) % 3]);
            vertices.insert(a);
            edges.insert((a.min(b), a.max(b)));
        }
    }
    vertices.len() as i64 - edges.len() as i64 + triangles.len() as i64
}

/// Twice the area of the convex hull.
pub(crate) fn hull_area2(points: &[LatticePoint]) -> i128 {
    let mut sorted = points.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let half = |points: &mut dyn Iterator<Item = LatticePoint>| {
        let mut chain: Vec<LatticePoint> = vec![];
        for q in points {
            while chain.len() > 1 && orient(chain[chain.len() - 2], chain[chain.len() - 1], q) <= 0
            {
                chain.pop();
            }
            chain.push(q);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut sorted.iter().copied());
    hull.extend(half(&mut sorted.iter().rev().copied()));
    surefoot_geom::polygon::contour_area2(&hull)
}
