//! What the wire tests share: the service on a free port with a temporary database, a small
//! HTTP client that sends exactly what it is told, and a relay's socket.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

pub mod description;
pub mod http_stub;
pub mod matrix;
pub mod mcp_server;
pub mod mem0;
pub mod model_server;
pub mod photo;
pub mod process;
pub mod programs;
pub mod smtp;
pub mod telegram;
pub mod tls;
pub mod xmpp;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chatkeep::app::{self, App};
use chatkeep::auth::edge_token;
use chatkeep::clock::{Clock, Timestamp};
use chatkeep::config::{Config, Source};
use chatkeep::server::{self, RunEnd};
use chatkeep::store::{CommandState, Lock, NewCommand, RoomId, UserId};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::MaybeTlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};

pub const EDGE_SECRET: &str = "an-edge-secret-of-at-least-32-bytes";
pub const ADMIN_TOKEN: &str = "an-admin-token-of-at-least-32-bytes";
/// Nothing in a test waits longer: far longer than anything takes on a slow machine under load.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running service; it stops when dropped.
pub struct Service {
    pub address: SocketAddr,
    pub app: Arc<App>,
    pub folder: tempfile::TempDir,
    stop: watch::Sender<bool>,
    running: Option<tokio::task::JoinHandle<RunEnd>>,
    _lock: Lock,
}

impl Service {
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// With more settings, named as in the environment.
    pub async fn with(settings: &[(&str, &str)]) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), settings, Clock::system()).await
    }

    pub async fn in_folder(
        folder: tempfile::TempDir,
        settings: &[(&str, &str)],
        clock: Clock,
    ) -> Self {
        let path = folder.path().join("chatkeep.db");
        let exports = folder.path().join("exports");
        let mut env: BTreeMap<String, String> = [
            ("CHATKEEP_STORAGE_PATH", path.to_str().unwrap()),
            ("CHATKEEP_STORAGE_DURABILITY", "normal"),
            ("CHATKEEP_EXPORTS_DIR", exports.to_str().unwrap()),
            ("EDGE_SECRET", EDGE_SECRET),
            ("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN),
            // Without a file nobody would be charged.
            ("CHATKEEP_ACCESS_CHARGE_NOBODY", "false"),
        ]
        .into_iter()
        .chain(settings.iter().copied())
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect();
        env.retain(|_, value| !value.is_empty());
        let source = Source { path: None, env };
        let mut config = Config::load(&source).unwrap().config;
        config.fill_development_secrets().unwrap();
        let lock = app::lock(&config).unwrap();
        let app = App::build(config, clock).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = watch::channel(false);
        let running = tokio::spawn(server::run(app.clone(), listener, stopped));
        Self {
            address,
            app,
            folder,
            stop,
            running: Some(running),
            _lock: lock,
        }
    }

    /// Drains and ends the service; its folder is left for the next one.
    pub async fn stop(mut self) -> (RunEnd, tempfile::TempDir) {
        let _ = self.stop.send(true);
        let ended = self.running.take().unwrap().await.unwrap();
        let Self { folder, app, .. } = self;
        drop(app);
        (ended, folder)
    }

    /// A request of an agent with a fresh token.
    pub async fn edge_message(&self, agent: &str, body: &Value) -> Answer {
        let now = self.app.clock.now().seconds();
        let token = edge_token::issue(EDGE_SECRET, agent, "+15550100", now);
        self.send(&post("/edge/message", body).bearer(&token)).await
    }

    pub async fn admin(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(&request(method, path).json(body).bearer(ADMIN_TOKEN))
            .await
    }

    pub async fn set_flag(&self, key: &str, value: impl Into<Value>) {
        let path = format!("/admin/feature-flags/{key}");
        let answer = self
            .admin("PUT", &path, &json!({"value": value.into()}))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    /// A token for the user of that id, made with the development key.
    pub fn user_token(&self, user_id: &str) -> String {
        let secret = self.app.config.identity.hs256_secret.as_ref().unwrap();
        chatkeep::auth::jwt::issue(secret.expose(), user_id, 3600, self.app.clock.now())
    }

    /// The id of whoever writes from that phone.
    pub fn user_id(&self, phone: &str) -> String {
        let rows = self.rows(&format!(
            "SELECT user_id FROM users WHERE phone = '{phone}'"
        ));
        rows[0][0].as_str().unwrap().to_owned()
    }

    /// One request on a connection of its own.
    pub async fn send(&self, request: &Request) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(&request.bytes()).await.unwrap();
        let answer = tokio::time::timeout(PATIENCE, read_answer(&mut stream))
            .await
            .expect("an answer in time");
        description::check(&request.head, &request.body, &answer);
        answer
    }

    pub async fn relay(&self, agent: &str) -> RelaySocket {
        let now = self.app.clock.now().seconds();
        let token = edge_token::issue(EDGE_SECRET, agent, "+15550100", now);
        RelaySocket::open(self.address, agent, &token)
            .await
            .expect("the upgrade")
    }

    /// The only reminder there is comes now, which is returned. Its own time stays.
    pub async fn remind_now(&self) -> Timestamp {
        let id = self.rows("SELECT id FROM reminders")[0][0]
            .as_i64()
            .unwrap();
        let now = self.app.clock.now();
        let due = self
            .app
            .store
            .write(move |tx| tx.postpone_reminder(id, now));
        due.await.unwrap();
        self.app.ingest.reminders.now();
        now
    }

    /// Rows of a query on the database file, columns as JSON.
    pub fn rows(&self, sql: &str) -> Vec<Vec<Value>> {
        if ["room_heads", "usage_days", "webhook_events"]
            .iter()
            .any(|table| sql.contains(table))
        {
            self.write_deferred_rows();
        }
        rows(&self.folder.path().join("chatkeep.db"), sql)
    }

    /// Gives an agent so many unfinished commands of the room 0, perhaps of apps of many creators.
    /// The hub doesn't know them. Returns the seqs.
    pub async fn fill_outbox(&self, agent: &str, commands: u64, are_of_apps: bool) -> Vec<u64> {
        let (agent, now) = (agent.to_owned(), self.app.clock.now());
        let filled = self.app.store.write(move |tx| {
            let agent = tx.agent(&agent, now)?.id;
            let insert = |number| {
                let command = tx.insert_command(&NewCommand {
                    agent,
                    room: RoomId(0),
                    command_id: &format!("{agent:?} {number}"),
                    kind: "send_message_now",
                    payload: "{}",
                    user: None,
                    app_creator: are_of_apps.then_some(UserId(1_000_000 + number as i64 / 400)),
                    expires_at: now.plus_s(86_400),
                    now,
                })?;
                Ok(command.seq)
            };
            (0..commands).map(insert).collect()
        });
        filled.await.unwrap()
    }

    /// Ends commands of `fill_outbox`.
    pub async fn empty_outbox(&self, agent: &str, seqs: Vec<u64>) {
        let (agent, now) = (agent.to_owned(), self.app.clock.now());
        let emptied = self.app.store.write(move |tx| {
            let agent = tx.agent(&agent, now)?.id;
            for seq in seqs {
                assert!(tx.finish_command(agent, seq, CommandState::Completed, None, now)?);
            }
            Ok(())
        });
        emptied.await.unwrap();
    }

    /// Nothing is written, and so no message answered, while it lives.
    pub async fn hold_writer(&self) -> HeldWriter {
        let (release, released) = std::sync::mpsc::channel::<()>();
        let (started, running) = tokio::sync::oneshot::channel();
        let store = self.app.store.clone();
        tokio::spawn(async move {
            let write = store.write(move |_| {
                let _ = started.send(());
                let _ = released.recv();
                Ok(())
            });
            write.await
        });
        running.await.unwrap();
        HeldWriter { _release: release }
    }

    /// The service writes these up to a second later.
    fn write_deferred_rows(&self) {
        let (written, is_written) = std::sync::mpsc::channel();
        self.app.store.post(move |tx| {
            tx.settle_deferred()?;
            tx.after_commit(move || written.send(()).unwrap());
            Ok(())
        });
        is_written.recv_timeout(PATIENCE).unwrap();
    }
}

