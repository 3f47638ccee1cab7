//! Every kind of damage to plain data is found and named.

mod meshes;

use meshes::{Random, l_shape, ring, square, stairs};
use surefoot_mesh::{
    Agent, AgentError, AreaId, CellId, CellKind, EdgeClass, LatticePoint, Link, LinkKind, NO_EDGE,
    NavMeshData, Query, ValidateError, VertexId,
};

fn refused(change: impl FnOnce(&mut NavMeshData)) -> ValidateError {
    let mut data = l_shape();
    change(&mut data);
    data.validate().unwrap_err()
}

macro_rules! assert_refused {
    ($change:expr, $pattern:pat) => {
        let error = refused($change);
        assert!(matches!(error, $pattern), "{error:?}");
        assert!(!error.to_string().is_empty());
    };
}

fn link() -> Link {
    Link {
        from_cell: CellId(1),
        to_cell: CellId(2),
        from_segment: [[3.0, 1.0, 0.0], [3.0, 2.0, 0.0]],
        to_segment: [[1.0, 3.0, 0.0], [1.0, 4.0, 0.0]],
        kind: LinkKind::Jump,
        two_way: true,
        area: AreaId(0),
    }
}

#[test]
fn arrays_and_indices() {
    use ValidateError as E;
    assert_refused!(
        |d| d.vertex_heights_m.truncate(3),
        E::ArrayLength { array: "vertex_heights_m", .. }
    );
    assert_refused!(|d| d.cell_areas.push(AreaId(0)), E::ArrayLength { array: "cell_areas", .. });
    assert_refused!(|d| d.edge_twins.truncate(1), E::ArrayLength { array: "edge_twins", .. });
    assert_refused!(|d| d.edge_classes.clear(), E::ArrayLength { array: "edge_classes", .. });
    assert_refused!(
        |d| d.cell_first_edges.clear(),
        E::ArrayLength { array: "cell_first_edges", .. }
    );
    assert_refused!(|d| d.cell_first_edges[0] = 1, E::FirstEdge { cell: 0, .. });
    assert_refused!(|d| d.cell_first_edges[1] = 99, E::FirstEdge { cell: 1, .. });
    assert_refused!(|d| d.cell_first_edges[3] = 11, E::FirstEdge { cell: 3, .. });
    assert_refused!(|d| d.cell_first_edges[1] = 2, E::TooFewEdges { cell: 0, edges: 2 });
    assert_refused!(|d| d.edge_vertices[5] = VertexId(9), E::NoSuchVertex { edge: 5, .. });
    assert_refused!(|d| d.vertex_points[2].x = i32::MAX, E::OutOfReach { vertex: 2 });
    for bad in [f32::NAN, f32::INFINITY, 2.0e6] {
        assert_refused!(|d| d.vertex_heights_m[1] = bad, E::Height { vertex: 1, .. });
    }
}

#[test]
fn cells() {
    use ValidateError as E;
    assert_refused!(|d| d.edge_vertices[1] = d.edge_vertices[0], E::ZeroEdge { cell: 0, edge: 0 });
    assert_refused!(|d| d.edge_vertices[0..4].reverse(), E::Clockwise { cell: 0 });
    assert_refused!(
        |d| d.edge_vertices.swap(0, 1),
        E::Clockwise { cell: 0 } | E::Crossing { cell: 0, .. }
    );
    assert_refused!(
        |d| d.vertex_points[4] = LatticePoint::new(30_000, 30_000),
        E::NotConvex { .. }
    );
    assert_refused!(|d| d.convex_distance_m = f64::NAN, E::ConvexDistance { .. });
    assert_refused!(|d| d.convex_distance_m = -1.0, E::ConvexDistance { .. });
    // The same notch is allowed where the data says so, and paths go around it.
    let mut data = l_shape();
    data.vertex_points[4] = LatticePoint::new(60_000, 60_000);
    assert!(matches!(data.clone().validate(), Err(E::NotConvex { .. })));
    data.convex_distance_m = 0.2;
    let mesh = data.validate().unwrap();
    let path = Query::new(&mesh).find_path([3.5, 1.95, 0.0], [1.95, 3.5, 0.0]).unwrap();
    assert!(path.points.len() > 2, "{path:?}");
    let corner = 60_000.0 / 65536.0;
    assert!(
        path.points.iter().any(|p| (p[0] - corner).abs() < 1e-9 && (p[1] - corner).abs() < 1e-9)
    );
}

