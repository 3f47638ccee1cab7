//! Reads a scene for the columns: triangles on the lattice, told apart by what they are to them.
//!
//! Goes in: a scene in the user's frame. Comes out: every triangle that counts, once, with its class and
//! the numbers of its points. The frame, the lattice and the classes are those of the exact pipeline's
//! reader and of the voxel pipeline; but nothing is sorted, since nothing that follows depends on the
//! order of triangles: equal points are found by a table instead, equal triangles among those with the
//! same smallest number. Where points are to be clustered, or tags say what an area is, the exact
//! pipeline's reader does that.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::read::{self, Point3, Soup, normal_units};
use crate::layered::scales::round_to_i32;
use crate::layered::table::{FEW, Table, find_equal_ahead, hash};
use crate::settings::Resolved;
use crate::voxel::grid::{Classes, GridTriangle, Surface};
use glam::DVec3;
use rayon::prelude::*;
use surefoot_geom::Frame;
use surefoot_geom::lattice::{LATTICE_PER_M, LatticeRangeError, M_PER_LATTICE, REACH_UNITS};
use surefoot_scene::Scene;

/// What the layered pipeline reads.
#[derive(Debug)]
pub(crate) struct ReadTriangles {
    pub(crate) frame: Frame,
    pub(crate) area_names: Vec<String>,
    pub(crate) triangles: Vec<GridTriangle>,
    /// The numbers of each triangle's points.
    pub(crate) numbers: Vec<[u32; 3]>,
    /// The points, no two equal; not all of them belong to a triangle.
    pub(crate) points: Vec<Point3>,
}

/// Points that are looked for together.
const AT_ONCE: usize = 32;

pub(crate) fn read_triangles(
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<ReadTriangles, BakeError> {
    let classes = Classes::new(settings);
    if settings.exact.cluster_m > 0.0 || !settings.areas.is_empty() {
        let soup = read::read(scene, settings, context)?;
        let (triangles, numbers) = class_all(&soup, &classes);
        let (frame, area_names, points) = (soup.frame, soup.area_names, soup.points);
        return Ok(ReadTriangles { frame, area_names, triangles, numbers, points });
    }
    let (frame, origin, canonical) = place_points(scene, settings)?;
    let (points, number_of) = weld(&canonical, origin);
    let (mut triangles, mut numbers) = number_triangles(scene, &points, &number_of, &classes);
    let degenerate = scene.triangles().len() - triangles.len();
    let repeats = Repeats::find(&numbers, points.len());
    let (duplicates, lower_sides) = repeats.drop_from(&mut triangles, &mut numbers);
    context.report.ignored_triangles += degenerate as u64;
    context.count("points", points.len());
    context.count("triangles", triangles.len() + lower_sides);
    context.count("too_small", degenerate);
    context.count("duplicates", duplicates);
    let area_names = vec!["ground".to_owned()];
    Ok(ReadTriangles { frame, area_names, triangles, numbers, points })
}

/// All triangles of a scene that have an area, and the numbers of their points, the smallest first.
fn number_triangles(
    scene: &Scene,
    points: &[Point3],
    number_of: &[u32],
    classes: &Classes,
) -> (Vec<GridTriangle>, Vec<[u32; 3]>) {
    let mut numbers = vec![[0; 3]; scene.triangles().len()];
    let mut triangles = Vec::with_capacity(numbers.len());
    for t in scene.triangles() {
        let t = smallest_first(t.map(|p| number_of[p as usize]));
        numbers[triangles.len()] = t;
        let corners = [points[t[0] as usize], points[t[1] as usize], points[t[2] as usize]];
        let normal = normal_units(corners[0], corners[1], corners[2]);
        if normal != DVec3::ZERO {
            triangles.push(GridTriangle { corners, surface: classes.facing(normal, 0) });
        }
    }
    numbers.truncate(triangles.len());
    (triangles, numbers)
}

/// The triangles of the exact pipeline's reader that count, and the numbers of their points.
fn class_all(soup: &Soup, classes: &Classes) -> (Vec<GridTriangle>, Vec<[u32; 3]>) {
    let classed = soup.triangles.par_iter().zip(&soup.areas).filter_map(|(&t, area)| {
        let corners = t.map(|p| soup.points[p as usize]);
        let is_sheet = || soup.triangles.binary_search(&[t[0], t[2], t[1]]).is_ok();
        let surface = classes.class(&corners, area.0, is_sheet)?;
        Some((GridTriangle { corners, surface }, t))
    });
    classed.unzip()
}

/// How there is a triangle more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeat {
    /// The same comes before it.
    Same,
    /// There is the same turned over.
    Turned,
}

