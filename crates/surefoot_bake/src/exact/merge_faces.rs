//! Merges connected, coplanar triangles of the ground into faces.
//!
//! Goes in: the classed soup. Comes out: faces, each a set of triangles that lie in the plane of its
//! largest one within half the noise, with their common outline. A floor becomes one face instead of
//! thousands: less work and fewer seams (the source cuts triangle by triangle). Faces grow from the
//! largest triangle, so that the plane is the best-conditioned one, and in an order that depends on
//! the geometry alone; they are numbered along a curve through the plan, so that neighbours have near
//! numbers.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::filter_slopes::{SortedSoup, TriangleClass};
use crate::ids::TriangleId;
use crate::input::limits::NOISE_M;
use crate::input::points::{metres, normal_units, plan};
use crate::surface::{FaceOrigin, Plane, plan_m};
use crate::view::{FaceLook, StageView};
use surefoot_geom::LatticePoint;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::{CellKind, EdgeClass};

/// How far a triangle's corner may lie above or below the plane of the face that takes it in, in
/// metres.
const COPLANAR_M: f64 = 0.5 * NOISE_M;

/// Cosine of the largest turn between a face's normal and that of a triangle taken in: about 2°.
/// Triangles much larger than the tolerance are then truly parallel; slivers pass by their corners.
const PARALLEL_COSINE: f64 = 0.9994;

/// Walkable triangles of one plane.
#[derive(Debug)]
pub(crate) struct MergedFace {
    pub(crate) origin: FaceOrigin,
    /// Its triangles in the soup.
    pub(crate) triangles: Vec<u32>,
    /// Its outline: directed plan edges, the face to their left.
    pub(crate) outline: Vec<(LatticePoint, LatticePoint)>,
    /// Its place in the order of size, by largest triangle.
    pub(crate) rank: u32,
}

