//! What is ground, looking straight up and down from a point.
//!
//! Look up from a point of a walkable surface. If another walkable surface lies within the agent's
//! height, that one is the ground. Otherwise the agent can stand iff nothing solid lies between step
//! height and agent height, where a surface facing down begins something solid and the next one
//! facing up ends it; a lone sheet facing down has no end. A surface facing down that lies on the
//! ground itself is either the foot of something solid (a wall, a crate) or the other side of the
//! ground, which then is a sheet: see [`World::solid_on`].
//!
//! A steep surface is no ground, but one that leads from ground to ground within one step (a leaning
//! riser, a sloped kerb) is stepped over: see [`Judge::is_riser`].

use crate::judged::Judged;
use crate::settings::{Body, NOISE_M};
use crate::world::{Facet, Facing, Meeting, Place, World};
use glam::{DVec2, DVec3};
use std::cell::RefCell;

/// Why the agent cannot stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// There is no ground at this height.
    NoGround,
    /// Another walkable surface lies above, nearer than the agent's height.
    Covered,
    /// Something solid begins or stands between step height and agent height.
    HeadRoom,
    /// A steep surface rises higher than a step.
    Steep,
    /// A wall stands in the disc around the point.
    Wall,
    /// The ground ends within the disc around the point.
    Ledge,
    /// A step within the disc is higher than the agent climbs.
    StepTooHigh,
    /// The ground lies inside something.
    Inside,
}

impl Reason {
    /// The reason in a few words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoGround => "no ground at this height",
            Self::Covered => "another surface lies above, too low to stand under",
            Self::HeadRoom => "something solid stands or hangs within the agent's height",
            Self::Steep => "a slope too steep rises higher than a step",
            Self::Wall => "a wall is nearer than the radius",
            Self::Ledge => "the ground ends nearer than the radius",
            Self::StepTooHigh => "a step nearer than the radius is too high",
            Self::Inside => {
                "the ground lies inside of something: all around, surfaces show their backs"
            }
        }
    }

    /// A short name for machines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoGround => "no-ground",
            Self::Covered => "covered",
            Self::HeadRoom => "head-room",
            Self::Steep => "steep",
            Self::Wall => "wall",
            Self::Ledge => "ledge",
            Self::StepTooHigh => "step-too-high",
            Self::Inside => "inside",
        }
    }
}

/// Why the agent cannot stand, and where that shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) reason: Reason,
    pub(crate) at: DVec3,
}

/// What a vertical line finds near a height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spot {
    /// Ground, at this height.
    Ground(f64),
    /// A steep surface that is stepped over, at this height.
    Riser(f64),
    /// A walkable surface under something.
    Blocked(Reason, f64),
    /// Nothing to stand on.
    Void,
}

/// Heights between which a spot is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) level_m: f64,
    pub(crate) down_m: f64,
    pub(crate) up_m: f64,
}

impl Window {
    pub(crate) fn around(level_m: f64, reach_m: f64) -> Self {
        Self { level_m, down_m: reach_m, up_m: reach_m }
    }
}

/// Heights nearer than this are equal, in metres: what rounding leaves of one modelled height.
const SAME_M: f64 = 5e-5;

/// Directions in which both sides of a gap are looked for.
const WAYS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (0.0, 1.0),
    (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2),
    (std::f64::consts::FRAC_1_SQRT_2, -std::f64::consts::FRAC_1_SQRT_2),
    (0.923_879_532_511_286_7, 0.382_683_432_365_089_8),
    (0.923_879_532_511_286_7, -0.382_683_432_365_089_8),
    (0.382_683_432_365_089_8, 0.923_879_532_511_286_7),
    (0.382_683_432_365_089_8, -0.923_879_532_511_286_7),
];

/// How far a look along a riser goes between two looks down, in metres.
const RISER_PACE_M: f64 = 0.01;

/// How far the surface may lie from where a riser's slope says, in metres.
const RISER_NOISE_M: f64 = 5e-3;

/// How far from a corner of a steep triangle, as a share of the way to its middle, it is tried.
const RISER_INSET: f64 = 0.05;

/// How far a look from a point that may be bridged goes between two looks down, in metres.
const BRIDGE_LOOK_M: f64 = 0.01;

/// Looks to one side of a point between gaps.
const GAP_LOOKS: f64 = 8.0;

/// Between what a point is looked for to be bridged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Span {
    /// Ground on both sides.
    BetweenTreads,
    /// Ground, or what is bridged between treads.
    BetweenGaps,
}

