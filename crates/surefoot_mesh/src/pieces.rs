//! What the queries run on: the cells as convex pieces with their neighbours, in flat arrays.
//!
//! In goes checked data with the convex pieces of every notched cell; out comes [`Pieces`]. A cell
//! that is convex (nearly all are) is one piece with the same edges in the same order. Positions
//! are `f64` metres, which hold lattice points exactly, so a search never looks anything up twice.
//!
//! A *fan* is a vertex as the surface sees it: the corners of pieces that are joined around one
//! point. Where two storeys or two sides of a wall share a point in plan they have different fans,
//! and the two sides of a step edge share one. A fan is a *corner* where a taut path may turn: its
//! border turns away from it by more than half a turn, or it goes round more than once (the foot of
//! a spiral).

use crate::data::{CellKind, NO_EDGE, NavMeshData};
use glam::DVec2;
use surefoot_geom::lattice::M_PER_LATTICE;

/// No piece, fan or block.
pub(crate) const NONE: u32 = u32::MAX;

/// In [`PieceEdge::fan`]: a taut path may turn here.
const CORNER_BIT: u32 = 1 << 31;

/// In [`PieceEdge::fan`]: both sides of the edge are one line, in plan and in height.
const LEVEL_BIT: u32 = 1 << 30;

/// How far apart the points are at which a link is tried, in metres, unless that makes more than
/// [`MAX_LINK_SAMPLES`]. The place found is then improved along the segment.
const LINK_SAMPLE_SPACING_M: f64 = 0.5;

/// The most points at which one link is tried.
const MAX_LINK_SAMPLES: usize = 9;

/// An edge of a piece, as a search reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceEdge {
    /// Where it starts.
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The same edge seen from the other side, or [`NONE`].
    pub(crate) twin: u32,
    /// The piece on the other side, or [`NONE`].
    pub(crate) twin_piece: u32,
    /// The fan of the start, with a bit that says whether it is a corner and one that says whether
    /// the edge is level with its twin.
    fan: u32,
    /// The biconnected block that the crossing belongs to, or [`NONE`].
    pub(crate) block: u32,
}

impl PieceEdge {
    #[inline]
    pub(crate) fn start(&self) -> DVec2 {
        DVec2::new(self.x, self.y)
    }

    #[inline]
    pub(crate) fn fan(&self) -> u32 {
        self.fan & !(CORNER_BIT | LEVEL_BIT)
    }

    /// Whether the edge ends where its twin starts, in plan and in height, and the other way round.
    /// Not so for the edge of a step.
    #[inline]
    fn is_level(&self) -> bool {
        self.fan & LEVEL_BIT != 0
    }

    #[inline]
    pub(crate) fn is_corner(&self) -> bool {
        self.fan & CORNER_BIT != 0
    }
}

/// One point at which a link can be taken, in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkSample {
    pub(crate) link: u32,
    pub(crate) backwards: bool,
    pub(crate) from_piece: u32,
    pub(crate) to_piece: u32,
    /// Where along the segments, from 0 to 1.
    pub(crate) share: f64,
    pub(crate) from: DVec2,
    pub(crate) to: DVec2,
    /// The straight distance from end to end, in metres.
    pub(crate) length_m: f64,
    pub(crate) block: u32,
}

