//! Cycles of boundary edges (Vermeulen et al. 2018, §V-A).
//!
//! Goes in: a walkable surface. Comes out: every edge without a neighbour, with its heights, its cycle
//! and its neighbours in the cycle. Around a corner the cycle follows the ground from face to face, so
//! that cycles which touch in one point stay apart. Edges are sorted by their geometry: what follows
//! does not depend on the order of the faces.

use crate::ids::SurfaceEdgeId;
use crate::surface::{WalkableSurface, plan_m};
use glam::{DVec2, DVec3};
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_mesh::EdgeClass;

/// An edge of the ground beyond which there is none; the ground lies to its left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryEdge {
    pub(crate) from: LatticePoint,
    pub(crate) to: LatticePoint,
    pub(crate) from_height_m: f64,
    pub(crate) to_height_m: f64,
    /// Its number among the surface's edges.
    pub(crate) surface_edge: u32,
    pub(crate) face: u32,
    pub(crate) class: EdgeClass,
    pub(crate) cycle: u32,
    /// The edges before and after it in its cycle.
    pub(crate) previous: u32,
    pub(crate) next: u32,
}

impl BoundaryEdge {
    /// The start, in metres.
    pub(crate) fn start(&self) -> DVec3 {
        plan_m(self.from).extend(self.from_height_m)
    }

    /// The end, in metres.
    pub(crate) fn end(&self) -> DVec3 {
        plan_m(self.to).extend(self.to_height_m)
    }

    /// The point at a share of its length.
    pub(crate) fn at(&self, share: f64) -> DVec3 {
        self.start().lerp(self.end(), share)
    }

    /// Its run in plan, in metres.
    pub(crate) fn run(&self) -> DVec2 {
        (self.end() - self.start()).truncate()
    }

    /// Whether something may be laid against it: behind what is blocked stands what blocks it.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.class, EdgeClass::Open | EdgeClass::Gap)
    }

    /// Its box in space, in metres.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::of_points([self.start(), self.end()])
    }
}

/// All edges without a neighbour.
#[derive(Debug)]
pub(crate) struct Boundary {
    pub(crate) edges: Vec<BoundaryEdge>,
    pub(crate) cycle_count: u32,
    /// Over the edges' boxes in space.
    pub(crate) tree: BoxTree,
}

impl Boundary {
    pub(crate) fn of(surface: &WalkableSurface) -> Self {
        let ring = Ring::of(surface);
        let mut edges: Vec<BoundaryEdge> = Vec::new();
        let mut number = 0_u32;
        for (f, face) in surface.faces.iter().enumerate() {
            for (e, to) in face.edges() {
                if e.twin.is_none() {
                    edges.push(BoundaryEdge {
                        from: e.from,
                        to,
                        from_height_m: face.plane.height_at(e.from),
                        to_height_m: face.plane.height_at(to),
                        surface_edge: number,
                        face: f as u32,
                        class: e.class,
                        cycle: u32::MAX,
                        previous: u32::MAX,
                        next: u32::MAX,
                    });
                }
                number += 1;
            }
        }
        edges.sort_by(|a, b| {
            (a.from, a.to)
                .cmp(&(b.from, b.to))
                .then(a.from_height_m.total_cmp(&b.from_height_m))
                .then(a.to_height_m.total_cmp(&b.to_height_m))
                .then(a.surface_edge.cmp(&b.surface_edge))
        });
        let mut place = vec![u32::MAX; number as usize];
        for (i, e) in edges.iter().enumerate() {
            place[e.surface_edge as usize] = i as u32;
        }
        for i in 0..edges.len() {
            let next = place[ring.next_on_boundary(edges[i].surface_edge) as usize];
            // A surface whose twins do not close around a corner leaves an edge to itself.
            let next = if next == u32::MAX { i as u32 } else { next };
            edges[i].next = next;
            edges[next as usize].previous = i as u32;
        }
        for i in 0..edges.len() {
            if edges[i].previous == u32::MAX {
                edges[i].previous = i as u32;
            }
        }
        let mut cycle_count = 0;
        for start in 0..edges.len() {
            let mut at = start;
            let mut found = false;
            while edges[at].cycle == u32::MAX {
                edges[at].cycle = cycle_count;
                found = true;
                at = edges[at].next as usize;
            }
            cycle_count += u32::from(found);
        }
        let tree = BoxTree::build_with(edges.len(), |i| edges[i as usize].bounds());
        Self { edges, cycle_count, tree }
    }

    pub(crate) fn edge(&self, i: u32) -> &BoundaryEdge {
        &self.edges[i as usize]
    }
}

/// The order of the surface's edges around faces and across twins.
struct Ring {
    next: Vec<u32>,
    twin: Vec<Option<SurfaceEdgeId>>,
}

impl Ring {
    fn of(surface: &WalkableSurface) -> Self {
        let (mut next, mut twin) = (Vec::new(), Vec::new());
        for edges in surface.faces.iter().flat_map(|f| &f.loops) {
            let first = next.len() as u32;
            let count = edges.len() as u32;
            for (i, e) in edges.iter().enumerate() {
                next.push(first + (i as u32 + 1) % count);
                twin.push(e.twin);
            }
        }
        Self { next, twin }
    }

    /// The boundary edge that follows around the corner at an edge's end.
    fn next_on_boundary(&self, edge: u32) -> u32 {
        let mut e = self.next[edge as usize];
        for _ in 0..self.next.len() {
            let Some(twin) = self.twin[e as usize] else { return e };
            e = self.next[twin.index()];
        }
        edge
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finish::fill_gaps::tests::{join, plates, rectangle};

    #[test]
    fn plates_that_touch_in_a_point_have_cycles_of_their_own() {
        let surface = plates(&[
            (rectangle([0.0, 0.0], [1.0, 1.0]), 0.0),
            (rectangle([1.0, 1.0], [2.0, 2.0]), 0.0),
        ]);
        let boundary = Boundary::of(&surface);
        assert_eq!((boundary.edges.len(), boundary.cycle_count), (8, 2));
        for (i, e) in boundary.edges.iter().enumerate() {
            assert_eq!(boundary.edge(e.next).previous, i as u32);
            assert_eq!(boundary.edge(e.next).from, e.to);
            assert_eq!(boundary.edge(e.next).cycle, e.cycle);
        }
    }

    #[test]
    fn a_cycle_goes_around_joined_faces() {
        let mut surface = plates(&[
            (rectangle([0.0, 0.0], [1.0, 1.0]), 0.0),
            (rectangle([1.0, 0.0], [2.0, 1.0]), 0.1),
        ]);
        join(&mut surface, 0.4);
        let boundary = Boundary::of(&surface);
        assert_eq!((boundary.edges.len(), boundary.cycle_count), (6, 1));
    }
}
