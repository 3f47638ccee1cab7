//! Remakes the tables of the paper that the voxel pipeline follows, as a dated document; and runs the
//! long tests of its promise that tiles leave no trace.

use crate::measurements::{date, folder, machine};
use crate::run::{cargo, run, say};
use anyhow::{Context, Result, bail};

/// Builds the source's three scenes with its five settings and writes what came out; with scenes
/// named, only those, and the tables are printed.
pub(crate) fn write(scenes: &[&str]) -> Result<()> {
    let mut command = cargo();
    command.args(["run", "--locked", "--release", "--package", "surefoot_compare_peers"]);
    command.args(["--bin", "voxel-tables", "--"]).args(scenes);
    let ran = command.stderr(std::process::Stdio::inherit()).output();
    let ran = ran.with_context(|| format!("{command:?} could not be started"))?;
    if !ran.status.success() {
        bail!("{command:?} failed: {}", ran.status);
    }
    let tables = String::from_utf8_lossy(&ran.stdout);
    if !scenes.is_empty() {
        say(&tables);
        return Ok(());
    }
    let text = format!(
        "# The voxel pipeline on the scenes of its source: {}\n\n\
         Made by `cargo xtask voxel-tables` on {}. Tables 3 to 5 of Saupin et al., *Robust and \
         Scalable Navmesh Generation with multiple levels and stairs support* (2013): the settings \
         are the source's (table 2), regions are flat, the ground is not eroded. The scenes are \
         procedural ones with the source's triangle counts and dimensions. A link is a pair of \
         neighbouring cells. The peak is that of the process during the build, the scene's triangles \
         with it. Stairs: ways up and down the scene's stairs that were found; with S3 \
         and S4 a cell is higher than a step, so none can be.\n\n{tables}",
        date(),
        machine()
    );
    let place = folder()?.join("voxel-tables.md");
    std::fs::write(&place, text.trim_end().to_owned() + "\n")?;
    say(&format!("{}: written", place.display()));
    Ok(())
}

/// Builds all scenes, and real levels where they lie beside the repository, in tiles of five sizes, and
/// tens of thousands of heaps of triangles in two.
pub(crate) fn look_for_tiles() -> Result<()> {
    let mut command = cargo();
    command.args(["test", "--locked", "--release", "--package", "surefoot_bake"]);
    command.args(["--test", "voxel_tiles", "--test", "voxel_soups", "--"]);
    run(command.args(["--ignored", "--nocapture", "--test-threads=1"]))
}
