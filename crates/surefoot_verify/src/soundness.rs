//! Soundness: wherever the mesh is, the agent must fit.
//!
//! Points are sampled on the mesh in four ways: evenly over its area (one point in every equal share
//! of it, cell by cell), along its boundaries, at their corners and on narrow cells, where faults
//! hide. At each, an agent made smaller by the tolerance must stand; on a mesh from a grid, the whole
//! agent may stand as far aside as the tolerance goes instead. Where a point lies on a cell
//! that bridges, there must be head room instead, and ground on two opposite sides: of a ramp over
//! stairs within a step of height, of a filler of a gap near enough to step from one to the other.

use crate::ground::{Judge, Reason, Refusal, Spot, Window};
use crate::judged::Judged;
use crate::random::{Purpose, Random};
use crate::report::{Report, Stratum, UnsoundPoint, spread_out};
use crate::settings::{Body, FINE_M, NOISE_M, VerifySettings};
use crate::stand::Rosette;
use crate::watch::Watch;
use crate::world::{Facing, World};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use surefoot_mesh::CellKind;

/// How far inside a cell points of its border are tried, in metres: on a border between two heights
/// it would be open which one is meant.
const INSET_M: f64 = 2e-3;

/// Cells whose area over half their outline is less than this are narrow, in metres.
const NARROW_M: f64 = 0.1;

/// The share of samples of each stratum, in the order of [`Stratum::ALL`].
const SHARES: [f64; 4] = [0.5, 0.3, 0.1, 0.1];

/// Halvings when the largest radius that fits is looked for.
const RADIUS_HALVINGS: usize = 7;

/// Directions in which a place to stand is looked for beside a sample, and how much narrower than
/// its radius the agent may be there, in metres: what arcs and walls without thickness take.
const ASIDE_WAYS: usize = 12;
const ASIDE_SLACK_M: f64 = 2e-3;

/// What the distance across a gap may be off by, in metres: ground is looked for in steps and in some
/// directions only.
const GAP_SLACK_M: f64 = 0.05;

/// How far to both sides of a bridge ground is looked for, in metres.
const BRIDGE_REACH_M: f64 = 0.6;

pub(crate) fn check(
    world: &World,
    judged: &Judged<'_>,
    inside: &[bool],
    settings: &VerifySettings,
    watch: &Watch<'_>,
    report: &mut Report,
) {
    let sampler = MeshSampler::new(judged, settings);
    let body = Body::smaller(&judged.data.agent, settings);
    let points: Vec<Option<UnsoundPoint>> = (0..sampler.count())
        .into_par_iter()
        .map_init(
            || (Judge::new(world, body), Rosette::default()),
            |(judge, rosette), index| {
                if watch.is_cancelled() {
                    return None;
                }
                watch.tick();
                let sample = sampler.sample(index)?;
                if inside[judged.cell_component[sample.cell as usize] as usize] {
                    return Some(inside_point(judged, &sample));
                }
                try_sample(judge, judged, settings, rosette, &sample)
            },
        )
        .collect();
    let mut faults: Vec<UnsoundPoint> = Vec::new();
    for (index, point) in points.into_iter().enumerate() {
        let stratum = sampler.stratum(index as u64);
        let share = &mut report.sound_by_stratum[stratum as usize];
        share.add(point.is_none());
        report.sound.add(point.is_none());
        if let Some(point) = &point {
            *report.unsound_by_reason.entry(point.reason).or_default() += 1;
        }
        faults.extend(point);
    }
    faults.sort_by(|a, b| b.short_by_m.total_cmp(&a.short_by_m));
    report.unsound = spread_out(faults, settings.worst, |f| f.at);
}

/// A sample of a component that lies inside something.
fn inside_point(judged: &Judged<'_>, sample: &Sample) -> UnsoundPoint {
    let at = judged.data.frame.user_from_canonical(sample.at.to_array());
    UnsoundPoint {
        at,
        cell: sample.cell,
        reason: Reason::Inside,
        because_of: at,
        short_by_m: judged.data.agent.radius_m,
        stratum: sample.stratum,
    }
}

