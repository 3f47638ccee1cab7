//! What can be wrong with a scene file.

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::scene::ReachError;

/// A scene file that could not be loaded. The message names the file, what is wrong with it and
/// what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read from disk.
    #[error("{file}: cannot be read: {source}; check that the file exists and may be read")]
    Io {
        /// The file, as it was given.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The ending of the file's name is not one of a scene format.
    #[error(
        "{file}: the ending of its name is not that of a scene file; use .obj, .gltf, .glb, .ply \
         or .stl"
    )]
    UnknownFormat {
        /// The file, as it was given.
        file: String,
    },
    /// The file was read, but what it holds is wrong.
    #[error("{file}: {problem}")]
    Read {
        /// The file, as it was given.
        file: String,
        /// What is wrong with it.
        problem: ReadError,
    },
    /// The scene is larger than geometry can be worked on in one piece.
    #[error("{file}: {problem}")]
    BeyondReach {
        /// The file, or the first of several and how many more.
        file: String,
        /// How large it is.
        problem: ReachError,
    },
}

impl LoadError {
    pub(crate) fn read(file: &Path, problem: ReadError) -> Self {
        Self::Read { file: file.display().to_string(), problem }
    }
}

/// What is wrong with the contents of a scene file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A line of a text file makes no sense.
    #[error("line {line}: {what}; {fix}")]
    Line {
        /// Which line, counted from 1.
        line: u64,
        /// What is wrong.
        what: String,
        /// What to do.
        fix: &'static str,
    },
    /// Bytes of a binary file make no sense.
    #[error("byte {offset}: {what}; {fix}")]
    Byte {
        /// Where, counted from 0.
        offset: u64,
        /// What is wrong.
        what: String,
        /// What to do.
        fix: &'static str,
    },
    /// A part of a glTF document makes no sense.
    #[error("{place}: {what}; {fix}")]
    Gltf {
        /// Which part.
        place: String,
        /// What is wrong.
        what: String,
        /// What to do.
        fix: &'static str,
    },
    /// The geometry of a glTF file is compressed.
    #[error(
        "its geometry is compressed with {extension}, which is not read here; decompress it first, \
         for example with `npx @gltf-transform/cli copy in.glb out.glb`, or export it without \
         compression"
    )]
    Compressed {
        /// The extension that the file uses.
        extension: &'static str,
    },
    /// A glTF file cannot be understood without an extension that is not known here.
    #[error("it requires the glTF extension {name}, which is not read here; export it without")]
    Extension {
        /// The extension that the file requires.
        name: String,
    },
    /// There is more of something than can be held.
    #[error("it has {count} {what}, and at most {limit} can be held; split it into several files")]
    TooLarge {
        /// Of what there is too much.
        what: &'static str,
        /// How many there are.
        count: u64,
        /// How many can be held.
        limit: u64,
    },
    /// The file is sound, but no triangle is in it.
    #[error("it holds no triangles; check that meshes were exported, and not only points or lines")]
    NoTriangles,
}

/// Says where in a text something is wrong.
pub(crate) fn line_error(text: &[u8], at: usize, what: String, fix: &'static str) -> ReadError {
    let feeds = memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count();
    ReadError::Line { line: feeds as u64 + 1, what, fix }
}

/// A word of a file, made fit for a message: quoted, control characters escaped, cut at 40.
pub(crate) fn quoted(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(160)]);
    let mut out = String::from("\"");
    for (i, c) in text.chars().enumerate() {
        if i == 40 {
            out.push_str("...");
            break;
        }
        out.extend(c.escape_debug());
    }
    out.push('"');
    out
}
