//! Looks at sixteen places of a column and tells which of them are ground.
//!
//! Goes in: the triangles over a column, and a height to go by. Comes out: a bit for each of four by
//! four places, set where the agent can stand within a step of that height. A column counts as ground
//! as soon as ground reaches into it, and as blocked as soon as something reaches into it; where ground
//! ends is known from the places, to an eighth of a column. What is ground at a place is asked as
//! everywhere: the topmost surface that can be walked on, with nothing solid between step and head.

use crate::voxel::grid::{Grid, GridTriangle, Surface, Window};
use crate::voxel::rasterize::ColumnSamples;

/// Places along the side of a column.
pub(crate) const SIDE: usize = 4;

/// All places of a column.
pub(crate) const ALL: u16 = u16::MAX;

/// How far beside a triangle a place still counts as on it, in lattice units: a millimetre, what
/// noise leaves between triangles that should touch.
const CRACK_UNITS: f64 = 65.0;

/// A surface facing up this near to one facing down does not end what begins there, in lattice units:
/// a millimetre, what noise leaves between a box and the floor it stands on.
pub(crate) const TOUCHING_UNITS: i32 = 64;

/// How near a wall has to come to a place to stand on it, in columns: half the diagonal of a
/// sixteenth of the column.
const WALL_NEAR_COLUMNS: f64 = 0.177;

/// A surface over a column.
#[derive(Clone, Copy, Debug)]
struct Sheet {
    places: u16,
    surface: Surface,
    /// The height over the column's corner, and how it changes from place to place.
    height: f64,
    along: [f64; 2],
}

impl Sheet {
    fn height_at(&self, place: usize) -> i64 {
        let (i, j) = ((place % SIDE) as f64, (place / SIDE) as f64);
        (self.height + i * self.along[0] + j * self.along[1]).round() as i64
    }
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct PlaceScratch {
    sheets: Vec<Sheet>,
    /// Places, lowest and highest point of walls.
    walls: Vec<(u16, i64, i64)>,
    line: Vec<(i64, Surface)>,
}

/// What is needed to look at places.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) triangles: &'a [GridTriangle],
    pub(crate) samples: &'a ColumnSamples,
    pub(crate) grid: &'a Grid,
    pub(crate) window: &'a Window,
    /// How far something may stand over the ground and be walked over.
    pub(crate) step_over: i64,
}

impl Places<'_> {
    /// The places of a column that are ground within a climb of `level`. With `over_steep`, what is
    /// too steep counts too: it leads from ground to ground.
    pub(crate) fn ground(
        &self,
        column: usize,
        level: i32,
        over_steep: bool,
        scratch: &mut PlaceScratch,
    ) -> u16 {
        let level = i64::from(level);
        let [low, high] = [level - self.grid.climb, level + self.grid.climb];
        let head = high + self.grid.agent_height;
        let PlaceScratch { sheets, walls, line } = scratch;
        sheets.clear();
        walls.clear();
        let mut plain = 0;
        let mut is_plain = true;
        for s in self.samples.of_column(column) {
            if i64::from(s.hi) < low - i64::from(TOUCHING_UNITS) || i64::from(s.lo) > head {
                continue;
            }
            let corners = self.corners_from(column, s.triangle);
            if s.surface == Surface::UPRIGHT {
                let places = places_near(&corners, f64::from(self.grid.cell));
                if places != 0 {
                    walls.push((places, i64::from(s.lo), i64::from(s.hi)));
                }
                is_plain = false;
                continue;
            }
            let Some(sheet) = sheet_over(&corners, s.surface, f64::from(self.grid.cell)) else {
                continue;
            };
            plain |= sheet.places;
            is_plain &= s.surface.is_ground() && i64::from(s.lo) >= low && i64::from(s.hi) <= high;
            sheets.push(sheet);
        }
        if is_plain {
            return plain;
        }
        let mut ground = 0;
        for place in 0..SIDE * SIDE {
            line.clear();
            line.extend(
                sheets
                    .iter()
                    .filter(|s| s.places & 1 << place != 0)
                    .map(|s| (s.height_at(place), s.surface)),
            );
            // Where two touch, the one facing up ends what is below, not what begins there.
            let touching = i64::from(TOUCHING_UNITS);
            line.sort_unstable_by_key(|s| (s.0 + if s.1.faces_down() { touching } else { 0 }, s.1));
            let Some(height) = self.standing(line, [low, high], over_steep) else { continue };
            let blocked = walls.iter().any(|&(places, from, to)| {
                places & 1 << place != 0
                    && from < height + self.grid.agent_height
                    && to > height + self.step_over
            });
            if !blocked {
                ground |= 1 << place;
            }
        }
        ground
    }

    /// Whether a triangle lies over the middle of a column.
    pub(crate) fn covers_middle(&self, column: usize, triangle: u32) -> bool {
        let corners = self.corners_from(column, triangle);
        let half = 0.5 * f64::from(self.grid.cell);
        Sides::new(&corners).is_some_and(|sides| sides.hold(half, half))
    }

    /// A triangle's corners, counted from the column's corner.
    fn corners_from(&self, column: usize, triangle: u32) -> [[f64; 3]; 3] {
        let width = self.window.width() as usize;
        let [first_x, first_y] = self.grid.first_column();
        let cell = i64::from(self.grid.cell);
        let x = (first_x + i64::from(self.window.x0) + (column % width) as i64) * cell;
        let y = (first_y + i64::from(self.window.y0) + (column / width) as i64) * cell;
        self.triangles[triangle as usize]
            .corners
            .map(|c| [(i64::from(c[0]) - x) as f64, (i64::from(c[1]) - y) as f64, f64::from(c[2])])
    }

    /// The height at which the agent can stand on a vertical line, from what lies on it.
    fn standing(
        &self,
        line: &[(i64, Surface)],
        [low, high]: [i64; 2],
        over_steep: bool,
    ) -> Option<i64> {
        let counts = |s: &(i64, Surface)| {
            s.0 >= low && s.0 <= high && (s.1.is_ground() || (over_steep && s.1 == Surface::STEEP))
        };
        let foot = line.iter().rposition(counts)?;
        let height = line[foot].0;
        let touching = i64::from(TOUCHING_UNITS);
        let from = line[..foot].iter().rposition(|s| s.0 < height - touching).map_or(0, |i| i + 1);
        for (i, &(z, surface)) in line.iter().enumerate().skip(from) {
            if z >= height + self.grid.agent_height {
                break;
            }
            if surface.faces_down() {
                // What begins here ends at the next surface facing up, if no other begins before.
                let blocks = match line.get(i + 1) {
                    Some(&(end, up)) if !up.faces_down() => end > height + self.step_over,
                    _ => z > height + touching,
                };
                if blocks {
                    return None;
                }
            } else if i != foot && z > height + self.step_over {
                return None;
            }
        }
        Some(height)
    }
}

