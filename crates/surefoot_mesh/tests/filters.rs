//! Costs, exclusion and reports of areas, kinds and links.

mod meshes;

use meshes::{Random, ring, stairs};
use surefoot_mesh::{
    AreaId, CellId, CellKind, Filter, FilterError, Link, LinkId, LinkKind, NavMesh, NavMeshData,
    Query,
};

fn ring_with_mud() -> NavMesh {
    let mut data = ring();
    data.area_names.push("mud".into());
    data.cell_areas[1] = AreaId(1);
    data.validate().unwrap()
}

#[test]
fn expensive_ground_is_walked_around_when_that_is_cheaper() {
    let mesh = ring_with_mud();
    let mut query = Query::new(&mesh);
    // Straight through the mud: 4 m, 2 of them in it. Around the hole: more than 8 m.
    let (from, to) = ([1.0, 1.0, 0.0], [5.0, 1.0, 0.0]);
    let mut filter = Filter::default();
    filter.set_area_cost(AreaId(1), 2.0);
    query.set_filter(&filter).unwrap();
    let path = query.find_path(from, to).unwrap();
    assert!((path.plan_length_m - 4.0).abs() < 1e-6 && (path.cost - 6.0).abs() < 1e-6, "{path:?}");
    filter.set_area_cost(AreaId(1), 10.0);
    query.set_filter(&filter).unwrap();
    let path = query.find_path(from, to).unwrap();
    assert!(!path.cells.contains(&CellId(1)));
    assert!((path.cost - path.plan_length_m).abs() < 1e-9);
    // All ground at the same price is the plain case, at that price.
    let mut filter = Filter::default();
    filter.set_area_cost(AreaId(0), 3.0);
    filter.set_area_cost(AreaId(1), 3.0);
    query.set_filter(&filter).unwrap();
    let path = query.find_path(from, to).unwrap();
    assert!((path.plan_length_m - 4.0).abs() < 1e-9 && (path.cost - 12.0).abs() < 1e-6);
}

/// Two halves of a field, one of them slow: the best path bends at the border as light does.
#[test]
fn a_border_between_costs_is_crossed_as_by_light() {
    let mut data = meshes::data(
        &[
            [0.0, 0.0, 0.0],
            [20.0, 0.0, 0.0],
            [20.0, 10.0, 0.0],
            [0.0, 10.0, 0.0],
            [20.0, 20.0, 0.0],
            [0.0, 20.0, 0.0],
        ],
        &[&[0, 1, 2, 3], &[3, 2, 4, 5]],
    );
    data.area_names.push("sand".into());
    data.cell_areas[1] = AreaId(1);
    let mesh = data.validate().unwrap();
    let mut query = Query::new(&mesh);
    let mut filter = Filter::default();
    filter.set_area_cost(AreaId(1), 2.0);
    query.set_filter(&filter).unwrap();
    let path = query.find_path([2.0, 2.0, 0.0], [16.0, 16.0, 0.0]).unwrap();
    assert_eq!(path.points.len(), 3);
    let x = path.points[1][0];
    let sine = |dx: f64, dy: f64| dx / dx.hypot(dy);
    let (above, below) = (sine(16.0 - x, 6.0), sine(x - 2.0, 8.0));
    assert!((2.0 * above - below).abs() < 1e-4, "{above} {below}");
}

#[test]
fn gap_fillers_and_ramps_are_charged_excluded_and_reported() {
    let mut data = stairs(4, false);
    data.cell_kinds[1] = CellKind::Gap;
    data.cell_kinds[2] = CellKind::Ramp;
    let mesh = data.validate().unwrap();
    let mut query = Query::new(&mesh);
    let (from, to) = ([0.5, 1.0, 0.0], [3.5, 1.0, 0.6]);
    let path = query.find_path(from, to).unwrap();
    assert!((path.gap_length_m - 1.0).abs() < 1e-9 && (path.ramp_length_m - 1.0).abs() < 1e-9);
    let mut filter = Filter::default();
    filter.set_kind_cost(CellKind::Gap, 5.0);
    query.set_filter(&filter).unwrap();
    let path = query.find_path(from, to).unwrap();
    assert!((path.cost - 7.0).abs() < 1e-6, "{path:?}");
    filter.exclude_kind(CellKind::Gap);
    query.set_filter(&filter).unwrap();
    assert_eq!(query.find_path(from, to).unwrap_err().reason(), "disconnected");
    // Ground that is left out is not there to stand on either.
    query.set_extents([0.1, 0.1, 1.0]);
    assert_eq!(query.find_path([1.5, 1.0, 0.2], to).unwrap_err().reason(), "start-off-mesh");
}

/// Two islands, 2 m apart, with a short jump and a long bridge of a second link.
fn islands() -> NavMeshData {
    let mut data = meshes::data(
        &[
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 4.0, 0.0],
            [0.0, 4.0, 0.0],
            [6.0, 0.0, 0.0],
            [10.0, 0.0, 0.0],
            [10.0, 4.0, 0.0],
            [6.0, 4.0, 0.0],
        ],
        &[&[0, 1, 2, 3], &[4, 5, 6, 7]],
    );
    let link = |y: f32, kind: LinkKind| Link {
        from_cell: CellId(0),
        to_cell: CellId(1),
        from_segment: [[4.0, y, 0.0], [4.0, y + 1.0, 0.0]],
        to_segment: [[6.0, y, 0.0], [6.0, y + 1.0, 0.0]],
        kind,
        two_way: true,
        area: AreaId(0),
    };
    data.links = vec![link(0.0, LinkKind::Jump), link(3.0, LinkKind::Door)];
    data
}

