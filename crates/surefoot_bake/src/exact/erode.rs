//! Wall clearance: takes away the ground that is nearer than the agent's radius to a boundary
//! (Sanchez 2021, §2.9, in another way).
//!
//! Goes in: joined ground. Comes out: pieces of it, to be joined again. Every stretch of an edge
//! without a neighbour is a boundary, be it a wall or a ledge. Its clearance is, in plan, a rectangle
//! on the inner side; where the boundary turns away, a sector; where its course is not clear, a disc.
//! Arcs are drawn around the true circle, never inside it, with a chord error of at most
//! [`CHORD_ERROR_M`], so the result is always on the safe side. No capsule per edge, no polyhedron.
//!
//! A boundary counts for a piece only near its own height. After the cut no two pieces of ground
//! overlap within the agent's height, so looking half that far up and down (farther on steep ground)
//! finds all that belong to the piece and none from another storey.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::match_edges::{GroundEdge, Match, Reach, collect_edges, match_within, uncovered};
use crate::exact::{LIMIT_SLACK_M, NOISE_M};
use crate::surface::{Face, Plane, WalkableSurface, class_of_label, plan_units};
use glam::DVec2;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::Ordering;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::overlay::{Overlayer, counter_clockwise, flatten};
use surefoot_geom::polygon::{Contour, convex_hull, covers, separated};
use surefoot_mesh::{Agent, EdgeClass, NO_EDGE};

/// How far outside the true circle an arc's corners may lie, in metres.
const CHORD_ERROR_M: f64 = 1e-3;

/// How far a point may lie from the line between its neighbours and be left out, in lattice units.
const STRAIGHT_UNITS: f64 = 2.0;

/// How far a left-out point's height may be from the line between its neighbours, in metres.
const STRAIGHT_HEIGHT_M: f64 = 0.05;

/// Points that one straight stretch may leave out: keeps the check linear.
const MAX_LEFT_OUT: usize = 64;

/// Clearance shapes reach this far beyond the boundary and the radius, in lattice units: more than
/// rounding can take away.
const OVERLAP_UNITS: f64 = 2.0;

/// Outlines of at most this many corners are tested against each clearance shape by separating lines.
const SMALL_OUTLINE: usize = 12;

/// How much faces may overlap and still face each other, in lattice units: half a millimetre.
const OVERLAP_LOOK_UNITS: f64 = 33.0;

/// Faces that rise more than this per metre are short connections: their plane says nothing about the
/// ground around them.
const STEEP_SLOPE: f64 = 1.5;

/// What a boundary may be; any other counts as blocked, the second.
const BOUNDARY_CLASSES: [EdgeClass; 3] =
    [EdgeClass::Open, EdgeClass::Blocked, EdgeClass::InnerWall];

/// A stretch of boundary; the ground lies to its left.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: LatticePoint,
    to: LatticePoint,
    from_height_m: f64,
    to_height_m: f64,
    class: EdgeClass,
}

/// What one boundary feature takes away.
struct Clearance {
    /// Its shape in plan, counter-clockwise and convex.
    shape: Contour,
    /// The stretch it belongs to; a point for sectors and discs.
    stretch: Stretch,
}

pub(crate) fn erode(
    surface: WalkableSurface,
    agent: &Agent,
    gap_distance_m: f64,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let radius = agent.radius_m * LATTICE_PER_M;
    if radius < 1.0 {
        return Ok(surface);
    }
    let stretches = straighten(boundary(&surface, agent, gap_distance_m));
    context.count("boundaries", stretches.len());
    let clearances = clearances(&stretches, radius);
    let tree = BoxTree::build_with(clearances.len(), |i| plan_box(&clearances[i as usize].shape));
    let reach_m = reach_in_height(agent);
    let cancel = context.cancel_flag();
    let eroder = Eroder { clearances: &clearances, tree: &tree, reach_m, radius };
    let pieces: Vec<Vec<Face>> = surface
        .faces
        .par_iter()
        .with_min_len(16)
        .map_init(Overlayer::new, |overlayer, face| {
            if cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return Vec::new();
            }
            eroder.erode_face(face, overlayer)
        })
        .collect();
    context.check_cancelled()?;
    let mut eroded = WalkableSurface { faces: pieces.into_iter().flatten().collect(), ..surface };
    // Pieces have new numbers: neighbours are found anew.
    for e in eroded.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
        e.twin = NO_EDGE;
    }
    context.count("pieces", eroded.faces.len());
    context.observe(|| eroded.view());
    Ok(eroded)
}

