//! Tells what lies between two neighbouring pixels.
//!
//! Goes in: the fine depth maps, and what may end the ground there. Comes out: whether the agent can go from one to
//! the other, whether the ground breaks between them, and how far it goes on from either. A few triangles tell in
//! many cases; otherwise the line between the middles is cut with all that cross it.

use crate::layered::link_pixels::doubts::Doubt;
use crate::layered::model::fine_map::{PixelKind, STEPS};
use crate::layered::model::line::PixelLine;
use crate::layered::model::probe::{GroundRun, Look, Probe};
use crate::layered::model::scales::RUN_PER_RISE;
use crate::layered::model::terrain::Terrain;
use surefoot_mesh::EdgeClass;

/// Looks from pixel to pixel.
pub(super) struct PixelPairs<'a> {
    pub(super) terrain: Terrain<'a>,
    probe: Probe<'a>,
}

impl<'a> PixelPairs<'a> {
    pub(super) fn new(terrain: Terrain<'a>) -> Self {
        Self { terrain, probe: Probe::new(terrain) }
    }

    #[inline]
    pub(super) fn is_bridge(&self, pixel: u32) -> bool {
        self.terrain.kind(pixel) == PixelKind::Bridge
    }

    fn is_riser(&self, pixel: u32) -> bool {
        self.terrain.kind(pixel) == PixelKind::Steep
    }

    fn is_one_ground(&self, a: u32, b: u32) -> bool {
        let grounds = &self.terrain.map.grounds;
        grounds[a as usize] == grounds[b as usize]
    }

    /// The ground beside a pixel that a step reaches.
    pub(super) fn ground_beside(&self, pixel: u32, direction: usize) -> Option<u32> {
        let (terrain, height) = (self.terrain, self.terrain.height(pixel));
        let away = |b: u32| (terrain.height(b) - height).abs();
        let in_reach = |b: u32| terrain.map.has_ground(b) && away(b) <= terrain.scales.climb;
        // Most columns have one layer.
        if let Some(next) = terrain.scales.next_in_cell(pixel, direction)
            && terrain.map.shape.cells_of(terrain.column_of(pixel)).len() == 1
        {
            return in_reach(next).then_some(next);
        }
        let place = terrain.place(pixel).beside(STEPS[direction]);
        terrain.pixels_at(place).filter(|&b| in_reach(b)).min_by_key(|&b| away(b))
    }

    /// Whether nothing can end the ground between two pixels.
    #[inline]
    pub(super) fn is_certain(&self, a: u32, b: u32, doubt: Doubt) -> bool {
        !doubt.obstacle && (!doubt.ledge || self.is_one_ground(a, b))
    }

    /// Whether a pixel is linked to one beside it at first sight: near it, without a break, and nothing
    /// can end the ground between them.
    #[inline]
    pub(super) fn goes_on(&self, pixel: u32, other: u32, doubt: Doubt) -> bool {
        let (map, scales) = (self.terrain.map, self.terrain.scales);
        let apart = i64::from(map.heights[pixel as usize].abs_diff(map.heights[other as usize]));
        map.has_ground(other)
            && apart <= scales.climb
            // Ground at one place lies the agent's height apart: none is nearer.
            && 2 * apart < scales.height
            && (self.is_one_ground(pixel, other) || apart as f64 <= scales.break_height)
            && !self.is_bridge(pixel)
            && !self.is_bridge(other)
            && self.is_certain(pixel, other, doubt)
    }

    /// Whether the ground breaks between two pixels: they differ by more than their slope, or one is
    /// a bridge.
    pub(super) fn breaks(&self, a: u32, b: u32, axis: usize) -> bool {
        let folds = self.is_bridge(a) != self.is_bridge(b);
        if folds || self.is_one_ground(a, b) {
            return folds;
        }
        let (terrain, scales) = (self.terrain, self.terrain.scales);
        let apart = (terrain.height(a) - terrain.height(b)).abs() as f64;
        let least = scales.break_height;
        let rise = |p: u32| terrain.rise(p, axis).abs();
        apart > least && apart > rise(a).max(rise(b)) * f64::from(scales.fine) + least
    }

