//! Brings borders that nearly coincide to coincide exactly: the two contractions of progressive gap
//! closing (Borodin, Novotni, Klein 2002), on polygons in plan.
//!
//! Goes in: faces and a choice of loose edges (edges without a neighbour). A *vertex contraction*
//! makes points of different loose edges one, nearest first; a *vertex-edge contraction* puts a point
//! into a loose edge that it lies beside. Topology is not touched here: what coincides afterwards is
//! paired by `match_edges`, which refuses a third face at an edge, so complex edges and complex
//! vertices cannot come about. A group of points never spreads wider than the reach, so features
//! larger than it survive, and of a group's positions the one with the most ground around it is kept.
//! Both say which points they changed, so that a caller can look at what came of it ([`crossings`])
//! and forbid the points that did harm.

use crate::borders::match_edges::{GroundEdge, SomeEdges, edge_box, widened};
use crate::borders::pairs::{MarkedFace, Pairs};
use crate::ids::PairMark;
use crate::input::limits::NOISE_M;
use crate::surface::{SurfaceEdge, plan_units};
use glam::DVec3;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use surefoot_geom::LatticePoint;
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_geom::polygon::{Contour, contour_area2};
use surefoot_geom::predicates::orient;
use surefoot_geom::threads::prelude::*;

/// As many ends are looked at one by one.
const FEW: usize = 24;

/// How far to contract.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SnapReach {
    /// In plan, in lattice units.
    pub(crate) units: f64,
    /// In height, in metres.
    pub(crate) climb_m: f64,
}

/// Where a round of contractions looks.
pub(crate) enum Vicinity {
    /// Everywhere.
    Everything,
    /// At edges that start or end at one of these (sorted) points, and at all that lie beside them:
    /// nothing has changed anywhere else.
    Points(Vec<LatticePoint>),
}

impl Vicinity {
    /// The same and some points more.
    pub(crate) fn and(&self, more: impl Iterator<Item = LatticePoint>) -> Self {
        match self {
            Self::Everything => Self::Everything,
            Self::Points(points) => {
                let mut all: Vec<LatticePoint> = points.iter().copied().chain(more).collect();
                all.sort_unstable();
                all.dedup();
                Self::Points(all)
            }
        }
    }

    /// Where edges lie beside those that have changed; `None` for everywhere.
    pub(crate) fn changed(&self, faces: &[MarkedFace], reach: SnapReach) -> Option<Changed> {
        let Self::Points(points) = self else { return None };
        let is_near = |p: LatticePoint| points.binary_search(&p).is_ok();
        let edges = SomeEdges::of(faces, |e, to| is_near(e.from) || is_near(to)).edges;
        let around = |e: &GroundEdge| widened(edge_box(e), 2.0 * reach.units, reach.climb_m);
        Some(Changed(BoxTree::build_with(edges.len(), |i| around(&edges[i as usize]))))
    }
}

/// Around edges that have changed.
pub(crate) struct Changed(BoxTree);

impl Changed {
    /// Whether a box lies there.
    pub(crate) fn touches(&self, around: &Aabb) -> bool {
        self.0.try_visit_box(around, |_| ControlFlow::Break(())).is_break()
    }
}

/// A point that was contracted into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moved {
    /// Where it is now.
    pub(crate) to: LatticePoint,
    /// Where it was.
    pub(crate) from: LatticePoint,
}

/// An end of a loose edge: a plan point at a height.
#[derive(Clone, Copy, Debug)]
struct LooseEnd {
    point: LatticePoint,
    height_m: f64,
    /// Twice the area of the largest face there, in square lattice units.
    weight: i128,
}

impl LooseEnd {
    /// Where it is, height and all, in lattice units.
    fn place(&self) -> DVec3 {
        plan_units(self.point).extend(self.height_m * LATTICE_PER_M)
    }
}

/// Whether a point lies beside an edge or at its ends, in plan.
fn lies_near(p: LatticePoint, edge: &GroundEdge, reach: SnapReach) -> bool {
    let a = plan_units(edge.from);
    let (run, way) = (plan_units(edge.to) - a, plan_units(p) - a);
    let share = (way.dot(run) / run.length_squared().max(1.0)).clamp(0.0, 1.0);
    way.distance_squared(run * share) <= reach.units * reach.units
}

fn by_place(a: &LooseEnd, b: &LooseEnd) -> Ordering {
    a.point.cmp(&b.point).then(a.height_m.total_cmp(&b.height_m))
}

