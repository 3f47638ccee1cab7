//! The shortest path through a given row of portals.
//!
//! In go a start, portals with a left and a right end each, and a goal; out come the corners at
//! which the shortest path through all portals turns (Chazelle, 1982; Lee and Preparata, 1984). The
//! funnel is kept as a double-ended queue and every vertex remembers the vertex before it, so the
//! work is linear in the number of portals.
//!
//! A portal that is seen edge-on can appear turned around by a rounding error, and the portals after it
//! may turn by half around its nearer end. It is crossed at that end: a line along it passes there anyway.

use crate::pieces::share_on_segment;
use glam::DVec2;

/// How far a point may lie off a line that it is meant to be on, in metres: the start and the
/// borders of a wider agent's ground are rounded in their last places.
const ON_LINE_M: f64 = 2e-9;

/// A portal as the path sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portal {
    pub(crate) left: DVec2,
    pub(crate) right: DVec2,
}

impl Portal {
    /// Where between the right end and the left one a point of the portal lies, from 0 to 1.
    #[inline]
    pub(crate) fn share(&self, p: DVec2) -> f64 {
        if p == self.right {
            0.0
        } else if p == self.left {
            1.0
        } else {
            share_on_segment(self.right, self.left, p)
        }
    }
}

/// A corner of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    pub(crate) at: DVec2,
    /// The first portal that the corner is an end of.
    pub(crate) portal: u32,
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    at: DVec2,
    portal: u32,
    before: u32,
}

/// Working memory of the funnel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Funnel {
    vertices: Vec<Vertex>,
    queue: Vec<u32>,
}

/// The funnel's queue during a run: vertex numbers from the left end to the right end.
struct Ends {
    low: usize,
    apex: usize,
    high: usize,
}

impl Funnel {
    /// Appends the corners between start and goal, in order.
    pub(crate) fn run(
        &mut self,
        start: DVec2,
        goal: DVec2,
        portals: &[Portal],
        corners: &mut Vec<Corner>,
    ) {
        let n = portals.len();
        let start = snapped(start, portals.first());
        let goal = snapped(goal, portals.last());
        self.vertices.clear();
        self.queue.clear();
        self.queue.resize(2 * n + 5, 0);
        self.vertices.push(Vertex { at: start, portal: 0, before: 0 });
        let mut ends = Ends { low: n + 2, apex: n + 2, high: n + 2 };
        let (mut left, mut right) = (DVec2::NAN, DVec2::NAN);
        for (i, portal) in portals.iter().enumerate() {
            // Neighbouring portals often share an end, which then is in the funnel already.
            if portal.left != left {
                left = portal.left;
                if self.add_left(&mut ends, left, portal.right, i as u32) {
                    right = left;
                }
            }
            if portal.right != right {
                right = portal.right;
                if self.add_right(&mut ends, right, portal.left, i as u32) {
                    left = right;
                }
            }
        }
        self.narrow_right(&mut ends, goal, DVec2::NAN);
        let first = corners.len();
        let mut v = self.queue[ends.high];
        if self.vertices[v as usize].at == goal {
            v = self.vertices[v as usize].before;
        }
        while v != 0 {
            let Vertex { at, portal, before } = self.vertices[v as usize];
            corners.push(Corner { at, portal });
            v = before;
        }
        corners[first..].reverse();
    }

    #[inline]
    fn at(&self, index: usize) -> DVec2 {
        self.vertices[self.queue[index] as usize].at
    }

    /// Drops what a new right end makes superfluous; the vertex before the new end is then last.
    /// Returns whether the portal to the left end `other` is seen edge-on, with this end nearer.
    fn narrow_right(&mut self, ends: &mut Ends, p: DVec2, other: DVec2) -> bool {
        while ends.high > ends.apex {
            let (a, b) = (self.at(ends.high - 1), self.at(ends.high));
            let turn = (b - a).perp_dot(p - a);
            // On the line towards `b`, `p` needs no turn at `b` either: it is nearer, or the portals
            // have turned by half around `a`. (Around `b` they cannot have: the left ends would
            // have moved the apex there first.)
            if turn < 0.0 && !is_on_line_before(a, b, p, turn) {
                return false;
            }
            ends.high -= 1;
        }
        // Past the apex: the new end lies beyond the left side of the funnel.
        let mut edge_on = false;
        while ends.high > ends.low {
            let (a, b) = (self.at(ends.high), self.at(ends.high - 1));
            let turn = (b - a).perp_dot(p - a);
            if turn <= 0.0 && !(b == other && is_on_line(a, b, turn)) {
                break;
            }
            match view_of_portal(a, b, p, turn) {
                PortalView::EdgeOn if b == other => {
                    edge_on = true;
                    break;
                }
                // On the line and nearer, no turn at the far end is needed.
                PortalView::EdgeOn | PortalView::Touching => break,
                PortalView::Behind => ends.high -= 1,
            }
        }
        ends.apex = ends.high;
        edge_on
    }

