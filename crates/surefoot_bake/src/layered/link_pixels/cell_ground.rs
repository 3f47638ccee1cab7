//! Tells in which cells nothing can end the ground.
//!
//! Goes in: a cell of the fine map and what lies over its column. Comes out: whether that may end its ground, and
//! whether its ground is one triangle.

use crate::layered::model::face::Sought;
use crate::layered::model::fine_map::{NO_HEIGHT, PixelKind};
use crate::layered::model::terrain::Terrain;

/// What a cell of the cutting shape holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellGround {
    /// Something may end the ground in it.
    Mixed,
    /// Nothing in its column can end the ground of its layer.
    Plain,
    /// The same, and all its ground is one triangle.
    Uniform,
}

/// What a cell holds.
pub(super) fn ground_of(cell: u32, terrain: Terrain<'_>) -> CellGround {
    let Terrain { map, slices, scales } = terrain;
    let column = map.shape.columns[cell as usize];
    if !slices.ledges.of(column).is_empty() {
        return CellGround::Mixed;
    }
    let first = cell as usize * scales.pixels_per_cell();
    let pixels = first..first + scales.pixels_per_cell();
    let heights = map.heights[pixels.clone()].iter().copied();
    let (least, most) =
        heights.fold((i32::MAX, i32::MIN), |(least, most), h| (least.min(h), most.max(h)));
    // No height at all is the least one.
    if least == NO_HEIGHT {
        return CellGround::Mixed;
    }
    let ending = Sought::ending([i64::from(least), i64::from(most)], scales);
    if slices.faces_between(column, ending).next().is_some() {
        return CellGround::Mixed;
    }
    let is_one = map.grounds[pixels.clone()].iter().all(|g| *g == map.grounds[first])
        && map.kinds[pixels].iter().all(|k| *k == PixelKind::Ground);
    if is_one { CellGround::Uniform } else { CellGround::Plain }
}
