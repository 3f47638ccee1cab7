//! What a build can be told: plain structs with defaults, each setting declared once.
//!
//! A declaration holds a setting's default, range, unit, key and help; `resolve` checks ranges by it,
//! and command lines, files, panels and documents are made from the table of all of them.

mod area_rule;
mod declare;
mod error;
mod resolve;
#[cfg(feature = "serde")]
mod serial;
mod table;

pub use area_rule::{AreaRule, AreaRuleError};
pub use declare::{NumberRange, SettingChoice, SettingKind, SettingValue};
pub use error::SettingsError;
pub use resolve::PartitionSettings;
pub(crate) use resolve::{ReadSettings, Resolved, ResolvedLayered};
#[cfg(feature = "serde")]
pub use serial::SettingValues;
pub use table::{settings_markdown, settings_table};

use declare::{
    Field, count_or_zero, declare_choices, declare_setting, declare_settings, metres,
    metres_above_zero, multiples, slope, square_metres,
};
use std::fmt;
use std::str::FromStr;
use surefoot_mesh::{Agent, BuildMethod};
use thiserror::Error;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingInfo {
    /// Its name in programs, files and messages, for example `voxel.cell_size`; never changes.
    pub key: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Under which heading it stands.
    pub group: &'static str,
    /// What values it takes.
    pub kind: SettingKind,
    /// A short name for where keys are too long, such as a command line.
    pub short: Option<&'static str>,
    /// The methods that it has an effect on.
    pub methods: &'static [BuildMethod],
    documentation: &'static str,
    get: fn(&BakeSettings) -> SettingValue,
    set: fn(&mut BakeSettings, &SettingValue) -> bool,
}

/// Which pipeline, with the settings of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// On the geometry itself, without voxels.
    Exact(ExactSettings),
    /// Tiled voxels, for huge and broken input.
    Voxel(VoxelSettings),
    /// Layers of depth maps.
    Layered(LayeredSettings),
    /// Walls, ceilings, planets. Not part of this version.
    AnySurface,
}

declare_choices! {
    /// The shape of the cells.
    pub enum CellShape {
        /// Convex polygons: fewer cells, faster queries.
        Convex = "convex",
        /// Triangles.
        Triangles = "triangles",
        /// Convex polygons, by merging triangles (Hertel and Mehlhorn).
        HertelMehlhorn = "hertel-mehlhorn",
        /// Convex polygons, by portals that split notches (Oliva).
        Notches = "notches",
    }
}

declare_choices! {
    /// How stairs connect.
    pub enum Stairs {
        /// Treads are neighbours across step edges; ramps only where treads are apart in plan.
        Steps = "steps",
        /// Flights are covered by ramps.
        Ramps = "ramps",
    }
}

declare_choices! {
    /// How the voxel pipeline divides ground into regions.
    pub enum Regions {
        /// As far as the agent can go without passing over or under ground of the same region.
        Flood = "flood",
        /// Ground of one discrete height only.
        Flat = "flat",
        /// Basins of the distance to the boundary; borders between them may follow the tiles.
        Watershed = "watershed",
        /// Pieces that every row crosses once; borders between them may follow the tiles.
        Monotone = "monotone",
    }
}

const METHODS: &[SettingChoice] = &[
    SettingChoice { name: "exact", documentation: "On the geometry itself, without voxels." },
    SettingChoice { name: "voxel", documentation: "Tiled voxels, for huge and broken input." },
    SettingChoice { name: "layered", documentation: "Layers of depth maps." },
    SettingChoice { name: "any-surface", documentation: "Walls, ceilings, planets." },
];

const ALL: &[BuildMethod] =
    &[BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered, BuildMethod::AnySurface];

/// What lines of the table have in common, group by group.
const fn in_group(group: &'static str, methods: &'static [BuildMethod]) -> SettingInfo {
    SettingInfo {
        key: "",
        label: "",
        group,
        kind: SettingKind::Switch,
        short: None,
        methods,
        documentation: "",
        get: |_| SettingValue::Switch(false),
        set: |_, _| false,
    }
}

/// The method and the agent, whose types are declared elsewhere.
const METHOD_TABLE: &[SettingInfo] = &[declare_setting!(
    BakeSettings, method,
    "How ground is found: exact works on the geometry itself, voxel is for huge or hopeless input, \
     layered looks closely only where there is ground.",
    { key: "method", label: "Method", kind: SettingKind::Choice(METHODS), short: Some("method") },
    in_group("Method", ALL)
)];

