//! A region as triangles: its contours triangulated, with a height at every corner.
//!
//! Goes in: the edges of one region, each with its heights on the region's side. Comes out: triangles
//! with neighbours. The triangulation is the constrained Delaunay one; what is inside follows from the
//! edges that have the region on their left (Saupin et al. 2013, §5.1, fill from seeds in holes; with
//! directed edges no seed is needed). Around a corner at which the ground breaks, each wedge between
//! two edges has its own height.

use surefoot_geom::LatticePoint;
use surefoot_geom::triangulate::constrained_delaunay;

/// No triangle, no edge.
pub(crate) const NONE: u32 = u32::MAX;

/// An edge of a region, the region on its left. Positions in half columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionEdge {
    pub(crate) ends: [[i32; 2]; 2],
    /// Heights at both ends, in lattice units.
    pub(crate) heights: [i32; 2],
    /// The edge's number among all edges of all chains, times two, plus one for the right side.
    pub(crate) name: u32,
    /// Whether the region goes on behind it, where the ground breaks.
    pub(crate) inside: bool,
}

/// A triangle, counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshTriangle {
    pub(crate) corners: [u32; 3],
    /// Heights at the corners, in lattice units.
    pub(crate) heights: [i32; 3],
    /// The triangle behind the edge from each corner to the next, or [`NONE`].
    pub(crate) neighbours: [u32; 3],
    /// The region's edge there, or [`NONE`].
    pub(crate) edges: [u32; 3],
}

impl MeshTriangle {
    /// Which of its sides runs against a side of another triangle.
    pub(crate) fn side_against(&self, other: &Self, side: usize) -> Option<usize> {
        let (from, to) = (other.corners[side], other.corners[(side + 1) % 3]);
        (0..3).find(|&k| self.corners[k] == to && self.corners[(k + 1) % 3] == from)
    }
}

/// Triangles over points in half columns.
#[derive(Debug, Default)]
pub(crate) struct RegionMesh {
    pub(crate) points: Vec<[i32; 2]>,
    pub(crate) triangles: Vec<MeshTriangle>,
}

/// Twice the area of a triangle of points.
pub(crate) fn turn(a: [i32; 2], b: [i32; 2], c: [i32; 2]) -> i64 {
    let d = |u: i32, v: i32| i64::from(u) - i64::from(v);
    d(b[0], a[0]) * d(c[1], a[1]) - d(b[1], a[1]) * d(c[0], a[0])
}

const UNKNOWN: i32 = i32::MIN;

/// The edges of a region by the numbers of their ends.
struct DirectedEdges {
    /// The ends of each, and its number; sorted.
    edges: Vec<([u32; 2], u32)>,
    /// Where those from each point begin, and one past the last at the end.
    firsts: Vec<u32>,
}

impl DirectedEdges {
    /// Edges between points that are sorted.
    fn new(edges: &[RegionEdge], points: &[[i32; 2]]) -> Self {
        let index = |p: [i32; 2]| points.binary_search(&p).map_or(NONE, |i| i as u32);
        let mut last = ([0; 2], NONE);
        let mut directed: Vec<([u32; 2], u32)> = Vec::with_capacity(edges.len());
        for (number, edge) in (0..).zip(edges) {
            // Along a border one edge begins where the last one ended.
            let from =
                if last.1 != NONE && edge.ends[0] == last.0 { last.1 } else { index(edge.ends[0]) };
            let to = index(edge.ends[1]);
            last = (edge.ends[1], to);
            directed.push(([from, to], number));
        }
        directed.sort_unstable();
        let mut firsts = vec![0; points.len() + 1];
        for ([from, _], _) in &directed {
            firsts[*from as usize + 1] += 1;
        }
        for i in 1..firsts.len() {
            firsts[i] += firsts[i - 1];
        }
        Self { edges: directed, firsts }
    }

    /// The edge from one point to another.
    #[inline]
    fn find(&self, [from, to]: [u32; 2]) -> Option<u32> {
        let (first, end) = (self.firsts[from as usize], self.firsts[from as usize + 1]);
        let of_point = &self.edges[first as usize..end as usize];
        of_point.iter().find(|e| e.0[1] == to).map(|e| e.1)
    }
}

impl RegionMesh {
    /// Triangulates a region; `None` where its edges are no outline.
    pub(crate) fn new(edges: &[RegionEdge]) -> Option<Self> {
        let mut points: Vec<[i32; 2]> = edges.iter().flat_map(|e| e.ends).collect();
        points.sort_unstable();
        points.dedup();
        let directed = DirectedEdges::new(edges, &points);
        let mut segments: Vec<[u32; 2]> =
            directed.edges.iter().map(|(s, _)| [s[0].min(s[1]), s[0].max(s[1])]).collect();
        segments.sort_unstable();
        segments.dedup();
        let lattice: Vec<LatticePoint> =
            points.iter().map(|p| LatticePoint::new(p[0], p[1])).collect();
        let corners = constrained_delaunay(&lattice, &segments).ok()?;
        let mut mesh = Self {
            points,
            triangles: corners
                .into_iter()
                .map(|corners| MeshTriangle {
                    corners,
                    heights: [UNKNOWN; 3],
                    neighbours: [NONE; 3],
                    edges: [NONE; 3],
                })
                .collect(),
        };
        mesh.find_neighbours();
        let found = mesh.name_edges(edges, &directed);
        if found < directed.edges.len() {
            return None;
        }
        mesh.keep_inside(edges, &directed)?;
        mesh.spread_heights(edges);
        Some(mesh)
    }

