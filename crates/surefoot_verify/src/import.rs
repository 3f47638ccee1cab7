//! A mesh from another tool's file, so that it can be judged by the same rule.
//!
//! Tile sets of Detour and meshes of navcat are read as they are. Of anything else the triangles are
//! taken: in goes a scene, an OBJ (or any other) file that holds a navigation mesh; out comes mesh data
//! whose cells are those triangles, neighbours where two of them, and no third, run along the same two
//! positions in opposite directions. Triangles without an area seen from above are left out: they carry
//! nobody. Whatever else is wrong with the polygons stays as it is, for the check to find.

mod detour;
mod error;
mod navcat;
mod tiles;

pub use error::ImportError;

use glam::DVec3;
use surefoot_geom::{Frame, LatticePoint};
use surefoot_mesh::{Agent, AreaId, CellKind, EdgeClass, NO_EDGE, NavMeshData, VertexId};
use surefoot_scene::Scene;

/// Who walks on a mesh of another tool; what is not given is what the file says, or else the default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GivenAgent {
    /// Height in metres.
    pub height_m: Option<f64>,
    /// Radius in metres.
    pub radius_m: Option<f64>,
    /// Steepest slope in radians.
    pub max_slope_rad: Option<f64>,
    /// Highest step in metres.
    pub max_step_m: Option<f64>,
}

impl GivenAgent {
    /// The agent of a file that says nothing of one.
    #[must_use]
    pub fn or_default(self) -> Agent {
        self.or([0.0; 3])
    }

    /// The agent of a file that says height, radius and climb; what is no size is not said.
    fn or(self, [height, radius, climb]: [f64; 3]) -> Agent {
        let plain = Agent::default();
        let said = |v: f64, default: f64| if v > 0.0 && v.is_finite() { v } else { default };
        // A file that says its height says its radius, which may be nought.
        let radius = if height > 0.0 && radius >= 0.0 { radius } else { plain.radius_m };
        Agent {
            height_m: self.height_m.unwrap_or(said(height, plain.height_m)),
            radius_m: self.radius_m.unwrap_or(radius),
            max_slope_rad: self.max_slope_rad.unwrap_or(plain.max_slope_rad),
            max_step_m: self.max_step_m.unwrap_or(said(climb, plain.max_step_m)),
        }
    }
}

/// A mesh from the bytes of a Detour tile set or tile.
pub fn mesh_from_detour(
    bytes: &[u8],
    agent: GivenAgent,
    up: [f64; 3],
) -> Result<NavMeshData, ImportError> {
    let set = detour::read(bytes)?;
    tiles::mesh_from_tiles(&set.tiles, agent.or(set.agent), up)
}

/// A mesh from the JSON of navcat.
pub fn mesh_from_navcat(
    text: &[u8],
    agent: GivenAgent,
    up: [f64; 3],
) -> Result<NavMeshData, ImportError> {
    let (tiles, said) = navcat::read(text)?;
    tiles::mesh_from_tiles(&tiles, agent.or(said), up)
}

