//! Joins edges that coincide in plan: neighbours at one height, and neighbours across a step.
//!
//! Goes in: pieces of ground whose borders coincide up to a few lattice units, because a shared edge
//! was cut separately from both sides. Edges that coincided before and whose faces have not changed since
//! carry a mark ([`Pairs`]) and are passed over. Comes out: the same pieces with common points along
//! shared borders and twins set. No point moves farther than [`SNAP_UNITS`].

use crate::borders::match_edges::{Coinciding, CoincidingEdges, GroundEdge, SomeEdges, edge_box};
use crate::borders::pairs::{MarkedFace, Pairs, UnjoinedSurface};
use crate::borders::snap::{
    LooseEnds, SnapReach, Vicinity, contract_into_edges, contract_points, insert_points,
};
use crate::borders::thin_parts::collapse_slivers;
use crate::context::StageContext;
use crate::error::BakeError;
use crate::ids::SurfaceEdgeId;
use crate::input::limits::{LIMIT_SLACK_M, NOISE_M};
use crate::surface::{Face, WalkableSurface, plan_units};
use surefoot_geom::LatticePoint;
use surefoot_mesh::{Agent, CellKind, EdgeClass};

/// How far apart points may lie and still be one, in lattice units: 0.12 mm.
const SNAP_UNITS: f64 = 8.0;

/// How far before the point where a step becomes too high it may be split, in lattice units.
const MOST_BACK: u32 = 16;

/// Rounds of snapping: the first makes points common, the second meets what the first moved.
const ROUNDS: usize = 2;

pub(crate) fn join_edges(
    surface: UnjoinedSurface,
    agent: &Agent,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let climb_m = agent.max_step_m + LIMIT_SLACK_M;
    context.check_cancelled()?;
    let UnjoinedSurface { frame, mut faces, area_names, pairs } = surface;
    let found = snap_found(&mut faces, climb_m, &pairs);
    let is_thick = !collapse_slivers(&mut faces, climb_m, SNAP_UNITS, &pairs);
    let faces = match found.filter(|_| is_thick) {
        Some(found) => join_found(faces, climb_m, &pairs, found),
        None => join_open(faces, climb_m, &pairs),
    };
    let surface = WalkableSurface { frame, faces, area_names };
    let all = || surface.faces.iter().flat_map(|f| f.loops.iter().flatten());
    context.count("joined", all().filter(|e| e.class == EdgeClass::Inner).count() / 2);
    context.count("steps", all().filter(|e| e.class == EdgeClass::Step).count() / 2);
    context.count("loose", all().filter(|e| e.twin.is_none()).count());
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    Ok(surface)
}

/// The open edges of some faces and those of them that coincide.
struct Found {
    open: SomeEdges,
    coinciding: CoincidingEdges,
}

impl Found {
    fn of(faces: &[MarkedFace], pairs: &Pairs) -> Self {
        let open = pairs.open_edges(faces);
        let coinciding = CoincidingEdges::find(&open.edges);
        Self { open, coinciding }
    }
}

/// Makes points common along borders that coincide up to [`SNAP_UNITS`]. Gives what coincides where the
/// last round found nothing more to do.
fn snap_found(faces: &mut Vec<MarkedFace>, climb_m: f64, pairs: &Pairs) -> Option<Found> {
    let reach = SnapReach { units: SNAP_UNITS, climb_m };
    let mut near = Vicinity::Everything;
    for _ in 0..ROUNDS {
        let found = Found::of(faces, pairs);
        let loose = loose_edges(faces, &found, reach, &near);
        let ends = LooseEnds::new(&loose, faces, &[]);
        let moved = contract_points(faces, &ends, reach, pairs);
        let put_in = if moved.is_empty() {
            contract_into_edges(faces, &loose, &ends, reach, pairs)
        } else {
            let near = near.and(moved.iter().map(|m| m.to));
            let found = Found::of(faces, pairs);
            let loose = loose_edges(faces, &found, reach, &near);
            let ends = LooseEnds::new(&loose, faces, &[]);
            contract_into_edges(faces, &loose, &ends, reach, pairs)
        };
        if moved.is_empty() && put_in.is_empty() {
            return Some(found);
        }
        near = Vicinity::Points(put_in).and(moved.iter().map(|m| m.to));
    }
    None
}

/// Makes points common along borders that coincide up to [`SNAP_UNITS`].
pub(crate) fn snap_edges(faces: &mut Vec<MarkedFace>, climb_m: f64, pairs: &Pairs) {
    snap_found(faces, climb_m, pairs);
}

