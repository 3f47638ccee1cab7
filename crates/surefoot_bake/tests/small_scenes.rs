//! Small scenes, each for one fault that was found in a real one, named after its symptom.

use surefoot_bake::{BakeSettings, Baked, Baker, ExactSettings, StageObserver, StageView, Stairs};
use surefoot_mesh::Query;
use surefoot_scene::Scene;

/// Triangles given by their corners; Y is up.
#[derive(Default)]
struct Soup {
    points: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    fn quad(&mut self, corners: [[f32; 3]; 4]) {
        let first = self.points.len() as u32;
        self.points.extend(corners);
        self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }

    /// A level rectangle from (x0, z0) to (x1, z1) that faces up, or down.
    fn level(&mut self, (x0, z0): (f32, f32), (x1, z1): (f32, f32), y: f32, up: bool) {
        let mut corners = [[x0, y, z0], [x0, y, z1], [x1, y, z1], [x1, y, z0]];
        if !up {
            corners.reverse();
        }
        self.quad(corners);
    }

    /// A closed block.
    fn block(&mut self, lo: [f32; 3], hi: [f32; 3]) {
        self.level((lo[0], lo[2]), (hi[0], hi[2]), hi[1], true);
        self.level((lo[0], lo[2]), (hi[0], hi[2]), lo[1], false);
        let plan = [[lo[0], lo[2]], [lo[0], hi[2]], [hi[0], hi[2]], [hi[0], lo[2]]];
        for i in 0..4 {
            let ([ax, az], [bx, bz]) = (plan[i], plan[(i + 1) % 4]);
            self.quad([[ax, lo[1], az], [bx, lo[1], bz], [bx, hi[1], bz], [ax, hi[1], az]]);
        }
    }

    fn bake(&self) -> Baked {
        self.bake_with(BakeSettings::default())
    }

    fn bake_with(&self, settings: BakeSettings) -> Baked {
        let scene = Scene::from_triangles(&self.points, &self.triangles).unwrap();
        Baker::new(&settings).bake(&scene).unwrap()
    }

    /// A square of ground, `cells` along each side of half a metre, whose height is given.
    fn uneven(cells: u32, height: impl Fn(u32, u32) -> f32) -> Self {
        Self::uneven_of(cells, 0.5, height)
    }

