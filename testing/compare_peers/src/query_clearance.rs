//! Does a wider agent find on the mesh of a narrow one what it finds on its own?
//!
//! In go a scene, the radius of a mesh and a wider one; out comes a count of agreements. Both meshes
//! are baked, pairs are drawn from the ground that both leave, and each pair is asked for on the
//! narrow mesh with the wide radius and on the wide mesh as it is. Every path on the narrow mesh is
//! measured against all its borders by brute force.

use crate::courses::{Pair, Random, random_pairs};
use std::sync::Arc;
use surefoot_bake::{BakeError, BakeSettings, bake};
use surefoot_mesh::{
    Agent, Clearance, NO_EDGE, NavMesh, PathError, PathOptions, PathPoints, Query,
};
use surefoot_scene::Scene;

/// A width this near to what the agent needs is critical, in metres: neither answer is wrong.
const CRITICAL_M: f64 = 0.002;

/// How much the lengths of the same path may differ, relatively.
const SAME_LENGTH: f64 = 0.005;

/// How far a path may come nearer to a wall than asked for, in metres: rounding to the lattice.
const NEARER_M: f64 = 3e-5;

/// Borders this much higher or lower than the path are those of other storeys, in metres: more than
/// a step and the slope of a leg.
const STOREY_M: f64 = 0.5;

/// How far beyond a wall a walk must come for it to be none, in metres.
const BEYOND_M: f64 = 1e-3;

/// How far an end may lie off the ground that the other mesh leaves, in metres.
const END_M: f64 = 0.01;

/// What came of many pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClearanceTally {
    /// Pairs asked for on both meshes.
    pub pairs: usize,
    /// Both have a path.
    pub both: usize,
    /// Neither has a path.
    pub neither: usize,
    /// Only one has, and a width on the way is critical.
    pub critical: usize,
    /// Only one has: a fault.
    pub differ: usize,
    /// Lengths differ by more than half a percent: a fault.
    pub other_length: usize,
    /// The greatest relative difference of lengths.
    pub worst_length: f64,
    /// Paths that come nearer to a wall than asked for: a fault.
    pub too_near: usize,
    /// The least distance from a wall, beyond what was asked for, in metres.
    pub least_margin_m: f64,
    /// The first faults, in words.
    pub examples: Vec<String>,
}

impl ClearanceTally {
    /// How many faults were found.
    #[must_use]
    pub fn faults(&self) -> usize {
        self.differ + self.other_length + self.too_near
    }

    fn note(&mut self, what: &str, pair: &Pair) {
        if self.examples.len() < 5 {
            self.examples.push(format!("{what}: {:?} to {:?}", pair[0], pair[1]));
        }
    }
}

/// Compares a wider agent on the mesh of a narrow one with its own mesh.
pub fn compare_clearance(
    scene: &Scene,
    narrow_m: f64,
    wide_m: f64,
    pairs: usize,
    random: &mut Random,
) -> Result<ClearanceTally, BakeError> {
    let mesh_for = |radius_m: f64| {
        let agent = Agent { radius_m, ..Agent::default() };
        // Small patches may lie on either side of the limit.
        bake(scene, &BakeSettings { agent, min_area_m2: 0.0, ..BakeSettings::default() })
    };
    let (narrow, wide) = (mesh_for(narrow_m)?, mesh_for(wide_m)?);
    let mut tally = ClearanceTally { least_margin_m: f64::INFINITY, ..ClearanceTally::default() };
    let ask = |radius_m: f64| {
        let mut query = Query::new(&narrow);
        query.set_extents([END_M, narrow.agent().height_m, END_M]);
        let clearance = Clearance::new(&narrow, radius_m).map(Arc::new);
        clearance.and_then(|c| query.set_clearance(c)).map(|()| query)
    };
    let (Ok(mut query), Ok(mut slimmer), Ok(mut fatter)) =
        (ask(wide_m), ask(wide_m - CRITICAL_M), ask(wide_m + CRITICAL_M))
    else {
        return Ok(tally);
    };
    let mut own = Query::new(&wide);
    own.set_extents([END_M, wide.agent().height_m, END_M]);
    let walls = Walls::of(&narrow);
    let mut plain = Query::new(&narrow);
    let options = PathOptions { points: PathPoints::Ground, ..PathOptions::default() };
    // Half from either ground, so that what only one of them has is found too.
    let mut all = random_pairs(&mut own, pairs / 2, random);
    all.extend(random_pairs(&mut query, pairs - pairs / 2, random));
    for pair in all {
        let [from, to] = pair;
        let (here, there) =
            (query.find_path_with(from, to, &options), own.find_path_with(from, to, &options));
        tally.pairs += 1;
        if let Ok(path) = &here {
            let margin_m =
                walls.distance(&mut plain, &path.points, wide_m - narrow_m) - (wide_m - narrow_m);
            tally.least_margin_m = tally.least_margin_m.min(margin_m);
            if margin_m < -NEARER_M {
                tally.too_near += 1;
                tally.note(&format!("{margin_m} m too near"), &pair);
            }
        }
        match (&here, &there) {
            (Ok(a), Ok(b)) => {
                tally.both += 1;
                let difference = (a.plan_length_m / b.plan_length_m - 1.0).abs();
                let metres = (a.plan_length_m - b.plan_length_m).abs();
                if metres > CRITICAL_M {
                    let slim = slimmer.find_path_with(from, to, &options);
                    let fat = fatter.find_path_with(from, to, &options);
                    // Another way opens or closes within the critical width.
                    let opens = |p: &Result<surefoot_mesh::Path, PathError>| {
                        p.as_ref().is_ok_and(|p| {
                            (p.plan_length_m / b.plan_length_m - 1.0).abs() <= SAME_LENGTH
                        })
                    };
                    if difference > SAME_LENGTH && !opens(&slim) && !opens(&fat) {
                        tally.other_length += 1;
                        tally.note(
                            &format!("{} m and {} m", a.plan_length_m, b.plan_length_m),
                            &pair,
                        );
                    }
                    if difference <= SAME_LENGTH {
                        tally.worst_length = tally.worst_length.max(difference);
                    }
                }
            }
            (Err(_), Err(_)) => tally.neither += 1,
            _ => {
                let slim = slimmer.find_path_with(from, to, &options).is_ok();
                let fat = fatter.find_path_with(from, to, &options).is_ok();
                if slim != fat || there.is_ok() == slim || there.is_ok() == fat {
                    tally.critical += 1;
                } else {
                    tally.differ += 1;
                    let words = |r: &Result<_, PathError>| {
                        r.as_ref().err().map_or("path", PathError::reason)
                    };
                    tally.note(&format!("{} and {}", words(&here), words(&there)), &pair);
                }
            }
        }
    }
    Ok(tally)
}

