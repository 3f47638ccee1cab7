//! Cuts away the ground that the agent cannot stand on (Sanchez 2021, §2.4, in another way).
//!
//! Goes in: merged faces and the soup. Comes out: pieces of faces where the agent stands, their edges
//! classed. What an obstacle blocks on a face is the part of it between two heights above the face's
//! plane, dropped straight down: a convex polygon. Nothing is extruded; all obstacles of a face are
//! united and subtracted in one overlay on the lattice, in parallel over faces.
//!
//! Looking straight up from a point of a walkable face:
//! - another walkable face within the agent's height is the ground instead (the topmost wins; within
//!   the noise, the face with the lower rank does, so that exactly one remains);
//! - what faces up or sideways blocks between step height and agent height: lower, it is stepped over;
//! - what faces down blocks from the ground up to the agent's height, except where something that
//!   faces up ends it below step height and the face is no riser; lying on the ground it blocks if
//!   something solid stands there.
//!
//! A vertical triangle drops to a line. It is widened backwards only, away from its normal, so that
//! the free ground ends exactly where the wall's face is.

use crate::borders::obstructions::Overhangs;
use crate::borders::pairs::{MarkedFace, Pairs, UnjoinedSurface};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::filter_slopes::TriangleClass;
use crate::exact::merge_faces::MergedFaces;
use crate::exact::trim_spikes::trim_spikes;
use crate::ids::TriangleId;
use crate::input::limits::{LIMIT_SLACK_M, NEARLY_VERTICAL_SINE, NOISE_M};
use crate::input::points::{metres, plan};
use crate::report::Warning;
use crate::surface::{Face, FaceOrigin, Plane, lattice_from_plan, plan_m};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Deref};
use std::sync::atomic::Ordering;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::clip::clip_to_slab;
use surefoot_geom::convex_hull::convex_hull;
use surefoot_geom::overlay::{Overlayer, SetOperation, counter_clockwise, flatten};
use surefoot_geom::polygon::{Contour, Polygon, bounds_of, contour_area2, covers, separated};
use surefoot_geom::threads::prelude::*;
use surefoot_geom::triangulate::triangulate_polygon;
use surefoot_mesh::{Agent, CellKind, EdgeClass};

/// Pieces of faces where the agent stands, no edge with a neighbour yet, and the world that cut them.
pub(crate) struct CutSurface {
    pub(crate) surface: UnjoinedSurface,
    pub(crate) world: World,
}

/// All triangles of the scene, ready to say what stands on a piece of ground.
pub(crate) struct World {
    merged: MergedFaces,
    corners: Vec<[DVec3; 3]>,
    tree: BoxTree,
    pub(crate) agent: Agent,
    wall_thickness_m: f64,
}

/// Labels of edges during the overlay; the larger wins where edges coincide.
const OPEN: u32 = 0;
const BLOCKED: u32 = 1;

/// The number of no face.
const NO_FACE: u32 = u32::MAX;

/// More contours than this are united before they are subtracted.
const UNITE_FROM: usize = 64;

/// Faces of more triangles than this get a search tree of their own.
const TREE_FROM: usize = 24;

/// Shadows with less area than this are nothing, in square lattice units: a millimetre squared.
const LEAST_SHADOW_AREA2: i128 = 2 * 65 * 65;

/// Upright triangles whose lines differ by less than this are one wall, in metres: four lattice units.
const SAME_LINE_M: f64 = 6e-5;

