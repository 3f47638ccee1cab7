//! The pixels around a column, each with the nearest point of a boundary found so far.
//!
//! Goes in: a column of the fine map. Comes out: its pixels with ground and one row around them, by place; for
//! a point of the column those of the four places whose middles lie around it, and between which heights their
//! ground lies there: most points of a crowd lie elsewhere, and are told apart by that alone.

use crate::layered::link_pixels::find_corners::nearest::{NearestPoint, NearestStops, square};
use crate::layered::model::fine_map::PixelKind;
use crate::layered::model::terrain::Terrain;
use std::ops::Range;

/// A pixel with ground.
#[derive(Debug)]
pub(super) struct NearPixel {
    pub(super) pixel: u32,
    /// Its middle, from the column's corner.
    middle: [i64; 2],
    pub(super) nearest: NearestPoint,
    /// How much its ground rises along both axes, once it was asked for.
    slope: Option<[f64; 2]>,
}

impl NearPixel {
    /// A corner at a spot.
    pub(super) fn corner(&self, spot: &Spot, blocked: bool) -> NearestPoint {
        let away = spot.away_from(self);
        NearestPoint { square: square(away), at: spot.at, blocked, is_corner: true }
    }

    /// The height of its ground at a spot.
    pub(super) fn ground_at(&mut self, spot: &Spot, terrain: Terrain<'_>) -> f64 {
        let away = spot.away_from(self).map(|v| v as f64);
        let slope = *self.slope.get_or_insert_with(|| terrain.slope(self.pixel));
        terrain.map.height_with(self.pixel, slope, away)
    }
}

/// A point of the column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    at: [i32; 2],
    /// From the column's corner.
    from_corner: [i64; 2],
    /// The first of the four places whose middles lie around it.
    place: usize,
}

impl Spot {
    fn away_from(&self, pixel: &NearPixel) -> [i64; 2] {
        [0, 1].map(|k| self.from_corner[k] - pixel.middle[k])
    }
}

/// The pixels with ground in a column and one row around it.
#[derive(Debug)]
pub(super) struct Around<'a> {
    terrain: Terrain<'a>,
    /// Where the ground of every pixel ends nearest on the lines to the next ones.
    stops: &'a NearestStops,
    fine: i64,
    /// Places along each side: one more than a column has pixels, at both ends.
    side: usize,
    /// The column's lower corner, in lattice units.
    corner: [i64; 2],
    /// Where each place's pixels begin, and one past the last at the end; places row by row, from the
    /// one before the column's first.
    firsts: Vec<u32>,
    pub(super) pixels: Vec<NearPixel>,
    /// Between which heights ground lies at each place and from there to the next ones; the first is
    /// larger where there is none.
    heights: Vec<[i64; 2]>,
}

const NO_HEIGHTS: [i64; 2] = [i64::MAX, i64::MIN];

impl<'a> Around<'a> {
    pub(super) fn new(terrain: Terrain<'a>, stops: &'a NearestStops) -> Self {
        let scales = terrain.scales;
        Self {
            terrain,
            stops,
            fine: i64::from(scales.fine),
            side: scales.per_side as usize + 2,
            corner: [0; 2],
            firsts: Vec::new(),
            pixels: Vec::new(),
            heights: Vec::new(),
        }
    }

    /// Looks at a column; returns between which heights ground lies around it, if there is any.
    pub(super) fn fill(&mut self, column: u32) -> Option<[i64; 2]> {
        let Terrain { map, scales, .. } = self.terrain;
        self.corner = scales.corner(column);
        self.firsts.clear();
        self.pixels.clear();
        self.heights.clear();
        let (side, per_cell) = (scales.per_side, scales.pixels_per_cell() as u32);
        let around = map.shape.cells_around(column, scales);
        let middle = |i: u32| i64::from(i) * self.fine - self.fine / 2;
        let mut all = NO_HEIGHTS;
        for v in 0..side + 2 {
            for u in 0..side + 2 {
                self.firsts.push(self.pixels.len() as u32);
                let ((row, j), (column, i)) = (scales.place_around(v), scales.place_around(u));
                let mut heights = NO_HEIGHTS;
                for cell in around[row * 3 + column].clone() {
                    let pixel = cell * per_cell + j * side + i;
                    if !map.has_ground(pixel) {
                        continue;
                    }
                    heights = union(heights, heights_around(pixel, self.terrain));
                    // What lies farther away than where a pixel's ground ends does not count.
                    let (middle, nearest) = ([middle(u), middle(v)], self.stops.of(pixel));
                    self.pixels.push(NearPixel { pixel, middle, nearest, slope: None });
                }
                all = union(all, heights);
                self.heights.push(heights);
            }
        }
        self.firsts.push(self.pixels.len() as u32);
        (all[0] <= all[1]).then(|| {
            self.spread_heights();
            all
        })
    }

    /// Heights of places become those of the four places from each on.
    fn spread_heights(&mut self) {
        for first in 0..self.heights.len() - self.side - 1 {
            let [a, b] = [first, first + self.side];
            let lower = union(self.heights[a], self.heights[a + 1]);
            let upper = union(self.heights[b], self.heights[b + 1]);
            self.heights[first] = union(lower, upper);
        }
    }

    /// A point of the column.
    #[inline]
    pub(super) fn spot(&self, at: [i32; 2]) -> Spot {
        let from_corner = [0, 1].map(|k| i64::from(at[k]) - self.corner[k]);
        // Counted from the last middle before the column.
        let place = |v: i64| {
            let after = (v + self.fine / 2).max(0) as u32;
            ((after / self.fine as u32) as usize).min(self.side - 2)
        };
        let place = place(from_corner[1]) * self.side + place(from_corner[0]);
        Spot { at, from_corner, place }
    }

    /// Between which heights ground lies around a spot; the first is larger where there is none.
    #[inline]
    pub(super) fn heights_at(&self, spot: &Spot) -> [i64; 2] {
        self.heights[spot.place]
    }

    /// The pixels of the first of the four places whose middles lie around a spot.
    #[inline]
    pub(super) fn pixels_before(&self, spot: &Spot) -> &[NearPixel] {
        let first = spot.place;
        &self.pixels[self.firsts[first] as usize..self.firsts[first + 1] as usize]
    }

    /// The pixels of the four places whose middles lie around a spot: of two rows.
    #[inline]
    pub(super) fn numbers_at(&self, spot: &Spot) -> impl Iterator<Item = usize> + Clone + use<> {
        let row = |first: usize| -> Range<usize> {
            self.firsts[first] as usize..self.firsts[first + 2] as usize
        };
        row(spot.place).chain(row(spot.place + self.side))
    }

    /// Hands over the nearest points.
    pub(super) fn give(&self, found: &mut Vec<(u32, NearestPoint)>) {
        let corners = self.pixels.iter().filter(|p| p.nearest.is_corner);
        found.extend(corners.map(|p| (p.pixel, p.nearest)));
    }
}

/// Between which heights a pixel's ground lies up to the middles of those around it.
fn heights_around(pixel: u32, terrain: Terrain<'_>) -> [i64; 2] {
    let (height, scales) = (terrain.height(pixel), terrain.scales);
    let slack = match terrain.kind(pixel) {
        PixelKind::Ground => scales.lean,
        _ => {
            let [x, y] = terrain.slope(pixel);
            (f64::from(scales.fine) * (x.abs() + y.abs())).ceil() as i64
        }
    };
    [height - slack, height + slack]
}

fn union(a: [i64; 2], b: [i64; 2]) -> [i64; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}
