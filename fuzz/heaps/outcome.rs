//! What came of a heap that a pipeline did not refuse.

use surefoot_bake::{BakeError, BakeReport, BakeSettings, Baked, Baker};
use surefoot_scene::Scene;

/// A mesh, or the word that nothing in the heap can be walked on: pipelines ran to their end in either
/// case.
pub(crate) enum Outcome {
    Mesh(Box<Baked>),
    NoGround(Box<BakeReport>),
}

/// Builds a heap; `None` where the scene or the settings are refused. Panics where the mesh is not
/// sound.
pub(crate) fn bake(scene: &Scene, settings: &BakeSettings) -> Option<Outcome> {
    match Baker::new(settings).bake(scene) {
        Ok(baked) => Some(Outcome::Mesh(Box::new(baked))),
        Err(BakeError::NoGround { report, .. } | BakeError::NothingLeft { report, .. }) => {
            Some(Outcome::NoGround(report))
        }
        Err(error @ BakeError::Unsound(_)) => panic!("{error}"),
        Err(_) => None,
    }
}
