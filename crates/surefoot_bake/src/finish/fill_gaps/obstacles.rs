//! What stands in the way of a filler (Vermeulen et al. 2018, §V-B.4, and beyond it).
//!
//! Goes in: strips and the scene's triangles. Comes out: the parts of the strips that are free. The
//! source discards a filler that anything intersects, unless it is coplanar. Here a filler is held to
//! what ground is held to: what faces up or sideways blocks between step height and agent height above
//! it, so that small protrusions and whatever is coplanar are stepped over; what faces down blocks from
//! the filler up to the agent's height, so that there is head room. An upright wall is as thick as
//! elsewhere, away from its face, so that no filler leads through the inside of something. Only the
//! connections that meet an obstacle are lost: a slot is filled up to the wall that stands in it.
//!
//! Other ground blocks as well: a filler neither covers ground nor leads past it. Since a connection
//! starts and ends outside of all ground, it meets ground iff it meets a boundary edge; ground that
//! touches the very edge it starts from is asked for by itself.

use crate::borders::obstructions::Overhangs;
use crate::finish::fill_gaps::boundary::{Boundary, BoundaryEdge};
use crate::finish::fill_gaps::connect::NARROWEST_M;
use crate::finish::fill_gaps::strip::{FillerStrip, StripShape, clip_convex};
use crate::input::limits::{LIMIT_SLACK_M, NEARLY_VERTICAL_SINE};
use crate::surface::{Plane, lattice_from_plan};
use glam::{DVec2, DVec3};
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::clip::clip_to_slab;
use surefoot_geom::convex_hull::{convex_hull, convex_hull_of_reals};
use surefoot_geom::polygon::Contour;
use surefoot_geom::{Frame, LatticePoint};
use surefoot_mesh::Agent;
use surefoot_scene::Scene;

/// What faces down at most this far above a filler lies on it, in metres.
const NOISE_M: f64 = 1e-3;

/// Obstacles that cover less of a strip than this are none, in square metres.
const LEAST_AREA_M2: f64 = 1e-6;

/// Ground nearer than this to the start of a filler touches it, in metres: eight lattice units.
const TOUCHING_M: f64 = 8.0 / 65536.0;

/// After so many new ranges it is asked whether anything is left of a strip.
const RANGES_BETWEEN_LOOKS: usize = 16;

/// The scene's triangles with Z up.
pub(crate) struct Obstacles {
    corners: Vec<[DVec3; 3]>,
    tree: BoxTree,
    agent: Agent,
    wall_thickness_m: f64,
}

impl Obstacles {
    /// The triangles of a scene in the frame of a surface.
    pub(crate) fn of(scene: &Scene, frame: &Frame, agent: &Agent, wall_thickness_m: f64) -> Self {
        use surefoot_geom::threads::prelude::*;
        let points: Vec<DVec3> = (0..scene.points().len() as u32)
            .into_par_iter()
            .map(|i| DVec3::from(frame.canonical_from_user(scene.point(i))))
            .collect();
        let corners = scene.triangles().par_iter().map(|t| t.map(|i| points[i as usize])).collect();
        Self::of_triangles(corners, agent, wall_thickness_m)
    }

    /// Triangles given by their corners, in metres.
    pub(crate) fn of_triangles(
        corners: Vec<[DVec3; 3]>,
        agent: &Agent,
        wall_thickness_m: f64,
    ) -> Self {
        let tree = BoxTree::build_with(corners.len(), |t| Aabb::of_points(corners[t as usize]));
        Self { corners, tree, agent: *agent, wall_thickness_m }
    }

