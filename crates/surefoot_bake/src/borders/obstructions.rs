//! Says where something hangs between edges of the ground that lie close together.
//!
//! Goes in: edges, and for each the stretches along which another runs within a short distance
//! (`match_edges`). Comes out: those stretches less the parts where an obstacle above step height and
//! below the agent's head drops its shadow between the two. Ground on both sides of a crack is one ground;
//! on both sides of a lamp's cord it is not, however thin the cord.

use crate::borders::match_edges::{GroundEdge, Match};
use crate::input::limits::NOISE_M;
use crate::surface::plan_units;
use glam::{DVec2, DVec3};
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::Aabb;
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::threads::prelude::*;

/// What reaches less deep between two edges than this is rounding, in lattice units: a quarter of a
/// millimetre.
const DEEP_UNITS: f64 = 16.0;

/// What the scene hangs over the ground.
pub(crate) trait Overhangs: Sync {
    /// Visits the shadow of everything near a box that hangs above a plane of the ground, higher than a
    /// step and lower than the agent, both limits nearer by `slack_m`; upright things as thick as walls.
    fn visit_hanging(
        &self,
        around: &Aabb,
        above: impl Fn(DVec3) -> f64,
        slack_m: f64,
        visit: impl FnMut(&[LatticePoint]),
    );
}

/// A stretch of an edge, in lattice units from its start.
pub(crate) type Span = (f64, f64);

/// Takes the stretches along which something hangs between the two edges out of some matches. Gives
/// those stretches for each edge, sorted and apart.
pub(crate) fn part_obstructed(
    overhangs: &impl Overhangs,
    edges: &[GroundEdge],
    matches: &mut [Vec<Match>],
) -> Vec<Vec<Span>> {
    (matches.par_iter_mut().zip(edges))
        .map(|(matches, edge)| {
            let mut obstructed: Vec<Span> = Vec::new();
            let mut free: Vec<Match> = Vec::new();
            for m in matches.iter() {
                let hanging =
                    CrackStrip::between(edge, &edges[m.other as usize], m.span).hanging(overhangs);
                free.extend(without(m.span, &hanging).map(|span| Match { span, ..*m }));
                obstructed.extend(hanging);
            }
            if !obstructed.is_empty() {
                free.sort_by(|a, b| a.span.0.total_cmp(&b.span.0).then(a.other.cmp(&b.other)));
                *matches = free;
            }
            united(obstructed)
        })
        .collect()
}

/// Whether something hangs behind a boundary of the ground, which lies to its left; given by its ends
/// and their heights, and how far behind to look, in lattice units.
pub(crate) fn hangs_behind(
    overhangs: &impl Overhangs,
    ends: [(LatticePoint, f64); 2],
    behind: f64,
) -> bool {
    !CrackStrip::behind(ends, behind).hanging(overhangs).is_empty()
}

/// The ground between an edge and what lies outwards of it.
struct CrackStrip {
    from: DVec2,
    along: DVec2,
    /// From where to where along the edge, in lattice units.
    span: Span,
    /// How wide it is at both ends, in lattice units.
    width: (f64, f64),
    /// The height of its middle at both ends, in metres.
    height_m: (f64, f64),
    /// How far its sides lie above and below the middle, in metres.
    half_step_m: f64,
}

impl CrackStrip {
    fn between(edge: &GroundEdge, other: &GroundEdge, span: Span) -> Self {
        let (from, run) = (plan_units(edge.from), plan_units(edge.to) - plan_units(edge.from));
        let length = run.length();
        let along = run / length;
        let out = DVec2::new(along.y, -along.x);
        // The other edge runs the other way, and not across: that is how it was found.
        let (near, far) = (plan_units(other.to) - from, plan_units(other.from) - from);
        let share = |s: f64| (s - near.dot(along)) / (far.dot(along) - near.dot(along));
        let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let width = |s: f64| lerp(near.dot(out), far.dot(out), share(s));
        let here = |s: f64| lerp(edge.from_height_m, edge.to_height_m, s / length);
        let there = |s: f64| lerp(other.to_height_m, other.from_height_m, share(s));
        let middle = |s: f64| 0.5 * (here(s) + there(s));
        let half_step = |s: f64| 0.5 * (here(s) - there(s)).abs();
        Self {
            from,
            along,
            span,
            width: (width(span.0), width(span.1)),
            height_m: (middle(span.0), middle(span.1)),
            half_step_m: half_step(span.0).max(half_step(span.1)),
        }
    }

