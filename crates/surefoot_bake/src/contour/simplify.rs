//! Takes corners out of contours.
//!
//! Goes in: chains along the columns. Comes out: the same chains with fewer corners, none of the left
//! out ones farther away than the largest deviation, in plan or in height (Douglas and Peucker 1973;
//! van Gelderen 2018). Where the ground ends, a chain may move inwards that far, but outwards only by a
//! share of it: the error of the erosion and this one together stay below a column. A chain is
//! simplified once for both its sides. Where simplified chains of one ground cross or touch, or a thin
//! piece of ground or a thin hole turns inside out, or a corner comes to lie on the other side of a
//! chain that passed over it, corners come back until that is over; since it is so for chains along
//! columns, that ends.

mod farthest;
mod simplified;

pub(crate) use simplified::Deviation;

use crate::context::StageContext;
use crate::contour::chain::NO_REGION;
use crate::contour::chain::{Chain, ChainPoint, Contours};
use crate::contour::simplify::simplified::{ChainEdge, Simplified, Touch, plan};
use crate::error::BakeError;
use glam::DVec3;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::predicates::{on_segment, orient, segments_cross};
use surefoot_geom::threads::prelude::*;

/// Corners in the rows of an edge are looked at one by one where there are at most so many for each corner
/// that it leaves out.
const MOST_IN_ROWS: usize = 32;

/// After so many rounds, chains that still cross go back to their columns altogether.
const MOST_ROUNDS: usize = 24;

pub(crate) fn simplify_contours(
    mut contours: Contours,
    deviation: &Deviation,
    context: &mut StageContext<'_>,
) -> Result<Contours, BakeError> {
    let mut simplified: Vec<Simplified> = std::mem::take(&mut contours.chains)
        .into_par_iter()
        .map(|chain| Simplified::new(chain, deviation))
        .collect();
    let mut rounds = 0;
    loop {
        context.check_cancelled()?;
        let mut touches = find_touches(&simplified, deviation);
        touches.extend(find_turned(&simplified, contours.areas.len()));
        if touches.is_empty() {
            touches = find_swept(&simplified);
        }
        touches.sort_unstable();
        touches.dedup();
        if touches.is_empty() || rounds > MOST_ROUNDS + 2 {
            break;
        }
        for of_edge in touches.chunk_by_mut(|a, b| (a.chain, a.from) == (b.chain, b.from)) {
            let start =
                plan(simplified[of_edge[0].chain as usize].chain.points[of_edge[0].from as usize]);
            let away = |(x, y): (i32, i32)| start.distance2(LatticePoint::new(x, y));
            of_edge.sort_by_key(|t| t.on_it.map(away));
        }
        // From the back, so that corners that are added do not move the others, and all that lie on one
        // edge find their place on what is left of it.
        for touch in touches.iter().rev() {
            simplified[touch.chain as usize].mend(touch, rounds >= MOST_ROUNDS, deviation);
        }
        rounds += 1;
    }
    context.count("rounds", rounds);
    contours.chains = simplified.into_par_iter().map(Simplified::finish).collect();
    context.count("corners", contours.chains.iter().map(|c| c.points.len()).sum());
    Ok(contours)
}

