//! Smooth random fields over the plane and over space, from hashed lattice values and basic
//! arithmetic alone.

use crate::random::mix;

fn lattice(seed: u64, i: i64, j: i64, k: i64) -> f64 {
    let h = mix(seed ^ mix((i as u64) ^ mix((j as u64) ^ mix(k as u64))));
    (h >> 11) as f64 * (2.0 / 9_007_199_254_740_992.0) - 1.0
}

/// A field from -1 to 1 with features about one unit across.
fn value(seed: u64, [x, y, z]: [f64; 3]) -> f64 {
    let base = [x.floor(), y.floor(), z.floor()];
    let fade = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let t = [fade(x - base[0]), fade(y - base[1]), fade(z - base[2])];
    let [i, j, k] = base.map(|b| b as i64);
    let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let edge = |dj: i64, dk: i64| {
        lerp(lattice(seed, i, j + dj, k + dk), lattice(seed, i + 1, j + dj, k + dk), t[0])
    };
    // A point on a lattice plane (all points of a field over the plane) needs half the corners.
    let face =
        |dk: i64| if t[1] > 0.0 { lerp(edge(0, dk), edge(1, dk), t[1]) } else { edge(0, dk) };
    if t[2] > 0.0 { lerp(face(0), face(1), t[2]) } else { face(0) }
}

/// Sums of ever finer fields, each half as high as the one before; from about -1 to 1. The first
/// has features about one unit across.
pub(crate) fn fractal(seed: u64, p: [f64; 3], octaves: u32) -> f64 {
    let (mut sum, mut height, mut total) = (0.0, 1.0, 0.0);
    let mut scale = 1.0;
    for octave in 0..octaves {
        // The shift keeps the lattices of the octaves from meeting at the origin. It leaves y alone,
        // so that fields over the plane stay on a lattice plane.
        let shift = 17.31 * f64::from(octave);
        let q = [p[0] * scale + shift, p[1] * scale, p[2] * scale + shift];
        sum += height * value(seed.wrapping_add(u64::from(octave)), q);
        total += height;
        height *= 0.5;
        scale *= 2.0;
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_bounded_continuous_and_not_flat() {
        let mut low = f64::INFINITY;
        let mut high = -f64::INFINITY;
        let mut before = fractal(1, [0.0, 0.0, 0.37], 4);
        for i in 1..20_000 {
            let v = fractal(1, [f64::from(i) * 0.001, 0.0, 0.37], 4);
            assert!((v - before).abs() < 0.02);
            (low, high, before) = (low.min(v), high.max(v), v);
        }
        assert!(low > -1.0 && high < 1.0 && high - low > 0.5, "{low} {high}");
    }
}
