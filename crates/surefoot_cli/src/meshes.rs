//! Meshes from files and into files of every format.

use crate::outcome::Failure;
use crate::output::{ending, write_file};
use std::path::{Path, PathBuf};
use surefoot_debug::{
    ColourBy, PictureOptions, SvgOptions, mesh_to_detour, mesh_to_json, mesh_to_obj, path_layer,
    render_overview, view_layers, view_of_mesh, write_glb, write_svg,
};
use surefoot_mesh::{NavMesh, SnavError};
use surefoot_scene::Scene;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeshFormat {
    Snav,
    Obj,
    Glb,
    Json,
    Svg,
    Png,
    Detour,
}

impl MeshFormat {
    /// The format that an output's ending stands for.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        Ok(match ending(path).as_str() {
            "snav" => Self::Snav,
            "obj" => Self::Obj,
            "glb" => Self::Glb,
            "json" => Self::Json,
            "svg" => Self::Svg,
            "png" => Self::Png,
            "bin" => Self::Detour,
            _ => {
                return Err(Failure::usage(format!(
                    "{}: the ending chooses the format; use .snav, .obj, .glb, .json, .svg, .png \
                     or .bin",
                    path.display()
                )));
            }
        })
    }
}

/// What may be drawn with a mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drawing<'a> {
    pub(crate) scene: Option<&'a Scene>,
    pub(crate) path: &'a [[f64; 3]],
    pub(crate) cut_height_m: Option<f64>,
    pub(crate) size_px: Option<(u32, u32)>,
}

/// Reads a mesh.
pub(crate) fn load_mesh(path: &Path) -> Result<NavMesh, Failure> {
    NavMesh::load(path).map_err(|error| match error {
        SnavError::Io { source, .. } => Failure::file(
            path,
            format!("cannot be read: {source}; check that the file exists and may be read"),
        ),
        SnavError::Version { .. } => Failure::file(path, error),
        _ => Failure::file(path, format!("{error}; build the mesh again with `surefoot build`")),
    })
}

/// Reads scenes, taken together.
pub(crate) fn load_scenes(paths: &[PathBuf]) -> Result<Scene, Failure> {
    Scene::load_all(paths).map_err(Failure::failed)
}

/// Writes a mesh, whole or not at all.
pub(crate) fn write_mesh(
    path: &Path,
    format: MeshFormat,
    mesh: &NavMesh,
    drawing: Drawing<'_>,
) -> Result<(), Failure> {
    let bytes = encode(path, format, mesh, drawing)?;
    write_file(path, &bytes)
}

fn encode(
    path: &Path,
    format: MeshFormat,
    mesh: &NavMesh,
    drawing: Drawing<'_>,
) -> Result<Vec<u8>, Failure> {
    let about = |e: &dyn std::fmt::Display| Failure::file(path, e);
    Ok(match format {
        MeshFormat::Snav => mesh.to_bytes(),
        MeshFormat::Obj => mesh_to_obj(mesh).into_bytes(),
        MeshFormat::Json => mesh_to_json(mesh).into_bytes(),
        MeshFormat::Detour => mesh_to_detour(mesh).map_err(|e| about(&e))?,
        MeshFormat::Glb => {
            let mut layers = view_layers(&view_of_mesh(mesh), ColourBy::Component);
            layers.push(path_layer(drawing.path));
            write_glb(&layers).map_err(|e| about(&e))?
        }
        MeshFormat::Svg => {
            let options = SvgOptions {
                path: drawing.path,
                cut_height_m: drawing.cut_height_m,
                ..SvgOptions::default()
            };
            write_svg(&view_of_mesh(mesh), &options).into_bytes()
        }
        MeshFormat::Png => {
            let mut options = PictureOptions {
                scene: drawing.scene,
                path: drawing.path,
                cut_height_m: drawing.cut_height_m,
                ..PictureOptions::default()
            };
            if let Some((width, height)) = drawing.size_px {
                options.width_px = width;
                options.height_px = height;
            }
            render_overview(&view_of_mesh(mesh), &options).map_err(|e| about(&e))?
        }
    })
}
