//! What every reader of scene files hands over, and how a scene comes of it.

use crate::origin::{NEAR_ZERO_M, bounds_of};
use crate::scene::Scene;
use crate::tags::{NO_TAG, TagId, TagInterner};
use crate::weld::PointWelder;
use surefoot_geom::Bounds;

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
        bounds_of(&self.triangles, |i| self.points[i as usize].map(f64::from))
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

/// The longest part of a tag that is kept, in bytes. Without it a small file could combine a few
/// huge names into gigabytes of tags.
const MAX_NAME_BYTES: usize = 256;

/// Joins the names that apply to a triangle into its tag; missing and empty ones are left out.
pub(crate) fn join_names<'a>(names: impl IntoIterator<Item = Option<&'a str>>) -> String {
    let mut path = String::new();
    for name in names.into_iter().flatten().filter(|name| !name.is_empty()) {
        if !path.is_empty() {
            path.push('/');
        }
        let mut end = name.len().min(MAX_NAME_BYTES);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        path.push_str(&name[..end]);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_names_are_left_out() {
        assert_eq!(join_names([Some("a"), None, Some(""), Some("b c")]), "a/b c");
        assert_eq!(join_names([None, None]), "");
    }

    #[test]
    fn endless_names_are_cut() {
        let long = "ä".repeat(1000);
        let path = join_names([Some(long.as_str()), Some("b")]);
        assert_eq!(path.len(), MAX_NAME_BYTES + 2);
        assert!(path.ends_with("ä/b"));
        assert_eq!(join_names([Some(format!("x{long}").as_str())]).len(), MAX_NAME_BYTES - 1);
    }
}
