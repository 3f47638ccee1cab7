//! From samples to solid spans, and from those to ground with head room over it.
//!
//! Goes in: what each triangle covers of each column. Comes out: the solid parts of every column, and
//! the ground on them: spans whose top can be walked on and over which the agent has room (Saupin et
//! al. 2013, §2). What is too steep but within a step of walkable ground below it is walked over, as in
//! Recast; and, beyond it, so is what leads from ground to ground within one step, such as a leaning
//! riser; both together are a setting. Another one: what lies between a surface facing down and the
//! next one facing up is solid, so that a box standing on the floor hides the floor in it.

use crate::settings::VoxelSettings;
use crate::voxel::grid::{Grid, Surface, Window};
use crate::voxel::rasterize::{ColumnSamples, Sample};
use std::collections::BTreeMap;

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
    /// Whether the top is too steep, but faces up.
    steep: bool,
}

/// A steep top, and the nearest ground that leads to it from below and on from it above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Riser {
    column: u32,
    span: u32,
    /// Height and area type.
    below: Option<(i32, u16)>,
    above: Option<i32>,
}

/// How many columns wide a riser may be. A tile's margin holds that many columns.
pub(crate) const RISER_ROUNDS: u32 = 8;

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
    pub(crate) fn fill(
        &mut self,
        samples: &ColumnSamples,
        grid: &Grid,
        settings: &VoxelSettings,
        window: &Window,
    ) {
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
            let first = self.solids.len();
            let of_column = &samples.samples[column[0] as usize..column[1] as usize];
            self.add_solids(of_column, grid, settings);
            if settings.low_obstacles {
                self.walk_over_low(first, grid);
            }
        }
        self.solid_firsts.push(self.solids.len() as u32);
        if settings.low_obstacles {
            self.walk_over_risers(grid, window);
        }
        for column in 0..window.columns() {
            self.firsts.push(self.heights.len() as u32);
            let [from, to] = [self.solid_firsts[column], self.solid_firsts[column + 1]];
            self.add_ground(from as usize, to as usize, grid);
        }
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
                (span.area, span.ground, span.rise) = (b.area, b.ground, b.rise);
            }
            below = Some(as_found);
        }
    }

    /// Steep tops that lead, over other steep tops, from ground below to ground above within one step
    /// become ground. What they know of the ground around them spreads by a column a round.
    fn walk_over_risers(&mut self, grid: &Grid, window: &Window) {
        let (width, columns) = (window.width() as usize, window.columns());
        let mut risers: Vec<Riser> = Vec::new();
        let mut riser_of: BTreeMap<u32, u32> = BTreeMap::new();
        for column in 0..columns {
            let [from, to] = [self.solid_firsts[column], self.solid_firsts[column + 1]];
            for i in from..to {
                let span = &self.solids[i as usize];
                let ceiling = if i + 1 < to { self.solids[i as usize + 1].lo } else { i32::MAX };
                if span.steep && i64::from(ceiling) - i64::from(span.top) >= grid.agent_height {
                    riser_of.insert(i, risers.len() as u32);
                    risers.push(Riser { column: column as u32, span: i, below: None, above: None });
                }
            }
        }
        for _ in 0..RISER_ROUNDS {
            let mut changed = false;
            let next: Vec<Riser> = risers
                .iter()
                .map(|riser| {
                    let mut known = *riser;
                    let (x, y) = (riser.column as usize % width, riser.column as usize / width);
                    let top = self.solids[riser.span as usize].top;
                    let beside = [
                        (x > 0).then(|| riser.column as usize - 1),
                        (x + 1 < width).then(|| riser.column as usize + 1),
                        (y > 0).then(|| riser.column as usize - width),
                        (riser.column as usize + width < columns)
                            .then(|| riser.column as usize + width),
                    ];
                    for column in beside.into_iter().flatten() {
                        for i in self.solid_firsts[column]..self.solid_firsts[column + 1] {
                            let other = &self.solids[i as usize];
                            if (i64::from(other.top) - i64::from(top)).abs() > grid.step {
                                continue;
                            }
                            let (below, above) = if other.area != NO_GROUND {
                                (Some((other.ground, other.area)), Some(other.ground))
                            } else if let Some(&r) = riser_of.get(&i) {
                                (risers[r as usize].below, risers[r as usize].above)
                            } else {
                                continue;
                            };
                            if other.top <= top {
                                known.below = known.below.max(below);
                            }
                            if other.top >= top {
                                known.above = match (known.above, above) {
                                    (Some(a), Some(b)) => Some(a.min(b)),
                                    (a, b) => a.or(b),
                                };
                            }
                        }
                    }
                    changed |= known != *riser;
                    known
                })
                .collect();
            risers = next;
            if !changed {
                break;
            }
        }
        for riser in risers {
            if let (Some((below, area)), Some(above)) = (riser.below, riser.above)
                && i64::from(above) - i64::from(below) <= grid.step
            {
                self.solids[riser.span as usize].area = area;
            }
        }
    }

    fn add_ground(&mut self, first: usize, end: usize, grid: &Grid) {
        for i in first..end {
            let span = self.solids[i];
            let ceiling = if i + 1 < end { self.solids[i + 1].lo } else { i32::MAX };
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
    let (lo, ground, area) = (samples[0].lo, top, NO_GROUND);
    let mut span = SolidSpan { lo, top, ground, rise: 0, area, steep: false };
    let best = samples.iter().filter(|s| s.surface.is_ground()).max_by_key(|s| (s.hi, s.surface));
    let allowed = if low_obstacles { grid.step } else { i64::from(grid.cell_height) };
    let best = best.filter(|best| i64::from(top) - i64::from(best.hi) <= allowed);
    let Some(best) = best else {
        if let Some(steep) = samples.iter().find(|s| s.surface == Surface::STEEP && s.hi == top) {
            span.steep = true;
            span.rise = (i64::from(top) - i64::from(steep.lo)).min(i64::from(i32::MAX)) as i32;
            span.ground = ((i64::from(steep.lo) + i64::from(top)) / 2) as i32;
        }
        return span;
    };
    // The walkable samples that hang together with the topmost: together they are the ground. What
    // stands on it and is stepped over does not raise it.
    span.area = best.surface.area();
    let mut lo = best.lo;
    for s in samples.iter().rev().filter(|s| s.surface.is_ground()) {
        if s.hi >= lo && s.lo < lo {
            lo = s.lo;
        }
    }
    span.rise = (i64::from(best.hi) - i64::from(lo)).min(i64::from(i32::MAX)) as i32;
    span.ground = ((i64::from(lo) + i64::from(best.hi)) / 2) as i32;
    span
}