/// The convex pieces of all cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    /// The first edge of each piece, and one past the last at the end.
    pub(crate) first: Vec<u32>,
    pub(crate) edges: Vec<PieceEdge>,
    /// The height of each edge's start.
    pub(crate) heights: Vec<f32>,
    /// The piece of each edge.
    pub(crate) edge_pieces: Vec<u32>,
    /// The mesh's edge of each edge; [`NO_EDGE`] for a cut within a cell.
    pub(crate) mesh_edges: Vec<u32>,
    /// The edge of a piece for each edge of the mesh.
    pub(crate) of_mesh_edges: Vec<u32>,
    /// The cell of each piece.
    pub(crate) cells: Vec<u32>,
    /// The pieces of all cells, cell by cell.
    cell_pieces: Vec<u32>,
    /// Where in that list those of each cell begin, and its length at the end.
    cell_first: Vec<u32>,
    /// The height over each piece where it is flat; see [`Plane`].
    pub(crate) planes: Vec<Plane>,
    /// Whether there are no gap fillers and no ramps.
    pub(crate) only_ground: bool,
    pub(crate) fan_count: u32,
    /// Points at which links are taken, grouped by the piece where they start.
    pub(crate) link_samples: Vec<LinkSample>,
    /// The first link sample of each piece, and one past the last at the end; empty when the mesh
    /// has no links.
    pub(crate) first_link_samples: Vec<u32>,
}

/// The height over a piece, `height = z + dx·(x - x0) + dy·(y - y0)` around its first corner, if
/// all its corners lie on one plane; otherwise the slopes are NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) dx: f32,
    pub(crate) dy: f32,
}

/// How far a corner may lie off the plane of its piece for the piece to count as flat, in metres.
const FLAT_TOLERANCE_M: f64 = 1e-4;

/// A cell that is more than one piece.
pub(crate) struct NotchedCell {
    pub(crate) cell: u32,
    /// Its pieces, each as the numbers of its corners in the cell's outline.
    pub(crate) pieces: Vec<Vec<u32>>,
}

/// Pieces in the making, one edge after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct PieceParts {
    pieces: Pieces,
}

impl PieceParts {
    /// Begins a piece of a cell.
    pub(crate) fn begin_piece(&mut self, cell: u32, plane: Plane) {
        self.pieces.begin_piece(cell);
        self.pieces.planes.push(plane);
    }

    /// Adds an edge to the piece begun last; returns its number.
    pub(crate) fn push_edge(&mut self, at: DVec2, height_m: f32, mesh_edge: u32) -> u32 {
        let p = &mut self.pieces;
        let number = p.edges.len() as u32;
        p.edge_pieces.push(p.cells.len() as u32 - 1);
        p.mesh_edges.push(mesh_edge);
        p.heights.push(height_m);
        let (x, y) = (at.x, at.y);
        p.edges.push(PieceEdge { x, y, twin: NONE, twin_piece: NONE, fan: NONE, block: NONE });
        number
    }

    /// Makes two edges the sides of one.
    pub(crate) fn pair(&mut self, a: u32, b: u32) {
        self.pieces.pair(a, b);
        self.pieces.pair(b, a);
    }
}

impl Pieces {
    /// Arranges the pieces of checked data, whose notched cells are given in order.
    pub(crate) fn build(data: &NavMeshData, notched: &[NotchedCell]) -> Self {
        let mut pieces = Self::arrange(data, notched);
        pieces.only_ground = data.cell_kinds.iter().all(|&kind| kind == CellKind::Ground);
        pieces.join(data);
        pieces.number_fans();
        pieces.fit_planes();
        pieces.sample_links(data);
        pieces
    }

    pub(crate) fn piece_count(&self) -> usize {
        self.cells.len()
    }

    /// The edges of a piece.
    #[inline]
    pub(crate) fn range(&self, piece: u32) -> std::ops::Range<usize> {
        self.first[piece as usize] as usize..self.first[piece as usize + 1] as usize
    }

    /// The edge after this one in its piece.
    #[inline]
    pub(crate) fn next(&self, edge: u32) -> u32 {
        let piece = self.edge_pieces[edge as usize] as usize;
        if edge + 1 == self.first[piece + 1] { self.first[piece] } else { edge + 1 }
    }

    /// The edge before this one in its piece.
    #[inline]
    pub(crate) fn previous(&self, edge: u32) -> u32 {
        let piece = self.edge_pieces[edge as usize] as usize;
        if edge == self.first[piece] { self.first[piece + 1] - 1 } else { edge - 1 }
    }

