//! The ways to cut a surface into cells, and the choice among them.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::finish::partition::cell::Cell;
use crate::finish::partition::lay_portals::PortalCounts;
use crate::finish::partition::merge_cells::{Slide, merge_cells};
use crate::finish::partition::notches::partition_by_notches;
use crate::finish::partition::outlines::{Outline, join_faces, outlines_of_faces};
use crate::finish::partition::partitioned_surface::PartitionedSurface;
use crate::finish::partition::triangulate_outlines::triangulate_outlines;
use crate::settings::{CellShape, PartitionSettings};
use crate::surface::WalkableSurface;

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

/// Cuts a surface into cells of the wanted shape, and counts the portals.
pub(super) fn partition_counted(
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
                let early = surefoot_geom::threads::current_num_threads() > 1
                    && corners <= CORNERS_OF_CURVED * outline_count;
                let ((by_notches, report), merged) = match early {
                    true => surefoot_geom::threads::join(|| split(outlines), || Some(merge())),
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

/// Every face as triangles.
fn face_triangles(
    surface: &WalkableSurface,
    context: &mut StageContext<'_>,
) -> Result<Vec<Cell>, BakeError> {
    let outlines = outlines_of_faces(surface);
    let triangles = triangulate_outlines(surface, outlines, context)?;
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
    let outlines = join_faces(surface, JOIN_SHARE * settings.height_tolerance_m);
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
    let triangles = triangulate_outlines(surface, outlines, context)?;
    context.check_cancelled()?;
    let (cells, counts) = partition_by_notches(&triangles, settings);
    context.count("notches", counts.notches);
    context.count("shared_portals", counts.shared);
    context.count("second_portals", counts.second);
    context.check_cancelled()?;
    Ok((merge_cells(cells, settings, Slide::Portals), counts))
}
