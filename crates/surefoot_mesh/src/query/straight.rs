//! Is the goal in plain sight?
//!
//! In go start and goal; out comes the corridor under the straight line between them, if the line
//! crosses nothing but open portals. No path is shorter than that, so neither search has to begin;
//! and where something is in the way the walk has ended after a few pieces. The optimal search asks
//! the same of every corner that it comes to.

use super::filter::Tables;
use super::search::{Crossing, Search};
use crate::ground::Surface;
use crate::pieces::NONE;
use glam::DVec2;

impl Search {
    /// Walks straight to the goal after [`Search::begin`]. Returns whether it was reached; if so the
    /// corridor is found.
    pub(crate) fn walk_straight(&mut self, mesh: Surface<'_>, tables: &Tables) -> bool {
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
        mesh: Surface<'_>,
        tables: &Tables,
        from: DVec2,
        first_piece: u32,
    ) -> bool {
        let pieces = &mesh.pieces;
        let to = self.goal;
        let ahead = to - from;
        let mut piece = first_piece;
        self.walked.clear();
        // A line leaves every piece behind, whatever rounding does.
        for _ in 0..pieces.piece_count() {
            let range = pieces.range(piece);
            // Around a convex piece the line is left where corners pass from its right to its left.
            let last = pieces.edges[range.end - 1].start();
            let (mut a, mut a_is_left) = (last, ahead.perp_dot(last - from) > 0.0);
            let mut before = range.end - 1;
            let mut exit = None;
            for i in range {
                let b = pieces.edges[i].start();
                let b_is_left = ahead.perp_dot(b - from) > 0.0;
                if b_is_left && !a_is_left {
                    // The goal must lie beyond.
                    exit = ((b - a).perp_dot(to - a) <= 0.0).then_some(before);
                    break;
                }
                (a, a_is_left, before) = (b, b_is_left, i);
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
