//! From what a build was told to what its stages are told: every range is checked, once.

use super::table::settings_table;
use super::{
    AreaRule, BakeSettings, CellShape, ExactSettings, LayeredSettings, Method, SettingKind,
    SettingValue, SettingsError, VoxelSettings,
};
use std::borrow::Cow;
use surefoot_geom::Frame;
use surefoot_mesh::{Agent, BuildInfo, TagRules};
use surefoot_scene::TagPatterns;

/// How much of a cell the boundaries of grids may move when they are simplified once more, around
/// fillers.
const GRID_TOLERANCE_CELLS: f64 = 0.25;

/// Settings that have been checked.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) agent: Agent,
    pub(crate) method: Method,
    /// The rotation to Z up, around the user's origin.
    pub(crate) frame: Frame,
    pub(crate) two_sided: bool,
    pub(crate) keep_inside: bool,
    pub(crate) cluster_m: f64,
    pub(crate) gap_distance_m: f64,
    pub(crate) wall_thickness_m: f64,
    pub(crate) seeds: Vec<[f64; 3]>,
    pub(crate) min_area_m2: f64,
    pub(crate) fill_gaps_m: f64,
    pub(crate) areas: Vec<AreaRule>,
    /// Which tags decide for geometry.
    pub(crate) tag_rules: TagRules,
    /// Each method's own; the defaults of those that were not chosen.
    pub(crate) exact: ExactSettings,
    pub(crate) voxel: VoxelSettings,
    pub(crate) layered: ResolvedLayered,
    pub(crate) partition: PartitionSettings,
}

/// What the layered pipeline's grids have to know: its own settings, and the gap distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedLayered {
    pub(crate) cell_size_m: f64,
    pub(crate) cell_height_m: f64,
    pub(crate) fine_cell_size_m: f64,
    pub(crate) boundary_error_cells: f64,
    pub(crate) height_error_m: f64,
    pub(crate) gap_distance_m: f64,
}

/// What a reader has to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadSettings<'a> {
    /// The rotation to Z up, around the user's origin.
    pub(crate) frame: Frame,
    /// Points in a cell of this size become one, in metres; nought keeps all.
    pub(crate) cluster_m: f64,
    /// Area types by tag.
    pub(crate) areas: &'a [AreaRule],
}

/// Settings of the partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionSettings {
    /// The shape of the cells.
    pub cells: CellShape,
    /// How deep a notch may be, in metres.
    pub convex_distance_m: f64,
    /// How far a cell may lie above or below the faces it is made of, in metres.
    pub height_tolerance_m: f64,
}

