//! Treads narrower than a column: a ledge of three centimetres along the side of a bed leads onto it,
//! wherever it lies in its column.

use surefoot_bake::{BakeSettings, Baker, VoxelSettings};
use surefoot_mesh::Query;
use surefoot_scene::Scene;

/// Boxes, each from its lowest to its highest corner.
fn boxes(list: &[[[f32; 3]; 2]]) -> Scene {
    // Corners by bits: x, y, z. Seen from outside, sides run counter-clockwise.
    const SIDES: [[u32; 4]; 6] =
        [[2, 6, 7, 3], [0, 1, 5, 4], [0, 4, 6, 2], [1, 3, 7, 5], [0, 2, 3, 1], [4, 5, 7, 6]];
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for ends in list {
        let first = points.len() as u32;
        points.extend((0..8_usize).map(|i| [0, 1, 2].map(|k| ends[i >> k & 1][k])));
        for [a, b, c, d] in SIDES.map(|side| side.map(|corner| first + corner)) {
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Scene::from_triangles(&points, &triangles).expect("boxes")
}

/// Whether a bed 0.57 m high can be climbed over a ledge of some height and depth.
fn can_be_climbed(bed_at_m: f32, ledge_height_m: f32, ledge_depth_m: f32) -> bool {
    let side = bed_at_m - ledge_depth_m;
    let scene = boxes(&[
        [[0.0, -0.2, 0.0], [6.0, 0.0, 4.0]],
        [[side, 0.0, 0.0], [6.0, ledge_height_m, 4.0]],
        [[bed_at_m, ledge_height_m, 0.0], [6.0, 0.57, 4.0]],
    ]);
    let voxel = VoxelSettings { cell_size_m: 0.1, cell_height_m: 0.05, ..VoxelSettings::default() };
    let settings = BakeSettings { method: voxel.into(), ..BakeSettings::default() };
    let baked = Baker::new(&settings).bake(&scene).expect("the scene builds");
    let (floor, bed) = ([1.0, 0.0, 2.0], [5.0, 0.57, 2.0]);
    Query::new(&baked.mesh).reachable(floor, bed).expect("both lie on the mesh")
}

#[test]
fn a_narrow_ledge_is_stepped_on() {
    for tenth in 0..10 {
        let bed_at_m = 3.0 + 0.01 * tenth as f32;
        assert!(can_be_climbed(bed_at_m, 0.275, 0.03), "bed at {bed_at_m} m");
    }
}

#[test]
fn a_ledge_that_is_too_low_does_not_help() {
    for tenth in 0..10 {
        let bed_at_m = 3.0 + 0.01 * tenth as f32;
        assert!(!can_be_climbed(bed_at_m, 0.14, 0.03), "bed at {bed_at_m} m");
    }
}
