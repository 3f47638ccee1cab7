//! The file format: what is written comes back, and what is damaged is refused by name.

mod meshes;

use meshes::{Cells, Random, field, ring, square, stairs};
use std::path::PathBuf;
use surefoot_mesh::{
    AreaId, BuildInfo, BuildMethod, CellId, CellKind, EdgeClass, Link, LinkKind, NavMesh,
    SectionName, SnavError, SnavView, ValidateError,
};

/// A mesh with some of everything that the format can hold.
fn rich() -> NavMesh {
    let mut data = stairs(4, true);
    data.area_names = vec!["ground".into(), "Schlamm ä".into(), String::new()];
    data.cell_areas[1] = AreaId(1);
    data.cell_areas[2] = AreaId(2);
    data.cell_kinds[1] = CellKind::Ramp;
    data.cell_kinds[2] = CellKind::Gap;
    data.convex_distance_m = 0.05;
    let border = data.edge_classes.iter().position(|&c| c == EdgeClass::Open).unwrap();
    data.edge_classes[border] = EdgeClass::Blocked;
    for (kind, two_way) in [(LinkKind::Jump, false), (LinkKind::Door, true)] {
        data.links.push(Link {
            from_cell: CellId(3),
            to_cell: CellId(4),
            from_segment: [[7.0, 3.5, 4.6], [7.0, 4.0, 4.6]],
            to_segment: [[8.0, 3.5, 0.0], [8.0, 4.0, 0.0]],
            kind,
            two_way,
            area: AreaId(1),
        });
    }
    data.validate().unwrap()
}

fn golden_path() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", "v1.snav"].iter().collect()
}

#[test]
fn the_golden_file_is_read_and_written_byte_for_byte() {
    let mesh = rich();
    let bytes = mesh.to_bytes();
    if std::env::var_os("SUREFOOT_WRITE_GOLDEN").is_some() {
        mesh.save(golden_path()).unwrap();
    }
    let golden = std::fs::read(golden_path()).unwrap();
    assert!(golden == bytes, "version 1 must be written as it always was");
    assert_eq!(NavMesh::from_bytes(&golden).unwrap().data(), mesh.data());
}

#[test]
fn meshes_come_back_as_they_were() {
    let mut random = Random(2);
    let field = field(&mut random, 10, 10, 0.3, Cells::Rectangles).mesh;
    let folder = tempfile::tempdir().unwrap();
    for mesh in [square().validate().unwrap(), ring().validate().unwrap(), rich(), field] {
        let bytes = mesh.to_bytes();
        let back = NavMesh::from_bytes(&bytes).unwrap();
        assert_eq!(back.data(), mesh.data());
        assert_eq!(back.to_bytes(), bytes);
        let file = folder.path().join("level.snav");
        mesh.save(&file).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
        assert_eq!(NavMesh::load(&file).unwrap().data(), mesh.data());
        let files = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "nothing is left beside the file");
        // A view shows the arrays wherever the bytes happen to lie in memory.
        for shift in 0..8 {
            let mut shifted = vec![0; shift];
            shifted.extend_from_slice(&bytes);
            let view = SnavView::parse(&shifted[shift..]).unwrap();
            assert_eq!(view.edge_twins(), mesh.data().edge_twins);
            assert_eq!(view.to_data().unwrap(), *mesh.data());
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = square().validate().unwrap();
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).unwrap();
    std::fs::write(taken.join("inside"), "x").unwrap();
    assert!(mesh.save(&taken).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(mesh.save(folder.path().join("no/such/folder.snav")).is_err());
    assert!(mesh.save("/").is_err());
    assert!(matches!(NavMesh::load(folder.path().join("none.snav")), Err(SnavError::Io { .. })));
}

#[test]
fn what_is_no_such_file_is_told_apart() {
    let bytes = rich().to_bytes();
    assert!(matches!(NavMesh::from_bytes(b""), Err(SnavError::NotSnav)));
    assert!(matches!(NavMesh::from_bytes(b"glTF\x02\0\0\0 and so on"), Err(SnavError::NotSnav)));
    let mut text = bytes.clone();
    text.remove(4);
    assert!(matches!(NavMesh::from_bytes(&text), Err(SnavError::NotSnav)));
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert!(matches!(NavMesh::from_bytes(&newer), Err(SnavError::Version { found: 2 })));
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(NavMesh::from_bytes(&longer), Err(SnavError::Length { .. })));
}

#[test]
fn every_truncation_is_refused() {
    let bytes = rich().to_bytes();
    for length in 0..bytes.len() {
        let error = NavMesh::from_bytes(&bytes[..length]).unwrap_err();
        assert!(
            matches!(error, SnavError::NotSnav | SnavError::Length { .. }),
            "{length}: {error}"
        );
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let bytes = square().validate().unwrap().to_bytes();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(NavMesh::from_bytes(&damaged).is_err(), "bit {bit}");
    }
}

