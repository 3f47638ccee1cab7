//! What a surface promises, checked.

use crate::ids::SurfaceEdgeId;
use crate::surface::walkable_surface::WalkableSurface;
use surefoot_geom::LatticePoint;
use surefoot_geom::polygon::{Contour, contour_area2};

impl WalkableSurface {
    /// Says which promise is broken, if one is: loops of three points or more that turn the right
    /// way, and twins that are each other's, in plan the same segment and in different faces.
    pub(crate) fn check_invariants(&self) -> Result<(), String> {
        let mut all: Vec<(LatticePoint, LatticePoint, Option<SurfaceEdgeId>, usize)> = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            for (l, edges) in face.loops.iter().enumerate() {
                let contour: Contour = edges.iter().map(|e| e.from).collect();
                let area2 = contour_area2(&contour);
                if contour.len() < 3 || (l == 0) != (area2 > 0) {
                    return Err(format!(
                        "face {f}, loop {l}: {} points, area {area2}",
                        contour.len()
                    ));
                }
            }
            for (e, end) in face.edges() {
                if e.from == end {
                    return Err(format!("face {f} has an edge without length at {end:?}"));
                }
                all.push((e.from, end, e.twin, f));
            }
        }
        for (i, &(from, end, twin, face)) in all.iter().enumerate() {
            let Some(twin) = twin else { continue };
            let number = twin.number();
            let Some(&(other_from, other_end, back, other_face)) = all.get(twin.index()) else {
                return Err(format!("edge {i} of face {face} names edge {number}, which is none"));
            };
            if back.is_none_or(|b| b.index() != i)
                || other_face == face
                || (other_from, other_end) != (end, from)
            {
                return Err(format!("edge {i} of face {face} and its twin {number} do not agree"));
            }
        }
        Ok(())
    }
}
