//! Any bytes, read as a `.snav` file: a mesh that holds all its promises, or an error.
//!
//! A changed byte breaks a checksum, and nothing behind it would ever be reached; so the bytes are
//! tried as they are, and again with all checksums written anew, as a forger would.
#![no_main]

use libfuzzer_sys::fuzz_target;
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

/// Writes the checksums of all sections and of the table anew; false where there is no table.
fn reseal(bytes: &mut [u8]) -> bool {
    const HEADER: usize = 32;
    const ENTRY: usize = 32;
    let number = |b: &[u8], at: usize| {
        b.get(at..at + 4).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]))
    };
    let long =
        |b: &[u8], at: usize| Some(u64::from(number(b, at)?) | u64::from(number(b, at + 4)?) << 32);
    if bytes.len() < HEADER {
        return false;
    }
    let room = (bytes.len() - HEADER) / ENTRY;
    let count = number(bytes, 12).map_or(0, |count| (count as usize).min(room));
    for at in (0..count).map(|entry| HEADER + entry * ENTRY) {
        let (Some(offset), Some(length)) = (long(bytes, at + 8), long(bytes, at + 16)) else {
            return false;
        };
        let range = offset as usize..offset.saturating_add(length) as usize;
        if let Some(content) = bytes.get(range) {
            let crc = crc32fast::hash(content);
            bytes[at + 4..at + 8].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..28]);
    crc.update(&bytes[HEADER..HEADER + count * ENTRY]);
    bytes[28..32].copy_from_slice(&crc.finalize().to_le_bytes());
    true
}
