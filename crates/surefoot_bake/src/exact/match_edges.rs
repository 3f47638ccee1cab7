//! Finds what lies across an edge of the ground: the shared question of gap closing, erosion and
//! joining.
//!
//! Goes in: faces whose edges may or may not coincide. Comes out: exact twins, and for every other
//! edge the stretches along which another face's edge runs the other way within a given distance
//! outwards and a height that the agent steps over. Both are one-dimensional questions on one edge,
//! so that nothing depends on how large the faces are.

use crate::surface::{Face, plan_units};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_mesh::{EdgeClass, NO_EDGE};

/// Cosine of the largest angle between the sides of a slit: 8°.
const SLIT_COSINE: f64 = -0.99;

/// An edge of a face, with the heights of its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundEdge {
    pub(crate) from: LatticePoint,
    pub(crate) to: LatticePoint,
    pub(crate) from_height_m: f64,
    pub(crate) to_height_m: f64,
    pub(crate) face: u32,
    pub(crate) class: EdgeClass,
}

impl GroundEdge {
    fn middle_height_m(&self) -> f64 {
        0.5 * (self.from_height_m + self.to_height_m)
    }
}

/// All edges of some faces, counted through faces and loops in order.
pub(crate) fn collect_edges(faces: &[Face]) -> Vec<GroundEdge> {
    let mut edges = Vec::with_capacity(faces.iter().map(Face::edge_count).sum());
    for (f, face) in faces.iter().enumerate() {
        edges.extend(face.edges().map(|(e, to)| GroundEdge {
            from: e.from,
            to,
            from_height_m: face.plane.height_at(e.from),
            to_height_m: face.plane.height_at(to),
            face: f as u32,
            class: e.class,
        }));
    }
    edges
}

/// Two edges of different faces over one plan segment, the other way round.
pub(crate) struct Coinciding {
    pub(crate) one: u32,
    pub(crate) two: u32,
    /// The height between them where the first starts and where it ends, in metres.
    pub(crate) start_m: f64,
    pub(crate) end_m: f64,
}

/// Visits all edges that coincide in plan, by segment: all pairs of one segment at once.
pub(crate) fn visit_coinciding(edges: &[GroundEdge], mut visit: impl FnMut(&[Coinciding])) {
    let mut order: Vec<(LatticePoint, LatticePoint, u32)> = edges
        .par_iter()
        .enumerate()
        .map(|(i, e)| (e.from.min(e.to), e.from.max(e.to), i as u32))
        .collect();
    order.par_sort_unstable();
    let mut pairs: Vec<Coinciding> = Vec::new();
    for group in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        pairs.clear();
        for (k, &(_, _, one)) in group.iter().enumerate() {
            for &(_, _, two) in &group[k + 1..] {
                let (e, f) = (&edges[one as usize], &edges[two as usize]);
                if e.face != f.face && e.from == f.to {
                    let start_m = (e.from_height_m - f.to_height_m).abs();
                    let end_m = (e.to_height_m - f.from_height_m).abs();
                    pairs.push(Coinciding { one, two, start_m, end_m });
                }
            }
        }
        if !pairs.is_empty() {
            visit(&pairs);
        }
    }
}

/// The twin of every edge that coincides in plan, the other way round, with an edge of another face
/// at a height difference of at most `climb_m` at both ends. Of several the topmost, as always.
pub(crate) fn pair_exact(edges: &[GroundEdge], climb_m: f64) -> Vec<u32> {
    let mut twins = vec![NO_EDGE; edges.len()];
    let mut candidates: Vec<(f64, u32, u32)> = Vec::new();
    let middle = |i: u32| edges[i as usize].middle_height_m();
    visit_coinciding(edges, |pairs| {
        let low = pairs.iter().filter(|p| p.start_m.max(p.end_m) <= climb_m);
        candidates.clear();
        candidates.extend(low.map(|p| (middle(p.one) + middle(p.two), p.one, p.two)));
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for &(_, i, j) in &candidates {
            if twins[i as usize] == NO_EDGE && twins[j as usize] == NO_EDGE {
                twins[i as usize] = j;
                twins[j as usize] = i;
            }
        }
    });
    twins
}

