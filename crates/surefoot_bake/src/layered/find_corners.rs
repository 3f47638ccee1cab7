//! Finds the corners of what stands on the ground, and of where it ends.
//!
//! Goes in: linked depth maps. Comes out: points of the boundary that lie between the lines from pixel
//! to pixel: upright edges of obstacles, their points at the agent's height, and points at which the
//! outline of the ground turns. A pole thinner than a pixel is such a point; the source misses it
//! (Oliva 2012, §6.2.3, draws upright faces as wires for it). A hole in the ground between four linked
//! pixels is none: it is smaller than what boundaries are right within.

use crate::layered::fine_map::{FineMap, FinePlace, NO_HEIGHT, NO_PIXEL, PixelKind};
use crate::layered::link_pixels::Stop;
use crate::layered::rasterize::FaceRange;
use crate::layered::refine::slope;
use crate::layered::scales::{Scales, TOUCHING_UNITS};
use crate::layered::slice::{Slices, Sought};
use crate::voxel::grid::{GridTriangle, Surface};
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
    (links, stops): (&[[u32; 4]], &[Stop]),
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
    let per_cell = scales.pixels_per_cell();
    let ranges: Vec<[i64; 2]> = map
        .heights
        .par_chunks(per_cell)
        .zip(map.kinds.par_chunks(per_cell))
        .map(|(heights, kinds)| {
            let known = heights.iter().copied().filter(|h| *h != NO_HEIGHT);
            let [lo, hi] = known.fold([i32::MAX, i32::MIN], |[lo, hi], h| [lo.min(h), hi.max(h)]);
            // Ground goes on with its slope up to a pixel beyond its middle.
            let is_ground = |k: &PixelKind| matches!(k, PixelKind::Ground | PixelKind::Nothing);
            let slack = if kinds.iter().all(is_ground) { scales.lean } else { scales.climb };
            [i64::from(lo) + scales.step - slack, i64::from(hi) + scales.height + slack]
        })
        .collect();
    let mut stop_firsts = vec![0; map.shape.len() + 1];
    for stop in stops {
        stop_firsts[map.cell_of(stop.pixel, scales) as usize + 1] += 1;
    }
    for cell in 0..map.shape.len() {
        stop_firsts[cell + 1] += stop_firsts[cell];
    }
    let finder = Finder { map, slices, scales, ranges: &ranges, links, stops, stop_firsts };
    let mut found: Vec<(u32, Nearest)> = columns
        .par_chunks(CHUNK)
        .flat_map_iter(|columns| {
            let mut found = Vec::new();
            let mut scratch = Scratch::default();
            for &column in columns {
                finder.gather_obstacles(column, &mut scratch);
                let no_ledges = slices.ledge_points_of(column).is_empty();
                let nothing = scratch.ranges.is_empty() || (scratch.edges.is_empty() && no_ledges);
                if nothing || !scratch.around.fill(column, &finder) {
                    continue;
                }
                finder.obstacles(&mut scratch);
                finder.ends(column, &mut scratch);
                scratch.around.give(&mut found);
            }
            found
        })
        .collect();
    found.sort_unstable();
    // Of all points beside a pixel only the nearest counts.
    found.dedup_by_key(|f| f.0);
    let corner = |(pixel, n): (u32, Nearest)| CornerPoint { pixel, at: n.at, blocked: n.blocked };
    found.into_iter().map(corner).collect()
}

/// Columns that a thread looks at before it looks for more.
const CHUNK: usize = 64;

/// Working memory of the search for obstacles.
#[derive(Debug, Default)]
struct Scratch {
    /// Between which heights something is in the agent's way.
    ranges: Vec<[i64; 2]>,
    around: Around,
    /// Upright edges and points: where, and from where to where.
    edges: Vec<([i32; 2], i32, i32)>,
}

/// A point beside a pixel: by its distance, then by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nearest {
    /// The square of the distance to the pixel's middle, in square lattice units.
    square: i64,
    at: [i32; 2],
    blocked: bool,
    /// Whether it is a corner; otherwise ground ends there on the line to the next pixel.
    is_corner: bool,
}

const NOTHING_NEAR: Nearest =
    Nearest { square: i64::MAX, at: [i32::MAX; 2], blocked: true, is_corner: false };

