//! What stands ahead along a line, found from the few triangles that may be in the way.

use crate::layered::model::cuts::{Begin, LineCut, cut_along, enters, enters_low};
use crate::layered::model::face::Sought;
use crate::layered::model::line::{PixelLine, heights_along};
use crate::layered::model::probe::Probe;
use crate::layered::model::terrain::Terrain;

impl Probe<'_> {
    /// Looks along lines that run from both ends of one stretch, or from one: cuts only the triangles that may be
    /// in the way by their heights. Returns how far away along each something stands that is too high to be
    /// stepped over; infinitely far where nothing does.
    pub(crate) fn look_ahead<const N: usize>(&mut self, lines: &[PixelLine; N]) -> [f64; N] {
        let Terrain { slices, scales, .. } = self.terrain;
        let sought = Sought::ending(heights_along(lines, scales), scales);
        let reach = f64::from(scales.fine);
        let (step, height) = (scales.step as f64, scales.height as f64);
        let mut stands = [f64::INFINITY; N];
        self.begins.clear();
        let axis = lines[0].axis;
        for (stretch, shift) in lines[0].stretches(scales) {
            let start = lines[0].start_before(shift);
            let shifts = lines.map(|line| (line.start[axis] - start[axis]) as f64);
            slices.faces_along(stretch, sought).for_each(|face| {
                let corners = &slices.triangles[face.triangle as usize].corners;
                // Most lie behind what was found before.
                if (0..N).all(|k| lines[k].nearest_of(corners) >= stands[k]) {
                    return;
                }
                let Some(cut) = cut_along(corners, axis, start) else { return };
                for k in 0..N {
                    let Some(cut) = cut.seen_along(&lines[k], shifts[k], reach) else { continue };
                    let above = cut.above(&lines[k]);
                    if let Some(s) = enters(&cut, above, step, height) {
                        stands[k] = stands[k].min(s);
                    } else if face.class.faces_down()
                        && let Some(s) = enters_low(&cut, above, scales)
                    {
                        let begin = Begin::of(&cut, &lines[k], scales);
                        self.begins.extend(begin.map(|begin| (k, s, begin)));
                    }
                }
            });
        }
        stands
    }

    /// How far away along one of the lines last looked along something begins below the step's height that
    /// goes on above it, or something else stands, whatever is nearer.
    pub(crate) fn first_ahead(&mut self, number: usize, line: &PixelLine, stands: f64) -> f64 {
        let Terrain { slices, scales, .. } = self.terrain;
        self.begins_ahead.clear();
        let nearer = self.begins.iter().filter(|(k, s, _)| *k == number && *s < stands);
        self.begins_ahead.extend(nearer.map(|(_, s, begin)| (*s, *begin)));
        let Some(all) = Begin::around(&self.begins_ahead) else { return stands };
        // What may end any of them is cut once for all.
        self.ups.clear();
        let sought = Sought::between(all.lowest, all.highest).facing_up();
        let place = |s: f64| line.start[line.axis] as f64 + line.sign * s;
        let (from, to) = (place(all.from), place(all.to));
        let (from, to) = (from.min(to), from.max(to));
        for (stretch, shift) in line.stretches(scales) {
            let start = line.start_before(shift);
            slices.faces_along(stretch, sought).for_each(|face| {
                let corners = &slices.triangles[face.triangle as usize].corners;
                let [a, b, c] = corners.map(|c| f64::from(c[line.axis]));
                // Most do not reach there. Rounding is far below a unit.
                if a.min(b).min(c) > to + 1.0 || a.max(b).max(c) < from - 1.0 {
                    return;
                }
                let cut = cut_along(corners, line.axis, start);
                let seen = |c: LineCut| c.seen_along(line, shift as f64, f64::from(scales.fine));
                self.ups.extend(cut.and_then(seen));
            });
        }
        let goes_on = |begin: &Begin| !self.ups.iter().any(|up| begin.is_ended_by(up));
        let solid = self.begins_ahead.iter().filter(|(_, begin)| goes_on(begin));
        solid.fold(stands, |first, (s, _)| first.min(*s))
    }

    /// Whether the ground at the ends of lines from both ends of one stretch, the first forwards, is two triangles that
    /// meet along it, a step apart at most: then ground goes on, whatever else lies there.
    pub(crate) fn grounds_meet(&self, lines: &[PixelLine; 2], triangles: [u32; 2]) -> bool {
        let Terrain { slices, scales, .. } = self.terrain;
        let (whole, climb) = (f64::from(scales.fine), scales.climb as f64);
        let cut = |triangle: u32| {
            let corners = &slices.triangles[triangle as usize].corners;
            let cut = cut_along(corners, lines[0].axis, lines[0].start)?;
            cut.seen_along(&lines[0], 0.0, whole).filter(|_| !cut.upright)
        };
        let [Some(a), Some(b)] = triangles.map(cut) else { return false };
        let is_near = |s: f64| (a.height(s) - b.height(s)).abs() <= climb;
        a.from <= 0.0
            && b.to >= whole
            && b.from <= a.to + scales.gap
            && is_near(a.to)
            && is_near(b.from)
    }

    /// How far away the first edge of ground crosses a line that no other ground shares, near the heights of some
    /// lines along the same stretch; infinite where none does.
    pub(crate) fn first_ledge(&self, lines: &[PixelLine]) -> f64 {
        let Terrain { slices, scales, .. } = self.terrain;
        let [least, most] = heights_along(lines, scales);
        let (line, climb) = (&lines[0], scales.climb);
        let axis = line.axis;
        let from = line.start[axis];
        let along = [from, from + if line.sign > 0.0 { 1 } else { -1 } * i64::from(scales.fine)];
        let mut first = f64::INFINITY;
        for (stretch, _) in line.stretches(scales) {
            let crossings = slices.ledges.of(stretch.column).iter().filter_map(|ledge| {
                let is_near = ledge.spans.meet(&stretch)
                    & (i64::from(ledge.hi) >= least - climb)
                    & (i64::from(ledge.lo) <= most + climb);
                is_near.then(|| ledge.crossing(axis, line.start[1 - axis], along)).flatten()
            });
            first = crossings.fold(first, f64::min);
        }
        first
    }
}
