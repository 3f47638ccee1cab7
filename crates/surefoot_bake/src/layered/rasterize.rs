//! Rasterizes triangles over the columns of the coarse grid.
//!
//! Goes in: triangles on the lattice. Comes out: for every column the triangles over it, with the heights
//! that they have there and the pixels that their extents reach. Which heights a triangle has over a column
//! is asked of the voxel pipeline's rasterizer; a triangle that lies in one column alone, as most of a crowd
//! do, has all of its own there.

use crate::error::BakeError;
use crate::layered::scales::Scales;
use crate::voxel::grid::{Grid, GridTriangle, Surface, Window};
use crate::voxel::rasterize::ColumnSamples;
use rayon::prelude::*;

/// What a triangle is to a column: the heights that it has over it, in lattice units, and which of the
/// column's pixels it may concern. Crowds of small triangles are told apart by this alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceRange {
    pub(crate) triangle: u32,
    pub(crate) lo: i32,
    pub(crate) hi: i32,
    pub(crate) surface: Surface,
    /// Along each axis, the first pixel whose middle lies within the triangle's extent and the one
    /// after the last. Of the stretches from middle to middle, counted from the column's border, the
    /// extent meets those from the first of the two to the second.
    pub(crate) spans: [[u8; 2]; 2],
}

impl FaceRange {
    /// Whether the middle of a pixel may lie in it.
    pub(crate) const fn may_cover_middles(&self) -> bool {
        let [[i0, i1], [j0, j1]] = self.spans;
        i0 < i1 && j0 < j1
    }

    /// Whether a line through the middles of pixels may cross it.
    pub(crate) const fn may_cross_lines(&self) -> bool {
        let [[i0, i1], [j0, j1]] = self.spans;
        i0 < i1 || j0 < j1
    }

    /// Whether the middle of one pixel may lie in it.
    pub(crate) fn may_cover(&self, i: u32, j: u32) -> bool {
        let [[i0, i1], [j0, j1]] = self.spans;
        (u32::from(i0)..u32::from(i1)).contains(&i) && (u32::from(j0)..u32::from(j1)).contains(&j)
    }
}

/// How many whole times a length goes into another: by the inverse, which is exact for whole numbers
/// below 2⁵¹, since a half more lies at least half a part from the next whole number of them.
#[inline]
pub(crate) fn whole_parts(units: i64, per_unit: f64) -> i64 {
    ((units as f64 + 0.5) * per_unit) as i64
}

/// Tells in which columns and pixels positions lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruler {
    /// The grid's lower corner, in lattice units.
    corner: [i64; 2],
    cell: i64,
    half: i64,
    columns_per_unit: f64,
    pixels_per_unit: f64,
    rows_per_column: f64,
    per_side: i64,
    width: u32,
    depth: u32,
}

/// Where an extent lies, along each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The first and the last column. A column is half open.
    columns: [[i64; 2]; 2],
    /// Of the pixels of all columns, the first whose middle lies within and the one after the last.
    middles: [[i64; 2]; 2],
}

impl Ruler {
    pub(crate) fn new(scales: &Scales) -> Self {
        let grid = &scales.coarse;
        let (first, cell) = (grid.first_column(), i64::from(grid.cell));
        Self {
            corner: [first[0] * cell, first[1] * cell],
            cell,
            half: i64::from(scales.fine / 2),
            columns_per_unit: 1.0 / cell as f64,
            pixels_per_unit: 1.0 / f64::from(scales.fine),
            rows_per_column: 1.0 / f64::from(grid.width.max(1)),
            per_side: i64::from(scales.per_side),
            width: grid.width,
            depth: grid.depth,
        }
    }

    /// The column over a point.
    #[inline]
    pub(crate) fn column_over(&self, p: [i32; 3]) -> u32 {
        let at = |k: usize, count: u32| {
            let column = whole_parts(i64::from(p[k]) - self.corner[k], self.columns_per_unit);
            column.clamp(0, i64::from(count) - 1) as u32
        };
        at(1, self.depth) * self.width + at(0, self.width)
    }