/// Writes the checksums of all sections and of the table anew, as a forger would.
fn reseal(bytes: &mut [u8]) {
    let number = |b: &[u8], at: usize| u32::from_le_bytes(b[at..at + 4].try_into().unwrap());
    let long = |b: &[u8], at: usize| u64::from_le_bytes(b[at..at + 8].try_into().unwrap());
    let count = (number(bytes, 12) as usize).min((bytes.len() - 32) / 32);
    for entry in 0..count {
        let at = 32 + entry * 32;
        let (offset, length) = (long(bytes, at + 8), long(bytes, at + 16));
        let range = offset as usize..offset.saturating_add(length) as usize;
        if let Some(content) = bytes.get(range) {
            let crc = crc32fast::hash(content);
            bytes[at + 4..at + 8].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..28]);
    crc.update(&bytes[32..32 + count * 32]);
    let crc = crc.finalize();
    bytes[28..32].copy_from_slice(&crc.to_le_bytes());
}

#[test]
fn forged_contents_are_refused_or_sound() {
    let mut random = Random(9);
    let originals = [rich().to_bytes(), ring().validate().unwrap().to_bytes()];
    let (mut refused, mut sound) = (0, 0);
    for round in 0..6000 {
        let mut bytes = originals[round % 2].clone();
        for _ in 0..1 + random.below(4) {
            // Half of the damage goes into the contents, the rest into header and table.
            let at = if random.share() < 0.5 {
                32 + 12 * 32 + random.below(bytes.len() - 32 - 12 * 32)
            } else {
                8 + random.below(24 + 12 * 32)
            };
            bytes[at] = match random.below(4) {
                0 => 0,
                1 => 0xff,
                2 => bytes[at] ^ 1 << random.below(8),
                _ => random.bits() as u8,
            };
        }
        reseal(&mut bytes);
        match NavMesh::from_bytes(&bytes) {
            Ok(mesh) => {
                // What is accepted is a mesh like any other.
                assert!(NavMesh::from_bytes(&mesh.to_bytes()).is_ok());
                let mut query = surefoot_mesh::Query::new(&mesh);
                let _ = query.find_path([0.5, 0.5, 0.0], [3.5, 1.0, 0.6]);
                sound += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(refused > 3000 && sound > 100, "{refused} refused, {sound} sound");
}

#[test]
fn attacks_on_the_section_table_are_refused() {
    let bytes = rich().to_bytes();
    let entry = |i: usize| 32 + i * 32;
    let attack = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut forged = bytes.clone();
        change(&mut forged);
        reseal(&mut forged);
        NavMesh::from_bytes(&forged).unwrap_err()
    };
    let set64 =
        |b: &mut Vec<u8>, at: usize, v: u64| b[at..at + 8].copy_from_slice(&v.to_le_bytes());
    for huge in [u64::MAX, u64::MAX - 15, 1 << 63, 1 << 40, bytes.len() as u64 + 16] {
        let error = attack(&|b| set64(b, entry(3) + 16, huge));
        assert!(matches!(error, SnavError::SectionPlace { .. }), "{error}");
        let error = attack(&|b| set64(b, entry(3) + 8, huge));
        assert!(matches!(error, SnavError::SectionPlace { .. }), "{error}");
    }
    // Two sections over the same bytes.
    let error = attack(&|b| {
        let first: Vec<u8> = b[entry(1) + 8..entry(1) + 24].to_vec();
        b[entry(2) + 8..entry(2) + 24].copy_from_slice(&first);
    });
    assert!(matches!(error, SnavError::SectionPlace { .. }), "{error}");
    let error = attack(&|b| {
        let name: Vec<u8> = b[entry(6)..entry(6) + 4].to_vec();
        b[entry(7)..entry(7) + 4].copy_from_slice(&name);
    });
    assert!(matches!(error, SnavError::DuplicateSection { .. }), "{error}");
    let error = attack(&|b| b[entry(5)] = b'Q');
    assert!(matches!(error, SnavError::UnknownSection { .. }), "{error}");
    // A section that may be passed over leaves its place empty.
    let error = attack(&|b| b[entry(5)] = b'q');
    assert!(matches!(error, SnavError::MissingSection { .. }), "{error}");
    let error = attack(&|b| b[entry(4) + 24] = 3);
    assert!(matches!(error, SnavError::SectionLength { .. }), "{error}");
    for count in [u32::MAX, 65, 13, 1 << 27] {
        let mut forged = bytes.clone();
        forged[12..16].copy_from_slice(&count.to_le_bytes());
        let error = NavMesh::from_bytes(&forged).unwrap_err();
        assert!(
            matches!(error, SnavError::TooManySections { .. } | SnavError::TableChecksum),
            "{error}"
        );
    }
    let error = attack(&|b| b[24] = 1);
    assert!(matches!(error, SnavError::Padding { offset: 24 }), "{error}");
}

#[test]
fn sections_for_later_readers_are_passed_over() {
    // A new section with a small first letter, appended as a later version might.
    let bytes = ring().validate().unwrap().to_bytes();
    let (table_end, extra) = (32 + 12 * 32, b"hello");
    let mut newer = bytes[..table_end].to_vec();
    newer.extend_from_slice(&[0; 32]);
    newer.extend_from_slice(&bytes[table_end..]);
    for entry in 0..12 {
        let at = 32 + entry * 32 + 8;
        let offset = u64::from_le_bytes(newer[at..at + 8].try_into().unwrap()) + 32;
        newer[at..at + 8].copy_from_slice(&offset.to_le_bytes());
    }
    while !newer.len().is_multiple_of(16) {
        newer.push(0);
    }
    let offset = newer.len() as u64;
    newer.extend_from_slice(extra);
    newer[table_end..table_end + 4].copy_from_slice(b"note");
    newer[table_end + 8..table_end + 16].copy_from_slice(&offset.to_le_bytes());
    newer[table_end + 16..table_end + 24].copy_from_slice(&(extra.len() as u64).to_le_bytes());
    newer[table_end + 24..table_end + 28].copy_from_slice(&1_u32.to_le_bytes());
    newer[12..16].copy_from_slice(&13_u32.to_le_bytes());
    let length = newer.len() as u64;
    newer[16..24].copy_from_slice(&length.to_le_bytes());
    reseal(&mut newer);
    assert_eq!(NavMesh::from_bytes(&newer).unwrap().to_bytes(), bytes);
}

#[test]
fn how_a_mesh_was_built_comes_back_and_must_make_sense() {
    let build = BuildInfo {
        method: BuildMethod::Voxel,
        cell_size_m: 0.1,
        cell_height_m: 0.05,
        gap_distance_m: 0.01,
        stair_slope_rad: 0.96,
        min_area_m2: 2.5,
        two_sided: true,
        keep_inside: true,
        seeded: false,
        fill_gaps_m: 0.0,
    };
    let mut data = ring();
    data.build = Some(build);
    let bytes = data.clone().validate().unwrap().to_bytes();
    let back = NavMesh::from_bytes(&bytes).unwrap();
    assert_eq!(back.data(), &data);
    assert_eq!(back.to_bytes(), bytes);
    // The section is the last thing in the file.
    let start = bytes.len() - 8 * 8;
    for (number, value) in
        [(0, 4.0), (0, 0.5), (1, f64::NAN), (2, -1.0), (5, f64::INFINITY), (6, 4.0), (7, 2.0)]
    {
        let mut forged = bytes.clone();
        let at = start + number * 8;
        forged[at..at + 8].copy_from_slice(&value.to_le_bytes());
        reseal(&mut forged);
        let error = NavMesh::from_bytes(&forged).unwrap_err();
        let SnavError::Value { section, index, .. } = error else { panic!("{error}") };
        assert_eq!((section, index), (SectionName(*b"bset"), number));
    }
    // Filled gaps are a ninth number, which is never zero: one mesh is one file.
    data.build = Some(BuildInfo { fill_gaps_m: 0.3, ..build });
    let with_gaps = data.clone().validate().unwrap().to_bytes();
    assert_eq!(with_gaps.len(), bytes.len() + 8);
    assert_eq!(NavMesh::from_bytes(&with_gaps).unwrap().data(), &data);
    for value in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut forged = with_gaps.clone();
        let at = forged.len() - 8;
        forged[at..].copy_from_slice(&f64::to_le_bytes(value));
        reseal(&mut forged);
        let error = NavMesh::from_bytes(&forged).unwrap_err();
        assert!(matches!(error, SnavError::Value { index: 8, .. }), "{value}: {error}");
        let nonsense = BuildInfo { fill_gaps_m: value, ..build };
        let wrong = surefoot_mesh::NavMeshData { build: Some(nonsense), ..data.clone() };
        assert_eq!(wrong.validate().is_err(), value.to_bits() << 1 != 0, "{value}");
    }
    data.build = Some(BuildInfo { cell_size_m: f64::NAN, ..build });
    assert_eq!(data.validate().unwrap_err(), ValidateError::Build { number: 1 });
}
