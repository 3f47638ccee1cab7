//! Scenes, written.
//!
//! A [`Scene`] goes in; a file comes out whose bytes depend on nothing else. Geometry comes back
//! exactly, and so do tags: as groups of an OBJ, as one mesh per tag of a GLB, as a face property
//! and comments of a PLY. An STL holds neither tags nor coordinates beyond `f32`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::origin::is_zero;
use crate::ply::TAG_WORD;
use crate::scene::Scene;
use crate::tags::NO_TAG;

/// A scene that could not be saved. No half-written file is left behind.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file cannot be written.
    #[error("{file}: cannot be written: {source}; check that the folder exists and has room")]
    Io {
        /// The file, as it was given.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The ending of the file's name is not one of a format that can be written.
    #[error("{file}: scenes are written as .obj, .glb, .ply or .stl; use one of these endings")]
    UnknownFormat {
        /// The file, as it was given.
        file: String,
    },
}

impl Scene {
    /// Saves the scene in the format that the ending of the file's name tells: `.obj`, `.glb`,
    /// `.ply` or `.stl`. The file is written beside its place and moved there when it is whole.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        let file = || path.display().to_string();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        let write: fn(&Self, &mut BufWriter<File>) -> io::Result<()> = match ending.as_str() {
            "obj" => |scene, out| scene.write_obj(out),
            "glb" => |scene, out| scene.write_glb(out),
            "ply" => |scene, out| scene.write_ply(out),
            "stl" => |scene, out| scene.write_stl(out),
            _ => return Err(SaveError::UnknownFormat { file: file() }),
        };
        write_whole(path, |out| write(self, out))
            .map_err(|source| SaveError::Io { file: file(), source })
    }

    /// Writes a Wavefront OBJ. Tags become groups (`g`); a bare `g` ends them.
    pub fn write_obj(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "# {} points, {} triangles", self.points.len(), self.triangles.len())?;
        for p in &self.points {
            writeln!(
                out,
                "v {} {} {}",
                ShortestDigits(self.origin[0], p[0]),
                ShortestDigits(self.origin[1], p[1]),
                ShortestDigits(self.origin[2], p[2])
            )?;
        }
        let mut current = NO_TAG;
        for (i, t) in self.triangles.iter().enumerate() {
            let tag = self.tag(i);
            if tag != current {
                current = tag;
                match self.tag_names.get(usize::from(tag.0)) {
                    Some(name) => writeln!(out, "g {}", one_line(name))?,
                    None => writeln!(out, "g")?,
                }
            }
            let [a, b, c] = t.map(|i| u64::from(i) + 1);
            writeln!(out, "f {a} {b} {c}")?;
        }
        out.flush()
    }

    /// Writes a binary glTF: one node and mesh per tag, named after it; triangles without a tag come
    /// first, in a mesh without a name. The order within a tag is kept. A scene far from zero has
    /// its origin as the translation of the nodes.
    pub fn write_glb(&self, mut out: impl Write) -> io::Result<()> {
        if self.triangles.len() > (u32::MAX / 12) as usize {
            return Err(too_large());
        }
        let groups = self.triangles_by_tag();
        let mut binary: Vec<u8> = Vec::new();
        let (mut nodes, mut meshes, mut accessors, mut views) = (vec![], vec![], vec![], vec![]);
        let mut local = vec![u32::MAX; self.points.len()];
        for group in &groups {
            let mut used = Vec::new();
            let start = binary.len();
            for &t in group {
                for i in self.triangles[t as usize] {
                    let slot = &mut local[i as usize];
                    if *slot == u32::MAX {
                        *slot = used.len() as u32;
                        used.push(i);
                    }
                    binary.extend_from_slice(&slot.to_le_bytes());
                }
            }
            let middle = binary.len();
            let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            for &i in &used {
                let p = self.points[i as usize];
                for k in 0..3 {
                    low[k] = low[k].min(p[k]);
                    high[k] = high[k].max(p[k]);
                    binary.extend_from_slice(&p[k].to_le_bytes());
                }
                local[i as usize] = u32::MAX;
            }
            let n = meshes.len();
            views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": middle - start,
                "target": 34963 }));
            views.push(json!({ "buffer": 0, "byteOffset": middle,
                "byteLength": binary.len() - middle, "target": 34962 }));
            accessors.push(json!({ "bufferView": 2 * n, "componentType": 5125, "type": "SCALAR",
                "count": 3 * group.len() }));
            accessors.push(json!({ "bufferView": 2 * n + 1, "componentType": 5126, "type": "VEC3",
                "count": used.len(), "min": low.map(f64::from), "max": high.map(f64::from) }));
            let mut mesh = json!({ "primitives": [{ "attributes": { "POSITION": 2 * n + 1 },
                "indices": 2 * n }] });
            let tag = self.tag(group[0] as usize);
            if let Some(name) = self.tag_names.get(usize::from(tag.0)) {
                mesh["name"] = json!(name);
            }
            meshes.push(mesh);
            let mut node = json!({ "mesh": n });
            if !is_zero(self.origin) {
                node["translation"] = json!(self.origin);
            }
            nodes.push(node);
        }

        let mut root = Map::new();
        root.insert("asset".into(), json!({ "version": "2.0", "generator": "surefoot" }));
        root.insert("scene".into(), json!(0));
        root.insert("scenes".into(), json!([{}]));
        if !meshes.is_empty() {
            root["scenes"] = json!([{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }]);
            root.insert("buffers".into(), json!([{ "byteLength": binary.len() }]));
            root.insert("nodes".into(), Value::Array(nodes));
            root.insert("meshes".into(), Value::Array(meshes));
            root.insert("accessors".into(), Value::Array(accessors));
            root.insert("bufferViews".into(), Value::Array(views));
        }
        write_container(&mut out, &Value::Object(root), &binary)
    }

    /// Writes a binary PLY, little-endian; with coordinates as doubles where the scene lies far from
    /// zero. Tags become the face property `surefoot_tag`, their names comments.
    pub fn write_ply(&self, mut out: impl Write) -> io::Result<()> {
        let far = !is_zero(self.origin);
        let number = if far { "double" } else { "float" };
        let tagged = !self.tags.is_empty();
        writeln!(out, "ply\nformat binary_little_endian 1.0")?;
        if tagged {
            for (i, name) in self.tag_names.iter().enumerate() {
                writeln!(out, "comment {TAG_WORD} {i} {}", one_line(name))?;
            }
        }
        writeln!(out, "element vertex {}", self.points.len())?;
        for axis in ["x", "y", "z"] {
            writeln!(out, "property {number} {axis}")?;
        }
        writeln!(out, "element face {}", self.triangles.len())?;
        writeln!(out, "property list uchar uint vertex_indices")?;
        if tagged {
            writeln!(out, "property ushort {TAG_WORD}")?;
        }
        writeln!(out, "end_header")?;
        for (i, p) in self.points.iter().enumerate() {
            if far {
                for c in self.point(i as u32) {
                    out.write_all(&c.to_le_bytes())?;
                }
            } else {
                for c in p {
                    out.write_all(&c.to_le_bytes())?;
                }
            }
        }
        for (i, t) in self.triangles.iter().enumerate() {
            out.write_all(&[3])?;
            for corner in t {
                out.write_all(&corner.to_le_bytes())?;
            }
            if tagged {
                out.write_all(&self.tag(i).0.to_le_bytes())?;
            }
        }
        out.flush()
    }

    /// Writes a binary STL: triangles with their normals. Tags are lost, and so is what an `f32`
    /// cannot hold of coordinates far from zero.
    pub fn write_stl(&self, mut out: impl Write) -> io::Result<()> {
        let count = u32::try_from(self.triangles.len())
            .map_err(|_| io::Error::other("an .stl holds 4,294,967,295 triangles at most"))?;
        let mut header = [b' '; 80];
        header[..8].copy_from_slice(b"surefoot");
        out.write_all(&header)?;
        out.write_all(&count.to_le_bytes())?;
        for t in &self.triangles {
            let corners = t.map(|i| self.point(i));
            let [a, b, c] = corners;
            let u: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
            let v: [f64; 3] = std::array::from_fn(|k| c[k] - a[k]);
            let n =
                [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            // A triangle so small that its normal vanishes gets none, as the format allows.
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            for value in n.map(|c| c * scale).into_iter().chain(corners.into_iter().flatten()) {
                out.write_all(&(value as f32).to_le_bytes())?;
            }
            out.write_all(&[0, 0])?;
        }
        out.flush()
    }

    /// The triangles of every tag that has some, those without a tag first.
    fn triangles_by_tag(&self) -> Vec<Vec<u32>> {
        let mut groups = vec![Vec::new(); self.tag_names.len() + 1];
        for i in 0..self.triangles.len() {
            let tag = usize::from(self.tag(i).0);
            let group = if tag < self.tag_names.len() { tag + 1 } else { 0 };
            groups[group].push(i as u32);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}

fn too_large() -> io::Error {
    io::Error::other("a .glb holds 4 GiB at most; write a .ply")
}

/// Writes the container of a `.glb`: a header, the document, and the bytes it refers to.
fn write_container(out: &mut impl Write, document: &Value, binary: &[u8]) -> io::Result<()> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let parts = if binary.is_empty() { 20 } else { 28 };
    let length = u32::try_from(parts + text.len() + binary.len()).map_err(|_| too_large())?;
    out.write_all(b"glTF")?;
    out.write_all(&2_u32.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(&text)?;
    if !binary.is_empty() {
        out.write_all(&(binary.len() as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(binary)?;
    }
    out.flush()
}

/// A coordinate as its origin and what it is relative to that, written with as few digits as will
/// bring it back.
struct ShortestDigits(f64, f32);

impl std::fmt::Display for ShortestDigits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(origin, relative) = *self;
        if origin == 0.0 {
            // Readers round to f64 before f32: take the short form only if both roundings lead back.
            let text = format!("{relative:?}");
            if text.parse::<f64>().is_ok_and(|v| (v as f32).to_bits() == relative.to_bits()) {
                return f.write_str(text.strip_suffix(".0").unwrap_or(&text));
            }
        }
        let text = format!("{:?}", origin + f64::from(relative));
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

/// A name as one line of text: control characters become underscores, and a backslash at the end,
/// which would continue the line, too.
fn one_line(name: &str) -> String {
    let mut line: String =
        name.trim().chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    if line.ends_with('\\') {
        line.pop();
        line.push('_');
    }
    line
}

/// Writes a file whole or not at all: beside its place, and then moved there.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let (file, beside) = create_beside(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let written = write(&mut out)
        .and_then(|()| out.into_inner().map_err(io::IntoInnerError::into_error))
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is no file name"))?;
    for attempt in 0..1000 {
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}-{attempt}.part", std::process::id()));
        let beside = path.with_file_name(beside);
        match File::options().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("no name is left for the file while it is written"))
}
