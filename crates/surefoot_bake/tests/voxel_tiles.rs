//! The voxel pipeline gives the same bytes for every size of its tiles and any number of threads.
//!
//! All procedural scenes in larger sizes, five real levels where the folder `shared` lies beside the
//! repository, and many heaps of triangles: `cargo xtask voxel-tiles`.
#![allow(clippy::print_stderr)]

use surefoot_bake::{
    BakeSettings, Baked, Baker, CellShape, Method, Regions, VoxelSettings, Warning,
};
use surefoot_mesh::{EdgeClass, NO_EDGE, NavMeshData};
use surefoot_scene::Scene;
use surefoot_testing_scenes::{Variant, build, list};

const TILE_SIZES: [u32; 5] = [64, 100, 256, 467, 0];

/// Every scene, in a size whose build takes a moment, and the cell size.
const SCENES: [(&str, u32, f64); 12] = [
    ("doorways", 4, 0.1),
    ("overhang", 1, 0.1),
    ("stairs", 5, 0.1),
    ("spiral-stairs", 10, 0.1),
    ("floors", 2, 0.1),
    ("pillars", 4, 0.1),
    ("maze", 6, 0.1),
    ("platforms", 1, 0.1),
    ("testmap-1", 1, 0.15),
    ("testmap-3", 1, 0.15),
    ("terrain", 48, 0.3),
    ("kerbs", 1, 0.1),
];

fn settings(regions: Regions, tile_size_cells: u32, cell_size_m: f64) -> BakeSettings {
    BakeSettings {
        min_area_m2: 0.2,
        method: Method::Voxel(VoxelSettings {
            regions,
            tile_size_cells,
            cell_size_m,
            cell_height_m: 0.5 * cell_size_m,
            ..VoxelSettings::default()
        }),
        ..BakeSettings::default()
    }
}

fn scene_of(name: &str, size: Option<u32>) -> Scene {
    let variant = Variant { size, rotate_deg: 17.3, seed: 1, ..Variant::default() };
    build(name, &variant).expect("the scene exists").scene
}

fn bake_tiled(scene: &Scene, settings: &BakeSettings) -> Baked {
    Baker::new(settings).bake(scene).expect("the scene builds")
}

fn check_equal(name: &str, scene: &Scene, cell_size_m: f64) {
    for regions in [Regions::Flood, Regions::Flat] {
        let mut first: Option<Vec<u8>> = None;
        for tile in TILE_SIZES {
            let baked = bake_tiled(scene, &settings(regions, tile, cell_size_m));
            let lost = |w: &Warning| matches!(w, Warning::FaceLost { .. });
            assert!(!baked.report.warnings.iter().any(lost), "{:?}", baked.report.warnings);
            let bytes = baked.mesh.to_bytes();
            match &first {
                None => first = Some(bytes),
                Some(first) => assert!(
                    *first == bytes,
                    "{name}, {regions:?}: tiles of {tile} columns differ from those of {}",
                    TILE_SIZES[0]
                ),
            }
        }
    }
}

/// Every edge that leads nowhere, by its ends, cut at all vertices that lie on it.
fn boundary(data: &NavMeshData) -> Vec<[[i32; 3]; 2]> {
    let mut edges = Vec::new();
    for ends in data.cell_first_edges.windows(2) {
        for e in ends[0]..ends[1] {
            if data.edge_twins[e as usize] == NO_EDGE {
                let next = if e + 1 < ends[1] { e + 1 } else { ends[0] };
                let at = |e: u32| {
                    let v = data.edge_vertices[e as usize].index();
                    let p = data.vertex_points[v];
                    [p.x, p.y, (data.vertex_heights_m[v] * 1000.0) as i32]
                };
                edges.push([at(e), at(next)]);
            }
        }
    }
    edges.sort_unstable();
    edges
}