const AGENT_TABLE: &[SettingInfo] = &[
    declare_setting!(
        Agent, height_m, "Head room that the agent needs. Typical: 1.8 for a person.",
        { key: "agent.height", label: "Height", short: Some("agent-height"),
          kind: metres_above_zero(1000.0).slider(0.2, 4.0, 0.05) },
        in_group("Agent", ALL)
    ),
    declare_setting!(
        Agent, radius_m,
        "Half the agent's width: the mesh keeps this distance from walls and ledges. Zero keeps the \
         full ground. Typical: 0.3.",
        { key: "agent.radius", label: "Radius", short: Some("agent-radius"),
          kind: metres(0.0, 100.0).slider(0.0, 2.0, 0.01) },
        in_group("Agent", ALL)
    ),
    declare_setting!(
        Agent, max_slope_rad,
        "The steepest ground that the agent walks on, from the horizontal. Typical: 45.",
        { key: "agent.max_slope", label: "Largest slope", short: Some("max-slope"),
          kind: slope().slider(1.0, 85.0, 1.0) },
        in_group("Agent", ALL)
    ),
    declare_setting!(
        Agent, max_step_m,
        "The highest step that the agent climbs; below its height. Typical: 0.4.",
        { key: "agent.max_step", label: "Largest step", short: Some("max-step"),
          kind: metres(0.0, 1000.0).slider(0.0, 1.5, 0.01) },
        in_group("Agent", ALL)
    ),
];

