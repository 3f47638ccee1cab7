//! Who is connected, and who has to go.
//!
//! Connections go in; each takes a slot, which it leaves however its thread ends. There are a few
//! dozen. Where all are taken, the oldest goes that has not shown that it belongs to the viewer's page:
//! one that sends its head byte by byte, reads nothing or says nothing keeps nobody out. Only where all
//! have shown it is the new one refused.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long connections that have been ended are waited for where too many are left.
const LEAVING: Duration = Duration::from_secs(2);

/// The open connections, the oldest first.
pub(crate) struct Connections {
    open: Mutex<Vec<Connection>>,
    /// Told when one has gone.
    gone: Condvar,
    most: usize,
}

struct Connection {
    number: u64,
    /// Another handle of the same connection, to end it by.
    stream: TcpStream,
    is_trusted: bool,
    /// Whether it has been ended; its thread is about to notice.
    has_to_go: bool,
}

/// A connection's place among the others.
pub(crate) struct Slot {
    connections: Arc<Connections>,
    number: u64,
}

impl Connections {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { open: Mutex::new(Vec::new()), gone: Condvar::new(), most })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a connection; `None` where there is none.
    pub(crate) fn enter(self: &Arc<Self>, stream: &TcpStream) -> Option<Slot> {
        let stream = stream.try_clone().ok()?;
        // Those that have been ended and have not noticed yet are bounded as well; they soon do.
        let is_full = |open: &mut Vec<Connection>| open.len() >= 2 * self.most;
        let waited = self.gone.wait_timeout_while(self.lock(), LEAVING, is_full);
        let (mut open, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        if open.iter().filter(|c| !c.has_to_go).count() >= self.most {
            let oldest = open.iter_mut().find(|c| !c.has_to_go && !c.is_trusted)?;
            oldest.has_to_go = true;
            let _ = oldest.stream.shutdown(Shutdown::Both);
        }
        let number = open.last().map_or(0, |c| c.number + 1);
        open.push(Connection { number, stream, is_trusted: false, has_to_go: false });
        Some(Slot { connections: Arc::clone(self), number })
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }
}

impl Slot {
    /// Notes that the connection belongs to the viewer's page.
    pub(crate) fn trust(&self) {
        let mut open = self.connections.lock();
        if let Some(own) = open.iter_mut().find(|c| c.number == self.number) {
            own.is_trusted = true;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.lock().retain(|c| c.number != self.number);
        self.connections.gone.notify_all();
    }
}
