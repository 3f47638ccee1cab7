//! Rasterizes triangles over the columns of the coarse grid.
//!
//! Goes in: triangles on the lattice. Comes out: for every column the triangles over it, with the heights
//! that they have there and the pixels that their extents reach. Which heights a triangle has over a column
//! is asked of the voxel pipeline's rasterizer; of a triangle that lies in one column, in two or around a
//! point where four meet, as almost all of a crowd do, the same is known at once.

use crate::error::BakeError;
use crate::layered::scales::Scales;
use crate::voxel::grid::{Grid, GridTriangle, Surface, Window};
use crate::voxel::rasterize::{ColumnSamples, Sample};
use rayon::prelude::*;
use std::ops::Range;

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

/// How many whole times a length goes into others, all of them whole numbers of units: by its inverse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<const N: usize> {
    /// Makes the middle of a part its start, so that rounding to the nearest finds the part.
    shift: [f64; N],
    per_unit: f64,
}

impl<const N: usize> Parts<N> {
    /// Of a length of so many units, counted from somewhere along each axis.
    pub(crate) fn new(units: f64, from: [f64; N]) -> Self {
        Self { shift: from.map(|from| 0.5 - 0.5 * units - from), per_unit: 1.0 / units }
    }

    /// In which part a place lies along each axis. What is rounded lies at least half a unit from where the next
    /// part begins, so that the inverse cannot miss it below 2⁴⁹ units; a unit before the first part is in the one
    /// before that.
    #[inline]
    pub(crate) fn count(&self, at: [f64; N]) -> [i32; N] {
        std::array::from_fn(|k| to_units((at[k] + self.shift[k]) * self.per_unit))
    }
}

/// Tells in which columns and pixels positions lie. Lengths are in lattice units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruler {
    /// The grid's lower corner.
    corner: [f64; 2],
    cell: f64,
    columns: Parts<2>,
    /// Columns that begin before a place.
    ends: Parts<2>,
    /// Pixels of all columns that have their middles before a place, and up to it.
    middles_before: Parts<2>,
    middles_up_to: Parts<2>,
    per_side: i32,
    width: u32,
}

/// Where an extent lies, along each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The first and the last column. A column is half open.
    first: [i32; 2],
    last: [i32; 2],
    /// The first pixel of the first column whose middle lies within, and the one after the last of the last column,
    /// as in [`FaceRange::spans`], a byte each. Between the two the extent holds all.
    spans: u32,
}

/// Two columns beside each other.
pub(crate) struct TwoColumns {
    pub(crate) columns: [u32; 2],
    pub(crate) spans: [[[u8; 2]; 2]; 2],
    /// The axis across their common border, and where that is, in lattice units.
    axis: usize,
    line: f64,
}

impl Ruler {
    pub(crate) fn new(scales: &Scales) -> Self {
        let grid = &scales.coarse;
        let (first, cell) = (grid.first_column(), i64::from(grid.cell));
        let corner = [(first[0] * cell) as f64, (first[1] * cell) as f64];
        let half = f64::from(scales.fine / 2);
        let parts = |units: f64, at: f64| Parts::new(units, corner.map(|corner| corner + at));
        let (cell, fine) = (cell as f64, f64::from(scales.fine));
        Self {
            corner,
            cell,
            columns: parts(cell, 0.0),
            ends: parts(cell, 1.0),
            middles_before: parts(fine, 1.0 - half),
            middles_up_to: parts(fine, -half),
            per_side: scales.per_side as i32,
            width: grid.width,
        }
    }

    /// The column over a point of a triangle.
    #[inline]
    pub(crate) fn column_over(&self, p: [f64; 2]) -> u32 {
        let [x, y] = self.columns.count(p);
        y as u32 * self.width + x as u32
    }

