//! Everything that must hold before a change goes in.
//!
//! Each profile is compiled once: the release binary, on which the end-to-end tests run, and the
//! dev profile for all other tests, in which invariants are checked.

use crate::run::{cargo, has_subcommand, release_binary, run as execute, say};
use crate::{architecture, deny, dependencies, fuzz, gate, house, viewer};
use anyhow::{Context, Result};
use std::time::Instant;

/// The environment variable that names the binary to the end-to-end tests.
const BINARY: &str = "SUREFOOT_BINARY";

/// The quick checks.
pub(crate) fn check() -> Result<()> {
    dependencies::check()?;
    architecture::check()?;
    fuzz::check()?;
    house::check()
}

/// All of it, the quick things first.
fn run_all() -> Result<()> {
    step("format", || execute(cargo().args(["fmt", "--all", "--check"])))?;
    step("dependency direction, ARCHITECTURE.md and rules", check)?;
    step("clippy", || {
        execute(cargo().args([
            "clippy",
            "--locked",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))
    })?;
    step("features", check_features)?;
    step("docs", || {
        execute(
            cargo()
                .args(["doc", "--locked", "--workspace", "--no-deps"])
                .env("RUSTDOCFLAGS", "-D warnings"),
        )
    })?;
    let mut binary = None;
    step("release binary", || {
        binary = Some(release_binary()?);
        Ok(())
    })?;
    let binary = binary.context("no release binary")?;
    step("tests", || {
        let mut tests = cargo();
        if has_subcommand("nextest") {
            tests.args(["nextest", "run", "--locked", "--workspace", "--no-fail-fast"]);
        } else {
            tests.args(["test", "--locked", "--workspace", "--all-targets", "--no-fail-fast"]);
        }
        execute(tests.env(BINARY, &binary))
    })?;
    step("viewer in Chromium", || viewer::test(&binary))?;
    step("examples", run_examples)?;
    step("documentation tests", || {
        execute(cargo().args(["test", "--locked", "--workspace", "--doc"]))
    })?;
    step("instruction gate", || gate::gate(gate::Build::WithBinary, false))?;
    step("fuzz smoke", || fuzz::smoke(fuzz::SMOKE_S))?;
    step("licences and advisories", deny::check)?;
    Ok(())
}

/// Compiles the facade with none of its features and with each alone, and runs the tests of what stands
/// in for threads where there are none.
fn check_features() -> Result<()> {
    for feature in ["", "load", "parallel", "serde"] {
        let check = ["check", "--locked", "-p", "surefoot", "--no-default-features", "--features"];
        execute(cargo().args(check).arg(feature))?;
    }
    let test = ["test", "--locked", "-p", "surefoot_geom", "--lib", "--no-default-features"];
    execute(cargo().args(test))
}

/// Runs the examples of the facade: each takes a moment and fails where it does not hold.
fn run_examples() -> Result<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir("crates/surefoot/examples")? {
        names.extend(entry?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    for name in names {
        let run = ["run", "--locked", "-p", "surefoot", "--all-features", "--example"];
        execute(cargo().args(run).arg(name))?;
    }
    Ok(())
}

/// Runs everything and says how long it took.
pub(crate) fn run() -> Result<()> {
    let start = Instant::now();
    run_all()?;
    say(&format!("== all good in {:.0} s", start.elapsed().as_secs_f64()));
    Ok(())
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    say(&format!("== {name}"));
    let start = Instant::now();
    work().with_context(|| format!("the step `{name}` failed"))?;
    say(&format!("== {name}: {:.0} s", start.elapsed().as_secs_f64()));
    Ok(())
}
