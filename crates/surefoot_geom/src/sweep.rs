//! A set operation in one pass: every crossing is computed once, and a proof goes along that nothing has
//! come to cross by rounding it.
//!
//! Goes in: directed edges between lattice points, each of the subject or of the clip, with a label.
//! Comes out: the contours of the result on a grid 2²⁰ times finer than the lattice; or nothing, where
//! the proof does not hold and an overlay that goes on until nothing crosses has to do it.
//!
//! 1. *Meeting*: edges whose boxes overlap are looked at in pairs, exactly, in 64 bits. They share an
//!    end, or one ends on the other, or they cross, or keep a distance of more than [`CLEAR`]. Stretches
//!    that lie on each other are split at their ends and made one first.
//! 2. *Splitting*: an edge becomes a chain of pieces through the rounded crossings, none farther than one
//!    fine unit from it. What kept its distance still does. Two chains that meet can meet again only where
//!    both edges are within that unit, at most two units over the sine of their angle from where they
//!    cross; and do not if no other piece begins there, since then both are straight.
//! 3. *Winding*: pieces are swept from left to right, bottom to top (after Bentley and Ottmann, 1979), and
//!    each gets its winding numbers from the one below it.
//! 4. *Tracing*: pieces with the inside on one side alone are followed to contours, outlines
//!    counter-clockwise with the sharpest turn to the inside, holes clockwise with the sharpest turn away
//!    from it, from left to right.

mod pieces;
mod trace;

pub(crate) use pieces::{Fine, FineContour};

use crate::lattice::LatticePoint;
use pieces::{FINER_BITS, Piece, Winding, turn};
use std::cmp::Ordering;
use trace::Tracer;

/// Edges that do not meet keep more than this distance, in fine units: twice what two chains of pieces may
/// come nearer to each other. No chain is farther than one unit from its edge: crossings are computed to a
/// tenth and rounded by at most 0.71.
const CLEAR: u32 = 4;

/// Two points of an edge lie at least this far from each other, in fine units.
const LEAST_GAP: i64 = 8;

/// More edges than this are not worth a sweep whose line is a plain list.
const MOST_EDGES: usize = 4096;

/// How far apart edges may lie, in lattice units: 4 km. Areas have less than 58 bits then, and crossings
/// are right to a tenth of a fine unit before they are rounded.
const MOST_EXTENT: u32 = 1 << 28;

/// Rounds of making one what lies on each other; the second finds nothing more.
const ROUNDS: usize = 3;

/// An edge from its smaller to its larger end.
#[derive(Clone, Copy)]
struct Segment {
    a: LatticePoint,
    b: LatticePoint,
    /// How much more often is wound around what lies above it than around what lies below.
    winding: Winding,
    label: u32,
}

impl Segment {
    fn along(&self) -> (i64, i64) {
        let d = |a: i32, b: i32| i64::from(b) - i64::from(a);
        (d(self.a.x, self.b.x), d(self.a.y, self.b.y))
    }

    /// Twice the area of the triangle with a point: positive above. Exact within [`MOST_EXTENT`].
    fn side(&self, p: LatticePoint) -> i64 {
        let (ux, uy) = self.along();
        let d = |a: i32, b: i32| i64::from(b) - i64::from(a);
        ux * d(self.a.y, p.y) - uy * d(self.a.x, p.x)
    }

    fn length(&self) -> f64 {
        let (ux, uy) = self.along();
        ((ux * ux + uy * uy) as f64).sqrt()
    }

    /// No less than its length, and less than one and a half times that.
    fn length_bound(&self) -> i64 {
        let (ux, uy) = self.along();
        ux.abs() + uy.abs()
    }

    /// Points on one side of it with these areas keep [`CLEAR`] from it.
    fn is_clear(&self, one: i64, two: i64) -> bool {
        let least = one.abs().min(two.abs());
        (one > 0) == (two > 0) && least > self.length_bound() >> (FINER_BITS - CLEAR.ilog2())
    }
}

/// A place where two segments meet at a small angle.
struct Narrow {
    pair: [u32; 2],
    at: Fine,
    /// How far from there both must be straight, in fine units.
    room: f64,
}

/// Runs sweeps, keeping its working memory between calls.
#[derive(Default)]
pub(crate) struct Sweeper {
    segments: Vec<Segment>,
    /// Lattice points to split segments at.
    exact: Vec<(u32, LatticePoint)>,
    /// Other points to split segments at.
    crossings: Vec<(u32, Fine)>,
    /// Where segments meet at a small angle.
    narrow: Vec<Narrow>,
    /// The ends of pieces along all segments, and where those of each begin.
    points: Vec<Fine>,
    firsts: Vec<u32>,
    pieces: Vec<Piece>,
    /// The pieces that the sweep line crosses, from bottom to top.
    line: Vec<u32>,
    tracer: Tracer,
}

