//! Any question about any mesh that holds its promises: an answer in bounded time and memory.
//!
//! The first byte says whether the mesh is made of bytes or is a `.snav` file with its checksums
//! forged, whose length follows; the rest of the bytes are questions with their arguments.
#![no_main]

#[path = "../heaps/hostile_mesh.rs"]
mod hostile_mesh;
#[path = "../heaps/reseal.rs"]
mod reseal;

use hostile_mesh::{Bytes, hostile_mesh};
use libfuzzer_sys::fuzz_target;
use reseal::reseal;
use std::sync::Arc;
use surefoot_mesh::{
    Algorithm, AreaId, CellKind, Clearance, Filter, LinkId, LinkKind, NavMesh, OverBudget, Path,
    PathOptions, PathPoints, PathRequest, Query, SearchProgress, Unreachable,
};

/// Questions asked of one mesh.
const MAX_QUESTIONS: usize = 24;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let mesh = if bytes.next() & 1 == 0 {
        hostile_mesh(&mut bytes)
    } else {
        let length = usize::from(bytes.next()) | usize::from(bytes.next()) << 8;
        let (file, questions) = bytes.0.split_at(length.min(bytes.0.len()));
        bytes.0 = questions;
        let mut file = file.to_vec();
        reseal(&mut file);
        NavMesh::from_bytes(&file).ok()
    };
    let Some(mesh) = mesh else { return };
    let mut query = Query::new(&mesh);
    for _ in 0..MAX_QUESTIONS {
        if bytes.is_empty() {
            break;
        }
        ask(&mesh, &mut query, &mut bytes);
    }
});

/// A number as no one means it, or one of the size of meshes.
fn number(bytes: &mut Bytes<'_>) -> f64 {
    const NUMBERS: [f64; 24] = [
        0.0,
        -0.0,
        0.3,
        0.35,
        0.5,
        1.0,
        -1.0,
        2.5,
        7.0,
        40.1,
        100.0,
        1e4,
        1e6,
        -1e6,
        1e12,
        1e18,
        1e300,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        1e-12,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    bytes.pick(&NUMBERS)
}

/// A point on the mesh, beside it, or nowhere.
fn point(mesh: &NavMesh, bytes: &mut Bytes<'_>) -> [f64; 3] {
    let choice = bytes.next();
    if choice & 3 == 3 || mesh.cell_count() == 0 {
        return [number(bytes), number(bytes), number(bytes)];
    }
    let cell = mesh.cells().nth(usize::from(bytes.next()) % mesh.cell_count());
    let Some(cell) = cell else { return [0.0; 3] };
    let corners: Vec<[f64; 3]> = mesh.cell_vertices(cell).map(|v| mesh.vertex_position(v)).collect();
    let (a, b) = (bytes.pick(&corners), bytes.pick(&corners));
    let share = bytes.pick(&[0.5, 0.0, 1.0, 0.25, 1e-9, 0.999_999_999]);
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share)
}

fn options(bytes: &mut Bytes<'_>) -> PathOptions {
    let choice = bytes.next();
    PathOptions {
        algorithm: if choice & 1 == 0 { Algorithm::Optimal } else { Algorithm::AStar },
        points: if choice & 2 == 0 { PathPoints::Corners } else { PathPoints::Ground },
        unreachable: if choice & 4 == 0 {
            Unreachable::Refuse
        } else {
            Unreachable::NearestReachable
        },
        max_nodes: [None, Some(0), Some(3), Some(u64::MAX)][usize::from(choice >> 3 & 3)],
        over_budget: if choice & 32 == 0 { OverBudget::Refuse } else { OverBudget::AskAStar },
    }
}

fn check(path: &Path) {
    assert!(path.points.len() >= 2 && !path.cells.is_empty(), "{path:?}");
    assert!(path.points.iter().flatten().all(|c| c.is_finite()), "{path:?}");
    let lengths = [path.length_m, path.surface_length_m, path.plan_length_m, path.cost];
    assert!(lengths.iter().all(|l| l.is_finite() && *l >= 0.0), "{path:?}");
}