    /// Both ends of an edge in plan.
    #[inline]
    pub(crate) fn segment(&self, edge: u32) -> (DVec2, DVec2) {
        (self.edges[edge as usize].start(), self.edges[self.next(edge) as usize].start())
    }

    /// The heights at both ends of an edge, in metres.
    pub(crate) fn segment_heights(&self, edge: u32) -> (f64, f64) {
        let next = self.next(edge);
        (f64::from(self.heights[edge as usize]), f64::from(self.heights[next as usize]))
    }

    /// Both ends of an edge that has a twin, the right one as it is crossed and the left one.
    #[inline(always)]
    pub(crate) fn portal(&self, edge: u32) -> (DVec2, DVec2) {
        let e = &self.edges[edge as usize];
        if e.is_level() {
            (e.start(), self.edges[e.twin as usize].start())
        } else {
            self.segment(edge)
        }
    }

    /// The height at which an edge that has a twin is crossed, at a share of its length, in metres:
    /// on the edge of a step that of the upper side.
    #[inline(always)]
    pub(crate) fn portal_height(&self, edge: u32, share: f64) -> f64 {
        let e = &self.edges[edge as usize];
        if e.is_level() {
            let right = f64::from(self.heights[edge as usize]);
            right + (f64::from(self.heights[e.twin as usize]) - right) * share
        } else {
            self.edge_height(edge, share).max(self.edge_height(e.twin, 1.0 - share))
        }
    }

    /// The height of an edge at a share of its length, in metres.
    pub(crate) fn edge_height(&self, edge: u32, share: f64) -> f64 {
        let (a, b) = self.segment_heights(edge);
        a + (b - a) * share
    }

    /// The height of the surface over a point of a piece, in metres. Outside the piece: the height
    /// of the nearest of the triangles that it is seen as (a fan around its first corner).
    #[inline]
    pub(crate) fn height(&self, piece: u32, p: DVec2) -> f64 {
        let Plane { dx, dy } = self.planes[piece as usize];
        if dx.is_nan() {
            return self.height_of_fan(piece, p);
        }
        let first = self.first[piece as usize] as usize;
        let d = p - self.edges[first].start();
        f64::from(self.heights[first]) + f64::from(dx) * d.x + f64::from(dy) * d.y
    }

    /// The same for a piece that is not flat.
    #[inline(never)]
    fn height_of_fan(&self, piece: u32, p: DVec2) -> f64 {
        let range = self.range(piece);
        let origin = self.edges[range.start].start();
        let z0 = f64::from(self.heights[range.start]);
        let d = p - origin;
        let spoke = |i: usize| self.edges[i].start() - origin;
        // The triangle whose far spoke is the first to have the point on its right.
        let mut far = range.start + 2;
        while far + 1 < range.end && spoke(far).perp_dot(d) > 0.0 {
            far += 1;
        }
        let (u, v) = (spoke(far - 1), spoke(far));
        let area = u.perp_dot(v);
        let (mut s, mut t) = if area > 0.0 {
            (d.perp_dot(v) / area, u.perp_dot(d) / area)
        } else {
            // The first triangles of a fan can be flat when the corners lie on one line.
            (0.0, if v.length_squared() > 0.0 { d.dot(v) / v.length_squared() } else { 0.0 })
        };
        s = s.clamp(0.0, 1.0);
        t = t.clamp(0.0, 1.0 - s);
        z0 + s * (f64::from(self.heights[far - 1]) - z0) + t * (f64::from(self.heights[far]) - z0)
    }

    /// The first edge that has `p` on its right, if any does, so that `p` lies outside: twice the
    /// area of the triangle of both, below zero, and the square of the edge's length. No point of the
    /// piece is nearer than the edge's line.
    #[inline(always)]
    pub(crate) fn first_edge_before(&self, piece: u32, p: DVec2) -> Option<(f64, f64)> {
        let edges = &self.edges[self.range(piece)];
        let mut a = edges[edges.len() - 1].start();
        for e in edges {
            let b = e.start();
            let side = (b - a).perp_dot(p - a);
            if side < 0.0 {
                return Some((side, (b - a).length_squared()));
            }
            a = b;
        }
        None
    }

