//! A hall of round pillars. Each is a regular polygon, so what erosion takes around it is known: the
//! polygon, a strip along its sides, and one full circle for its corners.

use std::f64::consts::PI;

use crate::draft::Draft;
use crate::grid::sin_cos_deg;
use crate::random::Random;
use crate::soup::Soup;
use crate::truth::Truth;

const PITCH_M: f64 = 2.0;
const HEIGHT_M: f64 = 3.0;

pub(crate) fn draft(per_side: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let mut random = Random::new(seed, "pillars");
    let radius = truth.agent.radius_m;
    // The floor reaches one radius beyond the outer cells, so that no arc meets its edge's strip.
    let side = PITCH_M * f64::from(per_side) + 2.0 * radius;
    soup.block([0.0, -0.3, 0.0], [side, 0.0, side]);
    let mut eroded = (side - 2.0 * radius) * (side - 2.0 * radius);
    for i in 0..per_side {
        for j in 0..per_side {
            let sides = 8 + 4 * random.below(9);
            let reach = random.between(0.1, 0.29);
            // At most 0.7 m from the middle of its cell to its outside, and 0.3 m of erosion: two
            // pillars never compete for ground.
            let spare = 0.7 - reach;
            let middle = |k: u32| radius + PITCH_M * (f64::from(k) + 0.5);
            let x = middle(i) + random.between(-spare, spare);
            let z = middle(j) + random.between(-spare, spare);
            soup.pillar([x, 0.0, z], reach, sides, HEIGHT_M);
            let n = sides as f64;
            let (s, _) = sin_cos_deg(180.0 / n);
            let (s2, _) = sin_cos_deg(360.0 / n);
            let area = 0.5 * n * reach * reach * s2;
            let outline = 2.0 * n * reach * s;
            eroded -= area + outline * radius + PI * radius * radius;
            truth.blocked_points.push([x, 0.0, z]);
            truth.eroded_points.push([x + reach + 0.1, 0.0, z]);
        }
    }
    truth.free_points.push([0.31, 0.0, 0.31]);
    // Floor or the top of a pillar; the tops are too small to survive erosion.
    truth.ground_area_m2 = Some(side * side);
    truth.eroded_area_m2 = Some(eroded);
    Draft { soup, truth }
}
