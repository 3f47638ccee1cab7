//! The check of a mesh against its scene, on request, on threads of its own.
//!
//! The session's mesh and scene go in; how far the check has come, and then its report with the
//! places of faults, go into the session's state. It takes half of the threads that builds have and none
//! of theirs, and ends when it is cancelled or its mesh is replaced: a mesh that has changed meanwhile
//! gets no report.

use crate::fields::Refused;
use crate::session::{Session, State};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use surefoot_mesh::NavMeshData;
use surefoot_scene::Scene;
use surefoot_verify::{Missing, Report, Share, VerifySettings, verify_until};

/// The most faults of a kind that are shown.
const WORST: usize = 50;

/// The fewest samples that say anything, what is usual, and the most that a page can ask for: more than
/// a million take gigabytes and say hardly more.
const SAMPLES: std::ops::RangeInclusive<u64> = 100..=1_000_000;
pub(crate) const USUAL_SAMPLES: u64 = 10_000;

/// How often the page is told how far a check has come.
const TOLD_APART: Duration = Duration::from_millis(100);

/// Starts a check; says why not where there is nothing to check.
pub(crate) fn start(session: &Arc<Session>, samples: u64) -> Result<(), Refused> {
    if !SAMPLES.contains(&samples) {
        let (low, high) = (SAMPLES.start(), SAMPLES.end());
        return Err(format!(
            "{samples} samples cannot be checked here; give {low} to {high}, or use \
             `surefoot verify --samples`"
        )
        .into());
    }
    let threads = (session.pool.current_num_threads() / 2).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|_| "no threads could be started; close other programs")?;
    let cancel = Arc::new(AtomicBool::new(false));
    let (mesh, scene) = session.change(|state| {
        if state.running_check.is_some() {
            return Err("a check is running already; cancel it first");
        }
        let mesh = state.mesh.clone().ok_or("there is no mesh to check; build one first")?;
        let scene = state.source.as_ref().and_then(|s| s.scene.clone());
        let scene = scene.ok_or("a mesh alone cannot be checked; load its scene too")?;
        state.running_check = Some(Arc::clone(&cancel));
        state.check = Some(json!({ "running": true, "share": 0.0 }));
        Ok((mesh, scene))
    })?;
    let owner = Arc::clone(session);
    let thread = std::thread::Builder::new().name("check".to_owned());
    let spawned = thread.spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| run(&owner, mesh.mesh.data(), &scene, samples, &cancel))
        }));
        let outcome = outcome.unwrap_or_else(|_| {
            let text = "the check has met a defect of Surefoot; please report it with the scene";
            Some(json!({ "running": false, "error": text }))
        });
        owner.change(|state| {
            // Cancelled, another may run by now.
            if is_running(state, &cancel) {
                state.running_check = None;
                state.check = outcome;
            }
        });
    });
    spawned.map(|_| ()).map_err(|_| {
        session.change(|state| (state.running_check, state.check) = (None, None));
        "no thread could be started; close other programs".into()
    })
}

/// Whether the check with this flag is the one that the session waits for.
fn is_running(state: &State, cancel: &Arc<AtomicBool>) -> bool {
    state.running_check.as_ref().is_some_and(|own| Arc::ptr_eq(own, cancel))
}

/// Checks a mesh and tells the session how far that has come; `None` where it was cancelled.
fn run(
    session: &Session,
    data: &NavMeshData,
    scene: &Scene,
    samples: u64,
    cancel: &Arc<AtomicBool>,
) -> Option<Value> {
    let mut settings =
        data.build.as_ref().map_or_else(VerifySettings::default, VerifySettings::for_build);
    settings.samples = samples;
    settings.worst = WORST;
    let told = Mutex::new(Instant::now());
    let progress = |share: f64| {
        let Ok(mut told) = told.try_lock() else { return };
        if told.elapsed() > TOLD_APART {
            *told = Instant::now();
            session.change(|state| {
                if is_running(state, cancel) {
                    state.check = Some(json!({ "running": true, "share": share }));
                }
            });
        }
    };
    let start = Instant::now();
    let report = verify_until(data, scene, &settings, &progress, cancel)?;
    Some(describe(&report, &settings, start.elapsed().as_secs_f64() * 1e3))
}

fn share(share: &Share) -> Value {
    json!({ "share": share.value(), "passed": share.passed, "counted": share.counted,
            "interval": share.interval() })
}

