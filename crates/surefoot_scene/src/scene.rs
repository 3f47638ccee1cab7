//! A heap of triangles, as it came.

use thiserror::Error;

/// A tag of a triangle: an index into the scene's tag names, or [`NO_TAG`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TagId(pub u16);

/// The tag of a triangle that has none.
pub const NO_TAG: TagId = TagId(u16::MAX);

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

    /// What was left out.
    #[must_use]
    pub fn ignored(&self) -> IgnoredTriangles {
        self.ignored
    }

    /// Leaves out and counts the triangles without a surface.
    pub(crate) fn drop_invalid(&mut self) {
        let points = &self.points;
        let ignored = &mut self.ignored;
        let mut keep = vec![true; self.triangles.len()];
        for (keep, t) in keep.iter_mut().zip(&self.triangles) {
            let [a, b, c] = t.map(|i| points[i as usize].map(f64::from));
            if ![a, b, c].iter().flatten().all(|v| v.is_finite()) {
                ignored.non_finite += 1;
                *keep = false;
                continue;
            }
            let u: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
            let v: [f64; 3] = std::array::from_fn(|k| c[k] - a[k]);
            let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            if n.iter().all(|&c| c == 0.0) {
                ignored.zero_area += 1;
                *keep = false;
            }
        }
        let mut flags = keep.iter();
        self.triangles.retain(|_| *flags.next().unwrap_or(&true));
        if !self.tags.is_empty() {
            let mut flags = keep.iter();
            self.tags.retain(|_| *flags.next().unwrap_or(&true));
        }
    }
}
