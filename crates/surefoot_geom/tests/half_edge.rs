//! The half-edge mesh on random and degenerate surfaces: invariants, borders, Euler's formula, and
//! random edits.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::*;
use surefoot_geom::LatticePoint;
use surefoot_geom::half_edge::{BuildError, EditError, FaceId, HalfEdgeId, HalfEdgeMesh, VertexId};
use surefoot_geom::polygon::{Contour, Polygon};
use surefoot_geom::triangulate::{constrained_delaunay, points_in_order, triangulate_polygon};

fn mesh_of(points: &[LatticePoint], triangles: &[[u32; 3]]) -> HalfEdgeMesh {
    let (mesh, extra) = HalfEdgeMesh::from_triangles(points, triangles).unwrap();
    assert_eq!(extra, []);
    mesh.check_invariants().unwrap();
    mesh
}

fn mesh_of_polygon(polygon: &Polygon) -> HalfEdgeMesh {
    let points: Vec<_> = points_in_order(polygon).collect();
    mesh_of(&points, &triangulate_polygon(polygon).unwrap())
}

/// Contours as sets of cycles, each begun at its smallest rotation.
fn cycles(contours: impl IntoIterator<Item = Contour>) -> BTreeSet<Contour> {
    contours
        .into_iter()
        .map(|c| {
            let rotations = (0..c.len()).map(|i| [&c[i..], &c[..i]].concat());
            rotations.min().unwrap_or_default()
        })
        .collect()
}

fn border_points(mesh: &HalfEdgeMesh) -> BTreeSet<Contour> {
    cycles(
        mesh.border_loops()
            .into_iter()
            .map(|l| l.into_iter().map(|h| mesh.point(mesh.origin(h))).collect()),
    )
}

fn total_area2(mesh: &HalfEdgeMesh) -> i128 {
    mesh.faces().map(|f| mesh.face_area2(f)).sum()
}

fn ids(v: &[u32]) -> Vec<VertexId> {
    v.iter().map(|&i| VertexId(i)).collect()
}

#[test]
fn borders_of_triangulated_polygons_are_their_contours() {
    let mut random = Random(1);
    for _ in 0..500 {
        let size = 1 + random.below(9) as i32;
        let fill = 40 + random.below(60);
        let polygon = heap_of_cells(&mut random, size, fill);
        let mesh = mesh_of_polygon(&polygon);
        assert_eq!(border_points(&mesh), cycles(polygon.contours.clone()));
        assert_eq!(total_area2(&mesh), polygon.area2());
        if !polygon.contours.is_empty() {
            assert_eq!(mesh.components().count, 1);
            assert_eq!(mesh.euler_characteristic(), 2 - polygon.contours.len() as i64);
        }
    }
}

#[test]
fn one_face_with_holes_is_the_same_surface_as_its_triangles() {
    let mut random = Random(2);
    for _ in 0..300 {
        let polygon = heap_of_cells(&mut random, 7, 75);
        let points: Vec<_> = points_in_order(&polygon).collect();
        let name_of = names(&points);
        let mut mesh = HalfEdgeMesh::with_vertices(&points);
        let mut first = 0;
        let loops: Vec<Vec<VertexId>> = polygon
            .contours
            .iter()
            .map(|c| {
                let l = (first..first + c.len()).map(|i| VertexId(name_of[i])).collect();
                first += c.len();
                l
            })
            .collect();
        let face = mesh.add_face(&loops, 7).unwrap();
        assert_eq!(mesh.pair_twins(), []);
        mesh.check_invariants().unwrap();
        assert_eq!(mesh.face_label(face), 7);
        assert_eq!(mesh.polygon(face), polygon);
        assert_eq!(border_points(&mesh), cycles(polygon.contours.clone()));
        assert_eq!(mesh.euler_characteristic(), 2 - polygon.contours.len() as i64);
    }
}

