//! Which parts of the piece graph a taut path can pass at all.
//!
//! In go the pieces with their neighbours and links; out come the graph's biconnected blocks as a
//! tree (Hopcroft and Tarjan, 1973, without recursion). A taut path visits no piece twice, so
//! between two pieces it runs through exactly the blocks on the way between them in that tree. All
//! side rooms, dead ends and branches off the way are left out of a search without looking at them.
//! Links count in both directions here: leaving out a block is then safe for one-way links too.

use crate::pieces::{NONE, Pieces};

/// The biconnected blocks of the piece graph as a tree: a taut path enters a block only if the
/// goal lies in it or beyond it, so all others can be left out of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// The block through which each piece hangs on the tree; [`NONE`] for a root.
    of_pieces: Vec<u32>,
    /// The piece nearest to the root in each block.
    tops: Vec<u32>,
    /// How many blocks lie between each block and its root.
    depths: Vec<u32>,
}

impl Blocks {
    /// Finds the blocks and labels every edge and link sample with its own.
    pub(crate) fn find(pieces: &mut Pieces) -> Self {
        let count = pieces.piece_count();
        let mut search = DepthFirstSearch {
            links_by_end: LinksByEnd::new(pieces),
            edge_count: pieces.edges.len() as u32,
            pieces,
            blocks: Self { of_pieces: vec![NONE; count], ..Self::default() },
            order: vec![NONE; count],
            low: vec![NONE; count],
            clock: 0,
            descents: Vec::new(),
            open_pieces: Vec::new(),
            open_connections: Vec::new(),
        };
        for root in 0..count as u32 {
            if search.order[root as usize] == NONE {
                search.visit_all_from(root);
            }
        }
        let mut blocks = search.blocks;
        blocks.number_depths();
        blocks.label_link_samples(pieces);
        blocks
    }

    /// Number of blocks.
    pub(crate) fn count(&self) -> usize {
        self.tops.len()
    }

    /// Calls `mark` for every block on the way between two pieces of one component.
    pub(crate) fn mark_way(&self, from: u32, to: u32, mut mark: impl FnMut(u32)) {
        let (mut x, mut y) = (from, to);
        let depth = |block: u32| {
            if block == NONE { 0 } else { self.depths[block as usize] as usize + 1 }
        };
        let (mut a, mut b) = (self.of_pieces[x as usize], self.of_pieces[y as usize]);
        while a != b {
            if depth(a) >= depth(b) {
                mark(a);
                x = self.tops[a as usize];
                a = self.of_pieces[x as usize];
            } else {
                mark(b);
                y = self.tops[b as usize];
                b = self.of_pieces[y as usize];
            }
        }
        if x != y && a != NONE {
            mark(a);
        }
    }

    /// How deep each block hangs. A block is closed before the one above it, so the ones above
    /// have the higher numbers.
    fn number_depths(&mut self) {
        self.depths = vec![0; self.tops.len()];
        for block in (0..self.tops.len()).rev() {
            let above = self.of_pieces[self.tops[block] as usize];
            if above != NONE {
                self.depths[block] = self.depths[above as usize] + 1;
            }
        }
    }

    /// A link sample between two pieces of which one was never entered through it still belongs to
    /// the block that holds both.
    fn label_link_samples(&self, pieces: &mut Pieces) {
        for s in &mut pieces.link_samples {
            if s.block == NONE {
                let a = self.of_pieces[s.from_piece as usize];
                let b = self.of_pieces[s.to_piece as usize];
                // One of the two hangs below the other or beside it in the block they share.
                let depth = |x: u32| if x == NONE { 0 } else { self.depths[x as usize] + 1 };
                s.block = if depth(a) >= depth(b) { a } else { b };
            }
        }
    }
}

/// One arm of the graph: the piece it leads to and the connection it uses, an edge of a piece or,
/// beyond the edges, a link sample.
#[derive(Clone, Copy)]
struct Arm {
    to: u32,
    connection: u32,
}

/// A piece on the way from the root to where the search is.
struct Descent {
    piece: u32,
    /// The connection by which the piece was entered, seen from either side.
    entered_by: u32,
    next_arm: u32,
}

/// The search through the graph, from piece to piece as deep as it goes.
struct DepthFirstSearch<'a> {
    pieces: &'a mut Pieces,
    links_by_end: LinksByEnd,
    edge_count: u32,
    blocks: Blocks,
    /// When each piece was visited; [`NONE`] before that.
    order: Vec<u32>,
    /// The earliest piece that each one leads back to other than the way it was entered.
    low: Vec<u32>,
    clock: u32,
    descents: Vec<Descent>,
    /// Pieces and connections of blocks that are not closed yet.
    open_pieces: Vec<u32>,
    open_connections: Vec<u32>,
}

