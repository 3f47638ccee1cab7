//! Wall clearance: takes away the ground that is nearer than the agent's radius to a boundary
//! (Sanchez 2021, §2.9, in another way).
//!
//! Goes in: joined ground, with fillers of gaps or without. Comes out: pieces of it, to be joined again,
//! and the pairs of edges that nothing was taken from ([`Pairs`](crate::borders::pairs::Pairs)). Every
//! stretch of an edge without a neighbour is a boundary, be it a wall or a ledge, and takes away the ground
//! beside it (`offset_boundary`). No capsule per edge, no polyhedron. Where ground meets a filler both have
//! a neighbour, so that nothing is taken away there; where a filler ends, it ends like ground.
//!
//! A boundary counts for a piece only near its own height. After the cut no two pieces of ground
//! overlap within the agent's height, so looking half that far up and down (farther on steep ground)
//! finds all that belong to the piece and none from another storey.

use crate::borders::match_edges::{
    GroundEdge, LookAcross, Match, SomeEdges, match_within, uncovered,
};
use crate::borders::obstructions::{Overhangs, hangs_behind, part_obstructed};
use crate::borders::offset_boundary::{
    BoundaryStretch, OVERLAP_UNITS, OffsetBoundary, followers, to_lattice,
};
use crate::borders::pairs::{MarkedFace, UnjoinedSurface};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::input::limits::LIMIT_SLACK_M;
use crate::report::Warning;
use crate::surface::{Face, Plane, WalkableSurface, class_of_label, plan_m, plan_units};
use glam::DVec3;
use std::sync::atomic::Ordering;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::convex_hull::convex_hull;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::overlay::{LabelledPolygon, Overlayer, flatten};
use surefoot_geom::polygon::{Contour, bounds_of, covers, separated, trim_to_hull, trimmed_to_box};
use surefoot_geom::threads::prelude::*;
use surefoot_geom::{DisjointSets, LatticePoint};
use surefoot_mesh::{Agent, EdgeClass};

/// How far a point may lie from the line between its neighbours and be left out, in lattice units.
const STRAIGHT_UNITS: f64 = 2.0;

/// How far a left-out point's height may be from the line between its neighbours, in metres.
const STRAIGHT_HEIGHT_M: f64 = 0.05;

/// Points that one straight stretch may leave out: keeps the check linear.
const MAX_LEFT_OUT: usize = 64;

/// Outlines of at most this many corners are tested against each offset shape by separating lines.
const SMALL_OUTLINE: usize = 12;

/// More offset shapes than this are united before they are subtracted.
const UNITE_FROM: usize = 64;

/// What lies farther than this outside of a face's box or hull does not matter to it, in lattice units:
/// more than rounding can move anything.
const MARGIN: u16 = 16;

/// How much faces may overlap and still face each other, in lattice units: half a millimetre.
const OVERLAP_LOOK_UNITS: f64 = 33.0;

/// How far behind an edge to look for what it was cut by, in lattice units: a millimetre.
const BEHIND_UNITS: f64 = 64.0;

/// Faces that rise more than this per metre are short connections: their plane says nothing about the
/// ground around them.
const STEEP_SLOPE: f64 = 1.5;

pub(crate) fn erode(
    surface: WalkableSurface,
    overhangs: &impl Overhangs,
    agent: &Agent,
    gap_distance_m: f64,
    context: &mut StageContext<'_>,
) -> Result<UnjoinedSurface, BakeError> {
    let radius = agent.radius_m * LATTICE_PER_M;
    if radius < 1.0 {
        return Ok(UnjoinedSurface::of(surface));
    }
    let stretches = straighten(boundary(&surface, overhangs, agent, gap_distance_m));
    context.count("boundaries", stretches.len());
    let offsets = OffsetBoundary::new(stretches, radius, agent.max_step_m + LIMIT_SLACK_M);
    let tree =
        BoxTree::build_with(offsets.list.len(), |i| plan_box(&offsets.list[i as usize].shape));
    let reach_m = reach_in_height(agent);
    let cancel = context.cancel_flag();
    let mut surface = UnjoinedSurface::of(surface);
    let pairs = &surface.pairs;
    let eroder = Eroder { offsets: &offsets, tree: &tree, reach_m };
    let pieces: Vec<(Eroded, Option<DVec3>)> = std::mem::take(&mut surface.faces)
        .into_par_iter()
        .with_min_len(16)
        .map_init(Overlayer::new, |overlayer, mut face| {
            if cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return (Eroded::Pieces(Vec::new()), None);
            }
            let p = face.loops[0][0].from;
            let at = plan_m(p).extend(face.plane.height_at(p));
            let eroded = match eroder.erode_face(&face, overlayer) {
                None => Eroded::Whole(face),
                Some(pieces) => {
                    pairs.part(&mut face);
                    Eroded::Pieces(pieces)
                }
            };
            (eroded, overlayer.take_failed().then_some(at))
        })
        .collect();
    context.check_cancelled()?;
    for (face, at) in pieces.iter().enumerate().filter_map(|(f, p)| Some((f as u32, p.1?))) {
        let at = surface.frame.user_from_canonical(at.to_array());
        context.warn(Warning::FaceDamaged { face, at, stage: "erode" });
    }
    let mut faces = Vec::with_capacity(pieces.len());
    for (eroded, _) in pieces {
        match eroded {
            Eroded::Whole(face) => faces.push(face),
            Eroded::Pieces(pieces) => faces.extend(pieces),
        }
    }
    surface.pairs.forget_parted(&mut faces);
    surface.faces = faces;
    context.count("pieces", surface.faces.len());
    Ok(surface)
}

