//! Measures the distance from every pixel to the nearest place where ground ends, and keeps the
//! agent's radius from it.
//!
//! Goes in: linked depth maps. Comes out: for every pixel near a boundary the nearest point of it, and
//! which pixels are far enough. Points spread along links from pixel to pixel, the nearest first, so
//! that a wall on another storey does not count; distances are Euclidean, from the middle of the pixel
//! to the point itself (as the brushfire of vector distance transforms: Danielsson 1980).

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::fine_map::{NO_PIXEL, STEPS};
use crate::layered::link_pixels::LinkedMap;
use crate::layered::scales::Scales;
use surefoot_mesh::EdgeClass;

/// The distance to the boundary.
#[derive(Debug)]
pub(crate) struct DistanceField {
    /// The nearest point of a boundary, in lattice units; only where `squares` is finite.
    pub(crate) nearest: Vec<[i32; 2]>,
    /// The square of the distance to it, in square lattice units.
    pub(crate) squares: Vec<f64>,
    /// What lies there.
    pub(crate) classes: Vec<EdgeClass>,
    /// How far the contour keeps from the boundary, in lattice units.
    pub(crate) distance: f64,
}

impl DistanceField {
    /// Whether a pixel is ground on which the agent fits.
    pub(crate) fn keeps(&self, linked: &LinkedMap, pixel: u32) -> bool {
        linked.map.has_ground(pixel)
            && self.squares[pixel as usize] >= self.distance * self.distance
    }
}

pub(crate) fn erode(
    linked: &LinkedMap,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<DistanceField, BakeError> {
    let count = linked.map.len();
    let fine = f64::from(scales.fine);
    // Points of a boundary lie up to a cell apart: half-way between them, the boundary is nearer than
    // either by this much at most.
    let radius = scales.radius;
    let distance = (radius * radius + if radius > 0.0 { 0.25 * fine * fine } else { 0.0 }).sqrt();
    // Never nearer than a part of a cell, so that borders at one place do not meet.
    let distance = distance.max(f64::from(scales.sub.cell));
    let mut field = DistanceField {
        nearest: vec![[0; 2]; count],
        squares: vec![f64::INFINITY; count],
        classes: vec![EdgeClass::Open; count],
        distance,
    };
    // One and a half cells farther, so that the pixels on both sides of the contour know the boundary.
    let limit = distance + 1.5 * fine;
    let bucket_width = 0.25 * fine;
    let mut front = Front {
        limit,
        width: bucket_width,
        at: 0,
        buckets: vec![Vec::new(); (limit / bucket_width) as usize + 2],
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
    let kept = (0..count as u32).filter(|&p| field.keeps(linked, p)).count();
    context.count("kept_pixels", kept);
    Ok(field)
}

/// Pixels that are to pass their point on, by distance.
struct Front {
    /// Farther points are not passed on.
    limit: f64,
    /// How much of the distance a bucket holds.
    width: f64,
    /// The bucket that is worked on.
    at: usize,
    buckets: Vec<Vec<u32>>,
    waiting: Vec<bool>,
}

impl DistanceField {
    fn offer(
        &mut self,
        pixel: u32,
        point: [i32; 2],
        class: EdgeClass,
        middle: [i64; 2],
        front: &mut Front,
    ) {
        let (dx, dy) =
            ((middle[0] - i64::from(point[0])) as f64, (middle[1] - i64::from(point[1])) as f64);
        let square = dx * dx + dy * dy;
        let p = pixel as usize;
        let better =
            square < self.squares[p] || (square <= self.squares[p] && point < self.nearest[p]);
        if !better || square > front.limit * front.limit {
            return;
        }
        self.squares[p] = square;
        self.nearest[p] = point;
        self.classes[p] = class;
        front.waiting[p] = true;
        let bucket = (square.sqrt() / front.width) as usize;
        front.buckets[bucket.max(front.at)].push(pixel);
    }

    fn spread(&mut self, pixel: u32, linked: &LinkedMap, scales: &Scales, front: &mut Front) {
        let (point, class) = (self.nearest[pixel as usize], self.classes[pixel as usize]);
        let middle = linked.map.middle(pixel, scales);
        let fine = i64::from(scales.fine);
        let mut reach = |to: u32, dx: i64, dy: i64| {
            if to != NO_PIXEL {
                let there = [middle[0] + dx * fine, middle[1] + dy * fine];
                self.offer(to, point, class, there, front);
            }
        };
        let links = &linked.links[pixel as usize];
        for d in 0..4 {
            let [dx, dy] = STEPS[d];
            let next = links[d];
            reach(next, dx, dy);
            if next != NO_PIXEL {
                for turn in [1, 3] {
                    let e = (d + turn) % 4;
                    let [ex, ey] = STEPS[e];
                    reach(linked.links[next as usize][e], dx + ex, dy + ey);
                }
            }
        }
    }
}
