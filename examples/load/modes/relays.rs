//! Thousands of relays: what an idle one costs, whether they stay, and how long it takes to bring
//! one command to each and commit all acks when everything falls due in the same instant.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use clap::Args;
use tokio::time::{Instant, sleep};

use crate::latency::Latencies;
use crate::relays::{self, Fleet};
use crate::reminders::{self, Plan};
use crate::report::{Report, Table};
use crate::service::{self, Service};
use crate::{Durability, Result, Settings, rows};

const SETTLE: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Time to ask for all reminders before the minute that they are for.
const HEADROOM_S: u64 = 20;

#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// How long they idle; the default sees a heartbeat of each.
    #[arg(long, default_value_t = 35)]
    seconds: u64,
    #[arg(long, default_value = "full")]
    durability: Durability,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    service::binary(settings)?;
    relays::allow_sockets(options.count)?;
    let dir = super::temporary(settings)?;
    let mut report = Report::new("relays", settings, dir.path())?;
    let service = Service::start(settings, dir.path(), options.durability).await?;
    service.lift_limits(settings.senders).await?;

    sleep(SETTLE).await;
    let (before, _) = service.process.resident_kib()?;
    let began = Instant::now();
    let mut fleet = Fleet::connect(service.address(), options.count).await?;
    let connecting = began.elapsed();
    sleep(Duration::from_secs(options.seconds)).await;
    let (after, highest) = service.process.resident_kib()?;
    let stayed = fleet.connected();
    report.check(stayed == options.count, || {
        format!("{stayed} of {} stayed", options.count)
    });

    let columns = [
        "relays", "connect s", "before MiB", "after MiB", "highest MiB", "KiB each",
    ];
    let mut table = Table::new(format!("idle for {} s", options.seconds), columns);
    let each = after.saturating_sub(before) as f64 / options.count.max(1) as f64;
    let memory = [before, after, highest].map(|kib| kib as f64 / 1024.0);
    let cells = [options.count as f64, connecting.as_secs_f64()]
        .into_iter()
        .chain(memory);
    table.row("idle", cells.chain([each]));
    report.table(table);

    command_each(options, &service, &mut fleet, dir.path(), &mut report).await?;
    let (_, highest) = service.process.resident_kib()?;
    report.note(format!(
        "highest resident memory at the end: {} MiB",
        highest / 1024
    ));
    Ok(report)
}

async fn command_each(
    options: &Options,
    service: &Service,
    fleet: &mut Fleet,
    dir: &Path,
    report: &mut Report,
) -> Result<()> {
    let tokens = service::tokens(options.count)?;
    // A whole minute, so that "at 14:35" is the same instant for everyone.
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let minute = (now.as_secs() + HEADROOM_S).div_ceil(60) * 60;
    let at = DateTime::from_timestamp(i64::try_from(minute)?, 0).ok_or("no such time")?;
    let plan = Plan {
        address: service.address(),
        count: options.count,
        rate: None,
        when: format!("at {}", at.format("%H:%M")),
    };
    let due = reminders::post(&plan, &tokens).await?;
    let due_ms = i64::try_from(minute)? * 1000;
    if let Some(other) = due.values().find(|due| **due != due_ms) {
        return Err(format!("a reminder for {due_ms} is announced for {other}").into());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let until_due = Duration::from_secs(minute).checked_sub(now);
    let until_due = until_due.ok_or("asking for all reminders took too long")?;
    sleep(until_due).await;

    let began = Instant::now();
    let database = service::database(dir);
    while rows::commands_completed(&database)? < options.count && began.elapsed() < PATIENCE {
        sleep(LOOK_EVERY).await;
    }
    let committed = began.elapsed();
    let arrivals = fleet.arrivals(due.len(), Instant::now() + LOOK_EVERY).await;
    let completed = rows::commands_completed(&database)?;
    report.check(completed == options.count, || {
        format!("{completed} of {} commands are completed", options.count)
    });
    let (frames, count) = (arrivals.len(), options.count);
    report.check(frames as u64 == count, || {
        format!("{frames} frames came, not {count}")
    });

    let mut latencies = Latencies::default();
    for arrival in &arrivals {
        let delay = u64::try_from(reminders::delay_us(arrival, due_ms)?).unwrap_or(0);
        latencies.record(Duration::from_micros(delay));
    }
    let title = format!("one command to each at once, {}", options.durability.name());
    let columns = [
        "commands", "all acked s", "frame p50 ms", "frame p99 ms", "last frame ms",
    ];
    let mut table = Table::new(title, columns);
    let quantiles = [500, 990, 1000].map(|q| latencies.quantile_ms(q));
    let counted = [completed as f64, committed.as_secs_f64()];
    table.row("due at once", counted.into_iter().chain(quantiles));
    report.table(table);
    Ok(())
}
