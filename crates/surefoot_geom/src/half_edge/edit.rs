//! Changes to a mesh that leave it whole: each checks first, and an error means nothing was done.

use thiserror::Error;

use super::{FaceId, HalfEdge, HalfEdgeId, HalfEdgeMesh, Hole, NONE, VertexId};
use crate::lattice::LatticePoint;
use crate::predicates::orient;

/// Why a change was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// The half-edge was removed or never existed.
    #[error("half-edge {} is not there", .0.0)]
    NoHalfEdge(HalfEdgeId),
    /// The face was removed or never existed.
    #[error("face {} is not there", .0.0)]
    NoFace(FaceId),
    /// The half-edge has a twin already.
    #[error("half-edge {} has a twin already; take it off first", .0.0)]
    HasTwin(HalfEdgeId),
    /// The half-edge lies on the border, where there is nothing to merge with.
    #[error("half-edge {} lies on the border", .0.0)]
    Border(HalfEdgeId),
    /// Two half-edges do not join the same two vertices in opposite directions.
    #[error("half-edges {} and {} do not run against each other between the same vertices", .0.0, .1.0)]
    EndsDiffer(HalfEdgeId, HalfEdgeId),
    /// A face around the edge is not a triangle.
    #[error("face {} is not a triangle; edges can be contracted in triangle meshes only", .0.0)]
    NotATriangle(FaceId),
    /// Several fans of faces meet in a vertex.
    #[error("several fans of faces meet in vertex {}", .0.0)]
    SeveralFans(VertexId),
    /// The ends of the edge have more neighbours in common than the triangles beside it explain, so
    /// that contracting it would fold the surface onto itself.
    #[error("contracting half-edge {} would fold the surface (link condition)", .0.0)]
    Folds(HalfEdgeId),
    /// The edge runs from border to border inside the surface.
    #[error("contracting half-edge {} would pinch the surface to a point", .0.0)]
    Pinches(HalfEdgeId),
    /// A triangle would turn over or lose its area.
    #[error("the change would turn over or flatten face {}", .0.0)]
    Flips(FaceId),
    /// Nothing would be left of a face or of an edge of the surface.
    #[error("the change at half-edge {} would leave nothing of a face", .0.0)]
    Vanishes(HalfEdgeId),
    /// The two sides of the edge are loops of which neither lies inside the other.
    #[error("the loops on the two sides of half-edge {} do not fit in the plane", .0.0)]
    NotPlanar(HalfEdgeId),
    /// All ids are used up.
    #[error("a mesh holds fewer than 2^32 - 1 half-edges; compact it or split it into tiles")]
    Full,
}

/// Where the elements of a mesh went when it was compacted, by their old ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactMap {
    /// The new id of each vertex; `None` for removed and unused ones.
    pub vertices: Vec<Option<VertexId>>,
    /// The new id of each half-edge; `None` for removed ones.
    pub half_edges: Vec<Option<HalfEdgeId>>,
    /// The new id of each face; `None` for removed ones.
    pub faces: Vec<Option<FaceId>>,
}

/// What a loop is to its face.
#[derive(Clone, Copy)]
enum Role {
    Outer,
    Hole(u32),
}

impl HalfEdgeMesh {
    fn require(&self, h: HalfEdgeId) -> Result<(), EditError> {
        if self.has_half_edge(h) { Ok(()) } else { Err(EditError::NoHalfEdge(h)) }
    }

    /// Makes two border half-edges twins: the surface goes on from one face to the other.
    pub fn join(&mut self, h: HalfEdgeId, g: HalfEdgeId) -> Result<(), EditError> {
        for e in [h, g] {
            self.require(e)?;
            if self.twin(e).is_some() {
                return Err(EditError::HasTwin(e));
            }
        }
        let matches = h != g
            && self.origin(h) == self.destination(g)
            && self.origin(g) == self.destination(h);
        if !matches {
            return Err(EditError::EndsDiffer(h, g));
        }
        self.edge_mut(h.0).twin = g.0;
        self.edge_mut(g.0).twin = h.0;
        Ok(())
    }

