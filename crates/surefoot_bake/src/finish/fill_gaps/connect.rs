//! Connects pairs of boundary edges (Vermeulen et al. 2018, §V-B.1 to 3, and the bisectors of §V-C).
//!
//! Goes in: two boundary edges. Comes out: the widest strip of connections between them that are no
//! longer than the reach and lead backwards from neither edge, or none. The edges are split at their
//! closest points; from there both ends of a connection move away equally far until it is as long as
//! the reach, and where one edge ends, the other end moves on alone. Parallel edges start in the
//! middle of the part that they share; the same rule then connects each corner as far along the other
//! edge as possible. The source solves for these points in exact numbers; here the ends are found by
//! halving, which is safe because the length of a connection is convex along the way, and rounded to
//! the lattice later. On which side of an edge a corner lies is decided on the lattice itself.

use crate::finish::fill_gaps::boundary::{Boundary, BoundaryEdge};
use crate::finish::fill_gaps::strip::FillerStrip;
use glam::{DVec2, DVec3};
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::predicates::orient;

/// Edges whose directions differ by less than this sine are parallel.
const PARALLEL_SINE: f64 = 1e-7;

/// What rounding to the lattice may add to a connection, in metres: four units. Connections are found
/// this much shorter than the reach, unless the edges are nowhere nearer than that.
pub(crate) const ROUNDING_M: f64 = 4.0 * M_PER_LATTICE;

/// What the rounding of the scene to the lattice may have added to a gap, in metres.
const INPUT_ROUNDING_M: f64 = 1.5 * M_PER_LATTICE;

/// Strips narrower than this are none, in metres.
pub(crate) const NARROWEST_M: f64 = 2e-3;

/// Halvings when the end of a strip is looked for.
const HALVINGS: usize = 50;

/// The widest strip between two edges that leads backwards from neither.
pub(crate) fn connect(
    boundary: &Boundary,
    one: u32,
    two: u32,
    reach_m: f64,
) -> Option<FillerStrip> {
    let (e, f) = (boundary.edge(one), boundary.edge(two));
    // Everything in front of one another: decided on the lattice before anything is computed.
    let in_front = |e: &BoundaryEdge, f: &BoundaryEdge| {
        orient(e.from, e.to, f.from) < 0 || orient(e.from, e.to, f.to) < 0
    };
    if !in_front(e, f) || !in_front(f, e) {
        return None;
    }
    let (s, u) = closest_shares(e, f);
    let nearest_m = e.at(s).distance(f.at(u));
    if nearest_m > reach_m + INPUT_ROUNDING_M {
        return None;
    }
    let limit_m = limit_m(nearest_m, reach_m);
    let (from_e, from_f) = (WayToEnd::new(e, s), WayToEnd::new(f, u));
    // Edges run opposite ways: where the one goes back, the other goes on.
    let (s0, u0) = farthest(from_e.back(), from_f.on(), limit_m);
    let (s1, u1) = farthest(from_e.on(), from_f.back(), limit_m);
    let mut strip = FillerStrip { one, two, on_one: [s0, s1], on_two: [u0, u1] };
    restrict(&mut strip.on_two, f, |p| -orient(e.from, e.to, p))?;
    restrict(&mut strip.on_one, e, |p| -orient(f.from, f.to, p))?;
    trim(boundary, strip, limit_m)
}

fn limit_m(nearest_m: f64, reach_m: f64) -> f64 {
    if nearest_m <= reach_m - ROUNDING_M {
        reach_m - ROUNDING_M
    } else {
        reach_m + INPUT_ROUNDING_M
    }
}

