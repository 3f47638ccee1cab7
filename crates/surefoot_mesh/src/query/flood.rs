//! How far everything is from one place: the optimal search without a goal.
//!
//! In goes a place and a distance; out come the cells within it, each with the length in plan of
//! the shortest way to its nearest point. Intervals are taken nearest first, so the first one that
//! leads into a piece tells the piece's distance. Costs of areas do not count here; what a filter
//! leaves out is left out.

use super::filter::Tables;
use super::locate::Place;
use super::search::{Reached, Search};
use crate::data::CellId;
use crate::ground::Surface;

/// A cell and how far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellDistance {
    /// The cell.
    pub cell: CellId,
    /// The length in plan of the shortest way to its nearest point, in metres.
    pub distance_m: f64,
}

impl Search {
    /// Appends all cells within a distance, nearest first.
    pub(crate) fn flood(
        &mut self,
        mesh: Surface<'_>,
        tables: &Tables,
        start: Place,
        limit_m: f64,
        cells: &mut Vec<CellDistance>,
    ) {
        self.begin_flood(mesh, start, limit_m);
        let cell_of = |piece: u32| mesh.pieces.cells[piece as usize];
        if self.flooded.len() < mesh.cell_count() {
            self.flooded.resize(mesh.cell_count(), Reached::NEVER);
        }
        let mut reach = |flooded: &mut Vec<Reached>, run: u32, piece: u32, distance_m: f64| {
            let cell = cell_of(piece);
            let reached = &mut flooded[cell as usize];
            if distance_m < reached.cost(run) {
                reached.set(run, distance_m);
                cells.push(CellDistance { cell: CellId(cell), distance_m });
            }
        };
        reach(&mut self.flooded, self.run, start.piece, 0.0);
        self.begin_taut(mesh, tables);
        while let Some((distance_m, piece)) = self.step_flood(mesh, tables) {
            reach(&mut self.flooded, self.run, piece, distance_m);
        }
    }
}
