//! Connection: the mesh joins what the agent can walk between, and nothing else.
//!
//! Random walks on the real geometry, by an agent larger by the tolerance, start on the mesh and
//! must never come to another of its components. Every portal of the mesh is tried where it is: from
//! just before it to just behind it the agent must find ground and no wall. The ends of every link
//! must be places to stand, with nothing in between that its kind does not allow: a step leads over
//! ground, a gap past no wall.

use crate::ground::{Judge, Reason, Refusal, Spot, Window};
use crate::judged::Judged;
use crate::random::{Purpose, Random};
use crate::report::{ConnectionFault, Report, spread_out};
use crate::settings::{Body, FINE_M, NOISE_M, VerifySettings};
use crate::stand::Rosette;
use crate::watch::Watch;
use crate::world::World;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use surefoot_mesh::{CellKind, LinkKind};

/// Samples for each walk, paces of a walk, and the longest pace in metres.
const SAMPLES_PER_WALK: u64 = 250;
const MIN_WALKS: u64 = 16;
const PACES: usize = 48;
const LONGEST_PACE_M: f64 = 0.25;

/// Distance between the points at which a portal is tried, in metres; three at least.
const PORTAL_SPACING_M: f64 = 0.25;

/// How far before and behind a portal it is tried, in metres.
const ASIDE_M: f64 = 4e-3;

/// Where along its segments a link is tried.
const LINK_SHARES: [f64; 3] = [0.5, 0.05, 0.95];

pub(crate) fn walk_count(settings: &VerifySettings) -> u64 {
    (settings.samples / SAMPLES_PER_WALK).max(MIN_WALKS)
}

pub(crate) fn check(
    world: &World,
    judged: &Judged<'_>,
    settings: &VerifySettings,
    watch: &Watch<'_>,
    report: &mut Report,
) {
    let mut faults = walks(world, judged, settings, watch, report);
    faults.extend(portals(world, judged, settings, watch, report));
    faults.extend(links(world, judged, settings, report));
    report.connection_fault_count = faults.len() as u64;
    report.connection_faults = spread_out(faults, settings.worst, ConnectionFault::at);
}

fn walks(
    world: &World,
    judged: &Judged<'_>,
    settings: &VerifySettings,
    watch: &Watch<'_>,
    report: &mut Report,
) -> Vec<ConnectionFault> {
    if judged.component_area_m2.len() < 2 {
        return Vec::new();
    }
    let body = Body::larger(&judged.data.agent, settings, settings.tolerance_m + NOISE_M);
    let areas = judged.areas_summed_up();
    let count = walk_count(settings);
    let results: Vec<Option<Result<(), ConnectionFault>>> = (0..count)
        .into_par_iter()
        .map_init(
            || (Judge::new(world, body), Rosette::default()),
            |(judge, rosette), index| {
                if watch.is_cancelled() {
                    return None;
                }
                watch.tick();
                let mut random = Random::of_sample(settings.seed, Purpose::Walks, index);
                let share = (index as f64 + random.unit()) / count as f64;
                let at = share * areas.last().copied().unwrap_or(0.0);
                let i = areas.partition_point(|&s| s <= at).min(areas.len() - 1);
                let t = &judged.triangles[i];
                let start = t.point(random.in_triangle());
                let z = judge.stands(start, settings.height_tolerance_m, rosette).ok()?;
                let start = start.truncate().extend(z);
                Some(walk(judge, judged, settings, rosette, &mut random, start, t.cell))
            },
        )
        .collect();
    let mut faults = Vec::new();
    for result in results.into_iter().flatten() {
        report.walks.add(result.is_ok());
        faults.extend(result.err());
    }
    faults
}

fn walk(
    judge: &mut Judge<'_>,
    judged: &Judged<'_>,
    settings: &VerifySettings,
    rosette: &mut Rosette,
    random: &mut Random,
    start: DVec3,
    cell: u32,
) -> Result<(), ConnectionFault> {
    let component = judged.cell_component[cell as usize];
    let radius = judge.body.radius_m;
    let length = if radius > 0.05 { radius.min(LONGEST_PACE_M) } else { 0.05 };
    let mut here = start;
    let mut last_on_mesh = start;
    let mut heading = random.unit() * std::f64::consts::TAU;
    for _ in 0..PACES {
        heading += (random.unit() - 0.5) * 1.2;
        let to = here.truncate() + DVec2::from_angle(heading) * length;
        judge.go_to(here, length + 0.02);
        let next =
            judge.stride(here, to).and_then(|z| judge.stands(to.extend(z), 2.0 * NOISE_M, rosette));
        let Ok(z) = next else {
            heading = random.unit() * std::f64::consts::TAU;
            continue;
        };
        here = to.extend(z);
        let Some(cell) = judged.covering(here, settings.height_tolerance_m) else { continue };
        let now = judged.cell_component[cell as usize];
        if now != component {
            let user = |p: DVec3| judged.data.frame.user_from_canonical(p.to_array());
            return Err(ConnectionFault::Apart {
                from: user(last_on_mesh),
                to: user(here),
                components: [component, now],
            });
        }
        last_on_mesh = here;
    }
    Ok(())
}