    /// Parts a half-edge from its twin, so that both lie on the border. Returns the former twin.
    pub fn part(&mut self, h: HalfEdgeId) -> Result<HalfEdgeId, EditError> {
        self.require(h)?;
        let twin = self.twin(h).ok_or(EditError::Border(h))?;
        self.edge_mut(h.0).twin = NONE;
        self.edge_mut(twin.0).twin = NONE;
        Ok(twin)
    }

    /// Moves a vertex. Says nothing about what becomes of the faces around it.
    pub fn set_point(&mut self, v: VertexId, point: LatticePoint) {
        self.vertices[v.index()].point = point;
    }

    fn link(&mut self, before: u32, after: u32) {
        self.edge_mut(before).next = after;
        self.edge_mut(after).prev = before;
    }

    /// Takes a half-edge off its origin's list and marks it as removed; loops and twins are the
    /// caller's business.
    fn kill(&mut self, h: u32) {
        self.unlist_leaving(h);
        let e = self.edge_mut(h);
        (e.next, e.prev, e.twin) = (NONE, NONE, NONE);
    }

    /// Puts a vertex on an edge, in the loops on both of its sides. The half-edge keeps its first
    /// half, its twin the half that starts where it started; the new halves have their labels.
    pub fn split_edge(
        &mut self,
        h: HalfEdgeId,
        point: LatticePoint,
    ) -> Result<VertexId, EditError> {
        self.require(h)?;
        if self.half_edges.len() + 2 >= NONE as usize || self.vertices.len() + 1 >= NONE as usize {
            return Err(EditError::Full);
        }
        let v = self.add_vertex(point);
        let twin = self.twin(h);
        let second = self.insert_after(h.0, v.0);
        if let Some(twin) = twin {
            let twin_second = self.insert_after(twin.0, v.0);
            for (a, b) in [(h.0, twin_second), (second, twin.0)] {
                self.edge_mut(a).twin = b;
                self.edge_mut(b).twin = a;
            }
        }
        Ok(v)
    }

    /// A new half-edge after `h` in its loop, from `origin` to where `h` ended.
    fn insert_after(&mut self, h: u32, origin: u32) -> u32 {
        let new = self.half_edges.len() as u32;
        let HalfEdge { next, face, label, .. } = *self.edge(h);
        self.half_edges.push(HalfEdge {
            origin,
            next,
            prev: h,
            twin: NONE,
            face,
            label,
            next_out: NONE,
            prev_out: NONE,
        });
        self.link(h, new);
        self.link(new, next);
        self.list_one_leaving(new);
        new
    }

    /// Removes a face. Its neighbours get a border there; its vertices stay.
    pub fn remove_face(&mut self, f: FaceId) -> Result<(), EditError> {
        if !self.has_face(f) {
            return Err(EditError::NoFace(f));
        }
        let edges: Vec<_> = self.around_face(f).collect();
        for h in edges {
            if let Some(twin) = self.twin(h) {
                self.edge_mut(twin.0).twin = NONE;
            }
            self.kill(h.0);
        }
        let holes: Vec<_> = self.hole_ids(f.0).collect();
        for hole in holes {
            self.holes[hole as usize].edge = NONE;
        }
        let face = &mut self.faces[f.index()];
        (face.outer, face.first_hole) = (NONE, NONE);
        Ok(())
    }

