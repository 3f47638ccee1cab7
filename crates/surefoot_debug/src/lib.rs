//! surefoot_debug
