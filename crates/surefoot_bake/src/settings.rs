//! Settings: plain structs with defaults, checked once.

use surefoot_geom::{Frame, FrameError};
use surefoot_mesh::{Agent, BuildInfo, BuildMethod};
use thiserror::Error;

/// Which pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// On the geometry itself, without voxels.
    #[default]
    Exact,
    /// Tiled voxels, for huge and broken input.
    Voxel,
    /// Layers of depth maps.
    Layered,
    /// Walls, ceilings, planets.
    AnySurface,
}

impl Method {
    /// The name used on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Voxel => "voxel",
            Self::Layered => "layered",
            Self::AnySurface => "any-surface",
        }
    }
}

/// The shape of the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CellShape {
    /// Convex polygons: fewer cells, faster queries.
    #[default]
    Convex,
    /// Triangles.
    Triangles,
    /// Convex polygons, by merging triangles (Hertel and Mehlhorn).
    HertelMehlhorn,
    /// Convex polygons, by portals that split notches (Oliva).
    Notches,
}

/// How stairs connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Stairs {
    /// Treads are neighbours across step edges; ramps only where treads are apart in plan.
    #[default]
    Steps,
    /// Flights are covered by ramps.
    Ramps,
}

/// Gives an area type to triangles whose tag matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AreaRule {
    /// The area type's name, for example `water`.
    pub area: String,
    /// What to look for in a tag: letters match without regard to case, `*` matches anything; the
    /// pattern is tried on the whole tag and on each of its parts between slashes.
    pub tag_pattern: String,
}

/// Settings of the exact pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactSettings {
    /// How stairs connect.
    pub stairs: Stairs,
    /// Modelling gaps in the ground up to this width are closed, in metres. Larger values heal
    /// sloppier models; a value near the agent's radius would close real gaps. Typical: 0.01.
    pub gap_distance_m: f64,
    /// Walls are at least this thick, widened backwards, in metres; above the gap distance, so that
    /// no gap is closed through a wall. Typical: 0.025.
    pub wall_thickness_m: f64,
    /// The steepest ramp laid over stairs, in radians. Typical: 55°.
    pub stair_slope_rad: f64,
    /// How far a simplified boundary may move, always inwards, in metres. Zero keeps every vertex.
    pub tolerance_m: f64,
    /// How far a cell may lie above or below the ground it stands for, in metres.
    pub height_tolerance_m: f64,
    /// Makes one point of all that lie in a cell of this size before anything else, in metres: for
    /// clouds of tiny triangles, such as grass and gravel. Moves walls by up to as much. Zero is off.
    pub cluster_m: f64,
    /// Takes detail out of uneven ground that changes its height by no more than this, in metres:
    /// fewer cells and faster searches on terrain and scans. Zero keeps every point. Typical: 0.05.
    pub simplify_m: f64,
    /// Takes triangles that face down as ground too: for scenes with careless winding.
    pub two_sided: bool,
}

impl Default for ExactSettings {
    fn default() -> Self {
        Self {
            stairs: Stairs::Steps,
            gap_distance_m: 0.01,
            wall_thickness_m: 0.025,
            stair_slope_rad: 55.0_f64.to_radians(),
            tolerance_m: 0.003,
            height_tolerance_m: 0.02,
            cluster_m: 0.0,
            simplify_m: 0.0,
            two_sided: false,
        }
    }
}

/// How the voxel pipeline divides ground into regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Regions {
    /// As far as the agent can go without passing over or under ground of the same region.
    #[default]
    Flood,
    /// Ground of one discrete height only.
    Flat,
    /// Basins of the distance to the boundary; borders between them may follow the tiles.
    Watershed,
    /// Pieces that every row crosses once; borders between them may follow the tiles.
    Monotone,
}

