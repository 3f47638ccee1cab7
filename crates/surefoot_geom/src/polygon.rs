//! Planar polygons with holes, on the lattice.

use crate::lattice::{LatticePoint, M_PER_LATTICE};
use crate::predicates::orient;

/// A closed polyline of lattice points; the last is joined to the first and not repeated.
pub type Contour = Vec<LatticePoint>;

/// A connected region: the outer contour, counter-clockwise, then its holes, clockwise.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Polygon {
    /// The outer contour first, then the holes.
    pub contours: Vec<Contour>,
}

/// Twice the signed area of a contour in square units; positive when it turns counter-clockwise.
/// Exact.
#[must_use]
pub fn contour_area2(contour: &[LatticePoint]) -> i128 {
    let Some(&last) = contour.last() else { return 0 };
    let product = |a: i32, b: i32| i128::from(i64::from(a) * i64::from(b));
    let mut sum = 0_i128;
    let mut a = last;
    for &b in contour {
        sum += product(a.x, b.y) - product(a.y, b.x);
        a = b;
    }
    sum
}

impl Polygon {
    /// A polygon without holes.
    #[must_use]
    pub fn from_contour(contour: Contour) -> Self {
        Self { contours: vec![contour] }
    }

    /// Twice the area in square units, holes taken off. Exact.
    #[must_use]
    pub fn area2(&self) -> i128 {
        self.contours.iter().map(|c| contour_area2(c)).sum()
    }

    /// The area in square metres.
    #[must_use]
    pub fn area_m2(&self) -> f64 {
        self.area2() as f64 * 0.5 * M_PER_LATTICE * M_PER_LATTICE
    }

    /// The directed edges of all contours; the inside lies to their left.
    pub fn edges(&self) -> impl Iterator<Item = (LatticePoint, LatticePoint)> + '_ {
        self.contours
            .iter()
            .flat_map(|c| c.iter().zip(c.iter().skip(1).chain(c.first())).map(|(a, b)| (*a, *b)))
    }

    /// The smallest box around the polygon as (low, high); `None` when it has no point.
    #[must_use]
    pub fn bounds(&self) -> Option<(LatticePoint, LatticePoint)> {
        bounds_of(self.contours.iter().flatten().copied())
    }
}

/// The smallest box around some points as (low, high); `None` when there are none.
pub fn bounds_of(
    points: impl IntoIterator<Item = LatticePoint>,
) -> Option<(LatticePoint, LatticePoint)> {
    let mut points = points.into_iter();
    let first = points.next()?;
    Some(points.fold((first, first), |(lo, hi), p| {
        (
            LatticePoint::new(lo.x.min(p.x), lo.y.min(p.y)),
            LatticePoint::new(hi.x.max(p.x), hi.y.max(p.y)),
        )
    }))
}

/// Whether a contour turns left or goes straight on at every corner, and once around in all. Exact.
#[must_use]
pub fn is_convex(contour: &[LatticePoint]) -> bool {
    let &[.., mut a, mut b] = contour else { return false };
    let upwards = |a: LatticePoint, b: LatticePoint| (b.y, b.x) > (a.y, a.x);
    let mut before = upwards(a, b);
    let mut rounds = 0;
    for &c in contour {
        let turn = orient(a, b, c);
        let after = upwards(b, c);
        // On one line it goes on, or back, or nowhere.
        if turn < 0 || (turn == 0 && (before != after || b == c)) {
            return false;
        }
        rounds += u32::from(!before && after);
        (a, b, before) = (b, c, after);
    }
    rounds == 1
}

/// Whether an edge of the convex contour `a` has all of `b` on its outer side or on its line: then
/// their insides do not meet. Exact; two convex contours meet inside iff neither separates them.
#[must_use]
pub fn separated(a: &[LatticePoint], b: &[LatticePoint]) -> bool {
    (0..a.len()).any(|i| {
        let (p, q) = (a[i], a[(i + 1) % a.len()]);
        b.iter().all(|&r| is_right_or_on(p, q, r))
    })
}

/// Whether a convex, counter-clockwise contour holds all of some points, its border included. Exact.
#[must_use]
pub fn covers(contour: &[LatticePoint], points: &[LatticePoint]) -> bool {
    let n = contour.len();
    points.iter().all(|&p| (0..n).all(|i| is_right_or_on(contour[(i + 1) % n], contour[i], p)))
}

