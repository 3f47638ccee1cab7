//! Pixels laid across what is missing between two pixels of ground.

use crate::layered::model::fine_map::{BridgePlane, FineMap, FinePlace, PixelKind, STEPS};
use crate::layered::model::terrain::Terrain;

/// A pixel across a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bridge {
    pub(super) pixel: u32,
    pub(super) height: i32,
    /// The lower tread.
    pub(super) ground: u32,
    pub(super) area: u16,
    pub(super) plane: BridgePlane,
}

impl Bridge {
    /// A pixel at a height between two pixels of ground. Ground and area are those of the lower one.
    pub(super) fn between(
        map: &FineMap,
        ends: [u32; 2],
        (pixel, height): (u32, i64),
        slope: [f64; 2],
        is_ramp: bool,
    ) -> Self {
        let [a, b] = ends.map(|p| map.heights[p as usize]);
        let lower = ends[usize::from(a > b)] as usize;
        let range = [a.min(b), a.max(b)];
        Self {
            pixel,
            height: height as i32,
            ground: map.grounds[lower],
            area: map.areas[lower],
            plane: BridgePlane { slope, range, is_ramp },
        }
    }
}

/// Puts bridges into the map; returns how many pixels they are.
pub(super) fn lay(map: &mut FineMap, mut laid: Vec<Bridge>) -> usize {
    laid.sort_by_key(|b| (b.pixel, b.height));
    // Where two bridges cross, one is laid.
    laid.dedup_by_key(|b| b.pixel);
    for bridge in &laid {
        let p = bridge.pixel as usize;
        map.heights[p] = bridge.height;
        map.grounds[p] = bridge.ground;
        map.areas[p] = bridge.area;
        map.kinds[p] = PixelKind::Bridge;
    }
    map.bridges.extend(laid.iter().map(|b| (b.pixel, b.plane)));
    map.bridges.sort_by_key(|b| b.0);
    laid.len()
}

/// The places that follow a pixel in a direction, by their number.
pub(super) fn places_from(
    terrain: Terrain<'_>,
    pixel: u32,
    direction: usize,
) -> impl Fn(i64) -> FinePlace + use<> {
    let here = terrain.place(pixel);
    move |k| here.beside(STEPS[direction].map(|d| k * d))
}

/// A pixel at a place, where it has no ground or lower one: of the layer that looks for ground nearest
/// to this height, since the upper tread may lie in another column than the lower one.
pub(super) fn pixel_for(terrain: Terrain<'_>, place: FinePlace, lower: i64, z: i64) -> Option<u32> {
    let Terrain { map, scales, .. } = terrain;
    let beyond = |p: u32| {
        let cell = map.cell_of(p, scales) as usize;
        let (low, high) = (i64::from(map.shape.lows[cell]), i64::from(map.shape.highs[cell]));
        (low - z).max(z - high).max(0)
    };
    let is_free = |p: u32| {
        let is_lower = terrain.height(p) < lower - scales.break_height as i64;
        !map.has_ground(p) || (is_lower && terrain.kind(p) != PixelKind::Bridge)
    };
    terrain
        .pixels_at(place)
        .filter(|&p| is_free(p) && beyond(p) <= scales.step)
        .min_by_key(|&p| (beyond(p), p))
}
