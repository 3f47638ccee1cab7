//! Settings of the layered pipeline from bytes, for the fuzz target and the test of small heaps.

use crate::heap::{agent, pick, up};
use surefoot_bake::{BakeSettings, CellShape, LayeredSettings, Method};

/// Settings from short lists of usual, extreme and awkward values. With wide columns all triangles of a
/// heap lie over a few of them: a crowd.
pub(crate) fn settings(choices: &[u8]) -> BakeSettings {
    let pick = |i: usize, values: &[f64]| pick(choices[i], values);
    let flag = |bit: u8| choices[9] >> bit & 1 == 1;
    BakeSettings {
        agent: agent(choices),
        up: up(choices),
        cells: if flag(0) { CellShape::Triangles } else { CellShape::Convex },
        min_area_m2: pick(7, &[0.0, 1.0, 0.1]),
        seeds: if flag(1) { vec![[1.0, 0.0, 1.0]] } else { Vec::new() },
        gap_distance_m: pick(7, &[0.01, 0.0, 0.05, 0.3]),
        two_sided: flag(4),
        method: Method::Layered(LayeredSettings {
            fine_cell_size_m: pick(5, &[0.05, 0.1, 0.17, 0.25]),
            cell_size_m: pick(6, &[0.2, 0.4, 2.0, 5.0]),
            cell_height_m: pick(8, &[0.1, 0.03, 0.5]),
            boundary_error_cells: if flag(2) { 0.0 } else { 0.25 },
            height_error_m: if flag(3) { 0.0 } else { 0.02 },
        }),
        ..Default::default()
    }
}