/// The proof did not hold.
struct Unproven;

impl Sweeper {
    /// Takes a directed edge in, the inside to its left.
    pub(crate) fn add(&mut self, from: LatticePoint, to: LatticePoint, label: u32, is_clip: bool) {
        if from != to {
            let sign = if from < to { 1 } else { -1 };
            let winding = if is_clip { [0, sign] } else { [sign, 0] };
            self.segments.push(Segment { a: from.min(to), b: from.max(to), winding, label });
        }
    }

    /// The contours of each polygon of the result, its outline first, from the edges that were taken in
    /// since the last time. `is_inside` says of winding numbers of subject and clip whether they are
    /// inside.
    pub(crate) fn run(
        &mut self,
        is_inside: impl Fn(Winding) -> bool,
    ) -> Option<Vec<Vec<FineContour>>> {
        let found = if self.segments.len() > MOST_EDGES || !self.fits() {
            Err(Unproven)
        } else {
            self.meet_all().and_then(|()| self.split_all())
        };
        self.segments.clear();
        found.ok()?;
        self.wind(is_inside);
        Some(self.tracer.trace(&self.pieces))
    }

    /// Whether everything lies near enough.
    fn fits(&self) -> bool {
        let ends = || self.segments.iter().flat_map(|s| [s.a, s.b]);
        crate::polygon::bounds_of(ends())
            .is_none_or(|(lo, hi)| lo.x.abs_diff(hi.x).max(lo.y.abs_diff(hi.y)) <= MOST_EXTENT)
    }

    /// Finds where segments meet. Afterwards no two lie on each other.
    fn meet_all(&mut self) -> Result<(), Unproven> {
        for _ in 0..ROUNDS {
            self.segments.sort_unstable_by_key(|s| (s.a, s.b));
            merge(&mut self.segments, |s| (s.a, s.b), |s| (&mut s.winding, &mut s.label));
            self.exact.clear();
            self.crossings.clear();
            self.narrow.clear();
            let mut overlap = false;
            for i in 0..self.segments.len() {
                let s = self.segments[i];
                let (low, high) = (s.a.y.min(s.b.y), s.a.y.max(s.b.y));
                for j in i + 1..self.segments.len() {
                    let t = &self.segments[j];
                    if t.a.x > s.b.x {
                        break;
                    }
                    if t.a.y.min(t.b.y) <= high && t.a.y.max(t.b.y) >= low {
                        let t = *t;
                        overlap |= self.meet((i as u32, &s), (j as u32, &t))?;
                    }
                }
            }
            if !overlap {
                return Ok(());
            }
            self.split_exactly();
        }
        Err(Unproven)
    }

    /// Finds where two segments meet. Says whether they lie on each other.
    fn meet(&mut self, (i, s): (u32, &Segment), (j, t): (u32, &Segment)) -> Result<bool, Unproven> {
        let (ta, tb) = (s.side(t.a), s.side(t.b));
        if s.is_clear(ta, tb) {
            return Ok(false);
        }
        let (sa, sb) = (t.side(s.a), t.side(s.b));
        if t.is_clear(sa, sb) {
            return Ok(false);
        }
        let one_side = |one: i64, two: i64| one != 0 && two != 0 && (one > 0) == (two > 0);
        if one_side(ta, tb) || one_side(sa, sb) {
            return Err(Unproven);
        }
        if ta == 0 && tb == 0 {
            let overlap = s.a.max(t.a) < s.b.min(t.b);
            if overlap {
                let within = |s: &Segment, p: LatticePoint| s.a < p && p < s.b;
                let ends = [(i, s, t.a), (i, s, t.b), (j, t, s.a), (j, t, s.b)];
                let inner = ends.iter().filter(|(_, s, p)| within(s, *p));
                self.exact.extend(inner.map(|&(k, _, p)| (k, p)));
            }
            return Ok(overlap);
        }
        let ends = [(ta, t.a), (tb, t.b), (sa, s.a), (sb, s.b)];
        let at = if let Some(&(_, p)) = ends.iter().find(|e| e.0 == 0) {
            for (k, segment) in [(i, s), (j, t)] {
                if p != segment.a && p != segment.b {
                    self.exact.push((k, p));
                }
            }
            Fine::of(p)
        } else {
            // Along `t` by the share of the areas: off its line by rounding alone, and off the other's by
            // less than a tenth of a fine unit more.
            let share = ta as f64 / (ta as f64 - tb as f64) * f64::from(1_u32 << FINER_BITS);
            let (tx, ty) = t.along();
            let from = Fine::of(t.a);
            let at = Fine {
                x: from.x + nearest(tx as f64 * share),
                y: from.y + nearest(ty as f64 * share),
            };
            self.crossings.extend([(i, at), (j, at)]);
            at
        };
        // Chains that stray by less than one can meet again where both lines are that near.
        let cross = (tb - ta).abs() as f64;
        let room = |lengths: f64| 2.0 * lengths / cross + 2.0;
        if room(s.length_bound() as f64 * t.length_bound() as f64) > LEAST_GAP as f64 {
            let room = room(s.length() * t.length());
            self.narrow.push(Narrow { pair: [i, j], at, room });
        }
        Ok(false)
    }

