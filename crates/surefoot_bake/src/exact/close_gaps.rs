//! Closes modelling gaps: cracks in the ground up to the gap distance (Sanchez 2021, §2.5, after
//! Borodin, Novotni and Klein 2002).
//!
//! Goes in: joined ground. Comes out: the same ground, cracks contracted. Only edges that face an
//! edge of another face across the crack take part, so real boundaries keep every point. The source
//! contracts triangles in a half-edge mesh and must guard its topology; here whole polygons are
//! contracted in plan and paired afterwards, so there is no topology to break. Walls are thicker than
//! the gap distance, so that no gap is closed through one.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::LIMIT_SLACK_M;
use crate::exact::join_edges::set_twins;
use crate::exact::match_edges::{GroundEdge, Reach, collect_edges, match_within, pair_exact};
use crate::exact::snap::{SnapReach, contract_into_edges, contract_points};
use crate::surface::WalkableSurface;
use surefoot_geom::lattice::LATTICE_PER_M;
use surefoot_mesh::{Agent, NO_EDGE};

/// How much faces may overlap and still face each other, in lattice units: half a millimetre.
const OVERLAP_UNITS: f64 = 33.0;

/// Rounds of contraction; each may make room for the next.
const ROUNDS: usize = 4;

pub(crate) fn close_gaps(
    mut surface: WalkableSurface,
    agent: &Agent,
    gap_distance_m: f64,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let climb_m = agent.max_step_m + LIMIT_SLACK_M;
    let units = gap_distance_m * LATTICE_PER_M;
    if units < 1.0 {
        return Ok(surface);
    }
    let reach = SnapReach { units, climb_m };
    let mut contracted = 0;
    for _ in 0..ROUNDS {
        context.check_cancelled()?;
        let (edges, facing) = facing_edges(&surface, reach);
        let count = facing.iter().filter(|f| **f).count();
        if count == 0 {
            break;
        }
        contracted += count;
        let moved = contract_points(&mut surface.faces, &edges, &facing, reach);
        let (edges, facing) = if moved { facing_edges(&surface, reach) } else { (edges, facing) };
        let split = contract_into_edges(&mut surface.faces, &edges, &facing, reach);
        if !moved && !split {
            break;
        }
    }
    set_twins(&mut surface, climb_m);
    context.count("facing_edges", contracted);
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    context.observe(|| surface.view());
    Ok(surface)
}

/// All edges, and which of them face another across a crack.
fn facing_edges(surface: &WalkableSurface, reach: SnapReach) -> (Vec<GroundEdge>, Vec<bool>) {
    let edges = collect_edges(&surface.faces);
    let twins = pair_exact(&edges, reach.climb_m);
    let look = Reach { outwards: reach.units, inwards: OVERLAP_UNITS, climb_m: reach.climb_m };
    let matches = match_within(&edges, &twins, look);
    let mut facing: Vec<bool> = matches.iter().map(|m| !m.is_empty()).collect();
    // Facing is mutual: what is faced takes part, even where it does not look back by a hair.
    for m in matches.iter().flatten() {
        facing[m.other as usize] = true;
    }
    debug_assert!(twins.iter().zip(&facing).all(|(t, f)| *t == NO_EDGE || !f));
    (edges, facing)
}