    fn find_neighbours(&mut self) {
        // The sides of triangles by their lesser corner: few have the same.
        let mut firsts = vec![0_u32; self.points.len() + 2];
        let lesser = |t: &MeshTriangle, k: usize| t.corners[k].min(t.corners[(k + 1) % 3]);
        for triangle in &self.triangles {
            (0..3).for_each(|k| firsts[lesser(triangle, k) as usize + 2] += 1);
        }
        for i in 2..firsts.len() {
            firsts[i] += firsts[i - 1];
        }
        let mut sides: Vec<(u32, u32, u8)> = vec![(NONE, NONE, 0); self.triangles.len() * 3];
        for (t, triangle) in (0..).zip(&self.triangles) {
            for k in 0..3 {
                let at = &mut firsts[lesser(triangle, k) as usize + 1];
                let other = triangle.corners[k].max(triangle.corners[(k + 1) % 3]);
                sides[*at as usize] = (other, t, k as u8);
                *at += 1;
            }
        }
        for ends in firsts.windows(2) {
            let of_corner = &mut sides[ends[0] as usize..ends[1] as usize];
            of_corner.sort_unstable();
            for pair in of_corner.chunk_by(|a, b| a.0 == b.0) {
                if let [a, b] = pair {
                    self.triangles[a.1 as usize].neighbours[usize::from(a.2)] = b.1;
                    self.triangles[b.1 as usize].neighbours[usize::from(b.2)] = a.1;
                }
            }
        }
    }

    /// Tells every triangle which edges of the region it has; returns how many were found.
    fn name_edges(&mut self, edges: &[RegionEdge], directed: &DirectedEdges) -> usize {
        let mut found = 0;
        for triangle in &mut self.triangles {
            for k in 0..3 {
                let side = [triangle.corners[k], triangle.corners[(k + 1) % 3]];
                if let Some(e) = directed.find(side) {
                    triangle.edges[k] = e;
                    triangle.heights[k] = edges[e as usize].heights[0];
                    triangle.heights[(k + 1) % 3] = edges[e as usize].heights[1];
                    found += 1;
                }
            }
        }
        found
    }

    /// Keeps what lies to the left of the region's edges.
    fn keep_inside(&mut self, edges: &[RegionEdge], directed: &DirectedEdges) -> Option<()> {
        let is_border =
            |side: [u32; 2]| directed.find(side).is_some_and(|e| !edges[e as usize].inside);
        let mut inside = vec![false; self.triangles.len()];
        let mut queue: Vec<u32> = (0..self.triangles.len() as u32)
            .filter(|&t| self.triangles[t as usize].edges.iter().any(|&e| e != NONE))
            .collect();
        for &t in &queue {
            inside[t as usize] = true;
        }
        while let Some(t) = queue.pop() {
            let triangle = &self.triangles[t as usize];
            for k in 0..3 {
                let [a, b] = [triangle.corners[k], triangle.corners[(k + 1) % 3]];
                if triangle.edges[k] != NONE && !edges[triangle.edges[k] as usize].inside {
                    continue;
                }
                // Ground on the wrong side of its own border, or without a border: no outline.
                let next = triangle.neighbours[k];
                if next == NONE || is_border([b, a]) {
                    return None;
                }
                if !inside[next as usize] {
                    inside[next as usize] = true;
                    queue.push(next);
                }
            }
        }
        let mut number = vec![NONE; self.triangles.len()];
        let mut count = 0;
        for (t, inside) in inside.iter().enumerate() {
            if *inside {
                number[t] = count;
                count += 1;
            }
        }
        let mut keep = inside.iter();
        self.triangles.retain(|_| keep.next().copied().unwrap_or(false));
        for triangle in &mut self.triangles {
            for k in 0..3 {
                if triangle.neighbours[k] != NONE {
                    triangle.neighbours[k] = number[triangle.neighbours[k] as usize];
                }
                let e = triangle.edges[k];
                if e != NONE && !edges[e as usize].inside {
                    triangle.neighbours[k] = NONE;
                }
            }
        }
        Some(())
    }

    /// Gives corners that touch no edge of the region, in their triangle, the height of their wedge.
    fn spread_heights(&mut self, edges: &[RegionEdge]) {
        let mut queue: Vec<(u32, usize)> = Vec::new();
        for (t, triangle) in self.triangles.iter().enumerate() {
            queue.extend((0..3).filter(|&k| triangle.heights[k] != UNKNOWN).map(|k| (t as u32, k)));
        }
        let mut at = 0;
        while let Some(&(t, k)) = queue.get(at) {
            at += 1;
            let triangle = self.triangles[t as usize];
            let corner = triangle.corners[k];
            // The two sides of the triangle that meet in the corner.
            for side in [k, (k + 2) % 3] {
                let next = triangle.neighbours[side];
                if next == NONE || triangle.edges[side] != NONE {
                    continue;
                }
                let other = &mut self.triangles[next as usize];
                let j = (0..3).find(|&j| other.corners[j] == corner).unwrap_or(0);
                if other.heights[j] == UNKNOWN {
                    other.heights[j] = triangle.heights[k];
                    queue.push((next, j));
                }
            }
        }
        // Every corner lies on an edge of the region, so none is left; a height all the same.
        let any = edges.first().map_or(0, |e| e.heights[0]);
        for h in self.triangles.iter_mut().flat_map(|t| &mut t.heights) {
            if *h == UNKNOWN {
                *h = any;
            }
        }
    }
}
