//! A simulated service for the relay program: WebSocket, polls and messages, with the faults that a
//! scenario asks for, and a record of the program's behaviour.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::wire::{self, HttpRequest};

pub(super) const AGENT: &str = "conformance";
/// Longest time a poll waits, whatever was asked for.
const POLL_MAX: Duration = Duration::from_secs(2);
pub(super) const HEARTBEAT_S: u64 = 2;
const ORDERS_MAX: usize = 64;

pub(super) struct Simulator {
    pub(super) url: String,
    pub(super) observed: Mutex<Observations>,
    pub(super) changed: watch::Sender<u64>,
    orders: broadcast::Sender<SocketOrder>,
}

/// A message to a socket's task.
#[derive(Debug, Clone)]
enum SocketOrder {
    Frame(Value),
    Close(u16, Option<u64>),
    Break,
}

/// How the next message is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageAnswer {
    /// The connection is closed without an answer.
    Lost,
    Unavailable,
    Refused,
    /// Answered after this time.
    Slow(Duration),
}

#[derive(Debug, Clone)]
pub(super) struct PostedMessage {
    pub(super) key: Option<String>,
    pub(super) body: Value,
}

/// The plan and the observations.
#[derive(Default)]
pub(super) struct Observations {
    pub(super) token: String,
    pub(super) epoch: String,
    pub(super) refuses_sockets: bool,
    /// Acks are ignored, as if lost.
    pub(super) loses_acks: bool,
    pub(super) answers: VecDeque<MessageAnswer>,
    pub(super) bubbles: Vec<String>,
    /// Commands handed out by polls until finished; sockets get them through `Simulator::send`.
    pub(super) outbox: Vec<Value>,
    pub(super) connections: Vec<Instant>,
    pub(super) open: usize,
    pub(super) polls: Vec<Instant>,
    pub(super) refused: Vec<Instant>,
    pub(super) token_in_address: bool,
    pub(super) acks: Vec<Value>,
    pub(super) resumes: Vec<Value>,
    pub(super) frames: Vec<Instant>,
    pub(super) posts: Vec<PostedMessage>,
}

impl Observations {
    /// How often a command was reported with this status.
    pub(super) fn reported(&self, id: &str, status: &str) -> usize {
        let is_it = |ack: &&Value| {
            let success = match ack["success"].as_bool() {
                Some(true) => Some("completed"),
                Some(false) => Some("failed"),
                None => ack["status"].as_str(),
            };
            ack["command_id"] == id && success == Some(status)
        };
        self.acks.iter().filter(is_it).count()
    }

    pub(super) fn completed(&self, id: &str) -> usize {
        self.reported(id, "completed")
    }

    fn take_ack(&mut self, ack: &Value) {
        self.acks.push(ack.clone());
        let ends = matches!(ack["status"].as_str(), Some("completed" | "failed"))
            || ack["success"].is_boolean();
        if ends && !self.loses_acks {
            self.outbox
                .retain(|one| one["command_id"] != ack["command_id"]);
        }
    }

    /// `last_command_id` completes everything handed out up to it.
    fn take_cumulative(&mut self, id: &Value) {
        let at = self.outbox.iter().position(|one| one["command_id"] == *id);
        let ids: Vec<Value> = match at {
            Some(at) => self.outbox[..=at]
                .iter()
                .map(|one| one["command_id"].clone())
                .collect(),
            None => Vec::new(),
        };
        for id in ids {
            self.take_ack(&json!({"command_id": id, "status": "completed"}));
        }
    }
}

