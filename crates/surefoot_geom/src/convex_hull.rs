//! Convex hulls in plan, by the monotone chain (Andrew, "Another efficient algorithm for convex
//! hulls in two dimensions", 1979).
//!
//! In go points in any order; out come the hull's corners, counter-clockwise from the smallest, none
//! of them on the straight line between its neighbours. On the lattice the result is exact.

use glam::DVec2;

use crate::lattice::LatticePoint;
use crate::polygon::{Contour, is_convex};
use crate::predicates::orient;

/// The corners of the convex hull of some points, counter-clockwise from the smallest; `None` when it
/// has no area. Exact.
#[must_use]
pub fn convex_hull(mut points: Vec<LatticePoint>) -> Option<Contour> {
    if is_convex(&points) {
        drop_straight_corners(&mut points);
        return Some(points);
    }
    hull_by_sorting(points)
}

/// Takes the corners out of a convex contour at which it goes straight on, and begins with the smallest.
fn drop_straight_corners(contour: &mut Contour) {
    let smallest = (0..contour.len()).min_by_key(|&i| contour[i]).unwrap_or(0);
    contour.rotate_left(smallest);
    let n = contour.len();
    let mut before = contour[n - 1];
    let mut kept = 0;
    for i in 0..n {
        let at = contour[i];
        // The first corner stays, so it is still there for the last one.
        let after = contour[if i + 1 < n { i + 1 } else { 0 }];
        if orient(before, at, after) > 0 {
            contour[kept] = at;
            kept += 1;
        }
        before = at;
    }
    contour.truncate(kept);
}

/// The convex hull of points in any order.
fn hull_by_sorting(mut points: Vec<LatticePoint>) -> Option<Contour> {
    points.sort_unstable();
    points.dedup();
    let hull = monotone_chain(&points, |a, b, c| orient(a, b, c) > 0);
    (hull.len() >= 3).then_some(hull)
}

/// The same for points that are not on the lattice; decided by rounded products, so that a corner
/// may stay that lies within rounding on the line between its neighbours. Fewer than three corners
/// where the hull has no area.
#[must_use]
pub fn convex_hull_of_reals(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    monotone_chain(&points, |a, b, c| (b - a).perp_dot(c - b) > 0.0)
}

/// The hull of sorted points without repetitions: along the lower side, then back along the upper one.
#[inline]
fn monotone_chain<P: Copy>(sorted: &[P], turns_left: impl Fn(P, P, P) -> bool) -> Vec<P> {
    if sorted.len() < 3 {
        return sorted.to_vec();
    }
    let mut hull: Vec<P> = Vec::with_capacity(sorted.len() + 1);
    let mut base = 0;
    for (k, &p) in sorted.iter().chain(sorted.iter().rev().skip(1)).enumerate() {
        if k == sorted.len() {
            base = hull.len() - 1;
        }
        while hull.len() >= base + 2 && !turns_left(hull[hull.len() - 2], hull[hull.len() - 1], p) {
            hull.pop();
        }
        hull.push(p);
    }
    // The first point once more.
    hull.pop();
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(points: &[(i32, i32)]) -> Contour {
        points.iter().map(|&(x, y)| LatticePoint::new(x, y)).collect()
    }

    /// What is convex is its own hull, however it is told; nothing else counts as convex.
    #[test]
    fn a_convex_contour_is_its_own_hull() {
        let square = at(&[(0, 0), (4, 0), (8, 0), (8, 8), (4, 8), (0, 8), (0, 3)]);
        let skew = at(&[(0, 0), (6, -2), (9, 1), (10, 5), (7, 8), (-1, 4)]);
        for contour in [square, skew] {
            for first in 0..contour.len() {
                let mut turned = contour.clone();
                turned.rotate_left(first);
                assert!(is_convex(&turned));
                assert_eq!(convex_hull(turned.clone()), hull_by_sorting(turned.clone()));
                turned.reverse();
                assert!(!is_convex(&turned), "clockwise");
                turned.reverse();
                turned.insert(0, turned[0]);
                assert!(!is_convex(&turned), "an edge that is a point");
            }
        }
        let twice = at(&[(0, 0), (9, 0), (9, 9), (0, 9), (-1, -1), (9, 0), (9, 9), (0, 9)]);
        let forth_and_back = at(&[(0, 0), (9, 0), (5, 0)]);
        let notched = at(&[(0, 0), (4, 1), (9, 0), (9, 9), (0, 9)]);
        let star = at(&[(0, 0), (9, 9), (-3, 9), (6, 0), (2, 12)]);
        for other in [twice, forth_and_back, notched, star, at(&[(0, 0), (1, 1)]), at(&[])] {
            assert!(!is_convex(&other), "{other:?}");
        }
    }

    /// Contours of a few points on a small lattice, of all kinds.
    #[test]
    fn hulls_are_the_same_with_and_without_sorting() {
        let mut state = 7_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        let mut convex = 0;
        for _ in 0..60_000 {
            let n = 3 + next(4);
            let contour: Contour =
                (0..n).map(|_| LatticePoint::new(next(4) as i32, next(4) as i32)).collect();
            convex += usize::from(is_convex(&contour));
            assert_eq!(
                convex_hull(contour.clone()),
                hull_by_sorting(contour.clone()),
                "{contour:?}"
            );
        }
        assert!(convex > 1_000, "{convex}");
    }

    #[test]
    fn a_hull_of_reals_turns_counter_clockwise_around_its_points() {
        let points = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [2.0, 2.0], [0.0, 2.0], [1.0, 0.0]];
        let corners = convex_hull_of_reals(points.map(DVec2::from).to_vec());
        assert_eq!(corners, [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from));
        assert!(convex_hull_of_reals(vec![DVec2::ONE; 3]).len() < 3);
        assert!(convex_hull_of_reals([0.0, 1.0, 2.0].map(DVec2::splat).to_vec()).len() < 3);
    }
}