fn try_sample(
    judge: &mut Judge<'_>,
    judged: &Judged<'_>,
    settings: &VerifySettings,
    rosette: &mut Rosette,
    sample: &Sample,
) -> Option<UnsoundPoint> {
    let window = settings.height_tolerance_m;
    let mut refusal = judge.stands(sample.at, window, rosette).err()?;
    // A point on the very border between two heights belongs to either.
    let middle = judged.middle(sample.cell).truncate();
    let inset = sample.at.truncate() + (middle - sample.at.truncate()).clamp_length_max(INSET_M);
    let inset = inset.extend(judged.height_in_cell(sample.cell, inset).unwrap_or(sample.at.z));
    refusal = judge.stands(inset, window, rosette).err().map(|_| refusal)?;
    if judged.kind(sample.cell) != CellKind::Ground {
        refusal = judge.bridges(sample.at, judged.kind(sample.cell), rosette).err()?;
    }
    if judged.kind(sample.cell) == CellKind::Ground
        && refusal.reason == Reason::NoGround
        && judge.lies_beside_a_filled_gap(sample.at, settings.tolerance_m, rosette)
    {
        return None;
    }
    let radius = judge.body.radius_m;
    if settings.tolerance_m > FINE_M {
        // A border that is off by the tolerance lies where, that much aside, the whole agent stands:
        // borders between two heights are seen by this alone.
        judge.body.radius_m = (judged.data.agent.radius_m - ASIDE_SLACK_M).max(0.0);
        let aside = (0..2 * ASIDE_WAYS).any(|k| {
            let way = DVec2::from_angle(std::f64::consts::TAU * k as f64 / ASIDE_WAYS as f64);
            let away_m = settings.tolerance_m * if k < ASIDE_WAYS { 1.0 } else { 0.5 };
            let there = sample.at + (way * away_m).extend(0.0);
            judge.stands(there, window, rosette).is_ok()
        });
        judge.body.radius_m = radius;
        if aside {
            return None;
        }
    }
    let fits = largest_radius(judge, sample.at, window, rosette);
    judge.body.radius_m = radius;
    let user = |p: DVec3| judged.data.frame.user_from_canonical(p.to_array());
    Some(UnsoundPoint {
        at: user(sample.at),
        cell: sample.cell,
        reason: refusal.reason,
        because_of: user(refusal.at),
        short_by_m: judged.data.agent.radius_m - fits,
        stratum: sample.stratum,
    })
}

impl Judge<'_> {
    /// Whether a point lies in a gap that was filled, so near to its border that it may pass for ground.
    fn lies_beside_a_filled_gap(
        &mut self,
        at: DVec3,
        tolerance_m: f64,
        rosette: &mut Rosette,
    ) -> bool {
        if self.body.gap_m <= 0.0 || self.bridges(at, CellKind::Gap, rosette).is_err() {
            return false;
        }
        (0..ASIDE_WAYS).any(|k| {
            let way = DVec2::from_angle(std::f64::consts::TAU * k as f64 / ASIDE_WAYS as f64);
            let window = Window::around(at.z, self.body.step_m);
            let there = at.truncate() + way * tolerance_m;
            matches!(self.spot(there, window), Spot::Ground(_))
        })
    }
}

/// The largest radius with which the body stands; zero where it does not even as a point.
fn largest_radius(judge: &mut Judge<'_>, at: DVec3, window: f64, rosette: &mut Rosette) -> f64 {
    let (mut fits, mut too_large) = (0.0, judge.body.radius_m);
    for _ in 0..RADIUS_HALVINGS {
        let radius = 0.5 * (fits + too_large);
        judge.body.radius_m = radius;
        if judge.stands(at, window, rosette).is_ok() {
            fits = radius;
        } else {
            too_large = radius;
        }
    }
    fits
}

