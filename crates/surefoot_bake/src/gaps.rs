//! Gap annotation: finds the gaps that an agent can step over and lays faces of kind gap across them.
//!
//! Goes in: the walkable surface of any pipeline and the scene it came from. Comes out: the same
//! ground, not a point of it changed, and fillers between its borders. Follows Vermeulen, Hillebrand
//! and Geraerts, *Annotating traversable gaps in walkable environments* (2018). Departs from it in
//! working on the lattice, in losing only the part of a filler that something blocks, in asking for
//! head room, and in uniting fillers where they overlap instead of where a whole cycle projects to a
//! simple polygon. Each step's file says where and why.

mod boundary;
mod choose;
mod connect;
mod lay;
mod obstacles;
mod splits;
mod strip;

use crate::context::StageContext;
use crate::error::BakeError;
use crate::gaps::boundary::Boundary;
use crate::gaps::connect::{NARROWEST_M, ROUNDING_M, connect, restrict_by_bisectors};
use crate::gaps::lay::{Corner, Fillers, lay};
pub(crate) use crate::gaps::obstacles::Obstacles;
use crate::gaps::obstacles::block_by_ground;
use crate::gaps::splits::Splits;
use crate::gaps::strip::{Reach, Strip};
use crate::surface::{WalkableSurface, plan_m};
use glam::DVec3;
use rayon::prelude::*;
use surefoot_geom::bvh::Aabb;
use surefoot_mesh::Agent;

/// Lays fillers across the gaps of a surface up to a reach.
pub(crate) fn annotate(
    surface: WalkableSurface,
    obstacles: &Obstacles,
    agent: &Agent,
    reach_m: f64,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let reach = Reach { reach_m, radius_m: agent.radius_m };
    let (_, components_before) = surface.components();
    let boundary = Boundary::of(&surface);
    context.count("boundary_edges", boundary.edges.len());
    context.count("cycles", boundary.cycle_count as usize);
    context.check_cancelled()?;
    let between = strips_between_cycles(&boundary, obstacles, agent, &reach);
    context.count("possible_fillers", between.len());
    context.check_cancelled()?;
    let chosen = choose::choose(&boundary, &between, agent.height_m, NARROWEST_M);
    context.count("fillers", chosen.len());
    let fillers = fillers_of_strips(&surface, &boundary, &chosen, &reach);
    let surface = lay(surface, &boundary, &fillers, SAME_HEIGHT_M);
    let (_, components_after) = surface.components();
    context.count("components_before", components_before as usize);
    context.count("components_after", components_after as usize);
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    context.observe(|| surface.view());
    Ok(surface)
}

/// Corners of fillers and ground at one point differ in height by no more than this, in metres.
const SAME_HEIGHT_M: f64 = 2e-3;

/// All free strips between open edges of different cycles, within the bisectors.
fn strips_between_cycles(
    boundary: &Boundary,
    obstacles: &Obstacles,
    agent: &Agent,
    reach: &Reach,
) -> Vec<Strip> {
    pairs(boundary, reach, |e, f| e != f)
        .into_par_iter()
        .filter_map(|(i, j)| {
            let strip = connect(boundary, i, j, reach)?;
            restrict_by_bisectors(boundary, strip, reach)
        })
        .flat_map_iter(|strip| free_parts(boundary, obstacles, agent, &strip))
        .collect()
}

/// Pairs of open edges within reach whose cycles are as asked for.
fn pairs(
    boundary: &Boundary,
    reach: &Reach,
    cycles: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<(u32, u32)> {
    let margin =
        DVec3::new(reach.plan_m(), reach.plan_m(), reach.reach_m) + DVec3::splat(ROUNDING_M);
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

/// What neither the scene nor other ground takes from a strip.
fn free_parts(
    boundary: &Boundary,
    obstacles: &Obstacles,
    agent: &Agent,
    strip: &Strip,
) -> Vec<Strip> {
    let shape = strip.shape(boundary);
    let mut ranges = Vec::new();
    block_by_ground(boundary, strip, &shape, agent.height_m, &mut ranges);
    obstacles.block(&shape, &mut ranges);
    strip.without(boundary, &mut ranges, NARROWEST_M)
}

/// Two triangles for every strip.
fn fillers_of_strips(
    surface: &WalkableSurface,
    boundary: &Boundary,
    strips: &[Strip],
    reach: &Reach,
) -> Fillers {
    let splits = Splits::of(boundary, strips);
    let mut fillers = Fillers::default();
    for strip in strips {
        let chain = |edge: u32, on: [f64; 2]| {
            let points = splits.chain(boundary, edge, on);
            let plane = &surface.faces[boundary.edge(edge).face as usize].plane;
            let corner = |point| Corner { point, height_m: plane.height_at(point) };
            Some([corner(*points.first()?), corner(*points.last()?)])
        };
        let (Some([p0, p1]), Some([q0, q1])) =
            (chain(strip.one, strip.on_one), chain(strip.two, strip.on_two))
        else {
            continue;
        };
        let at = |c: Corner| plan_m(c.point).extend(c.height_m);
        let longest_m = reach.length_m(at(p0), at(q0)).max(reach.length_m(at(p1), at(q1)));
        if longest_m > reach.reach_m + ROUNDING_M {
            continue;
        }
        // The shorter diagonal keeps the two triangles apart from needles.
        let first = at(p1).distance_squared(at(q0)) <= at(p0).distance_squared(at(q1));
        let triangles =
            if first { [[p1, p0, q0], [p1, q0, q1]] } else { [[p1, p0, q1], [p0, q0, q1]] };
        let added = triangles.map(|t| fillers.add(t, strip.one));
        if added.contains(&true) {
            fillers.corners.entry(strip.one).or_default().extend([p0.point, p1.point]);
            fillers.corners.entry(strip.two).or_default().extend([q0.point, q1.point]);
        }
    }
    fillers
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::exact::join_surface;
    use crate::surface::{Face, FaceOrigin, Plane, lattice_from_plan};
    use glam::DVec2;
    use surefoot_geom::Frame;
    use surefoot_geom::polygon::Polygon;
    use surefoot_mesh::{AreaId, CellKind, EdgeClass};

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
                    source: 0,
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

    /// Joins edges that coincide in plan.
    pub(crate) fn join(surface: &mut WalkableSurface, climb_m: f64) {
        join_surface(surface, climb_m);
    }
}
