//! Walks over what lies between ground and ground within a step: leaning risers, the gaps of open
//! stairs, and cracks.
//!
//! Goes in: fine depth maps in which surfaces too steep to walk on are marked. Comes out: the same, with
//! those kept that lead straight from ground below to ground above within one step, all over their
//! triangle; with pixels laid across gaps between treads, measured straight across the upper tread's
//! edge, and over cracks no wider than the gap distance; and without what another layer found too. The
//! rules are those of the voxel and of the exact pipeline; the source (Oliva 2012) takes whatever has a
//! similar depth as ground.

mod bridge_steps;
mod close_gaps;
mod drop_doubled;
mod find_ends;
mod keep_risers;
mod lay;
mod narrow_treads;

use self::bridge_steps::bridge_steps;
use self::close_gaps::close_gaps;
use self::drop_doubled::drop_doubled;
use self::find_ends::find_ends;
use self::keep_risers::keep_risers;
use self::lay::lay;
use self::narrow_treads::find_narrow_treads;
use crate::context::StageContext;
use crate::error::BakeError;
use crate::layered::model::fine_map::{FineMap, FinePlace, NO_HEIGHT};
use crate::layered::model::scales::Scales;
use crate::layered::model::slices::Slices;
use crate::layered::model::terrain::Terrain;
use crate::surface::Plane;
use surefoot_geom::LatticePoint;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_mesh::CellKind;

pub(crate) fn walk_over(
    mut map: FineMap,
    slices: &Slices,
    scales: &Scales,
    context: &mut StageContext<'_>,
) -> Result<FineMap, BakeError> {
    let risers = keep_risers(&mut map, slices, scales);
    context.check_cancelled()?;
    let doubled = drop_doubled(&mut map, scales);
    let ends = find_ends(&map, scales);
    let treads = find_narrow_treads(&ends, Terrain { map: &map, slices, scales });
    let treads = lay(&mut map, treads);
    let bridges = bridge_steps(&ends, Terrain { map: &map, slices, scales });
    let bridges = lay(&mut map, bridges);
    let gaps = close_gaps(&ends, Terrain { map: &map, slices, scales });
    let gaps = lay(&mut map, gaps);
    // What lies under a bridge is no ground.
    let under = if treads + bridges + gaps > 0 { drop_doubled(&mut map, scales) } else { 0 };
    context.count("risers", risers);
    context.count("narrow_treads", treads);
    context.count("bridges", bridges);
    context.count("gaps", gaps);
    context.count("doubled_pixels", doubled + under);
    context.count("ground_pixels", map.heights.iter().filter(|h| **h != NO_HEIGHT).count());
    Ok(map)
}

/// What the ground is made of in a triangle of a plane: what was laid across gaps is ramp. A triangle that
/// is too steep for ground is its flank if any of it lies on what was laid.
pub(crate) fn kind_of(
    map: &FineMap,
    corners: [LatticePoint; 3],
    plane: &Plane,
    steepest: f64,
    scales: &Scales,
) -> CellKind {
    if map.bridges.is_empty() {
        return CellKind::Ground;
    }
    // Corners lie on the border to what is beside the triangle; these points on the triangle itself.
    let weighted = |weights: [i64; 3]| {
        let sum: i64 = weights.iter().sum();
        let mean = |of: fn(LatticePoint) -> i32| {
            (0..3).map(|k| weights[k] * i64::from(of(corners[k]))).sum::<i64>() / sum
        };
        LatticePoint::new(mean(|p| p.x) as i32, mean(|p| p.y) as i32)
    };
    let is_laid = |weights| {
        let at = weighted(weights);
        is_ramp_at(map, at, plane.height_at(at) * LATTICE_PER_M, scales)
    };
    let is_flank = || [[4, 1, 1], [1, 4, 1], [1, 1, 4]].into_iter().any(is_laid);
    if is_laid([1, 1, 1]) || plane.slope().length() > steepest && is_flank() {
        CellKind::Ramp
    } else {
        CellKind::Ground
    }
}

/// Whether ramp was laid at a place and a height, in lattice units.
fn is_ramp_at(map: &FineMap, at: LatticePoint, height: f64, scales: &Scales) -> bool {
    let first = scales.coarse.first_column();
    let cell = i64::from(scales.coarse.cell);
    let place =
        |v: i32, first: i64| (i64::from(v) - first * cell).div_euclid(i64::from(scales.fine));
    let nearest = map
        .pixels_at(FinePlace { y: place(at.y, first[1]), x: place(at.x, first[0]) }, scales)
        .filter(|&p| map.has_ground(p))
        .min_by_key(|&p| (f64::from(map.heights[p as usize]) - height).abs() as i64);
    nearest.and_then(|p| map.bridge(p)).is_some_and(|bridge| bridge.is_ramp)
}
