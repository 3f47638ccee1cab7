//! Sorting by a small whole number: counting sort (Seward, 1954; Knuth, "The Art of Computer
//! Programming" 3, 5.2).
//!
//! In go things with keys below a limit, those over many keys (a triangle over the cells that it
//! touches) once for each; out come the things of every key, one after another in one list.

/// Things by key; those of one key stand in the order in which they came.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ByKey<T> {
    /// Where each key's things begin, and after the last key where all end.
    firsts: Vec<u32>,
    things: Vec<T>,
}

impl<T: Copy + Default> ByKey<T> {
    /// Sorts things by their keys. The iterator is run twice: once to count, once to place.
    ///
    /// # Panics
    /// When a key is not below `key_count`, and with 2³² things or more.
    #[must_use]
    pub fn sort(key_count: usize, keyed: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut firsts = vec![0_u32; key_count + 1];
        // `for_each` runs nested iterators as nested loops.
        keyed.clone().for_each(|(key, _)| firsts[key] += 1);
        let mut sum = 0_u32;
        for first in &mut firsts {
            let count = *first;
            *first = sum;
            sum = sum.checked_add(count).expect("less than 2^32 things");
        }
        let mut things = vec![T::default(); sum as usize];
        keyed.for_each(|(key, thing)| {
            things[firsts[key] as usize] = thing;
            firsts[key] += 1;
        });
        // Every entry has come to where the next key begins.
        firsts.copy_within(..key_count, 1);
        firsts[0] = 0;
        Self { firsts, things }
    }
}

impl<T> ByKey<T> {
    /// The things of a key.
    ///
    /// # Panics
    /// When there is no such key.
    #[inline]
    #[must_use]
    pub fn of(&self, key: usize) -> &[T] {
        &self.things[self.firsts[key] as usize..self.firsts[key + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_keys_and_no_things_are_sorted_too() {
        assert_eq!(ByKey::<u8>::sort(0, [].into_iter()).things, []);
        assert_eq!(ByKey::<u8>::sort(3, [].into_iter()).of(2), []);
    }

    proptest! {
        #[test]
        fn it_is_a_stable_sort(keyed in prop::collection::vec((0_usize..9, any::<u8>()), 0..40)) {
            let sorted = ByKey::sort(9, keyed.iter().copied());
            for key in 0..9 {
                let want: Vec<u8> =
                    keyed.iter().filter(|k| k.0 == key).map(|k| k.1).collect();
                prop_assert_eq!(sorted.of(key), want);
            }
        }
    }
}
