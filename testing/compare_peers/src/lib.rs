//! Other tools on the same scenes: what they build, in a form that can be judged, measured and
//! searched like our own.
//!
//! In goes a `Scene` and a tool's own settings; out come its polygons, its triangles and, where it
//! has one, its own mesh for its own queries. Nothing here is part of the product: the crate exists
//! for comparisons, so the tools' own types stand in its interface.

mod ask;
mod chart;
mod courses;
mod document;
mod levels;
mod measure;
mod memory;
mod query_clearance;
mod query_lengths;
mod query_speed;
mod recast;
mod rerecast;
mod stopwatch;
mod suite;
mod tool;

use mimalloc::MiMalloc;

pub use self::rerecast::{RerecastError, RerecastMesh, build_rerecast};
pub use ask::ready_line;
pub use chart::{Axis, Series, draw_lines, exponent};
pub use courses::{
    CourseError, Pair, Random, detour_mesh, own_mesh, plan, polyanya_mesh, polyanya_point,
    random_pairs,
};
pub use document::{Written, write_document};
pub use levels::{Level, LevelError, agent_of};
pub use measure::{ask_paths, grow, once, race};
pub use memory::{Resident, forget_peak, resident};
pub use query_clearance::{ClearanceTally, compare_clearance};
pub use query_lengths::{LengthTally, compare_lengths};
pub use query_speed::{Asked, Micros, RepeatRow, SpeedRow, compare_speed, repeat_queries};
pub use recast::{Polygons, RecastError, RecastMesh, RecastSettings, Triangles, build_recast};
pub use stopwatch::StageTimes;
pub use suite::{SuiteSettings, compare_all, load_scene, say};
pub use tool::{Built, Judgement, Tool, ToolError, build_with};

/// The allocator of the command-line tool, for all tools alike.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;
