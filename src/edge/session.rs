//! One relay's socket: reads its frames, writes commands, keeps time. Everything it does to
//! commands goes through the hub; it never waits for the database while there is something
//! to read.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::stream::{FuturesOrdered, StreamExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};
use tokio_tungstenite::tungstenite::{Bytes, Error as WsError};

use super::fragments::{Fragments, is_flood};
use super::hub::{Admitted, Close, Hub, Phase, Relay};
use super::socket::{FRAMES_BURST, FRAMES_PER_SECOND};
use super::wire::{self, Ack, Event, Frame};
use crate::limits::{Bucket, MINUTE_MS, Window};
use crate::random;

/// Commands start when `resume` has come, or after this.
const RESUME_WAIT: Duration = Duration::from_millis(250);
const WRITE_MAX: Duration = Duration::from_secs(10);
/// How long the relay has to answer our close.
const CLOSE_MAX: Duration = Duration::from_secs(1);
const CONTROLS_BURST: u32 = 20;
const CONTROLS_PER_SECOND: u32 = 1;
/// The so many-th malformed frame in a minute closes.
const MALFORMED_MAX: u64 = 5;
/// Reports being committed; reading waits beyond.
const REPORTS_MAX: usize = 256;
/// Where a restarting service asks its relays to spread their return.
const RETRY_MS: (u64, u64) = (500, 3_000);

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What follows when a report has been committed, or could not be.
enum Reported {
    Done,
    Say(String),
    Start { hello: Option<String> },
}

