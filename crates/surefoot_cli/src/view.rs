//! `surefoot view`: scenes, meshes and paths in a local web page.

use crate::args::ViewArgs;
use crate::outcome::{Answer, Failure};
use crate::output::{print, warn};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use surefoot_viewer::{Viewer, ViewerOptions};
use tempfile::TempPath;

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
    if !args.no_open && !show(&address) {
        warn("no browser could be opened; open the address above in one, as a whole");
    }
    viewer.serve();
    Ok(Answer::Yes)
}

/// How long the page that leads to the viewer is kept: browsers are slow to start.
const DOOR_KEPT: Duration = Duration::from_secs(60);

/// Shows the page in the person's browser. Others on the machine can list the arguments of programs,
/// and the address carries the key; so the browser is given a file that only this person can read and
/// that leads on to it.
fn show(address: &str) -> bool {
    let Ok(door) = write_door(address) else { return false };
    let opened = open(&door);
    std::thread::spawn(move || {
        std::thread::sleep(DOOR_KEPT);
        drop(door);
    });
    opened
}

/// A page in the person's own folder for such things that leads to an address; it goes with the value.
fn write_door(address: &str) -> std::io::Result<TempPath> {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|p| p.is_dir());
    let folder = own.unwrap_or_else(std::env::temp_dir);
    // Such files can be read by their owner alone.
    let mut file =
        tempfile::Builder::new().prefix("surefoot-view-").suffix(".html").tempfile_in(folder)?;
    writeln!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><title>Surefoot</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\">\
         <a href=\"{address}\">The viewer of Surefoot</a>"
    )?;
    Ok(file.into_temp_path())
}

/// Opens a file in the person's browser.
fn open(file: &Path) -> bool {
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
        .arg(file)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    started.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_viewer_is_readable_by_its_owner_alone_and_goes() {
        let address = "http://127.0.0.1:4187/#key=0123";
        let door = write_door(address).unwrap();
        assert!(std::fs::read_to_string(&door).unwrap().contains(&format!("url={address}")));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&door).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{mode:o}");
        }
        let path = door.to_path_buf();
        drop(door);
        assert!(!path.exists());
    }
}
