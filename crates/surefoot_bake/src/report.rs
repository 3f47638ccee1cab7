//! How a build went.

use std::fmt;

/// What every stage did, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakeReport {
    /// The pipeline's name.
    pub method: &'static str,
    /// The stages in order.
    pub stages: Vec<StageReport>,
    /// Triangles in the input.
    pub input_triangles: u64,
    /// Triangles that carry no surface.
    pub ignored_triangles: u64,
    /// Damage that was repaired, and what could not be done.
    pub warnings: Vec<Warning>,
}

/// One stage's line.
#[derive(Clone, Debug, PartialEq)]
pub struct StageReport {
    /// The stage's name.
    pub name: &'static str,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// What it counted.
    pub counts: Vec<(&'static str, f64)>,
}

/// Something a person should know about a build that succeeded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A face of the ground could not be worked on and is missing from the mesh.
    FaceLost {
        /// Which face.
        face: u32,
        /// Where it lies, in the user's frame.
        at: [f64; 3],
        /// In which stage.
        stage: &'static str,
    },
    /// A face of the ground came out of a stage with an area that it cannot have.
    FaceDamaged {
        /// Which face.
        face: u32,
        /// Where it lies, in the user's frame.
        at: [f64; 3],
        /// In which stage.
        stage: &'static str,
    },
    /// A seed lies on no ground.
    SeedOffGround {
        /// The seed, in the user's frame.
        seed: [f64; 3],
    },
    /// An area rule matches no triangle's tag.
    AreaRuleUnused {
        /// The rule's pattern.
        pattern: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FaceLost { face, at, stage } => write!(
                f,
                "face {face} near ({:.3}, {:.3}, {:.3}) was lost in stage {stage}",
                at[0], at[1], at[2]
            ),
            Self::FaceDamaged { face, at, stage } => write!(
                f,
                "face {face} near ({:.3}, {:.3}, {:.3}) came out of stage {stage} larger or smaller \
                 than it can be; look at the mesh there",
                at[0], at[1], at[2]
            ),
            Self::SeedOffGround { seed } => write!(
                f,
                "the seed ({}, {}, {}) lies on no ground and keeps nothing",
                seed[0], seed[1], seed[2]
            ),
            Self::AreaRuleUnused { pattern } => {
                write!(f, "no triangle's tag matches the area pattern `{pattern}`")
            }
        }
    }
}
