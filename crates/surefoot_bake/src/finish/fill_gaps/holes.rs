//! Fills holes: unites the strips between edges of one cycle (Vermeulen et al. 2018, §V-D).
//!
//! Goes in: strips that begin and end on the same cycle, and the fillers already chosen between cycles.
//! Comes out: polygons in plan whose corners know their heights. The strips of a cycle are projected
//! and united. A hole that they cover whole is filled as it is; otherwise what they cover is. The
//! source asks that the whole cycle projects to a simple polygon. Here only strips that meet are united,
//! and strips of one cycle that lie over each other in different layers are not: they are laid one by
//! one. So a cycle may wind as it likes. Corners inside a hole get their heights from the ground's
//! corners within reach, weighted by the inverse of their distance.

use crate::finish::fill_gaps::boundary::Boundary;
use crate::finish::fill_gaps::splits::{Splits, move_outside};
use crate::finish::fill_gaps::strip::{FillerStrip, StripShape};
use crate::surface::{WalkableSurface, plan_m, plan_units};
use glam::DVec2;
use std::collections::BTreeMap;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::overlay::{Overlayer, SetOperation, flatten};
use surefoot_geom::polygon::{Contour, Polygon, contour_area2};
use surefoot_geom::predicates::{on_segment, orient, segments_cross};
use surefoot_geom::threads::prelude::*;
use surefoot_geom::{DisjointSets, LatticePoint};

/// Pieces and leftovers smaller than this are rounding, in square metres: four square millimetres.
const SPECK_M2: f64 = 4e-6;

/// What strips leave of a hole is closed up to this width, and patches narrower than it are none, in
/// metres: cracks between fillers are no gaps.
const CRACK_M: f64 = 1e-3;

/// How far beside a line a corner may lie that rounding took off it, in lattice units.
const BESIDE_UNITS: f64 = 2.5;

/// Cycles of more edges than this are not asked whether they are simple: they are never filled whole.
const MOST_CORNERS: usize = 4096;

/// A filler between two cycles as it is laid: two chains of corners along its edges, and more on its
/// sides where others meet it.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    /// The corners along the two edges, counter-clockwise: first those of the first edge.
    pub(crate) chains: [Vec<(LatticePoint, f64)>; 2],
    /// The boundary edges that it joins.
    pub(crate) edges: [u32; 2],
    /// Points on the side after the first chain and after the second.
    pub(crate) beside: [Vec<LatticePoint>; 2],
}

impl Connector {
    /// Its outline, with the corners of others on its sides.
    pub(crate) fn outline(&self) -> Contour {
        let mut outline = Contour::new();
        for (chain, beside) in self.chains.iter().zip(&self.beside) {
            outline.extend(chain.iter().map(|c| c.0));
            if let Some(&(last, _)) = chain.last() {
                outline.extend(sorted_from(last, beside));
            }
        }
        outline.dedup();
        if outline.len() > 1 && outline.first() == outline.last() {
            outline.pop();
        }
        outline
    }

