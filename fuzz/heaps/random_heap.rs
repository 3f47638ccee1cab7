//! Heaps of triangles and their settings from a seed, for tests of pipelines.

use crate::heap::{MAX_TRIANGLES, SETTINGS_BYTES};

/// Random bytes, the same on every machine (Steele et al., SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// The bytes that choose settings, and those of up to as many triangles as a heap may have. Says the seed,
/// which is shown where a test fails.
pub(crate) fn random_heap(seed: u64) -> ([u8; SETTINGS_BYTES], Vec<u8>) {
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    let choices = std::array::from_fn(|_| random.next() as u8);
    let triangles = 1 + random.next() as usize % MAX_TRIANGLES;
    let soup = (0..triangles * 9).map(|_| random.next() as u8).collect();
    (choices, soup)
}
