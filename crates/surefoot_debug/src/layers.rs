//! A stage's result as coloured layers of triangles and lines.

use crate::colours::{self, ColourBy, Rgb};
use crate::glb::{GlbLayer, Primitive};
use surefoot_bake::{StageView, ViewFace};
use surefoot_mesh::CellKind;

/// The triangles of a face over the points of all its loops in order: those that it names, or a fan
/// around its first corner. Triangles that name a point the face does not have are left out.
pub(crate) fn triangles_of(face: &ViewFace) -> Vec<[u32; 3]> {
    let points: usize = face.loops.iter().map(Vec::len).sum();
    if !face.triangles.is_empty() {
        let inside = |t: &&[u32; 3]| t.iter().all(|&i| (i as usize) < points);
        return face.triangles.iter().filter(inside).copied().collect();
    }
    let corners = face.loops.first().map_or(0, Vec::len) as u32;
    (2..corners).map(|i| [0, i - 1, i]).collect()
}

/// The points of all loops of a face in order.
pub(crate) fn points_of(face: &ViewFace) -> impl Iterator<Item = [f64; 3]> + '_ {
    face.loops.iter().flatten().copied()
}

/// Twice the area vector of a face, in square metres, in the user's frame.
fn area_vector2(face: &ViewFace) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for l in &face.loops {
        let Some(&o) = l.first() else { continue };
        for pair in l.windows(2) {
            let a: [f64; 3] = std::array::from_fn(|k| pair[0][k] - o[k]);
            let b: [f64; 3] = std::array::from_fn(|k| pair[1][k] - o[k]);
            sum[0] += a[1] * b[2] - a[2] * b[1];
            sum[1] += a[2] * b[0] - a[0] * b[2];
            sum[2] += a[0] * b[1] - a[1] * b[0];
        }
    }
    sum
}

/// The colour of every face of a view.
pub(crate) fn face_colours(view: &StageView, by: ColourBy) -> Vec<Rgb> {
    let components = view.faces.iter().filter_map(|f| f.component).max().map_or(0, |m| m + 1);
    // A component's number comes from a pipeline; more numbers than faces would be nonsense.
    if by == ColourBy::Kind || components == 0 || components as usize > view.faces.len() {
        return view.faces.iter().map(|f| colours::kind_colour(f.kind)).collect();
    }
    let mut sizes = vec![0.0; components as usize];
    for face in &view.faces {
        if let Some(component) = face.component {
            let n = area_vector2(face);
            sizes[component as usize] += 0.5 * (0..3).map(|k| n[k] * view.up[k]).sum::<f64>().abs();
        }
    }
    let ranks = colours::rank_components(&sizes);
    view.faces
        .iter()
        .map(|f| match f.component {
            Some(c) if f.kind != CellKind::Gap => colours::component_colour(ranks[c as usize]),
            _ => colours::kind_colour(f.kind),
        })
        .collect()
}

/// Faces and edges of a view as two layers, `faces` and `edges`. Edges are coloured by their class.
#[must_use]
pub fn view_layers(view: &StageView, by: ColourBy) -> Vec<GlbLayer> {
    let mut faces = GlbLayer::new("faces", Primitive::Triangles);
    for (face, colour) in view.faces.iter().zip(face_colours(view, by)) {
        let base = faces.points.len() as u32;
        for point in points_of(face) {
            faces.push(point, colour);
        }
        faces.indices.extend(triangles_of(face).iter().flatten().map(|i| base + i));
    }
    let mut edges = GlbLayer::new("edges", Primitive::Lines);
    for edge in &view.edges {
        let colour = colours::class_colour(edge.class);
        let from = edges.push(edge.from, colour);
        let to = edges.push(edge.to, colour);
        edges.indices.extend([from, to]);
    }
    vec![faces, edges]
}

/// A path as a layer of lines.
#[must_use]
pub fn path_layer(points: &[[f64; 3]]) -> GlbLayer {
    let mut layer = GlbLayer::new("path", Primitive::Lines);
    for &point in points {
        let index = layer.push(point, colours::PATH);
        if index > 0 {
            layer.indices.extend([index - 1, index]);
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_mesh::{AreaId, CellKind};

    fn square(component: u32, side: f64) -> ViewFace {
        ViewFace {
            loops: vec![vec![[0.0; 3], [side, 0.0, 0.0], [side, 0.0, -side], [0.0, 0.0, -side]]],
            triangles: Vec::new(),
            kind: CellKind::Ground,
            area: AreaId(0),
            component: Some(component),
        }
    }

    #[test]
    fn a_convex_face_becomes_a_fan_and_wrong_triangles_are_left_out() {
        let mut face = square(0, 1.0);
        assert_eq!(triangles_of(&face), vec![[0, 1, 2], [0, 2, 3]]);
        face.triangles = vec![[0, 1, 2], [0, 1, 9]];
        assert_eq!(triangles_of(&face), vec![[0, 1, 2]]);
    }

    #[test]
    fn the_larger_component_takes_the_first_hue() {
        let view = StageView {
            up: [0.0, 1.0, 0.0],
            faces: vec![square(0, 1.0), square(1, 3.0)],
            ..StageView::default()
        };
        let colours = face_colours(&view, ColourBy::Component);
        assert_eq!(colours[1], colours::component_colour(0));
        assert_eq!(colours[0], colours::component_colour(1));
        let layers = view_layers(&view, ColourBy::Kind);
        assert_eq!(layers[0].indices.len(), 12);
    }
}
