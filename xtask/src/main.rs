//! What people do by hand in this repository: `cargo xtask TASK`.

mod architecture;
mod callgrind;
mod ci;
mod compare;
mod deny;
mod dependencies;
mod figures;
mod fuzz;
mod gaps;
mod gate;
mod house;
mod levels;
mod measurements;
mod run;
mod scenes;
mod soak;
mod verify_all;
mod viewer;
mod voxel_tables;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask TASK

  ci               everything that must hold before a change goes in
  check            the quick part of it: dependency direction, ARCHITECTURE.md and the rules of the
                   house
  check --long     list the functions of more than 80 lines
  compare [--seconds N] [--only SCENE]... [FOLDER]
                   Surefoot beside its peers on all scenes and on the files of a folder, into a dated
                   document with charts in docs/measurements, in under 20 minutes
  fuzz [SECONDS]   fuzz readers and queries for so many seconds in all [30], pipelines for half as long
  scenes [DIR]     write all procedural scenes [target/scenes]
  levels           build and draw the real levels beside the project, into target/levels, with a
                   table in docs/measurements
  figures          draw the pictures of the guide anew, those of the viewer in Chromium
  figures layered  draw the test maps of the layered pipeline, into docs/measurements
  gate [--write | --functions [STAGE...]]
                   compare the instructions of every stage with the baseline, or write it anew, or
                   show which functions they go to
  gaps             remake the figures and tables that gap annotation follows, into
                   docs/measurements
  mutate [--count N] [--seed N] [--only NUMBER] [--keep FOLDER]
                   build mutated scenes by every method and judge them; says what does not pass
  soak [--minutes N]
                   the viewer under a scripted person and scripted attackers for so many minutes [10];
                   memory and threads must stay what they are
  viewer           test the viewer in Chromium
  verify-all [--samples N] [SCENE...]
                   judge every scene, and Recast's meshes of it, into a table in docs/measurements
  voxel-tables [SCENE...]
                   remake the tables that the voxel pipeline follows, into docs/measurements
  voxel-tiles      look for traces of tiles in voxel builds of all scenes and of many heaps
";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci"] => ci::run(),
        ["check"] => ci::check(),
        ["check", "--long"] => house::list_long_functions(),
        ["compare", rest @ ..] => compare::run_all(rest),
        ["fuzz"] => fuzz::smoke(fuzz::SMOKE_S),
        ["fuzz", seconds] => fuzz::smoke(seconds.parse()?),
        ["scenes"] => scenes::write_all("target/scenes".as_ref()),
        ["scenes", folder] => scenes::write_all(folder.as_ref()),
        ["levels"] => levels::draw_all(),
        ["figures"] => figures::draw_all(),
        ["figures", "layered"] => figures::draw_test_maps(),
        ["viewer"] => viewer::test(&run::release_binary()?),
        ["gaps"] => gaps::write_all(),
        ["mutate", rest @ ..] => mutate(rest),
        ["gate", rest @ ..] => gate::run(rest),
        ["soak", rest @ ..] => soak::run(rest),
        ["verify-all", rest @ ..] => verify_all::run_all(rest),
        ["voxel-tables", rest @ ..] => voxel_tables::write(rest),
        ["voxel-tiles"] => voxel_tables::look_for_tiles(),
        [] | ["help" | "--help" | "-h"] => {
            run::say(HELP);
            Ok(())
        }
        other => bail!("no task `{}`\n\n{HELP}", other.join(" ")),
    }
}

/// Runs the mutations in the release profile: thousands of builds.
fn mutate(arguments: &[&str]) -> Result<()> {
    let mut mutate = run::cargo();
    mutate.args(["run", "--locked", "--release", "--quiet", "-p", "surefoot_mutate", "--"]);
    run::run(mutate.args(arguments))
}
