//! The triangulation in which portals are laid: every query of the partition by notches walks here.
//!
//! Goes in: triangles with neighbours. Comes out, after portals have been laid: the same ground,
//! triangulated anew, with some edges fixed. Borders are fixed from the start; a portal is an inner
//! edge that has been fixed. Triangles that meet across edges that are not fixed belong to one cell.
//!
//! A portal between two corners that see each other is laid by flipping the edges it crosses (Sloan,
//! *A fast algorithm for generating constrained Delaunay triangulations*, 1993), and the edges that
//! came about are flipped to Delaunay afterwards, so that later walks stay short. A border is split
//! on both of its sides at once, and only where every triangle stays counter-clockwise: so whatever
//! rounding to the lattice does to a new corner, the triangles always tile the ground.
//!
//! Corners are kept by *fan*: the triangles around a point between one border and the next. Where
//! ground touches itself in a point, that point has several fans, each a corner of its own.

use crate::finish::partition::cell::{Cell, CellEdge};
use crate::ids::{BorderLineId, CellEdgeId, HalfEdgeId};
use crate::surface::plan_units;
use glam::DVec2;
use surefoot_geom::LatticePoint;
use surefoot_geom::predicates::{in_circle, orient};
use surefoot_mesh::EdgeClass;

/// The shortest edge that splitting a border may leave, in lattice units.
const SHORTEST_SPLIT_UNITS: f64 = 8.0;

/// How far beside the line of a border a new corner on it may lie, in lattice units.
const SIDEWAYS_UNITS: f64 = 1.5;

/// A corner of the ground: the tip of a fan of triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) point: LatticePoint,
    pub(super) height_m: f64,
    /// A half-edge that starts here.
    some_edge: u32,
}

/// One side of an edge; half-edge `3 t + k` is the k-th of triangle `t`, which lies to its left.
#[derive(Clone, Copy, Debug)]
struct HalfEdge {
    /// The corner it starts at.
    corner: u32,
    twin: Option<HalfEdgeId>,
    class: EdgeClass,
    divides: bool,
    /// Whether cells end here.
    fixed: bool,
    /// The border edge it is part of, as its ends before any splitting; set for borders only.
    line: Option<BorderLineId>,
}

/// A triangulation in which edges can be fixed.
#[derive(Debug)]
pub(super) struct PortalMesh {
    half_edges: Vec<HalfEdge>,
    pub(super) corners: Vec<Corner>,
    /// What a triangle was made from.
    pub(super) origin: Vec<u32>,
    lines: Vec<(LatticePoint, LatticePoint)>,
}

/// Where a walk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// At a corner.
    Corner(u32),
    /// On a fixed half-edge.
    Edge(u32),
}

pub(super) const fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

