//! Joining the parts that are left into pieces with neighbours.
//!
//! In go the parts of all pieces, whose edges know what they lie on; out come [`Pieces`]. Parts are
//! neighbours where their edges overlap on the same cut, or on the two sides of the same edge of
//! the mesh: on every such line the edges of one side are laid over those of the other, and every
//! overlap becomes an edge of both. What is left over is a wall.

use super::carve::{Carved, Support};
use super::effort::{Effort, TooMuchWork};
use crate::data::NO_EDGE;
use crate::mesh::NavMesh;
use crate::pieces::{LinkSample, NONE, PieceParts, Pieces};
use crate::validate::LINK_PLAN_TOLERANCE_M;
use glam::DVec2;

/// Overlaps shorter than this are none, in metres.
const SHORT_M: f64 = 1e-8;

/// How far beyond the distance the ground before a link may begin, in metres.
const LINK_SLACK_M: f64 = LINK_PLAN_TOLERANCE_M;

/// An edge of a part on its line.
struct Span {
    line: (u32, u32),
    /// Which side of the line the part lies on.
    is_left: bool,
    low: f64,
    high: f64,
    low_point: DVec2,
    high_point: DVec2,
    part: u32,
    edge: u32,
}

/// A stretch that edges of two parts have in common, from the low end to the high end of its line.
#[derive(Clone, Copy)]
struct Overlap {
    part: u32,
    edge: u32,
    low: f64,
    low_point: DVec2,
    high_point: DVec2,
    /// Both sides of an overlap share a number.
    number: u32,
}

/// Makes pieces of the parts.
pub(super) fn join(
    mesh: &NavMesh,
    distance_m: f64,
    carved: Carved,
    effort: &mut Effort,
) -> Result<Pieces, TooMuchWork> {
    let base = &mesh.ground.pieces;
    let overlaps = find_overlaps(base, &carved);
    let mut parts = PieceParts::default();
    let mut sides: Vec<[u32; 2]> = Vec::new();
    let mut rest = &overlaps[..];
    for (number, (piece, part)) in carved.parts.iter().enumerate() {
        parts.begin_piece(base.cells[*piece as usize], base.planes[*piece as usize]);
        for (edge, (&start, &support)) in part.points.iter().zip(&part.supports).enumerate() {
            let count = rest
                .iter()
                .take_while(|o| (o.part, o.edge) == (number as u32, edge as u32))
                .count();
            let (own, others) = rest.split_at(count);
            rest = others;
            let end = part.points[(edge + 1) % part.points.len()];
            let mesh_edge = match support {
                Support::Edge(e) => base.mesh_edges[e as usize],
                Support::Cut(_) => NO_EDGE,
            };
            let mut push = |at: DVec2, overlap: Option<u32>| {
                let index = parts.push_edge(at, base.height(*piece, at) as f32, mesh_edge);
                if let Some(number) = overlap {
                    if sides.len() <= number as usize {
                        sides.resize(number as usize + 1, [NONE; 2]);
                    }
                    let pair = &mut sides[number as usize];
                    pair[usize::from(pair[0] != NONE)] = index;
                }
            };
            // Along the edge, stretches in common and walls take turns.
            let runs_up = (end - start).dot(line_of(base, &carved, support).1) > 0.0;
            let mut at = start;
            let mut place = |o: &Overlap| {
                let (from, to) =
                    if runs_up { (o.low_point, o.high_point) } else { (o.high_point, o.low_point) };
                if from.distance(at) > SHORT_M {
                    push(at, None);
                    at = from;
                }
                push(at, Some(o.number));
                at = to;
            };
            if runs_up {
                own.iter().for_each(&mut place);
            } else {
                own.iter().rev().for_each(&mut place);
            }
            if own.is_empty() || at.distance(end) > SHORT_M {
                push(at, None);
            }
        }
    }
    for [a, b] in sides {
        if a != NONE && b != NONE {
            parts.pair(a, b);
        }
    }
    let mut pieces = Pieces::from_parts(parts, mesh.cell_count());
    pieces.only_ground = mesh.ground.pieces.only_ground;
    let samples = reachable_links(mesh, &pieces, distance_m, effort)?;
    pieces.set_link_samples(samples);
    Ok(pieces)
}

/// The line that an edge lies on, as a point and a direction of unit length.
fn line_of(base: &Pieces, carved: &Carved, support: Support) -> (DVec2, DVec2) {
    match support {
        Support::Cut(k) => {
            let cut = carved.cuts[k as usize];
            (cut.at, cut.along)
        }
        Support::Edge(e) => {
            let twin = base.edges[e as usize].twin;
            let (a, b) = base.segment(if twin == NONE { e } else { e.min(twin) });
            (a, (b - a).normalize())
        }
    }
}

