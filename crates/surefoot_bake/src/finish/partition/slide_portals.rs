//! Slides portals: fewer cells, and wider angles, by moving portals that are needed at one end only.
//!
//! Goes in: cells from which no portal can be removed. Comes out: as many or fewer cells that tile the
//! same ground with the same corners. Follows no paper; the source (Oliva 2012, §4.5) only removes
//! portals.
//!
//! A chord between two corners of a convex cell may always be laid. It takes over from the portals that
//! meet it at its ends and are needed at that end alone, where the angle that is left beyond them is
//! convex with it. A chord that takes over from two portals leaves one cell fewer: it splits two notches
//! that had a portal each. No portal elsewhere could: one that splits both notches and crosses nothing
//! that stays runs inside one cell. A chord that takes over from one portal is that portal, slid to
//! another corner; it is laid where the smaller of the two cells' smallest angles grows and their sum
//! does not fall.
//!
//! The pass ends: the number of cells falls, or it stays and the list of all cells' smallest angles, in
//! ascending order, grows; there are only so many ways to lay portals between the same corners. Cells
//! wait in a queue, each a bounded number of times, so that the cost is that of the cells' sizes.

use crate::finish::partition::cell::{Cell, CellEdge};
use crate::finish::partition::cell_rings::{CellRings, notches_within, turns_back};
use crate::ids::CellEdgeId;
use crate::surface::plan_units;
use std::collections::VecDeque;
use surefoot_geom::LatticePoint;
use surefoot_geom::predicates::orient;
use surefoot_mesh::{EdgeClass, MAX_NOTCHED_EDGES};

/// How often a cell is looked at.
const LOOKS: u8 = 12;

/// How many of a cell's chords are tried at one look, the best first.
const TRIES: usize = 4;

/// By how much the smaller angle must grow for a portal to slide: less is not worth a change.
const WORTH: f64 = 1.05;

/// A corner of a cell, and the portals there that a chord may take over from.
struct ChordEnd {
    /// The edge of the cell that starts here, and the one that ends here.
    edge: u32,
    before: u32,
    at: LatticePoint,
    /// Where these edges lead, seen from here.
    next: LatticePoint,
    previous: LatticePoint,
    /// Where the border goes on beyond the portal that starts here, if it is needed here alone.
    beyond_next: Option<LatticePoint>,
    /// The same for the portal that ends here.
    beyond_previous: Option<LatticePoint>,
}

impl ChordEnd {
    /// The portals that a chord to a point takes over from: the one that starts here, the one that ends
    /// here.
    fn taken(&self, to: LatticePoint) -> [bool; 2] {
        [
            self.beyond_next.is_some_and(|p| is_convex_at(to, self.at, p)),
            self.beyond_previous.is_some_and(|p| is_convex_at(p, self.at, to)),
        ]
    }

    /// The smaller of the two angles that a chord makes here, as an [`opening`].
    fn opening(&self, to: LatticePoint, [next, previous]: [bool; 2]) -> f64 {
        let right = self.beyond_next.filter(|_| next).unwrap_or(self.next);
        let left = self.beyond_previous.filter(|_| previous).unwrap_or(self.previous);
        opening(to, self.at, right).min(opening(left, self.at, to))
    }
}

/// A chord of a cell, by the numbers of its ends.
#[derive(Clone, Copy, Debug)]
struct Chord {
    /// How many portals it takes over from.
    takes: usize,
    /// The smallest angle at its ends, as an [`opening`].
    opening: f64,
    from: usize,
    to: usize,
}

/// What changes when a chord is laid.
struct LaidChord {
    /// The rings on both sides of the chord.
    rings: [Vec<u32>; 2],
    /// The portals that it takes over from, both sides of each.
    portals: Vec<[u32; 2]>,
    /// The cells that were there: first the one in which the chord is laid.
    cells: Vec<u32>,
}

/// A link that was changed.
#[derive(Clone, Copy, Debug)]
enum Undo {
    /// What followed an edge.
    Next { of: u32, was: u32 },
    /// What came before an edge.
    Previous { of: u32, was: u32 },
}

/// Working memory of the pass.
#[derive(Default)]
struct Scratch {
    ends: Vec<ChordEnd>,
    chords: Vec<Chord>,
    undo: Vec<Undo>,
    changed: Vec<u32>,
}

