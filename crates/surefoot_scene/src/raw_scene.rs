//! What every reader of scene files hands over, and how a scene comes of it.

use crate::origin::{Bounds, NEAR_ZERO_M};
use crate::scene::Scene;
use crate::tags::{NO_TAG, TagId, TagInterner};
use crate::weld::PointWelder;

/// What every reader hands over: all triangles of a file, as they came.
#[derive(Debug, Default)]
pub(crate) struct RawScene {
    /// Relative to the origin that the reader was given.
    pub(crate) points: Vec<[f32; 3]>,
    /// Indices of points; each is below `points.len()`.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// One per triangle, or empty when no triangle has a tag.
    pub(crate) tags: Vec<TagId>,
    pub(crate) names: TagInterner,
    /// Faces with fewer than three different corners.
    pub(crate) flat_faces: u64,
}

impl RawScene {
    /// Gives the triangles from `first` on a tag; call it after they were added.
    pub(crate) fn tag_from(&mut self, first: usize, tag: TagId) {
        if tag != NO_TAG && self.tags.is_empty() {
            self.tags.resize(first, NO_TAG);
        }
        if tag != NO_TAG || !self.tags.is_empty() {
            self.tags.resize(self.triangles.len(), tag);
        }
    }

    /// Whether all points are so near to zero that coordinates are counted from there. Looks at
    /// the points alone, which is much faster than looking at the corners of all triangles.
    pub(crate) fn is_near_zero(&self) -> bool {
        // Written so that NaN fails.
        self.points.iter().flatten().all(|c| f64::from(c.abs()) <= NEAR_ZERO_M)
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::around(&self.triangles, |i| self.points[i as usize].map(f64::from))
    }

    /// Joins equal points where there are so many that the file must be a soup: a mesh with shared
    /// corners has about half as many points as triangles.
    pub(crate) fn weld_soup(&mut self) {
        if self.points.len() <= self.triangles.len() {
            return;
        }
        let points = std::mem::take(&mut self.points);
        let mut welder = PointWelder::new();
        // There are no more points than before, so there is an index for each.
        let index: Vec<u32> =
            points.iter().map(|&p| welder.insert(p).unwrap_or_default()).collect();
        drop(points);
        for i in self.triangles.iter_mut().flatten() {
            *i = index[*i as usize];
        }
        self.points = welder.into_points();
    }

    pub(crate) fn into_scene(self, origin: [f64; 3]) -> Scene {
        let mut scene = Scene {
            origin,
            points: self.points,
            triangles: self.triangles,
            tags: self.tags,
            tag_names: self.names.into_names(),
            ..Scene::default()
        };
        scene.ignored.zero_area = self.flat_faces;
        scene.drop_invalid();
        scene.drop_unused_points();
        scene
    }
}
