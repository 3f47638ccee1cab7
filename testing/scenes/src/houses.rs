//! Two houses of the kind and size of Vermeulen et al. 2018, table I: a terrace house (6,155
//! triangles) whose storeys are joined by stairs, and a town house by a road (2,676 triangles) whose
//! upper storey nothing leads to.

use crate::draft::Draft;
use crate::furniture;
use crate::random::Random;
use crate::soup::{Place, Soup};
use crate::top_up::top_up;
use crate::truth::Truth;
use crate::walls::{Along, Opening, Wall, slab_around};

const TERRACE_TRIANGLES: usize = 6_155;
const TOWN_TRIANGLES: usize = 2_676;

/// Where the roofs begin and end across their ridge.
const TERRACE_EAVES: [f64; 2] = [-0.3, 10.3];
const TOWN_EAVES: [f64; 2] = [7.6, 20.4];

const OUTER_M: f64 = 0.25;
const INNER_M: f64 = 0.12;

/// The outer walls of one storey around a rectangle, given as the four sides' openings: the side
/// towards -Z, +Z, -X, +X.
fn outer_walls(
    soup: &mut Soup,
    [width, depth]: [f64; 2],
    heights: [f64; 2],
    openings: [&[Opening]; 4],
) {
    for (k, faces) in [[0.0, OUTER_M], [depth - OUTER_M, depth]].into_iter().enumerate() {
        Wall { along: Along::X, span: [0.0, width], faces, heights }.raise(soup, openings[k]);
    }
    for (k, faces) in [[0.0, OUTER_M], [width - OUTER_M, width]].into_iter().enumerate() {
        let span = [OUTER_M, depth - OUTER_M];
        Wall { along: Along::Z, span, faces, heights }.raise(soup, openings[2 + k]);
    }
}

/// An inner wall, its near face and its span given, with a threshold of 2 cm in every door.
fn inner_wall(
    soup: &mut Soup,
    along: Along,
    span: [f64; 2],
    face: f64,
    heights: [f64; 2],
    doors: &[f64],
) {
    const DOOR_M: f64 = 0.9;
    let openings: Vec<Opening> = doors.iter().map(|&at| Opening::door(at, DOOR_M)).collect();
    let faces = [face, face + INNER_M];
    Wall { along, span, faces, heights }.raise(soup, &openings);
    for at in doors {
        along.block(
            soup,
            [at - 0.5 * DOOR_M, heights[0], face],
            [at + 0.5 * DOOR_M, heights[0] + 0.02, face + INNER_M],
        );
    }
}

/// A flight with an inclined underside along +Z, with balusters on its open side (towards +X).
fn indoor_flight(soup: &mut Soup, [x, y, z]: [f64; 3], width: f64, steps: u32, rise: f64) {
    const TREAD_M: f64 = 0.25;
    let mut profile = Vec::new();
    for i in 0..steps - 1 {
        let (pz, py) = (z + f64::from(i) * TREAD_M, y + f64::from(i) * rise);
        profile.extend([[pz, py], [pz, py + rise]]);
    }
    let end = z + f64::from(steps - 1) * TREAD_M;
    let top = y + f64::from(steps - 1) * rise;
    profile.extend([[end, top], [end, top - 0.2], [z + TREAD_M, y]]);
    soup.extrude(&profile, |[pz, py], far| [if far { x + width } else { x }, py, pz]);
    let rail = x + width - 0.03;
    let lift = |i: u32, up: f64| {
        [rail, y + f64::from(i + 1) * rise + up, z + (f64::from(i) + 0.5) * TREAD_M]
    };
    for i in 0..steps - 1 {
        soup.bar(lift(i, 0.0), lift(i, 0.9), 0.015, 8);
    }
    soup.bar(lift(0, 0.9), lift(steps - 2, 0.9), 0.025, 12);
}

/// Height of a gable roof's upper side over the plan.
fn gable_y(z: [f64; 2], y: f64, rise: f64, at: f64) -> f64 {
    let half = 0.5 * (z[1] - z[0]);
    y + 0.15 + rise * (1.0 - (at - z[0] - half).abs() / half)
}

