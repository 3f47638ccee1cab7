//! Arguments that nobody means: infinite, undefined, far away, very large, very small. Every query
//! answers them in bounds, and where they have a meaning, rightly.

mod meshes;

use meshes::{Cells, Random, field, ring, square};
use surefoot_mesh::{Algorithm, AreaId, Filter, LinkKind, PathError, PathOptions, Query};

const AWKWARD: [f64; 10] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    -f64::MAX,
    1e300,
    -1e18,
    f64::MIN_POSITIVE,
    -0.0,
    1e-320,
];

#[test]
fn unbounded_extents_find_the_mesh_from_anywhere() {
    for mesh in [square(), ring()].map(|data| data.validate().unwrap()) {
        let query = Query::new(&mesh);
        for reach in [f64::INFINITY, f64::MAX, 1e12] {
            let place = query.nearest([900.0, 1.0, -50.0], [reach; 3]).expect("in reach");
            let corner = mesh.bounds().unwrap().high[0];
            assert!((place.point[0] - corner).abs() < 1e-9, "{reach}: {place:?}");
        }
        // Along one axis alone.
        assert!(query.nearest([1.0, 0.5, 900.0], [0.1, 0.1, f64::INFINITY]).is_some());
        assert!(query.nearest([900.0, 0.5, 900.0], [0.1, 0.1, f64::INFINITY]).is_none());
    }
}

#[test]
fn rays_and_moves_towards_the_end_of_the_world_end_at_the_wall_in_between() {
    let mesh = square().validate().unwrap();
    let query = Query::new(&mesh);
    for far in [1e5, 1e7, 1e12, 1e40, 1e200, 1e307] {
        let ray = query.raycast([1.0, 2.0, 0.0], [far, 2.0, 0.0]).unwrap();
        assert!((ray.end.point[0] - 4.0).abs() < 1e-9, "{far}: {ray:?}");
        assert!((ray.share * far - 3.0).abs() < 1e-3, "{far}: {ray:?}");
        assert!(ray.wall.is_some_and(|w| w.normal[0] < -0.999));
        let moved = query.move_along_surface([1.0, 2.0, 0.0], [far, far, 0.0]).unwrap();
        assert!(moved.touched_wall, "{far}");
        let end = moved.end.point;
        assert!((end[0] - 4.0).abs() < 1e-6 && (end[1] - 4.0).abs() < 1e-6, "{far}: {moved:?}");
    }
    for nowhere in [f64::NAN, f64::INFINITY] {
        let to = [nowhere, 1.0, 0.0];
        assert!(matches!(query.raycast([1.0; 3], to), Err(PathError::GoalOffMesh { .. })));
    }
}

#[test]
fn whatever_number_is_drawn_the_place_is_on_the_mesh() {
    let mesh = ring().validate().unwrap();
    let mut query = Query::new(&mesh);
    let drawn = AWKWARD.into_iter().chain([1.0, 7.5, -3.0, 1.0 - f64::EPSILON]);
    for number in drawn {
        let anywhere = query.random_point(|| number).unwrap();
        let near = query.random_point_near([1.0, 1.0, 0.0], 2.0, || number).unwrap();
        let there = query.random_reachable_point([1.0, 1.0, 0.0], || number).unwrap();
        for place in [anywhere, near, there] {
            let at = query.nearest(place.point, [1e-6; 3]);
            assert!(at.is_some(), "{number}: {place:?} is not on the mesh");
        }
    }
    for radius_m in AWKWARD {
        let mut random = Random(3);
        let near = query.random_point_near([1.0, 1.0, 0.0], radius_m, || random.share()).unwrap();
        assert!(query.nearest(near.point, [1e-6; 3]).is_some(), "{radius_m}: {near:?}");
        let away = (near.point[0] - 1.0).hypot(near.point[1] - 1.0);
        assert!(!(away > radius_m.max(0.0)), "{radius_m}: {near:?}");
    }
}

#[test]
fn costs_of_any_size_give_paths_of_a_finite_cost() {
    let mut data = ring();
    data.area_names.extend(["mud".to_owned(), "ice".to_owned()]);
    data.cell_areas[1] = AreaId(1);
    data.cell_areas[3] = AreaId(2);
    let mesh = data.validate().unwrap();
    let mut query = Query::new(&mesh);
    let sizes = [f32::MIN_POSITIVE, 1e-45, 1e-20, 1.0, 1e20, f32::MAX];
    for (mud, ice) in sizes.iter().flat_map(|a| sizes.map(|b| (*a, b))) {
        let mut filter = Filter::default();
        filter.set_area_cost(AreaId(1), mud);
        filter.set_area_cost(AreaId(2), ice);
        filter.set_kind_cost(surefoot_mesh::CellKind::Ground, ice);
        filter.set_link_cost(LinkKind::Jump, mud);
        filter.set_link_extra(LinkKind::Jump, f32::MAX);
        query.set_filter(&filter).unwrap();
        for algorithm in [Algorithm::Optimal, Algorithm::AStar] {
            let options = PathOptions { algorithm, ..PathOptions::default() };
            let path = query.find_path_with([1.0, 2.6, 0.0], [5.0, 2.6, 0.0], &options);
            let path = path.unwrap_or_else(|e| panic!("{mud} {ice}: {e}"));
            assert!(path.cost.is_finite() && path.length_m >= 4.0, "{mud} {ice}: {path:?}");
        }
    }
}

#[test]
fn no_argument_at_all_keeps_a_query_from_answering() {
    let f = field(&mut Random(71), 9, 9, 0.2, Cells::Triangles);
    let mut query = Query::new(&f.mesh);
    let (mut cells, mut crossed) = (Vec::new(), Vec::new());
    for (i, &a) in AWKWARD.iter().enumerate() {
        for &b in &AWKWARD[i..] {
            for point in [[a, b, 0.0], [b, 1.5, a], [1.5, 1.5, b]] {
                query.set_extents([a, b, a]);
                let _ = (query.locate(point), query.nearest(point, [b, a, b]));
                let _ = (query.ground_below(point, a, b), query.reachable(point, [1.5; 3]));
                let _ = query.find_path(point, [b, a, 1.0]);
                let _ = query.raycast_cells([1.5, 1.5, 0.0], point, &mut crossed);
                let _ = query.move_along_surface(point, [a, b, a]);
                let _ = query.nearest_wall(point, a);
                cells.clear();
                let _ = query.cells_within(point, b, &mut cells);
                assert!(cells.len() <= f.mesh.cell_count() * 2);
            }
            let _ = query.set_radius(a);
        }
    }
}
