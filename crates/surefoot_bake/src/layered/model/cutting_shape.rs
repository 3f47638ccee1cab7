//! Where in every column the ground of each layer is looked for.

use crate::layered::model::scales::Scales;
use crate::view::{StageView, ViewFace};
use glam::DVec3;
use std::ops::Range;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{AreaId, CellKind};

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

    pub(crate) fn cells_of(&self, column: u32) -> Range<u32> {
        self.firsts[column as usize]..self.firsts[column as usize + 1]
    }

    /// The cells of the columns around a column and of its own, row by row; none beyond the grid.
    pub(crate) fn cells_around(&self, column: u32, scales: &Scales) -> [Range<u32>; 9] {
        let (width, depth) = (scales.coarse.width, scales.coarse.depth);
        let [x, y] = scales.place(column);
        std::array::from_fn(|k| {
            let (x, y) = ((x + k as u32 % 3).wrapping_sub(1), (y + k as u32 / 3).wrapping_sub(1));
            if x < width && y < depth { self.cells_of(y * width + x) } else { 0..0 }
        })
    }
}

impl CuttingShape {
    /// What a person would look at: floor and ceiling of every cell, coloured by layer.
    pub(crate) fn view(&self, frame: &Frame, scales: &Scales) -> StageView {
        let mut view = StageView { up: frame.up(), ..StageView::default() };
        let side = i64::from(scales.coarse.cell);
        for (cell, &column) in self.columns.iter().enumerate() {
            let [x, y] = scales.corner(column);
            for z in [self.lows[cell], self.highs[cell]] {
                let at = |dx: i64, dy: i64| {
                    let p =
                        DVec3::new((x + dx * side) as f64, (y + dy * side) as f64, f64::from(z));
                    frame.user_from_canonical((p * M_PER_LATTICE).to_array())
                };
                view.faces.push(ViewFace {
                    loops: vec![vec![at(0, 0), at(1, 0), at(1, 1), at(0, 1)]],
                    triangles: Vec::new(),
                    kind: CellKind::Ground,
                    area: AreaId(0),
                    component: Some(self.layers[cell]),
                });
            }
        }
        view
    }
}
