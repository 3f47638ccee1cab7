//! What lies over a column: triangles and edges of ground, with their heights there and the pixels that their
//! extents reach, and how they are looked for.

use crate::input::classify::FaceClass;
use crate::layered::model::scales::{Scales, TOUCHING_UNITS};

/// Which of a column's pixels an extent may concern: along each axis, the first pixel whose middle it holds and the
/// one after the last. Of the stretches from middle to middle, counted from the column's border, it meets those from
/// the first of the two to the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PixelSpans(pub(crate) [[u8; 2]; 2]);

impl PixelSpans {
    /// Whether the middle of any pixel may lie in it.
    #[inline]
    pub(crate) const fn hold_middles(self) -> bool {
        let [[i0, i1], [j0, j1]] = self.0;
        i0 < i1 && j0 < j1
    }

    /// Whether any line through the middles of pixels may cross it.
    #[inline]
    pub(crate) const fn cross_lines(self) -> bool {
        let [[i0, i1], [j0, j1]] = self.0;
        i0 < i1 || j0 < j1
    }

    /// Whether the middle of one pixel may lie in it.
    #[inline]
    pub(crate) const fn hold(self, [i, j]: [u32; 2]) -> bool {
        let [[i0, i1], [j0, j1]] = self.0;
        (i0 as u32 <= i) & (i < i1 as u32) & (j0 as u32 <= j) & (j < j1 as u32)
    }

    /// Whether it meets a stretch of the line along an axis through the middles of a row of pixels.
    #[inline]
    pub(crate) const fn meet(self, stretch: &LineStretch) -> bool {
        let axis = stretch.axis as usize;
        let ([first, end], [from, to]) = (self.0[1 - axis], self.0[axis]);
        // Few do, and which ones cannot be foreseen: no branch asks.
        (first <= stretch.row)
            & (stretch.row < end)
            & (from <= stretch.number)
            & (stretch.number <= to)
    }

    /// Whether a point may lie in it that lies in a stretch along each axis.
    #[inline]
    pub(crate) const fn surround(self, [i, j]: [u32; 2]) -> bool {
        let [[i0, i1], [j0, j1]] = self.0;
        (i0 as u32 <= i) & (i <= i1 as u32) & (j0 as u32 <= j) & (j <= j1 as u32)
    }
}

/// A part of a line over a column, from the middle of a pixel to the next or to the column's border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineStretch {
    pub(crate) column: u32,
    pub(crate) axis: u8,
    /// The row of pixels, and the number of the stretch along it from the column's border.
    pub(crate) row: u8,
    pub(crate) number: u8,
}

/// What a triangle is to a column: the heights that it has over it, in lattice units, and which of the
/// column's pixels it may concern. Crowds of small triangles are told apart by this alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceRange {
    pub(crate) triangle: u32,
    pub(crate) lo: i32,
    pub(crate) hi: i32,
    pub(crate) class: FaceClass,
    pub(crate) spans: PixelSpans,
}

/// An edge of ground over a column that no other ground shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledge {
    /// Between which heights it runs, in lattice units.
    pub(crate) lo: i32,
    pub(crate) hi: i32,
    pub(crate) spans: PixelSpans,
    /// Where it begins and ends, in plan.
    pub(crate) ends: [[i32; 2]; 2],
}

impl Ledge {
    /// Where it may cross or touch a line along an axis, between two places: how far from the first, in
    /// lattice units; not at all where it runs along the line.
    #[inline]
    pub(crate) fn crossing(&self, axis: usize, aside: i64, along: [i64; 2]) -> Option<f64> {
        let [a, b] = self.ends;
        let away = |p: [i32; 2]| (i64::from(p[1 - axis]) - aside) as f64;
        let (a_away, b_away) = (away(a), away(b));
        if (a_away > 0.0 && b_away > 0.0) || (a_away < 0.0 && b_away < 0.0) {
            return None;
        }
        let (a, b) = (f64::from(a[axis]), f64::from(b[axis]));
        let share = -a_away / (b_away - a_away);
        if !(0.0..=1.0).contains(&share) {
            return Some(0.0);
        }
        let [first, last] = along.map(|v| v as f64);
        let at = a + share * (b - a);
        // Rounding is far below a unit.
        let is_near = at >= first.min(last) - 1.0 && at <= first.max(last) + 1.0;
        is_near.then(|| (at - first).abs())
    }
}

