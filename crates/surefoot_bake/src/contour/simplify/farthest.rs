//! The corner that an edge leaves out farthest away.
//!
//! Goes in: a chain, and an edge between two of its corners. Comes out: which of those between is farthest
//! off, as a share of what is allowed, in plan or in height.

use crate::contour::chain::ChainPoint;
use crate::contour::chain::NO_REGION;
use crate::contour::simplify::simplified::{Deviation, Simplified, order_key, plan};
use std::cmp::Ordering;
use surefoot_geom::predicates::orient;

/// The line between two corners, as it is measured from.
struct ChordLine {
    a: ChainPoint,
    b: ChainPoint,
    along: [f64; 2],
    length2: f64,
}

impl ChordLine {
    fn new(a: ChainPoint, b: ChainPoint) -> Self {
        // Always from the same end, so that the number does not depend on the direction.
        let (a, b) = if order_key(&a) <= order_key(&b) { (a, b) } else { (b, a) };
        let along = [f64::from(b.x) - f64::from(a.x), f64::from(b.y) - f64::from(a.y)];
        Self { a, b, along, length2: along[0] * along[0] + along[1] * along[1] }
    }

    /// How far a corner lies from it: the square in plan in columns, in height in lattice units.
    #[inline]
    fn distance(&self, p: &ChainPoint) -> (f64, f64) {
        let (a, b, [abx, aby]) = (&self.a, &self.b, self.along);
        let d = |u: i32, v: i32| f64::from(u) - f64::from(v);
        let (apx, apy) = (d(p.x, a.x), d(p.y, a.y));
        let t = if self.length2 > 0.0 {
            ((apx * abx + apy * aby) / self.length2).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let (ex, ey) = (apx - t * abx, apy - t * aby);
        let up = |p: i32, a: i32, b: i32| (f64::from(p) - (f64::from(a) + t * d(b, a))).abs();
        let height = up(p.left, a.left, b.left).max(up(p.right, a.right, b.right));
        (ex * ex + ey * ey, height)
    }
}

/// How far off a corner is, as a share of what is allowed.
fn share_of(off: f64, allowed: f64) -> f64 {
    if off > 0.0 { off / allowed } else { 0.0 }
}

/// Distances at which a corner is certainly less far off than one that is known, without roots and
/// divisions. Those that are nearly the same are left to these.
struct Below {
    square: f64,
    height: f64,
}

impl Below {
    /// Nothing is certain.
    fn nothing() -> Self {
        Self { square: 0.0, height: 0.0 }
    }

    /// For a corner that is off by a share of what is allowed, in plan at least and in height.
    fn new(ratio: f64, plan: f64, height: f64) -> Self {
        // Far more than what rounding makes of them.
        const CERTAIN: f64 = 1.0 - 1e-9;
        Self { square: (ratio * plan).powi(2) * CERTAIN, height: ratio * height * CERTAIN }
    }

    #[inline]
    fn holds(&self, square: f64, height: f64) -> bool {
        square < self.square && height < self.height
    }
}

impl Simplified {
    /// The left out corner farthest from an edge, as a share of what is allowed.
    pub(super) fn farthest(
        &self,
        from: usize,
        to: usize,
        deviation: &Deviation,
    ) -> Option<(usize, f64)> {
        let points = &self.chain.points;
        let n = points.len();
        let (a, b) = (points[from], points[to]);
        let line = ChordLine::new(a, b);
        let mut best: Option<(f64, usize)> = None;
        let mut below = Below::nothing();
        let after = |i: usize| if i + 1 < n { i + 1 } else { 0 };
        let mut i = after(from);
        while i != to {
            let (square, in_height) = line.distance(&points[i]);
            if !below.holds(square, in_height) {
                let plan = self.allowed_in_plan(&points[i], &a, &b, deviation);
                let ratio =
                    share_of(square.sqrt(), plan).max(share_of(in_height, deviation.height));
                let better = best.is_none_or(|(r, j)| match ratio.total_cmp(&r) {
                    Ordering::Greater => true,
                    Ordering::Equal => order_key(&points[i]) < order_key(&points[j]),
                    Ordering::Less => false,
                });
                if better {
                    best = Some((ratio, i));
                    below = Below::new(ratio, self.least_allowed(deviation), deviation.height);
                }
            }
            i = after(i);
        }
        best.map(|(ratio, i)| (i, ratio))
    }

    /// How far an edge may pass by a corner that is left out, in columns.
    fn allowed_in_plan(
        &self,
        p: &ChainPoint,
        a: &ChainPoint,
        b: &ChainPoint,
        deviation: &Deviation,
    ) -> f64 {
        if self.at_step {
            deviation.plan.min(deviation.at_steps)
        } else if deviation.outwards < deviation.plan
            && self.chain.right == NO_REGION
            && orient(plan(*a), plan(*b), plan(*p)) > 0
        {
            // The region lies on the left, and so does the corner: the edge passes outside.
            deviation.plan.min(deviation.outwards)
        } else {
            deviation.plan
        }
    }

    /// The least of what [`Simplified::allowed_in_plan`] may say.
    fn least_allowed(&self, deviation: &Deviation) -> f64 {
        match self.at_step {
            true => deviation.plan.min(deviation.at_steps),
            false => deviation.plan.min(deviation.outwards),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contour::chain::Chain;

    /// The farthest corner is the one that all shares tell, computed one by one.
    #[test]
    fn corners_that_are_passed_by_quickly_are_not_the_farthest() {
        let mut state = 5_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % most) as i32
        };
        let plain = Deviation { plan: 3.0, height: 1e6, apart: 1e5, outwards: 5.0, at_steps: 0.5 };
        let inwards = Deviation { outwards: 0.25, ..plain };
        let flat = Deviation { height: f64::INFINITY, ..plain };
        let steep = Deviation { height: 3.0, ..plain };
        let mut by_height = 0;
        for round in 0..3_000 {
            let right = if round % 2 == 0 { NO_REGION } else { 1 };
            let corners: Vec<(i32, i32)> = (0..40).map(|i| (3 * i + next(4), next(9))).collect();
            let points = corners.iter().map(|&(x, y)| ChainPoint {
                x,
                y,
                left: next(3) * next(5),
                right: next(2),
            });
            let chain = Chain {
                left: 0,
                right,
                points: points.collect(),
                classes: Vec::new(),
                fixed: Vec::new(),
                closed: true,
            };
            for deviation in [&plain, &inwards, &flat, &steep] {
                let simplified = Simplified {
                    chain: chain.clone(),
                    keep: Vec::new(),
                    at_step: round % 5 == 1,
                    turns: 0,
                };
                let (from, to) = (next(10) as usize, 20 + next(10) as usize);
                let (a, b) = (simplified.chain.points[from], simplified.chain.points[to]);
                let mut farthest: Option<(usize, f64)> = None;
                for i in from + 1..to {
                    let p = simplified.chain.points[i];
                    let (square, height) = ChordLine::new(a, b).distance(&p);
                    let plan = simplified.allowed_in_plan(&p, &a, &b, deviation);
                    let in_height = share_of(height, deviation.height);
                    let ratio = share_of(square.sqrt(), plan).max(in_height);
                    let is_better = farthest.is_none_or(|(j, most)| {
                        let other = &simplified.chain.points[j];
                        ratio > most || (ratio >= most && order_key(&p) < order_key(other))
                    });
                    if is_better {
                        farthest = Some((i, ratio));
                        by_height += usize::from(in_height >= ratio);
                    }
                }
                assert_eq!(simplified.farthest(from, to, deviation), farthest);
            }
        }
        assert!(by_height > 1_000, "{by_height}");
    }
}
