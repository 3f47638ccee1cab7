//! The ground as a query sees it: pieces, the tree and the grid that find them, and what is joined to what.
//!
//! A mesh has one ground for the agent it was built for. For a wider agent there is another, with
//! less of each cell left (see `clearance`); every query works on either.

use crate::data::{Link, NavMeshData};
use crate::mesh::NavMesh;
use crate::piece_tree::PieceTree;
use crate::pieces::{NONE, Pieces};
use crate::plan_grid::PlanGrid;
use glam::DVec2;

/// Pieces and what follows from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    pub(crate) pieces: Pieces,
    pub(crate) tree: PieceTree,
    pub(crate) grid: PlanGrid,
    /// The component of each piece: sets joined by edges or links, whichever way these lead.
    pub(crate) components: Vec<u32>,
}

impl Ground {
    pub(crate) fn new(pieces: Pieces) -> Self {
        let tree = PieceTree::build(&pieces);
        let grid = PlanGrid::build(&pieces);
        let mut parent: Vec<u32> = (0..pieces.piece_count() as u32).collect();
        for (e, edge) in pieces.edges.iter().enumerate() {
            if edge.twin != NONE {
                unite(&mut parent, pieces.edge_pieces[e], edge.twin_piece);
            }
        }
        for s in &pieces.link_samples {
            unite(&mut parent, s.from_piece, s.to_piece);
        }
        let components = number_sets(&mut parent).0;
        Self { pieces, tree, grid, components }
    }
}

/// A ground together with the mesh it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub(crate) mesh: &'a NavMesh,
    pub(crate) ground: &'a Ground,
}

impl std::ops::Deref for Surface<'_> {
    type Target = Ground;

    #[inline]
    fn deref(&self) -> &Ground {
        self.ground
    }
}

impl<'a> Surface<'a> {
    #[inline]
    pub(crate) fn data(self) -> &'a NavMeshData {
        self.mesh.data()
    }

    pub(crate) fn links(self) -> &'a [Link] {
        self.mesh.links()
    }

    pub(crate) fn cell_count(self) -> usize {
        self.mesh.cell_count()
    }

    #[inline]
    pub(crate) fn user_point(self, plan: DVec2, height_m: f64) -> [f64; 3] {
        self.mesh.user_point(plan, height_m)
    }
}

/// The representative of a set, with the way to it halved.
pub(crate) fn find(parent: &mut [u32], mut x: u32) -> u32 {
    while parent[x as usize] != x {
        parent[x as usize] = parent[parent[x as usize] as usize];
        x = parent[x as usize];
    }
    x
}

/// Unites two sets; the smaller number represents both.
pub(crate) fn unite(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

/// Numbers the sets in the order of their first members.
pub(crate) fn number_sets(parent: &mut [u32]) -> (Vec<u32>, u32) {
    let mut numbers = vec![0; parent.len()];
    let mut count = 0;
    for x in 0..parent.len() as u32 {
        let root = find(parent, x);
        // The smallest member represents its set, so it comes first.
        if root == x {
            numbers[x as usize] = count;
            count += 1;
        } else {
            numbers[x as usize] = numbers[root as usize];
        }
    }
    (numbers, count)
}
