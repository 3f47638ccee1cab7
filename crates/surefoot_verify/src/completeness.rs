//! Completeness: wherever the agent fits with a margin, the mesh must be.
//!
//! Points are sampled evenly over all walkable triangles, each in its share of the area. Where an
//! agent made larger by the margin stands, on ground and on gaps that the mesh has filled, and the mesh
//! is not, the ground around is followed on a fine grid: if it comes to ground that the mesh covers, or
//! grows beyond the least area, it is missing; if it ends before, it is a patch that the build may
//! leave out. The least area is what a patch must have without a rim as wide as the tolerance: so much
//! smaller may the build have found it.

use crate::ground::Judge;
use crate::inside::Insides;
use crate::judged::Judged;
use crate::random::{Purpose, Random};
use crate::report::{ComponentReport, Missing, Report, Share, UncoveredPoint, spread_out};
use crate::settings::{Body, NOISE_M, VerifySettings};
use crate::stand::Rosette;
use crate::watch::Watch;
use crate::world::{World, turn};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use std::collections::{HashMap, VecDeque};

/// Distance between the points of the grid on which ground is followed, in metres.
const GRID_M: f64 = 0.05;

/// A patch counts as larger than the least area when its points on the grid say so with this much
/// to spare.
const AREA_SURPLUS: f64 = 1.1;

/// The most points of the grid that one patch is followed over.
const MAX_FOLLOWED: usize = 20_000;

/// The length of a border that has so many ends of grid lines, as a share of their number times the grid's
/// distance: over all directions, a line meets 4/π as many as it is long.
const ENDS_PER_RIM: f64 = std::f64::consts::FRAC_PI_4;

/// What came of one sample.
#[derive(Clone, Copy, Debug)]
enum Drawn {
    /// The agent does not stand there with a margin.
    Elsewhere,
    /// The mesh is there, with this component.
    Covered(u32),
    /// The mesh is not there.
    Uncovered(DVec3),
}

pub(crate) fn check(
    world: &World,
    judged: &Judged<'_>,
    insides: Option<&Insides<'_>>,
    settings: &VerifySettings,
    watch: &Watch<'_>,
    report: &mut Report,
) {
    let agent = &judged.data.agent;
    let body = Body::larger(agent, settings, settings.margin_m);
    let sampler = GroundSampler::new(world, &body, settings);
    let count = if sampler.triangles.is_empty() { 0 } else { settings.samples };
    let drawn: Vec<Drawn> = (0..count)
        .into_par_iter()
        .map_init(
            || (Judge::new(world, body).with_fillers(judged), Rosette::default()),
            |(judge, rosette), index| {
                if watch.is_cancelled() {
                    return Drawn::Elsewhere;
                }
                watch.tick();
                let Some(at) = sampler.sample(index) else { return Drawn::Elsewhere };
                let Ok(z) = judge.stands(at, 2.0 * NOISE_M, rosette) else {
                    return Drawn::Elsewhere;
                };
                let at = at.truncate().extend(z);
                match judged.covering(at, settings.height_tolerance_m) {
                    Some(cell) => Drawn::Covered(judged.cell_component[cell as usize]),
                    None => Drawn::Uncovered(at),
                }
            },
        )
        .collect();
    report.components = judged
        .component_area_m2
        .iter()
        .map(|&area_m2| ComponentReport { area_m2, complete: Share::default() })
        .collect();
    let mut patches = Patches::new(world, judged, insides, settings);
    let mut uncovered: Vec<UncoveredPoint> = Vec::new();
    for d in drawn {
        match d {
            Drawn::Elsewhere => {}
            Drawn::Covered(component) => {
                report.complete.add(true);
                report.components[component as usize].complete.add(true);
            }
            Drawn::Uncovered(at) => {
                let (missing, away_m) = match patches.follow(at) {
                    Patch::BesideMesh { component, at: there } => {
                        report.components[component as usize].complete.add(false);
                        (Missing::BesideMesh { component }, there.distance(at))
                    }
                    Patch::Island { area_m2 } if !settings.reachable_only => {
                        (Missing::Island { area_m2 }, f64::INFINITY)
                    }
                    Patch::Island { .. } | Patch::Small | Patch::Inside => {
                        report.left_out += 1;
                        continue;
                    }
                };
                report.complete.add(false);
                let at = judged.data.frame.user_from_canonical(at.to_array());
                uncovered.push(UncoveredPoint { at, missing, away_m });
            }
        }
    }
    uncovered.sort_by(|a, b| b.away_m.total_cmp(&a.away_m));
    report.uncovered = spread_out(uncovered, settings.worst, |f| f.at);
}

