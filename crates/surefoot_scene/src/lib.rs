//! Scenes: triangles with optional area tags, and the readers that make them.

mod scene;

pub use scene::{IgnoredTriangles, NO_TAG, Scene, SceneError, TagId};
