//! The pictures of the guide, drawn anew by the release binary; and those of the layered pipeline's
//! test maps, which are measurements.

use crate::measurements;
use crate::run::{command, release_binary, root, run, say, target_folder};
use crate::viewer;
use anyhow::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Where the pictures of the guide lie.
const FOLDER: &str = "docs/guide/pictures";

/// A path: its name, the scene, the path on it, and where it is cut open.
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

/// What a setting does: a scene built with it.
struct SettingFigure {
    name: &'static str,
    /// The words of `surefoot scene`, or a file.
    scene: &'static [&'static str],
    flags: &'static [&'static str],
    /// Whether the scene is drawn around the mesh.
    around: bool,
}

const fn setting(
    name: &'static str,
    scene: &'static [&'static str],
    flags: &'static [&'static str],
    around: bool,
) -> SettingFigure {
    SettingFigure { name, scene, flags, around }
}

const OVERHANG: &[&str] = &["overhang"];
const PILLARS: &[&str] = &["pillars", "--size", "3"];
const FLIGHT: &[&str] = &["docs/guide/scenes/flight.obj"];
const DOORS: &[&str] = &["doorways", "--rotate", "17.3"];

#[rustfmt::skip]
const SETTING_FIGURES: &[SettingFigure] = &[
    setting("radius-0", OVERHANG, &["--agent-radius", "0"], true),
    setting("radius-0.6", OVERHANG, &["--agent-radius", "0.6"], true),
    setting("tolerance-0", PILLARS, &["--tolerance", "0"], false),
    setting("tolerance-0.02", PILLARS, &["--tolerance", "0.02"], false),
    setting("convex-distance-0", PILLARS, &[], false),
    setting("convex-distance-0.1", PILLARS, &["--convex-distance", "0.1"], false),
    setting("stairs-steps", FLIGHT, &["--stairs", "steps"], true),
    setting("stairs-ramps", FLIGHT, &["--stairs", "ramps"], true),
    setting("gaps-0.5", &["holes"], &["--agent-radius", "0", "--fill-gaps", "0.5"], false),
    setting("doors-exact", DOORS, &[], true),
    setting("doors-voxel", DOORS, &["--method", "voxel"], true),
];

/// Draws what settings do.
fn draw_settings(binary: &Path, work: &Path, docs: &Path) -> Result<()> {
    for figure in SETTING_FIGURES {
        let scene = match figure.scene {
            [file] if file.contains('/') => root().join(file),
            words => {
                let scene = work.join(format!("{}.glb", figure.name));
                run(command(binary).arg("scene").args(words).arg("-o").arg(&scene))?;
                scene
            }
        };
        let mesh = work.join(format!("{}.snav", figure.name));
        let picture = docs.join(format!("{}.png", figure.name));
        let mut build = command(binary);
        build.arg("build").arg(&scene).args(figure.flags).arg("-o").arg(&mesh);
        run(build.stdout(Stdio::null()))?;
        let mut draw = command(binary);
        draw.arg("export").arg(&mesh).args(["--size", "1000x400", "-o"]).arg(&picture);
        if figure.around {
            draw.arg("--scene").arg(&scene);
        }
        run(draw.stdout(Stdio::null()))?;
        say(&format!("{} drawn", picture.display()));
    }
    Ok(())
}

/// The maps of several layers, built by the layered pipeline from a seed: their names and the seed.
const LAYERED: &[(&str, &str)] = &[
    ("testmap-0", "1,0,1"),
    ("testmap-1", "2,0,20"),
    ("testmap-2", "2,0,2"),
    ("testmap-3", "2,0,2"),
];

/// Draws the maps of several layers with their cells.
fn draw_layered(binary: &Path, work: &Path, folder: &Path) -> Result<()> {
    for (name, seed) in LAYERED {
        let scene = work.join(format!("{name}.glb"));
        let mesh = work.join(format!("{name}.snav"));
        let picture = folder.join(format!("layered-{name}.png"));
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

/// The binary, and the folder that scenes and meshes are written into.
fn prepare() -> Result<(PathBuf, PathBuf)> {
    let work = target_folder().join("figures");
    std::fs::create_dir_all(&work)?;
    Ok((release_binary()?, work))
}

/// Draws the test maps of the layered pipeline, among today's measurements.
pub(crate) fn draw_test_maps() -> Result<()> {
    let (binary, work) = prepare()?;
    draw_layered(&binary, &work, &measurements::folder()?)
}

/// Writes every picture of the guide.
pub(crate) fn draw_all() -> Result<()> {
    let (binary, work) = prepare()?;
    let docs = root().join(FOLDER);
    std::fs::create_dir_all(&docs)?;
    draw_settings(&binary, &work, &docs)?;
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
    viewer::draw(&binary, &docs)
}
