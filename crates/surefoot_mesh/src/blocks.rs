//! Which parts of the piece graph a taut path can pass at all.
//!
//! In go the pieces with their neighbours and links; out come the graph's biconnected blocks as a
//! tree (Hopcroft and Tarjan, 1973, without recursion). A taut path visits no piece twice, so
//! between two pieces it runs through exactly the blocks on the way between them in that tree. All
//! side rooms, dead ends and branches off the way are left out of a search without looking at them.
//! Links count in both directions here: leaving out a block is then safe for one-way links too.

use crate::pieces::{Blocks, NONE, Pieces};

/// One arm of the graph: the piece it leads to and the connection it uses, an edge of a piece or,
/// beyond the edges, a link sample.
#[derive(Clone, Copy)]
struct Arm {
    to: u32,
    connection: u32,
}

struct Visit {
    piece: u32,
    /// The connection by which the piece was entered, seen from either side.
    entered_by: u32,
    next_arm: u32,
}

impl Pieces {
    /// Finds the blocks and labels every connection with its own.
    pub(crate) fn find_blocks(&mut self) {
        let count = self.piece_count();
        let edge_count = self.edges.len() as u32;
        let backward_links = self.backward_links();
        let mut order = vec![NONE; count];
        let mut low = vec![NONE; count];
        let mut clock = 0;
        let mut blocks = Blocks { of_pieces: vec![NONE; count], ..Blocks::default() };
        let mut visits: Vec<Visit> = Vec::new();
        let mut pending: Vec<u32> = Vec::new();
        let mut connections: Vec<u32> = Vec::new();
        for root in 0..count as u32 {
            if order[root as usize] != NONE {
                continue;
            }
            order[root as usize] = clock;
            low[root as usize] = clock;
            clock += 1;
            visits.push(Visit { piece: root, entered_by: NONE, next_arm: 0 });
            while let Some(visit) = visits.last_mut() {
                let v = visit.piece;
                let entered_by = visit.entered_by;
                let arm = self.arm(v, visit.next_arm, &backward_links);
                visit.next_arm += 1;
                let Some(arm) = arm else {
                    visits.pop();
                    if let Some(parent) = visits.last() {
                        let u = parent.piece;
                        low[u as usize] = low[u as usize].min(low[v as usize]);
                        if low[v as usize] >= order[u as usize] {
                            self.close_block(
                                u,
                                entered_by,
                                v,
                                &mut blocks,
                                &mut pending,
                                &mut connections,
                            );
                        }
                    }
                    continue;
                };
                if arm.to == NONE || arm.connection == entered_by || arm.to == v {
                    continue;
                }
                let w = arm.to;
                if order[w as usize] == NONE {
                    order[w as usize] = clock;
                    low[w as usize] = clock;
                    clock += 1;
                    pending.push(w);
                    connections.push(arm.connection);
                    visits.push(Visit {
                        piece: w,
                        entered_by: self.other_side(arm.connection, edge_count),
                        next_arm: 0,
                    });
                } else if order[w as usize] < order[v as usize] {
                    connections.push(arm.connection);
                    low[v as usize] = low[v as usize].min(order[w as usize]);
                }
            }
        }
        blocks.number_depths();
        self.blocks = blocks;
        self.label_link_samples();
    }

    /// Gives a finished block its number: all that hangs below `u` through `v`.
    fn close_block(
        &mut self,
        u: u32,
        entered_by: u32,
        v: u32,
        blocks: &mut Blocks,
        pending: &mut Vec<u32>,
        connections: &mut Vec<u32>,
    ) {
        let edge_count = self.edges.len() as u32;
        let block = blocks.tops.len() as u32;
        blocks.tops.push(u);
        while let Some(piece) = pending.pop() {
            blocks.of_pieces[piece as usize] = block;
            if piece == v {
                break;
            }
        }
        while let Some(connection) = connections.pop() {
            if connection < edge_count {
                self.edges[connection as usize].block = block;
                let twin = self.edges[connection as usize].twin;
                if twin != NONE {
                    self.edges[twin as usize].block = block;
                }
            } else {
                self.link_samples[(connection - edge_count) as usize].block = block;
            }
            if self.other_side(connection, edge_count) == entered_by {
                break;
            }
        }
    }

    /// What a connection is called from where it leads: an edge has a twin, a link sample is one
    /// thing from both sides.
    fn other_side(&self, connection: u32, edge_count: u32) -> u32 {
        if connection < edge_count { self.edges[connection as usize].twin } else { connection }
    }

    /// The arms of a piece one after another: its edges, the link samples that start in it, then
    /// those that end in it.
    fn arm(&self, piece: u32, index: u32, backward: &(Vec<u32>, Vec<u32>)) -> Option<Arm> {
        let edge_count = self.edges.len() as u32;
        let range = self.range(piece);
        let mut index = index as usize;
        if index < range.len() {
            let connection = (range.start + index) as u32;
            return Some(Arm { to: self.edges[connection as usize].twin_piece, connection });
        }
        index -= range.len();
        let samples = self.link_range(piece);
        if index < samples.len() {
            let s = samples.start + index;
            return Some(Arm {
                to: self.link_samples[s].to_piece,
                connection: edge_count + s as u32,
            });
        }
        index -= samples.len();
        let (first, list) = backward;
        if first.is_empty() {
            return None;
        }
        let arms = first[piece as usize] as usize..first[piece as usize + 1] as usize;
        let &s = list[arms].get(index)?;
        Some(Arm { to: self.link_samples[s as usize].from_piece, connection: edge_count + s })
    }

    /// The link samples by the piece where they end, as a first index per piece and a list.
    fn backward_links(&self) -> (Vec<u32>, Vec<u32>) {
        if self.link_samples.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let mut list: Vec<u32> = (0..self.link_samples.len() as u32).collect();
        list.sort_by_key(|&s| self.link_samples[s as usize].to_piece);
        let mut first = vec![0_u32; self.piece_count() + 1];
        for s in &self.link_samples {
            first[s.to_piece as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        (first, list)
    }

    /// A link sample between two pieces of which one was never entered through it still belongs to
    /// the block that holds both.
    fn label_link_samples(&mut self) {
        for i in 0..self.link_samples.len() {
            let s = self.link_samples[i];
            if s.block == NONE {
                let (a, b) = (
                    self.blocks.of_pieces[s.from_piece as usize],
                    self.blocks.of_pieces[s.to_piece as usize],
                );
                // One of the two hangs below the other or beside it in the block they share.
                let depth = |x: u32| if x == NONE { 0 } else { self.blocks.depths[x as usize] + 1 };
                self.link_samples[i].block = if depth(a) >= depth(b) { a } else { b };
            }
        }
    }
}

impl Blocks {
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
}
