//! Measures the distance from every pixel to the nearest place where ground ends, and keeps the
//! agent's radius from it.
//!
//! Goes in: linked depth maps. Comes out: for every pixel near a boundary the nearest point of it, and
//! which pixels are far enough. Points spread along links from pixel to pixel, the nearest first, so
//! that a wall on another storey does not count; distances are Euclidean, from the middle of the pixel
//! to the point itself (as the brushfire of vector distance transforms: Danielsson 1980).

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::fine_map::{NO_HEIGHT, NO_PIXEL, STEPS};
use crate::layered::link_pixels::LinkedMap;
use crate::layered::scales::Scales;
use surefoot_mesh::EdgeClass;

/// No point of a boundary.
pub(crate) const NOWHERE: [i32; 2] = [i32::MIN; 2];

/// The distance to the boundary.
#[derive(Debug)]
pub(crate) struct DistanceField {
    /// The nearest point of a boundary, in lattice units, or [`NOWHERE`] where none is near.
    pub(crate) nearest: Vec<[i32; 2]>,
    /// What lies there.
    pub(crate) classes: Vec<EdgeClass>,
    /// How far the contour keeps from the boundary, in lattice units.
    pub(crate) distance: f64,
    /// Whether the boundary is nearer than that.
    too_near: Vec<bool>,
}

impl DistanceField {
    /// Whether a pixel is ground on which the agent fits.
    #[inline]
    pub(crate) fn keeps(&self, linked: &LinkedMap, pixel: u32) -> bool {
        linked.map.has_ground(pixel) && !self.too_near[pixel as usize]
    }

    /// The same of all pixels, one after another.
    #[inline]
    pub(crate) fn kept<'a>(&'a self, linked: &'a LinkedMap) -> impl Iterator<Item = bool> + 'a {
        let pixels = linked.map.heights.iter().zip(&self.too_near);
        pixels.map(|(height, too_near)| (*height != NO_HEIGHT) & !too_near)
    }
}

/// How far contours keep from the points of a boundary, in lattice units.
pub(crate) fn contour_distance(scales: &Scales) -> f64 {
    let (radius, fine) = (scales.radius, f64::from(scales.fine));
    // Points of a boundary lie up to a cell apart: half-way between them, the boundary is nearer than
    // either by this much at most.
    let distance = (radius * radius + if radius > 0.0 { 0.25 * fine * fine } else { 0.0 }).sqrt();
    // Never nearer than a part of a cell, so that borders at one place do not meet.
    distance.max(f64::from(scales.sub.cell))
}

