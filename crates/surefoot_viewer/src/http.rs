//! A small HTTP/1.1 server for one person on this machine.
//!
//! Connections to a loopback address go in; requests whose head has been read and bounded come out,
//! each with its body still unread. What is not needed here is refused: chunked bodies, upgrades,
//! more than a few dozen connections. Sizes that a request claims are compared with a limit before
//! anything is read, and memory grows only with the bytes that have arrived. Heads, bodies and answers
//! have a time as a whole, which no byte that trickles in makes longer. Requests that follow each other
//! without waiting are answered in order.

use crate::connections::{Connections, Slot};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 32 << 10;

/// The most headers of a request.
const MAX_HEADERS: usize = 64;

/// What connections are held to.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The most connections at once. A browser opens six.
    pub(crate) connections: usize,
    /// How long a connection may be silent between two requests.
    pub(crate) idle: Duration,
    /// How long a head may take from its first byte to its last.
    pub(crate) head: Duration,
    /// How long a body or an answer may take, beside what it takes at [`Limits::bytes_per_s`].
    pub(crate) body: Duration,
    /// The least speed at which large bodies and answers have to pass.
    pub(crate) bytes_per_s: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 48,
            idle: Duration::from_secs(60),
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            bytes_per_s: 1 << 20,
        }
    }
}

impl Limits {
    /// When so many bytes must have passed.
    fn deadline(&self, bytes: u64) -> Instant {
        Instant::now() + self.body + Duration::from_secs(bytes / self.bytes_per_s.max(1))
    }
}

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
    slot: &'c Slot,
    limits: Limits,
    /// Whether the connection can be used for another request.
    keeps_alive: bool,
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
    limits: Limits,
}

impl Stream<'_> {
    /// Sends a piece; `false` when nobody listens any more.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        write_before(self.stream, bytes, self.limits.deadline(bytes.len() as u64)).is_ok()
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

    /// Notes that it comes from the viewer's page: its connection is not ended for that of another.
    pub(crate) fn trust(&self) {
        self.slot.trust();
    }

    /// Reads the body, at most `limit` bytes.
    pub(crate) fn body(&mut self, limit: u64) -> Result<Vec<u8>, BodyError> {
        if self.length > limit {
            return Err(BodyError::TooLarge { bytes: self.length, limit });
        }
        let deadline = self.limits.deadline(self.length);
        if self.expects_continue {
            let word = b"HTTP/1.1 100 Continue\r\n\r\n";
            write_before(self.stream, word, deadline).map_err(|_| BodyError::Broken)?;
        }
        let mut body = std::mem::take(&mut self.early);
        let mut buffer = [0; 64 << 10];
        while (body.len() as u64) < self.length {
            let left = self.length - body.len() as u64;
            let room = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match read_before(self.stream, &mut buffer[..room], deadline) {
                Ok(0) | Err(_) => return Err(BodyError::Broken),
                Ok(n) => body.extend_from_slice(&buffer[..n]),
            }
        }
        self.body_read = true;
        Ok(body)
    }
}

