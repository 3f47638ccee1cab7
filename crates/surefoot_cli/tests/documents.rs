//! The commands in the guide and in the README do what the text says.
//!
//! Every line `surefoot ...` in a block marked `sh` is run, page by page, in a folder that holds the
//! built-in scene `floors` as `level.glb` and its mesh as `level.snav`. It must succeed, or end with the
//! status that the line names: `# exit status 3`. Blocks marked `shell` are for people, and so is
//! `surefoot view`, which does not end.

mod support;

use std::path::{Path, PathBuf};
use support::Bench;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of a page, each with the status that it must end with.
fn commands(text: &str) -> Vec<(Vec<String>, i32)> {
    let mut commands = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
            continue;
        }
        let (words, remark) = line.split_once('#').unwrap_or((line, ""));
        let Some(words) = words.strip_prefix("surefoot ").filter(|_| inside) else { continue };
        if words.starts_with("view") {
            continue;
        }
        let words = words.split_whitespace().map(str::to_owned).collect();
        let status = remark.trim().strip_prefix("exit status ");
        commands.push((words, status.map_or(0, |s| s.parse().expect("a status"))));
    }
    commands
}

fn run_page(page: &Path) {
    let text = std::fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let commands = commands(&text);
    if commands.is_empty() {
        return;
    }
    let bench = Bench::new();
    let flight = std::fs::read(root().join("docs/guide/scenes/flight.obj")).expect("the flight");
    bench.write("flight.obj", flight);
    for made in [
        ["scene", "floors", "-o", "level.glb"].as_slice(),
        &["build", "level.glb", "-o", "level.snav"],
    ] {
        assert_eq!(bench.run(made).status, 0);
    }
    for (words, status) in commands {
        let words: Vec<String> =
            words.into_iter().map(|w| w.replace("docs/guide/scenes/", "")).collect();
        let ran = bench.run(&words);
        let command = words.join(" ");
        assert_eq!(ran.status, status, "{}: surefoot {command}\n{}", page.display(), ran.err);
    }
}

#[test]
fn the_commands_of_the_guide_run() {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(root().join("docs/guide"))
        .expect("the guide")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.sort();
    assert!(pages.len() > 5);
    for page in pages {
        run_page(&page);
    }
}

#[test]
fn the_commands_of_the_readme_run() {
    run_page(&root().join("README.md"));
}

/// The reference of settings is made from their declarations.
#[test]
fn the_table_of_settings_is_that_of_the_program() {
    let page = root().join("docs/guide/all-settings.md");
    let made = format!(
        "# All settings\n\nMade from the declarations of the settings; the flags are those of `surefoot \
         build`.\n\n{}",
        surefoot_bake::settings_markdown()
    );
    if std::env::var_os("SUREFOOT_WRITE_DOCUMENTS").is_some() {
        std::fs::write(&page, &made).expect("the page can be written");
    }
    let stands = std::fs::read_to_string(&page).expect("the page exists");
    assert!(
        stands == made,
        "docs/guide/all-settings.md is not what the settings say; make it anew by \
         `SUREFOOT_WRITE_DOCUMENTS=1 cargo test -p surefoot_cli --test documents`"
    );
}
