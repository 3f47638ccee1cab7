//! The accessible floors of all columns, and the layers that they make.

use crate::layered::model::scales::Scales;
use crate::view::{StageView, ViewFace};
use surefoot_geom::Frame;
use surefoot_mesh::{AreaId, CellKind};

/// Accessible floors, column by column and from below, and their layers.
#[derive(Debug)]
pub(crate) struct Layers {
    /// Where each column's floors begin, and one past the last at the end.
    pub(crate) firsts: Vec<u32>,
    /// The column of every floor.
    pub(crate) columns: Vec<u32>,
    /// The lowest and the highest of the floor's accessible voxels.
    pub(crate) levels: Vec<[i32; 2]>,
    /// The layer of every floor.
    pub(crate) layer_of: Vec<u32>,
    pub(crate) count: u32,
}

impl Layers {
    pub(crate) fn floors_of(&self, column: u32) -> std::ops::Range<u32> {
        self.firsts[column as usize]..self.firsts[column as usize + 1]
    }

    /// The floor of a column that can be stepped to from a height.
    pub(crate) fn floor_near(&self, column: u32, level: i32, scales: &Scales) -> Option<u32> {
        self.floors_of(column)
            .filter(|&f| (self.levels[f as usize][1] - level).abs() <= scales.climb_levels)
            .min_by_key(|&f| (self.levels[f as usize][1] - level).abs())
    }

    /// What a person would look at: a square for every floor, coloured by layer.
    pub(crate) fn view(&self, frame: &Frame, scales: &Scales) -> StageView {
        let mut view = StageView { up: frame.up(), ..StageView::default() };
        let m = surefoot_geom::lattice::M_PER_LATTICE;
        for (f, &column) in self.columns.iter().enumerate() {
            let [x, y] = scales.corner(column).map(|v| v as f64 * m);
            let side = f64::from(scales.coarse.cell) * m;
            let z = f64::from(scales.coarse.level_height(self.levels[f][1])) * m;
            let at =
                |dx: f64, dy: f64| frame.user_from_canonical([x + dx * side, y + dy * side, z]);
            view.faces.push(ViewFace {
                loops: vec![vec![at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)]],
                triangles: Vec::new(),
                kind: CellKind::Ground,
                area: AreaId(0),
                component: Some(self.layer_of[f]),
            });
        }
        view
    }
}
