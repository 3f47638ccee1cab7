//! Which triangles get an area type.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Gives an area type to triangles whose tag matches; as text `water=*lake*`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AreaRule {
    /// The area type's name, for example `water`.
    pub area: String,
    /// What to look for in a tag: letters match without regard to case, `*` matches anything; the
    /// pattern is tried on the whole tag and on each of its parts between slashes.
    #[cfg_attr(feature = "serde", serde(rename = "pattern"))]
    pub tag_pattern: String,
}

impl fmt::Display for AreaRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.area, self.tag_pattern)
    }
}

impl FromStr for AreaRule {
    type Err = AreaRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((area, pattern)) if !area.trim().is_empty() && !pattern.is_empty() => {
                Ok(Self { area: area.trim().to_owned(), tag_pattern: pattern.to_owned() })
            }
            _ => Err(AreaRuleError),
        }
    }
}

/// A text that is no [`AreaRule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("give NAME=PATTERN, for example water=*lake*")]
pub struct AreaRuleError;
