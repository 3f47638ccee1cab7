//! Remembers which edges have found each other while the faces around them change.
//!
//! Goes in: ground of which some edges are known to coincide. Comes out: the edges of which that is not
//! known, so that a stage looks at what it changed and not at everything. While faces change, edges have
//! no lasting numbers; so both edges of a pair carry the same *mark* in place of each other's number,
//! which stays what it is whatever is put in or taken out elsewhere. A face that changes takes its own
//! pairs apart, and the edges across learn of it by their marks.

use crate::borders::match_edges::{SegmentFilter, SomeEdges};
use crate::ids::{PairMark, SurfaceEdgeId};
use crate::surface::{Face, SurfaceEdge, WalkableSurface, view_of};
use crate::view::StageView;
use std::sync::atomic::{AtomicBool, Ordering};
use surefoot_geom::Frame;

/// A face whose twins are known by marks.
pub(crate) type MarkedFace = Face<PairMark>;

/// Ground that is to be joined: pieces of which some edges are known to coincide.
pub(crate) struct UnjoinedSurface {
    pub(crate) frame: Frame,
    pub(crate) faces: Vec<MarkedFace>,
    pub(crate) area_names: Vec<String>,
    /// What is known to coincide, by the marks that the faces carry.
    pub(crate) pairs: Pairs,
}

impl UnjoinedSurface {
    /// Joined ground whose faces are about to change.
    pub(crate) fn of(surface: WalkableSurface) -> Self {
        let (faces, pairs) = Pairs::mark(surface.faces);
        Self { frame: surface.frame, faces, area_names: surface.area_names, pairs }
    }

    /// What a person would look at: pieces, none of them joined with another.
    pub(crate) fn view(&self) -> StageView {
        view_of(&self.frame, &self.faces, 0..)
    }
}

/// Which pairs were taken apart, by their marks.
pub(crate) struct Pairs {
    apart: Vec<AtomicBool>,
}

impl Pairs {
    /// Marks both edges of every pair of twins with the smaller of their numbers.
    pub(crate) fn mark(faces: Vec<Face>) -> (Vec<MarkedFace>, Self) {
        let mut count = 0;
        let mut mark = |twin: Option<SurfaceEdgeId>| {
            let number = count;
            count += 1;
            twin.map(|t| PairMark::new(t.number().min(number)))
        };
        let marked = faces.into_iter().map(|f| f.with_twins(&mut mark)).collect();
        (marked, Self::below(count))
    }

    /// No pairs: faces whose edges carry no marks.
    pub(crate) fn none() -> Self {
        Self::below(0)
    }

    fn below(end: u32) -> Self {
        Self { apart: (0..end).map(|_| AtomicBool::new(false)).collect() }
    }

    /// Whether it is not known of an edge that it coincides with another.
    fn is_open(&self, edge: &SurfaceEdge<PairMark>) -> bool {
        edge.twin.is_none_or(|mark| self.apart[mark.index()].load(Ordering::Relaxed))
    }

    /// The edges of which it is not known, and all that lie along one of them: where edges lie over each
    /// other, a pair may have to make room for another.
    pub(crate) fn open_edges(&self, faces: &[MarkedFace]) -> SomeEdges {
        if self.apart.is_empty() {
            return SomeEdges::all(faces);
        }
        let edges = || faces.iter().flat_map(MarkedFace::edges);
        let open = || edges().filter(|(e, _)| self.is_open(e));
        let mut along = SegmentFilter::with_room_for(open().count());
        open().for_each(|(e, to)| along.put_in(e.from, to));
        SomeEdges::of(faces, |e, to| along.may_hold(e.from, to))
    }

    /// Takes apart all pairs of a face that is about to change.
    pub(crate) fn part(&self, face: &mut MarkedFace) {
        for e in face.loops.iter_mut().flatten() {
            if let Some(mark) = e.twin.take() {
                self.apart[mark.index()].store(true, Ordering::Relaxed);
            }
        }
    }

