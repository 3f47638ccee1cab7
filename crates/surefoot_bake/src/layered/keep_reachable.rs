//! Keeps the layers that can be reached from the seeds.
//!
//! Goes in: floors and their layers. Comes out: the same without layers that no seed reaches, from
//! layer to layer where floors of the two lie beside each other (Oliva 2012, §6.2.2.2). Without seeds
//! all stay. Voxels know only what may be connected; what really is, is asked once more of the finished
//! ground.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::model::layers::Layers;
use crate::layered::model::scales::Scales;
use glam::DVec3;
use surefoot_geom::DisjointSets;
use surefoot_geom::Frame;
use surefoot_geom::lattice::LATTICE_PER_M;

/// How many columns apart floors may lie to count as beside each other.
const REACH_COLUMNS: i64 = 2;

pub(crate) fn keep_reachable(
    mut layers: Layers,
    seeds: &[[f64; 3]],
    frame: &Frame,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<Layers, BakeError> {
    let found: Vec<u32> =
        seeds.iter().filter_map(|&seed| floor_at(&layers, seed, frame, scales)).collect();
    // Where no seed lies on ground, the last stage says so.
    if !found.is_empty() {
        let mut sets = join_beside(&layers, scales);
        let kept: Vec<u32> =
            found.iter().map(|&f| sets.find(layers.layer_of[f as usize])).collect();
        let keep: Vec<bool> = (0..layers.count).map(|l| kept.contains(&sets.find(l))).collect();
        retain(&mut layers, &keep);
    }
    context.count("layers", layers.count as usize);
    context.count("floors", layers.columns.len());
    Ok(layers)
}

/// The columns within reach of a column, and itself.
fn columns_around(column: u32, scales: &Scales) -> impl Iterator<Item = u32> {
    let [x, y] = scales.place(column).map(i64::from);
    let (width, depth) = (i64::from(scales.coarse.width), i64::from(scales.coarse.depth));
    let rows = (y - REACH_COLUMNS).max(0)..(y + REACH_COLUMNS + 1).min(depth);
    rows.flat_map(move |y| {
        let columns = (x - REACH_COLUMNS).max(0)..(x + REACH_COLUMNS + 1).min(width);
        columns.map(move |x| (y * width + x) as u32)
    })
}

/// The floor under or over a seed that is nearest in height, within the agent's height.
fn floor_at(layers: &Layers, seed: [f64; 3], frame: &Frame, scales: &Scales) -> Option<u32> {
    let at = DVec3::from(frame.canonical_from_user(seed)) * LATTICE_PER_M;
    let grid = &scales.coarse;
    let first = grid.first_column();
    let place = |v: f64, first: i64| (v / f64::from(grid.cell)).floor() - first as f64;
    let (x, y) = (place(at.x, first[0]), place(at.y, first[1]));
    let inside = |v: f64, count: u32| v >= 0.0 && v < f64::from(count);
    if !inside(x, grid.width) || !inside(y, grid.depth) || !(at.z.abs() < f64::from(i32::MAX)) {
        return None;
    }
    let column = y as u32 * grid.width + x as u32;
    let level = grid.level(at.z as i32);
    let most = (scales.height / i64::from(grid.cell_height)) as i32 + 1;
    let away = |f: u32| (layers.levels[f as usize][1] - level).abs();
    columns_around(column, scales)
        .flat_map(|c| layers.floors_of(c).map(move |f| (c != column, f)))
        .filter(|&(_, f)| away(f) <= most)
        .min_by_key(|&(aside, f)| (aside, away(f), f))
        .map(|(_, f)| f)
}

/// Layers of which floors lie beside each other, joined.
fn join_beside(layers: &Layers, scales: &Scales) -> DisjointSets {
    let mut sets = DisjointSets::new(layers.count as usize);
    for (f, &column) in layers.columns.iter().enumerate() {
        for beside in columns_around(column, scales) {
            if let Some(other) = layers.floor_near(beside, layers.levels[f][1], scales) {
                sets.join(layers.layer_of[f], layers.layer_of[other as usize]);
            }
        }
    }
    sets
}

fn retain(layers: &mut Layers, keep: &[bool]) {
    let mut numbers = vec![0; keep.len()];
    let mut count = 0;
    for (number, _) in numbers.iter_mut().zip(keep).filter(|(_, keep)| **keep) {
        *number = count;
        count += 1;
    }
    let mut kept = Layers {
        firsts: Vec::with_capacity(layers.firsts.len()),
        columns: Vec::new(),
        levels: Vec::new(),
        layer_of: Vec::new(),
        count,
    };
    for ends in layers.firsts.windows(2) {
        kept.firsts.push(kept.columns.len() as u32);
        for f in ends[0] as usize..ends[1] as usize {
            if keep[layers.layer_of[f] as usize] {
                kept.columns.push(layers.columns[f]);
                kept.levels.push(layers.levels[f]);
                kept.layer_of.push(numbers[layers.layer_of[f] as usize]);
            }
        }
    }
    kept.firsts.push(kept.columns.len() as u32);
    *layers = kept;
}
