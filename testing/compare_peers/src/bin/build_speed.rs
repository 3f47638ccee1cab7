//! Our voxel or layered builds beside Recast's, in one process on one thread: time and cells of both.
//!
//! `build-speed [--method voxel|layered] [--cell-size M]... [--rounds N] [--threads N] [--stages]
//! [--alone] SCENE...`: `SCENE` is a file or the name of a procedural scene with an optional size, as in
//! `terrain:512`. Prints a line of a Markdown table for each scene and cell size (of the layered
//! pipeline: fine cells): the best of some rounds of each, which take turns, the quotient of the two,
//! and a checksum of the file that ours would be written to: a change that is to be faster alone must
//! not change it. `--stages` adds what each stage of ours took in the best round; `--alone` leaves
//! Recast out.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::time::Instant;
use surefoot_bake::{BakeReport, BakeSettings, Baker, BuildMethod};
use surefoot_compare_peers::{Level, RecastSettings, build_recast};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (mut scenes, mut cell_sizes): (Vec<String>, Vec<f64>) = (Vec::new(), Vec::new());
    let (mut rounds, mut threads) = (3_u32, 1_usize);
    let (mut method, mut stages, mut alone) = (BuildMethod::Voxel, false, false);
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--cell-size" => cell_sizes.push(value()?.parse()?),
            "--rounds" => rounds = value()?.parse()?,
            "--threads" => threads = value()?.parse()?,
            "--stages" => stages = true,
            "--alone" => alone = true,
            "--method" => {
                method = match value()?.as_str() {
                    "voxel" => BuildMethod::Voxel,
                    "layered" => BuildMethod::Layered,
                    other => bail!("{other} is no method with cells; voxel or layered"),
                }
            }
            _ => scenes.push(word),
        }
    }
    if cell_sizes.is_empty() {
        cell_sizes.extend(if method == BuildMethod::Layered { &[0.05][..] } else { &[0.1, 0.05] });
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| scene | cells, m | {} ms | cells | Recast ms | polygons | ratio | checksum |",
        method.name()
    )?;
    writeln!(out, "|---|{}", "---:|".repeat(7))?;
    for name in &scenes {
        let level = Level::find(name)?;
        for &cell_size in &cell_sizes {
            let settings = level.with_cells(method, cell_size);
            let size = (cell_size * level.units_per_m) as f32;
            let found =
                pool.install(|| compare(&level, &settings, (!alone).then_some(size), rounds))?;
            let recast = match found.recast_ms {
                Some(ms) => format!("{ms:.0} | {} | {:.2}", found.polygons, found.ours_ms / ms),
                None => "– | – | –".to_owned(),
            };
            writeln!(
                out,
                "| {} | {size} | {:.0} | {} | {recast} | {:016x} |",
                level.name, found.ours_ms, found.cells, found.checksum
            )?;
            if stages {
                for stage in &found.report.stages {
                    writeln!(out, "    {} {:.1} ms {:?}", stage.name, stage.ms, stage.counts)?;
                }
            }
        }
    }
    Ok(())
}

/// The best of all rounds.
struct Compared {
    ours_ms: f64,
    cells: usize,
    checksum: u64,
    report: BakeReport,
    recast_ms: Option<f64>,
    polygons: usize,
}

fn compare(
    level: &Level,
    settings: &BakeSettings,
    recast_cell_size: Option<f32>,
    rounds: u32,
) -> Result<Compared> {
    let recast = recast_cell_size.map(|cell_size| {
        let mut recast = RecastSettings::with_cell_size(settings.agent, cell_size);
        recast.most_columns = 1e9;
        recast.min_area_m2 = settings.min_area_m2 as f32;
        recast
    });
    let mut best = Compared {
        ours_ms: f64::INFINITY,
        cells: 0,
        checksum: 0,
        report: BakeReport::default(),
        recast_ms: None,
        polygons: 0,
    };
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        let baked = Baker::new(settings).bake(&level.scene)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        best.cells = baked.mesh.cell_count();
        best.checksum = checksum(&baked.mesh.to_bytes());
        if ms < best.ours_ms {
            (best.ours_ms, best.report) = (ms, baked.report);
        }
        let start = Instant::now();
        if let Some(recast) = &recast
            && let Ok(built) = build_recast(&level.scene, recast)
        {
            let ms = start.elapsed().as_secs_f64() * 1e3;
            best.recast_ms = Some(best.recast_ms.map_or(ms, |b: f64| b.min(ms)));
            best.polygons = built.polygon_count();
        }
    }
    Ok(best)
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
