//! No stage may come to need more instructions without anybody noticing.
//!
//! In goes the program `count-stages`, run under callgrind, which writes its counters wherever a stage
//! begins; out come the instructions of every stage, summed over the program's scenes and compared with
//! a baseline that is part of the repository. A rise by more than a tenth fails with the stage's name.
//! Unlike times, counts are the same on a busy machine. The hottest stages are lines of their own, the
//! others of each part of the house are one, so that everything is counted somewhere. With `--functions`
//! the counts are shown by function too: where the instructions of a stage go.

use crate::callgrind::{Functions, by_function, total};
use crate::run::{cargo, command, root, run as execute, say, target_folder};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Stdio;

/// The baseline, beside the program that is counted.
const BASELINE: &str = "testing/bench/baseline.txt";

/// How many stages of each pipeline are lines of their own.
const HOTTEST: usize = 5;

/// A rise beyond this share of the baseline fails; a fall beyond it asks for a new baseline.
const MOST_RISE: f64 = 0.1;

/// How many functions of a stage are shown.
const SHOWN: usize = 8;

/// Work between stages, which is not counted.
const BETWEEN: &str = "between";

/// Parts of the house that are not pipelines: each of their stages is a line of its own.
const SINGLE: [&str; 4] = ["scene", "mesh", "query", "verify"];

/// What is needed to count, in words, where it is missing.
const NEEDS: &str = "the instruction gate needs valgrind on Linux x86-64: apt-get install valgrind";

/// Instructions by stage.
type Counts = BTreeMap<String, u64>;

/// What to build. Cargo builds what both share once if both are built together.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    /// The program that is counted alone.
    Alone,
    /// Together with the command line, whose parts have been built already.
    WithBinary,
}

/// Counts and compares with the baseline, or writes it anew.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    match words {
        [] => gate(Build::Alone, false),
        ["--write"] => gate(Build::Alone, true),
        ["--functions", stages @ ..] => show_functions(stages),
        other => bail!("what is `{}`? There are --write and --functions", other.join(" ")),
    }
}

/// Counts, then compares or writes.
pub(crate) fn gate(build: Build, write: bool) -> Result<()> {
    if !prepare() {
        if write {
            bail!("{NEEDS}");
        }
        say(&format!("== instruction gate: skipped; {NEEDS}"));
        return Ok(());
    }
    let counts = count(build)?;
    let place = root().join(BASELINE);
    if write {
        std::fs::write(&place, text(&lines_of_their_own(&counts)))?;
        say(&format!("{} written", place.display()));
        return Ok(());
    }
    let known = std::fs::read_to_string(&place)
        .with_context(|| format!("{BASELINE} is not there; `cargo xtask gate --write` makes it"))?;
    let compared = compare(&parse(&known)?, &counts);
    say(&compared.table);
    if !compared.risen.is_empty() {
        bail!(
            "more than {:.0} % above the baseline: {}; make them cheaper or, where the cost is \
             worth it, say why and remake the baseline with `cargo xtask gate --write`",
            MOST_RISE * 100.0,
            compared.risen.join(", ")
        );
    }
    Ok(())
}

/// Whether valgrind is there, if need be after installing it.
fn prepare() -> bool {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return false;
    }
    let works = |program: &str| {
        let mut asked = command(program);
        asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_ok_and(|s| s.success())
    };
    if !works("valgrind") && works("apt-get") {
        say("== instruction gate: installing valgrind");
        let install = || command("apt-get").args(["install", "-y", "-q", "valgrind"]).status();
        if !install().is_ok_and(|s| s.success()) {
            let _ = command("apt-get").args(["update", "-q"]).status();
            let _ = install();
        }
    }
    works("valgrind")
}

