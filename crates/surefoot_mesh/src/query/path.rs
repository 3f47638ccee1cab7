//! What a path query takes and gives.

use super::locate::Place;
use crate::data::{CellId, LinkId};
use thiserror::Error;

/// How a path is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Algorithm {
    /// The shortest path of all, measured in plan, found by Polyanya. Where a filter gives ground
    /// different costs, the corridor comes from A* and the path is the cheapest in it. On open
    /// ground of hundreds of thousands of cells it can take seconds; after 67 million nodes A* is
    /// asked instead, which [`crate::Query::fallbacks`] counts.
    #[default]
    Optimal,
    /// A* over portals, then the shortest path through the portals it chose. Usually faster, and
    /// in open country some percent longer.
    AStar,
}

/// Which points a path is given by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PathPoints {
    /// Start, corners and goal.
    #[default]
    Corners,
    /// Also points in between, so that straight lines between the points follow the ground to
    /// within [`GROUND_TOLERANCE_M`] at every border of cells.
    Ground,
}

/// How closely points that follow the ground do so, in metres.
pub const GROUND_TOLERANCE_M: f64 = 0.005;

/// What to do when no way leads to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Unreachable {
    /// Say so.
    #[default]
    Refuse,
    /// Go to the place nearest to the goal among those that can be reached. As long as no one-way
    /// links are in the way that takes no search; else all that can be reached is looked at.
    NearestReachable,
}

/// What to do when the optimal search has spent its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum OverBudget {
    /// Say so.
    #[default]
    Refuse,
    /// Ask A* instead, which then has no limit: it looks at each piece about once.
    AskAStar,
}

/// How a path query is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathOptions {
    /// How to search.
    pub algorithm: Algorithm,
    /// Which points to give.
    pub points: PathPoints,
    /// What to do when no way leads to the goal.
    pub unreachable: Unreachable,
    /// The most nodes to look at before giving up; `None` for no limit. Typical for a frame's
    /// budget: 10,000, about a millisecond.
    pub max_nodes: Option<u64>,
    /// What to do when the optimal search reaches that limit.
    pub over_budget: OverBudget,
}

/// A way over the mesh.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Path {
    /// The points from start to goal in the user's frame, two at least. A point on a step edge has
    /// the height of the upper side, so that straight lines from point to point stay above steps.
    pub points: Vec<[f64; 3]>,
    /// The cells crossed, from the start's to the goal's.
    pub cells: Vec<CellId>,
    /// The links taken, in order.
    pub links: Vec<LinkUse>,
    /// The length along the points, in metres.
    pub length_m: f64,
    /// The length along the surface, in metres: over every border of cells at the ground's height.
    /// The same as `length_m` up to the tolerance where the points follow the ground.
    pub surface_length_m: f64,
    /// The length in plan, in metres, with links at their straight length: what the search makes
    /// as short as it can.
    pub plan_length_m: f64,
    /// What the path costs under the query's filter, in metres of ground at cost 1.
    pub cost: f64,
    /// The length in plan over gap fillers, in metres.
    pub gap_length_m: f64,
    /// The length in plan over ramps laid on stairs, in metres.
    pub ramp_length_m: f64,
    /// Whether the path ends at the goal; `false` when it only goes near it.
    pub reaches_goal: bool,
    /// Nodes that the search looked at.
    pub nodes: u64,
}

impl Path {
    /// The points in single precision.
    pub fn points_f32(&self) -> impl ExactSizeIterator<Item = [f32; 3]> + '_ {
        self.points.iter().map(|p| p.map(|c| c as f32))
    }

    pub(crate) fn clear(&mut self) {
        self.points.clear();
        self.cells.clear();
        self.links.clear();
        self.length_m = 0.0;
        self.surface_length_m = 0.0;
        self.plan_length_m = 0.0;
        self.cost = 0.0;
        self.gap_length_m = 0.0;
        self.ramp_length_m = 0.0;
        self.reaches_goal = true;
        self.nodes = 0;
    }
}

/// A link on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkUse {
    /// Which link.
    pub link: LinkId,
    /// Whether it is taken from its end to its start.
    pub backwards: bool,
    /// Where along its segments, from 0 to 1.
    pub share: f64,
    /// The point of the path at which it starts; it ends at the next one.
    pub point: usize,
}

/// Why there is no path.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// The start is too far from the mesh.
    #[error(
        "the start ({}, {}, {}) is not on the mesh; move it onto walkable ground or allow a \
         greater distance", at[0], at[1], at[2]
    )]
    StartOffMesh {
        /// The start.
        at: [f64; 3],
    },
    /// The goal is too far from the mesh.
    #[error(
        "the goal ({}, {}, {}) is not on the mesh; move it onto walkable ground or allow a \
         greater distance", at[0], at[1], at[2]
    )]
    GoalOffMesh {
        /// The goal.
        at: [f64; 3],
    },
    /// No way leads from the start to the goal.
    #[error("no way leads from cell {} to cell {}", start.0, goal.0)]
    Disconnected {
        /// The start's cell.
        start: CellId,
        /// The goal's cell.
        goal: CellId,
    },
    /// The limit on nodes was reached before the goal.
    #[error("the search has looked at {nodes} nodes without an answer; raise max_nodes")]
    BudgetSpent {
        /// How many nodes it has looked at.
        nodes: u64,
    },
    /// There is no search to go on with.
    #[error("no search has begun; call begin_path first")]
    NoSearch,
}

impl PathError {
    /// The reason as one word, as the command line prints it.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::StartOffMesh { .. } => "start-off-mesh",
            Self::GoalOffMesh { .. } => "goal-off-mesh",
            Self::Disconnected { .. } => "disconnected",
            Self::BudgetSpent { .. } => "budget-spent",
            Self::NoSearch => "no-search",
        }
    }
}

/// How far a search in slices has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchProgress {
    /// More is to be done.
    Searching,
    /// The path is found; fetch it.
    Done,
}

/// A place on the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// The cell.
    pub cell: CellId,
    /// The point on it, in the user's frame.
    pub point: [f64; 3],
}

/// A search that goes on over several calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) start: Place,
    pub(crate) goal: Place,
    pub(crate) options: PathOptions,
    pub(crate) reaches_goal: bool,
    /// Whether the goal is the nearest of all places that the start leads to.
    pub(crate) is_nearest: bool,
    /// Whether A* runs, either by choice or because it must.
    pub(crate) by_astar: bool,
    pub(crate) done: bool,
}