/// How far above or below a piece a boundary may lie and still belong to it.
fn reach_in_height(agent: &Agent) -> f64 {
    let climb = agent.max_step_m + 2.0 * agent.radius_m * agent.max_slope_rad.tan();
    (0.5 * agent.height_m).max(climb).min(0.95 * agent.height_m) + LIMIT_SLACK_M
}

/// The stretches of edges across which there is no ground within the gap distance. What gap closing
/// could not heal is thus no boundary: one stray millimetre would cost a hole of the agent's radius.
fn boundary(surface: &WalkableSurface, agent: &Agent, gap_distance_m: f64) -> Vec<Stretch> {
    let edges = collect_edges(&surface.faces);
    let twins: Vec<u32> =
        surface.faces.iter().flat_map(|f| f.loops.iter().flatten()).map(|e| e.twin).collect();
    let reach = Reach {
        outwards: (gap_distance_m * LATTICE_PER_M).max(OVERLAP_UNITS),
        inwards: OVERLAP_LOOK_UNITS,
        climb_m: agent.max_step_m + LIMIT_SLACK_M,
    };
    let matches = match_within(&edges, &twins, reach);
    let mut out = Vec::new();
    let mut first = 0;
    for face in &surface.faces {
        for edges_of_loop in &face.loops {
            let ids = first..first + edges_of_loop.len();
            first = ids.end;
            out.extend(loop_boundary(ids, &edges, &twins, &matches, 2.0 * reach.outwards));
        }
    }
    out
}

/// The uncovered stretches of one loop. Runs no longer than `least` that end at covered ground on
/// both sides are corners of cracks, and left out.
fn loop_boundary(
    ids: Range<usize>,
    edges: &[GroundEdge],
    twins: &[u32],
    matches: &[Vec<Match>],
    least: f64,
) -> Vec<Stretch> {
    // Pieces in order around the loop: uncovered stretches, each with its length and whether it
    // goes on from the piece before.
    let mut pieces: Vec<(Stretch, f64, bool)> = Vec::new();
    let mut reached_end = false;
    let mut any_covered = false;
    let loop_start = edges[ids.start].from;
    for i in ids {
        let e = &edges[i];
        let (a, b) = (plan_units(e.from), plan_units(e.to));
        let length = a.distance(b);
        let spans = if twins[i] == NO_EDGE { uncovered(length, &matches[i]) } else { Vec::new() };
        let whole = spans.first().is_some_and(|s| s.0 <= 0.0 && s.1 >= length);
        any_covered |= !whole;
        let mut at_end = false;
        for (s, t) in spans {
            let point = |s: f64| {
                if s <= 0.0 {
                    (e.from, e.from_height_m)
                } else if s >= length {
                    (e.to, e.to_height_m)
                } else {
                    let p = a.lerp(b, s / length);
                    let climb = e.to_height_m - e.from_height_m;
                    (to_lattice(p), e.from_height_m + climb * s / length)
                }
            };
            let ((from, from_height_m), (to, to_height_m)) = (point(s), point(t));
            let stretch = Stretch { from, to, from_height_m, to_height_m, class: e.class };
            if from != to {
                pieces.push((stretch, t - s, s <= 0.0 && reached_end));
            }
            at_end = t >= length;
        }
        reached_end = at_end;
    }
    if !any_covered {
        return pieces.into_iter().map(|p| p.0).collect();
    }
    // The last piece may go on in the first.
    if let Some(first) = pieces.first_mut() {
        let starts_loop = first.0.from == loop_start;
        first.2 = reached_end && starts_loop;
    }
    let start = pieces.iter().position(|p| !p.2).unwrap_or(0);
    pieces.rotate_left(start);
    let mut out = Vec::new();
    let mut run: Vec<Stretch> = Vec::new();
    let mut run_length = 0.0;
    for (stretch, length, goes_on) in pieces {
        if !goes_on {
            if run_length > least {
                out.append(&mut run);
            }
            run.clear();
            run_length = 0.0;
        }
        run.push(stretch);
        run_length += length;
    }
    if run_length > least {
        out.append(&mut run);
    }
    out
}

