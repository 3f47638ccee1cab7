//! The fine depth maps of all layers: one height for every fine cell of every layer.
//!
//! A fine cell of a layer is a pixel; pixels are numbered cell by cell of the cutting shape, row by row
//! within a coarse column. All are flat arrays.

use crate::layered::model::cutting_shape::CuttingShape;
use crate::layered::model::scales::Scales;

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

impl FinePlace {
    /// The place so far along each axis from this one.
    #[inline]
    pub(crate) const fn beside(self, [dx, dy]: [i64; 2]) -> Self {
        Self { y: self.y + dy, x: self.x + dx }
    }

    /// The coarse column over it, and the pixel there.
    #[inline]
    pub(crate) fn in_column(self, scales: &Scales) -> Option<(u32, [u32; 2])> {
        let (x, y) = (u32::try_from(self.x).ok()?, u32::try_from(self.y).ok()?);
        let side = scales.per_side;
        let (column, pixel) = ([x / side, y / side], [x % side, y % side]);
        let inside = column[0] < scales.coarse.width && column[1] < scales.coarse.depth;
        inside.then(|| (column[1] * scales.coarse.width + column[0], pixel))
    }

    /// Its middle, in lattice units.
    pub(crate) fn middle(self, scales: &Scales) -> [i64; 2] {
        let first = scales.coarse.first_column();
        let (cell, fine) = (i64::from(scales.coarse.cell), i64::from(scales.fine));
        [first[0] * cell + self.x * fine + fine / 2, first[1] * cell + self.y * fine + fine / 2]
    }
}

impl FineMap {
    /// Takes a pixel's ground away.
    pub(crate) fn clear(&mut self, pixel: usize) {
        self.heights[pixel] = NO_HEIGHT;
        self.grounds[pixel] = NO_PIXEL;
        self.kinds[pixel] = PixelKind::Nothing;
    }

    pub(crate) fn len(&self) -> usize {
        self.heights.len()
    }

    /// The cell of the cutting shape that a pixel lies in.
    pub(crate) fn cell_of(&self, pixel: u32, scales: &Scales) -> u32 {
        scales.split(pixel).0
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

    pub(crate) fn bridge(&self, pixel: u32) -> Option<&BridgePlane> {
        if self.kinds[pixel as usize] != PixelKind::Bridge {
            return None;
        }
        let at = self.bridges.binary_search_by_key(&pixel, |b| b.0).ok()?;
        Some(&self.bridges[at].1)
    }

    /// The height of a pixel's ground beside its middle, in lattice units, where it is known how much it rises.
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
        let (cell, [i, j]) = scales.split(pixel);
        let [x, y] = scales.place(self.shape.columns[cell as usize]);
        FinePlace { y: i64::from(y * side + j), x: i64::from(x * side + i) }
    }

    /// The pixels of all layers at a place.
    #[inline]
    pub(crate) fn pixels_at(
        &self,
        place: FinePlace,
        scales: &Scales,
    ) -> impl Iterator<Item = u32> + Clone + use<> {
        let (cells, within) = match place.in_column(scales) {
            Some((column, [i, j])) => (self.shape.cells_of(column), j * scales.per_side + i),
            None => (0..0, 0),
        };
        let per_cell = scales.pixels_per_cell() as u32;
        cells.map(move |cell| cell * per_cell + within)
    }
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