struct GroundSampler<'a> {
    world: &'a World,
    seed: u64,
    samples: u64,
    triangles: Vec<u32>,
    /// Areas in plan, summed up.
    areas: Vec<f64>,
}

impl<'a> GroundSampler<'a> {
    fn new(world: &'a World, body: &Body, settings: &VerifySettings) -> Self {
        let triangles: Vec<u32> =
            world.along_curve().iter().copied().filter(|&t| world.is_ground(t, body)).collect();
        let mut sum = 0.0;
        let areas = triangles
            .iter()
            .map(|&t| {
                let [a, b, c] = world.corners(t).map(DVec3::truncate);
                sum += 0.5 * turn(a, b, c).abs();
                sum
            })
            .collect();
        Self { world, seed: settings.seed, samples: settings.samples, triangles, areas }
    }

    fn sample(&self, index: u64) -> Option<DVec3> {
        let mut random = Random::of_sample(self.seed, Purpose::Completeness, index);
        let share = (index as f64 + random.unit()) / self.samples as f64;
        let at = share * self.areas.last().copied()?;
        let i = self.areas.partition_point(|&s| s <= at).min(self.areas.len() - 1);
        let t = self.world.corners(self.triangles[i]);
        let [u, v, w] = random.in_triangle();
        Some(t[0] * u + t[1] * v + t[2] * w)
    }
}

/// What ground that the mesh does not cover belongs to.
#[derive(Clone, Copy, Debug)]
enum Patch {
    /// It leads to ground that a component covers, here.
    BesideMesh { component: u32, at: DVec3 },
    /// It is at least as large as the least area.
    Island { area_m2: f64 },
    /// It is smaller.
    Small,
    /// It lies inside something.
    Inside,
}

/// Follows ground on a grid and remembers where it has been.
struct Patches<'a> {
    judge: Judge<'a>,
    rosette: Rosette,
    judged: &'a Judged<'a>,
    insides: Option<&'a Insides<'a>>,
    settings: &'a VerifySettings,
    /// Where ground was followed: heights and patches by grid point.
    seen: HashMap<(i64, i64), Vec<(f64, u32)>>,
    patches: Vec<Patch>,
}

impl<'a> Patches<'a> {
    fn new(
        world: &'a World,
        judged: &'a Judged<'a>,
        insides: Option<&'a Insides<'a>>,
        settings: &'a VerifySettings,
    ) -> Self {
        // In doubt about a way on, the ground ends: a patch is not made larger than it is.
        let body =
            Body { strict: true, bridge_run: 0.0, ..Body::plain(&judged.data.agent, settings) };
        Self {
            judge: Judge::new(world, body).with_fillers(judged),
            rosette: Rosette::default(),
            judged,
            insides,
            settings,
            seen: HashMap::new(),
            patches: Vec::new(),
        }
    }

