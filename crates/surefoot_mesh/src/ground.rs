//! The ground of an agent: pieces, the tree and the grid that find them, and what is joined to what.
//!
//! A mesh has one ground for the agent it was built for. For a wider agent there is another, with
//! less of each cell left (see `clearance`); every query works on either.

use crate::biconnected::Blocks;
use crate::piece_tree::PieceTree;
use crate::pieces::{NONE, Pieces};
use crate::plan_grid::PlanGrid;
use surefoot_geom::DisjointSets;

/// Pieces and what follows from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    pub(crate) pieces: Pieces,
    pub(crate) blocks: Blocks,
    pub(crate) tree: PieceTree,
    pub(crate) grid: PlanGrid,
    /// The component of each piece: sets joined by edges or links, whichever way these lead.
    pub(crate) components: Vec<u32>,
}

impl Ground {
    /// Works out what follows from joined pieces, and tells every crossing of its block.
    pub(crate) fn new(mut pieces: Pieces) -> Self {
        let blocks = Blocks::find(&mut pieces);
        let tree = PieceTree::build(&pieces);
        let grid = PlanGrid::build(&pieces);
        let mut sets = DisjointSets::new(pieces.piece_count());
        for (e, edge) in pieces.edges.iter().enumerate() {
            if edge.twin != NONE {
                sets.join(pieces.edge_pieces[e], edge.twin_piece);
            }
        }
        for s in &pieces.link_samples {
            sets.join(s.from_piece, s.to_piece);
        }
        let components = sets.number().0;
        Self { pieces, blocks, tree, grid, components }
    }
}
