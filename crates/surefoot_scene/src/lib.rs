//! Scenes: triangles with optional area tags, and the readers and writers of scene files.
//!
//! [`Scene::load`] reads Wavefront OBJ, glTF 2.0 (text and binary), PLY and STL; [`Scene::save`]
//! writes them; [`SceneBuilder`] makes scenes from a program. What a file says is never trusted:
//! damaged and hostile files give a [`LoadError`] that says where they are wrong and what to do,
//! and never take more memory than their bytes and instances justify.

mod builder;
mod error;
mod gltf;
mod load;
mod number;
mod obj;
mod origin;
mod ply;
mod raw_scene;
mod scene;
mod stl;
mod tags;
mod triangulate;
mod weld;
mod write;

pub use builder::SceneBuilder;
pub use error::{LoadError, ReachError, ReadError};
pub use load::SceneFormat;
pub use scene::{IgnoredTriangles, Scene, SceneError};
pub use tags::{MAX_TAGS, NO_TAG, OVERFLOW_TAG_NAME, TagId};
pub use write::SaveError;

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