declare_settings! {
    /// Everything a build can be told.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BakeSettings
        with {
            /// Who walks.
            agent: Agent;
            /// Which pipeline, with its own settings.
            method: Method;
        }
        like in_group("Scene", ALL);

    /// Which way is up in the scene's frame; any length. Most game tools write Y, most CAD and survey
    /// tools Z.
    up: [f64; 3] = [0.0, 1.0, 0.0], {
        key: "up", label: "Up", kind: SettingKind::Direction, short: Some("up")
    };
    /// Takes triangles that face down as ground too: for scenes with careless winding.
    two_sided: bool = false, {
        key: "two_sided", label: "Two-sided", kind: SettingKind::Switch, short: Some("two-sided")
    };
    /// Keeps ground that lies inside solids, such as the floor in a crate. Without it, a patch of ground
    /// from which nearly every way up meets the back of something is dropped. Two-sided scenes keep it
    /// in any case, since backs say nothing there.
    keep_inside: bool = false, {
        key: "keep_inside", label: "Keep ground inside solids", kind: SettingKind::Switch,
        short: Some("keep-inside")
    };
    /// Makes one point of all that lie in a cell of this size before anything else: for clouds of tiny
    /// triangles, such as grass and gravel. Moves walls by up to as much. Zero is off.
    cluster_m: f64 = 0.0, {
        key: "cluster", label: "Cluster points", short: Some("cluster"),
        kind: metres(0.0, 10.0).slider(0.0, 0.2, 0.005)
    };
    /// Modelling gaps in the ground up to this width are closed. Larger values heal sloppier models; a
    /// value near the agent's radius would close real gaps. Typical: 0.01.
    gap_distance_m: f64 = 0.01, {
        key: "gap_distance", label: "Gap distance", short: Some("gap-distance"),
        kind: metres(0.0, 1.0).slider(0.0, 0.1, 0.001),
        methods: &[BuildMethod::Exact, BuildMethod::Layered]
    };
    /// Walls are at least this thick, widened backwards; above the gap distance, so that no gap is
    /// closed through a wall. Methods with cells ask for it only where gaps are filled. Typical: 0.025.
    wall_thickness_m: f64 = 0.025, {
        key: "wall_thickness", label: "Wall thickness", short: Some("wall-thickness"),
        kind: metres_above_zero(10.0).slider(0.011, 0.2, 0.001)
    };
    /// Gives an area type to triangles whose tag (object, group or material) matches a pattern; the
    /// first rule that matches counts.
    areas: Vec<AreaRule> = Vec::new(), {
        key: "areas", label: "Area types", kind: SettingKind::Areas, short: Some("area")
    };
    /// Leaves out triangles whose tag matches a pattern: foliage, outline hulls, glass, collision shapes.
    ignore: Vec<String> = Vec::new(), {
        key: "ignore", label: "Ignore", kind: SettingKind::Patterns, short: Some("ignore")
    };
    /// Triangles whose tag matches a pattern are never ground, however flat they are, and in the way
    /// from their lowest point up.
    obstacle: Vec<String> = Vec::new(), {
        key: "obstacle", label: "Never ground", kind: SettingKind::Patterns, short: Some("obstacle")
    };
    /// Triangles whose tag matches a pattern are ground whatever their slope or side, upright ones
    /// excepted. Methods with cells join ground up to about 75°.
    ground: Vec<String> = Vec::new(), {
        key: "ground", label: "Always ground", kind: SettingKind::Patterns, short: Some("ground")
    };
    /// Connected patches smaller than this are dropped, unless a seed lies on them. Zero keeps
    /// everything.
    min_area_m2: f64 = 1.0, {
        key: "min_area", label: "Smallest area", group: "Result", short: Some("min-area"),
        kind: square_metres().slider(0.0, 20.0, 0.1)
    };
    /// Gaps that the agent steps over are filled up to this distance, measured in space from the
    /// ground's border on one side to that on the other; less than half the agent's height. Larger
    /// values join more and ask for a longer stride. Zero is off. Typical: 0.3.
    fill_gaps_m: f64 = 0.0, {
        key: "fill_gaps", label: "Fill gaps", group: "Result", short: Some("fill-gaps"),
        kind: metres(0.0, 500.0).slider(0.0, 0.85, 0.05)
    };
    /// Keeps only what can be reached from these points; none keeps everything.
    seeds: Vec<[f64; 3]> = Vec::new(), {
        key: "seeds", label: "Seeds", group: "Result", kind: SettingKind::Points,
        short: Some("seed")
    };
    /// The shape of the cells.
    cells: CellShape = CellShape::Convex, {
        key: "cells", label: "Cells", group: "Result", short: Some("cells"),
        kind: SettingKind::Choice(CellShape::CHOICES)
    };
    /// How deep a notch of a cell may be and still pass as convex. More makes fewer cells; zero is
    /// strict.
    convex_distance_m: f64 = 0.0, {
        key: "convex_distance", label: "Convexity relaxation", group: "Result",
        short: Some("convex-distance"), kind: metres(0.0, 100.0).slider(0.0, 1.0, 0.01)
    };
    /// How far a cell may lie above or below the ground it stands for. Typical: 0.02.
    height_tolerance_m: f64 = 0.02, {
        key: "height_tolerance", label: "Height tolerance", group: "Result",
        kind: metres(0.0, 10.0).slider(0.0, 0.2, 0.001)
    };
}

declare_settings! {
    /// Settings of the exact pipeline.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ExactSettings like in_group("Exact", &[BuildMethod::Exact]);

    /// How stairs connect.
    stairs: Stairs = Stairs::Steps, {
        key: "exact.stairs", label: "Stairs", kind: SettingKind::Choice(Stairs::CHOICES),
        short: Some("stairs")
    };
    /// The steepest ramp laid over stairs. Typical: 55.
    stair_slope_rad: f64 = 55.0_f64.to_radians(), {
        key: "exact.stair_slope", label: "Stair slope", kind: slope().slider(10.0, 85.0, 1.0),
        short: Some("stair-slope")
    };
    /// How far a simplified boundary may move, always inwards. Zero keeps every vertex. Typical: 0.003.
    tolerance_m: f64 = 0.003, {
        key: "exact.tolerance", label: "Boundary tolerance", short: Some("tolerance"),
        kind: metres(0.0, 10.0).slider(0.0, 0.1, 0.001)
    };
    /// Takes detail out of uneven ground that changes its height by no more than this: fewer cells and
    /// faster searches on terrain and scans. Zero keeps every point. Typical: 0.05.
    simplify_m: f64 = 0.0, {
        key: "exact.simplify", label: "Simplify ground", short: Some("simplify"),
        kind: metres(0.0, 10.0).slider(0.0, 0.3, 0.005)
    };
}

