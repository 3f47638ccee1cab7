//! Lays ground across the gaps of open stairs.
//!
//! Goes in: the solid spans of a window. Comes out: the same with a thin span in every empty column
//! between two treads that are apart in plan. Treads are treads of one flight where one is higher by a
//! step at most, nothing as high as the lower one lies between them, and a ramp from one to the other would be steep: a gap
//! no wider than such a ramp is long is stepped over, a wider one is a gap. Its width is taken from
//! where the treads end in their columns. Saupin et al. 2013, §5.2.2,
//! link such treads in the graph of finished regions; there a radius would have eroded them away.

use crate::voxel::bin_tiles::MOST_GAP_COLUMNS;
use crate::voxel::sample_places::{PlaceScratch, Places, SIDE};
use crate::voxel::spans::{Columns, SolidSpan};

/// The run of the steepest ramp for its rise: 55°.
const RUN_PER_RISE: f64 = 0.7;

/// Adds spans across gaps.
pub(crate) fn bridge_steps(columns: &mut Columns, places: &Places<'_>) {
    let (grid, window) = (places.grid, places.window);
    let mut scratch = PlaceScratch::default();
    let mut added: Vec<(u32, SolidSpan)> = Vec::new();
    let (width, depth) = (window.width() as usize, window.depth() as usize);
    for y in 0..depth {
        let firsts = &columns.solid_firsts[y * width..=(y + 1) * width];
        for x in (0..width).filter(|&x| firsts[x] < firsts[x + 1]) {
            let column = y * width + x;
            let [to_east, to_north] = [width - 1 - x, depth - 1 - y];
            let beside = |stride: usize, beyond: usize| match beyond {
                0 => &[][..],
                _ => columns.solids_of(column + stride),
            };
            let (east, north) = (beside(1, to_east), beside(width, to_north));
            for a in columns.solids_of(column).iter().filter(|s| s.is_ground()) {
                let mut look = |stride: usize, beyond: usize| {
                    let way = [column, stride, (MOST_GAP_COLUMNS as usize + 1).min(beyond)];
                    find_tread(columns, places, a, way, &mut scratch, &mut added);
                };
                if !goes_on(east, places, a) {
                    look(1, to_east);
                }
                if !goes_on(north, places, a) {
                    look(width, to_north);
                }
            }
        }
    }
    if added.is_empty() {
        return;
    }
    added.sort_unstable_by_key(|(column, s)| (*column, s.lo, s.top, s.key()));
    // Two gaps that cross leave one span.
    added.dedup_by(|later, kept| {
        later.0 == kept.0 && i64::from(later.1.lo) - i64::from(kept.1.lo) < grid.agent_height
    });
    columns.insert_solids(&added);
}

/// Whether something as high as a tread stands in the next column: the most common case.
#[inline]
fn goes_on(beside: &[SolidSpan], places: &Places<'_>, a: &SolidSpan) -> bool {
    let grid = places.grid;
    let height = i64::from(a.height());
    let over_head = height + grid.step + grid.agent_height;
    let least = height - i64::from(grid.columns.cell_height);
    beside.iter().any(|s| i64::from(s.lo) < over_head && i64::from(s.top) > least)
}

/// Looks from a tread along one axis, over columns with nothing as high as the lower of two treads, for
/// the other one.
fn find_tread(
    columns: &Columns,
    places: &Places<'_>,
    a: &SolidSpan,
    [column, stride, most]: [usize; 3],
    scratch: &mut PlaceScratch,
    added: &mut Vec<(u32, SolidSpan)>,
) {
    let grid = places.grid;
    let height = |s: &SolidSpan| i64::from(s.height());
    let over_head = height(a) + grid.step + grid.agent_height;
    // The highest solid passed so far.
    let mut passed = i64::MIN;
    for k in 1..=most {
        let there = columns.solids_of(column + k * stride);
        let gap = (k as i64 - 1) * i64::from(grid.columns.cell);
        let fits = |b: &&SolidSpan| {
            let rise = (height(b) - height(a)).abs();
            b.is_ground()
                && rise <= grid.step
                && gap as f64 <= RUN_PER_RISE * rise as f64
                && passed <= height(a).min(height(b)) - i64::from(grid.columns.cell_height)
        };
        if k > 1
            && let Some(b) = there.iter().find(fits)
        {
            let rise = (height(b) - height(a)).abs();
            let mut ground = |k: usize, s: &SolidSpan| {
                places.ground(column + k * stride, s.height(), false, scratch)
            };
            let missing = empty_places(ground(0, a), ground(k, b), stride == 1);
            let gap =
                (missing + SIDE * (k - 1)) as f64 * f64::from(grid.columns.cell) / SIDE as f64;
            if gap > RUN_PER_RISE * rise as f64 {
                return;
            }
            let area = if height(a) <= height(b) { a.area() } else { b.area() };
            for j in 1..k as i64 {
                let z = height(a) + (height(b) - height(a)) * j / k as i64;
                let span = SolidSpan::bridge(z as i32, (rise / k as i64) as i32, area);
                added.push(((column + j as usize * stride) as u32, span));
            }
            return;
        }
        let below = there.iter().filter(|s| i64::from(s.lo) < over_head);
        passed = passed.max(below.map(|s| i64::from(s.top)).max().unwrap_or(i64::MIN));
        if passed > height(a) - i64::from(grid.columns.cell_height) {
            return;
        }
    }
}

/// How many places at the facing ends of two columns are no ground, where they are fewest.
fn empty_places(a: u16, b: u16, along_x: bool) -> usize {
    let place = |row: usize, i: usize| if along_x { row * SIDE + i } else { i * SIDE + row };
    let end = |ground: u16, row: usize, order: [usize; SIDE]| {
        order.iter().take_while(|i| ground & 1 << place(row, **i) == 0).count()
    };
    (0..SIDE).map(|row| end(a, row, [3, 2, 1, 0]) + end(b, row, [0, 1, 2, 3])).min().unwrap_or(0)
}
