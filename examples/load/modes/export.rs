//! What does a large export cost those who write meanwhile, and how much memory does it take?
//! Rounds without and with an export under way, on one service, in turns.

use std::time::Duration;

use clap::Args;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::client;
use crate::drive;
use crate::latency::spread;
use crate::message::user_token;
use crate::report::{Report, Table};
use crate::service::{self, STOP_PATIENCE, Service};
use crate::{Durability, Result, Settings, rows};

const EXPORT_PATIENCE: Duration = Duration::from_secs(300);
const RESIDENT_GROWTH_MAX_KIB: u64 = 32 * 1024;

#[derive(Args)]
pub(crate) struct Options {
    /// Messages, and as many memories, of the person who asks.
    #[arg(long, default_value_t = 100_000)]
    rows: u64,
    /// Messages a second meanwhile.
    #[arg(long, default_value_t = 2000)]
    rate: u64,
    /// How long each round loads.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    #[arg(long, default_value = "full")]
    durability: Durability,
}

/// Waits for an export; how long it took, since `began`.
pub(super) async fn ready(
    service: &Service,
    token: &str,
    job: &Value,
    began: Instant,
) -> Result<Duration> {
    let path = format!("/account/export/{}", job["job_id"].as_str().unwrap_or("?"));
    let mut took = began.elapsed();
    loop {
        let asked = client::call(service.address(), "GET", &path, token, None);
        let (_, job) = asked.await?;
        if job["status"] == "ready" {
            return Ok(took);
        }
        if job["status"] == "failed" || began.elapsed() > EXPORT_PATIENCE {
            return Err(format!("no export: {job}").into());
        }
        sleep(Duration::from_millis(10)).await;
        took = began.elapsed();
    }
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    let dir = super::temporary(settings)?;
    let mut report = Report::new("export", settings, dir.path())?;
    let database = service::database(dir.path());
    let first = Service::start(settings, dir.path(), options.durability).await?;
    super::fill(settings, &first, settings.senders).await?;
    first.process.stop(STOP_PATIENCE).await?;
    let user_id = rows::enlarge(&database, options.rows)?;
    let service = Service::start(settings, dir.path(), options.durability).await?;
    let load = super::load(settings, service.address(), settings.senders)?;
    let token = user_token(service::HS256_SECRET, &user_id)?;
    let time = Duration::from_secs(options.seconds);
    drive::open(&load, options.rate, time).await?;

    let (resident_before, _) = service.process.resident_kib()?;
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    for _ in 0..settings.rounds {
        let mut without = drive::open(&load, options.rate, time).await?;
        rows::forget_exports(&database)?;
        let began = Instant::now();
        let asking = client::call(service.address(), "POST", "/account/export", &token, None);
        let (status, job) = asking.await?;
        report.check(status == 200, || {
            format!("the request for an export got {status}")
        });
        let mut with = drive::open(&load, options.rate, time).await?;
        let took = ready(&service, &token, &job, began).await?;
        let p99s = [
            without.latencies.quantile_ms(990),
            with.latencies.quantile_ms(990),
        ];
        rounds.push([p99s[0], p99s[1], took.as_secs_f64()]);
    }
    let (_, most) = service.process.resident_kib()?;
    let growth = most.saturating_sub(resident_before);
    report.check(growth < RESIDENT_GROWTH_MAX_KIB, || {
        format!("{growth} KiB more resident")
    });
    let mut table = Table::new("ms, seconds", ["median", "min", "max"]);
    let names = ["p99 without", "p99 beside an export", "export took at most"];
    for (index, name) in names.into_iter().enumerate() {
        let figures = spread(rounds.iter().map(|round| round[index]));
        table.row(name, [figures.median, figures.min, figures.max]);
    }
    let ratio = spread(rounds.iter().map(|round| round[1] / round[0].max(1e-9)));
    table.row("beside / without", [ratio.median, ratio.min, ratio.max]);
    report.table(table);
    report.note(format!("{growth} KiB more resident at most"));
    Ok(report)
}
