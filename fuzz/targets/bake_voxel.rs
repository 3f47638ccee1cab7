//! Any small heap of triangles under any settings, through the voxel pipeline: a sound mesh or an
//! error, never [`BakeError::Unsound`]; no region of the ground lost; and with `flood` and `flat` the
//! same bytes in small tiles as in one.
//!
//! The first bytes choose the settings from short lists, nine bytes make a triangle. Coordinates
//! lie on a coarse grid, so that triangles share edges and vertices, cross, coincide and
//! degenerate far more often than random ones would; some are moved off it by a hair.
#![no_main]

use libfuzzer_sys::fuzz_target;
use surefoot_bake::{
    Agent, BakeError, BakeSettings, Baked, CellShape, Method, Regions, StageContext, VoxelSettings,
    Warning, bake_in,
};
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
        let settings = settings(choices);
        let Some(baked) = bake(&scene, &settings) else { return };
        let written = baked.mesh.to_bytes();
        let again = NavMesh::from_bytes(&written).expect("a mesh that was written is sound");
        assert_eq!(again.to_bytes(), written, "the same mesh has the same bytes");
        if matches!(settings.voxel.regions, Regions::Flood | Regions::Flat) {
            let mut whole = settings.clone();
            whole.voxel.tile_size_cells = 0;
            let whole = bake(&scene, &whole).expect("what builds in tiles builds in one");
            assert!(whole.mesh.to_bytes() == written, "tiles do not show");
        }
        let mesh = &baked.mesh;
        let vertices = mesh.cells().flat_map(|cell| mesh.cell_vertices(cell).take(1));
        let mut places = vertices.map(|vertex| mesh.vertex_position(vertex));
        if let (Some(from), Some(to)) = (places.next(), places.last()) {
            let _ = Query::new(mesh).find_path(from, to);
        }
    }
);

fn bake(scene: &Scene, settings: &BakeSettings) -> Option<Baked> {
    match bake_in(scene, settings, StageContext::new()) {
        Ok(baked) => {
            let lost =
                |w: &&Warning| !may_wind(settings) && matches!(w, Warning::FaceLost { .. });
            if let Some(warning) = baked.report.warnings.iter().find(lost) {
                panic!("{warning}");
            }
            Some(baked)
        }
        Err(error @ BakeError::Unsound(_)) => panic!("{error}"),
        Err(_) => None,
    }
}

/// Whether ground may wind around a single corner and over itself, by a step from column to column:
/// only where four steps are higher than the agent. Such a region has no outline and is left out.
fn may_wind(settings: &BakeSettings) -> bool {
    let agent = &settings.agent;
    let slope = settings.voxel.cell_size_m * agent.max_slope_rad.tan();
    4.0 * agent.max_step_m.max(slope.min(0.5 * agent.height_m)) >= agent.height_m
}

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

/// A multiple of the step, of which there are 16; the rest of the byte may move it by a hair.
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
    let regions = [Regions::Flood, Regions::Flat, Regions::Watershed, Regions::Monotone];
    BakeSettings {
        agent: Agent {
            height_m: pick(0, &[1.8, 0.6, 1.0, 2.0, 0.05]),
            radius_m: pick(1, &[0.3, 0.0, 0.05, 0.25, 1.0]),
            max_slope_rad: pick(2, &[45.0, 30.0, 60.0, 85.0, 1.0]).to_radians(),
            max_step_m: pick(3, &[0.4, 0.0, 0.2, 0.39, 0.04]),
        },
        method: Method::Voxel,
        up: up[choices[4] as usize % up.len()],
        cells: if flag(0) { CellShape::Triangles } else { CellShape::Convex },
        min_area_m2: pick(7, &[0.0, 1.0, 0.1]),
        seeds: if flag(1) { vec![[1.0, 0.0, 1.0]] } else { Vec::new() },
        voxel: VoxelSettings {
            cell_size_m: pick(5, &[0.1, 0.25, 0.17, 0.05]),
            cell_height_m: pick(6, &[0.05, 0.2, 0.01, 0.5]),
            tile_size_cells: [8, 16, 23, 64][choices[8] as usize % 4],
            regions: regions[choices[8] as usize / 4 % 4],
            boundary_error_cells: [1.0, 0.0, 1.5, 3.0][choices[8] as usize / 16 % 4],
            height_error_cells: if flag(2) { 0.0 } else { 0.75 },
            low_obstacles: !flag(3),
            drop_ledges: !flag(5),
            fill_solids: !flag(6),
            bridge_gaps: !flag(7),
            two_sided: flag(4),
        },
        ..Default::default()
    }
}
