//! A heap of triangles, as it came.

use surefoot_geom::Bounds;
use surefoot_geom::threads::prelude::*;
use thiserror::Error;

use crate::origin::{bounds_of, choose_origin, is_same};
use crate::tags::{NO_TAG, TagId, TagInterner, TagPatterns, TagRole};

/// The largest extent of a scene along an axis, in metres: the lattice reaches 32,511 m to both
/// sides of its origin, and a little room is left around the scene.
const MAX_EXTENT_M: f64 = 65_000.0;

/// Triangles of the input that carry no surface. They are left out and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct IgnoredTriangles {
    /// A corner is NaN or infinite.
    pub non_finite: u64,
    /// The corners coincide or lie on one line.
    pub zero_area: u64,
}

/// What is wrong with triangles given by a program.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A triangle refers to a point that does not exist.
    #[error("triangle {triangle} refers to point {point}, but there are only {points} points")]
    NoSuchPoint {
        /// Which triangle.
        triangle: usize,
        /// The point it names.
        point: u32,
        /// How many there are.
        points: usize,
    },
    /// Two scenes together have more points than indices can tell apart.
    #[error("the scenes together have {points} points, and at most 4,294,967,295 can be held")]
    TooManyPoints {
        /// How many there are.
        points: usize,
    },
}

/// A scene that is larger than the lattice on which geometry is worked on reaches.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error(
    "the scene is {extent_m:.0} m long along {axis}, and at most {limit_m:.0} m can be worked on; \
     if its unit is not the metre, scale it to metres, if a few triangles lie astray, delete them, \
     and otherwise split it into pieces"
)]
pub struct ReachError {
    /// The axis: `x`, `y` or `z`.
    pub axis: char,
    /// The extent along it, in metres.
    pub extent_m: f64,
    /// The largest extent, in metres.
    pub limit_m: f64,
}

/// Triangles in the user's own frame and unit (1 unit = 1 m), each with an optional area tag.
///
/// Points are kept as `f32` around an `f64` origin, so that a scene far from zero (geographic
/// coordinates) loses nothing that its extent does not force it to lose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    pub(crate) origin: [f64; 3],
    pub(crate) points: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// One per triangle, or empty when no triangle has a tag.
    pub(crate) tags: Vec<TagId>,
    pub(crate) tag_names: Vec<String>,
    /// One per tag name, or empty when no tag says anything.
    pub(crate) tag_roles: Vec<TagRole>,
    pub(crate) ignored: IgnoredTriangles,
}

impl Scene {
    /// A scene from points and triangles of point indices. Triangles without a surface are left
    /// out and counted in [`Scene::ignored`].
    pub fn from_triangles(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Self, SceneError> {
        for (i, t) in triangles.iter().enumerate() {
            if let Some(&point) = t.iter().find(|&&p| p as usize >= points.len()) {
                return Err(SceneError::NoSuchPoint { triangle: i, point, points: points.len() });
            }
        }
        let mut scene =
            Self { points: points.to_vec(), triangles: triangles.to_vec(), ..Self::default() };
        scene.drop_invalid();
        Ok(scene)
    }

    /// Number of triangles, the ignored ones left out.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The point that stored coordinates are relative to.
    #[must_use]
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// The points, relative to [`Scene::origin`].
    #[must_use]
    pub fn points(&self) -> &[[f32; 3]] {
        &self.points
    }

    /// The triangles, as indices of points.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// A point in the user's frame.
    #[must_use]
    pub fn point(&self, index: u32) -> [f64; 3] {
        let p = self.points[index as usize];
        std::array::from_fn(|k| self.origin[k] + f64::from(p[k]))
    }

    /// The tag of a triangle.
    #[must_use]
    pub fn tag(&self, triangle: usize) -> TagId {
        self.tags.get(triangle).copied().unwrap_or(NO_TAG)
    }

    /// The names of the tags.
    #[must_use]
    pub fn tag_names(&self) -> &[String] {
        &self.tag_names
    }

    /// What its tag says of a triangle.
    #[must_use]
    pub fn role(&self, triangle: usize) -> TagRole {
        // NO_TAG is beyond all ids.
        self.tag_roles.get(usize::from(self.tag(triangle).0)).copied().unwrap_or_default()
    }

    /// Whether a tag of some triangle says that it is ground or in the way.
    #[must_use]
    pub fn has_roles(&self) -> bool {
        self.tag_roles.iter().any(|role| *role != TagRole::ByGeometry)
    }

    /// The scene without the triangles that patterns leave out, the others with the roles that they give.
    #[must_use]
    pub fn with_patterns(&self, patterns: &TagPatterns<'_>) -> Self {
        let mut scene = self.clone();
        let roles: Vec<Option<TagRole>> =
            self.tag_names.iter().map(|name| patterns.role_of(name)).collect();
        let is_kept = |tag: TagId| roles.get(usize::from(tag.0)).is_none_or(Option::is_some);
        // Triangles without tags are kept, and there are either none or as many tags as triangles.
        let mut of_triangle = self.tags.iter();
        scene.triangles.retain(|_| of_triangle.next().is_none_or(|tag| is_kept(*tag)));
        scene.tags.retain(|tag| is_kept(*tag));
        scene.tag_roles = roles.into_iter().map(Option::unwrap_or_default).collect();
        scene
    }

    /// What was left out.
    #[must_use]
    pub fn ignored(&self) -> IgnoredTriangles {
        self.ignored
    }

    /// The smallest box around all triangles in the user's frame; `None` when there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        let bounds = bounds_of(&self.triangles, |i| self.point(i));
        (!bounds.is_empty()).then_some(bounds)
    }

