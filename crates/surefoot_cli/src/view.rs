//! `surefoot view`: scenes, meshes and paths in a local web page.

use crate::args::ViewArgs;
use crate::outcome::{Answer, Failure};
use crate::output::{print, warn};
use std::process::{Command, Stdio};
use surefoot_viewer::{Viewer, ViewerOptions};

pub(crate) fn run(args: &ViewArgs) -> Result<Answer, Failure> {
    if let Some(file) = args.files.iter().find(|f| !f.is_file()) {
        return Err(Failure::file(file, "is no file; check that it exists and may be read"));
    }
    let viewer = Viewer::bind(ViewerOptions {
        files: args.files.clone(),
        scene_name: args.scene_name.clone(),
        port: args.port,
        threads: Some(rayon::current_num_threads()),
    })
    .map_err(Failure::failed)?;
    let address = viewer.address();
    print(&format!("{address}\n"))?;
    if !args.no_open && !open(&address) {
        warn(format!("no browser could be opened; open {address} in one"));
    }
    viewer.serve();
    Ok(Answer::Yes)
}

/// Opens the page in the person's browser.
fn open(address: &str) -> bool {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let quiet = Stdio::null;
    let started = Command::new(program)
        .args(before)
        .arg(address)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    started.is_ok()
}
