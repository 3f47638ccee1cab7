//! The watershed: floods the distance to the boundary from the deepest places outwards, two levels at a
//! time, all basins alike, and starts a new basin where a level holds ground that no basin has reached
//! (van Gelderen 2018; Haumont et al. 2003). Parts of few columns join the neighbour with which they
//! share the longest border.

use crate::contour::chain::NO_PART;
use crate::heightfield::grid::{EAST, NORTH};
use crate::voxel::segment::TileGround;
use std::collections::BTreeMap;

/// Parts of fewer columns join a neighbour.
const SMALL_PART_COLUMNS: usize = 64;

/// Links to the nearest span with a side that leads nowhere.
pub(super) fn distances(ground: &TileGround<'_>) -> Vec<u32> {
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

/// Compact parts: basins, of which small ones join a neighbour.
pub(super) fn watershed(ground: &TileGround<'_>, distances: &[u32]) -> Vec<u32> {
    let mut parts = flood_basins(ground, distances);
    join_small(ground, &mut parts);
    parts
}

fn flood_basins(ground: &TileGround<'_>, distance: &[u32]) -> Vec<u32> {
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
                    if let Some(other) = ground.onward(span, direction)
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
                let around = (0..4).filter_map(|d| ground.onward(span, d));
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
fn join_small(ground: &TileGround<'_>, part_of: &mut [u32]) {
    let count = part_of.iter().filter(|p| **p != NO_PART).max().map_or(0, |p| *p as usize + 1);
    let mut sizes = vec![0_usize; count];
    let mut borders: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); count];
    for &span in ground.own_spans() {
        let part = part_of[span as usize];
        sizes[part as usize] += 1;
        for direction in [EAST, NORTH] {
            if let Some(other) = ground.onward(span, direction) {
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