    /// Whether the scene is small enough to be worked on in one piece: at most 65,000 m along each
    /// axis. Where it lies does not matter. Loading a file checks it.
    pub fn check_reach(&self) -> Result<(), ReachError> {
        // Written so that NaN fails. Points that no triangle uses may be anywhere.
        let half = (MAX_EXTENT_M / 2.0) as f32;
        if self.points.iter().flatten().all(|c| c.abs() <= half) {
            return Ok(());
        }
        let Some(Bounds { low, high }) = self.bounds() else { return Ok(()) };
        for (k, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
            let extent_m = high[k] - low[k];
            if extent_m > MAX_EXTENT_M {
                return Err(ReachError { axis, extent_m, limit_m: MAX_EXTENT_M });
            }
        }
        Ok(())
    }

    /// Checks what every scene keeps to: indices in range, a tag for every triangle or none, tags
    /// with names, and no triangle without a surface. For tests and fuzzing.
    pub fn check_invariants(&self) -> Result<(), String> {
        if !self.origin.iter().all(|c| c.is_finite()) {
            return Err(format!("the origin {:?} is not finite", self.origin));
        }
        if !self.tags.is_empty() && self.tags.len() != self.triangles.len() {
            let (tags, triangles) = (self.tags.len(), self.triangles.len());
            return Err(format!("{tags} tags for {triangles} triangles"));
        }
        for (i, t) in self.triangles.iter().enumerate() {
            if t.iter().any(|&p| p as usize >= self.points.len()) {
                return Err(format!("triangle {i} refers to a point that does not exist"));
            }
            let defect = defect_of(t.map(|p| self.points[p as usize].map(f64::from)));
            if defect != Defect::None {
                return Err(format!("triangle {i} has no surface: {defect:?}"));
            }
            let tag = self.tag(i);
            if tag != NO_TAG && usize::from(tag.0) >= self.tag_names.len() {
                return Err(format!("triangle {i} has tag {}, which has no name", tag.0));
            }
        }
        Ok(())
    }

    /// Adds the triangles of another scene behind those of this one. Tags with the same name become
    /// one. Where the two count their coordinates from different origins, a common one is chosen,
    /// and coordinates are rounded to what `f32` can tell apart around it.
    ///
    /// On an error this scene is left as it was.
    pub fn append(&mut self, other: &Self) -> Result<(), SceneError> {
        if self.triangles.is_empty() && self.points.is_empty() {
            self.origin = other.origin;
        }
        if is_same(self.origin, other.origin) {
            return self.append_at_same_origin(other);
        }
        let mut bounds = Bounds::EMPTY;
        for part in self.bounds().iter().chain(&other.bounds()) {
            bounds.add(part);
        }
        let origin = choose_origin(&bounds);
        let mut moved = other.clone();
        moved.move_origin(origin);
        let before = self.origin;
        self.move_origin(origin);
        let result = self.append_at_same_origin(&moved);
        if result.is_err() {
            self.move_origin(before);
        }
        result
    }

