//! Simplifies boundaries, inwards only.
//!
//! Goes in: joined ground. Comes out: the same ground with fewer corners along its boundaries, each
//! boundary moved inwards by at most the tolerance and never outwards (the source keeps every corner
//! and names this as future work). A corner that sticks out is cut off; where the boundary turns
//! away, an edge is dropped and its neighbours are run on until they meet. Nothing is done within
//! twice the tolerance of any other edge of the face, so that no corridor is closed and no two
//! boundaries meet, and corners shared with a neighbouring face stay.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::ids::SurfaceEdgeId;
use crate::surface::{Face, SurfaceEdge, WalkableSurface, plan_units};
use glam::DVec2;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::predicates::orient;
use surefoot_geom::threads::prelude::*;

/// Loops with fewer corners are left as they are.
const FEWEST_CORNERS: usize = 5;

pub(crate) fn simplify_boundary(
    mut surface: WalkableSurface,
    tolerance_m: f64,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let tolerance = tolerance_m * LATTICE_PER_M;
    let before: usize = surface.faces.iter().map(Face::edge_count).sum();
    if tolerance >= 1.0 {
        let firsts = surface.first_edges();
        // What became of every edge: its place in the simplified face, or none.
        let kept: Vec<Vec<Vec<usize>>> =
            surface.faces.par_iter_mut().map(|face| simplify_face(face, tolerance)).collect();
        renumber(&mut surface, &firsts, &kept);
    }
    let after: usize = surface.faces.iter().map(Face::edge_count).sum();
    context.count("corners_before", before);
    context.count("corners_after", after);
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    Ok(surface)
}

/// Gives twins their new numbers. `kept[f][l]` lists the old places of the edges that loop `l` of
/// face `f` still has.
fn renumber(surface: &mut WalkableSurface, firsts: &[u32], kept: &[Vec<Vec<usize>>]) {
    let mut renumbered = vec![None; firsts.last().copied().unwrap_or(0) as usize];
    let mut count = 0;
    for (first, loops) in firsts.iter().zip(kept) {
        for &old in loops.iter().flatten() {
            renumbered[*first as usize + old] = Some(SurfaceEdgeId::new(count));
            count += 1;
        }
    }
    for e in surface.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
        e.twin = e.twin.and_then(|twin| renumbered[twin.index()]);
    }
}

/// Simplifies the boundaries of one face; says which edges remain, as places counted through its
/// loops.
fn simplify_face(face: &mut Face, tolerance: f64) -> Vec<Vec<usize>> {
    let mut places = Vec::with_capacity(face.loops.len());
    let loose = face.loops.iter().flatten().filter(|e| e.twin.is_none()).count();
    if loose < 3 {
        let mut first = 0;
        for edges in &face.loops {
            places.push((first..first + edges.len()).collect());
            first += edges.len();
        }
        return places;
    }
    let original: Vec<(LatticePoint, LatticePoint)> =
        face.edges().map(|(e, to)| (e.from, to)).collect();
    let tree = BoxTree::build_with(original.len(), |i| {
        let (a, b) = original[i as usize];
        plan_box(&[plan_units(a), plan_units(b)])
    });
    let mut first = 0;
    for edges in &mut face.loops {
        let count = edges.len();
        let simplifier = BoundarySimplifier::new(edges, first, &original, &tree, tolerance);
        let (simplified, kept) = simplifier.run();
        *edges = simplified;
        places.push(kept);
        first += count;
    }
    places
}

fn plan_box(points: &[DVec2]) -> Aabb {
    Aabb::of_points(points.iter().map(|p| p.extend(0.0)))
}

/// One loop on its way: corners in a ring, each with the edge that leaves it.
struct BoundarySimplifier<'a> {
    edges: Vec<SurfaceEdge>,
    next: Vec<u32>,
    previous: Vec<u32>,
    gone: Vec<bool>,
    /// How far the boundary has moved at each corner already, in lattice units.
    moved: Vec<f64>,
    /// Counts changes, so that outdated plans can be told.
    version: Vec<u32>,
    corners: usize,
    /// The place of this loop's first edge among the face's.
    first: usize,
    original: &'a [(LatticePoint, LatticePoint)],
    tree: &'a BoxTree,
    tolerance: f64,
}

