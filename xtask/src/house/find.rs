//! Which module a path leads to.

use super::source::{Crate, Module};

/// What a path names, within the crate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// The module that declares it, or the module itself.
    pub(super) module: usize,
    /// What is declared there; none where the path names the module.
    pub(super) item: Option<String>,
    /// How many segments come after the item: variants, associated functions.
    pub(super) after: usize,
    /// The modules that the path leads through.
    pub(super) through: Vec<usize>,
}

/// No path of a crate that compiles is led on as often as this.
const MOST_IMPORTS: usize = 32;

impl Crate {
    /// What a path in a module names; none where it leads out of the crate or names a local thing.
    ///
    /// Imports are followed, re-exports or not, to the module that declares what they bind.
    pub(super) fn find(&self, from: usize, path: &[String]) -> Option<Found> {
        self.find_from(from, path, 0)
    }

    fn find_from(&self, from: usize, path: &[String], led: usize) -> Option<Found> {
        let (mut module, mut at) = (from, 0);
        while let Some(first) = path.get(at) {
            match first.as_str() {
                "crate" => module = 0,
                "self" => {}
                "super" => module = self.modules[module].parent?,
                _ => break,
            }
            at += 1;
        }
        let anchored = at > 0;
        self.walk(module, &path[at..], anchored, led)
    }

    /// Follows the segments of a path down from a module.
    fn walk(&self, start: usize, path: &[String], anchored: bool, led: usize) -> Option<Found> {
        if led > MOST_IMPORTS {
            return None;
        }
        let Some((name, rest)) = path.split_first() else {
            return Some(Found { module: start, item: None, after: 0, through: vec![start] });
        };
        let module = &self.modules[start];
        let through_here = |mut found: Found| {
            if anchored {
                found.through.push(start);
            }
            found
        };
        let child = module.children.get(name);
        // A module and a function may share a name; what is followed by more is the module.
        if let (Some(&child), false) = (child, rest.is_empty()) {
            return self.walk(child, rest, true, led).map(through_here);
        }
        if module.items.contains(name) {
            return Some(through_here(declared(start, name, rest)));
        }
        let mut imported =
            module.imports.iter().filter(|i| i.binds.as_ref() == Some(name)).peekable();
        if imported.peek().is_some() {
            return imported
                .filter_map(|import| self.find_from(start, &[&import.path, rest].concat(), led + 1))
                .max_by_key(|found| found.item.is_some())
                .map(through_here);
        }
        if let Some(&child) = child {
            return self.walk(child, rest, true, led).map(through_here);
        }
        for glob in module.imports.iter().filter(|i| i.binds.is_none()) {
            let from = self.find_from(start, &glob.path, led + 1);
            if let Some(Found { module, item: None, .. }) = from
                && module != start
                && declares(&self.modules[module], name)
            {
                return self.walk(module, path, true, led + 1).map(through_here);
            }
        }
        // What a macro made is not seen declared.
        anchored.then(|| through_here(declared(start, name, rest)))
    }
}

fn declared(module: usize, name: &str, rest: &[String]) -> Found {
    Found { module, item: Some(name.to_owned()), after: rest.len(), through: vec![module] }
}

fn declares(module: &Module, name: &String) -> bool {
    module.items.contains(name)
        || module.children.contains_key(name)
        || module.imports.iter().any(|i| i.binds.as_ref() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(read: &Crate, from: &str, path: &str) -> Option<String> {
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        let found = read.find(read.module(from).unwrap(), &path)?;
        let module = &read.modules[found.module].path;
        Some(found.item.map_or(format!("{module}/"), |item| format!("{module}/{item}")))
    }

    #[test]
    fn paths_lead_to_what_declares_the_name() {
        let read = Crate::of_texts(
            "a",
            &[
                (
                    "src/lib.rs",
                    "mod b; mod e; pub use b::{c::C, B}; pub use glam::DVec3; struct Root;",
                ),
                ("src/b.rs", "pub mod c; pub struct B; pub use c::c; use crate::e::*; id!(Made);"),
                ("src/b/c.rs", "use super::B; pub struct C; pub fn c() {} enum Own { One }"),
                ("src/e.rs", "pub struct E; use crate::b::c; use std::fmt; use rayon;"),
            ],
        );
        let cases = [
            ("e", "crate::C", Some("b::c/C")),
            ("e", "crate::Root", Some("crate/Root")),
            ("e", "crate::DVec3", None),
            ("e", "crate::b", Some("b/")),
            ("e", "crate::b::c", Some("b::c/c")),
            ("e", "crate::b::c::C", Some("b::c/C")),
            ("e", "crate::b::Made", Some("b/Made")),
            ("e", "c::C::new", Some("b::c/C")),
            ("e", "c", Some("b::c/c")),
            ("e", "fmt::Debug", None),
            ("e", "rayon::join", None),
            ("e", "T::default", None),
            ("b", "E", Some("e/E")),
            ("b", "self::c::Own::One", Some("b::c/Own")),
            ("b::c", "super::E", Some("e/E")),
            ("b::c", "super::super::e::E", Some("e/E")),
            ("b::c", "B", Some("b/B")),
        ];
        for (from, path, expected) in cases {
            assert_eq!(found(&read, from, path).as_deref(), expected, "{path} in {from}");
        }
    }

    #[test]
    fn what_comes_after_an_item_is_counted() {
        let read = Crate::of_texts("a", &[("src/lib.rs", "enum A { B }"), ("src/b.rs", "")]);
        let after = |path: &[&str]| {
            let path: Vec<String> = path.iter().map(|s| (*s).to_owned()).collect();
            read.find(0, &path).unwrap().after
        };
        assert_eq!(after(&["crate", "A"]), 0);
        assert_eq!(after(&["crate", "A", "B"]), 1);
    }
}
