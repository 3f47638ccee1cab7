//! Fractal hills with cliffs and lakes: one height for each corner of a grid, two triangles a cell.
//! Nothing hangs over anything, so the free ground is the sum of the triangles that are not too
//! steep.

use crate::draft::Draft;
use crate::grid::{sin_cos_deg, snap};
use crate::noise::fractal;
use crate::soup::{Soup, cross};
use crate::truth::Truth;

const CELL_M: f64 = 1.0;
const WATER_Y: f64 = -4.0;

/// Height of the ground before it is filled with water.
fn height(seed: u64, x: f64, z: f64) -> f64 {
    let hills = 22.0 * fractal(seed, [x / 90.0, 0.0, z / 90.0], 6);
    // A band of steep ground where another field passes through its middle value.
    let cliff = 10.0 * fractal(seed ^ 0x5bd1, [x / 80.0, 0.0, z / 80.0], 3);
    let t = (0.5 + cliff * 0.9).clamp(0.0, 1.0);
    hills + 7.0 * t * t * (3.0 - 2.0 * t)
}

pub(crate) fn draft(cells: u32, seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let n = cells as usize;
    let row = |j: usize| -> Vec<[f64; 3]> {
        (0..=n)
            .map(|i| {
                let (x, z) = (i as f64 * CELL_M, j as f64 * CELL_M);
                [x, snap(height(seed, x, z).max(WATER_Y)), z]
            })
            .collect()
    };
    let steepest = sin_cos_deg(truth.agent.max_slope_deg).1;
    let mut free = 0.0;
    let mut above = row(0);
    for j in 0..n {
        let below = row(j + 1);
        for i in 0..n {
            let (a, b, c, d) = (below[i], below[i + 1], above[i + 1], above[i]);
            // The diagonal alternates, so that no direction is favoured.
            let pair =
                if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            for t in pair {
                let [p, q, r] = t;
                let sub = |v: [f64; 3]| std::array::from_fn(|k| v[k] - p[k]);
                let normal = cross(sub(q), sub(r));
                let length = normal.iter().map(|c| c * c).sum::<f64>().sqrt();
                let walkable = normal[1] >= steepest * length;
                let wet = t.iter().all(|p| p[1] <= WATER_Y);
                soup.set_tag(Some(match (wet, walkable) {
                    (true, _) => "water",
                    (false, true) => "grass",
                    (false, false) => "rock",
                }));
                if walkable {
                    free += 0.5 * normal[1];
                }
                soup.triangle(t);
            }
        }
        above = below;
    }
    truth.ground_area_m2 = Some(free);
    Draft { soup, truth }
}
