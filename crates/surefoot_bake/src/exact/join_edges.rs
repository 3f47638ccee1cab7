//! Joins edges that coincide in plan: neighbours at one height, and neighbours across a step.
//!
//! Goes in: pieces of ground whose borders coincide up to a few lattice units, because a shared edge
//! was cut separately from both sides. Comes out: the same pieces with common points along shared
//! borders and twins set. No point moves farther than [`SNAP_UNITS`].

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::match_edges::{Coinciding, CoincidingEdges, GroundEdge, collect_edges, edge_box};
use crate::exact::snap::{Ends, Near, SnapReach, contract_into_edges, contract_points, tidy_face};
use crate::exact::thin_parts::collapse_slivers;
use crate::exact::{LIMIT_SLACK_M, NOISE_M};
use crate::surface::{Face, SurfaceEdge, WalkableSurface, plan_units};
use surefoot_geom::LatticePoint;
use surefoot_mesh::{Agent, EdgeClass, NO_EDGE};

/// How far apart points may lie and still be one, in lattice units: 0.12 mm.
const SNAP_UNITS: f64 = 8.0;

/// How far before the point where a step becomes too high it may be split, in lattice units.
const MOST_BACK: u32 = 16;

/// Rounds of snapping: the first makes points common, the second meets what the first moved.
const ROUNDS: usize = 2;

pub(crate) fn join_edges(
    mut surface: WalkableSurface,
    agent: &Agent,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let climb_m = agent.max_step_m + LIMIT_SLACK_M;
    context.check_cancelled()?;
    let found = snap_found(&mut surface.faces, climb_m);
    let is_thick = !collapse_slivers(&mut surface.faces, climb_m, SNAP_UNITS);
    match found.filter(|_| is_thick) {
        Some(found) => set_twins_from(&mut surface, climb_m, found),
        None => set_twins(&mut surface, climb_m),
    }
    let all = || surface.faces.iter().flat_map(|f| f.loops.iter().flatten());
    context.count("joined", all().filter(|e| e.class == EdgeClass::Inner).count() / 2);
    context.count("steps", all().filter(|e| e.class == EdgeClass::Step).count() / 2);
    context.count("loose", all().filter(|e| e.twin == NO_EDGE).count());
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    context.observe(|| surface.view());
    Ok(surface)
}

/// All edges of some faces and those of them that coincide.
struct Found {
    edges: Vec<GroundEdge>,
    coinciding: CoincidingEdges,
}

impl Found {
    fn of(faces: &[Face]) -> Self {
        let edges = collect_edges(faces);
        let coinciding = CoincidingEdges::find(&edges);
        Self { edges, coinciding }
    }
}

/// Makes points common along borders that coincide up to [`SNAP_UNITS`]. Gives what coincides where the
/// last round found nothing more to do.
fn snap_found(faces: &mut Vec<Face>, climb_m: f64) -> Option<Found> {
    let reach = SnapReach { units: SNAP_UNITS, climb_m };
    let mut near = Near::Everything;
    for _ in 0..ROUNDS {
        let found = Found::of(faces);
        let loose = loose_edges(&found, reach, &near);
        let ends = Ends::new(&found.edges, &loose, faces, &[]);
        let moved = contract_points(faces, &ends, reach);
        let put_in = if moved.is_empty() {
            contract_into_edges(faces, &found.edges, &loose, &ends, reach)
        } else {
            let near = near.and(moved.iter().map(|m| m.to));
            let found = Found::of(faces);
            let loose = loose_edges(&found, reach, &near);
            let ends = Ends::new(&found.edges, &loose, faces, &[]);
            contract_into_edges(faces, &found.edges, &loose, &ends, reach)
        };
        if moved.is_empty() && put_in.is_empty() {
            return Some(found);
        }
        near = Near::Points(put_in).and(moved.iter().map(|m| m.to));
    }
    None
}

/// Makes points common along borders that coincide up to [`SNAP_UNITS`].
pub(crate) fn snap_edges(faces: &mut Vec<Face>, climb_m: f64) {
    snap_found(faces, climb_m);
}

/// Splits edges that coincide in plan where the step between them becomes too high: a step that grows
/// along its edge is one up to there. Says whether there were any.
fn split_steps(
    faces: &mut Vec<Face>,
    edges: &[GroundEdge],
    coinciding: &CoincidingEdges,
    climb_m: f64,
) -> bool {
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
    let mut splits = splits.into_iter().peekable();
    let mut count = 0_u32;
    for face in faces.iter_mut() {
        let mut changed = false;
        for edges in &mut face.loops {
            let first = count;
            count += edges.len() as u32;
            let mut done = 0;
            while let Some((edge, from)) = splits.next_if(|s| s.0 < count) {
                // Each split has moved what follows it by one.
                let at = (edge - first) as usize + done;
                let class = edges[at].class;
                edges.insert(at + 1, SurfaceEdge { from, class, twin: NO_EDGE });
                done += 1;
            }
            changed |= done > 0;
        }
        if changed {
            // Rounding may turn a sliver over.
            tidy_face(face);
        }
    }
    faces.retain(|f| !f.loops.is_empty());
    true
}

/// Which edges near the given places coincide with no other.
fn loose_edges(found: &Found, reach: SnapReach, near: &Near) -> Vec<bool> {
    let changed = near.changed(&found.edges, reach);
    let is_near = |e: &GroundEdge| changed.as_ref().is_none_or(|c| c.touches(&edge_box(e)));
    let twins = found.coinciding.twins(&found.edges, reach.climb_m);
    found.edges.iter().zip(twins).map(|(e, t)| t == NO_EDGE && is_near(e)).collect()
}

/// Pairs what coincides and classes the pairs.
pub(crate) fn set_twins(surface: &mut WalkableSurface, climb_m: f64) {
    let found = Found::of(&surface.faces);
    set_twins_from(surface, climb_m, found);
}

/// The same, where what coincides is known.
fn set_twins_from(surface: &mut WalkableSurface, climb_m: f64, mut found: Found) {
    if split_steps(&mut surface.faces, &found.edges, &found.coinciding, climb_m) {
        found = Found::of(&surface.faces);
    }
    let Found { edges, coinciding } = found;
    let twins = coinciding.twins(&edges, climb_m);
    let all = surface.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten());
    for (i, (edge, &twin)) in all.zip(&twins).enumerate() {
        edge.twin = twin;
        if twin != NO_EDGE {
            let (e, f) = (&edges[i], &edges[twin as usize]);
            let level = (e.from_height_m - f.to_height_m)
                .abs()
                .max((e.to_height_m - f.from_height_m).abs());
            edge.class = if level <= 2.0 * NOISE_M { EdgeClass::Inner } else { EdgeClass::Step };
        } else if matches!(edge.class, EdgeClass::Inner | EdgeClass::Step) {
            edge.class = EdgeClass::Open;
        }
    }
}
