//! Makes the page from `web` and lists its files for embedding.
//!
//! Runs when a source of the page has changed, and only then. `npm ci` runs only when the lock file
//! has; Vite writes into cargo's own folder. What npm installs lies beside the page in the house, where its
//! tests use it too, and in cargo's own folder anywhere else. Without Node, without a network or with
//! `SUREFOOT_VIEWER_PAGE=none` the crate still compiles: the page is then missing, and the program
//! says why.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What the page is made from, beside the folder `src`.
const SOURCES: [&str; 6] = [
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
    ".npmrc",
];

/// Set to `none`, it leaves the page out.
const PAGE_VARIABLE: &str = "SUREFOOT_VIEWER_PAGE";

fn main() {
    let web = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("web");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", web.join(source).display());
    }
    for folder in ["src", "public"] {
        println!("cargo::rerun-if-changed={}", web.join(folder).display());
    }
    println!("cargo::rerun-if-env-changed={PAGE_VARIABLE}");

    let page = out.join("page");
    // Of a packaged crate the sources must stay as they are.
    let is_in_house = web.join("../../../xtask/Cargo.toml").is_file();
    let made = if is_in_house {
        make_page(&web, &page)
    } else {
        let copy = out.join("web");
        copy_sources(&web, &copy).and_then(|()| make_page(&copy, &page))
    };
    if let Err(why) = &made {
        println!("cargo::warning=the viewer's page is left out: {why}");
    }
    let listed = made.and_then(|()| list_files(&page).map_err(|e| e.to_string()));
    let table = match listed {
        Ok(files) => table(&files, None),
        Err(why) => table(&[], Some(&why)),
    };
    if let Err(error) = fs::write(out.join("page.rs"), table) {
        panic!("{} cannot be written: {error}", out.join("page.rs").display());
    }
}

/// Copies what the page is made from.
fn copy_sources(web: &Path, copy: &Path) -> Result<(), String> {
    let all = ["src", "public"].into_iter().filter(|folder| web.join(folder).is_dir());
    let below = all.map(|folder| list_files(&web.join(folder)).map(|files| (folder, files)));
    let below: Vec<_> = below.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let below = below.iter().flat_map(|(folder, files)| {
        files.iter().map(move |(name, path)| (format!("{folder}/{name}"), path.clone()))
    });
    let beside = SOURCES.map(|name| (name.to_owned(), web.join(name)));
    for (name, path) in beside.into_iter().filter(|(_, path)| path.is_file()).chain(below) {
        let place = copy.join(name);
        let folder = place.parent().unwrap_or(copy);
        let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(&path, &place));
        copied.map_err(|e| format!("{} cannot be copied: {e}", path.display()))?;
    }
    Ok(())
}

/// Runs the bundler, after installing what it needs where that has changed.
fn make_page(web: &Path, page: &Path) -> Result<(), String> {
    if env::var_os(PAGE_VARIABLE).is_some_and(|v| v == "none") {
        return Err(format!("{PAGE_VARIABLE} is `none`"));
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let lock = fs::read(web.join("package-lock.json"))
        .map_err(|e| format!("web/package-lock.json cannot be read: {e}"))?;
    let stamp = web.join("node_modules").join(".surefoot-lock");
    if fs::read(&stamp).ok().as_deref() != Some(&lock) {
        run(web, npm, ["ci", "--no-audit", "--no-fund"])?;
        // Without the stamp the next build installs again, which is slow but not wrong.
        let _ = fs::write(&stamp, &lock);
    }
    if page.exists() {
        fs::remove_dir_all(page).map_err(|e| format!("{}: {e}", page.display()))?;
    }
    let place = page.as_os_str();
    let arguments = ["run", "--silent", "build", "--", "--outDir"].map(OsStr::new);
    run(web, npm, arguments.into_iter().chain([place]))
}

fn run<S: AsRef<OsStr>>(
    folder: &Path,
    program: &str,
    arguments: impl IntoIterator<Item = S>,
) -> Result<(), String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    match output {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("Node was not found when it was compiled; install Node 20.19 or later with npm"
                .to_owned())
        }
        Err(error) => Err(format!("{program} could not be started: {error}")),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty());
            let telling = lines().find(|l| !l.starts_with("npm warn")).or_else(|| lines().next());
            Err(format!(
                "{program} failed ({}): {}",
                output.status,
                telling.unwrap_or("no message")
            ))
        }
    }
}

/// All files of a folder and those below, by their path in it with forward slashes, in order.
fn list_files(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(name) = path.strip_prefix(root) {
                files.push((name.to_string_lossy().replace('\\', "/"), path));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The table of files as Rust.
fn table(files: &[(String, PathBuf)], missing: Option<&str>) -> String {
    let mut out = format!("pub(super) const MISSING: Option<&str> = {missing:?};\n");
    out.push_str("pub(super) static FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in files {
        let _ = writeln!(out, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    out.push_str("];\n");
    out
}
