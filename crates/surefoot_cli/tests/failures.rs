//! Every way to fail has its status and one message that says what to do.

mod support;

use std::io::Write;
use std::process::Stdio;
use support::Bench;

const TRIANGLE: &str = "v 0 0 0\nv 10 0 0\nv 0 0 10\nf 1 3 2\n";

#[test]
fn wrong_usage_is_two() {
    let bench = Bench::new();
    bench.write("t.obj", TRIANGLE);
    for arguments in [
        &[][..],
        &["fly"],
        &["build"],
        &["build", "t.obj"],
        &["build", "t.obj", "-o", "t.snav", "--method", "magic"],
        &["build", "t.obj", "-o", "t.snav", "--agent-height", "tall"],
        &["build", "t.obj", "-o", "t.snav", "--up", "0,0,0"],
        &["build", "t.obj", "-o", "t.snav", "--seed", "1,2"],
        &["build", "t.obj", "-o", "t.snav", "--area", "water"],
        &["build", "t.obj", "-o", "t.snav", "--threads", "0"],
        &["path", "t.snav"],
        &["path", "t.snav", "--from", "1,2,3"],
        &["path", "t.snav", "--from", "1,2,3", "--to", "1,2"],
        &["scene"],
        &["scene", "stairs"],
        &["verify", "t.snav"],
        &["info"],
    ] {
        let ran = bench.run(arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {}", ran.err);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{arguments:?}");
    }
}

#[test]
fn settings_out_of_range_are_wrong_usage_and_say_the_range() {
    let bench = Bench::new();
    bench.write("t.obj", TRIANGLE);
    let build = |flag: &str, value: &str, word: &str| {
        bench.fails(&["build", "t.obj", "-o", "t.snav", flag, value], 2, &[word]);
    };
    build("--agent-height", "-1", "height");
    build("--agent-radius", "-0.1", "radius");
    build("--agent-radius", "nan", "radius");
    build("--max-slope", "95", "slope");
    build("--max-step", "3", "step");
    build("--min-area", "-2", "area");
    build("--gap-distance", "0.5", "wall");
    build("--fill-gaps", "-1", "gap");
    build("--fill-gaps", "0.9", "half the agent's height");
    assert!(!bench.path("t.snav").exists());
}

#[test]
fn what_this_version_cannot_do_is_said_plainly() {
    let bench = Bench::new();
    bench.write("t.obj", TRIANGLE);
    let build = ["build", "t.obj", "-o", "t.snav", "--method", "any-surface"];
    bench.fails(&build, 1, &["any-surface", "not part of this version"]);
    bench.fails(&["build", "t.obj", "-o", "t.snav", "--backend", "gpu"], 1, &["--backend"]);
    bench.ok(&["build", "t.obj", "-o", "t.snav", "--backend", "auto"]);
    bench.fails(&["view", "none.glb", "--no-open"], 1, &["none.glb", "no file"]);
    bench.write("notes.txt", "hello");
    bench.fails(&["view", "notes.txt", "--no-open"], 1, &["notes.txt", ".snav"]);
    bench.fails(&["view", "--scene-name", "flours", "--no-open"], 1, &["flours", "floors"]);
}

#[test]
fn paths_that_cannot_be_asked_for() {
    let bench = Bench::new();
    bench.write("t.obj", TRIANGLE);
    bench.ok(&["build", "t.obj", "-o", "t.snav"]);
    let path = |flag: &str, value: &str, status: i32, words: &[&str]| {
        let args = ["path", "t.snav", "--from", "1,0,1", "--to", "2,0,2", flag, value];
        bench.fails(&args, status, words);
    };
    path("--radius", "0.1", 1, &["--radius", "0.3"]);
    path("--radius", "-1", 2, &["--radius"]);
    path("--radius", "nan", 2, &["--radius"]);
    path("--exclude", "lava", 1, &["--exclude lava", "jump-links"]);
    path("--cost", "lava=2", 1, &["--cost lava"]);
    path("--cost", "ramps=0", 2, &["NAME=FACTOR"]);
    path("--max-nodes", "0", 2, &["--max-nodes"]);
    path("--algorithm", "best", 2, &["optimal"]);
    path("-o", "path.json", 2, &[".svg"]);
}