/// The pixels with ground in a column and one row around it, each with the nearest point found so far.
#[derive(Debug, Default)]
struct Around {
    side: usize,
    fine: i64,
    /// The column's lower corner, in lattice units.
    corner: [i64; 2],
    /// Where each place's pixels begin, and one past the last at the end; places row by row, from the
    /// one before the column's first.
    firsts: Vec<u32>,
    pixels: Vec<u32>,
    nearest: Vec<Nearest>,
}

impl Around {
    /// Looks at a column; returns whether there is ground around it.
    fn fill(&mut self, column: u32, finder: &Finder<'_>) -> bool {
        let (map, scales) = (finder.map, finder.scales);
        self.side = scales.per_side as usize;
        self.fine = i64::from(scales.fine);
        self.corner = scales.corner(column);
        self.firsts.clear();
        self.pixels.clear();
        let (side, per_cell) = (scales.per_side, scales.pixels_per_cell() as u32);
        let (width, depth) = (scales.coarse.width, scales.coarse.depth);
        let [x, y] = scales.place(column);
        // The cells of the columns around; none beyond the grid.
        let cells = |dx: u32, dy: u32| {
            let (x, y) = (x.wrapping_add(dx).wrapping_sub(1), y.wrapping_add(dy).wrapping_sub(1));
            if x < width && y < depth { map.shape.cells_of(y * width + x) } else { 0..0 }
        };
        let around = [0, 1, 2].map(|dy| [cells(0, dy), cells(1, dy), cells(2, dy)]);
        // The column that a row or column of places lies in, and which one of its pixels it is.
        let part = |i: u32| match i {
            0 => (0, side - 1),
            i if i > side => (2, 0),
            i => (1, i - 1),
        };
        for (row, j) in (0..side + 2).map(part) {
            for (column, i) in (0..side + 2).map(part) {
                self.firsts.push(self.pixels.len() as u32);
                let within = j * side + i;
                let pixels = around[row][column].clone().map(|cell| cell * per_cell + within);
                self.pixels.extend(pixels.filter(|&p| map.has_ground(p)));
            }
        }
        self.firsts.push(self.pixels.len() as u32);
        // What lies farther away than where a pixel's ground ends does not count.
        self.nearest.clear();
        self.nearest.extend(self.pixels.iter().map(|&p| finder.nearest_stop(p)));
        !self.pixels.is_empty()
    }

