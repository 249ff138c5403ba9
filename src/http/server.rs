//! The accept loop: one task per connection, connection limits, and draining. A `Handler` decides
//! what is answered; this file must not.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::body::BodyLimits;
use super::boundary::Boundary;
use super::connection;
use super::metrics::ServerMetrics;
use super::slots::{AddressGroup, NoSlot, Slot, Slots};
use super::{Handler, head, problem};
use crate::error::Error;

/// Limit of a request's head: request line and headers.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Refused connections that get an answer at the same time; further ones are closed without one.
const REFUSED_CONNECTIONS_MAX: usize = 64;
/// Pause after a failed accept. Without it, an accept that fails because descriptors ran out would
/// spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const ACCEPT_LOG_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct ServerSettings {
    /// Time for a whole head, also for the next one on a kept-alive connection.
    pub header_timeout: Duration,
    /// The longest pause between two pieces of a body.
    pub body_idle_timeout: Duration,
    /// Time for a whole body.
    pub body_timeout: Duration,
    /// A connection is closed when its peer accepts no byte for this time.
    pub write_timeout: Duration,
    /// Limit of open connections, including upgraded sockets.
    pub max_connections: usize,
    /// Limit of open connections per address group (see `address_group`).
    pub max_connections_per_address: usize,
    pub address_group: AddressGroup,
    pub shutdown_grace: Duration,
    /// Keep a clone to read the server's metrics.
    pub metrics: ServerMetrics,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            body_idle_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(20),
            max_connections: 10_000,
            max_connections_per_address: 2_500,
            address_group: Arc::new(Some),
            shutdown_grace: Duration::from_secs(30),
            metrics: ServerMetrics::default(),
        }
    }
}

/// How a drain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainEnd {
    Clean,
    GraceRanOut,
}

/// Serves until `stop` becomes true or its sender is dropped. Then it lets running requests finish
/// within the grace period. It does not wait for upgraded sockets.
pub async fn serve(
    listener: TcpListener,
    settings: ServerSettings,
    handler: Handler,
    mut stop: watch::Receiver<bool>,
) -> DrainEnd {
    let grace = settings.shutdown_grace;
    let server = Arc::new(Server::new(settings, handler));
    let mut connections = JoinSet::new();
    let mut logged_at: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop_requested(&mut stop) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => server.admit(stream, peer, &stop, &mut connections),
            // The client disconnected before it was accepted: no pause needed.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                if logged_at.is_none_or(|at| at.elapsed() >= ACCEPT_LOG_INTERVAL) {
                    logged_at = Some(Instant::now());
                    log::error!("connections can't be accepted: {error}");
                }
                // Whether the pause or `stop` ended the wait, the loop continues and checks `stop`
                // first.
                let _ = tokio::time::timeout(ACCEPT_PAUSE, stop_requested(&mut stop)).await;
            }
        }
    }
    drop(listener);
    let drain = async { while connections.join_next().await.is_some() {} };
    match tokio::time::timeout(grace, drain).await {
        Ok(()) => DrainEnd::Clean,
        Err(_) => DrainEnd::GraceRanOut,
    }
}

/// Resolves when a drain is requested. A dropped sender counts as a request.
async fn stop_requested(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

struct Server {
    http: http1::Builder,
    boundary: Arc<Boundary>,
    metrics: ServerMetrics,
    slots: Slots,
    write_timeout: Duration,
    refusals: Arc<Semaphore>,
}

impl Server {
    fn new(settings: ServerSettings, handler: Handler) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(settings.header_timeout)
            .max_buf_size(HEAD_BYTES_MAX)
            .max_header_size(HEAD_BYTES_MAX)
            // Without this, a client that has sent its request and closes its sending side would
            // cancel the handler.
            .half_close(true);
        let limits = BodyLimits {
            idle: settings.body_idle_timeout,
            total: settings.body_timeout,
        };
        let slots = Slots::new(
            settings.max_connections,
            settings.max_connections_per_address,
            settings.address_group,
            settings.metrics.clone(),
        );
        Self {
            http,
            boundary: Arc::new(Boundary::new(handler, limits, settings.metrics.clone())),
            metrics: settings.metrics,
            slots,
            write_timeout: settings.write_timeout,
            refusals: Arc::new(Semaphore::new(REFUSED_CONNECTIONS_MAX)),
        }
    }

    fn admit(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        stop: &watch::Receiver<bool>,
        connections: &mut JoinSet<()>,
    ) {
        match self.slots.take(peer.ip()) {
            Ok(slot) => {
                let (server, stop) = (self.clone(), stop.clone());
                connections
                    .spawn(async move { server.serve_connection(stream, peer, slot, stop).await });
            }
            Err(reason) => {
                self.metrics.count_refused_connection();
                self.refuse(stream, peer, reason, connections);
            }
        }
    }

    fn refuse(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        reason: NoSlot,
        connections: &mut JoinSet<()>,
    ) {
        if reason == NoSlot::PerAddress {
            log::debug!("{} has as many connections as one address may", peer.ip());
        }
        if let Ok(permit) = self.refusals.clone().try_acquire_owned() {
            let (slot, timeout) = (Slot::uncounted(permit), self.write_timeout);
            connections.spawn(refuse(stream, peer, reason, slot, timeout));
        }
    }

    async fn serve_connection(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        slot: Slot,
        mut stop: watch::Receiver<bool>,
    ) {
        if let Err(error) = stream.set_nodelay(true) {
            log::debug!("TCP_NODELAY can't be set: {error}");
        }
        let (io, connection) = connection::split(stream, peer.ip(), slot, self.write_timeout);
        let service = service_fn(|request| {
            let (boundary, connection) = (self.boundary.clone(), connection.clone());
            async move { Ok::<_, Infallible>(boundary.answer(request, connection).await) }
        });
        let outcome = {
            let http = self.http.serve_connection(TokioIo::new(io), service);
            let mut http = pin!(http.with_upgrades());
            tokio::select! {
                biased;
                outcome = http.as_mut() => outcome,
                () = stop_requested(&mut stop) => {
                    http.as_mut().graceful_shutdown();
                    http.await
                }
            }
        };
        if let Err(error) = &outcome {
            log::debug!("a connection ended early: {error}");
        }
        if connection.has_unread() || outcome.is_err_and(|error| error.is_parse()) {
            connection.linger().await;
        }
    }
}

/// Answers a connection beyond the limit without reading its request.
async fn refuse(
    stream: TcpStream,
    peer: SocketAddr,
    reason: NoSlot,
    slot: Slot,
    write_timeout: Duration,
) {
    let error = Error::unavailable(match reason {
        NoSlot::All => "Too many connections are open; try again in a moment.",
        NoSlot::PerAddress => "Too many connections are open from your address; close some first.",
    });
    let answer = problem::raw(&error, head::new_request_id().as_str());
    let (mut io, connection) = connection::split(stream, peer.ip(), slot, write_timeout);
    let reply = async {
        tokio::io::AsyncWriteExt::write_all(&mut io, &answer).await?;
        tokio::io::AsyncWriteExt::shutdown(&mut io).await
    };
    match reply.await {
        Ok(()) => connection.linger().await,
        Err(error) => log::debug!("a connection beyond the limit was not answered: {error}"),
    }
}
