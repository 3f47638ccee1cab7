//! Whether the agent stands at a point: the ground there, and the disc around it.
//!
//! Every point of the disc must be ground that is connected to the centre by steps the agent can
//! take. Three looks at it, each strong where the others are weak:
//! - *walks* outwards from the centre in many directions, from ground to ground, which find ledges,
//!   steep slopes, low ceilings and solid walls;
//! - *ledges*: edges of walkable triangles along which no other runs are tried just outside at their
//!   nearest points, which finds holes and slits between the walks;
//! - *obstacles*: triangles that are no ground are tried where they come nearest between step height
//!   and agent height, which finds thin sheets, pillars and beams between the walks.

use crate::ground::{Judge, Reason, Refusal, Spot, Window};
use crate::settings::NOISE_M;
use crate::world::{Facet, Facing};
use glam::{DVec2, DVec3};

/// Distance between neighbouring walks at the rim, in metres.
const WALK_SPACING_M: f64 = 0.08;

/// Length of one pace of a walk, in metres.
const PACE_M: f64 = 0.06;

/// The largest numbers of walks and of paces: more than enough for a vehicle.
const MAX_WALKS: usize = 96;
const MAX_PACES: usize = 48;

/// How far beside an edge or before a wall a look goes down, in metres.
const BESIDE_M: f64 = 2e-3;

/// Where an edge is tried: shares of the way from its nearest point to where it leaves the disc, to
/// one side and to the other.
const LEDGE_LOOKS: [f64; 5] = [0.0, -0.5, 0.5, -0.95, 0.95];

/// How far behind a wall ground is looked for, in metres: a wall without thickness counts as this
/// thick, so that no crack in the ground leads through it.
const BEHIND_M: [f64; 3] = [2e-3, 12e-3, 24e-3];

/// Ground deeper than this below a tread may be what is seen between two treads, in metres.
const DEEP_M: f64 = 0.05;

/// Paces are halved down to this length where a step looks too high, in metres.
const SHORTEST_PACE_M: f64 = 8e-4;

/// How many steps high the stairs within one pace may be.
const STAIRS_IN_PACE: f64 = 4.0;

/// Distance between looks along a wall, in metres.
const WALL_SPACING_M: f64 = 0.03;

/// The heights of the ground around a centre, found by walking.
#[derive(Debug, Default)]
pub(crate) struct Rosette {
    centre: DVec3,
    walks: usize,
    paces: usize,
    pace_m: f64,
    heights: Vec<f64>,
}

impl Rosette {
    /// The height of the ground near a point of the disc.
    fn height_near(&self, at: DVec2) -> f64 {
        let d = at - self.centre.truncate();
        let ring = (d.length() / self.pace_m).round() as usize;
        if ring == 0 || self.walks == 0 {
            return self.centre.z;
        }
        let turns = d.to_angle() / std::f64::consts::TAU;
        let walk = (turns.rem_euclid(1.0) * self.walks as f64).round() as usize % self.walks;
        self.heights[walk * self.paces + ring.min(self.paces) - 1]
    }
}

