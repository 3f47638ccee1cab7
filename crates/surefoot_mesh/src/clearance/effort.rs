//! How much work a clearance may take.
//!
//! What walls block is found by following lines from every wall, and taken out of the pieces one after
//! another. On all meshes that were built from something that is quick, but meshes can be made on
//! purpose on which thousands of walls block thousands of pieces each. The steps are counted, so that
//! these end with an error as well, and at the same place on every machine.

/// Steps for every edge of the mesh. Real levels take some hundred for radii of some metres, and some
/// thousand for those at which hardly any ground is left.
const STEPS_PER_EDGE: u64 = 1 << 14;

/// Steps for the smallest mesh.
const LEAST_STEPS: u64 = 1 << 24;

/// Lines of what is blocked that may be kept for every edge of the mesh, and for the smallest mesh.
const LINES_PER_EDGE: usize = 1 << 8;
const LEAST_LINES: usize = 1 << 20;

/// The work is more than the mesh may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMuchWork;

/// What is left of the work that may be done.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    steps: u64,
    most_lines: usize,
}

impl Effort {
    /// That of a mesh of so many edges.
    pub(super) fn for_edges(edges: usize) -> Self {
        Self {
            steps: LEAST_STEPS + STEPS_PER_EDGE * edges as u64,
            most_lines: LEAST_LINES + LINES_PER_EDGE * edges,
        }
    }

    /// Counts steps.
    #[inline]
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), TooMuchWork> {
        self.steps = self.steps.checked_sub(steps as u64).ok_or(TooMuchWork)?;
        Ok(())
    }

    /// Checks how many lines are kept.
    #[inline]
    pub(super) fn keep_lines(&self, lines: usize) -> Result<(), TooMuchWork> {
        if lines <= self.most_lines { Ok(()) } else { Err(TooMuchWork) }
    }
}
