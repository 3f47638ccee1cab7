//! Adds points to a region's triangles until they follow the ground.
//!
//! Goes in: triangles over a region, and heights measured inside of it. Comes out: triangles none of
//! which lies farther above or below a measured height than allowed. Greedy insertion after Garland
//! and Heckbert, "Fast polygonal approximation of terrains and height fields" (1995): the worst height
//! in a triangle becomes a corner, and flips after Lawson make the triangles Delaunay again. Borders
//! stay as they are.

use crate::contour::chain::NO_PART;
use crate::contour::chain::RegionSample;
use crate::contour::region_mesh::{MeshTriangle, NONE, RegionMesh, turn};
use std::cmp::Reverse;

/// Points are added in the middle of columns: odd numbers of half columns.
fn place(sample: &RegionSample) -> [i32; 2] {
    [2 * sample.x as i32 + 1, 2 * sample.y as i32 + 1]
}

/// Adds points until no sample is farther off than `allowed` lattice units. Returns the part of every
/// triangle, by most of its samples; nothing where the ground is not divided.
pub(crate) fn add_detail(
    mesh: &mut RegionMesh,
    samples: &[RegionSample],
    allowed: f64,
) -> Vec<u32> {
    if samples.is_empty() || mesh.triangles.is_empty() {
        return Vec::new();
    }
    let mut detail = Detail {
        first: vec![NONE; mesh.triangles.len()],
        next: vec![NONE; samples.len()],
        samples,
        mesh,
        allowed,
        pool: Vec::new(),
        touched: Vec::new(),
        flips: Vec::new(),
    };
    detail.assign_all();
    let mut work: Vec<u32> = (0..detail.mesh.triangles.len() as u32).rev().collect();
    while let Some(t) = work.pop() {
        if let Some(sample) = detail.worst(t) {
            detail.insert(t, sample);
            work.extend_from_slice(&detail.touched);
        }
    }
    detail.parts()
}

/// The samples of one row, in the order of all of them.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Where the row lies, in half columns.
    y: i32,
    first: usize,
    end: usize,
}

/// The rows that have samples, from below: where these lie far apart, most rows have none.
fn rows_of(samples: &[RegionSample]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut first = 0;
    for of_row in samples.chunk_by(|a, b| a.y == b.y) {
        let end = first + of_row.len();
        rows.push(Row { y: place(&of_row[0])[1], first, end });
        first = end;
    }
    rows
}

struct Detail<'a> {
    mesh: &'a mut RegionMesh,
    samples: &'a [RegionSample],
    /// The samples of every triangle, as a list.
    first: Vec<u32>,
    next: Vec<u32>,
    allowed: f64,
    pool: Vec<u32>,
    touched: Vec<u32>,
    flips: Vec<(u32, usize)>,
}

