//! What the glTF reader understands, and how it refuses what it does not.
// Where coordinates are compared, they are small numbers that must come out exactly.
#![allow(clippy::float_cmp)]

use serde_json::{Value, json};
use surefoot_scene::{NO_TAG, Scene, SceneFormat};

/// A document with one buffer, to which bytes and accessors are added.
struct Gltf {
    json: Value,
    binary: Vec<u8>,
}

impl Gltf {
    fn new() -> Self {
        let json = json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0 }],
            "meshes": [],
            "accessors": [],
            "bufferViews": [],
            "materials": [{ "name": "Stone" }, {}],
        });
        Self { json, binary: Vec::new() }
    }

    fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let offset = self.binary.len();
        self.binary.extend(bytes);
        self.push(
            "bufferViews",
            json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }),
        )
    }

    fn accessor(&mut self, bytes: &[u8], count: usize, component: u32, kind: &str) -> usize {
        let view = self.view(bytes);
        self.push(
            "accessors",
            json!({ "bufferView": view, "count": count, "componentType": component, "type": kind }),
        )
    }

    fn positions(&mut self, points: &[[f32; 3]]) -> usize {
        let bytes: Vec<u8> = points.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
        self.accessor(&bytes, points.len(), 5126, "VEC3")
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.accessor(&bytes, indices.len(), 5125, "SCALAR")
    }

    fn mesh(&mut self, primitive: Value) -> usize {
        self.push("meshes", json!({ "primitives": [primitive] }))
    }

    fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if json.get("buffers").is_none() {
            json["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        }
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut binary = self.binary.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut out = b"glTF\x02\0\0\0".to_vec();
        out.extend((28 + text.len() as u32 + binary.len() as u32).to_le_bytes());
        for (kind, part) in [(b"JSON", &text), (b"BIN\0", &binary)] {
            out.extend((part.len() as u32).to_le_bytes());
            out.extend(kind);
            out.extend(part);
        }
        out
    }

    fn load(&self) -> Scene {
        Scene::from_bytes(&self.glb(), SceneFormat::Gltf).unwrap()
    }

    fn error(&self) -> String {
        Scene::from_bytes(&self.glb(), SceneFormat::Gltf).unwrap_err().to_string()
    }
}

const SQUARE: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]];

/// A square of two triangles in the first mesh.
fn square() -> Gltf {
    let mut gltf = Gltf::new();
    let positions = gltf.positions(&SQUARE);
    let indices = gltf.indices(&[0, 1, 2, 0, 2, 3]);
    gltf.mesh(json!({ "attributes": { "POSITION": positions }, "indices": indices }));
    gltf
}

/// The corners of all triangles, in the user's frame.
fn corners(scene: &Scene) -> Vec<[[f64; 3]; 3]> {
    scene.triangles().iter().map(|t| t.map(|i| scene.point(i))).collect()
}

fn tag_of(scene: &Scene, triangle: usize) -> &str {
    scene.tag_names().get(usize::from(scene.tag(triangle).0)).map_or("", String::as_str)
}

fn assert_near(scene: &Scene, want: &[[[f64; 3]; 3]]) {
    let got = corners(scene);
    assert_eq!(got.len(), want.len());
    for (a, b) in got.iter().flatten().flatten().zip(want.iter().flatten().flatten()) {
        assert!((a - b).abs() < 1e-6, "{got:?} instead of {want:?}");
    }
}

