//! The grid of columns over a scene, its tiles, and which triangles each tile needs.
//!
//! Goes in: triangles on the lattice. Comes out: whole numbers of columns, counted from the scene's
//! corner, tiles with a margin around them, and for every tile the triangles over it. A column's
//! borders are whole lattice units, so every question about a column has one answer, whoever asks.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::read::{Soup, normal_units};
use crate::settings::Resolved;
use crate::voxel::bridge_gaps::MOST_GAP_COLUMNS;
use crate::voxel::segment::STOREY_ROUNDS;
use glam::DVec3;
use rayon::prelude::*;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::LATTICE_PER_M;

/// What a limit given by the agent is allowed to be exceeded by, in metres: as in the exact pipeline.
const LIMIT_SLACK_M: f64 = 1e-4;

/// Allowed over the cosine of the slope limit, so that a slope of exactly the limit can be walked.
const SLOPE_SLACK: f64 = 1e-6;

/// Sine of the lean below which a triangle counts as upright.
const VERTICAL_SINE: f64 = 0.02;

/// The most columns that one tile may have.
const MAX_TILE_COLUMNS: u64 = 1 << 28;

/// Memory is kept ready for so many columns at most.
const MOST_TO_RESERVE: usize = 1 << 18;

/// The most columns that what is stepped over may be wide: a leaning riser, a sloped kerb.
const MOST_RISER_COLUMNS: u32 = 8;

/// What a triangle is to a column, packed: facing, whether it can be walked on, area type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Surface(u32);

impl Surface {
    /// Neither up nor down: a wall.
    pub(crate) const UPRIGHT: Self = Self(0);
    /// Facing up, too steep to walk on.
    pub(crate) const STEEP: Self = Self(1);
    /// Facing down.
    pub(crate) const DOWN: Self = Self(2);

    /// All that it is, packed.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// What was packed.
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Ground of an area type.
    pub(crate) const fn ground(area: u16) -> Self {
        Self(5 | (area as u32) << 16)
    }

    pub(crate) const fn faces_up(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) const fn faces_down(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) const fn is_ground(self) -> bool {
        self.0 & 4 != 0
    }

    pub(crate) const fn area(self) -> u16 {
        (self.0 >> 16) as u16
    }
}

/// A triangle that is rasterized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridTriangle {
    /// Its corners, in lattice units.
    pub(crate) corners: [[i32; 3]; 3],
    /// What it is to a column.
    pub(crate) surface: Surface,
}

/// A rectangle of columns: from `x0, y0` up to, not including, `x1, y1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) x0: u32,
    pub(crate) y0: u32,
    pub(crate) x1: u32,
    pub(crate) y1: u32,
}

impl Window {
    pub(crate) const fn width(&self) -> u32 {
        self.x1 - self.x0
    }

    pub(crate) const fn depth(&self) -> u32 {
        self.y1 - self.y0
    }

    pub(crate) const fn columns(&self) -> usize {
        self.width() as usize * self.depth() as usize
    }

    /// The columns of one of its rows, counted through the window, that lie in a smaller window.
    pub(crate) fn columns_within(&self, inner: &Self, row: u32) -> std::ops::Range<usize> {
        let first = row as usize * self.width() as usize;
        if !(inner.y0..inner.y1).contains(&(self.y0 + row)) {
            return first..first;
        }
        first + (inner.x0 - self.x0) as usize..first + (inner.x1 - self.x0) as usize
    }
}

/// Columns over a scene. All lengths in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Width of a column; even, so that its middle is a lattice point.
    pub(crate) cell: i32,
    /// Height of a cell.
    pub(crate) cell_height: i32,
    /// The first column, counted from the frame's origin.
    first: [i64; 2],
    /// The scene's lowest point.
    base: i32,
    /// Columns along each axis.
    pub(crate) width: u32,
    pub(crate) depth: u32,
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

