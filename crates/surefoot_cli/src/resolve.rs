//! From flags to settings, in one place.
//!
//! What a flag asks for and this version cannot do ends here with a plain word, before any file is
//! read.

use crate::args::{BackendFlag, BuildArgs, CellsFlag, MethodFlag, RegionsFlag, StairsFlag};
use crate::outcome::Failure;
use surefoot_bake::{
    Agent, AreaRule, BakeSettings, CellShape, ExactSettings, LayeredSettings, Method, Regions,
    SettingInfo, Stairs, VoxelSettings,
};

/// The settings of a build, checked, and what the flags say that has no effect.
pub(crate) fn build_settings(args: &BuildArgs) -> Result<(BakeSettings, Vec<String>), Failure> {
    let method = match args.method {
        MethodFlag::Exact => Method::Exact,
        MethodFlag::Voxel => Method::Voxel,
        MethodFlag::Layered => Method::Layered,
        MethodFlag::AnySurface => Method::AnySurface,
    };
    let defaults = ExactSettings::default();
    let mut settings = BakeSettings {
        agent: Agent {
            height_m: args.agent_height,
            radius_m: args.agent_radius,
            max_slope_rad: args.max_slope.to_radians(),
            max_step_m: args.max_step,
        },
        method,
        up: args.up,
        cells: match args.cells {
            CellsFlag::Triangles => CellShape::Triangles,
            CellsFlag::Convex => CellShape::Convex,
        },
        convex_distance_m: args.convex_distance,
        seeds: args.seeds.clone(),
        min_area_m2: args.min_area,
        fill_gaps_m: args.fill_gaps,
        areas: args
            .areas
            .iter()
            .map(|(area, tag_pattern)| AreaRule {
                area: area.clone(),
                tag_pattern: tag_pattern.clone(),
            })
            .collect(),
        exact: ExactSettings {
            stairs: match args.stairs {
                None => defaults.stairs,
                Some(StairsFlag::Steps) => Stairs::Steps,
                Some(StairsFlag::Ramps) => Stairs::Ramps,
            },
            gap_distance_m: args
                .gap_distance
                .filter(|_| args.method != MethodFlag::Layered)
                .unwrap_or(defaults.gap_distance_m),
            wall_thickness_m: args.wall_thickness.unwrap_or(defaults.wall_thickness_m),
            stair_slope_rad: args.stair_slope.map_or(defaults.stair_slope_rad, f64::to_radians),
            tolerance_m: args.tolerance.unwrap_or(defaults.tolerance_m),
            cluster_m: args.cluster.unwrap_or(defaults.cluster_m),
            simplify_m: args.simplify.unwrap_or(defaults.simplify_m),
            two_sided: args.two_sided,
            ..defaults
        },
        voxel: voxel_settings(args),
        layered: layered_settings(args),
    };
    for (name, value) in &args.set {
        let set =
            SettingInfo::find(name).and_then(|info| info.set(&mut settings, info.parse(value)?));
        set.map_err(|e| Failure::usage(format!("--set {name}={value}: {e}")))?;
    }
    settings.resolve().map_err(Failure::usage)?;

    // What this version cannot do.
    if method == Method::AnySurface {
        return Err(Failure::failed(format!(
            "the {} method is not part of this version; use --method exact, voxel or layered",
            method.name()
        )));
    }
    if args.backend == BackendFlag::Gpu {
        return Err(Failure::failed(
            "no stage runs on a GPU in this version; use --backend cpu or auto",
        ));
    }
    Ok((settings, without_effect(args)))
}

/// Coarse and fine cells keep their proportions where only one of them is given.
fn layered_settings(args: &BuildArgs) -> LayeredSettings {
    let defaults = LayeredSettings { two_sided: args.two_sided, ..LayeredSettings::default() };
    if args.method != MethodFlag::Layered {
        return defaults;
    }
    let coarse_per_fine = defaults.cell_size_m / defaults.fine_cell_size_m;
    let fine = args.fine_cell_size.or(args.cell_size.map(|coarse| coarse / coarse_per_fine));
    let fine_cell_size_m = fine.unwrap_or(defaults.fine_cell_size_m);
    let cell_size_m = args.cell_size.unwrap_or(fine_cell_size_m * coarse_per_fine);
    let height_per_size = defaults.cell_height_m / defaults.cell_size_m;
    LayeredSettings {
        cell_size_m,
        cell_height_m: args.cell_height.unwrap_or(cell_size_m * height_per_size),
        fine_cell_size_m,
        gap_distance_m: args.gap_distance.unwrap_or(defaults.gap_distance_m),
        ..defaults
    }
}

