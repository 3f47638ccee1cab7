//! A mesh by Recast: solo, watershed, with the detail mesh, as its own demo builds it.
//!
//! In go a scene with Y up and an agent with the size of a cell; out comes a [`RecastMesh`]. The work
//! is done by `navmesh-rs`, a port that gives the same bits as the original.

use crate::stopwatch::{StageTimes, Stopwatch};
use navmesh_rs::recast::{
    self, CompactHeightfield, ContourSet, Heightfield, MESH_NULL_IDX, PolyMesh, PolyMeshDetail,
};
use navmesh_rs::{Error, Workspace};
use surefoot_mesh::Agent;
use surefoot_scene::{Bounds, Scene};
use thiserror::Error;

/// How Recast builds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecastSettings {
    /// For whom.
    pub agent: Agent,
    /// The side of a cell, in metres. Its demo: 0.3.
    pub cell_size_m: f32,
    /// The height of a cell, in metres. Its demo: 0.2 for cells of 0.3.
    pub cell_height_m: f32,
    /// Patches smaller than this are dropped, in m².
    pub min_area_m2: f32,
    /// The most corners of a polygon; Detour takes up to 6.
    pub most_corners: i32,
    /// Grids of more columns than this are refused: they take minutes and gigabytes.
    pub most_columns: f64,
    /// Whether low obstacles are made walkable, and ledges and low spans are not, as in its demo.
    pub filters: bool,
}

impl RecastSettings {
    /// Settings for a cell size: cells half as high as wide, patches as small as our own builds keep.
    #[must_use]
    pub fn with_cell_size(agent: Agent, cell_size_m: f32) -> Self {
        Self {
            agent,
            cell_size_m,
            cell_height_m: 0.5 * cell_size_m,
            min_area_m2: 1.0,
            most_corners: 6,
            most_columns: 6e7,
            filters: true,
        }
    }

    /// The agent's height, step and radius, in cells.
    pub(crate) fn agent_cells(&self) -> [i32; 3] {
        let up = |m: f64, unit: f32| (m as f32 / unit - WHOLE_SLACK).ceil() as i32;
        let climb = (self.agent.max_step_m as f32 / self.cell_height_m + WHOLE_SLACK).floor();
        [
            up(self.agent.height_m, self.cell_height_m),
            climb as i32,
            up(self.agent.radius_m, self.cell_size_m),
        ]
    }

    /// The smallest region that is kept, in cells.
    pub(crate) fn least_region_cells(&self) -> i32 {
        (self.min_area_m2 / (self.cell_size_m * self.cell_size_m)).ceil() as i32
    }

    /// Refuses a scene whose grid would be too large.
    pub(crate) fn check_columns(&self, scene: &Scene) -> Result<(), RecastError> {
        let Bounds { low, high } = scene.bounds().ok_or(RecastError::Empty)?;
        let cell = f64::from(self.cell_size_m);
        let columns = (high[0] - low[0]) * (high[2] - low[2]) / (cell * cell);
        if !(columns <= self.most_columns) {
            return Err(RecastError::TooManyColumns { millions: columns / 1e6 });
        }
        Ok(())
    }
}

/// Why there is no mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RecastError {
    /// There is no triangle in the scene.
    #[error("the scene is empty")]
    Empty,
    /// The grid would be too large.
    #[error("{millions:.0} million columns; take larger cells or allow more columns")]
    TooManyColumns {
        /// How many it would have.
        millions: f64,
    },
    /// Recast gave up.
    #[error("Recast gave up: {0:?}")]
    GaveUp(Error),
}

impl From<Error> for RecastError {
    fn from(error: Error) -> Self {
        Self::GaveUp(error)
    }
}

/// What Recast built.
#[derive(Clone, Debug)]
pub struct RecastMesh {
    /// How it was built.
    pub settings: RecastSettings,
    /// Its polygons as it holds them, in cells; with the detail they make a Detour tile.
    pub mesh: PolyMesh,
    /// The heights within the polygons.
    pub detail: PolyMeshDetail,
    /// How long each of its stages took.
    pub stages: StageTimes,
}

/// Convex polygons, as indices into their points, with each one's neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Points in the scene's frame.
    pub points: Vec<[f32; 3]>,
    /// The corners of each polygon.
    pub corners: Vec<Vec<u32>>,
    /// The polygon across each edge, in the order of the corners from which the edges go out.
    pub neighbours: Vec<Vec<Option<u32>>>,
}

