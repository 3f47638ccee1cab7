//! Merges cells across edges that convexity does not need (Hertel and Mehlhorn, *Fast triangulation
//! of simple polygons*, 1983), longest first, and lets those that stay be slid.
//!
//! Goes in: triangles with neighbours. Comes out: convex cells. Two cells become one where the result
//! is convex up to the convex distance, has one kind and area type, and keeps every corner within the
//! height tolerance of one plane; so cells may also span faces that were modelled apart. Afterwards
//! corners that only subdivide a straight border are taken out on both sides.

use crate::partition::{Cell, CellEdge};
use crate::settings::PartitionSettings;
use crate::surface::{Plane, plan_units};
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::polygon::{convex_hull, is_convex};
use surefoot_geom::predicates::orient;
use surefoot_mesh::{CONVEX_SLACK_UNITS, EdgeClass, MAX_NOTCHED_EDGES, NO_EDGE};

/// How deep a notch may be in any case, in lattice units: what snapping bends a straight border by.
const NOTCH_SLACK_UNITS: f64 = CONVEX_SLACK_UNITS;

/// How far a corner may stick out of a straight border and be taken out, in lattice units.
const STRAIGHT_UNITS: f64 = 1.5;

pub(super) struct Merger {
    pub(super) edges: Vec<CellEdge>,
    pub(super) next: Vec<u32>,
    pub(super) previous: Vec<u32>,
    /// The cell of every edge; follow `merged_into` to the one it has become part of.
    pub(super) cell: Vec<u32>,
    pub(super) merged_into: Vec<u32>,
    /// An edge of every cell that still exists.
    pub(super) some_edge: Vec<u32>,
    pub(super) corners: Vec<u32>,
    pub(super) plane: Vec<Plane>,
    pub(super) gone: Vec<bool>,
    /// Whether a cell has notches: then every merge measures it anew, since its hull may grow.
    pub(super) notched: Vec<bool>,
    pub(super) notch_units: f64,
    pub(super) height_m: f64,
}

/// What is done with portals that cannot be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slide {
    /// They stay where they are.
    Nothing,
    /// They are slid where that leaves fewer cells or wider angles.
    Portals,
}

pub(super) fn merge_cells(
    input: Vec<Cell>,
    settings: &PartitionSettings,
    slide: Slide,
) -> Vec<Cell> {
    let mut merger = Merger::new(&input, settings);
    let mut order: Vec<(i128, u32)> = (0..merger.edges.len() as u32)
        .filter(|&e| {
            let edge = &merger.edges[e as usize];
            edge.twin != NO_EDGE && edge.twin > e && edge.class == EdgeClass::Inner
        })
        .map(|e| (-merger.from(e).distance2(merger.to(e)), e))
        .collect();
    order.sort_unstable();
    for (_, edge) in order {
        merger.try_remove(edge, &input);
    }
    if slide == Slide::Portals {
        merger.slide_portals(&input);
    }
    merger.straighten();
    merger.finish(&input)
}

/// Whether an outline turns back on itself at a corner, as at the end of a slit.
pub(super) fn turns_back(before: LatticePoint, at: LatticePoint, after: LatticePoint) -> bool {
    let from = |p: LatticePoint| plan_units(p) - plan_units(at);
    orient(before, at, after) == 0 && from(before).dot(from(after)) > 0.0
}

impl Merger {
    fn new(cells: &[Cell], settings: &PartitionSettings) -> Self {
        let count: usize = cells.iter().map(|c| c.edges.len()).sum();
        let mut merger = Self {
            edges: Vec::with_capacity(count),
            next: Vec::with_capacity(count),
            previous: Vec::with_capacity(count),
            cell: Vec::with_capacity(count),
            merged_into: (0..cells.len() as u32).collect(),
            some_edge: Vec::with_capacity(cells.len()),
            corners: cells.iter().map(|c| c.edges.len() as u32).collect(),
            plane: cells.iter().map(|c| c.plane).collect(),
            gone: vec![false; count],
            notched: cells.iter().map(has_notch).collect(),
            notch_units: settings.convex_distance_m * LATTICE_PER_M + NOTCH_SLACK_UNITS,
            height_m: settings.height_tolerance_m,
        };
        for (c, cell) in cells.iter().enumerate() {
            let first = merger.edges.len() as u32;
            let n = cell.edges.len() as u32;
            merger.some_edge.push(first);
            for (k, edge) in cell.edges.iter().enumerate() {
                let k = k as u32;
                merger.edges.push(*edge);
                merger.next.push(if k + 1 < n { first + k + 1 } else { first });
                merger.previous.push(first + if k > 0 { k - 1 } else { n - 1 });
                merger.cell.push(c as u32);
            }
        }
        merger
    }