    pub(crate) fn append_at_same_origin(&mut self, other: &Self) -> Result<(), SceneError> {
        let points = self.points.len() + other.points.len();
        if points > u32::MAX as usize {
            return Err(SceneError::TooManyPoints { points });
        }
        let offset = self.points.len() as u32;
        let triangles = self.triangles.len();
        self.points.extend_from_slice(&other.points);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + offset)));
        if !(self.tags.is_empty() && other.tags.is_empty()) {
            let mut names = TagInterner::with_names(std::mem::take(&mut self.tag_names));
            let ids: Vec<TagId> = other.tag_names.iter().map(|name| names.intern(name)).collect();
            self.tag_names = names.into_names();
            if self.has_roles() || other.has_roles() {
                self.tag_roles.resize(self.tag_names.len(), TagRole::ByGeometry);
                // A name that both have keeps what this scene says of it.
                for (id, role) in ids.iter().zip(&other.tag_roles) {
                    if let Some(known) = self.tag_roles.get_mut(usize::from(id.0))
                        && *known == TagRole::ByGeometry
                    {
                        *known = *role;
                    }
                }
            }
            self.tags.resize(triangles, NO_TAG);
            self.tags.extend((0..other.triangles.len()).map(|i| {
                // NO_TAG is beyond all ids.
                ids.get(usize::from(other.tag(i).0)).copied().unwrap_or(NO_TAG)
            }));
        }
        self.ignored.non_finite += other.ignored.non_finite;
        self.ignored.zero_area += other.ignored.zero_area;
        Ok(())
    }

    /// Counts the coordinates from another origin.
    fn move_origin(&mut self, origin: [f64; 3]) {
        if is_same(origin, self.origin) {
            return;
        }
        for p in &mut self.points {
            *p = std::array::from_fn(|k| (self.origin[k] + f64::from(p[k]) - origin[k]) as f32);
        }
        self.origin = origin;
    }

    /// Leaves out and counts the triangles without a surface.
    pub(crate) fn drop_invalid(&mut self) {
        let points = &self.points;
        let defects: Vec<Defect> = self
            .triangles
            .par_iter()
            .with_min_len(1 << 14)
            .map(|t| defect_of(t.map(|i| points[i as usize].map(f64::from))))
            .collect();
        let count = |wanted| defects.iter().filter(|&&d| d == wanted).count() as u64;
        let (non_finite, zero_area) = (count(Defect::NonFinite), count(Defect::ZeroArea));
        if non_finite + zero_area == 0 {
            return;
        }
        self.ignored.non_finite += non_finite;
        self.ignored.zero_area += zero_area;
        let sound = |d: Option<&Defect>| d.is_none_or(|&d| d == Defect::None);
        let mut of_triangle = defects.iter();
        self.triangles.retain(|_| sound(of_triangle.next()));
        let mut of_tag = defects.iter();
        self.tags.retain(|_| sound(of_tag.next()));
    }

    /// Leaves out the points that no triangle uses; the others keep their order.
    pub(crate) fn drop_unused_points(&mut self) {
        let mut used = vec![false; self.points.len()];
        for &i in self.triangles.iter().flatten() {
            used[i as usize] = true;
        }
        if used.iter().all(|&u| u) {
            return;
        }
        let mut index = vec![0_u32; self.points.len()];
        let mut next = 0_u32;
        for (index, &used) in index.iter_mut().zip(&used) {
            *index = next;
            next += u32::from(used);
        }
        let mut flags = used.iter();
        self.points.retain(|_| *flags.next().unwrap_or(&true));
        for i in self.triangles.iter_mut().flatten() {
            *i = index[*i as usize];
        }
    }
}

/// Why a triangle carries no surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    None,
    NonFinite,
    ZeroArea,
}

