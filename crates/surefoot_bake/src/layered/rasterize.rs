//! Rasterizes triangles over the columns of the coarse grid.
//!
//! Goes in: triangles on the lattice. Comes out: for every column the triangles over it, with the heights
//! that they have there and the pixels that their extents reach. Which heights a triangle has over a column
//! is asked of the voxel pipeline's rasterizer; of a triangle that lies in one column, in two or around a
//! point where four meet, as almost all of a crowd do, the same is known at once.

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

/// Adding this number rounds to whole units, halves to even: the whole number lies in the last bits of the sum.
const WHOLE: f64 = 6_755_399_441_055_744.0;

#[inline]
fn to_units(v: f64) -> i32 {
    (v + WHOLE).to_bits() as i32
}

/// How many whole times a length goes into another, both whole numbers below 2⁴⁹ and not negative: by the
/// inverse. A half more lies at least half a part from the next whole number of parts, so that neither the
/// inverse nor rounding to the nearest can miss it.
#[inline]
pub(crate) fn whole_parts(units: f64, per_unit: f64) -> f64 {
    (((units + 0.5) * per_unit - 0.5) + WHOLE) - WHOLE
}

/// The same as a whole number.
#[inline]
pub(crate) fn count_parts(units: f64, per_unit: f64) -> i32 {
    to_units((units + 0.5) * per_unit - 0.5)
}

/// Tells in which columns and pixels positions lie. Lengths are in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruler {
    /// The grid's lower corner.
    corner: [f64; 2],
    cell: f64,
    half: f64,
    columns_per_unit: f64,
    pixels_per_unit: f64,
    rows_per_column: f64,
    per_side: i32,
    width: u32,
    depth: u32,
}

/// Where an extent lies, along each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The first and the last column. A column is half open.
    columns: [[i32; 2]; 2],
    /// Of the pixels of all columns, the first whose middle lies within and the one after the last.
    middles: [[i32; 2]; 2],
}

/// Two columns beside each other.
pub(crate) struct TwoColumns {
    pub(crate) columns: [u32; 2],
    places: [[i32; 2]; 2],
    /// The axis across their common border, and where that is, in lattice units.
    axis: usize,
    line: f64,
}

impl Ruler {
    pub(crate) fn new(scales: &Scales) -> Self {
        let grid = &scales.coarse;
        let (first, cell) = (grid.first_column(), i64::from(grid.cell));
        Self {
            corner: [(first[0] * cell) as f64, (first[1] * cell) as f64],
            cell: cell as f64,
            half: f64::from(scales.fine / 2),
            columns_per_unit: 1.0 / cell as f64,
            pixels_per_unit: 1.0 / f64::from(scales.fine),
            rows_per_column: 1.0 / f64::from(grid.width.max(1)),
            per_side: scales.per_side as i32,
            width: grid.width,
            depth: grid.depth,
        }
    }

    /// The column over a point.
    #[inline]
    pub(crate) fn column_over(&self, p: [i32; 2]) -> u32 {
        let at = |k: usize, count: u32| {
            let column = count_parts(f64::from(p[k]) - self.corner[k], self.columns_per_unit);
            column.clamp(0, count as i32 - 1) as u32
        };
        at(1, self.depth) * self.width + at(0, self.width)
    }