/// Splits edges that coincide in plan where the step between them becomes too high: a step that grows
/// along its edge is one up to there. Says whether there were any.
fn split_steps(faces: &mut Vec<MarkedFace>, found: &Found, climb_m: f64, pairs: &Pairs) -> bool {
    let Found { open, coinciding } = found;
    let edges = &open.edges;
    // Just below the limit, so that rounding does not lift it above.
    let limit_m = climb_m - 0.5 * LIMIT_SLACK_M;
    let mut splits: Vec<(u32, LatticePoint)> = Vec::new();
    for &Coinciding { one, two, start_m, end_m } in coinciding.pairs() {
        let grows = start_m.min(end_m) < climb_m - LIMIT_SLACK_M && start_m.max(end_m) > climb_m;
        if !grows {
            continue;
        }
        let (e, f) = (&edges[one as usize], &edges[two as usize]);
        let (from, to) = (plan_units(e.from), plan_units(e.to));
        let t = (limit_m - start_m) / (end_m - start_m);
        // On steep faces a lattice unit is more than the slack: go back until it is low enough.
        let back = (if start_m < end_m { from - to } else { to - from }).normalize_or_zero();
        let apart_m = |p: LatticePoint| {
            let [one, two] = [e, f].map(|g| faces[g.face as usize].plane.height_at(p));
            (one - two).abs()
        };
        let point = (0..MOST_BACK)
            .map(|units| from.lerp(to, t) + back * f64::from(units))
            .map(|p| LatticePoint::from_units(p.x, p.y))
            .find(|&p| apart_m(p) <= climb_m);
        if let Some(point) = point.filter(|&p| p != e.from && p != e.to) {
            splits.extend([(one, point), (two, point)]);
        }
    }
    if splits.is_empty() {
        return false;
    }
    splits.sort_unstable();
    splits.dedup_by_key(|s| s.0);
    // Rounding may turn a sliver over: faces are tidied.
    insert_points(faces, splits.into_iter().map(|(k, p)| (open.numbers[k as usize], p)), pairs);
    faces.retain(|f| !f.loops.is_empty());
    true
}

/// Which open edges near the given places coincide with no other.
fn loose_edges(
    faces: &[MarkedFace],
    found: &Found,
    reach: SnapReach,
    near: &Vicinity,
) -> SomeEdges {
    let edges = &found.open.edges;
    let changed = near.changed(faces, reach);
    let is_near = |e: &GroundEdge| changed.as_ref().is_none_or(|c| c.touches(&edge_box(e)));
    let twins = found.coinciding.twins(edges, reach.climb_m);
    found.open.filtered(|k| twins[k].is_none() && is_near(&edges[k]))
}

/// Pairs all that coincides and classes the pairs.
pub(crate) fn join_anew(faces: Vec<MarkedFace>, climb_m: f64) -> Vec<Face> {
    join_open(faces, climb_m, &Pairs::none())
}

/// Pairs what coincides among open edges and classes the pairs; the other pairs stay.
pub(crate) fn join_open(faces: Vec<MarkedFace>, climb_m: f64, pairs: &Pairs) -> Vec<Face> {
    let found = Found::of(&faces, pairs);
    join_found(faces, climb_m, pairs, found)
}

/// The same, where what coincides is known.
fn join_found(
    mut faces: Vec<MarkedFace>,
    climb_m: f64,
    pairs: &Pairs,
    mut found: Found,
) -> Vec<Face> {
    if split_steps(&mut faces, &found, climb_m, pairs) {
        found = Found::of(&faces, pairs);
    }
    let Found { open, coinciding } = found;
    let twins = coinciding.twins(&open.edges, climb_m);
    let mut faces = pairs.number(faces);
    let kinds: Vec<CellKind> = faces.iter().map(|f| f.kind).collect();
    let is_filler = |e: &GroundEdge| kinds[e.face as usize] == CellKind::Gap;
    let mut next = 0;
    let all = faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten());
    // `for_each` runs nested iterators as nested loops.
    all.enumerate().for_each(|(number, edge)| {
        if open.numbers.get(next) != Some(&(number as u32)) {
            return;
        }
        let (e, twin) = (&open.edges[next], twins[next]);
        next += 1;
        edge.twin = twin.map(|t| SurfaceEdgeId::new(open.numbers[t.index()]));
        if let Some(twin) = twin {
            let f = &open.edges[twin.index()];
            let level = (e.from_height_m - f.to_height_m)
                .abs()
                .max((e.to_height_m - f.from_height_m).abs());
            edge.class = if is_filler(e) != is_filler(f) {
                EdgeClass::Gap
            } else if level <= 2.0 * NOISE_M {
                EdgeClass::Inner
            } else {
                EdgeClass::Step
            };
        } else if matches!(edge.class, EdgeClass::Inner | EdgeClass::Step | EdgeClass::Gap) {
            edge.class = EdgeClass::Open;
        }
    });
    faces
}