impl CellRings {
    /// Slides portals until nothing gets better.
    pub(super) fn slide_portals(&mut self, cells: &[Cell]) {
        for e in 0..self.edges.len() as u32 {
            self.cell[e as usize] = self.cell_of(e);
        }
        let mut waiting: VecDeque<u32> =
            (0..cells.len() as u32).filter(|&c| self.merged_into[c as usize] == c).collect();
        let mut is_waiting = vec![true; cells.len()];
        let mut looks = vec![LOOKS; cells.len()];
        let mut openings: Vec<f64> = vec![0.0; cells.len()];
        for &c in &waiting {
            openings[c as usize] = self.smallest_opening(self.ring(self.some_edge[c as usize]));
        }
        let mut scratch = Scratch::default();
        while let Some(c) = waiting.pop_front() {
            is_waiting[c as usize] = false;
            if self.merged_into[c as usize] != c || looks[c as usize] == 0 {
                continue;
            }
            looks[c as usize] -= 1;
            if !self.slide_in(c, cells, &mut openings, &mut scratch) {
                continue;
            }
            for &c in &scratch.changed {
                if !std::mem::replace(&mut is_waiting[c as usize], true) {
                    waiting.push_back(c);
                }
            }
        }
    }

    /// Lays the best chord of a cell, if one makes it better; what changed is left in the scratch.
    fn slide_in(
        &mut self,
        cell: u32,
        cells: &[Cell],
        openings: &mut [f64],
        scratch: &mut Scratch,
    ) -> bool {
        self.ends_of(cell, cells, &mut scratch.ends);
        find_chords(&scratch.ends, &mut scratch.chords);
        let chords = std::mem::take(&mut scratch.chords);
        let done = chords.iter().take(TRIES).any(|chord| {
            let ends = [&scratch.ends[chord.from], &scratch.ends[chord.to]];
            let Some(change) = self.lay(cell, ends, &mut scratch.undo) else { return false };
            let after = [0, 1].map(|k| self.smallest_opening(change.rings[k].iter().copied()));
            let before = || change.cells.iter().map(|&c| openings[c as usize]);
            let smaller = before().fold(f64::INFINITY, f64::min);
            let is_better = chord.takes > 1
                || (after[0].min(after[1]) > WORTH * smaller
                    && after[0] + after[1] >= before().sum::<f64>());
            if !is_better {
                self.take_back(&mut scratch.undo);
                return false;
            }
            for (&c, opening) in change.cells.iter().zip(after) {
                openings[c as usize] = opening;
            }
            self.settle(&change, &mut scratch.changed);
            true
        });
        scratch.chords = chords;
        done
    }

    fn ends_of(&self, cell: u32, cells: &[Cell], out: &mut Vec<ChordEnd>) {
        out.clear();
        for edge in self.ring(self.some_edge[cell as usize]) {
            let before = self.previous[edge as usize];
            out.push(ChordEnd {
                edge,
                before,
                at: self.from(edge),
                next: self.to(edge),
                previous: self.from(before),
                beyond_next: None,
                beyond_previous: None,
            });
        }
        let n = out.len();
        for i in 0..n {
            match self.needed_at(out[i].edge, cells) {
                Some((true, beyond)) => out[i].beyond_next = Some(beyond),
                Some((false, beyond)) => out[(i + 1) % n].beyond_previous = Some(beyond),
                None => {}
            }
        }
    }

    /// For a portal that is needed at one end only: whether that is its start, and where the border of
    /// the cell beyond goes on from there.
    fn needed_at(&self, e: u32, cells: &[Cell]) -> Option<(bool, LatticePoint)> {
        let t = self.twin(e)?;
        if [e, t].iter().any(|&x| !self.edges[x as usize].is_open_to_merging()) {
            return None;
        }
        let (a, b) = (self.cell[e as usize] as usize, self.cell[t as usize] as usize);
        let alike = cells[a].kind == cells[b].kind && cells[a].area == cells[b].area;
        let (pe, ne) = (self.previous[e as usize], self.next[e as usize]);
        let (pt, nt) = (self.previous[t as usize], self.next[t as usize]);
        // Two cells that share more edges than one cannot be joined across one of them.
        let shares_more = self.twin(pe) == Some(nt) || self.twin(ne) == Some(pt);
        if a == b || !alike || shares_more {
            return None;
        }
        let (start, end) = (self.from(e), self.to(e));
        let at_start = is_convex_at(self.from(pe), start, self.to(nt));
        let at_end = is_convex_at(self.from(pt), end, self.to(ne));
        match (at_start, at_end) {
            (false, true) => Some((true, self.to(nt))),
            (true, false) => Some((false, self.from(pt))),
            _ => None,
        }
    }

