//! Heaps of triangles on which the exact pipeline once failed, or that lead it into rare places: the
//! seeds of the fuzz target `bake_soup`, with every invariant checked after every stage.

#[path = "../../../fuzz/heaps/exact_heap.rs"]
mod exact_heap;
#[path = "../../../fuzz/heaps/heap.rs"]
mod heap;

use heap::{SETTINGS_BYTES, scene};
use surefoot_bake::{BakeError, bake};

#[test]
fn heaps_of_triangles_build_or_are_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/bake_soup");
    let mut built = 0;
    for file in std::fs::read_dir(folder).expect("the seeds are there") {
        let file = file.expect("the folder can be read").path();
        // Shown where a build fails.
        eprintln!("{}", file.display());
        let data = std::fs::read(&file).expect("a seed can be read");
        let Some((choices, soup)) = data.split_at_checked(SETTINGS_BYTES) else { continue };
        match bake(&scene(soup), &exact_heap::settings(choices)) {
            Ok(_) => built += 1,
            Err(error) => assert!(!matches!(error, BakeError::Unsound(_)), "{error}"),
        }
    }
    assert!(built > 0, "no heap was built");
}
