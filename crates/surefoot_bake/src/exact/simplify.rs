//! Takes detail out of uneven ground by quadric error (Garland and Heckbert 1997; the decimation of
//! Sanchez 2021, §2.6 and §2.8.2).
//!
//! Goes in: the finished ground. Comes out: the same ground in fewer faces. Points inside of ground of
//! one kind are contracted into a neighbour, cheapest first, as long as no triangle turns over and
//! every point ever taken out stays within the tolerance, in height, of the surface that replaces it;
//! so the deviation is bounded, not estimated. Boundaries, steps and borders between kinds keep every
//! point, and the plan of the ground does not change. Large faces are not touched: floors are single
//! faces already.

use crate::borders::join_edges::join_anew;
use crate::borders::pairs::MarkedFace;
use crate::context::StageContext;
use crate::error::BakeError;
use crate::ids::SurfaceEdgeId;
use crate::input::limits::LIMIT_SLACK_M;
use crate::surface::{Face, FaceOrigin, Plane, SurfaceEdge, WalkableSurface, plan_m};
use glam::{DMat3, DVec3};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use surefoot_geom::predicates::orient;
use surefoot_geom::triangulate::triangulate_polygon;
use surefoot_geom::{DisjointSets, LatticePoint};
use surefoot_mesh::{Agent, EdgeClass};

/// Faces with more corners than this stay as they are.
const MOST_CORNERS: usize = 8;

/// Points taken out that may lie in the triangles around one point: keeps each contraction short.
const MOST_POINTS: usize = 256;

/// Sine of the smallest angle in plan that a contraction may leave, unless it was smaller before: 3°.
const LEAST_SINE: f64 = 0.05;

const NONE: u32 = u32::MAX;

pub(crate) fn simplify(
    surface: WalkableSurface,
    agent: &Agent,
    tolerance_m: f64,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let before = surface.faces.len();
    context.count("faces_before", before);
    let mut simplifier = QuadricSimplifier::new(&surface, tolerance_m);
    let mut steps = 0_u32;
    while simplifier.contract_next() {
        steps += 1;
        if steps.is_multiple_of(4096) {
            context.check_cancelled()?;
        }
    }
    let surface = if steps == 0 {
        surface
    } else {
        simplifier.finish(surface, agent.max_step_m + LIMIT_SLACK_M)
    };
    context.count("faces_after", surface.faces.len());
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    Ok(surface)
}

/// The sum of squared distances to planes, as a quadratic form (Garland and Heckbert 1997).
#[derive(Clone, Copy)]
struct Quadric {
    a: DMat3,
    b: DVec3,
    c: f64,
}

impl Quadric {
    const ZERO: Self = Self { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0 };

    /// Of a plane through a point, weighed by area.
    fn of_plane(normal: DVec3, point: DVec3) -> Self {
        let area = normal.length();
        if !(area > 0.0) {
            return Self::ZERO;
        }
        let n = normal / area;
        let d = -n.dot(point);
        let a = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * area;
        Self { a, b: n * (d * area), c: d * d * area }
    }

    fn plus(self, other: Self) -> Self {
        Self { a: self.a + other.a, b: self.b + other.b, c: self.c + other.c }
    }

    fn at(&self, p: DVec3) -> f64 {
        (p.dot(self.a * p) + 2.0 * self.b.dot(p) + self.c).max(0.0)
    }
}

struct SimplifiedPoint {
    plan: LatticePoint,
    /// Relative to `plan`, all in metres.
    place: DVec3,
    /// Never taken out.
    fixed: bool,
    quadric: Quadric,
    /// The triangles around it; empty once it is taken out.
    around: Vec<u32>,
    /// Counts changes around it, so that old entries of the queue are known.
    changes: u32,
}

struct SimplifiedTriangle {
    corners: [u32; 3],
    /// The face it came from; [`NONE`] once it is gone.
    face: u32,
    /// Whether it differs from what was.
    changed: bool,
    /// Points taken out that lie in it.
    points: Vec<u32>,
}

/// A point that may be taken out: cheapest first, then by number.
struct Contraction {
    cost: f64,
    point: u32,
    changes: u32,
}

impl PartialEq for Contraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Contraction {}
impl PartialOrd for Contraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Contraction {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |e: &Self| (e.point, e.changes);
        self.cost.total_cmp(&other.cost).then(key(self).cmp(&key(other)))
    }
}

