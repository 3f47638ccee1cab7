//! Prints a map of what is ground, where the agent stands and where the mesh is around a point of a
//! procedural scene or a file: for looking into a fault that a report names.
//!
//! `... --example probe -- NAME_OR_FILE X Y Z [CELL_M]`
#![allow(clippy::print_stdout)]

use surefoot_bake::{BakeSettings, bake};
use surefoot_mesh::Query;
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build};
use surefoot_verify::{Ground, VerifySettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, x, y, z, rest @ ..] = words.as_slice() else {
        return Err("give a scene and a point".into());
    };
    let at: [f64; 3] = [x.parse()?, y.parse()?, z.parse()?];
    let cell: f64 = rest.first().map_or(Ok(0.05), |v| v.parse())?;
    let scene = if name.contains('.') {
        Scene::load(name)?
    } else {
        build(name, &Variant::default())?.scene
    };
    let mesh = bake(&scene, &BakeSettings::default())?;
    let ground = Ground::new(&scene, *mesh.frame(), mesh.agent(), &VerifySettings::default());
    let window: f64 = rest.get(1).map_or(Ok(0.5), |v| v.parse())?;
    let extents = [0.001, window, 0.001];
    let query = Query::new(&mesh);
    println!("here: ground {:?}", ground.is_ground(at, 0.4));
    println!("      stands {:?}", ground.stands(at, 0.4));
    println!("      mesh {:?}", query.nearest(at, extents));
    for j in -14..=14 {
        let mut line = String::new();
        for i in -24..=24 {
            let p = [at[0] + f64::from(i) * cell, at[1], at[2] + f64::from(j) * cell];
            let on_mesh = query.nearest(p, extents).is_some();
            let c = match (
                ground.is_ground(p, window).is_ok(),
                ground.stands(p, window).is_ok(),
                on_mesh,
            ) {
                (_, true, true) => 'M',
                (_, true, false) => 's',
                (true, false, true) => '!',
                (false, false, true) => 'X',
                (true, false, false) => '.',
                (false, false, false) => ' ',
            };
            line.push(if i == 0 && j == 0 { '@' } else { c });
        }
        println!("{line}|");
    }
    Ok(())
}
