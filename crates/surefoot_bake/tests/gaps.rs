//! Gap annotation on scenes with known answers: who is connected with whom, how large the fillers are,
//! and that the ground is what it was.

use surefoot_bake::{Agent, BakeSettings, Baked, Baker, CellShape};
use surefoot_mesh::{CellId, CellKind, NavMesh, Query};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};

/// Turned by these angles nothing may change.
const ANGLES_DEG: [f64; 5] = [0.0, 17.3, 45.0, 71.9, 123.0];

fn settings(reach_m: f64) -> BakeSettings {
    BakeSettings {
        agent: Agent { radius_m: 0.0, ..Agent::default() },
        fill_gaps_m: reach_m,
        ..BakeSettings::default()
    }
}

fn bake_scene(scene: &Scene, reach_m: f64) -> Baked {
    Baker::new(&settings(reach_m)).bake(scene).unwrap()
}

/// Triangles given by their corners; Y is up.
#[derive(Default)]
struct Soup {
    points: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    fn quad(&mut self, corners: [[f64; 3]; 4]) {
        let first = self.points.len() as u32;
        self.points.extend(corners.map(|c| c.map(|v| v as f32)));
        self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }

    /// A closed block.
    fn block(&mut self, lo: [f64; 3], hi: [f64; 3]) {
        let plan = [[lo[0], lo[2]], [lo[0], hi[2]], [hi[0], hi[2]], [hi[0], lo[2]]];
        self.quad(plan.map(|[x, z]| [x, hi[1], z]));
        let mut below = plan.map(|[x, z]| [x, lo[1], z]);
        below.reverse();
        self.quad(below);
        for i in 0..4 {
            let ([ax, az], [bx, bz]) = (plan[i], plan[(i + 1) % 4]);
            self.quad([[ax, lo[1], az], [bx, lo[1], bz], [bx, hi[1], bz], [ax, hi[1], az]]);
        }
    }

    /// Turned around the vertical axis.
    fn turned(&self, angle_deg: f64) -> Scene {
        let (s, c) = angle_deg.to_radians().sin_cos();
        let points: Vec<[f32; 3]> = self
            .points
            .iter()
            .map(|&[x, y, z]| {
                let (x, z) = (f64::from(x), f64::from(z));
                [(c * x + s * z) as f32, y, (c * z - s * x) as f32]
            })
            .collect();
        Scene::from_triangles(&points, &self.triangles).unwrap()
    }
}

/// Two plates of 3 m by 2 m, a gap and a height apart, with more around.
fn two_plates(gap_m: f64, height_m: f64) -> Soup {
    let mut soup = Soup::default();
    soup.block([0.0, -0.1, 0.0], [3.0, 0.0, 2.0]);
    soup.block([3.0 + gap_m, height_m - 0.1, 0.0], [6.0 + gap_m, height_m, 2.0]);
    soup
}

fn ground_area_m2(mesh: &NavMesh) -> f64 {
    let summary = mesh.summary();
    summary.area_m2 - summary.gap_area_m2
}

#[test]
fn plates_within_reach_are_connected_and_others_are_not() {
    let reach_m = 0.3_f64;
    for angle in ANGLES_DEG {
        for (gap_m, height_m) in
            [(0.05_f64, 0.0_f64), (0.15, 0.2), (0.2, 0.1), (0.29, 0.0), (0.1, 0.28)]
        {
            let length = gap_m.hypot(height_m);
            let stretch = [(reach_m - 0.002) / length, (reach_m + 0.002) / length];
            for (scale, connected) in [(1.0, true), (stretch[0], true), (stretch[1], false)] {
                let (gap_m, height_m) = (gap_m * scale, height_m * scale);
                // Steep gaps between treads are bridged as stairs are, whatever the reach is.
                if height_m > 1.3 * gap_m {
                    continue;
                }
                let baked = bake_scene(&two_plates(gap_m, height_m).turned(angle), reach_m);
                let summary = baked.mesh.summary();
                let what = format!("{angle}°, {gap_m} m, {height_m} m higher");
                assert_eq!(summary.components, if connected { 1 } else { 2 }, "{what}");
                let expected = if connected { gap_m * 2.0 } else { 0.0 };
                assert!(
                    (summary.gap_area_m2 - expected).abs() < 2e-4,
                    "{what}: {} m² instead of {expected}",
                    summary.gap_area_m2
                );
                assert!((ground_area_m2(&baked.mesh) - 12.0).abs() < 1e-3, "{what}");
            }
        }
    }
}

