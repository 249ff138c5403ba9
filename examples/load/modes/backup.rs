//! What does a backup cost those who write meanwhile, and how far does the log grow? Rounds
//! without and with backups under way, on one service, in turns.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use clap::Args;
use tokio::time::Instant;

use crate::drive;
use crate::latency::spread;
use crate::report::{Report, Table};
use crate::service::{self, STOP_PATIENCE, Service};
use crate::{Durability, Result, Settings, rows};

const LOG_BYTES_MAX: u64 = 64 << 20;

#[derive(Args)]
pub(crate) struct Options {
    /// Messages in the database, and as many memories.
    #[arg(long, default_value_t = 500_000)]
    rows: u64,
    /// Messages a second meanwhile.
    #[arg(long, default_value_t = 2000)]
    rate: u64,
    /// How long each round loads.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    #[arg(long, default_value = "full")]
    durability: Durability,
}

/// One backup.
pub(super) struct BackupRun {
    pub(super) took: Duration,
    bytes: f64,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    let dir = super::temporary(settings)?;
    let mut report = Report::new("backup", settings, dir.path())?;
    let database = service::database(dir.path());
    let first = Service::start(settings, dir.path(), options.durability).await?;
    super::fill(settings, &first, settings.senders).await?;
    first.process.stop(STOP_PATIENCE).await?;
    rows::enlarge(&database, options.rows)?;
    let service = Service::start(settings, dir.path(), options.durability).await?;
    let load = super::load(settings, service.address(), settings.senders)?;
    let time = Duration::from_secs(options.seconds);
    drive::open(&load, options.rate, time).await?;

    let mut rounds: Vec<[f64; 6]> = Vec::new();
    for _ in 0..settings.rounds {
        let mut without = drive::open(&load, options.rate, time).await?;
        // As many as the round is long, each begun when the one before is done.
        let until = Instant::now() + time;
        let backups = async {
            let mut made = Vec::new();
            while Instant::now() < until {
                made.push(back_up(settings, dir.path()).await?);
            }
            Ok::<_, crate::Failure>(made)
        };
        let (with, made) = tokio::join!(drive::open(&load, options.rate, time), backups);
        let (mut with, made) = (with?, made?);
        let answered: u64 = with.statuses.values().sum();
        report.check(with.ok() == answered, || {
            format!("answers beside a backup: {:?}", with.statuses)
        });
        let log = std::fs::metadata(dir.path().join("chatkeep.db-wal"))?.len();
        report.check(log < LOG_BYTES_MAX, || format!("a log of {log} bytes"));
        let most = |of: fn(&BackupRun) -> f64| made.iter().map(of).fold(0.0, f64::max);
        rounds.push([
            without.latencies.quantile_ms(990),
            with.latencies.quantile_ms(990),
            most(|made| made.took.as_secs_f64()),
            most(|made| made.bytes) / f64::from(1 << 20),
            made.len() as f64,
            log as f64 / f64::from(1 << 20),
        ]);
    }
    let mut table = Table::new("ms, seconds, MiB", ["median", "min", "max"]);
    let names = [
        "p99 without", "p99 beside backups", "a backup took at most", "its size",
        "backups a round", "the log's file afterwards",
    ];
    for (index, name) in names.into_iter().enumerate() {
        let figures = spread(rounds.iter().map(|round| round[index]));
        table.row(name, [figures.median, figures.min, figures.max]);
    }
    let ratio = spread(rounds.iter().map(|round| round[1] / round[0].max(1e-9)));
    table.row("beside / without", [ratio.median, ratio.min, ratio.max]);
    report.table(table);
    Ok(report)
}

/// By the service's own command, as an operator would.
pub(super) async fn back_up(settings: &Settings, dir: &Path) -> Result<BackupRun> {
    let began = Instant::now();
    let mut command = Command::new(service::binary(settings)?);
    command
        .current_dir(dir)
        .env_remove("CHATKEEP_CONFIG")
        .env("CHATKEEP_STORAGE_PATH", service::database(dir))
        .env("CHATKEEP_ADMIN_TOKEN", service::ADMIN_TOKEN)
        .args(["backup", "--force", "--json"])
        .arg(dir.join("backup.db"));
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let took = began.elapsed();
    if !output.status.success() {
        return Err(format!("no backup: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let made: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    Ok(BackupRun {
        took,
        bytes: made["bytes"].as_f64().unwrap_or_default(),
    })
}
