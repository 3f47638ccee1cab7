//! What every mesh of a fuzz target must bear: to be written, read again and asked for a path.

use surefoot_mesh::{NavMesh, Query};

/// Writes a mesh, reads it, and looks for a path across it.
pub(crate) fn use_mesh(mesh: &NavMesh) {
    let written = mesh.to_bytes();
    let again = NavMesh::from_bytes(&written).expect("a mesh that was written is sound");
    assert_eq!(again.to_bytes(), written, "the same mesh has the same bytes");
    let vertices = mesh.cells().flat_map(|cell| mesh.cell_vertices(cell).take(1));
    let mut places = vertices.map(|vertex| mesh.vertex_position(vertex));
    if let (Some(from), Some(to)) = (places.next(), places.last()) {
        let _ = Query::new(mesh).find_path(from, to);
    }
}