/// Keeps a strip within the upright planes through the bisectors at the ends of both edges, so that
/// neighbouring edges do not fill the same corner.
pub(crate) fn restrict_by_bisectors(
    boundary: &Boundary,
    mut strip: FillerStrip,
    reach_m: f64,
) -> Option<FillerStrip> {
    for (here, there) in [(strip.one, strip.two), (strip.two, strip.one)] {
        let (e, f) = (boundary.edge(here), boundary.edge(there));
        for (corner, plane) in [
            (e.start().truncate(), bisector(boundary.edge(e.previous), e)),
            (e.end().truncate(), -bisector(e, boundary.edge(e.next))),
        ] {
            // `plane` points to the edge's own side.
            let side = |p: LatticePoint| {
                let d = crate::surface::plan_m(p) - corner;
                let side = plane.dot(d);
                if side.abs() <= 1e-12 { 0.0 } else { side }
            };
            let on = if there == strip.two { &mut strip.on_two } else { &mut strip.on_one };
            restrict(on, f, side)?;
        }
    }
    let (p, q) = strip.connection(boundary, 0.5);
    let limit_m = limit_m(p.distance(q), reach_m);
    trim(boundary, strip, limit_m)
}

/// The unit normal of the upright plane that halves the outside between two edges of a cycle; it
/// points to the side of the second.
fn bisector(before: &BoundaryEdge, after: &BoundaryEdge) -> DVec2 {
    let (a, b) = (before.run().normalize_or_zero(), after.run().normalize_or_zero());
    // The sum of the two directions runs across the bisector.
    (a + b).try_normalize().unwrap_or(b)
}

/// The longest way from a point of an edge to one of its ends.
#[derive(Clone, Copy)]
struct WayToEnd<'a> {
    edge: &'a BoundaryEdge,
    share: f64,
    length_m: f64,
}

/// From a share of an edge to a farther one; how long that is.
#[derive(Clone, Copy)]
struct Leg<'a> {
    edge: &'a BoundaryEdge,
    from: f64,
    to: f64,
    length_m: f64,
}

impl<'a> WayToEnd<'a> {
    fn new(edge: &'a BoundaryEdge, share: f64) -> Self {
        Self { edge, share, length_m: edge.start().distance(edge.end()) }
    }

    fn back(self) -> Leg<'a> {
        Leg { edge: self.edge, from: self.share, to: 0.0, length_m: self.share * self.length_m }
    }

    fn on(self) -> Leg<'a> {
        let length_m = (1.0 - self.share) * self.length_m;
        Leg { edge: self.edge, from: self.share, to: 1.0, length_m }
    }
}

impl Leg<'_> {
    /// The share a distance along the leg.
    fn share(&self, distance_m: f64) -> f64 {
        if distance_m >= self.length_m {
            self.to
        } else {
            self.from + (self.to - self.from) * (distance_m / self.length_m)
        }
    }

    fn at(&self, distance_m: f64) -> DVec3 {
        self.edge.at(self.share(distance_m))
    }
}

/// The shares of the farthest connection between two legs that start at the closest points.
fn farthest(a: Leg<'_>, b: Leg<'_>, limit_m: f64) -> (f64, f64) {
    let common = a.length_m.min(b.length_m);
    let fits = |x: f64, y: f64| a.at(x).distance(b.at(y)) <= limit_m;
    let x = largest(0.0, common, |x| fits(x, x));
    if x < common {
        return (a.share(x), b.share(x));
    }
    if a.length_m <= b.length_m {
        let y = largest(x, b.length_m, |y| fits(a.length_m, y));
        (a.to, b.share(y))
    } else {
        let y = largest(x, a.length_m, |y| fits(y, b.length_m));
        (a.share(y), b.to)
    }
}

