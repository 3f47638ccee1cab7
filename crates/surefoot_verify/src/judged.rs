//! The mesh as the thing judged: its cells as triangles with Z up, and which cell lies where.
//!
//! It takes the plain data and trusts nothing in it but what [`crate::structure`] has found usable:
//! indices in range and finite heights. Cells that are not convex are cut into triangles by their
//! ears, so that damaged meshes can be judged as well.

use crate::world::{height_over, turn};
use glam::{DVec2, DVec3};
use surefoot_geom::DisjointSets;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_mesh::{CellKind, NO_EDGE, NavMeshData};

/// How far beside a cell a point may lie and be covered still, in metres.
const COVERED_SLACK_M: f64 = 1e-3;

/// A mesh, ready to be asked.
pub(crate) struct Judged<'a> {
    pub(crate) data: &'a NavMeshData,
    /// All vertices with Z up.
    pub(crate) points: Vec<DVec3>,
    pub(crate) triangles: Vec<CellTriangle>,
    /// The first triangle of each cell, and one past the last at the end.
    first_triangle: Vec<u32>,
    /// The cell of every edge.
    pub(crate) edge_cell: Vec<u32>,
    pub(crate) cell_component: Vec<u32>,
    pub(crate) component_area_m2: Vec<f64>,
    tree: BoxTree,
}

/// A triangle of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellTriangle {
    pub(crate) cell: u32,
    pub(crate) corners: [DVec3; 3],
    pub(crate) area_m2: f64,
}

impl CellTriangle {
    /// The point with these shares of the corners.
    pub(crate) fn point(&self, [u, v, w]: [f64; 3]) -> DVec3 {
        self.corners[0] * u + self.corners[1] * v + self.corners[2] * w
    }
}

impl<'a> Judged<'a> {
    /// The data must have passed [`crate::structure::is_readable`].
    pub(crate) fn new(data: &'a NavMeshData) -> Self {
        let points: Vec<DVec3> = data
            .vertex_points
            .iter()
            .zip(&data.vertex_heights_m)
            .map(|(p, &z)| {
                let [x, y] = p.to_m();
                DVec3::new(x, y, f64::from(z))
            })
            .collect();
        let mut triangles = Vec::new();
        let mut first_triangle = vec![0];
        let mut edge_cell = vec![0_u32; data.edge_vertices.len()];
        let mut outline = Vec::new();
        for (cell, run) in data.cell_first_edges.windows(2).enumerate() {
            let run = run[0] as usize..run[1] as usize;
            edge_cell[run.clone()].fill(cell as u32);
            outline.clear();
            outline.extend(data.edge_vertices[run].iter().map(|v| points[v.index()]));
            cut_ears(&mut outline, |corners| {
                let [a, b, c] = corners.map(DVec3::truncate);
                let area_m2 = 0.5 * turn(a, b, c).abs();
                triangles.push(CellTriangle { cell: cell as u32, corners, area_m2 });
            });
            first_triangle.push(triangles.len() as u32);
        }
        let tree = BoxTree::build_with(triangles.len(), |i| {
            Aabb::of_points(triangles[i as usize].corners)
        });
        let (cell_component, components) = components(data, &edge_cell);
        let mut component_area_m2 = vec![0.0; components as usize];
        for t in &triangles {
            component_area_m2[cell_component[t.cell as usize] as usize] += t.area_m2;
        }
        Self {
            data,
            points,
            triangles,
            first_triangle,
            edge_cell,
            cell_component,
            component_area_m2,
            tree,
        }
    }

    pub(crate) fn cell_count(&self) -> usize {
        self.first_triangle.len() - 1
    }

    pub(crate) fn kind(&self, cell: u32) -> CellKind {
        self.data.cell_kinds[cell as usize]
    }

