//! Reads a scene for the columns: triangles on the lattice, told apart by what they are to them.
//!
//! Goes in: a scene in the user's frame. Comes out: every triangle that counts, once, with its class and
//! the numbers of its points. The frame, the lattice and the classes are those of the exact pipeline's
//! reader and of the voxel pipeline; but nothing is sorted, since nothing that follows depends on the
//! order of triangles: equal points and triangles are found by a table instead. Where points are to be
//! clustered, or tags say what an area is, the exact pipeline's reader does that.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::read::{self, Point3, Soup, normal_units};
use crate::layered::scales::round_to_i32;
use crate::layered::table::{Table, hash};
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
    let (frame, canonical) = place_points(scene, settings)?;
    let (points, number_of) = weld(canonical);
    let mut sorter = Sorter::for_count(scene.triangle_count());
    for t in scene.triangles() {
        let t = [number_of[t[0] as usize], number_of[t[1] as usize], number_of[t[2] as usize]];
        sorter.add(smallest_first(t), &points, &classes);
    }
    context.report.ignored_triangles += sorter.degenerate as u64;
    context.count("points", points.len());
    context.count("triangles", sorter.triangles.len());
    context.count("too_small", sorter.degenerate);
    context.count("duplicates", sorter.duplicates);
    sorter.drop_lower_sides();
    let (triangles, numbers) = (sorter.triangles, sorter.numbers);
    let area_names = vec!["ground".to_owned()];
    Ok(ReadTriangles { frame, area_names, triangles, numbers, points })
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

/// Triangles as they come, each once.
struct Sorter {
    triangles: Vec<GridTriangle>,
    numbers: Vec<[u32; 3]>,
    table: Table,
    /// Both sides of every sheet that is seen from both.
    sheets: Vec<u32>,
    degenerate: usize,
    duplicates: usize,
}

impl Sorter {
    fn for_count(count: usize) -> Self {
        Self {
            triangles: Vec::with_capacity(count),
            numbers: Vec::with_capacity(count),
            table: Table::for_count(count),
            sheets: Vec::new(),
            degenerate: 0,
            duplicates: 0,
        }
    }

    /// Adds a triangle that begins with its smallest number, unless it has no area or is known.
    #[inline]
    fn add(&mut self, t: [u32; 3], points: &[Point3], classes: &Classes) {
        let corners = [points[t[0] as usize], points[t[1] as usize], points[t[2] as usize]];
        if normal_units(corners[0], corners[1], corners[2]) == DVec3::ZERO {
            self.degenerate += 1;
            return;
        }
        let numbers = &mut self.numbers;
        let (new, mut turned) = (numbers.len() as u32, None);
        // The same triangle turned over has the same key: whoever looks for one passes the other.
        let key = [t[0], t[1].min(t[2]), t[1].max(t[2])];
        let known = self.table.find_or_add(hash(key), new, |other| {
            let known = numbers[other as usize];
            if known == [t[0], t[2], t[1]] {
                turned = Some(other);
            }
            known == t
        });
        if known.is_some() {
            self.duplicates += 1;
            return;
        }
        if let Some(other) = turned {
            self.sheets.extend([other, new]);
        }
        // Which sides of sheets count is asked later: few triangles are one.
        let surface = classes.class(&corners, 0, || false).unwrap_or(Surface::DOWN);
        numbers.push(t);
        self.triangles.push(GridTriangle { corners, surface });
    }

    /// Drops the lower sides of sheets, which begin solids of no thickness.
    fn drop_lower_sides(&mut self) {
        if self.sheets.is_empty() {
            return;
        }
        let mut is_kept = vec![true; self.triangles.len()];
        for &side in &self.sheets {
            is_kept[side as usize] = self.triangles[side as usize].surface != Surface::DOWN;
        }
        let (mut triangles, mut numbers) = (is_kept.iter(), is_kept.iter());
        self.triangles.retain(|_| triangles.next() == Some(&true));
        self.numbers.retain(|_| numbers.next() == Some(&true));
    }
}

/// The same triangle, beginning with its smallest number. Which one that is cannot be foreseen, so no branch
/// asks.
#[inline]
fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    let first = usize::from((b < a) & (b <= c)) + 2 * usize::from((c < a) & (c < b));
    let twice = [a, b, c, a, b];
    [twice[first], twice[first + 1], twice[first + 2]]
}

/// The frame of a scene and its points in lattice units, not yet rounded: as in the exact pipeline.
fn place_points(
    scene: &Scene,
    settings: &Resolved,
) -> Result<(Frame, impl ExactSizeIterator<Item = DVec3>), BakeError> {
    let rotated = settings.frame;
    let mut used = vec![false; scene.points().len()];
    for &p in scene.triangles().iter().flatten() {
        used[p as usize] = true;
    }
    let canonical: Vec<DVec3> = (0..scene.points().len() as u32)
        .into_par_iter()
        .map(|i| rotated.canonical_from_user(scene.point(i)))
        .collect();
    let (mut lo, mut hi) = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
    for (p, _) in canonical.iter().zip(&used).filter(|(_, used)| **used) {
        lo = lo.min(*p);
        hi = hi.max(*p);
    }
    // Whole metres, so that moving a scene by whole metres moves its lattice with it.
    let origin = if lo.x <= hi.x { ((lo + hi) * 0.5).round() } else { DVec3::ZERO };
    let reach = f64::from(REACH_UNITS) * M_PER_LATTICE;
    let farthest = (hi - origin).abs().max((lo - origin).abs());
    if lo.x <= hi.x && !(farthest.max_element() <= reach) {
        return Err(LatticeRangeError { x_m: farthest.x, y_m: farthest.y.max(farthest.z) }.into());
    }
    let in_units = canonical.into_iter().map(move |p| (p - origin) * LATTICE_PER_M);
    Ok((rotated.moved_to(origin), in_units))
}

/// Different points on the lattice, and for every point the number of the one that it becomes.
fn weld(in_units: impl ExactSizeIterator<Item = DVec3>) -> (Vec<Point3>, Vec<u32>) {
    let mut points: Vec<Point3> = Vec::with_capacity(in_units.len());
    let mut table = Table::for_count(in_units.len());
    let number = |p: DVec3| {
        let p = [round_to_i32(p.x), round_to_i32(p.y), round_to_i32(p.z)];
        let key = [p[0] as u32, p[1] as u32, p[2] as u32];
        let new = points.len() as u32;
        table.find_or_add(hash(key), new, |other| points[other as usize] == p).unwrap_or_else(
            || {
                points.push(p);
                new
            },
        )
    };
    let numbers = in_units.map(number).collect();
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
