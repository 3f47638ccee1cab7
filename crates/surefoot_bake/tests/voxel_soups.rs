//! Small heaps of touching, crossing and degenerate triangles through the voxel pipeline: a sound mesh
//! or an error, no region of the ground lost, and the same bytes in small tiles as in one. The fuzz
//! target `bake_voxel` looks further along the same lines.

use surefoot_bake::{
    Agent, BakeError, BakeSettings, Baked, CellShape, Method, Regions, StageContext, VoxelSettings,
    Warning, bake_in,
};
use surefoot_scene::Scene;

/// Bytes that choose the settings.
const SETTINGS_BYTES: usize = 10;
/// The most triangles in a heap.
const MAX_TRIANGLES: usize = 60;
/// Width of the grid's cells in plan, in metres.
const PLAN_STEP_M: f32 = 0.5;
/// Height of the grid's cells, in metres: steps, head room and their limits fall on it.
const HEIGHT_STEP_M: f32 = 0.2;

/// Random bytes, the same on every machine (Steele et al., SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

fn check(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random(seed);
        let choices: [u8; SETTINGS_BYTES] = std::array::from_fn(|_| random.next() as u8);
        let triangles = 1 + random.next() as usize % MAX_TRIANGLES;
        let soup: Vec<u8> = (0..triangles * 9).map(|_| random.next() as u8).collect();
        let scene = scene(&soup);
        let settings = settings(&choices);
        let Some(baked) = bake(&scene, &settings, seed) else { continue };
        if matches!(settings.voxel.regions, Regions::Flood | Regions::Flat) {
            let mut whole = settings.clone();
            whole.voxel.tile_size_cells = 0;
            let whole = bake(&scene, &whole, seed).expect("what builds in tiles builds in one");
            assert!(whole.mesh.to_bytes() == baked.mesh.to_bytes(), "seed {seed}: tiles show");
        }
    }
}

#[test]
fn heaps_of_triangles_build_without_a_trace_of_tiles() {
    check(0..200);
}

#[test]
#[ignore = "minutes: cargo test -p surefoot_bake --release --test voxel_soups -- --ignored"]
fn many_heaps_of_triangles_build_without_a_trace_of_tiles() {
    check(1_000..40_000);
}

fn bake(scene: &Scene, settings: &BakeSettings, seed: u64) -> Option<Baked> {
    match bake_in(scene, settings, StageContext::new()) {
        Ok(baked) => {
            let lost = |w: &&Warning| !may_wind(settings) && matches!(w, Warning::FaceLost { .. });
            if let Some(warning) = baked.report.warnings.iter().find(lost) {
                panic!("seed {seed}: {warning}");
            }
            Some(baked)
        }
        Err(error @ BakeError::Unsound(_)) => panic!("seed {seed}: {error}"),
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