pub(super) struct Session<S> {
    hub: Arc<Hub>,
    relay: Arc<Relay>,
    ws: WebSocketStream<Fragments<S>>,
    admitted: Admitted,
    /// Commands may go out.
    started: bool,
    opened: Instant,
    heard: Instant,
    pinged: Instant,
    frames: Bucket,
    controls: Bucket,
    malformed: Window,
    reports: FuturesOrdered<Boxed<Reported>>,
    pump: Option<Boxed<Vec<String>>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Session<S> {
    pub(super) fn new(
        hub: Arc<Hub>,
        relay: Arc<Relay>,
        ws: WebSocketStream<Fragments<S>>,
        admitted: Admitted,
    ) -> Self {
        let (now, mono) = (Instant::now(), hub.clock.monotonic());
        Self {
            hub,
            relay,
            ws,
            admitted,
            started: false,
            opened: now,
            heard: now,
            pinged: now,
            frames: Bucket::new(FRAMES_BURST, FRAMES_PER_SECOND, mono),
            controls: Bucket::new(CONTROLS_BURST, CONTROLS_PER_SECOND, mono),
            malformed: Window::default(),
            reports: FuturesOrdered::new(),
            pump: None,
        }
    }

    /// Until either side closes.
    pub(super) async fn run(mut self) {
        let end = match self.begin().await {
            Ok(()) => self.exchange().await,
            Err(end) => end,
        };
        if let Some(close) = end {
            log::debug!(
                "agent {}: closing {} {}",
                self.relay.name,
                close.code,
                close.reason
            );
            self.close(close).await;
        }
    }

    async fn begin(&mut self) -> Result<(), Option<Close>> {
        let internal = |error| {
            log::warn!("edge session: {error}");
            Some(Close::new(1011, "internal"))
        };
        self.hub.load(&self.relay).await.map_err(internal)?;
        let hello = hello(&self.hub, &self.relay).await.map_err(internal)?;
        self.send(hello).await
    }

    /// The error is how it ends: `None` when there is nobody left to tell.
    async fn exchange(&mut self) -> Option<Close> {
        let mut phase = self.hub.phase();
        let mut draining = false;
        loop {
            let reached = *phase.borrow_and_update();
            if let Err(end) = self.follow_phase(reached, &mut draining).await {
                return end;
            }
            let deadline = self.deadline();
            let relay = self.relay.clone();
            let done = tokio::select! {
                frame = self.ws.next(), if self.reports.len() < REPORTS_MAX => self.read(frame).await,
                Some(reported) = self.reports.next() => self.reported(reported).await,
                frames = running(&mut self.pump) => self.pumped(frames).await,
                () = relay.socket_wake.notified() => { self.start_pump(draining); Ok(()) }
                Some(frame) = self.admitted.typing.recv() => self.send(frame).await,
                Some(close) = self.admitted.close.recv() => Err(Some(close)),
                _ = phase.changed() => Ok(()),
                () = sleep_until(deadline) => self.tick(draining).await,
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    async fn follow_phase(
        &mut self,
        phase: Phase,
        draining: &mut bool,
    ) -> Result<(), Option<Close>> {
        match phase {
            Phase::Running => Ok(()),
            Phase::Draining if *draining => Ok(()),
            Phase::Draining => {
                *draining = true;
                self.send(wire::bye(1012, "restart", Some(retry_after_ms())))
                    .await
            }
            Phase::Closing => Err(Some(Close {
                code: 1012,
                reason: "restart",
                retry_after_ms: Some(retry_after_ms()),
            })),
        }
    }

    /// When something is to be done though nothing happens.
    fn deadline(&self) -> Instant {
        let settings = &self.hub.settings;
        let mut at = (self.heard + Duration::from_secs(settings.silence_s))
            .min(self.pinged + Duration::from_secs(settings.heartbeat_s));
        if !self.started {
            return at.min(self.opened + RESUME_WAIT);
        }
        if self.pump.is_none()
            && let Some(timer) = self
                .relay
                .state()
                .outbox
                .as_ref()
                .and_then(|o| o.next_timer())
        {
            let wait = timer.since(self.hub.clock.monotonic());
            at = at.min(Instant::now() + Duration::from_millis(wait));
        }
        at
    }

    async fn tick(&mut self, draining: bool) -> Result<(), Option<Close>> {
        let now = Instant::now();
        let settings = self.hub.settings;
        if now >= self.heard + Duration::from_secs(settings.silence_s) {
            return Err(Some(Close::new(4408, "silent")));
        }
        if now >= self.pinged + Duration::from_secs(settings.heartbeat_s) {
            self.pinged = now;
            self.write(Message::Ping(Bytes::new())).await?;
        }
        if !self.started && now >= self.opened + RESUME_WAIT {
            self.start();
        }
        self.start_pump(draining);
        Ok(())
    }

    fn start(&mut self) {
        self.started = true;
        self.hub.start(&self.relay, self.admitted.number);
    }

    fn start_pump(&mut self, draining: bool) {
        if self.started && !draining && self.pump.is_none() {
            let pump = self.hub.clone().pump(self.relay.clone());
            self.pump = Some(Box::pin(pump));
        }
    }

    async fn pumped(&mut self, frames: Vec<String>) -> Result<(), Option<Close>> {
        self.pump = None;
        let more = !frames.is_empty();
        for frame in frames {
            self.feed(Message::text(frame)).await?;
        }
        if more {
            self.flush().await?;
            self.relay.socket_wake.notify_one();
        }
        Ok(())
    }

    async fn read(&mut self, frame: Option<Result<Message, WsError>>) -> Result<(), Option<Close>> {
        let message = match frame {
            None => return Err(None),
            Some(Err(error)) => return Err(close_for(&error)),
            Some(Ok(message)) => message,
        };
        self.heard = Instant::now();
        self.hub.heard(&self.relay, self.admitted.number);
        match message {
            Message::Text(text) => self.text(text.as_str()).await,
            Message::Binary(_) => Err(Some(Close::new(1003, "text frames only"))),
            Message::Close(_) => Err(None),
            _ => {
                if !self.controls.take(self.hub.clock.monotonic()) {
                    return Err(Some(Close::new(4429, "too many control frames")));
                }
                self.flush().await // the library's pong
            }
        }
    }

    async fn text(&mut self, text: &str) -> Result<(), Option<Close>> {
        let frame = serde_json::from_str::<Frame>(text);
        let ack = match &frame {
            Ok(frame) if frame.kind == "command_ack" => Some(Ack::read(&frame.data)),
            _ => None,
        };
        if !self.is_expected(ack.as_ref()) && !self.frames.take(self.hub.clock.monotonic()) {
            return Err(Some(Close::new(4429, "too many frames")));
        }
        let Ok(frame) = frame else {
            return self
                .malformed("malformed", "a frame is an object with a type")
                .await;
        };
        match frame.kind.as_str() {
            "ping" => self.send(wire::PONG.to_owned()).await,
            "command_ack" => match ack {
                Some(Ok(ack)) => self.report_ack(ack),
                Some(Err(why)) => self.malformed("malformed", why).await,
                None => Ok(()),
            },
            "resume" => self.resume(&frame.data).await,
            "status" => self.report_status(&frame.data).await,
            "event" => match Event::read(&frame.data) {
                Ok(event) => self.report_event(event),
                Err(why) => self.malformed("malformed", why).await,
            },
            _ => {
                self.malformed("unknown_type", "this type is not known")
                    .await
            }
        }
    }

    /// Acks of commands on this socket are no flood.
    fn is_expected(&self, ack: Option<&Result<Ack, &'static str>>) -> bool {
        let Some(Ok(ack)) = ack else {
            return false;
        };
        self.relay
            .state()
            .outbox
            .as_ref()
            .is_some_and(|outbox| outbox.is_under_way(&ack.command_id))
    }

    async fn malformed(&mut self, code: &str, why: &str) -> Result<(), Option<Close>> {
        self.send(wire::error(code, why)).await?;
        let now = self.hub.clock.monotonic();
        self.malformed
            .take(MALFORMED_MAX - 1, MINUTE_MS, 1, now)
            .map_err(|_| Some(Close::new(4400, "malformed")))
    }

    fn report_ack(&mut self, ack: Ack) -> Result<(), Option<Close>> {
        let (hub, relay) = (self.hub.clone(), self.relay.clone());
        self.report(async move {
            match hub.ack(&relay, ack).await {
                Ok(true) => Reported::Done,
                Ok(false) => Reported::Say(wire::error(
                    "unknown_command",
                    "this agent has no command with that id",
                )),
                Err(_) => Reported::Say(not_kept("ack")),
            }
        })
    }

    fn report_event(&mut self, event: Event) -> Result<(), Option<Close>> {
        let (hub, relay) = (self.hub.clone(), self.relay.clone());
        self.report(async move {
            let acked = wire::event_ack(&event.event_id);
            match hub.record(&relay, event).await {
                Ok(()) => Reported::Say(acked),
                Err(_) => Reported::Say(not_kept("event")),
            }
        })
    }

    async fn report_status(&mut self, data: &Value) -> Result<(), Option<Close>> {
        if !data.is_object() {
            return self
                .malformed("malformed", "status needs an object as data")
                .await;
        }
        let (hub, relay, status) = (self.hub.clone(), self.relay.clone(), data.to_string());
        self.report(async move {
            match hub.set_status(&relay, status).await {
                Ok(()) => Reported::Done,
                Err(_) => Reported::Say(not_kept("status")),
            }
        })
    }

    async fn resume(&mut self, data: &Value) -> Result<(), Option<Close>> {
        let epoch = data.get("epoch").and_then(Value::as_str).map(str::to_owned);
        let last_seq = match data.get("last_seq") {
            None | Some(Value::Null) => 0,
            Some(seq) => match seq.as_u64() {
                Some(seq) => seq,
                None => {
                    return self
                        .malformed("malformed", "last_seq must be an integer")
                        .await;
                }
            },
        };
        let capable = data.get("capabilities").and_then(Value::as_array);
        if capable.is_some_and(|list| list.iter().any(|c| c == "typing")) {
            self.hub.wants_typing(&self.relay, &self.admitted);
        }
        let (hub, relay) = (self.hub.clone(), self.relay.clone());
        self.report(async move {
            let hello = match hub.resume(&relay, epoch, last_seq).await {
                Ok(true) => None,
                Ok(false) => hello(&hub, &relay).await.ok(),
                Err(_) => Some(not_kept("resume")),
            };
            Reported::Start { hello }
        })
    }

    fn report(
        &mut self,
        report: impl Future<Output = Reported> + Send + 'static,
    ) -> Result<(), Option<Close>> {
        self.reports.push_back(Box::pin(report));
        Ok(())
    }

    async fn reported(&mut self, reported: Reported) -> Result<(), Option<Close>> {
        match reported {
            Reported::Done => Ok(()),
            Reported::Say(frame) => self.send(frame).await,
            Reported::Start { hello } => {
                if let Some(frame) = hello {
                    self.send(frame).await?;
                }
                if !self.started {
                    self.start();
                }
                self.relay.socket_wake.notify_one();
                Ok(())
            }
        }
    }

    async fn send(&mut self, frame: String) -> Result<(), Option<Close>> {
        self.write(Message::text(frame)).await
    }

    async fn write(&mut self, message: Message) -> Result<(), Option<Close>> {
        in_time(self.ws.send(message)).await
    }

    async fn feed(&mut self, message: Message) -> Result<(), Option<Close>> {
        in_time(self.ws.feed(message)).await
    }

    async fn flush(&mut self) -> Result<(), Option<Close>> {
        in_time(self.ws.flush()).await
    }

    /// `bye`, the close frame, and a moment for the relay to answer it.
    async fn close(&mut self, close: Close) {
        let bye = wire::bye(close.code, close.reason, close.retry_after_ms);
        let frame = CloseFrame {
            code: close.code.into(),
            reason: close.reason.into(),
        };
        let _ = timeout(CLOSE_MAX, async {
            let _ = self.ws.send(Message::text(bye)).await;
            let _ = self.ws.close(Some(frame)).await;
            while let Some(Ok(_)) = self.ws.next().await {}
        })
        .await;
    }
}

/// The pump's frames, or never when none is running.
async fn running(pump: &mut Option<Boxed<Vec<String>>>) -> Vec<String> {
    match pump {
        Some(pump) => pump.await,
        None => std::future::pending().await,
    }
}

async fn in_time(write: impl Future<Output = Result<(), WsError>>) -> Result<(), Option<Close>> {
    match timeout(WRITE_MAX, write).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(None),
        Err(_) => Err(Some(Close::new(4430, "too slow"))),
    }
}

async fn hello(hub: &Arc<Hub>, relay: &Arc<Relay>) -> crate::error::Result<String> {
    let agent = relay.id;
    let head_seq = hub.store.read(move |view| view.head_seq(agent)).await?;
    Ok(wire::hello(
        &relay.name,
        head_seq,
        &hub.terms,
        hub.clock.now(),
    ))
}

fn not_kept(what: &str) -> String {
    wire::error(
        "unavailable",
        &format!("the {what} could not be kept; send it again"),
    )
}

fn retry_after_ms() -> u64 {
    let (least, most) = RETRY_MS;
    least + (random::unit() * (most - least) as f64) as u64
}

/// The close code for what the framing library found; it sends none itself.
fn close_for(error: &WsError) -> Option<Close> {
    match error {
        WsError::Io(error) if is_flood(error) => Some(Close::new(4429, "too many fragments")),
        WsError::Capacity(_) => Some(Close::new(1009, "too big")),
        WsError::Utf8(_) => Some(Close::new(1007, "not UTF-8")),
        WsError::Protocol(error) => match error {
            tokio_tungstenite::tungstenite::error::ProtocolError::ResetWithoutClosingHandshake => {
                None
            }
            _ => Some(Close::new(1002, "protocol error")),
        },
        _ => None,
    }
}
