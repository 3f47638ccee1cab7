//! Everything that builds a mesh from a scene, behind one door: our pipelines and the peers.
//!
//! In go a tool and a scene with Y up; out comes a [`Built`] that can be counted and judged in the same
//! way whoever built it. All build for the same agent, and all keep patches of 1 m² or more.

use crate::recast::{RecastSettings, Triangles, build_recast};
use crate::rerecast::build_rerecast;
use crate::stopwatch::StageTimes;
use std::fmt;
use std::str::FromStr;
use surefoot_bake::{BakeSettings, Baker, LayeredSettings, VoxelSettings};
use surefoot_mesh::{Agent, NavMesh};
use surefoot_scene::Scene;
use surefoot_verify::{VerifySettings, mesh_from_scene, verify};
use thiserror::Error;

/// Something that builds meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tool {
    /// Our exact pipeline with its defaults.
    Exact,
    /// Our voxel pipeline with cells of this size in metres, half as high as wide.
    Voxel(f32),
    /// Our layered pipeline with fine cells of this size in metres.
    Layered(f32),
    /// Recast (through `navmesh-rs`) with cells of this size in metres, half as high as wide.
    Recast(f32),
    /// `rerecast` with cells of this size in metres, half as high as wide.
    Rerecast(f32),
}

impl Tool {
    /// Whether it is one of ours.
    #[must_use]
    pub fn is_own(self) -> bool {
        matches!(self, Self::Exact | Self::Voxel(_) | Self::Layered(_))
    }

    /// The name of the tool without its setting.
    #[must_use]
    pub fn family(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Voxel(_) => "voxel",
            Self::Layered(_) => "layered",
            Self::Recast(_) => "Recast",
            Self::Rerecast(_) => "rerecast",
        }
    }

    /// The size of its cells in metres, if it has any.
    #[must_use]
    pub fn cell_size_m(self) -> Option<f32> {
        match self {
            Self::Exact => None,
            Self::Voxel(m) | Self::Layered(m) | Self::Recast(m) | Self::Rerecast(m) => Some(m),
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cell_size_m() {
            None => f.write_str(self.family()),
            Some(m) => write!(f, "{} {m}", self.family()),
        }
    }
}

/// A word that names no tool.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "`{word}` is no tool; there are exact, and voxel, layered, Recast and rerecast followed by a \
         space and the size of their cells in metres"
)]
pub struct ToolError {
    /// The word.
    pub word: String,
}

impl FromStr for Tool {
    type Err = ToolError;

    fn from_str(word: &str) -> Result<Self, ToolError> {
        let unknown = || ToolError { word: word.to_owned() };
        if word == "exact" {
            return Ok(Self::Exact);
        }
        let (family, size) = word.split_once(' ').ok_or_else(unknown)?;
        let size: f32 = size.parse().map_err(|_| unknown())?;
        match family {
            "voxel" => Ok(Self::Voxel(size)),
            "layered" => Ok(Self::Layered(size)),
            "Recast" => Ok(Self::Recast(size)),
            "rerecast" => Ok(Self::Rerecast(size)),
            _ => Err(unknown()),
        }
    }
}

/// Peers' grids of more columns than this take more memory than is usual, and are refused.
pub(crate) const MOST_COLUMNS: f64 = 1.5e8;

/// What a tool built.
#[derive(Debug)]
pub struct Built {
    /// Convex cells.
    pub cells: usize,
    /// Triangles of the surface that it stands for.
    pub triangles: usize,
    /// Sets of cells that are joined.
    pub components: usize,
    /// The area in plan, in m².
    pub area_m2: f64,
    /// How long each stage took.
    pub stages: StageTimes,
    surface: Surface,
}

/// The surface in the form that the tool gives.
#[derive(Debug)]
enum Surface {
    Own(Box<NavMesh>),
    Theirs(Triangles),
}

/// The checker's word on a mesh: shares from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Sampled points of the mesh on which the agent fits, held to 1 cm in plan.
    pub sound: f64,
    /// Sampled ground that the mesh covers, held to 1 cm in plan.
    pub complete: f64,
    /// The same two, held to the size of the tool's cells; those of before for tools without cells.
    pub by_cell: [f64; 2],
}

