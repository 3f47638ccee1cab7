//! Covers flights of stairs with ramps (Sanchez 2021, §2.7 and §2.8.1, in another way).
//!
//! Goes in: joined ground with its step edges, and the world around it. Comes out: the same ground
//! with faces of kind ramp over treads and in front of steps, to be joined again. The source lays a
//! steep ramp from every open edge, cuts ramp and ground by each other, and flattens the saw teeth of
//! a flight by contractions afterwards. Here the plan of a flight stays as it is: a *tread*, a level
//! plateau with a step up at its back and a step down at its front, is tilted so that its back edge
//! lies at the height of the plateau behind; a leaning riser or a bridge at its back is tilted with it. A flight of even steps is thereby one plane, a winding
//! one a helical surface, without a search and without new borders in plan.
//!
//! Only the last step of a flight, and single steps such as kerbs, come down on ground that goes on.
//! There a ramp is laid over the ground: at the flight's own incline if that lands, else as steep as
//! may be walked if that lands; where neither does, the step stays a step. At corners that turn
//! outwards a fan joins neighbouring ramps. All ramps need head room like any other ground.

use crate::borders::match_edges::{GroundEdge, collect_edges};
use crate::borders::pairs::{MarkedFace, Pairs, UnjoinedSurface};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::bridge_steps::shade;
use crate::exact::cut::{NewGround, World};
use crate::ids::TriangleId;
use crate::surface::{Face, FaceOrigin, Plane, WalkableSurface, plan_m, plan_units};
use glam::DVec2;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::overlay::{Overlayer, SetOperation, counter_clockwise, flatten};
use surefoot_geom::polygon::{Contour, contour_area2};
use surefoot_geom::threads::prelude::*;
use surefoot_geom::triangulate::triangulate_polygon;
use surefoot_geom::{DisjointSets, LatticePoint};
use surefoot_mesh::{Agent, CellKind, EdgeClass};

/// Ground that rises no more than this per metre belongs to a plateau.
const LEVEL_SLOPE: f64 = 0.1;

/// Steps lower than this stay as they are, in metres.
const LOWEST_STEP_M: f64 = 0.02;

/// Flights that rise less than this per metre are landings with steps between them.
const LEAST_INCLINE: f64 = 0.25;

/// Cosine of the largest angle between the outward directions of a tread's back and its front, seen
/// from one another: 60°. Edges at its sides are neither.
const FACING_COSINE: f64 = -0.5;

/// Plateaus with more pairs of back and front edges than this are no treads.
const MAX_PAIRS: usize = 1 << 16;

/// The share of a ramp's plan that must lie over the ground it comes down on.
const SUPPORTED: f64 = 0.995;

/// The largest turn that one triangle of a fan spans, as a cosine: 45°.
const FAN_COSINE: f64 = 0.7;

pub(crate) fn build_ramps(
    surface: WalkableSurface,
    world: &World,
    agent: &Agent,
    stair_slope_rad: f64,
    context: &mut StageContext<'_>,
) -> Result<UnjoinedSurface, BakeError> {
    let steepest = stair_slope_rad.min(agent.max_slope_rad).tan();
    let plateaus = Plateaus::find(&surface, stair_slope_rad.tan());
    context.count("treads", plateaus.treads.iter().flatten().count());

    let feet = plateaus.feet(&surface, steepest);
    let laid = lay_feet(&feet, &surface, &plateaus, world);
    context.count("ramps", laid.len());

    let tilted: Vec<Vec<MarkedFace>> = (0..surface.faces.len())
        .into_par_iter()
        .map_init(Overlayer::new, |overlayer, f| plateaus.tilt(f, &surface, world, overlayer))
        .collect();
    let WalkableSurface { frame, area_names, .. } = surface;
    let faces = tilted.into_iter().flatten().collect();
    let mut surface = UnjoinedSurface { frame, faces, area_names, pairs: Pairs::none() };
    if !laid.is_empty() {
        shade(&mut surface, &laid, agent);
        surface.faces.extend(laid);
    }
    Ok(surface)
}

/// A step edge of a plateau.
#[derive(Clone, Copy, Debug)]
struct StepEdge {
    /// In lattice units.
    from: DVec2,
    to: DVec2,
    /// The heights on the other side, in metres.
    from_height_m: f64,
    to_height_m: f64,
}

impl StepEdge {
    fn outward(&self) -> DVec2 {
        let run = (self.to - self.from).normalize_or_zero();
        DVec2::new(run.y, -run.x)
    }

    fn middle(&self) -> DVec2 {
        0.5 * (self.from + self.to)
    }