    /// The point of a piece nearest to `p` in plan: `p` itself where it lies inside.
    #[inline]
    pub(crate) fn closest(&self, piece: u32, p: DVec2) -> DVec2 {
        if self.first_edge_before(piece, p).is_none() {
            return p;
        }
        let edges = &self.edges[self.range(piece)];
        let mut a = edges[edges.len() - 1].start();
        let mut best = (f64::INFINITY, a);
        for e in edges {
            let b = e.start();
            let q = closest_on_segment(a, b, p);
            let d = q.distance_squared(p);
            if d < best.0 {
                best = (d, q);
            }
            a = b;
        }
        best.1
    }

    /// The piece of a cell that is nearest to a point, and the point of it that is.
    pub(crate) fn closest_in_cell(&self, cell: u32, p: DVec2) -> (u32, DVec2) {
        let own = self.of_cell(cell);
        let mut best = (f64::INFINITY, own[0], p);
        for &piece in own {
            let q = self.closest(piece, p);
            let d = q.distance_squared(p);
            if d < best.0 {
                best = (d, piece, q);
            }
        }
        (best.1, best.2)
    }

    /// The pieces of a cell.
    pub(crate) fn of_cell(&self, cell: u32) -> &[u32] {
        let (first, end) = (self.cell_first[cell as usize], self.cell_first[cell as usize + 1]);
        &self.cell_pieces[first as usize..end as usize]
    }

    /// Lists the pieces by cell.
    fn group_by_cell(&mut self, cell_count: usize) {
        self.cell_pieces = (0..self.cells.len() as u32).collect();
        self.cell_pieces.sort_by_key(|&piece| self.cells[piece as usize]);
        self.cell_first = vec![0; cell_count + 1];
        for &cell in &self.cells {
            self.cell_first[cell as usize + 1] += 1;
        }
        for i in 0..cell_count {
            self.cell_first[i + 1] += self.cell_first[i];
        }
    }

    /// Lays the pieces out one after another, in the order of a space-filling curve: neighbours in
    /// plan are then neighbours in memory, which makes searches on large meshes several times
    /// faster.
    fn arrange(data: &NavMeshData, notched: &[NotchedCell]) -> Self {
        let cell_count = data.cell_kinds.len();
        let mut p = Self {
            cells: Vec::with_capacity(cell_count),
            first: Vec::with_capacity(cell_count + 1),
            edges: Vec::with_capacity(data.edge_vertices.len()),
            of_mesh_edges: vec![NONE; data.edge_vertices.len()],
            ..Self::default()
        };
        let mut order: Vec<(u64, u32)> = (0..cell_count as u32)
            .map(|cell| {
                let first = data.cell_first_edges[cell as usize] as usize;
                let at = data.vertex_points[data.edge_vertices[first].index()];
                (at.morton_code(), cell)
            })
            .collect();
        order.sort_unstable();
        for (_, cell) in order {
            let cell = cell as usize;
            let (start, end) = (data.cell_first_edges[cell], data.cell_first_edges[cell + 1]);
            let n = end - start;
            if let Ok(cut) = notched.binary_search_by_key(&(cell as u32), |n| n.cell) {
                for corners in &notched[cut].pieces {
                    p.begin_piece(cell as u32);
                    for (i, &corner) in corners.iter().enumerate() {
                        let next = corners[(i + 1) % corners.len()];
                        let own = (corner + 1) % n == next;
                        p.push_edge(data, start + corner, own);
                    }
                }
            } else {
                p.begin_piece(cell as u32);
                for edge in start..end {
                    p.push_edge(data, edge, true);
                }
            }
        }
        p.first.push(p.edges.len() as u32);
        p.group_by_cell(cell_count);
        p
    }

    fn begin_piece(&mut self, cell: u32) {
        self.first.push(self.edges.len() as u32);
        self.cells.push(cell);
    }

