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
    /// Far more faces down than up, as where winding was not heeded.
    MostFacesDown {
        /// What faces up and could be walked on, in plan, in m².
        up_m2: f64,
        /// What faces down and could be walked on if it were turned over, in plan, in m².
        down_m2: f64,
    },
    /// Much of the ground lies closely under surfaces facing down.
    UnderHulls(GroundUnderHulls),
    /// A pattern matches no triangle's tag.
    TagPatternUnused {
        /// The pattern.
        pattern: String,
    },
}

/// Ground that lies a few centimetres under surfaces facing down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroundUnderHulls {
    /// The share of the ground.
    pub share: f64,
    /// How far above it they lie at most, in metres.
    pub within_m: f64,
    /// The tags of what lies above it, the most frequent first; not all where there are many.
    pub tags: Vec<String>,
}

impl fmt::Display for GroundUnderHulls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.0} % of the ground lies less than {:.0} cm under surfaces that face down, as under outline \
             hulls and doubled shells; ",
            100.0 * self.share,
            100.0 * self.within_m
        )?;
        if self.tags.is_empty() {
            return write!(f, "give them a tag in the file and leave it out with `ignore`");
        }
        write!(f, "leave them out with `ignore`; they have the tags {}", self.tags.join(", "))
    }
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
            Self::MostFacesDown { up_m2, down_m2 } => write!(
                f,
                "{down_m2:.1} m² of triangles face down that would be ground if they were turned over, \
                 beside {up_m2:.1} m² that face up; if their winding was not heeded, `two_sided` takes \
                 all {:.1} m² for ground",
                up_m2 + down_m2
            ),
            Self::UnderHulls(hulls) => hulls.fmt(f),
            Self::TagPatternUnused { pattern } => {
                write!(f, "no triangle's tag matches the pattern `{pattern}`")
            }
        }
    }
}