    pub(crate) fn corners(&self) -> impl Iterator<Item = (LatticePoint, f64)> + '_ {
        self.chains.iter().flatten().copied()
    }

    /// The ends of the side after a chain.
    fn side(&self, k: usize) -> Option<[(LatticePoint, f64); 2]> {
        Some([*self.chains[k].last()?, *self.chains[1 - k].first()?])
    }

    /// Takes on the corners of ground that runs along its sides; returns its own corners on such edges.
    pub(crate) fn meet_ground(
        &mut self,
        boundary: &Boundary,
        agent_height_m: f64,
    ) -> Vec<(u32, LatticePoint)> {
        let mut on_edges = Vec::new();
        for k in 0..2 {
            let Some([(a, from_m), (b, to_m)]) = self.side(k) else { continue };
            let (p, q) = (plan_m(a).extend(from_m), plan_m(b).extend(to_m));
            let layer = glam::DVec3::new(0.0, 0.0, 0.5 * agent_height_m);
            let bounds = Aabb::of_points([p, q]);
            let mut near = Vec::new();
            let around = Aabb::new(bounds.lo - layer, bounds.hi + layer);
            boundary.tree.visit_box(&around, |i| near.push(i));
            near.sort_unstable();
            for i in near.into_iter().filter(|i| !self.edges.contains(i)) {
                let edge = boundary.edge(i);
                let on_side =
                    [edge.from, edge.to].map(|c| c == a || c == b || lies_beside(a, b, c));
                let on_edge = [a, b].map(|c| lies_beside(edge.from, edge.to, c));
                // Two points in common make a stretch; one is a corner that touches.
                let common = on_side.iter().chain(&on_edge).filter(|x| **x).count();
                if common < 2 {
                    continue;
                }
                let inner = [edge.from, edge.to].into_iter().filter(|&c| lies_beside(a, b, c));
                self.beside[k].extend(inner);
                on_edges.extend(
                    [a, b]
                        .into_iter()
                        .filter(|&c| lies_beside(edge.from, edge.to, c))
                        .map(|c| (i, c)),
                );
            }
        }
        on_edges
    }

    /// The height of a point on one of its sides, in metres; `None` for any other.
    fn side_height_m(&self, p: LatticePoint) -> Option<f64> {
        (0..2).find_map(|k| {
            let [(a, from), (b, to)] = self.side(k)?;
            let run = plan_m(b) - plan_m(a);
            let share = || (plan_m(p) - plan_m(a)).dot(run) / run.length_squared();
            lies_beside(a, b, p).then(|| from + (to - from) * share())
        })
    }

    /// The height of a corner of the outline, in metres.
    pub(crate) fn height_m(&self, p: LatticePoint) -> f64 {
        let corner = self.corners().find(|c| c.0 == p).map(|c| c.1);
        corner.or_else(|| self.side_height_m(p)).unwrap_or_default()
    }
}

fn sorted_from(start: LatticePoint, points: &[LatticePoint]) -> Vec<LatticePoint> {
    let mut sorted = points.to_vec();
    sorted.sort_unstable_by_key(|p| (p.distance2(start), *p));
    sorted.dedup();
    sorted
}

/// A polygon of filler.
#[derive(Clone, Debug)]
pub(crate) struct FillerPatch {
    pub(crate) polygon: Polygon,
    /// The height of every corner, in metres.
    pub(crate) heights_m: BTreeMap<LatticePoint, f64>,
    /// A boundary edge that it lies at.
    pub(crate) edge: u32,
    /// Corners along boundary edges.
    pub(crate) on_edges: Vec<(u32, LatticePoint)>,
}

/// What the strips of a group cover.
struct CoveredGround {
    outlines: Vec<Contour>,
    /// The heights of corners along boundary edges, in metres.
    heights: BTreeMap<LatticePoint, f64>,
    /// The boundary edges that the strips lie between, sorted.
    edges: Vec<u32>,
    bounds: Aabb,
}

/// How much of a hole is covered.
enum HoleCover {
    /// All of it.
    Whole(FillerPatch),
    /// These polygons.
    InPart(Vec<Polygon>),
}

/// What fillers within cycles are made of.
pub(crate) struct Holes<'a> {
    pub(crate) surface: &'a WalkableSurface,
    pub(crate) boundary: &'a Boundary,
    pub(crate) splits: &'a Splits,
    pub(crate) reach_m: f64,
    pub(crate) agent_height_m: f64,
}

