//! Any small heap of triangles under any settings, through the exact pipeline: a sound mesh or an
//! error, never [`BakeError::Unsound`], which is a defect of the pipeline.
//!
//! The first bytes choose the settings from short lists, nine bytes make a triangle. Coordinates
//! lie on a coarse grid, so that triangles share edges and vertices, cross, coincide and
//! degenerate far more often than random ones would; some are moved off it by a hair.
#![no_main]

use libfuzzer_sys::fuzz_target;
use surefoot_bake::{Agent, BakeError, BakeSettings, CellShape, ExactSettings, Stairs, bake};
use surefoot_mesh::{NavMesh, Query};
use surefoot_scene::Scene;

/// Bytes that choose the settings.
const SETTINGS_BYTES: usize = 10;
/// The most triangles taken from an input.
const MAX_TRIANGLES: usize = 60;
/// Width of the grid's cells in plan, in metres.
const PLAN_STEP_M: f32 = 0.5;
/// Height of the grid's cells, in metres: steps, head room and their limits fall on it.
const HEIGHT_STEP_M: f32 = 0.2;

fuzz_target!(
    init: {
        // One thread: a panic then shows the stages that led to it, and both cores can fuzz.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("no pool was built before");
    },
    |data: &[u8]| {
        let Some((choices, soup)) = data.split_at_checked(SETTINGS_BYTES) else { return };
        let scene = scene(soup);
        let mesh = match bake(&scene, &settings(choices)) {
            Ok(mesh) => mesh,
            Err(error @ BakeError::Unsound(_)) => panic!("{error}"),
            Err(_) => return,
        };
        let written = mesh.to_bytes();
        let again = NavMesh::from_bytes(&written).expect("a mesh that was written is sound");
        assert_eq!(again.to_bytes(), written, "the same mesh has the same bytes");
        let vertices = mesh.cells().flat_map(|cell| mesh.cell_vertices(cell).take(1));
        let mut places = vertices.map(|vertex| mesh.vertex_position(vertex));
        if let (Some(from), Some(to)) = (places.next(), places.last()) {
            let _ = Query::new(&mesh).find_path(from, to);
        }
    }
);

/// A heap of triangles on the grid, Y up.
fn scene(soup: &[u8]) -> Scene {
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

/// Settings from short lists of usual, extreme and awkward values.
fn settings(choices: &[u8]) -> BakeSettings {
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