pub(crate) fn cut(
    merged: MergedFaces,
    agent: &Agent,
    wall_thickness_m: f64,
    context: &mut StageContext<'_>,
) -> Result<CutSurface, BakeError> {
    let sorted = &merged.sorted;
    let corners: Vec<[DVec3; 3]> = (0..sorted.soup.triangles.len() as u32)
        .into_par_iter()
        .map(|t| sorted.corners(t).map(metres))
        .collect();
    let tree = BoxTree::build_with(corners.len(), |t| Aabb::of_points(corners[t as usize]));
    let world = World { merged, corners, tree, agent: *agent, wall_thickness_m };
    let cancel = context.cancel_flag();
    let pieces: Vec<(Vec<MarkedFace>, bool)> = (0..world.merged.faces.len() as u32)
        .into_par_iter()
        .with_min_len(16)
        .map_init(Overlayer::new, |overlayer, face| {
            if cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return (Vec::new(), false);
            }
            let pieces = world.cut_face(face, overlayer);
            let pieces = pieces.into_iter().flat_map(|f| trim_spikes(f, overlayer)).collect();
            (pieces, overlayer.take_failed())
        })
        .collect();
    context.check_cancelled()?;
    let soup = &world.merged.sorted.soup;
    for (face, _) in pieces.iter().enumerate().filter(|(_, p)| p.1) {
        let first = world.merged.faces[face].triangles[0];
        let at = soup.frame.user_from_canonical(world.corners[first as usize][0].to_array());
        context.warn(Warning::FaceDamaged { face: face as u32, at, stage: "cut" });
    }
    let faces: Vec<MarkedFace> = pieces.into_iter().flat_map(|p| p.0).collect();
    context.count("pieces", faces.len());
    let surface = UnjoinedSurface {
        frame: soup.frame,
        faces,
        area_names: soup.area_names.clone(),
        pairs: Pairs::none(),
    };
    Ok(CutSurface { surface, world })
}

/// The plan of new ground: triangles that tile it and its outline, the ground to the left.
pub(crate) struct NewGround {
    triangles: Vec<[LatticePoint; 3]>,
    outline: Vec<(LatticePoint, LatticePoint)>,
}

impl NewGround {
    pub(crate) fn triangle([a, b, c]: [LatticePoint; 3]) -> Self {
        Self { triangles: vec![[a, b, c]], outline: vec![(a, b), (b, c), (c, a)] }
    }

    /// `None` where the polygon is no valid one.
    pub(crate) fn polygon(polygon: &Polygon) -> Option<Self> {
        let points: Vec<LatticePoint> = polygon.contours.iter().flatten().copied().collect();
        let triangles = triangulate_polygon(polygon).ok()?;
        let outline = polygon
            .contours
            .iter()
            .flat_map(|c| c.iter().copied().zip(c.iter().skip(1).chain(c.first()).copied()));
        Some(Self {
            triangles: triangles.into_iter().map(|t| t.map(|i| points[i as usize])).collect(),
            outline: outline.collect(),
        })
    }
}

/// What stands on a face, dropped onto the plan.
#[derive(Default)]
struct Shadows {
    /// Blocks wherever it lies.
    blocking: Vec<Contour>,
    /// Faces down below step height: blocks where nothing ends it.
    low_undersides: Vec<Contour>,
    /// Faces up below step height: ends what began below it.
    low_tops: Vec<Contour>,
    /// Upright triangles, by line.
    walls: BTreeMap<[i64; 3], Vec<WallLine>>,
}

/// What is to be subtracted from a face.
#[derive(Default)]
struct Clips {
    /// Convex shapes, all turning the same way.
    convex: Vec<Contour>,
    /// Shapes that may have holes.
    regions: Vec<Polygon>,
    /// Where walls end at the back.
    backs: Vec<WallBack>,
}

/// The line behind which a wall has ended: ground that begins there lies on the wall's inner side.
struct WallBack {
    normal: DVec2,
    /// Along the normal, in metres.
    back_m: f64,
    /// From where to where along the line, in metres.
    span: (f64, f64),
}

impl WallBack {
    /// Whether an edge of the ground runs along the line.
    fn holds(&self, from: DVec2, to: DVec2) -> bool {
        let along = DVec2::new(-self.normal.y, self.normal.x);
        [from, to].into_iter().all(|p| {
            let s = p.dot(along);
            (p.dot(self.normal) - self.back_m).abs() <= SAME_LINE_M
                && s >= self.span.0 - SAME_LINE_M
                && s <= self.span.1 + SAME_LINE_M
        })
    }
}

impl Clips {
    fn is_empty(&self) -> bool {
        self.convex.is_empty() && self.regions.is_empty()
    }

    /// Contours that, counted together, wind around what is to be subtracted. Holes must stay with
    /// their outlines, so only the convex shapes are united first.
    fn contours(self, overlayer: &mut Overlayer) -> Vec<Contour> {
        let mut contours = if self.convex.len() > UNITE_FROM {
            flatten(overlayer.union(&self.convex))
        } else {
            self.convex
        };
        contours.extend(flatten(self.regions));
        contours
    }
}

