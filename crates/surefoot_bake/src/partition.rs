//! From faces to cells: convex polygons, the same way for every pipeline.
//!
//! Goes in: a walkable surface. Comes out: convex cells that tile its faces and share full edges.
//! Three ways stand behind one door: constrained Delaunay triangles; triangles merged across edges
//! that convexity does not need (Hertel and Mehlhorn 1983); and portals that split notches, on faces
//! joined beforehand (Oliva 2012, chapter 4), with what turned out dispensable merged away. Portals that
//! stay are slid where that leaves fewer cells or wider angles.

mod area_of_interest;
mod graph;
mod lay_portals;
mod merge_cells;
mod notches;
mod outlines;
mod polygon_partition;
mod portal_mesh;
mod quality;
mod relax;
mod slide_portals;
mod triangulate_outlines;

pub use graph::{CellPortalGraph, Portal};
pub use polygon_partition::{PolygonPartition, partition_polygon};
pub use quality::{ILL_CONDITIONED_SHARE, PartitionQuality};

use crate::context::StageContext;
use crate::error::BakeError;
use crate::partition::lay_portals::PortalCounts;
use crate::partition::merge_cells::{Slide, merge_cells};
use crate::partition::outlines::Outline;
use crate::settings::{CellShape, PartitionSettings};
use crate::surface::{DisjointSets, Plane, WalkableSurface, loop_area2};
use surefoot_geom::lattice::LATTICE_PER_M;
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

/// The share of the height tolerance within which faces lie in one plane and are joined. The ground
/// and the corners of a cell both keep to it, so that a cell stays within the whole tolerance.
const JOIN_SHARE: f64 = 0.5;

/// Ground with more outlines than this for every notch is curved: it comes in so many small planes
/// that merging triangles may make fewer cells than splitting notches.
const OUTLINES_PER_NOTCH: f64 = 0.5;

/// Surfaces of more outlines than this are merged at once: they are curved, and merging makes fewer
/// cells than notches, so there is no need to try both. Flat ground of any size is split at its notches,
/// at a cost that grows nearly as its vertices.
const OUTLINES_BY_NOTCHES: usize = 20_000;

/// Outlines of at most so many corners on the average are those of curved ground, most likely.
const CORNERS_OF_CURVED: usize = 6;

/// Connected cells smaller than this are no ground for anybody, in m².
const SPECK_M2: f64 = 1e-3;

/// Cuts a surface into cells.
pub(crate) fn partition(
    surface: WalkableSurface,
    settings: &PartitionSettings,
    context: &mut StageContext<'_>,
) -> Result<PartitionedSurface, BakeError> {
    partition_counted(surface, settings, context).map(|(partitioned, _)| partitioned)
}

fn partition_counted(
    surface: WalkableSurface,
    settings: &PartitionSettings,
    context: &mut StageContext<'_>,
) -> Result<(PartitionedSurface, PortalCounts), BakeError> {
    let mut counts = PortalCounts::default();
    let cells = match settings.cells {
        CellShape::Triangles => face_triangles(&surface, context)?,
        CellShape::HertelMehlhorn => {
            merge_cells(face_triangles(&surface, context)?, settings, Slide::Nothing)
        }
        CellShape::Notches => {
            let outlines = joined_outlines(&surface, settings, context);
            let (cells, found) = by_notches(&surface, outlines, settings, context)?;
            counts = found;
            cells
        }
        CellShape::Convex => {
            let outlines = joined_outlines(&surface, settings, context);
            let outline_count = outlines.len();
            if outline_count > OUTLINES_BY_NOTCHES {
                merge_cells(face_triangles(&surface, context)?, settings, Slide::Portals)
            } else {
                let cancel = context.cancel_flag();
                let split = |outlines| {
                    StageContext::beside(cancel, |c| by_notches(&surface, outlines, settings, c))
                };
                let merge = || {
                    StageContext::beside(cancel, |c| {
                        let triangles = face_triangles(&surface, c)?;
                        Ok::<_, BakeError>(merge_cells(triangles, settings, Slide::Portals))
                    })
                };
                // Merging is begun before it is known whether it is needed where it most likely is.
                let corners: usize = outlines.iter().map(|o| o.edges().count()).sum();
                let early = rayon::current_num_threads() > 1
                    && corners <= CORNERS_OF_CURVED * outline_count;
                let ((by_notches, report), merged) = match early {
                    true => rayon::join(|| split(outlines), || Some(merge())),
                    false => (split(outlines), None),
                };
                context.take_over(report);
                let (cells, found) = by_notches?;
                if outline_count as f64 <= OUTLINES_PER_NOTCH * found.notches as f64 {
                    counts = found;
                    cells
                } else {
                    let (merged, report) = merged.unwrap_or_else(merge);
                    context.take_over(report);
                    let merged = merged?;
                    if merged.len() < cells.len() { merged } else { cells }
                }
            }
        }
    };
    let WalkableSurface { frame, area_names, .. } = surface;
    let partitioned = PartitionedSurface { frame, cells, area_names };
    partitioned.count_quality(context);
    Ok((partitioned, counts))
}

