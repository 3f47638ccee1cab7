//! Set operations on planar polygons: many at once, exact up to one rounding to the lattice.
//!
//! Goes in: contours of lattice points. Comes out: polygons with holes whose edges do not cross,
//! every vertex a lattice point within one unit of the true one. Most are swept in one pass (`sweep`);
//! where that cannot prove its result, the sweep is `i_overlay`'s. Both run on a grid 2²⁰ times finer than
//! the lattice: an overlay slows down and moves vertices where nearly coincident edges lie within a few
//! units of its own grid. Rounding to the lattice may make edges touch or cross by a unit; where a look
//! at the edges does not rule that out, one more pass on the lattice itself mends it.
//!
//! All contours turn counter-clockwise (holes clockwise) and the non-zero rule is used throughout:
//! one contour that turns the other way would cancel its neighbours.

use crate::lattice::LatticePoint;
use crate::polygon::{Contour, Polygon, bounds_of, contour_area2};
use crate::predicates::orient;
use crate::sweep::{FineContour, Sweeper};
use i_overlay::core::edge_data::{EdgeDataMerge, OverlayEdgeData};
use i_overlay::core::edge_overlay::{EdgeOverlay, InputEdge};
use i_overlay::core::extract::BooleanExtractionBuffer;
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::core::solver::Solver;
use i_overlay::i_float::int::point::IntPoint;
use i_overlay::segm::boolean::ShapeCountBoolean;
use i_overlay::vector::edge::DataVectorEdge;

/// How much finer the inner grid is, in bits. Lattice coordinates have 32 bits, so the inner ones
/// have 52 and stay far below the engine's limit of 62.
const FINER_BITS: u32 = 20;

/// Contours united in one sweep; larger groups overlap too many times over.
const CASCADE_FIRST: usize = 16;
/// United groups joined per level after the first.
const CASCADE_NEXT: usize = 4;

type Point = IntPoint<i64>;

fn fine(p: LatticePoint) -> Point {
    Point::new(i64::from(p.x) << FINER_BITS, i64::from(p.y) << FINER_BITS)
}

fn round(v: i64) -> i32 {
    // Inputs have 32 bits and results lie within their hull, so the cast cannot lose anything.
    ((v + (1 << (FINER_BITS - 1))) >> FINER_BITS) as i32
}

fn coarse(p: Point) -> LatticePoint {
    LatticePoint::new(round(p.x), round(p.y))
}

fn is_on_lattice(p: Point) -> bool {
    let mask = (1_i64 << FINER_BITS) - 1;
    (p.x | p.y) & mask == 0
}

fn plain(p: LatticePoint) -> Point {
    Point::new(i64::from(p.x), i64::from(p.y))
}

fn unplain(p: Point) -> LatticePoint {
    LatticePoint::new(p.x as i32, p.y as i32)
}

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    /// Everything in the subject or the clip.
    Union,
    /// What is in both.
    Intersection,
    /// What is in the subject and not in the clip.
    Difference,
}

impl SetOperation {
    fn rule(self) -> OverlayRule {
        match self {
            Self::Union => OverlayRule::Union,
            Self::Intersection => OverlayRule::Intersect,
            Self::Difference => OverlayRule::Difference,
        }
    }

    /// Whether what subject and clip wind around so often is in the result.
    fn is_inside(self, [subject, clip]: [i32; 2]) -> bool {
        match self {
            Self::Union => subject != 0 || clip != 0,
            Self::Intersection => subject != 0 && clip != 0,
            Self::Difference => subject != 0 && clip == 0,
        }
    }
}

/// A label of an input edge, found again on the pieces of it that bound the result. Where edges of
/// several labels coincide the largest wins.
pub type EdgeLabel = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Label(EdgeLabel);

impl OverlayEdgeData for Label {
    type Store = ();

    fn merge(ctx: EdgeDataMerge<ShapeCountBoolean, Self>, (): &mut ()) -> Self {
        Self(ctx.lhs_data.0.max(ctx.rhs_data.0))
    }
}

/// A polygon whose edges carry labels: `labels[c][i]` belongs to the edge that starts at point `i`
/// of contour `c`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LabelledPolygon {
    /// The region.
    pub polygon: Polygon,
    /// One label an edge.
    pub labels: Vec<Vec<EdgeLabel>>,
}