/// A gable roof over a rectangle, ridge along X.
fn gable(soup: &mut Soup, x: [f64; 2], z: [f64; 2], y: f64, rise: f64) {
    let middle = 0.5 * (z[0] + z[1]);
    let profile =
        [[z[0], y], [z[1], y], [z[1], y + 0.15], [middle, y + 0.15 + rise], [z[0], y + 0.15]];
    soup.extrude(&profile, |[pz, py], far| [if far { x[1] } else { x[0] }, py, pz]);
}

pub(crate) fn draft_terrace(houses: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "terrace-house");
    for k in 0..houses {
        let place = Place::new([8.0 * f64::from(k), 0.0, 0.0], 0.0);
        soup.at(place, |soup| {
            terrace_shell(soup);
            terrace_rooms(soup);
        });
        terrace_furniture(&mut soup, &place);
        let target = TERRACE_TRIANGLES * (k as usize + 1);
        // Gravel in a bed along the garden's end.
        top_up(&mut soup, target, &mut random, |random| {
            place.apply([random.between(0.4, 7.6), -0.15, random.between(16.2, 17.6)])
        });
        let inside = place.apply([5.0, 0.0, 1.6]);
        let upstairs = place.apply([3.5, 2.8, 4.5]);
        let (street, garden) = (place.apply([4.0, -0.15, -3.0]), place.apply([4.0, -0.15, 14.0]));
        let roof = place.apply([4.0, gable_y(TERRACE_EAVES, 5.6, 2.6, 2.5), 2.5]);
        truth.pair(street, inside, true, "in by the front door");
        truth.pair(inside, garden, true, "through the house to the garden");
        truth.pair(inside, upstairs, true, "up the stairs");
        truth.pair(inside, roof, false, "onto the roof");
        truth.free_points.extend([inside, upstairs, street, garden]);
    }
    Draft { soup, truth }
}

/// Ground, slabs, outer walls and roof. The house stands from x = 0 to 8 and z = 0 to 10, a parking
/// space lies before it and a garden behind.
fn terrace_shell(soup: &mut Soup) {
    let size = [8.0, 10.0];
    soup.set_tag(Some("pavement"));
    soup.block([0.0, -0.5, -6.0], [8.0, -0.15, 0.0]);
    soup.set_tag(Some("grass"));
    soup.block([0.0, -0.5, 10.0], [8.0, -0.15, 18.0]);
    soup.set_tag(None);
    soup.block([0.0, -0.5, 0.0], [8.0, 0.0, 10.0]);
    for x in [0.0, 7.9] {
        soup.block([x, -0.15, 10.0], [x + 0.1, 1.65, 18.0]);
    }
    outer_walls(
        soup,
        size,
        [0.0, 2.55],
        [
            &[Opening::door(3.0, 1.0), Opening::window(6.0, 1.6)],
            &[Opening::window(2.0, 1.4), Opening::door(5.5, 1.8)],
            &[],
            &[],
        ],
    );
    let well = [[0.25, 2.2], [1.25, 5.95]];
    slab_around(soup, [[0.0; 2], size], well, [2.55, 2.8]);
    outer_walls(
        soup,
        size,
        [2.8, 5.35],
        [
            &[Opening::window(2.0, 1.4), Opening::window(6.0, 1.4)],
            &[Opening::window(2.0, 1.4), Opening::window(6.0, 1.4)],
            &[],
            &[],
        ],
    );
    soup.block([0.0, 5.35, 0.0], [8.0, 5.6, 10.0]);
    gable(soup, [0.0, 8.0], TERRACE_EAVES, 5.6, 2.6);
    soup.block([6.4, 5.6, 6.5], [7.2, 9.2, 7.3]);
    indoor_flight(soup, [0.25, 0.0, 2.2], 1.0, 16, 0.175);
    // The parapet around the well upstairs; the stairs arrive at its far end.
    soup.block([1.25, 2.8, 2.1], [1.35, 3.7, 5.95]);
    soup.block([0.25, 2.8, 2.1], [1.25, 3.7, 2.2]);
}

