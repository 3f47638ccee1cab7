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
use crate::layered::model::cutting_shape::CuttingShape;
use crate::layered::model::face::FaceRange;
use crate::layered::model::layers::Layers;
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::Slices;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LayerCell {
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
    let mut cells: Vec<LayerCell> = Vec::with_capacity(layers.columns.len());
    for (f, &column) in layers.columns.iter().enumerate() {
        let [low, high] = layers.levels[f];
        // A lower tread in the same column is ground too.
        let low = bottom(low) - scales.climb - level;
        cells.push(LayerCell { column, low, high: bottom(high + 1), layer: layers.layer_of[f] });
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
) -> Vec<LayerCell> {
    let (width, depth) = (i64::from(scales.coarse.width), i64::from(scales.coarse.depth));
    let mut added = Vec::new();
    for (f, &column) in layers.columns.iter().enumerate() {
        let [x, y] = scales.place(column).map(i64::from);
        let level = layers.levels[f][1];
        let low = bottom(level - scales.climb_levels);
        let high = bottom(level + scales.climb_levels + 1);
        for dy in -1..=1 {
            for dx in -1..=1 {
                let (x, y) = (x + dx, y + dy);
                if (dx, dy) == (0, 0) || x < 0 || y < 0 || x >= width || y >= depth {
                    continue;
                }
                let column = (y * width + x) as u32;
                let lies_there = |face: &FaceRange| {
                    face.class.faces_up() && i64::from(face.hi) >= low && i64::from(face.lo) <= high
                };
                if layers.floor_near(column, level, scales).is_none()
                    && slices.faces_of(column).iter().any(lies_there)
                {
                    added.push(LayerCell { column, low, high, layer: layers.layer_of[f] });
                }
            }
        }
    }
    span_gaps(layers, scales, bottom, &mut added);
    added.sort_unstable();
    added.dedup();
    added
}

/// Adds cells between floors of which one is higher, where no floor between them is as high as the lower
/// one and the gap is short enough for a bridge: what is laid there needs a place.
fn span_gaps(
    layers: &Layers,
    scales: &Scales,
    bottom: &impl Fn(i32) -> i64,
    added: &mut Vec<LayerCell>,
) {
    let most = (scales.longest_gap() / f64::from(scales.coarse.cell)).ceil() as u32 + 1;
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
                    added.extend(between.map(|column| LayerCell { column, low, high, layer }));
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
fn merge_added(cells: &mut Vec<LayerCell>, added: Vec<LayerCell>, layer_count: &mut u32) {
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
