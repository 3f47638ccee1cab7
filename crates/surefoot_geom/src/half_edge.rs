//! A half-edge mesh of polygon faces with holes, in plan.
//!
//! Vertices are lattice points only; heights belong to faces. So the two sides of a step share
//! their vertices in plan, and are twins where the surface goes on from one to the other. A face
//! has one outer loop of half-edges and any number of hole loops, all with the face to their left.
//! A half-edge without a twin is part of the border. Each half-edge and each face carries a label
//! that means nothing here.
//!
//! The structure is the doubly connected edge list of Muller and Preparata ("Finding the
//! intersection of two convex polyhedra", 1978), with two departures: holes are loops of their
//! face, and a vertex knows all half-edges that leave it, so that several fans of faces may meet in
//! one vertex. Ids are stable under editing; [`HalfEdgeMesh::compact`] renumbers.

mod build;
mod check;
mod edit;

pub use build::BuildError;
pub use check::InvariantError;
pub use edit::{CompactMap, EditError};

use crate::lattice::LatticePoint;

const NONE: u32 = u32::MAX;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            const fn from_stored(id: u32) -> Option<Self> {
                if id == NONE { None } else { Some(Self(id)) }
            }
        }
    };
}

id!(
    /// A vertex of a [`HalfEdgeMesh`].
    VertexId
);
id!(
    /// A half-edge of a [`HalfEdgeMesh`].
    HalfEdgeId
);
id!(
    /// A face of a [`HalfEdgeMesh`].
    FaceId
);

/// `next == NONE` marks a removed half-edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HalfEdge {
    origin: u32,
    next: u32,
    prev: u32,
    twin: u32,
    face: u32,
    label: u32,
    /// The neighbours in the list of all half-edges with this origin.
    next_out: u32,
    prev_out: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Vertex {
    point: LatticePoint,
    /// The head of the list of half-edges that leave the vertex.
    first_out: u32,
    removed: bool,
}

/// `outer == NONE` marks a removed face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Face {
    outer: u32,
    /// The head of the list of holes.
    first_hole: u32,
    label: u32,
}

/// A hole of some face, in a list. `edge == NONE` marks one that is out of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    edge: u32,
    next: u32,
}

/// The mesh. Functions that take an id panic when it is beyond the range of ids given out, like an
/// index; what they say about removed elements means nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HalfEdgeMesh {
    vertices: Vec<Vertex>,
    half_edges: Vec<HalfEdge>,
    faces: Vec<Face>,
    holes: Vec<Hole>,
}

/// The faces' connected components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// For each face id the component it is in, counted from zero in the order of the lowest face
    /// id; `u32::MAX` for a removed face.
    pub of_face: Vec<u32>,
    /// The number of components.
    pub count: u32,
}

impl HalfEdgeMesh {
    fn edge(&self, h: u32) -> &HalfEdge {
        &self.half_edges[h as usize]
    }

    fn edge_mut(&mut self, h: u32) -> &mut HalfEdge {
        &mut self.half_edges[h as usize]
    }

