//! The one type that every pipeline ends in: walkable ground as polygons with holes.
//!
//! Plan positions are lattice points of the surface's frame; a face's heights follow from its plane,
//! so height is never stored twice. Every edge knows what lies there and, where the agent can go on,
//! its twin: the same plan segment, run the other way, in another face. Twins may lie at different
//! heights (a step).

use crate::context::{StageView, ViewEdge, ViewFace};
use glam::{DVec2, DVec3};
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::polygon::{Contour, Polygon, contour_area2};
use surefoot_geom::predicates::orient;
use surefoot_geom::triangulate::triangulate_polygon;
use surefoot_geom::{Frame, LatticePoint};
use surefoot_mesh::{AreaId, CellKind, EdgeClass, NO_EDGE};

/// A plane that is not vertical: a height over every plan position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A plan position on it, in metres.
    at: DVec2,
    /// Its height there, in metres.
    height_m: f64,
    /// How much it rises per metre along each horizontal axis.
    slope: DVec2,
}

impl Plane {
    /// The plane through a point with a normal that is not horizontal.
    #[must_use]
    pub fn through(point: DVec3, normal: DVec3) -> Self {
        Self { at: point.truncate(), height_m: point.z, slope: -normal.truncate() / normal.z }
    }

    /// The height over a plan position in metres.
    #[must_use]
    pub fn height_at_m(&self, p: DVec2) -> f64 {
        self.height_m + self.slope.dot(p - self.at)
    }

    /// The height over a lattice point, in metres.
    #[must_use]
    pub fn height_at(&self, p: LatticePoint) -> f64 {
        self.height_at_m(plan_m(p))
    }

    /// How much it rises per metre along each horizontal axis.
    #[must_use]
    pub fn slope(&self) -> DVec2 {
        self.slope
    }
}

/// A lattice point in metres.
#[must_use]
pub(crate) fn plan_m(p: LatticePoint) -> DVec2 {
    DVec2::new(f64::from(p.x), f64::from(p.y)) * M_PER_LATTICE
}

/// A lattice point in (floating) lattice units.
#[must_use]
pub(crate) fn plan_units(p: LatticePoint) -> DVec2 {
    DVec2::new(f64::from(p.x), f64::from(p.y))
}

/// The lattice point nearest to a plan position in metres.
#[must_use]
pub(crate) fn lattice_from_plan(p: DVec2) -> LatticePoint {
    LatticePoint::from_units(p.x * LATTICE_PER_M, p.y * LATTICE_PER_M)
}

/// An edge of a face; the face lies to its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceEdge {
    /// Where it starts; it ends where the next edge of its loop starts.
    pub from: LatticePoint,
    /// What lies there.
    pub class: EdgeClass,
    /// The opposite edge in the neighbouring face, counted over the whole surface, or [`NO_EDGE`].
    pub twin: u32,
}

/// A connected piece of ground in one plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// The outer loop, counter-clockwise, then holes, clockwise.
    pub loops: Vec<Vec<SurfaceEdge>>,
    /// Its heights.
    pub plane: Plane,
    /// What it is made of.
    pub kind: CellKind,
    /// Its area type.
    pub area: AreaId,
    /// The first of the source triangles that it came from.
    pub source: u32,
}

impl Face {
    /// A face whose edges have no neighbours yet.
    #[must_use]
    pub fn from_polygon(
        polygon: &Polygon,
        class_of: impl Fn(usize, usize) -> EdgeClass,
        like: &FaceOrigin,
    ) -> Self {
        let loops = polygon
            .contours
            .iter()
            .enumerate()
            .map(|(c, contour)| {
                contour
                    .iter()
                    .enumerate()
                    .map(|(i, &from)| SurfaceEdge { from, class: class_of(c, i), twin: NO_EDGE })
                    .collect()
            })
            .collect();
        Self { loops, plane: like.plane, kind: like.kind, area: like.area, source: like.source }
    }

    /// What it came from.
    #[must_use]
    pub fn origin(&self) -> FaceOrigin {
        FaceOrigin { plane: self.plane, kind: self.kind, area: self.area, source: self.source }
    }

    /// Its outline.
    #[must_use]
    pub fn polygon(&self) -> Polygon {
        Polygon {
            contours: self.loops.iter().map(|l| l.iter().map(|e| e.from).collect()).collect(),
        }
    }

