//! A mesh by `rerecast`, another port of Recast, with the settings that [`crate::build_recast`] takes.
//!
//! In go a scene with Y up, an agent and the size of a cell; out come its polygons and the triangles of
//! its detail mesh. It refuses some ordinary scenes and panics on others: the panic is caught and is an
//! error like any other.

use crate::recast::{
    CONTOUR_ERROR_CELLS, DETAIL_CELLS, DETAIL_ERROR_CELLS, LONGEST_EDGE_M, MERGED_CELLS, Polygons,
    RecastError, RecastSettings, Triangles,
};
use crate::stopwatch::{StageTimes, Stopwatch};
use rerecast::{
    AreaType, BuildContoursFlags, DetailNavmesh, HeightfieldBuilder, PolygonNavmesh, TriMesh,
};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use surefoot_scene::Scene;
use thiserror::Error;

/// Why there is no mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RerecastError {
    /// The scene is not for it.
    #[error(transparent)]
    Scene(#[from] RecastError),
    /// A length does not fit in the sixteen bits that it counts cells in.
    #[error("{cells} cells are more than it can count; take larger cells")]
    TooManyCells {
        /// How many there would be.
        cells: i64,
    },
    /// It gave up.
    #[error("gave up in {stage}: {why}")]
    GaveUp {
        /// Where.
        stage: &'static str,
        /// In its own words.
        why: String,
    },
    /// It panicked.
    #[error("panicked: {why}")]
    Panicked {
        /// In its own words.
        why: String,
    },
}

/// What it built.
#[derive(Clone, Debug, Default)]
pub struct RerecastMesh {
    /// Its convex polygons.
    pub polygons: Polygons,
    /// The triangles of the detail mesh.
    pub triangles: Triangles,
    /// How long each of its stages took.
    pub stages: StageTimes,
}

/// Builds a mesh of a scene with Y up.
pub fn build_rerecast(
    scene: &Scene,
    settings: &RecastSettings,
) -> Result<RerecastMesh, RerecastError> {
    settings.check_columns(scene)?;
    let built = catch_unwind(AssertUnwindSafe(|| build(scene, settings)));
    built.unwrap_or_else(|panic| {
        let why = (panic.downcast_ref::<String>().cloned())
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(RerecastError::Panicked { why: why.unwrap_or_else(|| "without a word".to_owned()) })
    })
}

fn in_stage<E: Display>(stage: &'static str) -> impl FnOnce(E) -> RerecastError {
    move |error| RerecastError::GaveUp { stage, why: error.to_string() }
}

fn count(cells: i32) -> Result<u16, RerecastError> {
    u16::try_from(cells).map_err(|_| RerecastError::TooManyCells { cells: i64::from(cells) })
}

fn build(scene: &Scene, settings: &RecastSettings) -> Result<RerecastMesh, RerecastError> {
    let mut watch = Stopwatch::start();
    let (cs, ch) = (settings.cell_size_m, settings.cell_height_m);
    let [height, climb, radius] = settings.agent_cells();
    let (height, climb, radius) = (count(height)?, count(climb)?, count(radius)?);
    let mut heap = TriMesh {
        vertices: (0..scene.points().len() as u32)
            .map(|i| scene.point(i).map(|c| c as f32).into())
            .collect(),
        indices: scene.triangles().iter().map(|&t| t.into()).collect(),
        area_types: vec![AreaType::NOT_WALKABLE; scene.triangle_count()],
    };
    heap.mark_walkable_triangles(settings.agent.max_slope_rad as f32);
    let aabb = heap.compute_aabb().ok_or(RecastError::Empty)?;
    let field = HeightfieldBuilder { aabb, cell_size: cs, cell_height: ch };
    let mut field = field.build().map_err(in_stage("the grid"))?;
    watch.lap("read");
    field.rasterize_triangles(&heap, climb).map_err(in_stage("rasterizing"))?;
    watch.lap("rasterize");
    if settings.filters {
        field.filter_low_hanging_walkable_obstacles(climb);
        field.filter_ledge_spans(height, climb);
        field.filter_walkable_low_height_spans(height);
    }
    watch.lap("filter");
    let mut compact = field.into_compact(height, climb).map_err(in_stage("compacting"))?;
    watch.lap("compact");
    compact.erode_walkable_area(radius);
    watch.lap("erode");
    compact.build_distance_field();
    let (least, merged) = (count(settings.least_region_cells())?, count(MERGED_CELLS)?);
    compact.build_regions(0, least, merged).map_err(in_stage("regions"))?;
    watch.lap("regions");
    let edge = count((LONGEST_EDGE_M / cs) as i32)?;
    let contours = compact.build_contours(CONTOUR_ERROR_CELLS, edge, BuildContoursFlags::default());
    watch.lap("contours");
    let mesh =
        contours.into_polygon_mesh(count(settings.most_corners)?).map_err(in_stage("polygons"))?;
    watch.lap("polygons");
    let (sample_m, error_m) = (DETAIL_CELLS * cs, DETAIL_ERROR_CELLS * ch);
    let detail = DetailNavmesh::new(&mesh, &compact, sample_m, error_m)
        .map_err(in_stage("the detail mesh"))?;
    watch.lap("detail");
    Ok(RerecastMesh {
        polygons: polygons(&mesh),
        triangles: triangles(&detail),
        stages: watch.finish(),
    })
}

