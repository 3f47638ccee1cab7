//! Who asks: the query, its settings, and where on the mesh a point is.

use super::astar::AStar;
use super::filter::{Filter, FilterError, Tables};
use super::footing::Footing;
use super::locate::{Place, nearest_place, place_below};
use super::path::{NearestPoint, Path, Pending};
use super::polyanya::Polyanya;
use super::position::Position;
use super::query_mesh::QueryMesh;
use super::random::Drawing;
use super::sight::Sight;
use super::write_path::PathWriter;
use crate::clearance::{Clearance, RadiusError};
use crate::data::CellId;
use crate::mesh::NavMesh;
use glam::DVec3;
use std::sync::Arc;

/// How far from the mesh a point may lie sideways unless said otherwise, in metres, or twice the
/// agent's radius if that is more: who stands against a wall is a radius away from the mesh.
pub const DEFAULT_EXTENT_M: f64 = 0.5;

/// Extents beyond this are no wider, in metres: more than any mesh, and little enough to be added up.
const FARTHEST_M: f64 = 1e30;

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
    pub(super) footing: Footing<'m>,
    /// Half the box around a point in which the mesh is looked for, along the canonical axes.
    pub(super) extents_m: [f64; 3],
    filter: Filter,
    pub(super) tables: Arc<Tables>,
    pub(super) polyanya: Polyanya,
    pub(super) astar: AStar,
    pub(super) writer: PathWriter,
    pub(super) sight: Sight,
    pub(super) drawing: Drawing,
    pub(super) pending: Option<Pending>,
    pub(super) fallbacks: u64,
    /// Paths of batches whose place has gone to an error.
    pub(super) spare: Vec<Path>,
    /// The queries of other threads, kept from batch to batch.
    #[cfg(feature = "parallel")]
    helpers: Vec<Helper<'m>>,
}

/// The query of another thread. Apart from its neighbours in memory, so that no thread writes beside
/// what another one reads.
#[cfg(feature = "parallel")]
#[derive(Clone, Debug)]
#[repr(align(128))]
pub(super) struct Helper<'m>(pub(super) Query<'m>);

impl Query<'static> {
    /// A query that shares a mesh with its other owners, for programs that keep both in one place.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMesh, NavMeshData, Query};
    /// use std::sync::Arc;
    /// struct Level {
    ///     mesh: Arc<NavMesh>,
    ///     query: Query<'static>,
    /// }
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// let mesh = Arc::new(data.validate()?);
    /// let mut level = Level { query: Query::shared(Arc::clone(&mesh)), mesh };
    /// let path = level.query.find_path([0.0, 0.0, 0.0], [9.0, 0.0, 4.0])?;
    /// assert_eq!(path.cells.len(), level.mesh.cell_count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shared(mesh: Arc<NavMesh>) -> Self {
        Self::on(Footing::shared(mesh))
    }
}

impl<'m> Query<'m> {
    /// A query on a mesh.
    #[must_use]
    pub fn new(mesh: &'m NavMesh) -> Self {
        Self::on(Footing::borrowed(mesh))
    }

    fn on(footing: Footing<'m>) -> Self {
        let agent = footing.mesh().agent();
        let sideways = DEFAULT_EXTENT_M.max(2.0 * agent.radius_m);
        Self {
            extents_m: [sideways, sideways, agent.height_m],
            footing,
            filter: Filter::default(),
            tables: Arc::new(Tables::plain()),
            polyanya: Polyanya::default(),
            astar: AStar::default(),
            writer: PathWriter::default(),
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
    pub fn mesh(&self) -> &NavMesh {
        self.footing.mesh()
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
        self.tables = Arc::new(Tables::new(self.query_mesh(), filter)?);
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
        if self.footing.clearance().is_some_and(|c| c.radius_m().to_bits() == radius_m.to_bits()) {
            return Ok(());
        }
        let clearance = Clearance::new(self.mesh(), radius_m)?;
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
        clearance.check_mesh(self.mesh())?;
        self.footing.set_clearance(clearance);
        self.pending = None;
        self.drawing.reset();
        // The filter was sound before and knows nothing of pieces.
        let tables = if self.filter == Filter::default() {
            Tables::plain()
        } else {
            Tables::new(self.query_mesh(), &self.filter).unwrap_or_else(|_| Tables::plain())
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
        let at = self.mesh().canonical_point(point.coordinates());
        let open = |piece| self.tables.is_open(piece);
        place_below(self.query_mesh(), at, rise_m, drop_m, open).map(|p| self.nearest_point(p))
    }

    /// Takes so many queries for other threads, who ask as this one does.
    #[cfg(feature = "parallel")]
    pub(super) fn call_helpers(&mut self, count: usize) -> Vec<Helper<'m>> {
        let mut helpers = std::mem::take(&mut self.helpers);
        helpers.truncate(count);
        helpers.resize_with(count, || Helper(Self::on(self.footing.clone())));
        for Helper(helper) in &mut helpers {
            helper.footing.clone_from(&self.footing);
            helper.tables.clone_from(&self.tables);
            helper.extents_m = self.extents_m;
        }
        helpers
    }

    /// Takes helpers back until the next batch.
    #[cfg(feature = "parallel")]
    pub(super) fn keep_helpers(&mut self, mut helpers: Vec<Helper<'m>>) {
        self.fallbacks +=
            helpers.iter_mut().map(|h| std::mem::take(&mut h.0.fallbacks)).sum::<u64>();
        self.helpers = helpers;
    }

    pub(super) fn query_mesh(&self) -> QueryMesh<'_> {
        self.footing.query_mesh()
    }

    /// Half a box of the user's frame as half a box along the canonical axes.
    pub(super) fn canonical_extents(&self, extents: [f64; 3]) -> [f64; 3] {
        // Not infinite, which would be no number along an axis at right angles.
        let half = DVec3::from(extents.map(|e| if e > 0.0 { e.min(FARTHEST_M) } else { 0.0 }));
        self.mesh().frame().axes().map(|axis| DVec3::from(axis).abs().dot(half))
    }

    pub(super) fn place(&self, user: [f64; 3], extents: [f64; 3]) -> Option<Place> {
        let at = self.mesh().canonical_point(user);
        nearest_place(self.query_mesh(), at, extents, |piece| self.tables.is_open(piece))
    }

    /// The place of a component that is nearest to another place.
    pub(super) fn place_in_component(&self, to: Place, component: u32) -> Option<Place> {
        let at = to.plan.extend(to.height_m);
        nearest_place(self.query_mesh(), at, [f64::INFINITY; 3], |piece| {
            self.tables.is_open(piece)
                && self.tables.component(self.query_mesh(), piece) == component
        })
    }

    pub(super) fn cell(&self, piece: u32) -> CellId {
        CellId(self.query_mesh().pieces.cells[piece as usize])
    }

    pub(super) fn nearest_point(&self, place: Place) -> NearestPoint {
        NearestPoint {
            cell: self.cell(place.piece),
            point: self.mesh().user_point(place.plan, place.height_m),
        }
    }
}
