//! `POST /edge/message` with everything committed, beside bare hyper and the naive design: closed
//! loop for throughput, open loop at a fixed rate for latency.

use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::drive::{self, Load, Outcome, Until};
use crate::latency::{Spread, spread};
use crate::process::Process;
use crate::report::{Report, Table};
use crate::service::Service;
use crate::{Durability, Result, Settings, baseline, people, rows, service};

/// The target that has metrics.
pub(super) const SERVICE: &str = "service";
const NAIVE: &str = "naive";
/// A round counts when bare hyper, which nothing but the machine slows down, reached this much
/// of its median.
pub(crate) const BARE_OF_MEDIAN_MIN: f64 = 0.8;
pub(super) const WARM_UP: Duration = Duration::from_secs(1);

#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value = "both")]
    durability: Durabilities,
    /// How long each round loads each target.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Messages per second of the open loop; 0 leaves it out.
    #[arg(long, default_value_t = 2000)]
    rate: u64,
    /// Leaves the service out: tries the generator itself.
    #[arg(long)]
    baselines_only: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Durabilities {
    Full,
    Normal,
    Both,
}

/// Something to load, and all that it answered.
pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) process: Process,
    load: Load,
    rounds: Vec<Round>,
    /// Of all rounds, also the warm-up.
    pub(super) ok: u64,
    pub(super) others: u64,
    denied: u64,
    /// Messages by which the senders said who they are, before anything was measured.
    introduced: u64,
}

pub(super) struct Round {
    outcome: Outcome,
    /// What the target's process used for one request: CPU time in user and in system mode,
    /// and context switches.
    user_us: f64,
    system_us: f64,
    switches: f64,
    /// Writes in one transaction, where the target tells.
    batch: f64,
}

impl Target {
    /// Something that the service is compared with.
    pub(super) fn beside(
        settings: &Settings,
        name: &'static str,
        process: Process,
    ) -> Result<Self> {
        let load = super::load(settings, process.address, settings.senders)?;
        Ok(Self::new(name, process, load))
    }

    /// The service, its senders known to it.
    pub(super) async fn service(
        settings: &Settings,
        dir: &Path,
        durability: Durability,
    ) -> Result<Self> {
        let service = Service::start(settings, dir, durability).await?;
        let senders = service.lift_limits(settings.senders).await?;
        let load = super::load(settings, service.address(), senders)?;
        let introduced = people::introduce(&service, senders, &load.tokens).await?;
        let mut target = Self::new(SERVICE, service.process, load);
        target.introduced = introduced;
        Ok(target)
    }

    pub(super) fn new(name: &'static str, process: Process, load: Load) -> Self {
        Self {
            name,
            process,
            load,
            rounds: Vec::new(),
            ok: 0,
            others: 0,
            denied: 0,
            introduced: 0,
        }
    }

    pub(super) async fn load(&mut self, time: Duration, rate: Option<u64>) -> Result<Round> {
        let before = (self.process.usage()?, self.batches().await?);
        let outcome = match rate {
            None => drive::closed(&self.load, Until::Elapsed(time)).await,
            Some(rate) => drive::open(&self.load, rate, time).await,
        };
        let outcome = outcome.map_err(|error| format!("{}: {error}", self.name))?;
        let used = self.process.usage()?.since(before.0);
        let batches = self.batches().await?;
        let answers: u64 = outcome.statuses.values().sum();
        self.ok += outcome.ok();
        self.others += answers - outcome.ok();
        self.denied += outcome.denied;
        let each = |total: f64| total / answers.max(1) as f64;
        let (writes, commits) = (batches.0 - before.1.0, batches.1 - before.1.1);
        Ok(Round {
            user_us: each(used.user.as_secs_f64() * 1e6),
            system_us: each(used.system.as_secs_f64() * 1e6),
            switches: each(used.switches as f64),
            batch: if commits > 0.0 { writes / commits } else { 0.0 },
            outcome,
        })
    }

    /// Writes and commits so far.
    async fn batches(&self) -> Result<(f64, f64)> {
        match self.name {
            SERVICE => service::batches(self.process.address).await,
            _ => Ok((0.0, 0.0)),
        }
    }
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    if !options.baselines_only {
        service::binary(settings)?;
    }
    let dir = super::temporary(settings)?;
    let mut report = Report::new("ingest", settings, dir.path())?;
    report.fact(
        "each round",
        format!("{} s for each target", options.seconds),
    );
    for durability in [Durability::Full, Durability::Normal] {
        let wanted = match options.durability {
            Durabilities::Full => durability == Durability::Full,
            Durabilities::Normal => durability == Durability::Normal,
            Durabilities::Both => true,
        };
        if wanted {
            let dir = dir.path().join(durability.name());
            std::fs::create_dir(&dir)?;
            measure(settings, options, durability, &dir, &mut report).await?;
        }
    }
    Ok(report)
}

async fn measure(
    settings: &Settings,
    options: &Options,
    durability: Durability,
    dir: &Path,
    report: &mut Report,
) -> Result<()> {
    let mut targets = start(settings, options, durability, dir).await?;
    for target in &mut targets {
        target.load(WARM_UP, None).await?;
    }
    let time = Duration::from_secs(options.seconds);
    let synchronous = durability.name();
    interleave(settings.rounds, &mut targets, time, None).await?;
    let title = format!(
        "closed loop, {} connections, {synchronous}",
        settings.connections
    );
    summarise(report, &mut targets, &title, true);
    if options.rate > 0 {
        interleave(settings.rounds, &mut targets, time, Some(options.rate)).await?;
        let title = format!("open loop, {}/s, {synchronous}", options.rate);
        summarise(report, &mut targets, &title, false);
    }

    for target in targets {
        let database = match target.name {
            SERVICE => Some(service::database(dir)),
            NAIVE => Some(baseline::naive_database(dir)),
            _ => None,
        };
        check(report, target, database.as_deref(), durability)?;
    }
    Ok(())
}

