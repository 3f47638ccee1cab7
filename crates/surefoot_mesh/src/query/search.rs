//! What both searches share: start and goal, what has been reached, and the corridor found.
//!
//! A *corridor* is the row of crossings from the start's piece to the goal's: portals (edges of
//! pieces, named from the side that is left) and links. The funnel turns it into a path.

use super::filter::Tables;
use super::funnel::Corner;
use super::heap::Heap;
use super::locate::Place;
use crate::ground::Surface;
use crate::pieces::Pieces;
use glam::DVec2;

/// One crossing of a corridor: an edge of a piece, or a link sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing(u32);

const LINK_BIT: u32 = 1 << 31;

impl Crossing {
    pub(crate) const NONE: Self = Self(u32::MAX);

    pub(crate) fn portal(edge: u32) -> Self {
        Self(edge)
    }

    pub(crate) fn link(sample: u32) -> Self {
        Self(sample | LINK_BIT)
    }

    /// The link sample, if it is one.
    #[inline]
    pub(crate) fn as_link(self) -> Option<usize> {
        (self.0 & LINK_BIT != 0).then_some((self.0 & !LINK_BIT) as usize)
    }

    /// The edge that is left through. Only for portals.
    #[inline]
    pub(crate) fn edge(self) -> u32 {
        self.0
    }

    /// The piece that is entered.
    pub(crate) fn entered(self, pieces: &Pieces) -> u32 {
        match self.as_link() {
            Some(sample) => pieces.link_samples[sample].to_piece,
            None => pieces.edges[self.0 as usize].twin_piece,
        }
    }

    /// The piece that is left.
    pub(crate) fn left(self, pieces: &Pieces) -> u32 {
        match self.as_link() {
            Some(sample) => pieces.link_samples[sample].from_piece,
            None => pieces.edge_pieces[self.0 as usize],
        }
    }
}

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

/// Working memory of the searches, kept from query to query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) start: DVec2,
    pub(crate) goal: DVec2,
    pub(crate) start_piece: u32,
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
    /// Whether there is no goal, and all within a distance is looked at.
    pub(crate) flooding: bool,
    pub(crate) flood_limit_m: f64,
    /// The distance of each cell in a flood.
    pub(crate) flooded: Vec<Reached>,
    pub(crate) taut: super::taut_search::TautState,
    pub(crate) portal: super::portal_search::PortalState,
}

impl Search {
    /// Prepares a run between two places of one component.
    pub(crate) fn begin(&mut self, mesh: Surface<'_>, tables: &Tables, start: Place, goal: Place) {
        self.start = start.plan;
        self.goal = goal.plan;
        self.start_piece = start.piece;
        self.goal_piece = goal.piece;
        self.flooding = false;
        self.next_run();
        let blocks = &mesh.pieces.blocks;
        if self.block_runs.len() < blocks.tops.len() {
            self.block_runs.resize(blocks.tops.len(), 0);
        }
        // Where ground or links are cheaper than others it can pay to leave a piece and come back
        // to it, so the blocks say nothing.
        self.prune_blocks = tables.is_uniform() && tables.least_factor >= 1.0;
        if self.prune_blocks {
            let run = self.run;
            let runs = &mut self.block_runs;
            blocks.mark_way(start.piece, goal.piece, |b| runs[b as usize] = run);
        }
    }

    /// Prepares a run that has no goal.
    pub(crate) fn begin_flood(&mut self, mesh: Surface<'_>, start: Place, limit_m: f64) {
        self.start = start.plan;
        self.goal = start.plan;
        self.start_piece = start.piece;
        self.goal_piece = crate::pieces::NONE;
        self.flooding = true;
        self.flood_limit_m = limit_m;
        self.prune_blocks = false;
        if self.block_runs.len() < mesh.pieces.blocks.tops.len() {
            self.block_runs.resize(mesh.pieces.blocks.tops.len(), 0);
        }
        self.next_run();
    }

    fn next_run(&mut self) {
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
            self.flooded.fill(Reached::NEVER);
            self.taut.forget();
            self.portal.forget();
        }
    }

    /// Whether a crossing of this block can be part of a shortest path.
    #[inline]
    pub(crate) fn on_the_way(&self, block: u32) -> bool {
        !self.prune_blocks || self.block_runs[block as usize] == self.run
    }
}