impl Detail<'_> {
    fn corners(&self, t: u32) -> [[i32; 2]; 3] {
        self.mesh.triangles[t as usize].corners.map(|c| self.mesh.points[c as usize])
    }

    fn holds(&self, t: u32, p: [i32; 2]) -> bool {
        let [a, b, c] = self.corners(t);
        turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0
    }

    /// Gives every sample to a triangle over it.
    fn assign_all(&mut self) {
        let samples = self.samples;
        let rows = rows_of(samples);
        let mut given = vec![false; samples.len()];
        for t in 0..self.mesh.triangles.len() as u32 {
            let corners = self.corners(t);
            let ys = corners.map(|c| c[1]);
            let (y_lo, y_hi) = (ys[0].min(ys[1]).min(ys[2]), ys[0].max(ys[1]).max(ys[2]));
            let from = rows.partition_point(|r| r.y < y_lo);
            for row in rows[from..].iter().take_while(|r| r.y <= y_hi) {
                let (x_lo, x_hi) = row_range(&corners, row.y);
                let of_row = &samples[row.first..row.end];
                let start = row.first + of_row.partition_point(|s| place(s)[0] < x_lo);
                for i in start..row.end {
                    let p = place(&samples[i]);
                    if p[0] > x_hi {
                        break;
                    }
                    if !given[i] && self.holds(t, p) {
                        given[i] = true;
                        self.next[i] = self.first[t as usize];
                        self.first[t as usize] = i as u32;
                    }
                }
            }
        }
    }

    /// The sample of a triangle that is farthest off, if it is too far.
    fn worst(&self, t: u32) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        let mut i = self.first[t as usize];
        if i == NONE {
            return None;
        }
        let triangle = &self.mesh.triangles[t as usize];
        let [a, b, c] = self.corners(t);
        let heights = triangle.heights.map(f64::from);
        let area = turn(a, b, c) as f64;
        while i != NONE {
            let sample = &self.samples[i as usize];
            let p = place(sample);
            let (wa, wb) = (turn(b, c, p) as f64 / area, turn(c, a, p) as f64 / area);
            let height = heights[0] * wa + heights[1] * wb + heights[2] * (1.0 - wa - wb);
            let off = (height - f64::from(sample.height)).abs();
            // Of equal ones the first in order, whatever the list's order.
            if off > self.allowed && best.is_none_or(|(o, j)| off > o || (off >= o && i < j)) {
                best = Some((off, i));
            }
            i = self.next[i as usize];
        }
        best.map(|(_, i)| i)
    }

    fn parts(&self) -> Vec<u32> {
        if self.samples.iter().all(|s| s.part == NO_PART) {
            return Vec::new();
        }
        let count = self.mesh.triangles.len();
        let mut parts = vec![NO_PART; count];
        let mut queue: Vec<u32> = Vec::new();
        let mut votes: Vec<u32> = Vec::new();
        for t in 0..count as u32 {
            votes.clear();
            let mut i = self.first[t as usize];
            while i != NONE {
                votes.push(self.samples[i as usize].part);
                i = self.next[i as usize];
            }
            votes.sort_unstable();
            let most = votes.chunk_by(|a, b| a == b).max_by_key(|v| (v.len(), Reverse(v[0])));
            if let Some(most) = most {
                parts[t as usize] = most[0];
                queue.push(t);
            }
        }
        // Triangles between samples go with a neighbour.
        let mut at = 0;
        while let Some(&t) = queue.get(at) {
            at += 1;
            for n in self.mesh.triangles[t as usize].neighbours {
                if n != NONE && parts[n as usize] == NO_PART {
                    parts[n as usize] = parts[t as usize];
                    queue.push(n);
                }
            }
        }
        parts
    }

    /// Takes the samples of a triangle that is about to change.
    fn touch(&mut self, t: u32) {
        if !self.touched.contains(&t) {
            self.touched.push(t);
        }
        let mut i = std::mem::replace(&mut self.first[t as usize], NONE);
        while i != NONE {
            self.pool.push(i);
            i = self.next[i as usize];
        }
    }

    fn insert(&mut self, t: u32, sample: u32) {
        self.pool.clear();
        self.touched.clear();
        self.flips.clear();
        let p = place(&self.samples[sample as usize]);
        let [a, b, c] = self.corners(t);
        let on_side = [turn(a, b, p), turn(b, c, p), turn(c, a, p)].iter().position(|&v| v == 0);
        match on_side {
            Some(k) if self.mesh.triangles[t as usize].edges[k] != NONE => {
                // On a border, which stays: the sample is given up.
                self.touch(t);
                self.pool.retain(|&i| i != sample);
                self.give_back();
                return;
            }
            Some(k) => self.split_side(t, k, p, self.samples[sample as usize].height),
            None => self.split(t, p, self.samples[sample as usize].height),
        }
        self.pool.retain(|&i| i != sample);
        while let Some((t, k)) = self.flips.pop() {
            self.flip(t, k);
        }
        self.give_back();
    }

    fn give_back(&mut self) {
        let pool = std::mem::take(&mut self.pool);
        for &i in &pool {
            let p = place(&self.samples[i as usize]);
            if let Some(&t) = self.touched.iter().find(|&&t| self.holds(t, p)) {
                self.next[i as usize] = self.first[t as usize];
                self.first[t as usize] = i;
            }
        }
        self.pool = pool;
    }

    fn add_triangle(&mut self, triangle: MeshTriangle) -> u32 {
        let t = self.mesh.triangles.len() as u32;
        self.mesh.triangles.push(triangle);
        self.first.push(NONE);
        self.touched.push(t);
        t
    }

    /// Tells the triangle behind a side that its neighbour has a new number.
    fn renumber(&mut self, behind: u32, old: u32, new: u32, side: [u32; 2]) {
        if behind == NONE {
            return;
        }
        let triangle = &mut self.mesh.triangles[behind as usize];
        for k in 0..3 {
            let here = [triangle.corners[(k + 1) % 3], triangle.corners[k]];
            if triangle.neighbours[k] == old && here == side {
                triangle.neighbours[k] = new;
            }
        }
    }

    /// Splits a triangle in three around a point inside.
    fn split(&mut self, t: u32, p: [i32; 2], height: i32) {
        self.touch(t);
        let new = self.mesh.points.len() as u32;
        self.mesh.points.push(p);
        let old = self.mesh.triangles[t as usize];
        let numbers = [t, self.mesh.triangles.len() as u32, self.mesh.triangles.len() as u32 + 1];
        for k in 0..3 {
            let (a, b) = (k, (k + 1) % 3);
            let triangle = MeshTriangle {
                corners: [old.corners[a], old.corners[b], new],
                heights: [old.heights[a], old.heights[b], height],
                neighbours: [old.neighbours[k], numbers[b], numbers[(k + 2) % 3]],
                edges: [old.edges[k], NONE, NONE],
            };
            if k == 0 {
                self.mesh.triangles[t as usize] = triangle;
            } else {
                self.add_triangle(triangle);
                self.renumber(old.neighbours[k], t, numbers[k], [old.corners[a], old.corners[b]]);
            }
            self.flips.push((numbers[k], 0));
        }
    }

    /// Splits a triangle, and the one behind, at a point on their common side.
    fn split_side(&mut self, t: u32, k: usize, p: [i32; 2], height: i32) {
        let behind = self.mesh.triangles[t as usize].neighbours[k];
        if behind == NONE {
            return;
        }
        self.touch(t);
        self.touch(behind);
        let new = self.mesh.points.len() as u32;
        self.mesh.points.push(p);
        let one = rotated(&self.mesh.triangles[t as usize], k);
        let [a, b, _] = one.corners;
        let other = &self.mesh.triangles[behind as usize];
        let j = (0..3).find(|&j| other.corners[j] == b).unwrap_or(0);
        let two = rotated(other, j);
        let (one_b, two_b) =
            (self.mesh.triangles.len() as u32, self.mesh.triangles.len() as u32 + 1);
        // One: a p c and p b c. Two (b a d): b p d and p a d.
        self.mesh.triangles[t as usize] = MeshTriangle {
            corners: [a, new, one.corners[2]],
            heights: [one.heights[0], height, one.heights[2]],
            neighbours: [two_b, one_b, one.neighbours[2]],
            edges: [NONE, NONE, one.edges[2]],
        };
        self.mesh.triangles[behind as usize] = MeshTriangle {
            corners: [b, new, two.corners[2]],
            heights: [two.heights[0], height, two.heights[2]],
            neighbours: [one_b, two_b, two.neighbours[2]],
            edges: [NONE, NONE, two.edges[2]],
        };
        self.add_triangle(MeshTriangle {
            corners: [new, b, one.corners[2]],
            heights: [height, one.heights[1], one.heights[2]],
            neighbours: [behind, one.neighbours[1], t],
            edges: [NONE, one.edges[1], NONE],
        });
        self.add_triangle(MeshTriangle {
            corners: [new, a, two.corners[2]],
            heights: [height, two.heights[1], two.heights[2]],
            neighbours: [t, two.neighbours[1], behind],
            edges: [NONE, two.edges[1], NONE],
        });
        self.renumber(one.neighbours[1], t, one_b, [b, one.corners[2]]);
        self.renumber(two.neighbours[1], behind, two_b, [a, two.corners[2]]);
        self.flips.extend([(t, 2), (one_b, 1), (behind, 2), (two_b, 1)]);
    }

    /// Flips a side if the corner behind it lies in the triangle's circle.
    fn flip(&mut self, t: u32, k: usize) {
        let here = &self.mesh.triangles[t as usize];
        let behind = here.neighbours[k];
        if behind == NONE || here.edges[k] != NONE {
            return;
        }
        let one = rotated(here, k);
        let [a, b, c] = one.corners;
        let other = &self.mesh.triangles[behind as usize];
        let Some(j) = (0..3).find(|&j| other.corners[j] == b && other.corners[(j + 1) % 3] == a)
        else {
            return;
        };
        let two = rotated(other, j);
        let d = two.corners[2];
        let at = |i: u32| self.mesh.points[i as usize];
        if !in_circle(at(a), at(b), at(c), at(d))
            || turn(at(c), at(a), at(d)) <= 0
            || turn(at(d), at(b), at(c)) <= 0
        {
            return;
        }
        self.touch(t);
        self.touch(behind);
        // a b c and b a d become c a d and d b c.
        self.mesh.triangles[t as usize] = MeshTriangle {
            corners: [c, a, d],
            heights: [one.heights[2], one.heights[0], two.heights[2]],
            neighbours: [one.neighbours[2], two.neighbours[1], behind],
            edges: [one.edges[2], two.edges[1], NONE],
        };
        self.mesh.triangles[behind as usize] = MeshTriangle {
            corners: [d, b, c],
            heights: [two.heights[2], one.heights[1], one.heights[2]],
            neighbours: [two.neighbours[2], one.neighbours[1], t],
            edges: [two.edges[2], one.edges[1], NONE],
        };
        self.renumber(two.neighbours[1], behind, t, [a, d]);
        self.renumber(one.neighbours[1], t, behind, [b, c]);
        self.flips.extend([(t, 0), (t, 1), (behind, 0), (behind, 1)]);
    }
}

