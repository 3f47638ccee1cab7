//! How much memory this process holds, and held at most, as Linux counts it.

use std::fs;

/// What the process holds and the most that it has held, in MiB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resident {
    /// Now.
    pub now_mib: f64,
    /// At most, since the process began or since [`forget_peak`].
    pub peak_mib: f64,
}

/// Asks the system; `None` where it does not tell.
#[must_use]
pub fn resident() -> Option<Resident> {
    parse(&fs::read_to_string("/proc/self/status").ok()?)
}

/// Lets the peak begin anew at what is held now. Whether the system can do that.
#[must_use]
pub fn forget_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

fn parse(status: &str) -> Option<Resident> {
    let mib = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
    };
    Some(Resident { now_mib: mib("VmRSS:")?, peak_mib: mib("VmHWM:")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_read_from_their_lines() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(parse(status), Some(Resident { now_mib: 1.0, peak_mib: 2.0 }));
        assert_eq!(parse("VmHWM: many kB\nVmRSS: 1 kB"), None);
    }
}
