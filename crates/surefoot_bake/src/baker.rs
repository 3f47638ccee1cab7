//! The front door: a scene and settings go in, a mesh comes out, or the reason why there is none.

use crate::context::{Progress, StageContext, StageObserver};
use crate::diagnose::diagnose;
use crate::error::BakeError;
use crate::finish::finish;
use crate::look_over::FlatTriangles;
use crate::report::{BakeReport, Warning};
use crate::settings::{BakeSettings, Method, Resolved};
use crate::{exact, layered, voxel};
use std::sync::atomic::AtomicBool;
use surefoot_mesh::NavMesh;
use surefoot_scene::{Scene, tag_matches};

/// A finished mesh and how it came about.
#[derive(Debug)]
pub struct Baked {
    /// The mesh.
    pub mesh: NavMesh,
    /// What each stage did.
    pub report: BakeReport,
}

/// Bakes a navigation mesh.
///
/// A scene in which nothing can be walked on is an error that says why. To cancel, to show progress or
/// to look at stages, there is [`Baker`].
pub fn bake(scene: &Scene, settings: &BakeSettings) -> Result<NavMesh, BakeError> {
    Baker::new(settings).bake(scene).map(|baked| baked.mesh)
}

/// A bake that can be watched and cancelled.
///
/// ```
/// # use surefoot_bake::{Baker, BakeError, BakeSettings};
/// # use std::sync::atomic::AtomicBool;
/// # let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, -4.0], [0.0, 0.0, -4.0]];
/// # let scene = surefoot_scene::Scene::from_triangles(&points, &[[0, 1, 2], [0, 2, 3]]).unwrap();
/// let cancel = AtomicBool::new(false);
/// let baked = Baker::new(&BakeSettings::default()).cancel(&cancel).bake(&scene)?;
/// assert_eq!(baked.mesh.cell_count(), 1);
/// assert_eq!(baked.report.method, "exact");
/// # Ok::<(), BakeError>(())
/// ```
pub struct Baker<'a> {
    settings: &'a BakeSettings,
    context: StageContext<'a>,
}

impl<'a> Baker<'a> {
    /// A bake with these settings.
    #[must_use]
    pub fn new(settings: &'a BakeSettings) -> Self {
        Self { settings, context: StageContext::new() }
    }

    /// Stops soon after the flag is set, with [`BakeError::Cancelled`].
    #[must_use]
    pub fn cancel(mut self, flag: &'a AtomicBool) -> Self {
        self.context = self.context.with_cancel(flag);
        self
    }

    /// Tells how far it has come.
    #[must_use]
    pub fn progress(mut self, progress: &'a mut dyn Progress) -> Self {
        self.context = self.context.with_progress(progress);
        self
    }

    /// Shows every stage's result.
    #[must_use]
    pub fn observe(mut self, observer: &'a mut dyn StageObserver) -> Self {
        self.context = self.context.with_observer(observer);
        self
    }

    /// Bakes a scene.
    ///
    /// Work runs on the rayon pool that the caller is in; the result does not depend on its size.
    pub fn bake(self, scene: &Scene) -> Result<Baked, BakeError> {
        let settings = self.settings.resolve()?;
        let mut context = self.context;
        let ignored = scene.ignored().non_finite + scene.ignored().zero_area;
        context.report.method = settings.method.name();
        context.report.input_triangles = scene.triangle_count() as u64 + ignored;
        context.report.ignored_triangles = ignored;
        let ruled;
        let scene = if settings.tag_rules.is_empty() {
            scene
        } else {
            ruled = follow_tags(scene, &settings, &mut context);
            &ruled
        };
        let told = settings.for_ground();
        let surface = match settings.method {
            Method::Exact(_) => exact::build(scene, &told, &mut context)?,
            Method::Voxel(_) => voxel::build(scene, &told, &mut context)?,
            Method::Layered(_) => layered::build(scene, &told, &mut context)?,
            Method::AnySurface => {
                return Err(BakeError::NotAvailable { method: settings.method.kind() });
            }
        };
        let mesh = finish(surface, scene, &settings, &mut context)?;
        if mesh.cell_count() == 0 {
            return Err(nothing_to_walk_on(scene, &settings, context));
        }
        look_over(scene, &settings, &mesh, &mut context);
        Ok(Baked { mesh, report: context.report })
    }
}

/// The scene with what tags say of it.
fn follow_tags(scene: &Scene, settings: &Resolved, context: &mut StageContext<'_>) -> Scene {
    let patterns = settings.tag_patterns();
    let rules = &settings.tag_rules;
    for pattern in rules.ignore.iter().chain(&rules.obstacle).chain(&rules.ground) {
        if !scene.tag_names().iter().any(|tag| tag_matches(tag, pattern)) {
            context.warn(Warning::TagPatternUnused { pattern: pattern.clone() });
        }
    }
    let ruled = scene.with_patterns(&patterns);
    let left_out = scene.triangle_count() - ruled.triangle_count();
    context.report.ignored_triangles += left_out as u64;
    ruled
}

/// Warns of what in a scene looks as if it were not meant, though there is a mesh.
fn look_over(scene: &Scene, settings: &Resolved, mesh: &NavMesh, context: &mut StageContext<'_>) {
    if settings.two_sided {
        return;
    }
    let flat = FlatTriangles::of(scene, &settings.frame, &settings.agent);
    if let Some([up_m2, down_m2]) = flat.careless_winding() {
        context.warn(Warning::MostFacesDown { up_m2, down_m2 });
    }
    let mesh_m2: f64 = mesh.cells().map(|cell| mesh.cell_area_m2(cell)).sum();
    if flat.leaves_much_out(mesh_m2)
        && let Some(hulls) = flat.under_hulls()
    {
        context.warn(Warning::UnderHulls(hulls));
    }
}

/// Why there is no mesh. Looked into only here, when a build has come to nothing.
fn nothing_to_walk_on(scene: &Scene, settings: &Resolved, context: StageContext<'_>) -> BakeError {
    let largest_patch_m2 = context.largest_dropped_m2;
    let report = Box::new(context.report);
    let mut diagnosis = diagnose(scene, &settings.frame, &settings.agent, settings.two_sided);
    diagnosis.hulls = FlatTriangles::of(scene, &settings.frame, &settings.agent).under_hulls();
    diagnosis.note_what_was_dropped(largest_patch_m2, settings.seeds.len(), &report);
    let diagnosis = Box::new(diagnosis);
    if diagnosis.ground.count == 0 {
        BakeError::NoGround { diagnosis, report }
    } else {
        BakeError::NothingLeft { diagnosis, report }
    }
}
