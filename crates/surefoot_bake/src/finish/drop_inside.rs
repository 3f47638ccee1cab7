//! Drops patches of ground that lie inside something solid.
//!
//! Goes in: joined ground and the scene it came from. Comes out: the patches that a person would call
//! ground. A place in a crate that is sunk into the floor is free of obstacles as far as looking up
//! can tell, since what lies above is the back of the crate's top. What tells is that such a place is
//! shut in by backs: along nearly every ray into the upper half, more backs than fronts have been
//! passed somewhere. Fronts count against backs, because overlapping solids show their fronts inside
//! one another, and because the walls of a room show fronts before the back of the hull around it.
//!
//! A patch is asked at places along its edges, since what leads out of a tunnel or a stall leads out
//! at its rim. Most patches are out of the question at once: their places lie under no back, and end
//! at none. Where nearly all ground of a scene is shut in, what shuts it in is a sky, and the backs of
//! the sky are looked through.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::input::classify::Classifier;
use crate::surface::{Face, WalkableSurface, lattice_from_plan, plan_m};
use glam::{DVec2, DVec3};
use surefoot_geom::Frame;
use surefoot_geom::bvh::{Aabb, BoxTree, Hit, Ray};
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::Agent;
use surefoot_scene::Scene;

/// Places in each of these directions are the outermost of a patch.
const OUTERMOST: usize = 8;

/// Places evenly along the edges of a patch.
const ALONG_EDGES: usize = 8;

/// How far inside an edge its place lies, in metres; where that is beside the face, the second.
const INSETS_M: [f64; 2] = [1e-2, 1e-3];

/// Surfaces nearer than this are in contact, in metres: what the ground touches is not above it, and
/// of a front and a back in contact the front counts first.
const CONTACT_M: f64 = 1e-2;

/// Where one ray meets a triangle that is there twice differs by less than this, in metres.
const SAME_M: f64 = 1e-9;

/// How far beyond the radius a wall is looked for that ends the ground, in metres.
const WALL_REACH_M: f64 = 0.25;

/// Rays along each edge of the upper half of a cube: 16 through its top and 8 through each side.
const RAYS_PER_EDGE: usize = 4;

/// A place is shut in when this share of its rays is.
const SHUT: f64 = 0.9;

/// A place from which fewer rays than this say something is open.
const LEAST_VOTES: usize = 8;

/// A patch lies inside when this share of its places is shut in.
const MOST_PLACES: f64 = 0.75;

/// Where this share of the ground is shut in, what shuts it in is a sky.
const SKY: f64 = 0.9;

/// The most skies around one another.
const MOST_SKIES: usize = 3;

pub(crate) fn drop_inside(
    mut surface: WalkableSurface,
    scene: &Scene,
    agent: &Agent,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let (component_of, count) = surface.components();
    let mut patches = patches(&surface, &component_of, count as usize);
    let triangles = SceneTriangles::of(scene, &surface.frame, agent);
    stand_on_ground(&mut patches, &triangles, agent);
    context.check_cancelled()?;
    let skies = if patches.iter().any(Patch::may_be_inside) {
        let around = Surroundings::new(&triangles);
        look_around(&mut patches, &around, context)?;
        count_skies(&patches, &around)
    } else {
        0
    };
    let keep: Vec<bool> = patches.iter().map(|p| !p.is_inside(skies)).collect();
    let inside_m2: f64 = patches.iter().filter(|p| p.is_inside(skies)).map(|p| p.area_m2).sum();
    context.count("inside", keep.iter().filter(|keep| !**keep).count());
    context.count("inside_m2", inside_m2.round() as usize);
    context.count("skies", skies);
    if keep.contains(&false) {
        let keep_face: Vec<bool> = component_of.iter().map(|&c| keep[c as usize]).collect();
        surface.retain_faces(&keep_face);
    }
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    Ok(surface)
}

/// The scene's triangles with Z up.
struct SceneTriangles {
    corners: Vec<[DVec3; 3]>,
    classifier: Classifier,
}

impl SceneTriangles {
    fn of(scene: &Scene, frame: &Frame, agent: &Agent) -> Self {
        let points: Vec<DVec3> = (0..scene.points().len() as u32)
            .into_par_iter()
            .map(|i| DVec3::from(frame.canonical_from_user(scene.point(i))))
            .collect();
        let corners = scene.triangles().par_iter().map(|t| t.map(|i| points[i as usize])).collect();
        // Windings are trusted here: without them nothing could be told.
        Self { corners, classifier: Classifier::new(agent, false) }
    }
}

