//! The `surefoot` command-line tool.
//!
//! Arguments become resolved settings in `resolve`; each command has its file; `outcome` says what
//! a command's end means for the exit status: 0 done, 1 bad input or a failure, 2 wrong usage, 3
//! done and the answer is no.

mod args;
mod build;
mod demo;
mod export;
mod flags;
mod info;
mod memory;
mod meshes;
mod outcome;
mod output;
mod path;
mod progress;
mod report;
mod resolve;
mod scene;
mod settings_file;
mod verify;
mod view;

use args::{Cli, Command};
use clap::Parser;
use mimalloc::MiMalloc;
use outcome::{Answer, Failure};
use std::process::ExitCode;

/// Keeps the pages that a stage gives back for the next one: on a million triangles a sixth of the time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Commands run on a worker thread; it gets the stack that a main thread usually has.
const STACK_BYTES: usize = 8 << 20;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for and go to standard output; a closed pipe is no matter.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match run(cli) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(3),
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<Answer, Failure> {
    let mut pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES);
    if let Some(threads) = cli.threads {
        pool = pool.num_threads(usize::from(threads));
    }
    let pool = pool.build().map_err(|e| {
        Failure::failed(format!("the threads could not be started: {e}; give a smaller --threads"))
    })?;
    pool.install(|| match cli.command {
        Command::Build(args) => build::run(*args),
        Command::Info(args) => info::run(&args),
        Command::Path(args) => path::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Scene(args) => scene::run(&args),
        Command::View(args) => view::run(&args),
        Command::Demo(args) => demo::run(&args),
    })
}
