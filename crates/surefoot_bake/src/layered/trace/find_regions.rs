//! Numbers the regions: the connected ground of one layer and area type.
//!
//! Goes in: linked pixels, and which of them are kept. Comes out: the region of every pixel, and the area
//! type of every region. Regions are numbered in the order of their first pixels.

use crate::contour::chain::NO_REGION;
use crate::layered::model::distance_field::DistanceField;
use crate::layered::model::linked_map::LinkedMap;
use crate::layered::model::scales::Scales;
use surefoot_geom::DisjointSets;

/// The region of every pixel, or [`NO_REGION`], and the area type of every region.
pub(super) fn find_regions(
    linked: &LinkedMap,
    field: &DistanceField,
    scales: &Scales,
) -> (Vec<u32>, Vec<u16>) {
    let map = &linked.map;
    let is_one = |a: u32, b: u32| {
        // Most links stay in their cell.
        (map.cell_of(a, scales) == map.cell_of(b, scales)
            || map.layer_of(a, scales) == map.layer_of(b, scales))
            && map.areas[a as usize] == map.areas[b as usize]
    };
    let (region_of, firsts) = number_regions(&linked.links, field.kept(linked), is_one);
    (region_of, firsts.iter().map(|&first| map.areas[first as usize]).collect())
}

/// The region of every pixel, and the first pixel of every region. Links to the east and to the north
/// count, which lead to pixels that come later.
fn number_regions(
    links: &[[u32; 4]],
    kept: impl Iterator<Item = bool>,
    is_one: impl Fn(u32, u32) -> bool,
) -> (Vec<u32>, Vec<u32>) {
    // Kept and without a number yet.
    const NEW: u32 = NO_REGION - 1;
    let mut region_of: Vec<u32> = kept.map(|kept| if kept { NEW } else { NO_REGION }).collect();
    // Pixels hand their number on; where two numbers meet, they are one region.
    let mut firsts: Vec<u32> = Vec::new();
    let mut meetings: Vec<[u32; 2]> = Vec::new();
    for (pixel, [east, north, ..]) in (0..).zip(links) {
        let mut here = region_of[pixel as usize];
        if here == NO_REGION {
            continue;
        }
        if here == NEW {
            here = firsts.len() as u32;
            firsts.push(pixel);
            region_of[pixel as usize] = here;
        }
        for other in [*east, *north] {
            let Some(&there) = region_of.get(other as usize) else { continue };
            if there == here || there == NO_REGION || !is_one(pixel, other) {
                continue;
            }
            debug_assert!(other > pixel, "links to the east and to the north lead on");
            if there == NEW {
                region_of[other as usize] = here;
            } else if meetings.last() != Some(&[here, there]) {
                meetings.push([here, there]);
            }
        }
    }
    let mut sets = DisjointSets::new(firsts.len());
    for [a, b] in meetings {
        sets.join(a, b);
    }
    let (numbers, count) = sets.number();
    for region in region_of.iter_mut().filter(|r| **r != NO_REGION) {
        *region = numbers[*region as usize];
    }
    // The first number of a region has its first pixel.
    let mut first_of = vec![u32::MAX; count as usize];
    for (&first, &number) in firsts.iter().zip(&numbers) {
        let of = &mut first_of[number as usize];
        *of = first.min(*of);
    }
    (region_of, first_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::model::any_numbers::any_numbers;
    use crate::layered::model::fine_map::NO_PIXEL;

    /// Numbers that are handed on and meet later give the regions that joining every link gives.
    #[test]
    fn regions_are_what_links_join() {
        let mut next = any_numbers(9);
        let mut below = |most: u64| u64::from(next()) % most;
        let (width, count) = (40, 1_200);
        let mut most_regions = 0;
        for _ in 0..50 {
            let kept: Vec<bool> = (0..count).map(|_| below(4) > 0).collect();
            let areas: Vec<u64> = (0..count).map(|_| below(12) / 11).collect();
            let links: Vec<[u32; 4]> = (0..count)
                .map(|p| {
                    let east = p % width + 1 < width && below(8) > 0;
                    let north = p + width < count && below(8) > 0;
                    let to = |is: bool, other: u32| if is { other } else { NO_PIXEL };
                    [to(east, p + 1), to(north, p + width), NO_PIXEL, NO_PIXEL]
                })
                .collect();
            let is_kept = |p: u32| kept[p as usize];
            let is_one = |a: u32, b: u32| areas[a as usize] == areas[b as usize];
            let mut sets = DisjointSets::new(count as usize);
            for p in (0..count).filter(|&p| is_kept(p)) {
                for &other in links[p as usize][..2].iter().filter(|o| **o != NO_PIXEL) {
                    if is_kept(other) && is_one(p, other) {
                        sets.join(p, other);
                    }
                }
            }
            let firsts: Vec<u32> =
                (0..count).filter(|&p| is_kept(p) && sets.find(p) == p).collect();
            let (region_of, found) = number_regions(&links, (0..count).map(is_kept), is_one);
            assert_eq!(found, firsts);
            for p in 0..count {
                let region = match is_kept(p) {
                    true => firsts.partition_point(|&f| f < sets.find(p)) as u32,
                    false => NO_REGION,
                };
                assert_eq!(region_of[p as usize], region, "pixel {p}");
            }
            most_regions = most_regions.max(found.len());
        }
        assert!(most_regions > 20, "{most_regions} regions");
    }
}
