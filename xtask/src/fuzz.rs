//! A short fuzz of everything that takes what others made: files, and heaps of triangles.
//!
//! The targets are the binaries of the package in `fuzz`, which builds on the stable toolchain with
//! coverage counters of its own (see its `.cargo/config.toml`). Each target starts from its seeds.
//! The readers and the queries share the time that is given; a pipeline, a thousand times slower, gets half of that
//! in addition.

use crate::run::{cargo, root, run, say};
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Seconds for all readers and the queries together in CI.
pub(crate) const SMOKE_S: u32 = 30;

/// How the names of targets begin that read files or ask, as opposed to those that run a pipeline.
const QUICK: [&str; 2] = ["read_", "ask_"];

fn is_quick(target: &str) -> bool {
    QUICK.iter().any(|beginning| target.starts_with(beginning))
}

/// Fuzzes the quick targets for their share of `seconds`, and each pipeline for half of it.
pub(crate) fn smoke(seconds: u32) -> Result<()> {
    let targets = targets()?;
    if targets.is_empty() {
        bail!("the package in `fuzz` has no targets");
    }
    run(fuzz_cargo().args(["build", "--locked", "--release"]))?;
    let quick = targets.iter().filter(|target| is_quick(target)).count() as u32;
    for target in targets {
        let is_quick = is_quick(&target);
        let share = if is_quick { seconds / quick } else { seconds / 2 }.max(1);
        say(&format!("-- {target}: {share} s"));
        let folder = root().join("fuzz");
        std::fs::create_dir_all(folder.join("corpus").join(&target))?;
        let mut fuzz = fuzz_cargo();
        fuzz.args(["run", "--locked", "--quiet", "--release", "--bin", &target, "--"]);
        fuzz.arg(format!("corpus/{target}"));
        let seeds = format!("seeds/{target}");
        if folder.join(&seeds).is_dir() {
            fuzz.arg(seeds);
        }
        fuzz.arg(format!("-max_total_time={share}"));
        // Files of a few kilobytes, or heaps of some sixty triangles.
        fuzz.arg(if is_quick { "-max_len=16384" } else { "-max_len=550" });
        fuzz.args(["-timeout=20", "-rss_limit_mb=1024", "-verbosity=0"]);
        // The same beginning every time: a check of changes, not a search. Searching has no seed.
        fuzz.arg("-seed=1");
        std::fs::create_dir_all(folder.join("artifacts").join(&target))?;
        fuzz.arg(format!("-artifact_prefix=artifacts/{target}/"));
        // The fuzzer is talkative; what it says matters only when it finds something.
        let output = fuzz.output().with_context(|| format!("{fuzz:?} could not be started"))?;
        if !output.status.success() {
            say(&String::from_utf8_lossy(&output.stderr));
            bail!("{target} found something; its input is in fuzz/artifacts/{target}");
        }
    }
    Ok(())
}

/// Fails where the package's lock file is not that of the crates it tests, which only its own build would tell.
pub(crate) fn check() -> Result<()> {
    targets().map(drop)
}

/// Cargo in the fuzz package, whose own flags must not be overruled from outside.
fn fuzz_cargo() -> std::process::Command {
    let mut command = cargo();
    command.current_dir(root().join("fuzz")).env_remove("RUSTFLAGS");
    command
}

/// The binaries of the fuzz package.
fn targets() -> Result<Vec<String>> {
    let output = fuzz_cargo()
        .args(["metadata", "--locked", "--no-deps", "--format-version", "1"])
        .output()
        .context("cargo metadata could not be started")?;
    if !output.status.success() {
        bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let mut names = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        for target in package["targets"].as_array().into_iter().flatten() {
            let is_binary = target["kind"].as_array().is_some_and(|k| k.iter().any(|k| k == "bin"));
            if let (true, Some(name)) = (is_binary, target["name"].as_str()) {
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    Ok(names)
}
