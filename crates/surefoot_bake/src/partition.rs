//! From faces to cells: convex polygons, the same way for every pipeline.
//!
//! Goes in: a walkable surface. Comes out: convex cells that tile its faces and share full edges.
//! Faces are triangulated (constrained Delaunay) and triangles merged across edges that are not
//! needed (Hertel and Mehlhorn 1983), also across faces that lie in one plane within the height
//! tolerance.

mod merge_cells;

use crate::context::StageContext;
use crate::error::BakeError;
use crate::report::Warning;
use crate::settings::{CellShape, PartitionSettings};
use crate::surface::{Plane, WalkableSurface, plan_m};
use rayon::prelude::*;
use surefoot_geom::overlay::Overlayer;
use surefoot_geom::polygon::Polygon;
use surefoot_geom::triangulate::{points_in_order, triangulate_polygon};
use surefoot_geom::{Frame, LatticePoint};
use surefoot_mesh::{AreaId, CellKind, EdgeClass, NO_EDGE};

/// An edge of a cell; the cell lies to its left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CellEdge {
    pub(crate) from: LatticePoint,
    /// The height of its start in this cell, in metres.
    pub(crate) height_m: f64,
    pub(crate) class: EdgeClass,
    /// The opposite edge, counted through all cells, or [`NO_EDGE`].
    pub(crate) twin: u32,
}

/// A convex cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) edges: Vec<CellEdge>,
    pub(crate) kind: CellKind,
    pub(crate) area: AreaId,
    pub(crate) plane: Plane,
}

/// Cells that tile a surface.
#[derive(Debug)]
pub(crate) struct PartitionedSurface {
    pub(crate) frame: Frame,
    pub(crate) cells: Vec<Cell>,
    pub(crate) area_names: Vec<String>,
}

pub(crate) fn partition(
    surface: WalkableSurface,
    settings: &PartitionSettings,
    context: &mut StageContext<'_>,
) -> Result<PartitionedSurface, BakeError> {
    let triangles = triangulate(&surface, context)?;
    context.count("triangles", triangles.cells.len());
    let cells = match settings.cells {
        CellShape::Triangles => triangles,
        CellShape::Convex => merge_cells::merge_cells(triangles, settings),
    };
    context.count("cells", cells.cells.len());
    Ok(cells)
}

/// Every face as triangles, neighbours set.
fn triangulate(
    surface: &WalkableSurface,
    context: &mut StageContext<'_>,
) -> Result<PartitionedSurface, BakeError> {
    let firsts = surface.first_edges();
    let results: Vec<Option<(Vec<LatticePoint>, Vec<[u32; 3]>)>> = surface
        .faces
        .par_iter()
        .map_init(Overlayer::new, |overlayer, face| triangulate_face(&face.polygon(), overlayer))
        .collect();
    // Where each edge of the surface is found among the cells' edges, for twins across faces.
    let total: usize = results.iter().flatten().map(|(_, t)| t.len() * 3).sum();
    if total >= NO_EDGE as usize {
        return Err(BakeError::TooLarge { what: "edges", count: total });
    }
    let mut cell_edge_of = vec![NO_EDGE; *firsts.last().unwrap_or(&0) as usize];
    let mut surface_edge_of = vec![NO_EDGE; total];
    let mut cells = Vec::with_capacity(total / 3);
    for (f, (face, result)) in surface.faces.iter().zip(results).enumerate() {
        let Some((points, triangles)) = result else {
            let p = face.loops[0][0].from;
            let at = surface.frame.user_from_canonical(plan_m(p).extend(face.plane.height_at(p)));
            context.warn(Warning::FaceLost { face: f as u32, at, stage: "partition" });
            continue;
        };
        // Directed border edges by their ends; points may be named twice where loops touch.
        let mut border: Vec<(LatticePoint, LatticePoint, u32)> = face
            .edges()
            .enumerate()
            .map(|(i, (e, to))| (e.from, to, firsts[f] + i as u32))
            .collect();
        border.sort_unstable();
        let mut inner: Vec<(LatticePoint, LatticePoint, u32)> = Vec::new();
        for t in &triangles {
            let corners = t.map(|i| points[i as usize]);
            let edges = (0..3)
                .map(|k| {
                    let (a, b) = (corners[k], corners[(k + 1) % 3]);
                    let id = (cells.len() * 3 + k) as u32;
                    let height_m = face.plane.height_at(a);
                    let mut edge =
                        CellEdge { from: a, height_m, class: EdgeClass::Inner, twin: NO_EDGE };
                    match border.binary_search_by(|e| (e.0, e.1).cmp(&(a, b))) {
                        Ok(at) => {
                            let on_surface = border[at].2;
                            cell_edge_of[on_surface as usize] = id;
                            surface_edge_of[id as usize] = on_surface;
                            edge.class = face_edge(surface, f, on_surface - firsts[f]).0;
                        }
                        Err(_) => inner.push((a.min(b), a.max(b), id)),
                    }
                    edge
                })
                .collect();
            cells.push(Cell { edges, kind: face.kind, area: face.area, plane: face.plane });
        }
        inner.sort_unstable();
        for pair in inner.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if let [one, two] = pair {
                set_twin(&mut cells, one.2, two.2);
            } else {
                // Where a loop touches its own edge, that edge comes in two parts: a border.
                for &(_, _, id) in pair {
                    cells[id as usize / 3].edges[id as usize % 3].class = EdgeClass::Open;
                }
            }
        }
    }
    // Twins across faces.
    for f in 0..surface.faces.len() {
        for (i, e) in surface.faces[f].loops.iter().flatten().enumerate() {
            let here = cell_edge_of[firsts[f] as usize + i];
            if e.twin == NO_EDGE || here == NO_EDGE {
                continue;
            }
            let there = cell_edge_of[e.twin as usize];
            let cell = &mut cells[here as usize / 3];
            cell.edges[here as usize % 3].twin = there;
            if there == NO_EDGE {
                cell.edges[here as usize % 3].class = EdgeClass::Open;
            }
        }
    }
    Ok(PartitionedSurface { frame: surface.frame, cells, area_names: surface.area_names.clone() })
}

fn face_edge(surface: &WalkableSurface, face: usize, index: u32) -> (EdgeClass, u32) {
    let mut left = index as usize;
    for edges in &surface.faces[face].loops {
        if left < edges.len() {
            return (edges[left].class, edges[left].twin);
        }
        left -= edges.len();
    }
    (EdgeClass::Open, NO_EDGE)
}

fn set_twin(cells: &mut [Cell], one: u32, two: u32) {
    cells[one as usize / 3].edges[one as usize % 3].twin = two;
    cells[two as usize / 3].edges[two as usize % 3].twin = one;
}

/// A face's triangles. A face that crosses itself by a unit, after snapping, is mended first; what
/// cannot be triangulated even then is `None`.
fn triangulate_face(
    polygon: &Polygon,
    overlayer: &mut Overlayer,
) -> Option<(Vec<LatticePoint>, Vec<[u32; 3]>)> {
    if let Ok(triangles) = triangulate_polygon(polygon) {
        return Some((points_in_order(polygon).collect(), triangles));
    }
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for part in overlayer.settle(std::slice::from_ref(polygon)) {
        let base = points.len() as u32;
        triangles.extend(triangulate_polygon(&part).ok()?.into_iter().map(|t| t.map(|i| i + base)));
        points.extend(points_in_order(&part));
    }
    (!triangles.is_empty()).then_some((points, triangles))
}
