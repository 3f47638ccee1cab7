//! Constrained Delaunay triangulation of lattice points, exact throughout.
//!
//! In go distinct points and segments between them; out comes the triangulation of their convex
//! hull that contains every segment (cut where it runs through a point) and is as close to Delaunay
//! as the segments allow. The points are triangulated by divide and conquer after Guibas and
//! Stolfi, "Primitives for the manipulation of general subdivisions" (1985), whose edge rings are
//! kept here without the dual. A segment is then forced in by deleting the edges it crosses and
//! triangulating the two cavities by a Graham scan: seen from the segment every vertex of a cavity
//! is visible, and for such polygons each convex corner is an ear (Toussaint and Avis, "On a convex
//! hull algorithm for polygons and its application to triangulation problems", 1982). Flips after
//! Lawson bring the Delaunay property back.
//!
//! All decisions are made in integers, so nothing here depends on luck with collinear, cocircular
//! or far-off points. Recursion is as deep as the logarithm of the number of points.

use std::cmp::Ordering;

use crate::lattice::LatticePoint;
use crate::polygon::bounds_of;
use crate::predicates;

pub(crate) const NONE: u32 = u32::MAX;

/// A directed edge. Its partner in the other direction has the index with the lowest bit changed.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// The next edge from the same origin, counter-clockwise.
    next: u32,
    /// The next edge from the same origin, clockwise.
    prev: u32,
    origin: u32,
    /// How many more segments run along this direction than against it.
    net: i16,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Fixed,
    Deleted,
}

/// Two segments that cross, by the ends of their parts that do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    pub(crate) segment: [u32; 2],
    pub(crate) crossed: [u32; 2],
}

/// A triangulation under construction.
#[derive(Debug)]
pub(crate) struct Delaunay {
    points: Vec<LatticePoint>,
    edges: Vec<Edge>,
    /// Pairs of deleted edges, by the even one.
    spare: Vec<u32>,
    /// One edge from each point, or `NONE` for a point alone.
    edge_from: Vec<u32>,
    /// An edge of the hull with the outside to its left.
    outer: u32,
    /// Whether differences of coordinates stay below 2³⁰, so that products fit `i64`.
    small: bool,
    crossed: Vec<u32>,
    suspect: Vec<u32>,
}

impl Delaunay {
    /// The Delaunay triangulation of some points, and for each point the first one in the same
    /// place, by which it is named.
    pub(crate) fn of(points: &[LatticePoint]) -> (Self, Vec<u32>) {
        let small = bounds_of(points.iter().copied()).is_none_or(|(lo, hi)| {
            let limit = 1_i64 << 30;
            i64::from(hi.x) - i64::from(lo.x) < limit && i64::from(hi.y) - i64::from(lo.y) < limit
        });
        let key = |(i, p): (usize, &LatticePoint)| {
            // With the sign bit turned over, the order of the bits is the order of the numbers.
            let biased = |c: i32| u64::from(c as u32 ^ 0x8000_0000);
            (biased(p.x) << 32 | biased(p.y), i as u32)
        };
        let mut sorted: Vec<_> = points.iter().enumerate().map(key).collect();
        sorted.sort_unstable();
        let mut name_of = vec![0; points.len()];
        let mut first = (0, NONE);
        sorted.retain(|&(key, i)| {
            let is_new = first.1 == NONE || key != first.0;
            if is_new {
                first = (key, i);
            }
            name_of[i as usize] = first.1;
            is_new
        });
        let mut all = Self {
            points: points.to_vec(),
            edges: Vec::new(),
            spare: Vec::new(),
            edge_from: vec![NONE; points.len()],
            outer: NONE,
            small,
            crossed: Vec::new(),
            suspect: Vec::new(),
        };
        if sorted.len() > 1 {
            let (left, _) = all.divide(&sorted);
            all.outer = left ^ 1;
        }
        for e in 0..all.edges.len() as u32 {
            if all.edges[e as usize].state != State::Deleted {
                let origin = all.org(e) as usize;
                all.edge_from[origin] = e;
            }
        }
        (all, name_of)
    }

