//! All queries against brute force.

use super::ray::turn;
use super::*;

/// A tree over indexed triangles.
struct TriangleTree<'a> {
    points: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    boxes: BoxTree,
}

impl<'a> TriangleTree<'a> {
    fn build(points: &'a [DVec3], triangles: &'a [[u32; 3]]) -> Self {
        let corners = |id: u32| triangles[id as usize].map(|i| points[i as usize]);
        let boxes = BoxTree::build_with(triangles.len(), |id| Aabb::of_points(corners(id)));
        Self { points, triangles, boxes }
    }

    fn corners(&self, id: u32) -> [DVec3; 3] {
        self.triangles[id as usize].map(|i| self.points[i as usize])
    }

    fn first_hit(&self, origin: DVec3, direction: DVec3, t_max: f64) -> Option<Hit> {
        let ray = Ray::new(origin, direction)?;
        self.boxes.first_hit(&ray, t_max, |id| self.corners(id), |_| true)
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn point(&mut self, lo: f64, hi: f64) -> DVec3 {
        DVec3::new(self.within(lo, hi), self.within(lo, hi), self.within(lo, hi))
    }

    /// A point with small whole coordinates, so that boxes share faces, edges and corners.
    fn grid_point(&mut self, size: u64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| (self.next() % size) as f64))
    }
}

/// Scattered, coincident, flat, far-off and huge boxes, in all sizes around node boundaries.
fn scenes() -> Vec<Vec<Aabb>> {
    let mut random = Random(7);
    let mut scenes = vec![vec![]];
    for count in [1, 2, 7, 8, 9, 63, 64, 65, 511, 513, 3000] {
        for style in 0..5 {
            let boxes = (0..count)
                .map(|_| match style {
                    0 => {
                        let lo = random.point(-50.0, 50.0);
                        Aabb::new(lo, lo + random.point(0.0, 5.0))
                    }
                    1 => {
                        let lo = random.grid_point(12);
                        Aabb::new(lo, lo + random.grid_point(3))
                    }
                    2 => Aabb::new(DVec3::ONE, DVec3::ONE),
                    3 => {
                        let p = random.point(0.0, 40.0);
                        Aabb::in_plan(p.truncate(), p.truncate() + 0.1)
                    }
                    _ => {
                        let lo = random.point(-1e7, 1e7) + 0.1;
                        let size = if random.next().is_multiple_of(9) { 1e7 } else { 1e-3 };
                        Aabb::new(lo, lo + random.point(0.0, size))
                    }
                })
                .collect();
            scenes.push(boxes);
        }
    }
    scenes
}

fn sorted(mut ids: Vec<u32>) -> Vec<u32> {
    ids.sort_unstable();
    ids
}

/// Everything that truly is in the answer was named, and nothing that is further off than the
/// rounding to `f32` explains.
fn check_conservative(found: Vec<u32>, boxes: &[Aabb], inside: impl Fn(&Aabb) -> bool, what: &str) {
    let found = sorted(found);
    assert!(found.windows(2).all(|w| w[0] != w[1]), "{what}: named twice");
    for (id, b) in boxes.iter().enumerate() {
        let named = found.binary_search(&(id as u32)).is_ok();
        let reach = b.lo.abs().max(b.hi.abs()).max_element() * 4e-7;
        assert!(named || !inside(b), "{what}: box {id} was missed");
        assert!(!named || inside(&b.grown(reach)), "{what}: box {id} is far off");
    }
}

