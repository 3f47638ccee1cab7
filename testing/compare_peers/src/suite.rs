//! The whole comparison: every scene, every tool, within a given time.
//!
//! In go a list of scenes and a time; out comes one JSON value with everything that was measured. Each
//! question is put to a process of its own (this program, run again), so that a tool that crashes, hangs
//! or eats the memory is a line that says so and nothing more. Time is shared out beforehand: scenes that
//! come later get what earlier ones have left over.

use crate::tool::Tool;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build, list};

/// Tools that are compared on every scene.
const TOOLS: [Tool; 7] = [
    Tool::Exact,
    Tool::Voxel(0.1),
    Tool::Layered(0.05),
    Tool::Recast(0.3),
    Tool::Recast(0.1),
    Tool::Rerecast(0.3),
    Tool::Rerecast(0.1),
];

/// Tools whose growth is measured: those with cells have cells of 10 cm.
const GROWING: [Tool; 4] = [Tool::Exact, Tool::Voxel(0.1), Tool::Layered(0.1), Tool::Recast(0.1)];

/// Sizes of scenes whose default takes longer than seconds, or too short to be measured.
const SIZES: [(&str, u32); 8] = [
    ("station", 16),
    ("rig", 3),
    ("buildings", 4),
    ("terrain", 96),
    ("city", 2),
    ("grates", 300),
    ("planet", 24),
    ("maze", 12),
];

/// Scenes in sizes from about 10,000 to 2,000,000 triangles.
const SERIES: [(&str, &[u32]); 3] = [
    ("city", &[1, 2, 3, 5, 9, 13]),
    ("terrain", &[71, 123, 224, 388, 708, 1000]),
    ("floors", &[3, 4, 7, 12, 21, 30]),
];

/// Samples of the checker for each question.
const SAMPLES: u64 = 2_000;

/// Pairs of points on each mesh of Recast's.
const PAIRS: usize = 300;

/// Shares of the time: procedural scenes, files, series.
const SHARES: [f64; 3] = [0.42, 0.22, 0.36];

/// A process is asked again for its end after this time.
const POLL: Duration = Duration::from_millis(20);

/// What to compare.
#[derive(Clone, Debug, Default)]
pub struct SuiteSettings {
    /// A folder of scene files with Y up.
    pub folder: Option<PathBuf>,
    /// Names of the only scenes and files to take; series are left out then. Empty: everything.
    pub only: Vec<String>,
    /// How long it may take in all, in seconds.
    pub seconds: f64,
}

/// A scene by its name, with `:` and a size where it is a procedural one, or a file.
pub fn load_scene(name: &str) -> Result<Scene> {
    if Path::new(name).is_file() {
        return Ok(Scene::load(name)?);
    }
    let (name, size) = match name.split_once(':') {
        None => (name, None),
        Some((name, size)) => (name, Some(size.parse().context("the size of a scene")?)),
    };
    Ok(build(name, &Variant { size, ..Variant::default() })?.scene)
}

/// Compares everything. `say` is told what happens.
pub fn compare_all(settings: &SuiteSettings, say: &dyn Fn(&str)) -> Result<Value> {
    let start = Instant::now();
    let load_before = load_average();
    let wanted = |name: &str| {
        let stem = Path::new(name).file_stem().map(|s| s.to_string_lossy().into_owned());
        settings.only.is_empty()
            || settings.only.iter().any(|o| o == name || Some(o.as_str()) == stem.as_deref())
    };
    let procedural: Vec<String> = (list().iter().map(|i| i.name))
        .filter(|name| wanted(name))
        .map(|name| match SIZES.iter().find(|s| s.0 == name) {
            Some((name, size)) => format!("{name}:{size}"),
            None => name.to_owned(),
        })
        .collect();
    let files = match &settings.folder {
        Some(folder) => scene_files(folder)?.into_iter().filter(|f| wanted(f)).collect(),
        None => Vec::new(),
    };
    let left = |share: f64| share * settings.seconds - start.elapsed().as_secs_f64();
    let mut scenes = Vec::new();
    let mut growth = Vec::new();
    for (names, until) in [(&procedural, SHARES[0]), (&files, SHARES[0] + SHARES[1])] {
        for (i, name) in names.iter().enumerate() {
            let share = left(until) / (names.len() - i) as f64;
            scenes.push(compare_scene(name, share.max(2.0), say));
        }
    }
    if settings.only.is_empty() {
        for (i, (name, sizes)) in SERIES.iter().enumerate() {
            let share = left(1.0) / (SERIES.len() - i) as f64;
            growth.push(grow(name, sizes, share, say));
        }
    }
    Ok(json!({
        "seconds": start.elapsed().as_secs_f64(),
        "load": [load_before, load_average()],
        "samples": SAMPLES,
        "pairs": PAIRS,
        "scenes": scenes,
        "growth": growth,
    }))
}

/// How many threads wanted to run in the last minute, where the system tells.
fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// The scene files of a folder, in the order of their names.
fn scene_files(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} is no folder of scenes", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if surefoot_scene::SceneFormat::from_path(&path).is_some() {
            files.push(path.to_string_lossy().into_owned());
        }
    }
    files.sort();
    Ok(files)
}

