//! Inside or outside: scenes whose answer a person knows at a glance.
//!
//! In some of them there is no ground inside of something, though nothing hangs over it: a crate sunk
//! into the floor, two crates on one another, a rock through terrain. In the others there is ground
//! under and behind surfaces seen from their backs: storeys without ceilings, rooms within hulls, a
//! level in a sky box. Each is small, and built by itself.

use crate::draft::{Draft, ProceduralScene, SceneNameError, check, finish};
use crate::grid::sin_cos_deg;
use crate::soup::{Place, Soup};
use crate::truth::Truth;
use crate::variant::Variant;

/// One scene with places that are ground and places that are none.
#[derive(Clone, Copy, Debug)]
pub struct InsideCase {
    /// What it is, in words.
    pub name: &'static str,
    /// Whether its answer holds only while nothing else is in the scene.
    pub is_alone: bool,
    draw: fn(&mut Soup, &mut Truth),
}

impl InsideCase {
    /// Builds it. Its free and blocked points and its pairs are the answer.
    pub fn build(&self, variant: &Variant) -> Result<ProceduralScene, SceneNameError> {
        check(variant)?;
        let mut draft = Draft { soup: Soup::new(), truth: Truth::default() };
        (self.draw)(&mut draft.soup, &mut draft.truth);
        Ok(finish(draft, variant))
    }
}

const fn case(name: &'static str, draw: fn(&mut Soup, &mut Truth)) -> InsideCase {
    InsideCase { name, is_alone: false, draw }
}

const fn alone(name: &'static str, draw: fn(&mut Soup, &mut Truth)) -> InsideCase {
    InsideCase { name, is_alone: true, draw }
}