    /// Where an extent lies, of which a lowest and a highest point are given.
    #[inline]
    pub(crate) fn reach(&self, low: [i32; 2], high: [i32; 2]) -> Reach {
        let (mut columns, mut middles) = ([[0; 2]; 2], [[0; 2]; 2]);
        for k in 0..2 {
            let (low, high) =
                (i64::from(low[k]) - self.corner[k], i64::from(high[k]) - self.corner[k]);
            let first = whole_parts(low, self.columns_per_unit);
            let last = whole_parts(high, self.columns_per_unit);
            // What ends on a column's border does not reach into the next.
            let ends_there = last > first && last * self.cell == high;
            columns[k] = [first, last - i64::from(ends_there)];
            middles[k] = [
                whole_parts(low + self.half - 1, self.pixels_per_unit),
                whole_parts(high + self.half, self.pixels_per_unit),
            ];
        }
        Reach { columns, middles }
    }

    #[inline]
    fn reach_of(&self, [a, b, c]: &[[i32; 3]; 3]) -> Reach {
        let low = |k: usize| a[k].min(b[k]).min(c[k]);
        let high = |k: usize| a[k].max(b[k]).max(c[k]);
        self.reach([low(0), low(1)], [high(0), high(1)])
    }

    /// The only column in which an extent lies, if there is one.
    #[inline]
    pub(crate) fn only_column(&self, reach: &Reach) -> Option<u32> {
        let [[x, x_last], [y, y_last]] = reach.columns;
        (x == x_last && y == y_last).then(|| y as u32 * self.width + x as u32)
    }

    /// The two columns in which an extent lies, if there are two; the axis across their common border, and
    /// where that is, in lattice units.
    #[inline]
    fn two_columns(&self, reach: &Reach) -> Option<([u32; 2], usize, f64)> {
        let [[x, x_last], [y, y_last]] = reach.columns;
        let column = y as u32 * self.width + x as u32;
        let (next, axis, last) = match (x_last - x, y_last - y) {
            (1, 0) => (column + 1, 0, x_last),
            (0, 1) => (column + self.width, 1, y_last),
            _ => return None,
        };
        Some(([column, next], axis, (self.corner[axis] + last * self.cell) as f64))
    }

    /// The part of an extent's middles in a column.
    #[inline]
    pub(crate) fn spans_in(&self, reach: &Reach, column: u32) -> [[u8; 2]; 2] {
        let y = whole_parts(i64::from(column), self.rows_per_column);
        let place = [i64::from(column) - y * i64::from(self.width), y];
        let span = |k: usize| {
            let start = place[k] * self.per_side;
            // At most 64 pixels lie along a column's side.
            let within = |m: i64| (m - start).clamp(0, self.per_side) as u8;
            [within(reach.middles[k][0]), within(reach.middles[k][1])]
        };
        [span(0), span(1)]
    }
}

/// Triangles in the order of the columns that they begin in, so that those of a column lie together in
/// memory.
pub(crate) fn in_column_order(
    triangles: Vec<GridTriangle>,
    columns: usize,
    ruler: &Ruler,
) -> Vec<GridTriangle> {
    let column_of = |t: &GridTriangle| {
        let [a, b, c] = &t.corners;
        ruler.column_over([a[0].min(b[0]).min(c[0]), a[1].min(b[1]).min(c[1]), 0])
    };
    let keys: Vec<u32> = triangles.iter().map(column_of).collect();
    let mut next = vec![0_u32; columns + 1];
    for &key in &keys {
        next[key as usize + 1] += 1;
    }
    for i in 0..columns {
        next[i + 1] += next[i];
    }
    let mut sorted = triangles.clone();
    for (&key, triangle) in keys.iter().zip(&triangles) {
        let at = &mut next[key as usize];
        sorted[*at as usize] = *triangle;
        *at += 1;
    }
    sorted
}

