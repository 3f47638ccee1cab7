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

use crate::voxel::filter_spans::{Columns, Made};
use crate::voxel::link_neighbours::{
    EAST, NO_SPAN, NORTH, OpenField, SOUTH, WEST, column_beside, side_class,
};
use crate::voxel::sample_places::{ALL, PlaceScratch, Places, SIDE};
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
struct Ends {
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
    ends: Vec<Ends>,
    /// From the span's far side, to the west, then to the east.
    aside: Vec<Along>,
    /// From the middle of the span, either way, in eighths of a column.
    nearest: Vec<Along>,
    /// The least of each of those: most spans are far from everything, and that alone tells.
    least: Vec<i16>,
    removed: Vec<(u32, EdgeClass)>,
    places: PlaceScratch,
}

/// Erodes the ground of a window by the agent's radius.
pub(crate) fn erode(
    field: &mut OpenField,
    columns: &Columns,
    places: &Places<'_>,
    scratch: &mut ErodeScratch,
) {
    let grid = places.grid;
    // The least square of a distance in eighths of a column that is far enough: comparing is exact.
    let limit = {
        let cell = i128::from(grid.cell);
        let far = 8 * i128::from(grid.agent_radius) + SAFE_EIGHTHS * cell;
        ((far * far + cell * cell - 1) / (cell * cell)) as u64
    };
    // Rows of columns whose nearest places are near enough.
    let reach = (0_u32..).find(|&k| square(8 * (k + 1) - 5) >= limit).unwrap_or(0);
    find_ends(field, columns, places, scratch);
    let cap = (SIDE as u32 * (reach + 2)).min(FAR as u32) as i16;
    measure_along_x(field, cap, scratch);
    let mut removed = std::mem::take(&mut scratch.removed);
    removed.clear();
    for span in 0..field.links.len() as u32 {
        if field.gone[span as usize].is_none()
            && let Some(class) = too_near(field, scratch, span, limit, reach)
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

/// What stands nearer to the middle of a span than allowed.
fn too_near(
    field: &OpenField,
    scratch: &ErodeScratch,
    span: u32,
    limit: u64,
    reach: u32,
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
        look(&mut best, &scratch.nearest[span as usize], 0);
    }
    for (direction, sign) in [(NORTH, 1), (SOUTH, -1)] {
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
                look(&mut best, &scratch.nearest[at as usize], sign * k);
            }
        }
    }
    best.1
}

impl ErodeScratch {
    fn ends(&self, span: u32) -> Option<&Ends> {
        self.ends.get(self.ends_of[span as usize] as usize)
    }

    /// The ground behind a side of a span where no link leads on, and what stands there.
    fn behind(&self, span: u32, direction: usize) -> (u16, EdgeClass) {
        self.ends(span)
            .map_or((0, EdgeClass::Open), |e| (e.behind[direction], e.classes[direction]))
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
    field: &OpenField,
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
        let height = columns.heights[span as usize];
        let made = |s: u32| columns.made[s as usize];
        if made(span) != Made::Bridge {
            let is_riser = |s: u32| s != NO_SPAN && made(s) == Made::Riser;
            let over_steep = is_riser(span) || links.iter().any(|&l| is_riser(l));
            ground[span as usize] = places.ground(column, height, over_steep, memory);
        }
        let open = EdgeClass::Open;
        let mut end = Ends { behind: [ALL; 4], classes: [open; 4], class: open };
        for direction in [EAST, NORTH, WEST, SOUTH] {
            if links[direction] != NO_SPAN || field.leaves(span, direction) {
                continue;
            }
            end.behind[direction] = match column_beside(places.window, place, direction) {
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

fn measure_along_x(field: &OpenField, cap: i16, scratch: &mut ErodeScratch) {
    let count = field.links.len();
    let nothing = Along { places: [0; 8], class: EdgeClass::Open };
    // All entries are written before they are read.
    scratch.aside.resize(count, nothing);
    scratch.nearest.resize(count, nothing);
    scratch.least.resize(count, 0);
    // Spans are numbered row by row, so the neighbour to the west comes before, to the east after.
    for span in 0..count as u32 {
        let (half, whole) = pass(field, scratch, span, WEST, cap);
        scratch.aside[span as usize] = whole;
        scratch.nearest[span as usize] = half;
    }
    for span in (0..count as u32).rev() {
        let (half, whole) = pass(field, scratch, span, EAST, cap);
        scratch.aside[span as usize] = whole;
        let west = scratch.nearest[span as usize];
        let [to_east, to_west] = [least(&half.places), least(&west.places)];
        let class = if to_east < to_west { half.class } else { west.class };
        let mut both = half.places;
        for (both, west) in both.iter_mut().zip(&west.places) {
            *both = 1 + 2 * (*both).min(*west);
        }
        scratch.least[span as usize] = 1 + 2 * to_east.min(to_west);
        scratch.nearest[span as usize] = Along { places: both, class };
    }
}

/// Steps from the middle of a span to the west or the east, and from its far side.
fn pass(
    field: &OpenField,
    scratch: &ErodeScratch,
    span: u32,
    direction: usize,
    cap: i16,
) -> (Along, Along) {
    let next = field.links[span as usize][direction];
    if next != NO_SPAN && scratch.ends_of[span as usize] == u32::MAX {
        let beside = &scratch.aside[next as usize];
        let farther = |steps: i16| {
            let mut along = *beside;
            along.places.iter_mut().for_each(|p| *p = (*p + steps).min(cap));
            along
        };
        return (farther(2), farther(4));
    }
    pass_end(scratch, span, next, direction, cap)
}

/// The same for a span with links that end.
fn pass_end(
    scratch: &ErodeScratch,
    span: u32,
    next: u32,
    direction: usize,
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
        next => scratch.aside[next as usize],
    };
    let mut half = whole;
    if scratch.ends_of[span as usize] == u32::MAX {
        half.places.iter_mut().for_each(|p| *p = (*p + 2).min(cap));
        whole.places.iter_mut().for_each(|p| *p = (*p + 4).min(cap));
        return (half, whole);
    }
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