#[test]
fn all_types_of_indices_mean_the_same() {
    let want = square().load();
    assert_eq!(want.triangles(), [[0, 1, 2], [0, 2, 3]]);
    for (component, bytes) in [
        (5121, [0_u8, 1, 2, 0, 2, 3].to_vec()),
        (5123, [0_u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect()),
    ] {
        let mut gltf = Gltf::new();
        let positions = gltf.positions(&SQUARE);
        let indices = gltf.accessor(&bytes, 6, component, "SCALAR");
        gltf.mesh(json!({ "attributes": { "POSITION": positions }, "indices": indices }));
        assert_eq!(gltf.load(), want);
    }
    // No indices at all: every three points are a triangle. They are welded, being a soup.
    let mut gltf = Gltf::new();
    let soup: Vec<[f32; 3]> = [0, 1, 2, 0, 2, 3].iter().map(|&i: &usize| SQUARE[i]).collect();
    let positions = gltf.positions(&soup);
    gltf.mesh(json!({ "attributes": { "POSITION": positions } }));
    assert_eq!(gltf.load(), want);
}

#[test]
fn strips_and_fans_turn_as_triangles_do() {
    let strip = |mode: u32, order: &[u32]| {
        let mut gltf = Gltf::new();
        let positions = gltf.positions(&SQUARE);
        let indices = gltf.indices(order);
        gltf.mesh(json!({ "attributes": { "POSITION": positions }, "indices": indices,
            "mode": mode }));
        gltf.load()
    };
    let up = |scene: &Scene| {
        corners(scene)
            .iter()
            .all(|[a, b, c]| (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0.0)
    };
    for (mode, order) in [(4, &[0, 1, 2, 0, 2, 3][..]), (5, &[1, 2, 0, 3]), (6, &[0, 1, 2, 3])] {
        let scene = strip(mode, order);
        assert_eq!(scene.triangle_count(), 2, "mode {mode}");
        assert!(up(&scene), "mode {mode}: {:?}", corners(&scene));
    }
    // The spare index of an incomplete triangle is not used.
    assert_eq!(strip(4, &[0, 1, 2, 3]).triangle_count(), 1);
}

#[test]
fn points_and_lines_are_skipped() {
    let mut gltf = square();
    for mode in 0..4 {
        let primitive = json!({ "attributes": { "POSITION": 0 }, "mode": mode });
        gltf.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(primitive);
    }
    assert_eq!(gltf.load().triangle_count(), 2);
    gltf.json["meshes"][0]["primitives"].as_array_mut().unwrap().remove(0);
    assert!(gltf.error().contains("no triangles"), "{}", gltf.error());
}

#[test]
fn nodes_place_meshes_through_their_ancestors() {
    let mut gltf = square();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    gltf.json["nodes"] = json!([
        { "children": [1, 2], "translation": [10.0, 0.0, 0.0] },
        // A quarter turn around y takes x to -z and z to x.
        { "mesh": 0, "rotation": [0.0, half, 0.0, half], "scale": [2.0, 1.0, 1.0] },
        { "children": [3], "matrix": [1,0,0,0, 0,0,1,0, 0,-1,0,0, 0,5,0,1] },
        { "mesh": 0 },
    ]);
    let scene = gltf.load();
    assert_near(
        &scene,
        &[
            [[10.0, 0.0, 0.0], [11.0, 0.0, 0.0], [11.0, 0.0, -2.0]],
            [[10.0, 0.0, 0.0], [11.0, 0.0, -2.0], [10.0, 0.0, -2.0]],
            [[10.0, 5.0, 0.0], [10.0, 4.0, 0.0], [11.0, 4.0, 0.0]],
            [[10.0, 5.0, 0.0], [11.0, 4.0, 0.0], [11.0, 5.0, 0.0]],
        ],
    );
}

#[test]
fn a_mirrored_mesh_keeps_its_front() {
    let mut gltf = square();
    gltf.json["nodes"] = json!([{ "mesh": 0, "scale": [-1.0, 1.0, 1.0] }]);
    assert_near(
        &gltf.load(),
        &[
            [[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0.0, 0.0, 1.0]],
            [[0.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [-1.0, 0.0, 1.0]],
        ],
    );
}

#[test]
fn geographic_translations_keep_their_millimetres() {
    let mut gltf = square();
    gltf.json["nodes"] = json!([{ "mesh": 0, "translation": [4_500_000.003, 0.0, -5_300_000.25] }]);
    let scene = gltf.load();
    let p = corners(&scene)[0][2];
    assert!((p[0] - 4_500_001.003).abs() < 1e-6 && (p[2] + 5_299_999.25).abs() < 1e-6, "{p:?}");
}

#[test]
fn instances_of_an_extension_are_unfolded() {
    let mut gltf = square();
    let at = gltf.positions(&[[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, 7.0]]);
    let scale = gltf.positions(&[[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 1.0, 3.0]]);
    gltf.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    gltf.json["nodes"][0]["extensions"] = json!({ "EXT_mesh_gpu_instancing": {
        "attributes": { "TRANSLATION": at, "SCALE": scale } } });
    gltf.json["nodes"][0]["translation"] = json!([0.0, 9.0, 0.0]);
    let scene = gltf.load();
    assert_eq!(scene.triangle_count(), 6);
    let third: Vec<_> = corners(&scene).into_iter().skip(2).step_by(2).collect();
    assert_eq!(third[0], [[5.0, 9.0, 0.0], [5.0, 9.0, 1.0], [7.0, 9.0, 1.0]]);
    assert_eq!(third[1], [[0.0, 9.0, 7.0], [0.0, 9.0, 10.0], [1.0, 9.0, 10.0]]);
}

#[test]
fn sparse_accessors_replace_elements() {
    let mut gltf = square();
    let indices = gltf.view(&[1_u8, 0, 3, 0]);
    let moved: Vec<u8> = [[0.0_f32, 5.0, 1.0], [1.0, 6.0, 0.0]]
        .iter()
        .flatten()
        .flat_map(|c| c.to_le_bytes())
        .collect();
    let values = gltf.view(&moved);
    let sparse = json!({ "count": 2,
        "indices": { "bufferView": indices, "componentType": 5123 },
        "values": { "bufferView": values } });
    gltf.json["accessors"][0]["sparse"] = sparse;
    let first = corners(&gltf.load());
    assert_eq!(first[0], [[0.0, 0.0, 0.0], [0.0, 5.0, 1.0], [1.0, 0.0, 1.0]]);
    assert_eq!(first[1][2], [1.0, 6.0, 0.0]);
    // Without a buffer view the other points are zero: one of the triangles has no area then.
    gltf.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    let scene = gltf.load();
    assert_eq!(scene.triangle_count(), 0);
    assert_eq!(scene.ignored().zero_area, 2);
}

#[test]
fn strided_and_quantized_positions_are_read() {
    let mut gltf = Gltf::new();
    // Shorts, normalized, 8 bytes apart.
    let mut bytes = Vec::new();
    for p in [[0_i16, 0, 0], [0, 0, 32_767], [32_767, 0, -32_768]] {
        bytes.extend(p.iter().flat_map(|c| c.to_le_bytes()));
        bytes.extend([0xAA, 0xAA]);
    }
    bytes.truncate(bytes.len() - 2);
    let positions = gltf.accessor(&bytes, 3, 5122, "VEC3");
    gltf.json["accessors"][positions]["normalized"] = json!(true);
    gltf.json["bufferViews"][0]["byteStride"] = json!(8);
    gltf.mesh(json!({ "attributes": { "POSITION": positions } }));
    gltf.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    gltf.json["nodes"][0]["scale"] = json!([100.0, 100.0, 100.0]);
    assert_eq!(corners(&gltf.load()), [[[0.0, 0.0, 0.0], [0.0, 0.0, 100.0], [100.0, 0.0, -100.0]]]);
    gltf.json["accessors"][positions]["normalized"] = json!(false);
    gltf.json["nodes"][0]["scale"] = json!([0.5, 0.5, 0.5]);
    assert_eq!(corners(&gltf.load())[0][1], [0.0, 0.0, 16_383.5]);
}

#[test]
fn names_make_tags() {
    let mut gltf = square();
    gltf.json["meshes"][0]["name"] = json!("Floor");
    gltf.json["meshes"][0]["primitives"] = json!([
        { "attributes": { "POSITION": 0 }, "indices": 1, "material": 0 },
        { "attributes": { "POSITION": 0 }, "indices": 1, "material": 1 },
        { "attributes": { "POSITION": 0 }, "indices": 1 },
    ]);
    gltf.json["nodes"] =
        json!([{ "children": [1, 2] }, { "mesh": 0, "name": "Hall" }, { "mesh": 0 }]);
    let scene = gltf.load();
    let tags: Vec<&str> = (0..12).step_by(2).map(|i| tag_of(&scene, i)).collect();
    let want = ["Hall/Floor/Stone", "Hall/Floor", "Hall/Floor", "Floor/Stone", "Floor", "Floor"];
    assert_eq!(tags, want);
    // Patches of one mesh share their points.
    assert_eq!(scene.points().len(), 8);
    assert_eq!(square().load().tag(0), NO_TAG);
}

#[test]
fn only_the_scene_to_show_is_read() {
    let mut gltf = square();
    gltf.json["nodes"] = json!([{ "mesh": 0, "name": "a" }, { "mesh": 0, "name": "b" }]);
    gltf.json["scenes"] = json!([{ "nodes": [0] }, { "nodes": [1] }]);
    gltf.json["scene"] = json!(1);
    assert_eq!(gltf.load().tag_names(), ["b"]);
    gltf.json.as_object_mut().unwrap().remove("scene");
    assert_eq!(gltf.load().tag_names(), ["a"]);
    gltf.json.as_object_mut().unwrap().remove("scenes");
    assert_eq!(gltf.load().tag_names(), ["a", "b"]);
    gltf.json["scene"] = json!(3);
    assert!(gltf.error().contains("scene 3"), "{}", gltf.error());
}

#[test]
fn cycles_and_shared_children_are_refused() {
    let mut gltf = square();
    gltf.json["nodes"] = json!([{ "mesh": 0, "children": [1] }, { "children": [0] }]);
    assert!(gltf.error().contains("node 0: it has two parents"), "{}", gltf.error());
    gltf.json["nodes"] = json!([{ "children": [1, 1] }, { "mesh": 0 }]);
    assert!(gltf.error().contains("node 1: it has two parents"), "{}", gltf.error());
    gltf.json["nodes"] = json!([{ "children": [7] }]);
    assert!(gltf.error().contains("node 7: it does not exist"), "{}", gltf.error());
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_walked() {
    let mut gltf = square();
    let deep = 100_000;
    let mut nodes: Vec<Value> =
        (1..deep).map(|i| json!({ "children": [i], "translation": [0.0, 0.001, 0.0] })).collect();
    nodes.push(json!({ "mesh": 0 }));
    gltf.json["nodes"] = Value::Array(nodes);
    let y = corners(&gltf.load())[0][0][1];
    assert!((y - 99.999).abs() < 1e-3, "{y}");
}

#[test]
fn compressed_geometry_is_refused_with_advice() {
    for extension in
        ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"]
    {
        let mut gltf = square();
        gltf.json["extensionsRequired"] = json!([extension]);
        let message = gltf.error();
        assert!(message.contains(extension) && message.contains("gltf-transform"), "{message}");
    }
    // Not required, but the uncompressed data is left out.
    let mut gltf = square();
    gltf.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    gltf.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } });
    assert!(gltf.error().contains("KHR_draco_mesh_compression"), "{}", gltf.error());
    let mut gltf = square();
    gltf.json["bufferViews"][0]["extensions"] =
        json!({ "EXT_meshopt_compression": { "buffer": 0 } });
    gltf.json["bufferViews"][0]["buffer"] = json!(1);
    gltf.json["buffers"] = json!([{ "byteLength": gltf.binary.len() },
        { "byteLength": 48, "extensions": { "EXT_meshopt_compression": { "fallback": true } } }]);
    assert!(gltf.error().contains("EXT_meshopt_compression"), "{}", gltf.error());
    // Not required, and the uncompressed data is there.
    let mut gltf = square();
    gltf.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } });
    gltf.json["bufferViews"][0]["extensions"] =
        json!({ "EXT_meshopt_compression": { "buffer": 0 } });
    assert_eq!(gltf.load().triangle_count(), 2);
}

