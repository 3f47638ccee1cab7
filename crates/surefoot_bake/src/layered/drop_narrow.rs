//! Drops ground that the agent's radius takes anyway and that has no say in what it leaves.
//!
//! Goes in: fine depth maps. Comes out: the same without ground that is certain to be too near to its end
//! and lies behind where the ground that may remain has its own. Shelves, table tops and the litter of a
//! scan are such ground: lines between its pixels need not be cut with triangles, of which there are most
//! just there. The source (Oliva 2012) has no such step.
//!
//! What is certain follows from heights alone. Between two neighbouring pixels of which a step does not lead
//! from one to the other, ground ends; so the middle of each has the end of its ground within a pixel. From
//! pixel to pixel that distance grows by their distance at most: where they turn out not to be linked, ground
//! ends between them, and both have it nearer still. Ground is kept where the distance may be the agent's
//! radius or more. An end that lies farther from a pixel than another that is certain is not the nearest one;
//! so of all other ground only that counts which lies about as far from what is kept as such an end.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::erode::contour_distance;
use crate::layered::fine_map::{FineMap, FinePlace, NO_HEIGHT, NO_PIXEL, STEPS, clear};
use crate::layered::flood_layers::columns_beside;
use crate::layered::scales::Scales;
use crate::layered::slice::Slices;
use std::ops::Range;

/// So many triangles over the columns of a cell make a crowd: with fewer, lines cost less than this.
const CROWD: usize = 16;

/// Distances are counted in twelfths of a pixel. Straight and diagonal steps to the next pixel, rounded up.
const PIXEL: u32 = 12;
const STRAIGHT: u32 = 12;
const DIAGONAL: u32 = 17;

/// The same for a distance that must not come out too long: ways along such steps are longer than the crow
/// flies by a twelfth at most.
const SHORT_STRAIGHT: u32 = 11;
const SHORT_DIAGONAL: u32 = 15;

/// What is added to distances to ends of ground: one pixel since an end lies up to that far from its pixel,
/// one since the nearest end is passed on from pixel to pixel, and one for the difference between the two
/// kinds of steps.
const SLACK: u32 = 3 * PIXEL;

/// Nothing near.
const FAR: u16 = u16::MAX;

/// Drops what cannot remain and does not count.
pub(crate) fn drop_narrow(
    mut map: FineMap,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<FineMap, BakeError> {
    let dropped = match is_worth_it(&map, slices, scales) {
        true => {
            let ground = Ground::new(&map, scales);
            let needed = ground.needed();
            context.check_cancelled()?;
            let spare = |p: &usize| map.heights[*p] != NO_HEIGHT && !needed[*p];
            let spare: Vec<usize> = (0..map.len()).filter(spare).collect();
            spare.iter().for_each(|&p| clear(&mut map, p));
            spare.len()
        }
        false => 0,
    };
    context.count("dropped_pixels", dropped);
    Ok(map)
}

/// Whether there are crowds of triangles, a radius of some pixels, and at most one pixel at every place that a
/// step leads to.
fn is_worth_it(map: &FineMap, slices: &Slices, scales: &Scales) -> bool {
    let fine = f64::from(scales.fine);
    slices.face_count() >= CROWD * map.shape.len()
        && 2 * scales.climb < scales.height
        && scales.radius >= 2.0 * fine
        && scales.radius <= 1000.0 * fine
}

/// Ground pixels, and which lie beside each other within a step.
struct Ground<'a> {
    map: &'a FineMap,
    scales: &'a Scales,
    /// The pixel beside each in every direction, or [`NO_PIXEL`].
    beside: Vec<[u32; 4]>,
}

impl<'a> Ground<'a> {
    fn new(map: &'a FineMap, scales: &'a Scales) -> Self {
        let (side, per_cell) = (scales.per_side, scales.pixels_per_cell() as u32);
        let mut beside = vec![[NO_PIXEL; 4]; map.len()];
        for cell in 0..map.shape.len() as u32 {
            let columns = columns_beside(map.shape.columns[cell as usize], scales);
            let own = map.shape.cells_of(map.shape.columns[cell as usize]);
            let cells = columns.map(|c| c.map_or(0..0, |c| map.shape.cells_of(c)));
            for within in 0..per_cell {
                let pixel = cell * per_cell + within;
                if !map.has_ground(pixel) {
                    continue;
                }
                let height = map.heights[pixel as usize];
                let is_near = |p: &u32| {
                    let there = map.heights[*p as usize];
                    there != NO_HEIGHT && i64::from(there.abs_diff(height)) <= scales.climb
                };
                let find = |cells: &Range<u32>, within: u32| {
                    let found = cells.clone().map(|c| c * per_cell + within).find(is_near);
                    found.unwrap_or(NO_PIXEL)
                };
                // Another layer of the column may be the one that goes on.
                let own_cell = cell..cell + 1;
                let inside = |next: u32| match find(&own_cell, next) {
                    NO_PIXEL => find(&own, next),
                    found => found,
                };
                let (j, i) = scales.by_side.divide(within);
                // Whether the next pixel lies in the column, its number there, and its number beyond.
                let (row, column) = (side - 1, side * (side - 1));
                let ways = [
                    (i + 1 < side, within + 1, within.wrapping_sub(row)),
                    (j + 1 < side, within + side, within.wrapping_sub(column)),
                    (i > 0, within.wrapping_sub(1), within + row),
                    (j > 0, within.wrapping_sub(side), within + column),
                ];
                beside[pixel as usize] = [0, 1, 2, 3].map(|d| match ways[d] {
                    (true, next, _) => inside(next),
                    (false, _, next) => find(&cells[d], next),
                });
            }
        }
        Self { map, scales, beside }
    }

