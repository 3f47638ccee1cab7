//! Looks along a line from the middle of a pixel to the next: how far the ground goes on.
//!
//! Goes in: the triangles over the columns around the line. Comes out: where ground ends, or where
//! something stands in the way, exactly. The line is cut with the triangles themselves: over it each
//! is a straight segment of heights. This stands in place of drawing faces near the vertical as wires
//! (Oliva 2012, §6.2.3): a wall of no thickness ends the ground where it stands.

mod ahead;
mod walk;

use crate::input::classify::FaceClass;
use crate::layered::model::cuts::{Begin, Cut, LineCut, cut_along, enters, enters_low};
use crate::layered::model::face::{LineStretch, Sought};
use crate::layered::model::line::PixelLine;
use crate::layered::model::scales::TOUCHING_UNITS;
use crate::layered::model::terrain::Terrain;
use surefoot_mesh::EdgeClass;

/// Which triangles are cut along a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// All of them.
    All,
    /// Those that may be walked over: nothing stands in the way, or it is not asked for.
    Ground,
}

/// How far the ground goes on along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GroundRun {
    /// To the next pixel's middle.
    Whole,
    /// To a distance; and what ends it there.
    To(f64, EdgeClass),
}

/// A column's triangles cut along one stretch of a line.
#[derive(Debug, Default)]
struct NearStretch {
    stretch: LineStretch,
    /// Whether only ground was cut.
    ground_only: bool,
    /// Between which heights triangles were cut; nothing where none were.
    heights: Option<[f64; 2]>,
    cuts: Vec<LineCut>,
}

/// Looks along lines, and remembers what it found along the last ones.
#[derive(Debug)]
pub(crate) struct Probe<'a> {
    pub(crate) terrain: Terrain<'a>,
    cuts: Vec<Cut>,
    /// Those of them that may be walked over.
    ways: Vec<Cut>,
    /// What may begin something in the way: on which line, and how far away; and those along one line.
    begins: Vec<(usize, f64, Begin)>,
    begins_ahead: Vec<(f64, Begin)>,
    /// What faces up where they are.
    ups: Vec<Cut>,
    /// What was looked at last: a stretch is looked along from both of its ends.
    stretches: [NearStretch; 4],
    oldest: usize,
}

impl<'a> Probe<'a> {
    pub(crate) fn new(terrain: Terrain<'a>) -> Self {
        Self {
            terrain,
            cuts: Vec::new(),
            ways: Vec::new(),
            begins: Vec::new(),
            begins_ahead: Vec::new(),
            ups: Vec::new(),
            stretches: Default::default(),
            oldest: 0,
        }
    }

    /// Cuts the triangles along a line.
    pub(crate) fn look(&mut self, line: &PixelLine, what: Look) {
        let scales = self.terrain.scales;
        self.cuts.clear();
        self.ways.clear();
        let reach = f64::from(scales.fine);
        // A step from the ground, and over it the agent's height.
        let (climb, rise) = ((scales.climb + TOUCHING_UNITS) as f64, line.rise.abs() * reach);
        let over = if what == Look::All { scales.height as f64 } else { 0.0 };
        let (lowest, highest) = (line.height - climb - rise, line.height + climb + over + rise);
        for (stretch, shift) in line.stretches(scales) {
            let start = line.start_before(shift);
            let at = self.gather(stretch, start, what, [lowest, highest]);
            let shift = shift as f64;
            for c in &self.stretches[at].cuts {
                if c.z[0].max(c.z[1]) < lowest || c.z[0].min(c.z[1]) > highest {
                    continue;
                }
                if let Some(cut) = c.seen_along(line, shift, reach) {
                    if cut.may_be_walked_over() {
                        self.ways.push(cut);
                    }
                    self.cuts.push(cut);
                }
            }
        }
    }

    /// The triangles of a column along a stretch: those found before, or found now. Returns where.
    fn gather(
        &mut self,
        stretch: LineStretch,
        start: [i64; 2],
        what: Look,
        [lowest, highest]: [f64; 2],
    ) -> usize {
        let Terrain { map, slices, scales } = self.terrain;
        let holds = |s: &NearStretch| {
            s.stretch == stretch
                && (!s.ground_only || what == Look::Ground)
                && s.heights.is_some_and(|[low, high]| low <= lowest && high >= highest)
        };
        if let Some(at) = self.stretches.iter().position(holds) {
            return at;
        }
        self.oldest = (self.oldest + 1) % self.stretches.len();
        let at = self.oldest;
        // Some more, for the pixel at the other end; other storeys are not cut.
        let more = 0.5 * scales.step as f64;
        let (low, high) = (lowest - more, highest + more);
        let near = &mut self.stretches[at];
        (near.stretch, near.heights) = (stretch, Some([low, high]));
        near.ground_only = what == Look::Ground;
        near.cuts.clear();
        let sought = match what {
            Look::All => Sought::between(low, high),
            Look::Ground => Sought::between(low, high).facing_up(),
        };
        slices.faces_along(stretch, sought).for_each(|face| {
            let corners = &slices.triangles[face.triangle as usize].corners;
            if let Some(cut) = cut_along(corners, usize::from(stretch.axis), start) {
                let class = face.class;
                let refused = class == FaceClass::STEEP && map.is_refused(face.triangle);
                near.cuts.push(LineCut { class, refused, ..cut });
            }
        });
        at
    }