    // The edge algebra: `lnext` goes on counter-clockwise around the face to the left.

    fn org(&self, e: u32) -> u32 {
        self.edges[e as usize].origin
    }

    fn dest(&self, e: u32) -> u32 {
        self.edges[(e ^ 1) as usize].origin
    }

    fn onext(&self, e: u32) -> u32 {
        self.edges[e as usize].next
    }

    fn oprev(&self, e: u32) -> u32 {
        self.edges[e as usize].prev
    }

    fn lnext(&self, e: u32) -> u32 {
        self.oprev(e ^ 1)
    }

    fn make_edge(&mut self, from: u32, to: u32) -> u32 {
        let edge = |e: u32, origin| Edge { next: e, prev: e, origin, net: 0, state: State::Free };
        if let Some(e) = self.spare.pop() {
            self.edges[e as usize] = edge(e, from);
            self.edges[e as usize + 1] = edge(e + 1, to);
            return e;
        }
        let e = self.edges.len() as u32;
        self.edges.push(edge(e, from));
        self.edges.push(edge(e + 1, to));
        e
    }

    /// Exchanges what follows two edges in their rings: joins two rings or parts one.
    fn splice(&mut self, a: u32, b: u32) {
        let (after_a, after_b) = (self.onext(a), self.onext(b));
        self.edges[a as usize].next = after_b;
        self.edges[b as usize].next = after_a;
        self.edges[after_b as usize].prev = a;
        self.edges[after_a as usize].prev = b;
    }

    /// A new edge from the end of `a` to the beginning of `b`, across the face to their left.
    fn connect(&mut self, a: u32, b: u32) -> u32 {
        let e = self.make_edge(self.dest(a), self.org(b));
        let after_a = self.lnext(a);
        self.splice(e, after_a);
        self.splice(e ^ 1, b);
        e
    }

    fn delete(&mut self, e: u32) {
        for e in [e, e ^ 1] {
            let before = self.oprev(e);
            self.splice(e, before);
            self.edges[e as usize].state = State::Deleted;
        }
        self.spare.push(e & !1);
    }

    /// Turns a free edge to the other diagonal of the two triangles beside it.
    fn flip(&mut self, e: u32) {
        for e in [e, e ^ 1] {
            let (from, other) = (self.org(e) as usize, self.onext(e));
            self.edge_from[from] = other;
        }
        let (a, b) = (self.oprev(e), self.oprev(e ^ 1));
        self.splice(e, a);
        self.splice(e ^ 1, b);
        let (a_next, b_next) = (self.lnext(a), self.lnext(b));
        self.splice(e, a_next);
        self.splice(e ^ 1, b_next);
        self.edges[e as usize].origin = self.dest(a);
        self.edges[(e ^ 1) as usize].origin = self.dest(b);
    }

    /// A point by its number.
    #[inline]
    fn at(&self, point: u32) -> LatticePoint {
        self.points[point as usize]
    }

    /// The sign of the turn from `a` over `b` to `c`: positive to the left.
    #[inline]
    fn turn(&self, a: u32, b: u32, c: u32) -> i64 {
        let (a, b, c) = (self.at(a), self.at(b), self.at(c));
        let d = |p: i32, q: i32| i64::from(p) - i64::from(q);
        let (abx, aby, acx, acy) = (d(b.x, a.x), d(b.y, a.y), d(c.x, a.x), d(c.y, a.y));
        if self.small {
            abx * acy - aby * acx
        } else {
            let det = i128::from(abx) * i128::from(acy) - i128::from(aby) * i128::from(acx);
            det.signum() as i64
        }
    }