impl Holes<'_> {
    /// The patches of all cycles, and corners that they have on the sides of connectors.
    pub(crate) fn patches(
        &self,
        strips: &[FillerStrip],
        connectors: &mut [Connector],
    ) -> Vec<FillerPatch> {
        let mut by_cycle: BTreeMap<u32, Vec<FillerStrip>> = BTreeMap::new();
        for s in strips {
            by_cycle.entry(self.boundary.edge(s.one).cycle).or_default().push(*s);
        }
        let connector_tree = BoxTree::build_with(connectors.len(), |i| {
            let corners = connectors[i as usize].corners();
            Aabb::of_points(corners.map(|(p, height_m)| plan_m(p).extend(height_m)))
        });
        let groups: Vec<Vec<FillerStrip>> =
            by_cycle.into_values().flat_map(|strips| self.layers(strips)).collect();
        let shared: &[Connector] = connectors;
        let patches: Vec<FillerPatch> = groups
            .into_par_iter()
            .map_init(Overlayer::new, |overlayer, group| {
                self.unite(&group, shared, &connector_tree, overlayer)
            })
            .flatten_iter()
            .collect();
        // Corners of patches on the sides of connectors become theirs too.
        for patch in &patches {
            for p in patch.polygon.contours.iter().flatten() {
                let at = plan_m(*p);
                let reach = DVec2::splat(BESIDE_UNITS * M_PER_LATTICE);
                let height_m = patch.heights_m.get(p).copied().unwrap_or_default();
                let mut touched = Vec::new();
                connector_tree.visit_prism(
                    at - reach,
                    at + reach,
                    height_m - self.agent_height_m,
                    height_m + self.agent_height_m,
                    |i| touched.push(i),
                );
                for i in touched {
                    let connector = &mut connectors[i as usize];
                    if connector.corners().any(|c| c.0 == *p) {
                        continue;
                    }
                    let side = (0..2).find(|&k| {
                        connector.side(k).is_some_and(|[a, b]| lies_beside(a.0, b.0, *p))
                    });
                    if let Some(k) = side {
                        connector.beside[k].push(*p);
                    }
                }
            }
        }
        patches
    }

    /// Strips of one cycle in groups of which none lies over itself in another layer.
    fn layers(&self, strips: Vec<FillerStrip>) -> Vec<Vec<FillerStrip>> {
        let shapes: Vec<StripShape> = strips.iter().map(|s| s.shape(self.boundary)).collect();
        let heights = shapes.iter().flat_map(|s| s.corners).map(|c| c.z);
        let (low, high) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        if high - low < self.agent_height_m {
            return vec![strips];
        }
        let tree = BoxTree::build_with(shapes.len(), |i| {
            let b = shapes[i as usize].bounds();
            Aabb::in_plan(b.lo.truncate(), b.hi.truncate())
        });
        let mut sets = DisjointSets::new(strips.len());
        let mut apart: Vec<(u32, u32)> = Vec::new();
        for (i, shape) in shapes.iter().enumerate() {
            let b = shape.bounds();
            tree.visit_box(&Aabb::in_plan(b.lo.truncate(), b.hi.truncate()), |j| {
                if (j as usize) <= i {
                    return;
                }
                let other = &shapes[j as usize];
                let inside = shape.clip(&other.plan());
                if inside.len() < 3 {
                    return;
                }
                let middle = inside.iter().copied().sum::<DVec2>() / inside.len() as f64;
                let apart_m = (shape.height_at(middle) - other.height_at(middle)).abs();
                if apart_m < self.agent_height_m {
                    sets.join(i as u32, j);
                } else {
                    apart.push((i as u32, j));
                }
            });
        }
        let mut winding = vec![false; strips.len()];
        for (i, j) in apart {
            let (a, b) = (sets.find(i), sets.find(j));
            if a == b {
                winding[a as usize] = true;
            }
        }
        let mut groups: BTreeMap<u32, Vec<FillerStrip>> = BTreeMap::new();
        for (i, strip) in strips.into_iter().enumerate() {
            groups.entry(sets.find(i as u32)).or_default().push(strip);
        }
        groups
            .into_iter()
            .flat_map(|(root, group)| {
                if winding[root as usize] {
                    let least = crate::finish::fill_gaps::connect::NARROWEST_M;
                    let height_m = self.agent_height_m;
                    crate::finish::fill_gaps::choose::without_crossings(
                        self.boundary,
                        group,
                        height_m,
                        least,
                    )
                    .into_iter()
                    .map(|s| vec![s])
                    .collect()
                } else {
                    vec![group]
                }
            })
            .collect()
    }

    /// The united strips of one group, less the connectors of its layer.
    fn unite(
        &self,
        group: &[FillerStrip],
        connectors: &[Connector],
        connector_tree: &BoxTree,
        overlayer: &mut Overlayer,
    ) -> Vec<FillerPatch> {
        let CoveredGround { outlines, heights, edges, bounds } = self.covered_by(group);
        if outlines.is_empty() {
            return Vec::new();
        }
        let mut united = overlayer.union(&outlines);
        let mut near = Vec::new();
        let layer = glam::DVec3::new(0.0, 0.0, 0.5 * self.agent_height_m);
        connector_tree
            .visit_box(&Aabb::new(bounds.lo - layer, bounds.hi + layer), |i| near.push(i));
        near.sort_unstable();
        let clips: Vec<Contour> = near
            .iter()
            .map(|&i| connectors[i as usize].outline())
            .filter(|c| c.len() >= 3 && contour_area2(c) > 0)
            .collect();
        if !clips.is_empty() {
            united = overlayer.run(SetOperation::Difference, &flatten(united), &clips);
        }
        if let Some(hole) = simple_hole(self.boundary, edges[0]) {
            match self.close_hole(&hole, united, &clips, overlayer) {
                HoleCover::Whole(patch) => return vec![patch],
                HoleCover::InPart(polygons) => united = polygons,
            }
        }
        let near_connectors: Vec<&Connector> =
            near.iter().map(|&i| &connectors[i as usize]).collect();
        let corners = self.corners_within(&bounds, &heights);
        let first = edges[0];
        let edges = NearEdges::new(self.boundary, self.edges_within(&bounds));
        let polygons: Vec<Polygon> = united
            .into_iter()
            .filter_map(|polygon| tidy(polygon, &edges))
            .map(|polygon| without_cracks(with_corners(polygon, &corners)))
            .collect();
        // Moving corners to the outside of the ground may fold a sliver over: mend that.
        overlayer
            .settle(&polygons)
            .into_iter()
            .filter(|p| p.area_m2() >= SPECK_M2 && width_m(p) >= CRACK_M)
            .map(|polygon| self.patch(polygon, &heights, &near_connectors, &edges, first))
            .collect()
    }

    /// What the strips of a group cover.
    fn covered_by(&self, group: &[FillerStrip]) -> CoveredGround {
        let mut known: BTreeMap<LatticePoint, (f64, u32)> = BTreeMap::new();
        let mut edges: Vec<u32> = Vec::new();
        let mut outlines: Vec<Contour> = Vec::new();
        let mut bounds = Aabb::EMPTY;
        for strip in group {
            let mut outline = Contour::new();
            for (edge, on) in
                [(strip.one, [strip.on_one[1], strip.on_one[0]]), (strip.two, strip.on_two)]
            {
                let chain = self.splits.chain(self.boundary, edge, on);
                let plane = &self.surface.faces[self.boundary.edge(edge).face as usize].plane;
                for &p in &chain {
                    let entry = known.entry(p).or_default();
                    *entry = (entry.0 + plane.height_at(p), entry.1 + 1);
                }
                outline.extend(chain);
                edges.push(edge);
            }
            outline.dedup();
            if outline.len() > 1 && outline.first() == outline.last() {
                outline.pop();
            }
            if outline.len() >= 3 && contour_area2(&outline) > 0 {
                outlines.push(outline);
                bounds = bounds.union(strip.shape(self.boundary).bounds());
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let heights = known.into_iter().map(|(p, (sum, n))| (p, sum / f64::from(n))).collect();
        CoveredGround { outlines, heights, edges, bounds }
    }

    /// Fills a hole as it is where it is covered whole and has nothing in it; otherwise closes the cracks
    /// that strips leave of it.
    fn close_hole(
        &self,
        hole: &[u32],
        united: Vec<Polygon>,
        clips: &[Contour],
        overlayer: &mut Overlayer,
    ) -> HoleCover {
        let mut covered = flatten(united.clone());
        covered.extend(clips.iter().cloned());
        let left = leftover(self.boundary, hole, &covered, overlayer);
        if left.is_empty() && clips.is_empty() && is_bare(self.boundary, hole, self.agent_height_m)
        {
            return HoleCover::Whole(whole_patch(self.boundary, hole));
        }
        let cracks: Vec<Contour> =
            left.into_iter().filter(|p| width_m(p) < CRACK_M).flat_map(|p| p.contours).collect();
        if cracks.is_empty() {
            return HoleCover::InPart(united);
        }
        let none: [Contour; 0] = [];
        let all = [flatten(united), cracks].concat();
        HoleCover::InPart(overlayer.run(SetOperation::Union, &all, &none))
    }

    /// The boundary edges in a box and its layer.
    fn edges_within(&self, bounds: &Aabb) -> Vec<u32> {
        let layer = glam::DVec3::new(0.0, 0.0, 0.5 * self.agent_height_m);
        let mut edges = Vec::new();
        let around = Aabb::new(bounds.lo - layer, bounds.hi + layer);
        self.boundary.tree.visit_box(&around, |i| edges.push(i));
        edges.sort_unstable();
        edges
    }

    /// All corners of the ground and of strips in a box.
    fn corners_within(&self, bounds: &Aabb, known: &BTreeMap<LatticePoint, f64>) -> Corners {
        let mut points: Vec<LatticePoint> = known.keys().copied().collect();
        for i in self.edges_within(bounds) {
            let edge = self.boundary.edge(i);
            points.extend([edge.from, edge.to]);
        }
        points.sort_unstable();
        points.dedup();
        let tree = BoxTree::build_with(points.len(), |i| {
            let at = plan_m(points[i as usize]);
            Aabb::in_plan(at, at)
        });
        Corners { points, tree }
    }

    fn patch(
        &self,
        polygon: Polygon,
        known: &BTreeMap<LatticePoint, f64>,
        connectors: &[&Connector],
        edges: &NearEdges<'_>,
        edge: u32,
    ) -> FillerPatch {
        let known_points: Vec<(DVec2, f64)> = known.iter().map(|(p, z)| (plan_m(*p), *z)).collect();
        let tree = BoxTree::build_with(known_points.len(), |i| {
            let at = known_points[i as usize].0;
            Aabb::in_plan(at, at)
        });
        let mut heights_m = BTreeMap::new();
        let mut on_edges = Vec::new();
        for &p in polygon.contours.iter().flatten() {
            let at = plan_m(p);
            let mut on_edge = None;
            edges.visit(p, |e| {
                on_edges.push((e, p));
                let plane = &self.surface.faces[self.boundary.edge(e).face as usize].plane;
                on_edge = Some(plane.height_at(p));
            });
            let on_side = || {
                connectors.iter().find_map(|c| {
                    let corner = c.corners().find(|c| c.0 == p).map(|c| c.1);
                    corner.or_else(|| c.side_height_m(p))
                })
            };
            let height_m = known
                .get(&p)
                .copied()
                .or(on_edge)
                .or_else(on_side)
                .unwrap_or_else(|| self.weighted_height_m(at, &known_points, &tree));
            heights_m.insert(p, height_m);
        }
        on_edges.sort_unstable();
        on_edges.dedup();
        FillerPatch { polygon, heights_m, edge, on_edges }
    }

    /// The height at a plan point from those of corners within reach, weighted by inverse distance.
    fn weighted_height_m(&self, at: DVec2, known: &[(DVec2, f64)], tree: &BoxTree) -> f64 {
        let mut reach = 1.5 * self.reach_m;
        // Every point of a strip has corners within a few reaches, unless its edges are long.
        for _ in 0..24 {
            let mut near = Vec::new();
            tree.visit_box(
                &Aabb::in_plan(at - DVec2::splat(reach), at + DVec2::splat(reach)),
                |i| near.push(i),
            );
            if !near.is_empty() {
                near.sort_unstable();
                let (mut sum, mut weights) = (0.0, 0.0);
                for i in near {
                    let (p, z) = known[i as usize];
                    let weight = 1.0 / p.distance(at).max(M_PER_LATTICE);
                    sum += weight * z;
                    weights += weight;
                }
                return sum / weights;
            }
            reach *= 2.0;
        }
        0.0
    }
}

/// Some boundary edges, to be found by place.
struct NearEdges<'a> {
    boundary: &'a Boundary,
    ids: Vec<u32>,
    tree: BoxTree,
}

