//! What a program ships with: the navigation mesh, its file format and its queries.
//!
//! This crate sees no scene, no loader and no pipeline. [`NavMeshData`] is the plain form that a
//! pipeline, an importer or a file fills in; [`NavMeshData::validate`] turns it into a [`NavMesh`],
//! which is the proof that its structure is sound and what every query asks for.
//!
//! ```
//! use surefoot_mesh::{Agent, NavMesh, NavMeshData, PathRequest, Query};
//!
//! // An L of three squares, with Y up.
//! let points = [
//!     [0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [4.0, 0.0, 0.0],
//!     [0.0, 0.0, 2.0], [2.0, 0.0, 2.0], [4.0, 0.0, 2.0],
//!     [0.0, 0.0, 4.0], [2.0, 0.0, 4.0],
//! ];
//! let cells = [vec![0, 1, 4, 3], vec![1, 2, 5, 4], vec![3, 4, 7, 6]];
//! let mesh = NavMeshData::from_polygons(&points, &cells, Agent::default(), [0.0, 1.0, 0.0])?.validate()?;
//!
//! let mut query = Query::new(&mesh);
//! let path = query.find_path([3.5, 0.0, 1.5], [1.5, 0.0, 3.5])?;
//! assert_eq!(path.points.len(), 3); // around the corner at (2, 2)
//!
//! // The same for an agent 20 cm wider: it keeps that much more distance from the corner.
//! query.set_radius(0.5)?;
//! let wider = query.find_path([3.5, 0.0, 1.5], [1.5, 0.0, 3.5])?;
//! assert!(wider.length_m > path.length_m);
//!
//! let ray = query.raycast([1.0, 0.0, 1.0], [9.0, 0.0, 1.0])?;
//! assert!((ray.end.point[0] - 3.8).abs() < 1e-6); // 20 cm before the wall
//!
//! let answers = query.find_paths(&[PathRequest::new([1.0, 0.0, 1.0], [3.0, 0.0, 1.0])], &Default::default());
//! assert!(answers[0].is_ok());
//!
//! let bytes = mesh.to_bytes(); // what `mesh.save("level.snav")` writes
//! assert_eq!(NavMesh::from_bytes(&bytes)?.cell_count(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Two features, neither of which takes anything away: `parallel`, on unless default features are
//! off, answers batches of queries over all cores; `serde` writes and reads agents, filters and path
//! options.

mod agent;
mod biconnected;
mod build_info;
mod cell_shape;
mod clearance;
mod data;
mod format;
mod from_polygons;
mod ground;
mod mesh;
mod piece_tree;
mod pieces;
mod plan_grid;
mod query;
mod validate;

pub use agent::{Agent, AgentError};
pub use build_info::{BuildInfo, BuildMethod, TagRules};
pub use cell_shape::{CONVEX_SLACK_UNITS, MAX_NOTCHED_EDGES};
pub use clearance::{CHORD_ERROR_M, Clearance, RadiusError};
pub use data::{
    AreaId, CellId, CellKind, EdgeClass, EdgeId, Link, LinkId, LinkKind, NO_EDGE, NavMeshData,
    VertexId,
};
pub use format::{SNAV_VERSION, SectionName, SnavError, SnavView};
pub use from_polygons::FromPolygonsError;
pub use mesh::{MeshSummary, NavMesh};
pub use query::{
    Algorithm, CellCosts, CellDistance, DEFAULT_EXTENT_M, Filter, FilterError, GROUND_TOLERANCE_M,
    LinkCost, LinkCosts, LinkUse, Moved, NearestPoint, NearestWall, OverBudget, Path, PathError,
    PathOptions, PathPoints, PathRequest, Position, Query, Ray, SearchProgress, Unreachable, Wall,
};
pub use surefoot_geom::Bounds;
pub use surefoot_geom::{Frame, LatticePoint};
pub use validate::{
    LINK_HEIGHT_TOLERANCE_M, LINK_PLAN_TOLERANCE_M, MAX_EDGES, MAX_HEIGHT_M, ValidateError,
};

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
