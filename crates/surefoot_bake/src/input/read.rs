//! Reads a scene into the canonical frame: Z up, every point on the lattice in all three
//! coordinates, equal points welded, equal triangles kept once.
//!
//! Goes in: a scene in the user's frame. Comes out: a soup whose points and triangles are sorted by
//! their geometry, so that nothing later depends on the order of the input. Rounding moves a point
//! by at most half a lattice unit (7.7 µm) in each coordinate.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::input::cluster_points::cluster_points;
use crate::input::points::{Point3, metres, normal_units};
use crate::report::Warning;
use crate::settings::{AreaRule, ReadSettings};
use crate::view::{FaceLook, StageView};
use glam::DVec3;
use surefoot_geom::Frame;
use surefoot_geom::lattice::{LATTICE_PER_M, LatticeRangeError, M_PER_LATTICE, REACH_UNITS};
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::AreaId;
use surefoot_scene::{NO_TAG, Scene, TagRole, tag_matches};

/// Triangles in the canonical frame.
#[derive(Debug)]
pub(crate) struct Soup {
    pub(crate) frame: Frame,
    /// Sorted, no two equal.
    pub(crate) points: Vec<Point3>,
    /// Sorted by their points, the smallest first; no two equal, none without area.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// What the tag of each triangle says.
    pub(crate) tags: Vec<TriangleTag>,
    pub(crate) area_names: Vec<String>,
}

/// What its tag says of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TriangleTag {
    pub(crate) area: AreaId,
    pub(crate) role: TagRole,
}

impl TriangleTag {
    /// Of equal triangles the one counts whose tag comes first: what is in the way, then what is ground.
    pub(crate) fn rank(self) -> (u8, AreaId) {
        let role = match self.role {
            TagRole::Obstacle => 0,
            TagRole::Ground => 1,
            TagRole::ByGeometry => 2,
        };
        (role, self.area)
    }
}

impl Soup {
    /// Twice a triangle's area times its normal.
    pub(crate) fn normal(&self, triangle: [u32; 3]) -> DVec3 {
        let [a, b, c] = triangle.map(|p| self.points[p as usize]);
        normal_units(a, b, c)
    }

    /// A triangle's corners in metres.
    pub(crate) fn corners_m(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|p| metres(self.points[p as usize]))
    }

    /// All triangles.
    pub(crate) fn view(&self) -> StageView {
        let mut view = StageView::in_frame(&self.frame);
        for (t, tag) in self.triangles.iter().zip(&self.tags) {
            view.add_face(&self.frame, &self.corners_m(*t), FaceLook::ground(tag.area.0));
        }
        view
    }
}

pub(crate) fn read(
    scene: &Scene,
    settings: &ReadSettings<'_>,
    context: &mut StageContext<'_>,
) -> Result<Soup, BakeError> {
    let (frame, origin, canonical) = place_points(scene, settings.frame)?;
    let mut on_lattice: Vec<Point3> = canonical
        .par_iter()
        .map(|p| ((*p - origin) * LATTICE_PER_M).round().to_array().map(|v| v as i32))
        .collect();
    drop(canonical);
    let cell_units = (settings.cluster_m * LATTICE_PER_M).round();
    if cell_units >= 2.0 {
        cluster_points(&mut on_lattice, scene.triangles(), cell_units as i32);
    }
    let used = used_points(scene);
    let mut order: Vec<u32> = (0..on_lattice.len() as u32).filter(|&i| used[i as usize]).collect();
    order.par_sort_unstable_by_key(|&i| (on_lattice[i as usize], i));
    let mut points: Vec<Point3> = Vec::with_capacity(order.len());
    let mut welded = vec![u32::MAX; on_lattice.len()];
    for i in order {
        let p = on_lattice[i as usize];
        if points.last() != Some(&p) {
            points.push(p);
        }
        welded[i as usize] = points.len() as u32 - 1;
    }

    let (areas_of_tags, area_names) = resolve_areas(scene, settings.areas, context);
    let mut triangles: Vec<([u32; 3], TriangleTag)> = scene
        .triangles()
        .par_iter()
        .enumerate()
        .filter_map(|(i, t)| {
            let mut t = t.map(|p| welded[p as usize]);
            let n =
                normal_units(points[t[0] as usize], points[t[1] as usize], points[t[2] as usize]);
            if n == DVec3::ZERO {
                return None;
            }
            let role = scene.role(i);
            if role == TagRole::Ground && n.z < 0.0 {
                t.swap(1, 2);
            }
            let first = (0..3).min_by_key(|&k| t[k]).unwrap_or(0);
            let turned = [t[first], t[(first + 1) % 3], t[(first + 2) % 3]];
            let tag = scene.tag(i);
            let area = if tag == NO_TAG { AreaId(0) } else { areas_of_tags[usize::from(tag.0)] };
            Some((turned, TriangleTag { area, role }))
        })
        .collect();
    let degenerate = scene.triangle_count() - triangles.len();
    triangles.par_sort_unstable_by_key(|(t, tag)| (*t, tag.rank()));
    triangles.dedup_by_key(|t| t.0);
    context.report.ignored_triangles += degenerate as u64;
    context.count("points", points.len());
    context.count("triangles", triangles.len());
    context.count("too_small", degenerate);
    context.count("duplicates", scene.triangle_count() - degenerate - triangles.len());
    let (triangles, tags) = triangles.into_iter().unzip();
    Ok(Soup { frame, points, triangles, tags, area_names })
}