/// The ends of loose edges, sorted by place; ends at one place are one.
fn ends_of(loose: &[GroundEdge], faces: &[MarkedFace]) -> Vec<LooseEnd> {
    let mut ends: Vec<LooseEnd> = Vec::new();
    let mut face = u32::MAX;
    let mut weight = 0;
    for (i, e) in loose.iter().enumerate() {
        if e.face != face {
            face = e.face;
            weight = faces[face as usize].area2();
        }
        ends.push(LooseEnd { point: e.from, height_m: e.from_height_m, weight });
        // Where a border goes on, the next edge has the same end.
        let goes_on = loose.get(i + 1).is_some_and(|n| n.face == face && n.from == e.to);
        if !goes_on {
            ends.push(LooseEnd { point: e.to, height_m: e.to_height_m, weight });
        }
    }
    ends.par_sort_unstable_by(by_place);
    ends.dedup_by(|b, a| {
        let same = a.point == b.point && (a.height_m - b.height_m).abs() <= NOISE_M;
        if same {
            a.weight = a.weight.max(b.weight);
        }
        same
    });
    ends
}

/// The ends of a choice of loose edges, where they can be found.
pub(crate) struct LooseEnds<'a> {
    list: Vec<LooseEnd>,
    tree: BoxTree,
    edges: &'a [GroundEdge],
    /// The edges that begin or end at each point, by point; asked for only across steps.
    at: OnceLock<Vec<(LatticePoint, u32)>>,
}

impl<'a> LooseEnds<'a> {
    /// The ends of loose edges, save for points in the (sorted) list of those that stay.
    pub(crate) fn new(loose: &'a SomeEdges, faces: &[MarkedFace], stay: &[LatticePoint]) -> Self {
        let mut list = ends_of(&loose.edges, faces);
        list.retain(|e| stay.binary_search(&e.point).is_err());
        let tree = BoxTree::build_with(list.len(), |i| {
            let p = list[i as usize].place();
            Aabb::new(p, p)
        });
        Self { list, tree, edges: &loose.edges, at: OnceLock::new() }
    }

    /// The edges that begin or end at a point.
    fn edges_at(&self, point: LatticePoint) -> impl Iterator<Item = &'a GroundEdge> + '_ {
        // On one thread: those that wait for it must not be given parts of it to do.
        let at = self.at.get_or_init(|| {
            let numbered = self.edges.iter().zip(0..);
            let mut at: Vec<(LatticePoint, u32)> =
                numbered.flat_map(|(e, i)| [(e.from, i), (e.to, i)]).collect();
            at.sort_unstable();
            at
        });
        let first = at.partition_point(|a| a.0 < point);
        let here = at[first..].iter().take_while(move |a| a.0 == point);
        here.map(|a| &self.edges[a.1 as usize])
    }

    /// Whether making two ends one may join borders: from both of them borders run on beside each other,
    /// as far as the shorter one goes.
    fn run_on_together(&self, one: &LooseEnd, other: &LooseEnd, reach: SnapReach) -> bool {
        // Neighbours run opposite ways.
        self.edges_at(one.point).any(|e| {
            self.edges_at(other.point).any(|f| {
                let leaves = e.from == one.point && f.to == other.point;
                let comes = e.to == one.point && f.from == other.point;
                leaves && (lies_near(e.to, f, reach) || lies_near(f.from, e, reach))
                    || comes && (lies_near(e.from, f, reach) || lies_near(f.to, e, reach))
            })
        })
    }

    /// The same for an end that is put into an edge.
    fn runs_along(&self, end: LatticePoint, edge: &GroundEdge, reach: SnapReach) -> bool {
        let is_far = |p: LatticePoint| end.distance2(p) as f64 > 4.0 * reach.units * reach.units;
        self.edges_at(end).any(|f| {
            let (beyond, towards) =
                if f.from == end { (f.to, edge.from) } else { (f.from, edge.to) };
            !is_far(beyond)
                || lies_near(beyond, edge, reach)
                || is_far(towards) && lies_near(towards, f, reach)
        })
    }
}

