//! The navigation mesh: checked data with all that queries need beside it.
//!
//! A [`NavMesh`] can only come from [`NavMeshData::validate`], so holding one is the proof that its
//! structure is sound. It never changes, and any number of threads may ask it at once.

use crate::agent::Agent;
use crate::data::{
    AreaId, CellId, CellKind, EdgeClass, EdgeId, Link, LinkId, NO_EDGE, NavMeshData, VertexId,
};
use crate::ground::Ground;
use crate::pieces::Pieces;
use glam::{DVec2, DVec3};
use surefoot_geom::DisjointSets;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_geom::predicates::orient;
use surefoot_geom::{Bounds, Frame, LatticePoint};

/// A navigation mesh whose structure is known to be sound.
#[derive(Clone, Debug)]
pub struct NavMesh {
    data: NavMeshData,
    pub(crate) ground: Ground,
    cell_components: Vec<u32>,
    component_count: u32,
    area_m2: f64,
    gap_area_m2: f64,
    bounds: Option<Bounds>,
    one_way_links: bool,
}

/// What a mesh holds, counted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshSummary {
    /// Cells.
    pub cells: usize,
    /// Triangles, if every cell were cut into as few as possible.
    pub triangles: usize,
    /// Vertices.
    pub vertices: usize,
    /// The area of all cells along the horizontal plane, in square metres.
    pub area_m2: f64,
    /// The part of it that fills gaps.
    pub gap_area_m2: f64,
    /// Sets of cells joined by edges or links.
    pub components: usize,
    /// Links.
    pub links: usize,
    /// The box around the mesh; `None` when it has no cell.
    pub bounds: Option<Bounds>,
}

impl NavMesh {
    /// Works out everything that follows from checked data.
    pub(crate) fn prepare(data: NavMeshData, pieces: Pieces) -> Self {
        let (cell_components, component_count) = components(&data);
        let mut mesh = Self {
            one_way_links: data.links.iter().any(|l| !l.two_way),
            data,
            ground: Ground::new(pieces),
            cell_components,
            component_count,
            area_m2: 0.0,
            gap_area_m2: 0.0,
            bounds: None,
        };
        let (mut area2, mut gap_area2) = (0_i128, 0_i128);
        for cell in mesh.cells() {
            let cell_area2 = mesh.cell_area2(cell);
            area2 += cell_area2;
            if mesh.cell_kind(cell) == CellKind::Gap {
                gap_area2 += cell_area2;
            }
        }
        mesh.area_m2 = area2 as f64 * HALF_M2_PER_UNIT2;
        mesh.gap_area_m2 = gap_area2 as f64 * HALF_M2_PER_UNIT2;
        mesh.bounds = mesh.find_bounds();
        mesh
    }

    /// The plain data.
    #[must_use]
    pub fn data(&self) -> &NavMeshData {
        &self.data
    }

    /// Gives the plain data back, to change it and validate it again.
    #[must_use]
    pub fn into_data(self) -> NavMeshData {
        self.data
    }

