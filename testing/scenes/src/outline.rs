//! Triangles of a flat outline with holes, by clipping ears.
//!
//! In: a simple polygon in the plane and holes inside it, in any orientation. Out: triangles of
//! point indices, counter-clockwise in the plane's own axes, with no vertex added. Decisions are
//! exact: coordinates are grid steps.

use crate::grid::steps;

/// Twice the signed area of a triangle in grid steps; positive when it turns left.
fn turn(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i128 {
    let d = |p: i64, q: i64| i128::from(p) - i128::from(q);
    d(b[0], a[0]) * d(c[1], a[1]) - d(b[1], a[1]) * d(c[0], a[0])
}

/// Area enclosed by an outline, positive when it runs counter-clockwise.
pub(crate) fn signed_area(outline: &[[f64; 2]]) -> f64 {
    let n = outline.len();
    (0..n)
        .map(|i| {
            let (p, q) = (outline[i], outline[(i + 1) % n]);
            p[0] * q[1] - p[1] * q[0]
        })
        .sum::<f64>()
        * 0.5
}

/// The triangles of an outline with holes, as indices into the outline's points followed by the
/// holes' points.
pub(crate) fn triangulate(outline: &[[f64; 2]], holes: &[Vec<[f64; 2]>]) -> Vec<[usize; 3]> {
    let points: Vec<[i64; 2]> =
        outline.iter().chain(holes.iter().flatten()).map(|p| p.map(steps)).collect();
    let mut ring: Vec<usize> = (0..outline.len()).collect();
    if signed_area(outline) < 0.0 {
        ring.reverse();
    }
    let mut start = outline.len();
    let mut rings = Vec::new();
    for hole in holes {
        let mut indices: Vec<usize> = (start..start + hole.len()).collect();
        start += hole.len();
        if signed_area(hole) > 0.0 {
            indices.reverse();
        }
        rings.push(indices);
    }
    // Each hole is joined to the ring by the shortest bridge that crosses nothing. A hole that no
    // bridge reaches yet waits until one of its neighbours has been joined.
    let mut waiting = std::collections::VecDeque::from(rings);
    let mut misses = 0;
    while let Some(hole) = waiting.pop_front() {
        let Some((from, to)) = shortest_bridge(&points, &ring, &hole, &waiting) else {
            misses += 1;
            if misses > waiting.len() {
                break;
            }
            waiting.push_back(hole);
            continue;
        };
        misses = 0;
        let bridge: Vec<usize> = hole[from..]
            .iter()
            .chain(&hole[..=from])
            .copied()
            .chain(std::iter::once(ring[to]))
            .collect();
        ring.splice(to + 1..to + 1, bridge);
    }
    let mut triangles = clip_ears(&points, ring);
    flip_slivers(&points, &mut triangles);
    triangles
}

/// Positions in the hole and in the ring of the nearest pair of vertices that see each other.
fn shortest_bridge(
    points: &[[i64; 2]],
    ring: &[usize],
    hole: &[usize],
    others: &std::collections::VecDeque<Vec<usize>>,
) -> Option<(usize, usize)> {
    let squared = |p: [i64; 2], q: [i64; 2]| {
        let d = [i128::from(p[0]) - i128::from(q[0]), i128::from(p[1]) - i128::from(q[1])];
        d[0] * d[0] + d[1] * d[1]
    };
    let mut pairs: Vec<(i128, usize, usize)> = Vec::with_capacity(ring.len() * hole.len());
    for (i, &h) in hole.iter().enumerate() {
        for (j, &r) in ring.iter().enumerate() {
            pairs.push((squared(points[h], points[r]), i, j));
        }
    }
    pairs.sort_unstable();
    let loops = || others.iter().map(Vec::as_slice).chain([ring, hole]);
    pairs.into_iter().map(|(_, i, j)| (i, j)).find(|&(i, j)| {
        let (p, q) = (points[hole[i]], points[ring[j]]);
        // The right copy of a vertex that the ring passes twice is the one whose corner is open
        // towards the hole.
        if !in_corner(points, ring, j, p) {
            return false;
        }
        loops().all(|l| {
            (0..l.len()).all(|k| {
                let (a, b) = (points[l[k]], points[l[(k + 1) % l.len()]]);
                if a == p || a == q || b == p || b == q {
                    return true;
                }
                let (s, t) = (turn(p, q, a).signum(), turn(p, q, b).signum());
                let (u, v) = (turn(a, b, p).signum(), turn(a, b, q).signum());
                s * t > 0 || u * v > 0
            })
        })
    })
}

/// Whether `p` is seen from the ring's corner `at` through the inside.
fn in_corner(points: &[[i64; 2]], ring: &[usize], at: usize, p: [i64; 2]) -> bool {
    let n = ring.len();
    let (prev, here, next) =
        (points[ring[(at + n - 1) % n]], points[ring[at]], points[ring[(at + 1) % n]]);
    if turn(prev, here, next) > 0 {
        turn(here, next, p) > 0 && turn(prev, here, p) > 0
    } else {
        turn(here, next, p) > 0 || turn(prev, here, p) > 0
    }
}

fn clip_ears(points: &[[i64; 2]], mut ring: Vec<usize>) -> Vec<[usize; 3]> {
    let mut triangles = Vec::with_capacity(ring.len().saturating_sub(2));
    let mut at = 0;
    let mut refused = 0;
    while ring.len() > 3 {
        let n = ring.len();
        let (i, j, k) = (at % n, (at + 1) % n, (at + 2) % n);
        let (a, b, c) = (points[ring[i]], points[ring[j]], points[ring[k]]);
        let is_ear = turn(a, b, c) > 0
            && ring.iter().all(|&v| {
                let p = points[v];
                p == a
                    || p == b
                    || p == c
                    || turn(a, b, p) < 0
                    || turn(b, c, p) < 0
                    || turn(c, a, p) < 0
            });
        if is_ear {
            triangles.push([ring[i], ring[j], ring[k]]);
            ring.remove(j);
            refused = 0;
            // Moving on after each ear spreads the cuts and keeps triangles from fanning.
            at = j;
        } else {
            at = (at + 1) % n;
            refused += 1;
            if refused > n {
                break;
            }
        }
    }
    if let [a, b, c] = ring[..]
        && turn(points[a], points[b], points[c]) > 0
    {
        triangles.push([a, b, c]);
    }
    triangles
}

/// Height of a triangle over its longest edge, as a share of that edge; zero when it is none.
fn plumpness(points: &[[i64; 2]], [a, b, c]: [usize; 3]) -> f64 {
    let [p, q, r] = [points[a], points[b], points[c]];
    let squared = |p: [i64; 2], q: [i64; 2]| {
        let d = [(p[0] - q[0]) as f64, (p[1] - q[1]) as f64];
        d[0] * d[0] + d[1] * d[1]
    };
    turn(p, q, r).max(0) as f64 / squared(p, q).max(squared(q, r)).max(squared(r, p)).max(1.0)
}

/// Exchanges the diagonal of two neighbours where that makes the thinner of the two plumper. Points
/// of an incline are nearly collinear, and an ear of three of them would vanish when it is rounded.
fn flip_slivers(points: &[[i64; 2]], triangles: &mut [[usize; 3]]) {
    // Every exchange raises a minimum; the bound only guards against ties.
    for _ in 0..triangles.len() + 8 {
        let mut edges: Vec<(usize, usize, usize, usize)> = Vec::with_capacity(3 * triangles.len());
        for (t, triangle) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                edges.push((a.min(b), a.max(b), t, k));
            }
        }
        edges.sort_unstable();
        let mut moved = vec![false; triangles.len()];
        let mut flips = 0;
        for pair in edges.windows(2) {
            let [(a0, b0, t, k), (a1, b1, u, l)] = [pair[0], pair[1]];
            if (a0, b0) != (a1, b1) || moved[t] || moved[u] {
                continue;
            }
            let (a, b, c) = (triangles[t][k], triangles[t][(k + 1) % 3], triangles[t][(k + 2) % 3]);
            let d = triangles[u][(l + 2) % 3];
            let before = plumpness(points, [a, b, c]).min(plumpness(points, triangles[u]));
            let after = [[a, d, c], [d, b, c]];
            if after.iter().all(|&t| plumpness(points, t) > before * 1.0001) {
                [triangles[t], triangles[u]] = after;
                (moved[t], moved[u]) = (true, true);
                flips += 1;
            }
        }
        if flips == 0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::snap;

    fn area_of(points: &[[f64; 2]], triangles: &[[usize; 3]]) -> f64 {
        triangles.iter().map(|t| signed_area(&t.map(|i| points[i]))).sum()
    }

    #[test]
    fn a_comb_is_covered_exactly() {
        let mut outline = vec![[0.0, 0.0], [10.0, 0.0]];
        for i in (0..10).rev() {
            let x = f64::from(i);
            outline.extend([[x + 0.75, 3.0], [x + 0.5, 0.5], [x + 0.25, 3.0]]);
        }
        let triangles = triangulate(&outline, &[]);
        assert_eq!(triangles.len(), outline.len() - 2);
        assert!((area_of(&outline, &triangles) - signed_area(&outline)).abs() < 1e-12);
    }

    #[test]
    fn holes_are_left_out() {
        let outline = vec![[0.0, 0.0], [0.0, 8.0], [8.0, 8.0], [8.0, 0.0]];
        let mut holes = Vec::new();
        for i in 0..3 {
            for j in 0..3 {
                let (x, y) = (1.5 + 2.5 * f64::from(i), 1.5 + 2.5 * f64::from(j));
                holes.push(
                    (0..7)
                        .map(|k| {
                            let (s, c) = crate::grid::sin_cos_deg(f64::from(k) * 360.0 / 7.0 + 3.0);
                            [snap(x + 0.9 * c), snap(y + 0.9 * s)]
                        })
                        .collect::<Vec<_>>(),
                );
            }
        }
        let triangles = triangulate(&outline, &holes);
        let points: Vec<[f64; 2]> =
            outline.iter().copied().chain(holes.iter().flatten().copied()).collect();
        assert_eq!(triangles.len(), points.len() - 2 + 2 * holes.len());
        let want = 64.0 - holes.iter().map(|h| signed_area(h).abs()).sum::<f64>();
        assert!((area_of(&points, &triangles) - want).abs() < 1e-9);
        assert!(triangles.iter().all(|t| signed_area(&t.map(|i| points[i])) > 0.0));
    }
}
