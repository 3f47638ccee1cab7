//! A mesh with what is worked out of it once: its layers, its blocks for the page, its triangles.

use crate::layers::find_layers;
use crate::views::pack_mesh;
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use surefoot_bake::{BakeReport, BakeSettings};
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_mesh::{CellId, NavMesh};

/// A stage of a build that was watched.
pub(crate) struct StageEntry {
    pub(crate) name: &'static str,
    pub(crate) faces: usize,
    pub(crate) edges: usize,
    /// The block for the page; `None` where keeping it would have taken too much memory.
    pub(crate) block: Option<Arc<Vec<u8>>>,
}

/// A mesh with all that is shown of it.
pub(crate) struct MeshSet {
    pub(crate) mesh: NavMesh,
    pub(crate) layers: Vec<u16>,
    /// The build's report; `None` for a mesh from a file.
    pub(crate) report: Option<(BakeReport, f64)>,
    pub(crate) settings: Option<BakeSettings>,
    /// Whether stages were kept, and what they show.
    pub(crate) watched: bool,
    pub(crate) stages: Vec<StageEntry>,
    pub(crate) origin: [f64; 3],
    block: OnceLock<Arc<Vec<u8>>>,
    pick: OnceLock<(Vec<PickTriangle>, BoxTree)>,
    described: OnceLock<Value>,
}

/// A triangle of a cell.
pub(crate) type PickTriangle = (CellId, [DVec3; 3]);

impl MeshSet {
    pub(crate) fn new(mesh: NavMesh, origin: [f64; 3]) -> Self {
        let layers = find_layers(&mesh);
        Self {
            mesh,
            layers,
            report: None,
            settings: None,
            watched: false,
            stages: Vec::new(),
            origin,
            block: OnceLock::new(),
            pick: OnceLock::new(),
            described: OnceLock::new(),
        }
    }

    /// The block for the page.
    pub(crate) fn block(&self) -> Arc<Vec<u8>> {
        let make = || Arc::new(pack_mesh(&self.mesh, &self.layers, self.origin));
        Arc::clone(self.block.get_or_init(make))
    }

    /// The triangles of all cells, and a tree over them.
    pub(crate) fn triangles(&self) -> &(Vec<PickTriangle>, BoxTree) {
        self.pick.get_or_init(|| {
            let (mut triangles, mut of_cell) = (Vec::new(), Vec::new());
            for cell in self.mesh.cells() {
                of_cell.clear();
                self.mesh.cell_triangles(cell, &mut of_cell);
                let place = |v| DVec3::from(self.mesh.vertex_position(v));
                triangles.extend(of_cell.iter().map(|t| (cell, t.map(place))));
            }
            let tree =
                BoxTree::build_with(triangles.len(), |i| Aabb::of_points(triangles[i as usize].1));
            (triangles, tree)
        })
    }

    /// What the page is told. Worked out once: it is sent with every change.
    pub(crate) fn describe(&self) -> Value {
        self.described.get_or_init(|| self.describe_anew()).clone()
    }

    fn describe_anew(&self) -> Value {
        let s = self.mesh.summary();
        let agent = self.mesh.agent();
        let layer_count = self.layers.iter().max().map_or(0, |&l| u32::from(l) + 1);
        let stages: Vec<Value> = self
            .stages
            .iter()
            .map(|s| {
                json!({ "name": s.name, "faces": s.faces, "edges": s.edges,
                        "kept": s.block.is_some() })
            })
            .collect();
        let report = self.report.as_ref().map(|(report, total_ms)| {
            let stages: Vec<Value> = report
                .stages
                .iter()
                .map(|s| {
                    let counts: Map<String, Value> = s
                        .counts
                        .iter()
                        .map(|&(k, v)| (k.to_owned(), surefoot_debug::number(v)))
                        .collect();
                    json!({ "name": s.name, "ms": s.ms, "counts": counts })
                })
                .collect();
            let warnings: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
            json!({
                "method": report.method, "total_ms": total_ms, "stages": stages,
                "input_triangles": report.input_triangles,
                "ignored_triangles": report.ignored_triangles, "warnings": warnings,
            })
        });
        json!({
            "cells": s.cells, "triangles": s.triangles, "vertices": s.vertices,
            "area_m2": s.area_m2, "gap_area_m2": s.gap_area_m2, "components": s.components,
            "links": s.links, "layers": layer_count,
            "low": s.bounds.map(|b| b.low), "high": s.bounds.map(|b| b.high),
            "agent": {
                "height_m": agent.height_m, "radius_m": agent.radius_m,
                "max_slope_deg": agent.max_slope_rad.to_degrees(), "max_step_m": agent.max_step_m,
            },
            "up": self.mesh.frame().up(), "origin": self.origin,
            "area_names": self.mesh.data().area_names, "report": report,
            "watched": self.watched, "stages": stages,
        })
    }
}
