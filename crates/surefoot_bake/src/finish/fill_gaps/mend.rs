//! Makes fillers meet what they lie along.
//!
//! Goes in: a surface with fillers. Comes out: the same, with fillers and ground as neighbours wherever
//! their borders run together. Fillers are laid one by one, and rounding to the lattice may leave a
//! corner of one in the middle of another's edge; there the edge is split, and what coincides then is
//! paired. A filler whose border still runs along another without being its neighbour, a sliver as a
//! rule, is taken out: who walks along a border must not find a second one on it.

use crate::finish::fill_gaps::boundary::{Boundary, BoundaryEdge};
use crate::finish::fill_gaps::lay::{Fillers, lay};
use crate::surface::{WalkableSurface, plan_units};
use glam::DVec3;
use std::collections::BTreeMap;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::Aabb;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::CellKind;

/// How far beside an edge a corner may lie and be put into it, in lattice units.
const BESIDE_UNITS: f64 = 2.0;

/// Rounds of splitting: what is split in one is paired, and may leave something to split in the next.
const SPLIT_ROUNDS: usize = 4;

/// Borders nearer than this run together, in metres.
const TOGETHER_M: f64 = 6e-4;

/// Borders that run together for less than this merely touch, in metres.
const TOUCHING_M: f64 = 4e-3;

/// Rounds of taking out: each may lay bare what the next takes.
const DROP_ROUNDS: usize = 16;

/// Splits and pairs what coincides, and takes out fillers that remain beside a border.
pub(crate) fn mend(mut surface: WalkableSurface, climb_m: f64) -> WalkableSurface {
    for _ in 0..SPLIT_ROUNDS {
        let boundary = Boundary::of(&surface);
        let corners = corners_in_edges(&surface, &boundary, climb_m);
        let done = corners.is_empty();
        let fillers = Fillers { corners, ..Fillers::default() };
        surface = lay(surface, &boundary, &fillers, climb_m).0;
        // A sliver whose edge bends as far as it is wide is nothing any more.
        let keep: Vec<bool> =
            surface.faces.iter().map(|f| f.kind != CellKind::Gap || f.area2() > 0).collect();
        if keep.contains(&false) {
            surface.retain_faces(&keep);
        } else if done {
            break;
        }
    }
    for _ in 0..DROP_ROUNDS {
        let mut keep = vec![true; surface.faces.len()];
        for face in fillers_along_borders(&surface, climb_m) {
            keep[face as usize] = false;
        }
        if !keep.contains(&false) {
            break;
        }
        surface.retain_faces(&keep);
    }
    surface
}

fn is_filler(surface: &WalkableSurface, edge: &BoundaryEdge) -> bool {
    surface.faces[edge.face as usize].kind == CellKind::Gap
}

/// Around an edge, so far in plan and so far in height.
fn around(edge: &BoundaryEdge, plan_m: f64, climb_m: f64) -> Aabb {
    let margin = DVec3::new(plan_m, plan_m, climb_m);
    Aabb::new(edge.bounds().lo - margin, edge.bounds().hi + margin)
}

/// For every border edge the corners of others that lie on it, where either is a filler's.
fn corners_in_edges(
    surface: &WalkableSurface,
    boundary: &Boundary,
    climb_m: f64,
) -> BTreeMap<u32, Vec<LatticePoint>> {
    let found: Vec<(u32, Vec<LatticePoint>)> = (0..boundary.edges.len() as u32)
        .into_par_iter()
        .filter_map(|i| {
            let edge = boundary.edge(i);
            let filler = is_filler(surface, edge);
            let start = plan_units(edge.from);
            let run = plan_units(edge.to) - start;
            let length = run.length();
            let mut points = Vec::new();
            let near = around(edge, BESIDE_UNITS * M_PER_LATTICE, climb_m);
            boundary.tree.visit_box(&near, |j| {
                let other = boundary.edge(j);
                if j == i || !(filler || is_filler(surface, other)) {
                    return;
                }
                for (p, height_m) in
                    [(other.from, other.from_height_m), (other.to, other.to_height_m)]
                {
                    let q = plan_units(p) - start;
                    let share = q.dot(run) / (length * length);
                    let beside = q.perp_dot(run).abs() / length;
                    if p != edge.from
                        && p != edge.to
                        && share > 0.0
                        && share < 1.0
                        && beside <= BESIDE_UNITS
                        && (edge.at(share).z - height_m).abs() <= climb_m
                    {
                        points.push(p);
                    }
                }
            });
            points.sort_unstable();
            points.dedup();
            (!points.is_empty()).then_some((i, points))
        })
        .collect();
    found.into_iter().collect()
}

/// The faces of fillers with an edge that runs along another border.
fn fillers_along_borders(surface: &WalkableSurface, climb_m: f64) -> Vec<u32> {
    let boundary = Boundary::of(surface);
    (0..boundary.edges.len() as u32)
        .into_par_iter()
        .flat_map_iter(|i| {
            let edge = boundary.edge(i);
            let mut found = Vec::new();
            boundary.tree.visit_box(&around(edge, TOGETHER_M, climb_m), |j| {
                let other = boundary.edge(j);
                if j <= i || !runs_along(edge, other, climb_m) {
                    return;
                }
                // One of two fillers is enough.
                if is_filler(surface, edge) {
                    found.push(edge.face);
                } else if is_filler(surface, other) {
                    found.push(other.face);
                }
            });
            found
        })
        .collect()
}

/// Whether two edges run together the opposite way, within a step of height.
fn runs_along(one: &BoundaryEdge, two: &BoundaryEdge, climb_m: f64) -> bool {
    let run = one.run();
    let length_m = run.length();
    let way = run / length_m;
    let place = |p: DVec3| {
        let q = (p - one.start()).truncate();
        (q.dot(way), way.perp_dot(q))
    };
    let ((from, from_side), (to, to_side)) = (place(two.end()), place(two.start()));
    let (low, high) = (from.max(0.0), to.min(length_m));
    if from >= to || high - low < TOUCHING_M {
        return false;
    }
    let share = |s: f64| (s - from) / (to - from);
    let near = |s: f64| (from_side + (to_side - from_side) * share(s)).abs() <= TOGETHER_M;
    let middle = 0.5 * (low + high);
    let apart_m = one.at(middle / length_m).z - two.at(1.0 - share(middle)).z;
    near(low) && near(high) && apart_m.abs() <= climb_m
}
