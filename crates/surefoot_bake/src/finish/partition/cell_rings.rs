//! Cells as rings of linked edges: what merges cells works on these.

use crate::finish::partition::cell::{Cell, CellEdge};
use crate::ids::CellEdgeId;
use crate::settings::PartitionSettings;
use crate::surface::{Plane, plan_units};
use surefoot_geom::LatticePoint;
use surefoot_geom::convex_hull::convex_hull;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::polygon::is_convex;
use surefoot_geom::predicates::orient;
use surefoot_mesh::CONVEX_SLACK_UNITS;

/// How deep a notch may be in any case, in lattice units: what snapping bends a straight border by.
const NOTCH_SLACK_UNITS: f64 = CONVEX_SLACK_UNITS;

pub(super) struct CellRings {
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

/// Whether an outline turns back on itself at a corner, as at the end of a slit.
pub(super) fn turns_back(before: LatticePoint, at: LatticePoint, after: LatticePoint) -> bool {
    let from = |p: LatticePoint| plan_units(p) - plan_units(at);
    orient(before, at, after) == 0 && from(before).dot(from(after)) > 0.0
}

impl CellRings {
    pub(super) fn new(cells: &[Cell], settings: &PartitionSettings) -> Self {
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

    /// The other side of an edge, if there is a cell beyond.
    pub(super) fn twin(&self, e: u32) -> Option<u32> {
        self.edges[e as usize].twin.map(CellEdgeId::number)
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

    pub(super) fn link(&mut self, before: u32, after: u32) {
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
    }

    /// Whether every corner of a ring lies within the notch depth of the ring's convex hull.
    pub(super) fn is_nearly_convex(&self, start: u32) -> bool {
        let ring: Vec<LatticePoint> = self.ring(start).map(|e| self.from(e)).collect();
        notches_within(&ring, self.notch_units)
    }

    pub(super) fn finish(mut self, cells: &[Cell]) -> Vec<Cell> {
        let kept: Vec<u32> =
            (0..cells.len() as u32).filter(|&c| self.merged_into[c as usize] == c).collect();
        let mut renumbered = vec![None; self.edges.len()];
        let mut count = 0;
        for &c in &kept {
            let ring: Vec<u32> = self.ring(self.some_edge[c as usize]).collect();
            for e in ring {
                renumbered[e as usize] = Some(CellEdgeId::new(count));
                count += 1;
            }
        }
        for edge in &mut self.edges {
            edge.twin = edge.twin.and_then(|twin| renumbered[twin.index()]);
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
pub(super) fn depth(a: LatticePoint, v: LatticePoint, b: LatticePoint) -> f64 {
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
