//! Pictures of real levels: builds every level that lies beside the project with settings that suit
//! it, and draws the mesh on it for a person to look at.

use crate::measurements::{date, folder, machine};
use crate::run::{command, release_binary, root, run, say, target_folder};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;
use std::process::Stdio;

const SHARED: &str = "../shared/scenes";

/// A level, what was chosen for it, and why.
struct Level {
    file: &'static str,
    flags: &'static [&'static str],
    why: &'static str,
    /// Where the picture is cut open, so that floors can be looked into.
    cut_height_m: Option<&'static str>,
}

const LEVELS: &[Level] = &[
    Level { file: "recast_nav_test.obj", flags: &[], why: "", cut_height_m: None },
    Level { file: "recast_dungeon.obj", flags: &[], why: "", cut_height_m: None },
    Level { file: "duplex_apartment.obj", flags: &[], why: "", cut_height_m: Some("5.5") },
    Level { file: "small_house.glb", flags: &[], why: "", cut_height_m: Some("2.2") },
    Level { file: "small_city.glb", flags: &[], why: "", cut_height_m: None },
    Level { file: "librequake_e2m3.obj", flags: &[], why: "", cut_height_m: Some("12") },
    Level {
        file: "sauerbraten_zdm2.obj",
        flags: &[
            "--agent-height",
            "14.4",
            "--agent-radius",
            "2.4",
            "--max-step",
            "3.2",
            "--min-area",
            "64",
            "--gap-distance",
            "0.08",
            "--wall-thickness",
            "0.2",
            "--tolerance",
            "0.024",
        ],
        why: "eight units a metre: the agent and all lengths times eight",
        cut_height_m: None,
    },
    Level { file: "collapsed_police_station.obj", flags: &[], why: "", cut_height_m: None },
    Level {
        file: "hololens_room.glb",
        flags: &["--gap-distance", "0.05", "--wall-thickness", "0.06", "--agent-radius", "0.2"],
        why: "a scan in chunks that do not meet: wider cracks, and an agent that fits between the \
              furniture",
        cut_height_m: Some("0.5"),
    },
    Level {
        file: "terrain3d_1m.glb",
        flags: &["--simplify", "0.05"],
        why: "a million triangles: detail below 5 cm is of no use to a walker",
        cut_height_m: None,
    },
];

/// Builds and draws them all into `target/levels`, and writes the table into `docs/measurements`.
pub(crate) fn draw_all() -> Result<()> {
    let levels = root().join(SHARED);
    if !levels.is_dir() {
        say(&format!("{} is not there: no levels to build", levels.display()));
        return Ok(());
    }
    let binary = release_binary()?;
    let work = target_folder().join("levels");
    std::fs::create_dir_all(&work)?;
    let mut table = format!(
        "# Real levels by the exact pipeline: {}\n\nMade on {} by `cargo xtask levels`, which also draws \
         every mesh on its level into `target/levels`. All levels have Y up; where nothing is said, \
         they are built with the defaults: height 1.8 m, radius 0.3 m, slope 45°, step 0.4 m.\n\n\
         | level | triangles | settings | seconds | MB | cells | components | area, m² |\n\
         |---|---:|---|---:|---:|---:|---:|---:|\n",
        date(),
        machine()
    );
    for level in LEVELS {
        let file = levels.join(level.file);
        if !file.is_file() {
            say(&format!("{} is not there", file.display()));
            continue;
        }
        let mesh = work.join(level.file).with_extension("snav");
        let picture = work.join(level.file).with_extension("png");
        let output = command(&binary)
            .arg("build")
            .arg(&file)
            .arg("-o")
            .arg(&mesh)
            .args(level.flags)
            .arg("--json")
            .stderr(Stdio::inherit())
            .output()?;
        anyhow::ensure!(output.status.success(), "{} does not build", level.file);
        let report: Value = serde_json::from_slice(&output.stdout).context("the report")?;
        let number = |name: &str| report[name].as_f64().unwrap_or(f64::NAN);
        let settings = match level.flags {
            [] => "defaults".to_owned(),
            flags => format!("`{}` ({})", flags.join(" "), level.why),
        };
        writeln!(
            table,
            "| {} | {} | {settings} | {:.2} | {:.0} | {} | {} | {:.0} |",
            level.file,
            number("input_triangles"),
            number("total_ms") / 1e3,
            number("peak_rss_mb"),
            number("cells"),
            number("components"),
            number("area_m2")
        )?;
        let mut draw = command(&binary);
        draw.arg("export").arg(&mesh).arg("--scene").arg(&file).arg("-o").arg(&picture);
        if let Some(cut) = level.cut_height_m {
            draw.args(["--cut-height", cut]);
        }
        run(draw.stdout(Stdio::null()))?;
        say(&format!("{} drawn", picture.display()));
    }
    let document = folder()?.join("levels.md");
    std::fs::write(&document, table)?;
    say(&format!("{} written", document.display()));
    Ok(())
}