/// Triangles, as indices into their points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Points in the scene's frame.
    pub points: Vec<[f32; 3]>,
    /// The corners of each triangle.
    pub corners: Vec<[u32; 3]>,
}

/// Rounding that a whole number of cells may carry.
const WHOLE_SLACK: f32 = 1e-4;

/// A setting of its demo: how far a simplified contour may move, in cells.
pub(crate) const CONTOUR_ERROR_CELLS: f32 = 1.3;

/// A setting of its demo: the longest edge of a contour, in metres.
pub(crate) const LONGEST_EDGE_M: f32 = 12.0;

/// A setting of its demo: regions smaller than this are merged with others, in cells.
pub(crate) const MERGED_CELLS: i32 = 400;

/// Settings of its demo: distance between samples of the detail, in cells, and its error in cell
/// heights.
pub(crate) const DETAIL_CELLS: f32 = 6.0;
pub(crate) const DETAIL_ERROR_CELLS: f32 = 1.0;

/// Builds a mesh of a scene with Y up.
pub fn build_recast(scene: &Scene, settings: &RecastSettings) -> Result<RecastMesh, RecastError> {
    let mut watch = Stopwatch::start();
    let (cs, ch, agent) = (settings.cell_size_m, settings.cell_height_m, &settings.agent);
    settings.check_columns(scene)?;
    let vertices: Vec<f32> =
        (0..scene.points().len() as u32).flat_map(|i| scene.point(i).map(|c| c as f32)).collect();
    let triangles: Vec<i32> = scene.triangles().iter().flatten().map(|&i| i as i32).collect();
    let [height, climb, radius] = settings.agent_cells();
    let mut ws = Workspace::new();
    let (low, high) = recast::calc_bounds(&vertices);
    let (w, h) = recast::calc_grid_size(&low, &high, cs);
    let mut field = Heightfield::new(&mut ws, w, h, low, high, cs, ch)?;
    let mut areas = vec![0_u8; triangles.len() / 3];
    let slope = agent.max_slope_rad.to_degrees() as f32;
    recast::mark_walkable_triangles(&mut ws, slope, &vertices, &triangles, &mut areas)?;
    watch.lap("read");
    field.rasterize_triangles(&mut ws, &vertices, &triangles, &areas, climb)?;
    watch.lap("rasterize");
    if settings.filters {
        field.filter_low_hanging_walkable_obstacles(&mut ws, climb)?;
        field.filter_ledge_spans(&mut ws, height, climb)?;
        field.filter_walkable_low_height_spans(&mut ws, height)?;
    }
    watch.lap("filter");
    let mut compact = CompactHeightfield::build(&mut ws, height, climb, &field)?;
    watch.lap("compact");
    recast::erode_walkable_area(&mut ws, radius, &mut compact)?;
    watch.lap("erode");
    recast::build_distance_field(&mut ws, &mut compact)?;
    let least = settings.least_region_cells();
    recast::build_regions(&mut ws, &mut compact, 0, least, MERGED_CELLS)?;
    watch.lap("regions");
    let edge = (LONGEST_EDGE_M / cs) as i32;
    let tessellate = recast::CONTOUR_TESS_WALL_EDGES;
    let contours = ContourSet::build(&mut ws, &compact, CONTOUR_ERROR_CELLS, edge, tessellate)?;
    watch.lap("contours");
    let mesh = PolyMesh::build(&mut ws, &contours, settings.most_corners)?;
    watch.lap("polygons");
    let (sample_m, error_m) = (DETAIL_CELLS * cs, DETAIL_ERROR_CELLS * ch);
    let detail = PolyMeshDetail::build(&mut ws, &mesh, &compact, sample_m, error_m)?;
    watch.lap("detail");
    Ok(RecastMesh { settings: *settings, mesh, detail, stages: watch.finish() })
}

impl RecastMesh {
    /// How many polygons there are.
    #[must_use]
    pub fn polygon_count(&self) -> usize {
        self.mesh.npolys as usize
    }

