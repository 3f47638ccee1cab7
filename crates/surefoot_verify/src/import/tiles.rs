//! Tiles of polygons, as Detour and its descendants keep them, as one mesh that can be judged.
//!
//! In go tiles: polygons over a list of points, and for some of them a detail mesh, which says how high
//! the ground is within. Out comes mesh data. A polygon with detail becomes its triangles, since those are
//! the ground that its users stand on; one without stays as it is. Neighbours are those that run along
//! one segment in plan, opposite ways, with a step between them at most; where the border of a tile cuts
//! the edge of one side into several of the other, the longer edge gets the points of the shorter ones.

use super::error::ImportError;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::{Frame, LatticePoint};
use surefoot_mesh::{Agent, AreaId, CellKind, EdgeClass, NO_EDGE, NavMeshData, TagRules, VertexId};

/// What other tools keep of a tile. Indices have been checked by whoever read it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ForeignTile {
    /// Points in the user's frame.
    pub(super) points: Vec<[f64; 3]>,
    /// The corners of each polygon, as indices of points.
    pub(super) polygons: Vec<Vec<u32>>,
    /// For each polygon the triangles of its detail mesh; none where it has no more points than its own.
    pub(super) details: Vec<Vec<[[f64; 3]; 3]>>,
}

/// A point further than this beside an edge does not lie on it, in lattice units: borders of tiles are
/// straight but for rounding.
const BESIDE_UNITS: f64 = 3.0;

/// A corner of a cell: where it lies in plan, and the bits of its height.
type Corner = (LatticePoint, u32);

/// Mesh data from tiles.
pub(super) fn mesh_from_tiles(
    tiles: &[ForeignTile],
    agent: Agent,
    up: [f64; 3],
) -> Result<NavMeshData, ImportError> {
    agent.check()?;
    let frame = Frame::with_up(up)?;
    let canonical = |p: [f64; 3]| DVec3::from(frame.canonical_from_user(p));
    let mut outlines: Vec<Vec<DVec3>> = Vec::new();
    for tile in tiles {
        for (polygon, detail) in tile.polygons.iter().zip(&tile.details) {
            if detail.is_empty() {
                let corners = polygon.iter().map(|&p| canonical(tile.points[p as usize]));
                outlines.push(corners.collect());
            } else {
                outlines.extend(detail.iter().map(|t| t.map(canonical).to_vec()));
            }
        }
    }
    let low = outlines.iter().flatten().copied().reduce(DVec3::min).ok_or(ImportError::Empty)?;
    let origin = low.floor();
    let mut cells: Vec<Vec<Corner>> = Vec::new();
    for outline in outlines {
        let mut cell: Vec<Corner> = Vec::with_capacity(outline.len());
        for p in outline {
            let p = p - origin;
            // Zero is added so that minus zero and zero are one place.
            cell.push((LatticePoint::from_m(p.x, p.y)?, (p.z as f32 + 0.0).to_bits()));
        }
        cell.dedup_by_key(|c| c.0);
        while cell.len() > 1 && cell[0].0 == cell[cell.len() - 1].0 {
            cell.pop();
        }
        let area2 = doubled_area(&cell);
        if area2 < 0 {
            cell.reverse();
        }
        if cell.len() > 2 && area2 != 0 {
            cells.push(cell);
        }
    }
    if cells.is_empty() {
        return Err(ImportError::Empty);
    }
    let step_m = agent.max_step_m as f32;
    split_borders(&mut cells, step_m);
    Ok(assemble(&cells, agent, frame.moved_to(origin.to_array())))
}

fn doubled_area(cell: &[Corner]) -> i128 {
    let wide = |c: &Corner| [i128::from(c.0.x), i128::from(c.0.y)];
    let next = |k: usize| wide(&cell[(k + 1) % cell.len()]);
    (0..cell.len())
        .map(|k| {
            let ([ax, ay], [bx, by]) = (wide(&cell[k]), next(k));
            ax * by - bx * ay
        })
        .sum()
}

/// An edge's ends in plan.
type Segment = (LatticePoint, LatticePoint);