/// Finds all stretches that edges have in common, sorted by part, edge and place.
fn find_overlaps(base: &Pieces, carved: &Carved) -> Vec<Overlap> {
    let mut spans = Vec::new();
    for (number, (_, part)) in carved.parts.iter().enumerate() {
        for (edge, (&start, &support)) in part.points.iter().zip(&part.supports).enumerate() {
            let line = match support {
                Support::Cut(k) => (1, k),
                Support::Edge(e) => {
                    let twin = base.edges[e as usize].twin;
                    if twin == NONE {
                        continue;
                    }
                    (0, e.min(twin))
                }
            };
            let (at, along) = line_of(base, carved, support);
            let end = part.points[(edge + 1) % part.points.len()];
            let (from, to) = ((start - at).dot(along), (end - at).dot(along));
            let is_left = to > from;
            let (low, high) = if is_left { (from, to) } else { (to, from) };
            let (low_point, high_point) = if is_left { (start, end) } else { (end, start) };
            spans.push(Span {
                line,
                is_left,
                low,
                high,
                low_point,
                high_point,
                part: number as u32,
                edge: edge as u32,
            });
        }
    }
    spans.sort_by(|a, b| {
        (a.line, a.is_left).cmp(&(b.line, b.is_left)).then(a.low.total_cmp(&b.low))
    });
    let mut overlaps = Vec::new();
    let mut number = 0;
    let mut rest = &spans[..];
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|s| s.line == first.line).count();
        let (group, others) = rest.split_at(count);
        rest = others;
        let (right, left) = group.split_at(group.partition_point(|s| !s.is_left));
        let (mut i, mut j) = (0, 0);
        while let (Some(a), Some(b)) = (right.get(i), left.get(j)) {
            let (low, low_point) =
                if a.low >= b.low { (a.low, a.low_point) } else { (b.low, b.low_point) };
            let (high, high_point) =
                if a.high <= b.high { (a.high, a.high_point) } else { (b.high, b.high_point) };
            if high - low > SHORT_M {
                for s in [a, b] {
                    let (part, edge) = (s.part, s.edge);
                    overlaps.push(Overlap { part, edge, low, low_point, high_point, number });
                }
                number += 1;
            }
            if a.high <= b.high {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    overlaps.sort_by(|a, b| (a.part, a.edge).cmp(&(b.part, b.edge)).then(a.low.total_cmp(&b.low)));
    overlaps
}

/// The links that are left: taken where the agent fits between the ends of their segments, from
/// the nearest ground that is left. Links usually begin at a border, so that ground is `distance_m`
/// away.
fn reachable_links(
    mesh: &NavMesh,
    pieces: &Pieces,
    distance_m: f64,
    effort: &mut Effort,
) -> Result<Vec<LinkSample>, TooMuchWork> {
    let base = &mesh.ground.pieces;
    let near = |cell: u32, p: DVec2| {
        let mut best = (distance_m + LINK_SLACK_M, NONE, p);
        for &piece in pieces.of_cell(cell) {
            let q = pieces.closest(piece, p);
            let d = q.distance(p);
            if d < best.0 {
                best = (d, piece, q);
            }
        }
        (best.1 != NONE).then_some((best.1, best.2, best.0))
    };
    let plan = |p: [f32; 3]| DVec2::new(f64::from(p[0]), f64::from(p[1]));
    let mut samples = Vec::new();
    for s in &base.link_samples {
        let link = &mesh.links()[s.link as usize];
        let width = |segment: [[f32; 3]; 2]| plan(segment[0]).distance(plan(segment[1]));
        let narrower = width(link.from_segment).min(width(link.to_segment));
        if s.share.min(1.0 - s.share) * narrower < distance_m {
            continue;
        }
        let cell = |piece: u32| base.cells[piece as usize];
        let (from_cell, to_cell) = (cell(s.from_piece), cell(s.to_piece));
        for &piece in pieces.of_cell(from_cell).iter().chain(pieces.of_cell(to_cell)) {
            effort.spend(pieces.range(piece).len())?;
        }
        let from = near(from_cell, s.from);
        let to = near(to_cell, s.to);
        if let (Some((from_piece, from, before_m)), Some((to_piece, to, after_m))) = (from, to) {
            let length_m = s.length_m + before_m + after_m;
            samples.push(LinkSample {
                from_piece,
                to_piece,
                from,
                to,
                length_m,
                block: NONE,
                ..*s
            });
        }
    }
    Ok(samples)
}