/// Runs set operations, keeping its working memory between calls.
pub struct Overlayer {
    engine: Overlay<i64>,
    /// Working memory of labelled differences.
    buffer: Option<BooleanExtractionBuffer<i64>>,
    sweeper: Sweeper,
    /// Working memory for the corners of a contour.
    corners: Contour,
    /// Whether a difference came out that cannot be right.
    failed: bool,
}

impl Default for Overlayer {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Overlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlayer").finish_non_exhaustive()
    }
}

impl Overlayer {
    /// An overlayer without memory yet.
    #[must_use]
    pub fn new() -> Self {
        // One thread per call: callers run many calls side by side.
        let solver = Solver { multithreading: None, ..Solver::AUTO };
        let engine = Overlay::new_custom(64, IntOverlayOptions::keep_output_points(), solver);
        Self {
            engine,
            buffer: None,
            sweeper: Sweeper::default(),
            corners: Contour::new(),
            failed: false,
        }
    }

    /// Whether, since the last time this was asked, a labelled difference came out larger than its
    /// subject, or smaller than the subject less all that was taken from it.
    pub fn take_failed(&mut self) -> bool {
        std::mem::take(&mut self.failed)
    }

    /// One set operation. Subject and clip are each united by the non-zero rule first.
    pub fn run<S, C>(&mut self, operation: SetOperation, subject: &[S], clip: &[C]) -> Vec<Polygon>
    where
        S: AsRef<[LatticePoint]>,
        C: AsRef<[LatticePoint]>,
    {
        for c in subject {
            self.sweep_contour(c.as_ref(), false);
        }
        for c in clip {
            self.sweep_contour(c.as_ref(), true);
        }
        let swept = self.sweeper.run(|winding| operation.is_inside(winding));
        let (polygons, exact): (Vec<Polygon>, bool) = if let Some(shapes) = swept {
            let exact = shapes.iter().flatten().flatten().all(|p| p.0.is_on_lattice());
            let rounded = |c: FineContour| c.into_iter().map(|p| p.0.rounded()).collect();
            let polygons =
                shapes.into_iter().filter_map(|s| tidy_polygon(s.into_iter().map(rounded)));
            (polygons.collect(), exact)
        } else {
            self.engine.clear();
            for c in subject {
                self.engine.add_path_iter(c.as_ref().iter().map(|p| fine(*p)), ShapeType::Subject);
            }
            for c in clip {
                self.engine.add_path_iter(c.as_ref().iter().map(|p| fine(*p)), ShapeType::Clip);
            }
            let shapes = self.engine.overlay(operation.rule(), FillRule::NonZero);
            let exact = shapes.iter().flatten().flatten().all(|p| is_on_lattice(*p));
            let rounded = |c: Vec<Point>| c.into_iter().map(coarse).collect();
            let polygons =
                shapes.into_iter().filter_map(|s| tidy_polygon(s.into_iter().map(rounded)));
            (polygons.collect(), exact)
        };
        let contours = || polygons.iter().flat_map(|p| &p.contours).map(|c| &c[..]);
        if exact || is_settled(contours(), |p| *p) { polygons } else { self.settle(&polygons) }
    }

    /// Adds a contour to the next sweep, without corners that are none.
    fn sweep_contour(&mut self, contour: &[LatticePoint], is_clip: bool) {
        let corners = &mut self.corners;
        corners.clear();
        let ends = |c: &[LatticePoint], p: LatticePoint| match c {
            [.., a, b] => orient(*a, *b, p) == 0,
            [b] => *b == p,
            [] => false,
        };
        for &p in contour {
            while ends(corners, p) {
                corners.pop();
            }
            corners.push(p);
        }
        // Around the end: what is straight there goes too.
        let mut first = 0;
        while let [a, b, .., y, z] = &corners[first..] {
            if orient(*y, *z, *a) == 0 {
                corners.pop();
            } else if orient(*z, *a, *b) == 0 {
                first += 1;
            } else {
                break;
            }
        }
        for (from, to) in edges_of(&corners[first..]) {
            self.sweeper.add(from, to, 0, is_clip);
        }
    }

