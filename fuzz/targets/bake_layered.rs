//! Any small heap of triangles under any settings, through the layered pipeline: a sound mesh or an
//! error, never `BakeError::Unsound`.
//!
//! The first bytes choose the settings from short lists, the others make a heap of triangles.
#![no_main]

#[path = "../heaps/heap.rs"]
mod heap;
#[path = "../heaps/layered_heap.rs"]
mod layered_heap;
#[path = "../heaps/outcome.rs"]
mod outcome;
#[path = "../heaps/use_mesh.rs"]
mod use_mesh;

use heap::{SETTINGS_BYTES, scene};
use layered_heap::settings;
use libfuzzer_sys::fuzz_target;
use outcome::{Outcome, bake};
use use_mesh::use_mesh;

fuzz_target!(
    init: {
        // One thread: a panic then shows the stages that led to it, and both cores can fuzz.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("no pool was built before");
    },
    |data: &[u8]| {
        let Some((choices, soup)) = data.split_at_checked(SETTINGS_BYTES) else { return };
        match bake(&scene(soup), &settings(choices)) {
            Some(Outcome::Mesh(baked)) => use_mesh(&baked.mesh),
            Some(Outcome::NoGround(report)) => assert!(!report.stages.is_empty(), "no stage ran"),
            None => {}
        }
    }
);
