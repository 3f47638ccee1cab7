//! Takes out corners that only subdivide a straight border, on both sides of it.

use crate::finish::partition::cell_rings::{CellRings, depth};
use crate::ids::CellEdgeId;
use crate::surface::plan_units;
use surefoot_geom::predicates::orient;
use surefoot_mesh::{EdgeClass, MAX_NOTCHED_EDGES};

/// How far a corner may stick out of a straight border and be taken out, in lattice units.
const STRAIGHT_UNITS: f64 = 1.5;

impl CellRings {
    /// Takes out corners that only subdivide a straight border.
    pub(super) fn straighten(&mut self) {
        for e in 0..self.edges.len() as u32 {
            if self.gone[e as usize] {
                continue;
            }
            // The corner at the start of `e`, between `p` and `e`.
            let p = self.previous[e as usize];
            let c = self.cell_of(e);
            let what = |e: u32| {
                let edge = &self.edges[e as usize];
                (edge.class, edge.divides)
            };
            if self.corners[c as usize] <= 3 || what(p) != what(e) {
                continue;
            }
            let (a, v, b) = (self.from(p), self.from(e), self.to(e));
            let turn = orient(a, v, b);
            let twins = (self.twin(p), self.twin(e));
            let straight = depth(a, v, b) <= STRAIGHT_UNITS;
            if !straight || !self.is_level(p, e) {
                continue;
            }
            if twins == (None, None) {
                // A boundary may only move inwards.
                if turn >= 0 {
                    self.take_out(p, e, c);
                }
            } else if let (Some(tp), Some(te)) = twins
                && self.next[te as usize] == tp
            {
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
                        self.edges[p as usize].twin = Some(CellEdgeId::new(te));
                        self.edges[te as usize].twin = Some(CellEdgeId::new(p));
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

    /// Undoes the last [`CellRings::take_out`].
    fn put_back(&mut self, p: u32, e: u32, cell: u32) {
        let n = self.next[p as usize];
        self.link(p, e);
        self.link(e, n);
        self.gone[e as usize] = false;
        self.corners[cell as usize] += 1;
    }
}
