//! A* over portals, as users of Detour know it: fast, and short enough for most.
//!
//! In go start and goal; out comes a corridor. A piece is a node, reached at a point of the portal
//! it was entered through: the point where the straight line from the point before to the goal
//! meets the portal, or the portal's end nearest to that. Costs of areas multiply the length within
//! a piece. The corridor is the cheapest for these points, not the best of all: the funnel makes
//! the path in it as short as the corridor allows.

use super::corridor::Crossing;
use super::filter::Tables;
use super::locate::Place;
use super::query_mesh::QueryMesh;
use super::search::{Outcome, Search};
use crate::pieces::NONE;
use glam::DVec2;

/// A piece that has been reached.
#[derive(Clone, Copy, Debug)]
struct Entered {
    run: u32,
    /// How it was entered.
    crossing: Crossing,
    at: DVec2,
    cost: f64,
    /// Cost and estimate, as entered into the heap; anything else found there is out of date.
    key: f64,
}

const NEVER: Entered = Entered {
    run: 0,
    crossing: Crossing::NONE,
    at: DVec2::ZERO,
    cost: f64::INFINITY,
    key: f64::INFINITY,
};

/// The search with its working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct AStar {
    pub(crate) search: Search,
    /// How each piece has been entered.
    entered: Vec<Entered>,
    /// By what factor a way to a piece must be cheaper than the one known to count.
    cheaper: f64,
}

/// The point of the edge from `a` to `b` through which the way from `from` to `goal` is shortest,
/// with `from` to the left of the edge. A goal on that side too is seen in the edge as in a mirror.
#[inline]
fn crossing_point(from: DVec2, goal: DVec2, a: DVec2, b: DVec2) -> DVec2 {
    let along = b - a;
    let side = along.perp_dot(goal - a);
    let goal =
        if side > 0.0 { goal - along.perp() * (2.0 * side / along.length_squared()) } else { goal };
    let ahead = goal - from;
    let (side_a, side_b) = (ahead.perp_dot(a - from), ahead.perp_dot(b - from));
    // Seen from the piece that is left, its edge runs from right to left.
    if side_a >= 0.0 {
        a
    } else if side_b <= 0.0 {
        b
    } else {
        a + along * (side_a / (side_a - side_b))
    }
}

/// So many pieces may be looked at, and so many more for each piece there is; as a rule each is looked
/// at once. After that, ways to pieces that have been reached are not looked for any more.
const LEAST_LOOKS: u64 = 10_000;
const LOOKS_PER_PIECE: u64 = 64;

/// Relative difference that a cheaper way must make to count: with estimates that never overrate,
/// a way back to a piece through others is never cheaper by more than rounding.
const CHEAPER: f64 = 1.0 - 1e-12;

impl AStar {
    /// Prepares a run between two places of one component.
    pub(crate) fn begin(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        start: Place,
        goal: Place,
    ) {
        self.search.begin(mesh, tables, start, goal);
        self.forget_old_runs();
    }

    fn forget_old_runs(&mut self) {
        if self.search.is_first_run() {
            self.entered.fill(NEVER);
        }
    }

    /// Starts the search after [`AStar::begin`].
    pub(crate) fn start(&mut self, mesh: QueryMesh<'_>) {
        if self.entered.len() < mesh.pieces.piece_count() {
            self.entered.resize(mesh.pieces.piece_count(), NEVER);
        }
        let Search { start, start_piece, goal, run, .. } = self.search;
        let key = start.distance(goal);
        self.cheaper = CHEAPER;
        self.entered[start_piece as usize] =
            Entered { run, crossing: Crossing::NONE, at: start, cost: 0.0, key };
        self.search.heap.push(key, start_piece);
    }