/// The stretch that follows each one, where it is the only one to start there and this the only one
/// to end there, at about the same height.
fn followers(stretches: &[Stretch]) -> Vec<Option<u32>> {
    let mut starts: Vec<(LatticePoint, u32)> =
        stretches.iter().enumerate().map(|(i, s)| (s.from, i as u32)).collect();
    let mut ends: Vec<(LatticePoint, u32)> =
        stretches.iter().enumerate().map(|(i, s)| (s.to, i as u32)).collect();
    starts.par_sort_unstable();
    ends.par_sort_unstable();
    let only = |list: &[(LatticePoint, u32)], p: LatticePoint, near: &dyn Fn(u32) -> bool| {
        let first = list.partition_point(|e| e.0 < p);
        let mut found = list[first..].iter().take_while(|e| e.0 == p).filter(|e| near(e.1));
        let one = found.next().map(|e| e.1);
        if found.next().is_some() { None } else { one }
    };
    // Other storeys are an agent's height away; steps between neighbouring faces are lower.
    stretches
        .par_iter()
        .enumerate()
        .map(|(i, s)| {
            let next = only(&starts, s.to, &|j| {
                (stretches[j as usize].from_height_m - s.to_height_m).abs() <= STRAIGHT_HEIGHT_M
            })?;
            let back = only(&ends, s.to, &|j| {
                (stretches[j as usize].to_height_m - s.to_height_m).abs() <= STRAIGHT_HEIGHT_M
            })?;
            (back as usize == i && next as usize != i).then_some(next)
        })
        .collect()
}