/// How far across an edge to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Outwards, in lattice units.
    pub(crate) outwards: f64,
    /// Inwards, in lattice units: how much faces may overlap by rounding.
    pub(crate) inwards: f64,
    /// The largest height difference, in metres.
    pub(crate) climb_m: f64,
}

/// A stretch of an edge along which another edge runs the other way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    /// The other edge.
    pub(crate) other: u32,
    /// Where the stretch starts and ends, in lattice units from the start of the edge.
    pub(crate) span: (f64, f64),
}

/// For every edge without a twin, what runs along it within reach; empty for edges with one.
pub(crate) fn match_within(edges: &[GroundEdge], twins: &[u32], reach: Reach) -> Vec<Vec<Match>> {
    match_some_within(edges, twins, reach, |_| true)
}

/// As [`match_within`], but only for edges whose box, given without margin, is wanted; empty for the
/// others.
pub(crate) fn match_some_within(
    edges: &[GroundEdge],
    twins: &[u32],
    reach: Reach,
    is_wanted: impl Fn(&Aabb) -> bool + Sync,
) -> Vec<Vec<Match>> {
    let single: Vec<u32> =
        (0..edges.len() as u32).filter(|&i| twins[i as usize] == NO_EDGE).collect();
    let margin = reach.outwards.max(reach.inwards);
    let tree = BoxTree::build_with(single.len(), |k| edge_box(&edges[single[k as usize] as usize]));
    let found: Vec<Vec<Match>> = single
        .par_iter()
        .map(|&i| {
            let edge = &edges[i as usize];
            let mut matches = Vec::new();
            let around = edge_box(edge);
            if !is_wanted(&around) {
                return matches;
            }
            tree.visit_box(&widened(around, margin, reach.climb_m), |k| {
                let j = single[k as usize];
                let other = &edges[j as usize];
                if j != i
                    && (other.face != edge.face || is_slit(edge, other))
                    && let Some(span) = facing_span(edge, other, reach)
                {
                    matches.push(Match { other: j, span });
                }
            });
            matches.sort_by(|a, b| {
                a.span
                    .0
                    .total_cmp(&b.span.0)
                    .then(a.span.1.total_cmp(&b.span.1))
                    .then(a.other.cmp(&b.other))
            });
            matches
        })
        .collect();
    let mut out = vec![Vec::new(); edges.len()];
    for (i, matches) in single.into_iter().zip(found) {
        out[i as usize] = matches;
    }
    out
}

/// The box around an edge, height and all, in lattice units.
pub(crate) fn edge_box(edge: &GroundEdge) -> Aabb {
    let (a, b) = (plan_units(edge.from), plan_units(edge.to));
    let (low, high) = if edge.from_height_m < edge.to_height_m {
        (edge.from_height_m, edge.to_height_m)
    } else {
        (edge.to_height_m, edge.from_height_m)
    };
    let up = |height_m: f64| height_m * LATTICE_PER_M;
    Aabb::new(a.min(b).extend(up(low)), a.max(b).extend(up(high)))
}

/// A box with a margin in plan, in lattice units, and one in height, in metres.
pub(crate) fn widened(around: Aabb, units: f64, height_m: f64) -> Aabb {
    let margin = DVec3::new(units, units, height_m * LATTICE_PER_M);
    Aabb::new(around.lo - margin, around.hi + margin)
}

/// Whether two edges of one face are the sides of a slit in it: nearly parallel, opposite ways. Other
/// pairs of one face are corners of what stands there.
fn is_slit(edge: &GroundEdge, other: &GroundEdge) -> bool {
    let run = |e: &GroundEdge| (plan_units(e.to) - plan_units(e.from)).normalize_or_zero();
    run(edge).dot(run(other)) < SLIT_COSINE
}

