//! The viewer: a local web page that shows a level, its mesh and paths on it.
//!
//! Files or the name of a procedural scene go in; a server on a loopback address comes out, which
//! serves the page (TypeScript with three.js, made from `web` and embedded) and answers its
//! requests: it loads, builds in the background, sends meshes and stages as arrays of numbers,
//! searches paths and checks. One page at a time; nothing that was not named on the command line or
//! sent by that page is ever read.

mod ask;
mod check;
mod connections;
mod describe;
mod fields;
mod guard;
mod http;
mod layers;
mod mesh_set;
mod pack;
mod page;
mod pick;
mod routes;
mod secret;
mod session;
mod sources;
mod views;
mod worker;

pub use describe::build_flags;
pub use sources::SourceError;

use secret::Secret;
use session::{Session, Task};
use sources::Wanted;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use surefoot_bake::BakeSettings;
use surefoot_testing_scenes::Variant;
use thiserror::Error;

/// The port that is tried first where none is asked for.
pub const DEFAULT_PORT: u16 = 4187;

/// The scene that is shown where nothing is asked for.
const FIRST_SCENE: &str = "floors";

/// The stack of the threads that build.
const STACK_BYTES: usize = 8 << 20;

/// What to show, and where.
#[derive(Clone, Debug, Default)]
pub struct ViewerOptions {
    /// Scenes and at most one mesh.
    pub files: Vec<PathBuf>,
    /// A procedural scene, where no file is given.
    pub scene_name: Option<String>,
    /// The port; 0 picks a free one, `None` tries [`DEFAULT_PORT`] first.
    pub port: Option<u16>,
    /// Threads that build; `None` for all cores.
    pub threads: Option<usize>,
}

/// Why there is no viewer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViewerError {
    /// The page was not made when the program was compiled.
    #[error("{0}")]
    NoPage(String),
    /// The port is taken.
    #[error(
        "port {port} on 127.0.0.1 cannot be used: {source}; give another --port, or 0 for a free one"
    )]
    Port {
        /// Which.
        port: u16,
        /// Why.
        source: std::io::Error,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers, without which the viewer would be open to all")]
    Random,
    /// The threads could not be started.
    #[error("the threads could not be started: {0}; give a smaller --threads")]
    Threads(String),
    /// What was named cannot be shown.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// A viewer that has its port.
pub struct Viewer {
    listener: TcpListener,
    port: u16,
    session: Arc<Session>,
}

impl Viewer {
    /// Takes a port and begins to load what is named. Files that do not exist are refused here.
    pub fn bind(options: ViewerOptions) -> Result<Self, ViewerError> {
        if page::missing().is_some() {
            return Err(ViewerError::NoPage(page::how_to_have_it()));
        }
        let wanted = if options.files.is_empty() {
            let name = options.scene_name.unwrap_or_else(|| FIRST_SCENE.to_owned());
            let variant = Variant::default();
            if !surefoot_testing_scenes::list().iter().any(|s| s.name == name) {
                // Says which names are near.
                surefoot_testing_scenes::build(&name, &variant).map_err(SourceError::from)?;
            }
            Wanted::Procedural { name, variant }
        } else {
            sources::Source::check_endings(&options.files)?;
            Wanted::Files(options.files)
        };
        let mut pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES);
        if let Some(threads) = options.threads {
            pool = pool.num_threads(threads);
        }
        let pool = pool.build().map_err(|e| ViewerError::Threads(e.to_string()))?;
        let (listener, port) = listen(options.port)?;
        let key = Secret::new().ok_or(ViewerError::Random)?;
        let session = Arc::new(Session::new(pool, key));
        session.begin(Task::Load { wanted, settings: BakeSettings::default() });
        let worker = Arc::clone(&session);
        std::thread::Builder::new()
            .name("worker".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || worker::work(&worker))
            .map_err(|e| ViewerError::Threads(e.to_string()))?;
        Ok(Self { listener, port, session })
    }

    /// Where the page is, with the key to it after the `#`. Show it to nobody but the person who
    /// started the viewer, and do not pass it to programs as an argument, which others can list.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#key={}", self.port, self.session.key().text())
    }

    /// Answers requests until the process ends.
    pub fn serve(self) {
        let Self { listener, port, session } = self;
        let limits = http::Limits::default();
        http::serve(&listener, limits, move |request| routes::answer(&session, port, request));
    }
}

/// Listens on loopback.
fn listen(port: Option<u16>) -> Result<(TcpListener, u16), ViewerError> {
    let try_port = |port: u16| {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let port = listener.local_addr()?.port();
        Ok((listener, port))
    };
    let fail = |port: u16| move |source: std::io::Error| ViewerError::Port { port, source };
    match port {
        Some(port) => try_port(port).map_err(fail(port)),
        None => try_port(DEFAULT_PORT).or_else(|_: std::io::Error| try_port(0)).map_err(fail(0)),
    }
}

/// The README's Rust, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;
