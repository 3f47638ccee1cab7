//! Rooms in a row with doors around the agent's width (the first test case of Sanchez 2021, §3.2).

use std::f64::consts::{FRAC_PI_2, PI};

use crate::draft::Draft;
use crate::soup::Soup;
use crate::truth::Truth;
use crate::walls::{Along, Opening, Wall};

/// Clear widths beyond twice the radius, repeated along the row.
const SPARE_WIDTHS_M: [f64; 8] = [-0.05, -0.01, 0.01, 0.03, 0.06, 0.12, 0.25, 0.5];

const ROOM_M: f64 = 4.0;
const WALL_M: f64 = 0.2;
const HEIGHT_M: f64 = 2.7;

pub(crate) fn draft(doors: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let radius = truth.agent.radius_m;
    let doors = doors as usize;
    let length = (doors + 1) as f64 * (ROOM_M + WALL_M) + WALL_M;
    let depth = ROOM_M + 2.0 * WALL_M;
    soup.block([0.0, -0.2, 0.0], [length, 0.0, depth]);
    for near in [0.0, depth - WALL_M] {
        Wall {
            along: Along::X,
            span: [0.0, length],
            faces: [near, near + WALL_M],
            heights: [0.0, HEIGHT_M],
        }
        .raise(&mut soup, &[]);
    }
    let room = ROOM_M - 2.0 * radius;
    let mut eroded = (doors + 1) as f64 * room * room;
    let mut lintels = 0.0;
    let mut all_pass = true;
    for i in 0..doors + 2 {
        let face = i as f64 * (ROOM_M + WALL_M);
        let wall = Wall {
            along: Along::Z,
            span: [WALL_M, depth - WALL_M],
            faces: [face, face + WALL_M],
            heights: [0.0, HEIGHT_M],
        };
        if i == 0 || i == doors + 1 {
            wall.raise(&mut soup, &[]);
            continue;
        }
        let spare = SPARE_WIDTHS_M[(i - 1) % SPARE_WIDTHS_M.len()];
        let width = 2.0 * radius + spare;
        let z = 1.6 + 0.23 * (i % 5) as f64;
        wall.raise(&mut soup, &[Opening::door(z, width)]);
        eroded += passage_area(width, WALL_M, radius);
        lintels += width * WALL_M;
        let x = face + 0.5 * WALL_M;
        let passable = spare > 0.0;
        all_pass &= passable;
        let what = format!("door {width:.2} m wide");
        let pair = truth.pair([x - 1.5, 0.0, z], [x + 1.5, 0.0, z], passable, what);
        if passable {
            pair.path_length_m = Some(3.0);
        }
        let middle = [x, 0.0, z];
        if passable {
            truth.free_points.push(middle);
        } else {
            truth.eroded_points.push(middle);
        }
        truth.blocked_points.push([x, 0.0, z - 0.5 * width - 0.05]);
        truth.eroded_points.push([face - 0.2, 0.0, 0.5]);
    }
    let far = length - 2.0;
    truth.pair([2.0, 0.0, 2.0], [far, 0.0, 2.0], all_pass, "the whole row");
    // Floor or the top of a wall lies everywhere, and a lintel's top over the floor of its door.
    truth.ground_area_m2 = Some(length * depth + lintels);
    truth.eroded_area_m2 = Some(eroded);
    Draft { soup, truth }
}

/// What a door adds to the eroded ground of the two rooms it joins: the strip through the wall, and
/// on either side what the wall's erosion would have taken but the arcs around the jambs leave.
/// A door that is too narrow leaves a bite on either side.
fn passage_area(width_m: f64, wall_m: f64, radius_m: f64) -> f64 {
    let (w, r) = (width_m, radius_m);
    if w >= 2.0 * r {
        return wall_m * (w - 2.0 * r) + 2.0 * (w * r - 0.5 * PI * r * r);
    }
    let first = (r * r - 0.25 * w * w).sqrt();
    // The area under a quarter circle from `first` to r.
    let arc = 0.5 * r * r * (FRAC_PI_2 - (first / r).asin()) - 0.25 * first * w;
    2.0 * (w * (r - first) - 2.0 * arc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passage_area_is_continuous_at_the_agents_width_and_equals_an_integral() {
        let below = passage_area(0.6 - 1e-9, 0.2, 0.3);
        let above = passage_area(0.6 + 1e-9, 0.2, 0.3);
        assert!((below - above).abs() < 1e-6);
        for width in [0.3, 0.55, 0.59, 0.7] {
            let n = 200_000;
            let sum: f64 = (0..n)
                .map(|i| {
                    let d = (f64::from(i) + 0.5) / f64::from(n) * 0.3;
                    (width - 2.0 * (0.09 - d * d).sqrt()).max(0.0) * 0.3 / f64::from(n)
                })
                .sum();
            let want = 2.0 * sum + 0.2 * (width - 0.6_f64).max(0.0);
            assert!((passage_area(width, 0.2, 0.3) - want).abs() < 1e-7, "{width}");
        }
    }
}
