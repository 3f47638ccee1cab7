//! The triangles, and those around one place.
//!
//! In goes a scene; out come its triangles with Z up, in a bounding-volume hierarchy, and on request
//! a [`Place`]: the triangles of a small neighbourhood, made ready for looking straight up and down.
//! Which triangle is ground depends on who asks, so nothing about slopes is decided before that.

use crate::settings::Body;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use surefoot_geom::Frame;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_scene::Scene;

/// Vertical part of the unit normal below which a triangle is upright: it leans by less than a
/// twentieth of a degree, and seen from above it is a line.
const UPRIGHT: f64 = 1e-3;

/// A scene's triangles with Z up.
pub(crate) struct World {
    corners: Vec<[DVec3; 3]>,
    /// Bit `i` is set where no other triangle runs along edge `i` the other way.
    loose: Vec<u8>,
    tree: BoxTree,
}

impl World {
    /// `least_up` is the vertical part of the unit normal of the steepest ground.
    pub(crate) fn new(scene: &Scene, frame: &Frame, least_up: f64, two_sided: bool) -> Self {
        let points: Vec<DVec3> = (0..scene.points().len() as u32)
            .into_par_iter()
            .map(|i| frame.canonical_from_user(scene.point(i)))
            .collect();
        let mut corners: Vec<[DVec3; 3]> = scene
            .triangles()
            .par_iter()
            .map(|t| t.map(|i| points[i as usize]))
            .filter(|t| t.iter().all(|p| p.is_finite()))
            .collect();
        if two_sided {
            for t in &mut corners {
                if normal(t).z < 0.0 {
                    t.swap(1, 2);
                }
            }
        } else {
            drop_undersides(&mut corners);
        }
        let loose = loose_edges(&corners, least_up);
        let tree = BoxTree::build_with(corners.len(), |i| Aabb::of_points(corners[i as usize]));
        Self { corners, loose, tree }
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.corners.len()
    }

    pub(crate) fn corners(&self, triangle: u32) -> &[DVec3; 3] {
        &self.corners[triangle as usize]
    }

    /// Triangles in an order in which neighbours in space are mostly neighbours in the list.
    pub(crate) fn along_curve(&self) -> &[u32] {
        self.tree.ids_along_curve()
    }

    /// Collects the triangles around a place that matter to a body.
    pub(crate) fn gather(
        &self,
        body: &Body,
        centre: DVec2,
        reach_m: f64,
        (low_m, high_m): (f64, f64),
        place: &mut Place,
    ) {
        place.facets.clear();
        let reach = DVec2::splat(reach_m);
        self.tree.visit_prism(centre - reach, centre + reach, low_m, high_m, |id| {
            let i = id as usize;
            if let Some(facet) = Facet::new(self.corners[i], self.loose[i], body) {
                place.facets.push(facet);
            }
        });
    }

    /// Whether a surface that faces up lies over a point, above a height, however far.
    pub(crate) fn is_closed_above(&self, at: DVec2, above_m: f64) -> bool {
        let mut found = false;
        self.tree.visit_column(at.x, at.y, above_m, f64::MAX, |id| {
            let t = &self.corners[id as usize];
            found |= upright_part(t) > UPRIGHT && height_over(t, at).is_some_and(|z| z > above_m);
        });
        found
    }
}

/// The normal of a triangle, its length twice the area.
pub(crate) fn normal(t: &[DVec3; 3]) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0])
}

/// The vertical part of a triangle's unit normal.
pub(crate) fn upright_part(t: &[DVec3; 3]) -> f64 {
    let n = normal(t);
    n.z / n.length()
}

/// Twice the area of a triangle in plan, positive when it turns counter-clockwise.
pub(crate) fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// The height of a triangle over a plan point; `None` beside it. Its border belongs to it.
pub(crate) fn height_over(t: &[DVec3; 3], at: DVec2) -> Option<f64> {
    let [a, b, c] = t.map(DVec3::truncate);
    let (u, v, w) = (turn(b, c, at), turn(c, a, at), turn(a, b, at));
    let inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    let sum = u + v + w;
    (inside && sum.abs() > 0.0).then(|| (u * t[0].z + v * t[1].z + w * t[2].z) / sum)
}

/// The bits of a position, for telling equal ones; minus zero is zero.
fn key(p: DVec3) -> [u64; 3] {
    p.to_array().map(|c| (c + 0.0).to_bits())
}