/// Upright triangles of one line and sense.
struct WallLine {
    /// Horizontal unit normal.
    normal: DVec2,
    /// Where the front lies along the normal, in metres.
    front_m: f64,
    /// Intervals along the line that are blocked, in metres.
    spans: Vec<(f64, f64)>,
}

impl World {
    fn cut_face(&self, face_id: u32, overlayer: &mut Overlayer) -> Vec<MarkedFace> {
        let face = &self.merged.faces[face_id as usize];
        let sorted = &self.merged.sorted;
        let shape = FaceShape::new(
            face.triangles.iter().map(|&t| sorted.corners(t).map(plan)).collect(),
            Aabb::of_points(face.triangles.iter().flat_map(|&t| self.corners[t as usize])),
        );
        let is_riser = face.origin.kind == CellKind::Ramp;
        let ground = (&face.origin.plane, is_riser);
        let Some(clips) = self.obstacles(ground, &[face_id], &shape, overlayer) else {
            return Vec::new();
        };
        if clips.is_empty() && shape.triangles.len() == 1 {
            let polygon = Polygon::from_contour(shape.triangles[0].to_vec());
            return vec![Face::from_polygon(&polygon, |_, _| EdgeClass::Open, &face.origin)];
        }
        subtract(&face.outline, clips, &face.origin, overlayer)
    }

    /// A piece of new ground, less what stands on it. The faces that the given source triangles belong
    /// to are what it covers, and do not stand on it.
    pub(crate) fn cut_ground(
        &self,
        ground: &NewGround,
        origin: &FaceOrigin,
        covered: &[TriangleId],
        overlayer: &mut Overlayer,
    ) -> Vec<MarkedFace> {
        let at = |p: LatticePoint| plan_m(p).extend(origin.plane.height_at(p));
        let bounds = Aabb::of_points(ground.triangles.iter().flatten().map(|&p| at(p)));
        let shape = FaceShape::new(ground.triangles.clone(), bounds);
        let mut own: Vec<u32> =
            covered.iter().map(|t| self.merged.face_of_triangle[t.index()]).collect();
        own.push(NO_FACE);
        own.sort_unstable();
        let Some(clips) = self.obstacles((&origin.plane, false), &own, &shape, overlayer) else {
            return Vec::new();
        };
        subtract(&ground.outline, clips, origin, overlayer)
    }

    /// What is to be subtracted from a face of a plane, which may be a riser; `None` when that is all
    /// of it.
    fn obstacles(
        &self,
        (plane, is_riser): (&Plane, bool),
        own: &[u32],
        shape: &FaceShape,
        overlayer: &mut Overlayer,
    ) -> Option<Clips> {
        let shadows = self.cast_shadows(plane, own, shape)?;
        let mut clips = Clips { convex: shadows.blocking, ..Clips::default() };
        for line in shadows.walls.into_values().flatten() {
            for (back, rectangle) in line.rectangles(self.wall_thickness_m) {
                if shape.touches(&rectangle) {
                    clips.convex.push(rectangle);
                    clips.backs.push(back);
                }
            }
        }
        // A riser below something low is no way over it: that is stepped over as a whole.
        if shadows.low_tops.is_empty() || is_riser {
            clips.convex.extend(shadows.low_undersides);
        } else if !shadows.low_undersides.is_empty() {
            let (undersides, tops) = (&shadows.low_undersides, &shadows.low_tops);
            clips.regions = overlayer.run(SetOperation::Difference, undersides, tops);
        }
        (!clips.convex.iter().any(|c| shape.is_covered_by(c))).then_some(clips)
    }

