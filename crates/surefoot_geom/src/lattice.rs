//! The horizontal lattice: fixed-point plan positions of 2⁻¹⁶ m in `i32`.
//!
//! One unit is about 15 µm and the lattice reaches ±32 km. A position in metres is rounded to the
//! nearest lattice point, so a conversion loses at most half a unit (7.7 µm) in each coordinate;
//! the way back is exact.

use thiserror::Error;

/// The whole number nearest to a value, halves away from zero; values out of reach are clamped, NaN is
/// zero. As `round`, which is a call into the library where the processor's baseline lacks it.
#[inline]
fn nearest(value: f64) -> i32 {
    // `as` saturates and maps NaN to zero. What it cuts off is exact.
    let whole = value as i32;
    let rest = value - f64::from(whole);
    whole.saturating_add(i32::from(rest >= 0.5)).saturating_sub(i32::from(rest <= -0.5))
}

/// Lattice units in one metre.
pub const LATTICE_PER_M: f64 = 65536.0;

/// Metres in one lattice unit.
pub const M_PER_LATTICE: f64 = 1.0 / LATTICE_PER_M;

/// The largest coordinate in units that input may have. A little room is left below the range of
/// `i32`, so that offsets by an agent's radius cannot overflow.
pub const REACH_UNITS: i32 = i32::MAX - (1 << 24);

/// A position in plan on the lattice, in units of 2⁻¹⁶ m.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct LatticePoint {
    /// Units along the first horizontal axis.
    pub x: i32,
    /// Units along the second horizontal axis.
    pub y: i32,
}

/// A position in metres that the lattice cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error(
    "position ({x_m}, {y_m}) m lies beyond the lattice, which reaches ±32,511 m around its \
     origin; move the scene nearer to its origin, split it into tiles, or scale it to metres"
)]
pub struct LatticeRangeError {
    /// First coordinate in metres.
    pub x_m: f64,
    /// Second coordinate in metres.
    pub y_m: f64,
}

impl LatticePoint {
    /// A point from its units.
    #[must_use]
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// Where it comes along a space-filling curve (Morton, 1966): near points have near places.
    #[must_use]
    pub fn morton_code(self) -> u64 {
        // The bits of both coordinates in turn, from negative to positive.
        let spread = |v: i32| {
            let mut x = u64::from(v as u32 ^ 1 << 31);
            x = (x | x << 16) & 0x0000_ffff_0000_ffff;
            x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
            x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
            x = (x | x << 2) & 0x3333_3333_3333_3333;
            (x | x << 1) & 0x5555_5555_5555_5555
        };
        spread(self.x) | spread(self.y) << 1
    }

    /// The lattice point nearest to a position in metres; at most half a unit away from it in
    /// each coordinate. Refuses what is not finite or out of reach.
    pub fn from_m(x_m: f64, y_m: f64) -> Result<Self, LatticeRangeError> {
        let (x, y) = (x_m * LATTICE_PER_M, y_m * LATTICE_PER_M);
        let reach = f64::from(REACH_UNITS);
        // Written so that NaN fails.
        if !(x.abs() <= reach && y.abs() <= reach) {
            return Err(LatticeRangeError { x_m, y_m });
        }
        Ok(Self { x: nearest(x), y: nearest(y) })
    }

    /// The lattice point nearest to a position given in (fractional) units. Positions out of reach
    /// are clamped to it: use it for points derived from lattice points, never for input.
    #[must_use]
    pub fn from_units(x: f64, y: f64) -> Self {
        // `as` saturates and maps NaN to zero, so that this cannot panic.
        Self { x: nearest(x), y: nearest(y) }
    }

    /// The position in metres, exactly.
    #[must_use]
    pub fn to_m(self) -> [f64; 2] {
        [f64::from(self.x) * M_PER_LATTICE, f64::from(self.y) * M_PER_LATTICE]
    }

    /// Squared distance in square units, exactly.
    #[must_use]
    pub fn distance2(self, other: Self) -> i128 {
        let dx = i128::from(self.x) - i128::from(other.x);
        let dy = i128::from(self.y) - i128::from(other.y);
        dx * dx + dy * dy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres_round_to_the_nearest_unit_and_come_back_exactly() {
        let p =
            LatticePoint::from_m(1.0 + 0.4 / LATTICE_PER_M, -2.0 - 0.6 / LATTICE_PER_M).unwrap();
        assert_eq!(p, LatticePoint::new(65536, -131_073));
        assert_eq!(p.to_m()[0].to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn units_are_rounded_as_the_library_rounds() {
        let halves = (-9..=9).map(|i| f64::from(i) * 0.5);
        let beside = halves.flat_map(|v| [v.next_down(), v, v.next_up()]);
        let far = [f64::NAN, f64::INFINITY, -1e300, 2_147_483_646.5, -2_147_483_648.5, 1e9 + 0.5];
        for v in beside.chain(far) {
            assert_eq!(nearest(v), v.round() as i32, "{v}");
        }
    }

    #[test]
    fn what_the_lattice_cannot_hold_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, 32_700.0, -40_000.0] {
            assert!(LatticePoint::from_m(bad, 0.0).is_err());
            assert!(LatticePoint::from_m(0.0, bad).is_err());
        }
        assert!(LatticePoint::from_m(32_500.0, -32_500.0).is_ok());
    }
}