#[test]
fn links_are_charged_and_closed() {
    let mesh = islands().validate().unwrap();
    let mut query = Query::new(&mesh);
    let (from, to) = ([1.0, 0.5, 0.0], [9.0, 0.5, 0.0]);
    let path = query.find_path(from, to).unwrap();
    assert_eq!(path.links.iter().map(|l| l.link).collect::<Vec<_>>(), [LinkId(0)]);
    assert!((path.plan_length_m - 8.0).abs() < 1e-6, "{path:?}");
    let mut filter = Filter::default();
    filter.set_link_extra(LinkKind::Jump, 20.0);
    query.set_filter(&filter).unwrap();
    let path = query.find_path(from, to).unwrap();
    assert_eq!(path.links[0].link, LinkId(1));
    filter.close_link(LinkId(1));
    query.set_filter(&filter).unwrap();
    let path = query.find_path(from, to).unwrap();
    assert_eq!(path.links[0].link, LinkId(0));
    assert!((path.cost - 28.0).abs() < 1e-6);
    filter.exclude_links(LinkKind::Jump);
    query.set_filter(&filter).unwrap();
    assert_eq!(query.find_path(from, to).unwrap_err().reason(), "disconnected");
    assert_eq!(query.reachable(from, to), Some(false));
    // A link that costs less than ground is used as far as it pays.
    let mut filter = Filter::default();
    filter.set_link_cost(LinkKind::Door, 0.01);
    query.set_filter(&filter).unwrap();
    let path = query.find_path([3.9, 2.5, 0.0], [6.1, 2.5, 0.0]).unwrap();
    assert_eq!(path.links[0].link, LinkId(1));
}

#[test]
fn senseless_filters_are_refused() {
    let mesh = islands().validate().unwrap();
    let mut query = Query::new(&mesh);
    for cost in [0.0, -1.0, f32::NAN] {
        let mut filter = Filter::default();
        filter.set_area_cost(AreaId(0), cost);
        assert!(matches!(query.set_filter(&filter), Err(FilterError::Cost { .. })));
    }
    let mut filter = Filter::default();
    filter.link_costs.step.extra_m = f32::INFINITY;
    assert!(matches!(query.set_filter(&filter), Err(FilterError::Extra { .. })));
    let filter = Filter { closed_links: vec![LinkId(2)], ..Filter::default() };
    assert!(matches!(
        query.set_filter(&filter),
        Err(FilterError::NoSuchLink { link: LinkId(2), .. })
    ));
    // Everything left out is a mesh without ground.
    let mut filter = Filter::default();
    filter.exclude_area(AreaId(0));
    query.set_filter(&filter).unwrap();
    assert_eq!(
        query.find_path([1.0, 1.0, 0.0], [2.0, 1.0, 0.0]).unwrap_err().reason(),
        "start-off-mesh"
    );
    assert!(query.random_point(|| 0.5).is_none());
}

#[test]
fn excluded_cells_leave_the_same_paths_as_a_mesh_without_them() {
    let mut random = Random(31);
    for _ in 0..12 {
        let f = meshes::field(&mut random, 9, 8, 0.2, meshes::Cells::Triangles);
        let mut data = f.mesh.data().clone();
        data.area_names.push("closed".into());
        let mut kept = Vec::new();
        for c in 0..data.cell_kinds.len() {
            if random.share() < 0.15 {
                data.cell_areas[c] = AreaId(1);
            } else {
                let (start, end) = (data.cell_first_edges[c], data.cell_first_edges[c + 1]);
                kept.push(
                    (start..end).map(|e| data.edge_vertices[e as usize].0).collect::<Vec<_>>(),
                );
            }
        }
        let mesh = data.clone().validate().unwrap();
        let points: Vec<[f32; 3]> = (0..data.vertex_points.len())
            .map(|v| mesh.vertex_position(surefoot_mesh::VertexId(v as u32)).map(|c| c as f32))
            .collect();
        let without = NavMeshData::from_polygons(&points, &kept, data.agent, meshes::UP)
            .unwrap()
            .validate()
            .unwrap();
        let mut filtered = Query::new(&mesh);
        let mut filter = Filter::default();
        filter.exclude_area(AreaId(1));
        filtered.set_filter(&filter).unwrap();
        let mut plain = Query::new(&without);
        for _ in 0..40 {
            let (a, b) = (f.random_free_point(&mut random), f.random_free_point(&mut random));
            let (from, to) = ([a[0], a[1], 0.0], [b[0], b[1], 0.0]);
            match (filtered.find_path(from, to), plain.find_path(from, to)) {
                (Ok(x), Ok(y)) => {
                    assert!((x.plan_length_m - y.plan_length_m).abs() < 1e-6, "{x:?} {y:?}");
                }
                (Err(x), Err(y)) => assert_eq!(x.reason(), y.reason()),
                (x, y) => panic!("{x:?} {y:?}"),
            }
        }
    }
}