/// A mesh whose cells are the triangles of a scene.
pub fn mesh_from_scene(
    scene: &Scene,
    agent: Agent,
    up: [f64; 3],
) -> Result<NavMeshData, ImportError> {
    agent.check()?;
    let frame = Frame::with_up(up)?;
    let corners: Vec<[DVec3; 3]> = scene
        .triangles()
        .iter()
        .map(|t| t.map(|i| DVec3::from(frame.canonical_from_user(scene.point(i)))))
        .collect();
    let low = corners.iter().flatten().copied().reduce(DVec3::min).ok_or(ImportError::Empty)?;
    let origin = low.floor();
    let mut places: Vec<(LatticePoint, u32)> = Vec::new();
    let mut cells: Vec<[(LatticePoint, u32); 3]> = Vec::new();
    for t in &corners {
        let mut cell = [(LatticePoint::default(), 0_u32); 3];
        for (place, &p) in cell.iter_mut().zip(t) {
            let p = p - origin;
            // Zero is added so that minus zero and zero are one place.
            *place = (LatticePoint::from_m(p.x, p.y)?, (p.z as f32 + 0.0).to_bits());
        }
        let [a, b, c] = cell.map(|p| [i64::from(p.0.x), i64::from(p.0.y)]);
        let area2 = (b[0] - a[0]) as i128 * (c[1] - a[1]) as i128
            - (b[1] - a[1]) as i128 * (c[0] - a[0]) as i128;
        if area2 < 0 {
            cell.swap(1, 2);
        }
        if area2 != 0 {
            places.extend(cell);
            cells.push(cell);
        }
    }
    if cells.is_empty() {
        return Err(ImportError::Empty);
    }
    places.sort_unstable();
    places.dedup();
    let vertex = |p: &(LatticePoint, u32)| VertexId(places.partition_point(|q| q < p) as u32);
    let edge_vertices: Vec<VertexId> = cells.iter().flatten().map(vertex).collect();
    let edge_twins = pair(&edge_vertices);
    let class = |&t: &u32| if t == NO_EDGE { EdgeClass::Open } else { EdgeClass::Inner };
    Ok(NavMeshData {
        agent,
        frame: frame.moved_to(origin.to_array()),
        convex_distance_m: 0.0,
        vertex_points: places.iter().map(|p| p.0).collect(),
        vertex_heights_m: places.iter().map(|p| f32::from_bits(p.1)).collect(),
        cell_first_edges: (0..=cells.len() as u32).map(|i| 3 * i).collect(),
        cell_kinds: vec![CellKind::Ground; cells.len()],
        cell_areas: vec![AreaId(0); cells.len()],
        edge_classes: edge_twins.iter().map(class).collect(),
        edge_vertices,
        edge_twins,
        links: Vec::new(),
        area_names: vec!["ground".to_owned()],
        build: None,
        tag_rules: Default::default(),
    })
}

/// The twin of every edge of a list of triangles.
fn pair(edge_vertices: &[VertexId]) -> Vec<u32> {
    let to = |e: usize| edge_vertices[if e % 3 == 2 { e - 2 } else { e + 1 }];
    let mut order: Vec<(VertexId, VertexId, u32)> =
        edge_vertices.iter().enumerate().map(|(e, &from)| (from, to(e), e as u32)).collect();
    order.sort_unstable();
    let along = |a: VertexId, b: VertexId| {
        let first = order.partition_point(|o| (o.0, o.1) < (a, b));
        let mut run = order[first..].iter().take_while(|o| (o.0, o.1) == (a, b));
        match (run.next(), run.next()) {
            (Some(only), None) => Some(only.2),
            _ => None,
        }
    };
    edge_vertices
        .iter()
        .enumerate()
        .map(|(e, &from)| match (along(from, to(e)), along(to(e), from)) {
            (Some(_), Some(twin)) => twin,
            _ => NO_EDGE,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_become_cells_that_know_their_neighbours() {
        let points =
            [[0.0, 1.0, 0.0], [2.0, 1.0, 0.0], [2.0, 1.0, 2.0], [0.0, 1.0, 2.0], [1.0, 5.0, 0.0]];
        // Two turn up, one turns down, one stands upright.
        let triangles = [[0, 2, 1], [0, 2, 3], [0, 1, 4]];
        let scene = Scene::from_triangles(&points, &triangles).unwrap();
        let data = mesh_from_scene(&scene, Agent::default(), [0.0, 1.0, 0.0]).unwrap();
        let mesh = data.validate().unwrap();
        assert_eq!((mesh.cell_count(), mesh.component_count()), (2, 1));
        assert!((mesh.area_m2() - 4.0).abs() < 1e-9);
        let side = mesh_from_scene(&scene, Agent::default(), [0.0, 0.0, 1.0]).unwrap();
        assert_eq!(side.cell_kinds.len(), 1);
        assert_eq!(
            mesh_from_scene(&Scene::default(), Agent::default(), [0.0, 1.0, 0.0]),
            Err(ImportError::Empty)
        );
    }
}