#[test]
fn unknown_extensions_are_refused_where_they_are_required() {
    let mut gltf = square();
    gltf.json["extensionsUsed"] = json!(["ACME_everything"]);
    gltf.json["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_texture_basisu"]);
    assert_eq!(gltf.load().triangle_count(), 2);
    gltf.json["extensionsRequired"] = json!(["ACME_everything"]);
    assert!(gltf.error().contains("ACME_everything"), "{}", gltf.error());
}

#[test]
fn what_has_no_part_in_the_geometry_may_be_broken() {
    let mut gltf = square();
    gltf.json["textures"] = json!([{ "source": 99 }, { "extensions": { "EXT_texture_webp": 3 } }]);
    gltf.json["images"] = json!("none");
    gltf.json["animations"] = json!([{ "channels": 7 }]);
    gltf.json["materials"] = json!([{ "pbrMetallicRoughness": "shiny" }]);
    gltf.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(1234);
    assert_eq!(gltf.load().triangle_count(), 2);
}

#[test]
fn references_out_of_range_are_errors() {
    let cases: [(&[&str], Value, &str); 16] = [
        (&["nodes", "0", "mesh"], json!(5), "mesh 5"),
        (&["meshes", "0", "primitives", "0", "indices"], json!(5), "accessor 5: it does not exist"),
        (&["meshes", "0", "primitives", "0", "mode"], json!(9), "9 is not a mode"),
        (&["accessors", "0", "bufferView"], json!(9), "buffer view 9, which does not exist"),
        (&["accessors", "0", "count"], json!(5), "accessor 0: its 5 elements go beyond"),
        (&["accessors", "0", "count"], json!(3), "index 5 is 3, but there are 3 points"),
        (&["accessors", "1", "count"], json!(u64::MAX), "accessor 1"),
        (&["accessors", "0", "byteOffset"], json!(4), "accessor 0: its 4 elements go beyond"),
        (&["accessors", "0", "byteOffset"], json!(u64::MAX), "accessor 0"),
        (&["accessors", "0", "componentType"], json!(1), "1 is not a type"),
        (&["accessors", "0", "type"], json!("VEC2"), "\"VEC2\""),
        (&["accessors", "1", "componentType"], json!(5126), "not unsigned whole numbers"),
        (&["bufferViews", "0", "byteLength"], json!(u64::MAX), "buffer view 0"),
        (&["bufferViews", "0", "byteStride"], json!(4), "lie 4 bytes apart"),
        (&["bufferViews", "0", "byteStride"], json!(u64::MAX), "go beyond"),
        (&["bufferViews", "0", "buffer"], json!(3), "buffer 3, which does not exist"),
    ];
    for (path, value, part) in cases {
        let mut gltf = square();
        let place = path.iter().fold(&mut gltf.json, |json, step| match step.parse::<usize>() {
            Ok(i) => &mut json[i],
            Err(_) => &mut json[*step],
        });
        *place = value;
        let message = gltf.error();
        assert!(message.contains(part), "{path:?}: {part:?} is not in {message:?}");
    }
}