impl Judge<'_> {
    /// Goes straight on in short paces, with no wall in between; the height at the end. The place
    /// must be around the way.
    fn stride(&mut self, from: DVec3, to: DVec2) -> Result<f64, Refusal> {
        const SHORT_M: f64 = 0.05;
        let length = from.truncate().distance(to);
        let paces = (length / SHORT_M).ceil().max(1.0) as usize;
        let mut here = from;
        for k in 1..=paces {
            let next = from.truncate().lerp(to, k as f64 / paces as f64);
            let z = self.pace(here, next)?;
            self.no_wall_between(here, next.extend(z))?;
            here = next.extend(z);
        }
        Ok(here.z)
    }

    /// Whether no upright triangle of the place crosses the way between step and agent height.
    fn no_wall_between(&self, from: DVec3, to: DVec3) -> Result<(), Refusal> {
        let way = (to - from).truncate();
        for facet in &self.place.facets {
            let Some((low, high, at)) = facet.crossed_by(from.truncate(), to.truncate()) else {
                continue;
            };
            // The ground behind its face, as for a wall within the disc.
            let ground = if facet.front().dot(way) < 0.0 { to.z } else { from.z };
            let (step, head) = (ground + self.body.step_m, ground + self.body.height_m);
            if high > step + NOISE_M && low < head - NOISE_M {
                return Err(Refusal { reason: Reason::Wall, at: at.extend(low.max(step)) });
            }
        }
        Ok(())
    }
}

fn portals(
    world: &World,
    judged: &Judged<'_>,
    settings: &VerifySettings,
    watch: &Watch<'_>,
    report: &mut Report,
) -> Vec<ConnectionFault> {
    let body = Body::smaller(&judged.data.agent, settings);
    let edges: Vec<(u32, u32)> = (0..judged.edge_cell.len() as u32)
        .filter_map(|e| judged.twin(e).filter(|&t| e < t).map(|t| (e, t)))
        .collect();
    let results: Vec<Option<ConnectionFault>> = edges
        .par_iter()
        .map_init(
            || Judge::new(world, body),
            |judge, &(edge, twin)| {
                if watch.is_cancelled() {
                    return None;
                }
                let near = cross(judge, judged, settings, edge, twin, ASIDE_M).err()?;
                // The border may be off by the tolerance.
                let (at, refusal) = if settings.tolerance_m > FINE_M {
                    cross(judge, judged, settings, edge, twin, settings.tolerance_m)
                        .err()
                        .map(|_| near)?
                } else {
                    near
                };
                Some(ConnectionFault::FalsePortal {
                    edge,
                    at: judged.data.frame.user_from_canonical(at.to_array()),
                    reason: refusal.reason,
                })
            },
        )
        .collect();
    for r in &results {
        report.portals.add(r.is_none());
    }
    results.into_iter().flatten().collect()
}

