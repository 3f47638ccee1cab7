//! Straight lines over the surface: how far one gets, and sliding along what is in the way.
//!
//! In go a place and a direction in plan; out comes where the line ends: at its target, or at a
//! wall (an edge without a neighbour, or with one that the filter leaves out). A walker goes from
//! piece to piece through the edge it leaves by; in a convex piece there is one. Links are not
//! taken. Sliding follows the wall as far as that brings the walker nearer to its target, and
//! leaves it where the ground opens.

use super::filter::Tables;
use super::locate::Place;
use crate::ground::Surface;
use crate::pieces::{NONE, Pieces};
use glam::DVec2;

/// Within this distance of a vertex a line passes on either side of it, in metres.
const VERTEX_SLACK_M: f64 = 1e-9;

/// The most walls that one move slides along.
const MAX_SLIDES: usize = 64;

/// Where a straight line over the surface ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayEnd {
    pub(crate) piece: u32,
    pub(crate) at: DVec2,
    /// The edge that stopped it.
    pub(crate) wall: Option<u32>,
}

/// Whether an edge can be crossed.
#[inline]
pub(crate) fn passable(pieces: &Pieces, tables: &Tables, edge: usize) -> bool {
    let e = &pieces.edges[edge];
    e.twin != NONE && tables.is_open(e.twin_piece)
}

/// Walks straight from a place of a piece towards `to`; `enter` is told every piece entered.
pub(crate) fn walk(
    mesh: Surface<'_>,
    tables: &Tables,
    piece: u32,
    from: DVec2,
    to: DVec2,
    mut enter: impl FnMut(u32),
) -> RayEnd {
    let pieces = &mesh.pieces;
    let d = to - from;
    let mut piece = piece;
    let mut entry = usize::MAX;
    let mut done_share = 0.0_f64;
    // A line enters a piece once; a few more steps turn around vertices that it meets exactly.
    let mut steps_left = 4 * pieces.piece_count() + 16;
    loop {
        let range = pieces.range(piece);
        let following = |i: usize| if i + 1 == range.end { range.start } else { i + 1 };
        // The edge with its start on the right and its end on the left of the line.
        let mut exit = None;
        for i in range.clone() {
            let (a, b) = (pieces.edges[i].start(), pieces.edges[following(i)].start());
            let (side_a, side_b) = (d.perp_dot(a - from), d.perp_dot(b - from));
            if side_a <= 0.0 && side_b > 0.0 && i != entry {
                let at = a + (b - a) * (side_a / (side_a - side_b));
                let share = (at - from).dot(d);
                if exit.is_none_or(|(_, _, best)| share > best) {
                    exit = Some((i, at, share));
                }
            }
        }
        let Some((mut edge, at, share)) = exit else {
            // Only a line of no length, or one that rounding has put beside the piece.
            let end = if pieces.closest(piece, to) == to {
                to
            } else {
                pieces.closest(piece, from + d * done_share)
            };
            return RayEnd { piece, at: end, wall: None };
        };
        if share >= d.length_squared() {
            return RayEnd { piece, at: to, wall: None };
        }
        done_share = done_share.max(share / d.length_squared());
        steps_left -= 1;
        if !passable(pieces, tables, edge) {
            // At a vertex the edge on its other side may be open: the line only touches the wall.
            let length = d.length();
            let next = following(edge);
            let before = if edge == range.start { range.end - 1 } else { edge - 1 };
            let near = |v: DVec2| v.distance(at) <= VERTEX_SLACK_M.max(length * 1e-12);
            if near(pieces.edges[edge].start())
                && before != entry
                && passable(pieces, tables, before)
            {
                edge = before;
            } else if near(pieces.edges[next].start())
                && next != entry
                && passable(pieces, tables, next)
            {
                edge = next;
            } else {
                return RayEnd { piece, at, wall: Some(edge as u32) };
            }
        }
        if steps_left == 0 {
            return RayEnd { piece, at, wall: Some(edge as u32) };
        }
        entry = pieces.edges[edge].twin as usize;
        piece = pieces.edges[edge].twin_piece;
        enter(piece);
    }
}

/// Moves from a place towards `to`, sliding along walls. Returns where that ends and whether a wall
/// was touched.
pub(crate) fn slide(mesh: Surface<'_>, tables: &Tables, start: Place, to: DVec2) -> (RayEnd, bool) {
    let pieces = &mesh.pieces;
    let mut end = walk(mesh, tables, start.piece, start.plan, to, |_| {});
    let mut touched = false;
    for _ in 0..MAX_SLIDES {
        let Some(wall) = end.wall else { break };
        touched = true;
        let (a, b) = pieces.segment(wall);
        let along = (b - a).normalize();
        let wish = (to - end.at).dot(along);
        let ahead = wish > 0.0;
        let vertex = if ahead { b } else { a };
        let room = end.at.distance(vertex);
        if wish.abs() <= VERTEX_SLACK_M {
            break;
        }
        if wish.abs() <= room {
            end = RayEnd { at: end.at + along * wish, wall: None, ..end };
            break;
        }
        end = turn_at(mesh, tables, wall, ahead, vertex, to);
        if end.wall.is_some_and(|w| {
            // The next wall must lead on, not back.
            let (a, b) = pieces.segment(w);
            let along = if ahead { b - a } else { a - b };
            end.at == vertex && along.dot(to - vertex) <= 0.0
        }) {
            break;
        }
    }
    (end, touched)
}

/// Goes on from the end of a wall: straight towards `to` where the ground opens that way, or along
/// the next wall.
fn turn_at(
    mesh: Surface<'_>,
    tables: &Tables,
    wall: u32,
    ahead: bool,
    vertex: DVec2,
    to: DVec2,
) -> RayEnd {
    let pieces = &mesh.pieces;
    let d = to - vertex;
    let mut edge = wall;
    // Around the vertex from piece to piece, to the other wall that ends there.
    for _ in 0..pieces.edges.len() {
        let piece = pieces.edge_pieces[edge as usize];
        let range = pieces.range(piece);
        let other = if ahead {
            pieces.next(edge)
        } else if edge as usize == range.start {
            range.end as u32 - 1
        } else {
            edge - 1
        };
        let (out, back) = if ahead { (other, edge) } else { (edge, other) };
        // The wedge of the piece at the vertex, from the edge that leaves to the one that comes in.
        let (_, out_to) = pieces.segment(out);
        let (back_from, _) = pieces.segment(back);
        let (first, last) = (out_to - vertex, back_from - vertex);
        if first.perp_dot(d) > 0.0 && d.perp_dot(last) > 0.0 {
            return walk(mesh, tables, piece, vertex, to, |_| {});
        }
        if !passable(pieces, tables, other as usize) {
            return RayEnd { piece, at: vertex, wall: Some(other) };
        }
        edge = pieces.edges[other as usize].twin;
    }
    RayEnd { piece: pieces.edge_pieces[wall as usize], at: vertex, wall: Some(wall) }
}
