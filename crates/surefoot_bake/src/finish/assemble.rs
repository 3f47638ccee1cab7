//! From cells to the plain form of a navigation mesh.
//!
//! Goes in: cells with corner heights and neighbours. Comes out: flat arrays. Corners at one plan
//! point whose heights agree become one vertex; across a step each side keeps its own.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::finish::partition::PartitionedSurface;
use crate::ids::CellEdgeId;
use crate::settings::PartitionSettings;
use crate::surface::plan_m;
use crate::view::{FaceLook, StageView};
use glam::DVec3;
use surefoot_geom::LatticePoint;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::{Agent, BuildInfo, EdgeClass, NO_EDGE, NavMeshData, TagRules, VertexId};

/// Corners whose heights differ by less are one vertex, in metres.
const SAME_HEIGHT_M: f64 = 2e-3;

pub(crate) fn assemble(
    surface: &PartitionedSurface,
    agent: &Agent,
    settings: &PartitionSettings,
    (build, tag_rules): (BuildInfo, TagRules),
    context: &mut StageContext<'_>,
) -> Result<NavMeshData, BakeError> {
    let count: usize = surface.cells.iter().map(|c| c.edges.len()).sum();
    if count >= u32::MAX as usize {
        return Err(BakeError::TooLarge { what: "edges", count });
    }
    let mut corners: Vec<(LatticePoint, f64, u32)> = Vec::with_capacity(count);
    let mut data = NavMeshData {
        agent: *agent,
        frame: surface.frame,
        convex_distance_m: settings.convex_distance_m,
        vertex_points: Vec::new(),
        vertex_heights_m: Vec::new(),
        cell_first_edges: vec![0],
        cell_kinds: Vec::with_capacity(surface.cells.len()),
        cell_areas: Vec::with_capacity(surface.cells.len()),
        edge_vertices: vec![VertexId(0); count],
        edge_twins: Vec::with_capacity(count),
        edge_classes: Vec::with_capacity(count),
        links: Vec::new(),
        area_names: surface.area_names.clone(),
        build: Some(build),
        tag_rules,
    };
    for cell in &surface.cells {
        for e in &cell.edges {
            corners.push((e.from, e.height_m, data.edge_twins.len() as u32));
            data.edge_twins.push(e.twin.map_or(NO_EDGE, CellEdgeId::number));
            data.edge_classes.push(e.class);
        }
        data.cell_first_edges.push(data.edge_twins.len() as u32);
        data.cell_kinds.push(cell.kind);
        data.cell_areas.push(cell.area);
    }
    corners
        .par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    for group in corners.chunk_by(|a, b| a.0 == b.0 && b.1 - a.1 <= SAME_HEIGHT_M) {
        let id = VertexId(data.vertex_points.len() as u32);
        let middle = 0.5 * (group[0].1 + group[group.len() - 1].1);
        data.vertex_points.push(group[0].0);
        data.vertex_heights_m.push(middle as f32);
        for corner in group {
            data.edge_vertices[corner.2 as usize] = id;
        }
    }
    level_low_steps(&mut data);
    context.count("vertices", data.vertex_points.len());
    Ok(data)
}

/// The cells of a mesh that has not been checked.
pub(crate) fn view(data: &NavMeshData) -> StageView {
    let mut view = StageView::in_frame(&data.frame);
    for (cell, ends) in data.cell_first_edges.windows(2).enumerate() {
        let edges = ends[0] as usize..ends[1] as usize;
        let corners: Vec<DVec3> = data.edge_vertices[edges.clone()]
            .iter()
            .map(|v| {
                let height_m = f64::from(data.vertex_heights_m[v.index()]);
                plan_m(data.vertex_points[v.index()]).extend(height_m)
            })
            .collect();
        let look = FaceLook {
            kind: data.cell_kinds[cell],
            area: data.cell_areas[cell],
            component: Some(cell as u32),
        };
        view.add_face(&data.frame, &corners, look);
        for (k, class) in data.edge_classes[edges].iter().enumerate() {
            view.add_edge(&data.frame, [corners[k], corners[(k + 1) % corners.len()]], *class);
        }
    }
    view
}

/// A step so low that both its sides have the same vertices is none.
fn level_low_steps(data: &mut NavMeshData) {
    let mut next = vec![0_u32; data.edge_vertices.len()];
    for ends in data.cell_first_edges.windows(2) {
        for e in ends[0]..ends[1] {
            next[e as usize] = if e + 1 < ends[1] { e + 1 } else { ends[0] };
        }
    }
    for e in 0..data.edge_twins.len() {
        let twin = data.edge_twins[e];
        if twin != NO_EDGE
            && data.edge_classes[e] == EdgeClass::Step
            && data.edge_vertices[e] == data.edge_vertices[next[twin as usize] as usize]
            && data.edge_vertices[next[e] as usize] == data.edge_vertices[twin as usize]
        {
            data.edge_classes[e] = EdgeClass::Inner;
        }
    }
}
