//! Scenes from a program, triangle by triangle.
//!
//! Triangles in `f64` metres go in, each under the tag that is set at that moment; a [`Scene`]
//! comes out. Equal points are welded on the way, so a soup of triangles costs about 40 bytes a
//! triangle. Duplicate triangles are kept; triangles without a surface are left out and counted.

use crate::origin::{bounds_of, choose_origin};
use crate::scene::Scene;
use crate::tags::{NO_TAG, TagId, TagInterner};
use crate::weld::PointWelder;

/// Collects triangles into a [`Scene`].
///
/// ```
/// let mut builder = surefoot_scene::SceneBuilder::new();
/// builder.set_tag(Some("water"));
/// builder.triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
/// let scene = builder.finish();
/// assert_eq!(scene.tag_names()[usize::from(scene.tag(0).0)], "water");
/// ```
#[derive(Clone, Debug)]
pub struct SceneBuilder {
    points: PointWelder<f64>,
    triangles: Vec<[u32; 3]>,
    /// One per triangle, or empty as long as no triangle has a tag.
    tags: Vec<TagId>,
    names: TagInterner,
    /// The name to be interned with the next triangle.
    pending: Option<String>,
    current: TagId,
}

impl Default for SceneBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SceneBuilder {
    /// A builder without triangles; no tag is set.
    #[must_use]
    pub fn new() -> Self {
        Self {
            points: PointWelder::new(),
            triangles: Vec::new(),
            tags: Vec::new(),
            names: TagInterner::default(),
            pending: None,
            current: NO_TAG,
        }
    }

    /// Sets the tag of the triangles that follow; `None` or an empty name sets none. A name that
    /// no triangle comes under does not appear in the scene.
    pub fn set_tag(&mut self, name: Option<&str>) -> &mut Self {
        self.current = NO_TAG;
        self.pending = name.map(str::to_owned);
        self
    }

    /// Sets the tag of the triangles that follow.
    pub fn tag(&mut self, name: &str) -> &mut Self {
        self.set_tag(Some(name))
    }

    /// Adds a triangle: three corners in metres, counter-clockwise seen from its front.
    ///
    /// # Panics
    /// When the scene has more than 2³² − 1 different points.
    pub fn triangle(&mut self, corners: [[f64; 3]; 3]) -> &mut Self {
        if let Some(name) = self.pending.take() {
            self.current = self.names.intern(&name);
        }
        let corners = corners.map(|p| {
            self.points.insert(p).expect("a scene has at most 4,294,967,295 different points")
        });
        if self.current != NO_TAG && self.tags.is_empty() {
            self.tags.resize(self.triangles.len(), NO_TAG);
        }
        self.triangles.push(corners);
        if self.current != NO_TAG || !self.tags.is_empty() {
            self.tags.push(self.current);
        }
        self
    }

    /// Number of triangles so far, those without a surface counted.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The scene. Points that are equal as `f32` are one; triangles without a surface are left out
    /// and counted in [`Scene::ignored`]; all others are kept in order, duplicates too.
    #[must_use]
    pub fn finish(self) -> Scene {
        let points = self.points.into_points();
        let bounds = bounds_of(&self.triangles, |i| points[i as usize]);
        let origin = choose_origin(&bounds);
        // Points that differ as f64 may be equal as f32.
        let mut welder = PointWelder::<f32>::new();
        let index: Vec<u32> = points
            .iter()
            .map(|p| {
                let relative = std::array::from_fn(|k| (p[k] - origin[k]) as f32);
                // There are no more of them than before, so there is an index for each.
                welder.insert(relative).unwrap_or(0)
            })
            .collect();
        let mut scene = Scene {
            origin,
            points: welder.into_points(),
            triangles: self.triangles.iter().map(|t| t.map(|i| index[i as usize])).collect(),
            tags: self.tags,
            tag_names: self.names.into_names(),
            ..Scene::default()
        };
        scene.drop_invalid();
        scene.drop_unused_points();
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];

    #[test]
    fn points_are_welded_and_duplicates_kept() {
        let mut b = SceneBuilder::new();
        b.triangle(FLAT).triangle(FLAT);
        b.triangle([[0.0, -0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
        let scene = b.finish();
        assert_eq!(scene.triangle_count(), 3);
        assert_eq!(scene.points().len(), 4);
        assert_eq!(scene.triangles()[0], scene.triangles()[1]);
        assert!(crate::origin::is_same(scene.origin(), [0.0; 3]));
        assert!(scene.tag_names().is_empty());
    }

    #[test]
    fn invalid_triangles_are_dropped_and_counted_with_their_points() {
        let mut b = SceneBuilder::new();
        b.tag("bad").triangle([[9.0; 3], [9.0; 3], [8.0; 3]]);
        b.tag("good").triangle(FLAT);
        b.triangle([[f64::NAN, 0.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]]);
        let scene = b.finish();
        assert_eq!(scene.triangle_count(), 1);
        assert_eq!(scene.ignored().zero_area, 1);
        assert_eq!(scene.ignored().non_finite, 1);
        assert_eq!(scene.points().len(), 3);
        assert_eq!(scene.tag_names()[usize::from(scene.tag(0).0)], "good");
    }

    #[test]
    fn tags_follow_the_triangles() {
        let mut b = SceneBuilder::new();
        b.triangle(FLAT);
        b.set_tag(Some("unused")).set_tag(Some("water"));
        b.triangle(FLAT);
        b.set_tag(None).triangle(FLAT);
        b.set_tag(Some("road")).triangle(FLAT);
        b.set_tag(Some("water")).triangle(FLAT);
        let scene = b.finish();
        let tags: Vec<_> = (0..5).map(|i| scene.tag(i)).collect();
        assert_eq!(tags, [NO_TAG, TagId(0), NO_TAG, TagId(1), TagId(0)]);
        assert_eq!(scene.tag_names(), ["water", "road"]);
    }

    #[test]
    fn far_from_zero_nothing_is_lost() {
        let mut b = SceneBuilder::new();
        let far = [4_500_000.0, 120.0, 5_300_000.0];
        b.triangle(FLAT.map(|p| std::array::from_fn(|k| p[k] * 0.001 + far[k])));
        let scene = b.finish();
        assert_eq!(scene.triangle_count(), 1);
        let p = scene.point(scene.triangles()[0][2]);
        assert!((p[0] - 4_500_000.001).abs() < 1e-9, "{p:?}");
    }
}