    /// The union of many contours, in a cascade: groups along a space-filling curve first, then
    /// groups of groups. Far faster than one sweep where contours overlap many times over. Every
    /// contour is a shape of its own: a hole without its outline would count as filled.
    pub fn union<C: AsRef<[LatticePoint]>>(&mut self, contours: &[C]) -> Vec<Polygon> {
        let none: [Contour; 0] = [];
        if contours.len() <= CASCADE_FIRST {
            return self.run(SetOperation::Union, contours, &none);
        }
        let mut order: Vec<(u64, &[LatticePoint])> =
            contours.iter().map(|c| (curve_key(c.as_ref()), c.as_ref())).collect();
        order.sort_by_key(|&(key, _)| key);
        let mut level: Vec<Vec<Contour>> = order
            .chunks(CASCADE_FIRST)
            .map(|group| {
                let group: Vec<&[LatticePoint]> = group.iter().map(|&(_, c)| c).collect();
                flatten(self.run(SetOperation::Union, &group, &none))
            })
            .collect();
        while level.len() > CASCADE_NEXT {
            level = level
                .chunks(CASCADE_NEXT)
                .map(|group| flatten(self.run(SetOperation::Union, &group.concat(), &none)))
                .collect();
        }
        self.run(SetOperation::Union, &level.concat(), &none)
    }

    /// A difference whose edges keep their labels. The subject is given by its directed edges, in any
    /// order, the inside to their left; a clip contour has one label for all its edges.
    pub fn difference_labelled(
        &mut self,
        subject: &[(LatticePoint, LatticePoint, EdgeLabel)],
        clip: &[(Contour, EdgeLabel)],
    ) -> Vec<LabelledPolygon> {
        let pieces = self.sweep_difference(subject, clip);
        self.failed |= !is_plausible(subject, clip, &pieces);
        pieces
    }

    fn sweep_difference(
        &mut self,
        subject: &[(LatticePoint, LatticePoint, EdgeLabel)],
        clip: &[(Contour, EdgeLabel)],
    ) -> Vec<LabelledPolygon> {
        for &(from, to, label) in subject {
            self.sweeper.add(from, to, label, false);
        }
        for (contour, label) in clip {
            for (from, to) in edges_of(contour) {
                self.sweeper.add(from, to, *label, true);
            }
        }
        let swept = self.sweeper.run(|winding| SetOperation::Difference.is_inside(winding));
        let count = subject.len() + clip.iter().map(|c| c.0.len()).sum::<usize>();
        let labelled = |shape: Vec<Vec<DataVectorEdge<i64, Label>>>,
                        at: fn(Point) -> LatticePoint| {
            shape
                .into_iter()
                .map(|path| path.into_iter().map(|e| (at(e.a), e.data.0)).collect())
                .collect::<LabelledShape>()
        };
        let (rounded, exact): (Vec<LabelledShape>, bool) = if let Some(shapes) = swept {
            let exact = shapes.iter().flatten().flatten().all(|p| p.0.is_on_lattice());
            let contour = |c: FineContour| c.into_iter().map(|p| (p.0.rounded(), p.1)).collect();
            (shapes.into_iter().map(|s| s.into_iter().map(contour).collect()).collect(), exact)
        } else {
            let mut engine = EdgeOverlay::<i64, Label>::new(count);
            engine.solver = self.engine.solver;
            for &(a, b, label) in subject {
                let edge = InputEdge { a: fine(a), b: fine(b), data: Label(label) };
                engine.add_edge(edge, ShapeType::Subject);
            }
            for (contour, label) in clip {
                for (a, b) in edges_of(contour) {
                    let edge = InputEdge { a: fine(a), b: fine(b), data: Label(*label) };
                    engine.add_edge(edge, ShapeType::Clip);
                }
            }
            engine.boolean_buffer = self.buffer.take();
            let shapes = engine.build_vector_shapes(OverlayRule::Difference, FillRule::NonZero);
            self.buffer = engine.boolean_buffer.take();
            let exact = shapes.iter().flatten().flatten().all(|e| is_on_lattice(e.a));
            (shapes.into_iter().map(|s| labelled(s, coarse)).collect(), exact)
        };
        if exact || is_settled(rounded.iter().flatten().map(|c| &c[..]), |p| p.0) {
            return rounded.into_iter().filter_map(labelled_polygon).collect();
        }
        // Mend on the lattice itself, labels carried along once more.
        let mut engine = EdgeOverlay::<i64, Label>::new(count);
        engine.solver = self.engine.solver;
        for path in rounded.iter().flatten() {
            for (i, &(a, label)) in path.iter().enumerate() {
                let b = path[(i + 1) % path.len()].0;
                let edge = InputEdge { a: plain(a), b: plain(b), data: Label(label) };
                engine.add_edge(edge, ShapeType::Subject);
            }
        }
        engine
            .build_vector_shapes(OverlayRule::Subject, FillRule::NonZero)
            .into_iter()
            .filter_map(|s| labelled_polygon(labelled(s, unplain)))
            .collect()
    }

