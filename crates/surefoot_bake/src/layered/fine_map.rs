//! The fine depth maps of all layers: one height for every fine cell of every layer.
//!
//! A fine cell of a layer is a pixel; pixels are numbered cell by cell of the cutting shape, row by row
//! within a coarse column. All are flat arrays.

use crate::context::{StageView, ViewFace};
use crate::layered::cutting_shape::CuttingShape;
use crate::layered::refine::{rise, slope};
use crate::layered::scales::Scales;
use crate::layered::slice::Slices;
use surefoot_geom::Frame;
use surefoot_geom::lattice::M_PER_LATTICE;
use surefoot_mesh::{AreaId, CellKind};

/// In [`FineMap::heights`]: no ground.
pub(crate) const NO_HEIGHT: i32 = i32::MIN;

/// No pixel.
pub(crate) const NO_PIXEL: u32 = u32::MAX;

/// The steps to the next pixel in each direction: east, north, west, south.
pub(crate) const STEPS: [[i64; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

/// What a pixel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum PixelKind {
    /// No ground.
    Nothing,
    /// Ground.
    Ground,
    /// Too steep to walk on, but facing up: a riser, where it leads from ground to ground.
    Steep,
    /// Laid across the gap between two treads, or over a crack.
    Bridge,
}

/// Ground under a steep pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Under {
    pub(crate) pixel: u32,
    pub(crate) height: i32,
    pub(crate) ground: u32,
}

/// The plane of a bridge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BridgePlane {
    /// How much it rises along each axis.
    pub(crate) slope: [f64; 2],
    /// The heights of the lower and of the upper tread: it goes no farther.
    pub(crate) range: [i32; 2],
    /// Whether it is a way between treads; otherwise it closes a crack.
    pub(crate) is_ramp: bool,
}

/// The fine depth maps.
#[derive(Debug)]
pub(crate) struct FineMap {
    pub(crate) shape: CuttingShape,
    /// The height of the ground in the middle of each pixel, in lattice units, or [`NO_HEIGHT`].
    pub(crate) heights: Vec<i32>,
    /// The triangle that is the ground there.
    pub(crate) grounds: Vec<u32>,
    pub(crate) kinds: Vec<PixelKind>,
    /// Area types.
    pub(crate) areas: Vec<u16>,
    /// The ground under steep pixels, sorted by pixel.
    pub(crate) under: Vec<Under>,
    /// The planes of bridges, sorted by pixel.
    pub(crate) bridges: Vec<(u32, BridgePlane)>,
    /// For every triangle, whether it is steep and no riser; empty where none is.
    pub(crate) refused: Vec<bool>,
    /// For every pixel a bit for each direction in which ground was dropped that does not count, so that no end
    /// there counts either; empty where nothing was dropped.
    pub(crate) cut_off: Vec<u8>,
}

/// A place among all fine cells, whatever their layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FinePlace {
    pub(crate) y: i64,
    pub(crate) x: i64,
}

impl FineMap {
    pub(crate) fn len(&self) -> usize {
        self.heights.len()
    }

    /// The cell of the cutting shape that a pixel lies in.
    pub(crate) fn cell_of(&self, pixel: u32, scales: &Scales) -> u32 {
        scales.by_cell.divide(pixel).0
    }

    pub(crate) fn layer_of(&self, pixel: u32, scales: &Scales) -> u32 {
        self.shape.layers[self.cell_of(pixel, scales) as usize]
    }

    /// Whether a triangle is steep and no riser.
    #[inline]
    pub(crate) fn is_refused(&self, triangle: u32) -> bool {
        self.refused.get(triangle as usize).is_some_and(|refused| *refused)
    }

    /// Whether ground was dropped in a direction from a pixel.
    #[inline]
    pub(crate) fn is_cut_off(&self, pixel: u32, direction: usize) -> bool {
        self.cut_off.get(pixel as usize).is_some_and(|bits| bits & 1 << direction != 0)
    }

    /// How much the ground of a pixel rises along each axis.
    pub(crate) fn slope(&self, pixel: u32, slices: &Slices) -> [f64; 2] {
        match self.bridge(pixel) {
            Some(bridge) => bridge.slope,
            None => slope(&slices.triangles[self.grounds[pixel as usize] as usize]),
        }
    }

    /// The same along one axis.
    #[inline]
    pub(crate) fn rise(&self, pixel: u32, axis: usize, slices: &Slices) -> f64 {
        match self.bridge(pixel) {
            Some(bridge) => bridge.slope[axis],
            None => rise(&slices.triangles[self.grounds[pixel as usize] as usize], axis),
        }
    }

    pub(crate) fn bridge(&self, pixel: u32) -> Option<&BridgePlane> {
        if self.kinds[pixel as usize] != PixelKind::Bridge {
            return None;
        }
        let at = self.bridges.binary_search_by_key(&pixel, |b| b.0).ok()?;
        Some(&self.bridges[at].1)
    }

    /// The height of a pixel's ground beside its middle, in lattice units.
    pub(crate) fn height_beside(&self, pixel: u32, away: [f64; 2], slices: &Slices) -> f64 {
        self.height_with(pixel, self.slope(pixel, slices), away)
    }

    /// The same where it is known how much the ground rises.
    #[inline]
    pub(crate) fn height_with(&self, pixel: u32, [sx, sy]: [f64; 2], away: [f64; 2]) -> f64 {
        let z = f64::from(self.heights[pixel as usize]) + sx * away[0] + sy * away[1];
        match self.bridge(pixel) {
            Some(bridge) => z.clamp(f64::from(bridge.range[0]), f64::from(bridge.range[1])),
            None => z,
        }
    }