    /// Whether nothing ends the ground between two pixels, or only a lip or the gap between two treads.
    pub(super) fn is_passable(&mut self, [a, b]: [u32; 2], direction: usize, doubt: Doubt) -> bool {
        let terrain = self.terrain;
        let (line, back) =
            (terrain.line_from(a, direction), || terrain.line_from(b, direction + 2));
        if self.is_one_ground(a, b) {
            // One triangle goes on as one plane.
            let [stands] = self.probe.look_ahead(&[line]);
            let first = self.probe.first_ahead(0, &line, stands);
            return first.is_infinite()
                || (stands.is_infinite() && self.passes_lip(&[line, back()]));
        }
        // Two go on with the slopes of both, which the first doubt does not know.
        let lines = [line, back()];
        let stands = self.probe.look_ahead(&lines);
        let is_clear = stands.iter().all(|s| s.is_infinite());
        let has_ledge = || doubt.ledge && self.probe.first_ledge(&lines).is_finite();
        let may_end = || self.is_riser(a) || self.is_riser(b) || has_ledge();
        if terrain.scales.passes_any_gap() || !may_end() {
            // Only what stands on the ground can end it.
            return is_clear && (self.nothing_begins(&lines) || self.passes_lip(&lines));
        }
        if !is_clear || !self.nothing_begins(&lines) {
            return self.passes_obstacles(&lines);
        }
        // Where nothing can be in the way, it is enough to look at the ground.
        self.grounds_meet([a, b], &lines)
            || lines.iter().all(|line| self.ground_run(line) == GroundRun::Whole)
            || self.passes_gap(&lines)
    }

    /// Whether what stands or begins along two lines leaves a way, or is only a lip.
    fn passes_obstacles(&mut self, lines: &[PixelLine; 2]) -> bool {
        let mut is_whole = true;
        for line in lines {
            match self.run(line) {
                GroundRun::Whole => {}
                GroundRun::To(_, EdgeClass::Open) => is_whole = false,
                GroundRun::To(..) => return self.passes_lip(lines),
            }
        }
        is_whole || self.passes_gap(lines)
    }

    /// Whether what is missing between the unbroken grounds of two lines is a gap between treads that may be bridged.
    fn passes_gap(&mut self, lines: &[PixelLine; 2]) -> bool {
        let scales = self.terrain.scales;
        let ends = lines.map(|line| self.probe.walk_unbroken(&line).end(scales));
        let rise = (lines[0].height - lines[1].height).abs();
        f64::from(scales.fine) - (ends[0] + ends[1]) <= RUN_PER_RISE * rise
    }

    /// Whether all that ends the ground between two pixels is a lip: a sliver of an underside below step
    /// height, which takes no more from the ground than a gap that is none.
    fn passes_lip(&mut self, lines: &[PixelLine; 2]) -> bool {
        let scales = self.terrain.scales;
        let mut missing = f64::from(scales.fine);
        for line in lines {
            self.probe.look(line, Look::All);
            let Some(extent) = self.probe.low_extent(line, scales.climb as f64) else {
                return false;
            };
            missing -= extent;
        }
        missing <= scales.gap
    }

    /// Whether the ground of two pixels is two triangles that meet.
    fn grounds_meet(&self, pixels: [u32; 2], lines: &[PixelLine; 2]) -> bool {
        let is_ground = |p: u32| self.terrain.kind(p) == PixelKind::Ground;
        let grounds = pixels.map(|p| self.terrain.map.grounds[p as usize]);
        pixels.into_iter().all(is_ground) && self.probe.grounds_meet(lines, grounds)
    }

