//! From samples to solid spans, and from those to ground with head room over it.
//!
//! Goes in: what each triangle covers of each column. Comes out: the solid parts of every column, and
//! the ground on them: spans whose top can be walked on and over which the agent has room (Saupin et
//! al. 2013, §2). What is too steep but within a step of walkable ground below it is walked over, as in
//! Recast; and, beyond it, so is what leads from ground to ground within one step, such as a leaning
//! riser; both together are a setting. Of two grounds in a column a step apart the one in its middle
//! counts, or the one that leads on where the other does not: a tread narrower than the column. Another
//! setting: what lies between a surface facing down and the next one facing up is solid, so that a box
//! standing on the floor hides the floor in it.

use crate::settings::VoxelSettings;
use crate::voxel::bridge_gaps::bridge_gaps;
use crate::voxel::grid::{Grid, Surface, Window};
use crate::voxel::link_neighbours::column_beside;
use crate::voxel::rasterize::Sample;
use crate::voxel::sample_places::{Places, TOUCHING_UNITS};
use crate::voxel::walk_over_risers::walk_over_risers;

/// In [`SolidSpan::area`]: the top cannot be walked on.
const NO_GROUND: u16 = u16::MAX;

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
    made: Made,
}

/// What makes the top of a span ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// A surface that can be walked on.
    Surface,
    /// A steep surface that is stepped over.
    Riser,
    /// Nothing: a gap that is stepped over.
    Bridge,
}

impl SolidSpan {
    /// Ground across a gap.
    pub(crate) const fn bridge(height: i32, rise: i32, area: u16) -> Self {
        let (steep, made) = (false, Made::Bridge);
        Self { lo: height, top: height, ground: height, rise, area, steep, made }
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

    /// The lowest and the highest point of the ground on it.
    const fn ground_range(&self) -> [i32; 2] {
        // The middle of the two was rounded down.
        let lo = self.ground.saturating_sub(self.rise / 2 + 1);
        [lo, lo.saturating_add(self.rise).saturating_add(2)]
    }

    /// Whether the top is too steep, but faces up.
    pub(crate) const fn is_steep(&self) -> bool {
        self.steep && !self.is_ground()
    }

    pub(crate) const fn make_ground(&mut self, area: u16, made: Made) {
        (self.area, self.made) = (area, made);
    }

    /// Something to sort by.
    pub(crate) const fn key(&self) -> (i32, u16) {
        (self.rise, self.area)
    }
}

/// Solid spans and ground over a window, flat arrays column by column.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Where each column's solid spans begin, and one past the last at the end.
    pub(crate) solid_firsts: Vec<u32>,
    pub(crate) solids: Vec<SolidSpan>,
    /// Where each column's ground begins, and one past the last at the end.
    pub(crate) firsts: Vec<u32>,
    /// The ground.
    pub(crate) grounds: Vec<GroundSpan>,
    /// Other ground in columns that hold a step.
    others: Vec<OtherGround>,
    scratch: Vec<Part>,
    facing: Vec<i64>,
}

/// Ground with head room, heights in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundSpan {
    pub(crate) height: i32,
    /// How much it rises over its column.
    pub(crate) rise: i32,
    /// Where the solid under it ends.
    pub(crate) top: i32,
    /// Where the next solid above begins.
    pub(crate) ceiling: i32,
    /// Its area type.
    pub(crate) area: u16,
    /// What makes it ground.
    pub(crate) made: Made,
}

/// What a surface covers of a column: a sample without its triangle. Lowest and highest point and
/// surface in one number, so that comparing is one instruction and not three branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part(u128);

/// Makes the order of signed numbers that of their bits.
const SIGN: u32 = 1 << 31;

impl Part {
    #[inline]
    const fn new(lo: i32, hi: i32, surface: Surface) -> Self {
        let [lo, hi] = [lo as u32 ^ SIGN, hi as u32 ^ SIGN];
        Self((lo as u128) << 64 | ((hi as u64) << 32 | surface.bits() as u64) as u128)
    }

    #[inline]
    const fn lo(self) -> i32 {
        ((self.0 >> 64) as u32 ^ SIGN) as i32
    }

    #[inline]
    const fn hi(self) -> i32 {
        ((self.0 as u64 >> 32) as u32 ^ SIGN) as i32
    }

    #[inline]
    const fn surface(self) -> Surface {
        Surface::from_bits(self.0 as u32)
    }
}

impl Sample {
    const fn part(&self) -> Part {
        Part::new(self.lo, self.hi, self.surface)
    }
}

