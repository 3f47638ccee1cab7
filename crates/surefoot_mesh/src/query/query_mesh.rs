//! The mesh as queries see it: with the ground of the agent that asks.

use crate::data::{Link, NavMeshData};
use crate::ground::Ground;
use crate::mesh::NavMesh;
use glam::DVec2;

/// A mesh and one of its grounds: that of the agent it was built for, or of a wider one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryMesh<'a> {
    pub(crate) mesh: &'a NavMesh,
    pub(crate) ground: &'a Ground,
}

impl std::ops::Deref for QueryMesh<'_> {
    type Target = Ground;

    #[inline]
    fn deref(&self) -> &Ground {
        self.ground
    }
}

impl<'a> QueryMesh<'a> {
    #[inline]
    pub(crate) fn data(self) -> &'a NavMeshData {
        self.mesh.data()
    }

    pub(crate) fn links(self) -> &'a [Link] {
        self.mesh.links()
    }

    pub(crate) fn cell_count(self) -> usize {
        self.mesh.cell_count()
    }

    #[inline]
    pub(crate) fn user_point(self, plan: DVec2, height_m: f64) -> [f64; 3] {
        self.mesh.user_point(plan, height_m)
    }
}
