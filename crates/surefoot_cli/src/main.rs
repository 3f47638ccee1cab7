//! The surefoot command-line tool.
fn main() {}
