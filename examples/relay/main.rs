//! The smallest honest relay, to copy from when you connect another chat network. It reads
//! messages from standard input and "sends" what it is told by printing it; a real relay
//! puts its network in those two places: [`read_lines`] and [`send_to_network`]. Copy the folder.
//!
//!     CHATKEEP_EDGE_TOKEN=$(chatkeep token edge --agent-id my-relay --phone +15550001111) \
//!         cargo run --example relay -- --url http://127.0.0.1:8080 --agent-id my-relay
//!
//! What makes it honest:
//! - A message goes up with an `Idempotency-Key` and is repeated with the same key until it is
//!   answered. The service then counts and answers it once, also behind a proxy that keeps its
//!   own connection open (without a key the service can't tell a retry from a new message).
//! - A command comes at least once. Finished ids are on disk before they are acked, so one that
//!   comes again, even after a restart of the relay, is acked again and not sent again.
//! - It never decides that a connection is fine because nothing was heard: silence is an end.
//!
//! It speaks plain `http`/`ws`. For `wss` give tokio-tungstenite its `rustls-tls-webpki-roots`
//! feature; `--poll` does `https` as it is.

mod finished;
mod reconnect;

use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, interval, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use finished::Finished;
use reconnect::{BACKOFF_MAX, Next, after_close, after_refusal, backoff};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const LINES_WAITING_MAX: usize = 1_000;
const FORWARD_ATTEMPTS_MAX: u32 = 20;
const NETWORK_TIMEOUT: Duration = Duration::from_secs(10);
const FRAME_BYTES_MAX: usize = 256 * 1024;
const POLL_WAIT_S: u64 = 25;
/// Two polls begin at least this far apart: the service allows 60 a minute.
const POLL_GAP: Duration = Duration::from_secs(1);

#[derive(Parser)]
#[command(about = "A minimal Chatkeep relay: standard input up, commands to standard output")]
struct Options {
    /// Where the service listens.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: String,
    #[arg(long)]
    agent_id: String,
    /// Better given as CHATKEEP_EDGE_TOKEN: a command line is visible to everyone on the machine.
    #[arg(long)]
    token: Option<String>,
    /// Who writes the lines of standard input.
    #[arg(long, default_value = "+15550001111")]
    sender: String,
    /// Where finished commands are remembered [default: AGENT_ID.finished].
    #[arg(long)]
    state: Option<PathBuf>,
    /// Long polling in place of the WebSocket.
    #[arg(long)]
    poll: bool,
}

/// What every part of the relay needs.
struct Relay {
    url: String,
    agent_id: String,
    token: String,
    sender: String,
    http: ureq::Agent,
    finished: Mutex<Finished>,
}

impl Relay {
    fn finished(&self) -> MutexGuard<'_, Finished> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let token = options
        .token
        .or_else(|| std::env::var("CHATKEEP_EDGE_TOKEN").ok())
        .ok_or("no token: set CHATKEEP_EDGE_TOKEN (or --token)")?;
    let default_state = || format!("{}.finished", options.agent_id).into();
    let state = options.state.unwrap_or_else(default_state);
    let relay = Arc::new(Relay {
        url: options.url.trim_end_matches('/').to_owned(),
        agent_id: options.agent_id,
        token,
        sender: options.sender,
        http: ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(POLL_WAIT_S + 35)))
            .build()
            .into(),
        finished: Mutex::new(Finished::open(state)?),
    });

    // Up and down are independent: a socket that is away must not hold messages back.
    let mut lines = read_lines();
    let up = async {
        // One after the other: messages of a chat must arrive in the order they were written.
        while let Some(text) = lines.recv().await {
            forward(&relay, &text).await?;
        }
        Ok(())
    };
    if options.poll {
        tokio::try_join!(up, poll(&relay))?;
    } else {
        tokio::try_join!(up, stay_connected(&relay))?;
    }
    Ok(()) // never: an end of input leaves the commands coming
}

// ---- Up: messages -------------------------------------------------------------------------

