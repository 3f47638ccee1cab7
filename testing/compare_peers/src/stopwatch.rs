//! How long a build took, and each of its stages.

use std::time::Instant;

/// Stages in order, each with its time in milliseconds.
pub type StageTimes = Vec<(&'static str, f64)>;

/// Measures one stage after the other.
pub(crate) struct Stopwatch {
    last: Instant,
    times: StageTimes,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), times: StageTimes::new() }
    }

    /// A stage has ended.
    pub(crate) fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.times.push((stage, (now - self.last).as_secs_f64() * 1e3));
        self.last = now;
    }

    pub(crate) fn finish(self) -> StageTimes {
        self.times
    }
}

/// The time that this thread has been running, where the system tells; else the time of day. Other work
/// on the machine takes turns with a thread, and its turns do not count.
#[derive(Clone, Copy)]
pub(crate) struct ThreadClock {
    #[cfg(target_os = "linux")]
    nanoseconds: i128,
    #[cfg(not(target_os = "linux"))]
    begun: Instant,
}

impl ThreadClock {
    pub(crate) fn now() -> Self {
        #[cfg(target_os = "linux")]
        {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            let nanoseconds = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
            Self { nanoseconds }
        }
        #[cfg(not(target_os = "linux"))]
        Self { begun: Instant::now() }
    }

    /// Milliseconds since then, asked by the same thread.
    pub(crate) fn elapsed_ms(self) -> f64 {
        #[cfg(target_os = "linux")]
        {
            (Self::now().nanoseconds - self.nanoseconds) as f64 * 1e-6
        }
        #[cfg(not(target_os = "linux"))]
        {
            self.begun.elapsed().as_secs_f64() * 1e3
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn laps_are_kept_in_order_and_add_up() {
        let start = Instant::now();
        let mut watch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(5));
        watch.lap("sleep");
        watch.lap("nothing");
        let times = watch.finish();
        let whole = start.elapsed().as_secs_f64() * 1e3;
        assert_eq!([times[0].0, times[1].0], ["sleep", "nothing"]);
        assert!(times[0].1 >= 5.0 && times[0].1 + times[1].1 <= whole);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_sleeps_takes_no_time() {
        let clock = ThreadClock::now();
        std::thread::sleep(Duration::from_millis(50));
        assert!(clock.elapsed_ms() < 25.0);
        let start = Instant::now();
        let mut sum = 0_u64;
        while start.elapsed() < Duration::from_millis(2) || clock.elapsed_ms() <= 0.0 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(clock.elapsed_ms() > 0.0);
    }
}
