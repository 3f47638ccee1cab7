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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StageContext;
    use crate::layered::cutting_shape::cutting_shape;
    use crate::layered::drop_narrow::tests::{crowded, littered, scanned};
    use crate::layered::fine_map::FinePlace;
    use crate::layered::flood_layers::flood_layers;
    use crate::layered::ledges::Points;
    use crate::layered::link_pixels::line_from;
    use crate::layered::probe::Look;
    use crate::layered::read_triangles::read_triangles;
    use crate::layered::refine::refine;
    use crate::layered::scales::with_coarse_cells;
    use crate::layered::slice::slice;
    use crate::layered::walk_over::walk_over;
    use crate::settings::BakeSettings;
    use surefoot_scene::Scene;

    /// Lines whose ground ends on the way, lines beyond which there is a tread, and those that can have none.
    fn compare(name: &str, scene: &Scene) -> [usize; 3] {
        let settings = with_coarse_cells(&BakeSettings::default().resolve().unwrap());
        let context = &mut StageContext::new();
        let read = read_triangles(scene, &settings, context).unwrap();
        let scales = Scales::new(&read.triangles, &settings).unwrap();
        let points = Points { numbers: &read.numbers, points: &read.points };
        let slices = slice(read.triangles.clone(), points, &scales, context).unwrap();
        let layers = flood_layers(&slices, &scales, context).unwrap();
        let shape = cutting_shape(layers, &slices, &scales, context).unwrap();
        let map = refine(shape, &slices, &scales, context).unwrap();
        let map = walk_over(map, &slices, &scales, context).unwrap();
        let (probe, mut found) = (&mut Probe::default(), [0; 3]);
        for pixel in (0..map.len() as u32).filter(|&p| map.has_ground(p)) {
            let here = map.place(pixel, &scales);
            for (direction, [dx, dy]) in [[1, 0], [0, 1], [-1, 0], [0, -1]].into_iter().enumerate()
            {
                let line = line_from(&map, pixel, direction, &slices, &scales);
                let near = probe.ground_near(&line, &map, &slices, &scales);
                probe.look(&line, Look::All, &map, &slices, &scales);
                let extent = probe.ground_extent(&line, scales.break_height, &scales);
                let same = near.is_none_or(|near| near.to_bits() == extent.to_bits());
                assert!(same, "{name}: {near:?} is {extent} from {pixel} to {direction}");
                found[0] += usize::from(near.is_some() && extent < f64::from(scales.fine));
                let next = FinePlace { y: here.y + dy, x: here.x + dx };
                for lower in map.pixels_at(next, &scales).filter(|&p| map.has_ground(p)) {
                    let lower = f64::from(map.heights[lower as usize]);
                    let has_tread = probe.tread_below(&line, lower, &scales).is_some();
                    let may_have = may_have_tread(&line, lower, &slices, &scales);
                    assert!(may_have || !has_tread, "{name}: {pixel} to {direction}");
                    found[1] += usize::from(has_tread);
                    found[2] += usize::from(!may_have);
                }
            }
        }
        found
    }

    /// What lies near tells of ground what all that crosses a line tells.
    #[test]
    fn ground_near_a_line_is_all_its_ground() {
        let scenes =
            [crowded("open-stairs", 0.3), littered(1), littered(2), littered(3), scanned(3)];
        let (mut treads, mut none) = (0, 0);
        for (number, scene) in scenes.iter().enumerate() {
            let found = compare(&format!("scene {number}"), scene);
            assert!(found[0] > 200, "scene {number}: {} ends", found[0]);
            (treads, none) = (treads + found[1], none + found[2]);
        }
        assert!(treads > 10 && none > 1_000, "{treads} treads, {none} times none");
    }
}
