//! Settings of the exact pipeline from bytes, for fuzz targets and tests.

use crate::heap::{agent, pick, up};
use surefoot_bake::{BakeSettings, CellShape, ExactSettings, Method, Stairs};

/// Settings from short lists of usual, extreme and awkward values.
pub(crate) fn settings(choices: &[u8]) -> BakeSettings {
    let pick = |i: usize, values: &[f64]| pick(choices[i], values);
    let flag = |bit: u8| choices[9] >> bit & 1 == 1;
    let gap_distance_m = pick(5, &[0.01, 0.0, 0.05, 0.3]);
    BakeSettings {
        agent: agent(choices),
        up: up(choices),
        cells: if flag(0) { CellShape::Triangles } else { CellShape::Convex },
        convex_distance_m: pick(6, &[0.0, 0.0, 0.05, 0.5]),
        min_area_m2: pick(7, &[0.0, 1.0, 0.1]),
        seeds: if flag(1) { vec![[1.0, 0.0, 1.0]] } else { Vec::new() },
        gap_distance_m,
        wall_thickness_m: gap_distance_m + pick(8, &[0.015, 0.001, 0.2]),
        two_sided: flag(4),
        method: Method::Exact(ExactSettings {
            stairs: if flag(2) { Stairs::Ramps } else { Stairs::Steps },
            tolerance_m: if flag(3) { 0.0 } else { 0.01 },
            ..Default::default()
        }),
        ..Default::default()
    }
}
