//! The layered pipeline on procedural scenes: beside the exact one, with seeds, on any number of
//! threads, and against closed forms.

use surefoot_bake::{
    Agent, BakeSettings, Baked, Baker, BuildMethod, LayeredSettings, Method, Warning,
};
use surefoot_mesh::{NavMesh, Query};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{ProceduralScene, Variant, build};

const FINE_CELL_M: f64 = 0.05;

fn scene(name: &str, size: u32, rotate_deg: f64) -> ProceduralScene {
    let size = (size > 0).then_some(size);
    build(name, &Variant { size, rotate_deg, seed: 1, ..Variant::default() }).expect("a scene")
}

fn settings_for(scene: &ProceduralScene, method: BuildMethod, wider_m: f64) -> BakeSettings {
    let known = &scene.truth.agent;
    BakeSettings {
        agent: Agent {
            height_m: known.height_m,
            radius_m: (known.radius_m + wider_m).max(0.0),
            max_slope_rad: known.max_slope_deg.to_radians(),
            max_step_m: known.max_step_m,
        },
        method: match method {
            BuildMethod::Layered => Method::Layered(LayeredSettings {
                fine_cell_size_m: FINE_CELL_M,
                ..LayeredSettings::default()
            }),
            other => other.into(),
        },
        ..BakeSettings::default()
    }
}

fn bake(scene: &ProceduralScene, settings: &BakeSettings) -> Baked {
    let baked = Baker::new(settings).bake(&scene.scene).expect("the scene builds");
    let lost = |w: &&Warning| matches!(w, Warning::FaceLost { .. });
    assert!(!baked.report.warnings.iter().any(|w| lost(&w)), "{:?}", baked.report.warnings);
    baked
}

/// Random places on a mesh, in the user's frame.
fn places_on(mesh: &NavMesh) -> Vec<[f64; 3]> {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut query = Query::new(mesh);
    (0..100).filter_map(|_| query.random_point(&mut random).map(|p| p.point)).collect()
}

/// Whether one place can be reached from another on a mesh, both moved onto it where they are near.
fn joined(query: &Query<'_>, p: [f64; 3], q: [f64; 3], near: [f64; 3]) -> Option<bool> {
    let (p, q) = (query.nearest(p, near)?, query.nearest(q, near)?);
    query.reachable(p.point, q.point)
}

/// On how many pairs of places the meshes of two pipelines agree whether one can be reached from the
/// other, and of how many. Left out: places that only one of them holds within two cells, and pairs
/// whose answer a grid of such cells cannot know, because it is another one for an agent two cells
/// thinner than for one two cells wider.
fn agreement(
    exact: &NavMesh,
    layered: &NavMesh,
    exact_thin_and_wide: [&NavMesh; 2],
) -> (usize, usize) {
    let near = [2.0 * FINE_CELL_M, 0.2, 2.0 * FINE_CELL_M];
    let farther = [5.0 * FINE_CELL_M, 0.5, 5.0 * FINE_CELL_M];
    let (a, b) = (Query::new(exact), Query::new(layered));
    let bounds = exact_thin_and_wide.map(Query::new);
    let places = places_on(exact);
    let (mut same, mut all) = (0, 0);
    for (i, &p) in places.iter().enumerate() {
        for &q in places.iter().skip(i + 1).step_by(7) {
            let (Some(by_exact), Some(by_layered)) =
                (joined(&a, p, q, near), joined(&b, p, q, near))
            else {
                continue;
            };
            let [thin, wide] = [0, 1].map(|k| joined(&bounds[k], p, q, farther));
            if thin == wide {
                all += 1;
                same += usize::from(by_exact == by_layered);
            }
        }
    }
    (same, all)
}

