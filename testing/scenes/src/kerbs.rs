//! Small things underfoot: kerbs, pebbles, thresholds and bumps below the step, which are walked
//! over; a bar above it, which is not; and balls on the floor, whose pocket is no ground.

use crate::draft::Draft;
use crate::grid::{sin_cos_deg, tan_deg};
use crate::random::Random;
use crate::soup::{Place, Soup};
use crate::truth::Truth;

const WIDTH_M: f64 = 9.0;
const LENGTH_M: f64 = 26.0;
const WALL_M: f64 = 0.2;

pub(crate) fn draft(rows: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "kerbs");
    for row in 0..rows {
        let place = Place::new([0.0, 0.0, f64::from(row) * (WIDTH_M + WALL_M)], 0.0);
        soup.at(place, |soup| lane(soup, &mut random, row == 0));
        answers(&mut truth, &place);
    }
    Draft { soup, truth }
}

/// Things that lie across the whole lane, from where to where, and how high.
const ACROSS: [(f64, f64, f64, &str); 4] = [
    (3.0, 5.0, 0.12, "a pavement of 12 cm"),
    (8.0, 8.15, 0.05, "a threshold of 5 cm"),
    (11.0, 11.3, 0.38, "a kerb of 38 cm, just below the step"),
    (15.5, 15.8, 0.42, "a bar of 42 cm, just above the step"),
];
/// A bump with faces of 60°: where it starts and how high it is.
const BUMP: (f64, f64) = (9.2, 0.15);
const SMALL_BALL: ([f64; 2], f64) = ([13.4, 4.5], 1.0);
const LARGE_BALL: ([f64; 2], f64) = ([21.0, 4.5], 3.0);

fn lane(soup: &mut Soup, random: &mut Random, first: bool) {
    soup.block([0.0, -0.3, if first { -WALL_M } else { 0.0 }], [LENGTH_M, 0.0, WIDTH_M + WALL_M]);
    if first {
        soup.block([0.0, 0.0, -WALL_M], [LENGTH_M, 2.5, 0.0]);
    }
    soup.block([0.0, 0.0, WIDTH_M], [LENGTH_M, 2.5, WIDTH_M + WALL_M]);
    for (from, to, height, _) in ACROSS {
        soup.block([from, 0.0, 0.0], [to, height, WIDTH_M]);
    }
    let (x, height) = BUMP;
    let run = height / tan_deg(60.0);
    let profile =
        [[x, 0.0], [x + run, height], [x + run + 0.4, height], [x + 2.0 * run + 0.4, 0.0]];
    soup.extrude(&profile, |[x, y], far| [x, y, if far { WIDTH_M } else { 0.0 }]);
    for _ in 0..150 {
        let at = [random.between(5.2, 7.8), 0.0, random.between(0.2, WIDTH_M - 0.2)];
        let size = random.between(0.02, 0.1);
        soup.pebble(at, size, random.between(0.0, 360.0));
    }
    for ([x, z], radius) in [SMALL_BALL, LARGE_BALL] {
        soup.ball([x, radius, z], radius, 24, 48);
    }
}

fn answers(truth: &mut Truth, place: &Place) {
    let z = 1.2;
    for (from, to, height, what) in ACROSS {
        let over = height <= truth.agent.max_step_m;
        let pair = truth.pair(
            place.apply([from - 0.8, 0.0, z]),
            place.apply([to + 0.8, 0.0, z]),
            over,
            format!("across {what}"),
        );
        if over {
            pair.path_length_m = Some(to - from + 1.6);
        }
    }
    for (from, to, what) in [
        (5.4, 7.6, "over pebbles of up to 8 cm"),
        (8.8, 10.3, "over a bump of 15 cm, faces of 60°"),
    ] {
        let (from, to) = ([from, 0.0, 4.5], [to, 0.0, 4.5]);
        let pair = truth.pair(place.apply(from), place.apply(to), true, what);
        pair.path_length_m = Some(to[0] - from[0]);
    }
    truth.pair(
        place.apply([1.0, 0.0, 4.5]),
        place.apply([14.9, 0.0, 4.5]),
        true,
        "along the lane, around the small ball",
    );
    let height = truth.agent.height_m;
    for (([x, z], radius), sides) in [(SMALL_BALL, 7), (LARGE_BALL, 11)] {
        // The floor begins where the ball's underside is higher than the agent, or beside the ball.
        let inner = if height < radius {
            let drop = radius - height;
            (radius * radius - drop * drop).sqrt()
        } else {
            radius
        };
        for k in 0..sides {
            let (s, c) = sin_cos_deg(360.0 * f64::from(k) / f64::from(sides) + 4.0);
            let at = |reach: f64| place.apply([x + reach * c, 0.0, z + reach * s]);
            truth.blocked_points.extend([at(0.02), at(0.2), at(0.5 * inner), at(inner - 0.05)]);
            truth.eroded_points.push(at(inner + 0.05));
            truth.free_points.push(at(inner + 0.35));
        }
    }
}
