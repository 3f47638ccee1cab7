//! A small HTTP/1.1 server for one person on this machine.
//!
//! Connections to a loopback address go in; requests whose head has been read and bounded come out,
//! each with its body still unread. What is not needed here is refused: chunked bodies, upgrades,
//! more than a few dozen connections. Sizes that a request claims are compared with a limit before
//! anything is read, and memory grows only with the bytes that have arrived.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 32 << 10;

/// The most headers of a request.
const MAX_HEADERS: usize = 64;

/// The most connections at once. A browser opens six.
const MAX_CONNECTIONS: usize = 48;

/// How long a connection may be silent.
const IDLE: Duration = Duration::from_secs(60);

/// A request's head, and its body to be read.
pub(crate) struct Request<'c> {
    pub(crate) method: String,
    /// The path, undecoded, without the query.
    pub(crate) path: String,
    query: String,
    headers: Vec<(String, String)>,
    length: u64,
    /// What of the body arrived with the head.
    early: Vec<u8>,
    stream: &'c TcpStream,
    /// Whether the client waits for a word before it sends the body.
    expects_continue: bool,
    body_read: bool,
}

/// Why a body was not read.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// It is larger than allowed.
    TooLarge { bytes: u64, limit: u64 },
    /// It ended early or the connection broke.
    Broken,
}

/// An answer.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Body,
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// The body of an answer.
pub(crate) enum Body {
    Owned(Vec<u8>),
    Shared(Arc<Vec<u8>>),
    Static(&'static [u8]),
    /// Written piece by piece until the function returns; the connection ends with it.
    Stream(Box<dyn FnOnce(&mut Stream<'_>) + Send>),
}

impl Response {
    pub(crate) fn new(status: u16, content_type: &'static str, body: Body) -> Self {
        Self { status, content_type, body, headers: Vec::new() }
    }

    pub(crate) fn text(status: u16, text: impl Into<String>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", Body::Owned(text.into().into_bytes()))
    }

    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        let body = Body::Owned(value.to_string().into_bytes());
        Self::new(status, "application/json; charset=utf-8", body)
    }

    /// A refusal, as the page shows it.
    pub(crate) fn refuse(status: u16, why: impl std::fmt::Display) -> Self {
        Self::json(status, &serde_json::json!({ "error": why.to_string() }))
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// The writing end of an answer that goes on.
pub(crate) struct Stream<'c> {
    stream: &'c TcpStream,
}

impl Stream<'_> {
    /// Sends a piece; `false` when nobody listens any more.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).is_ok()
    }

    /// Whether the other side has gone.
    pub(crate) fn is_closed(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return true;
        }
        let mut byte = [0];
        let closed = match self.stream.peek(&mut byte) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        self.stream.set_nonblocking(false).is_err() || closed
    }
}

impl Request<'_> {
    /// A header by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// How often a header is given.
    pub(crate) fn header_count(&self, name: &str) -> usize {
        self.headers.iter().filter(|(n, _)| n == name).count()
    }

    /// A value of the query, decoded.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        self.query.split('&').find_map(|pair| {
            let (n, v) = pair.split_once('=').unwrap_or((pair, ""));
            (n == name).then(|| percent_decoded(v)).flatten()
        })
    }

    /// Reads the body, at most `limit` bytes.
    pub(crate) fn body(&mut self, limit: u64) -> Result<Vec<u8>, BodyError> {
        if self.length > limit {
            return Err(BodyError::TooLarge { bytes: self.length, limit });
        }
        if self.expects_continue {
            let word = b"HTTP/1.1 100 Continue\r\n\r\n";
            self.stream.write_all(word).map_err(|_| BodyError::Broken)?;
        }
        self.body_read = true;
        let mut body = std::mem::take(&mut self.early);
        let left = self.length.saturating_sub(body.len() as u64);
        match self.stream.take(left).read_to_end(&mut body) {
            Ok(_) if body.len() as u64 == self.length => Ok(body),
            _ => Err(BodyError::Broken),
        }
    }
}

