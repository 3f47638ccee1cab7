//! What can be wrong with settings.

use surefoot_geom::FrameError;
use thiserror::Error;

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no such setting.
    #[error("there is no setting `{key}`; the nearest is `{nearest}`")]
    Unknown {
        /// The name given.
        key: String,
        /// The name most like it.
        nearest: &'static str,
    },
    /// A value is of another kind.
    #[error("{text} is no value of `{key}`; give {wanted}")]
    Value {
        /// The setting.
        key: &'static str,
        /// The value given.
        text: String,
        /// What it takes.
        wanted: String,
    },
    /// A number is not in its range.
    #[error("`{key}` is {value}, but must be {range}; the default is {default}")]
    OutOfRange {
        /// The setting.
        key: &'static str,
        /// Its value, in the setting's unit.
        value: f64,
        /// What it may be.
        range: String,
        /// What it is when nobody says.
        default: f64,
    },
    /// A number does not go with another setting.
    #[error("`{key}` is {value}, but must be {range}; {advice}")]
    DoesNotGoWith {
        /// The setting.
        key: &'static str,
        /// Its value, in the setting's unit.
        value: f64,
        /// What it may be beside the other.
        range: String,
        /// What to do.
        advice: &'static str,
    },
    /// The up direction is none.
    #[error(transparent)]
    Up(#[from] FrameError),
    /// A seed is not finite.
    #[error("the seed ({}, {}, {}) is not finite; give three plain numbers", seed[0], seed[1], seed[2])]
    Seed {
        /// The seed.
        seed: [f64; 3],
    },
    /// A pattern of tags that matches nothing or that a file cannot hold.
    #[error("the pattern {pattern:?} is empty or not one line; give one such as `*glass*`")]
    TagPattern {
        /// The pattern.
        pattern: String,
    },
    /// More area types than ids.
    #[error("{count} area types are more than the 65,535 that a mesh can hold")]
    TooManyAreas {
        /// How many.
        count: usize,
    },
}
