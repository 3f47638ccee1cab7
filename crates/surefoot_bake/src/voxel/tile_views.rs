//! What the steps of a tile leave, to be looked at.
//!
//! A tile's columns, spans and links are gone when the tile is done. While somebody watches, each step is
//! drawn before the next one begins, the tile's own columns alone, and the drawings of all tiles are put
//! together in the order of tiles.

use crate::heightfield::grid::Window;
use crate::heightfield::rasterize::ColumnSamples;
use crate::surface::plan_m;
use crate::view::{FaceLook, StageView};
use crate::voxel::bin_tiles::TiledGrid;
use crate::voxel::divide::Parts;
use crate::voxel::link_neighbours::{CompactHeightfield, NO_SPAN, side_class};
use crate::voxel::segment::{Pieces, TileGround};
use crate::voxel::spans::{Columns, Made};
use crate::voxel::trace_contours::{Run, TracedTile};
use glam::DVec3;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{CellKind, EdgeClass};

/// The steps of a tile in order.
const STEPS: [&str; 7] =
    ["rasterize", "filter_spans", "link_neighbours", "erode", "segment", "distances", "divide"];

/// Drawings of the steps of one tile, or of several.
#[derive(Debug, Default)]
pub(crate) struct TileViews([StageView; STEPS.len()]);

impl TileViews {
    /// Adds those of another tile.
    pub(crate) fn add(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            own.up = other.up;
            own.faces.extend(other.faces);
            own.edges.extend(other.edges);
        }
    }

    /// Each step's name and drawing; steps that left nothing have none.
    pub(crate) fn steps(self) -> impl Iterator<Item = (&'static str, StageView)> {
        STEPS.into_iter().zip(self.0).filter(|(_, v)| !v.faces.is_empty() || !v.edges.is_empty())
    }
}

/// Draws the steps of a tile.
pub(crate) struct TileWatch<'a> {
    frame: &'a Frame,
    grid: &'a TiledGrid,
    window: Window,
    own: Window,
    views: TileViews,
}

impl<'a> TileWatch<'a> {
    /// For a tile's own columns, of those over a window.
    pub(crate) fn new(frame: &'a Frame, grid: &'a TiledGrid, window: Window, own: Window) -> Self {
        let views = TileViews(std::array::from_fn(|_| StageView::in_frame(frame)));
        Self { frame, grid, window, own, views }
    }

    pub(crate) fn finish(self) -> TileViews {
        self.views
    }

    /// The heights of triangles over the columns: ground as such, all else as fillers.
    pub(crate) fn rasterized(&mut self, samples: &ColumnSamples) {
        for (column, place) in self.own_columns() {
            for s in samples.of_column(column) {
                let kind = if s.class.is_ground() { CellKind::Ground } else { CellKind::Gap };
                let look = FaceLook { kind, ..FaceLook::ground(s.class.area()) };
                self.add_square(0, place, s.hi, look);
            }
        }
    }

    /// Ground by what made it, and what is solid as upright lines.
    pub(crate) fn filtered(&mut self, columns: &Columns) {
        for (column, place) in self.own_columns() {
            let solids = columns.solid_firsts[column]..columns.solid_firsts[column + 1];
            for solid in solids {
                let span = &columns.solids[solid as usize];
                let middle = self.at(place, [1, 1], 0);
                let at = |z: i32| middle.with_z(f64::from(z) * M_PER_LATTICE);
                let ends = [at(span.lo), at(span.top)];
                self.views.0[1].add_edge(self.frame, ends, EdgeClass::InnerWall);
            }
            for span in columns.firsts[column]..columns.firsts[column + 1] {
                let ground = &columns.grounds[span as usize];
                let kind = match ground.made {
                    Made::Surface => CellKind::Ground,
                    Made::Riser => CellKind::Ramp,
                    Made::Bridge => CellKind::Gap,
                };
                let look = FaceLook { kind, ..FaceLook::ground(ground.area) };
                self.add_square(1, place, ground.height, look);
            }
        }
    }

    /// TileGround, and what lies beside it where no link leads on.
    pub(crate) fn linked(&mut self, columns: &Columns, field: &CompactHeightfield) {
        self.draw_field(2, columns, field);
    }

    /// The same without the ground that is too near to a wall or a ledge.
    pub(crate) fn eroded(&mut self, columns: &Columns, field: &CompactHeightfield) {
        self.draw_field(3, columns, field);
    }

