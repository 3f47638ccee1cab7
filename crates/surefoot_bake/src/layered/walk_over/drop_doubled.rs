//! Drops ground that two cells of one column have found.

use crate::layered::model::cutting_shape::CuttingShape;
use crate::layered::model::fine_map::{FineMap, NO_HEIGHT};
use crate::layered::model::scales::Scales;
use std::cmp::Reverse;
use std::ops::Range;

/// Two cells of one column may find the same ground, or ground so near above that the upper one wins.
/// Returns how many pixels lost theirs.
pub(super) fn drop_doubled(map: &mut FineMap, scales: &Scales) -> usize {
    let per_cell = scales.pixels_per_cell();
    let mut dropped = 0;
    let mut found: Vec<(i32, Reverse<usize>)> = Vec::new();
    for ends in 1..map.shape.firsts.len() {
        let cells = map.shape.firsts[ends - 1] as usize..map.shape.firsts[ends] as usize;
        if cells.len() < 2 || !cells_are_near(&map.shape, cells.clone(), scales) {
            continue;
        }
        for pixel in 0..per_cell {
            found.clear();
            let grounds = cells.clone().map(|c| (map.heights[c * per_cell + pixel], Reverse(c)));
            found.extend(grounds.filter(|(height, _)| *height != NO_HEIGHT));
            found.sort_unstable();
            for pair in found.windows(2) {
                if i64::from(pair[1].0) - i64::from(pair[0].0) < scales.height {
                    map.clear(pair[0].1.0 * per_cell + pixel);
                    dropped += 1;
                }
            }
        }
    }
    dropped
}

/// Whether ground of two cells of a column may lie within the agent's height. Cells are sorted from
/// below; risers and what was laid lie up to a step beside the heights of their cell.
fn cells_are_near(shape: &CuttingShape, mut cells: Range<usize>, scales: &Scales) -> bool {
    let mut top = i64::MIN;
    cells.any(|c| {
        let is_near = i64::from(shape.lows[c]) - scales.step < top + scales.height;
        top = top.max(i64::from(shape.highs[c]) + scales.step);
        is_near
    })
}
