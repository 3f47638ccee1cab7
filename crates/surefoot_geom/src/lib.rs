//! Geometry under Surefoot.
//!
//! Everything here is deterministic: horizontal positions live on an integer lattice, decisions
//! about them are exact, and no result depends on the order of a hash map or on the number of
//! threads. The crate knows nothing of scenes, agents or navigation meshes.
//!
//! The lattice, the frame and the predicates need no other crate; set operations on polygons and
//! triangulation stand behind the features `overlay` and `triangulation`.

pub mod bvh;
pub mod clip;
#[cfg(feature = "triangulation")]
mod delaunay;
pub mod frame;
pub mod half_edge;
pub mod lattice;
#[cfg(feature = "overlay")]
pub mod overlay;
pub mod polygon;
pub mod predicates;
#[cfg(feature = "overlay")]
mod sweep;
#[cfg(feature = "triangulation")]
pub mod triangulate;

pub use frame::{Frame, FrameError};
pub use lattice::{LATTICE_PER_M, LatticePoint, LatticeRangeError};
