//! Loads scene files taken together (`-n N` times) and says how long it took and how much memory;
//! with `-o FILE` also saves the scene:
//! `cargo run --release -p surefoot_scene --example load_scene -- level.glb -n 5 -o level.ply`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use surefoot_scene::Scene;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut files, mut times, mut output) = (Vec::new(), 1, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-n" => times = arguments.next().ok_or("-n needs a number")?.parse()?,
            "-o" => output = arguments.next(),
            _ => files.push(argument),
        }
    }
    let mut scene = Scene::default();
    for _ in 0..times {
        let start = Instant::now();
        scene = Scene::load_all(&files)?;
        println!("loaded in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    println!("{} triangles, {} points", scene.triangle_count(), scene.points().len());
    println!("{} tags, ignored {:?}", scene.tag_names().len(), scene.ignored());
    println!("origin {:?}, bounds {:?}", scene.origin(), scene.bounds());
    if let Ok(status) = std::fs::read_to_string("/proc/self/status")
        && let Some(peak) = status.lines().find(|line| line.starts_with("VmHWM"))
    {
        println!("{peak}");
    }
    if let Some(output) = output {
        let start = Instant::now();
        scene.save(&output)?;
        println!("saved in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
