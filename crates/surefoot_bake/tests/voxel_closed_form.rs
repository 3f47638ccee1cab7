//! The voxel pipeline on scenes whose answers are known in closed form, at several angles: right
//! within one and a half cells.
//!
//! An agent thinner than the truth's by that much must come through wherever the truth says so, and
//! one wider by that much nowhere where it says no; the mesh of the one holds all free points and at
//! least the true area, that of the other no blocked point and at most the true area.

use surefoot_bake::{Agent, BakeSettings, Baked, Baker, Method, VoxelSettings};
use surefoot_mesh::{CellId, Query};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{ProceduralScene, Variant, build};

const ANGLES_DEG: [f64; 5] = [0.0, 17.3, 45.0, 71.9, 203.1];
const CELL_SIZE_M: f64 = 0.05;
const CELL_HEIGHT_M: f64 = 0.025;
const ERROR_M: f64 = 1.5 * CELL_SIZE_M;

fn bake_scene(scene: &ProceduralScene, wider_m: f64) -> Baked {
    let known = &scene.truth.agent;
    let settings = BakeSettings {
        agent: Agent {
            height_m: known.height_m,
            radius_m: known.radius_m + wider_m,
            max_slope_rad: known.max_slope_deg.to_radians(),
            max_step_m: known.max_step_m,
        },
        min_area_m2: 0.0,
        method: Method::Voxel(VoxelSettings {
            cell_size_m: CELL_SIZE_M,
            cell_height_m: CELL_HEIGHT_M,
            ..VoxelSettings::default()
        }),
        ..BakeSettings::default()
    };
    Baker::new(&settings).bake(&scene.scene).expect("the scene builds")
}

/// What differs from the truth, in words.
fn differences(scene: &ProceduralScene) -> Vec<String> {
    let truth = &scene.truth;
    let (thin, wide) = (bake_scene(scene, -ERROR_M), bake_scene(scene, ERROR_M));
    let mut out: Vec<String> =
        thin.report.warnings.iter().chain(&wide.report.warnings).map(ToString::to_string).collect();
    let (mut in_thin, mut in_wide) = (Query::new(&thin.mesh), Query::new(&wide.mesh));
    for pair in truth.pairs.iter().filter(|p| p.gap_reach_m <= 0.0) {
        if pair.connected {
            if let Err(e) = in_thin.find_path(pair.from, pair.to) {
                out.push(format!("{e}: {}", pair.what));
            }
        } else if in_wide.find_path(pair.from, pair.to).is_ok() {
            out.push(format!("connected: {}", pair.what));
        }
    }
    let near = [0.005, 0.3, 0.005];
    for p in &truth.free_points {
        if in_thin.nearest(*p, near).is_none() {
            out.push(format!("free point {p:?} is off the mesh"));
        }
    }
    for p in truth.eroded_points.iter().chain(&truth.blocked_points) {
        if in_wide.nearest(*p, near).is_some() {
            out.push(format!("blocked point {p:?} is on the mesh"));
        }
    }
    for edge in &truth.edges {
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (edge.a[k] + edge.b[k]));
        let at = std::array::from_fn::<f64, 3, _>(|k| {
            middle[k] + edge.free_side[k] * truth.agent.radius_m
        });
        if in_thin.nearest(at, near).is_none() {
            out.push(format!("the mesh ends too early at: {}", edge.what));
        }
        if in_wide.nearest(at, near).is_some() {
            out.push(format!("the mesh ends too late at: {}", edge.what));
        }
    }
    if let Some(area) = truth.eroded_area_m2 {
        let (most, least) = (thin.mesh.area_m2(), wide.mesh.area_m2());
        if !(least <= area && area <= most) {
            out.push(format!("between {least} and {most} m² instead of {area}"));
        }
    }
    out
}