/// The stretch of `edge` along which `other` runs the other way within reach.
fn facing_span(edge: &GroundEdge, other: &GroundEdge, reach: Reach) -> Option<(f64, f64)> {
    let a = plan_units(edge.from);
    let run = plan_units(edge.to) - a;
    let length = run.length();
    let along = run / length;
    // The face lies to the left, so outwards is to the right.
    let out = DVec2::new(along.y, -along.x);
    let (c, d) = (plan_units(other.from) - a, plan_units(other.to) - a);
    let (far, near) = (c.dot(along), d.dot(along));
    if !(near < far) {
        return None;
    }
    let mut span = (near.max(0.0), far.min(length));
    // Everything is linear along the edge: sideways distance and both heights.
    let linear = |at_near: f64, at_far: f64| {
        let slope = (at_far - at_near) / (far - near);
        (at_near - slope * near, slope)
    };
    let side = linear(d.dot(out), c.dot(out));
    restrict(&mut span, side, -reach.inwards, reach.outwards);
    let there = linear(other.to_height_m, other.from_height_m);
    let here_slope = (edge.to_height_m - edge.from_height_m) / length;
    let climb = (there.0 - edge.from_height_m, there.1 - here_slope);
    restrict(&mut span, climb, -reach.climb_m, reach.climb_m);
    (span.1 > span.0).then_some(span)
}

/// Narrows a span to where `low ≤ offset + slope · s ≤ high`.
fn restrict(span: &mut (f64, f64), (offset, slope): (f64, f64), low: f64, high: f64) {
    let value = |s: f64| offset + slope * s;
    for (limit, sign) in [(low, 1.0), (high, -1.0)] {
        let inside = |s: f64| (value(s) - limit) * sign >= 0.0;
        match (inside(span.0), inside(span.1)) {
            (true, true) => {}
            (false, false) => *span = (0.0, 0.0),
            (first, _) => {
                let cross = (limit - offset) / slope;
                if first {
                    span.1 = span.1.min(cross);
                } else {
                    span.0 = span.0.max(cross);
                }
            }
        }
    }
}

/// The parts of `[0, length]` that no match covers.
pub(crate) fn uncovered(length: f64, matches: &[Match]) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    let mut reached = 0.0;
    // Matches are sorted by where they start.
    for m in matches {
        if m.span.0 > reached {
            out.push((reached, m.span.0));
        }
        reached = m.span.1.max(reached);
    }
    if reached < length {
        out.push((reached, length));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: (i32, i32), to: (i32, i32), heights: (f64, f64), face: u32) -> GroundEdge {
        GroundEdge {
            from: LatticePoint::new(from.0, from.1),
            to: LatticePoint::new(to.0, to.1),
            from_height_m: heights.0,
            to_height_m: heights.1,
            face,
            class: EdgeClass::Open,
        }
    }

    const REACH: Reach = Reach { outwards: 10.0, inwards: 2.0, climb_m: 0.4 };

    #[test]
    fn a_facing_edge_covers_its_stretch() {
        // The face of the first edge lies above it, so outwards is down.
        let e = edge((0, 0), (100, 0), (0.0, 0.0), 0);
        let f = edge((60, -5), (20, -5), (0.1, 0.1), 1);
        assert_eq!(facing_span(&e, &f, REACH), Some((20.0, 60.0)));
        let same_way = edge((20, -5), (60, -5), (0.1, 0.1), 1);
        assert_eq!(facing_span(&e, &same_way, REACH), None);
        let behind = edge((60, 5), (20, 5), (0.1, 0.1), 1);
        assert_eq!(facing_span(&e, &behind, REACH), None);
        let too_high = edge((60, -5), (20, -5), (0.5, 0.5), 1);
        assert_eq!(facing_span(&e, &too_high, REACH), None);
    }

    #[test]
    fn a_climb_that_grows_along_the_edge_covers_only_its_part() {
        let e = edge((0, 0), (100, 0), (0.0, 0.0), 0);
        let f = edge((100, 0), (0, 0), (0.8, 0.0), 1);
        let (lo, hi) = facing_span(&e, &f, REACH).unwrap();
        assert!(lo.abs() < 1e-9 && (hi - 50.0).abs() < 1e-9);
    }

    #[test]
    fn of_several_twins_the_topmost_is_taken() {
        let edges = [
            edge((0, 0), (100, 0), (0.0, 0.0), 0),
            edge((100, 0), (0, 0), (0.3, 0.3), 1),
            edge((100, 0), (0, 0), (0.1, 0.1), 2),
            edge((0, 0), (100, 0), (9.0, 9.0), 3),
        ];
        assert_eq!(pair_exact(&edges, 0.4), vec![1, 0, NO_EDGE, NO_EDGE]);
    }
}
