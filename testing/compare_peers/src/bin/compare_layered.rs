//! Builds in cells, layered or voxel, beside exact ones: ground, ways, time and memory.
//!
//! `compare-layered [--method layered|voxel] [--cell-size M] [SCENE | FILE]...` prints a line of a
//! Markdown table for each scene: the area of both, on how many pairs of random places the two agree
//! whether one can be reached from the other, the time of the build in cells on all threads and the peak
//! of the process's memory after it. Pairs are left out where a place lies farther than two cells from
//! one of the meshes, and where the answer depends on widths that such cells cannot tell: where the
//! exact pipeline connects them for an agent two cells thinner and not for one two cells wider. Cells
//! are 0.05 m wide unless said otherwise. Without scenes it takes all procedural ones. `--alone` leaves
//! the exact pipeline out; `--tell` prints the pairs on which the two do not agree.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::time::Instant;
use surefoot_bake::{Baker, BuildMethod};
use surefoot_compare_peers::{Level, Random};
use surefoot_mesh::{NavMesh, Query};

/// Random places on each scene; pairs are made from every seventh.
const PLACES: usize = 200;

/// What is compared.
struct Comparison {
    method: BuildMethod,
    cell_size_m: f64,
    alone: bool,
    tell: bool,
}

fn main() -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    let mut comparison =
        Comparison { method: BuildMethod::Layered, cell_size_m: 0.05, alone: false, tell: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--alone" => comparison.alone = true,
            "--tell" => comparison.tell = true,
            "--cell-size" => comparison.cell_size_m = value()?.parse()?,
            "--method" => {
                comparison.method = match value()?.as_str() {
                    "voxel" => BuildMethod::Voxel,
                    "layered" => BuildMethod::Layered,
                    other => bail!("{other} is no method with cells; voxel or layered"),
                }
            }
            _ => names.push(word),
        }
    }
    if names.is_empty() {
        names = Level::procedural_names();
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| scene | exact m² | {} m² | ratio | pairs | agree % | seconds | peak MB |",
        comparison.method.name()
    )?;
    writeln!(out, "|---|{}", "---:|".repeat(7))?;
    for name in &names {
        let level = Level::find(name)?;
        let line = comparison.compare(&level).unwrap_or_else(|e| format!("{e:#}"));
        writeln!(out, "| {} | {line} |", level.name)?;
    }
    Ok(())
}

impl Comparison {
    fn bake(&self, level: &Level, method: BuildMethod, wider_cells: f64) -> Result<NavMesh> {
        let mut settings = level.with_cells(method, self.cell_size_m);
        let wider = wider_cells * self.cell_size_m * level.units_per_m;
        settings.agent.radius_m = (settings.agent.radius_m + wider).max(0.0);
        Ok(Baker::new(&settings).bake(&level.scene)?.mesh)
    }

    fn compare(&self, level: &Level) -> Result<String> {
        let start = Instant::now();
        let cells = self.bake(level, self.method, 0.0)?;
        let seconds = start.elapsed().as_secs_f64();
        let peak_mb = peak_mb().map_or("–".to_owned(), |mb| format!("{mb:.0}"));
        if self.alone {
            return Ok(format!(
                "– | {:.1} | – | – | – | {seconds:.2} | {peak_mb}",
                cells.area_m2()
            ));
        }
        let exact = self.bake(level, BuildMethod::Exact, 0.0)?;
        let bounds = [
            self.bake(level, BuildMethod::Exact, -2.0)?,
            self.bake(level, BuildMethod::Exact, 2.0)?,
        ];
        let (same, all) = self.agreement(&exact, &cells, &bounds, level.units_per_m);
        let share = if all > 0 { 100.0 * same as f64 / all as f64 } else { f64::NAN };
        Ok(format!(
            "{:.1} | {:.1} | {:.4} | {all} | {share:.2} | {seconds:.2} | {peak_mb}",
            exact.area_m2(),
            cells.area_m2(),
            cells.area_m2() / exact.area_m2()
        ))
    }

    fn agreement(
        &self,
        exact: &NavMesh,
        cells: &NavMesh,
        bounds: &[NavMesh; 2],
        units_per_m: f64,
    ) -> (usize, usize) {
        let extents = |plan: f64, up: f64| [plan, up, plan].map(|v| v * units_per_m);
        let size = self.cell_size_m;
        let (near, farther) = (extents(2.0 * size, 0.2), extents(5.0 * size, 0.5));
        let (mut a, b) = (Query::new(exact), Query::new(cells));
        let [thin, wide] = [Query::new(&bounds[0]), Query::new(&bounds[1])];
        let mut random = Random(1);
        let places: Vec<[f64; 3]> = (0..PLACES)
            .filter_map(|_| a.random_point(|| random.share()).map(|p| p.point))
            .collect();
        let (mut same, mut all) = (0, 0);
        for (i, &p) in places.iter().enumerate() {
            for &q in places.iter().skip(i + 1).step_by(7) {
                let (by_exact, by_cells) = (joined(&a, p, q, near), joined(&b, p, q, near));
                let known = joined(&thin, p, q, farther) == joined(&wide, p, q, farther);
                if known && by_exact.is_some() && by_cells.is_some() {
                    all += 1;
                    same += usize::from(by_exact == by_cells);
                    if self.tell && by_exact != by_cells {
                        eprintln!("{p:.2?} {q:.2?} exact {by_exact:?} cells {by_cells:?}");
                    }
                }
            }
        }
        (same, all)
    }
}

/// Whether one place can be reached from another on a mesh, both moved onto it where they are near.
fn joined(query: &Query<'_>, p: [f64; 3], q: [f64; 3], near: [f64; 3]) -> Option<bool> {
    let (p, q) = (query.nearest(p, near)?, query.nearest(q, near)?);
    query.reachable(p.point, q.point)
}

/// The most memory that this process has held so far, where the system says so.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kb / 1024.0)
}
