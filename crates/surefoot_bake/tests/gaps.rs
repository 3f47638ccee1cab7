//! Gap annotation on scenes with known answers: who is connected with whom, how large the fillers are,
//! and that the ground is what it was.

use surefoot_bake::{
    Agent, BakeSettings, Baked, Baker, BuildMethod, CellShape, LayeredSettings, Method,
    VoxelSettings,
};
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
            // The ground beside the gap stays; at its two open ends the radius is kept.
            let expected = if connected { gap_m * 1.4 } else { 0.0 };
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
    let expected = 2.0 * 0.3 * 0.2;
    let area_m2 = mesh.summary().gap_area_m2;
    assert!((area_m2 - expected).abs() < 2e-3, "{area_m2} instead of {expected}");
}

/// An agent of ordinary width.
fn wide(reach_m: f64, method: Method) -> BakeSettings {
    BakeSettings { agent: Agent::default(), method, ..settings(reach_m) }
}

fn exact() -> Method {
    BuildMethod::Exact.into()
}

/// A method on a grid of so small cells that it sees slots of centimetres as they are.
fn voxels(cell_size_m: f64) -> Method {
    VoxelSettings { cell_size_m, cell_height_m: 0.01, ..VoxelSettings::default() }.into()
}

fn layers(fine_cell_size_m: f64) -> Method {
    let cell_size_m = 8.0 * fine_cell_size_m;
    LayeredSettings { cell_size_m, fine_cell_size_m, ..LayeredSettings::default() }.into()
}

/// Bakes, and asks how much of the way between two points leads over gaps.
#[track_caller]
fn gap_length_m(scene: &Scene, settings: &BakeSettings, from: [f64; 3], to: [f64; 3]) -> f64 {
    let mesh = Baker::new(settings).bake(scene).unwrap().mesh;
    assert_eq!(mesh.summary().components, 1);
    let path = Query::new(&mesh).find_path(from, to).unwrap();
    let apart = (0..3).map(|k| (from[k] - to[k]).powi(2)).sum::<f64>().sqrt();
    assert!((path.length_m - apart).abs() < 1e-2, "{} instead of {apart}", path.length_m);
    path.gap_length_m
}

#[test]
fn a_jetty_of_planks_narrower_than_the_agent_is_one_way() {
    const SLOTS_M: f64 = 13.0 * 0.02;
    for rotate_deg in ANGLES_DEG {
        let jetty = build("jetty", &Variant { rotate_deg, ..Variant::default() }).unwrap();
        for pair in &jetty.truth.pairs {
            let settings = wide(pair.gap_reach_m, exact());
            if pair.connected {
                let length_m = gap_length_m(&jetty.scene, &settings, pair.from, pair.to);
                assert!((length_m - SLOTS_M).abs() < 1e-3, "{rotate_deg}°: {length_m}");
            } else {
                let mesh = Baker::new(&settings).bake(&jetty.scene).unwrap().mesh;
                assert_eq!(mesh.summary().components, 2, "{rotate_deg}°: the two quays");
            }
        }
    }
}

#[test]
fn a_jetty_is_one_way_for_the_layered_method_too() {
    let jetty = build("jetty", &Variant::default()).unwrap();
    let pair = jetty.truth.pairs.iter().find(|p| p.connected).unwrap();
    let settings = wide(pair.gap_reach_m, layers(0.005));
    let length_m = gap_length_m(&jetty.scene, &settings, pair.from, pair.to);
    assert!((length_m - 13.0 * 0.02).abs() < 1e-2, "{length_m}");
}

/// On a grid the ground ends up to a cell before it does in the scene, on either side of every slot.
#[test]
fn a_short_jetty_is_one_way_for_the_voxel_method_too() {
    let mut soup = Soup::default();
    for [from, to] in [[-0.7, 0.0], [0.02, 0.32], [0.34, 0.64], [0.66, 1.36]] {
        soup.block([from, -0.1, 0.0], [to, 0.0, 1.0]);
    }
    let scene = soup.turned(0.0);
    let settings = BakeSettings { min_area_m2: 0.1, ..wide(0.05, voxels(0.0025)) };
    let length_m = gap_length_m(&scene, &settings, [-0.35, 0.0, 0.5], [1.0, 0.0, 0.5]);
    assert!((length_m - 0.06).abs() < 1e-2, "{length_m}");
}

