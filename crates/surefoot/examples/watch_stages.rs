//! Looks at a bake while it runs: progress, the result of every stage, and a way to stop it.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use surefoot::{BakeError, BakeSettings, Baker, Progress, Scene, StageObserver, StageView};

/// Says which stage begins.
struct Teller;

impl Progress for Teller {
    fn stage(&mut self, name: &'static str) {
        println!("{name} ...");
    }
}

/// Says what a stage has made; a tool would draw it.
struct Looker;

impl StageObserver for Looker {
    fn observe(&mut self, name: &'static str, view: StageView) {
        println!("  {name}: {} faces, {} edges", view.faces.len(), view.edges.len());
    }
}

/// Stops a bake at one of its stages, as a button would.
struct StopAt<'f>(&'static str, &'f AtomicBool);

impl Progress for StopAt<'_> {
    fn stage(&mut self, name: &'static str) {
        self.1.store(name == self.0, Ordering::Relaxed);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let points = [[0.0, 0.0, 0.0], [0.0, 0.0, 10.0], [10.0, 0.0, 10.0], [10.0, 0.0, 0.0]];
    let scene = Scene::from_triangles(&points, &[[0, 1, 2], [0, 2, 3]])?;
    let settings = BakeSettings::default();

    let (mut teller, mut looker) = (Teller, Looker);
    let baked = Baker::new(&settings).progress(&mut teller).observe(&mut looker).bake(&scene)?;
    for stage in &baked.report.stages {
        println!("{:<18} {:7.3} ms {:?}", stage.name, stage.ms, stage.counts);
    }

    let stop = AtomicBool::new(false);
    let mut at_erode = StopAt("erode", &stop);
    let stopped = Baker::new(&settings).progress(&mut at_erode).cancel(&stop).bake(&scene);
    assert!(matches!(stopped, Err(BakeError::Cancelled)));
    println!("the second one was stopped");
    Ok(())
}
