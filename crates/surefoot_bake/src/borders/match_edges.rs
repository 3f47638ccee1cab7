//! Finds what lies across an edge of the ground: the shared question of gap closing, erosion and
//! joining.
//!
//! Goes in: faces whose edges may or may not coincide. Comes out: exact twins, and for every other
//! edge the stretches along which another face's edge runs the other way within a given distance
//! outwards and a height that the agent steps over. Both are one-dimensional questions on one edge,
//! so that nothing depends on how large the faces are.

use crate::ids::EdgePlace;
use crate::surface::{Face, SurfaceEdge, plan_units};
use glam::{DVec2, DVec3};
use std::ops::ControlFlow;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::EdgeClass;

/// Cosine of the largest angle between the sides of a slit: 8°.
const SLIT_COSINE: f64 = -0.99;

/// Bits of a filter for each segment that it is to hold.
const BITS_A_SEGMENT: usize = 16;

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
pub(crate) fn collect_edges<T: Copy>(faces: &[Face<T>]) -> Vec<GroundEdge> {
    let mut edges: Vec<GroundEdge> = Vec::with_capacity(faces.iter().map(Face::edge_count).sum());
    for (f, face) in faces.iter().enumerate() {
        for of_loop in &face.loops {
            let first = edges.len();
            edges.extend(of_loop.iter().map(|e| {
                let from_height_m = face.plane.height_at(e.from);
                GroundEdge {
                    from: e.from,
                    to: e.from,
                    from_height_m,
                    to_height_m: from_height_m,
                    face: f as u32,
                    class: e.class,
                }
            }));
            // Each ends where the next one starts.
            let mut next = edges[first..].first().map(|e| (e.from, e.from_height_m));
            for e in edges[first..].iter_mut().rev() {
                if let Some((to, to_height_m)) = next {
                    (e.to, e.to_height_m) = (to, to_height_m);
                }
                next = Some((e.from, e.from_height_m));
            }
        }
    }
    edges
}

/// A choice of edges, ascending by their numbers among all edges of the ground.
#[derive(Default)]
pub(crate) struct SomeEdges {
    pub(crate) edges: Vec<GroundEdge>,
    pub(crate) numbers: Vec<u32>,
}

impl SomeEdges {
    /// All edges of some faces.
    pub(crate) fn all<T: Copy>(faces: &[Face<T>]) -> Self {
        let edges = collect_edges(faces);
        let numbers = (0..edges.len() as u32).collect();
        Self { edges, numbers }
    }

    /// The wanted edges of some faces; asked of an edge and where it ends.
    pub(crate) fn of<T: Copy>(
        faces: &[Face<T>],
        is_wanted: impl Fn(&SurfaceEdge<T>, LatticePoint) -> bool,
    ) -> Self {
        Self::collect(faces, |_| true, is_wanted)
    }

    /// All edges of those faces whose box, in lattice units, is near.
    pub(crate) fn of_near<T: Copy + Sync>(
        faces: &[Face<T>],
        is_near: impl Fn(&Aabb) -> bool + Sync,
    ) -> Self {
        let near: Vec<bool> = faces
            .par_iter()
            .map(|face| {
                let place = |p| plan_units(p).extend(face.plane.height_at(p) * LATTICE_PER_M);
                is_near(&Aabb::of_points(face.loops.iter().flatten().map(|e| place(e.from))))
            })
            .collect();
        Self::collect(faces, |f| near[f], |_, _| true)
    }

    fn collect<T: Copy>(
        faces: &[Face<T>],
        is_asked: impl Fn(usize) -> bool,
        is_wanted: impl Fn(&SurfaceEdge<T>, LatticePoint) -> bool,
    ) -> Self {
        let mut some = Self::default();
        let mut first = 0;
        for (f, face) in faces.iter().enumerate() {
            if !is_asked(f) {
                first += face.edge_count() as u32;
                continue;
            }
            for of_loop in &face.loops {
                let ends = of_loop.iter().skip(1).chain(of_loop.first()).map(|n| n.from);
                for ((e, to), number) in of_loop.iter().zip(ends).zip(first..) {
                    if is_wanted(e, to) {
                        some.numbers.push(number);
                        some.edges.push(GroundEdge {
                            from: e.from,
                            to,
                            from_height_m: face.plane.height_at(e.from),
                            to_height_m: face.plane.height_at(to),
                            face: f as u32,
                            class: e.class,
                        });
                    }
                }
                first += of_loop.len() as u32;
            }
        }
        some
    }