static CASES: &[InsideCase] = &[
    case("crate flush with the floor", |s, t| crate_in_floor(s, t, 0.0)),
    case("crate hovering 1 mm", |s, t| crate_in_floor(s, t, 0.001)),
    case("crate sunk 1 cm", |s, t| crate_in_floor(s, t, -0.01)),
    case("crate sunk 10 cm", |s, t| crate_in_floor(s, t, -0.1)),
    case("crate sunk and turned", |s, t| {
        floor(s);
        s.at(Place::new([0.0; 3], 33.3), |s| s.block([-2.0, -0.05, -2.0], [2.0, 3.95, 2.0]));
        crate_answers(t, 3.95);
    }),
    case("crate without a bottom", |s, t| {
        floor(s);
        cuboid(s, [-2.0, 0.0, -2.0], [2.0, 4.0, 2.0], Sides::without(Side::Bottom));
        crate_answers(t, 4.0);
    }),
    case("crate without a bottom, on a sheet", |s, t| {
        s.sheet([-8.0; 2], [8.0; 2], 0.0, [3, 3]);
        cuboid(s, [-2.0, 0.0, -2.0], [2.0, 4.0, 2.0], Sides::without(Side::Bottom));
        crate_answers(t, 4.0);
    }),
    case("equal crates stacked", |s, t| {
        floor(s);
        for storey in 0..3 {
            let y = 4.0 * f64::from(storey);
            s.block([-2.0, y, -2.0], [2.0, y + 4.0, 2.0]);
            t.blocked_points.push([0.3, y, 0.2]);
        }
        crate_answers(t, 12.0);
    }),
    case("unequal crates stacked", |s, t| {
        floor(s);
        s.block([-3.0, 0.0, -3.0], [3.0, 2.0, 3.0]);
        s.block([-1.5, 2.0, -1.5], [1.5, 5.0, 1.5]);
        t.blocked_points.extend([[0.3, 0.0, 0.2], [0.3, 2.0, 0.2], [-1.1, 2.0, -1.0]]);
        t.free_points.extend([[2.3, 2.0, 0.0], [0.0, 5.0, 0.0], [6.0, 0.0, 6.0]]);
    }),
    case("smaller crate under a larger one", |s, t| {
        floor(s);
        s.block([-1.5, 0.0, -1.5], [1.5, 3.0, 1.5]);
        s.block([-3.0, 3.0, -3.0], [3.0, 5.0, 3.0]);
        t.blocked_points.extend([[0.3, 0.0, 0.2], [0.3, 3.0, 0.2]]);
        t.free_points.extend([[2.3, 0.0, 2.3], [0.0, 5.0, 0.0], [6.0, 0.0, 6.0]]);
    }),
    case("crates overlapping each other", |s, t| {
        floor(s);
        s.block([-3.0, -0.1, -3.0], [1.0, 3.0, 1.0]);
        s.block([-1.0, -0.2, -1.0], [3.0, 4.0, 3.0]);
        s.block([-2.0, -0.3, -0.5], [2.0, 3.5, 0.5]);
        t.blocked_points.extend([
            [-2.5, 0.0, -2.5],
            [0.0, 0.0, 0.0],
            [2.5, 0.0, 2.5],
            [0.0, 3.0, 0.0],
            [0.5, 3.5, 0.0],
            [-1.5, 0.0, 0.2],
        ]);
        t.free_points.extend([[-2.5, 3.0, -2.5], [2.0, 4.0, 2.0], [6.0, 0.0, 6.0]]);
    }),
    case("crate through a wall", |s, t| {
        floor(s);
        s.block([-8.0, -0.1, -0.2], [8.0, 3.0, 0.2]);
        s.block([-2.0, -0.1, -2.0], [2.0, 2.0, 2.0]);
        t.blocked_points.extend([[0.3, 0.0, 1.0], [0.3, 0.0, 0.0], [0.3, 0.0, -1.0]]);
        t.free_points.extend([[0.0, 2.0, 1.2], [0.0, 0.0, 5.0], [0.0, 0.0, -5.0]]);
    }),
    case("crate over the edge of the floor", |s, t| {
        s.block([-8.0, -0.5, -8.0], [0.0, 0.0, 8.0]);
        s.block([-2.0, -2.0, -2.0], [2.0, 2.0, 2.0]);
        t.blocked_points.extend([[-1.0, 0.0, 0.2], [-0.3, 0.0, -1.2]]);
        t.free_points.extend([[0.5, 2.0, 0.0], [-5.0, 0.0, 0.0], [-1.0, 0.0, 5.0]]);
    }),
    case("crate in the corner of two walls", |s, t| {
        floor(s);
        s.block([-8.0, -0.5, -8.0], [-7.5, 3.0, 8.0]);
        s.block([-8.0, -0.5, -8.0], [8.0, 3.0, -7.5]);
        s.block([-7.8, -0.1, -7.8], [-4.0, 2.0, -4.0]);
        t.blocked_points.extend([[-6.0, 0.0, -6.0], [-7.0, 0.0, -5.0]]);
        t.free_points.extend([[-5.5, 2.0, -5.5], [4.0, 0.0, 4.0]]);
    }),
    case("rock through a sheet of terrain", |s, t| {
        hills(s, None);
        rock(s, [0.0, hill(0.0, 0.0), 0.0], 2.5);
        t.blocked_points.extend([on_hill(0.2, 0.1), on_hill(1.2, -0.7)]);
        t.free_points.extend([on_hill(5.0, 5.0), on_hill(-5.0, 3.0)]);
    }),
    case("rock through a slab of terrain", |s, t| {
        hills(s, Some(1.0));
        rock(s, [0.0, hill(0.0, 0.0), 0.0], 2.5);
        t.blocked_points.extend([on_hill(0.2, 0.1), on_hill(1.2, -0.7)]);
        t.free_points.extend([on_hill(5.0, 5.0), on_hill(-5.0, 3.0)]);
    }),
    case("column through a sheet of terrain", |s, t| {
        hills(s, None);
        s.pillar([1.0, -3.0, 1.0], 1.5, 17, 9.0);
        t.blocked_points.extend([on_hill(1.0, 1.0), on_hill(1.6, 0.2)]);
        t.free_points.extend([on_hill(5.0, 5.0), on_hill(-5.0, 3.0), [1.0, 6.0, 1.0]]);
    }),
    case("column through a slab of terrain", |s, t| {
        hills(s, Some(1.0));
        s.pillar([1.0, -3.0, 1.0], 1.5, 17, 9.0);
        t.blocked_points.extend([on_hill(1.0, 1.0), on_hill(1.6, 0.2)]);
        t.free_points.extend([on_hill(5.0, 5.0), on_hill(-5.0, 3.0), [1.0, 6.0, 1.0]]);
    }),
    case("column without ends through two storeys", |s, t| {
        floor(s);
        s.block([-8.0, 2.7, -8.0], [8.0, 3.0, 8.0]);
        tube(s, 1.5, -1.0, 7.0);
        t.blocked_points.extend([[0.2, 0.0, 0.1], [0.2, 3.0, 0.1]]);
        t.free_points.extend([[5.0, 0.0, 5.0], [5.0, 3.0, 5.0]]);
    }),
    case("sphere through a floor", |s, t| {
        s.sheet([-8.0; 2], [8.0; 2], 0.0, [4, 4]);
        s.ball([0.0, 0.5, 0.0], 3.0, 16, 24);
        t.blocked_points.extend([[0.2, 0.0, 0.1], [1.5, 0.0, 1.5], [-2.0, 0.0, 0.0]]);
        t.free_points.extend([[6.0, 0.0, 6.0], [-6.0, 0.0, 3.0]]);
    }),
    case("rock in the deepest place of a hollow", |s, t| {
        grid(s, None, hollow);
        rock(s, [0.0, hollow(0.0, 0.0) + 0.5, 0.0], 3.0);
        let on = |x, z| [x, hollow(x, z), z];
        t.blocked_points.extend([on(0.2, 0.1), on(1.4, -0.7)]);
        t.free_points.extend([on(6.0, 6.0), on(-6.0, 3.0)]);
    }),
    case("closed hull of a building", |s, t| {
        s.sheet([-12.0; 2], [12.0; 2], 0.0, [5, 5]);
        hull(s, &[]);
        t.blocked_points.extend([[0.2, 0.0, 0.1], [4.0, 0.0, 3.0], [-3.0, 0.0, -4.0]]);
        t.free_points.extend([[9.0, 0.0, 9.0], [-9.0, 0.0, 2.0]]);
    }),
    case("brushes in any overlap", |s, t| {
        floor(s);
        s.block([-4.0, -0.5, -1.0], [4.0, 3.0, 1.0]);
        s.block([-1.0, -0.5, -4.0], [1.0, 3.0, 4.0]);
        s.at(Place::new([0.0; 3], 45.0), |s| s.block([-3.0, -0.2, -1.2], [3.0, 2.5, 1.2]));
        s.block([-4.0, -0.5, -1.0], [0.0, 3.0, 0.3]);
        s.block([-1.5, 0.0, -1.5], [1.5, 4.0, 1.5]);
        s.block([-1.5, 1.5, -1.5], [1.5, 5.0, 1.5]);
        t.blocked_points.extend([
            [0.1, 0.0, 0.2],
            [3.0, 0.0, 0.1],
            [-3.2, 0.0, -0.4],
            [0.2, 0.0, -3.2],
            [1.4, 0.0, 1.3],
            [0.1, 3.0, 0.2],
            [0.1, 4.0, 0.2],
            [0.7, 2.5, 0.9],
        ]);
        t.free_points.extend([[0.0, 5.0, 0.0], [3.4, 3.0, 0.0], [7.0, 0.0, 7.0]]);
    }),
    case("two storeys of one-sided sheets", |s, t| {
        s.sheet([-8.0; 2], [8.0; 2], 0.0, [3, 3]);
        s.sheet([-8.0; 2], [8.0; 2], 3.0, [2, 2]);
        t.free_points.extend([[0.2, 0.0, 0.1], [5.0, 0.0, 5.0], [0.2, 3.0, 0.1]]);
    }),
    case("five storeys of one-sided sheets", |s, t| {
        for storey in 0..5 {
            let y = 2.5 * f64::from(storey);
            s.sheet([-8.0; 2], [8.0; 2], y, [2, 2]);
            t.free_points.extend([[0.2, y, 0.1], [6.0, y, 5.0]]);
        }
    }),
    case("room as a box turned inside out", |s, t| {
        cuboid(s, [-5.0, 0.0, -5.0], [5.0, 3.0, 5.0], Sides::ALL.inwards());
        t.free_points.extend([[0.2, 0.0, 0.1], [4.0, 0.0, -4.0]]);
    }),
    case("crate in a room turned inside out", |s, t| {
        cuboid(s, [-5.0, 0.0, -5.0], [5.0, 3.0, 5.0], Sides::ALL.inwards());
        s.block([-2.0, -0.05, -2.0], [2.0, 1.0, 2.0]);
        t.blocked_points.extend([[0.2, 0.0, 0.1], [1.4, 0.0, -1.4]]);
        t.free_points.extend([[4.0, 0.0, -4.0], [0.2, 1.0, 0.1]]);
    }),
    case("room turned inside out within a hull", |s, t| {
        s.sheet([-12.0; 2], [12.0; 2], 0.0, [5, 5]);
        hull(s, &[]);
        cuboid(s, [-5.5, 0.2, -5.5], [5.5, 3.0, 5.5], Sides::ALL.inwards());
        t.free_points.extend([[0.2, 0.2, 0.1], [4.0, 0.2, -4.0], [9.0, 0.0, 9.0]]);
    }),
    case("hull with a door hole", |s, t| {
        s.sheet([-12.0; 2], [12.0; 2], 0.0, [5, 5]);
        hull(s, &[[-0.6, 0.6]]);
        t.free_points.extend([[0.2, 0.0, 0.1], [9.0, 0.0, 9.0]]);
        t.pair([0.2, 0.0, 0.1], [9.0, 0.0, 9.0], true, "a hull with a door hole");
    }),
    case("tunnel under one-sided terrain", |s, t| {
        s.sheet([-12.0, -12.0], [12.0, 12.0], 4.0, [6, 6]);
        // Floor, walls and ceiling seen from inside; open at both ends of the terrain.
        let sides = Sides::without(Side::West).and_without(Side::East).inwards();
        cuboid(s, [-14.0, 0.0, -2.0], [14.0, 3.0, 2.0], sides);
        t.free_points.extend([[0.2, 0.0, 0.1], [10.0, 0.0, 1.0], [0.2, 4.0, 0.1]]);
    }),
    case("way under one-sided terrain", |s, t| {
        s.sheet([-12.0, -12.0], [12.0, 12.0], 4.0, [6, 6]);
        s.sheet([-16.0, -2.0], [16.0, 2.0], 0.0, [6, 1]);
        t.free_points.extend([[0.2, 0.0, 0.1], [10.0, 0.0, 1.0], [0.2, 4.0, 0.1]]);
    }),
    case("cellar under one-sided terrain", |s, t| {
        hills(s, None);
        cuboid(s, [-4.0, -6.0, -4.0], [4.0, -3.0, 4.0], Sides::ALL.inwards());
        t.free_points.extend([[0.2, -6.0, 0.1], on_hill(5.0, 5.0), on_hill(0.3, 0.2)]);
    }),
    case("pavilion", |s, t| {
        floor(s);
        pavilion_columns(s);
        s.block([-4.0, 3.0, -4.0], [4.0, 3.3, 4.0]);
        t.free_points.extend([[0.2, 0.0, 0.1], [2.0, 0.0, 2.0], [0.2, 3.3, 0.1]]);
        t.blocked_points.extend([[3.5, 0.0, 3.5], [-3.5, 0.0, 3.5]]);
    }),
    case("pavilion with a one-sided roof", |s, t| {
        floor(s);
        pavilion_columns(s);
        s.sheet([-4.0; 2], [4.0; 2], 3.0, [2, 2]);
        t.free_points.extend([[0.2, 0.0, 0.1], [2.0, 0.0, 2.0], [0.2, 3.0, 0.1]]);
    }),
    case("market stall", |s, t| {
        floor(s);
        // Cloth seen from outside on three sides and above; the front is open.
        let sides = Sides::without(Side::Bottom).and_without(Side::South);
        cuboid(s, [-3.0, 0.0, -2.0], [3.0, 2.5, 2.0], sides);
        t.free_points.extend([[0.2, 0.0, 0.1], [2.0, 0.0, -1.0], [0.0, 0.0, 5.0]]);
        t.pair([0.2, 0.0, 0.1], [0.0, 0.0, 5.0], true, "a market stall, open in front");
    }),
    case("under a bridge", |s, t| {
        floor(s);
        s.block([-8.0, 0.0, -2.0], [-5.0, 3.0, 2.0]);
        s.block([5.0, 0.0, -2.0], [8.0, 3.0, 2.0]);
        s.block([-5.0, 2.6, -2.0], [5.0, 3.0, 2.0]);
        t.free_points.extend([[0.2, 0.0, 0.1], [4.0, 0.0, 1.0], [0.2, 3.0, 0.1]]);
        t.blocked_points.extend([[-6.5, 0.0, 0.1], [6.5, 0.0, 0.1]]);
    }),
    alone("cave scan", cave),
    alone("level in a sky box seen from inside", |s, t| {
        level(s, t);
        cuboid(s, [-60.0, -40.0, -60.0], [60.0, 50.0, 60.0], Sides::ALL.inwards());
    }),
    alone("level in a sky box seen from outside", |s, t| {
        level(s, t);
        cuboid(s, [-60.0, -40.0, -60.0], [60.0, 50.0, 60.0], Sides::ALL);
    }),
    alone("level under a sky dome seen from outside", |s, t| {
        level(s, t);
        s.ball([0.0, -2.0, 0.0], 60.0, 12, 16);
    }),
];

