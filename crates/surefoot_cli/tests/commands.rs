//! Every command on its good day.

mod support;

use serde_json::Value;
use support::Bench;

/// A flat plate of 10 m by 10 m, Y up, with a tagged half.
const PLATE: &str = "\
v 0 0 0\nv 10 0 0\nv 10 0 10\nv 0 0 10\nv 5 0 0\nv 5 0 10\n\
g meadow\nf 1 4 6 5\ng lake\nf 5 6 3 2\n";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn build_prints_the_whole_report() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    let report = bench.json(&["build", "plate.obj", "-o", "plate.snav", "--json"]);
    for key in [
        "method",
        "total_ms",
        "stages",
        "input_triangles",
        "ignored_triangles",
        "cells",
        "triangles",
        "vertices",
        "area_m2",
        "gap_area_m2",
        "components",
        "links",
        "peak_rss_mb",
        "warnings",
    ] {
        assert!(keys(&report).contains(&key), "no {key} in {report}");
    }
    assert_eq!(report["method"], "exact");
    assert_eq!(report["input_triangles"], 4);
    assert_eq!(report["components"], 1);
    // A plate of 10 m less 0.3 m on every side.
    let area = report["area_m2"].as_f64().unwrap();
    assert!((area - 9.4 * 9.4).abs() < 0.02, "{area}");
    let stages = report["stages"].as_array().unwrap();
    assert!(stages.len() > 3);
    let mut sum = 0.0;
    for stage in stages {
        assert!(stage["name"].is_string());
        sum += stage["ms"].as_f64().unwrap();
    }
    assert!(sum <= report["total_ms"].as_f64().unwrap() + 1.0);
}

#[test]
fn build_writes_every_format() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    for (name, start) in [
        ("a.snav", &b""[..]),
        ("a.obj", b"#"),
        ("a.glb", b"glTF"),
        ("a.json", b"{\"format\":\"surefoot-navmesh\""),
        ("a.svg", b"<svg"),
        ("a.png", b"\x89PNG"),
        ("a.bin", b"TESM"),
    ] {
        bench.ok(&["build", "plate.obj", "-o", name]);
        assert!(bench.read(name).starts_with(start), "{name}");
    }
}

#[test]
fn build_takes_several_scenes_together() {
    let bench = Bench::new();
    bench.write("left.obj", "v 0 0 0\nv 5 0 0\nv 5 0 10\nv 0 0 10\nf 1 4 3 2\n");
    bench.write("right.obj", "v 5 0 0\nv 10 0 0\nv 10 0 10\nv 5 0 10\nf 1 4 3 2\n");
    let report = bench.json(&["build", "left.obj", "right.obj", "-o", "both.snav", "--json"]);
    assert_eq!(report["components"], 1);
    assert!((report["area_m2"].as_f64().unwrap() - 88.36).abs() < 0.02);
}

#[test]
fn up_can_be_any_direction() {
    let bench = Bench::new();
    bench.write("z.obj", "v 0 0 0\nv 10 0 0\nv 10 10 0\nv 0 10 0\nf 1 2 3 4\n");
    let report = bench.json(&["build", "z.obj", "--up", "z", "-o", "z.snav", "--json"]);
    assert!((report["area_m2"].as_f64().unwrap() - 88.36).abs() < 0.02);
    let path = bench.json(&["path", "z.snav", "--from", "1,1,0", "--to", "9,1,0", "--json"]);
    assert!((path["length"].as_f64().unwrap() - 8.0).abs() < 1e-6);
    // From below there is nothing to stand on.
    let below = ["build", "z.obj", "--up", "-z", "-o", "below.snav", "--json"];
    bench.fails(&below, 1, &["2 face down", "check `up` (--up)"]);
    let two_sided =
        bench.json(&["build", "z.obj", "--up", "-z", "--two-sided", "-o", "b.snav", "--json"]);
    assert!((two_sided["area_m2"].as_f64().unwrap() - 88.36).abs() < 0.02);
}

