//! Intervals of edges as Polyanya sees them: from a root, towards a goal.
//!
//! An *interval* is a contiguous part of an edge, all of which is seen from its root (Cui, Harabor
//! and Grastien, 2017). In go an interval, its root and a goal; out come the end at which the
//! shortest way turns and the length of that way, which is the search's estimate. Sides are those
//! of somebody who walks through the interval.

use super::corridor::Crossing;
use glam::DVec2;

/// How far from a ray a vertex may lie and still be on it, in metres: rounding must not decide
/// which side of a vertex a view along a straight border passes.
const ON_RAY_M: f64 = 1e-9;

/// A part of an edge between two of its points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) left: DVec2,
    pub(super) right: DVec2,
    /// The edge, from the side that is left; for a link, whose end is an interval without length,
    /// the link's sample.
    pub(super) crossing: Crossing,
    /// Whether the ends of the interval are those of its edge.
    pub(super) left_is_vertex: bool,
    pub(super) right_is_vertex: bool,
}

impl Interval {
    /// The end of a link.
    pub(super) fn link_end(at: DVec2, sample: u32) -> Self {
        let crossing = Crossing::link(sample);
        Self { left: at, right: at, crossing, left_is_vertex: false, right_is_vertex: false }
    }

    /// The end at which the shortest way from `root` through the interval to `to`, which lies beyond
    /// it or on its line, turns, if it does.
    #[inline(always)]
    pub(super) fn turn_at(&self, root: DVec2, to: DVec2) -> Option<DVec2> {
        turn_at(root, self.left, self.right, to)
    }

    /// The length of the shortest way from `root` to `to` through the interval, with `to` beyond it.
    #[inline]
    pub(super) fn length_through(&self, root: DVec2, to: DVec2) -> f64 {
        length_through(root, self.left, self.right, to)
    }

    /// The least length from a root, so far from the goal, through the interval to the goal,
    /// wherever that lies.
    #[inline]
    pub(super) fn estimate(&self, root: DVec2, root_to_goal: f64, goal: DVec2) -> f64 {
        let Self { left, right, .. } = *self;
        let along = left - right;
        let side = along.perp_dot(goal - right);
        if side > 0.0 {
            // The goal lies on the root's side: touching the segment and coming back is as far as
            // going on to the goal's mirror image.
            let mirrored = goal - along.perp() * (2.0 * side / along.length_squared());
            return length_through(root, left, right, mirrored);
        }
        match turn_at(root, left, right, goal) {
            Some(end) => root.distance(end) + end.distance(goal),
            None => root_to_goal,
        }
    }
}

/// The end of the segment between `right` and `left` at which the shortest way from `root` through it
/// to `to`, which lies beyond it or on its line, turns, if it does.
#[inline(always)]
fn turn_at(root: DVec2, left: DVec2, right: DVec2, to: DVec2) -> Option<DVec2> {
    let way = to - root;
    let (to_left, to_right) = (left - root, right - root);
    let (side_left, side_right) = (to_left.perp_dot(way), to_right.perp_dot(way));
    let is_beside =
        |side: f64, along: DVec2| side * side > ON_RAY_M * ON_RAY_M * along.length_squared();
    if side_right < 0.0 && is_beside(side_right, to_right) {
        Some(right)
    } else if side_left > 0.0 && is_beside(side_left, to_left) {
        Some(left)
    } else if side_right >= 0.0
        && side_left <= 0.0
        && (is_beside(side_right, to_right) || is_beside(side_left, to_left))
    {
        None
    } else {
        turn_on_line(root, left, right, to)
    }
}

/// The same for a `to` that lies on the line to an end but for rounding. The straight way passes the
/// segment if `root` or `to` lies at it, or they lie off different ends. But where all lie on one
/// line, as storeys over one another can, both may lie off the same end, in whichever order and even
/// at one place: then the way goes to that end and back.
#[cold]
#[inline(never)]
fn turn_on_line(root: DVec2, left: DVec2, right: DVec2, to: DVec2) -> Option<DVec2> {
    let along = left - right;
    if along.dot(root - right) < 0.0 && along.dot(to - right) < 0.0 {
        Some(right)
    } else if along.dot(root - left) > 0.0 && along.dot(to - left) > 0.0 {
        Some(left)
    } else {
        None
    }
}

