//! A long run of the viewer under a person and an attacker at once.
//!
//! The release viewer is started on a free port of loopback. A scripted person loads, builds, cancels,
//! uploads files whole and damaged, asks for paths and checks; scripted attackers without the key send
//! heads byte by byte, heads without end, bytes that are no request, and ask for everything. At the end
//! memory and threads must be what they were, nothing may have panicked or been let in, and what was
//! shown at first must come out again.

mod attackers;
mod client;
mod person;

use crate::run::{release_binary, say};
use anyhow::{Context, Result, bail, ensure};
use attackers::Attackers;
use client::Viewer;
use person::Person;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Minutes where none are given.
const USUAL_MINUTES: f64 = 10.0;

/// The share of the time after which all that is kept has been made once.
const WARM_UP: f64 = 0.3;

/// How long threads that have nothing to do any more may take to end.
const QUIET: Duration = Duration::from_secs(5);

/// How much more memory the last part of the run may take at its lowest than the part before: a share,
/// and megabytes. What leaks is never given back, so the lowest tells; the highest depends on what runs
/// at the moment of looking.
const MEMORY_SHARE: f64 = 1.1;
const MEMORY_MB: f64 = 32.0;

/// Runs it with the arguments of the task.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let minutes = match arguments {
        [] => USUAL_MINUTES,
        ["--minutes", minutes] => minutes.parse().context("--minutes takes a number")?,
        other => bail!("soak takes --minutes N, not {other:?}"),
    };
    ensure!(minutes > 0.0 && minutes < 1e4, "--minutes takes a number above zero");
    let mut process = Process::start()?;
    let outcome = soak(&mut process, Duration::from_secs_f64(minutes * 60.0));
    process.stop();
    let told = process.told();
    if told.contains("panicked") {
        bail!("something in the viewer panicked:\n{told}");
    }
    outcome
}

fn soak(process: &mut Process, long: Duration) -> Result<()> {
    let viewer = process.viewer.clone();
    let mut person = Person::claim(&viewer)?;
    person.load_first_scene()?;
    sleep(QUIET);
    let start = process.use_of()?;
    let attackers = Attackers::begin(&viewer);
    let began = Instant::now();
    let (mut before, mut after) = (Span::default(), Span::default());
    while began.elapsed() < long {
        person.go_round()?;
        person.load_first_scene()?;
        process.is_alive()?;
        let share = began.elapsed().as_secs_f64() / long.as_secs_f64();
        let used = process.use_of()?;
        // Two parts of the same length follow the warming up.
        let part = (share > WARM_UP).then_some(share > 0.5 * (1.0 + WARM_UP));
        match part {
            Some(false) => before.add(used),
            Some(true) => after.add(used),
            None => {}
        }
    }
    let attacks = attackers.end()?;
    person.load_first_scene().context("after the attack")?;
    sleep(QUIET);
    let end = process.use_of()?;
    say(&format!("person: {}", person.summary()));
    say(&format!("attackers: {attacks}"));
    say(&format!("at the start: {start}"));
    say(&format!("after warming up: {before}"));
    say(&format!("in the last part: {after}"));
    say(&format!("at the end: {end}"));
    ensure!(end.threads <= start.threads, "{} threads are left over", end.threads - start.threads);
    let (Some(before), Some(after)) = (before.lowest_mb(), after.lowest_mb()) else {
        bail!("too few rounds to compare; give more --minutes");
    };
    let most_mb = before * MEMORY_SHARE + MEMORY_MB;
    ensure!(after <= most_mb, "memory grows: {before:.0} MB at the lowest, then {after:.0} MB");
    ensure!(end.memory_mb <= most_mb, "{:.0} MB are kept at the end", end.memory_mb);
    Ok(())
}

/// What a process takes up.
#[derive(Clone, Copy)]
struct Use {
    memory_mb: f64,
    threads: u64,
}

impl std::fmt::Display for Use {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.0} MB, {} threads", self.memory_mb, self.threads)
    }
}

/// What a process has taken up at each look.
#[derive(Default)]
struct Span(Vec<Use>);

impl Span {
    fn add(&mut self, used: Use) {
        self.0.push(used);
    }

    fn lowest_mb(&self) -> Option<f64> {
        self.0.iter().map(|u| u.memory_mb).min_by(f64::total_cmp)
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let high = self.0.iter().map(|u| u.memory_mb).fold(0.0, f64::max);
        let threads = self.0.iter().map(|u| u.threads).max().unwrap_or(0);
        let low = self.lowest_mb().unwrap_or(0.0);
        write!(f, "{low:.0} to {high:.0} MB in {} looks, up to {threads} threads", self.0.len())
    }
}

/// The viewer's process; it ends with the value.
struct Process {
    child: Child,
    viewer: Viewer,
    told: Arc<Mutex<String>>,
}

impl Process {
    fn start() -> Result<Self> {
        let mut command = Command::new(release_binary()?);
        command.args(["view", "--scene-name", person::FIRST_SCENE, "--port", "0", "--no-open"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("the viewer could not be started")?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let told = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&told);
        std::thread::spawn(move || {
            for line in BufReader::new(errors.into_iter().next()?).lines().map_while(Result::ok) {
                let mut told = heard.lock().unwrap_or_else(PoisonError::into_inner);
                told.push_str(&line);
                told.push('\n');
            }
            Some(())
        });
        let mut address = String::new();
        let mut output = BufReader::new(output.context("the viewer has no output")?);
        output.read_line(&mut address)?;
        // Kept open, so that the viewer can go on writing.
        std::thread::spawn(move || output.read_to_string(&mut String::new()));
        let viewer = Viewer::at(address.trim()).with_context(|| format!("address {address}"))?;
        Ok(Self { child, viewer, told })
    }

    fn is_alive(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the viewer has ended: {status}\n{}", self.told()),
        }
    }

    fn told(&self) -> String {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it takes up, where the system tells.
    fn use_of(&self) -> Result<Use> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path)
            .with_context(|| format!("{path} cannot be read; memory is measured on Linux alone"))?;
        let number = |name: &str| {
            let line = status.lines().find_map(|l| l.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let (memory_kb, threads) = (number("VmRSS:"), number("Threads:"));
        let memory_mb = memory_kb.context("no VmRSS")? as f64 / 1024.0;
        Ok(Use { memory_mb, threads: threads.context("no Threads")? })
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}
