//! Judges every scene and writes a dated table.
//!
//! Every procedural scene, and the scene files beside the repository where there are any, are built
//! by the release binary with every method that it has and judged by it; Recast's meshes of the same
//! scenes, at three cell sizes, are judged by the same rule. The table goes into `docs/measurements`, with the
//! command that made it, the machine it ran on, and the worst places of what does not hold, with a
//! picture of each such mesh of the exact method; reports and meshes with the faults marked stay in the
//! target folder.

use crate::measurements::{date, folder, machine};
use crate::run::{cargo, command, release_binary, root, run, say, target_folder};
use crate::scenes;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Samples for each of our meshes unless told otherwise.
const SAMPLES: u64 = 100_000;

/// The most samples for each of Recast's meshes: there are three for a scene, each judged twice.
const PEER_SAMPLES: u64 = 10_000;

/// A build or a check that takes longer than this is given up, in seconds.
const LIMIT_S: u64 = 600;

/// Recast's grids of more columns than this are left out: they take minutes.
const PEER_COLUMNS: &str = "2e7";

/// Scene files beside the repository.
const SHARED: &str = "../shared/scenes";

const METHODS: [&str; 4] = ["exact", "voxel", "layered", "any-surface"];

/// What is required of a mesh.
const LEAST: [(&str, f64); 2] = [("sound", 0.999), ("complete", 0.99)];

/// The tools and where they work.
struct Bench {
    surefoot: PathBuf,
    peers: PathBuf,
    work: PathBuf,
    samples: u64,
}

/// Judges all scenes, or those named. All of them make a document; a few are only printed.
pub(crate) fn run_all(words: &[&str]) -> Result<()> {
    let (mut samples, mut only) = (SAMPLES, Vec::new());
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--samples" => samples = words.next().context("--samples needs a number")?.parse()?,
            flag if flag.starts_with('-') => bail!("what is `{flag}`? There is --samples N"),
            name => only.push(name),
        }
    }
    let surefoot = release_binary()?;
    let tool = ["--package", "surefoot_compare_peers", "--bin", "compare-peers"];
    run(cargo().args(["build", "--locked", "--release"]).args(tool))?;
    let peers = target_folder()
        .join("release")
        .join(format!("compare-peers{}", std::env::consts::EXE_SUFFIX));
    let work = target_folder().join("verify");
    let scenes_folder = work.join("scenes");
    scenes::write_all(&scenes_folder)?;
    let mut files = files_in(&scenes_folder)?;
    let procedural = files.len();
    let shared = root().join(SHARED);
    if shared.is_dir() {
        files.extend(files_in(&shared)?);
    }
    let bench = Bench { surefoot, peers, work, samples };
    let mut table = Table { scenes: files.len(), ..Table::default() };
    for (index, file) in files.iter().enumerate() {
        let name = stem(file);
        if !only.is_empty() && !only.contains(&name.as_str()) {
            continue;
        }
        say(&format!("{}", file.display()));
        let kind = if index < procedural { "procedural" } else { "real" };
        let before = table.rows.len();
        judge(&bench, file, kind, &mut table);
        table.rows[before..].iter().for_each(|row| say(row));
        table.judged += 1;
        // After every scene, so that a run that is stopped leaves what it has.
        if only.is_empty() {
            write_table(&bench, &table)?;
        }
    }
    if only.is_empty() {
        pictures(&bench, &folder()?.join("verify"), &table.pictured)?;
    } else {
        say(&document(&bench, &date(), &table));
    }
    Ok(())
}

fn write_table(bench: &Bench, table: &Table) -> Result<()> {
    let place = folder()?.join("verify.md");
    std::fs::write(place, document(bench, &date(), table))?;
    Ok(())
}

/// What is known so far.
#[derive(Default)]
struct Table {
    /// How many scenes there are, and how many have been judged.
    scenes: usize,
    judged: usize,
    rows: Vec<String>,
    /// How many scenes hold, of all, by kind of scene and method.
    counts: Vec<(String, u32, u32)>,
    /// Scenes that do not hold, with their worst places.
    worst: Vec<String>,
    /// Scenes that do not hold by the exact method: a picture is made of each.
    pictured: Vec<PathBuf>,
}

impl Table {
    fn count(&mut self, what: String, holds: bool) {
        let known = self.counts.iter().position(|c| c.0 == what);
        let index = known.unwrap_or_else(|| {
            self.counts.push((what, 0, 0));
            self.counts.len() - 1
        });
        self.counts[index].1 += u32::from(holds);
        self.counts[index].2 += 1;
    }
}

