//! The service beside what many would write with a framework, closed loop: axum with sqlx, and
//! FastAPI with sqlite3, with the same durable settings. They are flattered as the naive design is:
//! they check no token, decide nothing, and write as few bytes as their rows allow. One that is not
//! installed is left out, and the report says so.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;

use crate::report::Report;
use crate::{Durability, Result, Settings, baseline, service};

use super::ingest::{Target, WARM_UP, check, interleave, summarise};

#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value = "full")]
    durability: Durability,
    /// How long each round loads each.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// A Python that has fastapi and uvicorn.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// What it runs.
    #[arg(long, default_value = "examples/load/peers/fastapi_peer.py")]
    fastapi: PathBuf,
    /// axum with sqlx, which is a package of its own.
    #[arg(long, default_value = "target/peers/release/axum-peer")]
    axum: PathBuf,
}

/// A framework's program, and how it is started.
struct Peer {
    name: &'static str,
    database: PathBuf,
    command: Command,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    service::binary(settings)?;
    let dir = super::temporary(settings)?;
    let mut report = Report::new("peers", settings, dir.path())?;
    report.fact(
        "each round",
        format!("{} s for each target", options.seconds),
    );
    let peers = installed(options, dir.path(), &mut report);
    let mut targets = vec![Target::beside(
        settings,
        "bare hyper",
        baseline::start_bare()?,
    )?];
    let mut databases = vec![None];
    for mut peer in peers {
        let process = baseline::start_peer(&mut peer.command, &peer.database, options.durability)?;
        targets.push(Target::beside(settings, peer.name, process)?);
        databases.push(Some(peer.database));
    }
    targets.push(Target::service(settings, dir.path(), options.durability).await?);
    databases.push(Some(service::database(dir.path())));

    for target in &mut targets {
        target.load(WARM_UP, None).await?;
    }
    let time = Duration::from_secs(options.seconds);
    interleave(settings.rounds, &mut targets, time, None).await?;
    let title = format!(
        "closed loop, {} connections, synchronous {}",
        settings.connections,
        options.durability.name()
    );
    summarise(&mut report, &mut targets, &title, true);
    for (target, database) in targets.into_iter().zip(databases) {
        check(&mut report, target, database.as_deref(), options.durability)?;
    }
    Ok(report)
}

/// The peers that can be started here.
fn installed(options: &Options, dir: &Path, report: &mut Report) -> Vec<Peer> {
    let mut peers = Vec::new();
    if options.axum.is_file() {
        peers.push(Peer {
            name: "axum + sqlx",
            database: dir.join("axum.db"),
            command: Command::new(&options.axum),
        });
    } else {
        report.note(format!(
            "axum + sqlx: left out, there is no {}; \
             `cd examples/load/peers/axum && cargo build --release`, or name it with --axum",
            options.axum.display()
        ));
    }
    if has_fastapi(&options.python) && options.fastapi.is_file() {
        let mut command = Command::new(&options.python);
        command.arg(&options.fastapi);
        peers.push(Peer {
            name: "FastAPI",
            database: dir.join("fastapi.db"),
            command,
        });
    } else {
        report.note(format!(
            "FastAPI: left out, {} has no fastapi and uvicorn, or there is no {}; \
             `pip install fastapi uvicorn`, or name another with --python",
            options.python.display(),
            options.fastapi.display()
        ));
    }
    peers
}

fn has_fastapi(python: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import fastapi, uvicorn"]);
    let ran = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
}
