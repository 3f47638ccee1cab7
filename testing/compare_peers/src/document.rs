//! The comparison for people: Markdown and charts.
//!
//! In goes the JSON that [`crate::compare_all`] has measured, with a date and the machine's name; out
//! come the text of a document and its charts. Nothing is computed here but ratios, medians of them and
//! exponents of growth.

use crate::chart::{Axis, Series, draw_lines, exponent};
use crate::tool::Tool;
use serde_json::Value;
use std::fmt::Write;

/// A document and its charts, by the names of their files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// The document's text.
    pub markdown: String,
    /// Charts: names and SVG.
    pub charts: Vec<(String, String)>,
}

/// Sizes between which exponents are fitted, in triangles: smaller ones measure what a build costs at
/// all.
const FITTED: [f64; 2] = [9e3, 1.1e6];

/// Makes the document of a comparison.
#[must_use]
pub fn write_document(measured: &Value, date: &str, machine: &str) -> Written {
    let mut written = Written::default();
    let text = &mut written.markdown;
    let _ = writeln!(
        text,
        "# Beside its peers: {date}\n\n\
         Made by `cargo xtask compare` on {machine}, in {:.1} minutes; everything measured stands in \
         [compare.json](compare.json). All tools build the same triangles for the same agent: 1.8 m high, \
         0.3 m radius, steps of 0.4 m, slopes of 45°; patches of 1 m² or more are kept. The number behind \
         a tool is the size of its cells in metres; cells of voxel, Recast and rerecast are half as high \
         as wide. Recast is `navmesh-rs`, a port that gives the same bits; it builds in one piece, by \
         watersheds, with its detail mesh. Times are medians of builds in turns in one process, with the \
         fastest and the slowest in brackets: on one thread the time that the thread ran, so that other \
         work on the machine hardly counts, on two threads the time of day; the peers know only one. \
         Every tool has the same time for this: a slow one is built fewer times, and one that would have \
         taken the time of all others was built once. Memory is the peak of a build in a process of its own, less what the scene takes. Sound and \
         complete are shares by the checker with {} samples each, or as many as stand behind the number of \
         triangles of a large scene, held to 1 cm in plan; in brackets: held to the size of the tool's \
         cells. Half of the samples lie on boundaries and corners, where faults \
         hide.\n\n\
         Threads that wanted to run, this program's own included: {} in the minute before it began, {} in \
         its last. Far above two, other work took turns with it: then times on two threads are those of \
         a busy machine. Nobody is stopped for that: limits are processor time, of the build alone, the \
         same for all tools of a scene, and the checker has one of its own. Without other work the whole \
         would have taken about {} minutes.\n",
        number(&measured["seconds"]) / 60.0,
        measured["samples"],
        short(number(&measured["load"][0])),
        short(number(&measured["load"][1])),
        short(number(&measured["quiet_seconds"]) / 60.0),
    );
    let scenes = array(&measured["scenes"]);
    summary(text, scenes, array(&measured["growth"]));
    building(text, scenes, &measured["samples"]);
    paths(text, scenes, &measured["pairs"]);
    written.charts = growth(text, array(&measured["growth"]));
    stages(text, scenes);
    written
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A number with about three digits.
fn short(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A count with commas.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a race measured of a tool.
fn raced<'v>(scene: &'v Value, tool: &str, threads: u64) -> Option<&'v Value> {
    array(&scene["race"]).iter().find(|l| l["tool"] == tool && l["threads"] == threads)
}

