//! Settings in files: read and written by their keys, a section for the agent and for each method, in
//! the units that people use.

use super::declare::{SettingKind, SettingValue};
use super::table::{PARTS, settings_table};
use super::{AreaRule, BakeSettings, SettingInfo, SettingsError};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Values of some settings: what a settings file says. Values of methods that are not chosen may be among
/// them, so that one file serves several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingValues(Vec<(&'static str, SettingValue)>);

impl SettingValues {
    /// Adds a value, in place of one before.
    pub fn insert(&mut self, info: &SettingInfo, value: SettingValue) {
        self.0.retain(|(key, _)| *key != info.key);
        self.0.push((info.key, value));
    }

    /// The settings: the defaults, with these values.
    pub fn settings(&self) -> Result<BakeSettings, SettingsError> {
        let mut settings = BakeSettings::default();
        // The method first: only its own settings are there to be set.
        let is_method = |key: &str| key == "method";
        let (method, others): (Vec<_>, Vec<_>) = self.0.iter().partition(|v| is_method(v.0));
        for (key, value) in method.into_iter().chain(others) {
            SettingInfo::find(key)?.set(&mut settings, value.clone())?;
        }
        Ok(settings)
    }
}

impl Serialize for SettingValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // A whole number is written as one: `256`, not `256.0`.
            Self::Number(v) if v.fract().abs() <= 0.0 && v.abs() < 1e15 => {
                serializer.serialize_i64(*v as i64)
            }
            Self::Number(v) => serializer.serialize_f64(*v),
            Self::Choice(name) => serializer.serialize_str(name),
            Self::Switch(on) => serializer.serialize_bool(*on),
            Self::Direction(d) => d.serialize(serializer),
            Self::Points(all) => all.serialize(serializer),
            Self::Areas(all) => all.serialize(serializer),
            Self::Patterns(all) => all.serialize(serializer),
        }
    }
}

/// Reads a value of this setting.
impl<'de> DeserializeSeed<'de> for &SettingInfo {
    type Value = SettingValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<SettingValue, D::Error> {
        let value = match self.kind {
            SettingKind::Number(_) => f64::deserialize(deserializer).map(SettingValue::Number),
            SettingKind::Choice(_) => String::deserialize(deserializer).map(SettingValue::Choice),
            SettingKind::Switch => bool::deserialize(deserializer).map(SettingValue::Switch),
            SettingKind::Direction => {
                <[f64; 3]>::deserialize(deserializer).map(SettingValue::Direction)
            }
            SettingKind::Points => Vec::deserialize(deserializer).map(SettingValue::Points),
            SettingKind::Areas => {
                Vec::<AreaRule>::deserialize(deserializer).map(SettingValue::Areas)
            }
            SettingKind::Patterns => Vec::deserialize(deserializer).map(SettingValue::Patterns),
        };
        let value = value.map_err(|e| D::Error::custom(format!("`{}`: {e}", self.key)))?;
        // Names of choices and whole numbers are looked at here, where a file knows its line.
        let mut anywhere = BakeSettings { method: self.methods[0].into(), ..Default::default() };
        self.set(&mut anywhere, value.clone()).map_err(D::Error::custom)?;
        Ok(value)
    }
}

/// Reads the settings whose keys begin with a section's name.
struct Section<'v> {
    name: &'static str,
    values: &'v mut SettingValues,
}

impl<'de> DeserializeSeed<'de> for Section<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Section<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("settings by their keys")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let part = PARTS.into_iter().find(|part| self.name.is_empty() && *part == key);
            if let Some(name) = part {
                map.next_value_seed(Section { name, values: self.values })?;
                continue;
            }
            let key = if self.name.is_empty() { key } else { format!("{}.{key}", self.name) };
            let info = SettingInfo::find(&key).map_err(M::Error::custom)?;
            let value = map.next_value_seed(info)?;
            self.values.insert(info, value);
        }
        Ok(())
    }
}

/// Keys may stand in sections (`[voxel]`) or whole (`"voxel.cell_size"`).
impl<'de> Deserialize<'de> for SettingValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = Self::default();
        Section { name: "", values: &mut values }.deserialize(deserializer)?;
        Ok(values)
    }
}

/// What is left out has its default; a key that no setting has is an error that names the nearest.
impl<'de> Deserialize<'de> for BakeSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SettingValues::deserialize(deserializer)?.settings().map_err(D::Error::custom)
    }
}

/// Those settings of a section that have an effect.
struct SectionOf<'s> {
    name: &'static str,
    settings: &'s BakeSettings,
}

impl SectionOf<'_> {
    fn infos(&self) -> impl Iterator<Item = (&'static str, &'static SettingInfo)> {
        let (name, method) = (self.name, self.settings.method.kind());
        settings_table().iter().filter_map(move |info| {
            let (part, short) = info.key.split_once('.').unwrap_or(("", info.key));
            // What is no method's own is written whether the method asks for it or not.
            (part == name && (part.is_empty() || info.is_for(method))).then_some((short, info))
        })
    }
}

impl Serialize for SectionOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, info) in self.infos() {
            map.serialize_entry(key, &info.get(self.settings))?;
        }
        map.end()
    }
}

/// By section, in the units that people use; of the methods' own settings those of the one chosen.
impl Serialize for BakeSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let section = |name| SectionOf { name, settings: self };
        let mut map = serializer.serialize_map(None)?;
        // Values before sections, as TOML has them.
        for (key, info) in section("").infos() {
            map.serialize_entry(key, &info.get(self))?;
        }
        for name in PARTS.into_iter().filter(|name| section(name).infos().next().is_some()) {
            map.serialize_entry(name, &section(name))?;
        }
        map.end()
    }
}