    /// How far a point is, and the height on the other side at the nearest place.
    fn distance(&self, p: DVec2) -> (f64, f64) {
        let run = self.to - self.from;
        let t = ((p - self.from).dot(run) / run.length_squared()).clamp(0.0, 1.0);
        let height = self.from_height_m + (self.to_height_m - self.from_height_m) * t;
        (p.distance(self.from + run * t), height)
    }
}

/// A level plateau between two steps of a flight.
struct Tread {
    backs: Vec<StepEdge>,
    fronts: Vec<StepEdge>,
    /// Rise per metre from front to back.
    incline: f64,
}

impl Tread {
    fn of(backs: Vec<StepEdge>, fronts: Vec<StepEdge>, own: Plane, most: f64) -> Option<Self> {
        if backs.is_empty() || fronts.is_empty() || backs.len() * fronts.len() > MAX_PAIRS {
            return None;
        }
        let weight = |e: &StepEdge| e.from.distance(e.to);
        let sum: DVec2 = backs.iter().map(|e| e.outward() * weight(e)).sum();
        let behind = sum.normalize_or_zero();
        let facing = |e: &StepEdge| e.outward().dot(behind) < FACING_COSINE;
        let fronts: Vec<StepEdge> = fronts.into_iter().filter(facing).collect();
        let nearest = |p: DVec2| fronts.iter().map(|f| f.distance(p).0).min_by(f64::total_cmp);
        let length: f64 = backs.iter().map(weight).sum();
        let mut depth_m = 0.0;
        let mut rise_m = 0.0;
        for back in &backs {
            let share = weight(back) / length;
            depth_m += nearest(back.middle())? * M_PER_LATTICE * share;
            let own_m = own.height_at_m(back.middle() * M_PER_LATTICE);
            rise_m += (0.5 * (back.from_height_m + back.to_height_m) - own_m) * share;
        }
        let incline = rise_m / depth_m;
        (LEAST_INCLINE..=most).contains(&incline).then_some(Self { backs, fronts, incline })
    }

    /// The height over a point of the tread whose own height is given.
    fn height_m(&self, p: LatticePoint, own_m: f64) -> f64 {
        let p = plan_units(p);
        let nearest = |edges: &[StepEdge]| {
            edges
                .iter()
                .map(|e| e.distance(p))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap_or((0.0, own_m))
        };
        let (to_back, behind_m) = nearest(&self.backs);
        let (to_front, _) = nearest(&self.fronts);
        let depth = to_back + to_front;
        if depth > 0.0 { own_m + (behind_m - own_m) * to_front / depth } else { own_m }
    }
}

/// Level ground by plateaus, and which of them are treads.
struct Plateaus {
    /// The plateau of every face.
    of_face: Vec<u32>,
    /// The faces of every plateau.
    members: Vec<Vec<u32>>,
    /// The plane of every plateau: that of its largest level face. `None` for faces that are neither
    /// level nor lead up from level ground.
    levels: Vec<Option<Plane>>,
    treads: Vec<Option<Tread>>,
    edges: Vec<GroundEdge>,
    /// All faces in plan.
    tree: BoxTree,
}

fn is_level(face: &Face) -> bool {
    face.kind == CellKind::Ground && face.plane.slope().length() <= LEVEL_SLOPE
}

/// Connected faces of level ground. Leaning risers and bridges count to the ground that they lead up
/// from, so that a tread reaches up to the next.
fn group_faces(surface: &WalkableSurface, edges: &[GroundEdge]) -> (Vec<u32>, u32) {
    let faces = &surface.faces;
    let is_riser = |f: u32| faces[f as usize].kind == CellKind::Ramp;
    let meet = |here: &GroundEdge, there: &GroundEdge| {
        (here.from_height_m - there.to_height_m).abs() < LOWEST_STEP_M
            && (here.to_height_m - there.from_height_m).abs() < LOWEST_STEP_M
    };
    let joints: Vec<(&GroundEdge, &GroundEdge)> = faces
        .iter()
        .flat_map(|f| f.loops.iter().flatten())
        .zip(edges)
        .filter_map(|(e, here)| Some((here, &edges[e.twin?.index()])))
        .filter(|(here, there)| meet(here, there))
        .collect();
    let mut sets = DisjointSets::new(faces.len());
    let level = |f: u32| is_level(&faces[f as usize]);
    for (here, there) in &joints {
        if level(here.face) && level(there.face) || is_riser(here.face) && is_riser(there.face) {
            sets.join(here.face, there.face);
        }
    }
    // The lowest level ground beside every group of risers.
    let mut lowest: Vec<Option<(f64, u32)>> = vec![None; faces.len()];
    for (here, there) in &joints {
        if is_riser(here.face) && level(there.face) {
            let height = 0.5 * (there.from_height_m + there.to_height_m);
            let group = sets.find(here.face) as usize;
            if lowest[group].is_none_or(|l| height < l.0) {
                lowest[group] = Some((height, there.face));
            }
        }
    }
    for (group, ground) in lowest.into_iter().enumerate() {
        if let Some((_, ground)) = ground {
            sets.join(group as u32, ground);
        }
    }
    sets.number()
}

