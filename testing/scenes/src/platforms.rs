//! Sixteen floating boxes (Vermeulen et al. 2018, table I: 128 vertices, 192 triangles): two large
//! platforms, and between them a flight that turns a right angle and one that curves, with steps
//! that cross each other, touch exactly, and stand apart.

use crate::draft::Draft;
use crate::grid::sin_cos_deg;
use crate::soup::{Place, Soup};
use crate::truth::{Truth, TruthAgent};

const RISE_M: f64 = 0.15;
const THICKNESS_M: f64 = 0.2;
/// The longest gap between two steps stays below this reach.
const REACH_M: f64 = 0.5;

pub(crate) fn draft(copies: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth =
        Truth { agent: TruthAgent { radius_m: 0.0, ..TruthAgent::default() }, ..Truth::default() };
    let per_row = f64::from(copies).sqrt().ceil() as u32;
    for k in 0..copies {
        let offset = [f64::from(k % per_row) * 16.0, 0.0, f64::from(k / per_row) * 15.0];
        one(&mut soup, &mut truth, offset);
    }
    Draft { soup, truth }
}

fn one(soup: &mut Soup, truth: &mut Truth, offset: [f64; 3]) {
    let place = Place::new(offset, 0.0);
    let mut step = |x: f64, z: f64, size: [f64; 2], rise: u32, angle_deg: f64| {
        let at = place.apply([x, RISE_M * f64::from(rise), z]);
        soup.at(Place::new(at, angle_deg), |soup| {
            let (a, b) = (0.5 * size[0], 0.5 * size[1]);
            soup.block([-a, -THICKNESS_M, -b], [a, 0.0, b]);
        });
    };
    let (low, high) = ([2.0, 0.0, 9.5], [10.0, 8.0 * RISE_M, 4.0]);
    step(low[0], low[2], [4.0, 5.0], 0, 0.0);
    step(high[0], high[2], [4.0, 4.0], 8, 0.0);
    // Towards -Z from the lower platform, then a right angle towards +X. The first step touches the
    // platform exactly and the second reaches over the first; the others stand apart by 10 to 25 cm.
    step(1.0, 6.8, [1.4, 0.4], 1, 0.0);
    step(1.0, 6.45, [1.4, 0.4], 2, 0.0);
    step(1.0, 5.95, [1.4, 0.4], 3, 0.0);
    step(1.0, 5.05, [1.4, 1.2], 4, 0.0);
    step(2.2, 5.05, [0.8, 1.2], 5, 0.0);
    step(3.8, 5.05, [2.0, 1.2], 6, 0.0);
    step(6.4, 5.05, [2.7, 1.2], 7, 0.0);
    // Along a quarter of a circle from the lower platform's side to the near side of the upper one.
    // Neighbours cross at the inner side of the curve and are apart at the outer; the last crosses
    // the platform.
    for (k, gap) in (1..=7_u32).zip([0.0, 0.1, 0.2, 0.0, 0.15, 0.1, 0.0]) {
        let deg = 90.0 * (f64::from(k) - 0.5) / 7.0;
        let (s, c) = sin_cos_deg(deg);
        step(4.1 + 5.0 * s, 5.9 + 5.0 * c, [1.122 - gap, 1.3], k, deg);
    }
    let pair = truth.pair(place.apply(low), place.apply(high), true, "up the floating steps");
    pair.gap_reach_m = REACH_M;
    truth.free_points.extend([place.apply(low), place.apply(high)]);
}
