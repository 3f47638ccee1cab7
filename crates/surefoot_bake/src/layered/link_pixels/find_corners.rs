//! Finds the corners of what stands on the ground, and of where it ends.
//!
//! Goes in: linked depth maps. Comes out: points of the boundary that lie between the lines from pixel
//! to pixel: upright edges of obstacles, their points at the agent's height, and points at which the
//! outline of the ground turns. A pole thinner than a pixel is such a point; the source misses it
//! (Oliva 2012, §6.2.3, draws upright faces as wires for it). A hole in the ground between four linked
//! pixels is none: it is smaller than what boundaries are right within.

mod around;
mod nearest;

use self::around::{Around, NearPixel};
use self::nearest::{NearestPoint, NearestStops};
use crate::input::classify::{ClassedTriangle, FaceClass};
use crate::layered::model::face::{FaceRange, Sought};
use crate::layered::model::fine_map::{FinePlace, NO_PIXEL, PixelKind};
use crate::layered::model::linked_map::{CornerPoint, Stop};
use crate::layered::model::scales::TOUCHING_UNITS;
use crate::layered::model::terrain::Terrain;
use crate::layered::model::triangle_plane::slope;
use surefoot_geom::threads::prelude::*;

/// The corners around all cells in which ground may end.
pub(super) fn find_corners(
    terrain: Terrain<'_>,
    links: &[[u32; 4]],
    stops: &[Stop],
    plain: &[bool],
) -> Vec<CornerPoint> {
    let columns = columns_around(plain, terrain);
    let nearest = NearestStops::new(stops, terrain);
    let finder = CornerFinder { terrain, links };
    let mut found: Vec<(u32, NearestPoint)> = columns
        .par_chunks(CHUNK)
        .flat_map_iter(|columns| {
            let mut found = Vec::new();
            let mut around = Around::new(terrain, &nearest);
            // Edges end in points: where there is none, nothing is.
            for &column in columns.iter().filter(|c| !terrain.slices.points.of(**c).is_empty()) {
                if let Some(heights) = around.fill(column) {
                    finder.obstacles(column, heights, &mut around);
                    finder.ends(column, &mut around);
                    around.give(&mut found);
                }
            }
            found
        })
        .collect();
    found.sort_unstable();
    // Of all points beside a pixel only the nearest counts.
    found.dedup_by_key(|f| f.0);
    let corner =
        |(pixel, n): (u32, NearestPoint)| CornerPoint { pixel, at: n.at, blocked: n.blocked };
    found.into_iter().map(corner).collect()
}

/// Columns that a thread looks at before it looks for more.
const CHUNK: usize = 64;

/// The columns around those cells in which ground may end.
fn columns_around(plain: &[bool], Terrain { map, scales, .. }: Terrain<'_>) -> Vec<u32> {
    let (width, depth) = (scales.coarse.width, scales.coarse.depth);
    let mut wanted = vec![false; width as usize * depth as usize];
    for (&column, _) in map.shape.columns.iter().zip(plain).filter(|(_, plain)| !**plain) {
        let [x, y] = scales.place(column);
        for y in y.saturating_sub(1)..(y + 2).min(depth) {
            let row = y * width;
            let (from, to) = (row + x.saturating_sub(1), row + (x + 2).min(width));
            wanted[from as usize..to as usize].fill(true);
        }
    }
    (0..).zip(&wanted).filter(|(_, wanted)| **wanted).map(|(column, _)| column).collect()
}

struct CornerFinder<'a> {
    terrain: Terrain<'a>,
    /// The pixel in each direction.
    links: &'a [[u32; 4]],
}

