//! From triangles to a path: a floor with a wall across, and the way around it.

#![allow(clippy::print_stdout)]

use std::error::Error;
use surefoot::{Agent, BakeSettings, Query, SceneBuilder, bake};

fn main() -> Result<(), Box<dyn Error>> {
    // Metres, Y up, counter-clockwise seen from the side that can be walked on. A file would be
    // Scene::load("level.glb").
    let mut scene = SceneBuilder::new();
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [0.0, 0.0, 8.0], [12.0, 0.0, 8.0], [12.0, 0.0, 0.0]];
    scene.triangle([a, b, c]).triangle([a, c, d]);
    // A wall from one side of the floor to a passage of two metres, seen from both sides.
    let [a, b, c, d] = [[6.0, 0.0, 0.0], [6.0, 0.0, 6.0], [6.0, 3.0, 6.0], [6.0, 3.0, 0.0]];
    scene.triangle([a, b, c]).triangle([a, c, d]).triangle([a, c, b]).triangle([a, d, c]);
    let scene = scene.finish();

    let agent = Agent { radius_m: 0.4, ..Agent::default() };
    let mesh = bake(&scene, &BakeSettings { agent, ..BakeSettings::default() })?;
    println!("{} cells, {:.1} m²", mesh.cell_count(), mesh.area_m2());

    let path = Query::new(&mesh).find_path([1.0, 0.0, 1.0], [11.0, 0.0, 1.0])?;
    println!("{:.2} m, by way of:", path.length_m);
    for [x, y, z] in &path.points {
        println!("  {x:6.2} {y:6.2} {z:6.2}");
    }
    // The corner of the wall is passed at the agent's radius.
    assert!(path.length_m > 10.0 && path.points.len() > 2);

    let file = std::env::temp_dir().join("surefoot-bake-and-walk.snav");
    mesh.save(&file)?;
    println!("{}: {} bytes", file.display(), std::fs::metadata(&file)?.len());
    Ok(())
}
