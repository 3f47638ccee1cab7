//! Lays fillers into the surface.
//!
//! Goes in: a surface and triangles of fillers with lattice corners. Comes out: the surface with faces
//! of kind gap, every edge with its neighbour. The ground keeps its shape: an edge is split only in
//! points that lie on it, and where fillers have corners beside an edge, an apron lies between.

use crate::finish::fill_gaps::boundary::Boundary;
use crate::finish::fill_gaps::splits::{EdgeCuts, cut_edge};
use crate::ids::SurfaceEdgeId;
use crate::surface::{Face, Plane, SurfaceEdge, WalkableSurface, plan_m};
use std::collections::BTreeMap;
use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::{Polygon, contour_area2};
use surefoot_geom::predicates::orient;
use surefoot_geom::triangulate::{points_in_order, triangulate_polygon};
use surefoot_mesh::{CellKind, EdgeClass};

/// A corner of a filler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FillerCorner {
    pub(crate) point: LatticePoint,
    pub(crate) height_m: f64,
}

/// Fillers to be laid.
#[derive(Debug, Default)]
pub(crate) struct Fillers {
    /// Counter-clockwise triangles, each with a boundary edge whose ground it takes its area type from.
    pub(crate) triangles: Vec<([FillerCorner; 3], u32)>,
    /// Corners of fillers along boundary edges, by edge.
    pub(crate) corners: BTreeMap<u32, Vec<LatticePoint>>,
}

impl Fillers {
    /// Adds a polygon as triangles; one that is no valid polygon is left out.
    pub(crate) fn add_polygon(
        &mut self,
        polygon: &Polygon,
        edge: u32,
        height_m: impl Fn(LatticePoint) -> f64,
    ) {
        let points: Vec<LatticePoint> = points_in_order(polygon).collect();
        let corner = |i: u32| {
            let point = points[i as usize];
            FillerCorner { point, height_m: height_m(point) }
        };
        for t in triangulate_polygon(polygon).unwrap_or_default() {
            self.add(t.map(corner), edge);
        }
    }

    /// Adds a triangle, unless it has no area in plan.
    pub(crate) fn add(&mut self, corners: [FillerCorner; 3], edge: u32) -> bool {
        let [a, b, c] = corners.map(|c| c.point);
        let turns = orient(a, b, c) > 0;
        if turns {
            self.triangles.push((corners, edge));
        }
        turns
    }
}

/// The surface with fillers, and the face of the first triangle; the others follow in order. Heights of
/// edges that become neighbours differ by at most `climb_m`.
pub(crate) fn lay(
    mut surface: WalkableSurface,
    boundary: &Boundary,
    fillers: &Fillers,
    climb_m: f64,
) -> (WalkableSurface, u32) {
    let is_filler = |e: u32| surface.faces[boundary.edge(e).face as usize].kind == CellKind::Gap;
    let cuts: BTreeMap<u32, EdgeCuts> = (fillers.corners.iter())
        .map(|(&e, points)| (e, cut_edge(boundary, e, points, is_filler(e))))
        .collect();
    let by_surface_edge: BTreeMap<u32, &EdgeCuts> =
        cuts.iter().map(|(&e, cuts)| (boundary.edge(e).surface_edge, cuts)).collect();
    split_edges(&mut surface, &by_surface_edge);
    for apron in cuts.values().flat_map(|c| &c.aprons) {
        // Corners that rounding has put in another order than along the edge leave no polygon.
        if contour_area2(&apron.corners) <= 0 {
            continue;
        }
        let origin = surface.faces[boundary.edge(apron.edge).face as usize].origin();
        let polygon = Polygon::from_contour(apron.corners.clone());
        let mut face = Face::from_polygon(&polygon, |_, _| EdgeClass::Gap, &origin);
        face.kind = CellKind::Gap;
        surface.faces.push(face);
    }
    let first_triangle = surface.faces.len() as u32;
    for (corners, edge) in &fillers.triangles {
        let [p, q, r] = corners.map(|c| plan_m(c.point).extend(c.height_m));
        let mut origin = surface.faces[boundary.edge(*edge).face as usize].origin();
        origin.kind = CellKind::Gap;
        origin.plane = Plane::through(p, (q - p).cross(r - p));
        let polygon = Polygon::from_contour(corners.map(|c| c.point).to_vec());
        surface.faces.push(Face::from_polygon(&polygon, |_, _| EdgeClass::Gap, &origin));
    }
    pair_with_fillers(&mut surface, climb_m);
    (surface, first_triangle)
}

