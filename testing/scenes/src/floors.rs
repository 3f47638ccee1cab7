//! A building of three storeys: rooms over rooms, joined by stairs in open wells.

use crate::draft::Draft;
use crate::furniture;
use crate::random::Random;
use crate::soup::Soup;
use crate::truth::Truth;
use crate::walls::{Along, Opening, Wall};

const PITCH_M: f64 = 5.0;
const WALL_M: f64 = 0.2;
const STOREY_M: f64 = 3.0;
const SLAB_M: f64 = 0.25;
const STOREYS: u32 = 3;
const STEPS: u32 = 18;
const TREAD_M: f64 = 0.25;
const FLIGHT_M: [f64; 2] = [4.25, 1.4];
/// Every this many rooms, two neighbouring rooms are a stairwell.
const WELL_EVERY: usize = 8;

pub(crate) fn draft(rooms: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "floors");
    let n = rooms as usize;
    let side = PITCH_M * n as f64 + WALL_M;
    // The stairs of a well start 2.7 m from its wall and run along the wall behind it.
    let wells: Vec<[f64; 2]> = (0..n)
        .filter(|i| i.is_multiple_of(WELL_EVERY) && i + 1 < n)
        .flat_map(|i| (0..n).filter(|j| j.is_multiple_of(WELL_EVERY)).map(move |j| (i, j)))
        .map(|(i, j)| [PITCH_M * i as f64 + 2.7, PITCH_M * j as f64 + WALL_M])
        .collect();
    let in_well = |i: usize, j: usize| {
        let first = i.is_multiple_of(WELL_EVERY) && i + 1 < n;
        j.is_multiple_of(WELL_EVERY) && (first || i % WELL_EVERY == 1)
    };
    for storey in 0..=STOREYS {
        let y = STOREY_M * f64::from(storey);
        let is_roof = storey == STOREYS;
        // The ground floor and the roof have no well.
        let holes: &[[f64; 2]] = if storey == 0 || is_roof { &[] } else { &wells };
        slab(&mut soup, side, y, holes);
        if is_roof {
            break;
        }
        let top = y + STOREY_M - SLAB_M;
        walls(&mut soup, n, storey, [y, top], in_well);
        for i in 0..n {
            for j in 0..n {
                if !in_well(i, j) {
                    furnish(&mut soup, &mut random, [PITCH_M * i as f64, y, PITCH_M * j as f64]);
                }
            }
        }
        for &[x, z] in &wells {
            if storey + 1 < STOREYS {
                flight(&mut soup, [x, y, z]);
            }
            if storey > 0 {
                let edge = z + FLIGHT_M[1];
                soup.block([x, y, edge], [x + FLIGHT_M[0], y + 1.0, edge + 0.1]);
            }
            if storey + 1 == STOREYS {
                soup.block([x - 0.1, y, z], [x, y + 1.0, z + FLIGHT_M[1] + 0.1]);
            }
        }
    }
    answers(&mut truth, n);
    Draft { soup, truth }
}

/// A slab over the whole building, less its wells: strips along X between the wells' edges.
fn slab(soup: &mut Soup, side: f64, y: f64, holes: &[[f64; 2]]) {
    let mut rows: Vec<f64> = holes.iter().map(|h| h[1]).collect();
    rows.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    rows.sort_by(f64::total_cmp);
    rows.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let mut z = 0.0;
    for row in rows {
        soup.block([0.0, y - SLAB_M, z], [side, y, row]);
        z = row + FLIGHT_M[1];
        let mut x = 0.0;
        for hole in holes.iter().filter(|h| (h[1] - row).abs() < 1e-9) {
            soup.block([x, y - SLAB_M, row], [hole[0], y, z]);
            x = hole[0] + FLIGHT_M[0];
        }
        soup.block([x, y - SLAB_M, row], [side, y, z]);
    }
    soup.block([0.0, y - SLAB_M, z], [side, y, side]);
}

