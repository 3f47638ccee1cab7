//! The settings of a build, described: name, unit, range, explanation and how to read and set each.
//!
//! Nothing goes in; out comes one table, from which programs that let people choose settings (the
//! viewer's panel, `surefoot build --set`) make what they show. Numbers are in the units that people
//! use: metres, square metres, degrees, cells. A setting that exists is in this table, so no other
//! place has to list them again.

use crate::settings::{AreaRule, BakeSettings, CellShape, Method, Regions, Stairs};
use thiserror::Error;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingInfo {
    /// Its name in programs, for example `voxel.cell_size`; never changes.
    pub key: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Under which heading it stands.
    pub group: &'static str,
    /// What it does, what low and high values do, and what is typical.
    pub explanation: &'static str,
    /// What values it takes.
    pub kind: SettingKind,
    /// The flag of `surefoot build` that sets it, where it has one of its own.
    pub flag: Option<&'static str>,
    /// The methods that it has an effect on.
    pub methods: &'static [Method],
    get: fn(&BakeSettings) -> SettingValue,
    set: fn(&mut BakeSettings, SettingValue) -> bool,
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// A number.
    Number {
        /// Its unit; empty for none.
        unit: &'static str,
        /// The least value that a build accepts; settings that must be above zero say 0 here.
        low: f64,
        /// The greatest value that a build accepts.
        high: f64,
        /// What a slider should span.
        usual: [f64; 2],
        /// The step of a slider; a whole number where the setting counts something.
        step: f64,
    },
    /// One of several.
    Choice(&'static [SettingChoice]),
    /// On or off.
    Switch,
    /// A direction: three numbers, not all zero.
    Direction,
    /// Any number of points.
    Points,
    /// Any number of area types with patterns of tags.
    Areas,
}

/// One of the values of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingChoice {
    /// Its name in programs.
    pub name: &'static str,
    /// What it means.
    pub explanation: &'static str,
    /// Whether the setting's own flag knows it; if not, `--set` does.
    pub by_flag: bool,
}

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A number in the setting's unit.
    Number(f64),
    /// The name of a choice.
    Choice(String),
    /// On or off.
    Switch(bool),
    /// A direction.
    Direction([f64; 3]),
    /// Points.
    Points(Vec<[f64; 3]>),
    /// Area types with patterns of tags.
    Areas(Vec<AreaRule>),
}

/// A value that a setting does not take.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingError {
    /// There is no such setting.
    #[error("there is no setting `{key}`; known are {known}")]
    Unknown {
        /// The name given.
        key: String,
        /// All names.
        known: String,
    },
    /// The value is of another kind.
    #[error("`{text}` is no value of the setting {key}; give {wanted}")]
    Value {
        /// The setting.
        key: &'static str,
        /// The value given.
        text: String,
        /// What it takes.
        wanted: String,
    },
}

const ALL: &[Method] = &[Method::Exact, Method::Voxel, Method::Layered, Method::AnySurface];
const EXACT: &[Method] = &[Method::Exact];
const VOXEL: &[Method] = &[Method::Voxel];
const LAYERED: &[Method] = &[Method::Layered];

const fn choice(name: &'static str, explanation: &'static str) -> SettingChoice {
    SettingChoice { name, explanation, by_flag: true }
}

const fn choice_by_set(name: &'static str, explanation: &'static str) -> SettingChoice {
    SettingChoice { name, explanation, by_flag: false }
}

const METHODS: &[SettingChoice] = &[
    choice("exact", "on the geometry itself, without voxels"),
    choice("voxel", "tiled voxels, for huge and broken input"),
    choice("layered", "layers of depth maps"),
    choice("any-surface", "walls, ceilings, planets"),
];

const CELLS: &[SettingChoice] = &[
    choice("convex", "convex polygons: fewer cells, faster queries"),
    choice("triangles", "triangles"),
    choice_by_set("hertel-mehlhorn", "convex polygons, by merging triangles"),
    choice_by_set("notches", "convex polygons, by portals that split notches"),
];