    #[inline]
    pub(crate) fn has_ground(&self, pixel: u32) -> bool {
        self.heights[pixel as usize] != NO_HEIGHT
    }

    /// Where a pixel lies, counted in fine cells from the coarse grid's corner.
    #[inline]
    pub(crate) fn place(&self, pixel: u32, scales: &Scales) -> FinePlace {
        let side = scales.per_side;
        let (cell, within) = scales.by_cell.divide(pixel);
        let [x, y] = scales.place(self.shape.columns[cell as usize]);
        let (j, i) = scales.by_side.divide(within);
        FinePlace { y: i64::from(y * side + j), x: i64::from(x * side + i) }
    }

    /// The middle of a pixel, in lattice units.
    pub(crate) fn middle(&self, pixel: u32, scales: &Scales) -> [i64; 2] {
        let p = self.place(pixel, scales);
        middle_of(p, scales)
    }

    /// The pixels of all layers at a place.
    #[inline]
    pub(crate) fn pixels_at(
        &self,
        place: FinePlace,
        scales: &Scales,
    ) -> impl Iterator<Item = u32> + use<> {
        let (cells, within) = match locate(place, scales) {
            Some((column, within)) => (self.shape.cells_of(column), within),
            None => (0..0, 0),
        };
        let per_cell = scales.pixels_per_cell() as u32;
        cells.map(move |cell| cell * per_cell + within)
    }
}

impl FineMap {
    /// What a person would look at: a square for every pixel that is shown, coloured by layer; one for
    /// a whole cell where all its pixels are shown and lie on one triangle.
    pub(crate) fn view(
        &self,
        frame: &Frame,
        slices: &Slices,
        scales: &Scales,
        is_shown: impl Fn(u32) -> bool,
    ) -> StageView {
        let mut view = StageView { up: frame.up(), ..StageView::default() };
        let per_cell = scales.pixels_per_cell() as u32;
        for cell in 0..self.shape.len() as u32 {
            let pixels = cell * per_cell..(cell + 1) * per_cell;
            let first = pixels.start;
            let ground = self.grounds[first as usize];
            let whole = pixels.clone().all(|p| is_shown(p) && self.grounds[p as usize] == ground);
            let squares = if whole { first..first + 1 } else { pixels };
            for pixel in squares.filter(|&p| is_shown(p)) {
                let side =
                    i64::from(scales.fine) * if whole { i64::from(scales.per_side) } else { 1 };
                let middle = self.middle(pixel, scales);
                let low = middle.map(|v| v - i64::from(scales.fine) / 2);
                let at = |dx: i64, dy: i64| {
                    let p = [low[0] + dx * side, low[1] + dy * side];
                    let away = [(p[0] - middle[0]) as f64, (p[1] - middle[1]) as f64];
                    let z = self.height_beside(pixel, away, slices);
                    let p = glam::DVec3::new(p[0] as f64, p[1] as f64, z) * M_PER_LATTICE;
                    frame.user_from_canonical(p)
                };
                view.faces.push(ViewFace {
                    loops: vec![vec![at(0, 0), at(1, 0), at(1, 1), at(0, 1)]],
                    triangles: Vec::new(),
                    kind: CellKind::Ground,
                    area: AreaId(self.areas[pixel as usize]),
                    component: Some(self.shape.layers[cell as usize]),
                });
            }
        }
        view
    }
}

/// Takes a pixel's ground away.
pub(crate) fn clear(map: &mut FineMap, pixel: usize) {
    map.heights[pixel] = NO_HEIGHT;
    map.grounds[pixel] = NO_PIXEL;
    map.kinds[pixel] = PixelKind::Nothing;
}

/// The coarse column over a place.
pub(crate) fn column_at(place: FinePlace, scales: &Scales) -> Option<u32> {
    locate(place, scales).map(|(column, _)| column)
}

/// The coarse column over a place, and the number of the pixel within it.
#[inline]
fn locate(place: FinePlace, scales: &Scales) -> Option<(u32, u32)> {
    let (x, y) = (u32::try_from(place.x).ok()?, u32::try_from(place.y).ok()?);
    let ((x, i), (y, j)) = (scales.by_side.divide(x), scales.by_side.divide(y));
    let inside = x < scales.coarse.width && y < scales.coarse.depth;
    inside.then(|| (y * scales.coarse.width + x, j * scales.per_side + i))
}

/// The middle of a place, in lattice units.
pub(crate) fn middle_of(place: FinePlace, scales: &Scales) -> [i64; 2] {
    let first = scales.coarse.first_column();
    let (cell, fine) = (i64::from(scales.coarse.cell), i64::from(scales.fine));
    [first[0] * cell + place.x * fine + fine / 2, first[1] * cell + place.y * fine + fine / 2]
}

#[cfg(test)]
impl FineMap {
    /// Ground alone at the heights of all pixels of some cells, given column by column.
    pub(crate) fn of_heights(firsts: Vec<u32>, columns: Vec<u32>, heights: Vec<i32>) -> Self {
        let (count, zeros) = (heights.len(), vec![0; columns.len()]);
        let layers = vec![0; columns.len()];
        let shape = CuttingShape { firsts, columns, layers, lows: zeros.clone(), highs: zeros };
        Self {
            shape,
            heights,
            grounds: vec![0; count],
            kinds: vec![PixelKind::Ground; count],
            areas: vec![0; count],
            under: Vec::new(),
            bridges: Vec::new(),
            refused: Vec::new(),
            cut_off: Vec::new(),
        }
    }
}