#[test]
fn zeros_without_bytes_are_not_counted_up_to_any_size() {
    let mut gltf = Gltf::new();
    gltf.push(
        "accessors",
        json!({ "count": 4_000_000_000_u32, "componentType": 5126, "type": "VEC3" }),
    );
    gltf.mesh(json!({ "attributes": { "POSITION": 0 } }));
    assert!(gltf.error().contains("no bytes behind them"), "{}", gltf.error());
}

#[test]
fn a_small_file_cannot_unfold_without_end() {
    let mut gltf = Gltf::new();
    let positions = gltf.positions(&SQUARE);
    let many = gltf.indices(&[0, 1, 2].repeat(20_000));
    gltf.mesh(json!({ "attributes": { "POSITION": positions }, "indices": many }));
    let nodes: Vec<Value> = (0..20_000).map(|_| json!({ "mesh": 0 })).collect();
    gltf.json["nodes"] = Value::Array(nodes);
    gltf.json.as_object_mut().unwrap().remove("scene");
    gltf.json.as_object_mut().unwrap().remove("scenes");
    let message = gltf.error();
    assert!(message.contains("400000000 triangles"), "{message}");
    assert!(message.contains("split it"), "{message}");
}

#[test]
fn buffers_may_be_addresses_with_data() {
    let mut gltf = square();
    let text = base64(&gltf.binary);
    gltf.json["buffers"] = json!([{ "byteLength": gltf.binary.len(),
        "uri": format!("data:application/octet-stream;base64,{text}") }]);
    let want = square().load();
    let load = |json: &Value| Scene::from_bytes(json.to_string().as_bytes(), SceneFormat::Gltf);
    assert_eq!(load(&gltf.json).unwrap(), want);
    for (uri, part) in [
        ("data:text/plain,hello", "not in base64"),
        ("data:;base64,@@@@", "damaged"),
        ("data:;base64,AAAA", "should have"),
        ("other.bin", "data in memory cannot refer to files"),
        ("https://example.org/other.bin", "folder"),
    ] {
        gltf.json["buffers"][0]["uri"] = json!(uri);
        let message = load(&gltf.json).unwrap_err().to_string();
        assert!(message.contains("buffer 0") && message.contains(part), "{message}");
    }
}

