//! What can go wrong in a build.

use crate::diagnosis::GroundDiagnosis;
use crate::report::BakeReport;
use crate::settings::SettingsError;
use surefoot_geom::LatticeRangeError;
use surefoot_mesh::{BuildMethod, ValidateError};
use thiserror::Error;

/// Why a build gave no mesh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BakeError {
    /// A setting is out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The pipeline does not exist yet.
    #[error(
        "the {} method is not part of this version; set `method` to exact, voxel or layered", method.name()
    )]
    NotAvailable {
        /// Which.
        method: BuildMethod,
    },
    /// Nothing in the scene can be walked on.
    #[error("nothing in the scene can be walked on: {diagnosis}")]
    NoGround {
        /// What the scene's triangles are instead.
        diagnosis: Box<GroundDiagnosis>,
        /// What each stage did.
        report: Box<BakeReport>,
    },
    /// There is ground, but none that the agent fits on.
    #[error("the scene has ground, but none of it is wide, high and large enough: {diagnosis}")]
    NothingLeft {
        /// How much ground there is, and how far it got.
        diagnosis: Box<GroundDiagnosis>,
        /// What each stage did.
        report: Box<BakeReport>,
    },
    /// The scene is larger than the lattice.
    #[error(transparent)]
    OutOfReach(#[from] LatticeRangeError),
    /// The build was cancelled.
    #[error("the build was cancelled")]
    Cancelled,
    /// The mesh has more elements than its ids can count.
    #[error(
        "the mesh would have {count} {what}, more than ids of 32 bits can count; split the scene into tiles"
    )]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// The finished mesh is not sound: a defect of Surefoot.
    #[error("the finished mesh is not sound, which is a defect of Surefoot: {0}")]
    Unsound(#[from] ValidateError),
}
