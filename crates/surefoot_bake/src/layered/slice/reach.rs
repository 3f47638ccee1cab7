//! Tells in which columns an extent lies, and which of their pixels it may concern.
//!
//! Goes in: the points of a triangle or an edge. Comes out: the columns from the first to the last along each axis,
//! and what of each the extent holds.

use crate::layered::model::face::PixelSpans;
use crate::layered::model::scales::Scales;

/// Where an extent lies, along each axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnReach {
    /// The first and the last column. A column is half open.
    first: [u32; 2],
    last: [u32; 2],
    /// The first pixel of the first column whose middle lies within, and the one after the last of the last column.
    /// Between the two the extent holds all.
    ends: [[u8; 2]; 2],
    per_side: u8,
    width: u32,
}

impl ColumnReach {
    /// Around some points.
    #[inline]
    pub(super) fn around(points: &[[i32; 3]], scales: &Scales) -> Self {
        let grid = &scales.coarse;
        let (cell, fine, side) =
            (i64::from(grid.cell), i64::from(scales.fine), i64::from(scales.per_side));
        let (mut first, mut last, mut ends) = ([0; 2], [0; 2], [[0; 2]; 2]);
        for k in 0..2 {
            let corner = grid.first_column()[k] * cell;
            let (mut low, mut high) = (i32::MAX, i32::MIN);
            for p in points {
                (low, high) = (low.min(p[k]), high.max(p[k]));
            }
            let (low, high) = (i64::from(low) - corner, i64::from(high) - corner);
            let from = low / cell;
            // What ends on a column's border does not reach into the next.
            let to = ((high + cell - 1) / cell - 1).max(from);
            // Middles before the extent, and up to its end.
            let (before, up_to) = ((low + fine / 2 - 1) / fine, (high + fine / 2) / fine);
            (first[k], last[k]) = (from as u32, to as u32);
            // At most 64 pixels lie along a column's side.
            ends[k] = [(before - from * side) as u8, (up_to - to * side) as u8];
        }
        Self { first, last, ends, per_side: scales.per_side as u8, width: grid.width }
    }

    /// The only column in which the extent lies, if there is one, and what it holds there.
    #[inline]
    pub(super) fn only_column(&self) -> Option<(u32, PixelSpans)> {
        let column = self.first[1] * self.width + self.first[0];
        (self.first == self.last).then_some((column, PixelSpans(self.ends)))
    }

    /// What the extent holds of a column in which it lies.
    #[inline]
    pub(super) fn spans_in(&self, column: u32) -> PixelSpans {
        let place = [column % self.width, column / self.width];
        let span = |k: usize| {
            let [from, to] = self.ends[k];
            let from = if place[k] == self.first[k] { from } else { 0 };
            [from, if place[k] == self.last[k] { to } else { self.per_side }]
        };
        PixelSpans([span(0), span(1)])
    }
}
