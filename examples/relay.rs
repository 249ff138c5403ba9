//! The smallest honest relay: one file to copy from when you connect another chat network. It
//! reads messages from standard input and "sends" what it is told by printing it; put your
//! network in these two places: [`read_lines`] and [`send_to_network`].
//!
//!     export CHATKEEP_EDGE_TOKEN=$(chatkeep token edge --agent-id my-relay --phone +15550111)
//!     cargo run --example relay -- --agent-id my-relay
//!
//! What makes it honest:
//! - A message goes up with an `Idempotency-Key` and is repeated with the same key until it is
//!   answered, so it is counted and answered once.
//! - A command comes at least once. Finished ids are on disk before they are acked, so one that
//!   comes again, even after a restart of the relay, is acked again and not sent again.
//! - Silence is the end of a connection, never a sign that all is well.
//!
//! For https and wss give tokio-tungstenite its feature `rustls-tls-webpki-roots`.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Parser;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{interval, sleep, timeout};
use tokio_tungstenite::tungstenite::{self, Message, client::IntoClientRequest};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const FINISHED_MAX: usize = 10_000; // ids, in memory and in the file
const LINES_WAITING_MAX: usize = 1_000;
const FORWARD_ATTEMPTS_MAX: u32 = 20;
const BACKOFF_MAX: Duration = Duration::from_secs(60);
const NETWORK_MAX: Duration = Duration::from_secs(40);

#[derive(Parser, Clone)]
#[command(about = "A minimal Chatkeep relay: standard input up, commands to standard output")]
struct Relay {
    /// Where the service listens.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: String,
    #[arg(long)]
    agent_id: String,
    /// Better from the environment: a command line is visible to everyone on the machine.
    #[arg(long, env = "CHATKEEP_EDGE_TOKEN", hide_env_values = true)]
    token: String,
    /// Who writes the lines of standard input.
    #[arg(long, default_value = "+15550111")]
    sender: String,
    /// Where finished commands are remembered [default: AGENT_ID.finished].
    #[arg(long)]
    state: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let relay = Relay::parse();
    let default = || format!("{}.finished", relay.agent_id).into();
    let finished = Finished::open(relay.state.clone().unwrap_or_else(default))?;
    // Independent: a socket that is away must not hold messages back.
    tokio::try_join!(forward_lines(&relay), stay_connected(&relay, finished))?;
    Ok(())
}

// ---- Up: messages --------------------------------------------------------------------------

/// A thread, because reading can't be cancelled; a fast writer waits for the service.
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

/// One after the other: messages of a chat must arrive in the order they were written.
async fn forward_lines(relay: &Relay) -> Result<()> {
    let mut lines = read_lines();
    while let Some(text) = lines.recv().await {
        forward(relay, text).await?;
    }
    Ok(()) // commands keep coming
}

async fn forward(relay: &Relay, text: String) -> Result<()> {
    let chat = format!("relay;-;{}", relay.sender);
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let message = json!({
        "chat_guid": chat, "mode": "direct", "sender": relay.sender, "text": text,
        "timestamp": now, "participants": [relay.sender],
    });
    // Once per message: that makes a retry safe. An id that your network gives is better yet:
    // it stays the same when the relay restarts.
    let key = uuid::Uuid::new_v4().to_string();
    for attempt in 0..FORWARD_ATTEMPTS_MAX {
        let (relay, key, message) = (relay.clone(), key.clone(), message.clone());
        let wait = match tokio::task::spawn_blocking(move || post(&relay, &key, &message)).await? {
            Ok((200, _, answer)) => {
                // The reply is in the answer and never comes again as a command.
                send_to_network(&chat, &answer["reply_bubbles"])?;
                return Ok(());
            }
            Ok((401, ..)) => return Err("401: get a new token".into()),
            Ok((429 | 502 | 503, wait, _)) => wait,
            Ok((status, _, problem)) => {
                // The same again would be refused again.
                eprintln!("not accepted ({status}): {}", problem["detail"]);
                return Ok(());
            }
            Err(error) => {
                eprintln!("no answer yet: {error}");
                Duration::ZERO
            }
        };
        sleep(wait.max(backoff(attempt))).await;
    }
    eprintln!("given up after {FORWARD_ATTEMPTS_MAX} attempts: {text}");
    Ok(())
}

/// Status, `Retry-After` and body. An answer that breaks off is none: an error, so a retry.
fn post(relay: &Relay, key: &str, message: &Value) -> Result<(u16, Duration, Value)> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(NETWORK_MAX))
        .build()
        .into();
    let mut answer = agent
        .post(format!("{}/edge/message", relay.url))
        .header("Authorization", format!("Bearer {}", relay.token))
        .header("Idempotency-Key", key)
        .send_json(message)?;
    let wait = answer.headers().get("Retry-After");
    let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
    let wait = Duration::from_secs(wait.unwrap_or(0));
    let text = answer.body_mut().read_to_string()?;
    let body = serde_json::from_str(&text).unwrap_or_default(); // a proxy may say it in HTML
    Ok((answer.status().as_u16(), wait, body))
}

