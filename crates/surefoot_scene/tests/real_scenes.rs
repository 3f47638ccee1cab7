//! Levels made by others load. They are not part of this repository: where the folder `shared`
//! does not lie beside it, these tests say so and end.
#![allow(clippy::print_stderr)]

use std::path::PathBuf;

use surefoot_scene::Scene;

/// Each file with the triangles it holds, and how many of them have no area.
const SCENES: [(&str, usize, u64); 10] = [
    ("collapsed_police_station.obj", 2_821, 13),
    ("duplex_apartment.obj", 25_332, 0),
    ("hololens_room.glb", 117_678, 11),
    ("librequake_e2m3.obj", 27_614, 0),
    ("recast_dungeon.obj", 10_133, 0),
    ("recast_nav_test.obj", 1_612, 0),
    ("sauerbraten_zdm2.obj", 70_691, 63),
    ("small_city.glb", 36_930, 0),
    ("small_house.glb", 145_840, 4),
    ("terrain3d_1m.glb", 1_048_352, 0),
];

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/scenes");
    if !folder.is_dir() {
        eprintln!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn all_real_scenes_load() {
    let Some(folder) = folder() else { return };
    for (name, triangles, flat) in SCENES {
        let scene = Scene::load(folder.join(name)).unwrap();
        scene.check_invariants().unwrap();
        assert_eq!(scene.triangle_count(), triangles, "{name}");
        assert_eq!(scene.ignored().zero_area, flat, "{name}");
        assert_eq!(scene.ignored().non_finite, 0, "{name}");
        let bounds = scene.bounds().unwrap();
        let extents = std::array::from_fn::<_, 3, _>(|k| bounds.high[k] - bounds.low[k]);
        assert!(extents.iter().all(|e| *e > 1.0 && *e < 1000.0), "{name}");
    }
}

#[test]
fn another_reader_of_gltf_sees_the_same_triangles() {
    let Some(folder) = folder() else { return };
    for (name, ..) in SCENES.iter().filter(|(name, ..)| name.ends_with(".glb")) {
        let scene = Scene::load(folder.join(name)).unwrap();
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let other = gltf::Gltf::from_slice(&bytes).unwrap();
        let blob = other.blob.as_deref();
        let mut corners: Vec<[f32; 3]> = Vec::new();
        for node in other.default_scene().unwrap().nodes() {
            assert_eq!(node.children().count(), 0, "{name}: the comparison knows no trees");
            let identity = gltf::scene::Transform::Matrix {
                matrix: [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]],
            };
            assert_eq!(node.transform().matrix(), identity.matrix(), "{name}");
            for primitive in node.mesh().unwrap().primitives() {
                let reader = primitive.reader(|_| blob);
                let points: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
                let indices = reader.read_indices().unwrap().into_u32();
                corners.extend(indices.map(|i| points[i as usize]));
            }
        }
        let mut theirs = corners.chunks_exact(3);
        for triangle in scene.triangles() {
            let ours = triangle.map(|i| scene.points()[i as usize]);
            // Ours leave out the triangles without area.
            assert!(theirs.any(|t| t == ours), "{name}: a triangle that the other does not have");
        }
        let ignored = scene.ignored().zero_area as usize;
        assert_eq!(corners.len(), 3 * (scene.triangle_count() + ignored), "{name}");
    }
}

#[test]
fn real_scenes_can_be_taken_together() {
    let Some(folder) = folder() else { return };
    let paths = ["recast_dungeon.obj", "small_city.glb"].map(|name| folder.join(name));
    let both = Scene::load_all(&paths).unwrap();
    assert_eq!(both.triangle_count(), 10_133 + 36_930);
    let mut appended = Scene::load(&paths[0]).unwrap();
    appended.append(&Scene::load(&paths[1]).unwrap()).unwrap();
    assert_eq!(appended, both);
}