/// How far above or below a piece a boundary may lie and still belong to it.
fn reach_in_height(agent: &Agent) -> f64 {
    let climb = agent.max_step_m + 2.0 * agent.radius_m * agent.max_slope_rad.tan();
    (0.5 * agent.height_m).max(climb).min(0.95 * agent.height_m) + LIMIT_SLACK_M
}

/// The stretches of edges across which there is no ground within the gap distance, or something hangs
/// before it. What gap closing could not heal is thus no boundary: one stray millimetre would cost a hole
/// of the agent's radius.
fn boundary(
    surface: &WalkableSurface,
    overhangs: &impl Overhangs,
    agent: &Agent,
    gap_distance_m: f64,
) -> Vec<BoundaryStretch> {
    let loose = SomeEdges::of(&surface.faces, |e, _| e.twin.is_none());
    let reach = LookAcross {
        outwards: (gap_distance_m * LATTICE_PER_M).max(OVERLAP_UNITS),
        inwards: OVERLAP_LOOK_UNITS,
        climb_m: agent.max_step_m + LIMIT_SLACK_M,
    };
    let mut matches = match_within(&loose.edges, reach);
    part_obstructed(overhangs, &loose.edges, &mut matches);
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut first, mut done) = (0, 0);
    for edges_of_loop in surface.faces.iter().flat_map(|f| &f.loops) {
        let ids = first..first + edges_of_loop.len() as u32;
        first = ids.end;
        let count = loose.numbers[done..].iter().take_while(|&&n| n < ids.end).count();
        let here = done..done + count;
        done = here.end;
        let before = pieces.len();
        for (edge, matches) in loose.edges[here.clone()].iter().zip(&matches[here]) {
            pieces.extend(uncovered_pieces(edge, matches));
        }
        let is_whole =
            count == ids.len() && pieces[before..].iter().filter(|p| p.is_whole).count() == count;
        if is_whole {
            // A hole in one face, or all around it.
            pieces[before..].iter_mut().for_each(|p| p.length = f64::INFINITY);
        }
    }
    // Short runs are corners of cracks, unless something stands there.
    let least = 2.0 * reach.outwards;
    let is_cut = |s: &BoundaryStretch| {
        let ends = [(s.from, s.from_height_m), (s.to, s.to_height_m)];
        s.class == EdgeClass::Blocked && hangs_behind(overhangs, ends, BEHIND_UNITS)
    };
    let (run_of, count) = number_runs(&pieces, reach.climb_m);
    let mut lengths = vec![0.0; count as usize];
    for (piece, &run) in pieces.iter().zip(&run_of) {
        lengths[run as usize] += piece.length;
    }
    let mut is_boundary: Vec<bool> = lengths.iter().map(|&length| length > least).collect();
    for (piece, &run) in pieces.iter().zip(&run_of) {
        is_boundary[run as usize] = is_boundary[run as usize] || is_cut(&piece.stretch);
    }
    let kept = pieces.iter().zip(run_of).filter(|(_, run)| is_boundary[*run as usize]);
    kept.map(|(piece, _)| piece.stretch).collect()
}

/// An uncovered stretch of an edge.
struct Piece {
    stretch: BoundaryStretch,
    /// In lattice units; endless if it belongs to a loop of which nothing is covered.
    length: f64,
    /// Whether it is the whole edge.
    is_whole: bool,
}

