//! The viewer in a real browser: its tests, and its pictures for the documents.
//!
//! What they need is installed here: the page's packages by `npm ci`, Chromium by `apt-get` where
//! that exists and may be used. Where something cannot be had, a line says what, and the step is
//! skipped.

use crate::run::{command, root, run, say};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where Chromium may be.
const BROWSERS: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The environment variable that names another browser.
const BROWSER_VARIABLE: &str = "SUREFOOT_CHROMIUM";

/// Checks the page's types and runs its tests on a binary.
pub(crate) fn test(binary: &Path) -> Result<()> {
    let Some(browser) = prepare()? else { return Ok(()) };
    run(npm().args(["run", "--silent", "check"]))?;
    run(with_browser(npm().args(["run", "--silent", "test"]), binary, &browser))
}

/// Draws the viewer's pictures into a folder.
pub(crate) fn draw(binary: &Path, folder: &Path) -> Result<()> {
    let Some(browser) = prepare()? else { return Ok(()) };
    let mut node = in_web("node");
    node.arg("tests/figures.mjs").arg(folder);
    run(with_browser(&mut node, binary, &browser))
}

fn with_browser<'c>(command: &'c mut Command, binary: &Path, browser: &Path) -> &'c mut Command {
    command.env("SUREFOOT_BINARY", binary).env(BROWSER_VARIABLE, browser)
}

fn in_web(program: &str) -> Command {
    let mut command = command(program);
    command.current_dir(root().join("crates/surefoot_viewer/web"));
    command
}

fn npm() -> Command {
    in_web(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// Installs what is missing; the browser, or `None` where the step must be skipped.
fn prepare() -> Result<Option<PathBuf>> {
    if !works(in_web("node").arg("--version")) || !works(npm().arg("--version")) {
        say("== viewer: skipped, Node is not installed; install Node 20.19 or later with npm");
        return Ok(None);
    }
    if !root().join("crates/surefoot_viewer/web/node_modules/playwright-core").is_dir() {
        run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
    }
    let browser = find_browser().or_else(|| {
        install_browser();
        find_browser()
    });
    if browser.is_none() {
        say(&format!(
            "== viewer: skipped, no Chromium was found or could be installed; install one and name \
             it by {BROWSER_VARIABLE}"
        ));
    }
    Ok(browser)
}

fn find_browser() -> Option<PathBuf> {
    let named = std::env::var_os(BROWSER_VARIABLE).map(PathBuf::from);
    named.into_iter().chain(BROWSERS.iter().map(PathBuf::from)).find(|b| b.is_file())
}

/// Debian's own, where this is Debian or its like and we are allowed to.
fn install_browser() {
    let install = || command("apt-get").args(["install", "-y", "-q", "chromium"]).status();
    if works(command("apt-get").arg("--version")) {
        say("== viewer: installing Chromium");
        if !install().is_ok_and(|s| s.success()) {
            let _ = command("apt-get").args(["update", "-q"]).status();
            let _ = install();
        }
    }
}
