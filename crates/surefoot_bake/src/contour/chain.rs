//! Contours: borders between regions as chains of corners, shared by both their sides.

use crate::heightfield::grid::Grid;
use crate::surface::plan_m;
use crate::view::StageView;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::EdgeClass;

/// On the right of a chain: no ground.
pub(crate) const NO_REGION: u32 = u32::MAX;

/// The part of ground that is not divided further.
pub(crate) const NO_PART: u32 = u32::MAX;

/// A height inside of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RegionSample {
    pub(crate) y: u32,
    pub(crate) x: u32,
    pub(crate) height: i32,
    /// The part of the ground, counted through all tiles, where that is divided further.
    pub(crate) part: u32,
}

/// A corner of a chain, in columns, with the heights on both sides in lattice units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChainPoint {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) left: i32,
    pub(crate) right: i32,
}

/// A border, from junction to junction or closed.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) left: u32,
    pub(crate) right: u32,
    /// Corners in order; where it is closed, the first is not repeated at the end.
    pub(crate) points: Vec<ChainPoint>,
    /// What lies between each corner and the next, and how long it is, in columns.
    pub(crate) classes: Vec<EdgeClass>,
    /// Corners that must stay.
    pub(crate) fixed: Vec<bool>,
    pub(crate) closed: bool,
}

impl Chain {
    /// Edges between corners.
    pub(crate) fn edge_count(&self) -> usize {
        if self.closed { self.points.len() } else { self.points.len().saturating_sub(1) }
    }
}

/// All borders of all regions.
#[derive(Debug)]
pub(crate) struct Contours {
    /// The area type of every region.
    pub(crate) areas: Vec<u16>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) samples: Vec<Vec<RegionSample>>,
}

impl Contours {
    /// All borders, at the height of the ground on their left.
    pub(crate) fn view(&self, frame: &Frame, grid: &Grid) -> StageView {
        let mut view = StageView::in_frame(frame);
        let at = |p: ChainPoint| {
            let plan = plan_m(grid.point_from_halves(2 * p.x, 2 * p.y));
            plan.extend(f64::from(p.left) * M_PER_LATTICE)
        };
        for chain in &self.chains {
            for i in 0..chain.edge_count() {
                let next = chain.points[(i + 1) % chain.points.len()];
                view.add_edge(frame, [at(chain.points[i]), at(next)], chain.classes[i]);
            }
        }
        view
    }
}
