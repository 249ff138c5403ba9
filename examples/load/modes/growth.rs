//! Does ingest slow down as the database grows? A small database, made anew each round because
//! measuring fills it, against a large one, interleaved.

use std::path::Path;
use std::time::Duration;

use clap::Args;

use crate::drive::{self, Load, Outcome, Until};
use crate::latency::spread;
use crate::report::{Report, Table};
use crate::service::Service;
use crate::{Durability, Result, Settings, baseline, rows, service};

use super::ingest::BARE_OF_MEDIAN_MIN;

#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 1000)]
    small: u64,
    #[arg(long, default_value_t = 1_000_000)]
    large: u64,
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
    let (large, large_load) = filled(settings, options, &large_dir, options.large).await?;
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    let mut written = options.large;
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
    drop(large);

    let floor = BARE_OF_MEDIAN_MIN * spread(rounds.iter().map(|round| round[0])).median;
    let all = rounds.len();
    rounds.retain(|round| round[0] >= floor);
    let dropped = all - rounds.len();
    let title = format!(
        "{}, medians ({dropped} rounds dropped)",
        options.durability.name()
    );
    let columns = ["req/s", "min", "max", "rows before", "rows after"];
    let mut table = Table::new(title, columns);
    let sizes = [
        ("bare hyper", 0.0, 0.0),
        ("few rows", options.small as f64, small_at_end),
        ("many rows", options.large as f64, written as f64),
    ];
    for (index, (name, before, after)) in sizes.into_iter().enumerate() {
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
    Ok(report)
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
