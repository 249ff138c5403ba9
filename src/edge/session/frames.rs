//! Frames received from a relay, and the answers to them. Reports are committed in the order they
//! arrived, while the socket keeps reading.

use futures_util::SinkExt;
use futures_util::stream::FuturesOrdered;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::protocol::Message;

use super::closing::close_for;
use super::{SessionStep, SocketSession, in_time};
use crate::edge::hub::Close;
use crate::edge::wire::{self, Ack, Frame, InvalidField, RelayEvent, Resume};
use crate::limits::MINUTE_MS;

/// The socket closes at this many malformed frames in a minute.
const MALFORMED_MAX: u64 = 5;

/// The outcome of committing a report.
pub(super) enum ReportOutcome {
    Done,
    Say(String),
    /// `resume` was valid, or the error frame when it couldn't be committed.
    Start {
        error: Option<String>,
    },
    /// `resume` was invalid: send `hello` again and then every unfinished command.
    StartAnew {
        hello: String,
    },
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> SocketSession<S> {
    pub(super) async fn read(&mut self, message: Option<Result<Message, WsError>>) -> SessionStep {
        let message = match message {
            None => return Err(None),
            Some(Err(error)) => return Err(close_for(&error)),
            Some(Ok(message)) => message,
        };
        self.last_frame_at = tokio::time::Instant::now();
        self.guard.hub.note_frame(&self.guard);
        let now = self.guard.hub.clock.monotonic();
        match message {
            Message::Text(text) => self.text(text.as_str()).await,
            Message::Binary(_) => Err(Some(Close::new(1003, "text frames only"))),
            Message::Close(_) => Err(None),
            Message::Ping(_) if self.pings.take(now) => {
                in_time(self.limits.write, self.ws.flush()).await // sends the library's pong
            }
            Message::Ping(_) => Err(Some(Close::new(4429, "too many pings"))),
            _ if self.frames.take(now) => Ok(()),
            _ => Err(Some(Close::new(4429, "too many frames"))),
        }
    }

    async fn text(&mut self, text: &str) -> SessionStep {
        let frame = Frame::read(text);
        let ack = frame
            .as_ref()
            .filter(|frame| frame.kind == "command_ack")
            .map(|frame| Ack::read(|name| frame.data.get(name)));
        let now = self.guard.hub.clock.monotonic();
        if !self.is_expected(ack.as_ref()) && !self.frames.take(now) {
            return Err(Some(Close::new(4429, "too many frames")));
        }
        let Some(frame) = frame else {
            return self
                .malformed("malformed", "a frame is an object with a type")
                .await;
        };
        let data = &frame.data;
        let understood = match frame.kind.as_str() {
            "ping" => return self.send(wire::PONG.to_owned()).await,
            "command_ack" => ack
                .unwrap_or_else(|| Ack::read(|name| data.get(name)))
                .map(|ack| self.report_ack(ack)),
            "resume" => Resume::read(data).map(|resume| self.resume(resume)),
            "status" => status(data).map(|status| self.report_status(status)),
            "event" => {
                let event = RelayEvent::read(|name| data.get(name));
                event.map(|event| self.report_event(event))
            }
            _ => {
                return self
                    .malformed("unknown_type", "this type is not known")
                    .await;
            }
        };
        match understood {
            Ok(()) => Ok(()),
            Err(invalid) => self.malformed("malformed", &invalid.to_string()).await,
        }
    }

    /// Acks of commands on this socket don't count as a flood while they change the command's
    /// state.
    fn is_expected(&self, ack: Option<&Result<Ack, InvalidField>>) -> bool {
        let Some(Ok(ack)) = ack else {
            return false;
        };
        let state = self.guard.relay.state();
        let outbox = state.outbox.as_ref();
        outbox.is_some_and(|outbox| outbox.expects(&ack.command_id, ack.report.state()))
    }

    async fn malformed(&mut self, code: &str, reason: &str) -> SessionStep {
        self.send(wire::error(code, reason)).await?;
        let now = self.guard.hub.clock.monotonic();
        self.malformed
            .take(MALFORMED_MAX - 1, MINUTE_MS, 1, now)
            .map(drop)
            .map_err(|_| Some(Close::new(4400, "malformed")))
    }

    fn report_ack(&mut self, ack: Ack) {
        let (hub, relay) = (self.guard.hub.clone(), self.guard.relay.clone());
        self.report(async move {
            match hub.ack(&relay, ack).await {
                Ok(true) => ReportOutcome::Done,
                Ok(false) => ReportOutcome::Say(wire::error(
                    "unknown_command", "this agent has no command with that id",
                )),
                Err(_) => ReportOutcome::Say(not_committed("ack")),
            }
        });
    }

    fn report_event(&mut self, event: RelayEvent) {
        let (hub, relay) = (self.guard.hub.clone(), self.guard.relay.clone());
        self.report(async move {
            let acked = wire::event_ack(&event.event_id);
            match hub.record(&relay, event).await {
                Ok(()) => ReportOutcome::Say(acked),
                Err(_) => ReportOutcome::Say(not_committed("event")),
            }
        });
    }

    fn report_status(&mut self, status: String) {
        let (hub, relay) = (self.guard.hub.clone(), self.guard.relay.clone());
        self.report(async move {
            match hub.set_status(&relay, status).await {
                Ok(()) => ReportOutcome::Done,
                Err(_) => ReportOutcome::Say(not_committed("status")),
            }
        });
    }

    fn resume(&mut self, resume: Resume) {
        let (hub, relay) = (self.guard.hub.clone(), self.guard.relay.clone());
        hub.set_typing(&self.guard, resume.typing);
        self.report(async move {
            let error = match hub.resume(&relay, resume.epoch, resume.last_seq).await {
                Ok(true) => None,
                Ok(false) => match hub.hello(&relay).await {
                    Ok(hello) => return ReportOutcome::StartAnew { hello },
                    Err(_) => Some(not_committed("resume")),
                },
                Err(_) => Some(not_committed("resume")),
            };
            ReportOutcome::Start { error }
        });
    }

    fn report(&mut self, report: impl Future<Output = ReportOutcome> + Send + 'static) {
        self.reports
            .get_or_insert_with(FuturesOrdered::new)
            .push_back(Box::pin(report));
    }

    pub(super) async fn apply_report(&mut self, reported: ReportOutcome) -> SessionStep {
        match reported {
            ReportOutcome::Done => Ok(()),
            ReportOutcome::Say(frame) => self.send(frame).await,
            ReportOutcome::StartAnew { hello } => {
                self.send(hello).await?;
                self.begins_anew = true;
                self.started = true;
                self.start_release();
                Ok(())
            }
            ReportOutcome::Start { error } => {
                if let Some(frame) = error {
                    self.send(frame).await?;
                }
                if !self.started {
                    self.start();
                }
                self.start_release();
                Ok(())
            }
        }
    }
}

fn status(data: &Value) -> Result<String, InvalidField> {
    let status = data.as_object();
    wire::read_status(status.ok_or(InvalidField::new("data", "must be an object."))?)
}

fn not_committed(what: &str) -> String {
    wire::error(
        "unavailable",
        &format!("the {what} could not be kept; send it again"),
    )
}
