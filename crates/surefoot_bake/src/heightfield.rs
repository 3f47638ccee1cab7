//! A grid of columns and the rasterizer over it: no agent, no tiles.

pub(crate) mod grid;
pub(crate) mod rasterize;
