//! The cell-and-portal graph of a mesh: what the source calls the result of the partition.

use surefoot_mesh::{CellId, EdgeClass, EdgeId, NavMesh};

/// Where two cells meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portal {
    /// The two cells, the lower number first.
    pub cells: [CellId; 2],
    /// The edge of the first cell.
    pub edge: EdgeId,
    /// Its ends in the user's frame, in metres; the first cell lies to the left.
    pub ends: [[f64; 3]; 2],
    /// How the cells meet: on level ground, across a step, across a gap.
    pub class: EdgeClass,
}

/// Cells and the portals between them. A cell's number is that of the mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellPortalGraph {
    /// Every portal once, in the order of its first cell's edges.
    pub portals: Vec<Portal>,
    /// Where each cell's portals begin in `cell_portals`, and one past the last at the end.
    pub cell_first_portals: Vec<u32>,
    /// The portals of every cell, as indices into `portals`.
    pub cell_portals: Vec<u32>,
}

impl CellPortalGraph {
    /// The graph of a mesh. Links are no portals: see [`NavMesh::links`].
    #[must_use]
    pub fn of_mesh(mesh: &NavMesh) -> Self {
        let mut portals = Vec::new();
        let mut of_cell: Vec<Vec<u32>> = vec![Vec::new(); mesh.cell_count()];
        for cell in mesh.cells() {
            let edges: Vec<EdgeId> = mesh.cell_edges(cell).collect();
            let vertices: Vec<_> = mesh.cell_vertices(cell).collect();
            for (i, &edge) in edges.iter().enumerate() {
                let Some(other) = mesh.neighbour(edge) else { continue };
                if other < cell {
                    continue;
                }
                let ends = [vertices[i], vertices[(i + 1) % vertices.len()]];
                for side in [cell, other] {
                    of_cell[side.0 as usize].push(portals.len() as u32);
                }
                portals.push(Portal {
                    cells: [cell, other],
                    edge,
                    ends: ends.map(|v| mesh.vertex_position(v)),
                    class: mesh.edge_class(edge),
                });
            }
        }
        let mut cell_first_portals = vec![0];
        let mut cell_portals = Vec::with_capacity(2 * portals.len());
        for list in of_cell {
            cell_portals.extend(list);
            cell_first_portals.push(cell_portals.len() as u32);
        }
        Self { portals, cell_first_portals, cell_portals }
    }

    /// The portals of a cell; none for a cell that does not exist.
    pub fn portals_of(&self, cell: CellId) -> impl Iterator<Item = &Portal> + '_ {
        let bounds = self.cell_first_portals.get(cell.0 as usize..cell.0 as usize + 2);
        let range = bounds.map_or(0..0, |b| b[0] as usize..b[1] as usize);
        self.cell_portals[range].iter().map(|&p| &self.portals[p as usize])
    }
}