/// All cases.
#[must_use]
pub fn cases() -> &'static [InsideCase] {
    CASES
}

/// The cases beside one another, those left out whose answer holds only alone; size: how many.
pub(crate) fn draft(size: u32, _seed: u64) -> Draft {
    /// From the middle of one case to that of the next.
    const PLOT_M: f64 = 40.0;
    const PER_ROW: usize = 6;
    let mut draft = Draft { soup: Soup::new(), truth: Truth::default() };
    let shown = CASES.iter().filter(|c| !c.is_alone).take(size as usize);
    for (i, case) in shown.enumerate() {
        let offset = [PLOT_M * (i % PER_ROW) as f64, 0.0, PLOT_M * (i / PER_ROW) as f64];
        let moved = |p: [f64; 3]| std::array::from_fn(|k| p[k] + offset[k]);
        let (mut soup, mut truth) = (Soup::new(), Truth::default());
        (case.draw)(&mut soup, &mut truth);
        for t in soup.triangles {
            draft.soup.triangle(t.map(moved));
        }
        draft.truth.free_points.extend(truth.free_points.into_iter().map(moved));
        draft.truth.blocked_points.extend(truth.blocked_points.into_iter().map(moved));
        for pair in truth.pairs {
            draft.truth.pair(moved(pair.from), moved(pair.to), pair.connected, pair.what);
        }
    }
    draft
}