/// Text with `%` codes resolved; `None` where they are wrong or it is not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'%' => {
                let code = std::str::from_utf8(bytes.get(i + 1..i + 3)?).ok()?;
                out.push(u8::from_str_radix(code, 16).ok()?);
                i += 3;
            }
            byte => {
                out.push(byte);
                i += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// Answers requests until the process ends: one thread for each connection.
pub(crate) fn serve<H>(listener: &TcpListener, handler: H)
where
    H: Fn(&mut Request<'_>) -> Response + Send + Sync + 'static,
{
    let handler = Arc::new(handler);
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        if !stream.peer_addr().is_ok_and(|a| a.ip().is_loopback()) {
            continue;
        }
        if open.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            let busy = Response::text(503, "too many connections; close other pages of the viewer");
            let _ = write_response(&stream, busy, false);
            continue;
        }
        let (handler, open) = (Arc::clone(&handler), Arc::clone(&open));
        let done = Arc::clone(&open);
        let thread = std::thread::Builder::new().name("connection".to_owned());
        let spawned = thread.spawn(move || {
            converse(&stream, &*handler);
            done.fetch_sub(1, Ordering::SeqCst);
        });
        if spawned.is_err() {
            open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Answers the requests of one connection.
fn converse(stream: &TcpStream, handler: &dyn Fn(&mut Request<'_>) -> Response) {
    let _ = stream.set_read_timeout(Some(IDLE));
    let _ = stream.set_write_timeout(Some(IDLE));
    let _ = stream.set_nodelay(true);
    let mut pending = Vec::new();
    loop {
        let mut request = match read_head(stream, &mut pending) {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(refusal) => {
                let _ = write_response(stream, refusal, false);
                linger(stream);
                return;
            }
        };
        let response = handler(&mut request);
        let unread = request.length > 0 && !request.body_read;
        let wants_close =
            request.header("connection").is_some_and(|c| c.eq_ignore_ascii_case("close"));
        let streams = matches!(response.body, Body::Stream(_));
        let keep = !unread && !wants_close && !streams;
        let head_only = request.method == "HEAD";
        let rest = std::mem::take(&mut request.early);
        drop(request);
        if write_response_to(stream, response, keep, head_only).is_err() {
            return;
        }
        if !keep {
            if unread {
                linger(stream);
            }
            return;
        }
        pending = rest;
    }
}

/// Lets the other side read the answer to a body that was refused: closing at once would reset the
/// connection before it does.
fn linger(stream: &TcpStream) {
    const LONGEST: Duration = Duration::from_secs(2);
    const MOST_BYTES: u64 = 4 << 20;
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let start = Instant::now();
    let mut seen = 0;
    let mut buffer = [0; 16 << 10];
    let mut stream = stream;
    while seen < MOST_BYTES && start.elapsed() < LONGEST {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(n) => seen += n as u64,
        }
    }
}

/// Reads a head; `None` when the other side has gone.
fn read_head<'c>(
    stream: &'c TcpStream,
    pending: &mut Vec<u8>,
) -> Result<Option<Request<'c>>, Response> {
    let mut buffer = [0; 8 << 10];
    loop {
        if !pending.is_empty()
            && let Some(request) = parse_head(stream, pending)?
        {
            return Ok(Some(request));
        }
        if pending.len() > MAX_HEAD_BYTES {
            return Err(Response::text(431, "the head of the request is too large"));
        }
        let mut reader = stream;
        match reader.read(&mut buffer) {
            Ok(0) | Err(_) => return Ok(None),
            Ok(n) => pending.extend_from_slice(&buffer[..n]),
        }
    }
}

/// A request, once its head is complete.
fn parse_head<'c>(
    stream: &'c TcpStream,
    pending: &mut Vec<u8>,
) -> Result<Option<Request<'c>>, Response> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let size = match head.parse(pending) {
        Ok(httparse::Status::Complete(size)) => size,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(Response::text(400, format!("not a request: {error}"))),
    };
    let bad = |why: &str| Response::text(400, why);
    let headers: Vec<(String, String)> = head
        .headers
        .iter()
        .map(|h| {
            let value = std::str::from_utf8(h.value).map_err(|_| bad("a header is not text"))?;
            Ok((h.name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect::<Result<_, Response>>()?;
    let all = |name: &str| {
        headers.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect::<Vec<_>>()
    };
    if !all("transfer-encoding").is_empty() {
        return Err(Response::text(411, "send the body with a Content-Length"));
    }
    let length = match all("content-length").as_slice() {
        [] => 0,
        [one] if one.bytes().all(|b| b.is_ascii_digit()) => {
            one.parse().map_err(|_| bad("the Content-Length is no number"))?
        }
        _ => return Err(bad("the Content-Length is no number")),
    };
    let target = head.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let expects_continue = all("expect").iter().any(|v| v.eq_ignore_ascii_case("100-continue"));
    let request = Request {
        method: head.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        length,
        early: Vec::new(),
        stream,
        expects_continue,
        body_read: false,
        headers,
    };
    let mut rest = pending.split_off(size);
    pending.clear();
    // What goes beyond the body belongs to the next request; browsers do not send it early.
    rest.truncate(usize::try_from(length).unwrap_or(usize::MAX));
    Ok(Some(Request { early: rest, ..request }))
}

fn write_response(stream: &TcpStream, response: Response, keep: bool) -> io::Result<()> {
    write_response_to(stream, response, keep, false)
}

fn write_response_to(
    mut stream: &TcpStream,
    response: Response,
    keep: bool,
    head_only: bool,
) -> io::Result<()> {
    let reason = match response.status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Answer",
    };
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", response.status);
    head += &format!("Content-Type: {}\r\n", response.content_type);
    // No other page may frame this one, run code in it or read what it is sent.
    head += "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n";
    head += "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n";
    head += "Content-Security-Policy: default-src 'self'; img-src 'self' blob: data:; \
             connect-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; \
             frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n";
    for (name, value) in &response.headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !response.headers.iter().any(|(n, _)| *n == "Cache-Control") {
        head += "Cache-Control: no-store\r\n";
    }
    head += if keep { "Connection: keep-alive\r\n" } else { "Connection: close\r\n" };
    let bytes: &[u8] = match &response.body {
        Body::Owned(bytes) => bytes,
        Body::Shared(bytes) => bytes,
        Body::Static(bytes) => bytes,
        Body::Stream(_) => {
            head += "\r\n";
            stream.write_all(head.as_bytes())?;
            if let Body::Stream(write) = response.body {
                write(&mut Stream { stream });
            }
            return Ok(());
        }
    };
    head += &format!("Content-Length: {}\r\n\r\n", bytes.len());
    stream.write_all(head.as_bytes())?;
    if !head_only {
        stream.write_all(bytes)?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_codes_are_resolved_or_refused() {
        assert_eq!(percent_decoded("a%20b%C3%A4").as_deref(), Some("a bä"));
        for wrong in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(percent_decoded(wrong), None, "{wrong}");
        }
    }
}