#[test]
fn ground_and_ways_are_those_of_the_exact_pipeline() {
    let mut wrong = Vec::new();
    for (name, size) in [
        ("testmap-0", 0),
        ("testmap-1", 0),
        ("doorways", 6),
        ("stairs", 3),
        ("spiral-stairs", 0),
        ("overhang", 0),
        ("pillars", 3),
        ("kerbs", 0),
        ("town-house", 0),
        ("open-stairs", 0),
    ] {
        let scene = scene(name, size, 0.0);
        let two_cells_m = 2.0 * FINE_CELL_M;
        let [thin, exact, wide] = [-two_cells_m, 0.0, two_cells_m]
            .map(|wider| bake(&scene, &settings_for(&scene, BuildMethod::Exact, wider)).mesh);
        let layered = bake(&scene, &settings_for(&scene, BuildMethod::Layered, 0.0)).mesh;
        let ratio = layered.area_m2() / exact.area_m2();
        if !(0.98..=1.02).contains(&ratio) {
            wrong.push(format!("{name}: {} of {} m²", layered.area_m2(), exact.area_m2()));
        }
        let (same, all) = agreement(&exact, &layered, [&thin, &wide]);
        if (same as f64) < 0.99 * all as f64 || all < 50 {
            wrong.push(format!("{name}: {same} of {all} pairs agree"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Treads apart in plan, some of them askew to the grid or in columns of their own.
#[test]
fn floating_steps_are_climbed_where_the_exact_pipeline_climbs_them() {
    let scene = scene("platforms", 0, 0.0);
    let bake_with = |method: BuildMethod, wider_m: f64| {
        let mut settings = settings_for(&scene, method, 0.0);
        settings.agent.radius_m = BakeSettings::default().agent.radius_m + wider_m;
        bake(&scene, &settings).mesh
    };
    let two_cells_m = 2.0 * FINE_CELL_M;
    let [thin, exact, wide] =
        [-two_cells_m, 0.0, two_cells_m].map(|wider| bake_with(BuildMethod::Exact, wider));
    let layered = bake_with(BuildMethod::Layered, 0.0);
    let (same, all) = agreement(&exact, &layered, [&thin, &wide]);
    assert!(all >= 50 && same as f64 >= 0.99 * all as f64, "{same} of {all} pairs agree");
}

/// Quadrilaterals, each with its corners in order, as a scene.
fn scene_of(faces: &[[[f64; 3]; 4]]) -> Scene {
    let points: Vec<[f32; 3]> = faces.iter().flatten().map(|p| p.map(|v| v as f32)).collect();
    let triangles: Vec<[u32; 3]> = (0..faces.len() as u32)
        .flat_map(|f| [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|k| 4 * f + k)))
        .collect();
    Scene::from_triangles(&points, &triangles).expect("a scene")
}

/// A level rectangle that faces up.
fn level(x: [f64; 2], y: f64, z: [f64; 2]) -> [[f64; 3]; 4] {
    [[x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]], [x[0], y, z[0]]]
}

/// Cracks below the gap distance, of which some run along the middles of pixels.
#[test]
fn a_floor_with_cracks_is_one_floor() {
    let pitch_m = 0.337;
    let strips: Vec<_> = (0..12)
        .map(|k| f64::from(k) * pitch_m)
        .map(|x| level([x, x + pitch_m - 0.008], 0.0, [0.0, 3.0]))
        .collect();
    let settings = BakeSettings { method: BuildMethod::Layered.into(), ..BakeSettings::default() };
    let mesh = Baker::new(&settings).bake(&scene_of(&strips)).expect("builds").mesh;
    let expected_m2 = (12.0 * pitch_m - 0.6) * 2.4;
    let ratio = mesh.area_m2() / expected_m2;
    assert!((0.98..1.02).contains(&ratio), "{} of {expected_m2} m²", mesh.area_m2());
}

/// Thin rods above the ground, low enough to be stepped over: along their rim what faces up and what
/// faces down run together.
#[test]
fn round_rods_are_stepped_over() {
    let mut faces = vec![level([0.0, 6.0], 0.0, [0.0, 4.0])];
    for k in 0..10 {
        let (x, y, radius) = (0.8 + 0.453 * f64::from(k), 0.2, 0.018);
        let rim = |i: u32| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::FRAC_PI_4).sin_cos();
            [x + radius * cos, y + radius * sin]
        };
        for i in 0..8 {
            let ([ax, ay], [bx, by]) = (rim(i), rim(i + 1));
            faces.push([[bx, by, 1.0], [bx, by, 3.0], [ax, ay, 3.0], [ax, ay, 1.0]]);
        }
    }
    let scene = scene_of(&faces);
    let area_m2 = |method: BuildMethod| {
        let settings = BakeSettings { method: method.into(), ..BakeSettings::default() };
        Baker::new(&settings).bake(&scene).expect("builds").mesh.area_m2()
    };
    let (layered, exact) = (area_m2(BuildMethod::Layered), area_m2(BuildMethod::Exact));
    assert!((0.98..1.02).contains(&(layered / exact)), "{layered} of {exact} m²");
    assert!(exact > 0.9 * 5.4 * 3.4, "{exact} m²");
}

/// The sides and the top of a box on a square around the origin, turned about the vertical.
fn turned_box(half_m: f64, y: [f64; 2], turn_rad: f64) -> Vec<[[f64; 3]; 4]> {
    let corner = |k: usize, y: f64| {
        let (x, z) = ([1.0, 1.0, -1.0, -1.0][k % 4], [1.0, -1.0, -1.0, 1.0][k % 4]);
        let (sin, cos) = turn_rad.sin_cos();
        [half_m * (x * cos + z * sin), y, half_m * (z * cos - x * sin)]
    };
    let side = |k: usize| [(k, 0), (k + 1, 0), (k + 1, 1), (k, 1)].map(|(k, i)| corner(k, y[i]));
    let top = [0, 1, 2, 3].map(|k| corner(k, y[1]));
    (0..4).map(side).chain([top]).collect()
}

/// A mattress more than one step above the floor, on a board that stands out from under it by half a
/// centimetre, a tenth of a pixel.
#[test]
fn a_tread_narrower_than_a_pixel_is_a_tread() {
    let connects = |method: BuildMethod, board_m: f64, out_m: f64, turn_rad: f64| {
        let mut faces = vec![level([-3.0, 3.0], 0.0, [-3.0, 3.0])];
        faces.extend(turned_box(1.0 + out_m, [0.0, board_m], turn_rad));
        faces.extend(turned_box(1.0, [board_m, 0.58], turn_rad));
        let settings = BakeSettings { method: method.into(), ..BakeSettings::default() };
        let mesh = Baker::new(&settings).bake(&scene_of(&faces)).expect("builds").mesh;
        joined(&Query::new(&mesh), [2.2, 0.0, 2.2], [0.0, 0.58, 0.0], [0.1; 3])
    };
    for turn_deg in [0.0, 30.0_f64] {
        for (board_m, out_m, expected) in
            [(0.28, 0.005, Some(true)), (0.28, 0.0, Some(false)), (0.15, 0.005, Some(false))]
        {
            let found = [BuildMethod::Exact, BuildMethod::Layered]
                .map(|method| connects(method, board_m, out_m, turn_deg.to_radians()));
            assert_eq!(found, [expected; 2], "{board_m} m high, {out_m} m out, {turn_deg}°");
        }
    }
}

/// Slivers that face down, low above the ground and narrower than the gap distance; one twice as wide as
/// that ends the ground.
#[test]
fn low_lips_narrower_than_the_gap_distance_are_stepped_over() {
    let area_m2 = |width_m: f64| {
        let mut faces = vec![level([0.0, 4.0], 0.0, [0.0, 3.0])];
        faces.extend((1..12).map(|k| f64::from(k) * 0.337).map(|x| {
            let mut lip = level([x, x + width_m], 0.1, [0.0, 3.0]);
            lip.reverse();
            lip
        }));
        let settings =
            BakeSettings { method: BuildMethod::Layered.into(), ..BakeSettings::default() };
        let baked = Baker::new(&settings).bake(&scene_of(&faces));
        baked.map_or(0.0, |b| b.mesh.area_m2())
    };
    let expected_m2 = 3.4 * 2.4;
    let found = area_m2(0.008);
    assert!((0.98..1.02).contains(&(found / expected_m2)), "{found} of {expected_m2} m²");
    let found = area_m2(0.02);
    assert!(found < 0.5 * expected_m2, "{found} of {expected_m2} m² under wide lips");
}

#[test]
fn a_roof_that_no_seed_reaches_disappears() {
    let scene = scene("testmap-0", 0, 0.0);
    let mut settings = settings_for(&scene, BuildMethod::Layered, 0.0);
    // On a block 2.5 m high, beside the bridge.
    let (roof, ground) = ([7.5, 2.5, 3.5], [15.0, 0.0, 18.0]);
    let near = [0.1, 0.3, 0.1];
    let all = bake(&scene, &settings).mesh;
    assert!(Query::new(&all).nearest(roof, near).is_some());
    settings.seeds = vec![ground];
    let seeded = bake(&scene, &settings);
    let mut query = Query::new(&seeded.mesh);
    assert!(query.nearest(roof, near).is_none(), "the roof is gone");
    assert!(query.nearest(ground, near).is_some(), "the ground is there");
    assert!(query.find_path(ground, [15.0, 3.0, 9.5]).is_ok(), "the bridge is there");
    let layers = |baked: &Baked| {
        let stage = baked.report.stages.iter().find(|s| s.name == "keep_reachable");
        stage.and_then(|s| s.counts.iter().find(|c| c.0 == "layers")).map_or(0.0, |c| c.1)
    };
    settings.seeds = Vec::new();
    assert!(layers(&seeded) < layers(&bake(&scene, &settings)), "its layer was never refined");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for name in ["testmap-1", "spiral-stairs"] {
        let scene = scene(name, 0, 17.3);
        let settings = settings_for(&scene, BuildMethod::Layered, 0.0);
        let bytes = |threads: usize| {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| bake(&scene, &settings).mesh.to_bytes())
        };
        let one = bytes(1);
        assert!(one == bytes(2), "{name} on 2 threads");
        assert!(one == bytes(5), "{name} on 5 threads");
    }
}