/// Settings of the voxel pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelSettings {
    /// Width of a column, in metres, rounded to the lattice (an even number of units of 15 µm).
    /// Smaller values follow walls more closely and cost more; boundaries lie less than one cell too
    /// far out and about one and a half too far in. Typical: a third of the agent's radius, 0.1.
    pub cell_size_m: f64,
    /// Height of a cell, in metres: how closely the mesh follows the ground, and what counts as one
    /// height. Steps are found only where it is at most the agent's largest step. Typical: 0.05.
    pub cell_height_m: f64,
    /// Columns along the side of a tile; 0 builds in one tile. Memory grows with the square of it;
    /// the result does not depend on it.
    pub tile_size_cells: u32,
    /// How ground is divided into regions.
    pub regions: Regions,
    /// How far a simplified boundary may lie inside of the cells it follows, in cells; outside by a
    /// quarter of a cell at most. Typical: 1.
    pub boundary_error_cells: f64,
    /// How far the mesh may lie above or below the ground, in cell heights. Typical: 0.75.
    pub height_error_cells: f64,
    /// Walks over what is too steep but no higher than a step above the ground around it.
    pub low_obstacles: bool,
    /// Leaves out the last column before a drop, which the ground may cover only in part.
    pub drop_ledges: bool,
    /// Takes what lies between a surface facing down and the next one facing up as solid, so that
    /// there is no ground inside of things.
    pub fill_solids: bool,
    /// Steps over the gaps of open stairs, where the next tread is higher or lower.
    pub bridge_gaps: bool,
    /// Takes triangles that face down as ground too: for scenes with careless winding.
    pub two_sided: bool,
}

impl Default for VoxelSettings {
    fn default() -> Self {
        Self {
            cell_size_m: 0.1,
            cell_height_m: 0.05,
            tile_size_cells: 256,
            regions: Regions::Flood,
            boundary_error_cells: 1.0,
            height_error_cells: 0.75,
            low_obstacles: true,
            drop_ledges: true,
            fill_solids: true,
            bridge_gaps: true,
            two_sided: false,
        }
    }
}

/// Settings of the layered pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayeredSettings {
    /// Width of a coarse voxel, in metres: rounded to whole fine cells. Larger ones are faster and
    /// find fewer layers; one wider than 0.7 of the agent's radius may miss ground between things that
    /// stand close. Typical: 0.2.
    pub cell_size_m: f64,
    /// Height of a coarse voxel, in metres. Typical: 0.1.
    pub cell_height_m: f64,
    /// Width of a cell of the fine depth maps, in metres, rounded to the lattice (a multiple of half
    /// a millimetre). Boundaries are right within one of it, on straight walls within a few
    /// millimetres. Typical: a sixth of the agent's radius, 0.05.
    pub fine_cell_size_m: f64,
    /// How far a simplified boundary may lie from the measured one, in fine cells. Typical: 0.25.
    pub boundary_error_cells: f64,
    /// How far the mesh may lie above or below the ground, in metres. Typical: 0.02.
    pub height_error_m: f64,
    /// Gaps in the ground up to this width are none, in metres. Typical: 0.01.
    pub gap_distance_m: f64,
    /// Takes triangles that face down as ground too: for scenes with careless winding.
    pub two_sided: bool,
}

impl Default for LayeredSettings {
    fn default() -> Self {
        Self {
            cell_size_m: 0.2,
            cell_height_m: 0.1,
            fine_cell_size_m: 0.05,
            boundary_error_cells: 0.25,
            height_error_m: 0.02,
            gap_distance_m: 0.01,
            two_sided: false,
        }
    }
}

/// Everything a build can be told.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeSettings {
    /// Who walks.
    pub agent: Agent,
    /// Which pipeline.
    pub method: Method,
    /// Which way is up in the scene's frame; any length.
    pub up: [f64; 3],
    /// The shape of the cells.
    pub cells: CellShape,
    /// How deep a notch of a cell may be and still pass as convex, in metres.
    pub convex_distance_m: f64,
    /// Keep only what can be reached from these points; empty keeps everything.
    pub seeds: Vec<[f64; 3]>,
    /// Connected patches smaller than this are dropped, unless a seed lies on them, in m².
    pub min_area_m2: f64,
    /// Gaps that the agent steps over are filled up to this distance, in metres, measured in space from
    /// the ground's border on one side to that on the other; less than half the agent's height. Larger
    /// values join more and ask for a longer stride. Zero is off. Typical: 0.3.
    pub fill_gaps_m: f64,
    /// Area types by tag; the first rule that matches counts.
    pub areas: Vec<AreaRule>,
    /// Settings of the exact pipeline.
    pub exact: ExactSettings,
    /// Settings of the voxel pipeline.
    pub voxel: VoxelSettings,
    /// Settings of the layered pipeline.
    pub layered: LayeredSettings,
}

