//! The ground of a wider agent than the mesh was built for.
//!
//! In go a mesh and a radius; out comes the ground whose every point keeps the distance from all
//! walls, as convex pieces that all queries run on. A mesh for radius r, taken in by R - r, is the
//! mesh for R: taking in by discs adds up. So whether a wider agent passes is exact, and a shortest
//! path on this ground is the shortest for that agent.
//!
//! Four steps. `reach`: every wall blocks the strip before it and every corner the sector around
//! it, followed over the surface from cell to cell as far as straight lines lead, so that walls of
//! other storeys or behind other walls do not count. `carve`: every cell is cut along the borders
//! of what is blocked in it. `weld`: points that rounding has set apart become one. `join`: the
//! pieces are joined along the cuts and across the cells'
//! borders. This takes the place of the local clearance triangulation of Kallmann (2010, 2014),
//! whose clearances tell passability exactly but leave the shortest path to the corridor chosen.
//!
//! What lies nearer to walls than there can be room (`room`) is blocked without a look at them, so the
//! work and what comes of it are bounded by the mesh and not by the radius; `effort` counts it.
//!
//! The arc around a corner is a polygon outside it, by [`CHORD_ERROR_M`] at most. Towards every
//! wall that is near enough to leave no more room than the agent needs, one of its sides is exactly
//! at the distance, so the polygon closes no passage that the arc leaves open.

mod carve;
mod effort;
mod join;
mod reach;
mod room;
mod weld;

use crate::ground::Ground;
use crate::mesh::NavMesh;
use effort::{Effort, TooMuchWork};
use room::Room;
use thiserror::Error;

/// How far the path around a corner may swing out beyond the arc unless said otherwise, in metres.
pub const CHORD_ERROR_M: f64 = 0.001;

/// Differences of radius below this are none, in metres.
const SAME_RADIUS_M: f64 = 1e-9;

/// The ground of a mesh for a wider agent, to be shared between queries and threads.
#[derive(Clone, Debug)]
pub struct Clearance {
    pub(crate) ground: Ground,
    radius_m: f64,
    mesh_mark: (usize, usize, u64),
}

/// A radius that a mesh cannot answer for.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RadiusError {
    /// The radius is no length, or below that of the mesh.
    #[error(
        "a radius of {radius_m} m cannot be asked for: the mesh was built for {built_for_m} m, and \
         only wider agents find their way on it; build it for the narrowest agent"
    )]
    TooSmall {
        /// The radius asked for.
        radius_m: f64,
        /// The radius that the mesh was built for.
        built_for_m: f64,
    },
    /// The chord error is no length.
    #[error("a chord error of {chord_error_m} m is none; give a finite length above zero")]
    ChordError {
        /// The chord error asked for.
        chord_error_m: f64,
    },
    /// Very many walls lie within the radius of one another.
    #[error(
        "the ground for a radius of {radius_m} m takes more work than a mesh of this size may ask \
         for: too many walls see each other within it; ask for a smaller radius, or build the mesh \
         for this one"
    )]
    TooCrowded {
        /// The radius asked for.
        radius_m: f64,
    },
    /// The clearance was made for another mesh.
    #[error("this clearance was made for another mesh")]
    OtherMesh,
}

impl Clearance {
    /// The ground of a mesh for an agent of this radius, in metres, not less than the one that the
    /// mesh was built for. Takes time and memory in proportion to the mesh, whatever the radius: one for
    /// which there is no room anywhere leaves no ground.
    pub fn new(mesh: &NavMesh, radius_m: f64) -> Result<Self, RadiusError> {
        Self::with_chord_error(mesh, radius_m, CHORD_ERROR_M)
    }

    /// The same with another chord error, in metres: how far a path may swing out beyond the arc
    /// around a corner. Smaller ones make more pieces. Typical: 0.001; from 0.0001 to 0.01. A whole
    /// circle never has more than 512 sides, so around a radius of 53 m and more the error is a 53,000th
    /// of the radius.
    pub fn with_chord_error(
        mesh: &NavMesh,
        radius_m: f64,
        chord_error_m: f64,
    ) -> Result<Self, RadiusError> {
        let built_for_m = mesh.agent().radius_m;
        let distance_m = radius_m - built_for_m;
        // Written so that NaN fails.
        if !(distance_m >= -SAME_RADIUS_M && radius_m.is_finite()) {
            return Err(RadiusError::TooSmall { radius_m, built_for_m });
        }
        if !(chord_error_m > 0.0 && chord_error_m.is_finite()) {
            return Err(RadiusError::ChordError { chord_error_m });
        }
        let ground = if distance_m <= SAME_RADIUS_M {
            mesh.ground.clone()
        } else {
            take_in(mesh, distance_m, chord_error_m)
                .map_err(|TooMuchWork| RadiusError::TooCrowded { radius_m })?
        };
        Ok(Self { ground, radius_m, mesh_mark: mark(mesh) })
    }

    /// The radius that it is for, in metres.
    #[must_use]
    pub fn radius_m(&self) -> f64 {
        self.radius_m
    }

    /// The area in plan on which the agent's centre can be, in square metres.
    #[must_use]
    pub fn area_m2(&self) -> f64 {
        let p = &self.ground.pieces;
        (0..p.piece_count() as u32).map(|piece| p.area(piece)).sum()
    }

    /// Number of convex pieces that the ground is made of.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.ground.pieces.piece_count()
    }

    /// Whether it was made for this mesh.
    pub(crate) fn check_mesh(&self, mesh: &NavMesh) -> Result<(), RadiusError> {
        if self.mesh_mark == mark(mesh) { Ok(()) } else { Err(RadiusError::OtherMesh) }
    }
}

/// The ground that is left beyond a distance from all walls.
fn take_in(mesh: &NavMesh, distance_m: f64, chord_error_m: f64) -> Result<Ground, TooMuchWork> {
    let pieces = &mesh.ground.pieces;
    let mut effort = Effort::for_edges(pieces.edges.len());
    let reach_m = 2.0 * (distance_m + chord_error_m);
    let room = Room::find(pieces, reach_m);
    let obstacles = reach::find_obstacles(pieces, &room, distance_m, chord_error_m, &mut effort)?;
    let is_shut = |piece| room.is_shut(piece, distance_m);
    let mut carved = carve::carve(pieces, &obstacles, is_shut, &mut effort)?;
    weld::weld(&mut carved, &mut effort)?;
    Ok(Ground::new(join::join(mesh, distance_m, carved, &mut effort)?))
}

/// What tells meshes apart well enough to catch a mistake.
fn mark(mesh: &NavMesh) -> (usize, usize, u64) {
    (mesh.cell_count(), mesh.ground.pieces.edges.len(), mesh.area_m2().to_bits())
}
