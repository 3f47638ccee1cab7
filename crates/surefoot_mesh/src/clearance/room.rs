//! How much room there can be at most.
//!
//! In go the pieces of a mesh; out comes for each a distance that no place of it is beyond from a
//! wall. A wall of a piece bounds it by the corner farthest from the wall; what a piece has no more
//! than bounds its neighbours, since a step of one metre leads at most one metre away from the
//! walls. So the least of all bounds is found as shortest ways are (Dijkstra 1959).
//!
//! Two things follow. A piece with less room than a distance is blocked as a whole, however many
//! walls there are. And a line from a wall that comes to a piece from farther away than there is room
//! in it ends there: every place on it is nearer to some other wall, and so is all that lies beyond.
//! That bounds the work by the mesh, whatever the distance. Where there is more room than anything
//! reaches it does not matter how much, so for a small distance only what lies along walls is visited.

use crate::pieces::{NONE, Pieces, closest_on_segment};
use glam::DVec2;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The share by which a bound is taken larger than it was worked out to be, far more than rounding.
const ROUNDING: f64 = 1e-9;

/// The same as a length, in metres: how far pieces may be from convex, and more.
const SLACK_M: f64 = 1e-3;

/// Pieces of so many corners are measured from corner to corner.
const FEW_CORNERS: usize = 16;

/// The most room that each piece can have, in metres.
pub(super) struct Room {
    most_m: Vec<f64>,
}

impl Room {
    /// Bounds the room of every piece that has less of it than a reach; others count as boundless.
    pub(super) fn find(pieces: &Pieces, reach_m: f64) -> Self {
        let sizes = Sizes::new(pieces);
        let mut most_m = vec![f64::INFINITY; pieces.piece_count()];
        // Lengths are not below zero, so their bits are in order.
        let mut waiting = BinaryHeap::new();
        for (edge, e) in (0_u32..).zip(&pieces.edges) {
            if e.twin == NONE {
                let piece = pieces.edge_pieces[edge as usize];
                let bound = sizes.farthest_from(piece, edge);
                if bound < most_m[piece as usize].min(reach_m) {
                    most_m[piece as usize] = bound;
                    waiting.push(Reverse((bound.to_bits(), piece)));
                }
            }
        }
        while let Some(Reverse((bits, piece))) = waiting.pop() {
            let own = f64::from_bits(bits);
            if own > most_m[piece as usize] {
                continue;
            }
            for i in pieces.range(piece) {
                let edge = &pieces.edges[i];
                let other = edge.twin_piece;
                // There is no work where the bound cannot become less.
                if edge.twin == NONE || most_m[other as usize] <= own {
                    continue;
                }
                let bound = own + sizes.farthest_from(other, edge.twin);
                if bound < most_m[other as usize].min(reach_m) {
                    most_m[other as usize] = bound;
                    waiting.push(Reverse((bound.to_bits(), other)));
                }
            }
        }
        for most in &mut most_m {
            *most = *most * (1.0 + ROUNDING) + SLACK_M;
        }
        Self { most_m }
    }

    /// No place of a piece is farther than this from a wall, in metres.
    pub(super) fn most_m(&self, piece: u32) -> f64 {
        self.most_m[piece as usize]
    }

    /// Whether all of a piece lies nearer to walls than a distance.
    pub(super) fn is_shut(&self, piece: u32, distance_m: f64) -> bool {
        self.most_m[piece as usize] < distance_m
    }
}

/// What distances within pieces are measured by.
struct Sizes<'a> {
    pieces: &'a Pieces,
    /// The boxes around pieces of many corners, low and high.
    boxes: Vec<[DVec2; 2]>,
}

impl<'a> Sizes<'a> {
    fn new(pieces: &'a Pieces) -> Self {
        let around = |piece| {
            if pieces.range(piece).len() <= FEW_CORNERS {
                return [DVec2::ZERO; 2];
            }
            let corners = pieces.range(piece).map(|i| pieces.edges[i].start());
            let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
            corners.fold(empty, |[low, high], p| [low.min(p), high.max(p)])
        };
        Self { pieces, boxes: (0..pieces.piece_count() as u32).map(around).collect() }
    }

    /// No place of a piece is farther than this from one of its edges, in metres. Where there are
    /// many corners, each of which may be asked about each edge, the piece is taken for its box.
    fn farthest_from(&self, piece: u32, edge: u32) -> f64 {
        let (a, b) = self.pieces.segment(edge);
        let away2 = |p: DVec2| closest_on_segment(a, b, p).distance_squared(p);
        let range = self.pieces.range(piece);
        let farthest2 = if range.len() <= FEW_CORNERS {
            range.map(|i| away2(self.pieces.edges[i].start())).fold(0.0, f64::max)
        } else {
            let [low, high] = self.boxes[piece as usize];
            let corners = [low, high, DVec2::new(low.x, high.y), DVec2::new(high.x, low.y)];
            corners.map(away2).into_iter().fold(0.0, f64::max)
        };
        farthest2.sqrt()
    }
}
