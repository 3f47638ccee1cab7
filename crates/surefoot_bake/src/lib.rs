//! From a scene to a navigation mesh.
//!
//! A pipeline turns triangles into a `WalkableSurface`; what follows (partition, assembly) exists
//! once. Each stage is a file named by its verb: it takes its input by value and only its own
//! settings, and returns a new type whose `check_invariants` says what it promises.

mod baker;
mod borders;
mod context;
mod contour;
mod diagnose;
mod diagnosis;
mod error;
mod exact;
mod finish;
mod heightfield;
mod ids;
mod input;
mod layered;
mod look_over;
mod report;
mod settings;
mod surface;
mod view;
mod voxel;

pub use baker::{Baked, Baker, bake};
pub use context::{Progress, StageObserver};
pub use diagnosis::{GroundDiagnosis, TriangleCount};
pub use error::BakeError;
pub use finish::mesh_view::view_of_mesh;
pub use finish::partition::{
    CellPortalGraph, ILL_CONDITIONED_SHARE, PartitionQuality, PolygonPartition, Portal,
    partition_polygon,
};
pub use report::{BakeReport, GroundUnderHulls, StageReport, Warning};
#[cfg(feature = "serde")]
pub use settings::SettingValues;
pub use settings::{
    AreaRule, AreaRuleError, BakeSettings, CellShape, ExactSettings, LayeredSettings, Method,
    NumberRange, PartitionSettings, Regions, SettingChoice, SettingInfo, SettingKind, SettingValue,
    SettingsError, Stairs, UnknownName, VoxelSettings, settings_markdown, settings_table,
};
pub use surefoot_mesh::{Agent, BuildMethod};
pub use view::{StageView, ViewEdge, ViewFace};

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
