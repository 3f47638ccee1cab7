//! Where fillers meet the ground between an edge's corners.
//!
//! Goes in: strips, which begin and end anywhere along edges. Comes out: lattice points for their
//! corners. Few edges have lattice points between their corners, and the ground must not change. So a
//! corner lies on its edge where a lattice point does, and otherwise on the nearest one outside of the
//! ground, less than two units away; what is left between the edge and such corners becomes an *apron*,
//! a sliver of filler along the edge that shares the whole of it with the ground.

use crate::finish::fill_gaps::boundary::{Boundary, BoundaryEdge};
use crate::finish::fill_gaps::strip::FillerStrip;
use crate::surface::{plan_m, plan_units};
use std::collections::BTreeMap;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::predicates::orient;

/// Corners nearer than this along an edge are one, in metres: six lattice units.
const SAME_M: f64 = 6.0 * M_PER_LATTICE;

/// How far around the wanted place a lattice point is looked for, in units.
const LOOK_UNITS: i32 = 2;

/// A corner of fillers on an edge.
#[derive(Clone, Copy, Debug)]
struct Split {
    /// Along the edge, in metres.
    at_m: f64,
    point: LatticePoint,
}

/// The corners of fillers on all edges, in order along each, the edges' own corners included.
#[derive(Debug, Default)]
pub(crate) struct Splits {
    by_edge: BTreeMap<u32, Vec<Split>>,
}

impl Splits {
    pub(crate) fn of<'a>(
        boundary: &Boundary,
        strips: impl IntoIterator<Item = &'a FillerStrip>,
    ) -> Self {
        let mut places: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for strip in strips {
            places.entry(strip.one).or_default().extend(strip.on_one);
            places.entry(strip.two).or_default().extend(strip.on_two);
        }
        let by_edge = places
            .into_iter()
            .map(|(e, mut shares)| {
                let edge = boundary.edge(e);
                let length_m = edge.run().length();
                shares.sort_by(f64::total_cmp);
                let mut splits = vec![Split { at_m: 0.0, point: edge.from }];
                let mut last_m = 0.0;
                for at_m in shares.into_iter().map(|s| s * length_m) {
                    if at_m - last_m >= SAME_M
                        && length_m - at_m >= SAME_M
                        && let Some(point) = outer_point(edge, at_m / length_m)
                    {
                        splits.push(Split { at_m, point });
                        last_m = at_m;
                    }
                }
                splits.push(Split { at_m: length_m, point: edge.to });
                (e, splits)
            })
            .collect();
        Self { by_edge }
    }

    /// The corners between two shares of an edge, both included, in the order from the first share.
    pub(crate) fn chain(&self, boundary: &Boundary, edge: u32, on: [f64; 2]) -> Vec<LatticePoint> {
        let Some(splits) = self.by_edge.get(&edge) else { return Vec::new() };
        let length_m = boundary.edge(edge).run().length();
        let nearest = |share: f64| {
            let at_m = share * length_m;
            let after = splits.partition_point(|s| s.at_m < at_m).min(splits.len() - 1);
            let before = after.saturating_sub(1);
            if at_m - splits[before].at_m <= splits[after].at_m - at_m { before } else { after }
        };
        let (first, last) = (nearest(on[0]), nearest(on[1]));
        let mut chain: Vec<LatticePoint> =
            splits[first.min(last)..=first.max(last)].iter().map(|s| s.point).collect();
        if first > last {
            chain.reverse();
        }
        chain
    }
}

/// The lattice point at a share of an edge: on it if one is near, else the nearest outside.
fn outer_point(edge: &BoundaryEdge, share: f64) -> Option<LatticePoint> {
    let ideal = plan_units(edge.from).lerp(plan_units(edge.to), share);
    let middle = LatticePoint::from_units(ideal.x, ideal.y);
    let looks = -LOOK_UNITS..=LOOK_UNITS;
    looks
        .clone()
        .flat_map(|dx| looks.clone().map(move |dy| (dx, dy)))
        .filter_map(|(dx, dy)| {
            let point = LatticePoint::new(middle.x.checked_add(dx)?, middle.y.checked_add(dy)?);
            let outside = -orient(edge.from, edge.to, point);
            (outside >= 0).then_some((outside, point.distance2(middle), point))
        })
        .min()
        .map(|(_, _, point)| point)
}