/// Triangles that there are more than once. Those with the same smallest number are compared with each other:
/// that are few, and their numbers lie together where their triangles do.
#[derive(Default)]
struct Repeats(Vec<(u32, Repeat)>);

impl Repeats {
    /// Of triangles that begin with their smallest numbers.
    fn find(numbers: &[[u32; 3]], points: usize) -> Self {
        let mut firsts = vec![0_u32; points + 1];
        for t in numbers {
            firsts[t[0] as usize + 1] += 1;
        }
        // Around these points equal ones may lie far apart.
        let mut to_compare: Vec<u32> = Vec::new();
        for i in 0..points {
            if firsts[i + 1] > FEW as u32 {
                to_compare.push(i as u32);
            }
            firsts[i + 1] += firsts[i];
        }
        let (mut order, mut digests) = (vec![0; numbers.len()], vec![0; numbers.len()]);
        let mut next = firsts.clone();
        for (i, t) in (0..).zip(numbers) {
            let at = &mut next[t[0] as usize];
            order[*at as usize] = i;
            digests[*at as usize] = digest(t);
            *at += 1;
        }
        find_equal_ahead(&digests, |at| to_compare.push(numbers[order[at] as usize][0]));
        to_compare.sort_unstable();
        to_compare.dedup();
        let mut repeats = Self::default();
        for point in to_compare {
            let ends = [point, point + 1].map(|i| firsts[i as usize] as usize);
            repeats.compare(&mut order[ends[0]..ends[1]], numbers);
        }
        repeats.0.sort_unstable_by_key(|(i, _)| *i);
        repeats
    }

    /// Compares some triangles with each other.
    fn compare(&mut self, some: &mut [u32], numbers: &[[u32; 3]]) {
        let number_of = |i: u32| numbers[i as usize];
        some.sort_unstable_by_key(|&i| (either_side(number_of(i)), i));
        for same in some.chunk_by(|&i, &j| either_side(number_of(i)) == either_side(number_of(j))) {
            let first = same[0];
            let turned = same.iter().find(|&&i| number_of(i) != number_of(first)).copied();
            if turned.is_some() {
                self.0.push((first, Repeat::Turned));
            }
            self.0.extend(
                same[1..]
                    .iter()
                    .map(|&i| (i, if turned == Some(i) { Repeat::Turned } else { Repeat::Same })),
            );
        }
    }

    /// Drops triangles of which the same comes before them, and the lower sides of those that are there turned over;
    /// says how many of either.
    fn drop_from(
        mut self,
        triangles: &mut Vec<GridTriangle>,
        numbers: &mut Vec<[u32; 3]>,
    ) -> (usize, usize) {
        let is_lower = |i: u32| triangles[i as usize].surface == Surface::DOWN;
        self.0.retain(|&(i, repeat)| repeat == Repeat::Same || is_lower(i));
        if !self.0.is_empty() {
            self.drop_numbered(triangles);
            self.drop_numbered(numbers);
        }
        let same = self.0.iter().filter(|(_, repeat)| *repeat == Repeat::Same).count();
        (same, self.0.len() - same)
    }

    /// Drops what has the numbers of these triangles, which are sorted.
    fn drop_numbered<T>(&self, all: &mut Vec<T>) {
        let mut dropped = self.0.iter().map(|(i, _)| *i).peekable();
        let mut next = 0;
        all.retain(|_| {
            next += 1;
            dropped.next_if_eq(&(next - 1)).is_none()
        });
    }
}

/// The same of both sides of a triangle.
#[inline]
fn either_side(t: [u32; 3]) -> [u32; 3] {
    [t[0], t[1].min(t[2]), t[1].max(t[2])]
}

