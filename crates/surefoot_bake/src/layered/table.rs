//! Numbers of things, found by what they are.
//!
//! Goes in: hashes of keys and the numbers of things. Comes out: the number of an equal thing. What is
//! equal is the caller's to say, so that keys are stored once, with the things. Nothing is ever listed
//! from here, so no order can reach a result.

/// Numbers of things, found by their hashes: open addressing, at most half full.
#[derive(Debug)]
pub(crate) struct Table {
    /// A number, or [`Table::EMPTY`].
    slots: Vec<u32>,
    mask: usize,
}

impl Table {
    const EMPTY: u32 = u32::MAX;

    /// A table for so many things.
    pub(crate) fn for_count(count: usize) -> Self {
        let slots = (2 * count + 1).next_power_of_two();
        Self { slots: vec![Self::EMPTY; slots], mask: slots - 1 }
    }

    /// Fetches the places where things will be looked for, all at once: one after another, each would have to be
    /// waited for.
    pub(crate) fn fetch(&self, hashes: &[u64]) {
        let slots = hashes.iter().map(|&hash| self.slots[hash as usize & self.mask]);
        std::hint::black_box(slots.fold(0, |all, slot| all ^ slot));
    }

    /// Where a thing is, or where it would be.
    #[inline]
    fn slot(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> usize {
        let mut at = hash as usize & self.mask;
        while self.slots[at] != Self::EMPTY && !is_same(self.slots[at]) {
            at = (at + 1) & self.mask;
        }
        at
    }

    /// The number of the same thing where there is one; otherwise the new one is added.
    #[inline]
    pub(crate) fn find_or_add(
        &mut self,
        hash: u64,
        new: u32,
        is_same: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let at = self.slot(hash, is_same);
        let found = self.slots[at];
        if found == Self::EMPTY {
            self.slots[at] = new;
            return None;
        }
        Some(found)
    }
}

/// A number is compared with those after it among so many.
pub(crate) const FEW: usize = 8;

/// So many numbers are asked about at once.
const STRETCH: usize = 64;

/// Finds the places of numbers that are there again among the next few. Whole stretches are asked about first, since
/// most have none.
pub(crate) fn find_equal_ahead(numbers: &[u32], mut found: impl FnMut(usize)) {
    for start in (0..numbers.len()).step_by(STRETCH) {
        if numbers[start..].first_chunk().is_some_and(|some| !has_equal_ahead(some)) {
            continue;
        }
        for (i, number) in numbers.iter().enumerate().skip(start).take(STRETCH) {
            if numbers[i + 1..numbers.len().min(i + FEW)].contains(number) {
                found(i);
            }
        }
    }
}

/// Whether one of the first numbers is there again among the few after it.
#[inline]
fn has_equal_ahead(some: &[u32; STRETCH + FEW - 1]) -> bool {
    let mut equal = 0;
    for places in 1..FEW {
        for k in 0..STRETCH {
            equal |= u32::from(some[k] == some[k + places]);
        }
    }
    equal != 0
}

/// A hash of three numbers: the halves of a product of 128 bits, twice, with the constants of splitmix64.
#[inline]
pub(crate) fn hash(key: [u32; 3]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let first = u64::from(key[0]) | u64::from(key[1]) << 32;
    let h = fold(first ^ 0x9E37_79B9_7F4A_7C15, u64::from(key[2]) ^ 0xBF58_476D_1CE4_E5B9);
    fold(h ^ 0x94D0_49BB_1331_11EB, 0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::any_numbers::any_below;

    /// All are found, and no others: in stretches that have some and in those that have none.
    #[test]
    fn equal_numbers_are_found_wherever_they_are() {
        for (count, different) in [(0, 1), (1, 1), (70, 9), (900, 40), (900, 4_000)] {
            let mut below = any_below(5);
            let numbers: Vec<u32> = (0..count).map(|_| below(different) as u32).collect();
            let is_ahead = |i: &usize| {
                let others = (i + 1..numbers.len()).take_while(|k| k - i < FEW);
                others.into_iter().any(|k| numbers[k] == numbers[*i])
            };
            let expected: Vec<usize> = (0..numbers.len()).filter(is_ahead).collect();
            let mut found = Vec::new();
            find_equal_ahead(&numbers, |i| found.push(i));
            assert_eq!(found, expected, "{count} of {different}");
        }
    }
}