/// Joins stretches that go straight on.
fn straighten(stretches: Vec<Stretch>) -> Vec<Stretch> {
    let next = followers(&stretches);
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
        let mut current: Option<Stretch> = None;
        let mut left_out: Vec<(LatticePoint, f64)> = Vec::new();
        while let Some(i) = at {
            if done[i as usize] {
                break;
            }
            done[i as usize] = true;
            let s = stretches[i as usize];
            if let Some(run) = current {
                let longer = Stretch { to: s.to, to_height_m: s.to_height_m, ..run };
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

fn goes_straight(s: &Stretch, left_out: &[(LatticePoint, f64)]) -> bool {
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

/// Unit vectors all around, enough for the chord error at a radius; made with square roots alone, so
/// that they are the same on every machine.
fn directions(radius: f64) -> Vec<DVec2> {
    let error = CHORD_ERROR_M * LATTICE_PER_M;
    let third = DVec2::new(0.75_f64.sqrt(), 0.5);
    let mut quarter: Vec<DVec2> = vec![DVec2::X, DVec2::Y];
    let too_coarse = |q: &[DVec2]| {
        // The corner between neighbours lies at radius / cos(half the angle between them).
        let cos2 = 0.5 * (1.0 + q[0].dot(q[1]));
        radius * (1.0 / cos2.sqrt() - 1.0) > error
    };
    let halved = |q: &[DVec2]| {
        let mut out = vec![q[0]];
        for w in q.windows(2) {
            out.push((w[0] + w[1]).normalize());
            out.push(w[1]);
        }
        out
    };
    // Either two or three times a power of two a quarter, whichever is enough first.
    let mut by_three = vec![DVec2::X, third, DVec2::new(third.y, third.x), DVec2::Y];
    quarter = halved(&quarter);
    loop {
        if !too_coarse(&quarter) {
            break;
        }
        if !too_coarse(&by_three) {
            quarter = by_three;
            break;
        }
        quarter = halved(&quarter);
        by_three = halved(&by_three);
    }
    quarter.pop();
    let turned = |d: &DVec2, n: usize| (0..n).fold(*d, |d, _| d.perp());
    (0..4).flat_map(|n| quarter.iter().map(move |d| turned(d, n))).collect()
}

/// The clearance shapes of all stretches.
fn clearances(stretches: &[Stretch], radius: f64) -> Vec<Clearance> {
    let around = directions(radius);
    let next = followers(stretches);
    let mut has_previous = vec![false; stretches.len()];
    for n in next.iter().flatten() {
        has_previous[*n as usize] = true;
    }
    stretches
        .par_iter()
        .enumerate()
        .flat_map_iter(|(i, s)| {
            let mut out: Vec<Clearance> = Vec::with_capacity(2);
            out.extend(
                rectangle(s, (0.0, 1.0), radius).map(|shape| Clearance { shape, stretch: *s }),
            );
            let point = |p: LatticePoint, height: f64| Stretch {
                from: p,
                to: p,
                from_height_m: height,
                to_height_m: height,
                class: s.class,
            };
            let mut add = |shape: Option<Contour>, p: LatticePoint, height: f64| {
                out.extend(shape.map(|shape| Clearance { shape, stretch: point(p, height) }));
            };
            match next[i] {
                Some(n) => {
                    let (u, v) = (inward(s), inward(&stretches[n as usize]));
                    // The boundary turns away from the ground: a right turn.
                    if u.perp_dot(v) < 0.0 || u.dot(v) < 0.0 && u.perp_dot(v) <= 0.0 {
                        add(sector(s.to, u, v, radius, &around), s.to, s.to_height_m);
                    }
                }
                None => add(disc(s.to, radius, &around), s.to, s.to_height_m),
            }
            if !has_previous[i] {
                add(disc(s.from, radius, &around), s.from, s.from_height_m);
            }
            out
        })
        .collect()
}

/// The unit normal of a stretch towards the ground.
fn inward(s: &Stretch) -> DVec2 {
    (plan_units(s.to) - plan_units(s.from)).normalize_or_zero().perp()
}

/// What lies within the radius beside the given part of a stretch, on the ground's side.
fn rectangle(s: &Stretch, part: (f64, f64), radius: f64) -> Option<Contour> {
    let (a, b) = (plan_units(s.from), plan_units(s.to));
    let (p, q) = (a.lerp(b, part.0), a.lerp(b, part.1));
    let n = inward(s);
    let (near, far) = (n * -OVERLAP_UNITS, n * (radius + OVERLAP_UNITS));
    counter_clockwise([p + near, q + near, q + far, p + far].map(to_lattice).to_vec())
}

fn to_lattice(p: DVec2) -> LatticePoint {
    LatticePoint::from_units(p.x, p.y)
}

/// The corner of two tangents of a circle at the given directions.
fn tangent_corner(centre: DVec2, radius: f64, u: DVec2, v: DVec2) -> DVec2 {
    centre + (u + v) * (radius / (1.0 + u.dot(v)))
}

fn disc(p: LatticePoint, radius: f64, around: &[DVec2]) -> Option<Contour> {
    let centre = plan_units(p);
    let radius = radius + OVERLAP_UNITS;
    let n = around.len();
    let corner = |i: usize| tangent_corner(centre, radius, around[i], around[(i + 1) % n]);
    counter_clockwise((0..n).map(|i| to_lattice(corner(i))).collect())
}

/// The part of a disc between two inward normals, turning right from `u` to `v`.
fn sector(p: LatticePoint, u: DVec2, v: DVec2, radius: f64, around: &[DVec2]) -> Option<Contour> {
    let centre = plan_units(p);
    let radius = radius + OVERLAP_UNITS;
    // Directions strictly between v and u, counter-clockwise from v.
    let between = |d: &DVec2| {
        let after_v = v.perp_dot(*d) > 0.0;
        let before_u = d.perp_dot(u) > 0.0;
        if v.perp_dot(u) >= 0.0 { after_v && before_u } else { after_v || before_u }
    };
    let mut tangents = vec![v];
    let n = around.len();
    let first = (0..n).find(|&i| between(&around[i]) && !between(&around[(i + n - 1) % n]));
    if let Some(first) = first {
        tangents.extend((0..n).map(|k| around[(first + k) % n]).take_while(between));
    }
    tangents.push(u);
    let mut shape = vec![to_lattice(centre - (u + v) * OVERLAP_UNITS)];
    shape.push(to_lattice(centre + v * radius));
    for w in tangents.windows(2) {
        if w[0].dot(w[1]) > 0.0 {
            shape.push(to_lattice(tangent_corner(centre, radius, w[0], w[1])));
        }
    }
    shape.push(to_lattice(centre + u * radius));
    shape.dedup();
    counter_clockwise(shape)
}

fn plan_box(points: &[LatticePoint]) -> Aabb {
    Aabb::of_points(points.iter().map(|p| plan_units(*p).extend(0.0)))
}

struct Eroder<'a> {
    clearances: &'a [Clearance],
    tree: &'a BoxTree,
    reach_m: f64,
    radius: f64,
}

impl Eroder<'_> {
    fn erode_face(&self, face: &Face, overlayer: &mut Overlayer) -> Vec<Face> {
        let corners: Vec<LatticePoint> = face.loops.iter().flatten().map(|e| e.from).collect();
        let mut near = Vec::new();
        self.tree.visit_box(&plan_box(&corners), |i| near.push(i));
        near.sort_unstable();
        // Separating lines are worth their while for small outlines only.
        let hull = if corners.len() <= SMALL_OUTLINE { convex_hull(corners.clone()) } else { None };
        let level = Level::of(face);
        let mut by_class = BOUNDARY_CLASSES.map(|class| (class, Vec::<Contour>::new()));
        for i in near {
            let c = &self.clearances[i as usize];
            let Some(part) = self.part_near(&c.stretch, &level) else { continue };
            let whole = part.0 <= 0.0 && part.1 >= 1.0;
            let shape = if whole {
                Some(c.shape.clone())
            } else {
                rectangle(&c.stretch, part, self.radius)
            };
            let Some(shape) = shape else { continue };
            if hull.as_ref().is_some_and(|h| separated(h, &shape) || separated(&shape, h)) {
                continue;
            }
            if covers(&shape, &corners) {
                return Vec::new();
            }
            let class = c.stretch.class;
            let at = BOUNDARY_CLASSES.iter().position(|b| *b == class).unwrap_or(1);
            by_class[at].1.push(shape);
        }
        if by_class.iter().all(|(_, shapes)| shapes.is_empty()) {
            return vec![face.clone()];
        }
        let mut clips: Vec<(Contour, u32)> = Vec::new();
        for (class, list) in by_class {
            let united = if list.len() > 1 { flatten(overlayer.union(&list)) } else { list };
            clips.extend(united.into_iter().map(|c| (c, class as u32)));
        }
        let subject: Vec<(LatticePoint, LatticePoint, u32)> =
            face.edges().map(|(e, to)| (e.from, to, e.class as u32)).collect();
        overlayer
            .difference_labelled(&subject, &clips)
            .iter()
            .map(|piece| {
                let class = |c: usize, i: usize| class_of_label(piece.labels[c][i]);
                Face::from_polygon(&piece.polygon, class, &face.origin())
            })
            .collect()
    }

    /// The part of a stretch, from 0 to 1, whose height is near the face.
    fn part_near(&self, s: &Stretch, level: &Level) -> Option<(f64, f64)> {
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
    fn of(face: &Face) -> Self {
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

/// The chord error in lattice units is far above rounding, so shapes stay convex.
const _: () = assert!(CHORD_ERROR_M > 16.0 * M_PER_LATTICE && NOISE_M > 16.0 * M_PER_LATTICE);
