//! From spawn to the first answered request, and what the service holds when it idles; on a fresh
//! database, and on one with many rows after a stop and after a crash.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use tokio::time::sleep;

use crate::latency::spread;
use crate::report::{Report, Table};
use crate::service::{STOP_PATIENCE, Service};
use crate::{Durability, Result, Settings, rows, service};

const IDLE: Duration = Duration::from_secs(2);

#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 10)]
    runs: usize,
    /// Also with a database of this many messages, written through ingest first.
    #[arg(long, default_value_t = 0)]
    rows: u64,
}

#[derive(Default)]
struct StartTimes {
    ms: Vec<f64>,
    idle_mib: Vec<f64>,
    highest_mib: Vec<f64>,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    service::binary(settings)?;
    let dir = super::temporary(settings)?;
    let mut report = Report::new("start", settings, dir.path())?;
    let columns = ["start ms", "min", "max", "idle MiB", "highest MiB"];
    let mut table = Table::new(format!("{} runs, medians, full", options.runs), columns);

    let mut fresh = StartTimes::default();
    for run in 0..options.runs {
        let dir = dir.path().join(format!("fresh-{run}"));
        std::fs::create_dir(&dir)?;
        fresh
            .one(settings, &dir)
            .await?
            .process
            .stop(STOP_PATIENCE)
            .await?;
    }
    fresh.report(&mut table, "fresh database");

    let kept = dir.path().join("kept");
    std::fs::create_dir(&kept)?;
    let service = Service::start(settings, &kept, Durability::Full).await?;
    super::fill(settings, &service, options.rows).await?;
    service.process.stop(STOP_PATIENCE).await?;
    let stored = rows::messages(&service::database(&kept))?;
    report.check(stored == options.rows, || {
        format!("{stored} of {} stored", options.rows)
    });
    let mut stopped = StartTimes::default();
    for _ in 0..options.runs {
        stopped
            .one(settings, &kept)
            .await?
            .process
            .stop(STOP_PATIENCE)
            .await?;
    }
    stopped.report(&mut table, &format!("{stored} messages, after SIGTERM"));

    if stored > 0 {
        let mut killed = StartTimes::default();
        for _ in 0..options.runs {
            let mut service = killed.one(settings, &kept).await?;
            // Leaves a log to recover.
            super::fill(settings, &service, 1000).await?;
            service.process.kill();
        }
        killed.report(&mut table, &format!("{stored} messages, after SIGKILL"));
    }
    report.table(table);
    Ok(report)
}

impl StartTimes {
    async fn one(&mut self, settings: &Settings, dir: &Path) -> Result<Service> {
        let service = Service::start(settings, dir, Durability::Full).await?;
        self.ms.push(service.started_in.as_secs_f64() * 1000.0);
        sleep(IDLE).await;
        let (now, highest) = service.process.resident_kib()?;
        self.idle_mib.push(now as f64 / 1024.0);
        self.highest_mib.push(highest as f64 / 1024.0);
        Ok(service)
    }

    fn report(self, table: &mut Table, name: &str) {
        let ms = spread(self.ms);
        let (idle, highest) = (spread(self.idle_mib), spread(self.highest_mib));
        table.row(name, [ms.median, ms.min, ms.max, idle.median, highest.max]);
    }
}
