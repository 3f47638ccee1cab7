//! Bridges steps that do not meet in plan: treads apart, with nothing between them.
//!
//! Goes in: joined ground and the world around it. Comes out: the same ground with connecting faces
//! of kind ramp between an open edge and a lower one that faces it, within a step in height and no
//! farther apart than a ramp of the stair slope reaches before it has come down as far. Edges that
//! meet in plan need none of this, and level gaps are left to gap annotation. The source lays its ramps from every open edge at one angle
//! and keeps what lands; here both edges are known, so that a bridge always lands, and is cut by the
//! scene like any other ground.

use crate::borders::match_edges::{GroundEdge, LookAcross, Match, SomeEdges, match_within};
use crate::borders::pairs::{MarkedFace, UnjoinedSurface};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::cut::{NewGround, World};
use crate::exact::trim_spikes::trim_spikes;
use crate::ids::SurfaceEdgeId;
use crate::input::limits::LIMIT_SLACK_M;
use crate::surface::{Face, FaceOrigin, Plane, SurfaceEdge, WalkableSurface, plan_m, plan_units};
use crate::view::StageView;
use glam::DVec2;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::overlay::{Overlayer, SetOperation};
use surefoot_geom::predicates::orient;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::{Agent, CellKind, EdgeClass};

/// Edges nearer in height than this are level: no step, in metres.
const LEVEL_M: f64 = 0.02;

/// Bridges narrower than this are no way for anybody, in metres.
const NARROWEST_M: f64 = 0.05;

/// Cosine of the largest angle between edges that face each other: 60°.
const FACING_COSINE: f64 = -0.5;

/// What became of ground whose steps were to be bridged.
pub(crate) enum Bridged {
    /// There is nothing to bridge.
    AsItWas(WalkableSurface),
    /// The ground with its bridges.
    WithBridges(UnjoinedSurface),
}

impl Bridged {
    /// What a person would look at.
    pub(crate) fn view(&self) -> StageView {
        match self {
            Self::AsItWas(surface) => surface.view(),
            Self::WithBridges(surface) => surface.view(),
        }
    }
}

pub(crate) fn bridge_steps(
    surface: WalkableSurface,
    world: &World,
    agent: &Agent,
    stair_slope_rad: f64,
    context: &mut StageContext<'_>,
) -> Result<Bridged, BakeError> {
    let climb_m = agent.max_step_m + LIMIT_SLACK_M;
    let reach = LookAcross {
        outwards: climb_m / stair_slope_rad.tan() * LATTICE_PER_M,
        inwards: 0.0,
        climb_m,
    };
    let edges = ledges(&surface.faces).edges;
    let matches = match_within(&edges, reach);
    let bridges: Vec<MarkedFace> = edges
        .par_iter()
        .zip(&matches)
        .filter(|(_, matches)| !matches.is_empty())
        .map_init(Overlayer::new, |overlayer, (edge, matches)| {
            let origin = surface.faces[edge.face as usize].origin();
            bridges_from(edge, matches, &edges, stair_slope_rad.tan())
                .into_iter()
                .flat_map(|(corners, plane)| {
                    let origin = FaceOrigin { plane, kind: CellKind::Ramp, ..origin };
                    world.cut_ground(&NewGround::triangle(corners), &origin, &[], overlayer)
                })
                .collect::<Vec<MarkedFace>>()
        })
        .flatten_iter()
        .collect();
    context.count("bridges", bridges.len());
    let bridged = if bridges.is_empty() {
        Bridged::AsItWas(surface)
    } else {
        let mut surface = UnjoinedSurface::of(surface);
        shade(&mut surface, &bridges, agent);
        surface.faces.extend(bridges);
        Bridged::WithBridges(surface)
    };
    Ok(bridged)
}

