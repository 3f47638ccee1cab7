//! Tables 3 to 5 of Saupin et al., *Robust and Scalable Navmesh Generation with multiple levels and
//! stairs support* (2013), remade: a station, a platform and a site of buildings, built by the voxel
//! pipeline with the source's five settings.
//!
//! `voxel-tables [SCENE...]` prints Markdown. The source's scenes cannot be had; the procedural ones
//! have its triangle counts and dimensions. As in the source ground is divided by equal height and not
//! eroded. A link is a pair of cells that are neighbours. Stairs are found where the scene's pairs of
//! places, up and down its stairs, are connected.

use anyhow::Result;
use std::io::Write;
use std::time::Instant;
use surefoot_bake::{Agent, BakeSettings, Baker, Method, Regions, VoxelSettings};
use surefoot_compare_peers::{agent_of, forget_peak, resident};
use surefoot_mesh::{NO_EDGE, Query};
use surefoot_testing_scenes::{ProceduralScene, Variant, build};

/// A setting of the source: its name, the sizes of a cell in metres, and columns along a tile.
struct Setting {
    name: &'static str,
    cell_size_m: f64,
    cell_height_m: f64,
    tile: u32,
}

const SETTINGS: [Setting; 5] = [
    Setting { name: "def.", cell_size_m: 0.05, cell_height_m: 0.02, tile: 256 },
    Setting { name: "S2", cell_size_m: 0.0356, cell_height_m: 0.02, tile: 256 },
    Setting { name: "S3", cell_size_m: 0.0666, cell_height_m: 0.501, tile: 256 },
    Setting { name: "S4", cell_size_m: 0.666, cell_height_m: 0.587, tile: 256 },
    Setting { name: "S5", cell_size_m: 0.05, cell_height_m: 0.02, tile: 467 },
];

/// The source's results: polygons, voxels, links, seconds, for each setting.
type SourceTable = [(u32, &'static str, u32, f64); 5];

const SCENES: [(&str, &str, SourceTable); 3] = [
    (
        "station",
        "Table 3, the subway station",
        [
            (12_288, "7021 × 804 × 415", 18_088, 14.122),
            (11_550, "9861 × 1129 × 443", 24_358, 26.035),
            (2_342, "5271 × 603 × 17", 4_334, 5.314),
            (286, "527 × 60 × 14", 650, 0.726),
            (11_188, "8776 × 1005 × 553", 23_916, 19.79),
        ],
    ),
    (
        "rig",
        "Table 4, the platform",
        [
            (21_331, "800 × 1045 × 2404", 41_864, 9.727),
            (32_976, "1124 × 1468 × 2572", 65_488, 12.586),
            (9_511, "601 × 785 × 96", 18_834, 3.339),
            (537, "60 × 78 × 82", 972, 0.097),
            (30_424, "1000 × 1307 × 3206", 59_616, 15.812),
        ],
    ),
    (
        "buildings",
        "Table 5, the buildings",
        [
            (117_488, "8463 × 10977 × 804", 235_964, 229.854),
            (180_173, "11886 × 15417 × 860", 364_132, 612.833),
            (54_139, "6353 × 8241 × 32", 107_122, 63.863),
            (2_622, "635 × 824 × 27", 4_980, 1.591),
            (164_577, "10579 × 13721 × 1073", 333_554, 400.257),
        ],
    ),
];

fn main() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout().lock();
    for (name, title, source) in &SCENES {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == name) {
            continue;
        }
        let scene = build(name, &Variant::default())?;
        writeln!(out, "## {title}: `{name}`, {} triangles\n", scene.scene.triangle_count())?;
        writeln!(
            out,
            "| set. | polygons | voxels | links | time (s) | peak (MiB) | stairs | source: polygons \
             | voxels | links | time (s) |\n|---|---|---|---|---|---|---|---|---|---|---|"
        )?;
        for (setting, there) in SETTINGS.iter().zip(source) {
            let here = measure(&scene, setting)?;
            writeln!(
                out,
                "| {} | {here} | {} | {} | {} | {} |",
                setting.name, there.0, there.1, there.2, there.3
            )?;
            out.flush()?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn measure(scene: &ProceduralScene, setting: &Setting) -> Result<String> {
    let settings = BakeSettings {
        agent: Agent { radius_m: 0.0, max_step_m: 0.5, ..agent_of(&scene.truth.agent) },
        method: Method::Voxel(VoxelSettings {
            cell_size_m: setting.cell_size_m,
            cell_height_m: setting.cell_height_m,
            tile_size_cells: setting.tile,
            regions: Regions::Flat,
            ..VoxelSettings::default()
        }),
        ..BakeSettings::default()
    };
    let can_tell = forget_peak();
    let start = Instant::now();
    let baked = Baker::new(&settings).bake(&scene.scene)?;
    let seconds = start.elapsed().as_secs_f64();
    let peak = match resident() {
        Some(held) if can_tell => format!("{:.0}", held.peak_mib),
        _ => "–".to_owned(),
    };
    let count = |name: &str| {
        let counts = baked.report.stages.iter().flat_map(|s| &s.counts);
        counts.filter(|(n, _)| *n == name).map(|(_, v)| *v).next().unwrap_or(0.0)
    };
    let data = baked.mesh.data();
    let links = data.edge_twins.iter().filter(|t| **t != NO_EDGE).count() / 2 + data.links.len();
    let mut query = Query::new(&baked.mesh);
    let pairs: Vec<_> = scene.truth.pairs.iter().filter(|p| p.gap_reach_m <= 0.0).collect();
    let climbs: Vec<_> =
        pairs.iter().filter(|p| p.connected && (p.from[1] - p.to[1]).abs() > 1.0).collect();
    let found = climbs.iter().filter(|p| query.find_path(p.from, p.to).is_ok()).count();
    Ok(format!(
        "{} | {} × {} × {} | {links} | {seconds:.3} | {peak} | {found} of {}",
        baked.mesh.cell_count(),
        count("columns_x"),
        count("columns_y"),
        count("levels"),
        climbs.len()
    ))
}