/// What can be done at a corner.
#[derive(Clone, Copy)]
enum Change {
    /// Take the corner out: it sticks out.
    CutOff,
    /// Drop the edge that leaves the corner; its neighbours meet here.
    Drop(LatticePoint),
}

impl<'a> BoundarySimplifier<'a> {
    fn new(
        edges: &[SurfaceEdge],
        first: usize,
        original: &'a [(LatticePoint, LatticePoint)],
        tree: &'a BoxTree,
        tolerance: f64,
    ) -> Self {
        let n = edges.len() as u32;
        Self {
            edges: edges.to_vec(),
            next: (0..n).map(|i| (i + 1) % n).collect(),
            previous: (0..n).map(|i| (i + n - 1) % n).collect(),
            gone: vec![false; edges.len()],
            moved: vec![0.0; edges.len()],
            version: vec![0; edges.len()],
            corners: edges.len(),
            first,
            original,
            tree,
            tolerance,
        }
    }

    fn run(mut self) -> (Vec<SurfaceEdge>, Vec<usize>) {
        let mut plans: BinaryHeap<Reverse<(u64, u32, u32)>> = BinaryHeap::new();
        for corner in 0..self.edges.len() as u32 {
            self.plan(corner, &mut plans);
        }
        while let Some(Reverse((_, corner, version))) = plans.pop() {
            if self.corners < FEWEST_CORNERS {
                break;
            }
            if self.gone[corner as usize] || self.version[corner as usize] != version {
                continue;
            }
            let Some((cost, change)) = self.consider(corner) else { continue };
            self.apply(corner, change, cost);
            // What was planned around here no longer holds.
            let mut at = corner;
            if self.gone[at as usize] {
                at = self.previous[at as usize];
            }
            let two_back = self.previous[self.previous[at as usize] as usize];
            let mut around = two_back;
            for _ in 0..5 {
                self.version[around as usize] += 1;
                self.plan(around, &mut plans);
                around = self.next[around as usize];
            }
        }
        let mut out = Vec::with_capacity(self.corners);
        let mut kept = Vec::with_capacity(self.corners);
        for (i, edge) in self.edges.iter().enumerate() {
            if !self.gone[i] {
                out.push(*edge);
                kept.push(self.first + i);
            }
        }
        (out, kept)
    }

    fn plan(&self, corner: u32, plans: &mut BinaryHeap<Reverse<(u64, u32, u32)>>) {
        if let Some((cost, _)) = self.consider(corner) {
            // Thousandths of a unit: an order that no rounding disturbs.
            let key = (cost * 1000.0) as u64;
            plans.push(Reverse((key, corner, self.version[corner as usize])));
        }
    }

    fn at(&self, i: u32) -> LatticePoint {
        self.edges[i as usize].from
    }

    fn is_loose(&self, i: u32) -> bool {
        self.edges[i as usize].twin.is_none()
    }

    /// The cheapest good change at a corner, and how far the boundary moves by it in all.
    fn consider(&self, v: u32) -> Option<(f64, Change)> {
        if self.gone[v as usize] {
            return None;
        }
        let (p, n) = (self.previous[v as usize], self.next[v as usize]);
        if !self.is_loose(p) || !self.is_loose(v) {
            return None;
        }
        let class = |i: u32| self.edges[i as usize].class;
        let (a, b, c) = (self.at(p), self.at(v), self.at(n));
        let turn = orient(a, b, c);
        if turn >= 0 {
            if class(p) != class(v) {
                return None;
            }
            let depth = distance_to_line(a, c, b)?;
            let cost = depth + self.moved[v as usize];
            let fits = cost <= self.tolerance && self.is_clear(p, n, &[a, b, c]);
            return fits.then_some((cost, Change::CutOff));
        }
        // The edge from v to n, where the boundary turns away at both ends.
        let after = self.next[n as usize];
        if !self.is_loose(n) || after == p {
            return None;
        }
        let d = self.at(after);
        if orient(b, c, d) >= 0 {
            return None;
        }
        let meet = meeting(a, b, d, c)?;
        // Rounding must not move the corner outwards.
        if orient(b, c, meet) < 0 || orient(a, meet, b) > 0 || orient(meet, d, c) > 0 {
            return None;
        }
        let depth = distance_to_line(b, c, meet)?;
        let cost = depth + self.moved[v as usize].max(self.moved[n as usize]);
        let fits = cost <= self.tolerance && self.is_clear(p, after, &[b, c, meet]);
        fits.then_some((cost, Change::Drop(meet)))
    }