/// Which points belong to a triangle.
fn used_points(scene: &Scene) -> Vec<bool> {
    let mut used = vec![false; scene.points().len()];
    for &p in scene.triangles().as_flattened() {
        used[p as usize] = true;
    }
    used
}

/// The frame of a scene, and its points in metres with what is to become their origin.
pub(crate) fn place_points(
    scene: &Scene,
    rotated: Frame,
) -> Result<(Frame, DVec3, Vec<DVec3>), BakeError> {
    let used = used_points(scene);
    let from = scene.origin();
    let user = |p: &[f32; 3]| [0, 1, 2].map(|k| from[k] + f64::from(p[k]));
    let canonical: Vec<DVec3> = scene
        .points()
        .par_iter()
        .map(|p| DVec3::from(rotated.canonical_from_user(user(p))))
        .collect();
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
    Ok((rotated.moved_to(origin.to_array()), origin, canonical))
}

/// The area type of every tag, and the names of the area types.
fn resolve_areas(
    scene: &Scene,
    rules: &[AreaRule],
    context: &mut StageContext<'_>,
) -> (Vec<AreaId>, Vec<String>) {
    let mut names = vec!["ground".to_owned()];
    let ids: Vec<AreaId> = rules
        .iter()
        .map(|rule| {
            let at = names.iter().position(|n| *n == rule.area).unwrap_or_else(|| {
                names.push(rule.area.clone());
                names.len() - 1
            });
            AreaId(at as u16)
        })
        .collect();
    let mut hit = vec![false; rules.len()];
    let of_tags = scene
        .tag_names()
        .iter()
        .map(|tag| {
            let rule = rules.iter().position(|r| tag_matches(tag, &r.tag_pattern));
            rule.map_or(AreaId(0), |r| {
                hit[r] = true;
                ids[r]
            })
        })
        .collect();
    for (rule, _) in rules.iter().zip(hit).filter(|(_, hit)| !hit) {
        context.warn(Warning::TagPatternUnused { pattern: rule.tag_pattern.clone() });
    }
    (of_tags, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::BakeSettings;

    #[test]
    fn the_order_of_the_input_does_not_matter() {
        let points =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
        let one = Scene::from_triangles(&points, &[[0, 2, 1], [1, 2, 3], [1, 2, 4]]).unwrap();
        let two = Scene::from_triangles(&points, &[[3, 1, 2], [2, 1, 0]]).unwrap();
        let settings = BakeSettings::default().resolve().unwrap();
        let read = |s: &Scene| read(s, &settings.reading(), &mut StageContext::new()).unwrap();
        let (one, two) = (read(&one), read(&two));
        assert_eq!(one.points, two.points);
        assert_eq!(one.triangles, two.triangles);
        assert_eq!(one.triangles.len(), 2);
    }

    #[test]
    fn a_scene_larger_than_the_lattice_is_refused() {
        let points = [[0.0, 0.0, 0.0], [70_000.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let scene = Scene::from_triangles(&points, &[[0, 2, 1]]).unwrap();
        let settings = BakeSettings::default().resolve().unwrap();
        assert!(matches!(
            read(&scene, &settings.reading(), &mut StageContext::new()),
            Err(BakeError::OutOfReach(_))
        ));
    }
}
