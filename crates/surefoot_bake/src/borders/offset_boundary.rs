//! What a boundary takes away from the ground beside it, as shapes in plan.
//!
//! Goes in: stretches of boundary, the ground to their left. Comes out: for each a rectangle on the
//! inner side; where the boundary turns away, a sector; where its course is not clear, a disc. These
//! are convex, which makes it easy to tell whether they concern a face. What does concern it is put
//! together again along the boundary: one contour for a whole run of stretches, with a fraction of the
//! edges and nearly no crossings. Arcs are drawn around the true circle, never inside it, with a chord
//! error of at most [`CHORD_ERROR_M`], so the result is always on the safe side.

use crate::input::limits::NOISE_M;
use crate::surface::plan_units;
use glam::DVec2;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::overlay::counter_clockwise;
use surefoot_geom::polygon::Contour;
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::EdgeClass;

/// How far outside the true circle an arc's corners may lie, in metres.
const CHORD_ERROR_M: f64 = 1e-3;

/// Offset shapes reach this far beyond the boundary and the radius, in lattice units: more than
/// rounding can take away.
pub(super) const OVERLAP_UNITS: f64 = 2.0;

/// Stretches shorter than this stay by themselves, in lattice units: rounding may turn them over.
const SHORTEST_IN_RUN_UNITS: f64 = 16.0;

/// The cosine of a turn after which a boundary runs back along itself, as beside a step that has become
/// too high: which way it has turned is a matter of rounding, so that its course is not clear.
const REVERSAL: f64 = -0.98;

/// The cosine of the sharpest turn inside a run.
const SHARPEST_IN_RUN: f64 = -0.2;

/// A stretch of boundary; the ground lies to its left.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundaryStretch {
    pub(super) from: LatticePoint,
    pub(super) to: LatticePoint,
    pub(super) from_height_m: f64,
    pub(super) to_height_m: f64,
    pub(super) class: EdgeClass,
}

impl BoundaryStretch {
    fn length(&self) -> f64 {
        plan_units(self.from).distance(plan_units(self.to))
    }

    /// The unit normal towards the ground.
    fn inward(&self) -> DVec2 {
        (plan_units(self.to) - plan_units(self.from)).normalize_or_zero().perp()
    }
}

/// What a offset shape is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OffsetKind {
    /// The rectangle beside a stretch.
    Beside,
    /// The sector at its end.
    Turn,
    /// The disc at one of its ends.
    Disc,
}

/// What one boundary feature takes away.
pub(super) struct OffsetShape {
    /// Its shape in plan, counter-clockwise and convex.
    pub(super) shape: Contour,
    pub(super) kind: OffsetKind,
    /// The number of the stretch it belongs to.
    pub(super) of: u32,
    /// Where it is: the stretch, or a point of it for sectors and discs.
    pub(super) stretch: BoundaryStretch,
}

/// How a stretch goes on in the one with the next number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// Not within a run.
    None,
    /// It turns away from the ground: around the corner in an arc.
    Arc,
    /// It turns towards the ground, and the lines at the radius meet.
    Meet,
    /// It turns towards the ground, and they do not.
    Through,
}

/// Everything that boundaries take away.
pub(super) struct OffsetBoundary {
    /// In the order of the stretches: beside, then at the end, then at the start.
    pub(super) list: Vec<OffsetShape>,
    stretches: Vec<BoundaryStretch>,
    joints: Vec<Joint>,
    around: Vec<DVec2>,
    radius: f64,
}