    /// The same for a new left end.
    fn narrow_left(&mut self, ends: &mut Ends, p: DVec2, other: DVec2) -> bool {
        while ends.low < ends.apex {
            let (a, b) = (self.at(ends.low + 1), self.at(ends.low));
            let turn = (b - a).perp_dot(p - a);
            if turn > 0.0 && !is_on_line_before(a, b, p, turn) {
                return false;
            }
            ends.low += 1;
        }
        let mut edge_on = false;
        while ends.low < ends.high {
            let (a, b) = (self.at(ends.low), self.at(ends.low + 1));
            let turn = (b - a).perp_dot(p - a);
            if turn >= 0.0 && !(b == other && is_on_line(a, b, turn)) {
                break;
            }
            match view_of_portal(a, b, p, turn) {
                PortalView::EdgeOn if b == other => {
                    edge_on = true;
                    break;
                }
                PortalView::EdgeOn | PortalView::Touching => break,
                PortalView::Behind => ends.low += 1,
            }
        }
        ends.apex = ends.low;
        edge_on
    }

    /// Adds a right end; returns whether both ends of the portal have become this one.
    fn add_right(&mut self, ends: &mut Ends, p: DVec2, other: DVec2, portal: u32) -> bool {
        let edge_on = self.narrow_right(ends, p, other);
        if self.at(ends.high) != p {
            let before = self.queue[ends.high];
            ends.high += 1;
            self.queue[ends.high] = self.vertices.len() as u32;
            self.vertices.push(Vertex { at: p, portal, before });
        }
        if edge_on {
            (ends.low, ends.apex) = (ends.high, ends.high);
        }
        edge_on
    }

    /// Adds a left end; returns whether both ends of the portal have become this one.
    fn add_left(&mut self, ends: &mut Ends, p: DVec2, other: DVec2, portal: u32) -> bool {
        let edge_on = self.narrow_left(ends, p, other);
        if self.at(ends.low) != p {
            let before = self.queue[ends.low];
            ends.low -= 1;
            self.queue[ends.low] = self.vertices.len() as u32;
            self.vertices.push(Vertex { at: p, portal, before });
        }
        if edge_on {
            (ends.high, ends.apex) = (ends.low, ends.low);
        }
        edge_on
    }
}

/// An end of the path, or the end of its portal that it lies on but for rounding: the direction
/// from one to the other would be anything.
pub(crate) fn snapped(p: DVec2, portal: Option<&Portal>) -> DVec2 {
    let ends = portal.into_iter().flat_map(|portal| [portal.left, portal.right]);
    ends.into_iter().find(|e| e.distance_squared(p) < ON_LINE_M * ON_LINE_M).unwrap_or(p)
}

/// How a portal looks whose one end `p` is on the wrong side of the line from `a` to the other, or on it.
enum PortalView {
    /// From behind: the path must turn around the other end.
    Behind,
    /// As a line, with `p` nearer.
    EdgeOn,
    /// Not at all: `a` lies on it.
    Touching,
}

/// Whether a point lies on the line from `a` to `b`, but for rounding, by how it turns there.
fn is_on_line(a: DVec2, b: DVec2, turn: f64) -> bool {
    turn.abs() <= ON_LINE_M * (b - a).length()
}

/// Whether `p` lies on the line from `a` to `b`, but for rounding, and not beyond `b`.
fn is_on_line_before(a: DVec2, b: DVec2, p: DVec2, turn: f64) -> bool {
    let along = b - a;
    along.dot(p - a) < along.length_squared() && is_on_line(a, b, turn)
}

