//! The shape of one cell: is it simple, how deep are its notches, and which convex pieces is it
//! made of.
//!
//! In goes the outline of a cell, lattice points in order; out comes its [`CellShape`], or what is
//! wrong with it. Every decision on orientation and crossing is exact. A cell that is exactly
//! convex is recognised in one pass. Any other is checked for crossings, measured against its
//! convex hull, and cut into convex pieces by clipping ears and then dropping every diagonal that
//! is not needed (Hertel and Mehlhorn, 1983): so a search sees exactly convex pieces only, and
//! nothing in it needs a tolerance.

use surefoot_geom::LatticePoint;
use surefoot_geom::convex_hull::convex_hull;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::polygon::contour_area2;
use surefoot_geom::predicates::{on_segment, orient, segments_cross};

/// How far, in lattice units, a vertex may lie inside the hull of its cell for the cell still to
/// count as convex: vertices on a straight border are rounded to the lattice, at both of its ends
/// and in the middle.
pub const CONVEX_SLACK_UNITS: f64 = 4.0;

/// The most edges that a cell may have which is not exactly convex: its outline is checked for
/// crossings pair by pair.
pub const MAX_NOTCHED_EDGES: usize = 1024;

/// What a sound cell looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CellShape {
    /// Exactly convex.
    Convex,
    /// Simple, with notches up to this depth.
    Notched { depth_m: f64, vertex: usize },
}

/// What is wrong with an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShapeFault {
    /// Two vertices in a row lie on the same point.
    ZeroEdge { corner: usize },
    /// Its signed area is not positive.
    Clockwise,
    /// Two edges meet where they should not.
    Crossing { corner: usize },
    /// Too many edges for an outline that is not convex.
    TooManyEdges,
}

/// Looks at the outline of a cell with at least three corners.
pub(crate) fn classify(outline: &[LatticePoint]) -> Result<CellShape, ShapeFault> {
    let n = outline.len();
    let mut all_left = true;
    let mut upward_turns = 0;
    for i in 0..n {
        let (a, b, c) = (outline[i], outline[(i + 1) % n], outline[(i + 2) % n]);
        if a == b {
            return Err(ShapeFault::ZeroEdge { corner: i });
        }
        let turn = orient(a, b, c);
        all_left &= turn > 0 || (turn == 0 && !runs_back(a, b, c));
        upward_turns += usize::from(!points_up(a, b) && points_up(b, c));
    }
    if all_left && upward_turns == 1 {
        // Turning left all the way round and once around is the definition of convex.
        return Ok(CellShape::Convex);
    }
    if contour_area2(outline) <= 0 {
        return Err(ShapeFault::Clockwise);
    }
    if n > MAX_NOTCHED_EDGES {
        return Err(ShapeFault::TooManyEdges);
    }
    check_simple(outline)?;
    let (vertex, depth_units) = deepest_notch(outline);
    Ok(CellShape::Notched { depth_m: depth_units * M_PER_LATTICE, vertex })
}

