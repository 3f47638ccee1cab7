//! A bounding-volume hierarchy over boxes, for box, prism, column and ray queries.
//!
//! In go axis-aligned boxes; out comes a tree whose queries name the boxes (by their index in the
//! input) that a region may touch. The boxes are sorted along a Morton curve (Karras, "Maximizing
//! parallelism in the construction of BVHs, octrees, and k-d trees", 2012) and packed eight to a
//! node, level upon level, so the layout is implicit: lane `i` of node `j` is node `8 j + i` of the
//! level below. A node keeps its eight boxes as columns of `f32`, so that one test covers all
//! eight lanes. Rays follow Ize, "Robust BVH ray traversal" (2013), and triangles are met by the
//! watertight test of Woop, Benthin and Wald (2013) with exact signs.
//!
//! Stored boxes and query boxes are rounded outwards to `f32`: a query may name a box that it just
//! misses, and never misses one that it touches. Queries allocate nothing and visit in an order
//! that depends on the boxes alone, not on the number of threads that built the tree.

mod ray;

pub use ray::{Hit, Ray};

use std::ops::ControlFlow;

use glam::{BVec4A, DVec2, DVec3, Vec4};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Boxes in a node.
const WIDTH: usize = 8;

/// Levels that 2³² boxes need.
const MAX_LEVELS: usize = 11;

/// Below this number of boxes a tree is built on the calling thread.
#[cfg(feature = "parallel")]
const PARALLEL_FROM: usize = 1 << 13;

/// An axis-aligned box, closed on all sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub lo: DVec3,
    /// The corner with the largest coordinates.
    pub hi: DVec3,
}

impl Aabb {
    /// The box that holds nothing; the neutral element of [`Aabb::union`].
    pub const EMPTY: Self =
        Self { lo: DVec3::splat(f64::INFINITY), hi: DVec3::splat(f64::NEG_INFINITY) };

    /// A box from two corners.
    #[must_use]
    pub const fn new(lo: DVec3, hi: DVec3) -> Self {
        Self { lo, hi }
    }

    /// A box in plan, with height zero, for trees that hold plan boxes only.
    #[must_use]
    pub fn in_plan(lo: DVec2, hi: DVec2) -> Self {
        Self { lo: lo.extend(0.0), hi: hi.extend(0.0) }
    }

    /// The smallest box around some points; empty when there are none.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { lo: b.lo.min(p), hi: b.hi.max(p) })
    }

    /// The smallest box around two boxes.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The box grown by a margin on all sides.
    #[must_use]
    pub fn grown(self, margin: f64) -> Self {
        Self { lo: self.lo - margin, hi: self.hi + margin }
    }

    /// Whether two boxes have a point in common; touching counts.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.lo.cmple(other.hi).all() && self.hi.cmpge(other.lo).all()
    }

    /// Whether the box holds nothing: a low coordinate above its high one, or not a number.
    fn is_empty(&self) -> bool {
        !self.lo.cmple(self.hi).all()
    }
}

/// A box rounded outwards to `f32`, as [lo, hi].
fn outwards(b: &Aabb) -> ([f32; 3], [f32; 3]) {
    let down = |x: f64| {
        let f = x as f32;
        if f64::from(f) > x { f.next_down() } else { f }
    };
    let up = |x: f64| {
        let f = x as f32;
        if f64::from(f) < x { f.next_up() } else { f }
    };
    (b.lo.to_array().map(down), b.hi.to_array().map(up))
}

/// A query rounded outwards to `f32`. It stays finite, so that it cannot touch a lane without a box.
fn reaching(query: &Aabb) -> ([f32; 3], [f32; 3]) {
    let (lo, hi) = outwards(query);
    // `max` and `min` would take a NaN for a limit.
    (lo.map(|c| if c < f32::MIN { f32::MIN } else { c }), {
        hi.map(|c| if c > f32::MAX { f32::MAX } else { c })
    })
}

/// Eight boxes as columns: `lo[axis][lane]`. A lane without a box has `lo` = +∞ and `hi` = -∞.
#[derive(Clone, Copy, Debug)]
struct Node {
    lo: [[f32; WIDTH]; 3],
    hi: [[f32; WIDTH]; 3],
}