impl Grid {
    /// The grid over some triangles; empty where there are none.
    pub(crate) fn new(triangles: &[GridTriangle], settings: &Resolved) -> Result<Self, BakeError> {
        let voxel = &settings.voxel;
        let agent = &settings.agent;
        let units = |m: f64| (m * LATTICE_PER_M).round();
        let cell = 2 * (units(voxel.cell_size_m) as i32 / 2).max(1);
        let cell_height = (units(voxel.cell_height_m) as i32).max(1);
        let (mut lo, mut hi) = ([i32::MAX; 3], [i32::MIN; 3]);
        for p in triangles.iter().flat_map(|t| t.corners) {
            for k in 0..3 {
                lo[k] = lo[k].min(p[k]);
                hi[k] = hi[k].max(p[k]);
            }
        }
        let column = |v: i32| i64::from(v).div_euclid(i64::from(cell));
        let first = if triangles.is_empty() { [0, 0] } else { [column(lo[0]), column(lo[1])] };
        let count = |k: usize| match triangles.is_empty() {
            true => 0,
            false => (column(hi[k]) - first[k] + 1) as u32,
        };
        let (width, depth) = (count(0), count(1));
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
            cell,
            cell_height,
            first,
            base: if triangles.is_empty() { 0 } else { lo[2] },
            width,
            depth,
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
        [self.width.div_ceil(self.tile), self.depth.div_ceil(self.tile)]
    }

    /// A tile's own columns.
    pub(crate) fn tile_window(&self, tile: usize) -> Window {
        let across = self.tile_counts()[0] as usize;
        let (i, j) = ((tile % across) as u32, (tile / across) as u32);
        let (x0, y0) = (i * self.tile, j * self.tile);
        let end = |from: u32, n: u32| from.saturating_add(self.tile).min(n);
        let (x1, y1) = (end(x0, self.width), end(y0, self.depth));
        Window { x0, y0, x1, y1 }
    }

    /// For how many columns memory is kept ready: as many as the largest tile has with those around
    /// it, unless that is huge. What is not written to costs nothing, while growing costs copies.
    pub(crate) fn columns_to_reserve(&self) -> usize {
        let side = |count: u32| count.min(self.tile.saturating_add(2 * self.margins[0])) as usize;
        (side(self.width) * side(self.depth)).min(MOST_TO_RESERVE)
    }

    /// A tile's columns with those around them whose triangles, whose solid spans and whose ground
    /// have to be known.
    pub(crate) fn windows_around(&self, own: &Window) -> [Window; 3] {
        self.margins.map(|m| Window {
            x0: own.x0.saturating_sub(m),
            y0: own.y0.saturating_sub(m),
            x1: own.x1.saturating_add(m).min(self.width),
            y1: own.y1.saturating_add(m).min(self.depth),
        })
    }

    /// The first column, counted from the frame's origin.
    pub(crate) const fn first_column(&self) -> [i64; 2] {
        self.first
    }

    /// A position given in half columns.
    pub(crate) fn point_from_halves(&self, x: i32, y: i32) -> LatticePoint {
        let half = i64::from(self.cell / 2);
        let at = |v: i32, first: i64| {
            let units = (2 * first + i64::from(v)) * half;
            units.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        };
        LatticePoint::new(at(x, self.first[0]), at(y, self.first[1]))
    }

    /// The discrete height of a height.
    pub(crate) fn level(&self, z: i32) -> i32 {
        ((i64::from(z) - i64::from(self.base)) / i64::from(self.cell_height)) as i32
    }

    /// The middle of a discrete height.
    pub(crate) fn level_height(&self, level: i32) -> i32 {
        let z = i64::from(self.base)
            + i64::from(level) * i64::from(self.cell_height)
            + i64::from(self.cell_height / 2);
        z.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }

    /// Layers of cells from the lowest to the highest point.
    pub(crate) fn levels(&self, triangles: &[GridTriangle]) -> usize {
        let top = triangles.iter().flat_map(|t| t.corners).map(|p| p[2]).max();
        top.map_or(0, |z| self.level(z) as usize + 1)
    }
}

/// Triangles sorted into tiles.
#[derive(Debug)]
pub(crate) struct BinnedTiles {
    pub(crate) grid: Grid,
    pub(crate) triangles: Vec<GridTriangle>,
    /// Where each tile's triangles begin in `members`, and one past the last at the end.
    firsts: Vec<usize>,
    members: Vec<u32>,
}

impl BinnedTiles {
    pub(crate) fn tile_count(&self) -> usize {
        self.firsts.len() - 1
    }