/// Tries a portal at points along it.
fn cross(
    judge: &mut Judge<'_>,
    judged: &Judged<'_>,
    settings: &VerifySettings,
    edge: u32,
    twin: u32,
    aside_m: f64,
) -> Result<(), (DVec3, Refusal)> {
    let (a, b) = judged.edge(edge);
    let (c, d) = judged.edge(twin);
    let left = (b - a).truncate().perp().normalize_or_zero();
    let [edge_cell, twin_cell] = [edge, twin].map(|e| judged.edge_cell[e as usize]);
    let on_ground = |cell: u32| judged.kind(cell) == CellKind::Ground;
    let looks = ((b - a).truncate().length() / PORTAL_SPACING_M).ceil().clamp(3.0, 64.0) as usize;
    for k in 0..looks {
        let t = (k as f64 + 0.5) / looks as f64;
        let (here, there) = (a.lerp(b, t), d.lerp(c, t));
        let refuse = |reason| Err((here, Refusal { reason, at: there }));
        let apart = here.truncate().distance(there.truncate());
        if apart > 2.0 * ASIDE_M {
            return refuse(Reason::NoGround);
        }
        if (here.z - there.z).abs() > judge.body.step_m + settings.height_tolerance_m {
            return refuse(Reason::StepTooHigh);
        }
        judge.go_to(here, 0.05 + 2.0 * aside_m);
        let before = here.truncate() + left * aside_m;
        let behind = here.truncate() - left * aside_m;
        let window = settings.height_tolerance_m + aside_m * judge.body.steepest;
        // A cell may be so narrow that another begins there, which bridges.
        let cell_near =
            |p: DVec3, cell: u32| judged.cell_at(p, window, 0.0).map_or(cell, |(found, _)| found);
        let z = match judge.spot(before, Window::around(here.z, window)) {
            Spot::Ground(z) | Spot::Riser(z) => z,
            // Cracks are crossed, and bridging cells carry over what is not ground.
            _ if !on_ground(cell_near(before.extend(here.z), edge_cell))
                || judge.is_crack(before, here.z) =>
            {
                continue;
            }
            // The border of a filler, off by the tolerance.
            Spot::Void if judge.bridged(before, here.z, f64::NEG_INFINITY).is_some() => continue,
            Spot::Blocked(reason, _) => return refuse(reason),
            Spot::Void => return refuse(Reason::NoGround),
        };
        let arrived = judge.stride(before.extend(z), behind);
        let must_arrive = on_ground(cell_near(behind.extend(there.z), twin_cell));
        match arrived {
            Err(refusal) if must_arrive => return Err((here, refusal)),
            Err(_) => {}
            Ok(z) if must_arrive && (z - there.z).abs() > window + NOISE_M => {
                // Where the two cells are steep, or the border is not quite where the step is,
                // the other height is a little farther on.
                let found = judge.spot(behind, Window::around(there.z, window));
                if !matches!(found, Spot::Ground(_) | Spot::Riser(_))
                    && !judge.is_crack(behind, there.z)
                {
                    return refuse(Reason::NoGround);
                }
            }
            Ok(_) => {}
        }
        judge
            .no_wall_between(before.extend(here.z), behind.extend(there.z))
            .map_err(|refusal| (here, refusal))?;
    }
    Ok(())
}

fn links(
    world: &World,
    judged: &Judged<'_>,
    settings: &VerifySettings,
    report: &mut Report,
) -> Vec<ConnectionFault> {
    let body = Body::smaller(&judged.data.agent, settings);
    let mut judge = Judge::new(world, body);
    let mut rosette = Rosette::default();
    let mut faults = Vec::new();
    for (index, link) in judged.data.links.iter().enumerate() {
        let tried = LINK_SHARES.iter().try_for_each(|&share| {
            let on = |s: &[[f32; 3]; 2]| {
                let [a, b] = s.map(|p| DVec3::from(p.map(f64::from)));
                a.lerp(b, share)
            };
            let (from, to) = (on(&link.from_segment), on(&link.to_segment));
            take(&mut judge, settings, &mut rosette, link.kind, from, to).map_err(|r| (from, r))
        });
        report.portals.add(tried.is_ok());
        if let Err((at, refusal)) = tried {
            faults.push(ConnectionFault::FalseLink {
                link: index as u32,
                at: judged.data.frame.user_from_canonical(at.to_array()),
                reason: refusal.reason,
            });
        }
    }
    faults
}

/// Takes a link from one point to another.
fn take(
    judge: &mut Judge<'_>,
    settings: &VerifySettings,
    rosette: &mut Rosette,
    kind: LinkKind,
    from: DVec3,
    to: DVec3,
) -> Result<(), Refusal> {
    let start = judge.stands(from, settings.height_tolerance_m, rosette)?;
    judge.stands(to, settings.height_tolerance_m, rosette)?;
    if !matches!(kind, LinkKind::Step | LinkKind::Gap) {
        return Ok(());
    }
    if (from.z - to.z).abs() > judge.body.step_m + settings.height_tolerance_m {
        return Err(Refusal { reason: Reason::StepTooHigh, at: to });
    }
    let length = from.truncate().distance(to.truncate());
    judge.go_to(from.midpoint(to), 0.5 * length + 0.05);
    judge.no_wall_between(from, to)?;
    if kind == LinkKind::Step {
        // A gap needs no ground on its way, a step does.
        judge.stride(from.truncate().extend(start), to.truncate())?;
    }
    Ok(())
}
