//! The monotone sweep: goes row by row, and a stretch of a row goes on in the part below it where the two
//! have only each other (Mononen 2009).

use crate::contour::chain::NO_PART;
use crate::heightfield::grid::{SOUTH, WEST};
use crate::voxel::segment::TileGround;
use std::collections::BTreeMap;

/// Simple parts: stretches of rows that go on in one another.
pub(super) fn monotone(ground: &TileGround<'_>) -> Vec<u32> {
    let mut part_of = vec![NO_PART; ground.columns.len()];
    let mut count = 0;
    let mut row: Vec<(u32, u32)> = Vec::new();
    let mut stretch_of = vec![NO_PART; ground.columns.len()];
    let row_of = |s: &u32| ground.column(*s).1;
    for of_row in ground.own_spans().chunk_by(|a, b| row_of(a) == row_of(b)) {
        row.clear();
        let mut stretches = 0_u32;
        for &span in of_row {
            let stretch = match ground.onward(span, WEST) {
                Some(west) => stretch_of[west as usize],
                None => {
                    stretches += 1;
                    stretches - 1
                }
            };
            stretch_of[span as usize] = stretch;
            row.push((stretch, span));
        }
        // Which part lies below each stretch, and which stretch above each part: one, or several.
        let mut below: Vec<Option<u32>> = vec![None; stretches as usize];
        let mut several = vec![false; stretches as usize];
        let mut above: BTreeMap<u32, (u32, bool)> = BTreeMap::new();
        for &(stretch, span) in &row {
            let Some(south) = ground.onward(span, SOUTH) else { continue };
            let part = part_of[south as usize];
            match below[stretch as usize] {
                Some(p) if p != part => several[stretch as usize] = true,
                _ => below[stretch as usize] = Some(part),
            }
            let entry = above.entry(part).or_insert((stretch, false));
            entry.1 |= entry.0 != stretch;
        }
        let part_of_stretch: Vec<u32> = (0..stretches as usize)
            .map(|s| match below[s] {
                Some(p) if !several[s] && above.get(&p).is_some_and(|a| !a.1) => p,
                _ => {
                    count += 1;
                    count - 1
                }
            })
            .collect();
        for &(stretch, span) in &row {
            part_of[span as usize] = part_of_stretch[stretch as usize];
        }
    }
    part_of
}
