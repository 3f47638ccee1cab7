//! A strip of connections between two boundary edges, and what part of it a shape covers.
//!
//! A strip runs from its first connection (share 0) to its last (share 1). Every connection in between
//! joins a point of the one edge with a point of the other; they sweep a convex quadrilateral in plan,
//! so that whatever stands in it takes away a range of shares and leaves strips again.

use crate::finish::fill_gaps::boundary::Boundary;
use glam::{DVec2, DVec3};
use surefoot_geom::bvh::Aabb;
use surefoot_geom::lattice::M_PER_LATTICE;

/// How far inside a strip something must lie to count, in metres: two lattice units, more than
/// rounding moves anything.
const INSET_M: f64 = 2.0 * M_PER_LATTICE;

/// What blocked edges nearer than this to a strip run along it, in metres.
const ALONG_M: f64 = 6e-4;

/// How far strips keep from what blocks them, in metres: borders that run along each other nearer than
/// half a millimetre are taken for one that is broken.
const APART_M: f64 = 1e-3;

/// Connections between two boundary edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FillerStrip {
    pub(crate) one: u32,
    pub(crate) two: u32,
    /// Where it begins and ends on the first edge, as shares of the edge; growing.
    pub(crate) on_one: [f64; 2],
    /// Where it begins and ends on the second edge; falling, since the edges run opposite ways.
    pub(crate) on_two: [f64; 2],
}

impl FillerStrip {
    /// The part between two shares.
    pub(crate) fn part(&self, from: f64, to: f64) -> Self {
        let between = |[a, b]: [f64; 2], t: f64| {
            // The ends come out as they are, so that an edge's corner stays one.
            if t <= 0.0 {
                a
            } else if t >= 1.0 {
                b
            } else {
                a + (b - a) * t
            }
        };
        Self {
            on_one: [between(self.on_one, from), between(self.on_one, to)],
            on_two: [between(self.on_two, from), between(self.on_two, to)],
            ..*self
        }
    }

    /// The connection at a share: a point on the first edge and one on the second.
    pub(crate) fn connection(&self, boundary: &Boundary, t: f64) -> (DVec3, DVec3) {
        let s = self.on_one[0] + (self.on_one[1] - self.on_one[0]) * t;
        let u = self.on_two[0] + (self.on_two[1] - self.on_two[0]) * t;
        (boundary.edge(self.one).at(s), boundary.edge(self.two).at(u))
    }

    pub(crate) fn shape(&self, boundary: &Boundary) -> StripShape {
        let (p0, q0) = self.connection(boundary, 0.0);
        let (p1, q1) = self.connection(boundary, 1.0);
        StripShape { corners: [p1, p0, q0, q1] }
    }

    /// How wide it is on its narrower side, in metres.
    pub(crate) fn width_m(&self, boundary: &Boundary) -> f64 {
        let width =
            |edge: u32, on: [f64; 2]| boundary.edge(edge).run().length() * (on[1] - on[0]).abs();
        width(self.one, self.on_one).min(width(self.two, self.on_two))
    }

    /// The parts left when some ranges of shares are taken out, each wide enough.
    pub(crate) fn without(
        &self,
        boundary: &Boundary,
        ranges: &mut [(f64, f64)],
        least_width_m: f64,
    ) -> Vec<Self> {
        ranges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut parts = Vec::new();
        let mut reached = 0.0;
        for &(from, to) in ranges.iter().chain(&[(1.0, 1.0)]) {
            if from > reached {
                parts.push(self.part(reached, from));
            }
            reached = to.max(reached);
        }
        parts.retain(|p| p.width_m(boundary) >= least_width_m);
        parts
    }
}

/// The corners of a strip in space: counter-clockwise in plan, first along the first edge backwards,
/// then along the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StripShape {
    pub(crate) corners: [DVec3; 4],
}

