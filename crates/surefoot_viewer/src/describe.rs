//! The settings of a build as JSON, and as a command line.
//!
//! The table of `surefoot_bake` goes in; out comes what the page makes its panel from, the values
//! of a panel become [`BakeSettings`], and these become the call of `surefoot build` that does the
//! same. No setting is named here.

use serde_json::{Map, Value, json};
use surefoot_bake::{
    AreaRule, BakeSettings, Method, SettingError, SettingInfo, SettingKind, SettingValue,
    settings_table,
};
use surefoot_testing_scenes::Variant;

/// The table for the page.
pub(crate) fn table() -> Value {
    let defaults = BakeSettings::default();
    settings_table()
        .iter()
        .map(|s| {
            let mut kind = match s.kind {
                SettingKind::Number { unit, low, high, usual, step } => {
                    let high = (high < f64::MAX).then_some(high);
                    json!({ "type": "number", "unit": unit, "low": low, "high": high,
                            "usual": usual, "step": step })
                }
                SettingKind::Choice(all) => {
                    let all: Vec<Value> = all
                        .iter()
                        .map(|c| json!({ "name": c.name, "explanation": c.explanation }))
                        .collect();
                    json!({ "type": "choice", "choices": all })
                }
                SettingKind::Switch => json!({ "type": "switch" }),
                SettingKind::Direction => json!({ "type": "direction" }),
                SettingKind::Points => json!({ "type": "points" }),
                SettingKind::Areas => json!({ "type": "areas" }),
            };
            let methods: Vec<&str> = s.methods.iter().map(|m| m.name()).collect();
            kind["key"] = s.key.into();
            kind["label"] = s.label.into();
            kind["group"] = s.group.into();
            kind["explanation"] = s.explanation.into();
            kind["flag"] = s.flag.into();
            kind["methods"] = json!(methods);
            kind["default"] = to_json(&s.get(&defaults));
            kind
        })
        .collect()
}

fn to_json(value: &SettingValue) -> Value {
    match value {
        SettingValue::Number(v) => json!(v),
        SettingValue::Choice(name) => json!(name),
        SettingValue::Switch(on) => json!(on),
        SettingValue::Direction(d) => json!(d),
        SettingValue::Points(all) => json!(all),
        SettingValue::Areas(all) => {
            all.iter().map(|r| json!({ "area": r.area, "pattern": r.tag_pattern })).collect()
        }
    }
}

fn from_json(info: &SettingInfo, value: &Value) -> Option<SettingValue> {
    let triple = |v: &Value| serde_json::from_value::<[f64; 3]>(v.clone()).ok();
    Some(match info.kind {
        SettingKind::Number { .. } => SettingValue::Number(value.as_f64()?),
        SettingKind::Choice(_) => SettingValue::Choice(value.as_str()?.to_owned()),
        SettingKind::Switch => SettingValue::Switch(value.as_bool()?),
        SettingKind::Direction => SettingValue::Direction(triple(value)?),
        SettingKind::Points => {
            SettingValue::Points(value.as_array()?.iter().map(triple).collect::<Option<_>>()?)
        }
        SettingKind::Areas => {
            let rule = |v: &Value| {
                let text = |key: &str| v[key].as_str().map(str::to_owned);
                Some(AreaRule { area: text("area")?, tag_pattern: text("pattern")? })
            };
            SettingValue::Areas(value.as_array()?.iter().map(rule).collect::<Option<_>>()?)
        }
    })
}

/// All values, by key.
pub(crate) fn values(settings: &BakeSettings) -> Value {
    let all = settings_table().iter().map(|s| (s.key.to_owned(), to_json(&s.get(settings))));
    Value::Object(all.collect::<Map<_, _>>())
}

/// Settings from values by key; what is not given keeps its default.
pub(crate) fn settings_from(values: &Value) -> Result<BakeSettings, SettingError> {
    let mut settings = BakeSettings::default();
    for (key, value) in values.as_object().into_iter().flatten() {
        let info = SettingInfo::find(key)?;
        let value = match from_json(info, value) {
            Some(value) => value,
            // The text says what the setting takes.
            None => info.parse(&value.to_string())?,
        };
        info.set(&mut settings, value)?;
    }
    Ok(settings)
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
    let defaults = BakeSettings::default();
    let mut flags = Vec::new();
    for info in settings_table() {
        let value = info.get(settings);
        if value == info.get(&defaults) || !info.methods.contains(&settings.method) {
            continue;
        }
        let by_flag = match (&value, info.kind) {
            (SettingValue::Choice(name), SettingKind::Choice(all)) => {
                all.iter().any(|c| c.name == name && c.by_flag)
            }
            _ => true,
        };
        let flag = info.flag.filter(|_| by_flag);
        match (flag, &value) {
            (Some(flag), SettingValue::Switch(true)) => flags.push(flag.to_owned()),
            (Some(flag), SettingValue::Points(all)) => {
                for [x, y, z] in all {
                    flags.extend([flag.to_owned(), format!("{x},{y},{z}")]);
                }
            }
            (Some(flag), SettingValue::Areas(all)) => {
                for rule in all {
                    flags.extend([flag.to_owned(), format!("{}={}", rule.area, rule.tag_pattern)]);
                }
            }
            (Some(flag), _) => flags.extend([flag.to_owned(), value.to_string()]),
            (None, _) => flags.extend(["--set".to_owned(), format!("{}={value}", info.key)]),
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
pub(crate) fn is_available(method: Method) -> bool {
    let flat = surefoot_scene::Scene::from_triangles(
        &[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, -4.0]],
        &[[0, 1, 2]],
    );
    let settings = BakeSettings { method, ..BakeSettings::default() };
    flat.is_ok_and(|scene| surefoot_bake::bake(&scene, &settings).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for (wrong, says) in [
            (json!({"agent.height": "tall"}), "a number"),
            (json!({"agent.weight": 1}), "no setting"),
            (json!({"up": [0, 1]}), "three numbers"),
        ] {
            let error = settings_from(&wrong).unwrap_err().to_string();
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_command_line_names_what_differs_and_quotes_it() {
        let mut settings = BakeSettings::default();
        let line = |s: &BakeSettings| command_line(s, &Input::Files(vec!["my level.glb"]));
        assert_eq!(line(&settings), "surefoot build 'my level.glb' -o 'my level.snav'");
        settings.agent.radius_m = 0.25;
        settings.exact.height_tolerance_m = 0.05;
        settings.voxel.cell_size_m = 0.2; // no effect on the exact method
        settings.areas = vec![AreaRule { area: "mud".into(), tag_pattern: "*it's*".into() }];
        assert_eq!(
            line(&settings),
            "surefoot build 'my level.glb' -o 'my level.snav' --agent-radius 0.25 \
             --area 'mud=*it'\\''s*' --set exact.height_tolerance=0.05"
        );
        let variant = Variant { size: Some(3), dirty: true, ..Variant::default() };
        assert_eq!(
            command_line(&BakeSettings::default(), &Input::Procedural("floors", &variant)),
            "surefoot scene floors --size 3 --dirty -o floors.glb && surefoot build floors.glb -o floors.snav"
        );
    }
}