#[inline]
fn length_through(root: DVec2, left: DVec2, right: DVec2, to: DVec2) -> f64 {
    match turn_at(root, left, right, to) {
        Some(end) => root.distance(end) + end.distance(to),
        None => root.distance(to),
    }
}

/// A line of sight.
pub(super) struct SightLine {
    from: DVec2,
    along: DVec2,
    /// The square of the greatest [`SightLine::side_or`] of a point that counts as on the line.
    on_line2: f64,
}

impl SightLine {
    #[inline]
    pub(super) fn new(from: DVec2, along: DVec2) -> Self {
        Self { from, along, on_line2: ON_RAY_M * ON_RAY_M * along.length_squared() }
    }

    /// Positive to the left of the line, negative to its right, zero on it, and `behind` on it
    /// backwards.
    #[inline]
    pub(super) fn side_or(&self, p: DVec2, behind: f64) -> f64 {
        let to = p - self.from;
        let side = self.along.perp_dot(to);
        if side * side > self.on_line2 {
            side
        } else if self.along.dot(to) >= 0.0 {
            0.0
        } else {
            behind
        }
    }
}

/// Whether a segment is seen as a line: from behind, or from a place that is on its line but for
/// rounding.
#[inline]
pub(super) fn is_edge_on(to_right: DVec2, to_left: DVec2) -> bool {
    // Beside a vertex the line to it can point anywhere: there the angle must be small too.
    const NARROW2: f64 = 1e-5 * 1e-5;
    let facing = to_right.perp_dot(to_left);
    if facing <= 0.0 {
        return true;
    }
    let (right2, left2) = (to_right.length_squared(), to_left.length_squared());
    let facing2 = facing * facing;
    if to_right.dot(to_left) > 0.0 {
        facing2 <= ON_RAY_M * ON_RAY_M * right2.max(left2) && facing2 <= NARROW2 * right2 * left2
    } else {
        facing2 <= ON_RAY_M * ON_RAY_M * (to_left - to_right).length_squared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By how much an estimate may differ from what was tried, in metres: more than rounding, and than
    /// what counts as on a line.
    const SAME_M: f64 = 1e-7;

    /// The same where the best place may lie between two that were tried.
    const BETWEEN_TRIES_M: f64 = 1e-2;

    /// All orders of root, interval and goal along one line, and places beside it: the estimate is what
    /// the best of many places of the interval gives.
    #[test]
    fn the_estimate_passes_the_interval() {
        // So many that every place of the lattice between the ends is among them.
        const TRIES: u32 = 2 * 3 * 4 * 5;
        for along in [DVec2::X, DVec2::new(3.0, -7.0), DVec2::new(-0.1, 0.3)] {
            // The root's side of the interval.
            let before = along.perp();
            let at = |t: i32, off: f64| along * f64::from(t) + before * off;
            // Off the line by nothing, by rounding, by about what counts as on it, and by a lot.
            let offs = [0.0, 1e-16, 1e-11, 1e-9, 3e-9, 0.5];
            for (near, far) in offs.iter().flat_map(|near| offs.map(|far| (*near, far))) {
                for k in 0..2 * 6 * 6 * 6 * 5 {
                    let far = if k % 2 == 0 { far } else { -far };
                    let (root, goal) = (at(k / 2 % 6, near), at(k / 12 % 6, far));
                    let (right, length) = (k / 72 % 6, 1 + k / 432);
                    let interval = Interval {
                        left: at(right + length, 0.0),
                        right: at(right, 0.0),
                        crossing: Crossing::portal(0),
                        left_is_vertex: true,
                        right_is_vertex: true,
                    };
                    let Interval { left, right, .. } = interval;
                    let through = |p: DVec2| root.distance(p) + p.distance(goal);
                    let best = (0..=TRIES)
                        .map(|i| through(right.lerp(left, f64::from(i) / f64::from(TRIES))))
                        .fold(f64::INFINITY, f64::min);
                    let found = interval.estimate(root, root.distance(goal), goal);
                    let is_beside = near > 0.1 || far.abs() > 0.1;
                    let slack = if is_beside { BETWEEN_TRIES_M } else { SAME_M };
                    assert!(
                        found <= best + SAME_M && found >= best - slack,
                        "{found} instead of {best}: {root} to {goal} through {left} and {right}"
                    );
                }
            }
        }
    }
}
