//! Takes out what contraction leaves without a width: slits within a face, necks of one, and faces that
//! are none.
//!
//! Goes in: faces some of whose points were made one. Comes out: the same ground without slits, whose
//! two sides are edges of one face that coincide, without necks, corners of a face beside an edge of
//! its own, and without slivers, faces narrower than points are told apart. None of them has room for
//! neighbours: twins lie in different faces, at a neck a border may lie across the other, and at a sliver
//! three run together. A slit's sides are cancelled and the face's loops are traced anew; a neck's
//! corner is put into the edge and into its twin; a sliver's corners are put into what lies across its
//! longest side (thin triangles are contracted before everything else in Sanchez 2021, §2.5, too).

use crate::borders::match_edges::{SomeEdges, pair_exact};
use crate::borders::pairs::{MarkedFace, Pairs};
use crate::borders::snap::{insert_points, tidy_face};
use crate::ids::{PairMark, SurfaceEdgeId};
use crate::surface::{Face, SurfaceEdge, plan_units};
use std::cmp::Ordering;
use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::{Contour, contour_area2};
use surefoot_geom::predicates::orient;
use surefoot_geom::threads::prelude::*;

/// Rounds of taking out slivers: what takes the corners of one may become one.
const ROUNDS: usize = 4;

/// An edge of a face with both its ends.
#[derive(Clone, Copy)]
struct FaceSide {
    edge: SurfaceEdge<PairMark>,
    to: LatticePoint,
}

/// Takes slits out of faces with one of the (sorted) changed points. A face may come apart.
pub(crate) fn dissolve_slits(faces: &mut Vec<MarkedFace>, changed: &[LatticePoint], pairs: &Pairs) {
    let is_changed = |e: &SurfaceEdge<PairMark>| changed.binary_search(&e.from).is_ok();
    let dissolved: Vec<(usize, Vec<MarkedFace>)> = faces
        .par_iter()
        .enumerate()
        .filter(|(_, f)| f.loops.iter().flatten().any(is_changed))
        .filter_map(|(i, f)| Some((i, without_slits(f)?)))
        .collect();
    for (i, parts) in dissolved {
        pairs.part(&mut faces[i]);
        let mut parts = parts.into_iter();
        match parts.next() {
            Some(first) => faces[i] = first,
            None => faces[i].loops.clear(),
        }
        faces.extend(parts);
    }
    faces.retain(|f| !f.loops.is_empty());
}

/// The parts of a face whose slits are taken out; `None` when it has none.
fn without_slits(face: &MarkedFace) -> Option<Vec<MarkedFace>> {
    let mut sides: Vec<FaceSide> = face.edges().map(|(edge, to)| FaceSide { edge, to }).collect();
    let key = |s: &FaceSide| (s.edge.from.min(s.to), s.edge.from.max(s.to), s.edge.from);
    sides.sort_by_key(key);
    let before = sides.len();
    let mut kept: Vec<FaceSide> = Vec::with_capacity(before);
    for group in sides.chunk_by(|a, b| (key(a).0, key(a).1) == (key(b).0, key(b).1)) {
        // Those that run up the segment come first.
        let up = group.partition_point(|s| s.edge.from < s.to);
        let both = up.min(group.len() - up);
        kept.extend_from_slice(&group[both..up]);
        kept.extend_from_slice(&group[up + both..]);
    }
    if kept.len() == before {
        return None;
    }
    kept.sort_by_key(|s| (s.edge.from, s.to));
    let (mut outers, mut holes) = (Vec::new(), Vec::new());
    for edges in traced(&kept) {
        let contour: Contour = edges.iter().map(|e| e.from).collect();
        match contour_area2(&contour).cmp(&0) {
            Ordering::Greater => outers.push(Face { loops: vec![edges], ..face.clone() }),
            Ordering::Less => holes.push(edges),
            Ordering::Equal => {}
        }
    }
    // A hole lies in the smallest loop around it.
    outers.sort_by_key(MarkedFace::area2);
    let Some(last) = outers.len().checked_sub(1) else { return Some(Vec::new()) };
    let mut places: Vec<usize> = Vec::with_capacity(holes.len());
    for hole in &holes {
        let is_around = |f: &MarkedFace| {
            let is_corner = |p: LatticePoint| f.loops[0].iter().any(|e| e.from == p);
            let own = hole.iter().map(|e| e.from).find(|&p| !is_corner(p));
            own.is_none_or(|p| f.contains(p))
        };
        places.push(outers[..last].iter().position(is_around).unwrap_or(last));
    }
    for (hole, at) in holes.into_iter().zip(places) {
        outers[at].loops.push(hole);
    }
    outers.iter_mut().for_each(tidy_face);
    Some(outers)
}