fn check(name: &str, size: u32) {
    let mut wrong = Vec::new();
    for rotate_deg in ANGLES_DEG {
        let variant = Variant { size: Some(size), rotate_deg, seed: 1, ..Variant::default() };
        let scene = build(name, &variant).expect("the scene exists");
        for difference in differences(&scene) {
            wrong.push(format!("{name}, {rotate_deg}°: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn doors_are_doors_within_a_cell_and_a_half() {
    check("doorways", 8);
}

#[test]
fn ground_ends_where_head_room_does_within_a_cell_and_a_half() {
    check("overhang", 1);
}

#[test]
fn stairs_connect_up_to_the_step_and_not_above() {
    check("stairs", 5);
}

#[test]
fn winding_stairs_connect_up_to_the_step_and_not_above() {
    check("spiral-stairs", 10);
}

#[test]
fn treads_apart_in_plan_connect_up_to_the_step_and_not_above() {
    check("open-stairs", 5);
}

#[test]
fn arcs_around_pillars_have_the_right_area() {
    check("pillars", 3);
}

#[test]
fn kerbs_are_stepped_over_and_balls_leave_no_pocket() {
    check("kerbs", 1);
}

#[test]
fn the_spiral_maze_reaches_its_centre() {
    check("spiral-maze", 1);
}

/// A floor of 8 by 8 m with a hole of 2 by 2 m in it, turned and moved off the grid: its triangles,
/// and its edges in plan.
fn floor_with_hole(turn_deg: f64) -> (Scene, Vec<[[f64; 2]; 2]>) {
    let (sin, cos) = turn_deg.to_radians().sin_cos();
    let at = |x: f64, z: f64| [x * cos - z * sin + 0.0371, x * sin + z * cos + 0.0137];
    let square = |r: f64| [at(-r, -r), at(r, -r), at(r, r), at(-r, r)];
    let (outer, inner) = (square(4.0), square(1.0));
    let point = |p: &[f64; 2]| [p[0] as f32, 0.0, p[1] as f32];
    let points: Vec<[f32; 3]> = outer.iter().chain(&inner).map(point).collect();
    let mut triangles = Vec::new();
    let mut edges = Vec::new();
    for k in 0..4 {
        let n = (k + 1) % 4;
        let (a, b, c, d) = (k as u32, n as u32, 4 + n as u32, 4 + k as u32);
        triangles.extend([[a, c, b], [a, d, c]]);
        edges.extend([[outer[k], outer[n]], [inner[k], inner[n]]]);
    }
    (Scene::from_triangles(&points, &triangles).expect("a floor"), edges)
}

#[test]
fn no_boundary_lies_more_than_a_cell_too_far_out() {
    let agent = Agent::default();
    for turn_deg in ANGLES_DEG {
        let (scene, ledges) = floor_with_hole(turn_deg);
        let voxel = VoxelSettings {
            cell_size_m: CELL_SIZE_M,
            cell_height_m: CELL_HEIGHT_M,
            ..VoxelSettings::default()
        };
        let settings = BakeSettings { method: voxel.into(), ..BakeSettings::default() };
        let baked = Baker::new(&settings).bake(&scene).expect("the floor builds");
        let to_ledge = |p: [f64; 2]| {
            let away = |[a, b]: &[[f64; 2]; 2]| {
                let (u, v) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
                let t = (u[0] * v[0] + u[1] * v[1]) / (u[0] * u[0] + u[1] * u[1]);
                let t = t.clamp(0.0, 1.0);
                (v[0] - t * u[0]).hypot(v[1] - t * u[1])
            };
            ledges.iter().map(away).fold(f64::INFINITY, f64::min)
        };
        let mesh = &baked.mesh;
        let mut tried = 0;
        for cell in 0..mesh.cell_count() as u32 {
            let corners: Vec<[f64; 3]> =
                mesh.cell_vertices(CellId(cell)).map(|v| mesh.vertex_position(v)).collect();
            for (k, a) in corners.iter().enumerate() {
                let b = corners[(k + 1) % corners.len()];
                for part in 0..8 {
                    let t = f64::from(part) / 8.0;
                    let p = [a[0] + t * (b[0] - a[0]), a[2] + t * (b[2] - a[2])];
                    let too_near_m = agent.radius_m - to_ledge(p);
                    assert!(too_near_m <= CELL_SIZE_M, "{turn_deg}°: {too_near_m} m at {p:?}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 100, "{tried} points");
        // As much ground as there is where a cell and a half more is kept clear.
        let (wide, narrow) =
            (8.0 - 2.0 * (agent.radius_m + ERROR_M), 2.0 + 2.0 * (agent.radius_m + ERROR_M));
        assert!(
            mesh.area_m2() >= wide * wide - narrow * narrow,
            "{turn_deg}°: {} m²",
            mesh.area_m2()
        );
    }
}
