//! Small heaps of touching, crossing and degenerate triangles through the layered pipeline: a sound mesh or
//! an error. The fuzz target `bake_layered` looks further along the same lines.

#[path = "../../../fuzz/heaps/heap.rs"]
mod heap;
#[path = "../../../fuzz/heaps/layered_heap.rs"]
mod layered_heap;
#[path = "../../../fuzz/heaps/outcome.rs"]
mod outcome;
#[path = "../../../fuzz/heaps/random_heap.rs"]
mod random_heap;

use heap::scene;
use layered_heap::settings;
use outcome::{Outcome, bake};
use random_heap::random_heap;

#[test]
fn heaps_of_triangles_build() {
    let (mut built, mut meshes) = (0, 0);
    for seed in 0..200 {
        let (choices, soup) = random_heap(seed);
        let Some(outcome) = bake(&scene(&soup), &settings(&choices)) else { continue };
        built += 1;
        match outcome {
            Outcome::Mesh(baked) => meshes += usize::from(baked.mesh.cell_count() > 0),
            Outcome::NoGround(report) => {
                assert!(report.stages.len() > 3, "seed {seed}: {report:?}")
            }
        }
    }
    assert!(built > 120, "{built} of 200 built");
    assert!(meshes > 30, "{meshes} of them have ground that remains");
}