    /// All vertices, also those that no face uses.
    pub fn vertices(&self) -> impl Iterator<Item = VertexId> + '_ {
        (0_u32..).zip(&self.vertices).filter(|(_, v)| !v.removed).map(|(i, _)| VertexId(i))
    }

    /// All half-edges.
    pub fn half_edges(&self) -> impl Iterator<Item = HalfEdgeId> + '_ {
        (0_u32..).zip(&self.half_edges).filter(|(_, h)| h.next != NONE).map(|(i, _)| HalfEdgeId(i))
    }

    /// All faces.
    pub fn faces(&self) -> impl Iterator<Item = FaceId> + '_ {
        (0_u32..).zip(&self.faces).filter(|(_, f)| f.outer != NONE).map(|(i, _)| FaceId(i))
    }

    /// One more than the highest vertex id, removed ones included: the size of a table by vertex.
    #[must_use]
    pub fn vertex_id_count(&self) -> usize {
        self.vertices.len()
    }

    /// One more than the highest half-edge id, removed ones included.
    #[must_use]
    pub fn half_edge_id_count(&self) -> usize {
        self.half_edges.len()
    }

    /// One more than the highest face id, removed ones included.
    #[must_use]
    pub fn face_id_count(&self) -> usize {
        self.faces.len()
    }

    /// Whether the vertex exists and has not been removed.
    #[must_use]
    pub fn has_vertex(&self, v: VertexId) -> bool {
        self.vertices.get(v.index()).is_some_and(|v| !v.removed)
    }

    /// Whether the half-edge exists and has not been removed.
    #[must_use]
    pub fn has_half_edge(&self, h: HalfEdgeId) -> bool {
        self.half_edges.get(h.index()).is_some_and(|h| h.next != NONE)
    }

    /// Whether the face exists and has not been removed.
    #[must_use]
    pub fn has_face(&self, f: FaceId) -> bool {
        self.faces.get(f.index()).is_some_and(|f| f.outer != NONE)
    }

    /// Where a vertex is, in plan.
    #[must_use]
    pub fn point(&self, v: VertexId) -> LatticePoint {
        self.vertices[v.index()].point
    }

    /// The vertex from which a half-edge starts.
    #[must_use]
    pub fn origin(&self, h: HalfEdgeId) -> VertexId {
        VertexId(self.edge(h.0).origin)
    }

    /// The vertex at which a half-edge ends.
    #[must_use]
    pub fn destination(&self, h: HalfEdgeId) -> VertexId {
        self.origin(self.next(h))
    }

    /// The two end points of a half-edge.
    #[must_use]
    pub fn ends(&self, h: HalfEdgeId) -> [LatticePoint; 2] {
        [self.point(self.origin(h)), self.point(self.destination(h))]
    }

    /// The next half-edge of the loop.
    #[must_use]
    pub fn next(&self, h: HalfEdgeId) -> HalfEdgeId {
        HalfEdgeId(self.edge(h.0).next)
    }

    /// The half-edge before this one in the loop.
    #[must_use]
    pub fn prev(&self, h: HalfEdgeId) -> HalfEdgeId {
        HalfEdgeId(self.edge(h.0).prev)
    }

    /// The half-edge of the neighbour, running the other way; `None` on the border.
    #[must_use]
    pub fn twin(&self, h: HalfEdgeId) -> Option<HalfEdgeId> {
        HalfEdgeId::from_stored(self.edge(h.0).twin)
    }

    /// The face to the left.
    #[must_use]
    pub fn face(&self, h: HalfEdgeId) -> FaceId {
        FaceId(self.edge(h.0).face)
    }

    /// The face on the other side; `None` on the border.
    #[must_use]
    pub fn neighbour(&self, h: HalfEdgeId) -> Option<FaceId> {
        self.twin(h).map(|t| self.face(t))
    }

    /// The label of a half-edge.
    #[must_use]
    pub fn label(&self, h: HalfEdgeId) -> u32 {
        self.edge(h.0).label
    }

    /// Gives a half-edge a label. Its twin keeps its own.
    pub fn set_label(&mut self, h: HalfEdgeId, label: u32) {
        self.edge_mut(h.0).label = label;
    }

    /// The label of a face.
    #[must_use]
    pub fn face_label(&self, f: FaceId) -> u32 {
        self.faces[f.index()].label
    }

    /// Gives a face a label.
    pub fn set_face_label(&mut self, f: FaceId, label: u32) {
        self.faces[f.index()].label = label;
    }

    /// A half-edge of the face's outer loop.
    #[must_use]
    pub fn outer_loop(&self, f: FaceId) -> HalfEdgeId {
        HalfEdgeId(self.faces[f.index()].outer)
    }

    /// A half-edge of each of the face's holes.
    pub fn hole_loops(&self, f: FaceId) -> impl Iterator<Item = HalfEdgeId> + '_ {
        self.hole_ids(f.0).map(|hole| HalfEdgeId(self.holes[hole as usize].edge))
    }

    fn hole_ids(&self, face: u32) -> impl Iterator<Item = u32> + '_ {
        let mut hole = self.faces[face as usize].first_hole;
        std::iter::from_fn(move || {
            let this = hole;
            if this == NONE {
                return None;
            }
            hole = self.holes[this as usize].next;
            Some(this)
        })
    }

    /// A half-edge of each loop of the face, the outer one first.
    pub fn loops(&self, f: FaceId) -> impl Iterator<Item = HalfEdgeId> + '_ {
        std::iter::once(self.outer_loop(f)).chain(self.hole_loops(f))
    }

    /// The half-edges of a loop, beginning with the given one.
    pub fn around_loop(&self, start: HalfEdgeId) -> impl Iterator<Item = HalfEdgeId> + '_ {
        self.cycle(start, |h| self.next(h))
    }

    /// All half-edges of a face, loop after loop.
    pub fn around_face(&self, f: FaceId) -> impl Iterator<Item = HalfEdgeId> + '_ {
        self.loops(f).flat_map(|h| self.around_loop(h))
    }

    fn cycle<'a>(
        &'a self,
        start: HalfEdgeId,
        step: impl Fn(HalfEdgeId) -> HalfEdgeId + 'a,
    ) -> impl Iterator<Item = HalfEdgeId> + 'a {
        let mut at = Some(start);
        std::iter::from_fn(move || {
            let this = at?;
            let next = step(this);
            at = (next != start).then_some(next);
            Some(this)
        })
    }

    /// All half-edges that leave a vertex, in no particular (but a reproducible) order.
    pub fn leaving(&self, v: VertexId) -> impl Iterator<Item = HalfEdgeId> + '_ {
        let mut out = self.vertices[v.index()].first_out;
        std::iter::from_fn(move || {
            let this = HalfEdgeId::from_stored(out)?;
            out = self.edge(out).next_out;
            Some(this)
        })
    }

    /// A half-edge from one vertex to another, if there is one; the lowest id of several.
    #[must_use]
    pub fn find(&self, from: VertexId, to: VertexId) -> Option<HalfEdgeId> {
        self.leaving(from).filter(|&h| self.destination(h) == to).min()
    }

    /// The next half-edge counter-clockwise around the origin, in the same fan.
    #[must_use]
    pub fn turn_left(&self, h: HalfEdgeId) -> Option<HalfEdgeId> {
        self.twin(self.prev(h))
    }

    /// The next half-edge clockwise around the origin, in the same fan.
    #[must_use]
    pub fn turn_right(&self, h: HalfEdgeId) -> Option<HalfEdgeId> {
        self.twin(h).map(|t| self.next(t))
    }

    /// The first half-edge of the fan that `h` is in around its origin: the clockwise end of an
    /// open fan, `h` itself in a closed one.
    #[must_use]
    pub fn fan_start(&self, h: HalfEdgeId) -> HalfEdgeId {
        let mut at = h;
        while let Some(right) = self.turn_right(at) {
            if right == h {
                return h;
            }
            at = right;
        }
        at
    }

    /// The half-edges that leave `h`'s origin within one fan, counter-clockwise, beginning with
    /// [`HalfEdgeMesh::fan_start`]. There is one for each corner that a face has in the fan.
    pub fn fan(&self, h: HalfEdgeId) -> impl Iterator<Item = HalfEdgeId> + '_ {
        let start = self.fan_start(h);
        let mut at = Some(start);
        std::iter::from_fn(move || {
            let this = at?;
            at = self.turn_left(this).filter(|&left| left != start);
            Some(this)
        })
    }

    /// The first half-edge of each fan at a vertex, by growing lowest id in the fan. A vertex of a
    /// plain surface has one fan; more meet where parts of the surface touch in a point.
    #[must_use]
    pub fn fans(&self, v: VertexId) -> Vec<HalfEdgeId> {
        let mut starts: Vec<(HalfEdgeId, HalfEdgeId)> = vec![];
        for h in self.leaving(v) {
            let mut start = self.fan_start(h);
            let lowest = self.fan(h).min().unwrap_or(h);
            if self.twin(start).is_some() {
                // A closed fan has no first half-edge of its own.
                start = lowest;
            }
            starts.push((lowest, start));
        }
        starts.sort_unstable();
        starts.dedup();
        starts.into_iter().map(|(_, start)| start).collect()
    }

    /// Whether the half-edge lies on the border.
    #[must_use]
    pub fn is_border(&self, h: HalfEdgeId) -> bool {
        self.edge(h.0).twin == NONE
    }

    /// The next half-edge along the border. It leaves the vertex within the same fan of faces, so
    /// that borders which only touch in a vertex stay apart.
    #[must_use]
    pub fn next_on_border(&self, h: HalfEdgeId) -> HalfEdgeId {
        let mut at = self.next(h);
        while let Some(right) = self.turn_right(at) {
            at = right;
        }
        at
    }

    /// The loops of the border, the surface to their left, each beginning with its lowest id, in
    /// the order of these.
    #[must_use]
    pub fn border_loops(&self) -> Vec<Vec<HalfEdgeId>> {
        let mut seen = vec![false; self.half_edges.len()];
        let mut loops = vec![];
        for start in self.half_edges() {
            if !self.is_border(start) || seen[start.index()] {
                continue;
            }
            let border: Vec<_> = self.cycle(start, |h| self.next_on_border(h)).collect();
            for h in &border {
                seen[h.index()] = true;
            }
            loops.push(border);
        }
        loops
    }

    /// The parts of the surface that hang together across edges. Touching in a vertex does not
    /// connect.
    #[must_use]
    pub fn components(&self) -> Components {
        let mut of_face = vec![NONE; self.faces.len()];
        let mut count = 0;
        let mut stack = vec![];
        for f in self.faces() {
            if of_face[f.index()] != NONE {
                continue;
            }
            of_face[f.index()] = count;
            stack.push(f);
            while let Some(f) = stack.pop() {
                for h in self.around_face(f) {
                    if let Some(g) = self.neighbour(h)
                        && of_face[g.index()] == NONE
                    {
                        of_face[g.index()] = count;
                        stack.push(g);
                    }
                }
            }
            count += 1;
        }
        Components { of_face, count }
    }

    /// Euler's characteristic of the surface: vertices less edges plus faces, less one for each
    /// hole of a face; a vertex counts once for each fan. It is one for a disc, zero for a ring,
    /// two for a closed surface like the sphere, and adds up over components.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        let (mut half, mut border, mut corners) = (0_i64, 0_i64, 0_i64);
        let mut seen = vec![false; self.half_edges.len()];
        for h in self.half_edges() {
            half += 1;
            border += i64::from(self.is_border(h));
            if !seen[h.index()] {
                corners += 1;
                for out in self.fan(h) {
                    seen[out.index()] = true;
                }
            }
        }
        let faces = self.faces().map(|f| 1 - self.hole_loops(f).count() as i64).sum::<i64>();
        corners - (half + border) / 2 + faces
    }

    /// The points of a loop, in order.
    pub fn loop_points(&self, start: HalfEdgeId) -> impl Iterator<Item = LatticePoint> + '_ {
        self.around_loop(start).map(|h| self.point(self.origin(h)))
    }

    /// A face as a polygon: the outer contour, then the holes.
    #[must_use]
    pub fn polygon(&self, f: FaceId) -> crate::polygon::Polygon {
        crate::polygon::Polygon {
            contours: self.loops(f).map(|h| self.loop_points(h).collect()).collect(),
        }
    }

    /// Twice the area of a face in square units, holes taken off; negative for one that lies face
    /// down in plan. Exact.
    #[must_use]
    pub fn face_area2(&self, f: FaceId) -> i128 {
        self.loops(f).map(|h| self.loop_area2(h)).sum()
    }

    fn loop_area2(&self, start: HalfEdgeId) -> i128 {
        self.around_loop(start)
            .map(|h| {
                let [a, b] = self.ends(h);
                i128::from(a.x) * i128::from(b.y) - i128::from(a.y) * i128::from(b.x)
            })
            .sum()
    }
}
