//! Numbers in no order for tests, from a seed: the same on every machine.

/// Numbers of 31 bits.
pub(crate) fn any_numbers(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (state >> 33) as u32
    }
}

/// Numbers below one that is given each time.
pub(crate) fn any_below(seed: u64) -> impl FnMut(i32) -> i32 {
    let mut next = any_numbers(seed);
    move |most| next() as i32 % most
}

/// Numbers between two that are given each time.
pub(crate) fn any_between(seed: u64) -> impl FnMut(f64, f64) -> f64 {
    let mut next = any_numbers(seed);
    move |from, to| from + (to - from) * f64::from(next()) / f64::from(1_u32 << 31)
}
