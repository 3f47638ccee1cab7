//! surefoot_bake
