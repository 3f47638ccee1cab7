//! What must hold in a mesh at all times.

use thiserror::Error;

use super::{FaceId, HalfEdgeId, HalfEdgeMesh, NONE, VertexId};

/// What a mesh breaks. It is a mistake in the code that edited the mesh, not in the user's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvariantError {
    /// An id points outside its table or at something removed.
    #[error("half-edge {} refers to a vertex, face or half-edge that is not there", .0.0)]
    Dangling(HalfEdgeId),
    /// `next` and `prev` do not undo each other.
    #[error("half-edge {}: the previous of its next is not itself", .0.0)]
    Unlinked(HalfEdgeId),
    /// Twins do not point at each other, or do not join the same vertices.
    #[error("half-edge {} and its twin do not match", .0.0)]
    Twin(HalfEdgeId),
    /// A half-edge starts and ends at one vertex.
    #[error("half-edge {} starts and ends at the same vertex", .0.0)]
    NoLength(HalfEdgeId),
    /// A loop visits half-edges of another face, or has one half-edge only.
    #[error("the loop of face {} at half-edge {} is not one of the face, or too short", .0.0, .1.0)]
    Loop(FaceId, HalfEdgeId),
    /// A half-edge that no loop of its face visits.
    #[error("half-edge {} is in no loop of its face", .0.0)]
    Stray(HalfEdgeId),
    /// A vertex's list does not hold exactly the half-edges that leave it.
    #[error("the list of half-edges that leave vertex {} is wrong", .0.0)]
    Leaving(VertexId),
}

impl HalfEdgeMesh {
    /// Checks that every reference is alive, loops close within their face, twins match, and
    /// vertices know the half-edges that leave them. Says nothing about positions.
    pub fn check_invariants(&self) -> Result<(), InvariantError> {
        let alive = |h: u32| h != NONE && self.has_half_edge(HalfEdgeId(h));
        for id in self.half_edges() {
            let h = self.edge(id.0);
            if !alive(h.next)
                || !alive(h.prev)
                || !(h.twin == NONE || alive(h.twin))
                || !self.has_vertex(VertexId(h.origin))
                || !self.has_face(FaceId(h.face))
            {
                return Err(InvariantError::Dangling(id));
            }
        }
        for id in self.half_edges() {
            let h = self.edge(id.0);
            if self.edge(h.next).prev != id.0 || self.edge(h.prev).next != id.0 {
                return Err(InvariantError::Unlinked(id));
            }
            if self.destination(id) == self.origin(id) {
                return Err(InvariantError::NoLength(id));
            }
            if let Some(twin) = self.twin(id)
                && (self.twin(twin) != Some(id)
                    || twin == id
                    || self.origin(twin) != self.destination(id)
                    || self.destination(twin) != self.origin(id))
            {
                return Err(InvariantError::Twin(id));
            }
        }
        // `next` is a permutation by now, so loops close.
        let mut seen = vec![false; self.half_edges.len()];
        for f in self.faces() {
            for start in self.loops(f) {
                if !self.has_half_edge(start) {
                    return Err(InvariantError::Loop(f, start));
                }
                let mut count = 0;
                for h in self.around_loop(start) {
                    if self.face(h) != f || seen[h.index()] {
                        return Err(InvariantError::Loop(f, start));
                    }
                    seen[h.index()] = true;
                    count += 1;
                }
                if count < 2 {
                    return Err(InvariantError::Loop(f, start));
                }
            }
        }
        if let Some(stray) = self.half_edges().find(|h| !seen[h.index()]) {
            return Err(InvariantError::Stray(stray));
        }
        let mut listed = 0_usize;
        for (v, vertex) in (0_u32..).zip(&self.vertices) {
            let mut before = NONE;
            let mut out = vertex.first_out;
            while out != NONE {
                // A list that runs in circles would be longer than the mesh.
                listed += 1;
                let wrong = vertex.removed
                    || !alive(out)
                    || self.edge(out).origin != v
                    || self.edge(out).prev_out != before
                    || listed > self.half_edges.len();
                if wrong {
                    return Err(InvariantError::Leaving(VertexId(v)));
                }
                before = out;
                out = self.edge(out).next_out;
            }
        }
        if listed != self.half_edges().count() {
            let unlisted = self.half_edges().find(|&h| {
                let origin = self.origin(h);
                self.leaving(origin).all(|other| other != h)
            });
            if let Some(h) = unlisted {
                return Err(InvariantError::Leaving(self.origin(h)));
            }
        }
        Ok(())
    }
}
