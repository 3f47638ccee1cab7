//! A floor of thousands of slats with gaps between them: a stress for everything that looks for
//! neighbours among boundary edges.

use crate::draft::Draft;
use crate::soup::Soup;
use crate::truth::{Truth, TruthAgent};

const SLAT_M: [f64; 3] = [0.04, 0.03, 1.96];
const GAP_M: f64 = 0.04;

pub(crate) fn draft(slats: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth =
        Truth { agent: TruthAgent { radius_m: 0.0, ..TruthAgent::default() }, ..Truth::default() };
    let (step_x, step_z) = (SLAT_M[0] + GAP_M, SLAT_M[2] + GAP_M);
    // About as deep as it is wide.
    let per_row = (f64::from(slats) * step_z / step_x).sqrt().ceil().max(1.0) as u32;
    let corner = |k: u32| [f64::from(k % per_row) * step_x, 0.0, f64::from(k / per_row) * step_z];
    for k in 0..slats {
        let [x, _, z] = corner(k);
        soup.block([x, -SLAT_M[1], z], [x + SLAT_M[0], 0.0, z + SLAT_M[2]]);
    }
    let middle = |k: u32| {
        let [x, y, z] = corner(k);
        [x + 0.5 * SLAT_M[0], y, z + 0.5 * SLAT_M[2]]
    };
    for (reach, connected) in [(0.0, false), (0.03, false), (0.05, true)] {
        truth
            .pair(middle(0), middle(slats - 1), connected, "from the first slat to the last")
            .gap_reach_m = reach;
    }
    for k in (0..slats).step_by(1 + slats as usize / 50) {
        let [x, y, z] = middle(k);
        truth.free_points.push([x, y, z]);
        if k % per_row + 1 < per_row && k + 1 < slats {
            truth.blocked_points.push([x + 0.5 * step_x, y, z]);
        }
    }
    let area = f64::from(slats) * SLAT_M[0] * SLAT_M[2];
    truth.ground_area_m2 = Some(area);
    truth.eroded_area_m2 = Some(area);
    Draft { soup, truth }
}