/// Whether the way from `a` to `b`, all three on one line, turns back at `b`.
fn runs_back(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> bool {
    let d = |p: i32, q: i32| i128::from(q) - i128::from(p);
    d(a.x, b.x) * d(b.x, c.x) + d(a.y, b.y) * d(b.y, c.y) < 0
}

/// Whether the direction from `a` to `b` lies in the half turn that starts at the first axis.
fn points_up(a: LatticePoint, b: LatticePoint) -> bool {
    b.y > a.y || (b.y == a.y && b.x > a.x)
}

/// Checks that no two edges of an outline meet, except neighbours in their common vertex.
fn check_simple(outline: &[LatticePoint]) -> Result<(), ShapeFault> {
    let n = outline.len();
    let edge = |i: usize| (outline[i], outline[(i + 1) % n]);
    let left = |i: usize| edge(i).0.x.min(edge(i).1.x);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by_key(|&i| (left(i), i));
    for (at, &i) in order.iter().enumerate() {
        let (a, b) = edge(i);
        let (right, low, high) = (a.x.max(b.x), a.y.min(b.y), a.y.max(b.y));
        for &j in &order[at + 1..] {
            let (c, d) = edge(j);
            if c.x.min(d.x) > right {
                break;
            }
            if c.y.min(d.y) > high || c.y.max(d.y) < low {
                continue;
            }
            let meet = if (i + 1) % n == j {
                on_segment(a, b, d) || on_segment(c, d, a)
            } else if (j + 1) % n == i {
                on_segment(c, d, b) || on_segment(a, b, c)
            } else {
                segments_cross(a, b, c, d)
                    || on_segment(a, b, c)
                    || on_segment(a, b, d)
                    || on_segment(c, d, a)
                    || on_segment(c, d, b)
            };
            if meet {
                return Err(ShapeFault::Crossing { corner: i.min(j) });
            }
        }
    }
    Ok(())
}

/// The vertex that lies farthest inside the hull, and how far, in units.
fn deepest_notch(outline: &[LatticePoint]) -> (usize, f64) {
    let Some(hull) = convex_hull(outline.to_vec()) else { return (0, 0.0) };
    let lines: Vec<_> = (0..hull.len())
        .map(|i| {
            let (a, b) = (hull[i], hull[(i + 1) % hull.len()]);
            (a, b, (a.distance2(b) as f64).sqrt())
        })
        .collect();
    let mut deepest = (0, 0.0_f64);
    for (i, &p) in outline.iter().enumerate() {
        // Inside a convex outline the nearest border point is the foot on the nearest line.
        let depth = lines
            .iter()
            .map(|&(a, b, length)| orient(a, b, p) as f64 / length)
            .fold(f64::INFINITY, f64::min);
        if depth > deepest.1 {
            deepest = (i, depth);
        }
    }
    deepest
}

/// Cuts a simple outline into convex pieces, each a list of corner indices, counter-clockwise.
/// `None` when no ear is left to clip, which no simple outline brings about.
pub(crate) fn convex_pieces(outline: &[LatticePoint]) -> Option<Vec<Vec<u32>>> {
    let triangles = clip_ears(outline)?;
    Some(merge_triangles(outline, &triangles))
}

/// Triangles of a simple outline, as corner indices.
fn clip_ears(outline: &[LatticePoint]) -> Option<Vec<[u32; 3]>> {
    let mut left: Vec<u32> = (0..outline.len() as u32).collect();
    let at = |i: u32| outline[i as usize];
    let mut triangles = Vec::with_capacity(outline.len().saturating_sub(2));
    let mut start = 0;
    while left.len() > 3 {
        let m = left.len();
        let ear = (0..m).map(|k| (start + k) % m).find(|&k| {
            let [a, b, c] = [left[(k + m - 1) % m], left[k], left[(k + 1) % m]];
            let (pa, pb, pc) = (at(a), at(b), at(c));
            orient(pa, pb, pc) > 0
                && !left.iter().any(|&v| {
                    let p = at(v);
                    v != a
                        && v != b
                        && v != c
                        && orient(pa, pb, p) >= 0
                        && orient(pb, pc, p) >= 0
                        && orient(pc, pa, p) >= 0
                })
        })?;
        triangles.push([left[(ear + m - 1) % m], left[ear], left[(ear + 1) % m]]);
        left.remove(ear);
        // Going on two corners further keeps the triangles from becoming a fan of needles.
        start = (ear + 1) % left.len();
    }
    let [a, b, c] = left[..] else { return None };
    if orient(at(a), at(b), at(c)) <= 0 {
        return None;
    }
    triangles.push([a, b, c]);
    Some(triangles)
}

/// Drops diagonals between triangles as long as the pieces stay exactly convex.
fn merge_triangles(outline: &[LatticePoint], triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    const NONE: usize = usize::MAX;
    let at = |i: u32| outline[i as usize];
    let count = triangles.len() * 3;
    let origin: Vec<u32> = triangles.iter().flatten().copied().collect();
    let mut next: Vec<usize> = (0..count).map(|h| h / 3 * 3 + (h + 1) % 3).collect();
    let mut prev: Vec<usize> = (0..count).map(|h| h / 3 * 3 + (h + 2) % 3).collect();
    let ends = |h: usize| (origin[h], origin[h / 3 * 3 + (h + 1) % 3]);
    let mut by_ends: Vec<(u32, u32, usize)> = (0..count)
        .map(|h| {
            let (a, b) = ends(h);
            (a.min(b), a.max(b), h)
        })
        .collect();
    by_ends.sort_unstable();
    let mut dropped = vec![false; count];
    for pair in by_ends.windows(2) {
        let ((a, b, h), (c, d, t)) = (pair[0], pair[1]);
        if (a, b) != (c, d) {
            continue;
        }
        // At both ends of the diagonal, the corner that is left when it goes must not be reflex.
        let turns_left = |before: usize, after: usize| {
            orient(at(origin[before]), at(origin[after]), at(origin[next[after]])) >= 0
        };
        if turns_left(prev[h], next[t]) && turns_left(prev[t], next[h]) {
            let (ph, nh, pt, nt) = (prev[h], next[h], prev[t], next[t]);
            next[ph] = nt;
            prev[nt] = ph;
            next[pt] = nh;
            prev[nh] = pt;
            dropped[h] = true;
            dropped[t] = true;
        }
    }
    let mut seen = dropped;
    let mut pieces = Vec::new();
    for first in 0..count {
        if seen[first] {
            continue;
        }
        let mut piece = Vec::new();
        let mut h = first;
        while h != NONE && !seen[h] {
            seen[h] = true;
            piece.push(origin[h]);
            h = next[h];
        }
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn outline(points: &[(i32, i32)]) -> Vec<LatticePoint> {
        points.iter().map(|&(x, y)| LatticePoint::new(x, y)).collect()
    }

    #[test]
    fn shapes_are_told_apart() {
        let square = outline(&[(0, 0), (1000, 0), (1000, 1000), (0, 1000)]);
        assert_eq!(classify(&square), Ok(CellShape::Convex));
        let flat_corner = outline(&[(0, 0), (500, 0), (1000, 0), (1000, 1000), (0, 1000)]);
        assert_eq!(classify(&flat_corner), Ok(CellShape::Convex));
        let within_slack = outline(&[(0, 0), (500, 3), (1000, 0), (1000, 1000), (0, 1000)]);
        assert!(matches!(classify(&within_slack), Ok(CellShape::Notched { vertex: 1, .. })));
        let notched = outline(&[(0, 0), (500, 65), (1000, 0), (1000, 1000), (0, 1000)]);
        let Ok(CellShape::Notched { depth_m, vertex: 1 }) = classify(&notched) else {
            panic!("{:?}", classify(&notched));
        };
        assert!((depth_m * 65536.0 - 65.0).abs() < 1e-9);
        let turned: Vec<_> = square.iter().rev().copied().collect();
        assert_eq!(classify(&turned), Err(ShapeFault::Clockwise));
        let spike = outline(&[(0, 0), (1000, 0), (1500, 0), (1000, 0), (1000, 1000), (0, 1000)]);
        assert!(matches!(classify(&spike), Err(ShapeFault::Crossing { .. })));
        let bow = outline(&[(0, 0), (1000, 1000), (1000, 0), (0, 3000)]);
        assert!(classify(&bow).is_err());
        let twice = outline(&[(0, 0), (1000, 0), (1000, 1000), (0, 0), (1000, 0), (1000, 1000)]);
        assert!(classify(&twice).is_err());
        let doubled = outline(&[(0, 0), (1000, 0), (1000, 0), (0, 1000)]);
        assert_eq!(classify(&doubled), Err(ShapeFault::ZeroEdge { corner: 1 }));
        let line = outline(&[(0, 0), (1000, 0), (500, 0)]);
        assert_eq!(classify(&line), Err(ShapeFault::Clockwise));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn pieces_are_convex_and_cover_the_outline(
            radii in prop::collection::vec(200_i32..3000, 5..40),
        ) {
            // A star-shaped outline around the origin is simple.
            let n = radii.len();
            let star: Vec<_> = radii.iter().enumerate().map(|(i, &r)| {
                let a = i as f64 / n as f64 * std::f64::consts::TAU;
                LatticePoint::from_units(f64::from(r) * a.cos(), f64::from(r) * a.sin())
            }).collect();
            prop_assume!(check_simple(&star).is_ok());
            let pieces = convex_pieces(&star).unwrap();
            let mut area = 0;
            for piece in &pieces {
                let points: Vec<_> = piece.iter().map(|&i| star[i as usize]).collect();
                prop_assert_eq!(classify(&points), Ok(CellShape::Convex));
                area += contour_area2(&points);
            }
            prop_assert_eq!(area, contour_area2(&star));
            let hull = convex_hull(star.clone()).unwrap();
            prop_assert_eq!(classify(&hull), Ok(CellShape::Convex));
            for &p in &star {
                prop_assert!((0..hull.len()).all(|i| orient(hull[i], hull[(i + 1) % hull.len()], p) >= 0));
            }
        }
    }
}
