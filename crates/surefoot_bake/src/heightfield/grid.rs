//! Columns over a scene: a grid of whole lattice units that knows no agent and no tiles.
//!
//! A column's borders are whole lattice units, so every question about a column has one answer,
//! whoever asks.

use crate::input::points::Point3;
use surefoot_geom::LatticePoint;

/// The four directions in turn, counter-clockwise: +x, +y, -x, -y.
pub(crate) const EAST: usize = 0;
pub(crate) const NORTH: usize = 1;
pub(crate) const WEST: usize = 2;
pub(crate) const SOUTH: usize = 3;

/// The opposite direction.
pub(crate) const fn opposite(direction: usize) -> usize {
    (direction + 2) % 4
}

/// A rectangle of columns: from `x0, y0` up to, not including, `x1, y1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) x0: u32,
    pub(crate) y0: u32,
    pub(crate) x1: u32,
    pub(crate) y1: u32,
}

impl Window {
    pub(crate) const fn width(&self) -> u32 {
        self.x1 - self.x0
    }

    pub(crate) const fn depth(&self) -> u32 {
        self.y1 - self.y0
    }

    pub(crate) const fn columns(&self) -> usize {
        self.width() as usize * self.depth() as usize
    }

    /// The column beside one that is given by its place in the window; none beyond it.
    pub(crate) fn column_beside(&self, [x, y]: [u32; 2], direction: usize) -> Option<usize> {
        let column = y * self.width() + x;
        let neighbour = match direction {
            EAST if x + 1 < self.width() => column + 1,
            NORTH if y + 1 < self.depth() => column + self.width(),
            WEST if x > 0 => column - 1,
            SOUTH if y > 0 => column - self.width(),
            _ => return None,
        };
        Some(neighbour as usize)
    }

    /// The columns of one of its rows, counted through the window, that lie in a smaller window.
    pub(crate) fn columns_within(&self, inner: &Self, row: u32) -> std::ops::Range<usize> {
        let first = row as usize * self.width() as usize;
        if !(inner.y0..inner.y1).contains(&(self.y0 + row)) {
            return first..first;
        }
        first + (inner.x0 - self.x0) as usize..first + (inner.x1 - self.x0) as usize
    }
}

/// The box around a scene's points, in lattice units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) lo: Point3,
    pub(crate) hi: Point3,
}

impl Extent {
    /// Around some points; nothing where there are none.
    pub(crate) fn around(points: impl Iterator<Item = Point3>) -> Option<Self> {
        points.fold(None, |extent, p| {
            let Self { lo, hi } = extent.unwrap_or(Self { lo: p, hi: p });
            Some(Self {
                lo: [0, 1, 2].map(|k| lo[k].min(p[k])),
                hi: [0, 1, 2].map(|k| hi[k].max(p[k])),
            })
        })
    }
}

/// Columns over a scene. All lengths in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Width of a column; even, so that its middle is a lattice point.
    pub(crate) cell: i32,
    /// Height of a cell.
    pub(crate) cell_height: i32,
    /// The first column, counted from the frame's origin.
    first: [i64; 2],
    /// The scene's lowest point.
    base: i32,
    /// Columns along each axis.
    pub(crate) width: u32,
    pub(crate) depth: u32,
}

impl Grid {
    /// The columns over an extent, none where there is none; an odd width is rounded down to an even one.
    pub(crate) fn new(extent: Option<&Extent>, cell: i32, cell_height: i32) -> Self {
        let cell = 2 * (cell / 2).max(1);
        let cell_height = cell_height.max(1);
        let Some(Extent { lo, hi }) = extent else {
            return Self { cell, cell_height, first: [0, 0], base: 0, width: 0, depth: 0 };
        };
        let column = |v: i32| i64::from(v).div_euclid(i64::from(cell));
        let first = [column(lo[0]), column(lo[1])];
        let count = |k: usize| (column(hi[k]) - first[k] + 1) as u32;
        Self { cell, cell_height, first, base: lo[2], width: count(0), depth: count(1) }
    }

    /// The first column, counted from the frame's origin.
    pub(crate) const fn first_column(&self) -> [i64; 2] {
        self.first
    }

    /// A position given in half columns.
    pub(crate) fn point_from_halves(&self, x: i32, y: i32) -> LatticePoint {
        let half = i64::from(self.cell / 2);
        let at = |v: i32, first: i64| {
            let units = (2 * first + i64::from(v)) * half;
            units.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        };
        LatticePoint::new(at(x, self.first[0]), at(y, self.first[1]))
    }

    /// The discrete height of a height.
    pub(crate) fn level(&self, z: i32) -> i32 {
        ((i64::from(z) - i64::from(self.base)) / i64::from(self.cell_height)) as i32
    }

    /// The middle of a discrete height.
    pub(crate) fn level_height(&self, level: i32) -> i32 {
        let z = i64::from(self.base)
            + i64::from(level) * i64::from(self.cell_height)
            + i64::from(self.cell_height / 2);
        z.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }
}
