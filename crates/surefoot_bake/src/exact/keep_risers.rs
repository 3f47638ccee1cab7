//! Finds steep surfaces that the agent steps over: leaning risers, sloped kerbs, bumps.
//!
//! Goes in: the classed soup. Comes out: the same, with steep triangles that lead from ground to
//! ground within one step classed as risers. A riser is no place to stand, but ground on either side
//! of it belongs together, so it is carried along as a connecting surface. Whether a triangle is one
//! is asked of the geometry, not of the topology: from its middle and from near its corners straight
//! down and up the slope, across whatever triangles lie there, until the ground becomes walkable; so it
//! does not matter how the surface is tessellated or whether triangles share points.

use crate::context::StageContext;
use crate::error::BakeError;
use crate::exact::filter_slopes::{SortedSoup, TriangleClass};
use crate::input::limits::LIMIT_SLACK_M;
use crate::input::points::metres;
use glam::{DVec2, DVec3};
use surefoot_geom::bvh::{Aabb, BoxTree};
use surefoot_geom::threads::prelude::*;
use surefoot_mesh::Agent;

/// How far beyond the border of a triangle the next one is looked for, in plan, in metres: more than
/// modelling noise.
const LOOK_AHEAD_M: f64 = 2e-3;

/// How far from the expected height the next surface may lie, in metres.
const HEIGHT_NOISE_M: f64 = 5e-3;

/// How far from the corners of a triangle walks start, in metres: farther than cracks are wide.
const FROM_CORNER_M: f64 = 0.03;

/// Triangles crossed before a walk is given up.
const MAX_CROSSED: usize = 64;

pub(crate) fn keep_risers(
    mut sorted: SortedSoup,
    agent: &Agent,
    context: &mut StageContext<'_>,
) -> Result<SortedSoup, BakeError> {
    let climb_m = agent.max_step_m + LIMIT_SLACK_M;
    let up_facing: Vec<u32> = (0..sorted.classes.len() as u32)
        .filter(|&t| {
            matches!(sorted.classes[t as usize], TriangleClass::Walkable | TriangleClass::Steep)
        })
        .collect();
    let low: Vec<u32> = up_facing
        .iter()
        .copied()
        .filter(|&t| {
            let z = sorted.corners(t).map(|p| metres(p).z);
            sorted.classes[t as usize] == TriangleClass::Steep
                && z[0].max(z[1]).max(z[2]) - z[0].min(z[1]).min(z[2]) <= climb_m
        })
        .collect();
    if low.is_empty() {
        context.count("risers", 0);
        return Ok(sorted);
    }
    let tree = BoxTree::build_with(up_facing.len(), |i| {
        Aabb::of_points(sorted.corners(up_facing[i as usize]).map(metres))
    });
    let walker = Walker { sorted: &sorted, up_facing: &up_facing, tree: &tree, climb_m };
    let risers: Vec<u32> = low.into_par_iter().filter(|&t| walker.is_riser(t)).collect();
    context.count("risers", risers.len());
    for t in risers {
        sorted.classes[t as usize] = TriangleClass::Riser;
    }
    Ok(sorted)
}

struct Walker<'a> {
    sorted: &'a SortedSoup,
    up_facing: &'a [u32],
    tree: &'a BoxTree,
    climb_m: f64,
}

/// Which way a walk along the slope goes.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Down,
    Up,
}

