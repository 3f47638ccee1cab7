//! Walks along a line over what may be walked over.
//!
//! Goes in: a line from the middle of a pixel, and the triangles over its columns that face up. Comes out: how far
//! the ground goes on. Whoever asks for ground without a break need not cut what lies a step above or below: only
//! where the ground itself leads there, all is looked at.

use crate::input::classify::FaceClass;
use crate::layered::model::cuts::{Cut, LineCut, cut_along};
use crate::layered::model::face::Sought;
use crate::layered::model::line::{PixelLine, heights_along};
use crate::layered::model::probe::{Look, Probe};
use crate::layered::model::scales::Scales;
use crate::layered::model::terrain::Terrain;

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

impl Probe<'_> {
    /// Walks along the line last looked along, over steps of at most `climb`.
    pub(crate) fn walk(&self, line: &PixelLine, climb: f64) -> Walk {
        let scales = self.terrain.scales;
        let whole = f64::from(scales.fine);
        let mut walk = Walk { at: 0.0, walked: 0.0, away: 0.0 };
        let (mut z, mut left) = (line.height, line.height);
        while walk.at < whole {
            let mut best: Option<(bool, f64, f64)> = None;
            for c in self.ways.iter().filter(|c| c.from <= walk.at + scales.gap && c.to > walk.at) {
                let ground = c.class.is_ground();
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
    pub(crate) fn walk_unbroken(&mut self, line: &PixelLine) -> Walk {
        let Terrain { map, slices, scales } = self.terrain;
        // As far as the steepest ground leads, and over some breaks.
        let near = (scales.lean as f64 + 4.0 * scales.break_height).min(scales.climb as f64);
        let sought = Sought::between(line.height - near, line.height + near).facing_up();
        self.ways.clear();
        for (stretch, shift) in line.stretches(scales) {
            let start = line.start_before(shift);
            slices.faces_along(stretch, sought).for_each(|face| {
                let class = face.class;
                if class == FaceClass::STEEP && map.is_refused(face.triangle) {
                    return;
                }
                let corners = &slices.triangles[face.triangle as usize].corners;
                let Some(cut) = cut_along(corners, line.axis, start) else { return };
                let cut = LineCut { class, ..cut };
                let seen = cut.seen_along(line, shift as f64, f64::from(scales.fine));
                self.ways.extend(seen.filter(Cut::may_be_walked_over));
            });
        }
        let walk = self.walk(line, scales.break_height);
        // What was not cut lies more than a break away from where it comes.
        if walk.away <= near - scales.break_height - ROUNDING {
            return walk;
        }
        self.look(line, Look::Ground);
        self.walk(line, scales.break_height)
    }

    /// Whether there is ground along a line between the heights at which [`Probe::tread_below`] finds treads.
    pub(crate) fn may_have_tread(&self, line: &PixelLine, lower: f64) -> bool {
        let Terrain { slices, scales, .. } = self.terrain;
        let (step, [least, _]) = (scales.step as f64, heights_along(&[*line], scales));
        let low = (lower + scales.break_height).max(least as f64 - step) - ROUNDING;
        let sought = Sought::between(low, lower + step + ROUNDING).facing_up();
        let mut found = line
            .stretches(scales)
            .flat_map(|(stretch, _)| slices.faces_along(stretch, sought))
            .filter(|face| face.class.is_ground());
        found.next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::model::fine_map::STEPS;
    use crate::layered::test_scenes::{crowded, littered, scanned, walked};
    use crate::settings::BakeSettings;
    use surefoot_scene::Scene;

    /// Lines whose ground ends on the way, lines beyond which there is a tread, and those that can have none.
    fn compare(name: &str, scene: &Scene) -> [usize; 3] {
        let settings = BakeSettings::default().resolve().unwrap();
        let (map, slices, scales) = walked(scene, &settings);
        let terrain = Terrain { map: &map, slices: &slices, scales: &scales };
        let (mut probe, mut found) = (Probe::new(terrain), [0; 3]);
        for pixel in (0..map.len() as u32).filter(|&p| map.has_ground(p)) {
            for (direction, step) in STEPS.into_iter().enumerate() {
                let line = terrain.line_from(pixel, direction);
                let near = probe.walk_unbroken(&line);
                probe.look(&line, Look::All);
                let all = probe.walk(&line, scales.break_height);
                assert_eq!(near, all, "{name}: from {pixel} to {direction}");
                found[0] += usize::from(all.extent(&scales) < f64::from(scales.fine));
                for lower in terrain.grounds_at(terrain.place(pixel).beside(step)) {
                    let lower = terrain.height(lower) as f64;
                    let has_tread = probe.tread_below(&line, lower).is_some();
                    let may_have = probe.may_have_tread(&line, lower);
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