/// How many cases stand beside one another at most.
pub(crate) const SHOWN: u32 = {
    let (mut count, mut i) = (0, 0);
    while i < CASES.len() {
        count += !CASES[i].is_alone as u32;
        i += 1;
    }
    count
};

/// A side of a box.
#[derive(Clone, Copy)]
enum Side {
    Bottom,
    West,
    East,
    South,
}

/// Which sides of a box there are, and which way they look.
#[derive(Clone, Copy)]
struct Sides {
    left_out: u8,
    look_in: bool,
}

impl Sides {
    const ALL: Self = Self { left_out: 0, look_in: false };

    const fn without(side: Side) -> Self {
        Self::ALL.and_without(side)
    }

    const fn and_without(self, side: Side) -> Self {
        Self { left_out: self.left_out | 1 << side as u8, ..self }
    }

    const fn inwards(self) -> Self {
        Self { look_in: true, ..self }
    }
}

/// A box of one-sided faces.
fn cuboid(soup: &mut Soup, low: [f64; 3], high: [f64; 3], sides: Sides) {
    let ([a, b, c], [d, e, f]) = (low, high);
    let bottom = [[a, b, c], [d, b, c], [d, b, f], [a, b, f]];
    let west = [[a, b, c], [a, b, f], [a, e, f], [a, e, c]];
    let east = [[d, b, f], [d, b, c], [d, e, c], [d, e, f]];
    let south = [[a, b, f], [d, b, f], [d, e, f], [a, e, f]];
    let north = [[d, b, c], [a, b, c], [a, e, c], [d, e, c]];
    let top = [[a, e, f], [d, e, f], [d, e, c], [a, e, c]];
    let optional = [(Side::Bottom, bottom), (Side::West, west), (Side::East, east)];
    let optional = optional.into_iter().chain([(Side::South, south)]);
    let there = optional.filter(|(side, _)| sides.left_out & 1 << *side as u8 == 0);
    for mut quad in there.map(|(_, quad)| quad).chain([north, top]) {
        if sides.look_in {
            quad.reverse();
        }
        soup.quad(quad);
    }
}