fn defect_of([a, b, c]: [[f64; 3]; 3]) -> Defect {
    if ![a, b, c].iter().flatten().all(|v| v.is_finite()) {
        return Defect::NonFinite;
    }
    let u: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
    let v: [f64; 3] = std::array::from_fn(|k| c[k] - a[k]);
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    if n.iter().all(|&c| c == 0.0) { Defect::ZeroArea } else { Defect::None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SceneBuilder;

    fn triangle_at(x: f64, tag: Option<&str>) -> Scene {
        let mut b = SceneBuilder::new();
        b.set_tag(tag).triangle([[x, 0.0, 0.0], [x, 0.0, 1.0], [x + 1.0, 0.0, 0.0]]);
        b.finish()
    }

    #[test]
    fn triangles_from_a_program_are_checked() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [f32::NAN; 3], [2.0, 0.0, 0.0]];
        let scene =
            Scene::from_triangles(&points, &[[0, 2, 1], [0, 1, 3], [0, 1, 4], [1, 1, 2]]).unwrap();
        assert_eq!(scene.triangles(), [[0, 2, 1]]);
        assert_eq!(scene.ignored(), IgnoredTriangles { non_finite: 1, zero_area: 2 });
        scene.check_invariants().unwrap();
        let error = Scene::from_triangles(&points, &[[0, 1, 5]]).unwrap_err();
        assert_eq!(error, SceneError::NoSuchPoint { triangle: 0, point: 5, points: 5 });
    }

    #[test]
    fn bounds_are_those_of_triangles() {
        assert_eq!(Scene::default().bounds(), None);
        let points = [[1.0, 2.0, 3.0], [4.0, 2.0, 3.0], [1.0, 2.0, 9.0], [1e9, 0.0, 0.0]];
        let scene = Scene::from_triangles(&points, &[[0, 2, 1]]).unwrap();
        assert_eq!(scene.bounds(), Some(Bounds { low: [1.0, 2.0, 3.0], high: [4.0, 2.0, 9.0] }));
        scene.check_reach().unwrap();
        let scene = Scene::from_triangles(&points, &[[0, 2, 1], [0, 2, 3]]).unwrap();
        let error = scene.check_reach().unwrap_err();
        assert_eq!(error.axis, 'x');
        assert!(error.to_string().contains("split it"), "{error}");
    }

    #[test]
    fn scenes_far_from_each_other_are_appended() {
        let mut scene = triangle_at(0.0, Some("road"));
        scene.append(&triangle_at(10.0, None)).unwrap();
        scene.append(&triangle_at(20_000.0, Some("water"))).unwrap();
        scene.append(&triangle_at(20_002.0, Some("road"))).unwrap();
        scene.check_invariants().unwrap();
        let tags: Vec<u16> = (0..4).map(|i| scene.tag(i).0).collect();
        assert_eq!(tags, [0, NO_TAG.0, 1, 0]);
        assert_eq!(scene.tag_names(), ["road", "water"]);
        assert_eq!(scene.bounds(), Some(Bounds { low: [0.0; 3], high: [20_003.0, 0.0, 1.0] }));
        let mut empty = Scene::default();
        empty.append(&triangle_at(20_000.0, None)).unwrap();
        assert_eq!(empty, triangle_at(20_000.0, None));
    }

    #[test]
    fn patterns_leave_out_and_give_roles() {
        let mut scene = triangle_at(0.0, Some("road"));
        for (x, tag) in [(2.0, None), (4.0, Some("yard/Glass_2")), (6.0, Some("hedge"))] {
            scene.append(&triangle_at(x, tag)).unwrap();
        }
        let words = |word: &str| vec![word.to_owned()];
        let (ignore, obstacle, ground) = (words("*glass*"), words("hedge"), words("road"));
        let patterns = TagPatterns { ignore: &ignore, obstacle: &obstacle, ground: &ground };
        let ruled = scene.with_patterns(&patterns);
        ruled.check_invariants().unwrap();
        assert_eq!(ruled.triangle_count(), 3);
        let roles: Vec<TagRole> = (0..3).map(|t| ruled.role(t)).collect();
        assert_eq!(roles, [TagRole::Ground, TagRole::ByGeometry, TagRole::Obstacle]);
        let mut joined = triangle_at(9.0, Some("lawn"));
        joined.append(&ruled).unwrap();
        let roles: Vec<TagRole> = (0..4).map(|t| joined.role(t)).collect();
        let by_geometry = TagRole::ByGeometry;
        assert_eq!(roles, [by_geometry, TagRole::Ground, by_geometry, TagRole::Obstacle]);
        assert!(!scene.has_roles() && ruled.has_roles());
        // Without tags there is nothing to match.
        let plain = triangle_at(0.0, None);
        let all = words("*");
        let everything = TagPatterns { ignore: &all, ..TagPatterns::default() };
        assert_eq!(plain.with_patterns(&everything), plain);
    }

    #[test]
    fn points_that_no_triangle_uses_can_be_dropped() {
        let points = [[9.0; 3], [0.0; 3], [8.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let mut scene = Scene::from_triangles(&points, &[[1, 4, 3]]).unwrap();
        scene.drop_unused_points();
        assert_eq!(scene.points(), [points[1], points[3], points[4]]);
        assert_eq!(scene.triangles(), [[0, 2, 1]]);
    }
}
