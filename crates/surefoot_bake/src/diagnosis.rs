//! Why a scene gave no mesh: what its triangles are to the agent, counted, and what would change it.

use crate::report::{BakeReport, GroundUnderHulls, Warning};
use std::fmt;

/// Triangles of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TriangleCount {
    /// How many.
    pub count: u64,
    /// Their area, in m².
    pub area_m2: f64,
}

/// Why nothing in a scene can be walked on: what its triangles are to the agent.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GroundDiagnosis {
    /// Ground: facing up and no steeper than the agent walks.
    pub ground: TriangleCount,
    /// Facing up, and too steep.
    pub steep: TriangleCount,
    /// Upright, as walls are.
    pub upright: TriangleCount,
    /// Facing down.
    pub facing_down: TriangleCount,
    /// Those facing down that would be ground if they were turned over, or with `two_sided`.
    pub ground_turned_over: TriangleCount,
    /// Never ground, by their tags.
    pub obstacles: TriangleCount,
    /// Triangles with a coordinate that is no number.
    pub non_finite: u64,
    /// Triangles without an area.
    pub zero_area: u64,
    /// The axis of the scene's frame, other than up and down, along which most ground would lie if it
    /// were up, and how much of it.
    pub other_up: Option<([f64; 3], TriangleCount)>,
    /// The area of the largest patch of ground that was dropped for being too small or away from the
    /// seeds, in m², where it came to that.
    pub largest_patch_m2: Option<f64>,
    /// How many seeds there were, and how many of them lie on no ground.
    pub seeds: u64,
    /// Seeds that lie on no ground.
    pub seeds_off_ground: u64,
    /// Where hulls cover much of the ground, which.
    pub hulls: Option<GroundUnderHulls>,
}

impl TriangleCount {
    /// Adds a triangle.
    pub(crate) fn add(&mut self, area_m2: f64) {
        self.count += 1;
        self.area_m2 += area_m2;
    }
}

impl GroundDiagnosis {
    /// Adds what a build has seen of its ground.
    pub(crate) fn note_what_was_dropped(
        &mut self,
        largest_patch_m2: Option<f64>,
        seeds: usize,
        report: &BakeReport,
    ) {
        let is_off = |w: &&Warning| matches!(w, Warning::SeedOffGround { .. });
        self.largest_patch_m2 = largest_patch_m2;
        self.seeds = seeds as u64;
        self.seeds_off_ground = report.warnings.iter().filter(is_off).count() as u64;
    }

    /// How many triangles have a surface.
    #[must_use]
    pub fn triangles(&self) -> u64 {
        self.ground.count + self.steep.count + self.upright.count + self.facing_down.count
    }

    /// Without any ground: which triangles there are instead, and what to do.
    fn tell_of_no_ground(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let obstacles = self.obstacles.count;
        if obstacles > 0 {
            write!(f, "{obstacles} triangles are never ground, by their tags (`obstacle`); ")?;
        }
        if self.triangles() == 0 && obstacles > 0 {
            return write!(f, "there are no others");
        }
        if self.triangles() == 0 {
            let all = self.non_finite + self.zero_area;
            if all == 0 {
                return write!(f, "the scene has no triangle");
            }
            return write!(
                f,
                "none of the {all} triangles has a surface: {} have coordinates that are no numbers, \
                 {} have no area; repair the scene",
                self.non_finite, self.zero_area
            );
        }
        write!(
            f,
            "of {} triangles none faces up within `agent.max_slope` ({} face up and are steeper, {} \
             are upright, {} face down); ",
            self.triangles(),
            self.steep.count,
            self.upright.count,
            self.facing_down.count
        )?;
        let over = self.ground_turned_over;
        if over.count > 0 {
            return write!(
                f,
                "{} of those that face down ({:.1} m²) would be ground if they were turned over: turn \
                 them, set `two_sided`, or check `up`",
                over.count, over.area_m2
            );
        }
        if self.steep.count > 0 && self.steep.area_m2 >= self.upright.area_m2 {
            return write!(f, "raise `agent.max_slope`, or check `up`");
        }
        match self.other_up {
            Some(([x, y, z], ground)) => write!(
                f,
                "check `up`: were it {x},{y},{z}, there would be {:.1} m² of ground",
                ground.area_m2
            ),
            None => write!(f, "check `up` and `agent.max_slope`"),
        }
    }

    /// With ground that the agent fits nowhere on.
    fn tell_of_nothing_left(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TriangleCount { count, area_m2 } = self.ground;
        write!(f, "of {count} triangles of ground ({area_m2:.1} m²) ")?;
        if self.seeds > 0 && self.seeds_off_ground == self.seeds {
            return write!(f, "none is left, because no seed lies on any; move the `seeds`");
        }
        if let Some(hulls) = &self.hulls {
            return write!(f, "none is left: {hulls}");
        }
        match self.largest_patch_m2 {
            Some(patch_m2) => write!(
                f,
                "the largest patch that the agent fits on has {patch_m2:.3} m²; lower `min_area`, or \
                 `agent.radius`"
            ),
            None => write!(
                f,
                "none is wide and high enough for the agent, or what is left is smaller than \
                 `min_area`; lower `agent.radius`, `agent.height` or `min_area`"
            ),
        }
    }
}

/// What there is and what to do, in one line.
impl fmt::Display for GroundDiagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ground.count == 0 {
            self.tell_of_no_ground(f)
        } else {
            self.tell_of_nothing_left(f)
        }
    }
}
