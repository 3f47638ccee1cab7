//! Chains runs to contours.
//!
//! Goes in: straight runs between regions. Comes out: chains of corners from junction to junction, or
//! closed, each with one region on its left and one region, or nothing, on its right. A border between
//! two regions is one chain, so both sides stay the same whatever happens to it. Corners that only tell
//! where a tile ended are gone: a corner stays where the border turns, where heights change, or where
//! more than two borders meet (Saupin et al. 2013, §4.2 and §4.3).

use crate::context::StageContext;
use crate::contour::chain::{Chain, ChainPoint, Contours, NO_REGION};
use crate::error::BakeError;
use crate::heightfield::grid::{EAST, SOUTH};
use crate::voxel::merge_tiles::{MergedRegions, RegionRun};
use surefoot_mesh::EdgeClass;

/// A run's end: where it is, on which ground, and which run it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RunEnd {
    y: u32,
    x: u32,
    sheet: u32,
    /// The run's number times two, plus one for the end it arrives at.
    end: u32,
}

/// A run in the direction in which the smaller region, or the only one, lies on its left.
struct Directed {
    left: u32,
    right: u32,
    class: EdgeClass,
    /// Start and end.
    at: [ChainPoint; 2],
    sheets: [u32; 2],
}

pub(crate) fn chain_contours(
    merged: MergedRegions,
    agent_height: i64,
    context: &mut StageContext<'_>,
) -> Result<Contours, BakeError> {
    let MergedRegions { areas, runs, samples } = merged;
    if runs.len() >= u32::MAX as usize / 2 {
        return Err(BakeError::TooLarge { what: "border runs", count: runs.len() });
    }
    context.count("runs", runs.len());
    let directed: Vec<Directed> = runs.iter().map(direct).collect();
    drop(runs);
    let nodes = Nodes::new(&directed);
    context.check_cancelled()?;
    let mut traced = nodes.trace(&directed);
    traced.iter_mut().for_each(drop_idle_corners);
    fix_touching_corners(&mut traced, agent_height);
    let mut chains: Vec<Chain> = traced.into_iter().map(|t| t.chain).collect();
    chains.iter_mut().for_each(start_at_least);
    // The order of chains is that of their corners, so it does not depend on tiles.
    chains.sort_by_cached_key(|c| {
        let p = c.points[0];
        let q = c.points[1 % c.points.len()];
        (c.left, c.right, p.y, p.x, p.left, q.y, q.x, c.points.len())
    });
    context.count("chains", chains.len());
    context.count("corners", chains.iter().map(|c| c.points.len()).sum());
    Ok(Contours { areas, chains, samples })
}

fn direct(r: &RegionRun) -> Directed {
    let run = &r.run;
    let [start, end] = run.ends();
    let point = |[x, y]: [u32; 2], k: usize| ChainPoint {
        x: x as i32,
        y: y as i32,
        left: run.left_heights[k],
        right: run.right_heights[k],
    };
    let mut out = Directed {
        left: r.left,
        right: r.right,
        class: r.class,
        at: [point(start, 0), point(end, 1)],
        sheets: run.sheets,
    };
    // Counter-clockwise around the columns on its left: up their east side, back along their north.
    if !(run.side as usize == EAST || run.side as usize == SOUTH) {
        out.at.swap(0, 1);
        out.sheets.swap(0, 1);
    }
    if r.right < r.left {
        out.turn();
    }
    out
}

impl Directed {
    fn turn(&mut self) {
        self.at.swap(0, 1);
        self.sheets.swap(0, 1);
        std::mem::swap(&mut self.left, &mut self.right);
        for p in &mut self.at {
            std::mem::swap(&mut p.left, &mut p.right);
        }
    }
}

/// Where runs meet.
struct Nodes {
    /// The node of each end of each run.
    node_of: Vec<u32>,
    /// Where each node's ends begin in `ends`, and one past the last at the end.
    firsts: Vec<u32>,
    ends: Vec<u32>,
}

/// A chain and the nodes of its corners.
struct TracedChain {
    chain: Chain,
    nodes: Vec<u32>,
}

