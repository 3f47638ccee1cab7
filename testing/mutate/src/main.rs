//! Mutated scenes, built by every method with several agents and judged by the checker: `cargo xtask
//! mutate`. Prints what share of the meshes passes, and every one that does not, with what was done to
//! its scene and how to see it again.

mod judge;

use anyhow::{Context, Result, bail};
use judge::{Case, METHODS, Verdict};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A mesh that is not there after so long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(300);

struct Arguments {
    count: u64,
    seed: u64,
    /// One case alone.
    only: Option<u64>,
    /// Where scenes and meshes of what fails are kept.
    keep: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder)?;
    }
    let numbers: Vec<u64> = match arguments.only {
        Some(number) => vec![number],
        None => (0..arguments.count).collect(),
    };
    let start = Instant::now();
    // A panic is an outcome here, told with its case.
    std::panic::set_hook(Box::new(|_| {}));
    let running: Mutex<BTreeMap<u64, Instant>> = Mutex::default();
    let done = AtomicBool::new(false);
    let outcomes: Vec<(Case, [Verdict; 3])> = std::thread::scope(|scope| {
        scope.spawn(|| watch(&running, &done));
        let outcomes = numbers
            .par_iter()
            .with_max_len(1)
            .map(|&number| {
                lock(&running).insert(number, Instant::now());
                let case = Case::new(arguments.seed, number);
                let verdicts = METHODS.map(|method| case.judge(method, arguments.keep.as_deref()));
                lock(&running).remove(&number);
                (case, verdicts)
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        outcomes
    });
    print(&arguments, &outcomes, start.elapsed())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Ends the program where a case hangs, since nothing else would.
fn watch(running: &Mutex<BTreeMap<u64, Instant>>, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(200));
        let hanging = lock(running).iter().find(|r| r.1.elapsed() > HANGS_AFTER).map(|r| *r.0);
        if let Some(number) = hanging {
            let _ = writeln!(std::io::stderr(), "case {number} hangs");
            std::process::exit(1);
        }
    }
}

fn print(arguments: &Arguments, outcomes: &[(Case, [Verdict; 3])], took: Duration) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for (case, verdicts) in outcomes {
        for (method, verdict) in METHODS.iter().zip(verdicts) {
            if let Verdict::Fails(why) | Verdict::Panics(why) = verdict {
                writeln!(out, "{}: {case}; {why}", method.name())?;
            }
        }
    }
    writeln!(
        out,
        "\n{} mutated scenes of seed {} in {:.0} s\n\n\
         | method | meshes | pass | share | panics | no ground |\n|---|---|---|---|---|---|",
        outcomes.len(),
        arguments.seed,
        took.as_secs_f64()
    )?;
    let mut panics = 0;
    for (i, method) in METHODS.iter().enumerate() {
        let count = |is: fn(&Verdict) -> bool| outcomes.iter().filter(|o| is(&o.1[i])).count();
        let passed = count(|v| matches!(v, Verdict::Passes));
        let failed = count(|v| matches!(v, Verdict::Fails(_)));
        let panicked = count(|v| matches!(v, Verdict::Panics(_)));
        let nothing = count(|v| matches!(v, Verdict::NoGround));
        let meshes = passed + failed;
        let share = 100.0 * passed as f64 / meshes.max(1) as f64;
        panics += panicked;
        let name = method.name();
        writeln!(out, "| {name} | {meshes} | {passed} | {share:.2} % | {panicked} | {nothing} |")?;
    }
    if panics > 0 {
        bail!("{panics} builds panicked");
    }
    Ok(())
}

fn arguments() -> Result<Arguments> {
    let mut found = Arguments { count: 1000, seed: 1, only: None, keep: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("{word} asks for a value"))?;
        match word.as_str() {
            "--count" => found.count = value.parse()?,
            "--seed" => found.seed = value.parse()?,
            "--only" => found.only = Some(value.parse()?),
            "--keep" => found.keep = Some(value.into()),
            _ => bail!("no flag {word}; there are --count, --seed, --only and --keep"),
        }
    }
    Ok(found)
}
