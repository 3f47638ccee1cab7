//! A mesh from the polygons of a file of another tool, so that it can be judged by the same rule.
//!
//! In goes a scene: the triangles of an OBJ (or any other) file that holds a navigation mesh. Out
//! comes mesh data whose cells are those triangles, neighbours where they share two positions.
//! Triangles without an area seen from above are left out: they carry nobody.

use surefoot_mesh::{Agent, FromPolygonsError, NavMeshData};
use surefoot_scene::Scene;
use thiserror::Error;

/// Why a file cannot be taken as a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There is no polygon in it.
    #[error("it holds no polygon with an area seen from above; check which way is up (--up)")]
    Empty,
    /// The polygons make no mesh.
    #[error("its polygons make no mesh: {0}")]
    Polygons(#[from] FromPolygonsError),
}

/// A mesh whose cells are the triangles of a scene.
pub fn mesh_from_scene(
    scene: &Scene,
    agent: Agent,
    up: [f64; 3],
) -> Result<NavMeshData, ImportError> {
    let origin = scene.origin();
    let points: Vec<[f32; 3]> = (0..scene.points().len() as u32)
        .map(|i| scene.point(i).map(|c| c as f32))
        .collect();
    let _ = origin;
    let mut polygons: Vec<Vec<u32>> = scene.triangles().iter().map(|t| t.to_vec()).collect();
    loop {
        if polygons.is_empty() {
            return Err(ImportError::Empty);
        }
        match NavMeshData::from_polygons(&points, &polygons, agent, up) {
            Ok(data) => return Ok(data),
            Err(FromPolygonsError::NoArea { polygon }) => {
                polygons.remove(polygon);
            }
            Err(error) => return Err(error.into()),
        }
    }
}