    /// Those of them that are wanted, by their places in the list.
    pub(crate) fn filtered(&self, is_wanted: impl Fn(usize) -> bool) -> Self {
        let places = (0..self.edges.len()).filter(|&k| is_wanted(k));
        let (numbers, edges) = places.map(|k| (self.numbers[k], self.edges[k])).unzip();
        Self { edges, numbers }
    }
}

/// Two edges of different faces over one plan segment, the other way round.
pub(crate) struct Coinciding {
    pub(crate) one: u32,
    pub(crate) two: u32,
    /// The height between them where the first starts and where it ends, in metres.
    pub(crate) start_m: f64,
    pub(crate) end_m: f64,
}

/// All edges that coincide in plan, the other way round, by segment.
pub(crate) struct CoincidingEdges {
    pairs: Vec<Coinciding>,
    /// Where the pairs of each segment end.
    ends: Vec<u32>,
}

impl CoincidingEdges {
    /// Finds them through a table of segments; nothing is sorted. Edges are looked at in their order,
    /// in which neighbours mostly lie close together.
    pub(crate) fn find(edges: &[GroundEdge]) -> Self {
        let segments = SegmentTable::new(edges);
        let mut found = Self { pairs: Vec::with_capacity(edges.len() / 2), ends: Vec::new() };
        let mut group: Vec<u32> = Vec::new();
        for first in 0..edges.len() as u32 {
            if !segments.begins_group(first) {
                continue;
            }
            group.clear();
            group.extend(segments.group(first));
            let before = found.pairs.len();
            for (k, &one) in group.iter().enumerate() {
                for &two in &group[k + 1..] {
                    let (e, f) = (&edges[one as usize], &edges[two as usize]);
                    if e.face != f.face && e.from == f.to {
                        let start_m = (e.from_height_m - f.to_height_m).abs();
                        let end_m = (e.to_height_m - f.from_height_m).abs();
                        found.pairs.push(Coinciding { one, two, start_m, end_m });
                    }
                }
            }
            if found.pairs.len() > before {
                found.ends.push(found.pairs.len() as u32);
            }
        }
        found
    }

    /// All pairs of one segment at once, in the order of the first edges.
    pub(crate) fn by_segment(&self) -> impl Iterator<Item = &[Coinciding]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let group = &self.pairs[start..end as usize];
            start = end as usize;
            group
        })
    }

    /// All pairs, by segment.
    pub(crate) fn pairs(&self) -> &[Coinciding] {
        &self.pairs
    }

    /// The twin of every edge among those it coincides with, at a height difference of at most `climb_m`
    /// at both ends. Of several the topmost, as always.
    pub(crate) fn twins(&self, edges: &[GroundEdge], climb_m: f64) -> Vec<Option<EdgePlace>> {
        let mut twins = vec![None; edges.len()];
        let mut candidates: Vec<(f64, u32, u32)> = Vec::new();
        let middle = |i: u32| edges[i as usize].middle_height_m();
        let is_low = |p: &Coinciding| p.start_m.max(p.end_m) <= climb_m;
        for pairs in self.by_segment() {
            if let [p] = pairs {
                if is_low(p) {
                    twins[p.one as usize] = Some(EdgePlace::new(p.two));
                    twins[p.two as usize] = Some(EdgePlace::new(p.one));
                }
                continue;
            }
            let low = pairs.iter().filter(|p| is_low(p));
            candidates.clear();
            candidates.extend(low.map(|p| (middle(p.one) + middle(p.two), p.one, p.two)));
            candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            for &(_, i, j) in &candidates {
                if twins[i as usize].is_none() && twins[j as usize].is_none() {
                    twins[i as usize] = Some(EdgePlace::new(j));
                    twins[j as usize] = Some(EdgePlace::new(i));
                }
            }
        }
        twins
    }
}

/// Which edges have the same two ends in plan. Edges of one segment form a chain, ascending.
struct SegmentTable {
    /// The next edge of the same segment.
    next: Vec<Option<EdgePlace>>,
    /// Whether an edge is not the first one of its segment.
    follows: Vec<bool>,
}

