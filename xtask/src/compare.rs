//! Surefoot beside its peers on every scene, as a dated document with charts in `docs/measurements`.

use crate::measurements::{date, folder as today, machine};
use crate::run::{cargo, command, root, run, say, target_folder};
use anyhow::{Result, bail};
use std::path::Path;

/// Scene files beside the repository, taken unless another folder is named.
const SHARED: &str = "../shared/scenes";

/// Compares everything, or with `--only` the scenes named, whose document is printed. A folder names
/// scene files to take as well.
pub(crate) fn run_all(words: &[&str]) -> Result<()> {
    let mut passed: Vec<String> = Vec::new();
    let mut folder = None;
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--only" | "--seconds" => {
                let Some(value) = words.next() else { bail!("{word} needs a value") };
                passed.extend([word.to_owned(), (*value).to_owned()]);
            }
            flag if flag.starts_with("--") => {
                bail!("what is `{flag}`? There are --only SCENE and --seconds N")
            }
            named => folder = Some(std::env::current_dir()?.join(named)),
        }
    }
    let shared = root().join(SHARED);
    let folder = folder.or_else(|| Path::new(&shared).is_dir().then_some(shared));
    let package = ["--package", "surefoot_compare_peers", "--bin", "compare-peers"];
    run(cargo().args(["build", "--locked", "--release"]).args(package))?;
    let program = format!("release/compare-peers{}", std::env::consts::EXE_SUFFIX);
    let mut compare = command(target_folder().join(program));
    compare.arg("all").args(&passed);
    compare.args(["--date", &date(), "--machine", &machine()]);
    let out = if passed.iter().any(|w| w == "--only") { None } else { Some(today()?) };
    if let Some(out) = &out {
        compare.arg("--out").arg(out);
    }
    if let Some(folder) = folder {
        compare.arg(folder);
    }
    run(&mut compare)?;
    if let Some(out) = &out {
        say(&format!("{} written", out.join("compare.md").display()));
    }
    Ok(())
}
