//! Queries about what lies around a place: rays, moves, walls, random places, distances.

use super::caller::Query;
use super::flood::CellDistance;
use super::locate::Place;
use super::path::{NearestPoint, PathError};
use super::position::Position;
use super::ray::{self, RayEnd};
use crate::data::{CellId, EdgeId, NO_EDGE};
use crate::pieces::share_on_segment;
use glam::{DVec2, DVec3};

/// No mesh reaches so far, in metres.
const BEYOND_MESHES_M: f64 = 1e6;

/// How far a straight line over the surface leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it ends.
    pub end: NearestPoint,
    /// How much of the way to the target that is, from 0 to 1, measured in plan.
    pub share: f64,
    /// What stopped it; `None` when it reaches the target.
    pub wall: Option<Wall>,
}

/// A piece of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// The edge of the mesh that cannot be crossed; `None` for the border of a wider agent's ground,
    /// which lies within a cell.
    pub edge: Option<EdgeId>,
    /// The horizontal direction away from the wall, onto the mesh: a unit vector of the user's
    /// frame.
    pub normal: [f64; 3],
}

/// Where a move over the surface ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The place.
    pub end: NearestPoint,
    /// Whether a wall was touched on the way.
    pub touched_wall: bool,
}

/// The wall nearest to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestWall {
    /// The distance in plan, along the surface, in metres.
    pub distance_m: f64,
    /// The nearest point of the wall, at the height of the mesh.
    pub point: [f64; 3],
    /// The wall; its normal points from the wall to the place where they are apart.
    pub wall: Wall,
}

