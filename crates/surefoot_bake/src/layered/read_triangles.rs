//! Reads a scene for the columns: triangles on the lattice, told apart by what they are to them.
//!
//! Goes in: a scene in the user's frame. Comes out: every triangle that counts, once, with its class and
//! the numbers of its points. The frame, the lattice and the classes are those that every pipeline has; but nothing
//! is sorted, since nothing that follows depends on the order of triangles. Where points are to be clustered, or
//! tags say what an area is, the reader that sorts does that.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::input::classify::{ClassedTriangle, Classifier, class_triangles, is_lower_side};
use crate::input::points::{Point3, metres, normal_units};
use crate::input::read::{place_points, read};
use crate::layered::model::scales::round_to_i32;
use crate::settings::ReadSettings;
use crate::view::{StageView, ViewFace};
use glam::DVec3;
use std::collections::HashMap;
use surefoot_geom::Frame;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::{AreaId, CellKind};
use surefoot_scene::Scene;

/// What the layered pipeline reads.
#[derive(Debug)]
pub(crate) struct ReadTriangles {
    pub(crate) frame: Frame,
    pub(crate) area_names: Vec<String>,
    pub(crate) triangles: Vec<ClassedTriangle>,
    /// The numbers of each triangle's points.
    pub(crate) numbers: Vec<[u32; 3]>,
    /// The points, no two equal; not all of them belong to a triangle.
    pub(crate) points: Vec<Point3>,
}

pub(crate) fn read_triangles(
    scene: &Scene,
    settings: &ReadSettings<'_>,
    classifier: &Classifier,
    context: &mut StageContext<'_>,
) -> Result<ReadTriangles, BakeError> {
    if settings.cluster_m > 0.0 || !settings.areas.is_empty() || scene.has_roles() {
        let soup = read(scene, settings, context)?;
        let (triangles, numbers) = class_triangles(&soup, classifier).unzip();
        let (frame, area_names, points) = (soup.frame, soup.area_names, soup.points);
        return Ok(ReadTriangles { frame, area_names, triangles, numbers, points });
    }
    let (frame, origin, canonical) = place_points(scene, settings.frame)?;
    let (points, number_of) = weld(&canonical, origin);
    let mut sides = TriangleSides(HashMap::with_capacity(scene.triangle_count()));
    let (mut triangles, mut numbers) = (Vec::new(), Vec::new());
    let mut degenerate = 0;
    for t in scene.triangles() {
        let t = smallest_first(t.map(|p| number_of[p as usize]));
        let corners = t.map(|p| points[p as usize]);
        let normal = normal_units(corners[0], corners[1], corners[2]);
        if normal == DVec3::ZERO {
            degenerate += 1;
        } else if sides.is_new(t) {
            triangles.push(ClassedTriangle { corners, class: classifier.facing(normal, 0) });
            numbers.push(t);
        }
    }
    context.report.ignored_triangles += degenerate as u64;
    context.count("points", points.len());
    context.count("triangles", triangles.len());
    context.count("too_small", degenerate);
    context.count("duplicates", scene.triangle_count() - degenerate - triangles.len());
    // Of a sheet the lower side begins nothing.
    let is_kept = |t: &ClassedTriangle, number: [u32; 3]| {
        let [a, b, c] = t.corners;
        !(is_lower_side(normal_units(a, b, c)) && sides.has_both(number))
    };
    let both = triangles.into_iter().zip(numbers);
    let (triangles, numbers) = both.filter(|(t, number)| is_kept(t, *number)).unzip();
    let area_names = vec!["ground".to_owned()];
    Ok(ReadTriangles { frame, area_names, triangles, numbers, points })
}

/// A triangle beginning with its smallest number.
fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    match a.min(b).min(c) {
        first if first == a => [a, b, c],
        first if first == b => [b, c, a],
        _ => [c, a, b],
    }
}

/// Which sides of triangles have been read, by the numbers of their points, the smallest first.
struct TriangleSides(HashMap<[u32; 3], u8>);

