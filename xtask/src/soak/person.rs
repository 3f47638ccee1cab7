//! Who looks at levels: loads and builds them, asks for paths, cancels, uploads, checks.

use super::client::{Answer, Viewer};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// What is shown at first and at last.
pub(super) const FIRST_SCENE: &str = "doorways";

/// Scenes that are loaded in turn, and what they are built with.
const SCENES: [&str; 4] = ["floors", FIRST_SCENE, "stairs", "rooms"];
const METHODS: [&str; 3] = ["exact", "voxel", "layered"];
const RADII_M: [f64; 3] = [0.3, 0.2, 0.5];

/// How long a person waits for a small scene on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// How soon a build or a check is cancelled.
const SOON: Duration = Duration::from_millis(40);

/// The last state that the viewer told.
type Told = Arc<(Mutex<Value>, Condvar)>;

/// A person with the page's number.
pub(super) struct Person {
    viewer: Viewer,
    page: String,
    told: Told,
    scenes: Vec<String>,
    first_area_m2: Option<f64>,
    rounds: usize,
    requests: u64,
}

impl Person {
    /// Takes the viewer and listens to it.
    pub(super) fn claim(viewer: &Viewer) -> Result<Self> {
        let key = [("X-Surefoot-Key", viewer.key.as_str())];
        let answer = viewer.ask("POST /api/claim?take=1", &key, b"")?;
        let claimed: Value = serde_json::from_slice(&answer.body)?;
        let page = claimed["page"].as_str().context("the viewer was not given")?.to_owned();
        let told: Told = Arc::default();
        listen(viewer, &page, &told)?;
        let mut person = Self {
            viewer: viewer.clone(),
            page,
            told,
            scenes: Vec::new(),
            first_area_m2: None,
            rounds: 0,
            requests: 0,
        };
        let described = person.ask("GET", "describe", b"")?;
        let described: Value = serde_json::from_slice(&described.body)?;
        let all: Vec<&str> = (described["scenes"].as_array().into_iter().flatten())
            .filter_map(|s| s["name"].as_str())
            .collect();
        let known = SCENES.iter().filter(|s| all.contains(*s));
        person.scenes = known.map(|s| (*s).to_owned()).collect();
        Ok(person)
    }

    pub(super) fn summary(&self) -> String {
        format!("{} rounds, {} requests", self.rounds, self.requests)
    }

    /// Loads what was shown at first; its mesh must be the one it was.
    pub(super) fn load_first_scene(&mut self) -> Result<()> {
        let loaded = self.load(FIRST_SCENE, json!({}))?;
        let area_m2 = loaded["mesh"]["area_m2"].as_f64().context("there is no mesh")?;
        let first = *self.first_area_m2.get_or_insert(area_m2);
        ensure!(area_m2.to_bits() == first.to_bits(), "the mesh was {first} m², and is {area_m2}");
        Ok(())
    }

    /// Does everything once.
    pub(super) fn go_round(&mut self) -> Result<()> {
        let round = self.rounds;
        self.rounds += 1;
        let scene = self.scenes[round % self.scenes.len()].clone();
        let method = METHODS[round / 2 % METHODS.len()];
        let radius_m = RADII_M[round / 5 % RADII_M.len()];
        self.load(&scene, json!({ "method": method, "agent.radius": radius_m }))?;
        self.look()?;
        self.ask_for_paths()?;
        self.check()?;
        self.cancel_builds()?;
        self.upload_files(round)
    }

    /// Asks, as the page does; what the viewer refuses is an answer as well.
    fn ask(&mut self, method: &str, name: &str, body: &[u8]) -> Result<Answer> {
        self.ask_with(method, name, &[], body)
    }