/// Vertex contractions, those across a crack first, the nearest first. Says which points moved, sorted.
pub(crate) fn contract_points(
    faces: &mut Vec<MarkedFace>,
    loose: &LooseEnds<'_>,
    reach: SnapReach,
    pairs: &Pairs,
) -> Vec<Moved> {
    let LooseEnds { list: ends, tree, .. } = loose;
    let are_near = |one: &LooseEnd, other: &LooseEnd, apart2: i128| {
        // Ends at one plan point and different heights are one point to a mover: a step.
        (one.height_m - other.height_m).abs() <= reach.climb_m
            && apart2 as f64 <= reach.units * reach.units
    };
    let close: Vec<(i128, u32, u32)> = (0..ends.len() as u32)
        .into_par_iter()
        .flat_map_iter(|i| {
            let one = &ends[i as usize];
            let mut near = Vec::new();
            let mut add = |j: u32| {
                let other = &ends[j as usize];
                let apart2 = one.point.distance2(other.point);
                if j > i && are_near(one, other, apart2) {
                    // Across a step, a corner that is moved without joining anything would stand over
                    // nothing, and its whole border with it.
                    let is_step = (one.height_m - other.height_m).abs() > NOISE_M;
                    if apart2 == 0 || !is_step || loose.run_on_together(one, other, reach) {
                        near.push((apart2, i, j));
                    }
                }
            };
            // They are sorted by their first coordinate; mostly few are near in it.
            let apart = |k: usize| f64::from(ends[k].point.x) - f64::from(one.point.x);
            let rest = i as usize + 1..ends.len();
            let count = rest.clone().take(FEW + 1).take_while(|&k| apart(k) <= reach.units).count();
            if count <= FEW {
                rest.take(count).for_each(|k| add(k as u32));
            } else {
                let at = Aabb::new(one.place(), one.place());
                tree.visit_box(&widened(at, reach.units, reach.climb_m), add);
            }
            near
        })
        .collect();
    if close.iter().all(|p| p.0 == 0) {
        return Vec::new();
    }
    let groups = EndGroups::gather(ends, &across_first(faces, ends, close), reach.units);
    let target: Vec<LatticePoint> = groups.targets(ends);
    // Most points stay: a short list says which may move.
    let leaves = ends.iter().zip(&target).filter(|(e, to)| e.point != **to);
    let mut leaving: Vec<LatticePoint> = leaves.map(|(e, _)| e.point).collect();
    leaving.dedup();
    faces.par_iter_mut().for_each(|face| {
        let mut moved = false;
        let plane = face.plane;
        for e in face.loops.iter_mut().flatten() {
            if leaving.binary_search(&e.from).is_err() {
                continue;
            }
            let height = plane.height_at(e.from);
            let first = ends.partition_point(|x| x.point < e.from);
            let here = (first..ends.len())
                .take_while(|&i| ends[i].point == e.from)
                .min_by(|&i, &j| {
                    let away = |k: usize| (ends[k].height_m - height).abs();
                    away(i).total_cmp(&away(j))
                })
                .filter(|&i| (ends[i].height_m - height).abs() <= reach.climb_m);
            if let Some(i) = here
                && target[i] != e.from
            {
                e.from = target[i];
                moved = true;
            }
        }
        if moved {
            pairs.part(face);
            tidy_face(face);
        }
    });
    faces.retain(|f| !f.loops.is_empty());
    let moves = ends.iter().zip(target).map(|(e, to)| Moved { to, from: e.point });
    let mut moved: Vec<Moved> = moves.filter(|m| m.from != m.to).collect();
    moved.sort_unstable();
    moved
}

/// Sorts pairs of ends, given with their squared distances: those across a crack, nearest first, then
/// those along one border. A border that gives way along itself first may lie too far away afterwards to
/// meet what is across.
fn across_first(
    faces: &[MarkedFace],
    ends: &[LooseEnd],
    mut close: Vec<(i128, u32, u32)>,
) -> Vec<(i128, u32, u32)> {
    let point = |i: u32| ends[i as usize].point;
    let apart = close.iter().filter(|p| p.0 > 0);
    let mut points: Vec<LatticePoint> = apart.flat_map(|p| [point(p.1), point(p.2)]).collect();
    points.par_sort_unstable();
    points.dedup();
    let is_there = |p: LatticePoint| points.binary_search(&p).is_ok();
    let mut borders: Vec<(LatticePoint, LatticePoint)> = faces
        .par_iter()
        .flat_map_iter(|face| face.edges())
        .filter(|(e, to)| is_there(e.from) && is_there(*to))
        .map(|(e, to)| (e.from.min(to), e.from.max(to)))
        .collect();
    borders.par_sort_unstable();
    // Ends are sorted by their points.
    let is_border = |p: &(i128, u32, u32)| borders.binary_search(&(point(p.1), point(p.2))).is_ok();
    close.par_sort_unstable();
    let (along, mut across): (Vec<_>, Vec<_>) = close.into_iter().partition(is_border);
    across.extend(along);
    across
}

