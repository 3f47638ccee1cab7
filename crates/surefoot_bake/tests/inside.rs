//! Inside is not ground, and what is not inside stays: every case by every method.

use surefoot_bake::{Agent, BakeError, BakeSettings, ExactSettings, LayeredSettings, Method};
use surefoot_bake::{VoxelSettings, bake};
use surefoot_mesh::Query;
use surefoot_testing_scenes::inside::{InsideCase, cases};
use surefoot_testing_scenes::{ProceduralScene, Variant};

/// How far above or below a point its ground may lie, in metres.
const WINDOW_M: f64 = 0.25;

fn variants() -> [Variant; 5] {
    let clean = Variant::default();
    [
        clean,
        Variant { rotate_deg: 17.3, shatter: 2, ..clean },
        Variant { rotate_deg: 45.0, jitter_m: 0.0004, ..clean },
        Variant { rotate_deg: 71.9, jitter_m: 0.0004, dirty: true, ..clean },
        Variant { rotate_deg: -33.0, shatter: 1, jitter_m: 0.0004, dirty: true, ..clean },
    ]
}

fn is_on(query: &Query<'_>, at: [f64; 3]) -> bool {
    query.nearest(at, [1e-3, WINDOW_M, 1e-3]).is_some()
}

/// What is wrong with a case, in words.
fn faults(case: &InsideCase, settings: &BakeSettings) -> Vec<String> {
    // Walls of jittered triangles have cracks of half a millimetre. A line from pixel to pixel may find
    // a way through, which a radius of more than a pixel closes.
    let narrow_m = if matches!(settings.method, Method::Layered(_)) { 0.15 } else { 0.0 };
    let mut faults = Vec::new();
    for variant in variants() {
        let ProceduralScene { scene, truth } = case.build(&variant).expect("a scene");
        for radius_m in [narrow_m, 0.3] {
            let agent = Agent { radius_m, ..Agent::default() };
            let settings = BakeSettings { agent, ..settings.clone() };
            let context = format!("{}, {variant:?}, radius {radius_m}", case.name);
            let mesh = match bake(&scene, &settings) {
                Ok(mesh) => mesh,
                Err(BakeError::NothingLeft { .. }) => {
                    faults.push(format!("{context}: no ground"));
                    continue;
                }
                Err(error) => panic!("{context}: {error}"),
            };
            let mut query = Query::new(&mesh);
            for &at in &truth.free_points {
                if !is_on(&query, at) {
                    faults.push(format!("{context}: {at:?} is ground"));
                }
            }
            for &at in &truth.blocked_points {
                if is_on(&query, at) {
                    faults.push(format!("{context}: {at:?} is none"));
                }
            }
            for pair in &truth.pairs {
                let connected = query.find_path(pair.from, pair.to).is_ok();
                if connected != pair.connected {
                    faults.push(format!("{context}: {}", pair.what));
                }
            }
        }
    }
    faults
}

fn every_case_is_right(method: Method) {
    let settings = BakeSettings { method, ..BakeSettings::default() };
    let faults: Vec<String> = cases().iter().flat_map(|case| faults(case, &settings)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn exact_tells_inside_from_outside() {
    every_case_is_right(Method::Exact(ExactSettings::default()));
}

#[test]
fn voxel_tells_inside_from_outside() {
    every_case_is_right(Method::Voxel(VoxelSettings::default()));
}

#[test]
fn layered_tells_inside_from_outside() {
    every_case_is_right(Method::Layered(LayeredSettings::default()));
}

/// Without the rule many a crate has a floor: so the cases can fail.
#[test]
fn ground_inside_is_kept_where_it_is_asked_for() {
    let settings = BakeSettings { keep_inside: true, ..BakeSettings::default() };
    let sunk = cases().iter().find(|c| c.name == "crate sunk 1 cm").expect("a case");
    let faults = faults(sunk, &settings);
    assert!(faults.len() >= variants().len(), "{faults:?}");
    assert!(faults.iter().all(|f| f.ends_with("is none")), "{faults:?}");
}