/// The heights of a triangle on both sides of a line across an axis, in lattice units: computed as in the
/// voxel pipeline's rasterizer, each edge from its lower end along the axis.
fn split(corners: &[[i32; 3]; 3], axis: usize, line: f64) -> [[i32; 2]; 2] {
    let [mut before, mut after] = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    let extend = |range: &mut [f64; 2], z: f64| {
        range[0] = if z < range[0] { z } else { range[0] };
        range[1] = if z > range[1] { z } else { range[1] };
    };
    let point = |k: usize| (f64::from(corners[k][axis]), f64::from(corners[k][2]));
    let [a, b, c] = [point(0), point(1), point(2)];
    for ((from, z_from), (to, z_to)) in [(a, b), (b, c), (c, a)] {
        if from <= line {
            extend(&mut before, z_from);
        }
        if from >= line {
            extend(&mut after, z_from);
        }
        if (from < line) != (to < line) {
            let ((from, z_from), (to, z_to)) =
                if from < to { ((from, z_from), (to, z_to)) } else { ((to, z_to), (from, z_from)) };
            let z = z_from + (line - from) * ((z_to - z_from) / (to - from));
            extend(&mut before, z);
            extend(&mut after, z);
        }
    }
    // Adding and taking away this number rounds to whole units, halves to even.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let round = |z: f64| ((z + WHOLE) - WHOLE) as i32;
    [[round(before[0]), round(before[1])], [round(after[0]), round(after[1])]]
}

/// Triangles that a thread rasterizes before it looks for more.
const CHUNK: usize = 2048;

/// Every triangle over every column that it reaches into.
pub(crate) fn rasterize(
    triangles: &[GridTriangle],
    scales: &Scales,
    ruler: &Ruler,
) -> Vec<Vec<(u32, FaceRange)>> {
    let grid = &scales.coarse;
    let whole = whole_window(grid);
    triangles
        .par_chunks(CHUNK)
        .enumerate()
        .map_init(ColumnSamples::default, |samples, (chunk, triangles)| {
            let mut out = Vec::with_capacity(2 * triangles.len());
            for (i, t) in triangles.iter().enumerate() {
                let triangle = (chunk * CHUNK + i) as u32;
                let reach = ruler.reach_of(&t.corners);
                if let Some(column) = ruler.only_column(&reach) {
                    let [a, b, c] = &t.corners;
                    let (lo, hi) = (a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2]));
                    let spans = ruler.spans_in(&reach, column);
                    out.push((column, FaceRange { triangle, lo, hi, surface: t.surface, spans }));
                    continue;
                }
                if let Some((columns, axis, line)) = ruler.two_columns(&reach) {
                    for (column, [lo, hi]) in columns.into_iter().zip(split(&t.corners, axis, line))
                    {
                        let spans = ruler.spans_in(&reach, column);
                        let surface = t.surface;
                        out.push((column, FaceRange { triangle, lo, hi, surface, spans }));
                    }
                    continue;
                }
                for (column, s) in samples.sweep(triangle, t, grid, &whole) {
                    let (lo, hi, surface) = (s.lo, s.hi, s.surface);
                    let spans = ruler.spans_in(&reach, *column);
                    out.push((*column, FaceRange { triangle, lo, hi, surface, spans }));
                }
            }
            out
        })
        .collect()
}

/// All columns: numbers in this window are those of the grid.
pub(crate) fn whole_window(grid: &Grid) -> Window {
    Window { x0: 0, y0: 0, x1: grid.width, y1: grid.depth }
}