/// `watershed` and `monotone` lie within the boundary of `flood`.
fn check_boundary(name: &str, scene: &Scene, cell_size_m: f64, tile_sizes: &[u32]) {
    // Triangles: the partition into convex cells may add vertices on the boundary.
    let settings = |regions: Regions, tile: u32| BakeSettings {
        cells: CellShape::Triangles,
        ..settings(regions, tile, cell_size_m)
    };
    let flood = bake_tiled(scene, &settings(Regions::Flood, 0));
    for regions in [Regions::Watershed, Regions::Monotone] {
        for &tile in tile_sizes {
            let baked = bake_tiled(scene, &settings(regions, tile));
            let (area_m2, wanted_m2) = (baked.mesh.area_m2(), flood.mesh.area_m2());
            let apart_m2 = (area_m2 - wanted_m2).abs();
            assert!(apart_m2 < 1e-9 * wanted_m2.max(1.0), "{name}, {regions:?}: {apart_m2} m²");
            assert!(
                boundary(baked.mesh.data()) == boundary(flood.mesh.data()),
                "{name}, {regions:?}: tiles of {tile} have another boundary"
            );
        }
    }
}

#[test]
fn flood_and_flat_give_the_same_bytes_for_every_size_of_tiles() {
    for (name, size, cell) in SCENES {
        check_equal(name, &scene_of(name, Some(size)), cell);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask voxel-tiles"]
fn all_scenes_show_no_trace_of_tiles() {
    for info in list() {
        let cell = match info.name {
            "buildings" | "station" | "terrain" | "planet" => 1.0,
            "rig" | "city" | "testmap-2" => 0.4,
            _ => 0.15,
        };
        eprintln!("{} at {cell} m", info.name);
        let scene = scene_of(info.name, None);
        check_equal(info.name, &scene, cell);
        check_boundary(info.name, &scene, cell, &TILE_SIZES);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask voxel-tiles"]
fn real_levels_show_no_trace_of_tiles() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/scenes");
    for (file, cell) in [
        ("recast_nav_test.obj", 0.1),
        ("recast_dungeon.obj", 0.1),
        ("librequake_e2m3.obj", 0.2),
        ("duplex_apartment.obj", 0.1),
        ("hololens_room.glb", 0.1),
    ] {
        let path = std::path::Path::new(folder).join(file);
        if !path.exists() {
            eprintln!("skipped: {file} is not there");
            continue;
        }
        eprintln!("{file} at {cell} m");
        let scene = Scene::load(&path).expect("the level loads");
        check_equal(file, &scene, cell);
        check_boundary(file, &scene, cell, &TILE_SIZES);
    }
}

#[test]
fn watershed_and_monotone_cover_the_same_ground_within_the_same_boundary() {
    for (name, size, cell) in [("floors", 2, 0.1), ("testmap-1", 1, 0.15), ("terrain", 32, 0.3)] {
        check_boundary(name, &scene_of(name, Some(size)), cell, &[64, 100, 0]);
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let settings = settings(Regions::Flood, 64, 0.1);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| bake_tiled(&scene_of("floors", Some(2)), &settings).mesh.to_bytes())
    };
    let one = with(1);
    assert!(one == with(2) && one == with(5));
}

#[test]
fn every_boundary_vertex_lies_at_a_corner_of_the_ground() {
    // A plain square floor: four corners, whatever the tiles, and no vertex in between.
    let points = [[0.0, 0.0, 0.0], [30.0, 0.0, 0.0], [30.0, 0.0, 30.0], [0.0, 0.0, 30.0]];
    let scene = Scene::from_triangles(&points, &[[0, 2, 1], [0, 3, 2]]).expect("a floor");
    for tile in TILE_SIZES {
        let settings = settings(Regions::Flood, tile, 0.1);
        let baked = Baker::new(&settings).bake(&scene).expect("the floor builds");
        assert_eq!(baked.mesh.vertex_count(), 4);
        assert_eq!(baked.mesh.cell_count(), 1);
        let data = baked.mesh.data();
        assert!(data.edge_classes.iter().all(|c| *c == EdgeClass::Open));
    }
}