/// Whether all was answered with 200, and all that was is in the database.
pub(super) fn check(
    report: &mut Report,
    mut target: Target,
    database: Option<&Path>,
    durability: Durability,
) -> Result<()> {
    let (name, synchronous) = (target.name, durability.name());
    let (ok, others) = (target.ok, target.others);
    report.check(others == 0, || {
        format!("{name}, {synchronous}: {others} answers weren't 200")
    });
    let Some(database) = database else {
        return Ok(());
    };
    // Killed, not stopped: what was answered must be there after a crash.
    target.process.kill();
    let stored = rows::messages(database)? - target.introduced;
    report.check(stored == ok, || {
        format!("{name}, {synchronous}: {ok} answers were 200, {stored} messages are stored")
    });
    report.note(format!(
        "{name}, {synchronous}: {ok} answers 200, {stored} rows after SIGKILL, {} senders, \
         {} answers with access != null",
        target.load.senders, target.denied
    ));
    Ok(())
}

async fn start(
    settings: &Settings,
    options: &Options,
    durability: Durability,
    dir: &Path,
) -> Result<Vec<Target>> {
    let mut targets = vec![
        Target::beside(settings, "bare hyper", baseline::start_bare()?)?,
        Target::beside(settings, NAIVE, baseline::start_naive(dir, durability)?)?,
    ];
    if !options.baselines_only {
        targets.push(Target::service(settings, dir, durability).await?);
    }
    Ok(targets)
}

/// A B C A B C …, so that a machine that drifts drifts for all.
pub(super) async fn interleave(
    rounds: usize,
    targets: &mut [Target],
    time: Duration,
    rate: Option<u64>,
) -> Result<()> {
    for target in &mut *targets {
        target.rounds.clear();
    }
    for _ in 0..rounds {
        for target in &mut *targets {
            let round = target.load(time, rate).await?;
            target.rounds.push(round);
        }
    }
    Ok(())
}

/// The columns of the table of medians.
const COLUMNS: [&str; 12] = [
    "req/s", "min", "max", "p50 ms", "p99 ms", "p99 max", "p99.9 ms", "cpu us", "user us",
    "system us", "switches", "batch",
];

pub(super) fn summarise(report: &mut Report, targets: &mut [Target], title: &str, closed: bool) {
    let bare: Vec<f64> = per_second(&targets[0]).collect();
    let floor = if closed {
        BARE_OF_MEDIAN_MIN * spread(bare.clone()).median
    } else {
        0.0
    };
    let kept: Vec<bool> = bare.iter().map(|rate| *rate >= floor).collect();
    let dropped = kept.iter().filter(|kept| !**kept).count();
    let keep = |values: Vec<f64>| -> Spread {
        spread(
            values
                .into_iter()
                .zip(&kept)
                .filter(|(_, kept)| **kept)
                .map(|(value, _)| value),
        )
    };

    let mut table = Table::new(
        format!("{title}, medians ({dropped} rounds dropped)"),
        COLUMNS,
    );
    for target in &mut *targets {
        let rate = keep(per_second(target).collect());
        let mut quantile = |per_mille| {
            let rounds = target.rounds.iter_mut();
            keep(
                rounds
                    .map(|round| round.outcome.latencies.quantile_ms(per_mille))
                    .collect(),
            )
        };
        let (p50, p99, p999) = (quantile(500), quantile(990), quantile(999));
        let each = |of: fn(&Round) -> f64| keep(target.rounds.iter().map(of).collect()).median;
        let used = [
            each(|round| round.user_us + round.system_us),
            each(|round| round.user_us),
            each(|round| round.system_us),
            each(|round| round.switches),
            each(|round| round.batch),
        ];
        let latencies = [p50.median, p99.median, p99.max, p999.median];
        let cells = [rate.median, rate.min, rate.max]
            .into_iter()
            .chain(latencies);
        table.row(target.name, cells.chain(used));
    }
    report.table(table);
    if closed {
        report.table(ratios(targets, &kept, title));
    } else {
        let lateness = targets.iter_mut().flat_map(|target| &mut target.rounds);
        let lateness = spread(lateness.map(|round| round.outcome.pacer.quantile_ms(990)));
        report.note(format!(
            "{title}: the pacer's own p99 is {:.2} ms",
            lateness.median
        ));
    }
}

/// Every target against every one before it, round by round.
fn ratios(targets: &[Target], kept: &[bool], title: &str) -> Table {
    let rounds = (1..=kept.len())
        .map(|round| format!("{round}{}", if kept[round - 1] { "" } else { " (drop)" }));
    let columns = ["median".to_owned()].into_iter().chain(rounds);
    let mut table = Table::new(format!("{title}, ratios by round"), columns);
    for (index, target) in targets.iter().enumerate() {
        for other in &targets[..index] {
            let ratio = per_second(target)
                .zip(per_second(other))
                .map(|(a, b)| a / b.max(1e-9));
            let ratio: Vec<f64> = ratio.collect();
            let counted = ratio.iter().zip(kept).filter(|(_, kept)| **kept);
            let median = spread(counted.map(|(ratio, _)| *ratio)).median;
            let name = format!("{} / {}", target.name, other.name);
            table.row(name, [median].into_iter().chain(ratio));
        }
    }
    table
}

fn per_second(target: &Target) -> impl Iterator<Item = f64> {
    target.rounds.iter().map(|round| round.outcome.per_second())
}