impl Nodes {
    fn new(runs: &[Directed]) -> Self {
        let mut sorted: Vec<RunEnd> = Vec::with_capacity(runs.len() * 2);
        for (i, r) in runs.iter().enumerate() {
            for k in 0..2 {
                let p = r.at[k];
                let end = (i * 2 + k) as u32;
                sorted.push(RunEnd { y: p.y as u32, x: p.x as u32, sheet: r.sheets[k], end });
            }
        }
        sorted.sort_unstable();
        let mut nodes = Self {
            node_of: vec![0; sorted.len()],
            firsts: Vec::new(),
            ends: sorted.iter().map(|e| e.end).collect(),
        };
        for (i, e) in sorted.iter().enumerate() {
            let place = |e: &RunEnd| (e.y, e.x, e.sheet);
            if i == 0 || place(&sorted[i - 1]) != place(e) {
                nodes.firsts.push(i as u32);
            }
            nodes.node_of[e.end as usize] = nodes.firsts.len() as u32 - 1;
        }
        nodes.firsts.push(sorted.len() as u32);
        nodes
    }

    fn ends_at(&self, node: u32) -> &[u32] {
        &self.ends[self.firsts[node as usize] as usize..self.firsts[node as usize + 1] as usize]
    }

    /// The end of another run at which a chain goes on, where exactly two runs of one border meet.
    fn goes_on(&self, runs: &[Directed], end: u32) -> Option<u32> {
        let [a, b] = *self.ends_at(self.node_of[end as usize]) else { return None };
        let other = if a == end { b } else { a };
        let (r, o) = (&runs[end as usize / 2], &runs[other as usize / 2]);
        let inside = r.left == r.right;
        let fits = (r.left, r.right) == (o.left, o.right)
            && other / 2 != end / 2
            && (inside || end % 2 != other % 2);
        fits.then_some(other)
    }

    fn trace(&self, runs: &[Directed]) -> Vec<TracedChain> {
        let mut done = vec![false; runs.len()];
        let mut chains = Vec::new();
        // Chains between junctions first; what is left is closed.
        for closed in [false, true] {
            for start in 0..runs.len() as u32 {
                if done[start as usize] {
                    continue;
                }
                let from = if closed || self.goes_on(runs, start * 2).is_none() {
                    start * 2
                } else if runs[start as usize].left == runs[start as usize].right
                    && self.goes_on(runs, start * 2 + 1).is_none()
                {
                    // A break inside of a region has no direction: it may begin at either end.
                    start * 2 + 1
                } else {
                    continue;
                };
                chains.push(self.follow(runs, from, closed, &mut done));
            }
        }
        chains
    }

    /// The chain that leaves along a run from one of its ends.
    fn follow(&self, runs: &[Directed], from: u32, closed: bool, done: &mut [bool]) -> TracedChain {
        let first = &runs[from as usize / 2];
        let mut chain = Chain {
            left: first.left,
            right: first.right,
            points: Vec::new(),
            classes: Vec::new(),
            fixed: Vec::new(),
            closed,
        };
        let mut nodes = Vec::new();
        let mut leaving = from;
        loop {
            let run = &runs[leaving as usize / 2];
            done[leaving as usize / 2] = true;
            let turned = leaving % 2 == 1;
            let side = |p: ChainPoint| match turned {
                true => ChainPoint { left: p.right, right: p.left, ..p },
                false => p,
            };
            let (start, end) = (leaving as usize % 2, 1 - leaving as usize % 2);
            chain.points.push(side(run.at[start]));
            chain.classes.push(run.class);
            nodes.push(self.node_of[leaving as usize]);
            chain.fixed.push(!closed && chain.fixed.is_empty());
            let arriving = leaving ^ 1;
            match self.goes_on(runs, arriving) {
                Some(next) if !done[next as usize / 2] => leaving = next,
                next => {
                    // Back at the start of a closed chain; or at a junction.
                    if !(closed && next.is_some()) {
                        chain.closed = false;
                        chain.points.push(side(run.at[end]));
                        chain.fixed[0] = true;
                        chain.fixed.push(true);
                        nodes.push(self.node_of[arriving as usize]);
                    }
                    return TracedChain { chain, nodes };
                }
            }
        }
    }
}

/// A corner of a chain, where it can be found: by place, then by node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PlacedCorner {
    y: i32,
    x: i32,
    node: u32,
    /// On both sides; a break has no direction, so that neither counts more.
    heights: [i32; 2],
    chain: u32,
    corner: u32,
}

