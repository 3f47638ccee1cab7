//! Convex cells.

use crate::ids::CellEdgeId;
use crate::surface::Plane;
use surefoot_geom::LatticePoint;
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

/// An edge of a cell; the cell lies to its left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CellEdge {
    pub(crate) from: LatticePoint,
    /// The height of its start in this cell, in metres.
    pub(crate) height_m: f64,
    pub(crate) class: EdgeClass,
    /// The opposite edge, if there is a cell beyond.
    pub(crate) twin: Option<CellEdgeId>,
    /// Whether cells must end here though the ground goes on.
    pub(crate) divides: bool,
}

impl CellEdge {
    /// Whether the cells on both sides may become one, as far as this side knows.
    pub(crate) fn is_open_to_merging(&self) -> bool {
        self.class == EdgeClass::Inner && !self.divides
    }
}

/// A convex cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) edges: Vec<CellEdge>,
    pub(crate) kind: CellKind,
    pub(crate) area: AreaId,
    pub(crate) plane: Plane,
}