    /// Splits segments at lattice points on them.
    fn split_exactly(&mut self) {
        self.exact.sort_unstable();
        self.exact.dedup();
        let mut next = self.exact.iter().peekable();
        for i in 0..self.segments.len() {
            let whole = self.segments[i];
            let mut a = whole.a;
            while let Some(&(_, p)) = next.next_if(|e| e.0 as usize == i) {
                self.segments.push(Segment { a, b: p, ..whole });
                a = p;
            }
            self.segments[i].a = a;
        }
    }

    /// Splits segments where they meet others.
    fn split_all(&mut self) -> Result<(), Unproven> {
        self.crossings.extend(self.exact.iter().map(|&(i, p)| (i, Fine::of(p))));
        self.crossings.sort_unstable_by_key(|c| c.0);
        self.points.clear();
        self.firsts.clear();
        let mut crossings = &self.crossings[..];
        for (i, s) in self.segments.iter().enumerate() {
            let count = crossings.iter().take_while(|c| c.0 as usize == i).count();
            let (here, rest) = crossings.split_at(count);
            crossings = rest;
            let first = self.points.len();
            self.firsts.push(first as u32);
            self.points.push(Fine::of(s.a));
            self.points.extend(here.iter().map(|c| c.1));
            if count > 1 {
                // Points farther apart than the least gap are in order along it, rounded or not.
                let (ux, uy) = s.along();
                let along = |p: &Fine| p.x as f64 * ux as f64 + p.y as f64 * uy as f64;
                self.points[first + 1..].sort_unstable_by(|p, q| along(p).total_cmp(&along(q)));
            }
            self.points.push(Fine::of(s.b));
            let mut kept = first + 1;
            for k in first + 1..self.points.len() {
                let (last, next) = (self.points[kept - 1], self.points[k]);
                if last != next {
                    if last.apart(next) < LEAST_GAP {
                        return Err(Unproven);
                    }
                    self.points[kept] = next;
                    kept += 1;
                }
            }
            self.points.truncate(kept);
        }
        self.firsts.push(self.points.len() as u32);
        if !self.narrow.iter().all(|n| self.stays_narrow(n)) {
            return Err(Unproven);
        }
        self.pieces.clear();
        for (i, &Segment { winding, label, .. }) in self.segments.iter().enumerate() {
            self.pieces.extend(points_of(&self.points, &self.firsts, i as u32).windows(2).map(
                |w| {
                    // A piece of a nearly upright edge may lean the other way.
                    let winding = if w[0] > w[1] { winding.map(|n| -n) } else { winding };
                    let (a, b) = (w[0].min(w[1]), w[0].max(w[1]));
                    Piece { a, b, winding, label, inside_above: false }
                },
            ));
        }
        self.pieces.sort_unstable_by(|p, q| {
            p.a.cmp(&q.a).then_with(|| turn(p.a, q.b, p.b)).then_with(|| p.b.cmp(&q.b))
        });
        merge(&mut self.pieces, |p| (p.a, p.b), |p| (&mut p.winding, &mut p.label));
        Ok(())
    }

    /// Whether two segments that meet at a small angle do so nowhere else.
    fn stays_narrow(&self, n: &Narrow) -> bool {
        let chains = n.pair.map(|i| points_of(&self.points, &self.firsts, i));
        let has_room = |p: &Fine| *p == n.at || p.apart(n.at) as f64 > n.room;
        chains.iter().all(|c| c.iter().all(has_room))
            || chains[0].windows(2).all(|p| {
                chains[1].windows(2).all(|q| meet_at_ends_alone([p[0], p[1]], [q[0], q[1]]))
            })
    }

