//! The table of all settings: looking them up, reading and writing them, and their documentation.

use super::declare::{DEGREES, NumberRange, SettingChoice, SettingKind, SettingValue};
use super::{
    AGENT_TABLE, AreaRule, BakeSettings, ExactSettings, LayeredSettings, METHOD_TABLE, SettingInfo,
    SettingsError, VoxelSettings,
};
use std::fmt::Write;
use std::sync::LazyLock;
use surefoot_mesh::BuildMethod;

static TABLE: LazyLock<Vec<SettingInfo>> = LazyLock::new(|| {
    [
        METHOD_TABLE,
        AGENT_TABLE,
        BakeSettings::TABLE,
        ExactSettings::TABLE,
        VoxelSettings::TABLE,
        LayeredSettings::TABLE,
    ]
    .concat()
});

/// The sections of a settings file: what stands before the dot of a key.
pub(super) const PARTS: [&str; 4] = ["agent", "exact", "voxel", "layered"];

/// For a key that no setting has, or a section of a file that is none.
fn unknown_key(key: &str) -> SettingsError {
    let keys = settings_table().iter().map(|s| s.key).chain(PARTS);
    let nearest = keys.min_by_key(|known| edit_distance(known, key)).unwrap_or_default();
    SettingsError::Unknown { key: key.to_owned(), nearest }
}

/// Keys of settings that have another one now.
const FORMER_KEYS: [(&str, &str); 5] = [
    ("exact.gap_distance", "gap_distance"),
    ("exact.wall_thickness", "wall_thickness"),
    ("exact.height_tolerance", "height_tolerance"),
    ("exact.cluster", "cluster"),
    ("layered.gap_distance", "gap_distance"),
];

/// Every setting of a build, in the order in which people should see them.
#[must_use]
pub fn settings_table() -> &'static [SettingInfo] {
    &TABLE
}

/// The table as a document: all settings by section, with what each does, takes and is by default.
#[must_use]
pub fn settings_markdown() -> String {
    let defaults = BakeSettings::default();
    let mut out = String::new();
    let mut group = "";
    for info in settings_table() {
        if info.group != group {
            group = info.group;
            let _ = write!(
                out,
                "{}## {group}\n\n| setting | flag | takes | default | what it does |\n|---|---|---|---|---|\n",
                if out.is_empty() { "" } else { "\n" }
            );
        }
        let flag = info.short.map_or_else(String::new, |short| format!("`--{short}`"));
        let default = match info.get(&defaults).to_string() {
            text if text.is_empty() => "none".to_owned(),
            text => text,
        };
        let _ = writeln!(
            out,
            "| `{}` | {flag} | {} | {default} | {} |",
            info.key,
            info.range(),
            info.help()
        );
    }
    out
}

/// A radian measure in degrees: the number with the fewest decimals that gives it again, so that 55°
/// read back are 55 and not 55.00000000000001.
fn degrees_of(radians: f64) -> f64 {
    let degrees = radians.to_degrees();
    let rounded = (0..15).map(|decimals| {
        let scale = 10_f64.powi(decimals);
        (degrees * scale).round() / scale
    });
    let is_same = |d: &f64| d.to_radians().to_bits() == radians.to_bits();
    rounded.into_iter().find(is_same).unwrap_or(degrees)
}

/// How many letters must be changed, added or taken away to make one word of another.
pub(super) fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

/// Three numbers apart by commas.
fn triple(text: &str) -> Option<[f64; 3]> {
    let mut parts = text.split(',').map(|p| p.trim().parse::<f64>().ok());
    let mut next = || parts.next()?.filter(|v| v.is_finite());
    let three = [next()?, next()?, next()?];
    parts.next().is_none().then_some(three)
}