impl Node {
    const EMPTY: Self =
        Self { lo: [[f32::INFINITY; WIDTH]; 3], hi: [[f32::NEG_INFINITY; WIDTH]; 3] };

    fn set(&mut self, lane: usize, (lo, hi): ([f32; 3], [f32; 3])) {
        for axis in 0..3 {
            self.lo[axis][lane] = lo[axis];
            self.hi[axis][lane] = hi[axis];
        }
    }

    /// The box around all lanes.
    fn around(&self) -> ([f32; 3], [f32; 3]) {
        (
            self.lo.map(|c| c.into_iter().fold(f32::INFINITY, f32::min)),
            self.hi.map(|c| c.into_iter().fold(f32::NEG_INFINITY, f32::max)),
        )
    }

    fn aabb(&self, lane: usize) -> Aabb {
        Aabb {
            lo: DVec3::from_array([0, 1, 2].map(|a| f64::from(self.lo[a][lane]))),
            hi: DVec3::from_array([0, 1, 2].map(|a| f64::from(self.hi[a][lane]))),
        }
    }

    fn is_lane_empty(&self, lane: usize) -> bool {
        self.lo[0][lane] > self.hi[0][lane]
    }

    /// One bit for every lane that the query touches.
    #[inline]
    fn touched(&self, lo: &[f32; 3], hi: &[f32; 3]) -> u8 {
        // Four lanes at a time, in vectors: compilers make a muddle of the plain loop.
        let half = |first: usize| {
            let mut hit = BVec4A::TRUE;
            for axis in 0..3 {
                let low = Vec4::from_slice(&self.lo[axis][first..]);
                let high = Vec4::from_slice(&self.hi[axis][first..]);
                hit &= low.cmple(Vec4::splat(hi[axis])) & high.cmpge(Vec4::splat(lo[axis]));
            }
            hit.bitmask()
        };
        (half(0) | half(WIDTH / 2) << (WIDTH / 2)) as u8
    }
}

/// A tree over boxes. See the module's text for its layout and guarantees.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    /// All levels, the one above the boxes first, the root last.
    nodes: Vec<Node>,
    /// Where each level begins in `nodes`.
    level_start: Vec<u32>,
    /// The input index of each box, in the order of the lanes of the first level.
    ids: Vec<u32>,
}

impl BoxTree {
    /// Builds the tree. A box that is empty or holds a NaN is never found by a query.
    ///
    /// # Panics
    /// With 2³² - 1 or more boxes, which take 200 GB of memory: ids are `u32`.
    #[must_use]
    pub fn build(boxes: &[Aabb]) -> Self {
        Self::build_with(boxes.len(), |i| boxes[i as usize])
    }

    /// Builds the tree over boxes that are computed where they are needed (twice each), so that a
    /// caller with other data needs no array of boxes. `box_of` must give the same box for the same
    /// index.
    ///
    /// # Panics
    /// With 2³² - 1 or more boxes: ids are `u32`.
    #[must_use]
    pub fn build_with(count: usize, box_of: impl Fn(u32) -> Aabb + Sync) -> Self {
        assert!(count < u32::MAX as usize, "a BoxTree holds fewer than 2^32 - 1 boxes");
        if count == 0 {
            return Self::default();
        }
        let ids = sort_along_curve(count as u32, &box_of);
        let mut nodes = make_nodes(count.div_ceil(WIDTH), |n| {
            let mut node = Node::EMPTY;
            for (lane, &id) in ids[n * WIDTH..].iter().take(WIDTH).enumerate() {
                let b = box_of(id);
                if !b.is_empty() {
                    node.set(lane, outwards(&b));
                }
            }
            node
        });
        // All levels above hold at most one seventh as many, and a node for each rounding up.
        nodes.reserve_exact(nodes.len() / (WIDTH - 1) + MAX_LEVELS);
        let mut level_start = vec![0_u32];
        let mut below = 0..nodes.len();
        while below.len() > 1 {
            let children = &nodes[below.clone()];
            let level = make_nodes(below.len().div_ceil(WIDTH), |n| {
                let mut node = Node::EMPTY;
                for (lane, child) in children[n * WIDTH..].iter().take(WIDTH).enumerate() {
                    node.set(lane, child.around());
                }
                node
            });
            below = nodes.len()..nodes.len() + level.len();
            level_start.push(below.start as u32);
            nodes.extend_from_slice(&level);
        }
        Self { nodes, level_start, ids }
    }

