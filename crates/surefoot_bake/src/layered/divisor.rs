//! Divides whole numbers by one that is known beforehand.
//!
//! Goes in: a number. Comes out: how many times the divisor goes into it, and what is left: by a product
//! with the divisor's inverse, exact for all numbers of 32 bits (Lemire, Kaser, Kurz: *Faster remainder by
//! direct computation*, 2019). Where a pixel lies is asked for millions of times.

/// A divisor and its inverse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    by: u32,
    /// In parts of 2⁻⁶⁴, rounded up; not for a divisor of one.
    inverse: u64,
}

impl Divisor {
    /// By a number; by one instead of nought.
    pub(crate) const fn new(by: u32) -> Self {
        let by = if by == 0 { 1 } else { by };
        Self { by, inverse: (u64::MAX / by as u64).wrapping_add(1) }
    }

    /// The quotient and the remainder.
    #[inline]
    pub(crate) const fn divide(&self, number: u32) -> (u32, u32) {
        if self.by == 1 {
            return (number, 0);
        }
        let quotient = ((number as u128 * self.inverse as u128) >> 64) as u32;
        (quotient, number - quotient * self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_a_division() {
        for by in [1, 2, 3, 4, 5, 7, 16, 49, 64, 641, 4096, 65_535, 1 << 31, u32::MAX] {
            let divisor = Divisor::new(by);
            let near = (0..200_u32).flat_map(|k| {
                let multiple = by.wrapping_mul(k.wrapping_mul(2_654_435_761));
                [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(1)]
            });
            for number in near.chain([0, 1, u32::MAX - 1, u32::MAX]) {
                assert_eq!(divisor.divide(number), (number / by, number % by), "{number} / {by}");
            }
        }
    }
}
