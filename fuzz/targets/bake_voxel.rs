//! Any small heap of triangles under any settings, through the voxel pipeline: a sound mesh or an
//! error, never `BakeError::Unsound`; no region of the ground lost; and with `flood` and `flat` the
//! same bytes in small tiles as in one.
//!
//! The first bytes choose the settings from short lists, the others make a heap of triangles.
#![no_main]

#[path = "../heaps/heap.rs"]
mod heap;
#[path = "../heaps/outcome.rs"]
mod outcome;
#[path = "../heaps/use_mesh.rs"]
mod use_mesh;
#[path = "../heaps/voxel_heap.rs"]
mod voxel_heap;

use heap::{SETTINGS_BYTES, scene};
use libfuzzer_sys::fuzz_target;
use outcome::Outcome;
use use_mesh::use_mesh;
use voxel_heap::{bake_both_ways, settings};

fuzz_target!(
    init: {
        // One thread: a panic then shows the stages that led to it, and both cores can fuzz.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("no pool was built before");
    },
    |data: &[u8]| {
        let Some((choices, soup)) = data.split_at_checked(SETTINGS_BYTES) else { return };
        let scene = scene(soup);
        if let Some(Outcome::Mesh(baked)) = bake_both_ways(&scene, &settings(choices)) {
            use_mesh(&baked.mesh);
        }
    }
);
