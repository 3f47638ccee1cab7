//! The settings of a build as JSON, and as a command line.
//!
//! The table of `surefoot_bake` goes in; out comes what the page makes its panel from, the values
//! of a panel become [`BakeSettings`], and these become the call of `surefoot build` that does the
//! same. No setting is named here.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use surefoot_bake::{BakeSettings, BuildMethod, SettingKind, SettingValue, settings_table};
use surefoot_testing_scenes::Variant;

/// The table for the page.
pub(crate) fn table() -> Value {
    settings_table()
        .iter()
        .map(|s| {
            let mut kind = match s.kind {
                SettingKind::Number(range) => {
                    let low = if range.zero.is_some() { 0.0 } else { range.low };
                    let high = (range.high < f64::MAX).then_some(range.high);
                    json!({ "type": "number", "unit": range.unit, "low": low, "high": high,
                            "usual": range.usual, "step": range.step })
                }
                SettingKind::Choice(all) => {
                    let all: Vec<Value> = all
                        .iter()
                        .map(|c| json!({ "name": c.name, "explanation": c.help() }))
                        .collect();
                    json!({ "type": "choice", "choices": all })
                }
                SettingKind::Switch => json!({ "type": "switch" }),
                SettingKind::Direction => json!({ "type": "direction" }),
                SettingKind::Points => json!({ "type": "points" }),
                SettingKind::Areas => json!({ "type": "areas" }),
                SettingKind::Patterns => json!({ "type": "patterns" }),
            };
            let methods: Vec<&str> = s.methods.iter().map(|m| m.name()).collect();
            kind["key"] = s.key.into();
            kind["label"] = s.label.into();
            kind["group"] = s.group.into();
            kind["explanation"] = s.help().into();
            kind["flag"] = s.short.map(|short| format!("--{short}")).into();
            kind["methods"] = json!(methods);
            kind["default"] = json!(s.get(&BakeSettings::default()));
            kind
        })
        .collect()
}

/// The values of the settings that have an effect, by key. The page keeps those of other methods.
pub(crate) fn values(settings: &BakeSettings) -> Value {
    let method = settings.method.kind();
    let shown = settings_table().iter().filter(|s| s.is_for(method));
    let all = shown.map(|s| (s.key.to_owned(), json!(s.get(settings))));
    Value::Object(all.collect::<Map<_, _>>())
}

/// Settings from values by key; what is not given keeps its default. Values of other methods may be
/// among them.
pub(crate) fn settings_from(values: &Value) -> Result<BakeSettings, String> {
    if values.is_null() {
        return Ok(BakeSettings::default());
    }
    BakeSettings::deserialize(values).map_err(|e| with_labels(&e.to_string()))
}

