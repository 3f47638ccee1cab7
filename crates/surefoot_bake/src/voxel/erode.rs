//! Keeps the agent's radius from every boundary.
//!
//! Goes in: linked ground. Comes out: the same without what lies nearer to a boundary than the
//! radius, by true Euclidean distance from the middle of a column to the nearest place that is no
//! ground. Such places are looked for where links end, in the columns on both sides of the end, four by
//! four to a column: so the distance is right to an eighth of a column, and so is the radius.
//! Distances are taken along the ground: along y and then along x through the links, which finds every
//! boundary in the disc, since a disc all of which is reached so is all ground. Two passes, as in
//! Meijster's distance transform (2000).
//!
//! The error, in columns: a column stays only where the radius around its middle is free, up to
//! [`SAFE_EIGHTHS`]; its corners lie 0.71 farther out, and the simplification of contours moves a
//! boundary outwards by a quarter: together less than one. Inwards: a quarter here, 0.71 for the
//! corners, and what the simplification is allowed.

use crate::heightfield::grid::{EAST, NORTH, SOUTH, WEST};
use crate::voxel::link_neighbours::{CompactHeightfield, NO_SPAN, side_class};
use crate::voxel::sample_places::{ALL, PlaceScratch, Places, SIDE};
use crate::voxel::spans::{Columns, Made};
use surefoot_mesh::EdgeClass;

/// Added to the radius, in eighths of a column: places are a quarter apart, so the ground may end that
/// much nearer than the first place that is none.
const SAFE_EIGHTHS: i128 = 2;

/// Rows of places that are looked at along a row of columns: its own, and one on either side. Where no
/// link leads there, the ground may end on the very line between two rows of columns.
const ROWS: usize = SIDE + 2;

/// How far a row of places lies from the middle of its row of columns, in eighths of a column.
const fn row_offset(row: usize) -> i32 {
    2 * row as i32 - 5
}

/// A number for each row of places. There are two more than rows, so that all of them fit into one
/// register; those never hold less than the others.
type Rows = [i16; 8];

/// Steps over places to the first that is no ground, for each row of places, and what stands there.
#[derive(Clone, Copy, Debug)]
struct Along {
    places: Rows,
    class: EdgeClass,
}

fn least(rows: &Rows) -> i16 {
    rows.iter().fold(i16::MAX, |least, &n| least.min(n))
}

/// What lies on both sides of the ends of a span's links.
#[derive(Clone, Copy, Debug)]
struct LinkEnds {
    /// The ground behind each of the four sides.
    behind: [u16; 4],
    classes: [EdgeClass; 4],
    /// What keeps places of the span itself from being ground.
    class: EdgeClass,
}

/// Working memory of the erosion.
#[derive(Debug, Default)]
pub(crate) struct ErodeScratch {
    /// The places of every span that are ground.
    ground: Vec<u16>,
    /// For spans with links that end: where to look in `ends`.
    ends_of: Vec<u32>,
    ends: Vec<LinkEnds>,
    /// What is met to the west and to the east of every span.
    aside: [Vec<Aside>; 2],
    /// For every span with links that end, what is met from there to the west and to the east.
    met: [Vec<StepsMet>; 2],
    /// The least number of eighths of a column from the middle of each span, either way: most spans
    /// are far from everything, and that alone tells.
    least: Vec<i16>,
    /// How many links to the north and to the south something is that [`too_near`] has to look at.
    quiet: [Vec<u8>; 2],
    removed: Vec<(u32, EdgeClass)>,
    places: PlaceScratch,
}

/// To one side of a span: the next span with links that end, its place in [`ErodeScratch::ends`], and
/// how many columns away it is.
#[derive(Clone, Copy, Debug, Default)]
struct Aside {
    end: u32,
    columns: u32,
}

/// Steps to one side of a span with links that end, from its middle and from its far side, and the
/// least of each.
#[derive(Clone, Copy, Debug)]
struct StepsMet {
    half: Along,
    whole: Along,
    least_half: i16,
    least_whole: i16,
}

/// The places in [`ErodeScratch::aside`], [`ErodeScratch::met`].
const TO_WEST: usize = 0;
const TO_EAST: usize = 1;

