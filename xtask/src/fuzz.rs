//! A short fuzz of everything that reads what others wrote.
//!
//! The targets are the binaries of the package in `fuzz`, which builds on the stable toolchain with
//! coverage counters of its own (see its `.cargo/config.toml`). Each target starts from its seeds
//! and gets an equal share of the time.

use crate::run::{cargo, root, run, say};
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Seconds for all targets together in CI.
pub(crate) const SMOKE_S: u32 = 30;

/// Fuzzes every target for its share of `seconds`.
pub(crate) fn smoke(seconds: u32) -> Result<()> {
    let targets = targets()?;
    if targets.is_empty() {
        bail!("the package in `fuzz` has no targets");
    }
    run(fuzz_cargo().args(["build", "--locked", "--release"]))?;
    let share = (seconds / targets.len() as u32).max(1);
    for target in targets {
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
        fuzz.args(["-max_len=16384", "-timeout=10", "-rss_limit_mb=1024", "-verbosity=0"]);
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