    /// Whether `d` lies inside the circle through `a`, `b`, `c`, which turn left.
    fn in_circle(&self, a: u32, b: u32, c: u32, d: u32) -> bool {
        let (a, b, c, d) = (self.at(a), self.at(b), self.at(c), self.at(d));
        if !self.small {
            return predicates::in_circle(a, b, c, d) == Ordering::Greater;
        }
        // Differences below 2³⁰: squares and minors below 2⁶², their products below 2¹²³.
        let rel =
            |p: LatticePoint| (i64::from(p.x) - i64::from(d.x), i64::from(p.y) - i64::from(d.y));
        let ((ax, ay), (bx, by), (cx, cy)) = (rel(a), rel(b), rel(c));
        let product = |lift: i64, minor: i64| i128::from(lift) * i128::from(minor);
        product(ax * ax + ay * ay, bx * cy - by * cx)
            + product(bx * bx + by * by, cx * ay - cy * ax)
            + product(cx * cx + cy * cy, ax * by - ay * bx)
            > 0
    }

    /// Triangulates two or more sorted points. Returns the hull's edge out of the first point that
    /// has the outside to its right, and the one out of the last that has it to its left.
    fn divide(&mut self, sorted: &[(u64, u32)]) -> (u32, u32) {
        match *sorted {
            [(_, p), (_, q)] => {
                let a = self.make_edge(p, q);
                (a, a ^ 1)
            }
            [(_, p), (_, q), (_, r)] => {
                let a = self.make_edge(p, q);
                let b = self.make_edge(q, r);
                self.splice(a ^ 1, b);
                match self.turn(p, q, r).cmp(&0) {
                    Ordering::Greater => {
                        self.connect(b, a);
                        (a, b ^ 1)
                    }
                    Ordering::Less => {
                        let c = self.connect(b, a);
                        (c ^ 1, c)
                    }
                    Ordering::Equal => (a, b ^ 1),
                }
            }
            _ => {
                let (left, right) = sorted.split_at(sorted.len() / 2);
                let (left_outer, left_inner) = self.divide(left);
                let (right_inner, right_outer) = self.divide(right);
                self.merge(left_outer, left_inner, right_inner, right_outer)
            }
        }
    }

    /// Joins two triangulations, every point of the first before every one of the second.
    fn merge(&mut self, mut ldo: u32, mut ldi: u32, mut rdi: u32, mut rdo: u32) -> (u32, u32) {
        // Down to the common tangent below.
        loop {
            if self.turn(self.org(ldi), self.dest(ldi), self.org(rdi)) > 0 {
                ldi = self.lnext(ldi);
            } else if self.turn(self.org(rdi), self.dest(rdi), self.org(ldi)) < 0 {
                rdi = self.onext(rdi ^ 1);
            } else {
                break;
            }
        }
        let mut base = self.connect(rdi ^ 1, ldi);
        if self.org(ldi) == self.org(ldo) {
            ldo = base ^ 1;
        }
        if self.org(rdi) == self.org(rdo) {
            rdo = base;
        }
        // Then upwards, the next triangle on the base from the left or from the right.
        loop {
            let (from, to) = (self.org(base), self.dest(base));
            let mut left = self.onext(base ^ 1);
            let left_valid = self.turn(self.dest(left), to, from) > 0;
            if left_valid {
                loop {
                    let next = self.onext(left);
                    if !self.in_circle(to, from, self.dest(left), self.dest(next)) {
                        break;
                    }
                    self.delete(left);
                    left = next;
                }
            }
            let mut right = self.oprev(base);
            let right_valid = self.turn(self.dest(right), to, from) > 0;
            if right_valid {
                loop {
                    let next = self.oprev(right);
                    if !self.in_circle(to, from, self.dest(right), self.dest(next)) {
                        break;
                    }
                    self.delete(right);
                    right = next;
                }
            }
            base = match (left_valid, right_valid) {
                (false, false) => return (ldo, rdo),
                (true, true) => {
                    let (l, r) = (self.dest(left), self.dest(right));
                    if self.in_circle(l, to, from, r) {
                        self.connect(right, base ^ 1)
                    } else {
                        self.connect(base ^ 1, left ^ 1)
                    }
                }
                (false, true) => self.connect(right, base ^ 1),
                (true, false) => self.connect(base ^ 1, left ^ 1),
            };
        }
    }

