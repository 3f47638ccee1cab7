//! Who walks: a cylinder with limits.

/// The agent that a mesh is built for: an upright cylinder that climbs slopes and steps.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        Self {
            height_m: 1.8,
            radius_m: 0.3,
            max_slope_rad: 45.0_f64.to_radians(),
            max_step_m: 0.4,
        }
    }
}
