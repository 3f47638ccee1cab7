//! Meshes for tests: made by hand, or random in a way that their answers can be worked out from
//! the blocked quads alone.
#![allow(dead_code)]

use surefoot_mesh::{Agent, EdgeClass, NavMesh, NavMeshData};

pub(crate) const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// A small generator of numbers that look random (Knuth's multiplier).
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 29);
        x.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11
    }

    /// From 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.bits() as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.share() * n as f64) as usize).min(n - 1)
    }
}

/// Data with Z up, so that the user's frame is the canonical one up to the origin.
pub(crate) fn data(points: &[[f32; 3]], polygons: &[&[u32]]) -> NavMeshData {
    let polygons: Vec<Vec<u32>> = polygons.iter().map(|p| p.to_vec()).collect();
    NavMeshData::from_polygons(points, &polygons, Agent::default(), UP).unwrap()
}

/// One square of 4 m.
pub(crate) fn square() -> NavMeshData {
    data(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]], &[&[0, 1, 2, 3]])
}

/// An L of three squares of 2 m around the corner at (2, 2).
pub(crate) fn l_shape() -> NavMeshData {
    let points: Vec<[f32; 3]> =
        (0..9).map(|i| [(i % 3) as f32 * 2.0, (i / 3) as f32 * 2.0, 0.0]).collect();
    data(&points, &[&[0, 1, 4, 3], &[1, 2, 5, 4], &[3, 4, 7, 6]])
}

/// A ring of eight squares of 2 m around a blocked one.
pub(crate) fn ring() -> NavMeshData {
    let points: Vec<[f32; 3]> =
        (0..16).map(|i| [(i % 4) as f32 * 2.0, (i / 4) as f32 * 2.0, 0.0]).collect();
    let quads: Vec<Vec<u32>> = (0..9)
        .filter(|&i| i != 4)
        .map(|i| {
            let a = i / 3 * 4 + i % 3;
            vec![a, a + 1, a + 5, a + 4]
        })
        .collect();
    NavMeshData::from_polygons(&points, &quads, Agent::default(), UP).unwrap()
}

/// A staircase of `steps` treads along X, each 1 m long and 0.2 m high, as separate vertices with
/// step edges between the treads; then, if asked for, a floor of 10 m under all of it.
pub(crate) fn stairs(steps: u32, with_floor: bool) -> NavMeshData {
    let mut points = Vec::new();
    let mut polygons = Vec::new();
    for i in 0..steps {
        let (x, z) = (i as f32, i as f32 * 0.2);
        let first = points.len() as u32;
        points.extend([[x, 0.0, z], [x + 1.0, 0.0, z], [x + 1.0, 2.0, z], [x, 2.0, z]]);
        polygons.push((first..first + 4).collect::<Vec<u32>>());
    }
    if with_floor {
        let first = points.len() as u32;
        points.extend([[-3.0, -3.0, -4.0], [7.0, -3.0, -4.0], [7.0, 7.0, -4.0], [-3.0, 7.0, -4.0]]);
        polygons.push((first..first + 4).collect());
    }
    let mut data = NavMeshData::from_polygons(&points, &polygons, Agent::default(), UP).unwrap();
    for i in 0..steps.saturating_sub(1) {
        join_as_step(&mut data, i, i + 1);
    }
    data
}

/// Makes the edges that two cells share in plan twins across a step.
pub(crate) fn join_as_step(data: &mut NavMeshData, a: u32, b: u32) {
    let ends = |data: &NavMeshData, cell: u32| -> Vec<_> {
        let (start, end) =
            (data.cell_first_edges[cell as usize], data.cell_first_edges[cell as usize + 1]);
        (start..end)
            .map(|e| {
                let next = if e + 1 == end { start } else { e + 1 };
                let at = |e: u32| data.vertex_points[data.edge_vertices[e as usize].index()];
                (e, at(e), at(next))
            })
            .collect()
    };
    for (e, p, q) in ends(data, a) {
        for (t, r, s) in ends(data, b) {
            if (p, q) == (s, r) {
                data.edge_twins[e as usize] = t;
                data.edge_twins[t as usize] = e;
                data.edge_classes[e as usize] = EdgeClass::Step;
                data.edge_classes[t as usize] = EdgeClass::Step;
            }
        }
    }
}