    /// Where an extent lies, of which a lowest and a highest point are given.
    #[inline]
    pub(crate) fn reach(&self, low: [f64; 2], high: [f64; 2]) -> Reach {
        let (first, ends) = (self.columns.count(low), self.ends.count(high));
        // What ends on a column's border does not reach into the next.
        let last = [0, 1].map(|k| ends[k].max(first[k]));
        let (from, to) = (self.middles_before.count(low), self.middles_up_to.count(high));
        // At most 64 pixels lie along a column's side.
        let within = |k: usize| {
            let [from, to] = [from[k] - first[k] * self.per_side, to[k] - last[k] * self.per_side];
            (from | to << 8) as u32
        };
        Reach { first, last, spans: within(0) | within(1) << 16 }
    }

    #[inline]
    fn reach_of(&self, corners: &[[i32; 3]; 3]) -> Reach {
        let [a, b, c] = corners.map(in_plan);
        self.reach(lesser(lesser(a, b), c), greater(greater(a, b), c))
    }

    /// The only column in which an extent lies, if there is one, and the middles that it holds there.
    #[inline]
    pub(crate) fn only_column(&self, reach: &Reach) -> Option<(u32, [[u8; 2]; 2])> {
        let column = reach.first[1] as u32 * self.width + reach.first[0] as u32;
        (reach.first == reach.last).then(|| (column, unpack(reach.spans)))
    }

    /// The two columns in which an extent lies, if there are two.
    #[inline]
    pub(crate) fn two_columns(&self, reach: &Reach) -> Option<TwoColumns> {
        let ([x, y], [x_last, y_last]) = (reach.first, reach.last);
        if (x_last - x) + (y_last - y) != 1 {
            return None;
        }
        let axis = (y_last - y) as usize;
        let column = y as u32 * self.width + x as u32;
        let next = column + if axis == 0 { 1 } else { self.width };
        let line = self.corner[axis] + f64::from(reach.last[axis]) * self.cell;
        // The first holds all middles up to its end, the second all from its start.
        let shift = 16 * axis;
        let before = (reach.spans & !(0xFF00 << shift)) | (self.per_side as u32) << (8 + shift);
        let spans = [before, reach.spans & !(0xFF << shift)].map(unpack);
        Some(TwoColumns { columns: [column, next], spans, axis, line })
    }

    /// Where the borders across both axes are, in lattice units, of an extent that lies in four columns around
    /// one point.
    #[inline]
    fn inner_borders(&self, reach: &Reach) -> Option<[f64; 2]> {
        let ([x, y], [x_last, y_last]) = (reach.first, reach.last);
        let line = |k: usize| self.corner[k] + f64::from(reach.last[k]) * self.cell;
        (x_last - x == 1 && y_last - y == 1).then(|| [line(0), line(1)])
    }

    /// Whether a triangle ends on the border along x of the last column in which it lies: the voxel pipeline's rasterizer
    /// may then leave out rows in which it has no width.
    fn is_on_border(&self, corners: &[[i32; 3]; 3], reach: &Reach) -> bool {
        let border = self.corner[0] + f64::from(reach.last[0] + 1) * self.cell;
        corners.iter().any(|p| f64::from(p[0]) >= border)
    }

    /// Columns that an extent lies in, row after row, with the middles that it holds in each.
    #[inline]
    pub(crate) fn with_spans<'a>(
        &'a self,
        reach: &'a Reach,
        swept: &'a [(u32, Sample)],
    ) -> impl Iterator<Item = (u32, &'a Sample, [[u8; 2]; 2])> {
        let mut y = reach.first[1];
        let mut end = (y as u32 + 1) * self.width;
        swept.iter().map(move |(column, sample)| {
            while *column >= end {
                y += 1;
                end += self.width;
            }
            let x = (column + self.width - end) as i32;
            (*column, sample, self.spans_at(reach, [x, y]))
        })
    }

    /// The middles that an extent holds in a column, of which the row and its place there are given.
    #[inline]
    fn spans_at(&self, reach: &Reach, place: [i32; 2]) -> [[u8; 2]; 2] {
        let spans = unpack(reach.spans);
        let span = |k: usize| {
            let [from, to] = spans[k];
            let from = if place[k] == reach.first[k] { from } else { 0 };
            [from, if place[k] == reach.last[k] { to } else { self.per_side as u8 }]
        };
        [span(0), span(1)]
    }
}

