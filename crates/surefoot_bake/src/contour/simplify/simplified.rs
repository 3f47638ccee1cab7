//! A chain while corners are taken out of it and put back (Douglas and Peucker 1973).

use crate::contour::chain::{Chain, ChainPoint, NO_REGION};
use surefoot_geom::LatticePoint;
use surefoot_geom::predicates::on_segment;
use surefoot_mesh::EdgeClass;

/// How far a simplified chain may lie from the one it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deviation {
    /// In plan, in columns.
    pub(crate) plan: f64,
    /// In height, in lattice units.
    pub(crate) height: f64,
    /// Chains farther apart in height than this never meet, in lattice units.
    pub(crate) apart: f64,
    /// How far the end of the ground may move outwards, in columns.
    pub(crate) outwards: f64,
    /// How far the border between two heights may move, in columns.
    pub(crate) at_steps: f64,
}

/// A chain and which of its corners stay.
pub(super) struct Simplified {
    pub(super) chain: Chain,
    pub(super) keep: Vec<bool>,
    /// Whether it lies between two heights.
    pub(super) at_step: bool,
    /// Which way a closed chain turns along the columns: 1 counter-clockwise, -1 clockwise.
    pub(super) turns: i128,
}

/// Something is wrong with an edge between corners that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Touch {
    pub(super) chain: u32,
    /// The edge's first corner.
    pub(super) from: u32,
    /// A corner of another chain that lies on it.
    pub(super) on_it: Option<(i32, i32)>,
}

/// An edge between corners that stay.
#[derive(Clone, Copy)]
pub(super) struct ChainEdge {
    pub(super) chain: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) ends: [ChainPoint; 2],
}

pub(super) fn plan(p: ChainPoint) -> LatticePoint {
    LatticePoint::new(p.x, p.y)
}

pub(super) fn cross(p: ChainPoint, q: ChainPoint) -> i128 {
    i128::from(p.x) * i128::from(q.y) - i128::from(p.y) * i128::from(q.x)
}

/// Twice the area to the left of a line through some corners and back to the first.
pub(super) fn area_of(points: impl Iterator<Item = ChainPoint> + Clone, first: ChainPoint) -> i128 {
    points.clone().zip(points.skip(1).chain([first])).map(|(p, q)| cross(p, q)).sum()
}

pub(super) fn order_key(p: &ChainPoint) -> (i32, i32, i32, i32) {
    (p.y, p.x, p.left, p.right)
}

impl Simplified {
    pub(super) fn new(chain: Chain, deviation: &Deviation) -> Self {
        let n = chain.points.len();
        let mut keep = chain.fixed.clone();
        for i in 0..n {
            // Beside a corner where other ground touches, the borders stay as they are.
            if chain.fixed[i] && (chain.closed || (i > 0 && i + 1 < n)) {
                keep[(i + 1) % n] = true;
                keep[(i + n - 1) % n] = true;
            }
        }
        // A chain may also leave a junction and come back to it.
        let ring = chain.closed || plan(chain.points[0]) == plan(chain.points[n - 1]);
        let ends = if chain.closed { 0 } else { 1 };
        if ring && keep.iter().filter(|k| **k).count() < 2 + ends {
            let first = keep.iter().position(|k| *k).unwrap_or(0);
            keep[first] = true;
            let start = chain.points[first];
            let away = |p: &ChainPoint| {
                let (dx, dy) = (i64::from(p.x - start.x), i64::from(p.y - start.y));
                dx * dx + dy * dy
            };
            let farthest = (0..n).filter(|&i| i != first && !keep[i]).max_by(|&i, &j| {
                let (p, q) = (&chain.points[i], &chain.points[j]);
                away(p).cmp(&away(q)).then(order_key(q).cmp(&order_key(p)))
            });
            if let Some(i) = farthest {
                keep[i] = true;
            }
        }
        let at_step = chain.right != NO_REGION && chain.points.iter().any(|p| p.left != p.right);
        let turns = area_of(chain.points.iter().copied(), chain.points[0]).signum();
        let mut out = Self { chain, keep, at_step, turns };
        let mut work: Vec<(usize, usize)> =
            out.edges(0).map(|e| (e.from as usize, e.to as usize)).collect();
        while let Some((from, to)) = work.pop() {
            if let Some((i, ratio)) = out.farthest(from, to, deviation)
                && ratio > 1.0
            {
                out.keep[i] = true;
                work.push((from, i));
                work.push((i, to));
            }
        }
        if ring && out.keep.iter().filter(|k| **k).count() < 3 + ends {
            out.keep_third(deviation);
        }
        out
    }

