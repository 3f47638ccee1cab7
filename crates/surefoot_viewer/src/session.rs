//! What the viewer holds: one scene, one mesh, one running build, one page.
//!
//! Requests go in from the connections' threads; the state changes under one lock, and everybody who
//! waits for a change is told. The work itself happens elsewhere: builds in `worker`, checks in
//! `check`, queries in `ask`.

use crate::ask::Asker;
use crate::describe;
use crate::mesh_set::MeshSet;
use crate::secret::Secret;
use crate::sources::{Source, Wanted};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use surefoot_bake::BakeSettings;

/// Something to be done in the background.
pub(crate) enum Task {
    /// Load something, then build it with these settings.
    Load { wanted: Wanted, settings: BakeSettings },
    /// Build what is loaded; `watch` keeps every stage.
    Build { settings: BakeSettings, watch: bool },
}

/// What runs in the background.
pub(crate) struct Job {
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    /// The stages to come with what each took last time, in milliseconds, if it is known.
    pub(crate) stages: Vec<(String, f64)>,
    /// How many of them have begun.
    pub(crate) begun: usize,
    pub(crate) part: (usize, usize),
    pub(crate) start: Instant,
}

impl Job {
    fn describe(&self) -> Value {
        let weight = |s: &(String, f64)| s.1.max(0.02);
        let whole: f64 = self.stages.iter().map(weight).sum();
        let done: f64 = self.stages.iter().take(self.begun.saturating_sub(1)).map(weight).sum();
        let (parts, of) = self.part;
        let running = self.begun.checked_sub(1).and_then(|i| self.stages.get(i));
        let in_stage = running.map_or(0.0, |s| weight(s) * parts as f64 / of.max(1) as f64);
        json!({
            "kind": self.kind, "title": self.title, "stage": running.map(|s| &s.0),
            "stage_number": self.begun, "stage_count": self.stages.len(),
            "part": parts, "parts": of,
            "share": if whole > 0.0 { ((done + in_stage) / whole).min(1.0) } else { 0.0 },
            "elapsed_ms": self.start.elapsed().as_secs_f64() * 1e3,
        })
    }
}

/// Who holds the viewer.
#[derive(Default)]
struct Holder {
    page: Option<Secret>,
    claimed: Option<Instant>,
    streams: usize,
}

/// What is shared, under one lock.
pub(crate) struct State {
    revision: u64,
    holder: Holder,
    pub(crate) source: Option<Arc<Source>>,
    pub(crate) source_number: u64,
    pub(crate) mesh: Option<Arc<MeshSet>>,
    pub(crate) mesh_number: u64,
    pub(crate) asker: Option<Asker>,
    pub(crate) job: Option<Job>,
    pub(crate) error: Option<(&'static str, String)>,
    pub(crate) was_cancelled: bool,
    pub(crate) settings: BakeSettings,
    /// What comes next.
    pub(crate) wanted: Option<Task>,
    /// What each stage took last time, by method.
    pub(crate) stage_times: BTreeMap<&'static str, BTreeMap<String, f64>>,
    /// The check of the mesh, and the flag that ends it while it runs.
    pub(crate) check: Option<Value>,
    pub(crate) running_check: Option<Arc<AtomicBool>>,
}

impl State {
    /// Puts a mesh in the place of the one before.
    pub(crate) fn set_mesh(&mut self, mesh: Option<Arc<MeshSet>>) {
        self.asker = mesh.as_ref().and_then(|m| Asker::new(Arc::clone(m)));
        self.mesh = mesh;
        self.mesh_number += 1;
        self.cancel_check();
        self.check = None;
    }

    /// Ends the check that runs, if there is one.
    pub(crate) fn cancel_check(&mut self) {
        if let Some(cancel) = self.running_check.take() {
            cancel.store(true, Ordering::SeqCst);
            self.check = None;
        }
    }

    /// Whether a page holds the viewer.
    fn is_held_by(&self, page: &str) -> bool {
        self.holder.page.as_ref().is_some_and(|own| own.is(page))
    }

    /// The command that builds the same with these settings.
    pub(crate) fn command(&self, settings: &BakeSettings) -> String {
        let input = match self.source.as_ref() {
            Some(source) => match &source.procedural {
                Some((name, variant)) => describe::Input::Procedural(name, variant),
                None => describe::Input::Files(source.given_names()),
            },
            None => describe::Input::Files(Vec::new()),
        };
        describe::command_line(settings, &input)
    }

    fn describe(&self) -> Value {
        let mut source = self.source.as_ref().map_or(Value::Null, |s| s.describe());
        if !source.is_null() {
            source["number"] = self.source_number.into();
        }
        let mut mesh = self.mesh.as_ref().map_or(Value::Null, |m| m.describe());
        if !mesh.is_null() {
            mesh["number"] = self.mesh_number.into();
        }
        json!({
            "revision": self.revision, "source": source, "mesh": mesh,
            "job": self.job.as_ref().map(Job::describe),
            "error": self.error.as_ref().map(|(title, text)| json!({"title": title, "text": text})),
            "cancelled": self.was_cancelled, "settings": describe::values(&self.settings),
            "check": self.check,
        })
    }
}

/// The one session of a server.
pub(crate) struct Session {
    state: Mutex<State>,
    changed: Condvar,
    pub(crate) pool: rayon::ThreadPool,
    /// What the address carries and a page must show to get the viewer.
    key: Secret,
    /// Set to stop the running build.
    cancel: AtomicBool,
}

/// How long a new page waits for the old one to go, as when it is loaded again.
const HANDOVER: Duration = Duration::from_millis(1200);

impl Session {
    pub(crate) fn new(pool: rayon::ThreadPool, key: Secret) -> Self {
        let state = State {
            revision: 0,
            holder: Holder::default(),
            source: None,
            source_number: 0,
            mesh: None,
            mesh_number: 0,
            asker: None,
            job: None,
            error: None,
            was_cancelled: false,
            settings: BakeSettings::default(),
            wanted: None,
            stage_times: BTreeMap::new(),
            check: None,
            running_check: None,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            pool,
            key,
            cancel: AtomicBool::new(false),
        }
    }

