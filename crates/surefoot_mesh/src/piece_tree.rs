//! Finding pieces by position: a packed tree of boxes, built once.
//!
//! In go the pieces' boxes; out comes a tree whose nodes hold eight children side by side, so that
//! one look tests eight boxes. Leaves are sorted along a space-filling curve (Morton order), as in
//! Kamel and Faloutsos' packed R-trees (1993), and every level is full, so the tree has exactly
//! the size that the number of pieces asks for. Queries allocate nothing.

use crate::pieces::Pieces;

/// Children of a node.
const WIDTH: usize = 8;

/// The most nodes that can wait to be looked at: every level leaves at most `WIDTH - 1` behind.
const STACK: usize = 96;

/// A box in canonical coordinates, in metres, rounded outwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Box3 {
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
}

/// Eight boxes side by side. Missing ones are empty: nothing is within any distance of them.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct TreeNode {
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
}

/// The tree over all pieces of a mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct PieceTree {
    /// All nodes, level by level from the leaves up; the last is the root.
    nodes: Vec<TreeNode>,
    /// The first node of each level, from the leaves up, and the number of nodes at the end.
    levels: Vec<u32>,
    /// The pieces in the order of the leaves' children.
    pieces: Vec<u32>,
}

/// Rounds down to `f32`.
fn below(v: f64) -> f32 {
    let f = v as f32;
    if f64::from(f) > v { f.next_down() } else { f }
}

/// Rounds up to `f32`.
fn above(v: f64) -> f32 {
    let f = v as f32;
    if f64::from(f) < v { f.next_up() } else { f }
}

