//! Exact decisions about lattice points.

use crate::lattice::LatticePoint;

/// Twice the signed area of the triangle `a b c` in square units: positive when the three turn
/// counter-clockwise, zero when they lie on one line. Exact for all lattice points.
#[must_use]
pub fn orient(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> i128 {
    // Differences of i32 need 33 bits, their products 66: one more than i64 has.
    let difference = |from: i32, to: i32| i128::from(i64::from(to) - i64::from(from));
    let (abx, aby) = (difference(a.x, b.x), difference(a.y, b.y));
    let (acx, acy) = (difference(a.x, c.x), difference(a.y, c.y));
    abx * acy - aby * acx
}

/// Whether `d` lies inside (`Greater`), on (`Equal`) or outside (`Less`) the circle through `a`,
/// `b` and `c`, which turn counter-clockwise. Exact for all lattice points.
#[must_use]
pub fn in_circle(
    a: LatticePoint,
    b: LatticePoint,
    c: LatticePoint,
    d: LatticePoint,
) -> std::cmp::Ordering {
    let rel =
        |p: LatticePoint| (i128::from(p.x) - i128::from(d.x), i128::from(p.y) - i128::from(d.y));
    let (ax, ay) = rel(a);
    let (bx, by) = rel(b);
    let (cx, cy) = rel(c);
    // Each 2×2 minor needs 67 bits and each lifted coordinate 67: their product needs 134 and
    // does not fit i128, so it is summed as a pair of (high, low) parts.
    let lift = |x: i128, y: i128| x * x + y * y;
    let terms = [
        (lift(ax, ay), bx * cy - by * cx),
        (lift(bx, by), cx * ay - cy * ax),
        (lift(cx, cy), ax * by - ay * bx),
    ];
    // lift = hi·2³⁴ + lo with lo in [0, 2³⁴); both products fit i128 (33 + 67 and 34 + 67 bits).
    let (mut high, mut low) = (0_i128, 0_i128);
    for (lifted, minor) in terms {
        high += (lifted >> 34) * minor;
        low += (lifted & ((1 << 34) - 1)) * minor;
    }
    high += low >> 34;
    let rest = low & ((1 << 34) - 1);
    (high, rest).cmp(&(0, 0))
}

/// Whether `p` lies on the closed segment `a b`. Exact.
#[must_use]
pub fn on_segment(a: LatticePoint, b: LatticePoint, p: LatticePoint) -> bool {
    orient(a, b, p) == 0
        && p.x >= a.x.min(b.x)
        && p.x <= a.x.max(b.x)
        && p.y >= a.y.min(b.y)
        && p.y <= a.y.max(b.y)
}

/// Whether the open segments `a b` and `c d` cross in one point that is inside both. Exact.
#[must_use]
pub fn segments_cross(a: LatticePoint, b: LatticePoint, c: LatticePoint, d: LatticePoint) -> bool {
    let side = |v: i128| v.signum();
    side(orient(a, b, c)) * side(orient(a, b, d)) < 0
        && side(orient(c, d, a)) * side(orient(c, d, b)) < 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn p(x: i32, y: i32) -> LatticePoint {
        LatticePoint::new(x, y)
    }

    #[test]
    fn the_lattice_corners_do_not_overflow() {
        let (lo, hi) = (i32::MIN, i32::MAX);
        assert!(orient(p(lo, lo), p(hi, lo), p(hi, hi)) > 0);
        assert_eq!(in_circle(p(lo, lo), p(hi, lo), p(hi, hi), p(lo, hi)), Ordering::Equal);
        assert_eq!(
            in_circle(p(lo, lo), p(hi, lo), p(hi, hi), p(lo + 1, hi - 1)),
            Ordering::Greater
        );
        assert_eq!(in_circle(p(lo + 1, lo), p(hi, lo), p(hi, hi), p(lo, hi)), Ordering::Less);
    }

    proptest! {
        #[test]
        fn in_circle_agrees_with_plain_arithmetic_on_small_numbers(v in prop::array::uniform8(-1000_i32..1000)) {
            let (a, b, c, d) = (p(v[0], v[1]), p(v[2], v[3]), p(v[4], v[5]), p(v[6], v[7]));
            prop_assume!(orient(a, b, c) > 0);
            let r = |q: LatticePoint| { let (x, y) = (i128::from(q.x - d.x), i128::from(q.y - d.y)); (x, y, x * x + y * y) };
            let ((ax, ay, al), (bx, by, bl), (cx, cy, cl)) = (r(a), r(b), r(c));
            let det = al * (bx * cy - by * cx) + bl * (cx * ay - cy * ax) + cl * (ax * by - ay * bx);
            prop_assert_eq!(in_circle(a, b, c, d), det.cmp(&0));
        }
    }
}