/// The same of both sides of a triangle, and of others seldom.
#[inline]
fn digest(t: &[u32; 3]) -> u32 {
    let [a, b, c] = either_side(*t);
    (a.wrapping_mul(0x85EB_CA6B) ^ b).wrapping_mul(0x9E37_79B1) ^ c
}

/// A triangle beginning with its smallest number. Which one that is cannot be foreseen, so no branch asks.
#[inline]
fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    let first = a.min(b).min(c);
    let after_b = if first == b { c } else { a };
    let second = if first == a { b } else { after_b };
    [first, second, a ^ b ^ c ^ first ^ second]
}

/// The frame of a scene, and its points in metres with what is to become their origin: as in the exact
/// pipeline.
fn place_points(
    scene: &Scene,
    settings: &Resolved,
) -> Result<(Frame, DVec3, Vec<DVec3>), BakeError> {
    let rotated = settings.frame;
    let mut used = vec![false; scene.points().len()];
    for &p in scene.triangles().as_flattened() {
        used[p as usize] = true;
    }
    let from = scene.origin();
    let user = |p: &[f32; 3]| [0, 1, 2].map(|k| from[k] + f64::from(p[k]));
    let canonical: Vec<DVec3> =
        scene.points().par_iter().map(|p| rotated.canonical_from_user(user(p))).collect();
    let (mut lo, mut hi) = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
    for (p, _) in canonical.iter().zip(&used).filter(|(_, used)| **used) {
        // All of them are numbers.
        lo = DVec3::select(p.cmplt(lo), *p, lo);
        hi = DVec3::select(p.cmpgt(hi), *p, hi);
    }
    // Whole metres, so that moving a scene by whole metres moves its lattice with it.
    let origin = if lo.x <= hi.x { ((lo + hi) * 0.5).round() } else { DVec3::ZERO };
    let reach = f64::from(REACH_UNITS) * M_PER_LATTICE;
    let farthest = (hi - origin).abs().max((lo - origin).abs());
    if lo.x <= hi.x && !(farthest.max_element() <= reach) {
        return Err(LatticeRangeError { x_m: farthest.x, y_m: farthest.y.max(farthest.z) }.into());
    }
    Ok((rotated.moved_to(origin), origin, canonical))
}