impl Query<'_> {
    /// Whether a way can lead from one point to another, in constant time after both are located:
    /// `false` is certain, and so is `true` unless links lead one way only. `None` when a point is
    /// not on the mesh.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let query = Query::new(&mesh);
    /// assert_eq!(query.reachable([0.0, 0.0, 0.0], [9.0, 0.0, 4.0]), Some(true));
    /// assert_eq!(query.reachable([0.0, 0.0, 0.0], [50.0, 0.0, 4.0]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reachable(&self, from: impl Position, to: impl Position) -> Option<bool> {
        let a = self.place(from.coordinates(), self.extents_m)?;
        let b = self.place(to.coordinates(), self.extents_m)?;
        let component = |p: Place| self.tables.component(self.query_mesh(), p.piece);
        Some(component(a) == component(b))
    }

    /// Walks straight, in plan, from one point towards another, until a wall stops it. A line that
    /// only touches a wall is not stopped: it may run along one, and pass a corner, as the legs of
    /// paths do. Links are not taken. The height of the target does not matter.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let ray = Query::new(&mesh).raycast([1.0, 0.0, 2.0], [17.0, 0.0, 2.0])?;
    /// assert_eq!(ray.end.point, [9.0, 0.0, 2.0]);
    /// assert_eq!(ray.share, 0.5);
    /// assert!(ray.wall.is_some_and(|wall| wall.normal[0] < -0.999));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raycast(&self, from: impl Position, to: impl Position) -> Result<Ray, PathError> {
        self.raycast_with(from, to, |_| {})
    }

    /// The same, with the cells crossed appended to a list, the start's first.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut cells = Vec::new();
    /// Query::new(&mesh).raycast_cells([1.0, 0.0, 2.0], [8.0, 0.0, 2.0], &mut cells)?;
    /// assert_eq!(cells.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raycast_cells(
        &self,
        from: impl Position,
        to: impl Position,
        cells: &mut Vec<CellId>,
    ) -> Result<Ray, PathError> {
        let first = cells.len();
        self.raycast_with(from, to, |cell| {
            if cells.len() == first || cells.last() != Some(&cell) {
                cells.push(cell);
            }
        })
    }

    fn raycast_with(
        &self,
        from: impl Position,
        to: impl Position,
        mut enter: impl FnMut(CellId),
    ) -> Result<Ray, PathError> {
        let start = self.start_place(from.coordinates())?;
        let (to, shortened) = self.plan_target(start, to.coordinates())?;
        enter(self.cell(start.piece));
        let end =
            ray::walk(self.query_mesh(), &self.tables, start.piece, start.plan, to, |piece| {
                enter(self.cell(piece));
            });
        let way = to - start.plan;
        let share = if end.at == to {
            1.0
        } else {
            ((end.at - start.plan).dot(way) / way.length_squared()).clamp(0.0, 1.0)
        };
        Ok(Ray {
            end: self.ray_point(end),
            share: share * shortened,
            wall: end.wall.map(|w| self.wall(w)),
        })
    }

    /// Moves straight from a point towards another and slides along the walls it meets, as far as
    /// that leads nearer to the target. Links are not taken. The height of the target does not
    /// matter.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let moved = Query::new(&mesh).move_along_surface([8.0, 0.0, 1.0], [12.0, 0.0, 3.0])?;
    /// assert!(moved.touched_wall);
    /// assert_eq!(moved.end.point, [9.0, 0.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn move_along_surface(
        &self,
        from: impl Position,
        to: impl Position,
    ) -> Result<Moved, PathError> {
        let start = self.start_place(from.coordinates())?;
        let (to, _) = self.plan_target(start, to.coordinates())?;
        let (end, touched_wall) = ray::slide(self.query_mesh(), &self.tables, start, to);
        Ok(Moved { end: self.ray_point(end), touched_wall })
    }

    /// The wall nearest to a point, no farther than `reach_m` from it in plan: an edge without a
    /// neighbour, or with one that the filter leaves out. Only what a straight line over the
    /// surface reaches counts, so walls of other storeys do not.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let wall = Query::new(&mesh).nearest_wall([4.0, 0.0, 1.0], 5.0)?.ok_or("no wall near by")?;
    /// assert!((wall.distance_m - 1.0).abs() < 1e-9);
    /// assert!(wall.wall.normal[2] > 0.999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest_wall(
        &mut self,
        point: impl Position,
        reach_m: f64,
    ) -> Result<Option<NearestWall>, PathError> {
        let place = self.start_place(point.coordinates())?;
        let found =
            self.sight.nearest_wall(self.footing.query_mesh(), &self.tables, place, reach_m);
        Ok(found.map(|near| {
            let pieces = &self.query_mesh().ground.pieces;
            let (a, b) = pieces.segment(near.edge);
            let share = share_on_segment(a, b, near.at);
            let mut wall = self.wall(near.edge);
            if near.distance_m > 0.0 {
                wall.normal = self.direction((place.plan - near.at) / near.distance_m);
            }
            NearestWall {
                distance_m: near.distance_m,
                point: self.mesh().user_point(near.at, pieces.edge_height(near.edge, share)),
                wall,
            }
        }))
    }

    /// A random place, uniform by area in plan over all ground that the filter lets through.
    /// `random` gives numbers from 0 to 1, 1 excluded. `None` when there is no ground.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut state = 1_u64;
    /// let mut random = || {
    ///     state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    ///     (state >> 11) as f64 / (1_u64 << 53) as f64
    /// };
    /// let mut query = Query::new(&mesh);
    /// let anywhere = query.random_point(&mut random).ok_or("no ground")?.point;
    /// let near = query.random_point_near(anywhere, 2.0, &mut random)?.point;
    /// assert!((near[0] - anywhere[0]).hypot(near[2] - anywhere[2]) <= 2.0);
    /// let there = query.random_reachable_point(near, &mut random)?.point;
    /// assert_eq!(query.reachable(near, there), Some(true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn random_point(&mut self, mut random: impl FnMut() -> f64) -> Option<NearestPoint> {
        let place =
            self.drawing.anywhere(self.footing.query_mesh(), &self.tables, None, &mut random)?;
        Some(self.nearest_point(place))
    }

    /// A random place of the component that a point belongs to, uniform by area in plan.
    pub fn random_reachable_point(
        &mut self,
        from: impl Position,
        mut random: impl FnMut() -> f64,
    ) -> Result<NearestPoint, PathError> {
        let start = self.start_place(from.coordinates())?;
        let component = self.tables.component(self.query_mesh(), start.piece);
        let drawn = self.drawing.anywhere(
            self.footing.query_mesh(),
            &self.tables,
            Some(component),
            &mut random,
        );
        Ok(self.nearest_point(drawn.unwrap_or(start)))
    }

    /// A random place no farther than `radius_m` from a point in plan and joined to it within that
    /// circle, uniform by area in plan.
    pub fn random_point_near(
        &mut self,
        centre: impl Position,
        radius_m: f64,
        mut random: impl FnMut() -> f64,
    ) -> Result<NearestPoint, PathError> {
        let centre = self.start_place(centre.coordinates())?;
        let drawn = self.drawing.near(
            self.footing.query_mesh(),
            &self.tables,
            centre,
            radius_m,
            &mut random,
        );
        Ok(self.nearest_point(drawn.unwrap_or(centre)))
    }

    /// Appends all cells that the shortest way from a point reaches within `limit_m` (infinite for
    /// all), nearest first, each with the length of that way in plan to the cell's nearest point.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut cells = Vec::new();
    /// Query::new(&mesh).cells_within([1.0, 0.0, 1.0], f64::INFINITY, &mut cells)?;
    /// assert!(cells.len() == 1 && cells[0].distance_m == 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cells_within(
        &mut self,
        from: impl Position,
        limit_m: f64,
        cells: &mut Vec<CellDistance>,
    ) -> Result<(), PathError> {
        let start = self.start_place(from.coordinates())?;
        self.pending = None;
        self.polyanya.flood(self.footing.query_mesh(), &self.tables, start, limit_m, cells);
        Ok(())
    }

    fn start_place(&self, at: [f64; 3]) -> Result<Place, PathError> {
        self.place(at, self.extents_m).ok_or(PathError::StartOffMesh { at })
    }

    /// A target in plan, and the share of the way to it that is left where it lies so far away that
    /// arithmetic would suffer: then a nearer one in the same direction, beyond all meshes, stands for
    /// it.
    fn plan_target(&self, start: Place, at: [f64; 3]) -> Result<(DVec2, f64), PathError> {
        let plan = self.mesh().canonical_point(at).truncate();
        let way = plan - start.plan;
        let far_m = way.abs().max_element();
        if !(plan.is_finite() && far_m.is_finite()) {
            return Err(PathError::GoalOffMesh { at });
        }
        if far_m <= BEYOND_MESHES_M {
            return Ok((plan, 1.0));
        }
        let shortened = BEYOND_MESHES_M / far_m;
        Ok((start.plan + way / far_m * BEYOND_MESHES_M, shortened))
    }

    fn ray_point(&self, end: RayEnd) -> NearestPoint {
        let height_m = self.query_mesh().pieces.height(end.piece, end.at);
        self.nearest_point(Place { piece: end.piece, plan: end.at, height_m })
    }

    /// A direction in plan, in the user's frame.
    fn direction(&self, plan: DVec2) -> [f64; 3] {
        let [x, y, _] = self.mesh().frame().axes().map(DVec3::from);
        (x * plan.x + y * plan.y).to_array()
    }

    fn wall(&self, edge: u32) -> Wall {
        let (a, b) = self.query_mesh().pieces.segment(edge);
        let mesh_edge = self.query_mesh().pieces.mesh_edges[edge as usize];
        Wall {
            edge: (mesh_edge != NO_EDGE).then_some(EdgeId(mesh_edge)),
            // The mesh lies to the left of its edges.
            normal: self.direction((b - a).perp().normalize()),
        }
    }
}