/// The loops that (sorted) sides of a face make: where several start at a point, a loop goes on with
/// the one that turns most to the left, so that no loop runs through a point twice without need.
fn traced(sides: &[FaceSide]) -> Vec<Vec<SurfaceEdge<PairMark>>> {
    let mut used = vec![false; sides.len()];
    let mut loops = Vec::new();
    for start in 0..sides.len() {
        if used[start] {
            continue;
        }
        let mut edges = Vec::new();
        let mut at = start;
        loop {
            used[at] = true;
            edges.push(SurfaceEdge { twin: None, ..sides[at].edge });
            let FaceSide { edge, to } = sides[at];
            if to == sides[start].edge.from {
                break;
            }
            let first = sides.partition_point(|s| s.edge.from < to);
            let on = (first..sides.len())
                .take_while(|&i| sides[i].edge.from == to)
                .filter(|&i| !used[i])
                .min_by(|&i, &j| clockwise_from(to, edge.from, sides[i].to, sides[j].to));
            match on {
                Some(next) => at = next,
                // Every point has as many sides to it as from it, so that this does not come about.
                None => break,
            }
        }
        loops.push(edges);
    }
    loops
}

/// Which of two points is seen first from `at` when turning clockwise from the direction of `back`.
fn clockwise_from(
    at: LatticePoint,
    back: LatticePoint,
    one: LatticePoint,
    two: LatticePoint,
) -> Ordering {
    // Clockwise of `back` by less than half a turn: to the right of the ray to it.
    let half = |p: LatticePoint| {
        let side = orient(at, back, p);
        match side.cmp(&0) {
            Ordering::Less => 0,
            Ordering::Equal => {
                let (a, b) = (plan_units(back) - plan_units(at), plan_units(p) - plan_units(at));
                if a.dot(b) < 0.0 { 1 } else { 3 }
            }
            Ordering::Greater => 2,
        }
    };
    half(one).cmp(&half(two)).then_with(|| orient(at, one, two).cmp(&0))
}

/// Necks of faces: corners beside an edge of their own face.
pub(crate) struct Necks {
    /// Which edges they are to be put into, ascending and in order along each.
    inserts: Vec<(SurfaceEdgeId, LatticePoint)>,
}

/// Finds necks: corners that lie within `wide` lattice units beside an edge of their own face. `None`
/// where there are none.
pub(crate) fn find_necks(faces: &[Face], wide: f64) -> Option<Necks> {
    let mut firsts = Vec::with_capacity(faces.len());
    let mut count = 0_u32;
    for face in faces.iter() {
        firsts.push(count);
        count += face.edge_count() as u32;
    }
    let mut inserts: Vec<(SurfaceEdgeId, f64, LatticePoint)> = faces
        .par_iter()
        .zip(&firsts)
        .flat_map_iter(|(face, first)| {
            necks(face, wide).into_iter().flat_map(move |(i, along, point)| {
                let twin = face.loops.iter().flatten().nth(i as usize).and_then(|e| e.twin);
                let beyond = twin.map(|twin| (twin, 1.0 - along, point));
                [(SurfaceEdgeId::new(first + i), along, point)].into_iter().chain(beyond)
            })
        })
        .collect();
    inserts.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    inserts.dedup_by_key(|i| (i.0, i.2));
    let inserts: Vec<_> = inserts.into_iter().map(|i| (i.0, i.2)).collect();
    (!inserts.is_empty()).then_some(Necks { inserts })
}