impl Plateaus {
    fn find(surface: &WalkableSurface, steepest: f64) -> Self {
        let faces = &surface.faces;
        let edges = collect_edges(faces);
        let (of_face, count) = group_faces(surface, &edges);
        let mut members = vec![Vec::new(); count as usize];
        for (f, &plateau) in of_face.iter().enumerate() {
            members[plateau as usize].push(f as u32);
        }
        let levels: Vec<Option<Plane>> = members
            .iter()
            .map(|members| {
                let level = members.iter().map(|&f| &faces[f as usize]).filter(|f| is_level(f));
                level.max_by_key(|f| f.area2()).map(|f| f.plane)
            })
            .collect();
        let mut backs = vec![Vec::new(); count as usize];
        let mut fronts = vec![Vec::new(); count as usize];
        let all = faces.iter().flat_map(|f| f.loops.iter().flatten());
        for (e, here) in all.zip(&edges) {
            let plateau = of_face[here.face as usize];
            let Some(twin) = e.twin else { continue };
            let there = &edges[twin.index()];
            let beyond = of_face[there.face as usize];
            let (Some(own), Some(other)) = (levels[plateau as usize], levels[beyond as usize])
            else {
                continue;
            };
            if beyond == plateau {
                continue;
            }
            let step = StepEdge {
                from: plan_units(here.from),
                to: plan_units(here.to),
                from_height_m: other.height_at(here.from),
                to_height_m: other.height_at(here.to),
            };
            let own_m = own.height_at(here.from) + own.height_at(here.to);
            let up_m = 0.5 * (step.from_height_m + step.to_height_m - own_m);
            if up_m >= LOWEST_STEP_M {
                backs[plateau as usize].push(step);
            } else if up_m <= -LOWEST_STEP_M {
                fronts[plateau as usize].push(step);
            }
        }
        let treads = backs
            .into_iter()
            .zip(fronts)
            .zip(&levels)
            .map(|((backs, fronts), level)| Tread::of(backs, fronts, (*level)?, steepest))
            .collect();
        let tree = BoxTree::build_with(faces.len(), |f| {
            plan_box(faces[f as usize].loops[0].iter().map(|e| e.from))
        });
        Self { of_face, members, levels, treads, edges, tree }
    }

    /// A face as it lies now: tilted if it belongs to a tread.
    fn tilt(
        &self,
        f: usize,
        surface: &WalkableSurface,
        world: &World,
        overlayer: &mut Overlayer,
    ) -> Vec<MarkedFace> {
        let face = &surface.faces[f];
        let as_it_was = || vec![face.clone().with_twins(|_| None)];
        let plateau = self.of_face[f] as usize;
        let Some(tread) = &self.treads[plateau] else { return as_it_was() };
        let own: Vec<TriangleId> = (self.members[plateau].iter())
            .filter_map(|&f| surface.faces[f as usize].source)
            .collect();
        let polygon = face.polygon();
        let points: Vec<LatticePoint> = polygon.contours.iter().flatten().copied().collect();
        let level = self.levels[plateau].unwrap_or(face.plane);
        let at = |p: LatticePoint| plan_m(p).extend(tread.height_m(p, level.height_at(p)));
        let Ok(triangles) = triangulate_polygon(&polygon) else { return as_it_was() };
        let triangles = triangles.into_iter().map(|t| t.map(|i| points[i as usize]));
        triangles
            .flat_map(|corners| {
                let [p, q, r] = corners.map(at);
                let origin = FaceOrigin {
                    plane: Plane::through(p, (q - p).cross(r - p)),
                    kind: CellKind::Ramp,
                    ..face.origin()
                };
                world.cut_ground(&NewGround::triangle(corners), &origin, &own, overlayer)
            })
            .collect()
    }

