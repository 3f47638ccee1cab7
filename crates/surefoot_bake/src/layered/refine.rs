//! Refines layers: a fine depth map under the cutting shape.
//!
//! Goes in: the cells of all layers and the triangles over each column. Comes out: the height of the
//! ground in the middle of every fine cell: the topmost walkable surface between the heights that the
//! cutting shape allows there, unless something is in the agent's way above it (Oliva 2012, §6.2.3,
//! where what is in the way is found by its different depth). What is in the way: any surface between
//! the step's and the agent's height; and a surface facing down below the step's height, unless one
//! facing up ends what begins there before. A surface above it that faces up and is too steep is noted
//! too: it may be a riser. Surfaces over the middles are found once for all cells of a column, and every
//! column is asked alone, so that they run in parallel.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::cutting_shape::CuttingShape;
use crate::layered::fine_map::{FineMap, NO_HEIGHT, NO_PIXEL, PixelKind, Under};
use crate::layered::rasterize::FaceRange;
use crate::layered::scales::{Scales, TOUCHING_UNITS, round_to_i32};
use crate::layered::slice::Slices;
use crate::voxel::grid::{GridTriangle, Surface};
use rayon::prelude::*;

/// Cells that a thread refines before it looks for more.
const CHUNK: usize = 256;

pub(crate) fn refine(
    shape: CuttingShape,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<FineMap, BakeError> {
    let per_cell = scales.pixels_per_cell();
    let mut heights = vec![NO_HEIGHT; shape.len() * per_cell];
    let mut grounds = vec![NO_PIXEL; shape.len() * per_cell];
    let under: Vec<Vec<Under>> = heights
        .par_chunks_mut(CHUNK * per_cell)
        .zip(grounds.par_chunks_mut(CHUNK * per_cell))
        .enumerate()
        .map_init(CellScratch::default, |scratch, (chunk, (heights, grounds))| {
            let mut under = Vec::new();
            let cells = heights.chunks_mut(per_cell).zip(grounds.chunks_mut(per_cell));
            for (i, pixels) in cells.enumerate() {
                let cell = chunk * CHUNK + i;
                refine_cell(&shape, cell, slices, scales, pixels, scratch);
                let first = (cell * per_cell) as u32;
                let found = scratch.under.drain(..);
                under.extend(found.map(|u| Under { pixel: first + u.pixel, ..u }));
            }
            under
        })
        .collect();
    context.check_cancelled()?;
    let (mut kinds, mut areas) =
        (Vec::with_capacity(grounds.len()), Vec::with_capacity(grounds.len()));
    // Most pixels lie on the triangle of the one before.
    let (mut last, mut kind, mut area) = (NO_PIXEL, PixelKind::Nothing, 0);
    for &ground in &grounds {
        if ground != last {
            let surface = (ground != NO_PIXEL).then(|| slices.surface(ground));
            kind = match surface {
                None => PixelKind::Nothing,
                Some(s) if s.is_ground() => PixelKind::Ground,
                Some(_) => PixelKind::Steep,
            };
            (last, area) = (ground, surface.map_or(0, Surface::area));
        }
        kinds.push(kind);
        areas.push(area);
    }
    context.count("pixels", heights.len());
    context.count("steep_pixels", kinds.iter().filter(|k| **k == PixelKind::Steep).count());
    Ok(FineMap {
        shape,
        heights,
        grounds,
        kinds,
        areas,
        under: under.into_iter().flatten().collect(),
        bridges: Vec::new(),
        refused: Vec::new(),
    })
}

/// A surface over a pixel's middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sample {
    /// The pixel within its column, the height, and what the surface is, packed in this order.
    key: u64,
    triangle: u32,
}

impl Sample {
    const UP: u64 = 4;
    const DOWN: u64 = 2;
    const GROUND: u64 = 1;

    fn new(pixel: u32, z: i32, surface: Surface, triangle: u32) -> Self {
        let bit = |is: bool, bit: u64| if is { bit } else { 0 };
        let kind = bit(surface.faces_up(), Self::UP)
            | bit(surface.faces_down(), Self::DOWN)
            | bit(surface.is_ground(), Self::GROUND);
        // From the lowest number on, as heights go.
        let height = z as u32 ^ 1 << 31;
        Self { key: u64::from(pixel) << 35 | u64::from(height) << 3 | kind, triangle }
    }

    const fn pixel(&self) -> usize {
        (self.key >> 35) as usize
    }

