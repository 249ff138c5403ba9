//! Metrics that are read when `/metrics` is asked for: of the database, of relays and of their
//! commands.

use crate::app::App;
use crate::clock::Timestamp;
use crate::metrics::{self, MetricsRegistry};
use crate::store::Backlog;

/// `backlog`: `None` when it could not be read.
pub(super) fn write(
    page: &MetricsRegistry,
    app: &App,
    backlog: Option<Backlog>,
) -> metrics::MetricsResult {
    app.store.writer_metrics().show(page)?;
    page.gauge(
        "chatkeep_writer_queue_writes",
        "Writes waiting for the writer thread.",
        app.store.queued() as f64,
    )?;
    page.gauge(
        "chatkeep_database_writable",
        "0 while writes to the disk fail.",
        f64::from(u8::from(!app.store.failing())),
    )?;
    page.gauge(
        "chatkeep_clock_jumped",
        "1 while nothing is deleted permanently, because the clock has jumped.",
        f64::from(u8::from(app.clock.steady_now().is_none())),
    )?;
    let sizes = app.store.sizes();
    page.gauge(
        "chatkeep_database_bytes", "Size of the database file.", sizes.database as f64,
    )?;
    page.gauge(
        "chatkeep_wal_bytes", "Size of the write-ahead log.", sizes.log as f64,
    )?;
    page.gauge(
        "chatkeep_relays_connected",
        "Relays connected by a socket.",
        app.hub.connected() as f64,
    )?;
    for relay in app.relays.iter().filter(|relay| relay.is_configured()) {
        let label = ("relay", relay.name);
        page.labelled(
            "chatkeep_relay_up",
            "Whether the built-in relay is connected to its chat network and to the service.",
            label,
            f64::from(u8::from(relay.status.problem().is_none())),
        )?;
        page.labelled(
            "chatkeep_relay_restarts",
            "Restarts of the built-in relay.",
            label,
            relay.status.restarts() as f64,
        )?;
    }
    let Some(backlog) = backlog else {
        return Ok(());
    };
    page.gauge(
        "chatkeep_commands_unfinished",
        "Commands that relays have not finished.",
        backlog.unfinished as f64,
    )?;
    page.gauge(
        "chatkeep_commands_oldest_unfinished_age_seconds",
        "Age of the oldest unfinished command; 0 without one.",
        age_s(backlog.oldest_at, app.clock.now()).unwrap_or_default(),
    )
}

/// Seconds since a time; 0 when the clock was set back since then.
pub(super) fn age_s(since: Option<Timestamp>, now: Timestamp) -> Option<f64> {
    since.map(|at| (now.0 - at.0).max(0) as f64 / 1000.0)
}
