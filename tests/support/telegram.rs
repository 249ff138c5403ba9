//! Telegram's Bot API as the outside world has it, as far as a relay may notice: updates that an
//! offset confirms for ever, one poll at a time, buttons, files, and every way to fail.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http_stub::{self, HttpAnswer, HttpRequest};

pub const TOKEN: &str = "666:a-bot-token-of-the-tests";
pub const BOT: &str = "JunoTestBot";
/// No poll is held longer: tests end sooner.
const POLL_MAX: Duration = Duration::from_millis(200);
/// How long a chat that hangs says nothing, unless it is let go.
const HANG: Duration = Duration::from_secs(20);

/// A running stub; its threads end with the process.
#[derive(Clone)]
pub struct Telegram {
    pub address: SocketAddr,
    shared: Arc<NetworkState>,
}

type NetworkState = (Mutex<State>, Condvar);

#[derive(Default)]
struct State {
    updates: VecDeque<Value>,
    last_update: i64,
    last_message: i64,
    polls: u64,
    /// In their order, as they were asked for.
    sent: Vec<Value>,
    calls: Vec<(String, Value)>,
    /// What becomes of messages to a chat, next first.
    faults: HashMap<i64, VecDeque<Fault>>,
    files: HashMap<String, Vec<u8>>,
    /// What is answered to requests for files, next first, before the files themselves.
    file_answers: VecDeque<HttpAnswer>,
    /// Every connection breaks.
    is_down: bool,
    broken: usize,
}

/// What becomes of one `sendMessage`.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Status, description, `parameters`.
    Refuse(u16, &'static str, Value),
    /// It is sent, and the answer is lost.
    Lose,
    /// Nothing is said until it is let go.
    Hang,
}

impl Telegram {
    pub fn start() -> Self {
        let shared: Arc<NetworkState> = Arc::default();
        shared.0.lock().unwrap().last_update = 1_000;
        let stub = shared.clone();
        let address = http_stub::start(move |request| answer(&stub, &request));
        Self { address, shared }
    }

    /// The settings of a service that relays it.
    pub fn settings(&self, allow: &str) -> Vec<(&'static str, String)> {
        vec![
            ("CHATKEEP_RELAY_TELEGRAM_TOKEN", TOKEN.to_owned()),
            (
                "CHATKEEP_RELAY_TELEGRAM_BASE_URL",
                format!("http://{}", self.address),
            ),
            ("CHATKEEP_RELAY_TELEGRAM_ALLOW", allow.to_owned()),
        ]
    }

    /// Somebody does something; `message` lacks what Telegram adds, but for the number of one that
    /// is changed. The message's number.
    pub fn message(&self, from: i64, chat: i64, mut message: Value) -> i64 {
        let mut state = self.state();
        if message["message_id"].is_null() {
            state.last_message += 1;
            message["message_id"] = state.last_message.into();
        }
        let id = message["message_id"].as_i64().unwrap();
        message["from"] = json!({"id": from, "is_bot": false, "first_name": "Ada"});
        let kind = if chat < 0 { "supergroup" } else { "private" };
        message["chat"] = json!({"id": chat, "type": kind});
        if message["date"].is_null() {
            message["date"] = 1_700_000_000.into();
        }
        let kind = if message["edit_date"].is_null() {
            "message"
        } else {
            "edited_message"
        };
        state.push(kind, message);
        self.shared.1.notify_all();
        id
    }

    /// In a private chat.
    pub fn say(&self, from: i64, text: &str) -> i64 {
        self.message(from, from, json!({ "text": text }))
    }

    /// Somebody presses a button under a message of the bot's.
    pub fn press(&self, from: i64, message: &Value, data: &str) {
        let mut state = self.state();
        let query = json!({
            "id": format!("press-{}", state.last_update), "from": {"id": from}, "data": data,
            "message": {
                "message_id": message["message_id"], "text": message["text"], "date": 1_700_000_000,
                "chat": {"id": message["chat_id"], "type": "private"},
            },
        });
        state.push("callback_query", query);
        self.shared.1.notify_all();
    }

    pub fn put_file(&self, file_id: &str, bytes: &[u8]) {
        self.state()
            .files
            .insert(file_id.to_owned(), bytes.to_vec());
    }

    /// What the next requests for files are answered.
    pub fn answer_files(&self, answers: impl IntoIterator<Item = HttpAnswer>) {
        self.state().file_answers.extend(answers);
    }

    /// Nobody is reached, until somebody is again. Nothing is forgotten.
    pub fn set_down(&self, is_down: bool) {
        self.state().is_down = is_down;
    }

    /// Connections that broke because it was down.
    pub fn broken(&self) -> usize {
        self.state().broken
    }

    /// What becomes of the next messages to a chat.
    pub fn fail(&self, chat: i64, faults: impl IntoIterator<Item = Fault>) {
        self.state().faults.entry(chat).or_default().extend(faults);
    }

    /// Chats that hang go on.
    pub fn let_go(&self) {
        self.state().faults.clear();
        self.shared.1.notify_all();
    }

    /// Everything sent so far.
    pub fn sent(&self) -> Vec<Value> {
        self.state().sent.clone()
    }

