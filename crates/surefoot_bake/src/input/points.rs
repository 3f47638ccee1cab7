//! Points on the lattice in all three coordinates.

use glam::DVec3;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::M_PER_LATTICE;

/// A point on the lattice, height included.
pub(crate) type Point3 = [i32; 3];

/// A point's plan position.
pub(crate) fn plan(p: Point3) -> LatticePoint {
    LatticePoint::new(p[0], p[1])
}

/// A point in metres.
pub(crate) fn metres(p: Point3) -> DVec3 {
    DVec3::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2])) * M_PER_LATTICE
}

/// Twice a triangle's area times its normal, in square lattice units; exact below 2²⁶ units (1 km)
/// and good to the last bit beyond.
pub(crate) fn normal_units(a: Point3, b: Point3, c: Point3) -> DVec3 {
    let d = |p: Point3, k: usize| f64::from(p[k]) - f64::from(a[k]);
    let u = DVec3::new(d(b, 0), d(b, 1), d(b, 2));
    let v = DVec3::new(d(c, 0), d(c, 1), d(c, 2));
    u.cross(v)
}