/// A plain thread, because reading standard input can't be cancelled. The bound makes a fast
/// writer wait for the service rather than fill the memory.
fn read_lines() -> mpsc::Receiver<String> {
    let (lines, receiver) = mpsc::channel(LINES_WAITING_MAX);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(io::Result::ok) {
            if !line.trim().is_empty() && lines.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

async fn forward(relay: &Arc<Relay>, text: &str) -> Result<()> {
    let chat = format!("relay;-;{}", relay.sender);
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let message = json!({
        "chat_guid": chat, "mode": "direct", "sender": relay.sender, "text": text,
        "timestamp": now, "participants": [relay.sender],
    });
    // Made once per message, before the first attempt: that is what makes a retry safe. A relay
    // whose network gives its messages ids uses that id, and is then safe across restarts too.
    let key = uuid::Uuid::new_v4().to_string();
    for attempt in 0..FORWARD_ATTEMPTS_MAX {
        let wait = match post(relay, "/edge/message", &message, Some(&key)).await {
            Ok((200, _, body)) => {
                // The reply is in the answer; it never comes again as a command.
                let bubbles = body["reply_bubbles"].clone();
                spawn_blocking(move || send_to_network(&chat, &bubbles)).await??;
                return Ok(());
            }
            Ok((401, ..)) => return Err("401: get a new token".into()),
            Ok((429 | 502 | 503, wait, _)) => wait,
            Ok((status, _, body)) => {
                // The same again would be refused again.
                eprintln!("not accepted ({status}): {}", body["detail"]);
                return Ok(());
            }
            Err(error) => {
                eprintln!("sending failed: {error}");
                Duration::ZERO
            }
        };
        sleep(wait.max(backoff(attempt))).await;
    }
    eprintln!("given up after {FORWARD_ATTEMPTS_MAX} attempts: {text}");
    Ok(())
}

/// Status, `Retry-After` and body of an answer. No answer at all is an error.
type Answer = (u16, Duration, Value);

async fn post(relay: &Arc<Relay>, path: &str, body: &Value, key: Option<&str>) -> Result<Answer> {
    let mut request = relay
        .http
        .post(format!("{}{path}", relay.url))
        .header("Authorization", format!("Bearer {}", relay.token))
        .header("Content-Type", "application/json");
    if let Some(key) = key {
        request = request.header("Idempotency-Key", key);
    }
    let body = body.to_string();
    spawn_blocking(move || {
        let mut answer = request.send(&body)?;
        let wait = answer.headers().get("Retry-After");
        let wait = wait
            .and_then(|v| v.to_str().ok()?.parse().ok())
            .unwrap_or(0);
        // A 200 that breaks off half way is no answer; what a proxy says in HTML is one.
        let text = answer.body_mut().read_to_string()?;
        let body = serde_json::from_str(&text).unwrap_or_default();
        Ok((answer.status().as_u16(), Duration::from_secs(wait), body))
    })
    .await?
}

// ---- Down: commands -----------------------------------------------------------------------

/// The place where a real relay calls its network. Here it can only fail when nobody reads us.
fn send_to_network(chat: &str, bubbles: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for bubble in bubbles.as_array().into_iter().flatten() {
        writeln!(out, "[{chat}] {}", bubble.as_str().unwrap_or_default())?;
    }
    out.flush()
}

/// Obeys one command and returns its ack: do it, remember it on disk, only then say so. A crash
/// before it is remembered sends it twice; the other order would lose it.
async fn obey(relay: &Arc<Relay>, command: Value) -> Result<Value> {
    let relay = relay.clone();
    spawn_blocking(move || {
        let id = command["command_id"].as_str().unwrap_or_default();
        let mut finished = relay.finished();
        if let Some(status) = finished.statuses.get(id) {
            return Ok(json!({"command_id": id, "status": status}));
        }
        // A type this relay doesn't know fails for good: asking again teaches it nothing.
        let mut status = "failed";
        if command["command_type"] == "send_message_now" {
            let payload = &command["payload"];
            let chat = payload["thread_id"].as_str().unwrap_or_default();
            if let Err(error) = send_to_network(chat, &payload["bubbles"]) {
                // Not remembered as finished: the service sends it again after a while.
                let error = error.to_string();
                let ack = json!({"command_id": id, "status": "failed", "error": error, "retryable": true});
                return Ok(ack);
            }
            status = "completed";
        }
        finished.remember(id, command["seq"].as_u64().unwrap_or(0), status)?;
        Ok(json!({"command_id": id, "status": status}))
    })
    .await?
}

async fn stay_connected(relay: &Arc<Relay>) -> Result<()> {
    if relay.url.starts_with("https") {
        return Err("wss needs a TLS feature of tokio-tungstenite; --poll does https".into());
    }
    let mut attempt = 0;
    loop {
        let began = Instant::now();
        let next = connection(relay).await.unwrap_or_else(|error| {
            eprintln!("connection lost: {error}");
            Ok(Duration::ZERO)
        });
        if began.elapsed() > BACKOFF_MAX {
            attempt = 0; // it was a good one
        }
        sleep(next?.max(backoff(attempt))).await;
        attempt += 1;
    }
}

/// One connection from its handshake to its end.
async fn connection(relay: &Arc<Relay>) -> Result<Next> {
    let ws_url = relay.url.replacen("http", "ws", 1);
    let mut request =
        format!("{ws_url}/edge/ws?edge_agent_id={}", relay.agent_id).into_client_request()?;
    // The token goes into the header: the service never reads one from the address.
    request
        .headers_mut()
        .insert("Authorization", format!("Bearer {}", relay.token).parse()?);
    let config = WebSocketConfig::default()
        .read_buffer_size(4096)
        .max_message_size(Some(FRAME_BYTES_MAX));
    let handshake = connect_async_with_config(request, Some(config), true);
    match timeout(NETWORK_TIMEOUT, handshake).await? {
        Ok((socket, _)) => converse(relay, socket).await,
        Err(WsError::Http(response)) => Ok(after_refusal(response.status().as_u16())),
        Err(error) => Err(error.into()),
    }
}

async fn converse(relay: &Arc<Relay>, mut socket: Socket) -> Result<Next> {
    let mut heard = Instant::now();
    let mut silence = Duration::from_secs(90);
    let mut pings = interval(Duration::from_secs(30));
    let mut retry_after = Duration::ZERO;
    loop {
        let frame = tokio::select! {
            frame = socket.next() => frame,
            _ = pings.tick() => {
                send(&mut socket, json!({"type": "ping"})).await?;
                continue;
            }
            () = sleep_until(heard + silence) => return Err("nothing heard, taken for dead".into()),
        };
        heard = Instant::now();
        let text = match frame {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(close))) => {
                let code = close.map_or(1006, |close| u16::from(close.code));
                return Ok(after_close(code, retry_after));
            }
            Some(Ok(_)) => continue, // control pings are answered by the library
            Some(Err(error)) => return Err(error.into()),
            None => return Ok(after_close(1006, retry_after)),
        };
        let frame: Value = serde_json::from_str(&text)?;
        let data = &frame["data"];
        match frame["type"].as_str() {
            Some("hello") => {
                silence = Duration::from_secs(data["silence_s"].as_u64().unwrap_or(90).max(1));
                let heartbeat = data["heartbeat_s"].as_u64().unwrap_or(30).max(1);
                pings = interval(Duration::from_secs(heartbeat));
                send(&mut socket, resume(relay, data)).await?;
            }
            Some("command") => {
                let ack = obey(relay, data.clone()).await?;
                send(&mut socket, json!({"type": "command_ack", "data": ack})).await?;
            }
            Some("bye") => {
                retry_after = Duration::from_millis(data["retry_after_ms"].as_u64().unwrap_or(0));
            }
            Some("error") => eprintln!("the service says: {data}"),
            _ => {} // pong, and whatever a later version adds
        }
    }
}

