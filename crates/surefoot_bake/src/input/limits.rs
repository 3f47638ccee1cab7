//! What noise is and how far a limit may be exceeded: the numbers that all pipelines share.

/// Heights closer than this are one height, in metres: what modelling noise and rounding leave
/// between surfaces that are meant to coincide.
pub(crate) const NOISE_M: f64 = 1e-3;

/// What a limit given by the agent is allowed to be exceeded by, in metres: a step or a door lintel
/// modelled at exactly the limit must pass after rounding.
pub(crate) const LIMIT_SLACK_M: f64 = 1e-4;

/// Surfaces nearer to each other than this touch, in lattice units: a millimetre.
pub(crate) const TOUCHING_UNITS: i32 = 64;

/// Allowed over the cosine of the slope limit, so that a slope of exactly the limit can be walked.
pub(crate) const SLOPE_SLACK: f64 = 1e-6;

/// Sine of the lean below which a triangle counts as upright: about one degree. Its shadow is then
/// narrower than walls are thick.
pub(crate) const VERTICAL_SINE: f64 = 0.02;

/// Sine of the lean below which what a triangle blocks is as good as a line: about 17 degrees.
pub(crate) const NEARLY_VERTICAL_SINE: f64 = 0.3;
