//! Are shortest paths the shortest? Lengths against polyanya's on the same cells, and against A*.
//!
//! In go a mesh and pairs of points; out comes a count of agreements and of every kind of
//! disagreement. polyanya works in single precision and knows no heights: it is asked only where it
//! takes both ends for the same cells as we do. Every path of ours is also walked: each leg must lie
//! on the surface, so that being shorter is no cheating.

use crate::courses::{Pair, plan, polyanya_mesh, polyanya_point};
use surefoot_mesh::{Algorithm, NavMesh, Path, PathOptions, PathPoints, Query};

/// How much lengths may differ, relatively, and still agree.
const SAME_LENGTH: f64 = 1e-4;

/// Below this many metres a difference is none: the resolution of polyanya's coordinates.
const SAME_LENGTH_M: f64 = 1e-3;

/// How far beside the mesh a point of a leg may lie, in metres.
const CLEAR_M: f64 = 1e-4;

/// How far apart the points are at which a leg is looked at, in metres.
const LOOK_EVERY_M: f64 = 0.05;

/// What came of many pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LengthTally {
    /// Pairs asked for.
    pub pairs: usize,
    /// Pairs that have a path.
    pub found: usize,
    /// Pairs that polyanya was asked for too.
    pub compared: usize,
    /// Of those, the same length.
    pub same: usize,
    /// Ours is longer: a fault.
    pub longer: usize,
    /// Ours is shorter: polyanya's fault, as long as our path is clear.
    pub shorter: usize,
    /// Only polyanya has found a path: a fault.
    pub missed: usize,
    /// Only we have found a path.
    pub only_ours: usize,
    /// Paths longer than A*'s: a fault.
    pub longer_than_portals: usize,
    /// Paths with a leg that is not clear: a fault.
    pub not_clear: usize,
    /// Searches that A* had to finish.
    pub fallbacks: u64,
    /// The first faults, in words.
    pub examples: Vec<String>,
}

impl LengthTally {
    /// How many faults of ours were found.
    #[must_use]
    pub fn faults(&self) -> usize {
        self.longer + self.missed + self.longer_than_portals + self.not_clear
    }

    fn note(&mut self, what: &str, pair: &Pair) {
        if self.examples.len() < 5 {
            self.examples.push(format!("{what}: {:?} to {:?}", pair[0], pair[1]));
        }
    }
}

/// Compares the lengths of paths.
#[must_use]
pub fn compare_lengths(mesh: &NavMesh, pairs: &[Pair]) -> LengthTally {
    let mut tally = LengthTally { pairs: pairs.len(), ..LengthTally::default() };
    let peer = polyanya_mesh(mesh).ok();
    let mut query = Query::new(mesh);
    let (mut path, mut by_portals) = (Path::default(), Path::default());
    let ground = PathOptions { points: PathPoints::Ground, ..PathOptions::default() };
    let portals = PathOptions { algorithm: Algorithm::AStar, ..PathOptions::default() };
    for pair in pairs {
        let found = query.find_path_into(pair[0], pair[1], &ground, &mut path).is_ok();
        let length = path.plan_length_m;
        if found {
            tally.found += 1;
            if !is_clear(&query, &path) {
                tally.not_clear += 1;
                tally.note("a leg is not clear", pair);
            }
            if query.find_path_into(pair[0], pair[1], &portals, &mut by_portals).is_err()
                || length > by_portals.plan_length_m + 1e-8
            {
                tally.longer_than_portals += 1;
                tally.note("longer than A*", pair);
            }
        }
        let Some(peer) = &peer else { continue };
        let end = |p: [f64; 3]| polyanya_point(peer, plan(mesh, p), query.locate(p)?.cell);
        let (Some(from), Some(to)) = (end(pair[0]), end(pair[1])) else { continue };
        tally.compared += 1;
        match (found, peer.path(from, to)) {
            (true, Some(other)) => {
                let other = f64::from(other.length);
                let slack = SAME_LENGTH_M.max(SAME_LENGTH * other);
                if length > other + slack {
                    tally.longer += 1;
                    tally.note(&format!("{length} instead of {other}"), pair);
                } else if length < other - slack {
                    tally.shorter += 1;
                } else {
                    tally.same += 1;
                }
            }
            (true, None) => tally.only_ours += 1,
            (false, Some(_)) => {
                tally.missed += 1;
                tally.note("not found", pair);
            }
            (false, None) => tally.same += 1,
        }
    }
    tally.fallbacks = query.fallbacks();
    tally
}

/// Whether every leg of a path that takes no links lies on the surface, looked at every few
/// centimetres.
fn is_clear(query: &Query<'_>, path: &Path) -> bool {
    if !path.links.is_empty() {
        return true;
    }
    let reach_m = query.mesh().agent().max_step_m;
    path.points.windows(2).all(|leg| {
        let length = (0..3).map(|k| (leg[1][k] - leg[0][k]).powi(2)).sum::<f64>().sqrt();
        let steps = (length / LOOK_EVERY_M).ceil().max(1.0);
        (0..=steps as u32).all(|i| {
            let share = f64::from(i) / steps;
            let at: [f64; 3] = std::array::from_fn(|k| leg[0][k] + (leg[1][k] - leg[0][k]) * share);
            query.nearest(at, [CLEAR_M, reach_m, CLEAR_M]).is_some()
        })
    })
}