impl Judge<'_> {
    /// Whether the body stands at a point, up to `window_m` above or below it; the ground's height.
    pub(crate) fn stands(
        &mut self,
        at: DVec3,
        window_m: f64,
        rosette: &mut Rosette,
    ) -> Result<f64, Refusal> {
        self.go_to(at, self.body.radius_m + BEHIND_M[2] + 0.01);
        let plan = at.truncate();
        let height = match self.spot(plan, Window::around(at.z, window_m)) {
            Spot::Ground(z) | Spot::Riser(z) => z,
            Spot::Blocked(reason, z) if self.is_lip(plan, at.z, reason, z) => at.z,
            Spot::Blocked(reason, z) => return Err(Refusal { reason, at: plan.extend(z) }),
            Spot::Void => return Err(Refusal { reason: Reason::NoGround, at }),
        };
        self.disc(plan.extend(height), rosette)?;
        Ok(height)
    }

    /// Whether the disc around a point of the ground is ground; the place is around it already.
    pub(crate) fn disc(&mut self, centre: DVec3, rosette: &mut Rosette) -> Result<(), Refusal> {
        if self.body.radius_m <= 0.0 {
            return Ok(());
        }
        self.walk_around(centre, rosette)?;
        self.try_ledges(rosette)?;
        self.try_obstacles(rosette)
    }

    fn walk_around(&mut self, centre: DVec3, rosette: &mut Rosette) -> Result<(), Refusal> {
        let radius = self.body.radius_m;
        let walks = (std::f64::consts::TAU * radius / WALK_SPACING_M).ceil() as usize;
        let paces = (radius / PACE_M).ceil() as usize;
        rosette.centre = centre;
        rosette.walks = walks.clamp(12, MAX_WALKS);
        rosette.paces = paces.clamp(2, MAX_PACES);
        rosette.pace_m = radius / rosette.paces as f64;
        rosette.heights.clear();
        rosette.heights.resize(rosette.walks * rosette.paces, centre.z);
        for walk in 0..rosette.walks {
            let angle = std::f64::consts::TAU * walk as f64 / rosette.walks as f64;
            let way = DVec2::from_angle(angle);
            let mut from = centre;
            for pace in 0..rosette.paces {
                let to = centre.truncate() + way * (rosette.pace_m * (pace + 1) as f64);
                let height = self.pace(from, to)?;
                rosette.heights[walk * rosette.paces + pace] = height;
                from = to.extend(height);
            }
        }
        Ok(())
    }

    /// Goes on from a point of the ground to the ground over a plan point; its height.
    pub(crate) fn pace(&mut self, from: DVec3, to: DVec2) -> Result<f64, Refusal> {
        let length = from.truncate().distance(to);
        let slope_m = length * self.body.steepest;
        let reach = self.body.step_m + slope_m + NOISE_M;
        let found = self.spot(to, Window::around(from.z, reach));
        // Several steps may follow each other within one pace.
        let stairs = !self.body.strict
            && length > SHORTEST_PACE_M
            && self.place.column.iter().any(|m| {
                m.facing == Facing::Walkable
                    && (reach..STAIRS_IN_PACE * self.body.step_m)
                        .contains(&(m.height_m - from.z).abs())
            });
        let refusal = match found {
            Spot::Ground(z) | Spot::Riser(z) => {
                // What is seen between two treads is passed over, not stepped down to.
                if z < from.z - DEEP_M
                    && let Some(bridge) = self.bridged(to, from.z, z + DEEP_M)
                {
                    return Ok(bridge);
                }
                if (z - from.z).abs() <= self.body.step_m {
                    return Ok(z);
                }
                if length <= SHORTEST_PACE_M {
                    return if (z - from.z).abs() <= reach {
                        Ok(z)
                    } else {
                        Err(Refusal { reason: Reason::StepTooHigh, at: to.extend(z) })
                    };
                }
                // A step, or a slope and a step: look closer.
                return self.pace_by_halves(from, to);
            }
            Spot::Blocked(reason, z) => {
                if self.is_lip(to, from.z, reason, z) {
                    return Ok(from.z);
                }
                Refusal { reason, at: to.extend(z) }
            }
            Spot::Void => {
                if self.is_crack(to, from.z) {
                    return Ok(from.z);
                }
                if let Some(bridge) = self.bridged(to, from.z, f64::NEG_INFINITY) {
                    return Ok(bridge);
                }
                Refusal { reason: Reason::Ledge, at: to.extend(from.z) }
            }
        };
        if stairs { self.pace_by_halves(from, to) } else { Err(refusal) }
    }

    fn pace_by_halves(&mut self, from: DVec3, to: DVec2) -> Result<f64, Refusal> {
        let middle = (from.truncate() + to) * 0.5;
        let height = self.pace(from, middle)?;
        self.pace(middle.extend(height), to)
    }

    /// Whether what blocks a point is a lip no wider than a crack that begins below step height: a
    /// sliver of an underside just above the ground.
    fn is_lip(&mut self, at: DVec2, level_m: f64, reason: Reason, height_m: f64) -> bool {
        !self.body.strict
            && reason == Reason::HeadRoom
            && height_m < level_m + self.body.step_m
            && self.is_crack(at, level_m)
    }

    /// Tries the edges of the ground along which no other ground runs.
    fn try_ledges(&mut self, rosette: &Rosette) -> Result<(), Refusal> {
        let centre = rosette.centre.truncate();
        for index in 0..self.place.facets.len() {
            let facet = self.place.facets[index];
            if facet.facing != Facing::Walkable || facet.loose == 0 {
                continue;
            }
            for k in 0..3 {
                if facet.loose & 1 << k == 0 {
                    continue;
                }
                let a = facet.corners[k].truncate();
                let b = facet.corners[(k + 1) % 3].truncate();
                let Some(chord) = Chord::new(a, b, centre, self.body.radius_m) else { continue };
                let outwards = (b - a).perp().normalize_or_zero() * -1.0;
                for share in LEDGE_LOOKS {
                    let end = if share < 0.0 { chord.from } else { chord.to };
                    let t = chord.nearest + (end - chord.nearest) * share.abs();
                    self.try_ledge(&facet, a.lerp(b, t), outwards, rosette)?;
                }
            }
        }
        Ok(())
    }

    fn try_ledge(
        &mut self,
        facet: &Facet,
        at: DVec2,
        outwards: DVec2,
        rosette: &Rosette,
    ) -> Result<(), Refusal> {
        let z = facet.plane_height(at);
        if (z - rosette.height_near(at)).abs() > self.body.step_m + PACE_M * self.body.steepest {
            return Ok(());
        }
        // The edge counts where it is the edge of the ground, not of something under it.
        let near = NOISE_M + 2.0 * BESIDE_M * self.body.steepest;
        let inside = at - outwards * BESIDE_M;
        let Spot::Ground(ground) = self.spot(inside, Window::around(z, near)) else {
            return Ok(());
        };
        let outside = at + outwards * BESIDE_M;
        self.pace(inside.extend(ground), outside).map(|_| ())
    }

    /// Tries everything that is no ground where it comes near.
    fn try_obstacles(&mut self, rosette: &Rosette) -> Result<(), Refusal> {
        for index in 0..self.place.facets.len() {
            let facet = self.place.facets[index];
            match facet.facing {
                Facing::Walkable => {}
                Facing::Upright => self.try_wall(&facet, rosette, None)?,
                Facing::Steep | Facing::Down => self.try_sloped(&facet, rosette)?,
            }
        }
        Ok(())
    }

    /// Whether no wall stands within the radius around a point that need not be ground.
    pub(crate) fn walls_around(&mut self, at: DVec3) -> Result<(), Refusal> {
        let rosette = Rosette { centre: at, pace_m: 1.0, ..Rosette::default() };
        for index in 0..self.place.facets.len() {
            let facet = self.place.facets[index];
            if facet.facing == Facing::Upright {
                self.try_wall(&facet, &rosette, Some(at.z))?;
            }
        }
        Ok(())
    }

    /// Tries a wall; `over` is the height to go by where there is no ground.
    fn try_wall(
        &mut self,
        facet: &Facet,
        rosette: &Rosette,
        over: Option<f64>,
    ) -> Result<(), Refusal> {
        let centre = rosette.centre.truncate();
        let (a, b) = footprint(&facet.corners);
        let Some(chord) = Chord::new(a, b, centre, self.body.radius_m) else { return Ok(()) };
        let length = a.distance(b) * (chord.to - chord.from);
        let looks = (length / WALL_SPACING_M).ceil().clamp(1.0, 64.0) as usize;
        let along = |k: usize| chord.from + (chord.to - chord.from) * k as f64 / looks as f64;
        for t in std::iter::once(chord.nearest).chain((0..=looks).map(along)) {
            let at = a.lerp(b, t);
            let Some((low, high)) = upright_span(&facet.corners, a, b, t) else { continue };
            let level = rosette.height_near(at);
            let reach = self.body.step_m + PACE_M * self.body.steepest;
            // Too high or too low for any ground near here.
            if low > level + reach + self.body.height_m || high < level - reach {
                continue;
            }
            // What counts is the ground behind the wall's face, where the wall stands: a slab's side
            // above the edge of a stair hangs over what is under the slab, not over the stair.
            for behind_m in BEHIND_M {
                let behind = at - facet.front() * behind_m;
                let ground = match self.spot(behind, Window::around(level, reach)) {
                    Spot::Ground(z) | Spot::Riser(z) => Some(z),
                    _ => over,
                };
                let Some(ground) = ground else { continue };
                let (step, head) = (ground + self.body.step_m, ground + self.body.height_m);
                if high > step + NOISE_M && low < head - NOISE_M {
                    let z = low.max(step);
                    return Err(Refusal { reason: Reason::Wall, at: at.extend(z) });
                }
            }
        }
        Ok(())
    }

    fn try_sloped(&mut self, facet: &Facet, rosette: &Rosette) -> Result<(), Refusal> {
        let (centre, radius) = (rosette.centre.truncate(), self.body.radius_m);
        let around = |p: DVec2| p.clamp(facet.low.truncate(), facet.high.truncate());
        let nearest = around(centre);
        if nearest.distance_squared(centre) > radius * radius {
            return Ok(());
        }
        let level = rosette.height_near(nearest);
        let slab = (level + self.body.step_m + NOISE_M, level + self.body.height_m - NOISE_M);
        if facet.high.z <= slab.0 || facet.low.z >= slab.1 {
            return Ok(());
        }
        let mut shape = Outline::of(&facet.corners);
        shape.clip(|p| p.z - slab.0);
        shape.clip(|p| slab.1 - p.z);
        let Some((nearest, middle)) = shape.nearest(centre) else { return Ok(()) };
        if nearest.distance_squared(centre) >= radius * radius {
            return Ok(());
        }
        let at = nearest + (middle - nearest).clamp_length_max(0.25 * BESIDE_M);
        let reach = self.body.step_m + PACE_M * self.body.steepest;
        let level = rosette.height_near(at);
        let refusal = match self.spot(at, Window::around(level, reach)) {
            Spot::Ground(_) | Spot::Riser(_) => return Ok(()),
            Spot::Blocked(reason, z) if self.is_lip(at, level, reason, z) => return Ok(()),
            Spot::Blocked(reason, z) => Refusal { reason, at: at.extend(z) },
            Spot::Void if self.is_crack(at, level) => return Ok(()),
            Spot::Void => Refusal { reason: Reason::Ledge, at: at.extend(level) },
        };
        // Beside stairs the level near a point says little about the point itself.
        if self.body.strict { Err(refusal) } else { self.walk_to(rosette.centre, at) }
    }

    /// Walks straight from a point of the ground to another.
    fn walk_to(&mut self, from: DVec3, to: DVec2) -> Result<(), Refusal> {
        let paces = (from.truncate().distance(to) / PACE_M).ceil().max(1.0) as usize;
        let mut here = from;
        for k in 1..=paces {
            let next = from.truncate().lerp(to, k as f64 / paces as f64);
            here = next.extend(self.pace(here, next)?);
        }
        Ok(())
    }
}

