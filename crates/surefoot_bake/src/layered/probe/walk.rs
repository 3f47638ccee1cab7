//! Walks along a line over what may be walked over.
//!
//! Goes in: a line from the middle of a pixel, and the triangles over its columns that face up. Comes out: how far
//! the ground goes on. Whoever asks for ground without a break need not cut what lies a step above or below: only
//! where the ground itself leads there, all is looked at.

use super::{Cut, Line, LineCut, Look, Probe, cut_along, heights_along};
use crate::layered::fine_map::FineMap;
use crate::layered::scales::Scales;
use crate::layered::slice::{Slices, Sought};
use crate::voxel::grid::Surface;

/// What the heights of faces over a column are rounded by, and more.
const ROUNDING: f64 = 3.0;

/// How far a walk along a line comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Walk {
    /// How far it comes at all, and how far of it is ground.
    at: f64,
    walked: f64,
    /// How far it leads up or down.
    away: f64,
}

impl Walk {
    /// How far the ground goes on, where a gap at the end of the line is none.
    pub(crate) fn end(&self, scales: &Scales) -> f64 {
        let whole = f64::from(scales.fine);
        if self.walked + scales.gap >= whole { whole } else { self.extent(scales) }
    }

    /// How far there is ground, less than a gap's width from the rest of it.
    pub(crate) fn extent(&self, scales: &Scales) -> f64 {
        let whole = f64::from(scales.fine);
        if self.at >= whole { whole } else { self.walked }
    }
}

impl Probe {
    /// Walks along the line last looked along, over steps of at most `climb`.
    pub(crate) fn walk(&self, line: &Line, climb: f64, scales: &Scales) -> Walk {
        let whole = f64::from(scales.fine);
        let mut walk = Walk { at: 0.0, walked: 0.0, away: 0.0 };
        let (mut z, mut left) = (line.height, line.height);
        while walk.at < whole {
            let mut best: Option<(bool, f64, f64)> = None;
            for c in self.ways.iter().filter(|c| c.from <= walk.at + scales.gap && c.to > walk.at) {
                let ground = c.surface.is_ground();
                let (there, end) = (c.height(c.from.max(walk.at)), c.height(c.to));
                // Over what is too steep, as far as a step from the ground before it.
                let from_left = if ground { there } else { end } - left;
                let fits = (there - z).abs() <= climb && from_left.abs() <= climb;
                if fits && best.is_none_or(|b| (ground, c.to, end) > b) {
                    best = Some((ground, c.to, end));
                }
            }
            let Some((ground, to, end)) = best else { break };
            (walk.at, z) = (to, end);
            walk.away = walk.away.max((end - line.height).abs());
            if ground {
                (walk.walked, left) = (to, end);
            }
        }
        walk
    }

    /// Walks along a line as far as its ground goes on without a break.
    pub(crate) fn walk_unbroken(
        &mut self,
        line: &Line,
        map: &FineMap,
        slices: &Slices,
        scales: &Scales,
    ) -> Walk {
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
        let walk = self.walk(line, scales.break_height, scales);
        // What was not cut lies more than a break away from where it comes.
        if walk.away <= near - scales.break_height - ROUNDING {
            return walk;
        }
        self.look(line, Look::Ground, map, slices, scales);
        self.walk(line, scales.break_height, scales)
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
    use crate::layered::drop_narrow::tests::{crowded, littered, scanned};
    use crate::layered::fine_map::FinePlace;
    use crate::layered::link_pixels::line_from;
    use crate::layered::walk_over::tests::walked;
    use crate::settings::BakeSettings;
    use surefoot_scene::Scene;

    /// Lines whose ground ends on the way, lines beyond which there is a tread, and those that can have none.
    fn compare(name: &str, scene: &Scene) -> [usize; 3] {
        let settings = BakeSettings::default().resolve().unwrap();
        let (map, slices, scales) = walked(scene, &settings);
        let (probe, mut found) = (&mut Probe::default(), [0; 3]);
        for pixel in (0..map.len() as u32).filter(|&p| map.has_ground(p)) {
            let here = map.place(pixel, &scales);
            for (direction, [dx, dy]) in [[1, 0], [0, 1], [-1, 0], [0, -1]].into_iter().enumerate()
            {
                let line = line_from(&map, pixel, direction, &slices, &scales);
                let near = probe.walk_unbroken(&line, &map, &slices, &scales);
                probe.look(&line, Look::All, &map, &slices, &scales);
                let all = probe.walk(&line, scales.break_height, &scales);
                assert_eq!(near, all, "{name}: from {pixel} to {direction}");
                found[0] += usize::from(all.extent(&scales) < f64::from(scales.fine));
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