/// A contour without the corners that lie behind a side of a box together with both of their
/// neighbours. With fewer corners it winds around every point inside the box as often as before: what
/// is cut off lies behind that side. Exact; empty where all of it lies behind one side.
#[must_use]
pub fn trimmed_to_box(contour: &[LatticePoint], lo: LatticePoint, hi: LatticePoint) -> Contour {
    let sides: [&dyn Fn(&LatticePoint) -> bool; 4] =
        [&|p| p.x <= lo.x, &|p| p.x >= hi.x, &|p| p.y <= lo.y, &|p| p.y >= hi.y];
    let mut kept = contour.to_vec();
    for is_behind in sides {
        trim(&mut kept, is_behind);
    }
    kept
}

/// The same for a convex, counter-clockwise contour in place of a box, and what lies behind one of its
/// sides by at least a margin. Exact while all lies within 16 km; what is farther is kept.
pub fn trim_to_hull(contour: &mut Contour, hull: &[LatticePoint], margin: u16) {
    for i in 0..hull.len() {
        let (p, q) = (hull[i], hull[(i + 1) % hull.len()]);
        let d = |a: i32, b: i32| i64::from(b) - i64::from(a);
        let (ux, uy) = (d(p.x, q.x), d(p.y, q.y));
        let small = |v: i64| v.unsigned_abs() <= 1 << 30;
        if !(small(ux) && small(uy)) {
            continue;
        }
        // The sum of both is no shorter than the side.
        let far = -i64::from(margin) * (ux.abs() + uy.abs());
        trim(contour, |r| {
            let (vx, vy) = (d(p.x, r.x), d(p.y, r.y));
            small(vx) && small(vy) && ux * vy - uy * vx <= far
        });
    }
}

/// Takes the corners out that lie in a convex region together with both of their neighbours.
fn trim(contour: &mut Contour, is_behind: impl Fn(&LatticePoint) -> bool) {
    let (Some(first), Some(last)) = (contour.first(), contour.last()) else { return };
    let first = is_behind(first);
    let (mut before, mut here) = (is_behind(last), first);
    let n = contour.len();
    let mut kept = 0;
    for i in 0..n {
        let after = if i + 1 < n { is_behind(&contour[i + 1]) } else { first };
        if !(before && here && after) {
            contour[kept] = contour[i];
            kept += 1;
        }
        (before, here) = (here, after);
    }
    contour.truncate(kept);
}

/// Whether `r` lies to the right of the line from `p` to `q`, or on it. Exact, and fast while the
/// points lie within 16 km of each other.
fn is_right_or_on(p: LatticePoint, q: LatticePoint, r: LatticePoint) -> bool {
    let d = |a: i32, b: i32| i64::from(b) - i64::from(a);
    let (ux, uy, vx, vy) = (d(p.x, q.x), d(p.y, q.y), d(p.x, r.x), d(p.y, r.y));
    let small = |v: i64| v.unsigned_abs() <= 1 << 30;
    if small(ux) && small(uy) && small(vx) && small(vy) {
        ux * vy - uy * vx <= 0
    } else {
        orient(p, q, r) <= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(points: &[(i32, i32)]) -> Contour {
        points.iter().map(|&(x, y)| LatticePoint::new(x, y)).collect()
    }

    #[test]
    fn what_lies_behind_a_side_of_a_box_is_cut_off() {
        let (lo, hi) = (LatticePoint::new(0, 0), LatticePoint::new(10, 10));
        let octagon =
            at(&[(3, -9), (13, -9), (20, -2), (20, 5), (13, 12), (3, 12), (-4, 5), (-4, -2)]);
        let trimmed = trimmed_to_box(&octagon, lo, hi);
        assert!(trimmed.len() < octagon.len() && trimmed.len() >= 3, "{trimmed:?}");
        assert!(trimmed.iter().all(|p| octagon.contains(p)));
        assert!(covers(&trimmed, &at(&[(1, 1), (9, 1), (9, 9)])));
        assert_eq!(trimmed_to_box(&at(&[(-9, 0), (-1, 0), (-5, 8)]), lo, hi), Contour::new());
        let inside = at(&[(1, 1), (5, 1), (5, 5)]);
        assert_eq!(trimmed_to_box(&inside, lo, hi), inside);
        // A triangle has more behind it than its box.
        let hull = at(&[(0, 0), (10, 0), (0, 10)]);
        let around = at(&[(-9, -9), (9, -9), (25, 5), (22, 9), (9, 22), (5, 25), (-9, 9)]);
        let mut trimmed = trimmed_to_box(&around, lo, hi);
        assert_eq!(trimmed, around);
        trim_to_hull(&mut trimmed, &hull, 1);
        assert_eq!(trimmed, at(&[(-9, -9), (9, -9), (25, 5), (5, 25), (-9, 9)]));
        trimmed.clone_from(&around);
        trim_to_hull(&mut trimmed, &hull, 30);
        assert_eq!(trimmed, around, "nothing lies that far behind");
    }
}