impl StripShape {
    pub(crate) fn plan(&self) -> [DVec2; 4] {
        self.corners.map(DVec3::truncate)
    }

    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::of_points(self.corners)
    }

    /// Its surface as two triangles.
    pub(crate) fn triangles(&self) -> [[DVec3; 3]; 2] {
        let [a, b, c, d] = self.corners;
        [[a, b, c], [a, c, d]]
    }

    /// The share of the connection that runs through a plan point of the strip; for a point outside,
    /// the nearest end of the strip where no connection leads to it.
    pub(crate) fn share_at(&self, at: DVec2) -> f64 {
        let [p1, p0, q0, q1] = self.plan();
        // The point lies on the connection where f(t) = D(t) × (at - P(t)) = a t² + b t + c is zero.
        let (d0, w) = (q0 - p0, at - p0);
        let (dp, dd) = (p1 - p0, (q1 - p1) - (q0 - p0));
        let a = -dd.perp_dot(dp);
        let b = dd.perp_dot(w) - d0.perp_dot(dp);
        let c = d0.perp_dot(w);
        // The first connection has the strip to its left and the last one to its right, so the
        // connection through the point is where f falls: -√ is its slope there. The root where it rises
        // is none: in a strip that begins in a corner, where D(0) = 0, it is 0 whatever the point.
        let slope = (b * b - 4.0 * a * c).max(0.0).sqrt();
        let t = if b > 0.0 { -0.5 * (b + slope) / a } else { c / (0.5 * (slope - b)) };
        // Not a number only in the corner itself, or in a strip without area.
        if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) }
    }

    /// The height of the strip at a plan point of it, in metres.
    pub(crate) fn height_at(&self, at: DVec2) -> f64 {
        let t = self.share_at(at);
        let [p1, p0, q0, q1] = self.corners;
        let (p, q) = (p0.lerp(p1, t), q0.lerp(q1, t));
        let run = (q - p).truncate();
        let along = if run.length_squared() > 0.0 {
            ((at - p.truncate()).dot(run) / run.length_squared()).clamp(0.0, 1.0)
        } else {
            0.5
        };
        p.z + (q.z - p.z) * along
    }

    /// The part of a convex shape, or of a segment, that lies well inside the strip.
    pub(crate) fn clip(&self, shape: &[DVec2]) -> Vec<DVec2> {
        clip_convex(shape, &self.plan(), INSET_M)
    }

    /// The part of a segment that lies in the strip or nearly along its sides.
    pub(crate) fn clip_along(&self, segment: [DVec2; 2]) -> Vec<DVec2> {
        clip_convex(&segment, &self.plan(), -ALONG_M)
    }

    /// The range of shares whose connections touch a shape inside the strip, a little widened.
    pub(crate) fn range_of(&self, inside: &[DVec2]) -> Option<(f64, f64)> {
        let (low, high) = inside
            .iter()
            .map(|&p| self.share_at(p))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| (l.min(t), h.max(t)));
        if !(low <= high) {
            return None;
        }
        let [p1, p0, q0, q1] = self.plan();
        let narrow = p0.distance(p1).min(q0.distance(q1));
        let margin = if narrow > 0.0 { APART_M / narrow } else { 1.0 };
        Some((low - margin, high + margin))
    }
}

