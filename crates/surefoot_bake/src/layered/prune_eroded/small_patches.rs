//! Finds patches of ground that are too small to stay, whatever the agent's radius leaves of them.
//!
//! Goes in: ground that may remain, and which pixels lie beside each other within a step. Comes out: the same
//! without the patches that are certain to be smaller than the smallest area. A patch that is dropped at the
//! end need not be linked, cut and traced before.
//!
//! What is certain follows from the places alone. Contours run between a pixel that remains and the next, and
//! simplified they lie a pixel farther out at most: all ground of a patch lies within two pixels of its middles.

use crate::layered::model::fine_map::FinePlace;
use crate::layered::prune_eroded::beside::Beside;

/// How far from the middles of its pixels a patch may reach, in pixels.
const MARGIN: usize = 2;

/// What is known of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatchState {
    /// It does not remain.
    None,
    /// It may remain; nobody knows yet in what.
    Unknown,
    /// It belongs to the patch that is being gathered.
    Gathered,
    /// It belongs to a patch that may be large enough.
    Large,
}

/// Tells of all ground that may remain whether it belongs to a patch that covers as many pixels or reaches as far
/// in height, so that it may lie over itself. What does not is none.
pub(super) fn find_large(
    patches: &mut [PatchState],
    beside: &Beside,
    (least, height): (f64, i64),
    place: impl Fn(u32) -> (FinePlace, i32),
) {
    let mut patch: Vec<u32> = Vec::new();
    for start in 0..beside.nothing {
        if patches[start as usize] != PatchState::Unknown {
            continue;
        }
        // Most lie beside ground that is known to be large.
        if beside.row(start).iter().any(|&p| patches[p as usize] == PatchState::Large) {
            patches[start as usize] = PatchState::Large;
            continue;
        }
        let reached_large = gather(start, patches, beside, least, &mut patch);
        let is_small = !reached_large && is_small(patch.iter().map(|&p| place(p)), least, height);
        let known = if is_small { PatchState::None } else { PatchState::Large };
        patch.iter().for_each(|&p| patches[p as usize] = known);
    }
}

/// Gathers the patch of a pixel; returns whether it reached one that may be large enough, or became one.
fn gather(
    start: u32,
    patches: &mut [PatchState],
    beside: &Beside,
    least: f64,
    patch: &mut Vec<u32>,
) -> bool {
    patch.clear();
    patch.push(start);
    patches[start as usize] = PatchState::Gathered;
    let mut at = 0;
    while let Some(&pixel) = patch.get(at) {
        at += 1;
        let mut is_large = patch.len() as f64 >= least;
        for p in beside.row(pixel) {
            is_large |= patches[p as usize] == PatchState::Large;
            if patches[p as usize] == PatchState::Unknown {
                patches[p as usize] = PatchState::Gathered;
                patch.push(p);
            }
        }
        if is_large {
            return true;
        }
    }
    false
}

/// Whether pixels at some places and heights cover fewer than so many, those around them counted, and lie within
/// so much height.
fn is_small(
    pixels: impl Iterator<Item = (FinePlace, i32)> + Clone,
    least: f64,
    height: i64,
) -> bool {
    let heights = || pixels.clone().map(|(_, z)| i64::from(z));
    let rows = || pixels.clone().map(|(place, _)| place.y);
    let (Some(low), Some(high)) = (heights().min(), heights().max()) else { return true };
    let (Some(first), Some(last)) = (rows().min(), rows().max()) else { return true };
    if high - low >= height {
        return false;
    }
    // From where to where the pixels of each row lie.
    let mut spans = vec![[i64::MAX, i64::MIN]; (last - first) as usize + 1 + 4 * MARGIN];
    for (place, _) in pixels {
        let [from, to] = &mut spans[(place.y - first) as usize + 2 * MARGIN];
        (*from, *to) = ((*from).min(place.x), (*to).max(place.x));
    }
    let covered = |rows: &[[i64; 2]]| {
        let from = rows.iter().map(|r| r[0]).min().unwrap_or(0);
        let to = rows.iter().map(|r| r[1]).max().unwrap_or(-1);
        if to < from { 0 } else { to - from + 1 + 2 * MARGIN as i64 }
    };
    let covered: i64 = spans.windows(2 * MARGIN + 1).map(covered).sum();
    (covered as f64) < least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(length: i64, height: i32) -> impl Iterator<Item = (FinePlace, i32)> + Clone {
        (0..length).map(move |k| (FinePlace { y: 3, x: k }, k as i32 * height))
    }

    /// A strip of one pixel's width covers five rows, and two pixels more at both ends.
    #[test]
    fn what_lies_around_pixels_counts() {
        assert!(is_small(strip(16, 0), 101.0, 10));
        assert!(!is_small(strip(16, 0), 100.0, 10));
    }

    #[test]
    fn what_lies_between_two_arms_counts() {
        let both = |apart: i64| {
            let there = strip(16, 0).map(move |(p, z)| (FinePlace { y: p.y + apart, x: p.x }, z));
            strip(16, 0).chain(there)
        };
        // Rows from two before the first to two after the last; farther apart there are some between.
        assert!(is_small(both(3), 161.0, 10) && !is_small(both(3), 160.0, 10));
        assert!(is_small(both(9), 201.0, 10) && !is_small(both(9), 200.0, 10));
    }

    /// What climbs as high as the agent may lie over itself.
    #[test]
    fn high_patches_are_not_judged() {
        assert!(is_small(strip(6, 3), 1_000.0, 16));
        assert!(!is_small(strip(6, 3), 1_000.0, 15));
    }
}
