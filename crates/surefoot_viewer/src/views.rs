//! Scenes, meshes and stages as blocks of arrays for the page.
//!
//! Positions are `f32` around an origin that the block names, so that a level far from zero is drawn
//! without shaking. A mesh and a stage have the same form: faces with corners of their own, so that
//! each can be coloured alone, and edges with the class of what lies there.

use crate::pack::Pack;
use glam::Vec3;
use serde_json::json;
use surefoot_bake::StageView;
use surefoot_mesh::{EdgeClass, NO_EDGE, NavMesh, VertexId};
use surefoot_scene::Scene;

/// Relative to an origin.
fn local(at: [f64; 3], origin: [f64; 3]) -> [f32; 3] {
    std::array::from_fn(|k| (at[k] - origin[k]) as f32)
}

/// A scene's triangles.
pub(crate) fn pack_scene(scene: &Scene) -> Vec<u8> {
    let mut pack = Pack::default();
    pack.points("positions", scene.points());
    pack.u32("indices", scene.triangles().as_flattened());
    if !scene.tag_names().is_empty() {
        let tags: Vec<u16> = (0..scene.triangle_count()).map(|i| scene.tag(i).0).collect();
        pack.u16("tags", &tags);
    }
    pack.finish(&json!({ "origin": scene.origin(), "tag_names": scene.tag_names() }))
}

/// Faces and edges on their way into a block.
#[derive(Default)]
struct Faces {
    positions: Vec<[f32; 3]>,
    indices: Vec<u32>,
    /// The first corner of every face, and the number of corners at the end.
    first_corners: Vec<u32>,
    kinds: Vec<u8>,
    areas: Vec<u16>,
    components: Vec<u32>,
    edge_positions: Vec<[f32; 3]>,
    edge_classes: Vec<u8>,
}

impl Faces {
    fn into_pack(mut self) -> Pack {
        self.first_corners.push(self.positions.len() as u32);
        let mut pack = Pack::default();
        pack.points("positions", &self.positions);
        pack.u32("indices", &self.indices);
        pack.u32("first_corners", &self.first_corners);
        pack.u8("kinds", &self.kinds);
        pack.u16("areas", &self.areas);
        pack.u32("components", &self.components);
        pack.points("edge_positions", &self.edge_positions);
        pack.u8("edge_classes", &self.edge_classes);
        pack
    }
}

/// The components of a mesh ranked by area, the largest first: a rank for every component.
fn component_ranks(mesh: &NavMesh) -> Vec<u32> {
    let mut areas = vec![0.0; mesh.component_count()];
    for cell in mesh.cells() {
        areas[mesh.cell_component(cell) as usize] += mesh.cell_area_m2(cell);
    }
    let mut order: Vec<usize> = (0..areas.len()).collect();
    order.sort_by(|&a, &b| areas[b].total_cmp(&areas[a]).then(a.cmp(&b)));
    let mut ranks = vec![0; areas.len()];
    for (rank, &component) in order.iter().enumerate() {
        ranks[component] = rank as u32;
    }
    ranks
}

/// A finished mesh. Components are given by their rank in size.
pub(crate) fn pack_mesh(mesh: &NavMesh, layers: &[u16], origin: [f64; 3]) -> Vec<u8> {
    let data = mesh.data();
    let at = |v: VertexId| local(mesh.vertex_position(v), origin);
    let ranks = component_ranks(mesh);
    let mut faces = Faces::default();
    let mut edge_faces: Vec<u32> = Vec::new();
    let mut triangles: Vec<[VertexId; 3]> = Vec::new();
    let mut corners: Vec<VertexId> = Vec::new();
    // Where in its cell each vertex of the cell at hand stands.
    let mut places = vec![0_u32; mesh.vertex_count()];
    for cell in mesh.cells() {
        let first = faces.positions.len() as u32;
        faces.first_corners.push(first);
        corners.clear();
        corners.extend(mesh.cell_vertices(cell));
        faces.positions.extend(corners.iter().map(|&v| at(v)));
        triangles.clear();
        mesh.cell_triangles(cell, &mut triangles);
        // From the last on, so that of a vertex that comes twice the first place counts.
        for (i, v) in corners.iter().enumerate().rev() {
            places[v.index()] = i as u32;
        }
        let place = |v: VertexId| first + places[v.index()];
        faces.indices.extend(triangles.iter().flatten().map(|&v| place(v)));
        faces.kinds.push(mesh.cell_kind(cell) as u8);
        faces.areas.push(mesh.cell_area_type(cell).0);
        faces.components.push(ranks[mesh.cell_component(cell) as usize]);
        for (i, edge) in mesh.cell_edges(cell).enumerate() {
            let class = mesh.edge_class(edge);
            let twin = data.edge_twins[edge.index()];
            // Between two cells at one height the edge is drawn once.
            if class == EdgeClass::Inner && twin != NO_EDGE && twin < edge.0 {
                continue;
            }
            faces.edge_positions.push(at(corners[i]));
            faces.edge_positions.push(at(corners[(i + 1) % corners.len()]));
            faces.edge_classes.push(class as u8);
            edge_faces.push(cell.0);
        }
    }
    let areas_m2: Vec<f32> = mesh.cells().map(|c| mesh.cell_area_m2(c) as f32).collect();
    let mut link_positions = Vec::new();
    let mut link_kinds = Vec::new();
    for link in mesh.links() {
        for [a, b] in [link.from_segment, link.to_segment] {
            let middle = 0.5 * (Vec3::from(a).as_dvec3() + Vec3::from(b).as_dvec3());
            link_positions.push(local(mesh.frame().user_from_canonical(middle.to_array()), origin));
        }
        link_kinds.push(link.kind as u8);
    }
    let mut pack = faces.into_pack();
    pack.u16("layers", layers);
    pack.u32("edge_faces", &edge_faces);
    pack.f32("areas_m2", &areas_m2);
    pack.points("link_positions", &link_positions);
    pack.u8("link_kinds", &link_kinds);
    pack.finish(&json!({ "origin": origin, "up": mesh.frame().up() }))
}

/// A stage's result.
pub(crate) fn pack_stage(view: &StageView, origin: [f64; 3]) -> Vec<u8> {
    let mut faces = Faces::default();
    for face in &view.faces {
        let first = faces.positions.len() as u32;
        faces.first_corners.push(first);
        faces.positions.extend(face.loops.iter().flatten().map(|&p| local(p, origin)));
        let corners = faces.positions.len() as u32 - first;
        if face.triangles.is_empty() {
            let outer = face.loops.first().map_or(0, Vec::len) as u32;
            faces.indices.extend((2..outer).flat_map(|i| [first, first + i - 1, first + i]));
        } else {
            let sound = face.triangles.iter().filter(|t| t.iter().all(|&i| i < corners));
            faces.indices.extend(sound.flatten().map(|i| first + i));
        }
        faces.kinds.push(face.kind as u8);
        faces.areas.push(face.area.0);
        faces.components.push(face.component.unwrap_or(u32::MAX));
    }
    for edge in &view.edges {
        faces.edge_positions.push(local(edge.from, origin));
        faces.edge_positions.push(local(edge.to, origin));
        faces.edge_classes.push(edge.class as u8);
    }
    faces.into_pack().finish(&json!({ "origin": origin, "up": view.up }))
}
