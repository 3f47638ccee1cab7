//! The nearest point of a boundary beside a pixel.

use crate::layered::model::linked_map::Stop;
use crate::layered::model::terrain::Terrain;
use surefoot_mesh::EdgeClass;

/// A point beside a pixel: by its distance, then by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NearestPoint {
    /// The square of the distance to the pixel's middle, in square lattice units.
    pub(super) square: i64,
    pub(super) at: [i32; 2],
    pub(super) blocked: bool,
    /// Whether it is a corner; otherwise ground ends there on the line to the next pixel.
    pub(super) is_corner: bool,
}

impl NearestPoint {
    const NOTHING: Self =
        Self { square: i64::MAX, at: [i32::MAX; 2], blocked: true, is_corner: false };
}

/// The square of a distance.
pub(super) const fn square(away: [i64; 2]) -> i64 {
    away[0] * away[0] + away[1] * away[1]
}

/// Where the ground of pixels ends nearest to their middles, on the lines to the next ones.
#[derive(Debug)]
pub(super) struct NearestStops {
    /// For every pixel which one is its own: the first where its ground does not end.
    numbers: Vec<u32>,
    nearest: Vec<NearestPoint>,
}

impl NearestStops {
    /// Of stops sorted by pixel.
    pub(super) fn new(stops: &[Stop], terrain: Terrain<'_>) -> Self {
        let mut numbers = vec![0; terrain.map.len()];
        let mut nearest = vec![NearestPoint::NOTHING];
        for of_pixel in stops.chunk_by(|a, b| a.pixel == b.pixel) {
            let pixel = of_pixel[0].pixel;
            let middle = terrain.middle(pixel);
            let all = of_pixel.iter().map(|stop| {
                let at = stop.point(middle);
                let away = [0, 1].map(|k| i64::from(at[k]) - middle[k]);
                let blocked = stop.class == EdgeClass::Blocked;
                NearestPoint { square: square(away), at, blocked, is_corner: false }
            });
            numbers[pixel as usize] = nearest.len() as u32;
            nearest.extend(all.min());
        }
        Self { numbers, nearest }
    }

    #[inline]
    pub(super) fn of(&self, pixel: u32) -> NearestPoint {
        self.nearest[self.numbers[pixel as usize] as usize]
    }
}