/// The edges that take part: open ones, and the upper side of steps, since what lies below a step may be
/// only what is seen between two treads.
fn ledges(faces: &[Face]) -> SomeEdges {
    let is_asked = |e: &SurfaceEdge| match e.class {
        EdgeClass::Open => e.twin.is_none(),
        class => class == EdgeClass::Step,
    };
    let some = SomeEdges::of(faces, |e, _| is_asked(e));
    let all = faces.iter().flat_map(|f| f.loops.iter().flatten());
    let twins: Vec<Option<SurfaceEdgeId>> = all.filter(|e| is_asked(e)).map(|e| e.twin).collect();
    let height_m = |k: usize| some.edges[k].from_height_m + some.edges[k].to_height_m;
    // Both sides of a step are among them.
    let is_upper = |k: usize, twin: SurfaceEdgeId| {
        some.numbers.binary_search(&twin.number()).is_ok_and(|t| height_m(k) > height_m(t))
    };
    some.filtered(|k| twins[k].is_none_or(|twin| is_upper(k, twin)))
}

/// The triangles of all bridges that lead down from an edge, each with its plane. Where several
/// edges face the same stretch the nearest counts.
fn bridges_from(
    edge: &GroundEdge,
    matches: &[Match],
    edges: &[GroundEdge],
    stair_slope: f64,
) -> Vec<([LatticePoint; 3], Plane)> {
    let a = plan_units(edge.from);
    let run = plan_units(edge.to) - a;
    let length = run.length();
    let along = run / length;
    let out = DVec2::new(along.y, -along.x);
    // The other edge as a function of the place along this one: how far out it is.
    let other_at = |other: &GroundEdge, s: f64| {
        let (c, d) = (plan_units(other.from) - a, plan_units(other.to) - a);
        let t = ((s - c.dot(along)) / (d - c).dot(along)).clamp(0.0, 1.0);
        (c.lerp(d, t) + a, other.from_height_m + (other.to_height_m - other.from_height_m) * t)
    };
    let distance = |m: &Match| {
        let middle = 0.5 * (m.span.0 + m.span.1);
        (other_at(&edges[m.other as usize], middle).0 - a).dot(out)
    };
    let mut by_distance: Vec<(f64, Match)> = matches.iter().map(|m| (distance(m), *m)).collect();
    by_distance.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.other.cmp(&y.1.other)));
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let mut triangles = Vec::new();
    for (_, m) in by_distance {
        let other = &edges[m.other as usize];
        let other_run = (plan_units(other.to) - plan_units(other.from)).normalize_or_zero();
        let here = |s: f64| {
            let t = s / length;
            (a + run * t, edge.from_height_m + (edge.to_height_m - edge.from_height_m) * t)
        };
        for span in remainder(m.span, &taken) {
            taken.push(span);
            // How far a ramp of the stair slope falls short of the other edge; linear along this one.
            let short = |s: f64| {
                let (p, height) = other_at(other, s);
                (p - a).dot(out) / LATTICE_PER_M - (here(s).1 - height) / stair_slope
            };
            let Some(span) = where_not_positive(span, short(span.0), short(span.1)) else {
                continue;
            };
            let middle = 0.5 * (span.0 + span.1);
            let drop = here(middle).1 - other_at(other, middle).1;
            if drop < LEVEL_M
                || span.1 - span.0 < NARROWEST_M * LATTICE_PER_M
                || other_run.dot(along) > FACING_COSINE
            {
                continue;
            }
            // Counter-clockwise around the bridge, which lies to the right of the edge.
            let corners =
                [here(span.1), here(span.0), other_at(other, span.0), other_at(other, span.1)]
                    .map(|(p, height)| (LatticePoint::from_units(p.x, p.y), height));
            for [i, j, k] in [[0, 1, 2], [0, 2, 3]] {
                triangles.extend(triangle([corners[i], corners[j], corners[k]]));
            }
        }
    }
    triangles
}

/// The part of a span where a linear function, given by its values at both ends, is not positive.
fn where_not_positive(span: (f64, f64), from: f64, to: f64) -> Option<(f64, f64)> {
    let zero = || span.0 + (span.1 - span.0) * from / (from - to);
    match (from <= 0.0, to <= 0.0) {
        (true, true) => Some(span),
        (true, false) => Some((span.0, zero())),
        (false, true) => Some((zero(), span.1)),
        (false, false) => None,
    }
}

