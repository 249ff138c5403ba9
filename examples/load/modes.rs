//! One file per mode: what is started, in which order it is loaded, and what is reported.

pub(crate) mod backup;
pub(crate) mod export;
pub(crate) mod fan_out;
pub(crate) mod growth;
pub(crate) mod ingest;
pub(crate) mod peers;
pub(crate) mod read;
pub(crate) mod relays;
pub(crate) mod start;
pub(crate) mod webhook;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tempfile::TempDir;

use crate::drive::{self, Load, Script, Until};
use crate::service::{self, Service};
use crate::{Result, Settings};

/// Removed with everything in it at the end of the run.
fn temporary(settings: &Settings) -> Result<TempDir> {
    let dir = settings.dir.clone().unwrap_or_else(std::env::temp_dir);
    Ok(tempfile::Builder::new()
        .prefix("chatkeep-load-")
        .tempdir_in(std::path::absolute(dir)?)?)
}

fn load(settings: &Settings, address: SocketAddr, senders: u64) -> Result<Load> {
    Ok(Load {
        address,
        connections: settings.connections.max(1),
        threads: settings.threads,
        senders,
        script: Script::Messages,
        tokens: Arc::new(service::tokens(settings.agents)?),
        serial: Arc::new(AtomicU64::new(0)),
    })
}

/// Fills a database through the service's own front door, at full speed.
async fn fill(settings: &Settings, service: &Service, rows: u64) -> Result<Load> {
    let senders = service.lift_limits(settings.senders).await?;
    let load = load(settings, service.address(), senders)?;
    let outcome = drive::closed(&load, Until::Sent(rows)).await?;
    if outcome.ok() != rows {
        return Err(format!(
            "{rows} messages were sent, answered: {:?}",
            outcome.statuses
        )
        .into());
    }
    Ok(load)
}