fn view_of_portal(a: DVec2, other: DVec2, p: DVec2, turn: f64) -> PortalView {
    let along = other - a;
    let ahead = along.dot(p - a);
    if !is_on_line(a, other, turn) || ahead >= along.length_squared() {
        PortalView::Behind
    } else if ahead > 0.0 {
        PortalView::EdgeOn
    } else {
        PortalView::Touching
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::closest_on_segment;
    use proptest::prelude::*;

    fn portal(left: [f64; 2], right: [f64; 2]) -> Portal {
        Portal { left: left.into(), right: right.into() }
    }

    fn corners(start: [f64; 2], goal: [f64; 2], portals: &[Portal]) -> Vec<[f64; 2]> {
        let mut out = Vec::new();
        Funnel::default().run(start.into(), goal.into(), portals, &mut out);
        out.iter().map(|c| c.at.to_array()).collect()
    }

    #[test]
    fn a_straight_view_has_no_corners() {
        let portals = [portal([-1.0, 1.0], [1.0, 1.0]), portal([-2.0, 2.0], [0.5, 2.0])];
        assert!(corners([0.0, 0.0], [0.0, 3.0], &portals).is_empty());
    }

    #[test]
    fn the_path_turns_at_the_ends_that_are_in_the_way() {
        let portals = [portal([-1.0, 1.0], [1.0, 1.0]), portal([3.0, 3.0], [3.0, 1.0])];
        assert_eq!(corners([0.0, 0.0], [5.0, 0.5], &portals), [[1.0, 1.0], [3.0, 1.0]]);
    }

    #[test]
    fn a_start_on_its_first_portal_goes_straight_through() {
        let portals = [portal([-1.0, 0.0], [1.0, 0.0]), portal([-1.0, 1.0], [1.0, 1.0])];
        for off in [0.0, 1e-16, -1e-16, 1e-9, -1e-9] {
            assert!(corners([0.25, off], [0.0, 2.0], &portals).is_empty());
        }
        assert!(corners([1.0, 0.0], [0.0, 2.0], &portals).is_empty());
        assert!(corners([-1.0, 0.0], [0.0, 2.0], &portals).is_empty());
    }

    #[test]
    fn a_portal_seen_edge_on_is_crossed_at_its_nearer_end() {
        // From the corner at (5, 7) the portal from (2, 7) to (4, 7) is a line, off by rounding.
        for off in [0.0, 1e-15, -1e-15, 1e-9, -1e-9] {
            let portals = [portal([5.0, 5.0], [5.0, 7.0]), portal([2.0, 7.0], [4.0, 7.0 + off])];
            let turns = corners([5.5, 8.0], [3.3, 7.7], &portals);
            assert_eq!(turns, [[5.0, 7.0], [4.0, 7.0 + off]]);
        }
    }

    #[test]
    fn portals_may_turn_by_half_around_the_start() {
        for off in [0.0, 1e-15, -1e-15, 1e-9, -1e-9] {
            let portals = [
                portal([0.0, 0.0], [1.0, -1.0]),
                portal([0.0, 0.0], [-1.0, 1.0 + off]),
                portal([-1.0, 0.0], [-1.5, 1.0]),
            ];
            assert!(corners([0.0, 0.0], [-2.0, 0.8], &portals).is_empty());
        }
    }

    /// The first portal lies on a line with the start; the path goes along it and comes back on another storey.
    #[test]
    fn portals_may_turn_by_half_around_an_end_seen_edge_on() {
        let portals = [
            portal([0.0, -0.8], [0.0, -1.1]),
            portal([0.0, 0.0], [1.1, -1.1]),
            portal([1.5, 1.7], [1.8, 1.3]),
        ];
        let mirrored = portals.map(|p| portal([-p.right.x, p.right.y], [-p.left.x, p.left.y]));
        for off in [0.0, 1e-15, -1e-15, 1e-9, -1e-9] {
            assert_eq!(corners([off, 0.0], [3.5, 4.0], &portals), [[0.0, -0.8]]);
            assert_eq!(corners([off, 0.0], [-3.5, 4.0], &mirrored), [[0.0, -0.8]]);
        }
    }

    proptest! {
        #[test]
        fn never_longer_than_relaxation_of_the_crossings(
            steps in prop::collection::vec((-1.0_f64..1.0, -1.5_f64..1.5, 0.1_f64..1.0, 0.1_f64..1.0), 1..12),
        ) {
            // Portals along a winding strip, each ahead of the one before.
            let (mut at, mut heading) = (DVec2::ZERO, 0.0_f64);
            let mut portals = Vec::new();
            for (turn, _, l, r) in &steps {
                heading += turn * 0.6;
                let ahead = DVec2::from_angle(heading);
                at += ahead * 2.5;
                portals.push(Portal { left: at + ahead.perp() * *l, right: at - ahead.perp() * *r });
            }
            let goal = at + DVec2::from_angle(heading) * 2.0;
            let mut out = Vec::new();
            Funnel::default().run(DVec2::ZERO, goal, &portals, &mut out);
            let mut points = vec![DVec2::ZERO];
            points.extend(out.iter().map(|c| c.at));
            points.push(goal);
            let length: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
            // Minimising over the crossing points one after another converges from above.
            let mut crossings: Vec<DVec2> = portals.iter().map(|p| (p.left + p.right) * 0.5).collect();
            for _ in 0..400 {
                for i in 0..crossings.len() {
                    let a = if i == 0 { DVec2::ZERO } else { crossings[i - 1] };
                    let b = *crossings.get(i + 1).unwrap_or(&goal);
                    let Portal { left, right } = portals[i];
                    let (da, db) = ((right - left).perp_dot(a - left), (right - left).perp_dot(b - left));
                    let t = if (da - db).abs() > 1e-12 { da / (da - db) } else { 0.5 };
                    let q = a + (b - a) * t.clamp(0.0, 1.0);
                    crossings[i] = closest_on_segment(left, right, q);
                }
            }
            let mut relaxed = vec![DVec2::ZERO];
            relaxed.extend(crossings);
            relaxed.push(goal);
            let upper: f64 = relaxed.windows(2).map(|w| w[0].distance(w[1])).sum();
            prop_assert!(length <= upper + 1e-9, "{length} > {upper}");
            // And it passes every portal: the lower bound holds for no path that cheats.
            prop_assert!(length >= upper * 0.98 - 1e-9, "{length} < {upper}");
        }
    }
}