impl PlacedCorner {
    /// Whether ground on one side of this is less than `height` from ground on one side of the other.
    fn is_near(&self, other: &Self, height: i64) -> bool {
        let apart = |a: i32, b: i32| (i64::from(a) - i64::from(b)).abs();
        self.heights.iter().any(|&a| other.heights.iter().any(|&b| apart(a, b) < height))
    }
}

/// Fixes corners at which other corners of nearly the same height lie: ground that meets ground only
/// there, diagonally or along a slit.
fn fix_touching_corners(traced: &mut [TracedChain], agent_height: i64) {
    let mut corners: Vec<PlacedCorner> = Vec::new();
    for (chain, t) in (0..).zip(traced.iter()) {
        for ((p, &node), corner) in t.chain.points.iter().zip(&t.nodes).zip(0..) {
            let heights = [p.left, p.right];
            corners.push(PlacedCorner { y: p.y, x: p.x, node, heights, chain, corner });
        }
    }
    corners.sort_unstable();
    for place in corners.chunk_by(|a, b| (a.y, a.x) == (b.y, b.x)) {
        for a in place {
            if place.iter().any(|b| b.node != a.node && a.is_near(b, agent_height)) {
                traced[a.chain as usize].chain.fixed[a.corner as usize] = true;
            }
        }
    }
}

/// Drops corners in the middle of a straight stretch of equal heights: a tile may have ended there.
fn drop_idle_corners(traced: &mut TracedChain) {
    let TracedChain { chain, nodes } = traced;
    let n = chain.points.len();
    let idle = |i: usize| {
        if chain.fixed[i] || (!chain.closed && (i == 0 || i + 1 == n)) {
            return false;
        }
        let (p, q, r) = (chain.points[(i + n - 1) % n], chain.points[i], chain.points[(i + 1) % n]);
        let straight = (p.x == q.x && q.x == r.x && (p.y < q.y) == (q.y < r.y))
            || (p.y == q.y && q.y == r.y && (p.x < q.x) == (q.x < r.x));
        straight
            && (p.left, p.right) == (q.left, q.right)
            && (q.left, q.right) == (r.left, r.right)
            && (chain.right != NO_REGION || chain.classes[(i + n - 1) % n] == chain.classes[i])
    };
    let keep: Vec<bool> = (0..n).map(|i| !idle(i)).collect();
    if keep.iter().all(|k| *k) {
        return;
    }
    let retain = |i: &mut usize| {
        let kept = keep[*i];
        *i += 1;
        kept
    };
    let (mut a, mut b, mut c, mut d) = (0, 0, 0, 0);
    nodes.retain(|_| retain(&mut d));
    chain.points.retain(|_| retain(&mut a));
    chain.fixed.retain(|_| retain(&mut b));
    chain.classes.retain(|_| retain(&mut c));
}

/// Gives a chain that could start anywhere the start that it has in every build: the least corner, and
/// where a chain comes by there twice, the one with the lesser corner after it.
fn start_at_least(chain: &mut Chain) {
    let key = |p: &ChainPoint| (p.y, p.x, p.left, p.right);
    let least = |chain: &Chain| {
        let n = chain.points.len();
        let at = |i: usize| key(&chain.points[i % n]);
        (0..n).min_by_key(|&i| (at(i), at(i + 1), at(i + n - 1))).unwrap_or(0)
    };
    if chain.closed {
        if chain.left == chain.right {
            // No direction either: the one in which the smaller neighbour of the start comes first.
            let (n, start) = (chain.points.len(), least(chain));
            let (next, last) = (&chain.points[(start + 1) % n], &chain.points[(start + n - 1) % n]);
            if key(last) < key(next) {
                reverse(chain);
            }
        }
        let start = least(chain);
        chain.points.rotate_left(start);
        chain.fixed.rotate_left(start);
        chain.classes.rotate_left(start);
    } else if chain.left == chain.right {
        let forth = chain.points.iter().map(key);
        // Backwards the sides change places.
        let back = chain.points.iter().rev().map(|p| (p.y, p.x, p.right, p.left));
        if back.lt(forth) {
            reverse(chain);
        }
    }
}

fn reverse(chain: &mut Chain) {
    chain.points.reverse();
    chain.fixed.reverse();
    chain.classes.reverse();
    if chain.closed {
        // Edge i leads from corner i: after turning around, the edge that led there.
        chain.classes.rotate_left(1);
    }
    for p in &mut chain.points {
        std::mem::swap(&mut p.left, &mut p.right);
    }
}
