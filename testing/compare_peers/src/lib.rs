//! Other tools on the same scenes: what they build, in a form that can be judged, measured and
//! searched like our own.
//!
//! In goes a `Scene` and a tool's own settings; out come its polygons, its triangles and, where it
//! has one, its own mesh for its own queries. Nothing here is part of the product: the crate exists
//! for comparisons, so the tools' own types stand in its interface.

mod courses;
mod levels;
mod query_clearance;
mod query_lengths;
mod query_speed;
mod recast;

pub use courses::{
    CourseError, Pair, Random, detour_mesh, own_mesh, plan, polyanya_mesh, polyanya_point,
    random_pairs,
};
pub use levels::{Level, LevelError};
pub use query_clearance::{ClearanceTally, compare_clearance};
pub use query_lengths::{LengthTally, compare_lengths};
pub use query_speed::{Asked, Micros, RepeatRow, SpeedRow, compare_speed, repeat_queries};
pub use recast::{Polygons, RecastError, RecastMesh, RecastSettings, Triangles, build_recast};
