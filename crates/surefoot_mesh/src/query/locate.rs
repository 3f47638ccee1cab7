//! Where on the mesh a position is.
//!
//! In goes a position and how far from the mesh it may lie; out comes the nearest place on the
//! mesh. A cell is measured at the point of it that is nearest *in plan*, at the surface's height
//! there: who stands over a cell belongs straight below, not at the foot of a perpendicular on a
//! slope. Of all cells whose point lies within the extents the one at the least distance in space
//! is taken, and of several at the same distance the one with the lowest id. Nothing is allocated.

use super::query_mesh::QueryMesh;
use crate::piece_tree::Box3;
use glam::{DVec2, DVec3};

/// A place on the mesh, in canonical coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) piece: u32,
    pub(crate) plan: DVec2,
    pub(crate) height_m: f64,
}

/// The place nearest to a canonical point among the pieces that `admit` lets through, no farther
/// than `extents` along each canonical axis.
#[inline]
pub(crate) fn nearest_place(
    mesh: QueryMesh<'_>,
    point: DVec3,
    extents: [f64; 3],
    admit: impl Fn(u32) -> bool,
) -> Option<Place> {
    let at = point.to_array();
    if !at.iter().all(|c| c.is_finite()) {
        return None;
    }
    let mut nearest = Nearest { mesh, point, extents, best: None, best2: f64::INFINITY };
    if nearest.look_below(&admit) {
        return nearest.best;
    }
    // Outwards by more than the rounding to f32 can move a side.
    let side = |k: usize, sign: f64| {
        let v = at[k] + sign * extents[k];
        (v + sign * (v.abs() * 1e-6 + 1e-6)) as f32
    };
    let search = Box3 {
        low: std::array::from_fn(|k| side(k, -1.0)),
        high: std::array::from_fn(|k| side(k, 1.0)),
    };
    let plan = point.truncate();
    mesh.tree.visit_near(at, &search, nearest.best2, |piece| {
        if admit(piece) {
            let q = mesh.pieces.closest(piece, plan);
            nearest.offer(piece, q);
        }
        nearest.best2
    });
    nearest.best
}

/// The nearest place found so far.
struct Nearest<'a> {
    mesh: QueryMesh<'a>,
    point: DVec3,
    extents: [f64; 3],
    best: Option<Place>,
    best2: f64,
}

impl Nearest<'_> {
    /// Takes a piece whose nearest point in plan is `q`, if it is the nearest.
    #[inline]
    fn offer(&mut self, piece: u32, q: DVec2) {
        let d = q - self.point.truncate();
        let plan2 = d.length_squared();
        if plan2 > self.best2 || d.x.abs() > self.extents[0] || d.y.abs() > self.extents[1] {
            return;
        }
        let height_m = self.mesh.pieces.height(piece, q);
        let dz = height_m - self.point.z;
        let d2 = plan2 + dz * dz;
        let cells = &self.mesh.pieces.cells;
        let comes_first = |a: u32, b: u32| (cells[a as usize], a) < (cells[b as usize], b);
        if dz.abs() <= self.extents[2]
            && (d2 < self.best2
                || self.best.is_some_and(|b| d2 <= self.best2 && comes_first(piece, b.piece)))
        {
            self.best2 = d2;
            self.best = Some(Place { piece, plan: q, height_m });
        }
    }

    /// Looks at the pieces straight above and below. Returns whether one of them is the nearest of
    /// all for certain: then no other piece lies within its distance in plan.
    #[inline]
    fn look_below(&mut self, admit: &impl Fn(u32) -> bool) -> bool {
        let QueryMesh { ground, .. } = self.mesh;
        let (pieces, grid) = (&ground.pieces, &ground.grid);
        let plan = self.point.truncate();
        // The square of a distance in plan that pieces beside the point have at least.
        let mut beside2 = grid.margin_m * grid.margin_m;
        for item in grid.near(plan) {
            let piece = item.piece();
            if !admit(piece) {
                continue;
            }
            if item.covers() {
                self.offer(piece, plan);
                continue;
            }
            match pieces.first_edge_before(piece, plan) {
                None => self.offer(piece, plan),
                Some((side, length2)) => beside2 = beside2.min(side * side / length2),
            }
        }
        // By more than rounding can make it.
        self.best2 < beside2 * (1.0 - 1e-9) - 1e-18
    }
}

