//! A line from the middle of a pixel to the next, and the parts of it over its columns.

use crate::layered::model::face::LineStretch;
use crate::layered::model::scales::Scales;

/// A line from the middle of a pixel, along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PixelLine {
    /// Where it starts, in lattice units.
    pub(crate) start: [i64; 2],
    /// The axis that it runs along, and which way.
    pub(crate) axis: usize,
    pub(crate) sign: f64,
    /// The ground's height at its start, and how much the ground rises along it.
    pub(crate) height: f64,
    pub(crate) rise: f64,
    /// The column that it starts in, and the pixel there: how many lie before it along each axis.
    pub(crate) column: u32,
    pub(crate) within: [u32; 2],
    /// The column that it leads to, if that is another one.
    pub(crate) next_column: Option<u32>,
}

impl PixelLine {
    /// The height of the ground's plane at a distance.
    pub(crate) fn at(&self, s: f64) -> f64 {
        self.height + self.rise * s
    }

    /// The parts of it over its columns, and how far from each column's corner it starts.
    #[inline]
    pub(crate) fn stretches(
        &self,
        scales: &Scales,
    ) -> impl Iterator<Item = (LineStretch, i64)> + use<> {
        let (side, fine, cell) = (scales.per_side, i64::from(scales.fine), scales.coarse.cell);
        let (along, row) = (self.within[self.axis], self.within[1 - self.axis] as u8);
        let stretch = |column: u32, number: u32| {
            let (axis, number) = (self.axis as u8, number as u8);
            LineStretch { column, axis, row, number }
        };
        // The first stretch of a column ends in its first middle.
        let forward = self.sign > 0.0;
        let shift = i64::from(along) * fine + fine / 2;
        let here = (stretch(self.column, along + u32::from(forward)), shift);
        let there = self.next_column.map(|column| {
            let (number, away) =
                if forward { (0, -i64::from(cell)) } else { (side, i64::from(cell)) };
            (stretch(column, number), shift + away)
        });
        std::iter::once(here).chain(there)
    }

    /// How far away a triangle is at the nearest.
    #[inline]
    pub(crate) fn nearest_of(&self, [a, b, c]: &[[i32; 3]; 3]) -> f64 {
        let (a, b, c) = (a[self.axis], b[self.axis], c[self.axis]);
        let start = self.start[self.axis] as f64;
        match self.sign > 0.0 {
            true => f64::from(a.min(b).min(c)) - start,
            false => start - f64::from(a.max(b).max(c)),
        }
    }

    /// Where it enters a column from whose corner it starts so far.
    #[inline]
    pub(crate) fn start_before(&self, shift: i64) -> [i64; 2] {
        let mut start = self.start;
        start[self.axis] -= shift;
        start
    }
}

/// Between which heights the ground's planes lie along some lines.
pub(crate) fn heights_along(lines: &[PixelLine], scales: &Scales) -> [i64; 2] {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for line in lines {
        let end = line.at(f64::from(scales.fine));
        (least, most) = (least.min(line.height).min(end), most.max(line.height).max(end));
    }
    // Heights of faces over a column are rounded, and so are these.
    [least as i64 - 3, most as i64 + 3]
}
