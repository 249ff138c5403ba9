//! The terminal's relay: posts typed lines, executes and acks commands from the WebSocket, and
//! reconnects.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_tungstenite::Connector;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, Response};
use tokio_tungstenite::tungstenite::protocol::Message;

use crate::auth::edge_token;
use crate::clock::{Clock, Timestamp};
use crate::outbound::{self, Authorities, PostRequest};
use crate::random;

const POST_MAX: Duration = Duration::from_secs(35);
const POST_TRIES: u32 = 5;
const PAUSE_FIRST: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// The service may ask for longer pauses when it refuses a connection.
const REFUSED_PAUSE_MAX: Duration = Duration::from_secs(60);
const PING_EVERY: Duration = Duration::from_secs(20);
/// After the input ends, reminders due within this time are waited for.
const EXPECTED_MS_MAX: i64 = 60_000;
/// A message that is answered later than this without a text gets its reply as a later message.
const ANSWERED_AT_ONCE_MAX_MS: i64 = 2_000;
/// How long after its time a reminder is waited for.
const LATE_MS_MAX: i64 = 5_000;
/// How long after a message its reply is waited for.
const REPLY_MS_MAX: i64 = 120_000;

/// Close code for a relay whose name another connection took.
const REPLACED: u16 = 4409;

/// How a connection ended.
enum End {
    Closed,
    Replaced,
    /// The service refused it.
    Refused(Refusal),
}

/// The answer of a service that refuses a connection.
struct Refusal {
    status: u16,
    after: Option<Duration>,
}

impl Refusal {
    fn of(answer: &Response<Option<Vec<u8>>>) -> Self {
        let after = answer.headers().get("retry-after");
        let after = after.and_then(|value| value.to_str().ok()?.parse().ok());
        Self {
            status: answer.status().as_u16(),
            after: after.map(Duration::from_secs),
        }
    }

    fn sentence(&self) -> String {
        let status = self.status;
        let why = match status {
            429 => "this terminal has connected too often",
            502..=504 => "it is not ready",
            _ => "is there a proxy that does not pass WebSockets on?",
        };
        format!(
            "the service refused the connection for later messages ({status}): {why}; reminders \
             and late replies are shown after a later attempt succeeds"
        )
    }
}

/// Output for the terminal.
pub(super) enum TerminalOutput {
    Message(Vec<String>),
    /// An answer without text.
    Nothing,
    Notice(String),
    /// The end of the conversation.
    End(String),
}

/// The service's address and how to authenticate.
#[derive(Clone)]
pub(super) struct Service {
    /// http:// or https://, without a trailing slash.
    pub(super) url: String,
    pub(super) token: String,
    /// Trusted certificate authorities; `None` for the web's.
    pub(super) authorities: Option<Authorities>,
}

/// A later message that the service will send.
#[derive(Debug, Clone, Copy)]
enum ExpectedMessage {
    /// A reminder with its time.
    Reminder(Timestamp),
    /// The reply to a message that was sent then.
    Reply(Timestamp),
}

impl ExpectedMessage {
    /// Until when it is waited for; `None`: it comes too late for that.
    fn waited_for_until(self, now: Timestamp) -> Option<Timestamp> {
        let until = match self {
            Self::Reminder(at) if at.0 - now.0 > EXPECTED_MS_MAX => return None,
            Self::Reminder(at) => at.0 + LATE_MS_MAX,
            Self::Reply(since) => since.0 + REPLY_MS_MAX,
        };
        (until >= now.0).then_some(Timestamp(until))
    }
}

#[derive(Clone)]
pub(super) struct Relay {
    service: Service,
    agent_id: String,
    phone: String,
    clock: Clock,
    outputs: mpsc::Sender<TerminalOutput>,
    expected: Arc<Mutex<Vec<ExpectedMessage>>>,
}

impl Relay {
    /// Starts the connection for later messages; it reconnects itself.
    pub(super) fn connect(
        service: Service,
        agent_id: &str,
        phone: &str,
        outputs: mpsc::Sender<TerminalOutput>,
    ) -> Result<Self, String> {
        if !["http://", "https://"]
            .iter()
            .any(|scheme| service.url.starts_with(scheme))
        {
            return Err(format!(
                "--url must begin with http:// or https://, like https://chat.example.com, not {:?}",
                service.url
            ));
        }
        let tls = outbound::tls(service.authorities.as_ref())?;
        let relay = Self {
            service,
            agent_id: agent_id.to_owned(),
            phone: phone.to_owned(),
            clock: Clock::system(),
            outputs,
            expected: Arc::default(),
        };
        tokio::spawn(relay.clone().stay_connected(Connector::Rustls(tls)));
        Ok(relay)
    }

