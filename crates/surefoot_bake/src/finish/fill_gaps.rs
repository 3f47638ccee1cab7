//! Gap annotation: finds the gaps that an agent can step over and lays faces of kind gap across them.
//!
//! Goes in: the walkable surface of any pipeline, from which no radius was kept yet, and the scene it
//! came from. Comes out: the same ground, not a point of it changed, and fillers between its borders.
//! The radius is kept afterwards, from what borders remain. Follows Vermeulen, Hillebrand
//! and Geraerts, *Annotating traversable gaps in walkable environments* (2018). Departs from it in
//! working on the lattice, in losing only the part of a filler that something blocks, in asking for
//! head room, and in uniting fillers where they overlap instead of where a whole cycle projects to a
//! simple polygon. Each step's file says where and why.

mod boundary;
mod choose;
mod connect;
mod holes;
mod lay;
mod mend;
mod obstacles;
#[cfg(test)]
mod properties;
mod residual;
mod splits;
mod strip;

use crate::borders::obstructions::hangs_behind;
use crate::context::StageContext;
use crate::error::BakeError;
use crate::finish::fill_gaps::boundary::Boundary;
use crate::finish::fill_gaps::connect::{NARROWEST_M, ROUNDING_M, connect, restrict_by_bisectors};
use crate::finish::fill_gaps::holes::{Connector, FillerPatch, Holes};
use crate::finish::fill_gaps::lay::{Fillers, lay};
pub(crate) use crate::finish::fill_gaps::obstacles::Obstacles;
use crate::finish::fill_gaps::obstacles::free_parts;
use crate::finish::fill_gaps::splits::Splits;
use crate::finish::fill_gaps::strip::FillerStrip;
use crate::surface::{Face, WalkableSurface, plan_m};
use glam::DVec3;
use std::collections::BTreeMap;
use std::ops::Range;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::Aabb;
use surefoot_geom::polygon::Polygon;
use surefoot_geom::predicates::orient;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::{Agent, CellKind, EdgeClass};

/// How far behind the end of a filler to look for what it ends before, in lattice units: three
/// millimetres, more than fillers keep from what blocks them.
const BEHIND_UNITS: f64 = 192.0;

/// Lays fillers across the gaps of a surface up to a reach.
pub(crate) fn fill_gaps(
    surface: WalkableSurface,
    obstacles: &Obstacles,
    agent: &Agent,
    reach_m: f64,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let ground2 = ground_area2(&surface);
    let (_, components_before) = surface.components();
    let boundary = Boundary::of(&surface);
    context.count("boundary_edges", boundary.edges.len());
    context.count("cycles", boundary.cycle_count as usize);
    context.check_cancelled()?;
    let between = strips_between_cycles(&boundary, obstacles, agent, reach_m);
    context.count("possible_fillers", between.len());
    context.check_cancelled()?;
    let chosen = choose::choose(&boundary, &between, agent.height_m, NARROWEST_M);
    context.count("fillers", chosen.len());
    context.check_cancelled()?;
    let within = strips_within_cycles(&boundary, obstacles, agent, reach_m, &chosen);
    context.count("fillers_within_cycles", within.len());
    context.check_cancelled()?;
    let splits = Splits::of(&boundary, chosen.iter().chain(&within));
    let mut connectors = connectors(&surface, &boundary, &chosen, &splits, reach_m);
    let holes = Holes {
        surface: &surface,
        boundary: &boundary,
        splits: &splits,
        reach_m,
        agent_height_m: agent.height_m,
    };
    let patches = holes.patches(&within, &mut connectors);
    context.count("patches", patches.len());
    context.check_cancelled()?;
    let on_edges: Vec<(u32, LatticePoint)> =
        connectors.iter_mut().flat_map(|c| c.meet_ground(&boundary, agent.height_m)).collect();
    let (mut fillers, connecting) = fillers(&connectors, &patches);
    for (edge, point) in on_edges {
        fillers.corners.entry(edge).or_default().push(point);
    }
    let (surface, first) = lay(surface, &boundary, &fillers, agent.max_step_m);
    let connecting = first..first + connecting as u32;
    let surface = close_residual_holes(surface, connecting, obstacles, agent, reach_m, context);
    let mut surface = without_islands(mend::mend(surface, agent.max_step_m));
    class_free_ends(&mut surface, obstacles);
    let (_, components_after) = surface.components();
    context.count("components_before", components_before as usize);
    context.count("components_after", components_after as usize);
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    debug_assert_eq!(ground_area2(&surface), ground2, "the ground has changed");
    Ok(surface)
}