/// Of two triangles that differ in their sense alone, drops the one that faces down: together they
/// are a sheet seen from both sides, and what the lower one begins has no thickness.
fn drop_undersides(corners: &mut Vec<[DVec3; 3]>) {
    let canonical = |t: &[DVec3; 3]| {
        let mut keys = t.map(key);
        keys.sort_unstable();
        keys
    };
    let faces_down: Vec<bool> = corners.par_iter().map(|t| normal(t).z < 0.0).collect();
    let mut order: Vec<([[u64; 3]; 3], u32)> =
        corners.par_iter().enumerate().map(|(i, t)| (canonical(t), i as u32)).collect();
    order.par_sort_unstable();
    let mut drop = vec![false; corners.len()];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        if same.iter().any(|s| !faces_down[s.1 as usize]) {
            for s in same {
                drop[s.1 as usize] = faces_down[s.1 as usize];
            }
        }
    }
    let mut flags = drop.iter();
    corners.retain(|_| !flags.next().copied().unwrap_or(false));
}

/// For every triangle, a bit for each edge along which no other triangle runs the other way.
fn loose_edges(corners: &[[DVec3; 3]], least_up: f64) -> Vec<u8> {
    let mut edges: Vec<([u64; 3], [u64; 3], u32)> = corners
        .par_iter()
        .enumerate()
        .flat_map_iter(|(i, t)| {
            (0..3).map(move |k| (key(t[k]), key(t[(k + 1) % 3]), 4 * i as u32 + k as u32))
        })
        .collect();
    edges.par_sort_unstable();
    let mut loose = vec![0_u8; corners.len()];
    for &(from, to, id) in &edges {
        let first = edges.partition_point(|e| (e.0, e.1) < (to, from));
        // Only ground can carry the ground on.
        let carried = edges[first..]
            .iter()
            .take_while(|e| (e.0, e.1) == (to, from))
            .any(|e| upright_part(&corners[e.2 as usize / 4]) >= least_up);
        if !carried {
            loose[id as usize / 4] |= 1 << (id % 4);
        }
    }
    loose
}

/// What a triangle is to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facing {
    /// Up, and flat enough to walk on.
    Walkable,
    /// Up, and too steep.
    Steep,
    /// Neither up nor down.
    Upright,
    /// Down.
    Down,
}

/// A triangle near a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) corners: [DVec3; 3],
    pub(crate) facing: Facing,
    pub(crate) loose: u8,
    /// The vertical part of its unit normal.
    up: f64,
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    /// Rise along x and y, and the height at the first corner.
    rise: DVec2,
}

impl Facet {
    fn new(corners: [DVec3; 3], loose: u8, body: &Body) -> Option<Self> {
        let n = normal(&corners);
        let up = n.z / n.length();
        // A triangle without area has no normal.
        if up.is_nan() {
            return None;
        }
        let facing = if up >= body.least_up {
            Facing::Walkable
        } else if up > UPRIGHT {
            Facing::Steep
        } else if up >= -UPRIGHT {
            Facing::Upright
        } else {
            Facing::Down
        };
        let [a, b, c] = corners;
        Some(Self {
            corners,
            facing,
            loose,
            up,
            low: a.min(b).min(c),
            high: a.max(b).max(c),
            rise: if facing == Facing::Upright { DVec2::ZERO } else { -n.truncate() / n.z },
        })
    }

    /// The height of its plane over a plan point; nothing useful for an upright one.
    pub(crate) fn plane_height(&self, at: DVec2) -> f64 {
        // Held within the triangle's own heights: far out on a steep needle the plane is noise.
        let z = self.corners[0].z + self.rise.dot(at - self.corners[0].truncate());
        z.clamp(self.low.z, self.high.z)
    }

    /// The horizontal direction in which it falls.
    pub(crate) fn downhill(&self) -> DVec2 {
        (-self.rise).normalize_or_zero()
    }

    fn covers(&self, at: DVec2) -> bool {
        if at.x < self.low.x || at.x > self.high.x || at.y < self.low.y || at.y > self.high.y {
            return false;
        }
        let [a, b, c] = self.corners.map(DVec3::truncate);
        let (u, v, w) = (turn(b, c, at), turn(c, a, at), turn(a, b, at));
        (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0)
    }
}

/// Where a vertical line meets a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) height_m: f64,
    pub(crate) facing: Facing,
    /// Index of the facet.
    pub(crate) facet: u32,
}

/// The triangles around one place.
#[derive(Debug, Default)]
pub(crate) struct Place {
    pub(crate) facets: Vec<Facet>,
    /// What the last vertical line met, from below.
    pub(crate) column: Vec<Meeting>,
}

impl Place {
    /// Looks along the vertical line through a point.
    pub(crate) fn look(&mut self, at: DVec2) {
        self.column.clear();
        for (i, facet) in self.facets.iter().enumerate() {
            if facet.facing != Facing::Upright && facet.covers(at) {
                let height_m = facet.plane_height(at);
                self.column.push(Meeting { height_m, facing: facet.facing, facet: i as u32 });
            }
        }
        self.column
            .sort_unstable_by(|a, b| a.height_m.total_cmp(&b.height_m).then(a.facet.cmp(&b.facet)));
    }
}

impl Facet {
    /// The vertical part of its unit normal.
    pub(crate) fn up(&self) -> f64 {
        self.up
    }
}