    /// What a page must show to get the viewer.
    pub(crate) fn key(&self) -> &Secret {
        &self.key
    }

    /// Looks at the state.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has left the state as whole as any other.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and tells everybody.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        state.revision += 1;
        drop(state);
        self.changed.notify_all();
        result
    }

    /// Waits until something may have changed, at most so long.
    pub(crate) fn wait<'s>(
        &'s self,
        state: MutexGuard<'s, State>,
        longest: Duration,
    ) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, longest).unwrap_or_else(PoisonError::into_inner).0
    }

    /// The flag that stops the running build.
    pub(crate) fn cancel_flag(&self) -> &AtomicBool {
        &self.cancel
    }

    /// Asks for something to be done, in place of whatever runs or waits.
    pub(crate) fn begin(&self, task: Task) {
        self.change(|state| {
            state.settings = match &task {
                Task::Load { settings, .. } | Task::Build { settings, .. } => settings.clone(),
            };
            state.wanted = Some(task);
            state.error = None;
            state.was_cancelled = false;
            self.cancel.store(true, Ordering::SeqCst);
        });
    }

    /// Stops what runs.
    pub(crate) fn cancel(&self) {
        self.change(|state| {
            state.wanted = None;
            self.cancel.store(true, Ordering::SeqCst);
        });
    }

    /// The next task, when there is one.
    pub(crate) fn next_task(&self) -> Task {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.wanted.take() {
                self.cancel.store(false, Ordering::SeqCst);
                return task;
            }
            state = self.wait(state, Duration::from_secs(60));
        }
    }

    /// Gives the viewer to a page; the number it must name from now on, or `None` where another page
    /// holds it and `take` does not say to take it over.
    pub(crate) fn claim(&self, take: bool) -> Option<String> {
        let start = Instant::now();
        let mut state = self.lock();
        loop {
            let h = &state.holder;
            // A page that has claimed and not yet listened is about to.
            let fresh = h.claimed.is_some_and(|t| t.elapsed() < HANDOVER);
            let held = h.page.is_some() && (h.streams > 0 || fresh);
            if !held || take {
                break;
            }
            if start.elapsed() > 2 * HANDOVER {
                return None;
            }
            state = self.wait(state, Duration::from_millis(50));
        }
        let page = Secret::new()?;
        state.holder =
            Holder { page: Some(page.clone()), claimed: Some(Instant::now()), streams: 0 };
        state.revision += 1;
        drop(state);
        self.changed.notify_all();
        Some(page.text().to_owned())
    }

    /// Whether a page holds the viewer.
    pub(crate) fn holds(&self, page: &str) -> bool {
        self.lock().is_held_by(page)
    }

    /// Sends the state to a page whenever it changes, until the page goes or is replaced.
    pub(crate) fn stream(&self, page: &str, out: &mut crate::http::Stream<'_>) {
        /// The state is not sent more often than this.
        const APART: Duration = Duration::from_millis(60);
        /// How often to look whether the page is still there.
        const LOOK: Duration = Duration::from_millis(200);
        self.lock().holder.streams += 1;
        let mut sent = None;
        loop {
            let state = self.lock();
            if !state.is_held_by(page) {
                drop(state);
                out.send(b"event: replaced\ndata: {}\n\n");
                return;
            }
            let news = (sent != Some(state.revision)).then(|| (state.revision, state.describe()));
            if let Some((revision, value)) = news {
                drop(state);
                sent = Some(revision);
                if !out.send(format!("data: {value}\n\n").as_bytes()) {
                    break;
                }
                std::thread::sleep(APART);
            } else {
                let busy = state.job.is_some();
                drop(self.wait(state, LOOK));
                // The clock of a build goes on where its stages do not.
                if busy && self.lock().job.is_some() {
                    sent = None;
                }
            }
            if out.is_closed() {
                break;
            }
        }
        let mut state = self.lock();
        if state.is_held_by(page) {
            state.holder.streams = state.holder.streams.saturating_sub(1);
            state.holder.claimed = None;
        }
        drop(state);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_page_is_refused_until_it_takes_over() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let session = Session::new(pool, Secret::new().unwrap());
        let first = session.claim(false).unwrap();
        session.lock().holder.streams = 1;
        assert_eq!(session.claim(false), None);
        assert!(session.holds(&first) && !session.holds("") && !session.holds("x"));
        let second = session.claim(true).unwrap();
        assert!(session.holds(&second) && !session.holds(&first));
        assert_ne!(first, second);
    }
}