/// A solid floor of 16 m with its top at height zero.
fn floor(soup: &mut Soup) {
    soup.block([-8.0, -0.5, -8.0], [8.0, 0.0, 8.0]);
}

fn crate_in_floor(soup: &mut Soup, truth: &mut Truth, y: f64) {
    floor(soup);
    soup.block([-2.0, y, -2.0], [2.0, y + 4.0, 2.0]);
    crate_answers(truth, y + 4.0);
}

/// A crate of 4 m in the middle of a floor.
fn crate_answers(truth: &mut Truth, top_m: f64) {
    truth.blocked_points.extend([[0.2, 0.0, 0.1], [1.2, 0.0, 1.1], [-1.3, 0.0, 0.7]]);
    truth.free_points.extend([[0.0, top_m, 0.0], [5.0, 0.0, 5.0], [-5.0, 0.0, 1.0]]);
}

fn pavilion_columns(soup: &mut Soup) {
    for (x, z) in [(-3.5, -3.5), (-3.5, 3.5), (3.5, -3.5), (3.5, 3.5)] {
        soup.block([x - 0.3, -0.1, z - 0.3], [x + 0.3, 3.0, z + 0.3]);
    }
}

/// The height of gentle hills, on a grid of this many cells a side.
fn hill(x: f64, z: f64) -> f64 {
    0.5 * sin_cos_deg(30.0 * x).0 + 0.4 * sin_cos_deg(25.0 * z + 40.0).0
}