impl Walker<'_> {
    /// Whether ground is reached from the middle of a triangle and from near each of its corners.
    fn is_riser(&self, t: u32) -> bool {
        let [a, b, c] = self.sorted.corners(t).map(metres);
        let middle = (a + b + c) / 3.0;
        let near = |corner: DVec3| {
            let away = middle.distance(corner);
            middle.lerp(corner, (1.0 - FROM_CORNER_M / away).max(0.0))
        };
        [middle, near(a), near(b), near(c)].into_iter().all(|from| {
            let Some(bottom) = self.walk_down(t, from) else { return false };
            let Some(top) = self.walk_up(t, from) else { return false };
            top - bottom <= self.climb_m
        })
    }

    /// The height at which a walk straight down the slope comes to walkable ground.
    fn walk_down(&self, start: u32, from: DVec3) -> Option<f64> {
        let heading = self.downhill(start);
        self.descend(start, from, heading)
    }

    /// The height at which a walk straight up the slope comes to walkable ground, or that of a ridge
    /// beyond which it comes down to walkable ground.
    fn walk_up(&self, start: u32, from: DVec3) -> Option<f64> {
        let heading = -self.downhill(start);
        let (mut t, mut at) = (start, from);
        for _ in 0..MAX_CROSSED {
            let exit = self.exit(t, at, heading);
            if exit.z - from.z > self.climb_m {
                return None;
            }
            let Some((n, z)) = self.next(t, exit, heading, Way::Up) else {
                return self.beyond(exit, heading);
            };
            if self.sorted.classes[n as usize] == TriangleClass::Walkable {
                return Some(z);
            }
            at = (exit.truncate() + heading * LOOK_AHEAD_M).extend(z);
            if self.sorted.normals[n as usize].truncate().dot(heading) > 0.0 {
                // Over a ridge.
                self.descend(n, at, heading)?;
                return Some(exit.z.max(z));
            }
            t = n;
        }
        None
    }

    /// The height at which a walk that goes down comes to walkable ground.
    fn descend(&self, start: u32, from: DVec3, heading: DVec2) -> Option<f64> {
        let (mut t, mut at) = (start, from);
        for _ in 0..MAX_CROSSED {
            let exit = self.exit(t, at, heading);
            if from.z - exit.z > self.climb_m {
                return None;
            }
            let (n, z) = self.next(t, exit, heading, Way::Down)?;
            if self.sorted.classes[n as usize] == TriangleClass::Walkable {
                return Some(z);
            }
            t = n;
            at = (exit.truncate() + heading * LOOK_AHEAD_M).extend(z);
        }
        None
    }

    /// The height at which a walk goes on where its slope ends: on the lowest walkable surface above,
    /// the nosing of a tread; or over the edge and down to walkable ground.
    fn beyond(&self, exit: DVec3, heading: DVec2) -> Option<f64> {
        let p = exit.truncate() + heading * LOOK_AHEAD_M;
        let mut above: Option<f64> = None;
        let mut below: Option<(f64, u32)> = None;
        self.tree.visit_column(p.x, p.y, exit.z - self.climb_m, exit.z + self.climb_m, |i| {
            let t = self.up_facing[i as usize];
            if !self.holds(t, p) {
                return;
            }
            let z = self.height(t, p);
            if z < exit.z - HEIGHT_NOISE_M {
                if below.is_none_or(|b| z > b.0 || z >= b.0 && t < b.1) {
                    below = Some((z, t));
                }
            } else if self.sorted.classes[t as usize] == TriangleClass::Walkable {
                above = Some(above.map_or(z, |a| a.min(z)));
            }
        });
        if above.is_some_and(|z| z <= exit.z + self.climb_m) {
            return above;
        }
        let (z, t) = below.filter(|b| b.0 >= exit.z - self.climb_m)?;
        if self.sorted.classes[t as usize] != TriangleClass::Walkable {
            self.descend(t, p.extend(z), heading)?;
        }
        Some(exit.z)
    }

    /// The direction in plan in which a triangle falls.
    fn downhill(&self, t: u32) -> DVec2 {
        self.sorted.normals[t as usize].truncate().normalize_or_zero()
    }

    /// Rise per metre of a triangle's plane along its own slope.
    fn slope(&self, t: u32) -> f64 {
        let n = self.sorted.normals[t as usize];
        n.truncate().length() / n.z
    }

    /// Where a walk leaves a triangle.
    fn exit(&self, t: u32, at: DVec3, heading: DVec2) -> DVec3 {
        let corners = self.sorted.corners(t).map(metres);
        let mut longest = 0.0_f64;
        for k in 0..3 {
            let (a, b) = (corners[k].truncate(), corners[(k + 1) % 3].truncate());
            let edge = b - a;
            let across = heading.perp_dot(edge);
            if across.abs() > 1e-12 {
                let rel = a - at.truncate();
                let s = rel.perp_dot(edge) / across;
                let along = rel.perp_dot(heading) / across;
                if (0.0..=1.0).contains(&along) {
                    longest = longest.max(s);
                }
            }
        }
        let p = at.truncate() + heading * longest;
        p.extend(self.height(t, p))
    }

    fn height(&self, t: u32, p: DVec2) -> f64 {
        let n = self.sorted.normals[t as usize];
        let a = metres(self.sorted.corners(t)[0]);
        a.z - n.truncate().dot(p - a.truncate()) / n.z
    }

    /// The surface just beyond an exit that continues it best, and its height there.
    fn next(&self, t: u32, exit: DVec3, heading: DVec2, way: Way) -> Option<(u32, f64)> {
        let p = exit.truncate() + heading * LOOK_AHEAD_M;
        // What comes next may be anything from level to a little steeper than what was.
        let travel = LOOK_AHEAD_M * self.slope(t).max(1.0) * 2.0 + HEIGHT_NOISE_M;
        let (low, high) = match way {
            Way::Down => (exit.z - travel, exit.z + HEIGHT_NOISE_M),
            Way::Up => (exit.z - HEIGHT_NOISE_M, exit.z + travel),
        };
        let mut best: Option<(u32, f64)> = None;
        self.tree.visit_column(p.x, p.y, low, high, |i| {
            let n = self.up_facing[i as usize];
            if n == t || !self.holds(n, p) {
                return;
            }
            let z = self.height(n, p);
            if z < low || z > high {
                return;
            }
            // The topmost is what one walks on.
            if best.is_none_or(|b| z > b.1 || z >= b.1 && n < b.0) {
                best = Some((n, z));
            }
        });
        best
    }

    fn holds(&self, t: u32, p: DVec2) -> bool {
        let corners = self.sorted.corners(t).map(|c| metres(c).truncate());
        (0..3).all(|k| {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            (b - a).perp_dot(p - a) >= -1e-9
        })
    }
}
