//! Running other programs from the repository's root.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository's root: the nearest folder around the current one that holds this crate, or else the
/// folder above this crate's. So a copy of the binary works on the checkout in which it is run.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = std::env::current_dir().unwrap_or_default();
    let around = here.ancestors().find(|folder| folder.join("xtask/src/run.rs").is_file());
    around.or(own.parent()).unwrap_or(own).to_owned()
}

/// Prints a line for people.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", text.trim_end());
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program, run from the root.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs a command; fails when it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{command:?} could not be started"))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}

/// Whether a cargo subcommand is installed.
pub(crate) fn has_subcommand(name: &str) -> bool {
    let quiet =
        cargo().args([name, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|s| s.success())
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// Builds the release binary and says where it is.
pub(crate) fn release_binary() -> Result<PathBuf> {
    run(cargo().args(["build", "--locked", "--release", "--package", "surefoot_cli"]))?;
    Ok(target_folder().join("release").join(format!("surefoot{}", std::env::consts::EXE_SUFFIX)))
}