impl Judge<'_> {
    /// Whether a point of a bridging cell can be passed: head room, no wall within the radius, and
    /// ground on two opposite sides. A ramp has it within a step of height. A filler of a gap is
    /// stepped over: from side to side that is no longer than what the build was to fill, and less than
    /// half the agent's height, the most that a build fills. Within the radius of it there is ground, or
    /// more that is stepped over.
    ///
    /// Walls are told by walking outwards, as from any ground: beside a wide agent a flight rises by more
    /// than a step. Only where a walk cannot go on are they told by the height of the point alone.
    fn bridges(&mut self, at: DVec3, kind: CellKind, rosette: &mut Rosette) -> Result<(), Refusal> {
        const WAYS: usize = 16;
        const PACES: usize = 40;
        let longest_m = if self.body.gap_m > 0.0 { self.body.gap_m } else { f64::INFINITY };
        let stride_m = longest_m.min(0.5 * self.body.height_m) + GAP_SLACK_M;
        let (reach_m, window_m, both_m) = match kind {
            CellKind::Gap => (stride_m, stride_m, stride_m),
            _ => (BRIDGE_REACH_M, self.body.step_m, f64::INFINITY),
        };
        self.go_to(at, (self.body.radius_m + 0.02).max(reach_m) + 0.02);
        let plan = at.truncate();
        self.place.look(plan);
        let head = at.z + self.body.height_m - NOISE_M;
        for m in &self.place.column {
            let from = match m.facing {
                Facing::Down => at.z + NOISE_M,
                _ => at.z + self.body.step_m + NOISE_M,
            };
            if m.height_m > from && m.height_m < head {
                return Err(Refusal { reason: Reason::HeadRoom, at: plan.extend(m.height_m) });
            }
        }
        if self.disc(at, rosette).is_err() {
            self.walls_around(at)?;
        }
        for k in 0..WAYS {
            let way = DVec2::from_angle(std::f64::consts::PI * k as f64 / WAYS as f64);
            let mut first_ground = |side: DVec2| {
                (0..=PACES).map(|pace| reach_m * pace as f64 / PACES as f64).find(|&away_m| {
                    let there = plan + side * away_m;
                    matches!(self.spot(there, Window::around(at.z, window_m)), Spot::Ground(_))
                })
            };
            if let Some(ahead_m) = first_ground(way)
                && let Some(behind_m) = first_ground(-way)
                && ahead_m + behind_m <= both_m
            {
                // Of a mesh that does not say how wide gaps are filled, no more is known.
                return if kind == CellKind::Gap && self.body.gap_m > 0.0 {
                    self.disc(at, rosette)
                } else {
                    Ok(())
                };
            }
        }
        Err(Refusal { reason: Reason::NoGround, at })
    }
}

/// A point of the mesh.
struct Sample {
    at: DVec3,
    cell: u32,
    stratum: Stratum,
}

struct MeshSampler<'a> {
    judged: &'a Judged<'a>,
    seed: u64,
    /// How many samples each stratum has.
    counts: [u64; 4],
    /// Areas of all triangles, summed up.
    areas: Vec<f64>,
    boundary: Vec<u32>,
    /// Lengths of boundary edges, summed up.
    lengths: Vec<f64>,
    narrow: Vec<u32>,
}