/// An axis by its name, or three numbers that are not all zero.
fn direction(text: &str) -> Option<[f64; 3]> {
    let (sign, axis) = match text.strip_prefix('-') {
        Some(axis) => (-1.0, axis),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match ["x", "y", "z"].iter().position(|name| *name == axis) {
        Some(k) => {
            let mut unit = [0.0; 3];
            unit[k] = sign;
            Some(unit)
        }
        None => triple(text).filter(|d| d.iter().any(|c| c.abs() > 0.0)),
    }
}

impl SettingInfo {
    /// The setting with this key.
    pub fn find(key: &str) -> Result<&'static Self, SettingsError> {
        let now = FORMER_KEYS.iter().find(|(former, _)| *former == key).map_or(key, |f| f.1);
        let found = settings_table().iter().find(|s| s.key == now);
        found.ok_or_else(|| unknown_key(key))
    }

    /// What it does, what low and high values do, and what is typical.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.documentation.trim_ascii_start()
    }

    /// The first sentence of [`SettingInfo::help`].
    #[must_use]
    pub fn summary(&self) -> &'static str {
        let help = self.help();
        help.split_once(". ").map_or_else(|| help.trim_end_matches('.'), |(first, _)| first)
    }

    /// What values it takes, in words.
    #[must_use]
    pub fn range(&self) -> String {
        match self.kind {
            SettingKind::Number(range) => range.to_string(),
            SettingKind::Choice(all) => all.iter().map(|c| c.name).collect::<Vec<_>>().join(", "),
            SettingKind::Switch => "true or false".to_owned(),
            SettingKind::Direction => "x, y, z, -x, -y, -z or three numbers".to_owned(),
            SettingKind::Points => "points".to_owned(),
            SettingKind::Areas => "rules NAME=PATTERN".to_owned(),
            SettingKind::Patterns => "patterns of tags".to_owned(),
        }
    }

    /// Whether it has an effect on a method.
    #[must_use]
    pub fn is_for(&self, method: BuildMethod) -> bool {
        self.methods.contains(&method)
    }

    fn is_angle(&self) -> bool {
        matches!(self.kind, SettingKind::Number(NumberRange { unit: DEGREES, .. }))
    }

    /// Its value. A setting of a method that is not chosen has its default.
    #[must_use]
    pub fn get(&self, settings: &BakeSettings) -> SettingValue {
        match (self.get)(settings) {
            SettingValue::Number(radians) if self.is_angle() => {
                SettingValue::Number(degrees_of(radians))
            }
            value => value,
        }
    }

    /// Sets it. A setting of a method that is not chosen stays as it is. Whether the value makes sense
    /// beside the others is for [`BakeSettings::check`] to say.
    pub fn set(
        &self,
        settings: &mut BakeSettings,
        value: SettingValue,
    ) -> Result<(), SettingsError> {
        let held = match value {
            SettingValue::Number(degrees) if self.is_angle() => {
                SettingValue::Number(degrees.to_radians())
            }
            ref value => value.clone(),
        };
        if (self.set)(settings, &held) { Ok(()) } else { Err(self.refuse(&value.to_string())) }
    }

    /// Reads a value as people write it: `0.3`, `ramps`, `true`, `-z` or `0,0,1` for directions,
    /// `0,0,0;4,0,2` for points, `water=*lake*;mud=*swamp*` for area types and `*glass*;hedge` for patterns.
    pub fn parse(&self, text: &str) -> Result<SettingValue, SettingsError> {
        let word = text.trim();
        let items = || text.split(';').map(str::trim).filter(|t| !t.is_empty());
        let value = match self.kind {
            SettingKind::Number(_) => word.parse().ok().map(SettingValue::Number),
            SettingKind::Choice(all) => {
                let known = all.iter().any(|c| c.name == word);
                known.then(|| SettingValue::Choice(word.to_owned()))
            }
            SettingKind::Switch => word.parse().ok().map(SettingValue::Switch),
            SettingKind::Direction => direction(word).map(SettingValue::Direction),
            SettingKind::Points => {
                items().map(triple).collect::<Option<_>>().map(SettingValue::Points)
            }
            SettingKind::Areas => {
                let rules = items().map(|rule| rule.parse::<AreaRule>().ok());
                rules.collect::<Option<_>>().map(SettingValue::Areas)
            }
            SettingKind::Patterns => {
                Some(SettingValue::Patterns(items().map(str::to_owned).collect()))
            }
        };
        value.ok_or_else(|| self.refuse(word))
    }

    pub(super) fn refuse(&self, text: &str) -> SettingsError {
        let wanted = match self.kind {
            SettingKind::Number(NumberRange { unit, is_whole, .. }) => {
                format!("a {}number ({unit})", if is_whole { "whole " } else { "" })
            }
            SettingKind::Choice(_) => format!("one of {}", self.range()),
            SettingKind::Switch => "true or false".to_owned(),
            SettingKind::Direction => "x, y, z, -x, -y, -z or three numbers a,b,c".to_owned(),
            SettingKind::Points => "points x,y,z apart by semicolons".to_owned(),
            SettingKind::Areas => "rules NAME=PATTERN apart by semicolons".to_owned(),
            SettingKind::Patterns => "patterns of tags apart by semicolons".to_owned(),
        };
        SettingsError::Value { key: self.key, text: text.to_owned(), wanted }
    }
}

