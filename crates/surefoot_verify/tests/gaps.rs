//! Meshes whose gaps were filled before the radius was kept: a filled gap is no ledge, its open end is.

use surefoot_bake::{Agent, BakeSettings, LayeredSettings, Method, VoxelSettings, bake};
use surefoot_mesh::{NavMesh, NavMeshData};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};
use surefoot_verify::{Reason, Report, VerifySettings, verify};

fn jetty() -> Scene {
    build("jetty", &Variant { size: Some(4), ..Variant::default() }).unwrap().scene
}

fn baked(scene: &Scene, method: Method, radius_m: f64) -> NavMesh {
    let agent = Agent { radius_m, ..Agent::default() };
    bake(scene, &BakeSettings { agent, method, fill_gaps_m: 0.05, ..BakeSettings::default() })
        .unwrap()
}

fn checked(mesh: &NavMeshData, scene: &Scene, change: impl Fn(&mut VerifySettings)) -> Report {
    let mut settings = VerifySettings::for_build(mesh.build.as_ref().unwrap());
    settings.samples = 3_000;
    change(&mut settings);
    verify(mesh, scene, &settings, &|_| {})
}

fn methods() -> [Method; 3] {
    let voxel =
        VoxelSettings { cell_size_m: 0.01, cell_height_m: 0.01, ..VoxelSettings::default() };
    let layered =
        LayeredSettings { cell_size_m: 0.08, fine_cell_size_m: 0.01, ..LayeredSettings::default() };
    [Method::default(), voxel.into(), layered.into()]
}

#[test]
fn filled_gaps_are_no_ledges_and_the_ground_beside_them_is_asked_for() {
    for (name, size) in [("jetty", 4), ("grates", 60)] {
        let scene = build(name, &Variant { size: Some(size), ..Variant::default() }).unwrap().scene;
        for method in methods() {
            let mesh = baked(&scene, method, 0.3);
            let report = checked(mesh.data(), &scene, |_| {});
            assert_eq!(report.sound.passed, report.sound.counted, "{name} {method:?}");
            assert_eq!(report.complete.passed, report.complete.counted, "{name} {method:?}");
            assert_eq!(report.connection_fault_count, 0, "{name} {method:?}");
            // On the jetty a third of the ground, on the grate nearly all, is asked for.
            assert!(report.complete.counted > 900, "{name} {method:?}: {:?}", report.complete);
        }
    }
}

#[test]
fn a_mesh_that_was_to_fill_no_gaps_has_ledges_there() {
    // Gaps of 4 cm, wider than the centimetres that looks to their two sides may be off by.
    let scene = build("grates", &Variant { size: Some(60), ..Variant::default() }).unwrap().scene;
    let mesh = baked(&scene, Method::default(), 0.3);
    for narrower_m in [0.0, 0.005] {
        let report = checked(mesh.data(), &scene, |s| s.fill_gaps_m = narrower_m);
        let ledges = report.unsound_by_reason.get(&Reason::Ledge);
        assert!(ledges.is_some_and(|&count| count > 100), "{:?}", report.unsound_by_reason);
    }
}

#[test]
fn a_filler_that_comes_too_near_to_the_end_of_its_gap_is_unsound() {
    let scene = jetty();
    let mut data = baked(&scene, Method::default(), 0.1).data().clone();
    data.agent.radius_m = 0.3;
    let report = checked(&data, &scene, |_| {});
    let mesh = data.validate().unwrap();
    let unsound_in_gaps = report.unsound.iter().filter(|point| {
        mesh.cell_kind(surefoot_mesh::CellId(point.cell)) == surefoot_mesh::CellKind::Gap
    });
    assert!(unsound_in_gaps.count() > 0);
}

#[test]
fn ground_beside_a_filled_gap_that_is_left_out_is_missed() {
    // A mesh for a wider agent covers less than the agent of the check can walk on.
    let scene = jetty();
    let mut data = baked(&scene, Method::default(), 0.5).data().clone();
    data.agent.radius_m = 0.3;
    let report = checked(&data, &scene, |_| {});
    let on_planks = |at: [f64; 3]| at[0] > 0.3 && at[0] < 1.0;
    assert!(report.uncovered.iter().any(|point| on_planks(point.at)), "{:?}", report.uncovered);
}
