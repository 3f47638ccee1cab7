//! How numbers are written into text formats.

use std::fmt::Write;

/// Appends a coordinate in metres with at most six decimals (1 µm). That is finer than half a unit
/// of the lattice, so that different lattice points stay different.
pub(crate) fn push_metres(out: &mut String, value: f64) {
    let start = out.len();
    // Writing into a string cannot fail.
    let _ = write!(out, "{value:.6}");
    if out[start..].contains('.') {
        let kept = out[start..].trim_end_matches('0').trim_end_matches('.').len();
        out.truncate(start + kept);
    }
    if &out[start..] == "-0" {
        out.truncate(start);
        out.push('0');
    }
}

/// Appends coordinates with a separator between them.
pub(crate) fn push_point(out: &mut String, point: &[f64], separator: char) {
    for (i, &c) in point.iter().enumerate() {
        if i > 0 {
            out.push(separator);
        }
        push_metres(out, c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_minus_zero() {
        let text = |v| {
            let mut s = String::new();
            push_metres(&mut s, v);
            s
        };
        assert_eq!(text(1.5), "1.5");
        assert_eq!(text(100.0), "100");
        assert_eq!(text(-0.000_000_1), "0");
        assert_eq!(text(-2.25), "-2.25");
        assert_eq!(text(1.0 / 65536.0), "0.000015");
        assert_eq!(text(2.0 / 65536.0), "0.000031");
    }
}