/// Erodes the ground of a window by the agent's radius.
pub(crate) fn erode(
    field: &mut CompactHeightfield,
    columns: &Columns,
    places: &Places<'_>,
    scratch: &mut ErodeScratch,
) {
    let grid = places.grid;
    // The least square of a distance in eighths of a column that is far enough: comparing is exact.
    let limit = {
        let cell = i128::from(grid.columns.cell);
        let far = 8 * i128::from(grid.agent_radius) + SAFE_EIGHTHS * cell;
        ((far * far + cell * cell - 1) / (cell * cell)) as u64
    };
    // Rows of columns whose nearest places are near enough.
    let reach = (0_u32..).find(|&k| square(8 * (k + 1) - 5) >= limit).unwrap_or(0);
    find_ends(field, columns, places, scratch);
    let cap = (SIDE as u32 * (reach + 2)).min(FAR as u32) as i16;
    measure_along_x(field, cap, scratch);
    find_quiet(field, limit, scratch);
    let mut removed = std::mem::take(&mut scratch.removed);
    removed.clear();
    for span in 0..field.links.len() as u32 {
        if field.gone[span as usize].is_none()
            && let Some(class) = too_near(field, scratch, span, [limit, u64::from(reach)], cap)
        {
            removed.push((span, class));
        }
    }
    field.remove_all(&removed);
    scratch.removed = removed;
}

const fn square(n: u32) -> u64 {
    n as u64 * n as u64
}

/// Counts the links from each span to the first that has to be looked at, to the north and to the south:
/// where a link ends, and where something is near to the west or the east.
fn find_quiet(field: &CompactHeightfield, limit: u64, scratch: &mut ErodeScratch) {
    let count = field.links.len();
    let ErodeScratch { least, quiet: [north, south], .. } = scratch;
    // The nearest row of places in the next row of columns lies three eighths away.
    let is_near = |span: u32| square(least[span as usize] as u32) + square(3) < limit;
    // All entries are written before they are read.
    north.resize(count, 0);
    south.resize(count, 0);
    let ahead = |links: &[u32; 4], direction: usize, quiet: &[u8]| match links[direction] {
        NO_SPAN => 0,
        next if is_near(next) => 0,
        next => quiet[next as usize].saturating_add(1),
    };
    // Spans are numbered row by row, so the neighbour to the south comes before, to the north after.
    for (span, links) in field.links.iter().enumerate() {
        south[span] = ahead(links, SOUTH, south);
    }
    for (span, links) in field.links.iter().enumerate().rev() {
        north[span] = ahead(links, NORTH, north);
    }
}

/// What stands nearer to the middle of a span than allowed.
fn too_near(
    field: &CompactHeightfield,
    scratch: &ErodeScratch,
    span: u32,
    [limit, reach]: [u64; 2],
    cap: i16,
) -> Option<EdgeClass> {
    let mut best = (limit, None);
    let look = |best: &mut (u64, Option<EdgeClass>), along: &Along, rows_away: i32| {
        for (row, &x) in along.places[..ROWS].iter().enumerate() {
            let y = (8 * rows_away + row_offset(row)).unsigned_abs();
            let away = square(x as u32) + square(y);
            if away < best.0 {
                *best = (away, Some(along.class));
            }
        }
    };
    if square(scratch.least[span as usize] as u32) < best.0 {
        look(&mut best, &scratch.nearest(span, cap), 0);
    }
    for (direction, sign, quiet) in [(NORTH, 1, &scratch.quiet[0]), (SOUTH, -1, &scratch.quiet[1])]
    {
        // Most spans are far from everything.
        if u64::from(quiet[span as usize]) >= reach {
            continue;
        }
        let mut at = span;
        for k in 1..=reach as i32 {
            let row_away = square((8 * k - 5) as u32);
            if row_away >= best.0 {
                break;
            }
            let next = field.links[at as usize][direction];
            if next == NO_SPAN {
                let (there, class) = scratch.behind(at, direction);
                let along = Along { places: nearest_in(there), class };
                look(&mut best, &along, sign * k);
                // Behind that column nothing is known to be ground.
                let away = square(1) + square((8 * k + 5) as u32);
                if away < best.0 {
                    best = (away, Some(class));
                }
                break;
            }
            at = next;
            if row_away + square(scratch.least[at as usize] as u32) < best.0 {
                look(&mut best, &scratch.nearest(at, cap), sign * k);
            }
        }
    }
    best.1
}

impl ErodeScratch {
    fn ends(&self, span: u32) -> Option<&LinkEnds> {
        self.ends.get(self.ends_of[span as usize] as usize)
    }

