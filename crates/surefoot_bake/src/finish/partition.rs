//! From faces to cells: convex polygons, the same way for every pipeline.
//!
//! Goes in: a walkable surface. Comes out: convex cells that tile its faces and share full edges.
//! Three ways stand behind one door: constrained Delaunay triangles; triangles merged across edges
//! that convexity does not need (Hertel and Mehlhorn 1983); and portals that split notches, on faces
//! joined beforehand (Oliva 2012, chapter 4), with what turned out dispensable merged away. Portals that
//! stay are slid where that leaves fewer cells or wider angles.

mod area_of_interest;
mod by_shape;
mod cell;
mod cell_rings;
mod graph;
mod hertel_mehlhorn;
mod lay_portals;
mod merge_cells;
mod notches;
mod outlines;
mod partitioned_surface;
mod polygon_partition;
mod portal_mesh;
mod quality;
mod relax;
mod slide_portals;
mod straighten;
mod triangulate_outlines;

pub use graph::{CellPortalGraph, Portal};
pub(crate) use partitioned_surface::PartitionedSurface;
pub use polygon_partition::{PolygonPartition, partition_polygon};
pub use quality::{ILL_CONDITIONED_SHARE, PartitionQuality};

use crate::context::StageContext;
use crate::error::BakeError;
use crate::settings::PartitionSettings;
use crate::surface::WalkableSurface;

/// Cuts a surface into cells.
pub(crate) fn partition(
    surface: WalkableSurface,
    settings: &PartitionSettings,
    context: &mut StageContext<'_>,
) -> Result<PartitionedSurface, BakeError> {
    by_shape::partition_counted(surface, settings, context).map(|(partitioned, _)| partitioned)
}