#[test]
fn box_and_column_queries_agree_with_brute_force() {
    let mut random = Random(1);
    for boxes in scenes() {
        let tree = BoxTree::build(&boxes);
        assert_eq!(tree.len(), boxes.len());
        let around = boxes.iter().fold(Aabb::EMPTY, |a, b| a.union(*b));
        for round in 0..20 {
            let corner = match round {
                0..10 if !boxes.is_empty() => boxes[random.next() as usize % boxes.len()].hi,
                _ => around.lo + (around.hi - around.lo) * random.point(-0.1, 1.1),
            };
            let corner = if corner.is_finite() { corner } else { DVec3::ZERO };
            let size = if round % 3 == 0 { 0.0 } else { random.within(0.0, 10.0) };
            let query = Aabb::new(corner, corner + size);
            let mut found = vec![];
            tree.visit_box(&query, |id| found.push(id));
            check_conservative(found.clone(), &boxes, |b| b.overlaps(&query), "box");
            let mut column = vec![];
            tree.visit_column(corner.x, corner.y, corner.z - 3.0, corner.z + 3.0, |id| {
                column.push(id);
            });
            let line = Aabb::new(corner - 3.0 * DVec3::Z, corner + 3.0 * DVec3::Z);
            check_conservative(column, &boxes, |b| b.overlaps(&line), "column");
            let first = tree.try_visit_box(&query, ControlFlow::Break);
            assert_eq!(first.break_value(), found.first().copied());
        }
    }
}

/// Whether a ray meets a box, by clipping its parameter; for whole numbers, exactly enough.
fn ray_meets(b: &Aabb, origin: DVec3, direction: DVec3, t_max: f64) -> bool {
    let (mut near, mut far) = (0.0_f64, t_max);
    for axis in 0..3 {
        if direction[axis].abs() > 0.0 {
            let t = [b.lo, b.hi].map(|p| (p[axis] - origin[axis]) / direction[axis]);
            near = near.max(t[0].min(t[1]));
            far = far.min(t[0].max(t[1]));
        } else if origin[axis] < b.lo[axis] || origin[axis] > b.hi[axis] {
            return false;
        }
    }
    near <= far
}

#[test]
fn rays_agree_with_brute_force() {
    let mut random = Random(3);
    for boxes in scenes() {
        let tree = BoxTree::build(&boxes);
        for round in 0..20 {
            let origin = random.grid_point(12);
            let direction = match round % 3 {
                0 => [DVec3::X, -DVec3::Y, DVec3::Z][round / 3 % 3],
                1 => random.grid_point(5) - 2.0,
                _ => random.point(-1.0, 1.0),
            };
            let t_max = random.within(0.0, 50.0);
            let mut found = vec![];
            tree.visit_ray(origin, direction, t_max, |id, t| {
                found.push(id);
                t
            });
            let found = sorted(found);
            assert!(found.windows(2).all(|w| w[0] != w[1]));
            for (id, b) in boxes.iter().enumerate() {
                let named = found.binary_search(&(id as u32)).is_ok();
                let reach = b.lo.abs().max(b.hi.abs()).max_element() * 4e-7 + 1e-9;
                assert!(named || !ray_meets(b, origin, direction, t_max), "missed box {id}");
                assert!(
                    !named || ray_meets(&b.grown(reach), origin, direction, t_max + reach),
                    "box {id} is far off"
                );
            }
        }
    }
}

#[test]
fn a_ray_that_touches_a_box_in_a_corner_only_finds_it() {
    // Whole numbers n for which n · (1 / n) rounds to less than one, 49 the first of them, made
    // the ray leave the box before it entered.
    let mut random = Random(9);
    for _ in 0..20_000 {
        let corner = random.grid_point(400) - 200.0;
        let size = DVec3::new(3.0, -2.0, 1.0);
        let boxes = [Aabb::of_points([corner, corner + size])];
        let tree = BoxTree::build(&boxes);
        let origin = random.grid_point(400) - 200.0;
        let mut found = false;
        tree.visit_ray(origin, corner - origin, 2.0, |_, t| {
            found = true;
            t
        });
        assert!(found, "from {origin} through {corner}");
    }
}

#[test]
fn first_hits_agree_with_brute_force() {
    let mut random = Random(5);
    for count in [1_u32, 5, 80, 700] {
        let points: Vec<_> = (0..count * 3)
            .map(|i| random.point(0.0, 2.0) + (random.point(0.0, 20.0) * f64::from(i % 3 / 3)))
            .collect();
        let triangles: Vec<_> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let tree = TriangleTree::build(&points, &triangles);
        for _ in 0..200 {
            let origin = random.point(-5.0, 7.0);
            let direction = random.point(-1.0, 1.0);
            let ray = Ray::new(origin, direction).unwrap();
            let want = (0..count)
                .filter_map(|id| ray.meet(&tree.corners(id)).map(|t| (t, id)))
                .min_by(|a, b| a.partial_cmp(b).unwrap());
            let got = tree.first_hit(origin, direction, f64::INFINITY).map(|h| (h.t, h.id));
            assert_eq!(got, want);
            if let Some((t, _)) = want {
                assert!(tree.first_hit(origin, direction, t * 0.99).is_none());
            }
        }
    }
}

