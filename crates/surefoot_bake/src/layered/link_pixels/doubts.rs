//! Tells between which neighbouring pixels of a cell something may end the ground.
//!
//! Goes in: a cell of the fine map and the triangles over its column and the columns to the east and
//! north. Comes out: a mark for every line from a pixel's middle to the next, east or north: whether
//! something that may be in the agent's way, or an edge at which ground may end, comes near that line.
//! Only boxes are compared, in whole lattice units, so a line without a mark needs no closer look; one
//! with a mark is cut with the triangles.

use crate::layered::model::face::{PixelSpans, Sought};
use crate::layered::model::fine_map::NO_HEIGHT;
use crate::layered::model::terrain::Terrain;

/// What may end the ground between two pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Doubt {
    /// Something may stand on it.
    pub(super) obstacle: bool,
    /// An edge of it lies there that no other ground shares.
    pub(super) ledge: bool,
}

const OBSTACLE: u8 = 1;
const LEDGE: u8 = 2;

/// The marks of one cell.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    side: usize,
    /// For the lines along x, row by row, then for those along y: a mark for every stretch from a
    /// pixel's middle to the next, the last one into the next column. The first stretch, up to the first
    /// middle, is the last one of the column before.
    marks: Vec<u8>,
}

/// Which stretches are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretches {
    All,
    /// Those into the next column along an axis, seen from one of the two.
    Last(usize, SeenFrom),
}

/// A column, or the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenFrom {
    Own,
    Next,
}

impl Doubts {
    /// The doubt between a pixel and the next one to the east or north.
    pub(super) fn between(&self, direction: usize, [i, j]: [u32; 2]) -> Doubt {
        let (row, stretch) = if direction == 0 { (j, i + 1) } else { (i, j + 1) };
        let at = (direction * self.side + row as usize) * (self.side + 1) + stretch as usize;
        let mark = self.marks[at];
        Doubt { obstacle: mark & OBSTACLE != 0, ledge: mark & LEDGE != 0 }
    }

    /// Looks at a cell. Within a plain one nothing ends the ground; borders that are told apart
    /// otherwise are left out.
    pub(super) fn look_around(
        &mut self,
        cell: u32,
        is_plain: bool,
        borders: [bool; 2],
        terrain: Terrain<'_>,
    ) {
        let (map, scales) = (terrain.map, terrain.scales);
        self.side = scales.per_side as usize;
        self.marks.clear();
        self.marks.resize(2 * self.side * (self.side + 1), 0);
        let column = map.shape.columns[cell as usize];
        let first = cell as usize * scales.pixels_per_cell();
        let known = map.heights[first..first + scales.pixels_per_cell()]
            .iter()
            .filter(|h| **h != NO_HEIGHT)
            .map(|h| i64::from(*h));
        let (Some(least), Some(most)) = (known.clone().min(), known.max()) else { return };
        if !is_plain {
            self.mark(column, [least, most], Stretches::All, terrain);
        }
        let beside = scales.columns_beside(column);
        for axis in (0..2).filter(|&axis| borders[axis]) {
            let Some(next) = beside[axis] else { continue };
            let Some(range) = border_range(cell, axis, next, terrain) else { continue };
            for (column, side) in [(column, SeenFrom::Own), (next, SeenFrom::Next)] {
                self.mark(column, range, Stretches::Last(axis, side), terrain);
            }
        }
    }

    /// Marks the stretches near a column's faces and edges that may end ground between two heights.
    fn mark(
        &mut self,
        column: u32,
        range: [i64; 2],
        stretches: Stretches,
        Terrain { slices, scales, .. }: Terrain<'_>,
    ) {
        let sought = Sought::ending(range, scales);
        for face in slices.crossed_faces_of(column).iter().filter(|f| sought.holds(f)) {
            self.mark_extent(face.spans, stretches, OBSTACLE);
        }
        for ledge in slices.ledges.of(column) {
            let (lo, hi) = (i64::from(ledge.lo), i64::from(ledge.hi));
            if hi >= range[0] - scales.climb && lo <= range[1] + scales.climb {
                self.mark_extent(ledge.spans, stretches, LEDGE);
            }
        }
    }

    /// Marks the stretches that meet an extent in the column, or in the next one: there the first
    /// stretches are the column's last.
    fn mark_extent(&mut self, PixelSpans(spans): PixelSpans, stretches: Stretches, mark: u8) {
        let side = self.side;
        for axis in 0..2 {
            let (from, to) = (usize::from(spans[axis][0]), usize::from(spans[axis][1]));
            let (from, to) = match stretches {
                Stretches::All => (from, to),
                Stretches::Last(of, _) if of != axis => continue,
                Stretches::Last(_, SeenFrom::Own) if to < side => continue,
                Stretches::Last(_, SeenFrom::Next) if from > 0 => continue,
                Stretches::Last(..) => (side, side),
            };
            for row in usize::from(spans[1 - axis][0])..usize::from(spans[1 - axis][1]) {
                let line = (axis * side + row) * (side + 1);
                for known in &mut self.marks[line + from..=line + to] {
                    *known |= mark;
                }
            }
        }
    }
}

/// Between which heights ground lies on both sides of a cell's border along an axis to the next column, where
/// steps lead across.
fn border_range(
    cell: u32,
    axis: usize,
    next: u32,
    Terrain { map, scales, .. }: Terrain<'_>,
) -> Option<[i64; 2]> {
    let side = scales.per_side;
    let per_cell = side * side;
    let (along, aside) = if axis == 0 { (1, side) } else { (side, 1) };
    let mut range: Option<[i64; 2]> = None;
    for k in 0..side {
        let within = k * aside;
        let pixel = cell * per_cell + within + (side - 1) * along;
        if !map.has_ground(pixel) {
            continue;
        }
        let height = i64::from(map.heights[pixel as usize]);
        for other in map.shape.cells_of(next).map(|c| c * per_cell + within) {
            let there = i64::from(map.heights[other as usize]);
            if map.has_ground(other) && (there - height).abs() <= scales.climb {
                let [least, most] = range.unwrap_or([height, height]);
                range = Some([least.min(height).min(there), most.max(height).max(there)]);
            }
        }
    }
    range
}