/// Columns of more samples than this are sorted as a whole.
const MOST_TO_INSERT: usize = 24;

/// Adds a part to sorted ones, unless it is there.
fn insert(parts: &mut Vec<Part>, part: Part) {
    let mut at = parts.len();
    while at > 0 && parts[at - 1] > part {
        at -= 1;
    }
    if at > 0 && parts[at - 1] == part {
        return;
    }
    parts.push(part);
    let mut i = parts.len() - 1;
    while i > at {
        parts[i] = parts[i - 1];
        i -= 1;
    }
    parts[at] = part;
}

/// Ground within a step of the ground of a solid span, in the same column.
#[derive(Clone, Copy, Debug)]
struct OtherGround {
    column: usize,
    /// The top of the solid span.
    top: i32,
    ground: i32,
    rise: i32,
    area: u16,
}

impl Columns {
    /// The solid spans of a column, from below.
    #[inline]
    pub(crate) fn solids_of(&self, column: usize) -> &[SolidSpan] {
        let from = self.solid_firsts[column] as usize;
        &self.solids[from..self.solid_firsts[column + 1] as usize]
    }

    /// The column of a solid span.
    pub(crate) fn column_of_solid(&self, solid: u32) -> usize {
        self.solid_firsts.partition_point(|&first| first <= solid) - 1
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
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.grounds.len()
    }

    /// The ground spans of a column.
    #[inline]
    pub(crate) fn span_range(&self, column: usize) -> std::ops::Range<u32> {
        self.firsts[column]..self.firsts[column + 1]
    }

    /// Builds the spans of a window from its samples, in place of what was there: in smaller windows
    /// solid spans, and ground.
    pub(crate) fn fill(
        &mut self,
        places: &Places<'_>,
        [solid, known]: [&Window; 2],
        settings: &VoxelSettings,
    ) {
        let (grid, window) = (places.grid, places.window);
        self.solid_firsts.clear();
        self.solids.clear();
        self.firsts.clear();
        self.grounds.clear();
        self.others.clear();
        let width = window.width() as usize;
        self.solid_firsts.reserve(grid.columns_to_reserve() + 1);
        self.solids.reserve(grid.columns_to_reserve());
        for row in 0..window.depth() {
            let inside = window.columns_within(solid, row);
            self.solid_firsts.resize(inside.start, self.solids.len() as u32);
            for column in inside {
                let first = self.solids.len();
                self.solid_firsts.push(first as u32);
                match places.samples.of_column(column) {
                    [] => {}
                    [sample] => self.solids.push(solid_of_one(&sample.part())),
                    samples => {
                        self.add_solids(samples, places, column, settings);
                        if settings.low_obstacles && self.solids.len() > first + 1 {
                            self.walk_over_low(first, grid);
                        }
                    }
                }
            }
            self.solid_firsts.resize((row as usize + 1) * width, self.solids.len() as u32);
        }
        self.solid_firsts.push(self.solids.len() as u32);
        if settings.low_obstacles {
            walk_over_risers(self, places);
        }
        if settings.bridge_gaps {
            bridge_gaps(self, places);
        }
        self.step_down(places);
        self.firsts.reserve(grid.columns_to_reserve() + 1);
        self.grounds.reserve(grid.columns_to_reserve() / 2);
        for row in 0..window.depth() {
            let inside = window.columns_within(known, row);
            self.firsts.resize(inside.start, self.grounds.len() as u32);
            let mut from = self.solid_firsts[inside.start];
            for column in inside {
                self.firsts.push(self.grounds.len() as u32);
                let to = self.solid_firsts[column + 1];
                if from < to {
                    self.add_ground(from as usize, to as usize, grid);
                }
                from = to;
            }
            self.firsts.resize((row as usize + 1) * width, self.grounds.len() as u32);
        }
        self.firsts.push(self.grounds.len() as u32);
    }

