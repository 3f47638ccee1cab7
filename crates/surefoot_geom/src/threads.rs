//! Work shared out over threads, or done by the one that asks.
//!
//! With the feature `parallel` this is rayon, and its documentation holds. Without it the same words
//! walk over plain iterators, so that code is written once and gives the same results in both cases:
//! everything that is collected is collected in order.

#[cfg(feature = "parallel")]
pub use rayon::{current_num_threads, join, prelude};

#[cfg(not(feature = "parallel"))]
pub use alone::{current_num_threads, join, prelude};

/// What the house uses of rayon, on the thread that asks.
#[cfg(not(feature = "parallel"))]
mod alone {
    /// One.
    #[must_use]
    pub fn current_num_threads() -> usize {
        1
    }

    /// Does one thing after the other.
    pub fn join<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
        (first(), second())
    }

    /// All that iterates, sorts and cuts into chunks.
    pub mod prelude {
        pub use super::{IntoIterators, IteratorWords, MutIterators, RefIterators, SliceWords};
        pub use std::iter::Iterator as ParallelIterator;
    }

    /// `into_par_iter` of whatever can be iterated over.
    pub trait IntoIterators: IntoIterator + Sized {
        /// The iterator.
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<I: IntoIterator> IntoIterators for I {}

    /// Words of parallel iterators that plain ones do not have.
    pub trait IteratorWords: Iterator + Sized {
        /// How finely work is cut up says nothing to one thread.
        #[must_use]
        fn with_min_len(self, _least: usize) -> Self {
            self
        }

        /// How finely work is cut up says nothing to one thread.
        #[must_use]
        fn with_max_len(self, _most: usize) -> Self {
            self
        }

        /// Maps to iterators, one after the other.
        fn flat_map_iter<R: IntoIterator>(
            self,
            each: impl FnMut(Self::Item) -> R,
        ) -> impl Iterator<Item = R::Item> {
            self.flat_map(each)
        }

        /// What iterators give, one after the other.
        fn flatten_iter(self) -> std::iter::Flatten<Self>
        where
            Self::Item: IntoIterator,
        {
            self.flatten()
        }

        /// Maps with room to work in.
        fn map_init<S, R>(
            self,
            room: impl FnOnce() -> S,
            mut each: impl FnMut(&mut S, Self::Item) -> R,
        ) -> impl Iterator<Item = R> {
            let mut room = room();
            self.map(move |item| each(&mut room, item))
        }
    }

    impl<I: Iterator> IteratorWords for I {}

    /// `par_iter` of whatever can be iterated over by reference.
    pub trait RefIterators<'a> {
        /// The iterator.
        type Iter;

        /// An iterator over references.
        fn par_iter(&'a self) -> Self::Iter;
    }

    impl<'a, I: ?Sized + 'a> RefIterators<'a> for I
    where
        &'a I: IntoIterator,
    {
        type Iter = <&'a I as IntoIterator>::IntoIter;

        fn par_iter(&'a self) -> Self::Iter {
            self.into_iter()
        }
    }

    /// `par_iter_mut` of whatever can be iterated over by reference and changed.
    pub trait MutIterators<'a> {
        /// The iterator.
        type Iter;

        /// An iterator over references that may change what they refer to.
        fn par_iter_mut(&'a mut self) -> Self::Iter;
    }

    impl<'a, I: ?Sized + 'a> MutIterators<'a> for I
    where
        &'a mut I: IntoIterator,
    {
        type Iter = <&'a mut I as IntoIterator>::IntoIter;

        fn par_iter_mut(&'a mut self) -> Self::Iter {
            self.into_iter()
        }
    }

    /// Slices in chunks, and sorted.
    pub trait SliceWords<T> {
        /// Chunks of so many, the last one maybe shorter.
        fn par_chunks(&self, count: usize) -> std::slice::Chunks<'_, T>;

        /// Chunks of just so many, what is left over left out.
        fn par_chunks_exact(&self, count: usize) -> std::slice::ChunksExact<'_, T>;

        /// Chunks of so many that can be changed.
        fn par_chunks_mut(&mut self, count: usize) -> std::slice::ChunksMut<'_, T>;

        /// Sorts.
        fn par_sort_unstable(&mut self)
        where
            T: Ord;

        /// Sorts in an order that is given.
        fn par_sort_unstable_by(&mut self, order: impl FnMut(&T, &T) -> std::cmp::Ordering);

        /// Sorts by a key.
        fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
    }

    impl<T> SliceWords<T> for [T] {
        fn par_chunks(&self, count: usize) -> std::slice::Chunks<'_, T> {
            self.chunks(count)
        }

        fn par_chunks_exact(&self, count: usize) -> std::slice::ChunksExact<'_, T> {
            self.chunks_exact(count)
        }

        fn par_chunks_mut(&mut self, count: usize) -> std::slice::ChunksMut<'_, T> {
            self.chunks_mut(count)
        }

        fn par_sort_unstable(&mut self)
        where
            T: Ord,
        {
            self.sort_unstable();
        }

        fn par_sort_unstable_by(&mut self, order: impl FnMut(&T, &T) -> std::cmp::Ordering) {
            self.sort_unstable_by(order);
        }

        fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
            self.sort_unstable_by_key(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::prelude::*;

    #[test]
    fn order_is_kept() {
        let mut all: Vec<u32> = (0..1000).collect();
        let doubled: Vec<u32> = all.par_iter().with_min_len(7).map(|n| 2 * n).collect();
        assert!(doubled.iter().zip(&all).all(|(d, n)| *d == 2 * n));
        let pairs: Vec<u32> = (0..100_u32).into_par_iter().flat_map_iter(|n| [n, n + 1]).collect();
        assert_eq!(pairs[..4], [0, 1, 1, 2]);
        let counted: Vec<usize> = all
            .par_chunks(9)
            .map_init(Vec::new, |room, chunk| {
                room.clear();
                room.extend_from_slice(chunk);
                room.len()
            })
            .collect();
        assert_eq!((counted.len(), counted[111]), (112, 1));
        all.par_sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(all[0], 999);
        all.par_sort_unstable_by_key(|n| *n);
        all.par_chunks_mut(500).zip([1, 2]).for_each(|(chunk, n)| chunk[0] = n);
        all.par_iter_mut().for_each(|n| *n += 1);
        assert_eq!((all[0], all[500]), (2, 3));
        assert_eq!(super::join(|| 1, || 2), (1, 2));
        assert!(super::current_num_threads() > 0);
    }
}
