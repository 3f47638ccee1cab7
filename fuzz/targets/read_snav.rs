//! Any bytes, read as a `.snav` file: a mesh that holds all its promises, or an error.
//!
//! A changed byte breaks a checksum, and nothing behind it would ever be reached; so the bytes are
//! tried as they are, and again with all checksums written anew, as a forger would.
#![no_main]

#[path = "../heaps/reseal.rs"]
mod reseal;

use libfuzzer_sys::fuzz_target;
use reseal::reseal;
use surefoot_mesh::{Algorithm, NavMesh, PathOptions, Query};

fuzz_target!(|data: &[u8]| {
    try_mesh(data);
    let mut forged = data.to_vec();
    if reseal(&mut forged) {
        try_mesh(&forged);
    }
});

/// What is read can be written and read again, and answers queries.
fn try_mesh(bytes: &[u8]) {
    let Ok(mesh) = NavMesh::from_bytes(bytes) else { return };
    let written = mesh.to_bytes();
    let again = NavMesh::from_bytes(&written).expect("a mesh that was written is sound");
    assert_eq!(again.to_bytes(), written, "the same mesh has the same bytes");
    let vertices = mesh.cells().flat_map(|cell| mesh.cell_vertices(cell).take(1));
    let mut places = vertices.map(|vertex| mesh.vertex_position(vertex));
    let (Some(from), Some(to)) = (places.next(), places.last()) else { return };
    let mut query = Query::new(&mesh);
    for algorithm in [Algorithm::Optimal, Algorithm::AStar] {
        let options = PathOptions { algorithm, max_nodes: Some(10_000), ..Default::default() };
        let _ = query.find_path_with(from, to, &options);
    }
}
