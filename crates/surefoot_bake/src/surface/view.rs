//! A surface as a person would look at it.

use crate::surface::face::Face;
use crate::surface::plane::plan_m;
use crate::surface::walkable_surface::WalkableSurface;
use crate::view::{StageView, ViewEdge, ViewFace};
use surefoot_geom::triangulate::triangulate_polygon;
use surefoot_geom::{Frame, LatticePoint};

/// Faces as a person would look at them, each with the number of the connected piece it belongs to.
pub(crate) fn view_of<T: Copy>(
    frame: &Frame,
    faces: &[Face<T>],
    components: impl IntoIterator<Item = u32>,
) -> StageView {
    let mut view = StageView { up: frame.up(), ..StageView::default() };
    for (face, component) in faces.iter().zip(components) {
        let at = |p: LatticePoint| {
            frame.user_from_canonical(plan_m(p).extend(face.plane.height_at(p)).to_array())
        };
        let polygon = face.polygon();
        let convex = polygon.contours.len() == 1 && polygon.contours[0].len() == 3;
        view.faces.push(ViewFace {
            loops: polygon.contours.iter().map(|c| c.iter().map(|p| at(*p)).collect()).collect(),
            triangles: if convex {
                Vec::new()
            } else {
                triangulate_polygon(&polygon).unwrap_or_default()
            },
            kind: face.kind,
            area: face.area,
            component: Some(component),
        });
        for (e, end) in face.edges() {
            view.edges.push(ViewEdge { from: at(e.from), to: at(end), class: e.class });
        }
    }
    view
}

impl WalkableSurface {
    /// What a person would look at.
    #[must_use]
    pub(crate) fn view(&self) -> StageView {
        view_of(&self.frame, &self.faces, self.components().0)
    }
}