/// Edges of one ground that cross or touch where they should not, in order.
fn find_touches(chains: &[Simplified], deviation: &Deviation) -> Vec<Touch> {
    let edges: Vec<ChainEdge> =
        chains.iter().enumerate().flat_map(|(c, s)| s.edges(c as u32)).collect();
    let shortened = |e: &ChainEdge| {
        (e.from as usize + 1) % chains[e.chain as usize].chain.points.len() != e.to as usize
    };
    let reach = |e: &ChainEdge| {
        let at = |p: ChainPoint, z: i32| DVec3::new(f64::from(p.x), f64::from(p.y), f64::from(z));
        let [p, q] = e.ends;
        let low = at(p, p.left.min(p.right)).min(at(q, q.left.min(q.right)));
        let high = at(p, p.left.max(p.right)).max(at(q, q.left.max(q.right)));
        let apart = DVec3::new(0.0, 0.0, 0.25 * deviation.apart);
        Aabb { lo: low - apart, hi: high + apart }
    };
    let boxes: Vec<Aabb> = edges.iter().map(reach).collect();
    let share_region = |e: &ChainEdge, f: &ChainEdge| {
        share_region(&chains[e.chain as usize].chain, &chains[f.chain as usize].chain)
    };
    let tree = BoxTree::build_with(edges.len(), |i| boxes[i as usize]);
    edges
        .par_iter()
        .enumerate()
        // An edge along one side of one column holds no corner and crosses nothing.
        .filter(|(_, e)| shortened(e) || !is_unit(e))
        .flat_map_iter(|(i, e)| {
            let mut found = Vec::new();
            // A region is triangulated in plan, so its own borders may not meet at any height.
            let here = boxes[i];
            let mut any_height = here;
            (any_height.lo.z, any_height.hi.z) = (f64::NEG_INFINITY, f64::INFINITY);
            tree.visit_box(&any_height, |j| {
                let f = &edges[j as usize];
                if i as u32 != j && (share_region(e, f) || here.overlaps(&boxes[j as usize])) {
                    judge(e, f, [shortened(e), shortened(f)], &mut found);
                }
            });
            found
        })
        .collect()
}

/// The shortened edges of chains that have turned around what they enclose, and of regions of which
/// nothing is left.
fn find_turned(chains: &[Simplified], regions: usize) -> Vec<Touch> {
    let areas: Vec<i128> = chains.par_iter().map(Simplified::area).collect();
    let mut left = vec![0_i128; regions];
    for (s, area) in chains.iter().zip(&areas) {
        left[s.chain.left as usize] += area;
        if s.chain.right != NO_REGION {
            left[s.chain.right as usize] -= area;
        }
    }
    let mut touches = Vec::new();
    for ((c, s), area) in (0_u32..).zip(chains).zip(&areas) {
        let has_turned = s.chain.closed && area.signum() != s.turns;
        let is_left = |r: u32| r == NO_REGION || left[r as usize] > 0;
        if has_turned || !is_left(s.chain.left) || !is_left(s.chain.right) {
            let n = s.chain.points.len();
            let shortened = s.edges(c).filter(|e| (e.from as usize + 1) % n != e.to as usize);
            touches.extend(shortened.map(|e| Touch { chain: c, from: e.from, on_it: None }));
        }
    }
    touches
}

