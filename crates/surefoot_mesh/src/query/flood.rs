//! How far everything is from one place: Polyanya without a goal.
//!
//! In goes a place and a distance; out come the cells within it, each with the length in plan of
//! the shortest way to its nearest point. Intervals are taken nearest first, so the first one that
//! leads into a piece tells the piece's distance. Costs of areas do not count here; what a filter
//! leaves out is left out.

use super::filter::Tables;
use super::locate::Place;
use super::polyanya::Polyanya;
use super::query_mesh::QueryMesh;
use super::search::Reached;
use crate::data::CellId;

/// A cell and how far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellDistance {
    /// The cell.
    pub cell: CellId,
    /// The length in plan of the shortest way to its nearest point, in metres.
    pub distance_m: f64,
}

impl Polyanya {
    /// Appends all cells within a distance, nearest first.
    pub(crate) fn flood(
        &mut self,
        mesh: QueryMesh<'_>,
        tables: &Tables,
        start: Place,
        limit_m: f64,
        cells: &mut Vec<CellDistance>,
    ) {
        self.begin_flood(mesh, start, limit_m);
        if self.flooded.len() < mesh.cell_count() {
            self.flooded.resize(mesh.cell_count(), Reached::NEVER);
        }
        let run = self.search.run;
        let mut reach = |flooded: &mut [Reached], piece: u32, distance_m: f64| {
            let cell = mesh.pieces.cells[piece as usize];
            let reached = &mut flooded[cell as usize];
            if distance_m < reached.cost(run) {
                reached.set(run, distance_m);
                cells.push(CellDistance { cell: CellId(cell), distance_m });
            }
        };
        reach(&mut self.flooded, start.piece, 0.0);
        self.start(mesh, tables);
        while let Some((distance_m, piece)) = self.step_flood(mesh, tables) {
            reach(&mut self.flooded, piece, distance_m);
        }
    }
}
