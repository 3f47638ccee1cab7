//! The report of a build.

use crate::memory::peak_rss_mb;
use crate::output::thousands;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;
use surefoot_bake::BakeReport;
use surefoot_debug::number;
use surefoot_mesh::NavMesh;

/// One JSON object; the keys are a contract.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) method: String,
    pub(crate) total_ms: f64,
    pub(crate) stages: Vec<Stage>,
    pub(crate) input_triangles: u64,
    pub(crate) ignored_triangles: u64,
    #[serde(flatten)]
    pub(crate) counts: Counts,
    pub(crate) peak_rss_mb: Option<f64>,
    pub(crate) warnings: Vec<String>,
}

/// One stage's line.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) ms: f64,
    #[serde(flatten)]
    pub(crate) counts: Map<String, Value>,
}

/// What a mesh holds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Counts {
    pub(crate) cells: usize,
    pub(crate) triangles: usize,
    pub(crate) vertices: usize,
    pub(crate) area_m2: f64,
    pub(crate) gap_area_m2: f64,
    pub(crate) components: usize,
    pub(crate) links: usize,
}

impl Counts {
    pub(crate) fn of(mesh: &NavMesh) -> Self {
        let s = mesh.summary();
        Self {
            cells: s.cells,
            triangles: s.triangles,
            vertices: s.vertices,
            area_m2: s.area_m2,
            gap_area_m2: s.gap_area_m2,
            components: s.components,
            links: s.links,
        }
    }

    /// One line for people.
    pub(crate) fn line(&self) -> String {
        let mut line = format!(
            "{} cells, {} triangles, {} vertices, {:.1} m² in {} component{}",
            thousands(self.cells as u64),
            thousands(self.triangles as u64),
            thousands(self.vertices as u64),
            self.area_m2,
            thousands(self.components as u64),
            if self.components == 1 { "" } else { "s" },
        );
        if self.links > 0 {
            let _ = write!(line, ", {} links", thousands(self.links as u64));
        }
        line
    }
}

/// Milliseconds with three decimals.
pub(crate) fn rounded_ms(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}

impl Report {
    /// The report of a finished build. `load` is the stage that the bake does not know: reading.
    pub(crate) fn new(mesh: &NavMesh, bake: &BakeReport, load: Stage, total_ms: f64) -> Self {
        let mut stages = vec![load];
        stages.extend(bake.stages.iter().map(|s| {
            let mut counts = Map::new();
            for &(key, value) in &s.counts {
                // A count may not hide the two keys that every stage has.
                if key != "name" && key != "ms" {
                    counts.insert(key.to_owned(), number(value));
                }
            }
            Stage { name: s.name.to_owned(), ms: rounded_ms(s.ms), counts }
        }));
        let warnings = bake.warnings.iter().map(ToString::to_string).collect();
        Self {
            method: bake.method.to_owned(),
            total_ms: rounded_ms(total_ms),
            stages,
            input_triangles: bake.input_triangles,
            ignored_triangles: bake.ignored_triangles,
            counts: Counts::of(mesh),
            peak_rss_mb: peak_rss_mb(),
            warnings,
        }
    }

    /// The report for people.
    pub(crate) fn text(&self, output: &str) -> String {
        let mut out = format!(
            "{output}: {}\n  from {} triangles",
            self.counts.line(),
            thousands(self.input_triangles)
        );
        if self.ignored_triangles > 0 {
            let _ =
                write!(out, " ({} without a surface ignored)", thousands(self.ignored_triangles));
        }
        let _ = write!(out, " by the {} method in {:.1} ms", self.method, self.total_ms);
        if let Some(mb) = self.peak_rss_mb {
            let _ = write!(out, ", {mb:.0} MB");
        }
        out.push('\n');
        for stage in &self.stages {
            let counts: Vec<String> =
                stage.counts.iter().map(|(k, v)| format!("{} {v}", k.replace('_', " "))).collect();
            let _ = write!(out, "  {:<15} {:>9.1} ms", stage.name.replace('_', " "), stage.ms);
            if !counts.is_empty() {
                let _ = write!(out, "   {}", counts.join(", "));
            }
            out.push('\n');
        }
        out
    }
}