const STAIRS: &[SettingChoice] = &[
    choice("steps", "treads are neighbours across step edges"),
    choice("ramps", "flights are covered by ramps"),
];

const REGIONS: &[SettingChoice] = &[
    choice("flood", "as far as the agent can go without passing over or under itself"),
    choice("flat", "ground of one height only"),
    choice("watershed", "basins of the distance to the boundary"),
    choice("monotone", "pieces that every row crosses once"),
];

macro_rules! number {
    ($key:literal, $label:literal, $group:literal, $methods:expr, $flag:expr, $unit:literal,
     $low:expr, $high:expr, $usual:expr, $step:expr, $explanation:literal, $($field:ident).+) => {
        SettingInfo {
            key: $key,
            label: $label,
            group: $group,
            explanation: $explanation,
            kind: SettingKind::Number {
                unit: $unit, low: $low, high: $high, usual: $usual, step: $step,
            },
            flag: $flag,
            methods: $methods,
            get: |s| SettingValue::Number(s.$($field).+.into()),
            set: |s, v| number(v).map(|v| s.$($field).+ = v).is_some(),
        }
    };
}

macro_rules! degrees {
    ($key:literal, $label:literal, $group:literal, $methods:expr, $flag:expr, $usual:expr,
     $explanation:literal, $($field:ident).+) => {
        SettingInfo {
            key: $key,
            label: $label,
            group: $group,
            explanation: $explanation,
            kind: SettingKind::Number {
                unit: "°", low: 0.0, high: 85.0, usual: $usual, step: 1.0,
            },
            flag: $flag,
            methods: $methods,
            // Rounded, so that 55° read back are 55 and not 55.00000000000001.
            get: |s| SettingValue::Number((s.$($field).+.to_degrees() * 1e9).round() / 1e9),
            set: |s, v| number(v).map(|v| s.$($field).+ = v.to_radians()).is_some(),
        }
    };
}

macro_rules! switch {
    ($key:literal, $label:literal, $group:literal, $methods:expr, $explanation:literal,
     $($field:ident).+) => {
        SettingInfo {
            key: $key,
            label: $label,
            group: $group,
            explanation: $explanation,
            kind: SettingKind::Switch,
            flag: None,
            methods: $methods,
            get: |s| SettingValue::Switch(s.$($field).+),
            set: |s, v| switch(&v).map(|v| s.$($field).+ = v).is_some(),
        }
    };
}

/// Every setting of a build, in the order in which people should see them.
#[must_use]
pub fn settings_table() -> &'static [SettingInfo] {
    TABLE
}

