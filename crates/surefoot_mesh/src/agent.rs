//! Who walks: a cylinder with limits.

use thiserror::Error;

/// The agent that a mesh is built for: an upright cylinder that climbs slopes and steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Agent {
    /// Head room that the agent needs, in metres. Typical: 1.8 for a person. Above zero.
    pub height_m: f64,
    /// Half the agent's width, in metres; the mesh keeps this distance from walls and ledges.
    /// Typical: 0.3. Zero keeps the full ground.
    pub radius_m: f64,
    /// The steepest ground that it walks on, in radians from the horizontal. Typical: 45°.
    pub max_slope_rad: f64,
    /// The highest step that it climbs, in metres. Typical: 0.4. Below the height.
    pub max_step_m: f64,
}

impl Default for Agent {
    fn default() -> Self {
        Self { height_m: 1.8, radius_m: 0.3, max_slope_rad: 45.0_f64.to_radians(), max_step_m: 0.4 }
    }
}

/// An agent that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The height is not a length above zero.
    #[error("the agent's height of {height_m} m is no height; give a finite length above zero")]
    Height {
        /// The height given.
        height_m: f64,
    },
    /// The radius is not a length.
    #[error("the agent's radius of {radius_m} m is no radius; give zero or a finite length above")]
    Radius {
        /// The radius given.
        radius_m: f64,
    },
    /// The slope is not between the horizontal and the vertical.
    #[error(
        "the agent's slope of {max_slope_rad} rad is out of range; give at least 0 and less than \
         1.5707 (a quarter turn)"
    )]
    Slope {
        /// The slope given.
        max_slope_rad: f64,
    },
    /// The step is not a height below the agent's own.
    #[error(
        "the agent's step of {max_step_m} m is out of range; give at least 0 and less than its \
         height of {height_m} m"
    )]
    Step {
        /// The step given.
        max_step_m: f64,
        /// The agent's height.
        height_m: f64,
    },
}

impl Agent {
    /// Says what is wrong with the agent, if anything is.
    pub fn check(&self) -> Result<(), AgentError> {
        // Every comparison is written so that NaN fails it.
        let Self { height_m, radius_m, max_slope_rad, max_step_m } = *self;
        if !(height_m > 0.0 && height_m.is_finite()) {
            return Err(AgentError::Height { height_m });
        }
        if !(radius_m >= 0.0 && radius_m.is_finite()) {
            return Err(AgentError::Radius { radius_m });
        }
        if !(0.0..std::f64::consts::FRAC_PI_2).contains(&max_slope_rad) {
            return Err(AgentError::Slope { max_slope_rad });
        }
        if !(0.0..height_m).contains(&max_step_m) {
            return Err(AgentError::Step { max_step_m, height_m });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_agent_is_sound_and_each_limit_is_checked() {
        let sound = Agent::default();
        assert_eq!(sound.check(), Ok(()));
        assert_eq!(
            Agent { radius_m: 0.0, max_step_m: 0.0, max_slope_rad: 0.0, ..sound }.check(),
            Ok(())
        );
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                Agent { height_m: bad, ..sound }.check(),
                Err(AgentError::Height { .. })
            ));
        }
        for bad in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                Agent { radius_m: bad, ..sound }.check(),
                Err(AgentError::Radius { .. })
            ));
        }
        for bad in [-0.1, 1.58, f64::NAN] {
            assert!(matches!(
                Agent { max_slope_rad: bad, ..sound }.check(),
                Err(AgentError::Slope { .. })
            ));
        }
        for bad in [-0.1, 1.8, f64::NAN] {
            assert!(matches!(
                Agent { max_step_m: bad, ..sound }.check(),
                Err(AgentError::Step { .. })
            ));
        }
    }
}