fn voxel_settings(args: &BuildArgs) -> VoxelSettings {
    let defaults = VoxelSettings { two_sided: args.two_sided, ..VoxelSettings::default() };
    if args.method != MethodFlag::Voxel {
        return defaults;
    }
    VoxelSettings {
        cell_size_m: args.cell_size.unwrap_or(defaults.cell_size_m),
        cell_height_m: args.cell_height.unwrap_or(defaults.cell_height_m),
        tile_size_cells: args.tile_size.unwrap_or(defaults.tile_size_cells),
        regions: match args.regions {
            None | Some(RegionsFlag::Flood) => Regions::Flood,
            Some(RegionsFlag::Flat) => Regions::Flat,
            Some(RegionsFlag::Watershed) => Regions::Watershed,
            Some(RegionsFlag::Monotone) => Regions::Monotone,
        },
        ..defaults
    }
}

/// Flags of other pipelines are not wrong, but a person should know that they do nothing.
fn without_effect(args: &BuildArgs) -> Vec<String> {
    let of_exact = [
        ("--stairs", args.stairs.is_some()),
        ("--cluster", args.cluster.is_some()),
        ("--simplify", args.simplify.is_some()),
        ("--wall-thickness", args.wall_thickness.is_some()),
        ("--stair-slope", args.stair_slope.is_some()),
        ("--tolerance", args.tolerance.is_some()),
    ];
    let of_grids =
        [("--cell-size", args.cell_size.is_some()), ("--cell-height", args.cell_height.is_some())];
    let of_voxels =
        [("--tile-size", args.tile_size.is_some()), ("--regions", args.regions.is_some())];
    let of_layers = [("--fine-cell-size", args.fine_cell_size.is_some())];
    let of_gaps = [("--gap-distance", args.gap_distance.is_some())];
    let (idle, method): ([&[_]; 3], _) = match args.method {
        MethodFlag::Voxel => ([&of_exact, &of_layers, &of_gaps], "voxel"),
        MethodFlag::Layered => ([&of_exact, &of_voxels, &[]], "layered"),
        _ => ([&of_grids, &of_voxels, &of_layers], "exact"),
    };
    idle.into_iter()
        .flatten()
        .filter(|(_, given)| *given)
        .map(|(flag, _)| format!("{flag} has no effect with --method {method}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;
    use surefoot_bake::{SettingKind, SettingValue, settings_table};
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
        for method in [Method::Exact, Method::Voxel, Method::Layered] {
            let base = BakeSettings { method, ..BakeSettings::default() };
            for info in settings_table().iter().filter(|s| s.methods.contains(&method)) {
                let others: Vec<SettingValue> = match info.kind {
                    SettingKind::Number { usual, .. } if info.key == "exact.gap_distance" => {
                        vec![SettingValue::Number(0.2 * usual[1])]
                    }
                    SettingKind::Number { usual, .. } => vec![SettingValue::Number(usual[1])],
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
                };
                for value in others {
                    let mut settings = base.clone();
                    info.set(&mut settings, value.clone()).unwrap();
                    assert_eq!(parsed(build_flags(&settings)), settings, "{} {value}", info.key);
                }
            }
        }
    }

    /// The gap distance is that of the pipeline that builds: in the exact one it must stay below the
    /// thickness of walls, which the layered one does not know.
    #[test]
    fn the_gap_distance_is_that_of_the_pipeline() {
        let with = |method: &str| {
            let flags = ["--method", method, "--gap-distance", "0.02"];
            parsed(flags.map(str::to_owned).to_vec())
        };
        let defaults = BakeSettings::default();
        // In millimetres.
        let gaps = |s: &BakeSettings| {
            [s.exact.gap_distance_m, s.layered.gap_distance_m].map(|m| (1e3 * m).round() as i32)
        };
        assert_eq!(gaps(&with("exact")), [20, gaps(&defaults)[1]]);
        assert_eq!(gaps(&with("layered")), [gaps(&defaults)[0], 20]);
        let wide = ["--method", "layered", "--gap-distance", "0.05"].map(str::to_owned);
        let cli = ["surefoot", "build", "a.obj", "-o", "a.snav"].map(str::to_owned);
        let Command::Build(args) =
            Cli::try_parse_from(cli.into_iter().chain(wide)).unwrap().command
        else {
            panic!("not a build")
        };
        let (settings, idle) = build_settings(&args).unwrap_or_else(|_| panic!("{args:?}"));
        assert_eq!((gaps(&settings)[1], idle), (50, Vec::new()));
    }

    #[test]
    fn a_setting_without_a_flag_is_set_by_name() {
        let set = |text: &str| parsed(vec!["--set".to_owned(), text.to_owned()]);
        assert!(!set("voxel.drop_ledges=false").voxel.drop_ledges);
        assert_eq!(set("cells=notches").cells, CellShape::Notches);
    }
}
