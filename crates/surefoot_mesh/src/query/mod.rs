//! Asking the mesh.
//!
//! A [`Query`] owns the working memory of all searches, so that asking allocates nothing once it
//! has warmed up; the mesh itself is only read, and every thread can have a query of its own.

mod around;
mod batch;
mod filter;
mod flood;
mod funnel;
mod heap;
mod locate;
mod path;
mod portal_search;
mod position;
mod random;
mod ray;
mod search;
mod sight;
mod straight;
mod taut_search;
mod trace;
mod weighted;

pub use around::{Moved, NearestWall, Ray, Wall};
pub use batch::PathRequest;
pub use filter::{Filter, FilterError};
pub use flood::CellDistance;
pub use path::{
    Algorithm, GROUND_TOLERANCE_M, LinkUse, NearestPoint, OverBudget, Path, PathError, PathOptions,
    PathPoints, Progress, Unreachable,
};
pub use position::Position;

use crate::clearance::{Clearance, RadiusError};
use crate::data::CellId;
use crate::ground::{Ground, Surface};
use crate::mesh::NavMesh;
use filter::Tables;
use glam::DVec3;
use locate::{Place, nearest_place, place_below};
use path::Pending;
use random::Drawing;
use search::{Outcome, Search};
use sight::Sight;
use std::sync::Arc;
use trace::Tracer;

/// The surface that a query runs on, borrowed from two of its fields only, so that the others can
/// change meanwhile.
macro_rules! surface {
    ($query:expr) => {
        Surface { mesh: $query.mesh, ground: ground_of($query.mesh, &$query.clearance) }
    };
}
use surface;

fn ground_of<'a>(mesh: &'a NavMesh, clearance: &'a Option<Arc<Clearance>>) -> &'a Ground {
    clearance.as_ref().map_or(&mesh.ground, |c| &c.ground)
}

/// How far from the mesh a point may lie sideways unless said otherwise, in metres, or twice the
/// agent's radius if that is more: who stands against a wall is a radius away from the mesh.
pub const DEFAULT_EXTENT_M: f64 = 0.5;

/// A caller of the mesh, with working memory of its own.
///
/// ```
/// # use surefoot_mesh::{Agent, NavMeshData, Query};
/// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
/// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
/// # let mesh = data.validate()?;
/// let path = Query::new(&mesh).find_path([0.0, 0.0, 0.0], [9.0, 0.0, 4.0])?;
/// assert!((path.length_m - 97.0_f64.sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Query<'m> {
    mesh: &'m NavMesh,
    /// The ground of a wider agent, if one is asked for.
    clearance: Option<Arc<Clearance>>,
    /// Half the box around a point in which the mesh is looked for, along the canonical axes.
    extents_m: [f64; 3],
    filter: Filter,
    tables: Arc<Tables>,
    search: Search,
    tracer: Tracer,
    sight: Sight,
    drawing: Drawing,
    pending: Option<Pending>,
    fallbacks: u64,
    /// Paths of batches whose place has gone to an error.
    spare: Vec<Path>,
    /// The queries of other threads, kept from batch to batch.
    #[cfg(feature = "parallel")]
    helpers: Vec<batch::Helper<'m>>,
}

impl<'m> Query<'m> {
    /// A query on a mesh.
    #[must_use]
    pub fn new(mesh: &'m NavMesh) -> Self {
        let agent = mesh.agent();
        let sideways = DEFAULT_EXTENT_M.max(2.0 * agent.radius_m);
        Self {
            mesh,
            clearance: None,
            extents_m: [sideways, sideways, agent.height_m],
            filter: Filter::default(),
            tables: Arc::new(Tables::plain()),
            search: Search::default(),
            tracer: Tracer::default(),
            sight: Sight::default(),
            drawing: Drawing::default(),
            pending: None,
            fallbacks: 0,
            spare: Vec::new(),
            #[cfg(feature = "parallel")]
            helpers: Vec::new(),
        }
    }