/// Closes necks: puts the corners into the edges that they lie beside, and into the twins of these.
pub(crate) fn close_necks(faces: &mut Vec<MarkedFace>, necks: Necks, pairs: &Pairs) {
    insert_points(faces, necks.inserts.into_iter().map(|i| (i.0.number(), i.1)), pairs);
    faces.retain(|f| !f.loops.is_empty());
}

/// The corners of a face that lie beside one of its edges: the edge, counted in the face, how far along
/// it, as a share of its length, and the corner.
fn necks(face: &Face, wide: f64) -> Vec<(u32, f64, LatticePoint)> {
    if face.edge_count() < 4 {
        return Vec::new();
    }
    let mut corners: Vec<LatticePoint> = face.edges().map(|(e, _)| e.from).collect();
    corners.sort_unstable();
    let margin = wide.ceil() as i32;
    let mut found = Vec::new();
    for (i, (e, to)) in face.edges().enumerate() {
        let (a, b) = (e.from, to);
        let (lo, hi) = (a.min(b), a.max(b));
        let (bottom, top) =
            (a.y.min(b.y).saturating_sub(margin), a.y.max(b.y).saturating_add(margin));
        let from = corners.partition_point(|p| p.x < lo.x.saturating_sub(margin));
        for &p in corners[from..].iter().take_while(|p| p.x <= hi.x.saturating_add(margin)) {
            if p.y < bottom || p.y > top || p == a || p == b {
                continue;
            }
            let (q, run) = (plan_units(p) - plan_units(a), plan_units(b) - plan_units(a));
            let along = q.dot(run) / run.length_squared();
            if along > 0.0 && along < 1.0 && q.perp_dot(run).abs() <= wide * run.length() {
                found.push((i as u32, along, p));
            }
        }
    }
    found
}

/// Takes out slivers: faces no corner of which is farther than `wide` lattice units from the longest
/// side. Its corners go into the edge across that side; where there is none, a border of the ground is
/// that much nearer.
pub(crate) fn collapse_slivers(
    faces: &mut Vec<MarkedFace>,
    climb_m: f64,
    wide: f64,
    pairs: &Pairs,
) -> bool {
    for round in 0..ROUNDS {
        let thin: Vec<(u32, usize)> = faces
            .par_iter()
            .enumerate()
            .filter_map(|(f, face)| Some((f as u32, longest_side_of_sliver(face, wide)?)))
            .collect();
        if thin.is_empty() {
            return round > 0;
        }
        let changed = collapse(faces, &thin, climb_m, pairs);
        dissolve_slits(faces, &changed, pairs);
    }
    true
}

/// The longest side of a face if all its corners lie within `wide` lattice units of it, in order.
fn longest_side_of_sliver(face: &MarkedFace, wide: f64) -> Option<usize> {
    let [corners] = face.loops.as_slice() else { return None };
    let n = corners.len();
    let at = |i: usize| plan_units(corners[i % n].from);
    // Half the area is no less than the length times half the width.
    let length2 = |i: usize| at(i).distance_squared(at(i + 1));
    let longest = (0..n).max_by(|&i, &j| length2(i).total_cmp(&length2(j)).then(j.cmp(&i)))?;
    let (a, run) = (at(longest), at(longest + 1) - at(longest));
    let length = run.length();
    let along = run / length;
    let mut before = length;
    for i in 2..n {
        let q = at(longest + i) - a;
        let s = q.dot(along);
        if q.perp_dot(along).abs() > wide || s <= 0.0 || s >= before {
            return None;
        }
        before = s;
    }
    Some(longest)
}

