//! Looks over a scene for what a person would want to be told though its mesh is what was asked for:
//! winding that looks careless, and ground that lies under hulls.
//!
//! An outline hull, as toon models have, is a copy of the model, a little larger and turned inside out:
//! it faces down right above every floor, and a floor with something solid a few centimetres above it
//! is no ground. A doubled shell does the same. What is covered so is found by looking up from points of
//! the ground; what covers it is named by its tags, so that it can be left out.

use crate::input::classify::Classifier;
use crate::report::GroundUnderHulls;
use glam::DVec3;
use std::collections::BTreeMap;
use surefoot_geom::Frame;
use surefoot_geom::bvh::{Aabb, BoxTree, Ray};
use surefoot_mesh::Agent;
use surefoot_scene::{NO_TAG, Scene};

/// Points of the ground from which is looked up.
const LOOKS: usize = 1000;

/// Hulls lie between these heights above the ground, in metres: nearer is the ground itself, and farther
/// a low ceiling.
const HULL_M: [f64; 2] = [5e-4, 0.06];

/// Where more of the ground than this lies under hulls, it is told.
const MUCH: f64 = 0.25;

/// Where the mesh covers less of the ground than this, it is looked whether hulls do.
const FULL: f64 = 0.5;

/// Winding looks careless where so many times as much faces down as up.
const CARELESS: f64 = 2.0;

/// At most so many tags are named.
const TAGS_TOLD: usize = 4;

/// What of a scene could be walked on if all of it were in the open: triangles that face up, and those
/// that would if they were turned over, with their areas in plan.
pub(crate) struct FlatTriangles<'a> {
    scene: &'a Scene,
    frame: Frame,
    /// By number, with the areas up to and with each, in m².
    up: Vec<(u32, f64)>,
    down: Vec<u32>,
    down_m2: f64,
}

impl<'a> FlatTriangles<'a> {
    pub(crate) fn of(scene: &'a Scene, frame: &Frame, agent: &Agent) -> Self {
        let (plain, from_both_sides) =
            (Classifier::new(agent, false), Classifier::new(agent, true));
        let mut flat =
            Self { scene, frame: *frame, up: Vec::new(), down: Vec::new(), down_m2: 0.0 };
        let mut up_m2 = 0.0;
        for t in 0..scene.triangle_count() as u32 {
            let [a, b, c] = flat.corners(t);
            let normal = (b - a).cross(c - a);
            if !from_both_sides.facing(normal, 0).is_ground() {
                continue;
            }
            let in_plan_m2 = 0.5 * normal.z.abs();
            if plain.facing(normal, 0).is_ground() {
                up_m2 += in_plan_m2;
                flat.up.push((t, up_m2));
            } else {
                flat.down_m2 += in_plan_m2;
                flat.down.push(t);
            }
        }
        flat
    }

