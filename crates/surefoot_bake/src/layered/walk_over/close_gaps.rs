//! Closes gaps that are none: cracks no wider than the gap distance.
//!
//! Goes in: fine depth maps, and where their ground ends. Comes out: a pixel for every one without ground between two
//! that have it, where what is missing is no wider than the gap distance and nothing stands there that is too high
//! to be stepped over.

use crate::layered::model::fine_map::PixelKind;
use crate::layered::model::line::PixelLine;
use crate::layered::model::probe::{Look, Probe};
use crate::layered::model::terrain::Terrain;
use crate::layered::walk_over::lay::{Bridge, pixel_for, places_from};

/// Finds the pixels that are to be laid over cracks.
pub(super) fn close_gaps(ends: &[(u32, u8)], terrain: Terrain<'_>) -> Vec<Bridge> {
    let mut probe = Probe::new(terrain);
    let open = ends.iter().filter(|(pixel, _)| terrain.kind(*pixel) != PixelKind::Bridge);
    open.filter_map(|&(pixel, direction)| close_from(pixel, usize::from(direction), &mut probe))
        .collect()
}

/// The pixel over a crack beside a pixel at which ground ends.
fn close_from(pixel: u32, direction: usize, probe: &mut Probe<'_>) -> Option<Bridge> {
    let (terrain, scales) = (probe.terrain, probe.terrain.scales);
    let fine = f64::from(scales.fine);
    let place = places_from(terrain, pixel, direction);
    let a = terrain.height(pixel);
    let rise = |p: u32| terrain.height(p) - a;
    let in_reach = |p: &u32| rise(*p).abs() <= scales.step;
    if terrain.grounds_at(place(1)).any(|p| in_reach(&p)) {
        return None;
    }
    let beyond = terrain.grounds_at(place(2)).filter(in_reach);
    let beyond = beyond.filter(|&p| terrain.kind(p) != PixelKind::Bridge);
    let other = beyond.min_by_key(|&p| (rise(p).abs(), p))?;
    let b = a + rise(other);
    let z = (a + b) / 2;
    let at = pixel_for(terrain, place(1), a.min(b), z)?;
    if !terrain.is_free(place(1), [z + scales.step, z + scales.height]) {
        return None;
    }
    let lines = [(pixel, direction), (other, direction + 2)].map(|(p, d)| terrain.line_from(p, d));
    let is_wide = |start: f64, end: f64| 2.0 * fine - start - end > scales.gap;
    // Most end too soon, whatever stands on them.
    let ground = lines.map(|line| probe.walk_unbroken(&line).extent(scales));
    if is_wide(ground[0], ground[1]) {
        return None;
    }
    let mut extent = |line: &PixelLine| {
        probe.look(line, Look::All);
        probe.low_extent(line, scales.break_height)
    };
    // From the other side the ground is looked at as far as the middle between them, no farther.
    let start = extent(&lines[0]).filter(|s| !is_wide(*s, fine))?;
    if extent(&lines[1]).is_none_or(|end| is_wide(start, end)) {
        return None;
    }
    let mut slope = [0.0; 2];
    slope[direction] = (b - a) as f64 / (2.0 * fine);
    Some(Bridge::between(terrain.map, [pixel, other], (at, z), slope, false))
}
