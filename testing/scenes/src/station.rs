//! An underground station after Saupin et al. 2013, §6.2.1: 351 m by 40 m by 8.3 m and 568,418
//! triangles at the default size. Three platforms beside two tracks, a hall above them, escalators
//! and stairs between, columns, benches, studded strips, sleepers and ballast.

use crate::draft::Draft;
use crate::furniture;
use crate::random::Random;
use crate::soup::{Place, Soup};
use crate::top_up::top_up;
use crate::truth::Truth;

const TRIANGLES: f64 = 568_418.0;
const DEFAULT_BAYS: f64 = 70.0;
const BAY_M: f64 = 5.0;
const WIDTH_M: f64 = 40.0;
const PLATFORM_Y: f64 = 1.1;
const HALL_Y: f64 = 4.8;
/// Platforms and tracks, from where to where across.
const PLATFORMS: [[f64; 2]; 3] = [[0.5, 7.0], [14.0, 26.0], [33.0, 39.5]];
const TRACKS: [[f64; 2]; 2] = [[7.0, 14.0], [26.0, 33.0]];
const FLIGHT_STEPS: u32 = 18;
const FLIGHT_TREAD_M: f64 = 0.4;

pub(crate) fn draft(bays: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "station");
    let length = BAY_M * f64::from(bays);
    // The hall stands over the middle bays; flights come up to it from either end.
    let hall = [BAY_M * f64::from(bays / 2 - 2), BAY_M * f64::from(bays / 2 + bays / 6 + 1)];
    carcass(&mut soup, length, hall);
    for bay in 0..bays {
        let x = BAY_M * f64::from(bay);
        bay_details(&mut soup, x, (hall[0]..hall[1]).contains(&(x + 2.5)));
    }
    for [low, high] in TRACKS {
        track(&mut soup, length, 0.5 * (low + high));
    }
    let run = FLIGHT_TREAD_M * f64::from(FLIGHT_STEPS - 1);
    for z in flights_across() {
        flight(&mut soup, &Place::new([hall[0] - run, PLATFORM_Y, z], 0.0));
        flight(&mut soup, &Place::new([hall[1] + run, PLATFORM_Y, z], 180.0));
    }
    let target = TRIANGLES * f64::from(bays) / DEFAULT_BAYS;
    top_up(&mut soup, target.round() as usize, &mut random, |random| {
        let [low, high] = TRACKS[random.below(2)];
        let z = random.between(low + 0.1, high - 0.1);
        [random.between(0.1, length - 0.1), 0.0, z]
    });
    answers(&mut truth, length, hall);
    Draft { soup, truth }
}

/// Middles of the flights: one at each side platform, three at the middle one.
fn flights_across() -> [f64; 5] {
    [3.0, 17.5, 20.0, 22.5, 37.0]
}

const FLIGHT_WIDTH_M: f64 = 1.4;
const BALUSTRADE_M: f64 = 0.15;

fn carcass(soup: &mut Soup, length: f64, hall: [f64; 2]) {
    soup.block([0.0, -0.3, 0.0], [length, 0.0, WIDTH_M]);
    for z in [0.0, WIDTH_M - 0.5] {
        soup.block([0.0, 0.0, z], [length, 7.7, z + 0.5]);
    }
    soup.block([0.0, 7.7, 0.0], [length, 8.0, WIDTH_M]);
    for [low, high] in PLATFORMS {
        soup.block([0.0, 0.0, low], [length, PLATFORM_Y, high]);
    }
    soup.block([hall[0], HALL_Y - 0.4, 0.5], [hall[1], HALL_Y, WIDTH_M - 0.5]);
    // A parapet along the hall's ends, open where a flight arrives.
    for x in [hall[0], hall[1] - 0.2] {
        let mut z = 0.5;
        for middle in flights_across() {
            let half = 0.5 * FLIGHT_WIDTH_M;
            soup.block([x, HALL_Y, z], [x + 0.2, HALL_Y + 1.1, middle - half]);
            z = middle + half;
        }
        soup.block([x, HALL_Y, z], [x + 0.2, HALL_Y + 1.1, WIDTH_M - 0.5]);
    }
}

