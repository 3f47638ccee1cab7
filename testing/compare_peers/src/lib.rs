//! Other tools on the same scenes: what they build, in a form that can be judged, measured and
//! searched like our own.
//!
//! In goes a `Scene` and a tool's own settings; out come its polygons, its triangles and, where it
//! has one, its own mesh for its own queries. Nothing here is part of the product: the crate exists
//! for comparisons, so the tools' own types stand in its interface.

mod recast;

pub use recast::{Polygons, RecastError, RecastMesh, RecastSettings, Triangles, build_recast};
