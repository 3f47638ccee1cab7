//! Settings of the exact pipeline from bytes, for fuzz targets and tests.

use surefoot_bake::{Agent, BakeSettings, CellShape, ExactSettings, Stairs};

/// Settings from short lists of usual, extreme and awkward values.
pub(crate) fn settings(choices: &[u8]) -> BakeSettings {
    let pick = |i: usize, values: &[f64]| values[choices[i] as usize % values.len()];
    let flag = |bit: u8| choices[9] >> bit & 1 == 1;
    let up =
        [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.9, -0.2], [0.0, -1.0, 0.0]];
    let gap_distance_m = pick(5, &[0.01, 0.0, 0.05, 0.3]);
    BakeSettings {
        agent: Agent {
            height_m: pick(0, &[1.8, 0.6, 1.0, 2.0, 0.05]),
            radius_m: pick(1, &[0.3, 0.0, 0.05, 0.25, 1.0]),
            max_slope_rad: pick(2, &[45.0, 30.0, 60.0, 85.0, 1.0]).to_radians(),
            max_step_m: pick(3, &[0.4, 0.0, 0.2, 0.39, 0.04]),
        },
        up: up[choices[4] as usize % up.len()],
        cells: if flag(0) { CellShape::Triangles } else { CellShape::Convex },
        convex_distance_m: pick(6, &[0.0, 0.0, 0.05, 0.5]),
        min_area_m2: pick(7, &[0.0, 1.0, 0.1]),
        seeds: if flag(1) { vec![[1.0, 0.0, 1.0]] } else { Vec::new() },
        exact: ExactSettings {
            stairs: if flag(2) { Stairs::Ramps } else { Stairs::Steps },
            gap_distance_m,
            wall_thickness_m: gap_distance_m + pick(8, &[0.015, 0.001, 0.2]),
            tolerance_m: if flag(3) { 0.0 } else { 0.01 },
            two_sided: flag(4),
            ..Default::default()
        },
        ..Default::default()
    }
}
