//! The one type that every pipeline ends in: walkable ground as polygons with holes.
//!
//! Plan positions are lattice points of the surface's frame; a face's heights follow from its plane,
//! so height is never stored twice. Every edge knows what lies there and, where the agent can go on,
//! its twin: the same plan segment, run the other way, in another face. Twins may lie at different
//! heights (a step).

mod checks;
mod face;
mod plane;
mod view;
mod walkable_surface;

#[cfg(test)]
pub(crate) use face::level_face;
pub(crate) use face::{Face, FaceOrigin, SurfaceEdge, class_of_label, loop_area2};
pub(crate) use plane::{Plane, lattice_from_plan, plan_m, plan_units};
pub(crate) use view::view_of;
pub(crate) use walkable_surface::WalkableSurface;