    /// Sends a line and shows the answer. All attempts use one idempotency key.
    pub(super) async fn say(&self, text: String) -> Result<(), String> {
        let (key, sent_at) = (random::uuid().to_string(), self.clock.now());
        let body = json!({
            "chat_guid": format!("terminal;-;{}", self.phone),
            "mode": "direct",
            "sender": self.phone,
            "text": text,
            "timestamp": sent_at.seconds(),
            "participants": [self.phone],
        });
        let answer = self.post(key, body).await?;
        if let Some(at) = answer["schedule_message"]["send_at"]
            .as_str()
            .and_then(parse_time)
        {
            self.expected.lock().push(ExpectedMessage::Reminder(at));
        }
        let bubbles = texts(&answer["reply_bubbles"]);
        let output = if bubbles.is_empty() {
            if self.clock.now().0 - sent_at.0 > ANSWERED_AT_ONCE_MAX_MS {
                self.expected.lock().push(ExpectedMessage::Reply(sent_at));
            }
            TerminalOutput::Nothing
        } else {
            TerminalOutput::Message(bubbles)
        };
        let _ = self.outputs.send(output).await;
        Ok(())
    }

    async fn post(&self, key: String, body: Value) -> Result<Value, String> {
        let mut pause = PAUSE_FIRST;
        let mut problem = String::new();
        for _ in 0..POST_TRIES {
            let (relay, key, body) = (self.clone(), key.clone(), body.clone());
            let answer = tokio::task::spawn_blocking(move || relay.post_once(&key, &body)).await;
            match answer.map_err(|e| e.to_string())? {
                Ok(answer) if answer.status == 200 => return Ok(answer.body),
                Ok(answer) if !matches!(answer.status, 502 | 503) => {
                    let detail = answer.body["detail"].as_str().unwrap_or("no reason given");
                    // A text that is refused is said once; the next one may do.
                    if matches!(answer.status, 413 | 422 | 429) {
                        let _ = self
                            .outputs
                            .send(TerminalOutput::Notice(detail.to_owned()))
                            .await;
                        return Ok(Value::Null);
                    }
                    if answer.status == 401 {
                        return Err(self.unknown_token());
                    }
                    return Err(format!("the service answered {}: {detail}", answer.status));
                }
                Ok(answer) => problem = describe_unready(answer.status),
                Err(error) => problem = describe_unreachable(&error),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
        Err(format!("the service at {} {problem}", self.service.url))
    }

    fn unknown_token(&self) -> String {
        let other = edge_token::agent_in(&self.service.token).filter(|name| *name != self.agent_id);
        let whose = other.map_or(String::new(), |name| {
            let needed = &self.agent_id;
            format!(": it is of the agent {name} (is CHATKEEP_EDGE_TOKEN set?), and the chat needs one of the agent {needed}")
        });
        format!(
            "the service at {} does not accept this token (401){whose}; make one where it runs \
             (chatkeep token edge --agent-id {} --phone {}) and give it with --token",
            self.service.url, self.agent_id, self.phone
        )
    }

    fn post_once(&self, key: &str, body: &Value) -> Result<outbound::Answer, String> {
        outbound::post(&PostRequest {
            headers: &[
                ("idempotency-key", key),
                ("x-edge-agent-id", &self.agent_id),
            ],
            timeout: POST_MAX,
            authorities: self.service.authorities.as_ref(),
            ..PostRequest::new(
                &format!("{}/edge/message", self.service.url),
                &self.service.token,
                body,
            )
        })
        .map_err(|e| e.to_string())
    }

    /// How long to wait for an expected message; `None` when none is expected soon.
    pub(super) fn still_expected(&self) -> Option<Duration> {
        let now = self.clock.now();
        let expected = self.expected.lock();
        let waits = expected.iter().filter_map(|one| one.waited_for_until(now));
        let until = waits.max_by_key(|until| until.0)?;
        Some(Duration::from_millis((until.0 - now.0) as u64))
    }

    async fn stay_connected(self, tls: Connector) {
        let mut finished = HashSet::new();
        let mut pause = PAUSE_FIRST;
        let mut last_refusal = None;
        loop {
            let ended = self.run_connection(&mut finished, tls.clone()).await;
            match ended {
                Ok(End::Refused(refusal)) if refusal.status == 401 => {
                    let _ = self
                        .outputs
                        .send(TerminalOutput::End(self.unknown_token()))
                        .await;
                    return;
                }
                Ok(End::Refused(refusal)) => {
                    // A repeated refusal is reported once.
                    if last_refusal.replace(refusal.status) != Some(refusal.status) {
                        let _ = self
                            .outputs
                            .send(TerminalOutput::Notice(refusal.sentence()))
                            .await;
                    }
                    pause = pause
                        .max(refusal.after.unwrap_or_default())
                        .min(REFUSED_PAUSE_MAX);
                }
                Ok(End::Replaced) => {
                    let notice = "another terminal has joined; later messages arrive there";
                    let _ = self
                        .outputs
                        .send(TerminalOutput::Notice(notice.to_owned()))
                        .await;
                    return;
                }
                Ok(End::Closed) => {
                    pause = PAUSE_FIRST;
                    last_refusal = None;
                }
                Err(error) => log::debug!("relay connection: {error}"),
            }
            if self.outputs.is_closed() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX.max(pause));
        }
    }

    /// Runs one connection until it ends.
    async fn run_connection(
        &self,
        finished: &mut HashSet<String>,
        tls: Connector,
    ) -> Result<End, String> {
        let address = format!(
            "{}/edge/ws?edge_agent_id={}",
            self.service.url.replacen("http", "ws", 1),
            self.agent_id
        );
        let mut request = address.into_client_request().map_err(|e| e.to_string())?;
        let bearer = format!("Bearer {}", self.service.token);
        let bearer = HeaderValue::from_str(&bearer).map_err(|e| e.to_string())?;
        request.headers_mut().insert("authorization", bearer);
        let connected =
            tokio_tungstenite::connect_async_tls_with_config(request, None, false, Some(tls)).await;
        let mut socket = match connected {
            Ok((socket, _)) => socket,
            Err(Error::Http(answer)) => return Ok(End::Refused(Refusal::of(&answer))),
            Err(error) => return Err(error.to_string()),
        };
        let mut ping = tokio::time::interval(PING_EVERY);
        loop {
            let frame = tokio::select! {
                _ = ping.tick() => {
                    let ping = Message::text(r#"{"type":"ping"}"#);
                    socket.send(ping).await.map_err(|e| e.to_string())?;
                    continue;
                }
                frame = socket.next() => frame,
            };
            let text = match frame {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Close(Some(close)))) if u16::from(close.code) == REPLACED => {
                    return Ok(End::Replaced);
                }
                Some(Ok(Message::Close(_))) | None => return Ok(End::Closed),
                Some(Ok(_)) => continue,
                Some(Err(error)) => return Err(error.to_string()),
            };
            let frame: Value = serde_json::from_str(&text).unwrap_or_default();
            if let Some(ack) = self.execute(&frame, finished).await {
                let ack = Message::text(ack.to_string());
                socket.send(ack).await.map_err(|e| e.to_string())?;
            }
        }
    }

