//! What is written comes back: geometry to the last bit, and tags wherever the format has room.
// Coordinates are compared to the last bit.
#![allow(clippy::float_cmp)]

use proptest::prelude::*;
use surefoot_scene::{Scene, SceneBuilder, SceneFormat};

/// A triangle: its corners as bits (with -0 as +0), and its tag.
type Triangle = ([[u64; 3]; 3], String);

fn triangles(scene: &Scene) -> Vec<Triangle> {
    (0..scene.triangle_count())
        .map(|i| {
            let corners = scene.triangles()[i].map(|p| scene.point(p).map(|c| (c + 0.0).to_bits()));
            let tag = scene.tag_names().get(usize::from(scene.tag(i).0));
            (corners, tag.cloned().unwrap_or_default())
        })
        .collect()
}

/// Triangles in the order in which a GLB holds them: grouped by tag.
fn by_tag(scene: &Scene) -> Vec<Triangle> {
    let mut all = triangles(scene);
    let rank = |tag: &String| scene.tag_names().iter().position(|name| name == tag);
    all.sort_by_key(|(_, tag)| rank(tag));
    all
}

fn written(scene: &Scene, format: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    match format {
        "obj" => scene.write_obj(&mut bytes),
        "glb" => scene.write_glb(&mut bytes),
        "ply" => scene.write_ply(&mut bytes),
        _ => scene.write_stl(&mut bytes),
    }
    .unwrap();
    bytes
}

fn read(bytes: &[u8], format: &str) -> Scene {
    let format = SceneFormat::from_path(format!("x.{format}").as_ref()).unwrap();
    let scene = Scene::from_bytes(bytes, format).unwrap();
    scene.check_invariants().unwrap();
    scene
}

fn check(scene: &Scene) {
    for format in ["obj", "glb", "ply", "stl"] {
        let bytes = written(scene, format);
        assert_eq!(bytes, written(scene, format), "{format} differs from one time to the next");
        let back = read(&bytes, format);
        match format {
            "glb" => assert_eq!(triangles(&back), by_tag(scene), "{format}"),
            "stl" => {
                let corners = |s: &Scene| triangles(s).into_iter().map(|t| t.0).collect::<Vec<_>>();
                let single = |v: [[u64; 3]; 3]| v.map(|p| p.map(|c| f64::from_bits(c) as f32));
                let want: Vec<_> = corners(scene).into_iter().map(single).collect();
                assert_eq!(corners(&back).into_iter().map(single).collect::<Vec<_>>(), want);
            }
            _ => assert_eq!(triangles(&back), triangles(scene), "{format}"),
        }
        // And what came back is written as the same bytes again.
        let again = read(&written(&back, format), format);
        assert_eq!(again, back, "{format}, a second time");
    }
}

fn tagged_scene(offset: [f64; 3]) -> Scene {
    let mut b = SceneBuilder::new();
    for (i, tag) in ["", "water", "Hall/floor 2/Wood #3", "", "straße", "water"].iter().enumerate()
    {
        b.set_tag(Some(tag));
        for k in 0..3 {
            let x = i as f64 + f64::from(k) * 0.1;
            let p = |dx: f64, dy: f64, dz: f64| {
                [x + dx + offset[0], dy / 3.0 + offset[1], dz * 0.7 + offset[2]]
            };
            b.triangle([p(0.0, 0.0, 0.0), p(0.0, 0.1, 1.0), p(1.0, 0.2, 0.0)]);
        }
    }
    b.finish()
}

#[test]
fn tags_and_coordinates_come_back() {
    check(&tagged_scene([0.0; 3]));
}

#[test]
fn scenes_far_from_zero_come_back() {
    let scene = tagged_scene([4_500_000.0, 0.0, -70_000.0]);
    assert!(scene.origin()[0] > 4e6);
    for format in ["obj", "glb", "ply"] {
        let back = read(&written(&scene, format), format);
        assert_eq!(back.origin(), scene.origin(), "{format}");
        if format == "glb" {
            assert_eq!(triangles(&back), by_tag(&scene));
        } else {
            assert_eq!(triangles(&back), triangles(&scene), "{format}");
        }
    }
}