/// Counts and shows which functions the instructions of stages go to, of all or of those named.
fn show_functions(stages: &[&str]) -> Result<()> {
    if !prepare() {
        bail!("{NEEDS}");
    }
    let mut functions = Functions::default();
    let mut by_stage: BTreeMap<String, BTreeMap<u64, u64>> = BTreeMap::new();
    // All dumps are read, since each names only functions that those before it have not named.
    for (stage, dump) in run_counted(Build::Alone)? {
        let counts = by_stage.entry(stage).or_default();
        for (function, count) in by_function(&dump, &mut functions) {
            *counts.entry(function).or_default() += count;
        }
    }
    let mut lines = String::new();
    for (stage, counts) in &by_stage {
        if stage == BETWEEN || !(stages.is_empty() || stages.contains(&stage.as_str())) {
            continue;
        }
        let whole: u64 = counts.values().sum();
        writeln!(lines, "{stage}: {:.1} M", whole as f64 / 1e6)?;
        let mut sorted: Vec<(u64, u64)> = counts.iter().map(|(f, n)| (*n, *f)).collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        for (count, function) in sorted.into_iter().take(SHOWN) {
            let share = 100.0 * count as f64 / whole.max(1) as f64;
            writeln!(lines, "  {share:5.1} %  {}", functions.name(function))?;
        }
    }
    say(&lines);
    Ok(())
}

/// The instructions of every stage.
fn count(build: Build) -> Result<Counts> {
    let mut counts = Counts::new();
    for (stage, dump) in run_counted(build)? {
        if stage != BETWEEN {
            let count = total(&dump).with_context(|| format!("a dump of {stage} has no total"))?;
            *counts.entry(stage).or_default() += count;
        }
    }
    Ok(counts)
}

