//! Surefoot: navigation meshes that can be trusted, from any heap of triangles.
//!
//! ```no_run
//! let scene = surefoot::Scene::load("level.glb")?;
//! let agent = surefoot::Agent { radius_m: 0.3, ..Default::default() };
//! let mesh = surefoot::bake(&scene, &surefoot::BakeSettings { agent, ..Default::default() })?;
//! let path = surefoot::Query::new(&mesh).find_path([0.0, 0.0, 0.0], [9.0, 0.0, 4.0])?;
//! println!("{:.2} m over {} points", path.length_m, path.points.len());
//! mesh.save("level.snav")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program that only ships finished meshes needs [`NavMesh`] and [`Query`] alone: they come from
//! the crate `surefoot_mesh`, which knows no scenes and no pipelines.
//!
//! What most programs need stands here by name. All that is public stands in the modules [`geom`],
//! [`scene`], [`baking`] and [`mesh`], one for each crate. Features, of which the first two
//! are on by default: `load` reads and writes scene files, `parallel` works on all cores, `serde` reads and
//! writes settings.

/// From a scene to a mesh: the crate `surefoot_bake`.
pub use surefoot_bake as baking;
/// Frames and the lattice: the crate `surefoot_geom`.
pub use surefoot_geom as geom;
/// Meshes and queries: the crate `surefoot_mesh`.
pub use surefoot_mesh as mesh;
/// Scenes and their files: the crate `surefoot_scene`.
pub use surefoot_scene as scene;

pub use surefoot_bake::{
    AreaRule, BakeError, BakeReport, BakeSettings, Baked, Baker, BuildMethod, CellShape,
    ExactSettings, GroundDiagnosis, LayeredSettings, Method, Progress, Regions, SettingsError,
    StageObserver, StageReport, StageView, Stairs, ViewEdge, ViewFace, VoxelSettings, Warning,
    bake,
};
pub use surefoot_geom::{Bounds, FrameError};
pub use surefoot_mesh::{
    Agent, AgentError, Algorithm, AreaId, CellCosts, CellDistance, CellId, CellKind, Clearance,
    EdgeClass, EdgeId, Filter, FilterError, Link, LinkCost, LinkCosts, LinkId, LinkKind, LinkUse,
    MeshSummary, Moved, NavMesh, NavMeshData, NearestPoint, NearestWall, OverBudget, Path,
    PathError, PathOptions, PathPoints, PathRequest, Position, Query, RadiusError, Ray,
    SearchProgress, SnavError, Unreachable, ValidateError, VertexId, Wall,
};
#[cfg(feature = "load")]
pub use surefoot_scene::{LoadError, ReadError, SaveError, SceneFormat};
pub use surefoot_scene::{ReachError, Scene, SceneBuilder, SceneError};

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