/// Faces that are looked for by their heights, in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    /// Those that reach above one height and lie below another at their lowest.
    above: i32,
    below: i32,
    /// The same of those that face down.
    down_above: i32,
    down_below: i32,
    facing: Facing,
}

/// Which way faces that are looked for face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Facing {
    Any,
    Up,
    /// Neither up nor down.
    Aside,
}

impl Sought {
    /// Those that may end ground that lies between two heights: they are in the agent's way, or begin
    /// something that may be.
    pub(crate) fn ending([least, most]: [i64; 2], scales: &Scales) -> Self {
        Self {
            above: to_i32(least + scales.step),
            below: to_i32(most + scales.height),
            down_above: to_i32(least + TOUCHING_UNITS),
            down_below: to_i32(most + scales.step),
            facing: Facing::Any,
        }
    }

    /// Those that lie between two heights or meet them.
    pub(crate) fn between(low: f64, high: f64) -> Self {
        let (above, below) = (low.ceil() as i64 - 1, high.floor() as i64 + 1);
        let (above, below) = (to_i32(above), to_i32(below));
        Self { above, below, down_above: i32::MAX, down_below: i32::MIN, facing: Facing::Any }
    }

    /// Only those of them that face up.
    pub(crate) const fn facing_up(self) -> Self {
        Self { facing: Facing::Up, ..self }
    }

    /// Only the walls among them.
    pub(crate) const fn upright(self) -> Self {
        Self { facing: Facing::Aside, ..self }
    }

    /// Whether a face is one of them.
    #[inline]
    pub(crate) fn holds(&self, face: &FaceRange) -> bool {
        let lies = face.hi > self.above && face.lo < self.below;
        let begins =
            face.class.faces_down() && face.hi > self.down_above && face.lo < self.down_below;
        let faces_there = match self.facing {
            Facing::Any => true,
            Facing::Up => face.class.faces_up(),
            Facing::Aside => !face.class.faces_up() && !face.class.faces_down(),
        };
        (lies || begins) && faces_there
    }
}

/// The nearest number of 32 bits: no height lies beyond.
fn to_i32(v: i64) -> i32 {
    v.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledge(a: [i32; 2], b: [i32; 2]) -> Ledge {
        Ledge { ends: [a, b], ..Ledge::default() }
    }

    /// A line along x at y = 100, from x = 1000 to x = 2000, and the same along y.
    #[test]
    fn an_edge_crosses_a_line_where_it_meets_it() {
        let crossing = [
            ([1500, 0], [1500, 200]),
            ([900, 0], [1100, 200]),
            ([1500, 100], [1600, 300]),
            ([1200, 100], [1700, 100]),
            ([1000, 100], [500, 900]),
        ];
        let beside = [
            ([1500, 101], [1600, 300]),
            ([1500, 0], [1500, 99]),
            ([800, 0], [1000, 200]),
            ([2500, 0], [1600, 300]),
        ];
        for (edges, expected) in [(&crossing[..], true), (&beside[..], false)] {
            for &(a, b) in edges {
                let turned = |[x, y]: [i32; 2]| [y, x];
                for (a, b) in [(a, b), (b, a)] {
                    let across = ledge(turned(a), turned(b));
                    for along in [[1000, 2000], [2000, 1000]] {
                        let found = ledge(a, b).crossing(0, 100, along);
                        assert_eq!(found.is_some(), expected, "{a:?} {b:?}");
                        assert_eq!(across.crossing(1, 100, along), found, "{a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_crossing_is_as_far_away_as_it_is() {
        let slanting = ledge([1300, 0], [1500, 400]);
        assert_eq!(slanting.crossing(0, 100, [1000, 2000]), Some(350.0));
        assert_eq!(slanting.crossing(0, 100, [2000, 1000]), Some(650.0));
        assert_eq!(ledge([1200, 100], [1700, 100]).crossing(0, 100, [1000, 2000]), Some(0.0));
    }
}