/// The part of a segment within a disc, as shares of its length.
#[derive(Clone, Copy, Debug)]
struct Chord {
    from: f64,
    to: f64,
    nearest: f64,
}

impl Chord {
    fn new(a: DVec2, b: DVec2, centre: DVec2, radius: f64) -> Option<Self> {
        let along = b - a;
        let length2 = along.length_squared();
        if length2 <= 0.0 {
            return None;
        }
        let middle = (centre - a).dot(along) / length2;
        let nearest = middle.clamp(0.0, 1.0);
        let away2 = (a + along * nearest).distance_squared(centre);
        if away2 >= radius * radius {
            return None;
        }
        let beside2 = (a + along * middle).distance_squared(centre);
        let half = ((radius * radius - beside2).max(0.0) / length2).sqrt();
        let from = (middle - half).clamp(0.0, 1.0);
        let to = (middle + half).clamp(0.0, 1.0);
        Some(Self { from, to, nearest })
    }
}

/// The heights that an upright triangle spans at a share of the way from `a` to `b` in plan.
fn upright_span(corners: &[DVec3; 3], a: DVec2, b: DVec2, t: f64) -> Option<(f64, f64)> {
    let along = b - a;
    let share = |p: DVec3| (p.truncate() - a).dot(along) / along.length_squared();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        let (s, u) = (share(p), share(q));
        if (s - t) * (u - t) > 0.0 {
            continue;
        }
        let w = if (u - s).abs() > 1e-12 { ((t - s) / (u - s)).clamp(0.0, 1.0) } else { 0.0 };
        for z in
            [p.z + (q.z - p.z) * w, if (u - s).abs() > 1e-12 { p.z + (q.z - p.z) * w } else { q.z }]
        {
            low = low.min(z);
            high = high.max(z);
        }
    }
    (low <= high).then_some((low, high))
}