    /// The corners of a cell.
    pub(crate) fn outline(&self, cell: u32) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        let first = &self.data.cell_first_edges;
        let run = first[cell as usize] as usize..first[cell as usize + 1] as usize;
        self.data.edge_vertices[run].iter().map(|v| self.points[v.index()])
    }

    /// The triangles of a cell.
    pub(crate) fn triangles_of(&self, cell: u32) -> &[CellTriangle] {
        let [first, end] = [cell, cell + 1].map(|c| self.first_triangle[c as usize] as usize);
        &self.triangles[first..end]
    }

    /// The height of a cell over a plan point.
    pub(crate) fn height_in_cell(&self, cell: u32, at: DVec2) -> Option<f64> {
        self.triangles_of(cell).iter().find_map(|t| height_over(&t.corners, at))
    }

    /// The area of each triangle and all before it.
    pub(crate) fn areas_summed_up(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let add = |t: &CellTriangle| {
            sum += t.area_m2;
            sum
        };
        self.triangles.iter().map(add).collect()
    }

    /// The two ends of an edge.
    pub(crate) fn edge(&self, edge: u32) -> (DVec3, DVec3) {
        let first = &self.data.cell_first_edges;
        let cell = self.edge_cell[edge as usize] as usize;
        let next = if edge + 1 == first[cell + 1] { first[cell] } else { edge + 1 };
        let at = |e: u32| self.points[self.data.edge_vertices[e as usize].index()];
        (at(edge), at(next))
    }

    pub(crate) fn twin(&self, edge: u32) -> Option<u32> {
        let twin = self.data.edge_twins[edge as usize];
        (twin != NO_EDGE && (twin as usize) < self.edge_cell.len()).then_some(twin)
    }

    /// The cell that covers a point of the ground: one at its height, or a bridging one within a step.
    pub(crate) fn covering(&self, at: DVec3, window_m: f64) -> Option<u32> {
        if let Some((cell, _)) = self.cell_at(at, window_m, COVERED_SLACK_M) {
            return Some(cell);
        }
        let step_m = self.data.agent.max_step_m + window_m;
        self.cell_at(at, step_m, COVERED_SLACK_M)
            .map(|(cell, _)| cell)
            .filter(|&cell| self.kind(cell) != CellKind::Ground)
    }

    /// The height of a filler of a gap at a point, at most `window_m` above or below it.
    pub(crate) fn filler_at(&self, at: DVec3, window_m: f64) -> Option<f64> {
        let (cell, height_m) = self.cell_at(at, window_m, 0.0)?;
        (self.kind(cell) == CellKind::Gap).then_some(height_m)
    }

    /// Whether a filler of a gap may be within reach of a point: its box is.
    pub(crate) fn has_filler_near(&self, at: DVec3, reach_m: f64, window_m: f64) -> bool {
        let (plan, reach) = (at.truncate(), DVec2::splat(reach_m));
        let mut found = false;
        self.tree.visit_prism(plan - reach, plan + reach, at.z - window_m, at.z + window_m, |id| {
            found |= self.kind(self.triangles[id as usize].cell) == CellKind::Gap;
        });
        found
    }

    /// The middle of a cell's corners.
    pub(crate) fn middle(&self, cell: u32) -> DVec3 {
        let corners = self.outline(cell);
        let count = corners.len().max(1) as f64;
        corners.sum::<DVec3>() / count
    }

    /// The cell that lies at a point, at most `window_m` above or below it, and its height there.
    /// Of several, the one nearest in height. A point beside all cells by less than `slack_m` lies
    /// on them still.
    pub(crate) fn cell_at(&self, at: DVec3, window_m: f64, slack_m: f64) -> Option<(u32, f64)> {
        let mut best: Option<(f64, u32, f64)> = None;
        let plan = at.truncate();
        let reach = DVec2::splat(slack_m);
        self.tree.visit_prism(plan - reach, plan + reach, at.z - window_m, at.z + window_m, |id| {
            let t = &self.triangles[id as usize];
            let Some(z) = height_over(&t.corners, nearest_in(&t.corners, plan, slack_m)) else {
                return;
            };
            let away = (z - at.z).abs();
            if away <= window_m && best.is_none_or(|b| (away, t.cell) < (b.0, b.1)) {
                best = Some((away, t.cell, z));
            }
        });
        best.map(|(_, cell, z)| (cell, z))
    }
}

/// The point itself where a triangle covers it; where it lies beside by less than the slack, a point
/// just inside; otherwise the point itself.
fn nearest_in(corners: &[DVec3; 3], at: DVec2, slack_m: f64) -> DVec2 {
    if height_over(corners, at).is_some() {
        return at;
    }
    let middle = (corners[0] + corners[1] + corners[2]).truncate() / 3.0;
    at + (middle - at).clamp_length_max(2.0 * slack_m)
}

/// The components of a mesh over edges and links, numbered in the order of their first cells.
fn components(data: &NavMeshData, edge_cell: &[u32]) -> (Vec<u32>, u32) {
    let cells = data.cell_kinds.len();
    let mut sets = DisjointSets::new(cells);
    let mut join = |a: u32, b: u32| {
        if (a as usize) < cells && (b as usize) < cells {
            sets.join(a, b);
        }
    };
    for (edge, &twin) in data.edge_twins.iter().enumerate() {
        if let Some(&other) = edge_cell.get(twin as usize) {
            join(edge_cell[edge], other);
        }
    }
    for link in &data.links {
        join(link.from_cell.0, link.to_cell.0);
    }
    sets.number()
}

/// Cuts an outline into triangles, an ear at a time; what is left without ears becomes a fan.
fn cut_ears(outline: &mut Vec<DVec3>, mut emit: impl FnMut([DVec3; 3])) {
    let convex = (0..outline.len()).all(|i| {
        let n = outline.len();
        let [a, b, c] =
            [outline[i], outline[(i + 1) % n], outline[(i + 2) % n]].map(DVec3::truncate);
        turn(a, b, c) >= -1e-9
    });
    while !convex && outline.len() > 3 {
        let n = outline.len();
        let ear = (0..n).find(|&i| {
            let corners = [outline[(i + n - 1) % n], outline[i], outline[(i + 1) % n]];
            let [a, b, c] = corners.map(DVec3::truncate);
            turn(a, b, c) > 0.0
                && outline
                    .iter()
                    .all(|p| corners.contains(p) || height_over(&corners, p.truncate()).is_none())
        });
        let Some(i) = ear else { break };
        emit([outline[(i + n - 1) % n], outline[i], outline[(i + 1) % n]]);
        outline.remove(i);
    }
    for i in 1..outline.len().saturating_sub(1) {
        emit([outline[0], outline[i], outline[i + 1]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[[f64; 2]]) -> (usize, f64) {
        let mut outline: Vec<DVec3> = points.iter().map(|p| DVec3::new(p[0], p[1], 0.0)).collect();
        let (mut count, mut sum) = (0, 0.0);
        cut_ears(&mut outline, |t| {
            let [a, b, c] = t.map(DVec3::truncate);
            count += 1;
            sum += 0.5 * turn(a, b, c);
        });
        (count, sum)
    }

    #[test]
    fn outlines_are_cut_into_triangles_of_the_same_area() {
        assert_eq!(area(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]), (2, 4.0));
        let notched = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]];
        assert_eq!(area(&notched), (3, 10.0));
        assert_eq!(area(&[[0.0, 0.0], [1.0, 0.0]]), (0, 0.0));
    }
}