/// Groups of ends that become one point.
struct EndGroups {
    /// The group's leader for every end; leaders lead themselves.
    leader: Vec<u32>,
    /// The members of every leader's group.
    members: Vec<Vec<u32>>,
}

impl EndGroups {
    fn gather(ends: &[LooseEnd], pairs: &[(i128, u32, u32)], reach: f64) -> Self {
        let mut groups = Self {
            leader: (0..ends.len() as u32).collect(),
            members: (0..ends.len() as u32).map(|i| vec![i]).collect(),
        };
        let widest2 = reach * reach;
        for &(_, i, j) in pairs {
            let (a, b) = (groups.leader[i as usize], groups.leader[j as usize]);
            if a == b {
                continue;
            }
            let (one, two) = (&groups.members[a as usize], &groups.members[b as usize]);
            let fits = one.len() * two.len() <= 256
                && one.iter().all(|&x| {
                    two.iter().all(|&y| {
                        let apart2 = ends[x as usize].point.distance2(ends[y as usize].point);
                        apart2 as f64 <= widest2
                    })
                });
            if fits {
                let (to, from) = (a.min(b), a.max(b));
                let moved = std::mem::take(&mut groups.members[from as usize]);
                for &m in &moved {
                    groups.leader[m as usize] = to;
                }
                groups.members[to as usize].extend(moved);
            }
        }
        groups
    }

    /// Where every end goes: its group's position with the most ground around it.
    fn targets(&self, ends: &[LooseEnd]) -> Vec<LatticePoint> {
        let best: Vec<LatticePoint> = self
            .members
            .iter()
            .map(|members| {
                members
                    .iter()
                    .map(|&m| &ends[m as usize])
                    .max_by(|a, b| a.weight.cmp(&b.weight).then(b.point.cmp(&a.point)))
                    .map_or(LatticePoint::default(), |e| e.point)
            })
            .collect();
        self.leader.iter().map(|&l| best[l as usize]).collect()
    }
}

/// Vertex-edge contractions: puts ends of other loose edges into the loose edges that they lie
/// beside. Says which were put in, sorted.
pub(crate) fn contract_into_edges(
    faces: &mut Vec<MarkedFace>,
    loose: &SomeEdges,
    ends: &LooseEnds<'_>,
    reach: SnapReach,
    pairs: &Pairs,
) -> Vec<LatticePoint> {
    let inserts: Vec<(u32, LatticePoint)> = (loose.edges.par_iter().zip(&loose.numbers))
        .flat_map_iter(|(edge, &number)| {
            points_beside(edge, ends, reach).into_iter().map(move |p| (number, p))
        })
        .collect();
    if inserts.is_empty() {
        return Vec::new();
    }
    insert_points(faces, inserts.iter().copied(), pairs);
    faces.retain(|f| !f.loops.is_empty());
    let mut put_in: Vec<LatticePoint> = inserts.into_iter().map(|i| i.1).collect();
    put_in.sort_unstable();
    put_in.dedup();
    put_in
}

/// Puts points into edges, given ascending by edge and in order along it. Faces that become nothing
/// have no loops left.
pub(crate) fn insert_points(
    faces: &mut [MarkedFace],
    points: impl Iterator<Item = (u32, LatticePoint)>,
    pairs: &Pairs,
) {
    let mut next = points.peekable();
    let mut end = 0;
    for face in faces {
        if next.peek().is_none() {
            return;
        }
        let mut taken = false;
        for corners in &mut face.loops {
            let first = end;
            end += corners.len() as u32;
            if next.peek().is_none_or(|i| i.0 >= end) {
                continue;
            }
            let mut out: Vec<SurfaceEdge<PairMark>> = Vec::with_capacity(corners.len() + 1);
            for (number, e) in (first..).zip(corners.iter()) {
                out.push(*e);
                while let Some((_, from)) = next.next_if(|i| i.0 == number) {
                    out.push(SurfaceEdge { from, ..*e });
                }
            }
            *corners = out;
            taken = true;
        }
        if taken {
            pairs.part(face);
            tidy_face(face);
        }
    }
}

