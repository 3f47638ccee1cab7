//! The checker itself is checked: good meshes are damaged in many ways, and it must find each, in
//! the part of the report where it belongs. A good mesh must pass without a single fault.

mod damages;

use damages::{Damage, Part, all};
use std::collections::BTreeMap;
use surefoot_bake::{BakeSettings, bake};
use surefoot_mesh::{Agent, NavMeshData};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};
use surefoot_verify::{Report, VerifySettings, check_structure, verify};

fn scene(name: &str, size: u32, rotate_deg: f64) -> Scene {
    let variant = Variant { size: Some(size), rotate_deg, ..Variant::default() };
    build(name, &variant).unwrap().scene
}

fn mesh(scene: &Scene, agent: Agent) -> NavMeshData {
    bake(scene, &BakeSettings { agent, ..BakeSettings::default() }).unwrap().into_data()
}

fn check(mesh: &NavMeshData, scene: &Scene, samples: u64) -> Report {
    verify(mesh, scene, &VerifySettings { samples, ..VerifySettings::default() }, &|_| {})
}

/// Samples for each mesh.
const SAMPLES: u64 = 2000;

/// Whether a part of a report speaks of a fault.
fn finds(report: &Report, part: Part) -> bool {
    match part {
        Part::Sound => report.sound.passed < report.sound.counted && !report.unsound.is_empty(),
        Part::Complete => {
            report.complete.passed < report.complete.counted && !report.uncovered.is_empty()
        }
        Part::Connection => report.connection_fault_count > 0,
        Part::Structure(name) => report.structure_faults.iter().any(|f| f.kind.name() == name),
    }
}

#[test]
fn every_kind_of_damage_is_found_on_three_scenes() {
    let damages = all();
    assert!(damages.len() >= 30, "only {} kinds of damage", damages.len());
    let mut scenes: BTreeMap<(&str, u32), (Scene, NavMeshData, Report)> = BTreeMap::new();
    let mut missed = Vec::new();
    for Damage { name, part, on, make } in &damages {
        assert!(on.len() >= 3, "{name}: three scenes at least");
        for &(scene_name, size) in *on {
            let (scene, good, report) = scenes.entry((scene_name, size)).or_insert_with(|| {
                let scene = scene(scene_name, size, 0.0);
                let mesh = mesh(&scene, Agent::default());
                let report = check(&mesh, &scene, SAMPLES);
                (scene, mesh, report)
            });
            // What the good mesh is blamed for as well proves nothing.
            if finds(report, *part) {
                missed.push(format!("{scene_name} is blamed without {name}"));
            }
            let damaged = make(scene, good.clone());
            assert_ne!(damaged, *good, "{name} on {scene_name} changes nothing");
            let found = match part {
                // Structure needs no scene.
                Part::Structure(fault) => {
                    check_structure(&damaged, 1.0).iter().any(|f| f.kind.name() == *fault)
                }
                part => finds(&check(&damaged, scene, SAMPLES), *part),
            };
            if !found {
                missed.push(format!("{name} on {scene_name} is not found"));
            }
        }
    }
    assert!(missed.is_empty(), "\n  {}", missed.join("\n  "));
}

#[test]
fn good_meshes_of_scenes_with_known_answers_raise_no_alarm() {
    let mut alarms = Vec::new();
    for (name, size) in [
        ("doorways", 3),
        ("pillars", 3),
        ("maze", 5),
        ("overhang", 1),
        ("spiral-maze", 1),
        ("holes", 1),
        ("cube", 3),
    ] {
        for rotate_deg in [0.0, 17.3, 45.0, 71.9] {
            let scene = scene(name, size, rotate_deg);
            let report = check(&mesh(&scene, Agent::default()), &scene, SAMPLES);
            if !report.passes(1.0, 1.0) {
                alarms.push(format!("{name} at {rotate_deg}°: {report:#?}"));
            }
        }
    }
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}
