//! Remakes the figures and tables of the paper that gap annotation follows, as a dated document.

use crate::measurements::{date, folder, machine};
use crate::run::{cargo, command, release_binary, run, say, target_folder};
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::process::Stdio;

/// A picture: the scene, the reach, and where it is cut open.
const PICTURES: &[(&str, &str, Option<&str>)] = &[
    ("holes", "0.1", None),
    ("holes", "0.25", None),
    ("holes", "0.5", None),
    ("holes", "1.0", None),
    ("platforms", "0.5", None),
    ("terrace-house", "0.3", Some("2.4")),
    ("town-house", "0.3", Some("2.9")),
];

/// Draws the pictures and writes `gaps.md` into `docs/measurements`.
pub(crate) fn write_all() -> Result<()> {
    let mut tables = cargo();
    tables.args(["run", "--locked", "--release", "--package", "surefoot_compare_peers"]);
    tables.args(["--bin", "gap-tables"]).stderr(Stdio::inherit());
    let ran = tables.output().with_context(|| format!("{tables:?} could not be started"))?;
    if !ran.status.success() {
        bail!("{tables:?} failed: {}", ran.status);
    }
    let tables = String::from_utf8_lossy(&ran.stdout);
    let (scenes, shares) = tables.split_once("\n\n").context("two tables were expected")?;
    let mut text = format!(
        "# Gap annotation on the scenes of its source: {}\n\n\
         Made by `cargo xtask gaps` on {}. The scenes are procedural ones after table I of Vermeulen, \
         Hillebrand and Geraerts, *Annotating traversable gaps in walkable environments* (2018); the \
         agent has no radius, is 2.1 m high and steps 0.4 m. Ground is blue, fillers are green.\n\n\
         {scenes}\n\n\
         ## Agents of five widths\n\n\
         100,000 random pairs of points on the ground, the same for all meshes of a scene, and the share \
         of them that have a path for an agent of that width. Recast: cells of 0.1 m, 0.05 m high, a \
         climb of the reach, no radius and none of its three filters, as in the source; its polygons \
         are searched by the same queries.\n\n{}\n\n## Pictures\n",
        date(),
        machine(),
        shares.trim_end()
    );
    let folder = folder()?;
    let binary = release_binary()?;
    let work = target_folder().join("gaps");
    std::fs::create_dir_all(&work)?;
    for (name, reach, cut) in PICTURES {
        let scene = work.join(format!("{name}.glb"));
        let mesh = work.join(format!("{name}-{reach}.snav"));
        let file = format!("gaps-{name}-{reach}.png");
        let picture = folder.join(&file);
        run(command(&binary).args(["scene", name, "-o"]).arg(&scene).stdout(Stdio::null()))?;
        let flags = ["--agent-radius", "0", "--agent-height", "2.1", "--min-area", "0"];
        let mut build = command(&binary);
        build.arg("build").arg(&scene).arg("-o").arg(&mesh).args(flags);
        run(build.args(["--fill-gaps", reach]).stdout(Stdio::null()))?;
        let mut draw = command(&binary);
        draw.arg("export").arg(&mesh).arg("-o").arg(&picture).args(["--size", "1200x600"]);
        if *name != "holes" {
            draw.arg("--scene").arg(&scene);
        }
        if let Some(cut) = cut {
            draw.args(["--cut-height", cut]);
        }
        run(draw.stdout(Stdio::null()))?;
        write!(text, "\n`{name}`, reach {reach} m:\n\n![{name} filled up to {reach} m]({file})\n")?;
        say(&format!("{} drawn", picture.display()));
    }
    let place = folder.join("gaps.md");
    std::fs::write(&place, text)?;
    say(&format!("{}: written", place.display()));
    Ok(())
}