fn normal([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Whether two triangles are one, looking the same way.
fn is_same_triangle([a, b, c]: &[DVec3; 3], other: &[DVec3; 3]) -> bool {
    [[a, b, c], [b, c, a], [c, a, b]].iter().any(|turned| turned.iter().copied().eq(other))
}

/// A connected patch of ground.
#[derive(Clone, Debug, Default)]
struct Patch {
    area_m2: f64,
    places: Vec<Place>,
}

/// A point of the ground from which is looked.
#[derive(Clone, Debug)]
struct Place {
    at: DVec3,
    /// The way out of the patch, of length one in plan.
    outwards: DVec2,
    /// Whether more backs than fronts lie straight above, or the wall outwards shows its back.
    may_be_inside: bool,
    /// For every number of skies, whether the place is shut in within them.
    is_shut: [bool; MOST_SKIES + 1],
}

impl Patch {
    fn share(&self, counts: impl Fn(&Place) -> bool) -> f64 {
        let count = self.places.iter().filter(|p| counts(p)).count();
        count as f64 / self.places.len().max(1) as f64
    }

    fn may_be_inside(&self) -> bool {
        self.share(|p| p.may_be_inside) >= 0.5
    }

    fn is_inside(&self, skies: usize) -> bool {
        self.share(|p| p.is_shut[skies]) >= MOST_PLACES
    }

    /// How many shells shut it in, as far as they are told apart.
    fn depth(&self) -> usize {
        (0..=MOST_SKIES).take_while(|&skies| self.is_inside(skies)).count()
    }
}

/// How many shells are skies: each shuts in nearly all ground that is within the skies around it and
/// that it does not carry itself.
fn count_skies(patches: &[Patch], around: &Surroundings<'_>) -> usize {
    (0..MOST_SKIES).take_while(|&skies| is_next_shell_a_sky(patches, skies, around)).count()
}

fn is_next_shell_a_sky(patches: &[Patch], skies: usize, around: &Surroundings<'_>) -> bool {
    let within = patches.iter().filter(|p| p.depth() >= skies);
    let (inside, mut open): (Vec<&Patch>, Vec<&Patch>) = within.partition(|p| p.depth() > skies);
    let Some(largest) = inside.iter().max_by(|a, b| a.area_m2.total_cmp(&b.area_m2)) else {
        return false;
    };
    let inside_m2: f64 = inside.iter().map(|p| p.area_m2).sum();
    let mut room_m2 = inside_m2 * (1.0 / SKY - 1.0);
    open.sort_by(|a, b| b.area_m2.total_cmp(&a.area_m2));
    for patch in open {
        if !around.is_carried(patch, largest, skies) {
            room_m2 -= patch.area_m2;
        }
        if room_m2 < 0.0 {
            return false;
        }
    }
    true
}

/// The patches of a surface, each with places along its edges.
fn patches(surface: &WalkableSurface, component_of: &[u32], count: usize) -> Vec<Patch> {
    let mut faces_of: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (face, &c) in component_of.iter().enumerate() {
        faces_of[c as usize].push(face as u32);
    }
    faces_of
        .par_iter()
        .map(|faces| {
            let face = |f: u32| &surface.faces[f as usize];
            Patch {
                area_m2: faces.iter().map(|&f| face(f).area_m2()).sum(),
                places: places(surface, faces),
            }
        })
        .collect()
}

/// Places of a patch: beside its outermost edges, and beside edges evenly spread over all of them.
fn places(surface: &WalkableSurface, faces: &[u32]) -> Vec<Place> {
    let edge_count: usize = faces.iter().map(|&f| surface.faces[f as usize].edge_count()).sum();
    let every = edge_count.div_ceil(ALONG_EDGES).max(1);
    let mut outermost: [Option<(f64, u32, usize)>; OUTERMOST] = [None; OUTERMOST];
    let mut chosen: Vec<(u32, usize)> = Vec::with_capacity(OUTERMOST + ALONG_EDGES);
    let mut number = 0;
    for &f in faces {
        for (e, (edge, end)) in surface.faces[f as usize].edges().enumerate() {
            let middle = plan_m(edge.from) + plan_m(end);
            for (k, best) in outermost.iter_mut().enumerate() {
                let away = middle.dot(OUTWARDS[k]);
                if best.is_none_or(|b| away > b.0) {
                    *best = Some((away, f, e));
                }
            }
            if number % every == every / 2 {
                chosen.push((f, e));
            }
            number += 1;
        }
    }
    chosen.extend(outermost.into_iter().flatten().map(|(_, f, e)| (f, e)));
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|(f, e)| place_beside(&surface.faces[f as usize], e)).collect()
}

/// The eight winds.
const OUTWARDS: [DVec2; OUTERMOST] = [
    DVec2::new(1.0, 0.0),
    DVec2::new(1.0, 1.0),
    DVec2::new(0.0, 1.0),
    DVec2::new(-1.0, 1.0),
    DVec2::new(-1.0, 0.0),
    DVec2::new(-1.0, -1.0),
    DVec2::new(0.0, -1.0),
    DVec2::new(1.0, -1.0),
];

/// The place beside the middle of an edge, within the face unless that is narrower than a millimetre.
fn place_beside(face: &Face, edge: usize) -> Place {
    let ends = face.edges().nth(edge).map(|(e, end)| [plan_m(e.from), plan_m(end)]);
    let [from, to] = ends.unwrap_or_default();
    let (middle, outwards) = ((from + to) * 0.5, (from - to).perp().normalize_or_zero());
    let inset = |inset_m: f64| middle - outwards * inset_m;
    let within = |p: &DVec2| face.contains(lattice_from_plan(*p));
    let plan = INSETS_M.map(inset).into_iter().find(within).unwrap_or(middle);
    let at = plan.extend(face.plane.height_at_m(plan));
    Place { at, outwards, may_be_inside: false, is_shut: [false; MOST_SKIES + 1] }
}

/// Something met on a way.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// How far along the way, in metres.
    away_m: f64,
    is_back: bool,
    /// Whether it is a back or front of ground.
    is_ground: bool,
}