struct QuadricSimplifier {
    points: Vec<SimplifiedPoint>,
    triangles: Vec<SimplifiedTriangle>,
    origins: Vec<FaceOrigin>,
    queue: BinaryHeap<Reverse<Contraction>>,
    tolerance_m: f64,
}

fn takes_part(face: &Face) -> bool {
    face.loops.len() == 1 && face.loops[0].len() <= MOST_CORNERS
}

impl QuadricSimplifier {
    fn new(surface: &WalkableSurface, tolerance_m: f64) -> Self {
        let (point_of_edge, count) = name_points(surface);
        let origins: Vec<FaceOrigin> = surface.faces.iter().map(Face::origin).collect();
        let mut heights = vec![(0.0, 0_u32); count as usize];
        let mut plans = vec![LatticePoint::default(); count as usize];
        let mut fixed = vec![false; count as usize];
        let firsts = surface.first_edges();
        let owner = |edge: SurfaceEdgeId| firsts.partition_point(|&f| f <= edge.number()) - 1;
        let mut triangles = Vec::new();
        for (f, face) in surface.faces.iter().enumerate() {
            let first = firsts[f] as usize;
            let origin = &origins[f];
            let mut edge = first;
            for edges in &face.loops {
                for (i, e) in edges.iter().enumerate() {
                    let point = point_of_edge[edge] as usize;
                    let next = point_of_edge[edge - i + (i + 1) % edges.len()] as usize;
                    plans[point] = e.from;
                    heights[point].0 += face.plane.height_at(e.from);
                    heights[point].1 += 1;
                    let twin = e.twin.filter(|_| e.class == EdgeClass::Inner);
                    let inner = twin.map(owner).is_some_and(|other| {
                        let like = &origins[other];
                        takes_part(&surface.faces[other])
                            && (like.kind, like.area) == (origin.kind, origin.area)
                    });
                    if !inner || !takes_part(face) {
                        fixed[point] = true;
                        fixed[next] = true;
                    }
                    edge += 1;
                }
            }
            if takes_part(face)
                && let Ok(found) = triangulate_polygon(&face.polygon())
            {
                triangles.extend(found.into_iter().map(|t| SimplifiedTriangle {
                    corners: t.map(|i| point_of_edge[first + i as usize]),
                    face: f as u32,
                    changed: false,
                    points: Vec::new(),
                }));
            }
        }
        let mut points: Vec<SimplifiedPoint> = plans
            .into_iter()
            .zip(heights)
            .zip(fixed)
            .map(|((plan, (sum, count)), fixed)| SimplifiedPoint {
                plan,
                place: plan_m(plan).extend(sum / f64::from(count.max(1))),
                fixed,
                quadric: Quadric::ZERO,
                around: Vec::new(),
                changes: 0,
            })
            .collect();
        for (t, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = triangle.corners.map(|p| points[p as usize].place);
            // About its own middle, where distances are small numbers.
            let quadric = Quadric::of_plane((b - a).cross(c - a), a);
            for p in triangle.corners {
                let point = &mut points[p as usize];
                point.quadric = point.quadric.plus(quadric);
                point.around.push(t as u32);
            }
        }
        let mut simplifier =
            Self { points, triangles, origins, queue: BinaryHeap::new(), tolerance_m };
        for p in 0..simplifier.points.len() as u32 {
            simplifier.offer(p);
        }
        simplifier
    }

    /// Puts a point on the queue, at the cost of its cheapest contraction.
    fn offer(&mut self, p: u32) {
        let point = &self.points[p as usize];
        if point.fixed || point.around.is_empty() {
            return;
        }
        let mut cost = f64::INFINITY;
        for &t in &point.around {
            for c in self.triangles[t as usize].corners {
                if c != p {
                    cost = cost.min(point.quadric.at(self.points[c as usize].place));
                }
            }
        }
        self.queue.push(Reverse(Contraction { cost, point: p, changes: point.changes }));
    }

    /// The points joined to a point by an edge, sorted.
    fn neighbours(&self, p: u32, into: &mut Vec<u32>) {
        into.clear();
        for &t in &self.points[p as usize].around {
            into.extend(self.triangles[t as usize].corners.into_iter().filter(|&c| c != p));
        }
        into.sort_unstable();
        into.dedup();
    }