    /// How many triangles lie over a tile and its margin.
    pub(crate) fn triangle_count(&self, tile: usize) -> usize {
        self.firsts[tile + 1] - self.firsts[tile]
    }

    /// The triangles over a tile and its margin.
    pub(crate) fn triangles_of(&self, tile: usize) -> impl Iterator<Item = (u32, &GridTriangle)> {
        self.members[self.firsts[tile]..self.firsts[tile + 1]]
            .iter()
            .map(|&t| (t, &self.triangles[t as usize]))
    }
}

pub(crate) fn bin_tiles(
    soup: &Soup,
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<BinnedTiles, BakeError> {
    let triangles = class_triangles(soup, settings);
    let grid = Grid::new(&triangles, settings)?;
    let [across, along] = grid.tile_counts();
    let tiles = across as usize * along as usize;
    // The tiles whose margin a triangle may touch, as a rectangle of tiles.
    let ranges: Vec<[u32; 4]> = triangles
        .par_iter()
        .map(|t| {
            let range = |k: usize, first: i64, count: u32| {
                let lo = t.corners.iter().map(|c| c[k]).min().unwrap_or(0);
                let hi = t.corners.iter().map(|c| c[k]).max().unwrap_or(0);
                let column = |v: i32| i64::from(v).div_euclid(i64::from(grid.cell)) - first;
                let (margin, tile) = (i64::from(grid.margins[0]), i64::from(grid.tile));
                let from = (column(lo) - margin).max(0) / tile;
                let to = ((column(hi) + margin) / tile).min(i64::from(count) - 1);
                (from as u32, to as u32)
            };
            let (x0, x1) = range(0, grid.first[0], across);
            let (y0, y1) = range(1, grid.first[1], along);
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
    context.count("columns_x", grid.width as usize);
    context.count("columns_y", grid.depth as usize);
    context.count("levels", grid.levels(&triangles));
    Ok(BinnedTiles { grid, triangles, firsts, members })
}

/// What every triangle is to a column. Of a sheet seen from both sides, the side that faces down is
/// left out: it begins a solid of no thickness.
pub(crate) fn class_triangles(soup: &Soup, settings: &Resolved) -> Vec<GridTriangle> {
    let classes = Classes::new(settings);
    soup.triangles
        .par_iter()
        .zip(&soup.areas)
        .filter_map(|(t, area)| {
            let corners = t.map(|p| soup.points[p as usize]);
            let is_sheet = || soup.triangles.binary_search(&[t[0], t[2], t[1]]).is_ok();
            let surface = classes.class(&corners, area.0, is_sheet)?;
            Some(GridTriangle { corners, surface })
        })
        .collect()
}

/// How triangles are told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classes {
    /// The least cosine of ground's slope.
    least_cosine: f64,
    two_sided: bool,
}

impl Classes {
    pub(crate) fn new(settings: &Resolved) -> Self {
        let least_cosine = settings.agent.max_slope_rad.cos() - SLOPE_SLACK;
        Self { least_cosine, two_sided: settings.voxel.two_sided }
    }

    /// How much ground rises at most for its run.
    pub(crate) fn steepest_rise(&self) -> f64 {
        let cosine = self.least_cosine.max(f64::MIN_POSITIVE);
        (1.0 - cosine * cosine).max(0.0).sqrt() / cosine
    }

    /// What a triangle is to a column; nothing for the lower side of a sheet that is seen from both.
    pub(crate) fn class(
        &self,
        corners: &[[i32; 3]; 3],
        area: u16,
        is_sheet: impl FnOnce() -> bool,
    ) -> Option<Surface> {
        let class = self.facing(normal_units(corners[0], corners[1], corners[2]), area);
        (class != Surface::DOWN || !is_sheet()).then_some(class)
    }

    /// What a triangle with a normal of any length is to a column. Squares tell, without a root and a division; only
    /// where they all but equal a limit is the normal made a unit long.
    #[inline]
    pub(crate) fn facing(&self, normal: DVec3, area: u16) -> Surface {
        // Far more than rounding makes of it, and far less than slopes differ by.
        const DOUBT: f64 = 1e-12;
        let up = if self.two_sided { normal.z.abs() } else { normal.z };
        // With their signs squares have the order of what they are made from.
        let (square, length) = (up * up.abs(), normal.length_squared());
        let from_ground = square - self.least_cosine * self.least_cosine.abs() * length;
        let from_upright = square.abs() - VERTICAL_SINE * VERTICAL_SINE * length;
        let nearest = DOUBT * length;
        // What is no number lies nowhere.
        if (from_ground.abs() > nearest) & (from_upright.abs() > nearest) {
            return Self::class_of(from_ground > 0.0, from_upright < 0.0, up > 0.0, area);
        }
        self.facing_by_cosine(normal, area)
    }

    /// The same by the cosine of the triangle's slope.
    #[cold]
    fn facing_by_cosine(&self, normal: DVec3, area: u16) -> Surface {
        let normal = normal.normalize_or_zero();
        let up = if self.two_sided { normal.z.abs() } else { normal.z };
        let (is_ground, is_upright) = (up >= self.least_cosine, up.abs() < VERTICAL_SINE);
        Self::class_of(is_ground, is_upright, up > 0.0, area)
    }

    /// The class of what is ground, or else upright, or else faces up or down. The classes of a crowd follow no
    /// pattern, so no branch asks.
    #[inline]
    fn class_of(is_ground: bool, is_upright: bool, is_up: bool, area: u16) -> Surface {
        let [is_ground, is_upright, is_up] = [is_ground, is_upright, is_up].map(u32::from);
        let leaning = Surface::DOWN.0 - is_up * (Surface::DOWN.0 - Surface::STEEP.0);
        // All bits or none of each.
        let (ground, other) = (is_ground.wrapping_neg(), is_upright.wrapping_sub(1) & leaning);
        Surface((Surface::ground(area).0 & ground) | (other & !ground))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::BakeSettings;

    /// Normals all around, of several lengths, told apart one question after another.
    #[test]
    fn classes_are_those_that_questions_give() {
        let settings = BakeSettings::default().resolve().unwrap();
        for two_sided in [false, true] {
            let classes = Classes { two_sided, ..Classes::new(&settings) };
            let mut counts = [0; 4];
            for degree in 0..360 {
                let (sine, cosine) = f64::from(degree).to_radians().sin_cos();
                let normal = DVec3::new(0.6 * sine, 0.8 * sine, cosine);
                let up = if two_sided { cosine.abs() } else { cosine };
                let (expected, kind) = if up >= classes.least_cosine {
                    (Surface::ground(9), 0)
                } else if up.abs() < VERTICAL_SINE {
                    (Surface::UPRIGHT, 1)
                } else if up > 0.0 {
                    (Surface::STEEP, 2)
                } else {
                    (Surface::DOWN, 3)
                };
                for length in [1.0, 3e-3, 7e9] {
                    assert_eq!(classes.facing(length * normal, 9), expected, "{degree}");
                }
                counts[kind] += 1;
            }
            assert_eq!(counts.map(|n| n > 0), [true, true, true, !two_sided]);
        }
    }

    /// Slopes around the limits, from where squares tell down to the last bit.
    #[test]
    fn squares_tell_what_cosines_do() {
        let settings = BakeSettings::default().resolve().unwrap();
        let (plain, mut counts) = (Classes::new(&settings), [0; 2]);
        for least_cosine in [plain.least_cosine, 0.0, -1e-6] {
            let classes = Classes { least_cosine, ..plain };
            for limit in [least_cosine, VERTICAL_SINE, -VERTICAL_SINE] {
                for away in (0..60).map(|k| 0.5_f64.powi(k)).chain([0.0]) {
                    for up in [limit - away, limit + away].map(|up| up.clamp(-1.0, 1.0)) {
                        let normal = 1e6 * DVec3::new((1.0 - up * up).sqrt(), 0.0, up);
                        let class = classes.facing(normal, 9);
                        assert_eq!(class, classes.facing_by_cosine(normal, 9), "{up} by {away}");
                        counts[usize::from(class.is_ground())] += 1;
                    }
                }
            }
        }
        assert!(counts.iter().all(|n| *n > 100), "{counts:?} are no ground, and are");
    }
}