#[rustfmt::skip]
static TABLE: &[SettingInfo] = &[
    SettingInfo {
        key: "method", label: "Method", group: "Method",
        explanation: "How ground is found. Exact works on the geometry itself; voxel is for huge or hopeless input.",
        kind: SettingKind::Choice(METHODS), flag: Some("--method"), methods: ALL,
        get: |s| SettingValue::Choice(s.method.name().to_owned()),
        set: |s, v| one_of(&v, &[("exact", Method::Exact), ("voxel", Method::Voxel), ("layered", Method::Layered), ("any-surface", Method::AnySurface)])
            .map(|m| s.method = m).is_some(),
    },
    number!("agent.height", "Height", "Agent", ALL, Some("--agent-height"), "m", 0.0, 1000.0, [0.2, 4.0], 0.05,
        "Head room that the agent needs. Typical: 1.8 for a person.", agent.height_m),
    number!("agent.radius", "Radius", "Agent", ALL, Some("--agent-radius"), "m", 0.0, 100.0, [0.0, 2.0], 0.01,
        "Half the agent's width: the mesh keeps this distance from walls and ledges. Zero keeps the full ground. Typical: 0.3.", agent.radius_m),
    degrees!("agent.max_slope", "Largest slope", "Agent", ALL, Some("--max-slope"), [1.0, 85.0],
        "The steepest ground that the agent walks on, from the horizontal. Typical: 45.", agent.max_slope_rad),
    number!("agent.max_step", "Largest step", "Agent", ALL, Some("--max-step"), "m", 0.0, 1000.0, [0.0, 1.5], 0.01,
        "The highest step that the agent climbs; below its height. Typical: 0.4.", agent.max_step_m),
    SettingInfo {
        key: "up", label: "Up", group: "Scene",
        explanation: "Which way is up in the scene. Most game tools write Y, most CAD and survey tools Z.",
        kind: SettingKind::Direction, flag: Some("--up"), methods: ALL,
        get: |s| SettingValue::Direction(s.up),
        set: |s, v| match v { SettingValue::Direction(up) => { s.up = up; true } _ => false },
    },
    SettingInfo {
        key: "two_sided", label: "Two-sided", group: "Scene",
        explanation: "Takes triangles that face down as ground too: for scenes with careless winding.",
        kind: SettingKind::Switch, flag: Some("--two-sided"), methods: &[Method::Exact, Method::Voxel, Method::Layered],
        get: |s| SettingValue::Switch(s.exact.two_sided || s.voxel.two_sided || s.layered.two_sided),
        set: |s, v| switch(&v).map(|v| { s.exact.two_sided = v; s.voxel.two_sided = v; s.layered.two_sided = v; }).is_some(),
    },
    SettingInfo {
        key: "areas", label: "Area types", group: "Scene",
        explanation: "Gives an area type to triangles whose tag (object, group or material) matches a pattern; * matches anything.",
        kind: SettingKind::Areas, flag: Some("--area"), methods: ALL,
        get: |s| SettingValue::Areas(s.areas.clone()),
        set: |s, v| match v { SettingValue::Areas(areas) => { s.areas = areas; true } _ => false },
    },
    number!("min_area", "Smallest area", "Result", ALL, Some("--min-area"), "m²", 0.0, f64::MAX, [0.0, 20.0], 0.1,
        "Connected patches smaller than this are dropped, unless a seed lies on them. Zero keeps everything.", min_area_m2),
    number!("fill_gaps", "Fill gaps", "Result", ALL, Some("--fill-gaps"), "m", 0.0, 500.0, [0.0, 0.85], 0.05,
        "Gaps that the agent steps over are filled up to this distance, from border to border; less than half the agent's height. Larger values join more and ask for a longer stride. Zero is off. Typical: 0.3.", fill_gaps_m),
    SettingInfo {
        key: "seeds", label: "Seeds", group: "Result",
        explanation: "Keeps only what can be reached from these points; none keeps everything.",
        kind: SettingKind::Points, flag: Some("--seed"), methods: ALL,
        get: |s| SettingValue::Points(s.seeds.clone()),
        set: |s, v| match v { SettingValue::Points(seeds) => { s.seeds = seeds; true } _ => false },
    },
    SettingInfo {
        key: "cells", label: "Cells", group: "Result",
        explanation: "The shape of the cells.",
        kind: SettingKind::Choice(CELLS), flag: Some("--cells"), methods: ALL,
        get: |s| SettingValue::Choice(match s.cells {
            CellShape::Convex => "convex", CellShape::Triangles => "triangles",
            CellShape::HertelMehlhorn => "hertel-mehlhorn", CellShape::Notches => "notches",
        }.to_owned()),
        set: |s, v| one_of(&v, &[("convex", CellShape::Convex), ("triangles", CellShape::Triangles), ("hertel-mehlhorn", CellShape::HertelMehlhorn), ("notches", CellShape::Notches)])
            .map(|c| s.cells = c).is_some(),
    },
    number!("convex_distance", "Convexity relaxation", "Result", ALL, Some("--convex-distance"), "m", 0.0, 100.0, [0.0, 1.0], 0.01,
        "How deep a notch of a cell may be and still pass as convex. More makes fewer cells; zero is strict.", convex_distance_m),
    SettingInfo {
        key: "exact.stairs", label: "Stairs", group: "Exact",
        explanation: "How stairs connect.",
        kind: SettingKind::Choice(STAIRS), flag: Some("--stairs"), methods: EXACT,
        get: |s| SettingValue::Choice(match s.exact.stairs { Stairs::Steps => "steps", Stairs::Ramps => "ramps" }.to_owned()),
        set: |s, v| one_of(&v, &[("steps", Stairs::Steps), ("ramps", Stairs::Ramps)]).map(|c| s.exact.stairs = c).is_some(),
    },
    number!("exact.gap_distance", "Gap distance", "Exact", EXACT, Some("--gap-distance"), "m", 0.0, 1.0, [0.0, 0.1], 0.001,
        "Modelling gaps in the ground up to this width are closed. Larger values heal sloppier models; near the agent's radius they would close real gaps. Typical: 0.01.", exact.gap_distance_m),
    number!("exact.wall_thickness", "Wall thickness", "Exact", EXACT, Some("--wall-thickness"), "m", 0.0, 10.0, [0.011, 0.2], 0.001,
        "Walls are at least this thick, widened backwards; above the gap distance, so that no gap is closed through a wall. Typical: 0.025.", exact.wall_thickness_m),
    degrees!("exact.stair_slope", "Stair slope", "Exact", EXACT, Some("--stair-slope"), [10.0, 85.0],
        "The steepest ramp laid over stairs. Typical: 55.", exact.stair_slope_rad),
    number!("exact.tolerance", "Boundary tolerance", "Exact", EXACT, Some("--tolerance"), "m", 0.0, 10.0, [0.0, 0.1], 0.001,
        "How far a simplified boundary may move, always inwards. Zero keeps every vertex. Typical: 0.003.", exact.tolerance_m),
    number!("exact.height_tolerance", "Height tolerance", "Exact", EXACT, None, "m", 0.0, 10.0, [0.0, 0.2], 0.001,
        "How far a cell may lie above or below the ground it stands for. Typical: 0.02.", exact.height_tolerance_m),
    number!("exact.simplify", "Simplify ground", "Exact", EXACT, Some("--simplify"), "m", 0.0, 10.0, [0.0, 0.3], 0.005,
        "Takes detail out of uneven ground that changes its height by no more than this: fewer cells on terrain and scans. Zero is off. Typical: 0.05.", exact.simplify_m),
    number!("exact.cluster", "Cluster points", "Exact", EXACT, Some("--cluster"), "m", 0.0, 10.0, [0.0, 0.2], 0.005,
        "Makes one point of all that lie in a cell of this size first: for clouds of tiny triangles, such as grass. Moves walls by up to as much. Zero is off.", exact.cluster_m),
    number!("voxel.cell_size", "Cell size", "Voxel", VOXEL, Some("--cell-size"), "m", 0.002, 10.0, [0.02, 1.0], 0.01,
        "Width of a column. Smaller values follow walls more closely and cost more. Typical: a third of the agent's radius, 0.1.", voxel.cell_size_m),
    number!("voxel.cell_height", "Cell height", "Voxel", VOXEL, Some("--cell-height"), "m", 0.001, 10.0, [0.01, 0.5], 0.01,
        "How closely the mesh follows the ground, and what counts as one height; at most the agent's largest step. Typical: 0.05.", voxel.cell_height_m),
    SettingInfo {
        key: "voxel.tile_size", label: "Tile size", group: "Voxel",
        explanation: "Columns along the side of a tile; 0 builds in one tile. Memory grows with the square of it; the result does not depend on it.",
        kind: SettingKind::Number { unit: "cells", low: 0.0, high: 16_384.0, usual: [0.0, 1024.0], step: 8.0 },
        flag: Some("--tile-size"), methods: VOXEL,
        get: |s| SettingValue::Number(f64::from(s.voxel.tile_size_cells)),
        set: |s, v| number(v).filter(|v| v.fract().abs() <= 0.0 && (0.0..=1e9).contains(v)).map(|v| s.voxel.tile_size_cells = v as u32).is_some(),
    },
    SettingInfo {
        key: "voxel.regions", label: "Regions", group: "Voxel",
        explanation: "How ground is divided into regions.",
        kind: SettingKind::Choice(REGIONS), flag: Some("--regions"), methods: VOXEL,
        get: |s| SettingValue::Choice(match s.voxel.regions {
            Regions::Flood => "flood", Regions::Flat => "flat", Regions::Watershed => "watershed", Regions::Monotone => "monotone",
        }.to_owned()),
        set: |s, v| one_of(&v, &[("flood", Regions::Flood), ("flat", Regions::Flat), ("watershed", Regions::Watershed), ("monotone", Regions::Monotone)])
            .map(|c| s.voxel.regions = c).is_some(),
    },
    number!("voxel.boundary_error", "Boundary error", "Voxel", VOXEL, None, "cells", 0.0, 100.0, [0.0, 4.0], 0.05,
        "How far a simplified boundary may lie from the cells it follows. Typical: 1.", voxel.boundary_error_cells),
    number!("voxel.height_error", "Height error", "Voxel", VOXEL, None, "cell heights", 0.0, 100.0, [0.0, 4.0], 0.05,
        "How far the mesh may lie above or below the ground. Typical: 0.75.", voxel.height_error_cells),
    switch!("voxel.low_obstacles", "Step over low obstacles", "Voxel", VOXEL,
        "Walks over what is too steep but no higher than a step above the ground around it.", voxel.low_obstacles),
    switch!("voxel.drop_ledges", "Leave out ledges", "Voxel", VOXEL,
        "Leaves out the last column before a drop, which the ground may cover only in part.", voxel.drop_ledges),
    switch!("voxel.fill_solids", "Fill solids", "Voxel", VOXEL,
        "Takes what lies between a surface facing down and the next one facing up as solid, so that there is no ground inside of things.", voxel.fill_solids),
    switch!("voxel.bridge_gaps", "Bridge open stairs", "Voxel", VOXEL,
        "Steps over the gaps of open stairs, where the next tread is higher or lower.", voxel.bridge_gaps),
    // The flags of this pipeline change each other in proportion; by name each means itself alone.
    number!("layered.cell_size", "Coarse cell size", "Layered", LAYERED, None, "m", 0.002, 320.0, [0.05, 1.0], 0.05,
        "Width of a coarse voxel, one to 32 fine cells. Larger ones are faster and find fewer layers; one wider than 0.7 of the agent's radius may miss ground between things that stand close. Typical: 0.2.", layered.cell_size_m),
    number!("layered.cell_height", "Coarse cell height", "Layered", LAYERED, None, "m", 0.001, 10.0, [0.02, 0.5], 0.01,
        "Height of a coarse voxel. Typical: 0.1.", layered.cell_height_m),
    number!("layered.fine_cell_size", "Fine cell size", "Layered", LAYERED, None, "m", 0.002, 10.0, [0.01, 0.2], 0.005,
        "Width of a cell of the fine depth maps. Boundaries are right within one of it, on straight walls within a few millimetres. Typical: a sixth of the agent's radius, 0.05.", layered.fine_cell_size_m),
    number!("layered.boundary_error", "Boundary error", "Layered", LAYERED, None, "fine cells", 0.0, 100.0, [0.0, 2.0], 0.05,
        "How far a simplified boundary may lie from the measured one. Typical: 0.25.", layered.boundary_error_cells),
    number!("layered.height_error", "Height error", "Layered", LAYERED, None, "m", 0.0, 10.0, [0.0, 0.2], 0.005,
        "How far the mesh may lie above or below the ground. Typical: 0.02.", layered.height_error_m),
    number!("layered.gap_distance", "Gap distance", "Layered", LAYERED, Some("--gap-distance"), "m", 0.0, 1.0, [0.0, 0.1], 0.005,
        "Gaps in the ground up to this width are none. Typical: 0.01.", layered.gap_distance_m),
];