fn polygons(mesh: &PolygonNavmesh) -> Polygons {
    let low = mesh.aabb.min.to_array();
    let unit = [mesh.cell_size, mesh.cell_height, mesh.cell_size];
    let place = |v: [u16; 3]| std::array::from_fn(|k| low[k] + f32::from(v[k]) * unit[k]);
    let points = mesh.vertices.iter().map(|v| place(v.to_array())).collect();
    let mut polygons = Polygons { points, ..Polygons::default() };
    let most = usize::from(mesh.max_vertices_per_polygon).max(1);
    let across = mesh.polygon_neighbors.chunks_exact(most);
    for (corners, across) in mesh.polygons.chunks_exact(most).zip(across) {
        let used = corners.iter().take_while(|&&c| c != PolygonNavmesh::NO_INDEX).count();
        polygons.corners.push(corners[..used].iter().map(|&c| u32::from(c)).collect());
        // Numbers with the highest bit are borders of tiles, or nothing.
        let neighbour = |&n: &u16| (n < 0x8000).then_some(u32::from(n));
        polygons.neighbours.push(across[..used].iter().map(neighbour).collect());
    }
    polygons
}

fn triangles(detail: &DetailNavmesh) -> Triangles {
    let points = detail.vertices.iter().map(|v| v.to_array()).collect();
    let mut triangles = Triangles { points, corners: Vec::new() };
    for part in &detail.meshes {
        let first = part.base_triangle_index as usize;
        for t in detail.triangles.iter().skip(first).take(part.triangle_count as usize) {
            triangles.corners.push(t.map(|c| part.base_vertex_index + u32::from(c)));
        }
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recast::build_recast;
    use surefoot_mesh::Agent;
    use surefoot_testing_scenes::{Variant, build};

    #[test]
    fn two_ports_of_one_tool_build_the_same() {
        let scene = build("pillars", &Variant { size: Some(3), ..Variant::default() }).unwrap();
        let settings = RecastSettings::with_cell_size(Agent::default(), 0.1);
        let one = build_recast(&scene.scene, &settings).unwrap();
        let other = build_rerecast(&scene.scene, &settings).unwrap();
        assert_eq!(other.polygons.component_count(), 1);
        assert_eq!(one.polygon_count(), other.polygons.corners.len());
        let (a, b) = (one.triangles().plan_area_m2(), other.triangles.plan_area_m2());
        assert!((a - b).abs() < 0.01 * a, "{a} m² and {b} m²");
    }

    #[test]
    fn what_is_too_large_or_empty_is_refused() {
        let scene = build("pillars", &Variant { size: Some(1), ..Variant::default() }).unwrap();
        let mut settings = RecastSettings::with_cell_size(Agent::default(), 0.1);
        let empty = build_rerecast(&Scene::default(), &settings).unwrap_err();
        assert_eq!(empty, RerecastError::Scene(RecastError::Empty));
        settings.min_area_m2 = 1e6;
        let refused = build_rerecast(&scene.scene, &settings).unwrap_err();
        assert!(matches!(refused, RerecastError::TooManyCells { .. }), "{refused}");
    }
}
