//! Settings as a TOML file: read with `--settings`, written by `--print-settings`.

use crate::flags::flag_of;
use crate::outcome::Failure;
use std::fmt::Write;
use std::path::Path;
use surefoot_bake::{
    BakeSettings, SettingInfo, SettingKind, SettingValue, SettingValues, settings_table,
};

/// How wide comments are.
const LINE_WIDTH: usize = 90;

/// What a file says.
pub(crate) fn read_settings(path: &Path) -> Result<SettingValues, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::file(path, format!("cannot be read: {e}; give a TOML file")))?;
    toml::from_str(&text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        // A message may go over several lines; errors of this tool are one.
        let message = error.message().replace('\n', "; ");
        Failure::file(path, format!("line {line}: {message}"))
    })
}

/// All settings as a file that says what each does. Those of the methods that are not chosen are at
/// their defaults.
pub(crate) fn print_settings(settings: &BakeSettings) -> String {
    let mut out = "# Settings of `surefoot build`; what is left out has its default.\n".to_owned();
    let mut section = "";
    for info in settings_table() {
        let (part, key) = info.key.split_once('.').unwrap_or(("", info.key));
        // Sections end only where others begin, so what has none comes first.
        if part.is_empty() {
            push_setting(&mut out, info, key, settings);
        }
    }
    for info in settings_table() {
        let Some((part, key)) = info.key.split_once('.') else { continue };
        if part != section {
            section = part;
            let _ = write!(out, "\n[{part}]\n");
        }
        push_setting(&mut out, info, key, settings);
    }
    out
}

fn push_setting(out: &mut String, info: &SettingInfo, key: &str, settings: &BakeSettings) {
    let takes = match info.kind {
        SettingKind::Number(range) => format!("numbers {range}"),
        SettingKind::Points => "a list of [x, y, z]".to_owned(),
        SettingKind::Areas => "a list of { area = NAME, pattern = TAG }".to_owned(),
        SettingKind::Patterns => "a list of patterns of tags".to_owned(),
        SettingKind::Direction => "three numbers, not all zero".to_owned(),
        _ => info.range(),
    };
    let flag = flag_of(info.key).map_or_else(String::new, |flag| format!(" ({flag})"));
    out.push('\n');
    push_comment(out, &format!("{} Takes {takes}{flag}.", info.help()));
    if let SettingKind::Choice(all) = info.kind {
        for choice in all {
            push_comment(out, &format!("{}: {}", choice.name, choice.help()));
        }
    }
    let _ = writeln!(out, "{key} = {}", toml_value(&info.get(settings)));
}

fn push_comment(out: &mut String, text: &str) {
    let mut width = 0;
    for word in text.split_whitespace() {
        let needed = word.chars().count() + 1;
        if width == 0 || width + needed > LINE_WIDTH {
            out.push_str(if width == 0 { "#" } else { "\n#" });
            width = 1;
        }
        let _ = write!(out, " {word}");
        width += needed;
    }
    out.push('\n');
}

fn toml_value(value: &SettingValue) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let triple = |d: &[f64; 3]| list(d.iter().map(f64::to_string).collect());
    let text = |text: &str| toml::Value::String(text.to_owned()).to_string();
    match value {
        SettingValue::Number(v) => v.to_string(),
        SettingValue::Choice(name) => text(name),
        SettingValue::Switch(on) => on.to_string(),
        SettingValue::Direction(d) => triple(d),
        SettingValue::Points(all) => list(all.iter().map(triple).collect()),
        SettingValue::Areas(all) => {
            let rule = |area: &str, pattern: &str| {
                format!("{{ area = {}, pattern = {} }}", text(area), text(pattern))
            };
            list(all.iter().map(|r| rule(&r.area, &r.tag_pattern)).collect())
        }
        SettingValue::Patterns(all) => list(all.iter().map(|p| text(p)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_bake::{AreaRule, BuildMethod};

    /// What is printed is what is read, by the tool and by `serde`, whatever the method.
    #[test]
    fn printed_settings_read_back_as_they_were() {
        for kind in [BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered] {
            let mut settings = BakeSettings {
                method: kind.into(),
                up: [0.1, -0.2, 1.0],
                seeds: vec![[1.0, 2.5, -3.0], [0.0; 3]],
                areas: vec![AreaRule { area: "mud".into(), tag_pattern: "*\"b\\#ö=*".into() }],
                ignore: vec!["*glass*".into(), "a\"b".into()],
                two_sided: true,
                ..BakeSettings::default()
            };
            settings.agent.max_slope_rad = 33.3_f64.to_radians();
            for info in settings_table().iter().filter(|s| s.is_for(kind)) {
                if let SettingKind::Number(range) = info.kind {
                    let number = if range.is_whole { range.usual[1] } else { 0.3 * range.usual[1] };
                    info.set(&mut settings, SettingValue::Number(number)).unwrap();
                }
            }
            let printed = print_settings(&settings);
            assert_eq!(toml::from_str::<BakeSettings>(&printed).unwrap(), settings, "{printed}");
            let written = toml::to_string(&settings).unwrap();
            assert_eq!(toml::from_str::<BakeSettings>(&written).unwrap(), settings, "{written}");
        }
    }

    #[test]
    fn every_setting_is_printed_with_help_and_range() {
        let printed = print_settings(&BakeSettings::default());
        for info in settings_table() {
            let key = info.key.rsplit('.').next().unwrap();
            assert!(printed.contains(&format!("\n{key} = ")), "{}", info.key);
        }
        let in_one_line = printed.replace("\n#", "");
        assert!(in_one_line.contains("above 0 and at most 1000 m"), "{printed}");
        assert!(printed.lines().all(|line| line.chars().count() <= LINE_WIDTH + 2), "{printed}");
    }
}
