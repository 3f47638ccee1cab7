//! Dependencies point one way.
//!
//! Asks cargo for the graph and follows what each crate is built from (dependencies of tests do
//! not count), through everything that its dependencies are built from.

use crate::run::cargo;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What a crate must not be built from, directly or through others.
const NEVER: &[(&str, &[&str])] = &[
    (
        "surefoot_mesh",
        &[
            "surefoot_bake",
            "surefoot_scene",
            "surefoot_debug",
            "surefoot_gpu",
            "surefoot_verify",
            "surefoot_viewer",
            "surefoot_testing_scenes",
            "gltf",
            "wgpu",
        ],
    ),
    (
        "surefoot_scene",
        &["surefoot_bake", "surefoot_mesh", "surefoot_debug", "surefoot_testing_scenes", "wgpu"],
    ),
    (
        "surefoot_bake",
        &["surefoot_debug", "surefoot_gpu", "surefoot_verify", "surefoot_testing_scenes", "wgpu"],
    ),
    ("surefoot_verify", &["surefoot_bake", "surefoot_debug", "surefoot_gpu"]),
    ("surefoot", &["surefoot_debug", "surefoot_testing_scenes", "clap", "anyhow"]),
];

/// Crates that only the named ones may be built from.
const ONLY_FOR: &[(&str, &[&str])] = &[
    ("surefoot_debug", &["surefoot_cli", "surefoot_viewer"]),
    ("surefoot_viewer", &["surefoot_cli"]),
    ("surefoot_cli", &[]),
    ("xtask", &[]),
];

/// Crates that know no other crate of this repository.
const ALONE: &[&str] = &["surefoot_geom"];

/// What each crate of the graph is directly built from.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Fails when a dependency points the wrong way.
pub(crate) fn check() -> Result<()> {
    let output = cargo()
        .args(["metadata", "--locked", "--format-version", "1"])
        .output()
        .context("cargo metadata could not be started")?;
    if !output.status.success() {
        bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let graph = graph(&metadata).context("cargo metadata is not of the expected form")?;
    let faults = faults(&graph);
    if !faults.is_empty() {
        bail!("dependencies point the wrong way:\n  {}", faults.join("\n  "));
    }
    Ok(())
}

fn graph(metadata: &Value) -> Option<Graph> {
    let mut names = BTreeMap::new();
    for package in metadata["packages"].as_array()? {
        names.insert(package["id"].as_str()?, package["name"].as_str()?);
    }
    let mut graph = Graph::new();
    for node in metadata["resolve"]["nodes"].as_array()? {
        let name = *names.get(node["id"].as_str()?)?;
        let targets = graph.entry(name.to_owned()).or_default();
        for dependency in node["deps"].as_array()? {
            let built_from = dependency["dep_kinds"]
                .as_array()?
                .iter()
                .any(|k| k["kind"].as_str() != Some("dev"));
            if built_from {
                targets.insert((*names.get(dependency["pkg"].as_str()?)?).to_owned());
            }
        }
    }
    Some(graph)
}

fn faults(graph: &Graph) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, forbidden) in NEVER {
        let built_from = closure(graph, name);
        for other in forbidden.iter().filter(|o| built_from.contains(**o)) {
            faults.push(format!("{name} must never see {other}"));
        }
    }
    for (name, users) in ONLY_FOR {
        for (user, built_from) in graph {
            if built_from.contains(*name) && !users.contains(&user.as_str()) {
                faults.push(format!("{user} must not depend on {name}"));
            }
        }
    }
    for name in ALONE {
        for other in closure(graph, name).iter().filter(|o| o.starts_with("surefoot")) {
            faults.push(format!("{name} must see no other crate of this repository, not {other}"));
        }
    }
    faults
}

/// Everything that a crate is built from.
fn closure(graph: &Graph, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![name];
    while let Some(next) = open.pop() {
        for target in graph.get(next).into_iter().flatten() {
            if found.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of(edges: &[(&str, &[&str])]) -> Graph {
        edges
            .iter()
            .map(|(n, t)| ((*n).to_owned(), t.iter().map(|t| (*t).to_owned()).collect()))
            .collect()
    }

    #[test]
    fn a_forbidden_crate_is_found_through_others() {
        let good = graph_of(&[
            ("surefoot_mesh", &["surefoot_geom", "thiserror"]),
            ("surefoot_bake", &["surefoot_mesh", "surefoot_geom"]),
            ("surefoot_cli", &["surefoot_debug", "surefoot_bake"]),
            ("surefoot_geom", &["glam"]),
        ]);
        assert_eq!(faults(&good), Vec::<String>::new());
        let bad = graph_of(&[
            ("surefoot_mesh", &["surefoot_geom"]),
            ("surefoot_geom", &["tools"]),
            ("tools", &["gltf"]),
            ("surefoot_bake", &["surefoot_debug"]),
        ]);
        let found = faults(&bad);
        assert!(found.contains(&"surefoot_mesh must never see gltf".to_owned()), "{found:?}");
        assert!(found.contains(&"surefoot_bake must not depend on surefoot_debug".to_owned()));
    }

    #[test]
    fn dependencies_of_tests_do_not_count() {
        let metadata: Value = serde_json::from_str(
            r#"{"packages":[{"id":"a","name":"surefoot_mesh"},{"id":"b","name":"gltf"}],
                "resolve":{"nodes":[{"id":"a","deps":[{"pkg":"b","dep_kinds":[{"kind":"dev"}]}]},
                                    {"id":"b","deps":[]}]}}"#,
        )
        .unwrap();
        assert!(faults(&graph(&metadata).unwrap()).is_empty());
    }
}
