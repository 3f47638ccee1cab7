//! Follows the pieces that bound a result to the contours of polygons.
//!
//! Goes in: pieces that meet at their ends alone, from left to right and from bottom to top, each with the
//! inside on one side. Comes out: the contours of each polygon, its outline first. From the leftmost
//! piece that no contour has, the topmost at its point says what begins there: an outline where the
//! inside lies below it, a hole where it lies above.

use super::pieces::{Fine, FineContour, Piece, turn};
use std::cmp::Ordering;

/// Follows the pieces that bound a result to contours.
#[derive(Default)]
pub(super) struct Tracer {
    /// The ends of pieces by point: the piece, and whether it starts there.
    ends: Vec<(Fine, u32)>,
    /// Where the ends of each node begin, and where the last one's end.
    nodes: Vec<u32>,
    /// The nodes of the two ends of each piece.
    node_of: Vec<[u32; 2]>,
    /// The contour of each piece.
    contour_of: Vec<u32>,
}

/// A piece that no contour has yet.
const UNSEEN: u32 = u32::MAX;

impl Tracer {
    /// Contours of polygons from (sorted) pieces, each outline with its holes.
    pub(super) fn trace(&mut self, pieces: &[Piece]) -> Vec<Vec<FineContour>> {
        self.connect(pieces);
        // The contours, and which piece at the leftmost point of a hole is the lowest.
        let mut contours: Vec<(FineContour, Option<u32>)> = Vec::new();
        for i in 0..pieces.len() {
            // The topmost one at this point: later ones lie above.
            while self.contour_of[i] == UNSEEN {
                let here = (i..pieces.len()).take_while(|&k| pieces[k].a == pieces[i].a);
                let top = here.filter(|&k| self.contour_of[k] == UNSEEN).last().unwrap_or(i);
                let is_hole = pieces[top].inside_above;
                let contour = self.follow(pieces, top as u32, contours.len() as u32, is_hole);
                let of = contours.len() as u32;
                let lowest = (i..=top).find(|&k| self.contour_of[k] == of).unwrap_or(top);
                contours.push((contour, is_hole.then_some(lowest as u32)));
            }
        }
        let mut shape_of: Vec<usize> = Vec::with_capacity(contours.len());
        let mut count = 0;
        for (_, hole) in &contours {
            shape_of.push(count);
            count += usize::from(hole.is_none());
        }
        let mut shapes: Vec<Vec<FineContour>> = vec![Vec::new(); count];
        let parents: Vec<usize> = contours
            .iter()
            .enumerate()
            .map(|(c, (_, hole))| match hole {
                None => shape_of[c],
                Some(_) if count == 1 => 0,
                Some(lowest) => shape_of[self.outline_around(pieces, &contours, *lowest)],
            })
            .collect();
        // Outlines come first in their shapes.
        let (outlines, holes): (Vec<_>, Vec<_>) =
            contours.into_iter().zip(parents).partition(|((_, hole), _)| hole.is_none());
        for ((contour, _), shape) in outlines.into_iter().chain(holes) {
            shapes[shape].push(contour);
        }
        shapes
    }

    /// Numbers the points where pieces end.
    fn connect(&mut self, pieces: &[Piece]) {
        self.ends.clear();
        for (i, p) in pieces.iter().enumerate() {
            self.ends.extend([(p.a, 2 * i as u32), (p.b, 2 * i as u32 + 1)]);
        }
        self.ends.sort_unstable();
        self.nodes.clear();
        self.node_of.clear();
        self.node_of.resize(pieces.len(), [0; 2]);
        self.contour_of.clear();
        self.contour_of.resize(pieces.len(), UNSEEN);
        for (k, &(at, end)) in self.ends.iter().enumerate() {
            if k == 0 || self.ends[k - 1].0 != at {
                self.nodes.push(k as u32);
            }
            self.node_of[end as usize / 2][end as usize % 2] = self.nodes.len() as u32 - 1;
        }
        self.nodes.push(self.ends.len() as u32);
    }