impl<'a> NearEdges<'a> {
    fn new(boundary: &'a Boundary, ids: Vec<u32>) -> Self {
        let tree = BoxTree::build_with(ids.len(), |i| {
            let edge = boundary.edge(ids[i as usize]);
            let (a, b) = (plan_m(edge.from), plan_m(edge.to));
            Aabb::in_plan(a.min(b), a.max(b))
        });
        Self { boundary, ids, tree }
    }

    /// The edges that a point lies beside, in order.
    fn visit(&self, p: LatticePoint, visit: impl FnMut(u32)) {
        let aside = DVec2::splat(BESIDE_UNITS * M_PER_LATTICE);
        let mut found = Vec::new();
        self.tree.visit_box(&Aabb::in_plan(plan_m(p) - aside, plan_m(p) + aside), |i| {
            let edge = self.boundary.edge(self.ids[i as usize]);
            if lies_beside(edge.from, edge.to, p) {
                found.push(self.ids[i as usize]);
            }
        });
        found.sort_unstable();
        found.into_iter().for_each(visit);
    }
}

/// Lattice points, to be found by place.
struct Corners {
    points: Vec<LatticePoint>,
    tree: BoxTree,
}

/// The polygon with a corner wherever one of the ground lies beside an edge of it: neighbours share
/// whole edges.
fn with_corners(mut polygon: Polygon, corners: &Corners) -> Polygon {
    for contour in &mut polygon.contours {
        let old = std::mem::take(contour);
        for (i, &a) in old.iter().enumerate() {
            let b = old[(i + 1) % old.len()];
            let aside = DVec2::splat(BESIDE_UNITS * M_PER_LATTICE);
            let (low, high) = (plan_m(a).min(plan_m(b)), plan_m(a).max(plan_m(b)));
            let mut found = Vec::new();
            corners.tree.visit_box(&Aabb::in_plan(low - aside, high + aside), |k| {
                let p = corners.points[k as usize];
                if lies_beside(a, b, p) {
                    found.push(p);
                }
            });
            contour.push(a);
            contour.extend(sorted_from(a, &found));
        }
    }
    polygon
}