/// The spans whose bytes are packed.
#[inline]
fn unpack(spans: u32) -> [[u8; 2]; 2] {
    let [a, b, c, d] = spans.to_le_bytes();
    [[a, b], [c, d]]
}

/// Where a point lies in plan.
#[inline]
pub(crate) fn in_plan(p: [i32; 3]) -> [f64; 2] {
    [f64::from(p[0]), f64::from(p[1])]
}

/// The lesser of two numbers along each axis.
#[inline]
pub(crate) fn lesser(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [0, 1].map(|k| if a[k] < b[k] { a[k] } else { b[k] })
}

/// The greater of two numbers along each axis.
#[inline]
pub(crate) fn greater(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [0, 1].map(|k| if a[k] > b[k] { a[k] } else { b[k] })
}

/// The corners of a triangle, beginning with the one that is alone before a line or after it, and whether that is
/// after the line.
#[inline]
fn part(corners: &[[i32; 3]; 3], before: [usize; 3]) -> (usize, [&[i32; 3]; 3]) {
    // Which one is alone cannot be foreseen, so no branch asks.
    const ALONE: [(usize, [usize; 3]); 8] = [
        (0, [0, 1, 2]),
        (0, [0, 1, 2]),
        (0, [1, 2, 0]),
        (1, [2, 0, 1]),
        (0, [2, 0, 1]),
        (1, [1, 2, 0]),
        (1, [0, 1, 2]),
        (0, [0, 1, 2]),
    ];
    let (is_after, [a, b, c]) = ALONE[before[0] | before[1] << 1 | before[2] << 2];
    (is_after, [&corners[a], &corners[b], &corners[c]])
}

/// The heights of a triangle whose corners are parted by a line across an axis: on the side where one of them is
/// alone and on that of the other two, after whether the first of the two comes after the line.
#[inline]
fn split(corners: &[[i32; 3]; 3], axis: usize, line: f64) -> (usize, [[i32; 2]; 2]) {
    // A corner on the line is after it.
    let is_before = |k: usize| usize::from(f64::from(corners[k][axis]) < line);
    let (is_after, [a, b, c]) = part(corners, [is_before(0), is_before(1), is_before(2)]);
    let cut = |to: &[i32; 3]| {
        // From the lower end along the axis, as in the voxel pipeline's rasterizer.
        let first = if is_after == 0 { a } else { to };
        let run = f64::from(to[axis]) - f64::from(a[axis]);
        let rise = f64::from(to[2]) - f64::from(a[2]);
        f64::from(first[2]) + (line - f64::from(first[axis])) * (rise / run)
    };
    let (p, q) = (to_units(cut(b)), to_units(cut(c)));
    let (lo, hi) = (p.min(q), p.max(q));
    let own = [lo.min(a[2]), hi.max(a[2])];
    (is_after, [own, [lo.min(b[2]).min(c[2]), hi.max(b[2]).max(c[2])]])
}