/// The walls of one storey: windows outside, a door in every inner wall, none inside a well.
fn walls(
    soup: &mut Soup,
    n: usize,
    storey: u32,
    heights: [f64; 2],
    in_well: impl Fn(usize, usize) -> bool,
) {
    for line in 0..=n {
        let face = PITCH_M * line as f64;
        for k in 0..n {
            let from = PITCH_M * k as f64;
            let middle = from + 0.5 * (PITCH_M + WALL_M);
            let outside = line == 0 || line == n;
            let entrance = storey == 0 && line == n && k == n / 2;
            let opening = if outside && !entrance {
                Opening::window(middle, 1.6)
            } else {
                Opening::door(middle, 1.0)
            };
            // Walls along X own the posts at their ends; walls along Z run between them. The wall
            // that carries a flight has no door behind it.
            let span = [from, from + PITCH_M + if k + 1 == n { WALL_M } else { 0.0 }];
            let behind_flight = !outside && in_well(k, line) && k.is_multiple_of(WELL_EVERY);
            Wall { along: Along::X, span, faces: [face, face + WALL_M], heights }
                .raise(soup, if behind_flight { &[] } else { std::slice::from_ref(&opening) });
            let open = line > 0 && line < n && in_well(line - 1, k) && in_well(line, k);
            if !(open && line % WELL_EVERY == 1) {
                let span = [from + WALL_M, from + PITCH_M];
                Wall { along: Along::Z, span, faces: [face, face + WALL_M], heights }
                    .raise(soup, &[opening]);
            }
        }
    }
}

/// A table in the middle, a shelf and a plant in the corners: everywhere else, and in front of every
/// door, at least a metre stays free.
fn furnish(soup: &mut Soup, random: &mut Random, [x, y, z]: [f64; 3]) {
    let middle = 0.5 * (PITCH_M + WALL_M);
    furniture::dining_group(
        soup,
        [x + middle, y, z + middle],
        [0.0, 90.0][random.below(2)] + random.between(-8.0, 8.0),
    );
    furniture::shelf(soup, [x + 0.9, y, z + 0.4], 0.0, 1.2);
    furniture::plant(soup, [x + PITCH_M - 0.35, y, z + PITCH_M - 0.35]);
}

/// A flight of concrete with a flat underside, from a floor to the edge of the slab above.
fn flight(soup: &mut Soup, [x, y, z]: [f64; 3]) {
    let rise = STOREY_M / f64::from(STEPS);
    let mut profile = Vec::new();
    for i in 0..STEPS - 1 {
        let (px, py) = (x + f64::from(i) * TREAD_M, y + f64::from(i) * rise);
        profile.extend([[px, py], [px, py + rise]]);
    }
    // The last tread ends at the slab; the underside runs parallel to the incline.
    let end = x + FLIGHT_M[0];
    let top = y + STOREY_M - rise;
    profile.extend([[end, top], [end, top - 0.25], [x + TREAD_M, y]]);
    soup.extrude(&profile, |[px, py], far| [px, py, if far { z + FLIGHT_M[1] } else { z }]);
}

fn answers(truth: &mut Truth, n: usize) {
    let storey = |k: u32| STOREY_M * f64::from(k);
    let last = PITCH_M * (n - 1) as f64;
    let spot = |k: u32, far: bool| {
        let base = if far { last } else { 0.0 };
        [base + 0.8, storey(k), base + PITCH_M - 0.8]
    };
    truth.pair(spot(0, true), spot(1, true), true, "up one flight");
    truth.pair(spot(0, true), spot(2, true), true, "up two flights");
    truth.pair(spot(2, false), spot(1, true), true, "across and down");
    let roof = [last, storey(STOREYS), last];
    truth.pair(spot(2, true), roof, false, "onto the roof, which has no stairs");
    for k in 0..STOREYS {
        truth.free_points.extend([spot(k, false), spot(k, true)]);
        truth.blocked_points.push([last + 0.5 * (PITCH_M + WALL_M), storey(k), last + 2.6]);
    }
    truth.free_points.push(roof);
    truth.eroded_points.push([0.1, storey(STOREYS), 3.0]);
}
