//! The columns' tiles, and which triangles each of them needs.
//!
//! Goes in: triangles on the lattice. Comes out: whole numbers of columns, counted from the scene's
//! corner, tiles with a margin around them, and for every tile the triangles over it.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::heightfield::grid::{Extent, Grid, Window};
use crate::input::classify::{ClassedTriangle, Classifier, class_triangles};
use crate::input::limits::LIMIT_SLACK_M;
use crate::input::points::metres;
use crate::input::read::Soup;
use crate::settings::VoxelSettings;
use crate::surface::plan_m;
use crate::view::{FaceLook, StageView};
use surefoot_geom::Frame;
use surefoot_geom::lattice::{LATTICE_PER_M, M_PER_LATTICE};
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::{Agent, EdgeClass};

/// The most columns that one tile may have.
const MAX_TILE_COLUMNS: u64 = 1 << 28;

/// Memory is kept ready for so many columns at most.
const MOST_TO_RESERVE: usize = 1 << 18;

/// The most columns that what is stepped over may be wide: a leaning riser, a sloped kerb.
const MOST_RISER_COLUMNS: u32 = 8;

/// The most columns that a gap of open stairs may be wide. A tile's margin holds that many columns.
pub(crate) const MOST_GAP_COLUMNS: u32 = 4;

/// How often storeys are counted from column to column. Each time a tower may lean by a column more;
/// towers that lean farther are counted short. A tile's margin holds that many columns.
pub(crate) const STOREY_ROUNDS: u32 = 3;

/// Columns in tiles, and what the agent can do there. All lengths in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TiledGrid {
    pub(crate) columns: Grid,
    /// Columns along a tile's side.
    tile: u32,
    /// Columns around a tile on which its result depends: whose triangles, whose solid spans and
    /// whose ground.
    margins: [u32; 3],
    /// The agent's height and radius.
    pub(crate) agent_height: i64,
    pub(crate) agent_radius: i64,
    /// The largest difference of height between neighbours.
    pub(crate) climb: i64,
    /// How far ground may stand over walkable ground in its column and still be walked on.
    pub(crate) step: i64,
    /// How many columns wide what is stepped over may be.
    pub(crate) riser_columns: u32,
    /// Whether neighbours must have one discrete height, because a cell is higher than a step.
    pub(crate) level_only: bool,
}

impl TiledGrid {
    fn new(
        extent: Option<&Extent>,
        agent: &Agent,
        voxel: &VoxelSettings,
    ) -> Result<Self, BakeError> {
        let units = |m: f64| (m * LATTICE_PER_M).round();
        let columns =
            Grid::new(extent, units(voxel.cell_size_m) as i32, units(voxel.cell_height_m) as i32);
        let Grid { cell, cell_height, width, depth, .. } = columns;
        let whole = width.max(depth).max(1);
        let tile = if voxel.tile_size_cells == 0 { whole } else { voxel.tile_size_cells };
        let slack = units(LIMIT_SLACK_M);
        let agent_radius = units(agent.radius_m) as i64;
        let reach = (agent_radius / i64::from(cell)) as u32 + 1;
        let flattest_riser = agent.max_step_m / agent.max_slope_rad.tan().max(0.01);
        let riser_columns = ((units(flattest_riser) / f64::from(cell)).ceil() + 1.0)
            .min(f64::from(MOST_RISER_COLUMNS)) as u32;
        // What an own column needs of the ground around it: its height four columns away, storeys
        // from column to column, erosion, and what erosion asks of the columns beside it.
        let ground_margin = reach + 6 + STOREY_ROUNDS;
        let solid_margin = ground_margin + MOST_GAP_COLUMNS;
        let margin = solid_margin + riser_columns;
        let sides = [width, depth].map(|n| u64::from(n.min(tile.saturating_add(2 * margin))));
        if sides[0] * sides[1] > MAX_TILE_COLUMNS {
            let count = (sides[0] * sides[1]) as usize;
            return Err(BakeError::TooLarge { what: "columns in a tile", count });
        }
        let steepest = f64::from(cell) * agent.max_slope_rad.tan() + slack;
        let step = units(agent.max_step_m) + slack;
        Ok(Self {
            columns,
            tile,
            margins: [margin, solid_margin, ground_margin],
            agent_height: (units(agent.height_m) - slack) as i64,
            agent_radius,
            // Never as high as the agent: ground over ground stays apart.
            climb: step.max(steepest.min(0.5 * units(agent.height_m))) as i64,
            step: step as i64,
            riser_columns,
            level_only: f64::from(cell_height) > step,
        })
    }

    /// How many tiles there are along each axis.
    pub(crate) fn tile_counts(&self) -> [u32; 2] {
        [self.columns.width.div_ceil(self.tile), self.columns.depth.div_ceil(self.tile)]
    }

    /// A tile's own columns.
    pub(crate) fn tile_window(&self, tile: usize) -> Window {
        let across = self.tile_counts()[0] as usize;
        let (i, j) = ((tile % across) as u32, (tile / across) as u32);
        let (x0, y0) = (i * self.tile, j * self.tile);
        let end = |from: u32, n: u32| from.saturating_add(self.tile).min(n);
        let (x1, y1) = (end(x0, self.columns.width), end(y0, self.columns.depth));
        Window { x0, y0, x1, y1 }
    }

    /// For how many columns memory is kept ready: as many as the largest tile has with those around
    /// it, unless that is huge. What is not written to costs nothing, while growing costs copies.
    pub(crate) fn columns_to_reserve(&self) -> usize {
        let side = |count: u32| count.min(self.tile.saturating_add(2 * self.margins[0])) as usize;
        (side(self.columns.width) * side(self.columns.depth)).min(MOST_TO_RESERVE)
    }

