//! What a check has found: shares with confidence intervals, and faults with places and reasons.

use crate::ground::Reason;
use crate::structure::StructureFault;
use glam::DVec3;
use std::collections::BTreeMap;

/// A share of samples, with the interval that holds the true share with 95 % confidence (Wilson
/// 1927, which stays right near 0 and 1).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Share {
    /// Samples that passed.
    pub passed: u64,
    /// Samples that counted.
    pub counted: u64,
}

/// The normal quantile of a two-sided interval of 95 %.
const QUANTILE: f64 = 1.959_963_984_540_054;

impl Share {
    /// The share that passed; 0 when nothing counted, since nothing was shown.
    #[must_use]
    pub fn value(&self) -> f64 {
        if self.counted == 0 { 0.0 } else { self.passed as f64 / self.counted as f64 }
    }

    /// The interval that holds the true share with 95 % confidence; everything when nothing counted.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        if self.counted == 0 {
            return [0.0, 1.0];
        }
        let (n, p, z2) = (self.counted as f64, self.value(), QUANTILE * QUANTILE);
        let middle = p + z2 / (2.0 * n);
        let half = QUANTILE * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let whole = 1.0 + z2 / n;
        [((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0)]
    }

    pub(crate) fn add(&mut self, passed: bool) {
        self.counted += 1;
        self.passed += u64::from(passed);
    }
}

/// Where samples of the mesh were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stratum {
    /// Evenly over the area.
    Area,
    /// Along boundaries.
    Boundary,
    /// At corners of boundaries.
    Corner,
    /// On narrow cells.
    Narrow,
}

impl Stratum {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Area, Self::Boundary, Self::Corner, Self::Narrow];

    /// A short name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Boundary => "boundary",
            Self::Corner => "corner",
            Self::Narrow => "narrow",
        }
    }
}

/// A point of the mesh where the agent does not fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnsoundPoint {
    /// The point, in the user's frame.
    pub at: [f64; 3],
    /// The cell it lies on.
    pub cell: u32,
    /// Why the agent does not fit.
    pub reason: Reason,
    /// Where the reason shows, in the user's frame.
    pub because_of: [f64; 3],
    /// How much narrower than the radius it is there, in metres: the radius where nobody fits.
    pub short_by_m: f64,
    /// How the sample was taken.
    pub stratum: Stratum,
}

/// How ground that the mesh does not cover lies to the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Missing {
    /// It is connected to ground that the mesh covers, by this component.
    BesideMesh {
        /// The component of the mesh.
        component: u32,
    },
    /// It is an island at least this large, in m².
    Island {
        /// Its area, as far as it was followed.
        area_m2: f64,
    },
}

/// A point where the agent fits with a margin, which the mesh does not cover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UncoveredPoint {
    /// The point, in the user's frame.
    pub at: [f64; 3],
    /// How it lies to the mesh.
    pub missing: Missing,
    /// How far the nearest covered point was found, in metres, as far as it was looked for.
    pub away_m: f64,
}

/// Where the mesh and the real geometry disagree about a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConnectionFault {
    /// A walk on the real geometry came from one component of the mesh to another.
    Apart {
        /// Where it was on the first.
        from: [f64; 3],
        /// Where it came to the second.
        to: [f64; 3],
        /// The components.
        components: [u32; 2],
    },
    /// A neighbour that the agent cannot go to.
    FalsePortal {
        /// The edge between the two.
        edge: u32,
        /// Where it was tried.
        at: [f64; 3],
        /// What is in the way.
        reason: Reason,
    },
    /// A link that the agent cannot take.
    FalseLink {
        /// The link.
        link: u32,
        /// Where it was tried.
        at: [f64; 3],
        /// What is in the way.
        reason: Reason,
    },
}

impl ConnectionFault {
    /// Where it is, in the user's frame.
    #[must_use]
    pub fn at(&self) -> [f64; 3] {
        match *self {
            Self::Apart { to, .. } => to,
            Self::FalsePortal { at, .. } | Self::FalseLink { at, .. } => at,
        }
    }

