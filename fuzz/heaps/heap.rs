//! Small heaps of triangles from bytes, for fuzz targets and tests of pipelines.
//!
//! Nine bytes make a triangle. Coordinates lie on a coarse grid, so that triangles share edges and
//! vertices, cross, coincide and degenerate far more often than random ones would; some are moved off
//! it by a hair.

use surefoot_bake::Agent;
use surefoot_scene::Scene;

/// Bytes that choose the settings.
pub(crate) const SETTINGS_BYTES: usize = 10;
/// The most triangles taken from an input.
pub(crate) const MAX_TRIANGLES: usize = 60;
/// Width of the grid's cells in plan, in metres.
const PLAN_STEP_M: f32 = 0.5;
/// Height of the grid's cells, in metres: steps, head room and their limits fall on it.
const HEIGHT_STEP_M: f32 = 0.2;

/// A heap of triangles on the grid, Y up.
pub(crate) fn scene(soup: &[u8]) -> Scene {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for corners in soup.chunks_exact(9).take(MAX_TRIANGLES) {
        let first = points.len() as u32;
        for corner in corners.chunks_exact(3) {
            points.push([
                coordinate(corner[0], PLAN_STEP_M),
                coordinate(corner[1], HEIGHT_STEP_M),
                coordinate(corner[2], PLAN_STEP_M),
            ]);
        }
        triangles.push([first, first + 1, first + 2]);
    }
    Scene::from_triangles(&points, &triangles).expect("all corners are there")
}

/// A multiple of the step, of which there are 16; the rest of the byte may move it by a hair: one
/// point of the lattice, noise of a fraction of a millimetre, or a modelling gap.
fn coordinate(byte: u8, step_m: f32) -> f32 {
    let hair_m = match byte >> 4 {
        11 => 1.0 / 65_536.0,
        12 => 0.000_4,
        13 => -0.000_7,
        14 => 0.008,
        15 => step_m / 3.0,
        _ => 0.0,
    };
    f32::from(byte & 15) * step_m + hair_m
}

/// One of some values.
pub(crate) fn pick(choice: u8, values: &[f64]) -> f64 {
    values[choice as usize % values.len()]
}

/// A usual, extreme or awkward agent, by the first four bytes that choose settings.
pub(crate) fn agent(choices: &[u8]) -> Agent {
    Agent {
        height_m: pick(choices[0], &[1.8, 0.6, 1.0, 2.0, 0.05]),
        radius_m: pick(choices[1], &[0.3, 0.0, 0.05, 0.25, 1.0]),
        max_slope_rad: pick(choices[2], &[45.0, 30.0, 60.0, 85.0, 1.0]).to_radians(),
        max_step_m: pick(choices[3], &[0.4, 0.0, 0.2, 0.39, 0.04]),
    }
}

/// Which way is up, by the fifth.
pub(crate) fn up(choices: &[u8]) -> [f64; 3] {
    let up =
        [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.9, -0.2], [0.0, -1.0, 0.0]];
    up[choices[4] as usize % up.len()]
}