    /// Forces the segment between two points into the triangulation and fixes it there, in parts
    /// where it runs through other points. `net` is added to what the parts count in the segment's
    /// direction. Refuses to cross a fixed edge; the triangulation is whole all the same.
    pub(crate) fn insert(&mut self, from: u32, to: u32, net: i16) -> Result<(), Crossing> {
        let mut at = from;
        while at != to {
            let edge = match self.look_towards(at, to) {
                Sight::Along(edge) => edge,
                Sight::Across(first) => self.force(at, to, first)?,
            };
            for (e, net) in [(edge, net), (edge ^ 1, -net)] {
                let e = &mut self.edges[e as usize];
                e.state = State::Fixed;
                e.net = e.net.saturating_add(net);
            }
            at = self.dest(edge);
        }
        Ok(())
    }

    /// What the segment from `at` to `to` meets first.
    fn look_towards(&self, at: u32, to: u32) -> Sight {
        let start = self.edge_from[at as usize];
        let mut e = start;
        loop {
            let p = self.dest(e);
            if p == to {
                return Sight::Along(e);
            }
            let side = self.turn(at, p, to);
            if side == 0 && self.is_ahead(at, p, to) {
                return Sight::Along(e);
            }
            let next = self.onext(e);
            let q = self.dest(next);
            // The sector from p to q is less than half a turn, except outside the hull, into which
            // no segment runs.
            if side > 0 && self.turn(at, to, q) > 0 && self.turn(at, p, q) > 0 {
                return Sight::Across(self.lnext(e));
            }
            e = next;
            assert!(e != start, "a segment between two points of the hull left the hull");
        }
    }

    /// Whether `p` lies on the same side of `at` as `to`, the three being on one line.
    fn is_ahead(&self, at: u32, p: u32, to: u32) -> bool {
        let (at, p, to) = (self.at(at), self.at(p), self.at(to));
        p.x.cmp(&at.x) == to.x.cmp(&at.x) && p.y.cmp(&at.y) == to.y.cmp(&at.y)
    }

    /// Makes an edge from `from` towards `to` as far as the first point on the way, across the
    /// edges that lie there; `first` is the first of them, running from right to left.
    fn force(&mut self, from: u32, to: u32, first: u32) -> Result<u32, Crossing> {
        let mut crossed = std::mem::take(&mut self.crossed);
        crossed.clear();
        let mut e = first;
        let end = loop {
            if self.edges[e as usize].state == State::Fixed {
                self.crossed = crossed;
                return Err(Crossing { segment: [from, to], crossed: [self.org(e), self.dest(e)] });
            }
            crossed.push(e);
            let beyond = self.lnext(e ^ 1);
            let apex = self.dest(beyond);
            if apex == to {
                break apex;
            }
            e = match self.turn(from, to, apex).cmp(&0) {
                Ordering::Equal => break apex,
                Ordering::Greater => beyond,
                Ordering::Less => self.lnext(beyond),
            };
        };
        // Two edges of the cavity's rim: the one that ends in `from`, right of the first crossed
        // edge's end, and the one that starts at `end`.
        let into = self.lnext(first);
        let last = crossed[crossed.len() - 1];
        let out = self.lnext(self.lnext(last ^ 1));
        for &e in &crossed {
            for e in [e, e ^ 1] {
                let (origin, other) = (self.org(e) as usize, self.onext(e));
                self.edge_from[origin] = other;
            }
            self.delete(e);
        }
        self.crossed = crossed;
        let edge = self.connect(into, out);
        debug_assert!(self.org(edge) == from && self.dest(edge) == end);
        self.edges[edge as usize].state = State::Fixed;
        self.edges[edge as usize ^ 1].state = State::Fixed;
        self.suspect.clear();
        self.fill_cavity(edge);
        self.fill_cavity(edge ^ 1);
        self.settle();
        Ok(edge)
    }