#[test]
fn removing_all_inner_edges_gives_the_polygon_back() {
    let mut random = Random(3);
    for _ in 0..300 {
        let size = 2 + random.below(7) as i32;
        let fill = 50 + random.below(50);
        let polygon = heap_of_cells(&mut random, size, fill);
        if polygon.contours.is_empty() {
            continue;
        }
        let mut mesh = mesh_of_polygon(&polygon);
        let mut edges: Vec<HalfEdgeId> = mesh.half_edges().collect();
        for i in (1..edges.len()).rev() {
            edges.swap(i, random.below(i as u64 + 1) as usize);
        }
        let mut checks = 0;
        for h in edges {
            if !mesh.has_half_edge(h) || mesh.is_border(h) {
                continue;
            }
            mesh.merge_faces(h).unwrap();
            checks += 1;
            if checks % 7 == 0 {
                mesh.check_invariants().unwrap();
                assert_eq!(total_area2(&mesh), polygon.area2());
            }
        }
        mesh.check_invariants().unwrap();
        let faces: Vec<_> = mesh.faces().collect();
        assert_eq!(faces.len(), 1);
        let merged = mesh.polygon(faces[0]);
        assert_eq!(
            merged.contours[0],
            mesh.loop_points(mesh.outer_loop(faces[0])).collect::<Vec<_>>()
        );
        assert_eq!(cycles(merged.contours.clone()), cycles(polygon.contours.clone()));
        assert_eq!(merged.area2(), polygon.area2());
        let map = mesh.compact();
        mesh.check_invariants().unwrap();
        assert_eq!(map.faces.iter().flatten().count(), 1);
        assert_eq!(mesh.polygon(FaceId(0)), merged);
    }
}

#[test]
fn a_face_that_fills_a_hole_merges_with_the_face_around_it() {
    let points = [p(0, 0), p(9, 0), p(9, 9), p(0, 9), p(3, 3), p(6, 3), p(6, 6), p(3, 6)];
    let build = || {
        let mut mesh = HalfEdgeMesh::with_vertices(&points);
        let ring = mesh.add_face(&[ids(&[0, 1, 2, 3]), ids(&[4, 7, 6, 5])], 1).unwrap();
        let core = mesh.add_face(&[ids(&[4, 5, 6, 7])], 2).unwrap();
        assert_eq!(mesh.pair_twins(), []);
        (mesh, ring, core)
    };
    let (mesh, ring, core) = build();
    assert_eq!(mesh.euler_characteristic(), 1);
    assert_eq!(mesh.hole_loops(ring).count(), 1);
    for from_core in [true, false] {
        let mut mesh = mesh.clone();
        let start =
            if from_core { mesh.outer_loop(core) } else { mesh.hole_loops(ring).next().unwrap() };
        assert_eq!(mesh.merge_faces(start), Ok(ring));
        mesh.check_invariants().unwrap();
        assert_eq!(mesh.polygon(ring).contours, [points[..4].to_vec()]);
        assert!(!mesh.has_face(core));
        assert_eq!(mesh.compact().vertices.iter().flatten().count(), 4);
    }
    // With a piece cut off the core, a part of the hole stays.
    let (mut mesh, ring, core) = build();
    mesh.remove_face(core).unwrap();
    let part = mesh.add_face(&[ids(&[4, 5, 6])], 3).unwrap();
    mesh.pair_twins();
    assert_eq!(mesh.merge_faces(mesh.outer_loop(part)), Ok(ring));
    mesh.check_invariants().unwrap();
    let hole: Contour = mesh.loop_points(mesh.hole_loops(ring).next().unwrap()).collect();
    assert_eq!(cycles([hole]), cycles([vec![points[4], points[7], points[6]]]));
    assert_eq!(mesh.face_area2(ring), 2 * 81 - 9);
}

