//! Geometry under Surefoot.
//!
//! Everything here is deterministic: horizontal positions live on an integer lattice, decisions
//! about them are exact, and no result depends on the order of a hash map or on the number of
//! threads. The crate knows nothing of scenes, agents or navigation meshes.
//!
//! The lattice, the frame and the predicates need no other crate; set operations on polygons and
//! triangulation stand behind the features `overlay` and `triangulation`.

mod bounds;
pub mod bvh;
pub mod clip;
pub mod convex_hull;
mod counting_sort;
#[cfg(feature = "triangulation")]
mod delaunay;
mod disjoint_sets;
pub mod frame;
pub mod lattice;
#[cfg(feature = "overlay")]
pub mod overlay;
pub mod polygon;
pub mod predicates;
#[cfg(feature = "overlay")]
mod sweep;
pub mod threads;
#[cfg(feature = "triangulation")]
pub mod triangulate;

pub use bounds::Bounds;
pub use counting_sort::ByKey;
pub use disjoint_sets::DisjointSets;
pub use frame::{Frame, FrameError};
pub use lattice::{LATTICE_PER_M, LatticePoint, LatticeRangeError};

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