    /// Adds an edge that starts where the mesh's edge does and, if `own`, is that edge.
    fn push_edge(&mut self, data: &NavMeshData, mesh_edge: u32, own: bool) {
        let vertex = data.edge_vertices[mesh_edge as usize].index();
        let [x, y] = data.vertex_points[vertex].to_m();
        if own {
            self.of_mesh_edges[mesh_edge as usize] = self.edges.len() as u32;
        }
        self.edge_pieces.push(self.cells.len() as u32 - 1);
        self.mesh_edges.push(if own { mesh_edge } else { NO_EDGE });
        self.heights.push(data.vertex_heights_m[vertex]);
        self.edges.push(PieceEdge { x, y, twin: NONE, twin_piece: NONE, fan: NONE, block: NONE });
    }

    /// Finds the other side of every edge: through the mesh's twins, and for cuts within a cell
    /// through the equal points.
    fn join(&mut self, data: &NavMeshData) {
        let mut cuts: Vec<(u32, [i64; 4], bool, u32)> = Vec::new();
        for e in 0..self.edges.len() as u32 {
            let mesh_edge = self.mesh_edges[e as usize];
            if mesh_edge == NO_EDGE {
                let (a, b) = self.segment(e);
                let units = |v: f64| (v / M_PER_LATTICE) as i64;
                let (a, b) = ([units(a.x), units(a.y)], [units(b.x), units(b.y)]);
                let (low, high) = (a.min(b), a.max(b));
                let cell = self.cells[self.edge_pieces[e as usize] as usize];
                cuts.push((cell, [low[0], low[1], high[0], high[1]], a > b, e));
                continue;
            }
            let twin = data.edge_twins[mesh_edge as usize];
            if twin != NO_EDGE {
                self.pair(e, self.of_mesh_edges[twin as usize]);
            }
        }
        cuts.sort_unstable();
        for pair in cuts.windows(2) {
            if pair[0].0 == pair[1].0 && pair[0].1 == pair[1].1 && pair[0].2 != pair[1].2 {
                self.pair(pair[0].3, pair[1].3);
                self.pair(pair[1].3, pair[0].3);
            }
        }
    }

    fn pair(&mut self, edge: u32, twin: u32) {
        let piece = self.edge_pieces[twin as usize];
        let e = &mut self.edges[edge as usize];
        e.twin = twin;
        e.twin_piece = piece;
    }

    /// Numbers the fans and finds which of them are corners.
    fn number_fans(&mut self) {
        let count = self.edges.len();
        let mut prev = vec![0_u32; count];
        for e in 0..count as u32 {
            prev[self.next(e) as usize] = e;
        }
        // Around a vertex, clockwise: the twin of an edge ends where the edge starts, so the
        // edge after the twin starts there too.
        let clockwise = |p: &Self, e: u32| {
            let twin = p.edges[e as usize].twin;
            (twin != NONE).then(|| p.next(twin))
        };
        let counter_clockwise = |p: &Self, e: u32| {
            let twin = p.edges[prev[e as usize] as usize].twin;
            (twin != NONE).then_some(twin)
        };
        let mut fans = 0;
        for seed in 0..count as u32 {
            if self.edges[seed as usize].fan != NONE {
                continue;
            }
            // To the clockwise end of the fan, or once around a closed one.
            let mut first = seed;
            let mut closed = false;
            while let Some(e) = clockwise(self, first) {
                first = e;
                if e == seed {
                    closed = true;
                    break;
                }
            }
            let mut angle = 0.0;
            let mut e = first;
            let last = loop {
                self.edges[e as usize].fan = fans;
                let at = self.edges[e as usize].start();
                let out = self.edges[self.next(e) as usize].start() - at;
                let back = self.edges[prev[e as usize] as usize].start() - at;
                angle += turn_angle(out, back);
                match counter_clockwise(self, e) {
                    Some(other) if other != first => e = other,
                    _ => break e,
                }
            };
            if self.fan_turns(closed, angle, first, prev[last as usize]) {
                let mut e = first;
                loop {
                    self.edges[e as usize].fan |= CORNER_BIT;
                    match counter_clockwise(self, e) {
                        Some(other) if other != first => e = other,
                        _ => break,
                    }
                }
            }
            fans += 1;
        }
        self.fan_count = fans;
        self.mark_level();
    }