/// The heights of a triangle around the point at which the borders of four columns meet. Computed as in the voxel
/// pipeline's rasterizer; not known where a border passes through a corner, or all but.
#[inline]
fn quarter(corners: &[[i32; 3]; 3], [x_line, y_line]: [f64; 2]) -> Option<Quarters> {
    let is_before = |k: usize| usize::from(f64::from(corners[k][1]) < y_line);
    // The border across y parts one corner from two.
    let (above, [a, b, c]) = part(corners, [is_before(0), is_before(1), is_before(2)]);
    let cut = |to: &[i32; 3]| {
        let (low, high) = if above == 0 { (a, to) } else { (to, a) };
        let length = |k: usize| f64::from(high[k]) - f64::from(low[k]);
        let (run, d) = (length(1), y_line - f64::from(low[1]));
        // Places are rounded, so that noise never reaches into the next column.
        const FRACTION: f64 = WHOLE / 256.0;
        let x = f64::from(low[0]) + d * (length(0) / run);
        [(x + FRACTION) - FRACTION, f64::from(low[2]) + d * (length(2) / run)]
    };
    let (p, q) = (cut(b), cut(c));
    let is_on = |v: f64, line: f64| (v <= line) & (v >= line);
    let on_y_line = [a, b, c].iter().fold(false, |on, p| on | is_on(f64::from(p[1]), y_line));
    let [a, b, c] = [a, b, c].map(|p| [f64::from(p[0]), f64::from(p[2])]);
    if [a, b, c, p, q].iter().fold(on_y_line, |on, p| on | is_on(p[0], x_line)) {
        return None;
    }
    let mut quarters = Quarters { line: x_line, heights: [Quarters::NONE; 4] };
    let (own, others) = (2 * above, 2 - 2 * above);
    for (row, p) in
        [(own, a), (own, p), (own, q), (others, p), (others, q), (others, b), (others, c)]
    {
        quarters.extend(row + quarters.side(p), p[1]);
    }
    for edge in [[a, p, b], [a, q, c]] {
        // It meets the border in the other row where it has not when it comes there.
        let later = usize::from(quarters.side(edge[0]) == quarters.side(edge[1]));
        quarters.cross(own ^ (2 * later), edge[later], edge[later + 1]);
    }
    quarters.cross(own, p, q);
    quarters.cross(others, p, q);
    quarters.cross(others, b, c);
    Some(quarters)
}

/// The heights of something in four columns around a point: in two rows, each before and after a line across x.
/// Nothing lies on the line. What lies where cannot be foreseen, so no branch asks.
struct Quarters {
    line: f64,
    /// The lowest and the highest; the wrong way round where it does not reach.
    heights: [[f64; 2]; 4],
}

impl Quarters {
    const NONE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

    #[inline]
    fn side(&self, p: [f64; 2]) -> usize {
        usize::from(p[0] > self.line)
    }

    #[inline]
    fn extend(&mut self, quarter: usize, z: f64) {
        let [lo, hi] = &mut self.heights[quarter];
        *lo = if z < *lo { z } else { *lo };
        *hi = if z > *hi { z } else { *hi };
    }

    /// Adds where a segment of one row crosses the line, if it does. It is given by its ends, each a place along x
    /// and a height.
    #[inline]
    fn cross(&mut self, row: usize, from: [f64; 2], to: [f64; 2]) {
        let sides = [self.side(from), self.side(to)];
        // From the lower end along the axis; the slope is the same from either.
        let [x, z] = [from, to][usize::from(from[0] > to[0])];
        let z = z + (self.line - x) * ((to[1] - from[1]) / (to[0] - from[0]));
        // Its start is known already.
        let crosses = ((sides[0] ^ sides[1]) as u64).wrapping_neg();
        let z = f64::from_bits((z.to_bits() & crosses) | (from[1].to_bits() & !crosses));
        for side in sides {
            self.extend(row + side, z);
        }
    }
}

/// Triangles that a thread rasterizes before it looks for more.
const CHUNK: usize = 2048;

/// For so many faces besides two for each triangle memory is kept ready at most.
const MOST_TO_RESERVE: usize = 1 << 16;

