//! From flags to settings, in one place.
//!
//! What a flag asks for and this version cannot do ends here with a plain word, before any file is
//! read.

use crate::args::{BackendFlag, BuildArgs};
use crate::flags::{IN_PROPORTION, with_flags};
use crate::outcome::Failure;
use crate::settings_file::read_settings;
use surefoot_bake::{
    BakeSettings, LayeredSettings, Method, SettingInfo, SettingsError, settings_table,
};

/// The settings of a build, checked, and what the flags say that has no effect.
pub(crate) fn build_settings(args: &BuildArgs) -> Result<(BakeSettings, Vec<String>), Failure> {
    let mut settings = given_settings(args)?;
    let method = settings.method.kind();
    for (name, value) in args.given.iter() {
        // A flag sets what its method knows by it.
        let info = settings_table().iter().find(|s| s.short == Some(name) && s.is_for(method));
        if let Some(info) = info {
            info.set(&mut settings, value.clone())
                .map_err(|e| Failure::usage(format!("--{name}: {e}")))?;
        }
    }
    if let Method::Layered(layered) = &mut settings.method {
        set_in_proportion(layered, args);
    }
    for (name, value) in &args.set {
        let set =
            SettingInfo::find(name).and_then(|info| info.set(&mut settings, info.parse(value)?));
        set.map_err(|e| Failure::usage(format!("--set {name}={value}: {e}")))?;
    }
    settings.check().map_err(|error| match &args.settings_file {
        // Nobody else has said anything.
        Some(path) if args.given.is_empty() && args.set.is_empty() => Failure::file(path, error),
        _ => refuse(error),
    })?;

    // What this version cannot do.
    if settings.method == Method::AnySurface {
        return Err(Failure::failed(format!(
            "the {} method is not part of this version; use --method exact, voxel or layered",
            settings.method
        )));
    }
    if args.backend == BackendFlag::Gpu {
        return Err(Failure::failed(
            "no stage runs on a GPU in this version; use --backend cpu or auto",
        ));
    }
    Ok((settings, args.given.without_effect(method)))
}

/// A setting that cannot be used, with the flag that sets it.
pub(crate) fn refuse(error: SettingsError) -> Failure {
    Failure::usage(with_flags(&error.to_string()))
}

/// The method, with what the settings file says of it; the defaults where there is none.
fn given_settings(args: &BuildArgs) -> Result<BakeSettings, Failure> {
    let mut values = match &args.settings_file {
        Some(path) => read_settings(path)?,
        None => Default::default(),
    };
    let method = SettingInfo::find("method").map_err(refuse)?;
    let by_flag = args.given.get("method").cloned();
    let by_name = args.set.iter().rev().find(|(name, _)| name == method.key);
    let by_name = by_name.map(|(_, text)| method.parse(text)).transpose().map_err(refuse)?;
    if let Some(value) = by_name.or(by_flag) {
        values.insert(method, value);
    }
    values.settings().map_err(refuse)
}

