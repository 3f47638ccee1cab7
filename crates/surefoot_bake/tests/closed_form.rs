//! Builds scenes whose answers are known in closed form and compares with truth: at several angles,
//! clean, shattered into T-junctions, jittered and dirty.

use surefoot_bake::{Agent, BakeSettings, Baked, Baker, ExactSettings, Stairs};
use surefoot_mesh::{CellKind, Query};
use surefoot_testing_scenes::{ProceduralScene, Variant, build};

const ANGLES_DEG: [f64; 5] = [0.0, 17.3, 45.0, 71.9, 203.1];

/// How a scene comes, and in words.
fn variants() -> [(&'static str, Variant); 4] {
    let clean = Variant { seed: 1, ..Variant::default() };
    [
        ("clean", clean),
        ("shattered", Variant { shatter: 3, ..clean }),
        ("jittered", Variant { jitter_m: 0.0004, ..clean }),
        ("dirty", Variant { dirty: true, ..clean }),
    ]
}

fn bake_scene(scene: &ProceduralScene, stairs: Stairs) -> Baked {
    let known = &scene.truth.agent;
    let settings = BakeSettings {
        agent: Agent {
            height_m: known.height_m,
            radius_m: known.radius_m,
            max_slope_rad: known.max_slope_deg.to_radians(),
            max_step_m: known.max_step_m,
        },
        min_area_m2: 0.0,
        method: ExactSettings { stairs, ..ExactSettings::default() }.into(),
        ..BakeSettings::default()
    };
    Baker::new(&settings).bake(&scene.scene).expect("the scene builds")
}

/// What differs from the truth, in words.
fn differences(scene: &ProceduralScene, baked: &Baked) -> Vec<String> {
    let truth = &scene.truth;
    let mut query = Query::new(&baked.mesh);
    let mut out: Vec<String> = baked.report.warnings.iter().map(ToString::to_string).collect();
    for pair in truth.pairs.iter().filter(|p| p.gap_reach_m <= 0.0) {
        match query.find_path(pair.from, pair.to) {
            Ok(_) if !pair.connected => out.push(format!("connected: {}", pair.what)),
            Ok(path) => {
                if let Some(length) = pair.path_length_m
                    && (path.length_m / length - 1.0).abs() > 0.12
                {
                    out.push(format!(
                        "{} m long instead of {length}: {}",
                        path.length_m, pair.what
                    ));
                }
            }
            Err(e) if pair.connected => out.push(format!("{e}: {}", pair.what)),
            Err(_) => {}
        }
    }
    // Points are asked for within 5 mm in plan.
    let near = [0.005, 0.3, 0.005];
    for p in &truth.free_points {
        if query.nearest(*p, near).is_none() {
            out.push(format!("free point {p:?} is off the mesh"));
        }
    }
    for p in truth.eroded_points.iter().chain(&truth.blocked_points) {
        if query.nearest(*p, near).is_some() {
            out.push(format!("blocked point {p:?} is on the mesh"));
        }
    }
    // The mesh ends one radius from an edge of the ground, within 5 mm.
    for edge in &truth.edges {
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (edge.a[k] + edge.b[k]));
        let away = |d: f64| std::array::from_fn::<f64, 3, _>(|k| middle[k] + edge.free_side[k] * d);
        let exact = [0.0005, 0.3, 0.0005];
        if query.nearest(away(truth.agent.radius_m + 0.005), exact).is_none() {
            out.push(format!("the mesh ends too early at: {}", edge.what));
        }
        if query.nearest(away(truth.agent.radius_m - 0.005), exact).is_some() {
            out.push(format!("the mesh ends too late at: {}", edge.what));
        }
    }
    if let Some(area) = truth.eroded_area_m2 {
        let got = baked.mesh.area_m2();
        if (got / area - 1.0).abs() > 0.002 {
            out.push(format!("{got} m² instead of {area}"));
        }
    }
    out
}

fn check(name: &str, size: Option<u32>) {
    check_with(name, size, Stairs::Steps);
}

fn check_with(name: &str, size: Option<u32>, stairs: Stairs) {
    let mut wrong = Vec::new();
    for (how, variant) in variants() {
        for rotate_deg in ANGLES_DEG {
            let scene =
                build(name, &Variant { size, rotate_deg, ..variant }).expect("the scene exists");
            for difference in differences(&scene, &bake_scene(&scene, stairs)) {
                wrong.push(format!("{name}, {how}, {rotate_deg}°: {difference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn doors_one_centimetre_wider_than_the_agent_are_doors() {
    check("doorways", None);
}

#[test]
fn the_spiral_maze_reaches_its_centre() {
    check("spiral-maze", Some(2));
}

#[test]
fn ground_ends_where_head_room_does() {
    check("overhang", None);
}

#[test]
fn stairs_connect_up_to_the_step_and_not_above() {
    check("stairs", Some(5));
}

#[test]
fn winding_stairs_connect_up_to_the_step_and_not_above() {
    check("spiral-stairs", Some(10));
}

#[test]
fn treads_apart_in_plan_connect_up_to_the_step_and_not_above() {
    check("open-stairs", Some(5));
}

#[test]
fn ramps_cover_stairs_up_to_the_step_and_not_above() {
    check_with("stairs", Some(5), Stairs::Ramps);
}

#[test]
fn ramps_cover_winding_stairs_up_to_the_step_and_not_above() {
    check_with("spiral-stairs", Some(10), Stairs::Ramps);
}

#[test]
fn ramps_cover_treads_apart_in_plan_up_to_the_step_and_not_above() {
    check_with("open-stairs", Some(5), Stairs::Ramps);
}

#[test]
fn ramps_lead_up_kerbs_and_thresholds() {
    check_with("kerbs", None, Stairs::Ramps);
}

#[test]
fn between_the_foot_and_the_landing_of_a_covered_flight_there_is_no_tread() {
    let variant = Variant { size: Some(5), ..Variant::default() };
    let scene = build("stairs", &variant).expect("the scene exists");
    let mesh = bake_scene(&scene, Stairs::Ramps).mesh;
    let mut query = Query::new(&mesh);
    for pair in scene.truth.pairs.iter().filter(|p| p.connected) {
        let path = query.find_path(pair.from, pair.to).expect("the flight connects");
        let (low, high) = (pair.from[1] + 0.02, pair.to[1] - 0.02);
        for &cell in &path.cells {
            let on_ground = mesh.cell_kind(cell) == CellKind::Ground;
            for height in mesh.cell_vertices(cell).map(|v| mesh.vertex_position(v)[1]) {
                let between = (low..high).contains(&height);
                assert!(!(on_ground && between), "a tread at {height}: {}", pair.what);
            }
        }
    }
}

#[test]
fn arcs_around_pillars_have_the_right_area() {
    check("pillars", Some(4));
}

#[test]
fn a_maze_is_connected_as_its_graph_is() {
    check("maze", Some(6));
}

#[test]
fn kerbs_pebbles_and_thresholds_are_walked_over_and_pockets_are_no_ground() {
    check("kerbs", None);
}

#[test]
fn storeys_do_not_disturb_each_other() {
    let scene = build("floors", &Variant { size: Some(2), ..Variant::default() }).unwrap();
    assert_eq!(differences(&scene, &bake_scene(&scene, Stairs::Steps)), Vec::<String>::new());
}