    /// Twice its area in plan, in square lattice units.
    #[must_use]
    pub fn area2(&self) -> i128 {
        self.loops.iter().map(|l| loop_area2(l.iter().map(|e| e.from))).sum()
    }

    /// Its area in plan, in m².
    #[must_use]
    pub fn area_m2(&self) -> f64 {
        self.area2() as f64 * 0.5 * M_PER_LATTICE * M_PER_LATTICE
    }

    /// Number of edges in all loops.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.loops.iter().map(Vec::len).sum()
    }

    /// Whether it holds a point, its border counted in part.
    pub(crate) fn contains(&self, p: LatticePoint) -> bool {
        let mut inside = false;
        for (e, b) in self.edges() {
            let a = e.from;
            if (a.y > p.y) != (b.y > p.y) && (orient(a, b, p) > 0) == (b.y > a.y) {
                inside = !inside;
            }
        }
        inside
    }

    /// All edges with their end points, in order.
    pub fn edges(&self) -> impl Iterator<Item = (SurfaceEdge, LatticePoint)> + '_ {
        self.loops.iter().flat_map(|l| {
            l.iter().zip(l.iter().skip(1).chain(l.first())).map(|(e, n)| (*e, n.from))
        })
    }
}

/// Twice the area to the left of a closed line through some points, in square lattice units. Exact.
pub(crate) fn loop_area2(mut points: impl Iterator<Item = LatticePoint>) -> i128 {
    let Some(first) = points.next() else { return 0 };
    // In triangles around the first point.
    let mut before = first;
    let mut sum = 0;
    for p in points {
        sum += orient(first, before, p);
        before = p;
    }
    sum
}

/// A level face at height zero, for tests.
#[cfg(test)]
pub(crate) fn level_face(corners: &[(i32, i32)]) -> Face {
    let contour = corners.iter().map(|&(x, y)| LatticePoint::new(x, y)).collect();
    let origin = FaceOrigin {
        plane: Plane::through(DVec3::ZERO, DVec3::Z),
        kind: CellKind::Ground,
        area: AreaId(0),
        source: 0,
    };
    Face::from_polygon(&Polygon::from_contour(contour), |_, _| EdgeClass::Open, &origin)
}

/// What a face keeps when it is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceOrigin {
    /// Its heights.
    pub plane: Plane,
    /// What it is made of.
    pub kind: CellKind,
    /// Its area type.
    pub area: AreaId,
    /// The first of the source triangles that it came from.
    pub source: u32,
}

/// Walkable ground over one frame.
#[derive(Clone, Debug)]
pub struct WalkableSurface {
    /// Between the user's frame and the surface's.
    pub frame: Frame,
    /// The faces. Edges are counted through all faces and loops in order.
    pub faces: Vec<Face>,
    /// The names of the area types.
    pub area_names: Vec<String>,
}

impl WalkableSurface {
    /// The first edge of each face, and one past the last at the end.
    #[must_use]
    pub fn first_edges(&self) -> Vec<u32> {
        let mut firsts = Vec::with_capacity(self.faces.len() + 1);
        let mut count = 0;
        firsts.push(0);
        for face in &self.faces {
            count += face.edge_count() as u32;
            firsts.push(count);
        }
        firsts
    }

    /// The connected component of every face and how many there are; components are numbered by
    /// their first face.
    #[must_use]
    pub fn components(&self) -> (Vec<u32>, u32) {
        let firsts = self.first_edges();
        let face_of = |edge: u32| firsts.partition_point(|&f| f <= edge) as u32 - 1;
        let mut sets = DisjointSets::new(self.faces.len());
        let mut edge = 0;
        for (f, face) in self.faces.iter().enumerate() {
            for e in face.loops.iter().flatten() {
                if e.twin != NO_EDGE && e.twin > edge {
                    sets.join(f as u32, face_of(e.twin));
                }
                edge += 1;
            }
        }
        sets.number()
    }

