//! Faces in, mesh out: loops of vertices become half-edges, and opposite ones become twins.

use thiserror::Error;

use super::{Face, FaceId, HalfEdge, HalfEdgeId, HalfEdgeMesh, Hole, NONE, Vertex, VertexId};
use crate::lattice::LatticePoint;

/// Why a face cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// A face has no loop.
    #[error("a face needs an outer loop; the list of loops is empty")]
    NoLoop,
    /// A loop has fewer than three vertices.
    #[error("loop {place} of a face has {vertices} vertices; it needs at least three")]
    ShortLoop {
        /// The loop's place in the face.
        place: usize,
        /// The number of vertices it has.
        vertices: usize,
    },
    /// A loop names a vertex that does not exist.
    #[error("loop {place} of a face names vertex {}, but there are {vertices}", vertex.0)]
    UnknownVertex {
        /// The loop's place in the face.
        place: usize,
        /// The vertex named.
        vertex: VertexId,
        /// The number of vertices.
        vertices: usize,
    },
    /// A loop names the same vertex twice in a row.
    #[error("loop {place} of a face names vertex {} twice in a row; drop one of the two", vertex.0)]
    RepeatedVertex {
        /// The loop's place in the face.
        place: usize,
        /// The vertex named twice.
        vertex: VertexId,
    },
    /// There are more half-edges than ids.
    #[error("a mesh holds fewer than 2^32 - 1 half-edges; split it into tiles")]
    TooLarge,
}

impl HalfEdgeMesh {
    /// A mesh of vertices without faces.
    ///
    /// # Panics
    /// With 2³² - 1 or more points: ids are `u32`.
    #[must_use]
    pub fn with_vertices(points: &[LatticePoint]) -> Self {
        assert!(points.len() < NONE as usize, "a mesh holds fewer than 2^32 - 1 vertices");
        let vertices =
            points.iter().map(|&point| Vertex { point, first_out: NONE, removed: false }).collect();
        Self { vertices, ..Self::default() }
    }

    /// A mesh of triangles, twins found by [`HalfEdgeMesh::pair_twins`]; also returns what that
    /// does. Half-edge `3 t + i` starts at corner `i` of triangle `t`.
    pub fn from_triangles(
        points: &[LatticePoint],
        triangles: &[[u32; 3]],
    ) -> Result<(Self, Vec<HalfEdgeId>), BuildError> {
        let mut mesh = Self::with_vertices(points);
        if triangles.len() >= NONE as usize / 3 {
            return Err(BuildError::TooLarge);
        }
        mesh.half_edges.reserve_exact(3 * triangles.len());
        mesh.faces.reserve_exact(triangles.len());
        for t in triangles {
            mesh.check_loop(0, t.iter().copied())?;
            mesh.push_triangle(*t);
        }
        mesh.list_leaving(0);
        let extra = mesh.pair_twins();
        Ok((mesh, extra))
    }

    fn push_triangle(&mut self, corners: [u32; 3]) {
        let (face, first) = (self.faces.len() as u32, self.half_edges.len() as u32);
        self.faces.push(Face { outer: first, first_hole: NONE, label: 0 });
        for i in 0..3 {
            self.half_edges.push(HalfEdge {
                origin: corners[i as usize],
                next: first + (i + 1) % 3,
                prev: first + (i + 2) % 3,
                twin: NONE,
                face,
                label: 0,
                next_out: NONE,
                prev_out: NONE,
            });
        }
    }

    /// Adds a vertex that no face uses yet.
    ///
    /// # Panics
    /// When there are 2³² - 1 vertices already: ids are `u32`.
    pub fn add_vertex(&mut self, point: LatticePoint) -> VertexId {
        assert!(self.vertices.len() < NONE as usize - 1, "a mesh holds fewer than 2^32 vertices");
        self.vertices.push(Vertex { point, first_out: NONE, removed: false });
        VertexId(self.vertices.len() as u32 - 1)
    }

    /// Adds a face from its loops, the outer one first (counter-clockwise), then its holes
    /// (clockwise). Its half-edges have consecutive ids in the order of the loops' vertices, label
    /// zero, and no twins yet: [`HalfEdgeMesh::pair_twins`] or [`HalfEdgeMesh::join`] gives them.
    pub fn add_face<L: AsRef<[VertexId]>>(
        &mut self,
        loops: &[L],
        label: u32,
    ) -> Result<FaceId, BuildError> {
        if loops.is_empty() {
            return Err(BuildError::NoLoop);
        }
        let mut total = self.half_edges.len();
        for (place, vertices) in loops.iter().enumerate() {
            self.check_loop(place, vertices.as_ref().iter().map(|v| v.0))?;
            total = total.saturating_add(vertices.as_ref().len());
        }
        if total >= NONE as usize {
            return Err(BuildError::TooLarge);
        }
        let face = self.faces.len() as u32;
        let before = self.half_edges.len();
        let first_hole = if loops.len() > 1 { self.holes.len() as u32 } else { NONE };
        self.faces.push(Face { outer: before as u32, first_hole, label });
        for (place, vertices) in loops.iter().enumerate() {
            let (first, count) = (self.half_edges.len() as u32, vertices.as_ref().len() as u32);
            for (i, v) in (0..count).zip(vertices.as_ref()) {
                self.half_edges.push(HalfEdge {
                    origin: v.0,
                    next: first + (i + 1) % count,
                    prev: first + (i + count - 1) % count,
                    twin: NONE,
                    face,
                    label: 0,
                    next_out: NONE,
                    prev_out: NONE,
                });
            }
            if place > 0 {
                let next = self.holes.len() as u32 + 1;
                let next = if place + 1 < loops.len() { next } else { NONE };
                self.holes.push(Hole { edge: first, next });
            }
        }
        self.list_leaving(before);
        Ok(FaceId(face))
    }

