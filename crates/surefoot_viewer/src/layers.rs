//! Storeys of a mesh: which cells can be looked at together from above.
//!
//! A mesh goes in; a layer for every cell comes out, counted from zero at the bottom. A cell lies one
//! layer above the highest layer among the cells straight below any part of it, so no layer lies over
//! itself anywhere, and a building of three floors has three layers, with its stairs on the layers
//! that they pass over.
//!
//! Cells are laid one after another from the lowest up, into a tree whose nodes know their highest
//! layer. Of what lies below a cell only the highest is asked for, so of a hundred thousand cells over
//! one another each asks about one.

use glam::DVec2;
use surefoot_mesh::{CellId, NavMesh, VertexId};

/// Cells that overlap by less than this in plan only touch, in metres.
const TOUCH_M: f64 = 1e-3;

/// So many corners may be compared for each corner of the mesh, and for the smallest mesh: hundreds of
/// times what real levels take. After that cells count as large as the boxes around them, which may
/// give them higher layers than they need.
const CORNERS_PER_CORNER: u64 = 1 << 12;
const LEAST_CORNERS: u64 = 1 << 24;

/// The layer of every cell.
pub(crate) fn find_layers(mesh: &NavMesh) -> Vec<u16> {
    let data = mesh.data();
    let cells: Vec<CellId> = mesh.cells().collect();
    let point = |v: VertexId| DVec2::from(data.vertex_points[v.index()].to_m());
    let outline = |c: &CellId| -> Vec<DVec2> { mesh.cell_vertices(*c).map(point).collect() };
    let outlines: Vec<Vec<DVec2>> = cells.iter().map(outline).collect();
    let height = |c: &CellId| {
        let all = mesh.cell_vertices(*c);
        let count = all.len().max(1) as f64;
        all.map(|v| f64::from(data.vertex_heights_m[v.index()])).sum::<f64>() / count
    };
    let heights: Vec<f64> = cells.iter().map(height).collect();
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    order.sort_by(|&a, &b| heights[a as usize].total_cmp(&heights[b as usize]).then(a.cmp(&b)));
    let mut pile = Pile::new(&outlines);
    let mut layers = vec![0_u16; cells.len()];
    for cell in order {
        let below = pile.highest_below(cell);
        let layer = below.map_or(0, |layer| layer.saturating_add(1));
        layers[cell as usize] = layer;
        pile.lay(cell, layer);
    }
    layers
}

/// A box in plan.
#[derive(Clone, Copy)]
struct PlanBox {
    low: DVec2,
    high: DVec2,
}

impl PlanBox {
    const EMPTY: Self = Self { low: DVec2::INFINITY, high: DVec2::NEG_INFINITY };

    /// The box around an outline, less what counts as a touch.
    fn inside(outline: &[DVec2]) -> Self {
        let low = outline.iter().fold(DVec2::INFINITY, |m, &p| m.min(p));
        let high = outline.iter().fold(DVec2::NEG_INFINITY, |m, &p| m.max(p));
        let shrink = DVec2::splat(TOUCH_M).min(0.49 * (high - low));
        Self { low: low + shrink, high: high - shrink }
    }

    fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && self.high.cmpge(other.low).all()
    }
}

/// The cells that have been laid, in a binary tree: the children of node `n` are `2n` and `2n + 1`.
struct Pile<'a> {
    outlines: &'a [Vec<DVec2>],
    /// The box of every node, whether its cells have been laid or not.
    boxes: Vec<PlanBox>,
    /// The highest layer of the cells laid below every node; `None` where there are none.
    highest: Vec<Option<u16>>,
    /// The node of each cell, and the cell of each leaf.
    leaves: Vec<u32>,
    cells: Vec<u32>,
    /// Nodes that wait to be looked at.
    waiting: Vec<u32>,
    corners_left: u64,
}