    /// Makes rounded polygons free of crossings again: one sweep on the lattice itself.
    pub fn settle(&mut self, polygons: &[Polygon]) -> Vec<Polygon> {
        self.engine.clear();
        for c in polygons.iter().flat_map(|p| &p.contours) {
            self.engine.add_path_iter(c.iter().map(|p| plain(*p)), ShapeType::Subject);
        }
        self.engine
            .overlay(OverlayRule::Subject, FillRule::NonZero)
            .into_iter()
            .filter_map(|s| {
                tidy_polygon(s.into_iter().map(|c| c.into_iter().map(unplain).collect()))
            })
            .collect()
    }
}

/// The contours of a shape, each with the labels of the edges that leave its points.
type LabelledShape = Vec<Vec<(LatticePoint, EdgeLabel)>>;

/// The directed edges of a contour.
fn edges_of(contour: &[LatticePoint]) -> impl Iterator<Item = (LatticePoint, LatticePoint)> + '_ {
    let next = contour.iter().skip(1).chain(contour.first());
    contour.iter().zip(next).map(|(&a, &b)| (a, b))
}

/// Whether pieces have an area that a difference can have. Every point is rounded by at most a unit, so
/// that areas may be off by about the length of all edges.
fn is_plausible(
    subject: &[(LatticePoint, LatticePoint, EdgeLabel)],
    clip: &[(Contour, EdgeLabel)],
    pieces: &[LabelledPolygon],
) -> bool {
    let cross = |a: LatticePoint, b: LatticePoint| {
        i128::from(i64::from(a.x) * i64::from(b.y)) - i128::from(i64::from(a.y) * i64::from(b.x))
    };
    let length = |a: LatticePoint, b: LatticePoint| (a.distance2(b) as f64).sqrt();
    let whole: i128 = subject.iter().map(|&(a, b, _)| cross(a, b)).sum();
    let left: i128 = pieces.iter().map(|p| p.polygon.area2()).sum();
    let of_pieces = pieces.iter().flat_map(|p| p.polygon.edges()).map(|(a, b)| length(a, b));
    let of_subject = subject.iter().map(|&(a, b, _)| length(a, b));
    let slack = (4.0 * (of_pieces.sum::<f64>() + of_subject.sum::<f64>())) as i128;
    if left > whole + slack {
        return false;
    }
    // What was taken cannot be more than all that was to be taken.
    let lost = whole - left - slack;
    lost <= 0 || {
        let mut taken = 0;
        clip.iter().any(|(contour, _)| {
            let n = contour.len();
            let edges = (0..n).map(|i| length(contour[i], contour[(i + 1) % n]));
            // A hole among the contours takes nothing.
            taken += contour_area2(contour).abs() + (4.0 * edges.sum::<f64>()) as i128;
            taken >= lost
        })
    }
}