/// One body in the world, judging places; each thread has its own.
pub(crate) struct Judge<'a> {
    pub(crate) world: &'a World,
    pub(crate) body: Body,
    pub(crate) place: Place,
    /// The neighbourhood of a riser or a bridge, which may reach beyond the place.
    aside: RefCell<Place>,
    /// The mesh whose fillers of gaps count, where doubt is held against a place.
    fillers: Option<&'a Judged<'a>>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(world: &'a World, body: Body) -> Self {
        Self { world, body, place: Place::default(), aside: RefCell::default(), fillers: None }
    }

    /// The same, for whom gaps that a mesh has filled are none, though doubt is held against them.
    pub(crate) fn with_fillers(self, mesh: &'a Judged<'a>) -> Self {
        Self { fillers: Some(mesh), ..self }
    }

    /// How far up and down the ground may go within the body's disc, in metres.
    pub(crate) fn range_m(&self) -> f64 {
        let body = &self.body;
        4.0 * body.step_m + 2.0 * body.radius_m.max(0.1) * body.steepest.min(4.0) + 0.1
    }

    /// Collects the triangles around a point for the looks that follow.
    pub(crate) fn go_to(&mut self, at: DVec3, reach_m: f64) {
        let range = self.range_m();
        let heights = (at.z - range, at.z + range + self.body.height_m);
        self.world.gather(&self.body, at.truncate(), reach_m, heights, &mut self.place);
        // What was found elsewhere depends on which thread was where, so it is not kept.
        self.aside.get_mut().clear();
    }

    /// What lies over a plan point of the place.
    pub(crate) fn spot(&mut self, at: DVec2, window: Window) -> Spot {
        let found = look_for_ground(self.world, &self.body, &mut self.place, at, window);
        let (low, high) = (window.level_m - window.down_m, window.level_m + window.up_m);
        if matches!(found, Spot::Ground(_)) {
            return found;
        }
        // The highest steep surface within reach may be one to step over.
        let steep =
            self.place.column.iter().rposition(|m| {
                m.facing == Facing::Steep && m.height_m >= low && m.height_m <= high
            });
        let Some(index) = steep else { return found };
        let meeting = self.place.column[index];
        if blocked_above(self.world, &self.body, &self.place.column, at, meeting.height_m).is_some()
        {
            return found;
        }
        if self.is_riser(at, meeting) { Spot::Riser(meeting.height_m) } else { found }
    }

    /// Whether a steep surface leads from ground to ground within one step: at the point, and where
    /// doubt is held against the place, all over the triangle.
    fn is_riser(&self, at: DVec2, meeting: Meeting) -> bool {
        let facet = &self.place.facets[meeting.facet as usize];
        // A triangle that rises higher than a step as a whole leads over only at its corners, if at
        // all: how much of it does is a matter of doubt.
        if self.body.strict && facet.high.z - facet.low.z > self.body.step_m {
            return false;
        }
        if !self.leads_over(facet, at, meeting.height_m) {
            return false;
        }
        if !self.body.strict {
            return true;
        }
        let [a, b, c] = facet.corners.map(DVec3::truncate);
        let middle = (a + b + c) / 3.0;
        [a, b, c].iter().all(|&corner| {
            let inside = corner.lerp(middle, RISER_INSET);
            self.leads_over(facet, inside, facet.plane_height(inside))
        })
    }

    /// Whether a steep triangle leads from ground to ground within one step: straight down the slope
    /// from a point of it and straight up it, across whatever triangles lie there.
    fn leads_over(&self, facet: &Facet, at: DVec2, z: f64) -> bool {
        let (downhill, up) = (facet.downhill(), facet.up());
        if downhill.length_squared() < 0.5 {
            return false;
        }
        let body = &self.body;
        // As far as the flattest steep slope goes within one step.
        let reach = body.step_m / body.steepest.max(0.05) + 4.0 * RISER_PACE_M;
        let mut aside = self.aside.borrow_mut();
        let heights = (z - body.step_m - 0.1, z + body.step_m + body.height_m + 0.1);
        self.world.gather_once(body, at, reach + RISER_PACE_M, heights, &mut aside);
        let slope = (1.0 - up * up).sqrt() / up;
        let mut end = |way: DVec2, rise: f64| -> Option<f64> {
            let mut last = z;
            let mut expected_rise = rise * slope * RISER_PACE_M;
            let paces = (reach / RISER_PACE_M).ceil() as usize;
            for k in 1..=paces {
                let here = at + way * (k as f64 * RISER_PACE_M);
                aside.look(here);
                let expected = last + expected_rise;
                // The slope may change from triangle to triangle, down to nearly upright ones.
                let near =
                    if body.strict { RISER_NOISE_M + expected_rise.abs() } else { body.step_m };
                let next = aside
                    .column
                    .iter()
                    .filter(|m| matches!(m.facing, Facing::Steep | Facing::Walkable))
                    .filter(|m| (m.height_m - expected).abs() <= near)
                    .min_by(|a, b| {
                        (a.height_m - expected).abs().total_cmp(&(b.height_m - expected).abs())
                    })
                    .copied();
                let Some(next) = next else {
                    // The slope ends in an upright piece: the ground at its foot or head counts,
                    // unless doubt is held against the place.
                    if body.strict {
                        return None;
                    }
                    let window = Window::around(last, body.step_m);
                    return match look_for_ground(self.world, body, &mut aside, here, window) {
                        Spot::Ground(g) => Some(g),
                        _ => None,
                    };
                };
                if next.facing == Facing::Walkable {
                    let window = Window::around(next.height_m, NOISE_M);
                    return match look_for_ground(self.world, body, &mut aside, here, window) {
                        Spot::Ground(g) => Some(g),
                        _ => None,
                    };
                }
                if (next.height_m - z).abs() > body.step_m + NOISE_M {
                    return None;
                }
                expected_rise = next.height_m - last;
                last = next.height_m;
            }
            None
        };
        let Some(low) = end(downhill, -1.0) else { return false };
        let Some(high) = end(-downhill, 1.0) else { return false };
        high - low <= body.step_m + NOISE_M
    }

    /// The height at which a point is bridged: treads on two opposite sides of it, within a step in
    /// height and nearer together than the steepest bridge between them reaches, or than the gaps that
    /// were to be filled are wide, both higher than what lies at the point itself, with head room above.
    /// Where gaps cross, what is stepped over on two sides may stand for the treads. Where doubt is held
    /// against a place, only gaps count that a mesh has filled.
    pub(crate) fn bridged(&self, at: DVec2, level_m: f64, above_m: f64) -> Option<f64> {
        let (step, run, gap_m) = (self.body.step_m, self.body.bridge_run, self.body.gap_m);
        if run <= 0.0 && gap_m <= 0.0 {
            return None;
        }
        if self.body.strict {
            let here = at.extend(level_m);
            let fillers = self.fillers?;
            if let Some(height_m) = fillers.filler_at(here, step) {
                return Some(height_m);
            }
            // Where it ends, the radius was kept from a filler.
            if !fillers.has_filler_near(here, self.body.radius_m + gap_m, step) {
                return None;
            }
        }
        let mut aside = self.aside.borrow_mut();
        let reach = (step * run).max(2.0 * gap_m) + 4.0 * BRIDGE_LOOK_M;
        let heights = (level_m - step - 0.1, level_m + step + self.body.height_m + 0.1);
        self.world.gather_once(&self.body, at, reach, heights, &mut aside);
        let window = Window::around(level_m, step + NOISE_M);
        let treads = self.span(&mut aside, at, window, above_m, Span::BetweenTreads);
        treads.or_else(|| {
            (gap_m > 0.0 && !self.body.strict)
                .then(|| self.span(&mut aside, at, window, above_m, Span::BetweenGaps))
                .flatten()
        })
    }

    /// The height at which a point is spanned, looking to both sides of it in some directions.
    fn span(
        &self,
        aside: &mut Place,
        at: DVec2,
        window: Window,
        above_m: f64,
        span: Span,
    ) -> Option<f64> {
        let (step, run, gap_m) = (self.body.step_m, self.body.bridge_run, self.body.gap_m);
        let (reach_m, look_m) = match span {
            Span::BetweenTreads => ((step * run).max(gap_m), BRIDGE_LOOK_M),
            Span::BetweenGaps => (gap_m, (gap_m / GAP_LOOKS).max(BRIDGE_LOOK_M)),
        };
        let looks = (reach_m / look_m).ceil() as usize + 1;
        for (x, y) in WAYS {
            let way = DVec2::new(x, y);
            let mut find = |side: DVec2| {
                (1..=looks).find_map(|k| {
                    let d = k as f64 * look_m;
                    let there = at + side * d;
                    match look_for_ground(self.world, &self.body, aside, there, window) {
                        Spot::Ground(z) if z > above_m => Some((d, z)),
                        _ if span == Span::BetweenGaps => self
                            .span(aside, there, window, above_m, Span::BetweenTreads)
                            .map(|z| (d, z)),
                        _ => None,
                    }
                })
            };
            let Some((d, z)) = find(way) else { continue };
            let Some((e, w)) = find(-way) else { continue };
            let height = (z - w).abs();
            // Each side is found up to one look too late.
            let late_m = if self.body.strict { 0.0 } else { 2.0 * look_m };
            let is_bridge = d + e <= (height * run).max(self.body.crack_m) + late_m;
            let is_gap = gap_m > 0.0 && (d + e).hypot(height) <= gap_m + late_m;
            if height > step + NOISE_M || !(is_bridge || is_gap) {
                continue;
            }
            let bridge = z + (w - z) * d / (d + e);
            aside.look(at);
            let free = blocked_above(self.world, &self.body, &aside.column, at, bridge);
            if free.is_none() {
                return Some(bridge);
            }
        }
        None
    }

    /// Whether a point without ground lies over a crack: ground that a step reaches on both sides of
    /// it, nearer together than the widest crack.
    pub(crate) fn is_crack(&mut self, at: DVec2, level_m: f64) -> bool {
        const PARTS: usize = 6;
        let widest = self.body.crack_m;
        let window = Window::around(level_m, self.body.step_m + NOISE_M);
        for (x, y) in WAYS {
            let way = DVec2::new(x, y);
            let mut across = 0.0;
            for side in [way, -way] {
                let found = (1..=PARTS).find(|&k| {
                    let d = widest * k as f64 / PARTS as f64;
                    matches!(
                        look_for_ground(
                            self.world,
                            &self.body,
                            &mut self.place,
                            at + side * d,
                            window
                        ),
                        Spot::Ground(_)
                    )
                });
                across += found.map_or(f64::INFINITY, |k| widest * k as f64 / PARTS as f64);
            }
            // Each side is found up to a sixth too late.
            if across <= widest * (1.0 + 2.0 / PARTS as f64) {
                return true;
            }
        }
        false
    }
}