    /// The same with cells of another size.
    fn uneven_of(cells: u32, cell_m: f32, height: impl Fn(u32, u32) -> f32) -> Self {
        let mut soup = Self::default();
        for z in 0..=cells {
            for x in 0..=cells {
                soup.points.push([x as f32 * cell_m, height(x, z), z as f32 * cell_m]);
            }
        }
        for z in 0..cells {
            for x in 0..cells {
                let at = |x: u32, z: u32| z * (cells + 1) + x;
                let [a, b, c, d] = [at(x, z), at(x, z + 1), at(x + 1, z + 1), at(x + 1, z)];
                soup.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        soup
    }
}

/// The same numbers between 0 and 1 on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }
}

fn on_mesh(baked: &Baked, p: [f32; 3]) -> bool {
    let query = Query::new(&baked.mesh);
    query.nearest(p, [0.01, 0.05, 0.01]).is_some()
}

#[test]
fn ground_within_a_ring_of_low_undersides_is_not_lost() {
    let mut soup = Soup::default();
    soup.level((0.0, 0.0), (12.0, 12.0), 0.0, true);
    // Sheets that face down below step height, all around the middle.
    for i in 0..4 {
        for k in 0..4 {
            if i % 3 == 0 || k % 3 == 0 {
                let (x, z) = (2.0 + 2.0 * i as f32, 2.0 + 2.0 * k as f32);
                soup.level((x, z), (x + 2.0, z + 2.0), 0.2, false);
            }
        }
    }
    // Something low and steep that faces up, so that beginnings and ends must be told apart.
    soup.quad([[2.5, 0.21, 2.5], [2.5, 0.21, 2.8], [2.6, 0.35, 2.8], [2.6, 0.35, 2.5]]);
    let baked = soup.bake();
    assert!(on_mesh(&baked, [6.0, 0.0, 6.0]), "the middle is gone");
    assert!(on_mesh(&baked, [1.0, 0.0, 1.0]));
    assert!(!on_mesh(&baked, [3.0, 0.0, 5.0]), "under a sheet there is no room");
}

#[test]
fn a_wall_that_carries_a_roof_has_no_ground_inside() {
    let mut soup = Soup::default();
    soup.block([0.0, -0.2, 0.0], [12.0, 0.0, 12.0]);
    soup.block([4.0, 0.0, 4.0], [8.0, 3.4, 8.0]);
    soup.block([3.0, 3.4, 3.0], [9.0, 4.0, 9.0]);
    let baked = soup.bake();
    assert!(!on_mesh(&baked, [6.0, 0.0, 6.0]));
    assert!(on_mesh(&baked, [1.0, 0.0, 6.0]));
    assert!(on_mesh(&baked, [6.0, 4.0, 6.0]), "the roof");
}

#[test]
fn a_floor_with_an_underside_is_ground_under_a_roof_with_an_underside() {
    let mut soup = Soup::default();
    for (y, cut) in [(0.0, 5.0), (3.0, 7.0)] {
        soup.level((0.0, 0.0), (12.0, 12.0), y, true);
        // Cut elsewhere, so that the triangles are not each other's reverse.
        soup.level((0.0, 0.0), (cut, 12.0), y, false);
        soup.level((cut, 0.0), (12.0, 12.0), y, false);
    }
    let baked = soup.bake();
    assert!(on_mesh(&baked, [6.0, 0.0, 6.0]));
    assert!(on_mesh(&baked, [6.0, 3.0, 6.0]));
}

#[test]
fn a_steep_strip_that_leads_nowhere_is_no_ground() {
    let mut soup = Soup::default();
    soup.level((0.0, 0.0), (4.0, 4.0), 0.0, true);
    // A low steep strip along the edge, and nothing beyond.
    soup.quad([[4.0, 0.0, 0.0], [4.0, 0.0, 4.0], [4.1, 0.3, 4.0], [4.1, 0.3, 0.0]]);
    let baked = soup.bake();
    assert!(on_mesh(&baked, [3.69, 0.0, 2.0]));
    assert!(!on_mesh(&baked, [3.72, 0.0, 2.0]), "the ground ends where the strip begins");
}

#[test]
fn a_low_ridge_is_walked_over() {
    let mut soup = Soup::default();
    soup.level((0.0, 0.0), (4.0, 4.0), 0.0, true);
    soup.quad([[4.0, 0.0, 0.0], [4.0, 0.0, 4.0], [4.1, 0.3, 4.0], [4.1, 0.3, 0.0]]);
    soup.quad([[4.1, 0.3, 0.0], [4.1, 0.3, 4.0], [4.2, 0.0, 4.0], [4.2, 0.0, 0.0]]);
    soup.level((4.2, 0.0), (8.0, 4.0), 0.0, true);
    let baked = soup.bake();
    let mut query = Query::new(&baked.mesh);
    assert!(query.find_path([1.0, 0.0, 2.0], [7.0, 0.0, 2.0]).is_ok());
}

#[test]
fn simplified_ground_has_fewer_cells_and_lies_within_the_tolerance() {
    let height = |x: u32, z: u32| {
        let bump = (x * 7 + z * 13) % 5;
        (x as f32 * 0.2).sin() * 0.5 + bump as f32 * 0.006
    };
    let soup = Soup::uneven(40, height);
    let whole = soup.bake();
    let exact = ExactSettings { simplify_m: 0.05, ..ExactSettings::default() };
    let simple = soup.bake_with(BakeSettings { method: exact.into(), ..BakeSettings::default() });
    assert!(
        simple.mesh.cell_count() * 3 < whole.mesh.cell_count(),
        "{} cells instead of {}",
        simple.mesh.cell_count(),
        whole.mesh.cell_count()
    );
    let rounding = 1e-6 * whole.mesh.area_m2();
    assert!((simple.mesh.area_m2() - whole.mesh.area_m2()).abs() < rounding, "the plan changed");
    let query = Query::new(&simple.mesh);
    // The partition adds its own tolerance of 2 cm.
    for z in 2..38 {
        for x in 2..38 {
            let p = [x as f32 * 0.5, height(x, z), z as f32 * 0.5];
            assert!(query.nearest(p, [1e-3, 0.071, 1e-3]).is_some(), "the ground moved at {p:?}");
        }
    }
}

#[test]
fn clustering_gives_back_the_ground_under_a_cloud_of_tiny_triangles() {
    let mut soup = Soup::default();
    soup.level((0.0, 0.0), (6.0, 6.0), 0.0, true);
    let mut random = Random(1);
    for _ in 0..3000 {
        let at = [1.5 + 3.0 * random.next(), 0.05 * random.next(), 1.5 + 3.0 * random.next()];
        let first = soup.points.len() as u32;
        for _ in 0..3 {
            let [x, y, z] = at;
            let mut near = |v: f32, below: f32| v + 0.03 * (random.next() - below);
            soup.points.push([near(x, 0.5), near(y, 0.3), near(z, 0.5)]);
        }
        soup.triangles.push([first, first + 1, first + 2]);
    }
    let whole_m2 = 5.4 * 5.4;
    let cloud = soup.bake();
    assert!(cloud.mesh.area_m2() < 0.65 * whole_m2, "{}", cloud.mesh.area_m2());
    let clear = soup.bake_with(BakeSettings { cluster_m: 0.2, ..BakeSettings::default() });
    assert!(clear.mesh.area_m2() > 0.85 * whole_m2, "{}", clear.mesh.area_m2());
}

#[test]
fn a_pillar_through_a_beam_has_no_ground_inside() {
    let mut soup = Soup::default();
    soup.block([0.0, -0.2, 0.0], [12.0, 0.0, 12.0]);
    soup.block([4.0, 0.0, 4.0], [8.0, 3.4, 8.0]);
    // Begins inside of the pillar.
    soup.block([3.0, 3.0, 3.0], [9.0, 4.0, 9.0]);
    let baked = soup.bake();
    assert!(!on_mesh(&baked, [6.0, 0.0, 6.0]));
    assert!(on_mesh(&baked, [1.0, 0.0, 6.0]));
}

#[test]
fn ramps_as_flat_as_the_ground_are_not_laid() {
    let mut soup = Soup::default();
    soup.level((0.0, 0.0), (6.0, 6.0), 0.0, true);
    soup.block([2.0, 0.0, 2.0], [6.0, 0.2, 6.0]);
    for degrees in [0.01_f64, 5.0, 55.0] {
        let exact = ExactSettings {
            stairs: Stairs::Ramps,
            stair_slope_rad: degrees.to_radians(),
            ..ExactSettings::default()
        };
        let baked =
            soup.bake_with(BakeSettings { method: exact.into(), ..BakeSettings::default() });
        let mut query = Query::new(&baked.mesh);
        assert!(query.find_path([1.0, 0.0, 1.0], [4.0, 0.2, 4.0]).is_ok(), "{degrees}°");
    }
}

/// Every face has but a short piece of the ledge, none longer than two gaps.
#[test]
fn a_ledge_of_tiny_uneven_triangles_is_kept_clear_of() {
    let side = 110_u32;
    let mut random = Random(5);
    let heights: Vec<f32> = (0..(side + 1) * (side + 1)).map(|_| 0.002 * random.next()).collect();
    let soup = Soup::uneven_of(side, 0.015, |x, z| heights[(z * (side + 1) + x) as usize]);
    let baked = soup.bake();
    // 1.65 m less 0.3 m on either side.
    let area_m2 = baked.mesh.summary().area_m2;
    assert!((area_m2 - 1.05 * 1.05).abs() < 0.01, "{area_m2} m²");
    assert!(on_mesh(&baked, [0.8, 0.0, 0.8]));
    assert!(!on_mesh(&baked, [0.2, 0.0, 0.8]));
}

#[test]
fn what_hangs_is_kept_clear_of_though_it_is_narrower_than_a_gap() {
    let with_strip = |width: f32| {
        let mut soup = Soup::default();
        soup.level((0.0, 0.0), (4.0, 4.0), 0.0, true);
        // A strip that leans, a metre above the floor: too steep to stand on, far from upright.
        let (x, z, y) = (2.0, [1.0, 3.0], [1.0, 1.0 + 1.5 * width]);
        soup.quad([
            [x, y[0], z[0]],
            [x, y[0], z[1]],
            [x + width, y[1], z[1]],
            [x + width, y[1], z[0]],
        ]);
        soup.bake_with(BakeSettings {
            gap_distance_m: 0.05,
            wall_thickness_m: 0.06,
            ..BakeSettings::default()
        })
    };
    for width in [0.005, 0.02, 0.045, 0.07] {
        let baked = with_strip(width);
        assert!(!on_mesh(&baked, [2.0 + 0.5 * width, 0.0, 2.0]), "below, {width} m wide");
        assert!(!on_mesh(&baked, [1.75, 0.0, 2.0]), "beside, {width} m wide");
        assert!(on_mesh(&baked, [1.65, 0.0, 2.0]), "far enough from it, {width} m wide");
        assert!(on_mesh(&baked, [2.0, 0.0, 0.6]), "before its end, {width} m wide");
    }
}

#[test]
fn a_pole_thinner_than_a_gap_is_kept_clear_of() {
    for (thick, gap_distance_m) in [(0.003, 0.01), (0.008, 0.01), (0.03, 0.05)] {
        let mut soup = Soup::default();
        soup.level((0.0, 0.0), (4.0, 4.0), 0.0, true);
        soup.block([2.0, -0.1, 2.0], [2.0 + thick, 2.0, 2.0 + thick]);
        let baked = soup.bake_with(BakeSettings {
            gap_distance_m,
            wall_thickness_m: gap_distance_m + 0.015,
            ..BakeSettings::default()
        });
        for (x, z) in [(1.75, 2.0), (2.25, 2.0), (2.0, 1.75), (2.0, 2.25), (1.9, 1.9), (2.1, 1.9)] {
            assert!(!on_mesh(&baked, [x, 0.0, z]), "({x}, {z}), {thick} m thick");
        }
        assert!(on_mesh(&baked, [1.65, 0.0, 2.0]), "far enough from it, {thick} m thick");
    }
}

#[test]
fn every_stage_can_be_looked_at() {
    struct Names(Vec<&'static str>);
    impl StageObserver for Names {
        fn observe(&mut self, name: &'static str, view: StageView) {
            assert!(!view.faces.is_empty(), "{name} shows nothing");
            self.0.push(name);
        }
    }
    // Strips that are too narrow for the agent, then ground of many faces: what is left of it once had
    // higher numbers than there are edges at the end.
    let mut soup = Soup::default();
    for x in (0..200).map(|i| 10.0 + i as f32) {
        soup.level((x, 0.0), (x + 0.4, 4.0), 0.0, true);
    }
    let ground = Soup::uneven(8, |x, z| 0.05 * ((x * x + 3 * z) % 5) as f32);
    let first = soup.points.len() as u32;
    soup.points.extend(ground.points);
    soup.triangles.extend(ground.triangles.iter().map(|t| t.map(|i| first + i)));
    let scene = Scene::from_triangles(&soup.points, &soup.triangles).unwrap();
    let mut names = Names(Vec::new());
    Baker::new(&BakeSettings::default()).observe(&mut names).bake(&scene).unwrap();
    assert!(names.0.contains(&"erode") && names.0.contains(&"join_eroded"), "{:?}", names.0);
}
