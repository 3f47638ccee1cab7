//! Pipelines know nothing of each other, and stages nothing of what comes after them.

use super::source::{Call, Crate, Form};
use super::{Fault, Rule};
use std::collections::BTreeMap;

/// The crate that has pipelines.
const BAKE: &str = "surefoot_bake";

/// The modules that hold a pipeline each.
const PIPELINES: &[&str] = &["exact", "voxel", "layered", "any_surface"];

/// The modules that know the pipelines: they choose one.
const CHOOSE: &[&str] = &["crate", "baker"];

/// Functions that list stages in order: the module, and the function if it is not named `build` or as
/// the module. Where stages are run by their names, what else is called there is no stage.
const LISTS: &[(&str, Option<&str>)] = &[
    ("exact", None),
    ("voxel", None),
    ("voxel::trace_tiles", Some("trace_tile")),
    ("layered", None),
    ("any_surface", None),
    ("finish", None),
];

/// Names of another pipeline below a pipeline, and of any pipeline elsewhere, those in tests too.
pub(super) fn imports_of_pipelines(read: &Crate) -> Vec<Fault> {
    if read.name != BAKE {
        return Vec::new();
    }
    let pipeline_of = |module: usize| {
        read.with_parents(module)
            .find_map(|m| PIPELINES.iter().find(|p| **p == read.modules[m].path))
    };
    let mut faults = Vec::new();
    for (index, module) in read.modules.iter().enumerate() {
        if CHOOSE.contains(&module.path.as_str()) {
            continue;
        }
        let own = pipeline_of(index);
        // Once for each other pipeline: where it is named first, and how often.
        let mut named: BTreeMap<&str, (String, usize)> = BTreeMap::new();
        for name in &module.names {
            // Other paths begin with what a `use` binds.
            let anchored = ["crate", "super", "self"].contains(&name.path[0].as_str());
            if name.form == Form::Path && !anchored {
                continue;
            }
            let Some(found) = read.find(index, &name.path) else { continue };
            let other =
                found.through.iter().find_map(|&m| pipeline_of(m).filter(|p| Some(*p) != own));
            if let Some(other) = other {
                let first =
                    || (format!("`{}` ({}:{})", name.path.join("::"), module.file, name.line), 0);
                named.entry(other).or_insert_with(first).1 += 1;
            }
        }
        for (other, (first, times)) in named {
            let text = format!("{} names the pipeline {other} {times}×: {first}", module.path);
            faults.push(Fault::new(Rule::Pipelines, read, text));
        }
    }
    faults
}

