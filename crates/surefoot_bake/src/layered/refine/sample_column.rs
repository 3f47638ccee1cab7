//! Finds the surfaces over the middles of a column's pixels.
//!
//! Goes in: the triangles over a column, and the heights between which its cells look for ground. Comes out:
//! for every pixel the surfaces over its middle that are ground or may be in the way above it, from below. In
//! a crowd few triangles cover a middle, and which do cannot be foreseen: several middles are asked for at
//! once, and those that cover none are sorted out without branches.

use crate::layered::cutting_shape::CuttingShape;
use crate::layered::rasterize::FaceRange;
use crate::layered::refine::pixel_triangle::{
    PixelPlane, covered_of_four, first_middle, visit_covered,
};
use crate::layered::scales::{Scales, TOUCHING_UNITS};
use crate::layered::slice::Slices;
use crate::voxel::grid::{GridTriangle, Surface};

/// A surface over a pixel's middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    /// The pixel within its column, the height, and what the surface is, packed in this order.
    key: u64,
    pub(super) triangle: u32,
    /// Its area type.
    pub(super) area: u16,
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
        let key = u64::from(pixel) << 35 | u64::from(height) << 3 | kind;
        Self { key, triangle, area: surface.area() }
    }

    pub(super) const fn pixel(&self) -> usize {
        (self.key >> 35) as usize
    }

    /// The height as a number that grows with it.
    const fn height_bits(&self) -> u32 {
        (self.key >> 3) as u32
    }

    pub(super) const fn z(&self) -> i32 {
        (self.height_bits() ^ 1 << 31) as i32
    }

    pub(super) const fn faces_up(&self) -> bool {
        self.key & Self::UP != 0
    }

    pub(super) const fn faces_down(&self) -> bool {
        self.key & Self::DOWN != 0
    }

    pub(super) const fn is_ground(&self) -> bool {
        self.key & Self::GROUND != 0
    }

    /// Facing up, too steep to walk on.
    pub(super) const fn is_steep(&self) -> bool {
        self.faces_up() && !self.is_ground()
    }
}

/// The surfaces over the pixels of a column that its cells ask for.
#[derive(Default)]
pub(super) struct ColumnSamples {
    /// Faces that may cover middles, while samples are found.
    candidates: Vec<u32>,
    /// Those of them that cover some, and which, while samples are found.
    covering: Vec<(u32, u32)>,
    /// By pixel and from below.
    pub(super) samples: Vec<Sample>,
    /// Where each pixel's begin, and one past the last at the end; nothing where all are of one triangle.
    pub(super) firsts: Vec<u32>,
    /// Where those of each triangle begin, while they are found.
    runs: Vec<u64>,
    /// As they were found, while they are sorted.
    loose: Vec<Sample>,
}

/// Which middles an extent may hold of the pixel where it begins, the next along x, along y and along both, a bit for
/// each; nothing where it holds others too.
#[inline]
fn few_middles(face: &FaceRange) -> Option<u32> {
    let [across, along] = face.spans.map(|[first, end]| u32::from(end - first));
    let bits = [[1, 0b101], [0b11, 0b1111]];
    (across.max(along) <= 2).then(|| bits[across as usize - 1][along as usize - 1])
}

/// Finds the surfaces over the pixels of a column that are ground of one of its cells or may be in the way
/// above it.
pub(super) fn sample_column(
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
    let faces = slices.faces_of(column);
    // Where something facing down may begin something solid, all that lies above may end it.
    let begins_between = [least - TOUCHING_UNITS, most + scales.step];
    let begins = slices.find_covering(column, begins_between, &mut out.candidates);
    let highest = if begins { i64::MAX } else { most + scales.height };
    out.samples.clear();
    out.runs.clear();
    let first = first_middle(column, scales);
    let begin = |face: &FaceRange| face.spans.map(|span| u32::from(span[0]));
    if out.covering.len() < out.candidates.len() {
        out.covering.resize(out.candidates.len(), (0, 0));
    }
    // Those that cover middles are put at the front, without a branch that asks which.
    let mut covering = 0;
    for at in 0..out.candidates.len() {
        let k = out.candidates[at];
        let face = &faces[k as usize];
        if i64::from(face.lo) > highest {
            continue;
        }
        let triangle = &slices.triangles[face.triangle as usize];
        let covered = few_middles(face).and_then(|few| {
            let covered = covered_of_four(&triangle.corners, first, begin(face), scales.fine)?;
            Some(covered & few)
        });
        match covered {
            Some(covered) => {
                out.covering[covering] = (k, covered);
                covering += usize::from(covered != 0);
            }
            None => out.add_covered(face, triangle, first, scales),
        }
    }
    for at in 0..covering {
        let (k, mut covered) = out.covering[at];
        let face = &faces[k as usize];
        let triangle = &slices.triangles[face.triangle as usize];
        let plane = PixelPlane::new(triangle, first, scales.fine);
        let [i, j] = begin(face);
        let before = out.samples.len();
        while covered != 0 {
            let next = covered.trailing_zeros();
            covered &= covered - 1;
            let (i, j) = (i + next % 2, j + next / 2);
            let (pixel, z) = (j * scales.per_side + i, plane.height_over(i, j));
            out.samples.push(Sample::new(pixel, z, face.surface, face.triangle));
        }
        out.end_run(before);
    }
    out.sort(scales.pixels_per_cell());
}

impl ColumnSamples {
    /// Adds what a face covers.
    fn add_covered(
        &mut self,
        face: &FaceRange,
        triangle: &GridTriangle,
        first_middle: [i64; 2],
        scales: &Scales,
    ) {
        let before = self.samples.len();
        visit_covered(face, triangle, first_middle, scales, |pixel, z| {
            self.samples.push(Sample::new(pixel, z, face.surface, face.triangle));
        });
        self.end_run(before);
    }

    /// Notes where the samples of a triangle begin, if it has any.
    fn end_run(&mut self, before: usize) {
        if let Some(first) = self.samples.get(before) {
            self.runs.push(u64::from(first.height_bits()) << 32 | before as u64);
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::any_numbers::any_numbers;

    /// Whether triangles are sorted first or not: samples come by pixel, from below.
    #[test]
    fn samples_are_sorted_by_pixel_and_height() {
        let mut next = any_numbers(5);
        let mut below = |most: u32| next() % most;
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
                column.end_run(before);
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
}