    /// Gives pieces their winding numbers, and keeps those that bound the result.
    fn wind(&mut self, is_inside: impl Fn(Winding) -> bool) {
        let Self { pieces, line, .. } = self;
        line.clear();
        let mut keep: Vec<bool> = Vec::with_capacity(pieces.len());
        let mut first = 0;
        while first < pieces.len() {
            let at = pieces[first].a;
            let count = pieces[first..].iter().take_while(|p| p.a == at).count();
            line.retain(|&k| pieces[k as usize].b > at);
            let place = line.partition_point(|&k| {
                let below = &pieces[k as usize];
                turn(below.a, below.b, at) == Ordering::Greater
            });
            // From here on the winding of a piece on the line is that above it.
            let mut winding =
                place.checked_sub(1).map_or([0; 2], |k| pieces[line[k] as usize].winding);
            for piece in &mut pieces[first..first + count] {
                let inside_below = is_inside(winding);
                winding = [winding[0] + piece.winding[0], winding[1] + piece.winding[1]];
                piece.winding = winding;
                piece.inside_above = is_inside(winding);
                keep.push(inside_below != piece.inside_above);
            }
            line.splice(place..place, first as u32..(first + count) as u32);
            first += count;
        }
        let mut keep = keep.into_iter();
        pieces.retain(|_| keep.next().unwrap_or(false));
    }
}

/// The ends of pieces along a segment.
fn points_of<'a>(points: &'a [Fine], firsts: &[u32], i: u32) -> &'a [Fine] {
    &points[firsts[i as usize] as usize..firsts[i as usize + 1] as usize]
}

/// Whether two pieces have no point in common but an end of both. Exact.
fn meet_at_ends_alone(p: [Fine; 2], q: [Fine; 2]) -> bool {
    let sides = |p: [Fine; 2], q: [Fine; 2]| q.map(|end| turn(p[0], p[1], end));
    let (of_q, of_p) = (sides(p, q), sides(q, p));
    let beside = |s: [Ordering; 2]| s[0] == s[1] && s[0] != Ordering::Equal;
    if beside(of_q) || beside(of_p) {
        return true;
    }
    if of_q == [Ordering::Equal; 2] {
        // On one line: they end where the other begins, or before.
        return p[0].min(p[1]).max(q[0].min(q[1])) >= p[0].max(p[1]).min(q[0].max(q[1]));
    }
    // They have one point in common.
    p.iter().any(|end| q.contains(end))
}

/// The whole number nearest to one below 2⁵².
fn nearest(v: f64) -> i64 {
    // `round` is a call into the library where the processor's baseline lacks it.
    (v + if v < 0.0 { -0.5 } else { 0.5 }) as i64
}

