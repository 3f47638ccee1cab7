//! Numbers that come out equal on every machine.
//!
//! Generated coordinates are rounded to a grid of 2⁻²⁰ m (about a micrometre), and angles go
//! through a sine of our own, because that of the system may differ in its last bit from one
//! machine to the next.

/// Grid steps to the metre.
const STEPS_PER_M: f64 = 1_048_576.0;

/// The nearest point of the grid.
pub(crate) fn snap(v: f64) -> f64 {
    (v * STEPS_PER_M).round() / STEPS_PER_M
}

/// A point with each coordinate on the grid.
pub(crate) fn snap_point(p: [f64; 3]) -> [f64; 3] {
    p.map(snap)
}

/// A coordinate in grid steps.
pub(crate) fn steps(v: f64) -> i64 {
    (v * STEPS_PER_M).round() as i64
}

/// Sine and cosine of an angle in degrees, from basic arithmetic alone. Multiples of 90° are exact.
pub(crate) fn sin_cos_deg(angle_deg: f64) -> (f64, f64) {
    let turn = angle_deg % 360.0;
    let quarter = (turn / 90.0).round();
    let x = (turn - quarter * 90.0) * (std::f64::consts::PI / 180.0);
    let x2 = x * x;
    // Taylor's series; |x| ≤ π/4, so the first term left out is below 1e-17.
    let series = |first: f64, start: u32| {
        let (mut term, mut sum) = (first, first);
        let mut n = start;
        while n < start + 18 {
            term = -term * x2 / f64::from((n + 1) * (n + 2));
            sum += term;
            n += 2;
        }
        sum
    };
    let (sin, cos) = (series(x, 1), series(1.0, 0));
    match (quarter as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The tangent of an angle in degrees, from basic arithmetic alone.
pub(crate) fn tan_deg(angle_deg: f64) -> f64 {
    let (sin, cos) = sin_cos_deg(angle_deg);
    sin / cos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_agree_with_the_system() {
        for i in -7_200..7_200 {
            let angle = f64::from(i) * 0.173;
            let (s, c) = sin_cos_deg(angle);
            let (ws, wc) = angle.to_radians().sin_cos();
            assert!((s - ws).abs() < 2e-14 && (c - wc).abs() < 2e-14, "{angle}");
        }
        for (angle, want) in
            [(0.0, (0.0, 1.0)), (90.0, (1.0, 0.0)), (-90.0, (-1.0, 0.0)), (540.0, (0.0, -1.0))]
        {
            let (s, c) = sin_cos_deg(angle);
            assert!(
                ((s + 0.0).to_bits(), (c + 0.0).to_bits()) == {
                    let (a, b): (f64, f64) = want;
                    (a.to_bits(), b.to_bits())
                }
            );
        }
    }

    #[test]
    fn snapping_is_idempotent() {
        for v in [0.1, -3.7, 1e3 / 3.0, 5e-7] {
            let s = snap(v);
            assert!((s - v).abs() <= 0.5 / STEPS_PER_M);
            assert_eq!(s.to_bits(), snap(s).to_bits());
            assert_eq!(steps(s), (s * STEPS_PER_M) as i64);
        }
    }
}