    /// Lays a chord in a cell and removes the portals that it takes over from, as far as the rings go;
    /// [`CellRings::take_back`] undoes it. Nothing where the cells that come about are no good.
    fn lay(
        &mut self,
        cell: u32,
        [one, two]: [&ChordEnd; 2],
        undo: &mut Vec<Undo>,
    ) -> Option<LaidChord> {
        if !self.passes_left_of(one, two) || !self.passes_left_of(two, one) {
            return None;
        }
        let mut portals: Vec<[u32; 2]> = Vec::with_capacity(2);
        for (end, other) in [(one, two), (two, one)] {
            let [starts, ends] = end.taken(other.at);
            for edge in [starts.then_some(end.edge), ends.then_some(end.before)] {
                portals.extend(edge.and_then(|e| Some([e, self.twin(e)?])));
            }
        }
        let mut cells = vec![cell];
        for &[_, t] in &portals {
            let beyond = self.cell[t as usize];
            if cells.contains(&beyond) || !self.is_flat_on(beyond, cell) {
                return None;
            }
            cells.push(beyond);
        }
        let corners: u32 = cells.iter().map(|&c| self.corners[c as usize]).sum();
        let edges_left = corners as usize + 2 - 2 * portals.len();
        let there = self.edges.len() as u32;
        let back = there + 1;
        for (start, twin) in [(one.edge, back), (two.edge, there)] {
            self.edges.push(CellEdge {
                class: EdgeClass::Inner,
                divides: false,
                twin: Some(CellEdgeId::new(twin)),
                ..self.edges[start as usize]
            });
            // Linked below.
            self.next.push(start);
            self.previous.push(start);
            self.cell.push(cell);
            self.gone.push(false);
        }
        undo.clear();
        // The chord runs from one to two, so the ring on its left goes on at two.
        for (x, y) in [(one.before, there), (there, two.edge), (two.before, back), (back, one.edge)]
        {
            self.link_anew(x, y, undo);
        }
        for &[p, t] in &portals {
            let (before, after) = (self.previous[p as usize], self.next[p as usize]);
            let (before_t, after_t) = (self.previous[t as usize], self.next[t as usize]);
            self.link_anew(before, after_t, undo);
            self.link_anew(before_t, after, undo);
        }
        let ring = |e: u32| self.ring(e).take(edges_left + 1).collect::<Vec<u32>>();
        let rings = [ring(there), ring(back)];
        let good = rings[0].len() + rings[1].len() == edges_left
            && !rings[0].contains(&back)
            && rings.iter().all(|r| self.is_good(r));
        if good {
            return Some(LaidChord { rings, portals, cells });
        }
        self.take_back(undo);
        None
    }

    /// Whether the ring from one end of a chord on to the other lies strictly on the chord's right.
    fn passes_left_of(&self, one: &ChordEnd, two: &ChordEnd) -> bool {
        let mut e = self.next[one.edge as usize];
        while e != two.edge {
            if orient(one.at, self.from(e), two.at) <= 0 {
                return false;
            }
            e = self.next[e as usize];
        }
        true
    }

    /// Whether the corners of a cell keep to the plane of another.
    fn is_flat_on(&self, cell: u32, other: u32) -> bool {
        let plane = self.plane[other as usize];
        self.ring(self.some_edge[cell as usize]).all(|e| {
            let edge = &self.edges[e as usize];
            (edge.height_m - plane.height_at(edge.from)).abs() <= self.height_m
        })
    }

    fn link_anew(&mut self, before: u32, after: u32, undo: &mut Vec<Undo>) {
        let (next, previous) = (&mut self.next[before as usize], before);
        let followed = std::mem::replace(next, after);
        let came_before = std::mem::replace(&mut self.previous[after as usize], previous);
        undo.push(Undo::Next { of: before, was: followed });
        undo.push(Undo::Previous { of: after, was: came_before });
    }

    /// Undoes the last [`CellRings::lay`].
    fn take_back(&mut self, undo: &mut Vec<Undo>) {
        while let Some(link) = undo.pop() {
            match link {
                Undo::Next { of, was } => self.next[of as usize] = was,
                Undo::Previous { of, was } => self.previous[of as usize] = was,
            }
        }
        let kept = self.edges.len() - 2;
        self.edges.truncate(kept);
        self.gone.truncate(kept);
        for list in [&mut self.next, &mut self.previous, &mut self.cell] {
            list.truncate(kept);
        }
    }