/// What is left of the time until then; an error where that is nothing.
fn left_until(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Reads what is there, or waits for it until a time.
fn read_before(mut stream: &TcpStream, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
    loop {
        stream.set_read_timeout(Some(left_until(deadline)?))?;
        match stream.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Writes everything, or fails at that time.
fn write_before(mut stream: &TcpStream, bytes: &[u8], deadline: Instant) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        stream.set_write_timeout(Some(left_until(deadline)?))?;
        match stream.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => rest = &rest[n..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
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
pub(crate) fn serve<H>(listener: &TcpListener, limits: Limits, handler: H)
where
    H: Fn(&mut Request<'_>) -> Response + Send + Sync + 'static,
{
    serve_on(listener, limits, &Connections::new(limits.connections), handler);
}

fn serve_on<H>(listener: &TcpListener, limits: Limits, open: &Arc<Connections>, handler: H)
where
    H: Fn(&mut Request<'_>) -> Response + Send + Sync + 'static,
{
    let handler = Arc::new(handler);
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Out of handles, as a rule: they come back as connections end.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        if !stream.peer_addr().is_ok_and(|a| a.ip().is_loopback()) {
            continue;
        }
        let Some(slot) = open.enter(&stream) else {
            refuse_at_once(&stream);
            continue;
        };
        let handler = Arc::clone(&handler);
        let thread = std::thread::Builder::new().name("connection".to_owned());
        // Where no thread can be had the slot goes with the closure.
        let _ = thread.spawn(move || converse(&stream, &slot, limits, &*handler));
    }
}

/// Refuses a connection without waiting for anything that the other side does.
fn refuse_at_once(mut stream: &TcpStream) {
    if stream.set_nonblocking(true).is_ok() {
        let busy = "too many connections; close other pages of the viewer";
        let head =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close";
        let length = busy.len();
        let _ =
            stream.write(format!("{head}\r\nContent-Length: {length}\r\n\r\n{busy}").as_bytes());
    }
    let _ = stream.shutdown(std::net::Shutdown::Both);
}

/// Answers the requests of one connection.
fn converse(
    stream: &TcpStream,
    slot: &Slot,
    limits: Limits,
    handler: &dyn Fn(&mut Request<'_>) -> Response,
) {
    let _ = stream.set_nodelay(true);
    let mut pending = Vec::new();
    loop {
        let mut request = match read_head(stream, slot, limits, &mut pending) {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(refusal) => {
                let _ = write_response(stream, refusal, limits, false, false);
                linger(stream);
                return;
            }
        };
        let answered = catch_unwind(AssertUnwindSafe(|| handler(&mut request)));
        let has_panicked = answered.is_err();
        let response = answered.unwrap_or_else(|_| {
            let why = "answering this has met a defect of Surefoot; please report what you did";
            Response::refuse(500, why)
        });
        let unread = request.length > 0 && !request.body_read;
        let streams = matches!(response.body, Body::Stream(_));
        let keep = !unread && request.keeps_alive && !streams && !has_panicked;
        let head_only = request.method == "HEAD";
        drop(request);
        if write_response(stream, response, limits, keep, head_only).is_err() {
            return;
        }
        if !keep {
            if unread || !pending.is_empty() {
                linger(stream);
            }
            return;
        }
    }
}

/// Lets the other side read the answer to a body that was refused: closing at once would reset the
/// connection before it does.
fn linger(stream: &TcpStream) {
    const LONGEST: Duration = Duration::from_secs(2);
    const SILENT: Duration = Duration::from_millis(200);
    const MOST_BYTES: u64 = 4 << 20;
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let end = Instant::now() + LONGEST;
    let mut seen = 0;
    let mut buffer = [0; 16 << 10];
    while seen < MOST_BYTES {
        match read_before(stream, &mut buffer, end.min(Instant::now() + SILENT)) {
            Ok(0) | Err(_) => return,
            Ok(n) => seen += n as u64,
        }
    }
}

/// Where the first head ends, if that has arrived: after an empty line. What lies before `from` has
/// been looked at.
fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find_map(|i| match &bytes[i..] {
        [b'\n', b'\n', ..] => Some(i + 2),
        [b'\n', b'\r', b'\n', ..] => Some(i + 3),
        _ => None,
    })
}

/// Reads a head; `None` when the other side has gone. What follows it stays pending.
fn read_head<'c>(
    stream: &'c TcpStream,
    slot: &'c Slot,
    limits: Limits,
    pending: &mut Vec<u8>,
) -> Result<Option<Request<'c>>, Response> {
    let mut buffer = [0; 8 << 10];
    let mut deadline = Instant::now() + if pending.is_empty() { limits.idle } else { limits.head };
    let mut looked_at = 0;
    loop {
        // Empty lines before a request are none of it.
        let empty = pending.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        if empty > 0 {
            pending.drain(..empty);
            looked_at = 0;
        }
        match end_of_head(pending, looked_at) {
            Some(end) if end <= MAX_HEAD_BYTES => {
                return parse_head(stream, slot, limits, pending).map(Some);
            }
            None if pending.len() < MAX_HEAD_BYTES => {}
            _ => return Err(Response::text(431, "the head of the request is too large")),
        }
        looked_at = pending.len().saturating_sub(2);
        match read_before(stream, &mut buffer, deadline) {
            Ok(0) => return Ok(None),
            Ok(n) => {
                if pending.is_empty() && looked_at == 0 {
                    deadline = deadline.min(Instant::now() + limits.head);
                }
                pending.extend_from_slice(&buffer[..n]);
            }
            Err(error) => {
                let is_late =
                    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock);
                if is_late && !pending.is_empty() {
                    return Err(Response::text(408, "the head of the request took too long"));
                }
                return Ok(None);
            }
        }
    }
}

/// A request, whose head has arrived.
fn parse_head<'c>(
    stream: &'c TcpStream,
    slot: &'c Slot,
    limits: Limits,
    pending: &mut Vec<u8>,
) -> Result<Request<'c>, Response> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let size = match head.parse(pending) {
        Ok(httparse::Status::Complete(size)) => size,
        Ok(httparse::Status::Partial) => return Err(Response::text(400, "not a request")),
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
    // The first version knew neither connections that go on nor words before the answer.
    let is_current = head.version == Some(1);
    let expects_continue =
        is_current && all("expect").iter().any(|v| v.eq_ignore_ascii_case("100-continue"));
    let mut words = all("connection").into_iter().flat_map(|v| v.split(','));
    let keeps_alive = is_current && !words.any(|w| w.trim().eq_ignore_ascii_case("close"));
    let request = Request {
        method: head.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        length,
        early: Vec::new(),
        stream,
        slot,
        limits,
        keeps_alive,
        expects_continue,
        body_read: false,
        headers,
    };
    let mut early = pending.split_off(size);
    // What goes beyond the body belongs to the next request.
    let own = early.len().min(usize::try_from(length).unwrap_or(usize::MAX));
    *pending = early.split_off(own);
    Ok(Request { early, ..request })
}