/// A triangle through three points, unless it has no area in plan.
fn triangle(corners: [(LatticePoint, f64); 3]) -> Option<([LatticePoint; 3], Plane)> {
    let points = corners.map(|c| c.0);
    if orient(points[0], points[1], points[2]) <= 0 {
        return None;
    }
    let [p, q, r] = corners.map(|(p, height)| plan_m(p).extend(height));
    Some((points, Plane::through(p, (q - p).cross(r - p))))
}

/// What is left of a span when others are taken out of it.
fn remainder(span: (f64, f64), taken: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut left = vec![span];
    for t in taken {
        left = left
            .into_iter()
            .flat_map(|s| [(s.0, s.1.min(t.0)), (s.0.max(t.1), s.1)])
            .filter(|s| s.1 > s.0)
            .collect();
    }
    left
}

/// Takes away the ground under bridges: the topmost wins.
pub(crate) fn shade(surface: &mut UnjoinedSurface, bridges: &[MarkedFace], agent: &Agent) {
    let outline_box = |face: &MarkedFace| {
        Aabb::of_points(face.loops.iter().flatten().map(|e| plan_units(e.from).extend(0.0)))
    };
    let tree = BoxTree::build_with(bridges.len(), |i| outline_box(&bridges[i as usize]));
    let shaded: Vec<(usize, Vec<MarkedFace>)> = (surface.faces.par_iter().enumerate())
        .map_init(Overlayer::new, |overlayer, (f, face)| {
            let mut above = Vec::new();
            tree.visit_box(&outline_box(face), |i| {
                let bridge = &bridges[i as usize];
                // A bridge touches its own two edges and lies above whatever else it covers.
                let over = |p: LatticePoint| bridge.plane.height_at(p) - face.plane.height_at(p);
                let heights = bridge.loops[0].iter().map(|e| over(e.from));
                let (lo, hi) = heights
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), h| (lo.min(h), hi.max(h)));
                if hi > LEVEL_M && lo > -LEVEL_M && lo < agent.height_m {
                    above.push(i);
                }
            });
            if above.is_empty() {
                return None;
            }
            above.sort_unstable();
            let clips: Vec<_> =
                above.iter().flat_map(|&i| bridges[i as usize].polygon().contours).collect();
            let subject = face.polygon().contours;
            if overlayer.run(SetOperation::Intersection, &subject, &clips).is_empty() {
                return None;
            }
            let labelled: Vec<(LatticePoint, LatticePoint, u32)> =
                face.edges().map(|(e, to)| (e.from, to, e.class as u32)).collect();
            let clips: Vec<_> = clips.into_iter().map(|c| (c, EdgeClass::Blocked as u32)).collect();
            let pieces: Vec<MarkedFace> = overlayer
                .difference_labelled(&labelled, &clips)
                .iter()
                .map(|piece| {
                    let class =
                        |c: usize, i: usize| crate::surface::class_of_label(piece.labels[c][i]);
                    Face::from_polygon(&piece.polygon, class, &face.origin())
                })
                .collect();
            // What rounding leaves between a bridge and the ground it lands on is no ground.
            Some((f, pieces.into_iter().flat_map(|f| trim_spikes(f, overlayer)).collect()))
        })
        .flatten()
        .collect();
    let mut shaded = shaded.into_iter().peekable();
    let mut faces = Vec::with_capacity(surface.faces.len());
    for (f, mut face) in std::mem::take(&mut surface.faces).into_iter().enumerate() {
        match shaded.next_if(|s| s.0 == f) {
            Some((_, pieces)) => {
                surface.pairs.part(&mut face);
                faces.extend(pieces);
            }
            None => faces.push(face),
        }
    }
    surface.pairs.forget_parted(&mut faces);
    surface.faces = faces;
}
