//! Faults that showed with agents and angles that nobody had tried, each a build that the checker must
//! pass.

use surefoot_bake::{Agent, BakeSettings, BuildMethod, bake};
use surefoot_testing_scenes::{Variant, build};
use surefoot_verify::{VerifySettings, verify};

const SLIM: Agent = Agent { radius_m: 0.1, max_step_m: 0.25, ..ORDINARY };
const WIDE: Agent = Agent { radius_m: 0.5, height_m: 1.2, max_slope_rad: 0.6, ..ORDINARY };
const ORDINARY: Agent = Agent {
    height_m: 1.8,
    radius_m: 0.3,
    max_slope_rad: std::f64::consts::FRAC_PI_4,
    max_step_m: 0.4,
};

/// Builds a scene, turned, and says what the checker does not pass.
fn check(name: &str, size: Option<u32>, rotate_deg: f64, method: BuildMethod, agent: Agent) {
    let scene = build(name, &Variant { size, rotate_deg, ..Variant::default() }).unwrap().scene;
    let settings = BakeSettings { method: method.into(), agent, ..BakeSettings::default() };
    let mesh = bake(&scene, &settings).unwrap();
    let built = VerifySettings::for_build(mesh.data().build.as_ref().unwrap());
    let report = verify(mesh.data(), &scene, &VerifySettings { samples: 6000, ..built }, &|_| {});
    assert!(report.passes(0.999, 0.99), "{:#?}", report.unsound.first());
    assert_eq!(report.connection_faults.len(), 0, "{:?}", report.connection_faults.first());
    assert_eq!(report.structure_faults.len(), 0, "{:?}", report.structure_faults.first());
}

/// A tread's corner within a gap distance of the next tread's was drawn to it, and the tread's whole
/// border with it, over nothing.
#[test]
fn a_tread_that_meets_another_at_a_corner_keeps_its_border() {
    check("platforms", None, 0.0, BuildMethod::Exact, SLIM);
}

/// Behind a cell two millimetres wide the portal's far side lay on a bridge already.
#[test]
fn a_portal_to_a_sliver_beside_a_bridge_can_be_crossed() {
    check("platforms", None, 17.3, BuildMethod::Exact, ORDINARY);
}

/// A tread of a little more than the least area has less of it in columns.
#[test]
fn a_tread_of_nearly_the_least_area_may_be_left_out_by_a_grid() {
    check("platforms", None, 17.3, BuildMethod::Voxel, ORDINARY);
}

/// From between two treads, a wide agent reaches treads that are more than a step above it.
#[test]
fn a_wide_agent_stands_between_open_treads() {
    check("open-stairs", Some(4), 0.0, BuildMethod::Exact, WIDE);
}

/// The slope of a leaning riser was followed beyond its upper edge, 16 cm above the tread.
#[test]
fn a_leaning_riser_ends_at_its_tread() {
    check("stairs", Some(4), 0.0, BuildMethod::Layered, ORDINARY);
}

/// Triangles that lead down from a tread to what was laid beside it were taken for ground.
#[test]
fn the_flank_of_a_bridge_is_no_ground() {
    check("open-stairs", Some(4), 71.9, BuildMethod::Layered, ORDINARY);
}