// ---- Down: commands ------------------------------------------------------------------------

/// Where a real relay calls its network. Here it fails only when nobody reads us.
fn send_to_network(chat: &str, bubbles: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for bubble in bubbles.as_array().into_iter().flatten() {
        writeln!(out, "[{chat}] {}", bubble.as_str().unwrap_or_default())?;
    }
    out.flush()
}

/// Do it, remember it on disk, only then say so: the other order would lose it in a crash.
fn obey(finished: &mut Finished, command: &Value) -> Result<Value> {
    let id = command["command_id"].as_str().unwrap_or_default();
    if let Some(status) = finished.statuses.get(id) {
        return Ok(json!({"command_id": id, "status": status}));
    }
    let mut status = "failed"; // for good: asking again teaches us no new type
    if command["command_type"] == "send_message_now" {
        let payload = &command["payload"];
        let chat = payload["thread_id"].as_str().unwrap_or_default();
        if let Err(error) = send_to_network(chat, &payload["bubbles"]) {
            // Not finished: the service sends it again after a while.
            let why = error.to_string();
            return Ok(
                json!({"command_id": id, "status": status, "error": why, "retryable": true}),
            );
        }
        status = "completed";
    }
    finished.remember(id, command["seq"].as_u64().unwrap_or(0), status)?;
    Ok(json!({"command_id": id, "status": status}))
}

/// Returns only with a reason not to come back.
async fn stay_connected(relay: &Relay, mut finished: Finished) -> Result<()> {
    let mut attempt = 0;
    loop {
        let began = Instant::now();
        let wait = match connection(relay, &mut finished).await {
            Ok((code, wait)) => after_close(code, wait)?,
            Err(error) => match error.downcast_ref() {
                Some(tungstenite::Error::Http(answer)) => after_refusal(answer.status().as_u16())?,
                _ => {
                    eprintln!("not connected: {error}");
                    Duration::ZERO
                }
            },
        };
        if began.elapsed() > BACKOFF_MAX {
            attempt = 0; // it was a good one
        }
        sleep(wait.max(backoff(attempt))).await;
        attempt += 1;
    }
}

/// One connection to its end: the close code and the wait that `bye` asked for.
async fn connection(relay: &Relay, finished: &mut Finished) -> Result<(u16, Duration)> {
    let address = relay.url.replacen("http", "ws", 1);
    let address = format!("{address}/edge/ws?edge_agent_id={}", relay.agent_id);
    let mut request = address.into_client_request()?;
    // In the header; a token in the address is never read.
    let bearer = format!("Bearer {}", relay.token).parse()?;
    request.headers_mut().insert("Authorization", bearer);
    let (socket, _) = timeout(NETWORK_MAX, connect_async(request)).await??;
    converse(socket, finished).await
}

async fn converse(mut socket: Socket, finished: &mut Finished) -> Result<(u16, Duration)> {
    let mut silence = Duration::from_secs(90);
    let mut pings = interval(Duration::from_secs(30));
    let mut heard = Instant::now();
    let mut wait = Duration::ZERO;
    loop {
        let frame = tokio::select! {
            frame = socket.next() => frame,
            _ = pings.tick() => {
                say(&mut socket, json!({"type": "ping"})).await?;
                continue;
            }
            () = sleep(silence.saturating_sub(heard.elapsed())) => return Err("silence".into()),
        };
        heard = Instant::now();
        let text = match frame {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(close))) => {
                return Ok((close.map_or(1005, |close| close.code.into()), wait));
            }
            Some(Ok(_)) => continue, // control pings are answered by the library
            Some(Err(error)) => return Err(error.into()),
            None => return Ok((1006, wait)),
        };
        let frame: Value = serde_json::from_str(&text)?;
        let data = &frame["data"];
        match frame["type"].as_str() {
            Some("hello") => {
                silence = Duration::from_secs(data["silence_s"].as_u64().unwrap_or(90).max(1));
                let every = data["heartbeat_s"].as_u64().unwrap_or(30).max(1);
                pings = interval(Duration::from_secs(every));
                say(&mut socket, finished.resume(data)).await?;
            }
            Some("command") => {
                let ack = tokio::task::block_in_place(|| obey(finished, data))?;
                say(&mut socket, json!({"type": "command_ack", "data": ack})).await?;
            }
            Some("bye") => {
                wait = Duration::from_millis(data["retry_after_ms"].as_u64().unwrap_or(0));
            }
            Some("error") => eprintln!("the service says: {data}"),
            _ => {} // pong, and whatever a later version adds
        }
    }
}

async fn say(socket: &mut Socket, frame: Value) -> Result<()> {
    timeout(NETWORK_MAX, socket.send(Message::text(frame.to_string()))).await??;
    Ok(())
}

// ---- Coming back ---------------------------------------------------------------------------