    /// The height as a number that grows with it.
    const fn height_bits(&self) -> u32 {
        (self.key >> 3) as u32
    }

    const fn z(&self) -> i32 {
        (self.height_bits() ^ 1 << 31) as i32
    }

    const fn faces_up(&self) -> bool {
        self.key & Self::UP != 0
    }

    const fn faces_down(&self) -> bool {
        self.key & Self::DOWN != 0
    }

    const fn is_ground(&self) -> bool {
        self.key & Self::GROUND != 0
    }

    /// Facing up, too steep to walk on.
    const fn is_steep(&self) -> bool {
        self.faces_up() && !self.is_ground()
    }
}

/// Working memory of a thread.
#[derive(Default)]
struct CellScratch {
    /// The column whose surfaces are known.
    column: Option<u32>,
    samples: ColumnSamples,
    under: Vec<Under>,
}

/// The surfaces over the pixels of a column that its cells ask for.
#[derive(Default)]
struct ColumnSamples {
    /// By pixel and from below.
    samples: Vec<Sample>,
    /// Where each pixel's begin, and one past the last at the end; nothing where all are of one triangle.
    firsts: Vec<u32>,
    /// Where those of each triangle begin, while they are found.
    runs: Vec<u64>,
    /// As they were found, while they are sorted.
    loose: Vec<Sample>,
}

/// A triangle over the middles of a coarse column's pixels.
pub(crate) struct PixelTriangle {
    /// Twice the areas that the first pixel's middle has with each edge, and how they change.
    areas: [i64; 3],
    per_x: [i64; 3],
    per_y: [i64; 3],
    z: f64,
    z_per_x: f64,
    z_per_y: f64,
    lo: f64,
    hi: f64,
    /// A triangle without an area in plan covers no middle: lines are cut with it.
    flat: bool,
}

impl PixelTriangle {
    pub(crate) fn new(triangle: &GridTriangle, column: u32, scales: &Scales) -> Self {
        let fine = i64::from(scales.fine);
        let corner = scales.corner(column);
        let p = [corner[0] + fine / 2, corner[1] + fine / 2];
        let long = |c: [i32; 3]| [i64::from(c[0]), i64::from(c[1]), i64::from(c[2])];
        let [a, b, c] = triangle.corners;
        let c = [long(a), long(b), long(c)];
        // Twice an area of lengths below this fits into 64 bits.
        const NEAR: i64 = 1 << 30;
        let is_near = |v: i64| v.abs() < NEAR;
        let near = c.iter().all(|c| is_near(c[0] - p[0]) && is_near(c[1] - p[1]));
        // Far beyond a column all that counts is the side: there the areas are cut off.
        const FAR: i128 = 1 << 62;
        let turn = |a: [i64; 3], b: [i64; 3], q: [i64; 2]| {
            let (ux, uy, vx, vy) = (b[0] - a[0], b[1] - a[1], q[0] - a[0], q[1] - a[1]);
            if near {
                return ux * vy - uy * vx;
            }
            let turn = i128::from(ux) * i128::from(vy) - i128::from(uy) * i128::from(vx);
            turn.clamp(-FAR, FAR) as i64
        };
        let whole = turn(c[0], c[1], [c[2][0], c[2][1]]);
        let sign = if whole < 0 { -1 } else { 1 };
        let mut out = Self {
            areas: [0; 3],
            per_x: [0; 3],
            per_y: [0; 3],
            z: 0.0,
            z_per_x: 0.0,
            z_per_y: 0.0,
            lo: c[0][2].min(c[1][2]).min(c[2][2]) as f64,
            hi: c[0][2].max(c[1][2]).max(c[2][2]) as f64,
            flat: whole == 0,
        };
        for k in 0..3 {
            let (a, b) = (c[k], c[(k + 1) % 3]);
            out.areas[k] = sign * turn(a, b, p);
            out.per_x[k] = -sign * (b[1] - a[1]) * fine;
            out.per_y[k] = sign * (b[0] - a[0]) * fine;
        }
        if whole != 0 {
            let [slope_x, slope_y] = slope(triangle);
            let away = |k: usize| (p[k] - c[0][k]) as f64;
            out.z = c[0][2] as f64 + slope_x * away(0) + slope_y * away(1);
            out.z_per_x = slope_x * f64::from(scales.fine);
            out.z_per_y = slope_y * f64::from(scales.fine);
        }
        out
    }

