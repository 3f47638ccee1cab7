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

use crate::heightfield::grid::Window;
use crate::heightfield::rasterize::Sample;
use crate::input::classify::FaceClass;
use crate::input::limits::TOUCHING_UNITS;
use crate::settings::VoxelSettings;
use crate::voxel::bin_tiles::TiledGrid;
use crate::voxel::bridge_steps::bridge_steps;
use crate::voxel::keep_risers::keep_risers;
use crate::voxel::sample_places::Places;
use crate::voxel::spans::{Columns, GroundSpan, Made, NO_GROUND, OtherTop, SolidSpan};

/// What a surface covers of a column: a sample without its triangle. Lowest and highest point and
/// surface in one number, so that comparing is one instruction and not three branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CoveredRange(u128);

/// Makes the order of signed numbers that of their bits.
const SIGN: u32 = 1 << 31;

impl CoveredRange {
    #[inline]
    const fn new(lo: i32, hi: i32, class: FaceClass) -> Self {
        let [lo, hi] = [lo as u32 ^ SIGN, hi as u32 ^ SIGN];
        Self((lo as u128) << 64 | ((hi as u64) << 32 | class.bits() as u64) as u128)
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
    const fn class(self) -> FaceClass {
        FaceClass::from_bits(self.0 as u32)
    }
}

impl Sample {
    const fn part(&self) -> CoveredRange {
        CoveredRange::new(self.lo, self.hi, self.class)
    }
}

/// Columns of more samples than this are sorted as a whole.
const MOST_TO_INSERT: usize = 24;

/// Adds a part to sorted ones, unless it is there.
fn insert(parts: &mut Vec<CoveredRange>, part: CoveredRange) {
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

/// Working memory of the filter.
#[derive(Debug, Default)]
pub(crate) struct FilterScratch {
    /// Other ground in columns that hold a step.
    others: Vec<OtherGround>,
    sorted: Vec<CoveredRange>,
    facing: Vec<i64>,
}

/// Builds the spans of a window from its samples, in place of what was there: in smaller windows
/// solid spans, and ground.
pub(crate) fn filter_spans(
    columns: &mut Columns,
    scratch: &mut FilterScratch,
    places: &Places<'_>,
    [solid, known]: [&Window; 2],
    settings: &VoxelSettings,
) {
    let (grid, window) = (places.grid, places.window);
    columns.solid_firsts.clear();
    columns.solids.clear();
    columns.firsts.clear();
    columns.grounds.clear();
    scratch.others.clear();
    let width = window.width() as usize;
    columns.solid_firsts.reserve(grid.columns_to_reserve() + 1);
    columns.solids.reserve(grid.columns_to_reserve());
    for row in 0..window.depth() {
        let inside = window.columns_within(solid, row);
        columns.solid_firsts.resize(inside.start, columns.solids.len() as u32);
        for column in inside {
            let first = columns.solids.len();
            columns.solid_firsts.push(first as u32);
            match places.samples.of_column(column) {
                [] => {}
                [sample] => columns.solids.push(solid_of_one(&sample.part())),
                samples => {
                    add_solids(columns, scratch, samples, places, column, settings);
                    if settings.low_obstacles && columns.solids.len() > first + 1 {
                        walk_over_low(columns, first, grid);
                    }
                }
            }
        }
        columns.solid_firsts.resize((row as usize + 1) * width, columns.solids.len() as u32);
    }
    columns.solid_firsts.push(columns.solids.len() as u32);
    if settings.low_obstacles {
        keep_risers(columns, places);
    }
    if settings.bridge_gaps {
        bridge_steps(columns, places);
    }
    step_down(columns, &scratch.others, places);
    columns.firsts.reserve(grid.columns_to_reserve() + 1);
    columns.grounds.reserve(grid.columns_to_reserve() / 2);
    for row in 0..window.depth() {
        let inside = window.columns_within(known, row);
        columns.firsts.resize(inside.start, columns.grounds.len() as u32);
        let mut from = columns.solid_firsts[inside.start];
        for column in inside {
            columns.firsts.push(columns.grounds.len() as u32);
            let to = columns.solid_firsts[column + 1];
            if from < to {
                add_ground(columns, from as usize, to as usize, grid);
            }
            from = to;
        }
        columns.firsts.resize((row as usize + 1) * width, columns.grounds.len() as u32);
    }
    columns.firsts.push(columns.grounds.len() as u32);
}

/// The solid spans of one column: samples that touch are one.
fn add_solids(
    columns: &mut Columns,
    scratch: &mut FilterScratch,
    samples: &[Sample],
    places: &Places<'_>,
    column: usize,
    settings: &VoxelSettings,
) {
    let grid = places.grid;
    let FilterScratch { sorted, facing, others } = scratch;
    let solids = &mut columns.solids;
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
    if settings.fill_solids && sorted.iter().any(|s| s.class().faces_down()) {
        fill_solids(sorted, facing);
    }
    let mut rest = sorted.as_slice();
    while let Some(first) = rest.first() {
        let mut top = first.hi();
        let mut count = 1;
        while let Some(next) = rest.get(count)
            && i64::from(next.lo()) - i64::from(top) <= i64::from(grid.columns.cell_height)
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
fn step_down(columns: &mut Columns, others: &[OtherGround], places: &Places<'_>) {
    let step = places.grid.step;
    let mut lowered: Vec<(usize, SolidSpan)> = Vec::new();
    for (i, pair) in columns.solids.windows(2).enumerate() {
        let [below, span] = [pair[0], pair[1]];
        if !(span.is_ground() && below.is_ground() && span.made == Made::Surface)
            || i64::from(span.top) - i64::from(below.ground) > step
        {
            continue;
        }
        let column = columns.column_of_solid(i as u32);
        if i + 1 < columns.solid_firsts[column + 1] as usize
            && goes_on_beside(columns, places, column, &span, &below)
            && places.middle_is_lower(column, span.ground_range(), below.ground_range())
        {
            lowered.push((i + 1, below));
        }
    }
    let treads: Vec<(usize, OtherGround)> =
        others.iter().filter_map(|o| Some((is_tread(columns, places, o)?, *o))).collect();
    for (i, below) in lowered {
        let span = &mut columns.solids[i];
        (span.ground, span.rise, span.area) = (below.ground, below.rise, below.area);
    }
    for (i, tread) in treads {
        let span = &mut columns.solids[i];
        (span.ground, span.rise, span.area) = (tread.ground, tread.rise, tread.area);
    }
}

/// Whether the other ground of a column is a tread narrower than the column: whether a step leads
/// from it to ground beside the column to which none leads otherwise, and no way is lost. Returns
/// the solid span that it lies in.
fn is_tread(columns: &Columns, places: &Places<'_>, other: &OtherGround) -> Option<usize> {
    let (grid, window) = (places.grid, places.window);
    // Where ground has room for the agent: its height, its top and its ceiling.
    let with_room = |column: usize| {
        let first = columns.solid_firsts[column] as usize;
        let solids = columns.solids_of(column);
        solids.iter().enumerate().filter_map(move |(i, s)| {
            let ceiling = solids.get(i + 1).map_or(i32::MAX, |above| above.lo);
            let room = i64::from(ceiling) - i64::from(s.top);
            (s.is_ground() && room >= grid.agent_height).then_some((first + i, s, ceiling))
        })
    };
    let (number, span, ceiling) = with_room(other.column).find(|(_, s, _)| s.top == other.top)?;
    if span.made != Made::Surface {
        return None;
    }
    let place = [other.column as u32 % window.width(), other.column as u32 / window.width()];
    let mut leads_on = false;
    for there in (0..4).filter_map(|d| window.column_beside(place, d)) {
        for (_, beside, ceiling_there) in with_room(there) {
            let room = i64::from(ceiling.min(ceiling_there)) - i64::from(span.top.max(beside.top));
            if room < grid.agent_height {
                continue;
            }
            let steps =
                |height: i32| (i64::from(beside.ground) - i64::from(height)).abs() <= grid.climb;
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
    columns: &Columns,
    places: &Places<'_>,
    column: usize,
    span: &SolidSpan,
    below: &SolidSpan,
) -> bool {
    let (grid, window) = (places.grid, places.window);
    let place = [column as u32 % window.width(), column as u32 / window.width()];
    let reach = i64::from(span.top) + grid.step;
    let apart = i64::from(below.rise) + i64::from(grid.columns.cell_height);
    (0..4).filter_map(|d| window.column_beside(place, d)).any(|there| {
        let mut grounds = columns.solids_of(there).iter().filter(|s| s.is_ground());
        let top = grounds.rfind(|s| i64::from(s.ground) <= reach);
        top.is_some_and(|s| (i64::from(s.ground) - i64::from(below.ground)).abs() <= apart)
    })
}

/// Steep tops within a step of the ground below them become ground.
fn walk_over_low(columns: &mut Columns, first: usize, grid: &TiledGrid) {
    let mut below: Option<SolidSpan> = None;
    for span in &mut columns.solids[first..] {
        let as_found = *span;
        if let Some(b) = below
            && span.area == NO_GROUND
            && span.other != OtherTop::Obstacle
            && b.area != NO_GROUND
            && i64::from(span.top) - i64::from(b.top) <= grid.step
        {
            (span.area, span.ground, span.rise) = (b.area, b.ground, b.rise);
        }
        below = Some(as_found);
    }
}

fn add_ground(columns: &mut Columns, first: usize, end: usize, grid: &TiledGrid) {
    for i in first..end {
        let SolidSpan { top, ground: height, rise, area, made, .. } = columns.solids[i];
        let ceiling = if i + 1 < end { columns.solids[i + 1].lo } else { i32::MAX };
        if area != NO_GROUND && i64::from(ceiling) - i64::from(top) >= grid.agent_height {
            columns.grounds.push(GroundSpan { height, rise, top, ceiling, area, made });
        }
    }
}

/// Makes what lies between a surface facing down and the next one facing up solid. Only where nothing
/// else that faces down comes between the two: a lone sheet facing down has no end.
fn fill_solids(parts: &mut Vec<CoveredRange>, facing: &mut Vec<i64>) {
    // In the order of the sweep: a surface facing down by where it begins, one facing up by where it
    // ends. Where the two touch, the one facing up comes first: it ends what is below it, and does not
    // end what begins there. The last bit tells that one faces up.
    facing.clear();
    for s in parts.iter() {
        match (s.class().faces_up(), s.class().faces_down()) {
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
        let part = CoveredRange::new(lo, (to >> 1) as i32, FaceClass::UPRIGHT);
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
fn solid_of_one(part: &CoveredRange) -> SolidSpan {
    let (lo, top, class) = (part.lo(), part.hi(), part.class());
    let (area, made) = (NO_GROUND, Made::Surface);
    let other = OtherTop::Plain;
    let mut span = SolidSpan { lo, top, ground: top, rise: 0, area, other, made };
    if class.is_ground() {
        span.area = class.area();
    } else if class == FaceClass::STEEP {
        span.other = OtherTop::Steep;
    } else if class == FaceClass::OBSTACLE {
        span.other = OtherTop::Obstacle;
        return span;
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
    parts: &[CoveredRange],
    top: i32,
    places: &Places<'_>,
    column: usize,
) -> (SolidSpan, Option<OtherGround>) {
    let (lo, ground, area, made) = (parts[0].lo(), top, NO_GROUND, Made::Surface);
    let other = OtherTop::Plain;
    let mut span = SolidSpan { lo, top, ground, rise: 0, area, other, made };
    let walkable = || parts.iter().filter(|s| s.class().is_ground());
    let best = walkable().max_by_key(|s| (s.hi(), s.class()));
    let best = best.filter(|best| i64::from(top) - i64::from(best.hi()) <= places.step_over);
    let lowest_hi = best.map_or(i32::MIN, |best| best.hi());
    if parts.iter().any(|s| s.class() == FaceClass::OBSTACLE && s.hi() >= lowest_hi) {
        span.other = OtherTop::Obstacle;
        return (span, None);
    }
    let Some(best) = best else {
        if let Some(steep) = parts.iter().find(|s| s.class() == FaceClass::STEEP && s.hi() == top) {
            span.other = OtherTop::Steep;
            span.rise = (i64::from(top) - i64::from(steep.lo())).min(i64::from(i32::MAX)) as i32;
            span.ground = ((i64::from(steep.lo()) + i64::from(top)) / 2) as i32;
        }
        return (span, None);
    };
    // The walkable parts that hang together with the topmost: together they are the ground. What
    // stands on it and is stepped over does not raise it.
    let hanging = |from: &CoveredRange| {
        let mut lo = from.lo();
        for s in parts.iter().rev().filter(|s| s.class().is_ground()) {
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
        .max_by_key(|s| (s.hi(), s.class()));
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
        let (ground, rise, area) = (ground(lo, s.hi()), rise(lo, s.hi()), s.class().area());
        other = Some(OtherGround { column, top, ground, rise, area });
    }
    span.area = best.class().area();
    span.rise = rise(lo, best.hi());
    span.ground = ground(lo, best.hi());
    (span, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts in no order, some of them twice, from a number to start with.
    fn parts(seed: u32, count: usize) -> Vec<CoveredRange> {
        let mut state = seed;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let surfaces =
            [FaceClass::UPRIGHT, FaceClass::STEEP, FaceClass::DOWN, FaceClass::ground(3)];
        (0..count)
            .map(|_| {
                let lo = 40 * next(9) as i32 - 160;
                CoveredRange::new(lo, lo + 50 * next(3) as i32, surfaces[next(4) as usize])
            })
            .collect()
    }

    #[test]
    fn parts_keep_their_numbers_and_their_order() {
        let class = FaceClass::ground(u16::MAX);
        for (lo, hi) in [(i32::MIN, i32::MAX), (-1, 0), (0, 0), (-7, -3)] {
            let part = CoveredRange::new(lo, hi, class);
            assert_eq!((part.lo(), part.hi(), part.class()), (lo, hi, class));
        }
        assert!(CoveredRange::new(-1, 5, class) < CoveredRange::new(0, -5, FaceClass::UPRIGHT));
        assert!(CoveredRange::new(2, -1, class) < CoveredRange::new(2, 0, FaceClass::UPRIGHT));
        assert!(
            CoveredRange::new(2, 0, FaceClass::UPRIGHT) < CoveredRange::new(2, 0, FaceClass::DOWN)
        );
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
        let up = FaceClass::ground(0);
        let solid = |lo, hi| CoveredRange::new(lo, hi, FaceClass::UPRIGHT);
        let mut column = vec![
            CoveredRange::new(0, 0, up),
            CoveredRange::new(10, 10, FaceClass::DOWN),
            CoveredRange::new(900, 900, up),
        ];
        fill_solids(&mut column, &mut Vec::new());
        assert!(column.contains(&solid(10, 900)));
        let mut ceiling =
            vec![CoveredRange::new(0, 0, up), CoveredRange::new(900, 900, FaceClass::DOWN)];
        let before = ceiling.clone();
        fill_solids(&mut ceiling, &mut Vec::new());
        assert_eq!(ceiling, before);
        // Many parts are dealt with another way than few: what is found is the same.
        let mut many: Vec<CoveredRange> = (0..MOST_TO_INSERT as i32)
            .flat_map(|i| [(1000 * i, FaceClass::DOWN), (1000 * i + 500, up)])
            .map(|(z, class)| CoveredRange::new(z, z, class))
            .collect();
        fill_solids(&mut many, &mut Vec::new());
        assert_eq!(many.len(), 3 * MOST_TO_INSERT);
        assert!(
            (0..MOST_TO_INSERT as i32).all(|i| many.contains(&solid(1000 * i, 1000 * i + 500)))
        );
        assert!(many.is_sorted());
    }
}