impl SegmentTable {
    fn new(edges: &[GroundEdge]) -> Self {
        let mut next = vec![None; edges.len()];
        let mut follows = vec![false; edges.len()];
        let bits = (2 * edges.len()).next_power_of_two().trailing_zeros().max(1);
        let mask = (1_usize << bits) - 1;
        // At most half full, so that a free place is always found: part of the hash, and the last edge
        // of the segment.
        let mut table: Vec<(u32, Option<EdgePlace>)> = vec![(0, None); 1 << bits];
        for (i, e) in edges.iter().enumerate() {
            let (low, high) = (e.from.min(e.to), e.from.max(e.to));
            let hash = hash_of_segment(low, high);
            let (mut place, tag) = ((hash >> (64 - bits)) as usize, hash as u32);
            loop {
                let slot = &mut table[place];
                let here = Some(EdgePlace::new(i as u32));
                let Some(last) = slot.1 else {
                    *slot = (tag, here);
                    break;
                };
                let other = &edges[last.index()];
                if slot.0 == tag
                    && (low, high) == (other.from.min(other.to), other.from.max(other.to))
                {
                    next[last.index()] = here;
                    follows[i] = true;
                    slot.1 = here;
                    break;
                }
                place = (place + 1) & mask;
            }
        }
        Self { next, follows }
    }

    /// Whether an edge is the first of several with the same ends.
    fn begins_group(&self, edge: u32) -> bool {
        self.next[edge as usize].is_some() && !self.follows[edge as usize]
    }

    /// The edges of a segment, from the first.
    fn group(&self, first: u32) -> impl Iterator<Item = u32> {
        let after = |&i: &u32| self.next[i as usize].map(EdgePlace::number);
        std::iter::successors(Some(first), after)
    }
}

/// Says of most segments that they are not among some (Bloom 1970, with one hash).
pub(crate) struct SegmentFilter {
    words: Vec<u64>,
    /// How many bits of a hash are left out to get the place of a bit.
    shift: u32,
}

impl SegmentFilter {
    /// For about as many segments as said; more are answered less sharply, not wrongly.
    pub(crate) fn with_room_for(count: usize) -> Self {
        let bits = count.saturating_mul(BITS_A_SEGMENT).clamp(64, 1 << 32).next_power_of_two();
        Self { words: vec![0; bits / 64], shift: 64 - bits.trailing_zeros() }
    }

    pub(crate) fn put_in(&mut self, from: LatticePoint, to: LatticePoint) {
        let (word, bit) = self.place(from, to);
        self.words[word] |= bit;
    }

    /// Whether a segment, either way round, may be among them.
    pub(crate) fn may_hold(&self, from: LatticePoint, to: LatticePoint) -> bool {
        let (word, bit) = self.place(from, to);
        self.words[word] & bit != 0
    }

    fn place(&self, from: LatticePoint, to: LatticePoint) -> (usize, u64) {
        let place = hash_of_segment(from.min(to), from.max(to)) >> self.shift;
        ((place / 64) as usize, 1 << (place % 64))
    }
}

/// Spreads segments over 64 bits; the multiplier is an odd number near 2⁶⁴ over the golden ratio.
fn hash_of_segment(low: LatticePoint, high: LatticePoint) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let word = |p: LatticePoint| u64::from(p.x as u32) << 32 | u64::from(p.y as u32);
    let mixed = word(low).wrapping_mul(MULTIPLIER);
    let mixed = (mixed ^ mixed >> 29 ^ word(high)).wrapping_mul(MULTIPLIER);
    mixed ^ mixed >> 32
}

/// The twin of every edge that coincides in plan, the other way round, with an edge of another face
/// at a height difference of at most `climb_m` at both ends. Of several the topmost, as always.
pub(crate) fn pair_exact(edges: &[GroundEdge], climb_m: f64) -> Vec<Option<EdgePlace>> {
    CoincidingEdges::find(edges).twins(edges, climb_m)
}

/// How far across an edge to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookAcross {
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

/// What runs along each of some edges within reach, among the same.
pub(crate) fn match_within(edges: &[GroundEdge], reach: LookAcross) -> Vec<Vec<Match>> {
    let all: Vec<u32> = (0..edges.len() as u32).collect();
    match_among(edges, &all, &all, reach)
}

/// As [`match_within`], but only for edges whose box, given without margin, is wanted; empty for the
/// others.
pub(crate) fn match_some_within(
    edges: &[GroundEdge],
    reach: LookAcross,
    is_wanted: impl Fn(&Aabb) -> bool + Sync,
) -> Vec<Vec<Match>> {
    let box_of = |i: u32| edge_box(&edges[i as usize]);
    let mut others: Vec<u32> = (0..edges.len() as u32).collect();
    let wanted: Vec<u32> = others.iter().copied().filter(|&i| is_wanted(&box_of(i))).collect();
    // Few are wanted: a tree of all the others would cost more than to ask each whether it is near.
    let near = BoxTree::build_with(wanted.len(), |k| around(box_of(wanted[k as usize]), reach));
    let is_near = |i: u32| near.try_visit_box(&box_of(i), |_| ControlFlow::Break(())).is_break();
    others.retain(|&i| is_near(i));
    match_among(edges, &wanted, &others, reach)
}