    /// What is wrong, in words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Apart { components: [a, b], .. } => format!(
                "the agent walks from component {a} to component {b}, which the mesh does not join"
            ),
            Self::FalsePortal { edge, reason, .. } => {
                format!("edge {edge} has a neighbour, but {}", reason.text())
            }
            Self::FalseLink { link, reason, .. } => {
                format!("link {link} cannot be taken: {}", reason.text())
            }
        }
    }
}

/// Completeness of one component of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComponentReport {
    /// Its area in plan, in m².
    pub area_m2: f64,
    /// Of the sampled ground that belongs to it, the share that it covers.
    pub complete: Share,
}

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Report {
    /// The share of sampled points of the mesh where the agent fits.
    pub sound: Share,
    /// The same for every way of sampling, in the order of [`Stratum::ALL`].
    pub sound_by_stratum: [Share; 4],
    /// How many sampled points of the mesh failed for which reason.
    pub unsound_by_reason: BTreeMap<Reason, u64>,
    /// The area of all components of the mesh that lie inside something, in m².
    pub inside_m2: f64,
    /// The share of sampled ground that the mesh covers.
    pub complete: Share,
    /// Every component of the mesh.
    pub components: Vec<ComponentReport>,
    /// Sampled ground that the mesh does not cover and need not: patches under the least area or
    /// inside something, and islands where only reachable ground counts.
    pub left_out: u64,
    /// Walks on the real geometry that stayed on their component, of those that were tried.
    pub walks: Share,
    /// Portals and links that can be crossed, of all.
    pub portals: Share,
    /// Every fault of the structure.
    pub structure_faults: Vec<StructureFault>,
    /// The worst unsound points, the worst first.
    pub unsound: Vec<UnsoundPoint>,
    /// The worst uncovered points, the farthest from the mesh first.
    pub uncovered: Vec<UncoveredPoint>,
    /// The faults of connection, at most as many as asked for.
    pub connection_faults: Vec<ConnectionFault>,
    /// How many faults of connection there are.
    pub connection_fault_count: u64,
}

impl Report {
    /// Whether anything was judged: an empty mesh, or one judged by no samples, says nothing.
    #[must_use]
    pub fn is_of_something(&self) -> bool {
        self.sound.counted > 0
    }

    /// Whether shares and structure are at least as good as required. A mesh of which nothing was judged
    /// does not pass; where no ground is wide enough to ask about, none is missing.
    #[must_use]
    pub fn passes(&self, least_sound: f64, least_complete: f64) -> bool {
        self.is_of_something()
            && self.sound.value() >= least_sound
            && (self.complete.counted == 0 || self.complete.value() >= least_complete)
            && self.structure_faults.is_empty()
            && self.connection_fault_count == 0
    }
}

/// The first faults, of which no two are nearer than half a metre while others are left.
pub(crate) fn spread_out<T: Copy>(
    faults: Vec<T>,
    count: usize,
    at: impl Fn(&T) -> [f64; 3],
) -> Vec<T> {
    const APART_M: f64 = 0.5;
    let mut kept: Vec<T> = Vec::new();
    let mut crowded: Vec<T> = Vec::new();
    for fault in faults {
        if kept.len() >= count {
            break;
        }
        let here = DVec3::from(at(&fault));
        if kept.iter().all(|k| DVec3::from(at(k)).distance(here) >= APART_M) {
            kept.push(fault);
        } else if crowded.len() < count {
            crowded.push(fault);
        }
    }
    let room = count - kept.len().min(count);
    kept.extend(crowded.into_iter().take(room));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        // Values from the formula worked by hand for 8 of 10: centre 0.7167, half width 0.2262.
        let [low, high] = Share { passed: 8, counted: 10 }.interval();
        assert!((low - 0.4902).abs() < 5e-4 && (high - 0.9433).abs() < 5e-4, "{low} {high}");
        let [low, high] = Share { passed: 100_000, counted: 100_000 }.interval();
        assert!(low > 0.9999 && high <= 1.0);
        let [low, high] = Share::default().interval();
        assert!(low <= 0.0 && high >= 1.0, "nothing is known");
    }
}
