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

/// So many numbers are compared with each other sooner than sorted.
pub(crate) const FEW: usize = 8;

/// Whether any two of the first of a few numbers are equal. All are compared with all, since nothing can be foreseen.
/// Numbers below [`FEW`] may seem to be there twice.
#[inline]
pub(crate) fn has_equal(some: &[u32; FEW], count: usize) -> bool {
    // As many ones as there are numbers, read from where the rest are none.
    const KEEP: [u32; 2 * FEW] = {
        let mut keep = [0; 2 * FEW];
        let mut k = 0;
        while k < FEW {
            keep[k] = u32::MAX;
            k += 1;
        }
        keep
    };
    let mut some = *some;
    for (k, (number, keep)) in (0..).zip(some.iter_mut().zip(&KEEP[FEW - count..])) {
        *number = (*number & keep) | (k & !keep);
    }
    // Each with the one some places on, going around.
    let mut equal = [0; FEW];
    for places in 1..=FEW / 2 {
        for k in 0..FEW {
            equal[k] |= u32::from(some[k] == some[(k + places) % FEW]);
        }
    }
    equal.iter().fold(0, |any, equal| any | equal) != 0
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

    #[test]
    fn equal_numbers_are_found_wherever_they_are() {
        for count in 0..=FEW {
            let different: [u32; FEW] = std::array::from_fn(|k| 100 + 7 * k as u32);
            assert!(!has_equal(&different, count), "{count}");
            for i in 0..FEW {
                for k in 0..i {
                    let mut some = different;
                    some[i] = some[k];
                    assert_eq!(has_equal(&some, count), i < count, "{i} and {k} of {count}");
                }
            }
        }
    }
}