impl Default for BakeSettings {
    fn default() -> Self {
        Self {
            agent: Agent::default(),
            method: Method::Exact,
            up: [0.0, 1.0, 0.0],
            cells: CellShape::Convex,
            convex_distance_m: 0.0,
            seeds: Vec::new(),
            min_area_m2: 1.0,
            fill_gaps_m: 0.0,
            areas: Vec::new(),
            exact: ExactSettings::default(),
            voxel: VoxelSettings::default(),
            layered: LayeredSettings::default(),
        }
    }
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A number is not in its range.
    #[error("{name} is {value}, but must be {range}; {advice}")]
    OutOfRange {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The up direction is none.
    #[error(transparent)]
    Up(#[from] FrameError),
    /// A seed is not finite.
    #[error("the seed ({}, {}, {}) is not finite; give three plain numbers", seed[0], seed[1], seed[2])]
    Seed {
        /// The seed.
        seed: [f64; 3],
    },
    /// More area types than ids.
    #[error("{count} area types are more than the 65,535 that a mesh can hold")]
    TooManyAreas {
        /// How many.
        count: usize,
    },
}

/// Settings that have been checked.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Who walks.
    pub agent: Agent,
    /// Which pipeline.
    pub method: Method,
    /// The rotation to Z up, around the user's origin.
    pub frame: Frame,
    /// Keep only what can be reached from these points.
    pub seeds: Vec<[f64; 3]>,
    /// Smallest patch kept, in m².
    pub min_area_m2: f64,
    /// Gaps up to this distance are filled, in metres.
    pub fill_gaps_m: f64,
    /// Area types by tag.
    pub areas: Vec<AreaRule>,
    /// The exact pipeline's settings.
    pub exact: ExactSettings,
    /// The voxel pipeline's settings.
    pub voxel: VoxelSettings,
    /// The layered pipeline's settings.
    pub layered: LayeredSettings,
    /// The partition's settings.
    pub partition: PartitionSettings,
}

impl Resolved {
    /// What the mesh says about how it was built.
    pub(crate) fn build_info(&self) -> BuildInfo {
        let (exact, voxel, layered) = (&self.exact, &self.voxel, &self.layered);
        let info = BuildInfo {
            method: BuildMethod::Exact,
            cell_size_m: 0.0,
            cell_height_m: 0.0,
            gap_distance_m: exact.gap_distance_m,
            stair_slope_rad: exact.stair_slope_rad,
            min_area_m2: self.min_area_m2,
            two_sided: exact.two_sided,
            seeded: !self.seeds.is_empty(),
        };
        let gridded = BuildInfo {
            method: BuildMethod::Voxel,
            cell_size_m: voxel.cell_size_m,
            cell_height_m: voxel.cell_height_m,
            gap_distance_m: voxel.cell_size_m,
            stair_slope_rad: 0.0,
            two_sided: voxel.two_sided,
            ..info
        };
        match self.method {
            Method::Exact => info,
            Method::Voxel => gridded,
            Method::Layered => BuildInfo {
                method: BuildMethod::Layered,
                cell_size_m: layered.fine_cell_size_m,
                cell_height_m: layered.height_error_m,
                gap_distance_m: layered.gap_distance_m,
                two_sided: layered.two_sided,
                ..gridded
            },
            Method::AnySurface => BuildInfo { method: BuildMethod::AnySurface, ..info },
        }
    }
}

/// Settings of the partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionSettings {
    /// The shape of the cells.
    pub cells: CellShape,
    /// How deep a notch may be, in metres.
    pub convex_distance_m: f64,
    /// How far a cell may lie above or below the faces it is made of, in metres.
    pub height_tolerance_m: f64,
}

fn in_range(
    name: &'static str,
    value: f64,
    ok: bool,
    range: &'static str,
    advice: &'static str,
) -> Result<(), SettingsError> {
    // NaN makes every comparison false, so `ok` is false for it.
    if ok { Ok(()) } else { Err(SettingsError::OutOfRange { name, value, range, advice }) }
}