#[test]
fn a_grate_carries_an_agent_wider_than_its_slats() {
    let variant = Variant { size: Some(100), ..Variant::default() };
    let scene = build("grates", &variant).unwrap().scene;
    // Along a row, from the middle of one slat to that of another.
    let (from, to) = ([0.5, 0.0, 1.0], [3.46, 0.0, 1.0]);
    for method in [exact(), layers(0.01), voxels(0.01)] {
        let length_m = gap_length_m(&scene, &wide(0.05, method), from, to);
        // On a grid each slot may be wider by a cell, and where a column more or less fits, by two.
        let most_off_m = if method == exact() { 1e-3 } else { (37.0 + 2.0) * 0.01 };
        assert!((length_m - 37.0 * 0.04).abs() < most_off_m, "{method:?}: {length_m}");
    }
}

/// A floor of 4 m by 3 m with a slot of 0.20 m by 1.5 m in it.
fn floor_with_a_slot() -> Soup {
    let mut soup = Soup::default();
    for (low, high) in [
        ([0.0, 0.0], [1.9, 3.0]),
        ([2.1, 0.0], [4.0, 3.0]),
        ([1.9, 0.0], [2.1, 0.75]),
        ([1.9, 2.25], [2.1, 3.0]),
    ] {
        soup.block([low[0], -0.5, low[1]], [high[0], 0.0, high[1]]);
    }
    soup
}

#[test]
fn a_slot_in_the_floor_is_as_long_as_it_is_whatever_the_radius() {
    let scene = floor_with_a_slot().turned(0.0);
    for method in [exact(), layers(0.01), voxels(0.005)] {
        for radius_m in [0.0, 0.1, 0.3] {
            let mut settings = wide(0.3, method);
            settings.agent.radius_m = radius_m;
            let (from, to) = ([1.0, 0.0, 1.5], [3.0, 0.0, 1.5]);
            let length_m = gap_length_m(&scene, &settings, from, to);
            assert!((length_m - 0.2).abs() < 1e-2, "{method:?}, {radius_m}: {length_m}");
            // Nothing ends at its ends: it is filled as it is.
            let area_m2 = Baker::new(&settings).bake(&scene).unwrap().mesh.summary().gap_area_m2;
            assert!((area_m2 - 0.3).abs() < 2.5e-2, "{method:?}, {radius_m}: {area_m2}");
        }
    }
}

/// Whether a mesh covers a point, 2 mm around it.
fn covers(mesh: &NavMesh, at: [f64; 3]) -> bool {
    let found = Query::new(mesh).nearest(at, [2e-3, 0.1, 2e-3]);
    found.is_some()
}

#[test]
fn the_open_end_of_a_gap_keeps_the_radius_and_its_sides_do_not() {
    let scene = two_plates(0.2, 0.0).turned(0.0);
    for method in [exact(), layers(0.01), voxels(0.005)] {
        let mesh = Baker::new(&wide(0.3, method)).bake(&scene).unwrap().mesh;
        for x in [2.95, 3.1, 3.25] {
            for (z, free) in [(0.28, false), (0.33, true), (1.67, true), (1.72, false)] {
                assert_eq!(covers(&mesh, [x, 0.0, z]), free, "{method:?}: {x}, {z}");
            }
        }
    }
}

#[test]
fn a_sheet_across_a_narrow_slot_keeps_the_radius() {
    for (slot_m, angle) in [(0.015_f64, 0.0), (0.015, 17.3), (0.1, 0.0), (0.1, 45.0)] {
        let mut soup = two_plates(slot_m, 0.0);
        let end = 3.0 + slot_m;
        soup.quad([[3.0, -0.1, 1.0], [end, -0.1, 1.0], [end, 2.5, 1.0], [3.0, 2.5, 1.0]]);
        let scene = soup.turned(angle);
        let settings = wide(0.2, exact());
        let mesh = Baker::new(&settings).bake(&scene).unwrap().mesh;
        // The slot less the sheet, which is as thick as a wall, and less the radius on both sides of it
        // and at both ends.
        let expected = slot_m * (2.0 - 0.025 - 4.0 * 0.3);
        let area_m2 = mesh.summary().gap_area_m2;
        assert!(
            (area_m2 - expected).abs() < 5e-3 * slot_m,
            "{slot_m}, {angle}°: {area_m2} instead of {expected}"
        );
    }
}

#[test]
fn fillers_before_the_radius_are_the_same_for_any_number_of_threads() {
    let scene = build("jetty", &Variant { rotate_deg: 17.3, ..Variant::default() }).unwrap().scene;
    for method in [exact(), layers(0.02), voxels(0.02)] {
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mesh = Baker::new(&wide(0.05, method)).bake(&scene).unwrap().mesh;
                mesh.to_bytes()
            })
        };
        assert!(bytes(1) == bytes(3), "{method:?}");
    }
}