    /// Twice the area to the left of the edges between corners that stay, as seen from the origin.
    pub(super) fn area(&self) -> i128 {
        self.edges(0).map(|e| cross(e.ends[0], e.ends[1])).sum()
    }

    /// A ring needs three corners that are not on one line.
    pub(super) fn keep_third(&mut self, deviation: &Deviation) {
        let edges: Vec<(usize, usize)> =
            self.edges(0).map(|e| (e.from as usize, e.to as usize)).collect();
        let best = edges
            .iter()
            .filter_map(|&(from, to)| self.farthest(from, to, deviation))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((i, _)) = best {
            self.keep[i] = true;
        }
    }

    /// The edges between corners that stay.
    pub(super) fn edges(&self, chain: u32) -> impl Iterator<Item = ChainEdge> + '_ {
        let n = self.chain.points.len();
        let kept = (0..n).filter(|&i| self.keep[i]);
        let first = (0..n).find(|&i| self.keep[i]).filter(|_| self.chain.closed);
        let ends = kept.clone().skip(1).chain(first);
        kept.zip(ends).map(move |(i, j)| ChainEdge {
            chain,
            from: i as u32,
            to: j as u32,
            ends: [self.chain.points[i], self.chain.points[j]],
        })
    }

    /// Brings a corner back on an edge that is in the way; where none is left, adds the corner that
    /// lies on it.
    pub(super) fn mend(&mut self, touch: &Touch, all: bool, deviation: &Deviation) {
        let n = self.chain.points.len();
        let from = touch.from as usize;
        if !self.keep[from] {
            return;
        }
        let Some(to) = (1..=n).map(|k| (from + k) % n).find(|&i| self.keep[i]) else { return };
        if all {
            let mut i = (from + 1) % n;
            while i != to {
                self.keep[i] = true;
                i = (i + 1) % n;
            }
        }
        // In plan first: what crosses does so in plan.
        let flat = Deviation { height: f64::INFINITY, ..*deviation };
        if let Some((i, _)) = self.farthest(from, to, &flat) {
            self.keep[i] = true;
        } else if let Some((x, y)) = touch.on_it {
            self.insert(from, to, x, y);
        }
    }

    pub(super) fn insert(&mut self, from: usize, to: usize, x: i32, y: i32) {
        let (a, b) = (self.chain.points[from], self.chain.points[to]);
        let along = |p: (i32, i32)| f64::from(p.0 - a.x).hypot(f64::from(p.1 - a.y));
        let whole = along((b.x, b.y));
        if !(whole > 0.0) || !on_segment(plan(a), plan(b), LatticePoint::new(x, y)) {
            return;
        }
        let t = along((x, y)) / whole;
        let mix =
            |u: i32, v: i32| (f64::from(u) + t * (f64::from(v) - f64::from(u))).round() as i32;
        let point = ChainPoint { x, y, left: mix(a.left, b.left), right: mix(a.right, b.right) };
        let class = self.chain.classes[from];
        self.chain.points.insert(from + 1, point);
        self.chain.classes.insert(from + 1, class);
        self.chain.fixed.insert(from + 1, true);
        self.keep.insert(from + 1, true);
    }

    /// The chain with only the corners that stay; each edge has the class of most of its length.
    pub(super) fn finish(self) -> Chain {
        let chain = &self.chain;
        let n = chain.points.len();
        let mut out = Chain {
            left: chain.left,
            right: chain.right,
            points: Vec::new(),
            classes: Vec::new(),
            fixed: Vec::new(),
            closed: chain.closed,
        };
        for e in self.edges(0) {
            let mut lengths = [0_i64; 8];
            let mut i = e.from as usize;
            while i != e.to as usize {
                let (p, q) = (chain.points[i], chain.points[(i + 1) % n]);
                let length = i64::from((p.x - q.x).abs()) + i64::from((p.y - q.y).abs());
                lengths[chain.classes[i] as usize & 7] += length;
                i = (i + 1) % n;
            }
            let most = (0..8).max_by_key(|&k| (lengths[k], std::cmp::Reverse(k))).unwrap_or(0);
            let class = if most == EdgeClass::Blocked as usize {
                EdgeClass::Blocked
            } else if chain.right == NO_REGION {
                EdgeClass::Open
            } else {
                EdgeClass::Inner
            };
            out.points.push(e.ends[0]);
            out.fixed.push(chain.fixed[e.from as usize]);
            out.classes.push(class);
        }
        if !chain.closed {
            out.points.push(chain.points[n - 1]);
            out.fixed.push(true);
        }
        out
    }
}