#[test]
fn a_slot_is_filled_up_to_the_wall_that_stands_in_it() {
    for angle in ANGLES_DEG {
        let mut soup = two_plates(0.2, 0.0);
        soup.block([3.0, -0.5, 0.8], [3.2, 2.5, 1.1]);
        let baked = bake_scene(&soup.turned(angle), 0.3);
        let expected = 0.2 * (2.0 - 0.3);
        let area_m2 = baked.mesh.summary().gap_area_m2;
        assert!((area_m2 - expected).abs() < 1e-3, "{angle}°: {area_m2} instead of {expected}");
        assert_eq!(baked.mesh.summary().components, 1);
    }
}

#[test]
fn a_beam_too_low_to_walk_under_removes_the_filler() {
    for angle in ANGLES_DEG {
        for (height_m, expected) in [(1.75, 0.2 * 1.0), (1.85, 0.2 * 2.0)] {
            let mut soup = two_plates(0.2, 0.0);
            // Over the gap only, and over half of it.
            soup.block([3.001, height_m, 0.0], [3.199, height_m + 0.2, 1.0]);
            let baked = bake_scene(&soup.turned(angle), 0.3);
            let area_m2 = baked.mesh.summary().gap_area_m2;
            assert!((area_m2 - expected).abs() < 1e-3, "{angle}°, {height_m} m: {area_m2}");
        }
    }
}

#[test]
fn what_protrudes_a_little_is_stepped_over() {
    // A sheet that stands in the gap, lower than a step.
    let mut soup = two_plates(0.2, 0.0);
    soup.quad([[3.1, -0.5, 0.5], [3.1, -0.5, 1.5], [3.1, 0.2, 1.5], [3.1, 0.2, 0.5]]);
    let baked = bake_scene(&soup.turned(17.3), 0.3);
    assert!((baked.mesh.summary().gap_area_m2 - 0.4).abs() < 2e-4);
}

#[test]
fn fillers_lead_through_no_wall_and_into_no_pillar() {
    // A wall between two rooms, and a tall pillar as thick as the reach.
    let mut soup = Soup::default();
    soup.block([0.0, -0.1, 0.0], [8.0, 0.0, 4.0]);
    soup.block([3.9, 0.0, -0.1], [4.1, 3.0, 4.1]);
    soup.block([6.0, 0.0, 2.0], [6.2, 4.0, 2.2]);
    let baked = bake_scene(&soup.turned(0.0), 0.3);
    let summary = baked.mesh.summary();
    assert_eq!((summary.components, summary.gap_area_m2.to_bits()), (2, 0.0_f64.to_bits()));
}

#[test]
fn steps_of_different_heights_and_cycles_are_joined_on_the_platforms() {
    for rotate_deg in ANGLES_DEG {
        let scene = build("platforms", &Variant { rotate_deg, ..Variant::default() }).unwrap();
        let baked = bake_scene(&scene.scene, 0.5);
        assert_eq!(baked.mesh.summary().components, 1, "{rotate_deg}°");
        let pair = &scene.truth.pairs[0];
        assert!(Query::new(&baked.mesh).find_path(pair.from, pair.to).is_ok(), "{rotate_deg}°");
    }
}

