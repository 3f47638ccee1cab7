//! The file format `.snav`: sections of fixed-width little-endian numbers behind a table.
//!
//! `FORMAT.md` at the root of the repository is the specification. A file holds exactly the plain
//! data of a mesh; all that queries need beyond it is worked out when it is read, after the same
//! checks that any other data goes through, so no file can bring a mesh into being that validation
//! would refuse.

mod layout;
mod read;
mod write;

pub use layout::SNAV_VERSION;
pub use read::{SectionName, SnavError, SnavView};
