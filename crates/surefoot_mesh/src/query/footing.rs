//! What a query stands on: a mesh, and the ground of the agent that it asks for.

use super::query_mesh::QueryMesh;
use crate::clearance::Clearance;
use crate::mesh::NavMesh;
use std::sync::Arc;

/// A mesh that somebody else owns, or that is owned together with others.
#[derive(Clone, Debug)]
enum MeshRef<'m> {
    Borrowed(&'m NavMesh),
    Shared(Arc<NavMesh>),
}

/// A mesh and, for a wider agent than it was built for, the clearance that has its ground.
#[derive(Clone, Debug)]
pub(super) struct Footing<'m> {
    mesh: MeshRef<'m>,
    clearance: Option<Arc<Clearance>>,
}

impl<'m> Footing<'m> {
    pub(super) fn borrowed(mesh: &'m NavMesh) -> Self {
        Self { mesh: MeshRef::Borrowed(mesh), clearance: None }
    }

    pub(super) fn shared(mesh: Arc<NavMesh>) -> Self {
        Self { mesh: MeshRef::Shared(mesh), clearance: None }
    }

    #[inline]
    pub(super) fn mesh(&self) -> &NavMesh {
        match &self.mesh {
            MeshRef::Borrowed(mesh) => mesh,
            MeshRef::Shared(mesh) => mesh,
        }
    }

    pub(super) fn clearance(&self) -> Option<&Clearance> {
        self.clearance.as_deref()
    }

    /// Takes the ground of a clearance, which must be of this mesh.
    pub(super) fn set_clearance(&mut self, clearance: Arc<Clearance>) {
        self.clearance = Some(clearance);
    }

    /// The mesh as searches see it. They take it once, so that nothing in them depends on who owns
    /// the mesh.
    #[inline]
    pub(super) fn query_mesh(&self) -> QueryMesh<'_> {
        let mesh = self.mesh();
        QueryMesh { mesh, ground: self.clearance().map_or(&mesh.ground, |c| &c.ground) }
    }
}
