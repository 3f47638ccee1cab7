//! What follows every pipeline, once: from ground to the finished mesh.

mod assemble;
mod drop_inside;
pub(crate) mod drop_small;
mod fill_gaps;
pub(crate) mod mesh_view;
pub(crate) mod partition;

use crate::borders::pairs::UnjoinedSurface;
use crate::borders::{erode, join_edges, simplify_boundary};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::finish::fill_gaps::Obstacles;
use crate::finish::mesh_view::view_of_mesh;
use crate::finish::partition::PartitionedSurface;
use crate::settings::Resolved;
use crate::surface::WalkableSurface;
use surefoot_mesh::NavMesh;
use surefoot_scene::Scene;

/// The stages in order. What lies inside something is dropped before gaps are filled, since fillers may
/// join it to what does not; what is too small after that, for the same reason. Where no gaps are filled
/// it is dropped first, so that nobody looks around in it.
pub(crate) fn finish(
    surface: WalkableSurface,
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<NavMesh, BakeError> {
    let agent = &settings.agent;
    let fills = settings.fill_gaps_m > 0.0;
    let surface = if fills { surface } else { without_small(surface, settings, context)? };
    // Inside and outside are told by the winding, which two-sided scenes have not.
    let surface = if settings.keep_inside || settings.two_sided {
        surface
    } else {
        context.stage(
            "drop_inside",
            |c| drop_inside::drop_inside(surface, scene, agent, c),
            WalkableSurface::view,
        )?
    };
    let surface = if fills {
        let filled = fill_and_erode(surface, scene, settings, context)?;
        without_small(filled, settings, context)?
    } else {
        surface
    };
    let partitioned = context.stage(
        "partition",
        |c| {
            let mut cells = partition::partition(surface, &settings.partition, c)?;
            let least_m2 = if settings.seeds.is_empty() { settings.min_area_m2 } else { 0.0 };
            cells.drop_small(least_m2, c);
            Ok(cells)
        },
        PartitionedSurface::view,
    )?;
    let data = context.stage(
        "assemble",
        |c| {
            let (partition, build) =
                (&settings.partition, (settings.build_info(), settings.tag_rules.clone()));
            assemble::assemble(&partitioned, agent, partition, build, c)
        },
        assemble::view,
    )?;
    context.stage("validate", |_| data.validate().map_err(BakeError::from), view_of_mesh)
}

/// The surface without what is too small and what no seed reaches.
fn without_small(
    surface: WalkableSurface,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let Resolved { min_area_m2, seeds, agent, .. } = settings;
    context.stage(
        "drop_small",
        |c| drop_small::drop_small(surface, *min_area_m2, seeds, agent, c),
        WalkableSurface::view,
    )
}

/// Fills gaps of ground from which no radius was kept, and keeps the radius from what borders remain: a
/// filled gap is none. So a gap is as long as it is in the scene, and what is narrower than the agent
/// carries it where fillers join it to more.
fn fill_and_erode(
    surface: WalkableSurface,
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let (agent, show) = (&settings.agent, WalkableSurface::view);
    let obstacles = Obstacles::of(scene, &surface.frame, agent, settings.wall_thickness_m);
    let filled = context.stage(
        "fill_gaps",
        |c| fill_gaps::fill_gaps(surface, &obstacles, agent, settings.gap_reach_m(), c),
        show,
    )?;
    if !(agent.radius_m > 0.0) {
        return Ok(filled);
    }
    let eroded = context.stage(
        "erode_filled",
        |c| {
            let agent = settings.filled_agent();
            erode::erode(filled, &obstacles, &agent, settings.gap_distance_m, c)
        },
        UnjoinedSurface::view,
    )?;
    let joined = context.stage(
        "join_filled",
        |c| join_edges::join_edges(eroded, agent, c).map(fill_gaps::without_islands),
        show,
    )?;
    context.stage(
        "simplify_filled",
        |c| simplify_boundary::simplify_boundary(joined, settings.filled_tolerance_m(), c),
        show,
    )
}