fn write_response(
    stream: &TcpStream,
    response: Response,
    limits: Limits,
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
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
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
            write_before(stream, head.as_bytes(), limits.deadline(0))?;
            if let Body::Stream(write) = response.body {
                let _ = catch_unwind(AssertUnwindSafe(|| write(&mut Stream { stream, limits })));
            }
            return Ok(());
        }
    };
    head += &format!("Content-Length: {}\r\n\r\n", bytes.len());
    let deadline = limits.deadline(bytes.len() as u64);
    write_before(stream, head.as_bytes(), deadline)?;
    if head_only { Ok(()) } else { write_before(stream, bytes, deadline) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serves on a free port: `/big` and `/panic` do what they say, `/trusted` is the page's own, and
    /// everything else is answered with its path and body.
    fn start(limits: Limits) -> (u16, Arc<Connections>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let open = Connections::new(limits.connections);
        let connections = Arc::clone(&open);
        std::thread::spawn(move || {
            serve_on(&listener, limits, &connections, |request| match request.path.as_str() {
                "/big" => Response::new(200, "text/plain", Body::Static(&[0; 64 << 20])),
                "/panic" => panic!("asked to"),
                path => {
                    let path = path.to_owned();
                    if path == "/trusted" {
                        request.trust();
                    }
                    let body = request.body(1000).unwrap_or_default();
                    Response::text(200, format!("{path}:{}", String::from_utf8_lossy(&body)))
                }
            });
        });
        (port, open)
    }

    fn connect(port: u16) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends bytes and gives all that comes back until the other side closes.
    fn talk(port: u16, bytes: &[u8]) -> String {
        let mut stream = connect(port);
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Whether a request over a connection that stays is answered with a text.
    fn is_answered(mut stream: &TcpStream, path: &str, text: &str) -> bool {
        let mut answer = Vec::new();
        let mut buffer = [0; 4096];
        stream.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).unwrap();
        while !answer.ends_with(text.as_bytes()) {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return false,
                Ok(count) => answer.extend_from_slice(&buffer[..count]),
            }
        }
        true
    }

    fn wait_until(what: impl Fn() -> bool) -> bool {
        (0..6000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            what()
        })
    }

    const CLOSE: &[u8] = b"GET /a HTTP/1.1\r\nConnection: close\r\n\r\n";

    #[test]
    fn percent_codes_are_resolved_or_refused() {
        assert_eq!(percent_decoded("a%20b%C3%A4").as_deref(), Some("a bä"));
        for wrong in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(percent_decoded(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_head_that_trickles_in_is_cut_off_as_a_whole() {
        let limits = Limits { head: Duration::from_millis(300), ..Limits::default() };
        let (port, open) = start(limits);
        for beginning in ["GET / HTTP/1.1\r\nX: ", "\r\n"] {
            let mut stream = connect(port);
            stream.write_all(beginning.as_bytes()).unwrap();
            let one = if beginning.len() > 2 { "y" } else { "\n" };
            // Faster than any limit on silence, and for ever, if it is let.
            let was_cut_off = (0..3000).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                stream.write_all(one.as_bytes()).is_err()
            });
            assert!(was_cut_off, "{beginning:?}");
        }
        assert!(wait_until(|| open.count() == 0));
    }

    #[test]
    fn a_body_that_trickles_in_is_cut_off_as_a_whole() {
        let limits = Limits { body: Duration::from_millis(300), ..Limits::default() };
        let (port, open) = start(limits);
        let mut stream = connect(port);
        stream.write_all(b"POST /a HTTP/1.1\r\nContent-Length: 1000\r\n\r\n").unwrap();
        let was_cut_off = (0..3000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            stream.write_all(b"x").is_err()
        });
        assert!(was_cut_off && wait_until(|| open.count() == 0));
    }

    #[test]
    fn who_does_not_read_the_answer_loses_the_connection() {
        let limits =
            Limits { body: Duration::from_millis(300), bytes_per_s: 1 << 30, ..Limits::default() };
        let (port, open) = start(limits);
        let mut stream = connect(port);
        stream.write_all(b"GET /big HTTP/1.1\r\n\r\n").unwrap();
        assert!(wait_until(|| open.count() == 1));
        assert!(wait_until(|| open.count() == 0), "the answer is written for ever");
    }

    #[test]
    fn slow_clients_keep_nobody_out() {
        let (port, open) = start(Limits { connections: 4, ..Limits::default() });
        let slow: Vec<TcpStream> = (0..40)
            .map(|i| {
                let mut stream = connect(port);
                // Silent, in the middle of a head, and not reading what they asked for.
                let said: &[u8] =
                    [b"".as_slice(), b"GET / HT", b"GET /big HTTP/1.1\r\n\r\n"][i % 3];
                let _ = stream.write_all(said);
                stream
            })
            .collect();
        for _ in 0..20 {
            assert!(talk(port, CLOSE).ends_with("/a:"));
        }
        drop(slow);
        assert!(wait_until(|| open.count() == 0));
    }

    #[test]
    fn the_page_s_own_connections_stay_and_who_is_refused_is_let_go_at_once() {
        let (port, _) = start(Limits { connections: 3, ..Limits::default() });
        let own: Vec<TcpStream> = (0..3).map(|_| connect(port)).collect();
        for stream in &own {
            assert!(is_answered(stream, "/trusted", "/trusted:"));
        }
        // It neither sends anything nor closes its side.
        let mut refused = connect(port);
        let mut answer = Vec::new();
        let _ = refused.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 503"), "{answer:?}");
        for stream in &own {
            assert!(is_answered(stream, "/b", "/b:"));
        }
    }

    #[test]
    fn requests_that_follow_each_other_are_answered_in_order() {
        let (port, _) = start(Limits::default());
        let three = "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\none\
                     \r\nGET /b HTTP/1.1\r\n\r\n\
                     POST /c HTTP/1.1\r\nContent-Length: 5\r\nConnection: Keep-Alive, Close\r\n\r\nthree\
                     GET /after HTTP/1.1\r\n\r\n";
        let answer = talk(port, three.as_bytes());
        let places = ["/a:one", "/b:", "/c:three"].map(|text| answer.find(text));
        assert!(places.is_sorted() && places[0].is_some(), "{answer}");
        assert!(answer.contains("Connection: close") && !answer.contains("/after"), "{answer}");
    }

    #[test]
    fn the_first_version_of_the_protocol_is_answered_once() {
        let (port, _) = start(Limits::default());
        let answer = talk(port, b"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assert!(answer.contains("Connection: close") && answer.ends_with("/a:"), "{answer}");
    }

    #[test]
    fn heads_are_limited_however_they_arrive() {
        let (port, _) = start(Limits::default());
        let head = |fill: usize| {
            let lines = "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n";
            let long = format!("Y: {}\r\n", "z".repeat(fill));
            format!("GET /a HTTP/1.1\r\nConnection: close\r\n{lines}{long}\r\n")
        };
        assert!(talk(port, head(MAX_HEAD_BYTES - 200).as_bytes()).ends_with("/a:"));
        // Complete all the same, so it could be parsed.
        assert!(talk(port, head(MAX_HEAD_BYTES).as_bytes()).starts_with("HTTP/1.1 431"));
        assert!(talk(port, head(4 << 20).as_bytes()).starts_with("HTTP/1.1 431"));
        assert!(talk(port, b"no request\r\n\r\n").starts_with("HTTP/1.1 400"));
    }

    #[test]
    fn a_panic_costs_its_own_request_only() {
        let (port, open) = start(Limits { connections: 2, ..Limits::default() });
        for _ in 0..20 {
            let answer = talk(port, b"GET /panic HTTP/1.1\r\n\r\n");
            assert!(answer.starts_with("HTTP/1.1 500") && answer.contains("report"), "{answer}");
        }
        assert!(talk(port, CLOSE).ends_with("/a:"));
        assert!(wait_until(|| open.count() == 0));
    }
}