#[test]
fn components_agree_with_a_plain_flood() {
    let mut random = Random(4);
    for _ in 0..200 {
        let points: Vec<_> = (0..40).map(|_| random.point(30)).collect();
        let mut triangles = constrained_delaunay(&points, &[]).unwrap();
        triangles.retain(|_| random.below(10) < 6);
        let mesh = mesh_of(&points, &triangles);
        let components = mesh.components();
        let mut of: Vec<u32> = (0..triangles.len() as u32).collect();
        let shares = |a: &[u32; 3], b: &[u32; 3]| a.iter().filter(|v| b.contains(v)).count() == 2;
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..triangles.len() {
                for j in 0..i {
                    if of[i] != of[j] && shares(&triangles[i], &triangles[j]) {
                        let (low, high) = (of[i].min(of[j]), of[i].max(of[j]));
                        of.iter_mut().filter(|c| **c == high).for_each(|c| *c = low);
                        changed = true;
                    }
                }
            }
        }
        let mut number = BTreeMap::new();
        let want: Vec<u32> = of
            .iter()
            .map(|c| {
                let next = number.len() as u32;
                *number.entry(*c).or_insert(next)
            })
            .collect();
        assert_eq!(components.of_face, want);
        assert_eq!(components.count as usize, number.len());
        // Border loops take each border half-edge once, and Euler's formula counts them: a planar
        // surface of c parts with b borders has the characteristic 2 c - b.
        let loops = mesh.border_loops();
        let all: BTreeSet<_> = loops.iter().flatten().collect();
        assert_eq!(all.len(), loops.iter().map(Vec::len).sum::<usize>());
        assert_eq!(all.len(), mesh.half_edges().filter(|&h| mesh.is_border(h)).count());
        assert_eq!(
            mesh.euler_characteristic(),
            2 * i64::from(components.count) - loops.len() as i64
        );
    }
}

#[test]
fn fans_part_the_corners_of_a_vertex() {
    // Two fans of two triangles each around vertex 0.
    let points = [p(0, 0), p(4, 0), p(4, 4), p(0, 4), p(-4, 0), p(-4, -4), p(0, -4)];
    let mesh = mesh_of(&points, &[[0, 1, 2], [0, 2, 3], [0, 4, 5], [0, 5, 6]]);
    let starts = mesh.fans(VertexId(0));
    assert_eq!(starts, [HalfEdgeId(0), HalfEdgeId(6)]);
    assert_eq!(mesh.fan(HalfEdgeId(3)).collect::<Vec<_>>(), [HalfEdgeId(0), HalfEdgeId(3)]);
    assert_eq!(mesh.leaving(VertexId(0)).count(), 4);
    assert_eq!(mesh.border_loops().len(), 2);
    assert_eq!(mesh.components().count, 2);
    assert_eq!(mesh.euler_characteristic(), 2);
    assert_eq!(mesh.find(VertexId(0), VertexId(2)), Some(HalfEdgeId(3)));
    assert_eq!(mesh.find(VertexId(1), VertexId(3)), None);
    // A closed fan.
    let mesh = mesh_of(&points[..5], &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]]);
    assert_eq!(mesh.fans(VertexId(0)), [HalfEdgeId(0)]);
    assert_eq!(mesh.fan(HalfEdgeId(6)).count(), 4);
}

#[test]
fn where_the_surface_branches_extra_uses_stay_without_twin() {
    let points = [p(0, 0), p(4, 0), p(2, 3), p(2, -3), p(2, 5)];
    // Edge 0-1 is used twice in one direction and once in the other.
    let triangles = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
    let (mesh, extra) = HalfEdgeMesh::from_triangles(&points, &triangles).unwrap();
    mesh.check_invariants().unwrap();
    assert_eq!(extra, [HalfEdgeId(6)]);
    assert_eq!(mesh.twin(HalfEdgeId(0)), Some(HalfEdgeId(3)));
    assert!(mesh.is_border(HalfEdgeId(6)));
    assert_eq!(mesh.components().count, 2);
}