/// Whether rounded contours cannot have come to cross or touch each other or themselves, nor to lie on the
/// other side of anything: no two edges meet but at the corner that they share, and every contour is larger
/// than what rounding moves. Says no where it is not sure.
fn is_settled<'a, T: 'a>(
    contours: impl Iterator<Item = &'a [T]>,
    at: impl Fn(&T) -> LatticePoint,
) -> bool {
    let mut edges: Vec<SettledEdge> = Vec::new();
    let mut first = 0;
    for contour in contours {
        let n = contour.len();
        if n < 3 {
            return false;
        }
        let (mut area2, mut length) = (0.0_f64, 0_i64);
        let origin = at(&contour[0]);
        for i in 0..n {
            let (from, to) = (at(&contour[i]), at(&contour[(i + 1) % n]));
            let next = first + (i + 1) as u32 % n as u32;
            let d = |a: i32, b: i32| i64::from(b) - i64::from(a);
            let (x, y) = (d(from.x, to.x), d(from.y, to.y));
            let (u, v) = (d(origin.x, from.x), d(origin.y, from.y));
            area2 += u as f64 * y as f64 - v as f64 * x as f64;
            length += x.abs() + y.abs();
            edges.push(SettledEdge { from, to, next });
        }
        // A unit's move of every corner changes twice the area by at most twice the length.
        if area2.abs() <= 8.0 * length as f64 {
            return false;
        }
        first = edges.len() as u32;
    }
    let mut order: Vec<(i32, u32)> =
        edges.iter().enumerate().map(|(i, e)| (e.from.x.min(e.to.x), i as u32)).collect();
    order.sort_unstable();
    order.iter().enumerate().all(|(k, &(_, i))| {
        let e = &edges[i as usize];
        let right = e.from.x.max(e.to.x);
        let (low, high) = (e.from.y.min(e.to.y), e.from.y.max(e.to.y));
        order[k + 1..].iter().take_while(|o| o.0 <= right).all(|&(_, j)| {
            let f = &edges[j as usize];
            if f.from.y.max(f.to.y) < low || f.from.y.min(f.to.y) > high {
                return true;
            }
            if e.next == j {
                turns(e.from, e.to, f.to)
            } else if f.next == i {
                turns(f.from, f.to, e.to)
            } else {
                lies_beside(e, f) || lies_beside(f, e)
            }
        })
    })
}

/// An edge of a contour, with the number of the one that follows it.
struct SettledEdge {
    from: LatticePoint,
    to: LatticePoint,
    next: u32,
}

/// Whether an edge lies strictly on one side of the other's line.
fn lies_beside(one: &SettledEdge, line: &SettledEdge) -> bool {
    let (a, b) = (orient(line.from, line.to, one.from), orient(line.from, line.to, one.to));
    a > 0 && b > 0 || a < 0 && b < 0
}