/// Coarse and fine cells keep their proportions where only one of them is given.
fn set_in_proportion(layered: &mut LayeredSettings, args: &BuildArgs) {
    let [size, height, fine] = IN_PROPORTION.map(|(flag, _)| args.given.number(flag));
    if size.is_none() && height.is_none() && fine.is_none() {
        return;
    }
    let coarse_per_fine = layered.cell_size_m / layered.fine_cell_size_m;
    let height_per_size = layered.cell_height_m / layered.cell_size_m;
    let fine_cell_size_m =
        fine.or(size.map(|coarse| coarse / coarse_per_fine)).unwrap_or(layered.fine_cell_size_m);
    let cell_size_m = size.unwrap_or(fine_cell_size_m * coarse_per_fine);
    *layered = LayeredSettings {
        cell_size_m,
        cell_height_m: height.unwrap_or(cell_size_m * height_per_size),
        fine_cell_size_m,
        ..*layered
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;
    use surefoot_bake::{AreaRule, BuildMethod, CellShape, SettingKind, SettingValue};
    use surefoot_viewer::build_flags;

    fn parsed(flags: Vec<String>) -> BakeSettings {
        let words = ["surefoot", "build", "a.obj", "-o", "a.snav"].map(str::to_owned);
        let cli = Cli::try_parse_from(words.into_iter().chain(flags)).unwrap();
        let Command::Build(args) = cli.command else { panic!("not a build") };
        build_settings(&args).unwrap_or_else(|_| panic!("{args:?}")).0
    }

    /// What the viewer copies as a command line builds with the settings that it shows.
    #[test]
    fn every_setting_can_be_asked_for_by_flags() {
        for method in [BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered] {
            let base = BakeSettings { method: method.into(), ..BakeSettings::default() };
            for info in settings_table().iter().filter(|s| s.is_for(method)) {
                let others: Vec<SettingValue> = match info.kind {
                    SettingKind::Number(range) if info.key == "gap_distance" => {
                        vec![SettingValue::Number(0.2 * range.usual[1])]
                    }
                    SettingKind::Number(range) => vec![SettingValue::Number(range.usual[1])],
                    SettingKind::Choice(_) if info.key == "method" => continue,
                    SettingKind::Choice(all) => {
                        all.iter().map(|c| SettingValue::Choice(c.name.to_owned())).collect()
                    }
                    SettingKind::Switch => [false, true].map(SettingValue::Switch).to_vec(),
                    SettingKind::Direction => vec![SettingValue::Direction([0.0, -0.5, 1.0])],
                    SettingKind::Points => {
                        vec![SettingValue::Points(vec![[-1.0, 2.0, 0.25], [0.0; 3]])]
                    }
                    SettingKind::Areas => vec![SettingValue::Areas(vec![AreaRule {
                        area: "mud".to_owned(),
                        tag_pattern: "*a b=c*".to_owned(),
                    }])],
                    SettingKind::Patterns => {
                        vec![SettingValue::Patterns(vec!["*a b=c*".to_owned(), "d;e".to_owned()])]
                    }
                };
                for value in others {
                    let mut settings = base.clone();
                    info.set(&mut settings, value.clone()).unwrap();
                    assert_eq!(parsed(build_flags(&settings)), settings, "{} {value}", info.key);
                }
            }
        }
    }

    /// In the exact pipeline the gap distance must stay below the thickness of walls, which the layered
    /// one does not know; the voxel one knows neither.
    #[test]
    fn a_build_is_not_refused_for_what_its_method_does_not_ask() {
        let wide = |method: &str| {
            let words = ["surefoot", "build", "a.obj", "-o", "a.snav", "--gap-distance", "0.05"];
            let words = words.into_iter().chain(["--method", method]);
            let Command::Build(args) = Cli::try_parse_from(words).unwrap().command else {
                panic!("not a build")
            };
            build_settings(&args).map(|(settings, idle)| (settings.gap_distance_m > 0.04, idle))
        };
        assert!(wide("exact").is_err());
        assert_eq!(wide("layered").ok(), Some((true, Vec::new())));
        let (_, idle) = wide("voxel").unwrap();
        assert_eq!(idle, ["--gap-distance has no effect with --method voxel"]);
    }

    #[test]
    fn coarse_and_fine_cells_keep_their_proportions() {
        let with = |flags: &[&str]| {
            let flags = ["--method", "layered"].iter().chain(flags);
            match parsed(flags.map(|&f| f.to_owned()).collect()).method {
                Method::Layered(l) => [l.cell_size_m, l.cell_height_m, l.fine_cell_size_m],
                other => panic!("{other:?}"),
            }
        };
        // In millimetres.
        let rounded = |sizes: [f64; 3]| sizes.map(|m| (1e3 * m).round() as i32);
        assert_eq!(rounded(with(&[])), [200, 100, 50]);
        assert_eq!(rounded(with(&["--fine-cell-size", "0.1"])), [400, 200, 100]);
        assert_eq!(rounded(with(&["--cell-size", "0.4"])), [400, 200, 100]);
        assert_eq!(rounded(with(&["--cell-size", "0.4", "--cell-height", "0.1"])), [400, 100, 100]);
        assert_eq!(rounded(with(&["--set", "layered.cell_size=0.4"])), [400, 100, 50]);
    }

    #[test]
    fn a_setting_without_a_flag_is_set_by_name() {
        let set = |text: &str| parsed(vec!["--set".to_owned(), text.to_owned()]);
        assert_eq!(set("cells=notches").cells, CellShape::Notches);
        assert!((set("height_tolerance=0.05").height_tolerance_m - 0.05).abs() < 1e-12);
        // By its former name.
        assert!((set("exact.height_tolerance=0.05").height_tolerance_m - 0.05).abs() < 1e-12);
        let of_voxels = ["--method", "voxel", "--set", "voxel.drop_ledges=false"];
        let settings = parsed(of_voxels.map(str::to_owned).to_vec());
        assert!(matches!(settings.method, Method::Voxel(own) if !own.drop_ledges));
        // Of another method: taken, and without effect.
        assert_eq!(set("voxel.drop_ledges=false"), BakeSettings::default());
    }
}