    /// Goes on for at most `limit` pieces.
    pub(crate) fn run(&mut self, mesh: QueryMesh<'_>, tables: &Tables, limit: u64) -> Outcome {
        let pieces = &mesh.pieces;
        let most_looks = LEAST_LOOKS + LOOKS_PER_PIECE * pieces.piece_count() as u64;
        let mut left = limit.min(most_looks.saturating_sub(self.search.nodes));
        let mut beyond = limit - left;
        loop {
            if left == 0 {
                if beyond == 0 {
                    return Outcome::Paused;
                }
                // Costs that differ by many orders of magnitude could keep it busy for ever.
                self.cheaper = 0.0;
                left = std::mem::take(&mut beyond);
            }
            let Some((key, piece)) = self.search.heap.pop() else { return Outcome::Exhausted };
            let here = self.entered[piece as usize];
            if key > here.key {
                continue;
            }
            if piece == self.search.goal_piece {
                self.collect(mesh);
                return Outcome::Found;
            }
            self.search.nodes += 1;
            left -= 1;
            let factor = tables.cost(piece);
            let came_from = if here.crossing.as_link().is_some() || here.crossing == Crossing::NONE
            {
                NONE
            } else {
                pieces.edges[here.crossing.edge() as usize].twin
            };
            let range = pieces.range(piece);
            for i in range.clone() {
                let e = &pieces.edges[i];
                if e.twin == NONE
                    || i as u32 == came_from
                    || !self.search.on_the_way(e.block)
                    || !tables.is_open(e.twin_piece)
                {
                    continue;
                }
                let next = if i + 1 == range.end { range.start } else { i + 1 };
                let b = pieces.edges[next].start();
                let at = crossing_point(here.at, self.search.goal, e.start(), b);
                let cost = here.cost + here.at.distance(at) * factor;
                self.reach(tables, e.twin_piece, Crossing::portal(i as u32), at, cost);
            }
            for i in pieces.link_range(piece) {
                let s = &pieces.link_samples[i];
                if !tables.is_open(s.to_piece)
                    || (s.block != NONE && !self.search.on_the_way(s.block))
                {
                    continue;
                }
                let Some(link_cost) = tables.link_cost(s.link, s.length_m) else { continue };
                let cost = here.cost + here.at.distance(s.from) * factor + link_cost;
                self.reach(tables, s.to_piece, Crossing::link(i as u32), s.to, cost);
            }
        }
    }

    /// Finds all pieces that a place leads to, for [`AStar::is_reached`].
    pub(crate) fn reach_all(&mut self, mesh: QueryMesh<'_>, tables: &Tables, start: Place) {
        let pieces = &mesh.pieces;
        self.search.begin_without_goal(mesh, start);
        self.forget_old_runs();
        self.start(mesh);
        while let Some((_, piece)) = self.search.heap.pop() {
            let through_edges = pieces.edges[pieces.range(piece)].iter();
            let through_edges = through_edges.filter(|e| e.twin != NONE).map(|e| e.twin_piece);
            let open_link = |i: &usize| {
                let s = &pieces.link_samples[*i];
                tables.link_cost(s.link, s.length_m).is_some()
            };
            let through_links = pieces.link_range(piece).filter(open_link);
            let through_links = through_links.map(|i| pieces.link_samples[i].to_piece);
            for next in through_edges.chain(through_links) {
                let entered = &mut self.entered[next as usize];
                if entered.run != self.search.run && tables.is_open(next) {
                    entered.run = self.search.run;
                    self.search.heap.push(0.0, next);
                }
            }
        }
    }

    /// Whether the last run of [`AStar::reach_all`] has come to a piece.
    pub(crate) fn is_reached(&self, piece: u32) -> bool {
        self.entered.get(piece as usize).is_some_and(|v| v.run == self.search.run)
    }

    /// Notes that a piece can be entered at a point, if no cheaper way to it is known.
    #[inline]
    fn reach(&mut self, tables: &Tables, piece: u32, crossing: Crossing, at: DVec2, cost: f64) {
        let to_goal = at.distance(self.search.goal);
        let rest = if piece == self.search.goal_piece {
            to_goal * tables.cost(piece)
        } else {
            to_goal * tables.least_factor
        };
        let key = cost + rest;
        let entered = &mut self.entered[piece as usize];
        // Compared with what is still to go, since the points of entry differ.
        if entered.run == self.search.run && key >= entered.key * self.cheaper {
            return;
        }
        *entered = Entered { run: self.search.run, crossing, at, cost, key };
        self.search.heap.push(key, piece);
    }

    /// Follows the pieces back from the goal.
    fn collect(&mut self, mesh: QueryMesh<'_>) {
        let mut piece = self.search.goal_piece;
        let limit = mesh.pieces.piece_count();
        while piece != self.search.start_piece && self.search.corridor.len() <= limit {
            let crossing = self.entered[piece as usize].crossing;
            self.search.corridor.push(crossing);
            piece = crossing.left(&mesh.pieces);
        }
        self.search.corridor.reverse();
    }
}
