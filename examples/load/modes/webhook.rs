//! `POST /webhooks/{id}`, signed, with command and record committed: beside bare hyper; then a
//! number of calls with relays connected, none of which may be lost or doubled; then a flood of
//! unsigned calls beside signed ones.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, sleep};

use super::ingest::{Target, WARM_UP, interleave, summarise};
use crate::calls::{self, Calls, Hook};
use crate::drive::{self, Load, Script, Until};
use crate::relays::{self, Fleet};
use crate::report::Report;
use crate::service::{self, Service};
use crate::{Durability, Result, Settings, baseline, rows};

/// An agent takes 10,000 unfinished commands, and in the first part nobody takes them off it.
const AGENTS: u64 = 256;
const PATIENCE: Duration = Duration::from_secs(60);
const FLOOD: Duration = Duration::from_secs(5);
/// Of the connections in the flood, those whose calls are signed.
const SIGNED_CONNECTIONS: usize = 16;

#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value = "full")]
    durability: Durability,
    /// How long each round loads each target.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Calls with relays connected.
    #[arg(long, default_value_t = 20_000)]
    calls: u64,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    service::binary(settings)?;
    relays::allow_sockets(settings.agents)?;
    let dir = super::temporary(settings)?;
    let mut report = Report::new("webhook", settings, dir.path())?;
    report.fact(
        "each round",
        format!("{} s for each target", options.seconds),
    );
    let part = |name: &str| -> Result<_> {
        let dir = dir.path().join(name);
        std::fs::create_dir(&dir)?;
        Ok(dir)
    };
    throughput(settings, options, &part("throughput")?, &mut report).await?;
    delivery(settings, options, &part("delivery")?, &mut report).await?;
    flood(settings, options, &part("flood")?, &mut report).await?;
    Ok(report)
}

async fn throughput(
    settings: &Settings,
    options: &Options,
    dir: &Path,
    report: &mut Report,
) -> Result<()> {
    let service = Service::start(settings, dir, options.durability).await?;
    let hooks = hooks(settings, &service, AGENTS).await?;
    let bare = baseline::start_bare()?;
    let bare_load = signed_load(settings, bare.address, &hooks)?;
    let load = signed_load(settings, service.address(), &hooks)?;
    let mut targets = vec![
        Target::new("bare hyper", bare, bare_load),
        Target::new("service", service.process, load),
    ];
    for target in &mut targets {
        target.load(WARM_UP, None).await?;
    }
    let time = Duration::from_secs(options.seconds);
    interleave(settings.rounds, &mut targets, time, None).await?;
    let title = format!(
        "signed calls, {} connections, {}",
        settings.connections,
        options.durability.name()
    );
    summarise(report, &mut targets, &title, true);
    for mut target in targets {
        let (ok, others) = (target.ok, target.others);
        report.check(others == 0, || {
            format!("{}: {others} answers weren't 200", target.name)
        });
        if target.name != "service" {
            continue;
        }
        // Killed, not stopped: what was answered must be there after a crash.
        target.process.kill();
        let stored = rows::commands(&service::database(dir))?;
        report.check(stored == ok, || {
            format!("{ok} calls were answered 200, {stored} commands are stored")
        });
        report.note(format!(
            "{ok} calls answered 200, {stored} commands after SIGKILL"
        ));
    }
    Ok(())
}

async fn delivery(
    settings: &Settings,
    options: &Options,
    dir: &Path,
    report: &mut Report,
) -> Result<()> {
    let service = Service::start(settings, dir, options.durability).await?;
    let hooks = hooks(settings, &service, settings.agents).await?;
    let mut fleet = Fleet::connect(service.address(), settings.agents).await?;
    let load = signed_load(settings, service.address(), &hooks)?;
    let began = Instant::now();
    let outcome = drive::closed(&load, Until::Sent(options.calls)).await?;
    let ok = outcome.ok();
    let deadline = Instant::now() + PATIENCE;
    let arrivals = fleet.arrivals(ok as usize, deadline).await;
    let took = began.elapsed();
    let mut seen = HashSet::new();
    for arrival in &arrivals {
        let serial = calls::serial(&arrival.text).ok_or("a command of no call")?;
        report.check(seen.insert(serial), || format!("call {serial} came twice"));
    }
    report.check(ok == options.calls, || {
        format!("of {} calls {ok} were answered 200", options.calls)
    });
    report.check(seen.len() as u64 == ok, || {
        format!("{} of {ok} calls arrived", seen.len())
    });
    // The last acks are on their way.
    sleep(Duration::from_secs(1)).await;
    let unfinished = rows::commands_unfinished(&service::database(dir))?;
    report.check(unfinished == 0, || {
        format!("{unfinished} commands aren't finished")
    });
    report.note(format!(
        "{ok} calls at {} connections with {} relays: all there after {:.1} s, each once",
        settings.connections,
        fleet.connected(),
        took.as_secs_f64()
    ));
    Ok(())
}

async fn flood(
    settings: &Settings,
    options: &Options,
    dir: &Path,
    report: &mut Report,
) -> Result<()> {
    let service = Service::start(settings, dir, options.durability).await?;
    let hooks = hooks(settings, &service, AGENTS).await?;
    let mut signed = signed_load(settings, service.address(), &hooks)?;
    signed.connections = SIGNED_CONNECTIONS;
    signed.threads = 1;
    let alone = drive::closed(&signed, Until::Elapsed(FLOOD)).await?;
    let mut unsigned = signed.clone();
    unsigned.connections = settings
        .connections
        .saturating_sub(SIGNED_CONNECTIONS)
        .max(1);
    unsigned.script = Script::Calls(Box::new(Calls::new(service.address(), hooks, false)?));
    let (beside, refused) = tokio::try_join!(
        drive::closed(&signed, Until::Elapsed(FLOOD)),
        drive::closed(&unsigned, Until::Elapsed(FLOOD)),
    )?;
    let wrong: u64 = beside.statuses.values().sum::<u64>() - beside.ok();
    report.check(wrong == 0, || {
        format!("beside a flood {wrong} signed calls weren't answered 200")
    });
    let strange: Vec<_> = refused.statuses.keys().copied().collect();
    report.check(
        strange.iter().all(|status| [401, 429].contains(status)),
        || format!("unsigned calls were answered {strange:?}"),
    );
    let recorded = rows::refused_calls(&service::database(dir))?;
    report.note(format!(
        "{SIGNED_CONNECTIONS} connections, signed: {:.0}/s alone, {:.0}/s beside {:.0}/s unsigned \
         of one address, of which {recorded} left a row",
        alone.per_second(),
        beside.per_second(),
        refused.per_second(),
    ));
    Ok(())
}

async fn hooks(settings: &Settings, service: &Service, agents: u64) -> Result<Arc<Vec<Hook>>> {
    service.lift_limits(settings.senders).await?;
    let tokens = service::tokens(agents)?;
    let hooks = calls::hooks(service, settings.senders, &tokens).await?;
    Ok(Arc::new(hooks))
}

fn signed_load(
    settings: &Settings,
    address: std::net::SocketAddr,
    hooks: &Arc<Vec<Hook>>,
) -> Result<Load> {
    let calls = Calls::new(address, hooks.clone(), true)?;
    Ok(Load {
        script: Script::Calls(Box::new(calls)),
        serial: Arc::new(AtomicU64::new(0)),
        ..super::load(settings, address, settings.senders)?
    })
}