/// The highest place straight below a canonical point, at most `drop_m` below it and `rise_m`
/// above it.
pub(crate) fn place_below(
    mesh: QueryMesh<'_>,
    point: DVec3,
    rise_m: f64,
    drop_m: f64,
    admit: impl Fn(u32) -> bool,
) -> Option<Place> {
    let at = point.to_array();
    if !at.iter().all(|c| c.is_finite()) {
        return None;
    }
    let around = |v: f64, by: f64| (v + by + (v.abs() * 1e-6 + 1e-6) * by.signum()) as f32;
    let search = Box3 {
        low: [around(at[0], -0.0), around(at[1], -0.0), around(at[2], -drop_m)],
        high: [around(at[0], 0.0), around(at[1], 0.0), around(at[2], rise_m)],
    };
    let plan = DVec2::new(point.x, point.y);
    let cells = &mesh.pieces.cells;
    let comes_first = |a: u32, b: u32| (cells[a as usize], a) < (cells[b as usize], b);
    let mut best: Option<Place> = None;
    mesh.tree.visit_near(at, &search, f64::INFINITY, |piece| {
        if admit(piece) && mesh.pieces.closest(piece, plan) == plan {
            let height_m = mesh.pieces.height(piece, plan);
            let rise = height_m - point.z;
            let higher = best.is_none_or(|b| {
                height_m > b.height_m || (height_m >= b.height_m && comes_first(piece, b.piece))
            });
            if rise <= rise_m && -rise <= drop_m && higher {
                best = Some(Place { piece, plan, height_m });
            }
        }
        f64::INFINITY
    });
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;
    use crate::data::NavMeshData;
    use crate::ground::Ground;
    use crate::mesh::NavMesh;
    use crate::plan_grid::PlanGrid;

    /// Rolling ground on two storeys half a metre apart, cut into triangles of many shapes.
    fn two_storeys() -> NavMesh {
        let n = 9;
        let mut points = Vec::new();
        let mut corners = Vec::new();
        for storey in 0..2_u32 {
            let base = points.len() as u32;
            for i in 0..n * n {
                let (x, y) = ((i % n) as f32, (i / n) as f32);
                let bend = 0.3 * (y * 1.7 + storey as f32).sin();
                points.push([x + bend, y, (x * 0.6).sin() * 0.2 + storey as f32 * 0.5]);
            }
            for i in 0..(n - 1) * (n - 1) {
                let a = base + (i / (n - 1) * n + i % (n - 1)) as u32;
                let (b, c, d) = (a + 1, a + n as u32 + 1, a + n as u32);
                corners.extend([vec![a, b, c], vec![a, c, d]]);
            }
        }
        let agent = Agent { height_m: 0.4, max_step_m: 0.2, ..Agent::default() };
        let data = NavMeshData::from_polygons(&points, &corners, agent, [0.0, 0.0, 1.0]).unwrap();
        data.validate().unwrap()
    }

    #[test]
    fn the_grid_and_the_tree_find_the_same_places() {
        let mesh = two_storeys();
        let ground = mesh.ground.clone();
        let by_tree = Ground { grid: PlanGrid::default(), ..ground.clone() };
        let mut state = 5_u64;
        let mut share = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut on_mesh, mut by_grid) = (0, 0);
        for i in 0..20_000 {
            let edge = (share() * ground.pieces.edges.len() as f64) as u32;
            let (a, b) = ground.pieces.segment(edge);
            let anywhere = DVec2::new(share() * 10.0 - 1.0, share() * 10.0 - 1.0);
            // Anywhere, on an edge, on a vertex, and right beside them.
            let plan = match i % 4 {
                0 | 1 => anywhere,
                2 => a + (b - a) * (share() * 1.2 - 0.1).clamp(0.0, 1.0),
                _ => a + (anywhere - 4.5) * 1e-3_f64.powi(i / 4 % 5),
            };
            let above = [0.0, 1e-9, 1e-4, 0.02, 0.2, 0.7][i as usize % 6];
            let height = ground.pieces.height(ground.pieces.edge_pieces[edge as usize], plan);
            let point = plan.extend(height + above);
            for extents in [[0.5, 0.5, 1.0], [0.0, 0.0, 0.3], [f64::INFINITY; 3]] {
                let place = |ground| {
                    nearest_place(QueryMesh { mesh: &mesh, ground }, point, extents, |p| p % 7 > 0)
                };
                let (expected, found) = (place(&by_tree), place(&ground));
                assert_eq!(found, expected, "{point:?} within {extents:?}");
                on_mesh += usize::from(found.is_some());
            }
            by_grid += usize::from(!ground.grid.near(plan).is_empty());
        }
        assert!(on_mesh > 40_000 && by_grid > 10_000, "{on_mesh}, {by_grid}");
    }
}
