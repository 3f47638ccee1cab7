//! Small scenes, each for one fault that was found in a real one, named after its symptom.

use surefoot_bake::{BakeSettings, Baked, StageContext, bake_in};
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
        let scene = Scene::from_triangles(&self.points, &self.triangles).unwrap();
        bake_in(&scene, &BakeSettings::default(), StageContext::new()).unwrap()
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
