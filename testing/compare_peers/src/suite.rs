//! The whole comparison: every scene, every tool, within a given time.
//!
//! In go a list of scenes and a time; out comes one JSON value with everything that was measured. Each
//! question is put to a process of its own (see `ask`), and limits are processor time. Time is shared
//! out beforehand, small scenes first: what they leave over goes to the large ones. On a large scene the
//! checker looks at fewer samples, and tools that take long build fewer times; both are said.

use crate::ask::Spent;
use crate::tool::Tool;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
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

/// Samples of the checker for each question, by the triangles of a scene: so many up to that size.
const SAMPLES: [(usize, u64); 3] = [(60_000, 2_000), (200_000, 1_000), (usize::MAX, 500)];

/// Pairs of points on each mesh of Recast's.
const PAIRS: usize = 300;

/// The share of the time for scenes; series have the rest.
const SCENES: f64 = 0.55;

/// The least that each tool may build and each check may take on a scene, in seconds of processor
/// time, and the part of the scene's share that it may take if that is more.
const BUILD: (f64, f64) = (10.0, 0.4);
const CHECK: (f64, f64) = (10.0, 0.3);

/// The least and the most seconds of a race, and the part of the scene's share in between.
const RACE: (f64, f64, f64) = (1.0, 20.0, 0.25);

