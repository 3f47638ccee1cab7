//! Faces of a surface and their edges.

use crate::ids::{SurfaceEdgeId, TriangleId};
use crate::surface::plane::Plane;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::polygon::Polygon;
use surefoot_geom::predicates::orient;
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

/// An edge of a face; the face lies to its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SurfaceEdge<T = SurfaceEdgeId> {
    /// Where it starts; it ends where the next edge of its loop starts.
    pub(crate) from: LatticePoint,
    /// What lies there.
    pub(crate) class: EdgeClass,
    /// The opposite edge in the neighbouring face, where the agent can go on.
    pub(crate) twin: Option<T>,
    /// Whether cells must end here though the ground goes on: a border between parts.
    pub(crate) divides: bool,
}

/// What a face keeps when it is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FaceOrigin {
    /// Its heights.
    pub(crate) plane: Plane,
    /// What it is made of.
    pub(crate) kind: CellKind,
    /// Its area type.
    pub(crate) area: AreaId,
    /// The first of the source triangles that it came from, where it came from some.
    pub(crate) source: Option<TriangleId>,
}

/// A connected piece of ground in one plane. `T` is how twins are known: by the numbers of edges, or
/// while faces change, by marks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Face<T = SurfaceEdgeId> {
    /// The outer loop, counter-clockwise, then holes, clockwise.
    pub(crate) loops: Vec<Vec<SurfaceEdge<T>>>,
    /// Its heights.
    pub(crate) plane: Plane,
    /// What it is made of.
    pub(crate) kind: CellKind,
    /// Its area type.
    pub(crate) area: AreaId,
    /// The first of the source triangles that it came from, where it came from some.
    pub(crate) source: Option<TriangleId>,
}

impl<T: Copy> Face<T> {
    /// A face whose edges have no neighbours yet.
    #[must_use]
    pub(crate) fn from_polygon(
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
                    .map(|(i, &from)| SurfaceEdge {
                        from,
                        class: class_of(c, i),
                        twin: None,
                        divides: false,
                    })
                    .collect()
            })
            .collect();
        Self { loops, plane: like.plane, kind: like.kind, area: like.area, source: like.source }
    }

    /// What it came from.
    #[must_use]
    pub(crate) fn origin(&self) -> FaceOrigin {
        FaceOrigin { plane: self.plane, kind: self.kind, area: self.area, source: self.source }
    }

    /// Its outline.
    #[must_use]
    pub(crate) fn polygon(&self) -> Polygon {
        Polygon {
            contours: self.loops.iter().map(|l| l.iter().map(|e| e.from).collect()).collect(),
        }
    }

    /// Twice its area in plan, in square lattice units.
    #[must_use]
    pub(crate) fn area2(&self) -> i128 {
        self.loops.iter().map(|l| loop_area2(l.iter().map(|e| e.from))).sum()
    }

    /// Its area in plan, in m².
    #[must_use]
    pub(crate) fn area_m2(&self) -> f64 {
        self.area2() as f64 * 0.5 * M_PER_LATTICE * M_PER_LATTICE
    }

    /// Number of edges in all loops.
    #[must_use]
    pub(crate) fn edge_count(&self) -> usize {
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
    pub(crate) fn edges(&self) -> impl Iterator<Item = (SurfaceEdge<T>, LatticePoint)> + '_ {
        self.loops.iter().flat_map(|l| {
            l.iter().zip(l.iter().skip(1).chain(l.first())).map(|(e, n)| (*e, n.from))
        })
    }

    /// The same face, its twins known in another way.
    pub(crate) fn with_twins<U>(self, mut known: impl FnMut(Option<T>) -> Option<U>) -> Face<U> {
        let mut edge = |e: SurfaceEdge<T>| SurfaceEdge {
            from: e.from,
            class: e.class,
            twin: known(e.twin),
            divides: e.divides,
        };
        Face {
            loops: self.loops.into_iter().map(|l| l.into_iter().map(&mut edge).collect()).collect(),
            plane: self.plane,
            kind: self.kind,
            area: self.area,
            source: self.source,
        }
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
pub(crate) fn level_face<T: Copy>(corners: &[(i32, i32)]) -> Face<T> {
    let contour = corners.iter().map(|&(x, y)| LatticePoint::new(x, y)).collect();
    let origin = FaceOrigin {
        plane: Plane::through(glam::DVec3::ZERO, glam::DVec3::Z),
        kind: CellKind::Ground,
        area: AreaId(0),
        source: None,
    };
    Face::from_polygon(&Polygon::from_contour(contour), |_, _| EdgeClass::Open, &origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_geom::polygon::{Contour, contour_area2};

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
