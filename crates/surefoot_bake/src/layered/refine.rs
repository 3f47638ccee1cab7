//! Refines layers: a fine depth map under the cutting shape.
//!
//! Goes in: the cells of all layers and the triangles over each column. Comes out: the height of the
//! ground in the middle of every fine cell: the topmost walkable surface between the heights that the
//! cutting shape allows there, unless something is in the agent's way above it (Oliva 2012, §6.2.3,
//! where what is in the way is found by its different depth). What is in the way: any surface between
//! the step's and the agent's height; and a surface facing down below the step's height, unless one
//! facing up ends what begins there before. A surface above it that faces up and is too steep is noted
//! too: it may be a riser. Surfaces over the middles are found once for all cells of a column, and every
//! column is asked alone, so that they run in parallel.

mod sample_column;

use self::sample_column::{PixelSample, PixelSamples, sample_column};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::model::cutting_shape::CuttingShape;
use crate::layered::model::fine_map::{FineMap, NO_HEIGHT, NO_PIXEL, PixelKind, Under};
use crate::layered::model::scales::{Scales, TOUCHING_UNITS};
use crate::layered::model::slices::Slices;
use surefoot_geom::threads::prelude::*;

/// Cells that a thread refines before it looks for more.
const CHUNK: usize = 256;

pub(crate) fn refine(
    shape: CuttingShape,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<FineMap, BakeError> {
    let per_cell = scales.pixels_per_cell();
    let mut heights = vec![NO_HEIGHT; shape.len() * per_cell];
    let mut grounds = vec![NO_PIXEL; shape.len() * per_cell];
    let mut kinds = vec![PixelKind::Nothing; shape.len() * per_cell];
    let mut areas = vec![0_u16; shape.len() * per_cell];
    let under: Vec<Vec<Under>> = heights
        .par_chunks_mut(CHUNK * per_cell)
        .zip(grounds.par_chunks_mut(CHUNK * per_cell))
        .zip(kinds.par_chunks_mut(CHUNK * per_cell))
        .zip(areas.par_chunks_mut(CHUNK * per_cell))
        .enumerate()
        .map(|(chunk, (((heights, grounds), kinds), areas))| {
            let mut under = Vec::new();
            let mut pixels = Pixels { heights, grounds, kinds, areas };
            let mut refiner = Refiner {
                shape: &shape,
                slices,
                scales,
                column: None,
                samples: PixelSamples::default(),
            };
            for cell in chunk * CHUNK..shape.len().min((chunk + 1) * CHUNK) {
                refiner.refine_cell(cell, pixels.split_off(per_cell), &mut under);
            }
            under
        })
        .collect();
    context.check_cancelled()?;
    context.count("pixels", heights.len());
    context.count("steep_pixels", kinds.iter().filter(|k| **k == PixelKind::Steep).count());
    Ok(FineMap {
        shape,
        heights,
        grounds,
        kinds,
        areas,
        under: under.into_iter().flatten().collect(),
        bridges: Vec::new(),
        refused: Vec::new(),
        cut_off: Vec::new(),
    })
}

/// What becomes known of some pixels.
struct Pixels<'a> {
    heights: &'a mut [i32],
    grounds: &'a mut [u32],
    kinds: &'a mut [PixelKind],
    areas: &'a mut [u16],
}

impl<'a> Pixels<'a> {
    /// Takes the first so many off.
    fn split_off(&mut self, count: usize) -> Self {
        fn first<'a, T>(all: &mut &'a mut [T], count: usize) -> &'a mut [T] {
            all.split_off_mut(..count).unwrap_or_default()
        }
        Self {
            heights: first(&mut self.heights, count),
            grounds: first(&mut self.grounds, count),
            kinds: first(&mut self.kinds, count),
            areas: first(&mut self.areas, count),
        }
    }

    /// Makes a surface the one that a pixel lies on.
    #[inline]
    fn put(&mut self, sample: &PixelSample) {
        let pixel = sample.pixel();
        self.heights[pixel] = sample.z();
        self.grounds[pixel] = sample.triangle;
        let is_ground = sample.class.is_ground();
        self.kinds[pixel] = if is_ground { PixelKind::Ground } else { PixelKind::Steep };
        self.areas[pixel] = sample.class.area();
    }
}

/// Refines cells one after another.
struct Refiner<'a> {
    shape: &'a CuttingShape,
    slices: &'a Slices,
    scales: &'a Scales,
    /// The column whose surfaces are known.
    column: Option<u32>,
    samples: PixelSamples,
}

