//! Does ingest slow down as the database grows? A small database, made anew each round because
//! measuring fills it, against a large one, interleaved. With `--people` the large one is of so
//! many people and is written past the service, which ten million messages would keep busy for
//! half an hour; each of them writes in turn, so that hardly anybody is in the service's memory.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use tokio::time::Instant;

use crate::drive::{self, Load, Outcome, Until};
use crate::latency::spread;
use crate::message::user_token;
use crate::report::{Report, Table};
use crate::service::{self, STOP_PATIENCE, Service};
use crate::{Durability, Result, Settings, baseline, client, rows};

use super::ingest::BARE_OF_MEDIAN_MIN;

/// People who ask for their limits, each fewer times than a minute allows.
const ASKERS: usize = 500;

#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 1000)]
    small: u64,
    #[arg(long, default_value_t = 1_000_000)]
    large: u64,
    /// People in the large database, which is then written directly; 0: as many as `--senders`,
    /// through the service.
    #[arg(long, default_value_t = 0)]
    people: u64,
    /// How long each round loads each; short, because the small one grows meanwhile.
    #[arg(long, default_value_t = 2)]
    seconds: u64,
    #[arg(long, default_value = "full")]
    durability: Durability,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    service::binary(settings)?;
    let dir = super::temporary(settings)?;
    let mut report = Report::new("growth", settings, dir.path())?;
    let time = Until::Elapsed(Duration::from_secs(options.seconds));

    let bare = baseline::start_bare()?;
    let bare_load = super::load(settings, bare.address, settings.senders)?;
    let large_dir = dir.path().join("large");
    let (large, large_load) = match options.people {
        0 => filled(settings, options, &large_dir, options.large).await?,
        _ => populated(settings, options, &large_dir).await?,
    };
    report.note(format!(
        "the large database: {} MiB; started in {:.0} ms",
        std::fs::metadata(large.database())?.len() >> 20,
        large.started_in.as_secs_f64() * 1e3,
    ));
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    let mut written = rows::messages(&large.database())?;
    let mut small_at_end = 0.0;
    for round in 0..settings.rounds {
        let bare = drive::closed(&bare_load, time).await?.per_second();
        let small_dir = dir.path().join(format!("small-{round}"));
        let (mut small, small_load) = filled(settings, options, &small_dir, options.small).await?;
        let few = drive::closed(&small_load, time).await?;
        small.process.kill();
        check(&mut report, &small_dir, options.small + few.ok(), &few)?;
        small_at_end = (options.small + few.ok()) as f64;
        let many = drive::closed(&large_load, time).await?;
        written += many.ok();
        check(&mut report, &large_dir, written, &many)?;
        rounds.push([bare, few.per_second(), many.per_second()]);
    }
    if options.people > 0 {
        others(settings, options, &large_dir, large, &mut report).await?;
    }

    let rows = [
        ("bare hyper", 0.0, 0.0),
        ("few rows", options.small as f64, small_at_end),
        ("many rows", options.large as f64, written as f64),
    ];
    summarise(&mut report, options.durability, rounds, rows);
    Ok(report)
}

/// `rows`: what each round loaded, with the rows before and after.
fn summarise(
    report: &mut Report,
    durability: Durability,
    mut rounds: Vec<[f64; 3]>,
    rows: [(&str, f64, f64); 3],
) {
    let floor = BARE_OF_MEDIAN_MIN * spread(rounds.iter().map(|round| round[0])).median;
    let all = rounds.len();
    rounds.retain(|round| round[0] >= floor);
    let dropped = all - rounds.len();
    let title = format!("{}, medians ({dropped} rounds dropped)", durability.name());
    let columns = ["req/s", "min", "max", "rows before", "rows after"];
    let mut table = Table::new(title, columns);
    for (index, (name, before, after)) in rows.into_iter().enumerate() {
        let rate = spread(rounds.iter().map(|round| round[index]));
        table.row(name, [rate.median, rate.min, rate.max, before, after]);
    }
    report.table(table);

    let ratio: Vec<f64> = rounds
        .iter()
        .map(|[_, few, many]| many / few.max(1e-9))
        .collect();
    let columns = (1..=ratio.len()).map(|round| round.to_string());
    let mut table = Table::new(
        "ratio by round",
        ["median".to_owned()].into_iter().chain(columns),
    );
    table.row(
        "many / few",
        [spread(ratio.clone()).median].into_iter().chain(ratio),
    );
    report.table(table);
}

