//! The way from the start's piece to the goal's: a row of crossings.
//!
//! A *corridor* consists of portals (edges of pieces, named from the side that is left) and links.
//! A search finds it, and the funnel turns every stretch of it without links into a path.

use super::funnel::Portal;
use super::query_mesh::QueryMesh;
use crate::pieces::Pieces;

/// One crossing of a corridor: an edge of a piece, or a link sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing(u32);

const LINK_BIT: u32 = 1 << 31;

impl Crossing {
    pub(crate) const NONE: Self = Self(u32::MAX);

    pub(crate) fn portal(edge: u32) -> Self {
        Self(edge)
    }

    pub(crate) fn link(sample: u32) -> Self {
        Self(sample | LINK_BIT)
    }

    /// The link sample, if it is one.
    #[inline]
    pub(crate) fn as_link(self) -> Option<usize> {
        (self.0 & LINK_BIT != 0).then_some((self.0 & !LINK_BIT) as usize)
    }

    /// The edge that is left through. Only for portals.
    #[inline]
    pub(crate) fn edge(self) -> u32 {
        self.0
    }

    /// The piece that is entered.
    pub(crate) fn entered(self, pieces: &Pieces) -> u32 {
        match self.as_link() {
            Some(sample) => pieces.link_samples[sample].to_piece,
            None => pieces.edges[self.0 as usize].twin_piece,
        }
    }

    /// The piece that is left.
    pub(crate) fn left(self, pieces: &Pieces) -> u32 {
        match self.as_link() {
            Some(sample) => pieces.link_samples[sample].from_piece,
            None => pieces.edge_pieces[self.0 as usize],
        }
    }
}

/// The number of portals before the first link.
pub(super) fn stretch_length(corridor: &[Crossing]) -> usize {
    corridor.iter().position(|c| c.as_link().is_some()).unwrap_or(corridor.len())
}

/// Writes the portals of a stretch without links into a buffer.
pub(super) fn fill_portals(mesh: QueryMesh<'_>, stretch: &[Crossing], portals: &mut Vec<Portal>) {
    portals.clear();
    portals.extend(stretch.iter().map(|c| {
        let (right, left) = mesh.pieces.portal(c.edge());
        Portal { left, right }
    }));
}