declare_settings! {
    /// Settings of the voxel pipeline.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct VoxelSettings like in_group("Voxel", &[BuildMethod::Voxel]);

    /// Width of a column, rounded to the lattice (an even number of units of 15 µm). Smaller values
    /// follow walls more closely and cost more; boundaries lie less than one cell too far out and about
    /// one and a half too far in. Typical: a third of the agent's radius, 0.1.
    cell_size_m: f64 = 0.1, {
        key: "voxel.cell_size", label: "Cell size", short: Some("cell-size"),
        kind: metres(0.002, 10.0).slider(0.02, 1.0, 0.01)
    };
    /// Height of a cell: how closely the mesh follows the ground, and what counts as one height. Steps
    /// are found only where it is at most the agent's largest step. Typical: 0.05.
    cell_height_m: f64 = 0.05, {
        key: "voxel.cell_height", label: "Cell height", short: Some("cell-height"),
        kind: metres(0.001, 10.0).slider(0.01, 0.5, 0.01)
    };
    /// Columns along the side of a tile. Memory grows with the square of it; the result does not depend
    /// on it.
    tile_size_cells: u32 = 256, {
        key: "voxel.tile_size", label: "Tile size", short: Some("tile-size"),
        kind: count_or_zero("cells", 8.0, 16_384.0, "one tile").slider(0.0, 1024.0, 8.0)
    };
    /// How ground is divided into regions.
    regions: Regions = Regions::Flood, {
        key: "voxel.regions", label: "Regions", kind: SettingKind::Choice(Regions::CHOICES),
        short: Some("regions")
    };
    /// How far a simplified boundary may lie inside of the cells it follows; outside by a quarter of a
    /// cell at most. Typical: 1.
    boundary_error_cells: f64 = 1.0, {
        key: "voxel.boundary_error", label: "Boundary error",
        kind: multiples("cells", 100.0).slider(0.0, 4.0, 0.05)
    };
    /// How far the mesh may lie above or below the ground. Typical: 0.75.
    height_error_cells: f64 = 0.75, {
        key: "voxel.height_error", label: "Height error",
        kind: multiples("cell heights", 100.0).slider(0.0, 4.0, 0.05)
    };
    /// Walks over what is too steep but no higher than a step above the ground around it.
    low_obstacles: bool = true, {
        key: "voxel.low_obstacles", label: "Step over low obstacles", kind: SettingKind::Switch
    };
    /// Leaves out the last column before a drop, which the ground may cover only in part.
    drop_ledges: bool = true, {
        key: "voxel.drop_ledges", label: "Leave out ledges", kind: SettingKind::Switch
    };
    /// Takes what lies between a surface facing down and the next one facing up as solid, so that there
    /// is no ground inside of things.
    fill_solids: bool = true, {
        key: "voxel.fill_solids", label: "Fill solids", kind: SettingKind::Switch
    };
    /// Steps over the gaps of open stairs, where the next tread is higher or lower.
    bridge_gaps: bool = true, {
        key: "voxel.bridge_gaps", label: "Bridge open stairs", kind: SettingKind::Switch
    };
}

declare_settings! {
    /// Settings of the layered pipeline.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct LayeredSettings like in_group("Layered", &[BuildMethod::Layered]);

    /// Width of a coarse voxel: rounded to whole fine cells, one to 32 of them. Larger ones are faster
    /// and find fewer layers; one wider than 0.7 of the agent's radius may miss ground between things
    /// that stand close. Typical: 0.2.
    cell_size_m: f64 = 0.2, {
        key: "layered.cell_size", label: "Coarse cell size",
        kind: metres(0.002, 320.0).slider(0.05, 1.0, 0.05)
    };
    /// Height of a coarse voxel. Typical: 0.1.
    cell_height_m: f64 = 0.1, {
        key: "layered.cell_height", label: "Coarse cell height",
        kind: metres(0.001, 10.0).slider(0.02, 0.5, 0.01)
    };
    /// Width of a cell of the fine depth maps, rounded to the lattice (a multiple of half a
    /// millimetre). Boundaries are right within one of it, on straight walls within a few millimetres.
    /// Typical: a sixth of the agent's radius, 0.05.
    fine_cell_size_m: f64 = 0.05, {
        key: "layered.fine_cell_size", label: "Fine cell size",
        kind: metres(0.002, 10.0).slider(0.01, 0.2, 0.005)
    };
    /// How far a simplified boundary may lie from the measured one. Typical: 0.25.
    boundary_error_cells: f64 = 0.25, {
        key: "layered.boundary_error", label: "Boundary error",
        kind: multiples("fine cells", 100.0).slider(0.0, 2.0, 0.05)
    };
    /// How far the mesh may lie above or below the ground. Typical: 0.02.
    height_error_m: f64 = 0.02, {
        key: "layered.height_error", label: "Height error",
        kind: metres(0.0, 10.0).slider(0.0, 0.2, 0.005)
    };
}

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no `{text}`; known are {known}")]
pub struct UnknownName {
    text: String,
    known: String,
}

