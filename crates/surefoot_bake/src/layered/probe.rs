//! Looks along a line from the middle of a pixel to the next: how far the ground goes on.
//!
//! Goes in: the triangles over the columns around the line. Comes out: where ground ends, or where
//! something stands in the way, exactly. The line is cut with the triangles themselves: over it each
//! is a straight segment of heights. This stands in place of drawing faces near the vertical as wires
//! (Oliva 2012, §6.2.3): a wall of no thickness ends the ground where it stands.

mod cut_along;
mod walk;

pub(crate) use self::walk::may_have_tread;

use self::cut_along::cut_along;
use crate::layered::fine_map::FineMap;
use crate::layered::rasterize::FaceRange;
use crate::layered::scales::{Scales, TOUCHING_UNITS};
use crate::layered::slice::{Slices, Sought};
use crate::voxel::grid::Surface;
use surefoot_mesh::EdgeClass;

/// What a triangle is over a line: heights from one distance to another.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: f64,
    to: f64,
    /// Heights at both ends; where both ends are one, the lowest and the highest.
    z: [f64; 2],
    surface: Surface,
    /// Whether it is a steep surface that is no riser.
    refused: bool,
}

/// Which triangles are cut along a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// All of them.
    All,
    /// Those that may be walked over: nothing stands in the way, or it is not asked for.
    Ground,
}

impl Cut {
    #[inline]
    fn height(&self, s: f64) -> f64 {
        // Most are asked for at an end.
        if s <= self.from {
            self.z[0]
        } else if s >= self.to {
            self.z[1]
        } else {
            self.z[0] + (self.z[1] - self.z[0]) * (s - self.from) / (self.to - self.from)
        }
    }

    fn may_be_walked_over(&self) -> bool {
        self.surface.is_ground() || (self.surface == Surface::STEEP && !self.refused)
    }

    /// Its heights above the ground's plane at both ends.
    fn above(&self, line: &Line) -> [f64; 2] {
        [self.z[0] - line.at(self.from), self.z[1] - line.at(self.to)]
    }
}

/// A line from the middle of a pixel, along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Where it starts, in lattice units.
    pub(crate) start: [i64; 2],
    /// The axis that it runs along, and which way.
    pub(crate) axis: usize,
    pub(crate) sign: f64,
    /// The ground's height at its start, and how much the ground rises along it.
    pub(crate) height: f64,
    pub(crate) rise: f64,
    /// The column that it starts in, and the pixel there: how many lie before it along each axis.
    pub(crate) column: u32,
    pub(crate) within: [u32; 2],
    /// The column that it leads to, if that is another one.
    pub(crate) next_column: Option<u32>,
}

/// How far the ground goes on along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reach {
    /// To the next pixel's middle.
    Whole,
    /// To a distance; and what ends it there.
    To(f64, EdgeClass),
}

/// A triangle cut along a line through the middles of a column's pixels, as far as it goes.
#[derive(Clone, Copy, Debug)]
struct LineCut {
    /// From where to where, from the column's corner.
    from: f64,
    to: f64,
    z: [f64; 2],
    surface: Surface,
    refused: bool,
    /// Whether it is a wall along the line or across it, which has all its heights at once.
    upright: bool,
}

impl LineCut {
    /// From one point to another, each with its height.
    #[inline]
    const fn between(from: (f64, f64), to: (f64, f64)) -> Self {
        let (surface, refused) = (Surface::UPRIGHT, false);
        Self { from: from.0, to: to.0, z: [from.1, to.1], surface, refused, upright: false }
    }

    /// The part of it over a line so long that starts so far from the column's corner.
    #[inline(always)]
    fn seen_along(&self, line: &Line, shift: f64, reach: f64) -> Option<Cut> {
        let (start, end) =
            if line.sign > 0.0 { (shift, shift + reach) } else { (shift - reach, shift) };
        if self.to < start || self.from > end {
            return None;
        }
        let (from, to, z) = if line.sign > 0.0 {
            (self.from - shift, self.to - shift, self.z)
        } else {
            (shift - self.to, shift - self.from, [self.z[1], self.z[0]])
        };
        let (surface, refused) = (self.surface, self.refused);
        if self.upright {
            let at = from.max(0.0);
            return Some(Cut { from: at, to: at, z: self.z, surface, refused });
        }
        // Only what lies over the line: beyond its ends the ground's plane says nothing.
        let whole = Cut { from, to, z, surface, refused };
        let (from, to) = (from.max(0.0), to.min(reach));
        Some(Cut { from, to, z: [whole.height(from), whole.height(to)], ..whole })
    }
}