/// A field of quads, some of them blocked, with the mesh of the others.
pub(crate) struct Field {
    pub(crate) mesh: NavMesh,
    /// The blocked quads' corners, counter-clockwise.
    pub(crate) blocked: Vec<[[f64; 2]; 4]>,
    /// Corners of blocked quads.
    pub(crate) corners: Vec<[f64; 2]>,
    /// How far the mesh's vertices may lie from the quads' corners.
    pub(crate) rounding_m: f64,
}

/// How the free quads of a field become cells.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cells {
    /// Two triangles for each quad, with jittered corners.
    Triangles,
    /// Rectangles over as many quads as fit, turned by an odd angle.
    Rectangles,
}

/// A random field of `width` by `height` quads of 1 m within a blocked border, `share` of them
/// blocked, never two that touch at a corner only.
pub(crate) fn field(
    random: &mut Random,
    width: usize,
    height: usize,
    share: f64,
    cells: Cells,
) -> Field {
    let plan = Plan::random(random, [width + 2, height + 2], share);
    let points = plan.points(random, cells);
    let polygons = match cells {
        Cells::Triangles => plan.triangles(random),
        Cells::Rectangles => rectangles(random, &plan.blocked, plan.w, plan.h)
            .into_iter()
            .map(|outline| outline.into_iter().map(|(x, y)| plan.corner(x, y)).collect())
            .collect(),
    };
    let mesh = NavMeshData::from_polygons(&points, &polygons, Agent::default(), UP)
        .unwrap()
        .validate()
        .unwrap();
    let at = |x: usize, y: usize| {
        let p = points[plan.corner(x, y) as usize];
        [f64::from(p[0]), f64::from(p[1])]
    };
    // Turned corners are rounded to the lattice, the others lie on it.
    let rounding_m = if cells == Cells::Rectangles { 1.5e-5 } else { 1e-7 };
    Field { mesh, blocked: plan.obstacles(at), corners: plan.corners(at), rounding_m }
}

/// Which quads of a field are blocked, row by row.
struct Plan {
    blocked: Vec<bool>,
    w: usize,
    h: usize,
}

impl Plan {
    fn random(random: &mut Random, [w, h]: [usize; 2], share: f64) -> Self {
        let mut blocked = vec![false; w * h];
        for y in 0..h {
            for x in 0..w {
                let border = x == 0 || y == 0 || x == w - 1 || y == h - 1;
                blocked[y * w + x] = border || random.share() < share;
            }
        }
        // Two blocked quads that touch at a corner only leave a passage of no width: close it.
        let mut changed = true;
        while changed {
            changed = false;
            for y in 0..h - 1 {
                for x in 0..w - 1 {
                    let i = y * w + x;
                    let [a, b, c, d] =
                        [blocked[i], blocked[i + 1], blocked[i + w], blocked[i + w + 1]];
                    if a && d && !b && !c {
                        blocked[i + 1] = true;
                        changed = true;
                    } else if b && c && !a && !d {
                        blocked[i] = true;
                        changed = true;
                    }
                }
            }
        }
        Self { blocked, w, h }
    }

    fn is_blocked(&self, x: usize, y: usize) -> bool {
        self.blocked[y * self.w + x]
    }

    fn quads(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let w = self.w;
        (0..w * self.h).map(move |i| (i % w, i / w))
    }

    /// The number of a quad's lower left corner.
    fn corner(&self, x: usize, y: usize) -> u32 {
        (y * (self.w + 1) + x) as u32
    }

    /// The corners of all quads.
    fn points(&self, random: &mut Random, cells: Cells) -> Vec<[f32; 3]> {
        let angle: f64 = if cells == Cells::Rectangles { 0.3 } else { 0.0 };
        (0..(self.w + 1) * (self.h + 1))
            .map(|i| {
                let (x, y) = ((i % (self.w + 1)) as f64, (i / (self.w + 1)) as f64);
                let jitter = if cells == Cells::Triangles { 0.2 } else { 0.0 };
                let x = x + random.between(-jitter, jitter);
                let y = y + random.between(-jitter, jitter);
                // Multiples of 2⁻¹⁰ m, so that the lattice holds them exactly.
                let round = |v: f64| ((v * 1024.0).round() / 1024.0) as f32;
                if cells == Cells::Rectangles {
                    [
                        (x * angle.cos() - y * angle.sin()) as f32,
                        (x * angle.sin() + y * angle.cos()) as f32,
                        0.0,
                    ]
                } else {
                    [round(x), round(y), 0.0]
                }
            })
            .collect()
    }