/// The polygon without notches that are open by no more than a crack.
fn without_cracks(mut polygon: Polygon) -> Polygon {
    for contour in &mut polygon.contours {
        let mut i = 0;
        // Each turn moves on or removes a corner.
        while contour.len() > 3 && i < contour.len() {
            let n = contour.len();
            let (a, b, c) = (contour[(i + n - 1) % n], contour[i], contour[(i + 1) % n]);
            let open_m = plan_m(a).distance(plan_m(c));
            let deep_m = plan_m(b).distance(plan_m(a)).min(plan_m(b).distance(plan_m(c)));
            if orient(a, b, c) < 0 && open_m <= CRACK_M && deep_m >= 2.0 * open_m {
                contour.remove(i);
                i = i.saturating_sub(1);
            } else {
                i += 1;
            }
        }
    }
    polygon
}

/// Drops specks, and moves corners that rounding put into the ground to its border.
fn tidy(mut polygon: Polygon, edges: &NearEdges<'_>) -> Option<Polygon> {
    let speck2 = 2.0 * SPECK_M2 * LATTICE_PER_M * LATTICE_PER_M;
    if (polygon.area2() as f64) < speck2 {
        return None;
    }
    let mut first = true;
    polygon.contours.retain(|c| {
        let keep = first || contour_area2(c).abs() as f64 >= speck2;
        first = false;
        keep
    });
    for p in polygon.contours.iter_mut().flatten() {
        let mut moved = *p;
        edges.visit(*p, |e| {
            let edge = edges.boundary.edge(e);
            if orient(edge.from, edge.to, moved) > 0 {
                moved = move_outside(edge, moved);
            }
        });
        *p = moved;
    }
    Some(polygon)
}