#[test]
fn voxels_build_the_same_file_in_tiles_of_any_size() {
    let bench = Bench::new();
    bench.ok(&["scene", "floors", "--size", "2", "-o", "floors.glb"]);
    for regions in ["flood", "flat"] {
        for tile in ["32", "100", "0"] {
            let name = format!("{regions}-{tile}.obj");
            let build = ["build", "floors.glb", "--method", "voxel", "--regions", regions];
            let report = bench
                .json(&[&build[..], &["--tile-size", tile, "-o", &name, "--json"][..]].concat());
            assert_eq!(report["method"], "voxel");
            assert_eq!(report["warnings"].as_array().map(Vec::len), Some(0), "{report}");
            assert_eq!(bench.read(&name), bench.read(&format!("{regions}-32.obj")));
        }
    }
    let ran = bench.ok(&[
        "build",
        "floors.glb",
        "--method",
        "voxel",
        "--regions",
        "watershed",
        "--cell-size",
        "0.15",
        "--cell-height",
        "0.1",
        "--tolerance",
        "0.1",
        "-o",
        "floors.snav",
    ]);
    assert!(ran.err.contains("--tolerance has no effect with --method voxel"), "{}", ran.err);
    bench.fails(
        &["build", "floors.glb", "--method", "voxel", "--cell-size", "0", "-o", "none.snav"],
        2,
        &["`voxel.cell_size` (--cell-size)"],
    );
}

#[test]
fn areas_come_from_tags() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.ok(&["build", "plate.obj", "--area", "water=*LAKE*", "-o", "plate.snav"]);
    let info = bench.json(&["info", "plate.snav", "--json"]);
    assert!(info["areas"].as_array().unwrap().contains(&Value::from("water")), "{info}");
    bench.ok(&["export", "plate.snav", "-o", "plate.obj2.obj"]);
    let text = bench.text("plate.obj2.obj");
    assert!(text.contains("g water/ground\n"), "{text}");
    let ran = bench.ok(&["build", "plate.obj", "--area", "lava=volcano", "-o", "plate.snav"]);
    assert!(ran.err.contains("volcano"), "{}", ran.err);
}

#[test]
fn tags_decide_what_is_ground() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.fails(
        &["build", "plate.obj", "--ignore", "*", "-o", "none.snav"],
        1,
        &["the scene has no triangle"],
    );
    bench.fails(
        &["build", "plate.obj", "--obstacle", "*", "-o", "none.snav"],
        1,
        &["4 triangles are never ground", "--obstacle"],
    );
    bench.fails(&["build", "plate.obj", "--ground", "", "-o", "none.snav"], 2, &["pattern"]);
    let ran = bench.ok(&["build", "plate.obj", "--ignore", "volcano", "-o", "plate.snav"]);
    assert!(ran.err.contains("volcano"), "{}", ran.err);
    let flags = ["--obstacle", "a;b", "--obstacle", "*c", "--ground", "*lake*"];
    bench.ok(&[&["build", "plate.obj", "-o", "plate.snav"], &flags[..]].concat());
    let info = bench.json(&["info", "plate.snav", "--json"]);
    assert_eq!(info["tag_rules"]["obstacle"], serde_json::json!(["a;b", "*c"]), "{info}");
    bench.ok(&["verify", "plate.snav", "--scene", "plate.obj"]);
    // For somebody else's mesh the checker is told.
    bench.ok(&["export", "plate.snav", "-o", "polygons.obj"]);
    let judged = ["verify", "polygons.obj", "--scene", "plate.obj", "--obstacle", "*lake*"];
    assert_eq!(bench.run(&judged).status, 3);
}

#[test]
fn info_tells_agent_bounds_and_version() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.ok(&["build", "plate.obj", "--agent-radius", "0.5", "-o", "plate.snav"]);
    let info = bench.json(&["info", "plate.snav", "--json"]);
    assert_eq!(info["version"], 1);
    assert_eq!(info["agent"]["radius_m"], 0.5);
    assert_eq!(info["agent"]["max_slope_deg"], 45.0);
    let low = info["bounds"]["min"][0].as_f64().unwrap();
    assert!((low - 0.5).abs() < 0.01, "{low}");
    assert!((info["area_m2"].as_f64().unwrap() - 81.0).abs() < 0.02);
    assert!(bench.ok(&["info", "plate.snav"]).out.contains("1 component"));
}

#[test]
fn path_finds_the_shortest_way() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.ok(&["build", "plate.obj", "-o", "plate.snav"]);
    let path = bench.json(&["path", "plate.snav", "--from", "1,0,1", "--to", "9,0,7", "--json"]);
    assert_eq!(path["found"], true);
    assert!((path["length"].as_f64().unwrap() - 10.0).abs() < 1e-6);
    assert!(path["micros"].as_f64().unwrap() > 0.0);
    let points = path["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert_eq!(points[0].as_array().unwrap().len(), 3);
    assert!(
        bench
            .ok(&["path", "plate.snav", "--from", "1,0,1", "--to", "9,0,7"])
            .out
            .contains("10.000 m")
    );
}