    /// How far the ground goes on, over steps of at most `climb`.
    pub(crate) fn reach(&self, line: &PixelLine, climb: f64) -> GroundRun {
        let scales = self.terrain.scales;
        let whole = f64::from(scales.fine);
        let end = self.walk(line, climb).end(scales);
        // What stands on the ground counts as far as the ground goes without a break: beyond, it is
        // the other side's to say.
        let counts = |s: &f64| {
            *s <= end + scales.gap
                && *s <= self.walk(line, scales.break_height).end(scales) + scales.gap
        };
        match self.first_obstacle(line).filter(counts) {
            Some(s) => GroundRun::To(s.min(whole), EdgeClass::Blocked),
            None if end < whole => GroundRun::To(end, EdgeClass::Open),
            None => GroundRun::Whole,
        }
    }

    /// How far there is ground along a line before something low stands on it; nothing where what
    /// stands there, or anywhere over the line, is too high to be stepped over.
    pub(crate) fn low_extent(&self, line: &PixelLine, climb: f64) -> Option<f64> {
        let scales = self.terrain.scales;
        let (low, high) = (scales.step as f64, scales.height as f64);
        if self.cuts.iter().any(|c| enters(c, c.above(line), low, high).is_some()) {
            return None;
        }
        let end = self.walk(line, climb).extent(scales);
        Some(self.first_obstacle(line).map_or(end, |s| s.min(end)))
    }

    /// A tread beyond the end of a line's ground, one step below it and one above ground at `lower`, on
    /// which the agent can stand at its rim: its height there, and how far away the rim is.
    pub(crate) fn tread_below(&self, line: &PixelLine, lower: f64) -> Option<(f64, f64)> {
        let scales = self.terrain.scales;
        let (step, whole) = (scales.step as f64, f64::from(scales.fine));
        let end = self.walk(line, scales.break_height).extent(scales);
        let least = TOUCHING_UNITS as f64;
        let rims = self.cuts.iter().filter(|c| {
            let z = c.z[1];
            c.class.is_ground()
                && c.to > end
                && c.to < whole
                && z - lower > scales.break_height
                && (z - lower).max(line.at(end) - z) <= step
        });
        // Something in the way of an agent there, or more ground above it.
        let is_blocked = |rim: &Cut| {
            let (s, z) = (rim.to - 0.25 * least.min(rim.to - end), rim.z[1]);
            self.cuts.iter().any(|c| {
                if c.to > c.from {
                    let h = c.height(s) - z;
                    let begins = c.class.faces_down() || c.class.is_ground();
                    (c.from..=c.to).contains(&s)
                        && h < scales.height as f64
                        && h > if begins { least } else { step }
                } else {
                    let high = c.z[0].max(c.z[1]) - z;
                    c.from > end - least
                        && c.from <= s
                        && high > step
                        && c.z[0].min(c.z[1]) - z < scales.height as f64
                }
            })
        };
        let free = rims.filter(|rim| !is_blocked(rim));
        free.map(|rim| (rim.z[1], rim.to)).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether the ground of a line goes on to a distance, with nothing in the way before.
    pub(crate) fn is_open_to(&self, line: &PixelLine, distance: f64) -> bool {
        let scales = self.terrain.scales;
        let stands = self.first_obstacle(line);
        stands.is_none_or(|s| s + TOUCHING_UNITS as f64 >= distance)
            && self.walk(line, scales.break_height).extent(scales) + scales.gap >= distance
    }

    /// Where the first thing stands that the agent cannot pass on the ground at the line's start.
    fn first_obstacle(&self, line: &PixelLine) -> Option<f64> {
        let scales = self.terrain.scales;
        let (low, high) = (scales.step as f64, scales.height as f64);
        let stands = self.cuts.iter().filter_map(|c| enters(c, c.above(line), low, high));
        let mut first = stands.fold(f64::INFINITY, f64::min);
        // Whether something begins is asked of all that crosses the line: only where it would be nearer.
        for c in self.cuts.iter().filter(|c| c.class.faces_down()) {
            let above = c.above(line);
            let begins = enters_low(c, above, scales).filter(|s| *s < first);
            let begins = begins.filter(|_| enters(c, above, low, high).is_none());
            first = begins.filter(|_| self.is_solid(c, line)).unwrap_or(first);
        }
        first.is_finite().then_some(first)
    }

    /// Whether what begins at a surface facing down is not ended below the step's height.
    fn is_solid(&self, down: &Cut, line: &PixelLine) -> bool {
        let ends = |begin: &Begin, c: &Cut| c.class.faces_up() && begin.is_ended_by(c);
        let begin = Begin::of(down, line, self.terrain.scales);
        begin.is_some_and(|begin| !self.cuts.iter().any(|c| ends(&begin, c)))
    }
}
