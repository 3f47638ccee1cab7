//! What happens along the borders of pieces of ground, whatever pipeline they came from: pieces are
//! joined to neighbours, the agent's radius is kept from what remains, and boundaries are simplified.

pub(crate) mod erode;
pub(crate) mod join_edges;
pub(crate) mod match_edges;
pub(crate) mod obstructions;
mod offset_boundary;
pub(crate) mod pairs;
pub(crate) mod simplify_boundary;
pub(crate) mod snap;
pub(crate) mod thin_parts;
