//! Where on the mesh a position is.
//!
//! In goes a position and how far from the mesh it may lie; out comes the nearest place on the
//! mesh. A cell is measured at the point of it that is nearest *in plan*, at the surface's height
//! there: who stands over a cell belongs straight below, not at the foot of a perpendicular on a
//! slope. Of all cells whose point lies within the extents the one at the least distance in space
//! is taken, and of several at the same distance the one with the lowest id. Nothing is allocated.

use crate::ground::Surface;
use crate::piece_tree::Box3;
use glam::{DVec2, DVec3};

/// A place on the mesh, in canonical coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) piece: u32,
    pub(crate) plan: DVec2,
    pub(crate) height_m: f64,
}

/// The place nearest to a canonical point among the pieces that `admit` lets through, no farther
/// than `extents` along each canonical axis.
#[inline]
pub(crate) fn nearest_place(
    mesh: Surface<'_>,
    point: DVec3,
    extents: [f64; 3],
    admit: impl Fn(u32) -> bool,
) -> Option<Place> {
    let at = point.to_array();
    if !at.iter().all(|c| c.is_finite()) {
        return None;
    }
    // Outwards by more than the rounding to f32 can move a side.
    let side = |k: usize, sign: f64| {
        let v = at[k] + sign * extents[k];
        (v + sign * (v.abs() * 1e-6 + 1e-6)) as f32
    };
    let search = Box3 {
        low: std::array::from_fn(|k| side(k, -1.0)),
        high: std::array::from_fn(|k| side(k, 1.0)),
    };
    let plan = DVec2::new(point.x, point.y);
    let cells = &mesh.pieces.cells;
    let comes_first = |a: u32, b: u32| (cells[a as usize], a) < (cells[b as usize], b);
    let mut best: Option<Place> = None;
    let mut best2 = f64::INFINITY;
    mesh.tree.visit_near(at, &search, f64::INFINITY, |piece| {
        if !admit(piece) {
            return best2;
        }
        let q = mesh.pieces.closest(piece, plan);
        let d = q - plan;
        let plan2 = d.length_squared();
        if plan2 > best2 || d.x.abs() > extents[0] || d.y.abs() > extents[1] {
            return best2;
        }
        let height_m = mesh.pieces.height(piece, q);
        let dz = height_m - point.z;
        let d2 = plan2 + dz * dz;
        if dz.abs() <= extents[2]
            && (d2 < best2 || best.is_some_and(|b| d2 <= best2 && comes_first(piece, b.piece)))
        {
            best2 = d2;
            best = Some(Place { piece, plan: q, height_m });
        }
        best2
    });
    best
}

/// The highest place straight below a canonical point, at most `drop_m` below it and `rise_m`
/// above it.
pub(crate) fn place_below(
    mesh: Surface<'_>,
    point: DVec3,
    rise_m: f64,
    drop_m: f64,
    admit: impl Fn(u32) -> bool,
) -> Option<Place> {
    let at = point.to_array();
    if !at.iter().all(|c| c.is_finite()) {
        return None;
    }
    let around = |v: f64, by: f64| (v + by + (v.abs() * 1e-6 + 1e-6) * by.signum()) as f32;
    let search = Box3 {
        low: [around(at[0], -0.0), around(at[1], -0.0), around(at[2], -drop_m)],
        high: [around(at[0], 0.0), around(at[1], 0.0), around(at[2], rise_m)],
    };
    let plan = DVec2::new(point.x, point.y);
    let cells = &mesh.pieces.cells;
    let comes_first = |a: u32, b: u32| (cells[a as usize], a) < (cells[b as usize], b);
    let mut best: Option<Place> = None;
    mesh.tree.visit_near(at, &search, f64::INFINITY, |piece| {
        if admit(piece) && mesh.pieces.closest(piece, plan) == plan {
            let height_m = mesh.pieces.height(piece, plan);
            let rise = height_m - point.z;
            let higher = best.is_none_or(|b| {
                height_m > b.height_m || (height_m >= b.height_m && comes_first(piece, b.piece))
            });
            if rise <= rise_m && -rise <= drop_m && higher {
                best = Some(Place { piece, plan, height_m });
            }
        }
        f64::INFINITY
    });
    best
}