/// Whether a point lies on a segment up to rounding, and is not one of its ends.
fn lies_beside(a: LatticePoint, b: LatticePoint, p: LatticePoint) -> bool {
    let run = plan_units(b) - plan_units(a);
    let length = run.length();
    if p == a || p == b || !(length > 0.0) {
        return false;
    }
    let along = (plan_units(p) - plan_units(a)).dot(run) / length;
    let aside = orient(a, b, p).abs() as f64 / length;
    along > 0.0 && along < length && aside <= BESIDE_UNITS
}

/// The edges of an edge's cycle in the order around its hole, counter-clockwise seen from the hole; `None`
/// where it is the outer border of ground or not simple in plan.
pub(crate) fn simple_hole(boundary: &Boundary, start: u32) -> Option<Vec<u32>> {
    let mut around = vec![start];
    let mut at = boundary.edge(start).previous;
    while at != start {
        if around.len() > MOST_CORNERS {
            return None;
        }
        around.push(at);
        at = boundary.edge(at).previous;
    }
    // The ground lies to the left of its edges, so the hole is counter-clockwise against them.
    let contour: Contour = around.iter().map(|&e| boundary.edge(e).to).collect();
    if contour.len() < 3 || contour_area2(&contour) <= 0 || !is_simple(&contour) {
        return None;
    }
    // Each edge must begin where the one before it ends, in plan.
    around
        .iter()
        .all(|&e| boundary.edge(boundary.edge(e).next).from == boundary.edge(e).to)
        .then_some(around)
}

