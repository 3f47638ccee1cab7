//! Keeps leaning risers.
//!
//! Goes in: fine depth maps in which surfaces too steep to walk on are marked. Comes out: the same, with
//! those kept that lead straight from ground below to ground above within one step, all over their
//! triangle; where others were, the ground under them.

use crate::layered::model::fine_map::{FineMap, PixelKind};
use crate::layered::model::scales::{MOST_PIXELS, Scales};
use crate::layered::model::slices::Slices;
use crate::layered::model::terrain::Terrain;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use surefoot_geom::threads::prelude::*;

/// Keeps steep pixels that lead from ground to ground; returns how many.
pub(super) fn keep_risers(map: &mut FineMap, slices: &Slices, scales: &Scales) -> usize {
    let steep = steep_pixels(map, scales);
    // A slope that is higher than a step somewhere is no riser where it is lower: once that is known of a
    // triangle, the rest of it need not be walked over.
    let triangles = if steep.is_empty() { 0 } else { slices.triangles.len() };
    let refused: Vec<AtomicBool> = (0..triangles).map(|_| AtomicBool::new(false)).collect();
    let terrain = Terrain { map, slices, scales };
    let areas: Vec<Option<u16>> = steep
        .par_iter()
        .map(|&pixel| {
            let refused = &refused[map.grounds[pixel as usize] as usize];
            if refused.load(Relaxed) {
                return None;
            }
            let area = area_at_foot(terrain, pixel);
            if area.is_none() {
                refused.store(true, Relaxed);
            }
            area
        })
        .collect();
    map.refused = refused.into_iter().map(AtomicBool::into_inner).collect();
    let mut kept = 0;
    for (&pixel, area) in steep.iter().zip(&areas) {
        let p = pixel as usize;
        match area {
            Some(area) if !map.is_refused(map.grounds[p]) => {
                map.areas[p] = *area;
                kept += 1;
            }
            _ => match map.under.binary_search_by_key(&pixel, |u| u.pixel) {
                Ok(at) => {
                    let under = map.under[at];
                    (map.heights[p], map.grounds[p]) = (under.height, under.ground);
                    map.kinds[p] = PixelKind::Ground;
                    map.areas[p] = slices.class(under.ground).area();
                }
                Err(_) => map.clear(p),
            },
        }
    }
    map.under = Vec::new();
    kept
}

/// The steep pixels. Most cells have none.
fn steep_pixels(map: &FineMap, scales: &Scales) -> Vec<u32> {
    let per_cell = scales.pixels_per_cell();
    let is_steep = |kind: PixelKind| kind == PixelKind::Steep;
    let mut steep = Vec::new();
    for (first, kinds) in (0..).step_by(per_cell).zip(map.kinds.chunks_exact(per_cell)) {
        if kinds.iter().fold(false, |any, &kind| any | is_steep(kind)) {
            let of_cell = (first..).zip(kinds).filter(|(_, kind)| is_steep(**kind));
            steep.extend(of_cell.map(|(pixel, _)| pixel));
        }
    }
    steep
}

/// The area type of the ground below a steep pixel, where the slope leads from there to ground within one
/// step above.
fn area_at_foot(terrain: Terrain<'_>, pixel: u32) -> Option<u16> {
    let (below, at_foot) = walk(terrain, pixel, -1.0)?;
    let (above, _) = walk(terrain, pixel, 1.0)?;
    (i64::from(above) - i64::from(below) <= terrain.scales.step)
        .then(|| terrain.map.areas[at_foot as usize])
}

/// Goes straight up or down a steep slope, pixel by pixel, to the ground where it begins or ends: its
/// height and pixel.
fn walk(terrain: Terrain<'_>, pixel: u32, sign: f64) -> Option<(i32, u32)> {
    let Terrain { map, scales, .. } = terrain;
    let [sx, sy] = terrain.slope(pixel);
    let slope = (sx * sx + sy * sy).sqrt();
    let here = terrain.place(pixel);
    let fine = f64::from(scales.fine);
    let mut height = i64::from(map.heights[pixel as usize]);
    // As far as the flattest slope that is too steep goes within one step.
    let most = (scales.step as f64 / (slope.max(0.05) * fine)).ceil() as i64 + 2;
    let most = most.min(MOST_PIXELS);
    let mut at = pixel;
    for k in 1..=most {
        let away = [sign * k as f64 * sx / slope, sign * k as f64 * sy / slope];
        let near = |p: &u32| (terrain.height(*p) - height).abs() <= scales.step;
        // Ground that the slope can have led to: not against its direction, and not below its plane.
        let slack = scales.break_height;
        let plane_at = |p: u32| {
            let (here, middle) = (terrain.middle(at), terrain.middle(p));
            let shift = [(middle[0] - here[0]) as f64, (middle[1] - here[1]) as f64];
            terrain.height_beside(at, shift)
        };
        let led_to = |p: u32| {
            let there = f64::from(map.heights[p as usize]);
            if map.kinds[p as usize] != PixelKind::Ground {
                true
            } else if sign > 0.0 {
                there >= height as f64 - slack
            } else {
                there <= height as f64 + slack && there >= plane_at(p) - slack
            }
        };
        // The pixel that the way leads through, or one beside it: at the side of a flight the nearest
        // one may lie beyond, on other ground.
        let ([x, x_beside], [y, y_beside]) = (nearest_two(away[0]), nearest_two(away[1]));
        let places = [(x, y), (x, y_beside), (x_beside, y), (x_beside, y_beside)];
        let mut found = places
            .into_iter()
            .map(|(x, y)| here.beside([x, y]))
            .filter(|place| *place != here)
            .filter_map(|place| {
                // Of several layers the upper one wins.
                terrain.grounds_at(place).filter(near).max_by_key(|&p| map.heights[p as usize])
            });
        let first = found.next()?;
        let next = std::iter::once(first).chain(found).find(|&p| led_to(p)).unwrap_or(first);
        at = next;
        height = i64::from(map.heights[next as usize]);
        if map.kinds[next as usize] == PixelKind::Ground {
            return Some((height as i32, next));
        }
    }
    None
}

/// The whole number nearest to another, halves away from nought, and the one on the other side of it; the
/// same twice where it is whole itself.
fn nearest_two(v: f64) -> [i64; 2] {
    let towards_nought = v as i64;
    let rest = v - towards_nought as f64;
    let beyond = towards_nought + if rest > 0.0 { 1 } else { -i64::from(rest < 0.0) };
    if rest.abs() >= 0.5 { [beyond, towards_nought] } else { [towards_nought, beyond] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_two_are_rounded_each_way() {
        for v in [-2.75, -2.5, -2.25, -2.0, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 7.1] {
            let [nearest, other] = nearest_two(v);
            assert_eq!(nearest, v.round() as i64, "{v}");
            let both = [v.floor() as i64, v.ceil() as i64];
            assert!(
                both == [nearest, other] || both == [other, nearest],
                "{v}: {nearest}, {other}"
            );
        }
    }
}
