//! Measures the distance from every pixel to the nearest place where ground ends, and keeps the
//! agent's radius from it.
//!
//! Goes in: linked depth maps. Comes out: for every pixel near a boundary the nearest point of it, and
//! which pixels are far enough. Points spread along links from pixel to pixel, the nearest first, so
//! that a wall on another storey does not count; distances are Euclidean, from the middle of the pixel
//! to the point itself (as the brushfire of vector distance transforms: Danielsson 1980).

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::model::distance_field::{DistanceField, NOWHERE};
use crate::layered::model::fine_map::{NO_PIXEL, STEPS};
use crate::layered::model::linked_map::LinkedMap;
use crate::layered::model::scales::Scales;
use surefoot_mesh::EdgeClass;

pub(crate) fn erode(
    linked: &LinkedMap,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<DistanceField, BakeError> {
    let count = linked.map.len();
    let fine = f64::from(scales.fine);
    let distance = scales.contour_distance();
    let mut field = DistanceField {
        nearest: vec![NOWHERE; count],
        classes: vec![EdgeClass::Open; count],
        distance,
        too_near: vec![false; count],
    };
    // One and a half cells farther, so that the pixels on both sides of the contour know the boundary.
    let limit = distance + 1.5 * fine;
    let width = 0.25 * fine;
    let mut front = Front {
        limit,
        width,
        at: 0,
        buckets: vec![Vec::new(); (limit / width) as usize + 1],
        waiting: vec![false; count],
    };
    for stop in &linked.stops {
        let middle = linked.map.place(stop.pixel, scales).middle(scales);
        let point = stop.point(middle);
        field.offer(stop.pixel, point, stop.class, middle, &mut front);
    }
    for corner in &linked.corners {
        let middle = linked.map.place(corner.pixel, scales).middle(scales);
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
    /// By how much the distances of a bucket differ.
    width: f64,
    /// The bucket that is worked on.
    at: usize,
    buckets: Vec<Vec<u32>>,
    waiting: Vec<bool>,
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
        let bucket = ((square as f64).sqrt() / front.width) as usize;
        front.buckets[bucket.max(front.at)].push(pixel);
    }

    fn spread(&mut self, pixel: u32, linked: &LinkedMap, scales: &Scales, front: &mut Front) {
        let (point, class) = (self.nearest[pixel as usize], self.classes[pixel as usize]);
        let middle = linked.map.place(pixel, scales).middle(scales);
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