    /// The solid spans of one column: samples that touch are one.
    fn add_solids(
        &mut self,
        samples: &[Sample],
        places: &Places<'_>,
        column: usize,
        settings: &VoxelSettings,
    ) {
        let grid = places.grid;
        let Self { scratch: sorted, facing, solids, others, .. } = self;
        sorted.clear();
        if samples.len() <= MOST_TO_INSERT {
            for sample in samples {
                insert(sorted, sample.part());
            }
        } else {
            sorted.extend(samples.iter().map(Sample::part));
            sorted.sort_unstable();
            sorted.dedup();
        }
        if settings.fill_solids && sorted.iter().any(|s| s.surface().faces_down()) {
            fill_solids(sorted, facing);
        }
        let mut rest = sorted.as_slice();
        while let Some(first) = rest.first() {
            let mut top = first.hi();
            let mut count = 1;
            while let Some(next) = rest.get(count)
                && i64::from(next.lo()) - i64::from(top) <= i64::from(grid.cell_height)
            {
                top = top.max(next.hi());
                count += 1;
            }
            let (span, after) = rest.split_at(count);
            if let [one] = span {
                solids.push(solid_of_one(one));
            } else {
                let (span, other) = solid_span(span, top, places, column);
                solids.push(span);
                others.extend(other);
            }
            rest = after;
        }
    }

    /// Where a tread hangs over part of the next one, which goes on beside it, the ground is what lies
    /// in the column's middle.
    fn step_down(&mut self, places: &Places<'_>) {
        let step = places.grid.step;
        let mut lowered: Vec<(usize, SolidSpan)> = Vec::new();
        for (i, pair) in self.solids.windows(2).enumerate() {
            let [below, span] = [pair[0], pair[1]];
            if !(span.is_ground() && below.is_ground() && span.made == Made::Surface)
                || i64::from(span.top) - i64::from(below.ground) > step
            {
                continue;
            }
            let column = self.column_of_solid(i as u32);
            if i + 1 < self.solid_firsts[column + 1] as usize
                && self.goes_on_beside(places, column, &span, &below)
                && places.middle_is_lower(column, span.ground_range(), below.ground_range())
            {
                lowered.push((i + 1, below));
            }
        }
        let treads: Vec<(usize, OtherGround)> =
            self.others.iter().filter_map(|o| Some((self.is_tread(places, o)?, *o))).collect();
        for (i, below) in lowered {
            let span = &mut self.solids[i];
            (span.ground, span.rise, span.area) = (below.ground, below.rise, below.area);
        }
        for (i, tread) in treads {
            let span = &mut self.solids[i];
            (span.ground, span.rise, span.area) = (tread.ground, tread.rise, tread.area);
        }
    }

    /// Whether the other ground of a column is a tread narrower than the column: whether a step leads
    /// from it to ground beside the column to which none leads otherwise, and no way is lost. Returns
    /// the solid span that it lies in.
    fn is_tread(&self, places: &Places<'_>, other: &OtherGround) -> Option<usize> {
        let (grid, window) = (places.grid, places.window);
        // Where ground has room for the agent: its height, its top and its ceiling.
        let with_room = |column: usize| {
            let first = self.solid_firsts[column] as usize;
            let solids = self.solids_of(column);
            solids.iter().enumerate().filter_map(move |(i, s)| {
                let ceiling = solids.get(i + 1).map_or(i32::MAX, |above| above.lo);
                let room = i64::from(ceiling) - i64::from(s.top);
                (s.is_ground() && room >= grid.agent_height).then_some((first + i, s, ceiling))
            })
        };
        let (number, span, ceiling) =
            with_room(other.column).find(|(_, s, _)| s.top == other.top)?;
        if span.made != Made::Surface {
            return None;
        }
        let place = [other.column as u32 % window.width(), other.column as u32 / window.width()];
        let mut leads_on = false;
        for there in (0..4).filter_map(|d| column_beside(window, place, d)) {
            for (_, beside, ceiling_there) in with_room(there) {
                let room =
                    i64::from(ceiling.min(ceiling_there)) - i64::from(span.top.max(beside.top));
                if room < grid.agent_height {
                    continue;
                }
                let steps = |height: i32| {
                    (i64::from(beside.ground) - i64::from(height)).abs() <= grid.climb
                };
                match (steps(span.ground), steps(other.ground)) {
                    (true, false) => return None,
                    (false, true) => leads_on = true,
                    _ => {}
                }
            }
        }
        leads_on.then_some(number)
    }