impl<'a> Pile<'a> {
    /// An empty pile for cells of these outlines.
    fn new(outlines: &'a [Vec<DVec2>]) -> Self {
        let own: Vec<PlanBox> = outlines.iter().map(|o| PlanBox::inside(o)).collect();
        let all = own.iter().fold(PlanBox::EMPTY, |m, &b| m.union(b));
        let size = (all.high - all.low).max_element().max(f64::MIN_POSITIVE);
        // Neighbours in plan become neighbours in the tree: sorted along a Z-order curve.
        let code = |b: &PlanBox| {
            let at = ((b.low + b.high) * 0.5 - all.low) / size * f64::from(u16::MAX);
            spread(at.x as u32) | spread(at.y as u32) << 1
        };
        let mut cells: Vec<u32> = (0..outlines.len() as u32).collect();
        cells.sort_by_cached_key(|&c| (code(&own[c as usize]), c));
        let first_leaf = outlines.len().next_power_of_two();
        let mut boxes = vec![PlanBox::EMPTY; 2 * first_leaf];
        let mut leaves = vec![0; outlines.len()];
        for (node, &cell) in (first_leaf..).zip(&cells) {
            boxes[node] = own[cell as usize];
            leaves[cell as usize] = node as u32;
        }
        for node in (1..first_leaf).rev() {
            boxes[node] = boxes[2 * node].union(boxes[2 * node + 1]);
        }
        let corners: usize = outlines.iter().map(Vec::len).sum();
        Self {
            outlines,
            highest: vec![None; boxes.len()],
            boxes,
            leaves,
            cells,
            waiting: Vec::new(),
            corners_left: LEAST_CORNERS + CORNERS_PER_CORNER * corners as u64,
        }
    }

    /// Lays a cell.
    fn lay(&mut self, cell: u32, layer: u16) {
        let mut node = self.leaves[cell as usize] as usize;
        while node > 0 {
            self.highest[node] = self.highest[node].max(Some(layer));
            node /= 2;
        }
    }

    /// The highest layer of all cells laid that a cell overlaps.
    fn highest_below(&mut self, cell: u32) -> Option<u16> {
        let own_box = self.boxes[self.leaves[cell as usize] as usize];
        let first_leaf = self.boxes.len() / 2;
        let mut best = None;
        self.waiting.clear();
        self.waiting.push(1);
        while let Some(node) = self.waiting.pop() {
            let node = node as usize;
            self.corners_left = self.corners_left.saturating_sub(1);
            if self.highest[node] <= best || !self.boxes[node].meets(&own_box) {
                continue;
            }
            if node >= first_leaf {
                if self.overlaps(cell, self.cells[node - first_leaf]) {
                    best = self.highest[node];
                }
                continue;
            }
            // The child that is higher comes first, since it may make the other needless.
            let children = [2 * node, 2 * node + 1];
            let right_is_higher = self.highest[children[1]] > self.highest[children[0]];
            let [first, second] = if right_is_higher { [1, 0] } else { [0, 1] };
            self.waiting.push(children[second] as u32);
            self.waiting.push(children[first] as u32);
        }
        best
    }

    /// Whether two cells whose boxes meet overlap.
    fn overlaps(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.outlines[a as usize], &self.outlines[b as usize]);
        let compared = a.len() as u64 * b.len() as u64;
        match self.corners_left.checked_sub(compared) {
            Some(left) => {
                self.corners_left = left;
                overlap(a, b)
            }
            None => true,
        }
    }
}

/// Spreads 16 bits so that a free bit follows each.
fn spread(v: u32) -> u32 {
    let x = v & 0xffff;
    let x = (x | x << 8) & 0x00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f;
    let x = (x | x << 2) & 0x3333_3333;
    (x | x << 1) & 0x5555_5555
}

