//! surefoot
