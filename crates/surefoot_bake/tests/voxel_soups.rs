//! Small heaps of touching, crossing and degenerate triangles through the voxel pipeline: a sound mesh
//! or an error, no region of the ground lost, and the same bytes in small tiles as in one. The fuzz
//! target `bake_voxel` looks further along the same lines.

#[path = "../../../fuzz/heaps/heap.rs"]
mod heap;
#[path = "../../../fuzz/heaps/outcome.rs"]
mod outcome;
#[path = "../../../fuzz/heaps/random_heap.rs"]
mod random_heap;
#[path = "../../../fuzz/heaps/voxel_heap.rs"]
mod voxel_heap;

use heap::scene;
use random_heap::random_heap;
use voxel_heap::{bake_both_ways, settings};

fn check(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (choices, soup) = random_heap(seed);
        bake_both_ways(&scene(&soup), &settings(&choices));
    }
}

#[test]
fn heaps_of_triangles_build_without_a_trace_of_tiles() {
    check(0..200);
}

/// Ground at whose tip a break lay outside of the simplified outline.
#[test]
fn an_outline_keeps_a_break_at_its_tip() {
    check(20_513..20_514);
}

/// A break in one region ends beside a corner of another, which is near its lower side alone.
#[test]
fn a_break_near_another_border_is_the_same_from_both_of_its_ends() {
    let choices = [1, 1, 1, 0, 0, 0, 0, 0, 0, 64];
    let soup = [
        [0, 2, 255, 255, 83, 76, 0, 69, 0],
        [255, 0, 0, 0, 0, 0, 255, 255, 219],
        [0, 2, 255, 20, 0, 0, 0, 0, 0],
    ];
    assert!(bake_both_ways(&scene(&soup.concat()), &settings(&choices)).is_some());
}

/// A slit whose one side is straight and level and whose other has a corner at every column.
#[test]
fn an_edge_takes_in_all_corners_that_lie_on_it() {
    let choices = [0, 236, 0, 254, 255, 255, 255, 255, 255, 255];
    let soup = [[31, 255, 255, 255, 36, 36, 36, 36, 36], [1, 202, 154, 59, 0, 0, 255, 0, 9]];
    assert!(bake_both_ways(&scene(&soup.concat()), &settings(&choices)).is_some());
}

#[test]
#[ignore = "takes minutes: cargo xtask voxel-tiles"]
fn many_heaps_of_triangles_build_without_a_trace_of_tiles() {
    check(1_000..40_000);
}
