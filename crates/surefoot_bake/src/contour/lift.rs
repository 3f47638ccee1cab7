//! Lifts regions into a walkable surface.
//!
//! Goes in: simplified contours and heights. Comes out: triangles in space that share whole edges,
//! each a face of its own; the partition that follows joins those in one plane. Neighbours across a
//! border, and across a break of the ground, are twins; at different heights that is a step (Saupin et
//! al. 2013, §5.2, where such neighbours are links of a graph).

use crate::context::StageContext;
use crate::contour::add_detail::add_detail;
use crate::contour::chain::Contours;
use crate::contour::chain::NO_REGION;
use crate::contour::region_mesh::{NONE, RegionEdge, RegionMesh};
use crate::error::BakeError;
use crate::heightfield::grid::Grid;
use crate::ids::SurfaceEdgeId;
use crate::report::Warning;
use crate::surface::{Face, Plane, SurfaceEdge, WalkableSurface, plan_m};
use glam::DVec3;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::threads::prelude::*;
use surefoot_geom::{Frame, LatticePoint};
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

/// Neighbours whose heights differ by less meet at one height, in lattice units: 1.5 mm.
const SAME_HEIGHT_UNITS: i64 = 98;

/// What the surface is lifted into.
pub(crate) struct LiftFrame<'a> {
    pub(crate) frame: Frame,
    pub(crate) grid: &'a Grid,
    pub(crate) area_names: Vec<String>,
    /// How far the surface may lie from measured heights, in lattice units.
    pub(crate) height_error: f64,
    /// What the ground is made of in a triangle of a plane: regions hold more than one kind.
    pub(crate) kind_of: &'a dyn Fn([LatticePoint; 3], &Plane) -> CellKind,
}

pub(crate) fn lift(
    contours: Contours,
    into: LiftFrame<'_>,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let (edges, classes) = edges_of_regions(&contours);
    let meshes: Vec<Option<(RegionMesh, Vec<u32>)>> = edges
        .par_iter()
        .zip(&contours.samples)
        .map(|(edges, samples)| {
            let mut mesh = RegionMesh::new(edges)?;
            let parts = add_detail(&mut mesh, samples, into.height_error);
            Some((mesh, parts))
        })
        .collect();
    context.check_cancelled()?;
    let count = meshes.iter().flatten().map(|(m, _)| m.triangles.len()).sum::<usize>() * 3;
    if count >= u32::MAX as usize {
        return Err(BakeError::TooLarge { what: "edges", count });
    }
    // Where each side of each chain's edges is found among the surface's edges.
    let mut edge_of_name: Vec<Option<SurfaceEdgeId>> = vec![None; classes.len() * 2];
    let mut faces: Vec<Face> = Vec::with_capacity(count / 3);
    let mut heights: Vec<[i32; 2]> = Vec::with_capacity(count);
    for (region, mesh) in meshes.iter().enumerate() {
        let Some((mesh, parts)) = mesh else {
            warn_lost(region, &edges[region], &into, context);
            continue;
        };
        let first = faces.len() as u32;
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let points = triangle.corners.map(|c| {
                let [x, y] = mesh.points[c as usize];
                into.grid.point_from_halves(x, y)
            });
            let edge = |k: usize| {
                let mut edge = SurfaceEdge {
                    from: points[k],
                    class: EdgeClass::Inner,
                    twin: None,
                    divides: false,
                };
                let id = |t: u32, k: usize| SurfaceEdgeId::new((first + t) * 3 + k as u32);
                let (named, n) = (triangle.edges[k], triangle.neighbours[k]);
                if named != NONE {
                    let name = edges[region][named as usize].name;
                    edge.class = classes[name as usize / 2];
                    edge_of_name[name as usize] = Some(id(t as u32, k));
                } else if n != NONE {
                    let side = mesh.triangles[n as usize].side_against(triangle, k);
                    edge.twin = side.map(|j| id(n, j));
                    edge.divides = !parts.is_empty() && parts[t] != parts[n as usize];
                }
                edge
            };
            let loops = vec![[0, 1, 2].map(edge).to_vec()];
            let corners: [DVec3; 3] = std::array::from_fn(|k| {
                plan_m(points[k]).extend(f64::from(triangle.heights[k]) * M_PER_LATTICE)
            });
            for k in 0..3 {
                heights.push([triangle.heights[k], triangle.heights[(k + 1) % 3]]);
            }
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let plane = Plane::through(corners[0], normal);
            faces.push(Face {
                loops,
                plane,
                kind: (into.kind_of)(points, &plane),
                area: AreaId(contours.areas[region]),
                source: None,
            });
        }
    }
    join_named(&mut faces, &edge_of_name, &heights);
    let surface = WalkableSurface { frame: into.frame, faces, area_names: into.area_names };
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    context.count("triangles", surface.faces.len());
    Ok(surface)
}

/// The edges of every region with the region on their left, and the classes of all edges.
pub(crate) fn edges_of_regions(contours: &Contours) -> (Vec<Vec<RegionEdge>>, Vec<EdgeClass>) {
    let mut edges: Vec<Vec<RegionEdge>> = vec![Vec::new(); contours.areas.len()];
    let mut classes = Vec::new();
    for chain in &contours.chains {
        let n = chain.points.len();
        for i in 0..chain.edge_count() {
            let (p, q) = (chain.points[i], chain.points[(i + 1) % n]);
            let name = classes.len() as u32 * 2;
            classes.push(chain.classes[i]);
            let ends = [[2 * p.x, 2 * p.y], [2 * q.x, 2 * q.y]];
            let inside = chain.left == chain.right;
            edges[chain.left as usize].push(RegionEdge {
                ends,
                heights: [p.left, q.left],
                name,
                inside,
            });
            if chain.right != NO_REGION {
                edges[chain.right as usize].push(RegionEdge {
                    ends: [ends[1], ends[0]],
                    heights: [q.right, p.right],
                    name: name + 1,
                    inside,
                });
            }
        }
    }
    (edges, classes)
}

/// Makes the two sides of every border twins.
fn join_named(faces: &mut [Face], edge_of_name: &[Option<SurfaceEdgeId>], heights: &[[i32; 2]]) {
    for pair in edge_of_name.chunks_exact(2) {
        let [left, right] = [pair[0], pair[1]];
        for (here, there) in [(left, right), (right, left)] {
            let Some(here) = here else { continue };
            let edge = &mut faces[here.index() / 3].loops[0][here.index() % 3];
            let Some(there) = there else {
                if edge.class == EdgeClass::Inner {
                    edge.class = EdgeClass::Open;
                }
                continue;
            };
            let (h, t) = (heights[here.index()], heights[there.index()]);
            let apart = |a: i32, b: i32| (i64::from(a) - i64::from(b)).abs();
            let step = apart(h[0], t[1]).max(apart(h[1], t[0])) > SAME_HEIGHT_UNITS;
            edge.twin = Some(there);
            edge.class = if step { EdgeClass::Step } else { EdgeClass::Inner };
        }
    }
}

fn warn_lost(
    region: usize,
    edges: &[RegionEdge],
    into: &LiftFrame<'_>,
    context: &mut StageContext<'_>,
) {
    let Some(edge) = edges.first() else { return };
    let p = into.grid.point_from_halves(edge.ends[0][0], edge.ends[0][1]);
    let z = f64::from(edge.heights[0]) * M_PER_LATTICE;
    let at = into.frame.user_from_canonical(plan_m(p).extend(z).to_array());
    context.warn(Warning::FaceLost { face: region as u32, at, stage: "lift" });
}
