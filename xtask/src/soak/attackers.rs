//! Who has the port and not the key.

use super::client::Viewer;
use anyhow::{Result, bail};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

/// Clients that ask for everything, without a pause but for a breath.
const CLIENTS: usize = 20;
const BREATH: Duration = Duration::from_millis(5);

/// Connections that are kept open by a byte now and then, and how long that lasts.
const SLOW: usize = 100;
const DRIP: Duration = Duration::from_millis(500);

/// What was tried, and what should not have come of it.
#[derive(Default)]
struct Tally {
    over: AtomicBool,
    asked: AtomicU64,
    dripped: AtomicU64,
    let_in: AtomicU64,
}

/// The attackers at work.
pub(super) struct Attackers {
    tally: Arc<Tally>,
    threads: Vec<JoinHandle<()>>,
}

impl Attackers {
    pub(super) fn begin(viewer: &Viewer) -> Self {
        let tally = Arc::new(Tally::default());
        let mut threads = Vec::new();
        for number in 0..=CLIENTS {
            let (viewer, tally) = (viewer.clone(), Arc::clone(&tally));
            threads.push(std::thread::spawn(move || {
                if number == CLIENTS {
                    drip(&viewer, &tally);
                } else {
                    ask_for_everything(&viewer, &tally, number);
                }
            }));
        }
        Self { tally, threads }
    }

    /// Ends them; what they did, or an error where one was let in.
    pub(super) fn end(self) -> Result<String> {
        self.tally.over.store(true, Ordering::SeqCst);
        for thread in self.threads {
            let _ = thread.join();
        }
        let count = |n: &AtomicU64| n.load(Ordering::SeqCst);
        let Tally { asked, dripped, let_in, .. } = &*self.tally;
        if count(let_in) > 0 {
            bail!("{} requests without the key were answered", count(let_in));
        }
        Ok(format!("{} requests, {} slow connections, none let in", count(asked), count(dripped)))
    }
}

/// Asks for what only the page may have, and for what is no request at all.
fn ask_for_everything(viewer: &Viewer, tally: &Tally, number: usize) {
    let wrong_key = "0".repeat(viewer.key.len());
    let api = ["scene", "mesh", "describe", "events", "export?format=snav", "original?file=0"];
    let mut turn = number;
    while !tally.over.load(Ordering::SeqCst) {
        turn += 1;
        tally.asked.fetch_add(1, Ordering::SeqCst);
        match turn % 8 {
            0 => {
                let _ = viewer.ask("GET /", &[], b"");
            }
            1 => never(tally, viewer, "POST /api/claim?take=1", &[]),
            2 => never(tally, viewer, "POST /api/claim?take", &[("X-Surefoot-Key", &wrong_key)]),
            3 => {
                let line = format!("GET /api/{}", api[turn / 8 % api.len()]);
                never(tally, viewer, &line, &[("X-Surefoot-Page", &wrong_key)]);
            }
            4 => send(viewer, format!("GET / HTTP/1.1\r\nX: {}", "y".repeat(1 << 20)).as_bytes()),
            5 => send(viewer, &(0..4000_u32).map(|i| ((i * i) >> 3) as u8).collect::<Vec<u8>>()),
            6 => send(viewer, "GET /nothing HTTP/1.1\r\n\r\n".repeat(200).as_bytes()),
            _ => {
                let head = "POST /api/upload HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n";
                send(viewer, format!("{head}{}", "z".repeat(1 << 16)).as_bytes());
            }
        }
        sleep(BREATH);
    }
}

/// Asks for something that must not be given.
fn never(tally: &Tally, viewer: &Viewer, line: &str, headers: &[(&str, &str)]) {
    if viewer.ask(line, headers, b"").is_ok_and(|answer| answer.status < 300) {
        tally.let_in.fetch_add(1, Ordering::SeqCst);
    }
}

/// Sends bytes and looks at some of what comes back.
fn send(viewer: &Viewer, bytes: &[u8]) {
    if let Ok(mut stream) = viewer.connect() {
        let _ = stream.write_all(bytes);
        let _ = stream.read(&mut [0; 1024]);
    }
}

/// Keeps connections open that send a byte now and then.
fn drip(viewer: &Viewer, tally: &Tally) {
    let mut open: Vec<TcpStream> = Vec::new();
    while !tally.over.load(Ordering::SeqCst) {
        open.retain_mut(|stream| stream.write_all(b"x").is_ok());
        while open.len() < SLOW {
            let Ok(mut stream) = viewer.connect() else { break };
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nX: ");
            tally.dripped.fetch_add(1, Ordering::SeqCst);
            open.push(stream);
        }
        sleep(DRIP);
    }
}
