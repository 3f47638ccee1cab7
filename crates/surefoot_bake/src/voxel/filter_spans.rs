//! From samples to solid spans, and from those to ground with head room over it.
//!
//! Goes in: what each triangle covers of each column. Comes out: the solid parts of every column, and
//! the ground on them: spans whose top can be walked on and over which the agent has room (Saupin et
//! al. 2013, §2). Two rules are Recast's and settings: what is too steep but within a step of
//! walkable ground is walked over; and, beyond it, what lies between a surface facing down and the
//! next one facing up is solid, so that a box standing on the floor hides the floor in it.

use crate::settings::VoxelSettings;
use crate::voxel::grid::{Grid, Surface};
use crate::voxel::rasterize::{ColumnSamples, Sample};

/// In [`SolidSpan::area`]: the top cannot be walked on.
const NO_GROUND: u16 = u16::MAX;

/// A surface facing up this near to one facing down does not end what begins there, in lattice units:
/// a millimetre, what noise leaves between a box and the floor it stands on.
const TOUCHING_UNITS: i32 = 64;

/// A solid part of a column, in lattice units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SolidSpan {
    pub(crate) lo: i32,
    pub(crate) top: i32,
    /// The ground's height in the middle of the column, and how much it rises over it.
    ground: i32,
    rise: i32,
    area: u16,
}

/// Solid spans and ground over a window, flat arrays column by column.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Where each column's solid spans begin, and one past the last at the end.
    pub(crate) solid_firsts: Vec<u32>,
    pub(crate) solids: Vec<SolidSpan>,
    /// Where each column's ground begins, and one past the last at the end.
    pub(crate) firsts: Vec<u32>,
    /// Heights of the ground, in lattice units.
    pub(crate) heights: Vec<i32>,
    /// How much the ground rises over its column.
    pub(crate) rises: Vec<i32>,
    /// Where the solid under it ends.
    pub(crate) tops: Vec<i32>,
    /// Where the next solid above begins.
    pub(crate) ceilings: Vec<i32>,
    /// Area types.
    pub(crate) areas: Vec<u16>,
    scratch: Vec<Sample>,
}

impl Columns {
    /// Number of ground spans.
    pub(crate) fn len(&self) -> usize {
        self.heights.len()
    }

    /// The ground spans of a column.
    pub(crate) fn span_range(&self, column: usize) -> std::ops::Range<u32> {
        self.firsts[column]..self.firsts[column + 1]
    }

    /// Builds the spans of a window from its samples, in place of what was there.
    pub(crate) fn fill(&mut self, samples: &ColumnSamples, grid: &Grid, settings: &VoxelSettings) {
        self.solid_firsts.clear();
        self.solids.clear();
        self.firsts.clear();
        self.heights.clear();
        self.rises.clear();
        self.tops.clear();
        self.ceilings.clear();
        self.areas.clear();
        for column in samples.firsts.windows(2) {
            self.solid_firsts.push(self.solids.len() as u32);
            self.firsts.push(self.heights.len() as u32);
            let first = self.solids.len();
            let of_column = &samples.samples[column[0] as usize..column[1] as usize];
            self.add_solids(of_column, grid, settings);
            if settings.low_obstacles {
                self.walk_over_low(first, grid);
            }
            self.add_ground(first, grid);
        }
        self.solid_firsts.push(self.solids.len() as u32);
        self.firsts.push(self.heights.len() as u32);
    }

    /// The solid spans of one column: samples that touch are one.
    fn add_solids(&mut self, samples: &[Sample], grid: &Grid, settings: &VoxelSettings) {
        let mut sorted = std::mem::take(&mut self.scratch);
        sorted.clear();
        sorted.extend_from_slice(samples);
        sorted.sort_unstable();
        sorted.dedup();
        if settings.fill_solids && sorted.iter().any(|s| s.surface.faces_down()) {
            fill_solids(&mut sorted);
        }
        let mut rest = sorted.as_slice();
        while let Some(first) = rest.first() {
            let mut top = first.hi;
            let mut count = 1;
            while let Some(next) = rest.get(count)
                && i64::from(next.lo) - i64::from(top) <= i64::from(grid.cell_height)
            {
                top = top.max(next.hi);
                count += 1;
            }
            let (span, after) = rest.split_at(count);
            self.solids.push(solid_span(span, top, grid, settings.low_obstacles));
            rest = after;
        }
        self.scratch = sorted;
    }