/// Says of edges of fillers beyond which there is nothing what ends them there.
fn class_free_ends(surface: &mut WalkableSurface, obstacles: &Obstacles) {
    for face in surface.faces.iter_mut().filter(|f| f.kind == CellKind::Gap) {
        let plane = face.plane;
        let end = |p: LatticePoint| (p, plane.height_at(p));
        for edges in &mut face.loops {
            let first = edges[0].from;
            for i in 0..edges.len() {
                let to = edges.get(i + 1).map_or(first, |e| e.from);
                if edges[i].twin.is_none() {
                    let ends = [end(edges[i].from), end(to)];
                    let is_blocked = hangs_behind(obstacles, ends, BEHIND_UNITS);
                    edges[i].class = if is_blocked { EdgeClass::Blocked } else { EdgeClass::Open };
                }
            }
        }
    }
}

/// The surface without fillers that no ground borders on.
pub(crate) fn without_islands(mut surface: WalkableSurface) -> WalkableSurface {
    let (component_of, count) = surface.components();
    let mut has_ground = vec![false; count as usize];
    for (face, &c) in surface.faces.iter().zip(&component_of) {
        has_ground[c as usize] |= face.kind != CellKind::Gap;
    }
    let keep: Vec<bool> = component_of.iter().map(|&c| has_ground[c as usize]).collect();
    if keep.contains(&false) {
        surface.retain_faces(&keep);
    }
    surface
}

/// Twice the area of all that is no filler, in square lattice units.
fn ground_area2(surface: &WalkableSurface) -> i128 {
    surface.faces.iter().filter(|f| f.kind != CellKind::Gap).map(Face::area2).sum()
}

/// All free strips between open edges of different cycles, within the bisectors.
fn strips_between_cycles(
    boundary: &Boundary,
    obstacles: &Obstacles,
    agent: &Agent,
    reach_m: f64,
) -> Vec<FillerStrip> {
    pairs(boundary, reach_m, |e, f| e != f)
        .into_par_iter()
        .filter_map(|(i, j)| {
            let strip = connect(boundary, i, j, reach_m)?;
            restrict_by_bisectors(boundary, strip, reach_m)
        })
        .flat_map_iter(|strip| free_parts(boundary, obstacles, agent, &strip))
        .collect()
}

