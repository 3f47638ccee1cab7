//! The three grids of the layered pipeline and its limits, in lattice units.
//!
//! Coarse columns hold whole fine cells, and a fine cell holds [`SUB`] parts, the grid on which
//! contours lie. All are whole numbers of lattice units counted from the frame's origin.

use crate::error::BakeError;
use crate::heightfield::grid::{Extent, Grid};
use crate::input::classify::{ClassedTriangle, Classifier};
use crate::input::limits::{self, LIMIT_SLACK_M};
use crate::settings::ResolvedLayered;
use std::f64::consts::SQRT_2;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_mesh::Agent;

/// Parts of a fine cell along each axis.
pub(crate) const SUB: i32 = 16;

/// Surfaces nearer to each other than this touch, in lattice units.
pub(crate) const TOUCHING_UNITS: i64 = limits::TOUCHING_UNITS as i64;

/// The run of the steepest bridge over a gap for its rise: 55°.
pub(crate) const RUN_PER_RISE: f64 = 0.7;

/// The most pixels that a bridge is long, or a riser wide.
pub(crate) const MOST_PIXELS: i64 = 64;

/// The most coarse columns that a scene may have.
const MOST_COLUMNS: u64 = 1 << 28;

/// The nearest whole number, halves away from nought, as [`f64::round`] has it: without a call, which
/// processors without an instruction for it need. No number lies beyond 32 bits.
#[inline]
pub(crate) fn round_to_i32(v: f64) -> i32 {
    // Adding this rounds to whole numbers, halves to even: the whole number lies in the last bits of the sum.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let size = v.abs();
    let even = size + WHOLE;
    let is_half_below = size - (even - WHOLE) >= 0.5;
    let whole = (even.to_bits() as i32).wrapping_add(i32::from(is_half_below));
    let sign = (v.to_bits() as i64 >> 63) as i32;
    (whole ^ sign).wrapping_sub(sign)
}

/// Grids and limits, all in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scales {
    /// Coarse columns and voxels.
    pub(crate) coarse: Grid,
    /// Parts of fine cells.
    pub(crate) sub: Grid,
    /// Width of a fine cell, and how many of them lie along a coarse column's side.
    pub(crate) fine: i32,
    pub(crate) per_side: u32,
    /// The agent's height and its largest step.
    pub(crate) height: i64,
    pub(crate) step: i64,
    /// The largest difference of height between neighbouring fine cells.
    pub(crate) climb: i64,
    /// The most that ground rises from the middle of a fine cell to any place between it and those around
    /// it.
    pub(crate) lean: i64,
    /// The largest difference of height between neighbouring coarse columns, in voxels.
    pub(crate) climb_levels: i32,
    /// The agent's radius.
    pub(crate) radius: f64,
    /// Gaps up to this width are none.
    pub(crate) gap: f64,
    /// Heights that differ by more than this break the ground.
    pub(crate) break_height: f64,
}

/// The sizes of a coarse column, a fine cell and its part, in lattice units.
fn sizes(layered: &ResolvedLayered) -> (i32, i32, i32) {
    let units = |m: f64| m * LATTICE_PER_M;
    let part = 2 * (units(layered.fine_cell_size_m) / f64::from(2 * SUB)).round().max(1.0) as i32;
    let fine = part * SUB;
    let per_side = (units(layered.cell_size_m) / f64::from(fine)).round().clamp(1.0, 64.0) as i32;
    (fine * per_side, fine, part)
}

/// The box around all triangles. Processors have the lesser of two numbers
/// with a point, and all of 32 bits have one.
fn bounds_of(triangles: &[ClassedTriangle]) -> Option<Extent> {
    let (mut least, mut most) = ([f64::INFINITY; 9], [f64::NEG_INFINITY; 9]);
    for triangle in triangles {
        let corners = triangle.corners.as_flattened();
        for ((least, most), v) in least.iter_mut().zip(&mut most).zip(corners) {
            let v = f64::from(*v);
            *least = if v < *least { v } else { *least };
            *most = if v > *most { v } else { *most };
        }
    }
    let over_corners = |pick: fn(f64, f64) -> f64, of: [f64; 9]| {
        [0, 1, 2].map(|k| pick(pick(of[k], of[k + 3]), of[k + 6]) as i32)
    };
    let (lo, hi) = (over_corners(f64::min, least), over_corners(f64::max, most));
    (!triangles.is_empty()).then_some(Extent { lo, hi })
}

impl Scales {
    pub(crate) fn new(
        triangles: &[ClassedTriangle],
        agent: &Agent,
        layered: &ResolvedLayered,
    ) -> Result<Self, BakeError> {
        let (coarse_cell, fine, part) = sizes(layered);
        // A grid follows from the corners of the box around all triangles.
        let bounds = bounds_of(triangles);
        let units = |m: f64| (m * LATTICE_PER_M).round();
        let level = units(layered.cell_height_m) as i32;
        let [coarse, sub] = [coarse_cell, part].map(|cell| Grid::new(bounds.as_ref(), cell, level));
        let columns = u64::from(coarse.width) * u64::from(coarse.depth);
        if columns > MOST_COLUMNS {
            return Err(BakeError::TooLarge { what: "coarse columns", count: columns as usize });
        }
        let slack = units(LIMIT_SLACK_M);
        let half_height = 0.5 * units(agent.height_m);
        let step = units(agent.max_step_m) + slack;
        let climb_over = |cell: i32| {
            let steepest = f64::from(cell) * agent.max_slope_rad.tan() + slack;
            step.max(steepest.min(half_height))
        };
        let lean = f64::from(fine) * SQRT_2 * Classifier::new(agent, false).steepest_rise();
        let level = f64::from(coarse.cell_height);
        let per_side = (coarse_cell / fine) as u32;
        Ok(Self {
            coarse,
            sub,
            fine,
            per_side,
            height: (units(agent.height_m) - slack) as i64,
            step: step as i64,
            climb: climb_over(fine) as i64,
            lean: lean.ceil().min(f64::from(i32::MAX)) as i64,
            climb_levels: (climb_over(coarse_cell) / level).ceil() as i32 + 1,
            radius: agent.radius_m * LATTICE_PER_M,
            gap: layered.gap_distance_m * LATTICE_PER_M,
            break_height: layered.height_error_m.max(LIMIT_SLACK_M) * LATTICE_PER_M,
        })
    }

