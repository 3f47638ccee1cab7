//! Settings of the voxel pipeline from bytes, and what must hold of every build with them, for the
//! fuzz target and the test of small heaps.

use crate::heap::{agent, pick, up};
use crate::outcome::{Outcome, bake};
use surefoot_bake::{BakeSettings, CellShape, Method, Regions, VoxelSettings, Warning};
use surefoot_scene::Scene;

/// Builds a heap, of whose ground no region is lost.
fn bake_whole(scene: &Scene, settings: &BakeSettings) -> Option<Outcome> {
    let outcome = bake(scene, settings)?;
    let lost = |w: &&Warning| !may_wind(settings) && matches!(w, Warning::FaceLost { .. });
    let report = match &outcome {
        Outcome::Mesh(baked) => &baked.report,
        Outcome::NoGround(report) => report,
    };
    if let Some(warning) = report.warnings.iter().find(lost) {
        panic!("{warning}");
    }
    Some(outcome)
}

fn voxel(settings: &BakeSettings) -> VoxelSettings {
    let Method::Voxel(voxel) = settings.method else { panic!("another method") };
    voxel
}

/// Whether ground may wind around a single corner and over itself, by a step from column to column:
/// only where four steps are higher than the agent. Such a region has no outline and is left out.
fn may_wind(settings: &BakeSettings) -> bool {
    let agent = &settings.agent;
    let slope = voxel(settings).cell_size_m * agent.max_slope_rad.tan();
    4.0 * agent.max_step_m.max(slope.min(0.5 * agent.height_m)) >= agent.height_m
}

/// Settings from short lists of usual, extreme and awkward values.
pub(crate) fn settings(choices: &[u8]) -> BakeSettings {
    let pick = |i: usize, values: &[f64]| pick(choices[i], values);
    let flag = |bit: u8| choices[9] >> bit & 1 == 1;
    let regions = [Regions::Flood, Regions::Flat, Regions::Watershed, Regions::Monotone];
    BakeSettings {
        agent: agent(choices),
        up: up(choices),
        cells: if flag(0) { CellShape::Triangles } else { CellShape::Convex },
        min_area_m2: pick(7, &[0.0, 1.0, 0.1]),
        seeds: if flag(1) { vec![[1.0, 0.0, 1.0]] } else { Vec::new() },
        two_sided: flag(4),
        method: Method::Voxel(VoxelSettings {
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
        }),
        ..Default::default()
    }
}

/// Builds in the tiles of the settings and, with `flood` and `flat`, in one: the bytes are equal.
pub(crate) fn bake_both_ways(scene: &Scene, settings: &BakeSettings) -> Option<Outcome> {
    let outcome = bake_whole(scene, settings)?;
    let voxel = voxel(settings);
    if matches!(voxel.regions, Regions::Flood | Regions::Flat) {
        let in_one = VoxelSettings { tile_size_cells: 0, ..voxel };
        let whole = BakeSettings { method: in_one.into(), ..settings.clone() };
        let whole = bake_whole(scene, &whole).expect("what builds in tiles builds in one");
        let is_same = match (&outcome, &whole) {
            (Outcome::Mesh(tiles), Outcome::Mesh(whole)) => {
                tiles.mesh.to_bytes() == whole.mesh.to_bytes()
            }
            (Outcome::NoGround(_), Outcome::NoGround(_)) => true,
            _ => false,
        };
        assert!(is_same, "tiles show");
    }
    Some(outcome)
}
