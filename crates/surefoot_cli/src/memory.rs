//! How much memory the process has used.

/// The largest resident size so far, in MiB with one decimal; `None` where the system does not say.
pub(crate) fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = parse_peak_kib(&status)?;
    Some((kib / 1024.0 * 10.0).round() / 10.0)
}

fn parse_peak_kib(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_its_line() {
        let status = "Name:\tx\nVmPeak:\t  999 kB\nVmHWM:\t    2048 kB\n";
        assert_eq!(parse_peak_kib(status), Some(2048.0));
        assert_eq!(parse_peak_kib("VmHWM: many"), None);
    }
}
