//! How a glTF document is refused.

use crate::error::ReadError;

/// What to do about a document that contradicts itself.
pub(super) const EXPORT_AGAIN: &str = "the file is damaged; export it again";

/// What is wrong at a place of the document, and how to fix it.
pub(super) fn problem(place: String, what: String, fix: &'static str) -> ReadError {
    ReadError::Gltf { place, what, fix }
}