/// Says how far we are, so that acks which got lost with the last connection are made good.
fn resume(relay: &Relay, hello: &Value) -> Value {
    let mut finished = relay.finished();
    let epoch = hello["epoch"].as_str().unwrap_or_default();
    finished.enter(epoch, hello["head_seq"].as_u64().unwrap_or(0));
    json!({"type": "resume", "data": {"epoch": epoch, "last_seq": finished.last_seq}})
}

async fn send(socket: &mut Socket, frame: Value) -> Result<()> {
    timeout(
        NETWORK_TIMEOUT,
        socket.send(Message::text(frame.to_string())),
    )
    .await??;
    Ok(())
}

/// The same without a socket: acks go up with the next poll, which waits for commands.
async fn poll(relay: &Arc<Relay>) -> Result<()> {
    let mut acks: Vec<Value> = Vec::new(); // at most `limit`
    let mut attempt = 0;
    loop {
        let began = Instant::now();
        let body = json!({"acks": acks, "wait_seconds": POLL_WAIT_S, "limit": 50});
        let wait = match post(relay, "/edge/sync", &body, None).await {
            Ok((200, _, body)) => {
                (acks, attempt) = (Vec::new(), 0);
                for command in body["commands"].as_array().into_iter().flatten() {
                    acks.push(obey(relay, command.clone()).await?);
                    if acks.last().is_some_and(|ack| ack["retryable"] == true) {
                        break; // the rest comes again, in order
                    }
                }
                // Somebody of our name holds a socket, and gets the commands.
                let gap = if body["ws_connected"] == true {
                    BACKOFF_MAX
                } else {
                    POLL_GAP
                };
                sleep_until(began + gap).await;
                continue;
            }
            Ok((status @ (401 | 422), _, body)) => {
                return Err(format!("{status}: {}", body["detail"]).into());
            }
            Ok((_, wait, _)) => wait,
            Err(error) => {
                eprintln!("poll failed: {error}");
                Duration::ZERO
            }
        };
        sleep(wait.max(backoff(attempt))).await;
        attempt += 1;
    }
}
