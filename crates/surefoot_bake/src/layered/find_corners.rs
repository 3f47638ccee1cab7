//! Finds the corners of what stands on the ground, and of where it ends.
//!
//! Goes in: linked depth maps. Comes out: points of the boundary that lie between the lines from pixel
//! to pixel: upright edges of obstacles, their points at the agent's height, and points at which the
//! outline of the ground turns. A pole thinner than a pixel is such a point; the source misses it
//! (Oliva 2012, §6.2.3, draws upright faces as wires for it).

use crate::layered::fine_map::{FineMap, FinePlace, PixelKind};
use crate::layered::refine::slope;
use crate::layered::scales::{Scales, TOUCHING_UNITS};
use crate::layered::slice::Slices;
use crate::voxel::grid::Surface;
use rayon::prelude::*;
use surefoot_mesh::EdgeClass;

/// A point of a boundary, and a pixel beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CornerPoint {
    pub(crate) pixel: u32,
    pub(crate) at: [i32; 2],
    /// Whether something stands there; otherwise the ground ends.
    pub(crate) blocked: bool,
}

impl CornerPoint {
    pub(crate) fn class(&self) -> EdgeClass {
        if self.blocked { EdgeClass::Blocked } else { EdgeClass::Open }
    }
}

/// The corners around all cells in which ground may end.
pub(crate) fn find_corners(
    map: &FineMap,
    plain: &[bool],
    slices: &Slices,
    scales: &Scales,
) -> Vec<CornerPoint> {
    let mut columns: Vec<u32> = Vec::new();
    let (width, depth) = (i64::from(scales.coarse.width), i64::from(scales.coarse.depth));
    for (cell, _) in plain.iter().enumerate().filter(|(_, plain)| !**plain) {
        let [x, y] = scales.place(map.shape.columns[cell]).map(i64::from);
        for y in (y - 1).max(0)..(y + 2).min(depth) {
            columns.extend(((x - 1).max(0)..(x + 2).min(width)).map(|x| (y * width + x) as u32));
        }
    }
    columns.sort_unstable();
    columns.dedup();
    let finder = Finder { map, slices, scales };
    let mut found: Vec<CornerPoint> = columns
        .par_iter()
        .flat_map_iter(|&column| {
            let mut found = Vec::new();
            finder.obstacles(column, &mut found);
            finder.ends(column, &mut found);
            found
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

struct Finder<'a> {
    map: &'a FineMap,
    slices: &'a Slices,
    scales: &'a Scales,
}

impl Finder<'_> {
    /// The pixels with ground whose middles lie around a point, with the ground's height there.
    fn pixels_around(&self, at: [i32; 2]) -> impl Iterator<Item = (u32, f64)> + '_ {
        let first = self.scales.coarse.first_column();
        let (cell, fine) = (i64::from(self.scales.coarse.cell), i64::from(self.scales.fine));
        let low = [0, 1].map(|k| (i64::from(at[k]) - first[k] * cell - fine / 2).div_euclid(fine));
        [[0, 0], [1, 0], [0, 1], [1, 1]].into_iter().flat_map(move |[dx, dy]| {
            let place = FinePlace { y: low[1] + dy, x: low[0] + dx };
            self.map.pixels_at(place, self.scales).filter(|&p| self.map.has_ground(p)).map(
                move |pixel| {
                    let middle = self.map.middle(pixel, self.scales);
                    let away = |k: usize| (i64::from(at[k]) - middle[k]) as f64;
                    let away = [away(0), away(1)];
                    (pixel, self.map.height_beside(pixel, away, self.slices))
                },
            )
        })
    }

    fn in_column(&self, column: u32, at: [i32; 2]) -> bool {
        let corner = self.scales.corner(column);
        let cell = i64::from(self.scales.coarse.cell);
        (0..2).all(|k| (0..cell).contains(&(i64::from(at[k]) - corner[k])))
    }

    /// Upright edges, and points of anything, in the agent's way.
    fn obstacles(&self, column: u32, found: &mut Vec<CornerPoint>) {
        let mut edges: Vec<([i32; 2], i32, i32)> = Vec::new();
        for face in self.slices.faces_of(column) {
            let corners = &self.slices.triangles[face.triangle as usize].corners;
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let at = [a[0], a[1]];
                if !self.in_column(column, at) {
                    continue;
                }
                edges.push((at, a[2], a[2]));
                if at == [b[0], b[1]] {
                    edges.push((at, a[2].min(b[2]), a[2].max(b[2])));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        for (at, low, high) in edges {
            for (pixel, ground) in self.pixels_around(at) {
                let above = [f64::from(low) - ground, f64::from(high) - ground];
                if above[0] < self.scales.height as f64 && above[1] > self.scales.step as f64 {
                    found.push(CornerPoint { pixel, at, blocked: true });
                }
            }
        }
    }

    /// Points of edges that only one triangle of ground has, where there is no ground around.
    fn ends(&self, column: u32, found: &mut Vec<CornerPoint>) {
        for &[x, y, z] in self.slices.ledge_points_of(column) {
            let at = [x, y];
            let near: Vec<(u32, f64)> = self
                .pixels_around(at)
                .filter(|(_, ground)| (f64::from(z) - ground).abs() <= self.scales.step as f64)
                .collect();
            // Beside a bridge the ground goes on.
            let bridged = self
                .pixels_around(at)
                .any(|(p, _)| self.map.kinds[p as usize] == PixelKind::Bridge);
            if near.is_empty() || bridged || self.is_surrounded(column, [x, y, z]) {
                continue;
            }
            found.extend(near.into_iter().map(|(pixel, _)| CornerPoint {
                pixel,
                at,
                blocked: false,
            }));
        }
    }

    /// Whether there is ground all around a point, a gap's width away.
    fn is_surrounded(&self, column: u32, [x, y, z]: [i32; 3]) -> bool {
        let reach = self.scales.gap.max(TOUCHING_UNITS as f64) * 1.5;
        let grid = &self.scales.coarse;
        let [cx, cy] = self.scales.place(column).map(i64::from);
        let around = |column_of: [i64; 2]| {
            let inside = column_of[0] >= 0
                && column_of[1] >= 0
                && column_of[0] < i64::from(grid.width)
                && column_of[1] < i64::from(grid.depth);
            inside.then(|| (column_of[1] * i64::from(grid.width) + column_of[0]) as u32)
        };
        const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
        const WAYS: [[f64; 2]; 8] = [
            [1.0, 0.0],
            [HALF, HALF],
            [0.0, 1.0],
            [-HALF, HALF],
            [-1.0, 0.0],
            [-HALF, -HALF],
            [0.0, -1.0],
            [HALF, -HALF],
        ];
        WAYS.iter().all(|way| {
            let p = [f64::from(x) + way[0] * reach, f64::from(y) + way[1] * reach];
            let corner = self.scales.corner(column);
            let cell = f64::from(grid.cell);
            let shift = |k: usize| ((p[k] - corner[k] as f64) / cell).floor() as i64;
            let Some(there) = around([cx + shift(0), cy + shift(1)]) else { return false };
            self.slices.faces_of(there).iter().any(|face| {
                let triangle = &self.slices.triangles[face.triangle as usize];
                let steep = triangle.surface == Surface::STEEP;
                (steep || triangle.surface.is_ground())
                    && height_over(&triangle.corners, slope(triangle), p).is_some_and(|height| {
                        (height - f64::from(z)).abs() <= self.scales.climb as f64
                            && (!steep || self.is_riser(p, height))
                    })
            })
        })
    }
}

impl Finder<'_> {
    /// Whether a pixel around a point is a riser that is walked over.
    fn is_riser(&self, p: [f64; 2], height: f64) -> bool {
        self.pixels_around(p.map(|v| v.round() as i32)).any(|(pixel, there)| {
            self.map.kinds[pixel as usize] == PixelKind::Steep
                && (there - height).abs() <= self.scales.step as f64
        })
    }
}

/// The height of a triangle over a point, its border counted.
fn height_over(c: &[[i32; 3]; 3], [sx, sy]: [f64; 2], p: [f64; 2]) -> Option<f64> {
    let turn = |k: usize| {
        let (a, b) = (c[k], c[(k + 1) % 3]);
        let d = |u: i32, v: i32| f64::from(u) - f64::from(v);
        d(b[0], a[0]) * (p[1] - f64::from(a[1])) - d(b[1], a[1]) * (p[0] - f64::from(a[0]))
    };
    let turns = [turn(0), turn(1), turn(2)];
    let inside = turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0);
    inside.then(|| {
        f64::from(c[0][2]) + sx * (p[0] - f64::from(c[0][0])) + sy * (p[1] - f64::from(c[0][1]))
    })
}
