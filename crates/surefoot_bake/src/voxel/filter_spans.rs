//! From samples to solid spans, and from those to ground with head room over it.
//!
//! Goes in: what each triangle covers of each column. Comes out: the solid parts of every column, and
//! the ground on them: spans whose top can be walked on and over which the agent has room (Saupin et
//! al. 2013, §2). What is too steep but within a step of walkable ground below it is walked over, as in
//! Recast; and, beyond it, so is what leads from ground to ground within one step, such as a leaning
//! riser; both together are a setting. Another one: what lies between a surface facing down and the
//! next one facing up is solid, so that a box standing on the floor hides the floor in it.

use crate::settings::VoxelSettings;
use crate::voxel::bridge_gaps::bridge_gaps;
use crate::voxel::grid::{Grid, Surface, Window};
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
    /// Whether the top is too steep, but faces up.
    steep: bool,
}

impl SolidSpan {
    /// Ground across a gap.
    pub(crate) const fn bridge(height: i32, rise: i32, area: u16) -> Self {
        Self { lo: height, top: height, ground: height, rise, area, steep: false }
    }

    pub(crate) const fn is_ground(&self) -> bool {
        self.area != NO_GROUND
    }

    /// The height of the ground on it.
    pub(crate) const fn height(&self) -> i32 {
        self.ground
    }

    pub(crate) const fn area(&self) -> u16 {
        self.area
    }

    /// Something to sort by.
    pub(crate) const fn key(&self) -> (i32, u16) {
        (self.rise, self.area)
    }
}

/// A steep top, and the nearest ground that leads to it from below and on from it above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Riser {
    span: u32,
    /// Height and area type.
    below: Option<(i32, u16)>,
    above: Option<i32>,
}

impl Riser {
    fn learn_below(&mut self, below: Option<(i32, u16)>) {
        self.below = self.below.max(below);
    }

    fn learn_above(&mut self, above: Option<i32>) {
        self.above = match (self.above, above) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// The steep tops of a window and which of them lie beside each other.
#[derive(Debug, Default)]
struct Risers {
    known: Vec<Riser>,
    next: Vec<Riser>,
    /// Pairs of risers, the lower one first.
    pairs: Vec<(u32, u32)>,
    /// The riser of every solid span, or none.
    of_span: Vec<u32>,
}

impl Risers {
    /// Finds them, and what they know from the columns beside them.
    fn find(&mut self, columns: &Columns, grid: &Grid, window: &Window) {
        self.known.clear();
        self.pairs.clear();
        self.of_span.clear();
        self.of_span.resize(columns.solids.len(), u32::MAX);
        let (width, count) = (window.width() as usize, window.columns());
        let spans = |column: usize| columns.solid_firsts[column]..columns.solid_firsts[column + 1];
        for column in 0..count {
            let end = columns.solid_firsts[column + 1];
            for i in spans(column) {
                let span = &columns.solids[i as usize];
                let ceiling =
                    if i + 1 < end { columns.solids[i as usize + 1].lo } else { i32::MAX };
                if !span.steep || i64::from(ceiling) - i64::from(span.top) < grid.agent_height {
                    continue;
                }
                let this = self.known.len() as u32;
                self.of_span[i as usize] = this;
                let mut riser = Riser { span: i, below: None, above: None };
                let x = column % width;
                let beside = [
                    (x > 0).then(|| column - 1),
                    (column >= width).then(|| column - width),
                    (x + 1 < width).then(|| column + 1),
                    (column + width < count).then(|| column + width),
                ];
                for (k, j) in beside
                    .into_iter()
                    .enumerate()
                    .filter_map(|(k, c)| Some((k, c?)))
                    .flat_map(|(k, c)| spans(c).map(move |j| (k, j)))
                {
                    let other = &columns.solids[j as usize];
                    if (i64::from(other.top) - i64::from(span.top)).abs() > grid.step {
                        continue;
                    }
                    if other.area != NO_GROUND {
                        if other.top <= span.top {
                            riser.learn_below(Some((other.ground, other.area)));
                        }
                        if other.top >= span.top {
                            riser.learn_above(Some(other.ground));
                        }
                    } else if k < 2 && self.of_span[j as usize] != u32::MAX {
                        let there = self.of_span[j as usize];
                        if other.top <= span.top {
                            self.pairs.push((there, this));
                        }
                        if other.top >= span.top {
                            self.pairs.push((this, there));
                        }
                    }
                }
                self.known.push(riser);
            }
        }
    }

    /// Tells each riser what those beside it know; returns whether any learned something.
    fn spread(&mut self) -> bool {
        self.next.clone_from(&self.known);
        for &(low, high) in &self.pairs {
            self.next[high as usize].learn_below(self.known[low as usize].below);
            self.next[low as usize].learn_above(self.known[high as usize].above);
        }
        std::mem::swap(&mut self.known, &mut self.next);
        self.known != self.next
    }
}

/// How many columns wide a riser may be. A tile's margin holds that many columns.
pub(crate) const RISER_ROUNDS: u32 = 4;

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
    facing: Vec<(i32, bool)>,
    risers: Risers,
}

impl Columns {
    /// The solid spans of a column, from below.
    pub(crate) fn solids_of(&self, column: usize) -> &[SolidSpan] {
        let from = self.solid_firsts[column] as usize;
        &self.solids[from..self.solid_firsts[column + 1] as usize]
    }