/// A triangle's sides, counter-clockwise in plan: how far a point lies to the left of each.
struct Sides {
    from: [[f64; 2]; 3],
    across: [[f64; 2]; 3],
    slack: [f64; 3],
}

impl Sides {
    fn new(corners: &[[f64; 3]; 3]) -> Option<Self> {
        let [a, b, c] = *corners;
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let [a, b, c] = if area > 0.0 { [a, b, c] } else { [a, c, b] };
        if !(area.abs() > 0.0) {
            return None;
        }
        let ends = [(a, b), (b, c), (c, a)];
        let across = ends.map(|(p, q)| [p[1] - q[1], q[0] - p[0]]);
        Some(Self {
            from: ends.map(|(p, _)| [p[0], p[1]]),
            across,
            slack: across.map(|[x, y]| -CRACK_UNITS * (x * x + y * y).sqrt()),
        })
    }

    fn hold(&self, x: f64, y: f64) -> bool {
        (0..3).all(|k| {
            let [from, across] = [self.from[k], self.across[k]];
            (x - from[0]) * across[0] + (y - from[1]) * across[1] >= self.slack[k]
        })
    }
}

/// A place's position along an axis.
fn position(i: usize, cell: f64) -> f64 {
    (2 * i + 1) as f64 * cell / (2 * SIDE) as f64
}

/// What a triangle that is not upright is over a column; nothing where it covers no place.
fn sheet_over(corners: &[[f64; 3]; 3], surface: Surface, cell: f64) -> Option<Sheet> {
    let sides = Sides::new(corners)?;
    let mut places = 0_u16;
    let ends = [position(0, cell), position(SIDE - 1, cell)];
    // Where it holds the outermost places it holds those between them.
    if ends.iter().all(|&x| ends.iter().all(|&y| sides.hold(x, y))) {
        places = ALL;
    } else {
        for place in 0..SIDE * SIDE {
            if sides.hold(position(place % SIDE, cell), position(place / SIDE, cell)) {
                places |= 1 << place;
            }
        }
    }
    if places == 0 {
        return None;
    }
    let [a, b, c] = *corners;
    let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let slope = [-normal[0] / normal[2], -normal[1] / normal[2]];
    let first = position(0, cell);
    let height = a[2] + slope[0] * (first - a[0]) + slope[1] * (first - a[1]);
    let pace = cell / SIDE as f64;
    Some(Sheet { places, surface, height, along: [slope[0] * pace, slope[1] * pace] })
}

/// The places that an upright triangle stands on.
fn places_near(corners: &[[f64; 3]; 3], cell: f64) -> u16 {
    let apart = |p: &[f64; 3], q: &[f64; 3]| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2);
    let [a, b, c] = corners;
    let mut longest = (a, b);
    for pair in [(b, c), (c, a)] {
        if apart(pair.0, pair.1) > apart(longest.0, longest.1) {
            longest = pair;
        }
    }
    let (p, q) = longest;
    let (along, length2) = ([q[0] - p[0], q[1] - p[1]], apart(p, q));
    let near = WALL_NEAR_COLUMNS * cell;
    let mut places = 0;
    for place in 0..SIDE * SIDE {
        let d = [position(place % SIDE, cell) - p[0], position(place / SIDE, cell) - p[1]];
        let t = if length2 > 0.0 { (d[0] * along[0] + d[1] * along[1]) / length2 } else { 0.0 };
        let t = t.clamp(0.0, 1.0);
        let (x, y) = (d[0] - t * along[0], d[1] - t * along[1]);
        if x * x + y * y <= near * near {
            places |= 1 << place;
        }
    }
    places
}