    /// The areas that a pixel's middle has with each edge. Cut off as they are, none is too large for 64
    /// bits.
    #[inline]
    fn areas_at(&self, i: u32, j: u32) -> [i64; 3] {
        let (x, y) = (i64::from(i), i64::from(j));
        [0, 1, 2].map(|k| self.areas[k] + self.per_x[k] * x + self.per_y[k] * y)
    }

    fn covers(&self, i: u32, j: u32) -> bool {
        !self.flat && is_inside(self.areas_at(i, j))
    }

    fn height_over(&self, i: u32, j: u32) -> i32 {
        let z = self.z + f64::from(i) * self.z_per_x + f64::from(j) * self.z_per_y;
        round_to_i32(z.clamp(self.lo, self.hi))
    }

    /// The height over a pixel's middle, where the triangle covers it; its border counts.
    pub(crate) fn height(&self, i: u32, j: u32) -> Option<i32> {
        self.covers(i, j).then(|| self.height_over(i, j))
    }
}

/// Whether a triangle covers the middle of one pixel of a column; its border counts. Nothing is said
/// where it lies so far away that areas do not fit into 64 bits.
fn covers_middle(c: &[[i32; 3]; 3], corner: [i64; 2], [i, j]: [u32; 2], fine: i64) -> Option<bool> {
    const NEAR: i64 = 1 << 29;
    let p =
        [corner[0] + i64::from(i) * fine + fine / 2, corner[1] + i64::from(j) * fine + fine / 2];
    let away = |k: usize| [i64::from(c[k][0]) - p[0], i64::from(c[k][1]) - p[1]];
    let (a, b, c) = (away(0), away(1), away(2));
    let is_near = |v: [i64; 2]| v[0].abs() < NEAR && v[1].abs() < NEAR;
    if !(is_near(a) && is_near(b) && is_near(c)) {
        return None;
    }
    let turn = |a: [i64; 2], b: [i64; 2]| a[0] * b[1] - a[1] * b[0];
    let (ab, bc, ca) = (turn(a, b), turn(b, c), turn(c, a));
    // They make up the triangle's area.
    let whole = ab + bc + ca;
    let left = ab >= 0 && bc >= 0 && ca >= 0;
    let right = ab <= 0 && bc <= 0 && ca <= 0;
    Some((whole > 0 && left) || (whole < 0 && right))
}

/// Visits the pixels of a column that a face covers with its height there.
fn visit_covered(
    face: &FaceRange,
    triangle: &GridTriangle,
    column: u32,
    scales: &Scales,
    mut visit: impl FnMut(u32, i32),
) {
    let [[i0, i1], [j0, j1]] = face.spans;
    let (i0, i1, j0, j1) = (u32::from(i0), u32::from(i1), u32::from(j0), u32::from(j1));
    if i0 >= i1 || j0 >= j1 {
        return;
    }
    let one = i0 + 1 == i1 && j0 + 1 == j1;
    // Most triangles of a crowd have one middle within their extent, and do not cover it.
    let fine = i64::from(scales.fine);
    let covered = match one {
        true => covers_middle(&triangle.corners, scales.corner(column), [i0, j0], fine),
        false => None,
    };
    if covered == Some(false) {
        return;
    }
    let over = PixelTriangle::new(triangle, column, scales);
    if over.flat {
        return;
    }
    let corners = || [(i0, j0), (i1 - 1, j0), (i0, j1 - 1), (i1 - 1, j1 - 1)];
    let all =
        if one { covered == Some(true) } else { corners().iter().all(|&(i, j)| over.covers(i, j)) };
    let level = over.z_per_x == 0.0 && over.z_per_y == 0.0;
    let first = over.height_over(i0, j0);
    for j in j0..j1 {
        let mut areas = over.areas_at(i0, j);
        for i in i0..i1 {
            if all || is_inside(areas) {
                let height = if level { first } else { over.height_over(i, j) };
                visit(j * scales.per_side + i, height);
            }
            for k in 0..3 {
                areas[k] += over.per_x[k];
            }
        }
    }
}

/// Whether a point lies in a triangle, by the areas that it has with the edges: none is negative.
#[inline]
const fn is_inside([a, b, c]: [i64; 3]) -> bool {
    a | b | c >= 0
}

/// How much a triangle rises along each axis; nothing for a vertical one.
#[inline]
pub(crate) fn slope(triangle: &GridTriangle) -> [f64; 2] {
    let c = triangle.corners;
    let n = crate::exact::read::normal_units(c[0], c[1], c[2]);
    if n.z.abs() > 0.0 { [-n.x / n.z, -n.y / n.z] } else { [0.0, 0.0] }
}

