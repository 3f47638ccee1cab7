//! What a stage may see of the world: the cancel flag, progress, the report and an observer.

use crate::error::BakeError;
use crate::report::{BakeReport, StageReport, Warning};
use crate::view::StageView;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Told how far a build has come.
pub trait Progress {
    /// A stage begins.
    fn stage(&mut self, name: &'static str);

    /// So many parts of the running stage, tiles for instance, are done.
    fn part(&mut self, done: usize, of: usize) {
        let _ = (done, of);
    }
}

/// Shown every stage's result, and some on the way to it. A view is made only when somebody watches.
pub trait StageObserver {
    /// A stage has ended with this result.
    fn observe(&mut self, name: &'static str, view: StageView);
}

/// What a stage may see of the world.
#[derive(Default)]
pub(crate) struct StageContext<'a> {
    cancel: Option<&'a AtomicBool>,
    progress: Option<&'a mut dyn Progress>,
    observer: Option<&'a mut dyn StageObserver>,
    /// What showing results has cost in the running stage, in milliseconds.
    shown_ms: f64,
    /// The area of the largest patch of ground when all were dropped, in m².
    pub(crate) largest_dropped_m2: Option<f64>,
    pub(crate) report: BakeReport,
}

impl<'a> StageContext<'a> {
    /// A context that nobody watches.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Stops soon after the flag is set, with [`BakeError::Cancelled`].
    #[must_use]
    pub(crate) fn with_cancel(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Reports progress.
    #[must_use]
    pub(crate) fn with_progress(mut self, progress: &'a mut dyn Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Shows every stage's result.
    #[must_use]
    pub(crate) fn with_observer(mut self, observer: &'a mut dyn StageObserver) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Fails when the build has been cancelled; stages ask now and then.
    pub(crate) fn check_cancelled(&self) -> Result<(), BakeError> {
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(BakeError::Cancelled),
            _ => Ok(()),
        }
    }

    /// The cancel flag, for work on other threads.
    #[must_use]
    pub(crate) fn cancel_flag(&self) -> Option<&'a AtomicBool> {
        self.cancel
    }

    /// Runs a stage: tells progress, measures, adds a line to the report, and shows what came out to
    /// whoever watches. There is no other way to run one, so there is none that cannot be looked at.
    pub(crate) fn stage<T>(
        &mut self,
        name: &'static str,
        run: impl FnOnce(&mut Self) -> Result<T, BakeError>,
        view: impl FnOnce(&T) -> StageView,
    ) -> Result<T, BakeError> {
        self.check_cancelled()?;
        if let Some(progress) = self.progress.as_mut() {
            progress.stage(name);
        }
        self.report.stages.push(StageReport { name, ms: 0.0, counts: Vec::new() });
        let index = self.report.stages.len() - 1;
        // The only clock: measured around stages, never inside one, and being watched does not count.
        let start = Instant::now();
        self.shown_ms = 0.0;
        let result = run(self);
        self.report.stages[index].ms = start.elapsed().as_secs_f64() * 1e3 - self.shown_ms;
        let result = result?;
        if self.is_watched() {
            let mut view = view(&result);
            view.counts.extend(self.report.stages[index].counts.iter().copied());
            self.show(name, || view);
        }
        Ok(result)
    }

    /// Whether somebody looks at results.
    pub(crate) fn is_watched(&self) -> bool {
        self.observer.is_some()
    }

    /// Shows a result on the way to that of the running stage, if somebody watches.
    pub(crate) fn show(&mut self, name: &'static str, view: impl FnOnce() -> StageView) {
        if let Some(observer) = self.observer.as_mut() {
            let start = Instant::now();
            observer.observe(name, view());
            self.shown_ms += start.elapsed().as_secs_f64() * 1e3;
        }
    }

    /// Tells how many parts of the running stage are done.
    pub(crate) fn part(&mut self, done: usize, of: usize) {
        if let Some(progress) = self.progress.as_mut() {
            progress.part(done, of);
        }
    }

    /// Adds a count to the running stage's line in the report.
    pub(crate) fn count(&mut self, name: &'static str, value: usize) {
        if let Some(stage) = self.report.stages.last_mut() {
            stage.counts.push((name, value as f64));
        }
    }

    /// Runs work that goes on beside other work with a context of its own, which nobody watches. What
    /// it reports is for [`StageContext::take_over`].
    pub(crate) fn beside<T>(
        cancel: Option<&AtomicBool>,
        run: impl FnOnce(&mut StageContext<'_>) -> T,
    ) -> (T, BakeReport) {
        let mut context = StageContext { cancel, ..StageContext::default() };
        context.report.stages.push(StageReport { name: "", ms: 0.0, counts: Vec::new() });
        let result = run(&mut context);
        (result, context.report)
    }

    /// Adds what was reported beside to the running stage.
    pub(crate) fn take_over(&mut self, report: BakeReport) {
        if let Some(stage) = self.report.stages.last_mut() {
            stage.counts.extend(report.stages.into_iter().flat_map(|s| s.counts));
        }
        self.report.warnings.extend(report.warnings);
    }

    /// Notes that all patches of ground were dropped, and the area of the largest, in m².
    pub(crate) fn all_dropped(&mut self, largest_m2: f64) {
        self.largest_dropped_m2 = Some(largest_m2);
    }

    /// Adds a warning to the report.
    pub(crate) fn warn(&mut self, warning: Warning) {
        self.report.warnings.push(warning);
    }
}