    /// Makes the last [`CellRings::lay`] last, and tells the cells that have changed or lie beside those.
    fn settle(&mut self, change: &LaidChord, changed: &mut Vec<u32>) {
        for &[p, t] in &change.portals {
            self.gone[p as usize] = true;
            self.gone[t as usize] = true;
        }
        let first = change.cells[0];
        for &c in &change.cells[2..] {
            self.merged_into[c as usize] = first;
        }
        changed.clear();
        for (&c, ring) in change.cells.iter().zip(&change.rings) {
            for &e in ring {
                self.cell[e as usize] = c;
            }
            self.some_edge[c as usize] = ring[0];
            self.corners[c as usize] = ring.len() as u32;
            self.plane[c as usize] = self.plane[first as usize];
            self.notched[c as usize] = !self.is_convex(ring);
            changed.push(c);
        }
        for &e in change.rings.iter().flatten() {
            if let Some(t) = self.twin(e) {
                changed.push(self.cell[t as usize]);
            }
        }
    }

    /// The smallest angle of a ring, as an [`opening`].
    fn smallest_opening(&self, ring: impl Iterator<Item = u32>) -> f64 {
        ring.map(|e| opening(self.from(self.previous[e as usize]), self.from(e), self.to(e)))
            .fold(f64::INFINITY, f64::min)
    }

    fn is_convex(&self, ring: &[u32]) -> bool {
        ring.len() >= 3
            && ring.iter().all(|&e| {
                is_convex_at(self.from(self.previous[e as usize]), self.from(e), self.to(e))
            })
    }

    /// Whether a ring is convex up to the notch depth.
    fn is_good(&self, ring: &[u32]) -> bool {
        if self.is_convex(ring) {
            return true;
        }
        let turns_back = |e: u32| {
            let before = self.from(self.previous[e as usize]);
            turns_back(before, self.from(e), self.to(e))
        };
        let points: Vec<LatticePoint> = ring.iter().map(|&e| self.from(e)).collect();
        ring.len() <= MAX_NOTCHED_EDGES
            && !ring.iter().any(|&e| turns_back(e))
            && notches_within(&points, self.notch_units)
    }
}

/// Whether a border that is to lie to the left turns left at a corner, or goes straight on.
fn is_convex_at(before: LatticePoint, at: LatticePoint, after: LatticePoint) -> bool {
    orient(before, at, after) >= 0 && !turns_back(before, at, after)
}

/// The chords of a cell that take over from a portal, the best first: those that take over from most,
/// then those with the widest angles.
fn find_chords(ends: &[ChordEnd], out: &mut Vec<Chord>) {
    out.clear();
    let n = ends.len();
    for (i, one) in ends.iter().enumerate() {
        if one.beyond_next.is_none() && one.beyond_previous.is_none() {
            continue;
        }
        for apart in 2..n - 1 {
            let j = (i + apart) % n;
            let two = &ends[j];
            let here = one.taken(two.at);
            if here == [false; 2] {
                continue;
            }
            let there = two.taken(one.at);
            // Taken at both ends, it is found from both.
            if there != [false; 2] && j < i {
                continue;
            }
            let takes = here.iter().chain(&there).filter(|t| **t).count();
            let opening = one.opening(two.at, here).min(two.opening(one.at, there));
            out.push(Chord { takes, opening, from: i, to: j });
        }
    }
    out.sort_unstable_by(|a, b| {
        let by_worth = b.takes.cmp(&a.takes).then(b.opening.total_cmp(&a.opening));
        by_worth.then((a.from, a.to).cmp(&(b.from, b.to)))
    });
}