    /// Whether nothing else of the face lies near a shape: nothing but the edges from `from` to `to`.
    fn is_clear(&self, from: u32, to: u32, shape: &[LatticePoint]) -> bool {
        let points: Vec<DVec2> = shape.iter().map(|p| plan_units(*p)).collect();
        let around = plan_box(&points).grown(2.0 * self.tolerance);
        let n = self.edges.len();
        let (first, last) = (from as usize, to as usize);
        let is_own = |place: usize| {
            // Original edges between the two corners, and the ones that touch those.
            let Some(i) = place.checked_sub(self.first).filter(|i| *i < n) else { return false };
            let span = (last + n - first) % n + 1;
            (i + n + 1 - first) % n <= span
        };
        let mut clear = true;
        let _ = self.tree.try_visit_box(&around, |i| {
            if !is_own(i as usize) && self.is_near(i as usize, &points) {
                clear = false;
                return std::ops::ControlFlow::Break(());
            }
            std::ops::ControlFlow::Continue(())
        });
        clear
    }

    /// Whether an original edge comes within twice the tolerance of a triangle.
    fn is_near(&self, place: usize, triangle: &[DVec2]) -> bool {
        let (a, b) = self.original[place];
        let (a, b) = (plan_units(a), plan_units(b));
        let limit = 2.0 * self.tolerance;
        (0..triangle.len()).any(|k| {
            let (p, q) = (triangle[k], triangle[(k + 1) % triangle.len()]);
            segment_distance(a, b, p, q) <= limit
        })
    }

    fn apply(&mut self, v: u32, change: Change, cost: f64) {
        let (p, n) = (self.previous[v as usize], self.next[v as usize]);
        match change {
            Change::CutOff => {
                self.next[p as usize] = n;
                self.previous[n as usize] = p;
                self.gone[v as usize] = true;
                for i in [p, n] {
                    self.moved[i as usize] = self.moved[i as usize].max(cost);
                }
            }
            Change::Drop(meet) => {
                // `v` moves to the meeting point and takes over the edge that left `n`.
                let after = self.next[n as usize];
                self.edges[v as usize].from = meet;
                self.edges[v as usize].class = self.edges[n as usize].class;
                self.next[v as usize] = after;
                self.previous[after as usize] = v;
                self.gone[n as usize] = true;
                self.moved[v as usize] = cost;
            }
        }
        self.corners -= 1;
    }
}

/// The distance of `p` from the line through `a` and `b`, in lattice units.
fn distance_to_line(a: LatticePoint, b: LatticePoint, p: LatticePoint) -> Option<f64> {
    let length = plan_units(a).distance(plan_units(b));
    (length >= 1.0).then(|| orient(a, b, p).abs() as f64 / length)
}

/// Where the line from `a` through `b` meets the line from `d` through `c`, beyond `b` and `c`.
fn meeting(
    a: LatticePoint,
    b: LatticePoint,
    d: LatticePoint,
    c: LatticePoint,
) -> Option<LatticePoint> {
    let (pa, pb, pc, pd) = (plan_units(a), plan_units(b), plan_units(c), plan_units(d));
    let (u, v) = (pb - pa, pc - pd);
    let across = u.perp_dot(v);
    if across.abs() < 1e-6 * u.length() * v.length() {
        return None;
    }
    let s = (pc - pb).perp_dot(v) / across;
    if s < 0.0 {
        return None;
    }
    let p = pb + u * s;
    Some(LatticePoint::from_units(p.x, p.y))
}

fn segment_distance(a: DVec2, b: DVec2, p: DVec2, q: DVec2) -> f64 {
    let side = |a: DVec2, b: DVec2, p: DVec2| (b - a).perp_dot(p - a);
    let crosses = side(a, b, p) * side(a, b, q) < 0.0 && side(p, q, a) * side(p, q, b) < 0.0;
    if crosses {
        return 0.0;
    }
    let to_segment = |x: DVec2, a: DVec2, b: DVec2| {
        let run = b - a;
        let t = ((x - a).dot(run) / run.length_squared().max(1e-30)).clamp(0.0, 1.0);
        x.distance(a + run * t)
    };
    to_segment(a, p, q).min(to_segment(b, p, q)).min(to_segment(p, a, b)).min(to_segment(q, a, b))
}