    /// The ground behind a side of a span where no link leads on, and what stands there.
    fn behind(&self, span: u32, direction: usize) -> (u16, EdgeClass) {
        self.ends(span)
            .map_or((0, EdgeClass::Open), |e| (e.behind[direction], e.classes[direction]))
    }

    /// Steps from the middle of a span to one side, and the least of them.
    fn half(&self, span: u32, side: usize, cap: i16) -> Along {
        let Aside { end, columns } = self.aside[side][span as usize];
        let met = &self.met[side][end as usize];
        if columns == 0 { met.half } else { met.whole.farther(steps(columns) - 2, cap) }
    }

    /// Eighths of a column from the middle of a span to what is nearest, either way.
    fn nearest(&self, span: u32, cap: i16) -> Along {
        let [west, east] = [TO_WEST, TO_EAST].map(|side| self.half(span, side, cap));
        let class = if least(&east.places) < least(&west.places) { east.class } else { west.class };
        let mut places = east.places;
        for (both, west) in places.iter_mut().zip(&west.places) {
            *both = 1 + 2 * (*both).min(*west);
        }
        Along { places, class }
    }

    /// The places of a span and of the lines beside it, row by row.
    fn rows(&self, span: u32) -> [u16; ROWS] {
        let ground = self.ground[span as usize];
        let mut rows = [0xF; ROWS];
        for (j, row) in rows[1..=SIDE].iter_mut().enumerate() {
            *row = row_of(ground, j);
        }
        if let Some(ends) = self.ends(span) {
            rows[0] = row_of(ends.behind[SOUTH], SIDE - 1);
            rows[ROWS - 1] = row_of(ends.behind[NORTH], 0);
        }
        rows
    }
}

const fn row_of(ground: u16, row: usize) -> u16 {
    ground >> (SIDE * row) & 0xF
}

/// How far from the middle of a column the first place without ground lies, for each row, in eighths
/// of a column.
fn nearest_in(ground: u16) -> Rows {
    let mut nearest = [FAR; 8];
    for (j, near) in nearest[1..=SIDE].iter_mut().enumerate() {
        *near = match row_of(ground, j) {
            0xF => FAR,
            row if row & 0b0110 == 0b0110 => 3,
            _ => 1,
        };
    }
    nearest
}

/// Farther than any radius reaches, in places and in eighths of a column.
const FAR: i16 = i16::MAX / 2;

/// Finds the ground in the columns on both sides of every end of a link.
fn find_ends(
    field: &CompactHeightfield,
    columns: &Columns,
    places: &Places<'_>,
    scratch: &mut ErodeScratch,
) {
    let count = field.links.len();
    let ErodeScratch { ground, ends_of, ends, places: memory, .. } = scratch;
    ground.clear();
    ground.resize(count, ALL);
    ends_of.clear();
    ends_of.resize(count, u32::MAX);
    ends.clear();
    for span in 0..count as u32 {
        let links = field.links[span as usize];
        if field.gone[span as usize].is_some() || links.iter().all(|l| *l != NO_SPAN) {
            continue;
        }
        let place = field.places[span as usize];
        let column = (place[1] * places.window.width() + place[0]) as usize;
        let height = columns.grounds[span as usize].height;
        let made = |s: u32| columns.grounds[s as usize].made;
        if made(span) != Made::Bridge {
            let is_riser = |s: u32| s != NO_SPAN && made(s) == Made::Riser;
            let over_steep = is_riser(span) || links.iter().any(|&l| is_riser(l));
            ground[span as usize] = places.ground(column, height, over_steep, memory);
        }
        let open = EdgeClass::Open;
        let mut end = LinkEnds { behind: [ALL; 4], classes: [open; 4], class: open };
        for direction in [EAST, NORTH, WEST, SOUTH] {
            if links[direction] != NO_SPAN || field.leaves(span, direction) {
                continue;
            }
            end.behind[direction] = match places.window.column_beside(place, direction) {
                Some(there) => places.ground(there, height, false, memory),
                None => 0,
            };
            let class = side_class(columns, places.grid, places.window, place, span, direction);
            end.classes[direction] = class;
            if class == EdgeClass::Blocked {
                end.class = class;
            }
        }
        ends_of[span as usize] = ends.len() as u32;
        ends.push(end);
    }
}

/// Steps to the first place of a row that is no ground.
fn run(row: u16, order: &[u16]) -> i16 {
    order.iter().take_while(|i| row & 1 << **i != 0).count() as i16
}

const WESTWARDS: [u16; SIDE] = [3, 2, 1, 0];
const EASTWARDS: [u16; SIDE] = [0, 1, 2, 3];