    /// Steep tops within a step of the ground below them become ground.
    fn walk_over_low(&mut self, first: usize, grid: &Grid) {
        let mut below: Option<SolidSpan> = None;
        for span in &mut self.solids[first..] {
            let as_found = *span;
            if let Some(b) = below
                && span.area == NO_GROUND
                && b.area != NO_GROUND
                && i64::from(span.top) - i64::from(b.top) <= grid.step
            {
                (span.area, span.ground, span.rise) = (b.area, span.top, 0);
            }
            below = Some(as_found);
        }
    }

    fn add_ground(&mut self, first: usize, grid: &Grid) {
        for i in first..self.solids.len() {
            let span = self.solids[i];
            let ceiling = self.solids.get(i + 1).map_or(i32::MAX, |above| above.lo);
            if span.area != NO_GROUND
                && i64::from(ceiling) - i64::from(span.top) >= grid.agent_height
            {
                self.heights.push(span.ground);
                self.rises.push(span.rise);
                self.tops.push(span.top);
                self.ceilings.push(ceiling);
                self.areas.push(span.area);
            }
        }
    }
}

/// Makes what lies between a surface facing down and the next one facing up solid. Only where nothing
/// else that faces down comes between the two: a lone sheet facing down has no end.
fn fill_solids(samples: &mut Vec<Sample>) {
    // In the order of the sweep: a surface facing down by where it begins, one facing up by where it
    // ends.
    let mut facing: Vec<(i32, bool, i32)> = samples
        .iter()
        .filter(|s| s.surface.faces_up() != s.surface.faces_down())
        .map(|s| match s.surface.faces_up() {
            true => (s.hi, true, s.lo),
            false => (s.lo, false, s.hi),
        })
        .collect();
    facing.sort_unstable();
    let mut added = false;
    for (i, &(from, up, _)) in facing.iter().enumerate() {
        if up {
            continue;
        }
        let next =
            facing[i + 1..].iter().find(|n| !n.1 || n.0 > from.saturating_add(TOUCHING_UNITS));
        if let Some(&(to, true, _)) = next {
            samples.push(Sample { lo: from, hi: to, surface: Surface::UPRIGHT });
            added = true;
        }
    }
    if added {
        samples.sort_unstable();
    }
}

/// One span from samples that touch. Its top is ground where a walkable sample makes it, or, with
/// low obstacles, lies within a step below it.
fn solid_span(samples: &[Sample], top: i32, grid: &Grid, low_obstacles: bool) -> SolidSpan {
    let mut span = SolidSpan { lo: samples[0].lo, top, ground: top, rise: 0, area: NO_GROUND };
    let grounds = samples.iter().filter(|s| s.surface.is_ground());
    let Some(best) = grounds.clone().max_by_key(|s| (s.hi, s.surface)) else {
        return span;
    };
    let below = i64::from(top) - i64::from(best.hi);
    if below > if low_obstacles { grid.step } else { i64::from(grid.cell_height) } {
        return span;
    }
    span.area = best.surface.area();
    if below <= i64::from(TOUCHING_UNITS) {
        // The walkable samples that hang together with the topmost: together they are the ground.
        let mut lo = best.lo;
        for s in samples.iter().rev().filter(|s| s.surface.is_ground()) {
            if s.hi >= lo && s.lo < lo {
                lo = s.lo;
            }
        }
        span.rise = (i64::from(best.hi) - i64::from(lo)).min(i64::from(i32::MAX)) as i32;
        span.ground = ((i64::from(lo) + i64::from(best.hi)) / 2) as i32;
    }
    span
}
