//! Where a query may go and what it costs there.
//!
//! In goes a [`Filter`]; out come tables by piece, fan and link, worked out once when the filter is
//! set, so that a search looks them up. Leaving ground out turns the borders around it into walls:
//! the vertices along them become corners, and the components are counted anew.

use super::query_mesh::QueryMesh;
use crate::data::{AreaId, CellKind, LinkId, LinkKind};
use crate::pieces::{NONE, PieceEdge};
use surefoot_geom::DisjointSets;
use thiserror::Error;

/// Which ground and which links a query uses, and at what cost.
///
/// A cost is a factor on lengths: 1 is plain ground, 2 makes a metre count as two,
/// [`f32::INFINITY`] leaves the ground out. All costs must be above zero.
///
/// ```
/// # use surefoot_mesh::{AreaId, CellKind, Filter};
/// let mut filter = Filter::default();
/// filter.set_area_cost(AreaId(1), 3.0); // mud
/// filter.exclude_area(AreaId(2)); // lava
/// filter.exclude_kind(CellKind::Gap);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// The cost of each area type, by its number; missing ones cost 1.
    pub area_costs: Vec<f32>,
    /// The cost of each kind of cells; it multiplies the area's.
    pub cell_costs: CellCosts,
    /// The cost of each kind of links.
    pub link_costs: LinkCosts,
    /// Links that cannot be used now (a locked door).
    pub closed_links: Vec<LinkId>,
}

/// What a metre costs on each kind of cells: 1 unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct CellCosts {
    /// Walkable ground.
    pub ground: f32,
    /// Ramps laid over stairs.
    pub ramp: f32,
    /// Fillers across gaps.
    pub gap: f32,
}

impl Default for CellCosts {
    fn default() -> Self {
        Self { ground: 1.0, ramp: 1.0, gap: 1.0 }
    }
}

impl CellCosts {
    /// The cost of one kind.
    #[must_use]
    pub fn of(&self, kind: CellKind) -> f32 {
        match kind {
            CellKind::Ground => self.ground,
            CellKind::Ramp => self.ramp,
            CellKind::Gap => self.gap,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, kind: CellKind) -> &mut f32 {
        match kind {
            CellKind::Ground => &mut self.ground,
            CellKind::Ramp => &mut self.ramp,
            CellKind::Gap => &mut self.gap,
        }
    }
}

/// What it costs to take a link.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct LinkCost {
    /// A factor on the straight distance from end to end; it multiplies the cost of the link's area
    /// type.
    pub factor: f32,
    /// What taking the link costs in addition, in metres.
    pub extra_m: f32,
}

impl Default for LinkCost {
    fn default() -> Self {
        Self { factor: 1.0, extra_m: 0.0 }
    }
}

/// What it costs to take a link of each kind: its length unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct LinkCosts {
    /// Height steps.
    pub step: LinkCost,
    /// Gaps.
    pub gap: LinkCost,
    /// Jumps and drops.
    pub jump: LinkCost,
    /// Doors.
    pub door: LinkCost,
}

impl LinkCosts {
    /// The cost of one kind.
    #[must_use]
    pub fn of(&self, kind: LinkKind) -> LinkCost {
        match kind {
            LinkKind::Step => self.step,
            LinkKind::Gap => self.gap,
            LinkKind::Jump => self.jump,
            LinkKind::Door => self.door,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, kind: LinkKind) -> &mut LinkCost {
        match kind {
            LinkKind::Step => &mut self.step,
            LinkKind::Gap => &mut self.gap,
            LinkKind::Jump => &mut self.jump,
            LinkKind::Door => &mut self.door,
        }
    }
}

/// A filter that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A cost is zero, negative or not a number.
    #[error("the cost {cost} is no factor; give a number above zero, infinity to leave ground out")]
    Cost {
        /// The cost given.
        cost: f32,
    },
    /// An extra cost is negative or not a number.
    #[error("the extra cost {extra_m} m is no length; give zero or a finite number above")]
    Extra {
        /// The extra cost given.
        extra_m: f32,
    },
    /// A link that does not exist.
    #[error("link {} is to be closed, but there are only {links}", link.0)]
    NoSuchLink {
        /// The link named.
        link: LinkId,
        /// How many there are.
        links: usize,
    },
}

impl Filter {
    /// Sets the cost of an area type.
    pub fn set_area_cost(&mut self, area: AreaId, cost: f32) {
        if self.area_costs.len() <= area.index() {
            self.area_costs.resize(area.index() + 1, 1.0);
        }
        self.area_costs[area.index()] = cost;
    }