    /// Whether nothing begins below the step's height that goes on above it, along lines last looked along on
    /// which nothing stands.
    fn nothing_begins(&mut self, lines: &[PixelLine]) -> bool {
        let mut first = |(k, line)| self.probe.first_ahead(k, line, f64::INFINITY);
        lines.iter().enumerate().all(|line| first(line).is_infinite())
    }

    /// How far the ground goes on along a line, asked of all that crosses it.
    fn run(&mut self, line: &PixelLine) -> GroundRun {
        self.probe.look(line, Look::All);
        self.probe.reach(line, self.terrain.scales.climb as f64)
    }

    /// The same where nothing can be in the way.
    fn ground_run(&mut self, line: &PixelLine) -> GroundRun {
        let scales = self.terrain.scales;
        self.probe.look(line, Look::Ground);
        let end = self.probe.walk(line, scales.climb as f64).end(scales);
        match end < f64::from(scales.fine) {
            true => GroundRun::To(end, EdgeClass::Open),
            false => GroundRun::Whole,
        }
    }

    /// How far the ground of a pixel goes on in a direction: in many cases a few triangles tell.
    pub(super) fn run_from(&mut self, pixel: u32, direction: usize) -> GroundRun {
        let (line, scales) = (self.terrain.line_from(pixel, direction), self.terrain.scales);
        let never_ends = scales.passes_any_gap();
        if self.is_riser(pixel) && !never_ends {
            return self.run(&line);
        }
        let [stands] = self.probe.look_ahead(&[line]);
        let first = self.probe.first_ahead(0, &line, stands);
        // Ground goes on at least as far as to the first of its edges.
        let ledge = if never_ends { f64::INFINITY } else { self.probe.first_ledge(&[line]) };
        if first <= ledge + scales.gap && first.is_finite() {
            GroundRun::To(first.min(f64::from(scales.fine)), EdgeClass::Blocked)
        } else if first.is_finite() {
            self.run(&line)
        } else if ledge.is_finite() {
            self.ground_run(&line)
        } else {
            GroundRun::Whole
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::test_scenes::{crowded, walked};
    use crate::settings::{BakeSettings, LayeredSettings};

    /// What a few triangles tell of a line is what all that cross it tell; with gaps as wide as a pixel too.
    #[test]
    fn a_quick_look_sees_what_a_long_one_does() {
        for (name, gap_distance_m) in
            [("town-house", 0.01), ("open-stairs", 0.01), ("terrace-house", 0.06)]
        {
            let method = LayeredSettings::default().into();
            let settings = BakeSettings { method, gap_distance_m, ..BakeSettings::default() };
            let settings = settings.resolve().unwrap();
            let (map, slices, scales) = walked(&crowded(name, 0.3), &settings);
            let terrain = Terrain { map: &map, slices: &slices, scales: &scales };
            let (mut pairs, mut counts) = (PixelPairs::new(terrain), [0; 3]);
            for pixel in (0..map.len() as u32).filter(|&p| map.has_ground(p)) {
                for direction in (0..4).filter(|_| terrain.kind(pixel) != PixelKind::Bridge) {
                    let quick = pairs.run_from(pixel, direction);
                    let long = pairs.run(&terrain.line_from(pixel, direction));
                    let told = format!("{name}: {quick:?} is {long:?} from {pixel} to {direction}");
                    match (quick, long) {
                        (GroundRun::Whole, GroundRun::Whole) => counts[0] += 1,
                        (GroundRun::To(a, class), GroundRun::To(b, other)) => {
                            assert!((a - b).abs() < 1e-6 && class == other, "{told}");
                            counts[1 + usize::from(class == EdgeClass::Blocked)] += 1;
                        }
                        _ => panic!("{told}"),
                    }
                }
            }
            let seen = if scales.passes_any_gap() { &counts[2..] } else { &counts[..] };
            assert!(seen.iter().all(|n| *n > 50), "{name}: {counts:?} whole, open and blocked");
        }
    }
}