/// Finds the surfaces over the pixels of a column that are ground of one of its cells or may be in the way
/// above it.
fn sample_column(
    column: u32,
    shape: &CuttingShape,
    slices: &Slices,
    scales: &Scales,
    out: &mut ColumnSamples,
) {
    let cells = shape.cells_of(column);
    let cells = cells.start as usize..cells.end as usize;
    let least = shape.lows[cells.clone()].iter().min().map_or(0, |z| i64::from(*z));
    let most = shape.highs[cells].iter().max().map_or(0, |z| i64::from(*z)) + scales.step;
    let faces = || slices.faces_of(column).iter().filter(|f| f.may_cover_middles());
    // Where something facing down may begin something solid, all that lies above may end it.
    let (begins_from, begins_to) = (least - TOUCHING_UNITS, most + scales.step);
    let begins = |f: &FaceRange| {
        f.surface.faces_down() && i64::from(f.hi) >= begins_from && i64::from(f.lo) <= begins_to
    };
    let highest = if faces().any(begins) { i64::MAX } else { most + scales.height };
    out.samples.clear();
    out.runs.clear();
    for face in faces().filter(|f| i64::from(f.hi) >= begins_from && i64::from(f.lo) <= highest) {
        let triangle = &slices.triangles[face.triangle as usize];
        let before = out.samples.len();
        visit_covered(face, triangle, column, scales, |pixel, z| {
            out.samples.push(Sample::new(pixel, z, face.surface, face.triangle));
        });
        if let Some(first) = out.samples.get(before) {
            out.runs.push(u64::from(first.height_bits()) << 32 | before as u64);
        }
    }
    out.sort(scales.pixels_per_cell());
}

impl ColumnSamples {
    /// The share of samples for every triangle from which on triangles are sorted before their samples.
    const MANY: usize = 4;

    /// Sorts samples by pixel, then by height: few lie over one pixel.
    fn sort(&mut self, pixels: usize) {
        self.firsts.clear();
        // Those of one triangle were found in order.
        if self.runs.len() < 2 {
            return;
        }
        std::mem::swap(&mut self.samples, &mut self.loose);
        let count = self.loose.len();
        self.firsts.resize(pixels + 1, 0);
        for sample in &self.loose {
            self.firsts[sample.pixel()] += 1;
        }
        let mut end = 0;
        for first in &mut self.firsts {
            end += *first;
            *first = end;
        }
        // From the back, so that the ends of pixels become their beginnings.
        self.samples.clear();
        self.samples.resize(count, self.loose[0]);
        let mut put = |sample: &Sample| {
            let at = &mut self.firsts[sample.pixel()];
            *at -= 1;
            self.samples[*at as usize] = *sample;
        };
        if count >= Self::MANY * self.runs.len() {
            // Triangles from above: then the samples of a pixel are nearly in order at once.
            self.runs.sort_unstable();
            for run in self.runs.iter().rev() {
                let run = &self.loose[*run as u32 as usize..];
                run.iter().take_while(|s| s.triangle == run[0].triangle).for_each(&mut put);
            }
        } else {
            self.loose.iter().for_each(&mut put);
        }
        // By insertion: each lies among those of its pixel already.
        for i in 1..count {
            let sample = self.samples[i];
            let mut at = i;
            while at > 0 && self.samples[at - 1] > sample {
                self.samples[at] = self.samples[at - 1];
                at -= 1;
            }
            self.samples[at] = sample;
        }
    }
}