impl BakeSettings {
    /// Checks ranges and combinations, as a build does first of all.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.resolve().map(drop)
    }

    pub(crate) fn resolve(&self) -> Result<Resolved, SettingsError> {
        self.check_ranges()?;
        self.check_combinations()?;
        if let Some(&seed) = self.seeds.iter().find(|s| !s.iter().all(|c| c.is_finite())) {
            return Err(SettingsError::Seed { seed });
        }
        if self.areas.len() >= usize::from(u16::MAX) {
            return Err(SettingsError::TooManyAreas { count: self.areas.len() });
        }
        let tag_rules = TagRules {
            ignore: self.ignore.clone(),
            obstacle: self.obstacle.clone(),
            ground: self.ground.clone(),
        };
        let patterns = [&self.ignore, &self.obstacle, &self.ground].into_iter().flatten();
        if let Some(pattern) = patterns.into_iter().find(|p| !TagRules::is_pattern(p)) {
            return Err(SettingsError::TagPattern { pattern: pattern.clone() });
        }
        let (mut exact, mut voxel, mut layered) =
            (ExactSettings::default(), VoxelSettings::default(), LayeredSettings::default());
        match self.method {
            Method::Exact(own) => exact = own,
            Method::Voxel(own) => voxel = own,
            Method::Layered(own) => layered = own,
            Method::AnySurface => {}
        }
        Ok(Resolved {
            agent: self.agent,
            method: self.method,
            frame: Frame::with_up(self.up)?,
            two_sided: self.two_sided,
            keep_inside: self.keep_inside,
            cluster_m: self.cluster_m,
            gap_distance_m: self.gap_distance_m,
            wall_thickness_m: self.wall_thickness_m,
            seeds: self.seeds.clone(),
            min_area_m2: self.min_area_m2,
            fill_gaps_m: self.fill_gaps_m,
            areas: self.areas.clone(),
            tag_rules,
            exact,
            voxel,
            layered: ResolvedLayered {
                cell_size_m: layered.cell_size_m,
                cell_height_m: layered.cell_height_m,
                fine_cell_size_m: layered.fine_cell_size_m,
                boundary_error_cells: layered.boundary_error_cells,
                height_error_m: layered.height_error_m,
                gap_distance_m: self.gap_distance_m,
            },
            partition: PartitionSettings {
                cells: self.cells,
                convex_distance_m: self.convex_distance_m,
                height_tolerance_m: self.height_tolerance_m,
            },
        })
    }

    /// Every number that the method asks for, against its declared range.
    fn check_ranges(&self) -> Result<(), SettingsError> {
        let method = self.method.kind();
        for info in settings_table().iter().filter(|s| s.methods.contains(&method)) {
            let (SettingKind::Number(range), SettingValue::Number(value)) =
                (info.kind, info.get(self))
            else {
                continue;
            };
            if !range.contains(value) {
                let default = match info.get(&Self::default()) {
                    SettingValue::Number(default) => default,
                    _ => f64::NAN,
                };
                let range = range.to_string();
                return Err(SettingsError::OutOfRange { key: info.key, value, range, default });
            }
        }
        Ok(())
    }

    /// Numbers that others set limits to.
    fn check_combinations(&self) -> Result<(), SettingsError> {
        let refuse_unless = |fits: bool, key, value, range: String, advice| {
            // NaN makes every comparison false, so nothing fits it.
            if fits {
                Ok(())
            } else {
                Err(SettingsError::DoesNotGoWith { key, value, range, advice })
            }
        };
        let height_m = self.agent.height_m;
        refuse_unless(
            self.agent.max_step_m < height_m,
            "agent.max_step",
            self.agent.max_step_m,
            format!("below the agent's height of {height_m} m"),
            "lower the step, or raise `agent.height`",
        )?;
        refuse_unless(
            self.fill_gaps_m < 0.5 * height_m,
            "fill_gaps",
            self.fill_gaps_m,
            format!("less than half the agent's height of {height_m} m"),
            "lower it, or raise `agent.height`: above that it is not clear which floor a gap leads to",
        )?;
        match &self.method {
            Method::Exact(_) => refuse_unless(
                self.wall_thickness_m > self.gap_distance_m,
                "wall_thickness",
                self.wall_thickness_m,
                format!("above the gap distance of {} m", self.gap_distance_m),
                "raise it, or lower `gap_distance`, so that no gap is closed through a wall; gaps to \
                 step over are filled with `fill_gaps`",
            ),
            Method::Layered(layered) => refuse_unless(
                layered.cell_size_m >= layered.fine_cell_size_m
                    && layered.cell_size_m <= 32.0 * layered.fine_cell_size_m,
                "layered.cell_size",
                layered.cell_size_m,
                format!("from one to 32 fine cells of {} m", layered.fine_cell_size_m),
                "four are usual; change it, or `layered.fine_cell_size`",
            ),
            Method::Voxel(_) | Method::AnySurface => Ok(()),
        }
    }
}

