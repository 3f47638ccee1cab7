//! From borders between regions to a walkable surface: what the pipelines that look at columns share.

pub(crate) mod add_detail;
pub(crate) mod chain;
pub(crate) mod lift;
pub(crate) mod region_mesh;
pub(crate) mod simplify;
