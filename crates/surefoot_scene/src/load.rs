//! Scene files, read.
//!
//! Files go in; one [`Scene`] comes out. A file is read with its coordinates counted from zero
//! first. If the scene turns out to lie far from zero (see `origin`), all files are read once more
//! with coordinates counted from one common origin, so that points which are equal in two files
//! stay equal. Each format has its file; all of them hand over the same plain form.

use std::fmt;
use std::path::Path;

use crate::error::{LoadError, ReadError};
use crate::origin::{choose_origin, is_zero};
use crate::raw_scene::RawScene;
use crate::scene::Scene;
use crate::{gltf, obj, ply, stl};
use surefoot_geom::Bounds;

/// A format of scene files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneFormat {
    /// Wavefront OBJ, `.obj`.
    Obj,
    /// glTF 2.0, as text (`.gltf`) or binary (`.glb`); its first bytes tell which.
    Gltf,
    /// Stanford polygons, `.ply`, as text or binary.
    Ply,
    /// Stereolithography, `.stl`, as text or binary.
    Stl,
}

impl SceneFormat {
    /// The format that the ending of a file's name stands for.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "obj" => Some(Self::Obj),
            "gltf" | "glb" => Some(Self::Gltf),
            "ply" => Some(Self::Ply),
            "stl" => Some(Self::Stl),
            _ => None,
        }
    }
}

impl fmt::Display for SceneFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::Gltf => "glTF",
            Self::Ply => "PLY",
            Self::Stl => "STL",
        })
    }
}

/// The bytes of a file, and the folder from which it may read others.
struct Source<'a> {
    bytes: &'a [u8],
    format: SceneFormat,
    folder: Option<&'a Path>,
}

impl Source<'_> {
    fn read(&self, origin: [f64; 3]) -> Result<RawScene, ReadError> {
        let mut raw = match self.format {
            SceneFormat::Obj => obj::read(self.bytes, origin),
            SceneFormat::Gltf => gltf::read(self.bytes, self.folder, origin),
            SceneFormat::Ply => ply::read(self.bytes, origin),
            SceneFormat::Stl => stl::read(self.bytes, origin),
        }?;
        if raw.triangles.is_empty() && raw.flat_faces == 0 {
            return Err(ReadError::NoTriangles);
        }
        raw.weld_soup();
        Ok(raw)
    }
}

impl Scene {
    /// Loads a scene file. The ending of its name tells the format: `.obj`, `.gltf`, `.glb`, `.ply`
    /// or `.stl`, in any case.
    ///
    /// Triangles that are not finite or have no area are left out and counted in
    /// [`Scene::ignored`]; a file without any triangle is an error. A `.gltf` may refer to files in
    /// its own folder and below.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_all(&[path])
    }

    /// Loads several scene files as one scene, in the order given. Coordinates are all in one
    /// frame; points that are equal in two files stay equal.
    pub fn load_all<P: AsRef<Path>>(paths: &[P]) -> Result<Self, LoadError> {
        let mut all = Vec::with_capacity(paths.len());
        for path in paths {
            all.push(read_file(path.as_ref(), [0.0; 3])?);
        }
        let origin = common_origin(&all);
        if !is_zero(origin) {
            all.clear();
            for path in paths {
                all.push(read_file(path.as_ref(), origin)?);
            }
        }
        let mut parts = all.into_iter().map(|raw| raw.into_scene(origin));
        let mut scene = parts.next().unwrap_or_default();
        for (part, path) in parts.zip(paths.iter().skip(1)) {
            scene.append_at_same_origin(&part).map_err(|_| {
                let count = (scene.points.len() + part.points.len()) as u64;
                let limit = u64::from(u32::MAX);
                let problem = ReadError::TooLarge { what: "points", count, limit };
                LoadError::read(path.as_ref(), problem)
            })?;
        }
        let mut file = paths.first().map_or_else(String::new, |p| p.as_ref().display().to_string());
        if paths.len() > 1 {
            file += &format!(" and {} more", paths.len() - 1);
        }
        scene.check_reach().map_err(|problem| LoadError::BeyondReach { file, problem })?;
        Ok(scene)
    }

    /// Reads a scene from bytes in memory. A glTF must hold its buffers itself (a `.glb`, or
    /// `data:` addresses).
    pub fn from_bytes(bytes: &[u8], format: SceneFormat) -> Result<Self, LoadError> {
        let file = || format!("{format} data");
        let source = Source { bytes, format, folder: None };
        let at = |origin| {
            source.read(origin).map_err(|problem| LoadError::Read { file: file(), problem })
        };
        let mut raw = at([0.0; 3])?;
        let origin = common_origin(std::slice::from_ref(&raw));
        if !is_zero(origin) {
            raw = at(origin)?;
        }
        let scene = raw.into_scene(origin);
        scene.check_reach().map_err(|problem| LoadError::BeyondReach { file: file(), problem })?;
        Ok(scene)
    }
}

/// The origin for several files that were read with coordinates counted from zero.
fn common_origin(all: &[RawScene]) -> [f64; 3] {
    if all.iter().all(RawScene::is_near_zero) {
        return [0.0; 3];
    }
    let mut bounds = Bounds::EMPTY;
    for raw in all {
        bounds.add(&raw.bounds());
    }
    choose_origin(&bounds)
}

fn read_file(path: &Path, origin: [f64; 3]) -> Result<RawScene, LoadError> {
    let file = || path.display().to_string();
    let format =
        SceneFormat::from_path(path).ok_or_else(|| LoadError::UnknownFormat { file: file() })?;
    let bytes = std::fs::read(path).map_err(|source| LoadError::Io { file: file(), source })?;
    let source =
        Source { bytes: &bytes, format, folder: Some(path.parent().unwrap_or(Path::new(""))) };
    source.read(origin).map_err(|problem| LoadError::read(path, problem))
}
