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

/// The most pixels of a column whose samples are sorted by counting.
const MOST_PIXELS: usize = 64;

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
    for &ground in &grounds {
        let surface = (ground != NO_PIXEL).then(|| slices.surface(ground));
        kinds.push(match surface {
            None => PixelKind::Nothing,
            Some(s) if s.is_ground() => PixelKind::Ground,
            Some(_) => PixelKind::Steep,
        });
        areas.push(surface.map_or(0, Surface::area));
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

    const fn z(&self) -> i32 {
        ((self.key >> 3) as u32 ^ 1 << 31) as i32
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
    /// Those that its cells ask for, by pixel and from below.
    samples: Vec<Sample>,
    /// Others, while they are sorted.
    sorted: Vec<Sample>,
    under: Vec<Under>,
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

    fn covers(&self, i: u32, j: u32) -> bool {
        let (x, y) = (i64::from(i), i64::from(j));
        let at = |k: usize| {
            self.areas[k].saturating_add(self.per_x[k] * x).saturating_add(self.per_y[k] * y)
        };
        !self.flat && at(0) >= 0 && at(1) >= 0 && at(2) >= 0
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
    let corners = || [(i0, j0), (i1 - 1, j0), (i0, j1 - 1), (i1 - 1, j1 - 1)];
    let all =
        if one { covered == Some(true) } else { corners().iter().all(|&(i, j)| over.covers(i, j)) };
    for j in j0..j1 {
        for i in i0..i1 {
            if all || over.covers(i, j) {
                visit(j * scales.per_side + i, over.height_over(i, j));
            }
        }
    }
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
    [samples, sorted]: [&mut Vec<Sample>; 2],
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
    samples.clear();
    for face in faces().filter(|f| i64::from(f.hi) >= begins_from && i64::from(f.lo) <= highest) {
        let triangle = &slices.triangles[face.triangle as usize];
        visit_covered(face, triangle, column, scales, |pixel, z| {
            samples.push(Sample::new(pixel, z, face.surface, face.triangle));
        });
    }
    sort_samples(samples, sorted, scales.pixels_per_cell());
}

/// Sorts samples by pixel, then by height: few lie over one pixel.
fn sort_samples(samples: &mut Vec<Sample>, sorted: &mut Vec<Sample>, pixels: usize) {
    if samples.is_sorted() {
        return;
    }
    let mut next = [0_u16; MOST_PIXELS + 1];
    if pixels > MOST_PIXELS || samples.len() > usize::from(u16::MAX) {
        samples.sort_unstable();
        return;
    }
    for sample in &*samples {
        next[sample.pixel() + 1] += 1;
    }
    for i in 0..pixels {
        next[i + 1] += next[i];
    }
    sorted.clear();
    sorted.extend_from_slice(samples);
    for sample in &*samples {
        let at = &mut next[sample.pixel()];
        sorted[usize::from(*at)] = *sample;
        *at += 1;
    }
    std::mem::swap(samples, sorted);
    // By insertion: each lies among those of its pixel already.
    for i in 1..samples.len() {
        let sample = samples[i];
        let mut at = i;
        while at > 0 && samples[at - 1] > sample {
            samples[at] = samples[at - 1];
            at -= 1;
        }
        samples[at] = sample;
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
        let samples = [&mut scratch.samples, &mut scratch.sorted];
        sample_column(column, shape, slices, scales, samples);
        scratch.column = Some(column);
    }
    // A riser may end in the next column, on ground that this one does not know.
    let steep_high = high.saturating_add(scales.step as i32);
    for samples in scratch.samples.chunk_by(|a, b| a.pixel() == b.pixel()) {
        // Most have one surface over them.
        if let [only] = samples {
            let high = if only.is_ground() { high } else { steep_high };
            if only.faces_up() && only.z() >= low && only.z() <= high {
                (heights[only.pixel()], grounds[only.pixel()]) = (only.z(), only.triangle);
            }
            continue;
        }
        let free = |s: &Sample| !is_blocked(samples, i64::from(s.z()), scales);
        let ground = topmost(samples, [low, high], slices, Sample::is_ground).filter(free);
        let steep = topmost(samples, [low, steep_high], slices, Sample::is_steep)
            .filter(|s| ground.is_none_or(|g| s.z() > g.z()))
            .filter(free);
        let pixel = samples[0].pixel();
        if let (Some(_), Some(ground)) = (steep, ground) {
            let (height, ground) = (ground.z(), ground.triangle);
            scratch.under.push(Under { pixel: pixel as u32, height, ground });
        }
        if let Some(top) = steep.or(ground) {
            (heights[pixel], grounds[pixel]) = (top.z(), top.triangle);
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
    let mut wanted = samples.iter().rev().filter(|s| s.z() <= high && is_wanted(s));
    let mut best = *wanted.next().filter(|s| s.z() >= low)?;
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
    for (i, sample) in samples.iter().enumerate() {
        let z = i64::from(sample.z());
        let above = z - ground;
        if above > scales.step {
            return above < scales.height;
        }
        if !sample.faces_down() || above < -TOUCHING_UNITS {
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

    /// By counting or not: samples come by pixel, from below.
    #[test]
    fn samples_are_sorted_by_pixel_and_height() {
        let mut state = 5_u64;
        let mut below = |most: u32| {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as u32 % most
        };
        let kinds = [Surface::UPRIGHT, Surface::STEEP, Surface::DOWN, Surface::ground(3)];
        for pixels in [1, 16, 64, 100] {
            let mut samples: Vec<Sample> = (0..500)
                .map(|i| {
                    let z = below(40) as i32 - 20;
                    Sample::new(below(pixels), z, kinds[below(4) as usize], i)
                })
                .collect();
            let mut expected = samples.clone();
            expected.sort_unstable();
            sort_samples(&mut samples, &mut Vec::new(), pixels as usize);
            assert_eq!(samples, expected);
            let order = samples.iter().map(|s| (s.pixel(), s.z(), s.faces_up(), s.faces_down()));
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