    fn check_loop(
        &self,
        place: usize,
        vertices: impl ExactSizeIterator<Item = u32> + Clone,
    ) -> Result<(), BuildError> {
        if vertices.len() < 3 {
            return Err(BuildError::ShortLoop { place, vertices: vertices.len() });
        }
        let mut before = vertices.clone().last().unwrap_or(NONE);
        for v in vertices {
            let vertex = VertexId(v);
            if !self.has_vertex(vertex) {
                let vertices = self.vertices.len();
                return Err(BuildError::UnknownVertex { place, vertex, vertices });
            }
            if v == before {
                return Err(BuildError::RepeatedVertex { place, vertex });
            }
            before = v;
        }
        Ok(())
    }

    /// Enters half-edges, from an id onwards, in their origins' lists.
    fn list_leaving(&mut self, from: usize) {
        // Backwards, so that new ones stand in a list by growing id.
        for h in (from..self.half_edges.len()).rev() {
            self.list_one_leaving(h as u32);
        }
    }

    pub(super) fn list_one_leaving(&mut self, h: u32) {
        let origin = self.edge(h).origin as usize;
        let head = std::mem::replace(&mut self.vertices[origin].first_out, h);
        self.edge_mut(h).next_out = head;
        self.edge_mut(h).prev_out = NONE;
        if head != NONE {
            self.edge_mut(head).prev_out = h;
        }
    }

    pub(super) fn unlist_leaving(&mut self, h: u32) {
        let HalfEdge { origin, next_out, prev_out, .. } = *self.edge(h);
        if prev_out == NONE {
            self.vertices[origin as usize].first_out = next_out;
        } else {
            self.edge_mut(prev_out).next_out = next_out;
        }
        if next_out != NONE {
            self.edge_mut(next_out).prev_out = prev_out;
        }
    }

    /// Makes twins of half-edges without twin that join the same two vertices in opposite
    /// directions. Where an edge is used more than once in a direction (the surface branches or
    /// overlaps itself there), the use with the lowest id is paired; the others stay without twin
    /// and are returned, by growing id.
    pub fn pair_twins(&mut self) -> Vec<HalfEdgeId> {
        // Bucket by the lower vertex, then sort each small bucket by the higher one.
        let ends = |mesh: &Self, h: usize| {
            let (a, b) = (mesh.half_edges[h].origin, mesh.edge(mesh.half_edges[h].next).origin);
            (a.min(b), a.max(b), a < b)
        };
        let is_free = |mesh: &Self, h: usize| {
            mesh.half_edges[h].next != NONE && mesh.half_edges[h].twin == NONE
        };
        let mut start = vec![0_u32; self.vertices.len() + 1];
        for h in 0..self.half_edges.len() {
            if is_free(self, h) {
                start[ends(self, h).0 as usize + 1] += 1;
            }
        }
        for v in 0..self.vertices.len() {
            start[v + 1] += start[v];
        }
        // (higher vertex, half-edge)
        let mut entries = vec![0_u64; start[self.vertices.len()] as usize];
        let mut fill = start.clone();
        for h in 0..self.half_edges.len() {
            if is_free(self, h) {
                let (low, high, _) = ends(self, h);
                entries[fill[low as usize] as usize] = u64::from(high) << 32 | h as u64;
                fill[low as usize] += 1;
            }
        }
        let mut extra = vec![];
        for v in 0..self.vertices.len() {
            let bucket = &mut entries[start[v] as usize..start[v + 1] as usize];
            bucket.sort_unstable();
            for uses in bucket.chunk_by(|a, b| a >> 32 == b >> 32) {
                let mut first = [NONE; 2];
                for &entry in uses {
                    let h = entry as u32;
                    let side = usize::from(ends(self, h as usize).2);
                    if first[side] == NONE {
                        first[side] = h;
                    } else {
                        extra.push(HalfEdgeId(h));
                    }
                }
                if first[0] != NONE && first[1] != NONE {
                    self.edge_mut(first[0]).twin = first[1];
                    self.edge_mut(first[1]).twin = first[0];
                }
            }
        }
        extra.sort_unstable();
        extra
    }
}