/// Takes out the given faces, save for those whose neighbour goes in the same turn. Says which points
/// were put into others, sorted.
fn collapse(
    faces: &mut Vec<MarkedFace>,
    thin: &[(u32, usize)],
    climb_m: f64,
    pairs: &Pairs,
) -> Vec<LatticePoint> {
    let mut ends: Vec<LatticePoint> = Vec::with_capacity(2 * thin.len());
    for &(face, side) in thin {
        let corners = &faces[face as usize].loops[0];
        ends.extend([corners[side].from, corners[(side + 1) % corners.len()].from]);
    }
    ends.sort_unstable();
    ends.dedup();
    let is_end = |p: LatticePoint| ends.binary_search(&p).is_ok();
    // All that lies along a longest side is among these.
    let some = SomeEdges::of(faces, |e, to| is_end(e.from) && is_end(to));
    let twins = pair_exact(&some.edges, climb_m);
    let mut firsts = Vec::with_capacity(faces.len());
    let mut count = 0;
    for face in faces.iter() {
        firsts.push(count);
        count += face.edge_count() as u32;
    }
    let mut goes = vec![false; faces.len()];
    let mut takes = vec![false; faces.len()];
    let mut inserts: Vec<(u32, usize, LatticePoint)> = Vec::new();
    for &(face, side) in thin {
        let corners = &faces[face as usize].loops[0];
        let n = corners.len();
        let number = firsts[face as usize] + side as u32;
        let twin = some.numbers.binary_search(&number).ok().and_then(|k| twins[k]);
        let other = twin.map(|t| some.edges[t.index()].face as usize);
        if takes[face as usize] || other.is_some_and(|o| goes[o]) {
            continue;
        }
        goes[face as usize] = true;
        if let (Some(other), Some(twin)) = (other, twin) {
            takes[other] = true;
            let into = some.numbers[twin.index()];
            inserts.extend((2..n).map(|i| (into, i, corners[(side + i) % n].from)));
        }
    }
    inserts.sort_unstable();
    let mut changed: Vec<LatticePoint> = inserts.iter().map(|i| i.2).collect();
    changed.sort_unstable();
    changed.dedup();
    insert_points(faces, inserts.into_iter().map(|i| (i.0, i.2)), pairs);
    for (face, _) in faces.iter_mut().zip(goes).filter(|(_, goes)| *goes) {
        pairs.part(face);
        face.loops.clear();
    }
    faces.retain(|f| !f.loops.is_empty());
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::borders::match_edges::collect_edges;
    use crate::ids::EdgePlace;
    use crate::surface::level_face;

    fn point((x, y): (i32, i32)) -> LatticePoint {
        LatticePoint::new(x, y)
    }

    fn corners<T: Copy>(face: &Face<T>, number: usize) -> Vec<(i32, i32)> {
        face.loops[number].iter().map(|e| (e.from.x, e.from.y)).collect()
    }

    /// Sets twins by what coincides, as the stages do.
    fn pair(faces: &mut [Face]) {
        let twins = pair_exact(&collect_edges(faces), 0.4);
        let edges = faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten());
        let id = |place: EdgePlace| SurfaceEdgeId::new(place.number());
        edges.zip(twins).for_each(|(e, twin)| e.twin = twin.map(id));
    }

    fn paired(faces: &mut [Face]) -> usize {
        pair(faces);
        faces.iter().flat_map(|f| f.loops.iter().flatten()).filter(|e| e.twin.is_some()).count()
    }

    #[test]
    fn a_ring_that_is_cut_open_closes_around_its_hole() {
        // From the outer border to the hole and back along one line.
        let ring = [
            (0, 0),
            (900, 0),
            (900, 900),
            (0, 900),
            (0, 300),
            (300, 300),
            (300, 600),
            (600, 600),
            (600, 300),
            (300, 300),
            (0, 300),
        ];
        let mut faces = vec![level_face(&ring)];
        let area2 = faces[0].area2();
        dissolve_slits(&mut faces, &[point((0, 300))], &Pairs::none());
        assert_eq!(faces.len(), 1);
        assert_eq!(faces[0].loops.len(), 2);
        assert_eq!(faces[0].area2(), area2);
        assert_eq!(corners(&faces[0], 1), [(300, 300), (300, 600), (600, 600), (600, 300)]);
    }

    #[test]
    fn two_plates_on_a_neck_without_width_come_apart_each_with_its_hole() {
        let plates = [
            (0, 0),
            (300, 0),
            (300, 100),
            (500, 100),
            (500, 0),
            (800, 0),
            (800, 300),
            (500, 300),
            (500, 100),
            (300, 100),
            (300, 300),
            (0, 300),
        ];
        let mut face: MarkedFace = level_face(&plates);
        let hole: MarkedFace = level_face(&[(600, 100), (700, 100), (700, 200), (600, 200)]);
        face.loops.push(hole.loops[0].iter().rev().copied().collect());
        let area2 = face.area2();
        let mut faces = vec![face];
        dissolve_slits(&mut faces, &[point((300, 100))], &Pairs::none());
        assert_eq!(faces.len(), 2);
        assert_eq!(faces.iter().map(MarkedFace::area2).sum::<i128>(), area2);
        let with_hole = faces.iter().find(|f| f.loops.len() == 2).unwrap();
        assert!(corners(with_hole, 0).contains(&(800, 300)));
        // Nothing changed there: nothing is looked at.
        let mut same = vec![level_face(&plates)];
        dissolve_slits(&mut same, &[point((1, 1))], &Pairs::none());
        assert_eq!(corners(&same[0], 0), plates);
    }

    #[test]
    fn a_corner_across_an_edge_of_its_own_face_is_put_into_both_sides() {
        // The corner at (500, -3) of the upper face has come three units across its lower border.
        let upper = level_face(&[(0, 0), (1000, 0), (1000, 900), (500, -3), (0, 900)]);
        let lower = level_face(&[(0, -900), (1000, -900), (1000, 0), (0, 0)]);
        let mut faces = vec![upper, lower];
        assert_eq!(paired(&mut faces), 2);
        let necks = find_necks(&faces, 8.0).unwrap();
        let (mut marked, pairs) = Pairs::mark(faces);
        close_necks(&mut marked, necks, &pairs);
        let mut faces = pairs.number(marked);
        let at = (500, -3);
        assert_eq!(corners(&faces[0], 0), [(0, 0), at, (1000, 0), (1000, 900), at, (0, 900)]);
        assert_eq!(corners(&faces[1], 0), [(0, -900), (1000, -900), (1000, 0), at, (0, 0)]);
        assert_eq!(paired(&mut faces), 4);
        assert!(find_necks(&faces, 8.0).is_none());
    }

    #[test]
    fn a_sliver_between_two_faces_makes_room_for_them() {
        let above = level_face(&[(0, 0), (500, 5), (1000, 0), (1000, 900), (0, 900)]);
        let below = level_face(&[(0, -900), (1000, -900), (1000, 0), (0, 0)]);
        let sliver = level_face(&[(0, 0), (1000, 0), (500, 5)]);
        let mut faces = vec![above, sliver, below];
        assert_eq!(paired(&mut faces), 6);
        let (mut faces, pairs) = Pairs::mark(faces);
        collapse_slivers(&mut faces, 0.4, 4.0, &pairs);
        assert_eq!(faces.len(), 3, "5 units wide is a face when 4 are the limit");
        collapse_slivers(&mut faces, 0.4, 8.0, &pairs);
        assert_eq!(faces.len(), 2);
        assert!(corners(&faces[1], 0).contains(&(500, 5)));
        assert_eq!(paired(&mut pairs.number(faces)), 4);
    }
}