fn bay_details(soup: &mut Soup, x: f64, under_hall: bool) {
    // Two rows of columns on the middle platform, up to the hall or to the ceiling.
    for z in [15.5, 24.5] {
        let top = if under_hall { HALL_Y - 0.4 } else { 7.7 };
        soup.pillar([x + 2.5, PLATFORM_Y, z], 0.35, 32, top - PLATFORM_Y);
        soup.pillar([x + 2.5, PLATFORM_Y, z], 0.45, 32, 0.3);
    }
    for z in [1.0, 39.0] {
        furniture::bench(soup, [x + 2.5, PLATFORM_Y, z], 2.4);
    }
    // Studded strips along the four platform edges.
    for edge in [6.2, 14.3, 25.2, 33.3] {
        for k in 0..20 {
            for row in 0..2 {
                let (sx, sz) = (x + 0.1 + 0.25 * f64::from(k), edge + 0.25 * f64::from(row));
                let top = PLATFORM_Y + 0.005;
                soup.block([sx, PLATFORM_Y, sz], [sx + 0.04, top, sz + 0.04]);
            }
        }
    }
    // Lamps and ribs under the ceiling, panels on the walls.
    for z in [4.0, 10.5, 20.0, 29.5, 36.0] {
        soup.bar([x + 1.0, 7.4, z], [x + 4.0, 7.4, z], 0.05, 12);
    }
    soup.block([x, 7.5, 0.5], [x + 0.3, 7.7, WIDTH_M - 0.5]);
    for z in [0.5, WIDTH_M - 0.56] {
        for k in 0..4 {
            let px = x + 0.1 + 1.25 * f64::from(k);
            soup.block([px, 2.2, z], [px + 1.05, 3.6, z + 0.06]);
        }
    }
}

fn track(soup: &mut Soup, length: f64, middle: f64) {
    let sleepers = (length / 0.65) as usize;
    for k in 0..sleepers {
        let x = 0.2 + 0.65 * k as f64;
        soup.block([x, 0.0, middle - 1.3], [x + 0.25, 0.16, middle + 1.3]);
    }
    for side in [-1.0, 1.0] {
        let z = middle + side * 0.7175;
        soup.block([0.0, 0.16, z - 0.035], [length, 0.32, z + 0.035]);
    }
}

/// An escalator at rest: steps, an inclined underside, and a balustrade on either side.
fn flight(soup: &mut Soup, place: &Place) {
    let rise = (HALL_Y - PLATFORM_Y) / f64::from(FLIGHT_STEPS);
    let run = FLIGHT_TREAD_M * f64::from(FLIGHT_STEPS - 1);
    let half = 0.5 * FLIGHT_WIDTH_M;
    soup.at(*place, |soup| {
        let mut profile = Vec::new();
        for i in 0..FLIGHT_STEPS - 1 {
            let (x, y) = (f64::from(i) * FLIGHT_TREAD_M, f64::from(i) * rise);
            profile.extend([[x, y], [x, y + rise]]);
        }
        let top = f64::from(FLIGHT_STEPS - 1) * rise;
        profile.extend([[run, top], [run, top - 0.15], [FLIGHT_TREAD_M, 0.0]]);
        soup.extrude(&profile, |[x, y], far| [x, y, if far { half } else { -half }]);
        let rail = [
            [0.0, 0.0],
            [FLIGHT_TREAD_M, 0.0],
            [run, top - 0.15],
            [run, top + rise + 0.9],
            [0.0, rise + 0.9],
        ];
        for near in [-half - BALUSTRADE_M, half] {
            soup.extrude(&rail, |[x, y], far| [x, y, if far { near + BALUSTRADE_M } else { near }]);
        }
    });
}

fn answers(truth: &mut Truth, length: f64, hall: [f64; 2]) {
    let in_hall = [0.5 * (hall[0] + hall[1]), HALL_Y, 12.0];
    let platform = |k: usize, x: f64| {
        let [low, high] = PLATFORMS[k];
        [x, PLATFORM_Y, 0.5 * (low + high)]
    };
    for k in 0..3 {
        truth.pair(platform(k, 2.0), in_hall, true, "from a platform to the hall by an escalator");
        truth.pair(platform(k, 2.0), platform(k, length - 2.0), true, "along a platform");
    }
    truth.pair(platform(0, 2.0), platform(2, 2.0), true, "over the hall to the other platform");
    let on_track = |k: usize| [1.0, 0.0, TRACKS[k][0] + 0.8];
    truth.pair(platform(1, 2.0), on_track(0), false, "down to the track, 1.1 m below");
    truth.pair(on_track(0), on_track(1), false, "from track to track");
    truth.free_points.push(in_hall);
    truth.free_points.extend((0..3).map(|k| platform(k, 2.0)));
}
