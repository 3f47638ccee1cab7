//! Picking: a ray through the scene and the mesh, both held in bounding-volume hierarchies.

use crate::mesh_set::MeshSet;
use crate::sources::Source;
use glam::DVec3;
use serde::Deserialize;
use serde_json::{Value, json};
use surefoot_geom::bvh::{BoxTree, Hit, Ray};
use surefoot_mesh::{CellId, CellKind, NavMesh};

/// A ray from the eye, and what is hidden from it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PickRay {
    origin: [f64; 3],
    direction: [f64; 3],
    /// Nothing above this height is shown, in metres along `up`.
    #[serde(default)]
    cut_height: Option<f64>,
    #[serde(default = "y_up")]
    up: [f64; 3],
    /// Only this layer of the mesh is shown.
    #[serde(default)]
    layer: Option<u16>,
    /// Whether the scene is shown.
    #[serde(default)]
    scene: bool,
}

fn y_up() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

impl PickRay {
    /// The first triangle of a tree that the ray meets where it is shown: how far, which, where.
    fn first(
        &self,
        tree: &BoxTree,
        corners_of: impl Fn(u32) -> [DVec3; 3],
        shown: impl Fn(u32) -> bool,
    ) -> Option<(f64, u32, DVec3)> {
        let ray = Ray::new(DVec3::from(self.origin), DVec3::from(self.direction))?;
        let (up, cut) = (DVec3::from(self.up), self.cut_height);
        let counts = |hit: Hit| shown(hit.id) && cut.is_none_or(|cut| ray.at(hit.t).dot(up) <= cut);
        let hit = tree.first_hit(&ray, f64::INFINITY, corners_of, counts)?;
        Some((hit.t, hit.id, ray.at(hit.t)))
    }
}

/// What a ray from the eye meets first.
pub(crate) fn pick(ray: &PickRay, source: Option<&Source>, mesh: Option<&MeshSet>) -> Value {
    let on_mesh = mesh.and_then(|set| {
        let (triangles, tree) = set.triangles();
        let shown = |i: u32| {
            let cell = triangles[i as usize].0;
            ray.layer.is_none_or(|l| set.layers.get(cell.index()) == Some(&l))
        };
        let (t, id, at) = ray.first(tree, |i| triangles[i as usize].1, shown)?;
        Some((t, triangles[id as usize].0, at))
    });
    let on_scene = source.filter(|_| ray.scene).and_then(|source| {
        let (scene, tree) = source.triangles()?;
        let corners = |t: u32| scene.triangles()[t as usize].map(|i| DVec3::from(scene.point(i)));
        let (t, _, at) = ray.first(tree, corners, |_| true)?;
        Some((t, at))
    });
    // The mesh lies on the scene or a little below its surface, within the height tolerance.
    const BEHIND_M: f64 = 0.15;
    let reach = DVec3::from(ray.direction).length();
    match (on_mesh, on_scene) {
        (Some((t, cell, at)), hit)
            if hit.is_none_or(|(s, _)| t <= s + BEHIND_M / reach.max(1e-9)) =>
        {
            let set = mesh.map(|set| describe_cell(&set.mesh, cell, set.layers.get(cell.index())));
            json!({ "at": at.to_array(), "on": "mesh", "cell": set })
        }
        (_, Some((_, at))) => json!({ "at": at.to_array(), "on": "scene" }),
        _ => json!({ "on": "nothing" }),
    }
}

fn describe_cell(mesh: &NavMesh, cell: CellId, layer: Option<&u16>) -> Value {
    let kind = match mesh.cell_kind(cell) {
        CellKind::Gap => "gap filler",
        kind => kind.name(),
    };
    json!({
        "id": cell.0, "kind": kind, "area_type": mesh.area_name(mesh.cell_area_type(cell)),
        "area_m2": mesh.cell_area_m2(cell), "edges": mesh.cell_edges(cell).len(),
        "neighbours": mesh.neighbours(cell).count(), "component": mesh.cell_component(cell),
        "layer": layer,
    })
}