impl BakeSettings {
    /// Checks ranges and combinations, once.
    pub fn resolve(&self) -> Result<Resolved, SettingsError> {
        let a = &self.agent;
        let e = &self.exact;
        let metres = "give it in metres";
        in_range(
            "the agent's height",
            a.height_m,
            a.height_m > 0.0 && a.height_m <= 1000.0,
            "above 0 and at most 1000 m",
            metres,
        )?;
        in_range(
            "the agent's radius",
            a.radius_m,
            (0.0..=100.0).contains(&a.radius_m),
            "from 0 to 100 m",
            metres,
        )?;
        in_range(
            "the largest slope",
            a.max_slope_rad.to_degrees(),
            a.max_slope_rad > 0.0 && a.max_slope_rad.to_degrees() <= 85.0,
            "above 0° and at most 85°",
            "steeper ground is a wall to this pipeline",
        )?;
        in_range(
            "the largest step",
            a.max_step_m,
            a.max_step_m >= 0.0 && a.max_step_m < a.height_m,
            "from 0 to below the agent's height",
            "lower the step or raise the height",
        )?;
        in_range(
            "the convex distance",
            self.convex_distance_m,
            (0.0..=100.0).contains(&self.convex_distance_m),
            "from 0 to 100 m",
            metres,
        )?;
        in_range(
            "the smallest area",
            self.min_area_m2,
            self.min_area_m2 >= 0.0 && self.min_area_m2.is_finite(),
            "0 or more, in m²",
            "0 keeps everything",
        )?;
        in_range(
            "the distance of gaps to fill",
            self.fill_gaps_m,
            self.fill_gaps_m >= 0.0 && self.fill_gaps_m < 0.5 * a.height_m,
            "0, which is off, or less than half the agent's height, in metres",
            "lower it, or raise the agent's height: above that it is not clear which floor a gap leads to",
        )?;
        in_range(
            "the gap distance",
            e.gap_distance_m,
            (0.0..=1.0).contains(&e.gap_distance_m),
            "from 0 to 1 m",
            "it is for modelling gaps; gaps to step over are annotated with --fill-gaps",
        )?;
        in_range(
            "the wall thickness",
            e.wall_thickness_m,
            e.wall_thickness_m > e.gap_distance_m && e.wall_thickness_m <= 10.0,
            "above the gap distance and at most 10 m",
            "raise it, or lower the gap distance, so that no gap is closed through a wall",
        )?;
        in_range(
            "the stair slope",
            e.stair_slope_rad.to_degrees(),
            e.stair_slope_rad > 0.0 && e.stair_slope_rad.to_degrees() <= 85.0,
            "above 0° and at most 85°",
            "it is the steepest ramp laid over stairs",
        )?;
        in_range(
            "the tolerance",
            e.tolerance_m,
            (0.0..=10.0).contains(&e.tolerance_m),
            "from 0 to 10 m",
            metres,
        )?;
        in_range(
            "the height tolerance",
            e.height_tolerance_m,
            (0.0..=10.0).contains(&e.height_tolerance_m),
            "from 0 to 10 m",
            metres,
        )?;
        in_range(
            "the size of clusters",
            e.cluster_m,
            (0.0..=10.0).contains(&e.cluster_m),
            "from 0 to 10 m",
            "0 keeps every point",
        )?;
        in_range(
            "the height by which ground may be simplified",
            e.simplify_m,
            (0.0..=10.0).contains(&e.simplify_m),
            "from 0 to 10 m",
            "0 keeps every point",
        )?;
        self.voxel.check()?;
        self.layered.check()?;
        if let Some(&seed) = self.seeds.iter().find(|s| !s.iter().all(|c| c.is_finite())) {
            return Err(SettingsError::Seed { seed });
        }
        if self.areas.len() >= usize::from(u16::MAX) {
            return Err(SettingsError::TooManyAreas { count: self.areas.len() });
        }
        Ok(Resolved {
            agent: self.agent,
            method: self.method,
            frame: Frame::with_up(self.up)?,
            seeds: self.seeds.clone(),
            min_area_m2: self.min_area_m2,
            fill_gaps_m: self.fill_gaps_m,
            areas: self.areas.clone(),
            exact: self.exact,
            voxel: self.voxel,
            layered: self.layered,
            partition: PartitionSettings {
                cells: self.cells,
                convex_distance_m: self.convex_distance_m,
                height_tolerance_m: e.height_tolerance_m,
            },
        })
    }
}