    /// Which pixels count.
    fn needed(&self) -> Vec<bool> {
        let pixels = |units: f64| units / f64::from(self.scales.fine) * f64::from(PIXEL);
        let distance = contour_distance(self.scales);
        let limit = pixels(distance + 1.5 * f64::from(self.scales.fine)).ceil() as u32;
        let ends = self.distances_to_ends(limit);
        let may_remain = |p: u32| f64::from(ends[p as usize]) >= pixels(distance).floor();
        // Beside what may remain the nearest end counts as well.
        let mut needed: Vec<bool> = (0..self.map.len() as u32)
            .map(|p| {
                self.map.has_ground(p)
                    && (may_remain(p) || self.around(p).any(|(q, _)| may_remain(q)))
            })
            .collect();
        self.add_ends(&mut needed, &ends, limit);
        self.add_places_around(&mut needed, &ends);
        needed
    }

    /// The pixels around one that steps lead to, and whether diagonally.
    fn around(&self, pixel: u32) -> impl Iterator<Item = (u32, bool)> {
        let beside = self.beside[pixel as usize];
        let turned = |d: usize| {
            let next = |p: u32, d: usize| self.beside.get(p as usize).map_or(NO_PIXEL, |b| b[d]);
            let there = next(beside[d], (d + 1) % 4);
            if there == NO_PIXEL { next(beside[(d + 1) % 4], d) } else { there }
        };
        let diagonal = [0, 1, 2, 3].map(turned);
        let all = beside.into_iter().map(|p| (p, false)).chain(diagonal.map(|p| (p, true)));
        all.filter(|(p, _)| *p != NO_PIXEL)
    }

