//! A slow, simple judge of the scenes' answers: the definition of ground, by vertical lines through
//! the triangles, and the radius by walking outwards from a point in many directions. It shares
//! nothing with the scenes' own arithmetic but the triangles.

use std::cell::RefCell;
use std::collections::{BinaryHeap, HashSet};

use surefoot_testing_scenes::{ProceduralScene, TruthAgent};

/// Surfaces nearer than this are one, in metres.
const SAME_M: f64 = 1e-3;
/// Side of a bin of triangles, in metres.
const BIN_M: f64 = 0.5;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Facing {
    /// Up, and flat enough to walk on.
    Walkable,
    /// Up, and too steep.
    Steep,
    Down,
}

struct Face {
    corners: [[f64; 3]; 3],
    facing: Facing,
}

pub(crate) struct Oracle {
    faces: Vec<Face>,
    low: [f64; 2],
    high: [f64; 2],
    bins: [usize; 2],
    starts: Vec<usize>,
    members: Vec<u32>,
    pub(crate) agent: TruthAgent,
    /// Holes in the ground up to this wide are stepped over, in metres.
    pub(crate) bridge_m: f64,
    /// What the last vertical line met; kept so that a line costs no memory of its own.
    hits: RefCell<Vec<(f64, Facing)>>,
}

