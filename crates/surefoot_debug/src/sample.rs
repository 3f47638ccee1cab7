//! Small meshes for this crate's tests.

use surefoot_mesh::{Agent, NavMesh, NavMeshData};

/// Two squares side by side and an octagon apart from them, Y up.
pub(crate) fn two_rooms() -> NavMesh {
    let mut points = vec![
        [0.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [8.0, 0.5, 0.0],
        [0.0, 0.0, 4.0],
        [4.0, 0.0, 4.0],
        [8.0, 0.5, 4.0],
    ];
    let octagon = [
        [1.0, 0.0],
        [2.0, 0.0],
        [3.0, 1.0],
        [3.0, 2.0],
        [2.0, 3.0],
        [1.0, 3.0],
        [0.0, 2.0],
        [0.0, 1.0],
    ];
    points.extend(octagon.map(|[x, z]: [f32; 2]| [x + 20.0, 2.0, z - 5.0]));
    let polygons = [vec![0, 1, 4, 3], vec![1, 2, 5, 4], (6..14).collect()];
    NavMeshData::from_polygons(&points, &polygons, Agent::default(), [0.0, 1.0, 0.0])
        .expect("sound polygons")
        .validate()
        .expect("a sound mesh")
}
