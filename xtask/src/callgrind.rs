//! What callgrind writes, as far as it is needed: the instructions of a dump, whole and by function.

use std::collections::BTreeMap;

/// Names of functions by number. A dump names a function once and then by number alone; numbers go on
/// from dump to dump.
#[derive(Default)]
pub(crate) struct Functions(BTreeMap<u64, String>);

impl Functions {
    /// The name behind a number.
    pub(crate) fn name(&self, number: u64) -> &str {
        self.0.get(&number).map_or("?", String::as_str)
    }

    /// Reads `(12) name` or `(12)`, and remembers the name.
    fn read(&mut self, text: &str) -> Option<u64> {
        let (number, name) = text.strip_prefix('(')?.split_once(')')?;
        let number = number.parse().ok()?;
        if !name.trim().is_empty() {
            self.0.insert(number, name.trim().to_owned());
        }
        Some(number)
    }
}

/// The instructions of a dump.
pub(crate) fn total(dump: &str) -> Option<u64> {
    let line = dump.lines().rev().find_map(|l| l.strip_prefix("totals:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The instructions that each function of a dump took itself, without those it called.
pub(crate) fn by_function(dump: &str, functions: &mut Functions) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    let (mut current, mut in_call) = (None, false);
    for line in dump.lines() {
        if let Some(text) = line.strip_prefix("fn=") {
            current = functions.read(text);
        } else if let Some(text) = line.strip_prefix("cfn=") {
            functions.read(text);
        } else if line.starts_with("calls=") {
            // The next line is what the call cost.
            in_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let count = line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok());
            if let (false, Some(function), Some(count)) = (in_call, current, count) {
                *counts.entry(function).or_default() += count;
            }
            in_call = false;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "positions: line\nevents: Ir\nfl=(1) a.rs\nfn=(7) cut\n12 5\n+3 6\ncfn=(8) erode\n\
                        calls=2 40\n* 100\nfn=(8)\n40 90\n-1 10\n\ntotals: 111\n";

    #[test]
    fn a_dump_ends_with_its_total() {
        assert_eq!(total(DUMP), Some(111));
        assert_eq!(total("fn=(1)\n1 5\n"), None);
    }

    #[test]
    fn calls_count_to_the_function_that_is_called() {
        let mut functions = Functions::default();
        let counts = by_function(DUMP, &mut functions);
        let named: Vec<(&str, u64)> =
            counts.iter().map(|(f, n)| (functions.name(*f), *n)).collect();
        assert_eq!(named, [("cut", 11), ("erode", 100)]);
        assert_eq!(counts.values().sum::<u64>(), total(DUMP).unwrap());
        // The next dump knows the function by its number.
        let next = by_function("fn=(8)\n1 3\ntotals: 3\n", &mut functions);
        assert_eq!(next.keys().map(|f| functions.name(*f)).collect::<Vec<_>>(), ["erode"]);
    }
}
