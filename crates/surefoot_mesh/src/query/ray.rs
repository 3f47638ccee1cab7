//! Straight lines over the surface: how far one gets, and sliding along what is in the way.
//!
//! In go a place and a direction in plan; out comes where the line ends: at its target, or at a
//! wall (an edge without a neighbour, or with one that the filter leaves out). A walker goes from
//! piece to piece through the edge or around the vertex it leaves by; in a convex piece there is one.
//! A line that touches a wall and does not cross it goes on. Links are not taken. Sliding follows the wall as far as that brings the walker nearer to its target, and
//! leaves it where the ground opens.

use super::filter::Tables;
use super::locate::Place;
use super::query_mesh::QueryMesh;
use crate::pieces::{NONE, Pieces};
use glam::DVec2;

/// How far beside a wall or a vertex a line may lie and still run along it or meet it, in metres:
/// more than rounding into the user's frame and back moves a point within 100 km of its origin, and far
/// less than the lattice resolves.
const TOUCH_M: f64 = 1e-8;

/// Shorter moves along a wall are none, in metres.
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

/// A straight line in plan, as far as its end.
struct StraightLine {
    from: DVec2,
    /// The direction, of unit length.
    ahead: DVec2,
    length_m: f64,
}

/// Where a line leaves a piece.
enum Exit {
    /// Through an edge, between its ends.
    Edge(usize),
    /// At the vertex where this edge starts.
    Vertex(usize),
}

impl StraightLine {
    /// The line between two points; `None` where they are one.
    fn new(from: DVec2, to: DVec2) -> Option<Self> {
        let length_m = from.distance(to);
        let ahead = (to - from) / length_m;
        ahead.is_finite().then_some(Self { from, ahead, length_m })
    }

    /// How far to the left of the line a point lies, in metres; zero where it is on it but for
    /// rounding.
    #[inline]
    fn side(&self, p: DVec2) -> f64 {
        let side = self.ahead.perp_dot(p - self.from);
        if side.abs() <= TOUCH_M { 0.0 } else { side }
    }

    /// How far along the line a point lies, in metres.
    #[inline]
    fn progress(&self, p: DVec2) -> f64 {
        self.ahead.dot(p - self.from)
    }

    /// Where the line leaves a convex piece that it crosses or touches: how, where, and how far along
    /// the line.
    fn exit(&self, pieces: &Pieces, piece: u32) -> Option<(Exit, DVec2, f64)> {
        let range = pieces.range(piece);
        let mut best: Option<(Exit, DVec2, f64)> = None;
        let mut put = |exit, at, progress: f64| {
            if best.as_ref().is_none_or(|b| progress > b.2) {
                best = Some((exit, at, progress));
            }
        };
        let last = range.end - 1;
        let mut a = pieces.edges[last].start();
        let (mut side_a, mut before) = (self.side(a), last);
        for i in range {
            let b = pieces.edges[i].start();
            let side_b = self.side(b);
            if side_b.abs() <= 0.0 {
                put(Exit::Vertex(i), b, self.progress(b));
            } else if side_a < 0.0 && side_b > 0.0 {
                let at = a + (b - a) * (side_a / (side_a - side_b));
                put(Exit::Edge(before), at, self.progress(at));
            }
            (a, side_a, before) = (b, side_b, i);
        }
        best
    }

    /// Whether the line goes on into the piece that has a corner where `edge` starts, or along one
    /// of the two edges that meet there.
    fn enters(&self, pieces: &Pieces, edge: u32, vertex: DVec2) -> bool {
        let (_, out) = pieces.segment(edge);
        let back = pieces.edges[pieces.previous(edge) as usize].start();
        let (side_out, side_back) = (self.side(out), self.side(back));
        let is_ahead = |p: DVec2| self.ahead.dot(p - vertex) > 0.0;
        (side_out < 0.0 && side_back > 0.0)
            || (side_out.abs() <= 0.0 && is_ahead(out))
            || (side_back.abs() <= 0.0 && is_ahead(back))
    }
}

/// The edge that starts at the same vertex in the next piece around it, if the way there is open.
#[inline]
fn around_vertex(pieces: &Pieces, tables: &Tables, edge: u32, clockwise: bool) -> Option<u32> {
    let through = if clockwise { edge } else { pieces.previous(edge) };
    if !passable(pieces, tables, through as usize) {
        return None;
    }
    let twin = pieces.edges[through as usize].twin;
    Some(if clockwise { pieces.next(twin) } else { twin })
}

