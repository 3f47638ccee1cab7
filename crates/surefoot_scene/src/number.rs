//! Decimal numbers in text files.
//!
//! Bytes at a position go in; the number there comes out, rounded to the nearest `f64`, with the
//! position after it. Short numbers (up to 19 digits whose value and power of ten are both exact in
//! an `f64`) take Clinger's fast path (W. Clinger, "How to read floating point numbers accurately",
//! 1990): one exact division or multiplication. All others go through the standard library.

/// Powers of ten that are exact in an `f64`.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Whether a byte separates words of a line: everything blank but the line feed.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)
}

/// Whether a word ends before this byte. A backslash ends one because it may continue the line.
fn ends_word(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'\n' | b'\\')
}

/// The end of the word that begins at `at`.
pub(crate) fn word_end(bytes: &[u8], at: usize) -> usize {
    bytes[at.min(bytes.len())..].iter().position(|&b| ends_word(b)).map_or(bytes.len(), |n| at + n)
}

/// Reads the number that begins at `*at` and moves there behind it; `None`, without moving, when
/// the word there is no number. The spellings of NaN and infinity of all common systems are
/// numbers.
pub(crate) fn read_number(bytes: &[u8], at: &mut usize) -> Option<f64> {
    let mut i = *at;
    let negative = match bytes.get(i) {
        Some(b'-') => {
            i += 1;
            true
        }
        Some(b'+') => {
            i += 1;
            false
        }
        _ => false,
    };
    let mut mantissa = 0_u64;
    let start = i;
    while let Some(digit) = bytes.get(i).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        i += 1;
    }
    let mut digits = i - start;
    let mut power = 0_i64;
    if bytes.get(i) == Some(&b'.') {
        i += 1;
        let fraction = i;
        while let Some(digit) = bytes.get(i).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            i += 1;
        }
        digits += i - fraction;
        power = -((i - fraction) as i64);
    }
    if digits == 0 || digits > 19 {
        return read_long_number(bytes, at);
    }
    if matches!(bytes.get(i), Some(b'e' | b'E')) {
        i += 1;
        let minus = match bytes.get(i) {
            Some(b'-') => {
                i += 1;
                true
            }
            Some(b'+') => {
                i += 1;
                false
            }
            _ => false,
        };
        let first = i;
        let mut exponent = 0_i64;
        while let Some(digit) = bytes.get(i).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
            exponent = (exponent * 10 + i64::from(digit)).min(100_000);
            i += 1;
        }
        if i == first {
            return None;
        }
        power += if minus { -exponent } else { exponent };
    }
    if bytes.get(i).is_some_and(|&b| !ends_word(b)) {
        return read_long_number(bytes, at);
    }
    // Both factors are exact, so that the one operation rounds correctly.
    if mantissa > 1 << 53 || power.unsigned_abs() > 22 {
        return read_long_number(bytes, at);
    }
    let scale = POWERS[power.unsigned_abs() as usize];
    let value = if power < 0 { mantissa as f64 / scale } else { mantissa as f64 * scale };
    *at = i;
    Some(if negative { -value } else { value })
}

#[cold]
fn read_long_number(bytes: &[u8], at: &mut usize) -> Option<f64> {
    let end = word_end(bytes, *at);
    let word = std::str::from_utf8(&bytes[*at..end]).ok()?;
    let value = word.parse().ok().or_else(|| {
        // What C libraries print: nan(ind), -nan, 1.#QNAN, -1.#IND, 1.#INF.
        let bare = word.trim_start_matches(['-', '+']).to_ascii_lowercase();
        (bare.starts_with("nan") || bare.starts_with("1.#")).then_some(f64::NAN)
    })?;
    *at = end;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<(f64, usize)> {
        let mut at = 0;
        read_number(text.as_bytes(), &mut at).map(|v| (v, at))
    }

    #[test]
    fn numbers_end_where_their_word_ends() {
        assert_eq!(read("12.5 7"), Some((12.5, 4)));
        assert_eq!(read("-3e2\t"), Some((-300.0, 4)));
        assert_eq!(read(".5\n"), Some((0.5, 2)));
        assert_eq!(read("+7.\r\n"), Some((7.0, 3)));
        assert_eq!(read("1\\\n"), Some((1.0, 1)));
        assert_eq!(read("0.000000000000000000000000000001"), Some((1e-30, 32)));
        for none in ["", " 1", "x", "1x", "1,5", "-", ".", "1e", "1e+", "--1", "1.2.3", "0x10"] {
            assert_eq!(read(none), None, "{none:?}");
        }
    }

    #[test]
    fn what_is_not_finite_is_a_number_too() {
        for nan in ["nan", "NaN", "-nan", "-nan(ind)", "nan(snan)", "1.#QNAN", "-1.#IND", "1.#INF"]
        {
            assert!(read(nan).is_some_and(|(v, n)| v.is_nan() && n == nan.len()), "{nan}");
        }
        assert_eq!(read("-inf"), Some((f64::NEG_INFINITY, 4)));
        assert_eq!(read("1e999"), Some((f64::INFINITY, 5)));
        assert_eq!(read("1e-99999999999999999999"), Some((0.0, 23)));
    }

    proptest! {
        #[test]
        fn every_number_is_read_as_the_standard_library_reads_it(
            bits in any::<u64>(),
            mantissa in any::<i64>(),
            places in 0_usize..25,
            single in any::<f32>(),
        ) {
            let decimal = format!("{}.{:0places$}", mantissa / 1_000_000, mantissa.unsigned_abs() % 1_000_000);
            for text in [
                format!("{:?}", f64::from_bits(bits)),
                format!("{:e}", f64::from_bits(bits)),
                format!("{single}"),
                decimal,
            ] {
                let want: f64 = text.parse().unwrap();
                let (got, n) = read(&text).unwrap();
                prop_assert_eq!(n, text.len());
                prop_assert!(got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()), "{}", text);
            }
        }
    }
}
