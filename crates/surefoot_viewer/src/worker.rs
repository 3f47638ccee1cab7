//! Loading and building in the background.
//!
//! One thread takes the task that was asked for last; asking for another stops the one that runs.
//! What a build says of itself (stages, parts, results of stages) goes into the session as it comes.

use crate::describe::with_labels;
use crate::mesh_set::{MeshSet, StageEntry};
use crate::session::{Job, Session, Task};
use crate::sources::{Source, Wanted};
use crate::views::pack_stage;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use surefoot_bake::{BakeError, BakeSettings, Baked, Baker, Progress, StageObserver, StageView};
use surefoot_scene::Scene;

/// Stages of scenes up to so many triangles are kept without being asked for.
const WATCH_UP_TO_TRIANGLES: usize = 300_000;

/// The most memory for stages of a build, in bytes.
const STAGE_BYTES: usize = 512 << 20;

/// Parts of a stage are told no more often than this.
const PARTS_APART: Duration = Duration::from_millis(50);

/// Does tasks until the process ends.
pub(crate) fn work(session: &Arc<Session>) {
    loop {
        let task = session.next_task();
        do_task(session, || match &task {
            Task::Load { wanted, settings } => load(session, wanted, settings),
            Task::Build { settings, watch } => build(session, settings, *watch),
        });
    }
}

/// Does a task. Whatever panics in it, the worker stays, and the state before is told with an error.
fn do_task(session: &Session, task: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(task)).is_err() {
        session.change(|state| {
            state.job = None;
            state.error = Some(("This cannot be shown", defect("what was to be shown")));
        });
    }
}

fn load(session: &Arc<Session>, wanted: &Wanted, settings: &BakeSettings) {
    let title = match wanted {
        Wanted::Files(files) => files.first().map_or_else(String::new, |f| f.display().to_string()),
        Wanted::Dropped(files) => files.first().map_or_else(String::new, |f| f.name.clone()),
        Wanted::Procedural { name, .. } => name.clone(),
    };
    let job = |kind| Job {
        kind,
        title: title.clone(),
        stages: Vec::new(),
        begun: 0,
        part: (0, 0),
        start: Instant::now(),
    };
    session.change(|state| state.job = Some(job("load")));
    let loaded = session.pool.install(|| catch_unwind(|| Source::load(wanted)));
    let mut source = match loaded {
        Ok(Ok(source)) => source,
        Ok(Err(error)) => {
            return session.change(|state| {
                state.job = None;
                state.error = Some(("Cannot be loaded", error.to_string()));
            });
        }
        Err(_) => {
            return session.change(|state| {
                state.job = None;
                state.error = Some(("Cannot be loaded", defect("reading the file")));
            });
        }
    };
    let mesh = source.mesh.take();
    let origin = source.origin(mesh.as_ref());
    let has_mesh = mesh.is_some();
    let mesh = mesh.map(|mesh| session.pool.install(|| Arc::new(MeshSet::new(mesh, origin))));
    let has_scene = source.scene.is_some();
    session.change(|state| {
        state.job = None;
        state.source = Some(Arc::new(source));
        state.source_number += 1;
        state.set_mesh(mesh);
    });
    // A mesh that was given is looked at as it is.
    if has_scene && !has_mesh && !session.cancel_flag().load(Ordering::SeqCst) {
        build(session, settings, false);
    }
}

fn build(session: &Arc<Session>, settings: &BakeSettings, watch: bool) {
    let source = session.lock().source.clone();
    let Some((source, scene)) = source.and_then(|s| s.scene.clone().map(|scene| (s, scene))) else {
        return session.change(|state| {
            state.error = Some((
                "Nothing to build",
                "load a scene first; a mesh alone has no triangles".into(),
            ));
        });
    };
    let watch = watch || scene.triangle_count() <= WATCH_UP_TO_TRIANGLES;
    let names = expected_stages(session, settings);
    session.change(|state| {
        let times = state.stage_times.get(settings.method.name());
        let time = |name: &String| times.and_then(|t| t.get(name)).copied().unwrap_or(1.0);
        state.job = Some(Job {
            kind: "build",
            title: source.title.clone(),
            stages: names.into_iter().map(|n| (n.clone(), time(&n))).collect(),
            begun: 0,
            part: (0, 0),
            start: Instant::now(),
        });
    });
    let origin = source.origin(None);
    let start = Instant::now();
    let mut watcher = Watcher { origin, stages: Vec::new(), bytes: 0 };
    let result = bake_watched(session, &scene, settings, watch.then_some(&mut watcher));
    let total_ms = start.elapsed().as_secs_f64() * 1e3;
    match result {
        Ok(Ok(baked)) => {
            let set = session.pool.install(|| {
                let mut set = MeshSet::new(baked.mesh, origin);
                set.settings = Some(settings.clone());
                set.watched = watch;
                set.stages = watcher.stages;
                set.report = Some((baked.report, total_ms));
                // Made here, so that no connection waits for it.
                let _ = set.block();
                set
            });
            session.change(|state| {
                if let Some((report, _)) = &set.report {
                    let times = state.stage_times.entry(settings.method.name()).or_default();
                    times.extend(report.stages.iter().map(|s| (s.name.to_owned(), s.ms)));
                }
                state.job = None;
                state.set_mesh(Some(Arc::new(set)));
            });
        }
        Ok(Err(BakeError::Cancelled)) => session.change(|state| {
            state.job = None;
            // Stopped for another task, it is not worth a word.
            state.was_cancelled = state.wanted.is_none();
        }),
        Ok(Err(error)) => session.change(|state| {
            let title = match error {
                BakeError::NoGround { .. } | BakeError::NothingLeft { .. } => "There is no ground",
                _ => "The build failed",
            };
            state.job = None;
            state.error = Some((title, with_labels(&error.to_string())));
        }),
        Err(()) => session.change(|state| {
            state.job = None;
            state.error = Some(("The build failed", defect("the build")));
        }),
    }
}