/// Faces and the soup they came from.
#[derive(Debug)]
pub(crate) struct MergedFaces {
    pub(crate) sorted: SortedSoup,
    pub(crate) faces: Vec<MergedFace>,
    /// The face of every triangle, or `u32::MAX`.
    pub(crate) face_of_triangle: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl MergedFaces {
    /// The triangles of every face, and the faces' outlines.
    pub(crate) fn view(&self) -> StageView {
        let soup = &self.sorted.soup;
        let mut view = StageView::in_frame(&soup.frame);
        for (number, face) in (0..).zip(&self.faces) {
            let FaceOrigin { kind, area, plane, .. } = face.origin;
            let look = FaceLook { kind, area, component: Some(number) };
            for &t in &face.triangles {
                view.add_face(&soup.frame, &soup.corners_m(soup.triangles[t as usize]), look);
            }
            for &(from, to) in &face.outline {
                let at = |p: LatticePoint| plan_m(p).extend(plane.height_at(p));
                view.add_edge(&soup.frame, [at(from), at(to)], EdgeClass::Open);
            }
        }
        view
    }
}

pub(crate) fn merge_faces(
    sorted: SortedSoup,
    context: &mut StageContext<'_>,
) -> Result<MergedFaces, BakeError> {
    let count = sorted.soup.triangles.len();
    let mut order: Vec<(f64, u32)> = (0..count as u32)
        .into_par_iter()
        .filter(|&t| sorted.classes[t as usize].is_ground())
        .map(|t| {
            let [a, b, c] = sorted.corners(t);
            (normal_units(a, b, c).length_squared(), t)
        })
        .collect();
    order.par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

    let (mut face_of_triangle, mut groups) = grow_faces(&sorted, &order);
    let seeds = order_of_seeds(&face_of_triangle, &order);
    let order = along_curve(&sorted, &groups);
    let mut number = vec![NONE; groups.len()];
    for (face, &rank) in order.iter().enumerate() {
        number[rank as usize] = face as u32;
    }
    for face in face_of_triangle.iter_mut().filter(|f| **f != NONE) {
        *face = number[*face as usize];
    }
    let in_order: Vec<(u32, Vec<u32>)> =
        order.iter().map(|&rank| (rank, std::mem::take(&mut groups[rank as usize]))).collect();
    let faces: Vec<MergedFace> = in_order
        .into_par_iter()
        .map(|(rank, triangles)| (rank, triangles, seeds[rank as usize]))
        .map(|(rank, triangles, seed)| MergedFace {
            rank,
            origin: FaceOrigin {
                plane: Plane::through(
                    metres(sorted.corners(seed)[0]),
                    sorted.normals[seed as usize],
                ),
                kind: match sorted.classes[seed as usize] {
                    TriangleClass::Riser => CellKind::Ramp,
                    _ => CellKind::Ground,
                },
                area: sorted.soup.tags[seed as usize].area,
                source: triangles.first().map(|&t| TriangleId::new(t)),
            },
            outline: outline(&sorted, &triangles),
            triangles,
        })
        .collect();
    context.count("faces", faces.len());
    Ok(MergedFaces { sorted, faces, face_of_triangle })
}

/// Grows faces from the triangles in the given order. Gives the face of every triangle, and the triangles
/// of every face.
fn grow_faces(sorted: &SortedSoup, order: &[(f64, u32)]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let neighbours = neighbours(sorted);
    let mut face_of_triangle = vec![NONE; sorted.soup.triangles.len()];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut stack = Vec::new();
    for &(_, seed) in order {
        if face_of_triangle[seed as usize] != NONE {
            continue;
        }
        let face = groups.len() as u32;
        let normal = sorted.normals[seed as usize];
        let at = metres(sorted.corners(seed)[0]);
        let area = sorted.soup.tags[seed as usize].area;
        let class = sorted.classes[seed as usize];
        let mut group = Vec::new();
        face_of_triangle[seed as usize] = face;
        stack.push(seed);
        while let Some(t) = stack.pop() {
            group.push(t);
            for n in neighbours[t as usize] {
                if n == NONE
                    || face_of_triangle[n as usize] != NONE
                    || sorted.soup.tags[n as usize].area != area
                    || sorted.classes[n as usize] != class
                    || sorted.normals[n as usize].dot(normal) < PARALLEL_COSINE
                {
                    continue;
                }
                let flat = sorted
                    .corners(n)
                    .iter()
                    .all(|&p| (metres(p) - at).dot(normal).abs() <= COPLANAR_M * normal.z);
                if flat {
                    face_of_triangle[n as usize] = face;
                    stack.push(n);
                }
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    (face_of_triangle, groups)
}

/// The faces' ranks along a Morton curve through their first corners. Faces are numbered in this order:
/// whatever goes through them one by one finds their neighbours at hand, however large the scene is.
fn along_curve(sorted: &SortedSoup, groups: &[Vec<u32>]) -> Vec<u32> {
    let mut keys: Vec<(u64, u32)> = groups
        .par_iter()
        .enumerate()
        .map(|(rank, triangles)| {
            let corner =
                triangles.first().map_or(LatticePoint::default(), |&t| plan(sorted.corners(t)[0]));
            (corner.morton_code(), rank as u32)
        })
        .collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|k| k.1).collect()
}

/// The triangle that each face grew from: the first of its triangles in the order of size.
fn order_of_seeds(face_of_triangle: &[u32], order: &[(f64, u32)]) -> Vec<u32> {
    let mut seeds = Vec::new();
    for &(_, t) in order {
        if face_of_triangle[t as usize] as usize == seeds.len() {
            seeds.push(t);
        }
    }
    seeds
}

/// The walkable neighbour across each edge of a walkable triangle, where exactly one other runs
/// the edge the other way.
fn neighbours(sorted: &SortedSoup) -> Vec<[u32; 3]> {
    let mut edges: Vec<(u32, u32, u64)> = Vec::new();
    for (t, corners) in sorted.soup.triangles.iter().enumerate() {
        if sorted.classes[t].is_ground() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                // The slot's sense stands in the lowest bit, so that pairs lie side by side.
                edges.push((a.min(b), a.max(b), (t as u64 * 3 + k as u64) << 1 | u64::from(a > b)));
            }
        }
    }
    edges.par_sort_unstable();
    let mut out = vec![[NONE; 3]; sorted.soup.triangles.len()];
    for group in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let [one, two] = group
            && (one.2 ^ two.2) & 1 == 1
        {
            let (s, t) = (one.2 >> 1, two.2 >> 1);
            out[s as usize / 3][s as usize % 3] = (t / 3) as u32;
            out[t as usize / 3][t as usize % 3] = (s / 3) as u32;
        }
    }
    out
}

/// The edges of some triangles that are not shared by two of them, in plan.
fn outline(sorted: &SortedSoup, triangles: &[u32]) -> Vec<(LatticePoint, LatticePoint)> {
    if let [single] = triangles {
        let [a, b, c] = sorted.corners(*single).map(plan);
        return vec![(a, b), (b, c), (c, a)];
    }
    let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(triangles.len() * 3);
    for &t in triangles {
        let corners = sorted.soup.triangles[t as usize];
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            edges.push((a.min(b), a.max(b), a > b));
        }
    }
    edges.sort_unstable();
    let at = |p: u32| plan(sorted.soup.points[p as usize]);
    let mut out = Vec::new();
    for group in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let back = group.iter().filter(|e| e.2).count();
        let forth = group.len() - back;
        let (a, b) = (at(group[0].0), at(group[0].1));
        for _ in 0..forth.saturating_sub(back) {
            out.push((a, b));
        }
        for _ in 0..back.saturating_sub(forth) {
            out.push((b, a));
        }
    }
    out.retain(|e| e.0 != e.1);
    out
}
