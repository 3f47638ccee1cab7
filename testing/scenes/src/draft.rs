//! A scene before and after its variant, and what can be wrong with asking for one.

use surefoot_scene::Scene;
use thiserror::Error;

use crate::soup::Soup;
use crate::truth::Truth;
use crate::variant::{self, MAX_SHATTER, Variant};

/// A scene in its clean state: what every scene's own file makes from a size and a seed.
pub(crate) struct Draft {
    pub(crate) soup: Soup,
    pub(crate) truth: Truth,
}

/// Triangles, and what is known about them.
#[derive(Clone, Debug)]
pub struct ProceduralScene {
    /// The triangles, in metres, +Y up.
    pub scene: Scene,
    /// The answers known in closed form, turned with the scene. Jitter and dirt leave them as they
    /// are: an answer that noise of half a millimetre can change is none.
    pub truth: Truth,
}

/// A scene that cannot be built as asked.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneNameError {
    /// No scene has this name.
    #[error("there is no scene `{name}`; {}", hint(near))]
    NoSuchScene {
        /// The name asked for.
        name: String,
        /// Names that are spelled alike, the nearest first.
        near: Vec<&'static str>,
    },
    /// The scene exists, but not in this size.
    #[error("scene `{name}` has no size {size}; give one from {min} to {max}")]
    SizeOutOfRange {
        /// The scene.
        name: &'static str,
        /// The size asked for.
        size: u32,
        /// The smallest.
        min: u32,
        /// The largest.
        max: u32,
    },
    /// The variant asks for what cannot be done.
    #[error("{field} is {value}; {advice}")]
    BadVariant {
        /// Which field of the variant.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What to give instead.
        advice: &'static str,
    },
}

fn hint(near: &[&'static str]) -> String {
    if near.is_empty() {
        "`surefoot scene --list` names them all".to_owned()
    } else {
        format!("did you mean {}?", near.join(", "))
    }
}

/// A variant's numbers in range.
pub(crate) fn check(variant: &Variant) -> Result<(), SceneNameError> {
    let bad = |field, value, advice| Err(SceneNameError::BadVariant { field, value, advice });
    if !variant.rotate_deg.is_finite() {
        return bad("rotate_deg", variant.rotate_deg, "give an angle in degrees");
    }
    if !(variant.jitter_m >= 0.0 && variant.jitter_m <= 1.0) {
        return bad("jitter_m", variant.jitter_m, "give a distance from 0 to 1 m");
    }
    if variant.shatter > MAX_SHATTER {
        return bad("shatter", f64::from(variant.shatter), "give at most 8 levels");
    }
    Ok(())
}

/// A draft in its variant.
pub(crate) fn finish(draft: Draft, variant: &Variant) -> ProceduralScene {
    let truth = if variant.rotate_deg.to_bits() << 1 == 0 {
        draft.truth
    } else {
        draft.truth.turned(variant.rotate_deg)
    };
    ProceduralScene { scene: variant::apply(draft.soup, variant), truth }
}
