//! Small heaps of touching, crossing and degenerate triangles through the layered pipeline: a sound mesh or
//! an error. The fuzz target `bake_layered` looks further along the same lines.

#[path = "../../../fuzz/heaps/heap.rs"]
mod heap;
#[path = "../../../fuzz/heaps/layered_heap.rs"]
mod layered_heap;
#[path = "../../../fuzz/heaps/random_heap.rs"]
mod random_heap;

use heap::scene;
use layered_heap::{bake, settings};
use random_heap::random_heap;

#[test]
fn heaps_of_triangles_build() {
    let mut built = 0;
    for seed in 0..200 {
        let (choices, soup) = random_heap(seed);
        built += usize::from(bake(&scene(&soup), &settings(&choices)).is_some());
    }
    assert!(built > 120, "{built} of 200 built");
}
