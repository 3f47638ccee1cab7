//! Joins the pieces of all tiles to regions.
//!
//! Goes in: traced tiles. Comes out: the runs of all tiles with the regions on both sides, and the
//! height samples of each region. Pieces that go on across a tile's edge are one; what one large tile
//! would have found. With `flood` such pieces are then united, those with the longest common border
//! first, as long as the result does not lie over itself. The order is that of lengths and of first
//! spans, so nothing depends on tiles. Runs with the same region on both sides vanish, unless the
//! ground breaks there.

use crate::context::StageContext;
use crate::contour::chain::{NO_PART, NO_REGION, RegionSample};
use crate::error::BakeError;
use crate::settings::Regions;
use crate::view::StageView;
use crate::voxel::bin_tiles::TiledGrid;
use crate::voxel::segment::SpanKey;
use crate::voxel::tile_views::view_of_runs;
use crate::voxel::trace_contours::{Beyond, Run, TracedTile};
use std::collections::{BTreeMap, BTreeSet};
use surefoot_geom::DisjointSets;
use surefoot_geom::Frame;
use surefoot_mesh::EdgeClass;

/// A run between regions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionRun {
    pub(crate) run: Run,
    pub(crate) left: u32,
    /// The region on the right, or [`NO_REGION`]; the left one where the ground breaks inside of it.
    pub(crate) right: u32,
    /// What lies there, where there is no region on the right.
    pub(crate) class: EdgeClass,
}

/// Regions, in the order of their first spans.
#[derive(Debug, Default)]
pub(crate) struct MergedRegions {
    /// The area type of every region.
    pub(crate) areas: Vec<u16>,
    pub(crate) runs: Vec<RegionRun>,
    /// The samples of every region, row by row.
    pub(crate) samples: Vec<Vec<RegionSample>>,
}

impl MergedRegions {
    /// The borders of all regions.
    pub(crate) fn view(&self, frame: &Frame, grid: &TiledGrid) -> StageView {
        view_of_runs(self.runs.iter().map(|r| (&r.run, r.class)), frame, grid)
    }
}

pub(crate) fn merge_tiles(
    tiles: Vec<TracedTile>,
    regions: Regions,
    context: &mut StageContext<'_>,
) -> Result<MergedRegions, BakeError> {
    let mut firsts = vec![0_u32];
    let mut count = 0_usize;
    for tile in &tiles {
        count += tile.keys.len();
        if count >= NO_REGION as usize {
            return Err(BakeError::TooLarge { what: "pieces of ground", count });
        }
        firsts.push(count as u32);
    }
    let pieces = join_tiles(&tiles, &firsts);
    context.count("pieces", pieces.keys.len());
    let runs = resolve_runs(&tiles, &firsts, &pieces);
    let region_of = match regions {
        Regions::Flat => (0..pieces.keys.len() as u32).collect(),
        _ => unite_pieces(&tiles, &firsts, &pieces, &runs),
    };
    context.count("regions", region_of.iter().max().map_or(0, |&r| r as usize + 1));
    Ok(gather(tiles, &firsts, &pieces, runs, &region_of))
}

/// Pieces of all tiles together, in the order of their first spans.
struct JoinedPieces {
    /// By the piece's number counted through all tiles.
    number_of: Vec<u32>,
    keys: Vec<SpanKey>,
    areas: Vec<u16>,
    /// Which tile's piece a span belongs to, for spans that other tiles name.
    entrances: Vec<(SpanKey, u32)>,
}

impl JoinedPieces {
    fn at(&self, key: &SpanKey) -> Option<u32> {
        let at = self.entrances.binary_search_by_key(key, |e| e.0).ok()?;
        Some(self.number_of[self.entrances[at].1 as usize])
    }
}

fn join_tiles(tiles: &[TracedTile], firsts: &[u32]) -> JoinedPieces {
    let count = firsts.last().copied().unwrap_or(0) as usize;
    let mut entrances: Vec<(SpanKey, u32)> = tiles
        .iter()
        .zip(firsts)
        .flat_map(|(tile, first)| tile.entrances.iter().map(move |(key, p)| (*key, p + first)))
        .collect();
    entrances.sort_unstable();
    let mut sets = DisjointSets::new(count);
    for (tile, first) in tiles.iter().zip(firsts) {
        for (piece, key) in &tile.joins {
            if let Ok(at) = entrances.binary_search_by_key(key, |e| e.0) {
                sets.join(piece + first, entrances[at].1);
            }
        }
    }
    // Number the sets by their first span, wherever it lies.
    let all_keys: Vec<SpanKey> = tiles.iter().flat_map(|t| t.keys.iter().copied()).collect();
    let all_areas: Vec<u16> = tiles.iter().flat_map(|t| t.areas.iter().copied()).collect();
    let mut order: Vec<(SpanKey, u32)> =
        all_keys.iter().enumerate().map(|(i, k)| (*k, i as u32)).collect();
    order.sort_unstable();
    let mut number_of_root = vec![NO_REGION; count];
    let mut pieces =
        JoinedPieces { number_of: vec![0; count], keys: Vec::new(), areas: Vec::new(), entrances };
    for &(key, piece) in &order {
        let root = sets.find(piece) as usize;
        if number_of_root[root] == NO_REGION {
            number_of_root[root] = pieces.keys.len() as u32;
            pieces.keys.push(key);
            pieces.areas.push(all_areas[piece as usize]);
        }
        pieces.number_of[piece as usize] = number_of_root[root];
    }
    pieces
}

