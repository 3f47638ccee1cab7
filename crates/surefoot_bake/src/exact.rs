//! The exact pipeline: from triangles to ground, on the geometry itself, without voxels.
//!
//! Follows Sanchez, *Generating High-Precision Navigation Mesh* (Charles University, 2021), in its
//! stages; departs from it in working on merged faces, in cutting in the horizontal projection on
//! an integer lattice, and in joining what coincides in plan by construction. Each stage's file says
//! where and why.

mod bridge_steps;
mod build_ramps;
mod clearance;
mod close_gaps;
mod cluster_points;
mod cut;
pub(crate) mod drop_small;
mod erode;
mod filter_slopes;
mod join_edges;
mod keep_risers;
mod match_edges;
mod merge_faces;
mod obstructions;
mod pairs;
pub(crate) mod read;
mod simplify;
mod simplify_boundary;
mod snap;
mod thin_parts;
mod trim_spikes;

use crate::context::StageContext;
use crate::error::BakeError;
use crate::report::Warning;
use crate::settings::{Resolved, Stairs};
use crate::surface::WalkableSurface;
use surefoot_scene::Scene;

/// Heights closer than this are one height, in metres: what modelling noise and rounding leave
/// between surfaces that are meant to coincide.
pub(crate) const NOISE_M: f64 = 1e-3;

/// What a limit given by the agent is allowed to be exceeded by, in metres: a step or a door lintel
/// modelled at exactly the limit must pass after rounding.
pub(crate) const LIMIT_SLACK_M: f64 = 1e-4;

/// The stages in order.
pub(crate) fn build(
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let soup = context.stage("read", |c| read::read(scene, settings, c))?;
    let sorted = context.stage("filter_slopes", |c| {
        filter_slopes::filter_slopes(soup, &settings.agent, settings.exact.two_sided, c)
    })?;
    let sorted =
        context.stage("keep_risers", |c| keep_risers::keep_risers(sorted, &settings.agent, c))?;
    let faces = context.stage("merge_faces", |c| merge_faces::merge_faces(sorted, c))?;
    if faces.faces.is_empty() {
        context.warn(Warning::NoGround);
    }
    let cut = context
        .stage("cut", |c| cut::cut(faces, &settings.agent, settings.exact.wall_thickness_m, c))?;
    let agent = &settings.agent;
    let joined = context.stage("join_edges", |c| join_edges::join_edges(cut.surface, agent, c))?;
    let closed = context.stage("close_gaps", |c| {
        close_gaps::close_gaps(joined, &cut.world, settings.exact.gap_distance_m, c)
    })?;
    let bridged = context.stage("bridge_steps", |c| {
        let slope = settings.exact.stair_slope_rad;
        bridge_steps::bridge_steps(closed, &cut.world, agent, slope, c)
    })?;
    let bridged = if bridged.has_bridges {
        context.stage("join_bridges", |c| join_edges::join_edges(bridged.surface, agent, c))?
    } else {
        bridged.surface
    };
    let bridged = if settings.exact.stairs == Stairs::Ramps {
        let ramped = context.stage("build_ramps", |c| {
            let slope = settings.exact.stair_slope_rad;
            build_ramps::build_ramps(bridged, &cut.world, agent, slope, c)
        })?;
        context.stage("join_ramps", |c| join_edges::join_edges(ramped, agent, c))?
    } else {
        bridged
    };
    let eroded = context
        .stage("erode", |c| erode::erode(bridged, &cut.world, settings.exact.gap_distance_m, c))?;
    let joined = context.stage("join_eroded", |c| join_edges::join_edges(eroded, agent, c))?;
    let joined = context.stage("close_eroded", |c| {
        close_gaps::close_gaps(joined, &cut.world, settings.exact.gap_distance_m, c)
    })?;
    // Patches that fillers of gaps may join are dropped after those are laid.
    let kept = if settings.fill_gaps_m > 0.0 {
        joined
    } else {
        context.stage("drop_small", |c| {
            drop_small::drop_small(joined, settings.min_area_m2, &settings.seeds, agent, c)
        })?
    };
    let bounded = context.stage("simplify_boundary", |c| {
        simplify_boundary::simplify_boundary(kept, settings.exact.tolerance_m, c)
    })?;
    if !(settings.exact.simplify_m > 0.0) {
        return Ok(bounded);
    }
    context.stage("simplify", |c| simplify::simplify(bounded, agent, settings.exact.simplify_m, c))
}

/// Joins edges that coincide in plan, for surfaces made by tests.
#[cfg(test)]
pub(crate) fn join_surface(surface: &mut WalkableSurface, climb_m: f64) {
    join_edges::set_twins(surface, climb_m);
}