impl OffsetBoundary {
    /// The offset shapes of all stretches, for a radius in lattice units. A boundary goes on across
    /// steps of up to `climb_m`.
    pub(super) fn new(stretches: Vec<BoundaryStretch>, radius: f64, climb_m: f64) -> Self {
        let around = directions(radius);
        let mut next = followers(&stretches, climb_m);
        for (s, n) in stretches.iter().zip(&mut next) {
            *n = n.filter(|&n| s.inward().dot(stretches[n as usize].inward()) > REVERSAL);
        }
        let mut has_previous = vec![false; stretches.len()];
        for n in next.iter().flatten() {
            has_previous[*n as usize] = true;
        }
        let list: Vec<OffsetShape> = stretches
            .par_iter()
            .enumerate()
            .flat_map_iter(|(i, s)| {
                let mut out: Vec<OffsetShape> = Vec::with_capacity(2);
                let of = i as u32;
                let beside = rectangle(s, (0.0, 1.0), radius);
                out.extend(beside.map(|shape| OffsetShape {
                    shape,
                    kind: OffsetKind::Beside,
                    of,
                    stretch: *s,
                }));
                let mut add =
                    |shape: Option<Contour>, kind: OffsetKind, p: LatticePoint, height: f64| {
                        let stretch = BoundaryStretch {
                            from: p,
                            to: p,
                            from_height_m: height,
                            to_height_m: height,
                            class: s.class,
                        };
                        out.extend(shape.map(|shape| OffsetShape { shape, kind, of, stretch }));
                    };
                match next[i] {
                    Some(n) => {
                        let (u, v) = (s.inward(), stretches[n as usize].inward());
                        if turns_away(u, v) {
                            let shape = sector(s.to, u, v, radius, &around);
                            add(shape, OffsetKind::Turn, s.to, s.to_height_m);
                        }
                    }
                    None => add(disc(s.to, radius, &around), OffsetKind::Disc, s.to, s.to_height_m),
                }
                if !has_previous[i] {
                    let shape = disc(s.from, radius, &around);
                    add(shape, OffsetKind::Disc, s.from, s.from_height_m);
                }
                out
            })
            .collect();
        let joints = joints(&stretches, &next, radius + OVERLAP_UNITS);
        Self { list, stretches, joints, around, radius }
    }

    /// The part of the rectangle beside a stretch that lies beside a part of it, from 0 to 1.
    pub(super) fn beside_part(
        &self,
        stretch: &BoundaryStretch,
        part: (f64, f64),
    ) -> Option<Contour> {
        rectangle(stretch, part, self.radius)
    }

    /// Puts together what follows each other in a (sorted) choice of offset shapes, and gives each
    /// contour with its class.
    pub(super) fn put_together(&self, chosen: &[u32], out: &mut Vec<(EdgeClass, Contour)>) {
        let mut chosen = chosen.iter().map(|&i| &self.list[i as usize]).peekable();
        // The stretches of the run, each with whether the sector at its end was chosen.
        let mut run: Vec<(u32, bool)> = Vec::new();
        while let Some(c) = chosen.next() {
            if c.kind != OffsetKind::Beside {
                out.push((c.stretch.class, c.shape.clone()));
                continue;
            }
            let turn = chosen.next_if(|t| t.kind == OffsetKind::Turn && t.of == c.of);
            run.push((c.of, turn.is_some()));
            let goes_on = self.joints[c.of as usize] != Joint::None
                && chosen.peek().is_some_and(|n| n.kind == OffsetKind::Beside && n.of == c.of + 1);
            if goes_on {
                continue;
            }
            if run.len() == 1 {
                out.push((c.stretch.class, c.shape.clone()));
            } else {
                out.extend(self.around_run(&run).map(|shape| (c.stretch.class, shape)));
            }
            out.extend(turn.map(|t| (t.stretch.class, t.shape.clone())));
            run.clear();
        }
    }

    /// The contour around what a run of stretches takes away. It winds around every point of it at
    /// least once and around no other: it is the sum of the shapes beside the stretches.
    fn around_run(&self, run: &[(u32, bool)]) -> Option<Contour> {
        let stretch = |k: usize| &self.stretches[run[k].0 as usize];
        let far = self.radius + OVERLAP_UNITS;
        let last = run.len() - 1;
        let mut points: Vec<DVec2> = Vec::with_capacity(run.len() * 3);
        let (first_normal, last_normal) = (stretch(0).inward(), stretch(last).inward());
        points.push(plan_units(stretch(0).from) - first_normal * OVERLAP_UNITS);
        for k in 1..run.len() {
            let (u, v) = (stretch(k - 1).inward(), stretch(k).inward());
            points.push(tangent_corner(plan_units(stretch(k).from), -OVERLAP_UNITS, u, v));
        }
        let end = plan_units(stretch(last).to);
        points.extend([end - last_normal * OVERLAP_UNITS, end + last_normal * far]);
        for k in (1..run.len()).rev() {
            let (u, v) = (stretch(k - 1).inward(), stretch(k).inward());
            let p = plan_units(stretch(k).from);
            match self.joints[run[k - 1].0 as usize] {
                Joint::Arc if run[k - 1].1 => {
                    let tangents = tangents_between(u, v, &self.around);
                    points.extend(tangents.windows(2).map(|w| tangent_corner(p, far, w[0], w[1])));
                }
                Joint::Meet => points.push(tangent_corner(p, far, u, v)),
                Joint::Arc => points.extend([p + v * far, p + u * far]),
                Joint::Through | Joint::None => points.extend([p + v * far, p, p + u * far]),
            }
        }
        points.push(plan_units(stretch(0).from) + first_normal * far);
        let mut contour: Contour = points.into_iter().map(to_lattice).collect();
        contour.dedup();
        counter_clockwise(contour)
    }
}

