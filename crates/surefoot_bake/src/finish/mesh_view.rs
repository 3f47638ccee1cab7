//! A navigation mesh as a person would look at it.

use crate::view::{StageView, ViewEdge, ViewFace};
use surefoot_mesh::{NO_EDGE, NavMesh, VertexId};

/// The cells of a mesh as faces and its edges by class, in the user's frame. An edge between two
/// cells at the same height appears once, a step edge once for each height.
#[must_use]
pub fn view_of_mesh(mesh: &NavMesh) -> StageView {
    let data = mesh.data();
    let mut triangles: Vec<[VertexId; 3]> = Vec::new();
    let faces = mesh
        .cells()
        .map(|cell| {
            let vertices: Vec<VertexId> = mesh.cell_vertices(cell).collect();
            triangles.clear();
            mesh.cell_triangles(cell, &mut triangles);
            let place = |v: &VertexId| vertices.iter().position(|w| w == v).unwrap_or(0) as u32;
            ViewFace {
                loops: vec![vertices.iter().map(|&v| mesh.vertex_position(v)).collect()],
                triangles: triangles
                    .iter()
                    .map(|t| [place(&t[0]), place(&t[1]), place(&t[2])])
                    .collect(),
                kind: mesh.cell_kind(cell),
                area: mesh.cell_area_type(cell),
                component: Some(mesh.cell_component(cell)),
            }
        })
        .collect();
    let mut edges = Vec::new();
    for cell in mesh.cells() {
        let run: Vec<_> = mesh.cell_edges(cell).collect();
        for (i, edge) in run.iter().enumerate() {
            let ends = [edge, &run[(i + 1) % run.len()]]
                .map(|e| mesh.vertex_position(data.edge_vertices[e.index()]));
            let twin = data.edge_twins[edge.index()];
            let class = mesh.edge_class(*edge);
            let again = class == surefoot_mesh::EdgeClass::Inner && twin < edge.0;
            if twin == NO_EDGE || !again {
                edges.push(ViewEdge { from: ends[0], to: ends[1], class });
            }
        }
    }
    StageView { up: mesh.frame().up(), faces, edges, counts: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_mesh::{Agent, NavMeshData};

    #[test]
    fn an_inner_edge_is_shown_once() {
        // Two squares side by side, Y up.
        let points = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 1.0],
            [2.0, 0.0, 1.0],
        ];
        let cells = [vec![0, 1, 4, 3], vec![1, 2, 5, 4]];
        let up = [0.0, 1.0, 0.0];
        let data = NavMeshData::from_polygons(&points, &cells, Agent::default(), up).unwrap();
        let mesh = data.validate().unwrap();
        let view = view_of_mesh(&mesh);
        assert_eq!(view.faces.len(), mesh.cell_count());
        let inner =
            view.edges.iter().filter(|e| e.class == surefoot_mesh::EdgeClass::Inner).count();
        assert_eq!(inner, 1);
        let triangles: usize = view.faces.iter().map(|f| f.triangles.len()).sum();
        assert_eq!(triangles, mesh.triangle_count());
    }
}