impl Meeting {
    fn new(ray: &Ray, away_m: f64, corners: &[DVec3; 3], classifier: &Classifier) -> Self {
        let n = normal(corners);
        let is_ground = classifier.facing(n, 0).is_ground();
        Self { away_m, is_back: n.dot(ray.direction()) > 0.0, is_ground }
    }

    fn leads_under_ground(&self) -> bool {
        !self.is_back && self.is_ground
    }
}

/// Puts places on the ground that they stand for, heights of cells being off by something, and looks
/// straight up and outwards. One pass over all triangles.
fn stand_on_ground(patches: &mut [Patch], triangles: &SceneTriangles, agent: &Agent) {
    let mut places: Vec<&mut Place> = patches.iter_mut().flat_map(|p| &mut p.places).collect();
    let at: Vec<DVec3> = places.iter().map(|p| p.at).collect();
    let wall_m = 2.0 * agent.radius_m + WALL_REACH_M;
    let outwards: Vec<DVec3> = places.iter().map(|p| p.outwards.extend(0.0)).collect();
    let tree = BoxTree::build_with(places.len(), |i| {
        let ends = [at[i as usize], at[i as usize] + wall_m * outwards[i as usize]];
        let plan = Aabb::of_points(ends);
        Aabb::in_plan(plan.lo.truncate(), plan.hi.truncate())
    });
    /// Along which way something was met.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Glance {
        Up,
        Outwards,
    }
    let mut met: Vec<(u32, Glance, Meeting)> = triangles
        .corners
        .par_iter()
        .flat_map_iter(|corners| {
            let mut met = Vec::new();
            let bounds = Aabb::of_points(*corners);
            tree.visit_prism(bounds.lo.truncate(), bounds.hi.truncate(), 0.0, 0.0, |id| {
                let place = at[id as usize];
                // From below everything, so that the ground itself is met as well.
                let foot_m = bounds.lo.z - 1.0 - place.z;
                let body = place + DVec3::Z * (0.5 * agent.height_m);
                let ways = [
                    (Glance::Up, place + DVec3::Z * foot_m, DVec3::Z, foot_m, f64::INFINITY),
                    (Glance::Outwards, body, outwards[id as usize], 0.0, wall_m),
                ];
                for (way, from, direction, from_m, end_m) in ways {
                    let Some(ray) = Ray::new(from, direction) else { continue };
                    if let Some(t) = ray.meet(corners).filter(|&t| t <= end_m) {
                        let meeting =
                            Meeting::new(&ray, from_m + t, corners, &triangles.classifier);
                        met.push((id, way, meeting));
                    }
                }
            });
            met
        })
        .collect();
    // Only the multiset of what is met at a place counts.
    met.par_sort_unstable_by_key(|m| (m.0, m.1));
    for of_place in met.chunk_by_mut(|a, b| a.0 == b.0) {
        let place = &mut places[of_place[0].0 as usize];
        let (up, out) = of_place.split_at(of_place.partition_point(|m| m.1 == Glance::Up));
        let ground = up.iter().map(|m| m.2).filter(|m| m.is_ground);
        let lift_m = ground
            .map(|m| m.away_m)
            .filter(|m| m.abs() <= agent.max_step_m)
            .fold(f64::NEG_INFINITY, f64::max);
        let lift_m = if lift_m.is_finite() { lift_m } else { 0.0 };
        place.at.z += lift_m;
        let above = up.iter().map(|m| Meeting { away_m: m.2.away_m - lift_m, ..m.2 });
        let mut above: Vec<Meeting> = above.filter(|m| m.away_m > CONTACT_M).collect();
        let mut out: Vec<Meeting> = out.iter().map(|m| m.2).collect();
        sort_along(&mut out);
        place.may_be_inside = most_backs(&mut above) > 0 || out.first().is_some_and(|m| m.is_back);
    }
}