/// The largest number up to `high` for which something holds that holds from `low` up to it.
fn largest(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(high) {
        return high;
    }
    let (mut low, mut high) = (low, high);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// A signed distance whose sign is exact.
trait SignedDistance: Copy {
    fn sign(self) -> i8;
    fn size(self) -> f64;
}

impl SignedDistance for i128 {
    fn sign(self) -> i8 {
        self.signum() as i8
    }
    fn size(self) -> f64 {
        self.abs() as f64
    }
}

impl SignedDistance for f64 {
    fn sign(self) -> i8 {
        if self > 0.0 {
            1
        } else if self < 0.0 {
            -1
        } else {
            0
        }
    }
    fn size(self) -> f64 {
        self.abs()
    }
}

/// Narrows an interval of an edge to where a linear function, given at the edge's corners, is not
/// negative; `None` when nothing is left.
fn restrict<S: SignedDistance>(
    on: &mut [f64; 2],
    edge: &BoundaryEdge,
    side: impl Fn(LatticePoint) -> S,
) -> Option<()> {
    let (a, b) = (side(edge.from), side(edge.to));
    let allowed = match (a.sign() >= 0, b.sign() >= 0) {
        (true, true) => return Some(()),
        (false, false) => return None,
        (first, _) => {
            let zero = a.size() / (a.size() + b.size());
            if first { (0.0, zero) } else { (zero, 1.0) }
        }
    };
    let (low, high) = (on[0].min(on[1]), on[0].max(on[1]));
    if high < allowed.0 || low > allowed.1 {
        return None;
    }
    for end in on.iter_mut() {
        *end = end.clamp(allowed.0, allowed.1);
    }
    Some(())
}

/// The widest part of a strip whose connections are all short enough; `None` when it is too narrow.
fn trim(boundary: &Boundary, strip: FillerStrip, limit_m: f64) -> Option<FillerStrip> {
    if !(strip.on_one[0] < strip.on_one[1] && strip.on_two[0] > strip.on_two[1]) {
        return None;
    }
    let fits = |t: f64| {
        let (p, q) = strip.connection(boundary, t);
        p.distance(q) <= limit_m
    };
    let whole = match (fits(0.0), fits(1.0)) {
        (true, true) => strip,
        // The length is convex along the strip: what is short enough is one range.
        (first, last) => {
            let inner = if first {
                0.0
            } else if last {
                1.0
            } else {
                shortest_share(boundary, &strip)
            };
            if !fits(inner) {
                return None;
            }
            let from = if first { 0.0 } else { 1.0 - largest(1.0 - inner, 1.0, |t| fits(1.0 - t)) };
            let to = if last { 1.0 } else { largest(inner, 1.0, fits) };
            strip.part(from, to)
        }
    };
    (whole.width_m(boundary) >= NARROWEST_M).then_some(whole)
}

/// The share of the shortest connection.
fn shortest_share(boundary: &Boundary, strip: &FillerStrip) -> f64 {
    let length = |t: f64| {
        let (p, q) = strip.connection(boundary, t);
        p.distance(q)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if length(a) <= length(b) { high = b } else { low = a }
    }
    0.5 * (low + high)
}

/// The shares of the closest points of two edges; of parallel edges, the middle of what they share.
fn closest_shares(e: &BoundaryEdge, f: &BoundaryEdge) -> (f64, f64) {
    let (p, q) = (e.start(), f.start());
    let (d, g) = (e.end() - p, f.end() - q);
    let (dd, gg, dg) = (d.length_squared(), g.length_squared(), d.dot(g));
    let w = p - q;
    let (dw, gw) = (d.dot(w), g.dot(w));
    let sine2 = 1.0 - dg * dg / (dd * gg);
    if sine2 <= PARALLEL_SINE * PARALLEL_SINE {
        // Where the other edge's ends lie along this one.
        let (a, b) = (-dw / dd, (g - w).dot(d) / dd);
        let (low, high) = (a.min(b).max(0.0), a.max(b).min(1.0));
        if low <= high {
            let s = 0.5 * (low + high);
            let u = if (b - a).abs() > 0.0 { ((s - a) / (b - a)).clamp(0.0, 1.0) } else { 0.5 };
            return (s, u);
        }
    }
    // Ericson, Real-Time Collision Detection (2005), §5.1.9: clamp one, then the other.
    let denominator = dd * gg - dg * dg;
    let s =
        if denominator > 0.0 { ((dg * gw - dw * gg) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let u = (dg * s + gw) / gg;
    if u < 0.0 {
        ((-dw / dd).clamp(0.0, 1.0), 0.0)
    } else if u > 1.0 {
        (((dg - dw) / dd).clamp(0.0, 1.0), 1.0)
    } else {
        (s, u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finish::fill_gaps::tests::{plates, rectangle};

    const REACH_M: f64 = 0.3;

    /// The strip between the nearest edges of two plates.
    fn strip_between(boundary: &Boundary) -> Option<FillerStrip> {
        let mut strips = Vec::new();
        for i in 0..boundary.edges.len() as u32 {
            for j in i + 1..boundary.edges.len() as u32 {
                if boundary.edge(i).cycle != boundary.edge(j).cycle {
                    strips.extend(connect(boundary, i, j, REACH_M));
                }
            }
        }
        let length = |s: &FillerStrip| {
            let (p, q) = s.connection(boundary, 0.5);
            p.distance(q)
        };
        strips.into_iter().min_by(|a, b| length(a).total_cmp(&length(b)))
    }

    #[test]
    fn parallel_edges_reach_as_far_along_each_other_as_they_can() {
        // The second plate is longer on both sides: a corner reaches √(0.3² - 0.1²) beyond.
        let surface = plates(&[
            (rectangle([0.0, 0.0], [1.0, 1.0]), 0.0),
            (rectangle([1.1, -1.0], [2.0, 2.0]), 0.0),
        ]);
        let boundary = Boundary::of(&surface);
        let strip = strip_between(&boundary).unwrap();
        let ((p0, q0), (p1, q1)) =
            (strip.connection(&boundary, 0.0), strip.connection(&boundary, 1.0));
        let mut widths = [p0.distance(p1), q0.distance(q1)];
        widths.sort_by(f64::total_cmp);
        let beyond = (0.3_f64.powi(2) - 0.1_f64.powi(2)).sqrt();
        assert!((widths[0] - 1.0).abs() < 1e-4 && (widths[1] - 1.0 - 2.0 * beyond).abs() < 1e-3);
    }

    #[test]
    fn the_gap_is_the_same_from_either_side() {
        let surface = plates(&[
            (rectangle([0.0, 0.0], [1.0, 1.0]), 0.0),
            (vec![[1.1, 0.2], [2.0, -0.3], [2.0, 1.4], [1.2, 0.9]], 0.12),
        ]);
        let boundary = Boundary::of(&surface);
        let mut found = 0;
        for i in 0..boundary.edges.len() as u32 {
            for j in 0..i {
                let (a, b) = (connect(&boundary, i, j, REACH_M), connect(&boundary, j, i, REACH_M));
                assert_eq!(a.is_some(), b.is_some());
                if let (Some(a), Some(b)) = (a, b) {
                    found += 1;
                    for k in 0..2 {
                        assert!((a.on_one[k] - b.on_two[1 - k]).abs() < 1e-9);
                        assert!((a.on_two[k] - b.on_one[1 - k]).abs() < 1e-9);
                    }
                }
            }
        }
        assert!(found > 0);
    }

    #[test]
    fn no_connection_is_longer_than_the_reach() {
        for angle in [0.0_f64, 17.3, 45.0, 71.9, 88.0] {
            let (s, c) = angle.to_radians().sin_cos();
            let turned = |x: f64, y: f64| [1.05 + c * x - s * y, s * x + c * y];
            let other =
                vec![turned(0.0, 0.0), turned(2.0, 0.0), turned(2.0, 2.0), turned(0.0, 2.0)];
            let surface = plates(&[(rectangle([0.0, 0.0], [1.0, 1.0]), 0.0), (other, 0.1)]);
            let boundary = Boundary::of(&surface);
            for i in 0..boundary.edges.len() as u32 {
                for j in 0..i {
                    let Some(strip) = connect(&boundary, i, j, REACH_M) else { continue };
                    for t in [0.0, 0.3, 0.7, 1.0] {
                        let (p, q) = strip.connection(&boundary, t);
                        assert!(p.distance(q) <= 0.3, "{angle}: {}", p.distance(q));
                    }
                }
            }
        }
    }
}