    /// Contracts an edge of a triangle mesh: its origin goes where its destination is, and the
    /// destination moves to `to` (give its own point to leave it there). The one or two triangles
    /// beside the edge go; the sides they had become one edge, and where one of those was border,
    /// the half-edge that is border now takes over its label. Returns the vertex that is left.
    ///
    /// Refused where the surface would fold, pinch, or have a triangle turned over or without area
    /// (Dey et al., "Topology preserving edge contraction", 1999).
    pub fn collapse_edge(
        &mut self,
        h: HalfEdgeId,
        to: LatticePoint,
    ) -> Result<VertexId, EditError> {
        self.require(h)?;
        self.check_collapse(h, to)?;
        let (gone, kept) = (self.origin(h), self.destination(h));
        for side in [Some(h), self.twin(h)].into_iter().flatten() {
            let (n, q) = (self.next(side), self.prev(side));
            match (self.twin(n), self.twin(q)) {
                (Some(a), Some(b)) => {
                    self.edge_mut(a.0).twin = b.0;
                    self.edge_mut(b.0).twin = a.0;
                }
                (Some(a), None) => {
                    self.edge_mut(a.0).twin = NONE;
                    self.edge_mut(a.0).label = self.label(q);
                }
                (None, Some(b)) => {
                    self.edge_mut(b.0).twin = NONE;
                    self.edge_mut(b.0).label = self.label(n);
                }
                (None, None) => unreachable!("checked before"),
            }
            let face = self.face(side);
            for e in [side, n, q] {
                self.kill(e.0);
            }
            self.faces[face.index()].outer = NONE;
        }
        let moving: Vec<_> = self.leaving(gone).collect();
        for e in moving {
            self.unlist_leaving(e.0);
            self.edge_mut(e.0).origin = kept.0;
            self.list_one_leaving(e.0);
        }
        self.vertices[gone.index()].removed = true;
        self.vertices[kept.index()].point = to;
        Ok(kept)
    }

    fn check_collapse(&self, h: HalfEdgeId, to: LatticePoint) -> Result<(), EditError> {
        let (gone, kept) = (self.origin(h), self.destination(h));
        let sides = [Some(h), self.twin(h)];
        let mut around = [vec![], vec![]];
        let mut on_border = [false; 2];
        for (i, (v, out)) in [(gone, h), (kept, self.next(h))].into_iter().enumerate() {
            let mut corners = 0;
            for e in self.leaving(v) {
                let face = self.face(e);
                let is_triangle = self.next(self.next(e)) == self.prev(e)
                    && self.faces[face.index()].first_hole == NONE;
                if !is_triangle {
                    return Err(EditError::NotATriangle(face));
                }
                around[i].extend([self.destination(e), self.origin(self.prev(e))]);
                on_border[i] |= self.is_border(e);
                corners += 1;
            }
            if self.fan(out).count() != corners {
                return Err(EditError::SeveralFans(v));
            }
            around[i].sort_unstable();
            around[i].dedup();
        }
        let apexes: Vec<_> = sides.iter().flatten().map(|&s| self.origin(self.prev(s))).collect();
        let common = around[0].iter().filter(|v| around[1].binary_search(v).is_ok()).count();
        if common != apexes.len() || (apexes.len() == 2 && apexes[0] == apexes[1]) {
            return Err(EditError::Folds(h));
        }
        if on_border == [true; 2] && self.twin(h).is_some() {
            return Err(EditError::Pinches(h));
        }
        for &side in sides.iter().flatten() {
            if self.twin(self.next(side)).is_none() && self.twin(self.prev(side)).is_none() {
                return Err(EditError::Vanishes(h));
            }
        }
        let dying = sides.map(|s| s.map(|s| self.face(s)));
        for e in self.leaving(gone).chain(self.leaving(kept)) {
            let face = self.face(e);
            if dying.contains(&Some(face)) {
                continue;
            }
            let [a, b] = self.ends(self.next(e));
            if orient(to, a, b) <= 0 {
                return Err(EditError::Flips(face));
            }
        }
        Ok(())
    }

