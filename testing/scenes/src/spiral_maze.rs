//! A round alley that winds to a centre (the second test case of Sanchez 2021, §3.2).

use crate::draft::Draft;
use crate::grid::sin_cos_deg;
use crate::soup::Soup;
use crate::truth::Truth;

const CENTRE_RADIUS_M: f64 = 1.2;
const ALLEY_M: f64 = 0.64;
const WALL_M: f64 = 0.2;
const HEIGHT_M: f64 = 2.5;
/// Pieces of wall in one turn. Corners of neighbouring turns lie on one line through the centre, so
/// the alley is a chain of trapezoids.
const PIECES: usize = 48;

pub(crate) fn draft(turns: u32, _seed: u64) -> Draft {
    let mut soup = Soup::new();
    let mut truth = Truth::default();
    let pieces = turns as usize * PIECES;
    let pitch = ALLEY_M + WALL_M;
    let inner = |k: usize| CENTRE_RADIUS_M + pitch * k as f64 / PIECES as f64;
    let point = |k: usize, radius: f64| -> [f64; 2] {
        let (s, c) = sin_cos_deg(360.0 * (k % PIECES) as f64 / PIECES as f64);
        [radius * c, -radius * s]
    };
    let half = inner(pieces) + WALL_M + 2.0;
    soup.block([-half, -0.2, -half], [half, 0.0, half]);
    for k in 0..pieces {
        let outline = [
            point(k, inner(k)),
            point(k, inner(k) + WALL_M),
            point(k + 1, inner(k + 1) + WALL_M),
            point(k + 1, inner(k + 1)),
        ];
        soup.prism(&outline, 0.0, HEIGHT_M);
        if k % 12 == 5 {
            let [x, z] = point(k, inner(k) + 0.5 * WALL_M);
            truth.blocked_points.push([x, 0.0, z]);
            if k + PIECES <= pieces {
                let [x, z] = point(k, inner(k) + WALL_M + 0.5 * ALLEY_M);
                truth.free_points.push([x, 0.0, z]);
            }
        }
    }
    // The narrowest place, between a corner of one turn and a piece of the other.
    let mut clear = ALLEY_M;
    for k in 0..=pieces.saturating_sub(PIECES) {
        let outer = k + PIECES;
        let (a, b) = (point(k, inner(k) + WALL_M), point(k, inner(outer)));
        for d in 0..4 {
            let (j, l) = ((outer + d).saturating_sub(2), (outer + d).saturating_sub(1));
            if l <= pieces {
                clear = clear.min(distance(a, point(j, inner(j)), point(l, inner(l))));
            }
            let (j, l) = ((k + d).saturating_sub(2), (k + d).saturating_sub(1));
            if l <= pieces && j != l {
                let (p, q) = (point(j, inner(j) + WALL_M), point(l, inner(l) + WALL_M));
                clear = clear.min(distance(b, p, q));
            }
        }
    }
    let outside = [half - 1.0, 0.0, half - 1.0];
    truth.pair(
        outside,
        [0.0; 3],
        clear > 2.0 * truth.agent.radius_m,
        format!("alley {clear:.3} m wide, {turns} turns"),
    );
    truth.free_points.extend([outside, [0.0; 3]]);
    truth.ground_area_m2 = Some(4.0 * half * half);
    Draft { soup, truth }
}

/// Distance of a point from a segment.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let d = [b[0] - a[0], b[1] - a[1]];
    let length_squared = d[0] * d[0] + d[1] * d[1];
    let t = ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length_squared;
    let t = t.clamp(0.0, 1.0);
    let (x, z) = (p[0] - a[0] - t * d[0], p[1] - a[1] - t * d[1]);
    (x * x + z * z).sqrt()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_alley_is_a_little_wider_than_the_agent() {
        for turns in [1, 3, 40] {
            let truth = super::draft(turns, 0).truth;
            let pair = &truth.pairs[0];
            assert!(pair.connected);
            let width: f64 = pair.what.split(' ').nth(1).unwrap().parse().unwrap();
            assert!((0.62..0.64).contains(&width), "{}", pair.what);
        }
    }
}
