//! Points of the finer grid, and the parts of edges between them.

use crate::lattice::LatticePoint;
use std::cmp::Ordering;

/// How much finer the grid of crossings is than the lattice, in bits.
pub(super) const FINER_BITS: u32 = 20;

/// A point of the finer grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fine {
    pub(super) x: i64,
    pub(super) y: i64,
}

impl Fine {
    #[inline]
    pub(super) fn of(p: LatticePoint) -> Self {
        Self { x: i64::from(p.x) << FINER_BITS, y: i64::from(p.y) << FINER_BITS }
    }

    /// The nearest lattice point.
    #[inline]
    pub(crate) fn rounded(self) -> LatticePoint {
        let round = |v: i64| ((v + (1 << (FINER_BITS - 1))) >> FINER_BITS) as i32;
        LatticePoint::new(round(self.x), round(self.y))
    }

    /// Whether it is one.
    #[inline]
    pub(crate) fn is_on_lattice(self) -> bool {
        (self.x | self.y) & ((1 << FINER_BITS) - 1) == 0
    }

    /// The larger of the distances along the axes.
    #[inline]
    pub(super) fn apart(self, other: Self) -> i64 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }
}

/// A contour: its points, each with the label of the edge that leaves it.
pub(crate) type FineContour = Vec<(Fine, u32)>;

/// How often the subject and the clip wind around something.
pub(super) type Winding = [i32; 2];

/// A part of an edge that meets others at its ends alone.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) a: Fine,
    pub(super) b: Fine,
    pub(super) winding: Winding,
    pub(super) label: u32,
    /// Whether the result lies above it, where it bounds it.
    pub(super) inside_above: bool,
}

/// On which side of the line from `a` to `b` a point lies: greater to the left. Exact.
#[inline]
pub(super) fn turn(a: Fine, b: Fine, p: Fine) -> Ordering {
    let (ux, uy, vx, vy) = (b.x - a.x, b.y - a.y, p.x - a.x, p.y - a.y);
    let (one, two) = (ux as f64 * vy as f64, uy as f64 * vx as f64);
    // Differences are below 2⁵³ and exact; three roundings of one part in 2⁵³ each.
    if (one - two).abs() > (one.abs() + two.abs()) * f64::EPSILON {
        return one.total_cmp(&two);
    }
    (i128::from(ux) * i128::from(vy)).cmp(&(i128::from(uy) * i128::from(vx)))
}