    /// The shadows of everything that may stand on a face; `None` as soon as one covers it all. The
    /// face itself, and faces that it covers, are its own (sorted); the last one is its number.
    fn cast_shadows(&self, plane: &Plane, own: &[u32], touch: &FaceShape) -> Option<Shadows> {
        let face = own.last().and_then(|&f| self.merged.faces.get(f as usize));
        let rank = face.map_or(u32::MAX, |f| f.rank);
        let step = self.agent.max_step_m + LIMIT_SLACK_M;
        let head = self.agent.height_m - LIMIT_SLACK_M;
        let around = Aabb::new(
            touch.bounds.lo - DVec3::new(self.wall_thickness_m, self.wall_thickness_m, NOISE_M),
            touch.bounds.hi + DVec3::new(self.wall_thickness_m, self.wall_thickness_m, head),
        );
        let mut shadows = Shadows::default();
        let above = |p: DVec3| p.z - plane.height_at_m(p.truncate());
        let covered = self.tree.try_visit_box(&around, |t| {
            let i = t as usize;
            let corners = self.corners[i];
            let mut blocking = None;
            let normal = self.merged.sorted.normals[i];
            match self.merged.sorted.classes[i] {
                TriangleClass::Walkable | TriangleClass::Riser => {
                    let other = self.merged.face_of_triangle[i];
                    if own.binary_search(&other).is_ok() {
                        return ControlFlow::Continue(());
                    }
                    // Where the two lie within the noise, the lower rank wins everywhere: both
                    // are cut along the same line, where one is the noise above the other.
                    let other = &self.merged.faces[other as usize];
                    let low = if other.rank < rank { -NOISE_M } else { NOISE_M };
                    let upper: Plane = other.origin.plane;
                    let gap = |p: DVec3| {
                        upper.height_at_m(p.truncate()) - plane.height_at_m(p.truncate())
                    };
                    blocking = drop_down(clip_to_slab(corners, gap, low, head).points());
                }
                TriangleClass::Steep => {
                    let part = clip_to_slab(corners, above, step, head);
                    blocking = self.widened(part.points(), normal);
                    let low = clip_to_slab(corners, above, -NOISE_M, step);
                    touch.keep(drop_down(low.points()), &mut shadows.low_tops);
                }
                TriangleClass::Down => {
                    let part = clip_to_slab(corners, above, step, head);
                    blocking = self.widened(part.points(), normal);
                    let low = clip_to_slab(corners, above, NOISE_M, step);
                    touch.keep(drop_down(low.points()), &mut shadows.low_undersides);
                    let lies_on_ground = corners.iter().all(|c| above(*c).abs() <= NOISE_M);
                    if lies_on_ground
                        && let Some(shadow) = drop_down(&corners)
                        && touch.touches(&shadow)
                        && self.begins_solid(t)
                    {
                        shadows.low_undersides.push(shadow.to_vec());
                    }
                }
                TriangleClass::Vertical => {
                    let part = clip_to_slab(corners, above, step, head);
                    if !part.points().is_empty() {
                        shadows.add_wall(part.points(), normal);
                    }
                }
            }
            if blocking.as_ref().is_some_and(|shadow| touch.is_covered_by(shadow)) {
                return ControlFlow::Break(());
            }
            touch.keep(blocking, &mut shadows.blocking);
            ControlFlow::Continue(())
        });
        covered.is_continue().then_some(shadows)
    }

    /// Whether something solid stands on an underside that lies on the ground. Otherwise it is the
    /// underside of the ground itself, a sheet seen from below.
    fn begins_solid(&self, t: u32) -> bool {
        let [a, b, c] = self.corners[t as usize];
        let middle = (a + b + c) / 3.0;
        [middle, middle.lerp(a, 0.7), middle.lerp(b, 0.7), middle.lerp(c, 0.7)]
            .into_iter()
            .any(|p| self.solid_above(p))
    }