impl TriangleSides {
    const BOTH: u8 = 3;

    /// The same for both sides of a triangle, and a bit for the one that it is.
    fn key([a, b, c]: [u32; 3]) -> ([u32; 3], u8) {
        if b < c { ([a, b, c], 1) } else { ([a, c, b], 2) }
    }

    /// Whether a side has not been read before; from now on it has.
    fn is_new(&mut self, triangle: [u32; 3]) -> bool {
        let (key, side) = Self::key(triangle);
        let known = self.0.entry(key).or_default();
        let is_new = *known & side == 0;
        *known |= side;
        is_new
    }

    fn has_both(&self, triangle: [u32; 3]) -> bool {
        self.0.get(&Self::key(triangle).0) == Some(&Self::BOTH)
    }
}

/// Different points on the lattice, and for every point in metres the number of the one that it becomes.
fn weld(canonical: &[DVec3], origin: DVec3) -> (Vec<Point3>, Vec<u32>) {
    let mut points: Vec<Point3> = Vec::with_capacity(canonical.len());
    let mut number_of: HashMap<Point3, u32> = HashMap::with_capacity(canonical.len());
    let numbers = canonical.iter().map(|p| {
        let p = ((*p - origin) * LATTICE_PER_M).to_array().map(round_to_i32);
        *number_of.entry(p).or_insert_with(|| {
            points.push(p);
            points.len() as u32 - 1
        })
    });
    let numbers = numbers.collect();
    (points, numbers)
}

impl ReadTriangles {
    /// What a person would look at: the triangles, ground coloured otherwise than the rest.
    pub(crate) fn view(&self) -> StageView {
        let face = |t: &ClassedTriangle| ViewFace {
            loops: vec![
                t.corners.map(|p| self.frame.user_from_canonical(metres(p).to_array())).to_vec(),
            ],
            triangles: Vec::new(),
            kind: CellKind::Ground,
            area: AreaId(t.class.area()),
            component: Some(u32::from(!t.class.is_ground())),
        };
        let faces = self.triangles.iter().map(face).collect();
        StageView { up: self.frame.up(), faces, ..StageView::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::classify::class_triangles;
    use crate::settings::{AreaRule, BakeSettings};
    use surefoot_testing_scenes::{Variant, build};

    fn sorted(mut triangles: Vec<ClassedTriangle>) -> Vec<ClassedTriangle> {
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
        let own = read_triangles(
            &scene,
            &settings.reading(),
            &Classifier::new(&settings.agent, false),
            &mut context,
        )
        .unwrap();
        let classifier = Classifier::new(&settings.agent, false);
        let soup = read(&scene, &settings.reading(), &mut context).unwrap();
        assert_eq!(own.frame, soup.frame);
        let exact = class_triangles(&soup, &classifier).map(|(triangle, _)| triangle).collect();
        let (own, exact) = (sorted(own.triangles), sorted(exact));
        assert_eq!(own.len(), exact.len());
        assert!(own.iter().zip(&exact).all(|(a, b)| (a.corners, a.class) == (b.corners, b.class)));
        // With area rules the exact reader is asked.
        let rule = AreaRule { area: "water".to_owned(), tag_pattern: "nothing".to_owned() };
        let with_rule = BakeSettings { areas: vec![rule], ..BakeSettings::default() };
        let ruled = read_triangles(
            &scene,
            &with_rule.resolve().unwrap().reading(),
            &classifier,
            &mut context,
        )
        .unwrap();
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
        let read = read_triangles(
            &scene,
            &settings.reading(),
            &Classifier::new(&settings.agent, false),
            &mut StageContext::new(),
        )
        .unwrap();
        assert_eq!(read.triangles.len(), 2);
        assert_eq!(read.numbers.len(), 2);
        let ground = read.triangles.iter().filter(|t| t.class.is_ground()).count();
        assert_eq!(ground, 1, "{:?}", read.triangles);
    }
}
