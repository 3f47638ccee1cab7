//! Walkable ground: faces over one frame.

use crate::ids::SurfaceEdgeId;
use crate::surface::face::Face;
use surefoot_geom::DisjointSets;
use surefoot_geom::Frame;
use surefoot_mesh::EdgeClass;

/// Walkable ground over one frame.
#[derive(Clone, Debug)]
pub(crate) struct WalkableSurface {
    /// Between the user's frame and the surface's.
    pub(crate) frame: Frame,
    /// The faces. Edges are counted through all faces and loops in order.
    pub(crate) faces: Vec<Face>,
    /// The names of the area types.
    pub(crate) area_names: Vec<String>,
}

impl WalkableSurface {
    /// The first edge of each face, and one past the last at the end.
    #[must_use]
    pub(crate) fn first_edges(&self) -> Vec<u32> {
        let mut firsts = Vec::with_capacity(self.faces.len() + 1);
        let mut count = 0;
        firsts.push(0);
        for face in &self.faces {
            count += face.edge_count() as u32;
            firsts.push(count);
        }
        firsts
    }

    /// The connected component of every face and how many there are; components are numbered by
    /// their first face.
    #[must_use]
    pub(crate) fn components(&self) -> (Vec<u32>, u32) {
        let firsts = self.first_edges();
        let face_of =
            |edge: SurfaceEdgeId| firsts.partition_point(|&f| f <= edge.number()) as u32 - 1;
        let mut sets = DisjointSets::new(self.faces.len());
        let mut edge = 0;
        for (f, face) in self.faces.iter().enumerate() {
            for e in face.loops.iter().flatten() {
                if let Some(twin) = e.twin.filter(|t| t.number() > edge) {
                    sets.join(f as u32, face_of(twin));
                }
                edge += 1;
            }
        }
        sets.number()
    }

    /// Removes faces and renumbers twins; an edge whose neighbour goes becomes open.
    pub(crate) fn retain_faces(&mut self, keep: &[bool]) {
        let mut renumbered = Vec::new();
        let mut count = 0;
        for (face, &keep) in self.faces.iter().zip(keep) {
            for _ in 0..face.edge_count() {
                renumbered.push(keep.then_some(SurfaceEdgeId::new(count)));
                count += u32::from(keep);
            }
        }
        let mut flags = keep.iter();
        self.faces.retain(|_| flags.next().copied().unwrap_or(true));
        for e in self.faces.iter_mut().flat_map(|f| f.loops.iter_mut().flatten()) {
            if let Some(twin) = e.twin {
                e.twin = renumbered[twin.index()];
                if e.twin.is_none() {
                    e.class = EdgeClass::Open;
                    e.divides = false;
                }
            }
        }
    }
}
