//! The voxel pipeline: from triangles to ground by way of columns, tile by tile, for input that is
//! huge or hopeless.
//!
//! Follows Saupin, Roussel and Le Garrec, *Robust and Scalable Navmesh Generation with multiple levels
//! and stairs support* (WSCG 2013), in tiles, contours and merging, and the heightfield pipeline of
//! Recast (Mononen 2009) as van Gelderen describes it (2018); departs from them in exact heights, true
//! distances, and in asking only questions whose answer is the same in every tile: so the result does
//! not depend on the size of the tiles. Each stage's file says where and why.

mod bin_tiles;
mod bridge_steps;
mod chain_contours;
mod divide;
mod erode;
mod filter_spans;
mod keep_risers;
mod link_neighbours;
mod merge_tiles;
mod sample_places;
mod segment;
mod spans;
mod tile_views;
mod trace_contours;
mod trace_tiles;

use crate::context::StageContext;
use crate::contour::chain::Contours;
use crate::contour::lift::{LiftFrame, lift};
use crate::contour::simplify::{Deviation, simplify_contours};
use crate::error::BakeError;
use crate::input::classify::Classifier;
use crate::input::read::{Soup, read};
use crate::settings::Resolved;
use crate::surface::WalkableSurface;
use crate::voxel::bin_tiles::BinnedTiles;
use crate::voxel::tile_views::view_of_tiles;
use surefoot_mesh::CellKind;
use surefoot_scene::Scene;

/// The stages in order.
pub(crate) fn build(
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let voxel = &settings.voxel;
    let soup = context.stage("read", |c| read(scene, &settings.reading(), c), Soup::view)?;
    let tiles = context.stage(
        "bin_tiles",
        |c| {
            let classifier = Classifier::new(&settings.agent, settings.two_sided);
            bin_tiles::bin_tiles(&soup, &classifier, &settings.agent, voxel, c)
        },
        BinnedTiles::view,
    )?;
    let (frame, area_names) = (soup.frame, soup.area_names);
    let grid = tiles.grid;
    // Rasterize, filter, link, erode, segment and trace, tile by tile.
    let traced = context.stage(
        "trace_tiles",
        |c| trace_tiles::trace_tiles(tiles, voxel, c),
        |traced| view_of_tiles(traced, &frame, &grid),
    )?;
    let merged = context.stage(
        "merge_tiles",
        |c| merge_tiles::merge_tiles(traced, voxel.regions, c),
        |merged| merged.view(&frame, &grid),
    )?;
    let show = |contours: &Contours| contours.view(&frame, &grid.columns);
    let contours = context.stage(
        "chain_contours",
        |c| chain_contours::chain_contours(merged, grid.agent_height, c),
        show,
    )?;
    let height_error = voxel.height_error_cells * f64::from(grid.columns.cell_height);
    let deviation = Deviation {
        plan: voxel.boundary_error_cells,
        height: height_error,
        apart: grid.agent_height as f64,
        outwards: 0.25,
        at_steps: 0.5,
    };
    let contours =
        context.stage("simplify_contours", |c| simplify_contours(contours, &deviation, c), show)?;
    let kind_of = |_, _: &_| CellKind::Ground;
    let into =
        LiftFrame { frame, grid: &grid.columns, area_names, height_error, kind_of: &kind_of };
    context.stage("lift", |c| lift(contours, into, c), WalkableSurface::view)
}