    /// The faces near a ramp that it may come down on.
    fn below(&self, foot: &Foot) -> Vec<u32> {
        let longest = foot.inclines.into_iter().flatten().fold(f64::INFINITY, f64::min);
        let around = plan_box(foot.ramp(longest).into_iter().flatten().map(|c| c.0));
        let mut faces = Vec::new();
        self.tree.visit_box(&around, |f| {
            if self.of_face[f as usize] == foot.plateau {
                faces.push(f);
            }
        });
        faces.sort_unstable();
        faces
    }

    /// The ramps wanted in front of steps that come down on ground which is no tread.
    fn feet(&self, surface: &WalkableSurface, steepest: f64) -> Vec<Foot> {
        let mut feet = Vec::new();
        if steepest <= 2.0 * LEVEL_SLOPE {
            // Such a ramp is no steeper than the ground it would come down on.
            return feet;
        }
        let all = surface.faces.iter().flat_map(|f| f.loops.iter().flatten());
        for (e, upper) in all.zip(&self.edges) {
            let Some(twin) = e.twin.filter(|_| e.class == EdgeClass::Step) else { continue };
            let lower = &self.edges[twin.index()];
            let ground = &surface.faces[lower.face as usize];
            let (from_drop, to_drop) =
                (upper.from_height_m - lower.to_height_m, upper.to_height_m - lower.from_height_m);
            let below = self.of_face[lower.face as usize];
            let above = self.of_face[upper.face as usize];
            if from_drop.min(to_drop) < LOWEST_STEP_M
                || self.treads[below as usize].is_some()
                || ground.kind != CellKind::Ground
                || ground.plane.slope().length() > LEVEL_SLOPE
            {
                continue;
            }
            let own = self.treads[above as usize].as_ref().map(|t| t.incline);
            feet.push(Foot {
                from: (upper.from, upper.from_height_m),
                to: (upper.to, upper.to_height_m),
                upper: upper.face,
                plateau: below,
                ground: ground.plane,
                inclines: [own.filter(|i| *i < steepest), Some(steepest)],
            });
        }
        feet
    }
}

/// A ramp wanted from an edge down to the ground in front of it.
struct Foot {
    /// The upper edge: plan point and height in metres. The ramp lies to its right.
    from: (LatticePoint, f64),
    to: (LatticePoint, f64),
    /// The face above.
    upper: u32,
    /// The plateau it comes down on.
    plateau: u32,
    ground: Plane,
    /// The inclines to try, in order.
    inclines: [Option<f64>; 2],
}

impl Foot {
    fn outward(&self) -> DVec2 {
        let run = (plan_units(self.to.0) - plan_units(self.from.0)).normalize_or_zero();
        DVec2::new(run.y, -run.x)
    }

    /// Where a ramp from a point in a direction meets the ground, as plan point and height.
    fn landing(&self, top: (LatticePoint, f64), way: DVec2, incline: f64) -> (LatticePoint, f64) {
        let p = plan_m(top.0);
        let drop = top.1 - self.ground.height_at_m(p);
        let out_m = drop / (incline + self.ground.slope().dot(way));
        let units = plan_units(top.0) + way * (out_m * LATTICE_PER_M);
        let point = LatticePoint::from_units(units.x, units.y);
        (point, self.ground.height_at(point))
    }

    /// The ramp at one incline: a quadrilateral as two triangles.
    fn ramp(&self, incline: f64) -> Vec<[(LatticePoint, f64); 3]> {
        let way = self.outward();
        let a = self.landing(self.from, way, incline);
        let b = self.landing(self.to, way, incline);
        vec![[self.to, self.from, a], [self.to, a, b]]
    }

    /// The fan around the end of this edge, up to the ramp of the edge that goes on from there.
    fn fan(&self, next: &Self, incline: f64) -> Vec<[(LatticePoint, f64); 3]> {
        let (u, v) = (self.outward(), next.outward());
        // Outwards is to the right, so ramps part where the edge turns left.
        if u.perp_dot(v) <= 0.0 || u.dot(v) < -0.999 {
            return Vec::new();
        }
        let mut ways = vec![u, v];
        while ways[0].dot(ways[1]) < FAN_COSINE {
            let finer = ways.windows(2).flat_map(|w| [w[0], (w[0] + w[1]).normalize()]);
            ways = finer.chain([v]).collect();
        }
        ways.windows(2)
            .map(|w| {
                [
                    self.to,
                    self.landing(self.to, w[0], incline),
                    self.landing(self.to, w[1], incline),
                ]
            })
            .collect()
    }
}