/// Every edge of all cells: from and to.
fn edges(cells: &[Vec<Corner>]) -> impl Iterator<Item = (Corner, Corner)> {
    cells.iter().flat_map(|cell| (0..cell.len()).map(|k| (cell[k], cell[(k + 1) % cell.len()])))
}

fn height(c: Corner) -> f32 {
    f32::from_bits(c.1)
}

/// The edge that each is joined with: the one along the same segment in plan, the other way round, whose
/// ends lie nearest, both within a step.
fn twins(cells: &[Vec<Corner>], step_m: f32) -> Vec<u32> {
    // With their numbers and the heights of their ends.
    let mut along: BTreeMap<Segment, Vec<(u32, [f32; 2])>> = BTreeMap::new();
    for (number, (a, b)) in edges(cells).enumerate() {
        let heights = [height(a), height(b)];
        along.entry((a.0, b.0)).or_default().push((number as u32, heights));
    }
    let mut twins = vec![NO_EDGE; edges(cells).count()];
    for (&(from, to), here) in &along {
        if (from, to) > (to, from) {
            continue;
        }
        let Some(there) = along.get(&(to, from)) else { continue };
        let mut pairs: Vec<(f32, u32, u32)> = Vec::new();
        for (e, [a, b]) in here {
            for (f, [c, d]) in there {
                let apart = (a - d).abs().max((b - c).abs());
                if apart <= step_m {
                    pairs.push((apart, *e, *f));
                }
            }
        }
        pairs.sort_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
        for (_, e, f) in pairs {
            if twins[e as usize] == NO_EDGE && twins[f as usize] == NO_EDGE {
                twins[e as usize] = f;
                twins[f as usize] = e;
            }
        }
    }
    twins
}

/// Gives edges without a neighbour the corners of others that lie on them.
fn split_borders(cells: &mut [Vec<Corner>], step_m: f32) {
    let twins = twins(cells, step_m);
    let mut border: Vec<Corner> = edges(cells)
        .zip(&twins)
        .filter(|(_, twin)| **twin == NO_EDGE)
        .flat_map(|((a, b), _)| [a, b])
        .collect();
    border.sort_unstable();
    border.dedup();
    let plan = |c: Corner| DVec2::new(f64::from(c.0.x), f64::from(c.0.y));
    let tree = BoxTree::build_with(border.len(), |i| {
        let p = plan(border[i as usize]);
        Aabb::in_plan(p, p)
    });
    let mut number = 0;
    for cell in cells {
        let mut whole: Vec<Corner> = Vec::with_capacity(cell.len());
        for k in 0..cell.len() {
            let (a, b) = (cell[k], cell[(k + 1) % cell.len()]);
            whole.push(a);
            let is_border = twins[number] == NO_EDGE;
            number += 1;
            if !is_border {
                continue;
            }
            let (from, to) = (plan(a), plan(b));
            let (way, length) = ((to - from).normalize_or_zero(), from.distance(to));
            let around = DVec2::splat(BESIDE_UNITS);
            let mut on: Vec<(f64, LatticePoint)> = Vec::new();
            let (low, high) = (from.min(to) - around, from.max(to) + around);
            tree.visit_prism(low, high, 0.0, 0.0, |i| {
                let c = border[i as usize];
                let (share, aside) = ((plan(c) - from).dot(way), (plan(c) - from).perp_dot(way));
                let z = height(a) + (height(b) - height(a)) * (share / length) as f32;
                let is_between = share > BESIDE_UNITS && share < length - BESIDE_UNITS;
                if is_between && aside.abs() <= BESIDE_UNITS && (height(c) - z).abs() <= step_m {
                    on.push((share, c.0));
                }
            });
            on.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
            on.dedup_by_key(|p| p.1);
            let at = |share: f64| height(a) + (height(b) - height(a)) * (share / length) as f32;
            whole.extend(on.into_iter().map(|(share, p)| (p, at(share).to_bits())));
        }
        *cell = whole;
    }
}

