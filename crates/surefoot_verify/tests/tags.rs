//! Tags decide where geometry cannot: by every method, and in the checker's eyes.

use surefoot_bake::{
    Agent, BakeSettings, ExactSettings, LayeredSettings, Method, VoxelSettings, bake,
};
use surefoot_mesh::{NavMesh, Query};
use surefoot_scene::{Scene, SceneBuilder};
use surefoot_verify::{VerifySettings, verify};

fn quad(b: &mut SceneBuilder, [p, q, r, s]: [[f64; 3]; 4]) {
    b.triangle([p, q, r]).triangle([p, r, s]);
}

/// A closed box.
fn block(b: &mut SceneBuilder, [x0, y0, z0]: [f64; 3], [x1, y1, z1]: [f64; 3]) {
    quad(b, [[x0, y1, z1], [x1, y1, z1], [x1, y1, z0], [x0, y1, z0]]);
    quad(b, [[x0, y0, z0], [x1, y0, z0], [x1, y0, z1], [x0, y0, z1]]);
    quad(b, [[x0, y0, z1], [x1, y0, z1], [x1, y1, z1], [x0, y1, z1]]);
    quad(b, [[x1, y0, z0], [x0, y0, z0], [x0, y1, z0], [x1, y1, z0]]);
    quad(b, [[x0, y0, z0], [x0, y0, z1], [x0, y1, z1], [x0, y1, z0]]);
    quad(b, [[x1, y0, z1], [x1, y0, z0], [x1, y1, z0], [x1, y1, z1]]);
}

/// A floor of 16 m with a flower bed on it, parted by a pane of glass; beside it a floor that faces down
/// and a ramp of 50°.
fn garden() -> Scene {
    let mut b = SceneBuilder::new();
    b.set_tag(Some("floor"));
    block(&mut b, [-8.0, -0.5, -8.0], [8.0, 0.0, 8.0]);
    b.set_tag(Some("garden/Flower_Bed"));
    block(&mut b, [-6.0, 0.0, -2.0], [-2.0, 0.2, 2.0]);
    b.set_tag(Some("glass"));
    block(&mut b, [1.0, 0.0, -8.0], [1.1, 3.0, 8.0]);
    b.set_tag(Some("turned"));
    quad(&mut b, [[20.0, 0.0, -3.0], [26.0, 0.0, -3.0], [26.0, 0.0, 3.0], [20.0, 0.0, 3.0]]);
    b.set_tag(Some("ramp"));
    let rise = 4.0 * 50.0_f64.to_radians().tan();
    quad(&mut b, [[30.0, 0.0, 4.0], [34.0, rise, 4.0], [34.0, rise, -4.0], [30.0, 0.0, -4.0]]);
    b.finish()
}

const BED_TOP: [f64; 3] = [-4.0, 0.2, 0.0];
const UNDER_BED: [f64; 3] = [-4.0, 0.0, 0.3];
const WEST: [f64; 3] = [-1.0, 0.0, 5.0];
const EAST: [f64; 3] = [5.0, 0.0, 5.0];
const TURNED: [f64; 3] = [23.0, 0.0, 0.0];
const RAMP: [f64; 3] = [32.0, 2.3835, 0.0];

fn is_on(mesh: &NavMesh, at: [f64; 3]) -> bool {
    Query::new(mesh).nearest(at, [1e-3, 0.09, 1e-3]).is_some()
}

fn methods() -> [Method; 3] {
    [
        Method::Exact(ExactSettings::default()),
        Method::Voxel(VoxelSettings::default()),
        Method::Layered(LayeredSettings::default()),
    ]
}

fn settings(method: Method) -> BakeSettings {
    BakeSettings { method, agent: Agent::default(), ..BakeSettings::default() }
}

fn with_tags(method: Method) -> BakeSettings {
    let words = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect();
    BakeSettings {
        ignore: words(&["GLASS"]),
        obstacle: words(&["*bed*"]),
        ground: words(&["turned", "ramp"]),
        ..settings(method)
    }
}

#[test]
fn without_rules_slope_and_side_decide() {
    for method in methods() {
        let mesh = bake(&garden(), &settings(method)).unwrap();
        let found = [BED_TOP, TURNED, RAMP].map(|at| is_on(&mesh, at));
        assert_eq!(found, [true, false, false], "{method:?}");
        assert!(Query::new(&mesh).find_path(WEST, EAST).is_err(), "{method:?}");
    }
}

#[test]
fn tags_leave_out_forbid_and_allow() {
    let scene = garden();
    for method in methods() {
        let mesh = bake(&scene, &with_tags(method)).unwrap();
        let found = [BED_TOP, UNDER_BED, TURNED, RAMP].map(|at| is_on(&mesh, at));
        assert_eq!(found, [false, false, true, true], "{method:?}");
        assert!(Query::new(&mesh).find_path(WEST, EAST).is_ok(), "{method:?}");
        // The radius is kept from what is forbidden as from any wall.
        let wall = Query::new(&mesh).nearest(BED_TOP, [5.0, 1.0, 5.0]).unwrap().point;
        let away = [0, 2].map(|k| (wall[k] - BED_TOP[k]).abs()).into_iter().fold(0.0, f64::max);
        assert!((2.25..2.6).contains(&away), "{method:?}: {away}");
    }
}

/// The checker follows what the mesh says of tags, and finds fault where it says nothing of them.
#[test]
fn the_checker_hears_the_tags() {
    let scene = garden();
    for method in methods() {
        let mesh = bake(&scene, &with_tags(method)).unwrap();
        let mut data = mesh.into_data();
        let build = data.build.unwrap();
        let held = VerifySettings { samples: 4000, ..VerifySettings::for_build(&build) };
        let report = verify(&data, &scene, &held, &|_| {});
        assert!(report.passes(0.999, 0.99), "{method:?}: {report:?}");
        data.tag_rules = Default::default();
        let report = verify(&data, &scene, &held, &|_| {});
        assert!(report.sound.value() < 0.95 && report.complete.value() < 0.97, "{report:?}");
    }
}

#[test]
fn rules_come_back_from_a_file() {
    let mesh = bake(&garden(), &with_tags(Method::Exact(ExactSettings::default()))).unwrap();
    let again = NavMesh::from_bytes(&mesh.to_bytes()).unwrap();
    assert_eq!(again.data().tag_rules, mesh.data().tag_rules);
    assert_eq!(again.data().tag_rules.obstacle, ["*bed*"]);
    assert_eq!(again.to_bytes(), mesh.to_bytes());
}