/// The sine of half the angle at a corner: grows with it, from 0 to 1, and nearly evenly. Made with
/// square roots alone, so that it is the same on every machine.
fn opening(before: LatticePoint, at: LatticePoint, after: LatticePoint) -> f64 {
    let (a, b) = (plan_units(before) - plan_units(at), plan_units(after) - plan_units(at));
    let (along, across) = (a.dot(b), a.perp_dot(b));
    let lengths = (a.length_squared() * b.length_squared()).sqrt();
    // One less the cosine; for small angles by way of the sine, since the difference has few digits.
    let versine = match along > 0.0 {
        true => across * across / (lengths * (lengths + along)),
        false => 1.0 - along / lengths,
    };
    (0.5 * versine).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finish::partition::merge_cells::{Slide, merge_cells};
    use crate::settings::{CellShape, PartitionSettings};
    use crate::surface::Plane;
    use glam::DVec3;
    use surefoot_mesh::{AreaId, CellKind};

    type CornerList = Vec<(i32, i32)>;

    /// Cells with the given corners, neighbours where their edges coincide, merged and slid.
    fn slid(outlines: &[&[(i32, i32)]], slide: Slide) -> Vec<CornerList> {
        let edges: Vec<[(i32, i32); 2]> = outlines
            .iter()
            .flat_map(|o| (0..o.len()).map(|i| [o[i], o[(i + 1) % o.len()]]))
            .collect();
        let twin = |[a, b]: [(i32, i32); 2]| {
            edges.iter().position(|e| *e == [b, a]).map(|e| CellEdgeId::new(e as u32))
        };
        let point = |(x, y): (i32, i32)| LatticePoint::new(x * 1000, y * 1000);
        let cell = |o: &&[(i32, i32)]| Cell {
            edges: (0..o.len())
                .map(|i| {
                    let twin = twin([o[i], o[(i + 1) % o.len()]]);
                    let class = if twin.is_none() { EdgeClass::Open } else { EdgeClass::Inner };
                    CellEdge { from: point(o[i]), height_m: 0.0, class, twin, divides: false }
                })
                .collect(),
            kind: CellKind::Ground,
            area: AreaId(0),
            plane: Plane::through(DVec3::ZERO, DVec3::Z),
        };
        let cells: Vec<Cell> = outlines.iter().map(cell).collect();
        let settings = PartitionSettings {
            cells: CellShape::Notches,
            convex_distance_m: 0.0,
            height_tolerance_m: 0.02,
        };
        let corner = |e: &CellEdge| (e.from.x / 1000, e.from.y / 1000);
        let merged = merge_cells(cells, &settings, slide);
        merged.iter().map(|c| c.edges.iter().map(corner).collect()).collect()
    }

    fn has_edge(cell: &[(i32, i32)], a: (i32, i32), b: (i32, i32)) -> bool {
        let n = cell.len();
        (0..n).any(|i| {
            [cell[i], cell[(i + 1) % n]] == [a, b] || [cell[i], cell[(i + 1) % n]] == [b, a]
        })
    }

    /// Two teeth, tip to tip, each with a portal to the root of the other.
    const LEFT: &[(i32, i32)] = &[(0, 0), (4, 0), (5, 4), (4, 10), (0, 10)];
    const RIGHT: &[(i32, i32)] = &[(6, 0), (10, 0), (10, 10), (6, 10), (5, 6)];
    const MIDDLE: &[(i32, i32)] = &[(5, 4), (6, 0), (5, 6), (4, 10)];

    #[test]
    fn one_portal_takes_over_from_those_of_two_notches() {
        assert_eq!(slid(&[LEFT, MIDDLE, RIGHT], Slide::Nothing).len(), 3);
        let cells = slid(&[LEFT, MIDDLE, RIGHT], Slide::Portals);
        assert_eq!(cells.len(), 2);
        assert!(cells.iter().all(|c| has_edge(c, (5, 4), (5, 6))), "{cells:?}");
    }

    #[test]
    fn a_portal_slides_to_the_corner_that_leaves_the_wider_angles() {
        let lower: &[(i32, i32)] = &[(0, 0), (20, 0), (20, 4), (10, 4)];
        let upper: &[(i32, i32)] = &[(0, 0), (10, 4), (10, 10), (0, 10), (-1, 4)];
        let cells = slid(&[lower, upper], Slide::Portals);
        assert_eq!(cells.len(), 2);
        assert!(cells.iter().all(|c| has_edge(c, (10, 4), (-1, 4))), "{cells:?}");
    }

    #[test]
    fn a_portal_in_two_pieces_is_not_taken_over_from_in_part() {
        // As above, twice as large, with a corner half-way along one of the portals.
        let twice =
            |o: &[(i32, i32)]| o.iter().map(|(x, y)| (2 * x, 2 * y)).collect::<CornerList>();
        let [left, mut middle, mut right] = [LEFT, MIDDLE, RIGHT].map(twice);
        middle.insert(2, (11, 6));
        right.push((11, 6));
        let cells = slid(&[&left, &middle, &right], Slide::Portals);
        for cell in &cells {
            let n = cell.len();
            assert!((0..n).all(|i| cell[i] != cell[(i + 2) % n]), "{cells:?} has a slit");
        }
        assert_eq!(cells.len(), 3);
    }
}
