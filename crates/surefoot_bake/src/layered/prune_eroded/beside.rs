//! Tells which pixels lie beside each other within a step.
//!
//! Goes in: fine depth maps in which ground at one place lies more than two steps apart. Comes out: for every
//! pixel the one in each direction, of its layer or of another. Most cells are ground all over within a step:
//! theirs need not be compared.

use crate::layered::model::fine_map::{FineMap, NO_HEIGHT, NO_PIXEL};
use crate::layered::model::scales::Scales;

/// Whether what lies beyond a pixel is visited too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WayOn {
    Visit,
    Leave,
}

/// The pixels beside each other.
pub(super) struct Beside {
    /// In every direction the number of the next pixel, or that of nothing; the last ones are those of nothing.
    rows: Vec<[u32; 4]>,
    pub(super) nothing: u32,
}

impl Beside {
    pub(super) fn new(map: &FineMap, scales: &Scales) -> Self {
        let nothing = map.len() as u32;
        let mut beside = Self { rows: Vec::with_capacity(map.len() + 1), nothing };
        let near = StepRule { climb: scales.climb as u32 };
        beside.link_within_cells(map, near, scales);
        beside.rows.push([nothing; 4]);
        for cell in 0..map.shape.len() as u32 {
            beside.link_layers(cell, map, near, scales);
            beside.link_borders(cell, map, near, scales);
        }
        beside
    }

    /// The pixels beside one in every direction.
    #[inline]
    pub(super) fn row(&self, pixel: u32) -> [u32; 4] {
        self.rows[pixel as usize]
    }

    /// Visits the pixels around one that steps lead to, and whether they lie diagonally: those twice where two
    /// ways lead there. Where there is none, nothing is visited by its number. A visitor may say that it needs
    /// none of those beyond one that does not lie diagonally.
    #[inline]
    pub(super) fn visit_around(&self, pixel: u32, mut visit: impl FnMut(u32, bool) -> WayOn) {
        let row = self.row(pixel);
        for d in 0..4 {
            if visit(row[d], false) == WayOn::Leave {
                continue;
            }
            let beyond = self.row(row[d]);
            visit(beyond[(d + 1) % 4], true);
            visit(beyond[(d + 3) % 4], true);
        }
    }

    fn link_within_cells(&mut self, map: &FineMap, near: StepRule, scales: &Scales) {
        let (per_cell, nothing) = (scales.pixels_per_cell(), self.nothing);
        let next = |p: u32, d: usize| scales.next_in_cell(p, d).unwrap_or(NO_PIXEL);
        let within: Vec<[u32; 4]> =
            (0..per_cell as u32).map(|p| [0, 1, 2, 3].map(|d| next(p, d))).collect();
        for (heights, first) in map.heights.chunks_exact(per_cell).zip((0..).step_by(per_cell)) {
            let number = |w: u32| if w == NO_PIXEL { nothing } else { first + w };
            let lowest = heights.iter().copied().fold(i32::MAX, i32::min);
            let highest = heights.iter().copied().fold(i32::MIN, i32::max);
            if near.is_near(lowest, highest) {
                self.rows.extend(within.iter().map(|row| row.map(number)));
                continue;
            }
            let linked = |height: i32, w: u32| {
                let there = heights.get(w as usize).copied().unwrap_or(NO_HEIGHT);
                if near.is_near(height, there) { first + w } else { nothing }
            };
            let rows = within.iter().zip(heights);
            self.rows.extend(rows.map(|(row, &height)| row.map(|w| linked(height, w))));
        }
    }

    /// Links the pixels of a cell to the east and to the north with those of other layers of the column.
    fn link_layers(&mut self, cell: u32, map: &FineMap, near: StepRule, scales: &Scales) {
        let (side, per_cell) = (scales.per_side, scales.pixels_per_cell() as u32);
        let cells = map.shape.cells_of(map.shape.columns[cell as usize]);
        if cells.len() < 2 {
            return;
        }
        for (direction, stride) in [(0, 1), (1, side)] {
            for (j, i) in (0..side).flat_map(|j| (0..side).map(move |i| (j, i))) {
                let within = j * side + i;
                let pixel = cell * per_cell + within;
                let inside = [i, j][direction] + 1 < side;
                if inside && self.row(pixel)[direction] == self.nothing {
                    let others = cells.clone().map(|c| c * per_cell + within + stride);
                    self.link(pixel, direction, others, map, near);
                }
            }
        }
    }