    pub(super) fn from(&self, e: u32) -> LatticePoint {
        self.edges[e as usize].from
    }

    pub(super) fn to(&self, e: u32) -> LatticePoint {
        self.from(self.next[e as usize])
    }

    pub(super) fn cell_of(&mut self, e: u32) -> u32 {
        let mut c = self.cell[e as usize];
        while self.merged_into[c as usize] != c {
            let up = self.merged_into[self.merged_into[c as usize] as usize];
            self.merged_into[c as usize] = up;
            c = up;
        }
        c
    }

    pub(super) fn ring(&self, start: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = Some(start);
        std::iter::from_fn(move || {
            let e = at?;
            let n = self.next[e as usize];
            at = (n != start).then_some(n);
            Some(e)
        })
    }

    /// Removes an edge, and those that continue it between the same two cells, if the two make one
    /// good cell.
    fn try_remove(&mut self, e: u32, cells: &[Cell]) {
        let twin = |m: &Self, e: u32| m.edges[e as usize].twin;
        let t = twin(self, e);
        let (a, b) = (self.cell_of(e), self.cell_of(t));
        if a == b
            || cells[a as usize].kind != cells[b as usize].kind
            || cells[a as usize].area != cells[b as usize].area
        {
            return;
        }
        // The whole border that the two share around this edge: first to last on one side.
        let (mut first, mut last) = (e, e);
        loop {
            let n = self.next[last as usize];
            if n == first || twin(self, n) != self.previous[twin(self, last) as usize] {
                break;
            }
            last = n;
        }
        loop {
            let p = self.previous[first as usize];
            if p == last || twin(self, p) != self.next[twin(self, first) as usize] {
                break;
            }
            first = p;
        }
        let shared: Vec<u32> = {
            let mut shared = vec![first];
            while shared[shared.len() - 1] != last {
                shared.push(self.next[shared[shared.len() - 1] as usize]);
            }
            shared
        };
        if shared.iter().any(|&x| self.edges[x as usize].class != EdgeClass::Inner) {
            return;
        }
        // The four edges that meet anew at the two ends of the border.
        let before = self.previous[first as usize];
        let after = self.next[last as usize];
        let other_after = self.next[twin(self, first) as usize];
        let other_before = self.previous[twin(self, last) as usize];
        let corner = |m: &Self, x: u32, y: u32| (m.from(x), m.from(y), m.to(y));
        let ends = [corner(self, before, other_after), corner(self, other_before, after)];
        let turns = ends.map(|(p, q, r)| orient(p, q, r));
        for ((p, q, r), turn) in ends.iter().zip(turns) {
            if turns_back(*p, *q, *r) || (turn < 0 && depth(*p, *q, *r) > self.notch_units) {
                return;
            }
        }
        let (lead, follow) =
            if self.corners[a as usize] >= self.corners[b as usize] { (a, b) } else { (b, a) };
        let plane = self.plane[lead as usize];
        let flat = self.ring(self.some_edge[follow as usize]).all(|x| {
            let edge = &self.edges[x as usize];
            (edge.height_m - plane.height_at(edge.from)).abs() <= self.height_m
        });
        if !flat {
            return;
        }
        let inner = [(before, first), (last, after)];
        let other = [(other_before, twin(self, last)), (twin(self, first), other_after)];
        self.link(before, other_after);
        self.link(other_before, after);
        let notched = self.notched[a as usize]
            || self.notched[b as usize]
            || turns.iter().any(|turn| *turn < 0);
        let corners = self.corners[a as usize] + self.corners[b as usize] - 2 * shared.len() as u32;
        let too_many = corners as usize > MAX_NOTCHED_EDGES;
        if notched && (too_many || !self.is_nearly_convex(after)) {
            for (x, y) in inner.into_iter().chain(other) {
                self.link(x, y);
            }
            return;
        }
        for &x in &shared {
            let t = twin(self, x);
            self.gone[x as usize] = true;
            self.gone[t as usize] = true;
        }
        self.merged_into[follow as usize] = lead;
        self.notched[lead as usize] = notched;
        self.some_edge[lead as usize] = after;
        self.corners[lead as usize] = corners;
    }

