//! Procedural scenes with known answers, shared by tests, benchmarks, demo and viewer.
//!
//! A name and a [`Variant`] go in, a [`ProceduralScene`] comes out: triangles in metres with +Y up,
//! counter-clockwise seen from outside, and the [`Truth`] about them that needs no building. The
//! same name and variant give the same bytes on every machine: random choices come from an integer
//! generator, angles from a sine of our own, and coordinates are rounded to a grid of 2⁻²⁰ m.
//!
//! Scenes are solid: walls are boxes, floors are slabs, and every solid is closed, except where the
//! summary of a scene speaks of a plate or of hills. Boxes abut without overlapping, as in a level
//! that was built with care; the variants are there for levels that were not.
//!
//! ```
//! use surefoot_testing_scenes::{Variant, build};
//!
//! let doors = build("doorways", &Variant { rotate_deg: 17.3, ..Variant::default() })?;
//! let passable = doors.truth.pairs.iter().filter(|p| p.what.starts_with("door") && p.connected);
//! assert_eq!(passable.count(), 6);
//! # Ok::<(), surefoot_testing_scenes::SceneNameError>(())
//! ```

mod any_surface;
mod buildings;
mod catalog;
mod city;
mod doorways;
mod draft;
mod floors;
mod furniture;
mod grates;
mod grid;
mod holes;
mod houses;
pub mod inside;
mod jetty;
mod kerbs;
mod maze;
pub mod mutate;
mod noise;
mod outline;
mod overhang;
mod pillars;
mod platforms;
mod random;
mod rig;
mod soup;
mod spiral_maze;
pub mod stairs;
mod station;
mod terrain;
mod testmaps;
mod top_up;
mod truth;
mod variant;
mod walls;
mod well;

pub use catalog::{SceneInfo, build, list};
pub use draft::{ProceduralScene, SceneNameError};
pub use truth::{Pair, Truth, TruthAgent, TruthEdge};
pub use variant::Variant;

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
