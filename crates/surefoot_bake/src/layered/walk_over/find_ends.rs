//! Finds where ground ends.
//!
//! Goes in: fine depth maps. Comes out: the pixels with ground, and the directions east and north, in which the next
//! place has no ground that goes on from there: none as high, or a step higher. Where ground is level all over a cell
//! and all that lies beyond its borders goes on, its lowest and highest pixels tell so.

use crate::layered::model::fine_map::{FineMap, NO_HEIGHT};
use crate::layered::model::scales::Scales;
use std::ops::Range;
use surefoot_geom::threads::prelude::*;

/// Cells that a thread looks at before it looks for more.
const CELLS_AT_ONCE: usize = 256;

pub(super) fn find_ends(map: &FineMap, scales: &Scales) -> Vec<(u32, u8)> {
    let cells = map.heights.par_chunks_exact(scales.pixels_per_cell());
    let finder = EndFinder {
        map,
        scales,
        least: -(scales.break_height as i64),
        ranges: cells.map(lowest_and_highest).collect(),
    };
    let cells = (0..map.shape.len() as u32).into_par_iter().with_min_len(CELLS_AT_ONCE);
    cells.flat_map_iter(|cell| finder.ends_of(cell)).collect()
}

/// The least and the greatest of some heights; where there is no ground, the least is [`NO_HEIGHT`].
fn lowest_and_highest(heights: &[i32]) -> [i32; 2] {
    let lowest = heights.iter().copied().fold(i32::MAX, i32::min);
    [lowest, heights.iter().copied().fold(i32::MIN, i32::max)]
}

struct EndFinder<'a> {
    map: &'a FineMap,
    scales: &'a Scales,
    /// The least rise at which ground goes on.
    least: i64,
    /// The lowest and the highest ground of every cell.
    ranges: Vec<[i32; 2]>,
}

impl EndFinder<'_> {
    /// Whether ground at any of some heights goes on at all of others; ends of both are given.
    fn goes_on(&self, [lowest, highest]: [i32; 2], there: [i32; 2]) -> bool {
        let rise = |from: i32, to: i32| i64::from(to) - i64::from(from);
        (there[0] != NO_HEIGHT)
            & (rise(highest, there[0]) >= self.least)
            & (rise(lowest, there[1]) <= self.scales.step)
    }

    fn ends_of(&self, cell: u32) -> Vec<(u32, u8)> {
        let (map, side) = (self.map, self.scales.per_side);
        let column = map.shape.columns[cell as usize];
        let beside = self.scales.columns_beside(column);
        let cells_beside =
            [beside[0], beside[1]].map(|c| c.map_or(0..0, |c| map.shape.cells_of(c)));
        let mut ends = Vec::new();
        let range = self.ranges[cell as usize];
        // Level ground ends at the cell's borders, if anywhere.
        let is_level = self.goes_on([range[1]; 2], [range[0]; 2]);
        let all_goes_on = |c: u32| self.goes_on(range, self.ranges[c as usize]);
        if is_level && cells_beside.iter().all(|cells| cells.clone().any(all_goes_on)) {
            return ends;
        }
        let cells = [map.shape.cells_of(column), cells_beside[0].clone(), cells_beside[1].clone()];
        let (mut i, mut j) = (0, 0);
        for within in 0..side * side {
            let at = [i, j];
            (i, j) = if i + 1 < side { (i + 1, j) } else { (0, j + 1) };
            if !(is_level && at[0] + 1 < side && at[1] + 1 < side) {
                self.add_ends((cell, within), at, &cells, &mut ends);
            }
        }
        ends
    }

    /// Adds the ends beside one pixel of a cell. Given are the cells of its column and of those to the east and north.
    #[inline]
    fn add_ends(
        &self,
        (cell, within): (u32, u32),
        at: [u32; 2],
        cells: &[Range<u32>; 3],
        ends: &mut Vec<(u32, u8)>,
    ) {
        let (side, heights) = (self.scales.per_side, &self.map.heights);
        let height_in = |cell: u32, within: u32| heights[(cell * side * side + within) as usize];
        let height = height_in(cell, within);
        if height == NO_HEIGHT {
            return;
        }
        let goes_on = |there: i32| self.goes_on([height; 2], [there; 2]);
        for (direction, stride) in [(0_usize, 1), (1, side)] {
            let inside = at[direction] + 1 < side;
            // Most ground goes on in its own cell.
            if inside && goes_on(height_in(cell, within + stride)) {
                continue;
            }
            let (cells, next) = match inside {
                true => (&cells[0], within + stride),
                false => (&cells[1 + direction], within - (side - 1) * stride),
            };
            if !cells.clone().any(|c| goes_on(height_in(c, next))) {
                ends.push((cell * side * side + within, direction as u8));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::classify::{ClassedTriangle, FaceClass};
    use crate::layered::model::any_numbers::any_below;
    use crate::layered::model::fine_map::STEPS;
    use crate::settings::BakeSettings;

    /// One layer or two over each column: level, or at any height.
    fn strewn(scales: &Scales) -> FineMap {
        let mut below = any_below(5);
        let (mut firsts, mut columns, mut heights) = (vec![0], Vec::new(), Vec::new());
        let (step, slack) = (scales.step as i32, scales.break_height as i32);
        for column in 0..scales.coarse.width * scales.coarse.depth {
            for layer in 0..1 + below(4) / 3 {
                columns.push(column);
                let kind = below(12);
                let base =
                    layer * 2 * scales.height as i32 + below(3) * slack / 2 + kind / 11 * step;
                for _ in 0..scales.pixels_per_cell() {
                    let z = match kind {
                        0 => base + below(4) * step / 2,
                        1 if below(20) == 0 => NO_HEIGHT,
                        _ => base + below(slack / 2),
                    };
                    heights.push(z);
                }
            }
            firsts.push(columns.len() as u32);
        }
        FineMap::of_heights(firsts, columns, heights)
    }

    /// Ground ends where a look at all pixels of the next place finds none that goes on.
    #[test]
    fn ground_ends_where_none_goes_on() {
        let settings = BakeSettings::default().resolve().unwrap();
        let corners = [[0; 3], [200_000, 200_000, 0], [200_000, 0, 0]];
        let triangle = ClassedTriangle { corners, class: FaceClass::ground(0) };
        let scales = Scales::new(&[triangle], &settings.agent, &settings.layered).unwrap();
        let map = strewn(&scales);
        let mut expected = Vec::new();
        for pixel in (0..map.len() as u32).filter(|&p| map.has_ground(p)) {
            let here = map.place(pixel, &scales);
            for d in 0..2 {
                let place = here.beside(STEPS[d]);
                let goes_on = |p: u32| {
                    let rise = i64::from(map.heights[p as usize] - map.heights[pixel as usize]);
                    rise >= -(scales.break_height as i64) && rise <= scales.step
                };
                let mut next = map.pixels_at(place, &scales).filter(|&p| map.has_ground(p));
                if !next.any(goes_on) {
                    expected.push((pixel, d as u8));
                }
            }
        }
        assert!(expected.len() > 500 && expected.len() < map.len(), "{} ends", expected.len());
        assert_eq!(find_ends(&map, &scales), expected);
        // Cells that are passed over at once.
        let ranges = map.heights.chunks_exact(scales.pixels_per_cell()).map(lowest_and_highest);
        let least = -(scales.break_height as i64);
        let finder = EndFinder { map: &map, scales: &scales, least, ranges: ranges.collect() };
        let whole = (0..map.shape.len() as u32).filter(|&c| finder.ends_of(c).is_empty()).count();
        assert!(whole > 100, "{whole} cells without ends");
    }
}