pub(super) const fn previous(h: u32) -> u32 {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

impl PortalMesh {
    /// From triangles and the outline that each of them belongs to: edges between different outlines
    /// are borders, as is all that is not open to merging.
    pub(super) fn new(triangles: &[Cell], outline_of: &[u32]) -> Self {
        let count = triangles.len() * 3;
        let mut mesh = Self {
            half_edges: Vec::with_capacity(count),
            corners: Vec::with_capacity(count / 4),
            origin: (0..triangles.len() as u32).collect(),
            lines: Vec::new(),
        };
        for (t, triangle) in triangles.iter().enumerate() {
            for (k, edge) in triangle.edges.iter().enumerate() {
                let is_inside = |twin: CellEdgeId| {
                    let (other, side) = (twin.index() / 3, twin.index() % 3);
                    edge.is_open_to_merging()
                        && triangles[other].edges[side].is_open_to_merging()
                        && outline_of[other] == outline_of[t]
                };
                let fixed = !edge.twin.is_some_and(is_inside);
                let line = fixed.then(|| {
                    mesh.lines.push((edge.from, triangle.edges[(k + 1) % 3].from));
                    BorderLineId::new(mesh.lines.len() as u32 - 1)
                });
                mesh.half_edges.push(HalfEdge {
                    // Set below, where fans are gathered.
                    corner: 0,
                    twin: edge.twin.map(|t| HalfEdgeId::new(t.number())),
                    class: edge.class,
                    divides: edge.divides,
                    fixed,
                    line,
                });
            }
        }
        let mut has_corner = vec![false; count];
        for h in 0..count as u32 {
            if has_corner[h as usize] {
                continue;
            }
            let CellEdge { from, height_m, .. } = triangles[h as usize / 3].edges[h as usize % 3];
            let corner = mesh.corners.len() as u32;
            let first = mesh.first_of_fan(h);
            mesh.corners.push(Corner { point: from, height_m, some_edge: first });
            let mut at = first;
            loop {
                mesh.half_edges[at as usize].corner = corner;
                has_corner[at as usize] = true;
                let Some(next) = mesh.beyond(previous(at)) else { break };
                at = next;
                if at == first {
                    break;
                }
            }
        }
        mesh
    }

    pub(super) fn len(&self) -> u32 {
        self.half_edges.len() as u32
    }

    pub(super) fn corner(&self, h: u32) -> u32 {
        self.half_edges[h as usize].corner
    }

    /// The other side of an edge, if there is ground beyond.
    pub(super) fn twin(&self, h: u32) -> Option<u32> {
        self.half_edges[h as usize].twin.map(HalfEdgeId::number)
    }

    /// The other side of an edge that is no border, a portal or not.
    fn across(&self, h: u32) -> Option<u32> {
        if self.is_border(h) { None } else { self.twin(h) }
    }

    /// The other side of an edge that is not fixed: the cell goes on there.
    pub(super) fn beyond(&self, h: u32) -> Option<u32> {
        if self.is_fixed(h) { None } else { self.twin(h) }
    }

    pub(super) fn class(&self, h: u32) -> EdgeClass {
        self.half_edges[h as usize].class
    }

    pub(super) fn divides(&self, h: u32) -> bool {
        self.half_edges[h as usize].divides
    }

    pub(super) fn is_fixed(&self, h: u32) -> bool {
        self.half_edges[h as usize].fixed
    }

    /// Whether a half-edge is a border of the ground, not a portal.
    pub(super) fn is_border(&self, h: u32) -> bool {
        self.half_edges[h as usize].line.is_some()
    }

    pub(super) fn from(&self, h: u32) -> LatticePoint {
        self.corners[self.corner(h) as usize].point
    }

    pub(super) fn to(&self, h: u32) -> LatticePoint {
        self.from(next(h))
    }

    /// The first half-edge of a fan, counter-clockwise: the border, where there is one.
    fn first_of_fan(&self, start: u32) -> u32 {
        let mut h = start;
        while let Some(twin) = self.across(h) {
            h = next(twin);
            if h == start {
                break;
            }
        }
        h
    }

    /// The half-edges that start at a corner, counter-clockwise, and whether borders bound them.
    pub(super) fn fan(&self, corner: u32, out: &mut Vec<u32>) -> bool {
        out.clear();
        let first = self.first_of_fan(self.corners[corner as usize].some_edge);
        let mut h = first;
        loop {
            out.push(h);
            let Some(twin) = self.across(previous(h)) else { return true };
            h = twin;
            if h == first {
                return false;
            }
        }
    }

    /// The corner that follows on the border.
    pub(super) fn corner_after(&self, corner: u32) -> u32 {
        let h = self.first_of_fan(self.corners[corner as usize].some_edge);
        self.corner(next(h))
    }

    /// The corner that comes before on the border.
    pub(super) fn corner_before(&self, corner: u32) -> u32 {
        let mut h = self.corners[corner as usize].some_edge;
        let start = h;
        loop {
            let p = previous(h);
            let Some(twin) = self.across(p) else { return self.corner(p) };
            h = twin;
            if h == start {
                return corner;
            }
        }
    }

    /// Walks from a corner straight to a goal, whose position is `to`, and collects the edges on the
    /// way; `None` where something stands in between or is touched. An edge that is there already
    /// gives an empty way. Exact.
    pub(super) fn way(
        &self,
        corner: u32,
        to: LatticePoint,
        goal: Goal,
        fan: &mut Vec<u32>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        out.clear();
        self.fan(corner, fan);
        let from = self.corners[corner as usize].point;
        for &h in fan.iter() {
            // The triangle of `h` is passed through when the way leaves over its far edge.
            let far = next(h);
            for (end, place) in [(far, self.corner(far)), (previous(h), self.corner(previous(h)))] {
                if goal == Goal::Corner(place) && self.from(end) == to {
                    return Some(());
                }
            }
            if orient(from, self.from(far), to) > 0 && orient(from, self.to(far), to) < 0 {
                return self.way_through(from, to, goal, far, out);
            }
        }
        None
    }

    fn way_through(
        &self,
        from: LatticePoint,
        to: LatticePoint,
        goal: Goal,
        first_gate: u32,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        let mut gate = first_gate;
        loop {
            if goal == Goal::Edge(gate) {
                return Some(());
            }
            let entered = self.beyond(gate)?;
            out.push(gate);
            let apex = previous(entered);
            if goal == Goal::Corner(self.corner(apex)) {
                return Some(());
            }
            let side = orient(from, to, self.from(apex));
            if side == 0 {
                return None;
            }
            // The apex left of the way: it leaves between the right end and the apex.
            gate = if side > 0 { next(entered) } else { apex };
        }
    }

    /// Fixes the edge between two corners that see each other, flipping what it crosses. Says whether
    /// it could.
    pub(super) fn lay_portal(
        &mut self,
        a: u32,
        b: u32,
        fan: &mut Vec<u32>,
        way: &mut Vec<u32>,
    ) -> bool {
        let to = self.corners[b as usize].point;
        if a == b || self.way(a, to, Goal::Corner(b), fan, way).is_none() {
            return false;
        }
        let from = self.corners[a as usize].point;
        // Flips move half-edges, so crossed edges are kept by the corners at their ends.
        let mut crossed: std::collections::VecDeque<(u32, u32)> =
            way.iter().map(|&h| (self.corner(h), self.corner(next(h)))).collect();
        let mut made: Vec<(u32, u32)> = Vec::new();
        // Sloan's loop ends; the limit only guards against a broken neighbourhood.
        let mut left = (crossed.len() + 2) * (crossed.len() + 2) * 2;
        while let Some((p, q)) = crossed.pop_front() {
            left -= 1;
            let Some(h) = self.edge_between(p, q, fan) else { continue };
            let Some(g) = self.beyond(h) else { continue };
            let (c, d) = (self.corner(previous(h)), self.corner(previous(g)));
            let [pp, pq, pc, pd] = [p, q, c, d].map(|i| self.corners[i as usize].point);
            if orient(pd, pq, pc) <= 0 || orient(pc, pp, pd) <= 0 {
                if left == 0 {
                    return false;
                }
                crossed.push_back((p, q));
                continue;
            }
            self.flip(h, g);
            let (sc, sd) = (orient(from, to, pc), orient(from, to, pd));
            if sc.signum() * sd.signum() < 0 {
                crossed.push_back((d, c));
            } else {
                made.push((d, c));
            }
            if left == 0 {
                return false;
            }
        }
        let Some(h) = self.edge_between(a, b, fan) else { return false };
        if self.is_fixed(h) {
            return false;
        }
        for side in [Some(h), self.twin(h)].into_iter().flatten() {
            self.half_edges[side as usize].fixed = true;
        }
        self.make_delaunay(made, fan);
        true
    }

    /// The half-edge from one corner to another.
    pub(super) fn edge_between(&self, a: u32, b: u32, fan: &mut Vec<u32>) -> Option<u32> {
        self.fan(a, fan);
        for &h in fan.iter() {
            if self.corner(next(h)) == b {
                return Some(h);
            }
            // The last edge of a fan comes in.
            let p = previous(h);
            if self.corner(p) == b
                && let Some(twin) = self.across(p)
            {
                return Some(twin);
            }
        }
        None
    }

    fn make_delaunay(&mut self, mut edges: Vec<(u32, u32)>, fan: &mut Vec<u32>) {
        let mut left = edges.len() * 8;
        while let Some((a, b)) = edges.pop() {
            if left == 0 {
                return;
            }
            left -= 1;
            let Some(h) = self.edge_between(a, b, fan) else { continue };
            let Some(g) = self.beyond(h) else { continue };
            let (c, d) = (self.corner(previous(h)), self.corner(previous(g)));
            let [pa, pb, pc, pd] = [a, b, c, d].map(|i| self.corners[i as usize].point);
            let convex = orient(pd, pb, pc) > 0 && orient(pc, pa, pd) > 0;
            if convex && in_circle(pa, pb, pc, pd) == std::cmp::Ordering::Greater {
                self.flip(h, g);
                edges.extend([(a, d), (d, b), (b, c), (c, a)]);
            }
        }
    }

    /// Turns the edge between two triangles, given by its two sides, into the other diagonal of their
    /// quadrilateral.
    fn flip(&mut self, h: u32, g: u32) {
        let (nh, ph, ng, pg) = (next(h), previous(h), next(g), previous(g));
        let old = |x: u32| self.half_edges[x as usize];
        let (bc, ca, ad, db) = (old(nh), old(ph), old(ng), old(pg));
        let (c, d) = (ca.corner, db.corner);
        // The triangle of `h` becomes a d c, that of `g` becomes d b c.
        let t = h - h % 3;
        let s = g - g % 3;
        let diagonal = |corner: u32, twin: u32| HalfEdge {
            corner,
            twin: Some(HalfEdgeId::new(twin)),
            class: EdgeClass::Inner,
            divides: false,
            fixed: false,
            line: None,
        };
        let edges = [
            (t, ad),
            (t + 1, diagonal(d, s + 2)),
            (t + 2, ca),
            (s, db),
            (s + 1, bc),
            (s + 2, diagonal(c, t + 1)),
        ];
        for (at, edge) in edges {
            self.put(at, edge);
        }
    }

    /// Puts a half-edge into a slot and tells its twin and its corner.
    fn put(&mut self, at: u32, edge: HalfEdge) {
        self.half_edges[at as usize] = edge;
        if let Some(twin) = edge.twin {
            self.half_edges[twin.index()].twin = Some(HalfEdgeId::new(at));
        }
        self.corners[edge.corner as usize].some_edge = at;
    }

    /// The lattice point near a place on a border where a portal from a notch may end, if the border
    /// can be split there without turning any triangle over: at most 1.5 units inside the border, and
    /// outside only where other ground lies beyond. Points on this side of the line and in the area of
    /// interest, those that split the notch, come first: then every cell that meets there is exactly
    /// convex.
    pub(super) fn place_on_border(
        &self,
        h: u32,
        at: DVec2,
        splits: impl Fn(LatticePoint) -> bool,
    ) -> Option<LatticePoint> {
        let (a, b) = self.lines[self.half_edges[h as usize].line?.index()];
        let (ua, ub) = (plan_units(a), plan_units(b));
        let along = ub - ua;
        let on_line = ua + along * ((at - ua).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let low = on_line.floor();
        let open = self.twin(h).is_none();
        // Between ground and the filler of a gap, neither may gain anything.
        let strict = !open && self.half_edges[h as usize].class == EdgeClass::Gap;
        let (from, to) = (self.from(h), self.to(h));
        let mut best: Option<((bool, bool, f64), LatticePoint)> = None;
        for i in 0..16 {
            let u = low + DVec2::new(f64::from(i % 4 - 1), f64::from(i / 4 - 1));
            let q = LatticePoint::from_units(u.x, u.y);
            let outside = orient(a, b, q) < 0 || orient(from, to, q) < 0;
            let far = along.perp_dot(u - ua).abs() / along.length();
            let beside = orient(a, b, q) != 0 || orient(from, to, q) != 0;
            if far > SIDEWAYS_UNITS || (open && outside) || (strict && beside) {
                continue;
            }
            let rank = (!splits(q), outside, u.distance_squared(on_line));
            if best.is_none_or(|(r, p)| (rank, q) < (r, p)) && self.can_split(h, q) {
                best = Some((rank, q));
            }
        }
        best.map(|(_, q)| q)
    }

    fn can_split(&self, h: u32, q: LatticePoint) -> bool {
        let fits = |h: u32| {
            let (a, b, c) = (self.from(h), self.to(h), self.from(previous(h)));
            let u = plan_units(q);
            orient(a, q, c) > 0
                && orient(q, b, c) > 0
                && u.distance(plan_units(a)) >= SHORTEST_SPLIT_UNITS
                && u.distance(plan_units(b)) >= SHORTEST_SPLIT_UNITS
        };
        fits(h) && self.twin(h).is_none_or(fits)
    }

    /// Splits a border at a point from [`PortalMesh::place_on_border`]; returns the new corner on the
    /// side of `h`.
    pub(super) fn split_border(&mut self, h: u32, q: LatticePoint) -> u32 {
        let g = self.twin(h);
        let rest_of_h = self.split_side(h, q);
        let corner = self.corner(rest_of_h);
        if let Some(g) = g {
            let rest_of_g = self.split_side(g, q);
            // Half-edge `h` keeps its start, so its other side is the second half of `g`.
            for (x, y) in [(h, rest_of_g), (rest_of_h, g)] {
                self.half_edges[x as usize].twin = Some(HalfEdgeId::new(y));
                self.half_edges[y as usize].twin = Some(HalfEdgeId::new(x));
            }
        }
        corner
    }

    fn split_side(&mut self, h: u32, q: LatticePoint) -> u32 {
        let (a, c) = (self.corner(h), self.corner(previous(h)));
        let (start, end) = (self.corners[a as usize], self.corners[self.corner(next(h)) as usize]);
        let whole = plan_units(start.point).distance(plan_units(end.point));
        let share = plan_units(start.point).distance(plan_units(q)) / whole;
        let height_m = start.height_m + (end.height_m - start.height_m) * share;
        let corner = self.corners.len() as u32;
        let base = self.len();
        self.corners.push(Corner { point: q, height_m, some_edge: base });
        let origin = self.origin[h as usize / 3];
        self.origin.push(origin);
        let old = |x: u32| self.half_edges[x as usize];
        let (edge, far) = (old(h), old(next(h)));
        let inner = |corner: u32, twin: u32| HalfEdge {
            corner,
            twin: Some(HalfEdgeId::new(twin)),
            class: EdgeClass::Inner,
            divides: false,
            fixed: false,
            line: None,
        };
        // The new triangle: q b c; the old one: a q c.
        self.half_edges.extend([HalfEdge { corner, ..edge }, far, inner(c, next(h))]);
        self.put(base + 1, far);
        self.half_edges[next(h) as usize] = inner(corner, base + 2);
        self.corners[c as usize].some_edge = base + 2;
        base
    }
}