/// Whether a boundary turns away from the ground between two inward normals: to the right.
fn turns_away(u: DVec2, v: DVec2) -> bool {
    u.perp_dot(v) < 0.0 || u.dot(v) < 0.0 && u.perp_dot(v) <= 0.0
}

/// How every stretch goes on in the next one.
fn joints(stretches: &[BoundaryStretch], next: &[Option<u32>], far: f64) -> Vec<Joint> {
    // How much shorter a turn towards the ground makes the lines at the far side.
    let shrink: Vec<f64> = (0..stretches.len())
        .map(|i| match next[i] {
            Some(n) if n as usize == i + 1 => {
                let (u, v) = (stretches[i].inward(), stretches[i + 1].inward());
                if u.dot(v) < SHARPEST_IN_RUN {
                    0.0
                } else {
                    (far * u.perp_dot(v) / (1.0 + u.dot(v))).max(0.0)
                }
            }
            _ => 0.0,
        })
        .collect();
    (0..stretches.len())
        .map(|i| {
            let (Some(n), s) = (next[i], &stretches[i]) else { return Joint::None };
            if n as usize != i + 1 {
                return Joint::None;
            }
            let t = &stretches[i + 1];
            let (u, v) = (s.inward(), t.inward());
            let (one, two) = (s.length(), t.length());
            if s.class != t.class
                || s.to != t.from
                || u.dot(v) < SHARPEST_IN_RUN
                || one.min(two) < SHORTEST_IN_RUN_UNITS
            {
                Joint::None
            } else if turns_away(u, v) {
                Joint::Arc
            } else {
                // Beside each stretch there must be room for the end of the other's rectangle, and for
                // what the turns at its two ends take off its far side.
                let before = if i > 0 { shrink[i - 1] } else { 0.0 };
                let room = (one - before).min(two - shrink[i + 1]) - shrink[i];
                let holds_end = u.dot(v) >= 0.0 && far * u.perp_dot(v) <= one.min(two);
                if holds_end && room >= SHORTEST_IN_RUN_UNITS {
                    Joint::Meet
                } else {
                    Joint::Through
                }
            }
        })
        .collect()
}

/// The stretch that follows each one, where it is the only one to start there and this the only one
/// to end there, within `climb_m` in height.
pub(super) fn followers(stretches: &[BoundaryStretch], climb_m: f64) -> Vec<Option<u32>> {
    let mut starts: Vec<(LatticePoint, u32)> =
        stretches.iter().enumerate().map(|(i, s)| (s.from, i as u32)).collect();
    let mut ends: Vec<(LatticePoint, u32)> =
        stretches.iter().enumerate().map(|(i, s)| (s.to, i as u32)).collect();
    starts.par_sort_unstable();
    ends.par_sort_unstable();
    let only = |list: &[(LatticePoint, u32)], p: LatticePoint, near: &dyn Fn(u32) -> bool| {
        let first = list.partition_point(|e| e.0 < p);
        let mut found = list[first..].iter().take_while(|e| e.0 == p).filter(|e| near(e.1));
        let one = found.next().map(|e| e.1);
        if found.next().is_some() { None } else { one }
    };
    stretches
        .par_iter()
        .enumerate()
        .map(|(i, s)| {
            let next = only(&starts, s.to, &|j| {
                (stretches[j as usize].from_height_m - s.to_height_m).abs() <= climb_m
            })?;
            let back = only(&ends, s.to, &|j| {
                (stretches[j as usize].to_height_m - s.to_height_m).abs() <= climb_m
            })?;
            (back as usize == i && next as usize != i).then_some(next)
        })
        .collect()
}

