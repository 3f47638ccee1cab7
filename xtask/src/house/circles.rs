//! Modules that need each other.
//!
//! A module has an edge to another when its code, tests aside, names something that the other
//! declares: in a `use`, in a path, or within a macro call. What counts is where the name is declared;
//! re-exports and other imports on the way are followed, and what a child names of its parent is an
//! edge to the parent as any other. These are no edges: naming a module without naming something in it
//! (`mod child;`, `use crate::child;`), and re-exporting what stands below oneself (`pub use
//! child::Item;`), unless one's own code names it too. `use module::*` is an edge to the module. Calling
//! a method names nothing: whoever has the value has it from something that is named.

use super::source::{Crate, Form};
use super::{Fault, Rule};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Where a module first names something of another: the name and the line.
type Edges = BTreeMap<usize, BTreeMap<usize, (String, usize)>>;

/// The shortest circles of modules, one through each edge that is on any; the shortest first.
pub(super) fn circles(read: &Crate) -> Vec<Fault> {
    let edges = edges(read);
    let mut circles = BTreeSet::new();
    for (from, targets) in &edges {
        for to in targets.keys() {
            if let Some(mut way) = shortest_way(&edges, *to, *from) {
                // The same circle from wherever one walks it: it begins with the first of its modules.
                let first = (0..way.len()).min_by_key(|&k| way[k]).unwrap_or(0);
                way.rotate_left(first);
                circles.insert((way.len(), way));
            }
        }
    }
    circles
        .iter()
        .map(|(_, circle)| Fault::new(Rule::Circles, read, told(read, &edges, circle)))
        .collect()
}

fn edges(read: &Crate) -> Edges {
    let mut edges = Edges::new();
    for (index, module) in read.modules.iter().enumerate().filter(|(_, m)| !m.test) {
        let of_module = edges.entry(index).or_default();
        for name in module.names.iter().filter(|n| !n.test) {
            let Some(found) = read.find(index, &name.path) else { continue };
            let target = found.module;
            let names_something = found.item.is_some() || name.form == Form::Glob;
            let shows_own =
                name.form == Form::ReExport && read.with_parents(target).any(|m| m == index);
            if names_something && !shows_own && target != index && !read.modules[target].test {
                of_module.entry(target).or_insert_with(|| (name.path.join("::"), name.line));
            }
        }
    }
    edges
}

/// The modules of a shortest way, both ends among them.
fn shortest_way(edges: &Edges, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut reached = BTreeMap::from([(from, from)]);
    let mut open = VecDeque::from([from]);
    while let Some(next) = open.pop_front() {
        if next == to {
            let mut way = vec![to];
            while way[way.len() - 1] != from {
                way.push(reached[&way[way.len() - 1]]);
            }
            way.reverse();
            return Some(way);
        }
        for target in edges.get(&next).into_iter().flat_map(|targets| targets.keys()) {
            if !reached.contains_key(target) {
                reached.insert(*target, next);
                open.push_back(*target);
            }
        }
    }
    None
}

/// A circle for people: `a → b → a`, and what each names of the next, with its place.
fn told(read: &Crate, edges: &Edges, circle: &[usize]) -> String {
    let path = |m: usize| read.modules[m].path.as_str();
    let around: Vec<&str> = circle.iter().chain(&circle[..1]).map(|&m| path(m)).collect();
    let mut text = around.join(" → ");
    for (k, &from) in circle.iter().enumerate() {
        let to = circle[(k + 1) % circle.len()];
        let (name, line) = &edges[&from][&to];
        let file = &read.modules[from].file;
        text.push_str(&format!("\n      {file}:{line} names `{name}`"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles_of(texts: &[(&str, &str)]) -> Vec<String> {
        circles(&Crate::of_texts("a", texts)).into_iter().map(|f| f.text).collect()
    }

    fn ways_of(texts: &[(&str, &str)]) -> Vec<String> {
        let first = |text: &String| text.lines().next().unwrap_or_default().to_owned();
        circles_of(texts).iter().map(first).collect()
    }

    #[test]
    fn circles_are_told_shortest_first_with_their_places() {
        let found = circles_of(&[
            ("src/lib.rs", "mod b; mod c; mod d;"),
            ("src/b.rs", "use crate::c::C;\npub struct B;"),
            ("src/c.rs", "pub struct C;\nfn c() { vec![crate::d::D] }"),
            ("src/d.rs", "use super::b::B; pub struct D; fn d(c: crate::c::C) {}"),
        ]);
        let expected = [
            "c → d → c\n      src/c.rs:2 names `crate::d::D`\n      src/d.rs:1 names `crate::c::C`",
            "b → c → d → b\n      src/b.rs:1 names `crate::c::C`\n      src/c.rs:2 names `crate::d::D`\n      \
             src/d.rs:1 names `super::b::B`",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn parent_and_child_can_be_a_circle() {
        let parent_calls = [
            ("src/lib.rs", "mod b;"),
            ("src/b.rs", "mod c; pub struct B; fn b() { c::c() }"),
            ("src/b/c.rs", "use super::B; pub fn c() {}"),
        ];
        assert_eq!(ways_of(&parent_calls), ["b → b::c → b"]);
        let parent_uses = [
            ("src/lib.rs", "mod b;"),
            ("src/b.rs", "mod c; use self::c::c; pub struct B;"),
            ("src/b/c.rs", "use super::B; pub fn c() {}"),
        ];
        assert_eq!(ways_of(&parent_uses), ["b → b::c → b"]);
        let parent_shows = [
            ("src/lib.rs", "mod b;"),
            ("src/b.rs", "mod c; pub use c::C; pub struct B;"),
            ("src/b/c.rs", "use super::B; pub struct C;"),
        ];
        assert!(ways_of(&parent_shows).is_empty());
        let parent_shows_and_names = [
            ("src/lib.rs", "mod b;"),
            ("src/b.rs", "mod c; pub use c::C; pub struct B { c: C }"),
            ("src/b/c.rs", "use super::B; pub struct C;"),
        ];
        assert_eq!(ways_of(&parent_shows_and_names), ["b → b::c → b"]);
    }

    #[test]
    fn what_the_root_shows_is_not_of_the_root() {
        let shown = [
            ("src/lib.rs", "mod b; mod c; pub use b::B; pub fn bake() { c::c() }"),
            ("src/b.rs", "pub struct B;"),
            ("src/c.rs", "use crate::B; pub fn c() {}"),
        ];
        assert!(ways_of(&shown).is_empty());
        let declared = [
            ("src/lib.rs", "mod c; pub struct B; pub fn bake() { c::c() }"),
            ("src/c.rs", "use crate::B; pub fn c() {}"),
        ];
        assert_eq!(ways_of(&declared), ["crate → c → crate"]);
    }

    #[test]
    fn tests_modules_and_other_crates_make_no_circle() {
        let found = ways_of(&[
            ("src/lib.rs", "mod b; mod c;"),
            ("src/b.rs", "use crate::c; use std::fmt; use glam::c::C; pub struct B;"),
            (
                "src/c.rs",
                "use crate::b::B; /// See [`crate::b::B`]. \n pub struct C;
                 #[cfg(test)] mod tests { use super::*; use crate::b::B; }",
            ),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
