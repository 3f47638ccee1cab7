//! What a check is told, and the two agents that it tries: one a little smaller than the mesh's
//! agent, which must fit wherever the mesh says so, and one a little larger, whose ground the mesh
//! must cover.

use surefoot_mesh::{Agent, BuildInfo, BuildMethod};

/// How a mesh is checked. Lengths are in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifySettings {
    /// Points sampled for soundness, and again for completeness. Typical: 10,000.
    pub samples: u64,
    /// Seed of every random choice. The same seed gives the same report.
    pub seed: u64,
    /// How much the boundary of the mesh may be off in plan, and limits of height in the vertical,
    /// before a point counts as unsound. Exact builds: 0.01. Voxel builds: about a cell.
    pub tolerance_m: f64,
    /// How much larger the agent is whose ground the mesh must cover. Exact builds: 0.04, which is
    /// the tolerance, the thickness that the build gives to walls that have none (0.025) and the
    /// error of arcs. Voxel builds: about two cells.
    pub margin_m: f64,
    /// How far the mesh may lie above or below the ground it stands for. Exact builds: 0.03.
    pub height_tolerance_m: f64,
    /// Cracks in the ground up to this width are none. Typical: 0.01, the build's gap distance.
    pub gap_distance_m: f64,
    /// The steepest bridge between two treads that are apart in plan, in radians. Typical: 55°, the
    /// build's stair slope. Where treads are nearer than such a bridge reaches, the gap between them
    /// is no ledge.
    pub stair_slope_rad: f64,
    /// Patches of ground smaller than this need not be covered, in m². The build's own setting.
    pub min_area_m2: f64,
    /// Whether triangles that face down are ground too, as the build was told.
    pub two_sided: bool,
    /// Whether ground that lies inside solids counts as ground, as the build was told.
    pub keep_inside: bool,
    /// Whether only ground that can be reached from the mesh must be covered: for builds with
    /// seeds, which leave out islands of any size.
    pub reachable_only: bool,
    /// Gaps that were to be filled up to this width are no ledges, in metres: what the agent steps
    /// across, measured in space. Zero: the build filled none.
    pub fill_gaps_m: f64,
    /// How many of the worst faults of each kind the report names.
    pub worst: usize,
}

impl Default for VerifySettings {
    fn default() -> Self {
        Self {
            samples: 10_000,
            seed: 1,
            tolerance_m: 0.01,
            margin_m: 0.04,
            height_tolerance_m: 0.03,
            gap_distance_m: 0.01,
            stair_slope_rad: 55.0_f64.to_radians(),
            min_area_m2: 1.0,
            two_sided: false,
            keep_inside: false,
            reachable_only: false,
            fill_gaps_m: 0.0,
            worst: 20,
        }
    }
}

impl VerifySettings {
    /// Settings for a mesh that says how it was built.
    #[must_use]
    pub fn for_build(build: &BuildInfo) -> Self {
        let base = match build.method {
            BuildMethod::Voxel | BuildMethod::Layered => {
                Self::for_voxels(build.cell_size_m, build.cell_height_m)
            }
            // Whatever has no grid is held to the geometry itself.
            _ => Self { gap_distance_m: build.gap_distance_m, ..Self::default() },
        };
        let stair_slope_rad =
            if build.stair_slope_rad > 0.0 { build.stair_slope_rad } else { base.stair_slope_rad };
        Self {
            stair_slope_rad,
            min_area_m2: build.min_area_m2,
            two_sided: build.two_sided,
            keep_inside: build.keep_inside,
            reachable_only: build.seeded,
            fill_gaps_m: build.fill_gaps_m,
            ..base
        }
    }

    /// Settings for a mesh that was built from voxels: a boundary may be off by a cell, heights by
    /// two cell heights and by what the steepest usual ground (45°) rises within a cell. Gaps whose
    /// two sides are off by a cell each are closed.
    #[must_use]
    pub fn for_voxels(cell_size_m: f64, cell_height_m: f64) -> Self {
        Self {
            tolerance_m: cell_size_m,
            margin_m: 2.0 * cell_size_m,
            height_tolerance_m: 2.0 * cell_height_m + cell_size_m,
            gap_distance_m: 2.0 * cell_size_m,
            ..Self::default()
        }
    }
}

/// Surfaces whose heights are nearer than this are one surface, in metres.
pub(crate) const NOISE_M: f64 = 1e-3;

/// Meshes with a larger tolerance than this come from a grid, in metres: samples and portals are tried
/// as far aside as the tolerance goes too.
pub(crate) const FINE_M: f64 = 0.02;

/// Allowed over the cosine of the slope limit: a slope of exactly the limit can be walked.
const SLOPE_SLACK: f64 = 1e-6;

