//! Settings of the layered pipeline from bytes, and what must hold of every build with them, for the
//! fuzz target and the test of small heaps.

use crate::heap::{agent, pick, up};
use surefoot_bake::{
    BakeError, BakeSettings, Baked, CellShape, LayeredSettings, Method, StageContext, bake_in,
};
use surefoot_scene::Scene;

/// Settings from short lists of usual, extreme and awkward values. With wide columns all triangles of a
/// heap lie over a few of them: a crowd.
pub(crate) fn settings(choices: &[u8]) -> BakeSettings {
    let pick = |i: usize, values: &[f64]| pick(choices[i], values);
    let flag = |bit: u8| choices[9] >> bit & 1 == 1;
    BakeSettings {
        agent: agent(choices),
        method: Method::Layered,
        up: up(choices),
        cells: if flag(0) { CellShape::Triangles } else { CellShape::Convex },
        min_area_m2: pick(7, &[0.0, 1.0, 0.1]),
        seeds: if flag(1) { vec![[1.0, 0.0, 1.0]] } else { Vec::new() },
        layered: LayeredSettings {
            fine_cell_size_m: pick(5, &[0.05, 0.1, 0.17, 0.25]),
            cell_size_m: pick(6, &[0.2, 0.4, 2.0, 5.0]),
            cell_height_m: pick(8, &[0.1, 0.03, 0.5]),
            gap_distance_m: pick(7, &[0.01, 0.0, 0.05, 0.3]),
            boundary_error_cells: if flag(2) { 0.0 } else { 0.25 },
            height_error_m: if flag(3) { 0.0 } else { 0.02 },
            two_sided: flag(4),
        },
        ..Default::default()
    }
}

/// A build: a sound mesh or an error; `None` where the scene or the settings are refused. Panics at
/// anything else.
pub(crate) fn bake(scene: &Scene, settings: &BakeSettings) -> Option<Baked> {
    match bake_in(scene, settings, StageContext::new()) {
        Ok(baked) => Some(baked),
        Err(error @ BakeError::Unsound(_)) => panic!("{error}"),
        Err(_) => None,
    }
}