fn median_ms(scene: &Value, tool: &str, threads: u64) -> Option<f64> {
    raced(scene, tool, threads)?["median_ms"].as_f64()
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Names of the two tools of a ratio, and the number of threads of the first.
const RATIOS: [(&str, u64, &str); 8] = [
    ("exact", 1, "Recast 0.3"),
    ("exact", 1, "Recast 0.1"),
    ("exact", 2, "Recast 0.1"),
    ("voxel 0.1", 1, "Recast 0.1"),
    ("voxel 0.1", 2, "Recast 0.1"),
    ("layered 0.05", 1, "Recast 0.1"),
    ("layered 0.05", 2, "Recast 0.1"),
    ("rerecast 0.1", 1, "Recast 0.1"),
];

fn summary(text: &mut String, scenes: &[Value], growth: &[Value]) {
    let _ = writeln!(
        text,
        "## In short\n\n| time of | of that of | median over scenes | best | worst | scenes |\n\
         |---|---|---:|---:|---:|---:|"
    );
    for (one, threads, other) in RATIOS {
        let ratio = |s: &Value| Some(median_ms(s, one, threads)? / median_ms(s, other, 1)?);
        let ratios: Vec<f64> = scenes.iter().filter_map(ratio).collect();
        let (best, worst) = (
            ratios.iter().copied().fold(f64::INFINITY, f64::min),
            ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        );
        let count = ratios.len();
        let Some(middle) = middle(ratios) else { continue };
        let on = if threads == 2 { ", two threads" } else { "" };
        let _ = writeln!(
            text,
            "| {one}{on} | {other} | {} | {} | {} | {count} |",
            short(middle),
            short(best),
            short(worst)
        );
    }
    let _ = writeln!(
        text,
        "\n| tool | scenes built | failed | stopped for time | sound to 0.999 and complete to 0.99, held \
         to 1 cm | held to a cell | median peak, MiB |\n|---|---:|---:|---:|---:|---:|---:|"
    );
    for tool in tools(scenes) {
        let lines: Vec<&Value> = scenes
            .iter()
            .flat_map(|s| array(&s["tools"]))
            .filter(|l| l["tool"].as_str() == Some(&tool))
            .collect();
        let stopped = lines.iter().filter(|l| is_stopped(&l["failed"])).count();
        let failed = lines.iter().filter(|l| !l["failed"].is_null()).count() - stopped;
        let holds = |sound: &Value, complete: &Value| {
            sound.as_f64() >= Some(0.999) && complete.as_f64() >= Some(0.99)
        };
        let exactly = lines.iter().filter(|l| holds(&l["sound"], &l["complete"])).count();
        let by_cell = lines.iter().filter(|l| holds(&l["by_cell"][0], &l["by_cell"][1])).count();
        let peak = middle(lines.iter().filter_map(|l| l["peak_mib"].as_f64()).collect());
        let _ = writeln!(
            text,
            "| {tool} | {} | {failed} | {stopped} | {exactly} | {by_cell} | {} |",
            lines.len() - failed - stopped,
            short(peak.unwrap_or(f64::NAN))
        );
    }
    if !growth.is_empty() {
        let _ = writeln!(text, "\nGrowth of time with size stands [below](#growth).");
    }
}

/// Whether it was we who stopped a tool, since it took too long.
fn is_stopped(failed: &Value) -> bool {
    failed.as_str().is_some_and(|why| why.starts_with("stopped"))
}

/// Why a line has no numbers.
fn reason(why: &str) -> String {
    if why.starts_with("stopped") { one_line(why) } else { format!("failed: {}", one_line(why)) }
}

/// The tools of a comparison, in order.
fn tools(scenes: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in scenes.iter().flat_map(|s| array(&s["tools"])) {
        let name = line["tool"].as_str().unwrap_or("?");
        if !names.iter().any(|n| n == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn building(text: &mut String, scenes: &[Value], all_samples: &Value) {
    let _ = writeln!(
        text,
        "\n## Building\n\n| scene (triangles) | tool | ms | ms, two threads | peak, MiB | cells | \
         triangles | components | area, m² | sound | complete |\n|---|---|---:|---:|---:|---:|---:|---:|\
         ---:|---:|---:|"
    );
    for scene in scenes {
        let samples = match (scene["samples"].as_u64(), all_samples.as_u64()) {
            (Some(own), Some(all)) if own < all => format!("; {} samples", grouped(own as f64)),
            _ => String::new(),
        };
        let mut name = format!(
            "{} ({}{samples})",
            scene["scene"].as_str().unwrap_or("?"),
            grouped(number(&scene["input_triangles"]))
        );
        if let Some(why) = scene["failed"].as_str() {
            let _ = writeln!(text, "| {name} | failed: {} | | | | | | | | | |", one_line(why));
        }
        for line in array(&scene["tools"]) {
            let tool = line["tool"].as_str().unwrap_or("?");
            if let Some(why) = line["failed"].as_str() {
                let why = reason(why);
                let _ = writeln!(text, "| {name} | {tool} | {why} | | | | | | | | |");
                name.clear();
                continue;
            }
            let time = |threads| {
                let once = match threads {
                    1 => format!("{} (once)", short(number(&line["ms"]))),
                    _ => String::new(),
                };
                raced(scene, tool, threads).map_or(once, |l| {
                    if l["rounds"] == 1 {
                        return format!("{} (once)", short(number(&l["median_ms"])));
                    }
                    format!(
                        "{} ({} to {})",
                        short(number(&l["median_ms"])),
                        short(number(&l["least_ms"])),
                        short(number(&l["most_ms"]))
                    )
                })
            };
            let share = |own: &Value, by_cell: &Value| {
                if own.is_null() {
                    return if line["stopped"].is_null() { "-" } else { "stopped" }.to_owned();
                }
                match tool.parse::<Tool>().ok().and_then(Tool::cell_size_m) {
                    None => format!("{:.4}", number(own)),
                    Some(_) => format!("{:.4} ({:.4})", number(own), number(by_cell)),
                }
            };
            let _ = writeln!(
                text,
                "| {name} | {tool} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                time(1),
                time(2),
                short(number(&line["peak_mib"])),
                grouped(number(&line["cells"])),
                grouped(number(&line["triangles"])),
                grouped(number(&line["components"])),
                short(number(&line["area_m2"])),
                share(&line["sound"], &line["by_cell"][0]),
                share(&line["complete"], &line["by_cell"][1]),
            );
            name.clear();
        }
    }
}

/// A message in a cell of a table.
fn one_line(text: &str) -> String {
    let line: String = text.replace(['\n', '|'], " ");
    if line.chars().count() > 90 {
        line.chars().take(87).chain("...".chars()).collect()
    } else {
        line
    }
}

fn paths(text: &mut String, scenes: &[Value], pairs: &Value) {
    let _ = writeln!(
        text,
        "\n## Paths\n\nThe same {pairs} random pairs on the same cells: Recast's polygons of the scene, \
         with cells of 0.1 m. Microseconds, median / 95th percentile, locating both ends included; pairs \
         without a path apart. Optimal and A* are ours; longer: how many of Detour's paths are more than \
         1 % and 5 % longer than the shortest.\n\n\
         | scene | cells | found | optimal | A* | Detour | polyanya | optimal / Detour | no path: ours | \
         Detour | polyanya | longer by 1 % | 5 % |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    );
    let mut ratios = Vec::new();
    for scene in scenes {
        let (name, line) = (scene["scene"].as_str().unwrap_or("?"), &scene["paths"]);
        if let Some(why) = line["failed"].as_str() {
            let why = reason(why);
            let _ = writeln!(text, "| {name} | {why} | | | | | | | | | | | |");
            continue;
        }
        let both = |v: &Value| {
            if v.is_null() {
                return "-".to_owned();
            }
            format!("{} / {}", short(number(&v[0])), short(number(&v[1])))
        };
        let ratio = number(&line["optimal_us"][0]) / number(&line["detour_us"][0]);
        if ratio.is_finite() {
            ratios.push(ratio);
        }
        let longer = &line["detour_longer"];
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} % | {:.1} % |",
            grouped(number(&line["cells"])),
            line["found"],
            both(&line["optimal_us"]),
            both(&line["portals_us"]),
            both(&line["detour_us"]),
            both(&line["polyanya_us"]),
            short(ratio),
            both(&line["none"]["ours_us"]),
            both(&line["none"]["detour_us"]),
            both(&line["none"]["polyanya_us"]),
            number(&longer["beyond_1_percent"]) * 100.0,
            number(&longer["beyond_5_percent"]) * 100.0,
        );
    }
    let (count, faster) = (ratios.len(), ratios.iter().filter(|r| **r < 1.0).count());
    if let Some(middle) = middle(ratios) {
        let _ = writeln!(
            text,
            "\nThe optimal search takes {} of Detour's time in the median of scenes, and less than it on \
             {faster} of {count}.",
            short(middle)
        );
    }
}

fn growth(text: &mut String, growth: &[Value]) -> Vec<(String, String)> {
    let mut charts = Vec::new();
    if growth.is_empty() {
        return charts;
    }
    let _ = writeln!(
        text,
        "\n## Growth\n\nSeconds against triangles. All sizes are measured alike: a process of its own for \
         each, in which a small scene is built first, then this one, {} on one thread and on two. Exponents are fitted by least squares over sizes from 10,000 to 1,000,000 \
         triangles: 1 means that time grows as the input does. A tool stops where a build would take more \
         than its share of the time of the whole comparison.",
        match growth[0]["rounds"].as_u64() {
            Some(rounds) if rounds > 1 => format!("{rounds} times"),
            _ => "once".to_owned(),
        }
    );
    for series in growth {
        let name = series["scene"].as_str().unwrap_or("?");
        let rows = array(&series["rows"]);
        let mut lines: Vec<Series> = Vec::new();
        let _ = writeln!(
            text,
            "\n### `{name}`\n\n![Seconds against triangles](compare-{name}.svg)\n\n\
             | triangles | tool | s | s, two threads | peak, MiB | cells | hottest stages |\n\
             |---:|---|---:|---:|---:|---:|---|"
        );
        for row in rows {
            let triangles = number(&row["input_triangles"]);
            let mut first = grouped(triangles);
            for line in array(&row["tools"]) {
                let tool = line["tool"].as_str().unwrap_or("?");
                if let Some(why) = line["failed"].as_str() {
                    let _ = writeln!(text, "| {first} | {tool} | {} | | | | |", reason(why));
                    first.clear();
                    continue;
                }
                for (field, suffix) in [("ms", ""), ("ms_two", ", two threads")] {
                    let Some(ms) = line[field].as_f64() else { continue };
                    let label = format!("{tool}{suffix}");
                    let index = lines.iter().position(|l| l.name == label);
                    let index = index.unwrap_or_else(|| {
                        lines.push(Series { name: label, points: Vec::new() });
                        lines.len() - 1
                    });
                    lines[index].points.push([triangles, ms / 1e3]);
                }
                let _ = writeln!(
                    text,
                    "| {first} | {tool} | {} | {} | {} | {} | {} |",
                    short(number(&line["ms"]) / 1e3),
                    short(number(&line["ms_two"]) / 1e3),
                    short(number(&line["peak_mib"])),
                    grouped(number(&line["cells"])),
                    hottest(line, 3)
                );
                first.clear();
            }
        }
        let _ = writeln!(text, "\n| tool | exponent | sizes |\n|---|---:|---:|");
        for line in &mut lines {
            let fitted: Vec<[f64; 2]> = (line.points.iter().copied())
                .filter(|p| (FITTED[0]..=FITTED[1]).contains(&p[0]))
                .collect();
            let found = exponent(&fitted).map_or("-".to_owned(), |e| format!("{e:.2}"));
            let _ = writeln!(text, "| {} | {found} | {} |", line.name, fitted.len());
            let _ = write!(line.name, " ({found})");
        }
        let values = |k: usize| lines.iter().flat_map(move |l| l.points.iter().map(move |p| p[k]));
        let x = Axis::logarithmic("triangles", values(0), grouped);
        let y = Axis::logarithmic("seconds (exponent)", values(1), |t| t.to_string());
        let title = format!("{name}: time against size");
        charts.push((format!("compare-{name}.svg"), draw_lines(&title, &lines, &x, &y, true)));
    }
    charts
}

/// The stages that take most of a build, with their shares.
fn hottest(line: &Value, count: usize) -> String {
    let mut stages: Vec<(&str, f64)> = array(&line["stages"])
        .iter()
        .map(|s| (s[0].as_str().unwrap_or("?"), number(&s[1])))
        .collect();
    let whole: f64 = stages.iter().map(|s| s.1).sum();
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    let part = |s: &(&str, f64)| format!("{} {:.0} %", s.0, 100.0 * s.1 / whole);
    stages.iter().take(count).map(part).collect::<Vec<_>>().join(", ")
}

fn stages(text: &mut String, scenes: &[Value]) {
    let _ = writeln!(
        text,
        "\n## Where the time goes\n\nThe four stages of each build that take most of it, in percent, one \
         thread.\n\n| scene | tool | stages |\n|---|---|---|"
    );
    for scene in scenes {
        let mut name = scene["scene"].as_str().unwrap_or("?");
        for line in array(&scene["tools"]).iter().filter(|l| l["failed"].is_null()) {
            let tool = line["tool"].as_str().unwrap_or("?");
            if tool.starts_with("rerecast") || tool == "Recast 0.3" {
                continue;
            }
            let _ = writeln!(text, "| {name} | {tool} | {} |", hottest(line, 4));
            name = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_short_and_counts_grouped() {
        assert_eq!([1.234, 12.34, 1234.5].map(short), ["1.23", "12.3", "1234"]);
        assert_eq!(short(f64::NAN), "-");
        assert_eq!([7.0, 1000.0, 1_234_567.0].map(grouped), ["7", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_peer_that_fails_is_a_row_and_exponents_are_fitted() {
        let line =
            |tool: &str, ms: f64| json!({"tool": tool, "ms": ms, "ms_two": ms / 2.0, "cells": 5});
        let measured = json!({
            "seconds": 60.0, "samples": 10, "pairs": 5,
            "scenes": [{
                "scene": "hall", "input_triangles": 1200,
                "tools": [
                    {"tool": "exact", "cells": 3, "sound": 1.0, "complete": 0.5, "by_cell": [1.0, 0.5],
                     "stages": [["cut", 3.0], ["erode", 1.0]]},
                    {"tool": "rerecast 0.3", "failed": "gave up |\nhere"},
                ],
                "race": [
                    {"tool": "exact", "threads": 1, "median_ms": 4.0, "least_ms": 3.0, "most_ms": 5.0},
                    {"tool": "Recast 0.1", "threads": 1, "median_ms": 8.0},
                ],
                "paths": {"failed": "no polygons"},
            }],
            "growth": [{"scene": "city", "rows": [
                {"input_triangles": 10_000, "tools": [line("exact", 100.0)]},
                {"input_triangles": 100_000, "tools": [line("exact", 1000.0)]},
                {"input_triangles": 1_000_000, "tools": [line("exact", 10_000.0)]},
            ]}],
        });
        let written = write_document(&measured, "2026-01-02", "a machine");
        let text = &written.markdown;
        assert!(text.contains("| rerecast 0.3 | failed: gave up   here |"), "{text}");
        assert!(text.contains("| exact | Recast 0.1 | 0.50 |"), "{text}");
        assert!(text.contains("4.00 (3.00 to 5.00)"), "{text}");
        assert!(text.contains("| exact | 1.00 | 3 |"), "{text}");
        assert!(text.contains("cut 75 %, erode 25 %"), "{text}");
        assert_eq!(written.charts.len(), 1);
        assert_eq!(written.charts[0].0, "compare-city.svg");
    }
}