impl Refiner<'_> {
    /// Finds the ground of a cell, and adds what lies under risers, by the numbers of pixels in the cell.
    fn refine_cell(&mut self, cell: usize, mut pixels: Pixels<'_>, under: &mut Vec<Under>) {
        let (shape, slices, scales) = (self.shape, self.slices, self.scales);
        let (column, [low, high]) = (shape.columns[cell], [shape.lows[cell], shape.highs[cell]]);
        if self.column != Some(column) {
            sample_column(column, shape, slices, scales, &mut self.samples);
            self.column = Some(column);
        }
        let first = (cell * scales.pixels_per_cell()) as u32;
        // A riser may end in the next column, on ground that this one does not know.
        let steep_high = high.saturating_add(scales.step as i32);
        for samples in self.samples.of_pixels() {
            // Most pixels have one surface over them.
            if let [only] = samples {
                let high = if only.class.is_ground() { high } else { steep_high };
                if only.class.faces_up() && (low..=high).contains(&only.z()) {
                    pixels.put(only);
                }
                continue;
            }
            let free = |s: &PixelSample| !is_blocked(samples, i64::from(s.z()), scales);
            let is_ground = |s: &PixelSample| s.class.is_ground();
            let ground = topmost(samples, [low, high], slices, is_ground).filter(free);
            // Only what lies above the ground counts.
            let steep_low = ground.map_or(low, |g| low.max(g.z().saturating_add(1)));
            let steep = topmost(samples, [steep_low, steep_high], slices, PixelSample::is_steep);
            let steep = steep.filter(free);
            if let (Some(_), Some(ground)) = (steep, ground) {
                let (pixel, height) = (first + ground.pixel() as u32, ground.z());
                under.push(Under { pixel, height, ground: ground.triangle });
            }
            if let Some(top) = steep.or(ground) {
                pixels.put(&top);
            }
        }
    }
}

/// The topmost surface of some kind over a pixel, between two heights.
fn topmost(
    samples: &[PixelSample],
    [low, high]: [i32; 2],
    slices: &Slices,
    is_wanted: impl Fn(&PixelSample) -> bool,
) -> Option<PixelSample> {
    let between = samples.iter().rev().skip_while(|s| s.z() > high).take_while(|s| s.z() >= low);
    let mut wanted = between.filter(|s| is_wanted(s));
    let mut best = *wanted.next()?;
    let height = best.z();
    // Of several at one height the choice must not depend on their order.
    let corners = |s: &PixelSample| &slices.triangles[s.triangle as usize].corners;
    for other in wanted.take_while(|s| s.z() == height) {
        if corners(other) < corners(&best) {
            best = *other;
        }
    }
    Some(best)
}

/// Whether something over a pixel, sorted from below, leaves no room to stand at a height.
fn is_blocked(samples: &[PixelSample], ground: i64, scales: &Scales) -> bool {
    // What lies below does not count; mostly the ground is the uppermost.
    let below = |s: &PixelSample| i64::from(s.z()) - ground < -TOUCHING_UNITS;
    let samples = &samples[samples.iter().rposition(below).map_or(0, |i| i + 1)..];
    for (i, sample) in samples.iter().enumerate() {
        let z = i64::from(sample.z());
        let above = z - ground;
        if above > scales.step {
            return above < scales.height;
        }
        if !sample.class.faces_down() {
            continue;
        }
        // What ends what begins here: the next surface that faces up, unless something else begins
        // before it; where the two touch, one thing stands on another.
        let beyond = |s: &&PixelSample| i64::from(s.z()) - z > TOUCHING_UNITS;
        let rest = || samples[i + 1..].iter().filter(beyond);
        let up = rest().find(|s| s.class.faces_up()).map(|s| i64::from(s.z()));
        let next_down = rest().find(|s| s.class.faces_down()).map(|s| i64::from(s.z()));
        match (up, next_down) {
            (Some(up), Some(down)) if down + TOUCHING_UNITS < up => {}
            (Some(up), _) if up - ground > scales.step => return true,
            (Some(_), _) | (None, Some(_)) => {}
            // A lone sheet facing down has no end; one that lies on the ground is its underside, and one
            // under a sheet facing up is the other side of that.
            (None, None) if above > TOUCHING_UNITS => {
                let touches = |s: &&PixelSample| (i64::from(s.z()) - z).abs() <= TOUCHING_UNITS;
                if !samples.iter().filter(touches).any(|s| s.class.faces_up()) {
                    return true;
                }
            }
            (None, None) => {}
        }
    }
    false
}