#[test]
fn buffers_may_be_files_below_the_folder_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("level");
    std::fs::create_dir_all(inner.join("sub dir")).unwrap();
    let mut gltf = square();
    std::fs::write(inner.join("sub dir/a.bin"), &gltf.binary).unwrap();
    std::fs::write(folder.path().join("outside.bin"), &gltf.binary).unwrap();
    let file = inner.join("level.GLTF");
    let mut load = |uri: &str| {
        gltf.json["buffers"] = json!([{ "byteLength": gltf.binary.len(), "uri": uri }]);
        std::fs::write(&file, gltf.json.to_string()).unwrap();
        Scene::load(&file)
    };
    let want = square().load();
    assert_eq!(load("sub%20dir/a.bin").unwrap(), want);
    assert_eq!(load("./sub dir/./a.bin").unwrap(), want);
    let absolute = folder.path().join("outside.bin").display().to_string();
    for (uri, part) in [
        ("../outside.bin", "put the file there"),
        ("sub%20dir/../../outside.bin", "put the file there"),
        ("%2e%2e%2foutside.bin", "put the file there"),
        (absolute.as_str(), "put the file there"),
        ("missing.bin", "cannot be read"),
        ("sub dir", "not a plain file"),
    ] {
        let message = load(uri).unwrap_err().to_string();
        assert!(message.contains("level.GLTF") && message.contains(part), "{uri}: {message}");
    }
}

#[test]
fn damaged_containers_are_refused() {
    let whole = square().glb();
    let error = |bytes: &[u8]| Scene::from_bytes(bytes, SceneFormat::Gltf).unwrap_err().to_string();
    assert!(error(&whole[..10]).contains("ends within its header"));
    assert!(error(&whole[..whole.len() - 1]).contains("bytes are announced"));
    let mut other = whole.clone();
    other[4] = 1;
    assert!(error(&other).contains("glTF 2.0"));
    let mut other = whole.clone();
    other[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(error(&other).contains("byte 12"), "{}", error(&other));
    let mut other = whole.clone();
    other[16] = b'X';
    assert!(error(&other).contains("no JSON part"), "{}", error(&other));
    assert!(error(b"").contains("JSON"));
    assert!(error(b"{ \"asset\": { \"version\": \"1.0\" } }").contains("glTF 2.0"));
    assert!(error(b"{}").contains("no triangles"));
    let deep = "[".repeat(100_000);
    assert!(error(deep.as_bytes()).contains("JSON"));
    assert!(error(format!("{{\"extras\":{deep}").as_bytes()).contains("JSON"));
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let mut word = [0; 3];
        word[..group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes([0, word[0], word[1], word[2]]);
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}
