//! Closes modelling gaps: cracks in the ground up to the gap distance (Sanchez 2021, §2.5, after
//! Borodin, Novotni and Klein 2002).
//!
//! Goes in: joined ground. Comes out: the same ground, cracks contracted. Only edges that face an
//! edge of another face across the crack take part, so real boundaries keep every point. The source
//! contracts triangles in a half-edge mesh and must guard its topology; here whole polygons are
//! contracted in plan and paired afterwards, so there is no topology to break; what must not come about
//! is ground that lies over ground, and points that would do so are banned. Where something hangs in
//! the crack it is none, however narrow, and the edges on both sides stay as they are.

use crate::borders::join_edges::{join_open, snap_edges};
use crate::borders::match_edges::{
    GroundEdge, LookAcross, Match, SomeEdges, match_some_within, match_within, pair_exact,
};
use crate::borders::obstructions::{Span, part_obstructed};
use crate::borders::pairs::{MarkedFace, Pairs, UnjoinedSurface};
use crate::borders::snap::{
    LooseEnds, Moved, SnapReach, Vicinity, contract_into_edges, contract_points, crossings,
    remove_folds,
};
use crate::borders::thin_parts::{close_necks, collapse_slivers, dissolve_slits, find_necks};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::cut::World;
use crate::ids::PairMark;
use crate::input::limits::LIMIT_SLACK_M;
use crate::surface::{SurfaceEdge, WalkableSurface, plan_units};
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::LATTICE_PER_M;

/// How much faces may overlap and still face each other, in lattice units: half a millimetre.
const OVERLAP_UNITS: f64 = 33.0;

/// How deep edges may cut across each other and be told apart by rounding alone, in lattice units: a
/// quarter of a millimetre.
const DEEP_UNITS: f64 = 16.0;

/// How often a round is done again with fewer points before it is given up. Each time some points more
/// must stay; a heap of ballast of 350 m takes five.
const TRIES: usize = 32;

/// Rounds of contraction; each may make room for the next.
const ROUNDS: usize = 4;

/// The shares of the gap distance over which points are contracted that the whole would have laid over
/// other ground.
const NEARER: [f64; 3] = [0.125, 0.25, 0.5];

pub(crate) fn close_gaps(
    surface: WalkableSurface,
    world: &World,
    gap_distance_m: f64,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let climb_m = world.agent.max_step_m + LIMIT_SLACK_M;
    let units = gap_distance_m * LATTICE_PER_M;
    if units < 1.0 {
        return Ok(surface);
    }
    let mut banned: Vec<LatticePoint> = Vec::new();
    let mut near = Vicinity::Everything;
    let UnjoinedSurface { frame, mut faces, area_names, pairs } = UnjoinedSurface::of(surface);
    for _ in 0..ROUNDS {
        context.check_cancelled()?;
        let reach = SnapReach { units, climb_m };
        let round = contract_safely(&mut faces, world, reach, &near, &pairs);
        banned.extend(round.banned);
        if round.changed.is_empty() {
            break;
        }
        near = Vicinity::Points(round.changed);
    }
    banned.sort_unstable();
    banned.dedup();
    let banned_count = banned.len();
    if banned_count > 0 {
        let near = Vicinity::Points(banned);
        for share in NEARER {
            let reach = SnapReach { units: units * share, climb_m };
            contract_safely(&mut faces, world, reach, &near, &pairs);
        }
        // What moved beside a banned point may coincide with it now.
        snap_edges(&mut faces, climb_m, &pairs);
    }
    collapse_slivers(&mut faces, climb_m, DEEP_UNITS, &pairs);
    let mut faces = join_open(faces, climb_m, &pairs);
    if let Some(necks) = find_necks(&faces, DEEP_UNITS) {
        let (mut marked, pairs) = Pairs::mark(faces);
        close_necks(&mut marked, necks, &pairs);
        faces = join_open(marked, climb_m, &pairs);
    }
    let surface = WalkableSurface { frame, faces, area_names };
    context.count("banned_points", banned_count);
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    Ok(surface)
}

/// What a round of contractions did.
struct Round {
    /// Where points were moved to or put in, sorted.
    changed: Vec<LatticePoint>,
    /// The points that had to stay.
    banned: Vec<LatticePoint>,
}

