//! Rasterizes triangles into columns.
//!
//! Goes in: the triangles over a window of columns. Comes out: for every column and triangle over it,
//! the range of heights that the triangle has there. Conservative, as in Recast (Mononen 2009): a
//! column counts as soon as the triangle reaches into it. What a triangle gives to a column follows
//! from the two alone, never from the window: cuts with grid lines are computed from the triangle's
//! own edges, each edge always from its lower end, so that neighbours agree and no tile can be told
//! from its samples. A column is half open, so that ground that ends on a grid line ends there.

use crate::heightfield::grid::{Grid, Window};
use crate::input::classify::{ClassedTriangle, FaceClass};

/// The heights that a triangle has over a column, in lattice units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sample {
    pub(crate) lo: i32,
    pub(crate) hi: i32,
    pub(crate) class: FaceClass,
    /// The triangle, among all of the scene.
    pub(crate) triangle: u32,
}

/// The samples of a window, column by column.
#[derive(Debug, Default)]
pub(crate) struct ColumnSamples {
    /// Where each column's samples begin, and one past the last at the end.
    pub(crate) firsts: Vec<u32>,
    pub(crate) samples: Vec<Sample>,
    /// As they came: the column of each.
    loose: Vec<(u32, Sample)>,
    row: RowScratch,
}

/// Lowest and highest point at the columns of one row.
#[derive(Debug, Default)]
struct RowScratch {
    lows: Vec<f64>,
    highs: Vec<f64>,
}

/// For how many samples to a column memory is kept ready.
const SAMPLES_TO_RESERVE: usize = 2;

/// Adding and taking away this number rounds to whole units, halves to even.
const ROUND_TO_UNITS: f64 = 6_755_399_441_055_744.0;

/// The same for 1/256 of a unit: what positions of cuts are rounded to, so that the noise of the
/// arithmetic never reaches into the next column.
const ROUND_TO_FRACTION: f64 = ROUND_TO_UNITS / 256.0;

fn to_units(v: f64) -> i32 {
    // The whole number lies in the last bits of the sum.
    (v + ROUND_TO_UNITS).to_bits() as i32
}

fn to_fraction(v: f64) -> f64 {
    (v + ROUND_TO_FRACTION) - ROUND_TO_FRACTION
}

/// An edge of a triangle, from its lower end in the order of rows.
#[derive(Clone, Copy)]
struct RowEdge {
    x: f64,
    y: f64,
    z: f64,
    end: [f64; 3],
    x_per_y: f64,
    z_per_y: f64,
}

impl RowEdge {
    fn new(a: [f64; 3], b: [f64; 3]) -> Self {
        let (a, b) = if (a[1], a[0], a[2]) <= (b[1], b[0], b[2]) { (a, b) } else { (b, a) };
        let run = b[1] - a[1];
        let slope = |k: usize| if run > 0.0 { (b[k] - a[k]) / run } else { 0.0 };
        Self { x: a[0], y: a[1], z: a[2], end: b, x_per_y: slope(0), z_per_y: slope(2) }
    }

    /// Where it crosses a row's border: x and height.
    fn at(&self, y: f64) -> (f64, f64) {
        let d = y - self.y;
        (to_fraction(self.x + d * self.x_per_y), self.z + d * self.z_per_y)
    }
}

/// A grid line's number and exact arithmetic around it.
#[derive(Clone, Copy)]
struct Lines {
    cell: f64,
    per_unit: f64,
}

impl Lines {
    /// The line at or before a position.
    fn at_or_before(self, v: f64) -> i64 {
        // The nearest line, as in [`to_units`], or the one before it. The product may be off by an
        // ulp; lines are whole numbers of units, so comparing is exact.
        let nearest = v * self.per_unit + ROUND_TO_UNITS;
        let after = (nearest - ROUND_TO_UNITS) * self.cell > v;
        i64::from(nearest.to_bits() as i32) - i64::from(after)
    }

    /// First and last column of a stretch.
    fn range(self, lo: f64, hi: f64) -> (i64, i64) {
        let first = self.at_or_before(lo);
        let last = self.at_or_before(hi);
        // A stretch that ends on a line does not reach into the column behind it.
        if last > first && last as f64 * self.cell >= hi {
            (first, last - 1)
        } else {
            (first, last)
        }
    }
}

impl ColumnSamples {
    /// The samples of a column.
    #[inline]
    pub(crate) fn of_column(&self, column: usize) -> &[Sample] {
        &self.samples[self.firsts[column] as usize..self.firsts[column + 1] as usize]
    }

    /// Rasterizes triangles over a window, in place of what was there. Memory is kept ready for so many
    /// columns.
    pub(crate) fn rasterize<'a>(
        &mut self,
        triangles: impl Iterator<Item = (u32, &'a ClassedTriangle)>,
        grid: &Grid,
        window: &Window,
        reserved: usize,
    ) {
        self.loose.clear();
        self.loose.reserve(SAMPLES_TO_RESERVE * reserved);
        for (number, triangle) in triangles {
            self.add(number, triangle, grid, window);
        }
        self.sort_into_columns(window.columns(), reserved);
    }