    /// How far an end of ground is at most from every pixel, below a limit.
    fn distances_to_ends(&self, limit: u32) -> Vec<u16> {
        let mut ends = vec![FAR; self.map.len()];
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); limit as usize];
        for pixel in (0..self.map.len() as u32).filter(|&p| self.map.has_ground(p)) {
            if self.beside[pixel as usize].contains(&NO_PIXEL) && PIXEL < limit {
                ends[pixel as usize] = PIXEL as u16;
                buckets[PIXEL as usize].push(pixel);
            }
        }
        for distance in PIXEL..limit {
            for pixel in std::mem::take(&mut buckets[distance as usize]) {
                if u32::from(ends[pixel as usize]) < distance {
                    continue;
                }
                for (other, diagonal) in self.around(pixel) {
                    let there = distance + if diagonal { DIAGONAL } else { STRAIGHT };
                    if there < limit && there < u32::from(ends[other as usize]) {
                        ends[other as usize] = there as u16;
                        buckets[there as usize].push(other);
                    }
                }
            }
        }
        ends
    }

    /// Adds ground whose end may be the nearest one to some that is needed: as far from it as the end that is
    /// certain.
    fn add_ends(&self, needed: &mut [bool], ends: &[u16], limit: u32) {
        let most = limit + SLACK;
        // How far ground counts beyond a pixel; those that reach farthest first.
        let mut reaches = vec![0_u16; self.map.len()];
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); most as usize + 1];
        for pixel in (0..self.map.len() as u32).filter(|&p| needed[p as usize]) {
            let is_inside =
                self.beside[pixel as usize].iter().all(|&p| needed.get(p as usize) == Some(&true));
            if !is_inside {
                let reach = u32::from(ends[pixel as usize]).min(limit) + SLACK;
                reaches[pixel as usize] = reach as u16;
                buckets[reach as usize].push(pixel);
            }
        }
        for reach in (1..=most).rev() {
            for pixel in std::mem::take(&mut buckets[reach as usize]) {
                if u32::from(reaches[pixel as usize]) > reach {
                    continue;
                }
                for (other, diagonal) in self.around(pixel) {
                    let step = if diagonal { SHORT_DIAGONAL } else { SHORT_STRAIGHT };
                    let there = reach.saturating_sub(step);
                    if there > u32::from(reaches[other as usize]) && !needed[other as usize] {
                        reaches[other as usize] = there as u16;
                        buckets[there as usize].push(other);
                    }
                }
            }
        }
        for (needed, reach) in needed.iter_mut().zip(&reaches) {
            *needed |= *reach > 0;
        }
    }

    /// Adds what lies around the ground that counts, whether a way leads there or not: whether ground ends in a
    /// point is asked of all that lies around it.
    fn add_places_around(&self, needed: &mut [bool], ends: &[u16]) {
        let mut more = Vec::new();
        // Far from all ends, ground lies all around.
        let is_border = |p: &u32| needed[*p as usize] && ends[*p as usize] != FAR;
        for pixel in (0..self.map.len() as u32).filter(is_border) {
            if self.around(pixel).filter(|(p, _)| needed[*p as usize]).count() == 8 {
                continue;
            }
            let here = self.map.place(pixel, self.scales);
            let height = i64::from(self.map.heights[pixel as usize]);
            let around = STEPS.into_iter().chain([[1, 1], [-1, 1], [-1, -1], [1, -1]]);
            for [dx, dy] in around {
                let place = FinePlace { y: here.y + dy, x: here.x + dx };
                more.extend(self.map.pixels_at(place, self.scales).filter(|&p| {
                    let there = i64::from(self.map.heights[p as usize]);
                    self.map.has_ground(p) && (there - height).abs() <= 2 * self.scales.climb
                }));
            }
        }
        more.into_iter().for_each(|p| needed[p as usize] = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::cutting_shape::cutting_shape;
    use crate::layered::erode::{DistanceField, erode};
    use crate::layered::flood_layers::flood_layers;
    use crate::layered::ledges::Points;
    use crate::layered::link_pixels::{LinkedMap, link_pixels};
    use crate::layered::read_triangles::read_triangles;
    use crate::layered::refine::refine;
    use crate::layered::scales::with_coarse_cells;
    use crate::layered::slice::slice;
    use crate::layered::walk_over::walk_over;
    use crate::settings::BakeSettings;
    use surefoot_scene::Scene;
    use surefoot_testing_scenes::{Variant, build};

    /// A procedural scene of small triangles: each is parted in four until its edges are short.
    fn crowded(name: &str, most_m: f64) -> Scene {
        let scene = build(name, &Variant::default()).unwrap().scene;
        let mut points: Vec<[f32; 3]> = Vec::new();
        let mut left: Vec<[[f64; 3]; 3]> =
            scene.triangles().iter().map(|t| t.map(|p| scene.point(p))).collect();
        let middle = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]));
        let length =
            |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        while let Some([a, b, c]) = left.pop() {
            if length(a, b).max(length(b, c)).max(length(c, a)) <= most_m {
                points.extend([a, b, c].map(|p| p.map(|v| v as f32)));
                continue;
            }
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            left.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        let triangles: Vec<[u32; 3]> =
            (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        Scene::from_triangles(&points, &triangles).unwrap()
    }

    /// The linked map and its field, with and without what is dropped, and how many pixels were.
    fn eroded(scene: &Scene) -> ([(LinkedMap, DistanceField); 2], usize) {
        let settings = with_coarse_cells(&BakeSettings::default().resolve().unwrap());
        let context = &mut StageContext::new();
        let read = read_triangles(scene, &settings, context).unwrap();
        let scales = Scales::new(&read.triangles, &settings).unwrap();
        let points = Points { numbers: &read.numbers, points: &read.points };
        let slices = slice(read.triangles.clone(), points, &scales, context).unwrap();
        let mut dropped = 0;
        let both = [false, true].map(|drops| {
            let layers = flood_layers(&slices, &scales, context).unwrap();
            let shape = cutting_shape(layers, &slices, &scales, context).unwrap();
            let map = refine(shape, &slices, &scales, context).unwrap();
            let mut map = walk_over(map, &slices, &scales, context).unwrap();
            if drops {
                let count = |map: &FineMap| map.heights.iter().filter(|h| **h != NO_HEIGHT).count();
                let before = count(&map);
                map = drop_narrow(map, &slices, &scales, context).unwrap();
                dropped = before - count(&map);
            }
            let linked = link_pixels(map, &slices, &scales, context).unwrap();
            let field = erode(&linked, &scales, context).unwrap();
            (linked, field)
        });
        (both, dropped)
    }

    /// What remains, how it is linked and where its ground ends nearest do not depend on what is dropped.
    #[test]
    fn what_remains_is_the_same() {
        let mut all_dropped = 0;
        for name in ["stairs", "spiral-stairs", "platforms", "kerbs", "overhang", "terrace-house"] {
            let ([(whole, field), (rest, rest_field)], dropped) = eroded(&crowded(name, 0.12));
            for pixel in 0..whole.map.len() as u32 {
                let kept = field.keeps(&whole, pixel);
                assert_eq!(kept, rest_field.keeps(&rest, pixel), "{name}: pixel {pixel}");
                if !kept {
                    continue;
                }
                let p = pixel as usize;
                assert_eq!(whole.links[p], rest.links[p], "{name}: pixel {pixel}");
                for at in std::iter::once(p).chain(whole.links[p].map(|l| l as usize)) {
                    assert_eq!(field.nearest[at], rest_field.nearest[at], "{name}: pixel {at}");
                }
            }
            all_dropped += dropped;
        }
        assert!(all_dropped > 500, "{all_dropped} dropped");
    }

    /// With few triangles over each column nothing is dropped.
    #[test]
    fn only_crowds_are_looked_at() {
        let scene = build("platforms", &Variant::default()).unwrap().scene;
        assert_eq!(eroded(&scene).1, 0);
    }
}