/// A wall along the middle of a floor of 10 m by 10 m, with a door of 1 m at one side and one of
/// 3 m at the other; the strip before the wide door is tagged.
const TWO_DOORS: &str = "\
v 0 0 0\nv 10 0 0\nv 10 0 10\nv 0 0 10\n\
v 1 0 5\nv 7 0 5\nv 7 3 5\nv 1 3 5\nv 1 0 5.2\nv 7 0 5.2\nv 7 3 5.2\nv 1 3 5.2\n\
v 7 0 0\nv 7 0 10\n\
g floor\nf 1 4 14 13\ng mud\nf 13 14 3 2\n\
g wall\nf 5 6 7 8\nf 10 9 12 11\nf 9 5 8 12\nf 6 10 11 7\nf 8 7 11 12\n";

/// The greatest x and the least x along a path.
fn sideways(path: &Value) -> (f64, f64) {
    let xs = path["points"].as_array().unwrap().iter().map(|p| p[0].as_f64().unwrap());
    (xs.clone().fold(f64::MIN, f64::max), xs.fold(f64::MAX, f64::min))
}

#[test]
fn wider_agents_take_the_wider_door() {
    let bench = Bench::new();
    bench.write("doors.obj", TWO_DOORS);
    let mesh = ["--agent-radius", "0.2", "-o", "doors.snav"];
    bench.ok(&[&["build", "doors.obj"], &mesh[..]].concat());
    let ask = |more: &[&str]| {
        let pair = ["path", "doors.snav", "--from", "2,0,2", "--to", "2,0,8", "--json"];
        bench.run(&[&pair[..], more].concat())
    };
    let json = |more: &[&str]| -> Value {
        let ran = ask(more);
        assert_eq!(ran.status, 0, "{more:?}: {}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };
    // The narrow door is nearer; an agent of 0.45 m still fits, one of 0.55 m does not.
    for narrow in [&[][..], &["--radius", "0.2"], &["--radius", "0.45"]] {
        assert!(sideways(&json(narrow)).0 < 2.5, "{narrow:?}");
    }
    let wide = json(&["--radius", "0.55"]);
    assert!(sideways(&wide).0 > 7.5, "{wide}");
    // Around the wall's end the agent keeps its distance from the corner at (7, 5).
    for p in wide["points"].as_array().unwrap() {
        let (x, z) = (p[0].as_f64().unwrap(), p[2].as_f64().unwrap());
        assert!((x - 7.0).hypot(z - z.clamp(5.0, 5.2)) > 0.549, "{p}");
    }
    assert_eq!(ask(&["--radius", "1.6"]).status, 3);
    // A picture of the wider agent's path.
    ask(&["--radius", "0.55", "-o", "wide.svg"]);
    assert!(bench.text("wide.svg").contains("<polyline"));
}

#[test]
fn costs_and_exclusions_change_the_way() {
    let bench = Bench::new();
    bench.write("doors.obj", TWO_DOORS);
    let build = ["build", "doors.obj", "--agent-radius", "0.2", "--area", "mud=mud"];
    bench.ok(&[&build[..], &["-o", "doors.snav"]].concat());
    let json = |more: &[&str]| {
        let pair = ["path", "doors.snav", "--from", "6,0,2", "--to", "6,0,8", "--json"];
        bench.json(&[&pair[..], more].concat())
    };
    let plain = json(&[]);
    assert!(sideways(&plain).0 > 7.0);
    assert!((plain["cost"].as_f64().unwrap() - plain["length"].as_f64().unwrap()).abs() < 1e-6);
    let portals = json(&["--algorithm", "portals"]);
    assert!(portals["length"].as_f64().unwrap() >= plain["length"].as_f64().unwrap() - 1e-9);
    let dry = json(&["--exclude", "mud"]);
    assert!(sideways(&dry).0 < 7.0 && sideways(&dry).1 < 1.0, "{dry}");
    let dear = json(&["--cost", "mud=100"]);
    assert!((dear["length"].as_f64().unwrap() - dry["length"].as_f64().unwrap()).abs() < 1e-3);
    // A little dearer the mud is still the better way, at a higher cost.
    let muddy = json(&["--cost", "mud=1.5", "--exclude", "links"]);
    assert!(sideways(&muddy).0 > 7.0);
    assert!(muddy["cost"].as_f64().unwrap() > muddy["length"].as_f64().unwrap());
}

#[test]
fn a_budget_ends_a_search_and_near_is_near_enough() {
    let bench = Bench::new();
    bench.write("doors.obj", TWO_DOORS);
    bench.write("island.obj", "v 12 0 4\nv 16 0 4\nv 16 0 8\nv 12 0 8\nf 1 4 3 2\n");
    bench.ok(&["build", "doors.obj", "island.obj", "-o", "doors.snav"]);
    let few = ["path", "doors.snav", "--from", "6,0,2", "--to", "2,0,8", "--max-nodes", "1"];
    let ran = bench.run(&[&few[..], &["--json"]].concat());
    assert_eq!(ran.status, 3);
    assert!(ran.out.contains("budget-spent"), "{}", ran.out);
    let near = ["path", "doors.snav", "--from", "6,0,2", "--to", "14,0,6", "--near", "--json"];
    let path = bench.json(&near);
    assert_eq!((&path["found"], &path["reaches_goal"]), (&Value::from(true), &Value::from(false)));
    assert!((sideways(&path).0 - 9.7).abs() < 0.01, "{path}");
}

#[test]
fn path_draws_what_it_found() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.ok(&["build", "plate.obj", "-o", "plate.snav"]);
    for (name, start) in [("p.svg", &b"<svg"[..]), ("p.png", b"\x89PNG"), ("p.glb", b"glTF")] {
        bench.ok(&["path", "plate.snav", "--from", "1,0,1", "--to", "9,0,7", "-o", name]);
        assert!(bench.read(name).starts_with(start), "{name}");
    }
    assert!(bench.text("p.svg").contains("<polyline"));
}

#[test]
fn the_answer_no_has_its_own_status() {
    let bench = Bench::new();
    bench.write(
        "islands.obj",
        format!("{PLATE}v 20 0 0\nv 30 0 0\nv 30 0 10\nv 20 0 10\nf 7 10 9 8\n"),
    );
    bench.ok(&["build", "islands.obj", "-o", "islands.snav"]);
    for (from, to, reason) in [
        ("1,0,1", "25,0,5", "disconnected"),
        ("1,50,1", "9,0,7", "start-off-mesh"),
        ("1,0,1", "15,0,5", "goal-off-mesh"),
    ] {
        let ran = bench.run(&["path", "islands.snav", "--from", from, "--to", to, "--json"]);
        assert_eq!(ran.status, 3, "{}", ran.err);
        let answer: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(answer["found"], false);
        assert_eq!(answer["reason"], reason);
        assert!(answer["micros"].is_number());
    }
    // A greater distance reaches the plate from the gap between the two.
    let wide = ["path", "islands.snav", "--from", "1,0,1", "--to", "12,0,5", "--extents", "4,2,4"];
    bench.ok(&wide);
}

#[test]
fn many_pairs_give_a_line_each() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.ok(&["build", "plate.obj", "-o", "plate.snav"]);
    bench.write("pairs.txt", "# start and goal\n1 0 1 9 0 7\n\n1,0,1, 1,0,9  # across\n");
    let ran = bench.ok(&["path", "plate.snav", "--pairs", "pairs.txt", "--json"]);
    let lengths: Vec<f64> = ran
        .out
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap()["length"].as_f64().unwrap())
        .collect();
    assert_eq!(lengths.len(), 2);
    assert!((lengths[0] - 10.0).abs() < 1e-6 && (lengths[1] - 8.0).abs() < 1e-6);
    assert_eq!(bench.ok(&["path", "plate.snav", "--pairs", "pairs.txt"]).out.lines().count(), 2);
    bench.write("pairs.txt", "1 0 1 9 0 7\n1 0 1 90 0 7\n");
    assert_eq!(bench.run(&["path", "plate.snav", "--pairs", "pairs.txt"]).status, 3);
}

