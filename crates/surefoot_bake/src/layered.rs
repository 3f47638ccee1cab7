//! The layered pipeline: coarse voxels part the scene into layers that do not lie over themselves,
//! each layer gets a fine depth map, and the borders of the maps become the borders of the ground.
//!
//! Follows Oliva, *Automatic Generation of Suboptimal NavMeshes* (2012), chapters 5 and 6. Every step
//! takes plain arrays and gives plain arrays. Where it departs from the source, and why:
//!
//! - **One conservative pass instead of three projections.** The source renders along three axes since
//!   a renderer misses faces that are seen edge-on. Here every column gets the whole range of heights
//!   that a triangle has over it, so no face is missed, whatever its direction.
//! - **A coarse voxel decides only what is certain.** It is blocked where everything in it would be;
//!   whether the agent fits is asked of the fine map. Columns beside accessible ones are added, as in
//!   the source, also where their own layer already lies over them: then in a layer of their own.
//! - **The cutting shape also has a floor.** It says between which heights the ground of a layer is
//!   looked for in each column; a column's part of the map is made from the triangles of that column
//!   alone, so that maps cost what their ground is worth, and in parallel.
//! - **Depths are exact.** The fine map holds the height of the ground at the middle of each of its
//!   cells, on the lattice; head room and steps are measured from there and not in voxels.
//! - **Faces near the vertical are no pixels.** Between two neighbouring middles the line is cut with
//!   the triangles themselves: where ground ends, or where something stands on it, is a point on that
//!   line. So is every corner of what stands on the ground. Thin walls are never missed, and a
//!   boundary lies where it is and not where a pixel is.
//! - **The radius is a true distance** to those points, and the contour is where that distance is the
//!   radius: found on the lines between the middles, not along the pixels' sides.
//! - **What the radius takes anyway is not looked at** where triangles crowd: heights alone tell of most
//!   shelves and litter that no agent fits on them, before a single line is cut there.
//! - **Layers share their borders.** The source partitions each layer and then matches portal vertices
//!   with portal edges, splits, merges and repairs T-joints. Here the line between two layers is traced
//!   once for both, so their vertices are the same lattice points from the start; and the partition that
//!   follows works across layers, so there are no portals to drop and nothing to partition again.
//!
//! The error budget: a boundary lies within one fine cell of the true one, on either side. The parts: the
//! rounding of positions inwards (a sixteenth of a cell), the chord of an arc around a corner
//! (h²/8r for cells of h and a radius of r), corners at which ground ends between two lines (half a
//! cell), and the simplification (a quarter of a cell by default).

mod model;

mod cutting_shape;
mod erode;
mod flood_layers;
mod keep_reachable;
mod link_pixels;
mod prune_eroded;
mod read_triangles;
mod refine;
mod slice;
mod trace;
mod walk_over;

#[cfg(test)]
mod test_scenes;

use crate::context::StageContext;
use crate::contour::lift::{LiftFrame, lift};
use crate::contour::simplify::{Deviation, simplify_contours};
use crate::error::BakeError;
use crate::input::classify::Classifier;
use crate::layered::model::fine_map::FineMap;
use crate::layered::model::scales::{self, Scales};
use crate::layered::model::terrain::Terrain;
use crate::layered::read_triangles::ReadTriangles;
use crate::settings::Resolved;
use crate::surface::WalkableSurface;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_scene::Scene;

/// The stages in order.
pub(crate) fn build(
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let (agent, layered) = (&settings.agent, &settings.layered);
    let read = context.stage(
        "read_triangles",
        |c| {
            let classifier = Classifier::new(agent, settings.two_sided);
            read_triangles::read_triangles(scene, &settings.reading(), &classifier, c)
        },
        ReadTriangles::view,
    )?;
    let scales = Scales::new(&read.triangles, agent, layered)?;
    let (frame, area_names) = (read.frame, read.area_names);
    let slices = context.stage(
        "slice",
        |c| {
            let points = slice::Points { numbers: &read.numbers, points: &read.points };
            slice::slice(read.triangles, points, &scales, c)
        },
        |slices| slices.view(&frame, &scales),
    )?;
    let layers = context.stage(
        "flood_layers",
        |c| flood_layers::flood_layers(&slices, &scales, c),
        |layers| layers.view(&frame, &scales),
    )?;
    let layers = context.stage(
        "keep_reachable",
        |c| keep_reachable::keep_reachable(layers, &settings.seeds, &frame, &scales, c),
        |layers| layers.view(&frame, &scales),
    )?;
    let shape = context.stage(
        "cutting_shape",
        |c| cutting_shape::cutting_shape(layers, &slices, &scales, c),
        |shape| shape.view(&frame, &scales),
    )?;
    let show = |map: &FineMap| Terrain::new(map, &slices, &scales).view(&frame);
    let map = context.stage("refine", |c| refine::refine(shape, &slices, &scales, c), show)?;
    let map =
        context.stage("walk_over", |c| walk_over::walk_over(map, &slices, &scales, c), show)?;
    let least_m2 = certain_least_m2(settings);
    let map = context.stage(
        "prune_eroded",
        |c| prune_eroded::prune_eroded(map, &slices, &scales, least_m2, c),
        show,
    )?;
    let linked = context.stage(
        "link_pixels",
        |c| link_pixels::link_pixels(map, &slices, &scales, c),
        |linked| linked.view(&frame, &slices, &scales),
    )?;
    let field = context.stage(
        "erode",
        |c| erode::erode(&linked, &scales, c),
        |field| field.view(&frame, linked.terrain(&slices, &scales)),
    )?;
    let contours = context.stage(
        "trace",
        |c| trace::trace(&linked, &field, &slices, &scales, c),
        |contours| contours.view(&frame, &scales.sub),
    )?;
    let height_error = layered.height_error_m * LATTICE_PER_M;
    let deviation = Deviation {
        plan: layered.boundary_error_cells * f64::from(scales::SUB),
        height: height_error,
        apart: scales.height as f64,
        // Either way: with cells this small a quarter of one is little, and arcs need fewer corners.
        outwards: f64::INFINITY,
        at_steps: f64::INFINITY,
    };
    let contours = context.stage(
        "simplify_contours",
        |c| {
            let mut contours = simplify_contours(contours, &deviation, c)?;
            // Corners that came back may lie on others.
            contours.chains.iter_mut().for_each(trace::drop_repeated);
            contours.chains.retain(|c| c.edge_count() > 0);
            Ok(contours)
        },
        |contours| contours.view(&frame, &scales.sub),
    )?;
    let steepest = agent.max_slope_rad.tan();
    let kind_of =
        |corners, plane: &_| walk_over::kind_of(&linked.map, corners, plane, steepest, &scales);
    let into = LiftFrame { frame, grid: &scales.sub, area_names, height_error, kind_of: &kind_of };
    context.stage("lift", |c| lift(contours, into, c), WalkableSurface::view)
}

/// The area of the smallest patch that is kept at the end, where that is certain: seeds keep patches of any size,
/// fillers of gaps may join them, and contours may leave them by a pixel.
fn certain_least_m2(settings: &Resolved) -> Option<f64> {
    let is_certain = settings.seeds.is_empty()
        && settings.fill_gaps_m <= 0.0
        && settings.layered.boundary_error_cells <= 1.0;
    is_certain.then_some(settings.min_area_m2)
}