    /// Visits the pixels of the four places whose middles lie around a point of the column: the number
    /// of each here, and how far the point lies from its middle. Stops where it is told to; returns
    /// whether it was.
    #[inline]
    fn visit(&self, at: [i32; 2], mut stops: impl FnMut(usize, [i64; 2]) -> bool) -> bool {
        let (side, fine) = (self.side as i64, self.fine);
        // Counted from the last middle before the column.
        let x = i64::from(at[0]) - self.corner[0] + fine / 2;
        let y = i64::from(at[1]) - self.corner[1] + fine / 2;
        let place = |v: i64| i64::from(v.max(0) as u32 / fine as u32).min(side);
        let (i, j) = (place(x), place(y));
        for j in j..j + 2 {
            for i in i..i + 2 {
                let number = (j * (side + 2) + i) as usize;
                for k in self.firsts[number] as usize..self.firsts[number + 1] as usize {
                    if stops(k, [x - i * fine, y - j * fine]) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Hands over the nearest points.
    fn give(&self, found: &mut Vec<(u32, Nearest)>) {
        let all = self.pixels.iter().zip(&self.nearest);
        found.extend(all.filter(|(_, n)| n.is_corner).map(|(p, n)| (*p, *n)));
    }
}

/// The square of a distance.
const fn square(away: [i64; 2]) -> i64 {
    away[0] * away[0] + away[1] * away[1]
}

struct Finder<'a> {
    map: &'a FineMap,
    slices: &'a Slices,
    scales: &'a Scales,
    /// Between which heights something is in the way on each cell's ground; the first is larger where
    /// there is none.
    ranges: &'a [[i64; 2]],
    /// The pixel in each direction.
    links: &'a [[u32; 4]],
    /// Where ground ends, sorted by pixel.
    stops: &'a [Stop],
    /// Where each cell's stops begin, and one past the last at the end.
    stop_firsts: Vec<u32>,
}

impl Finder<'_> {
    /// Where the ground of a pixel ends nearest to its middle.
    fn nearest_stop(&self, pixel: u32) -> Nearest {
        if !self.links[pixel as usize].contains(&NO_PIXEL) {
            return NOTHING_NEAR;
        }
        let middle = self.map.middle(pixel, self.scales);
        let cell = self.map.cell_of(pixel, self.scales) as usize;
        let of_cell = self.stop_firsts[cell] as usize..self.stop_firsts[cell + 1] as usize;
        let stops = self.stops[of_cell].iter().filter(|s| s.pixel == pixel);
        let all = stops.map(|stop| {
            let at = stop.point(middle);
            let away = [0, 1].map(|k| i64::from(at[k]) - middle[k]);
            let blocked = stop.class == EdgeClass::Blocked;
            Nearest { square: square(away), at, blocked, is_corner: false }
        });
        all.min().unwrap_or(NOTHING_NEAR)
    }

    /// The height of a pixel's ground beside its middle.
    #[inline]
    fn ground_beside(&self, pixel: u32, away: [i64; 2]) -> f64 {
        self.map.height_beside(pixel, [away[0] as f64, away[1] as f64], self.slices)
    }

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

    /// Between which heights something is in the agent's way, in a column and around it: one range for
    /// each layer there.
    fn blocked_ranges(&self, column: u32, ranges: &mut Vec<[i64; 2]>) {
        let (width, depth) = (self.scales.coarse.width, self.scales.coarse.depth);
        let [x, y] = self.scales.place(column);
        ranges.clear();
        for y in y.saturating_sub(1)..(y + 2).min(depth) {
            for x in x.saturating_sub(1)..(x + 2).min(width) {
                for cell in self.map.shape.cells_of(y * width + x) {
                    let [lo, hi] = self.ranges[cell as usize];
                    if lo < hi && !ranges.contains(&[lo, hi]) {
                        ranges.push([lo, hi]);
                    }
                }
            }
        }
    }

    /// Gathers upright edges, and points of anything, that may be in the agent's way.
    fn gather_obstacles(&self, column: u32, scratch: &mut Scratch) {
        let Scratch { ranges, edges, .. } = scratch;
        self.blocked_ranges(column, ranges);
        edges.clear();
        if ranges.is_empty() {
            return;
        }
        let all =
            ranges.iter().fold([i64::MAX, i64::MIN], |[lo, hi], r| [lo.min(r[0]), hi.max(r[1])]);
        let may_block = |lo: i32, hi: i32| {
            let (lo, hi) = (i64::from(lo), i64::from(hi));
            lo < all[1] && hi > all[0] && ranges.iter().any(|r| lo < r[1] && hi > r[0])
        };
        let points = self.slices.points_of(column).iter().filter(|p| may_block(p[2], p[2]));
        edges.extend(points.map(|p| ([p[0], p[1]], p[2], p[2])));
        let walls = self
            .slices
            .faces_between(column, Sought::between(all[0] as f64, all[1] as f64).upright());
        for face in walls.filter(|f| may_block(f.lo, f.hi)) {
            let corners = &self.slices.triangles[face.triangle as usize].corners;
            for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (corners[a], corners[b])) {
                let at = [a[0], a[1]];
                if at == [b[0], b[1]] && self.in_column(column, at) {
                    edges.push((at, a[2].min(b[2]), a[2].max(b[2])));
                }
            }
        }
    }

    /// Those that are in the agent's way.
    fn obstacles(&self, scratch: &mut Scratch) {
        let Scratch { around, edges, .. } = scratch;
        let (step, height) = (self.scales.step as f64, self.scales.height as f64);
        // The nearest points of the pixels, apart from where those are.
        let mut nearest = std::mem::take(&mut around.nearest);
        for &(at, low, high) in &*edges {
            around.visit(at, |k, away| {
                let new = Nearest { square: square(away), at, blocked: true, is_corner: true };
                if new < nearest[k] {
                    let ground = self.ground_beside(around.pixels[k], away);
                    if f64::from(low) - ground < height && f64::from(high) - ground > step {
                        nearest[k] = new;
                    }
                }
                false
            });
        }
        around.nearest = nearest;
    }

    /// Points of edges that only one triangle of ground has, where there is no ground around.
    fn ends(&self, column: u32, scratch: &mut Scratch) {
        let around = &mut scratch.around;
        let step = self.scales.step as f64;
        let mut nearest = std::mem::take(&mut around.nearest);
        for &[x, y, z] in self.slices.ledge_points_of(column) {
            let at = [x, y];
            let is_near = |k: usize, away: [i64; 2]| {
                let ground = self.ground_beside(around.pixels[k], away);
                (f64::from(z) - ground).abs() <= step
            };
            let new = |away: [i64; 2]| {
                let square = square(away);
                Nearest { square, at, blocked: false, is_corner: true }
            };
            // A point that is nearer to no pixel than another need not be looked at.
            if !around.visit(at, |k, away| new(away) < nearest[k] && is_near(k, away))
                || self.is_linked_around(at, z)
            {
                continue;
            }
            // Beside a bridge the ground goes on.
            let kind = |k: usize| self.map.kinds[around.pixels[k] as usize];
            if around.visit(at, |k, _| kind(k) == PixelKind::Bridge)
                || self.is_surrounded(column, [x, y, z])
            {
                continue;
            }
            around.visit(at, |k, away| {
                if new(away) < nearest[k] && is_near(k, away) {
                    nearest[k] = new(away);
                }
                false
            });
        }
        around.nearest = nearest;
    }

    /// Whether the four pixels around a point are linked in a ring near a height. The lines between their
    /// middles were looked along, so that what is missing between them is smaller than a pixel.
    fn is_linked_around(&self, at: [i32; 2], z: i32) -> bool {
        let first = self.scales.coarse.first_column();
        let (cell, fine) = (i64::from(self.scales.coarse.cell), i64::from(self.scales.fine));
        let low = |k: usize| (i64::from(at[k]) - first[k] * cell - fine / 2).div_euclid(fine);
        let place = FinePlace { y: low(1), x: low(0) };
        let near = |p: &u32| {
            let there = i64::from(self.map.heights[*p as usize]);
            self.map.has_ground(*p) && (there - i64::from(z)).abs() <= self.scales.climb
        };
        self.map.pixels_at(place, self.scales).filter(near).any(|p| {
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
        let reach = self.scales.gap.max(TOUCHING_UNITS as f64) * 1.5;
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
        let around = WAYS.map(|way| [f64::from(x) + way[0] * reach, f64::from(y) + way[1] * reach]);
        let (z, climb) = (f64::from(z), self.scales.climb as f64);
        let covers = |face: &FaceRange, p: [f64; 2]| {
            let triangle = &self.slices.triangles[face.triangle as usize];
            height_over(triangle, p).is_some_and(|height| {
                (height - z).abs() <= climb
                    && (face.surface != Surface::STEEP || self.is_riser(p, height))
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
            let mut faces = self.slices.faces_around(there, stretches, near);
            last = faces.find(|face| covers(face, p));
            last.is_some()
        })
    }

    /// The column over a point beside a column or in it, and the stretches there from middle to middle
    /// of pixels in which it lies.
    fn slot_of(&self, column: u32, p: [f64; 2]) -> Option<(u32, [u32; 2])> {
        let grid = &self.scales.coarse;
        let (corner, cell) = (self.scales.corner(column), f64::from(grid.cell));
        let place = self.scales.place(column);
        let side = self.scales.per_side;
        let at = |k: usize, count: u32| {
            let away = p[k] - corner[k] as f64;
            let shift = (away / cell).floor();
            let column = i64::from(place[k]) + shift as i64;
            let stretch = ((away - shift * cell) / f64::from(self.scales.fine) + 0.5) as u32;
            (0..i64::from(count)).contains(&column).then(|| (column as u32, stretch.min(side)))
        };
        let ((x, i), (y, j)) = (at(0, grid.width)?, at(1, grid.depth)?);
        Some((y * grid.width + x, [i, j]))
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
fn height_over(triangle: &GridTriangle, p: [f64; 2]) -> Option<f64> {
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