/// A convex outline of a few corners: a triangle and what clipping makes of it.
#[derive(Clone, Copy, Debug)]
struct Outline {
    points: [DVec3; 5],
    count: usize,
}

impl Outline {
    fn of(corners: &[DVec3; 3]) -> Self {
        let mut points = [DVec3::ZERO; 5];
        points[..3].copy_from_slice(corners);
        Self { points, count: 3 }
    }

    /// Keeps the part where `side` is positive. Two clips of a triangle leave at most five corners.
    fn clip(&mut self, side: impl Fn(DVec3) -> f64) {
        let mut kept = [DVec3::ZERO; 5];
        let mut count = 0;
        let mut push = |p: DVec3| {
            if count < kept.len() {
                kept[count] = p;
                count += 1;
            }
        };
        for i in 0..self.count {
            let (p, q) = (self.points[i], self.points[(i + 1) % self.count]);
            let (s, t) = (side(p), side(q));
            if s > 0.0 {
                push(p);
            }
            if (s > 0.0) != (t > 0.0) {
                push(p.lerp(q, s / (s - t)));
            }
        }
        self.points = kept;
        self.count = count;
    }

    /// The plan point nearest to a centre, and the middle of all corners.
    fn nearest(&self, centre: DVec2) -> Option<(DVec2, DVec2)> {
        if self.count < 3 {
            return None;
        }
        let corners = &self.points[..self.count];
        let middle = corners.iter().map(|p| p.truncate()).sum::<DVec2>() / self.count as f64;
        let edges = || (0..self.count).map(|i| (i, (i + 1) % self.count));
        let turns = edges().map(|(i, j)| {
            (corners[j].truncate() - corners[i].truncate()).perp_dot(centre - corners[i].truncate())
        });
        let (mut left, mut right) = (false, false);
        for t in turns {
            left |= t > 0.0;
            right |= t < 0.0;
        }
        if !(left && right) && (left || right) {
            return Some((centre, middle));
        }
        let nearest = edges()
            .map(|(i, j)| {
                let (a, b) = (corners[i].truncate(), corners[j].truncate());
                let along = b - a;
                let t = (centre - a).dot(along) / along.length_squared().max(1e-30);
                a + along * t.clamp(0.0, 1.0)
            })
            .min_by(|p, q| p.distance_squared(centre).total_cmp(&q.distance_squared(centre)))?;
        Some((nearest, middle))
    }
}