/// Finds the piece into which a line goes on from a vertex: the edge that starts at the vertex there,
/// which way around it lies, and how many pieces on.
fn turn_into(
    pieces: &Pieces,
    tables: &Tables,
    line: &StraightLine,
    edge: u32,
    vertex: DVec2,
) -> Option<(u32, bool, usize)> {
    for clockwise in [false, true] {
        let mut at = edge;
        let mut count = 0;
        while let Some(next) = around_vertex(pieces, tables, at, clockwise) {
            count += 1;
            if next == edge || count > pieces.edges.len() {
                break;
            }
            if line.enters(pieces, next, vertex) {
                return Some((next, clockwise, count));
            }
            at = next;
        }
    }
    None
}

/// The wall that stops a line at a vertex. Of the two that end there the one that is in the way and
/// leads farther on.
fn wall_at_vertex(pieces: &Pieces, tables: &Tables, line: &StraightLine, edge: u32) -> u32 {
    let walls = [true, false].map(|clockwise| {
        let mut at = edge;
        for _ in 0..pieces.edges.len() {
            match around_vertex(pieces, tables, at, clockwise) {
                Some(next) if next != edge => at = next,
                _ => break,
            }
        }
        if clockwise { at } else { pieces.previous(at) }
    });
    // The first starts at the vertex and the second ends there; the ground lies to their left.
    let along = walls.map(|wall| {
        let (a, b) = pieces.segment(wall);
        (b - a).normalize_or_zero()
    });
    let is_in_the_way = along.map(|along| along.perp().dot(line.ahead) < 0.0);
    let leads_on = [along[0].dot(line.ahead), -along[1].dot(line.ahead)];
    let first = match is_in_the_way {
        [true, false] => true,
        [false, true] => false,
        _ => leads_on[0] >= leads_on[1],
    };
    walls[usize::from(!first)]
}

/// Walks straight from a place of a piece towards `to`; `enter` is told every piece entered.
///
/// A line that only touches a wall goes on: one that runs along it, or meets a vertex and finds open
/// ground straight behind it. On a wall is what lies within [`TOUCH_M`] of it.
pub(crate) fn walk(
    mesh: QueryMesh<'_>,
    tables: &Tables,
    piece: u32,
    from: DVec2,
    to: DVec2,
    mut enter: impl FnMut(u32),
) -> RayEnd {
    let pieces = &mesh.pieces;
    let Some(line) = StraightLine::new(from, to) else {
        return RayEnd { piece, at: to, wall: None };
    };
    let mut piece = piece;
    let mut reached = from;
    // A line enters a piece once; a few more steps turn around vertices that it meets.
    for _ in 0..4 * pieces.piece_count() + 16 {
        let Some((exit, at, progress)) = line.exit(pieces, piece) else {
            // Only if the line has been put beside the piece: there it ends.
            return RayEnd { piece, at: pieces.closest(piece, reached), wall: None };
        };
        if progress >= line.length_m - TOUCH_M {
            return RayEnd { piece, at: to, wall: None };
        }
        reached = at;
        match exit {
            Exit::Edge(edge) if passable(pieces, tables, edge) => {
                piece = pieces.edges[edge].twin_piece;
                enter(piece);
            }
            Exit::Edge(edge) => return RayEnd { piece, at, wall: Some(edge as u32) },
            Exit::Vertex(edge) => {
                let mut edge = edge as u32;
                let Some((_, clockwise, count)) = turn_into(pieces, tables, &line, edge, at) else {
                    let wall = wall_at_vertex(pieces, tables, &line, edge);
                    let piece = pieces.edge_pieces[wall as usize];
                    return RayEnd { piece, at, wall: Some(wall) };
                };
                for _ in 0..count {
                    edge = around_vertex(pieces, tables, edge, clockwise).unwrap_or(edge);
                    piece = pieces.edge_pieces[edge as usize];
                    enter(piece);
                }
            }
        }
    }
    RayEnd { piece, at: pieces.closest(piece, reached), wall: None }
}

/// Moves from a place towards `to`, sliding along walls. Returns where that ends and whether a wall
/// was touched.
pub(crate) fn slide(
    mesh: QueryMesh<'_>,
    tables: &Tables,
    start: Place,
    to: DVec2,
) -> (RayEnd, bool) {
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
    mesh: QueryMesh<'_>,
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
