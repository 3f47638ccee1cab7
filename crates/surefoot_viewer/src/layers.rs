//! Storeys of a mesh: which cells can be looked at together from above.
//!
//! A mesh goes in; a layer for every cell comes out, counted from zero at the bottom. A cell lies one
//! layer above the highest layer among the cells straight below any part of it, so no layer lies over
//! itself anywhere, and a building of three floors has three layers, with its stairs on the layers
//! that they pass over.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_mesh::{CellId, NavMesh};

/// Cells that overlap by less than this in plan only touch, in metres.
const TOUCH_M: f64 = 1e-3;

/// The layer of every cell.
pub(crate) fn find_layers(mesh: &NavMesh) -> Vec<u16> {
    let data = mesh.data();
    let plan_of = |cell: CellId| -> Vec<DVec2> {
        let point = |v: surefoot_mesh::VertexId| DVec2::from(data.vertex_points[v.index()].to_m());
        mesh.cell_vertices(cell).map(point).collect()
    };
    let cells: Vec<CellId> = mesh.cells().collect();
    let outlines: Vec<Vec<DVec2>> = cells.par_iter().map(|&c| plan_of(c)).collect();
    let heights: Vec<f64> = cells
        .iter()
        .map(|&c| {
            let all = mesh.cell_vertices(c);
            let count = all.len().max(1) as f64;
            all.map(|v| f64::from(data.vertex_heights_m[v.index()])).sum::<f64>() / count
        })
        .collect();
    let tree = BoxTree::build_with(outlines.len(), |i| {
        let b = Aabb::of_points(outlines[i as usize].iter().map(|p| p.extend(0.0)));
        // Cells that only touch are not of interest.
        let shrink = DVec3::new(TOUCH_M, TOUCH_M, 0.0).min(0.49 * (b.hi - b.lo));
        Aabb { lo: b.lo + shrink, hi: b.hi - shrink }
    });
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    order.sort_by(|&a, &b| heights[a as usize].total_cmp(&heights[b as usize]).then(a.cmp(&b)));
    let mut rank = vec![0_u32; cells.len()];
    for (r, &cell) in order.iter().enumerate() {
        rank[cell as usize] = r as u32;
    }
    // Finding what lies below is the work; it needs no layer, so it runs on all threads.
    let below: Vec<Vec<u32>> = (0..cells.len() as u32)
        .into_par_iter()
        .map(|cell| {
            let own = &outlines[cell as usize];
            let around = Aabb::of_points(own.iter().map(|p| p.extend(0.0)));
            let mut found = Vec::new();
            tree.visit_box(&around, |other| {
                if rank[other as usize] < rank[cell as usize]
                    && overlap(own, &outlines[other as usize])
                {
                    found.push(other);
                }
            });
            found
        })
        .collect();
    let mut layers = vec![0_u16; cells.len()];
    for &cell in &order {
        let highest = below[cell as usize].iter().map(|&b| layers[b as usize].saturating_add(1));
        layers[cell as usize] = highest.max().unwrap_or(0);
    }
    layers
}

/// Whether two convex outlines overlap by more than a touch: no edge of either separates them.
fn overlap(a: &[DVec2], b: &[DVec2]) -> bool {
    let separated_by = |edges: &[DVec2], others: &[DVec2]| {
        (0..edges.len()).any(|i| {
            let (from, to) = (edges[i], edges[(i + 1) % edges.len()]);
            let outwards = (from - to).perp().normalize_or_zero();
            if outwards == DVec2::ZERO {
                return false;
            }
            others.iter().all(|p| (*p - from).dot(outwards) > -TOUCH_M)
        })
    };
    !separated_by(a, b) && !separated_by(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_mesh::{Agent, NavMeshData};

    #[test]
    fn a_floor_over_a_floor_is_the_next_layer() {
        // Two squares side by side, and one over the second, shifted.
        let mut points: Vec<[f32; 3]> = Vec::new();
        for z in [0.0, 4.0] {
            points.extend([0.0, 4.0, 8.0].map(|x| [x, 0.0, z]));
        }
        points.extend([[5.0, 3.0, 0.0], [9.0, 3.0, 0.0], [5.0, 3.0, 4.0], [9.0, 3.0, 4.0]]);
        let cells = [vec![0, 3, 4, 1], vec![1, 4, 5, 2], vec![6, 8, 9, 7]];
        let up = [0.0, 1.0, 0.0];
        let data = NavMeshData::from_polygons(&points, &cells, Agent::default(), up).unwrap();
        let mesh = data.validate().unwrap();
        assert_eq!(find_layers(&mesh), [0, 0, 1]);
    }

    #[test]
    fn touching_is_not_overlapping() {
        let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]].map(DVec2::from);
        assert!(!overlap(&square(0.0), &square(1.0)));
        assert!(overlap(&square(0.0), &square(0.9)));
    }
}