    /// Links the last pixels of a cell to the east and to the north with the first ones beyond.
    fn link_borders(&mut self, cell: u32, map: &FineMap, near: StepRule, scales: &Scales) {
        let (side, per_cell) = (scales.per_side, scales.pixels_per_cell() as u32);
        let columns = scales.columns_beside(map.shape.columns[cell as usize]);
        for (direction, along, aside) in [(0, 1, side), (1, side, 1)] {
            let Some(column) = columns[direction] else { continue };
            let cells = map.shape.cells_of(column);
            for k in 0..side {
                let pixel = cell * per_cell + k * aside + (side - 1) * along;
                let others = cells.clone().map(|c| c * per_cell + k * aside);
                self.link(pixel, direction, others, map, near);
            }
        }
    }

    /// Links a pixel with the one of some that a step leads to, and that one back.
    #[inline]
    fn link(
        &mut self,
        pixel: u32,
        direction: usize,
        mut others: impl Iterator<Item = u32>,
        map: &FineMap,
        near: StepRule,
    ) {
        let height = map.heights[pixel as usize];
        if let Some(other) = others.find(|&p| near.is_near(height, map.heights[p as usize])) {
            self.rows[pixel as usize][direction] = other;
            self.rows[other as usize][direction + 2] = pixel;
        }
    }
}

/// Tells whether a step leads from one height to another.
#[derive(Clone, Copy)]
struct StepRule {
    climb: u32,
}

impl StepRule {
    #[inline]
    const fn is_near(self, a: i32, b: i32) -> bool {
        (a != NO_HEIGHT) & (b != NO_HEIGHT) & (a.abs_diff(b) <= self.climb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::classify::{ClassedTriangle, FaceClass};
    use crate::layered::model::any_numbers::any_numbers;
    use crate::layered::model::fine_map::STEPS;
    use crate::settings::BakeSettings;

    /// Two layers over some columns, one over others, at heights of a few steps.
    fn strewn(scales: &Scales) -> FineMap {
        let mut next = any_numbers(11);
        let mut below = |most: i64| i64::from(next()) % most;
        let columns = scales.coarse.width * scales.coarse.depth;
        let (mut firsts, mut of_cells, mut heights) = (vec![0], Vec::new(), Vec::new());
        for column in 0..columns {
            let (layers, is_plain) = (1 + below(2), below(3) == 0);
            for layer in 0..layers {
                of_cells.push(column);
                for _ in 0..scales.pixels_per_cell() {
                    let z = layer * 2 * scales.height + below(5) * scales.climb / 2;
                    let z = if is_plain { 0 } else { z };
                    let is_ground = is_plain || below(6) > 0;
                    heights.push(if is_ground { z as i32 } else { NO_HEIGHT });
                }
                if is_plain {
                    break;
                }
            }
            firsts.push(of_cells.len() as u32);
        }
        FineMap::of_heights(firsts, of_cells, heights)
    }

    /// Each pixel lies beside those that a look at all pixels of the next place finds.
    #[test]
    fn pixels_lie_beside_what_is_near() {
        let settings = BakeSettings::default().resolve().unwrap();
        let corners = [[0; 3], [60_000, 60_000, 0], [60_000, 0, 0]];
        let triangle = ClassedTriangle { corners, class: FaceClass::ground(0) };
        let scales = Scales::new(&[triangle], &settings.agent, &settings.layered).unwrap();
        let map = strewn(&scales);
        let beside = Beside::new(&map, &scales);
        let mut found = [0; 2];
        for pixel in (0..map.len() as u32).filter(|&p| map.has_ground(p)) {
            let here = map.place(pixel, &scales);
            for d in 0..4 {
                let place = here.beside(STEPS[d]);
                let height = |p: u32| i64::from(map.heights[p as usize]);
                let near = |p: &u32| {
                    map.has_ground(*p) && (height(*p) - height(pixel)).abs() <= scales.climb
                };
                let expected = map.pixels_at(place, &scales).find(near);
                let next = beside.row(pixel)[d];
                assert_eq!(next, expected.unwrap_or(beside.nothing), "{pixel} to {d}");
                found[usize::from(expected.is_some())] += 1;
            }
        }
        assert!(found[0] > 500 && found[1] > 500, "{found:?}");
    }
}
