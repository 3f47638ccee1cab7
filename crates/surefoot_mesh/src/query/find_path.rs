//! Path queries: both ends are located, a search is chosen and run, and its answer written.
//!
//! In go two points and options; out comes a path, at once or over several calls. Which search runs
//! when: nothing at all where the goal is in plain sight, Polyanya where all ground costs the same,
//! and A* otherwise, by choice, or where Polyanya has given up.

use super::caller::Query;
use super::locate::{Place, nearest_place};
use super::path::{
    Algorithm, OverBudget, Path, PathError, PathOptions, Pending, SearchProgress, Unreachable,
};
use super::position::Position;
use super::search::{Outcome, Search};
use super::write_path::Route;

impl Query<'_> {
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
    /// # use surefoot_mesh::{Agent, NavMeshData, Query, Path, PathOptions, SearchProgress};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut query = Query::new(&mesh);
    /// query.begin_path([0.0, 0.0, 0.0], [9.0, 0.0, 4.0], &PathOptions::default())?;
    /// while query.advance(1000)? == SearchProgress::Searching {
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
        let component = self.tables.component(self.query_mesh(), start.piece);
        if component != self.tables.component(self.query_mesh(), goal.piece) {
            let near = match options.unreachable {
                Unreachable::Refuse => None,
                Unreachable::NearestReachable => self.place_in_component(goal, component),
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
            by_astar: false,
            done: false,
        };
        self.start_search(&mut pending);
        Ok(pending)
    }

    /// Begins a search between two places, unless the one is in plain sight of the other.
    fn start_search(&mut self, pending: &mut Pending) {
        let Pending { start, goal, options, .. } = *pending;
        let (mesh, tables) = (self.footing.query_mesh(), &*self.tables);
        pending.by_astar = options.algorithm == Algorithm::AStar || !tables.is_uniform();
        let search = if pending.by_astar {
            self.astar.begin(mesh, tables, start, goal);
            &mut self.astar.search
        } else {
            self.polyanya.begin(mesh, tables, start, goal);
            &mut self.polyanya.search
        };
        if start.piece == goal.piece || search.walk_straight(mesh, tables) {
            pending.done = true;
        } else if pending.by_astar {
            self.astar.start(mesh);
        } else {
            self.polyanya.start(mesh, tables);
        }
    }

    /// Goes on with the search for at most `nodes` nodes (one at least). A node takes about a tenth
    /// of a microsecond.
    pub fn advance(&mut self, nodes: u64) -> Result<SearchProgress, PathError> {
        let mut pending = self.pending.take().ok_or(PathError::NoSearch)?;
        if !pending.done {
            self.go_on(&mut pending, nodes)?;
        }
        self.pending = Some(pending);
        Ok(if pending.done { SearchProgress::Done } else { SearchProgress::Searching })
    }

    /// Goes on with a search that is not done.
    fn go_on(&mut self, pending: &mut Pending, nodes: u64) -> Result<(), PathError> {
        let asked_instead = pending.by_astar
            && pending.options.algorithm == Algorithm::Optimal
            && pending.options.over_budget == OverBudget::AskAStar;
        let budget = pending.options.max_nodes.filter(|_| !asked_instead).unwrap_or(u64::MAX);
        let left = budget.saturating_sub(self.search_of(pending).nodes);
        let limit = nodes.max(1).min(left);
        let (mesh, tables) = (self.footing.query_mesh(), &*self.tables);
        let outcome = if pending.by_astar {
            self.astar.run(mesh, tables, limit)
        } else {
            self.polyanya.run(mesh, tables, limit)
        };
        let nodes = self.search_of(pending).nodes;
        match outcome {
            Outcome::Found => pending.done = true,
            Outcome::Paused if nodes >= budget => {
                if pending.by_astar || pending.options.over_budget != OverBudget::AskAStar {
                    return Err(PathError::BudgetSpent { nodes });
                }
                self.ask_astar(pending);
            }
            Outcome::Paused => {}
            // Rounding can close a view that is one unit in the last place wide. A* knows no views,
            // so it finds whatever way there is.
            Outcome::Exhausted if !pending.by_astar => self.ask_astar(pending),
            Outcome::Exhausted => self.approach(pending)?,
        }
        Ok(())
    }

    /// The search that is asked.
    fn search_of(&self, pending: &Pending) -> &Search {
        if pending.by_astar { &self.astar.search } else { &self.polyanya.search }
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
        self.astar.reach_all(self.footing.query_mesh(), &self.tables, start);
        let at = goal.plan.extend(goal.height_m);
        let near = nearest_place(self.query_mesh(), at, [f64::INFINITY; 3], |piece| {
            self.astar.is_reached(piece)
        });
        pending.goal = near.ok_or(disconnected)?;
        pending.reaches_goal = false;
        pending.is_nearest = true;
        self.start_search(pending);
        Ok(())
    }

    /// Begins anew with A*.
    fn ask_astar(&mut self, pending: &mut Pending) {
        self.fallbacks += 1;
        pending.by_astar = true;
        let mesh = self.footing.query_mesh();
        self.astar.begin(mesh, &self.tables, pending.start, pending.goal);
        self.astar.start(mesh);
    }

    /// How often, since the query was made, A* was asked instead of the optimal search: where one-way
    /// links lead only the other way, where the budget was spent and [`OverBudget::AskAStar`] says
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
        let Pending { start, goal, options, reaches_goal, by_astar, .. } = *pending;
        let search = if by_astar { &self.astar.search } else { &self.polyanya.search };
        path.reaches_goal = reaches_goal;
        path.nodes = search.nodes;
        let route = Route {
            start,
            goal,
            corridor: &search.corridor,
            corners: search.corners_are_known.then_some(&search.corners),
        };
        self.writer.write(self.footing.query_mesh(), &self.tables, route, options.points, path);
    }

    fn disconnected(&self, start: Place, goal: Place) -> PathError {
        PathError::Disconnected { start: self.cell(start.piece), goal: self.cell(goal.piece) }
    }
}