/// Pairs of open edges within reach whose cycles are as asked for.
fn pairs(
    boundary: &Boundary,
    reach_m: f64,
    cycles: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<(u32, u32)> {
    let margin = DVec3::splat(reach_m) + DVec3::splat(ROUNDING_M);
    (0..boundary.edges.len() as u32)
        .into_par_iter()
        .flat_map_iter(|i| {
            let e = boundary.edge(i);
            let mut found = Vec::new();
            if e.is_open() {
                let bounds = e.bounds();
                let around = Aabb::new(bounds.lo - margin, bounds.hi + margin);
                boundary.tree.visit_box(&around, |j| {
                    let f = boundary.edge(j);
                    if j > i && f.is_open() && cycles(e.cycle, f.cycle) {
                        found.push((i, j));
                    }
                });
                found.sort_unstable();
            }
            found
        })
        .collect()
}

/// All free strips between open edges of one cycle, less what is used by strips between cycles.
fn strips_within_cycles(
    boundary: &Boundary,
    obstacles: &Obstacles,
    agent: &Agent,
    reach_m: f64,
    chosen: &[FillerStrip],
) -> Vec<FillerStrip> {
    let mut used: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for strip in chosen {
        for (edge, on) in [(strip.one, strip.on_one), (strip.two, strip.on_two)] {
            used.entry(edge).or_default().push((on[0].min(on[1]), on[0].max(on[1])));
        }
    }
    pairs(boundary, reach_m, |e, f| e == f)
        .into_par_iter()
        .filter_map(|(i, j)| connect(boundary, i, j, reach_m))
        .flat_map_iter(|strip| {
            let mut ranges = Vec::new();
            for (edge, on) in [(strip.one, strip.on_one), (strip.two, strip.on_two)] {
                for &(low, high) in used.get(&edge).into_iter().flatten() {
                    let share = |s: f64| (s - on[0]) / (on[1] - on[0]);
                    let (a, b) = (share(low), share(high));
                    ranges.push((a.min(b), a.max(b)));
                }
            }
            strip
                .without(boundary, &mut ranges, NARROWEST_M)
                .into_iter()
                .flat_map(|part| free_parts(boundary, obstacles, agent, &part))
                .collect::<Vec<FillerStrip>>()
        })
        .collect()
}

/// The chosen strips with corners on the lattice, in their order; those that rounding made too long or
/// turned over are left out.
fn connectors(
    surface: &WalkableSurface,
    boundary: &Boundary,
    strips: &[FillerStrip],
    splits: &Splits,
    reach_m: f64,
) -> Vec<Connector> {
    strips
        .iter()
        .filter_map(|strip| {
            let chain = |edge: u32, on: [f64; 2]| -> Vec<(LatticePoint, f64)> {
                let plane = &surface.faces[boundary.edge(edge).face as usize].plane;
                let points = splits.chain(boundary, edge, on);
                points.into_iter().map(|p| (p, plane.height_at(p))).collect()
            };
            let connector = Connector {
                // Counter-clockwise is backwards along the first edge.
                chains: [
                    chain(strip.one, [strip.on_one[1], strip.on_one[0]]),
                    chain(strip.two, strip.on_two),
                ],
                edges: [strip.one, strip.two],
                beside: [Vec::new(), Vec::new()],
            };
            let [one, two] = &connector.chains;
            let (p1, p0, q0, q1) = (one.first()?, one.last()?, two.first()?, two.last()?);
            let at = |c: &(LatticePoint, f64)| plan_m(c.0).extend(c.1);
            let longest_m = at(p0).distance(at(q0)).max(at(p1).distance(at(q1)));
            let corners = [p1.0, p0.0, q0.0, q1.0];
            let turn = |i: usize| orient(corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]);
            let convex = (0..4).all(|i| turn(i) >= 0) && (0..4).any(|i| turn(i) > 0);
            (longest_m <= reach_m + ROUNDING_M && convex).then_some(connector)
        })
        .collect()
}

/// Closes the holes that fillers between cycles, the faces of the given range, leave between them.
fn close_residual_holes(
    surface: WalkableSurface,
    connecting: Range<u32>,
    obstacles: &Obstacles,
    agent: &Agent,
    reach_m: f64,
    context: &mut StageContext<'_>,
) -> WalkableSurface {
    let boundary = Boundary::of(&surface);
    let patches = residual::residual_holes(&boundary, &connecting, obstacles, agent, reach_m);
    context.count("residual_holes", patches.len());
    let (fillers, _) = fillers(&[], &patches);
    lay(surface, &boundary, &fillers, agent.max_step_m).0
}

