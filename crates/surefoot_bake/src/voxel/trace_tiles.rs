//! All tiles, each from its triangles to its contours.
//!
//! Goes in: triangles by tile. Comes out: what remains of each tile, in order. Tiles run in parallel,
//! as many at a time as there are threads, so memory is bounded by the tiles in flight; each thread
//! keeps its working memory from tile to tile. Between groups of tiles the build tells how far it has
//! come; it can be cancelled between two tiles.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::heightfield::rasterize::ColumnSamples;
use crate::settings::VoxelSettings;
use crate::voxel::bin_tiles::BinnedTiles;
use crate::voxel::divide::divide;
use crate::voxel::erode::{ErodeScratch, erode};
use crate::voxel::filter_spans::{FilterScratch, filter_spans};
use crate::voxel::link_neighbours::CompactHeightfield;
use crate::voxel::sample_places::Places;
use crate::voxel::segment::{TileGround, segment};
use crate::voxel::spans::Columns;
use crate::voxel::tile_views::{TileViews, TileWatch};
use crate::voxel::trace_contours::{TracedTile, trace_contours};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use surefoot_geom::threads::prelude::*;

/// Tiles of a group, for each thread: what is told of progress, and how often threads wait for each
/// other.
const TILES_PER_GROUP: usize = 16;

/// The working memory of a tile.
#[derive(Default)]
struct TileScratch {
    samples: ColumnSamples,
    columns: Columns,
    filter: FilterScratch,
    field: CompactHeightfield,
    erode: ErodeScratch,
}

pub(crate) fn trace_tiles(
    tiles: BinnedTiles,
    settings: &VoxelSettings,
    context: &mut StageContext<'_>,
) -> Result<Vec<TracedTile>, BakeError> {
    let count = tiles.tile_count();
    let threads = surefoot_geom::threads::current_num_threads().max(1);
    let group = threads * TILES_PER_GROUP;
    let cancel = context.cancel_flag();
    let mut traced = Vec::with_capacity(count);
    let is_watched = context.is_watched();
    let mut views = TileViews::default();
    // Working memory that no tile uses at the moment.
    let spare: Mutex<Vec<TileScratch>> = Mutex::default();
    for first in (0..count).step_by(group) {
        context.check_cancelled()?;
        context.part(first, count);
        let order = deal_out(first..(first + group).min(count), &tiles, threads);
        let mut of_group: Vec<(usize, (TracedTile, Option<TileViews>))> = order
            .into_par_iter()
            // Tiles differ, and there may be few: none waits behind another while a thread is idle.
            .with_max_len(1)
            .map(|tile| {
                if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    return (tile, Default::default());
                }
                let taken = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut scratch = taken.unwrap_or_default();
                let traced = trace_tile(&tiles, tile, settings, &mut scratch, is_watched);
                spare.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
                (tile, traced)
            })
            .collect();
        of_group.sort_unstable_by_key(|(tile, _)| *tile);
        for (_, (tile, drawn)) in of_group {
            traced.push(tile);
            drawn.into_iter().for_each(|v| views.add(v));
        }
    }
    context.check_cancelled()?;
    for (name, view) in views.steps() {
        context.show(name, || view);
    }
    let sum = |of: fn(&TracedTile) -> usize| traced.iter().map(of).sum::<usize>();
    context.count("solid_spans", sum(|t| t.solid_spans));
    context.count("ground_spans", sum(|t| t.ground_spans));
    context.count("runs", sum(|t| t.runs.len()));
    context.count("height_samples", sum(|t| t.samples.len()));
    Ok(traced)
}

/// The order in which tiles are worked on: each thread begins with one of the largest and ends with one
/// of the smallest, so that they come to an end together.
fn deal_out(of_group: Range<usize>, tiles: &BinnedTiles, threads: usize) -> Vec<usize> {
    let mut by_size: Vec<usize> = of_group.collect();
    by_size.sort_unstable_by_key(|&tile| (Reverse(tiles.triangle_count(tile)), tile));
    (0..threads).flat_map(|k| by_size.iter().copied().skip(k).step_by(threads)).collect()
}

fn trace_tile(
    tiles: &BinnedTiles,
    tile: usize,
    settings: &VoxelSettings,
    scratch: &mut TileScratch,
    is_watched: bool,
) -> (TracedTile, Option<TileViews>) {
    let grid = &tiles.grid;
    let own = grid.tile_window(tile);
    let [window, solid, known] = grid.windows_around(&own);
    let TileScratch { samples, columns, filter, field, erode: erode_scratch } = scratch;
    let mut watch = is_watched.then(|| TileWatch::new(&tiles.frame, grid, window, own));
    samples.rasterize(tiles.triangles_of(tile), &grid.columns, &window, grid.columns_to_reserve());
    watch.iter_mut().for_each(|w| w.rasterized(samples));
    let step_over =
        if settings.low_obstacles { grid.step } else { i64::from(grid.columns.cell_height) };
    let triangles = &tiles.triangles;
    let places = Places { triangles, samples, grid, window: &window, step_over };
    filter_spans(columns, filter, &places, [&solid, &known], settings);
    watch.iter_mut().for_each(|w| w.filtered(columns));
    field.link(columns, grid, [&window, &known]);
    if settings.drop_ledges {
        field.drop_ledges(columns, grid, &window);
    }
    watch.iter_mut().for_each(|w| w.linked(columns, field));
    erode(field, columns, &places, erode_scratch);
    watch.iter_mut().for_each(|w| w.eroded(columns, field));
    let ground = TileGround::new(grid, columns, field, [window, own], settings.regions);
    let pieces = segment(&ground);
    watch.iter_mut().for_each(|w| w.segmented(&ground, &pieces));
    let parts = divide(&ground);
    watch.iter_mut().for_each(|w| w.divided(&ground, &parts));
    (trace_contours(&ground, pieces, &parts.part_of), watch.map(TileWatch::finish))
}