    /// The agent that the mesh was built for.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.data.agent
    }

    /// Between the user's frame and the mesh's.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.data.frame
    }

    /// Number of cells.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.data.cell_kinds.len()
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.data.vertex_points.len()
    }

    /// Number of triangles, if every cell were cut into as few as possible.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.data.edge_vertices.len() - 2 * self.cell_count()
    }

    /// The area of all cells along the horizontal plane, in square metres.
    #[must_use]
    pub fn area_m2(&self) -> f64 {
        self.area_m2
    }

    /// The area of the cells that fill gaps, in square metres.
    #[must_use]
    pub fn gap_area_m2(&self) -> f64 {
        self.gap_area_m2
    }

    /// Number of components: sets of cells joined by edges or links. A one-way link joins like any
    /// other here, so two cells of different components can reach each other in neither direction.
    #[must_use]
    pub fn component_count(&self) -> usize {
        self.component_count as usize
    }

    /// The links, each at the index that its id says.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.data.links
    }

    /// A link.
    #[must_use]
    pub fn link(&self, link: LinkId) -> &Link {
        &self.data.links[link.index()]
    }

    /// The box around the mesh in the user's frame; `None` when it has no cell. For an up that is
    /// not along an axis it is the box around the canonical box's corners.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// All counts at once.
    #[must_use]
    pub fn summary(&self) -> MeshSummary {
        MeshSummary {
            cells: self.cell_count(),
            triangles: self.triangle_count(),
            vertices: self.vertex_count(),
            area_m2: self.area_m2,
            gap_area_m2: self.gap_area_m2,
            components: self.component_count(),
            links: self.links().len(),
            bounds: self.bounds,
        }
    }

    /// All cells.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = CellId> + use<> {
        (0..self.cell_count() as u32).map(CellId)
    }

    /// The edges of a cell, counter-clockwise. Panics for a cell of another mesh, as all functions
    /// that take an id do.
    pub fn cell_edges(&self, cell: CellId) -> impl ExactSizeIterator<Item = EdgeId> + use<> {
        let first = &self.data.cell_first_edges;
        (first[cell.index()]..first[cell.index() + 1]).map(EdgeId)
    }

    /// The vertices of a cell, counter-clockwise.
    pub fn cell_vertices(&self, cell: CellId) -> impl ExactSizeIterator<Item = VertexId> + '_ {
        self.cell_edges(cell).map(|e| self.data.edge_vertices[e.index()])
    }

    /// The neighbours of a cell with the edges they are reached through, in the order of the edges.
    /// A cell appears once for every edge that the two share.
    pub fn neighbours(&self, cell: CellId) -> impl Iterator<Item = (EdgeId, CellId)> + '_ {
        self.cell_edges(cell).filter_map(|e| Some((e, self.neighbour(e)?)))
    }

    /// The cell on the other side of an edge.
    #[must_use]
    pub fn neighbour(&self, edge: EdgeId) -> Option<CellId> {
        let twin = self.data.edge_twins[edge.index()];
        (twin != NO_EDGE).then(|| self.edge_cell(EdgeId(twin)))
    }

    /// The cell that an edge belongs to.
    #[must_use]
    pub fn edge_cell(&self, edge: EdgeId) -> CellId {
        let piece_edge = self.ground.pieces.of_mesh_edges[edge.index()];
        let piece = self.ground.pieces.edge_pieces[piece_edge as usize];
        CellId(self.ground.pieces.cells[piece as usize])
    }

    /// What lies at an edge.
    #[must_use]
    pub fn edge_class(&self, edge: EdgeId) -> EdgeClass {
        self.data.edge_classes[edge.index()]
    }

    /// What a cell is made of.
    #[must_use]
    pub fn cell_kind(&self, cell: CellId) -> CellKind {
        self.data.cell_kinds[cell.index()]
    }

    /// The area type of a cell.
    #[must_use]
    pub fn cell_area_type(&self, cell: CellId) -> AreaId {
        self.data.cell_areas[cell.index()]
    }

    /// The name of an area type.
    #[must_use]
    pub fn area_name(&self, area: AreaId) -> &str {
        &self.data.area_names[area.index()]
    }

    /// The area type of this name.
    #[must_use]
    pub fn area_named(&self, name: &str) -> Option<AreaId> {
        self.data.area_names.iter().position(|n| n == name).map(|i| AreaId(i as u16))
    }

    /// The component of a cell, counted from zero in the order of their first cells.
    #[must_use]
    pub fn cell_component(&self, cell: CellId) -> u32 {
        self.cell_components[cell.index()]
    }

    /// Whether a way between two cells can exist, in constant time: `false` is certain. `true` is
    /// certain too, unless the mesh has one-way links ([`NavMesh::has_one_way_links`]).
    #[must_use]
    pub fn connected(&self, a: CellId, b: CellId) -> bool {
        self.cell_component(a) == self.cell_component(b)
    }

    /// Whether some link leads one way only.
    #[must_use]
    pub fn has_one_way_links(&self) -> bool {
        self.one_way_links
    }

    /// The area of a cell along the horizontal plane, in square metres.
    #[must_use]
    pub fn cell_area_m2(&self, cell: CellId) -> f64 {
        self.cell_area2(cell) as f64 * HALF_M2_PER_UNIT2
    }

    /// Where a vertex is, in the user's frame.
    #[must_use]
    pub fn vertex_position(&self, vertex: VertexId) -> [f64; 3] {
        let [x, y] = self.data.vertex_points[vertex.index()].to_m();
        let z = f64::from(self.data.vertex_heights_m[vertex.index()]);
        self.user_point(DVec2::new(x, y), z)
    }

    /// Appends a cell's triangles, counter-clockwise in plan, as vertex ids: as many as
    /// [`NavMesh::triangle_count`] counts for it. A search sees the heights over the cell as those
    /// of these triangles.
    pub fn cell_triangles(&self, cell: CellId, triangles: &mut Vec<[VertexId; 3]>) {
        let p = &self.ground.pieces;
        let edges =
            self.data.cell_first_edges[cell.index()]..self.data.cell_first_edges[cell.index() + 1];
        for &piece in p.of_cell(cell.0) {
            let range = p.range(piece);
            // A cut within the cell has no edge of the mesh; its start is the end of the one
            // before, or is found by its point among the cell's vertices.
            let vertex = |i: usize| {
                let own = p.mesh_edges[i];
                let edge = if own != NO_EDGE {
                    own
                } else {
                    let at = p.edges[i].start();
                    let point =
                        LatticePoint::from_units(at.x / M_PER_LATTICE, at.y / M_PER_LATTICE);
                    edges
                        .clone()
                        .find(|&e| {
                            self.data.vertex_points[self.data.edge_vertices[e as usize].index()]
                                == point
                        })
                        .unwrap_or(edges.start)
                };
                self.data.edge_vertices[edge as usize]
            };
            for i in range.start + 1..range.end - 1 {
                triangles.push([vertex(range.start), vertex(i), vertex(i + 1)]);
            }
        }
    }

    /// A canonical position in the user's frame.
    pub(crate) fn user_point(&self, plan: DVec2, height_m: f64) -> [f64; 3] {
        self.data.frame.user_from_canonical([plan.x, plan.y, height_m])
    }

    /// A position of the user's frame, in canonical coordinates.
    pub(crate) fn canonical_point(&self, user: [f64; 3]) -> DVec3 {
        DVec3::from(self.data.frame.canonical_from_user(user))
    }

    /// Twice the area of a cell in square units, exactly.
    fn cell_area2(&self, cell: CellId) -> i128 {
        let point = |v: VertexId| self.data.vertex_points[v.index()];
        let mut corners = self.cell_vertices(cell).map(point);
        let (Some(a), Some(mut b)) = (corners.next(), corners.next()) else { return 0 };
        let mut sum = 0;
        for c in corners {
            sum += orient(a, b, c);
            b = c;
        }
        sum
    }

    fn find_bounds(&self) -> Option<Bounds> {
        let p = &self.ground.pieces;
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for (e, &z) in p.edges.iter().zip(&p.heights) {
            let at = DVec3::new(e.x, e.y, f64::from(z));
            low = low.min(at);
            high = high.max(at);
        }
        if p.edges.is_empty() {
            return None;
        }
        let mut bounds = Bounds::EMPTY;
        for corner in 0..8 {
            let pick = |k: usize| if corner >> k & 1 == 0 { low[k] } else { high[k] };
            bounds.add_point(self.user_point(DVec2::new(pick(0), pick(1)), pick(2)));
        }
        Some(bounds)
    }
}

/// Square metres in half a square unit: sums of `orient` are twice the area.
const HALF_M2_PER_UNIT2: f64 = 0.5 * M_PER_LATTICE * M_PER_LATTICE;

/// The component of every cell, numbered in the order of their first cells, and how many there are.
fn components(data: &NavMeshData) -> (Vec<u32>, u32) {
    let cells = data.cell_kinds.len();
    let mut sets = DisjointSets::new(cells);
    let mut cell_of = vec![0_u32; data.edge_vertices.len()];
    for (cell, run) in data.cell_first_edges.windows(2).enumerate() {
        cell_of[run[0] as usize..run[1] as usize].fill(cell as u32);
    }
    for (edge, &twin) in data.edge_twins.iter().enumerate() {
        if twin != NO_EDGE && edge < twin as usize {
            sets.join(cell_of[edge], cell_of[twin as usize]);
        }
    }
    for link in &data.links {
        sets.join(link.from_cell.0, link.to_cell.0);
    }
    sets.number()
}
