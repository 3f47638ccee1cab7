//! Meshes from voxels follow the ground within a cell height.

use surefoot_bake::{BakeSettings, VoxelSettings, bake};
use surefoot_mesh::Query;
use surefoot_testing_scenes::{Variant, build};

/// The height of a surface of triangles, Y up, over a plan position.
fn height_at(points: &[[f64; 3]], triangles: &[[u32; 3]], x: f64, z: f64) -> Option<f64> {
    triangles.iter().find_map(|t| {
        let [a, b, c] = t.map(|i| points[i as usize]);
        let turn = |p: [f64; 3], q: [f64; 3], r: [f64; 3]| {
            (q[0] - p[0]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[0] - p[0])
        };
        let area = turn(a, b, c);
        let here = [x, 0.0, z];
        let w = [turn(b, c, here) / area, turn(c, a, here) / area, turn(a, b, here) / area];
        w.iter().all(|w| *w >= 0.0).then(|| w[0] * a[1] + w[1] * b[1] + w[2] * c[1])
    })
}

#[test]
fn hills_are_followed_within_a_cell_height() {
    let scene = build("terrain", &Variant { size: Some(48), seed: 3, ..Variant::default() })
        .expect("the scene exists")
        .scene;
    let points: Vec<[f64; 3]> = (0..scene.points().len() as u32).map(|i| scene.point(i)).collect();
    let (cell_size_m, cell_height_m) = (0.1, 0.05);
    let voxel = VoxelSettings { cell_size_m, cell_height_m, ..VoxelSettings::default() };
    let settings = BakeSettings { method: voxel.into(), ..BakeSettings::default() };
    let mesh = bake(&scene, &settings).expect("the hills build");
    let query = Query::new(&mesh);
    let bounds = mesh.bounds().expect("there is ground");
    let (mut inside, mut beyond, mut worst) = (0_u32, 0_u32, 0.0_f64);
    for i in 0..100 {
        for j in 0..100 {
            let at = |k: usize, n: i32| {
                bounds.low[k] + (bounds.high[k] - bounds.low[k]) * (f64::from(n) + 0.37) / 100.0
            };
            let (x, z) = (at(0, i), at(2, j));
            let Some(ground) = height_at(&points, scene.triangles(), x, z) else { continue };
            let Some(near) = query.nearest([x, ground, z], [1e-4, 1.0, 1e-4]) else { continue };
            let off = (near.point[1] - ground).abs();
            worst = worst.max(off);
            if off <= cell_height_m { inside += 1 } else { beyond += 1 }
        }
    }
    assert!(inside > 2_000, "{inside} places");
    assert!(beyond * 200 <= inside, "{beyond} of {inside} places are off, the worst by {worst} m");
    assert!(worst <= 2.0 * cell_height_m, "the worst place is {worst} m off");
}
