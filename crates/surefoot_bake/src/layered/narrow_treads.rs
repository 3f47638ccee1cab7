//! Lays pixels over treads that are narrower than a pixel.
//!
//! Goes in: fine depth maps, and where their ground ends. Comes out: the same, with the lower of two
//! neighbouring pixels raised to a tread between them where they lie more than one step apart and less
//! than two. The middles of pixels miss such a tread (a board that stands out from under a mattress by
//! half a centimetre), but the line from one middle to the other does not: cut with the triangles it
//! shows ground a step below the upper one and a step above the lower one, with head room. That is a way
//! as the definition of ground has it, whatever the tread's width. Treads with room for
//! pixels nearby need none of this. The source (Oliva 2012) knows pixels
//! alone.

use crate::layered::fine_map::{FineMap, FinePlace, PixelKind, STEPS};
use crate::layered::link_pixels::line_from;
use crate::layered::probe::{Look, Probe, may_have_tread};
use crate::layered::scales::Scales;
use crate::layered::slice::Slices;
use crate::layered::walk_over::{Bridge, PlacesAhead, is_free, look_beside};

/// Finds the pixels that are to be raised to narrow treads.
pub(crate) fn find_narrow_treads(
    map: &FineMap,
    ends: &[(u32, u8)],
    slices: &Slices,
    scales: &Scales,
    probe: &mut Probe,
) -> Vec<Bridge> {
    let mut found: Vec<Bridge> = Vec::new();
    for &(pixel, direction) in ends {
        let direction = usize::from(direction);
        let height = |p: u32| i64::from(map.heights[p as usize]);
        let is_ground = |p: u32| map.kinds[p as usize] == PixelKind::Ground;
        let apart = |p: u32| (height(p) - height(pixel)).abs();
        if !is_ground(pixel) {
            continue;
        }
        let next = PlacesAhead::new(map, pixel, direction, scales).next_pixels();
        let beside = || next.clone().filter(|&p| map.has_ground(p));
        if beside().any(|p| apart(p) <= scales.climb) {
            continue;
        }
        let within_two = |p: &u32| is_ground(*p) && apart(*p) <= 2 * scales.step;
        let Some(other) = beside().filter(within_two).min_by_key(|&p| (apart(p), p)) else {
            continue;
        };
        let (upper, lower, down) = match height(pixel) > height(other) {
            true => (pixel, other, direction),
            false => (other, pixel, direction + 2),
        };
        let line = line_from(map, upper, down, slices, scales);
        if !may_have_tread(&line, height(lower) as f64, slices, scales) {
            continue;
        }
        probe.look(&line, Look::All, map, slices, scales);
        let Some((tread, far)) = probe.tread_below(&line, height(lower) as f64, scales) else {
            continue;
        };
        let back = f64::from(scales.fine) - far;
        let line = look_beside(map, (lower, (down + 2) % 4), Look::All, slices, scales, probe);
        let at = map.place(lower, scales);
        let z = tread.round() as i64;
        if !is_wide(map, at, z, scales)
            && probe.is_open_to(&line, back, scales)
            && is_free(slices, at, [z + scales.step, z + scales.height], scales)
        {
            found.push(Bridge::between(map, [upper, lower], (lower, z), [0.0; 2], true));
        }
    }
    found.extend(around_corners(map, &found, slices, scales));
    found
}

/// Whether a square of four pixels around a place lies on a tread: then it is not narrow, and this is its
/// tip.
fn is_wide(map: &FineMap, place: FinePlace, z: i64, scales: &Scales) -> bool {
    let is_on = |dx: i64, dy: i64| {
        let place = FinePlace { y: place.y + dy, x: place.x + dx };
        map.pixels_at(place, scales).any(|p| {
            let apart = (i64::from(map.heights[p as usize]) - z).abs();
            map.kinds[p as usize] == PixelKind::Ground && apart as f64 <= scales.break_height
        })
    };
    let squares = (-2..=1).flat_map(|dy| (-2..=1).map(move |dx| (dx, dy)));
    squares.into_iter().any(|(dx, dy)| {
        is_on(dx, dy) && is_on(dx + 1, dy) && is_on(dx, dy + 1) && is_on(dx + 1, dy + 1)
    })
}

/// Pixels that touch an upper pixel in a point, between two that are raised beside it: the tread goes on
/// around the corner.
fn around_corners(
    map: &FineMap,
    found: &[Bridge],
    slices: &Slices,
    scales: &Scales,
) -> Vec<Bridge> {
    let mut raised: Vec<(FinePlace, i32)> =
        found.iter().map(|b| (map.place(b.pixel, scales), b.height)).collect();
    raised.sort_unstable();
    let height_at = |place: FinePlace| {
        let at = raised.partition_point(|r| r.0 < place);
        raised.get(at).filter(|r| r.0 == place).map(|r| i64::from(r.1))
    };
    let mut more = Vec::new();
    for b in found {
        let here = map.place(b.pixel, scales);
        let z = i64::from(b.height);
        for direction in 0..4 {
            let [dx, dy] = STEPS[direction];
            let corner = FinePlace { y: here.y + dy, x: here.x + dx };
            // Left and right of the way to the corner: another raised pixel beyond it.
            let turns = [1, 3].map(|turn| STEPS[(direction + turn) % 4]);
            let goes_on = turns.iter().any(|[ex, ey]| {
                let beyond = FinePlace { y: corner.y + ey, x: corner.x + ex };
                height_at(beyond).is_some_and(|h| (h - z).abs() <= scales.break_height as i64)
            });
            if !goes_on || height_at(corner).is_some() {
                continue;
            }
            let fits = |p: &u32| {
                let there = i64::from(map.heights[*p as usize]);
                map.kinds[*p as usize] == PixelKind::Ground
                    && there < z - scales.break_height as i64
                    && z - there <= scales.step
            };
            let lower = map.pixels_at(corner, scales).filter(fits).max();
            let free = is_free(slices, corner, [z + scales.step, z + scales.height], scales);
            let lower = lower.filter(|_| free);
            more.extend(lower.map(|p| Bridge { pixel: p, ..*b }));
        }
    }
    more
}