impl UnknownName {
    fn new(text: &str, known: &[SettingChoice]) -> Self {
        let names: Vec<&str> = known.iter().map(|c| c.name).collect();
        Self { text: text.to_owned(), known: names.join(", ") }
    }
}

impl Method {
    /// Which one it is, without its settings.
    #[must_use]
    pub const fn kind(&self) -> BuildMethod {
        match self {
            Self::Exact(_) => BuildMethod::Exact,
            Self::Voxel(_) => BuildMethod::Voxel,
            Self::Layered(_) => BuildMethod::Layered,
            Self::AnySurface => BuildMethod::AnySurface,
        }
    }

    /// The name used on the command line and in reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind().name()
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::Exact(ExactSettings::default())
    }
}

/// A method with its defaults.
impl From<BuildMethod> for Method {
    fn from(kind: BuildMethod) -> Self {
        match kind {
            BuildMethod::Exact => Self::Exact(ExactSettings::default()),
            BuildMethod::Voxel => Self::Voxel(VoxelSettings::default()),
            BuildMethod::Layered => Self::Layered(LayeredSettings::default()),
            // A method that this version does not know it does not have either.
            _ => Self::AnySurface,
        }
    }
}

impl From<ExactSettings> for Method {
    fn from(settings: ExactSettings) -> Self {
        Self::Exact(settings)
    }
}

impl From<VoxelSettings> for Method {
    fn from(settings: VoxelSettings) -> Self {
        Self::Voxel(settings)
    }
}

impl From<LayeredSettings> for Method {
    fn from(settings: LayeredSettings) -> Self {
        Self::Layered(settings)
    }
}

/// Its name; the settings of its own are not told.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A method with its defaults, by its name.
impl FromStr for Method {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kind = ALL.iter().find(|kind| kind.name() == text);
        kind.map(|&kind| kind.into()).ok_or_else(|| UnknownName::new(text, METHODS))
    }
}

impl Field for Method {
    fn shown(&self) -> SettingValue {
        SettingValue::Choice(self.name().to_owned())
    }

    /// Another method comes with its defaults.
    fn take(&mut self, value: &SettingValue) -> bool {
        let SettingValue::Choice(name) = value else { return false };
        if name == self.name() {
            return true;
        }
        name.parse().map(|method| *self = method).is_ok()
    }
}

/// A struct of settings within those of a build. Those of a method are there only while it is chosen.
trait Part: Default {
    fn of(settings: &BakeSettings) -> Option<&Self>;
    fn of_mut(settings: &mut BakeSettings) -> Option<&mut Self>;
}

impl Part for BakeSettings {
    fn of(settings: &BakeSettings) -> Option<&Self> {
        Some(settings)
    }

    fn of_mut(settings: &mut BakeSettings) -> Option<&mut Self> {
        Some(settings)
    }
}

impl Part for Agent {
    fn of(settings: &BakeSettings) -> Option<&Self> {
        Some(&settings.agent)
    }

    fn of_mut(settings: &mut BakeSettings) -> Option<&mut Self> {
        Some(&mut settings.agent)
    }
}

macro_rules! part_of_method {
    ($part:ty, $method:ident) => {
        impl Part for $part {
            fn of(settings: &BakeSettings) -> Option<&Self> {
                if let Method::$method(part) = &settings.method { Some(part) } else { None }
            }

            fn of_mut(settings: &mut BakeSettings) -> Option<&mut Self> {
                if let Method::$method(part) = &mut settings.method { Some(part) } else { None }
            }
        }
    };
}
part_of_method!(ExactSettings, Exact);
part_of_method!(VoxelSettings, Voxel);
part_of_method!(LayeredSettings, Layered);
