//! Expands the layers by a column, and says for every column of a layer where its ground is looked for.
//!
//! Goes in: floors and their layers. Comes out: the cells of all layers, column by column: the heights
//! between which the ground of the layer lies there; the agent's height above is where the layer is cut
//! from what lies over it (Oliva 2012, §6.2.3). Columns beside a floor that have no accessible floor at
//! its height are added, since they may hold ground that other things in the column hide, and so are
//! columns between two treads that a bridge may join. Where the layer already has a cell in that column,
//! the added one becomes part of another layer.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::flood_layers::Layers;
use crate::layered::rasterize::FaceRange;
use crate::layered::scales::Scales;
use crate::layered::slice::Slices;
use crate::layered::walk_over::longest_gap;

/// The cells of all layers, sorted by column and from below.
#[derive(Debug)]
pub(crate) struct CuttingShape {
    /// Where each column's cells begin, and one past the last at the end.
    pub(crate) firsts: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) layers: Vec<u32>,
    /// The ground lies between these heights, in lattice units.
    pub(crate) lows: Vec<i32>,
    pub(crate) highs: Vec<i32>,
}

impl CuttingShape {
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn cells_of(&self, column: u32) -> std::ops::Range<u32> {
        self.firsts[column as usize]..self.firsts[column as usize + 1]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    column: u32,
    low: i64,
    high: i64,
    layer: u32,
}

pub(crate) fn cutting_shape(
    layers: Layers,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<CuttingShape, BakeError> {
    let level = i64::from(scales.coarse.cell_height);
    let base = i64::from(scales.coarse.level_height(0)) - level / 2;
    let bottom = |k: i32| base + i64::from(k) * level;
    let mut cells: Vec<Cell> = Vec::with_capacity(layers.columns.len());
    for (f, &column) in layers.columns.iter().enumerate() {
        let [low, high] = layers.levels[f];
        // A lower tread in the same column is ground too.
        let low = bottom(low) - scales.climb - level;
        cells.push(Cell { column, low, high: bottom(high + 1), layer: layers.layer_of[f] });
    }
    let accessible = cells.len();
    let added = expand(&layers, slices, scales, &bottom);
    context.check_cancelled()?;
    let mut layer_count = layers.count;
    merge_added(&mut cells, added, &mut layer_count);
    // Both those of floors and those added are in order already: this sort makes use of it.
    cells.sort();
    let most = u32::MAX as usize / scales.pixels_per_cell();
    if cells.len() >= most {
        let count = cells.len().saturating_mul(scales.pixels_per_cell());
        return Err(BakeError::TooLarge { what: "fine cells", count });
    }
    context.count("layers", layer_count as usize);
    context.count("cells", cells.len());
    context.count("expanded_cells", cells.len() - accessible);
    let mut firsts = vec![0_u32; slices.column_count() + 1];
    for cell in &cells {
        firsts[cell.column as usize + 1] += 1;
    }
    for i in 1..firsts.len() {
        firsts[i] += firsts[i - 1];
    }
    let clamp = |z: i64| z.clamp(i64::from(i32::MIN) + 1, i64::from(i32::MAX)) as i32;
    Ok(CuttingShape {
        firsts,
        columns: cells.iter().map(|c| c.column).collect(),
        layers: cells.iter().map(|c| c.layer).collect(),
        lows: cells.iter().map(|c| clamp(c.low)).collect(),
        highs: cells.iter().map(|c| clamp(c.high)).collect(),
    })
}

/// Cells beside floors, where something lies at their height that is no accessible floor.
fn expand(
    layers: &Layers,
    slices: &Slices,
    scales: &Scales,
    bottom: &impl Fn(i32) -> i64,
) -> Vec<Cell> {
    let (width, depth) = (i64::from(scales.coarse.width), i64::from(scales.coarse.depth));
    let only = OnlyFloors::new(layers);
    let mut added = Vec::new();
    for (f, &column) in layers.columns.iter().enumerate() {
        let [x, y] = scales.place(column).map(i64::from);
        let level = layers.levels[f][1];
        let is_inside = x > 0 && y > 0 && x + 1 < width && y + 1 < depth;
        if is_inside && only.are_near_around(column as usize, level, scales) {
            continue;
        }
        let low = bottom(level - scales.climb_levels);
        let high = bottom(level + scales.climb_levels + 1);
        for dy in -1..=1 {
            for dx in -1..=1 {
                let (x, y) = (x + dx, y + dy);
                if (dx, dy) == (0, 0) || x < 0 || y < 0 || x >= width || y >= depth {
                    continue;
                }
                let column = (y * width + x) as u32;
                if layers.floor_near(column, level, scales).is_none()
                    && any_faces_up(slices.faces_of(column), [low, high])
                {
                    added.push(Cell { column, low, high, layer: layers.layer_of[f] });
                }
            }
        }
    }
    span_gaps(layers, scales, bottom, &mut added);
    added.sort_unstable();
    added.dedup();
    added
}

/// The levels of floors that are alone in their columns: those around most floors are.
struct OnlyFloors(Vec<i32>);

impl OnlyFloors {
    /// Where there is no floor or several. Far from every level, which is never negative.
    const NONE: i32 = i32::MIN;

    fn new(layers: &Layers) -> Self {
        let only = |ends: &[u32]| match ends[1] - ends[0] {
            1 => layers.levels[ends[0] as usize][1],
            _ => Self::NONE,
        };
        Self(layers.firsts.windows(2).map(only).collect())
    }

    /// Whether all columns around one that is not at the grid's border have a floor alone that can be stepped to
    /// from a height.
    #[inline]
    fn are_near_around(&self, column: usize, level: i32, scales: &Scales) -> bool {
        let climb = scales.climb_levels;
        let is_near =
            |there: &i32| there.wrapping_sub(level).wrapping_add(climb) as u32 <= 2 * climb as u32;
        let width = scales.coarse.width as usize;
        [column - width, column, column + width].iter().all(|row| {
            self.0[row - 1..=row + 1].iter().fold(true, |all, there| all & is_near(there))
        })
    }
}

/// Whether any face that faces up lies between two heights, or partly. Which do cannot be foreseen, so that some are
/// looked at before a branch asks.
fn any_faces_up(faces: &[FaceRange], [low, high]: [i64; 2]) -> bool {
    const SOME: usize = 8;
    let lies_there = |face: &FaceRange| {
        face.surface.faces_up() & (i64::from(face.hi) >= low) & (i64::from(face.lo) <= high)
    };
    faces.chunks(SOME).any(|some| some.iter().fold(false, |any, face| any | lies_there(face)))
}

/// Adds cells between floors of which one is higher, where no floor between them is as high as the lower
/// one and the gap is short enough for a bridge: what is laid there needs a place.
fn span_gaps(
    layers: &Layers,
    scales: &Scales,
    bottom: &impl Fn(i32) -> i64,
    added: &mut Vec<Cell>,
) {
    let most = (longest_gap(scales) / f64::from(scales.coarse.cell)).ceil() as u32 + 1;
    let (width, depth) = (scales.coarse.width, scales.coarse.depth);
    for (f, &column) in layers.columns.iter().enumerate() {
        let [x, y] = scales.place(column);
        let level = layers.levels[f][1];
        for (stride, left) in [(1, width - 1 - x), (width, depth - 1 - y)] {
            let mut passed = i32::MIN;
            for k in 1..=most.min(left) {
                let Some(g) = layers.floor_near(column + k * stride, level, scales) else {
                    continue;
                };
                let there = layers.levels[g as usize][1];
                let (lower, upper) = (level.min(there), level.max(there));
                if k > 1 && passed < lower && there != level {
                    let (low, high) = (bottom(lower), bottom(upper + 1));
                    let layer = layers.layer_of[f];
                    let between = (1..k).map(|k| column + k * stride);
                    added.extend(between.map(|column| Cell { column, low, high, layer }));
                }
                if there >= level {
                    break;
                }
                passed = passed.max(there);
            }
        }
    }
}

/// Makes one cell of added ones that overlap, in a layer that has no cell in the column yet.
fn merge_added(cells: &mut Vec<Cell>, added: Vec<Cell>, layer_count: &mut u32) {
    let first_spare = *layer_count;
    let mut at = 0;
    for of_column in added.chunk_by(|a, b| a.column == b.column) {
        let column = of_column[0].column;
        while at < cells.len() && cells[at].column < column {
            at += 1;
        }
        let mut taken: Vec<u32> =
            cells[at..].iter().take_while(|c| c.column == column).map(|c| c.layer).collect();
        let mut i = 0;
        while i < of_column.len() {
            let mut cell = of_column[i];
            let from = i;
            while i < of_column.len() && of_column[i].low <= cell.high {
                cell.high = cell.high.max(of_column[i].high);
                i += 1;
            }
            let free = of_column[from..i].iter().map(|c| c.layer).find(|l| !taken.contains(l));
            cell.layer = free.unwrap_or_else(|| {
                (first_spare..).find(|l| !taken.contains(l)).unwrap_or(first_spare)
            });
            *layer_count = (*layer_count).max(cell.layer + 1);
            taken.push(cell.layer);
            cells.push(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::BakeSettings;
    use crate::voxel::grid::{GridTriangle, Surface};

    /// Columns without a floor, with one and with two, most of them at about one height.
    #[test]
    fn floors_alone_around_are_near_where_each_is() {
        let settings = BakeSettings::default().resolve().unwrap();
        let surface = Surface::UPRIGHT;
        let frame = GridTriangle { corners: [[0; 3], [400_000; 3], [400_000; 3]], surface };
        let scales = Scales::new(&[frame], &settings).unwrap();
        let (width, depth) = (scales.coarse.width as usize, scales.coarse.depth as usize);
        let (mut firsts, mut columns, mut levels) = (Vec::new(), Vec::new(), Vec::new());
        for column in 0..width * depth {
            firsts.push(columns.len() as u32);
            let number = column.wrapping_mul(2_654_435_761) >> 7;
            let climb = scales.climb_levels;
            let tops: &[i32] = match number % 60 {
                0 => &[],
                1 => &[20, 90],
                2 => &[20 + 2 * climb],
                k if k % 2 == 0 => &[20 + climb],
                _ => &[20],
            };
            columns.extend(tops.iter().map(|_| column as u32));
            levels.extend(tops.iter().map(|top| [*top; 2]));
        }
        firsts.push(columns.len() as u32);
        let layer_of = vec![0; columns.len()];
        let layers = Layers { firsts, columns, levels, layer_of, count: 1 };
        let only = OnlyFloors::new(&layers);
        let mut counts = [0; 2];
        for (y, x) in (1..depth - 1).flat_map(|y| (1..width - 1).map(move |x| (y, x))) {
            let is_near = |(x, y): (usize, usize)| {
                let column = (y * width + x) as u32;
                let is_alone = layers.floors_of(column).len() == 1;
                is_alone && layers.floor_near(column, 20, &scales).is_some()
            };
            let mut around = (y - 1..y + 2).flat_map(|y| (x - 1..x + 2).map(move |x| (x, y)));
            let expected = around.all(is_near);
            assert_eq!(only.are_near_around(y * width + x, 20, &scales), expected, "{x}, {y}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.iter().all(|n| *n > 20), "{counts:?} without and with");
    }

    /// One that lies there among others that do not, wherever it comes.
    #[test]
    fn a_face_between_heights_is_found_among_others() {
        let face = |lo, hi, surface| FaceRange { triangle: 0, lo, hi, surface, spans: [[0; 2]; 2] };
        let (ground, steep) = (Surface::ground(0), Surface::STEEP);
        let others = [face(0, 9, ground), face(21, 30, steep), face(12, 14, Surface::DOWN)];
        for count in 0..20 {
            let mut faces: Vec<FaceRange> = (0..count).map(|k| others[k % 3]).collect();
            assert!(!any_faces_up(&faces, [10, 20]), "{count}");
            for k in 0..count {
                for there in [face(0, 10, ground), face(20, 30, steep), face(0, 30, ground)] {
                    faces[k] = there;
                    assert!(any_faces_up(&faces, [10, 20]), "{k} of {count}");
                }
                faces[k] = others[k % 3];
            }
        }
    }
}
