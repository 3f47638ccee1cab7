//! Merges cells across edges that convexity does not need, and lets those that stay be slid.
//!
//! Goes in: triangles, or cells by notches, with neighbours. Comes out: fewer convex cells, without
//! corners that only subdivide a straight border.

use crate::finish::partition::cell::Cell;
use crate::finish::partition::cell_rings::CellRings;
use crate::settings::PartitionSettings;

/// What is done with portals that cannot be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slide {
    /// They stay where they are.
    Nothing,
    /// They are slid where that leaves fewer cells or wider angles.
    Portals,
}

pub(super) fn merge_cells(
    input: Vec<Cell>,
    settings: &PartitionSettings,
    slide: Slide,
) -> Vec<Cell> {
    let mut rings = CellRings::new(&input, settings);
    rings.hertel_mehlhorn(&input);
    if slide == Slide::Portals {
        rings.slide_portals(&input);
    }
    rings.straighten();
    rings.finish(&input)
}