    /// Leaves an area type out.
    pub fn exclude_area(&mut self, area: AreaId) {
        self.set_area_cost(area, f32::INFINITY);
    }

    /// Sets the cost of a kind of cells.
    pub fn set_kind_cost(&mut self, kind: CellKind, cost: f32) {
        *self.cell_costs.of_mut(kind) = cost;
    }

    /// Leaves a kind of cells out.
    pub fn exclude_kind(&mut self, kind: CellKind) {
        self.set_kind_cost(kind, f32::INFINITY);
    }

    /// Sets the factor on the length of a kind of links.
    pub fn set_link_cost(&mut self, kind: LinkKind, factor: f32) {
        self.link_costs.of_mut(kind).factor = factor;
    }

    /// Sets what taking a link of a kind costs in addition, in metres.
    pub fn set_link_extra(&mut self, kind: LinkKind, extra_m: f32) {
        self.link_costs.of_mut(kind).extra_m = extra_m;
    }

    /// Leaves a kind of links out.
    pub fn exclude_links(&mut self, kind: LinkKind) {
        self.set_link_cost(kind, f32::INFINITY);
    }

    /// Keeps one link from being used.
    pub fn close_link(&mut self, link: LinkId) {
        self.closed_links.push(link);
    }

    /// What one metre on a cell of this area type and kind costs.
    #[must_use]
    pub fn cell_cost(&self, area: AreaId, kind: CellKind) -> f32 {
        let area_cost = self.area_costs.get(area.index()).copied().unwrap_or(1.0);
        let kind_cost = self.cell_costs.of(kind);
        if area_cost.is_finite() && kind_cost.is_finite() {
            in_bounds(area_cost * kind_cost)
        } else {
            f32::INFINITY
        }
    }

    fn check(&self, links: usize) -> Result<(), FilterError> {
        let link_costs = || LinkKind::ALL.iter().map(|&kind| self.link_costs.of(kind));
        let costs = (self.area_costs.iter().copied())
            .chain(CellKind::ALL.iter().map(|&kind| self.cell_costs.of(kind)))
            .chain(link_costs().map(|cost| cost.factor));
        for cost in costs {
            if cost <= 0.0 || cost.is_nan() {
                return Err(FilterError::Cost { cost });
            }
        }
        for LinkCost { extra_m, .. } in link_costs() {
            if !(extra_m >= 0.0 && extra_m.is_finite()) {
                return Err(FilterError::Extra { extra_m });
            }
        }
        if let Some(&link) = self.closed_links.iter().find(|l| l.index() >= links) {
            return Err(FilterError::NoSuchLink { link, links });
        }
        Ok(())
    }
}

/// A cost that was worked out of finite ones: however large or small these are, it is finite and above
/// zero. Only what is asked to be infinite leaves ground out.
fn in_bounds(cost: f32) -> f32 {
    cost.clamp(f32::MIN_POSITIVE, f32::MAX)
}

/// A filter worked out for one mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// Whether each piece may be entered; empty when all may.
    open: Vec<bool>,
    /// Whether a taut path may turn at each fan; empty when the mesh's own corners hold.
    corners: Vec<bool>,
    /// The component of each piece; empty when the mesh's own hold.
    components: Vec<u32>,
    /// The cost of each piece; empty when all that are open cost the same.
    costs: Vec<f32>,
    /// The cost of each link relative to the base cost; its factor is infinite when it is closed. Empty when links cost their length.
    link_costs: Vec<LinkCost>,
    /// The least cost of any ground.
    pub(crate) base_cost: f32,
    /// The least of all factors relative to the base cost, never above 1: what a metre of straight
    /// distance costs at least.
    pub(crate) least_factor: f64,
    /// Whether some ground is left out.
    pub(crate) excludes: bool,
}

impl Tables {
    /// Tables that let everything through.
    pub(crate) fn plain() -> Self {
        Self { base_cost: 1.0, least_factor: 1.0, ..Self::default() }
    }

