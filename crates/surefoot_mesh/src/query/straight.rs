//! Is the goal in plain sight?
//!
//! In go start and goal; out comes the corridor under the straight line between them, if the line
//! crosses nothing but open portals. No path is shorter than that, so neither search has to begin;
//! and where something is in the way the walk has ended after a few pieces.

use super::filter::Tables;
use super::search::{Crossing, Search};
use crate::ground::Surface;
use crate::pieces::NONE;

impl Search {
    /// Walks straight to the goal after [`Search::begin`]. Returns whether it was reached; if so the
    /// corridor is found.
    pub(crate) fn walk_straight(&mut self, mesh: Surface<'_>, tables: &Tables) -> bool {
        if !tables.is_uniform() || tables.least_factor < 1.0 {
            return false;
        }
        let pieces = &mesh.pieces;
        let (from, to) = (self.start, self.goal);
        let ahead = to - from;
        let mut piece = self.start_piece;
        // A line leaves every piece behind, whatever rounding does.
        for _ in 0..pieces.piece_count() {
            let range = pieces.range(piece);
            // Around a convex piece the line is left where corners pass from its right to its left.
            let last = pieces.edges[range.end - 1].start();
            let (mut a, mut a_is_left) = (last, ahead.perp_dot(last - from) > 0.0);
            let mut exit = range.end - 1;
            let mut found = false;
            for i in range {
                let b = pieces.edges[i].start();
                let b_is_left = ahead.perp_dot(b - from) > 0.0;
                if b_is_left && !a_is_left {
                    found = true;
                    // The goal must lie beyond.
                    if (b - a).perp_dot(to - a) > 0.0 {
                        found = false;
                    }
                    break;
                }
                (a, a_is_left, exit) = (b, b_is_left, i);
            }
            let edge = &pieces.edges[exit];
            if !found || edge.twin == NONE || !tables.is_open(edge.twin_piece) {
                break;
            }
            self.corridor.push(Crossing::portal(exit as u32));
            piece = edge.twin_piece;
            if piece == self.goal_piece {
                self.is_straight = true;
                return true;
            }
        }
        self.corridor.clear();
        false
    }
}
