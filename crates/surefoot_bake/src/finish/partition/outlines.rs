//! From faces to the outlines that are partitioned: what was modelled apart is joined.
//!
//! Goes in: a walkable surface. Comes out: polygons with holes whose corners know their heights.
//! Either every face is one outline, or faces of one kind and area type that meet across inner edges
//! and lie in one plane within a tolerance are joined, so that cells are not bound to the seams of
//! the model. Steps stay borders.

use crate::ids::SurfaceEdgeId;
use crate::surface::{Face, Plane, WalkableSurface};
use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::Polygon;
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

/// An edge of an outline: an edge of the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutlineEdge {
    pub(super) from: LatticePoint,
    pub(super) height_m: f64,
    pub(super) class: EdgeClass,
    pub(super) divides: bool,
    /// Its number among the surface's edges.
    pub(super) surface_edge: u32,
}

/// A polygon with holes.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub(super) loops: Vec<Vec<OutlineEdge>>,
    pub(super) plane: Plane,
    pub(super) kind: CellKind,
    pub(super) area: AreaId,
    /// The faces it is made of.
    pub(super) faces: Vec<u32>,
}

impl Outline {
    /// A face as it is.
    pub(super) fn from_face(face: &Face, index: u32, first_edge: u32) -> Self {
        let mut id = first_edge;
        let loops = face
            .loops
            .iter()
            .map(|edges| {
                edges
                    .iter()
                    .map(|e| {
                        id += 1;
                        OutlineEdge {
                            from: e.from,
                            height_m: face.plane.height_at(e.from),
                            class: e.class,
                            divides: e.divides,
                            surface_edge: id - 1,
                        }
                    })
                    .collect()
            })
            .collect();
        Self { loops, plane: face.plane, kind: face.kind, area: face.area, faces: vec![index] }
    }

    pub(super) fn polygon(&self) -> Polygon {
        Polygon {
            contours: self.loops.iter().map(|l| l.iter().map(|e| e.from).collect()).collect(),
        }
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = (OutlineEdge, LatticePoint)> + '_ {
        self.loops.iter().flat_map(|l| {
            l.iter().zip(l.iter().skip(1).chain(l.first())).map(|(e, n)| (*e, n.from))
        })
    }
}

/// Every face an outline of its own.
pub(super) fn outlines_of_faces(surface: &WalkableSurface) -> Vec<Outline> {
    let firsts = surface.first_edges();
    (surface.faces.iter().enumerate())
        .map(|(f, face)| Outline::from_face(face, f as u32, firsts[f]))
        .collect()
}

/// Joins faces whose corners lie within `tolerance_m` of the plane of the largest of them.
pub(super) fn join_faces(surface: &WalkableSurface, tolerance_m: f64) -> Vec<Outline> {
    let edges = SurfaceEdges::new(surface);
    let faces = &surface.faces;
    let mut order: Vec<(i128, u32)> =
        faces.iter().enumerate().map(|(f, face)| (-face.area2(), f as u32)).collect();
    order.sort_unstable();
    let mut lead_of = vec![u32::MAX; faces.len()];
    let mut outlines = Vec::new();
    let mut queue = Vec::new();
    for (_, lead) in order {
        if lead_of[lead as usize] != u32::MAX {
            continue;
        }
        let (plane, kind, area) = {
            let face = &faces[lead as usize];
            (face.plane, face.kind, face.area)
        };
        lead_of[lead as usize] = lead;
        let mut members = vec![lead];
        queue.push(lead);
        while let Some(f) = queue.pop() {
            for e in edges.of(f) {
                let goes_on = edges.goes_on(e as usize);
                let Some(twin) = edges.twin[e as usize].filter(|_| goes_on) else { continue };
                let g = edges.face[twin.index()];
                let other = &faces[g as usize];
                let fits = |p: LatticePoint| {
                    (other.plane.height_at(p) - plane.height_at(p)).abs() <= tolerance_m
                };
                if lead_of[g as usize] == u32::MAX
                    && other.kind == kind
                    && other.area == area
                    && other.loops.iter().flatten().all(|e| fits(e.from))
                {
                    lead_of[g as usize] = lead;
                    members.push(g);
                    queue.push(g);
                }
            }
        }
        members.sort_unstable();
        outlines.push((lead, members));
    }
    // In the order of the first face, so that cells lie near each other as faces do.
    outlines.sort_unstable_by_key(|o| o.1[0]);
    outlines
        .into_iter()
        .map(|(lead, members)| {
            if members.len() == 1 {
                let first = edges.firsts[lead as usize];
                Outline::from_face(&faces[lead as usize], lead, first)
            } else {
                edges.outline(surface, lead, members, &lead_of)
            }
        })
        .collect()
}

