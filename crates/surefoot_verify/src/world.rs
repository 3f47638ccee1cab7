//! The triangles, and those around one place.
//!
//! In goes a scene; out come its triangles with Z up, in a bounding-volume hierarchy, and on request
//! a [`Place`]: the triangles of a small neighbourhood, made ready for looking straight up and down.
//! Which triangle is ground depends on who asks, so nothing about slopes is decided before that.

use crate::settings::{Body, NOISE_M};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::{ByKey, Frame};
use surefoot_scene::{Scene, TagRole};

/// Vertical part of the unit normal below which a triangle is upright: it leans by less than a
/// twentieth of a degree, and seen from above it is a line.
const UPRIGHT: f64 = 1e-3;

/// A triangle and what its tag says of it.
#[derive(Clone, Copy)]
struct Tagged {
    corners: [DVec3; 3],
    role: TagRole,
}

/// A scene's triangles with Z up.
pub(crate) struct World {
    /// All triangles; what each is to a body is told when it is gathered.
    facets: Vec<Facet>,
    tree: BoxTree,
}

impl World {
    /// `least_up` is the vertical part of the unit normal of the steepest ground.
    pub(crate) fn new(scene: &Scene, frame: &Frame, least_up: f64, two_sided: bool) -> Self {
        let points: Vec<DVec3> = (0..scene.points().len() as u32)
            .into_par_iter()
            .map(|i| DVec3::from(frame.canonical_from_user(scene.point(i))))
            .collect();
        let mut triangles: Vec<Tagged> = scene
            .triangles()
            .par_iter()
            .enumerate()
            .map(|(i, t)| Tagged { corners: t.map(|p| points[p as usize]), role: scene.role(i) })
            .filter(|t| t.corners.iter().all(|p| p.is_finite()))
            .collect();
        for Tagged { corners, role } in &mut triangles {
            if (two_sided || *role == TagRole::Ground) && normal(corners).z < 0.0 {
                corners.swap(1, 2);
            }
        }
        if !two_sided {
            drop_undersides(&mut triangles);
        }
        let loose = loose_edges(&triangles, least_up);
        let corners = |i: u32| triangles[i as usize].corners;
        let tree = BoxTree::build_with(triangles.len(), |i| Aabb::of_points(corners(i)));
        let facets =
            triangles.into_par_iter().zip(loose).map(|(t, loose)| Facet::new(t, loose)).collect();
        Self { facets, tree }
    }

    /// Whether a triangle is ground to a body, if nothing is in the way.
    pub(crate) fn is_ground(&self, triangle: u32, body: &Body) -> bool {
        let Facet { up, role, .. } = self.facets[triangle as usize];
        Facing::of(up, role, body) == Facing::Walkable
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.facets.len()
    }

    pub(crate) fn corners(&self, triangle: u32) -> &[DVec3; 3] {
        &self.facets[triangle as usize].corners
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
        place.low = centre - reach;
        place.side_m = 2.0 * reach_m;
        place.heights = (low_m, high_m);
        self.tree.visit_prism(centre - reach, centre + reach, low_m, high_m, |id| {
            let facet = &self.facets[id as usize];
            // A triangle without area has no normal.
            if !facet.up.is_nan() {
                place
                    .facets
                    .push(Facet { facing: Facing::of(facet.up, facet.role, body), ..*facet });
            }
        });
        place.sort_into_bins();
    }

    /// The same, unless the place reaches as far already; if not, a little more is collected than
    /// asked for, so that the next question nearby finds it there.
    pub(crate) fn gather_once(
        &self,
        body: &Body,
        centre: DVec2,
        reach_m: f64,
        (low_m, high_m): (f64, f64),
        place: &mut Place,
    ) {
        const SPARE_M: f64 = 0.3;
        if !place.reaches(centre, reach_m, (low_m, high_m)) {
            let heights = (low_m - SPARE_M, high_m + SPARE_M);
            self.gather(body, centre, reach_m + SPARE_M, heights, place);
        }
    }

