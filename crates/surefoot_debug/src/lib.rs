//! Seeing what Surefoot does: stage dumps, exports and pictures.
//!
//! A [`StageView`](surefoot_bake::StageView) is what a person would look at: faces and classed
//! edges in the user's frame. Stages show one to a [`DumpObserver`].
//!
//! This crate sees every other one; only the command line and the viewer see it.

mod colours;
mod detour;
mod dump;
mod glb;
mod json;
mod layers;
mod numbers;
mod obj;
mod render;
#[cfg(test)]
mod sample;
mod svg;
mod whole;

pub use colours::{ColourBy, Rgb};
pub use detour::{DetourError, mesh_to_detour};
pub use dump::{DumpError, DumpObserver, number};
pub use glb::{GlbError, GlbLayer, Primitive, write_glb};
pub use json::{mesh_to_json, rounded_degrees};
pub use layers::{path_layer, view_layers};
pub use obj::mesh_to_obj;
pub use render::{PictureError, PictureOptions, Views, render_overview};
pub use surefoot_bake::view_of_mesh;
pub use svg::{SvgOptions, write_svg};
pub use whole::write_whole;

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