    /// The samples of one triangle over a window, in place of what was there, each with its column:
    /// unsorted, in rows.
    pub(crate) fn sweep(
        &mut self,
        number: u32,
        triangle: &ClassedTriangle,
        grid: &Grid,
        window: &Window,
    ) -> &[(u32, Sample)] {
        self.loose.clear();
        self.add(number, triangle, grid, window);
        &self.loose
    }

    fn sort_into_columns(&mut self, columns: usize, reserved: usize) {
        self.firsts.clear();
        self.firsts.reserve(reserved + 1);
        self.firsts.resize(columns + 1, 0);
        for (column, _) in &self.loose {
            self.firsts[*column as usize + 1] += 1;
        }
        for i in 0..columns {
            self.firsts[i + 1] += self.firsts[i];
        }
        let none = Sample { lo: 0, hi: 0, class: FaceClass::UPRIGHT, triangle: 0 };
        self.samples.reserve((SAMPLES_TO_RESERVE * reserved).saturating_sub(self.samples.len()));
        // All of them are written over.
        self.samples.resize(self.loose.len(), none);
        // Filling a column from its end moves its start to the right place.
        for (column, sample) in self.loose.iter().rev() {
            let next = &mut self.firsts[*column as usize + 1];
            *next -= 1;
            self.samples[*next as usize] = *sample;
        }
        // Every entry now holds where its own column starts, one place too far to the right.
        self.firsts.copy_within(1.., 0);
        self.firsts[columns] = self.loose.len() as u32;
    }

    fn add(&mut self, number: u32, triangle: &ClassedTriangle, grid: &Grid, window: &Window) {
        let lines = Lines { cell: f64::from(grid.cell), per_unit: 1.0 / f64::from(grid.cell) };
        // Written out: mapping over arrays costs more here than all the rest.
        let number_of = |c: [i32; 3]| [f64::from(c[0]), f64::from(c[1]), f64::from(c[2])];
        let [a, b, c] = triangle.corners;
        let corners = [number_of(a), number_of(b), number_of(c)];
        let [first_x, first_y] = grid.first_column();
        let bounds = |k: usize| {
            let [a, b, c] = corners;
            (lesser(lesser(a[k], b[k]), c[k]), greater(greater(a[k], b[k]), c[k]))
        };
        let ((x_lo, x_hi), (y_lo, y_hi), (z_lo, z_hi)) = (bounds(0), bounds(1), bounds(2));
        let (x_first, x_last) = lines.range(x_lo, x_hi);
        let (y_first, y_last) = lines.range(y_lo, y_hi);
        let columns = (
            i64::from(window.x0).max(x_first - first_x),
            i64::from(window.x1).min(x_last - first_x + 1),
        );
        let rows = (
            i64::from(window.y0).max(y_first - first_y),
            i64::from(window.y1).min(y_last - first_y + 1),
        );
        if columns.0 >= columns.1 || rows.0 >= rows.1 {
            return;
        }
        let (class, triangle) = (triangle.class, number);
        let width = i64::from(window.width());
        let column_at = |x: i64, y: i64| {
            ((y - i64::from(window.y0)) * width + (x - i64::from(window.x0))) as u32
        };
        if x_first == x_last && y_first == y_last {
            let sample = Sample { lo: z_lo as i32, hi: z_hi as i32, class, triangle };
            self.loose.push((column_at(columns.0, rows.0), sample));
            return;
        }
        let [a, b, c] = corners;
        let edges = [RowEdge::new(a, b), RowEdge::new(b, c), RowEdge::new(c, a)];
        let is_level = z_lo as i32 == z_hi as i32;
        for row in rows.0..rows.1 {
            let y0 = (row + first_y) as f64 * lines.cell;
            let strip = RowStrip::cut(&edges, y0, y0 + lines.cell);
            let (from, to) = lines.range(strip.x_lo, strip.x_hi);
            let (from, to) = ((from - first_x).max(columns.0), (to - first_x + 1).min(columns.1));
            if from >= to {
                continue;
            }
            let base = column_at(from, row);
            if is_level {
                let sample = Sample { lo: z_lo as i32, hi: z_hi as i32, class, triangle };
                self.loose.extend((0..(to - from) as u32).map(|i| (base + i, sample)));
                continue;
            }
            if strip.x_lo >= (from + first_x) as f64 * lines.cell
                && strip.x_hi <= (from + first_x + 1) as f64 * lines.cell
            {
                let (lo, hi) = (to_units(strip.z_lo), to_units(strip.z_hi));
                self.loose.push((base, Sample { lo, hi, class, triangle }));
                continue;
            }
            self.row.measure(&strip, lines, from + first_x, to + first_x);
            let heights = self.row.lows[1..].iter().zip(&self.row.highs[1..]);
            self.loose.extend((0..(to - from) as u32).zip(heights).map(|(i, (lo, hi))| {
                (base + i, Sample { lo: to_units(*lo), hi: to_units(*hi), class, triangle })
            }));
        }
    }
}