    /// Whether a point of the ground lies inside of something solid. Where, up to the ground, more has
    /// begun (faces down) than ended (faces up), it does. Where as much has, the scene is one of sheets,
    /// and the next surface above decides: facing up it ends something. Where that one carries another
    /// (one faces up and one down, within the noise), so does the count of all above.
    fn solid_above(&self, p: DVec3) -> bool {
        let (low, high) = (self.tree.bounds().lo.z, self.tree.bounds().hi.z);
        let mut begun = 0_i32;
        let mut above: Vec<(f64, bool)> = Vec::new();
        self.tree.visit_column(p.x, p.y, low, high, |t| {
            let i = t as usize;
            let n = self.merged.sorted.normals[i];
            if self.merged.sorted.classes[i] == TriangleClass::Vertical {
                return;
            }
            let [a, b, c] = self.corners[i];
            let turn = |u: DVec3, v: DVec3| (v - u).truncate().perp_dot((p - u).truncate()) * n.z;
            if turn(a, b) < 0.0 || turn(b, c) < 0.0 || turn(c, a) < 0.0 {
                return;
            }
            let z = Plane::through(a, n).height_at_m(p.truncate());
            if z > p.z + NOISE_M {
                above.push((z, n.z > 0.0));
            } else {
                begun += if n.z > 0.0 { -1 } else { 1 };
            }
        });
        if begun > 0 {
            return true;
        }
        let Some(first) = above.iter().map(|c| c.0).min_by(f64::total_cmp) else { return false };
        let next = || above.iter().filter(|c| c.0 <= first + NOISE_M);
        match (next().any(|c| c.1), next().any(|c| !c.1)) {
            (true, true) => {
                let ends = above.iter().filter(|c| c.1).count();
                2 * ends > above.len()
            }
            (faces_up, _) => faces_up,
        }
    }

    /// A steep obstacle's shadow; where it is nearly upright and narrow, as thick as a wall.
    fn widened(&self, points: &[DVec3], normal: DVec3) -> Option<Shadow> {
        let shadow = drop_down(points);
        if points.is_empty() || normal.z.abs() > NEARLY_VERTICAL_SINE {
            return shadow;
        }
        let across = normal.truncate().normalize_or_zero();
        let (lo, hi) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| {
            let d = p.truncate().dot(across);
            (lo.min(d), hi.max(d))
        });
        let missing = self.wall_thickness_m - (hi - lo);
        if missing <= 0.0 {
            return shadow;
        }
        let back = across * missing;
        let both = points.iter().flat_map(|p| [p.truncate(), p.truncate() - back]);
        convex_hull(both.map(lattice_from_plan).collect()).map(Shadow::Large)
    }
}

impl Overhangs for World {
    fn visit_hanging(
        &self,
        around: &Aabb,
        above: impl Fn(DVec3) -> f64,
        slack_m: f64,
        mut visit: impl FnMut(&[LatticePoint]),
    ) {
        let low = self.agent.max_step_m + LIMIT_SLACK_M + slack_m;
        let high = self.agent.height_m - LIMIT_SLACK_M - slack_m;
        let beside = DVec3::new(self.wall_thickness_m, self.wall_thickness_m, 0.0);
        let over = Aabb::new(around.lo + DVec3::Z * low, around.hi + DVec3::Z * high);
        self.tree.visit_box(&Aabb::new(over.lo - beside, over.hi + beside), |t| {
            let i = t as usize;
            let normal = self.merged.sorted.normals[i];
            let back = if normal.z.abs() > NEARLY_VERTICAL_SINE {
                DVec3::ZERO
            } else {
                (normal.truncate().normalize_or_zero() * self.wall_thickness_m).extend(0.0)
            };
            let corners = self.corners[i];
            let reached = Aabb::of_points(corners.into_iter().chain(corners.map(|c| c - back)));
            if !over.overlaps(&reached) {
                return;
            }
            let part = clip_to_slab(corners, &above, low, high);
            let shadow = match self.merged.sorted.classes[i] {
                TriangleClass::Walkable | TriangleClass::Riser => drop_down(part.points()),
                TriangleClass::Steep | TriangleClass::Down => self.widened(part.points(), normal),
                TriangleClass::Vertical => {
                    let line = WallLine::of(part.points(), normal);
                    let walls = line.into_iter().flat_map(|l| l.rectangles(self.wall_thickness_m));
                    walls.for_each(|(_, rectangle)| visit(&rectangle));
                    None
                }
            };
            if let Some(shadow) = shadow {
                visit(&shadow);
            }
        });
    }
}

