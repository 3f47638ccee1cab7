//! Drops ground that the agent's radius takes anyway and that has no say in what it leaves.
//!
//! Goes in: fine depth maps. Comes out: the same without ground that is certain to be too near to its end, or
//! in a patch too small to stay, and lies behind where the ground that may remain has its own. Shelves, table
//! tops and the litter of a scan are such ground: lines between its pixels need not be cut with triangles, of
//! which there are most just there. The source (Oliva 2012) has no such step.
//!
//! What is certain follows from heights alone. Between two neighbouring pixels of which a step does not lead
//! from one to the other, ground ends; so the middle of each has the end of its ground within a pixel. From
//! pixel to pixel that distance grows by their distance at most: where they turn out not to be linked, ground
//! ends between them, and both have it nearer still. Ground is kept where the distance may be the agent's
//! radius or more. An end that lies farther from a pixel than another that is certain is not the nearest one;
//! so of all other ground only that counts which lies about as far from what is kept as such an end.

mod beside;
mod small_patches;

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::drop_narrow::beside::{Beside, Beyond};
use crate::layered::drop_narrow::small_patches::{Patch, find_large};
use crate::layered::erode::contour_distance;
use crate::layered::fine_map::{FineMap, NO_HEIGHT, clear};
use crate::layered::scales::Scales;
use crate::layered::slice::Slices;
use crate::settings::Resolved;
use std::ops::Range;
use surefoot_geom::lattice::LATTICE_PER_M;

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
    settings: &Resolved,
    context: &mut StageContext<'_>,
) -> Result<FineMap, BakeError> {
    let mut dropped: Vec<u32> = Vec::new();
    if is_worth_it(&map, slices, scales) {
        let ground = Ground { map: &map, scales, beside: Beside::new(&map, scales) };
        let needed = ground.needed(least_pixels(scales, settings));
        context.check_cancelled()?;
        let is_spare = |p: &u32| !needed[*p as usize] && map.has_ground(*p);
        dropped.extend((0..map.len() as u32).filter(is_spare));
        map.cut_off = ground.cut_off(&dropped, &needed);
        dropped.iter().for_each(|&pixel| clear(&mut map, pixel as usize));
    }
    context.count("dropped_pixels", dropped.len());
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

/// How many pixels the smallest patch covers, where smaller ones are dropped at the end.
fn least_pixels(scales: &Scales, settings: &Resolved) -> Option<f64> {
    let pixel_m2 = (f64::from(scales.fine) / LATTICE_PER_M).powi(2);
    // Seeds keep patches of any size, fillers of gaps may join them, and contours may leave them by a pixel.
    let is_certain = settings.seeds.is_empty()
        && settings.fill_gaps_m <= 0.0
        && settings.layered.boundary_error_cells <= 1.0;
    is_certain.then(|| settings.min_area_m2 / pixel_m2)
}

/// Ground pixels, and which lie beside each other within a step.
struct Ground<'a> {
    map: &'a FineMap,
    scales: &'a Scales,
    beside: Beside,
}