/// Builds. A tool that fails says why in its own words.
pub fn build_with(tool: Tool, scene: &Scene) -> Result<Built, String> {
    let agent = Agent::default();
    let peer = |cell_size_m| RecastSettings {
        most_columns: MOST_COLUMNS,
        ..RecastSettings::with_cell_size(agent, cell_size_m)
    };
    match tool {
        Tool::Exact => own(scene, &BakeSettings::default()),
        Tool::Voxel(m) => {
            let voxel = VoxelSettings {
                cell_size_m: f64::from(m),
                cell_height_m: 0.5 * f64::from(m),
                ..VoxelSettings::default()
            };
            own(scene, &BakeSettings { method: voxel.into(), ..BakeSettings::default() })
        }
        Tool::Layered(m) => {
            let layered =
                LayeredSettings { fine_cell_size_m: f64::from(m), ..LayeredSettings::default() };
            own(scene, &BakeSettings { method: layered.into(), ..BakeSettings::default() })
        }
        Tool::Recast(m) => {
            let built = build_recast(scene, &peer(m)).map_err(|e| e.to_string())?;
            let components = built.polygons().component_count();
            theirs(built.polygon_count(), components, built.triangles(), built.stages)
        }
        Tool::Rerecast(m) => {
            let built = build_rerecast(scene, &peer(m)).map_err(|e| e.to_string())?;
            let components = built.polygons.component_count();
            theirs(built.polygons.corners.len(), components, built.triangles, built.stages)
        }
    }
}

fn own(scene: &Scene, settings: &BakeSettings) -> Result<Built, String> {
    let baked = Baker::new(settings).bake(scene).map_err(|e| e.to_string())?;
    let mesh = baked.mesh;
    Ok(Built {
        cells: mesh.cell_count(),
        triangles: mesh.triangle_count(),
        components: mesh.component_count(),
        area_m2: mesh.area_m2(),
        stages: baked.report.stages.iter().map(|s| (s.name, s.ms)).collect(),
        surface: Surface::Own(Box::new(mesh)),
    })
}

fn theirs(
    cells: usize,
    components: usize,
    triangles: Triangles,
    stages: StageTimes,
) -> Result<Built, String> {
    Ok(Built {
        cells,
        triangles: triangles.corners.len(),
        components,
        area_m2: triangles.plan_area_m2(),
        stages,
        surface: Surface::Theirs(triangles),
    })
}

impl Built {
    /// Asks the checker about a mesh of this scene, with so many samples for each question.
    pub fn judge(&self, tool: Tool, scene: &Scene, samples: u64) -> Result<Judgement, String> {
        let imported;
        let data = match &self.surface {
            Surface::Own(mesh) => mesh.data(),
            Surface::Theirs(triangles) => {
                let surface = Scene::from_triangles(&triangles.points, &triangles.corners);
                let surface = surface.map_err(|e| e.to_string())?;
                imported = mesh_from_scene(&surface, Agent::default(), [0.0, 1.0, 0.0])
                    .map_err(|e| e.to_string())?;
                &imported
            }
        };
        let ask = |rule: VerifySettings| {
            let settings = VerifySettings { samples, worst: 0, ..rule };
            let report = verify(data, scene, &settings, &|_| {});
            [report.sound.value(), report.complete.value()]
        };
        let exact = VerifySettings::default();
        let Some(cell_m) = tool.cell_size_m().map(f64::from) else {
            let [sound, complete] = ask(exact);
            return Ok(Judgement { sound, complete, by_cell: [sound, complete] });
        };
        let by_cell = VerifySettings::for_voxels(cell_m, 0.5 * cell_m);
        // The plan is held to the exact rule; heights are those of its cells whatever the rule.
        let [sound, complete] = ask(VerifySettings {
            height_tolerance_m: by_cell.height_tolerance_m.max(exact.height_tolerance_m),
            ..exact
        });
        Ok(Judgement { sound, complete, by_cell: ask(by_cell) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_testing_scenes::{Variant, build};

    const TOOLS: [Tool; 5] = [
        Tool::Exact,
        Tool::Voxel(0.1),
        Tool::Layered(0.05),
        Tool::Recast(0.1),
        Tool::Rerecast(0.1),
    ];

    #[test]
    fn names_of_tools_are_read_back() {
        for tool in TOOLS {
            assert_eq!(tool.to_string().parse(), Ok(tool));
        }
        assert!("exact 0.1".parse::<Tool>().is_err());
        assert!("voxel".parse::<Tool>().is_err());
    }

    #[test]
    fn all_tools_see_the_same_rooms() {
        let scene = build("doorways", &Variant { size: Some(2), ..Variant::default() }).unwrap();
        let exact = build_with(Tool::Exact, &scene.scene).unwrap().area_m2;
        for tool in TOOLS {
            let built = build_with(tool, &scene.scene).unwrap();
            assert!((built.area_m2 - exact).abs() < 0.05 * exact, "{tool}: {} m²", built.area_m2);
            let judged = built.judge(tool, &scene.scene, 100).unwrap();
            assert!(judged.by_cell.iter().all(|s| *s > 0.9), "{tool}: {judged:?}");
        }
    }
}