/// Holds the writing thread until it is dropped.
pub struct HeldWriter {
    _release: std::sync::mpsc::Sender<()>,
}

pub fn rows(path: &std::path::Path, sql: &str) -> Vec<Vec<Value>> {
    let conn = rusqlite::Connection::open(path).unwrap();
    let mut statement = conn.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..columns)
            .map(|index| {
                Ok(match row.get_ref(index)? {
                    rusqlite::types::ValueRef::Null => Value::Null,
                    rusqlite::types::ValueRef::Integer(n) => n.into(),
                    rusqlite::types::ValueRef::Real(n) => n.into(),
                    rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                    rusqlite::types::ValueRef::Blob(bytes) => hex::encode(bytes).into(),
                })
            })
            .collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// A clock that stands still at tomorrow's noon: fresh tokens are good then, and no test depends on
/// the hour of the run.
pub fn standing_clock() -> Clock {
    const DAY_MS: i64 = 86_400_000;
    let tomorrow = Clock::system().now().utc_day() + 1;
    Clock::fixed(Timestamp(tomorrow * DAY_MS + DAY_MS / 2))
}

pub fn token(agent: &str) -> String {
    edge_token::issue(
        EDGE_SECRET,
        agent,
        "+15550100",
        Clock::system().now().seconds(),
    )
}