    pub(crate) fn new(mesh: QueryMesh<'_>, filter: &Filter) -> Result<Self, FilterError> {
        filter.check(mesh.links().len())?;
        let mut tables = Self::plain();
        let data = mesh.data();
        let cell_costs: Vec<f32> = data
            .cell_areas
            .iter()
            .zip(&data.cell_kinds)
            .map(|(&area, &kind)| filter.cell_cost(area, kind))
            .collect();
        let finite = || cell_costs.iter().copied().filter(|c| c.is_finite());
        tables.base_cost = finite().fold(f32::INFINITY, f32::min);
        if !tables.base_cost.is_finite() {
            tables.base_cost = 1.0;
        }
        let by_piece = |f: &dyn Fn(u32) -> f32| -> Vec<f32> {
            mesh.pieces.cells.iter().map(|&c| f(c)).collect()
        };
        if finite().any(|c| c > tables.base_cost) {
            let base = tables.base_cost;
            tables.costs = by_piece(&|c| {
                let cost = cell_costs[c as usize];
                if cost.is_finite() { in_bounds(cost / base) } else { cost }
            });
        }
        tables.price_links(mesh, filter);
        tables.excludes = cell_costs.iter().any(|c| !c.is_finite());
        if tables.excludes {
            tables.open =
                mesh.pieces.cells.iter().map(|&c| cell_costs[c as usize].is_finite()).collect();
        }
        if tables.excludes || tables.link_costs.iter().any(|l| !l.factor.is_finite()) {
            tables.find_components(mesh);
        }
        if tables.excludes {
            tables.find_corners(mesh);
        }
        Ok(tables)
    }

    fn price_links(&mut self, mesh: QueryMesh<'_>, filter: &Filter) {
        let mut costs: Vec<LinkCost> = mesh
            .links()
            .iter()
            .map(|link| {
                let area = filter.area_costs.get(link.area.index()).copied().unwrap_or(1.0);
                let LinkCost { factor, extra_m } = filter.link_costs.of(link.kind);
                LinkCost {
                    factor: if area.is_finite() && factor.is_finite() {
                        in_bounds(area * factor / self.base_cost)
                    } else {
                        f32::INFINITY
                    },
                    extra_m: (extra_m / self.base_cost).min(f32::MAX),
                }
            })
            .collect();
        for &link in &filter.closed_links {
            costs[link.index()].factor = f32::INFINITY;
        }
        let plain = |c: &LinkCost| c.factor.to_bits() == 1.0_f32.to_bits() && c.extra_m <= 0.0;
        if !costs.iter().all(plain) {
            self.least_factor = costs.iter().fold(1.0, |m: f64, c| m.min(f64::from(c.factor)));
            self.link_costs = costs;
        }
    }

    fn find_components(&mut self, mesh: QueryMesh<'_>) {
        let p = &mesh.pieces;
        let mut sets = DisjointSets::new(p.piece_count());
        for (e, edge) in p.edges.iter().enumerate() {
            let piece = p.edge_pieces[e];
            if edge.twin != NONE && self.is_open(piece) && self.is_open(edge.twin_piece) {
                sets.join(piece, edge.twin_piece);
            }
        }
        for s in &p.link_samples {
            if self.link_is_open(s.link) && self.is_open(s.from_piece) && self.is_open(s.to_piece) {
                sets.join(s.from_piece, s.to_piece);
            }
        }
        self.components = sets.number().0;
    }

    /// A fan with a piece that is left out may be a corner of what remains.
    fn find_corners(&mut self, mesh: QueryMesh<'_>) {
        let p = &mesh.pieces;
        self.corners = vec![false; p.fan_count as usize];
        for (e, edge) in p.edges.iter().enumerate() {
            if edge.is_corner() || !self.is_open(p.edge_pieces[e]) {
                self.corners[edge.fan() as usize] = true;
            }
        }
    }

    #[inline]
    pub(crate) fn is_open(&self, piece: u32) -> bool {
        self.open.is_empty() || self.open[piece as usize]
    }

    #[inline]
    pub(crate) fn is_corner(&self, edge: &PieceEdge) -> bool {
        if self.corners.is_empty() { edge.is_corner() } else { self.corners[edge.fan() as usize] }
    }

    pub(crate) fn component(&self, mesh: QueryMesh<'_>, piece: u32) -> u32 {
        let own =
            if self.components.is_empty() { &mesh.ground.components } else { &self.components };
        own[piece as usize]
    }

    /// Whether all open ground costs the same.
    pub(crate) fn is_uniform(&self) -> bool {
        self.costs.is_empty()
    }

    /// The cost of a piece relative to the cheapest ground.
    #[inline]
    pub(crate) fn cost(&self, piece: u32) -> f64 {
        if self.costs.is_empty() { 1.0 } else { f64::from(self.costs[piece as usize]) }
    }

    fn link_is_open(&self, link: u32) -> bool {
        self.link_costs.is_empty() || self.link_costs[link as usize].factor.is_finite()
    }

    /// What a link of this length costs, relative to the cheapest ground; `None` when closed.
    pub(crate) fn link_cost(&self, link: u32, length_m: f64) -> Option<f64> {
        if self.link_costs.is_empty() {
            return Some(length_m);
        }
        let LinkCost { factor, extra_m } = self.link_costs[link as usize];
        factor.is_finite().then(|| length_m * f64::from(factor) + f64::from(extra_m))
    }
}