    /// Whether the lower of two grounds in a column is the topmost one beside it.
    fn goes_on_beside(
        &self,
        places: &Places<'_>,
        column: usize,
        span: &SolidSpan,
        below: &SolidSpan,
    ) -> bool {
        let (grid, window) = (places.grid, places.window);
        let place = [column as u32 % window.width(), column as u32 / window.width()];
        let reach = i64::from(span.top) + grid.step;
        let apart = i64::from(below.rise) + i64::from(grid.cell_height);
        (0..4).filter_map(|d| column_beside(window, place, d)).any(|there| {
            let mut grounds = self.solids_of(there).iter().filter(|s| s.is_ground());
            let top = grounds.rfind(|s| i64::from(s.ground) <= reach);
            top.is_some_and(|s| (i64::from(s.ground) - i64::from(below.ground)).abs() <= apart)
        })
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

    fn add_ground(&mut self, first: usize, end: usize, grid: &Grid) {
        for i in first..end {
            let SolidSpan { top, ground: height, rise, area, made, .. } = self.solids[i];
            let ceiling = if i + 1 < end { self.solids[i + 1].lo } else { i32::MAX };
            if area != NO_GROUND && i64::from(ceiling) - i64::from(top) >= grid.agent_height {
                self.grounds.push(GroundSpan { height, rise, top, ceiling, area, made });
            }
        }
    }
}

/// Makes what lies between a surface facing down and the next one facing up solid. Only where nothing
/// else that faces down comes between the two: a lone sheet facing down has no end.
fn fill_solids(parts: &mut Vec<Part>, facing: &mut Vec<i64>) {
    // In the order of the sweep: a surface facing down by where it begins, one facing up by where it
    // ends. Where the two touch, the one facing up comes first: it ends what is below it, and does not
    // end what begins there. The last bit tells that one faces up.
    facing.clear();
    for s in parts.iter() {
        match (s.surface().faces_up(), s.surface().faces_down()) {
            (true, false) => facing.push(2 * i64::from(s.hi()) + 1),
            (false, true) => facing.push(2 * i64::from(s.lo().saturating_add(TOUCHING_UNITS))),
            _ => {}
        }
    }
    // Nearly sorted as they come.
    if facing.len() <= MOST_TO_INSERT {
        for end in 1..facing.len() {
            let mut at = end;
            while at > 0 && facing[at - 1] > facing[at] {
                facing.swap(at - 1, at);
                at -= 1;
            }
        }
    } else {
        facing.sort_unstable();
    }
    let few = parts.len() <= MOST_TO_INSERT;
    for pair in facing.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        if from & 1 != 0 || to & 1 == 0 {
            continue;
        }
        let lo = ((from >> 1) as i32).saturating_sub(TOUCHING_UNITS);
        let part = Part::new(lo, (to >> 1) as i32, Surface::UPRIGHT);
        if few {
            insert(parts, part);
        } else {
            parts.push(part);
        }
    }
    if !few {
        parts.sort_unstable();
    }
}

/// The same as [`solid_span`] of a single part.
fn solid_of_one(part: &Part) -> SolidSpan {
    let (lo, top, surface) = (part.lo(), part.hi(), part.surface());
    let (area, made) = (NO_GROUND, Made::Surface);
    let mut span = SolidSpan { lo, top, ground: top, rise: 0, area, steep: false, made };
    if surface.is_ground() {
        span.area = surface.area();
    } else if surface == Surface::STEEP {
        span.steep = true;
    } else {
        return span;
    }
    span.rise = (i64::from(top) - i64::from(lo)).min(i64::from(i32::MAX)) as i32;
    span.ground = ((i64::from(lo) + i64::from(top)) / 2) as i32;
    span
}

