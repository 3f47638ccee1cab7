//! Running the binary in a folder of its own.

// Each test file uses a part of this.
#![allow(dead_code)]

use serde_json::Value;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output};
use surefoot_mesh::{Agent, Frame, NavMeshData};
use tempfile::TempDir;

/// A folder with the binary at hand.
pub(crate) struct Bench {
    folder: TempDir,
}

/// What a run of the binary left.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The binary under test: the one named by `SUREFOOT_BINARY`, else the one built with the tests.
fn binary() -> PathBuf {
    std::env::var_os("SUREFOOT_BINARY")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_surefoot")), PathBuf::from)
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("a file in the temporary folder");
    }

    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(binary());
        command.current_dir(self.folder.path()).args(arguments);
        command
    }

    /// Runs the binary. Whatever happens, it neither panics nor leaves half a file behind.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        let Output { status, stdout, stderr } =
            self.command(arguments).output().expect("the binary starts");
        let ran = Ran {
            status: status.code().expect("an exit status, not a signal"),
            out: String::from_utf8(stdout).expect("UTF-8 on standard output"),
            err: String::from_utf8(stderr).expect("UTF-8 on standard error"),
        };
        assert!(!ran.err.contains("panicked"), "panic: {}", ran.err);
        for entry in std::fs::read_dir(self.folder.path()).expect("the temporary folder") {
            let name = entry.expect("an entry").file_name();
            assert!(!name.to_string_lossy().starts_with('.'), "left behind: {name:?}");
        }
        ran
    }

    /// Runs the binary and asks for success.
    pub(crate) fn ok<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran
    }

    /// Runs the binary, asks for success and for one JSON value and nothing else.
    pub(crate) fn json<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Value {
        let ran = self.ok(arguments);
        serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}", ran.out))
    }

    /// Runs the binary and asks for a failure: its status, one line, and these words in it.
    pub(crate) fn fails<S: AsRef<OsStr>>(&self, arguments: &[S], status: i32, words: &[&str]) {
        let ran = self.run(arguments);
        assert_eq!(ran.status, status, "out: {} err: {}", ran.out, ran.err);
        assert_eq!(ran.out, "", "nothing on standard output");
        for word in words {
            assert!(ran.err.contains(word), "no `{word}` in: {}", ran.err);
        }
        if status == 1 {
            assert_eq!(ran.err.lines().count(), 1, "one message: {}", ran.err);
        }
    }

    /// A mesh without a cell, as no build leaves it, for the agent that builds are for unless told
    /// otherwise.
    pub(crate) fn write_empty_mesh(&self, name: &str) {
        let empty = NavMeshData {
            agent: Agent::default(),
            frame: Frame::with_up([0.0, 1.0, 0.0]).expect("a direction"),
            convex_distance_m: 0.0,
            vertex_points: Vec::new(),
            vertex_heights_m: Vec::new(),
            cell_first_edges: vec![0],
            cell_kinds: Vec::new(),
            cell_areas: Vec::new(),
            edge_vertices: Vec::new(),
            edge_twins: Vec::new(),
            edge_classes: Vec::new(),
            links: Vec::new(),
            area_names: vec!["ground".to_owned()],
            build: None,
            tag_rules: Default::default(),
        };
        self.write(name, empty.validate().expect("an empty mesh is sound").to_bytes());
    }

    /// A small scene and its mesh, as `scene.glb` and `mesh.snav`.
    pub(crate) fn with_mesh() -> Self {
        let bench = Self::new();
        bench.ok(&["scene", "stairs", "-o", "scene.glb"]);
        bench.ok(&["build", "scene.glb", "-o", "mesh.snav"]);
        bench
    }
}