    /// A triangle's corners with Z up.
    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        let point = |p: u32| DVec3::from(self.frame.canonical_from_user(self.scene.point(p)));
        self.scene.triangles()[triangle as usize].map(point)
    }

    pub(crate) fn up_m2(&self) -> f64 {
        self.up.last().map_or(0.0, |u| u.1)
    }

    /// Areas facing up and down, where that looks careless.
    pub(crate) fn careless_winding(&self) -> Option<[f64; 2]> {
        (self.down_m2 > CARELESS * self.up_m2()).then_some([self.up_m2(), self.down_m2])
    }

    /// Whether a mesh of this area leaves so much out that it is worth looking why.
    pub(crate) fn leaves_much_out(&self, mesh_m2: f64) -> bool {
        mesh_m2 < FULL * self.up_m2()
    }

    /// Looks up from points all over the ground.
    pub(crate) fn under_hulls(&self) -> Option<GroundUnderHulls> {
        let down = |i: u32| self.down[i as usize];
        let tree = BoxTree::build_with(self.down.len(), |i| Aabb::of_points(self.corners(down(i))));
        let mut covered = 0;
        let mut by_tag: BTreeMap<u16, usize> = BTreeMap::new();
        for look in 0..LOOKS {
            let at_m2 = self.up_m2() * (look as f64 + 0.5) / LOOKS as f64;
            let next =
                self.up.partition_point(|u| u.1 <= at_m2).min(self.up.len().saturating_sub(1));
            let (t, _) = self.up.get(next)?;
            let [a, b, c] = self.corners(*t);
            // Somewhere on the triangle: large ones are asked many times.
            let [u, v] = [0.618_033_988_75, 0.754_877_666_25].map(|k| (k * look as f64).fract());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let from = a + (b - a) * u + (c - a) * v;
            let Some(ray) = Ray::new(from, DVec3::Z) else { continue };
            let mut nearest: Option<(f64, u32)> = None;
            tree.visit_column(from.x, from.y, from.z, from.z + HULL_M[1], |i| {
                if let Some(away_m) = ray.meet(&self.corners(down(i)))
                    && (HULL_M[0]..=HULL_M[1]).contains(&away_m)
                    && nearest.is_none_or(|n| away_m < n.0)
                {
                    nearest = Some((away_m, down(i)));
                }
            });
            if let Some((_, t)) = nearest {
                covered += 1;
                *by_tag.entry(self.scene.tag(t as usize).0).or_default() += 1;
            }
        }
        let share = f64::from(covered) / LOOKS as f64;
        if share <= MUCH {
            return None;
        }
        by_tag.remove(&NO_TAG.0);
        let mut tags: Vec<(u16, usize)> = by_tag.into_iter().collect();
        tags.sort_by_key(|(tag, count)| (std::cmp::Reverse(*count), *tag));
        let name = |tag: u16| self.scene.tag_names().get(usize::from(tag)).cloned();
        let tags = tags.into_iter().filter_map(|(tag, _)| name(tag)).take(TAGS_TOLD).collect();
        Some(GroundUnderHulls { share, within_m: HULL_M[1], tags })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_scene::SceneBuilder;

    fn plate(b: &mut SceneBuilder, y: f64, half_m: f64, is_up: bool) {
        let corner = |x: f64, z: f64| [half_m * x, y, half_m * z];
        let [p, q, r, s] =
            [corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)];
        for [p, q, r] in [[p, q, r], [p, r, s]] {
            b.triangle(if is_up { [p, q, r] } else { [p, r, q] });
        }
    }

    fn looked_over<T>(scene: &Scene, look: impl Fn(&FlatTriangles<'_>) -> T) -> T {
        let frame = Frame::with_up([0.0, 1.0, 0.0]).unwrap();
        look(&FlatTriangles::of(scene, &frame, &Agent::default()))
    }

    #[test]
    fn hulls_above_the_ground_are_named_by_their_tags() {
        for (y, half_m, found) in
            [(0.02, 5.0, true), (0.02, 3.0, true), (0.02, 2.0, false), (0.5, 5.0, false)]
        {
            let mut b = SceneBuilder::new();
            b.set_tag(Some("floor"));
            plate(&mut b, 0.0, 5.0, true);
            b.set_tag(Some("Toon/outline"));
            plate(&mut b, y, half_m, false);
            let under = looked_over(&b.finish(), |flat| flat.under_hulls());
            assert_eq!(under.is_some(), found, "{y} {half_m}");
            if let Some(under) = under {
                let share = (half_m / 5.0).powi(2);
                assert!((under.share - share).abs() < 0.03, "{}", under.share);
                assert_eq!(under.tags, ["Toon/outline"]);
            }
        }
    }

    #[test]
    fn what_faces_down_far_more_than_up_looks_careless() {
        for (up, down, careless) in [(1, 1, false), (2, 5, true), (0, 1, true), (0, 0, false)] {
            let mut b = SceneBuilder::new();
            (0..up).for_each(|i| plate(&mut b, f64::from(i), 2.0, true));
            (0..down).for_each(|i| plate(&mut b, 10.0 + f64::from(i), 2.0, false));
            let areas = looked_over(&b.finish(), |flat| flat.careless_winding());
            let expected = careless.then_some([16.0 * f64::from(up), 16.0 * f64::from(down)]);
            assert_eq!(areas, expected);
        }
    }
}
