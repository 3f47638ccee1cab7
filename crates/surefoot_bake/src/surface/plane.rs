//! Heights over the plan, and plan positions in metres and in lattice units.

use glam::{DVec2, DVec3};
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};

/// A plane that is not vertical: a height over every plan position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    /// A plan position on it, in metres.
    at: DVec2,
    /// Its height there, in metres.
    height_m: f64,
    /// How much it rises per metre along each horizontal axis.
    slope: DVec2,
}

impl Plane {
    /// The plane through a point with a normal that is not horizontal.
    #[must_use]
    pub(crate) fn through(point: DVec3, normal: DVec3) -> Self {
        Self { at: point.truncate(), height_m: point.z, slope: -normal.truncate() / normal.z }
    }

    /// The height over a plan position in metres.
    #[must_use]
    pub(crate) fn height_at_m(&self, p: DVec2) -> f64 {
        self.height_m + self.slope.dot(p - self.at)
    }

    /// The height over a lattice point, in metres.
    #[must_use]
    pub(crate) fn height_at(&self, p: LatticePoint) -> f64 {
        self.height_at_m(plan_m(p))
    }

    /// How much it rises per metre along each horizontal axis.
    #[must_use]
    pub(crate) fn slope(&self) -> DVec2 {
        self.slope
    }
}

/// A lattice point in metres.
#[must_use]
pub(crate) fn plan_m(p: LatticePoint) -> DVec2 {
    DVec2::new(f64::from(p.x), f64::from(p.y)) * M_PER_LATTICE
}

/// A lattice point in (floating) lattice units.
#[must_use]
pub(crate) fn plan_units(p: LatticePoint) -> DVec2 {
    DVec2::new(f64::from(p.x), f64::from(p.y))
}

/// The lattice point nearest to a plan position in metres.
#[must_use]
pub(crate) fn lattice_from_plan(p: DVec2) -> LatticePoint {
    LatticePoint::from_units(p.x * LATTICE_PER_M, p.y * LATTICE_PER_M)
}
