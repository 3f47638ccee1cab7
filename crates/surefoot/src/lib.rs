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

pub use surefoot_bake::{
    AreaRule, BakeError, BakeReport, BakeSettings, Baked, CellShape, ExactSettings, Method,
    Progress, Regions, SettingsError, StageContext, StageObserver, StageReport, StageView, Stairs,
    ViewEdge, ViewFace, VoxelSettings, Warning, bake, bake_in,
};
pub use surefoot_mesh::{
    Agent, AreaId, CellId, CellKind, EdgeClass, EdgeId, Filter, Link, LinkKind, NavMesh,
    NavMeshData, NearestPoint, Path, PathError, PathOptions, PathPoints, Query, VertexId,
};
pub use surefoot_scene::{LoadError, SaveError, Scene, SceneBuilder, SceneError, SceneFormat};