impl DepthFirstSearch<'_> {
    /// Visits all that hangs together with a piece.
    fn visit_all_from(&mut self, root: u32) {
        self.descend(root, NONE);
        while let Some(descent) = self.descents.last_mut() {
            let (from, entered_by, index) = (descent.piece, descent.entered_by, descent.next_arm);
            descent.next_arm += 1;
            let Some(arm) = self.arm(from, index) else {
                self.descents.pop();
                self.come_back(from, entered_by);
                continue;
            };
            if arm.to == NONE || arm.connection == entered_by || arm.to == from {
                continue;
            }
            let to_order = self.order[arm.to as usize];
            if to_order == NONE {
                self.open_pieces.push(arm.to);
                self.open_connections.push(arm.connection);
                self.descend(arm.to, self.other_side(arm.connection));
            } else if to_order < self.order[from as usize] {
                self.open_connections.push(arm.connection);
                let low = &mut self.low[from as usize];
                *low = to_order.min(*low);
            }
        }
    }

    /// Enters a piece for the first time.
    fn descend(&mut self, piece: u32, entered_by: u32) {
        self.order[piece as usize] = self.clock;
        self.low[piece as usize] = self.clock;
        self.clock += 1;
        self.descents.push(Descent { piece, entered_by, next_arm: 0 });
    }

    /// Returns from a piece to the one before it: where nothing leads past that, a block ends.
    fn come_back(&mut self, from: u32, entered_by: u32) {
        let Some(parent) = self.descents.last() else { return };
        let top = parent.piece;
        let low = self.low[from as usize];
        self.low[top as usize] = self.low[top as usize].min(low);
        if low >= self.order[top as usize] {
            self.close_block(top, from, entered_by);
        }
    }

    /// Gives a finished block its number: all that hangs below `top` through `first`.
    fn close_block(&mut self, top: u32, first: u32, entered_by: u32) {
        let block = self.blocks.tops.len() as u32;
        self.blocks.tops.push(top);
        while let Some(piece) = self.open_pieces.pop() {
            self.blocks.of_pieces[piece as usize] = block;
            if piece == first {
                break;
            }
        }
        while let Some(connection) = self.open_connections.pop() {
            if connection < self.edge_count {
                self.pieces.edges[connection as usize].block = block;
                let twin = self.pieces.edges[connection as usize].twin;
                if twin != NONE {
                    self.pieces.edges[twin as usize].block = block;
                }
            } else {
                self.pieces.link_samples[(connection - self.edge_count) as usize].block = block;
            }
            if self.other_side(connection) == entered_by {
                break;
            }
        }
    }

    /// What a connection is called from where it leads: an edge has a twin, a link sample is one
    /// thing from both sides.
    fn other_side(&self, connection: u32) -> u32 {
        if connection < self.edge_count {
            self.pieces.edges[connection as usize].twin
        } else {
            connection
        }
    }

    /// The arms of a piece one after another: its edges, the link samples that start in it, then
    /// those that end in it.
    fn arm(&self, piece: u32, index: u32) -> Option<Arm> {
        let range = self.pieces.range(piece);
        let mut index = index as usize;
        if index < range.len() {
            let connection = (range.start + index) as u32;
            return Some(Arm { to: self.pieces.edges[connection as usize].twin_piece, connection });
        }
        index -= range.len();
        let samples = self.pieces.link_range(piece);
        if index < samples.len() {
            let s = samples.start + index;
            let to = self.pieces.link_samples[s].to_piece;
            return Some(Arm { to, connection: self.edge_count + s as u32 });
        }
        index -= samples.len();
        let &s = self.links_by_end.of_piece(piece).get(index)?;
        let to = self.pieces.link_samples[s as usize].from_piece;
        Some(Arm { to, connection: self.edge_count + s })
    }
}

/// The link samples by the piece where they end.
struct LinksByEnd {
    /// Where in `samples` those of each piece begin, and its length at the end; empty when there
    /// are no links.
    first: Vec<u32>,
    samples: Vec<u32>,
}

impl LinksByEnd {
    fn new(pieces: &Pieces) -> Self {
        if pieces.link_samples.is_empty() {
            return Self { first: Vec::new(), samples: Vec::new() };
        }
        let mut samples: Vec<u32> = (0..pieces.link_samples.len() as u32).collect();
        samples.sort_by_key(|&s| pieces.link_samples[s as usize].to_piece);
        let mut first = vec![0_u32; pieces.piece_count() + 1];
        for s in &pieces.link_samples {
            first[s.to_piece as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        Self { first, samples }
    }

    fn of_piece(&self, piece: u32) -> &[u32] {
        if self.first.is_empty() {
            return &[];
        }
        let i = piece as usize;
        &self.samples[self.first[i] as usize..self.first[i + 1] as usize]
    }
}
