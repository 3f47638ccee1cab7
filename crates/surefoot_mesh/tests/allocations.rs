//! Queries allocate nothing once they have warmed up.

mod meshes;

use meshes::{Cells, Random, field};
use surefoot_mesh::{Algorithm, Path, PathOptions, PathPoints, Query};

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
            for algorithm in [Algorithm::Optimal, Algorithm::Portals] {
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