/// The greater of two numbers, the second where they do not compare: one instruction.
#[inline]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Spreads the low 21 bits so that two free bits follow each.
fn spread(v: u32) -> u64 {
    let mut x = u64::from(v) & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

impl Box3 {
    const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    fn grow(&mut self, other: &Self) {
        for k in 0..3 {
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
        }
    }

    pub(crate) fn of_piece(pieces: &Pieces, piece: u32) -> Self {
        let mut b = Self::EMPTY;
        for i in pieces.range(piece) {
            let e = &pieces.edges[i];
            let z = pieces.heights[i];
            b.grow(&Self { low: [below(e.x), below(e.y), z], high: [above(e.x), above(e.y), z] });
        }
        // Heights over a flat piece are read off its plane, which may leave its corners by a
        // tenth of a millimetre.
        b.low[2] -= 2e-4 + b.low[2].abs() * f32::EPSILON;
        b.high[2] += 2e-4 + b.high[2].abs() * f32::EPSILON;
        b
    }
}

impl TreeNode {
    const EMPTY: Self =
        Self { low: [[f32::INFINITY; WIDTH]; 3], high: [[f32::NEG_INFINITY; WIDTH]; 3] };

    fn set(&mut self, lane: usize, b: &Box3) {
        for k in 0..3 {
            self.low[k][lane] = b.low[k];
            self.high[k][lane] = b.high[k];
        }
    }

    fn bounds(&self) -> Box3 {
        let mut b = Box3::EMPTY;
        for lane in 0..WIDTH {
            b.grow(&Box3 {
                low: std::array::from_fn(|k| self.low[k][lane]),
                high: std::array::from_fn(|k| self.high[k][lane]),
            });
        }
        b
    }

    /// Squared distances from a point to the boxes; infinite where the box is empty or does not
    /// meet the search box.
    #[inline]
    fn distances(&self, p: [f32; 3], search: &Box3) -> [f32; WIDTH] {
        std::array::from_fn(|lane| {
            let mut sum = 0.0;
            let mut meets = true;
            for k in 0..3 {
                let (low, high) = (self.low[k][lane], self.high[k][lane]);
                meets &= low <= search.high[k] && high >= search.low[k];
                let d = greater(greater(low - p[k], p[k] - high), 0.0);
                sum += d * d;
            }
            if meets { sum } else { f32::INFINITY }
        })
    }
}

impl PieceTree {
    pub(crate) fn build(pieces: &Pieces) -> Self {
        let count = pieces.piece_count();
        if count == 0 {
            return Self::default();
        }
        let boxes: Vec<Box3> = (0..count as u32).map(|p| Box3::of_piece(pieces, p)).collect();
        let mut all = Box3::EMPTY;
        boxes.iter().for_each(|b| all.grow(b));
        // One scale for all axes keeps the leaves' boxes roundish.
        let extent = (0..3).map(|k| all.high[k] - all.low[k]).fold(f32::MIN_POSITIVE, f32::max);
        let mut order: Vec<(u64, u32)> = boxes
            .iter()
            .enumerate()
            .map(|(i, b)| {
                let cell = |k: usize| {
                    let middle = 0.5 * (b.low[k] + b.high[k]) - all.low[k];
                    spread((middle / extent * 2_097_151.0) as u32)
                };
                (cell(0) | cell(1) << 1 | cell(2) << 2, i as u32)
            })
            .collect();
        order.sort_unstable();
        let mut tree = Self { pieces: order.iter().map(|&(_, i)| i).collect(), ..Self::default() };
        let mut level: Vec<Box3> = order.iter().map(|&(_, i)| boxes[i as usize]).collect();
        loop {
            tree.levels.push(tree.nodes.len() as u32);
            let mut above = Vec::with_capacity(level.len().div_ceil(WIDTH));
            for children in level.chunks(WIDTH) {
                let mut node = TreeNode::EMPTY;
                for (lane, b) in children.iter().enumerate() {
                    node.set(lane, b);
                }
                above.push(node.bounds());
                tree.nodes.push(node);
            }
            level = above;
            if level.len() == 1 {
                break;
            }
        }
        tree.levels.push(tree.nodes.len() as u32);
        tree
    }

    /// Visits the pieces whose boxes meet the search box, the nearer first as far as the tree's
    /// order tells. `visit` returns the squared distance beyond which nothing matters any more.
    #[inline]
    pub(crate) fn visit_near(
        &self,
        point: [f64; 3],
        search: &Box3,
        mut limit2: f64,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        let Some(root) = self.nodes.len().checked_sub(1) else { return };
        let p = point.map(|c| c as f32);
        // What rounding the point to f32 can add to a distance.
        let slack = p.iter().fold(0.0_f32, |m, c| m.max(c.abs())) * f32::EPSILON * 4.0;
        let mut stack = [(0.0_f32, 0_u32, 0_u8); STACK];
        stack[0] = (0.0, root as u32, (self.levels.len() - 2) as u8);
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (distance, index, level) = stack[waiting];
            let reach = limit2.sqrt() as f32 + slack;
            if distance > reach * reach {
                continue;
            }
            let node = &self.nodes[index as usize];
            let distances = node.distances(p, search);
            let within = (index - self.levels[usize::from(level)]) as usize * WIDTH;
            let base = waiting;
            for (lane, &d) in distances.iter().enumerate() {
                if d == f32::INFINITY || d > reach * reach || d.is_nan() {
                    continue;
                }
                // Sorted so that the nearest lies on top.
                let mut at = waiting;
                while at > base && stack[at - 1].0 < d {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = (d, (within + lane) as u32, level);
                waiting += 1;
            }
            if level == 0 {
                while waiting > base {
                    waiting -= 1;
                    let reach = limit2.sqrt() as f32 + slack;
                    if stack[waiting].0 > reach * reach {
                        waiting = base;
                        break;
                    }
                    limit2 = limit2.min(visit(self.pieces[stack[waiting].1 as usize]));
                }
            } else {
                let below = self.levels[usize::from(level) - 1];
                for entry in &mut stack[base..waiting] {
                    entry.1 += below;
                    entry.2 = level - 1;
                }
            }
        }
    }
}