/// A segment over the x axis: from (x, z) to (x, z), the smaller x first.
type Segment = [(f64, f64); 2];

/// The part of a triangle in one row, seen from the side: the segments of its outline.
struct RowStrip {
    segments: [Segment; 5],
    count: usize,
    x_lo: f64,
    x_hi: f64,
    z_lo: f64,
    z_hi: f64,
}

impl RowStrip {
    #[inline]
    fn cut(edges: &[RowEdge; 3], y0: f64, y1: f64) -> Self {
        let nowhere = (f64::INFINITY, 0.0);
        let mut strip = Self {
            segments: [[nowhere; 2]; 5],
            count: 0,
            x_lo: f64::INFINITY,
            x_hi: f64::NEG_INFINITY,
            z_lo: f64::INFINITY,
            z_hi: f64::NEG_INFINITY,
        };
        // Where the row's two borders cut the triangle: the ends of each cut.
        let mut cuts = [[nowhere, (f64::NEG_INFINITY, 0.0)]; 2];
        for e in edges {
            if e.end[1] < y0 || e.y > y1 {
                continue;
            }
            let a = if e.y < y0 { e.at(y0) } else { (e.x, e.z) };
            let b = if e.end[1] > y1 { e.at(y1) } else { (e.end[0], e.end[2]) };
            if e.y <= y0 {
                lengthen(&mut cuts[0], a);
            }
            if e.end[1] <= y0 {
                lengthen(&mut cuts[0], b);
            }
            if e.y >= y1 {
                lengthen(&mut cuts[1], a);
            }
            if e.end[1] >= y1 {
                lengthen(&mut cuts[1], b);
            }
            strip.push(a, b);
        }
        for [a, b] in cuts {
            if a.0 < b.0 {
                strip.push(a, b);
            }
        }
        strip
    }

    fn push(&mut self, a: (f64, f64), b: (f64, f64)) {
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        if self.count < self.segments.len() {
            self.segments[self.count] = [a, b];
            self.count += 1;
        }
        self.x_lo = lesser(self.x_lo, a.0);
        self.x_hi = greater(self.x_hi, b.0);
        self.z_lo = lesser(self.z_lo, lesser(a.1, b.1));
        self.z_hi = greater(self.z_hi, greater(a.1, b.1));
    }
}

/// Makes a cut reach to a point.
fn lengthen(cut: &mut Segment, p: (f64, f64)) {
    if p.0 < cut[0].0 {
        cut[0] = p;
    }
    if p.0 > cut[1].0 {
        cut[1] = p;
    }
}

/// The lesser of two numbers, both of which are numbers: one instruction.
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers, both of which are numbers.
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl RowScratch {
    /// Lowest and highest point over each of the columns `from..to`. The first and last entry are
    /// for what lies beside them.
    fn measure(&mut self, strip: &RowStrip, lines: Lines, from: i64, to: i64) {
        let count = (to - from) as usize + 2;
        if self.lows.len() < count {
            self.lows.resize(count, 0.0);
            self.highs.resize(count, 0.0);
        }
        let (lows, highs) = (&mut self.lows[..count], &mut self.highs[..count]);
        lows.fill(f64::INFINITY);
        highs.fill(f64::NEG_INFINITY);
        let extend = |(low, high): (&mut f64, &mut f64), z: f64| {
            *low = lesser(*low, z);
            *high = greater(*high, z);
        };
        let slot = |column: i64| (column - from + 1).clamp(0, count as i64 - 1) as usize;
        for &[a, b] in &strip.segments[..strip.count] {
            let (first, last) = (lines.at_or_before(a.0), lines.at_or_before(b.0));
            for (at, z) in [(slot(first), a.1), (slot(last), b.1)] {
                extend((&mut lows[at], &mut highs[at]), z);
            }
            let (line, end) = ((first + 1).max(from), last.min(to));
            if line > end {
                continue;
            }
            let slope = (b.1 - a.1) / (b.0 - a.0);
            // Each line is the border of two columns. Of what a segment that rises has over a column,
            // the lowest is at the line before it and the highest at the one behind it.
            let (at, count) = ((line - from) as usize, (end - line + 1) as usize);
            let first_x = line as f64 * lines.cell;
            let z_at = |i: i32| a.1 + (first_x + f64::from(i) * lines.cell - a.0) * slope;
            let (low_at, high_at) = if slope < 0.0 { (at, at + 1) } else { (at + 1, at) };
            let (low, high) = (&mut lows[low_at..][..count], &mut highs[high_at..][..count]);
            for ((i, low), high) in (0_i32..).zip(low).zip(high) {
                let z = z_at(i);
                *low = lesser(*low, z);
                *high = greater(*high, z);
            }
            // Rounding may put the last line beyond the segment's end.
            extend((&mut lows[at + count], &mut highs[at + count]), z_at(count as i32 - 1));
        }
    }
}