    /// A tile's columns with those around them whose triangles, whose solid spans and whose ground
    /// have to be known.
    pub(crate) fn windows_around(&self, own: &Window) -> [Window; 3] {
        self.margins.map(|m| Window {
            x0: own.x0.saturating_sub(m),
            y0: own.y0.saturating_sub(m),
            x1: own.x1.saturating_add(m).min(self.columns.width),
            y1: own.y1.saturating_add(m).min(self.columns.depth),
        })
    }
}

/// Triangles sorted into tiles.
#[derive(Debug)]
pub(crate) struct BinnedTiles {
    pub(crate) frame: Frame,
    pub(crate) grid: TiledGrid,
    pub(crate) triangles: Vec<ClassedTriangle>,
    /// Where each tile's triangles begin in `members`, and one past the last at the end.
    firsts: Vec<usize>,
    members: Vec<u32>,
}

impl BinnedTiles {
    /// The borders of tiles and their triangles.
    pub(crate) fn view(&self) -> StageView {
        let frame = &self.frame;
        let mut view = StageView::in_frame(frame);
        for t in self.triangles.iter().filter(|t| t.class.is_ground()) {
            view.add_face(frame, &t.corners.map(metres), FaceLook::ground(t.class.area()));
        }
        let columns = &self.grid.columns;
        for tile in 0..self.tile_count() {
            let own = self.grid.tile_window(tile);
            let at = |x: u32, y: u32| {
                let plan = plan_m(columns.point_from_halves(2 * x as i32, 2 * y as i32));
                plan.extend(f64::from(columns.level_height(0)) * M_PER_LATTICE)
            };
            let corners =
                [at(own.x0, own.y0), at(own.x1, own.y0), at(own.x1, own.y1), at(own.x0, own.y1)];
            for k in 0..4 {
                view.add_edge(frame, [corners[k], corners[(k + 1) % 4]], EdgeClass::Open);
            }
        }
        view
    }

    pub(crate) fn tile_count(&self) -> usize {
        self.firsts.len() - 1
    }

    /// How many triangles lie over a tile and its margin.
    pub(crate) fn triangle_count(&self, tile: usize) -> usize {
        self.firsts[tile + 1] - self.firsts[tile]
    }

    /// The triangles over a tile and its margin.
    pub(crate) fn triangles_of(
        &self,
        tile: usize,
    ) -> impl Iterator<Item = (u32, &ClassedTriangle)> {
        self.members[self.firsts[tile]..self.firsts[tile + 1]]
            .iter()
            .map(|&t| (t, &self.triangles[t as usize]))
    }
}

pub(crate) fn bin_tiles(
    soup: &Soup,
    classifier: &Classifier,
    agent: &Agent,
    voxel: &VoxelSettings,
    context: &mut StageContext<'_>,
) -> Result<BinnedTiles, BakeError> {
    let triangles: Vec<ClassedTriangle> =
        class_triangles(soup, classifier).map(|(triangle, _)| triangle).collect();
    let extent = Extent::around(triangles.iter().flat_map(|t| t.corners));
    let grid = TiledGrid::new(extent.as_ref(), agent, voxel)?;
    let [across, along] = grid.tile_counts();
    let tiles = across as usize * along as usize;
    // The tiles whose margin a triangle may touch, as a rectangle of tiles.
    let ranges: Vec<[u32; 4]> = triangles
        .par_iter()
        .map(|t| {
            let range = |k: usize, first: i64, count: u32| {
                let lo = t.corners.iter().map(|c| c[k]).min().unwrap_or(0);
                let hi = t.corners.iter().map(|c| c[k]).max().unwrap_or(0);
                let column = |v: i32| i64::from(v).div_euclid(i64::from(grid.columns.cell)) - first;
                let (margin, tile) = (i64::from(grid.margins[0]), i64::from(grid.tile));
                let from = (column(lo) - margin).max(0) / tile;
                let to = ((column(hi) + margin) / tile).min(i64::from(count) - 1);
                (from as u32, to as u32)
            };
            let (x0, x1) = range(0, grid.columns.first_column()[0], across);
            let (y0, y1) = range(1, grid.columns.first_column()[1], along);
            [x0, y0, x1, y1]
        })
        .collect();
    let tiles_of = |r: &[u32; 4]| {
        let [x0, y0, x1, y1] = *r;
        (y0..=y1)
            .flat_map(move |y| (x0..=x1).map(move |x| y as usize * across as usize + x as usize))
    };
    let mut firsts = vec![0_usize; tiles + 1];
    for tile in ranges.iter().flat_map(tiles_of) {
        firsts[tile + 1] += 1;
    }
    for i in 0..tiles {
        firsts[i + 1] += firsts[i];
    }
    let mut next = firsts.clone();
    let mut members = vec![0_u32; firsts[tiles]];
    for (t, range) in ranges.iter().enumerate() {
        for tile in tiles_of(range) {
            members[next[tile]] = t as u32;
            next[tile] += 1;
        }
    }
    context.count("tiles", tiles);
    context.count("columns_x", grid.columns.width as usize);
    context.count("columns_y", grid.columns.depth as usize);
    context.count("levels", extent.map_or(0, |e| grid.columns.level(e.hi[2]) as usize + 1));
    Ok(BinnedTiles { frame: soup.frame, grid, triangles, firsts, members })
}