#[test]
fn export_writes_every_format() {
    let bench = Bench::with_mesh();
    for (name, start) in [
        ("m.obj", &b"#"[..]),
        ("m.glb", b"glTF"),
        ("m.json", b"{\"format\":\"surefoot-navmesh\""),
        ("m.svg", b"<svg"),
        ("m.png", b"\x89PNG"),
        ("m.bin", b"TESM"),
    ] {
        bench.ok(&["export", "mesh.snav", "-o", name]);
        assert!(bench.read(name).starts_with(start), "{name}");
    }
    bench.ok(&["export", "mesh.snav", "-o", "copy.snav"]);
    assert_eq!(bench.read("copy.snav"), bench.read("mesh.snav"));
    let json: Value = serde_json::from_str(&bench.text("m.json")).unwrap();
    let info = bench.json(&["info", "mesh.snav", "--json"]);
    assert_eq!(json["cells"].as_array().unwrap().len() as u64, info["cells"].as_u64().unwrap());
    let picture =
        ["export", "mesh.snav", "--scene", "scene.glb", "--size", "320x200", "-o", "s.png"];
    bench.ok(&picture);
    // Width and height stand at a fixed place of a PNG file.
    let png = bench.read("s.png");
    assert_eq!(&png[16..24], [0, 0, 1, 64, 0, 0, 0, 200]);
}

