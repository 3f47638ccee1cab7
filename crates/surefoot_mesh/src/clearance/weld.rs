//! Making one point of those that rounding has set apart.
//!
//! In go the parts that are left of all pieces; out come the same parts with points that lie within
//! [`SAME_POINT_M`] of one another moved onto one of them. Where several cuts meet, every part has
//! worked out the meeting point for itself. Two ends of portals that lie one unit in the last place
//! apart would have a direction, which means nothing, and a funnel would believe it.

use super::carve::{Carved, Part};
use super::effort::{Effort, TooMuchWork};
use glam::DVec2;
use surefoot_geom::DisjointSets;
use surefoot_geom::lattice::M_PER_LATTICE;

/// Points nearer than this are one, in metres.
const SAME_POINT_M: f64 = 1e-8;

/// The side of the squares into which points are sorted, in metres.
const SQUARE_M: f64 = 1e-6;

/// Moves points that should be one onto one, and drops edges and parts that vanish by it.
pub(super) fn weld(carved: &mut Carved, effort: &mut Effort) -> Result<(), TooMuchWork> {
    let points: Vec<DVec2> =
        carved.parts.iter().flat_map(|(_, part)| &part.points).map(|&p| on_lattice(p)).collect();
    // A point near the side of a square belongs to the squares on both sides.
    let mut squares: Vec<([i64; 2], u32)> = Vec::with_capacity(points.len());
    for (i, p) in points.iter().enumerate() {
        let square = |v: f64, by: f64| ((v + by) / SQUARE_M).floor() as i64;
        let first = [square(p.x, -SAME_POINT_M), square(p.y, -SAME_POINT_M)];
        let last = [square(p.x, SAME_POINT_M), square(p.y, SAME_POINT_M)];
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                squares.push(([x, y], i as u32));
            }
        }
    }
    squares.sort_unstable();
    let mut sets = DisjointSets::new(points.len());
    for square in squares.chunk_by(|a, b| a.0 == b.0) {
        for (k, &(_, a)) in square.iter().enumerate() {
            let mut compared = 0;
            for &(_, b) in &square[..k] {
                compared += 1;
                let apart2 = points[a as usize].distance_squared(points[b as usize]);
                if apart2 < SAME_POINT_M * SAME_POINT_M {
                    sets.join(a, b);
                    // The others are within reach of this one's set already.
                    break;
                }
            }
            effort.spend(compared)?;
        }
    }
    // A point of the mesh stays where it is; otherwise the first one counts.
    let mut at: Vec<Option<DVec2>> = vec![None; points.len()];
    for (i, &p) in points.iter().enumerate() {
        let root = sets.find(i as u32) as usize;
        if at[root].is_none() || is_on_lattice(p) {
            at[root] = Some(p);
        }
    }
    let mut i = 0;
    for (_, part) in &mut carved.parts {
        for p in &mut part.points {
            let root = sets.find(i) as usize;
            *p = at[root].unwrap_or(*p);
            i += 1;
        }
        drop_short_edges(part);
    }
    carved.parts.retain(|(_, part)| part.points.len() > 2);
    Ok(())
}

/// A point, or the lattice point that it is but for rounding.
fn on_lattice(p: DVec2) -> DVec2 {
    let nearest = (p / M_PER_LATTICE).round() * M_PER_LATTICE;
    if nearest.distance_squared(p) < SAME_POINT_M * SAME_POINT_M { nearest } else { p }
}

fn is_on_lattice(p: DVec2) -> bool {
    (p / M_PER_LATTICE).fract() == DVec2::ZERO
}

/// Drops every point that is the same as the next.
fn drop_short_edges(part: &mut Part) {
    let n = part.points.len();
    let mut kept = 0;
    let first = part.points[0];
    for i in 0..n {
        let next = if i + 1 == n { first } else { part.points[i + 1] };
        if part.points[i] != next {
            part.points[kept] = part.points[i];
            part.supports[kept] = part.supports[i];
            kept += 1;
        }
    }
    part.points.truncate(kept);
    part.supports.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::super::carve::Support;
    use super::*;

    fn part(points: &[[f64; 2]]) -> (u32, Part) {
        let supports = (0..points.len() as u32).map(Support::Edge).collect();
        (0, Part { points: points.iter().map(|&p| p.into()).collect(), supports })
    }

    #[test]
    fn points_a_rounding_error_apart_become_one() {
        let (a, b) = (5.664_246_501_199_738, 1.669_100_694_044_936_9);
        let mut carved = Carved::default();
        // A side of a square runs between the two.
        let edge = (a / SQUARE_M).floor() * SQUARE_M;
        carved.parts = vec![
            part(&[[a, b], [6.0, 1.0], [6.0, 2.0]]),
            part(&[[a, b - 4e-16], [7.0, 1.0], [7.0, 2.0]]),
            part(&[[edge + 2e-9, b], [7.0, 1.0], [7.0, 2.0]]),
            part(&[[edge - 2e-9, b], [7.0, 1.0], [7.0, 2.0]]),
            part(&[[a, b], [a, b + 1e-9], [7.0, 2.0]]),
            part(&[[a, b], [a, b + 1e-9], [7.0, 2.0], [1.0 + 3e-9, 9.0]]),
        ];
        weld(&mut carved, &mut Effort::for_edges(20)).unwrap();
        let at = |part: usize, i: usize| carved.parts[part].1.points[i];
        assert_eq!(at(0, 0), at(1, 0));
        assert_eq!(at(2, 0), at(3, 0));
        assert_ne!(at(0, 0), at(2, 0));
        // A part without an area is gone; the other has lost its short edge and is on the lattice.
        assert_eq!(carved.parts.len(), 5);
        assert_eq!(carved.parts[4].1.points.len(), 3);
        assert_eq!(carved.parts[4].1.supports, [1, 2, 3].map(Support::Edge));
        assert_eq!(at(4, 2), DVec2::new(1.0, 9.0));
    }
}
