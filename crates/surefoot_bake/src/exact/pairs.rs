//! Remembers which edges have found each other while the faces around them change.
//!
//! Goes in: ground of which some edges are known to coincide. Comes out: the edges of which that is not
//! known, so that a stage looks at what it changed and not at everything. While faces change, edges have
//! no lasting numbers; so both edges of a pair carry the same *mark* in place of each other's number,
//! which stays what it is whatever is put in or taken out elsewhere. A face that changes takes its own
//! pairs apart, and the edges across learn of it by their marks.

use crate::exact::match_edges::{SegmentFilter, SomeEdges};
use crate::surface::{Face, SurfaceEdge};
use std::sync::atomic::{AtomicBool, Ordering};
use surefoot_mesh::NO_EDGE;

/// The marks of pairs, and which of these were taken apart.
pub(crate) struct Pairs {
    apart: Vec<AtomicBool>,
}

impl Pairs {
    /// Marks both edges of every pair of twins with the smaller of their numbers.
    pub(crate) fn mark(faces: &mut [Face]) -> Self {
        let mut count = 0;
        for e in faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
            if e.twin != NO_EDGE {
                e.twin = e.twin.min(count);
            }
            count += 1;
        }
        Self::below(count)
    }

    /// The pairs of faces whose edges carry marks.
    pub(crate) fn marked(faces: &[Face]) -> Self {
        let marks = faces.iter().flat_map(|f| f.loops.iter().flatten()).map(|e| e.twin);
        Self::below(marks.filter(|&m| m != NO_EDGE).max().map_or(0, |m| m + 1))
    }

    /// No pairs: faces whose edges carry no marks.
    pub(crate) fn none() -> Self {
        Self::below(0)
    }

    fn below(end: u32) -> Self {
        Self { apart: (0..end).map(|_| AtomicBool::new(false)).collect() }
    }

    /// Whether it is not known of an edge that it coincides with another.
    fn is_open(&self, edge: &SurfaceEdge) -> bool {
        edge.twin == NO_EDGE || self.apart[edge.twin as usize].load(Ordering::Relaxed)
    }

    /// The edges of which it is not known, and all that lie along one of them: where edges lie over each
    /// other, a pair may have to make room for another.
    pub(crate) fn open_edges(&self, faces: &[Face]) -> SomeEdges {
        if self.apart.is_empty() {
            return SomeEdges::all(faces);
        }
        let edges = || faces.iter().flat_map(Face::edges);
        let open = || edges().filter(|(e, _)| self.is_open(e));
        let mut along = SegmentFilter::with_room_for(open().count());
        open().for_each(|(e, to)| along.put_in(e.from, to));
        SomeEdges::of(faces, |e, to| along.may_hold(e.from, to))
    }

    /// Takes apart all pairs of a face that is about to change.
    pub(crate) fn part(&self, face: &mut Face) {
        for e in face.loops.iter_mut().flatten() {
            if e.twin != NO_EDGE {
                self.apart[e.twin as usize].store(true, Ordering::Relaxed);
                e.twin = NO_EDGE;
            }
        }
    }

    /// Takes the marks of pairs that were taken apart away from the edges that still carry them.
    pub(crate) fn clear_parted(&self, faces: &mut [Face]) {
        for e in faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
            if self.is_open(e) {
                e.twin = NO_EDGE;
            }
        }
    }

    /// Puts numbers of edges in place of the marks.
    pub(crate) fn number(&self, faces: &mut [Face]) {
        if self.apart.is_empty() {
            return;
        }
        self.clear_parted(faces);
        let mut first = vec![NO_EDGE; self.apart.len()];
        let mut other = first.clone();
        let numbered = faces.iter().flat_map(|f| f.loops.iter().flatten()).zip(0..);
        for (e, number) in numbered.filter(|(e, _)| e.twin != NO_EDGE) {
            let place = if first[e.twin as usize] == NO_EDGE { &mut first } else { &mut other };
            place[e.twin as usize] = number;
        }
        debug_assert!(first.iter().zip(&other).all(|(a, b)| (*a == NO_EDGE) == (*b == NO_EDGE)));
        let edges = faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()).zip(0..);
        for (e, number) in edges.filter(|(e, _)| e.twin != NO_EDGE) {
            let mark = e.twin as usize;
            e.twin = if first[mark] == number { other[mark] } else { first[mark] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::match_edges::{collect_edges, pair_exact};
    use crate::surface::level_face;

    /// Squares in a row, with twins.
    fn row(count: i32) -> Vec<Face> {
        let mut faces: Vec<Face> = (0..count)
            .map(|i| i * 100)
            .map(|x| level_face(&[(x, 0), (x + 100, 0), (x + 100, 100), (x, 100)]))
            .collect();
        let twins = pair_exact(&collect_edges(&faces), 0.4);
        let edges = faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten());
        edges.zip(twins).for_each(|(e, twin)| e.twin = twin);
        faces
    }

    fn twins(faces: &[Face]) -> Vec<u32> {
        faces.iter().flat_map(|f| f.loops.iter().flatten()).map(|e| e.twin).collect()
    }

    #[test]
    fn marks_become_the_numbers_that_they_came_from() {
        let mut faces = row(3);
        let before = twins(&faces);
        assert_eq!(before.iter().filter(|&&t| t != NO_EDGE).count(), 4);
        Pairs::mark(&mut faces).number(&mut faces);
        assert_eq!(twins(&faces), before);
    }

    #[test]
    fn a_changed_face_leaves_its_neighbours_open_and_the_others_paired() {
        let mut faces = row(4);
        let pairs = Pairs::mark(&mut faces);
        pairs.part(&mut faces[0]);
        faces[0].loops[0].remove(3);
        let open = faces[1].loops[0].iter().filter(|e| pairs.is_open(e)).count();
        assert_eq!(open, 3, "what lay across the changed face is open too");
        // The numbers of all that follows are others now.
        pairs.number(&mut faces);
        let twins = twins(&faces);
        assert_eq!(twins.iter().filter(|&&t| t != NO_EDGE).count(), 4);
        for (i, &t) in twins.iter().enumerate().filter(|(_, t)| **t != NO_EDGE) {
            assert_eq!(twins[t as usize], i as u32);
        }
    }
}