    /// Where something solid ends that stands on the ground at a height: the whole vertical line is
    /// asked. If more surfaces facing down than up lie below the height, it is inside something
    /// solid, up to the next surface facing up. If not, the surfaces may be sheets: then it is inside
    /// something solid if the next surface above faces up, and in the open if that is a ceiling.
    pub(crate) fn solid_on(&self, at: DVec2, height_m: f64) -> Option<f64> {
        let mut depth = 0_i64;
        let mut above: Vec<(f64, bool)> = Vec::new();
        self.tree.visit_column(at.x, at.y, f64::MIN, f64::MAX, |id| {
            let Facet { corners, up, .. } = &self.facets[id as usize];
            if !(up.abs() > UPRIGHT) {
                return;
            }
            match height_over(corners, at) {
                Some(z) if z > height_m => above.push((z, *up > 0.0)),
                Some(_) => depth += if *up > 0.0 { -1 } else { 1 },
                None => {}
            }
        });
        let lowest = |up_only: bool| {
            let heights = above.iter().filter(|m| m.1 || !up_only).map(|m| m.0);
            heights.fold(f64::INFINITY, f64::min)
        };
        let (next, end) = (lowest(false), lowest(true));
        if end.is_finite() && (depth > 0 || end <= next + NOISE_M) { Some(end) } else { None }
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
fn drop_undersides(triangles: &mut Vec<Tagged>) {
    let canonical = |t: &Tagged| {
        let mut keys = t.corners.map(key);
        keys.sort_unstable();
        keys
    };
    let faces_down: Vec<bool> = triangles.par_iter().map(|t| normal(&t.corners).z < 0.0).collect();
    let mut order: Vec<([[u64; 3]; 3], u32)> =
        triangles.par_iter().enumerate().map(|(i, t)| (canonical(t), i as u32)).collect();
    order.par_sort_unstable();
    let mut drop = vec![false; triangles.len()];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        if same.iter().any(|s| !faces_down[s.1 as usize]) {
            for s in same {
                drop[s.1 as usize] = faces_down[s.1 as usize];
            }
        }
    }
    let mut flags = drop.iter();
    triangles.retain(|_| !flags.next().copied().unwrap_or(false));
}

/// For every triangle, a bit for each edge along which no other triangle runs the other way.
fn loose_edges(triangles: &[Tagged], least_up: f64) -> Vec<u8> {
    let mut edges: Vec<([u64; 3], [u64; 3], u32)> = triangles
        .par_iter()
        .enumerate()
        .flat_map_iter(|(i, t)| {
            let key_at = move |k: usize| key(t.corners[k % 3]);
            (0..3).map(move |k| (key_at(k), key_at(k + 1), 4 * i as u32 + k as u32))
        })
        .collect();
    edges.par_sort_unstable();
    let mut loose = vec![0_u8; triangles.len()];
    for &(from, to, id) in &edges {
        let first = edges.partition_point(|e| (e.0, e.1) < (to, from));
        // Only ground can carry the ground on.
        let carried = edges[first..].iter().take_while(|e| (e.0, e.1) == (to, from)).any(|e| {
            let Tagged { corners, role } = &triangles[e.2 as usize / 4];
            Facing::is_walkable(upright_part(corners), *role, least_up)
        });
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

impl Facing {
    fn is_walkable(up: f64, role: TagRole, least_up: f64) -> bool {
        match role {
            TagRole::ByGeometry => up >= least_up,
            TagRole::Obstacle => false,
            TagRole::Ground => up > UPRIGHT,
        }
    }

    /// What a triangle with this vertical part of its unit normal is to a body.
    fn of(up: f64, role: TagRole, body: &Body) -> Self {
        if Self::is_walkable(up, role, body.least_up) {
            Self::Walkable
        } else if up > UPRIGHT {
            // What is in the way by its tag begins something solid, as an underside does.
            if role == TagRole::Obstacle { Self::Down } else { Self::Steep }
        } else if up >= -UPRIGHT {
            Self::Upright
        } else {
            Self::Down
        }
    }
}

/// A triangle, ready for looking straight up and down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) corners: [DVec3; 3],
    pub(crate) facing: Facing,
    pub(crate) loose: u8,
    role: TagRole,
    /// The vertical part of its unit normal.
    up: f64,
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    /// Rise along x and y, and the height at the first corner.
    rise: DVec2,
}

impl Facet {
    fn new(Tagged { corners, role }: Tagged, loose: u8) -> Self {
        let n = normal(&corners);
        let up = n.z / n.length();
        let [a, b, c] = corners;
        Self {
            corners,
            facing: Facing::Upright,
            loose,
            role,
            up,
            low: a.min(b).min(c),
            high: a.max(b).max(c),
            rise: if up.abs() > UPRIGHT { -n.truncate() / n.z } else { DVec2::ZERO },
        }
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

    /// The horizontal direction that an upright one faces.
    pub(crate) fn front(&self) -> DVec2 {
        normal(&self.corners).truncate().normalize_or_zero()
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

/// Places with more triangles than this get bins.
const BINS_FROM: usize = 48;

/// Bins along each side of a place.
const BINS: usize = 16;

/// The triangles around one place.
#[derive(Debug, Default)]
pub(crate) struct Place {
    pub(crate) facets: Vec<Facet>,
    /// What the last vertical line met, from below.
    pub(crate) column: Vec<Meeting>,
    low: DVec2,
    side_m: f64,
    heights: (f64, f64),
    /// The facets over each bin, where there are enough of them.
    bins: Option<ByKey<u32>>,
}

impl Place {
    /// Whether it holds everything around a centre between two heights.
    fn reaches(&self, centre: DVec2, reach_m: f64, (low_m, high_m): (f64, f64)) -> bool {
        let reach = DVec2::splat(reach_m);
        let high = self.low + DVec2::splat(self.side_m);
        self.low.cmple(centre - reach).all()
            && high.cmpge(centre + reach).all()
            && self.heights.0 <= low_m
            && self.heights.1 >= high_m
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.facets.clear();
        self.side_m = 0.0;
        self.heights = (0.0, 0.0);
    }

    /// The bins that a stretch of one axis touches; what lies beside the place is counted to its
    /// border.
    fn bins_along(&self, low: f64, high: f64, axis: usize) -> (usize, usize) {
        let bin = |v: f64| {
            // `as` takes what is negative to zero.
            (((v - self.low[axis]) / self.side_m * BINS as f64) as usize).min(BINS - 1)
        };
        (bin(low), bin(high))
    }

    fn sort_into_bins(&mut self) {
        if self.facets.len() < BINS_FROM {
            self.bins = None;
            return;
        }
        let over_bins =
            self.facets.iter().zip(0..).filter(|(f, _)| f.facing != Facing::Upright).flat_map(
                |(f, index)| {
                    let (i0, i1) = self.bins_along(f.low.x, f.high.x, 0);
                    let (j0, j1) = self.bins_along(f.low.y, f.high.y, 1);
                    (i0..=i1).flat_map(move |i| (j0..=j1).map(move |j| (i * BINS + j, index)))
                },
            );
        self.bins = Some(ByKey::sort(BINS * BINS, over_bins));
    }

    /// Looks along the vertical line through a point.
    pub(crate) fn look(&mut self, at: DVec2) {
        self.column.clear();
        let meet = |index: u32, column: &mut Vec<Meeting>| {
            let facet = &self.facets[index as usize];
            if facet.facing != Facing::Upright && facet.covers(at) {
                let height_m = facet.plane_height(at);
                column.push(Meeting { height_m, facing: facet.facing, facet: index });
            }
        };
        match &self.bins {
            None => {
                for index in 0..self.facets.len() as u32 {
                    meet(index, &mut self.column);
                }
            }
            Some(bins) => {
                let ((i, _), (j, _)) =
                    (self.bins_along(at.x, at.x, 0), self.bins_along(at.y, at.y, 1));
                for &index in bins.of(i * BINS + j) {
                    meet(index, &mut self.column);
                }
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
