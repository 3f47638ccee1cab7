//! From cells to the plain form of a navigation mesh.
//!
//! Goes in: cells with corner heights and neighbours. Comes out: flat arrays. Corners at one plan
//! point whose heights agree become one vertex; across a step each side keeps its own.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::partition::PartitionedSurface;
use crate::settings::Resolved;
use rayon::prelude::*;
use surefoot_geom::LatticePoint;
use surefoot_mesh::{EdgeClass, NO_EDGE, NavMeshData, VertexId};

/// Corners whose heights differ by less are one vertex, in metres.
const SAME_HEIGHT_M: f64 = 2e-3;

pub(crate) fn assemble(
    surface: &PartitionedSurface,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<NavMeshData, BakeError> {
    let count: usize = surface.cells.iter().map(|c| c.edges.len()).sum();
    if count >= u32::MAX as usize {
        return Err(BakeError::TooLarge { what: "edges", count });
    }
    let mut corners: Vec<(LatticePoint, f64, u32)> = Vec::with_capacity(count);
    let mut data = NavMeshData {
        agent: settings.agent,
        frame: surface.frame,
        convex_distance_m: settings.partition.convex_distance_m,
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
        build: Some(settings.build_info()),
    };
    for cell in &surface.cells {
        for e in &cell.edges {
            corners.push((e.from, e.height_m, data.edge_twins.len() as u32));
            data.edge_twins.push(e.twin);
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
    level_steps(&mut data);
    context.count("vertices", data.vertex_points.len());
    Ok(data)
}

/// A step whose sides have the same vertices is none: it was a border that cells may not cross.
fn level_steps(data: &mut NavMeshData) {
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
