//! From a scene to a navigation mesh.
//!
//! A pipeline turns triangles into a [`WalkableSurface`]; what follows (partition, assembly) exists
//! once. Each stage is a file named by its verb: it takes its input by value and only its own
//! settings, and returns a new type whose `check_invariants` says what it promises.

mod assemble;
mod context;
mod error;
mod exact;
mod gaps;
mod layered;
mod partition;
mod report;
mod settings;
mod settings_table;
mod surface;
mod voxel;

pub use context::{Progress, StageContext, StageObserver, StageView, ViewEdge, ViewFace};
pub use error::BakeError;
pub use partition::{
    CellPortalGraph, ILL_CONDITIONED_SHARE, PartitionQuality, PolygonPartition, Portal,
    partition_polygon,
};
pub use report::{BakeReport, StageReport, Warning};
pub use settings::{
    AreaRule, BakeSettings, CellShape, ExactSettings, LayeredSettings, Method, PartitionSettings,
    Regions, Resolved, SettingsError, Stairs, VoxelSettings,
};
pub use settings_table::{
    SettingChoice, SettingError, SettingInfo, SettingKind, SettingValue, settings_table,
};
pub use surefoot_mesh::Agent;
pub use surface::{Face, Plane, WalkableSurface};

use surefoot_mesh::NavMesh;
use surefoot_scene::Scene;

/// A finished mesh and how it came about.
#[derive(Debug)]
pub struct Baked {
    /// The mesh.
    pub mesh: NavMesh,
    /// What each stage did.
    pub report: BakeReport,
}

/// Bakes a navigation mesh: the front door.
pub fn bake(scene: &Scene, settings: &BakeSettings) -> Result<NavMesh, BakeError> {
    bake_in(scene, settings, StageContext::new()).map(|baked| baked.mesh)
}

/// Bakes a navigation mesh under a context that can watch, cancel and report.
///
/// Work runs on the rayon pool that the caller is in; the result does not depend on its size.
pub fn bake_in(
    scene: &Scene,
    settings: &BakeSettings,
    mut context: StageContext<'_>,
) -> Result<Baked, BakeError> {
    let resolved = settings.resolve()?;
    context.report.method = resolved.method.name();
    context.report.input_triangles =
        scene.triangle_count() as u64 + scene.ignored().non_finite + scene.ignored().zero_area;
    context.report.ignored_triangles = scene.ignored().non_finite + scene.ignored().zero_area;
    let surface = match resolved.method {
        Method::Exact => exact::build(scene, &resolved, &mut context)?,
        Method::Voxel => voxel::build(scene, &resolved, &mut context)?,
        Method::Layered => layered::build(scene, &resolved, &mut context)?,
        Method::AnySurface => {
            return Err(BakeError::NotAvailable { method: resolved.method });
        }
    };
    let surface = if resolved.fill_gaps_m > 0.0 {
        fill_gaps(surface, scene, &resolved, &mut context)?
    } else {
        surface
    };
    if surface.faces.is_empty() && context.report.warnings.is_empty() {
        context.warn(Warning::NothingLeft);
    }
    let partitioned = context.stage("partition", |context| {
        let mut cells = partition::partition(surface, &resolved.partition, context)?;
        let least_m2 = if resolved.seeds.is_empty() { resolved.min_area_m2 } else { 0.0 };
        cells.drop_small(least_m2, context);
        Ok(cells)
    })?;
    let data = context
        .stage("assemble", |context| assemble::assemble(&partitioned, &resolved, context))?;
    let mesh = context.stage("validate", |_| data.validate().map_err(BakeError::from))?;
    Ok(Baked { mesh, report: context.report })
}

/// Lays fillers across gaps, then drops what is too small even so.
fn fill_gaps(
    surface: WalkableSurface,
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let agent = &settings.agent;
    let surface = context.stage("fill_gaps", |c| {
        let thickness_m = settings.exact.wall_thickness_m;
        let obstacles = gaps::Obstacles::of(scene, &surface.frame, agent, thickness_m);
        gaps::annotate(surface, &obstacles, agent, settings.fill_gaps_m, c)
    })?;
    context.stage("drop_small", |c| {
        exact::drop_small::drop_small(surface, settings.min_area_m2, &settings.seeds, agent, c)
    })
}
