//! What a stage may see of the world: the cancel flag, progress, the report and an observer.

use crate::error::BakeError;
use crate::report::{BakeReport, StageReport, Warning};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use surefoot_mesh::{AreaId, CellKind, EdgeClass};

/// Told how far a build has come.
pub trait Progress {
    /// A stage begins.
    fn stage(&mut self, name: &'static str);

    /// So many parts of the running stage, tiles for instance, are done.
    fn part(&mut self, done: usize, of: usize) {
        let _ = (done, of);
    }
}

/// Shown every stage's result. A view is made only when somebody watches.
pub trait StageObserver {
    /// A stage has ended with this result.
    fn observe(&mut self, name: &'static str, view: StageView);
}

/// A stage's result as a person would look at it, in the user's frame.
#[derive(Clone, Debug, Default)]
pub struct StageView {
    /// Which way is up in the user's frame.
    pub up: [f64; 3],
    /// Polygons with holes: the outer loop, counter-clockwise seen from above, then the holes.
    pub faces: Vec<ViewFace>,
    /// Edges worth a colour.
    pub edges: Vec<ViewEdge>,
    /// What the stage counted.
    pub counts: Vec<(&'static str, f64)>,
}

/// A face of a [`StageView`].
#[derive(Clone, Debug)]
pub struct ViewFace {
    /// The outer loop, then holes, as points in the user's frame.
    pub loops: Vec<Vec<[f64; 3]>>,
    /// Triangles over the points of all loops in order; empty where the face is convex and has no
    /// hole, so that a fan will do.
    pub triangles: Vec<[u32; 3]>,
    /// What it is made of.
    pub kind: CellKind,
    /// Its area type.
    pub area: AreaId,
    /// Which connected piece it belongs to, where that is known.
    pub component: Option<u32>,
}

/// An edge of a [`StageView`].
#[derive(Clone, Copy, Debug)]
pub struct ViewEdge {
    /// Where it starts, in the user's frame.
    pub from: [f64; 3],
    /// Where it ends, in the user's frame.
    pub to: [f64; 3],
    /// What lies there.
    pub class: EdgeClass,
}

/// What a stage may see of the world.
#[derive(Default)]
pub struct StageContext<'a> {
    cancel: Option<&'a AtomicBool>,
    progress: Option<&'a mut dyn Progress>,
    observer: Option<&'a mut dyn StageObserver>,
    /// What showing results has cost in the running stage, in milliseconds.
    shown_ms: f64,
    pub(crate) report: BakeReport,
}

impl<'a> StageContext<'a> {
    /// A context that nobody watches.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops soon after the flag is set, with [`BakeError::Cancelled`].
    #[must_use]
    pub fn with_cancel(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Reports progress.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a mut dyn Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Shows every stage's result.
    #[must_use]
    pub fn with_observer(mut self, observer: &'a mut dyn StageObserver) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Fails when the build has been cancelled; stages ask now and then.
    pub fn check_cancelled(&self) -> Result<(), BakeError> {
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(BakeError::Cancelled),
            _ => Ok(()),
        }
    }

    /// The cancel flag, for work on other threads.
    #[must_use]
    pub fn cancel_flag(&self) -> Option<&'a AtomicBool> {
        self.cancel
    }

    /// Runs a stage: tells progress, measures, and adds a line to the report.
    pub(crate) fn stage<T>(
        &mut self,
        name: &'static str,
        run: impl FnOnce(&mut Self) -> Result<T, BakeError>,
    ) -> Result<T, BakeError> {
        self.check_cancelled()?;
        if let Some(progress) = self.progress.as_mut() {
            progress.stage(name);
        }
        self.report.stages.push(StageReport { name, ms: 0.0, counts: Vec::new() });
        let index = self.report.stages.len() - 1;
        // The only clock: measured around stages, never inside one.
        let start = Instant::now();
        self.shown_ms = 0.0;
        let result = run(self);
        self.report.stages[index].ms = start.elapsed().as_secs_f64() * 1e3 - self.shown_ms;
        result
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

    /// Adds a warning to the report.
    pub(crate) fn warn(&mut self, warning: Warning) {
        self.report.warnings.push(warning);
    }

    /// Shows a result to the observer, if there is one.
    pub(crate) fn observe(&mut self, view: impl FnOnce() -> StageView) {
        let counts = self.report.stages.last().map(|s| (s.name, s.counts.clone()));
        if let (Some(observer), Some((name, counts))) = (self.observer.as_mut(), counts) {
            // Being watched does not make a stage slower in the report.
            let start = Instant::now();
            let mut view = view();
            view.counts.extend(counts);
            observer.observe(name, view);
            self.shown_ms += start.elapsed().as_secs_f64() * 1e3;
        }
    }
}