pub(crate) fn erode(
    linked: &LinkedMap,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<DistanceField, BakeError> {
    let count = linked.map.len();
    let fine = f64::from(scales.fine);
    let distance = contour_distance(scales);
    let mut field = DistanceField {
        nearest: vec![NOWHERE; count],
        classes: vec![EdgeClass::Open; count],
        distance,
        too_near: vec![false; count],
    };
    // One and a half cells farther, so that the pixels on both sides of the contour know the boundary.
    let limit = distance + 1.5 * fine;
    let by_square = BySquare::new(limit, 0.25 * fine);
    let mut front = Front {
        limit,
        at: 0,
        buckets: vec![Vec::new(); by_square.leasts.len()],
        by_square,
        waiting: vec![false; count],
    };
    for stop in &linked.stops {
        let middle = linked.map.middle(stop.pixel, scales);
        let point = stop.point(middle);
        field.offer(stop.pixel, point, stop.class, middle, &mut front);
    }
    for corner in &linked.corners {
        let middle = linked.map.middle(corner.pixel, scales);
        field.offer(corner.pixel, corner.at, corner.class(), middle, &mut front);
    }
    while front.at < front.buckets.len() {
        context.check_cancelled()?;
        // Pixels that come nearer while this bucket is worked on are added at its end.
        let mut i = 0;
        while let Some(&pixel) = front.buckets[front.at].get(i) {
            i += 1;
            if std::mem::replace(&mut front.waiting[pixel as usize], false) {
                field.spread(pixel, linked, scales, &mut front);
            }
        }
        front.buckets[front.at] = Vec::new();
        front.at += 1;
    }
    context.count("kept_pixels", field.kept(linked).filter(|kept| *kept).count());
    Ok(field)
}

/// Pixels that are to pass their point on, by distance.
struct Front {
    /// Farther points are not passed on.
    limit: f64,
    by_square: BySquare,
    /// The bucket that is worked on.
    at: usize,
    buckets: Vec<Vec<u32>>,
    waiting: Vec<bool>,
}

/// Tells into which bucket a distance belongs by its square: without a root and a division, which would
/// take longer than all else that is done with a pixel.
struct BySquare {
    /// The least square of every bucket, and some more at the end.
    leasts: Vec<i64>,
    /// The bucket of the least square with the same upper bits.
    by_upper_bits: Vec<u32>,
    shift: u32,
}

impl BySquare {
    /// Numbers of upper bits that are told apart.
    const MOST: i64 = 4096;

    /// The bucket of a square.
    fn bucket(square: i64, width: f64) -> usize {
        ((square as f64).sqrt() / width) as usize
    }

    /// Buckets of a width, up to a distance.
    fn new(limit: f64, width: f64) -> Self {
        let last = (limit / width) as usize + 1;
        let least = |bucket: usize| {
            let mut square = (bucket as f64 * width).powi(2) as i64;
            while square > 0 && Self::bucket(square - 1, width) >= bucket {
                square -= 1;
            }
            while Self::bucket(square, width) < bucket {
                square += 1;
            }
            square
        };
        let leasts: Vec<i64> = (0..=last).map(least).collect();
        let most = leasts[last];
        let shift = (0..63).find(|s| most >> s < Self::MOST).unwrap_or(63);
        let bucket_of = |bits: i64| Self::bucket(bits << shift, width) as u32;
        Self { leasts, by_upper_bits: (0..=most >> shift).map(bucket_of).collect(), shift }
    }

    /// The bucket of a square of at most the limit.
    #[inline]
    fn of(&self, square: i64) -> usize {
        let mut bucket = self.by_upper_bits[(square >> self.shift) as usize] as usize;
        while square >= self.leasts[bucket + 1] {
            bucket += 1;
        }
        bucket
    }
}

/// The square of the distance between a pixel's middle and a point.
#[inline]
fn square_between(middle: [i64; 2], point: [i32; 2]) -> i64 {
    let (dx, dy) = (middle[0] - i64::from(point[0]), middle[1] - i64::from(point[1]));
    dx * dx + dy * dy
}

impl DistanceField {
    /// Offers a point to a pixel, which takes it where it knows none that is nearer.
    #[inline]
    fn offer(
        &mut self,
        pixel: u32,
        point: [i32; 2],
        class: EdgeClass,
        middle: [i64; 2],
        front: &mut Front,
    ) {
        let known = self.nearest[pixel as usize];
        if known == point {
            return;
        }
        let square = square_between(middle, point);
        if known != NOWHERE {
            let before = square_between(middle, known);
            if square > before || (square == before && point > known) {
                return;
            }
        }
        self.take(pixel, point, class, square, front);
    }

    /// Gives a point to a pixel, unless it lies too far away.
    fn take(
        &mut self,
        pixel: u32,
        point: [i32; 2],
        class: EdgeClass,
        square: i64,
        front: &mut Front,
    ) {
        if square as f64 > front.limit * front.limit {
            return;
        }
        let p = pixel as usize;
        self.nearest[p] = point;
        self.classes[p] = class;
        self.too_near[p] = (square as f64) < self.distance * self.distance;
        front.waiting[p] = true;
        let bucket = front.by_square.of(square);
        front.buckets[bucket.max(front.at)].push(pixel);
    }

    fn spread(&mut self, pixel: u32, linked: &LinkedMap, scales: &Scales, front: &mut Front) {
        let (point, class) = (self.nearest[pixel as usize], self.classes[pixel as usize]);
        let middle = linked.map.middle(pixel, scales);
        let fine = i64::from(scales.fine);
        let mut reach = |to: u32, dx: i64, dy: i64| {
            // Most pixels around one know its point already.
            if self.nearest[to as usize] != point {
                let there = [middle[0] + dx * fine, middle[1] + dy * fine];
                self.offer(to, point, class, there, front);
            }
        };
        let links = &linked.links[pixel as usize];
        // What was reached across each corner: mostly the same from both sides.
        let mut across = [NO_PIXEL; 4];
        for d in 0..4 {
            let [dx, dy] = STEPS[d];
            let next = links[d];
            if next == NO_PIXEL {
                continue;
            }
            reach(next, dx, dy);
            let beyond = &linked.links[next as usize];
            for (e, corner) in [((d + 1) % 4, d), ((d + 3) % 4, (d + 3) % 4)] {
                let [ex, ey] = STEPS[e];
                let to = beyond[e];
                if to != NO_PIXEL && to != across[corner] {
                    across[corner] = to;
                    reach(to, dx + ex, dy + ey);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_belong_where_their_roots_do() {
        for (limit, width) in [(25_000.0, 816.0), (900.5, 8.0), (700.0, 816.0), (3e6, 8.0)] {
            let by_square = BySquare::new(limit, width);
            let most = (limit * limit) as i64;
            let strewn = (0..5_000).map(|i| most / 5_000 * i);
            let at_ends = by_square.leasts.iter().flat_map(|l| [l - 1, *l, l + 1]);
            for square in strewn.chain(at_ends).filter(|s| (0..=most).contains(s)) {
                let bucket = BySquare::bucket(square, width);
                assert_eq!(by_square.of(square), bucket, "{square} at {width}");
            }
        }
    }
}
