//! Divides a tile's ground further, into parts that are compact (`watershed`) or simple (`monotone`).
//!
//! Goes in: linked ground. Comes out: a part for every span of the tile. The watershed floods the
//! distance to the boundary from the deepest places outwards, two levels at a time, all basins
//! alike, and starts a new basin where a level holds ground that no basin has reached (van Gelderen
//! 2018; Haumont et al. 2003); parts of few columns join the neighbour with which they share the
//! longest border. The monotone sweep goes row by row: a stretch of a row goes on in the part below it
//! where the two have only each other (Mononen 2009). Parts end at the tile's edge. Neither changes
//! which ground there is: the lift lays the borders of parts along edges of its triangles.

use crate::settings::Regions;
use crate::voxel::link_neighbours::{EAST, NORTH, SOUTH, WEST};
use crate::voxel::segment::Ground;
use std::collections::BTreeMap;

/// No part.
pub(crate) const NO_PART: u32 = u32::MAX;

/// Parts of fewer columns join a neighbour.
const SMALL_PART_COLUMNS: usize = 64;

/// The part of every span of the tile; nothing where ground is not divided further.
pub(crate) fn divide(ground: &Ground<'_>) -> Vec<u32> {
    match ground.regions {
        Regions::Flood | Regions::Flat => Vec::new(),
        Regions::Watershed => {
            let mut parts = flood_basins(ground);
            join_small(ground, &mut parts);
            parts
        }
        Regions::Monotone => sweep_rows(ground),
    }
}

/// The span in a direction that a part may go on in.
fn onward(ground: &Ground<'_>, span: u32, direction: usize) -> Option<u32> {
    ground
        .link(span, direction)
        .filter(|&other| ground.is_own(other) && ground.is_seamless(span, other))
}

/// Links to the nearest span with a side that leads nowhere.
fn distances(ground: &Ground<'_>) -> Vec<u32> {
    let count = ground.columns.len();
    let mut distance = vec![u32::MAX; count];
    let mut queue: Vec<u32> = (0..count as u32)
        .filter(|&s| {
            ground.field.gone[s as usize].is_none()
                && (0..4).any(|d| ground.link(s, d).is_none() && !ground.field.leaves(s, d))
        })
        .collect();
    for &s in &queue {
        distance[s as usize] = 0;
    }
    let mut at = 0;
    while let Some(&span) = queue.get(at) {
        at += 1;
        for direction in 0..4 {
            if let Some(other) = ground.link(span, direction)
                && distance[other as usize] == u32::MAX
            {
                distance[other as usize] = distance[span as usize] + 1;
                queue.push(other);
            }
        }
    }
    distance
}

fn flood_basins(ground: &Ground<'_>) -> Vec<u32> {
    let distance = distances(ground);
    let mut part_of = vec![NO_PART; ground.columns.len()];
    // Deepest first, two levels at a time; ground far from any boundary counts as one level.
    let level = |s: u32| (distance[s as usize] / 2).min(1 << 20);
    let mut order: Vec<(std::cmp::Reverse<u32>, u32)> =
        ground.own_spans().iter().map(|&s| (std::cmp::Reverse(level(s)), s)).collect();
    order.sort_unstable();
    let mut count = 0;
    let mut queue: Vec<u32> = Vec::new();
    for of_level in order.chunk_by(|a, b| a.0 == b.0) {
        let spread = |queue: &mut Vec<u32>, part_of: &mut Vec<u32>| {
            let mut at = 0;
            while let Some(&span) = queue.get(at) {
                at += 1;
                for direction in 0..4 {
                    if let Some(other) = onward(ground, span, direction)
                        && part_of[other as usize] == NO_PART
                        && level(other) == of_level[0].0.0
                    {
                        part_of[other as usize] = part_of[span as usize];
                        queue.push(other);
                    }
                }
            }
            queue.clear();
        };
        // Basins that exist grow alike: breadth first, from all their borders at once.
        let first: Vec<(u32, u32)> = of_level
            .iter()
            .filter_map(|&(_, span)| {
                let around = (0..4).filter_map(|d| onward(ground, span, d));
                let part = around.map(|o| part_of[o as usize]).filter(|&p| p != NO_PART).min()?;
                Some((span, part))
            })
            .collect();
        for (span, part) in first {
            part_of[span as usize] = part;
            queue.push(span);
        }
        spread(&mut queue, &mut part_of);
        for &(_, span) in of_level {
            if part_of[span as usize] == NO_PART {
                part_of[span as usize] = count;
                count += 1;
                queue.push(span);
                spread(&mut queue, &mut part_of);
            }
        }
    }
    part_of
}

/// Joins small parts to the neighbour with the longest common border, the smallest part first.
fn join_small(ground: &Ground<'_>, part_of: &mut [u32]) {
    let count = part_of.iter().filter(|p| **p != NO_PART).max().map_or(0, |p| *p as usize + 1);
    let mut sizes = vec![0_usize; count];
    let mut borders: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); count];
    for &span in ground.own_spans() {
        let part = part_of[span as usize];
        sizes[part as usize] += 1;
        for direction in [EAST, NORTH] {
            if let Some(other) = onward(ground, span, direction) {
                let there = part_of[other as usize];
                if there != part {
                    *borders[part as usize].entry(there).or_default() += 1;
                    *borders[there as usize].entry(part).or_default() += 1;
                }
            }
        }
    }
    let mut lead: Vec<u32> = (0..count as u32).collect();
    let mut order: Vec<(usize, u32)> = sizes.iter().copied().zip(0..).collect();
    order.sort_unstable();
    for (_, part) in order {
        if lead[part as usize] != part || sizes[part as usize] >= SMALL_PART_COLUMNS {
            continue;
        }
        let into = borders[part as usize]
            .iter()
            .max_by_key(|(p, len)| (**len, std::cmp::Reverse(**p)))
            .map(|(p, _)| *p);
        let Some(into) = into else { continue };
        lead[part as usize] = into;
        sizes[into as usize] += sizes[part as usize];
        for (other, len) in std::mem::take(&mut borders[part as usize]) {
            borders[other as usize].remove(&part);
            if other != into {
                *borders[into as usize].entry(other).or_default() += len;
                *borders[other as usize].entry(into).or_default() += len;
            }
        }
    }
    for part in part_of.iter_mut().filter(|p| **p != NO_PART) {
        while lead[*part as usize] != *part {
            *part = lead[*part as usize];
        }
    }
}

fn sweep_rows(ground: &Ground<'_>) -> Vec<u32> {
    let mut part_of = vec![NO_PART; ground.columns.len()];
    let mut count = 0;
    let mut row: Vec<(u32, u32)> = Vec::new();
    let mut stretch_of = vec![NO_PART; ground.columns.len()];
    let row_of = |s: &u32| ground.column(*s).1;
    for of_row in ground.own_spans().chunk_by(|a, b| row_of(a) == row_of(b)) {
        row.clear();
        let mut stretches = 0_u32;
        for &span in of_row {
            let stretch = match onward(ground, span, WEST) {
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
            let Some(south) = onward(ground, span, SOUTH) else { continue };
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