    /// The texts that a chat got.
    pub fn texts(&self, chat: i64) -> Vec<String> {
        let sent = self.sent().into_iter().filter(|one| one["chat_id"] == chat);
        sent.map(|one| one["text"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The arguments of the calls of a method.
    pub fn calls(&self, method: &str) -> Vec<Value> {
        let state = self.state();
        let calls = state.calls.iter().filter(|(name, _)| name == method);
        calls.map(|(_, arguments)| arguments.clone()).collect()
    }

    /// Updates that were not confirmed.
    pub fn unconfirmed(&self) -> usize {
        self.state().updates.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap()
    }
}

fn answer(shared: &NetworkState, request: &HttpRequest) -> Option<HttpAnswer> {
    let path = &request.target;
    let mut state = shared.0.lock().unwrap();
    if state.is_down {
        state.broken += 1;
        return None;
    }
    drop(state);
    if let Some(file_id) = path.strip_prefix(&format!("/file/bot{TOKEN}/photos/")) {
        let mut state = shared.0.lock().unwrap();
        if let Some(answer) = state.file_answers.pop_front() {
            return Some(answer);
        }
        let file = state.files.get(file_id).cloned();
        return Some((200, "image/jpeg", file.unwrap_or_default()));
    }
    let json = |status, body: Value| Some((status, "application/json", body.to_string().into()));
    let Some(method) = path.strip_prefix(&format!("/bot{TOKEN}/")) else {
        let refusal = json!({"ok": false, "error_code": 401, "description": "Unauthorized"});
        return json(401, refusal);
    };
    let arguments: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    if method != "getUpdates" {
        let call = (method.to_owned(), arguments.clone());
        shared.0.lock().unwrap().calls.push(call);
    }
    let (status, result) = match method {
        "getUpdates" => updates(shared, &arguments),
        "sendMessage" => send_message(shared, arguments)?,
        "getFile" => {
            let path = format!("photos/{}", arguments["file_id"].as_str().unwrap());
            (200, json!({ "file_path": path }))
        }
        "getMe" => (200, json!({"id": 666, "is_bot": true, "username": BOT})),
        // As the small counterpart on npm answers what it does not know.
        "setMyCommands" => (500, json!({"message": "unknown"})),
        _ => (200, json!(true)),
    };
    match status {
        200 => json(200, json!({"ok": true, "result": result})),
        _ => json(status, result),
    }
}

/// The offset counts on arrival; a second poll ends the first.
fn updates(shared: &NetworkState, arguments: &Value) -> (u16, Value) {
    let (state, changed) = shared;
    let mut state = state.lock().unwrap();
    state.polls += 1;
    let own = state.polls;
    changed.notify_all();
    if let Some(offset) = arguments["offset"].as_i64() {
        state
            .updates
            .retain(|update| update["update_id"].as_i64() >= Some(offset));
    }
    let timeout = Duration::from_secs(arguments["timeout"].as_u64().unwrap_or(0));
    let deadline = Instant::now() + timeout.min(POLL_MAX);
    while state.updates.is_empty() && state.polls == own {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            break;
        }
        state = changed.wait_timeout(state, remaining).unwrap().0;
    }
    if state.polls != own {
        let conflict = "Conflict: terminated by other getUpdates request";
        return (
            409,
            json!({"ok": false, "error_code": 409, "description": conflict}),
        );
    }
    let limit = arguments["limit"].as_u64().unwrap_or(100) as usize;
    (200, state.updates.iter().take(limit).cloned().collect())
}

/// Nothing: the answer is lost.
fn send_message(shared: &NetworkState, mut message: Value) -> Option<(u16, Value)> {
    let chat = message["chat_id"].as_i64().unwrap();
    let (state, changed) = shared;
    let mut state = state.lock().unwrap();
    let text = message["text"].as_str().unwrap_or_default();
    if text.is_empty() || text.encode_utf16().count() > 4096 {
        let why = "Bad Request: message is too long";
        return Some((
            400,
            json!({"ok": false, "error_code": 400, "description": why}),
        ));
    }
    let fault = state.faults.get_mut(&chat).and_then(VecDeque::pop_front);
    match fault {
        Some(Fault::Refuse(status, why, parameters)) => {
            return Some((
                status,
                json!({"ok": false, "error_code": status, "description": why,
                                        "parameters": parameters}),
            ));
        }
        Some(Fault::Hang) => {
            let deadline = Instant::now() + HANG;
            // Let go when the faults were cleared.
            state
                .faults
                .entry(chat)
                .or_default()
                .push_front(Fault::Hang);
            while state.faults.contains_key(&chat) && Instant::now() < deadline {
                state = changed
                    .wait_timeout(state, Duration::from_millis(100))
                    .unwrap()
                    .0;
            }
        }
        _ => {}
    }
    state.last_message += 1;
    message["message_id"] = state.last_message.into();
    state.sent.push(message.clone());
    (fault != Some(Fault::Lose)).then_some((200, message))
}

impl State {
    fn push(&mut self, kind: &str, content: Value) {
        self.last_update += 1;
        let mut update = json!({"update_id": self.last_update});
        update[kind] = content;
        self.updates.push_back(update);
    }
}
