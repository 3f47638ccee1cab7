//! Path queries.
//!
//! A mesh gets a thread of its own that keeps a [`Query`] warm: questions go in through a channel,
//! answers come back through another. So dragging a goal costs what a query costs, and the time
//! shown is that of the search alone.

use crate::mesh_set::MeshSet;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;
use surefoot_mesh::{
    Algorithm, CellKind, Filter, LinkKind, NavMesh, Path, PathOptions, PathPoints, Query,
};

/// A question for a path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathQuestion {
    from: [f64; 3],
    to: [f64; 3],
    /// A wider agent's radius, in metres.
    #[serde(default)]
    radius: Option<f64>,
    #[serde(default)]
    algorithm: AlgorithmName,
    /// What a metre counts on area types and kinds; `null` leaves them out.
    #[serde(default)]
    costs: BTreeMap<String, Option<f32>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AlgorithmName {
    #[default]
    Optimal,
    Portals,
}

type Asked = (PathQuestion, Sender<Value>);

/// The way to a mesh's thread. The thread ends with the last of these.
#[derive(Clone)]
pub(crate) struct Asker {
    questions: Sender<Asked>,
}

impl Asker {
    /// Starts the thread of a mesh.
    pub(crate) fn new(mesh: Arc<MeshSet>) -> Option<Self> {
        let (questions, inbox) = channel();
        let thread = std::thread::Builder::new().name("queries".to_owned());
        thread.spawn(move || answer_all(&mesh.mesh, &inbox)).ok()?;
        Some(Self { questions })
    }

    /// The answer to a question.
    pub(crate) fn ask(&self, question: PathQuestion) -> Option<Value> {
        let (reply, answer) = channel();
        self.questions.send((question, reply)).ok()?;
        answer.recv().ok()
    }
}

fn answer_all(mesh: &NavMesh, inbox: &Receiver<Asked>) {
    let mut asking = Asking::new(mesh);
    while let Ok((question, reply)) = inbox.recv() {
        let answered = catch_unwind(AssertUnwindSafe(|| asking.answer(&question)));
        let _ = reply.send(answered.unwrap_or_else(|_| {
            // What it has left behind is not to be believed.
            asking = Asking::new(mesh);
            let text = "the search has met a defect of Surefoot; please report it with the scene";
            refusal("defect", text.to_owned())
        }));
    }
}

fn refusal(reason: &str, text: String) -> Value {
    json!({ "found": false, "reason": reason, "text": text })
}

/// A query with all that is kept from question to question.
struct Asking<'m> {
    mesh: &'m NavMesh,
    query: Query<'m>,
    path: Path,
    costs: BTreeMap<String, Option<f32>>,
}

impl<'m> Asking<'m> {
    fn new(mesh: &'m NavMesh) -> Self {
        Self { mesh, query: Query::new(mesh), path: Path::default(), costs: BTreeMap::new() }
    }

    fn answer(&mut self, question: &PathQuestion) -> Value {
        let Self { mesh, query, path, costs } = self;
        answer(mesh, query, path, costs, question)
    }
}

fn answer(
    mesh: &NavMesh,
    query: &mut Query<'_>,
    path: &mut Path,
    costs: &mut BTreeMap<String, Option<f32>>,
    question: &PathQuestion,
) -> Value {
    if question.costs != *costs {
        match filter(mesh, &question.costs) {
            Ok(filter) => match query.set_filter(&filter) {
                Ok(()) => costs.clone_from(&question.costs),
                Err(error) => return refusal("bad-cost", error.to_string()),
            },
            Err(text) => return refusal("bad-cost", text),
        }
    }
    // A radius below the mesh's own is the mesh as it is.
    let radius = question.radius.unwrap_or(0.0).max(mesh.agent().radius_m);
    if let Err(error) = query.set_radius(radius) {
        return refusal("bad-radius", error.to_string());
    }
    let algorithm = match question.algorithm {
        AlgorithmName::Optimal => Algorithm::Optimal,
        AlgorithmName::Portals => Algorithm::AStar,
    };
    let options = PathOptions { algorithm, ..PathOptions::default() };
    let start = Instant::now();
    let found = query.find_path_into(question.from, question.to, &options, path);
    let micros = (start.elapsed().as_secs_f64() * 1e9).round() / 1e3;
    if let Err(error) = found {
        let mut answer = refusal(error.reason(), error.to_string());
        answer["micros"] = micros.into();
        return answer;
    }
    let mut answer = json!({
        "found": true, "length": path.length_m, "cost": path.cost, "micros": micros,
        "points": path.points, "cells": path.cells.len(), "nodes": path.nodes,
        "gap_length": path.gap_length_m, "ramp_length": path.ramp_length_m,
        "links": path.links.len(),
    });
    // For drawing: the same way, following the ground.
    let options = PathOptions { points: PathPoints::Ground, ..options };
    if query.find_path_into(question.from, question.to, &options, path).is_ok() {
        answer["line"] = json!(path.points);
    }
    answer
}

/// Names of kinds of ground and links, as the command line knows them.
const CELL_KINDS: [(&str, CellKind); 2] = [("ramps", CellKind::Ramp), ("gaps", CellKind::Gap)];

/// The names that costs can be given for, beside the mesh's area types.
pub(crate) fn kind_names() -> impl Iterator<Item = &'static str> {
    CELL_KINDS.iter().map(|(name, _)| *name).chain(["links"])
}

fn filter(mesh: &NavMesh, costs: &BTreeMap<String, Option<f32>>) -> Result<Filter, String> {
    let mut filter = Filter::default();
    for (name, cost) in costs {
        let cost = cost.unwrap_or(f32::INFINITY);
        if let Some(area) = mesh.area_named(name) {
            filter.set_area_cost(area, cost);
        } else if let Some((_, kind)) = CELL_KINDS.iter().find(|(n, _)| n == name) {
            filter.set_kind_cost(*kind, cost);
        } else if name == "links" {
            for &kind in LinkKind::ALL {
                filter.set_link_cost(kind, cost);
            }
        } else {
            return Err(format!("the mesh has no area type `{name}`"));
        }
    }
    Ok(filter)
}
