//! Looks at sixteen places of a column and tells which of them are ground.
//!
//! Goes in: the triangles over a column, and a height to go by. Comes out: a bit for each of four by
//! four places, set where the agent can stand within a step of that height. A column counts as ground
//! as soon as ground reaches into it, and as blocked as soon as something reaches into it; where ground
//! ends is known from the places, to an eighth of a column. What is ground at a place is asked as
//! everywhere: the topmost surface that can be walked on, with nothing solid between step and head.

use crate::heightfield::grid::Window;
use crate::heightfield::rasterize::ColumnSamples;
use crate::input::classify::{ClassedTriangle, FaceClass};
use crate::input::limits::TOUCHING_UNITS;
use crate::voxel::bin_tiles::TiledGrid;

/// Places along the side of a column.
pub(crate) const SIDE: usize = 4;

/// All places of a column.
pub(crate) const ALL: u16 = u16::MAX;

/// How far beside a triangle a place still counts as on it, in lattice units: a millimetre, what
/// noise leaves between triangles that should touch.
const CRACK_UNITS: f64 = 65.0;

/// How near a wall has to come to a place to stand on it, in columns: half the diagonal of a
/// sixteenth of the column.
const WALL_NEAR_COLUMNS: f64 = 0.177;

/// A surface over a column.
#[derive(Clone, Copy, Debug)]
struct Sheet {
    places: u16,
    class: FaceClass,
    triangle: u32,
    /// The height over the column's corner, and how it changes from place to place.
    height: f64,
    along: [f64; 2],
}

impl Sheet {
    fn height_at(&self, place: usize) -> i64 {
        let (i, j) = ((place % SIDE) as f64, (place / SIDE) as f64);
        nearest_whole(self.height + i * self.along[0] + j * self.along[1])
    }

    /// Whether it lies between two heights at all places of the column: rounding keeps the order, so
    /// the outermost tell.
    fn lies_within(&self, [low, high]: [i64; 2]) -> bool {
        [0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1]
            .into_iter()
            .all(|place| (low..=high).contains(&self.height_at(place)))
    }
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct PlaceScratch {
    sheets: Vec<Sheet>,
    /// Places, lowest and highest point of walls.
    walls: Vec<(u16, i64, i64)>,
    line: Vec<(i64, FaceClass, u32)>,
}

/// What is needed to look at places.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) triangles: &'a [ClassedTriangle],
    pub(crate) samples: &'a ColumnSamples,
    pub(crate) grid: &'a TiledGrid,
    pub(crate) window: &'a Window,
    /// How far something may stand over the ground and be walked over.
    pub(crate) step_over: i64,
}