#[test]
fn a_notched_cell_is_searched_as_its_convex_pieces() {
    // A room of 4 m with a spike of 1 m in the middle of its lower wall.
    let mut data = meshes::data(
        &[
            [0.0, 0.0, 0.0],
            [1.9, 0.0, 0.0],
            [2.0, 1.0, 0.0],
            [2.1, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 4.0, 0.0],
            [0.0, 4.0, 0.0],
        ],
        &[&[0, 1, 2, 3, 4, 5, 6]],
    );
    assert!(data.clone().validate().is_err());
    data.convex_distance_m = 1.0;
    let mesh = data.validate().unwrap();
    assert_eq!((mesh.cell_count(), mesh.triangle_count()), (1, 5));
    let mut triangles = Vec::new();
    mesh.cell_triangles(CellId(0), &mut triangles);
    assert_eq!(triangles.len(), 5);
    let path = Query::new(&mesh).find_path([0.5, 0.5, 0.0], [3.5, 0.5, 0.0]).unwrap();
    assert_eq!(path.points.len(), 3);
    assert!((path.points[1][0] - 2.0).abs() < 1e-9 && (path.points[1][1] - 1.0).abs() < 1e-9);
    assert_eq!(path.cells, [CellId(0)]);
}

#[test]
fn twins_and_classes() {
    use ValidateError as E;
    let twin_edge = |d: &NavMeshData| d.edge_twins.iter().position(|&t| t != NO_EDGE).unwrap();
    assert_refused!(
        |d| {
            let e = twin_edge(d);
            d.edge_twins[e] = 999;
        },
        E::NoSuchTwin { twin: 999, .. }
    );
    assert_refused!(
        |d| {
            let e = twin_edge(d);
            d.edge_twins[e] = NO_EDGE;
            d.edge_classes[e] = EdgeClass::Open;
        },
        E::OneSidedTwin { .. }
    );
    assert_refused!(
        |d| {
            let e = twin_edge(d);
            d.edge_classes[e] = EdgeClass::Blocked;
        },
        E::Class { has_twin: true, .. }
    );
    assert_refused!(
        |d| {
            let e = d.edge_twins.iter().position(|&t| t == NO_EDGE).unwrap();
            d.edge_classes[e] = EdgeClass::Step;
        },
        E::Class { has_twin: false, .. }
    );
    assert_refused!(
        |d| {
            for (a, b) in [(0, 2), (2, 0)] {
                d.edge_twins[a] = b;
                d.edge_classes[a] = EdgeClass::Inner;
            }
        },
        E::OneSidedTwin { .. } | E::TwinInSameCell { .. }
    );
    assert_refused!(
        |d| {
            // Two border edges of different cells that lie apart.
            let free: Vec<usize> =
                (0..d.edge_twins.len()).filter(|&e| d.edge_twins[e] == NO_EDGE).collect();
            let (a, b) = (free[0], *free.last().unwrap());
            for (a, b) in [(a, b), (b, a)] {
                d.edge_twins[a] = b as u32;
                d.edge_classes[a] = EdgeClass::Inner;
            }
        },
        E::TwinElsewhere { .. }
    );
}

#[test]
fn areas_links_and_the_agent() {
    use ValidateError as E;
    assert_refused!(|d| d.area_names.clear(), E::NoAreaNames);
    assert_refused!(|d| d.cell_areas[1] = AreaId(1), E::NoSuchArea { what: "cell", index: 1, .. });
    assert_refused!(
        |d| d.links.push(Link { area: AreaId(7), ..link() }),
        E::NoSuchArea { what: "link", .. }
    );
    assert_refused!(|d| d.links.push(Link { from_cell: CellId(3), ..link() }), E::LinkCells { .. });
    assert_refused!(|d| d.links.push(Link { to_cell: CellId(1), ..link() }), E::LinkCells { .. });
    for bad in [[3.0, 1.0, 0.5], [4.1, 1.0, 0.0], [f32::NAN, 1.0, 0.0], [3.0, 1.0, f32::NAN]] {
        assert_refused!(
            |d| d.links.push(Link { from_segment: [bad, [3.0, 2.0, 0.0]], ..link() }),
            E::LinkOffCell { link: 0, cell: 1, .. }
        );
    }
    assert_refused!(|d| d.agent.height_m = f64::NAN, E::Agent(AgentError::Height { .. }));
    let mut sound = l_shape();
    sound.links.push(link());
    assert_eq!(sound.validate().unwrap().links().len(), 1);
}

