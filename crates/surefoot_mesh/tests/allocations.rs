//! Queries allocate nothing once they have warmed up.

mod meshes;

use meshes::{Cells, Field, Random, field};
use surefoot_mesh::{Algorithm, Path, PathOptions, PathPoints, PathRequest, Query};

/// Random pairs of a field, every seventh with an end that is off the mesh.
fn requests(f: &Field, count: usize, random: &mut Random) -> Vec<PathRequest> {
    (0..count)
        .map(|i| {
            let (a, b) = (f.random_free_point(random), f.random_free_point(random));
            let above = if i % 7 == 0 { 50.0 } else { 0.0 };
            PathRequest::new([a[0], a[1], 0.0], [b[0], b[1], above])
        })
        .collect()
}

#[test]
fn queries_allocate_nothing_after_warming_up() {
    let mut random = Random(61);
    let f = field(&mut random, 20, 20, 0.25, Cells::Triangles);
    let pairs: Vec<([f64; 3], [f64; 3])> = (0..200)
        .map(|_| {
            let (a, b) = (f.random_free_point(&mut random), f.random_free_point(&mut random));
            ([a[0], a[1], 0.0], [b[0], b[1], 0.0])
        })
        .collect();
    let mut query = Query::new(&f.mesh);
    let mut path = Path::default();
    let mut cells = Vec::new();
    let mut distances = Vec::new();
    let mut ask = |query: &mut Query<'_>| {
        let mut found = 0;
        for &(from, to) in &pairs {
            for algorithm in [Algorithm::Optimal, Algorithm::AStar] {
                for points in [PathPoints::Corners, PathPoints::Ground] {
                    let options = PathOptions { algorithm, points, ..PathOptions::default() };
                    found += u32::from(query.find_path_into(from, to, &options, &mut path).is_ok());
                }
            }
            cells.clear();
            distances.clear();
            found += u32::from(query.locate(from).is_some());
            found += u32::from(query.ground_below(from, 0.5, 0.5).is_some());
            found += u32::from(query.raycast_cells(from, to, &mut cells).is_ok());
            found += u32::from(query.move_along_surface(from, to).is_ok());
            found += u32::from(query.nearest_wall(from, 5.0).is_ok());
            found += u32::from(query.random_point_near(from, 3.0, || 0.5).is_ok());
            found += u32::from(query.random_point(|| 0.5).is_some());
            found += u32::from(query.cells_within(from, 6.0, &mut distances).is_ok());
        }
        found
    };
    let warm = ask(&mut query);
    let mut again = 0;
    let counted = allocation_counter::measure(|| again = ask(&mut query));
    assert_eq!(again, warm);
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

/// Batches into a list that is used again, with the requests in another order each time, so that
/// errors and paths of all lengths change places.
fn batches_allocate_nothing() {
    let mut random = Random(62);
    let f = field(&mut random, 12, 12, 0.25, Cells::Triangles);
    let mut requests = requests(&f, 60, &mut random);
    let mut query = Query::new(&f.mesh);
    let mut answers = Vec::new();
    let options = PathOptions::default();
    for _ in 0..5 * requests.len() {
        requests.rotate_left(1);
        query.find_paths_into(&requests, &options, &mut answers);
    }
    let counted = allocation_counter::measure(|| {
        for _ in 0..requests.len() {
            requests.rotate_left(1);
            query.find_paths_into(&requests, &options, &mut answers);
        }
    });
    assert_eq!(counted.count_total, 0, "{counted:?}");
    let errors = answers.iter().filter(|a| a.is_err()).count();
    assert!(errors > 5 && errors < 40, "{errors}");
}

#[cfg(not(feature = "parallel"))]
#[test]
fn batches_allocate_nothing_after_warming_up() {
    batches_allocate_nothing();
}

#[cfg(feature = "parallel")]
#[test]
fn batches_of_one_thread_allocate_nothing_after_warming_up() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(batches_allocate_nothing);
}

/// The calling thread allocates what it takes to wake the others and nothing for a request.
#[cfg(feature = "parallel")]
#[test]
fn batches_of_two_threads_allocate_nothing_for_a_request() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut random = Random(63);
    let f = field(&mut random, 12, 12, 0.25, Cells::Triangles);
    let requests = requests(&f, 4000, &mut random);
    pool.install(|| {
        let mut query = Query::new(&f.mesh);
        let mut answers = Vec::new();
        let options = PathOptions::default();
        let mut count = |requests: &[PathRequest]| {
            // Which thread answers what is up to the machine: both must have seen the largest.
            for _ in 0..4 {
                query.find_paths_into(requests, &options, &mut answers);
            }
            let one = || {
                allocation_counter::measure(|| {
                    query.find_paths_into(requests, &options, &mut answers);
                })
            };
            std::iter::repeat_with(one).take(8).map(|c| c.count_total).min()
        };
        let few = count(&requests[..100]);
        let many = count(&requests);
        assert!(few <= Some(4) && many <= Some(4), "{few:?} and {many:?}");
    });
}
