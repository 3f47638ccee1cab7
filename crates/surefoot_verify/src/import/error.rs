//! Why a mesh of another tool cannot be judged.

use surefoot_geom::{FrameError, LatticeRangeError};
use surefoot_mesh::AgentError;
use thiserror::Error;

/// Why a file cannot be taken as a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There is no polygon in it.
    #[error("it holds no polygon with an area seen from above; check which way is up")]
    Empty,
    /// The up direction is none.
    #[error(transparent)]
    Up(#[from] FrameError),
    /// A point is too far away.
    #[error(transparent)]
    Range(#[from] LatticeRangeError),
    /// The agent cannot be.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A file is not what it says.
    #[error("it is damaged or no such mesh: {what}; write it anew")]
    Damaged {
        /// What is wrong with it.
        what: &'static str,
    },
    /// A file of JSON cannot be read as a mesh.
    #[error("it is no mesh of navcat: {error}")]
    Json {
        /// What is wrong with it.
        error: String,
    },
}