fn refine_cell(
    shape: &CuttingShape,
    cell: usize,
    slices: &Slices,
    scales: &Scales,
    (heights, grounds): (&mut [i32], &mut [u32]),
    scratch: &mut CellScratch,
) {
    let (column, [low, high]) = (shape.columns[cell], [shape.lows[cell], shape.highs[cell]]);
    if scratch.column != Some(column) {
        sample_column(column, shape, slices, scales, &mut scratch.samples);
        scratch.column = Some(column);
    }
    let ColumnSamples { samples, firsts, .. } = &scratch.samples;
    // A riser may end in the next column, on ground that this one does not know.
    let steep_high = high.saturating_add(scales.step as i32);
    let mut put = |s: &Sample| (heights[s.pixel()], grounds[s.pixel()]) = (s.z(), s.triangle);
    let stands_alone = |only: &&Sample| {
        let high = if only.is_ground() { high } else { steep_high };
        only.faces_up() && only.z() >= low && only.z() <= high
    };
    if firsts.is_empty() {
        samples.iter().filter(stands_alone).for_each(put);
        return;
    }
    for ends in firsts.windows(2) {
        let samples = &samples[ends[0] as usize..ends[1] as usize];
        // Most have one surface over them, or none.
        if samples.len() < 2 {
            samples.iter().filter(stands_alone).for_each(&mut put);
            continue;
        }
        let free = |s: &Sample| !is_blocked(samples, i64::from(s.z()), scales);
        let ground = topmost(samples, [low, high], slices, Sample::is_ground).filter(free);
        // Only what lies above the ground counts.
        let steep_low = ground.map_or(low, |g| low.max(g.z().saturating_add(1)));
        let steep =
            topmost(samples, [steep_low, steep_high], slices, Sample::is_steep).filter(free);
        if let (Some(_), Some(ground)) = (steep, ground) {
            let (pixel, height, ground) = (ground.pixel() as u32, ground.z(), ground.triangle);
            scratch.under.push(Under { pixel, height, ground });
        }
        if let Some(top) = steep.or(ground) {
            put(&top);
        }
    }
}

/// The topmost surface of some kind over a pixel, between two heights.
fn topmost(
    samples: &[Sample],
    [low, high]: [i32; 2],
    slices: &Slices,
    is_wanted: impl Fn(&Sample) -> bool,
) -> Option<Sample> {
    let between = samples.iter().rev().skip_while(|s| s.z() > high).take_while(|s| s.z() >= low);
    let mut wanted = between.filter(|s| is_wanted(s));
    let mut best = *wanted.next()?;
    let height = best.z();
    // Of several at one height the choice must not depend on their order.
    let corners = |s: &Sample| &slices.triangles[s.triangle as usize].corners;
    for other in wanted.take_while(|s| s.z() == height) {
        if corners(other) < corners(&best) {
            best = *other;
        }
    }
    Some(best)
}