impl Places<'_> {
    /// The places of a column that are ground within a climb of `level`. With `over_steep`, what is
    /// too steep counts too where it leads from ground to ground.
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
        let samples = self.samples.of_column(column);
        let can_stand = |of: FaceClass| of.is_ground() || (over_steep && of == FaceClass::STEEP);
        if !samples.iter().any(|s| can_stand(s.class)) {
            return 0;
        }
        let corner = self.column_corner(column);
        let PlaceScratch { sheets, walls, line } = scratch;
        sheets.clear();
        walls.clear();
        // Places covered by any surface while all of them are ground within the limits, by ground of
        // which that is known place by place, by what the agent may stand on, and by everything that
        // has to be looked at place by place.
        let (mut plain, mut is_plain) = (0, true);
        let (mut sure, mut standable, mut doubtful) = (0, 0, 0);
        for s in samples {
            if i64::from(s.hi) < low - i64::from(TOUCHING_UNITS) || i64::from(s.lo) > head {
                continue;
            }
            let corners = self.corners_from(corner, s.triangle);
            if s.class == FaceClass::UPRIGHT {
                let places = places_near(&corners, f64::from(self.grid.columns.cell));
                if places != 0 {
                    walls.push((places, i64::from(s.lo), i64::from(s.hi)));
                    doubtful |= places;
                }
                is_plain = false;
                continue;
            }
            let Some(sheet) =
                sheet_over(&corners, s.class, s.triangle, f64::from(self.grid.columns.cell))
            else {
                continue;
            };
            plain |= sheet.places;
            is_plain &= s.class.is_ground() && i64::from(s.lo) >= low && i64::from(s.hi) <= high;
            if can_stand(s.class) {
                standable |= sheet.places;
            }
            if s.class.is_ground() && sheet.lies_within([low, high]) {
                sure |= sheet.places;
            } else {
                doubtful |= sheet.places;
            }
            sheets.push(sheet);
        }
        if is_plain {
            return plain;
        }
        // Where nothing but ground within the limits lies, the agent stands on the topmost.
        let mut ground = sure & !doubtful;
        let mut rest = standable & doubtful;
        while rest != 0 {
            let place = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            line.clear();
            for s in sheets.iter().filter(|s| s.places & 1 << place != 0) {
                line.push((s.height_at(place), s.class, s.triangle));
            }
            // Where two touch, the one facing up ends what is below, not what begins there.
            let touching = i64::from(TOUCHING_UNITS);
            if line.len() > 1 {
                line.sort_unstable_by_key(|s| {
                    (s.0 + if s.1.faces_down() { touching } else { 0 }, s.1)
                });
            }
            let leads_over = |z: i64, triangle: u32| {
                let at = self.place(column, place);
                let met = (z as f64, FaceClass::STEEP, triangle);
                over_steep && self.leads_over(at, met, SIDE as u32).is_some()
            };
            let Some(height) = self.standing(line, [low, high], leads_over) else { continue };
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

    /// Whether of two ranges of heights only the second has ground in the middle of a column.
    pub(crate) fn middle_is_lower(&self, column: usize, high: [i32; 2], low: [i32; 2]) -> bool {
        let half = 0.5 * f64::from(self.grid.columns.cell);
        let corner = self.column_corner(column);
        let has_ground = |[from, to]: [i32; 2]| {
            self.samples.of_column(column).iter().any(|s| {
                s.class.is_ground()
                    && s.lo >= from
                    && s.hi <= to
                    && SidesInPlan::new(&self.corners_from(corner, s.triangle))
                        .is_some_and(|sides| sides.hold(half, half))
            })
        };
        !has_ground(high) && has_ground(low)
    }

    /// Where a place lies, in lattice units.
    pub(crate) fn place(&self, column: usize, place: usize) -> [f64; 2] {
        let [x, y] = self.column_corner(column);
        let cell = f64::from(self.grid.columns.cell);
        [x as f64 + position(place % SIDE, cell), y as f64 + position(place / SIDE, cell)]
    }

    /// The column over a point; none beyond the window.
    pub(crate) fn column_at(&self, at: [f64; 2]) -> Option<usize> {
        let [first_x, first_y] = self.grid.columns.first_column();
        let cell = f64::from(self.grid.columns.cell);
        let number = |v: f64, first: i64, from: u32, count: u32| {
            let number = whole_below(v / cell) - first - i64::from(from);
            (0..i64::from(count)).contains(&number).then_some(number as usize)
        };
        let window = self.window;
        let x = number(at[0], first_x, window.x0, window.width())?;
        let y = number(at[1], first_y, window.y0, window.depth())?;
        Some(y * window.width() as usize + x)
    }

    /// The height of a triangle over a point, if it lies there.
    pub(crate) fn height_over(&self, triangle: u32, at: [f64; 2]) -> Option<f64> {
        let [a, b, c] = &self.triangles[triangle as usize].corners;
        let from =
            |c: &[i32; 3]| [f64::from(c[0]) - at[0], f64::from(c[1]) - at[1], f64::from(c[2])];
        let corners = [from(a), from(b), from(c)];
        let sides = SidesInPlan::new(&corners)?;
        sides.hold(0.0, 0.0).then(|| height_on(&corners, slope_of(&corners), [0.0; 2]))
    }

    fn column_corner(&self, column: usize) -> [i64; 2] {
        let width = self.window.width() as usize;
        let [first_x, first_y] = self.grid.columns.first_column();
        let cell = i64::from(self.grid.columns.cell);
        [
            (first_x + i64::from(self.window.x0) + (column % width) as i64) * cell,
            (first_y + i64::from(self.window.y0) + (column / width) as i64) * cell,
        ]
    }

    /// A triangle's corners, counted from the column's corner.
    fn corners_from(&self, [x, y]: [i64; 2], triangle: u32) -> [[f64; 3]; 3] {
        let [a, b, c] = &self.triangles[triangle as usize].corners;
        let from = |c: &[i32; 3]| {
            [(i64::from(c[0]) - x) as f64, (i64::from(c[1]) - y) as f64, f64::from(c[2])]
        };
        [from(a), from(b), from(c)]
    }

    /// The height at which the agent can stand on a vertical line, from what lies on it.
    fn standing(
        &self,
        line: &[(i64, FaceClass, u32)],
        [low, high]: [i64; 2],
        leads_over: impl Fn(i64, u32) -> bool,
    ) -> Option<i64> {
        let within = |s: &(i64, FaceClass, u32)| s.0 >= low && s.0 <= high;
        let ground = line.iter().rposition(|s| within(s) && s.1.is_ground());
        let steep = || {
            let i = line.iter().rposition(|s| within(s) && s.1 == FaceClass::STEEP)?;
            leads_over(line[i].0, line[i].2).then_some(i)
        };
        let foot = ground.or_else(steep)?;
        let height = line[foot].0;
        let touching = i64::from(TOUCHING_UNITS);
        let from = line[..foot].iter().rposition(|s| s.0 < height - touching).map_or(0, |i| i + 1);
        for (i, &(z, class, _)) in line.iter().enumerate().skip(from) {
            if z >= height + self.grid.agent_height {
                break;
            }
            if class.faces_down() {
                // What begins here ends at the next surface facing up, if no other begins before.
                let blocks = match line.get(i + 1) {
                    Some(&(end, up, _)) if !up.faces_down() => end > height + self.step_over,
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
struct SidesInPlan([SideInPlan; 3]);

/// A side: where it starts, and the way to its left, as long as the side is.
#[derive(Clone, Copy)]
struct SideInPlan {
    from: [f64; 2],
    across: [f64; 2],
}

impl SideInPlan {
    fn new(p: [f64; 3], q: [f64; 3]) -> Self {
        Self { from: [p[0], p[1]], across: [p[1] - q[1], q[0] - p[0]] }
    }

    /// How far to the left of it a point may at least lie: a little to the right.
    fn least(&self) -> f64 {
        let [x, y] = self.across;
        -CRACK_UNITS * (x * x + y * y).sqrt()
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        let left = (x - self.from[0]) * self.across[0] + (y - self.from[1]) * self.across[1];
        // The root is rarely asked for.
        left >= 0.0 || left >= self.least()
    }

    /// The places of a column that it holds.
    fn places(&self, cell: f64) -> u16 {
        let mut along = [[0.0; SIDE]; 2];
        for (k, along) in along.iter_mut().enumerate() {
            for (i, a) in along.iter_mut().enumerate() {
                *a = (position(i, cell) - self.from[k]) * self.across[k];
            }
        }
        let [xs, ys] = along;
        // Rounding keeps the order, so the outermost places tell of those between them.
        let nearest = xs[0].min(xs[SIDE - 1]) + ys[0].min(ys[SIDE - 1]);
        if nearest >= 0.0 {
            return ALL;
        }
        let least = self.least();
        let farthest = xs[0].max(xs[SIDE - 1]) + ys[0].max(ys[SIDE - 1]);
        if farthest < least {
            return 0;
        }
        let mut places = 0;
        for (j, y) in ys.into_iter().enumerate() {
            for (i, x) in xs.into_iter().enumerate() {
                places |= u16::from(x + y >= least) << (SIDE * j + i);
            }
        }
        places
    }
}

impl SidesInPlan {
    fn new(corners: &[[f64; 3]; 3]) -> Option<Self> {
        let [a, b, c] = *corners;
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let [b, c] = if area > 0.0 { [b, c] } else { [c, b] };
        if !(area.abs() > 0.0) {
            return None;
        }
        Some(Self([SideInPlan::new(a, b), SideInPlan::new(b, c), SideInPlan::new(c, a)]))
    }

    fn hold(&self, x: f64, y: f64) -> bool {
        let [a, b, c] = &self.0;
        a.holds(x, y) && b.holds(x, y) && c.holds(x, y)
    }
}

/// The nearest whole number, halves away from zero. The library's way is a call.
fn nearest_whole(v: f64) -> i64 {
    let whole = v as i64;
    let rest = v - whole as f64;
    whole.saturating_add(i64::from(rest >= 0.5) - i64::from(rest <= -0.5))
}

/// The largest whole number that is not larger. The library's way is a call.
fn whole_below(v: f64) -> i64 {
    let whole = v as i64;
    whole.saturating_sub(i64::from(whole as f64 > v))
}

/// A place's position along an axis.
fn position(i: usize, cell: f64) -> f64 {
    (2 * i + 1) as f64 * cell / (2 * SIDE) as f64
}

/// What a triangle that is not upright is over a column; nothing where it covers no place.
fn sheet_over(
    corners: &[[f64; 3]; 3],
    class: FaceClass,
    triangle: u32,
    cell: f64,
) -> Option<Sheet> {
    let sides = SidesInPlan::new(corners)?;
    let [a, b, c] = &sides.0;
    let mut places = a.places(cell);
    if places != 0 {
        places &= b.places(cell);
    }
    if places != 0 {
        places &= c.places(cell);
    }
    if places == 0 {
        return None;
    }
    let slope = slope_of(corners);
    let first = position(0, cell);
    let height = height_on(corners, slope, [first, first]);
    let along = [slope[0] * cell / SIDE as f64, slope[1] * cell / SIDE as f64];
    Some(Sheet { places, class, triangle, height, along })
}

/// How the height of a triangle changes along x and y.
fn slope_of(corners: &[[f64; 3]; 3]) -> [f64; 2] {
    let [a, b, c] = *corners;
    let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    [-normal[0] / normal[2], -normal[1] / normal[2]]
}

fn height_on(corners: &[[f64; 3]; 3], slope: [f64; 2], at: [f64; 2]) -> f64 {
    let a = corners[0];
    a[2] + slope[0] * (at[0] - a[0]) + slope[1] * (at[1] - a[1])
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
    for j in 0..SIDE {
        let dy = position(j, cell) - p[1];
        let dy_along = dy * along[1];
        for i in 0..SIDE {
            let dx = position(i, cell) - p[0];
            let t = if length2 > 0.0 { (dx * along[0] + dy_along) / length2 } else { 0.0 };
            let t = t.clamp(0.0, 1.0);
            let (x, y) = (dx - t * along[0], dy - t * along[1]);
            places |= u16::from(x * x + y * y <= near * near) << (SIDE * j + i);
        }
    }
    places
}