    /// Whether a gap from one pixel's middle to the next is none: then ground goes on between any two.
    pub(crate) fn passes_any_gap(&self) -> bool {
        self.gap >= f64::from(self.fine)
    }

    /// How far contours keep from the points of a boundary, in lattice units.
    pub(crate) fn contour_distance(&self) -> f64 {
        let (radius, fine) = (self.radius, f64::from(self.fine));
        // Points of a boundary lie up to a cell apart: half-way between them, the boundary is nearer than
        // either by this much at most.
        let distance =
            (radius * radius + if radius > 0.0 { 0.25 * fine * fine } else { 0.0 }).sqrt();
        // Never nearer than a part of a cell, so that borders at one place do not meet.
        distance.max(f64::from(self.sub.cell))
    }

    /// The area of a fine cell, in m².
    pub(crate) fn pixel_m2(&self) -> f64 {
        (f64::from(self.fine) / LATTICE_PER_M).powi(2)
    }

    /// Fine cells in a coarse column.
    pub(crate) const fn pixels_per_cell(&self) -> usize {
        (self.per_side * self.per_side) as usize
    }

    /// A coarse column's place in the grid.
    #[inline]
    pub(crate) const fn place(&self, column: u32) -> [u32; 2] {
        [column % self.coarse.width, column / self.coarse.width]
    }

    /// The cell that a pixel lies in, and how many pixels lie before it there along each axis.
    #[inline]
    pub(crate) const fn split(&self, pixel: u32) -> (u32, [u32; 2]) {
        let (side, per_cell) = (self.per_side, self.per_side * self.per_side);
        let within = pixel % per_cell;
        (pixel / per_cell, [within % side, within / side])
    }

    /// The columns beside a column: east, north, west, south.
    pub(crate) fn columns_beside(&self, column: u32) -> [Option<u32>; 4] {
        let [x, y] = self.place(column);
        let (width, depth) = (self.coarse.width, self.coarse.depth);
        [
            (x + 1 < width).then(|| column + 1),
            (y + 1 < depth).then(|| column + width),
            (x > 0).then(|| column - 1),
            (y > 0).then(|| column - width),
        ]
    }

    /// The next pixel in a direction, where it lies in the same cell.
    pub(crate) fn next_in_cell(&self, pixel: u32, direction: usize) -> Option<u32> {
        let side = self.per_side;
        let (_, [i, j]) = self.split(pixel);
        match direction {
            0 => (i + 1 < side).then(|| pixel + 1),
            1 => (j + 1 < side).then(|| pixel + side),
            2 => (i > 0).then(|| pixel - 1),
            _ => (j > 0).then(|| pixel - side),
        }
    }

    /// Of the places along an axis of a column and those around it, counted from the one before the column's first: the
    /// column that one lies in, counted from the one before, and which of its pixels it is.
    #[inline]
    pub(crate) const fn place_around(&self, place: u32) -> (usize, u32) {
        match place {
            0 => (0, self.per_side - 1),
            i if i > self.per_side => (2, 0),
            i => (1, i - 1),
        }
    }

    /// The longest gap along an axis that may be bridged: one across which treads run at 45°.
    pub(crate) fn longest_gap(&self) -> f64 {
        SQRT_2 * RUN_PER_RISE * self.step as f64
    }

    /// The coarse column over a point of the scene.
    #[inline]
    pub(crate) fn column_over(&self, p: [i32; 2]) -> u32 {
        let (first, cell) = (self.coarse.first_column(), i64::from(self.coarse.cell));
        let [x, y] = [0, 1].map(|k| ((i64::from(p[k]) - first[k] * cell) / cell) as u32);
        y * self.coarse.width + x
    }

    /// The lower corner of a coarse column, in lattice units.
    #[inline]
    pub(crate) fn corner(&self, column: u32) -> [i64; 2] {
        let [x, y] = self.place(column);
        let first = self.coarse.first_column();
        let cell = i64::from(self.coarse.cell);
        [(first[0] + i64::from(x)) * cell, (first[1] + i64::from(y)) * cell]
    }

    /// The lower corner of the coarse grid, in parts of fine cells of the sub grid.
    pub(crate) fn origin_in_parts(&self) -> [i32; 2] {
        let parts = i64::from(self.coarse.cell / self.sub.cell);
        let (coarse, sub) = (self.coarse.first_column(), self.sub.first_column());
        [0, 1].map(|k| (coarse[k] * parts - sub[k]) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_that_of_the_library() {
        for whole in [-2_000_000_001, -70_000, -2, -1, 0, 1, 2, 70_000, 2_000_000_000] {
            for rest in [0.0, 0.25, 0.499_999_999, 0.5, 0.500_000_001, 0.75] {
                for v in [f64::from(whole) + rest, f64::from(whole) - rest] {
                    assert_eq!(round_to_i32(v), v.round() as i32, "{v}");
                }
            }
        }
        assert_eq!(round_to_i32(0.49999999999999994), 0);
    }
}