impl Facet {
    /// Where a way in plan crosses an upright triangle: the heights it spans there, and the point.
    pub(crate) fn crossed_by(&self, from: DVec2, to: DVec2) -> Option<(f64, f64, DVec2)> {
        if self.facing != Facing::Upright {
            return None;
        }
        let (low, high) = (from.min(to), from.max(to));
        if self.low.x > high.x || self.low.y > high.y || self.high.x < low.x || self.high.y < low.y
        {
            return None;
        }
        let (a, b) = footprint(&self.corners);
        let (along, way) = (b - a, to - from);
        let cross = along.perp_dot(way);
        if cross.abs() < 1e-15 {
            return None;
        }
        let t = (from - a).perp_dot(way) / cross;
        let s = (from - a).perp_dot(along) / cross;
        if !((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&s)) {
            return None;
        }
        upright_span(&self.corners, a, b, t).map(|(low, high)| (low, high, a.lerp(b, t)))
    }
}

/// The line that an upright triangle is in plan: between the two corners farthest apart.
fn footprint(corners: &[DVec3; 3]) -> (DVec2, DVec2) {
    let [p, q, r] = corners.map(DVec3::truncate);
    [(p, q), (q, r), (r, p)]
        .into_iter()
        .max_by(|x, y| x.0.distance_squared(x.1).total_cmp(&y.0.distance_squared(y.1)))
        .unwrap_or((p, q))
}