    /// What a person would look at.
    #[must_use]
    pub fn view(&self) -> StageView {
        let (components, _) = self.components();
        let mut view = StageView { up: self.frame.up(), ..StageView::default() };
        for (face, component) in self.faces.iter().zip(components) {
            let at = |p: LatticePoint| {
                self.frame.user_from_canonical(plan_m(p).extend(face.plane.height_at(p)))
            };
            let polygon = face.polygon();
            let convex = polygon.contours.len() == 1 && polygon.contours[0].len() == 3;
            view.faces.push(ViewFace {
                loops: polygon
                    .contours
                    .iter()
                    .map(|c| c.iter().map(|p| at(*p)).collect())
                    .collect(),
                triangles: if convex {
                    Vec::new()
                } else {
                    triangulate_polygon(&polygon).unwrap_or_default()
                },
                kind: face.kind,
                area: face.area,
                component: Some(component),
            });
            for (e, end) in face.edges() {
                view.edges.push(ViewEdge { from: at(e.from), to: at(end), class: e.class });
            }
        }
        view
    }

    /// Says which promise is broken, if one is: loops of three points or more that turn the right
    /// way, and twins that are each other's, in plan the same segment and in different faces.
    pub fn check_invariants(&self) -> Result<(), String> {
        let mut all: Vec<(LatticePoint, LatticePoint, u32, usize)> = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            for (l, edges) in face.loops.iter().enumerate() {
                let contour: Contour = edges.iter().map(|e| e.from).collect();
                let area2 = contour_area2(&contour);
                if contour.len() < 3 || (l == 0) != (area2 > 0) {
                    return Err(format!(
                        "face {f}, loop {l}: {} points, area {area2}",
                        contour.len()
                    ));
                }
            }
            for (e, end) in face.edges() {
                if e.from == end {
                    return Err(format!("face {f} has an edge without length at {end:?}"));
                }
                all.push((e.from, end, e.twin, f));
            }
        }
        for (i, &(from, end, twin, face)) in all.iter().enumerate() {
            if twin == NO_EDGE {
                continue;
            }
            let Some(&(other_from, other_end, back, other_face)) = all.get(twin as usize) else {
                return Err(format!("edge {i} of face {face} names edge {twin}, which is none"));
            };
            if back as usize != i || other_face == face || (other_from, other_end) != (end, from) {
                return Err(format!("edge {i} of face {face} and its twin {twin} do not agree"));
            }
        }
        Ok(())
    }
}

/// The class that a label of the overlay stands for.
pub(crate) fn class_of_label(label: u32) -> EdgeClass {
    [
        EdgeClass::Inner,
        EdgeClass::Step,
        EdgeClass::Open,
        EdgeClass::Blocked,
        EdgeClass::InnerWall,
        EdgeClass::Gap,
    ]
    .into_iter()
    .find(|c| *c as u32 == label)
    .unwrap_or(EdgeClass::Blocked)
}

/// Disjoint sets with a numbering that depends on membership alone.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    pub(crate) fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Adds a set of one member; returns its number.
    pub(crate) fn push(&mut self) -> u32 {
        let number = self.parent.len() as u32;
        self.parent.push(number);
        number
    }

    #[inline]
    pub(crate) fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    /// Joins two sets; the smaller number leads.
    #[inline]
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        // The most common case where members come in order.
        if self.parent[a as usize] == self.parent[b as usize] {
            return;
        }
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// A number for every member, counted in the order of each set's first member.
    pub(crate) fn number(mut self) -> (Vec<u32>, u32) {
        let mut numbers = vec![u32::MAX; self.parent.len()];
        let mut count = 0;
        for i in 0..self.parent.len() as u32 {
            let root = self.find(i) as usize;
            if numbers[root] == u32::MAX {
                numbers[root] = count;
                count += 1;
            }
            numbers[i as usize] = numbers[root];
        }
        (numbers, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles around the first point add up to what the contour holds, as far apart as the lattice allows.
    #[test]
    fn areas_of_loops_are_those_of_contours() {
        let (lo, hi) = (i32::MIN, i32::MAX);
        let corners = [(0, 0), (hi, lo), (hi, hi), (7, 3), (lo, hi), (lo, lo), (-9, 4)];
        for count in 0..=corners.len() {
            let contour: Contour =
                corners[..count].iter().map(|&(x, y)| LatticePoint::new(x, y)).collect();
            assert_eq!(loop_area2(contour.iter().copied()), contour_area2(&contour));
        }
    }
}
