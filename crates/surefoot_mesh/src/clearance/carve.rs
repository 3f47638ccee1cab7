//! Cutting what is blocked out of the pieces.
//!
//! In go pieces and convex obstacles; out come the convex parts that are left of every piece. An
//! obstacle is taken out by cutting along its lines one after another: what lies outside a line
//! stays, what is inside goes on to the next, and what is inside of all is dropped. Every edge of a
//! part remembers the edge of the piece or the cut that it lies on, by which the parts are joined
//! again.

use super::effort::{Effort, TooMuchWork};
use super::reach::{BorderLine, Obstacles};
use crate::pieces::Pieces;
use glam::DVec2;

/// How far from a line a point may lie and still be on it, in metres.
const ON_LINE_M: f64 = 1e-9;

/// What an edge of a part lies on: an edge of a piece, or a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Support {
    Edge(u32),
    Cut(u32),
}

/// A convex part of a piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) points: Vec<DVec2>,
    /// What the edge from each point to the next lies on.
    pub(super) supports: Vec<Support>,
}

/// What is left of all pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Carved {
    /// The parts, with the pieces they are of, in the pieces' order.
    pub(super) parts: Vec<(u32, Part)>,
    /// The cuts.
    pub(super) cuts: Vec<BorderLine>,
}

/// Takes the obstacles out of the pieces, and all of the pieces that `is_shut` names.
pub(super) fn carve(
    pieces: &Pieces,
    obstacles: &Obstacles,
    is_shut: impl Fn(u32) -> bool,
    effort: &mut Effort,
) -> Result<Carved, TooMuchWork> {
    let mut carved = Carved::default();
    let mut rest = obstacles.all();
    let mut parts: Vec<Part> = Vec::new();
    let mut next: Vec<Part> = Vec::new();
    let mut knife = Knife::default();
    for piece in 0..pieces.piece_count() as u32 {
        let count = rest.iter().take_while(|o| o.piece == piece).count();
        let (own, others) = rest.split_at(count);
        rest = others;
        if is_shut(piece) {
            continue;
        }
        parts.clear();
        parts.push(Part {
            points: pieces.range(piece).map(|i| pieces.edges[i].start()).collect(),
            supports: pieces.range(piece).map(|i| Support::Edge(i as u32)).collect(),
        });
        for obstacle in own {
            let lines = obstacles.lines(obstacle);
            let first_cut = carved.cuts.len() as u32;
            let mut used = false;
            next.clear();
            for part in parts.drain(..) {
                if knife.meets(&part, lines) {
                    used = true;
                    knife.take_out(part, lines, first_cut, &mut next);
                } else {
                    next.push(part);
                }
            }
            if used {
                carved.cuts.extend_from_slice(lines);
            }
            std::mem::swap(&mut parts, &mut next);
            effort.spend(std::mem::take(&mut knife.steps))?;
            if parts.is_empty() {
                break;
            }
        }
        carved.parts.extend(parts.drain(..).map(|part| (piece, part)));
    }
    Ok(carved)
}

/// Working memory of cutting.
#[derive(Default)]
struct Knife {
    /// Corners that were compared with a line since it was last asked.
    steps: usize,
    sides: Vec<f64>,
    a: Vec<DVec2>,
    b: Vec<DVec2>,
}

impl Knife {
    /// Whether a part and an obstacle have more in common than a border.
    fn meets(&mut self, part: &Part, lines: &[BorderLine]) -> bool {
        self.a.clear();
        self.a.extend_from_slice(&part.points);
        for line in lines {
            self.steps += self.a.len();
            let side = |p: DVec2| line.along.perp_dot(p - line.at);
            if self.a.iter().all(|&p| side(p) <= ON_LINE_M) {
                return false;
            }
            self.b.clear();
            for i in 0..self.a.len() {
                let (p, q) = (self.a[i], self.a[(i + 1) % self.a.len()]);
                let (side_p, side_q) = (side(p), side(q));
                if side_p >= 0.0 {
                    self.b.push(p);
                }
                if (side_p > 0.0 && side_q < 0.0) || (side_p < 0.0 && side_q > 0.0) {
                    self.b.push(p + (q - p) * (side_p / (side_p - side_q)));
                }
            }
            std::mem::swap(&mut self.a, &mut self.b);
        }
        true
    }

