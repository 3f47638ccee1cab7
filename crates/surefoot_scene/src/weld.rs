//! Welding: equal points become one.
//!
//! Points go in one by one; out comes the index of the first point that was equal to it bit for bit
//! (with -0 taken as +0), in order of first appearance. The table holds 4 bytes a slot and is at
//! most half full, so welding a soup of triangles costs far less memory than the soup. Hashes are
//! seeded anew for every table, so that no file can be made to collide in it; since indices follow
//! the order of appearance, the seed has no part in the result.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A coordinate that can be compared bit for bit.
pub(crate) trait Coordinate: Copy {
    /// Its bits, with -0 taken as +0.
    fn key(self) -> u64;
    /// Itself, with -0 taken as +0.
    fn positive_zero(self) -> Self;
}

impl Coordinate for f32 {
    fn key(self) -> u64 {
        u64::from((self + 0.0).to_bits())
    }

    fn positive_zero(self) -> Self {
        self + 0.0
    }
}

impl Coordinate for f64 {
    fn key(self) -> u64 {
        (self + 0.0).to_bits()
    }

    fn positive_zero(self) -> Self {
        self + 0.0
    }
}

/// Marks an empty slot; so there can be no point of this index.
const EMPTY: u32 = u32::MAX;

/// The points met so far, each once.
#[derive(Clone, Debug)]
pub(crate) struct PointWelder<T> {
    points: Vec<[T; 3]>,
    /// Indices into `points`, by hash; a power of two long.
    slots: Vec<u32>,
    seed: u64,
}

impl<T: Coordinate> PointWelder<T> {
    pub(crate) fn new() -> Self {
        let seed = RandomState::new().build_hasher().finish();
        Self { points: Vec::new(), slots: Vec::new(), seed }
    }

    /// The index of the point, which is added unless an equal one is there; `None` when there is
    /// no index left for it.
    pub(crate) fn insert(&mut self, point: [T; 3]) -> Option<u32> {
        if self.points.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let key = point.map(T::key);
        let mask = self.slots.len() - 1;
        let mut slot = hash(key, self.seed) as usize & mask;
        loop {
            let index = self.slots[slot];
            if index == EMPTY {
                let new = u32::try_from(self.points.len()).ok().filter(|&new| new != EMPTY)?;
                self.slots[slot] = new;
                self.points.push(point.map(T::positive_zero));
                return Some(new);
            }
            if self.points[index as usize].map(T::key) == key {
                return Some(index);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The different points so far.
    #[cfg(feature = "load")]
    pub(crate) fn points(&self) -> &[[T; 3]] {
        &self.points
    }

    /// The different points, in the order in which they came.
    pub(crate) fn into_points(self) -> Vec<[T; 3]> {
        self.points
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        let mask = size - 1;
        for (i, point) in self.points.iter().enumerate() {
            let mut slot = hash(point.map(T::key), self.seed) as usize & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = i as u32;
        }
    }
}

/// Mixes the bits of a point. Points of a level lie on grids, so their low bits are mostly zero:
/// the high half of each product is folded back.
fn hash(key: [u64; 3], seed: u64) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut h = seed;
    for k in key {
        let wide = u128::from(h ^ k) * u128::from(ODD);
        h = (wide as u64) ^ ((wide >> 64) as u64);
    }
    h ^ (h >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_get_the_index_of_the_first() {
        let mut welder = PointWelder::<f32>::new();
        assert_eq!(welder.insert([0.0, 1.0, 2.0]), Some(0));
        assert_eq!(welder.insert([0.5, 1.0, 2.0]), Some(1));
        assert_eq!(welder.insert([-0.0, 1.0, 2.0]), Some(0), "-0 is +0");
        assert_eq!(welder.insert([f32::NAN, 0.0, 0.0]), Some(2));
        assert_eq!(welder.insert([f32::NAN, 0.0, 0.0]), Some(2));
        assert_eq!(welder.insert([f32::EPSILON, 1.0, 2.0]), Some(3), "near is not equal");
        assert_eq!(welder.into_points().len(), 4);
    }

    #[test]
    fn a_grid_of_points_survives_growth() {
        let mut welder = PointWelder::<f64>::new();
        for round in 0..2 {
            for i in 0..20_000_u32 {
                let p = [f64::from(i % 141), 0.0, f64::from(i / 141)];
                assert_eq!(welder.insert(p), Some(i), "round {round}");
            }
        }
    }

    #[test]
    fn grids_spread_over_the_table() {
        // Linear probing degrades where hashes crowd: look at the fullest stretch of the table.
        let mask = (1_u64 << 18) - 1;
        for seed in [0, 1, 0x0123_4567_89AB_CDEF, u64::MAX] {
            let mut counts = vec![0_u32; 1 << 12];
            for x in 0..256_u32 {
                for z in 0..256_u32 {
                    let h = hash([x as f32, 0.0, z as f32].map(Coordinate::key), seed) & mask;
                    counts[(h >> 6) as usize] += 1;
                }
            }
            // 16 to each of the 4,096 stretches on average.
            assert!(counts.iter().all(|&c| c < 48), "{:?}", counts.iter().max());
        }
    }
}
