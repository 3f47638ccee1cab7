//! How far the work has come, and whether it is to go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts what is done, from any thread, and tells now and then.
pub(crate) struct Watch<'a> {
    done: AtomicU64,
    whole: u64,
    progress: &'a (dyn Fn(f64) + Sync),
    cancel: &'a AtomicBool,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        whole: u64,
        progress: &'a (dyn Fn(f64) + Sync),
        cancel: &'a AtomicBool,
    ) -> Self {
        Self { done: AtomicU64::new(0), whole, progress, cancel }
    }

    pub(crate) fn tick(&self) {
        const EVERY: u64 = 256;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(EVERY) {
            (self.progress)(done as f64 / self.whole.max(1) as f64);
        }
    }

    /// Whether nobody waits for the report any more: what is found out from then on is not looked at.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}