/// A triangle, told from another corner on.
fn rotated(t: &MeshTriangle, k: usize) -> MeshTriangle {
    let r = |v: [u32; 3]| [v[k], v[(k + 1) % 3], v[(k + 2) % 3]];
    let h = t.heights;
    MeshTriangle {
        corners: r(t.corners),
        heights: [h[k], h[(k + 1) % 3], h[(k + 2) % 3]],
        neighbours: r(t.neighbours),
        edges: r(t.edges),
    }
}

/// Whether `d` lies strictly inside the circle through `a`, `b` and `c`.
fn in_circle(a: [i32; 2], b: [i32; 2], c: [i32; 2], d: [i32; 2]) -> bool {
    let rel =
        |p: [i32; 2]| (i128::from(p[0]) - i128::from(d[0]), i128::from(p[1]) - i128::from(d[1]));
    let ((ax, ay), (bx, by), (cx, cy)) = (rel(a), rel(b), rel(c));
    let lift = |x: i128, y: i128| x * x + y * y;
    lift(ax, ay) * (bx * cy - by * cx)
        + lift(bx, by) * (cx * ay - cy * ax)
        + lift(cx, cy) * (ax * by - ay * bx)
        > 0
}

/// Where a triangle may have points on a row, and some more on either side.
fn row_range(corners: &[[i32; 2]; 3], y: i32) -> (i32, i32) {
    let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        if (a[1] < y) == (b[1] < y) && a[1] != y && b[1] != y {
            continue;
        }
        let run = f64::from(b[1]) - f64::from(a[1]);
        let t = if a[1] == b[1] { 0.0 } else { (f64::from(y) - f64::from(a[1])) / run };
        let x = f64::from(a[0]) + t * (f64::from(b[0]) - f64::from(a[0]));
        lo = lo.min(x);
        hi = hi.max(x);
        if a[1] == b[1] {
            lo = lo.min(f64::from(b[0]));
            hi = hi.max(f64::from(b[0]));
        }
    }
    // Cut off towards nought instead of rounded, which would be a call: one unit for that, one more for
    // what the crossings were rounded by.
    (lo as i32 - 2, hi as i32 + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contour::region_mesh::RegionEdge;

    /// Every sample is found by a triangle over it, however far apart rows of samples lie.
    #[test]
    fn every_sample_is_given_to_a_triangle_that_holds_it() {
        let outline = [[0, 0], [900, 70], [1400, 0], [1000, 800], [300, 1100]];
        let edges: Vec<RegionEdge> = (0..outline.len())
            .map(|i| RegionEdge {
                ends: [outline[i], outline[(i + 1) % outline.len()]],
                heights: [0; 2],
                name: 2 * i as u32,
                inside: false,
            })
            .collect();
        let mut mesh = RegionMesh::new(&edges).unwrap();
        let is_over = |mesh: &RegionMesh, t: usize, p: [i32; 2]| {
            let [a, b, c] = mesh.triangles[t].corners.map(|c| mesh.points[c as usize]);
            turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0
        };
        let count = mesh.triangles.len();
        for (dx, dy) in [(1, 1), (16, 16), (7, 90)] {
            let samples: Vec<RegionSample> = (0..560 / dy)
                .flat_map(|j| (0..720 / dx).map(move |i| (i * dx, j * dy)))
                .map(|(x, y)| RegionSample { y, x, height: 0, part: NO_PART })
                .filter(|s| (0..count).any(|t| is_over(&mesh, t, place(s))))
                .collect();
            let mut detail = Detail {
                first: vec![NONE; count],
                next: vec![NONE; samples.len()],
                samples: &samples,
                mesh: &mut mesh,
                allowed: 0.0,
                pool: Vec::new(),
                touched: Vec::new(),
                flips: Vec::new(),
            };
            detail.assign_all();
            let mut given = 0;
            for t in 0..count {
                let mut i = detail.first[t];
                while i != NONE {
                    assert!(is_over(detail.mesh, t, place(&samples[i as usize])));
                    given += 1;
                    i = detail.next[i as usize];
                }
            }
            assert_eq!(given, samples.len());
            assert!(given > 10);
        }
    }
}