    /// Adds solid spans, sorted by column.
    pub(crate) fn insert_solids(&mut self, added: &[(u32, SolidSpan)]) {
        let old = std::mem::take(&mut self.solids);
        let mut next = added.iter().peekable();
        self.solids.reserve(old.len() + added.len());
        for column in 0..self.solid_firsts.len() - 1 {
            let [from, to] = [self.solid_firsts[column], self.solid_firsts[column + 1]];
            let first = self.solids.len();
            self.solids.extend_from_slice(&old[from as usize..to as usize]);
            let mut mixed = false;
            while let Some((_, span)) = next.next_if(|(c, _)| *c as usize == column) {
                self.solids.push(*span);
                mixed = true;
            }
            if mixed {
                self.solids[first..].sort_by_key(|s| (s.lo, s.top));
            }
            self.solid_firsts[column] = first as u32;
        }
        let last = self.solid_firsts.len() - 1;
        self.solid_firsts[last] = self.solids.len() as u32;
    }

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
        if settings.bridge_gaps {
            bridge_gaps(self, grid, window);
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
            fill_solids(&mut sorted, &mut self.facing);
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
        let mut risers = std::mem::take(&mut self.risers);
        risers.find(self, grid, window);
        for _ in 1..RISER_ROUNDS {
            if !risers.spread() {
                break;
            }
        }
        for riser in &risers.known {
            if let (Some((below, area)), Some(above)) = (riser.below, riser.above)
                && i64::from(above) - i64::from(below) <= grid.step
            {
                self.solids[riser.span as usize].area = area;
            }
        }
        self.risers = risers;
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
fn fill_solids(samples: &mut Vec<Sample>, facing: &mut Vec<(i32, bool)>) {
    // In the order of the sweep: a surface facing down by where it begins, one facing up by where it
    // ends.
    facing.clear();
    facing.extend(samples.iter().filter_map(|s| {
        match (s.surface.faces_up(), s.surface.faces_down()) {
            (true, false) => Some((s.hi, true)),
            (false, true) => Some((s.lo, false)),
            _ => None,
        }
    }));
    facing.sort_unstable();
    let before = samples.len();
    for (i, &(from, up)) in facing.iter().enumerate() {
        if up {
            continue;
        }
        let past = from.saturating_add(TOUCHING_UNITS);
        if let Some(&(to, true)) = facing[i + 1..].iter().find(|n| !n.1 || n.0 > past) {
            samples.push(Sample { lo: from, hi: to, surface: Surface::UPRIGHT });
        }
    }
    if samples.len() > before {
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