    /// The contour from a piece: an outline to the left along it, a hole to the right.
    fn follow(&mut self, pieces: &[Piece], start: u32, of: u32, is_hole: bool) -> FineContour {
        let mut contour = FineContour::new();
        let goal = self.node_of[start as usize][usize::from(!is_hole)];
        let (mut piece, mut forwards) = (start, is_hole);
        let last = self.next(pieces, start, goal, is_hole);
        loop {
            let Piece { a, b, label, .. } = pieces[piece as usize];
            contour.push((if forwards { a } else { b }, label));
            self.contour_of[piece as usize] = of;
            if piece == last && contour.len() > 1 || contour.len() > pieces.len() {
                return contour;
            }
            let node = self.node_of[piece as usize][usize::from(forwards)];
            let next = self.next(pieces, piece, node, !is_hole);
            if next == UNSEEN {
                return contour;
            }
            forwards = self.node_of[next as usize][0] == node;
            piece = next;
        }
    }

    /// The piece that comes first, turning around a node from another one; none if there is no other.
    fn next(&self, pieces: &[Piece], from: u32, node: u32, clockwise: bool) -> u32 {
        let range = self.nodes[node as usize] as usize..self.nodes[node as usize + 1] as usize;
        let others = self.ends[range].iter().map(|e| e.1 / 2);
        let mut others = others.filter(|&p| p != from && self.contour_of[p as usize] == UNSEEN);
        let Some(first) = others.next() else { return UNSEEN };
        let Some(second) = others.next() else { return first };
        let (centre, away) = self.seen_from(pieces, from, node);
        let direction = |p: u32| self.seen_from(pieces, p, node).1;
        let nearer = |one: u32, two: u32| {
            let (p, q) = (direction(one), direction(two));
            if comes_first(centre, away, p, q) == clockwise { two } else { one }
        };
        others.fold(nearer(first, second), nearer)
    }

    /// A node, and the other end of a piece at it.
    fn seen_from(&self, pieces: &[Piece], piece: u32, node: u32) -> (Fine, Fine) {
        let Piece { a, b, .. } = pieces[piece as usize];
        if self.node_of[piece as usize][0] == node { (a, b) } else { (b, a) }
    }

    /// The outline of the polygon that a hole lies in, by what lies below its leftmost point.
    fn outline_around(
        &self,
        pieces: &[Piece],
        contours: &[(FineContour, Option<u32>)],
        lowest: u32,
    ) -> usize {
        let mut lowest = lowest as usize;
        loop {
            let at = pieces[lowest].a;
            let below = if lowest > 0 && pieces[lowest - 1].a == at {
                Some(lowest - 1)
            } else {
                let lies_below = |&k: &usize| {
                    let p = &pieces[k];
                    p.b > at && turn(p.a, p.b, at) == Ordering::Greater
                };
                (0..lowest).filter(lies_below).reduce(|one, two| {
                    // The second starts no earlier.
                    let (p, q) = (&pieces[one], &pieces[two]);
                    let end = if p.a == q.a { q.b } else { q.a };
                    if turn(p.a, p.b, end) == Ordering::Greater { two } else { one }
                })
            };
            // A hole lies in something: the inside is below it.
            let Some(below) = below else { return 0 };
            let contour = self.contour_of[below] as usize;
            match contours[contour].1 {
                None => return contour,
                // What bounds the same polygon from there begins farther down or farther left.
                Some(next) => lowest = (next as usize).min(below),
            }
        }
    }
}

/// Whether, turning counter-clockwise around a centre from one direction, `p` comes before `q`.
fn comes_first(centre: Fine, from: Fine, p: Fine, q: Fine) -> bool {
    // Half a turn is what lies to the left.
    let half = |d: Fine| match turn(centre, from, d) {
        Ordering::Greater => 0,
        Ordering::Equal => 1,
        Ordering::Less => 2,
    };
    match half(p).cmp(&half(q)) {
        Ordering::Equal => turn(centre, p, q) == Ordering::Greater,
        other => other == Ordering::Less,
    }
}