fn uncovered_pieces(e: &GroundEdge, matches: &[Match]) -> impl Iterator<Item = Piece> {
    let (a, b) = (plan_units(e.from), plan_units(e.to));
    let length = a.distance(b);
    let e = *e;
    let point = move |s: f64| {
        if s <= 0.0 {
            (e.from, e.from_height_m)
        } else if s >= length {
            (e.to, e.to_height_m)
        } else {
            let climb = e.to_height_m - e.from_height_m;
            (to_lattice(a.lerp(b, s / length)), e.from_height_m + climb * s / length)
        }
    };
    let pieces = uncovered(length, matches).into_iter().map(move |(s, t)| {
        let ((from, from_height_m), (to, to_height_m)) = (point(s), point(t));
        Piece {
            stretch: BoundaryStretch { from, to, from_height_m, to_height_m, class: e.class },
            length: t - s,
            is_whole: s <= 0.0 && t >= length,
        }
    });
    pieces.filter(|p| p.stretch.from != p.stretch.to)
}

/// Numbers the runs of pieces that go on from one another, in one face or the next, and counts them.
fn number_runs(pieces: &[Piece], climb_m: f64) -> (Vec<u32>, u32) {
    let mut ends: Vec<(LatticePoint, f64, u32)> = Vec::with_capacity(2 * pieces.len());
    for (i, Piece { stretch: s, .. }) in pieces.iter().enumerate() {
        ends.push((s.from, s.from_height_m, i as u32));
        ends.push((s.to, s.to_height_m, i as u32));
    }
    ends.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut runs = DisjointSets::new(pieces.len());
    for w in ends.windows(2) {
        if w[0].0 == w[1].0 && w[1].1 - w[0].1 <= climb_m {
            runs.join(w[0].2, w[1].2);
        }
    }
    runs.number()
}

/// Joins stretches that go straight on.
fn straighten(stretches: Vec<BoundaryStretch>) -> Vec<BoundaryStretch> {
    let next = followers(&stretches, STRAIGHT_HEIGHT_M);
    let mut has_previous = vec![false; stretches.len()];
    for n in next.iter().flatten() {
        has_previous[*n as usize] = true;
    }
    let mut done = vec![false; stretches.len()];
    let mut out = Vec::with_capacity(stretches.len());
    // Chains from their start first, then what is left: closed loops.
    let starts = (0..stretches.len()).filter(|&i| !has_previous[i]);
    for start in starts.chain(0..stretches.len()) {
        let mut at = Some(start as u32);
        let mut current: Option<BoundaryStretch> = None;
        let mut left_out: Vec<(LatticePoint, f64)> = Vec::new();
        while let Some(i) = at {
            if done[i as usize] {
                break;
            }
            done[i as usize] = true;
            let s = stretches[i as usize];
            if let Some(run) = current {
                let longer = BoundaryStretch { to: s.to, to_height_m: s.to_height_m, ..run };
                left_out.push((run.to, run.to_height_m));
                if run.class == s.class
                    && left_out.len() <= MAX_LEFT_OUT
                    && goes_straight(&longer, &left_out)
                {
                    current = Some(longer);
                } else {
                    out.push(run);
                    current = Some(s);
                    left_out.clear();
                }
            } else {
                current = Some(s);
            }
            at = next[i as usize];
        }
        out.extend(current);
    }
    out
}

fn goes_straight(s: &BoundaryStretch, left_out: &[(LatticePoint, f64)]) -> bool {
    let a = plan_units(s.from);
    let run = plan_units(s.to) - a;
    let length = run.length();
    if length < 1.0 {
        return false;
    }
    let along = run / length;
    left_out.iter().all(|&(p, height)| {
        let q = plan_units(p) - a;
        let at = q.dot(along) / length;
        let expected = s.from_height_m + (s.to_height_m - s.from_height_m) * at;
        q.perp_dot(along).abs() <= STRAIGHT_UNITS
            && (0.0..=1.0).contains(&at)
            && (height - expected).abs() <= STRAIGHT_HEIGHT_M
    })
}

fn plan_box(points: &[LatticePoint]) -> Aabb {
    Aabb::of_points(points.iter().map(|p| plan_units(*p).extend(0.0)))
}

/// What is left of a face.
enum Eroded {
    /// All of it.
    Whole(MarkedFace),
    Pieces(Vec<MarkedFace>),
}

struct Eroder<'a> {
    offsets: &'a OffsetBoundary,
    tree: &'a BoxTree,
    reach_m: f64,
}