/// Takes folds out of faces with one of the (sorted) changed points: corners at which a border turns
/// back along itself, no farther than `deep` lattice units beside it. Contraction makes them of narrow
/// parts, some even turned over. Says where the borders now end that turned there, ascending by face.
pub(crate) fn remove_folds(
    faces: &mut Vec<MarkedFace>,
    changed: &[LatticePoint],
    deep: f64,
    pairs: &Pairs,
) -> Vec<LatticePoint> {
    let is_changed = |e: &SurfaceEdge<PairMark>| changed.binary_search(&e.from).is_ok();
    let feet: Vec<LatticePoint> = faces
        .par_iter_mut()
        .filter(|f| f.loops.iter().flatten().any(is_changed))
        .flat_map_iter(|face| {
            let mut feet = Vec::new();
            if face.loops.iter().any(|edges| first_fold(edges, deep).is_some()) {
                pairs.part(face);
            }
            for edges in &mut face.loops {
                while let Some((i, foot)) = first_fold(edges, deep) {
                    let before = (i + edges.len() - 1) % edges.len();
                    if edges[before].from == foot {
                        // The edge after the corner is the one that stays.
                        edges[before].class = edges[i].class;
                    }
                    edges.remove(i);
                    feet.push(foot);
                }
            }
            if !feet.is_empty() {
                tidy_face(face);
            }
            feet
        })
        .collect();
    if !feet.is_empty() {
        faces.retain(|f| !f.loops.is_empty());
    }
    feet
}

/// The first corner of a loop at which its border turns back along itself, and the nearer of the two
/// points beside it: there the border ends when the corner is taken out.
fn first_fold(edges: &[SurfaceEdge<PairMark>], deep: f64) -> Option<(usize, LatticePoint)> {
    let n = edges.len();
    if n < 4 {
        return None;
    }
    (0..n).find_map(|i| {
        let (before, after) = (edges[(i + n - 1) % n].from, edges[(i + 1) % n].from);
        let at = plan_units(edges[i].from);
        let (back, on) = (plan_units(before) - at, plan_units(after) - at);
        let (near, far, foot) = if back.length_squared() <= on.length_squared() {
            (back, on, before)
        } else {
            (on, back, after)
        };
        let turns_back = near.dot(far) > 0.0;
        let beside = near.perp_dot(far).abs() <= deep * far.length();
        (turns_back && beside).then_some((i, foot))
    })
}

/// The ends of edges that start or end at one of the (sorted) changed points and cut across another
/// edge of the ground by more than `deep` lattice units, or lie on one that runs the same way: pieces
/// of ground that now lie over each other.
pub(crate) fn crossings(
    faces: &[MarkedFace],
    changed: &[LatticePoint],
    climb_m: f64,
    deep: f64,
) -> Vec<LatticePoint> {
    let is_changed = |p: LatticePoint| changed.binary_search(&p).is_ok();
    let touched = SomeEdges::of(faces, |e, to| is_changed(e.from) || is_changed(to));
    let tree = BoxTree::build_with(touched.edges.len(), |k| edge_box(&touched.edges[k as usize]));
    let beside = SomeEdges::of_near(faces, |around| {
        tree.try_visit_box(&widened(*around, 0.0, climb_m), |_| ControlFlow::Break(())).is_break()
    });
    let mut ends: Vec<LatticePoint> = (beside.edges.par_iter().zip(&beside.numbers))
        .flat_map_iter(|(e, number)| {
            let mut ends = Vec::new();
            tree.visit_box(&widened(edge_box(e), 0.0, climb_m), |k| {
                let other = &touched.edges[k as usize];
                let lies_on = *number != touched.numbers[k as usize] && lies_on(e, other, climb_m);
                if lies_on || cuts_across(e, other, climb_m, deep) {
                    ends.extend([e.from, e.to, other.from, other.to]);
                }
            });
            ends
        })
        .collect();
    ends.par_sort_unstable();
    ends.dedup();
    ends
}

/// Whether two edges are one, at about one height: what lies to the left of one lies over what lies to
/// the left of the other.
fn lies_on(e: &GroundEdge, f: &GroundEdge, climb_m: f64) -> bool {
    (e.from, e.to) == (f.from, f.to)
        && (e.from_height_m - f.from_height_m).abs() <= climb_m
        && (e.to_height_m - f.to_height_m).abs() <= climb_m
}