/// Inner walls: downstairs a hall with the stairs, a kitchen, a living room and a lavatory;
/// upstairs a landing, three bedrooms and a bath.
fn terrace_rooms(soup: &mut Soup) {
    let down = [0.0, 2.55];
    inner_wall(soup, Along::Z, [0.25, 6.6], 3.8, down, &[1.6, 4.9]);
    inner_wall(soup, Along::X, [0.25, 7.75], 6.6, down, &[2.6, 5.6]);
    inner_wall(soup, Along::X, [3.92, 7.75], 3.2, down, &[6.6]);
    let up = [2.8, 5.35];
    inner_wall(soup, Along::X, [0.25, 7.75], 6.8, up, &[2.2, 6.0]);
    inner_wall(soup, Along::Z, [0.25, 6.8], 5.0, up, &[1.2, 5.6]);
    inner_wall(soup, Along::Z, [6.92, 9.75], 3.9, up, &[]);
    inner_wall(soup, Along::X, [5.12, 7.75], 3.4, up, &[]);
}

fn terrace_furniture(soup: &mut Soup, place: &Place) {
    let at = |x: f64, y: f64, z: f64| place.apply([x, y, z]);
    furniture::dining_group(soup, at(5.9, 0.0, 5.0), 90.0);
    furniture::sofa(soup, at(2.0, 0.0, 9.2), 180.0);
    furniture::shelf(soup, at(7.0, 0.0, 9.5), 180.0, 1.2);
    furniture::plant(soup, at(0.6, 0.0, 7.2));
    soup.at(*place, |soup| {
        // Kitchen counters along the outer wall, with round knobs.
        soup.block([7.1, 0.0, 0.3], [7.7, 0.9, 3.1]);
        soup.block([4.2, 0.0, 0.3], [4.8, 0.9, 0.9]);
        for k in 0..5 {
            let z = 0.6 + 0.5 * f64::from(k);
            soup.bar([7.1, 0.7, z], [7.05, 0.7, z], 0.03, 10);
        }
        for x in [1.0, 7.0] {
            soup.pillar([x, -0.15, 13.0], 0.12, 10, 1.6);
            soup.ball([x, 2.2, 13.0], 0.9, 8, 12);
        }
        for (x, y, z) in [(2.0, 2.3, 1.4), (6.0, 2.3, 5.0), (4.0, 2.3, 8.3), (3.0, 5.1, 4.5)] {
            soup.bar([x, y, z], [x, y + 0.25, z], 0.01, 6);
            soup.ball([x, y - 0.1, z], 0.15, 6, 8);
        }
    });
    for (x, z, turn) in [(6.6, 2.4, -90.0), (1.6, 8.8, 90.0), (6.4, 8.8, -90.0)] {
        furniture::bed(soup, at(x, 2.8, z), turn);
    }
    for (x, z, turn) in [(3.4, 0.45, 0.0), (7.0, 6.4, 180.0), (3.3, 9.55, 180.0)] {
        furniture::shelf(soup, at(x, 2.8, z), turn, 1.0);
    }
    furniture::plant(soup, at(4.5, 2.8, 6.3));
    furniture::bench(soup, at(4.0, -0.15, 11.3), 1.8);
    furniture::railing(soup, at(0.3, -0.15, 15.9), at(7.7, -0.15, 15.9), 8);
}

pub(crate) fn draft_town(houses: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "town-house");
    for k in 0..houses {
        let place = Place::new([30.0 * f64::from(k), 0.0, 0.0], 0.0);
        soup.at(place, town_house);
        let target = TOWN_TRIANGLES * (k as usize + 1);
        top_up(&mut soup, target, &mut random, |random| {
            place.apply([random.between(1.0, 5.0), 0.0, random.between(6.0, 20.0)])
        });
        let (road, ground) = (place.apply([4.0, 0.02, 3.0]), place.apply([13.0, 0.6, 16.5]));
        let upper = place.apply([13.0, 3.6, 16.5]);
        let roof = place.apply([15.0, gable_y(TOWN_EAVES, 6.6, 3.5, 12.5), 12.5]);
        let back = place.apply([27.0, 0.0, 26.0]);
        truth.pair(road, ground, true, "up the steps and in by the front door");
        truth.pair(ground, back, true, "out by the back door and down its steps");
        truth.pair(ground, upper, false, "upstairs, where no stairs lead");
        truth.pair(ground, roof, false, "onto the roof");
        truth.free_points.extend([road, ground, upper, back]);
    }
    Draft { soup, truth }
}