    /// Cuts a part along an obstacle's lines and keeps what lies outside.
    fn take_out(&mut self, part: Part, lines: &[BorderLine], first_cut: u32, kept: &mut Vec<Part>) {
        let mut inside = part;
        for (k, line) in lines.iter().enumerate() {
            self.steps += inside.points.len();
            self.sides.clear();
            self.sides.extend(inside.points.iter().map(|&p| {
                let side = line.along.perp_dot(p - line.at);
                if side.abs() <= ON_LINE_M { 0.0 } else { side }
            }));
            if self.sides.iter().all(|&s| s >= 0.0) {
                continue;
            }
            if self.sides.iter().all(|&s| s <= 0.0) {
                kept.push(inside);
                return;
            }
            let cut = Support::Cut(first_cut + k as u32);
            let outside = half(&inside, &self.sides, -1.0, cut);
            inside = half(&inside, &self.sides, 1.0, cut);
            if outside.points.len() > 2 {
                kept.push(outside);
            }
        }
    }
}

/// The half of a part on one side of a cut.
fn half(part: &Part, sides: &[f64], sign: f64, cut: Support) -> Part {
    let n = part.points.len();
    let mut result = Part::default();
    let mut push = |p: DVec2, support: Support| {
        result.points.push(p);
        result.supports.push(support);
    };
    for i in 0..n {
        let j = (i + 1) % n;
        let (p, q) = (part.points[i], part.points[j]);
        let (side_p, side_q) = (sign * sides[i], sign * sides[j]);
        let crossing = || p + (q - p) * (sides[i] / (sides[i] - sides[j]));
        if side_p >= 0.0 {
            // From a point on the cut to one beyond it, the half goes on along the cut.
            let leaves_on_cut = side_p <= 0.0 && side_q < 0.0;
            push(p, if leaves_on_cut { cut } else { part.supports[i] });
        }
        if side_p > 0.0 && side_q < 0.0 {
            push(crossing(), cut);
        } else if side_p < 0.0 && side_q > 0.0 {
            push(crossing(), part.supports[i]);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Part {
        Part {
            points: [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(DVec2::from).to_vec(),
            supports: (0..4).map(Support::Edge).collect(),
        }
    }

    fn area(part: &Part) -> f64 {
        let p = &part.points;
        (0..p.len()).map(|i| p[i].perp_dot(p[(i + 1) % p.len()])).sum::<f64>() * 0.5
    }

    /// A box as lines with the inside to their left.
    fn box_lines(low: [f64; 2], high: [f64; 2]) -> [BorderLine; 4] {
        [
            BorderLine { at: low.into(), along: DVec2::X },
            BorderLine { at: high.into(), along: DVec2::Y },
            BorderLine { at: high.into(), along: -DVec2::X },
            BorderLine { at: low.into(), along: -DVec2::Y },
        ]
    }

    #[test]
    fn what_is_left_has_the_rest_of_the_area_and_no_point_inside() {
        let lines = box_lines([1.0, 1.0], [2.0, 3.0]);
        let mut knife = Knife::default();
        assert!(knife.meets(&square(), &lines));
        let mut kept = Vec::new();
        knife.take_out(square(), &lines, 10, &mut kept);
        assert!((kept.iter().map(area).sum::<f64>() - 14.0).abs() < 1e-12);
        assert!(kept.iter().all(|p| area(p) > 0.0 && !knife.meets(p, &lines)));
        // Every cut is seen from both sides, except where nothing was left beyond it.
        let on = |k: u32| {
            kept.iter().flat_map(|p| &p.supports).filter(|&&s| s == Support::Cut(k)).count()
        };
        assert_eq!(kept.len(), 4);
        assert!((10..14).all(|k| on(k) >= 1));
    }

    #[test]
    fn obstacles_that_only_touch_take_nothing() {
        let mut knife = Knife::default();
        assert!(!knife.meets(&square(), &box_lines([4.0, 0.0], [5.0, 4.0])));
        assert!(!knife.meets(&square(), &box_lines([4.0, 4.0], [5.0, 5.0])));
        assert!(knife.meets(&square(), &box_lines([3.9, 3.9], [5.0, 5.0])));
        let mut kept = Vec::new();
        knife.take_out(square(), &box_lines([-1.0, -1.0], [5.0, 5.0]), 0, &mut kept);
        assert!(kept.is_empty());
    }
}