    fn link(&mut self, before: u32, after: u32) {
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
    }

    /// Whether every corner of a ring lies within the notch depth of the ring's convex hull.
    fn is_nearly_convex(&self, start: u32) -> bool {
        let ring: Vec<LatticePoint> = self.ring(start).map(|e| self.from(e)).collect();
        notches_within(&ring, self.notch_units)
    }

    /// Takes out corners that only subdivide a straight border.
    fn straighten(&mut self) {
        for e in 0..self.edges.len() as u32 {
            if self.gone[e as usize] {
                continue;
            }
            // The corner at the start of `e`, between `p` and `e`.
            let p = self.previous[e as usize];
            let c = self.cell_of(e);
            if self.corners[c as usize] <= 3
                || self.edges[p as usize].class != self.edges[e as usize].class
            {
                continue;
            }
            let (a, v, b) = (self.from(p), self.from(e), self.to(e));
            let turn = orient(a, v, b);
            let (tp, te) = (self.edges[p as usize].twin, self.edges[e as usize].twin);
            let straight = depth(a, v, b) <= STRAIGHT_UNITS;
            if !straight || !self.is_level(p, e) {
                continue;
            }
            if tp == NO_EDGE && te == NO_EDGE {
                // A boundary may only move inwards.
                if turn >= 0 {
                    self.take_out(p, e, c);
                }
            } else if tp != NO_EDGE && te != NO_EDGE && self.next[te as usize] == tp {
                // Where ground meets the filler of a gap, neither gives way.
                if turn != 0 && self.edges[e as usize].class == EdgeClass::Gap {
                    continue;
                }
                let d = self.cell_of(te);
                if self.corners[d as usize] <= 3 || !self.is_level(te, tp) {
                    continue;
                }
                if self.take_out(p, e, c) {
                    // `te` now runs all the way; its twin is `p`.
                    if self.take_out(te, tp, d) {
                        self.edges[p as usize].twin = te;
                        self.edges[te as usize].twin = p;
                    } else {
                        self.put_back(p, e, c);
                    }
                }
            }
        }
    }

    /// Whether the corner between two edges lies on the straight line between their far ends in
    /// height too.
    fn is_level(&self, p: u32, e: u32) -> bool {
        let n = self.next[e as usize];
        let (a, v, b) =
            (plan_units(self.from(p)), plan_units(self.from(e)), plan_units(self.from(n)));
        let heights = [p, e, n].map(|x| self.edges[x as usize].height_m);
        let whole = a.distance(b);
        if whole < 1.0 {
            return false;
        }
        let at = a.distance(v) / whole;
        let expected = heights[0] + (heights[2] - heights[0]) * at;
        (heights[1] - expected).abs() <= 0.1 * self.height_m + 1e-4
    }

    /// Takes out the corner between `p` and `e`, unless the cell is worse for it.
    fn take_out(&mut self, p: u32, e: u32, cell: u32) -> bool {
        let n = self.next[e as usize];
        self.link(p, n);
        let too_many = self.corners[cell as usize] as usize > MAX_NOTCHED_EDGES;
        if too_many || !self.is_nearly_convex(p) {
            self.link(p, e);
            self.link(e, n);
            return false;
        }
        self.gone[e as usize] = true;
        self.some_edge[cell as usize] = p;
        self.corners[cell as usize] -= 1;
        true
    }

