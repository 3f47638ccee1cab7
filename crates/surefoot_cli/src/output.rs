//! What goes to standard output and into files.

use crate::outcome::Failure;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use surefoot_debug::write_whole;

/// Prints text to standard output; a closed pipe ends the command without a word.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints a value as one line of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut line = serde_json::to_string(value)
        .map_err(|e| Failure::failed(format!("the result cannot be written as JSON: {e}")))?;
    line.push('\n');
    print(&line)
}

/// Prints a warning to standard error.
pub(crate) fn warn(message: impl std::fmt::Display) {
    // Standard error may be closed; a warning is not worth failing for.
    let _ = writeln!(io::stderr().lock(), "warning: {message}");
}

/// Writes a file whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(path, bytes).map_err(|e| cannot_write(path, &e))
}

/// Fails early where an output could not be written after minutes of work.
pub(crate) fn check_place(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::file(path, "is a folder; give the name of a file"));
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => Err(Failure::file(
            path,
            format!("the folder {} does not exist; create it first", parent.display()),
        )),
        _ => Ok(()),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::file(
        path,
        format!("cannot be written: {error}; check that its folder may be written to and has room"),
    )
}

/// The ending of a file's name in lower case.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

/// A number with commas between thousands.
pub(crate) fn thousands(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let text: Vec<String> = [0_u64, 999, 1000, 1_234_567].map(thousands).to_vec();
        assert_eq!(text, ["0", "999", "1,000", "1,234,567"]);
    }
}
