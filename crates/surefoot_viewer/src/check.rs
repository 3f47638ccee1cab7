//! The check of a mesh against its scene, on request, in a thread of its own.
//!
//! The session's mesh and scene go in; how far the check has come, and then its report with the
//! places of faults, go into the session's state. A mesh that has changed meanwhile gets no report.

use crate::session::Session;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use surefoot_verify::{Missing, Report, Share, VerifySettings, verify};

/// The most faults of a kind that are shown.
const WORST: usize = 50;

/// Starts a check; says why not where there is nothing to check.
pub(crate) fn start(session: &Arc<Session>, samples: u64) -> Result<(), &'static str> {
    let (mesh, scene, number) = {
        let state = session.lock();
        if state.check.as_ref().is_some_and(|c| c["running"] == true) {
            return Err("a check is running already");
        }
        let mesh = state.mesh.clone().ok_or("there is no mesh to check; build one first")?;
        let scene = state.source.as_ref().and_then(|s| s.scene.clone());
        let scene = scene.ok_or("a mesh alone cannot be checked; load its scene too")?;
        (mesh, scene, state.mesh_number)
    };
    let put = move |session: &Session, value: Value| {
        session.change(|state| {
            if state.mesh_number == number {
                state.check = Some(value);
            }
        });
    };
    put(session, json!({ "running": true, "share": 0.0 }));
    let session = Arc::clone(session);
    let thread = std::thread::Builder::new().name("check".to_owned());
    let spawned = thread.spawn(move || {
        let data = mesh.mesh.data();
        let mut settings =
            data.build.as_ref().map_or_else(VerifySettings::default, VerifySettings::for_build);
        settings.samples = samples;
        settings.worst = WORST;
        let told = std::sync::Mutex::new(Instant::now());
        let progress = |share: f64| {
            let Ok(mut told) = told.try_lock() else { return };
            if told.elapsed() > Duration::from_millis(100) {
                *told = Instant::now();
                put(&session, json!({ "running": true, "share": share }));
            }
        };
        let start = Instant::now();
        let report = session.pool.install(|| verify(data, &scene, &settings, &progress));
        put(&session, describe(&report, &settings, start.elapsed().as_secs_f64() * 1e3));
    });
    spawned.map(|_| ()).map_err(|_| "no thread could be started; close other programs")
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