/// The surface's edges by their numbers.
struct SurfaceEdges {
    firsts: Vec<u32>,
    face: Vec<u32>,
    next: Vec<u32>,
    twin: Vec<Option<SurfaceEdgeId>>,
    class: Vec<EdgeClass>,
    divides: Vec<bool>,
    from: Vec<LatticePoint>,
}

impl SurfaceEdges {
    fn new(surface: &WalkableSurface) -> Self {
        let firsts = surface.first_edges();
        let count = *firsts.last().unwrap_or(&0) as usize;
        let mut edges = Self {
            firsts,
            face: Vec::with_capacity(count),
            next: Vec::with_capacity(count),
            twin: Vec::with_capacity(count),
            class: Vec::with_capacity(count),
            divides: Vec::with_capacity(count),
            from: Vec::with_capacity(count),
        };
        for (f, face) in surface.faces.iter().enumerate() {
            for l in &face.loops {
                let first = edges.face.len() as u32;
                for (i, e) in l.iter().enumerate() {
                    let last = i + 1 == l.len();
                    edges.next.push(if last { first } else { first + i as u32 + 1 });
                    edges.face.push(f as u32);
                    edges.twin.push(e.twin);
                    edges.class.push(e.class);
                    edges.divides.push(e.divides);
                    edges.from.push(e.from);
                }
            }
        }
        edges
    }

    /// Whether one outline may go on across an edge, as far as its side knows.
    fn goes_on(&self, edge: usize) -> bool {
        self.class[edge] == EdgeClass::Inner && !self.divides[edge]
    }

    fn of(&self, face: u32) -> std::ops::Range<u32> {
        self.firsts[face as usize]..self.firsts[face as usize + 1]
    }

    /// The outline of joined faces: from border to border around every corner.
    fn outline(
        &self,
        surface: &WalkableSurface,
        lead: u32,
        members: Vec<u32>,
        lead_of: &[u32],
    ) -> Outline {
        // What lies across an edge within the outline.
        let across = |e: u32| {
            let twin = self.twin[e as usize]?;
            let is_inside = self.goes_on(e as usize)
                && self.goes_on(twin.index())
                && lead_of[self.face[twin.index()] as usize] == lead;
            is_inside.then_some(twin)
        };
        let is_border = |e: u32| across(e).is_none();
        // Members are sorted, so an edge's place among theirs is found by its face.
        let mut places = Vec::with_capacity(members.len());
        let mut total = 0;
        for &f in &members {
            places.push(total);
            total += self.of(f).len();
        }
        let place = |e: u32| {
            let f = self.face[e as usize];
            let at = members.partition_point(|&m| m < f);
            places[at] + (e - self.firsts[f as usize]) as usize
        };
        let mut done = vec![false; total];
        let mut loops = Vec::new();
        for start in members.iter().flat_map(|&f| self.of(f)) {
            if !is_border(start) || done[place(start)] {
                continue;
            }
            let mut edges = Vec::new();
            let mut e = start;
            // Every border edge comes once: the steps are bounded by their number.
            while !done[place(e)] {
                done[place(e)] = true;
                let plane = &surface.faces[self.face[e as usize] as usize].plane;
                edges.push(OutlineEdge {
                    from: self.from[e as usize],
                    height_m: plane.height_at(self.from[e as usize]),
                    class: self.class[e as usize],
                    divides: self.divides[e as usize],
                    surface_edge: e,
                });
                let mut turned = 0;
                e = self.next[e as usize];
                while let Some(twin) = across(e)
                    && turned <= total
                {
                    e = self.next[twin.index()];
                    turned += 1;
                }
                if turned > total {
                    break;
                }
            }
            loops.push(edges);
        }
        let face = &surface.faces[lead as usize];
        Outline { loops, plane: face.plane, kind: face.kind, area: face.area, faces: members }
    }
}