/// A message of the library, which knows settings by their keys: with the names of the panel.
pub(crate) fn with_labels(message: &str) -> String {
    settings_table().iter().fold(message.to_owned(), |text, info| {
        text.replace(&format!("`{}`", info.key), &format!("“{}”", info.label))
    })
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The flags of `surefoot build` that ask for these settings; those at their defaults, and those
/// without effect on the method, are left out.
#[must_use]
pub fn build_flags(settings: &BakeSettings) -> Vec<String> {
    let method = settings.method.kind();
    let defaults = BakeSettings { method: method.into(), ..BakeSettings::default() };
    let mut flags = Vec::new();
    for info in settings_table() {
        let value = info.get(settings);
        let is_default = if info.key == "method" {
            method == BuildMethod::default()
        } else {
            value == info.get(&defaults)
        };
        if is_default || !info.is_for(method) {
            continue;
        }
        let Some(flag) = info.short.map(|short| format!("--{short}")) else {
            flags.extend(["--set".to_owned(), format!("{}={value}", info.key)]);
            continue;
        };
        match &value {
            SettingValue::Switch(true) => flags.push(flag),
            SettingValue::Points(all) => {
                for [x, y, z] in all {
                    flags.extend([flag.clone(), format!("{x},{y},{z}")]);
                }
            }
            SettingValue::Areas(all) => {
                for rule in all {
                    flags.extend([flag.clone(), rule.to_string()]);
                }
            }
            SettingValue::Patterns(all) => {
                for pattern in all {
                    flags.extend([flag.clone(), pattern.clone()]);
                }
            }
            _ => flags.extend([flag, value.to_string()]),
        }
    }
    flags
}

/// What is built: a procedural scene or files.
pub(crate) enum Input<'a> {
    Procedural(&'a str, &'a Variant),
    Files(Vec<&'a str>),
}

/// The command that builds the same mesh.
pub(crate) fn command_line(settings: &BakeSettings, input: &Input<'_>) -> String {
    let mut words = vec!["surefoot".to_owned(), "build".to_owned()];
    let mut before = String::new();
    let stem = match input {
        Input::Procedural(name, variant) => {
            let file = format!("{name}.glb");
            before = scene_command(name, variant, &file) + " && ";
            words.push(file);
            (*name).to_owned()
        }
        Input::Files(files) => {
            words.extend(files.iter().map(|f| quoted(f)));
            let first = std::path::Path::new(files.first().copied().unwrap_or("level"));
            first
                .file_stem()
                .map_or_else(|| "level".to_owned(), |s| s.to_string_lossy().into_owned())
        }
    };
    words.extend(["-o".to_owned(), quoted(&format!("{stem}.snav"))]);
    words.extend(build_flags(settings).iter().map(|w| quoted(w)));
    before + &words.join(" ")
}

fn scene_command(name: &str, variant: &Variant, file: &str) -> String {
    let defaults = Variant::default();
    let mut words = vec![format!("surefoot scene {name}")];
    if let Some(size) = variant.size {
        words.push(format!("--size {size}"));
    }
    if variant.rotate_deg.to_bits() != defaults.rotate_deg.to_bits() {
        words.push(format!("--rotate {}", variant.rotate_deg));
    }
    if variant.shatter != defaults.shatter {
        words.push(format!("--shatter {}", variant.shatter));
    }
    if variant.jitter_m.to_bits() != defaults.jitter_m.to_bits() {
        words.push(format!("--jitter {}", variant.jitter_m));
    }
    if variant.dirty {
        words.push("--dirty".to_owned());
    }
    if variant.seed != defaults.seed {
        words.push(format!("--seed {}", variant.seed));
    }
    words.push(format!("-o {file}"));
    words.join(" ")
}

/// Whether a method can be chosen in this version: those that a small build says are there.
pub(crate) fn is_available(method: BuildMethod) -> bool {
    let flat = surefoot_scene::Scene::from_triangles(
        &[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, -4.0]],
        &[[0, 1, 2]],
    );
    let settings = BakeSettings { method: method.into(), ..BakeSettings::default() };
    flat.is_ok_and(|scene| surefoot_bake::bake(&scene, &settings).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_bake::AreaRule;

    #[test]
    fn values_go_to_the_page_and_back() {
        let settings = BakeSettings {
            up: [0.0, 0.0, 1.0],
            seeds: vec![[1.0, 2.0, 3.0]],
            areas: vec![AreaRule { area: "mud".into(), tag_pattern: "*swamp*".into() }],
            ..BakeSettings::default()
        };
        assert_eq!(settings_from(&values(&settings)).unwrap(), settings);
        assert_eq!(settings_from(&json!({})).unwrap(), BakeSettings::default());
        // Of several methods, as the page has them: those of the one that is chosen count.
        let both = json!({"voxel.cell_size": 0.2, "exact.stairs": "ramps", "method": "voxel"});
        let voxel = surefoot_bake::VoxelSettings { cell_size_m: 0.2, ..Default::default() };
        let expected = BakeSettings { method: voxel.into(), ..BakeSettings::default() };
        assert_eq!(settings_from(&both).unwrap(), expected);
        for (wrong, says) in [
            (json!({"agent.height": "tall"}), "“Height”"),
            (json!({"voxel.tile_size": 8.5}), "a whole number"),
            (json!({"agent.weight": 1}), "no setting"),
            (json!({"up": [0, 1]}), "“Up”"),
        ] {
            let error = settings_from(&wrong).unwrap_err();
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_command_line_names_what_differs_and_quotes_it() {
        let mut settings = BakeSettings::default();
        let line = |s: &BakeSettings| command_line(s, &Input::Files(vec!["my level.glb"]));
        assert_eq!(line(&settings), "surefoot build 'my level.glb' -o 'my level.snav'");
        settings.agent.radius_m = 0.25;
        settings.height_tolerance_m = 0.05;
        settings.areas = vec![AreaRule { area: "mud".into(), tag_pattern: "*it's*".into() }];
        assert_eq!(
            line(&settings),
            "surefoot build 'my level.glb' -o 'my level.snav' --agent-radius 0.25 \
             --area 'mud=*it'\\''s*' --set height_tolerance=0.05"
        );
        let variant = Variant { size: Some(3), dirty: true, ..Variant::default() };
        assert_eq!(
            command_line(&BakeSettings::default(), &Input::Procedural("floors", &variant)),
            "surefoot scene floors --size 3 --dirty -o floors.glb && surefoot build floors.glb -o floors.snav"
        );
    }
}
