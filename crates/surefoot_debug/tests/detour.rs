//! A Detour tile set written here is read, linked and walked by an independent port of Detour.

use navmesh_rs::detour::{
    DefaultFilter, NavMesh as DetourMesh, NavMeshParams, NavMeshQuery, POLYREF_BITS, TileRef,
};
use surefoot_debug::{DetourError, mesh_to_detour};
use surefoot_mesh::{Agent, CellId, Link, LinkKind, NavMesh, NavMeshData};

/// An L of two cells around the corner (4, 0, 4), a round cell of 16 corners on its end, and an
/// island that only a link reaches.
fn around_the_corner() -> NavMesh {
    let mut points = vec![
        [0.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [8.0, 0.0, 0.0],
        [0.0, 0.0, 4.0],
        [4.0, 0.0, 4.0],
        [8.0, 0.0, 4.0],
        [4.0, 0.25, 12.0],
        [8.0, 0.25, 12.0],
    ];
    let mut round = vec![6, 7];
    for k in 1..16 {
        let angle = std::f32::consts::PI * k as f32 / 16.0;
        round.push(points.len() as u32);
        points.push([6.0 + 2.0 * angle.cos(), 0.25, 12.0 + 2.0 * angle.sin()]);
    }
    let island = points.len() as u32;
    points.extend([[20.0, 0.0, 0.0], [24.0, 0.0, 0.0], [24.0, 0.0, 4.0], [20.0, 0.0, 4.0]]);
    let polygons = [
        vec![0, 1, 4, 3],
        vec![1, 2, 5, 4],
        vec![4, 5, 7, 6],
        round,
        (island..island + 4).collect(),
    ];
    let mut data =
        NavMeshData::from_polygons(&points, &polygons, Agent::default(), [0.0, 1.0, 0.0]).unwrap();
    let frame = data.frame;
    let at = |x: f64, z: f64| frame.canonical_from_user([x, 0.0, z]).map(|c| c as f32);
    data.links.push(Link {
        from_cell: CellId(1),
        to_cell: CellId(4),
        from_segment: [at(8.0, 1.0), at(8.0, 3.0)],
        to_segment: [at(20.0, 1.0), at(20.0, 3.0)],
        kind: LinkKind::Jump,
        two_way: false,
        area: surefoot_mesh::AreaId(0),
    });
    data.validate().unwrap()
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Loads a set as Recast's demo program does.
fn load(set: &[u8]) -> DetourMesh {
    assert_eq!(&set[..4], b"TESM", "the magic number is MSET as one little-endian number");
    assert_eq!((i32_at(set, 4), i32_at(set, 8)), (1, 1), "version and number of tiles");
    let params = NavMeshParams {
        orig: [f32_at(set, 12), f32_at(set, 16), f32_at(set, 20)],
        tile_width: f32_at(set, 24),
        tile_height: f32_at(set, 28),
        max_tiles: i32_at(set, 32),
        max_polys: i32_at(set, 36),
    };
    let tile_ref = TileRef::try_from(i32_at(set, 40)).unwrap();
    let mut tile = set[48..].to_vec();
    assert_eq!(i32_at(set, 44) as usize, tile.len());
    let mut mesh = DetourMesh::new(&params).unwrap();
    if POLYREF_BITS == 64 {
        // Built with wide references: links are four bytes larger there.
        let (polys, verts, links) = (i32_at(&tile, 24), i32_at(&tile, 28), i32_at(&tile, 32));
        let end = 100 + verts as usize * 12 + polys as usize * 32 + links as usize * 12;
        tile.splice(end..end, vec![0; links as usize * 4]);
        mesh.add_tile(tile).unwrap();
    } else {
        assert_eq!(mesh.encode_poly_id(1, 0, 0), tile_ref);
        mesh.restore_tile(tile, tile_ref).unwrap();
    }
    mesh
}

const EXTENTS: [f32; 3] = [0.5, 1.0, 0.5];

fn length(detour: &DetourMesh, from: [f32; 3], to: [f32; 3]) -> Option<(f32, Vec<[f32; 3]>)> {
    let filter = DefaultFilter::default();
    let mut query = NavMeshQuery::new(detour, 512).unwrap();
    let (start, start_at, _) = query.find_nearest_poly(&from, &EXTENTS, &filter).unwrap();
    let (goal, goal_at, _) = query.find_nearest_poly(&to, &EXTENTS, &filter).unwrap();
    assert!(start != 0 && goal != 0, "both ends lie on polygons");
    let mut path = Vec::new();
    query.find_path(start, goal, &start_at, &goal_at, &filter, &mut path, 256).unwrap();
    if path.last() != Some(&goal) {
        return None;
    }
    let mut corners = Vec::new();
    query.find_straight_path(&start_at, &goal_at, &path, &mut corners, 256, 0).unwrap();
    let points: Vec<[f32; 3]> = corners.iter().map(|c| c.pos).collect();
    let sum = points
        .windows(2)
        .map(|w| (0..3).map(|k| (w[1][k] - w[0][k]).powi(2)).sum::<f32>().sqrt())
        .sum();
    Some((sum, points))
}

#[test]
fn detour_walks_around_the_inner_corner() {
    let detour = load(&mesh_to_detour(&around_the_corner()).unwrap());
    let (length, points) = length(&detour, [1.0, 0.0, 3.0], [4.5, 0.125, 8.0]).unwrap();
    assert_eq!(points.len(), 3, "{points:?}");
    assert!((points[1][0] - 4.0).abs() < 1e-3 && (points[1][2] - 4.0).abs() < 1e-3, "{points:?}");
    let straight = 10.0_f32.sqrt() + (0.25_f32 + 16.0 + 0.0156).sqrt();
    assert!((length - straight).abs() < 0.05, "{length} against {straight}");
}

#[test]
fn rays_pass_through_portals_and_stop_at_walls() {
    let detour = load(&mesh_to_detour(&around_the_corner()).unwrap());
    let filter = DefaultFilter::default();
    let query = NavMeshQuery::new(&detour, 512).unwrap();
    let from = [1.0, 0.0, 2.0];
    let (start, ..) = query.find_nearest_poly(&from, &EXTENTS, &filter).unwrap();
    let through = query.raycast(start, &from, &[7.0, 0.0, 2.0], &filter, 64).unwrap().0;
    assert!(through.t > 1.0, "{through:?}");
    let wall = query.raycast(start, &from, &[1.0, 0.0, 6.0], &filter, 64).unwrap().0;
    assert!((wall.t - 0.5).abs() < 1e-3, "{wall:?}");
}

#[test]
fn a_large_cell_is_cut_and_stays_connected() {
    let mesh = around_the_corner();
    let set = mesh_to_detour(&mesh).unwrap();
    // 17 corners are four polygons of at most six.
    let polygons = i32_at(&set, 48 + 24);
    assert!((8..=10).contains(&polygons), "{polygons}");
    let detour = load(&set);
    for (x, z) in [(5.0, 12.5), (6.0, 13.5), (7.2, 12.8), (6.0, 12.2)] {
        assert!(length(&detour, [1.0, 0.0, 1.0], [x, 0.25, z]).is_some(), "to {x}, {z}");
    }
    let mut covered = 0.0;
    let tile = detour.tile(0).unwrap();
    for poly in tile.polys.iter().filter(|p| p.poly_type() == 0) {
        let corner = |k: u8| {
            let v = usize::from(poly.verts[usize::from(k % poly.vert_count)]) * 3;
            [f64::from(tile.verts[v]), f64::from(tile.verts[v + 2])]
        };
        covered += (0..poly.vert_count)
            .map(|k| (corner(k), corner(k + 1)))
            .map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0]))
            .sum::<f64>();
    }
    assert!((covered.abs() - mesh.area_m2()).abs() < 1e-3, "{covered} of {}", mesh.area_m2());
}

#[test]
fn a_one_way_link_leads_there_and_not_back() {
    let detour = load(&mesh_to_detour(&around_the_corner()).unwrap());
    assert!(length(&detour, [5.0, 0.0, 2.0], [22.0, 0.0, 2.0]).is_some());
    assert!(length(&detour, [22.0, 0.0, 2.0], [5.0, 0.0, 2.0]).is_none());
}

#[test]
fn a_mesh_without_cells_is_refused() {
    let empty = NavMeshData::from_polygons(&[], &[], Agent::default(), [0.0, 1.0, 0.0]);
    if let Some(mesh) = empty.ok().and_then(|d| d.validate().ok()) {
        assert_eq!(mesh_to_detour(&mesh), Err(DetourError::Empty));
    }
}