    /// Finds the edges that are level with their twins.
    fn mark_level(&mut self) {
        for edge in 0..self.edges.len() as u32 {
            let twin = self.edges[edge as usize].twin;
            if twin == NONE {
                continue;
            }
            let (from, to) = self.segment(edge);
            let heights = self.segment_heights(edge);
            let (twin_from, twin_to) = self.segment(twin);
            let twin_heights = self.segment_heights(twin);
            if (from, to) == (twin_to, twin_from) && heights == (twin_heights.1, twin_heights.0) {
                self.edges[edge as usize].fan |= LEVEL_BIT;
            }
        }
    }

    /// Whether a taut path may turn at a fan whose pieces take up `angle`, whose first edge leads
    /// out along the border and whose last edge comes in along it.
    fn fan_turns(&self, closed: bool, angle: f64, first: u32, last: u32) -> bool {
        use std::f64::consts::{PI, TAU};
        // Sums of a few angles are good to far more than this; what is nearer is decided exactly.
        const ANGLE_SLACK_RAD: f64 = 1e-6;
        if closed {
            return angle > TAU + 1.0;
        }
        if (angle - PI).abs() > ANGLE_SLACK_RAD {
            return angle > PI;
        }
        let (at, to) = self.segment(first);
        let from = self.edges[last as usize].start();
        // Exact up to the last bit for lattice points within 1 km of one another; beyond, a border
        // that is straight to 1e-16 may count as a corner, which costs a little time.
        (to - at).perp_dot(from - at) < 0.0
    }

    fn fit_planes(&mut self) {
        for piece in 0..self.piece_count() as u32 {
            let range = self.range(piece);
            let origin = self.edges[range.start].start();
            let z0 = f64::from(self.heights[range.start]);
            // The largest of the fan's triangles says what the plane is.
            let mut best = (0.0, DVec2::ZERO, DVec2::ZERO, 0.0, 0.0);
            for i in range.start + 1..range.end - 1 {
                let (u, v) = (self.edges[i].start() - origin, self.edges[i + 1].start() - origin);
                let area = u.perp_dot(v);
                if area > best.0 {
                    let z = |i: usize| f64::from(self.heights[i]) - z0;
                    best = (area, u, v, z(i), z(i + 1));
                }
            }
            let (area, u, v, zu, zv) = best;
            let (dx, dy) = ((zu * v.y - zv * u.y) / area, (zv * u.x - zu * v.x) / area);
            let (dx, dy) = (dx as f32, dy as f32);
            let flat = area > 0.0
                && range.clone().all(|i| {
                    let d = self.edges[i].start() - origin;
                    let z = z0 + f64::from(dx) * d.x + f64::from(dy) * d.y;
                    (z - f64::from(self.heights[i])).abs() <= FLAT_TOLERANCE_M
                });
            let steep = Plane { dx: f32::NAN, dy: f32::NAN };
            self.planes.push(if flat { Plane { dx, dy } } else { steep });
        }
    }

