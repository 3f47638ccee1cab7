//! The checker's word on what lies inside: every case, built with the rule and without it.

use surefoot_bake::{Agent, BakeError, BakeSettings, ExactSettings, LayeredSettings, Method};
use surefoot_bake::{VoxelSettings, bake};
use surefoot_mesh::{NavMesh, Query};
use surefoot_scene::Scene;
use surefoot_testing_scenes::inside::{InsideCase, cases};
use surefoot_testing_scenes::{ProceduralScene, Variant};
use surefoot_verify::{Reason, Report, VerifySettings, verify};

/// How far above or below a point its ground may lie, in metres.
const WINDOW_M: f64 = 0.25;

/// What the checker holds a mesh to where nothing is inside.
const LEAST_SOUND: f64 = 0.99;
const LEAST_COMPLETE: f64 = 0.98;

fn variants() -> [Variant; 2] {
    let clean = Variant::default();
    [clean, Variant { rotate_deg: 17.3, shatter: 1, jitter_m: 0.0004, dirty: true, ..clean }]
}

fn judge(mesh: &NavMesh, scene: &Scene) -> Report {
    let build = mesh.data().build.expect("how it was built");
    let judged = VerifySettings::for_build(&build);
    let settings =
        VerifySettings { keep_inside: false, samples: 2000, worst: usize::MAX, ..judged };
    verify(mesh.data(), scene, &settings, &|_| {})
}

fn component_at(mesh: &NavMesh, query: &Query<'_>, at: [f64; 3]) -> Option<u32> {
    let found = query.nearest(at, [1e-3, WINDOW_M, 1e-3])?;
    Some(mesh.cell_component(found.cell))
}

/// What the checker gets wrong about a case, in words; and how many places it named rightly.
fn faults(case: &InsideCase, method: Method) -> (Vec<String>, usize) {
    let (mut faults, mut named_rightly) = (Vec::new(), 0);
    for variant in variants() {
        let ProceduralScene { scene, truth } = case.build(&variant).expect("a scene");
        for keep_inside in [false, true] {
            let context = format!("{}, {variant:?}, keep inside {keep_inside}", case.name);
            let settings = BakeSettings {
                method,
                keep_inside,
                agent: Agent::default(),
                ..BakeSettings::default()
            };
            let mesh = match bake(&scene, &settings) {
                Ok(mesh) => mesh,
                Err(BakeError::NothingLeft { .. }) => continue,
                Err(error) => panic!("{context}: {error}"),
            };
            let report = judge(&mesh, &scene);
            let query = Query::new(&mesh);
            let component = |cell: u32| mesh.cell_component(surefoot_mesh::CellId(cell));
            let named = report.unsound.iter().filter(|u| u.reason == Reason::Inside);
            let named: Vec<u32> = named.map(|u| component(u.cell)).collect();
            for at in &truth.free_points {
                if component_at(&mesh, &query, *at).is_some_and(|c| named.contains(&c)) {
                    faults.push(format!("{context}: {at:?} is called inside"));
                }
            }
            for at in &truth.blocked_points {
                match component_at(&mesh, &query, *at) {
                    Some(c) if named.contains(&c) => named_rightly += 1,
                    Some(_) => faults.push(format!("{context}: {at:?} is not called inside")),
                    None => {}
                }
            }
            let (sound, complete) = (report.sound.value(), report.complete.value());
            if !keep_inside && (report.inside_m2 > 0.0 || sound < LEAST_SOUND) {
                let inside_m2 = report.inside_m2;
                let first = report.unsound.first();
                faults.push(format!(
                    "{context}: sound {sound:.4}, {inside_m2:.1} m² inside, {first:?}"
                ));
            }
            if complete < LEAST_COMPLETE {
                let first = report.uncovered.first();
                faults.push(format!("{context}: complete {complete:.4}, {first:?}"));
            }
        }
    }
    (faults, named_rightly)
}

fn every_case_is_judged_right(method: Method) {
    let (mut wrong, mut named_rightly) = (Vec::new(), 0);
    for case in cases() {
        let (faults, named) = faults(case, method);
        wrong.extend(faults);
        named_rightly += named;
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    // Without the rule many a crate has a floor: so the checker is asked.
    assert!(named_rightly >= 40, "{named_rightly}");
}

#[test]
fn exact_meshes_are_judged_right() {
    every_case_is_judged_right(Method::Exact(ExactSettings::default()));
}

#[test]
fn voxel_meshes_are_judged_right() {
    every_case_is_judged_right(Method::Voxel(VoxelSettings::default()));
}

#[test]
fn layered_meshes_are_judged_right() {
    every_case_is_judged_right(Method::Layered(LayeredSettings::default()));
}