    /// Adds the ranges of shares of a strip that something blocks.
    pub(crate) fn block(&self, shape: &StripShape, ranges: &mut Vec<(f64, f64)>) {
        let head_m = self.agent.height_m - LIMIT_SLACK_M;
        let step_m = self.agent.max_step_m + LIMIT_SLACK_M;
        let aside = DVec2::splat(self.wall_thickness_m);
        let bounds = shape.bounds();
        let around = Aabb::new(bounds.lo - aside.extend(0.0), bounds.hi + aside.extend(head_m));
        let parts = shape.triangles().map(|corners| {
            let [a, b, c] = corners;
            let normal = (b - a).cross(c - a);
            let flat = !(normal.z > 1e-12);
            (Plane::through(a, if flat { DVec3::Z } else { normal }), corners, flat)
        });
        let mut near = Vec::new();
        self.tree.visit_box(&around, |t| near.push(t));
        near.sort_unstable();
        let (low_m, high_m) = (bounds.lo.z, bounds.hi.z + head_m);
        let mut known = 0;
        for t in near {
            // Where everything is blocked, nothing more can be.
            if ranges.len() >= known + RANGES_BETWEEN_LOOKS {
                if covers_all(ranges) {
                    return;
                }
                known = ranges.len();
            }
            let triangle = self.corners[t as usize];
            let heights = triangle.map(|c| c.z);
            if heights.iter().all(|&z| z <= low_m) || heights.iter().all(|&z| z >= high_m) {
                continue;
            }
            let beside = |p: DVec3| {
                let nearest = p.truncate().clamp(bounds.lo.truncate(), bounds.hi.truncate());
                p.truncate().distance(nearest)
            };
            // A triangle lies within its longest side of any of its corners.
            let longest = triangle[0]
                .distance(triangle[1])
                .max(triangle[1].distance(triangle[2]))
                .max(triangle[2].distance(triangle[0]));
            if beside(triangle[0]) > longest + aside.x {
                continue;
            }
            let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
            let Some(normal) = normal.try_normalize() else { continue };
            for (plane, corners, flat) in &parts {
                if *flat {
                    continue;
                }
                let above = |p: DVec3| p.z - plane.height_at_m(p.truncate());
                let low_m = if normal.z < -NEARLY_VERTICAL_SINE { NOISE_M } else { step_m };
                let part = clip_to_slab(triangle, above, low_m, head_m);
                if part.points().is_empty() {
                    continue;
                }
                let shadow = self.shadow(part.points(), normal);
                let corners = corners.map(DVec3::truncate);
                let inside = clip_convex(&shape.clip(&shadow), &corners, 0.0);
                if area_m2(&inside) >= LEAST_AREA_M2
                    && let Some(range) = shape.range_of(&inside)
                {
                    if range.0 <= 0.0 && range.1 >= 1.0 {
                        *ranges = vec![(0.0, 1.0)];
                        return;
                    }
                    ranges.push(range);
                }
            }
        }
    }

    /// What a piece of an obstacle covers in plan: as thick as a wall where it is upright. Convex and
    /// counter-clockwise.
    fn shadow(&self, points: &[DVec3], normal: DVec3) -> Vec<DVec2> {
        let mut plan: Vec<DVec2> = points.iter().map(|p| p.truncate()).collect();
        if normal.z.abs() <= NEARLY_VERTICAL_SINE {
            let across = normal.truncate().normalize_or_zero();
            let (low, high) = plan.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| {
                (l.min(p.dot(across)), h.max(p.dot(across)))
            });
            let back = across * (self.wall_thickness_m - (high - low)).max(0.0);
            let behind: Vec<DVec2> = plan.iter().map(|p| *p - back).collect();
            plan.extend(behind);
        }
        convex_hull_of_reals(plan)
    }
}

impl Overhangs for Obstacles {
    fn visit_hanging(
        &self,
        around: &Aabb,
        above: impl Fn(DVec3) -> f64,
        slack_m: f64,
        mut visit: impl FnMut(&[LatticePoint]),
    ) {
        let low_m = self.agent.max_step_m + LIMIT_SLACK_M + slack_m;
        let high_m = self.agent.height_m - LIMIT_SLACK_M - slack_m;
        let beside = DVec2::splat(self.wall_thickness_m).extend(0.0);
        let over = Aabb::new(
            around.lo + DVec3::Z * low_m - beside,
            around.hi + DVec3::Z * high_m + beside,
        );
        self.tree.visit_box(&over, |t| {
            let triangle = self.corners[t as usize];
            let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
            let Some(normal) = normal.try_normalize() else { return };
            let part = clip_to_slab(triangle, &above, low_m, high_m);
            let shadow = self.shadow(part.points(), normal);
            let shadow: Contour = shadow.into_iter().map(lattice_from_plan).collect();
            if let Some(shadow) = convex_hull(shadow) {
                visit(&shadow);
            }
        });
    }
}