#[test]
fn counts_areas_components_and_bounds() {
    let mesh = ring().validate().unwrap();
    let summary = mesh.summary();
    assert_eq!((summary.cells, summary.triangles, summary.vertices), (8, 16, 16));
    assert_eq!((summary.components, summary.links), (1, 0));
    assert!((summary.area_m2 - 32.0).abs() < 1e-12 && summary.gap_area_m2.abs() < 1e-12);
    let bounds = summary.bounds.unwrap();
    assert_eq!((bounds.low, bounds.high), ([0.0; 3], [6.0, 6.0, 0.0]));
    let mut data = stairs(3, true);
    data.cell_kinds[1] = CellKind::Gap;
    let mesh = data.validate().unwrap();
    assert_eq!(mesh.component_count(), 2);
    assert!((mesh.gap_area_m2() - 2.0).abs() < 1e-12);
    assert!(mesh.connected(CellId(0), CellId(2)) && !mesh.connected(CellId(0), CellId(3)));
    // A link joins, whichever way it leads.
    let mut data = stairs(3, true);
    data.links.push(Link {
        from_cell: CellId(2),
        to_cell: CellId(3),
        from_segment: [[6.0, 3.5, 4.4], [6.0, 4.0, 4.4]],
        to_segment: [[7.0, 3.5, 0.0], [7.0, 4.0, 0.0]],
        two_way: false,
        ..link()
    });
    assert_eq!(data.validate().unwrap().component_count(), 1);
    let empty = NavMeshData::from_polygons(&[], &[], Agent::default(), meshes::UP).unwrap();
    let empty = empty.validate().unwrap();
    assert_eq!((empty.cell_count(), empty.bounds()), (0, None));
    assert!(Query::new(&empty).find_path([0.0; 3], [0.0; 3]).is_err());
}

#[test]
fn random_damage_never_panics() {
    let mut random = Random(11);
    let mut sound = 0;
    for _ in 0..4000 {
        let mut data = match random.below(3) {
            0 => ring(),
            1 => stairs(4, true),
            _ => square(),
        };
        for _ in 0..1 + random.below(3) {
            damage(&mut data, &mut random);
        }
        if let Ok(mesh) = data.validate() {
            sound += 1;
            let mut query = Query::new(&mesh);
            let at =
                |r: &mut Random| [r.between(-1.0, 7.0), r.between(-1.0, 7.0), r.between(-5.0, 2.0)];
            let _ = query.find_path(at(&mut random), at(&mut random));
        }
    }
    assert!(sound > 100 && sound < 3900, "{sound} of 4000 were sound");
}

fn damage(data: &mut NavMeshData, random: &mut Random) {
    let odd = |r: &mut Random| match r.below(4) {
        0 => r.below(30) as u32,
        1 => u32::MAX,
        2 => u32::MAX - 1,
        _ => r.bits() as u32,
    };
    match random.below(8) {
        0 => {
            let i = random.below(data.edge_vertices.len());
            data.edge_vertices[i] = VertexId(odd(random));
        }
        1 => {
            let i = random.below(data.edge_twins.len());
            data.edge_twins[i] = odd(random);
        }
        2 => {
            let i = random.below(data.cell_first_edges.len());
            data.cell_first_edges[i] = odd(random);
        }
        3 => {
            let i = random.below(data.vertex_points.len());
            data.vertex_points[i].x = odd(random) as i32;
        }
        4 => {
            let i = random.below(data.vertex_points.len());
            data.vertex_points[i].y += random.below(9) as i32 - 4;
        }
        5 => {
            let i = random.below(data.vertex_heights_m.len());
            data.vertex_heights_m[i] = f32::from_bits(odd(random));
        }
        6 => {
            let i = random.below(data.edge_classes.len());
            data.edge_classes[i] = EdgeClass::Gap;
        }
        _ => data.links.push(Link { from_cell: CellId(odd(random)), ..link() }),
    }
}