impl PartitionedSurface {
    /// Drops connected cells of less than an area, at least specks. Faces that hang together in one
    /// point fall apart here: nobody walks through a point.
    pub(crate) fn drop_small(&mut self, least_m2: f64, context: &mut StageContext<'_>) {
        let mut firsts = Vec::with_capacity(self.cells.len());
        let mut count = 0_u32;
        for cell in &self.cells {
            firsts.push(count);
            count += cell.edges.len() as u32;
        }
        let cell_of = |edge: u32| firsts.partition_point(|&f| f <= edge) as u32 - 1;
        let mut sets = DisjointSets::new(self.cells.len());
        for (c, cell) in self.cells.iter().enumerate() {
            for e in cell.edges.iter().filter(|e| e.twin != NO_EDGE) {
                sets.join(c as u32, cell_of(e.twin));
            }
        }
        let (component_of, components) = sets.number();
        let mut area2 = vec![0_i128; components as usize];
        for (cell, &c) in self.cells.iter().zip(&component_of) {
            area2[c as usize] += loop_area2(cell.edges.iter().map(|e| e.from));
        }
        let least2 = least_m2.max(SPECK_M2) * 2.0 * LATTICE_PER_M * LATTICE_PER_M;
        let keep: Vec<bool> =
            component_of.iter().map(|&c| area2[c as usize] as f64 >= least2).collect();
        context.count("specks", area2.iter().filter(|a| (**a as f64) < least2).count());
        if keep.iter().all(|k| *k) {
            return;
        }
        let mut renumbered = vec![NO_EDGE; count as usize];
        let mut next = 0;
        for (c, cell) in self.cells.iter().enumerate().filter(|(c, _)| keep[*c]) {
            for i in 0..cell.edges.len() as u32 {
                renumbered[(firsts[c] + i) as usize] = next;
                next += 1;
            }
        }
        let mut flags = keep.iter();
        self.cells.retain(|_| flags.next().copied().unwrap_or(true));
        for e in self.cells.iter_mut().flat_map(|c| &mut c.edges) {
            if e.twin != NO_EDGE {
                e.twin = renumbered[e.twin as usize];
            }
        }
    }
}

/// Every face as triangles.
fn face_triangles(
    surface: &WalkableSurface,
    context: &mut StageContext<'_>,
) -> Result<Vec<Cell>, BakeError> {
    let outlines = outlines::outlines_of_faces(surface);
    let triangles = triangulate_outlines::triangulate_outlines(surface, outlines, context)?;
    context.count("triangles", triangles.cells.len());
    context.check_cancelled()?;
    Ok(triangles.cells)
}

/// The outlines of faces that lie in one plane, joined.
fn joined_outlines(
    surface: &WalkableSurface,
    settings: &PartitionSettings,
    context: &mut StageContext<'_>,
) -> Vec<Outline> {
    let outlines = outlines::join_faces(surface, JOIN_SHARE * settings.height_tolerance_m);
    context.count("outlines", outlines.len());
    outlines
}

/// Cells by notches, and what was counted.
fn by_notches(
    surface: &WalkableSurface,
    outlines: Vec<Outline>,
    settings: &PartitionSettings,
    context: &mut StageContext<'_>,
) -> Result<(Vec<Cell>, PortalCounts), BakeError> {
    let triangles = triangulate_outlines::triangulate_outlines(surface, outlines, context)?;
    context.check_cancelled()?;
    let (cells, counts) = notches::partition_by_notches(&triangles, settings);
    context.count("notches", counts.notches);
    context.count("shared_portals", counts.shared);
    context.count("second_portals", counts.second);
    context.check_cancelled()?;
    Ok((merge_cells(cells, settings, Slide::Portals), counts))
}

impl PartitionedSurface {
    fn count_quality(&self, context: &mut StageContext<'_>) {
        let outlines = self.cells.iter().map(|c| c.edges.iter().map(|e| e.from).collect());
        let twins = self.cells.iter().flat_map(|c| &c.edges).filter(|e| e.twin != NO_EDGE).count();
        let quality = PartitionQuality::of_outlines(outlines, twins / 2);
        context.count("cells", quality.cells);
        context.count("portals", quality.portals);
        context.count("ill_conditioned_cells", quality.ill_conditioned);
        // Counts are whole numbers: thousandths of a degree and square centimetres.
        let whole = |v: f64| v.round() as usize;
        context.count("smallest_angle_mdeg", whole(quality.smallest_angle_rad.to_degrees() * 1e3));
        context.count(
            "mean_smallest_angle_mdeg",
            whole(quality.mean_smallest_angle_rad.to_degrees() * 1e3),
        );
        context.count("small_cells_cm2", whole(quality.small_area_m2 * 1e4));
    }
}
