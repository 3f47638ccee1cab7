//! Drops patches of ground that are too small or cannot be reached.
//!
//! Goes in: joined ground. Comes out: with seeds, the components that hold one; without, those of at
//! least the smallest area, fillers of gaps not counted. A component with a seed is never dropped for
//! its size.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::report::Warning;
use crate::surface::{WalkableSurface, lattice_from_plan};
use surefoot_mesh::{Agent, CellKind, EdgeClass, NO_EDGE};

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
    let mut keep: Vec<bool> = if seeds.is_empty() {
        let square = surefoot_geom::lattice::M_PER_LATTICE.powi(2) * 0.5;
        area2.iter().map(|&a| a as f64 * square >= min_area_m2).collect()
    } else {
        vec![false; count as usize]
    };
    for &seed in seeds {
        match face_under(&surface, seed, agent) {
            Some(face) => keep[component_of[face] as usize] = true,
            None => context.warn(Warning::SeedOffGround { seed }),
        }
    }
    context.count("dropped", keep.iter().filter(|k| !**k).count());
    context.count("components", keep.iter().filter(|k| **k).count());
    let keep_face: Vec<bool> = component_of.iter().map(|&c| keep[c as usize]).collect();
    retain_faces(&mut surface, &keep_face);
    debug_assert_eq!(surface.check_invariants(), Ok(()));
    context.observe(|| surface.view());
    Ok(surface)
}

/// Removes faces and renumbers twins; an edge whose neighbour goes becomes open.
pub(crate) fn retain_faces(surface: &mut WalkableSurface, keep: &[bool]) {
    let mut renumbered = Vec::new();
    let mut count = 0;
    for (face, &keep) in surface.faces.iter().zip(keep) {
        for _ in 0..face.edge_count() {
            renumbered.push(if keep { count } else { NO_EDGE });
            count += u32::from(keep);
        }
    }
    let mut flags = keep.iter();
    surface.faces.retain(|_| flags.next().copied().unwrap_or(true));
    for e in surface.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
        if e.twin != NO_EDGE {
            e.twin = renumbered[e.twin as usize];
            if e.twin == NO_EDGE {
                e.class = EdgeClass::Open;
            }
        }
    }
}

/// The face nearest in height under or over a point, within the agent's height.
fn face_under(surface: &WalkableSurface, seed: [f64; 3], agent: &Agent) -> Option<usize> {
    let at = surface.frame.canonical_from_user(seed);
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
