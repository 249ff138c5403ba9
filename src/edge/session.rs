//! One relay's socket: timers, writing commands, and passing received frames to `frames`. All
//! changes of commands go through the hub. It never waits for the database while there is something
//! to read.

mod closing;
mod frames;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::stream::{FuturesOrdered, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::tungstenite::{Bytes, Error as WsError};

use super::fragments::Fragments;
use super::hub::{Close, Phase};
use super::presence::SocketGuard;
use super::wire;
use crate::clock::Timestamp;
use crate::error::Result as StoreResult;
use crate::limits::{Bucket, Window};
use crate::model::masking::masked;
use crate::random;
use crate::store::Command;
use frames::ReportOutcome;

/// Commands start after `resume`, or after this time.
const RESUME_WAIT: Duration = Duration::from_millis(250);
/// How long one write may take.
pub(super) const WRITE_MAX: Duration = Duration::from_secs(10);
/// Inbound frames: burst size and rate per second. Fragments have the same limits.
pub(super) const FRAMES_BURST: u32 = 100;
pub(super) const FRAMES_PER_SECOND: u32 = 50;
const PINGS_BURST: u32 = 20;
const PINGS_PER_SECOND: u32 = 1;
/// Reports being committed at the same time; beyond that, reading waits.
const REPORTS_MAX: usize = 256;
/// A restarting service asks relays to reconnect after a random time in this range.
const RETRY_MS: (u64, u64) = (500, 3_000);

type BoxedFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// How a session ends: `None` when the relay is already disconnected.
type SessionEnd = Option<Close>;
type SessionStep = Result<(), SessionEnd>;

/// Time limits of one socket.
#[derive(Debug, Clone, Copy)]
pub(super) struct SocketLimits {
    /// How long one write may take.
    pub(super) write: Duration,
    /// When the relay's token is too old.
    pub(super) token_ends_at: Option<Timestamp>,
}

pub(super) struct SocketSession<S> {
    guard: SocketGuard,
    ws: WebSocketStream<Fragments<S>>,
    limits: SocketLimits,
    /// Commands may be sent.
    started: bool,
    /// All unfinished commands must be sent again, because a `resume` was invalid.
    begins_anew: bool,
    /// `bye` was sent: the service shuts down, no more commands.
    draining: bool,
    opened: Instant,
    last_frame_at: Instant,
    pinged: Instant,
    frames: Bucket,
    pings: Bucket,
    malformed: Window,
    /// Reports being committed, in order of arrival. `None` when there are none, so that an idle
    /// relay uses little memory.
    reports: Option<FuturesOrdered<BoxedFuture<ReportOutcome>>>,
    release: Option<BoxedFuture<StoreResult<Vec<Command>>>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> SocketSession<S> {
    pub(super) fn new(
        guard: SocketGuard,
        ws: WebSocketStream<Fragments<S>>,
        limits: SocketLimits,
    ) -> Self {
        let (now, mono) = (Instant::now(), guard.hub.clock.monotonic());
        Self {
            guard,
            ws,
            limits,
            started: false,
            begins_anew: false,
            draining: false,
            opened: now,
            last_frame_at: now,
            pinged: now,
            frames: Bucket::new(FRAMES_BURST, FRAMES_PER_SECOND, mono),
            pings: Bucket::new(PINGS_BURST, PINGS_PER_SECOND, mono),
            malformed: Window::default(),
            reports: None,
            release: None,
        }
    }

    /// Runs until either side closes.
    ///
    /// The futures that handle an occurrence are boxed: otherwise each of ten thousand idle relays
    /// would hold memory for the largest of them.
    pub(super) async fn run(&mut self) {
        let end = match Box::pin(self.begin()).await {
            Ok(()) => self.exchange().await,
            Err(end) => end,
        };
        self.guard
            .hub
            .stop_commands(&self.guard.relay, &self.guard.mailbox);
        Box::pin(self.end_connection(end)).await;
    }

    async fn begin(&mut self) -> SessionStep {
        let name = masked(&self.guard.relay.name).into_owned();
        let internal = |error| {
            log::warn!("agent {name}: its session could not be started: {error}");
            Some(Close::new(1011, "internal"))
        };
        let SocketGuard { hub, relay, .. } = &self.guard;
        hub.load(relay).await.map_err(internal)?;
        let hello = hub.hello(relay).await.map_err(internal)?;
        self.send(hello).await
    }

    async fn exchange(&mut self) -> SessionEnd {
        let mut phase = self.guard.hub.phase();
        let mailbox = self.guard.mailbox.clone();
        loop {
            let reached = *phase.borrow_and_update();
            if reached != Phase::Running
                && let Err(end) = Box::pin(self.follow_phase(reached)).await
            {
                return end;
            }
            let deadline = self.deadline();
            let waiting = self.reports.as_ref().map_or(0, FuturesOrdered::len);
            let done = tokio::select! {
                frame = self.ws.next(), if waiting < REPORTS_MAX => Box::pin(self.read(frame)).await,
                reported = next_report(&mut self.reports) => Box::pin(self.apply_report(reported)).await,
                commands = running(&mut self.release) => Box::pin(self.send_released(commands)).await,
                () = mailbox.wake.notified() => Box::pin(self.on_wake()).await,
                _ = phase.changed() => Ok(()),
                () = sleep_until(deadline) => Box::pin(self.tick()).await,
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    async fn follow_phase(&mut self, phase: Phase) -> SessionStep {
        match phase {
            Phase::Running => Ok(()),
            Phase::Draining if self.draining => Ok(()),
            Phase::Draining => {
                self.draining = true;
                self.send(bye(Close::new(1012, "restart"))).await
            }
            Phase::Closing => Err(Some(Close::new(1012, "restart"))),
        }
    }

    /// The next time when a timer has something to do.
    fn deadline(&self) -> Instant {
        let hub = &self.guard.hub;
        let mut at = (self.last_frame_at + Duration::from_secs(hub.settings.silence_s))
            .min(self.pinged + Duration::from_secs(hub.settings.heartbeat_s));
        if let Some(ends_at) = self.limits.token_ends_at {
            let wait_ms = u64::try_from(ends_at.0 - hub.clock.now().0).unwrap_or_default();
            at = at.min(Instant::now() + Duration::from_millis(wait_ms));
        }
        if !self.started {
            return at.min(self.opened + RESUME_WAIT);
        }
        let state = self.guard.relay.state();
        if self.release.is_none()
            && !self.draining
            && let Some(timer) = state.outbox.as_ref().and_then(|o| o.next_timer())
        {
            let wait = timer.since(hub.clock.monotonic());
            at = at.min(Instant::now() + Duration::from_millis(wait));
        }
        at
    }

    async fn tick(&mut self) -> SessionStep {
        let now = Instant::now();
        let settings = self.guard.hub.settings;
        if now >= self.last_frame_at + Duration::from_secs(settings.silence_s) {
            return Err(Some(Close::new(4408, "silent")));
        }
        let token_ends_at = self.limits.token_ends_at;
        if token_ends_at.is_some_and(|at| at <= self.guard.hub.clock.now()) {
            return Err(Some(Close::new(4401, "token expired")));
        }
        if now >= self.pinged + Duration::from_secs(settings.heartbeat_s) {
            self.pinged = now;
            self.write(Message::Ping(Bytes::new())).await?;
        }
        if !self.started && now >= self.opened + RESUME_WAIT {
            self.start();
        }
        self.start_release();
        Ok(())
    }

    /// Handles notices from the service for this socket.
    async fn on_wake(&mut self) -> SessionStep {
        let notices = self.guard.mailbox.take_notices();
        if notices.close.is_some() {
            return Err(notices.close);
        }
        for (frame, until) in notices.typing {
            if !self.draining && until > self.guard.hub.clock.now() {
                self.send(frame).await?;
            }
        }
        self.start_release();
        Ok(())
    }

    fn start(&mut self) {
        self.started = true;
        self.guard.hub.start(&self.guard);
    }

    fn start_release(&mut self) {
        if self.started && !self.draining && self.release.is_none() {
            // Not while a release runs: its commands are about to be sent.
            if std::mem::take(&mut self.begins_anew) {
                self.start();
            }
            let SocketGuard {
                hub,
                relay,
                mailbox,
            } = &self.guard;
            let release = hub.clone().release_commands(relay.clone(), mailbox.clone());
            self.release = Some(Box::pin(release));
        }
    }

    async fn send_released(&mut self, commands: StoreResult<Vec<Command>>) -> SessionStep {
        self.release = None;
        let commands = commands.unwrap_or_default(); // the release logged the error
        if commands.is_empty() || self.draining {
            return Ok(()); // committed but unsent commands are sent after the restart
        }
        for command in commands {
            if self.guard.hub.is_wanted(&self.guard.relay, &command) {
                let frame = Message::text(wire::command(&command));
                in_time(self.limits.write, self.ws.feed(frame)).await?;
            }
        }
        in_time(self.limits.write, self.ws.flush()).await?;
        self.guard.mailbox.wake.notify_one();
        Ok(())
    }

    async fn send(&mut self, frame: String) -> SessionStep {
        self.write(Message::text(frame)).await
    }

    async fn write(&mut self, message: Message) -> SessionStep {
        in_time(self.limits.write, self.ws.send(message)).await
    }
}

/// The release's commands; never resolves when no release runs.
async fn running<T>(release: &mut Option<BoxedFuture<T>>) -> T {
    match release {
        Some(release) => release.await,
        None => std::future::pending().await,
    }
}

/// The outcome of the oldest report; never resolves when there is none.
async fn next_report(
    reports: &mut Option<FuturesOrdered<BoxedFuture<ReportOutcome>>>,
) -> ReportOutcome {
    let next = match reports {
        Some(waiting) => waiting.next().await,
        None => None,
    };
    match next {
        Some(reported) => {
            if reports.as_ref().is_some_and(FuturesOrdered::is_empty) {
                *reports = None;
            }
            reported
        }
        None => std::future::pending().await,
    }
}

async fn in_time(most: Duration, write: impl Future<Output = Result<(), WsError>>) -> SessionStep {
    match timeout(most, write).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(None),
        Err(_) => Err(Some(Close::new(4430, "too slow"))),
    }
}

/// A restart tells the relay to reconnect after a random time.
fn bye(close: Close) -> String {
    let (least, most) = RETRY_MS;
    let retry_after_ms = || least + (random::unit() * (most - least) as f64) as u64;
    let retry_after_ms = (close.code == 1012).then(retry_after_ms);
    wire::bye(close.code, close.reason, retry_after_ms)
}
