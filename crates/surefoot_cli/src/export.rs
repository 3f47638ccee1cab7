//! `surefoot export`: a mesh in another format, or as a picture.

use crate::args::ExportArgs;
use crate::meshes::{Drawing, MeshFormat, load_mesh, load_scenes, write_mesh};
use crate::outcome::{Answer, Failure};
use crate::output::{check_place, print, warn};

pub(crate) fn run(args: &ExportArgs) -> Result<Answer, Failure> {
    let format = MeshFormat::of(&args.output)?;
    check_place(&args.output)?;
    for (flag, given, formats) in [
        ("--scene", !args.scenes.is_empty(), &[MeshFormat::Png][..]),
        ("--size", args.size.is_some(), &[MeshFormat::Png]),
        ("--cut-height", args.cut_height.is_some(), &[MeshFormat::Png, MeshFormat::Svg]),
    ] {
        if given && !formats.contains(&format) {
            warn(format!("{flag} has no effect on {}", args.output.display()));
        }
    }
    let mesh = load_mesh(&args.mesh)?;
    let scene = match format {
        MeshFormat::Png if !args.scenes.is_empty() => Some(load_scenes(&args.scenes)?),
        _ => None,
    };
    let drawing = Drawing {
        scene: scene.as_ref(),
        cut_height_m: args.cut_height,
        size_px: args.size,
        ..Drawing::default()
    };
    write_mesh(&args.output, format, &mesh, drawing)?;
    print(&format!("{}: written\n", args.output.display()))?;
    Ok(Answer::Yes)
}