fn number(value: SettingValue) -> Option<f64> {
    match value {
        SettingValue::Number(v) if v.is_finite() => Some(v),
        _ => None,
    }
}

fn switch(value: &SettingValue) -> Option<bool> {
    match value {
        SettingValue::Switch(v) => Some(*v),
        _ => None,
    }
}

fn one_of<T: Copy>(value: &SettingValue, all: &[(&str, T)]) -> Option<T> {
    match value {
        SettingValue::Choice(name) => all.iter().find(|(n, _)| n == name).map(|(_, v)| *v),
        _ => None,
    }
}

impl SettingInfo {
    /// The setting with this key.
    pub fn find(key: &str) -> Result<&'static Self, SettingError> {
        TABLE.iter().find(|s| s.key == key).ok_or_else(|| SettingError::Unknown {
            key: key.to_owned(),
            known: TABLE.iter().map(|s| s.key).collect::<Vec<_>>().join(", "),
        })
    }

    /// Its value.
    #[must_use]
    pub fn get(&self, settings: &BakeSettings) -> SettingValue {
        (self.get)(settings)
    }

    /// Sets it. Whether the value makes sense beside the others is for
    /// [`BakeSettings::resolve`] to say.
    pub fn set(
        &self,
        settings: &mut BakeSettings,
        value: SettingValue,
    ) -> Result<(), SettingError> {
        let text = value.to_string();
        if (self.set)(settings, value) { Ok(()) } else { Err(self.refuse(&text)) }
    }

    /// Reads a value as it is written on a command line: `0.3`, `ramps`, `true`, `0,0,1`,
    /// `0,0,0;4,0,2` for points and `water=*lake*;mud=*swamp*` for area types.
    pub fn parse(&self, text: &str) -> Result<SettingValue, SettingError> {
        let refuse = || self.refuse(text);
        let triple = |text: &str| -> Option<[f64; 3]> {
            let mut parts = text.split(',').map(|p| p.trim().parse::<f64>().ok());
            let mut next = || parts.next()?.filter(|v| v.is_finite());
            let three = [next()?, next()?, next()?];
            parts.next().is_none().then_some(three)
        };
        let items = || text.split(';').map(str::trim).filter(|t| !t.is_empty());
        let value = match self.kind {
            SettingKind::Number { .. } => text.trim().parse().ok().map(SettingValue::Number),
            SettingKind::Choice(_) => Some(SettingValue::Choice(text.trim().to_owned())),
            SettingKind::Switch => text.trim().parse().ok().map(SettingValue::Switch),
            SettingKind::Direction => triple(text).map(SettingValue::Direction),
            SettingKind::Points => {
                items().map(triple).collect::<Option<_>>().map(SettingValue::Points)
            }
            SettingKind::Areas => items()
                .map(|rule| {
                    let (area, pattern) = rule.split_once('=')?;
                    let named = !area.trim().is_empty() && !pattern.is_empty();
                    let (area, tag_pattern) = (area.trim().to_owned(), pattern.to_owned());
                    named.then_some(AreaRule { area, tag_pattern })
                })
                .collect::<Option<_>>()
                .map(SettingValue::Areas),
        };
        value.ok_or_else(refuse)
    }

    fn refuse(&self, text: &str) -> SettingError {
        let wanted = match self.kind {
            SettingKind::Number { unit: "", .. } => "a number".to_owned(),
            SettingKind::Number { unit, step, .. } if step >= 8.0 => {
                format!("a whole number ({unit})")
            }
            SettingKind::Number { unit, .. } => format!("a number ({unit})"),
            SettingKind::Choice(all) => {
                format!("one of {}", all.iter().map(|c| c.name).collect::<Vec<_>>().join(", "))
            }
            SettingKind::Switch => "true or false".to_owned(),
            SettingKind::Direction => "three numbers a,b,c".to_owned(),
            SettingKind::Points => "points x,y,z apart by semicolons".to_owned(),
            SettingKind::Areas => "rules NAME=PATTERN apart by semicolons".to_owned(),
        };
        SettingError::Value { key: self.key, text: text.to_owned(), wanted }
    }
}