/// Everything that is laid, as triangles, and how many of them connect cycles: those come first.
fn fillers(connectors: &[Connector], patches: &[FillerPatch]) -> (Fillers, usize) {
    let mut fillers = Fillers::default();
    for connector in connectors {
        let height_m = |p| connector.height_m(p);
        fillers.add_polygon(
            &Polygon::from_contour(connector.outline()),
            connector.edges[0],
            height_m,
        );
        for (edge, chain) in connector.edges.iter().zip(&connector.chains) {
            fillers.corners.entry(*edge).or_default().extend(chain.iter().map(|c| c.0));
        }
    }
    let connecting = fillers.triangles.len();
    for patch in patches {
        let height_m = |p| patch.heights_m.get(&p).copied().unwrap_or_default();
        fillers.add_polygon(&patch.polygon, patch.edge, height_m);
        for &(edge, point) in &patch.on_edges {
            fillers.corners.entry(edge).or_default().push(point);
        }
    }
    (fillers, connecting)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ids::SurfaceEdgeId;
    use crate::surface::{FaceOrigin, Plane, lattice_from_plan};
    use glam::DVec2;
    use surefoot_geom::Frame;
    use surefoot_geom::polygon::Polygon;
    use surefoot_mesh::AreaId;

    /// The corners of a rectangle, counter-clockwise, in metres.
    pub(crate) fn rectangle(low: [f64; 2], high: [f64; 2]) -> Vec<[f64; 2]> {
        vec![low, [high[0], low[1]], high, [low[0], high[1]]]
    }

    /// Level plates, each given by its corners and its height.
    pub(crate) fn plates(plates: &[(Vec<[f64; 2]>, f64)]) -> WalkableSurface {
        let faces = plates
            .iter()
            .map(|(corners, height_m)| {
                let points = corners.iter().map(|&p| lattice_from_plan(DVec2::from(p))).collect();
                let origin = FaceOrigin {
                    plane: Plane::through(DVec3::new(0.0, 0.0, *height_m), DVec3::Z),
                    kind: CellKind::Ground,
                    area: AreaId(0),
                    source: None,
                };
                Face::from_polygon(&Polygon::from_contour(points), |_, _| EdgeClass::Open, &origin)
            })
            .collect();
        WalkableSurface {
            frame: Frame::with_up([0.0, 0.0, 1.0]).unwrap(),
            faces,
            area_names: vec!["ground".to_owned()],
        }
    }

    fn person(radius_m: f64) -> Agent {
        Agent { radius_m, height_m: 1.8, max_slope_rad: 0.8, max_step_m: 0.4 }
    }

    /// Plates with fillers, nothing standing around.
    pub(crate) fn filled(surface: WalkableSurface, reach_m: f64) -> WalkableSurface {
        let obstacles = Obstacles::of_triangles(Vec::new(), &person(0.0), 0.025);
        fill_gaps(surface, &obstacles, &person(0.0), reach_m, &mut StageContext::new()).unwrap()
    }

    #[test]
    fn a_ledge_in_the_way_of_a_filler_leaves_whole_neighbours() {
        // A step that another reaches beyond, so that fillers of one cycle and of two meet.
        let mut surface = plates(&[
            (rectangle([0.0, 0.0], [2.0, 1.0]), 0.0),
            (rectangle([2.1, -0.5], [4.0, 0.4]), 0.1),
            (rectangle([2.2, 0.4], [4.0, 1.5]), 0.2),
        ]);
        join(&mut surface, 0.4);
        let surface = filled(surface, 0.3);
        assert_eq!(surface.check_invariants(), Ok(()));
        assert_eq!(surface.components().1, 1);
    }

    /// Joins edges that coincide in plan at a height difference of at most `climb_m`.
    pub(crate) fn join(surface: &mut WalkableSurface, climb_m: f64) {
        let edges: Vec<_> = (surface.faces.iter().enumerate())
            .flat_map(|(f, face)| face.edges().map(move |(e, to)| (f, e.from, to, face.plane)))
            .collect();
        let apart_m =
            |i: usize, j: usize, p| (edges[i].3.height_at(p) - edges[j].3.height_at(p)).abs();
        let mut all = surface.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten());
        for i in 0..edges.len() {
            let (face, from, to, _) = edges[i];
            let other = (0..edges.len()).find(|&j| {
                let are_opposite = (edges[j].1, edges[j].2) == (to, from) && edges[j].0 != face;
                are_opposite && apart_m(i, j, from).max(apart_m(i, j, to)) <= climb_m
            });
            if let (Some(edge), Some(j)) = (all.next(), other) {
                let is_level = apart_m(i, j, from).max(apart_m(i, j, to)) <= 2e-3;
                edge.twin = Some(SurfaceEdgeId::new(j as u32));
                edge.class = if is_level { EdgeClass::Inner } else { EdgeClass::Step };
            }
        }
    }
}
