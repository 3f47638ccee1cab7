//! Finds accessible floors and floods them, in order, into layers that do not lie over themselves.
//!
//! Goes in: columns of voxels. Comes out: the floors of every column (positive voxels over which the
//! agent may have room) and the layer of each. From below, every floor hands its layer to the floors
//! beside it unless their column has it already; layers that meet are merged where they do not overlap
//! (Oliva 2012, §6.2.2.2). A voxel counts as blocked only where whatever it holds would be in the way:
//! the fine map decides the rest.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::model::layers::Layers;
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::{Slices, Word};
use std::collections::BTreeSet;
use surefoot_geom::DisjointSets;

/// No layer yet.
const NO_LAYER: u32 = u32::MAX;

pub(crate) fn flood_layers(
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<Layers, BakeError> {
    let mut layers = find_floors(slices, scales);
    if layers.columns.len() >= NO_LAYER as usize {
        return Err(BakeError::TooLarge { what: "floors", count: layers.columns.len() });
    }
    context.check_cancelled()?;
    flood(&mut layers, scales);
    context.count("accessible_voxels", layers.columns.len());
    context.count("layers", layers.count as usize);
    Ok(layers)
}

/// Whether any voxel of a column from one level to another is filled.
fn filled_between(words: &[Word], from: i32, to: i32) -> bool {
    words.iter().any(|w| {
        let (lo, hi) = ((from - w.at * 64).max(0), (to - w.at * 64).min(63));
        lo <= hi && w.filled & ((u64::MAX >> (63 - hi)) & (u64::MAX << lo)) != 0
    })
}

fn find_floors(slices: &Slices, scales: &Scales) -> Layers {
    let level = i64::from(scales.coarse.cell_height);
    // What lies in a voxel from here to there above another is in the way wherever both lie in theirs.
    let from = (scales.step + level - 1).div_euclid(level) as i32 + 1;
    let to = (scales.height.div_euclid(level) as i32 - 1).max(from);
    let columns = slices.column_count();
    let mut layers = Layers {
        firsts: Vec::with_capacity(columns + 1),
        columns: Vec::new(),
        levels: Vec::new(),
        layer_of: Vec::new(),
        count: 0,
    };
    for column in 0..columns as u32 {
        let first = layers.columns.len();
        layers.firsts.push(first as u32);
        let words = slices.words.of(column);
        for word in words {
            let mut positive = word.positive;
            while positive != 0 {
                let k = word.at * 64 + positive.trailing_zeros() as i32;
                positive &= positive - 1;
                if filled_between(words, k + from, k + to) {
                    continue;
                }
                match layers.levels[first..].last_mut() {
                    Some(last) if k - last[1] < from => last[1] = k,
                    _ => {
                        layers.columns.push(column);
                        layers.levels.push([k, k]);
                    }
                }
            }
        }
    }
    layers.firsts.push(layers.columns.len() as u32);
    layers
}

/// Which layers lie over each other, while they are merged.
struct Overlaps {
    sets: DisjointSets,
    /// For the leader of each set, layers that it may not be merged with, as they were named then.
    with: Vec<BTreeSet<u32>>,
}

impl Overlaps {
    fn add(&mut self, a: u32, b: u32) {
        let (a, b) = (self.sets.find(a), self.sets.find(b));
        self.with[a as usize].insert(b);
        self.with[b as usize].insert(a);
    }

    /// Merges two layers where they do not overlap.
    fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.sets.find(a), self.sets.find(b));
        let by_size = self.with[a as usize].len() <= self.with[b as usize].len();
        let (few, other) = if by_size { (a, b) } else { (b, a) };
        let sets = &mut self.sets;
        if a == b || self.with[few as usize].iter().any(|&m| sets.find(m) == other) {
            return;
        }
        sets.join(a, b);
        let (lead, follow) = (a.min(b) as usize, a.max(b) as usize);
        let mut taken = std::mem::take(&mut self.with[follow]);
        if taken.len() > self.with[lead].len() {
            std::mem::swap(&mut taken, &mut self.with[lead]);
        }
        self.with[lead].extend(taken);
    }
}

fn flood(layers: &mut Layers, scales: &Scales) {
    let count = layers.columns.len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_key(|&f| layers.levels[f as usize][1]);
    let mut layer_of = vec![NO_LAYER; count];
    let mut overlaps = Overlaps { sets: DisjointSets::new(0), with: Vec::new() };
    let assign = |floor: u32, layer: u32, layer_of: &mut Vec<u32>, overlaps: &mut Overlaps| {
        layer_of[floor as usize] = layer;
        for other in layers.floors_of(layers.columns[floor as usize]) {
            if other != floor && layer_of[other as usize] != NO_LAYER {
                overlaps.add(layer, layer_of[other as usize]);
            }
        }
    };
    for floor in order {
        if layer_of[floor as usize] == NO_LAYER {
            let new = overlaps.sets.push();
            overlaps.with.push(BTreeSet::new());
            assign(floor, new, &mut layer_of, &mut overlaps);
        }
        let layer = layer_of[floor as usize];
        let level = layers.levels[floor as usize][1];
        for column in scales.columns_beside(layers.columns[floor as usize]).into_iter().flatten() {
            let Some(next) = layers.floor_near(column, level, scales) else { continue };
            if layer_of[next as usize] != NO_LAYER {
                overlaps.merge(layer, layer_of[next as usize]);
                continue;
            }
            let own = overlaps.sets.find(layer);
            let taken = layers.floors_of(column).any(|f| {
                let there = layer_of[f as usize];
                there != NO_LAYER && overlaps.sets.find(there) == own
            });
            if !taken {
                assign(next, layer, &mut layer_of, &mut overlaps);
            }
        }
    }
    let (numbers, count) = overlaps.sets.number();
    layers.layer_of = layer_of.into_iter().map(|l| numbers[l as usize]).collect();
    layers.count = count;
}
