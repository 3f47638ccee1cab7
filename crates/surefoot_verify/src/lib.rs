//! An independent check of navigation meshes.
//!
//! In go a mesh, the scene it came from and [`VerifySettings`]; out comes a [`Report`]: whether the
//! agent fits wherever the mesh is, whether the mesh is wherever the agent fits, whether it joins
//! what can be walked between and nothing else, and whether its structure is sound. Everything is
//! answered from the triangles alone, in `f64`, from the definition of ground; nothing is shared
//! with the pipelines but loading, vectors and the bounding-volume hierarchy. The report is the same
//! for any number of threads.

mod completeness;
mod connection;
mod ground;
mod import;
mod inside;
mod judged;
mod random;
mod report;
mod settings;
mod soundness;
mod stand;
mod structure;
mod watch;
mod world;

pub use ground::Reason;
pub use import::{GivenAgent, ImportError, mesh_from_detour, mesh_from_navcat, mesh_from_scene};
pub use report::{
    ComponentReport, ConnectionFault, Missing, Report, Share, Stratum, UncoveredPoint, UnsoundPoint,
};
pub use settings::VerifySettings;
pub use structure::{StructureFault, StructureFaultKind};

use glam::DVec3;
use ground::Judge;
use inside::Insides;
use judged::Judged;
use settings::Body;
use stand::Rosette;
use std::sync::atomic::AtomicBool;
use surefoot_geom::Frame;
use surefoot_mesh::{Agent, NavMeshData, TagRules};
use surefoot_scene::{Scene, TagPatterns};
use watch::Watch;
use world::World;

/// Checks a mesh against its scene, to which the mesh's own rules of tags are applied. `progress` is
/// called now and then, from any thread, with the share of the work that is done.
#[must_use]
pub fn verify(
    mesh: &NavMeshData,
    scene: &Scene,
    settings: &VerifySettings,
    progress: &(dyn Fn(f64) + Sync),
) -> Report {
    verify_until(mesh, scene, settings, progress, &AtomicBool::new(false)).unwrap_or_default()
}

/// The same, until `cancel` is set from any thread: then it ends soon, without a report. What is
/// worked out before the first sample, in a share of a second for each million triangles, is not
/// interrupted.
#[must_use]
pub fn verify_until(
    mesh: &NavMeshData,
    scene: &Scene,
    settings: &VerifySettings,
    progress: &(dyn Fn(f64) + Sync),
    cancel: &AtomicBool,
) -> Option<Report> {
    let mut report = Report::default();
    if let Err(fault) = structure::is_readable(mesh) {
        report.structure_faults.push(fault);
        // Nothing can be said for a mesh that cannot be read.
        report.sound = Share { passed: 0, counted: 1 };
        report.complete = Share { passed: 0, counted: 1 };
        return Some(report);
    }
    let ruled;
    let scene = if mesh.tag_rules.is_empty() {
        scene
    } else {
        let TagRules { ignore, obstacle, ground } = &mesh.tag_rules;
        ruled = scene.with_patterns(&TagPatterns { ignore, obstacle, ground });
        &ruled
    };
    let least_up = Body::plain(&mesh.agent, settings).least_up;
    let world = World::new(scene, &mesh.frame, least_up, settings.two_sided);
    let judged = Judged::new(mesh);
    report.structure_faults = structure::check(&judged, settings.min_area_m2);
    let whole = 2 * settings.samples + connection::walk_count(settings);
    let watch = Watch::new(whole, progress, cancel);
    // Inside and outside are told by the winding, which says nothing in a scene seen from both sides.
    let insides = (!settings.keep_inside && !settings.two_sided).then(|| {
        let body = Body::plain(&mesh.agent, settings);
        Insides::new(scene, &mesh.frame, &world, body, settings)
    });
    let inside = match &insides {
        Some(insides) => insides.components(&judged, settings.seed),
        None => vec![false; judged.component_area_m2.len()],
    };
    let areas_m2 = judged.component_area_m2.iter().zip(&inside);
    report.inside_m2 = areas_m2.filter(|(_, inside)| **inside).map(|(area_m2, _)| area_m2).sum();
    soundness::check(&world, &judged, &inside, settings, &watch, &mut report);
    if !watch.is_cancelled() {
        completeness::check(&world, &judged, insides.as_ref(), settings, &watch, &mut report);
    }
    if !watch.is_cancelled() {
        connection::check(&world, &judged, settings, &watch, &mut report);
    }
    if watch.is_cancelled() {
        return None;
    }
    progress(1.0);
    Some(report)
}

/// Looks at a mesh's structure alone, without a scene.
#[must_use]
pub fn check_structure(mesh: &NavMeshData, min_area_m2: f64) -> Vec<StructureFault> {
    match structure::is_readable(mesh) {
        Err(fault) => vec![fault],
        Ok(()) => structure::check(&Judged::new(mesh), min_area_m2),
    }
}

/// A scene and an agent, for asking about single points.
pub struct Ground {
    world: World,
    frame: Frame,
    body: Body,
}

impl Ground {
    /// A scene with an agent; the frame says which way is up.
    #[must_use]
    pub fn new(scene: &Scene, frame: Frame, agent: &Agent, settings: &VerifySettings) -> Self {
        let body = Body::plain(agent, settings);
        let world = World::new(scene, &frame, body.least_up, settings.two_sided);
        Self { world, frame, body }
    }

    /// Whether the agent stands at a point of the user's frame, with ground at most `window_m` above
    /// or below it; why not, and where that shows.
    pub fn stands(&self, at: [f64; 3], window_m: f64) -> Result<[f64; 3], (Reason, [f64; 3])> {
        self.look(self.body, at, window_m)
    }

    /// The same for an agent without width: looking straight up and down only.
    pub fn is_ground(&self, at: [f64; 3], window_m: f64) -> Result<[f64; 3], (Reason, [f64; 3])> {
        self.look(Body { radius_m: 0.0, ..self.body }, at, window_m)
    }

    fn look(
        &self,
        body: Body,
        at: [f64; 3],
        window_m: f64,
    ) -> Result<[f64; 3], (Reason, [f64; 3])> {
        let mut judge = Judge::new(&self.world, body);
        let [x, y, z] = self.frame.canonical_from_user(at);
        match judge.stands(DVec3::new(x, y, z), window_m, &mut Rosette::default()) {
            Ok(z) => Ok(self.frame.user_from_canonical([x, y, z])),
            Err(refusal) => {
                Err((refusal.reason, self.frame.user_from_canonical(refusal.at.to_array())))
            }
        }
    }

    /// How many triangles count: those without a surface and undersides of sheets are left out.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.world.triangle_count()
    }
}

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
