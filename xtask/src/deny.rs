//! What we are built from may be used: licences, sources, banned crates and known weaknesses.
//!
//! Asks `cargo deny`, which is installed into cargo's home where it is missing. Weaknesses are listed
//! in a database that is cloned from a git host; where that, or the tool itself, cannot be had, this
//! says so on one line and the rest goes on.

use crate::run::{cargo, has_subcommand, run, say};
use anyhow::{Context, Result, bail};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The version that is installed.
const VERSION: &str = "0.20.2";

/// How the tool is compiled: it runs for a second, so a quick build is worth more than a quick tool.
const QUICK_BUILD: &[(&str, &str)] = &[
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
];

/// How long installing may take.
const INSTALL_LIMIT: Duration = Duration::from_secs(15 * 60);

/// How long fetching the database of weaknesses may take.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

/// Checks what can be checked here.
pub(crate) fn check() -> Result<()> {
    if !has_subcommand("deny")
        && let Err(why) = install()
    {
        say(&format!(
            "licences and advisories: not checked, cargo-deny cannot be installed: {why}"
        ));
        return Ok(());
    }
    // The graph of who depends on what is for whoever looks into a finding.
    run(deny().args(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    match end_within(FETCH_LIMIT, deny().args(["fetch", "db"]).env("GIT_TERMINAL_PROMPT", "0")) {
        Ok(()) => run(deny().args(["check", "advisories"])),
        Err(why) => {
            say(&format!("advisories: not checked, the database cannot be reached: {why}"));
            Ok(())
        }
    }
}

fn deny() -> Command {
    let mut deny = cargo();
    deny.args(["deny", "--locked"]);
    deny
}

fn install() -> Result<()> {
    say(&format!("cargo-deny {VERSION} is not here yet; installing takes a minute or two"));
    let mut install = cargo();
    install.args(["install", "cargo-deny", "--locked", "--quiet", "--version", VERSION]);
    end_within(INSTALL_LIMIT, install.envs(QUICK_BUILD.iter().copied()))
}

/// Runs a command quietly; fails with the last line that it complains of, or when the time is over.
fn end_within(limit: Duration, command: &mut Command) -> Result<()> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?} could not be started"))?;
    while child.try_wait()?.is_none() {
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("it took longer than {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    complaint(child)
}

/// What a command that has ended complains of, if it failed.
fn complaint(child: Child) -> Result<()> {
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    match text.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => bail!("{line}"),
        None => bail!("{}", output.status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_in_one_line() {
        let told = |arguments: &[&str]| {
            let result = end_within(Duration::from_secs(60), cargo().args(arguments));
            result.map_err(|why| why.to_string())
        };
        assert_eq!(told(&["--version"]), Ok(()));
        let why = told(&["no-such-subcommand"]).unwrap_err();
        assert!(!why.is_empty() && !why.contains('\n'), "{why}");
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let result =
            end_within(Duration::ZERO, cargo().args(["metadata", "--format-version", "1"]));
        assert_eq!(result.unwrap_err().to_string(), "it took longer than 0 s");
    }
}