/// Whether ranges leave nothing; joins them on the way.
fn covers_all(ranges: &mut Vec<(f64, f64)>) -> bool {
    ranges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    ranges.dedup_by(|next, last| {
        let meet = next.0 <= last.1;
        if meet {
            last.1 = last.1.max(next.1);
        }
        meet
    });
    ranges.len() == 1 && ranges[0].0 <= 0.0 && ranges[0].1 >= 1.0
}

/// Adds the ranges of shares of a strip that other ground blocks.
fn block_by_ground(
    boundary: &Boundary,
    strip: &FillerStrip,
    shape: &StripShape,
    agent_height_m: f64,
    ranges: &mut Vec<(f64, f64)>,
) {
    let bounds = shape.bounds();
    let layer = DVec3::new(0.0, 0.0, agent_height_m);
    let around = Aabb::new(bounds.lo - layer, bounds.hi + layer);
    boundary.tree.visit_box(&around, |i| {
        if i == strip.one || i == strip.two {
            return;
        }
        let edge = boundary.edge(i);
        for (base, on) in [(strip.one, strip.on_one), (strip.two, strip.on_two)] {
            ranges.extend(touching(boundary.edge(base), on, edge, agent_height_m));
        }
        let ends = [edge.start().truncate(), edge.end().truncate()];
        let inside = if edge.is_open() { shape.clip(&ends) } else { shape.clip_along(ends) };
        if inside.len() < 2 {
            return;
        }
        let middle = inside[0].midpoint(inside[1]);
        let along = edge.run();
        let share = (middle - edge.start().truncate()).dot(along) / along.length_squared();
        if (edge.at(share).z - shape.height_at(middle)).abs() < agent_height_m {
            ranges.extend(shape.range_of(&inside));
        }
    });
}

/// The range of shares of a strip, of which `on` is used on `base`, along which another edge runs the
/// other way: ground that touches the base there and lies where the strip would.
fn touching(
    base: &BoundaryEdge,
    on: [f64; 2],
    other: &BoundaryEdge,
    agent_height_m: f64,
) -> Option<(f64, f64)> {
    let run = base.run();
    let length2 = run.length_squared();
    let place = |p: DVec3| (p - base.start()).truncate().dot(run) / length2;
    let (from, to) = (place(other.end()), place(other.start()));
    let (low, high) = (from.max(on[0].min(on[1])), to.min(on[0].max(on[1])));
    if !(low < high) {
        return None;
    }
    let at = |s: f64| other.end().lerp(other.start(), (s - from) / (to - from));
    let near = |s: f64| {
        let d = at(s) - base.at(s);
        d.truncate().length() <= TOUCHING_M && d.z.abs() < agent_height_m
    };
    if !(near(low) && near(high)) {
        return None;
    }
    let share = |s: f64| (s - on[0]) / (on[1] - on[0]);
    let (a, b) = (share(low), share(high));
    Some((a.min(b), a.max(b)))
}

fn area_m2(polygon: &[DVec2]) -> f64 {
    let n = polygon.len();
    (0..n).map(|i| polygon[i].perp_dot(polygon[(i + 1) % n])).sum::<f64>().abs() * 0.5
}

/// What neither the scene nor other ground takes from a strip.
pub(crate) fn free_parts(
    boundary: &Boundary,
    obstacles: &Obstacles,
    agent: &Agent,
    strip: &FillerStrip,
) -> Vec<FillerStrip> {
    let shape = strip.shape(boundary);
    let mut ranges = Vec::new();
    block_by_ground(boundary, strip, &shape, agent.height_m, &mut ranges);
    let beside_ground = strip.without(boundary, &mut ranges, NARROWEST_M);
    beside_ground
        .into_iter()
        .flat_map(|part| {
            ranges.clear();
            obstacles.block(&part.shape(boundary), &mut ranges);
            part.without(boundary, &mut ranges, NARROWEST_M)
        })
        .collect()
}
