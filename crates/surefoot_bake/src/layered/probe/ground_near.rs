//! Looks along a line for its own ground alone.
//!
//! Goes in: a line from the middle of a pixel, and the triangles over its columns. Comes out: how far the ground goes
//! on without a break, and whether a tread may lie beyond. Whoever asks for no more than that need not cut what lies
//! a step above or below.

use super::{Cut, Line, LineCut, Probe, cut_along, heights_along};
use crate::layered::fine_map::FineMap;
use crate::layered::scales::Scales;
use crate::layered::slice::{Slices, Sought};
use crate::voxel::grid::Surface;

/// What the heights of faces over a column are rounded by, and more.
const ROUNDING: f64 = 3.0;

impl Probe {
    /// How far there is ground along a line over breaks, as [`Self::ground_extent`] has it after a look. Nothing is
    /// said where the ground leads away from the height at which it starts.
    pub(crate) fn ground_near(
        &mut self,
        line: &Line,
        map: &FineMap,
        slices: &Slices,
        scales: &Scales,
    ) -> Option<f64> {
        // As far as the steepest ground leads, and over some breaks.
        let near = (scales.lean as f64 + 4.0 * scales.break_height).min(scales.climb as f64);
        let sought = Sought::between(line.height - near, line.height + near).facing_up();
        self.ways.clear();
        for (stretch, shift) in line.stretches(scales) {
            let start = line.start_before(shift);
            stretch.faces(sought, slices).for_each(|face| {
                let surface = face.surface;
                if surface == Surface::STEEP && map.is_refused(face.triangle) {
                    return;
                }
                let corners = &slices.triangles[face.triangle as usize].corners;
                let Some(cut) = cut_along(corners, line.axis, start) else { return };
                let cut = LineCut { surface, ..cut };
                let seen = cut.seen_along(line, shift as f64, f64::from(scales.fine));
                self.ways.extend(seen.filter(Cut::may_be_walked_over));
            });
        }
        // What was not cut lies more than a break away from there.
        self.walk_within(line, near - scales.break_height - ROUNDING, scales)
    }

    /// How far a walk over breaks comes on ground, where it leads no farther up or down than so much.
    fn walk_within(&self, line: &Line, most: f64, scales: &Scales) -> Option<f64> {
        let (whole, climb) = (f64::from(scales.fine), scales.break_height);
        let (mut at, mut z, mut walked) = (0.0_f64, line.height, 0.0_f64);
        // The height of the ground before what is too steep.
        let mut left = line.height;
        while at < whole {
            let mut best: Option<(bool, f64, f64)> = None;
            for c in self.ways.iter().filter(|c| c.from <= at + scales.gap && c.to > at) {
                let ground = c.surface.is_ground();
                let (there, end) = (c.height(c.from.max(at)), c.height(c.to));
                let from_left = if ground { there } else { end } - left;
                let fits = (there - z).abs() <= climb && from_left.abs() <= climb;
                if fits && best.is_none_or(|b| (ground, c.to, end) > b) {
                    best = Some((ground, c.to, end));
                }
            }
            let Some((ground, to, end)) = best else { return Some(walked) };
            if (end - line.height).abs() > most {
                return None;
            }
            (at, z) = (to, end);
            if ground {
                (walked, left) = (to, end);
            }
        }
        Some(whole)
    }
}

/// Whether there is ground along a line between the heights at which [`Probe::tread_below`] finds treads.
pub(crate) fn may_have_tread(line: &Line, lower: f64, slices: &Slices, scales: &Scales) -> bool {
    let (step, [least, _]) = (scales.step as f64, heights_along(&[*line], scales));
    let low = (lower + scales.break_height).max(least as f64 - step) - ROUNDING;
    let sought = Sought::between(low, lower + step + ROUNDING).facing_up();
    let mut found = line
        .stretches(scales)
        .flat_map(|(stretch, _)| stretch.faces(sought, slices))
        .filter(|face| face.surface.is_ground());
    found.next().is_some()
}
