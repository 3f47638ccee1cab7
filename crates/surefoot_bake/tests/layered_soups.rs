//! Small heaps of touching, crossing and degenerate triangles through the layered pipeline: a sound mesh or
//! an error. The fuzz target `bake_layered` looks further along the same lines.

#[path = "../../../fuzz/heaps/heap.rs"]
mod heap;
#[path = "../../../fuzz/heaps/layered_heap.rs"]
mod layered_heap;

use heap::{MAX_TRIANGLES, SETTINGS_BYTES, scene};
use layered_heap::{bake, settings};

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

#[test]
fn heaps_of_triangles_build() {
    let mut built = 0;
    for seed in 0..200 {
        // Shown where a build fails.
        eprintln!("seed {seed}");
        let mut random = Random(seed);
        let choices: [u8; SETTINGS_BYTES] = std::array::from_fn(|_| random.next() as u8);
        let triangles = 1 + random.next() as usize % MAX_TRIANGLES;
        let soup: Vec<u8> = (0..triangles * 9).map(|_| random.next() as u8).collect();
        built += usize::from(bake(&scene(&soup), &settings(&choices)).is_some());
    }
    assert!(built > 120, "{built} of 200 built");
}