    /// Where an extent lies, of which a lowest and a highest point are given.
    #[inline]
    pub(crate) fn reach(&self, low: [i32; 2], high: [i32; 2]) -> Reach {
        let (mut columns, mut middles) = ([[0; 2]; 2], [[0; 2]; 2]);
        for k in 0..2 {
            let (low, high) =
                (f64::from(low[k]) - self.corner[k], f64::from(high[k]) - self.corner[k]);
            let first = whole_parts(low, self.columns_per_unit);
            let last = whole_parts(high, self.columns_per_unit);
            // What ends on a column's border does not reach into the next.
            let ends_there = (last > first) & (last * self.cell >= high);
            columns[k] = [to_units(first), to_units(last) - i32::from(ends_there)];
            middles[k] = [
                count_parts(low + self.half - 1.0, self.pixels_per_unit),
                count_parts(high + self.half, self.pixels_per_unit),
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

    /// The two columns in which an extent lies, if there are two.
    #[inline]
    pub(crate) fn two_columns(&self, reach: &Reach) -> Option<TwoColumns> {
        let [[x, x_last], [y, y_last]] = reach.columns;
        if (x_last - x) + (y_last - y) != 1 {
            return None;
        }
        let axis = (y_last - y) as usize;
        let column = y as u32 * self.width + x as u32;
        let next = column + if axis == 0 { 1 } else { self.width };
        let line = self.corner[axis] + f64::from(reach.columns[axis][1]) * self.cell;
        let places = [[x, y], [x_last, y_last]];
        Some(TwoColumns { columns: [column, next], places, axis, line })
    }

    /// Where the borders across both axes are, in lattice units, of an extent that lies in four columns around
    /// one point.
    #[inline]
    fn inner_borders(&self, reach: &Reach) -> Option<[f64; 2]> {
        let [[x, x_last], [y, y_last]] = reach.columns;
        let line = |k: usize| self.corner[k] + f64::from(reach.columns[k][1]) * self.cell;
        (x_last - x == 1 && y_last - y == 1).then(|| [line(0), line(1)])
    }

    /// The part of an extent's middles in a column.
    #[inline]
    pub(crate) fn spans_in(&self, reach: &Reach, column: u32) -> [[u8; 2]; 2] {
        let y = count_parts(f64::from(column), self.rows_per_column);
        self.spans_at(reach, [column as i32 - y * self.width as i32, y])
    }

    /// The same in a column that lies in a row of columns and in one across.
    #[inline]
    fn spans_at(&self, reach: &Reach, place: [i32; 2]) -> [[u8; 2]; 2] {
        let span = |k: usize| {
            let start = place[k] * self.per_side;
            // At most 64 pixels lie along a column's side.
            let within = |m: i32| (m - start).clamp(0, self.per_side) as u8;
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
        ruler.column_over([a[0].min(b[0]).min(c[0]), a[1].min(b[1]).min(c[1])])
    };
    let keys: Vec<u32> = triangles.iter().map(column_of).collect();
    let mut next = vec![0_u32; columns + 1];
    for &key in &keys {
        next[key as usize + 1] += 1;
    }
    for i in 0..columns {
        next[i + 1] += next[i];
    }
    let mut order = vec![0_u32; triangles.len()];
    for (i, &key) in keys.iter().enumerate() {
        let at = &mut next[key as usize];
        order[*at as usize] = i as u32;
        *at += 1;
    }
    order.iter().map(|&i| triangles[i as usize]).collect()
}

/// From where to where something reaches in height, in lattice units; from nowhere at first.
#[derive(Clone, Copy)]
struct Heights([f64; 2]);

impl Heights {
    const NONE: Self = Self([f64::INFINITY, f64::NEG_INFINITY]);

    /// Makes it reach to a height if that counts. What does not is put out of the way: which does cannot be
    /// foreseen, so no branch asks.
    #[inline]
    fn extend(&mut self, z: f64, counts: bool) {
        // Nothing where it counts, otherwise infinity: all bits of that or none.
        let away = f64::from_bits(f64::INFINITY.to_bits() & u64::from(counts).wrapping_sub(1));
        let (low, high) = (z + away, z - away);
        // Neither is taken where it is no number.
        self.0[0] = if low < self.0[0] { low } else { self.0[0] };
        self.0[1] = if high > self.0[1] { high } else { self.0[1] };
    }

    /// In whole units.
    #[inline]
    fn rounded(self) -> [i32; 2] {
        self.0.map(to_units)
    }
}

/// The height at a line across an axis of a segment that is given by its ends, each a place along the axis and
/// a height: computed as in the voxel pipeline's rasterizer, from the lower end along the axis.
#[inline]
fn height_at((from, z_from): (f64, f64), (to, z_to): (f64, f64), line: f64) -> f64 {
    let (first, z_first) = if from < to { (from, z_from) } else { (to, z_to) };
    // The slope is the same from either end.
    z_first + (line - first) * ((z_to - z_from) / (to - from))
}

/// The heights of a triangle on both sides of a line across an axis.
fn split(corners: &[[i32; 3]; 3], axis: usize, line: f64) -> [[i32; 2]; 2] {
    let [mut before, mut after] = [Heights::NONE; 2];
    let point = |k: usize| (f64::from(corners[k][axis]), f64::from(corners[k][2]));
    let [a, b, c] = [point(0), point(1), point(2)];
    for (from, to) in [(a, b), (b, c), (c, a)] {
        before.extend(from.1, from.0 <= line);
        after.extend(from.1, from.0 >= line);
        let crosses = (from.0 < line) != (to.0 < line);
        let z = height_at(from, to, line);
        before.extend(z, crosses);
        after.extend(z, crosses);
    }
    [before.rounded(), after.rounded()]
}

/// The heights of a triangle around the point at which the borders of four columns meet: of two rows, each
/// before and after the border across x; nothing where it does not reach. Computed as in the voxel pipeline's
/// rasterizer; not known where a border passes through a corner, or all but.
fn quarter(corners: &[[i32; 3]; 3], [x_line, y_line]: [f64; 2]) -> Option<[Option<[i32; 2]>; 4]> {
    let number_of = |c: [i32; 3]| [f64::from(c[0]), f64::from(c[1]), f64::from(c[2])];
    let [a, b, c] = [number_of(corners[0]), number_of(corners[1]), number_of(corners[2])];
    // The border across y parts one corner from two.
    let [a_below, b_below, c_below] = [a, b, c].map(|p| p[1] < y_line);
    let differ = b_below != c_below;
    let alone = usize::from(differ) + usize::from(differ & (a_below != c_below));
    let twice = [a, b, c, a, b];
    let [a, b, c] = [twice[alone], twice[alone + 1], twice[alone + 2]];
    let cut = |to: [f64; 3]| {
        let (low, high) = if a[1] < to[1] { (a, to) } else { (to, a) };
        let (run, d) = (high[1] - low[1], y_line - low[1]);
        // Places are rounded, so that noise never reaches into the next column.
        const FRACTION: f64 = WHOLE / 256.0;
        let x = low[0] + d * ((high[0] - low[0]) / run);
        ((x + FRACTION) - FRACTION, low[2] + d * ((high[2] - low[2]) / run))
    };
    let (p, q) = (cut(b), cut(c));
    let above = usize::from(a[1] > y_line);
    let is_on = |v: f64, line: f64| (v <= line) & (v >= line);
    let on_y_line = is_on(a[1], y_line) | is_on(b[1], y_line) | is_on(c[1], y_line);
    let [a, b, c] = [a, b, c].map(|p| (p[0], p[2]));
    if [a, b, c, p, q].iter().fold(on_y_line, |on_line, p| on_line | is_on(p.0, x_line)) {
        return None;
    }
    let mut rows = [[Heights::NONE; 2]; 2];
    let mut add = |row: usize, (from, to): ((f64, f64), (f64, f64))| {
        let [before, after] = &mut rows[row];
        let (is_before, ends_before) = (from.0 < x_line, to.0 < x_line);
        before.extend(from.1, is_before);
        after.extend(from.1, !is_before);
        let z = height_at(from, to, x_line);
        before.extend(z, is_before != ends_before);
        after.extend(z, is_before != ends_before);
    };
    for segment in [(a, p), (p, q), (q, a)] {
        add(above, segment);
    }
    for segment in [(b, c), (c, q), (q, p), (p, b)] {
        add(1 - above, segment);
    }
    let [[a, b], [c, d]] = rows;
    Some([a, b, c, d].map(|h| (h.0[0] <= h.0[1]).then(|| h.rounded())))
}

/// Triangles that a thread rasterizes before it looks for more.
const CHUNK: usize = 2048;

/// Every triangle over every column that it reaches into.
pub(crate) fn rasterize(
    triangles: &[GridTriangle],
    scales: &Scales,
    ruler: &Ruler,
) -> Vec<Vec<(u32, FaceRange)>> {
    triangles
        .par_chunks(CHUNK)
        .enumerate()
        .map_init(ColumnSamples::default, |samples, (chunk, triangles)| {
            let mut out = Vec::with_capacity(2 * triangles.len());
            for (i, t) in triangles.iter().enumerate() {
                let triangle = (chunk * CHUNK + i) as u32;
                let reach = ruler.reach_of(&t.corners);
                let face = |[lo, hi]: [i32; 2], spans| {
                    let surface = t.surface;
                    FaceRange { triangle, lo, hi, surface, spans }
                };
                if add_few_columns(&t.corners, &reach, ruler, face, &mut out) {
                    continue;
                }
                let grid = &scales.coarse;
                for (column, s) in samples.sweep(triangle, t, grid, &whole_window(grid)) {
                    let spans = ruler.spans_in(&reach, *column);
                    out.push((*column, face([s.lo, s.hi], spans)));
                }
            }
            out
        })
        .collect()
}

/// Adds the faces of a triangle that lies in one column, in two or around a point where four meet, whose
/// heights are known at once; says whether it does.
#[inline]
fn add_few_columns(
    corners: &[[i32; 3]; 3],
    reach: &Reach,
    ruler: &Ruler,
    face: impl Fn([i32; 2], [[u8; 2]; 2]) -> FaceRange,
    out: &mut Vec<(u32, FaceRange)>,
) -> bool {
    if let Some(column) = ruler.only_column(reach) {
        let [a, b, c] = corners;
        let heights = [a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])];
        let place = [reach.columns[0][0], reach.columns[1][0]];
        out.push((column, face(heights, ruler.spans_at(reach, place))));
        return true;
    }
    if let Some(two) = ruler.two_columns(reach) {
        let heights = split(corners, two.axis, two.line);
        for k in 0..2 {
            let spans = ruler.spans_at(reach, two.places[k]);
            out.push((two.columns[k], face(heights[k], spans)));
        }
        return true;
    }
    let Some(lines) = ruler.inner_borders(reach) else { return false };
    let Some(heights) = quarter(corners, lines) else { return false };
    for (k, heights) in (0..).zip(heights) {
        let Some(heights) = heights else { continue };
        let place = [reach.columns[0][k & 1], reach.columns[1][k >> 1]];
        let column = place[1] as u32 * ruler.width + place[0] as u32;
        out.push((column, face(heights, ruler.spans_at(reach, place))));
    }
    true
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
                let (size, raster) = ([400, 3_000, 20_000][i % 3], [1, 1_600][i % 2]);
                let at = [below(40_000), below(40_000), below(9_000)];
                let corners = [0, 1, 2].map(|_| at.map(|v| (v + below(size)) / raster * raster));
                GridTriangle { corners, surface: Surface::ground(0) }
            })
            .collect()
    }

    /// Lengths around whole numbers of parts, small and as large as a scene can be.
    #[test]
    fn whole_parts_are_those_of_a_division() {
        for part in [1_i64, 2, 3, 7, 1_600, 13_104, 52_416, 1_048_575] {
            let per_unit = 1.0 / part as f64;
            for times in (0..2_000).chain((1 << 31) / part - 100..(1 << 31) / part) {
                for units in [times * part - 1, times * part, times * part + 1] {
                    let units = units.clamp(0, i64::from(i32::MAX));
                    let whole = units / part;
                    assert_eq!(whole_parts(units as f64, per_unit) as i64, whole, "{units} {part}");
                    assert_eq!(i64::from(count_parts(units as f64, per_unit)), whole);
                }
            }
        }
    }

    /// Whatever is known at once of a triangle in few columns is what the voxel pipeline's rasterizer finds, and
    /// spans are those that divisions give.
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
        let mut counts = [0; 5];
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
            counts[own.len().min(counts.len()) - 1] += 1;
        }
        assert!(counts[..4].iter().all(|n| *n > 150), "{counts:?} in so many columns");
    }
}
