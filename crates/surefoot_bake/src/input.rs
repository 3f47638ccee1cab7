//! From a scene to triangles on the lattice, told apart: what every pipeline begins with.

pub(crate) mod classify;
mod cluster_points;
pub(crate) mod limits;
pub(crate) mod points;
pub(crate) mod read;