#[test]
fn an_exported_mesh_is_a_scene_again() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.ok(&["build", "plate.obj", "-o", "plate.snav"]);
    for name in ["mesh.obj", "mesh.glb"] {
        bench.ok(&["export", "plate.snav", "-o", name]);
        let again = ["build", name, "--agent-radius", "0", "-o", "again.snav", "--json"];
        let report = bench.json(&again);
        assert!((report["area_m2"].as_f64().unwrap() - 88.36).abs() < 0.02, "{name}");
    }
}

#[test]
fn scenes_are_listed_and_the_same_every_time() {
    let bench = Bench::new();
    let list = bench.ok(&["scene", "--list"]).out;
    for name in ["doorways", "spiral-maze", "floors", "testmap-3", "planet", "grates"] {
        assert!(list.lines().any(|l| l.starts_with(name)), "no {name} in {list}");
    }
    for name in ["a.obj", "b.obj", "c.glb", "d.ply", "e.stl"] {
        bench.ok(&["scene", "doorways", "--size", "3", "-o", name]);
    }
    assert_eq!(bench.read("a.obj"), bench.read("b.obj"));
    let variant = [
        "scene",
        "doorways",
        "--size",
        "3",
        "--rotate",
        "-17.3",
        "--shatter",
        "1",
        "--jitter",
        "0.0004",
        "--dirty",
        "--seed",
        "7",
        "-o",
        "v.glb",
    ];
    bench.ok(&variant);
    let first = bench.read("v.glb");
    bench.ok(&variant);
    assert_eq!(first, bench.read("v.glb"));
    assert!(first.len() > bench.read("c.glb").len());
    for name in ["a.obj", "c.glb", "d.ply", "e.stl", "v.glb"] {
        bench.ok(&["build", name, "-o", "out.snav"]);
    }
}

#[test]
fn every_stage_can_be_seen() {
    let bench = Bench::new();
    bench.write("plate.obj", PLATE);
    bench.ok(&["build", "plate.obj", "-o", "plate.snav", "--dump", "stages"]);
    let mut names: Vec<String> = std::fs::read_dir(bench.path("stages"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let stages = names.iter().filter(|n| n.ends_with(".glb")).count();
    assert!(stages >= 3, "{names:?}");
    assert_eq!(names.len(), stages * 3, "{names:?}");
    assert!(names[0].starts_with("01-"));
    for name in names.iter().filter(|n| n.ends_with(".json")) {
        let text = bench.text(&format!("stages/{name}"));
        let counts: Value = serde_json::from_str(&text).unwrap();
        assert!(counts["stage"].is_string() && counts["faces"].is_u64(), "{text}");
    }
}

#[test]
fn the_demo_leaves_scene_mesh_path_and_picture() {
    let bench = Bench::new();
    let ran = bench.ok(&["demo"]);
    for name in ["scene.glb", "mesh.snav", "path.json", "picture.png"] {
        assert!(bench.read(&format!("surefoot-demo/{name}")).len() > 100, "{name}");
        assert!(ran.out.contains(name), "{name} is not mentioned: {}", ran.out);
    }
    let path: Value = serde_json::from_str(&bench.text("surefoot-demo/path.json")).unwrap();
    assert!(path["length"].as_f64().unwrap() > 10.0);
}

#[test]
fn help_and_version_are_no_failures() {
    let bench = Bench::new();
    assert!(bench.ok(&["--version"]).out.starts_with("surefoot "));
    let help = bench.ok(&["--help"]).out;
    for command in ["build", "info", "path", "verify", "export", "scene", "view", "demo"] {
        assert!(help.contains(command), "{command}");
        bench.ok(&[command, "--help"]);
    }
}
