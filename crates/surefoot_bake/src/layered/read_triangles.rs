//! Reads a scene for the columns: triangles on the lattice, told apart by what they are to them.
//!
//! Goes in: a scene in the user's frame. Comes out: every triangle that counts, once, with its class and
//! the numbers of its points. The frame, the lattice and the classes are those of the exact pipeline's
//! reader and of the voxel pipeline; but nothing is sorted, since nothing that follows depends on the
//! order of triangles: equal points and triangles are found by a table instead. Where points are to be
//! clustered, or tags say what an area is, the exact pipeline's reader does that.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::read::{self, Point3, normal_units};
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

/// No triangle is the same one turned over.
const NO_TWIN: u32 = u32::MAX;

/// Triangles that a thread classes before it looks for more.
const CHUNK: usize = 16_384;

pub(crate) fn read_triangles(
    scene: &Scene,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<ReadTriangles, BakeError> {
    let classes = Classes::new(settings);
    if settings.exact.cluster_m > 0.0 || !settings.areas.is_empty() {
        let soup = read::read(scene, settings, context)?;
        let has_twin = |i: usize| {
            let [a, b, c] = soup.triangles[i];
            soup.triangles.binary_search(&[a, c, b]).is_ok()
        };
        let area = |i: usize| soup.areas[i].0;
        let surfaces = class_all(&soup.points, &soup.triangles, area, has_twin, &classes);
        let (triangles, numbers) = with_classes(&soup.points, soup.triangles, &surfaces);
        let (frame, area_names, points) = (soup.frame, soup.area_names, soup.points);
        return Ok(ReadTriangles { frame, area_names, triangles, numbers, points });
    }
    let (frame, on_lattice) = place_points(scene, settings)?;
    let (points, number_of) = weld(&on_lattice);
    let mut kept: Vec<[u32; 3]> = Vec::with_capacity(scene.triangle_count());
    // For each the same triangle turned over, if there is one: both are found by one key.
    let mut twins: Vec<u32> = Vec::with_capacity(scene.triangle_count());
    let mut table = Table::for_count(scene.triangle_count());
    let (mut degenerate, mut duplicates) = (0, 0);
    for t in scene.triangles() {
        let t = [number_of[t[0] as usize], number_of[t[1] as usize], number_of[t[2] as usize]];
        let corner = |k: usize| points[t[k] as usize];
        if normal_units(corner(0), corner(1), corner(2)) == DVec3::ZERO {
            degenerate += 1;
            continue;
        }
        let t = smallest_first(t);
        let (turned, new) = ([t[0], t[2], t[1]], kept.len() as u32);
        let key = if t[1] < t[2] { t } else { turned };
        let is_same = |other: u32| {
            let other = kept[other as usize];
            other == t || other == turned
        };
        match table.find_or_add(hash(key), new, is_same) {
            None => twins.push(NO_TWIN),
            Some(known) if kept[known as usize] == turned && twins[known as usize] == NO_TWIN => {
                twins[known as usize] = new;
                twins.push(known);
            }
            Some(_) => {
                duplicates += 1;
                continue;
            }
        }
        kept.push(t);
    }
    context.report.ignored_triangles += degenerate as u64;
    context.count("points", points.len());
    context.count("triangles", kept.len());
    context.count("too_small", degenerate);
    context.count("duplicates", duplicates);
    let has_twin = |i: usize| twins[i] != NO_TWIN;
    let surfaces = class_all(&points, &kept, |_| 0, has_twin, &classes);
    let (triangles, numbers) = with_classes(&points, kept, &surfaces);
    let area_names = vec!["ground".to_owned()];
    Ok(ReadTriangles { frame, area_names, triangles, numbers, points })
}

/// The class of every triangle; nothing for those that do not count.
fn class_all(
    points: &[Point3],
    triangles: &[[u32; 3]],
    area: impl Fn(usize) -> u16 + Sync,
    has_twin: impl Fn(usize) -> bool + Sync,
    classes: &Classes,
) -> Vec<Option<Surface>> {
    triangles
        .par_iter()
        .with_min_len(CHUNK)
        .enumerate()
        .map(|(i, &t)| {
            let corners = [points[t[0] as usize], points[t[1] as usize], points[t[2] as usize]];
            classes.class(&corners, area(i), || has_twin(i))
        })
        .collect()
}

/// The triangles that count, and the numbers of their points.
fn with_classes(
    points: &[Point3],
    mut numbers: Vec<[u32; 3]>,
    surfaces: &[Option<Surface>],
) -> (Vec<GridTriangle>, Vec<[u32; 3]>) {
    let triangle = |t: &[u32; 3], surface: Surface| GridTriangle {
        corners: [points[t[0] as usize], points[t[1] as usize], points[t[2] as usize]],
        surface,
    };
    let mut triangles = Vec::with_capacity(numbers.len());
    let classed = numbers.iter().zip(surfaces);
    triangles.extend(classed.filter_map(|(t, s)| s.map(|s| triangle(t, s))));
    if triangles.len() < numbers.len() {
        let mut surfaces = surfaces.iter();
        numbers.retain(|_| surfaces.next().is_some_and(Option::is_some));
    }
    (triangles, numbers)
}

/// The same triangle, beginning with its smallest number.
fn smallest_first(t: [u32; 3]) -> [u32; 3] {
    let [a, b, c] = t;
    if a <= b && a <= c {
        t
    } else if b <= c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// The frame of a scene and its points on the lattice: as in the exact pipeline.
fn place_points(scene: &Scene, settings: &Resolved) -> Result<(Frame, Vec<Point3>), BakeError> {
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
    let on_lattice = canonical
        .par_iter()
        .map(|p| {
            let p = (*p - origin) * LATTICE_PER_M;
            [round_to_i32(p.x), round_to_i32(p.y), round_to_i32(p.z)]
        })
        .collect();
    Ok((rotated.moved_to(origin), on_lattice))
}

/// Different points, and for every point the number of the one equal to it.
fn weld(on_lattice: &[Point3]) -> (Vec<Point3>, Vec<u32>) {
    let mut points: Vec<Point3> = Vec::with_capacity(on_lattice.len());
    let mut table = Table::for_count(on_lattice.len());
    let number = |&p: &Point3| {
        let key = [p[0] as u32, p[1] as u32, p[2] as u32];
        let new = points.len() as u32;
        table.find_or_add(hash(key), new, |other| points[other as usize] == p).unwrap_or_else(
            || {
                points.push(p);
                new
            },
        )
    };
    let numbers = on_lattice.iter().map(number).collect();
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
}
