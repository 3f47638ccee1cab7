//! How far a build has come, on standard error where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;
use surefoot_bake::Progress;

/// A line that names the running stage.
pub(crate) struct Spinner {
    bar: Option<ProgressBar>,
    /// The running stage.
    stage: String,
}

impl Spinner {
    /// A spinner; silent unless standard error is a terminal.
    pub(crate) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {msg} {elapsed:.dim}")
            {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(80));
            bar
        });
        Self { bar, stage: String::new() }
    }

    /// Says what is being done.
    pub(crate) fn say(&self, what: impl Into<String>) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.into());
        }
    }
}

impl Progress for Spinner {
    fn stage(&mut self, name: &'static str) {
        self.stage = name.replace('_', " ");
        self.say(self.stage.clone());
    }

    fn part(&mut self, done: usize, of: usize) {
        if of > 1 {
            self.say(format!("{} {done}/{of}", self.stage));
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