fn ask(mesh: &NavMesh, query: &mut Query<'_>, bytes: &mut Bytes<'_>) {
    match bytes.next() % 16 {
        0 | 1 => {
            let (from, to) = (point(mesh, bytes), point(mesh, bytes));
            if let Ok(path) = query.find_path_with(from, to, &options(bytes)) {
                check(&path);
            }
        }
        2 => {
            let _ = query.set_radius(number(bytes));
        }
        3 => {
            if let Ok(wide) = Clearance::with_chord_error(mesh, number(bytes), number(bytes)) {
                assert!(wide.area_m2() <= mesh.area_m2() * (1.0 + 1e-6) + 1e-6);
                let _ = query.set_clearance(Arc::new(wide));
            }
        }
        4 => query.set_extents([number(bytes), number(bytes), number(bytes)]),
        5 => {
            let (at, extents) = (point(mesh, bytes), point(mesh, bytes));
            if let Some(place) = query.nearest(at, extents) {
                assert!(place.point.iter().all(|c| c.is_finite()));
            }
        }
        6 => {
            let _ = query.ground_below(point(mesh, bytes), number(bytes), number(bytes));
        }
        7 => {
            let mut cells = Vec::new();
            let (from, to) = (point(mesh, bytes), point(mesh, bytes));
            if let Ok(ray) = query.raycast_cells(from, to, &mut cells) {
                assert!((0.0..=1.0).contains(&ray.share), "{ray:?}");
                assert!(ray.end.point.iter().all(|c| c.is_finite()), "{ray:?}");
            }
        }
        8 => {
            if let Ok(moved) = query.move_along_surface(point(mesh, bytes), point(mesh, bytes)) {
                assert!(moved.end.point.iter().all(|c| c.is_finite()), "{moved:?}");
            }
        }
        9 => {
            if let Ok(Some(near)) = query.nearest_wall(point(mesh, bytes), number(bytes)) {
                assert!(near.distance_m >= 0.0 && near.distance_m.is_finite(), "{near:?}");
            }
        }
        10 => {
            let drawn = [number(bytes), 0.5, number(bytes), 0.999];
            let mut turn = 0;
            let mut random = || {
                turn += 1;
                drawn[turn % drawn.len()]
            };
            let at = point(mesh, bytes);
            let _ = query.random_point(&mut random);
            let _ = query.random_reachable_point(at, &mut random);
            if let Ok(near) = query.random_point_near(at, number(bytes), &mut random) {
                assert!(near.point.iter().all(|c| c.is_finite()), "{near:?}");
            }
        }
        11 => {
            let mut cells = Vec::new();
            let _ = query.cells_within(point(mesh, bytes), number(bytes), &mut cells);
            assert!(cells.iter().all(|c| c.distance_m.is_finite()), "{cells:?}");
        }
        12 | 13 => {
            let _ = query.set_filter(&filter(bytes));
        }
        14 => {
            let options = options(bytes);
            let (from, to) = (point(mesh, bytes), point(mesh, bytes));
            if query.begin_path(from, to, &options).is_ok() {
                let nodes = u64::from(bytes.next());
                let mut path = Path::default();
                while let Ok(SearchProgress::Searching) = query.advance(nodes) {}
                if query.finish_path(&mut path).is_ok() {
                    check(&path);
                }
            }
        }
        _ => {
            let ends: Vec<[f64; 3]> = (0..4).map(|_| point(mesh, bytes)).collect();
            let requests: Vec<PathRequest> =
                ends.windows(2).map(|w| PathRequest::new(w[0], w[1])).collect();
            for path in query.find_paths(&requests, &options(bytes)).iter().flatten() {
                check(path);
            }
            let _ = query.reachable(ends[0], ends[1]);
        }
    }
}

fn filter(bytes: &mut Bytes<'_>) -> Filter {
    let mut filter = Filter::default();
    let mut cost = |bytes: &mut Bytes<'_>| {
        bytes.pick(&[1.0_f32, 2.0, 0.1, f32::INFINITY, 1e-45, 1e-30, 1e30, f32::MAX, -1.0, f32::NAN])
    };
    for area in [0, 1, 2] {
        filter.set_area_cost(AreaId(area), cost(bytes));
    }
    for &kind in CellKind::ALL {
        filter.set_kind_cost(kind, cost(bytes));
    }
    for &kind in LinkKind::ALL {
        filter.set_link_cost(kind, cost(bytes));
        filter.set_link_extra(kind, cost(bytes));
    }
    if bytes.next() & 1 == 1 {
        filter.close_link(LinkId(u32::from(bytes.next())));
    }
    filter
}
