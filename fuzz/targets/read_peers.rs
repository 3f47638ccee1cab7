//! Meshes of other tools from any bytes: Detour's tile sets and navcat's JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use surefoot_verify::{GivenAgent, mesh_from_detour, mesh_from_navcat};

const UP: [f64; 3] = [0.0, 1.0, 0.0];

fuzz_target!(|bytes: &[u8]| {
    // What can be read may still be no sound mesh; telling that must not panic either.
    for mesh in [mesh_from_detour, mesh_from_navcat] {
        if let Ok(data) = mesh(bytes, GivenAgent::default(), UP) {
            let _ = data.validate();
        }
    }
});
