//! The flags of `surefoot build` that set something: made from the table of settings, so that names,
//! ranges, defaults and help stand in one place.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::convert::Infallible;
use surefoot_bake::{
    AreaRule, BakeSettings, BuildMethod, SettingInfo, SettingKind, SettingValue, settings_table,
};

/// Flags that the layered method shares with the voxel one or has alone. They change each other in
/// proportion where only some are given; by its key each setting means itself alone.
pub(crate) const IN_PROPORTION: [(&str, &str); 3] = [
    ("cell-size", "layered.cell_size"),
    ("cell-height", "layered.cell_height"),
    ("fine-cell-size", "layered.fine_cell_size"),
];

/// A flag, and the settings that it stands for: of several methods one each.
struct Flag {
    name: &'static str,
    infos: Vec<&'static SettingInfo>,
}

/// What was given on a command line, in the order of the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingFlags(Vec<(&'static str, SettingValue)>);

impl SettingFlags {
    /// The flags given, by name, with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &SettingValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// Whether none was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a flag, if it was given.
    pub(crate) fn get(&self, name: &str) -> Option<&SettingValue> {
        self.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// The number given to a flag.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        if let Some(SettingValue::Number(v)) = self.get(name) { Some(*v) } else { None }
    }

    /// Flags of other methods are not wrong, but a person should know that they do nothing.
    pub(crate) fn without_effect(&self, method: BuildMethod) -> Vec<String> {
        let is_idle = |name: &str| {
            let flag = flags().into_iter().find(|f| f.name == name);
            flag.is_some_and(|f| f.infos.iter().all(|info| !info.is_for(method)))
        };
        let idle = self.iter().filter(|(name, _)| is_idle(name));
        idle.map(|(name, _)| format!("--{name} has no effect with --method {}", method.name()))
            .collect()
    }
}

/// The flag that sets a setting, with its dashes.
pub(crate) fn flag_of(key: &str) -> Option<String> {
    let flag = flags().into_iter().find(|f| f.infos.iter().any(|info| info.key == key));
    flag.map(|f| format!("--{}", f.name))
}

/// A message of the library, which knows settings by their keys: with the flag after each.
pub(crate) fn with_flags(message: &str) -> String {
    let mut out = message.to_owned();
    for info in settings_table() {
        if let Some(flag) = flag_of(info.key) {
            out = out.replace(&format!("`{}`", info.key), &format!("`{}` ({flag})", info.key));
        }
    }
    out
}

fn flags() -> Vec<Flag> {
    let own = settings_table().iter().filter_map(|info| info.short.map(|name| (name, info)));
    let shared = IN_PROPORTION
        .iter()
        .filter_map(|&(name, key)| SettingInfo::find(key).ok().map(|info| (name, info)));
    let mut flags: Vec<Flag> = Vec::new();
    for (name, info) in own.chain(shared) {
        match flags.iter_mut().find(|f| f.name == name) {
            Some(flag) => flag.infos.push(info),
            None => flags.push(Flag { name, infos: vec![info] }),
        }
    }
    flags
}

impl Flag {
    /// `voxel: Width of a column [m; default: 0.1]`, a line for each setting.
    fn help(&self, defaults: &BakeSettings, text: impl Fn(&SettingInfo) -> String) -> String {
        let lines: Vec<String> = self
            .infos
            .iter()
            .map(|info| {
                let of = match info.methods {
                    few if few.len() < 3 => {
                        let names: Vec<&str> = few.iter().map(|m| m.name()).collect();
                        format!("{}: ", names.join(", "))
                    }
                    _ => String::new(),
                };
                let unit = match info.kind {
                    SettingKind::Number(range) => format!("{}; ", range.unit),
                    _ => String::new(),
                };
                let default = match (info.kind, info.get(defaults).to_string()) {
                    (SettingKind::Switch, _) => "off".to_owned(),
                    (_, none) if none.is_empty() => "none".to_owned(),
                    (_, value) => value,
                };
                format!("{of}{} [{unit}default: {default}]", text(info))
            })
            .collect();
        lines.join("\n")
    }

    fn arg(&self, defaults: &BakeSettings) -> Arg {
        let info = self.infos[0];
        let arg = Arg::new(self.name)
            .long(self.name)
            .value_name("NAME")
            .help(self.help(defaults, |info| info.summary().to_owned()))
            .long_help(self.help(defaults, |info| match info.kind {
                SettingKind::Number(range) => format!("{} Takes numbers {range}.", info.help()),
                _ => info.help().to_owned(),
            }));
        match info.kind {
            SettingKind::Number(range) => {
                let name = match range.unit {
                    "m" => "M",
                    "m²" => "M2",
                    "°" => "DEG",
                    "cells" => "CELLS",
                    _ => "N",
                };
                arg.value_name(name).allow_negative_numbers(true).value_parser(parser(info))
            }
            SettingKind::Choice(all) => {
                let values = all.iter().map(|c| PossibleValue::new(c.name).help(c.help()));
                let parser = PossibleValuesParser::new(values).map(SettingValue::Choice);
                arg.value_parser(parser)
            }
            SettingKind::Switch => arg
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .value_name("true|false")
                .value_parser(parser(info)),
            SettingKind::Direction => {
                arg.value_name("DIR").allow_hyphen_values(true).value_parser(parser(info))
            }
            SettingKind::Points => arg
                .value_name("X,Y,Z")
                .allow_hyphen_values(true)
                .action(ArgAction::Append)
                .value_parser(parser(info)),
            SettingKind::Areas => arg
                .value_name("NAME=PATTERN")
                .action(ArgAction::Append)
                // One rule a flag, whatever signs its pattern has.
                .value_parser(ValueParser::from(|text: &str| {
                    text.parse::<AreaRule>().map(|rule| SettingValue::Areas(vec![rule]))
                })),
            SettingKind::Patterns => arg
                .value_name("PATTERN")
                .action(ArgAction::Append)
                // One pattern a flag, whatever signs it has.
                .value_parser(ValueParser::from(|text: &str| {
                    Ok::<_, Infallible>(SettingValue::Patterns(vec![text.to_owned()]))
                })),
        }
    }
}

fn parser(info: &'static SettingInfo) -> ValueParser {
    ValueParser::from(move |text: &str| info.parse(text))
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let defaults = BakeSettings::default();
        command.args(flags().iter().map(|flag| flag.arg(&defaults)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Self::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for flag in flags() {
            let Some(values) = matches.get_many::<SettingValue>(flag.name) else { continue };
            // What is given several times adds up.
            let joined = values.cloned().reduce(|all, one| match (all, one) {
                (SettingValue::Points(all), SettingValue::Points(one)) => {
                    SettingValue::Points([all, one].concat())
                }
                (SettingValue::Areas(all), SettingValue::Areas(one)) => {
                    SettingValue::Areas([all, one].concat())
                }
                (SettingValue::Patterns(all), SettingValue::Patterns(one)) => {
                    SettingValue::Patterns([all, one].concat())
                }
                (_, last) => last,
            });
            self.0.extend(joined.map(|value| (flag.name, value)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_flag_beside_the_key() {
        assert_eq!(
            with_flags("`agent.height` is -1; lower `layered.cell_size` or `voxel.drop_ledges`"),
            "`agent.height` (--agent-height) is -1; lower `layered.cell_size` (--cell-size) or \
             `voxel.drop_ledges`"
        );
    }
}