/// Whether two edges cross at about one height, each end of either more than `deep` lattice units
/// from the other's line.
fn cuts_across(e: &GroundEdge, f: &GroundEdge, climb_m: f64, deep: f64) -> bool {
    let opposite = |a: i128, b: i128| a > 0 && b < 0 || a < 0 && b > 0;
    let (c, d) = (orient(e.from, e.to, f.from), orient(e.from, e.to, f.to));
    let (a, b) = (orient(f.from, f.to, e.from), orient(f.from, f.to, e.to));
    if !opposite(a, b) || !opposite(c, d) {
        return false;
    }
    let shallow = |one: i128, two: i128, along: &GroundEdge| {
        let length = plan_units(along.from).distance(plan_units(along.to));
        one.abs().min(two.abs()) as f64 <= deep * length
    };
    if shallow(c, d, e) || shallow(a, b, f) {
        return false;
    }
    let height = |g: &GroundEdge, before: i128, after: i128| {
        let t = before as f64 / (before - after) as f64;
        g.from_height_m + (g.to_height_m - g.from_height_m) * t
    };
    (height(e, a, b) - height(f, c, d)).abs() <= climb_m
}

/// The ends that lie beside an edge, between its own ends, in order along it.
fn points_beside(edge: &GroundEdge, ends: &LooseEnds<'_>, reach: SnapReach) -> Vec<LatticePoint> {
    let a = plan_units(edge.from);
    let run = plan_units(edge.to) - a;
    let length = run.length();
    let along = run / length;
    let mut found: Vec<(f64, LatticePoint)> = Vec::new();
    ends.tree.visit_box(&widened(edge_box(edge), reach.units, reach.climb_m), |i| {
        let LooseEnd { point, height_m, .. } = ends.list[i as usize];
        if point == edge.from || point == edge.to {
            return;
        }
        let q = plan_units(point) - a;
        let (s, side) = (q.dot(along), q.perp_dot(along));
        if s <= 0.0 || s >= length || side.abs() > reach.units {
            return;
        }
        let here = edge.from_height_m + (edge.to_height_m - edge.from_height_m) * s / length;
        let rise_m = (here - height_m).abs();
        // Across a step, a border that is bent to a point without being joined would stand over nothing.
        if rise_m <= reach.climb_m && (rise_m <= NOISE_M || ends.runs_along(point, edge, reach)) {
            found.push((s, point));
        }
    });
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    found.dedup_by_key(|f| f.1);
    found.into_iter().map(|f| f.1).collect()
}

/// Removes repeated points, spikes and loops without area; a face that has become nothing has no
/// loops left.
pub(crate) fn tidy_face(face: &mut MarkedFace) {
    for edges in &mut face.loops {
        let mut i = 0;
        while edges.len() >= 3 && i < edges.len() {
            let n = edges.len();
            let (a, b, c) = (edges[(i + n - 1) % n].from, edges[i].from, edges[(i + 1) % n].from);
            if b == c || a == c {
                edges.remove(i);
                i = i.saturating_sub(2);
            } else {
                i += 1;
            }
        }
    }
    let area2 = |edges: &Vec<SurfaceEdge<PairMark>>| {
        contour_area2(&edges.iter().map(|e| e.from).collect::<Contour>())
    };
    let sound = |l: usize, edges: &Vec<SurfaceEdge<PairMark>>| {
        edges.len() >= 3 && if l == 0 { area2(edges) > 0 } else { area2(edges) < 0 }
    };
    if face.loops.first().is_none_or(|outer| !sound(0, outer)) {
        face.loops.clear();
        return;
    }
    let mut l = 0;
    face.loops.retain(|edges| {
        l += 1;
        sound(l - 1, edges)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::level_face as face;

    #[test]
    fn a_border_that_turns_back_along_itself_ends_where_it_came_from() {
        // The corner at (0, 3000) lies at the end of a sliver that is turned over by 10 units.
        let folded = [(0, 0), (2000, 0), (2000, 1000), (10, 1000), (0, 3000)];
        let foot = LatticePoint::new(10, 1000);
        let mut faces = vec![face(&folded)];
        assert_eq!(remove_folds(&mut faces, &[foot], 16.0, &Pairs::none()), [foot]);
        let corners: Vec<LatticePoint> = faces[0].loops[0].iter().map(|e| e.from).collect();
        let left = [(0, 0), (2000, 0), (2000, 1000), (10, 1000)];
        assert_eq!(corners, left.map(|(x, y)| LatticePoint::new(x, y)));
        // Wider than that it is ground.
        let mut faces = vec![face(&[(0, 0), (2000, 0), (2000, 1000), (40, 1000), (0, 3000)])];
        assert_eq!(
            remove_folds(&mut faces, &[LatticePoint::new(40, 1000)], 16.0, &Pairs::none()),
            []
        );
        assert_eq!(faces[0].loops[0].len(), 5);
    }
}