/// Sorts faces into columns; within a column they keep their order.
pub(crate) fn sort_into_columns(
    columns: usize,
    loose: Vec<Vec<(u32, FaceRange)>>,
) -> Result<(Vec<u32>, Vec<FaceRange>), BakeError> {
    let count: usize = loose.iter().map(Vec::len).sum();
    // What is kept of them besides is at most twice as many.
    if count >= u32::MAX as usize / 2 {
        return Err(BakeError::TooLarge { what: "faces over columns", count });
    }
    let mut firsts = vec![0_u32; columns + 1];
    for (column, _) in loose.iter().flatten() {
        firsts[*column as usize + 1] += 1;
    }
    for i in 0..columns {
        firsts[i + 1] += firsts[i];
    }
    let mut next = firsts.clone();
    let none =
        FaceRange { triangle: 0, lo: 0, hi: 0, surface: Surface::UPRIGHT, spans: [[0; 2]; 2] };
    let mut faces = vec![none; count];
    for (column, face) in loose.iter().flatten() {
        let at = &mut next[*column as usize];
        faces[*at as usize] = *face;
        *at += 1;
    }
    Ok((firsts, faces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::BakeSettings;

    /// Triangles of all sizes, many of them with corners on the borders of columns.
    fn strewn() -> Vec<GridTriangle> {
        let mut state = 11_u64;
        let mut below = |most: i32| {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as i32 % most
        };
        (0..6_000)
            .map(|i| {
                let (size, raster) = ([400, 3_000, 9_000][i % 3], [1, 1_600][i % 2]);
                let at = [below(40_000), below(40_000), below(9_000)];
                let corners = [0, 1, 2].map(|_| at.map(|v| (v + below(size)) / raster * raster));
                GridTriangle { corners, surface: Surface::ground(0) }
            })
            .collect()
    }

    /// Whatever is known at once of a triangle in one column or two is what the voxel pipeline's
    /// rasterizer finds, and spans are those that divisions give.
    #[test]
    fn few_columns_are_those_of_the_rasterizer() {
        let triangles = strewn();
        let settings = BakeSettings::default().resolve().unwrap();
        let settings = crate::layered::scales::with_coarse_cells(&settings);
        let scales = Scales::new(&triangles, &settings).unwrap();
        let ruler = Ruler::new(&scales);
        let found: Vec<(u32, FaceRange)> =
            rasterize(&triangles, &scales, &ruler).into_iter().flatten().collect();
        let mut samples = ColumnSamples::default();
        let whole = whole_window(&scales.coarse);
        let (fine, side) = (i64::from(scales.fine), i64::from(scales.per_side));
        let (mut one, mut two) = (0, 0);
        for (i, triangle) in triangles.iter().enumerate() {
            let mut own: Vec<_> =
                found.iter().filter(|(_, f)| f.triangle == i as u32).copied().collect();
            let mut swept = samples.sweep(i as u32, triangle, &scales.coarse, &whole).to_vec();
            own.sort_unstable_by_key(|f| f.0);
            swept.sort_unstable_by_key(|s| s.0);
            let heights = |f: &(u32, FaceRange)| (f.0, f.1.lo, f.1.hi);
            let expected: Vec<_> = swept.iter().map(|(c, s)| (*c, s.lo, s.hi)).collect();
            assert_eq!(own.iter().map(heights).collect::<Vec<_>>(), expected, "{triangle:?}");
            for (column, face) in &own {
                let corner = scales.corner(*column);
                let spans = [0, 1].map(|k| {
                    let of = triangle.corners.map(|c| i64::from(c[k]) - corner[k]);
                    let (lo, hi) = (of[0].min(of[1]).min(of[2]), of[0].max(of[1]).max(of[2]));
                    let within = |j: &i64| (lo..=hi).contains(&(j * fine + fine / 2));
                    let inside: Vec<i64> = (0..side).filter(within).collect();
                    inside.first().map(|first| [*first as u8, inside[inside.len() - 1] as u8 + 1])
                });
                for k in 0..2 {
                    match spans[k] {
                        Some(span) => assert_eq!(face.spans[k], span, "{triangle:?}"),
                        None => assert!(face.spans[k][0] == face.spans[k][1], "{triangle:?}"),
                    }
                }
            }
            one += usize::from(own.len() == 1);
            two += usize::from(own.len() == 2);
        }
        assert!(one > 500 && two > 500, "{one} in one column, {two} in two");
    }
}