/// What differs from the closed form by more than a fine cell, in words: an agent thinner by a cell
/// must come through wherever the truth says so, and one wider by a cell nowhere where it says no.
fn differences(scene: &ProceduralScene) -> Vec<String> {
    let truth = &scene.truth;
    let both = [-FINE_CELL_M, FINE_CELL_M].map(|wider| {
        let settings = settings_for(scene, BuildMethod::Layered, wider);
        bake(scene, &BakeSettings { min_area_m2: 0.0, ..settings }).mesh
    });
    let [mut thin, mut wide] = [Query::new(&both[0]), Query::new(&both[1])];
    let mut out = Vec::new();
    for pair in truth.pairs.iter().filter(|p| p.gap_reach_m <= 0.0) {
        if pair.connected {
            if let Err(e) = thin.find_path(pair.from, pair.to) {
                out.push(format!("{e}: {}", pair.what));
            }
        } else if wide.find_path(pair.from, pair.to).is_ok() {
            out.push(format!("connected: {}", pair.what));
        }
    }
    let near = [0.005, 0.3, 0.005];
    for p in truth.free_points.iter().filter(|p| thin.nearest(**p, near).is_none()) {
        out.push(format!("free point {p:?} is off the mesh"));
    }
    for p in truth.eroded_points.iter().chain(&truth.blocked_points) {
        if wide.nearest(*p, near).is_some() {
            out.push(format!("blocked point {p:?} is on the mesh"));
        }
    }
    if let Some(area) = truth.eroded_area_m2 {
        let (most, least) = (both[0].area_m2(), both[1].area_m2());
        if !(least <= area && area <= most) {
            out.push(format!("between {least} and {most} m² instead of {area}"));
        }
    }
    out
}

#[test]
fn closed_forms_hold_within_a_fine_cell_at_odd_angles() {
    let mut wrong = Vec::new();
    for (name, size) in [
        ("doorways", 6),
        ("overhang", 1),
        ("stairs", 3),
        ("open-stairs", 3),
        ("pillars", 3),
        ("kerbs", 1),
    ] {
        for rotate_deg in [0.0, 17.3, 45.0] {
            let scene = scene(name, size, rotate_deg);
            let found = differences(&scene);
            wrong.extend(found.into_iter().map(|d| format!("{name}, {rotate_deg}°: {d}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
