//! How fast are paths, beside Detour and polyanya on the same cells?
//!
//! In go Recast's polygons of a scene; out come times of the same pairs, both ends located anew each
//! time, in one process and in turns, so that whatever else the machine does slows all of them. What it
//! takes to look at the clock is measured too and taken off all of them.

use crate::courses::{
    CourseError, Pair, Random, detour_mesh, own_mesh, plan, polyanya_mesh, random_pairs,
};
use crate::recast::RecastMesh;
use navmesh_rs::detour::{DefaultFilter, NavMeshQuery};
use std::hint::black_box;
use std::time::Instant;
use surefoot_mesh::{Algorithm, NavMesh, Path, PathOptions, PathRequest, Query};

/// How far an end may lie off the mesh along each axis, for all.
const EXTENTS_M: [f32; 3] = [0.6, 1.8, 0.6];

/// Pairs asked for in turn by one after the other.
const TURN: usize = 100;

/// Times of many queries, in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Micros(Vec<f64>);

impl Micros {
    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The time that a share of the queries stay below, from 0 to 1.
    #[must_use]
    pub fn at(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let i = (sorted.len() as f64 * share) as usize;
        sorted.get(i.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }

    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(start.elapsed().as_secs_f64() * 1e6);
        result
    }

    /// What it takes to look at the clock: the median of many times of nothing.
    fn of_clock() -> f64 {
        let mut nothing = Self::default();
        (0..1001).for_each(|_| nothing.time(|| ()));
        nothing.at(0.5)
    }

    /// Takes the same off all times.
    fn take_off(&mut self, micros: f64) {
        self.0.iter_mut().for_each(|t| *t = (*t - micros).max(0.0));
    }

    /// Moves the last time to another set.
    fn move_last(&mut self, to: &mut Self) {
        to.0.extend(self.0.pop());
    }
}

/// The times on one mesh. Pairs with a path and pairs without one are kept apart.
#[derive(Clone, Debug, Default)]
pub struct SpeedRow {
    /// Cells of the mesh.
    pub cells: usize,
    /// Detour: nearest polygons, path and straight path.
    pub detour: Micros,
    /// polyanya's path.
    pub polyanya: Micros,
    /// Our optimal search.
    pub optimal: Micros,
    /// Our A* with funnel.
    pub portals: Micros,
    /// Locating both ends.
    pub locate: Micros,
    /// Detour where there is no path.
    pub detour_none: Micros,
    /// polyanya where there is no path.
    pub polyanya_none: Micros,
    /// Ours where there is no path.
    pub none: Micros,
    /// Locating both ends of pairs that have no path.
    pub locate_none: Micros,
    /// Optimal queries in a second in batches, on one thread and on two.
    pub per_second: [f64; 2],
    /// The same for loops that have nothing to do with each other, one and two of them.
    pub per_second_apart: [f64; 2],
}

/// Measures all searches on one mesh, and the throughput of batches too if `batches` says so, which
/// takes some seconds more.
pub fn compare_speed(
    built: &RecastMesh,
    pairs: usize,
    batches: bool,
) -> Result<SpeedRow, CourseError> {
    let mesh = own_mesh(built)?;
    let detour = detour_mesh(built)?;
    let peer = polyanya_mesh(&mesh)?;
    let mut row = SpeedRow { cells: mesh.cell_count(), ..SpeedRow::default() };
    let mut query = Query::new(&mesh);
    let pairs: Vec<Pair> = random_pairs(&mut query, pairs, &mut Random(12_345));
    query.set_extents(EXTENTS_M);
    let mut theirs = NavMeshQuery::new(&detour, 8192).map_err(CourseError::Detour)?;
    let filter = DefaultFilter::default();
    let (mut polygons, mut corners) = (Vec::new(), Vec::new());
    let mut path = Path::default();
    let optimal = PathOptions::default();
    let portals = PathOptions { algorithm: Algorithm::AStar, ..optimal };
    for turn in pairs.chunks(TURN) {
        for warm in [true, false] {
            for pair in turn {
                let [from, to] = pair.map(|p| p.map(|c| c as f32));
                let found = row.detour.time(|| {
                    let Ok((a, at_a, _)) = theirs.find_nearest_poly(&from, &EXTENTS_M, &filter)
                    else {
                        return false;
                    };
                    let Ok((b, at_b, _)) = theirs.find_nearest_poly(&to, &EXTENTS_M, &filter)
                    else {
                        return false;
                    };
                    polygons.clear();
                    corners.clear();
                    theirs.find_path(a, b, &at_a, &at_b, &filter, &mut polygons, 1024).is_ok()
                        && polygons.last() == Some(&b)
                        && theirs
                            .find_straight_path(&at_a, &at_b, &polygons, &mut corners, 512, 0)
                            .is_ok()
                });
                black_box(&corners);
                if warm {
                    row.detour.0.pop();
                } else if !found {
                    row.detour.move_last(&mut row.detour_none);
                }
            }
        }
        for warm in [true, false] {
            for pair in turn {
                let [from, to] = pair.map(|p| polyanya::Coords::on_mesh(plan(&mesh, p).into()));
                let found = row.polyanya.time(|| peer.path(from, to).is_some());
                if warm {
                    row.polyanya.0.pop();
                } else if !found {
                    row.polyanya.move_last(&mut row.polyanya_none);
                }
            }
        }
        for (options, warm) in
            [(&optimal, true), (&optimal, false), (&portals, true), (&portals, false)]
        {
            let times = if options == &optimal { &mut row.optimal } else { &mut row.portals };
            for [from, to] in turn {
                let found =
                    times.time(|| query.find_path_into(*from, *to, options, &mut path).is_ok());
                if warm {
                    times.0.pop();
                } else if !found {
                    times.move_last(&mut row.none);
                    if options == &portals {
                        row.none.0.pop();
                        row.locate_none
                            .time(|| black_box([query.locate(*from), query.locate(*to)]));
                    }
                }
            }
        }
        for [from, to] in turn {
            row.locate.time(|| black_box([query.locate(*from), query.locate(*to)]));
        }
    }
    let clock = Micros::of_clock();
    let all = [
        &mut row.detour,
        &mut row.polyanya,
        &mut row.optimal,
        &mut row.portals,
        &mut row.locate,
        &mut row.detour_none,
        &mut row.polyanya_none,
        &mut row.none,
        &mut row.locate_none,
    ];
    all.into_iter().for_each(|times| times.take_off(clock));
    let requests: Vec<PathRequest> =
        pairs.iter().map(|[from, to]| PathRequest::new(*from, *to)).collect();
    // The best of a few turns: whatever else runs can only make it slower.
    for _ in 0..if batches { BATCH_TURNS } else { 0 } {
        for threads in [1, 2] {
            let (shared, apart) =
                (batch_rate(&mut query, &requests, threads), apart_rate(&mesh, &pairs, threads));
            let best = |old: &mut f64, new: f64| *old = old.max(new);
            best(&mut row.per_second[threads - 1], shared);
            best(&mut row.per_second_apart[threads - 1], apart);
        }
    }
    Ok(row)
}