fn describe(report: &Report, settings: &VerifySettings, ms: f64) -> Value {
    let mut faults = Vec::new();
    for f in &report.unsound {
        let text =
            format!("the agent does not fit: {}; short by {:.3} m", f.reason.text(), f.short_by_m);
        faults.push(
            json!({ "kind": "unsound", "at": f.at, "because_of": f.because_of, "text": text }),
        );
    }
    for f in &report.uncovered {
        let text = match f.missing {
            Missing::BesideMesh { .. } => {
                format!("ground that the mesh does not cover, {:.3} m beside it", f.away_m)
            }
            Missing::Island { area_m2 } => {
                format!("an island of {area_m2:.2} m² or more that the mesh does not cover")
            }
            _ => "ground that the mesh does not cover".to_owned(),
        };
        faults.push(json!({ "kind": "uncovered", "at": f.at, "text": text }));
    }
    for f in &report.connection_faults {
        faults.push(json!({ "kind": "connection", "at": f.at(), "text": f.text() }));
    }
    for f in report.structure_faults.iter().take(WORST) {
        faults.push(json!({ "kind": "structure", "at": f.at, "text": f.kind.text() }));
    }
    json!({
        "running": false, "ms": ms, "passes": report.passes(0.999, 0.99),
        "sound": share(&report.sound), "complete": share(&report.complete),
        "inside_m2": report.inside_m2,
        "connection_faults": report.connection_fault_count,
        "structure_faults": report.structure_faults.len(),
        "tolerance_m": settings.tolerance_m, "margin_m": settings.margin_m,
        "samples": settings.samples, "faults": faults,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh_set::MeshSet;
    use crate::secret::Secret;
    use crate::sources::{Source, Wanted};
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::channel;
    use surefoot_bake::BakeSettings;
    use surefoot_testing_scenes::Variant;

    /// A session with one thread that builds, and a scene with its mesh.
    fn session() -> Arc<Session> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let session = Arc::new(Session::new(pool, Secret::new().unwrap()));
        let wanted =
            Wanted::Procedural { name: "doorways".to_owned(), variant: Variant::default() };
        let source = Source::load(&wanted).unwrap();
        let scene = source.scene.clone().unwrap();
        let baked = surefoot_bake::bake(&scene, &BakeSettings::default()).unwrap();
        session.change(|state| {
            state.source = Some(Arc::new(source));
            state.set_mesh(Some(Arc::new(MeshSet::new(baked, scene.origin()))));
        });
        session
    }

    fn wait_for(session: &Session, what: impl Fn(&Value) -> bool) -> Value {
        let mut state = session.lock();
        loop {
            let check = state.check.clone().unwrap_or_default();
            if what(&check) {
                return check;
            }
            state = session.wait(state, Duration::from_millis(20));
        }
    }

    #[test]
    fn builds_go_on_beside_a_check_and_it_can_be_cancelled() {
        let session = session();
        start(&session, *SAMPLES.end()).unwrap();
        wait_for(&session, |c| c["running"] == true && c["share"].as_f64() > Some(0.0));
        // The only thread that builds is free.
        let (sender, receiver) = channel();
        session.pool.spawn(move || sender.send(()).unwrap());
        receiver.recv_timeout(Duration::from_secs(20)).expect("the check keeps builds waiting");
        assert_eq!(session.lock().check.as_ref().unwrap()["running"], true);
        assert!(start(&session, 100).unwrap_err().why.contains("already"));
        session.change(State::cancel_check);
        wait_for(&session, Value::is_null);
        // And another one can be started.
        start(&session, 200).unwrap();
        let report = wait_for(&session, |c| c["running"] == false);
        assert_eq!(report["samples"], 200);
    }

    #[test]
    fn a_new_mesh_ends_the_check_of_the_old_one() {
        let session = session();
        start(&session, *SAMPLES.end()).unwrap();
        let cancel = session.lock().running_check.clone().unwrap();
        session.change(|state| state.set_mesh(None));
        assert!(cancel.load(Ordering::SeqCst) && session.lock().check.is_none());
    }

    #[test]
    fn more_samples_than_fit_are_refused_with_the_limit() {
        let session = session();
        for samples in [0, 99, 1_000_001, 10_000_000, u64::MAX] {
            let why = start(&session, samples).unwrap_err().why;
            assert!(why.contains("1000000") && why.contains("verify --samples"), "{why}");
        }
        assert!(session.lock().check.is_none());
    }
}