/// The part of a convex polygon or segment inside a convex, counter-clockwise one, made narrower by an
/// inset (Sutherland and Hodgman 1974). A side of the latter shorter than a lattice unit is a corner:
/// which way it runs is rounding, and says nothing about what lies inside.
pub(crate) fn clip_convex(shape: &[DVec2], clip: &[DVec2], inset_m: f64) -> Vec<DVec2> {
    let mut kept = shape.to_vec();
    for i in 0..clip.len() {
        let (a, b) = (clip[i], clip[(i + 1) % clip.len()]);
        let length_m = a.distance(b);
        if !(length_m >= M_PER_LATTICE) {
            continue;
        }
        let along = (b - a) / length_m;
        let depth = |p: DVec2| along.perp_dot(p - a) - inset_m;
        let input = std::mem::take(&mut kept);
        let n = input.len();
        // A segment has one side, a polygon as many as corners.
        let sides = if n == 2 { 1 } else { n };
        for k in 0..n {
            let p = input[k];
            let s = depth(p);
            if s > 0.0 {
                kept.push(p);
            }
            if k < sides {
                let q = input[(k + 1) % n];
                let t = depth(q);
                if (s > 0.0) != (t > 0.0) {
                    kept.push(p.lerp(q, s / (s - t)));
                }
            }
        }
        if kept.is_empty() {
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(corners: [[f64; 3]; 4]) -> StripShape {
        StripShape { corners: corners.map(DVec3::from) }
    }

    #[test]
    fn shares_of_points_run_along_the_strip() {
        // Along x from 0 to 2 at the first edge, from 0 to 4 at the second, one apart.
        let wide = shape([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [4.0, 0.0, 1.0]]);
        assert!((wide.share_at(DVec2::new(1.0, 1.0)) - 0.5).abs() < 1e-9);
        assert!((wide.share_at(DVec2::new(2.0, 0.0)) - 0.5).abs() < 1e-9);
        assert!((wide.share_at(DVec2::new(1.5, 0.5)) - 0.5).abs() < 1e-9);
        assert!((wide.height_at(DVec2::new(1.5, 0.5)) - 0.5).abs() < 1e-9);
        assert!(wide.share_at(DVec2::new(0.0, 0.5)).abs() < 1e-9);
        assert!((wide.share_at(DVec2::new(3.0, 0.5)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn shares_run_away_from_a_corner_that_a_strip_begins_or_ends_in() {
        let (corner, far, aside) = ([1.0, 2.0, 0.0], [1.0, 12.0, 3.0], [2.0, 3.0, 6.0]);
        let begins = shape([far, corner, corner, aside]);
        // Mirrored, so that it turns the same way.
        let ends = shape([corner, far, aside, corner].map(|[x, y, z]| [-x, y, z]));
        let [c, p, q] = [corner, far, aside].map(|c| DVec3::from(c).truncate());
        for t in [0.0, 1e-6, 0.25, 0.5, 0.904, 1.0] {
            for along in [0.0, 0.01, 0.5, 1.0] {
                let at = c.lerp(p, t).lerp(c.lerp(q, t), along);
                let mirrored = DVec2::new(-at.x, at.y);
                assert!((begins.share_at(at) - t).abs() < 1e-7, "{t} {along}");
                assert!((ends.share_at(mirrored) - (1.0 - t)).abs() < 1e-7, "{t} {along}");
                let height_m = t * (3.0 + 3.0 * along);
                assert!((begins.height_at(at) - height_m).abs() < 1e-5, "{t} {along}");
                assert!((ends.height_at(mirrored) - height_m).abs() < 1e-5, "{t} {along}");
            }
        }
        // Behind the corner lies the begin, beyond the last connection the end.
        assert!(begins.share_at(DVec2::new(1.0, 1.9)) <= 0.0);
        assert!(begins.share_at(DVec2::new(0.9, 2.0)) <= 0.0);
        assert!(begins.share_at(DVec2::new(2.0, 9.0)) >= 1.0);
    }

    #[test]
    fn what_stands_in_a_strip_takes_its_range() {
        let strip = shape([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        let post: Vec<DVec2> =
            [[0.5, -1.0], [1.0, -1.0], [1.0, 0.3], [0.5, 0.3]].map(DVec2::from).to_vec();
        let (low, high) = strip.range_of(&strip.clip(&post)).unwrap();
        assert!((low - 0.25).abs() < 1e-3 && (high - 0.5).abs() < 1e-3);
        let beside = [DVec2::new(0.0, 1.0), DVec2::new(2.0, 1.0)];
        assert!(strip.clip(&beside).is_empty());
    }

    #[test]
    fn a_corner_that_a_strip_begins_in_up_to_rounding_clips_nothing_away() {
        let segment = [DVec2::new(1.2, 3.0), DVec2::new(1.4, 20.0)];
        let [far, corner, aside] = [[1.0, 12.0, 0.0], [1.0, 2.0, 0.0], [2.0, 3.0, 0.0]];
        let exact = shape([far, corner, corner, aside]).clip(&segment);
        assert_eq!(exact.len(), 2);
        for k in 0..16 {
            let by = DVec2::from_angle(f64::from(k)) * 1e-13;
            let other = [corner[0] + by.x, corner[1] + by.y, 0.0];
            let clipped = shape([far, corner, other, aside]).clip(&segment);
            assert_eq!(clipped.len(), 2, "{k}");
            assert!(clipped.iter().zip(&exact).all(|(p, q)| p.distance(*q) < 1e-9), "{k}");
        }
    }
}