    /// The polygons, in the scene's frame: heights are those of cells.
    #[must_use]
    pub fn polygons(&self) -> Polygons {
        let (mesh, nvp) = (&self.mesh, self.mesh.nvp as usize);
        let place = |v: &[u16]| {
            let unit = [mesh.cs, mesh.ch, mesh.cs];
            std::array::from_fn(|k| mesh.bmin[k] + f32::from(v[k]) * unit[k])
        };
        let points = mesh.verts.chunks_exact(3).take(mesh.nverts as usize).map(place).collect();
        let mut polygons = Polygons { points, ..Polygons::default() };
        for polygon in mesh.polys.chunks_exact(2 * nvp).take(self.polygon_count()) {
            let (corners, across) = polygon.split_at(nvp);
            let used = corners.iter().take_while(|&&c| c != MESH_NULL_IDX).count();
            polygons.corners.push(corners[..used].iter().map(|&c| u32::from(c)).collect());
            // Numbers with the highest bit are borders of tiles, or nothing.
            let neighbour = |&n: &u16| (n < 0x8000).then_some(u32::from(n));
            polygons.neighbours.push(across[..used].iter().map(neighbour).collect());
        }
        polygons
    }

    /// The triangles of the detail mesh, in the scene's frame.
    #[must_use]
    pub fn triangles(&self) -> Triangles {
        let points = self.detail.verts.chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect();
        let mut triangles = Triangles { points, corners: Vec::new() };
        for part in self.detail.meshes.chunks_exact(4) {
            let (first_vertex, first, count) = (part[0], part[2] as usize, part[3] as usize);
            for t in self.detail.tris.chunks_exact(4).skip(first).take(count) {
                triangles.corners.push([0, 1, 2].map(|k| first_vertex + u32::from(t[k])));
            }
        }
        triangles
    }
}

impl Triangles {
    /// The area in plan, in m².
    #[must_use]
    pub fn plan_area_m2(&self) -> f64 {
        let at = |i: u32| self.points[i as usize].map(f64::from);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(at);
            let (ab, ac) = ([b[0] - a[0], b[2] - a[2]], [c[0] - a[0], c[2] - a[2]]);
            0.5 * (ab[0] * ac[1] - ab[1] * ac[0]).abs()
        };
        self.corners.iter().map(area).sum()
    }
}

impl Polygons {
    /// How many sets of polygons are joined by edges.
    #[must_use]
    pub fn component_count(&self) -> usize {
        let mut seen = vec![false; self.corners.len()];
        let mut components = 0;
        let mut open = Vec::new();
        for start in 0..seen.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            components += 1;
            open.push(start);
            while let Some(polygon) = open.pop() {
                for &other in self.neighbours[polygon].iter().flatten() {
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        open.push(other as usize);
                    }
                }
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_testing_scenes::{Variant, build};

    #[test]
    fn a_room_with_pillars_is_one_component_of_convex_polygons() {
        let scene = build("pillars", &Variant { size: Some(3), ..Variant::default() }).unwrap();
        let settings = RecastSettings::with_cell_size(Agent::default(), 0.1);
        let built = build_recast(&scene.scene, &settings).unwrap();
        let polygons = built.polygons();
        assert_eq!(polygons.component_count(), 1);
        assert_eq!(polygons.corners.len(), built.polygon_count());
        assert!(built.triangles().corners.len() >= polygons.corners.len());
        // Neighbours know each other.
        for (p, across) in polygons.neighbours.iter().enumerate() {
            for &n in across.iter().flatten() {
                assert!(polygons.neighbours[n as usize].contains(&Some(p as u32)));
            }
        }
        // All on the floor, within the cell that holds it.
        assert!(polygons.points.iter().all(|p| p[1].abs() <= 2.0 * settings.cell_height_m));
    }

    #[test]
    fn what_is_too_large_or_empty_is_refused() {
        let scene = build("pillars", &Variant { size: Some(3), ..Variant::default() }).unwrap();
        let mut settings = RecastSettings::with_cell_size(Agent::default(), 0.1);
        settings.most_columns = 100.0;
        let refused = build_recast(&scene.scene, &settings).unwrap_err();
        assert!(matches!(refused, RecastError::TooManyColumns { .. }), "{refused}");
        let empty = build_recast(&Scene::default(), &settings).unwrap_err();
        assert_eq!(empty, RecastError::Empty);
    }
}