    fn follow(&mut self, start: DVec3) -> Patch {
        let number = self.patches.len() as u32;
        let mut open: VecDeque<(i64, i64, f64)> = VecDeque::new();
        let (i, j) = ((start.x / GRID_M).floor() as i64, (start.y / GRID_M).floor() as i64);
        for (di, dj) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            match self.visit(start, (i + di, j + dj), number) {
                Visit::New(z) => open.push_back((i + di, j + dj, z)),
                Visit::Seen(patch) if patch != number => {
                    let known = self.patches[patch as usize];
                    self.patches.push(known);
                    return known;
                }
                _ => {}
            }
        }
        let found = self.spread(&mut open, number);
        self.patches.push(found);
        found
    }

    fn spread(&mut self, open: &mut VecDeque<(i64, i64, f64)>, number: u32) -> Patch {
        let least = self.settings.min_area_m2 * AREA_SURPLUS / (GRID_M * GRID_M);
        let least = least.min(MAX_FOLLOWED as f64);
        // Beside so many points the ground ends; of a rim along them a mesh may have lost this share.
        let rim = self.settings.tolerance_m / GRID_M * ENDS_PER_RIM;
        let mut ends = 0;
        let certain = |followed: usize, ends: usize| followed as f64 - rim * ends as f64;
        let mut followed: Vec<DVec3> = Vec::new();
        let mut ask_at = least;
        while let Some((i, j, z)) = open.pop_front() {
            let here = point(i, j).extend(z);
            if let Some(cell) = self.judged.covering(here, self.settings.height_tolerance_m) {
                let component = self.judged.cell_component[cell as usize];
                return Patch::BesideMesh { component, at: here };
            }
            followed.push(here);
            let is_last = followed.len() >= MAX_FOLLOWED;
            if is_last || certain(followed.len(), ends) > ask_at {
                // What looks inside from here may lead out farther on.
                if is_last || !self.is_inside(&followed, number) {
                    return self.large(&followed, number);
                }
                ask_at = (4.0 * ask_at).max(1.0);
            }
            for (di, dj) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                match self.visit(here, (i + di, j + dj), number) {
                    Visit::New(z) => open.push_back((i + di, j + dj, z)),
                    Visit::Seen(patch) if patch != number => return self.patches[patch as usize],
                    Visit::Seen(_) => {}
                    Visit::No => ends += 1,
                }
            }
        }
        let is_large = certain(followed.len(), ends) > least;
        if is_large { self.large(&followed, number) } else { Patch::Small }
    }

    fn is_inside(&self, followed: &[DVec3], number: u32) -> bool {
        let mut random = Random::of_sample(self.settings.seed, Purpose::Patches, u64::from(number));
        self.insides.is_some_and(|insides| insides.holds(followed, &mut random))
    }

    /// What a patch of at least the least area is.
    fn large(&self, followed: &[DVec3], number: u32) -> Patch {
        if self.is_inside(followed, number) {
            return Patch::Inside;
        }
        Patch::Island { area_m2: followed.len() as f64 * GRID_M * GRID_M }
    }

    /// Goes to a point of the grid, if the body stands there and a pace leads there.
    fn visit(&mut self, from: DVec3, (i, j): (i64, i64), number: u32) -> Visit {
        let to = point(i, j);
        self.judge.go_to(from, 2.0 * GRID_M);
        let Ok(z) = self.judge.pace(from, to) else { return Visit::No };
        let apart = 0.5 * self.judge.body.height_m;
        if let Some(known) = self.seen.get(&(i, j))
            && let Some(&(_, patch)) = known.iter().find(|k| (k.0 - z).abs() < apart)
        {
            return Visit::Seen(patch);
        }
        match self.judge.stands(to.extend(z), 2.0 * NOISE_M, &mut self.rosette) {
            Ok(z) => {
                self.seen.entry((i, j)).or_default().push((z, number));
                Visit::New(z)
            }
            Err(_) => Visit::No,
        }
    }
}

enum Visit {
    No,
    New(f64),
    Seen(u32),
}

fn point(i: i64, j: i64) -> DVec2 {
    DVec2::new(i as f64 * GRID_M, j as f64 * GRID_M)
}
