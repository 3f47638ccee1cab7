//! Inside is not ground, asked by rays in many directions.
//!
//! Looking up and down says nothing of a place in a crate that is sunk into the floor, or in a column
//! without a bottom: nothing hangs in the agent's way. A person sees that such a place is inside of
//! something, since whichever way one looks out, surfaces show their backs. So rays are sent into the
//! upper half, evenly over all directions. Along each, every back that is met counts one and every front
//! takes one away; the largest count on the way says how many things the ray has led out of. A place is
//! as deep inside as nine rays in ten agree on.
//!
//! A component of the mesh, or a patch that it leaves out, is inside if most places at its rim are: what
//! leads out, leads out there. And where nearly all ground of a scene is inside of one thing, that is
//! its sky.

use crate::ground::Judge;
use crate::judged::Judged;
use crate::random::{Purpose, Random};
use crate::settings::{Body, VerifySettings};
use crate::stand::Rosette;
use crate::world::{World, height_over, normal, turn, upright_part};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::sync::OnceLock;
use surefoot_geom::Frame;
use surefoot_geom::bvh::{Aabb, BoxTree, Ray};
use surefoot_scene::Scene;

/// Rays from one place.
const RAYS: usize = 40;

/// The lowest ray's rise over its length.
const LOWEST_RISE: f64 = 0.08;

/// The share of rays that must agree, and the share of places.
const RAYS_AGREE: f64 = 0.9;
const PLACES_AGREE: f64 = 0.75;

/// Places at the rim of one component: the farthest in so many directions, and as many drawn from all.
const RIM: usize = 8;

/// Rays start this high over the ground, in metres; and a front and a back that are nearer to one
/// another are in contact: the front is met first.
const CONTACT_M: f64 = 0.01;

/// How far inside a cell a place at its border lies, in metres.
const INSET_M: f64 = 0.01;

/// Points of all ground that say whether there is a sky, and the share of them that it must hold.
const SKY_SAMPLES: u64 = 1500;
const SKY_SHARE: f64 = 0.9;

/// The most skies around one another.
const MOST_SKIES: usize = 3;

/// A scene's triangles as things that one can be inside of.
pub(crate) struct Insides<'a> {
    corners: Vec<[DVec3; 3]>,
    tree: BoxTree,
    world: &'a World,
    body: Body,
    seed: u64,
    /// Heights of the mesh are off by at most this.
    window_m: f64,
    /// How many things are skies; asked for only where something is inside of anything.
    skies: OnceLock<usize>,
}

/// What one place sees.
struct Sight {
    /// How many things it is inside of.
    depth: usize,
    /// For every depth up to its own, triangles out of which rays led last.
    ways_out: Vec<Vec<u32>>,
}

/// A triangle on the way of a ray.
#[derive(Clone, Copy)]
struct Met {
    away_m: f64,
    is_back: bool,
    triangle: u32,
}

impl<'a> Insides<'a> {
    pub(crate) fn new(
        scene: &Scene,
        frame: &Frame,
        world: &'a World,
        body: Body,
        settings: &VerifySettings,
    ) -> Self {
        let point = |i: u32| DVec3::from(frame.canonical_from_user(scene.point(i)));
        let corners: Vec<[DVec3; 3]> = scene
            .triangles()
            .par_iter()
            .map(|t| t.map(point))
            .filter(|t| t.iter().all(|p| p.is_finite()) && normal(t).length() > 0.0)
            .collect();
        let tree = BoxTree::build_with(corners.len(), |i| Aabb::of_points(corners[i as usize]));
        let (seed, window_m) = (settings.seed, settings.height_tolerance_m);
        Self { corners, tree, world, body, seed, window_m, skies: OnceLock::new() }
    }