impl Shadows {
    fn add_wall(&mut self, points: &[DVec3], normal: DVec3) {
        let Some(wall) = WallLine::of(points, normal) else { return };
        // Lines that are one within rounding nearly always share a coarse key; where they do not,
        // they merely stay two.
        let key = [wall.normal.x, wall.normal.y, wall.front_m].map(|v| (v * 100.0).round() as i64);
        let lines = self.walls.entry(key).or_default();
        let along = DVec2::new(-wall.normal.y, wall.normal.x);
        let (lo, hi) = wall.spans[0];
        let ends = [lo, hi].map(|s| along * s + wall.normal * wall.front_m);
        let same = |l: &&mut WallLine| {
            ends.iter().all(|e| (e.dot(l.normal) - l.front_m).abs() <= SAME_LINE_M)
        };
        if let Some(line) = lines.iter_mut().find(same) {
            let along = DVec2::new(-line.normal.y, line.normal.x);
            let (a, b) = (ends[0].dot(along), ends[1].dot(along));
            line.spans.push((a.min(b), a.max(b)));
        } else {
            lines.push(wall);
        }
    }
}

impl WallLine {
    /// The line of (a part of) one upright triangle; `None` when nothing is left of it.
    fn of(points: &[DVec3], normal: DVec3) -> Option<Self> {
        let normal = normal.truncate().normalize_or_zero();
        let along = DVec2::new(-normal.y, normal.x);
        let (mut lo, mut hi, mut front) = (f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for p in points {
            let p = p.truncate();
            lo = lo.min(p.dot(along));
            hi = hi.max(p.dot(along));
            front = front.max(p.dot(normal));
        }
        (hi > lo).then(|| Self { normal, front_m: front, spans: vec![(lo, hi)] })
    }

    /// The blocked stretches as rectangles behind the front, each with its back.
    fn rectangles(mut self, thickness_m: f64) -> impl Iterator<Item = (WallBack, Contour)> {
        self.spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut merged: Vec<(f64, f64)> = Vec::new();
        for span in self.spans {
            match merged.last_mut() {
                Some(last) if span.0 <= last.1 + SAME_LINE_M => last.1 = last.1.max(span.1),
                _ => merged.push(span),
            }
        }
        let (normal, front) = (self.normal, self.front_m);
        let along = DVec2::new(-normal.y, normal.x);
        merged.into_iter().filter_map(move |(lo, hi)| {
            let corner = |s: f64, d: f64| lattice_from_plan(along * s + normal * d);
            let back = front - thickness_m;
            let rectangle = counter_clockwise(vec![
                corner(lo, back),
                corner(lo, front),
                corner(hi, front),
                corner(hi, back),
            ])?;
            Some((WallBack { normal, back_m: back, span: (lo, hi) }, rectangle))
        })
    }
}

/// A face's triangles in plan, for quick answers.
struct FaceShape {
    triangles: Vec<[LatticePoint; 3]>,
    tree: Option<BoxTree>,
    bounds: Aabb,
}

impl FaceShape {
    fn new(triangles: Vec<[LatticePoint; 3]>, bounds: Aabb) -> Self {
        let tree = (triangles.len() > TREE_FROM)
            .then(|| BoxTree::build_with(triangles.len(), |t| plan_box(&triangles[t as usize])));
        Self { triangles, tree, bounds }
    }

    /// Keeps a shadow if it covers anything of the face.
    fn keep(&self, shadow: Option<Shadow>, into: &mut Vec<Contour>) {
        if let Some(shadow) = shadow
            && self.touches(&shadow)
        {
            into.push(shadow.to_vec());
        }
    }