    /// Two triangles for each free quad, cut along either diagonal.
    fn triangles(&self, random: &mut Random) -> Vec<Vec<u32>> {
        let mut polygons = Vec::new();
        for (x, y) in self.quads().filter(|&(x, y)| !self.is_blocked(x, y)) {
            let q = [
                self.corner(x, y),
                self.corner(x + 1, y),
                self.corner(x + 1, y + 1),
                self.corner(x, y + 1),
            ];
            if random.share() < 0.5 {
                polygons.push(vec![q[0], q[1], q[2]]);
                polygons.push(vec![q[0], q[2], q[3]]);
            } else {
                polygons.push(vec![q[0], q[1], q[3]]);
                polygons.push(vec![q[1], q[2], q[3]]);
            }
        }
        polygons
    }

    /// The blocked quads as polygons, for corners that lie `at` their places.
    fn obstacles(&self, at: impl Fn(usize, usize) -> [f64; 2]) -> Vec<[[f64; 2]; 4]> {
        let mut obstacles = Vec::new();
        for (x, y) in self.quads().filter(|&(x, y)| self.is_blocked(x, y)) {
            obstacles.push([at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
        }
        // A line along the seam of two blocked quads touches both and is inside neither: a sliver
        // over the seam catches it.
        let sliver = |p: [f64; 2], q: [f64; 2]| {
            let (dx, dy) = ((q[0] - p[0]) * 1e-3, (q[1] - p[1]) * 1e-3);
            let (mx, my) = ((p[0] + q[0]) * 0.5, (p[1] + q[1]) * 0.5);
            [p, [mx + dy, my - dx], q, [mx - dy, my + dx]]
        };
        for (x, y) in self.quads().filter(|&(x, y)| self.is_blocked(x, y)) {
            if x + 1 < self.w && self.is_blocked(x + 1, y) {
                obstacles.push(sliver(at(x + 1, y), at(x + 1, y + 1)));
            }
            if y + 1 < self.h && self.is_blocked(x, y + 1) {
                obstacles.push(sliver(at(x, y + 1), at(x + 1, y + 1)));
            }
        }
        obstacles
    }

    /// The places at which the border turns.
    fn corners(&self, at: impl Fn(usize, usize) -> [f64; 2]) -> Vec<[f64; 2]> {
        let mut corners = Vec::new();
        for (x, y) in self.quads().filter(|&(x, y)| x > 0 && y > 0) {
            let around = [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)];
            let count = around.iter().filter(|&&(x, y)| self.is_blocked(x, y)).count();
            if (1..4).contains(&count) {
                corners.push(at(x, y));
            }
        }
        corners
    }
}

/// Covers the free quads with rectangles; each outline has a corner wherever three or more
/// owners meet.
fn rectangles(
    random: &mut Random,
    blocked: &[bool],
    w: usize,
    h: usize,
) -> Vec<Vec<(usize, usize)>> {
    let mut owner = vec![usize::MAX; w * h];
    let mut boxes = Vec::new();
    for y in 0..h {
        for x in 0..w {
            if blocked[y * w + x] || owner[y * w + x] != usize::MAX {
                continue;
            }
            let free = |owner: &[usize], x: usize, y: usize| {
                !blocked[y * w + x] && owner[y * w + x] == usize::MAX
            };
            let most = 1 + random.below(6);
            let mut x1 = x;
            while x1 - x < most && free(&owner, x1 + 1, y) {
                x1 += 1;
            }
            let mut y1 = y;
            while y1 - y < most && (x..=x1).all(|x| free(&owner, x, y1 + 1)) {
                y1 += 1;
            }
            for y in y..=y1 {
                for x in x..=x1 {
                    owner[y * w + x] = boxes.len();
                }
            }
            boxes.push((x, y, x1 + 1, y1 + 1));
        }
    }
    let owners_at = |x: usize, y: usize| {
        let mut around: Vec<usize> = [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)]
            .iter()
            .map(|(x, y)| owner[y * w + x])
            .collect();
        around.sort_unstable();
        around.dedup();
        around.len()
    };
    boxes
        .iter()
        .map(|&(x0, y0, x1, y1)| {
            let mut outline = Vec::new();
            outline.extend((x0..x1).map(|x| (x, y0)));
            outline.extend((y0..y1).map(|y| (x1, y)));
            outline.extend((x0 + 1..=x1).rev().map(|x| (x, y1)));
            outline.extend((y0 + 1..=y1).rev().map(|y| (x0, y)));
            outline.retain(|&(x, y)| {
                let is_corner = (x == x0 || x == x1) && (y == y0 || y == y1);
                is_corner || owners_at(x, y) > 2
            });
            outline
        })
        .collect()
}