    /// Which components of a mesh lie inside of something.
    pub(crate) fn components(&self, judged: &Judged<'_>, seed: u64) -> Vec<bool> {
        let count = judged.component_area_m2.len();
        let mut rims: Vec<Vec<u32>> = vec![Vec::new(); count];
        for edge in (0..judged.edge_cell.len() as u32).filter(|&e| judged.twin(e).is_none()) {
            let cell = judged.edge_cell[edge as usize];
            rims[judged.cell_component[cell as usize] as usize].push(edge);
        }
        let place = |edge: u32| {
            let (a, b) = judged.edge(edge);
            let middle = a.midpoint(b);
            let towards = judged.middle(judged.edge_cell[edge as usize]) - middle;
            middle + towards.clamp_length_max(INSET_M)
        };
        let are_deeper_than = |skies: usize| -> Vec<bool> {
            let is_inside = |(component, rim): (usize, &Vec<u32>)| {
                let places: Vec<DVec3> = rim.iter().map(|&edge| place(edge)).collect();
                let mut random = Random::of_sample(seed, Purpose::Insides, component as u64);
                self.is_deeper_than(skies, &places, &mut random)
            };
            rims.par_iter().enumerate().map(is_inside).collect()
        };
        let inside = are_deeper_than(0);
        // Asked here and not in there, where threads would wait for what they have to do themselves.
        if inside.contains(&true) { are_deeper_than(self.skies()) } else { inside }
    }

    /// How many things are skies.
    fn skies(&self) -> usize {
        *self.skies.get_or_init(|| self.count_skies())
    }

    /// Whether ground with these places at its rim lies inside of something that is no sky. Not to be
    /// asked on several threads at once.
    pub(crate) fn holds(&self, places: &[DVec3], random: &mut Random) -> bool {
        let again = &mut random.clone();
        self.is_deeper_than(0, places, random) && self.is_deeper_than(self.skies(), places, again)
    }

    /// Whether ground with these places at its rim lies inside of more than so many things.
    fn is_deeper_than(&self, skies: usize, places: &[DVec3], random: &mut Random) -> bool {
        let mut chosen = BTreeSet::new();
        let first = random.unit();
        for k in 0..RIM {
            let way = DVec2::from_angle(TAU * (k as f64 + first) / RIM as f64);
            let away = |i: &usize| places[*i].truncate().dot(way);
            chosen.extend((0..places.len()).max_by(|i, j| away(i).total_cmp(&away(j))));
            chosen.extend((!places.is_empty()).then(|| {
                let share = (k as f64 + random.unit()) / RIM as f64;
                ((share * places.len() as f64) as usize).min(places.len() - 1)
            }));
        }
        let most_open = (1.0 - PLACES_AGREE) * chosen.len() as f64;
        let mut open = 0;
        for i in &chosen {
            open += usize::from(self.look(places[*i], random).depth <= skies);
            if open as f64 > most_open {
                return false;
            }
        }
        !chosen.is_empty()
    }

    /// The highest surface facing up within the window around a place.
    fn ground_at(&self, at: DVec3) -> DVec3 {
        let mut highest = f64::NEG_INFINITY;
        let (low, high) = (at.z - self.window_m, at.z + self.window_m);
        self.tree.visit_column(at.x, at.y, low, high, |id| {
            let t = &self.corners[id as usize];
            if upright_part(t) > 0.1
                && let Some(z) = height_over(t, at.truncate()).filter(|z| (low..=high).contains(z))
            {
                highest = highest.max(z);
            }
        });
        if highest.is_finite() { at.truncate().extend(highest) } else { at }
    }

