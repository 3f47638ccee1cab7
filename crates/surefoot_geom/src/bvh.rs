//! A bounding-volume hierarchy over boxes or triangles, for box, prism, column, ray and nearest
//! queries.
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

use std::ops::ControlFlow;

use glam::{DVec2, DVec3};

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

    /// Whether the box holds a point; its faces count.
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        self.lo.cmple(p).all() && self.hi.cmpge(p).all()
    }

    /// Whether the box holds nothing: a low coordinate above its high one, or not a number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
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
        let mut hit = [true; WIDTH];
        for axis in 0..3 {
            for lane in 0..WIDTH {
                hit[lane] &= (self.lo[axis][lane] <= hi[axis]) & (self.hi[axis][lane] >= lo[axis]);
            }
        }
        hit.iter().enumerate().fold(0, |mask, (lane, &h)| mask | (u8::from(h) << lane))
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

    /// Calls `visit` for every box that may touch the upright prism over a convex polygon in plan,
    /// whose corners turn counter-clockwise.
    ///
    /// Fewer than three corners stand for a point, a segment or nothing. For a polygon that is not
    /// convex the answer would be too small: use [`BoxTree::visit_filtered`].
    pub fn visit_convex_prism(
        &self,
        corners: &[DVec2],
        z_lo: f64,
        z_hi: f64,
        mut visit: impl FnMut(u32),
    ) {
        let around = Aabb::of_points(corners.iter().flat_map(|c| [c.extend(z_lo), c.extend(z_hi)]));
        let (lo, hi) = reaching(&around);
        let mask_of = |node: &Node| {
            let mut mask = node.touched(&lo, &hi);
            let mut left = mask;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                if lies_beside_convex(&node.aabb(lane), corners) {
                    mask &= !(1 << lane);
                }
            }
            mask
        };
        let _ = self.walk(mask_of, |id| -> ControlFlow<()> {
            visit(id);
            ControlFlow::Continue(())
        });
    }

    /// Calls `visit` for every box that may touch the upright line over (x, y) between two heights.
    pub fn visit_column(&self, x: f64, y: f64, z_lo: f64, z_hi: f64, visit: impl FnMut(u32)) {
        self.visit_box(&Aabb { lo: DVec3::new(x, y, z_lo), hi: DVec3::new(x, y, z_hi) }, visit);
    }

    /// Calls `visit` for every box of which `keep` says yes, for it and for all boxes around it up
    /// to the root. `keep` must be monotone: yes for a box means yes for every larger one.
    pub fn visit_filtered(&self, mut keep: impl FnMut(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        let mask_of = |node: &Node| {
            (0..WIDTH).fold(0_u8, |mask, lane| {
                let yes = !node.is_lane_empty(lane) && keep(&node.aabb(lane));
                mask | (u8::from(yes) << lane)
            })
        };
        let _ = self.walk(mask_of, |id| -> ControlFlow<()> {
            visit(id);
            ControlFlow::Continue(())
        });
    }

    /// Calls `visit` for every box that the ray `origin + t direction`, 0 ≤ t ≤ `t_max`, may touch,
    /// the boxes it enters first mostly first. What `visit` returns is the new `t_max` (a larger
    /// one than before is ignored): return the `t` of a hit to prune what lies behind it, or the
    /// given limit to go on, or a negative number to stop.
    pub fn visit_ray(
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

    /// Calls `visit` for boxes around `point` in order of growing distance (mostly), as long as
    /// their distance squared may be at most `max_distance2`. What `visit` returns is the new limit
    /// on the squared distance (a larger one than before is ignored).
    pub fn visit_nearest(
        &self,
        point: DVec3,
        max_distance2: f64,
        visit: impl FnMut(u32, f64) -> f64,
    ) {
        if !point.is_finite() {
            return;
        }
        let point = point.to_array();
        const SLACK: f64 = 1.0 - 8.0 * f64::EPSILON;
        let distance = |node: &Node, bound: &mut [f64; WIDTH], limit: f64| {
            let mut d2 = [0.0_f64; WIDTH];
            for axis in 0..3 {
                for lane in 0..WIDTH {
                    let below = f64::from(node.lo[axis][lane]) - point[axis];
                    let above = point[axis] - f64::from(node.hi[axis][lane]);
                    let d = below.max(above).max(0.0);
                    d2[lane] += d * d;
                }
            }
            let mut mask = 0_u8;
            for lane in 0..WIDTH {
                d2[lane] *= SLACK;
                let yes = d2[lane] <= limit && !node.is_lane_empty(lane);
                mask |= u8::from(yes) << lane;
            }
            *bound = d2;
            mask
        };
        self.walk_in_order(distance, max_distance2, visit);
    }

    /// The first triangle that the ray meets, from either side, and where. Of triangles met at the
    /// same `t`, the one with the smallest id. `corners_of` gives a triangle's corners by its id.
    ///
    /// A ray that crosses an edge or a vertex shared by two triangles with the same coordinates
    /// meets at least one of them (the test is watertight); triangles seen edge-on are not met.
    #[must_use]
    pub fn first_hit(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_max: f64,
        corners_of: impl Fn(u32) -> [DVec3; 3],
    ) -> Option<Hit> {
        let ray = Ray::new(origin, direction)?;
        let mut best: Option<Hit> = None;
        self.visit_ray(origin, direction, t_max, |id, limit| {
            if let Some(t) = ray.meet(&corners_of(id))
                && t <= t_max
                && best.is_none_or(|b| (t, id) < (b.t, b.id))
            {
                best = Some(Hit { id, t });
            }
            best.map_or(limit, |b| b.t)
        });
        best
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

/// Whether some edge of the convex polygon has the whole box strictly outside. Errs towards no.
fn lies_beside_convex(b: &Aabb, corners: &[DVec2]) -> bool {
    let Some(&last) = corners.last() else { return false };
    let mut from = last;
    for &to in corners {
        let edge = to - from;
        // The corner of the box that lies furthest to the left of the edge.
        let x = if edge.y > 0.0 { b.lo.x } else { b.hi.x };
        let y = if edge.x > 0.0 { b.hi.y } else { b.lo.y };
        let (left, right) = (edge.x * (y - from.y), edge.y * (x - from.x));
        // Four roundings of each product and one of the difference, with room.
        if left - right < -8.0 * f64::EPSILON * (left.abs() + right.abs()) {
            return true;
        }
        from = to;
    }
    false
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

/// Where a ray met a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The triangle's index in the input.
    pub id: u32,
    /// The ray's parameter: the point is `origin + t direction`.
    pub t: f64,
}

/// A ray made ready for the watertight triangle test.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    origin: DVec3,
    /// The axes in the order in which the ray looks along the last one.
    axes: [usize; 3],
    shear: DVec3,
}

impl Ray {
    /// A ray; `None` unless it is finite and has a direction.
    #[must_use]
    pub fn new(origin: DVec3, direction: DVec3) -> Option<Self> {
        let size = direction.abs();
        if !(origin.is_finite() && direction.is_finite() && size.max_element() > 0.0) {
            return None;
        }
        let z = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        let shear = DVec3::new(direction[x] / direction[z], direction[y] / direction[z], {
            1.0 / direction[z]
        });
        shear.is_finite().then_some(Self { origin, axes: [x, y, z], shear })
    }

    /// The parameter `t` ≥ 0 at which the ray meets a triangle, from either side; edges and corners
    /// belong to it. A triangle seen edge-on is not met.
    #[must_use]
    pub fn meet(&self, corners: &[DVec3; 3]) -> Option<f64> {
        let [x, y, z] = self.axes;
        // Each corner's position beside the ray depends on that corner alone, and the signs below
        // are exact for those positions: two triangles that share an edge see it alike.
        let [a, b, c] = corners.map(|p| {
            let p = p - self.origin;
            DVec3::new(p[x] - self.shear.x * p[z], p[y] - self.shear.y * p[z], self.shear.z * p[z])
        });
        let (u, v, w) = (turn(c, b), turn(a, c), turn(b, a));
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let sum = u + v + w;
        if sum.abs() <= 0.0 || sum.is_nan() {
            return None;
        }
        let t = (u / sum) * a.z + (v / sum) * b.z + (w / sum) * c.z;
        (t >= 0.0).then_some(t)
    }
}

/// The cross product of two plan vectors, with an exact sign.
fn turn(p: DVec3, q: DVec3) -> f64 {
    let (left, right) = (p.x * q.y, p.y * q.x);
    let difference = left - right;
    // Rounding keeps order: products that differ after rounding differ the same way before it.
    if difference.abs() > 0.0 {
        return difference;
    }
    p.x.mul_add(q.y, -left) - p.y.mul_add(q.x, -right)
}

/// A tree over indexed triangles that it borrows.
#[derive(Clone, Debug)]
pub struct TriangleTree<'a> {
    points: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    boxes: BoxTree,
}

impl<'a> TriangleTree<'a> {
    /// Builds the tree. A triangle that names a point that does not exist is never found.
    ///
    /// # Panics
    /// With 2³² - 1 or more triangles: ids are `u32`.
    #[must_use]
    pub fn build(points: &'a [DVec3], triangles: &'a [[u32; 3]]) -> Self {
        let boxes = BoxTree::build_with(triangles.len(), |id| {
            let corners = triangles[id as usize].map(|i| points.get(i as usize).copied());
            match corners {
                [Some(a), Some(b), Some(c)] if (a + b + c).is_finite() => {
                    Aabb { lo: a.min(b).min(c), hi: a.max(b).max(c) }
                }
                _ => Aabb::EMPTY,
            }
        });
        Self { points, triangles, boxes }
    }

    /// The tree over the triangles' boxes, with all its queries.
    #[must_use]
    pub fn boxes(&self) -> &BoxTree {
        &self.boxes
    }

    /// The corners of a triangle that a query named.
    ///
    /// # Panics
    /// When there is no such triangle, or it names points that do not exist; no query names such.
    #[must_use]
    pub fn corners(&self, id: u32) -> [DVec3; 3] {
        self.triangles[id as usize].map(|i| self.points[i as usize])
    }

    /// The first triangle that the ray meets; see [`BoxTree::first_hit`].
    #[must_use]
    pub fn first_hit(&self, origin: DVec3, direction: DVec3, t_max: f64) -> Option<Hit> {
        self.boxes.first_hit(origin, direction, t_max, |id| self.corners(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        fn within(&mut self, lo: f64, hi: f64) -> f64 {
            lo + (hi - lo) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
        }

        fn point(&mut self, lo: f64, hi: f64) -> DVec3 {
            DVec3::new(self.within(lo, hi), self.within(lo, hi), self.within(lo, hi))
        }

        /// A point with small whole coordinates, so that boxes share faces, edges and corners.
        fn grid_point(&mut self, size: u64) -> DVec3 {
            DVec3::from_array([0; 3].map(|_| (self.next() % size) as f64))
        }
    }

    /// Scattered, coincident, flat, far-off and huge boxes, in all sizes around node boundaries.
    fn scenes() -> Vec<Vec<Aabb>> {
        let mut random = Random(7);
        let mut scenes = vec![vec![]];
        for count in [1, 2, 7, 8, 9, 63, 64, 65, 511, 513, 3000] {
            for style in 0..5 {
                let boxes = (0..count)
                    .map(|_| match style {
                        0 => {
                            let lo = random.point(-50.0, 50.0);
                            Aabb::new(lo, lo + random.point(0.0, 5.0))
                        }
                        1 => {
                            let lo = random.grid_point(12);
                            Aabb::new(lo, lo + random.grid_point(3))
                        }
                        2 => Aabb::new(DVec3::ONE, DVec3::ONE),
                        3 => {
                            let p = random.point(0.0, 40.0);
                            Aabb::in_plan(p.truncate(), p.truncate() + 0.1)
                        }
                        _ => {
                            let lo = random.point(-1e7, 1e7) + 0.1;
                            let size = if random.next() % 9 == 0 { 1e7 } else { 1e-3 };
                            Aabb::new(lo, lo + random.point(0.0, size))
                        }
                    })
                    .collect();
                scenes.push(boxes);
            }
        }
        scenes
    }

    fn sorted(mut ids: Vec<u32>) -> Vec<u32> {
        ids.sort_unstable();
        ids
    }

    /// Everything that truly is in the answer was named, and nothing that is further off than the
    /// rounding to `f32` explains.
    fn check_conservative(
        found: Vec<u32>,
        boxes: &[Aabb],
        inside: impl Fn(&Aabb) -> bool,
        what: &str,
    ) {
        let found = sorted(found);
        assert!(found.windows(2).all(|w| w[0] != w[1]), "{what}: named twice");
        for (id, b) in boxes.iter().enumerate() {
            let named = found.binary_search(&(id as u32)).is_ok();
            let reach = b.lo.abs().max(b.hi.abs()).max_element() * 4e-7;
            assert!(named || !inside(b), "{what}: box {id} was missed");
            assert!(!named || inside(&b.grown(reach)), "{what}: box {id} is far off");
        }
    }

    #[test]
    fn box_column_and_filtered_queries_agree_with_brute_force() {
        let mut random = Random(1);
        for boxes in scenes() {
            let tree = BoxTree::build(&boxes);
            assert_eq!(tree.len(), boxes.len());
            let around = boxes.iter().fold(Aabb::EMPTY, |a, b| a.union(*b));
            for round in 0..20 {
                let corner = match round {
                    0..10 if !boxes.is_empty() => boxes[random.next() as usize % boxes.len()].hi,
                    _ => around.lo + (around.hi - around.lo) * random.point(-0.1, 1.1),
                };
                let corner = if corner.is_finite() { corner } else { DVec3::ZERO };
                let size = if round % 3 == 0 { 0.0 } else { random.within(0.0, 10.0) };
                let query = Aabb::new(corner, corner + size);
                let mut found = vec![];
                tree.visit_box(&query, |id| found.push(id));
                check_conservative(found.clone(), &boxes, |b| b.overlaps(&query), "box");
                let mut filtered = vec![];
                tree.visit_filtered(|b| b.overlaps(&query), |id| filtered.push(id));
                check_conservative(filtered, &boxes, |b| b.overlaps(&query), "filtered");
                let mut column = vec![];
                tree.visit_column(corner.x, corner.y, corner.z - 3.0, corner.z + 3.0, |id| {
                    column.push(id);
                });
                let line = Aabb::new(corner - 3.0 * DVec3::Z, corner + 3.0 * DVec3::Z);
                check_conservative(column, &boxes, |b| b.overlaps(&line), "column");
                let first = tree.try_visit_box(&query, ControlFlow::Break);
                assert_eq!(first.break_value(), found.first().copied());
            }
        }
    }

    #[test]
    fn convex_prisms_agree_with_brute_force() {
        let mut random = Random(2);
        for boxes in scenes() {
            let tree = BoxTree::build(&boxes);
            for _ in 0..10 {
                let mut c = [0; 3].map(|_| random.grid_point(14).truncate());
                if (c[1] - c[0]).perp_dot(c[2] - c[0]) < 0.0 {
                    c.swap(1, 2);
                }
                let beside = |b: &Aabb| {
                    // Separating axes of a triangle and a rectangle, in whole numbers here.
                    (0..3).any(|i| {
                        let (p, q) = (c[i], c[(i + 1) % 3]);
                        [b.lo, b.hi]
                            .iter()
                            .flat_map(|x| [b.lo.y, b.hi.y].map(|y| (x.x, y)))
                            .all(|(x, y)| (q - p).perp_dot(DVec2::new(x, y) - p) < 0.0)
                    }) || !b.overlaps(&Aabb::of_points(
                        c.iter().flat_map(|p| [p.extend(0.0), p.extend(5.0)]),
                    ))
                };
                let mut found = vec![];
                tree.visit_convex_prism(&c, 0.0, 5.0, |id| found.push(id));
                check_conservative(found, &boxes, |b| !beside(b), "convex prism");
            }
        }
    }

    /// Whether a ray meets a box, by clipping its parameter; for whole numbers, exactly enough.
    fn ray_meets(b: &Aabb, origin: DVec3, direction: DVec3, t_max: f64) -> bool {
        let (mut near, mut far) = (0.0_f64, t_max);
        for axis in 0..3 {
            if direction[axis].abs() > 0.0 {
                let t = [b.lo, b.hi].map(|p| (p[axis] - origin[axis]) / direction[axis]);
                near = near.max(t[0].min(t[1]));
                far = far.min(t[0].max(t[1]));
            } else if origin[axis] < b.lo[axis] || origin[axis] > b.hi[axis] {
                return false;
            }
        }
        near <= far
    }

    #[test]
    fn rays_agree_with_brute_force() {
        let mut random = Random(3);
        for boxes in scenes() {
            let tree = BoxTree::build(&boxes);
            for round in 0..20 {
                let origin = random.grid_point(12);
                let direction = match round % 3 {
                    0 => [DVec3::X, -DVec3::Y, DVec3::Z][round / 3 % 3],
                    1 => random.grid_point(5) - 2.0,
                    _ => random.point(-1.0, 1.0),
                };
                let t_max = random.within(0.0, 50.0);
                let mut found = vec![];
                tree.visit_ray(origin, direction, t_max, |id, t| {
                    found.push(id);
                    t
                });
                let found = sorted(found);
                assert!(found.windows(2).all(|w| w[0] != w[1]));
                for (id, b) in boxes.iter().enumerate() {
                    let named = found.binary_search(&(id as u32)).is_ok();
                    let reach = b.lo.abs().max(b.hi.abs()).max_element() * 4e-7 + 1e-9;
                    assert!(named || !ray_meets(b, origin, direction, t_max), "missed box {id}");
                    assert!(
                        !named || ray_meets(&b.grown(reach), origin, direction, t_max + reach),
                        "box {id} is far off"
                    );
                }
            }
        }
    }

    #[test]
    fn the_nearest_box_agrees_with_brute_force() {
        let mut random = Random(4);
        for boxes in scenes() {
            let tree = BoxTree::build(&boxes);
            let distance2 = |id: u32, p: DVec3| {
                let b = &boxes[id as usize];
                (p.clamp(b.lo, b.hi) - p).length_squared()
            };
            for _ in 0..10 {
                let p = random.point(-60.0, 60.0);
                let mut best = f64::INFINITY;
                tree.visit_nearest(p, 1e30, |id, limit| {
                    best = best.min(distance2(id, p));
                    limit.min(best)
                });
                let want = (0..boxes.len() as u32)
                    .map(|id| distance2(id, p))
                    .fold(f64::INFINITY, f64::min);
                assert_eq!(best.to_bits(), want.to_bits());
            }
        }
    }

    #[test]
    fn first_hits_agree_with_brute_force() {
        let mut random = Random(5);
        for count in [1_u32, 5, 80, 700] {
            let points: Vec<_> = (0..count * 3)
                .map(|i| random.point(0.0, 2.0) + (random.point(0.0, 20.0) * f64::from(i % 3 / 3)))
                .collect();
            let triangles: Vec<_> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let tree = TriangleTree::build(&points, &triangles);
            for _ in 0..200 {
                let origin = random.point(-5.0, 7.0);
                let direction = random.point(-1.0, 1.0);
                let ray = Ray::new(origin, direction).unwrap();
                let want = (0..count)
                    .filter_map(|id| ray.meet(&tree.corners(id)).map(|t| (t, id)))
                    .min_by(|a, b| a.partial_cmp(b).unwrap());
                let got = tree.first_hit(origin, direction, f64::INFINITY).map(|h| (h.t, h.id));
                assert_eq!(got, want);
                if let Some((t, _)) = want {
                    assert!(tree.first_hit(origin, direction, t * 0.99).is_none());
                }
            }
        }
    }

    #[test]
    fn no_ray_slips_through_a_shared_edge_or_vertex() {
        // A fan of triangles around a vertex, closed all round; rays at points of its edges.
        let mut random = Random(6);
        for _ in 0..200 {
            let centre = random.point(-1.0, 1.0);
            let n = 3 + random.next() % 9;
            let mut points = vec![centre];
            for i in 0..n {
                let (sin, cos) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
                points.push(centre + DVec3::new(cos, sin, random.within(-0.2, 0.2)));
            }
            let triangles: Vec<[u32; 3]> =
                (0..n as u32).map(|i| [0, 1 + i, 1 + (i + 1) % n as u32]).collect();
            let tree = TriangleTree::build(&points, &triangles);
            for _ in 0..50 {
                let spoke = points[1 + (random.next() % n) as usize];
                let target = centre.lerp(spoke, random.within(0.0, 0.99));
                let origin = target + random.point(-0.1, 0.1) + DVec3::Z * 5.0;
                for target in [target, centre] {
                    let hit = tree.first_hit(origin, target - origin, 2.0);
                    assert!(hit.is_some_and(|h| (h.t - 1.0).abs() < 1e-9), "slipped through");
                }
            }
        }
    }

    #[test]
    fn boxes_that_are_no_boxes_are_never_found() {
        let nan = DVec3::new(f64::NAN, 0.0, 0.0);
        let boxes = [
            Aabb::EMPTY,
            Aabb::new(nan, DVec3::ONE),
            Aabb::new(DVec3::ZERO, nan),
            Aabb::new(DVec3::ONE, DVec3::ZERO),
            Aabb::new(DVec3::ZERO, DVec3::ONE),
            Aabb::new(DVec3::splat(f64::NEG_INFINITY), DVec3::splat(f64::INFINITY)),
            Aabb::new(DVec3::splat(-1e300), DVec3::splat(1e300)),
        ];
        let tree = BoxTree::build(&boxes);
        let mut found = vec![];
        tree.visit_box(&Aabb::new(DVec3::splat(-1e308), DVec3::splat(1e308)), |id| found.push(id));
        assert_eq!(sorted(found), [4, 5, 6]);
        tree.visit_box(&Aabb::new(nan, DVec3::ONE), |_| panic!("found by a query of NaN"));
        tree.visit_ray(nan, DVec3::X, 1.0, |_, _| panic!("found by a ray of NaN"));
        tree.visit_ray(DVec3::ZERO, DVec3::X, f64::NAN, |_, _| panic!("found without a limit"));
        let triangles = [[0, 1, 2], [0, 1, 9]];
        let points = [nan, DVec3::X, DVec3::Y];
        let tree = TriangleTree::build(&points, &triangles);
        assert_eq!(tree.first_hit(DVec3::Z, DVec3::NEG_Z, 9.0), None);
        assert!(tree.boxes().bounds().is_empty());
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn the_tree_does_not_depend_on_the_number_of_threads() {
        let mut random = Random(8);
        let boxes: Vec<_> = (0..30_000)
            .map(|_| {
                let lo = random.grid_point(40);
                Aabb::new(lo, lo + random.point(0.0, 2.0))
            })
            .collect();
        let build = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let tree = pool.install(|| BoxTree::build(&boxes));
            (tree.ids.clone(), format!("{:?}", tree.nodes))
        };
        let one = build(1);
        assert_eq!(one, build(2));
        assert_eq!(one, build(5));
    }
}