/// The steps across some columns, as many as count.
fn steps(columns: u32) -> i16 {
    (SIDE as u32 * columns.min(FAR as u32 / SIDE as u32)) as i16
}

impl Along {
    fn farther(&self, steps: i16, cap: i16) -> Self {
        let mut along = *self;
        along.places.iter_mut().for_each(|p| *p = (*p + steps).min(cap));
        along
    }
}

fn measure_along_x(field: &CompactHeightfield, cap: i16, scratch: &mut ErodeScratch) {
    let count = field.links.len();
    let along = Along { places: [cap; 8], class: EdgeClass::Open };
    let nothing = StepsMet { half: along, whole: along, least_half: cap, least_whole: cap };
    let ends = scratch.ends.len();
    // All entries are written before they are read.
    scratch.met.iter_mut().for_each(|m| m.resize(ends, nothing));
    scratch.aside.iter_mut().for_each(|a| a.resize(count, Aside::default()));
    scratch.least.resize(count, FAR);
    // Spans are numbered row by row, so the neighbour to the west comes before, to the east after.
    for span in 0..count as u32 {
        pass(field, scratch, span, [WEST, TO_WEST], cap);
    }
    for span in (0..count as u32).rev() {
        pass(field, scratch, span, [EAST, TO_EAST], cap);
    }
    let ErodeScratch { aside: [west, east], met: [met_west, met_east], least, .. } = scratch;
    let half = |met: &[StepsMet], Aside { end, columns }: Aside| match met.get(end as usize) {
        Some(met) if columns == 0 => met.least_half,
        Some(met) => (met.least_whole + steps(columns) - 2).min(cap),
        None => cap,
    };
    for ((least, west), east) in least.iter_mut().zip(west).zip(east) {
        *least = 1 + 2 * half(met_west, *west).min(half(met_east, *east));
    }
}

/// Finds what is met to one side of a span.
fn pass(
    field: &CompactHeightfield,
    scratch: &mut ErodeScratch,
    span: u32,
    [direction, side]: [usize; 2],
    cap: i16,
) {
    let next = field.links[span as usize][direction];
    let end = scratch.ends_of[span as usize];
    if end != u32::MAX {
        let (half, whole) = pass_end(scratch, span, next, [direction, side], cap);
        let met = StepsMet {
            half,
            whole,
            least_half: least(&half.places),
            least_whole: least(&whole.places),
        };
        scratch.met[side][end as usize] = met;
        scratch.aside[side][span as usize] = Aside { end, columns: 0 };
    } else if next != NO_SPAN {
        let Aside { end, columns } = scratch.aside[side][next as usize];
        scratch.aside[side][span as usize] = Aside { end, columns: columns + 1 };
    } else {
        // No ground any more: nothing leads there.
        scratch.aside[side][span as usize] = Aside { end: u32::MAX, columns: 0 };
    }
}

/// Steps from the middle of a span with links that end to the west or the east, and from its far side.
fn pass_end(
    scratch: &ErodeScratch,
    span: u32,
    next: u32,
    [direction, side]: [usize; 2],
    cap: i16,
) -> (Along, Along) {
    let order = if direction == WEST { WESTWARDS } else { EASTWARDS };
    let mut whole = match next {
        NO_SPAN => {
            // Beside the row of columns behind the end nothing is known; that row tells.
            let (there, class) = scratch.behind(span, direction);
            let mut places = [cap; 8];
            for (j, steps) in places[1..=SIDE].iter_mut().enumerate() {
                *steps = run(row_of(there, j), &order);
            }
            Along { places, class }
        }
        next => {
            let Aside { end, columns } = scratch.aside[side][next as usize];
            scratch.met[side][end as usize].whole.farther(steps(columns), cap)
        }
    };
    let mut half = whole;
    for (row, bits) in scratch.rows(span).into_iter().enumerate() {
        let on = whole.places[row];
        let (here, near) = (run(bits, &order), run(bits, &order[2..]));
        half.places[row] = if near < 2 { near } else { (on + 2).min(cap) };
        whole.places[row] = if here < SIDE as i16 { here } else { (on + 4).min(cap) };
        // What is far away, perhaps beyond the window, does not tell what stands here.
        if here < SIDE as i16 {
            let class = scratch.ends(span).map_or(EdgeClass::Open, |e| e.class);
            (half.class, whole.class) = (class, class);
        }
    }
    (half, whole)
}