/// Builds of each size of a series, on one thread and on two: the same for all sizes.
const ROUNDS: usize = 1;

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
    let mut spent = Spent::default();
    let mut rows: Vec<Row> =
        (procedural.into_iter().chain(files)).map(|name| spent.count(|| Row::new(name))).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&i| rows[i].triangles);
    for (done, &i) in order.iter().enumerate() {
        let left = SCENES * settings.seconds - spent.seconds();
        let share = (left / (order.len() - done) as f64).max(2.0);
        rows[i].compare(share, &mut spent, say);
    }
    let scenes: Vec<Value> = rows.into_iter().map(|row| row.line).collect();
    let mut growth = Vec::new();
    if settings.only.is_empty() {
        for (i, (name, sizes)) in SERIES.iter().enumerate() {
            let share = (settings.seconds - spent.seconds()) / (SERIES.len() - i) as f64;
            growth.push(grow(name, sizes, share, &mut spent, say));
        }
    }
    Ok(json!({
        "seconds": start.elapsed().as_secs_f64(),
        "quiet_seconds": spent.seconds(),
        "load": [load_before, load_average()],
        "samples": SAMPLES[0].1,
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

/// A scene and what is known about it.
struct Row {
    name: String,
    triangles: usize,
    line: Value,
}

impl Row {
    fn new(name: String) -> Self {
        let stem =
            Path::new(&name).file_stem().map_or(name.as_str().into(), |s| s.to_string_lossy());
        let (triangles, line) = match load_scene(&name) {
            Ok(scene) => (scene.triangle_count(), json!({"scene": stem})),
            Err(error) => (0, json!({"scene": stem, "failed": format!("{error:#}")})),
        };
        Self { name, triangles, line }
    }

    /// Asks everything about the scene, in about so many seconds.
    fn compare(&mut self, seconds: f64, spent: &mut Spent, say: &dyn Fn(&str)) {
        if !self.line["failed"].is_null() {
            return;
        }
        let (name, begun) = (self.name.as_str(), spent.seconds());
        let samples = samples(self.triangles);
        let of_share = |(least, part): (f64, f64)| (part * seconds).max(least);
        let limits = [of_share(BUILD), of_share(CHECK)];
        let mut tools = Vec::new();
        let mut racing = Vec::new();
        for tool in TOOLS {
            let word = tool.to_string();
            let mut line = spent.ask(&["once", name, &word, &samples.to_string()], &limits);
            if let (true, Some(ms)) = (line["failed"].is_null(), line["ms"].as_f64()) {
                // Ours run on one thread and on two.
                racing.push((if tool.is_own() { 1.7 } else { 1.0 } * ms / 1e3, word.clone()));
            }
            line["tool"] = word.into();
            tools.push(line);
        }
        let race_s = (RACE.2 * seconds).clamp(RACE.0, RACE.1);
        // Each builds once at least. Those that would take the time of all others stay out, the slowest
        // first: that they were slow is known.
        while racing.iter().map(|r| r.0).sum::<f64>() > 2.0 * race_s {
            let most = (0..racing.len()).max_by(|&a, &b| racing[a].0.total_cmp(&racing[b].0));
            most.map(|slowest| racing.remove(slowest));
        }
        let words = ["race".to_owned(), name.to_owned(), format!("{race_s:.2}")];
        let words: Vec<&str> =
            words.iter().chain(racing.iter().map(|r| &r.1)).map(String::as_str).collect();
        let race = spent.ask(&words, &[8.0 * race_s + 10.0]);
        let paths = spent.ask(&["paths", name, "0.1", &PAIRS.to_string()], &limits[..1]);
        let stem = self.line["scene"].as_str().unwrap_or(name);
        say(&format!("{stem}: {:.1} s of {seconds:.1} s", spent.seconds() - begun));
        self.line["input_triangles"] = self.triangles.into();
        self.line["samples"] = samples.into();
        self.line["tools"] = tools.into();
        self.line["race"] = race;
        self.line["paths"] = paths;
    }
}

/// How many samples the checker takes on a scene of so many triangles.
fn samples(triangles: usize) -> u64 {
    SAMPLES.iter().find(|s| triangles <= s.0).map_or(0, |s| s.1)
}

/// Times of one scene in several sizes. A tool whose next run would take more than its share of the
/// time that is left stops.
fn grow(name: &str, sizes: &[u32], seconds: f64, spent: &mut Spent, say: &dyn Fn(&str)) -> Value {
    let begun = spent.seconds();
    let mut rows = Vec::new();
    let mut running: Vec<(Tool, Option<[f64; 2]>)> = GROWING.iter().map(|&t| (t, None)).collect();
    for &size in sizes {
        let spec = format!("{name}:{size}");
        let triangles = match spent.count(|| load_scene(&spec)) {
            Ok(scene) => scene.triangle_count() as f64,
            Err(error) => return json!({"scene": name, "failed": format!("{error:#}")}),
        };
        let mut tools = Vec::new();
        let mut still = Vec::new();
        let count = running.len();
        for (i, (tool, last)) in running.into_iter().enumerate() {
            let left = seconds - (spent.seconds() - begun);
            // What is left, but for a fair part for the tools that come after in this size; small
            // sizes leave most of it to the large ones.
            let limit = left / (count - i).min(3) as f64;
            let expected = last.map_or(0.0, |[n, s]| s * (triangles / n).powf(1.1));
            let mut line = if limit <= 0.0 {
                json!({"failed": "stopped: no time is left"})
            } else if expected > limit {
                json!({"failed": format!("stopped: would take about {expected:.0} s")})
            } else {
                let words = ["grow", &spec, &tool.to_string(), &ROUNDS.to_string()];
                // Two threads take processor time twice as fast.
                spent.ask(&words, &[(2.0 * limit).max(4.0)])
            };
            if line["failed"].is_null() {
                // Both numbers of threads; on two no longer than on one, but for other work.
                let [one, two] = ["ms", "ms_two"].map(|k| line[k].as_f64().unwrap_or(0.0) / 1e3);
                let two = two.min(one);
                still.push((tool, Some([triangles, ROUNDS as f64 * (one + two)])));
            }
            line["tool"] = tool.to_string().into();
            tools.push(line);
        }
        running = still;
        say(&format!("{spec}: {:.0} s of {seconds:.0} s", spent.seconds() - begun));
        rows.push(json!({"size": size, "input_triangles": triangles, "tools": tools}));
    }
    json!({"scene": name, "rounds": ROUNDS, "rows": rows})
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
        assert!([1_000, 100_000, 2_000_000].map(samples) == [2_000, 1_000, 500]);
    }
}
