//! What both searches share: start and goal, what has been reached, and the corridor found.

use super::corridor::Crossing;
use super::filter::Tables;
use super::funnel::Corner;
use super::heap::Heap;
use super::locate::Place;
use super::query_mesh::QueryMesh;
use crate::pieces::NONE;
use glam::DVec2;

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The node limit of this call is reached; call again.
    Paused,
    /// The corridor is found.
    Found,
    /// Nothing is left to look at.
    Exhausted,
}

/// The best cost at which something was reached, valid for one run of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    cost: f64,
    run: u32,
    /// What it was reached from.
    pub(crate) by: u32,
}

impl Reached {
    pub(crate) const NEVER: Self = Self { cost: f64::INFINITY, run: 0, by: 0 };

    #[inline]
    pub(crate) fn cost(&self, run: u32) -> f64 {
        if self.run == run { self.cost } else { f64::INFINITY }
    }

    #[inline]
    pub(crate) fn set(&mut self, run: u32, cost: f64) {
        self.set_by(run, cost, 0);
    }

    #[inline]
    pub(crate) fn set_by(&mut self, run: u32, cost: f64, by: u32) {
        *self = Self { cost, run, by };
    }
}

/// What a search starts from and finds, with the open list between; kept from query to query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) start: DVec2,
    pub(crate) goal: DVec2,
    pub(crate) start_piece: u32,
    /// The piece of the goal; [`NONE`] where there is none.
    pub(crate) goal_piece: u32,
    /// The number of this run; what earlier runs have left behind bears other numbers.
    pub(crate) run: u32,
    pub(crate) heap: Heap,
    /// The blocks on the way, by run.
    block_runs: Vec<u32>,
    /// Whether only blocks on the way are searched.
    prune_blocks: bool,
    /// The corridor found, from start to goal.
    pub(crate) corridor: Vec<Crossing>,
    /// The crossings of the last walk towards the goal.
    pub(crate) walked: Vec<Crossing>,
    /// The corners of the shortest line through the corridor, if the search has found them too.
    pub(crate) corners: Vec<Corner>,
    pub(crate) corners_are_known: bool,
    /// Nodes looked at in this run.
    pub(crate) nodes: u64,
}

impl Search {
    /// Prepares a run between two places of one component.
    pub(crate) fn begin(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        start: Place,
        goal: Place,
    ) {
        self.start = start.plan;
        self.goal = goal.plan;
        self.start_piece = start.piece;
        self.goal_piece = goal.piece;
        self.next_run(mesh);
        // Where ground or links are cheaper than others it can pay to leave a piece and come back
        // to it, so the blocks say nothing.
        self.prune_blocks = tables.is_uniform() && tables.least_factor >= 1.0;
        if self.prune_blocks {
            let run = self.run;
            let runs = &mut self.block_runs;
            mesh.ground.blocks.mark_way(start.piece, goal.piece, |b| runs[b as usize] = run);
        }
    }

    /// Prepares a run that has no goal.
    pub(crate) fn begin_without_goal(&mut self, mesh: QueryMesh<'_>, start: Place) {
        self.start = start.plan;
        self.goal = start.plan;
        self.start_piece = start.piece;
        self.goal_piece = NONE;
        self.prune_blocks = false;
        self.next_run(mesh);
    }

    fn next_run(&mut self, mesh: QueryMesh<'_>) {
        let blocks = mesh.ground.blocks.count();
        if self.block_runs.len() < blocks {
            self.block_runs.resize(blocks, 0);
        }
        self.heap.clear();
        self.corridor.clear();
        self.corners.clear();
        self.corners_are_known = false;
        self.nodes = 0;
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            // After 4 billion runs the numbers start again, and nothing old may match.
            self.run = 1;
            self.block_runs.fill(0);
        }
    }

    /// Whether nothing that an earlier run has left behind may be believed, whatever its number:
    /// this run is the first, or the first after the numbers have started again.
    pub(crate) fn is_first_run(&self) -> bool {
        self.run == 1
    }

    /// Whether a crossing of this block can be part of a shortest path.
    #[inline]
    pub(crate) fn on_the_way(&self, block: u32) -> bool {
        !self.prune_blocks || self.block_runs[block as usize] == self.run
    }
}
