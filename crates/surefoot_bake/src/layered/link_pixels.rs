//! Links neighbouring pixels between which the agent can go, and finds where ground ends between them.
//!
//! Goes in: the fine depth maps. Comes out: for every pixel and each of the four directions the pixel
//! it leads to, in its own layer or another; where none does, how far the ground goes on and what ends
//! it; and between which the ground breaks, as at a step (Oliva 2012, §5.2 and §6.2.3, where the map is
//! flooded by depth alone). Where neither an edge of ground nor anything that stands on it comes near the
//! line to the next pixel, that one is reached by its height; otherwise the line between them is cut with
//! the triangles.

mod cell_ground;
mod doubts;
mod find_corners;
mod pairs;
mod stops;

use self::cell_ground::{CellGround, ground_of};
use self::doubts::{Doubt, Doubts};
use self::find_corners::find_corners;
use self::pairs::PixelPairs;
use self::stops::stops_of;
use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::model::fine_map::{FineMap, NO_PIXEL};
use crate::layered::model::linked_map::{LinkedMap, Stop};
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::Slices;
use crate::layered::model::terrain::Terrain;
use std::ops::Range;
use surefoot_geom::threads::prelude::*;

/// Cells that a thread links before it looks for more.
const CHUNK: usize = 256;

pub(crate) fn link_pixels(
    map: FineMap,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<LinkedMap, BakeError> {
    let terrain = Terrain { map: &map, slices, scales };
    let cells = (0..map.shape.len() as u32).into_par_iter().with_min_len(CHUNK);
    let kinds: Vec<CellGround> = cells.map(|cell| ground_of(cell, terrain)).collect();
    let (links, breaks) = link_cells(terrain, &kinds);
    let mut broken = vec![0_u8; map.len()];
    for &(pixel, direction) in &breaks {
        broken[pixel as usize] |= 1 << direction;
        let other = links[pixel as usize][usize::from(direction)];
        broken[other as usize] |= 4 << direction;
    }
    context.check_cancelled()?;
    let stops = find_stops(terrain, &links);
    let plain: Vec<bool> = kinds.iter().map(|k| *k != CellGround::Mixed).collect();
    let corners = find_corners(terrain, &links, &stops, &plain);
    context.count("corners", corners.len());
    context.count("plain_cells", plain.iter().filter(|p| **p).count());
    context.count("stops", stops.len());
    context.count("breaks", breaks.len());
    Ok(LinkedMap { map, links, stops, broken, corners })
}

/// Pixels from which the ground breaks to the east or north, and in which of the two directions.
type Breaks = Vec<(u32, u8)>;

/// The links of all pixels, and where the ground breaks along them.
fn link_cells(terrain: Terrain<'_>, kinds: &[CellGround]) -> (Vec<[u32; 4]>, Breaks) {
    let (map, scales) = (terrain.map, terrain.scales);
    let per_cell = scales.pixels_per_cell();
    let next = |p: u32| [0, 1, 2, 3].map(|d| scales.next_in_cell(p, d).unwrap_or(NO_PIXEL));
    let within_cell: Vec<[u32; 4]> = (0..per_cell as u32).map(next).collect();
    let mut links = vec![[NO_PIXEL; 4]; map.len()];
    let breaks = links
        .par_chunks_mut(CHUNK * per_cell)
        .zip((0..map.shape.len() as u32).into_par_iter().step_by(CHUNK))
        .map(|(links, first)| {
            let mut linker = Linker::new(terrain, kinds, &within_cell);
            for (links, cell) in links.chunks_mut(per_cell).zip(first..) {
                linker.link_cell(cell, links);
            }
            linker.breaks
        })
        .flatten_iter()
        .collect();
    link_back(&mut links, kinds, terrain);
    (links, breaks)
}

/// Where ground ends between pixels that are not linked, sorted by pixel and direction.
fn find_stops(terrain: Terrain<'_>, links: &[[u32; 4]]) -> Vec<Stop> {
    let count = CHUNK * terrain.scales.pixels_per_cell();
    let stops = |(number, links): (usize, &[[u32; 4]])| {
        let (mut stops, mut pairs) = (Vec::new(), PixelPairs::new(terrain));
        for (pixel, links) in ((number * count) as u32..).zip(links) {
            // The largest number of all is none.
            let [a, b, c, d] = *links;
            if a.max(b).max(c.max(d)) == NO_PIXEL {
                stops_of(pixel, *links, &mut pairs, &mut stops);
            }
        }
        stops
    };
    links.par_chunks(count).enumerate().flat_map_iter(stops).collect()
}

/// Links that lead to another cell, from that cell.
fn link_back(links: &mut [[u32; 4]], kinds: &[CellGround], terrain: Terrain<'_>) {
    let (side, per_cell) = (terrain.scales.per_side, terrain.scales.pixels_per_cell() as u32);
    for (cell, kind) in (0..).zip(kinds) {
        let pixels = cell * per_cell..(cell + 1) * per_cell;
        let mut back = |within: u32, direction: usize| {
            let pixel = pixels.start + within;
            let other = links[pixel as usize][direction];
            if other != NO_PIXEL && !pixels.contains(&other) {
                links[other as usize][direction + 2] = pixel;
            }
        };
        if *kind == CellGround::Uniform {
            for k in 0..side {
                back(k * side + side - 1, 0);
                back((side - 1) * side + k, 1);
            }
        } else {
            for within in 0..per_cell {
                back(within, 0);
                back(within, 1);
            }
        }
    }
}

/// Links cells one after another.
struct Linker<'a> {
    terrain: Terrain<'a>,
    kinds: &'a [CellGround],
    /// The links of a cell's pixels among each other, by their numbers in it.
    within_cell: &'a [[u32; 4]],
    pairs: PixelPairs<'a>,
    doubts: Doubts,
    breaks: Breaks,
}