/// Unit vectors all around, enough for the chord error at a radius; made with square roots alone, so
/// that they are the same on every machine.
fn directions(radius: f64) -> Vec<DVec2> {
    let error = CHORD_ERROR_M * LATTICE_PER_M;
    let third = DVec2::new(0.75_f64.sqrt(), 0.5);
    let mut quarter: Vec<DVec2> = vec![DVec2::X, DVec2::Y];
    let too_coarse = |q: &[DVec2]| {
        // The corner between neighbours lies at radius / cos(half the angle between them).
        let cos2 = 0.5 * (1.0 + q[0].dot(q[1]));
        radius * (1.0 / cos2.sqrt() - 1.0) > error
    };
    let halved = |q: &[DVec2]| {
        let mut out = vec![q[0]];
        for w in q.windows(2) {
            out.push((w[0] + w[1]).normalize());
            out.push(w[1]);
        }
        out
    };
    // Either two or three times a power of two a quarter, whichever is enough first.
    let mut by_three = vec![DVec2::X, third, DVec2::new(third.y, third.x), DVec2::Y];
    quarter = halved(&quarter);
    loop {
        if !too_coarse(&quarter) {
            break;
        }
        if !too_coarse(&by_three) {
            quarter = by_three;
            break;
        }
        quarter = halved(&quarter);
        by_three = halved(&by_three);
    }
    quarter.pop();
    let turned = |d: &DVec2, n: usize| (0..n).fold(*d, |d, _| d.perp());
    (0..4).flat_map(|n| quarter.iter().map(move |d| turned(d, n))).collect()
}

/// What lies within the radius beside the given part of a stretch, on the ground's side.
fn rectangle(s: &BoundaryStretch, part: (f64, f64), radius: f64) -> Option<Contour> {
    let (a, b) = (plan_units(s.from), plan_units(s.to));
    let (p, q) = (a.lerp(b, part.0), a.lerp(b, part.1));
    let n = s.inward();
    let (near, far) = (n * -OVERLAP_UNITS, n * (radius + OVERLAP_UNITS));
    counter_clockwise([p + near, q + near, q + far, p + far].map(to_lattice).to_vec())
}

pub(super) fn to_lattice(p: DVec2) -> LatticePoint {
    LatticePoint::from_units(p.x, p.y)
}

/// The corner of two tangents of a circle at the given directions.
fn tangent_corner(centre: DVec2, radius: f64, u: DVec2, v: DVec2) -> DVec2 {
    centre + (u + v) * (radius / (1.0 + u.dot(v)))
}

fn disc(p: LatticePoint, radius: f64, around: &[DVec2]) -> Option<Contour> {
    let centre = plan_units(p);
    let radius = radius + OVERLAP_UNITS;
    let n = around.len();
    let corner = |i: usize| tangent_corner(centre, radius, around[i], around[(i + 1) % n]);
    counter_clockwise((0..n).map(|i| to_lattice(corner(i))).collect())
}

/// The part of a disc between two inward normals, turning right from `u` to `v`.
fn sector(p: LatticePoint, u: DVec2, v: DVec2, radius: f64, around: &[DVec2]) -> Option<Contour> {
    let centre = plan_units(p);
    let radius = radius + OVERLAP_UNITS;
    let mut shape = vec![to_lattice(centre - (u + v) * OVERLAP_UNITS)];
    shape.push(to_lattice(centre + v * radius));
    for w in tangents_between(u, v, around).windows(2) {
        if w[0].dot(w[1]) > 0.0 {
            shape.push(to_lattice(tangent_corner(centre, radius, w[0], w[1])));
        }
    }
    shape.push(to_lattice(centre + u * radius));
    shape.dedup();
    counter_clockwise(shape)
}

/// The directions at which tangents are laid around a corner where the boundary turns right from `u`
/// to `v`: both, and those between them, counter-clockwise from `v`.
fn tangents_between(u: DVec2, v: DVec2, around: &[DVec2]) -> Vec<DVec2> {
    let between = |d: &DVec2| {
        let after_v = v.perp_dot(*d) > 0.0;
        let before_u = d.perp_dot(u) > 0.0;
        if v.perp_dot(u) >= 0.0 { after_v && before_u } else { after_v || before_u }
    };
    let mut tangents = vec![v];
    let n = around.len();
    let first = (0..n).find(|&i| between(&around[i]) && !between(&around[(i + n - 1) % n]));
    if let Some(first) = first {
        tangents.extend((0..n).map(|k| around[(first + k) % n]).take_while(between));
    }
    tangents.push(u);
    tangents
}