/// By how many the backs exceed the fronts where they do most.
fn most_backs(way: &mut [Meeting]) -> usize {
    sort_along(way);
    let (mut surplus, mut most) = (0_i64, 0);
    for m in way {
        surplus += if m.is_back { 1 } else { -1 };
        most = most.max(surplus);
    }
    most as usize
}

fn sort_along(way: &mut [Meeting]) {
    let key = |m: &Meeting| m.away_m - if m.is_back { 0.0 } else { CONTACT_M };
    way.sort_unstable_by(|a, b| key(a).total_cmp(&key(b)).then(a.is_back.cmp(&b.is_back)));
}

/// A scene's triangles, for looking along any way.
struct Surroundings<'a> {
    triangles: &'a SceneTriangles,
    tree: BoxTree,
}

impl<'a> Surroundings<'a> {
    fn new(triangles: &'a SceneTriangles) -> Self {
        let corners = &triangles.corners;
        let tree = BoxTree::build_with(corners.len(), |i| Aabb::of_points(corners[i as usize]));
        Self { triangles, tree }
    }

    /// What a ray meets, the nearest first.
    fn look_along(&self, ray: &Ray, way: &mut Vec<Meeting>) {
        let SceneTriangles { corners, classifier } = self.triangles;
        way.clear();
        let mut met: Vec<Hit> = Vec::new();
        self.tree.visit_hits(
            ray,
            |id| corners[id as usize],
            |hit| {
                // A triangle that is there twice is one: a doubled front would make up for two backs.
                let is_double = |m: &Hit| {
                    (m.t - hit.t).abs() < SAME_M
                        && is_same_triangle(&corners[m.id as usize], &corners[hit.id as usize])
                };
                if !met.iter().any(is_double) {
                    met.push(hit);
                }
            },
        );
        way.extend(met.iter().map(|m| Meeting::new(ray, m.t, &corners[m.id as usize], classifier)));
        sort_along(way);
    }

    /// Asks the rays of one place.
    fn look_from(&self, place: &mut Place, ways: &[DVec3], way: &mut Vec<Meeting>) {
        // For every number of skies, the rays that are shut in and those that are not.
        let mut votes = [[0_usize; 2]; MOST_SKIES + 1];
        for &direction in ways {
            let from = place.at + DVec3::Z * CONTACT_M;
            let Some(ray) = Ray::new(from, direction) else { continue };
            self.look_along(&ray, way);
            // What comes after going into the ground says nothing.
            let under = way.iter().position(Meeting::leads_under_ground);
            let before = under.unwrap_or(way.len());
            let most = most_backs(&mut way[..before]);
            for (skies, vote) in votes.iter_mut().enumerate() {
                if most > skies {
                    vote[0] += 1;
                } else if under.is_none() {
                    vote[1] += 1;
                }
            }
            // However many are to come, it is open.
            if votes[0][1] as f64 > (1.0 - SHUT) * ways.len() as f64 {
                return;
            }
        }
        place.is_shut = votes.map(|[shut, open]| {
            shut + open >= LEAST_VOTES && shut as f64 >= SHUT * (shut + open) as f64
        });
    }

