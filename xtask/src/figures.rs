//! The pictures of the documents, drawn anew by the release binary.

use crate::run::{command, release_binary, root, run, say, target_folder};
use crate::viewer;
use anyhow::Result;
use std::ffi::OsString;
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

/// Writes every picture into `docs`.
pub(crate) fn draw_all() -> Result<()> {
    let binary = release_binary()?;
    let work = target_folder().join("figures");
    std::fs::create_dir_all(&work)?;
    let docs = root().join("docs");
    std::fs::create_dir_all(&docs)?;
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