#[test]
fn no_ray_slips_through_a_shared_edge_or_vertex() {
    // A fan of triangles around a vertex, closed all round; rays at points of its edges.
    let mut random = Random(6);
    for _ in 0..200 {
        let centre = random.point(-1.0, 1.0);
        let n = 3 + random.next() % 9;
        let mut points = vec![centre];
        for i in 0..n {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
            points.push(centre + DVec3::new(cos, sin, random.within(-0.2, 0.2)));
        }
        let triangles: Vec<[u32; 3]> =
            (0..n as u32).map(|i| [0, 1 + i, 1 + (i + 1) % n as u32]).collect();
        let tree = TriangleTree::build(&points, &triangles);
        for _ in 0..50 {
            let spoke = points[1 + (random.next() % n) as usize];
            let target = centre.lerp(spoke, random.within(0.0, 0.99));
            let origin = target + random.point(-0.1, 0.1) + DVec3::Z * 5.0;
            for target in [target, centre] {
                let hit = tree.first_hit(origin, target - origin, 2.0);
                assert!(hit.is_some_and(|h| (h.t - 1.0).abs() < 1e-9), "slipped through");
            }
        }
    }
}

#[test]
fn the_sign_of_a_turn_is_exact_where_products_round_alike() {
    let tiny = 2.0_f64.powi(-27);
    let (p, q) = (DVec3::new(1.0 + tiny, 1.0, 0.0), DVec3::new(1.0, 1.0 - tiny, 0.0));
    assert!(turn(p, q) < 0.0);
    assert!(turn(q, p) > 0.0);
    assert!(turn(p, p).abs() <= 0.0);
}

#[test]
fn boxes_that_are_no_boxes_are_never_found() {
    let nan = DVec3::new(f64::NAN, 0.0, 0.0);
    let boxes = [
        Aabb::EMPTY,
        Aabb::new(nan, DVec3::ONE),
        Aabb::new(DVec3::ZERO, nan),
        Aabb::new(DVec3::ONE, DVec3::ZERO),
        Aabb::new(DVec3::ZERO, DVec3::ONE),
        Aabb::new(DVec3::splat(f64::NEG_INFINITY), DVec3::splat(f64::INFINITY)),
        Aabb::new(DVec3::splat(-1e300), DVec3::splat(1e300)),
    ];
    let tree = BoxTree::build(&boxes);
    let mut found = vec![];
    tree.visit_box(&Aabb::new(DVec3::splat(-1e308), DVec3::splat(1e308)), |id| found.push(id));
    assert_eq!(sorted(found), [4, 5, 6]);
    tree.visit_box(&Aabb::new(nan, DVec3::ONE), |_| panic!("found by a query of NaN"));
    tree.visit_ray(nan, DVec3::X, 1.0, |_, _| panic!("found by a ray of NaN"));
    tree.visit_ray(DVec3::ZERO, DVec3::X, f64::NAN, |_, _| panic!("found without a limit"));
}

#[cfg(feature = "parallel")]
#[test]
fn the_tree_does_not_depend_on_the_number_of_threads() {
    let mut random = Random(8);
    let boxes: Vec<_> = (0..30_000)
        .map(|_| {
            let lo = random.grid_point(40);
            Aabb::new(lo, lo + random.point(0.0, 2.0))
        })
        .collect();
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let tree = pool.install(|| BoxTree::build(&boxes));
        (tree.ids.clone(), format!("{:?}", tree.nodes))
    };
    let one = build(1);
    assert_eq!(one, build(2));
    assert_eq!(one, build(5));
}