/// A direct message that is valid.
pub fn direct(sender: &str, text: &str) -> Value {
    json!({
        "chat_guid": format!("chat;{sender}"),
        "mode": "direct",
        "sender": sender,
        "text": text,
        "timestamp": 1_700_000_000,
        "participants": [sender],
    })
}

pub fn group(chat: &str, sender: &str, text: &str) -> Value {
    json!({
        "chat_guid": chat,
        "mode": "group",
        "sender": sender,
        "text": text,
        "timestamp": 1_700_000_000,
        "participants": [sender],
    })
}

/// A request as it goes over the wire.
#[derive(Clone)]
pub struct Request {
    head: String,
    body: Vec<u8>,
    framed: bool,
}

pub fn request(method: &str, path: &str) -> Request {
    Request {
        head: format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"),
        body: Vec::new(),
        framed: true,
    }
}

pub fn get(path: &str) -> Request {
    request("GET", path)
}

pub fn post(path: &str, body: &Value) -> Request {
    request("POST", path).json(body)
}

impl Request {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    pub fn bearer(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json")
            .raw(body.to_string())
    }

    pub fn raw(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone().into_bytes();
        bytes.extend(format!("Content-Length: {}\r\n\r\n", self.body.len()).bytes());
        bytes.extend(&self.body);
        bytes
    }
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self
            .headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }

    /// The `code` of a problem.
    pub fn code(&self) -> String {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{}",
            self.text
        );
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Reads an answer to the end of the connection.
pub async fn read_answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    parse_answer(&bytes)
        .unwrap_or_else(|| panic!("no whole answer: {:?}", String::from_utf8_lossy(&bytes)))
}

/// An answer as it came; nothing when it was cut off.
pub fn parse_answer(bytes: &[u8]) -> Option<Answer> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let answer = Answer {
        status,
        headers,
        text: body.to_owned(),
    };
    let length = answer.header("content-length").and_then(|n| n.parse().ok());
    length
        .is_none_or(|length: usize| length == body.len())
        .then_some(answer)
}

/// A relay's WebSocket.
pub struct RelaySocket {
    pub ws: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub hello: Value,
    /// Came while a pong was waited for.
    passed: VecDeque<Value>,
}

impl RelaySocket {
    /// Connects and reads `hello`; the error is the status of a refused upgrade.
    pub async fn open(address: SocketAddr, agent: &str, token: &str) -> Result<Self, u16> {
        let url = format!("ws://{address}/edge/ws?edge_agent_id={agent}");
        let mut request = url.into_client_request().unwrap();
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        match tokio_tungstenite::connect_async(request).await {
            Ok((ws, _)) => {
                let mut socket = Self {
                    ws,
                    hello: Value::Null,
                    passed: VecDeque::new(),
                };
                socket.hello = socket.next().await;
                assert_eq!(socket.hello["type"], "hello");
                Ok(socket)
            }
            Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The next text frame.
    pub async fn next(&mut self) -> Value {
        match self.passed.pop_front() {
            Some(frame) => frame,
            None => self.next_frame().await,
        }
    }

    async fn next_frame(&mut self) -> Value {
        match self.next_message().await {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?} where a frame was expected"),
        }
    }

    /// The next command; other frames are passed over.
    pub async fn command(&mut self) -> Value {
        loop {
            let frame = self.next().await;
            if frame["type"] == "command" {
                return frame["data"].clone();
            }
        }
    }

    /// The close frame; other frames are passed over.
    pub async fn closed(&mut self) -> Option<CloseFrame> {
        loop {
            if let Message::Close(frame) = self.next_message().await {
                return frame;
            }
        }
    }

    pub async fn next_message(&mut self) -> Message {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.ws.next()).await;
            match next
                .expect("a frame in time")
                .expect("an open socket")
                .unwrap()
            {
                Message::Ping(_) | Message::Pong(_) => {}
                message => return message,
            }
        }
    }

    pub async fn say(&mut self, frame: &Value) {
        self.ws
            .send(Message::text(frame.to_string()))
            .await
            .unwrap();
    }

    pub async fn ack(&mut self, command: &Value, status: &str) {
        let ack = json!({"command_id": command["command_id"], "status": status});
        self.say(&json!({"type": "command_ack", "data": ack})).await;
    }

    /// Whether frames came while something else was waited for.
    pub fn has_passed(&self) -> bool {
        !self.passed.is_empty()
    }

    /// What was said before has been worked on: a ping's pong has come.
    pub async fn settle(&mut self) {
        self.say(&json!({"type": "ping"})).await;
        loop {
            let frame = self.next_frame().await;
            if frame["type"] == "pong" {
                return;
            }
            self.passed.push_back(frame);
        }
    }
}

/// Waits until `check` holds.
pub async fn eventually(what: &str, mut check: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !check().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(PATIENCE, waiting).await;
    assert!(waited.is_ok(), "{what} in time");
}