/// A house on a plinth of 0.6 m, from x = 8 to 22 and z = 8 to 20, on one large rectangle of ground
/// with a road along its front.
fn town_house(soup: &mut Soup) {
    soup.set_tag(Some("grass"));
    soup.sheet([0.0, 0.0], [30.0, 30.0], 0.0, [1, 1]);
    soup.set_tag(Some("street"));
    soup.block([0.0, -0.2, 1.0], [30.0, 0.02, 5.0]);
    soup.set_tag(None);
    let (x, z) = ([8.0, 22.0], [8.0, 20.0]);
    soup.block([x[0], -0.3, z[0]], [x[1], 0.6, z[1]]);
    // Four steps of 15 cm up to either door, the upper one level with the floor.
    for k in 0..4_u32 {
        let (up, out) = (0.15 * f64::from(k + 1), 0.3 * f64::from(3 - k));
        soup.block([13.8, 0.0, z[0] - 1.5 - out], [16.2, up, z[0] - 1.2 - out]);
        soup.block([16.8, 0.0, z[1] + 1.2 + out], [19.2, up, z[1] + 1.5 + out]);
    }
    soup.block([13.8, 0.0, z[0] - 1.2], [16.2, 0.6, z[0]]);
    soup.block([16.8, 0.0, z[1]], [19.2, 0.6, z[1] + 1.2]);
    for storey in 0..2_u32 {
        let y = 0.6 + 3.0 * f64::from(storey);
        let heights = [y, y + 2.75];
        let windows = |at: &[f64]| -> Vec<Opening> {
            at.iter().map(|&at| Opening::window(at, 1.3)).collect()
        };
        let mut front = windows(&[10.0, 12.4, 17.6, 20.0]);
        let mut back = windows(&[10.0, 12.4, 15.0, 20.4]);
        if storey == 0 {
            front.insert(2, Opening::door(15.0, 1.4));
            back.insert(3, Opening::door(18.0, 1.4));
        }
        for (openings, near) in [(&front, z[0]), (&back, z[1] - OUTER_M)] {
            Wall { along: Along::X, span: x, faces: [near, near + OUTER_M], heights }
                .raise(soup, openings);
        }
        for near in [x[0], x[1] - OUTER_M] {
            let span = [z[0] + OUTER_M, z[1] - OUTER_M];
            Wall { along: Along::Z, span, faces: [near, near + OUTER_M], heights }
                .raise(soup, &windows(&[10.5, 14.0, 17.5]));
        }
        inner_wall(
            soup,
            Along::X,
            [x[0] + OUTER_M, x[1] - OUTER_M],
            14.0,
            heights,
            &[10.0, 15.5, 20.0],
        );
        inner_wall(soup, Along::Z, [z[0] + OUTER_M, 14.0], 13.0, heights, &[11.0]);
        inner_wall(soup, Along::Z, [14.0 + INNER_M, z[1] - OUTER_M], 16.4, heights, &[17.0]);
        soup.block([x[0], y + 2.75, z[0]], [x[1], y + 3.0, z[1]]);
    }
    // A porch roof on round posts over the front door, and the main roof.
    soup.block([13.4, 3.0, z[0] - 2.4], [16.6, 3.15, z[0]]);
    for px in [13.6, 16.4] {
        soup.pillar([px, 0.0, z[0] - 2.25], 0.1, 12, 3.0);
    }
    gable(soup, [x[0] - 0.4, x[1] + 0.4], TOWN_EAVES, 6.6, 3.5);
    soup.block([10.0, 6.6, 15.0], [10.8, 10.8, 15.8]);
    for (fx, fz) in [(3.0, 12.0), (26.0, 10.0), (4.0, 25.0)] {
        soup.pillar([fx, 0.0, fz], 0.2, 8, 2.0);
        soup.ball([fx, 3.0, fz], 1.4, 6, 10);
    }
}
