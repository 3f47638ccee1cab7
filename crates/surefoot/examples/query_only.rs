//! What a game does: it holds a mesh that somebody else has baked and a query on it in one struct, and
//! searches a little in every frame.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use surefoot::{NavMesh, Path, PathOptions, Query, SearchProgress};

/// Nodes that a search may look at in a frame; a hundred take some ten microseconds.
const NODES_PER_FRAME: u64 = 2;

/// A level as a game has it.
struct Level {
    mesh: Arc<NavMesh>,
    query: Query<'static>,
}

impl Level {
    fn new(mesh: NavMesh) -> Self {
        let mesh = Arc::new(mesh);
        Self { query: Query::shared(Arc::clone(&mesh)), mesh }
    }

    /// The way, and in how many frames it was found.
    fn walk(&mut self, from: [f64; 3], to: [f64; 3]) -> Result<(Path, u32), Box<dyn Error>> {
        let (mut path, mut frames) = (Path::default(), 1);
        self.query.begin_path(from, to, &PathOptions::default())?;
        while self.query.advance(NODES_PER_FRAME)? == SearchProgress::Searching {
            frames += 1;
        }
        self.query.finish_path(&mut path)?;
        Ok((path, frames))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // A game has the bytes of a .snav file: NavMesh::load("level.snav").
    let mut level = Level::new(NavMesh::from_bytes(&baked_elsewhere()?)?);
    println!("{} cells", level.mesh.cell_count());
    let (path, frames) = level.walk([0.5, 0.0, 0.5], [0.5, 0.0, 19.5])?;
    println!("{:.2} m in {} points, found in {frames} frames", path.length_m, path.points.len());
    let at = level.query.nearest([3.0, 0.4, 3.0], [1.0; 3]).ok_or("no ground nearby")?;
    println!("the nearest ground is {:?}", at.point);
    Ok(())
}

/// A floor with walls across, each open on another side than the one before.
fn baked_elsewhere() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut scene = surefoot::SceneBuilder::new();
    let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| {
        scene.triangle([a, b, c]).triangle([a, c, d]);
    };
    quad([[0.0, 0.0, 0.0], [0.0, 0.0, 20.0], [10.0, 0.0, 20.0], [10.0, 0.0, 0.0]]);
    for wall in 1..10 {
        let z = 2.0 * f64::from(wall);
        let (from, to) = if wall % 2 == 0 { (0.0, 8.5) } else { (1.5, 10.0) };
        quad([[from, 0.0, z], [to, 0.0, z], [to, 2.5, z], [from, 2.5, z]]);
        quad([[from, 2.5, z], [to, 2.5, z], [to, 0.0, z], [from, 0.0, z]]);
    }
    let mesh = surefoot::bake(&scene.finish(), &surefoot::BakeSettings::default())?;
    Ok(mesh.to_bytes())
}
