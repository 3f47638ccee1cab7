//! What is looked at: files named on the command line, files dropped onto the page, or a procedural
//! scene.
//!
//! A [`Wanted`] goes in; a [`Source`] comes out: the triangles, perhaps a finished mesh, and the
//! original files for those formats whose materials the page can show. A request names a file by
//! its number and never by a path. What an original refers to (buffers, textures, material
//! libraries) is served only if the document names it and it lies in the document's own folder or
//! below.

use glam::DVec3;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_mesh::NavMesh;
use surefoot_scene::{Bounds, Scene, SceneFormat};
use surefoot_testing_scenes::Variant;
use thiserror::Error;

/// A file that came in over the wire.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    pub(crate) name: String,
    pub(crate) bytes: Arc<Vec<u8>>,
}

/// What somebody wants to look at.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// Files named on the command line.
    Files(Vec<PathBuf>),
    /// Files dropped onto the page.
    Dropped(Vec<Dropped>),
    /// A procedural scene.
    Procedural { name: String, variant: Variant },
}

/// Why it cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A scene file cannot be read.
    #[error(transparent)]
    Scene(#[from] surefoot_scene::LoadError),
    /// Two scenes do not go together.
    #[error(transparent)]
    Together(#[from] surefoot_scene::SceneError),
    /// A mesh cannot be read.
    #[error("{name}: {problem}; build the mesh again with `surefoot build`")]
    Mesh {
        /// The file.
        name: String,
        /// What is wrong.
        problem: surefoot_mesh::SnavError,
    },
    /// A file that was dropped is damaged.
    #[error("{name}: {problem}")]
    Dropped {
        /// The file.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// A file is neither a scene nor a mesh.
    #[error("{name}: is neither scene nor mesh; give .obj, .gltf, .glb, .ply, .stl or .snav")]
    Ending {
        /// The file.
        name: String,
    },
    /// None of the files can be shown.
    #[error(
        "none of the files can be shown; give .obj, .gltf, .glb, .ply or .stl for scenes and .snav \
         for a mesh"
    )]
    NothingToShow,
    /// More than one mesh.
    #[error("{count} meshes were given; one can be looked at at a time")]
    TooManyMeshes {
        /// How many.
        count: usize,
    },
    /// A procedural scene cannot be made.
    #[error(transparent)]
    Procedural(#[from] surefoot_testing_scenes::SceneNameError),
}

/// One of the original files.
#[derive(Clone, Debug)]
struct Original {
    name: String,
    /// As it was given on the command line; a dropped file has its name.
    given: String,
    place: Place,
    /// Whether it may have materials that the page can show.
    materials: bool,
}

#[derive(Clone, Debug)]
enum Place {
    Disk(PathBuf),
    Memory(Arc<Vec<u8>>),
}

/// What is looked at.
pub(crate) struct Source {
    pub(crate) title: String,
    pub(crate) scene: Option<Arc<Scene>>,
    /// A mesh that came from a file.
    pub(crate) mesh: Option<NavMesh>,
    originals: Vec<Original>,
    /// Files that were dropped beside the scenes: what these refer to.
    beside: Vec<Dropped>,
    pub(crate) procedural: Option<(String, Variant)>,
    tree: OnceLock<BoxTree>,
    described: OnceLock<Value>,
}

impl Source {
    /// Reads or makes it.
    pub(crate) fn load(wanted: &Wanted) -> Result<Self, SourceError> {
        let mut source = Self::load_plain(wanted)?;
        let materials: Vec<bool> =
            (0..source.originals.len()).map(|i| source.has_materials(i)).collect();
        for (original, materials) in source.originals.iter_mut().zip(materials) {
            original.materials = materials;
        }
        Ok(source)
    }

    /// A glTF may always have materials; an OBJ has them where its library is there.
    fn has_materials(&self, index: usize) -> bool {
        let name = &self.originals[index].name;
        match ending(Path::new(name)).as_str() {
            "gltf" | "glb" => true,
            "obj" => self.original(index).is_some_and(|bytes| {
                names_in(name, &bytes).iter().any(|part| self.part(index, part).is_some())
            }),
            _ => false,
        }
    }

    fn load_plain(wanted: &Wanted) -> Result<Self, SourceError> {
        match wanted {
            Wanted::Files(paths) => Self::from_disk(paths),
            Wanted::Dropped(files) => Self::from_dropped(files),
            Wanted::Procedural { name, variant } => {
                let made = surefoot_testing_scenes::build(name, variant)?;
                Ok(Self {
                    title: name.clone(),
                    scene: Some(Arc::new(made.scene)),
                    mesh: None,
                    originals: Vec::new(),
                    beside: Vec::new(),
                    procedural: Some((name.clone(), *variant)),
                    tree: OnceLock::new(),
                    described: OnceLock::new(),
                })
            }
        }
    }

    /// Refuses files whose ending says that they are neither scene nor mesh.
    pub(crate) fn check_endings(paths: &[PathBuf]) -> Result<(), SourceError> {
        let known = |p: &PathBuf| ending(p) == "snav" || SceneFormat::from_path(p).is_some();
        match paths.iter().find(|p| !known(p)) {
            Some(path) => Err(SourceError::Ending { name: path.display().to_string() }),
            None => Ok(()),
        }
    }

    fn from_disk(paths: &[PathBuf]) -> Result<Self, SourceError> {
        let (meshes, scenes): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|p| ending(p) == "snav");
        if meshes.len() > 1 {
            return Err(SourceError::TooManyMeshes { count: meshes.len() });
        }
        let mesh = meshes.first().map(|path| {
            NavMesh::load(path)
                .map_err(|problem| SourceError::Mesh { name: path.display().to_string(), problem })
        });
        let mesh = mesh.transpose()?;
        let scene =
            if scenes.is_empty() { None } else { Some(Arc::new(Scene::load_all(&scenes)?)) };
        let originals: Vec<Original> = scenes
            .iter()
            .map(|path| Original {
                name: file_name(path),
                given: path.display().to_string(),
                place: Place::Disk((*path).clone()),
                materials: false,
            })
            .collect();
        let title = paths.iter().map(|p| file_name(p)).collect::<Vec<_>>().join(", ");
        if mesh.is_none() && scene.is_none() {
            return Err(SourceError::NothingToShow);
        }
        Ok(Self {
            title,
            scene,
            mesh,
            originals,
            beside: Vec::new(),
            procedural: None,
            tree: OnceLock::new(),
            described: OnceLock::new(),
        })
    }

    fn from_dropped(files: &[Dropped]) -> Result<Self, SourceError> {
        let mut scene: Option<Scene> = None;
        let mut mesh = None;
        let (mut originals, mut beside) = (Vec::new(), Vec::new());
        let meshes = files.iter().filter(|f| ending(Path::new(&f.name)) == "snav").count();
        if meshes > 1 {
            return Err(SourceError::TooManyMeshes { count: meshes });
        }
        for file in files {
            let path = Path::new(&file.name);
            let about = |problem: String| SourceError::Dropped { name: file.name.clone(), problem };
            if ending(path) == "snav" {
                let read = NavMesh::from_bytes(&file.bytes);
                mesh =
                    Some(read.map_err(|problem| SourceError::Mesh {
                        name: file.name.clone(),
                        problem,
                    })?);
            } else if let Some(format) = SceneFormat::from_path(path) {
                let packed = match format {
                    SceneFormat::Gltf => with_buffers(&file.bytes, files),
                    _ => None,
                };
                let bytes = packed.as_deref().unwrap_or(&file.bytes);
                let read = Scene::from_bytes(bytes, format).map_err(|e| about(plain(&e)))?;
                match &mut scene {
                    Some(all) => all.append(&read)?,
                    None => scene = Some(read),
                }
                originals.push(Original {
                    name: file.name.clone(),
                    given: file.name.clone(),
                    place: Place::Memory(Arc::clone(&file.bytes)),
                    materials: false,
                });
            } else {
                beside.push(file.clone());
            }
        }
        if mesh.is_none() && scene.is_none() {
            return Err(SourceError::NothingToShow);
        }
        if let Some(scene) = &scene {
            scene.check_reach().map_err(|e| SourceError::Dropped {
                name: files.first().map_or_else(String::new, |f| f.name.clone()),
                problem: e.to_string(),
            })?;
        }
        let shown = files.iter().filter(|f| !beside.iter().any(|b| b.name == f.name));
        Ok(Self {
            title: shown.map(|f| f.name.as_str()).collect::<Vec<_>>().join(", "),
            scene: scene.map(Arc::new),
            mesh,
            originals,
            beside,
            procedural: None,
            tree: OnceLock::new(),
            described: OnceLock::new(),
        })
    }

    /// What the page is told. Worked out once: it is sent with every change.
    pub(crate) fn describe(&self) -> Value {
        self.described.get_or_init(|| self.describe_anew()).clone()
    }

    fn describe_anew(&self) -> Value {
        let files: Vec<Value> = self
            .originals
            .iter()
            .map(|o| json!({ "name": o.name, "materials": o.materials }))
            .collect();
        let scene = self.scene.as_ref().map(|scene| {
            let Bounds { low, high } =
                scene.bounds().unwrap_or(Bounds { low: [0.0; 3], high: [0.0; 3] });
            json!({
                "triangles": scene.triangle_count(),
                "ignored": scene.ignored().non_finite + scene.ignored().zero_area,
                "low": low, "high": high, "origin": scene.origin(),
            })
        });
        let procedural = self.procedural.as_ref().map(|(name, v)| {
            json!({
                "name": name, "size": v.size, "rotate": v.rotate_deg, "shatter": v.shatter,
                "jitter": v.jitter_m, "dirty": v.dirty, "seed": v.seed,
            })
        });
        json!({ "title": self.title, "files": files, "scene": scene, "procedural": procedural })
    }

    /// Where coordinates are counted from in what the page draws.
    pub(crate) fn origin(&self, mesh: Option<&NavMesh>) -> [f64; 3] {
        if let Some(scene) = &self.scene {
            return scene.origin();
        }
        // Farther out, single precision would show.
        const NEAR_M: f64 = 4096.0;
        match mesh.and_then(NavMesh::bounds) {
            Some(b) if b.low.iter().chain(&b.high).any(|c| c.abs() > NEAR_M) => {
                std::array::from_fn(|k| (0.5 * (b.low[k] + b.high[k])).round())
            }
            _ => [0.0; 3],
        }
    }

    /// The scene's files as a command line names them.
    pub(crate) fn given_names(&self) -> Vec<&str> {
        self.originals.iter().map(|o| o.given.as_str()).collect()
    }

    /// An original file.
    pub(crate) fn original(&self, index: usize) -> Option<Vec<u8>> {
        match &self.originals.get(index)?.place {
            Place::Disk(path) => std::fs::read(path).ok(),
            Place::Memory(bytes) => Some(bytes.to_vec()),
        }
    }

    /// A file that an original names, by the name it uses.
    pub(crate) fn part(&self, index: usize, name: &str) -> Option<Vec<u8>> {
        if !is_plain_relative(name) {
            return None;
        }
        match &self.originals.get(index)?.place {
            Place::Memory(_) => {
                let wanted = file_name(Path::new(name));
                self.beside.iter().find(|f| f.name == wanted).map(|f| f.bytes.to_vec())
            }
            Place::Disk(path) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                let own = std::fs::read(path).ok()?;
                let mut named = names_in(&self.originals[index].name, &own);
                // A material library names textures in turn.
                let libraries: Vec<String> =
                    named.iter().filter(|n| ending(Path::new(n)) == "mtl").cloned().collect();
                for library in libraries {
                    if let Ok(bytes) = std::fs::read(folder.join(&library)) {
                        named.extend(names_in(&library, &bytes));
                    }
                }
                if !named.iter().any(|n| n == name) {
                    return None;
                }
                // A link inside the folder may lead out of it.
                let (folder, file) =
                    (canonical_folder(&folder)?, folder.join(name).canonicalize().ok()?);
                file.starts_with(folder).then(|| std::fs::read(file).ok()).flatten()
            }
        }
    }

    /// The scene, if there is one, and a tree over its triangles.
    pub(crate) fn triangles(&self) -> Option<(&Scene, &BoxTree)> {
        let scene = self.scene.as_ref()?;
        let corners = |t: u32| scene.triangles()[t as usize].map(|i| DVec3::from(scene.point(i)));
        let tree = self.tree.get_or_init(|| {
            BoxTree::build_with(scene.triangle_count(), |t| Aabb::of_points(corners(t)))
        });
        Some((scene, tree))
    }
}

