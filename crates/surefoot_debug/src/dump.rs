//! Every stage's result as files in a folder.
//!
//! For the stages `merge_faces`, `cut`, ... of a build the folder gets `01-merge_faces.glb` (faces
//! coloured by kind, or by piece where all are of one kind, edges as lines coloured by class), `01-merge_faces.svg` (top view) and
//! `01-merge_faces.json` (counts), then `02-cut.glb` and so on.

use crate::colours::ColourBy;
use crate::glb::{GlbError, write_glb};
use crate::layers::view_layers;
use crate::svg::{SvgOptions, write_svg};
use crate::whole::write_whole;
use serde_json::{Map, json};
use std::io;
use std::path::{Path, PathBuf};
use surefoot_bake::{StageObserver, StageView};
use thiserror::Error;

/// Why a stage could not be dumped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DumpError {
    /// A file or folder could not be written.
    #[error("{}: cannot be written: {source}; check that the folder exists, may be written to and has room", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A stage's result does not fit into its file.
    #[error("{}: {source}", path.display())]
    Glb {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: GlbError,
    },
}

/// Writes every stage that it is shown into a folder.
#[derive(Debug)]
pub struct DumpObserver {
    folder: PathBuf,
    count: usize,
    error: Option<DumpError>,
}

impl DumpObserver {
    /// An observer that writes into a folder, which is created where it does not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, DumpError> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder)
            .map_err(|source| DumpError::Write { path: folder.clone(), source })?;
        Ok(Self { folder, count: 0, error: None })
    }

    /// How many stages were written; fails with the first error, since a stage itself cannot.
    pub fn finish(self) -> Result<usize, DumpError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.count),
        }
    }

    fn write(&self, name: &str, view: &StageView) -> Result<(), DumpError> {
        let stem = format!("{:02}-{name}", self.count + 1);
        let path = |ending: &str| self.folder.join(format!("{stem}.{ending}"));
        let put = |path: &Path, bytes: &[u8]| {
            write_whole(path, bytes)
                .map_err(|source| DumpError::Write { path: path.to_owned(), source })
        };
        let colour_by = colours_of(view);
        let glb = write_glb(&view_layers(view, colour_by))
            .map_err(|source| DumpError::Glb { path: path("glb"), source })?;
        put(&path("glb"), &glb)?;
        let options = SvgOptions { colour_by, ..SvgOptions::default() };
        put(&path("svg"), write_svg(view, &options).as_bytes())?;
        let mut counts = Map::new();
        counts.insert("stage".into(), json!(name));
        counts.insert("faces".into(), json!(view.faces.len()));
        counts.insert("edges".into(), json!(view.edges.len()));
        for &(key, value) in &view.counts {
            counts.insert(key.into(), number(value));
        }
        let mut text = serde_json::Value::Object(counts).to_string();
        text.push('\n');
        put(&path("json"), text.as_bytes())
    }
}

impl StageObserver for DumpObserver {
    fn observe(&mut self, name: &'static str, view: StageView) {
        if self.error.is_some() {
            return;
        }
        match self.write(name, &view) {
            Ok(()) => self.count += 1,
            Err(error) => self.error = Some(error),
        }
    }
}

/// What tells faces apart: their kinds, or where all are of one kind, the pieces that they belong to.
fn colours_of(view: &StageView) -> ColourBy {
    let mut kinds = view.faces.iter().map(|f| f.kind);
    let first = kinds.next();
    if kinds.all(|kind| Some(kind) == first) { ColourBy::Component } else { ColourBy::Kind }
}

/// A count as JSON: whole numbers without a decimal point.
#[must_use]
pub fn number(value: f64) -> serde_json::Value {
    // Below 2⁵³ a whole number is held exactly.
    if value.fract().abs() < f64::MIN_POSITIVE && value.abs() < 9e15 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_numbered_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut dump = DumpObserver::new(folder.path().join("deep/dump")).unwrap();
        let view =
            StageView { up: [0.0, 0.0, 1.0], counts: vec![("welded", 12.0)], ..Default::default() };
        dump.observe("weld", view.clone());
        dump.observe("cut", view);
        assert_eq!(dump.finish().unwrap(), 2);
        let text = std::fs::read_to_string(folder.path().join("deep/dump/02-cut.json")).unwrap();
        assert_eq!(text, "{\"edges\":0,\"faces\":0,\"stage\":\"cut\",\"welded\":12}\n");
        for name in ["01-weld.glb", "01-weld.svg", "01-weld.json", "02-cut.glb"] {
            assert!(folder.path().join("deep/dump").join(name).is_file(), "{name}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = DumpObserver::new(file.path().join("x")).unwrap_err();
        assert!(error.to_string().contains("cannot be written"));
    }
}