impl SettingChoice {
    /// What it means.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.documentation.trim_ascii_start()
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
                let rules: Vec<String> = all.iter().map(ToString::to_string).collect();
                f.write_str(&rules.join(";"))
            }
            Self::Patterns(all) => f.write_str(&all.join(";")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;

    /// Default settings of a method that the setting has an effect on.
    fn settings_with(info: &SettingInfo) -> BakeSettings {
        BakeSettings { method: info.methods[0].into(), ..BakeSettings::default() }
    }

    #[test]
    fn every_setting_reads_back_what_was_set() {
        let mut keys = Vec::new();
        for info in settings_table() {
            let defaults = settings_with(info);
            let value = info.get(&defaults);
            let mut settings = defaults.clone();
            info.set(&mut settings, value.clone()).unwrap();
            assert_eq!(info.get(&settings), value, "{}", info.key);
            assert_eq!(settings, defaults, "{}", info.key);
            assert_eq!(info.parse(&value.to_string()).as_ref(), Ok(&value), "{}", info.key);
            assert!(SettingInfo::find(info.key).is_ok());
            assert!(info.help().ends_with('.') && !info.summary().is_empty(), "{}", info.key);
            keys.push(info.key);
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), settings_table().len(), "a key stands twice");
        assert!(FORMER_KEYS.iter().all(|(former, _)| SettingInfo::find(former).is_ok()));
    }

    #[test]
    fn angles_come_back_as_they_went_in() {
        for degrees in [0.1, 45.0, 55.0, 33.3, 17.123_456_789, 1.0 / 3.0] {
            let mut settings = BakeSettings::default();
            let info = SettingInfo::find("agent.max_slope").unwrap();
            info.set(&mut settings, SettingValue::Number(degrees)).unwrap();
            let shown = info.get(&settings);
            let mut again = BakeSettings::default();
            info.set(&mut again, shown).unwrap();
            assert_eq!(again, settings, "{degrees}");
        }
    }

    #[test]
    fn ranges_are_those_that_a_build_accepts() {
        for info in settings_table() {
            let SettingKind::Number(range) = info.kind else { continue };
            let accepts = |value: f64| {
                let mut settings = settings_with(info);
                // Settings that others are compared with: out of the way.
                settings.wall_thickness_m = 1.5;
                if info.key == "wall_thickness" {
                    settings.gap_distance_m = 0.0;
                }
                if info.key == "agent.height" {
                    settings.agent.max_step_m = 0.0;
                }
                if matches!(info.key, "agent.max_step" | "fill_gaps") {
                    settings.agent.height_m = 1000.0;
                }
                if let Method::Layered(layered) = &mut settings.method {
                    if info.key == "layered.cell_size" {
                        layered.fine_cell_size_m = (value / 4.0).clamp(0.002, 10.0);
                    }
                    if info.key == "layered.fine_cell_size" {
                        layered.cell_size_m = 4.0 * value;
                    }
                }
                info.set(&mut settings, SettingValue::Number(value)).is_ok()
                    && settings.check().is_ok()
            };
            let NumberRange { low, high, usual, .. } = range;
            assert!(accepts(usual[0]) && accepts(usual[1]), "{}: the usual range", info.key);
            assert!(range.contains(usual[0]) && range.contains(usual[1]), "{}", info.key);
            assert!(!accepts(low - 1e-3), "{}: below the least", info.key);
            if high < f64::MAX {
                assert!(!accepts(high + 1.0), "{}: above the greatest", info.key);
                let is_open = matches!(info.key, "agent.max_step" | "fill_gaps");
                let near = if is_open { high - 1.0 } else { high };
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
            ("up", "0,0,0", "three numbers"),
            ("seeds", "1,2,3;4,5", "points"),
            ("areas", "water", "NAME=PATTERN"),
            ("agent.weight", "1", "`agent.height`"),
            ("voxl", "1", "`voxel`"),
        ] {
            let error = text(key, value).unwrap_err().to_string();
            assert!(error.contains(says), "{key}={value}: {error}");
        }
        assert!(text("seeds", "").is_ok() && text("up", "-z").is_ok());
    }

    #[test]
    fn a_setting_of_another_method_is_looked_at_and_ignored() {
        let mut settings = BakeSettings::default();
        let info = SettingInfo::find("voxel.cell_size").unwrap();
        info.set(&mut settings, SettingValue::Number(0.5)).unwrap();
        assert_eq!(settings, BakeSettings::default());
        assert!(info.set(&mut settings, SettingValue::Switch(true)).is_err());
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        use super::super::{CellShape, Regions, Stairs};
        for choice in CellShape::CHOICES {
            assert_eq!(choice.name.parse::<CellShape>().unwrap().to_string(), choice.name);
        }
        assert_eq!("monotone".parse(), Ok(Regions::Monotone));
        assert_eq!("ramps".parse(), Ok(Stairs::Ramps));
        assert_eq!("voxel".parse::<Method>().unwrap().to_string(), "voxel");
        let error = "magic".parse::<Method>().unwrap_err().to_string();
        assert!(error.contains("exact, voxel, layered"), "{error}");
    }

    #[test]
    fn the_document_has_a_line_for_every_setting() {
        let text = settings_markdown();
        assert!(settings_table().iter().all(|s| text.contains(&format!("| `{}` |", s.key))));
    }
}