impl Resolved {
    /// What the pipelines are told. Where gaps are filled they give the ground as it is: the radius is
    /// kept from what borders the fillers leave, and exact boundaries are simplified after that, once.
    pub(crate) fn for_ground(&self) -> Cow<'_, Self> {
        if !(self.fill_gaps_m > 0.0 && self.agent.radius_m > 0.0) {
            return Cow::Borrowed(self);
        }
        let mut settings = self.clone();
        settings.agent.radius_m = 0.0;
        settings.exact.tolerance_m = 0.0;
        Cow::Owned(settings)
    }

    /// The widest gap to fill as the ground of the method shows it, in metres: on a grid the ground ends
    /// up to a cell before it does in the scene, on either side, and half of that on average.
    pub(crate) fn gap_reach_m(&self) -> f64 {
        let wider_m = match self.method {
            Method::Exact(_) | Method::AnySurface => 0.0,
            Method::Voxel(own) => own.cell_size_m,
            Method::Layered(own) => 0.5 * own.fine_cell_size_m,
        };
        (self.fill_gaps_m + wider_m).min(0.5 * self.agent.height_m)
    }

    /// The agent whose radius is kept around fillers. Voxels of the ground end between where it ends in the
    /// scene and a cell before; half of that is kept already.
    pub(crate) fn filled_agent(&self) -> Agent {
        let kept_m = match self.method {
            Method::Voxel(own) => 0.5 * own.cell_size_m,
            Method::Exact(_) | Method::Layered(_) | Method::AnySurface => 0.0,
        };
        Agent { radius_m: (self.agent.radius_m - kept_m).max(0.0), ..self.agent }
    }

    /// How far boundaries may be moved inwards by simplification after the radius was kept around
    /// fillers, in metres.
    pub(crate) fn filled_tolerance_m(&self) -> f64 {
        let of_grid_m = |cells: f64, cell_m: f64| cells.min(GRID_TOLERANCE_CELLS) * cell_m;
        match self.method {
            Method::Exact(_) | Method::AnySurface => self.exact.tolerance_m,
            Method::Voxel(own) => of_grid_m(own.boundary_error_cells, own.cell_size_m),
            Method::Layered(own) => of_grid_m(own.boundary_error_cells, own.fine_cell_size_m),
        }
    }

    /// What a reader has to know.
    pub(crate) fn reading(&self) -> ReadSettings<'_> {
        ReadSettings { frame: self.frame, cluster_m: self.cluster_m, areas: &self.areas }
    }

    /// The same as a scene takes them.
    pub(crate) fn tag_patterns(&self) -> TagPatterns<'_> {
        let TagRules { ignore, obstacle, ground } = &self.tag_rules;
        TagPatterns { ignore, obstacle, ground }
    }

    /// What the mesh says about how it was built.
    pub(crate) fn build_info(&self) -> BuildInfo {
        let (cell_size_m, cell_height_m, gap_distance_m, stair_slope_rad) = match self.method {
            Method::Exact(_) | Method::AnySurface => {
                (0.0, 0.0, self.gap_distance_m, self.exact.stair_slope_rad)
            }
            // What lies within one cell is not told apart.
            Method::Voxel(_) => {
                (self.voxel.cell_size_m, self.voxel.cell_height_m, self.voxel.cell_size_m, 0.0)
            }
            Method::Layered(_) => {
                let layered = &self.layered;
                (layered.fine_cell_size_m, layered.height_error_m, self.gap_distance_m, 0.0)
            }
        };
        BuildInfo {
            method: self.method.kind(),
            cell_size_m,
            cell_height_m,
            gap_distance_m,
            stair_slope_rad,
            min_area_m2: self.min_area_m2,
            two_sided: self.two_sided,
            keep_inside: self.keep_inside,
            seeded: !self.seeds.is_empty(),
            fill_gaps_m: self.fill_gaps_m,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_mesh::BuildMethod;

    #[test]
    fn defaults_resolve() {
        for kind in [BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered] {
            let settings = BakeSettings { method: kind.into(), ..BakeSettings::default() };
            assert_eq!(settings.check(), Ok(()), "{kind:?}");
        }
    }

    #[test]
    fn absurd_settings_are_refused_with_advice() {
        let with = |f: &dyn Fn(&mut BakeSettings)| {
            let mut s = BakeSettings::default();
            f(&mut s);
            s.check()
        };
        assert!(with(&|s| s.agent.height_m = f64::NAN).is_err());
        assert!(with(&|s| s.agent.height_m = 0.0).is_err());
        assert!(with(&|s| s.agent.radius_m = -1.0).is_err());
        assert!(with(&|s| s.agent.max_step_m = 2.0).is_err());
        assert!(with(&|s| s.agent.max_slope_rad = 1.6).is_err());
        assert!(with(&|s| s.up = [0.0; 3]).is_err());
        assert!(with(&|s| s.gap_distance_m = 0.1).is_err());
        assert!(with(&|s| s.fill_gaps_m = -0.1).is_err());
        assert!(with(&|s| s.fill_gaps_m = f64::NAN).is_err());
        assert!(with(&|s| s.fill_gaps_m = 0.9).is_err(), "half the height");
        assert!(with(&|s| s.fill_gaps_m = 0.89).is_ok());
        assert!(with(&|s| s.seeds = vec![[f64::INFINITY, 0.0, 0.0]]).is_err());
        assert!(with(&|s| s.min_area_m2 = f64::INFINITY).is_err());
        let tile_size = |cells| {
            with(&|s| {
                let own = VoxelSettings { tile_size_cells: cells, ..VoxelSettings::default() };
                s.method = own.into();
            })
        };
        assert!([0, 8, 16_384].into_iter().all(|cells| tile_size(cells).is_ok()));
        assert!([1, 7, 16_385].into_iter().all(|cells| tile_size(cells).is_err()));
    }

    #[test]
    fn an_error_says_the_range_and_the_default() {
        let mut settings = BakeSettings::default();
        settings.agent.max_slope_rad = 95.0_f64.to_radians();
        assert_eq!(
            settings.check().unwrap_err().to_string(),
            "`agent.max_slope` is 95, but must be above 0 and at most 85°; the default is 45"
        );
        settings.agent = Agent::default();
        settings.gap_distance_m = 0.5;
        let error = settings.check().unwrap_err().to_string();
        assert!(error.contains("above the gap distance of 0.5 m"), "{error}");
    }

    /// Walls must be thicker than gaps only where gaps are closed past walls.
    #[test]
    fn no_method_is_refused_for_what_another_asks_for() {
        for kind in [BuildMethod::Voxel, BuildMethod::Layered] {
            let mut settings = BakeSettings { method: kind.into(), ..BakeSettings::default() };
            settings.gap_distance_m = 0.05;
            assert_eq!(settings.check(), Ok(()), "{kind:?}");
        }
    }
}
