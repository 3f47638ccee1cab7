//! Any small heap of triangles under any settings, through the exact pipeline: a sound mesh or an
//! error, never [`BakeError::Unsound`], which is a defect of the pipeline.
//!
//! The first bytes choose the settings from short lists, the others make a heap of triangles.
#![no_main]

#[path = "../heaps/exact_heap.rs"]
mod exact_heap;
#[path = "../heaps/heap.rs"]
mod heap;
#[path = "../heaps/use_mesh.rs"]
mod use_mesh;

use exact_heap::settings;
use heap::{SETTINGS_BYTES, scene};
use libfuzzer_sys::fuzz_target;
use surefoot_bake::{BakeError, bake};
use use_mesh::use_mesh;

fuzz_target!(
    init: {
        // One thread: a panic then shows the stages that led to it, and both cores can fuzz.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("no pool was built before");
    },
    |data: &[u8]| {
        let Some((choices, soup)) = data.split_at_checked(SETTINGS_BYTES) else { return };
        let scene = scene(soup);
        let mesh = match bake(&scene, &settings(choices)) {
            Ok(mesh) => mesh,
            Err(error @ BakeError::Unsound(_)) => panic!("{error}"),
            Err(_) => return,
        };
        use_mesh(&mesh);
    }
);
