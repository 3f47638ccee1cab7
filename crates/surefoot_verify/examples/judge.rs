//! Builds procedural scenes or files with the exact method and judges them: one line each.
//!
//! `cargo run --release -p surefoot_verify --example judge -- [--samples N] [--worst N]
//! [--fill-gaps M] NAME_OR_FILE...`
#![allow(clippy::print_stdout)]

use std::time::Instant;
use surefoot_bake::{BakeSettings, bake};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build, list};
use surefoot_verify::{Report, VerifySettings, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut settings = VerifySettings { worst: 0, ..VerifySettings::default() };
    let mut bake_settings = BakeSettings::default();
    let mut variant = Variant::default();
    let mut names = Vec::new();
    while let Some(word) = arguments.next() {
        let mut number = || arguments.next().and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
        match word.as_str() {
            "--samples" => settings.samples = number() as u64,
            "--worst" => settings.worst = number() as usize,
            "--fill-gaps" => bake_settings.fill_gaps_m = number(),
            "--seed" => settings.seed = number() as u64,
            "--size" => variant.size = Some(number() as u32),
            "--rotate" => variant.rotate_deg = number(),
            "--shatter" => variant.shatter = number() as u32,
            "--jitter" => variant.jitter_m = number(),
            "--dirty" => variant.dirty = true,
            _ => names.push(word),
        }
    }
    if names.is_empty() {
        names.extend(list().iter().map(|s| s.name.to_owned()));
    }
    for name in &names {
        let scene =
            if name.contains('.') { Scene::load(name)? } else { build(name, &variant)?.scene };
        let start = Instant::now();
        let mesh = match bake(&scene, &bake_settings) {
            Ok(mesh) => mesh,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let built = start.elapsed();
        let start = Instant::now();
        let report = verify(mesh.data(), &scene, &settings, &|_| {});
        println!(
            "{name}: {} triangles, built {:.2?}, judged {:.2?}; {} cells, {:.1} m2",
            scene.triangle_count(),
            built,
            start.elapsed(),
            mesh.cell_count(),
            mesh.area_m2()
        );
        print(&report, mesh.data());
    }
    Ok(())
}

fn print(report: &Report, mesh: &surefoot_mesh::NavMeshData) {
    let s = report.sound_by_stratum.map(|s| format!("{}/{}", s.counted - s.passed, s.counted));
    println!(
        "  sound {:.5} ({}), complete {:.5} ({} of {}, {} left out), walks {}/{}, portals {}/{}, connection {}, structure {}",
        report.sound.value(),
        s.join(" "),
        report.complete.value(),
        report.complete.counted - report.complete.passed,
        report.complete.counted,
        report.left_out,
        report.walks.passed,
        report.walks.counted,
        report.portals.passed,
        report.portals.counted,
        report.connection_fault_count,
        report.structure_faults.len()
    );
    for f in &report.unsound {
        println!(
            "    unsound {:.3?} cell {} {:?} {:?}: {} at {:.3?}, short by {:.3}",
            f.at,
            f.cell,
            mesh.cell_kinds[f.cell as usize],
            f.stratum,
            f.reason.name(),
            f.because_of,
            f.short_by_m
        );
    }
    for f in &report.uncovered {
        println!("    uncovered {:.3?} {:?} {:.3}", f.at, f.missing, f.away_m);
    }
    for f in &report.connection_faults {
        println!("    connection {:.3?} {}", f.at(), f.text());
    }
    for f in report.structure_faults.iter().take(report.unsound.capacity().clamp(3, 8)) {
        println!("    structure {:.3?} {}", f.at, f.kind.text());
    }
}