/// What contours leave of a hole, up to rounding.
pub(crate) fn leftover(
    boundary: &Boundary,
    hole: &[u32],
    covered: &[Contour],
    overlayer: &mut Overlayer,
) -> Vec<Polygon> {
    let subject: Vec<Contour> = vec![hole.iter().map(|&e| boundary.edge(e).to).collect()];
    let mut left = overlayer.run(SetOperation::Difference, &subject, covered);
    left.retain(|p| p.area_m2() >= SPECK_M2);
    left
}

/// Whether no other ground lies in a hole, within the agent's height of it: no edge of another cycle passes through its
/// inside. Areas do not tell: ground may be as small as what rounding leaves.
pub(crate) fn is_bare(boundary: &Boundary, hole: &[u32], agent_height_m: f64) -> bool {
    let contour: Contour = hole.iter().map(|&e| boundary.edge(e).to).collect();
    let bounds =
        hole.iter().map(|&e| boundary.edge(e).bounds()).fold(Aabb::EMPTY, |all, b| all.union(b));
    let layer = glam::DVec3::new(0.0, 0.0, agent_height_m);
    let (own, mut is_bare) = (boundary.edge(hole[0]).cycle, true);
    boundary.tree.visit_box(&Aabb::new(bounds.lo - layer, bounds.hi + layer), |i| {
        let edge = boundary.edge(i);
        is_bare &= edge.cycle == own || !passes_through(&contour, edge.from, edge.to);
    });
    is_bare
}

/// Whether a segment passes through the inside of a simple contour. Exact.
fn passes_through(contour: &[LatticePoint], a: LatticePoint, b: LatticePoint) -> bool {
    let sides = || contour.iter().zip(contour.iter().cycle().skip(1));
    if sides().any(|(&c, &d)| segments_cross(a, b, c, d)) {
        return true;
    }
    // Between its ends and corners that lie on it, it stays inside, outside or on the border.
    let mut stops: Vec<LatticePoint> =
        contour.iter().copied().filter(|&c| on_segment(a, b, c)).chain([a, b]).collect();
    stops.sort_unstable_by_key(|p| p.distance2(a));
    stops.windows(2).any(|ends| holds_middle(contour, ends[0], ends[1]))
}

/// Whether the middle between two points lies inside of a simple contour, and not on its border. Exact.
fn holds_middle(contour: &[LatticePoint], a: LatticePoint, b: LatticePoint) -> bool {
    let twice = [i64::from(a.x) + i64::from(b.x), i64::from(a.y) + i64::from(b.y)];
    let away = |p: LatticePoint| {
        [i128::from(2 * i64::from(p.x) - twice[0]), i128::from(2 * i64::from(p.y) - twice[1])]
    };
    let mut is_inside = false;
    for (c, d) in contour.iter().zip(contour.iter().cycle().skip(1)) {
        let (c, d) = (away(*c), away(*d));
        let turn = c[0] * d[1] - c[1] * d[0];
        if turn == 0 && c[0] * d[0] <= 0 && c[1] * d[1] <= 0 {
            return false;
        }
        // Whether the side crosses the line that leads from the middle along x.
        let crosses = (c[1] > 0) != (d[1] > 0) && (turn > 0) == (d[1] > c[1]);
        is_inside ^= crosses;
    }
    is_inside
}

/// How wide a polygon is: its area over half its outline, in metres.
fn width_m(polygon: &Polygon) -> f64 {
    let around: f64 = polygon.edges().map(|(a, b)| plan_m(a).distance(plan_m(b))).sum();
    if around > 0.0 { 2.0 * polygon.area_m2() / around } else { 0.0 }
}