    /// Whether a patch stands on the outermost of the shells that shut another one in within so many
    /// skies: on the way there one back fewer is passed than on the way out.
    fn is_carried(&self, patch: &Patch, shut_in: &Patch, skies: usize) -> bool {
        let shells = shut_in.depth() - skies;
        let mut way = Vec::new();
        let starts = shut_in.places.iter().cycle();
        let ways: Vec<[DVec3; 2]> = starts.zip(&patch.places).map(|(a, b)| [a.at, b.at]).collect();
        let (mut carried, mut beside) = (0, 0);
        for [from, to] in ways {
            let from = from + DVec3::Z * CONTACT_M;
            let Some(ray) = Ray::new(from, (to - from).normalize_or_zero()) else { continue };
            self.look_along(&ray, &mut way);
            let end_m = from.distance(to) - CONTACT_M;
            way.retain(|m| m.away_m < end_m);
            if way.iter().any(Meeting::leads_under_ground) {
                continue;
            }
            let count = if most_backs(&mut way) < shells { &mut carried } else { &mut beside };
            *count += 1;
        }
        carried > beside
    }
}

/// Asks rays into the upper half from the places of all patches that may lie inside something.
fn look_around(
    patches: &mut [Patch],
    around: &Surroundings<'_>,
    context: &StageContext<'_>,
) -> Result<(), BakeError> {
    let ways = ways_up();
    let cancel = context.cancel_flag();
    patches.par_iter_mut().filter(|p| p.may_be_inside()).for_each(|patch| {
        let mut way = Vec::new();
        let most_open = (1.0 - MOST_PLACES) * patch.places.len() as f64;
        let mut open = 0;
        for place in &mut patch.places {
            if open as f64 > most_open
                || cancel.is_some_and(|c| c.load(std::sync::atomic::Ordering::Relaxed))
            {
                return;
            }
            around.look_from(place, &ways, &mut way);
            open += usize::from(!place.is_shut[0]);
        }
    });
    context.check_cancelled()
}

/// Directions of length one through the cells of a grid on the upper half of a cube.
fn ways_up() -> Vec<DVec3> {
    let cell = |i: usize| (2 * i + 1) as f64 / RAYS_PER_EDGE as f64 - 1.0;
    // A little off the middle, so that no ray runs along the axes that people build by.
    const OFF: DVec3 = DVec3::new(0.0131, 0.0257, 0.0073);
    let mut ways = Vec::new();
    for i in 0..RAYS_PER_EDGE {
        for j in 0..RAYS_PER_EDGE {
            let (u, v) = (cell(i), cell(j));
            ways.push(DVec3::new(u, v, 1.0));
            if v > 0.0 {
                ways.extend([[1.0, u], [-1.0, u]].map(|[x, y]| DVec3::new(x, y, v)));
                ways.extend([[u, 1.0], [u, -1.0]].map(|[x, y]| DVec3::new(x, y, v)));
            }
        }
    }
    ways.into_iter().map(|way| (way + OFF).normalize()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_lead_up_and_all_around() {
        let ways = ways_up();
        assert_eq!(ways.len(), 48);
        assert!(ways.iter().all(|w| w.z > 0.1 && (w.length() - 1.0).abs() < 1e-12));
        let sum: DVec3 = ways.iter().sum();
        assert!(sum.truncate().length() < 2.0, "{sum}");
    }

    #[test]
    fn a_front_in_contact_with_a_back_counts_first() {
        let front = |away_m| Meeting { away_m, is_back: false, is_ground: false };
        let back = |away_m| Meeting { away_m, is_back: true, is_ground: false };
        assert_eq!(most_backs(&mut []), 0);
        assert_eq!(most_backs(&mut [back(1.0)]), 1);
        assert_eq!(most_backs(&mut [back(1.0), front(1.005)]), 0);
        assert_eq!(most_backs(&mut [back(1.0), front(1.1)]), 1);
        assert_eq!(most_backs(&mut [front(1.0), back(2.0), back(3.0), back(4.0)]), 2);
    }
}