    /// Shows a command's message once. Returns its ack.
    async fn execute(&self, frame: &Value, finished: &mut HashSet<String>) -> Option<Value> {
        let data = &frame["data"];
        if frame["type"] != "command" || data["command_type"] != "send_message_now" {
            return None;
        }
        let id = data["command_id"].as_str()?.to_owned();
        let mut status = "completed";
        if !finished.contains(&id) {
            let message = TerminalOutput::Message(texts(&data["payload"]["bubbles"]));
            if self.outputs.send(message).await.is_ok() {
                let is_reply = !data["payload"]["in_reply_to"].is_null();
                self.expected.lock().retain(|expected| match expected {
                    ExpectedMessage::Reminder(at) => *at > self.clock.now(),
                    ExpectedMessage::Reply(_) => !is_reply,
                });
                finished.insert(id.clone());
            } else {
                status = "failed";
            }
        }
        Some(
            json!({"type": "command_ack", "data": {"command_id": id, "status": status, "retryable": true}}),
        )
    }
}

/// The text for a service that is running but refuses messages.
fn describe_unready(status: u16) -> String {
    format!(
        "answers {status}: it is starting, stopping or overloaded, or its disk is full; its log says \
         which. Try again later"
    )
}

fn describe_unreachable(why: &str) -> String {
    format!("can't be reached: {why}; is it running, and is its address right?")
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|t| t.as_str().map(str::to_owned))
        .collect()
}

fn parse_time(text: &str) -> Option<Timestamp> {
    let time = chrono::DateTime::parse_from_rfc3339(text).ok()?;
    Some(Timestamp(time.timestamp_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, retry_after: &str) -> Refusal {
        let answer = Response::builder().status(status);
        let answer = answer.header("retry-after", retry_after);
        Refusal::of(&answer.body(None).unwrap())
    }

    #[test]
    fn a_refused_connection_is_reported_with_its_reason() {
        for (status, part) in [(404, "proxy"), (429, "too often"), (503, "not ready")] {
            let refusal = refused(status, "7");
            assert_eq!(refusal.after, Some(Duration::from_secs(7)));
            let text = refusal.sentence();
            assert!(
                text.contains(part) && text.contains(&status.to_string()),
                "{text}"
            );
        }
        assert_eq!(refused(429, "soon").after, None);
    }

    #[test]
    fn reminders_of_the_next_minute_and_late_replies_are_waited_for() {
        let now = Timestamp(1_000_000);
        let at = |seconds: i64| Timestamp(now.0 + seconds * 1_000);
        for (expected, until) in [
            (ExpectedMessage::Reminder(at(20)), Some(at(25))),
            (ExpectedMessage::Reminder(at(-3)), Some(at(2))),
            (ExpectedMessage::Reminder(at(-6)), None),
            (ExpectedMessage::Reminder(at(61)), None),
            (ExpectedMessage::Reply(at(-30)), Some(at(90))),
            (ExpectedMessage::Reply(at(-121)), None),
        ] {
            assert_eq!(expected.waited_for_until(now), until, "{expected:?}");
        }
    }

    #[test]
    fn a_service_that_answers_is_not_called_unreachable() {
        assert!(describe_unready(503).starts_with("answers 503: "));
        assert!(!describe_unready(503).contains("reached"));
        assert!(describe_unreachable("refused").contains("is it running"));
    }
}