impl Eroder<'_> {
    /// What is left of a face; `None` if that is all of it.
    fn erode_face(&self, face: &MarkedFace, overlayer: &mut Overlayer) -> Option<Vec<MarkedFace>> {
        let corners = || face.loops.iter().flatten().map(|e| e.from);
        let (lo, hi) = bounds_of(corners())?;
        let mut near = Vec::new();
        self.tree.visit_box(&plan_box(&[lo, hi]), |i| near.push(i));
        if near.is_empty() {
            return None;
        }
        near.sort_unstable();
        let corners: Vec<LatticePoint> = corners().collect();
        let margin = i32::from(MARGIN);
        let lo = LatticePoint::new(lo.x.saturating_sub(margin), lo.y.saturating_sub(margin));
        let hi = LatticePoint::new(hi.x.saturating_add(margin), hi.y.saturating_add(margin));
        // Separating lines are worth their while for small outlines only.
        let hull = if corners.len() <= SMALL_OUTLINE { convex_hull(corners.clone()) } else { None };
        let level = Level::of(face);
        let mut clips: Vec<(EdgeClass, Contour)> = Vec::new();
        let mut chosen: Vec<u32> = Vec::new();
        for i in near {
            let c = &self.offsets.list[i as usize];
            let Some(part) = self.part_near(&c.stretch, &level) else { continue };
            let whole = part.0 <= 0.0 && part.1 >= 1.0;
            let of_part = if whole { None } else { self.offsets.beside_part(&c.stretch, part) };
            let shape = if whole { Some(&c.shape) } else { of_part.as_ref() };
            let Some(shape) = shape else { continue };
            if hull.as_ref().is_some_and(|h| separated(h, shape) || separated(shape, h)) {
                continue;
            }
            if covers(shape, &corners) {
                return Some(Vec::new());
            }
            match of_part {
                Some(shape) => clips.push((c.stretch.class, shape)),
                None => chosen.push(i),
            }
        }
        if chosen.is_empty() && clips.is_empty() {
            return None;
        }
        self.offsets.put_together(&chosen, &mut clips);
        for (_, contour) in &mut clips {
            *contour = trimmed_to_box(contour, lo, hi);
            if let Some(hull) = &hull {
                trim_to_hull(contour, hull, MARGIN);
            }
        }
        clips.sort_by_key(|c| c.0 as u32);
        let mut labelled: Vec<(Contour, u32)> = Vec::new();
        for of_class in clips.chunk_by(|a, b| a.0 == b.0) {
            let label = of_class[0].0 as u32;
            if of_class.len() > UNITE_FROM {
                let list: Vec<&[LatticePoint]> = of_class.iter().map(|c| &*c.1).collect();
                labelled.extend(flatten(overlayer.union(&list)).into_iter().map(|c| (c, label)));
            } else {
                labelled.extend(of_class.iter().map(|c| (c.1.clone(), label)));
            }
        }
        let subject: Vec<(LatticePoint, LatticePoint, u32)> =
            face.edges().map(|(e, to)| (e.from, to, e.class as u32)).collect();
        let pieces = overlayer.difference_labelled(&subject, &labelled);
        let piece = |piece: &LabelledPolygon| {
            let class = |c: usize, i: usize| class_of_label(piece.labels[c][i]);
            Face::from_polygon(&piece.polygon, class, &face.origin())
        };
        Some(pieces.iter().map(piece).collect())
    }

    /// The part of a stretch, from 0 to 1, whose height is near the face.
    fn part_near(&self, s: &BoundaryStretch, level: &Level) -> Option<(f64, f64)> {
        let from = s.from_height_m - level.height_at(s.from);
        let to = s.to_height_m - level.height_at(s.to);
        let reach = self.reach_m + level.spread_m;
        if from.abs() <= reach && to.abs() <= reach {
            return Some((0.0, 1.0));
        }
        if from.min(to) > reach || from.max(to) < -reach {
            return None;
        }
        // Linear along the stretch and not constant, or one of the above would hold.
        let at = |limit: f64| (limit - from) / (to - from);
        let (a, b) = (at(-reach), at(reach));
        Some((a.min(b).max(0.0), a.max(b).min(1.0)))
    }
}

/// The height of a face as seen from the ground around it.
struct Level {
    /// Its plane, where that goes on beyond the face; a riser's does not.
    plane: Option<Plane>,
    /// The height of its middle, in metres.
    middle_m: f64,
    /// How far its own heights lie from there, in metres; zero where the plane counts.
    spread_m: f64,
}

impl Level {
    fn of(face: &MarkedFace) -> Self {
        let heights = face.loops.iter().flatten().map(|e| face.plane.height_at(e.from));
        let (lo, hi) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), h| (lo.min(h), hi.max(h)));
        if face.plane.slope().length() > STEEP_SLOPE {
            Self { plane: None, middle_m: 0.5 * (lo + hi), spread_m: 0.5 * (hi - lo) }
        } else {
            Self { plane: Some(face.plane), middle_m: 0.0, spread_m: 0.0 }
        }
    }

    fn height_at(&self, p: LatticePoint) -> f64 {
        self.plane.map_or(self.middle_m, |plane| plane.height_at(p))
    }
}