    /// Chooses the points at which links are tried.
    fn sample_links(&mut self, data: &NavMeshData) {
        if data.links.is_empty() {
            return;
        }
        let mut samples = Vec::new();
        for (i, link) in data.links.iter().enumerate() {
            let [a, b] = link.from_segment.map(|p| p.map(f64::from));
            let [c, d] = link.to_segment.map(|p| p.map(f64::from));
            let plan = |p: [f64; 3], q: [f64; 3]| (p[0] - q[0]).hypot(p[1] - q[1]);
            let length = plan(a, b).max(plan(c, d));
            let gaps = (length / LINK_SAMPLE_SPACING_M).ceil().min(MAX_LINK_SAMPLES as f64 - 1.0);
            let gaps = if length > 0.0 { gaps as u32 } else { 0 };
            for k in 0..=gaps {
                let share = if gaps == 0 { 0.0 } else { f64::from(k) / f64::from(gaps) };
                let at = |p: [f64; 3], q: [f64; 3]| -> [f64; 3] {
                    std::array::from_fn(|k| p[k] + (q[k] - p[k]) * share)
                };
                let (from, to) = (at(a, b), at(c, d));
                let length_m = ((from[0] - to[0]).hypot(from[1] - to[1])).hypot(from[2] - to[2]);
                let (from_piece, from) =
                    self.closest_in_cell(link.from_cell.0, DVec2::new(from[0], from[1]));
                let (to_piece, to) = self.closest_in_cell(link.to_cell.0, DVec2::new(to[0], to[1]));
                let forwards = LinkSample {
                    link: i as u32,
                    backwards: false,
                    from_piece,
                    to_piece,
                    share,
                    from,
                    to,
                    length_m,
                    block: NONE,
                };
                samples.push(forwards);
                if link.two_way {
                    samples.push(LinkSample {
                        backwards: true,
                        from_piece: to_piece,
                        to_piece: from_piece,
                        from: to,
                        to: from,
                        ..forwards
                    });
                }
            }
        }
        self.set_link_samples(samples);
    }

    /// Sets the points at which links are tried.
    pub(crate) fn set_link_samples(&mut self, mut samples: Vec<LinkSample>) {
        if samples.is_empty() {
            return;
        }
        samples.sort_by_key(|s| s.from_piece);
        let mut first = vec![0_u32; self.piece_count() + 1];
        for s in &samples {
            first[s.from_piece as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        self.link_samples = samples;
        self.first_link_samples = first;
    }

    /// Pieces from parts that are already joined; links are still missing.
    pub(crate) fn from_parts(mut parts: PieceParts, cell_count: usize) -> Self {
        parts.pieces.first.push(parts.pieces.edges.len() as u32);
        let mut pieces = parts.pieces;
        pieces.group_by_cell(cell_count);
        pieces.number_fans();
        pieces
    }

    /// The area of a piece in plan, in square metres.
    pub(crate) fn area(&self, piece: u32) -> f64 {
        let edges = &self.edges[self.range(piece)];
        let origin = edges[0].start();
        let mut sum = 0.0;
        for pair in edges.windows(2) {
            sum += (pair[0].start() - origin).perp_dot(pair[1].start() - origin);
        }
        sum * 0.5
    }

    /// The points of a piece at which links can be taken.
    #[inline]
    pub(crate) fn link_range(&self, piece: u32) -> std::ops::Range<usize> {
        if self.first_link_samples.is_empty() {
            return 0..0;
        }
        let i = piece as usize;
        self.first_link_samples[i] as usize..self.first_link_samples[i + 1] as usize
    }
}

/// The angle from `from` counter-clockwise to `to`, in (0, 2π].
pub(crate) fn turn_angle(from: DVec2, to: DVec2) -> f64 {
    let angle = from.perp_dot(to).atan2(from.dot(to));
    if angle > 0.0 { angle } else { angle + std::f64::consts::TAU }
}

/// The point of the segment from `a` to `b` nearest to `p`.
#[inline]
pub(crate) fn closest_on_segment(a: DVec2, b: DVec2, p: DVec2) -> DVec2 {
    a + (b - a) * share_on_segment(a, b, p)
}

/// Where on the segment from `a` to `b` the point nearest to `p` lies, from 0 to 1.
#[inline]
pub(crate) fn share_on_segment(a: DVec2, b: DVec2, p: DVec2) -> f64 {
    let d = b - a;
    let length2 = d.length_squared();
    if length2 > 0.0 { ((p - a).dot(d) / length2).clamp(0.0, 1.0) } else { 0.0 }
}
