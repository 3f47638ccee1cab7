//! Triangles cut along lines through the middles of pixels.
//!
//! Goes in: a triangle's corners on the lattice and a line along an axis. Comes out: from where to where it lies over
//! the line, with the heights there.

use crate::input::classify::FaceClass;
use crate::layered::model::line::PixelLine;
use crate::layered::model::scales::{Scales, TOUCHING_UNITS};

/// What a triangle is over a line: heights from one distance to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Heights at both ends; where both ends are one, the lowest and the highest.
    pub(crate) z: [f64; 2],
    pub(crate) class: FaceClass,
    /// Whether it is a steep surface that is no riser.
    pub(crate) refused: bool,
}

impl Cut {
    #[inline]
    pub(crate) fn height(&self, s: f64) -> f64 {
        // Most are asked for at an end.
        if s <= self.from {
            self.z[0]
        } else if s >= self.to {
            self.z[1]
        } else {
            self.z[0] + (self.z[1] - self.z[0]) * (s - self.from) / (self.to - self.from)
        }
    }

    pub(crate) fn may_be_walked_over(&self) -> bool {
        self.class.is_ground() || (self.class == FaceClass::STEEP && !self.refused)
    }

    /// Its heights above the ground's plane at both ends.
    pub(crate) fn above(&self, line: &PixelLine) -> [f64; 2] {
        [self.z[0] - line.at(self.from), self.z[1] - line.at(self.to)]
    }
}

/// A triangle cut along a line through the middles of a column's pixels, as far as it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineCut {
    /// From where to where, from the column's corner.
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) z: [f64; 2],
    pub(crate) class: FaceClass,
    pub(crate) refused: bool,
    /// Whether it is a wall along the line or across it, which has all its heights at once.
    pub(crate) upright: bool,
}

impl LineCut {
    /// From one point to another, each with its height.
    #[inline]
    const fn between(from: (f64, f64), to: (f64, f64)) -> Self {
        let (class, refused) = (FaceClass::UPRIGHT, false);
        Self { from: from.0, to: to.0, z: [from.1, to.1], class, refused, upright: false }
    }

    /// The part of it over a line so long that starts so far from the column's corner.
    #[inline(always)]
    pub(crate) fn seen_along(&self, line: &PixelLine, shift: f64, reach: f64) -> Option<Cut> {
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
        let (class, refused) = (self.class, self.refused);
        if self.upright {
            let at = from.max(0.0);
            return Some(Cut { from: at, to: at, z: self.z, class, refused });
        }
        // Only what lies over the line: beyond its ends the ground's plane says nothing.
        let whole = Cut { from, to, z, class, refused };
        let (from, to) = (from.max(0.0), to.min(reach));
        Some(Cut { from, to, z: [whole.height(from), whole.height(to)], ..whole })
    }
}

/// Where heights above the ground come to lie between two limits, along a cut.
pub(crate) fn enters(c: &Cut, above: [f64; 2], low: f64, high: f64) -> Option<f64> {
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
pub(crate) fn enters_low(c: &Cut, above: [f64; 2], scales: &Scales) -> Option<f64> {
    enters(c, above, TOUCHING_UNITS as f64, scales.step as f64 + 1.0)
}

/// Where something begins below the step's height, and between which heights a surface facing up ends it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    pub(crate) at: f64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
}

/// Where some things begin, and between which heights they may end.
pub(crate) struct Begins {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
}

