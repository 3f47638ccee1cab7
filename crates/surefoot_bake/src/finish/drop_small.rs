//! Drops patches of ground that are too small or cannot be reached.
//!
//! Goes in: joined ground. Comes out: with seeds, the components that hold one; without, those of at
//! least the smallest area, fillers of gaps not counted. A component with a seed is never dropped for
//! its size.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::report::Warning;
use crate::surface::{WalkableSurface, lattice_from_plan};
use glam::DVec3;
use surefoot_mesh::{Agent, CellKind};

pub(crate) fn drop_small(
    mut surface: WalkableSurface,
    min_area_m2: f64,
    seeds: &[[f64; 3]],
    agent: &Agent,
    context: &mut StageContext<'_>,
) -> Result<WalkableSurface, BakeError> {
    let (component_of, count) = surface.components();
    let mut area2 = vec![0_i128; count as usize];
    for (face, &c) in surface.faces.iter().zip(&component_of) {
        // What is stepped over is no ground.
        if face.kind != CellKind::Gap {
            area2[c as usize] += face.area2();
        }
    }
    let square = surefoot_geom::lattice::M_PER_LATTICE.powi(2) * 0.5;
    let in_m2 = |area2: i128| area2 as f64 * square;
    let mut keep: Vec<bool> = if seeds.is_empty() {
        area2.iter().map(|&a| in_m2(a) >= min_area_m2).collect()
    } else {
        vec![false; count as usize]
    };
    for &seed in seeds {
        match face_under(&surface, seed, agent) {
            Some(face) => keep[component_of[face] as usize] = true,
            None => context.warn(Warning::SeedOffGround { seed }),
        }
    }
    if count > 0 && !keep.contains(&true) {
        context.all_dropped(area2.iter().max().map_or(0.0, |&a| in_m2(a)));
    }
    context.count("dropped", keep.iter().filter(|k| !**k).count());
    context.count("components", keep.iter().filter(|k| **k).count());
    let keep_face: Vec<bool> = component_of.iter().map(|&c| keep[c as usize]).collect();
    surface.retain_faces(&keep_face);
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    Ok(surface)
}

/// The face nearest in height under or over a point, within the agent's height.
fn face_under(surface: &WalkableSurface, seed: [f64; 3], agent: &Agent) -> Option<usize> {
    let at = DVec3::from(surface.frame.canonical_from_user(seed));
    let p = lattice_from_plan(at.truncate());
    let mut best: Option<(f64, usize)> = None;
    for (f, face) in surface.faces.iter().enumerate() {
        let away = (face.plane.height_at_m(at.truncate()) - at.z).abs();
        if away <= agent.height_m && best.is_none_or(|b| away < b.0) && face.contains(p) {
            best = Some((away, f));
        }
    }
    best.map(|b| b.1)
}
