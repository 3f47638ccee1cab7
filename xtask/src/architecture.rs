//! ARCHITECTURE.md tells the truth about folders.
//!
//! Every folder that it names in backticks with a slash at the end exists, and every folder of the
//! house is named.

use crate::run::root;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::Path;

/// Folders whose children are crates, each of which must be named.
const HOLDS_CRATES: &[&str] = &["crates", "testing", "bindings"];

/// Fails when a named folder does not exist, or an existing one is not named.
pub(crate) fn check() -> Result<()> {
    let root = root();
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md"))
        .context("ARCHITECTURE.md cannot be read")?;
    let named = named_folders(&text);
    if named.is_empty() {
        bail!("ARCHITECTURE.md names no folder; write them as `crates/surefoot_geom/`");
    }
    let mut faults: Vec<String> = named
        .iter()
        .filter(|f| !root.join(f).is_dir())
        .map(|f| format!("it names `{f}/`, which does not exist"))
        .collect();
    for folder in house_folders(&root)? {
        if !named.contains(&folder) {
            faults.push(format!("it does not name `{folder}/`"));
        }
    }
    if !faults.is_empty() {
        bail!("ARCHITECTURE.md is out of date:\n  {}", faults.join("\n  "));
    }
    Ok(())
}

/// What stands in backticks with a slash at its end and no space in it.
fn named_folders(text: &str) -> BTreeSet<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|t| t.strip_suffix('/'))
        .filter(|t| !t.is_empty() && !t.contains(char::is_whitespace) && !t.starts_with("http"))
        .map(str::to_owned)
        .collect()
}

/// The folders at the top that are not hidden or built, and the crates.
fn house_folders(root: &Path) -> Result<BTreeSet<String>> {
    let mut folders = BTreeSet::new();
    for name in folder_names(root)? {
        let skip = name.starts_with('.') || name.starts_with("target") || name == "surefoot-demo";
        if skip || name == "node_modules" {
            continue;
        }
        if HOLDS_CRATES.contains(&name.as_str()) {
            for child in folder_names(&root.join(&name))? {
                if root.join(&name).join(&child).join("Cargo.toml").is_file() {
                    folders.insert(format!("{name}/{child}"));
                }
            }
        } else {
            folders.insert(name);
        }
    }
    Ok(folders)
}

/// The names of a folder's folders, in order.
pub(crate) fn folder_names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_what_ends_in_a_slash_between_backticks() {
        let text = "The `crates/surefoot_geom/` crate, `Frame`, `a b/` and `docs/`.";
        let named: Vec<String> = named_folders(text).into_iter().collect();
        assert_eq!(named, ["crates/surefoot_geom", "docs"]);
    }
}
