//! How good a partition is: few cells, and none that is a splinter.

use surefoot_geom::LatticePoint;
use surefoot_geom::convex_hull::convex_hull;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::polygon::contour_area2;
use surefoot_mesh::NavMesh;

use crate::surface::plan_units;

/// A cell is ill-conditioned when its area is less than this share of the square over its diameter:
/// it is then about fifty times as long as it is wide.
pub const ILL_CONDITIONED_SHARE: f64 = 0.02;

/// The share of cells, from the smallest up, whose area [`PartitionQuality`] tells.
const SMALL_SHARE: f64 = 0.05;

/// Numbers to compare partitions of the same ground by. Measured in plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartitionQuality {
    /// Convex cells.
    pub cells: usize,
    /// Edges between two cells, each counted once.
    pub portals: usize,
    /// The smallest inner angle of any cell, in radians.
    pub smallest_angle_rad: f64,
    /// The mean over all cells of their smallest inner angle, in radians.
    pub mean_smallest_angle_rad: f64,
    /// The area of the smallest cell, in m².
    pub smallest_area_m2: f64,
    /// The largest area among the smallest twentieth of the cells, in m².
    pub small_area_m2: f64,
    /// Cells with less than [`ILL_CONDITIONED_SHARE`] of the square over their diameter.
    pub ill_conditioned: usize,
}

impl PartitionQuality {
    /// The share of ill-conditioned cells, from 0 to 1.
    #[must_use]
    pub fn ill_conditioned_share(&self) -> f64 {
        if self.cells == 0 { 0.0 } else { self.ill_conditioned as f64 / self.cells as f64 }
    }

    /// Measures the cells of a mesh.
    #[must_use]
    pub fn of_mesh(mesh: &NavMesh) -> Self {
        let data = mesh.data();
        let outlines = data.cell_first_edges.windows(2).map(|run| {
            (run[0]..run[1])
                .map(|e| data.vertex_points[data.edge_vertices[e as usize].index()])
                .collect()
        });
        let with_twin = data.edge_twins.iter().filter(|t| **t != surefoot_mesh::NO_EDGE).count();
        Self::of_outlines(outlines, with_twin / 2)
    }

    /// Measures outlines.
    pub(crate) fn of_outlines(
        outlines: impl Iterator<Item = Vec<LatticePoint>>,
        portals: usize,
    ) -> Self {
        let mut result = Self { portals, smallest_angle_rad: f64::INFINITY, ..Self::default() };
        let mut areas = Vec::new();
        let mut angles = 0.0;
        for outline in outlines {
            result.cells += 1;
            let area = contour_area2(&outline) as f64 * 0.5;
            areas.push(area * M_PER_LATTICE * M_PER_LATTICE);
            let angle = smallest_angle_rad(&outline);
            angles += angle;
            result.smallest_angle_rad = result.smallest_angle_rad.min(angle);
            let diameter = diameter_units(outline);
            result.ill_conditioned +=
                usize::from(area < ILL_CONDITIONED_SHARE * diameter * diameter);
        }
        if areas.is_empty() {
            return Self::default();
        }
        areas.sort_unstable_by(f64::total_cmp);
        result.mean_smallest_angle_rad = angles / areas.len() as f64;
        result.smallest_area_m2 = areas[0];
        result.small_area_m2 = areas[(areas.len() as f64 * SMALL_SHARE) as usize];
        result
    }
}

fn smallest_angle_rad(outline: &[LatticePoint]) -> f64 {
    let n = outline.len();
    (0..n)
        .map(|i| {
            let at = plan_units(outline[(i + 1) % n]);
            let (a, b) = (plan_units(outline[i]) - at, plan_units(outline[(i + 2) % n]) - at);
            b.perp_dot(a).abs().atan2(b.dot(a))
        })
        .fold(f64::INFINITY, f64::min)
}

fn diameter_units(outline: Vec<LatticePoint>) -> f64 {
    let hull = convex_hull(outline).unwrap_or_default();
    let n = hull.len();
    if n < 3 {
        return 0.0;
    }
    // Rotating calipers: the corner farthest from an edge only ever moves on.
    let p = |i: usize| plan_units(hull[i % n]);
    let height = |e: usize, i: usize| (p(e + 1) - p(e)).perp_dot(p(i) - p(e));
    let mut far = 1;
    let mut best: f64 = 0.0;
    for e in 0..n {
        while height(e, far + 1) > height(e, far) {
            far += 1;
        }
        for end in [e, e + 1] {
            best = best.max(p(end).distance(p(far))).max(p(end).distance(p(far + 1)));
        }
    }
    best
}
