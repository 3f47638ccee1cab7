//! Scenes by name with the settings that suit them.
//!
//! In goes the name of a file, or of a procedural scene with an optional size as in `terrain:512`; out
//! comes the scene and what to build it with. Files of known levels that defaults do not suit get
//! settings of their own: those of `cargo xtask levels`.

use std::path::Path;
use surefoot_bake::{
    BakeSettings, BuildMethod, ExactSettings, LayeredSettings, Method, VoxelSettings,
};
use surefoot_mesh::Agent;
use surefoot_scene::{LoadError, Scene};
use surefoot_testing_scenes::{TruthAgent, Variant, build, list};
use thiserror::Error;

/// A scene, and how to build it.
#[derive(Clone, Debug)]
pub struct Level {
    /// The procedural scene's name, or the file's without its folder and ending.
    pub name: String,
    /// Its triangles.
    pub scene: Scene,
    /// For whom and how.
    pub settings: BakeSettings,
    /// Units to a metre: cell sizes are to be multiplied by it.
    pub units_per_m: f64,
}

/// Why there is no level.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LevelError {
    /// The file cannot be read.
    #[error("{file} cannot be read: {error}")]
    File {
        /// Which.
        file: String,
        /// Why.
        error: LoadError,
    },
    /// Neither a file nor a procedural scene.
    #[error("{0} is neither a file nor the name of a procedural scene; `surefoot scene --list`")]
    Unknown(String),
}

/// The agent for whom a procedural scene knows its answers.
#[must_use]
pub fn agent_of(known: &TruthAgent) -> Agent {
    Agent {
        height_m: known.height_m,
        radius_m: known.radius_m,
        max_slope_rad: known.max_slope_deg.to_radians(),
        max_step_m: known.max_step_m,
    }
}

impl Level {
    /// Finds a level by name.
    pub fn find(name: &str) -> Result<Self, LevelError> {
        let path = Path::new(name);
        if path.exists() {
            let failed = |error| LevelError::File { file: name.to_owned(), error };
            let scene = Scene::load(path).map_err(failed)?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let units_per_m = if stem == "sauerbraten_zdm2" { 8.0 } else { 1.0 };
            let settings = settings_for(&stem, units_per_m);
            return Ok(Self { name: stem, scene, settings, units_per_m });
        }
        let (plain, size) = name.split_once(':').map_or((name, None), |(n, s)| (n, s.parse().ok()));
        let unknown = |_| LevelError::Unknown(name.to_owned());
        let built = build(plain, &Variant { size, ..Variant::default() }).map_err(unknown)?;
        let agent = agent_of(&built.truth.agent);
        let settings = BakeSettings { agent, ..BakeSettings::default() };
        Ok(Self { name: name.to_owned(), scene: built.scene, settings, units_per_m: 1.0 })
    }

    /// The names of all procedural scenes.
    #[must_use]
    pub fn procedural_names() -> Vec<String> {
        list().iter().map(|info| info.name.to_owned()).collect()
    }

    /// The settings of a method with cells of a size: columns of the voxel pipeline, fine cells of the
    /// layered one.
    #[must_use]
    pub fn with_cells(&self, method: BuildMethod, cell_size_m: f64) -> BakeSettings {
        let (size, units_per_m) = (cell_size_m * self.units_per_m, self.units_per_m);
        let exact = ExactSettings::default();
        let layered = LayeredSettings::default();
        let method = match method {
            BuildMethod::Exact => Method::Exact(ExactSettings {
                tolerance_m: exact.tolerance_m * units_per_m,
                ..exact
            }),
            BuildMethod::Voxel => Method::Voxel(VoxelSettings {
                cell_size_m: size,
                cell_height_m: 0.5 * size,
                ..VoxelSettings::default()
            }),
            BuildMethod::Layered => Method::Layered(LayeredSettings {
                cell_size_m: layered.cell_size_m * units_per_m,
                cell_height_m: layered.cell_height_m * units_per_m,
                fine_cell_size_m: size,
                height_error_m: layered.height_error_m * units_per_m,
                ..layered
            }),
            other => other.into(),
        };
        BakeSettings { method, ..self.settings.clone() }
    }
}

/// What suits a level in which a metre has so many units.
fn settings_for(stem: &str, units_per_m: f64) -> BakeSettings {
    let plain = BakeSettings::default();
    let agent = plain.agent;
    let exact = ExactSettings::default();
    let mut settings = BakeSettings {
        agent: Agent {
            height_m: agent.height_m * units_per_m,
            radius_m: agent.radius_m * units_per_m,
            max_step_m: agent.max_step_m * units_per_m,
            ..agent
        },
        min_area_m2: plain.min_area_m2 * units_per_m * units_per_m,
        gap_distance_m: plain.gap_distance_m * units_per_m,
        wall_thickness_m: plain.wall_thickness_m * units_per_m,
        method: Method::Exact(ExactSettings {
            tolerance_m: exact.tolerance_m * units_per_m,
            ..exact
        }),
        ..plain
    };
    if stem == "hololens_room" {
        // A scan in chunks that do not meet, and little room between the furniture.
        settings.agent.radius_m = 0.2;
        settings.gap_distance_m = 0.05;
        settings.wall_thickness_m = 0.06;
    }
    settings
}
