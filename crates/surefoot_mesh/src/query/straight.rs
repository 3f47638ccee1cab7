//! Is the goal in plain sight?
//!
//! In go start and goal; out comes the corridor under the straight line between them, if the line
//! crosses nothing but open portals. No path is shorter than that, so neither search has to begin;
//! and where something is in the way the walk has ended after a few pieces. Polyanya asks the
//! same of every corner that it comes to.

use super::corridor::Crossing;
use super::filter::Tables;
use super::query_mesh::QueryMesh;
use super::search::Search;
use crate::pieces::NONE;
use glam::DVec2;

/// How far off a line a corner may lie and still be on it, in metres: the start, the goal and what is
/// worked out from them are rounded in their last places.
const ON_LINE_M: f64 = 1e-9;

impl Search {
    /// Walks straight to the goal after [`Search::begin`]. Returns whether it was reached; if so the
    /// corridor is found.
    pub(crate) fn walk_straight(&mut self, mesh: QueryMesh<'_>, tables: &Tables) -> bool {
        if !tables.is_uniform() || tables.least_factor < 1.0 {
            return false;
        }
        let is_straight = self.walk_to_goal(mesh, tables, self.start, self.start_piece);
        if is_straight {
            self.corridor.extend_from_slice(&self.walked);
            self.corners_are_known = true;
        }
        is_straight
    }

    /// Walks along the line from a place to the goal, beginning in a piece that the line crosses.
    /// Returns whether it was reached, and leaves the crossings in `walked`.
    pub(super) fn walk_to_goal(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        from: DVec2,
        first_piece: u32,
    ) -> bool {
        let pieces = &mesh.pieces;
        let to = self.goal;
        let ahead = to - from;
        let on_line = ON_LINE_M * ahead.length();
        let mut piece = first_piece;
        self.walked.clear();
        // A line leaves every piece behind, whatever rounding does.
        for _ in 0..pieces.piece_count() {
            let range = pieces.range(piece);
            // Around a convex piece the line is left where corners pass from its right to its left.
            let last = pieces.edges[range.end - 1].start();
            let (mut a, mut a_side) = (last, ahead.perp_dot(last - from));
            let mut before = range.end - 1;
            let mut exit = None;
            for i in range {
                let b = pieces.edges[i].start();
                let b_side = ahead.perp_dot(b - from);
                if b_side > 0.0 && a_side <= 0.0 {
                    // The goal must lie beyond. An edge along the line is not crossed, on whichever
                    // side of it rounding puts the corners: it may lie behind, or beyond the goal.
                    let is_along = b_side <= on_line && a_side >= -on_line;
                    exit = (!is_along && (b - a).perp_dot(to - a) <= 0.0).then_some(before);
                    break;
                }
                (a, a_side, before) = (b, b_side, i);
            }
            let Some(exit) = exit else { return false };
            let edge = &pieces.edges[exit];
            if edge.twin == NONE || !tables.is_open(edge.twin_piece) {
                return false;
            }
            self.walked.push(Crossing::portal(exit as u32));
            piece = edge.twin_piece;
            if piece == self.goal_piece {
                return true;
            }
        }
        false
    }
}