/// A part of a line over a column, from the middle of a pixel to the next or to the column's border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stretch {
    column: u32,
    axis: u8,
    /// The row of pixels, and the number of the stretch along it from the column's border.
    row: u8,
    number: u8,
}

impl Stretch {
    /// The triangles that may cross it, of those that are sought.
    #[inline]
    fn faces<'a>(
        &self,
        sought: Sought,
        slices: &'a Slices,
    ) -> impl Iterator<Item = &'a FaceRange> + use<'a> {
        let line = (usize::from(self.axis), self.row, self.number);
        slices.faces_along(self.column, line, sought)
    }
}

/// A column's triangles cut along one stretch of a line.
#[derive(Debug, Default)]
struct NearStretch {
    stretch: Stretch,
    /// Whether only ground was cut.
    ground_only: bool,
    /// Between which heights triangles were cut; nothing where none were.
    heights: Option<[f64; 2]>,
    cuts: Vec<LineCut>,
}

/// Working memory of a probe: what it found along the lines that it looked at last.
#[derive(Debug, Default)]
pub(crate) struct Probe {
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

impl Probe {
    /// Cuts the triangles along a line.
    pub(crate) fn look(
        &mut self,
        line: &Line,
        what: Look,
        map: &FineMap,
        slices: &Slices,
        scales: &Scales,
    ) {
        self.cuts.clear();
        self.ways.clear();
        let reach = f64::from(scales.fine);
        // A step from the ground, and over it the agent's height.
        let (climb, rise) = ((scales.climb + TOUCHING_UNITS) as f64, line.rise.abs() * reach);
        let over = if what == Look::All { scales.height as f64 } else { 0.0 };
        let (lowest, highest) = (line.height - climb - rise, line.height + climb + over + rise);
        for (stretch, shift) in line.stretches(scales) {
            let start = line.start_before(shift);
            let at = self.gather((stretch, start, what), [lowest, highest], map, slices, scales);
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
        (stretch, start, what): (Stretch, [i64; 2], Look),
        [lowest, highest]: [f64; 2],
        map: &FineMap,
        slices: &Slices,
        scales: &Scales,
    ) -> usize {
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
        stretch.faces(sought, slices).for_each(|face| {
            let corners = &slices.triangles[face.triangle as usize].corners;
            if let Some(cut) = cut_along(corners, usize::from(stretch.axis), start) {
                let surface = face.surface;
                let refused = surface == Surface::STEEP && map.is_refused(face.triangle);
                near.cuts.push(LineCut { surface, refused, ..cut });
            }
        });
        at
    }

    /// How far the ground goes on, over steps of at most `climb`.
    pub(crate) fn reach(&self, line: &Line, climb: f64, scales: &Scales) -> Reach {
        let whole = f64::from(scales.fine);
        let end = self.walk(line, climb, scales).end(scales);
        // What stands on the ground counts as far as the ground goes without a break: beyond, it is
        // the other side's to say.
        let counts = |s: &f64| {
            *s <= end + scales.gap
                && *s <= self.walk(line, scales.break_height, scales).end(scales) + scales.gap
        };
        match self.first_obstacle(line, scales).filter(counts) {
            Some(s) => Reach::To(s.min(whole), EdgeClass::Blocked),
            None if end < whole => Reach::To(end, EdgeClass::Open),
            None => Reach::Whole,
        }
    }

    /// How far there is ground along a line before something low stands on it; nothing where what
    /// stands there, or anywhere over the line, is too high to be stepped over.
    pub(crate) fn low_extent(&self, line: &Line, climb: f64, scales: &Scales) -> Option<f64> {
        let (low, high) = (scales.step as f64, scales.height as f64);
        if self.cuts.iter().any(|c| enters(c, c.above(line), low, high).is_some()) {
            return None;
        }
        let end = self.walk(line, climb, scales).extent(scales);
        Some(self.first_obstacle(line, scales).map_or(end, |s| s.min(end)))
    }

    /// A tread beyond the end of a line's ground, one step below it and one above ground at `lower`, on
    /// which the agent can stand at its rim: its height there, and how far away the rim is.
    pub(crate) fn tread_below(
        &self,
        line: &Line,
        lower: f64,
        scales: &Scales,
    ) -> Option<(f64, f64)> {
        let (step, whole) = (scales.step as f64, f64::from(scales.fine));
        let end = self.walk(line, scales.break_height, scales).extent(scales);
        let least = TOUCHING_UNITS as f64;
        let rims = self.cuts.iter().filter(|c| {
            let z = c.z[1];
            c.surface.is_ground()
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
                    let begins = c.surface.faces_down() || c.surface.is_ground();
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
    pub(crate) fn is_open_to(&self, line: &Line, distance: f64, scales: &Scales) -> bool {
        let stands = self.first_obstacle(line, scales);
        stands.is_none_or(|s| s + TOUCHING_UNITS as f64 >= distance)
            && self.walk(line, scales.break_height, scales).extent(scales) + scales.gap >= distance
    }

    /// Where the first thing stands that the agent cannot pass on the ground at the line's start.
    fn first_obstacle(&self, line: &Line, scales: &Scales) -> Option<f64> {
        let (low, high) = (scales.step as f64, scales.height as f64);
        let stands = self.cuts.iter().filter_map(|c| enters(c, c.above(line), low, high));
        let mut first = stands.fold(f64::INFINITY, f64::min);
        // Whether something begins is asked of all that crosses the line: only where it would be nearer.
        for c in self.cuts.iter().filter(|c| c.surface.faces_down()) {
            let above = c.above(line);
            let begins = enters_low(c, above, scales).filter(|s| *s < first);
            let begins = begins.filter(|_| enters(c, above, low, high).is_none());
            first = begins.filter(|_| self.is_solid(c, line, scales)).unwrap_or(first);
        }
        first.is_finite().then_some(first)
    }

    /// Whether what begins at a surface facing down is not ended below the step's height.
    fn is_solid(&self, down: &Cut, line: &Line, scales: &Scales) -> bool {
        let ends = |begin: &Begin, c: &Cut| c.surface.faces_up() && begin.is_ended_by(c);
        let begin = Begin::of(down, line, scales);
        begin.is_some_and(|begin| !self.cuts.iter().any(|c| ends(&begin, c)))
    }
}

impl Line {
    /// The height of the ground's plane at a distance.
    fn at(&self, s: f64) -> f64 {
        self.height + self.rise * s
    }

    /// The parts of it over its columns, and how far from each column's corner it starts.
    #[inline]
    fn stretches(&self, scales: &Scales) -> impl Iterator<Item = (Stretch, i64)> + use<> {
        let (side, fine, cell) = (scales.per_side, i64::from(scales.fine), scales.coarse.cell);
        let (along, row) = (self.within[self.axis], self.within[1 - self.axis] as u8);
        let stretch = |column: u32, number: u32| {
            let (axis, number) = (self.axis as u8, number as u8);
            Stretch { column, axis, row, number }
        };
        // The first stretch of a column ends in its first middle.
        let forward = self.sign > 0.0;
        let shift = i64::from(along) * fine + fine / 2;
        let here = (stretch(self.column, along + u32::from(forward)), shift);
        let there = self.next_column.map(|column| {
            let (number, away) =
                if forward { (0, -i64::from(cell)) } else { (side, i64::from(cell)) };
            (stretch(column, number), shift + away)
        });
        std::iter::once(here).chain(there)
    }

    /// How far away a triangle is at the nearest.
    #[inline]
    fn nearest_of(&self, [a, b, c]: &[[i32; 3]; 3]) -> f64 {
        let (a, b, c) = (a[self.axis], b[self.axis], c[self.axis]);
        let start = self.start[self.axis] as f64;
        match self.sign > 0.0 {
            true => f64::from(a.min(b).min(c)) - start,
            false => start - f64::from(a.max(b).max(c)),
        }
    }

    /// Where it enters a column from whose corner it starts so far.
    #[inline]
    fn start_before(&self, shift: i64) -> [i64; 2] {
        let mut start = self.start;
        start[self.axis] -= shift;
        start
    }
}

/// Between which heights the ground's planes lie along some lines.
pub(crate) fn heights_along(lines: &[Line], scales: &Scales) -> [i64; 2] {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for line in lines {
        let end = line.at(f64::from(scales.fine));
        (least, most) = (least.min(line.height).min(end), most.max(line.height).max(end));
    }
    // Heights of faces over a column are rounded, and so are these.
    [least as i64 - 3, most as i64 + 3]
}

impl Probe {
    /// Looks along lines that run from both ends of one stretch, or from one: cuts only the triangles that may be
    /// in the way by their heights. Returns how far away along each something stands that is too high to be
    /// stepped over; infinitely far where nothing does.
    pub(crate) fn look_ahead<const N: usize>(
        &mut self,
        lines: &[Line; N],
        slices: &Slices,
        scales: &Scales,
    ) -> [f64; N] {
        let sought = Sought::ending(heights_along(lines, scales), scales);
        let reach = f64::from(scales.fine);
        let (step, height) = (scales.step as f64, scales.height as f64);
        let mut stands = [f64::INFINITY; N];
        self.begins.clear();
        let axis = lines[0].axis;
        for (stretch, shift) in lines[0].stretches(scales) {
            let start = lines[0].start_before(shift);
            let shifts = lines.map(|line| (line.start[axis] - start[axis]) as f64);
            stretch.faces(sought, slices).for_each(|face| {
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
                    } else if face.surface.faces_down()
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
    pub(crate) fn first_ahead(
        &mut self,
        number: usize,
        line: &Line,
        stands: f64,
        (slices, scales): (&Slices, &Scales),
    ) -> f64 {
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
            stretch.faces(sought, slices).for_each(|face| {
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
}

/// Where something begins below the step's height, and between which heights a surface facing up ends it.
#[derive(Clone, Copy, Debug)]
struct Begin {
    at: f64,
    lowest: f64,
    highest: f64,
}

/// Where some things begin, and between which heights they may end.
struct Begins {
    from: f64,
    to: f64,
    lowest: f64,
    highest: f64,
}

impl Begin {
    /// Around several; none where there are none.
    fn around(several: &[(f64, Self)]) -> Option<Begins> {
        let (_, first) = several.first()?;
        let (from, to) = (first.at, first.at);
        let all = Begins { from, to, lowest: first.lowest, highest: first.highest };
        Some(several.iter().fold(all, |all, (_, begin)| Begins {
            from: all.from.min(begin.at),
            to: all.to.max(begin.at),
            lowest: all.lowest.min(begin.lowest),
            highest: all.highest.max(begin.highest),
        }))
    }

    /// Of a surface that faces down; none where it lies on the ground or too high. Where the two run together,
    /// as along the rim of a round thing, it ends where it begins.
    fn of(down: &Cut, line: &Line, scales: &Scales) -> Option<Self> {
        let at = 0.5 * (down.from + down.to);
        let (z, ground) = (down.height(at), line.at(at));
        let (step, touching) = (scales.step as f64, TOUCHING_UNITS as f64);
        let begins = z - ground > touching && z - ground <= step;
        begins.then_some(Self { at, lowest: z - touching, highest: ground + step })
    }

    /// Whether a surface that faces up ends it.
    fn is_ended_by(&self, up: &Cut) -> bool {
        (up.from..=up.to).contains(&self.at)
            && (self.lowest..=self.highest).contains(&up.height(self.at))
    }
}

/// Whether the ground at the ends of lines from both ends of one stretch, the first forwards, is two triangles that
/// meet along it, a step apart at most: then ground goes on, whatever else lies there.
pub(crate) fn grounds_meet(
    lines: &[Line; 2],
    triangles: [u32; 2],
    slices: &Slices,
    scales: &Scales,
) -> bool {
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
pub(crate) fn first_ledge(lines: &[Line], slices: &Slices, scales: &Scales) -> f64 {
    let [least, most] = heights_along(lines, scales);
    let (line, climb) = (&lines[0], scales.climb);
    let axis = line.axis;
    let from = line.start[axis];
    let along = [from, from + if line.sign > 0.0 { 1 } else { -1 } * i64::from(scales.fine)];
    let mut first = f64::INFINITY;
    for (stretch, _) in line.stretches(scales) {
        let crossings = slices.ledges_of(stretch.column).iter().filter_map(|ledge| {
            let is_near = ledge.is_along(axis, stretch.row, stretch.number)
                & (i64::from(ledge.hi) >= least - climb)
                & (i64::from(ledge.lo) <= most + climb);
            is_near.then(|| ledge.crossing(axis, line.start[1 - axis], along)).flatten()
        });
        first = crossings.fold(first, f64::min);
    }
    first
}

/// Where heights above the ground come to lie between two limits, along a cut.
fn enters(c: &Cut, above: [f64; 2], low: f64, high: f64) -> Option<f64> {
    let [a, b] = above;
    if !(c.to > c.from) {
        return (a.min(b) < high && a.max(b) > low).then_some(c.from);
    }
    if (a <= low && b <= low) || (a >= high && b >= high) {
        return None;
    }
    let cross = |limit: f64| c.from + (c.to - c.from) * (limit - a) / (b - a);
    Some(if a <= low {
        cross(low)
    } else if a >= high {
        cross(high)
    } else {
        c.from
    })
}

/// The same between the ground and the step's height.
fn enters_low(c: &Cut, above: [f64; 2], scales: &Scales) -> Option<f64> {
    enters(c, above, TOUCHING_UNITS as f64, scales.step as f64 + 1.0)
}