    /// Removes an edge between two faces, or between a face and itself, and makes one face of them.
    /// The rest of a chain of edges between the same two loops that would hang loose goes too.
    /// Returns the face that is left: the half-edge's own, unless that lies in a hole of the other.
    /// Takes time in proportion to the size of both faces.
    pub fn merge_faces(&mut self, h: HalfEdgeId) -> Result<FaceId, EditError> {
        self.require(h)?;
        let t = self.twin(h).ok_or(EditError::Border(h))?;
        let (f, g) = (self.face(h), self.face(t));
        let (h_role, t_role) = (self.role_of_loop(h), self.role_of_loop(t));
        if f == g {
            if !self.around_loop(h).any(|e| e == t) {
                return Err(EditError::NotPlanar(h));
            }
            let (one, other) = self.cut_edge(h.0, t.0);
            let rest = self.replace_loop(f.0, h_role, one, other);
            if let Some(rest) = rest {
                self.add_hole(f.0, rest);
            }
            return Ok(f);
        }
        let (kept, gone, role) = match (h_role, t_role) {
            (Role::Outer, Role::Outer) => {
                let glued = |start, other| {
                    self.around_loop(start).all(|e| self.neighbour(e) == Some(other))
                };
                if glued(h, g) && glued(t, f) {
                    return Err(EditError::Vanishes(h));
                }
                (f, g, Role::Outer)
            }
            (Role::Outer, hole) => (g, f, hole),
            (hole, Role::Outer) => (f, g, hole),
            (Role::Hole(_), Role::Hole(_)) => return Err(EditError::NotPlanar(h)),
        };
        let moving: Vec<_> = self.around_face(gone).collect();
        for e in moving {
            self.edge_mut(e.0).face = kept.0;
        }
        // The holes of the one become holes of the other; its outer loop is part of the merged one.
        let first = std::mem::replace(&mut self.faces[gone.index()].first_hole, NONE);
        self.faces[gone.index()].outer = NONE;
        if first != NONE {
            let mut last = first;
            while self.holes[last as usize].next != NONE {
                last = self.holes[last as usize].next;
            }
            let face = &mut self.faces[kept.index()];
            self.holes[last as usize].next = face.first_hole;
            face.first_hole = first;
        }
        let (one, other) = self.cut_edge(h.0, t.0);
        let rest = self.replace_loop(kept.0, role, one.or(other), None);
        debug_assert!(rest.is_none());
        Ok(kept)
    }

    fn add_hole(&mut self, face: u32, edge: u32) {
        let next = self.faces[face as usize].first_hole;
        self.faces[face as usize].first_hole = self.holes.len() as u32;
        self.holes.push(Hole { edge, next });
    }

    fn role_of_loop(&self, h: HalfEdgeId) -> Role {
        let face = self.face(h);
        let mut edges: Vec<u32> = self.around_loop(h).map(|e| e.0).collect();
        edges.sort_unstable();
        self.hole_ids(face.0)
            .find(|&hole| edges.binary_search(&self.holes[hole as usize].edge).is_ok())
            .map_or(Role::Outer, Role::Hole)
    }

    /// Removes an edge from the loops on its two sides, and what hangs loose then. Returns a
    /// half-edge of what is left at the edge's origin and at its destination, which are two loops
    /// where both sides were one loop, and else both parts of the one loop.
    fn cut_edge(&mut self, h: u32, t: u32) -> (Option<u32>, Option<u32>) {
        let (h_prev, h_next) = (self.edge(h).prev, self.edge(h).next);
        let (t_prev, t_next) = (self.edge(t).prev, self.edge(t).next);
        let (at_origin, at_destination) = (h_prev != t, h_next != t);
        self.kill(h);
        self.kill(t);
        if at_origin {
            self.link(h_prev, t_next);
        }
        if at_destination {
            self.link(t_prev, h_next);
        }
        let mut one = at_origin.then_some(h_prev).and_then(|e| self.prune(e));
        let is_left = |mesh: &Self, e: &u32| mesh.has_half_edge(HalfEdgeId(*e));
        let start = at_destination.then_some(t_prev).filter(|e| is_left(self, e));
        let other = start.and_then(|e| self.prune(e));
        one = one.filter(|e| is_left(self, e));
        (one, other)
    }

