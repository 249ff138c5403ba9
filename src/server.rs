//! Serves the routes on a listener until the caller stops the service, then drains it. The caller
//! owns the listener and the signal. This module must not know what a request means.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::{App, jobs};
use crate::edge::hub::Phase;
use crate::http::{self, DrainEnd};
use crate::limits;
use crate::routes;

/// Longest pause within a request's body.
const BODY_IDLE: Duration = Duration::from_secs(10);
/// How long relays may still ack commands after everything else has ended.
const LAST_ACKS_MAX: Duration = Duration::from_secs(2);
/// How long sockets have to close.
const SOCKETS_CLOSE_MAX: Duration = Duration::from_secs(2);
/// The pause between two checks of a condition that a drain waits for.
const DRAIN_PAUSE: Duration = Duration::from_millis(20);

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    Clean,
    /// Requests were still running when the grace period ended.
    GraceRanOut,
    /// Writing can't be trusted any more; a supervisor should restart the service.
    StorageLost,
}

/// Serves until `stop` turns true, then drains: relays are told immediately, running requests
/// finish within the grace period, and acks are accepted until then.
pub async fn run(app: Arc<App>, listener: TcpListener, stop: watch::Receiver<bool>) -> RunEnd {
    let (stop_http, http_stopped) = watch::channel(false);
    let mut background = jobs::start(&app, listener.local_addr().ok());
    let serving = tokio::spawn(http::serve(
        listener,
        http_settings(&app),
        routes::handler(app.clone()),
        http_stopped,
    ));
    let is_storage_lost = until_stopped(&app, stop).await;
    app.hub.set_phase(Phase::Draining);
    let _ = stop_http.send(true);
    let drained = serving.await.unwrap_or(DrainEnd::GraceRanOut);
    wait_for(LAST_ACKS_MAX, || app.hub.in_flight() == 0).await;
    app.hub.set_phase(Phase::Closing);
    wait_for(SOCKETS_CLOSE_MAX, || app.hub.connected() == 0).await;
    background.shutdown().await;
    app.backups.end().await;
    if let Err(error) = app.store.note_written(app.clock.now()).await {
        log::warn!("deliveries could not be recorded: {error}");
    }
    // A hanging call may still hold the store: deleted data must not stay in the log until it
    // ends.
    if let Err(error) = app.store.compact(false).await {
        log::warn!("the write-ahead log was not emptied: {error}");
    }
    match (is_storage_lost, drained) {
        (true, _) => RunEnd::StorageLost,
        (false, DrainEnd::Clean) => RunEnd::Clean,
        (false, DrainEnd::GraceRanOut) => RunEnd::GraceRanOut,
    }
}

/// True when the storage was lost.
async fn until_stopped(app: &App, mut stop: watch::Receiver<bool>) -> bool {
    let mut lost = app.store.watch_write_failure();
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => false,
        _ = lost.wait_for(|lost| *lost) => true,
    }
}

async fn wait_for(timeout: Duration, is_done: impl Fn() -> bool) {
    let waiting = async {
        while !is_done() {
            tokio::time::sleep(DRAIN_PAUSE).await;
        }
    };
    let _ = tokio::time::timeout(timeout, waiting).await;
}

/// The network whose connections are limited; `None` for trusted proxies, which serve many
/// clients, and in development for this machine.
fn connection_group(app: &App, peer: IpAddr) -> Option<IpAddr> {
    let peer = peer.to_canonical();
    let proxies = app.trusted_proxies.get();
    let is_exempt = (!app.config.is_production() && peer.is_loopback())
        || proxies.iter().any(|network| network.contains(peer));
    (!is_exempt).then(|| limits::network_of(peer))
}

fn http_settings(app: &Arc<App>) -> http::ServerSettings {
    let (group_app, server) = (app.clone(), &app.config.server);
    http::ServerSettings {
        header_timeout: Duration::from_secs(server.header_timeout_s),
        body_idle_timeout: BODY_IDLE,
        body_timeout: Duration::from_secs(server.body_timeout_s),
        write_timeout: Duration::from_secs(server.write_timeout_s),
        max_connections: server.max_connections as usize,
        max_connections_per_address: server.connections_per_address() as usize,
        address_group: Arc::new(move |peer| connection_group(&group_app, peer)),
        shutdown_grace: Duration::from_secs(server.shutdown_grace_s),
        metrics: app.server_metrics.clone(),
    }
}
