//! Scenes: triangles with optional area tags, and the readers and writers of scene files.
//!
//! With the feature `load` [`Scene::load`] reads Wavefront OBJ, glTF 2.0 (text and binary), PLY and STL; [`Scene::save`]
//! writes them; [`SceneBuilder`] makes scenes from a program. What a file says is never trusted:
//! damaged and hostile files give a [`LoadError`] that says where they are wrong and what to do,
//! and never take more memory than their bytes and instances justify.

mod builder;
#[cfg(feature = "load")]
mod error;
#[cfg(feature = "load")]
mod gltf;
#[cfg(feature = "load")]
mod load;
#[cfg(feature = "load")]
mod number;
#[cfg(feature = "load")]
mod obj;
mod origin;
#[cfg(feature = "load")]
mod ply;
#[cfg(feature = "load")]
mod raw_scene;
mod scene;
#[cfg(feature = "load")]
mod stl;
mod tags;
#[cfg(feature = "load")]
mod triangulate;
mod weld;
#[cfg(feature = "load")]
mod write;

pub use builder::SceneBuilder;
#[cfg(feature = "load")]
pub use error::{LoadError, ReadError};
#[cfg(feature = "load")]
pub use load::SceneFormat;
pub use scene::{IgnoredTriangles, ReachError, Scene, SceneError};
pub use surefoot_geom::Bounds;
pub use tags::{MAX_TAGS, NO_TAG, OVERFLOW_TAG_NAME, TagId, TagPatterns, TagRole, tag_matches};
#[cfg(feature = "load")]
pub use write::SaveError;

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
