//! The three grids of the layered pipeline and its limits, in lattice units.
//!
//! Coarse columns hold whole fine cells, and a fine cell holds [`SUB`] parts, the grid on which
//! contours lie. All are whole numbers of lattice units counted from the frame's origin.

use crate::error::BakeError;
use crate::layered::divisor::Divisor;
use crate::settings::{Resolved, VoxelSettings};
use crate::voxel::grid::{Classes, Grid, GridTriangle, Surface};
use std::f64::consts::SQRT_2;
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_mesh::Agent;

/// Parts of a fine cell along each axis.
pub(crate) const SUB: i32 = 16;

/// What a limit given by the agent is allowed to be exceeded by, in metres: as in the exact pipeline.
const LIMIT_SLACK_M: f64 = 1e-4;

/// Surfaces nearer to each other than this touch, in lattice units: a millimetre.
pub(crate) const TOUCHING_UNITS: i64 = 64;

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
    /// Divides by `per_side`, by the fine cells of a coarse column, and by the grid's width.
    pub(crate) by_side: Divisor,
    pub(crate) by_cell: Divisor,
    by_width: Divisor,
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
fn sizes(settings: &Resolved) -> (i32, i32, i32) {
    let layered = &settings.layered;
    let units = |m: f64| m * LATTICE_PER_M;
    let part = 2 * (units(layered.fine_cell_size_m) / f64::from(2 * SUB)).round().max(1.0) as i32;
    let fine = part * SUB;
    let per_side = (units(layered.cell_size_m) / f64::from(fine)).round().clamp(1.0, 64.0) as i32;
    (fine * per_side, fine, part)
}

fn with_cells(settings: &Resolved, cell: i32, tile_size_cells: u32) -> Resolved {
    let layered = settings.layered;
    Resolved {
        voxel: VoxelSettings {
            cell_size_m: f64::from(cell) * M_PER_LATTICE,
            cell_height_m: layered.cell_height_m,
            tile_size_cells,
            two_sided: layered.two_sided,
            ..settings.voxel
        },
        // Tiles and their margins are the voxel pipeline's affair.
        agent: Agent { radius_m: 0.0, ..settings.agent },
        ..settings.clone()
    }
}

/// The settings under which shared steps of the voxel pipeline see the coarse columns.
pub(crate) fn with_coarse_cells(settings: &Resolved) -> Resolved {
    Resolved { agent: settings.agent, ..with_cells(settings, sizes(settings).0, 0) }
}

/// A triangle that reaches as far as all others; none where there are none. Processors have the lesser of two numbers
/// with a point, and all of 32 bits have one.
fn bounds_of(triangles: &[GridTriangle]) -> Vec<GridTriangle> {
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
    let reach = GridTriangle { corners: [lo, hi, hi], surface: Surface::UPRIGHT };
    if triangles.is_empty() { Vec::new() } else { vec![reach] }
}

impl Scales {
    pub(crate) fn new(triangles: &[GridTriangle], settings: &Resolved) -> Result<Self, BakeError> {
        let agent = &settings.agent;
        let (coarse_cell, fine, part) = sizes(settings);
        // A grid follows from the corners of the box around all triangles.
        let bounds = bounds_of(triangles);
        let coarse = Grid::new(&bounds, &with_cells(settings, coarse_cell, 0))?;
        let sub = Grid::new(&bounds, &with_cells(settings, part, 256))?;
        let units = |m: f64| (m * LATTICE_PER_M).round();
        let slack = units(LIMIT_SLACK_M);
        let half_height = 0.5 * units(agent.height_m);
        let step = units(agent.max_step_m) + slack;
        let climb_over = |cell: i32| {
            let steepest = f64::from(cell) * agent.max_slope_rad.tan() + slack;
            step.max(steepest.min(half_height))
        };
        let lean = f64::from(fine) * SQRT_2 * Classes::new(settings).steepest_rise();
        let level = f64::from(coarse.cell_height);
        let per_side = (coarse_cell / fine) as u32;
        Ok(Self {
            coarse,
            sub,
            fine,
            per_side,
            by_side: Divisor::new(per_side),
            by_cell: Divisor::new(per_side * per_side),
            by_width: Divisor::new(coarse.width),
            height: (units(agent.height_m) - slack) as i64,
            step: step as i64,
            climb: climb_over(fine) as i64,
            lean: lean.ceil().min(f64::from(i32::MAX)) as i64,
            climb_levels: (climb_over(coarse_cell) / level).ceil() as i32 + 1,
            radius: agent.radius_m * LATTICE_PER_M,
            gap: settings.layered.gap_distance_m * LATTICE_PER_M,
            break_height: settings.layered.height_error_m.max(LIMIT_SLACK_M) * LATTICE_PER_M,
        })
    }

    /// Whether a gap from one pixel's middle to the next is none: then ground goes on between any two.
    pub(crate) fn passes_any_gap(&self) -> bool {
        self.gap >= f64::from(self.fine)
    }

    /// Fine cells in a coarse column.
    pub(crate) const fn pixels_per_cell(&self) -> usize {
        (self.per_side * self.per_side) as usize
    }

    /// A coarse column's place in the grid.
    #[inline]
    pub(crate) const fn place(&self, column: u32) -> [u32; 2] {
        let (y, x) = self.by_width.divide(column);
        [x, y]
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