    /// Takes the marks of pairs that were taken apart away from the edges that still carry them.
    fn clear_parted(&self, faces: &mut [MarkedFace]) {
        for e in faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
            if self.is_open(e) {
                e.twin = None;
            }
        }
    }

    /// Forgets the pairs that were taken apart: of faces that all have changed, nothing is known.
    pub(crate) fn forget_parted(&mut self, faces: &mut [MarkedFace]) {
        self.clear_parted(faces);
        let marks = faces.iter().flat_map(|f| f.loops.iter().flatten()).filter_map(|e| e.twin);
        *self = Self::below(marks.max().map_or(0, |last| last.number() + 1));
    }

    /// Puts numbers of edges in place of the marks.
    pub(crate) fn number(&self, mut faces: Vec<MarkedFace>) -> Vec<Face> {
        if self.apart.is_empty() {
            return faces.into_iter().map(|f| f.with_twins(|_| None)).collect();
        }
        self.clear_parted(&mut faces);
        // The two edges of every pair.
        let mut ends: Vec<[Option<SurfaceEdgeId>; 2]> = vec![[None; 2]; self.apart.len()];
        let marks = faces.iter().flat_map(|f| f.loops.iter().flatten()).map(|e| e.twin);
        for (mark, number) in marks.zip(0..).filter_map(|(mark, number)| Some((mark?, number))) {
            let [first, other] = &mut ends[mark.index()];
            *if first.is_none() { first } else { other } = Some(SurfaceEdgeId::new(number));
        }
        debug_assert!(ends.iter().all(|[first, other]| first.is_none() == other.is_none()));
        let mut number = 0;
        let mut other_end = |mark: Option<PairMark>| {
            let here = SurfaceEdgeId::new(number);
            number += 1;
            let [first, other] = ends[mark?.index()];
            if first == Some(here) { other } else { first }
        };
        faces.into_iter().map(|f| f.with_twins(&mut other_end)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::borders::match_edges::{collect_edges, pair_exact};
    use crate::ids::EdgePlace;
    use crate::surface::level_face;

    /// Squares in a row, with twins.
    fn row(count: i32) -> Vec<Face> {
        let mut faces: Vec<Face> = (0..count)
            .map(|i| i * 100)
            .map(|x| level_face(&[(x, 0), (x + 100, 0), (x + 100, 100), (x, 100)]))
            .collect();
        let twins = pair_exact(&collect_edges(&faces), 0.4);
        let edges = faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten());
        let id = |place: EdgePlace| SurfaceEdgeId::new(place.number());
        edges.zip(twins).for_each(|(e, twin)| e.twin = twin.map(id));
        faces
    }

    fn twins(faces: &[Face]) -> Vec<Option<SurfaceEdgeId>> {
        faces.iter().flat_map(|f| f.loops.iter().flatten()).map(|e| e.twin).collect()
    }

    #[test]
    fn marks_become_the_numbers_that_they_came_from() {
        let faces = row(3);
        let before = twins(&faces);
        assert_eq!(before.iter().flatten().count(), 4);
        let (marked, pairs) = Pairs::mark(faces);
        assert_eq!(twins(&pairs.number(marked)), before);
    }

    #[test]
    fn a_changed_face_leaves_its_neighbours_open_and_the_others_paired() {
        let (mut faces, pairs) = Pairs::mark(row(4));
        pairs.part(&mut faces[0]);
        faces[0].loops[0].remove(3);
        let open = faces[1].loops[0].iter().filter(|e| pairs.is_open(e)).count();
        assert_eq!(open, 3, "what lay across the changed face is open too");
        // The numbers of all that follows are others now.
        let twins = twins(&pairs.number(faces));
        assert_eq!(twins.iter().flatten().count(), 4);
        for (i, twin) in twins.iter().enumerate().filter_map(|(i, t)| Some((i, (*t)?))) {
            assert_eq!(twins[twin.index()].map(SurfaceEdgeId::index), Some(i));
        }
    }
}