/// Everything about one scene, in about so many seconds.
fn compare_scene(name: &str, seconds: f64, say: &dyn Fn(&str)) -> Value {
    let start = Instant::now();
    let stem = Path::new(name).file_stem().map_or(name.into(), |s| s.to_string_lossy());
    let triangles = match load_scene(name) {
        Ok(scene) => scene.triangle_count(),
        Err(error) => return json!({"scene": stem, "failed": format!("{error:#}")}),
    };
    let mut tools = Vec::new();
    let mut racing = Vec::new();
    for tool in TOOLS {
        // Half of the time for all; one may take what others leave.
        let limit = (0.5 * seconds - start.elapsed().as_secs_f64()).max(0.2 * seconds);
        let word = tool.to_string();
        let mut line = ask(&["once", name, &word, &SAMPLES.to_string()], limit);
        if let (true, Some(ms)) = (line["failed"].is_null(), line["ms"].as_f64()) {
            // Ours run on one thread and on two.
            racing.push((if tool.is_own() { 1.7 } else { 1.0 } * ms / 1e3, word.clone()));
        }
        line["tool"] = word.into();
        tools.push(line);
    }
    let race_s = 0.3 * seconds;
    // Tools that would take the time of all others stay out: that they were slow is known.
    while racing.iter().map(|r| r.0).sum::<f64>() > 1.5 * race_s {
        let most = (0..racing.len()).max_by(|&a, &b| racing[a].0.total_cmp(&racing[b].0));
        most.map(|slowest| racing.remove(slowest));
    }
    let words = ["race".to_owned(), name.to_owned(), format!("{race_s:.2}")];
    let words: Vec<&str> =
        words.iter().chain(racing.iter().map(|r| &r.1)).map(String::as_str).collect();
    let race = ask(&words, 4.0 * race_s + 2.0);
    let paths = ask(&["paths", name, "0.1", &PAIRS.to_string()], 0.3 * seconds + 2.0);
    say(&format!("{stem}: {:.1} s of {seconds:.1} s", start.elapsed().as_secs_f64()));
    json!({"scene": stem, "input_triangles": triangles, "tools": tools, "race": race, "paths": paths})
}

/// Times of one scene in several sizes. A tool whose next run would take more than its share of the
/// time that is left stops.
fn grow(name: &str, sizes: &[u32], seconds: f64, say: &dyn Fn(&str)) -> Value {
    let start = Instant::now();
    let mut rows = Vec::new();
    let mut running: Vec<(Tool, Option<[f64; 2]>)> = GROWING.iter().map(|&t| (t, None)).collect();
    for (step, &size) in sizes.iter().enumerate() {
        let spec = format!("{name}:{size}");
        let triangles = match load_scene(&spec) {
            Ok(scene) => scene.triangle_count() as f64,
            Err(error) => return json!({"scene": name, "failed": format!("{error:#}")}),
        };
        let mut tools = Vec::new();
        let mut still = Vec::new();
        let count = running.len();
        for (i, (tool, last)) in running.into_iter().enumerate() {
            let left = seconds - start.elapsed().as_secs_f64();
            // What is left, but for a fair part for the tools that come after in this size; small
            // sizes leave most of it to the large ones.
            let limit = left / (count - i).min(3) as f64;
            let expected = last.map_or(0.0, |[n, s]| s * (triangles / n).powf(1.1));
            let mut line = if limit <= 0.0 {
                json!({"failed": "stopped: no time is left"})
            } else if expected > limit {
                json!({"failed": format!("stopped: would take about {expected:.0} s")})
            } else {
                let rounds = if step < 3 { "5" } else { "1" };
                ask(&["grow", &spec, &tool.to_string(), rounds], limit.max(2.0))
            };
            if line["failed"].is_null() {
                // Both numbers of threads, and making the scene.
                let seconds = ["ms", "ms_two"].map(|k| line[k].as_f64().unwrap_or(0.0) / 1e3);
                still.push((tool, Some([triangles, seconds[0] + seconds[1]])));
            }
            line["tool"] = tool.to_string().into();
            tools.push(line);
        }
        running = still;
        say(&format!("{spec}: {:.0} s of {seconds:.0} s", start.elapsed().as_secs_f64()));
        rows.push(json!({"size": size, "input_triangles": triangles, "tools": tools}));
    }
    json!({"scene": name, "rows": rows})
}

/// Puts a question to this program in a process of its own, which may take so many seconds.
fn ask(words: &[&str], limit_s: f64) -> Value {
    match answer(words, Duration::from_secs_f64(limit_s.clamp(1.0, 3600.0))) {
        Ok(value) => value,
        Err(error) => json!({"failed": format!("{error:#}")}),
    }
}

fn answer(words: &[&str], limit: Duration) -> Result<Value> {
    let program = std::env::current_exe().context("this program")?;
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("could not be started")?;
    let mut out = child.stdout.take().context("no output")?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            anyhow::bail!("stopped after {:.0} s", limit.as_secs_f64());
        }
        std::thread::sleep(POLL);
    };
    let text = reader.join().ok().context("its output was lost")??;
    anyhow::ensure!(status.success(), "crashed ({status})");
    serde_json::from_str(&text).context("its output is no JSON")
}

/// Writes a line for people to standard error.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_come_by_name_and_size() {
        let small = load_scene("pillars:1").unwrap().triangle_count();
        assert!(small > 0 && small < load_scene("pillars:3").unwrap().triangle_count());
        assert!(load_scene("pillars:many").is_err());
        assert!(load_scene("nothing").is_err());
    }

    #[test]
    fn every_scene_of_the_suite_exists_in_its_sizes() {
        let series = SERIES.iter().flat_map(|(name, sizes)| sizes.iter().map(move |s| (*name, *s)));
        for (name, size) in SIZES.into_iter().chain(series) {
            let info = list().iter().find(|i| i.name == name).unwrap();
            assert!((info.min_size..=info.max_size).contains(&size), "{name} {size}");
        }
        assert!((SHARES.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