    /// Undoes the last [`Merger::take_out`].
    fn put_back(&mut self, p: u32, e: u32, cell: u32) {
        let n = self.next[p as usize];
        self.link(p, e);
        self.link(e, n);
        self.gone[e as usize] = false;
        self.corners[cell as usize] += 1;
    }

    fn finish(mut self, cells: &[Cell]) -> Vec<Cell> {
        let kept: Vec<u32> =
            (0..cells.len() as u32).filter(|&c| self.merged_into[c as usize] == c).collect();
        let mut renumbered = vec![NO_EDGE; self.edges.len()];
        let mut count = 0;
        for &c in &kept {
            let ring: Vec<u32> = self.ring(self.some_edge[c as usize]).collect();
            for e in ring {
                renumbered[e as usize] = count;
                count += 1;
            }
        }
        for edge in &mut self.edges {
            if edge.twin != NO_EDGE {
                edge.twin = renumbered[edge.twin as usize];
            }
        }
        kept.into_iter()
            .map(|c| Cell {
                edges: self
                    .ring(self.some_edge[c as usize])
                    .map(|e| self.edges[e as usize])
                    .collect(),
                kind: cells[c as usize].kind,
                area: cells[c as usize].area,
                plane: self.plane[c as usize],
            })
            .collect()
    }
}

fn has_notch(cell: &Cell) -> bool {
    let n = cell.edges.len();
    let at = |i: usize| cell.edges[if i < n { i } else { i - n }].from;
    (0..n).any(|i| orient(at(i), at(i + 1), at(i + 2)) < 0)
}

/// How far `v` lies from the line through `a` and `b`, in lattice units.
fn depth(a: LatticePoint, v: LatticePoint, b: LatticePoint) -> f64 {
    let length = plan_units(a).distance(plan_units(b));
    if length < 0.5 { f64::INFINITY } else { orient(a, v, b).abs() as f64 / length }
}

/// Whether every point of a ring lies within `limit` of its convex hull, in lattice units, and the
/// ring follows the hull, going on along it in every notch, so that it cannot touch itself.
pub(super) fn notches_within(ring: &[LatticePoint], limit: f64) -> bool {
    // Most rings have no notches at all.
    if is_convex(ring) {
        return true;
    }
    let Some(hull) = convex_hull(ring.to_vec()) else { return false };
    let n = ring.len();
    let Some(start) = ring.iter().position(|p| *p == hull[0]) else { return false };
    let at = |k: usize| ring[(start + k) % n];
    let mut k = 0;
    for h in 0..hull.len() {
        let (a, b) = (hull[h], hull[(h + 1) % hull.len()]);
        let along = plan_units(b) - plan_units(a);
        loop {
            if k == n {
                return false;
            }
            let step = plan_units(at(k + 1)) - plan_units(at(k));
            if step.dot(along) <= 0.0 {
                return false;
            }
            k += 1;
            if at(k) == b {
                break;
            }
            if depth(a, at(k), b) > limit {
                return false;
            }
        }
    }
    k == n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(points: &[(i32, i32)]) -> Vec<LatticePoint> {
        points.iter().map(|&(x, y)| LatticePoint::new(x, y)).collect()
    }

    #[test]
    fn the_depth_of_a_notch_is_measured_from_the_hull() {
        let notched = ring(&[(0, 0), (50, 6), (100, 0), (100, 100), (0, 100)]);
        assert!(notches_within(&notched, 6.5));
        assert!(!notches_within(&notched, 5.5));
        let square = ring(&[(0, 0), (100, 0), (100, 100), (0, 100)]);
        assert!(notches_within(&square, 0.0));
    }

    #[test]
    fn a_shallow_arc_of_many_points_is_a_deep_notch() {
        // Each point lies within two units of its neighbours' line, the middle forty from the hull.
        let mut points: Vec<(i32, i32)> =
            (0..=40).map(|i| (i * 25, 40 - (i - 20) * (i - 20) / 10)).collect();
        points.extend([(1000, 2000), (0, 2000)]);
        assert!(!notches_within(&ring(&points), 8.0));
    }
}