/// The shortened edges that passed over a corner that stays: the edge lies on one side of it, the
/// stretch of the chain that it stands for on the other. Such a corner, of a hole, a break or another
/// border, would lie outside of its own region, though nothing crosses.
fn find_swept(chains: &[Simplified]) -> Vec<Touch> {
    let mut corners: Vec<(i32, i32, u32)> = Vec::new();
    for (c, s) in (0_u32..).zip(chains) {
        // Where one edge ends the next begins, but for the last one.
        let mut last = None;
        for [start, end] in s.edges(c).map(|e| e.ends) {
            corners.push((start.y, start.x, c));
            last = Some((end.y, end.x, c));
        }
        corners.extend(last);
    }
    corners.par_sort_unstable();
    corners.dedup();
    chains
        .par_iter()
        .enumerate()
        .flat_map_iter(|(c, s)| {
            s.edges(c as u32)
                .filter(|e| passed_over(chains, e, &corners))
                .map(|e| Touch { chain: e.chain, from: e.from, on_it: None })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Whether an edge passed over one of the corners, which are sorted by rows.
fn passed_over(chains: &[Simplified], e: &ChainEdge, corners: &[(i32, i32, u32)]) -> bool {
    let chain = &chains[e.chain as usize].chain;
    let n = chain.points.len();
    let left_out = (e.to as usize + n - e.from as usize - 1) % n;
    if left_out == 0 {
        return false;
    }
    let from = e.from as usize;
    let first = &chain.points[from..n.min(from + left_out + 2)];
    let stretch = || first.iter().chain(&chain.points[..left_out + 2 - first.len()]);
    let (mut lo, mut hi) = (plan(first[0]), plan(first[0]));
    for p in stretch() {
        (lo.x, lo.y) = (lo.x.min(p.x), lo.y.min(p.y));
        (hi.x, hi.y) = (hi.x.max(p.x), hi.y.max(p.y));
    }
    // Corners have whole coordinates: none lies inside of what is only a column wide.
    if hi.x - lo.x < 2 || hi.y - lo.y < 2 {
        return false;
    }
    // Around most edges there is no other corner.
    let from = corners.partition_point(|c| c.0 <= lo.y);
    let to = from + corners[from..].partition_point(|c| c.0 < hi.y);
    let may_hold = |c: &(i32, i32, u32)| {
        lo.x < c.1 && c.1 < hi.x && share_region(chain, &chains[c.2 as usize].chain)
    };
    let corners = &corners[from..to];
    let few = corners.len() <= MOST_IN_ROWS * (left_out + 2);
    if few && !corners.iter().any(may_hold) {
        return false;
    }
    let stretch: Vec<LatticePoint> = stretch().map(|p| plan(*p)).collect();
    // From where to where the stretch and the edge reach in every row.
    let mut rows = vec![(hi.x, lo.x); (hi.y - lo.y) as usize + 1];
    let closed = || stretch.iter().zip(stretch.iter().cycle().skip(1));
    for (p, q) in closed() {
        let (p, q) = if p.y <= q.y { (p, q) } else { (q, p) };
        let (dx, dy) = (i64::from(q.x) - i64::from(p.x), i64::from(q.y) - i64::from(p.y));
        for y in p.y..=q.y {
            let (west, east) = if dy == 0 {
                (p.x.min(q.x), p.x.max(q.x))
            } else {
                let along = dx * (i64::from(y) - i64::from(p.y));
                let x = p.x + along.div_euclid(dy) as i32;
                (x, x + i32::from(along.rem_euclid(dy) != 0))
            };
            let row = &mut rows[(y - lo.y) as usize];
            *row = (row.0.min(west), row.1.max(east));
        }
    }
    (lo.y + 1..hi.y).zip(&rows[1..]).any(|(y, &(west, east))| {
        let first = corners.partition_point(|c| (c.0, c.1) <= (y, west));
        corners[first..].iter().take_while(|c| c.0 == y && c.1 < east).any(|&(y, x, c)| {
            share_region(chain, &chains[c as usize].chain)
                && turns_around(closed(), LatticePoint::new(x, y)) != 0
        })
    })
}

/// How often a closed line goes around a point, counter-clockwise; never around a point on it.
fn turns_around<'a>(
    line: impl Iterator<Item = (&'a LatticePoint, &'a LatticePoint)>,
    at: LatticePoint,
) -> i32 {
    let mut turns = 0;
    for (&p, &q) in line {
        if on_segment(p, q, at) {
            return 0;
        }
        if p.y <= at.y && q.y > at.y && orient(p, q, at) > 0 {
            turns += 1;
        } else if q.y <= at.y && p.y > at.y && orient(p, q, at) < 0 {
            turns -= 1;
        }
    }
    turns
}

/// Whether two chains bound one region.
fn share_region(c: &Chain, d: &Chain) -> bool {
    c.left == d.left
        || c.left == d.right
        || c.right == d.left
        || (c.right == d.right && c.right != NO_REGION)
}

fn is_unit(e: &ChainEdge) -> bool {
    let [a, b] = e.ends;
    (a.x - b.x).abs() + (a.y - b.y).abs() <= 1
}

/// What is wrong between two edges, which may have left out corners.
fn judge(e: &ChainEdge, f: &ChainEdge, shortened: [bool; 2], found: &mut Vec<Touch>) {
    let touch = |e: &ChainEdge, on_it: Option<LatticePoint>| Touch {
        chain: e.chain,
        from: e.from,
        on_it: on_it.map(|p| (p.x, p.y)),
    };
    let [a, b] = e.ends.map(plan);
    let [c, d] = f.ends.map(plan);
    if segments_cross(a, b, c, d) {
        found.extend([e, f].iter().zip(shortened).filter(|(_, s)| *s).map(|(e, _)| touch(e, None)));
        return;
    }
    if (a, b) == (c, d) || (a, b) == (d, c) {
        if shortened[0] {
            found.push(touch(e, None));
        }
        return;
    }
    let inner = |p: LatticePoint, a: LatticePoint, b: LatticePoint| {
        p != a && p != b && orient(a, b, p) == 0 && on_segment(a, b, p)
    };
    for p in [c, d] {
        if inner(p, a, b) {
            found.push(touch(e, Some(p)));
        }
    }
    for p in [a, b] {
        if inner(p, c, d) {
            found.push(touch(f, Some(p)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contour::lift::edges_of_regions;
    use crate::contour::region_mesh::RegionMesh;
    use surefoot_mesh::EdgeClass;

    const DEVIATION: Deviation =
        Deviation { plan: 3.0, height: 1e6, apart: 1e5, outwards: 0.25, at_steps: 0.5 };

    fn chain(right: u32, closed: bool, corners: &[(i32, i32)]) -> Chain {
        let n = corners.len();
        // A break lies between two heights.
        let height = if right == NO_REGION { 0 } else { 5_000 };
        let point = |&(x, y): &(i32, i32)| ChainPoint { x, y, left: 0, right: height };
        Chain {
            left: 0,
            right,
            points: corners.iter().map(point).collect(),
            classes: vec![EdgeClass::Open; if closed { n } else { n - 1 }],
            fixed: (0..n).map(|i| !closed && (i == 0 || i + 1 == n)).collect(),
            closed,
        }
    }

    /// Simplifies the chains of one region, and asks whether they are still its outline.
    fn stays_an_outline(chains: Vec<Chain>) -> (bool, Contours) {
        let contours = Contours { areas: vec![0], chains, samples: vec![Vec::new()] };
        let mut context = StageContext::new();
        let simplified = simplify_contours(contours, &DEVIATION, &mut context).unwrap();
        (RegionMesh::new(&edges_of_regions(&simplified).0[0]).is_some(), simplified)
    }

    #[test]
    fn an_outline_does_not_pass_over_a_hole() {
        let outline = [(0, 0), (20, 0), (20, 20), (13, 20), (13, 23), (8, 23), (8, 20), (0, 20)];
        let hole = [(10, 21), (10, 22), (11, 22), (11, 21)];
        let (sound, alone) = stays_an_outline(vec![chain(NO_REGION, true, &outline)]);
        assert!(sound);
        assert_eq!(alone.chains[0].points.len(), 4, "without the hole, the bump goes");
        let both = vec![chain(NO_REGION, true, &outline), chain(NO_REGION, true, &hole)];
        assert!(stays_an_outline(both).0);
    }

    #[test]
    fn an_outline_does_not_pass_over_a_break() {
        // The ground to the left of the break is a few columns that the outline could cut off.
        let tip = [(2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0), (1, 0)];
        let others = [(1, 0), (1, -1), (9, -1), (9, 1), (2, 1)];
        let chains = vec![
            chain(0, false, &[(1, 0), (1, 1), (2, 1)]),
            chain(NO_REGION, false, &others),
            chain(NO_REGION, false, &tip),
        ];
        assert!(stays_an_outline(chains).0);
    }

    #[test]
    fn turns_are_counted_with_their_direction() {
        let square = [(0, 0), (4, 0), (4, 4), (0, 4)].map(|(x, y)| LatticePoint::new(x, y));
        let turns = |x, y| {
            let line = square.iter().zip(square.iter().cycle().skip(1));
            let back = square.iter().rev().zip(square.iter().rev().cycle().skip(1));
            let at = LatticePoint::new(x, y);
            [turns_around(line, at), turns_around(back, at)]
        };
        assert_eq!(turns(1, 2), [1, -1]);
        assert_eq!(turns(5, 2), [0, 0]);
        assert_eq!(turns(4, 2), [0, 0], "on it");
    }
}