fn canonical_folder(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().ok()
}

/// An error of reading from memory without the words that stand for a file's name.
fn plain(error: &surefoot_scene::LoadError) -> String {
    match error {
        surefoot_scene::LoadError::Read { problem, .. } => problem.to_string(),
        other => other.to_string(),
    }
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// Whether a name leads into its own folder or below, on every system.
fn is_plain_relative(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(['\\', ':', '\0'])
        && Path::new(name).components().all(|c| matches!(c, Component::Normal(_)))
}

/// The files that a document names: addresses of a glTF, material libraries of an OBJ, textures of
/// a material library.
fn names_in(name: &str, bytes: &[u8]) -> Vec<String> {
    match ending(Path::new(name)).as_str() {
        "gltf" => {
            let document: Value = serde_json::from_slice(bytes).unwrap_or_default();
            let of = |key: &str| -> Vec<String> {
                let all = document[key].as_array().into_iter().flatten();
                all.filter_map(|v| crate::http::percent_decoded(v["uri"].as_str()?)).collect()
            };
            [of("buffers"), of("images")].concat()
        }
        "obj" => words_after(bytes, &["mtllib"]),
        "mtl" => words_after(bytes, &["map_Kd", "map_Ka", "map_Ks", "map_d", "map_Bump", "bump"]),
        _ => Vec::new(),
    }
}

/// What follows a keyword on its line, as one name and as the last of several words: options may
/// stand before the name, and names may have spaces.
fn words_after(bytes: &[u8], keywords: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for line in bytes.split(|&b| b == b'\n') {
        if !keywords.iter().any(|k| line.trim_ascii_start().starts_with(k.as_bytes())) {
            continue;
        }
        let Ok(line) = std::str::from_utf8(line) else { continue };
        let Some((_, rest)) = line.trim().split_once(char::is_whitespace) else { continue };
        names.push(rest.trim().to_owned());
        names.extend(rest.split_whitespace().map(str::to_owned));
    }
    names
}

/// A glTF document whose buffers were dropped beside it, with these inside; `None` where it needs
/// none or is not one.
fn with_buffers(bytes: &[u8], files: &[Dropped]) -> Option<Vec<u8>> {
    if bytes.starts_with(b"glTF") {
        return None;
    }
    let mut document: Value = serde_json::from_slice(bytes).ok()?;
    let mut changed = false;
    for buffer in document["buffers"].as_array_mut()? {
        let Some(uri) = buffer["uri"].as_str().and_then(crate::http::percent_decoded) else {
            continue;
        };
        let wanted = file_name(Path::new(&uri));
        if let Some(file) = files.iter().find(|f| f.name == wanted) {
            let data = format!("data:application/octet-stream;base64,{}", base64(&file.bytes));
            buffer["uri"] = data.into();
            changed = true;
        }
    }
    changed.then(|| document.to_string().into_bytes())
}

/// Bytes in base 64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word =
            three.iter().fold(0_u32, |w, &b| w << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn only_what_a_document_names_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("level")).unwrap();
        std::fs::write(at("secret.mtl"), "secret").unwrap();
        std::fs::write(at("level/other.mtl"), "other").unwrap();
        std::fs::write(at("level/a b.mtl"), "newmtl x\nmap_Kd -s 1 1 1 wood.png\n").unwrap();
        std::fs::write(at("level/wood.png"), "wood").unwrap();
        let obj = "mtllib a b.mtl\nmtllib ../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 0 -1\nf 1 2 3\n";
        std::fs::write(at("level/a.obj"), obj).unwrap();
        let source = Source::load(&Wanted::Files(vec![at("level/a.obj")])).unwrap();
        assert!(source.part(0, "a b.mtl").is_some());
        assert_eq!(source.part(0, "wood.png").as_deref(), Some(&b"wood"[..]));
        for refused in ["../secret.mtl", "other.mtl", "a.obj", "/etc/passwd", "", ".", "c:x.mtl"] {
            assert!(source.part(0, refused).is_none(), "{refused}");
        }
        assert!(source.part(1, "a b.mtl").is_none() && source.original(1).is_none());
        assert!(source.original(0).is_some());
    }

    #[test]
    fn a_document_takes_the_buffers_that_were_dropped_with_it() {
        let mut points = Vec::new();
        for c in [0.0_f32, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, -4.0] {
            points.extend(c.to_le_bytes());
        }
        let document = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                           "min": [0, 0, -4], "max": [4, 0, 0]}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [{"uri": "my%20data.bin", "byteLength": 36}],
        });
        let file = |name: &str, bytes: Vec<u8>| Dropped { name: name.into(), bytes: bytes.into() };
        let both = [file("a.gltf", document.to_string().into_bytes()), file("my data.bin", points)];
        let source = Source::load(&Wanted::Dropped(both.to_vec())).unwrap();
        assert_eq!(source.scene.as_ref().map(|s| s.triangle_count()), Some(1));
        assert_eq!(source.part(0, "my data.bin").map(|b| b.len()), Some(36));
        let alone = Source::load(&Wanted::Dropped(both[..1].to_vec()));
        assert!(matches!(alone, Err(SourceError::Dropped { .. })));
        let nothing = Source::load(&Wanted::Dropped(both[1..].to_vec()));
        assert!(matches!(nothing, Err(SourceError::NothingToShow)));
    }
}