/// Builds the program, runs it under callgrind and reads the dumps, each with the name of its stage.
fn run_counted(build: Build) -> Result<Vec<(String, String)>> {
    let mut built = cargo();
    built.args(["build", "--locked", "--release", "--package", "surefoot_bench"]);
    if let Build::WithBinary = build {
        built.args(["--package", "surefoot_cli"]);
    }
    execute(&mut built)?;
    let program = target_folder().join("release/count-stages");
    let folder = target_folder().join("gate");
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let out = folder.join("out");
    let mut valgrind = command("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind", "--dump-before=*mark_stage*"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg(&program);
    // Addresses on the stack would depend on the size of the environment.
    valgrind.env_clear().stderr(Stdio::inherit());
    let ran = valgrind.output().with_context(|| format!("{valgrind:?} could not be started"))?;
    if !ran.status.success() {
        bail!("{valgrind:?} failed: {}", ran.status);
    }
    let names = String::from_utf8(ran.stdout).context("names of stages")?;
    // The first dump is of what came before the first stage, and the last name is the end.
    let stages = std::iter::once(BETWEEN).chain(names.lines());
    let count = names.lines().count();
    let mut dumps = Vec::new();
    for (part, stage) in stages.take(count).enumerate() {
        let place = folder.join(format!("out.{}", part + 1));
        let dump = std::fs::read_to_string(&place).with_context(|| {
            format!("{} is not there; was `mark_stage` inlined?", place.display())
        })?;
        dumps.push((stage.to_owned(), dump));
    }
    Ok(dumps)
}

/// The line of the table that the stages of a pipeline share which have none of their own.
fn rest_of(stage: &str) -> String {
    format!("{}/rest", stage.split('/').next().unwrap_or(stage))
}

fn is_single(stage: &str) -> bool {
    SINGLE.iter().any(|part| stage.split('/').next() == Some(part))
}

/// Keeps the hottest stages of each pipeline and everything else that is single; sums up the rest.
fn lines_of_their_own(counts: &Counts) -> Counts {
    let mut pipelines: BTreeMap<String, Vec<(&String, u64)>> = BTreeMap::new();
    for (stage, &count) in counts.iter().filter(|(stage, _)| !is_single(stage)) {
        pipelines.entry(rest_of(stage)).or_default().push((stage, count));
    }
    let mut hottest: Vec<&String> = Vec::new();
    for stages in pipelines.values_mut() {
        stages.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        hottest.extend(stages.iter().take(HOTTEST).map(|s| s.0));
    }
    gather(counts, |stage| is_single(stage) || hottest.contains(&stage))
}

fn gather(counts: &Counts, own: impl Fn(&String) -> bool) -> Counts {
    let mut lines = Counts::new();
    for (stage, count) in counts {
        let line = if own(stage) { stage.clone() } else { rest_of(stage) };
        *lines.entry(line).or_default() += count;
    }
    lines
}

fn text(lines: &Counts) -> String {
    let mut text = String::from(
        "# Instructions of each stage over the scenes of `count-stages`, release profile, one thread.\n\
         # Made by `cargo xtask gate --write`; `cargo xtask gate` fails where one rises by a tenth.\n",
    );
    for (stage, count) in lines {
        let _ = writeln!(text, "{stage} {count}");
    }
    text
}

fn parse(text: &str) -> Result<Counts> {
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    lines
        .map(|line| {
            let parts = line.split_once(' ').and_then(|(s, n)| Some((s, n.trim().parse().ok()?)));
            let (stage, count) = parts.with_context(|| format!("{BASELINE}: what is `{line}`?"))?;
            Ok((stage.to_owned(), count))
        })
        .collect()
}

/// What a comparison has found.
struct Compared {
    table: String,
    risen: Vec<String>,
}

/// Compares with a baseline, line by line; a line that the baseline does not know has risen.
fn compare(baseline: &Counts, counts: &Counts) -> Compared {
    let now = gather(counts, |stage| baseline.contains_key(stage));
    let mut compared = Compared { table: String::new(), risen: Vec::new() };
    let _ =
        writeln!(compared.table, "{:<28} {:>12} {:>12} {:>9}", "stage", "then", "now", "change");
    let names = baseline.keys().chain(now.keys().filter(|n| !baseline.contains_key(*n)));
    for name in names {
        let (then, is) = (baseline.get(name).copied(), now.get(name).copied());
        let million = |n: Option<u64>| n.map_or("-".into(), |n| format!("{:.2} M", n as f64 / 1e6));
        let change = match (then, is) {
            (Some(then), Some(is)) => is as f64 / then.max(1) as f64 - 1.0,
            (None, Some(_)) => f64::INFINITY,
            (_, None) => -1.0,
        };
        let mut note = "";
        if change > MOST_RISE {
            let risen = if change.is_finite() {
                format!("{name} ({:+.1} %)", change * 100.0)
            } else {
                format!("{name} (not in the baseline)")
            };
            compared.risen.push(risen);
            note = "  risen";
        } else if change < -MOST_RISE {
            note = "  fallen: remake the baseline with `cargo xtask gate --write`";
        }
        let _ = writeln!(
            compared.table,
            "{name:<28} {:>12} {:>12} {:>+7.2} %{note}",
            million(then),
            million(is),
            change * 100.0
        );
    }
    compared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(of: &[(&str, u64)]) -> Counts {
        of.iter().map(|&(s, n)| (s.to_owned(), n)).collect()
    }

    #[test]
    fn a_rise_above_a_tenth_names_the_stage() {
        let baseline = counts(&[("exact/cut", 1000), ("exact/erode", 1000), ("exact/rest", 100)]);
        let now = counts(&[("exact/cut", 1099), ("exact/erode", 1101), ("exact/read", 100)]);
        let compared = compare(&baseline, &now);
        assert_eq!(compared.risen, ["exact/erode (+10.1 %)"]);
    }

    #[test]
    fn a_stage_without_a_line_counts_to_the_rest_of_its_pipeline() {
        let baseline = counts(&[("exact/cut", 1000), ("exact/rest", 100)]);
        let now = counts(&[("exact/cut", 1000), ("exact/read", 90), ("exact/polish", 90)]);
        assert_eq!(compare(&baseline, &now).risen, ["exact/rest (+80.0 %)"]);
        let now = counts(&[("exact/cut", 1000), ("exact/read", 90), ("planet/cut", 5)]);
        assert_eq!(compare(&baseline, &now).risen, ["planet/rest (not in the baseline)"]);
    }

    #[test]
    fn a_fall_is_no_failure_but_is_said() {
        let baseline = counts(&[("exact/cut", 1000), ("exact/old", 1000)]);
        let compared = compare(&baseline, &counts(&[("exact/cut", 800)]));
        assert!(compared.risen.is_empty());
        assert_eq!(compared.table.matches("fallen").count(), 2, "{}", compared.table);
    }

    #[test]
    fn the_hottest_stages_have_lines_and_nothing_is_lost() {
        let mut all = Counts::new();
        for i in 0..40 {
            all.insert(format!("exact/stage{i:02}"), i);
        }
        all.insert("query/optimal".to_owned(), 1);
        let lines = lines_of_their_own(&all);
        assert_eq!(lines.len(), HOTTEST + 2);
        assert!(lines.contains_key("exact/stage39") && !lines.contains_key("exact/stage34"));
        assert_eq!(lines.values().sum::<u64>(), all.values().sum::<u64>());
        assert_eq!(parse(&text(&lines)).unwrap(), lines);
        assert!(parse("exact/cut many").is_err());
    }
}