    /// Takes out the cheapest point that may be, into the neighbour that costs least. Says whether
    /// there was one.
    fn contract_next(&mut self) -> bool {
        while let Some(Reverse(entry)) = self.queue.pop() {
            let p = entry.point;
            let point = &self.points[p as usize];
            if point.changes != entry.changes || point.around.is_empty() {
                continue;
            }
            let mut near = Vec::new();
            self.neighbours(p, &mut near);
            let quadric = point.quadric;
            let cost = |n: u32| quadric.at(self.points[n as usize].place);
            let mut by_cost: Vec<(f64, u32)> = near.into_iter().map(|n| (cost(n), n)).collect();
            by_cost.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if by_cost.into_iter().any(|(_, n)| self.try_contract(p, n)) {
                return true;
            }
        }
        false
    }

    fn try_contract(&mut self, p: u32, into: u32) -> bool {
        let around = &self.points[p as usize].around;
        let has = |t: u32, c: u32| self.triangles[t as usize].corners.contains(&c);
        let gone: Vec<u32> = around.iter().copied().filter(|&t| has(t, into)).collect();
        let kept: Vec<u32> = around.iter().copied().filter(|&t| !has(t, into)).collect();
        if gone.len() != 2 || kept.is_empty() || !self.links_are_apart(p, into) {
            return false;
        }
        let mut moved: Vec<u32> =
            around.iter().flat_map(|&t| &self.triangles[t as usize].points).copied().collect();
        moved.push(p);
        if moved.len() > MOST_POINTS {
            return false;
        }
        let renamed =
            |t: u32| self.triangles[t as usize].corners.map(|c| if c == p { into } else { c });
        if kept.iter().any(|&t| !self.is_fair(self.triangles[t as usize].corners, renamed(t))) {
            return false;
        }
        // Where every point taken out lies now.
        let mut homes: Vec<(u32, u32)> = Vec::with_capacity(moved.len());
        for &q in &moved {
            let place = &self.points[q as usize];
            let home = kept.iter().copied().find(|&t| self.holds(renamed(t), place.plan));
            let Some(home) = home else { return false };
            let height = self.plane(renamed(home)).height_at_m(place.place.truncate());
            if !((height - place.place.z).abs() <= self.tolerance_m) {
                return false;
            }
            homes.push((home, q));
        }
        for &t in &gone {
            for c in self.triangles[t as usize].corners {
                self.points[c as usize].around.retain(|&x| x != t);
            }
            self.triangles[t as usize].face = NONE;
            self.triangles[t as usize].points = Vec::new();
        }
        for &t in &kept {
            let corners = renamed_corners(self.triangles[t as usize].corners, p, into);
            let triangle = &mut self.triangles[t as usize];
            triangle.corners = corners;
            triangle.changed = true;
            triangle.points.clear();
            self.points[into as usize].around.push(t);
        }
        for (t, q) in homes {
            self.triangles[t as usize].points.push(q);
        }
        let quadric = self.points[p as usize].quadric;
        self.points[p as usize].around = Vec::new();
        self.points[into as usize].quadric = self.points[into as usize].quadric.plus(quadric);
        // Only what lies around the point that stayed has other choices now.
        let mut near = Vec::new();
        self.neighbours(into, &mut near);
        near.push(into);
        for n in near {
            self.points[n as usize].changes += 1;
            self.offer(n);
        }
        true
    }

    /// Whether two neighbours have exactly two neighbours in common, so that the ground keeps its form.
    fn links_are_apart(&self, p: u32, q: u32) -> bool {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        self.neighbours(p, &mut a);
        self.neighbours(q, &mut b);
        a.iter().filter(|n| b.binary_search(n).is_ok()).count() == 2
    }

    /// Whether a triangle still turns the right way and has not become a needle.
    fn is_fair(&self, was: [u32; 3], is: [u32; 3]) -> bool {
        let plan = |t: [u32; 3]| t.map(|p| self.points[p as usize].plan);
        let [a, b, c] = plan(is);
        if orient(a, b, c) <= 0 {
            return false;
        }
        let sine = least_sine(plan(is));
        sine >= LEAST_SINE || sine >= least_sine(plan(was))
    }

    fn holds(&self, triangle: [u32; 3], p: LatticePoint) -> bool {
        let [a, b, c] = triangle.map(|q| self.points[q as usize].plan);
        orient(a, b, p) >= 0 && orient(b, c, p) >= 0 && orient(c, a, p) >= 0
    }

    fn plane(&self, triangle: [u32; 3]) -> Plane {
        let [a, b, c] = triangle.map(|p| self.points[p as usize].place);
        Plane::through(a, (b - a).cross(c - a))
    }