    fn draw_field(&mut self, step: usize, columns: &Columns, field: &CompactHeightfield) {
        for (column, place) in self.own_columns() {
            for span in columns.firsts[column]..columns.firsts[column + 1] {
                if field.gone[span as usize].is_some() {
                    continue;
                }
                let ground = &columns.grounds[span as usize];
                self.add_square(step, place, ground.height, FaceLook::ground(ground.area));
                for direction in 0..4 {
                    let beyond = match field.links[span as usize][direction] {
                        NO_SPAN => {
                            side_class(columns, self.grid, &self.window, place, span, direction)
                        }
                        other => match field.gone[other as usize] {
                            Some(class) => class,
                            None => continue,
                        },
                    };
                    let ends = side_corners(direction).map(|c| self.at(place, c, ground.height));
                    self.views.0[step].add_edge(self.frame, ends, beyond);
                }
            }
        }
    }

    /// Ground by piece.
    pub(crate) fn segmented(&mut self, ground: &TileGround<'_>, pieces: &Pieces) {
        self.draw_pieces(4, ground, |span| pieces.piece_of[span as usize]);
    }

    /// Ground by its distance to the boundary, where it is divided by that, and by part.
    pub(crate) fn divided(&mut self, ground: &TileGround<'_>, parts: &Parts) {
        for (step, of_span) in [(5, &parts.distances), (6, &parts.part_of)] {
            if !of_span.is_empty() {
                self.draw_pieces(step, ground, |span| of_span[span as usize]);
            }
        }
    }

    fn draw_pieces(&mut self, step: usize, ground: &TileGround<'_>, piece_of: impl Fn(u32) -> u32) {
        for &span in ground.own_spans() {
            let place = ground.field.places[span as usize];
            let area = ground.columns.grounds[span as usize].area;
            let look = FaceLook::ground(area).of(piece_of(span));
            self.add_square(step, place, ground.height(span), look);
        }
    }

    /// The tile's own columns: their number in the window, and their place there.
    fn own_columns(&self) -> impl Iterator<Item = (usize, [u32; 2])> + use<> {
        let (window, own) = (self.window, self.own);
        let (x0, y0) = (own.x0 - window.x0, own.y0 - window.y0);
        (y0..y0 + own.depth()).flat_map(move |y| {
            (x0..x0 + own.width()).map(move |x| ((y * window.width() + x) as usize, [x, y]))
        })
    }

    /// A point of a column, given in halves of its width.
    fn at(&self, [x, y]: [u32; 2], halves: [i32; 2], z: i32) -> DVec3 {
        let [x, y] = [self.window.x0 + x, self.window.y0 + y].map(|v| 2 * v as i32);
        let p = self.grid.columns.point_from_halves(x + halves[0], y + halves[1]);
        plan_m(p).extend(f64::from(z) * M_PER_LATTICE)
    }

    fn add_square(&mut self, step: usize, place: [u32; 2], z: i32, look: FaceLook) {
        let corners = [[0, 0], [2, 0], [2, 2], [0, 2]].map(|c| self.at(place, c, z));
        self.views.0[step].add_face(self.frame, &corners, look);
    }
}

/// The ends of a column's side in a direction, in halves of its width.
fn side_corners(direction: usize) -> [[i32; 2]; 2] {
    [[[2, 0], [2, 2]], [[2, 2], [0, 2]], [[0, 2], [0, 0]], [[0, 0], [2, 0]]][direction]
}

/// Straight stretches of borders, at the height of the ground on their left.
pub(crate) fn view_of_runs<'a>(
    runs: impl Iterator<Item = (&'a Run, EdgeClass)>,
    frame: &Frame,
    grid: &TiledGrid,
) -> StageView {
    let mut view = StageView::in_frame(frame);
    for (run, class) in runs {
        let [from, to] = run.ends().map(|[x, y]| [2 * x as i32, 2 * y as i32]);
        let at = |[x, y]: [i32; 2], z: i32| {
            plan_m(grid.columns.point_from_halves(x, y)).extend(f64::from(z) * M_PER_LATTICE)
        };
        view.add_edge(frame, [at(from, run.left_heights[0]), at(to, run.left_heights[1])], class);
    }
    view
}

/// The borders of all tiles.
pub(crate) fn view_of_tiles(tiles: &[TracedTile], frame: &Frame, grid: &TiledGrid) -> StageView {
    let runs = tiles.iter().flat_map(|t| t.runs.iter().map(|r| (r, r.class())));
    view_of_runs(runs, frame, grid)
}