impl CornerFinder<'_> {
    /// The pixels with ground whose middles lie around a point, with the ground's height there.
    fn pixels_around(&self, at: [i32; 2]) -> impl Iterator<Item = (u32, f64)> + '_ {
        let first = self.terrain.scales.coarse.first_column();
        let (cell, fine) =
            (i64::from(self.terrain.scales.coarse.cell), i64::from(self.terrain.scales.fine));
        let low = [0, 1].map(|k| (i64::from(at[k]) - first[k] * cell - fine / 2).div_euclid(fine));
        [[0, 0], [1, 0], [0, 1], [1, 1]].into_iter().flat_map(move |[dx, dy]| {
            let place = FinePlace { y: low[1] + dy, x: low[0] + dx };
            self.terrain.grounds_at(place).map(move |pixel| {
                let middle = self.terrain.middle(pixel);
                let away = [0, 1].map(|k| (i64::from(at[k]) - middle[k]) as f64);
                (pixel, self.terrain.height_beside(pixel, away))
            })
        })
    }

    fn in_column(&self, column: u32, at: [i32; 2]) -> bool {
        let corner = self.terrain.scales.corner(column);
        let cell = i64::from(self.terrain.scales.coarse.cell);
        (0..2).all(|k| (0..cell).contains(&(i64::from(at[k]) - corner[k])))
    }

    /// Upright edges of a column, and points of anything, that are in the agent's way on ground that lies
    /// between two heights.
    fn obstacles(&self, column: u32, [lowest, highest]: [i64; 2], around: &mut Around<'_>) {
        let (low, high) = (lowest + self.terrain.scales.step, highest + self.terrain.scales.height);
        let points = self.terrain.slices.points.of(column).iter();
        // Most are points of the ground itself.
        for &[x, y, z] in points.filter(|p| (low + 1..high).contains(&i64::from(p[2]))) {
            self.offer_obstacle([x, y], [z, z], around);
        }
        let walls = Sought::between(low as f64, high as f64).upright();
        for face in self.terrain.slices.faces_between(column, walls) {
            let corners = &self.terrain.slices.triangles[face.triangle as usize].corners;
            for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (corners[a], corners[b])) {
                let at = [a[0], a[1]];
                if at == [b[0], b[1]] && self.in_column(column, at) {
                    self.offer_obstacle(at, [a[2].min(b[2]), a[2].max(b[2])], around);
                }
            }
        }
    }

    /// Something upright, from one height to another.
    #[inline]
    fn offer_obstacle(&self, at: [i32; 2], [low, high]: [i32; 2], around: &mut Around<'_>) {
        let (step, height) = (self.terrain.scales.step, self.terrain.scales.height);
        let spot = around.spot(at);
        let [lowest, highest] = around.heights_at(&spot);
        if lowest > highest
            || i64::from(high) <= lowest + step
            || i64::from(low) >= highest + height
        {
            return;
        }
        for number in around.numbers_at(&spot) {
            let pixel = &mut around.pixels[number];
            let new = pixel.corner(&spot, true);
            if new < pixel.nearest {
                let ground = pixel.ground_at(&spot, self.terrain);
                if f64::from(low) - ground < height as f64 && f64::from(high) - ground > step as f64
                {
                    pixel.nearest = new;
                }
            }
        }
    }

    /// Points of edges that only one triangle of ground has, where there is no ground around.
    fn ends(&self, column: u32, around: &mut Around<'_>) {
        let step = self.terrain.scales.step;
        for &[x, y, z] in self.terrain.slices.ledge_points.of(column) {
            let spot = around.spot([x, y]);
            let [lowest, highest] = around.heights_at(&spot);
            if i64::from(z) < lowest - step || i64::from(z) > highest + step {
                continue;
            }
            let counts = |pixel: &mut NearPixel| {
                pixel.corner(&spot, false) < pixel.nearest && {
                    let ground = pixel.ground_at(&spot, self.terrain);
                    (f64::from(z) - ground).abs() <= step as f64
                }
            };
            let numbers = around.numbers_at(&spot);
            // A point that is nearer to no pixel than another need not be looked at.
            if !numbers.clone().any(|n| counts(&mut around.pixels[n]))
                || self.is_linked_around(around.pixels_before(&spot), z)
            {
                continue;
            }
            // Beside a bridge the ground goes on.
            let kind = |n: usize| self.terrain.kind(around.pixels[n].pixel);
            if numbers.clone().any(|n| kind(n) == PixelKind::Bridge)
                || self.is_surrounded(column, [x, y, z])
            {
                continue;
            }
            for number in numbers {
                let pixel = &mut around.pixels[number];
                if counts(pixel) {
                    pixel.nearest = pixel.corner(&spot, false);
                }
            }
        }
    }

    /// Whether the four pixels around a point are linked in a ring near a height, of which the first ones of all layers
    /// are given. The lines between their middles were looked along, so that what is missing between them is smaller
    /// than a pixel.
    fn is_linked_around(&self, firsts: &[NearPixel], z: i32) -> bool {
        let near =
            |p: &u32| (self.terrain.height(*p) - i64::from(z)).abs() <= self.terrain.scales.climb;
        firsts.iter().map(|first| first.pixel).filter(near).any(|p| {
            let next = |p: u32, direction: usize| {
                (p != NO_PIXEL)
                    .then(|| self.links[p as usize][direction])
                    .filter(|n| *n != NO_PIXEL)
            };
            let by_east = next(p, 0).and_then(|p| next(p, 1));
            by_east.is_some() && by_east == next(p, 1).and_then(|p| next(p, 0))
        })
    }

    /// Whether there is ground all around a point, a gap's width away.
    fn is_surrounded(&self, column: u32, [x, y, z]: [i32; 3]) -> bool {
        let reach = self.terrain.scales.gap.max(TOUCHING_UNITS as f64) * 1.5;
        const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
        // Opposite ones follow each other: where ground ends, one of two is missing.
        const WAYS: [[f64; 2]; 8] = [
            [1.0, 0.0],
            [-1.0, 0.0],
            [0.0, 1.0],
            [0.0, -1.0],
            [HALF, HALF],
            [-HALF, -HALF],
            [-HALF, HALF],
            [HALF, -HALF],
        ];
        let around = WAYS.map(|way| [f64::from(x) + way[0] * reach, f64::from(y) + way[1] * reach]);
        let (z, climb) = (f64::from(z), self.terrain.scales.climb as f64);
        let covers = |face: &FaceRange, p: [f64; 2]| {
            let triangle = &self.terrain.slices.triangles[face.triangle as usize];
            height_over(triangle, p).is_some_and(|height| {
                (height - z).abs() <= climb
                    && (face.class != FaceClass::STEEP || self.is_riser(p, height))
            })
        };
        let near = Sought::between(z - climb, z + climb).facing_up();
        // What covers one way often covers the next.
        let mut last: Option<&FaceRange> = None;
        around.iter().all(|&p| {
            if last.is_some_and(|face| covers(face, p)) {
                return true;
            }
            let Some((there, stretches)) = self.slot_of(column, p) else { return false };
            last = self
                .terrain
                .slices
                .faces_around(there, stretches, near)
                .find(|face| covers(face, p));
            last.is_some()
        })
    }

    /// The column over a point beside a column or in it, and the stretches there from middle to middle
    /// of pixels in which it lies.
    fn slot_of(&self, column: u32, p: [f64; 2]) -> Option<(u32, [u32; 2])> {
        let grid = &self.terrain.scales.coarse;
        let (corner, cell) = (self.terrain.scales.corner(column), f64::from(grid.cell));
        let place = self.terrain.scales.place(column);
        let side = self.terrain.scales.per_side;
        let at = |k: usize, count: u32| {
            let away = p[k] - corner[k] as f64;
            let shift = (away / cell).floor();
            let column = i64::from(place[k]) + shift as i64;
            let stretch =
                ((away - shift * cell) / f64::from(self.terrain.scales.fine) + 0.5) as u32;
            (0..i64::from(count)).contains(&column).then(|| (column as u32, stretch.min(side)))
        };
        let ((x, i), (y, j)) = (at(0, grid.width)?, at(1, grid.depth)?);
        Some((y * grid.width + x, [i, j]))
    }

    /// Whether a pixel around a point is a riser that is walked over.
    fn is_riser(&self, p: [f64; 2], height: f64) -> bool {
        self.pixels_around(p.map(|v| v.round() as i32)).any(|(pixel, there)| {
            self.terrain.kind(pixel) == PixelKind::Steep
                && (there - height).abs() <= self.terrain.scales.step as f64
        })
    }
}

/// The height of a triangle over a point, its border counted.
fn height_over(triangle: &ClassedTriangle, p: [f64; 2]) -> Option<f64> {
    let c = &triangle.corners;
    for k in 0..2 {
        let lo = c[0][k].min(c[1][k]).min(c[2][k]);
        let hi = c[0][k].max(c[1][k]).max(c[2][k]);
        if p[k] < f64::from(lo) || p[k] > f64::from(hi) {
            return None;
        }
    }
    let turn = |k: usize| {
        let (a, b) = (c[k], c[(k + 1) % 3]);
        let d = |u: i32, v: i32| f64::from(u) - f64::from(v);
        d(b[0], a[0]) * (p[1] - f64::from(a[1])) - d(b[1], a[1]) * (p[0] - f64::from(a[0]))
    };
    let turns = [turn(0), turn(1), turn(2)];
    let inside = turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0);
    inside.then(|| {
        let [sx, sy] = slope(triangle);
        f64::from(c[0][2]) + sx * (p[0] - f64::from(c[0][0])) + sy * (p[1] - f64::from(c[0][1]))
    })
}
