//! How soon a command that falls due reaches its relay: reminders at a fixed rate over some
//! relays, from the announced time to the frame. The scheduler's own delay is part of it.

use std::collections::HashSet;
use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, sleep};

use crate::latency::Latencies;
use crate::relays::{self, Fleet};
use crate::reminders::{self, Plan};
use crate::report::{Report, Table};
use crate::service::{self, Service};
use crate::{Durability, Result, Settings, rows};

/// Long enough that the answer to the request is out of the way.
const DELAY: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Args)]
pub(crate) struct Options {
    /// Reminders a second.
    #[arg(long, default_value_t = 1000)]
    rate: u64,
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Connected relays.
    #[arg(long, default_value_t = 100)]
    relays: u64,
    #[arg(long, default_value = "full")]
    durability: Durability,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    service::binary(settings)?;
    relays::allow_sockets(options.relays)?;
    let dir = super::temporary(settings)?;
    let mut report = Report::new("fan-out", settings, dir.path())?;
    report.fact("relays", options.relays.to_string());
    let title = format!(
        "{}/s, {}: due to frame",
        options.rate,
        options.durability.name()
    );
    let columns = [
        "commands", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms", "early",
    ];
    let mut table = Table::new(title, columns);

    for round in 1..=settings.rounds {
        let dir = dir.path().join(format!("round-{round}"));
        std::fs::create_dir(&dir)?;
        let service = Service::start(settings, &dir, options.durability).await?;
        service.lift_limits(settings.senders).await?;
        let mut fleet = Fleet::connect(service.address(), options.relays).await?;
        let plan = Plan {
            address: service.address(),
            count: options.rate * options.seconds,
            rate: Some(options.rate),
            when: format!("in {} seconds", DELAY.as_secs()),
        };
        let due = reminders::post(&plan, &service::tokens(options.relays)?).await?;
        let deadline = Instant::now() + DELAY + PATIENCE;
        let arrivals = fleet.arrivals(due.len(), deadline).await;

        let mut latencies = Latencies::default();
        let (mut early, mut seen) = (0_u32, HashSet::new());
        for arrival in &arrivals {
            let number = reminders::number(arrival).ok_or("a command that isn't a reminder")?;
            let due = due.get(&number).ok_or("a reminder nobody asked for")?;
            let delay = reminders::delay_us(arrival, *due)?;
            early += u32::from(delay < 0);
            latencies.record(Duration::from_micros(u64::try_from(delay).unwrap_or(0)));
            report.check(seen.insert(number), || {
                format!("reminder {number} came twice")
            });
        }
        let arrived = seen.len() as u64;
        report.check(arrived == plan.count, || {
            format!("{arrived} of {} arrived", plan.count)
        });
        let quantiles = [500, 900, 990, 999, 1000].map(|q| latencies.quantile_ms(q));
        let cells = [arrived as f64]
            .into_iter()
            .chain(quantiles)
            .chain([f64::from(early)]);
        table.row(format!("round {round}"), cells);

        // The last acks are on their way.
        sleep(Duration::from_secs(1)).await;
        let unfinished = rows::commands_unfinished(&service::database(&dir))?;
        report.check(unfinished == 0, || {
            format!("{unfinished} commands aren't finished")
        });
    }
    report.table(table);
    Ok(report)
}