async fn filled(
    settings: &Settings,
    options: &Options,
    dir: &Path,
    rows: u64,
) -> Result<(Service, Load)> {
    std::fs::create_dir(dir)?;
    let service = Service::start(settings, dir, options.durability).await?;
    let load = super::fill(settings, &service, rows).await?;
    Ok((service, load))
}

/// The large database, written past the service, and the service started on it.
async fn populated(settings: &Settings, options: &Options, dir: &Path) -> Result<(Service, Load)> {
    // One message of each relay, so that the service has made the file and knows its relays.
    let first = Settings {
        senders: settings.agents,
        ..settings.clone()
    };
    let (service, _) = filled(&first, options, dir, settings.agents).await?;
    service.process.stop(STOP_PATIENCE).await?;
    let database = service::database(dir);
    rows::populate(&database, settings.agents, options.people, options.large)?;
    let service = Service::start(settings, dir, options.durability).await?;
    let senders = service.lift_limits(options.people).await?;
    let load = super::load(settings, service.address(), senders)?;
    Ok((service, load))
}

/// What else should not depend on how much there is, of the large database alone.
async fn others(
    settings: &Settings,
    options: &Options,
    dir: &Path,
    mut service: Service,
    report: &mut Report,
) -> Result<()> {
    service.process.kill();
    let service = Service::start(settings, dir, options.durability).await?;
    let mut table = Table::new("the large database", ["ms"]);
    table.row(
        "start after a kill",
        [service.started_in.as_secs_f64() * 1e3],
    );

    let askers = rows::user_ids(&service.database())?;
    let askers = askers.into_iter().rev().take(ASKERS).map(|user_id| {
        let token = user_token(service::HS256_SECRET, &user_id)?;
        Ok((user_id, token))
    });
    let askers: Vec<(String, String)> = askers.collect::<Result<_>>()?;
    let limits = super::read::load(settings, service.address(), &askers)?;
    let time = Until::Sent(20 * ASKERS as u64);
    let mut limits = drive::closed(&limits, time).await?;
    let (ok, all) = (limits.ok(), limits.statuses.values().sum::<u64>());
    report.check(ok == all, || format!("usage/limits: {:?}", limits.statuses));
    table.row("usage/limits, p99", [limits.latencies.quantile_ms(990)]);

    let (_, token) = askers.first().ok_or("nobody is there")?;
    let began = Instant::now();
    let asked = client::call(service.address(), "POST", "/account/export", token, None);
    let (status, job) = asked.await?;
    report.check(status == 200, || {
        format!("the request for an export got {status}")
    });
    let took = super::export::ready(&service, token, &job, began).await?;
    table.row("a person's export", [took.as_secs_f64() * 1e3]);

    let made = super::backup::back_up(settings, dir).await?;
    table.row("backup by the command", [made.took.as_secs_f64() * 1e3]);
    report.table(table);
    Ok(())
}

fn check(report: &mut Report, dir: &Path, expected: u64, outcome: &Outcome) -> Result<()> {
    let stored = rows::messages(&service::database(dir))?;
    let statuses = &outcome.statuses;
    report.check(statuses.keys().all(|status| *status == 200), || {
        format!("answers: {statuses:?}")
    });
    report.check(stored == expected, || {
        format!("{expected} answers 200, {stored} rows stored")
    });
    Ok(())
}
