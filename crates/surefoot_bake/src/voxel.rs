//! The voxel pipeline: from triangles to ground by way of columns, tile by tile, for input that is
//! huge or hopeless.
//!
//! Follows Saupin, Roussel and Le Garrec, *Robust and Scalable Navmesh Generation with multiple levels
//! and stairs support* (WSCG 2013), in tiles, contours and merging, and the heightfield pipeline of
//! Recast (Mononen 2009) as van Gelderen describes it (2018); departs from them in exact heights, true
//! distances, and in asking only questions whose answer is the same in every tile: so the result does
//! not depend on the size of the tiles. Each stage's file says where and why.

mod add_detail;
mod bridge_gaps;
pub(crate) mod chain_contours;
pub(crate) mod divide;
mod erode;
mod filter_spans;
pub(crate) mod grid;
pub(crate) mod lift;
mod link_neighbours;
pub(crate) mod merge_tiles;
pub(crate) mod rasterize;
mod region_mesh;
mod sample_places;
mod segment;
pub(crate) mod simplify_contours;
mod trace_contours;
mod trace_tiles;
mod walk_over_risers;

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::drop_small::drop_small;
use crate::exact::read;
use crate::settings::Resolved;
use crate::surface::WalkableSurface;
use crate::voxel::lift::LiftFrame;
use crate::voxel::simplify_contours::Deviation;
use surefoot_scene::Scene;

/// The stages in order.
pub(crate) fn build(
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let voxel = &settings.voxel;
    let soup = context.stage("read", |c| read::read(scene, settings, c))?;
    let tiles = context.stage("bin_tiles", |c| grid::bin_tiles(&soup, settings, c))?;
    let (frame, area_names) = (soup.frame, soup.area_names);
    let grid = tiles.grid;
    // Rasterize, filter, link, erode, segment and trace, tile by tile.
    let traced = context.stage("trace_tiles", |c| trace_tiles::trace_tiles(tiles, voxel, c))?;
    let merged =
        context.stage("merge_tiles", |c| merge_tiles::merge_tiles(traced, voxel.regions, c))?;
    let contours = context.stage("chain_contours", |c| {
        chain_contours::chain_contours(merged, grid.agent_height, c)
    })?;
    let height_error = voxel.height_error_cells * f64::from(grid.cell_height);
    let deviation = Deviation {
        plan: voxel.boundary_error_cells,
        height: height_error,
        apart: grid.agent_height as f64,
        outwards: 0.25,
        at_steps: 0.5,
    };
    let contours = context.stage("simplify_contours", |c| {
        simplify_contours::simplify_contours(contours, &deviation, c)
    })?;
    let into = LiftFrame { frame, grid: &grid, area_names, height_error };
    let surface = context.stage("lift", |c| lift::lift(contours, into, c))?;
    // Patches that fillers of gaps may join are dropped after those are laid.
    if settings.fill_gaps_m > 0.0 {
        return Ok(surface);
    }
    context.stage("drop_small", |c| {
        drop_small(surface, settings.min_area_m2, &settings.seeds, &settings.agent, c)
    })
}
