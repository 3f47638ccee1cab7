//! The open list of a search: a heap with four children to a node, least key first.

use std::hint::select_unpredictable;

/// Children of a node.
const WIDTH: usize = 4;

/// Entries with a key that is not negative and a number; of equal keys the lower number comes first,
/// so that results do not depend on how the heap is built. An entry is one integer, the bits of the
/// key above those of the number: numbers that are not negative are ordered as their bits, and
/// integers are compared without a branch that nobody can foresee.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    entries: Vec<u128>,
}

#[inline]
fn key_of(entry: u128) -> f64 {
    f64::from_bits((entry >> 32) as u64)
}

impl Heap {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// The least key, infinite when there is none.
    #[inline]
    pub(crate) fn least_key(&self) -> f64 {
        self.entries.first().map_or(f64::INFINITY, |&e| key_of(e))
    }

    #[inline]
    pub(crate) fn push(&mut self, key: f64, value: u32) {
        debug_assert!(key >= 0.0 && key.is_sign_positive());
        let entry = u128::from(key.to_bits()) << 32 | u128::from(value);
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let up = (at - 1) / WIDTH;
            if entry >= self.entries[up] {
                break;
            }
            self.entries[at] = self.entries[up];
            at = up;
        }
        self.entries[at] = entry;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(f64, u32)> {
        let last = self.entries.pop()?;
        let Some(&top) = self.entries.first() else { return Some((key_of(last), last as u32)) };
        let n = self.entries.len();
        let mut at = 0;
        loop {
            let first = at * WIDTH + 1;
            let mut least = first;
            if let Some(&[a, b, c, d]) = self.entries.get(first..first + WIDTH) {
                // Two and two, then the lesser of both.
                let ab = select_unpredictable(b < a, first + 1, first);
                let cd = select_unpredictable(d < c, first + 3, first + 2);
                least = select_unpredictable(c.min(d) < a.min(b), cd, ab);
            } else if first >= n {
                break;
            } else {
                for child in first + 1..n {
                    let is_less = self.entries[child] < self.entries[least];
                    least = select_unpredictable(is_less, child, least);
                }
            }
            if self.entries[least] >= last {
                break;
            }
            self.entries[at] = self.entries[least];
            at = least;
        }
        self.entries[at] = last;
        Some((key_of(top), top as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_out_in_order() {
        let mut heap = Heap::default();
        let mut state = 7_u64;
        let mut keys = Vec::new();
        for i in 0..1000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let key = (state >> 60) as f64;
            heap.push(key, i);
            keys.push((key as u64, i));
        }
        keys.sort_unstable();
        let out: Vec<_> = std::iter::from_fn(|| heap.pop()).map(|(k, v)| (k as u64, v)).collect();
        assert_eq!(out, keys);
    }
}