/// Whether two convex outlines overlap by more than a touch: no edge of either separates them.
fn overlap(a: &[DVec2], b: &[DVec2]) -> bool {
    let separated_by = |edges: &[DVec2], others: &[DVec2]| {
        (0..edges.len()).any(|i| {
            let (from, to) = (edges[i], edges[(i + 1) % edges.len()]);
            let outwards = (from - to).perp().normalize_or_zero();
            if outwards == DVec2::ZERO {
                return false;
            }
            others.iter().all(|p| (*p - from).dot(outwards) > -TOUCH_M)
        })
    };
    !separated_by(a, b) && !separated_by(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_mesh::{Agent, NavMeshData};

    #[test]
    fn a_floor_over_a_floor_is_the_next_layer() {
        // Two squares side by side, and one over the second, shifted.
        let mut points: Vec<[f32; 3]> = Vec::new();
        for z in [0.0, 4.0] {
            points.extend([0.0, 4.0, 8.0].map(|x| [x, 0.0, z]));
        }
        points.extend([[5.0, 3.0, 0.0], [9.0, 3.0, 0.0], [5.0, 3.0, 4.0], [9.0, 3.0, 4.0]]);
        let cells = [vec![0, 3, 4, 1], vec![1, 4, 5, 2], vec![6, 8, 9, 7]];
        let up = [0.0, 1.0, 0.0];
        let data = NavMeshData::from_polygons(&points, &cells, Agent::default(), up).unwrap();
        let mesh = data.validate().unwrap();
        assert_eq!(find_layers(&mesh), [0, 0, 1]);
    }

    /// Triangles over one another, each turned a little and a centimetre above the last.
    fn tower(storeys: u32) -> NavMesh {
        let mut points: Vec<[f32; 3]> = Vec::new();
        for k in 0..storeys {
            let corner = |third: f64| {
                let angle = (third + f64::from(k) * 0.001) * std::f64::consts::TAU / 3.0;
                [(4.0 * angle.cos()) as f32, k as f32 * 0.01, (-4.0 * angle.sin()) as f32]
            };
            points.extend([0.0, 1.0, 2.0].map(corner));
        }
        let cells: Vec<Vec<u32>> = (0..storeys).map(|k| (3 * k..3 * k + 3).collect()).collect();
        let up = [0.0, 1.0, 0.0];
        NavMeshData::from_polygons(&points, &cells, Agent::default(), up)
            .unwrap()
            .validate()
            .unwrap()
    }

    /// What lies below a cell must not be listed: that would be 1.8 thousand million pairs.
    #[test]
    fn sixty_thousand_storeys_are_counted_one_by_one() {
        let layers = find_layers(&tower(60_000));
        assert!((0..60_000).eq(layers.into_iter().map(u32::from)));
    }

    /// Slats that cross each other's boxes and not each other: where that takes too long to tell apart,
    /// layers are higher than they need be, and none lies over itself.
    #[test]
    fn layers_never_lie_over_themselves_however_long_the_search_takes() {
        let count = 400_u32;
        let mut points: Vec<[f32; 3]> = Vec::new();
        for k in 0..count {
            let (at, y) = (k as f32 * 0.02, k as f32 * 0.01);
            points.extend([[at, y, 0.0], [at + 9.0, y, -9.0], [at + 8.99, y, -9.0]]);
        }
        let cells: Vec<Vec<u32>> = (0..count).map(|k| (3 * k..3 * k + 3).collect()).collect();
        let up = [0.0, 1.0, 0.0];
        let data = NavMeshData::from_polygons(&points, &cells, Agent::default(), up).unwrap();
        let mesh = data.validate().unwrap();
        assert_eq!(find_layers(&mesh), vec![0; count as usize]);
        let outlines: Vec<Vec<DVec2>> = mesh
            .cells()
            .map(|c| {
                let points = mesh.cell_vertices(c).map(|v| mesh.data().vertex_points[v.index()]);
                points.map(|p| DVec2::from(p.to_m())).collect()
            })
            .collect();
        let mut pile = Pile::new(&outlines);
        pile.corners_left = 5000;
        let mut highest = 0;
        for cell in 0..count {
            let layer = pile.highest_below(cell).map_or(0, |layer| layer + 1);
            pile.lay(cell, layer);
            highest = highest.max(layer);
        }
        assert!(highest > 0, "five thousand corners are enough for all");
    }

    #[test]
    fn touching_is_not_overlapping() {
        let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]].map(DVec2::from);
        assert!(!overlap(&square(0.0), &square(1.0)));
        assert!(overlap(&square(0.0), &square(0.9)));
    }
}