#[test]
fn names_that_a_line_cannot_hold_are_made_fit() {
    let mut b = SceneBuilder::new();
    b.tag(" two\nlines\\").triangle([[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    b.tag("next").triangle([[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    let scene = b.finish();
    for format in ["obj", "ply"] {
        assert_eq!(read(&written(&scene, format), format).tag_names(), ["two_lines_", "next"]);
    }
    let back = read(&written(&scene, "glb"), "glb");
    assert_eq!(back.tag_names(), scene.tag_names());
}

#[test]
fn a_saved_file_appears_whole() {
    let folder = tempfile::tempdir().unwrap();
    let scene = tagged_scene([0.0; 3]);
    for name in ["a.obj", "a.GLB", "a.ply", "a.stl"] {
        let path = folder.path().join(name);
        std::fs::write(&path, b"old").unwrap();
        scene.save(&path).unwrap();
        assert_eq!(Scene::load(&path).unwrap().triangle_count(), scene.triangle_count());
    }
    let message = scene.save(folder.path().join("a.gltf")).unwrap_err().to_string();
    assert!(message.contains(".glb"), "{message}");
    assert!(scene.save(folder.path().join("missing/a.obj")).is_err());
    // A folder in the way: the error leaves nothing behind.
    std::fs::create_dir(folder.path().join("b.obj")).unwrap();
    assert!(scene.save(folder.path().join("b.obj")).is_err());
    let mut left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["a.GLB", "a.obj", "a.ply", "a.stl", "b.obj"]);
}

#[test]
fn several_files_make_one_scene_and_keep_common_points_equal() {
    // Two tiles with a common border, far from zero, in different formats.
    let folder = tempfile::tempdir().unwrap();
    let text = |x0: &str, x1: &str| {
        format!(
            "v {x0} 0 -5000000.456\nv {x0} 0.5 -4999922.756\nv {x1} 0 -5000000.456\n\
             v {x1} 0.25 -4999922.756\ng ground\nf 1 2 3\nf 3 2 4\n"
        )
    };
    let files = [
        ("west.obj", text("350000.123", "350100.223")),
        ("east.obj", text("350100.223", "350200.323")),
        ("far.obj", text("380000.5", "380100.25")),
    ];
    let paths: Vec<_> = files
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    let scene = Scene::load_all(&paths).unwrap();
    scene.check_invariants().unwrap();
    assert_eq!(scene.triangle_count(), 6);
    assert_eq!(scene.tag_names(), ["ground"]);
    let corner =
        |triangle: usize, k: usize| scene.points()[scene.triangles()[triangle][k] as usize];
    assert_eq!(corner(0, 2), corner(2, 0), "the border is the same point in both files");
    let low = scene.bounds().unwrap().low;
    assert!((low[0] - 350_000.123).abs() < 0.002, "{low:?}");

    let far = folder.path().join("too_far.obj");
    std::fs::write(&far, text("480000.5", "480100.25")).unwrap();
    let message = Scene::load_all(&[&paths[0], &far]).unwrap_err().to_string();
    assert!(message.contains("along x"), "{message}");
    assert!(Scene::load_all::<&str>(&[]).unwrap().triangles().is_empty());
}

#[test]
fn endings_and_missing_files_are_told() {
    let message = Scene::load("level.fbx").unwrap_err().to_string();
    assert!(message.contains("level.fbx") && message.contains(".glb"), "{message}");
    let message = Scene::load("no such folder/level.obj").unwrap_err().to_string();
    assert!(message.contains("no such folder/level.obj"), "{message}");
    assert!(SceneFormat::from_path("LEVEL.Stl".as_ref()) == Some(SceneFormat::Stl));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_scenes_come_back(
        corners in prop::collection::vec(prop::array::uniform9(-1e4_f32..1e4), 1..20),
        tags in prop::collection::vec("[a-zA-Z0-9 _/#.-]{0,12}", 20),
        shift in prop::sample::select(vec![0.0, 1e-3, 12_345.678, -3e6]),
    ) {
        let mut b = SceneBuilder::new();
        for (c, tag) in corners.iter().zip(&tags) {
            b.set_tag(Some(tag.trim()));
            let c = c.map(|v| f64::from(v) + shift);
            b.triangle([[c[0], c[1], c[2]], [c[3], c[4], c[5]], [c[6], c[7], c[8]]]);
        }
        let scene = b.finish();
        prop_assert!(scene.check_invariants().is_ok());
        prop_assume!(scene.triangle_count() > 0);
        for format in ["obj", "glb", "ply", "stl"] {
            let back = read(&written(&scene, format), format);
            prop_assert_eq!(back.triangle_count(), scene.triangle_count());
            if format == "stl" || back.origin() != scene.origin() {
                continue;
            }
            let want = if format == "glb" { by_tag(&scene) } else { triangles(&scene) };
            prop_assert_eq!(triangles(&back), want, "{}", format);
        }
    }
}