/// Splits boundary edges in points that lie on them, and numbers neighbours anew.
fn split_edges(surface: &mut WalkableSurface, cuts: &BTreeMap<u32, &EdgeCuts>) {
    // The new number of every edge.
    let mut renumbered: Vec<SurfaceEdgeId> = Vec::new();
    let mut count = 0_u32;
    for edges in surface.faces.iter_mut().flat_map(|f| &mut f.loops) {
        let mut split = Vec::with_capacity(edges.len());
        for e in edges.iter() {
            let old = renumbered.len() as u32;
            renumbered.push(SurfaceEdgeId::new(count + split.len() as u32));
            split.push(*e);
            let points = cuts.get(&old).map_or(&[][..], |c| &c.points);
            split.extend(points.iter().map(|&from| SurfaceEdge {
                from,
                class: e.class,
                twin: None,
                divides: false,
            }));
        }
        count += split.len() as u32;
        *edges = split;
    }
    for e in surface.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
        e.twin = e.twin.map(|twin| renumbered[twin.index()]);
    }
}

/// An edge that may get a neighbour.
struct Loose {
    low: LatticePoint,
    high: LatticePoint,
    /// Whether it runs from the lower point to the higher one.
    forwards: bool,
    /// Heights at the lower and at the higher point, in metres.
    heights_m: [f64; 2],
    edge: u32,
    face: u32,
}

/// Makes neighbours of fillers' edges and whatever edge without one coincides with them.
fn pair_with_fillers(surface: &mut WalkableSurface, climb_m: f64) {
    let mut loose: Vec<Loose> = Vec::new();
    let mut number = 0_u32;
    for (f, face) in surface.faces.iter().enumerate() {
        for (e, to) in face.edges() {
            if e.twin.is_none() {
                let forwards = e.from < to;
                let (low, high) = if forwards { (e.from, to) } else { (to, e.from) };
                loose.push(Loose {
                    low,
                    high,
                    forwards,
                    heights_m: [face.plane.height_at(low), face.plane.height_at(high)],
                    edge: number,
                    face: f as u32,
                });
            }
            number += 1;
        }
    }
    loose.sort_by_key(|l| (l.low, l.high, l.edge));
    let is_gap = |l: &Loose| surface.faces[l.face as usize].kind == CellKind::Gap;
    let mut twins: Vec<(u32, u32, bool)> = Vec::new();
    for group in loose.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (i, a) in group.iter().enumerate() {
            for (j, b) in group.iter().enumerate().skip(i + 1) {
                let apart_m =
                    (0..2).map(|k| (a.heights_m[k] - b.heights_m[k]).abs()).fold(0.0, f64::max);
                if (is_gap(a) || is_gap(b))
                    && a.forwards != b.forwards
                    && a.face != b.face
                    && apart_m <= climb_m
                {
                    pairs.push((apart_m, i, j));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut taken = vec![false; group.len()];
        for (_, i, j) in pairs {
            if !taken[i] && !taken[j] {
                (taken[i], taken[j]) = (true, true);
                let inner = is_gap(&group[i]) && is_gap(&group[j]);
                twins.push((group[i].edge, group[j].edge, inner));
                twins.push((group[j].edge, group[i].edge, inner));
            }
        }
    }
    twins.sort_unstable();
    let mut twins = twins.into_iter().peekable();
    let all = surface.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten());
    for (number, e) in all.enumerate() {
        if let Some((_, twin, inner)) = twins.next_if(|t| t.0 as usize == number) {
            e.twin = Some(SurfaceEdgeId::new(twin));
            e.class = if inner { EdgeClass::Inner } else { EdgeClass::Gap };
        }
    }
}