#[test]
fn flags_of_other_methods_are_a_warning() {
    let bench = Bench::new();
    bench.write("t.obj", TRIANGLE);
    let ran = bench.ok(&["build", "t.obj", "-o", "t.snav", "--cell-size", "0.1", "--json"]);
    assert!(ran.err.contains("--cell-size has no effect"), "{}", ran.err);
}

#[test]
fn missing_and_unknown_files_are_named() {
    let bench = Bench::new();
    bench.write("t.obj", TRIANGLE);
    bench.write("t.doc", "x");
    bench.fails(&["build", "none.obj", "-o", "t.snav"], 1, &["none.obj", "cannot be read"]);
    bench.fails(&["build", "t.doc", "-o", "t.snav"], 1, &["t.doc", ".glb"]);
    bench.fails(&["build", "t.obj", "-o", "none/t.snav"], 1, &["none/t.snav", "does not exist"]);
    bench.fails(&["build", "t.obj", "-o", "."], 2, &["ending"]);
    bench.fails(&["build", "t.obj", "-o", "t.xyz"], 2, &["t.xyz", ".snav"]);
    bench.fails(&["info", "none.snav"], 1, &["none.snav", "cannot be read"]);
    bench.fails(&["info", "t.obj"], 1, &["t.obj", "snav"]);
    bench.fails(&["scene", "castle", "-o", "t.glb"], 2, &["castle"]);
    bench.fails(&["scene", "stairs", "--size", "100000", "-o", "t.glb"], 2, &["100000"]);
    bench.fails(&["scene", "stairs", "-o", "t.snav"], 2, &["t.snav", ".glb"]);
    bench.fails(&["scene", "stairs", "-o", "none/t.glb"], 1, &["none"]);
}

#[test]
fn wrong_pairs_name_their_line() {
    let bench = Bench::with_mesh();
    bench.write("p.txt", "1 2 3 4 5 6\n1 2 3 4 5\n");
    bench.fails(&["path", "mesh.snav", "--pairs", "p.txt"], 1, &["p.txt", "line 2"]);
    bench.write("p.txt", "# nothing\n");
    bench.fails(&["path", "mesh.snav", "--pairs", "p.txt"], 1, &["p.txt", "no pair"]);
    bench.fails(&["path", "mesh.snav", "--pairs", "none.txt"], 1, &["none.txt"]);
}