/// Whether a border does not come back along itself at `b`.
fn turns(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> bool {
    // On one line it goes on where the way from `a` to `c` is longer than its parts.
    orient(a, b, c) != 0 || a.distance2(c) > a.distance2(b).max(b.distance2(c))
}

/// All contours of some polygons, ready to be subject or clip again.
#[must_use]
pub fn flatten(polygons: Vec<Polygon>) -> Vec<Contour> {
    polygons.into_iter().flat_map(|p| p.contours).collect()
}

/// Turns a contour counter-clockwise; `None` when it has no area.
#[must_use]
pub fn counter_clockwise(mut contour: Contour) -> Option<Contour> {
    let area2 = contour_area2(&contour);
    if area2 == 0 {
        return None;
    }
    if area2 < 0 {
        contour.reverse();
    }
    Some(contour)
}

/// Removes repeated points and spikes that go out and come back on themselves.
fn tidy<T: Copy>(points: &mut Vec<T>, at: impl Fn(&T) -> LatticePoint) {
    let mut i = 0;
    // Each turn either moves on or removes a point, so this ends.
    while points.len() >= 3 && i < points.len() {
        let n = points.len();
        let (before, here, after) = ((i + n - 1) % n, i, (i + 1) % n);
        let (a, b, c) = (at(&points[before]), at(&points[here]), at(&points[after]));
        if b == c || a == c {
            // `b` repeats the next point, or a b a is a spike: `b` goes either way. The label of
            // the edge that remains is the one that leaves the next point.
            points.remove(here);
            i = i.saturating_sub(2);
        } else {
            i += 1;
        }
    }
    if points.len() < 3 {
        points.clear();
    }
}

fn tidy_polygon(contours: impl Iterator<Item = Contour>) -> Option<Polygon> {
    let mut kept = Vec::new();
    for (i, mut contour) in contours.enumerate() {
        tidy(&mut contour, |p| *p);
        if contour.is_empty() || contour_area2(&contour) == 0 {
            if i == 0 {
                return None;
            }
            continue;
        }
        kept.push(contour);
    }
    (!kept.is_empty()).then_some(Polygon { contours: kept })
}

fn labelled_polygon(paths: LabelledShape) -> Option<LabelledPolygon> {
    let mut out = LabelledPolygon::default();
    for (i, mut path) in paths.into_iter().enumerate() {
        tidy(&mut path, |p| p.0);
        let contour: Contour = path.iter().map(|p| p.0).collect();
        if contour.is_empty() || contour_area2(&contour) == 0 {
            if i == 0 {
                return None;
            }
            continue;
        }
        out.polygon.contours.push(contour);
        out.labels.push(path.iter().map(|p| p.1).collect());
    }
    (!out.labels.is_empty()).then_some(out)
}

/// The place of a contour's middle along a Morton curve.
fn curve_key(contour: &[LatticePoint]) -> u64 {
    let Some((lo, hi)) = bounds_of(contour.iter().copied()) else { return 0 };
    let spread = |v: i64| {
        let mut v = ((v >> 1) + (1 << 31)) as u64 & 0xffff_ffff;
        v = (v | v << 16) & 0x0000_ffff_0000_ffff;
        v = (v | v << 8) & 0x00ff_00ff_00ff_00ff;
        v = (v | v << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        v = (v | v << 2) & 0x3333_3333_3333_3333;
        (v | v << 1) & 0x5555_5555_5555_5555
    };
    spread(i64::from(lo.x) + i64::from(hi.x)) | spread(i64::from(lo.y) + i64::from(hi.y)) << 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x0: i32, y0: i32, x1: i32, y1: i32) -> Contour {
        [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| LatticePoint::new(x, y)).to_vec()
    }

    fn area2(polygons: &[Polygon]) -> i128 {
        polygons.iter().map(Polygon::area2).sum()
    }

    #[test]
    fn a_hole_comes_out_clockwise() {
        let mut o = Overlayer::new();
        let r = o.run(SetOperation::Difference, &[rect(0, 0, 100, 100)], &[rect(10, 10, 20, 20)]);
        assert_eq!(r.len(), 1);
        assert_eq!(r[0].contours.len(), 2);
        assert!(contour_area2(&r[0].contours[1]) < 0);
        assert_eq!(r[0].area2(), 2 * (10_000 - 100));
    }

    #[test]
    fn a_cascade_equals_one_sweep() {
        let mut o = Overlayer::new();
        let many: Vec<Contour> = (0..200)
            .map(|i| rect(i * 7 % 500, i * 13 % 300, i * 7 % 500 + 40, i * 13 % 300 + 25))
            .collect();
        let none: [Contour; 0] = [];
        let once = o.run(SetOperation::Union, &many, &none);
        assert_eq!(area2(&o.union(&many)), area2(&once));
    }

    #[test]
    fn labels_follow_their_edges() {
        let mut o = Overlayer::new();
        let at = LatticePoint::new;
        let r = o.difference_labelled(
            &[
                (at(0, 0), at(100, 0), 1),
                (at(100, 0), at(100, 100), 2),
                (at(100, 100), at(0, 100), 3),
                (at(0, 100), at(0, 0), 4),
            ],
            &[(rect(50, -10, 200, 110), 9)],
        );
        assert_eq!(r.len(), 1);
        let p = &r[0];
        let mut seen: Vec<(LatticePoint, u32)> =
            p.polygon.contours[0].iter().copied().zip(p.labels[0].iter().copied()).collect();
        seen.sort();
        assert_eq!(seen, vec![(at(0, 0), 1), (at(0, 100), 4), (at(50, 0), 9), (at(50, 100), 3)]);
    }

    #[test]
    fn a_wrong_difference_is_noticed() {
        let square = rect(0, 0, 100_000, 100_000);
        let outline: Vec<_> =
            (0..4).map(|i| (square[i], square[(i + 1) % 4], 0)).collect::<Vec<_>>();
        let clip = [(rect(0, 0, 50_000, 100_000), 1)];
        let mut o = Overlayer::new();
        let pieces = o.difference_labelled(&outline, &clip);
        assert!(!pieces.is_empty() && !o.take_failed());
        let whole =
            LabelledPolygon { polygon: Polygon::from_contour(square), labels: vec![vec![0; 4]] };
        assert!(is_plausible(&outline, &[], std::slice::from_ref(&whole)));
        assert!(!is_plausible(&outline, &clip, &[whole.clone(), whole]), "twice the ground");
        assert!(!is_plausible(&outline, &clip, &[]), "all of it lost");
    }

    #[test]
    fn results_off_the_lattice_are_rounded_and_mended() {
        let mut o = Overlayer::new();
        let tri: Contour =
            [(0, 0), (1000, 1), (3, 999)].map(|(x, y)| LatticePoint::new(x, y)).to_vec();
        let cut: Contour = [(-5, 300), (1000, 307), (1000, 309), (-5, 303)]
            .map(|(x, y)| LatticePoint::new(x, y))
            .to_vec();
        let whole = contour_area2(&tri);
        let (subject, clip) = ([tri], [cut]);
        let inside = area2(&o.run(SetOperation::Intersection, &subject, &clip));
        let outside = area2(&o.run(SetOperation::Difference, &subject, &clip));
        assert!((whole - inside - outside).abs() < 4000, "{whole} {inside} {outside}");
    }

    #[test]
    fn contours_that_touch_or_hardly_have_area_are_not_settled() {
        let settled = |contours: &[Contour]| is_settled(contours.iter().map(|c| &c[..]), |p| *p);
        let hole = |x: i32| {
            let mut hole = rect(x, 300, x + 100, 400);
            hole.reverse();
            hole
        };
        let outline = rect(0, 0, 1000, 1000);
        assert!(settled(&[outline.clone(), hole(300), hole(401)]));
        // Side by side, at a border, across it, and across each other.
        assert!(!settled(&[outline.clone(), hole(300), hole(400)]));
        assert!(!settled(&[outline.clone(), hole(0)]));
        assert!(!settled(&[outline.clone(), hole(950)]));
        assert!(!settled(&[outline.clone(), hole(300), hole(350)]));
        // A sliver may have turned over, a border that comes back along itself lies on itself; one that
        // goes on straight does not.
        assert!(!settled(&[rect(0, 0, 1000, 3)]));
        let at = |x: i32, y: i32| LatticePoint::new(x, y);
        let mut spiked = outline.clone();
        spiked.insert(2, at(1000, 2000));
        assert!(!settled(&[spiked]));
        let mut straight = outline;
        straight.insert(2, at(1000, 500));
        assert!(settled(&[straight]));
    }

    #[test]
    fn one_pass_finds_the_outline_that_a_hole_lies_in() {
        let at = LatticePoint::new;
        let mut o = Overlayer::new();
        let none: [Contour; 0] = [];
        // A frame in a frame beside a frame, and holes that touch each other and the outline.
        let frames = [rect(0, 0, 100, 100), rect(20, 20, 80, 80), rect(40, 40, 60, 60)];
        let ring = o.run(SetOperation::Difference, &frames[..1], &frames[1..2]);
        let two = [flatten(ring), vec![frames[2].clone(), rect(200, 0, 300, 100)]].concat();
        let r =
            o.run(SetOperation::Difference, &two, &[rect(45, 45, 50, 50), rect(220, 20, 230, 30)]);
        let counts: Vec<usize> = r.iter().map(|p| p.contours.len()).collect();
        assert_eq!(counts, [2, 2, 2], "{r:?}");
        assert!(r.iter().all(|p| p.area2() > 0 && p.area2() < contour_area2(&p.contours[0])));
        let diamond =
            |x: i32, y: i32| vec![at(x - 10, y), at(x, y - 10), at(x + 10, y), at(x, y + 10)];
        let holes = [diamond(30, 50), diamond(50, 50), diamond(50, 10)];
        let r = o.run(SetOperation::Difference, &frames[..1], &holes);
        assert_eq!(r.len(), 1, "{r:?}");
        assert_eq!(r[0].area2(), 2 * (10_000 - 600));
        let back = o.run(SetOperation::Union, &flatten(r), &holes);
        assert_eq!(area2(&back), 20_000);
        assert_eq!(area2(&o.run(SetOperation::Union, &holes, &none)), 1_200);
    }
}