impl<'a> Linker<'a> {
    fn new(terrain: Terrain<'a>, kinds: &'a [CellGround], within_cell: &'a [[u32; 4]]) -> Self {
        let (pairs, doubts) = (PixelPairs::new(terrain), Doubts::default());
        Self { terrain, kinds, within_cell, pairs, doubts, breaks: Vec::new() }
    }

    /// Links the pixels of a cell to the east and to the north, and back within the cell.
    fn link_cell(&mut self, cell: u32, links: &mut [[u32; 4]]) {
        let side = self.terrain.scales.per_side;
        let first = cell * side * side;
        let kind = self.kinds[cell as usize];
        let uniform = kind == CellGround::Uniform;
        // Most pixels lie on one triangle with the next, and nothing is around.
        let beyond = [0, 1].map(|d| if uniform { self.uniform_beside(cell, d) } else { None });
        if uniform {
            for (links, within) in links.iter_mut().zip(self.within_cell) {
                *links = within.map(|w| if w == NO_PIXEL { NO_PIXEL } else { first + w });
            }
        }
        let borders = beyond.map(|b| b.is_none());
        if !uniform || borders != [false; 2] {
            self.doubts.look_around(cell, kind != CellGround::Mixed, borders, self.terrain);
        }
        let cells_beside = self.cells_beside(cell);
        for (within, [i, j]) in (0..).zip((0..side).flat_map(|j| (0..side).map(move |i| [i, j]))) {
            let pixel = first + within;
            if !uniform && !self.terrain.map.has_ground(pixel) {
                continue;
            }
            for (direction, step) in [(0, 1), (1, side)] {
                let inside = [i, j][direction] + 1 < side;
                if inside && uniform {
                    continue;
                }
                // Across the border: from the last pixel to the first.
                let across = |first: u32| first + within - (side - 1) * step;
                let next = if inside {
                    self.link(pixel, direction, [i, j], std::iter::once(pixel + step))
                } else if let Some(there) = beyond[direction] {
                    Some(across(there))
                } else {
                    let there = cells_beside[direction].clone().map(|c| across(c * side * side));
                    self.link(pixel, direction, [i, j], there)
                };
                let Some(next) = next else { continue };
                links[within as usize][direction] = next;
                let back = next.wrapping_sub(first) as usize;
                if back < links.len() {
                    links[back][direction + 2] = pixel;
                }
            }
        }
    }

    /// The first pixel of the cell to the east or north, where it is the only one of its column and
    /// its ground is the same triangle.
    fn uniform_beside(&self, cell: u32, direction: usize) -> Option<u32> {
        let (map, scales) = (self.terrain.map, self.terrain.scales);
        let beside = scales.columns_beside(map.shape.columns[cell as usize])[direction]?;
        let cells = map.shape.cells_of(beside);
        let per_cell = scales.pixels_per_cell() as u32;
        let (here, there) = (cell * per_cell, cells.start * per_cell);
        let is_one = cells.len() == 1
            && self.kinds[cells.start as usize] == CellGround::Uniform
            && map.grounds[there as usize] == map.grounds[here as usize];
        is_one.then_some(there)
    }

    /// The cells of the columns to the east and to the north.
    fn cells_beside(&self, cell: u32) -> [Range<u32>; 2] {
        let shape = &self.terrain.map.shape;
        let [east, north, ..] = self.terrain.scales.columns_beside(shape.columns[cell as usize]);
        [east, north].map(|column| column.map_or(0..0, |c| shape.cells_of(c)))
    }

    /// The pixel that a pixel with ground leads to, to the east or to the north: one of those given, where that can
    /// be told at first sight.
    #[inline]
    fn link(
        &mut self,
        pixel: u32,
        direction: usize,
        within: [u32; 2],
        mut ahead: impl Iterator<Item = u32>,
    ) -> Option<u32> {
        let doubt = self.doubts.between(direction, within);
        let at_once = ahead.find(|&other| self.pairs.goes_on(pixel, other, doubt));
        at_once.or_else(|| self.link_in_doubt(pixel, direction, doubt))
    }

    /// The same where something may be in between.
    fn link_in_doubt(&mut self, pixel: u32, direction: usize, doubt: Doubt) -> Option<u32> {
        let (pairs, terrain) = (&mut self.pairs, self.terrain);
        let other = pairs.ground_beside(pixel, direction)?;
        let breaks = pairs.breaks(pixel, other, direction);
        let apart = (terrain.height(pixel) - terrain.height(other)).abs();
        if breaks && apart > terrain.scales.step {
            return None;
        }
        let is_certain = pairs.is_bridge(pixel)
            || pairs.is_bridge(other)
            || pairs.is_certain(pixel, other, doubt);
        if !is_certain && !pairs.is_passable([pixel, other], direction, doubt) {
            return None;
        }
        if breaks {
            self.breaks.push((pixel, direction as u8));
        }
        Some(other)
    }
}
