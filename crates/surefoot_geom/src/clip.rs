//! Clipping a triangle to the slab between two surfaces over the plan.
//!
//! A triangle has three corners, so a slab bounded by two planes leaves a convex polygon of at most
//! five. Corners are cut in the order of their coordinates, so that a shared edge is cut in the same
//! point from both sides.

use glam::DVec3;

/// A convex polygon of at most five corners, without allocation.
#[derive(Clone, Copy, Debug)]
pub struct ClippedTriangle {
    points: [DVec3; 5],
    count: u8,
}

impl ClippedTriangle {
    /// The corners, in the triangle's own sense; empty when nothing is left.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points[..usize::from(self.count)]
    }
}

/// The part of a triangle where `low ≤ height_above(p) ≤ high`. The height must be linear over the
/// triangle: the distance of `p` above a plane, for instance.
#[must_use]
pub fn clip_to_slab(
    triangle: [DVec3; 3],
    height_above: impl Fn(DVec3) -> f64,
    low: f64,
    high: f64,
) -> ClippedTriangle {
    let heights = triangle.map(&height_above);
    let mut out = ClippedTriangle { points: [DVec3::ZERO; 5], count: 0 };
    if heights.iter().all(|&h| h >= low && h <= high) {
        out.points[..3].copy_from_slice(&triangle);
        out.count = 3;
        return out;
    }
    if heights.iter().all(|&h| h < low) || heights.iter().all(|&h| h > high) {
        return out;
    }
    let mut middle = [(DVec3::ZERO, 0.0); 5];
    let mut count = 0;
    let input = [0, 1, 2].map(|i| (triangle[i], heights[i]));
    half(&input, |h| h - low, low, &mut middle, &mut count);
    let mut last = [(DVec3::ZERO, 0.0); 5];
    let mut left = 0;
    half(&middle[..count], |h| high - h, high, &mut last, &mut left);
    if left >= 3 {
        for (to, from) in out.points.iter_mut().zip(&last[..left]) {
            *to = from.0;
        }
        out.count = left as u8;
    }
    out
}

/// Keeps the part where `inside(height) ≥ 0`; a corner is added where an edge passes `limit`.
fn half(
    input: &[(DVec3, f64)],
    inside: impl Fn(f64) -> f64,
    limit: f64,
    out: &mut [(DVec3, f64); 5],
    count: &mut usize,
) {
    let mut push = |p: (DVec3, f64)| {
        // A convex polygon of n corners gains at most one by a cut, so five is enough.
        if *count < out.len() {
            out[*count] = p;
            *count += 1;
        }
    };
    for i in 0..input.len() {
        let (a, b) = (input[i], input[(i + 1) % input.len()]);
        let (da, db) = (inside(a.1), inside(b.1));
        if da >= 0.0 {
            push(a);
        }
        if (da >= 0.0) != (db >= 0.0) {
            // From the smaller end, whichever way the edge runs.
            let first = (a.0.x, a.0.y, a.0.z) < (b.0.x, b.0.y, b.0.z);
            let ((p, dp), (q, dq)) =
                if first { ((a.0, da), (b.0, db)) } else { ((b.0, db), (a.0, da)) };
            push((p + (q - p) * (dp / (dp - dq)), limit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[DVec3]) -> f64 {
        (1..points.len().saturating_sub(1))
            .map(|i| (points[i] - points[0]).cross(points[i + 1] - points[0]).length() * 0.5)
            .sum()
    }

    #[test]
    fn slabs_that_share_a_border_share_out_the_triangle() {
        let t = [DVec3::new(0.0, 0.0, -1.0), DVec3::new(4.0, 0.5, 3.0), DVec3::new(1.0, 3.0, 7.0)];
        let whole = area(&t);
        let cuts = [-10.0, -0.5, 0.0, 1.25, 3.0, 6.5, 10.0];
        let sum: f64 =
            cuts.windows(2).map(|w| area(clip_to_slab(t, |p| p.z, w[0], w[1]).points())).sum();
        assert!((whole - sum).abs() < 1e-12);
        assert_eq!(clip_to_slab(t, |p| p.z, 0.0, 5.0).points().len(), 5);
        assert!(clip_to_slab(t, |p| p.z, 8.0, 9.0).points().is_empty());
        assert!(clip_to_slab(t, |p| p.z, -9.0, -8.0).points().is_empty());
    }

    #[test]
    fn a_shared_edge_is_cut_in_the_same_point_from_both_sides() {
        let (a, b) = (DVec3::new(0.1, 0.7, -0.3), DVec3::new(2.3, 1.1, 1.9));
        let one = clip_to_slab([a, b, DVec3::new(0.0, 5.0, 0.0)], |p| p.z, 0.123, 9.0);
        let two = clip_to_slab([b, a, DVec3::new(5.0, -5.0, 0.0)], |p| p.z, 0.123, 9.0);
        assert!(one.points().iter().any(|p| two.points().contains(p) && *p != a && *p != b));
    }
}