impl VoxelSettings {
    fn check(&self) -> Result<(), SettingsError> {
        in_range(
            "the cell size",
            self.cell_size_m,
            (0.002..=10.0).contains(&self.cell_size_m),
            "from 0.002 to 10 m",
            "a third of the agent's radius is usual",
        )?;
        in_range(
            "the cell height",
            self.cell_height_m,
            (0.001..=10.0).contains(&self.cell_height_m),
            "from 0.001 to 10 m",
            "half the cell size is usual",
        )?;
        in_range(
            "the tile size",
            f64::from(self.tile_size_cells),
            self.tile_size_cells == 0 || (8..=16_384).contains(&self.tile_size_cells),
            "from 8 to 16,384 cells, or 0 for one tile",
            "256 is usual",
        )?;
        in_range(
            "the boundary error",
            self.boundary_error_cells,
            (0.0..=100.0).contains(&self.boundary_error_cells),
            "from 0 to 100 cells",
            "1 is usual",
        )?;
        in_range(
            "the height error",
            self.height_error_cells,
            (0.0..=100.0).contains(&self.height_error_cells),
            "from 0 to 100 cell heights",
            "0.75 is usual",
        )
    }
}

impl LayeredSettings {
    fn check(&self) -> Result<(), SettingsError> {
        in_range(
            "the fine cell size",
            self.fine_cell_size_m,
            (0.002..=10.0).contains(&self.fine_cell_size_m),
            "from 0.002 to 10 m",
            "a sixth of the agent's radius is usual",
        )?;
        in_range(
            "the coarse cell size",
            self.cell_size_m,
            self.cell_size_m >= self.fine_cell_size_m
                && self.cell_size_m <= 32.0 * self.fine_cell_size_m,
            "from one to 32 fine cells",
            "four fine cells are usual",
        )?;
        in_range(
            "the coarse cell height",
            self.cell_height_m,
            (0.001..=10.0).contains(&self.cell_height_m),
            "from 0.001 to 10 m",
            "half the coarse cell size is usual",
        )?;
        in_range(
            "the boundary error",
            self.boundary_error_cells,
            (0.0..=100.0).contains(&self.boundary_error_cells),
            "from 0 to 100 fine cells",
            "0.25 is usual",
        )?;
        in_range(
            "the height error",
            self.height_error_m,
            (0.0..=10.0).contains(&self.height_error_m),
            "from 0 to 10 m",
            "0.02 is usual",
        )?;
        in_range(
            "the gap distance of layers",
            self.gap_distance_m,
            (0.0..=1.0).contains(&self.gap_distance_m),
            "from 0 to 1 m",
            "0.01 is usual",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_resolve() {
        assert!(BakeSettings::default().resolve().is_ok());
    }

    #[test]
    fn absurd_settings_are_refused_with_advice() {
        let base = BakeSettings::default;
        let with = |f: &dyn Fn(&mut BakeSettings)| {
            let mut s = base();
            f(&mut s);
            s.resolve()
        };
        assert!(with(&|s| s.agent.height_m = f64::NAN).is_err());
        assert!(with(&|s| s.agent.height_m = 0.0).is_err());
        assert!(with(&|s| s.agent.radius_m = -1.0).is_err());
        assert!(with(&|s| s.agent.max_step_m = 2.0).is_err());
        assert!(with(&|s| s.agent.max_slope_rad = 1.6).is_err());
        assert!(with(&|s| s.up = [0.0; 3]).is_err());
        assert!(with(&|s| s.exact.gap_distance_m = 0.1).is_err());
        assert!(with(&|s| s.fill_gaps_m = -0.1).is_err());
        assert!(with(&|s| s.fill_gaps_m = f64::NAN).is_err());
        assert!(with(&|s| s.fill_gaps_m = 0.9).is_err(), "half the height");
        assert!(with(&|s| s.fill_gaps_m = 0.89).is_ok());
        assert!(with(&|s| s.seeds = vec![[f64::INFINITY, 0.0, 0.0]]).is_err());
        assert!(with(&|s| s.min_area_m2 = f64::INFINITY).is_err());
    }
}