#[test]
fn a_floor_of_slats_becomes_one_and_the_slats_stay_as_they_are() {
    for rotate_deg in [0.0, 17.3] {
        let variant = Variant { size: Some(300), rotate_deg, ..Variant::default() };
        let scene = build("grates", &variant).unwrap();
        let tiny = BakeSettings { min_area_m2: 0.0, ..settings(0.03) };
        let apart = Baker::new(&tiny).bake(&scene.scene).unwrap();
        assert_eq!(apart.mesh.summary().components, 300);
        // Slats smaller than the least area are kept, since they hang together.
        let joined = bake_scene(&scene.scene, 0.05);
        assert_eq!(joined.mesh.summary().components, 1, "{rotate_deg}°");
        let area = scene.truth.ground_area_m2.unwrap();
        assert!((ground_area_m2(&joined.mesh) - area).abs() < 1e-2 * area);
        let cells = joined.mesh.cell_count() as u32;
        let ground = (0..cells).filter(|&c| joined.mesh.cell_kind(CellId(c)) == CellKind::Ground);
        assert!(ground.count() >= 300);
    }
}

#[test]
fn holes_are_filled_more_and_more_and_whole_in_the_end() {
    let scene = build("holes", &Variant::default()).unwrap().scene;
    let mut settings = settings(0.0);
    settings.agent.height_m = 2.2;
    let area = |reach_m: f64, settings: &mut BakeSettings| {
        settings.fill_gaps_m = reach_m;
        Baker::new(settings).bake(&scene).unwrap().mesh.summary()
    };
    let ground = area(0.0, &mut settings).area_m2;
    let holes = 13.0 * 10.4 - ground;
    let mut last = 0.0;
    for reach_m in [0.1, 0.25, 0.5, 1.0] {
        let summary = area(reach_m, &mut settings);
        assert!(summary.gap_area_m2 > last, "{reach_m}");
        last = summary.gap_area_m2;
        let now = summary.area_m2 - summary.gap_area_m2;
        assert!((now - ground).abs() < 1e-9, "{reach_m}: {now} instead of {ground}");
    }
    assert!((last - holes).abs() < 1e-3, "{last} of {holes}");
}

#[test]
fn the_ground_is_the_same_to_the_last_unit() {
    for name in ["holes", "platforms", "kerbs", "open-stairs"] {
        let scene = build(name, &Variant::default()).unwrap().scene;
        let ground = |reach_m: f64| {
            let mut settings = settings(reach_m);
            settings.cells = CellShape::Triangles;
            settings.min_area_m2 = 0.0;
            let mesh = Baker::new(&settings).bake(&scene).unwrap().mesh;
            ground_area_m2(&mesh)
        };
        assert!((ground(0.0) - ground(0.3)).abs() < 1e-9, "{name}");
    }
}

#[test]
fn the_reach_is_measured_across_the_gap_also_for_an_agent_with_a_radius() {
    for angle in ANGLES_DEG {
        for (gap_m, connected) in [(0.1, true), (0.295, true), (0.305, false)] {
            let settings = BakeSettings { agent: Agent::default(), ..settings(0.3) };
            let scene = two_plates(gap_m, 0.0).turned(angle);
            let mesh = Baker::new(&settings).bake(&scene).unwrap().mesh;
            let summary = mesh.summary();
            assert_eq!(summary.components, if connected { 1 } else { 2 }, "{angle}°, {gap_m} m");
            // The ground that was kept free beside the gap is crossed too.
            let expected = if connected { (gap_m + 0.6) * 1.4 } else { 0.0 };
            assert!((summary.gap_area_m2 - expected).abs() < 2e-3, "{}", summary.gap_area_m2);
        }
    }
}

#[test]
fn a_wall_across_the_gap_keeps_the_radius_free() {
    let mut soup = two_plates(0.2, 0.0);
    soup.block([2.0, -0.5, 0.9], [4.2, 2.5, 1.1]);
    let settings = BakeSettings { agent: Agent::default(), ..settings(0.3) };
    let mesh = Baker::new(&settings).bake(&soup.turned(17.3)).unwrap().mesh;
    // Between the wall and either border: 0.9 m less the radius twice.
    let expected = 2.0 * 0.3 * (0.2 + 0.6);
    let area_m2 = mesh.summary().gap_area_m2;
    assert!((area_m2 - expected).abs() < 2e-2, "{area_m2} instead of {expected}");
}