/// Makes (sorted) things with the same ends one: windings add up, the largest label stays. What winds
/// around nothing is left out.
fn merge<T: Copy, K: PartialEq>(
    list: &mut Vec<T>,
    ends: impl Fn(&T) -> K,
    parts: impl Fn(&mut T) -> (&mut Winding, &mut u32),
) {
    list.dedup_by(|next, kept| {
        let same = ends(next) == ends(kept);
        if same {
            let ((more, label), (winding, largest)) = (parts(next), parts(kept));
            *winding = [winding[0] + more[0], winding[1] + more[1]];
            *largest = (*largest).max(*label);
        }
        same
    });
    list.retain_mut(|t| *parts(t).0 != [0; 2]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex_hull::convex_hull;
    use crate::polygon::{Contour, Polygon};

    /// The three operations, by windings of subject and clip.
    const OPERATIONS: [fn(Winding) -> bool; 3] =
        [|[s, c]| s != 0 || c != 0, |[s, c]| s != 0 && c != 0, |[s, c]| s != 0 && c == 0];

    fn add(sweeper: &mut Sweeper, contours: &[Contour], is_clip: bool) {
        for (from, to) in contours.iter().flat_map(edges_of) {
            sweeper.add(from, to, 0, is_clip);
        }
    }

    fn edges_of(contour: &Contour) -> impl Iterator<Item = (LatticePoint, LatticePoint)> {
        Polygon::from_contour(contour.clone()).edges().collect::<Vec<_>>().into_iter()
    }

    /// A generator of numbers (Steele, Lea and Flood, 2014).
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: i32) -> i32 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) % n as u64) as i32
        }

        fn contour(&mut self, extent: i32, step: i32) -> Contour {
            let corners = 3 + self.below(5);
            let (x, y) = (self.below(extent), self.below(extent));
            let reach = 1 + extent / 3;
            let corner = |r: &mut Self| {
                let at = |v: i32| v / step * step;
                let dx = r.below(reach);
                LatticePoint::new(at(x + dx), at(y + r.below(reach)))
            };
            let points: Vec<LatticePoint> = (0..corners).map(|_| corner(self)).collect();
            if corners % 2 == 0 { points } else { convex_hull(points).unwrap_or_default() }
        }
    }

    fn area2(contour: &FineContour) -> i128 {
        let at = |i: usize| contour[i % contour.len()].0;
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        (0..contour.len())
            .map(|i| product(at(i).x, at(i + 1).y) - product(at(i).y, at(i + 1).x))
            .sum()
    }

    /// How often contours wind around a point that is a quarter of a unit off the lattice; `None` next to
    /// an edge, where rounding decides.
    fn winding(contours: &[Contour], at: LatticePoint) -> Option<i32> {
        let (x, y) = (i64::from(at.x) * 4 + 1, i64::from(at.y) * 4 + 1);
        let mut winding = 0;
        for (a, b) in contours.iter().flat_map(edges_of) {
            let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(|v| i64::from(v) * 4);
            let side = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
            let length = (bx - ax).abs() + (by - ay).abs();
            let is_beside = x > ax.min(bx) - 12 && x < ax.max(bx) + 12;
            let is_level = y > ay.min(by) - 12 && y < ay.max(by) + 12;
            if is_beside && is_level && side.abs() <= 12 * length {
                return None;
            }
            if (ay <= y) != (by <= y) && (side > 0) == (ay <= y) {
                winding += if ay <= y { 1 } else { -1 };
            }
        }
        Some(winding)
    }

    /// On coarse steps everything touches, overlaps and ends on something; on fine ones it crosses.
    #[test]
    fn one_pass_is_right_wherever_rounding_does_not_decide() {
        let mut random = Random(7);
        let (mut swept, mut asked, mut given_up) = (0, 0, 0);
        let mut sweeper = Sweeper::default();
        for round in 0..3_000 {
            let extent = [40, 1_000, 65_536, 4_000_000][round % 4];
            let step = [1, 10, 4096, 1][round / 4 % 4].min(extent / 8);
            let mut contours = |n: usize| -> Vec<Contour> {
                (0..n).map(|_| random.contour(extent, step)).collect()
            };
            let (subject, clip) = (contours(3), contours(1 + round % 23));
            for (operation, is_inside) in OPERATIONS.into_iter().enumerate() {
                add(&mut sweeper, &subject, false);
                add(&mut sweeper, &clip, true);
                let Some(shapes) = sweeper.run(is_inside) else {
                    given_up += 1;
                    continue;
                };
                swept += 1;
                let rounded =
                    |c: &FineContour| -> Contour { c.iter().map(|p| p.0.rounded()).collect() };
                for shape in &shapes {
                    // Outlines first, then their holes.
                    let signs: Vec<i128> = shape.iter().map(|c| area2(c).signum()).collect();
                    assert!(signs[0] == 1 && signs[1..].iter().all(|&s| s == -1), "{shape:?}");
                }
                let found: Vec<Contour> = shapes.iter().flatten().map(rounded).collect();
                for _ in 0..20 {
                    let at = LatticePoint::new(random.below(extent), random.below(extent));
                    let windings = (winding(&subject, at), winding(&clip, at), winding(&found, at));
                    if let (Some(subject), Some(clip), Some(found)) = windings {
                        asked += 1;
                        let expected = i32::from(is_inside([subject, clip]));
                        assert_eq!(found, expected, "round {round}, operation {operation}, {at:?}");
                    }
                }
            }
        }
        assert!(asked > 60_000 && given_up * 50 < swept, "{asked} {given_up} {swept}");
    }

    #[test]
    fn what_cannot_be_proven_is_not_answered() {
        let at = LatticePoint::new;
        let mut sweeper = Sweeper::default();
        // Three edges that cross each other within five fine units, and not at one point.
        let subject = [
            vec![at(0, 0), at(1_000_001, 1_000_000), at(0, 1_200_000)],
            vec![at(0, 1_000_000), at(1_000_000, 0), at(1_100_000, 900_000)],
            vec![at(500_000, 12), at(500_001, 2_000_000), at(400_000, 1_900_000)],
        ];
        add(&mut sweeper, &subject, false);
        assert!(sweeper.run(OPERATIONS[0]).is_none());
        // The next one does not know of it.
        add(&mut sweeper, &[vec![at(0, 0), at(9, 0), at(0, 9)]], false);
        assert_eq!(sweeper.run(OPERATIONS[0]).map(|shapes| shapes.len()), Some(1));
    }
}
