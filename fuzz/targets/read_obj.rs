//! Any bytes, read as an OBJ file: a sound scene or an error, and what was read can be written and
//! read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use surefoot_scene::{LoadError, Scene, SceneFormat};

fuzz_target!(|data: &[u8]| {
    let Ok(scene) = Scene::from_bytes(data, SceneFormat::Obj) else { return };
    scene.check_invariants().expect("a scene that was read is sound");
    let mut bytes = Vec::new();
    scene.write_obj(&mut bytes).expect("memory can be written to");
    match Scene::from_bytes(&bytes, SceneFormat::Obj) {
        Ok(again) => again.check_invariants().expect("a scene that was written is sound"),
        // An empty scene is refused; and rounding may take one a hair over the largest size.
        Err(LoadError::BeyondReach { .. }) => {}
        Err(error) => assert_eq!(scene.triangle_count(), 0, "{error}"),
    }
});