    /// Looks out of a place, in directions that differ from place to place.
    fn look(&self, at: DVec3, random: &mut Random) -> Sight {
        let from = self.ground_at(at) + DVec3::Z * CONTACT_M;
        let first = random.unit();
        let mut depths = [0_usize; RAYS];
        let mut ways_out: Vec<Vec<u32>> = Vec::new();
        let mut way: Vec<Met> = Vec::new();
        for (k, depth) in depths.iter_mut().enumerate() {
            // Evenly over the upper half: rises in equal steps, turns by the golden angle.
            const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
            let rise = LOWEST_RISE + (1.0 - LOWEST_RISE) * (k as f64 + 0.5) / RAYS as f64;
            let plan = DVec2::from_angle(TAU * first + GOLDEN_ANGLE * k as f64);
            let direction = (plan * (1.0 - rise * rise).sqrt()).extend(rise);
            let Some(ray) = Ray::new(from, direction) else { continue };
            self.follow(&ray, &mut way);
            let mut led_out_of = 0_i64;
            for met in &way {
                led_out_of += if met.is_back { 1 } else { -1 };
                if led_out_of > *depth as i64 {
                    if ways_out.len() == *depth {
                        ways_out.push(Vec::new());
                    }
                    ways_out[*depth].push(met.triangle);
                    *depth += 1;
                }
            }
        }
        depths.sort_unstable();
        let depth = depths[((1.0 - RAYS_AGREE) * RAYS as f64) as usize];
        ways_out.truncate(depth);
        Sight { depth, ways_out }
    }

    /// All that a ray meets, in order. What is there twice is met once.
    fn follow(&self, ray: &Ray, way: &mut Vec<Met>) {
        way.clear();
        let corners = |id: u32| self.corners[id as usize];
        self.tree.visit_hits(ray, corners, |hit| {
            let is_back = normal(&corners(hit.id)).dot(ray.direction()) > 0.0;
            way.push(Met { away_m: hit.t, is_back, triangle: hit.id });
        });
        let order = |m: &Met| m.away_m + if m.is_back { CONTACT_M } else { 0.0 };
        way.sort_unstable_by(|a, b| {
            order(a).total_cmp(&order(b)).then(a.triangle.cmp(&b.triangle))
        });
        let sorted = |id: u32| {
            let mut keys = corners(id).map(|p| p.to_array().map(f64::to_bits));
            keys.sort_unstable();
            keys
        };
        let is_double =
            |a: &Met, b: &Met| a.is_back == b.is_back && sorted(a.triangle) == sorted(b.triangle);
        way.dedup_by(|a, b| is_double(a, b));
    }

    /// How many things are skies. Places are drawn from all ground on which one can stand; those on the
    /// thing itself, out of which the others look, have no say.
    fn count_skies(&self) -> usize {
        let Self { world, body, seed, .. } = self;
        let ground: Vec<u32> = (0..self.corners.len() as u32)
            .filter(|&t| upright_part(&self.corners[t as usize]) >= body.least_up)
            .collect();
        let mut sum = 0.0;
        let areas: Vec<f64> = ground
            .iter()
            .map(|&t| {
                let [a, b, c] = self.corners[t as usize].map(DVec3::truncate);
                sum += 0.5 * turn(a, b, c).abs();
                sum
            })
            .collect();
        if !(sum > 0.0) {
            return 0;
        }
        let seen: Vec<(u32, Sight)> = (0..SKY_SAMPLES)
            .into_par_iter()
            .map_init(
                || Judge::new(world, Body { radius_m: 0.0, ..*body }),
                |judge, index| {
                    let mut random = Random::of_sample(*seed, Purpose::Skies, index);
                    let at = sum * (index as f64 + random.unit()) / SKY_SAMPLES as f64;
                    let pick = areas.partition_point(|&a| a <= at).min(areas.len() - 1);
                    let [a, b, c] = self.corners[ground[pick] as usize];
                    let [u, v, w] = random.in_triangle();
                    let place = a * u + b * v + c * w;
                    judge.stands(place, self.window_m, &mut Rosette::default()).ok()?;
                    Some((ground[pick], self.look(place, &mut random)))
                },
            )
            .flatten()
            .collect();
        let is_sky = |depth: &usize| {
            let inside = seen.iter().filter(|s| s.1.depth > *depth);
            let shell: BTreeSet<u32> =
                inside.clone().flat_map(|s| s.1.ways_out[*depth].iter().copied()).collect();
            let beside = seen.iter().filter(|s| s.1.depth == *depth && !shell.contains(&s.0));
            let (inside, beside) = (inside.count() as f64, beside.count() as f64);
            inside > 0.0 && inside >= SKY_SHARE * (inside + beside)
        };
        (0..MOST_SKIES).take_while(is_sky).count()
    }
}