/// One round of contractions. Points whose contraction would lay ground over ground are put on a
/// (sorted) list of those that stay, and the round is taken back and done again without them.
fn contract_safely(
    faces: &mut Vec<MarkedFace>,
    world: &World,
    reach: SnapReach,
    near: &Vicinity,
    pairs: &Pairs,
) -> Round {
    let mut stay: Vec<LatticePoint> = Vec::new();
    let facing = facing_edges(faces, world, reach, near, pairs);
    if facing.edges.is_empty() {
        return Round { changed: Vec::new(), banned: stay };
    }
    for _ in 0..TRIES {
        let mut tried = faces.clone();
        let ends = LooseEnds::new(&facing, &tried, &stay);
        let moved = contract_points(&mut tried, &ends, reach, pairs);
        let put_in = if moved.is_empty() {
            contract_into_edges(&mut tried, &facing, &ends, reach, pairs)
        } else {
            let near = near.and(moved.iter().map(|m| m.to));
            let facing = facing_edges(&tried, world, reach, &near, pairs);
            let ends = LooseEnds::new(&facing, &tried, &stay);
            contract_into_edges(&mut tried, &facing, &ends, reach, pairs)
        };
        if moved.is_empty() && put_in.is_empty() {
            break;
        }
        let mut changed = put_in;
        changed.extend(moved.iter().map(|m| m.to));
        changed.sort_unstable();
        changed.dedup();
        // What lay along a fold looks for its new neighbour in the next round.
        changed.extend(remove_folds(&mut tried, &changed, DEEP_UNITS, pairs));
        changed.sort_unstable();
        changed.dedup();
        dissolve_slits(&mut tried, &changed, pairs);
        let crossing = crossings(&tried, &changed, reach.climb_m, DEEP_UNITS);
        let before = stay.len();
        forbid(&mut stay, &crossing, &moved);
        if stay.len() == before && !crossing.is_empty() {
            // What crosses came of taking a fold or a slit out: its faces stay as they are.
            let has = |e: &SurfaceEdge<PairMark>| crossing.binary_search(&e.from).is_ok();
            let around = tried.iter().filter(|f| f.loops.iter().flatten().any(has));
            let mut corners: Vec<LatticePoint> =
                around.flat_map(|f| f.loops.iter().flatten().map(|e| e.from)).collect();
            corners.sort_unstable();
            forbid(&mut stay, &corners, &moved);
        }
        // What still crosses when none of its points may move crossed before.
        if stay.len() == before {
            *faces = tried;
            return Round { changed, banned: stay };
        }
    }
    Round { changed: Vec::new(), banned: stay }
}

/// Adds (sorted) points to the (sorted) list of those that stay, and all that became one there.
fn forbid(stay: &mut Vec<LatticePoint>, points: &[LatticePoint], moved: &[Moved]) {
    stay.extend(moved.iter().filter(|m| points.binary_search(&m.to).is_ok()).map(|m| m.from));
    stay.extend_from_slice(points);
    stay.sort_unstable();
    stay.dedup();
}

/// The edges near the given places that face another across a crack.
fn facing_edges(
    faces: &[MarkedFace],
    world: &World,
    reach: SnapReach,
    near: &Vicinity,
    pairs: &Pairs,
) -> SomeEdges {
    let open = pairs.open_edges(faces);
    let twins = pair_exact(&open.edges, reach.climb_m);
    let loose = open.filtered(|k| twins[k].is_none());
    let look = LookAcross { outwards: reach.units, inwards: OVERLAP_UNITS, climb_m: reach.climb_m };
    let mut matches = match near.changed(faces, reach) {
        None => match_within(&loose.edges, look),
        Some(changed) => match_some_within(&loose.edges, look, |b| changed.touches(b)),
    };
    let obstructed = part_obstructed(world, &loose.edges, &mut matches);
    let mut facing: Vec<bool> = matches.iter().map(|m| !m.is_empty()).collect();
    // Facing is mutual: what is faced takes part, even where it does not look back by a hair.
    for m in matches.iter().flatten() {
        facing[m.other as usize] = true;
    }
    loose.filtered(|k| facing[k] && !is_obstructed(&loose.edges[k], &matches[k], &obstructed[k]))
}

/// Whether an edge must stay where it is because of what hangs in the crack: beside its middle, or beside
/// most of it. What hangs at its ends stands at the end of the crack.
fn is_obstructed(edge: &GroundEdge, free: &[Match], obstructed: &[Span]) -> bool {
    let length = plan_units(edge.from).distance(plan_units(edge.to));
    let in_middle = |s: &Span| s.0 > DEEP_UNITS && s.1 < length - DEEP_UNITS;
    let sum = |spans: &mut dyn Iterator<Item = Span>| spans.map(|s| s.1 - s.0).sum::<f64>();
    obstructed.iter().any(in_middle)
        || sum(&mut obstructed.iter().copied()) > sum(&mut free.iter().map(|m| m.span))
}
