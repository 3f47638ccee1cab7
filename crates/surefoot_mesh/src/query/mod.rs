//! Asking the mesh.
//!
//! A [`Query`] owns the working memory of all searches, so that asking allocates nothing once it
//! has warmed up; the mesh itself is only read, and every thread can have a query of its own.

mod around;
mod astar;
mod batch;
mod caller;
mod corridor;
mod filter;
mod find_path;
mod flood;
mod footing;
mod funnel;
mod heap;
mod interval;
mod locate;
mod path;
mod polyanya;
mod position;
mod query_mesh;
mod random;
mod ray;
mod search;
mod sight;
mod straight;
mod successors;
mod weighted;
mod write_path;

pub use around::{Moved, NearestWall, Ray, Wall};
pub use batch::PathRequest;
pub use caller::{DEFAULT_EXTENT_M, Query};
pub use filter::{CellCosts, Filter, FilterError, LinkCost, LinkCosts};
pub use flood::CellDistance;
pub use path::{
    Algorithm, GROUND_TOLERANCE_M, LinkUse, NearestPoint, OverBudget, Path, PathError, PathOptions,
    PathPoints, SearchProgress, Unreachable,
};
pub use position::Position;
