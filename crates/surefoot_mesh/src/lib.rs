//! What a program ships with: the navigation mesh, its file format and its queries.
//!
//! This crate sees no scene, no loader and no pipeline. [`NavMeshData`] is the plain form that a
//! pipeline, an importer or a file fills in; [`NavMeshData::validate`] turns it into a [`NavMesh`],
//! which is the proof that its structure is sound and what every query asks for.

mod agent;
mod blocks;
mod cell_shape;
mod clearance;
mod data;
mod format;
mod from_polygons;
mod ground;
mod mesh;
mod piece_tree;
mod pieces;
mod query;
mod validate;

pub use agent::{Agent, AgentError};
pub use cell_shape::{CONVEX_SLACK_UNITS, MAX_NOTCHED_EDGES, MAX_UNEVEN_EDGES};
pub use clearance::{CHORD_ERROR_M, Clearance, RadiusError};
pub use data::{
    AreaId, CellId, CellKind, EdgeClass, EdgeId, Link, LinkKind, NO_EDGE, NavMeshData, VertexId,
};
pub use format::{SNAV_VERSION, SectionName, SnavError, SnavView};
pub use from_polygons::FromPolygonsError;
pub use mesh::{Bounds, MeshSummary, NavMesh};
pub use query::{
    Algorithm, CellDistance, DEFAULT_EXTENT_M, Filter, FilterError, GROUND_TOLERANCE_M, LinkUse,
    Moved, NearestPoint, NearestWall, Path, PathError, PathOptions, PathPoints, PathRequest,
    Position, Progress, Query, Ray, Unreachable, Wall,
};
pub use surefoot_geom::{Frame, LatticePoint};
pub use validate::{
    LINK_HEIGHT_TOLERANCE_M, LINK_PLAN_TOLERANCE_M, MAX_EDGES, MAX_HEIGHT_M, ValidateError,
};