/// An answer in place of the upgrade: how long to stay away, or why for good.
fn after_refusal(status: u16) -> Result<Duration> {
    eprintln!("refused with {status}");
    match status {
        401 => Err("401: the token isn't valid (any more); get a new one".into()),
        400 | 403 | 404 | 426 => Err(format!("{status}: this needs a person").into()),
        429 => Ok(BACKOFF_MAX),
        _ => Ok(Duration::ZERO),
    }
}

fn after_close(code: u16, asked_for: Duration) -> Result<Duration> {
    eprintln!("closed with {code}");
    match code {
        1000 => Err("the service is done with us".into()),
        4401 => Err("4401: the token was revoked or ran out; get a new one".into()),
        // Another relay runs under our name, or we send nonsense: don't fight, don't hammer.
        4400 | 4409 | 4429 => Ok(BACKOFF_MAX),
        _ => Ok(asked_for),
    }
}

/// 1, 2, 4 … 60 s, less a random half, so that not all relays come back at once.
fn backoff(attempt: u32) -> Duration {
    let full = Duration::from_secs(1 << attempt.min(6)).min(BACKOFF_MAX);
    let random = f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX);
    full.mul_f64(0.5 + random / 2.0)
}

// ---- What is finished ----------------------------------------------------------------------

/// The newest, in memory and as JSON lines in a file, rewritten when twice as long as need be.
#[derive(Default)]
struct Finished {
    path: PathBuf,
    lines: VecDeque<(String, String)>,
    appended: usize,
    /// How each ended, by command_id.
    statuses: HashMap<String, String>,
    /// The outbox that the numbers below belong to; a restored database counts anew.
    epoch: String,
    /// Everything up to this was finished here. A gap may stay, as when a chat moved to another
    /// relay: `resume` then says less than it could, and the acks say the rest.
    last_seq: u64,
    ahead: BTreeSet<u64>, // beyond a gap
}

impl Finished {
    fn open(path: PathBuf) -> Result<Self> {
        OpenOptions::new().create(true).append(true).open(&path)?;
        let text = fs::read_to_string(&path)?;
        let mut this = Self {
            path,
            ..Self::default()
        };
        for line in text.lines() {
            // A line torn by a power cut was never acked; it may go.
            let Ok(entry) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let field = |name: &str| entry[name].as_str().unwrap_or_default();
            let number = |name: &str| entry[name].as_u64().unwrap_or(0);
            this.enter(field("epoch"), u64::MAX);
            this.last_seq = this.last_seq.max(number("last_seq"));
            this.note(field("id"), number("seq"), field("status"), line);
        }
        this.rewrite()?;
        Ok(this)
    }

    /// Says how far we are, which makes good the acks that were lost with the last connection.
    fn resume(&mut self, hello: &Value) -> Value {
        let epoch = hello["epoch"].as_str().unwrap_or_default();
        self.enter(epoch, hello["head_seq"].as_u64().unwrap_or(0));
        json!({"type": "resume", "data": {"epoch": epoch, "last_seq": self.last_seq}})
    }

    /// Another epoch, or a head below what we have: the numbers we knew mean nothing now.
    fn enter(&mut self, epoch: &str, head_seq: u64) {
        if epoch != self.epoch || self.last_seq > head_seq {
            (self.epoch, self.last_seq) = (epoch.to_owned(), 0);
            self.ahead.clear();
        }
    }

    fn remember(&mut self, id: &str, seq: u64, status: &str) -> Result<()> {
        let (epoch, last_seq) = (&self.epoch, self.last_seq);
        let line =
            json!({"epoch": epoch, "last_seq": last_seq, "seq": seq, "id": id, "status": status});
        let line = line.to_string();
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        writeln!(file, "{line}")?;
        file.sync_data()?;
        self.note(id, seq, status, &line);
        self.appended += 1;
        if self.appended <= FINISHED_MAX {
            return Ok(());
        }
        self.rewrite()
    }

    fn note(&mut self, id: &str, seq: u64, status: &str, line: &str) {
        self.statuses.insert(id.to_owned(), status.to_owned());
        self.lines.push_back((id.to_owned(), line.to_owned()));
        if self.lines.len() > FINISHED_MAX
            && let Some((oldest, _)) = self.lines.pop_front()
        {
            self.statuses.remove(&oldest);
            self.ahead.pop_first();
        }
        if seq > self.last_seq {
            self.ahead.insert(seq);
        }
        while self.ahead.remove(&(self.last_seq + 1)) {
            self.last_seq += 1;
        }
    }

    /// Into a new file that then takes the old one's name: there is always a whole one.
    fn rewrite(&mut self) -> Result<()> {
        let text: String = self.lines.iter().map(|(_, l)| format!("{l}\n")).collect();
        let temporary = self.path.with_extension("new");
        fs::write(&temporary, text)?;
        File::open(&temporary)?.sync_all()?;
        fs::rename(&temporary, &self.path)?;
        self.appended = 0;
        Ok(())
    }
}