/// The chord error in lattice units is far above rounding, so shapes stay convex.
const _: () = assert!(CHORD_ERROR_M > 16.0 * M_PER_LATTICE && NOISE_M > 16.0 * M_PER_LATTICE);

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_geom::overlay::{Overlayer, SetOperation, flatten};
    use surefoot_geom::polygon::{Polygon, contour_area2, covers};

    /// A chain of stretches that turns by up to `sharpest` times a quarter turn at each corner.
    fn chain(mut seed: u64, sharpest: f64) -> Vec<BoundaryStretch> {
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let mut at = DVec2::ZERO;
        let mut along = DVec2::X;
        let mut points = vec![to_lattice(at)];
        for _ in 0..12 {
            at += along * (0.005 + random() * random()) * LATTICE_PER_M;
            along = (along + along.perp() * (random() - 0.5) * 4.0 * sharpest).normalize();
            points.push(to_lattice(at));
        }
        let stretch = |w: &[LatticePoint]| BoundaryStretch {
            from: w[0],
            to: w[1],
            from_height_m: 0.0,
            to_height_m: 0.0,
            class: EdgeClass::Open,
        };
        points.windows(2).map(stretch).collect()
    }

    #[test]
    fn a_boundary_that_turns_back_keeps_its_distance_on_all_sides() {
        let at = |x: i32, y: i32| LatticePoint::new(x, y);
        for beside in [-1, 0, 1] {
            let stretch = |from: LatticePoint, to: LatticePoint, height_m: f64| BoundaryStretch {
                from,
                to,
                from_height_m: height_m,
                to_height_m: height_m,
                class: EdgeClass::Open,
            };
            let tip = at(100_000, 100_000);
            let there = stretch(at(0, 0), tip, 0.0);
            let back = stretch(tip, at(beside, 0), 0.3);
            let offsets = OffsetBoundary::new(vec![there, back], 0.3 * LATTICE_PER_M, 0.4);
            let beyond = at(110_000, 110_000);
            assert!(offsets.list.iter().any(|c| covers(&c.shape, &[beyond])), "{beside}");
        }
    }

    #[test]
    fn a_run_takes_away_what_its_parts_do() {
        let mut overlayer = Overlayer::new();
        let (mut edges_of_parts, mut edges_of_runs) = (0, 0);
        for seed in 0..150 {
            let stretches = chain(seed, [0.1, 0.4, 1.2][seed as usize % 3]);
            let perimeter: f64 = stretches.iter().map(BoundaryStretch::length).sum();
            let offsets = OffsetBoundary::new(stretches, 0.3 * LATTICE_PER_M, 0.3);
            let shape = |i: &u32| &offsets.list[*i as usize];
            let chosen: Vec<u32> = (0..offsets.list.len() as u32)
                .filter(|i| shape(i).kind != OffsetKind::Disc)
                .collect();
            let mut runs = Vec::new();
            offsets.put_together(&chosen, &mut runs);
            let parts: Vec<&[LatticePoint]> = chosen.iter().map(|i| &*shape(i).shape).collect();
            let runs: Vec<&[LatticePoint]> = runs.iter().map(|r| &*r.1).collect();
            assert!(runs.iter().all(|r| contour_area2(r) > 0));
            edges_of_parts += parts.iter().map(|c| c.len()).sum::<usize>();
            edges_of_runs += runs.iter().map(|c| c.len()).sum::<usize>();
            let parts = flatten(overlayer.union(&parts));
            let runs = flatten(overlayer.union(&runs));
            for (one, two) in [(&parts, &runs), (&runs, &parts)] {
                let more = overlayer.run(SetOperation::Difference, one, two);
                let area2: i128 = more.iter().map(Polygon::area2).sum();
                // A sliver along the boundary, as wide as the overlap with what lies behind it.
                let most = 2.0 * (perimeter + LATTICE_PER_M) * 2.0 * OVERLAP_UNITS;
                assert!(area2 as f64 <= most, "seed {seed}: {area2} of {most}");
            }
        }
        assert!(4 * edges_of_runs < 3 * edges_of_parts, "{edges_of_runs} of {edges_of_parts}");
    }
}