/// One span from parts that touch. Its top is ground where a walkable sample makes it, or, with
/// low obstacles, lies within a step below it.
fn solid_span(
    parts: &[Part],
    top: i32,
    places: &Places<'_>,
    column: usize,
) -> (SolidSpan, Option<OtherGround>) {
    let (lo, ground, area, made) = (parts[0].lo(), top, NO_GROUND, Made::Surface);
    let mut span = SolidSpan { lo, top, ground, rise: 0, area, steep: false, made };
    let walkable = || parts.iter().filter(|s| s.surface().is_ground());
    let best = walkable().max_by_key(|s| (s.hi(), s.surface()));
    let best = best.filter(|best| i64::from(top) - i64::from(best.hi()) <= places.step_over);
    let Some(best) = best else {
        if let Some(steep) = parts.iter().find(|s| s.surface() == Surface::STEEP && s.hi() == top) {
            span.steep = true;
            span.rise = (i64::from(top) - i64::from(steep.lo())).min(i64::from(i32::MAX)) as i32;
            span.ground = ((i64::from(steep.lo()) + i64::from(top)) / 2) as i32;
        }
        return (span, None);
    };
    // The walkable parts that hang together with the topmost: together they are the ground. What
    // stands on it and is stepped over does not raise it.
    let hanging = |from: &Part| {
        let mut lo = from.lo();
        for s in parts.iter().rev().filter(|s| s.surface().is_ground()) {
            if s.hi() >= lo && s.lo() < lo {
                lo = s.lo();
            }
        }
        lo
    };
    let mut best = *best;
    let mut lo = hanging(&best);
    // A step within the column: the ground is what lies in its middle.
    let lower = walkable()
        .filter(|s| s.hi() < lo && i64::from(top) - i64::from(s.hi()) <= places.step_over)
        .max_by_key(|s| (s.hi(), s.surface()));
    let rise = |lo: i32, hi: i32| (i64::from(hi) - i64::from(lo)).min(i64::from(i32::MAX)) as i32;
    let ground = |lo: i32, hi: i32| ((i64::from(lo) + i64::from(hi)) / 2) as i32;
    let mut other = None;
    if let Some(lower) = lower {
        let below = hanging(lower);
        let mut rest = (*lower, below);
        if places.middle_is_lower(column, [lo, best.hi()], [below, lower.hi()]) {
            ((best, lo), rest) = (rest, (best, lo));
        }
        let (s, lo) = rest;
        let (ground, rise, area) = (ground(lo, s.hi()), rise(lo, s.hi()), s.surface().area());
        other = Some(OtherGround { column, top, ground, rise, area });
    }
    span.area = best.surface().area();
    span.rise = rise(lo, best.hi());
    span.ground = ground(lo, best.hi());
    (span, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts in no order, some of them twice, from a number to start with.
    fn parts(seed: u32, count: usize) -> Vec<Part> {
        let mut state = seed;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let surfaces = [Surface::UPRIGHT, Surface::STEEP, Surface::DOWN, Surface::ground(3)];
        (0..count)
            .map(|_| {
                let lo = 40 * next(9) as i32 - 160;
                Part::new(lo, lo + 50 * next(3) as i32, surfaces[next(4) as usize])
            })
            .collect()
    }

    #[test]
    fn parts_keep_their_numbers_and_their_order() {
        let surface = Surface::ground(u16::MAX);
        for (lo, hi) in [(i32::MIN, i32::MAX), (-1, 0), (0, 0), (-7, -3)] {
            let part = Part::new(lo, hi, surface);
            assert_eq!((part.lo(), part.hi(), part.surface()), (lo, hi, surface));
        }
        assert!(Part::new(-1, 5, surface) < Part::new(0, -5, Surface::UPRIGHT));
        assert!(Part::new(2, -1, surface) < Part::new(2, 0, Surface::UPRIGHT));
        assert!(Part::new(2, 0, Surface::UPRIGHT) < Part::new(2, 0, Surface::DOWN));
    }

    #[test]
    fn inserting_one_by_one_sorts_and_leaves_out_what_is_there() {
        for seed in 0..200 {
            let mut whole = parts(seed, seed as usize % 30);
            let mut one_by_one = Vec::new();
            whole.iter().for_each(|p| insert(&mut one_by_one, *p));
            whole.sort_unstable();
            whole.dedup();
            assert_eq!(one_by_one, whole);
        }
    }

    #[test]
    fn a_box_on_the_floor_is_solid_and_a_lone_ceiling_is_not() {
        let up = Surface::ground(0);
        let solid = |lo, hi| Part::new(lo, hi, Surface::UPRIGHT);
        let mut column =
            vec![Part::new(0, 0, up), Part::new(10, 10, Surface::DOWN), Part::new(900, 900, up)];
        fill_solids(&mut column, &mut Vec::new());
        assert!(column.contains(&solid(10, 900)));
        let mut ceiling = vec![Part::new(0, 0, up), Part::new(900, 900, Surface::DOWN)];
        let before = ceiling.clone();
        fill_solids(&mut ceiling, &mut Vec::new());
        assert_eq!(ceiling, before);
        // Many parts are dealt with another way than few: what is found is the same.
        let mut many: Vec<Part> = (0..MOST_TO_INSERT as i32)
            .flat_map(|i| [(1000 * i, Surface::DOWN), (1000 * i + 500, up)])
            .map(|(z, surface)| Part::new(z, z, surface))
            .collect();
        fill_solids(&mut many, &mut Vec::new());
        assert_eq!(many.len(), 3 * MOST_TO_INSERT);
        assert!(
            (0..MOST_TO_INSERT as i32).all(|i| many.contains(&solid(1000 * i, 1000 * i + 500)))
        );
        assert!(many.is_sorted());
    }
}