    /// Removes edges both of whose sides follow `e` directly in the loop. Returns a half-edge of
    /// what is left of the loop.
    fn prune(&mut self, e: u32) -> Option<u32> {
        let mut before = e;
        loop {
            let after = self.edge(before).next;
            if self.edge(before).twin != after {
                return Some(before);
            }
            let (prev, next) = (self.edge(before).prev, self.edge(after).next);
            self.kill(before);
            self.kill(after);
            if prev == after {
                return None;
            }
            self.link(prev, next);
            before = prev;
        }
    }

    /// Puts one of two loops in the place of a loop that is no more, the larger one where that was
    /// the outer one. Returns the other loop, a hole that is to be added.
    fn replace_loop(
        &mut self,
        face: u32,
        role: Role,
        a: Option<u32>,
        b: Option<u32>,
    ) -> Option<u32> {
        let (mut first, mut rest) = if a.is_some() { (a, b) } else { (b, None) };
        match role {
            Role::Outer => {
                if let (Some(x), Some(y)) = (first, rest)
                    && self.loop_area2(HalfEdgeId(y)) > self.loop_area2(HalfEdgeId(x))
                {
                    (first, rest) = (rest, first);
                }
                // An outer loop never vanishes: its face would have no area.
                self.faces[face as usize].outer = first.unwrap_or(NONE);
            }
            Role::Hole(hole) => {
                if let Some(edge) = first {
                    self.holes[hole as usize].edge = edge;
                } else {
                    let after = self.holes[hole as usize].next;
                    self.holes[hole as usize].edge = NONE;
                    let before = self.hole_ids(face).find(|&k| self.holes[k as usize].next == hole);
                    match before {
                        Some(k) => self.holes[k as usize].next = after,
                        None => self.faces[face as usize].first_hole = after,
                    }
                }
            }
        }
        rest
    }

    /// Drops what was removed and vertices without faces, and numbers the rest without gaps in the
    /// same order.
    pub fn compact(&mut self) -> CompactMap {
        fn number<T>(items: &[T], keep: impl Fn(&T) -> bool) -> Vec<u32> {
            let mut count = 0;
            let mut new = |item| {
                if !keep(item) {
                    return NONE;
                }
                count += 1;
                count - 1
            };
            items.iter().map(&mut new).collect()
        }
        let vertices = number(&self.vertices, |v| !v.removed && v.first_out != NONE);
        let half_edges = number(&self.half_edges, |h| h.next != NONE);
        let faces = number(&self.faces, |f| f.outer != NONE);
        let holes = number(&self.holes, |h| h.edge != NONE);
        let moved = |map: &[u32], id: u32| if id == NONE { NONE } else { map[id as usize] };
        self.vertices.retain(|v| !v.removed && v.first_out != NONE);
        for v in &mut self.vertices {
            v.first_out = moved(&half_edges, v.first_out);
        }
        self.half_edges.retain(|h| h.next != NONE);
        for h in &mut self.half_edges {
            h.origin = moved(&vertices, h.origin);
            h.face = moved(&faces, h.face);
            for e in [&mut h.next, &mut h.prev, &mut h.twin, &mut h.next_out, &mut h.prev_out] {
                *e = moved(&half_edges, *e);
            }
        }
        self.faces.retain(|f| f.outer != NONE);
        for f in &mut self.faces {
            f.outer = moved(&half_edges, f.outer);
            f.first_hole = moved(&holes, f.first_hole);
        }
        self.holes.retain(|h| h.edge != NONE);
        for h in &mut self.holes {
            h.edge = moved(&half_edges, h.edge);
            h.next = moved(&holes, h.next);
        }
        CompactMap {
            vertices: vertices.into_iter().map(VertexId::from_stored).collect(),
            half_edges: half_edges.into_iter().map(HalfEdgeId::from_stored).collect(),
            faces: faces.into_iter().map(FaceId::from_stored).collect(),
        }
    }
}
