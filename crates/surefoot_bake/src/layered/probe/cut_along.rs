//! Cuts a triangle along a line through the middles of pixels.
//!
//! Goes in: a triangle's corners on the lattice and a line along an axis. Comes out: from where to where it lies over
//! the line, with the heights there.

use super::LineCut;

/// A triangle cut along the line through a point along an axis; distances from that point.
#[inline(always)]
pub(super) fn cut_along(corners: &[[i32; 3]; 3], axis: usize, start: [i64; 2]) -> Option<LineCut> {
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
