//! Chooses which strips connect different cycles (Vermeulen et al. 2018, §V-C).
//!
//! Goes in: all strips that could be laid between edges of different cycles. Comes out: those that are,
//! of which no two use the same part of an edge or lie over each other. Every part of an edge wants the
//! strip with the lowest score, the squared distances in plan of its far corners; a strip is laid where
//! both of its edges want it. Beyond the source, strips that would still cross in plan give way to the
//! shorter one.

use crate::finish::fill_gaps::boundary::Boundary;
use crate::finish::fill_gaps::strip::{FillerStrip, StripShape};
use glam::DVec2;
use surefoot_geom::bvh::{Aabb, BoxTree};

/// A part of an edge between two shares and the strip that it wants, whose own shares these are.
struct Wish {
    from: f64,
    to: f64,
    strip: u32,
}

/// The strips that are laid, in an order made from their geometry.
pub(crate) fn choose(
    boundary: &Boundary,
    strips: &[FillerStrip],
    agent_height_m: f64,
    least_width_m: f64,
) -> Vec<FillerStrip> {
    // What each strip is wanted for, by its first and by its second edge, in its own shares.
    let mut wanted: [Vec<Vec<(f64, f64)>>; 2] =
        [vec![Vec::new(); strips.len()], vec![Vec::new(); strips.len()]];
    let mut by_edge: Vec<(u32, u32)> = (strips.iter().enumerate())
        .flat_map(|(k, s)| [(s.one, k as u32), (s.two, k as u32)])
        .collect();
    by_edge.sort_unstable();
    for group in by_edge.chunk_by(|a, b| a.0 == b.0) {
        let edge = group[0].0;
        for wish in wishes(boundary, strips, edge, group) {
            let side = usize::from(strips[wish.strip as usize].two == edge);
            wanted[side][wish.strip as usize].push((wish.from, wish.to));
        }
    }
    let mut chosen = Vec::new();
    for (k, strip) in strips.iter().enumerate() {
        for (from, to) in common(&mut wanted[0][k].clone(), &mut wanted[1][k].clone()) {
            let part = strip.part(from, to);
            if part.width_m(boundary) >= least_width_m {
                chosen.push(part);
            }
        }
    }
    without_crossings(boundary, chosen, agent_height_m, least_width_m)
}

/// What the parts of an edge want: a sweep along it over the strips that touch it.
fn wishes(
    boundary: &Boundary,
    strips: &[FillerStrip],
    edge: u32,
    group: &[(u32, u32)],
) -> Vec<Wish> {
    let interval = |k: u32| {
        let strip = &strips[k as usize];
        let on = if strip.one == edge { strip.on_one } else { strip.on_two };
        (on[0].min(on[1]), on[0].max(on[1]))
    };
    let mut cuts: Vec<f64> =
        group.iter().flat_map(|&(_, k)| [interval(k).0, interval(k).1]).collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let mut starts: Vec<u32> = group.iter().map(|g| g.1).collect();
    starts.sort_by(|&a, &b| interval(a).0.total_cmp(&interval(b).0).then(a.cmp(&b)));
    let mut starts = starts.into_iter().peekable();
    let mut active: Vec<u32> = Vec::new();
    let mut wishes: Vec<Wish> = Vec::new();
    for pair in cuts.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        active.retain(|&k| interval(k).1 > from);
        while let Some(k) = starts.next_if(|&k| interval(k).0 <= from) {
            if interval(k).1 > from {
                active.push(k);
            }
        }
        let best = active
            .iter()
            .map(|&k| (score(boundary, &strips[k as usize], edge, from, to), k))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((_, strip)) = best else { continue };
        // From shares of the edge to shares of the strip.
        let on = if strips[strip as usize].one == edge {
            strips[strip as usize].on_one
        } else {
            strips[strip as usize].on_two
        };
        let share = |s: f64| ((s - on[0]) / (on[1] - on[0])).clamp(0.0, 1.0);
        let (a, b) = (share(from), share(to));
        wishes.push(Wish { from: a.min(b), to: a.max(b), strip });
    }
    wishes
}