    /// The faces as they are now: those that nothing touched as they were, others as triangles.
    fn finish(self, surface: WalkableSurface, climb_m: f64) -> WalkableSurface {
        let mut touched = vec![false; surface.faces.len()];
        let mut left = vec![0_usize; surface.faces.len()];
        let firsts = &surface.faces;
        for t in &self.triangles {
            if t.face != NONE {
                left[t.face as usize] += 1;
                touched[t.face as usize] |= t.changed;
            }
        }
        for (f, face) in firsts.iter().enumerate() {
            // A face that lost triangles is touched too.
            if takes_part(face) && left[f] + 2 != face.loops[0].len() {
                touched[f] = true;
            }
        }
        let mut faces: Vec<MarkedFace> = surface
            .faces
            .iter()
            .zip(&touched)
            .filter(|(_, touched)| !**touched)
            .map(|(face, _)| face.clone().with_twins(|_| None))
            .collect();
        for t in self.triangles.iter().filter(|t| t.face != NONE && touched[t.face as usize]) {
            let origin = self.origins[t.face as usize];
            let edge = |p: u32| SurfaceEdge {
                from: self.points[p as usize].plan,
                class: EdgeClass::Inner,
                twin: None,
                divides: false,
            };
            faces.push(Face {
                loops: vec![t.corners.map(edge).to_vec()],
                plane: self.plane(t.corners),
                kind: origin.kind,
                area: origin.area,
                source: origin.source,
            });
        }
        // Outer edges keep their class.
        let classes = classes_by_segment(&surface);
        for face in &mut faces {
            let loops = &mut face.loops;
            for edges in loops {
                let n = edges.len();
                for i in 0..n {
                    let (from, to) = (edges[i].from, edges[(i + 1) % n].from);
                    if let Ok(at) = classes.binary_search_by(|c| (c.0, c.1).cmp(&(from, to))) {
                        edges[i].class = classes[at].2;
                    }
                }
            }
        }
        WalkableSurface { faces: join_anew(faces, climb_m), ..surface }
    }
}

fn renamed_corners(corners: [u32; 3], p: u32, into: u32) -> [u32; 3] {
    corners.map(|c| if c == p { into } else { c })
}

/// The sine of the smallest angle of a triangle.
fn least_sine(corners: [LatticePoint; 3]) -> f64 {
    let [a, b, c] = corners.map(plan_m);
    let area2 = (b - a).perp_dot(c - a);
    let sides = [a.distance(b), b.distance(c), c.distance(a)];
    let longest = sides.into_iter().fold(0.0, f64::max);
    let product: f64 = sides.into_iter().product();
    // The smallest angle lies between the two longest sides.
    let shortest = sides.into_iter().fold(longest, f64::min);
    if product > 0.0 { area2 * shortest / product } else { 0.0 }
}

/// A number for every corner of every face; corners that meet across inner edges have one number.
fn name_points(surface: &WalkableSurface) -> (Vec<u32>, u32) {
    let count: usize = surface.faces.iter().map(Face::edge_count).sum();
    let mut next = Vec::with_capacity(count);
    for edges in surface.faces.iter().flat_map(|f| &f.loops) {
        let first = next.len() as u32;
        let n = edges.len() as u32;
        next.extend((0..n).map(|i| first + (i + 1) % n));
    }
    let mut sets = DisjointSets::new(count);
    let all = surface.faces.iter().flat_map(|f| f.loops.iter().flatten());
    for (i, e) in all.enumerate() {
        if let Some(twin) = e.twin.filter(|_| e.class == EdgeClass::Inner) {
            sets.join(i as u32, next[twin.index()]);
            sets.join(next[i], twin.number());
        }
    }
    sets.number()
}

/// The edges that are not inner, sorted by their ends.
fn classes_by_segment(surface: &WalkableSurface) -> Vec<(LatticePoint, LatticePoint, EdgeClass)> {
    let mut out: Vec<(LatticePoint, LatticePoint, EdgeClass)> = surface
        .faces
        .iter()
        .flat_map(|f| f.edges().map(|(e, to)| (e.from, to, e.class)))
        .filter(|e| e.2 != EdgeClass::Inner)
        .collect();
    out.sort_unstable_by_key(|e| (e.0, e.1, e.2 as u32));
    out.dedup_by_key(|e| (e.0, e.1));
    out
}
