//! One mesh for agents of several radii: baked for the thinnest, asked for each.

#![allow(clippy::print_stdout)]

use std::error::Error;
use surefoot::{Agent, BakeSettings, PathError, Query, SceneBuilder, bake};

fn main() -> Result<(), Box<dyn Error>> {
    // A room with a wall across, and two doors in it: one near, of 0.8 m, one far away, of 2 m.
    let mut scene = SceneBuilder::new();
    let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| {
        scene.triangle([a, b, c]).triangle([a, c, d]);
    };
    quad([[0.0, 0.0, 0.0], [0.0, 0.0, 12.0], [20.0, 0.0, 12.0], [20.0, 0.0, 0.0]]);
    for (from, to) in [(0.0, 3.0), (3.8, 16.0), (18.0, 20.0)] {
        quad([[from, 0.0, 6.0], [to, 0.0, 6.0], [to, 2.5, 6.0], [from, 2.5, 6.0]]);
        quad([[from, 2.5, 6.0], [to, 2.5, 6.0], [to, 0.0, 6.0], [from, 0.0, 6.0]]);
    }
    let agent = Agent { radius_m: 0.2, ..Agent::default() };
    let mesh = bake(&scene.finish(), &BakeSettings { agent, ..BakeSettings::default() })?;

    let mut query = Query::new(&mesh);
    let mut lengths_m = Vec::new();
    for radius_m in [0.2, 0.35, 0.6, 1.5] {
        query.set_radius(radius_m)?;
        match query.find_path([3.4, 0.0, 3.0], [3.4, 0.0, 9.0]) {
            Ok(path) => {
                println!("{radius_m} m: {:.2} m", path.length_m);
                lengths_m.push(path.length_m);
            }
            Err(error @ PathError::Disconnected { .. }) => println!("{radius_m} m: {error}"),
            Err(error) => return Err(error.into()),
        }
    }
    // The thin ones take the near door, the wide one the far one, and the widest finds none.
    assert!(lengths_m.len() == 3 && lengths_m[1] < 7.0 && lengths_m[2] > 20.0);
    Ok(())
}
