//! A small software renderer: no window, no graphics card, the same picture everywhere.
//!
//! Triangles go into a buffer that keeps, for every sample, the nearest triangle and how near it is
//! ([`raster`]); light, shadow and ambient occlusion are worked out afterwards for what is visible
//! ([`shade`]); lines come last ([`lines`]). A picture is drawn with several samples a pixel and
//! averaged, which smooths its edges.

mod camera;
mod lines;
mod picture;
mod raster;
mod shade;

pub use picture::{PictureError, PictureOptions, Views, render_overview};