    /// The number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether the tree holds no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The box around everything, rounded outwards to `f32`; empty when there is nothing.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let Some(root) = self.nodes.last() else { return Aabb::EMPTY };
        (0..WIDTH)
            .filter(|&lane| !root.is_lane_empty(lane))
            .fold(Aabb::EMPTY, |b, lane| b.union(root.aabb(lane)))
    }

    /// The boxes' indices along the curve: an order in which neighbours in space are mostly
    /// neighbours in the list.
    #[must_use]
    pub fn ids_along_curve(&self) -> &[u32] {
        &self.ids
    }

    /// Calls `visit` for every box that may touch `query`.
    pub fn visit_box(&self, query: &Aabb, mut visit: impl FnMut(u32)) {
        let _ = self.try_visit_box(query, |id| -> ControlFlow<()> {
            visit(id);
            ControlFlow::Continue(())
        });
    }

    /// Calls `visit` for every box that may touch `query`, until it breaks.
    pub fn try_visit_box<B>(
        &self,
        query: &Aabb,
        visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (lo, hi) = reaching(query);
        self.walk(|node| node.touched(&lo, &hi), visit)
    }

    /// Calls `visit` for every box that may touch the upright prism over a rectangle in plan.
    pub fn visit_prism(
        &self,
        lo_xy: DVec2,
        hi_xy: DVec2,
        z_lo: f64,
        z_hi: f64,
        visit: impl FnMut(u32),
    ) {
        self.visit_box(&Aabb { lo: lo_xy.extend(z_lo), hi: hi_xy.extend(z_hi) }, visit);
    }

    /// Calls `visit` for every box that may touch the upright line over (x, y) between two heights.
    pub fn visit_column(&self, x: f64, y: f64, z_lo: f64, z_hi: f64, visit: impl FnMut(u32)) {
        self.visit_box(&Aabb { lo: DVec3::new(x, y, z_lo), hi: DVec3::new(x, y, z_hi) }, visit);
    }

    /// The first triangle that the ray meets, from either side, and where. Of triangles met at the
    /// same `t`, the one with the smallest id. `corners_of` gives a triangle's corners by its id;
    /// `counts` says of a triangle that is met whether it does: what is hidden does not.
    ///
    /// A ray that crosses an edge or a vertex shared by two triangles with the same coordinates
    /// meets at least one of them (the test is watertight); triangles seen edge-on are not met.
    #[must_use]
    pub fn first_hit(
        &self,
        ray: &Ray,
        t_max: f64,
        corners_of: impl Fn(u32) -> [DVec3; 3],
        counts: impl Fn(Hit) -> bool,
    ) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        self.visit_ray(ray.origin, ray.direction, t_max, |id, limit| {
            if let Some(t) = ray.meet(&corners_of(id))
                && t <= t_max
                && best.is_none_or(|b| (t, id) < (b.t, b.id))
                && counts(Hit { id, t })
            {
                best = Some(Hit { id, t });
            }
            best.map_or(limit, |b| b.t)
        });
        best
    }

    /// Calls `visit` for every triangle that the ray meets, however far away, in no order.
    /// `corners_of` gives a triangle's corners by its id.
    pub fn visit_hits(
        &self,
        ray: &Ray,
        corners_of: impl Fn(u32) -> [DVec3; 3],
        mut visit: impl FnMut(Hit),
    ) {
        self.visit_ray(ray.origin, ray.direction, f64::INFINITY, |id, limit| {
            if let Some(t) = ray.meet(&corners_of(id)) {
                visit(Hit { id, t });
            }
            limit
        });
    }

    /// Calls `visit` for every box that the ray `origin + t direction`, 0 ≤ t ≤ `t_max`, may touch,
    /// the boxes it enters first mostly first. What `visit` returns is the new `t_max` (a larger
    /// one than before is ignored): return the `t` of a hit to prune what lies behind it, or the
    /// given limit to go on, or a negative number to stop.
    fn visit_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_max: f64,
        visit: impl FnMut(u32, f64) -> f64,
    ) {
        if !(origin.is_finite() && direction.is_finite()) {
            return;
        }
        let inverse = direction.to_array().map(|d| 1.0 / d);
        let origin = origin.to_array();
        // Three roundings on each side of the comparison (Ize 2013).
        const SLACK: f64 = 1.0 + 8.0 * f64::EPSILON;
        let enter = |node: &Node, bound: &mut [f64; WIDTH], limit: f64| {
            let mut near = [0.0_f64; WIDTH];
            let mut far = [limit; WIDTH];
            for axis in 0..3 {
                let (first, last) = if inverse[axis].is_sign_negative() {
                    (&node.hi[axis], &node.lo[axis])
                } else {
                    (&node.lo[axis], &node.hi[axis])
                };
                for lane in 0..WIDTH {
                    // Where the ray runs in the plane of a face this is 0 · ∞, and `max` and
                    // `min` pass over a NaN: the face does not limit the ray.
                    let t0 = (f64::from(first[lane]) - origin[axis]) * inverse[axis];
                    let t1 = (f64::from(last[lane]) - origin[axis]) * inverse[axis];
                    near[lane] = near[lane].max(t0);
                    far[lane] = far[lane].min(t1);
                }
            }
            let mut mask = 0_u8;
            for lane in 0..WIDTH {
                let yes = near[lane] <= far[lane] * SLACK && !node.is_lane_empty(lane);
                mask |= u8::from(yes) << lane;
            }
            *bound = near.map(|t| t / SLACK);
            mask
        };
        self.walk_in_order(enter, t_max, visit);
    }

    /// Depth first in the order of the lanes. `mask_of` tells which lanes of a node to enter.
    fn walk<B>(
        &self,
        mut mask_of: impl FnMut(&Node) -> u8,
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(root) = self.nodes.last() else { return ControlFlow::Continue(()) };
        let top = self.level_start.len() - 1;
        // For each level the node entered and the lanes still to do.
        let mut stack = [(0_usize, 0_u8); MAX_LEVELS];
        let mut level = top;
        stack[level] = (0, mask_of(root));
        loop {
            let (node, mask) = stack[level];
            if level == 0 {
                let mut mask = mask;
                while mask != 0 {
                    visit(self.ids[node * WIDTH + mask.trailing_zeros() as usize])?;
                    mask &= mask - 1;
                }
                stack[0].1 = 0;
            }
            if stack[level].1 == 0 {
                if level == top {
                    return ControlFlow::Continue(());
                }
                level += 1;
                continue;
            }
            stack[level].1 = mask & (mask - 1);
            let child = node * WIDTH + mask.trailing_zeros() as usize;
            level -= 1;
            let mask = mask_of(&self.nodes[self.level_start[level] as usize + child]);
            stack[level] = (child, mask);
        }
    }

    /// Depth first, the lane with the smallest bound first. `bounds_of` fills in each lane's lower
    /// bound and tells which lanes may lie within the limit; `visit` returns the new limit.
    fn walk_in_order(
        &self,
        bounds_of: impl Fn(&Node, &mut [f64; WIDTH], f64) -> u8,
        limit: f64,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        #[derive(Clone, Copy)]
        struct Entry {
            bound: f64,
            level: u8,
            index: u32,
        }
        if self.nodes.is_empty() {
            return;
        }
        let mut limit = limit;
        // A level adds at most eight entries, of which one is taken before the next level adds.
        let mut stack = [Entry { bound: 0.0, level: 0, index: 0 }; MAX_LEVELS * WIDTH + 1];
        // Entry levels count from one for nodes; level zero is a box.
        stack[0] =
            Entry { bound: f64::NEG_INFINITY, level: self.level_start.len() as u8, index: 0 };
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let Entry { bound, level, index } = stack[height];
            if bound > limit || limit.is_nan() {
                continue;
            }
            if level == 0 {
                let new = visit(self.ids[index as usize], limit);
                if new < limit || new.is_nan() {
                    limit = new;
                }
                continue;
            }
            let level = level - 1;
            let node = &self.nodes[(self.level_start[level as usize] + index) as usize];
            let mut bounds = [0.0; WIDTH];
            let mut mask = bounds_of(node, &mut bounds, limit);
            let base = height;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let entry =
                    Entry { bound: bounds[lane], level, index: index * WIDTH as u32 + lane as u32 };
                // Insertion sort, the smallest bound on top; of equal ones the lower lane.
                let mut at = height;
                while at > base && stack[at - 1].bound <= entry.bound {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = entry;
                height += 1;
            }
        }
    }
}