impl std::fmt::Display for SettingValue {
    /// As [`SettingInfo::parse`] reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let triple = |[x, y, z]: &[f64; 3]| format!("{x},{y},{z}");
        match self {
            Self::Number(v) => write!(f, "{v}"),
            Self::Choice(name) => f.write_str(name),
            Self::Switch(on) => write!(f, "{on}"),
            Self::Direction(d) => f.write_str(&triple(d)),
            Self::Points(all) => f.write_str(&all.iter().map(triple).collect::<Vec<_>>().join(";")),
            Self::Areas(all) => {
                let rules: Vec<String> =
                    all.iter().map(|r| format!("{}={}", r.area, r.tag_pattern)).collect();
                f.write_str(&rules.join(";"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_reads_back_what_was_set() {
        let defaults = BakeSettings::default();
        let mut keys = Vec::new();
        for info in settings_table() {
            let value = info.get(&defaults);
            let mut settings = defaults.clone();
            info.set(&mut settings, value.clone()).unwrap();
            assert_eq!(info.get(&settings), value, "{}", info.key);
            assert_eq!(info.parse(&value.to_string()).as_ref(), Ok(&value), "{}", info.key);
            assert!(SettingInfo::find(info.key).is_ok());
            keys.push(info.key);
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), settings_table().len(), "a key stands twice");
    }

    #[test]
    fn ranges_are_those_that_a_build_accepts() {
        for info in settings_table() {
            let SettingKind::Number { low, high, usual, .. } = info.kind else { continue };
            let accepts = |value: f64| {
                let mut settings = BakeSettings::default();
                // Settings that others are compared with: out of the way.
                settings.exact.wall_thickness_m = 1.5;
                if info.key == "agent.height" {
                    settings.agent.max_step_m = 0.0;
                }
                if matches!(info.key, "agent.max_step" | "fill_gaps") {
                    settings.agent.height_m = 1000.0;
                }
                if info.key == "layered.cell_size" {
                    settings.layered.fine_cell_size_m = (value / 4.0).clamp(0.002, 10.0);
                }
                if info.key == "layered.fine_cell_size" {
                    settings.layered.cell_size_m = 4.0 * value;
                }
                if info.key == "exact.wall_thickness" {
                    settings.exact.gap_distance_m = 0.0;
                }
                info.set(&mut settings, SettingValue::Number(value)).is_ok()
                    && settings.resolve().is_ok()
            };
            assert!(accepts(usual[0]) && accepts(usual[1]), "{}: the usual range", info.key);
            assert!(low <= usual[0] && usual[1] <= high, "{}", info.key);
            assert!(!accepts(low - 1e-3), "{}: below the least", info.key);
            if high < f64::MAX {
                assert!(!accepts(high + 1.0), "{}: above the greatest", info.key);
                let open = matches!(info.key, "agent.max_step" | "fill_gaps");
                let near = if open { high - 1.0 } else { high };
                assert!(accepts(near), "{}: the greatest", info.key);
            }
        }
    }

    #[test]
    fn wrong_values_are_refused_with_what_to_give() {
        let text = |key: &str, text: &str| {
            let info = SettingInfo::find(key)?;
            info.set(&mut BakeSettings::default(), info.parse(text)?)
        };
        for (key, value, says) in [
            ("cells", "round", "convex, triangles"),
            ("agent.height", "tall", "a number (m)"),
            ("voxel.tile_size", "8.5", "a whole number"),
            ("voxel.low_obstacles", "maybe", "true or false"),
            ("up", "1,2", "three numbers"),
            ("seeds", "1,2,3;4,5", "points"),
            ("areas", "water", "NAME=PATTERN"),
            ("agent.weight", "1", "agent.height"),
        ] {
            let error = text(key, value).unwrap_err().to_string();
            assert!(error.contains(says), "{key}={value}: {error}");
        }
        assert!(text("seeds", "").is_ok() && text("up", "0,0,1").is_ok());
    }
}
