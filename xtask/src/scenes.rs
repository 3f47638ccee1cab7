//! All procedural scenes as files.

use crate::run::{command, release_binary, run, say};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// Writes every scene into a folder as `.glb`.
pub(crate) fn write_all(folder: &Path) -> Result<()> {
    let binary = release_binary()?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    let folder = folder.canonicalize()?;
    let list = command(&binary).args(["scene", "--list", "--json"]).output()?;
    let scenes: Value = serde_json::from_slice(&list.stdout)?;
    for scene in scenes.as_array().context("the list of scenes is no list")? {
        let name = scene["name"].as_str().context("a scene without a name")?;
        let file = folder.join(format!("{name}.glb"));
        run(command(&binary).args(["scene", name, "-o"]).arg(&file))?;
    }
    say(&format!("scenes are in {}", folder.display()));
    Ok(())
}
