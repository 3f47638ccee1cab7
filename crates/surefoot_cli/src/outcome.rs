//! How a command can end.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// A command has done its work, and this is the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Done.
    Yes,
    /// Done, and the answer is no: no path, or faults were found.
    No,
}

/// A command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command was called wrongly.
    Usage(anyhow::Error),
    /// Bad input, or something went wrong.
    Failed(anyhow::Error),
    /// Whoever read standard output has gone.
    PipeClosed,
}

impl Failure {
    /// Bad input or a failure, in words that say what to do.
    pub(crate) fn failed(message: impl Display) -> Self {
        Self::Failed(anyhow::anyhow!("{message}"))
    }

    /// Wrong usage, in words that say what to do.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self::Usage(anyhow::anyhow!("{message}"))
    }

    /// Something about a file, which the message names.
    pub(crate) fn file(path: &Path, message: impl Display) -> Self {
        Self::failed(format!("{}: {message}", path.display()))
    }

    /// Writes the message to standard error and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let (message, status) = match self {
            Self::PipeClosed => return ExitCode::SUCCESS,
            Self::Usage(error) => (format!("{error:#}"), 2),
            Self::Failed(error) => (format!("{error:#}"), 1),
        };
        // Standard error may be closed as well; there is nobody left to tell.
        let _ = writeln!(io::stderr().lock(), "error: {message}");
        ExitCode::from(status)
    }
}

/// An error while writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::PipeClosed
        } else {
            Self::failed(format!("standard output cannot be written: {error}"))
        }
    }
}