/// The borders of a mesh, as segments with Y up.
struct Walls {
    segments: Vec<[[f64; 3]; 2]>,
}

impl Walls {
    fn of(mesh: &NavMesh) -> Self {
        let data = mesh.data();
        let mut segments = Vec::new();
        for cell in mesh.cells() {
            let (first, end) =
                (data.cell_first_edges[cell.index()], data.cell_first_edges[cell.index() + 1]);
            for e in first..end {
                if data.edge_twins[e as usize] == NO_EDGE {
                    let next = if e + 1 == end { first } else { e + 1 };
                    segments.push(
                        [e, next].map(|e| mesh.vertex_position(data.edge_vertices[e as usize])),
                    );
                }
            }
        }
        Self { segments }
    }

    /// The least distance in plan from a path to any wall of its storey: one at the height of the
    /// path where it is nearest to it. A wall that seems too near must also stop a walk towards it:
    /// surfaces that lie over one another by millimetres have walls that are no walls to each other.
    fn distance(&self, query: &mut Query<'_>, points: &[[f64; 3]], asked_m: f64) -> f64 {
        let mut least = f64::INFINITY;
        for leg in points.windows(2) {
            for s in &self.segments {
                // Boxes that are apart by more than the least so far cannot matter.
                let near = [0, 2].iter().all(|&k| {
                    s[0][k].min(s[1][k]) <= leg[0][k].max(leg[1][k]) + least
                        && s[0][k].max(s[1][k]) >= leg[0][k].min(leg[1][k]) - least
                });
                if !near {
                    continue;
                }
                let flat = |p: [f64; 3]| [p[0], p[2]];
                let (d, on_leg, on_wall) = between([leg[0], leg[1]].map(flat), s.map(flat));
                let height = |ends: [f64; 2], share: f64| ends[0] + (ends[1] - ends[0]) * share;
                let apart_m =
                    height([leg[0][1], leg[1][1]], on_leg) - height([s[0][1], s[1][1]], on_wall);
                let mut stops = || {
                    let from: [f64; 3] =
                        std::array::from_fn(|k| height([leg[0][k], leg[1][k]], on_leg));
                    let wall: [f64; 3] =
                        std::array::from_fn(|k| height([s[0][k], s[1][k]], on_wall));
                    is_stopped(query, from, wall, d)
                };
                if apart_m.abs() <= STOREY_M && d < least && (d >= asked_m - NEARER_M || stops()) {
                    least = d;
                }
            }
        }
        least
    }
}

/// Whether who walks from a place towards a point of a wall, `distance_m` away, is stopped there.
fn is_stopped(query: &mut Query<'_>, from: [f64; 3], wall: [f64; 3], distance_m: f64) -> bool {
    if distance_m <= 0.0 {
        return true;
    }
    let reach = (distance_m + BEYOND_M) / distance_m;
    let to = std::array::from_fn(|k| from[k] + (wall[k] - from[k]) * reach);
    query.raycast(from, to).is_ok_and(|ray| ray.wall.is_some())
}

/// The distance between two segments in the plane, and where along each they are nearest.
fn between(p: [[f64; 2]; 2], q: [[f64; 2]; 2]) -> (f64, f64, f64) {
    let cross = |o: [f64; 2], p: [f64; 2], q: [f64; 2]| {
        (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])
    };
    let (c, d) = (cross(p[0], p[1], q[0]), cross(p[0], p[1], q[1]));
    let (a, b) = (cross(q[0], q[1], p[0]), cross(q[0], q[1], p[1]));
    if c * d < 0.0 && a * b < 0.0 {
        return (0.0, a / (a - b), c / (c - d));
    }
    let to_point = |p: [f64; 2], [a, b]: [[f64; 2]; 2]| {
        let (x, y) = (b[0] - a[0], b[1] - a[1]);
        let length2 = x * x + y * y;
        let t = if length2 > 0.0 { ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / length2 } else { 0.0 };
        let t = t.clamp(0.0, 1.0);
        ((p[0] - a[0] - t * x).hypot(p[1] - a[1] - t * y), t)
    };
    let mut best = (f64::INFINITY, 0.0, 0.0);
    for end in [0, 1] {
        let share = end as f64;
        let (d, t) = to_point(p[end], q);
        if d < best.0 {
            best = (d, share, t);
        }
        let (d, t) = to_point(q[end], p);
        if d < best.0 {
            best = (d, t, share);
        }
    }
    best
}
