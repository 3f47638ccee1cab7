//! What a program ships with: the navigation mesh, its file format and its queries.
//!
//! This crate sees no scene, no loader and no pipeline. [`NavMeshData`] is the plain form that a
//! pipeline, an importer or a file fills in; [`NavMeshData::validate`] turns it into a [`NavMesh`],
//! which is the proof that its structure is sound and what every query asks for.

mod agent;
mod data;

pub use agent::Agent;
pub use data::{
    AreaId, CellId, CellKind, EdgeClass, EdgeId, Link, LinkKind, NO_EDGE, NavMeshData, VertexId,
};
pub use surefoot_geom::{Frame, LatticePoint};