#[test]
fn twins_can_be_given_by_hand() {
    let points = [p(0, 0), p(4, 0), p(4, 4), p(0, 4)];
    let mut mesh = HalfEdgeMesh::with_vertices(&points);
    let below = mesh.add_face(&[ids(&[0, 1, 2])], 0).unwrap();
    let above = mesh.add_face(&[ids(&[0, 2, 3])], 0).unwrap();
    let (h, g) = (HalfEdgeId(2), HalfEdgeId(3));
    assert_eq!(mesh.join(h, HalfEdgeId(4)), Err(EditError::EndsDiffer(h, HalfEdgeId(4))));
    assert_eq!(mesh.join(h, h), Err(EditError::EndsDiffer(h, h)));
    mesh.join(h, g).unwrap();
    mesh.check_invariants().unwrap();
    assert_eq!(mesh.neighbour(h), Some(above));
    assert_eq!(mesh.neighbour(g), Some(below));
    assert_eq!(mesh.join(h, g), Err(EditError::HasTwin(h)));
    assert_eq!(mesh.part(g), Ok(h));
    assert_eq!(mesh.part(g), Err(EditError::Border(g)));
    assert_eq!(mesh.components().count, 2);
}

#[test]
fn faces_that_are_none_are_refused() {
    let mut mesh = HalfEdgeMesh::with_vertices(&[p(0, 0), p(1, 0), p(0, 1)]);
    let none: [Vec<VertexId>; 0] = [];
    assert_eq!(mesh.add_face(&none, 0), Err(BuildError::NoLoop));
    assert_eq!(
        mesh.add_face(&[ids(&[0, 1])], 0),
        Err(BuildError::ShortLoop { place: 0, vertices: 2 })
    );
    assert_eq!(
        mesh.add_face(&[ids(&[0, 1, 2]), ids(&[0, 1, 3])], 0),
        Err(BuildError::UnknownVertex { place: 1, vertex: VertexId(3), vertices: 3 })
    );
    for l in [[0, 0, 1], [0, 1, 1], [0, 1, 0]] {
        assert!(matches!(mesh.add_face(&[ids(&l)], 0), Err(BuildError::RepeatedVertex { .. })));
    }
    assert_eq!(mesh.faces().count(), 0);
    assert_eq!(mesh.half_edges().count(), 0);
    mesh.check_invariants().unwrap();
}

#[test]
fn a_split_edge_is_split_on_both_sides() {
    let points = [p(0, 0), p(4, 0), p(4, 4), p(0, 4)];
    let mut mesh = mesh_of(&points, &[[0, 1, 2], [0, 2, 3]]);
    let (h, t) = (HalfEdgeId(2), HalfEdgeId(3));
    mesh.set_label(h, 5);
    mesh.set_label(t, 6);
    let v = mesh.split_edge(h, p(2, 2)).unwrap();
    mesh.check_invariants().unwrap();
    assert_eq!(mesh.polygon(FaceId(0)).contours[0], [p(0, 0), p(4, 0), p(4, 4), p(2, 2)]);
    assert_eq!(mesh.polygon(FaceId(1)).contours[0], [p(0, 0), p(2, 2), p(4, 4), p(0, 4)]);
    assert_eq!(mesh.origin(mesh.next(h)), v);
    assert_eq!((mesh.label(mesh.next(h)), mesh.label(mesh.next(t))), (5, 6));
    assert_eq!(mesh.twin(h), Some(mesh.next(t)));
    // On the border.
    mesh.split_edge(HalfEdgeId(0), p(1, 0)).unwrap();
    mesh.check_invariants().unwrap();
    assert_eq!(mesh.border_loops()[0].len(), 5);
    assert_eq!(mesh.euler_characteristic(), 1);
}

/// A strip of squares, each of two triangles: vertex `2 i` below, `2 i + 1` above.
fn strip(squares: u32) -> HalfEdgeMesh {
    let points: Vec<_> = (0..=squares as i32).flat_map(|i| [p(10 * i, 0), p(10 * i, 10)]).collect();
    let triangles: Vec<_> = (0..squares)
        .flat_map(|i| [[2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 2, 2 * i + 3, 2 * i + 1]])
        .collect();
    mesh_of(&points, &triangles)
}