/// Names of later stages in stages, tests aside.
pub(super) fn imports_of_later_stages(read: &Crate) -> Vec<Fault> {
    if read.name != BAKE {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for (list, function) in LISTS {
        let Some(list) = read.module(list) else { continue };
        let stages = stages_of(read, list, *function);
        if stages.is_empty() {
            let text =
                format!("{} is said to list stages, and none is found", read.modules[list].path);
            faults.push(Fault::new(Rule::Stages, read, text));
        }
        let stage_of = |module: usize| {
            read.with_parents(module).find_map(|m| stages.iter().position(|s| *s == m))
        };
        for (index, module) in read.modules.iter().enumerate() {
            let Some(own) = stage_of(index).filter(|_| !module.test) else { continue };
            let mut named: BTreeMap<usize, (String, usize)> = BTreeMap::new();
            for name in module.names.iter().filter(|n| !n.test) {
                let Some(found) = read.find(index, &name.path) else { continue };
                let Some(later) = stage_of(found.module).filter(|s| *s > own) else { continue };
                if found.item.is_some() || name.form == Form::Glob {
                    let first = || {
                        (format!("`{}` ({}:{})", name.path.join("::"), module.file, name.line), 0)
                    };
                    named.entry(later).or_insert_with(first).1 += 1;
                }
            }
            for (later, (first, times)) in named {
                let text = format!(
                    "{} names the later stage {} of {} {times}×: {first}",
                    module.path, read.modules[stages[later]].path, read.modules[list].path,
                );
                faults.push(Fault::new(Rule::Stages, read, text));
            }
        }
    }
    faults
}

/// Stages without a view, or with one of nothing.
pub(super) fn unseen_stages(read: &Crate) -> Vec<Fault> {
    let modules = read.modules.iter();
    modules
        .flat_map(|module| {
            module.unseen_stages.iter().map(|line| {
                let text = format!(
                    "{} runs a stage that shows nothing ({}:{line})",
                    module.path, module.file
                );
                Fault::new(Rule::Views, read, text)
            })
        })
        .collect()
}

/// The modules of the stages that a function runs, in the order in which they are first called.
///
/// A stage's module declares a function that is called by its path. Functions of the list's own file
/// are followed.
fn stages_of(read: &Crate, list: usize, function: Option<&str>) -> Vec<usize> {
    let module = &read.modules[list];
    let as_module = module.path.rsplit("::").next();
    let named = function.into_iter().chain(["build"]).chain(as_module);
    let Some(function) = named.into_iter().find(|f| module.calls.contains_key(*f)) else {
        return Vec::new();
    };
    let mut calls = Vec::new();
    follow(read, list, function, false, &mut vec![function.to_owned()], &mut calls);
    let by_name = calls.iter().any(|(_, in_stage)| *in_stage);
    let mut stages = Vec::new();
    for (stage, in_stage) in calls {
        if (in_stage || !by_name) && !stages.contains(&stage) {
            stages.push(stage);
        }
    }
    stages
}

/// The modules whose functions a function of the list calls, and whether a stage does.
fn follow(
    read: &Crate,
    list: usize,
    function: &str,
    in_stage: bool,
    followed: &mut Vec<String>,
    calls: &mut Vec<(usize, bool)>,
) {
    for Call { path, in_stage: own } in read.modules[list].calls.get(function).into_iter().flatten()
    {
        let in_stage = in_stage || *own;
        let Some(found) = read.find(list, path).filter(|f| f.after == 0) else { continue };
        let Some(item) = found.item.filter(|i| !i.starts_with(char::is_uppercase)) else {
            continue;
        };
        if found.module != list {
            calls.push((found.module, in_stage));
        } else if !followed.contains(&item) {
            followed.push(item.clone());
            follow(read, list, &item, in_stage, followed, calls);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(faults: &[Fault]) -> Vec<&str> {
        faults.iter().map(|f| f.text.as_str()).collect()
    }

    #[test]
    fn a_pipeline_that_names_another_is_found_however_it_does() {
        let faults = imports_of_pipelines(&Crate::of_texts(
            BAKE,
            &[
                ("src/lib.rs", "mod exact; mod voxel; mod layered; mod surface; use exact::build;"),
                ("src/exact.rs", "mod cut; pub use crate::surface::Surface; use self::cut::cut;"),
                ("src/exact/cut.rs", "use crate::surface::S; pub fn cut() {}"),
                ("src/voxel.rs", "use crate::exact::Surface; mod lift;"),
                ("src/voxel/lift.rs", "fn lift() { super::super::exact::cut::cut() }"),
                ("src/layered.rs", "#[cfg(test)] mod tests { use crate::voxel; }"),
                (
                    "src/surface.rs",
                    "pub struct Surface; #[test] fn t() { assert!(crate::exact::a()) }",
                ),
            ],
        ));
        let expected = [
            "voxel names the pipeline exact 1×: `crate::exact::Surface` (src/voxel.rs:1)",
            "voxel::lift names the pipeline exact 1×: `super::super::exact::cut::cut` (src/voxel/lift.rs:1)",
            "layered::tests names the pipeline voxel 1×: `crate::voxel` (src/layered.rs:1)",
            "surface names the pipeline exact 1×: `crate::exact::a` (src/surface.rs:1)",
        ];
        assert_eq!(texts(&faults), expected);
    }

    const LIST: &str = "
        mod read; mod cut; mod grid; mod erode;
        use erode::erode;
        pub fn build(c: C) {
            let soup = c.stage(\"read\", read::read, Soup::view);
            let grid = grid::of(soup);
            let cut = c.stage(\"cut\", |c| { c.observe(|| soup.view()); cut::cut(&grid, c) });
            finish(cut, c)
        }
        fn finish(c: C) { c.stage(\"erode\", |c| erode(c)) }
    ";

    #[test]
    fn a_stage_that_shows_nothing_is_found() {
        let list = "fn build(c: C) {
            let a = c.stage(\"a\", a::a, A::view);
            let b = c.stage(\"b\", |c| b::b(a, c), |b| b.view(&a));
            let d = c.stage(\"d\", |c| d::d(b, c));
            let e = c.stage(\"e\", |c| e::e(d, c), |_| StageView::default());
            c.stage(\"f\", |c| f::f(d, c), Default::default)
        }";
        let read = Crate::of_texts(BAKE, &[("src/lib.rs", "mod exact;"), ("src/exact.rs", list)]);
        let found: Vec<String> = unseen_stages(&read).into_iter().map(|f| f.text).collect();
        let lines = [4, 5, 6];
        let expected =
            lines.map(|l| format!("exact runs a stage that shows nothing (src/exact.rs:{l})"));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_stage_that_names_a_later_one_is_found() {
        let faults = imports_of_later_stages(&Crate::of_texts(
            BAKE,
            &[
                ("src/lib.rs", "mod exact;"),
                ("src/exact.rs", LIST),
                ("src/exact/read.rs", "use crate::exact::cut::Cut; fn a() -> Cut { Cut::new() }"),
                ("src/exact/grid.rs", "use super::erode::A;"),
                (
                    "src/exact/cut.rs",
                    "mod deep; pub struct Cut; use super::read::B; use super::grid::C;",
                ),
                ("src/exact/cut/deep.rs", "fn a() -> crate::exact::erode::A {}"),
                (
                    "src/exact/erode.rs",
                    "pub struct A; #[cfg(test)] mod tests { use super::super::cut; }",
                ),
            ],
        ));
        let expected = [
            "exact::read names the later stage exact::cut of exact 3×: `crate::exact::cut::Cut` (src/exact/read.rs:1)",
            "exact::cut::deep names the later stage exact::erode of exact 1×: `crate::exact::erode::A` (src/exact/cut/deep.rs:1)",
        ];
        assert_eq!(texts(&faults), expected);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_found() {
        let read = Crate::of_texts(
            BAKE,
            &[("src/lib.rs", "mod voxel;"), ("src/voxel.rs", "fn bake() { a::a() } mod a {}")],
        );
        let faults = imports_of_later_stages(&read);
        assert_eq!(texts(&faults), ["voxel is said to list stages, and none is found"]);
    }

    #[test]
    fn stages_come_in_the_order_of_their_first_calls() {
        let read = Crate::of_texts(
            BAKE,
            &[
                ("src/lib.rs", "mod exact; mod finish;"),
                ("src/exact.rs", LIST),
                ("src/exact/read.rs", ""),
                ("src/exact/grid.rs", ""),
                ("src/exact/cut.rs", ""),
                ("src/exact/erode.rs", ""),
                (
                    "src/finish.rs",
                    "mod a { pub fn a() {} } mod b { pub fn b() {} }
                     fn finish() { b::b(a::a()); a::A::new(); b::b() }",
                ),
            ],
        );
        let stages = |list: &str| -> Vec<&str> {
            let stages = stages_of(&read, read.module(list).unwrap(), None);
            stages.iter().map(|s| read.modules[*s].path.as_str()).collect()
        };
        assert_eq!(stages("exact"), ["exact::read", "exact::cut", "exact::erode"]);
        assert_eq!(stages("finish"), ["finish::a", "finish::b"]);
    }
}