impl Begin {
    /// Around several; none where there are none.
    pub(crate) fn around(several: &[(f64, Self)]) -> Option<Begins> {
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
    pub(crate) fn of(down: &Cut, line: &PixelLine, scales: &Scales) -> Option<Self> {
        let at = 0.5 * (down.from + down.to);
        let (z, ground) = (down.height(at), line.at(at));
        let (step, touching) = (scales.step as f64, TOUCHING_UNITS as f64);
        let begins = z - ground > touching && z - ground <= step;
        begins.then_some(Self { at, lowest: z - touching, highest: ground + step })
    }

    /// Whether a surface that faces up ends it.
    pub(crate) fn is_ended_by(&self, up: &Cut) -> bool {
        (up.from..=up.to).contains(&self.at)
            && (self.lowest..=self.highest).contains(&up.height(self.at))
    }
}

/// A triangle cut along the line through a point along an axis; distances from that point.
#[inline(always)]
pub(crate) fn cut_along(corners: &[[i32; 3]; 3], axis: usize, start: [i64; 2]) -> Option<LineCut> {
    // Whole numbers of less than 53 bits: exact.
    let (aside, along) = (start[1 - axis] as f64, start[axis] as f64);
    let corner = |c: &[i32; 3]| EdgeEnd {
        aside: f64::from(c[1 - axis]) - aside,
        along: f64::from(c[axis]) - along,
        z: f64::from(c[2]),
    };
    let [a, b, c] = [corner(&corners[0]), corner(&corners[1]), corner(&corners[2])];
    if a.aside == 0.0 || b.aside == 0.0 || c.aside == 0.0 {
        return cut_at_corners(a, b, c);
    }
    // One corner lies alone on its side, and its two edges are cut. Which one cannot be foreseen, so no branch asks.
    let (ab, bc) = ((a.aside < 0.0) == (b.aside < 0.0), (b.aside < 0.0) == (c.aside < 0.0));
    if ab & bc {
        return None;
    }
    let twice = [a, b, c, a, b];
    let alone = usize::from(!bc) + usize::from(ab);
    let [p, q, r] = [twice[alone], twice[alone + 1], twice[alone + 2]];
    let ((s, z), (t, y)) = (p.crossing(q), p.crossing(r));
    let upright = !(s < t) & !(t < s);
    let ends = if (t < s) | (upright & (y < z)) { [y, z] } else { [z, y] };
    Some(LineCut { z: ends, upright, ..LineCut::between((s.min(t), z), (s.max(t), y)) })
}

/// The same where the line runs through a corner.
#[cold]
fn cut_at_corners(a: EdgeEnd, b: EdgeEnd, c: EdgeEnd) -> Option<LineCut> {
    let mut found = CutEnds::default();
    for (k, j) in [(a, b), (b, c), (c, a)] {
        if k.aside == 0.0 {
            found.add(k.along, k.z);
        }
        if (k.aside < 0.0 && j.aside > 0.0) || (k.aside > 0.0 && j.aside < 0.0) {
            let (s, z) = k.crossing(j);
            found.add(s, z);
        }
    }
    let CutEnds { low, high, z_low, z_high } = found;
    if !(high.0 >= low.0) {
        return None;
    }
    let upright = (a.aside == 0.0 && b.aside == 0.0 && c.aside == 0.0) || !(high.0 > low.0);
    let z = if upright { [z_low, z_high] } else { [low.1, high.1] };
    Some(LineCut { z, upright, ..LineCut::between(low, high) })
}

/// A corner of a triangle beside a line.
#[derive(Clone, Copy)]
struct EdgeEnd {
    aside: f64,
    along: f64,
    z: f64,
}

impl EdgeEnd {
    /// Where the edge to a corner on the other side crosses the line, and at which height: from its
    /// lower end, so that both triangles of an edge are cut at one place.
    #[inline]
    fn crossing(self, other: Self) -> (f64, f64) {
        let (k, j) = if self.aside < other.aside { (self, other) } else { (other, self) };
        let t = -k.aside / (j.aside - k.aside);
        (k.along + t * (j.along - k.along), k.z + t * (j.z - k.z))
    }
}

/// The first and the last point of a cut, each with its height, and the heights between which it lies.
struct CutEnds {
    low: (f64, f64),
    high: (f64, f64),
    z_low: f64,
    z_high: f64,
}

impl Default for CutEnds {
    fn default() -> Self {
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { low: (most, 0.0), high: (least, 0.0), z_low: most, z_high: least }
    }
}

impl CutEnds {
    #[inline]
    fn add(&mut self, s: f64, z: f64) {
        if s < self.low.0 {
            self.low = (s, z);
        }
        if s > self.high.0 {
            self.high = (s, z);
        }
        self.z_low = self.z_low.min(z);
        self.z_high = self.z_high.max(z);
    }
}