fn assemble(cells: &[Vec<Corner>], agent: Agent, frame: Frame) -> NavMeshData {
    let mut places: Vec<Corner> = cells.iter().flatten().copied().collect();
    places.sort_unstable();
    places.dedup();
    let vertex = |c: &Corner| VertexId(places.partition_point(|p| p < c) as u32);
    let edge_vertices: Vec<VertexId> = cells.iter().flatten().map(vertex).collect();
    let edge_twins = twins(cells, agent.max_step_m as f32);
    let firsts = cells.iter().scan(0, |sum, cell| {
        *sum += cell.len() as u32;
        Some(*sum)
    });
    let cell_first_edges: Vec<u32> = std::iter::once(0).chain(firsts).collect();
    // Two edges are one where their ends are.
    let ends: Vec<(VertexId, VertexId)> =
        edges(cells).map(|(a, b)| (vertex(&a), vertex(&b))).collect();
    let class = |(e, &t): (usize, &u32)| match t {
        NO_EDGE => EdgeClass::Open,
        t if ends[t as usize] == (ends[e].1, ends[e].0) => EdgeClass::Inner,
        _ => EdgeClass::Step,
    };
    NavMeshData {
        agent,
        frame,
        // Corners on straight borders are off by rounding.
        convex_distance_m: BESIDE_UNITS / LATTICE_PER_M,
        vertex_points: places.iter().map(|p| p.0).collect(),
        vertex_heights_m: places.iter().map(|p| height(*p)).collect(),
        cell_first_edges,
        cell_kinds: vec![CellKind::Ground; cells.len()],
        cell_areas: vec![AreaId(0); cells.len()],
        edge_classes: edge_twins.iter().enumerate().map(class).collect(),
        edge_vertices,
        edge_twins,
        links: Vec::new(),
        area_names: vec!["ground".to_owned()],
        build: None,
        tag_rules: TagRules::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: [f64; 3] = [0.0, 1.0, 0.0];

    fn quad([x0, z0]: [f64; 2], [x1, z1]: [f64; 2], y: f64) -> ForeignTile {
        ForeignTile {
            points: vec![[x0, y, z0], [x0, y, z1], [x1, y, z1], [x1, y, z0]],
            polygons: vec![vec![0, 1, 2, 3]],
            details: vec![Vec::new()],
        }
    }

    /// A large tile beside two small ones, one of them a step higher and one out of reach.
    #[test]
    fn borders_of_tiles_are_joined_piece_by_piece() {
        let tiles = [
            quad([0.0, 0.0], [4.0, 4.0], 0.0),
            quad([4.0, 0.0], [8.0, 1.3], 0.3),
            quad([4.0, 1.3], [8.0, 4.0], 0.0),
            quad([-4.0, 0.0], [0.0, 4.0], 0.9),
        ];
        let data = mesh_from_tiles(&tiles, Agent::default(), UP).unwrap();
        let count = |class: EdgeClass| data.edge_classes.iter().filter(|c| **c == class).count();
        // The step leads to the large tile and to the small one beside it.
        assert_eq!((count(EdgeClass::Inner), count(EdgeClass::Step)), (2, 4));
        let mesh = data.validate().unwrap();
        assert_eq!((mesh.cell_count(), mesh.component_count()), (4, 2));
        assert!((mesh.area_m2() - 48.0).abs() < 1e-6);
    }

    /// Detail is what its users stand on.
    #[test]
    fn a_polygon_with_detail_becomes_its_triangles() {
        let mut tile = quad([0.0, 0.0], [4.0, 4.0], 0.0);
        let top = [2.0, 1.0, 2.0];
        let corner = |k: usize| tile.points[k % 4];
        tile.details = vec![(0..4).map(|k| [corner(k), corner(k + 1), top]).collect()];
        let tiles = [tile, quad([4.0, 0.0], [8.0, 4.0], 0.0)];
        let mesh = mesh_from_tiles(&tiles, Agent::default(), UP).unwrap().validate().unwrap();
        assert_eq!((mesh.cell_count(), mesh.component_count()), (5, 1));
        let heights = mesh.data().vertex_heights_m.iter().copied();
        assert!((heights.fold(0.0, f32::max) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_is_no_mesh() {
        let flat = ForeignTile {
            points: vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
            polygons: vec![vec![0, 1, 2]],
            details: vec![Vec::new()],
        };
        for tiles in [&[][..], &[flat]] {
            let made = mesh_from_tiles(tiles, Agent::default(), UP);
            assert_eq!(made.err(), Some(ImportError::Empty));
        }
    }
}
