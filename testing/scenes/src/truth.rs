//! What is known about a scene without building anything: the answers that tests compare with.

use crate::grid::sin_cos_deg;

/// The agent for which a scene's answers hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruthAgent {
    /// Head room, in metres.
    pub height_m: f64,
    /// Half the width, in metres.
    pub radius_m: f64,
    /// The steepest walkable ground, in degrees.
    pub max_slope_deg: f64,
    /// The highest step, in metres.
    pub max_step_m: f64,
}

impl Default for TruthAgent {
    fn default() -> Self {
        Self { height_m: 1.8, radius_m: 0.3, max_slope_deg: 45.0, max_step_m: 0.4 }
    }
}

/// Two places, and whether the agent can go from one to the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Where it starts: a point of the ground, inside the eroded mesh.
    pub from: [f64; 3],
    /// Where it wants to go: a point of the ground, inside the eroded mesh.
    pub to: [f64; 3],
    /// Whether it can.
    pub connected: bool,
    /// The answer holds for a build that fills gaps up to this distance; zero: no gap filling.
    pub gap_reach_m: f64,
    /// Length of the way where it is known: along the incline on stairs, and otherwise the length
    /// of the shortest path on the eroded ground.
    pub path_length_m: Option<f64>,
    /// What decides, in words: "door 0.61 m wide".
    pub what: String,
}

/// A line on which the free ground must end, before erosion by the radius.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthEdge {
    /// One end, on the ground.
    pub a: [f64; 3],
    /// The other end, on the ground.
    pub b: [f64; 3],
    /// The horizontal unit vector that points to the free side. The eroded mesh ends one radius
    /// further in this direction, at least between points one radius inside the two ends.
    pub free_side: [f64; 3],
    /// What ends the ground there, in words.
    pub what: String,
}

/// The answers that a scene carries. Everything is in the scene's own frame (metres, +Y up) and
/// turned with it.
///
/// Areas are measured in plan. "Ground" is what the agent can stand on as a point, by the
/// definition that the exact pipeline and the checker follow: the top of a wall is ground as well,
/// until erosion takes it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Truth {
    /// The agent for which all of this holds.
    pub agent: TruthAgent,
    /// All ground before erosion, where it is known in closed form.
    pub ground_area_m2: Option<f64>,
    /// All ground after erosion by the radius (walls and ledges), with true arcs around corners.
    pub eroded_area_m2: Option<f64>,
    /// Pairs of places and whether they are connected.
    pub pairs: Vec<Pair>,
    /// Points that are on the mesh, before and after erosion.
    pub free_points: Vec<[f64; 3]>,
    /// Points that are ground before erosion, but nearer than the radius to a wall or a ledge.
    pub eroded_points: Vec<[f64; 3]>,
    /// Points that are never on the mesh, even before erosion.
    pub blocked_points: Vec<[f64; 3]>,
    /// Lines on which the ground ends.
    pub edges: Vec<TruthEdge>,
}

impl Truth {
    /// Everything turned around +Y by an angle, counter-clockwise seen from above.
    pub(crate) fn turned(mut self, angle_deg: f64) -> Self {
        let turn = Turn::new(angle_deg);
        for pair in &mut self.pairs {
            pair.from = turn.apply(pair.from);
            pair.to = turn.apply(pair.to);
        }
        for points in [&mut self.free_points, &mut self.eroded_points, &mut self.blocked_points] {
            for p in points {
                *p = turn.apply(*p);
            }
        }
        for edge in &mut self.edges {
            edge.a = turn.apply(edge.a);
            edge.b = turn.apply(edge.b);
            edge.free_side = turn.apply(edge.free_side);
        }
        self
    }

    /// Adds a pair for a build without gap filling.
    pub(crate) fn pair(
        &mut self,
        from: [f64; 3],
        to: [f64; 3],
        connected: bool,
        what: impl Into<String>,
    ) -> &mut Pair {
        self.pairs.push(Pair {
            from,
            to,
            connected,
            gap_reach_m: 0.0,
            path_length_m: None,
            what: what.into(),
        });
        let last = self.pairs.len() - 1;
        &mut self.pairs[last]
    }
}

/// A rotation around +Y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    sin: f64,
    cos: f64,
}

impl Turn {
    /// Counter-clockwise seen from above.
    pub(crate) fn new(angle_deg: f64) -> Self {
        let (sin, cos) = sin_cos_deg(angle_deg);
        Self { sin, cos }
    }

    /// The turned point.
    pub(crate) fn apply(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [x * self.cos + z * self.sin, y, z * self.cos - x * self.sin]
    }
}
