//! Finds where ground ends between two pixels that are not linked.
//!
//! Goes in: pixels and where they lead. Comes out: for every direction in which a pixel leads nowhere, how far its
//! ground goes on and what ends it.

use crate::layered::link_pixels::pairs::PixelPairs;
use crate::layered::model::fine_map::NO_PIXEL;
use crate::layered::model::linked_map::Stop;
use crate::layered::model::probe::GroundRun;
use surefoot_mesh::EdgeClass;

/// Where the ground of a pixel ends, in the directions without a link.
pub(super) fn stops_of(
    pixel: u32,
    links: [u32; 4],
    pairs: &mut PixelPairs<'_>,
    stops: &mut Vec<Stop>,
) {
    if !pairs.terrain.map.has_ground(pixel) {
        return;
    }
    let unlinked = (0..4).filter(|&d| links[d] == NO_PIXEL);
    stops.extend(unlinked.map(|direction| stop(pixel, direction, pairs)));
}

/// Where the ground of a pixel ends in a direction.
fn stop(pixel: u32, direction: usize, pairs: &mut PixelPairs<'_>) -> Stop {
    let whole = f64::from(pairs.terrain.scales.fine);
    let half_way = (0.5 * whole, EdgeClass::Open);
    let (reach, class) = if pairs.is_bridge(pixel) || pairs.terrain.map.is_cut_off(pixel, direction)
    {
        half_way
    } else if let GroundRun::To(reach, class) = pairs.run_from(pixel, direction) {
        (reach, class)
    } else {
        // The other side sees what is in the way, or nobody does: then half-way.
        let other = pairs.ground_beside(pixel, direction);
        match other.map(|other| pairs.run_from(other, (direction + 2) % 4)) {
            Some(GroundRun::To(back, class)) => (whole - back, class),
            _ => half_way,
        }
    };
    let reach = reach.clamp(0.0, whole) as f32;
    Stop { pixel, direction: direction as u8, reach, class }
}