fn document(bench: &Bench, date: &str, table: &Table) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "# Every scene, judged: {date}\n\n\
         Made by `cargo xtask verify-all --samples {}`; {}.\n\n\
         Agent 1.8 m high, 0.3 m radius, steps of 0.4 m, slopes of 45°. Surefoot's meshes are held \
         to the tolerance of their method: the exact one to 1 cm. Recast's (through `navmesh-rs`, \
         cell height half the cell size, {} samples) are held to 1 cm in plan and to the heights of \
         their cells; in brackets: held to one cell in plan. Half of the samples of soundness lie on boundaries, at their corners and on \
         narrow cells, where faults hide. A scene holds when it is sound to \
         {} and complete to {}, without a fault of structure or connection.\n",
        bench.samples,
        machine(),
        bench.samples.min(PEER_SAMPLES),
        LEAST[0].1,
        LEAST[1].1
    );
    if table.judged < table.scenes {
        let _ = writeln!(text, "Stopped after {} of {} scenes.\n", table.judged, table.scenes);
    }
    for (what, holds, all) in &table.counts {
        let _ = writeln!(text, "- {what}: {holds} of {all} hold");
    }
    let _ = writeln!(
        text,
        "\n| scene | mesh | sound | complete | inside, m² | structure | connection | components | cells | built, s | judged, s |\n\
         |---|---|---|---|---|---|---|---|---|---|---|"
    );
    for row in &table.rows {
        let _ = writeln!(text, "{row}");
    }
    if !table.worst.is_empty() {
        let _ = writeln!(text, "\n## The worst places of what does not hold\n");
        for line in &table.worst {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(
            text,
            "\nIn the pictures: not sound red, not covered yellow, connections violet, structure blue. \
             What is known of the causes stands in \
             [KNOWN_ISSUES.md](../../../KNOWN_ISSUES.md)."
        );
        for scene in &table.pictured {
            let name = stem(scene);
            let _ = writeln!(text, "\n![{name}](verify/{name}.png)");
        }
    }
    text
}

/// Draws what does not hold, with the faults marked.
fn pictures(bench: &Bench, folder: &Path, scenes: &[PathBuf]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for scene in scenes {
        let name = stem(scene);
        let status = command(&bench.surefoot)
            .arg("verify")
            .arg(bench.work.join(format!("{name}-{}.snav", METHODS[0])))
            .arg("--scene")
            .arg(scene)
            .args(["--samples", &bench.samples.to_string(), "--faults"])
            .arg(folder.join(format!("{name}.png")))
            .output()?
            .status;
        // Three is the answer no, as it should be here.
        if status.code() != Some(3) {
            bail!("{name}: no picture ({status})");
        }
    }
    Ok(())
}

/// Builds and judges one scene by all methods and by the peer.
fn judge(bench: &Bench, scene: &Path, kind: &str, table: &mut Table) {
    let name = stem(scene);
    for method in METHODS {
        let what = format!("{kind} scenes, {method}");
        match surefoot(bench, scene, method) {
            Ok(None) => {}
            Ok(Some(Judgement { row, report })) => {
                table.rows.push(format!("| {name} | {method} | {row} |"));
                let holds = report["passes"] == true;
                table.count(what, holds);
                if !holds {
                    table.worst.push(worst(&name, method, &report));
                    if method == METHODS[0] {
                        table.pictured.push(scene.to_owned());
                    }
                }
            }
            Err(error) => {
                let why = format!("{error:#}").replace(['|', '\n'], " ");
                table.rows.push(format!("| {name} | {method} | {why} | | | | | | | | |"));
                // Where the agent fits nowhere there is no mesh to judge.
                if !why.contains("the scene has ground, but none of it") {
                    table.count(what, false);
                }
            }
        }
    }
    let rows =
        recast(bench, scene).unwrap_or_else(|e| vec![format!("Recast | {e:#} | | | | | | | | ")]);
    for row in rows {
        table.rows.push(format!("| | {row} |"));
    }
}

/// The first faults of each kind, in words.
fn worst(name: &str, method: &str, report: &Value) -> String {
    let mut text = format!("- **{name}, {method}**:");
    let place = |at: &Value| {
        let numbers: Vec<String> = at
            .as_array()
            .into_iter()
            .flatten()
            .map(|c| c.as_f64().map_or_else(|| "?".to_owned(), |c| format!("{c:.3}")))
            .collect();
        numbers.join(", ")
    };
    for (list, before) in [
        ("unsound", "unsound"),
        ("uncovered", "not covered"),
        ("connection", "connection"),
        ("structure", "structure"),
    ] {
        for fault in report[list].as_array().into_iter().flatten().take(2) {
            let _ = write!(text, " {before} at ({})", place(&fault["at"]));
            if let Some(why) = fault["text"].as_str() {
                let _ = write!(text, ": {why}");
            }
            if let Some(away) = fault["away_m"].as_f64() {
                let _ = write!(text, ", {away:.2} m beside the mesh");
            }
            text.push(';');
        }
    }
    text.pop();
    text.push('.');
    text
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Scene files of a folder, by size.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        if ["obj", "glb", "gltf", "ply", "stl"].contains(&ending.as_str()) {
            files.push(path);
        }
    }
    // Small ones first.
    files.sort_by_cached_key(|f| (std::fs::metadata(f).map_or(0, |m| m.len()), f.clone()));
    Ok(files)
}