fn on_hill(x: f64, z: f64) -> [f64; 3] {
    [x, hill(x, z), z]
}

/// The height of a hollow that is deepest at the origin.
fn hollow(x: f64, z: f64) -> f64 {
    0.03 * (x * x + z * z)
}

/// Terrain of 16 m: a sheet, or with a thickness a slab.
fn grid(soup: &mut Soup, thickness_m: Option<f64>, height: fn(f64, f64) -> f64) {
    const CELLS: i32 = 32;
    let at = |i: i32| 0.5 * f64::from(i - CELLS / 2);
    for i in 0..CELLS {
        for j in 0..CELLS {
            let point = |i: i32, j: i32| [at(i), height(at(i), at(j)), at(j)];
            let quad = [point(i, j + 1), point(i + 1, j + 1), point(i + 1, j), point(i, j)];
            match thickness_m {
                None => soup.quad(quad),
                Some(thickness_m) => {
                    soup.quad(quad);
                    let under = |[x, y, z]: [f64; 3]| [x, y - thickness_m, z];
                    let [a, b, c, d] = quad.map(under);
                    soup.quad([d, c, b, a]);
                    let rim = [j + 1 == CELLS, i + 1 == CELLS, j == 0, i == 0];
                    for (k, _) in rim.into_iter().enumerate().filter(|(_, is_rim)| *is_rim) {
                        let (p, q) = (quad[k], quad[(k + 1) % 4]);
                        soup.quad([under(p), under(q), q, p]);
                    }
                }
            }
        }
    }
}

fn hills(soup: &mut Soup, thickness_m: Option<f64>) {
    grid(soup, thickness_m, hill);
}

/// A ball with bumps.
fn rock(soup: &mut Soup, centre: [f64; 3], radius_m: f64) {
    let mut whole = Soup::new();
    whole.ball([0.0; 3], radius_m, 10, 14);
    for t in whole.triangles {
        soup.triangle(t.map(|p| bumpy(p, 0.08)).map(|p| std::array::from_fn(|k| p[k] + centre[k])));
    }
}

/// A point moved away from the origin or towards it, by a share of its distance.
fn bumpy(p: [f64; 3], share: f64) -> [f64; 3] {
    let bump = sin_cos_deg(71.0 * p[0] + 13.0 * p[1]).0 * sin_cos_deg(59.0 * p[2] - 31.0 * p[1]).1;
    p.map(|c| c * (1.0 + share * bump))
}

