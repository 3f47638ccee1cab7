//! The pictures of the documents, drawn anew by the release binary.

use crate::run::{command, release_binary, root, run, say, target_folder};
use crate::viewer;
use anyhow::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A picture: its name, the scene, the path on it, and where it is cut open.
struct Figure {
    name: &'static str,
    scene: &'static str,
    from: &'static str,
    to: &'static str,
    cut_height_m: Option<&'static str>,
}

const FIGURES: &[Figure] = &[Figure {
    name: "floors",
    scene: "floors",
    from: "20.8,0,24.2",
    to: "20.8,6,24.2",
    cut_height_m: Some("8"),
}];

/// The maps of several layers, built by the layered pipeline from a seed: their names and the seed.
const LAYERED: &[(&str, &str)] = &[
    ("testmap-0", "1,0,1"),
    ("testmap-1", "2,0,20"),
    ("testmap-2", "2,0,2"),
    ("testmap-3", "2,0,2"),
];

/// Draws the maps of several layers with their cells.
fn draw_layered(binary: &Path, work: &Path, docs: &Path) -> Result<()> {
    for (name, seed) in LAYERED {
        let scene = work.join(format!("{name}.glb"));
        let mesh = work.join(format!("{name}.snav"));
        let picture = docs.join(format!("layered-{name}.png"));
        run(command(binary).args(["scene", name, "-o"]).arg(&scene))?;
        run(command(binary)
            .arg("build")
            .arg(&scene)
            .args(["--method", "layered", "--convex-distance", "0.1", "--seed", seed, "-o"])
            .arg(&mesh))?;
        let mut draw = command(binary);
        draw.arg("export").arg(&mesh).arg("--scene").arg(&scene).arg("-o").arg(&picture);
        run(draw.stdout(Stdio::null()))?;
        say(&format!("{} drawn", picture.display()));
    }
    Ok(())
}

/// The binary, and the folders that scenes and pictures are written into.
fn prepare() -> Result<(PathBuf, PathBuf, PathBuf)> {
    let (work, docs) = (target_folder().join("figures"), root().join("docs"));
    std::fs::create_dir_all(&work)?;
    std::fs::create_dir_all(&docs)?;
    Ok((release_binary()?, work, docs))
}

/// Draws the test maps of the layered pipeline alone.
pub(crate) fn draw_test_maps() -> Result<()> {
    let (binary, work, docs) = prepare()?;
    draw_layered(&binary, &work, &docs)
}

/// Writes every picture into `docs`.
pub(crate) fn draw_all() -> Result<()> {
    let (binary, work, docs) = prepare()?;
    for figure in FIGURES {
        let scene = work.join(format!("{}.glb", figure.scene));
        let mesh = work.join(format!("{}.snav", figure.scene));
        let picture = docs.join(format!("{}.png", figure.name));
        run(command(&binary).args(["scene", figure.scene, "-o"]).arg(&scene))?;
        run(command(&binary).arg("build").arg(&scene).arg("-o").arg(&mesh))?;
        let mut draw: Vec<OsString> = vec!["path".into(), mesh.into()];
        for (flag, value) in [("--from", figure.from), ("--to", figure.to)] {
            draw.extend([flag.into(), value.into()]);
        }
        draw.extend(["--scene".into(), scene.into(), "-o".into(), picture.clone().into()]);
        if let Some(cut) = figure.cut_height_m {
            draw.extend(["--cut-height".into(), cut.into()]);
        }
        run(command(&binary).args(draw).stdout(Stdio::null()))?;
        say(&format!("{} drawn", picture.display()));
    }
    draw_layered(&binary, &work, &docs)?;
    viewer::draw(&binary, &docs)
}