fn defect(what: &str) -> String {
    format!(
        "{what} has met a defect of Surefoot; please report it with the scene and the command line"
    )
}

/// Bakes on the session's threads; `Err` where it panicked.
fn bake_watched(
    session: &Arc<Session>,
    scene: &Scene,
    settings: &BakeSettings,
    watcher: Option<&mut Watcher>,
) -> Result<Result<Baked, BakeError>, ()> {
    let mut teller = Teller { session, told: Instant::now() };
    session
        .pool
        .install(|| {
            catch_unwind(AssertUnwindSafe(|| {
                let mut baker =
                    Baker::new(settings).cancel(session.cancel_flag()).progress(&mut teller);
                if let Some(watcher) = watcher {
                    baker = baker.observe(watcher);
                }
                baker.bake(scene)
            }))
        })
        .map_err(|_| ())
}

/// The stages that a build with these settings runs through: those of a build of two triangles,
/// which takes less than a millisecond and cannot be out of date.
fn expected_stages(session: &Session, settings: &BakeSettings) -> Vec<String> {
    let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, -4.0], [0.0, 0.0, -4.0]];
    let Ok(scene) = Scene::from_triangles(&points, &[[0, 1, 2], [0, 2, 3]]) else {
        return Vec::new();
    };
    let settings = BakeSettings {
        up: [0.0, 1.0, 0.0],
        seeds: Vec::new(),
        areas: Vec::new(),
        ..settings.clone()
    };
    struct Names(Vec<String>);
    impl Progress for Names {
        fn stage(&mut self, name: &'static str) {
            self.0.push(name.to_owned());
        }
    }
    let mut names = Names(Vec::new());
    session.pool.install(|| {
        let baker = Baker::new(&settings).progress(&mut names);
        let _ = catch_unwind(AssertUnwindSafe(|| baker.bake(&scene)));
    });
    names.0
}

/// Tells the session how far a build has come.
struct Teller<'s> {
    session: &'s Session,
    told: Instant,
}

impl Progress for Teller<'_> {
    fn stage(&mut self, name: &'static str) {
        self.session.change(|state| {
            if let Some(job) = &mut state.job {
                job.part = (0, 0);
                match job.stages.iter().skip(job.begun).position(|s| s.0 == name) {
                    Some(ahead) => job.begun += ahead + 1,
                    None => {
                        job.stages.insert(job.begun, (name.to_owned(), 1.0));
                        job.begun += 1;
                    }
                }
            }
        });
    }

    fn part(&mut self, done: usize, of: usize) {
        if self.told.elapsed() < PARTS_APART {
            return;
        }
        self.told = Instant::now();
        self.session.change(|state| {
            if let Some(job) = &mut state.job {
                job.part = (done, of);
            }
        });
    }
}

/// Keeps what every stage shows, as far as memory goes.
struct Watcher {
    origin: [f64; 3],
    stages: Vec<StageEntry>,
    bytes: usize,
}

impl StageObserver for Watcher {
    fn observe(&mut self, name: &'static str, view: StageView) {
        let (faces, edges) = (view.faces.len(), view.edges.len());
        let block = (self.bytes < STAGE_BYTES).then(|| Arc::new(pack_stage(&view, self.origin)));
        let block = block.filter(|b| self.bytes + b.len() <= STAGE_BYTES);
        self.bytes += block.as_ref().map_or(0, |b| b.len());
        self.stages.push(StageEntry { name, faces, edges, block });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn a_panic_in_a_task_is_an_error_and_the_worker_stays() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let session = Arc::new(Session::new(pool, Secret::new().unwrap()));
        // As in what is worked out of a mesh once it is there, on the session's threads.
        do_task(&session, || session.pool.install(|| panic!("asked to")));
        let error = session.lock().error.clone();
        assert!(error.is_some_and(|(_, text)| text.contains("please report")));
        let variant = surefoot_testing_scenes::Variant::default();
        let wanted = Wanted::Procedural { name: "doorways".to_owned(), variant };
        session.begin(Task::Load { wanted, settings: BakeSettings::default() });
        let Task::Load { wanted, settings } = session.next_task() else { panic!("another task") };
        do_task(&session, || load(&session, &wanted, &settings));
        let state = session.lock();
        assert!(state.error.is_none() && state.mesh.is_some());
    }
}
