//! Who owns the mesh that a query asks.

use std::sync::Arc;
use surefoot_mesh::{
    Agent, Clearance, NavMesh, NavMeshData, Path, PathError, PathOptions, PathRequest, Query,
    SearchProgress,
};

/// A room of four by two metres, cut in two.
fn room() -> NavMesh {
    let points = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 0.0, 2.0],
        [2.0, 0.0, 2.0],
        [4.0, 0.0, 2.0],
    ];
    let cells = [vec![0, 1, 4, 3], vec![1, 2, 5, 4]];
    let up = [0.0, 1.0, 0.0];
    let data = NavMeshData::from_polygons(&points, &cells, Agent::default(), up).unwrap();
    data.validate().unwrap()
}

const FROM: [f64; 3] = [0.5, 0.0, 1.0];
const TO: [f64; 3] = [3.5, 0.0, 1.0];

/// What a program keeps of a level: nothing here borrows from anything else.
struct Level {
    mesh: Arc<NavMesh>,
    query: Query<'static>,
    path: Path,
}

impl Level {
    fn new(mesh: NavMesh) -> Self {
        let mesh = Arc::new(mesh);
        Self { query: Query::shared(Arc::clone(&mesh)), mesh, path: Path::default() }
    }

    fn walk(&mut self) -> Result<f64, PathError> {
        self.query.find_path_into(FROM, TO, &PathOptions::default(), &mut self.path)?;
        Ok(self.path.length_m)
    }
}

#[test]
fn a_level_keeps_mesh_and_query_and_moves_to_another_thread() {
    let mut level = Level::new(room());
    let here = level.walk().unwrap();
    let other = std::thread::spawn(move || {
        let there = level.walk().unwrap();
        assert_eq!(level.query.mesh().cell_count(), level.mesh.cell_count());
        (level, there)
    });
    let (mut level, there) = other.join().unwrap();
    assert_eq!((here, there), (3.0, 3.0));
    // The query alone keeps the mesh alive.
    level.mesh = Arc::new(room());
    assert_eq!(level.walk(), Ok(3.0));
}

#[test]
fn shared_and_borrowed_meshes_give_the_same_answers() {
    let mesh = Arc::new(room());
    let requests = vec![PathRequest::new(FROM, TO); 40];
    let options = PathOptions::default();
    let mut shared = Query::shared(Arc::clone(&mesh));
    let mut borrowed = Query::new(&mesh);
    assert_eq!(shared.find_paths(&requests, &options), borrowed.find_paths(&requests, &options));
    let wide = Arc::new(Clearance::new(&mesh, 0.8).unwrap());
    shared.set_clearance(Arc::clone(&wide)).unwrap();
    borrowed.set_clearance(wide).unwrap();
    assert_eq!(shared.locate([0.0, 0.0, 0.0]), borrowed.locate([0.0, 0.0, 0.0]));
    assert_eq!(shared.find_paths(&requests, &options), borrowed.find_paths(&requests, &options));
}

#[test]
fn a_shared_query_searches_in_slices() {
    let mut query = Query::shared(Arc::new(room()));
    query.begin_path(FROM, TO, &PathOptions::default()).unwrap();
    while query.advance(1).unwrap() == SearchProgress::Searching {}
    let mut path = Path::default();
    query.finish_path(&mut path).unwrap();
    assert!(path.reaches_goal);
}
