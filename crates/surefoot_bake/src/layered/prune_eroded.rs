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

use self::beside::{Beside, WayOn};
use self::small_patches::{PatchState, find_large};
use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::model::fine_map::{FineMap, NO_HEIGHT};
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::Slices;
use crate::layered::model::terrain::Terrain;
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

/// Drops what cannot remain and does not count. `least_m2` is the area of the smallest patch that is
/// certain to be kept at the end, where any is certain to be dropped.
pub(crate) fn prune_eroded(
    mut map: FineMap,
    slices: &Slices,
    scales: &Scales,
    least_m2: Option<f64>,
    context: &mut StageContext<'_>,
) -> Result<FineMap, BakeError> {
    let mut dropped: Vec<u32> = Vec::new();
    let terrain = Terrain { map: &map, slices, scales };
    if is_worth_it(terrain) {
        let pruner = Pruner { terrain, beside: Beside::new(&map, scales) };
        let needed = pruner.needed(least_m2.map(|m2| m2 / scales.pixel_m2()));
        context.check_cancelled()?;
        let is_spare = |p: &u32| !needed[*p as usize] && map.has_ground(*p);
        dropped.extend((0..map.len() as u32).filter(is_spare));
        map.cut_off = pruner.cut_off(&dropped, &needed);
        dropped.iter().for_each(|&pixel| map.clear(pixel as usize));
    }
    context.count("dropped_pixels", dropped.len());
    Ok(map)
}

/// Whether there are crowds of triangles, a radius of some pixels, and at most one pixel at every place that a
/// step leads to.
fn is_worth_it(Terrain { map, slices, scales }: Terrain<'_>) -> bool {
    let fine = f64::from(scales.fine);
    slices.face_count() >= CROWD * map.shape.len()
        && 2 * scales.climb < scales.height
        && scales.radius >= 2.0 * fine
        && scales.radius <= 1000.0 * fine
}

/// Ground pixels, and which lie beside each other within a step.
struct Pruner<'a> {
    terrain: Terrain<'a>,
    beside: Beside,
}

impl Pruner<'_> {
    /// Which pixels count. One more than there are pixels: nothing never does.
    fn needed(&self, least_pixels: Option<f64>) -> Vec<bool> {
        let pixels = |units: f64| units / f64::from(self.terrain.scales.fine) * f64::from(PIXEL);
        let distance = self.terrain.scales.contour_distance();
        let limit = pixels(distance + 1.5 * f64::from(self.terrain.scales.fine)).ceil() as u32;
        let ends = self.distances_to_ends(limit);
        let radius = pixels(distance).floor().min(f64::from(FAR)) as u16;
        let known = |end: &u16| if *end >= radius { PatchState::Unknown } else { PatchState::None };
        let mut patches: Vec<PatchState> = ends.iter().map(known).collect();
        if let Some(least) = least_pixels {
            let place = |p: u32| (self.terrain.place(p), self.terrain.map.heights[p as usize]);
            find_large(&mut patches, &self.beside, (least, self.terrain.scales.height), place);
        }
        let mut needed: Vec<bool> = patches.iter().map(|p| *p != PatchState::None).collect();
        // Beside what may remain the nearest end counts as well. Far from all ends, all around remains too.
        for pixel in (0..self.beside.nothing).filter(|&p| ends[p as usize] != FAR) {
            if patches[pixel as usize] != PatchState::None {
                self.beside.visit_around(pixel, |other, _| {
                    needed[other as usize] = true;
                    WayOn::Visit
                });
            }
        }
        self.add_ends(&mut needed, &ends, limit);
        self.add_places_around(&mut needed, &ends);
        needed
    }

    /// For every pixel a bit for each direction in which ground lies beside it that is dropped and it is not.
    fn cut_off(&self, dropped: &[u32], needed: &[bool]) -> Vec<u8> {
        let mut cut_off = vec![0; self.terrain.map.len()];
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
        let mut ends: Vec<u16> = self.terrain.map.heights.iter().map(known).chain([0]).collect();
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
                    if is_nearer { WayOn::Leave } else { WayOn::Visit }
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
                    if is_farther { WayOn::Leave } else { WayOn::Visit }
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
        let (shape, scales) = (&self.terrain.map.shape, self.terrain.scales);
        let per_cell = scales.pixels_per_cell() as u32;
        let mut more = Vec::new();
        for cell in 0..shape.len() as u32 {
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
                    if is_inside { WayOn::Visit } else { WayOn::Leave }
                });
                if is_inside {
                    continue;
                }
                let cells = cells_around.get_or_insert_with(|| {
                    shape.cells_around(shape.columns[cell as usize], scales)
                });
                self.visit_places_around(within, cells, |other| {
                    let heights = &self.terrain.map.heights;
                    let (here, there) = (heights[pixel as usize], heights[other as usize]);
                    let apart = i64::from(there.abs_diff(here));
                    if there != NO_HEIGHT && apart <= 2 * self.terrain.scales.climb {
                        more.push(other);
                    }
                });
            }
        }
        more.into_iter().for_each(|p| needed[p as usize] = true);
    }

    /// Visits the pixels of all layers at the places around one of a column.
    fn visit_places_around(
        &self,
        within: u32,
        cells: &[Range<u32>; 9],
        mut visit: impl FnMut(u32),
    ) {
        let scales = self.terrain.scales;
        let (side, per_cell) = (scales.per_side, scales.pixels_per_cell() as u32);
        let (i, j) = (within % side, within / side);
        for (row, j) in (j..j + 3).map(|j| scales.place_around(j)) {
            for (column, i) in (i..i + 3).map(|i| scales.place_around(i)) {
                let cells = cells[row * 3 + column].clone();
                cells.for_each(|cell| visit(cell * per_cell + j * side + i));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finish::drop_small::drop_small;
    use crate::layered::erode::erode;
    use crate::layered::link_pixels::link_pixels;
    use crate::layered::model::distance_field::DistanceField;
    use crate::layered::model::linked_map::LinkedMap;
    use crate::layered::test_scenes::{crowded, littered, scanned, sliced, walked_map};
    use crate::settings::BakeSettings;
    use surefoot_scene::Scene;
    use surefoot_testing_scenes::{Variant, build};

    /// The linked map and its field, with and without what is dropped, and how many pixels were.
    fn eroded(scene: &Scene) -> ([(LinkedMap, DistanceField); 2], usize) {
        let settings = BakeSettings { min_area_m2: 0.0, ..BakeSettings::default() };
        let (slices, scales) = sliced(scene, &settings.resolve().unwrap());
        let context = &mut StageContext::new();
        let mut dropped = 0;
        let both = [false, true].map(|prunes| {
            let mut map = walked_map(&slices, &scales);
            if prunes {
                let count = |map: &FineMap| map.heights.iter().filter(|h| **h != NO_HEIGHT).count();
                let before = count(&map);
                map = prune_eroded(map, &slices, &scales, Some(0.0), context).unwrap();
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
        let both_kept = field.kept(&whole).zip(rest_field.kept(&rest));
        for (p, (kept, rest_kept)) in both_kept.enumerate() {
            assert_eq!(kept, rest_kept, "{name}: pixel {p}");
            if !kept {
                continue;
            }
            assert_eq!(whole.links[p], rest.links[p], "{name}: pixel {p}");
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
                let surface = crate::layered::build(&scene, &settings, context).unwrap();
                let before = surface.faces.len();
                (drop_small(surface, 1.0, &[], &settings.agent, context).unwrap(), before)
            };
            let ((early, _), (late, before)) = (built(1.0), built(0.0));
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