/// The nodes of one level, each made from its index.
fn make_nodes(count: usize, make: impl Fn(usize) -> Node + Sync + Send) -> Vec<Node> {
    #[cfg(feature = "parallel")]
    if count >= PARALLEL_FROM / WIDTH {
        return (0..count).into_par_iter().with_min_len(256).map(make).collect();
    }
    (0..count).map(make).collect()
}

/// The indices of the boxes, sorted by the Morton code of their centres and then by index.
fn sort_along_curve(count: u32, box_of: &(impl Fn(u32) -> Aabb + Sync)) -> Vec<u32> {
    let centre = |id: u32| {
        let b = box_of(id);
        b.lo * 0.5 + b.hi * 0.5
    };
    let around = |range: std::ops::Range<u32>| {
        range
            .map(centre)
            .filter(|c| c.is_finite())
            .fold(Aabb::EMPTY, |b, c| Aabb { lo: b.lo.min(c), hi: b.hi.max(c) })
    };
    #[cfg(feature = "parallel")]
    let parallel = count as usize >= PARALLEL_FROM;
    #[cfg(feature = "parallel")]
    let bounds = if parallel {
        let chunk = PARALLEL_FROM as u32;
        (0..count.div_ceil(chunk))
            .into_par_iter()
            .map(|c| around(c * chunk..(c + 1).saturating_mul(chunk).min(count)))
            .reduce(|| Aabb::EMPTY, Aabb::union)
    } else {
        around(0..count)
    };
    #[cfg(not(feature = "parallel"))]
    let bounds = around(0..count);

    // The same scale on all axes, so that a cell of the curve is a cube. A scene that is flat, or
    // of one point, has zeros in the codes' high bits and loses nothing.
    const LAST_CELL: u32 = (1 << 21) - 1;
    let scale = f64::from(LAST_CELL) / (bounds.hi - bounds.lo).max_element();
    let scale = if scale.is_finite() { scale } else { 0.0 };
    // The code's high bits and the index share one word: half as much to sort as a pair, and
    // still more than ten bits of code an axis at four thousand million boxes.
    let id_bits = u32::BITS - count.leading_zeros();
    let code = |id: u32| {
        // `as` saturates, and takes NaN to zero.
        let cell = (centre(id) - bounds.lo) * scale;
        let [x, y, z] = cell.to_array().map(|c| spread((c as u32).min(LAST_CELL)));
        (x << 3 | y << 2 | z << 1) >> id_bits << id_bits | u64::from(id)
    };
    let id_of = |code: u64| (code & ((1 << id_bits) - 1)) as u32;
    #[cfg(feature = "parallel")]
    if parallel {
        let mut codes: Vec<u64> = (0..count).into_par_iter().map(code).collect();
        codes.par_sort_unstable();
        return codes.into_par_iter().map(id_of).collect();
    }
    let mut codes: Vec<u64> = (0..count).map(code).collect();
    codes.sort_unstable();
    codes.into_iter().map(id_of).collect()
}

/// The lower 21 bits, two zeros between each and the next.
fn spread(v: u32) -> u64 {
    let mut v = u64::from(v) & 0x1f_ffff;
    v = (v | v << 32) & 0x001f_0000_0000_ffff;
    v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests;
