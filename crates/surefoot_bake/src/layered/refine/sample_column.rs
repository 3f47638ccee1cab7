//! Finds the surfaces over the middles of a column's pixels.
//!
//! Goes in: the triangles over a column, and the heights between which its cells look for ground. Comes out:
//! the surfaces over the middles that are ground or may be in the way above it, by pixel and from below.

use crate::input::classify::FaceClass;
use crate::layered::model::cutting_shape::CuttingShape;
use crate::layered::model::scales::{Scales, TOUCHING_UNITS};
use crate::layered::model::slices::Slices;
use crate::layered::model::triangle_plane::{first_middle, visit_covered};

/// A surface over a pixel's middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelSample {
    /// The pixel within its column and the height: one number that has their order.
    key: u64,
    pub(super) class: FaceClass,
    pub(super) triangle: u32,
}

impl PixelSample {
    fn new(pixel: u32, z: i32, class: FaceClass, triangle: u32) -> Self {
        // From the lowest number on, as heights go.
        Self { key: u64::from(pixel) << 32 | u64::from(z as u32 ^ 1 << 31), class, triangle }
    }

    pub(super) const fn pixel(&self) -> usize {
        (self.key >> 32) as usize
    }

    pub(super) const fn z(&self) -> i32 {
        (self.key as u32 ^ 1 << 31) as i32
    }

    /// Facing up, too steep to walk on.
    pub(super) const fn is_steep(&self) -> bool {
        self.class.faces_up() && !self.class.is_ground()
    }
}

/// The surfaces over the pixels of a column.
#[derive(Default)]
pub(super) struct PixelSamples {
    /// As they were found.
    loose: Vec<PixelSample>,
    sorted: Vec<PixelSample>,
    /// Where those of each pixel end.
    ends: Vec<u32>,
}

impl PixelSamples {
    /// Those of every pixel, from below.
    pub(super) fn of_pixels(&self) -> impl Iterator<Item = &[PixelSample]> {
        let mut first = 0;
        self.ends.iter().map(move |&end| {
            let of_pixel = &self.sorted[first..end as usize];
            first = end as usize;
            of_pixel
        })
    }

    /// Sorts them by pixel, then by height: few lie over one pixel.
    fn sort(&mut self, pixels: usize) {
        self.ends.clear();
        self.ends.resize(pixels, 0);
        for sample in &self.loose {
            self.ends[sample.pixel()] += 1;
        }
        let mut first = 0;
        for end in &mut self.ends {
            (*end, first) = (first, first + *end);
        }
        self.sorted.clone_from(&self.loose);
        for &sample in &self.loose {
            let end = &mut self.ends[sample.pixel()];
            self.sorted[*end as usize] = sample;
            *end += 1;
        }
        // By insertion: each lies among those of its pixel already.
        for i in 1..self.sorted.len() {
            let sample = self.sorted[i];
            let mut at = i;
            while at > 0 && self.sorted[at - 1].key > sample.key {
                self.sorted[at] = self.sorted[at - 1];
                at -= 1;
            }
            self.sorted[at] = sample;
        }
    }
}

/// Finds the surfaces over the pixels of a column that are ground of one of its cells or may be in the way
/// above it.
pub(super) fn sample_column(
    column: u32,
    shape: &CuttingShape,
    slices: &Slices,
    scales: &Scales,
    samples: &mut PixelSamples,
) {
    let cells = shape.cells_of(column);
    let cells = cells.start as usize..cells.end as usize;
    let least = shape.lows[cells.clone()].iter().min().map_or(0, |z| i64::from(*z));
    let most = shape.highs[cells].iter().max().map_or(0, |z| i64::from(*z)) + scales.step;
    let faces = slices.covering_faces_of(column).iter();
    let faces = faces.filter(|face| i64::from(face.hi) >= least - TOUCHING_UNITS);
    // Where something facing down may begin something solid, all that lies above may end it.
    let mut downs = faces.clone().filter(|face| face.class.faces_down());
    let begins = downs.any(|face| i64::from(face.lo) <= most + scales.step);
    let highest = if begins { i64::MAX } else { most + scales.height };
    samples.loose.clear();
    let first = first_middle(column, scales);
    for face in faces.filter(|face| i64::from(face.lo) <= highest) {
        let triangle = &slices.triangles[face.triangle as usize];
        visit_covered(face.spans, triangle, first, scales, |pixel, z| {
            samples.loose.push(PixelSample::new(pixel, z, face.class, face.triangle));
        });
    }
    samples.sort(scales.pixels_per_cell());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::model::any_numbers::any_below;

    #[test]
    fn samples_are_sorted_by_pixel_and_height() {
        let mut below = any_below(5);
        for (pixels, count) in [(1, 0), (1, 30), (16, 200), (64, 90)] {
            let mut samples = PixelSamples::default();
            for triangle in 0..count {
                let (pixel, z) = (below(pixels) as u32, below(40) - 20);
                samples.loose.push(PixelSample::new(pixel, z, FaceClass::UPRIGHT, triangle));
            }
            let mut expected: Vec<u64> = samples.loose.iter().map(|s| s.key).collect();
            expected.sort_unstable();
            samples.sort(pixels as usize);
            let found: Vec<u64> = samples.of_pixels().flatten().map(|s| s.key).collect();
            assert_eq!(found, expected);
            for (pixel, of_pixel) in samples.of_pixels().enumerate() {
                assert!(of_pixel.iter().all(|s| s.pixel() == pixel));
            }
        }
    }
}