    /// The mesh that is asked.
    #[must_use]
    pub fn mesh(&self) -> &'m NavMesh {
        self.mesh
    }

    /// Says how far from the mesh a point may lie along each axis of the user's frame, in metres.
    /// At first that is [`DEFAULT_EXTENT_M`] or twice the agent's radius sideways, and the agent's
    /// height up and down. For an up that is not along an axis the box is widened until it is
    /// upright. Negative and undefined numbers count as zero.
    pub fn set_extents(&mut self, extents_m: impl Position) {
        self.extents_m = self.canonical_extents(extents_m.coordinates());
    }

    /// Chooses ground and costs for the queries that follow. Takes time in proportion to the mesh.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query, AreaId, Filter};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut query = Query::new(&mesh);
    /// let mut filter = Filter::default();
    /// filter.exclude_area(AreaId(0)); // all there is
    /// query.set_filter(&filter)?;
    /// assert!(query.locate([1.0, 0.0, 1.0]).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_filter(&mut self, filter: &Filter) -> Result<(), FilterError> {
        self.tables = Arc::new(Tables::new(self.surface(), filter)?);
        self.filter = filter.clone();
        self.drawing.reset();
        self.pending = None;
        Ok(())
    }

    /// Asks for an agent of another radius, in metres, than the mesh was built for: all queries that
    /// follow keep that much distance from walls. Not less than the mesh's own radius, which gives
    /// the mesh as it is.
    ///
    /// The first time a radius is asked for takes time in proportion to the mesh; to share the
    /// result between queries and threads, make a [`Clearance`] and use [`Query::set_clearance`].
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut query = Query::new(&mesh);
    /// assert!(query.locate([0.0, 0.0, 2.0]).is_some());
    /// // Built for 0.3 m; one that is half a metre wider cannot come as near to the border.
    /// query.set_radius(0.8)?;
    /// let place = query.locate([0.0, 0.0, 2.0]).ok_or("the border is too far")?;
    /// assert!((place.point[0] - 0.5).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_radius(&mut self, radius_m: f64) -> Result<(), RadiusError> {
        if self.clearance.as_ref().is_some_and(|c| c.radius_m().to_bits() == radius_m.to_bits()) {
            return Ok(());
        }
        let clearance = Clearance::new(self.mesh, radius_m)?;
        self.set_clearance(Arc::new(clearance))
    }

    /// Asks for the agent of a clearance that was made for this mesh.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query, Clearance};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// use std::sync::Arc;
    /// let wide = Arc::new(Clearance::new(&mesh, 0.8)?);
    /// for _thread in 0..2 {
    ///     Query::new(&mesh).set_clearance(Arc::clone(&wide))?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_clearance(&mut self, clearance: Arc<Clearance>) -> Result<(), RadiusError> {
        clearance.check_mesh(self.mesh)?;
        self.clearance = Some(clearance);
        self.pending = None;
        self.drawing.reset();
        // The filter was sound before and knows nothing of pieces.
        let tables = if self.filter == Filter::default() {
            Tables::plain()
        } else {
            Tables::new(self.surface(), &self.filter).unwrap_or_else(|_| Tables::plain())
        };
        self.tables = Arc::new(tables);
        Ok(())
    }

    /// The place on the mesh nearest to a point, no farther than `extents_m` along each axis of the
    /// user's frame.
    ///
    /// A cell counts with the point of it that is nearest in plan, at the surface's height there,
    /// so a point over a cell leads straight down or up to it. Of all cells the one whose point is
    /// nearest in space is taken.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let query = Query::new(&mesh);
    /// let place = query.nearest([10.0_f32, 0.0, 1.0], [2.0_f32, 1.0, 2.0]).ok_or("too far")?;
    /// assert_eq!(place.point, [9.0, 0.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn nearest(&self, point: impl Position, extents_m: impl Position) -> Option<NearestPoint> {
        let extents = self.canonical_extents(extents_m.coordinates());
        self.place(point.coordinates(), extents).map(|p| self.nearest_point(p))
    }

    /// The cell at a point, within the query's extents, and the place on it.
    #[must_use]
    pub fn locate(&self, point: impl Position) -> Option<NearestPoint> {
        self.place(point.coordinates(), self.extents_m).map(|p| self.nearest_point(p))
    }

    /// The ground straight under a point: the highest cell that lies at most `drop_m` below it, or
    /// at most `rise_m` above it.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let query = Query::new(&mesh);
    /// let place = query.ground_below([3.0, 2.5, 1.0], 0.1, 5.0).ok_or("nothing below")?;
    /// assert_eq!(place.point, [3.0, 0.0, 1.0]);
    /// assert!(query.ground_below([3.0, 2.5, 1.0], 0.1, 1.0).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ground_below(
        &self,
        point: impl Position,
        rise_m: f64,
        drop_m: f64,
    ) -> Option<NearestPoint> {
        let at = self.mesh.canonical_point(point.coordinates());
        let open = |piece| self.tables.is_open(piece);
        place_below(self.surface(), at, rise_m, drop_m, open).map(|p| self.nearest_point(p))
    }

    /// The shortest path between two points, each of which may lie off the mesh by the query's
    /// extents.
    pub fn find_path(&mut self, from: impl Position, to: impl Position) -> Result<Path, PathError> {
        self.find_path_with(from, to, &PathOptions::default())
    }

    /// A path as the options ask for it.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query, PathOptions, PathPoints};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let options = PathOptions { points: PathPoints::Ground, ..PathOptions::default() };
    /// let path = Query::new(&mesh).find_path_with([0.0, 0.0, 0.0], [9.0, 0.0, 4.0], &options)?;
    /// assert!((path.length_m - path.surface_length_m).abs() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_path_with(
        &mut self,
        from: impl Position,
        to: impl Position,
        options: &PathOptions,
    ) -> Result<Path, PathError> {
        let mut path = Path::default();
        self.find_path_into(from, to, options, &mut path)?;
        Ok(path)
    }

    /// The same into a path that is used again, which allocates nothing once it is large enough.
    /// After an error the path is empty.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query, Path, PathOptions};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut query = Query::new(&mesh);
    /// let mut path = Path::default();
    /// for goal in [[9.0, 0.0, 4.0], [9.0, 0.0, 0.0]] {
    ///     query.find_path_into([0.0, 0.0, 0.0], goal, &PathOptions::default(), &mut path)?;
    ///     assert_eq!(path.points.len(), 2);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_path_into(
        &mut self,
        from: impl Position,
        to: impl Position,
        options: &PathOptions,
        path: &mut Path,
    ) -> Result<(), PathError> {
        path.clear();
        self.pending = None;
        let mut pending = self.start_path(from.coordinates(), to.coordinates(), options)?;
        // Searching without a limit is interrupted once at most, to ask A* instead.
        while !pending.done {
            self.go_on(&mut pending, u64::MAX)?;
        }
        self.write_path(&pending, path);
        Ok(())
    }

    /// Begins a search that goes on over several calls: then [`Query::advance`] until it is done,
    /// and [`Query::finish_path`]. Any other path query in between ends it.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query, Path, PathOptions, Progress};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut query = Query::new(&mesh);
    /// query.begin_path([0.0, 0.0, 0.0], [9.0, 0.0, 4.0], &PathOptions::default())?;
    /// while query.advance(1000)? == Progress::Searching {
    ///     // The program draws a frame.
    /// }
    /// let mut path = Path::default();
    /// query.finish_path(&mut path)?;
    /// assert!(path.reaches_goal);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn begin_path(
        &mut self,
        from: impl Position,
        to: impl Position,
        options: &PathOptions,
    ) -> Result<(), PathError> {
        self.pending = None;
        self.pending = Some(self.start_path(from.coordinates(), to.coordinates(), options)?);
        Ok(())
    }

    /// Locates both ends and begins a search between them, unless the goal is in plain sight.
    fn start_path(
        &mut self,
        from: [f64; 3],
        to: [f64; 3],
        options: &PathOptions,
    ) -> Result<Pending, PathError> {
        let start = self.place(from, self.extents_m).ok_or(PathError::StartOffMesh { at: from })?;
        let mut goal = self.place(to, self.extents_m).ok_or(PathError::GoalOffMesh { at: to })?;
        let mut reaches_goal = true;
        let component = self.tables.component(self.surface(), start.piece);
        if component != self.tables.component(self.surface(), goal.piece) {
            let near = match options.unreachable {
                Unreachable::Refuse => None,
                Unreachable::GoNear => self.place_in_component(goal, component),
            };
            goal = near.ok_or_else(|| self.disconnected(start, goal))?;
            reaches_goal = false;
        }
        let options = *options;
        let mut pending = Pending {
            start,
            goal,
            options,
            reaches_goal,
            is_nearest: false,
            by_portals: false,
            done: false,
        };
        self.start_search(&mut pending);
        Ok(pending)
    }

    /// Begins a search between two places, unless the one is in plain sight of the other.
    fn start_search(&mut self, pending: &mut Pending) {
        let Pending { start, goal, options, .. } = *pending;
        pending.by_portals = options.algorithm == Algorithm::Portals || !self.tables.is_uniform();
        self.search.begin(surface!(self), &self.tables, start, goal);
        if start.piece == goal.piece || self.search.walk_straight(surface!(self), &self.tables) {
            pending.done = true;
        } else if pending.by_portals {
            self.search.begin_portals(surface!(self));
        } else {
            self.search.begin_taut(surface!(self), &self.tables);
        }
    }

    /// Goes on with the search for at most `nodes` nodes (one at least). A node takes about a tenth
    /// of a microsecond.
    pub fn advance(&mut self, nodes: u64) -> Result<Progress, PathError> {
        let mut pending = self.pending.take().ok_or(PathError::NoSearch)?;
        if !pending.done {
            self.go_on(&mut pending, nodes)?;
        }
        self.pending = Some(pending);
        Ok(if pending.done { Progress::Done } else { Progress::Searching })
    }

    /// Goes on with a search that is not done.
    fn go_on(&mut self, pending: &mut Pending, nodes: u64) -> Result<(), PathError> {
        let asked_instead = pending.by_portals
            && pending.options.algorithm == Algorithm::Optimal
            && pending.options.over_budget == OverBudget::AskPortals;
        let budget = pending.options.max_nodes.filter(|_| !asked_instead).unwrap_or(u64::MAX);
        let left = budget.saturating_sub(self.search.nodes);
        let limit = nodes.max(1).min(left);
        match self.run_search(pending, limit) {
            Outcome::Found => pending.done = true,
            Outcome::Paused if self.search.nodes >= budget => {
                if pending.by_portals || pending.options.over_budget != OverBudget::AskPortals {
                    return Err(PathError::BudgetSpent { nodes: self.search.nodes });
                }
                self.ask_portals(pending);
            }
            Outcome::Paused => {}
            // Rounding can close a view that is one unit in the last place wide. A* knows no views,
            // so it finds whatever way there is.
            Outcome::Exhausted if !pending.by_portals => self.ask_portals(pending),
            Outcome::Exhausted => self.approach(pending)?,
        }
        Ok(())
    }

    /// After A* has found that one-way links lead only the other way: begins anew, to the place
    /// nearest to the goal among all that can be reached, if that is asked for.
    #[cold]
    fn approach(&mut self, pending: &mut Pending) -> Result<(), PathError> {
        let Pending { start, goal, options, .. } = *pending;
        let disconnected = self.disconnected(start, goal);
        if options.unreachable == Unreachable::Refuse || pending.is_nearest {
            return Err(disconnected);
        }
        self.search.reach_all(surface!(self), &self.tables, start);
        let at = goal.plan.extend(goal.height_m);
        let near = nearest_place(self.surface(), at, [f64::INFINITY; 3], |piece| {
            self.search.is_reached(piece)
        });
        pending.goal = near.ok_or(disconnected)?;
        pending.reaches_goal = false;
        pending.is_nearest = true;
        self.start_search(pending);
        Ok(())
    }

    /// Begins anew with A*.
    fn ask_portals(&mut self, pending: &mut Pending) {
        self.fallbacks += 1;
        pending.by_portals = true;
        self.search.begin(surface!(self), &self.tables, pending.start, pending.goal);
        self.search.begin_portals(surface!(self));
    }

    /// How often, since the query was made, A* was asked instead of the optimal search: where one-way
    /// links lead only the other way, where the budget was spent and [`OverBudget::AskPortals`] says
    /// so, after 67 million nodes, and if rounding has closed a view.
    #[must_use]
    pub fn fallbacks(&self) -> u64 {
        self.fallbacks
    }

    /// Writes the path of a search that is done.
    pub fn finish_path(&mut self, path: &mut Path) -> Result<(), PathError> {
        path.clear();
        let pending = self.pending.filter(|p| p.done).ok_or(PathError::NoSearch)?;
        self.pending = None;
        self.write_path(&pending, path);
        Ok(())
    }

    /// Writes the path of a search that is done into a path that is empty.
    fn write_path(&mut self, pending: &Pending, path: &mut Path) {
        let Pending { start, goal, options, reaches_goal, .. } = *pending;
        path.reaches_goal = reaches_goal;
        path.nodes = self.search.nodes;
        self.tracer.trace(
            surface!(self),
            &self.tables,
            start,
            goal,
            &self.search.corridor,
            self.search.corners_are_known.then_some(&self.search.corners),
            options.points,
            path,
        );
    }

    pub(crate) fn surface(&self) -> Surface<'_> {
        surface!(self)
    }

    fn run_search(&mut self, pending: &Pending, limit: u64) -> Outcome {
        if pending.by_portals {
            self.search.run_portals(surface!(self), &self.tables, limit)
        } else {
            self.search.run_taut(surface!(self), &self.tables, limit)
        }
    }

    /// Half a box of the user's frame as half a box along the canonical axes.
    fn canonical_extents(&self, extents: [f64; 3]) -> [f64; 3] {
        let half = DVec3::from(extents.map(|e| if e > 0.0 { e } else { 0.0 }));
        self.mesh.frame().axes().map(|axis| DVec3::from(axis).abs().dot(half))
    }

    fn place(&self, user: [f64; 3], extents: [f64; 3]) -> Option<Place> {
        let at = self.mesh.canonical_point(user);
        nearest_place(self.surface(), at, extents, |piece| self.tables.is_open(piece))
    }

    /// The place of a component that is nearest to another place.
    fn place_in_component(&self, to: Place, component: u32) -> Option<Place> {
        let at = to.plan.extend(to.height_m);
        nearest_place(self.surface(), at, [f64::INFINITY; 3], |piece| {
            self.tables.is_open(piece) && self.tables.component(self.surface(), piece) == component
        })
    }

    fn cell(&self, piece: u32) -> CellId {
        CellId(self.surface().pieces.cells[piece as usize])
    }

    fn nearest_point(&self, place: Place) -> NearestPoint {
        NearestPoint {
            cell: self.cell(place.piece),
            point: self.mesh.user_point(place.plan, place.height_m),
        }
    }

    fn disconnected(&self, start: Place, goal: Place) -> PathError {
        PathError::Disconnected { start: self.cell(start.piece), goal: self.cell(goal.piece) }
    }
}
