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

use crate::layered::model::fine_map::{FinePlace, PixelKind, STEPS};
use crate::layered::model::probe::{Look, Probe};
use crate::layered::model::terrain::Terrain;
use crate::layered::walk_over::lay::Bridge;

/// Finds the pixels that are to be raised to narrow treads.
pub(super) fn find_narrow_treads(ends: &[(u32, u8)], terrain: Terrain<'_>) -> Vec<Bridge> {
    let mut probe = Probe::new(terrain);
    let treads = ends.iter().filter_map(|&(pixel, direction)| {
        narrow_tread_beside(pixel, usize::from(direction), &mut probe)
    });
    let mut found: Vec<Bridge> = treads.collect();
    found.extend(around_corners(terrain, &found));
    found
}

/// The lower one of a pixel at which ground ends and the next, raised to a narrow tread between them.
fn narrow_tread_beside(pixel: u32, direction: usize, probe: &mut Probe<'_>) -> Option<Bridge> {
    let (terrain, scales) = (probe.terrain, probe.terrain.scales);
    let height = |p: u32| terrain.height(p);
    let is_ground = |p: u32| terrain.kind(p) == PixelKind::Ground;
    let apart = |p: u32| (height(p) - height(pixel)).abs();
    if !is_ground(pixel) {
        return None;
    }
    let beside = terrain.grounds_at(terrain.place(pixel).beside(STEPS[direction]));
    if beside.clone().any(|p| apart(p) <= scales.climb) {
        return None;
    }
    let within_two = |p: &u32| is_ground(*p) && apart(*p) <= 2 * scales.step;
    let other = beside.filter(within_two).min_by_key(|&p| (apart(p), p))?;
    let (upper, lower, down) = match height(pixel) > height(other) {
        true => (pixel, other, direction),
        false => (other, pixel, direction + 2),
    };
    let line = terrain.line_from(upper, down);
    if !probe.may_have_tread(&line, height(lower) as f64) {
        return None;
    }
    probe.look(&line, Look::All);
    let (tread, far) = probe.tread_below(&line, height(lower) as f64)?;
    let back = f64::from(scales.fine) - far;
    let line = terrain.line_from(lower, (down + 2) % 4);
    probe.look(&line, Look::All);
    let at = terrain.place(lower);
    let z = tread.round() as i64;
    let is_narrow = !is_wide(terrain, at, z)
        && probe.is_open_to(&line, back)
        && terrain.is_free(at, [z + scales.step, z + scales.height]);
    is_narrow.then(|| Bridge::between(terrain.map, [upper, lower], (lower, z), [0.0; 2], true))
}

/// Whether a square of four pixels around a place lies on a tread: then it is not narrow, and this is its
/// tip.
fn is_wide(terrain: Terrain<'_>, place: FinePlace, z: i64) -> bool {
    let is_on = |dx: i64, dy: i64| {
        terrain.pixels_at(place.beside([dx, dy])).any(|p| {
            let apart = (terrain.height(p) - z).abs() as f64;
            terrain.kind(p) == PixelKind::Ground && apart <= terrain.scales.break_height
        })
    };
    let squares = (-2..=1).flat_map(|dy| (-2..=1).map(move |dx| (dx, dy)));
    squares.into_iter().any(|(dx, dy)| {
        is_on(dx, dy) && is_on(dx + 1, dy) && is_on(dx, dy + 1) && is_on(dx + 1, dy + 1)
    })
}

/// Pixels that touch an upper pixel in a point, between two that are raised beside it: the tread goes on
/// around the corner.
fn around_corners(terrain: Terrain<'_>, found: &[Bridge]) -> Vec<Bridge> {
    let scales = terrain.scales;
    let mut raised: Vec<(FinePlace, i32)> =
        found.iter().map(|b| (terrain.place(b.pixel), b.height)).collect();
    raised.sort_unstable();
    let height_at = |place: FinePlace| {
        let at = raised.partition_point(|r| r.0 < place);
        raised.get(at).filter(|r| r.0 == place).map(|r| i64::from(r.1))
    };
    let mut more = Vec::new();
    for b in found {
        let here = terrain.place(b.pixel);
        let z = i64::from(b.height);
        for direction in 0..4 {
            let corner = here.beside(STEPS[direction]);
            // Left and right of the way to the corner: another raised pixel beyond it.
            let turns = [1, 3].map(|turn| STEPS[(direction + turn) % 4]);
            let goes_on = turns.iter().any(|turn| {
                height_at(corner.beside(*turn))
                    .is_some_and(|h| (h - z).abs() <= scales.break_height as i64)
            });
            if !goes_on || height_at(corner).is_some() {
                continue;
            }
            let fits = |p: &u32| {
                let there = terrain.height(*p);
                terrain.kind(*p) == PixelKind::Ground
                    && there < z - scales.break_height as i64
                    && z - there <= scales.step
            };
            let lower = terrain.pixels_at(corner).filter(fits).max();
            let free = terrain.is_free(corner, [z + scales.step, z + scales.height]);
            let lower = lower.filter(|_| free);
            more.extend(lower.map(|p| Bridge { pixel: p, ..*b }));
        }
    }
    more
}
