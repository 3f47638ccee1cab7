//! Planar polygons with holes, on the lattice.

use crate::lattice::{LatticePoint, M_PER_LATTICE};

/// A closed polyline of lattice points; the last is joined to the first and not repeated.
pub type Contour = Vec<LatticePoint>;

/// A connected region: the outer contour, counter-clockwise, then its holes, clockwise.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Polygon {
    /// The outer contour first, then the holes.
    pub contours: Vec<Contour>,
}

/// Twice the signed area of a contour in square units; positive when it turns counter-clockwise.
/// Exact.
#[must_use]
pub fn contour_area2(contour: &[LatticePoint]) -> i128 {
    let Some(&last) = contour.last() else { return 0 };
    let mut sum = 0_i128;
    let mut a = last;
    for &b in contour {
        sum += i128::from(a.x) * i128::from(b.y) - i128::from(a.y) * i128::from(b.x);
        a = b;
    }
    sum
}

impl Polygon {
    /// A polygon without holes.
    #[must_use]
    pub fn from_contour(contour: Contour) -> Self {
        Self { contours: vec![contour] }
    }

    /// Twice the area in square units, holes taken off. Exact.
    #[must_use]
    pub fn area2(&self) -> i128 {
        self.contours.iter().map(|c| contour_area2(c)).sum()
    }

    /// The area in square metres.
    #[must_use]
    pub fn area_m2(&self) -> f64 {
        self.area2() as f64 * 0.5 * M_PER_LATTICE * M_PER_LATTICE
    }

    /// The directed edges of all contours; the inside lies to their left.
    pub fn edges(&self) -> impl Iterator<Item = (LatticePoint, LatticePoint)> + '_ {
        self.contours
            .iter()
            .flat_map(|c| c.iter().zip(c.iter().skip(1).chain(c.first())).map(|(a, b)| (*a, *b)))
    }

    /// The smallest box around the polygon as (low, high); `None` when it has no point.
    #[must_use]
    pub fn bounds(&self) -> Option<(LatticePoint, LatticePoint)> {
        bounds_of(self.contours.iter().flatten().copied())
    }
}

/// The smallest box around some points as (low, high); `None` when there are none.
pub fn bounds_of(
    points: impl IntoIterator<Item = LatticePoint>,
) -> Option<(LatticePoint, LatticePoint)> {
    let mut points = points.into_iter();
    let first = points.next()?;
    Some(points.fold((first, first), |(lo, hi), p| {
        (
            LatticePoint::new(lo.x.min(p.x), lo.y.min(p.y)),
            LatticePoint::new(hi.x.max(p.x), hi.y.max(p.y)),
        )
    }))
}
