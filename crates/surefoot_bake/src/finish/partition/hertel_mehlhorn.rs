//! Hertel and Mehlhorn, *Fast triangulation of simple polygons* (1983): removes edges that convexity
//! does not need, longest first.
//!
//! Goes in: cells with neighbours. Comes out: fewer. Two cells become one where the result is convex up
//! to the convex distance, has one kind and area type, and keeps every corner within the height tolerance
//! of one plane; so cells may also span faces that were modelled apart.

use crate::finish::partition::cell::Cell;
use crate::finish::partition::cell_rings::{CellRings, depth, turns_back};
use surefoot_geom::predicates::orient;
use surefoot_mesh::MAX_NOTCHED_EDGES;

impl CellRings {
    /// Merges cells across all edges that are not needed.
    pub(super) fn hertel_mehlhorn(&mut self, cells: &[Cell]) {
        let mut order: Vec<(i128, u32)> = (0..self.edges.len() as u32)
            .filter(|&e| {
                let edge = &self.edges[e as usize];
                edge.twin.is_some_and(|t| t.number() > e) && edge.is_open_to_merging()
            })
            .map(|e| (-self.from(e).distance2(self.to(e)), e))
            .collect();
        order.sort_unstable();
        for (_, edge) in order {
            self.try_remove(edge, cells);
        }
    }

    /// Removes an edge, and those that continue it between the same two cells, if the two make one
    /// good cell.
    fn try_remove(&mut self, e: u32, cells: &[Cell]) {
        let Some(t) = self.twin(e) else { return };
        let (a, b) = (self.cell_of(e), self.cell_of(t));
        if a == b
            || cells[a as usize].kind != cells[b as usize].kind
            || cells[a as usize].area != cells[b as usize].area
        {
            return;
        }
        let [(first, first_twin), (last, last_twin)] = self.shared_border(e, t);
        let shared: Vec<u32> = {
            let mut shared = vec![first];
            while shared[shared.len() - 1] != last {
                shared.push(self.next[shared[shared.len() - 1] as usize]);
            }
            shared
        };
        if shared.iter().any(|&x| !self.edges[x as usize].is_open_to_merging()) {
            return;
        }
        // The four edges that meet anew at the two ends of the border.
        let before = self.previous[first as usize];
        let after = self.next[last as usize];
        let other_after = self.next[first_twin as usize];
        let other_before = self.previous[last_twin as usize];
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
        let other = [(other_before, last_twin), (first_twin, other_after)];
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
            self.gone[x as usize] = true;
            if let Some(t) = self.twin(x) {
                self.gone[t as usize] = true;
            }
        }
        self.merged_into[follow as usize] = lead;
        self.notched[lead as usize] = notched;
        self.some_edge[lead as usize] = after;
        self.corners[lead as usize] = corners;
    }

    /// The first and the last edge of the whole border that two cells share around an edge, each with its
    /// other side.
    fn shared_border(&self, e: u32, twin: u32) -> [(u32, u32); 2] {
        let (mut first, mut last) = (e, e);
        let (mut first_twin, mut last_twin) = (twin, twin);
        loop {
            let (n, beyond) = (self.next[last as usize], self.previous[last_twin as usize]);
            if n == first || self.twin(n) != Some(beyond) {
                break;
            }
            (last, last_twin) = (n, beyond);
        }
        loop {
            let (p, beyond) = (self.previous[first as usize], self.next[first_twin as usize]);
            if p == last || self.twin(p) != Some(beyond) {
                break;
            }
            (first, first_twin) = (p, beyond);
        }
        [(first, first_twin), (last, last_twin)]
    }
}