/// The ground over a plan point nearest to a height, within a window.
fn look_for_ground(
    world: &World,
    body: &Body,
    place: &mut Place,
    at: DVec2,
    window: Window,
) -> Spot {
    place.look(at);
    let (low, high) = (window.level_m - window.down_m, window.level_m + window.up_m);
    let mut best: Option<f64> = None;
    let mut blocked: Option<(f64, Reason, f64)> = None;
    for m in &place.column {
        if m.facing != Facing::Walkable || m.height_m < low || m.height_m > high {
            continue;
        }
        let away = (m.height_m - window.level_m).abs();
        match blocked_above(world, body, &place.column, at, m.height_m) {
            None => {
                if best.is_none_or(|b| away < (b - window.level_m).abs()) {
                    best = Some(m.height_m);
                }
            }
            Some((reason, z)) => {
                if blocked.is_none_or(|b| away < b.0) {
                    blocked = Some((away, reason, z));
                }
            }
        }
    }
    match (best, blocked) {
        (Some(z), _) => Spot::Ground(z),
        (None, Some((_, reason, z))) => Spot::Blocked(reason, z),
        (None, None) => Spot::Void,
    }
}

/// What keeps a body from standing at a height of a column, and at which height that is.
fn blocked_above(
    world: &World,
    body: &Body,
    column: &[Meeting],
    at: DVec2,
    height_m: f64,
) -> Option<(Reason, f64)> {
    let (step, head) = (height_m + body.step_m, height_m + body.height_m);
    // What is as high as the limit within the noise is let pass.
    let (above_step, below_head) = (step + NOISE_M * 0.1, head - NOISE_M * 0.1);
    for (i, m) in column.iter().enumerate() {
        let z = m.height_m;
        if z < height_m - SAME_M {
            continue;
        }
        if z >= below_head {
            break;
        }
        match m.facing {
            Facing::Walkable if z > height_m + NOISE_M => return Some((Reason::Covered, z)),
            Facing::Steep if z > above_step => return Some((Reason::Steep, z)),
            Facing::Down => {
                let blocks = if z <= height_m + NOISE_M {
                    world.solid_on(at, z + NOISE_M).is_some_and(|end| end > above_step)
                } else {
                    let end = column[i + 1..].iter().find(|n| n.facing != Facing::Down);
                    end.is_none_or(|n| n.height_m > above_step)
                };
                if blocks {
                    return Some((Reason::HeadRoom, z));
                }
            }
            _ => {}
        }
    }
    None
}
