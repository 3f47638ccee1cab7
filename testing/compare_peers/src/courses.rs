//! The same cells for several searches.
//!
//! In go Recast's polygons or a mesh of our own; out come the meshes that Surefoot, Detour and
//! polyanya search, cell for cell the same, and random pairs of points on them.

use crate::recast::RecastMesh;
use navmesh_rs::detour::{self, NavMeshCreateParams};
use surefoot_geom::DisjointSets;
use surefoot_mesh::{
    Agent, CellId, FromPolygonsError, NavMesh, NavMeshData, Query, ValidateError, VertexId,
};
use thiserror::Error;

/// A pair of points, from and to.
pub type Pair = [[f64; 3]; 2];

/// Why there is no mesh to search.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CourseError {
    /// The polygons make no mesh.
    #[error("the polygons make no mesh: {0}")]
    Polygons(#[from] FromPolygonsError),
    /// The mesh is not valid.
    #[error("the polygons make a mesh that is not valid: {0}")]
    Mesh(#[from] ValidateError),
    /// Detour refuses the tile.
    #[error("Detour refuses the tile: {0:?}")]
    Detour(navmesh_rs::Error),
    /// polyanya refuses the cells.
    #[error("polyanya refuses the cells: {0}")]
    Polyanya(String),
}

/// Recast's polygons as a mesh of our own, with Y up.
pub fn own_mesh(built: &RecastMesh) -> Result<NavMesh, CourseError> {
    let polygons = built.polygons();
    let agent = built.settings.agent;
    let up = [0.0, 1.0, 0.0];
    let data = NavMeshData::from_polygons(&polygons.points, &polygons.corners, agent, up)?;
    Ok(data.validate()?)
}

/// Recast's polygons as Detour searches them.
pub fn detour_mesh(built: &RecastMesh) -> Result<detour::NavMesh, CourseError> {
    let (mesh, detail) = (&built.mesh, &built.detail);
    let Agent { height_m, radius_m, max_step_m, .. } = built.settings.agent;
    let flags = vec![1_u16; mesh.npolys as usize];
    let tile = detour::create_nav_mesh_data(&NavMeshCreateParams {
        verts: &mesh.verts,
        vert_count: mesh.nverts,
        polys: &mesh.polys,
        poly_flags: &flags,
        poly_areas: &mesh.areas,
        poly_count: mesh.npolys,
        nvp: mesh.nvp,
        detail_meshes: &detail.meshes,
        detail_verts: &detail.verts,
        detail_verts_count: (detail.verts.len() / 3) as i32,
        detail_tris: &detail.tris,
        detail_tri_count: (detail.tris.len() / 4) as i32,
        bmin: mesh.bmin,
        bmax: mesh.bmax,
        walkable_height: height_m as f32,
        walkable_radius: radius_m as f32,
        walkable_climb: max_step_m as f32,
        cs: mesh.cs,
        ch: mesh.ch,
        build_bv_tree: true,
        ..NavMeshCreateParams::default()
    })
    .map_err(CourseError::Detour)?;
    Ok(detour::NavMesh::new_single(tile).map_err(CourseError::Detour)?.0)
}

/// The plan of a point: two axes of which up is no part, turning as the cells do.
#[must_use]
pub fn plan(mesh: &NavMesh, point: [f64; 3]) -> [f32; 2] {
    let axes = mesh.frame().axes();
    let along = |axis: [f64; 3]| (0..3).map(|k| axis[k] * point[k]).sum::<f64>() as f32;
    [along(axes[0]), along(axes[1])]
}

/// The cells of a mesh as polyanya searches them, in plan. Vertices on the two sides of a step are
/// one.
pub fn polyanya_mesh(mesh: &NavMesh) -> Result<polyanya::Mesh, CourseError> {
    let mut same = DisjointSets::new(mesh.vertex_count());
    let data = mesh.data();
    let first = &data.cell_first_edges;
    let mut next = vec![0_u32; data.edge_vertices.len()];
    for cell in 0..mesh.cell_count() {
        for e in first[cell]..first[cell + 1] {
            next[e as usize] = if e + 1 == first[cell + 1] { first[cell] } else { e + 1 };
        }
    }
    for (e, &twin) in data.edge_twins.iter().enumerate() {
        if twin != surefoot_mesh::NO_EDGE {
            let (a, b) =
                (data.edge_vertices[e].0, data.edge_vertices[next[twin as usize] as usize].0);
            same.join(a, b);
        }
    }
    let mut vertices: Vec<polyanya::Vertex> = (0..mesh.vertex_count() as u32)
        .map(|v| {
            let at = plan(mesh, mesh.vertex_position(VertexId(v)));
            polyanya::Vertex::new(at.into(), Vec::new())
        })
        .collect();
    let mut polygons = Vec::with_capacity(mesh.cell_count());
    for cell in 0..mesh.cell_count() {
        let mut corners = Vec::new();
        for e in first[cell]..first[cell + 1] {
            let v = same.find(data.edge_vertices[e as usize].0);
            corners.push(v);
            let around = &mut vertices[v as usize];
            around.polygons.push(cell as u32);
            let before = if e == first[cell] { first[cell + 1] - 1 } else { e - 1 };
            let border =
                [e, before].iter().any(|&e| data.edge_twins[e as usize] == surefoot_mesh::NO_EDGE);
            if border && !around.is_corner {
                around.is_corner = true;
                around.polygons.push(u32::MAX);
            }
        }
        polygons.push(polyanya::Polygon::new(corners, false));
    }
    let mut own = polyanya::Mesh::new(vertices, polygons)
        .map_err(|e| CourseError::Polyanya(e.to_string()))?;
    own.bake();
    Ok(own)
}

/// A point as polyanya takes it, if it takes it for one of this cell: it knows no heights, so where
/// cells lie over one another it may take another.
#[must_use]
pub fn polyanya_point(
    own: &polyanya::Mesh,
    at: [f32; 2],
    cell: CellId,
) -> Option<polyanya::Coords> {
    own.get_closest_point(polyanya::Coords::on_mesh(at.into())).filter(|c| c.polygon() == cell.0)
}

/// Numbers that look random, from 0 to 1 (Knuth's multiplier).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn share(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Random pairs of points, uniform over the area that the query sees.
pub fn random_pairs(query: &mut Query<'_>, count: usize, random: &mut Random) -> Vec<Pair> {
    let mut point = || query.random_point(|| random.share()).map(|p| p.point);
    (0..count).map_while(|_| Some([point()?, point()?])).collect()
}