/// A round column without ends.
fn tube(soup: &mut Soup, radius_m: f64, low_y: f64, high_y: f64) {
    const SIDES: u32 = 20;
    let point = |i: u32, y: f64| {
        let (s, c) = sin_cos_deg(f64::from(i % SIDES) * 360.0 / f64::from(SIDES));
        [radius_m * c, y, -radius_m * s]
    };
    for i in 0..SIDES {
        soup.quad([point(i, low_y), point(i + 1, low_y), point(i + 1, high_y), point(i, high_y)]);
    }
}

/// The hull of a building of 12 m seen from outside, with a pitched roof, without a bottom; doors are
/// stretches of its front where the wall is missing up to 2.2 m.
fn hull(soup: &mut Soup, doors: &[[f64; 2]]) {
    const HALF_M: f64 = 6.0;
    const EAVES_M: f64 = 4.0;
    const DOOR_M: f64 = 2.2;
    let (h, foot, eaves, ridge) = (HALF_M, -0.5, EAVES_M, 7.0);
    let mut from = -h;
    for &[left, right] in doors {
        soup.quad([[from, foot, h], [left, foot, h], [left, eaves, h], [from, eaves, h]]);
        soup.quad([[left, DOOR_M, h], [right, DOOR_M, h], [right, eaves, h], [left, eaves, h]]);
        from = right;
    }
    soup.quad([[from, foot, h], [h, foot, h], [h, eaves, h], [from, eaves, h]]);
    soup.quad([[h, foot, -h], [-h, foot, -h], [-h, eaves, -h], [h, eaves, -h]]);
    soup.quad([[h, foot, h], [h, foot, -h], [h, eaves, -h], [h, eaves, h]]);
    soup.quad([[-h, foot, -h], [-h, foot, h], [-h, eaves, h], [-h, eaves, -h]]);
    soup.quad([[-h, eaves, h], [h, eaves, h], [h, ridge, 0.0], [-h, ridge, 0.0]]);
    soup.quad([[h, eaves, -h], [-h, eaves, -h], [-h, ridge, 0.0], [h, ridge, 0.0]]);
    soup.triangle([[h, eaves, h], [h, eaves, -h], [h, ridge, 0.0]]);
    soup.triangle([[-h, eaves, -h], [-h, eaves, h], [-h, ridge, 0.0]]);
}

/// A cave as a scanner sees it: a bumpy hollow seen from inside, flat enough below to walk on.
fn cave(soup: &mut Soup, truth: &mut Truth) {
    let mut whole = Soup::new();
    whole.ball([0.0; 3], 6.0, 40, 60);
    let floor = |p: [f64; 3]| {
        let [x, y, z] = bumpy(p, 0.06);
        let ground = -2.0 + 0.1 * sin_cos_deg(47.0 * x).0 * sin_cos_deg(61.0 * z).1;
        [1.5 * x, y.max(ground), z]
    };
    for t in whole.triangles {
        let [a, b, c] = t.map(floor);
        soup.triangle([c, b, a]);
    }
    let on = |x: f64, z: f64| {
        let ground = -2.0 + 0.1 * sin_cos_deg(47.0 * x / 1.5).0 * sin_cos_deg(61.0 * z).1;
        [x, ground, z]
    };
    truth.free_points.extend([on(0.2, 0.1), on(3.0, 2.0), on(-4.0, -1.0)]);
}

/// A small level: a floor with a crate sunk into it, a wall and a gallery.
fn level(soup: &mut Soup, truth: &mut Truth) {
    soup.block([-20.0, -0.5, -20.0], [20.0, 0.0, 20.0]);
    soup.block([-2.0, -0.1, -2.0], [2.0, 3.9, 2.0]);
    soup.block([8.0, -0.1, -10.0], [8.5, 3.0, 10.0]);
    soup.block([-20.0, 2.7, -20.0], [-14.0, 3.0, 20.0]);
    crate_answers(truth, 3.9);
    truth.free_points.extend([[15.0, 0.0, 0.0], [-17.0, 0.0, 0.0], [-17.0, 3.0, 5.0]]);
    truth.blocked_points.push([8.25, 0.0, 0.0]);
}