#[test]
fn a_failed_build_leaves_the_old_output_alone() {
    let bench = Bench::new();
    bench.write("t.obj", "v 0 0 0\nf 1 2 3\n");
    bench.write("t.snav", "old");
    bench.fails(&["build", "t.obj", "-o", "t.snav"], 1, &["t.obj"]);
    assert_eq!(bench.read("t.snav"), b"old");
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let bench = Bench::with_mesh();
    let pairs = "1 0 1 2 0 2\n".repeat(20_000);
    bench.write("p.txt", pairs);
    let mut child = bench
        .command(&["path", "mesh.snav", "--pairs", "p.txt"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Nobody reads what the child prints.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code().is_some(), "ended by a signal");
    assert!(err.is_empty(), "{err}");
}

/// Every way in which nothing can be walked on: scenes, with words of the remedy.
const WITHOUT_GROUND: [(&str, &str, &[&str]); 6] = [
    (
        "wall.obj",
        "v 0 0 0\nv 10 0 0\nv 0 10 0\nf 1 2 3\n",
        &["nothing in the scene can be walked on", "1 are upright", "`up` (--up)", "50.0 m²"],
    ),
    (
        "turned.obj",
        "v 0 0 0\nv 10 0 0\nv 0 0 10\nf 1 2 3\n",
        &["1 face down", "50.0 m²", "turn them, set `two_sided` (--two-sided)"],
    ),
    (
        "roof.obj",
        "v 0 0 0\nv 10 20 0\nv 0 0 10\nf 1 3 2\n",
        &["1 face up and are steeper", "`agent.max_slope` (--max-slope)"],
    ),
    (
        "sill.obj",
        "v 0 0 0\nv 0.4 0 0\nv 0.4 0 9\nv 0 0 9\nf 1 4 3 2\n",
        &["none of it is wide, high and large enough", "`agent.radius` (--agent-radius)"],
    ),
    (
        "low.obj",
        "v 0 0 0\nv 9 0 0\nv 9 0 9\nv 0 0 9\nv 0 1 0\nv 9 1 0\nv 9 1 9\nv 0 1 9\n\
         v 0 1.1 0\nv 0.1 1.1 0\nf 1 4 3 2\nf 5 6 7 8\n",
        &["none of it is wide, high and large enough", "`agent.height` (--agent-height)"],
    ),
    (
        "specks.obj",
        "v 0 0 0\nv 1.2 0 0\nv 1.2 0 1.2\nv 0 0 1.2\nf 1 4 3 2\n",
        &["none of it is wide, high and large enough", "`min_area` (--min-area)"],
    ),
];

#[test]
fn a_scene_that_cannot_be_walked_on_is_an_error_that_says_why() {
    let bench = Bench::new();
    for (name, scene, words) in WITHOUT_GROUND {
        bench.write(name, scene);
        for method in ["exact", "voxel", "layered"] {
            let build = ["build", name, "-o", "none.snav", "--method", method];
            let words: Vec<&str> = words.iter().copied().chain([name]).collect();
            bench.fails(&build, 1, &words);
            bench.fails(&[&build[..], &["--json"]].concat(), 1, &words);
            assert!(!bench.path("none.snav").exists(), "{name} by {method}");
        }
    }
    for method in ["exact", "voxel", "layered"] {
        let build = ["build", "sill.obj", "-o", "sill.snav", "--method", method];
        let ran = bench.ok(&[&build[..], &["--agent-radius", "0.05"]].concat());
        assert_eq!(ran.err, "");
        let build = ["build", "turned.obj", "-o", "turned.snav", "--method", method];
        bench.ok(&[&build[..], &["--two-sided"]].concat());
        let seed = ["--seed", "100,0,100"];
        let build = ["build", "turned.obj", "-o", "seed.snav", "--method", method, "--two-sided"];
        bench.fails(&[&build[..], &seed].concat(), 1, &["`seeds` (--seed)"]);
    }
}

/// A triangle of an STL file is 50 bytes: a normal, three corners and two bytes.
#[test]
fn a_scene_of_coordinates_that_are_no_numbers_is_an_error() {
    let bench = Bench::new();
    let mut stl = vec![0_u8; 80];
    stl.extend(2_u32.to_le_bytes());
    for _ in 0..2 {
        let corners = [f32::NAN, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0, 9.0];
        stl.extend([0.0_f32; 3].iter().chain(&corners).flat_map(|v| v.to_le_bytes()));
        stl.extend([0; 2]);
    }
    bench.write("nan.stl", stl);
    for method in ["exact", "voxel", "layered"] {
        let build = ["build", "nan.stl", "-o", "nan.snav", "--json", "--method", method];
        bench.fails(&build, 1, &["nan.stl"]);
        assert!(!bench.path("nan.snav").exists());
    }
}

/// No build makes one, and a file may still hold one.
#[test]
fn a_mesh_without_cells_can_be_looked_at() {
    let bench = Bench::new();
    bench.write_empty_mesh("none.snav");
    bench.ok(&["info", "none.snav"]);
    for name in ["w.obj", "w.glb", "w.json", "w.svg", "w.png"] {
        bench.ok(&["export", "none.snav", "-o", name]);
    }
    bench.fails(&["export", "none.snav", "-o", "w.bin"], 1, &["w.bin", "no cell"]);
    let path = bench.run(&["path", "none.snav", "--from", "0,0,0", "--to", "1,0,0", "--json"]);
    assert_eq!(path.status, 3);
    assert!(path.out.contains("start-off-mesh"), "{}", path.out);
}

#[test]
fn settings_files_are_read_and_their_faults_named() {
    let bench = Bench::new();
    bench.write("t.obj", TRIANGLE);
    let build = |flags: &[&str]| {
        bench.run(&[&["build", "t.obj", "-o", "t.snav", "--settings", "s.toml"], flags].concat())
    };
    bench.write("s.toml", "min_area = 0\n[agent]\nradius = 0.1\n[voxel]\ncell_size = 0.2\n");
    let area = |flags: &[&str]| {
        let ran = build(&[flags, &["--json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report");
        report["area_m2"].as_f64().expect("an area")
    };
    let (thin, wide) = (area(&[]), area(&["--agent-radius", "0.5"]));
    assert!(wide < thin, "flags win: {wide} of {thin} m²");
    let printed = |flags: &[&str]| {
        bench.ok(&[&["build", "--settings", "s.toml", "--print-settings"], flags].concat()).out
    };
    let by_voxels = printed(&["--method", "voxel"]);
    assert!(by_voxels.contains("cell_size = 0.2\n"), "{by_voxels}");
    assert!(by_voxels.contains("radius = 0.1\n") && by_voxels.contains("min_area = 0\n"));
    bench.write("s.toml", &by_voxels);
    assert_eq!(printed(&[]), by_voxels);
    for (text, words) in [
        ("min_areas = 1\n", &["s.toml", "line 1", "min_areas", "`min_area`"][..]),
        ("\n[agent]\nweight = 1\n", &["line 2", "agent.weight", "`agent.height`"]),
        ("[voxle]\ncell_size = 1\n", &["voxle", "`voxel`"]),
        ("up = [0, 1]\n", &["line 1", "`up`"]),
        ("method = \"magic\"\n", &["magic", "exact, voxel"]),
        ("min_area = \n", &["s.toml", "line 1"]),
    ] {
        bench.write("s.toml", text);
        let words: Vec<&str> = words.to_vec();
        bench.fails(&["build", "t.obj", "-o", "t.snav", "--settings", "s.toml"], 1, &words);
    }
    bench.write("s.toml", "[agent]\nheight = -1\n");
    let with = |file: &'static str| ["build", "t.obj", "-o", "t.snav", "--settings", file];
    bench.fails(&with("s.toml"), 1, &["s.toml", "`agent.height`"]);
    assert_eq!(build(&["--agent-height", "1.8"]).status, 0, "flags win");
    bench.fails(&with("none.toml"), 1, &["none.toml", "cannot be read"]);
}

#[test]
fn damaged_files_of_every_format_are_refused() {
    let bench = Bench::with_mesh();
    for name in ["good.obj", "good.glb", "good.ply", "good.stl"] {
        bench.ok(&["scene", "stairs", "--size", "2", "-o", name]);
    }
    // Damage that no reader can take for a sound file: a line that makes no sense, or a cut.
    let nonsense = ["f 1 x 2", "f 1 2 4000000000", "f 0 1 2", "v 1 two 3", "v 1 2"];
    const VARIANTS: usize = 200;
    for format in ["obj", "glb", "ply", "stl", "snav"] {
        let good = if format == "snav" {
            bench.read("mesh.snav")
        } else {
            bench.read(&format!("good.{format}"))
        };
        let ends: Vec<usize> = (0..good.len()).filter(|&i| good[i] == b'\n').collect();
        for k in 0..VARIANTS {
            let mut bad = good.clone();
            if format == "obj" {
                // An OBJ may end after any line, so a cut proves nothing.
                let at = ends[ends.len() * k / VARIANTS];
                let line = format!("\n{}", nonsense[k % nonsense.len()]);
                bad.splice(at..at, line.bytes());
            } else {
                bad.truncate(good.len() * k / VARIANTS);
            }
            let file = format!("bad.{format}");
            bench.write(&file, &bad);
            let command = if format == "snav" {
                vec!["info", &file]
            } else {
                vec!["build", &file, "-o", "x.snav"]
            };
            bench.fails(&command, 1, &[&file]);
            assert!(!bench.path("x.snav").exists());
        }
    }
}

#[test]
fn bytes_changed_at_random_never_panic() {
    let bench = Bench::with_mesh();
    for name in ["good.obj", "good.glb", "good.ply", "good.stl"] {
        bench.ok(&["scene", "stairs", "--size", "2", "-o", name]);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for format in ["obj", "glb", "ply", "stl", "snav"] {
        let name = if format == "snav" { "mesh.snav".to_owned() } else { format!("good.{format}") };
        let good = bench.read(&name);
        for _ in 0..40 {
            let mut bad = good.clone();
            for _ in 0..1 + next(8) {
                let at = next(bad.len());
                bad[at] = next(256) as u8;
            }
            let file = format!("bad.{format}");
            let mut out = std::fs::File::create(bench.path(&file)).unwrap();
            out.write_all(&bad).unwrap();
            let ran = if format == "snav" {
                bench.run(&["info", &file])
            } else {
                bench.run(&["build", &file, "-o", "x.snav"])
            };
            assert!(matches!(ran.status, 0 | 1), "{format}: {}", ran.err);
            if ran.status == 1 {
                assert!(ran.err.contains(&file), "{}", ran.err);
            }
        }
    }
}