#[test]
fn contraction_refuses_what_would_spoil_the_surface() {
    let mesh = strip(4);
    let find = |a, b| mesh.find(VertexId(a), VertexId(b)).unwrap();
    let refuse = |h, to| {
        let mut copy = mesh.clone();
        let error = copy.collapse_edge(h, to).unwrap_err();
        assert_eq!(copy, mesh, "a refused change was half done");
        error
    };
    // An inner edge from border to border.
    let across = find(4, 5);
    assert_eq!(refuse(across, p(20, 10)), EditError::Pinches(across));
    // The end of the strip, of which nothing would be left: vertex 0 has one triangle.
    let end = find(0, 2);
    assert!(mesh.clone().collapse_edge(end, p(10, 0)).is_ok());
    // Moved beyond its neighbours, triangles turn over.
    let side = find(2, 4);
    assert!(matches!(refuse(side, p(200, 0)), EditError::Flips(_)));
    // A lone triangle.
    let lone = mesh_of(&[p(0, 0), p(1, 0), p(0, 1)], &[[0, 1, 2]]);
    assert!(matches!(
        lone.clone().collapse_edge(HalfEdgeId(0), p(1, 0)),
        Err(EditError::Vanishes(_))
    ));
    // A triangle divided in three, then in three again: an edge of the inner one whose ends have a
    // third neighbour in common.
    let points = [p(0, 0), p(90, 0), p(0, 90), p(30, 30), p(20, 10)];
    let nested = mesh_of(&points, &[[1, 2, 3], [2, 0, 3], [0, 1, 4], [1, 3, 4], [3, 0, 4]]);
    let h = nested.find(VertexId(0), VertexId(3)).unwrap();
    assert!(nested.clone().collapse_edge(h, p(0, 0)).is_err());
    let h = nested.find(VertexId(3), VertexId(0)).unwrap();
    assert_eq!(nested.clone().collapse_edge(h, p(0, 0)), Err(EditError::Folds(h)));
    // A face with four corners.
    let mut square = HalfEdgeMesh::with_vertices(&[p(0, 0), p(4, 0), p(4, 4), p(0, 4)]);
    let f = square.add_face(&[ids(&[0, 1, 2, 3])], 0).unwrap();
    assert_eq!(square.collapse_edge(HalfEdgeId(0), p(0, 0)), Err(EditError::NotATriangle(f)));
    assert_eq!(
        square.collapse_edge(HalfEdgeId(99), p(0, 0)),
        Err(EditError::NoHalfEdge(HalfEdgeId(99)))
    );
}

#[test]
fn contraction_hands_border_labels_on() {
    let mut mesh = strip(2);
    let find = |mesh: &HalfEdgeMesh, a, b| mesh.find(VertexId(a), VertexId(b)).unwrap();
    let wall = find(&mesh, 1, 0);
    mesh.set_label(wall, 42);
    // The triangle 0 2 1 goes; what lay behind its inner side is border now, with its label.
    let below = find(&mesh, 0, 2);
    mesh.collapse_edge(below, p(5, 0)).unwrap();
    mesh.check_invariants().unwrap();
    let heir = find(&mesh, 1, 2);
    assert!(mesh.is_border(heir));
    assert_eq!(mesh.label(heir), 42);
    assert_eq!(mesh.point(VertexId(2)), p(5, 0));
    assert!(!mesh.has_vertex(VertexId(0)));
    assert_eq!(mesh.faces().count(), 3);
    // The same where the border comes after the contracted half-edge, not before it.
    let mut mesh = strip(2);
    let floor = find(&mesh, 0, 2);
    mesh.set_label(floor, 43);
    let wall = find(&mesh, 1, 0);
    mesh.collapse_edge(wall, p(0, 0)).unwrap();
    mesh.check_invariants().unwrap();
    let heir = find(&mesh, 0, 2);
    assert!(mesh.is_border(heir));
    assert_eq!(mesh.label(heir), 43);
}