/// Every triangle over every column that it reaches into.
pub(crate) fn rasterize(
    triangles: &[GridTriangle],
    scales: &Scales,
    ruler: &Ruler,
) -> Vec<Vec<(u32, FaceRange)>> {
    // What is not written to costs nothing, while growing costs copies.
    let columns = scales.coarse.width as usize * scales.coarse.depth as usize;
    let more = 2 * columns / triangles.len().div_ceil(CHUNK).max(1);
    triangles
        .par_chunks(CHUNK)
        .enumerate()
        .map_init(ColumnSamples::default, |samples, (chunk, triangles)| {
            let mut out = Vec::with_capacity(triangles.len() * 2 + more.min(MOST_TO_RESERVE));
            for (i, t) in triangles.iter().enumerate() {
                let triangle = (chunk * CHUNK + i) as u32;
                let reach = ruler.reach_of(&t.corners);
                let face = |[lo, hi]: [i32; 2], spans| {
                    let surface = t.surface;
                    FaceRange { triangle, lo, hi, surface, spans }
                };
                if add_few_columns(&t.corners, &reach, ruler, face, &mut out)
                    || add_row(&t.corners, &reach, ruler, face, &mut out)
                {
                    continue;
                }
                let grid = &scales.coarse;
                let swept = samples.sweep(triangle, t, grid, &whole_window(grid));
                let with_spans = ruler.with_spans(&reach, swept);
                out.extend(
                    with_spans.map(|(column, s, spans)| (column, face([s.lo, s.hi], spans))),
                );
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
    if let Some((column, spans)) = ruler.only_column(reach) {
        let [a, b, c] = corners;
        let heights = [a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])];
        out.push((column, face(heights, spans)));
        return true;
    }
    if let Some(two) = ruler.two_columns(reach) {
        let (first, heights) = split(corners, two.axis, two.line);
        for (k, heights) in [first, 1 - first].into_iter().zip(heights) {
            out.push((two.columns[k], face(heights, two.spans[k])));
        }
        return true;
    }
    let Some(lines) = ruler.inner_borders(reach) else { return false };
    let Some(quarters) = quarter(corners, lines) else { return false };
    let (before, mut count) = (out.len(), 0);
    let column = reach.first[1] as u32 * ruler.width + reach.first[0] as u32;
    let mut faces = [(0, face([0; 2], [[0; 2]; 2])); 4];
    for (k, [lo, hi]) in (0..).zip(quarters.heights) {
        let place = [reach.first[0] + (k & 1), reach.first[1] + (k >> 1)];
        let spans = ruler.spans_at(reach, place);
        let next = column + (k & 1) as u32 + (k >> 1) as u32 * ruler.width;
        // The next one takes its place where there is none.
        faces[count] = (next, face([to_units(lo), to_units(hi)], spans));
        count += usize::from(lo <= hi);
    }
    out.extend_from_slice(&faces);
    out.truncate(before + count);
    true
}

/// Adds the faces of a triangle whose columns all lie beside each other along one axis: its heights are those of its
/// corners and of its edges at the borders between. Says whether it is one.
fn add_row(
    corners: &[[i32; 3]; 3],
    reach: &Reach,
    ruler: &Ruler,
    face: impl Fn([i32; 2], [[u8; 2]; 2]) -> FaceRange,
    out: &mut Vec<(u32, FaceRange)>,
) -> bool {
    let more = [0, 1].map(|k| reach.last[k] - reach.first[k]);
    let axis = usize::from(more[0] == 0);
    if more[1 - axis] != 0 || (axis == 1 && ruler.is_on_border(corners, reach)) {
        return false;
    }
    let (before, [x, y], last) = (out.len(), reach.first, more[axis] as usize);
    for i in 0..=more[axis] {
        let place = if axis == 0 { [x + i, y] } else { [x, y + i] };
        let column = place[1] as u32 * ruler.width + place[0] as u32;
        out.push((column, face([i32::MAX, i32::MIN], ruler.spans_at(reach, place))));
    }
    let faces = &mut out[before..];
    let mut extend = |i: usize, z: i32| {
        let face = &mut faces[i].1;
        (face.lo, face.hi) = (face.lo.min(z), face.hi.max(z));
    };
    // A corner on the last column's end is one of that column.
    let column_of =
        |p: &[i32; 3]| (ruler.columns.count(in_plan(*p))[axis] - reach.first[axis]) as usize;
    let placed = [0, 1, 2].map(|k| (column_of(&corners[k]).min(last), &corners[k]));
    for (at, corner) in placed {
        extend(at, corner[2]);
    }
    for [from, to] in [[0, 1], [1, 2], [2, 0]].map(|ends| ends.map(|k: usize| placed[k])) {
        // From the lower end along the axis, as in the voxel pipeline's rasterizer.
        let ((first, a), (end, b)) =
            if from.1[axis] <= to.1[axis] { (from, to) } else { (to, from) };
        let length = |k: usize| f64::from(b[k]) - f64::from(a[k]);
        let slope = length(2) / length(axis);
        for i in first + 1..=end {
            let line = ruler.corner[axis] + (f64::from(reach.first[axis]) + i as f64) * ruler.cell;
            let z = to_units(f64::from(a[2]) + (line - f64::from(a[axis])) * slope);
            extend(i - 1, z);
            extend(i, z);
        }
    }
    true
}

/// All columns: numbers in this window are those of the grid.
pub(crate) fn whole_window(grid: &Grid) -> Window {
    Window { x0: 0, y0: 0, x1: grid.width, y1: grid.depth }
}

/// Where the faces of each column begin. First come those that may cover middles of pixels, then others that lines
/// through middles may cross, then the rest: most questions are about the former, and most of a crowd are the rest.
#[derive(Debug)]
pub(crate) struct FaceFirsts(Vec<u32>);

impl FaceFirsts {
    /// How many parts the faces of a column have.
    const PARTS: usize = 3;

    /// Which of them a face belongs to. Cannot be foreseen, so no branch asks.
    #[inline]
    fn part(face: &FaceRange) -> usize {
        // What may cover middles may be crossed too.
        2 - usize::from(face.may_cross_lines()) - usize::from(face.may_cover_middles())
    }

    pub(crate) fn column_count(&self) -> usize {
        self.0.len() / Self::PARTS
    }

    #[inline]
    fn range(&self, column: usize, parts: usize) -> Range<usize> {
        let first = Self::PARTS * column;
        self.0[first] as usize..self.0[first + parts] as usize
    }

    /// All faces of a column.
    #[inline]
    pub(crate) fn all(&self, column: usize) -> Range<usize> {
        self.range(column, Self::PARTS)
    }

    /// Those that may cover middles of pixels.
    #[inline]
    pub(crate) fn covering(&self, column: usize) -> Range<usize> {
        self.range(column, 1)
    }

    /// Those that lines through middles may cross.
    #[inline]
    pub(crate) fn crossed(&self, column: usize) -> Range<usize> {
        self.range(column, 2)
    }
}

/// Sorts faces into columns and their parts, within which they keep their order.
pub(crate) fn sort_into_columns(
    columns: usize,
    loose: Vec<Vec<(u32, FaceRange)>>,
) -> Result<(FaceFirsts, Vec<FaceRange>), BakeError> {
    let count: usize = loose.iter().map(Vec::len).sum();
    // What is kept of them besides is at most twice as many.
    if count >= u32::MAX as usize / 2 {
        return Err(BakeError::TooLarge { what: "faces over columns", count });
    }
    let part_of = |column: u32, face: &FaceRange| {
        FaceFirsts::PARTS * column as usize + FaceFirsts::part(face)
    };
    let parts = FaceFirsts::PARTS * columns;
    let mut firsts = vec![0_u32; parts + 1];
    for (column, face) in loose.iter().flatten() {
        firsts[part_of(*column, face) + 1] += 1;
    }
    for i in 0..parts {
        firsts[i + 1] += firsts[i];
    }
    let mut next = firsts.clone();
    let none =
        FaceRange { triangle: 0, lo: 0, hi: 0, surface: Surface::UPRIGHT, spans: [[0; 2]; 2] };
    let mut faces = vec![none; count];
    for (column, face) in loose.iter().flatten() {
        let at = &mut next[part_of(*column, face)];
        faces[*at as usize] = *face;
        *at += 1;
    }
    Ok((FaceFirsts(firsts), faces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::any_numbers::any_below;
    use crate::settings::BakeSettings;

    /// Triangles of all sizes, some of them narrow along an axis, many with corners on the borders of columns.
    fn strewn() -> Vec<GridTriangle> {
        let mut below = any_below(11);
        (0..9_000)
            .map(|i| {
                let (size, raster) = ([400, 3_000, 20_000, 90_000][i % 4], [1, 3_264][i / 4 % 2]);
                let narrow = [[1, 1], [1, 30], [30, 1]][i / 8 % 3];
                let at = [below(40_000), below(40_000), below(9_000)];
                let corners = [0, 1, 2].map(|_| {
                    let sizes = [size / narrow[0], size / narrow[1], size];
                    let [x, y, z] = [0, 1, 2].map(|k| at[k] + below(sizes[k]));
                    [x / raster * raster, y / raster * raster, z]
                });
                GridTriangle { corners, surface: Surface::ground(0) }
            })
            .collect()
    }

    /// Lengths around whole numbers of parts, small and as large as a scene can be.
    #[test]
    fn whole_parts_are_those_of_a_division() {
        for part in [1_i64, 2, 3, 7, 1_600, 13_104, 52_416, 1_048_575] {
            let parts = Parts::new(part as f64, [0.0, -77.0]);
            for times in (0..2_000).chain((1 << 31) / part - 100..(1 << 31) / part) {
                for units in [times * part - 1, times * part, times * part + 1] {
                    let units = units.clamp(-1, i64::from(i32::MAX));
                    let found = parts.count([units as f64, (units - 77) as f64]);
                    assert_eq!(found.map(i64::from), [units.div_euclid(part); 2], "{units} {part}");
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
        let (mut counts, mut on_borders) = ([0; 6], 0);
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
            let is_border = |p: &[i32; 3]| p[0] % scales.coarse.cell == 0;
            on_borders += usize::from(triangle.corners.iter().any(is_border));
        }
        assert!(counts.iter().all(|n| *n > 150), "{counts:?} in so many columns");
        assert!(on_borders > 500, "{on_borders} on borders");
    }

    /// A column's faces lie in the parts that they belong to, in the order in which they came.
    #[test]
    fn faces_of_a_column_lie_in_their_parts() {
        let triangles = strewn();
        let settings = BakeSettings::default().resolve().unwrap();
        let scales = Scales::new(&triangles, &settings).unwrap();
        let loose = rasterize(&triangles, &scales, &Ruler::new(&scales));
        let all: Vec<(u32, FaceRange)> = loose.iter().flatten().copied().collect();
        let columns = (scales.coarse.width * scales.coarse.depth) as usize;
        let (firsts, faces) = sort_into_columns(columns, loose).unwrap();
        assert_eq!((firsts.column_count(), faces.len()), (columns, all.len()));
        let mut counts = [0; 3];
        for column in 0..columns {
            let [covering, crossed, every] =
                [firsts.covering(column), firsts.crossed(column), firsts.all(column)];
            let parts = [covering.clone(), covering.end..crossed.end, crossed.end..every.end];
            let of_part: [fn(&FaceRange) -> bool; 3] = [
                FaceRange::may_cover_middles,
                |f| f.may_cross_lines() && !f.may_cover_middles(),
                |f| !f.may_cross_lines(),
            ];
            for (part, (range, belongs)) in parts.into_iter().zip(of_part).enumerate() {
                counts[part] += range.len();
                let own = all.iter().filter(|(c, f)| *c as usize == column && belongs(f));
                assert!(faces[range].iter().eq(own.map(|(_, f)| f)), "column {column}");
            }
        }
        assert!(counts.iter().all(|n| *n > 500), "{counts:?} faces in the parts");
    }
}