/// A hole's own outline as a patch.
pub(crate) fn whole_patch(boundary: &Boundary, hole: &[u32]) -> FillerPatch {
    let mut heights_m: BTreeMap<LatticePoint, (f64, f64)> = BTreeMap::new();
    for &e in hole {
        let edge = boundary.edge(e);
        for (p, z) in [(edge.from, edge.from_height_m), (edge.to, edge.to_height_m)] {
            let entry = heights_m.entry(p).or_default();
            *entry = (entry.0 + z, entry.1 + 1.0);
        }
    }
    FillerPatch {
        polygon: Polygon::from_contour(hole.iter().map(|&e| boundary.edge(e).to).collect()),
        heights_m: heights_m.into_iter().map(|(p, (sum, n))| (p, sum / n)).collect(),
        edge: hole[0],
        on_edges: Vec::new(),
    }
}

/// Whether a contour neither crosses nor touches itself.
fn is_simple(contour: &[LatticePoint]) -> bool {
    let n = contour.len();
    let mut sorted = contour.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|w| w[0] == w[1]) {
        return false;
    }
    let ends = |i: usize| (contour[i], contour[(i + 1) % n]);
    let tree = BoxTree::build_with(n, |i| {
        let (a, b) = ends(i as usize);
        Aabb::in_plan(plan_units(a).min(plan_units(b)), plan_units(a).max(plan_units(b)))
    });
    (0..n).all(|i| {
        let (a, b) = ends(i);
        let mut fine = true;
        let around =
            Aabb::in_plan(plan_units(a).min(plan_units(b)), plan_units(a).max(plan_units(b)));
        tree.visit_box(&around, |j| {
            let (c, d) = ends(j as usize);
            let neighbours = a == c || a == d || b == c || b == d;
            let on = on_segment;
            fine &= !segments_cross(a, b, c, d)
                && (neighbours || !(on(a, b, c) || on(a, b, d) || on(c, d, a) || on(c, d, b)));
        });
        fine
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contours_that_touch_or_cross_themselves_are_not_simple() {
        let contour = |points: &[(i32, i32)]| -> Contour {
            points.iter().map(|&(x, y)| LatticePoint::new(x, y)).collect()
        };
        assert!(is_simple(&contour(&[(0, 0), (10, 0), (10, 10), (0, 10)])));
        assert!(!is_simple(&contour(&[(0, 0), (10, 10), (10, 0), (0, 10)])));
        assert!(!is_simple(&contour(&[(0, 0), (10, 0), (5, 0), (0, 10)])));
        assert!(!is_simple(&contour(&[(0, 0), (10, 0), (10, 10), (5, 0), (0, 10)])));
    }

    /// A contour with a notch: through its inside, along its border, and past it.
    #[test]
    fn segments_pass_through_the_inside_alone() {
        let at = |(x, y): (i32, i32)| LatticePoint::new(x, y);
        let contour: Contour =
            [(0, 0), (10, 0), (10, 10), (5, 4), (0, 10)].into_iter().map(at).collect();
        let inside = [
            ((1, 1), (2, 1)),
            ((0, 0), (5, 4)),
            ((-5, 4), (20, 4)),
            ((5, -3), (5, 9)),
            ((0, 10), (10, 0)),
            ((-10, -10), (20, 20)),
            ((0, 3), (1, 4)),
            ((4, 0), (5, 1)),
        ];
        let outside = [
            ((0, 0), (10, 0)),
            ((-5, 0), (20, 0)),
            ((2, 0), (7, 0)),
            ((0, 10), (10, 10)),
            ((5, 4), (5, 20)),
            ((0, 10), (5, 4)),
            ((-3, 3), (3, -3)),
            ((12, 1), (14, 9)),
            ((5, 5), (5, 8)),
        ];
        let inside = inside.into_iter().map(|ends| (ends, true));
        for ((a, b), expected) in inside.chain(outside.map(|ends| (ends, false))) {
            assert_eq!(passes_through(&contour, at(a), at(b)), expected, "{a:?} to {b:?}");
            assert_eq!(passes_through(&contour, at(b), at(a)), expected, "{b:?} to {a:?}");
        }
    }
}
