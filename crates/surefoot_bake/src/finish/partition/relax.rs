//! Convexity relaxation: which notches may stay.
//!
//! Goes in: the notches of a triangulation. Comes out: those that need no portal, because the border
//! stays within the convex distance of a straight line without them. Strings of notches that follow
//! each other on a border are simplified (Ramer 1972; Douglas and Peucker 1973), as the source does;
//! unlike there, a string begins and ends with the corners beside it, so that a single shallow notch
//! may stay too.

use crate::finish::partition::area_of_interest::Notch;
use crate::finish::partition::portal_mesh::PortalMesh;
use crate::surface::plan_units;
use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::bounds_of;

/// The corners among the notches that may stay, in no promised order.
pub(super) fn passed_over(
    mesh: &PortalMesh,
    notches: &[Option<Notch>],
    distance_units: f64,
) -> Vec<u32> {
    let mut done = vec![false; notches.len()];
    let mut result = Vec::new();
    let is_notch = |c: u32| notches[c as usize].is_some();
    let mut string: Vec<u32> = Vec::new();
    for start in 0..notches.len() as u32 {
        if !is_notch(start) || done[start as usize] {
            continue;
        }
        // Back to where the string begins; all the way round where the whole loop is one.
        let mut first = start;
        loop {
            let before = mesh.corner_before(first);
            if before == start {
                break;
            }
            first = before;
            if !is_notch(first) {
                break;
            }
        }
        string.clear();
        string.push(first);
        let closed = is_notch(first);
        let mut at = first;
        loop {
            done[at as usize] |= is_notch(at);
            at = mesh.corner_after(at);
            string.push(at);
            if at == first || !is_notch(at) {
                break;
            }
        }
        let points: Vec<LatticePoint> =
            string.iter().map(|&c| mesh.corners[c as usize].point).collect();
        let mut kept = vec![false; string.len()];
        let last = string.len() - 1;
        if closed || string[0] == string[last] {
            // A ring: held at the two ends of its box's longer side.
            let (a, b) = far_ends(&points[..last]);
            kept[a] = true;
            kept[b] = true;
            kept[0] |= !is_notch(string[0]);
            let mut holds: Vec<usize> = (0..last).filter(|&i| kept[i]).collect();
            holds.push(holds[0] + last);
            for pair in holds.windows(2) {
                douglas_peucker(&points[..last], pair[0], pair[1], distance_units, &mut kept);
            }
        } else {
            kept[0] = true;
            kept[last] = true;
            douglas_peucker(&points, 0, last, distance_units, &mut kept);
        }
        for (i, &c) in string.iter().enumerate().take(last) {
            if is_notch(c) && !kept[i] {
                result.push(c);
            }
        }
    }
    result
}

/// Two points far apart: the lowest and the highest along the longer side of the box around them.
fn far_ends(points: &[LatticePoint]) -> (usize, usize) {
    let Some((low, high)) = bounds_of(points.iter().copied()) else { return (0, 0) };
    let wide = i64::from(high.x) - i64::from(low.x) >= i64::from(high.y) - i64::from(low.y);
    let key = |i: &usize| {
        let p = points[*i];
        if wide { (p.x, p.y, *i) } else { (p.y, p.x, *i) }
    };
    let a = (0..points.len()).min_by_key(key).unwrap_or(0);
    let b = (0..points.len()).max_by_key(key).unwrap_or(0);
    (a, b)
}

/// Keeps what lies further than the distance from the line between two kept points, and so on in
/// both parts. Indices count on past the end of a ring.
fn douglas_peucker(
    points: &[LatticePoint],
    from: usize,
    to: usize,
    distance: f64,
    kept: &mut [bool],
) {
    let n = points.len();
    let mut stack = vec![(from, to)];
    while let Some((from, to)) = stack.pop() {
        let (a, b) = (plan_units(points[from % n]), plan_units(points[to % n]));
        let along = b - a;
        let length2 = along.length_squared();
        let mut worst: Option<(f64, usize)> = None;
        for i in from + 1..to {
            let p = plan_units(points[i % n]);
            let foot = if length2 > 0.0 {
                a + along * ((p - a).dot(along) / length2).clamp(0.0, 1.0)
            } else {
                a
            };
            let d = p.distance(foot);
            if d > distance && worst.is_none_or(|(w, _)| d > w) {
                worst = Some((d, i));
            }
        }
        if let Some((_, i)) = worst {
            kept[i % n] = true;
            stack.push((from, i));
            stack.push((i, to));
        }
    }
}