impl<'a> MeshSampler<'a> {
    fn new(judged: &'a Judged<'a>, settings: &VerifySettings) -> Self {
        let areas = judged.areas_summed_up();
        let boundary: Vec<u32> =
            (0..judged.edge_cell.len() as u32).filter(|&e| judged.twin(e).is_none()).collect();
        let length = |e: u32| {
            let (a, b) = judged.edge(e);
            a.truncate().distance(b.truncate())
        };
        let mut sum = 0.0;
        let mut add = |x: f64| {
            sum += x;
            sum
        };
        let lengths: Vec<f64> = boundary.iter().map(|&e| add(length(e))).collect();
        let narrow: Vec<u32> =
            (0..judged.cell_count() as u32).filter(|&c| width(judged, c) < NARROW_M).collect();
        let share = |i: usize| (settings.samples as f64 * SHARES[i]).round() as u64;
        let mut counts = [0, share(1), share(2), share(3)];
        if boundary.is_empty() {
            (counts[1], counts[2]) = (0, 0);
        }
        if narrow.is_empty() {
            counts[3] = 0;
        }
        counts[0] = settings.samples.saturating_sub(counts[1..].iter().sum());
        if areas.last().is_none_or(|&a| a <= 0.0) {
            counts = [0; 4];
        }
        Self { judged, seed: settings.seed, counts, areas, boundary, lengths, narrow }
    }

    fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn stratum(&self, index: u64) -> Stratum {
        let mut left = index;
        for stratum in Stratum::ALL {
            let count = self.counts[stratum as usize];
            if left < count {
                return stratum;
            }
            left -= count;
        }
        Stratum::Area
    }

    fn sample(&self, index: u64) -> Option<Sample> {
        let stratum = self.stratum(index);
        let before: u64 = self.counts[..stratum as usize].iter().sum();
        let mut random = Random::of_sample(self.seed, Purpose::Soundness, index);
        let share =
            ((index - before) as f64 + random.unit()) / self.counts[stratum as usize] as f64;
        let pick = |sums: &[f64]| {
            let at = share * sums.last().copied().unwrap_or(0.0);
            sums.partition_point(|&s| s <= at).min(sums.len().saturating_sub(1))
        };
        let among = |list: &[u32]| {
            let i = (share * list.len() as f64) as usize;
            list.get(i.min(list.len().saturating_sub(1))).copied()
        };
        match stratum {
            Stratum::Area => {
                let t = self.judged.triangles.get(pick(&self.areas))?;
                Some(Sample { at: t.point(random.in_triangle()), cell: t.cell, stratum })
            }
            Stratum::Boundary | Stratum::Corner => {
                let edge = if stratum == Stratum::Boundary {
                    *self.boundary.get(pick(&self.lengths))?
                } else {
                    among(&self.boundary)?
                };
                let (a, b) = self.judged.edge(edge);
                let t = if stratum == Stratum::Corner { 0.0 } else { random.unit() };
                self.inside(edge, a.lerp(b, t), stratum)
            }
            Stratum::Narrow => {
                let cell = among(&self.narrow)?;
                let triangles = self.judged.triangles_of(cell);
                let pick = (random.unit() * triangles.len() as f64) as usize;
                let t = triangles.get(pick)?;
                Some(Sample { at: t.point(random.in_triangle()), cell, stratum })
            }
        }
    }

    /// A point of a cell's border, moved a little inside.
    fn inside(&self, edge: u32, at: DVec3, stratum: Stratum) -> Option<Sample> {
        let cell = self.judged.edge_cell[edge as usize];
        let plan = at.truncate();
        let middle = self.judged.middle(cell).truncate();
        let inset = plan + (middle - plan).clamp_length_max(INSET_M);
        let at = match self.judged.height_in_cell(cell, inset) {
            Some(z) => inset.extend(z),
            None => at,
        };
        Some(Sample { at, cell, stratum })
    }
}

/// How wide a cell is: its area over half its outline.
fn width(judged: &Judged<'_>, cell: u32) -> f64 {
    let area: f64 = judged.triangles_of(cell).iter().map(|t| t.area_m2).sum();
    let corners: Vec<DVec2> = judged.outline(cell).map(DVec3::truncate).collect();
    let around: f64 =
        (0..corners.len()).map(|i| corners[i].distance(corners[(i + 1) % corners.len()])).sum();
    if around > 0.0 { 2.0 * area / around } else { 0.0 }
}