impl Simulator {
    pub(super) async fn start(token: String) -> Result<Arc<Self>, String> {
        let failed = |error: std::io::Error| format!("can't listen: {error}");
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let this = Arc::new(Self {
            url: format!("http://{address}"),
            observed: Mutex::new(Observations {
                token,
                epoch: "first".to_owned(),
                bubbles: vec!["ok".to_owned()],
                ..Observations::default()
            }),
            changed: watch::channel(0).0,
            orders: broadcast::channel(ORDERS_MAX).0,
        });
        let simulator = this.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(simulator.clone(), stream));
            }
        });
        Ok(this)
    }

    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Observations) -> T) -> T {
        let changed = change(&mut self.observed.lock());
        self.changed.send_modify(|n| *n += 1);
        changed
    }

    /// Whether the condition becomes true within a time.
    pub(super) async fn until(
        &self,
        within: Duration,
        mut is_so: impl FnMut(&Observations) -> bool,
    ) -> bool {
        let mut changes = self.changed.subscribe();
        let waiting = async {
            while !is_so(&self.observed.lock()) {
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::time::timeout(within, waiting).await.is_ok()
    }

    /// Sends commands to the open socket and keeps them for polls.
    pub(super) fn send(&self, commands: &[Value]) {
        // Under the lock, so that a socket that opens now gets each command once.
        self.change(|observed| {
            observed.outbox.extend_from_slice(commands);
            for command in commands {
                self.frame(json!({"type": "command", "data": command}));
            }
        });
    }

    pub(super) fn frame(&self, frame: Value) {
        let _ = self.orders.send(SocketOrder::Frame(frame)); // without a socket, polls get it
    }

    pub(super) fn close(&self, code: u16, retry_after_ms: Option<u64>) {
        let _ = self.orders.send(SocketOrder::Close(code, retry_after_ms));
    }

    pub(super) fn break_off(&self) {
        let _ = self.orders.send(SocketOrder::Break);
    }
}

async fn serve(simulator: Arc<Simulator>, mut stream: TcpStream) {
    let mut start = [0; 12];
    loop {
        match stream.peek(&mut start).await {
            Ok(12) => break,
            Ok(1..) => tokio::task::yield_now().await,
            _ => return,
        }
    }
    if &start == b"GET /edge/ws" {
        return upgrade(&simulator, stream).await;
    }
    if let Some(request) = HttpRequest::read(&mut stream).await {
        let (path, query) = request
            .target
            .split_once('?')
            .unwrap_or((&request.target, ""));
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let is_known = simulator.change(|observed| {
            observed.token_in_address |= query.contains(&observed.token);
            let is_known =
                request.header("authorization") == Some(&format!("Bearer {}", observed.token));
            if !is_known {
                observed.refused.push(Instant::now());
            }
            is_known
        });
        match path {
            _ if !is_known => wire::answer(&mut stream, 401, "", "{}").await,
            "/edge/sync" => sync(&simulator, &mut stream, &body).await,
            "/edge/message" => message(&simulator, &mut stream, &request, body).await,
            _ => wire::answer(&mut stream, 404, "", "{}").await,
        }
    }
}

async fn message(
    simulator: &Simulator,
    stream: &mut TcpStream,
    request: &HttpRequest,
    body: Value,
) {
    let key = request.header("idempotency-key").map(str::to_owned);
    let key = key.or_else(|| body["context"]["message_id"].as_str().map(str::to_owned));
    let (answer, bubbles) = simulator.change(|observed| {
        observed.posts.push(PostedMessage { key, body });
        (observed.answers.pop_front(), observed.bubbles.clone())
    });
    match answer {
        Some(MessageAnswer::Lost) => return,
        Some(MessageAnswer::Unavailable) => {
            return wire::answer(stream, 503, "Retry-After: 1\r\n", "{}").await;
        }
        Some(MessageAnswer::Refused) => {
            let problem = r#"{"detail":"refused by the simulator"}"#;
            return wire::answer(stream, 422, "", problem).await;
        }
        Some(MessageAnswer::Slow(time)) => tokio::time::sleep(time).await,
        None => {}
    }
    let answer = json!({
        "should_respond": !bubbles.is_empty(), "reply_bubbles": bubbles,
        "reply_text": bubbles.join("\n"), "schedule_message": null, "access": null,
    });
    wire::answer(stream, 200, "", &answer.to_string()).await;
}

async fn sync(simulator: &Simulator, stream: &mut TcpStream, report: &Value) {
    let acked = simulator.change(|observed| {
        observed.polls.push(Instant::now());
        let acks = report["acks"].as_array().cloned().unwrap_or_default();
        acks.iter().for_each(|ack| observed.take_ack(ack));
        observed.take_cumulative(&report["last_command_id"]);
        !acks.is_empty()
    });
    let wait = Duration::from_secs(report["wait_seconds"].as_u64().unwrap_or(0)).min(POLL_MAX);
    if !acked {
        simulator
            .until(wait, |observed| !observed.outbox.is_empty())
            .await;
    }
    let commands = {
        let observed = simulator.observed.lock();
        match observed.open {
            0 => observed.outbox.clone(),
            _ => Vec::new(),
        }
    };
    let answer = json!({
        "commands": commands, "ack_events": [], "config_updates": {}, "has_more": false,
        "ws_connected": false, "server_time": "2026-11-21T04:36:00Z", "later": {"field": 1},
    });
    wire::answer(stream, 200, "", &answer.to_string()).await;
}

async fn upgrade(simulator: &Simulator, stream: TcpStream) {
    #[allow(clippy::result_large_err)] // the library's type
    let check = |request: &Request, response: Response| {
        let query = request.uri().query().unwrap_or_default();
        let bearer = request.headers().get("authorization");
        let bearer = bearer.and_then(|value| value.to_str().ok());
        let status = simulator.change(|observed| {
            observed.token_in_address |= query.contains(&observed.token);
            if bearer != Some(&format!("Bearer {}", observed.token)) {
                observed.refused.push(Instant::now());
                return Some(StatusCode::UNAUTHORIZED);
            }
            observed.refuses_sockets.then_some(StatusCode::BAD_GATEWAY)
        });
        match status {
            None => Ok(response),
            Some(status) => {
                let mut refusal = ErrorResponse::new(None);
                *refusal.status_mut() = status;
                Err(refusal)
            }
        }
    };
    let Ok(socket) = tokio_tungstenite::accept_hdr_async(stream, check).await else {
        return;
    };
    let (orders, epoch, waiting) = simulator.change(|observed| {
        observed.connections.push(Instant::now());
        observed.open += 1;
        let orders = simulator.orders.subscribe();
        (orders, observed.epoch.clone(), observed.outbox.clone())
    });
    converse(simulator, socket, orders, &epoch, &waiting).await;
    simulator.change(|observed| observed.open -= 1);
}

type Socket = tokio_tungstenite::WebSocketStream<TcpStream>;

async fn converse(
    simulator: &Simulator,
    mut socket: Socket,
    mut orders: broadcast::Receiver<SocketOrder>,
    epoch: &str,
    waiting: &[Value],
) -> Option<()> {
    let hello = json!({"protocol": 1, "agent_id": AGENT, "epoch": epoch, "head_seq": 1000,
        "heartbeat_s": HEARTBEAT_S, "silence_s": 3 * HEARTBEAT_S, "ack_timeout_s": 5, "max_in_flight": 64,
        "server_time": "2026-11-21T04:36:00Z", "later": [1]});
    let mut frames = vec![json!({"type": "hello", "data": hello})];
    // Unfinished commands are sent again in reverse order.
    let commands = waiting.iter().rev();
    frames.extend(commands.map(|command| json!({"type": "command", "data": command})));
    for frame in frames {
        socket.send(Message::text(frame.to_string())).await.ok()?;
    }
    loop {
        tokio::select! {
            order = orders.recv() => match order.ok()? {
                SocketOrder::Frame(frame) => socket.send(Message::text(frame.to_string())).await.ok()?,
                SocketOrder::Break => return None,
                SocketOrder::Close(code, retry_after_ms) => {
                    let bye = json!({"code": code, "reason": "conformance", "retry_after_ms": retry_after_ms});
                    let bye = json!({"type": "bye", "data": bye});
                    let _ = socket.send(Message::text(bye.to_string())).await;
                    let frame = CloseFrame { code: code.into(), reason: "conformance".into() };
                    let _ = socket.close(Some(frame)).await;
                    while let Some(Ok(_)) = socket.next().await {}
                    return None;
                }
            },
            frame = socket.next() => {
                let frame = frame?.ok()?;
                simulator.change(|observed| observed.frames.push(Instant::now()));
                if let Message::Text(text) = frame {
                    let frame: Value = serde_json::from_str(&text).ok()?;
                    match frame["type"].as_str() {
                        Some("ping") => socket.send(Message::text(r#"{"type":"pong"}"#)).await.ok()?,
                        Some("command_ack") => simulator.change(|observed| observed.take_ack(&frame["data"])),
                        Some("resume") => simulator.change(|observed| observed.resumes.push(frame["data"].clone())),
                        _ => {}
                    }
                }
            }
        }
    }
}