/// The sum of the squared distances in plan of the strip's far corners to the part of the edge.
fn score(boundary: &Boundary, strip: &FillerStrip, edge: u32, from: f64, to: f64) -> f64 {
    let first = strip.one == edge;
    let on = if first { strip.on_one } else { strip.on_two };
    let share = |s: f64| (s - on[0]) / (on[1] - on[0]);
    let here = |s: f64| boundary.edge(edge).at(s).truncate();
    let there = |s: f64| {
        let (p, q) = strip.connection(boundary, share(s));
        if first { q.truncate() } else { p.truncate() }
    };
    let (a, b) = (here(from), here(to));
    distance2(there(from), a, b) + distance2(there(to), a, b)
}

/// The squared distance of a point to a segment.
fn distance2(p: DVec2, a: DVec2, b: DVec2) -> f64 {
    let run = b - a;
    let along = run.length_squared();
    let t = if along > 0.0 { ((p - a).dot(run) / along).clamp(0.0, 1.0) } else { 0.0 };
    p.distance_squared(a + run * t)
}

/// The common part of two lists of ranges, as ranges that do not touch.
fn common(a: &mut Vec<(f64, f64)>, b: &mut Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    join(a);
    join(b);
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < a.len() && j < b.len() {
        let (from, to) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if from < to {
            out.push((from, to));
        }
        if a[i].1 < b[j].1 { i += 1 } else { j += 1 }
    }
    out
}

/// Sorts ranges and joins those that meet.
fn join(ranges: &mut Vec<(f64, f64)>) {
    const SAME: f64 = 1e-9;
    ranges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    ranges.dedup_by(|next, last| {
        let meet = next.0 <= last.1 + SAME;
        if meet {
            last.1 = last.1.max(next.1);
        }
        meet
    });
}

/// The strips less what shorter ones of the same layer cover of them.
pub(crate) fn without_crossings(
    boundary: &Boundary,
    strips: Vec<FillerStrip>,
    agent_height_m: f64,
    least_width_m: f64,
) -> Vec<FillerStrip> {
    let mean_length = |s: &FillerStrip| {
        let ((p, q), (r, t)) = (s.connection(boundary, 0.0), s.connection(boundary, 1.0));
        p.distance(q) + r.distance(t)
    };
    let mut order: Vec<(f64, FillerStrip)> =
        strips.into_iter().map(|s| (mean_length(&s), s)).collect();
    order.sort_by(|a, b| {
        a.0.total_cmp(&b.0)
            .then((a.1.one, a.1.two).cmp(&(b.1.one, b.1.two)))
            .then(a.1.on_one[0].total_cmp(&b.1.on_one[0]))
    });
    let shapes: Vec<StripShape> = order.iter().map(|o| o.1.shape(boundary)).collect();
    let tree = BoxTree::build_with(shapes.len(), |i| shapes[i as usize].bounds());
    let mut kept: Vec<Vec<FillerStrip>> = Vec::with_capacity(order.len());
    for (i, (_, strip)) in order.iter().enumerate() {
        let shape = &shapes[i];
        let layer = glam::DVec3::new(0.0, 0.0, agent_height_m);
        let around = Aabb::new(shape.bounds().lo - layer, shape.bounds().hi + layer);
        let mut before = Vec::new();
        tree.visit_box(&around, |j| {
            if (j as usize) < i {
                before.push(j);
            }
        });
        let mut ranges = Vec::new();
        for other in before.into_iter().flat_map(|j| &kept[j as usize]) {
            let other = other.shape(boundary);
            let inside = shape.clip(&other.plan());
            if inside.len() < 3 {
                continue;
            }
            let middle = inside.iter().copied().sum::<DVec2>() / inside.len() as f64;
            if (shape.height_at(middle) - other.height_at(middle)).abs() < agent_height_m {
                ranges.extend(shape.range_of(&inside));
            }
        }
        kept.push(strip.without(boundary, &mut ranges, least_width_m));
    }
    kept.into_iter().flatten().collect()
}