    fn ask_with(
        &mut self,
        method: &str,
        name: &str,
        more: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer> {
        self.requests += 1;
        let mut headers = vec![("X-Surefoot-Page", self.page.as_str())];
        headers.extend(more);
        // An attacker's flood may end a connection before it has shown whose it is: browsers ask
        // again, and so does this.
        const TRIES: usize = 5;
        let line = format!("{method} /api/{name}");
        let mut last = self.viewer.ask(&line, &headers, body);
        for _ in 1..TRIES {
            if last.is_ok() {
                break;
            }
            sleep(SOON);
            last = self.viewer.ask(&line, &headers, body);
        }
        let answer = last.with_context(|| format!("{name} has no answer"))?;
        ensure!(answer.status != 409 && answer.status < 500, "{name}: status {}", answer.status);
        Ok(answer)
    }

    fn post(&mut self, name: &str, body: &Value) -> Result<Answer> {
        self.ask("POST", name, body.to_string().as_bytes())
    }

    fn state(&self) -> Value {
        self.told.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for a state.
    fn wait(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Result<Value> {
        let (state, changed) = &*self.told;
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(state, PATIENCE, |state| !is_so(state));
        let (state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            bail!("waited in vain for {what}; the last state: {}", *state);
        }
        Ok(state.clone())
    }

    /// Loads and builds a scene.
    fn load(&mut self, name: &str, settings: Value) -> Result<Value> {
        let before = self.state();
        let answer = self.post("load", &json!({ "name": name, "settings": settings }))?;
        ensure!(answer.status == 200, "{name}: {}", String::from_utf8_lossy(&answer.body));
        let loaded = self.wait(name, |state| {
            let is_new = |part: &str| number(state, part) > number(&before, part);
            is_new("source") && is_new("mesh") && state["job"].is_null()
                || has_failed(state, &before)
        })?;
        ensure!(loaded["error"].is_null(), "{name}: {}", loaded["error"]);
        Ok(loaded)
    }

    /// Fetches all that is drawn and all that can be saved.
    fn look(&mut self) -> Result<()> {
        for name in ["scene", "mesh", "stage?number=1"] {
            self.ask("GET", name, b"")?;
        }
        for format in ["snav", "obj", "glb", "json", "svg", "bin"] {
            self.ask("GET", &format!("export?format={format}"), b"")?;
        }
        let ray = json!({ "origin": [0.0, 50.0, 0.0], "direction": [0.01, -1.0, 0.01] });
        self.post("pick", &ray).map(drop)
    }

    /// Paths for agents of all sizes, through the mesh and far beside it.
    fn ask_for_paths(&mut self) -> Result<()> {
        let mesh = self.state()["mesh"].clone();
        let corner = |name: &str, k: usize| mesh[name][k].as_f64().unwrap_or(0.0);
        let at = |share: f64| {
            [0, 1, 2].map(|k| corner("low", k) + share * (corner("high", k) - corner("low", k)))
        };
        for radius in [0.0, 0.6, 2.0, 1e4, 1e6, 1e300] {
            for algorithm in ["optimal", "portals"] {
                for to in [at(0.9), [1e9, 0.0, -1e9]] {
                    let from = at(0.1);
                    let asked =
                        json!({ "from": from, "to": to, "radius": radius, "algorithm": algorithm });
                    let answer = self.post("path", &asked)?;
                    ensure!(answer.status == 200, "path: status {}", answer.status);
                }
            }
        }
        Ok(())
    }

    /// A check that is cancelled, one that is too large, and one that is not.
    fn check(&mut self) -> Result<()> {
        self.post("check", &json!({ "samples": 1_000_000 }))?;
        sleep(SOON);
        self.post("check-cancel", &json!({}))?;
        ensure!(
            self.post("check", &json!({ "samples": 1_000_000_000 }))?.status == 422,
            "too many"
        );
        ensure!(self.post("check", &json!({ "samples": 500 }))?.status == 200, "no check");
        let is_done = |state: &Value| state["check"]["running"] == false;
        let state = self.wait("a check", is_done)?;
        ensure!(state["check"]["error"].is_null(), "{}", state["check"]["error"]);
        Ok(())
    }

    /// Builds that are cancelled or replaced by the next.
    fn cancel_builds(&mut self) -> Result<()> {
        for (i, method) in METHODS.iter().enumerate() {
            self.post("build", &json!({ "settings": { "method": method }, "watch": true }))?;
            sleep(SOON);
            if i % 2 == 0 {
                self.post("cancel", &json!({}))?;
            }
        }
        // Settings that are none leave everything as it is.
        let refused = self.post("build", &json!({ "settings": 5 }))?;
        ensure!(refused.status == 400, "settings of 5: status {}", refused.status);
        let refused = self.post("build", &json!({ "settings": { "agent.height": -1 } }))?;
        ensure!(refused.status / 100 == 4, "a height of -1: status {}", refused.status);
        Ok(())
    }

    /// The mesh as a file, whole and damaged, and files that are none.
    fn upload_files(&mut self, round: usize) -> Result<()> {
        let mesh = self.ask("GET", "export?format=snav", b"")?.body;
        let mut damaged = mesh.clone();
        let at = round * 7919 % damaged.len().max(1);
        damaged[at] ^= 1 << (round % 8);
        let cut = mesh[..mesh.len() / 2].to_vec();
        let text = b"v 0 0 0\nv 1 0 nan\nf 1 2 9999999\n".to_vec();
        for (name, bytes, is_sound) in [
            ("cut.snav", cut, false),
            ("damaged.snav", damaged, false),
            ("broken.obj", text, false),
            ("no.glb", vec![0x67; 5000], false),
            ("whole.snav", mesh, true),
        ] {
            let before = self.state();
            let listed = json!([[name, bytes.len()]]).to_string();
            let listed: String = listed.bytes().map(|b| format!("%{b:02x}")).collect();
            self.ask_with("POST", "upload", &[("X-Surefoot-Files", &listed)], &bytes)?;
            let state = self.wait(name, |state| {
                let is_new = number(state, "source") > number(&before, "source");
                is_new && state["job"].is_null() || has_failed(state, &before)
            })?;
            ensure!(state["error"].is_null() == is_sound, "{name}: {}", state["error"]);
        }
        Ok(())
    }
}

/// The number of the scene or mesh that is shown.
fn number(state: &Value, part: &str) -> u64 {
    state[part]["number"].as_u64().unwrap_or(0)
}

/// Whether something has failed since a state.
fn has_failed(state: &Value, before: &Value) -> bool {
    let is_newer = state["revision"].as_u64() > before["revision"].as_u64();
    is_newer && !state["error"].is_null() && state["job"].is_null()
}

/// Follows the viewer's state until it ends.
fn listen(viewer: &Viewer, page: &str, told: &Told) -> Result<()> {
    let mut stream = viewer.connect()?;
    stream.set_read_timeout(None)?;
    stream.write_all(viewer.head("GET /api/events", &[("X-Surefoot-Page", page)], 0).as_bytes())?;
    let told = Arc::clone(told);
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let Some(data) = line.strip_prefix("data: ") else { continue };
            if let Ok(state) = serde_json::from_str(data) {
                *told.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
                told.1.notify_all();
            }
        }
    });
    Ok(())
}