/// What runs along each of the wanted edges, among others; empty for edges that are not wanted.
fn match_among(
    edges: &[GroundEdge],
    wanted: &[u32],
    others: &[u32],
    reach: LookAcross,
) -> Vec<Vec<Match>> {
    let tree = BoxTree::build_with(others.len(), |k| edge_box(&edges[others[k as usize] as usize]));
    let found: Vec<Vec<Match>> = wanted
        .par_iter()
        .map(|&i| {
            let edge = &edges[i as usize];
            let line = EdgeLine::of(edge);
            let mut matches = Vec::new();
            tree.visit_box(&around(edge_box(edge), reach), |k| {
                let j = others[k as usize];
                let other = &edges[j as usize];
                if j != i
                    && line.runs_against(other)
                    && (other.face != edge.face || line.is_slit_with(other))
                    && let Some(span) = line.facing_span(other, reach)
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
    for (&i, matches) in wanted.iter().zip(found) {
        out[i as usize] = matches;
    }
    out
}

/// Where edges may lie that run along an edge with the given box.
fn around(edge: Aabb, reach: LookAcross) -> Aabb {
    widened(edge, reach.outwards.max(reach.inwards), reach.climb_m)
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

/// An edge and where it runs, for the questions that are asked of it and many others.
struct EdgeLine<'a> {
    edge: &'a GroundEdge,
    from: DVec2,
    length: f64,
    along: DVec2,
}

impl<'a> EdgeLine<'a> {
    fn of(edge: &'a GroundEdge) -> Self {
        let from = plan_units(edge.from);
        let run = plan_units(edge.to) - from;
        let length = run.length();
        Self { edge, from, length, along: run / length }
    }

    /// Whether another edge runs the other way at all.
    fn runs_against(&self, other: &GroundEdge) -> bool {
        (plan_units(other.to) - plan_units(other.from)).dot(self.along) < 0.0
    }

    /// Whether this and another edge of the same face are the sides of a slit in it: nearly parallel,
    /// opposite ways. Other pairs of one face are corners of what stands there.
    fn is_slit_with(&self, other: &GroundEdge) -> bool {
        let run = (plan_units(other.to) - plan_units(other.from)).normalize_or_zero();
        self.along.dot(run) < SLIT_COSINE
    }

    /// The stretch of the edge along which `other` runs the other way within reach.
    fn facing_span(&self, other: &GroundEdge, reach: LookAcross) -> Option<(f64, f64)> {
        let Self { edge, length, along, .. } = *self;
        // The face lies to the left, so outwards is to the right.
        let out = DVec2::new(along.y, -along.x);
        let (c, d) = (plan_units(other.from) - self.from, plan_units(other.to) - self.from);
        let (far, near) = (c.dot(along), d.dot(along));
        if !(near < far) {
            return None;
        }
        let mut span = (near.max(0.0), far.min(length));
        if !(span.1 > span.0) {
            return None;
        }
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

    const REACH: LookAcross = LookAcross { outwards: 10.0, inwards: 2.0, climb_m: 0.4 };

    #[test]
    fn a_facing_edge_covers_its_stretch() {
        // The face of the first edge lies above it, so outwards is down.
        let e = edge((0, 0), (100, 0), (0.0, 0.0), 0);
        let f = edge((60, -5), (20, -5), (0.1, 0.1), 1);
        assert_eq!(EdgeLine::of(&e).facing_span(&f, REACH), Some((20.0, 60.0)));
        let same_way = edge((20, -5), (60, -5), (0.1, 0.1), 1);
        assert_eq!(EdgeLine::of(&e).facing_span(&same_way, REACH), None);
        let behind = edge((60, 5), (20, 5), (0.1, 0.1), 1);
        assert_eq!(EdgeLine::of(&e).facing_span(&behind, REACH), None);
        let too_high = edge((60, -5), (20, -5), (0.5, 0.5), 1);
        assert_eq!(EdgeLine::of(&e).facing_span(&too_high, REACH), None);
    }

    #[test]
    fn a_climb_that_grows_along_the_edge_covers_only_its_part() {
        let e = edge((0, 0), (100, 0), (0.0, 0.0), 0);
        let f = edge((100, 0), (0, 0), (0.8, 0.0), 1);
        let (lo, hi) = EdgeLine::of(&e).facing_span(&f, REACH).unwrap();
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
        let [one, two] = [0, 1].map(|place| Some(EdgePlace::new(place)));
        assert_eq!(pair_exact(&edges, 0.4), vec![two, one, None, None]);
    }
}