impl Oracle {
    pub(crate) fn new(built: &ProceduralScene) -> Self {
        let scene = &built.scene;
        let agent = built.truth.agent;
        let flattest = agent.max_slope_deg.to_radians().cos();
        let mut faces = Vec::new();
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for t in scene.triangles() {
            let corners = t.map(|i| scene.point(i));
            let [a, b, c] = corners;
            let u: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
            let v: [f64; 3] = std::array::from_fn(|k| c[k] - a[k]);
            let n =
                [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let up = n[1] / n.iter().map(|c| c * c).sum::<f64>().sqrt();
            for p in corners {
                for (k, c) in [p[0], p[2]].into_iter().enumerate() {
                    low[k] = low[k].min(c);
                    high[k] = high[k].max(c);
                }
            }
            // An upright face is a line in plan.
            if up.abs() > 1e-4 {
                let facing = match up {
                    up if up < 0.0 => Facing::Down,
                    up if up >= flattest - 1e-6 => Facing::Walkable,
                    _ => Facing::Steep,
                };
                faces.push(Face { corners, facing });
            }
        }
        let bins: [usize; 2] =
            std::array::from_fn(|k| ((high[k] - low[k]) / BIN_M).floor() as usize + 1);
        let range = |face: &Face, k: usize, axis: usize| {
            let of = |p: &[f64; 3]| ((p[axis] - low[k]) / BIN_M).floor() as usize;
            let cells = face.corners.iter().map(of);
            (cells.clone().min().unwrap(), cells.max().unwrap())
        };
        let mut lists = vec![Vec::new(); bins[0] * bins[1]];
        for (f, face) in faces.iter().enumerate() {
            let ((i0, i1), (j0, j1)) = (range(face, 0, 0), range(face, 1, 2));
            for i in i0..=i1 {
                for j in j0..=j1 {
                    lists[i * bins[1] + j].push(f as u32);
                }
            }
        }
        let mut starts = vec![0];
        let mut members = Vec::new();
        for list in lists {
            members.extend(list);
            starts.push(members.len());
        }
        Self {
            faces,
            low,
            high,
            bins,
            starts,
            members,
            agent,
            bridge_m: 0.0,
            hits: RefCell::default(),
        }
    }

    /// Where a vertical line meets the faces, from below.
    fn column(&self, x: f64, z: f64, hits: &mut Vec<(f64, Facing)>) {
        hits.clear();
        let cell = |v: f64, k: usize| {
            let c = ((v - self.low[k]) / BIN_M).floor();
            (c >= 0.0 && (c as usize) < self.bins[k]).then_some(c as usize)
        };
        let (Some(i), Some(j)) = (cell(x, 0), cell(z, 1)) else { return };
        let bin = i * self.bins[1] + j;
        for &f in &self.members[self.starts[bin]..self.starts[bin + 1]] {
            let face = &self.faces[f as usize];
            let [a, b, c] = face.corners;
            let side =
                |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (z - p[2]) - (q[2] - p[2]) * (x - p[0]);
            let (s, t, u) = (side(b, c), side(c, a), side(a, b));
            if (s >= 0.0 && t >= 0.0 && u >= 0.0) || (s <= 0.0 && t <= 0.0 && u <= 0.0) {
                let sum = s + t + u;
                if sum != 0.0 {
                    hits.push(((s * a[1] + t * b[1] + u * c[1]) / sum, face.facing));
                }
            }
        }
        // At equal heights what faces up ends before what faces down begins.
        hits.sort_by(|p, q| {
            let rank = |f: Facing| u8::from(f == Facing::Down);
            p.0.total_cmp(&q.0).then(rank(p.1).cmp(&rank(q.1)))
        });
    }

    /// Heights at which a point agent stands.
    pub(crate) fn ground(&self, x: f64, z: f64) -> Vec<f64> {
        let mut hits = self.hits.borrow_mut();
        self.column(x, z, &mut hits);
        let mut found: Vec<f64> = Vec::new();
        for (k, &(y, facing)) in hits.iter().enumerate() {
            if facing != Facing::Walkable || found.iter().any(|&f| (f - y).abs() < SAME_M) {
                continue;
            }
            let (step, head) = (y + self.agent.max_step_m, y + self.agent.height_m);
            let shaded =
                hits.iter().any(|&(h, f)| f == Facing::Walkable && h > y + SAME_M && h < head);
            let walled = hits.iter().any(|&(h, f)| f == Facing::Steep && h > step && h < head);
            // What faces down begins something solid, and the next that faces up ends it.
            let solid = hits.iter().enumerate().any(|(i, &(from, f))| {
                if f != Facing::Down || from < y - SAME_M || i == k {
                    return false;
                }
                let until = hits[i + 1..]
                    .iter()
                    .find(|&&(_, f)| f != Facing::Down)
                    .map_or(f64::INFINITY, |&(h, _)| h);
                from < head && until > step
            });
            if !(shaded || walled || solid) {
                found.push(y);
            }
        }
        found
    }

    /// Walks straight on from a point of the ground, on every level that steps reach: whether there
    /// is a way at all (it may end over a bridged hole), and the heights of the ground at its end.
    fn walk(&self, from: [f64; 3], to: [f64; 2], pace_m: f64) -> (bool, Vec<f64>) {
        let (dx, dz) = (to[0] - from[0], to[1] - from[2]);
        let length = (dx * dx + dz * dz).sqrt();
        let paces = (length / pace_m).ceil().max(1.0) as usize;
        let reach = self.agent.max_step_m + SAME_M;
        let mut levels = vec![from[1]];
        for k in 1..=paces {
            let t = k as f64 / paces as f64;
            let (x, z) = (from[0] + dx * t, from[2] + dz * t);
            let within = |g: &f64| levels.iter().any(|y| (g - y).abs() <= reach);
            let mut next: Vec<f64> = self.ground(x, z).into_iter().filter(within).collect();
            let here = next.len();
            // Over a hole the ground beside it counts.
            if self.bridge_m > 0.0 {
                for side in 0..8 {
                    let (s, c) = (std::f64::consts::TAU * (f64::from(side) + 0.4) / 8.0).sin_cos();
                    let (nx, nz) = (x + 0.6 * self.bridge_m * c, z + 0.6 * self.bridge_m * s);
                    next.extend(self.ground(nx, nz).iter().filter(|g| within(g)));
                }
            }
            if next.is_empty() {
                return (false, Vec::new());
            }
            if k == paces {
                next.truncate(here);
            }
            levels = next;
        }
        (true, levels)
    }

    /// Whether the disc around a point of the ground is ground, tried in some directions.
    pub(crate) fn stands(&self, p: [f64; 3], directions: usize) -> bool {
        let r = self.agent.radius_m;
        r == 0.0
            || (0..directions).all(|k| {
                let (s, c) =
                    (std::f64::consts::TAU * (k as f64 + 0.13) / directions as f64).sin_cos();
                self.walk(p, [p[0] + r * c, p[2] + r * s], 0.08).0
            })
    }

    /// Area of the ground, and of what is left after erosion, from one sample a cell.
    pub(crate) fn areas(&self, cell_m: f64, directions: usize) -> [f64; 2] {
        let count = |k: usize| ((self.high[k] - self.low[k]) / cell_m).ceil() as usize;
        let mut areas = [0.0; 2];
        for i in 0..count(0) {
            for j in 0..count(1) {
                // A sample moves inside its cell, so that no wall keeps step with the samples.
                let shift = |salt: usize| ((i * 7919 + j * 104_729 + salt) % 997) as f64 / 997.0;
                let x = self.low[0] + (i as f64 + shift(0)) * cell_m;
                let z = self.low[1] + (j as f64 + shift(331)) * cell_m;
                for y in self.ground(x, z) {
                    areas[0] += cell_m * cell_m;
                    if directions > 0 && self.stands([x, y, z], directions) {
                        areas[1] += cell_m * cell_m;
                    }
                }
            }
        }
        areas
    }

    /// Whether the agent gets from one point to the other, step by step on a grid through the first.
    /// Gives up after `limit` places; `None` then.
    pub(crate) fn connected(
        &self,
        from: [f64; 3],
        to: [f64; 3],
        pace_m: f64,
        directions: usize,
        limit: usize,
    ) -> Option<bool> {
        let start =
            self.ground(from[0], from[2]).into_iter().find(|g| (g - from[1]).abs() < 0.02)?;
        let far = |x: f64, y: f64, z: f64| {
            (0..3).map(|k| ([x, y, z][k] - to[k]).powi(2)).sum::<f64>().sqrt()
        };
        // Heights are told apart by half a step.
        let level = |y: f64| (y / 0.2).round() as i64;
        let mut seen = HashSet::from([(0_i64, 0_i64, level(start))]);
        let mut open =
            BinaryHeap::from([(std::cmp::Reverse(0_i64), 0_i64, 0_i64, start.to_bits())]);
        while let Some((_, i, j, bits)) = open.pop() {
            let y = f64::from_bits(bits);
            let here = [from[0] + i as f64 * pace_m, y, from[2] + j as f64 * pace_m];
            if far(here[0], y, here[2]) < 1.5 * pace_m.max(0.15) {
                return Some(true);
            }
            if seen.len() > limit {
                return None;
            }
            for (di, dj) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
                let (ni, nj) = (i + di, j + dj);
                // A hole is stepped over by a longer pace in the same direction.
                let reach = 1 + (self.bridge_m / pace_m).ceil() as i64;
                for stretch in 1..=reach {
                    let (ni, nj) = (ni + di * (stretch - 1), nj + dj * (stretch - 1));
                    let goal = [from[0] + ni as f64 * pace_m, from[2] + nj as f64 * pace_m];
                    for next in self.walk(here, goal, 0.05).1 {
                        let place = [goal[0], next, goal[1]];
                        if seen.contains(&(ni, nj, level(next))) || !self.stands(place, directions)
                        {
                            continue;
                        }
                        seen.insert((ni, nj, level(next)));
                        let cost = (far(goal[0], next, goal[1]) * 1000.0) as i64;
                        open.push((std::cmp::Reverse(cost), ni, nj, next.to_bits()));
                    }
                }
            }
        }
        Some(false)
    }
}
