//! The benchmark: starts the release binary on a temporary database, beside it the baselines it
//! is compared with, and prints medians and ratios of interleaved rounds. It speaks to the
//! service over sockets only and is no test; see each mode's `--help`.
//!
//!     cargo build --release && cargo run --release --example load -- ingest
//!
//! Machines drift by a factor of two within minutes, so only ratios of one run mean anything.

mod baseline;
mod calls;
mod client;
mod drive;
mod latency;
mod message;
mod modes;
mod people;
mod process;
mod relays;
mod reminders;
mod report;
mod rows;
mod service;
// One signer for tests and this.
#[path = "../../tests/support/signer.rs"]
mod signer;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};

use report::Report;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

#[derive(Parser)]
#[command(about = "Measures Chatkeep against bare hyper and a naive design")]
struct Cli {
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    mode: Mode,
}

/// What all modes share.
#[derive(Args, Clone)]
pub(crate) struct Settings {
    /// The service's binary [default: chatkeep in the folder above this program's].
    #[arg(long, global = true)]
    pub(crate) binary: Option<PathBuf>,
    /// Where the temporary databases are made; must be on a real disk to mean anything.
    #[arg(long, global = true)]
    pub(crate) dir: Option<PathBuf>,
    /// One JSON object on standard output in place of tables.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[arg(long, global = true, default_value_t = 64)]
    pub(crate) connections: usize,
    /// Different people who write, one chat each.
    #[arg(long, global = true, default_value_t = 1000)]
    pub(crate) senders: u64,
    /// Relays that the messages come from.
    #[arg(long, global = true, default_value_t = 8)]
    pub(crate) agents: u64,
    #[arg(long, global = true, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Ends the service with SIGTERM where a mode would kill it, so that a build that records a
    /// profile of itself writes it.
    #[arg(long, global = true)]
    pub(crate) stop_politely: bool,
    /// Threads of the generator; it shares the cores with what it measures.
    #[arg(long, global = true, default_value_t = 2)]
    pub(crate) threads: usize,
}

#[derive(Subcommand)]
enum Mode {
    /// POST /edge/message, closed and open loop, against bare hyper and the naive design.
    Ingest(modes::ingest::Options),
    /// Ingest beside FastAPI with sqlite3, where that is installed.
    Peers(modes::peers::Options),
    /// GET /api/v1/usage/limits with RS256 tokens, closed loop, against bare hyper.
    Read(modes::read::Options),
    /// POST /webhooks/{id}, signed, against bare hyper; delivery to relays; a flood.
    Webhook(modes::webhook::Options),
    /// Reminders that fall due at a fixed rate: due time to frame at a connected relay.
    FanOut(modes::fan_out::Options),
    /// Thousands of idle WebSockets: memory, and one command to each with its ack.
    Relays(modes::relays::Options),
    /// Spawn to first answered request, and idle memory.
    Start(modes::start::Options),
    /// Ingest with few rows against ingest with many.
    Growth(modes::growth::Options),
    /// Ingest beside a large export, and the memory that takes.
    Export(modes::export::Options),
    /// Ingest beside backups by the service's own command.
    Backup(modes::backup::Options),
    #[command(hide = true)]
    Guard { pid: u32 },
    #[command(hide = true)]
    ServeBare,
    #[command(hide = true)]
    ServeNaive {
        database: PathBuf,
        durability: Durability,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Durability {
    Full,
    Normal,
}

impl Durability {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Normal => "normal",
        }
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let json = cli.settings.json;
    // Dropping the run kills its child processes, so an interrupted one leaves none behind.
    let outcome = tokio::select! {
        outcome = run(cli) => outcome,
        outcome = interrupted() => outcome,
    };
    match outcome {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(report)) => {
            println!("{}", if json { report.json() } else { report.text() });
            ExitCode::from(u8::from(!report.failures.is_empty()))
        }
        Err(error) => {
            eprintln!("load: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<Option<Report>> {
    let settings = &cli.settings;
    Ok(Some(match &cli.mode {
        Mode::Ingest(options) => modes::ingest::run(settings, options).await?,
        Mode::Peers(options) => modes::peers::run(settings, options).await?,
        Mode::Read(options) => modes::read::run(settings, options).await?,
        Mode::Webhook(options) => modes::webhook::run(settings, options).await?,
        Mode::FanOut(options) => modes::fan_out::run(settings, options).await?,
        Mode::Relays(options) => modes::relays::run(settings, options).await?,
        Mode::Start(options) => modes::start::run(settings, options).await?,
        Mode::Growth(options) => modes::growth::run(settings, options).await?,
        Mode::Export(options) => modes::export::run(settings, options).await?,
        Mode::Backup(options) => modes::backup::run(settings, options).await?,
        Mode::Guard { pid } => return process::serve_guard(*pid).map(|()| None),
        Mode::ServeBare => return baseline::serve_bare().await.map(|()| None),
        Mode::ServeNaive {
            database,
            durability,
        } => {
            let served = baseline::serve_naive(database, *durability).await;
            return served.map(|()| None);
        }
    }))
}

async fn interrupted() -> Result<Option<Report>> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        outcome = tokio::signal::ctrl_c() => outcome?,
        _ = terminated.recv() => {}
    }
    Err("interrupted".into())
}
