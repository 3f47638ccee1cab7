//! `surefoot verify` from the outside.

mod support;

use support::Bench;

/// A room of doors and its mesh.
fn room() -> Bench {
    let bench = Bench::new();
    bench.ok(&["scene", "doorways", "--size", "2", "-o", "scene.obj"]);
    bench.ok(&["build", "scene.obj", "-o", "mesh.snav"]);
    bench
}

const CHECK: [&str; 6] = ["verify", "mesh.snav", "--scene", "scene.obj", "--samples", "2000"];

fn with(more: &[&str]) -> Vec<String> {
    CHECK.iter().chain(more).map(|&w| w.to_owned()).collect()
}

#[test]
fn a_good_mesh_passes_and_the_report_says_how_sure_that_is() {
    let bench = room();
    let report = bench.json(&with(&["--json"]));
    assert_eq!(report["passes"], true);
    assert_eq!(report["sound"], 1.0);
    assert_eq!(report["complete"], 1.0);
    assert_eq!(report["structure_faults"], 0);
    let low = report["sound_detail"]["interval"][0].as_f64().unwrap();
    assert!((0.99..1.0).contains(&low), "{low}");
    let text = bench.ok(&CHECK).out;
    assert!(text.contains("the mesh passes"), "{text}");
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    let bench = room();
    let one = bench.ok(&with(&["--json", "--threads", "1"])).out;
    assert_eq!(one, bench.ok(&with(&["--json", "--threads", "3"])).out);
    assert_ne!(one, bench.ok(&with(&["--json", "--seed", "2"])).out);
}

#[test]
fn a_mesh_for_a_slimmer_agent_is_refused_with_status_3_and_marked() {
    let bench = room();
    bench.ok(&["build", "scene.obj", "--agent-radius", "0.25", "-o", "slim.obj"]);
    let arguments =
        ["verify", "slim.obj", "--scene", "scene.obj", "--faults", "faults.glb", "--json"];
    let ran = bench.run(&arguments);
    assert_eq!(ran.status, 3, "{}", ran.err);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["passes"], false);
    assert!(report["sound"].as_f64().unwrap() < 0.999);
    let worst = &report["unsound"][0];
    assert!((worst["short_by_m"].as_f64().unwrap() - 0.05).abs() < 0.02, "{worst}");
    assert_eq!(&bench.read("faults.glb")[..4], b"glTF");
    // Judged as what it is, it passes.
    let arguments = ["verify", "slim.obj", "--scene", "scene.obj", "--agent-radius", "0.25"];
    bench.ok(&arguments);
}

#[test]
fn what_is_required_can_be_chosen() {
    let bench = room();
    bench.ok(&["build", "scene.obj", "--agent-radius", "0.4", "-o", "wide.obj"]);
    let check = ["verify", "wide.obj", "--scene", "scene.obj"];
    assert_eq!(bench.run(&check).status, 3);
    let lax: Vec<&str> = check.iter().copied().chain(["--require", "complete=0.2"]).collect();
    assert_eq!(bench.run(&lax).status, 0);
    let odd: Vec<&str> = check.iter().copied().chain(["--require", "nice=1"]).collect();
    bench.fails(&odd, 2, &["complete=SHARE"]);
    bench.fails(&with(&["--faults", "x.obj"]), 2, &[".glb"]);
    bench.fails(&["verify", "none.snav", "--scene", "scene.obj"], 1, &["none.snav"]);
}

#[test]
fn tile_sets_of_detour_and_meshes_of_navcat_are_judged() {
    let bench = room();
    bench.ok(&["export", "mesh.snav", "-o", "peer.bin"]);
    // The file says for whom it was built.
    let judged = ["verify", "peer.bin", "--scene", "scene.obj", "--samples", "2000"];
    let report = bench.json(&[&judged[..], &["--json"]].concat());
    assert_eq!(report["passes"], true, "{report}");
    assert_eq!(report["structure_faults"], 0);
    assert!(report["complete_detail"]["counted"].as_u64().unwrap() > 1000, "{report}");
    // Of a wider agent it is none.
    assert_eq!(bench.run(&[&judged[..], &["--agent-radius", "0.5"]].concat()).status, 3);
    let whole = bench.read("peer.bin");
    bench.write("short.bin", &whole[..whole.len() / 2]);
    bench.fails(&["verify", "short.bin", "--scene", "scene.obj"], 1, &["short.bin", "longer than"]);
    bench.write("other.json", "{\"cells\": []}");
    bench.fails(&["verify", "other.json", "--scene", "scene.obj"], 1, &["other.json", "navcat"]);
}