    /// Triangulates the face to the left of `base`, of which all corners can be seen from `base`.
    fn fill_cavity(&mut self, base: u32) {
        // A Graham scan; `e` and the edge after it are the two sides of the corner looked at. It
        // ends at the base's origin, or when a triangle is left.
        let mut e = self.lnext(base);
        loop {
            let after = self.lnext(e);
            let starts_at_base = self.lnext(base) == e;
            if after == base || (starts_at_base && self.lnext(after) == base) {
                return;
            }
            if self.turn(self.org(e), self.dest(e), self.dest(after)) > 0 {
                let cut = self.connect(after, e) ^ 1;
                self.suspect.push(cut);
                // The corner before may have become convex.
                e = if starts_at_base { cut } else { self.onext(cut) ^ 1 };
            } else {
                e = after;
            }
        }
    }

    /// Flips free edges that are not locally Delaunay, beginning with the suspected ones.
    fn settle(&mut self) {
        while let Some(e) = self.suspect.pop() {
            if self.edges[e as usize].state != State::Free {
                continue;
            }
            let (right, left) = (self.lnext(e ^ 1), self.lnext(e));
            let (a, b) = (self.org(e), self.dest(e));
            let (c, d) = (self.dest(left), self.dest(right));
            // On the hull one of the two faces is the outside.
            if self.turn(a, b, c) <= 0 || self.turn(b, a, d) <= 0 {
                continue;
            }
            if self.in_circle(a, b, c, d) {
                let rim = [left, self.lnext(left), right, self.lnext(right)];
                self.flip(e);
                self.suspect.extend_from_slice(&rim);
            }
        }
    }

    /// All triangles of the hull, counter-clockwise.
    pub(crate) fn triangles(&self) -> Vec<[u32; 3]> {
        (0..self.edges.len() as u32).filter_map(|e| self.triangle_first_seen_from(e)).collect()
    }

    /// The triangle to the left of an edge, for the edge with the lowest index of the three.
    fn triangle_first_seen_from(&self, e: u32) -> Option<[u32; 3]> {
        if self.edges[e as usize].state == State::Deleted {
            return None;
        }
        let next = self.lnext(e);
        let last = self.lnext(next);
        if next < e || last < e || self.lnext(last) != e {
            return None;
        }
        let triangle = [self.org(e), self.org(next), self.org(last)];
        // The outside of a lone triangle has three edges too.
        (self.turn(triangle[0], triangle[1], triangle[2]) > 0).then_some(triangle)
    }

    /// The triangles that the segments' directions wind around once. Refuses, with one of its
    /// corners and its winding number, where a triangle is wound around otherwise than once or
    /// not at all.
    pub(crate) fn inner_triangles(&self) -> Result<Vec<[u32; 3]>, (u32, i32)> {
        const UNSEEN: i32 = i32::MIN;
        let mut winding_of = vec![UNSEEN; self.edges.len()];
        let mut stack = Vec::new();
        if self.outer != NONE {
            stack.push(self.outer);
            winding_of[self.outer as usize] = 0;
        }
        // An edge on the stack has its winding number; the rest of its face has not.
        while let Some(start) = stack.pop() {
            let winding = winding_of[start as usize];
            let mut e = start;
            loop {
                winding_of[e as usize] = winding;
                let across = (e ^ 1) as usize;
                if winding_of[across] == UNSEEN {
                    winding_of[across] = winding - i32::from(self.edges[e as usize].net);
                    stack.push(e ^ 1);
                }
                e = self.lnext(e);
                if e == start {
                    break;
                }
            }
        }
        let mut out = Vec::new();
        for e in 0..self.edges.len() as u32 {
            let Some(triangle) = self.triangle_first_seen_from(e) else { continue };
            match winding_of[e as usize] {
                0 => {}
                1 => out.push(triangle),
                other => return Err((triangle[0], other)),
            }
        }
        Ok(out)
    }
}

/// What lies in a segment's way.
enum Sight {
    /// An edge that runs along it, at least for a part.
    Along(u32),
    /// An edge that it crosses, running from right to left.
    Across(u32),
}
