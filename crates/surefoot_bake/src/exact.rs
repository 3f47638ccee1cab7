//! The exact pipeline: from triangles to ground, on the geometry itself, without voxels.
//!
//! Follows Sanchez, *Generating High-Precision Navigation Mesh* (Charles University, 2021), in its
//! stages; departs from it in working on merged faces, in cutting in the horizontal projection on
//! an integer lattice, and in joining what coincides in plan by construction. Each stage's file says
//! where and why.

mod bridge_steps;
mod build_ramps;
mod close_gaps;
mod cut;
mod filter_slopes;
mod keep_risers;
mod merge_faces;
mod simplify;
mod trim_spikes;

use crate::borders::pairs::UnjoinedSurface;
use crate::borders::{erode, join_edges, simplify_boundary};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::bridge_steps::Bridged;
use crate::exact::cut::CutSurface;
use crate::exact::filter_slopes::SortedSoup;
use crate::exact::merge_faces::MergedFaces;
use crate::input::read::{Soup, read};
use crate::settings::{Resolved, Stairs};
use crate::surface::WalkableSurface;
use surefoot_scene::Scene;

/// The stages in order.
pub(crate) fn build(
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let (agent, exact) = (&settings.agent, &settings.exact);
    let show = WalkableSurface::view;
    let soup = context.stage("read", |c| read(scene, &settings.reading(), c), Soup::view)?;
    let sorted = context.stage(
        "filter_slopes",
        |c| filter_slopes::filter_slopes(soup, agent, settings.two_sided, c),
        SortedSoup::view,
    )?;
    let sorted = context.stage(
        "keep_risers",
        |c| keep_risers::keep_risers(sorted, agent, c),
        SortedSoup::view,
    )?;
    let faces =
        context.stage("merge_faces", |c| merge_faces::merge_faces(sorted, c), MergedFaces::view)?;
    let CutSurface { surface, world } = context.stage(
        "cut",
        |c| cut::cut(faces, agent, settings.wall_thickness_m, c),
        |cut| cut.surface.view(),
    )?;
    let joined =
        context.stage("join_edges", |c| join_edges::join_edges(surface, agent, c), show)?;
    let closed = context.stage(
        "close_gaps",
        |c| close_gaps::close_gaps(joined, &world, settings.gap_distance_m, c),
        show,
    )?;
    let bridged = context.stage(
        "bridge_steps",
        |c| bridge_steps::bridge_steps(closed, &world, agent, exact.stair_slope_rad, c),
        Bridged::view,
    )?;
    let bridged = match bridged {
        Bridged::AsItWas(surface) => surface,
        Bridged::WithBridges(surface) => {
            context.stage("join_bridges", |c| join_edges::join_edges(surface, agent, c), show)?
        }
    };
    let bridged = if exact.stairs == Stairs::Ramps {
        let ramped = context.stage(
            "build_ramps",
            |c| build_ramps::build_ramps(bridged, &world, agent, exact.stair_slope_rad, c),
            UnjoinedSurface::view,
        )?;
        context.stage("join_ramps", |c| join_edges::join_edges(ramped, agent, c), show)?
    } else {
        bridged
    };
    let eroded = context.stage(
        "erode",
        |c| erode::erode(bridged, &world, agent, settings.gap_distance_m, c),
        UnjoinedSurface::view,
    )?;
    let joined =
        context.stage("join_eroded", |c| join_edges::join_edges(eroded, agent, c), show)?;
    let joined = context.stage(
        "close_eroded",
        |c| close_gaps::close_gaps(joined, &world, settings.gap_distance_m, c),
        show,
    )?;
    let bounded = context.stage(
        "simplify_boundary",
        |c| simplify_boundary::simplify_boundary(joined, exact.tolerance_m, c),
        show,
    )?;
    if !(exact.simplify_m > 0.0) {
        return Ok(bounded);
    }
    context.stage("simplify", |c| simplify::simplify(bounded, agent, exact.simplify_m, c), show)
}