/// How long batches are asked for at a time, in seconds, and how often in turns.
const BATCH_SECONDS: f64 = 0.5;
const BATCH_TURNS: usize = 4;

/// Queries in a second in batches over so many threads.
fn batch_rate(query: &mut Query<'_>, requests: &[PathRequest], threads: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let Ok(pool) = pool else { return f64::NAN };
    pool.install(|| {
        let mut answers = Vec::new();
        query.find_paths_into(requests, &PathOptions::default(), &mut answers);
        let start = Instant::now();
        let mut count = 0;
        while start.elapsed().as_secs_f64() < BATCH_SECONDS {
            query.find_paths_into(requests, &PathOptions::default(), &mut answers);
            black_box(&answers);
            count += requests.len();
        }
        count as f64 / start.elapsed().as_secs_f64()
    })
}

/// Queries in a second of so many threads that have nothing to do with each other: what the machine
/// gives at best.
fn apart_rate(mesh: &NavMesh, pairs: &[Pair], threads: usize) -> f64 {
    std::thread::scope(|scope| {
        let loops: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut query = Query::new(mesh);
                    query.set_extents(EXTENTS_M);
                    let mut path = Path::default();
                    let start = Instant::now();
                    let mut count = 0;
                    while start.elapsed().as_secs_f64() < BATCH_SECONDS {
                        for [from, to] in pairs {
                            let options = PathOptions::default();
                            let found = query.find_path_into(*from, *to, &options, &mut path);
                            black_box(found.is_ok());
                        }
                        count += pairs.len();
                    }
                    count as f64 / start.elapsed().as_secs_f64()
                })
            })
            .collect();
        loops.into_iter().filter_map(|l| l.join().ok()).sum()
    })
}

/// What is asked again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The optimal search.
    Optimal,
    /// A* with funnel.
    Portals,
    /// Where both ends are.
    Locate,
}

/// How fast ours is when nothing else is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct RepeatRow {
    /// Pairs in a second.
    pub per_second: f64,
    /// Microseconds for a pair on average, if every hundred pairs take as long as the fastest time
    /// they were asked: whatever else runs on the machine is left out.
    pub best_micros: f64,
    /// Nodes that a search looks at on average.
    pub nodes: f64,
}

/// Asks for all pairs again and again, for so many seconds.
pub fn repeat_queries(
    built: &RecastMesh,
    pairs: usize,
    asked: Asked,
    seconds: f64,
) -> Result<RepeatRow, CourseError> {
    let mesh = own_mesh(built)?;
    let mut query = Query::new(&mesh);
    let pairs: Vec<Pair> = random_pairs(&mut query, pairs, &mut Random(12_345));
    query.set_extents(EXTENTS_M);
    let algorithm = if asked == Asked::Portals { Algorithm::AStar } else { Algorithm::Optimal };
    let options = PathOptions { algorithm, ..PathOptions::default() };
    let mut path = Path::default();
    let mut nodes = 0_u64;
    let mut best = vec![f64::INFINITY; pairs.len().div_ceil(TURN)];
    let start = Instant::now();
    let mut turns = 0_u64;
    while start.elapsed().as_secs_f64() < seconds || turns == 0 {
        turns += 1;
        for (turn, best) in pairs.chunks(TURN).zip(&mut best) {
            let start = Instant::now();
            for [from, to] in turn {
                if asked == Asked::Locate {
                    black_box([query.locate(*from), query.locate(*to)]);
                } else if query.find_path_into(*from, *to, &options, &mut path).is_ok() {
                    nodes += path.nodes;
                }
            }
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let count = pairs.len() as f64;
    Ok(RepeatRow {
        per_second: count * turns as f64 / start.elapsed().as_secs_f64(),
        best_micros: best.iter().sum::<f64>() / count * 1e6,
        nodes: nodes as f64 / (count * turns as f64),
    })
}