/// The lattice point on an edge or just outside that is nearest to a point beside it.
pub(crate) fn move_outside(edge: &BoundaryEdge, p: LatticePoint) -> LatticePoint {
    let run = plan_units(edge.to) - plan_units(edge.from);
    let share = (plan_units(p) - plan_units(edge.from)).dot(run) / run.length_squared();
    outer_point(edge, share.clamp(0.0, 1.0)).unwrap_or(p)
}

/// The sliver between a stretch of an edge and corners beside it: its corners, counter-clockwise,
/// the stretch first.
#[derive(Clone, Debug)]
pub(crate) struct Apron {
    pub(crate) edge: u32,
    pub(crate) corners: Vec<LatticePoint>,
}

/// What becomes of an edge that has corners of fillers between its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeCuts {
    /// Points on the edge, in its order, at which it is split.
    pub(crate) points: Vec<LatticePoint>,
    pub(crate) aprons: Vec<Apron>,
}

/// Cuts an edge at the corners that fillers have beside it, in any order. A filler's own edge may bend.
pub(crate) fn cut_edge(
    boundary: &Boundary,
    e: u32,
    corners: &[LatticePoint],
    may_bend: bool,
) -> EdgeCuts {
    let edge = boundary.edge(e);
    let run = edge.run();
    let along = |p: LatticePoint| (plan_m(p) - plan_m(edge.from)).dot(run);
    let end = run.length_squared();
    let mut inner: Vec<LatticePoint> = corners
        .iter()
        .copied()
        .filter(|&p| p != edge.from && p != edge.to && along(p) > 0.0 && along(p) < end)
        .collect();
    inner.sort_by(|&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
    inner.dedup();
    let mut cuts = EdgeCuts::default();
    let mut beside: Vec<LatticePoint> = Vec::new();
    let mut from = edge.from;
    for p in inner.into_iter().chain([edge.to]) {
        if p != edge.to && !may_bend && orient(edge.from, edge.to, p) != 0 {
            beside.push(p);
            continue;
        }
        if !beside.is_empty() {
            let mut corners = vec![p, from];
            corners.append(&mut beside);
            cuts.aprons.push(Apron { edge: e, corners });
        }
        if p != edge.to {
            cuts.points.push(p);
        }
        from = p;
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finish::fill_gaps::tests::plates;
    use surefoot_geom::polygon::contour_area2;

    #[test]
    fn corners_lie_on_the_edge_or_just_outside_and_aprons_fill_the_rest() {
        let surface = plates(&[(vec![[0.0, 0.0], [3.0, 1.0001], [1.0, 2.0]], 0.0)]);
        let boundary = Boundary::of(&surface);
        for (i, edge) in boundary.edges.iter().enumerate() {
            let mut points = Vec::new();
            for k in 1..20 {
                let p = outer_point(edge, f64::from(k) / 20.0).unwrap();
                let outside = -orient(edge.from, edge.to, p);
                let length = plan_units(edge.from).distance(plan_units(edge.to));
                assert!(outside >= 0 && outside as f64 / length < 2.0);
                points.push(p);
            }
            let cuts = cut_edge(&boundary, i as u32, &points, false);
            let beside: usize = cuts.aprons.iter().map(|a| a.corners.len() - 2).sum();
            assert_eq!(cuts.points.len() + beside, 19);
            assert!(cuts.points.iter().all(|&p| orient(edge.from, edge.to, p) == 0));
            assert!(cuts.aprons.iter().all(|a| contour_area2(&a.corners) > 0));
        }
    }
}
