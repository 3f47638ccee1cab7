//! A scene in which nothing can be walked on is an error that says why, whatever the method.

use surefoot_bake::{BakeError, BakeSettings, Baker, BuildMethod, GroundDiagnosis, bake};
use surefoot_scene::Scene;

const METHODS: [BuildMethod; 3] = [BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered];

fn scene(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Scene {
    Scene::from_triangles(points, triangles).expect("all corners are there")
}

/// A level square of ground, Y up.
fn floor(side_m: f32) -> Scene {
    let points = [[0.0, 0.0, 0.0], [side_m, 0.0, 0.0], [side_m, 0.0, side_m], [0.0, 0.0, side_m]];
    scene(&points, &[[0, 2, 1], [0, 3, 2]])
}

fn without_ground(scene: &Scene, settings: &BakeSettings) -> GroundDiagnosis {
    match Baker::new(settings).bake(scene) {
        Err(BakeError::NoGround { diagnosis, report }) => {
            assert_eq!(report.method, settings.method.name());
            assert!(report.stages.last().is_some_and(|s| s.name == "validate"), "{report:?}");
            *diagnosis
        }
        other => panic!("{}: {other:?}", settings.method),
    }
}

fn with_nothing_left(scene: &Scene, settings: &BakeSettings) -> GroundDiagnosis {
    match Baker::new(settings).bake(scene) {
        Err(BakeError::NothingLeft { diagnosis, .. }) => *diagnosis,
        other => panic!("{}: {other:?}", settings.method),
    }
}

fn by(method: BuildMethod) -> BakeSettings {
    BakeSettings { method: method.into(), ..BakeSettings::default() }
}

#[test]
fn a_floor_wound_the_wrong_way() {
    let points = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 0.0, 10.0], [0.0, 0.0, 10.0]];
    let turned = scene(&points, &[[0, 1, 2], [0, 2, 3]]);
    for method in METHODS {
        let diagnosis = without_ground(&turned, &by(method));
        assert_eq!((diagnosis.facing_down.count, diagnosis.ground_turned_over.count), (2, 2));
        assert!((diagnosis.ground_turned_over.area_m2 - 100.0).abs() < 1e-6);
        assert!(diagnosis.to_string().contains("`two_sided`"), "{diagnosis}");
        // What it says is so.
        let two_sided = BakeSettings { two_sided: true, ..by(method) };
        assert!(bake(&turned, &two_sided).expect("ground").area_m2() > 80.0);
    }
}

#[test]
fn the_wrong_way_up() {
    let points = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 0.0]];
    let z_up = scene(&points, &[[0, 1, 2], [0, 2, 3]]);
    for method in METHODS {
        let diagnosis = without_ground(&z_up, &by(method));
        let (up, ground) = diagnosis.other_up.expect("another axis");
        assert_eq!((diagnosis.upright.count, ground.count), (2, 2));
        assert!(bake(&z_up, &BakeSettings { up, ..by(method) }).is_ok());
        assert!(diagnosis.to_string().contains("were it 0,0,1"), "{diagnosis}");
    }
}

#[test]
fn ground_that_is_too_small_or_too_narrow() {
    for method in METHODS {
        let settings = by(method);
        // 0.36 m² are left of it.
        let diagnosis = with_nothing_left(&floor(1.2), &settings);
        assert_eq!(diagnosis.ground.count, 2);
        if method != BuildMethod::Layered {
            let patch_m2 = diagnosis.largest_patch_m2.expect("a patch");
            assert!((patch_m2 - 0.36).abs() < 0.1, "{patch_m2} m² by {method:?}");
            assert!(diagnosis.to_string().contains("`min_area`"), "{diagnosis}");
        }
        assert!(bake(&floor(1.2), &BakeSettings { min_area_m2: 0.1, ..settings.clone() }).is_ok());
        let diagnosis = with_nothing_left(&floor(0.5), &settings);
        assert!(diagnosis.to_string().contains("`agent.radius`"), "{diagnosis}");
        // With fillers of gaps the order of stages is another.
        with_nothing_left(&floor(1.2), &BakeSettings { fill_gaps_m: 0.3, ..settings });
    }
}

#[test]
fn seeds_that_lie_on_no_ground() {
    for method in METHODS {
        let seeds = vec![[100.0, 0.0, 100.0]];
        let diagnosis = with_nothing_left(&floor(9.0), &BakeSettings { seeds, ..by(method) });
        assert_eq!((diagnosis.seeds, diagnosis.seeds_off_ground), (1, 1), "{method:?}");
        assert!(diagnosis.to_string().contains("`seeds`"), "{diagnosis}");
    }
}

#[test]
fn coordinates_that_are_no_numbers_and_no_triangles_at_all() {
    let points = [[f32::NAN, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 0.0, 9.0]];
    for method in METHODS {
        let diagnosis = without_ground(&scene(&points, &[[0, 2, 1]]), &by(method));
        assert_eq!((diagnosis.triangles(), diagnosis.non_finite), (0, 1));
        assert!(diagnosis.to_string().contains("no numbers"), "{diagnosis}");
        let diagnosis = without_ground(&scene(&points, &[[1, 1, 2]]), &by(method));
        assert_eq!((diagnosis.triangles(), diagnosis.zero_area), (0, 1));
        let diagnosis = without_ground(&scene(&[], &[]), &by(method));
        assert!(diagnosis.to_string().contains("no triangle"), "{diagnosis}");
    }
}