/// Different points on the lattice, and for every point in metres the number of the one that it becomes.
fn weld(canonical: &[DVec3], origin: DVec3) -> (Vec<Point3>, Vec<u32>) {
    let mut points: Vec<Point3> = Vec::with_capacity(canonical.len());
    let mut numbers: Vec<u32> = Vec::with_capacity(canonical.len());
    let mut table = Table::for_count(canonical.len());
    for some in canonical.chunks(AT_ONCE) {
        let (mut placed, mut hashes) = ([[0; 3]; AT_ONCE], [0; AT_ONCE]);
        for ((p, placed), hashed) in some.iter().zip(&mut placed).zip(&mut hashes) {
            let p = (*p - origin) * LATTICE_PER_M;
            let p = [round_to_i32(p.x), round_to_i32(p.y), round_to_i32(p.z)];
            *hashed = hash([p[0] as u32, p[1] as u32, p[2] as u32]);
            *placed = p;
        }
        table.fetch(&hashes[..some.len()]);
        for (&p, &hash) in placed.iter().zip(&hashes).take(some.len()) {
            let new = points.len() as u32;
            let known = table.find_or_add(hash, new, |other| points[other as usize] == p);
            if known.is_none() {
                points.push(p);
            }
            numbers.push(known.unwrap_or(new));
        }
    }
    (points, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{AreaRule, BakeSettings};
    use crate::voxel::grid::class_triangles;
    use surefoot_testing_scenes::{Variant, build};

    fn sorted(mut triangles: Vec<GridTriangle>) -> Vec<GridTriangle> {
        triangles.sort_unstable_by_key(|t| {
            let first = (0..3).min_by_key(|&k| t.corners[k]).unwrap_or(0);
            [0, 1, 2].map(|k| t.corners[(first + k) % 3])
        });
        for t in &mut triangles {
            let first = (0..3).min_by_key(|&k| t.corners[k]).unwrap_or(0);
            t.corners.rotate_left(first);
        }
        triangles
    }

    /// Triangles, some of them twice and some turned over, as the exact pipeline's reader sees them.
    #[test]
    fn triangles_and_their_classes_are_those_of_the_exact_reader() {
        let built = build("town-house", &Variant::default()).unwrap();
        let points: Vec<[f64; 3]> =
            (0..built.scene.points().len() as u32).map(|i| built.scene.point(i)).collect();
        let points: Vec<[f32; 3]> = points.iter().map(|p| p.map(|v| v as f32)).collect();
        let mut triangles = built.scene.triangles().to_vec();
        let turned: Vec<[u32; 3]> =
            triangles.iter().step_by(7).map(|t| [t[0], t[2], t[1]]).collect();
        let again: Vec<[u32; 3]> =
            triangles.iter().step_by(5).map(|t| [t[1], t[2], t[0]]).collect();
        triangles.extend(turned.into_iter().chain(again));
        let scene = Scene::from_triangles(&points, &triangles).unwrap();
        let settings = BakeSettings::default().resolve().unwrap();
        let mut context = StageContext::new();
        let own = read_triangles(&scene, &settings, &mut context).unwrap();
        let soup = read::read(&scene, &settings, &mut context).unwrap();
        assert_eq!(own.frame, soup.frame);
        let (own, exact) = (sorted(own.triangles), sorted(class_triangles(&soup, &settings)));
        assert_eq!(own.len(), exact.len());
        assert!(
            own.iter().zip(&exact).all(|(a, b)| (a.corners, a.surface) == (b.corners, b.surface))
        );
        // With area rules the exact reader is asked.
        let rule = AreaRule { area: "water".to_owned(), tag_pattern: "nothing".to_owned() };
        let with_rule = BakeSettings { areas: vec![rule], ..BakeSettings::default() };
        let ruled = read_triangles(&scene, &with_rule.resolve().unwrap(), &mut context).unwrap();
        assert_eq!(ruled.area_names, ["ground", "water"]);
        assert_eq!(sorted(ruled.triangles).len(), exact.len());
    }

    #[test]
    fn a_triangle_is_turned_until_its_smallest_number_comes_first() {
        for t in [[1, 2, 3], [2, 3, 1], [3, 1, 2]] {
            assert_eq!(smallest_first(t), [1, 2, 3]);
        }
        for t in [[1, 3, 2], [3, 2, 1], [2, 1, 3]] {
            assert_eq!(smallest_first(t), [1, 3, 2]);
        }
    }

    /// Around one point, so many triangles that they are sorted, and few.
    #[test]
    fn triangles_that_there_are_twice_are_found() {
        for count in [2_u32, 3, 40] {
            let mut numbers: Vec<[u32; 3]> = (0..count).map(|i| [0, i + 1, i + 2]).collect();
            numbers.push([0, 3, 2]);
            numbers.push([0, 1, 2]);
            numbers.push([0, 3, 2]);
            numbers.push([2, 3, 4]);
            let expected = [
                (1, Repeat::Turned),
                (count, Repeat::Turned),
                (count + 1, Repeat::Same),
                (count + 2, Repeat::Same),
            ];
            let repeats = Repeats::find(&numbers, count as usize + 2);
            assert_eq!(repeats.0, expected);
        }
    }

    /// A sheet seen from both sides, either side twice: one side of each is read, and below nothing begins.
    #[test]
    fn of_a_sheet_the_lower_side_is_dropped() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, -1.0]];
        let triangles = [[1, 0, 2], [0, 1, 2], [0, 2, 1], [2, 1, 0], [0, 3, 1]];
        let scene = Scene::from_triangles(&points, &triangles).unwrap();
        let settings = BakeSettings::default().resolve().unwrap();
        let read = read_triangles(&scene, &settings, &mut StageContext::new()).unwrap();
        assert_eq!(read.triangles.len(), 2);
        assert_eq!(read.numbers.len(), 2);
        let ground = read.triangles.iter().filter(|t| t.surface.is_ground()).count();
        assert_eq!(ground, 1, "{:?}", read.triangles);
    }
}