impl Field {
    /// Whether a point lies outside all blocked quads.
    pub(crate) fn is_free(&self, p: [f64; 2]) -> bool {
        !self.blocked.iter().any(|q| inside_by(q, p) > -1e-9)
    }

    pub(crate) fn random_free_point(&self, random: &mut Random) -> [f64; 2] {
        loop {
            let bounds = self.mesh.bounds().unwrap();
            let p = [
                random.between(bounds.low[0], bounds.high[0]),
                random.between(bounds.low[1], bounds.high[1]),
            ];
            let border = self.blocked.iter().any(|q| inside_by(q, p) > -1e-9);
            let on_mesh = surefoot_mesh::Query::new(&self.mesh)
                .nearest([p[0], p[1], 0.0], [1e-9, 1e-9, 1.0])
                .is_some();
            if !border && on_mesh {
                return p;
            }
        }
    }

    /// Whether the straight line between two points passes through the inside of no blocked quad.
    pub(crate) fn sees(&self, a: [f64; 2], b: [f64; 2]) -> bool {
        self.blocked.iter().all(|q| {
            // Clip the segment to the quad; touching its border is allowed.
            let (mut t0, mut t1) = (0.0_f64, 1.0_f64);
            let d = [b[0] - a[0], b[1] - a[1]];
            for i in 0..4 {
                let (p, r) = (q[i], q[(i + 1) % 4]);
                let e = [r[0] - p[0], r[1] - p[1]];
                let side = e[0] * (a[1] - p[1]) - e[1] * (a[0] - p[0]);
                let rate = e[0] * d[1] - e[1] * d[0];
                // Inside means side + t * rate > 0, by more than rounding.
                let need = self.rounding_m;
                if rate.abs() < 1e-12 {
                    if side <= need {
                        return true;
                    }
                } else {
                    let t = (need - side) / rate;
                    if rate > 0.0 { t0 = t0.max(t) } else { t1 = t1.min(t) }
                }
            }
            t1 <= t0
        })
    }

    /// The length of the shortest way around the blocked quads by brute force.
    pub(crate) fn shortest(&self, a: [f64; 2], b: [f64; 2]) -> Option<f64> {
        let mut nodes = vec![a, b];
        nodes.extend(&self.corners);
        let n = nodes.len();
        let mut best = vec![f64::INFINITY; n];
        let mut done = vec![false; n];
        best[0] = 0.0;
        loop {
            let next = (0..n)
                .filter(|&i| !done[i] && best[i].is_finite())
                .min_by(|&i, &j| best[i].total_cmp(&best[j]))?;
            if next == 1 {
                return Some(best[1]);
            }
            done[next] = true;
            for i in 0..n {
                let d = (nodes[i][0] - nodes[next][0]).hypot(nodes[i][1] - nodes[next][1]);
                if !done[i] && best[next] + d < best[i] && self.sees(nodes[next], nodes[i]) {
                    best[i] = best[next] + d;
                }
            }
        }
    }
}

/// How far a point lies inside a quad; negative outside.
fn inside_by(q: &[[f64; 2]; 4], p: [f64; 2]) -> f64 {
    (0..4)
        .map(|i| {
            let (a, b) = (q[i], q[(i + 1) % 4]);
            let e = [b[0] - a[0], b[1] - a[1]];
            (e[0] * (p[1] - a[1]) - e[1] * (p[0] - a[0])) / e[0].hypot(e[1])
        })
        .fold(f64::INFINITY, f64::min)
}
