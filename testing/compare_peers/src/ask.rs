//! Questions to this program in a process of its own, and what they cost.
//!
//! In go the words of a question and limits; out comes the answer, or why there is none. A tool that
//! crashes, hangs or eats the memory is then a line that says so and nothing more. Limits are processor
//! time of that process, where the system tells (else the time of day), so that other work on the
//! machine does not decide who is stopped; and each part of the work has a limit of its own: loading the
//! scene is not building, and what the checker takes is not the tool's time.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The key of the line with which a process says that it has loaded its scene and begins to work.
const READY: &str = "ready";

/// How often a process is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Loading a scene may take so many seconds of processor time.
const LOAD_S: f64 = 120.0;

/// A process that runs for so many times its limit, and so many seconds more, waits for something that
/// will not come: then the time of day decides after all.
const HUNG: (f64, f64) = (20.0, 60.0);

/// The line with which a process says that it begins.
pub fn ready_line() -> Value {
    json!({ READY: true })
}

/// How much time a comparison has taken: for each question the time of day or the processor time,
/// whichever is less. On a quiet machine that is the time of day, and on a busy one nearly what the
/// quiet machine would have taken.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    seconds: f64,
}

impl Spent {
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Does something in this process, and counts it.
    pub(crate) fn count<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        self.seconds += start.elapsed().as_secs_f64();
        done
    }

    /// Puts a question. Each line of the answer ends a part of the work; a part may take as many seconds
    /// as its limit says, the last limit holding for all that follow. If parts are stopped, what came
    /// before stands, with the reason under `stopped`.
    pub(crate) fn ask(&mut self, words: &[&str], limits_s: &[f64]) -> Value {
        let start = Instant::now();
        let mut cpu_s = None;
        let answer = answer(words, limits_s, &mut cpu_s);
        let day_s = start.elapsed().as_secs_f64();
        self.seconds += cpu_s.map_or(day_s, |cpu_s: f64| day_s.min(cpu_s + POLL.as_secs_f64()));
        answer.unwrap_or_else(|error| json!({"failed": format!("{error:#}")}))
    }
}

fn answer(words: &[&str], limits_s: &[f64], cpu_s: &mut Option<f64>) -> Result<Value> {
    let program = std::env::current_exe().context("this program")?;
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("could not be started")?;
    let out = child.stdout.take().context("no output")?;
    let (send, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let mut watch =
        Watch { child: &mut child, cpu_s, limits_s, part: 0, began: (0.0, Instant::now()) };
    let mut answer = None;
    let stopped = loop {
        match lines.recv_timeout(POLL) {
            Ok(line) => {
                match serde_json::from_str::<Value>(&line) {
                    Err(_) => break Some("its output is no JSON".to_owned()),
                    Ok(line) if line[READY].is_null() => answer = Some(line),
                    Ok(_) => {}
                }
                watch.next_part();
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(why) = watch.is_over() {
                    break Some(why);
                }
            }
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    watch.look();
    if stopped.is_some() {
        child.kill()?;
    }
    let status = child.wait()?;
    ensure!(reader.join().is_ok(), "its output was lost");
    match (answer, stopped) {
        (Some(mut answer), Some(why)) => {
            if let Some(answer) = answer.as_object_mut() {
                answer.insert("stopped".to_owned(), why.into());
            }
            Ok(answer)
        }
        (None, Some(why)) => bail!("{why}"),
        (answer, None) => {
            ensure!(status.success(), "crashed ({status})");
            answer.context("it says nothing")
        }
    }
}

/// Looks at a process while it works.
struct Watch<'a> {
    child: &'a mut Child,
    /// What it has taken in all, in seconds of processor time.
    cpu_s: &'a mut Option<f64>,
    limits_s: &'a [f64],
    /// The part that it is at; loading comes first.
    part: usize,
    /// Processor time and time of day at which the part began.
    began: (f64, Instant),
}

impl Watch<'_> {
    fn look(&mut self) {
        if let Some(now_s) = processor_seconds(self.child.id()) {
            *self.cpu_s = Some(now_s);
        }
    }

    fn next_part(&mut self) {
        self.look();
        self.part += 1;
        self.began = (self.cpu_s.unwrap_or(0.0), Instant::now());
    }

    /// Why the process has to be stopped now, if it has to.
    fn is_over(&mut self) -> Option<String> {
        self.look();
        let limit_s = match self.part.checked_sub(1) {
            None => LOAD_S,
            Some(part) => {
                let last = self.limits_s.last().copied().unwrap_or(LOAD_S);
                self.limits_s.get(part).copied().unwrap_or(last)
            }
        };
        let day_s = self.began.1.elapsed().as_secs_f64();
        match *self.cpu_s {
            Some(cpu_s) if cpu_s - self.began.0 > limit_s => {
                Some(format!("stopped after {limit_s:.0} s of processor time"))
            }
            Some(_) if day_s > HUNG.0 * limit_s + HUNG.1 => {
                Some(format!("stopped: hung for {day_s:.0} s"))
            }
            None if day_s > limit_s => Some(format!("stopped after {limit_s:.0} s")),
            _ => None,
        }
    }
}

/// The processor time that all threads of a process have taken, in seconds, where the system tells.
fn processor_seconds(process: u32) -> Option<f64> {
    // Linux counts this in hundredths of a second for programs.
    const TICKS_PER_S: f64 = 100.0;
    parse_ticks(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
        .map(|ticks| ticks as f64 / TICKS_PER_S)
}

/// User and system time of a process, from its line. The name, in brackets, can hold anything.
fn parse_ticks(stat: &str) -> Option<u64> {
    let (_, numbers) = stat.rsplit_once(')')?;
    let mut numbers = numbers.split_whitespace().skip(11);
    let mut next = || numbers.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_behind_any_name() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 250 17 0 0 20 0 1 0 5";
        assert_eq!(parse_ticks(stat), Some(267));
        assert_eq!(parse_ticks("42 (short) S 1"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_taken_time() {
        let start = Instant::now();
        let mut sum = 0_u64;
        while start.elapsed() < Duration::from_millis(60) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let seconds = processor_seconds(std::process::id()).unwrap();
        assert!(seconds > 0.0 && seconds < 3600.0, "{seconds}");
    }

    #[test]
    fn a_process_that_waits_is_not_stopped_for_its_time_but_one_that_works_is() {
        let run = |script: &str| {
            Command::new("sh").args(["-c", script]).stdout(Stdio::null()).spawn().unwrap()
        };
        for (script, is_stopped) in [("sleep 0.5", false), ("while :; do :; done", true)] {
            let mut child = run(script);
            let mut cpu_s = None;
            let began = (0.0, Instant::now());
            let limits_s = [0.05];
            let mut watch =
                Watch { child: &mut child, cpu_s: &mut cpu_s, limits_s: &limits_s, part: 1, began };
            let start = Instant::now();
            let mut stopped = false;
            while watch.child.try_wait().unwrap().is_none()
                && !stopped
                && start.elapsed() < Duration::from_secs(20)
            {
                std::thread::sleep(POLL);
                stopped = watch.is_over().is_some();
            }
            let _ = child.kill();
            let _ = child.wait();
            if cfg!(target_os = "linux") {
                assert_eq!(stopped, is_stopped, "{script}");
            }
        }
    }
}