impl Ground<'_> {
    /// Which pixels count. One more than there are pixels: nothing never does.
    fn needed(&self, least_pixels: Option<f64>) -> Vec<bool> {
        let pixels = |units: f64| units / f64::from(self.scales.fine) * f64::from(PIXEL);
        let distance = contour_distance(self.scales);
        let limit = pixels(distance + 1.5 * f64::from(self.scales.fine)).ceil() as u32;
        let ends = self.distances_to_ends(limit);
        let radius = pixels(distance).floor().min(f64::from(FAR)) as u16;
        let known = |end: &u16| if *end >= radius { Patch::Unknown } else { Patch::None };
        let mut patches: Vec<Patch> = ends.iter().map(known).collect();
        if let Some(least) = least_pixels {
            let place = |p: u32| (self.map.place(p, self.scales), self.map.heights[p as usize]);
            find_large(&mut patches, &self.beside, (least, self.scales.height), place);
        }
        let mut needed: Vec<bool> = patches.iter().map(|p| *p != Patch::None).collect();
        // Beside what may remain the nearest end counts as well. Far from all ends, all around remains too.
        for pixel in (0..self.beside.nothing).filter(|&p| ends[p as usize] != FAR) {
            if patches[pixel as usize] != Patch::None {
                self.beside.visit_around(pixel, |other, _| {
                    needed[other as usize] = true;
                    Beyond::Visit
                });
            }
        }
        self.add_ends(&mut needed, &ends, limit);
        self.add_places_around(&mut needed, &ends);
        needed
    }

    /// For every pixel a bit for each direction in which ground lies beside it that is dropped and it is not.
    fn cut_off(&self, dropped: &[u32], needed: &[bool]) -> Vec<u8> {
        let mut cut_off = vec![0; self.map.len()];
        for &pixel in dropped {
            let row = self.beside.row(pixel).into_iter().enumerate();
            for (direction, other) in
                row.filter(|(_, p)| *p != self.beside.nothing && needed[*p as usize])
            {
                cut_off[other as usize] |= 1 << ((direction + 2) % 4);
            }
        }
        cut_off
    }

    /// How far an end of ground is at most from every pixel, below a limit. Where there is no ground, and for
    /// nothing, there is no distance.
    fn distances_to_ends(&self, limit: u32) -> Vec<u16> {
        let known = |height: &i32| if *height == NO_HEIGHT { 0 } else { FAR };
        let mut ends: Vec<u16> = self.map.heights.iter().map(known).chain([0]).collect();
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); limit.max(PIXEL + 1) as usize];
        for pixel in 0..self.beside.nothing {
            let [a, b, c, d] = self.beside.row(pixel);
            // The number of nothing is the largest.
            if a.max(b).max(c.max(d)) == self.beside.nothing && ends[pixel as usize] == FAR {
                ends[pixel as usize] = PIXEL as u16;
                buckets[PIXEL as usize].push(pixel);
            }
        }
        for distance in PIXEL..limit {
            for pixel in std::mem::take(&mut buckets[distance as usize]) {
                if u32::from(ends[pixel as usize]) < distance {
                    continue;
                }
                self.beside.visit_around(pixel, |other, diagonal| {
                    let there = distance + if diagonal { DIAGONAL } else { STRAIGHT };
                    let known = u32::from(ends[other as usize]);
                    if there < known && there < limit {
                        ends[other as usize] = there as u16;
                        buckets[there as usize].push(other);
                    }
                    // What lies beyond has it from there at no more than from here.
                    let is_nearer = known + STRAIGHT <= distance + DIAGONAL;
                    if is_nearer { Beyond::Leave } else { Beyond::Visit }
                });
            }
        }
        ends
    }

    /// Adds ground whose end may be the nearest one to some that is needed: as far from it as the end that is
    /// certain.
    fn add_ends(&self, needed: &mut [bool], ends: &[u16], limit: u32) {
        let most = limit + SLACK;
        // How far ground counts beyond a pixel; those that reach farthest first.
        let mut reaches = vec![0_u16; needed.len()];
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); most as usize + 1];
        // Nothing is not reached.
        needed[self.beside.nothing as usize] = true;
        let is_border = |p: &u32| needed[*p as usize] && ends[*p as usize] != FAR;
        for pixel in (0..self.beside.nothing).filter(is_border) {
            if self.beside.row(pixel).iter().any(|&p| !needed[p as usize]) {
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
                self.beside.visit_around(pixel, |other, diagonal| {
                    let step = if diagonal { SHORT_DIAGONAL } else { SHORT_STRAIGHT };
                    let there = reach.saturating_sub(step);
                    let known = u32::from(reaches[other as usize]);
                    if there > known && !needed[other as usize] {
                        reaches[other as usize] = there as u16;
                        buckets[there as usize].push(other);
                    }
                    // What lies beyond is reached from there as far as from here.
                    let is_farther = known + SHORT_DIAGONAL >= reach + SHORT_STRAIGHT;
                    if is_farther { Beyond::Leave } else { Beyond::Visit }
                });
            }
        }
        for (needed, reach) in needed.iter_mut().zip(&reaches) {
            *needed |= *reach > 0;
        }
        needed[self.beside.nothing as usize] = false;
    }

    /// Adds what lies around the ground that counts, whether a way leads there or not: whether ground ends in a
    /// point is asked of all that lies around it.
    fn add_places_around(&self, needed: &mut [bool], ends: &[u16]) {
        let per_cell = self.scales.pixels_per_cell() as u32;
        let mut more = Vec::new();
        for cell in 0..self.map.shape.len() as u32 {
            let mut cells_around = None;
            for within in 0..per_cell {
                let pixel = cell * per_cell + within;
                // Far from all ends, ground lies all around.
                if !needed[pixel as usize] || ends[pixel as usize] == FAR {
                    continue;
                }
                let mut is_inside = true;
                self.beside.visit_around(pixel, |other, _| {
                    is_inside &= needed[other as usize];
                    if is_inside { Beyond::Visit } else { Beyond::Leave }
                });
                if is_inside {
                    continue;
                }
                let cells = cells_around.get_or_insert_with(|| self.cells_around(cell));
                self.visit_places_around(within, cells, |other| {
                    let heights = &self.map.heights;
                    let (here, there) = (heights[pixel as usize], heights[other as usize]);
                    let apart = i64::from(there.abs_diff(here));
                    if there != NO_HEIGHT && apart <= 2 * self.scales.climb {
                        more.push(other);
                    }
                });
            }
        }
        more.into_iter().for_each(|p| needed[p as usize] = true);
    }

    /// The cells of the nine columns around a cell and of its own, row by row; none beyond the grid.
    fn cells_around(&self, cell: u32) -> [Range<u32>; 9] {
        let shape = &self.map.shape;
        let (width, depth) = (self.scales.coarse.width, self.scales.coarse.depth);
        let [x, y] = self.scales.place(shape.columns[cell as usize]);
        std::array::from_fn(|k| {
            let (x, y) = ((x + k as u32 % 3).wrapping_sub(1), (y + k as u32 / 3).wrapping_sub(1));
            if x < width && y < depth { shape.cells_of(y * width + x) } else { 0..0 }
        })
    }

    /// Visits the pixels of all layers at the places around one of a column.
    fn visit_places_around(
        &self,
        within: u32,
        cells: &[Range<u32>; 9],
        mut visit: impl FnMut(u32),
    ) {
        let (side, per_cell) = (self.scales.per_side, self.scales.pixels_per_cell() as u32);
        let (j, i) = self.scales.by_side.divide(within);
        // The row or column of columns that a place lies in, and which one of its pixels it is.
        let part = |i: u32| match i {
            0 => (0, side - 1),
            i if i > side => (2, 0),
            i => (1, i - 1),
        };
        for (row, j) in (j..j + 3).map(part) {
            for (column, i) in (i..i + 3).map(part) {
                let cells = cells[row * 3 + column].clone();
                cells.for_each(|cell| visit(cell * per_cell + j * side + i));
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::exact::drop_small::drop_small;
    use crate::layered::any_numbers::any_between;
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

    type Triangle = [[f64; 3]; 3];

    /// A scene of small triangles: each is parted in four until its edges are short.
    fn crowd_of(mut left: Vec<Triangle>, most_m: f64) -> Scene {
        let mut points: Vec<[f32; 3]> = Vec::new();
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

    /// A procedural scene of small triangles.
    pub(crate) fn crowded(name: &str, most_m: f64) -> Scene {
        let scene = build(name, &Variant::default()).unwrap().scene;
        let triangles = scene.triangles().iter().map(|t| t.map(|p| scene.point(p))).collect();
        crowd_of(triangles, most_m)
    }

    /// A floor with boxes and shelves strewn over it, turned by any angle.
    pub(crate) fn littered(seed: u64) -> Scene {
        let mut between = any_between(seed);
        let mut triangles: Vec<Triangle> = Vec::new();
        let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| triangles.extend([[a, b, c], [a, c, d]]);
        quad([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [5.0, 5.0, 0.0], [0.0, 5.0, 0.0]]);
        for _ in 0..14 {
            let (x, y, turn) = (between(0.3, 4.7), between(0.3, 4.7), between(0.0, 3.1));
            let (half_x, half_y) = (between(0.02, 0.8), between(0.1, 0.8));
            let (low, high) = (between(-0.5, 0.5).max(0.0), between(0.1, 1.3));
            let corner = |u: f64, v: f64, z: f64| {
                let (u, v) = (u * half_x, v * half_y);
                [x + u * turn.cos() - v * turn.sin(), y + u * turn.sin() + v * turn.cos(), z]
            };
            let ring = |z: f64| {
                [
                    corner(-1.0, -1.0, z),
                    corner(1.0, -1.0, z),
                    corner(1.0, 1.0, z),
                    corner(-1.0, 1.0, z),
                ]
            };
            let (below, above) = (ring(low), ring(low + high));
            quad(above);
            quad([below[3], below[2], below[1], below[0]]);
            for k in 0..4 {
                let next = (k + 1) % 4;
                quad([below[k], below[next], above[next], above[k]]);
            }
        }
        crowd_of(triangles, 0.12)
    }

    /// Ground as a scan has it: discs lie over each other at any height, and no point lies where it should.
    pub(crate) fn scanned(seed: u64) -> Scene {
        let mut between = any_between(seed);
        let discs: Vec<[f64; 4]> = (0..50)
            .map(|_| {
                let rise = if between(0.0, 1.0) < 0.5 { 0.25 } else { 0.6 };
                let rise = between(-rise, rise);
                [between(0.0, 4.0), between(0.0, 4.0), between(0.1, 0.9), rise]
            })
            .collect();
        let count = 60_u32;
        let points: Vec<[f32; 3]> = (0..count * count)
            .map(|k| {
                let [x, y] = [k % count, k / count].map(|v| f64::from(v) * 4.0 / 59.0);
                let is_on = |d: &&[f64; 4]| (d[0] - x).hypot(d[1] - y) < d[2];
                let z: f64 = discs.iter().filter(is_on).map(|d| d[3]).sum();
                [x, y, z].map(|v| (v + between(-0.012, 0.012)) as f32)
            })
            .collect();
        let triangles: Vec<[u32; 3]> = (0..(count - 1) * (count - 1))
            .map(|k| k / (count - 1) * count + k % (count - 1))
            .flat_map(|a| [[a, a + 1, a + count + 1], [a, a + count + 1, a + count]])
            .collect();
        Scene::from_triangles(&points, &triangles).unwrap()
    }

    /// The linked map and its field, with and without what is dropped, and how many pixels were.
    fn eroded(scene: &Scene) -> ([(LinkedMap, DistanceField); 2], usize) {
        let settings = BakeSettings { min_area_m2: 0.0, ..BakeSettings::default() };
        let settings = with_coarse_cells(&settings.resolve().unwrap());
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
                map = drop_narrow(map, &slices, &scales, &settings, context).unwrap();
                dropped = before - count(&map);
            }
            let linked = link_pixels(map, &slices, &scales, context).unwrap();
            let field = erode(&linked, &scales, context).unwrap();
            (linked, field)
        });
        (both, dropped)
    }

    /// Compares what remains with and without dropping; returns how many pixels were dropped.
    fn compare(name: &str, scene: &Scene) -> usize {
        let ([(whole, field), (rest, rest_field)], dropped) = eroded(scene);
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
        dropped
    }

    /// What remains, how it is linked and where its ground ends nearest do not depend on what is dropped.
    #[test]
    fn what_remains_is_the_same() {
        let names = ["stairs", "spiral-stairs", "platforms", "kerbs", "overhang", "terrace-house"];
        let dropped: usize = names.iter().map(|n| compare(n, &crowded(n, 0.12))).sum();
        assert!(dropped > 500, "{dropped} dropped");
    }

    /// The same among boxes and shelves, and on ground that no rule made.
    #[test]
    fn what_remains_among_litter_is_the_same() {
        let litter: usize = (1..=8).map(|s| compare(&format!("litter {s}"), &littered(s))).sum();
        let scan: usize = (1..=8).map(|s| compare(&format!("scan {s}"), &scanned(s))).sum();
        assert!(litter > 1_000 && scan > 1_000, "{litter} and {scan} dropped");
    }

    /// Patches that are dropped early are those that are dropped at the end.
    #[test]
    fn small_patches_would_go_anyway() {
        let mut dropped = 0;
        for seed in 1..=4 {
            let scene = littered(seed);
            let built = |min_area_m2: f64| {
                let settings = BakeSettings { min_area_m2, ..BakeSettings::default() };
                let settings = settings.resolve().unwrap();
                let context = &mut StageContext::new();
                (crate::layered::build(&scene, &settings, context).unwrap(), settings)
            };
            let (early, settings) = built(1.0);
            let (late, _) = built(0.0);
            let before = late.faces.len();
            let agent = &settings.agent;
            let late = drop_small(late, 1.0, &[], agent, &mut StageContext::new()).unwrap();
            dropped += before - late.faces.len();
            assert_eq!(format!("{:?}", early.faces), format!("{:?}", late.faces), "litter {seed}");
        }
        assert!(dropped > 20, "{dropped} faces were dropped at the end");
    }

    /// With few triangles over each column nothing is dropped.
    #[test]
    fn only_crowds_are_looked_at() {
        let scene = build("platforms", &Variant::default()).unwrap().scene;
        assert_eq!(eroded(&scene).1, 0);
    }
}