#[test]
fn random_edits_leave_the_mesh_whole() {
    let mut random = Random(5);
    let mut done = BTreeMap::new();
    for round in 0..120 {
        let reach = [20, 3000][round % 2];
        let points: Vec<_> = (0..50).map(|_| random.point(reach)).collect();
        let mut triangles = constrained_delaunay(&points, &[]).unwrap();
        if round % 3 == 0 {
            triangles.retain(|_| random.below(10) < 8);
        }
        let mut mesh = mesh_of(&points, &triangles);
        for _ in 0..60 {
            let before = mesh.clone();
            let (area, euler) = (total_area2(&mesh), mesh.euler_characteristic());
            let alive: Vec<_> = mesh.half_edges().collect();
            if alive.is_empty() {
                break;
            }
            let h = alive[random.below(alive.len() as u64) as usize];
            // Contractions need triangles, so the first rounds do little else.
            let kind = random.below(if round < 60 { 3 } else { 8 });
            let result = match kind {
                0..=2 => {
                    let inner = !mesh.leaving(mesh.origin(h)).any(|e| mesh.is_border(e));
                    let to = mesh.point(mesh.destination(h));
                    let result = mesh.collapse_edge(h, to).map(|_| ());
                    if result.is_ok() {
                        assert_eq!(mesh.euler_characteristic(), euler);
                        if inner {
                            assert_eq!(total_area2(&mesh), area);
                        }
                        assert!(mesh.faces().all(|f| mesh.face_area2(f) > 0));
                    }
                    result
                }
                3 | 4 => {
                    let result = mesh.merge_faces(h).map(|_| ());
                    if result.is_ok() {
                        assert_eq!(total_area2(&mesh), area);
                        assert_eq!(mesh.euler_characteristic(), euler);
                    }
                    result
                }
                5 => mesh.split_edge(h, mesh.point(mesh.origin(h))).map(|_| {
                    assert_eq!(total_area2(&mesh), area);
                    assert_eq!(mesh.euler_characteristic(), euler);
                }),
                6 => mesh.remove_face(mesh.face(h)),
                _ => mesh.part(h).map(|t| {
                    if random.below(2) == 0 {
                        mesh.join(t, h).unwrap();
                        assert_eq!(mesh, before);
                    }
                }),
            };
            mesh.check_invariants().unwrap();
            match result {
                Ok(()) => *done.entry(kind).or_insert(0) += 1,
                Err(_) => assert_eq!(mesh, before, "a refused change was half done"),
            }
        }
        let borders = border_points(&mesh);
        let area = total_area2(&mesh);
        let map = mesh.compact();
        mesh.check_invariants().unwrap();
        assert_eq!(border_points(&mesh), borders);
        assert_eq!(total_area2(&mesh), area);
        assert_eq!(mesh.half_edges().count(), mesh.half_edge_id_count());
        assert_eq!(map.faces.iter().flatten().count(), mesh.face_id_count());
    }
    assert!(done.len() == 8 && done.values().all(|&n| n > 20), "{done:?}");
}

#[test]
fn a_contracted_edge_without_remains_shrinks_to_few_triangles() {
    // Contracting inner vertices only leaves the hull's polygon, whatever the order.
    let mut random = Random(6);
    for _ in 0..20 {
        let points: Vec<_> = (0..80).map(|_| random.point(1000)).collect();
        let mut mesh = mesh_of(&points, &constrained_delaunay(&points, &[]).unwrap());
        let area = total_area2(&mesh);
        let border = border_points(&mesh);
        let mut changed = true;
        while changed {
            changed = false;
            let edges: Vec<_> = mesh.half_edges().collect();
            for h in edges {
                if mesh.has_half_edge(h) && !mesh.leaving(mesh.origin(h)).any(|e| mesh.is_border(e))
                {
                    changed |= mesh.collapse_edge(h, mesh.point(mesh.destination(h))).is_ok();
                }
            }
        }
        mesh.check_invariants().unwrap();
        assert_eq!(total_area2(&mesh), area);
        assert_eq!(border_points(&mesh), border);
        let corners = mesh.border_loops()[0].len();
        assert_eq!(mesh.faces().count(), corners - 2, "an inner vertex is left");
    }
}