/// How much steeper or flatter the slope limit is for the smaller and the larger agent, in radians.
const SLOPE_TOLERANCE_RAD: f64 = 2e-3;

/// An agent as it is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) radius_m: f64,
    pub(crate) height_m: f64,
    pub(crate) step_m: f64,
    /// The vertical part of the unit normal of the steepest ground.
    pub(crate) least_up: f64,
    /// The rise over the run of the steepest ground.
    pub(crate) steepest: f64,
    /// The widest crack that is none.
    pub(crate) crack_m: f64,
    /// How far a bridge between two treads reaches for each metre of height; zero where there are
    /// no bridges.
    pub(crate) bridge_run: f64,
    /// The longest way across a gap that is no ledge; zero where gaps are.
    pub(crate) gap_m: f64,
    /// Whether doubt is held against a place.
    pub(crate) strict: bool,
}

/// The narrowest crack that is always stepped over: what noise leaves between triangles.
const NOISE_CRACK_M: f64 = 2.0 * NOISE_M;

impl Body {
    /// The agent itself.
    pub(crate) fn plain(agent: &Agent, settings: &VerifySettings) -> Self {
        Self::with_slope(agent, settings, agent.max_slope_rad)
    }

    fn with_slope(agent: &Agent, settings: &VerifySettings, slope_rad: f64) -> Self {
        Self {
            radius_m: agent.radius_m,
            height_m: agent.height_m,
            step_m: agent.max_step_m,
            least_up: slope_rad.cos() - SLOPE_SLACK,
            steepest: slope_rad.tan(),
            crack_m: settings.gap_distance_m.max(NOISE_CRACK_M),
            bridge_run: 1.0 / settings.stair_slope_rad.tan().max(0.1),
            gap_m: settings.fill_gaps_m,
            strict: false,
        }
    }

    /// The agent made smaller by the tolerance: it must fit wherever the mesh is.
    pub(crate) fn smaller(agent: &Agent, settings: &VerifySettings) -> Self {
        let slope = (agent.max_slope_rad + SLOPE_TOLERANCE_RAD).min(1.55);
        let mut body = Self::with_slope(agent, settings, slope);
        let vertical = settings.tolerance_m.min(settings.height_tolerance_m);
        body.radius_m = (body.radius_m - settings.tolerance_m).max(0.0);
        body.height_m = (body.height_m - vertical).max(0.5 * body.height_m);
        body.step_m = (body.step_m + vertical).min(0.99 * body.height_m);
        body.crack_m += NOISE_CRACK_M;
        if body.gap_m > 0.0 {
            body.gap_m += settings.tolerance_m;
        }
        body
    }

    /// The agent made larger by the margin: wherever it fits, the mesh must be.
    pub(crate) fn larger(agent: &Agent, settings: &VerifySettings, margin_m: f64) -> Self {
        let slope = (agent.max_slope_rad - SLOPE_TOLERANCE_RAD).max(0.0);
        let mut body = Self::with_slope(agent, settings, slope);
        let vertical = settings.tolerance_m.min(settings.height_tolerance_m);
        body.radius_m += margin_m;
        body.height_m += vertical;
        body.step_m = (body.step_m - vertical).max(0.0);
        body.crack_m = NOISE_CRACK_M;
        body.bridge_run = 0.0;
        body.strict = true;
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_is_held_to_what_its_build_promised() {
        let exact = BuildInfo {
            method: BuildMethod::Exact,
            cell_size_m: 0.0,
            cell_height_m: 0.0,
            gap_distance_m: 0.02,
            stair_slope_rad: 0.9,
            min_area_m2: 3.0,
            two_sided: true,
            keep_inside: true,
            seeded: true,
            fill_gaps_m: 0.3,
        };
        let settings = VerifySettings::for_build(&exact);
        let wanted = VerifySettings {
            gap_distance_m: 0.02,
            stair_slope_rad: 0.9,
            min_area_m2: 3.0,
            two_sided: true,
            keep_inside: true,
            reachable_only: true,
            fill_gaps_m: 0.3,
            ..VerifySettings::default()
        };
        assert_eq!(settings, wanted);
        let voxel = BuildInfo {
            method: BuildMethod::Voxel,
            cell_size_m: 0.1,
            cell_height_m: 0.05,
            stair_slope_rad: 0.0,
            two_sided: false,
            keep_inside: false,
            seeded: false,
            fill_gaps_m: 0.0,
            ..exact
        };
        let settings = VerifySettings::for_build(&voxel);
        let wanted = VerifySettings { min_area_m2: 3.0, ..VerifySettings::for_voxels(0.1, 0.05) };
        assert_eq!(settings, wanted);
    }
}