/// Whether something over a pixel, sorted from below, leaves no room to stand at a height.
fn is_blocked(samples: &[Sample], ground: i64, scales: &Scales) -> bool {
    // What lies below does not count; mostly the ground is the uppermost.
    let below = |s: &Sample| i64::from(s.z()) - ground < -TOUCHING_UNITS;
    let samples = &samples[samples.iter().rposition(below).map_or(0, |i| i + 1)..];
    for (i, sample) in samples.iter().enumerate() {
        let z = i64::from(sample.z());
        let above = z - ground;
        if above > scales.step {
            return above < scales.height;
        }
        if !sample.faces_down() {
            continue;
        }
        // What ends what begins here: the next surface that faces up, unless something else begins
        // before it; where the two touch, one thing stands on another.
        let beyond = |s: &&Sample| i64::from(s.z()) - z > TOUCHING_UNITS;
        let rest = || samples[i + 1..].iter().filter(beyond);
        let up = rest().find(|s| s.faces_up()).map(|s| i64::from(s.z()));
        let next_down = rest().find(|s| s.faces_down()).map(|s| i64::from(s.z()));
        match (up, next_down) {
            (Some(up), Some(down)) if down + TOUCHING_UNITS < up => {}
            (Some(up), _) if up - ground > scales.step => return true,
            (Some(_), _) | (None, Some(_)) => {}
            // A lone sheet facing down has no end; one that lies on the ground is its underside, and one
            // under a sheet facing up is the other side of that.
            (None, None) if above > TOUCHING_UNITS => {
                let touches = |s: &&Sample| (i64::from(s.z()) - z).abs() <= TOUCHING_UNITS;
                if !samples.iter().filter(touches).any(Sample::faces_up) {
                    return true;
                }
            }
            (None, None) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::BakeSettings;

    /// The quick answer for one middle is the one that areas give.
    #[test]
    fn one_middle_is_covered_as_among_many() {
        let settings = BakeSettings::default().resolve().unwrap();
        let mut state = 3_u64;
        let mut below = |most: i32| {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as i32 % most
        };
        let (mut covered, mut not) = (0, 0);
        for _ in 0..3_000 {
            // On a coarse raster, so that edges and corners often lie on a middle.
            let corners = [0, 1, 2].map(|_| [0, 1, 2].map(|_| 819 * (below(17) - 4)));
            let triangle = GridTriangle { corners, surface: Surface::ground(0) };
            let frame = GridTriangle { corners: [[0; 3], [13_000; 3], [13_000; 3]], ..triangle };
            let scales = Scales::new(&[frame], &settings).unwrap();
            let over = PixelTriangle::new(&triangle, 0, &scales);
            for (i, j) in [(0, 0), (1, 2), (3, 3)] {
                let fine = i64::from(scales.fine);
                let quick = covers_middle(&corners, scales.corner(0), [i, j], fine);
                assert_eq!(quick, Some(over.covers(i, j)), "{corners:?} at {i}, {j}");
                if quick == Some(true) { covered += 1 } else { not += 1 }
            }
        }
        assert!(covered > 500 && not > 500, "{covered} covered, {not} not");
    }

    /// Pixel after pixel, a triangle covers those that it covers when each is asked for alone.
    #[test]
    fn pixels_in_a_row_are_covered_as_alone() {
        let settings = BakeSettings::default().resolve().unwrap();
        let mut state = 7_u64;
        let mut below = |most: i32| {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as i32 % most
        };
        let (mut covered, mut level) = (0, 0);
        for round in 0..2_000 {
            let mut corners = [0, 1, 2].map(|_| [0, 1, 2].map(|_| 819 * (below(33) - 12)));
            if round % 2 == 0 {
                corners.iter_mut().for_each(|c| c[2] = 1_000);
                level += 1;
            }
            let triangle = GridTriangle { corners, surface: Surface::ground(0) };
            let frame = GridTriangle { corners: [[0; 3], [13_000; 3], [13_000; 3]], ..triangle };
            let scales = Scales::new(&[frame], &settings).unwrap();
            let side = scales.per_side as u8;
            let face = FaceRange {
                triangle: 0,
                lo: 0,
                hi: 0,
                surface: triangle.surface,
                spans: [[0, side]; 2],
            };
            let mut found = Vec::new();
            visit_covered(&face, &triangle, 0, &scales, |pixel, z| found.push((pixel, z)));
            let over = PixelTriangle::new(&triangle, 0, &scales);
            let expected: Vec<(u32, i32)> = (0..scales.pixels_per_cell() as u32)
                .filter_map(|p| {
                    let (i, j) = (p % scales.per_side, p / scales.per_side);
                    over.height(i, j).map(|z| (p, z))
                })
                .collect();
            assert_eq!(found, expected, "{corners:?}");
            covered += found.len();
        }
        assert!(covered > 1_000 && level > 500, "{covered} covered");
    }

    /// Whether triangles are sorted first or not: samples come by pixel, from below.
    #[test]
    fn samples_are_sorted_by_pixel_and_height() {
        let mut state = 5_u64;
        let mut below = |most: u32| {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as u32 % most
        };
        let kinds = [Surface::UPRIGHT, Surface::STEEP, Surface::DOWN, Surface::ground(3)];
        for (pixels, most) in [(1, 1), (16, 1), (16, 16), (64, 30), (100, 2)] {
            let mut column = ColumnSamples::default();
            for triangle in 0..100 {
                let before = column.samples.len();
                let kind = kinds[below(4) as usize];
                for pixel in (0..pixels).filter(|p| p % 7 != triangle % 7).take(most) {
                    let z = below(40) as i32 - 20;
                    column.samples.push(Sample::new(pixel, z, kind, triangle));
                }
                if let Some(first) = column.samples.get(before) {
                    column.runs.push(u64::from(first.height_bits()) << 32 | before as u64);
                }
            }
            let mut expected = column.samples.clone();
            expected.sort_unstable();
            column.sort(pixels as usize);
            assert_eq!(column.samples, expected);
            for (pixel, ends) in column.firsts.windows(2).enumerate() {
                let of_pixel = &column.samples[ends[0] as usize..ends[1] as usize];
                assert!(of_pixel.iter().all(|s| s.pixel() == pixel));
            }
            let order = expected.iter().map(|s| (s.pixel(), s.z(), s.faces_up(), s.faces_down()));
            assert!(order.is_sorted());
        }
    }

    /// What lies too far away for areas in 64 bits is left to others.
    #[test]
    fn far_triangles_are_not_judged_in_a_hurry() {
        let far = [[1 << 30, 0, 0], [1 << 30, 10, 0], [0, 0, 0]];
        assert_eq!(covers_middle(&far, [0, 0], [0, 0], 100), None);
    }
}