    /// Whether the inside of a convex contour meets the inside of the face.
    fn touches(&self, contour: &[LatticePoint]) -> bool {
        let meets = |t: &[LatticePoint; 3]| !separated(t, contour) && !separated(contour, t);
        match &self.tree {
            None => self.triangles.iter().any(meets),
            Some(tree) => {
                let mut found = false;
                let _ = tree.try_visit_box(&plan_box(contour), |t| {
                    found = meets(&self.triangles[t as usize]);
                    if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                found
            }
        }
    }

    /// Whether one convex contour covers the whole face.
    fn is_covered_by(&self, contour: &[LatticePoint]) -> bool {
        self.triangles.iter().all(|t| covers(contour, t))
    }
}

fn plan_box(points: &[LatticePoint]) -> Aabb {
    let units = |p: LatticePoint| DVec2::new(f64::from(p.x), f64::from(p.y));
    match bounds_of(points.iter().copied()) {
        Some((lo, hi)) => Aabb::in_plan(units(lo), units(hi)),
        None => Aabb::EMPTY,
    }
}

/// A convex polygon in plan, counter-clockwise. Most are looked at and dropped, so that only those with
/// many corners are on the heap.
enum Shadow {
    Small([LatticePoint; 5], usize),
    Large(Contour),
}

impl Deref for Shadow {
    type Target = [LatticePoint];

    fn deref(&self) -> &[LatticePoint] {
        match self {
            Self::Small(points, count) => &points[..*count],
            Self::Large(contour) => contour,
        }
    }
}

/// A part of a triangle, dropped onto the plan; `None` when nothing is left.
fn drop_down(points: &[DVec3]) -> Option<Shadow> {
    if points.len() < 3 {
        return None;
    }
    let mut corners = [LatticePoint::default(); 5];
    let mut count = 0;
    for p in points.iter().take(5).map(|p| lattice_from_plan(p.truncate())) {
        if count == 0 || corners[count - 1] != p {
            corners[count] = p;
            count += 1;
        }
    }
    if count > 1 && corners[0] == corners[count - 1] {
        count -= 1;
    }
    let area2 = contour_area2(&corners[..count]);
    if area2.abs() < LEAST_SHADOW_AREA2 {
        return None;
    }
    if area2 < 0 {
        corners[..count].reverse();
    }
    Some(Shadow::Small(corners, count))
}

/// An outline less some contours, as pieces with classed edges.
fn subtract(
    outline: &[(LatticePoint, LatticePoint)],
    clips: Clips,
    origin: &FaceOrigin,
    overlayer: &mut Overlayer,
) -> Vec<MarkedFace> {
    let mut clips = clips;
    let backs = std::mem::take(&mut clips.backs);
    let contours = clips.contours(overlayer);
    let clip: Vec<(Contour, u32)> = contours.into_iter().map(|c| (c, BLOCKED)).collect();
    let subject: Vec<(LatticePoint, LatticePoint, u32)> =
        outline.iter().map(|&(a, b)| (a, b, OPEN)).collect();
    let mut pieces: Vec<MarkedFace> = overlayer
        .difference_labelled(&subject, &clip)
        .iter()
        .map(|piece| {
            let class = |c: usize, i: usize| match piece.labels[c][i] {
                BLOCKED => EdgeClass::Blocked,
                _ => EdgeClass::Open,
            };
            Face::from_polygon(&piece.polygon, class, origin)
        })
        .collect();
    mark_inner_walls(&mut pieces, backs);
    pieces
}

/// Classes the edges that lie at the back of a wall.
fn mark_inner_walls(pieces: &mut [MarkedFace], mut backs: Vec<WallBack>) {
    if backs.is_empty() {
        return;
    }
    // By direction, then by place: an edge asks for its own outward normal.
    let key = |normal: DVec2| [normal.x, normal.y].map(|v| (v * 100.0).round() as i64);
    backs.sort_by(|a, b| key(a.normal).cmp(&key(b.normal)).then(a.back_m.total_cmp(&b.back_m)));
    for edges in pieces.iter_mut().flat_map(|f| &mut f.loops) {
        let n = edges.len();
        for i in 0..n {
            if edges[i].class != EdgeClass::Blocked {
                continue;
            }
            let (from, to) = (plan_m(edges[i].from), plan_m(edges[(i + 1) % n].from));
            let run = (to - from).normalize_or_zero();
            let outward = DVec2::new(run.y, -run.x);
            let [x, y] = key(outward);
            let found =
                (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| [x, y])).any(|k| {
                    // Normals that differ a little shift the offset of far points; look around.
                    let slack = 0.02 * from.length() + SAME_LINE_M;
                    let low = (k, from.dot(outward) - slack);
                    let first = backs.partition_point(|b| {
                        key(b.normal).cmp(&low.0).then(b.back_m.total_cmp(&low.1)).is_lt()
                    });
                    backs[first..]
                        .iter()
                        .take_while(|b| key(b.normal) == k && b.back_m <= low.1 + 2.0 * slack)
                        .any(|b| b.holds(from, to))
                });
            if found {
                edges[i].class = EdgeClass::InnerWall;
            }
        }
    }
}
