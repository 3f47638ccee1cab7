//! How long each of a tool's stages took.

use std::time::Instant;

/// Stages in order, each with its time in milliseconds.
pub type StageTimes = Vec<(&'static str, f64)>;

/// Measures one stage after the other.
pub(crate) struct Stopwatch {
    last: Instant,
    times: StageTimes,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), times: StageTimes::new() }
    }

    /// A stage has ended.
    pub(crate) fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.times.push((stage, (now - self.last).as_secs_f64() * 1e3));
        self.last = now;
    }

    pub(crate) fn finish(self) -> StageTimes {
        self.times
    }
}