/// What came of one mesh: its row without the first two columns, and the whole report.
struct Judgement {
    row: String,
    report: Value,
}

/// Builds and judges; nothing for a method that this version does not have.
fn surefoot(bench: &Bench, scene: &Path, method: &str) -> Result<Option<Judgement>> {
    let name = format!("{}-{method}", stem(scene));
    let mesh = bench.work.join(format!("{name}.snav"));
    let start = Instant::now();
    let output = output_in_time(
        command(&bench.surefoot)
            .arg("build")
            .arg(scene)
            .args(["--method", method, "--json", "-o"])
            .arg(&mesh),
    )?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        if why.contains("not part of this version") {
            return Ok(None);
        }
        bail!("{}", why.trim());
    }
    let build: Value = serde_json::from_slice(&output.stdout)?;
    let built_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let output = output_in_time(
        command(&bench.surefoot)
            .arg("verify")
            .arg(&mesh)
            .arg("--scene")
            .arg(scene)
            .args(["--json", "--samples", &bench.samples.to_string(), "--faults"])
            .arg(bench.work.join(format!("{name}-faults.glb"))),
    )?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    std::fs::write(bench.work.join(format!("{name}.json")), &output.stdout)?;
    let row = format!(
        "{} | {} | {} | {} | {} | {} | {} | {built_s:.2} | {:.2}",
        share(&report["sound"]),
        share(&report["complete"]),
        square_metres(&report["inside_m2"]),
        report["structure_faults"],
        report["connection_faults"],
        build["components"],
        build["cells"],
        start.elapsed().as_secs_f64()
    );
    Ok(Some(Judgement { row, report }))
}

/// What a command says, if it ends in time.
fn output_in_time(command: &mut Command) -> Result<Output> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let read = |from: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What cannot be read is missing in the answer, which is then refused.
            let _ = from.map(|mut f| f.read_to_end(&mut bytes));
            bytes
        })
    };
    let stdout = read(child.stdout.take().map(|s| Box::new(s) as Box<dyn Read + Send>));
    let stderr = read(child.stderr.take().map(|s| Box::new(s) as Box<dyn Read + Send>));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed().as_secs() >= LIMIT_S {
            child.kill()?;
            child.wait()?;
            bail!("given up after {LIMIT_S} s");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let bytes = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Output { status, stdout: bytes(stdout), stderr: bytes(stderr) })
}

/// Rows of Recast's meshes, without the first column.
fn recast(bench: &Bench, scene: &Path) -> Result<Vec<String>> {
    let samples = bench.samples.min(PEER_SAMPLES).to_string();
    let output = output_in_time(command(&bench.peers).arg("judge").arg(scene).args([
        "--samples",
        &samples,
        "--most-columns",
        PEER_COLUMNS,
    ]))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut rows = Vec::new();
    for line in text.lines() {
        let v: Value = serde_json::from_str(line)?;
        let cell = v["cell_size_m"].as_f64().unwrap_or(0.0);
        if let Some(why) = v["failed"].as_str() {
            rows.push(format!("Recast {cell:.2} | left out: {why} | | | | | | | | "));
            continue;
        }
        let both = |what: &str| {
            format!("{} ({})", share(&v["exact_rule"][what]), share(&v["cell_rule"][what]))
        };
        rows.push(format!(
            "Recast {cell:.2} | {} | {} | {} | | | {} | {} | {:.2} | ",
            both("sound"),
            both("complete"),
            square_metres(&v["exact_rule"]["inside_m2"]),
            v["components"],
            v["polygons"],
            v["ms"].as_f64().unwrap_or(0.0) / 1e3
        ));
    }
    if !output.status.success() {
        bail!("gave up ({})", output.status);
    }
    Ok(rows)
}

fn square_metres(value: &Value) -> String {
    value.as_f64().map_or_else(|| "?".to_owned(), |v| format!("{v:.1}"))
}

fn share(value: &Value) -> String {
    value.as_f64().map_or_else(|| "?".to_owned(), |v| format!("{v:.5}"))
}
