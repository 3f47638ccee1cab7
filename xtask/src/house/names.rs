//! Names: what only some files may name, and what only one module of a crate may be called.

use super::source::Crate;
use super::{Fault, Rule};
use std::collections::BTreeMap;

/// A name of a crate and the modules that may name it.
struct Reserved {
    krate: &'static str,
    name: &'static str,
    /// Modules that may, but not those below them.
    by: &'static [&'static str],
    /// Modules that may, and all below them.
    below: &'static [&'static str],
    why: &'static str,
}

const RESERVED: &[Reserved] = &[
    Reserved {
        krate: "surefoot_bake",
        name: "Resolved",
        by: &["crate", "baker", "exact", "voxel", "layered", "any_surface", "finish"],
        below: &["settings", "settings_table"],
        why: "a stage takes only its own settings",
    },
    Reserved {
        krate: "surefoot_bake",
        name: "StageReport",
        by: &["crate", "context", "report"],
        below: &[],
        why: "a stage is run by its context alone",
    },
];

/// Reserved names where they do not belong, tests aside.
pub(super) fn reserved(read: &Crate) -> Vec<Fault> {
    let mut faults = Vec::new();
    for Reserved { name, by, below, why, .. } in RESERVED.iter().filter(|r| r.krate == read.name) {
        for (index, module) in read.modules.iter().enumerate().filter(|(_, m)| !m.test) {
            let is_below = |m: usize| below.contains(&read.modules[m].path.as_str());
            if by.contains(&module.path.as_str()) || read.with_parents(index).any(is_below) {
                continue;
            }
            let named = module.names.iter().filter(|n| !n.test);
            let mut lines = named.filter(|n| n.path.iter().any(|s| s == name)).map(|n| n.line);
            if let Some(line) = lines.next() {
                let times = 1 + lines.count();
                let (path, file) = (&module.path, &module.file);
                let text = format!("{path} names `{name}` {times}×, and {why} ({file}:{line})");
                faults.push(Fault::new(Rule::Reserved, read, text));
            }
        }
    }
    faults
}

/// Types of one name in one crate, tests aside.
pub(super) fn types_of_one_name(read: &Crate) -> Vec<Fault> {
    let makes_type = |name: &String| read.modules.iter().any(|m| m.type_macros.contains(name));
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for module in read.modules.iter().filter(|m| !m.test) {
        let calls = module.macro_calls.iter().filter(|(called, _)| makes_type(called));
        for declared in module.types.iter().chain(calls.map(|(_, declared)| declared)) {
            let place = format!("{}:{}", module.file, declared.line);
            places.entry(&declared.name).or_default().push(place);
        }
    }
    places
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| {
            let text = format!("`{name}` is {} types: {}", places.len(), places.join(", "));
            Fault::new(Rule::TypeNames, read, text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_all_are_named_only_where_stages_are_listed() {
        let faults = reserved(&Crate::of_texts(
            "surefoot_bake",
            &[
                ("src/lib.rs", "mod exact; mod settings; mod context; pub use settings::Resolved;"),
                ("src/settings.rs", "mod table; pub struct Resolved;"),
                ("src/settings/table.rs", "use super::Resolved;"),
                ("src/context.rs", "fn stage() { push(StageReport { ms: 0.0 }) }"),
                ("src/exact.rs", "mod cut; mod read; use crate::Resolved; fn b(s: &Resolved) {}"),
                ("src/exact/cut.rs", "#[cfg(test)] mod tests { use crate::Resolved; }"),
                (
                    "src/exact/read.rs",
                    "use crate::settings::{Agent, Resolved};\nfn a(s: &Resolved) {}
                     fn b() { push(StageReport { ms: 0.0 }) }",
                ),
            ],
        ));
        let texts: Vec<&str> = faults.iter().map(|f| f.text.as_str()).collect();
        let expected = [
            "exact::read names `Resolved` 2×, and a stage takes only its own settings (src/exact/read.rs:1)",
            "exact::read names `StageReport` 1×, and a stage is run by its context alone (src/exact/read.rs:3)",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn types_of_one_name_are_found_in_all_modules_and_functions() {
        let faults = types_of_one_name(&Crate::of_texts(
            "a",
            &[
                ("src/lib.rs", "mod b; struct A; enum B {} trait C { type D; }"),
                (
                    "src/b.rs",
                    "type A = u32; struct D; impl super::C for D { type D = u8; }
                     fn e() { union B { f: u8 } }
                     #[cfg(test)] mod tests { struct D; }
                     #[cfg(test)] struct C;",
                ),
            ],
        ));
        let texts: Vec<&str> = faults.iter().map(|f| f.text.as_str()).collect();
        let expected = [
            "`A` is 2 types: src/lib.rs:1, src/b.rs:1",
            "`B` is 2 types: src/lib.rs:1, src/b.rs:2",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn types_that_macros_make_count() {
        let id = "macro_rules! id { ($(#[$doc:meta])* $name:ident($repr:ty)) => { struct $name($repr); } }
                  macro_rules! say { ($name:ident) => { fn f() -> $name {} } }";
        let calls =
            "id!(\n/// A vertex.\nVertexId(u32));\nsay!(EdgeId); struct VertexId; struct EdgeId;";
        let faults = types_of_one_name(&Crate::of_texts(
            "a",
            &[("src/lib.rs", &format!("mod b; {id}")), ("src/b.rs", calls)],
        ));
        let texts: Vec<&str> = faults.iter().map(|f| f.text.as_str()).collect();
        assert_eq!(texts, ["`VertexId` is 2 types: src/b.rs:4, src/b.rs:3"]);
    }
}