/// Lays the ramps that land: cut by the scene and by each other.
fn lay_feet(
    feet: &[Foot],
    surface: &WalkableSurface,
    plateaus: &Plateaus,
    world: &World,
) -> Vec<MarkedFace> {
    // The incline at which each lands, if any.
    let inclines: Vec<Option<f64>> = feet
        .par_iter()
        .map_init(Overlayer::new, |overlayer, foot| {
            let ground = outlines(&plateaus.below(foot), surface);
            foot.inclines.into_iter().flatten().find(|&i| lands(foot, i, &ground, overlayer))
        })
        .collect();
    let mut by_start: Vec<(LatticePoint, u32, u32)> =
        feet.iter().enumerate().map(|(i, f)| (f.from.0, f.upper, i as u32)).collect();
    by_start.sort_unstable();
    let next = |foot: &Foot| {
        let key = (foot.to.0, foot.upper);
        let first = by_start.partition_point(|e| (e.0, e.1) < key);
        by_start.get(first).filter(|e| (e.0, e.1) == key).map(|e| e.2 as usize)
    };
    let mut wanted: Vec<(u32, [(LatticePoint, f64); 3])> = Vec::new();
    for (i, foot) in feet.iter().enumerate() {
        let Some(incline) = inclines[i] else { continue };
        wanted.extend(foot.ramp(incline).into_iter().map(|t| (i as u32, t)));
        if let Some(n) = next(foot)
            && inclines[n] == Some(incline)
        {
            wanted.extend(foot.fan(&feet[n], incline).into_iter().map(|t| (i as u32, t)));
        }
    }
    let shapes: Vec<Option<Contour>> =
        wanted.iter().map(|(_, t)| counter_clockwise(t.map(|c| c.0).to_vec())).collect();
    let boxes = BoxTree::build_with(shapes.len(), |i| {
        plan_box(shapes[i as usize].iter().flatten().copied())
    });
    wanted
        .par_iter()
        .enumerate()
        .map_init(Overlayer::new, |overlayer, (i, &(foot, corners))| {
            let Some(shape) = &shapes[i] else { return Vec::new() };
            let foot = &feet[foot as usize];
            // Where ramps overlap, as at corners that turn inwards, the first stays.
            let mut taken: Vec<u32> = Vec::new();
            boxes.visit_box(&plan_box(shape.iter().copied()), |j| {
                let same_ground = feet[wanted[j as usize].0 as usize].plateau == foot.plateau;
                if (j as usize) < i && same_ground {
                    taken.push(j);
                }
            });
            taken.sort_unstable();
            let taken: Vec<&Contour> =
                taken.iter().filter_map(|&j| shapes[j as usize].as_ref()).collect();
            let below = plateaus.below(foot);
            let ground = outlines(&below, surface);
            let over = overlayer.run(SetOperation::Intersection, &[shape], &ground);
            let left = overlayer.run(SetOperation::Difference, &flatten(over), &taken);
            let [p, q, r] = corners.map(|(p, height)| plan_m(p).extend(height));
            let normal = (q - p).cross(r - p);
            if !(normal.z.abs() > 0.0) {
                return Vec::new();
            }
            let like = surface.faces[foot.upper as usize].origin();
            let origin =
                FaceOrigin { plane: Plane::through(p, normal), kind: CellKind::Ramp, ..like };
            let own: Vec<TriangleId> =
                below.iter().filter_map(|&f| surface.faces[f as usize].source).collect();
            left.iter()
                .flat_map(|polygon| match NewGround::polygon(polygon) {
                    Some(ground) => world.cut_ground(&ground, &origin, &own, overlayer),
                    None => Vec::new(),
                })
                .collect()
        })
        .flatten_iter()
        .collect()
}

fn plan_box(points: impl IntoIterator<Item = LatticePoint>) -> Aabb {
    Aabb::of_points(points.into_iter().map(|p| plan_units(p).extend(0.0)))
}

fn outlines(faces: &[u32], surface: &WalkableSurface) -> Vec<Contour> {
    faces.iter().flat_map(|&f| surface.faces[f as usize].polygon().contours).collect()
}

/// Whether a ramp lies over the ground it comes down on with nearly all of its plan.
fn lands(foot: &Foot, incline: f64, ground: &[Contour], overlayer: &mut Overlayer) -> bool {
    let shapes: Vec<Contour> = foot
        .ramp(incline)
        .into_iter()
        .filter_map(|t| counter_clockwise(t.map(|c| c.0).to_vec()))
        .collect();
    let whole: i128 = shapes.iter().map(|s| contour_area2(s)).sum();
    let over = overlayer.run(SetOperation::Intersection, &shapes, ground);
    let covered: i128 = over.iter().flat_map(|p| &p.contours).map(|c| contour_area2(c)).sum();
    whole > 0 && covered as f64 >= SUPPORTED * whole as f64
}