    fn behind([start, end]: [(LatticePoint, f64); 2], width: f64) -> Self {
        let from = plan_units(start.0);
        let run = plan_units(end.0) - from;
        Self {
            from,
            along: run.normalize_or_zero(),
            span: (0.0, run.length()),
            width: (width, width),
            height_m: (start.1, end.1),
            half_step_m: 0.0,
        }
    }

    /// The stretches, sorted and apart, along which something hangs over the strip: more than noise.
    fn hanging(&self, overhangs: &impl Overhangs) -> Vec<Span> {
        let (start, end) = self.span;
        let mut found: Vec<Span> = Vec::new();
        if !(end > start) || !(self.width.0.max(self.width.1) > DEEP_UNITS) {
            return found;
        }
        let out = DVec2::new(self.along.y, -self.along.x);
        let at = |s: f64, d: f64| self.from + self.along * s + out * d;
        let corners = [
            (at(start, 0.0), self.height_m.0),
            (at(start, self.width.0), self.height_m.0),
            (at(end, 0.0), self.height_m.1),
            (at(end, self.width.1), self.height_m.1),
        ];
        let around =
            Aabb::of_points(corners.map(|(p, height_m)| (p * M_PER_LATTICE).extend(height_m)));
        let climb = (self.height_m.1 - self.height_m.0) / (end - start);
        let above = |p: DVec3| {
            let s = (p.truncate() * LATTICE_PER_M - self.from).dot(self.along);
            p.z - (self.height_m.0 + climb * (s - start))
        };
        let widening = (self.width.1 - self.width.0) / (end - start);
        overhangs.visit_hanging(&around, above, self.half_step_m, |shadow| {
            let local = |p| {
                let p = plan_units(p) - self.from;
                DVec2::new(p.dot(self.along), p.dot(out))
            };
            let mut part: Vec<DVec2> = shadow.iter().map(|&p| local(p)).collect();
            clip(&mut part, |p| p.x - start);
            clip(&mut part, |p| end - p.x);
            clip(&mut part, |p| p.y);
            clip(&mut part, |p| self.width.0 + widening * (p.x - start) - p.y);
            let (mut lo, mut hi) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
            for p in part {
                (lo, hi) = (lo.min(p), hi.max(p));
            }
            if hi.y - lo.y > DEEP_UNITS && hi.x > lo.x {
                found.push((lo.x, hi.x));
            }
        });
        let mut found = united(found);
        found.retain(|s| s.1 - s.0 > NOISE_M * LATTICE_PER_M);
        found
    }
}

/// Keeps the part of a convex polygon where something linear is not negative.
fn clip(polygon: &mut Vec<DVec2>, inside: impl Fn(DVec2) -> f64) {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, &a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        let (here, there) = (inside(a), inside(b));
        if here >= 0.0 {
            kept.push(a);
        }
        if (here >= 0.0) != (there >= 0.0) {
            kept.push(a.lerp(b, here / (here - there)));
        }
    }
    *polygon = kept;
}

/// The union of some spans, sorted.
fn united(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    spans.dedup_by(|next, last| {
        let goes_on = next.0 <= last.1;
        if goes_on {
            last.1 = last.1.max(next.1);
        }
        goes_on
    });
    spans
}

/// What is left of a span without some others (sorted and apart) that lie in it.
fn without(span: Span, taken: &[Span]) -> impl Iterator<Item = Span> {
    let starts = std::iter::once(span.0).chain(taken.iter().map(|t| t.1));
    let ends = taken.iter().map(|t| t.0).chain(std::iter::once(span.1));
    starts.zip(ends).filter(|(start, end)| end > start)
}
