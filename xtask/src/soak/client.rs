//! As much of HTTP as it takes to ask the viewer something.

use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where the viewer is, and its key.
#[derive(Clone, Debug)]
pub(super) struct Viewer {
    pub(super) port: u16,
    pub(super) key: String,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Viewer {
    /// That of an address as `surefoot view` prints it.
    pub(super) fn at(address: &str) -> Result<Self> {
        let rest = address.strip_prefix("http://127.0.0.1:").context("no address on loopback")?;
        let (port, key) = rest.split_once("/#key=").context("no key in the address")?;
        Ok(Self { port: port.parse()?, key: key.to_owned() })
    }

    /// A connection.
    pub(super) fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// The head of a request, with some headers of its own.
    pub(super) fn head(&self, line: &str, headers: &[(&str, &str)], body: usize) -> String {
        let mut head = format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", self.port);
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head + &format!("Content-Length: {body}\r\nConnection: close\r\n\r\n")
    }

    /// Asks over a connection of its own.
    pub(super) fn ask(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Result<Answer> {
        let mut stream = self.connect()?;
        stream.write_all(self.head(line, headers, body.len()).as_bytes())?;
        stream.write_all(body)?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n");
        let Some(end) = end else { bail!("{line}: no answer") };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok());
        let status = status.with_context(|| format!("{line}: {head}"))?;
        Ok(Answer { status, body: bytes.split_off(end + 4) })
    }
}