/// Every run with the joined pieces on both sides.
fn resolve_runs(tiles: &[TracedTile], firsts: &[u32], pieces: &JoinedPieces) -> Vec<RegionRun> {
    let mut runs = Vec::with_capacity(tiles.iter().map(|t| t.runs.len()).sum());
    for (tile, &first) in tiles.iter().zip(firsts) {
        for run in &tile.runs {
            let left = pieces.number_of[(run.left + first) as usize];
            let (right, class) = match run.beyond {
                Beyond::Nothing(class) => (NO_REGION, class),
                Beyond::Piece(p) => (pieces.number_of[(p + first) as usize], EdgeClass::Inner),
                Beyond::Foreign(f) => {
                    (pieces.at(&tile.foreign[f as usize]).unwrap_or(NO_REGION), EdgeClass::Inner)
                }
            };
            let class = if right == NO_REGION && class == EdgeClass::Inner {
                EdgeClass::Open
            } else {
                class
            };
            runs.push(RegionRun { run: *run, left, right, class });
        }
    }
    runs
}

/// Unites pieces while the result does not lie over itself; returns the region of every piece.
fn unite_pieces(
    tiles: &[TracedTile],
    firsts: &[u32],
    pieces: &JoinedPieces,
    runs: &[RegionRun],
) -> Vec<u32> {
    let mut overlaps: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); pieces.keys.len()];
    for (tile, first) in tiles.iter().zip(firsts) {
        let here = |p: &u32| pieces.number_of[(p + first) as usize];
        let own = tile.overlaps.iter().map(|(a, b)| (here(a), here(b)));
        let foreign =
            tile.foreign_overlaps.iter().filter_map(|(a, key)| Some((here(a), pieces.at(key)?)));
        for (a, b) in own.chain(foreign).filter(|(a, b)| a != b) {
            overlaps[a as usize].insert(b);
            overlaps[b as usize].insert(a);
        }
    }
    let mut borders: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for r in runs {
        if r.right != NO_REGION
            && r.right != r.left
            && pieces.areas[r.left as usize] == pieces.areas[r.right as usize]
        {
            *borders.entry((r.left.min(r.right), r.left.max(r.right))).or_default() +=
                u64::from(r.run.len);
        }
    }
    let mut order: Vec<(std::cmp::Reverse<u64>, u32, u32)> =
        borders.into_iter().map(|((a, b), len)| (std::cmp::Reverse(len), a, b)).collect();
    order.sort_unstable();
    let mut sets = DisjointSets::new(pieces.keys.len());
    for (_, a, b) in order {
        let (a, b) = (sets.find(a), sets.find(b));
        // Each set's overlaps name members as they were, hence the search for their leaders.
        let (few, other) =
            if overlaps[a as usize].len() <= overlaps[b as usize].len() { (a, b) } else { (b, a) };
        if a == b || overlaps[few as usize].iter().any(|&m| sets.find(m) == other) {
            continue;
        }
        sets.join(a, b);
        let (lead, follow) = (a.min(b), a.max(b));
        let mut taken = std::mem::take(&mut overlaps[follow as usize]);
        if taken.len() > overlaps[lead as usize].len() {
            std::mem::swap(&mut taken, &mut overlaps[lead as usize]);
        }
        overlaps[lead as usize].extend(taken);
    }
    // Pieces are in the order of their first spans, so regions are too.
    sets.number().0
}

fn gather(
    tiles: Vec<TracedTile>,
    firsts: &[u32],
    pieces: &JoinedPieces,
    mut runs: Vec<RegionRun>,
    region_of: &[u32],
) -> MergedRegions {
    let count = region_of.iter().max().map_or(0, |&r| r as usize + 1);
    let mut areas = vec![0; count];
    for (piece, &region) in region_of.iter().enumerate() {
        areas[region as usize] = pieces.areas[piece];
    }
    for r in &mut runs {
        r.left = region_of[r.left as usize];
        if r.right != NO_REGION {
            r.right = region_of[r.right as usize];
        }
    }
    runs.retain(|r| r.left != r.right || r.run.step);
    let mut samples: Vec<Vec<RegionSample>> = vec![Vec::new(); count];
    let mut first_part = 0;
    for (tile, first) in tiles.into_iter().zip(firsts) {
        for s in tile.samples {
            let region = region_of[pieces.number_of[(s.piece + first) as usize] as usize];
            let part = if s.part == NO_PART { NO_PART } else { first_part + s.part };
            samples[region as usize].push(RegionSample { y: s.y, x: s.x, height: s.height, part });
        }
        first_part += tile.parts;
    }
    for of_region in &mut samples {
        of_region.sort_unstable();
    }
    MergedRegions { areas, runs, samples }
}
